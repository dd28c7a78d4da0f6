/* SPDX-License-Identifier: BSD-3-Clause */
/* How near does anything come along an edge? Pairs whose swept boxes come within a margin are measured, the margin
 * growing until the smallest distance found is no more than it: what lies beyond cannot be nearer. Each pair is first
 * asked whether it stays beyond the best so far, which is cheap for most. Units: m; t in [0,1] along the edge. */
#include "clearance.h"

#include "robot.h"

#define DEFAULT_TOLERANCE 1e-4 /* of the smaller shape */
#define FIRST_MARGIN 0.1       /* of the robot's largest link */
#define MARGIN_GROWTH 8.0
#define MOST_GROWTHS 40

static brinkStatus measurePair(brinkRobotView *view, const brinkMotionTree *tree, const brinkIndexPair *pair,
                               double tolerance, brinkRobotClearance *best, double *lower) {
  const brinkSceneCollider *a = brinkScene_Collider(view->scene, pair->a),
                           *b = brinkScene_Collider(view->scene, pair->b);
  brinkClearanceInput input = {.tree = tree, .a = a->collider, .b = b->collider, .tEnd = 1.0, .tolerance = tolerance};
  if (!(tolerance > 0.0)) input.tolerance = DEFAULT_TOLERANCE * brinkClearanceSize(&input.a, &input.b);
  brinkClearanceResult result;
  if (best->upper < HUGE_VAL && best->upper > 0.0) {
    input.required = best->upper;
    brinkStatus status = brinkMeasureClearance(&view->context, view->clearance, view->advance, &input, &result);
    if (status != brink_ok) return status;
    if (result.verdict == brink_gapKept) {
      *lower = fmin(*lower, result.lower);
      return brink_ok;
    }
    input.required = 0.0;
  }
  brinkStatus status = brinkMeasureClearance(&view->context, view->clearance, view->advance, &input, &result);
  if (status != brink_ok) return status;
  *lower = fmin(*lower, result.lower);
  if (!(result.upper < best->upper)) return brink_ok;
  const RobotThing *thingA = &view->things[a->userData], *thingB = &view->things[b->userData];
  best->linkA = thingA->link;
  best->linkB = thingB->link;
  best->obstacle = thingB->obstacle;
  best->upper = result.upper;
  best->time = result.timeA;
  best->pointA = result.pointA;
  best->pointB = result.pointB;
  best->settled = result.state == brink_gapSettled;
  return brink_ok;
}

static double largestReach(const brinkRobotView *view) {
  double largest = 0.0;
  for (size_t m = 0; m < view->robot->motionCount; ++m) largest = fmax(largest, view->reach[m]);
  return largest > 0.0 ? largest : 1.0;
}

static brinkStatus search(brinkRobotView *view, const brinkMotionTree *tree, double tolerance,
                          brinkRobotClearance *best) {
  brinkSceneQuery query = brinkRobotView_SceneQuery(view, tree);
  double margin = FIRST_MARGIN * largestReach(view), lower = HUGE_VAL;
  for (int growth = 0;; ++growth) {
    const brinkIndexPair *pairs = NULL;
    size_t count = 0;
    bool last = growth == MOST_GROWTHS;
    brinkStatus status = brinkScene_PairsOf(view->scene, &query, view->wanted, view->wantedCount,
                                            last ? 1e12 * largestReach(view) : margin, &pairs, &count);
    *best = (brinkRobotClearance){.structSize = sizeof *best,
                                  .linkA = BRINK_ROBOT_NONE,
                                  .linkB = BRINK_ROBOT_NONE,
                                  .settled = 1,
                                  .upper = HUGE_VAL};
    lower = HUGE_VAL;
    for (size_t i = 0; status == brink_ok && i < count; ++i)
      status = measurePair(view, tree, &pairs[i], tolerance, best, &lower);
    if (status != brink_ok) return status;
    if (best->upper <= margin || last) break;
    margin = best->upper < HUGE_VAL ? best->upper * 1.01 : margin * MARGIN_GROWTH;
  }
  best->lower = fmin(lower, best->upper);
  return brink_ok;
}

brinkStatus brinkRobotView_Clearance(brinkRobotView *view, const double *q0, const double *q1, uint32_t flags,
                                     double tolerance, brinkRobotClearance *out) {
  brinkContext *context = &view->context;
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status == brink_ok)
    status = brinkCheckFlags(context, flags, BRINK_EDGE_NO_SELF | BRINK_EDGE_SHORTER | BRINK_EDGE_NO_LIMITS, "flags");
  if (status == brink_ok) status = brinkCheckLength(context, tolerance, "tolerance");
  bool limits = (flags & BRINK_EDGE_NO_LIMITS) == 0;
  if (status == brink_ok && view->robot->valueCount > 0) {
    if (q0 == NULL) return brinkRefuseNull(context, "q0");
    if (q1 == NULL) return brinkRefuseNull(context, "q1");
    status = brinkRobot_CheckValues(view->robot, context, q0, "q0", limits);
    if (status == brink_ok) status = brinkRobot_CheckValues(view->robot, context, q1, "q1", limits);
  }
  if (status == brink_ok) status = brinkRobotView_Refresh(view);
  if (status != brink_ok) return status;
  if (view->clearance == NULL) view->clearance = brinkClearanceScratch_Create(context);
  if (view->advance == NULL) view->advance = brinkAdvanceScratch_Create(context);
  if (view->clearance == NULL || view->advance == NULL)
    return brinkFail(context, brink_errorNoMemory, "clearance: no memory");
  brinkRobot_MakeMotions(view->robot, q0, q1, (flags & BRINK_EDGE_SHORTER) != 0, view->links);
  view->noSelf = (flags & BRINK_EDGE_NO_SELF) != 0;
  const brinkMotionTree tree = {view->links, (int32_t)view->robot->motionCount};
  brinkRobotClearance best;
  status = search(view, &tree, tolerance, &best);
  if (status == brink_ok) *out = best;
  return status;
}
