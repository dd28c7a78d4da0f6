/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_OPTIONS_H
#define BRINK_OPTIONS_H
/* Options of a command as a table: a row tells what an option is called and which field it sets. What a table cannot
 * say goes to the command's own parser. For the `brink` command and other programs of the tree. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what options set */

typedef enum brinkForm {
  brink_formAuto = 0, /* terminal: table; else words */
  brink_formWords,    /* a line of words each, as documented by every command's --help */
  brink_formTable,
  brink_formCsv,
  brink_formJson /* an object a line */
} brinkForm;

/* What the command works on: the words behind the options. */
typedef struct brinkFiles {
  char **names; /* [count], borrowed from argv */
  int count;
} brinkFiles;
/* The worst exit status of all files. */
int brinkFiles_Each(const brinkFiles *files, int (*one)(void *user, const char *path), void *user);

/* How first contact is asked. */
typedef struct brinkAsked {
  double eps;             /* m; 0: the library's default */
  uint32_t scheme;        /* brinkScheme */
  uint64_t maxIterations; /* 0: the library's default */
} brinkAsked;

/* ---- the table */

typedef enum brinkSetting {
  brink_setOwn = 0, /* nothing: the command's own parser gets the key */
  brink_setFlag,    /* bool: true */
  brink_setBits,    /* uint32_t: low is or-ed in */
  brink_setValue,   /* uint32_t: low */
  brink_setText,    /* const char *: borrowed from argv */
  brink_setLength,  /* double: a length above 0, m */
  brink_setInt,     /* int, long, uint64_t: a whole number from low to high */
  brink_setLong,
  brink_setCount,
  brink_setScheme, /* uint32_t: a name of brinkScheme */
  brink_setCsv,    /* brinkForm */
  brink_setJson,
  brink_setFiles, /* brinkFiles: the words that are no options; help: said when there is none, NULL: there need not be
                   */
  brink_setFile,  /* const char *: the one word that is no option; help: said when there is none */
} brinkSetting;

typedef struct brinkOption {
  const char *name, *argument; /* argument NULL: it has none. name NULL: words that are no options */
  const char *help;
  int key; /* a letter; or a number from 256 to 999, for the command's own parser; 0: none */
  brinkSetting set;
  size_t at; /* of the field */
  long long low, high;
} brinkOption;

/* Rows. What: the struct of the command's options; a table ends with {0}. */
#define BRINK_FLAG(name, What, field, help) \
  { name, NULL, help, 0, brink_setFlag, offsetof(What, field), 0, 0 }
#define BRINK_BITS(name, bits, What, field, help) \
  { name, NULL, help, 0, brink_setBits, offsetof(What, field), bits, 0 }
#define BRINK_VALUE(name, value, What, field, help) \
  { name, NULL, help, 0, brink_setValue, offsetof(What, field), value, 0 }
#define BRINK_TEXT(name, word, What, field, help) \
  { name, word, help, 0, brink_setText, offsetof(What, field), 0, 0 }
#define BRINK_LENGTH(name, word, What, field, help) \
  { name, word, help, 0, brink_setLength, offsetof(What, field), 0, 0 }
#define BRINK_WHOLE(name, set, low, high, What, field, help) \
  { name, "N", help, 0, set, offsetof(What, field), low, high }
#define BRINK_OWN(name, word, key, help) \
  { name, word, help, key, brink_setOwn, 0, 0, 0 }
#define BRINK_OUTPUT_PATH(word, What, field, help) \
  { "output", word, help, 'o', brink_setText, offsetof(What, field), 0, 0 }
#define BRINK_SCHEME(What, field, help) \
  { "scheme", "NAME", help, 0, brink_setScheme, offsetof(What, field), 0, 0 }
#define BRINK_CSV(What) \
  { "csv", NULL, "Answers as comma-separated values, names first", 0, brink_setCsv, offsetof(What, form), 0, 0 }
#define BRINK_JSON(What, help) \
  { "json", NULL, help, 0, brink_setJson, offsetof(What, form), 0, 0 }
#define BRINK_FORMS(What) BRINK_CSV(What), BRINK_JSON(What, "Answers as JSON, an object a line")
#define BRINK_FILES(What, missing) \
  { NULL, NULL, missing, 0, brink_setFiles, offsetof(What, files), 0, 0 }
#define BRINK_FILE(What, missing) \
  { NULL, NULL, missing, 0, brink_setFile, offsetof(What, path), 0, 0 }
/* The field `asked`, a brinkAsked. */
#define BRINK_ASKED(What, eps_help)                                                                 \
  BRINK_LENGTH("eps", "E", What, asked.eps, eps_help),                                              \
      BRINK_SCHEME(What, asked.scheme,                                                              \
                   "default, paper (advancement as in the CATCH paper) or axis (separating axes)"), \
      BRINK_WHOLE("max-iterations", brink_setCount, 1, INT64_MAX, What, asked.maxIterations,        \
                  "Work budget per case; spent: unresolved [1000000]")

struct argp;
struct argp_state;

typedef struct brinkCommand {
  const brinkOption *options;
  const char *arguments, *documentation; /* for --help */
  /* argp's calls that no row settles; state->input: the command's options. NULL: none. (C libraries without argp read
   * these headers, too.) */
  int (*own)(int key, char *argument, struct argp_state *state);
  /* For brinkRunCommand: */
  size_t size;               /* of the struct of options */
  const void *defaults;      /* NULL: all 0 */
  int (*run)(void *options); /* gives the exit status */
} brinkCommand;

/* options: the struct, with its defaults. Bad words end the program with a message and status 2, --help with 0. */
void brinkReadOptions(int argc, char **argv, const brinkCommand *command, void *options);
/* Reads options over the defaults and runs the command. Exit status. */
int brinkRunCommand(int argc, char **argv, const brinkCommand *command);

/* --csv or --json is there: the other one may not be. */
void brinkSetForm(brinkForm *form, brinkForm wanted, struct argp_state *state);

/* argp_parse, but an unknown option is answered with the one that may have been meant; exits as argp does. */
void brinkParseArguments(const struct argp *parser, int argc, char **argv, unsigned flags, void *input);
/* The one of names[count] that a mistyped word is nearest to; NULL: none is near. */
const char *brinkNearestName(const char *word, const char *const *names, size_t count);

#endif
