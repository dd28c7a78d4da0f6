/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INNER_CORE_H
#define BRINK_INNER_CORE_H
/* What of a convex shape lies at least `inset` below its boundary? Everything within `inset` of the core belongs to the
 * shape: while the core stays off a surface, the shape is on its side of it and has sunk into it by about `inset` at
 * most. Spheres, capsules, boxes, cylinders and half-spaces: as deep as that everywhere on a face, and somewhat deeper
 * at sharp edges and corners. Hulls, and closed meshes that bound a convex body: shrunk towards the centre of a ball
 * inside; as deep as that where the ball touches, deeper at ends that lie farther out (in proportion).
 * Units: m. */
#include "shape.h"

/* The largest inset that is taken without need: half of what there is inside, of a radius (spheres, capsules, rounded
 * hulls), below which the core keeps the shape's form, all but a sixteenth. 0: the shape has no core (meshes that are
 * not convex, support functions, points, segments); INFINITY for half-spaces. */
double brinkInnerCore_Most(const brinkShape *shape);
/* The largest inset served: a sixteenth of what there is inside is left. INFINITY for half-spaces. */
double brinkInnerCore_Deepest(const brinkShape *shape);
/* How many doubles the core needs room for. */
size_t brinkInnerCore_Room(const brinkShape *shape);
/* How far the boundary of the shape lies off its core at most, m: `inset` at faces, more at edges and ends. */
double brinkInnerCore_Reach(const brinkShape *shape, double inset);
/* A shape that borrows from `shape` and from room. 0 < inset <= brinkInnerCore_Deepest. */
void brinkMakeInnerCore(const brinkShape *shape, double inset, double *room, brinkShape *out);

#endif
