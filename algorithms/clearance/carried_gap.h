/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CARRIED_GAP_H
#define BRINK_CARRIED_GAP_H
/* How far apart do two pieces with vertices stay over a window of time, along a direction that may turn? Each vertex is
 * followed on its own: its place along the direction is a cubic in time with a proven remainder. So what slides past
 * the other piece, as threads of a screw do, hides nothing but its third order. A bound of all accelerations hides the
 * second.
 *
 * Based on: Taylor models of the motions ([CATCH] Sec. 5.1); the rest OWN (docs/theory.md, "Clearance"). tau in [-1,1]
 * is the window. Units: m, pair frame. */
#include "motion_tree.h"
#include "shape.h"

#define BRINK_CARRIED_TERMS 4

/* Shape frame -> pair frame minus a centre: at every tau of the window the sum of tau^k entry[i][j][k] (j = 3: the
 * place), but for a matrix of norm turnError and a vector of length placeError at most; what rounding does to places
 * along a direction is counted in. INFINITY: nothing is known. */
typedef struct brinkCarried {
  double entry[3][4][BRINK_CARRIED_TERMS];
  double turnError, placeError;
} brinkCarried;

/* links[count]: from the pair's frame down to the link, each the parent of the next, of which the first has none.
 * models: room for as many. */
void brinkCarried_Make(const brinkLinkMotion *links, int32_t count, const brinkRigid *local, brinkVec3 centre,
                       double t0, double t1, brinkTaylorRigid *models, brinkCarried *out);
/* Nearly the pose at tau: to propose directions. */
brinkRigid brinkCarried_Near(const brinkCarried *carry, double tau);

/* Is this a piece that can be followed? */
bool brinkCarried_Serves(const brinkPiece *piece);
/* Proven lower bound of the distance all over the window, radii off; negative: nothing is proven. n0, n1: units, from A
 * to B; the direction turns along their chord from one end of the window to the other.
 * From `enough` on it need not be the best. *tau: about when the pieces come nearest along n. */
double brinkCarriedGap(const brinkPiece *a, const brinkCarried *carryA, const brinkPiece *b, const brinkCarried *carryB,
                       brinkVec3 n0, brinkVec3 n1, double enough, double *tau);

/* ---- of one instruction set; the same bits */
/* Least value over [-1,1], or something below it, of the cubics row[0] p.x + row[1] p.y + row[2] p.z + row[3] of all
 * points (largest_product.h's columns, at most BRINK_MOST_COLUMNS); *index: whose it is. */
double brinkLeastOfCubics_Base(const double *columns, uint32_t count, const double row[4][BRINK_CARRIED_TERMS],
                               uint32_t *index);
double brinkLeastOfCubics_Avx2(const double *columns, uint32_t count, const double row[4][BRINK_CARRIED_TERMS],
                               uint32_t *index);

#endif
