/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SUBSET_SOLID_H
#define BRINK_SUBSET_SOLID_H
/* The solid that meets the other body, made of tetrahedra between points of it that do. The paper cuts the points into
 * convex subsets first; here a tetrahedron stays only if its centre lies in the body and meets the other one, both
 * proven. So neither a hollow of the body nor what goes past it is filled in. An estimate: between its points nothing
 * is asked.
 *
 * Based on: [INV] 2.3, section 3 (Delaunay triangulations of interfering subsets). Units: m. */
#include "interfering_subsets.h"
#include "tetrahedra.h"

/* points: [count][3] of B, in its frame, that meet A. B is closed; the table is of B's motion in A's frame. Keeps those
 * of all tetrahedra that stay; *asked: how many centres were followed. */
brinkStatus brinkMakeSubsetSolid(brinkContext *context, const brinkInverseTarget *a, const brinkInverseMesh *b,
                                 const brinkMotionTable *table, const double *points, size_t count,
                                 const brinkPointQuery *query, const brinkParallel *parallel, brinkTetrahedra *out,
                                 size_t *asked);

#endif
