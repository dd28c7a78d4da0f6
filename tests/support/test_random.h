/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H
/* Random numbers of the tests' own, the same on every machine. state: the seed, moved on by every call. Uniform ones
 * lie in [low, high), 53 bits of each. */
#include <stdint.h>

/* 53 of 64 random bits. */
static inline double bitsBetween(uint64_t bits, double low, double high) {
  return low + (high - low) * ((double)(bits >> 11) * 0x1p-53);
}

/* splitmix64: the one to take. Any seed is good. */
static inline uint64_t splitBits(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static inline double splitUniform(uint64_t *state, double low, double high) {
  return bitsBetween(splitBits(state), low, high);
}

/* The same by a struct. */
typedef struct testRandom {
  uint64_t state;
} testRandom;

/* A linear congruence, and xorshift64* (its seed is not 0): older tests keep their numbers. */
static inline double linearUniform(uint64_t *state, double low, double high) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return bitsBetween(*state, low, high);
}
static inline double shiftUniform(uint64_t *state, double low, double high) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return bitsBetween(*state * 2685821657736338717ull, low, high);
}

#endif
