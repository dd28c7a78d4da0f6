/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_POINT_CONTACTS_H
#define BRINK_POINT_CONTACTS_H
/* When is a point of B inside a body A (or, if A is an open surface, when does it cross A)? All times, from the point's
 * inverted trajectory N(t) x against the unmoved A: set membership classification of a curve, in / out / crossing,
 * every piece proven. And of one triangle of B: when does it first and last touch A.
 *
 * A is a mesh, or an implicit solid F <= 0 that is known by bounds of F over boxes.
 *
 * Based on: [INV] 2.2 eqs (6)-(8), 2.4; theory D5.1, D5.2, D5.4. Nothing is allocated while asking: any number of
 * threads may ask at once. Units: m; step time. */
#include "implicit_solid.h"

typedef struct brinkInverseTarget { /* one of the two */
  const brinkInverseMesh *mesh;
  const brinkImplicitSolid *implicit;
} brinkInverseTarget;

/* Cells of the motion that all points share: a binary tree over each stretch between two breaks. */
typedef struct brinkMotionTable {
  brinkRelativeMotion motion;
  brinkMotionCell *cells; /* [stretches][2^(depth+1) - 1], heaps */
  size_t stretches;
  uint32_t depth;
} brinkMotionTable;

brinkStatus brinkMotionTable_Make(brinkContext *context, const brinkRelativeMotion *motion, double tStart, double tEnd,
                                  brinkMotionTable *out);
void brinkMotionTable_Free(brinkContext *context, brinkMotionTable *table);

typedef struct brinkPointQuery {
  double timeTolerance; /* > 0 */
  uint32_t maxCells;    /* a point; 0 = 20000. Beyond it the rest of the time is open */
  double errorB;        /* the point is known up to this, m: what is told holds for all points that near */
} brinkPointQuery;

/* Intervals of point x of B in (or crossings of) A, in order of time; first and last name A's triangle (implicit: 0).
 * Returns how many there are; only `capacity` are written. Crossings of an open surface: begin and end are one bracket.
 */
size_t brinkPointContacts(const brinkInverseTarget *a, const brinkMotionTable *table, const double x[3],
                          const brinkPointQuery *query, brinkContactInterval *out, size_t capacity);
/* The same; *cells: pieces of the path that were looked at. */
size_t brinkFollowPoint(const brinkInverseTarget *a, const brinkMotionTable *table, const double x[3],
                        const brinkPointQuery *query, brinkContactInterval *out, size_t capacity, uint32_t *cells);

/* ---- all points near one at once */

typedef struct brinkBallQuery {
  double radius;    /* m, in B's frame */
  double from, to;  /* it is known to be out before and after */
  double spread;    /* > 0: how long the brackets of entry and exit may be */
  double tolerance; /* > 0: pieces of the path as short stay open */
  uint32_t maxCells;
  bool onlyOut; /* in is not asked for */
  bool last;    /* exitUpper is asked for of what is neither out nor in; else that is the end of time */
} brinkBallQuery;

typedef struct brinkBallContact {
  bool out; /* proven: no point of the ball meets A */
  bool in;  /* proven: all its points are in A at some time (open A: cross it), each first between entryLower and
               entryUpper and last between exitLower and exitUpper, brackets no longer than the spread */
  /* not out: none meets A before entryLower or after exitUpper */
  double entryLower, entryUpper, exitLower, exitUpper;
} brinkBallContact;

/* The ball about x of B. *cells: pieces of the path that were looked at. */
void brinkFollowBall(const brinkInverseTarget *a, const brinkMotionTable *table, const double x[3],
                     const brinkBallQuery *query, brinkBallContact *out, uint32_t *cells);

typedef struct brinkFaceContact {
  uint32_t state; /* brinkCellState: apart = proven never; contact = proven; open = only touching within rounding */
  double entryLower,
      entryUpper; /* contact or open: first touch is in here; entryUpper: proven contact (open: end of doubt) */
  double exitLower, exitUpper; /* and the last */
} brinkFaceContact;

/* Triangle of B (pair.rootB: its leaf) against A; the table is of the pair's motion. */
void brinkFaceContacts(const brinkMeshPair *pair, const brinkMotionTable *table, double timeTolerance,
                       brinkFaceContact *out);

/* Triangle of B (pair.rootB: its leaf) against an implicit A. */
void brinkImplicitFaceContacts(const brinkImplicitPair *pair, const brinkMotionTable *table, double timeTolerance,
                               brinkFaceContact *out);

/* Node of the tree whose only triangle it is: leaves[triangleCount]. */
void brinkListLeaves(const brinkInverseMesh *mesh, uint32_t *leaves);

#endif
