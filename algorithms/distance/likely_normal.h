/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_LIKELY_NORMAL_H
#define BRINK_LIKELY_NORMAL_H
/* Separating directions that flat faces suggest. Against a face of 10 m a direction that is off by 1e-9 rad hides a
 * gap of 1e-8 m; the face's own normal hides nothing. */
#include "gjk.h"

/* Takes the normal of a face of either piece (boxes, triangles and half-spaces have known ones) for *normal, which is
 * roughly from A to B, where the certified gap along it is larger than *gap; and that gap. */
void brinkTakeLikelyGap(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                        double *gap, brinkVec3 *normal);

#endif
