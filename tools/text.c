/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the project's text formats word by word, each with its line, whatever the locale says about decimal points.
 * The whole file is in memory; words are cut out in place. */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static bool readAll(brinkText *text, FILE *file) {
  size_t capacity = 0;
  for (;;) {
    if (text->size + 1 >= capacity) {
      capacity = capacity == 0 ? 65536 : capacity * 2;
      char *larger = realloc(text->data, capacity);
      if (larger == NULL) {
        errno = ENOMEM;
        return false;
      }
      text->data = larger;
    }
    size_t got = fread(text->data + text->size, 1, capacity - text->size - 1, file);
    text->size += got;
    if (got > 0) continue;
    text->data[text->size] = '\0';
    return !ferror(file);
  }
}

bool brinkText_Open(brinkText *text, const char *path) {
  *text = (brinkText){.path = path, .line = 1, .wordLine = 1};
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  bool good = file != NULL && readAll(text, file);
  if (!good) fprintf(stderr, "brink: %s: %s\n", path, strerror(errno));
  if (file != NULL && file != stdin) fclose(file);
  if (!good) brinkText_Close(text);
  return good;
}

void brinkText_Close(brinkText *text) {
  free(text->data);
  text->data = NULL;
  text->size = text->at = 0;
}

static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

static void skipComment(brinkText *text) {
  while (text->at < text->size && text->data[text->at] != '\n') ++text->at;
}

const char *brinkText_Word(brinkText *text) {
  if (text->failed) return NULL;
  while (text->at < text->size && (isBlank(text->data[text->at]) || text->data[text->at] == '#')) {
    if (text->data[text->at] == '#') {
      skipComment(text);
    } else if (text->data[text->at++] == '\n') {
      ++text->line;
    }
  }
  text->wordLine = text->line;
  if (text->at >= text->size) return NULL;
  const char *word = text->data + text->at;
  while (text->at < text->size && !isBlank(text->data[text->at]) && text->data[text->at] != '#') {
    if (text->data[text->at] == '\0') {
      brinkText_Fail(text, "a NUL byte: not a text file");
      return NULL;
    }
    ++text->at;
  }
  char *end = text->data + text->at;
  if (text->at < text->size) {
    if (*end == '#') {
      skipComment(text);  // leaves the newline for the next word
    } else {
      if (*end == '\n') ++text->line;
      ++text->at;
    }
  }
  *end = '\0';
  return word;
}

double brinkText_Fraction(const brinkText *text) {
  return text->size > 0 ? (double)text->at / (double)text->size : 1.0;
}

bool brinkText_MoreOnLine(brinkText *text) {
  if (text->line != text->wordLine) return false;  // the newline went with the last word
  size_t at = text->at;
  while (at < text->size && isBlank(text->data[at]) && text->data[at] != '\n') ++at;
  return at < text->size && text->data[at] != '\n' && text->data[at] != '#';
}

bool brinkText_Fail(brinkText *text, const char *format, ...) {
  if (text->failed) return false;
  text->failed = true;
  fflush(stdout);
  fprintf(stderr, "%s:%lu: ", text->path, text->wordLine);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return false;
}

/* strtod reads 0x1p3 too. */
static bool isHexadecimal(const char *word) { return strpbrk(word, "xX") != NULL; }

bool brinkParseNumber(const char *word, double *out) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (plain == (locale_t)0) return false;
  char *end;
  *out = strtod_l(word, &end, plain);
  freelocale(plain);
  return end != word && *end == '\0' && isfinite(*out) && !isHexadecimal(word);
}

/* "1e400" is legal to strtod and infinite: refused, as "nan" and "inf" are. */
bool brinkText_Number(brinkText *text, const char *what, double *out) {
  const char *word = brinkText_Word(text);
  if (word == NULL) return brinkText_Fail(text, "%s is missing: the file ends here", what);
  char *end;
  *out = strtod(word, &end);  // the program never leaves the C locale (main.c)
  if (end == word || *end != '\0') return brinkText_Fail(text, "%s: '%.40s' is not a number", what, word);
  if (isHexadecimal(word)) return brinkText_Fail(text, "%s: '%.40s' is not decimal", what, word);
  if (!isfinite(*out)) return brinkText_Fail(text, "%s: '%.40s' is not finite", what, word);
  return true;
}

bool brinkText_Numbers(brinkText *text, const char *what, double *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!brinkText_Number(text, what, &out[i])) return false;
  return true;
}

bool brinkText_Integer(brinkText *text, const char *what, long long low, long long high, long long *out) {
  const char *word = brinkText_Word(text);
  if (word == NULL) return brinkText_Fail(text, "%s is missing: the file ends here", what);
  char *end;
  errno = 0;
  *out = strtoll(word, &end, 10);
  if (end == word || *end != '\0') return brinkText_Fail(text, "%s: '%.40s' is not a whole number", what, word);
  if (errno == ERANGE || *out < low || *out > high)
    return brinkText_Fail(text, "%s: %.40s is not between %lld and %lld", what, word, low, high);
  return true;
}

bool brinkText_Count(brinkText *text, const char *what, size_t low, size_t bytesEach, size_t *out) {
  long long value = 0;
  if (!brinkText_Integer(text, what, (long long)low, INT32_MAX, &value)) return false;
  if ((size_t)value > (text->size - text->at) / bytesEach + 1)
    return brinkText_Fail(text, "%s: %lld do not fit into the rest of the file", what, value);
  *out = (size_t)value;
  return true;
}

bool brinkText_Expect(brinkText *text, const char *word) {
  const char *got = brinkText_Word(text);
  if (got == NULL) return brinkText_Fail(text, "'%s' is missing: the file ends here", word);
  if (strcmp(got, word) != 0) return brinkText_Fail(text, "'%s' expected, not '%.40s'", word, got);
  return true;
}
