/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TOUCHING_PAIR_H
#define BRINK_TOUCHING_PAIR_H
/* Two triangles (segments, points) over a cell of time that are neither proven apart nor in contact all the time: do
 * they stay within a given distance of each other during the WHOLE cell? Do they meet at SOME time of it? What slides
 * at distance 0, and what only passes through (a point through a triangle, a segment past a segment), is answered here.
 *
 * Based on: OWN; witnesses that move bilinearly, signs of polynomials in Bernstein form: theory 15. Units: m. Read
 * only: any number of threads. */
#include "base.h"
#include "linear.h"

/* Every corner of A is at a0 at the beginning and at a1 at the end, B's at b0 and b1, and in between on the straight
 * line (differences of A's and B's corners: within slack, by coordinate). Repeated corners make segments and points. */
typedef struct brinkTrianglePair {
  double a0[3][3], a1[3][3], b0[3][3], b1[3][3];
  bool moves; /* false: a1 is a0 */
} brinkTrianglePair;

/* Are they proven to be within `distance` of each other during the whole cell? */
bool brinkTrianglePair_StaysNear(const brinkTrianglePair *pair, const double slack[3], double distance);
/* Does the chord of B between the points with barycentric coordinates ends[0], ends[1] pierce A during the whole cell:
 * proven? */
bool brinkTrianglePair_Pierces(const brinkTrianglePair *pair, const double slack[3], const double ends[2][3]);
/* Is it proven that they meet at some time of the cell? cornersA, cornersB: indices of the distinct corners. */
bool brinkTrianglePair_Crosses(const brinkTrianglePair *pair, const double slack[3], const int cornersA[3], int countA,
                               const int cornersB[3], int countB);

#endif
