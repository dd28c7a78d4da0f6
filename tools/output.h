/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_OUTPUT_H
#define BRINK_OUTPUT_H
/* How answers are written: the same rows for scripts (the words of old, --csv, --json) and for people (a terminal:
 * header with units, aligned columns, a summary); what a mistyped word may have meant; progress of long work.
 * docs/formats.md describes what comes out. */
#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

/* ---- options of every command that answers: rows of its argp_option list, and the default of its parser's switch */
enum { OPTION_OUTPUT_CSV = 0x10000, OPTION_OUTPUT_JSON };
#define BRINK_OUTPUT_CSV_OPTION \
  { "csv", OPTION_OUTPUT_CSV, NULL, 0, "Answers as comma-separated values, names first", 90 }
#define BRINK_OUTPUT_JSON_OPTION \
  { "json", OPTION_OUTPUT_JSON, NULL, 0, "Answers as JSON, an object a line", 90 }
error_t brinkOutput_Parse(brinkForm *form, int key, struct argp_state *state);

/* For commands that have argp rows and a parser of their own. */
void brinkParseCommand(int argc, char **argv, const struct argp_option *options, argp_parser_t parse,
                       const char *arguments, const char *documentation, void *input);

/* A bound with nine digits, after `before`: rounded downward (FE_DOWNWARD) or upward, so that it is one still. */
void brinkPrintBound(const char *before, double value, int rounding);

/* ---- rows */
typedef struct brinkColumn {
  const char *name;
  const char *unit; /* NULL: none */
  int width;        /* of the table; negative: to the left */
} brinkColumn;

enum { BRINK_MOST_COLUMNS = 24, BRINK_MOST_STATES = 8 };

typedef struct brinkRows {
  brinkForm form;
  const brinkColumn *columns;
  size_t columnCount, at; /* at: the next cell of this row */
  size_t rowCount;
  const char *what; /* what a row is, for the summary: "case" */
  const char *states[BRINK_MOST_STATES];
  size_t stateCounts[BRINK_MOST_STATES];
  double start; /* seconds */
} brinkRows;

/* form auto is settled here. */
brinkRows brinkRows_Open(brinkForm form, const char *what, const brinkColumn *columns, size_t columnCount);
/* Does the command print its words itself? */
bool brinkRows_AreWords(const brinkRows *rows);
void brinkRows_Text(brinkRows *rows, const char *text);
void brinkRows_State(brinkRows *rows, const char *state); /* static; counted for the summary */
void brinkRows_Number(brinkRows *rows, double value);     /* NaN and infinite: missing */
void brinkRows_Count(brinkRows *rows, unsigned long long value);
void brinkRows_Missing(brinkRows *rows);
/* json: an object or array as it stands; others: missing. */
void brinkRows_Json(brinkRows *rows, const char *text);
/* Ends the row and flushes it. */
void brinkRows_End(brinkRows *rows);
/* The summary of a table; nothing else. */
void brinkRows_Close(brinkRows *rows);

/* ---- files named after what a case file calls its cases: what is written stays in its folder, and each has its own */
typedef struct brinkWritten {
  char **paths; /* of this run */
  size_t count, capacity;
} brinkWritten;
/* FOLDER/NAME.ENDING for a name that any text may hold: what is neither letter, digit, . - _ + nor beyond ASCII
 * becomes _, and so does a leading . or -. Where this run wrote that path before it is FOLDER/NAME-2.ENDING, and so on,
 * and stderr says so. false: said on stderr. */
bool brinkWritten_Name(brinkWritten *written, const char *folder, const char *name, const char *ending, char *path,
                       size_t capacity);
/* A path that the user gave; false: this run wrote it before, said on stderr. */
bool brinkWritten_Once(brinkWritten *written, const char *path);
void brinkWritten_Free(brinkWritten *written);

/* ---- progress of long work, on standard error when that is a terminal and what it counts does not scroll there */
typedef struct brinkProgress {
  bool shown, written;
  double start, last;
} brinkProgress;
brinkProgress brinkProgress_Begin(bool quiet);
/* fraction: in [0,1], what is done. */
void brinkProgress_Tell(brinkProgress *progress, double fraction, const char *what, size_t count);
void brinkProgress_End(brinkProgress *progress);

#endif
