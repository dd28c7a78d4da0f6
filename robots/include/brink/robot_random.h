/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ROBOT_RANDOM_H
#define BRINK_ROBOT_RANDOM_H
/* Random configurations and edges: splitmix64, so that a seed means the same ones on every machine. state: the seed,
 * moved on by every call. [any] */
#include <stdint.h>

static inline uint64_t brinkRandomBits(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* In [low, high). */
static inline double brinkRandomBetween(uint64_t *state, double low, double high) {
  return low +
         (high - low) * (double)(brinkRandomBits(state) >> 11) / 9007199254740992.0; /* 2^53; C++11 has no 0x1p-53 */
}

#endif
