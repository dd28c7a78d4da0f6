/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading options by a table; what a mistyped word may have meant. See options.h. */
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- rows */

enum { OWN_KEYS = 0x20000 }; /* above: the key of a row that has none of its own is its place */

typedef struct reading {
  const brinkCommand *command;
  void *options;
} reading;

static bool isEnd(const brinkOption *row) { return row->name == NULL && row->set == brink_setOwn; }

static int keyOf(const brinkOption *rows, const brinkOption *row) {
  return row->key != 0 ? row->key : OWN_KEYS + (int)(row - rows);
}

static long long readWhole(const brinkOption *row, const char *argument, struct argp_state *state) {
  char *end;
  errno = 0;
  long long value = strtoll(argument, &end, 10);
  bool whole = *argument >= '0' && *argument <= '9' && *end == '\0' && errno == 0;
  if (whole && value >= row->low && value <= row->high) return value;
  if (row->high < INT64_MAX)
    argp_error(state, "--%s: '%s' is not a whole number from %lld to %lld", row->name, argument, row->low, row->high);
  else
    argp_error(state, "--%s: '%s' is not a whole number of at least %lld", row->name, argument, row->low);
  return row->low;
}

static double readLength(const brinkOption *row, const char *argument, struct argp_state *state) {
  double value;
  if (!brinkParseNumber(argument, &value) || !(value > 0.0))
    argp_error(state, "--%s: '%s' is not a number greater than 0", row->name, argument);
  return value;
}

static uint32_t readScheme(const char *argument, struct argp_state *state) {
  static const char *const names[] = {"default", "paper", "axis"}; /* in the order of brinkScheme */
  for (uint32_t i = 0; i < 3; ++i)
    if (strcmp(argument, names[i]) == 0) return i;
  argp_error(state, "--scheme: '%s' is not one of default, paper, axis", argument);
  return brink_schemeDefault;
}

void brinkSetForm(brinkForm *form, brinkForm wanted, struct argp_state *state) {
  if (*form != brink_formAuto && *form != wanted) argp_error(state, "--csv and --json: one of them");
  *form = wanted;
}

static void setField(const brinkOption *row, char *argument, struct argp_state *state, void *options) {
  void *field = (char *)options + row->at;
  switch (row->set) {
    case brink_setFlag:
      *(bool *)field = true;
      break;
    case brink_setBits:
      *(uint32_t *)field |= (uint32_t)row->low;
      break;
    case brink_setValue:
      *(uint32_t *)field = (uint32_t)row->low;
      break;
    case brink_setText:
      *(const char **)field = argument;
      break;
    case brink_setLength:
      *(double *)field = readLength(row, argument, state);
      break;
    case brink_setInt:
      *(int *)field = (int)readWhole(row, argument, state);
      break;
    case brink_setLong:
      *(long *)field = (long)readWhole(row, argument, state);
      break;
    case brink_setCount:
      *(uint64_t *)field = (uint64_t)readWhole(row, argument, state);
      break;
    case brink_setScheme:
      *(uint32_t *)field = readScheme(argument, state);
      break;
    case brink_setCsv:
      brinkSetForm(field, brink_formCsv, state);
      break;
    case brink_setJson:
      brinkSetForm(field, brink_formJson, state);
      break;
    default:
      break;
  }
}

/* The words that are no options, where the table wants them. */
static error_t setWords(const brinkOption *row, int key, char *argument, struct argp_state *state, void *options) {
  void *field = (char *)options + row->at;
  if (key == ARGP_KEY_NO_ARGS && row->help != NULL) argp_error(state, "%s", row->help);
  if (row->set == brink_setFiles) {
    if (key != ARGP_KEY_ARGS) return ARGP_ERR_UNKNOWN;
    *(brinkFiles *)field = (brinkFiles){state->argv + state->next, state->argc - state->next};
    return 0;
  }
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  if (state->arg_num > 0) argp_error(state, "one file at a time, not '%s' too", argument);
  *(const char **)field = argument;
  return 0;
}

static error_t readOption(int key, char *argument, struct argp_state *state) {
  reading *self = state->input;
  const brinkOption *rows = self->command->options;
  error_t result = ARGP_ERR_UNKNOWN;
  for (const brinkOption *row = rows; !isEnd(row); ++row) {
    if (row->name == NULL) {
      result = setWords(row, key, argument, state, self->options);
      if (result == 0) return 0;
    } else if (keyOf(rows, row) == key && row->set != brink_setOwn) {
      setField(row, argument, state, self->options);
      return 0;
    }
  }
  if (self->command->own == NULL) return result;
  state->input = self->options;
  result = self->command->own(key, argument, state);
  state->input = self;
  return result;
}

void brinkReadOptions(int argc, char **argv, const brinkCommand *command, void *options) {
  struct argp_option list[MOST_OPTIONS + 1] = {{0}};
  size_t count = 0;
  for (const brinkOption *row = command->options; !isEnd(row) && count < MOST_OPTIONS; ++row) {
    if (row->name == NULL) continue;
    bool form = row->set == brink_setCsv || row->set == brink_setJson;
    list[count++] = (struct argp_option){.name = row->name,
                                         .key = keyOf(command->options, row),
                                         .arg = row->argument,
                                         .flags = row->help == NULL ? OPTION_HIDDEN : 0,
                                         .doc = row->help,
                                         .group = form ? 90 : 0}; /* at the end of --help */
  }
  const struct argp parser = {
      .options = list, .parser = readOption, .args_doc = command->arguments, .doc = command->documentation};
  reading self = {command, options};
  brinkParseArguments(&parser, argc, argv, 0, &self);
}

int brinkRunCommand(int argc, char **argv, const brinkCommand *command) {
  void *options = calloc(1, command->size);
  if (options == NULL) return BRINK_EXIT_FAILURE;
  if (command->defaults != NULL) memcpy(options, command->defaults, command->size);
  brinkReadOptions(argc, argv, command, options);
  int status = command->run(options);
  free(options);
  return status;
}

int brinkFiles_Each(const brinkFiles *files, int (*one)(void *user, const char *path), void *user) {
  int worst = BRINK_EXIT_OK;
  for (int i = 0; i < files->count; ++i) {
    int status = one(user, files->names[i]);
    if (status > worst) worst = status;
  }
  return worst;
}
