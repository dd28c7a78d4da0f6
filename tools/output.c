/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing answers for scripts and for people; see output.h. */
#include "output.h"

#include <argp.h>
#include <ctype.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

void brinkParseCommand(int argc, char **argv, const struct argp_option *options, argp_parser_t parse,
                       const char *arguments, const char *documentation, void *input) {
  const struct argp parser = {.options = options, .parser = parse, .args_doc = arguments, .doc = documentation};
  brinkParseArguments(&parser, argc, argv, 0, input);
}

error_t brinkOutput_Parse(brinkForm *form, int key, struct argp_state *state) {
  if (key != OPTION_OUTPUT_CSV && key != OPTION_OUTPUT_JSON) return ARGP_ERR_UNKNOWN;
  brinkSetForm(form, key == OPTION_OUTPUT_CSV ? brink_formCsv : brink_formJson, state);
  return 0;
}

/* ---- rows */

void brinkPrintBound(const char *before, double value, int rounding) {
  fesetround(rounding); /* the C library's printf heeds it */
  printf("%s%.9g", before, value);
  fesetround(FE_TONEAREST);
}

brinkRows brinkRows_Open(brinkForm form, const char *what, const brinkColumn *columns, size_t columnCount) {
  if (form == brink_formAuto) form = isatty(STDOUT_FILENO) ? brink_formTable : brink_formWords;
  return (brinkRows){
      .form = form, .columns = columns, .columnCount = columnCount, .what = what, .start = brinkSeconds()};
}

bool brinkRows_AreWords(const brinkRows *rows) { return rows->form == brink_formWords; }

/* Names of a table: with units, where there are any. */
static void printHeader(const brinkRows *rows) {
  for (size_t i = 0; i < rows->columnCount; ++i) {
    const brinkColumn *column = &rows->columns[i];
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", column->name, column->unit != NULL ? ", " : "",
             column->unit != NULL ? column->unit : "");
    if (rows->form == brink_formCsv)
      printf("%s%s", i > 0 ? "," : "", column->name);
    else
      printf("%s%*s", i > 0 ? "  " : "", column->width, name);
  }
  putchar('\n');
}

static void beginCell(brinkRows *rows) {
  const brinkColumn *column = &rows->columns[rows->at];
  if (rows->at == 0 && rows->rowCount == 0 && rows->form != brink_formJson) printHeader(rows);
  if (rows->form == brink_formJson)
    printf("%s\"%s\":", rows->at == 0 ? "{" : ",", column->name);
  else if (rows->at > 0)
    fputs(rows->form == brink_formCsv ? "," : "  ", stdout);
  ++rows->at;
}

static int widthOf(const brinkRows *rows) { return rows->columns[rows->at - 1].width; }

static void printJsonText(const char *text) {
  putchar('"');
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
    if (*c == '"' || *c == '\\')
      printf("\\%c", *c);
    else if (*c < 0x20)
      printf("\\u%04x", *c);
    else
      putchar(*c);
  }
  putchar('"');
}

static void printCsvText(const char *text) {
  if (strpbrk(text, ",\"\r\n") == NULL) {
    fputs(text, stdout);
    return;
  }
  putchar('"');
  for (; *text != '\0'; ++text) printf(*text == '"' ? "\"\"" : "%c", *text);
  putchar('"');
}

void brinkRows_Text(brinkRows *rows, const char *text) {
  beginCell(rows);
  if (rows->form == brink_formJson)
    printJsonText(text);
  else if (rows->form == brink_formCsv)
    printCsvText(text);
  else
    printf("%*s", widthOf(rows), text);
}

void brinkRows_State(brinkRows *rows, const char *state) {
  size_t i = 0;
  while (i < BRINK_MOST_STATES && rows->states[i] != NULL && strcmp(rows->states[i], state) != 0) ++i;
  if (i < BRINK_MOST_STATES) {
    rows->states[i] = state;
    ++rows->stateCounts[i];
  }
  brinkRows_Text(rows, state);
}

void brinkRows_Missing(brinkRows *rows) {
  beginCell(rows);
  if (rows->form == brink_formJson)
    fputs("null", stdout);
  else if (rows->form == brink_formTable)
    printf("%*s", widthOf(rows), "-");
}

void brinkRows_Number(brinkRows *rows, double value) {
  if (!isfinite(value)) {
    brinkRows_Missing(rows);
    return;
  }
  beginCell(rows);
  if (rows->form == brink_formTable)
    printf("%*.6g", widthOf(rows), value);
  else
    printf("%.17g", value);
}

void brinkRows_Count(brinkRows *rows, unsigned long long value) {
  beginCell(rows);
  printf("%*llu", rows->form == brink_formTable ? widthOf(rows) : 0, value);
}

void brinkRows_Json(brinkRows *rows, const char *text) {
  if (rows->form != brink_formJson) {
    brinkRows_Missing(rows);
    return;
  }
  beginCell(rows);
  fputs(text, stdout);
}

void brinkRows_End(brinkRows *rows) {
  if (rows->form == brink_formJson) putchar('}');
  putchar('\n');
  rows->at = 0;
  ++rows->rowCount;
  fflush(stdout);
}

void brinkRows_Close(brinkRows *rows) {
  if (rows->form == brink_formCsv && rows->rowCount == 0) printHeader(rows);
  if (rows->form != brink_formTable || rows->rowCount == 0) return;
  printf("%zu %s%s", rows->rowCount, rows->what, rows->rowCount == 1 ? "" : "s");
  for (size_t i = 0; i < BRINK_MOST_STATES && rows->states[i] != NULL; ++i)
    printf("%s%zu %s", i == 0 ? ": " : ", ", rows->stateCounts[i], rows->states[i]);
  printf(" (%.3g s)\n", brinkSeconds() - rows->start);
}

/* ---- progress */

brinkProgress brinkProgress_Begin(bool quiet) {
  double now = brinkSeconds();
  return (brinkProgress){.shown = !quiet && isatty(STDERR_FILENO), .start = now, .last = now};
}

void brinkProgress_Tell(brinkProgress *progress, double fraction, const char *what, size_t count) {
  enum { MINUTE = 60, HOUR = 3600 };
  const double between = 0.2; /* s, so that a terminal is not what takes the time */
  double now = brinkSeconds(), spent = now - progress->start;
  if (!progress->shown || now - progress->last < between) return;
  progress->last = now;
  progress->written = true;
  fprintf(stderr, "\r%s %zu, %.0f %%", what, count, 100.0 * fmin(fmax(fraction, 0.0), 1.0));
  if (fraction > 0.0) {
    double left = spent * (1.0 - fmin(fraction, 1.0)) / fraction;
    if (left >= HOUR)
      fprintf(stderr, ", about %.1f h left", left / HOUR);
    else if (left >= MINUTE)
      fprintf(stderr, ", about %.0f min left", ceil(left / MINUTE));
    else
      fprintf(stderr, ", about %.0f s left", ceil(left));
  }
  fputs("\033[K", stderr);
  fflush(stderr);
}

void brinkProgress_End(brinkProgress *progress) {
  if (progress->written) fputs("\r\033[K", stderr);
  progress->written = false;
}

/* ---- files named after cases */

static bool isWritten(const brinkWritten *written, const char *path) {
  for (size_t i = 0; i < written->count; ++i)
    if (strcmp(written->paths[i], path) == 0) return true;
  return false;
}

static bool keepPath(brinkWritten *written, const char *path) {
  if (written->count == written->capacity) {
    size_t capacity = 2 * written->capacity + 16;
    char **larger = realloc(written->paths, capacity * sizeof *larger);
    if (larger != NULL) written->paths = larger, written->capacity = capacity;
  }
  char *copy = written->count < written->capacity ? strdup(path) : NULL;
  if (copy == NULL) {
    fprintf(stderr, "brink: %s: out of memory\n", path);
    return false;
  }
  written->paths[written->count++] = copy;
  return true;
}

static bool isSafe(unsigned char c) { return c >= 0x80 || isalnum(c) || strchr(".-_+", c) != NULL; }

bool brinkWritten_Name(brinkWritten *written, const char *folder, const char *name, const char *ending, char *path,
                       size_t capacity) {
  char safe[256];
  size_t length = 0;
  for (; name[length] != '\0' && length + 1 < sizeof safe; ++length)
    safe[length] = (char)(isSafe((unsigned char)name[length]) ? name[length] : '_');
  safe[length] = '\0';
  if (safe[0] == '.' || safe[0] == '-') safe[0] = '_';
  for (size_t number = 1; number <= written->count + 1; ++number) {
    char suffix[32] = "";
    if (number > 1) snprintf(suffix, sizeof suffix, "-%zu", number);
    if (snprintf(path, capacity, "%s/%s%s.%s", folder, safe, suffix, ending) >= (int)capacity) {
      fprintf(stderr, "brink: %s/%s.%s: name too long\n", folder, safe, ending);
      return false;
    }
    if (isWritten(written, path)) continue;
    if (number > 1 || strcmp(safe, name) != 0) fprintf(stderr, "brink: %s: written to %s\n", name, path);
    return keepPath(written, path);
  }
  return false; /* not reached: so many paths are not written */
}

bool brinkWritten_Once(brinkWritten *written, const char *path) {
  if (!isWritten(written, path)) return keepPath(written, path);
  fprintf(stderr, "brink: %s: written already for another problem of this call; it is kept\n", path);
  return false;
}

void brinkWritten_Free(brinkWritten *written) {
  while (written->count > 0) free(written->paths[--written->count]);
  free(written->paths);
  *written = (brinkWritten){NULL, 0, 0};
}
