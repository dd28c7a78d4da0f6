/* SPDX-License-Identifier: BSD-3-Clause */
/* How `brink verify` reads numbers, by a way of its own: the nearest double of every decimal text, and of no other
 * text. The checker's source stands here as it is: what it reads is seen by none of its answers. */
#define _GNU_SOURCE

#include "../../tools/verify.c"
/* behind it: its words are the checker's own */
#include "cases.h"

void brinkVerify_Tell(const char *path, const char *state, const brinkVerdict *verdict) {
  (void)path, (void)state, (void)verdict;
}

static uint64_t bits = 1;
static uint64_t draw(void) {
  bits = bits * 6364136223846793005u + 1442695040888963407u;
  return bits ^ (bits >> 29);
}

static void mustBeNearest(const char *word) {
  double x = decimal(word), y = strtod(word, NULL);
  if (memcmp(&x, &y, sizeof x) != 0) fail_msg("'%s' is read as %.17g, not %.17g", word, x, y);
}

CASE(numbers_are_read_as_the_nearest_double) {
  static const char *const plain[] = {"0",
                                      "-0",
                                      "+1",
                                      "1.",
                                      ".5",
                                      "-.25",
                                      "00012.50",
                                      "1e3",
                                      "1E-3",
                                      "0e9",
                                      "1.5e+2",
                                      "99999999999999999",
                                      "0.0000000000000000001",
                                      "9007199254740993",
                                      "9007199254740992.5",
                                      "0.12345678901234567",
                                      "1e-320",
                                      "4503599627370497.5",
                                      "1e60"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) mustBeNearest(plain[i]);
  for (int i = 0; i < 400000; ++i) {
    char word[64];
    uint64_t z = draw(), digits = z % 100000000000000000u;
    if (z & 64u) digits %= (uint64_t)pow(10.0, (double)(draw() % 17 + 1));
    int decimals = (int)(draw() % 21),
        length = snprintf(word, sizeof word, "%s%0*llu", z & 1u ? "-" : "", decimals + 1, (unsigned long long)digits);
    memmove(word + length - decimals + 1, word + length - decimals, (size_t)decimals + 1);
    word[length - decimals] = '.';
    mustBeNearest(word);
    /* doubles as they are written, and halfway between two of them: ties */
    double x = (double)(int64_t)draw() * 0x1p-63 * (double)(1 << draw() % 8);
    snprintf(word, sizeof word, "%.*g", (int)(draw() % 17 + 1), x);
    mustBeNearest(word);
    snprintf(word, sizeof word, "%llu.5", (unsigned long long)(4503599627370496u + draw() % 4503599627370496u));
    mustBeNearest(word);
  }
}

CASE(what_is_no_decimal_number_is_infinite) {
  static const char *const words[] = {"",
                                      "-",
                                      ".",
                                      "1e",
                                      "1e+",
                                      "1.2.3",
                                      "0x10",
                                      "nan",
                                      "inf",
                                      "1 ",
                                      "1,5",
                                      "--1",
                                      "1e5.",
                                      "1f",
                                      "e5",
                                      "123456789012345678",
                                      "0.123456789012345678",
                                      "12345678901234567.0"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (decimal(words[i]) != HUGE_VAL) fail_msg("'%s' is read as %g", words[i], decimal(words[i]));
}

int main(void) { return cases_Run(NULL, NULL); }
