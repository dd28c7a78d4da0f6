/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_THICKNESS_H
#define BRINK_STEP_THICKNESS_H
/* How thick is a shape? How far it may be crossed where nothing else is said is a part of that (BRINK_STEP_ALLOWANCE).
 * Units: m. Thread rule: functions of their arguments alone. */
#include <stdbool.h>
#include <stddef.h>

#include "brink/ccd.h"

/* Meshes: the smallest extent. Convex sets: the smallest width, estimated. Planes: BRINK_STEP_UNLIMITED (sink.h).
 * Not of compounds; of heightfields see field.h. */
double brinkStepThickness(const brinkShapeDef *def);

/* Of what is made of triangles, by its least and largest extent: what is flat counts as a part of the largest. */
double brinkStepSurfaceThickness(double least, double largest);

/* Are all vertices [count][3] in one plane of the axes? Such a mesh has a side, but no thickness. */
bool brinkStepIsSheet(const double *vertices, size_t count);

#endif
