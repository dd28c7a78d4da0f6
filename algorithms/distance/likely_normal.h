/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_LIKELY_NORMAL_H
#define BRINK_LIKELY_NORMAL_H
/* Separating directions that flat faces suggest. Against a face of 10 m a direction that is off by 1e-9 rad hides a
 * gap of 1e-8 m; the face's own normal hides nothing. */
#include "gjk.h"

/* Along one of the normals of both pieces' faces: the largest certified gap, and its direction; -INFINITY where no face
 * is known (boxes, triangles and half-spaces have known ones). toward: roughly from A to B. */
double brinkLikelyGap(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                      brinkVec3 toward, brinkVec3 *normal);

#endif
