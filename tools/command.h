/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_COMMAND_H
#define BRINK_COMMAND_H
/* What the subcommands of `brink` share: reading words with their line numbers, exit statuses, the clock, one step of
 * trouble reporting. Exit status: 0 all answered, 1 something could not be done, 2 malformed input or usage. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "brink/ccd.h"
#include "options.h"

enum { BRINK_EXIT_OK = 0, BRINK_EXIT_FAILURE = 1, BRINK_EXIT_MALFORMED = 2 };

/* ---- text.c: words separated by blanks and newlines, `#` to the end of the line is a comment */
typedef struct brinkText {
  const char *path;
  char *data; /* owned, NUL after the end */
  size_t size, at;
  unsigned long line;     /* of `at`, from 1 */
  unsigned long wordLine; /* of the last word */
  bool failed;            /* brinkText_Fail was called: every later read fails too */
} brinkText;

/* false: a message is on stderr. */
bool brinkText_Open(brinkText *text, const char *path);
void brinkText_Close(brinkText *text);
/* The next word, NUL-terminated inside the text; NULL at the end of the file or after a failure. */
const char *brinkText_Word(brinkText *text);
/* How much of the file has been read, [0,1]. */
double brinkText_Fraction(const brinkText *text);
/* Is there another word before the end of this line? */
bool brinkText_MoreOnLine(brinkText *text);
/* Says PATH:LINE: what on stderr; returns false. */
bool brinkText_Fail(brinkText *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Each says what was expected (`what`) when the next word is not that. Locale-independent. */
bool brinkText_Number(brinkText *text, const char *what, double *out); /* finite decimal */
bool brinkText_Numbers(brinkText *text, const char *what, double *out, size_t count);
bool brinkText_Integer(brinkText *text, const char *what, long long low, long long high, long long *out);
/* A count of things that take at least `bytesEach` characters each: one that cannot fit into the rest of the file is
 * refused before anything is allocated for it. */
bool brinkText_Count(brinkText *text, const char *what, size_t low, size_t bytesEach, size_t *out);
bool brinkText_Expect(brinkText *text, const char *word);
/* Whole-word decimal number of an option: locale-independent; false when it is not one. */
bool brinkParseNumber(const char *word, double *out);

/* ---- queries.c: the next query (eight vertices: four at the start, the same at the end) of a public query file; false
 * at the end of the file or after a failure. Exact: what a double cannot hold is refused. */
bool brinkQuery_Read(brinkText *text, double vertices[8][3]);

/* ---- record.c: `brink replay` of one file, a record of dBrinkSetRecordDirectory; exit status. json: an object a line,
 * else comma-separated values and a last line for people. */
int brinkReplayRecord(const char *path, bool json);

/* ---- verify.c: tells the verdict about a certificate; exit status: 0 proven, 1 open cells, 2 refused. */
int brinkVerifyFile(const char *path);
/* Of all certificates of a file together. */
typedef struct brinkVerdict {
  size_t certificates, cells, open; /* cells, open ones among them */
  double apart;                     /* m: least proven distance */
  double from, to;                  /* times that all of them speak of */
} brinkVerdict;
/* certify.c: writes a verdict as the command's options say. state: proven, open or refused (then NULL). */
void brinkVerify_Tell(const char *path, const char *state, const brinkVerdict *verdict);

/* ---- main.c */
double brinkSeconds(void); /* monotonic */
/* The plugin's table; exits the program when the library does not fit. */
const brinkPlugin *brinkApi(void);
/* An extension's table; exits the program where the library has none of that name. */
const void *brinkNeedExtension(const char *name);
/* Says why the library refused a case, after the answers before it. world NULL: there was none. */
void brinkTellRefusal(const brinkPlugin *api, const brinkWorld *world, brinkStatus status, const char *name);

/* ---- the subcommands */
extern const brinkCommand brinkCheckCommand, brinkClearanceCommand, brinkInterferenceCommand, brinkReplayCommand,
    brinkCookCommand, brinkInfoCommand, brinkShowCommand, brinkCertifyCommand, brinkVerifyCommand;
/* argv[0] is "brink generate" and so on */
int brinkGenerate(int argc, char **argv);
int brinkRobotCommand(int argc, char **argv);
int brinkPathCommand(int argc, char **argv);

#endif
