/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_PIECE_SUPPORT_H
#define BRINK_TESTS_PIECE_SUPPORT_H
/* For tests of single convex pieces (gjk, epa): seeded random numbers and poses, pieces, a check that prints the seed.
 */
#include <stdio.h>

#include "cases.h"
#include "test_random.h"
#include "epa.h"
#include "rounding_modes.h"

/* ---- random numbers: splitmix64, seed printed on failure */

typedef struct dice {
  uint64_t seed, state;
} dice;

static inline uint64_t roll(dice *d) { return splitBits(&d->state); }
static inline double uniform(dice *d, double lo, double hi) { return splitUniform(&d->state, lo, hi); }
static inline brinkVec3 inCube(dice *d, double r) {
  return brinkV3(uniform(d, -r, r), uniform(d, -r, r), uniform(d, -r, r));
}
static inline brinkRigid randomPose(dice *d, double r) {
  brinkQuat q = {uniform(d, -1, 1), uniform(d, -1, 1), uniform(d, -1, 1), uniform(d, -1, 1)};
  brinkNormalizeQuat(&q);
  return (brinkRigid){brinkMat3_FromQuat(q), inCube(d, r)};
}

#define CHECK(condition, d, ...)                                                     \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "seed %llu: %s: ", (unsigned long long)(d)->seed, #condition); \
      fprintf(stderr, __VA_ARGS__);                                                  \
      fprintf(stderr, "\n");                                                         \
      fail();                                                                        \
    }                                                                                \
  } while (0)

static const brinkGjkLimits accurate = {1e-12, 0.0, INFINITY, -1.0, 0};

/* ---- pieces */

static inline brinkPiece boxPiece(brinkVec3 half) {
  brinkPiece p = {.kind = brink_pieceBox, .half = half};
  p.boundRadius = brinkLength(half) * (1.0 + 1e-15);
  return p;
}
static inline brinkPiece cylinderPiece(double radius, double halfLength) {
  brinkPiece p = {.kind = brink_pieceCylinder, .half = {radius, 0.0, halfLength}};
  p.boundRadius = sqrt(radius * radius + halfLength * halfLength) * (1.0 + 1e-15);
  return p;
}
static inline brinkPiece halfSpacePiece(brinkVec3 normal, double offset) {
  return (brinkPiece){.kind = brink_pieceHalfSpace, .normal = normal, .offset = offset, .boundRadius = INFINITY};
}
static inline brinkRigid at(double x, double y, double z) { return (brinkRigid){brinkIdentity3(), {x, y, z}}; }

#endif
