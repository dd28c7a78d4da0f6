/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_IMPLICIT_SOLID_H
#define BRINK_IMPLICIT_SOLID_H
/* Solids {F <= 0} that are known by bounds of F over boxes, as whole bodies: against a moving mesh and against another
 * moving one. Over a cell of time: apart during the WHOLE cell, in contact during the WHOLE cell, or neither proven.
 *
 * Apart: the pieces into which the other body is cut, each moved through the cell, all have F > 0 (two implicit solids:
 * no point of a piece has both F <= 0, shown by a combination of both). Contact: one point of B stays in A during the
 * cell. With bounds of the gradient too, F over a piece is known by its mean value form, whose excess shrinks with the
 * square of the piece: ends then come as close as the time tolerance. Without, a smooth contact is resolved to about a
 * ten-thousandth of the time, which the brackets say.
 *
 * Based on: [INV] 2.2, 2.4 (implicit representations); mean value form: Moore 1966; best-first bisection. Generalised
 * gradients (max, min of smooth functions): Lebourg's mean value theorem. Read only: any number of threads. Units: m;
 * step time. */
#include "contact_intervals.h"

/* Bounds of F over the box [low, high]: out[0] <= F <= out[1], rounding included. Pure, any thread. */
typedef void (*brinkImplicitBound)(void *user, const double low[3], const double high[3], double out[2]);
/* Bounds of F's partial derivatives over the box, wherever F is differentiable: out[k][0] <= dF/dx_k <= out[k][1]. F is
 * Lipschitz on it. Pure, any thread. */
typedef void (*brinkImplicitGradient)(void *user, const double low[3], const double high[3], double out[3][2]);

/* The solid {F <= 0}, all of it inside `box`. */
typedef struct brinkImplicitSolid {
  brinkImplicitBound bound;
  void *user;
  brinkAabb box;
  brinkImplicitGradient gradient; /* NULL: not known */
} brinkImplicitSolid;

/* Largest |coordinates| of the box. */
void brinkImplicitSolid_Reach(const brinkImplicitSolid *solid, double out[3]);
/* out[0] <= F <= out[1] over the convex hull of spots[count], each known within slack by coordinate; both HUGE_VAL when
 * all of it is outside the box. */
void brinkImplicitSolid_Over(const brinkImplicitSolid *solid, const double (*spots)[3], size_t count,
                             const double slack[3], double out[2]);

/* B moves by `motion` in A's frame; B is one of the two. */
typedef struct brinkImplicitPair {
  const brinkImplicitSolid *a;
  const brinkInverseMesh *meshB;
  const brinkImplicitSolid *solidB;
  brinkRelativeMotion motion;
  uint32_t rootB; /* node of meshB's tree: 0 = all of it; a leaf = one triangle */
} brinkImplicitPair;

/* Does B's surface (two implicit solids: B) meet A? memory->triangleB: a triangle in doubt. brink_cellVain: open, and
 * work ended. */
brinkCellState brinkImplicitPair_Classify(const brinkImplicitPair *pair, const brinkMotionCell *cell,
                                          brinkCellMemory *memory);
/* All intervals of contact, A inside a solid mesh B included. first and last name B's triangle. */
brinkStatus brinkFindImplicitContacts(brinkContext *context, const brinkImplicitPair *pair,
                                      const brinkIntervalQuery *query, brinkIntervalSet *set);

#endif
