/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BOUNDS_H
#define BRINK_BOUNDS_H
/* Bounds of points, made once per shape or node: a small ball and a tight box around them; the ball inside a convex
 * body. Units: m. */
#include "shape.h"

/* Small ball around the points: centre by Badoiu and Clarkson's walk from `start`, or `start` itself when better. */
double brinkMakeBall(const double *points, const uint32_t *ids, uint32_t count, brinkVec3 start, brinkVec3 *center);
/* Tight oriented box, proven to contain the points (rounded outward, axes taken as stored): the least surface area
 * among body axes, principal axes (area-weighted over the triangles if any), those turned about the thinnest of them in
 * steps of 15 degrees, and for up to 12 triangles each triangle's normal with each edge. triangleIds NULL = all. */
brinkObb brinkMakeTightBox(const double *points, const uint32_t *ids, uint32_t count, const uint32_t *triangles,
                           const uint32_t *triangleIds, uint32_t triangleCount);
/* A ball inside a convex body: centre and radius; radius 0: none found (flat). Based on: a walk away from the nearest
 * face, each step shorter than the ball's radius, so that the centre never leaves the body. */
void brinkFindInnerBall(const double *vertices, size_t vertexCount, const uint32_t *faces, size_t faceCount,
                        brinkVec3 *center, double *radius);

#endif
