/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ROBOT_CERTIFY_H
#define BRINK_ROBOT_CERTIFY_H
/* A plan of a robot as certificates: for every edge and every pair that is tested, a text that others can check
 * (docs/certificate.md, `brink verify`). Units: m, rad. Thread rule: [any] for different plans. */
#include "brink/robot_scene.h"
#include "brink/tolerance.h"
#include "brink/urdf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brinkPlanPair {
  size_t edge;                        /* from 0 */
  uint32_t shapeA;                    /* of urdf->shapes */
  uint32_t shapeB;                    /* or BRINK_ROBOT_NONE: an obstacle */
  size_t obstacle;                    /* of scene->obstacles */
  const brinkToleranceAnswer *answer; /* borrowed for the call */
} brinkPlanPair;

/* Returns 0 to stop. */
typedef int (*brinkPlanListener)(void *user, const brinkPlanPair *pair);

typedef struct brinkPlanSummary {
  size_t pairs, proven, listed, spent; /* certificates by their verdict */
  size_t bytes;
} brinkPlanSummary;

/* points[count][valueCount]: edges straight in joint space. scene may be NULL. query: tolerance, clearance (beside
 * the padding of the links) and budgets; NULL = defaults. Joint limits are not checked. self 0: no pairs of links. */
brinkStatus brinkCertifyPlan(const brinkUrdf *urdf, const brinkPose *base, const brinkRobotScene *scene,
                             const double *points, size_t count, int self, const brinkToleranceQuery *query,
                             brinkPlanListener listener, void *user, brinkPlanSummary *summary, char *message,
                             size_t messageCapacity);

#ifdef __cplusplus
}
#endif
#endif
