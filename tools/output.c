/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing answers for scripts and for people; see output.h. */
#include "output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

/* ---- mistyped words */

enum { LONGEST_WORD = 40 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Damerau and Levenshtein: letters put in, left out, changed, or two neighbours swapped. */
static size_t editDistance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b), rows[3][LONGEST_WORD + 1];
  if (n > LONGEST_WORD || m > LONGEST_WORD) return LONGEST_WORD;
  for (size_t j = 0; j <= m; ++j) rows[0][j] = j;
  for (size_t i = 1; i <= n; ++i) {
    size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= m; ++j) {
      now[j] = least(least(before[j], now[j - 1]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = least(now[j], earlier[j - 2] + 1);
    }
  }
  return rows[n % 3][m];
}

const char *brinkNearestName(const char *word, const char *const *names, size_t count) {
  size_t best = strlen(word) / 3 + 1; /* a third of the letters may be wrong, one in any case */
  const char *nearest = NULL;
  for (size_t i = 0; i < count; ++i) {
    size_t distance = editDistance(word, names[i]);
    if (distance > best || (nearest != NULL && distance == best)) continue;
    best = distance;
    nearest = names[i];
  }
  return nearest;
}

enum { MOST_OPTIONS = 64 };

static const struct argp_option *findOption(const struct argp *parser, const char *name, size_t length) {
  for (const struct argp_option *o = parser->options; o != NULL && (o->name != NULL || o->key != 0); ++o)
    if (o->name != NULL && strncmp(o->name, name, length) == 0) return o;
  return NULL;
}

/* -o OUT: is the next word the value of this one? */
static bool takesNextWord(const struct argp *parser, const char *word) {
  for (const struct argp_option *o = parser->options; o != NULL && (o->name != NULL || o->key != 0); ++o)
    if (o->arg != NULL && o->key > 0 && o->key < 128 && word[strlen(word) - 1] == o->key) return true;
  return false;
}

/* Options may be cut short, as getopt_long has it. */
static bool isArgpOwn(const char *name, size_t length) {
  static const char *const own[] = {"help", "usage", "version"};
  for (size_t i = 0; i < 3; ++i)
    if (strncmp(own[i], name, length) == 0) return true;
  return false;
}

static void refuseOption(const struct argp *parser, const char *program, const char *word, size_t length) {
  const char *names[MOST_OPTIONS] = {"help", "usage", "version"};
  size_t count = 3;
  for (const struct argp_option *o = parser->options; o != NULL && (o->name != NULL || o->key != 0); ++o)
    if (o->name != NULL && count < MOST_OPTIONS) names[count++] = o->name;
  char name[LONGEST_WORD + 1];
  snprintf(name, sizeof name, "%.*s", (int)length, word);
  const char *nearest = brinkNearestName(name, names, count);
  fprintf(stderr, "%s: unknown option '--%s'", program, name);
  if (nearest != NULL) fprintf(stderr, ": did you mean '--%s'?", nearest);
  fprintf(stderr, "\nTry '%s --help' for more information.\n", program);
  exit(BRINK_EXIT_MALFORMED);
}

void brinkParseArguments(const struct argp *parser, int argc, char **argv, unsigned flags, void *input) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
    if (strncmp(argv[i], "--", 2) != 0) {
      if (argv[i][0] == '-' && takesNextWord(parser, argv[i])) ++i;
      continue;
    }
    const char *word = argv[i] + 2;
    size_t length = strcspn(word, "=");
    const struct argp_option *option = findOption(parser, word, length);
    if (option == NULL && !isArgpOwn(word, length)) refuseOption(parser, argv[0], word, length);
    if (option != NULL && option->arg != NULL && word[length] != '=') ++i; /* the next word is its value */
  }
  argp_parse(parser, argc, argv, flags, NULL, input);
}

void brinkParseCommand(int argc, char **argv, const struct argp_option *options, argp_parser_t parse,
                       const char *arguments, const char *documentation, void *input) {
  const struct argp parser = {.options = options, .parser = parse, .args_doc = arguments, .doc = documentation};
  brinkParseArguments(&parser, argc, argv, 0, input);
}

error_t brinkOutput_Parse(brinkForm *form, int key, struct argp_state *state) {
  if (key != OPTION_OUTPUT_CSV && key != OPTION_OUTPUT_JSON) return ARGP_ERR_UNKNOWN;
  brinkForm wanted = key == OPTION_OUTPUT_CSV ? brink_formCsv : brink_formJson;
  if (*form != brink_formAuto && *form != wanted) argp_error(state, "--csv and --json: one of them");
  *form = wanted;
  return 0;
}

error_t brinkOutput_ParseFiles(brinkForm *form, brinkFiles *files, const char *missing, int key,
                               struct argp_state *state) {
  switch (key) {
    case ARGP_KEY_ARGS:
      *files = (brinkFiles){state->argv + state->next, state->argc - state->next};
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "%s", missing);
      return 0;
    default:
      return brinkOutput_Parse(form, key, state);
  }
}

unsigned long long brinkParseCount(struct argp_state *state, const char *option, const char *argument) {
  char *end;
  unsigned long long value = strtoull(argument, &end, 10);
  if (*argument < '0' || *argument > '9' || *end != '\0' || value == 0)
    argp_error(state, "--%s: '%s' is not a number above 0", option, argument);
  return value;
}

double brinkParseLength(struct argp_state *state, const char *option, const char *argument) {
  double value;
  if (!brinkParseNumber(argument, &value) || !(value > 0.0))
    argp_error(state, "--%s: '%s' is not a length greater than 0", option, argument);
  return value;
}

uint32_t brinkParseScheme(struct argp_state *state, const char *argument) {
  static const char *const names[] = {"default", "paper", "axis"}; /* in the order of brinkScheme */
  for (uint32_t i = 0; i < 3; ++i)
    if (strcmp(argument, names[i]) == 0) return i;
  argp_error(state, "--scheme: '%s' is not one of default, paper, axis", argument);
  return brink_schemeDefault;
}

error_t brinkAsked_Parse(brinkAsked *asked, brinkForm *form, int key, char *argument, struct argp_state *state) {
  if (key == OPTION_ASKED_EPS)
    asked->eps = brinkParseLength(state, "eps", argument);
  else if (key == OPTION_ASKED_SCHEME)
    asked->scheme = brinkParseScheme(state, argument);
  else if (key == OPTION_ASKED_BUDGET)
    asked->maxIterations = brinkParseCount(state, "max-iterations", argument);
  else
    return brinkOutput_Parse(form, key, state);
  return 0;
}

/* ---- rows */

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
