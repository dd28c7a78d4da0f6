/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_ORACLE_H
#define BRINK_TESTS_ORACLE_H
/* The project's own slow truth: two moving bodies made of points, segments and triangles; distance by brute force over
 * all simplex pairs, time by sampling with steps that a Lipschitz bound of the distance allows. 80-bit floats, no
 * trees, no iterations that could fail to converge, not a line shared with algorithms/.
 *
 * Motion of each link in its parent's frame: x_parent(t) = position + velocity t + exp(t [spin]) R(rotation) x, as in
 * [CATCH] Sec. 3.2; a body's motion is the product from the root to its last link. Units: m, rad, t in [0,1]. */
#include <stdbool.h>
#include <stddef.h>

typedef struct oracleLink {
  double position[3], rotation[4] /* w x y z, any length but 0 */, velocity[3], spin[3];
} oracleLink;

typedef struct oracleBody {
  const oracleLink *chain; /* [linkCount], root first; linkCount = 0: the body rests in the world */
  int linkCount;
  const double *vertices; /* [vertexCount][3], frame of the last link */
  int vertexCount;
  const unsigned *simplices; /* [simplexCount][3]; repeated indices make segments and points */
  int simplexCount;
  bool solid;    /* the simplices close a volume: what lies inside touches */
  double radius; /* everything is swept by a sphere of this radius */
} oracleBody;

/* Place of a point of the body's last frame in the world. */
void oraclePlace(const oracleBody *body, long double t, const double point[3], long double world[3]);

/* Distance of the two bodies at t; 0 when they cross or one solid holds the other. */
long double oracleDistance(const oracleBody *a, const oracleBody *b, long double t);

/* No point of the body moves faster than this, and so no distance changes faster than the sum of two. */
long double oracleSpeed(const oracleBody *body);

typedef enum oracleVerdict { oracle_free, oracle_contact, oracle_undecided } oracleVerdict;

/* Does the distance stay above `margin` on [t0,t1]? free: proven (up to the rounding of 80-bit floats); contact: *t is
 * a time with distance <= margin, and everything before *t minus one refused step is free; undecided: more than
 * `budget` distance evaluations would be needed, *t = free so far. *smallest: smallest distance met. */
oracleVerdict oracleFree(const oracleBody *a, const oracleBody *b, long double t0, long double t1, long double margin,
                         int budget, long double *t, long double *smallest);

#endif
