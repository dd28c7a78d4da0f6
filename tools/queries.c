/* SPDX-License-Identifier: BSD-3-Clause */
/* Public continuous collision queries as comma-separated files (Wang et al., "A large-scale benchmark and an
 * inclusion-based algorithm for continuous collision detection", 2021): eight rows per query, x y z of one vertex each
 * as pairs of integers, numerator and denominator, then 1 when the query has a collision (not used here). The first
 * four rows are the vertices at the start, the others the same at the end: vertex and triangle, or two edges. All
 * numbers are doubles exactly; one that is not is refused, not rounded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* An integer in decimal digits that a double holds exactly: reading it and writing it again must give the same digits.
 */
static bool exactInteger(brinkText *text, const char *digits, size_t length, double *out) {
  char copy[400], again[400];
  if (length == 0 || length >= sizeof copy) return brinkText_Fail(text, "an integer of %zu digits", length);
  memcpy(copy, digits, length);
  copy[length] = '\0';
  if (strspn(copy + (copy[0] == '-'), "0123456789") != length - (copy[0] == '-') || copy[length - 1] == '-')
    return brinkText_Fail(text, "'%.40s' is not an integer", copy);
  *out = strtod(copy, NULL);
  snprintf(again, sizeof again, "%.0f", *out);
  const char *plain = copy[0] == '-' && strcmp(copy + 1, "0") == 0 ? "-0" : copy;
  if (strcmp(plain, again) != 0) return brinkText_Fail(text, "%.40s... is not exactly a double", copy);
  return true;
}

/* Cuts the next field off the row. */
static bool nextInteger(brinkText *text, const char **row, double *out) {
  size_t length = strcspn(*row, ",");
  if (!exactInteger(text, *row, length, out)) return false;
  *row += length;
  if (**row == ',') ++*row;
  return true;
}

static bool rational(brinkText *text, const char **row, double *out) {
  double over, under;
  if (!nextInteger(text, row, &over) || !nextInteger(text, row, &under)) return false;
  int exponent;
  if (!(under > 0.0) || frexp(under, &exponent) != 0.5)
    return brinkText_Fail(text, "denominator %.17g: a power of two is needed for an exact double", under);
  *out = over / under;
  if (*out * under != over || (*out != 0.0 && fabs(*out) < 0x1p-1000) || !isfinite(*out))
    return brinkText_Fail(text, "%.17g / %.17g is not exactly a double", over, under);
  return true;
}

bool brinkQuery_Read(brinkText *text, double vertices[8][3]) {
  for (int i = 0; i < 8; ++i) {
    const char *row = brinkText_Word(text);
    if (row == NULL) return i > 0 && !text->failed ? brinkText_Fail(text, "%d rows of a query's 8", i) : false;
    for (int k = 0; k < 3; ++k)
      if (!rational(text, &row, &vertices[i][k])) return false;
    double truth = 0.0;
    if (!nextInteger(text, &row, &truth)) return false;
    if (*row != '\0' || (truth != 0.0 && truth != 1.0))
      return brinkText_Fail(text, "7 numbers a row: x y z as numerator and denominator, then 0 or 1");
  }
  return true;
}
