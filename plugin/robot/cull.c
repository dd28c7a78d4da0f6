/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the robot's pairs may meet on an edge? Boxes of all shapes at eight times; between two times a point stays
 * within the range of its chord, widened by max|x''| h^2/8, coordinate by coordinate. Two shapes that in none of the
 * seven intervals come together cannot meet: boxes that pass one place one after the other are told apart, which boxes
 * over the whole edge are not. The eight times lie side by side in memory, so that one pass over the tree makes them
 * all.
 *
 * Based on: chords as in algorithms/scene/scene_boxes.c, bounds of |x''| from brinkMotionTree_Bounds. Rounding is
 * covered by a slack far above it (ROUNDING). Units: m; t in [0,1]. */
#include "robot.h"

#include "gjk.h"
#include "scene_internal.h"

#define INTERVALS (ROBOT_LANES - 1)
#define ROUNDING 1e-9   /* of the reach: poses here are off by a few hundred eps of it at most */
#define MOST_SLACK 0.25 /* of the robot's reach: beyond it the scene's own boxes (Taylor models) serve better */
#define FEW_OBSTACLES 48u
#define CURVE (0.125 / (INTERVALS * INTERVALS) * (1.0 + 1e-9)) /* h^2 / 8 */
#define MOST_BETWEEN 64                                        /* links of a chain that is looked at closer */
#define DEFAULT_TOLERANCE 1e-6                                 /* of the smaller shape, as in the scene */

/* ---- what does not change from question to question */

static brinkStatus reserve(brinkContext *context, void *member, size_t *capacity, size_t needed, size_t size) {
  void *block;
  memcpy(&block, member, sizeof block);
  brinkStatus status = brinkReserve(context, &block, capacity, BRINK_MAX(needed, 1u), size);
  memcpy(member, &block, sizeof block);
  return status;
}

static brinkAabb placedBox(const RobotBox *box) {
  double reach[3];
  for (int i = 0; i < 3; ++i)
    reach[i] = fabs(box->arms.m[i][0]) + fabs(box->arms.m[i][1]) + fabs(box->arms.m[i][2]) + ROUNDING * box->reach;
  const brinkVec3 c = box->center;
  return (brinkAabb){{c.x - reach[0], c.y - reach[1], c.z - reach[2]},
                     {c.x + reach[0], c.y + reach[1], c.z + reach[2]}};
}

/* The largest box of the obb's axes and proportions, a few sizes tried, whose corners are all in the convex piece. */
static void findCore(const brinkPiece *piece, const brinkObb *obb, brinkVec3 center, RobotBox *box) {
  static const double sizes[] = {0.95, 0.85, 0.75, 0.65, 0.55, 0.45, 0.35, 0.25};
  static const brinkGjkLimits limits = {.relative = 1e-3, .enoughLower = 0.0, .enoughUpper = -1.0};
  const brinkRigid still = brinkIdentityRigid();
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes && !box->hasCore; ++s) {
    bool inside = true;
    for (int corner = 0; corner < 8 && inside; ++corner) {
      const brinkVec3 arm = {(corner & 1) != 0 ? obb->half.x : -obb->half.x,
                             (corner & 2) != 0 ? obb->half.y : -obb->half.y,
                             (corner & 4) != 0 ? obb->half.z : -obb->half.z};
      const brinkVec3 at = brinkMulAdd(center, sizes[s], brinkMulMV(&obb->axes, arm));
      const double coordinates[3] = {at.x, at.y, at.z};
      const brinkPiece point = brinkMakePointPiece(coordinates, 1, 0.0);
      brinkSeparation found;
      brinkGjk(piece, &still, &point, &still, &limits, NULL, &found);
      inside = found.overlap;
    }
    if (!inside) continue;
    box->hasCore = true;
    box->coreHalf = brinkScale(obb->half, sizes[s]);
  }
}

#define INSCRIBED 0.707 /* of a disc's radius: half a side of the square in it */

/* What belongs to the shape for certain. Meshes that are not convex have surfaces only. */
static void addCore(const brinkShape *shape, RobotBox *box) {
  const brinkPiece *piece = &shape->piece;
  brinkVec3 center = shape->obb.center;
  box->hasCore = true;
  switch (shape->type) {
    case brink_shapeBox:
      box->coreHalf = piece->half;
      break;
    case brink_shapeCylinder:
      box->coreHalf = brinkV3(INSCRIBED * piece->half.x, INSCRIBED * piece->half.x, piece->half.z);
      break;
    case brink_shapeSphere:
    case brink_shapeCapsule: { /* the box of the points less the sphere's part that is not the cube in it */
      const double less = piece->radius * (1.0 - 0.577);
      box->coreHalf = brinkSub(shape->obb.half, brinkV3(less, less, less));
      break;
    }
    case brink_shapeHull:
      box->hasCore = false;
      if (!(shape->innerRadius > 0.0)) break;
      findCore(piece, &shape->obb, center, box);
      if (!box->hasCore) findCore(piece, &shape->obb, center = shape->innerCenter, box);
      break;
    default:
      box->hasCore = false;
  }
  box->coreCenter = center;
}

static RobotBox boxOf(const brinkSceneCollider *collider, uint32_t slot) {
  const brinkObb *obb = &collider->collider.shape->obb;
  RobotBox box = {.slot = slot, .motion = collider->collider.link};
  box.center = brinkApply(&collider->collider.local, obb->center);
  box.axes = box.arms = brinkMulMM(&collider->collider.local.r, &obb->axes);
  box.half = obb->half;
  const double half[3] = {obb->half.x, obb->half.y, obb->half.z};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) box.arms.m[i][k] *= half[k];
  box.reach = (brinkLength(box.center) + brinkLength(obb->half)) * (1.0 + 1e-12);
  box.box = placedBox(&box);
  addCore(collider->collider.shape, &box);
  box.coreCenter = brinkApply(&collider->collider.local, box.coreCenter);
  return box;
}

static brinkStatus addObstacle(brinkRobotView *view, const brinkSceneCollider *collider, uint32_t slot) {
  const brinkRobot *robot = view->robot;
  const RobotThing *thing = &view->things[slot];
  if ((robot->category & thing->collide) == 0u && (thing->category & robot->collide) == 0u) return brink_ok;
  brinkStatus status = reserve(&view->context, &view->obstacles, &view->obstacleCapacity, view->obstacleCount + 1,
                               sizeof *view->obstacles);
  if (status != brink_ok) return status;
  const brinkPiece *piece = &collider->collider.shape->piece;
  const brinkRigid *place = &collider->collider.local;
  RobotObstacle obstacle = {.slot = slot, .isPlane = piece->kind == brink_pieceHalfSpace};
  obstacle.box = boxOf(collider, slot);
  if (obstacle.isPlane) {
    obstacle.normal = brinkMulMV(&place->r, piece->normal);
    obstacle.offset = piece->offset + piece->radius + brinkDot(obstacle.normal, place->p);
  }
  view->obstacles[view->obstacleCount++] = obstacle;
  return brink_ok;
}

static bool hangsBelow(const brinkRobot *robot, int32_t link, int32_t above) {
  while (link > above && link >= 0) {
    uint32_t carrier = robot->carriers[link];
    link = carrier == BRINK_NONE ? -1 : robot->joints[carrier].motionParent;
  }
  return link == above;
}

static brinkStatus listSelfPairs(brinkRobotView *view) {
  view->selfCount = 0;
  for (uint32_t a = 0; a < view->boxCount; ++a)
    for (uint32_t b = a + 1; b < view->boxCount; ++b) {
      if (view->boxes[a].motion == view->boxes[b].motion) continue;
      if (!brinkRobot_PairCounts(view->robot, &view->things[view->boxes[a].slot], &view->things[view->boxes[b].slot]))
        continue;
      brinkStatus status =
          reserve(&view->context, &view->selfPairs, &view->selfCapacity, view->selfCount + 1, sizeof *view->selfPairs);
      if (status != brink_ok) return status;
      uint32_t upper = view->boxes[a].motion < view->boxes[b].motion ? a : b, lower = a + b - upper;
      bool inLine = hangsBelow(view->robot, view->boxes[lower].motion, view->boxes[upper].motion);
      view->selfPairs[view->selfCount++] = (RobotSelfPair){upper, lower, inLine};
    }
  return brink_ok;
}

/* Planes are few, and have no box: they are looked at one by one. */
static brinkStatus growTree(brinkRobotView *view) {
  if (view->obstacleCount <= FEW_OBSTACLES) return brink_ok;
  view->tree = brinkBvh_Create(&view->context);
  if (view->tree == NULL) return brink_errorNoMemory;
  for (uint32_t i = 0; i < view->obstacleCount; ++i)
    if (!view->obstacles[i].isPlane && brinkBvh_Insert(view->tree, view->obstacles[i].box.box, i) < 0)
      return brink_errorNoMemory;
  return brink_ok;
}

brinkStatus brinkRobotView_PrepareCulling(brinkRobotView *view) {
  brinkContext *context = &view->context;
  const size_t motions = view->robot->motionCount;
  if (view->tree != NULL) brinkBvh_Destroy(view->tree);
  view->tree = NULL;
  view->boxCount = view->obstacleCount = 0;
  brinkStatus status = reserve(context, &view->boxes, &view->boxCapacity, view->thingCount, sizeof *view->boxes);
  for (uint32_t slot = 0; status == brink_ok && slot < view->thingCount; ++slot) {
    const brinkSceneCollider *collider = brinkScene_Collider(view->scene, slot);
    if (view->things[slot].link == BRINK_NONE)
      status = addObstacle(view, collider, slot);
    else
      view->boxes[view->boxCount++] = boxOf(collider, slot);
  }
  if (status == brink_ok) status = listSelfPairs(view);
  if (status == brink_ok)
    status = reserve(context, &view->sweeps, &view->sweepCapacity, view->boxCount, sizeof *view->sweeps);
  if (status == brink_ok) status = reserve(context, &view->frames, &view->frameCapacity, motions, sizeof *view->frames);
  if (status == brink_ok) status = reserve(context, &view->bounds, &view->boundCapacity, motions, sizeof *view->bounds);
  return status == brink_ok ? growTree(view) : status;
}

static void releaseArray(brinkContext *context, void *block, size_t capacity, size_t size) {
  if (block != NULL) brinkRelease(context, block, capacity * size);
}

void brinkRobotView_FreeCulling(brinkRobotView *view) {
  brinkContext *context = &view->context;
  if (view->tree != NULL) brinkBvh_Destroy(view->tree);
  releaseArray(context, view->boxes, view->boxCapacity, sizeof *view->boxes);
  releaseArray(context, view->selfPairs, view->selfCapacity, sizeof *view->selfPairs);
  releaseArray(context, view->obstacles, view->obstacleCapacity, sizeof *view->obstacles);
  releaseArray(context, view->sweeps, view->sweepCapacity, sizeof *view->sweeps);
  releaseArray(context, view->frames, view->frameCapacity, sizeof *view->frames);
  releaseArray(context, view->bounds, view->boundCapacity, sizeof *view->bounds);
  releaseArray(context, view->origins, view->originCapacity, sizeof *view->origins);
  releaseArray(context, view->candidates, view->candidateCapacity, sizeof *view->candidates);
}

/* ---- frames and boxes at the times k / INTERVALS, or at 0 alone (lanes 1) */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Sines and cosines of k times an angle, by addition. */
ALWAYS_INLINE void anglesAt(double angle, double *sine, double *versine, const int lanes) {
  double s1 = lanes > 1 ? sin(angle / INTERVALS) : 0.0, c1 = lanes > 1 ? cos(angle / INTERVALS) : 1.0;
  double s = 0.0, c = 1.0;
  for (int k = 0; k < lanes; ++k) {
    sine[k] = s;
    versine[k] = 1.0 - c;
    double next = s * c1 + c * s1;
    c = c * c1 - s * s1;
    s = next;
  }
}

ALWAYS_INLINE void localFrame(const brinkLinkMotion *link, RobotFrame *frame, const int lanes) {
  double sine[ROBOT_LANES] = {0}, versine[ROBOT_LANES] = {0};
  if (link->angle > 0.0) anglesAt(link->angle, sine, versine, lanes);
  const double start[3] = {link->t0.x, link->t0.y, link->t0.z}, way[3] = {link->v.x, link->v.y, link->v.z};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < lanes; ++k) frame->p[i][k] = start[i] + way[i] * ((double)k / INTERVALS);
    for (int j = 0; j < 3; ++j) {
      const double r0 = link->r0.m[i][j], s = link->sine.m[i][j], c = link->cosine.m[i][j];
      for (int k = 0; k < lanes; ++k) frame->r[i][j][k] = r0 + sine[k] * s - versine[k] * c;
    }
  }
}

ALWAYS_INLINE void composeFrames(const RobotFrame *a, const RobotFrame *b, RobotFrame *out, const int lanes) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < lanes; ++k)
        out->r[i][j][k] = a->r[i][0][k] * b->r[0][j][k] + a->r[i][1][k] * b->r[1][j][k] + a->r[i][2][k] * b->r[2][j][k];
    for (int k = 0; k < lanes; ++k)
      out->p[i][k] = a->r[i][0][k] * b->p[0][k] + a->r[i][1][k] * b->p[1][k] + a->r[i][2][k] * b->p[2][k] + a->p[i][k];
  }
}

ALWAYS_INLINE void makeFrames(brinkRobotView *view, const int lanes) {
  for (size_t m = 0; m < view->robot->motionCount; ++m) {
    const brinkLinkMotion *link = &view->links[m];
    if (link->parent < 0) {
      localFrame(link, &view->frames[m], lanes);
      continue;
    }
    RobotFrame local;
    localFrame(link, &local, lanes);
    composeFrames(&view->frames[link->parent], &local, &view->frames[m], lanes);
  }
}

ALWAYS_INLINE void sweepBox(const RobotBox *box, const RobotFrame *frame, double slack, RobotSweep *out,
                            const int lanes) {
  const double c[3] = {box->center.x, box->center.y, box->center.z};
  double lower[3], upper[3];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < lanes; ++k) {
      double r0 = frame->r[i][0][k], r1 = frame->r[i][1][k], r2 = frame->r[i][2][k];
      double center = r0 * c[0] + r1 * c[1] + r2 * c[2] + frame->p[i][k];
      double reach = fabs(r0 * box->arms.m[0][0] + r1 * box->arms.m[1][0] + r2 * box->arms.m[2][0]) +
                     fabs(r0 * box->arms.m[0][1] + r1 * box->arms.m[1][1] + r2 * box->arms.m[2][1]) +
                     fabs(r0 * box->arms.m[0][2] + r1 * box->arms.m[1][2] + r2 * box->arms.m[2][2]);
      out->lower[i][k] = center - reach;
      out->upper[i][k] = center + reach;
    }
    lower[i] = out->lower[i][0];
    upper[i] = out->upper[i][0];
    for (int k = 1; k < lanes; ++k) {
      lower[i] = BRINK_MIN(lower[i], out->lower[i][k]);
      upper[i] = BRINK_MAX(upper[i], out->upper[i][k]);
    }
  }
  out->slack = slack;
  out->all = (brinkAabb){{lower[0] - slack, lower[1] - slack, lower[2] - slack},
                         {upper[0] + slack, upper[1] + slack, upper[2] + slack}};
}

/* false: some box strays too far between the times. */
ALWAYS_INLINE bool sweepBoxes(brinkRobotView *view, const brinkSceneQuery *query, const int lanes) {
  const double curve = lanes > 1 ? CURVE : 0.0;
  for (size_t i = 0; i < view->boxCount; ++i) {
    const RobotBox *box = &view->boxes[i];
    if (box->motion < 0) continue;
    const brinkLinkBound *bound = &view->bounds[box->motion];
    double far = bound->reach + box->reach, tolerance = query->tolerance;
    if (!(tolerance > 0.0)) tolerance = DEFAULT_TOLERANCE * BRINK_MAX(box->reach, 1.0);
    double stray = curve * (bound->accelBase + bound->accelSlope * box->reach);
    if (!(stray <= MOST_SLACK * far)) return false;
    double margin = 2.0 * tolerance + query->threshold;
    if (query->linkMargin != NULL) margin += query->linkMargin[box->motion];
    sweepBox(box, &view->frames[box->motion], stray + ROUNDING * far + margin, &view->sweeps[i], lanes);
    view->sweeps[i].margin = margin;
  }
  return true;
}

/* ---- pairs */

static bool areApart(const brinkAabb *a, const brinkAabb *b) {
  return a->lower.x > b->upper.x || b->lower.x > a->upper.x || a->lower.y > b->upper.y || b->lower.y > a->upper.y ||
         a->lower.z > b->upper.z || b->lower.z > a->upper.z;
}

/* Range of one axis over interval k. */
static inline double lowest(const RobotSweep *sweep, int axis, int k) {
  return BRINK_MIN(sweep->lower[axis][k], sweep->lower[axis][k + 1]);
}
static inline double highest(const RobotSweep *sweep, int axis, int k) {
  return BRINK_MAX(sweep->upper[axis][k], sweep->upper[axis][k + 1]);
}

/* Does the sweep meet a box that stands still, in some interval? */
static bool meetsBox(const RobotSweep *sweep, const brinkAabb *box, int lanes) {
  if (areApart(&sweep->all, box)) return false;
  if (lanes == 1) return true;
  const double low[3] = {box->lower.x - sweep->slack, box->lower.y - sweep->slack, box->lower.z - sweep->slack};
  const double high[3] = {box->upper.x + sweep->slack, box->upper.y + sweep->slack, box->upper.z + sweep->slack};
  for (int k = 0; k < INTERVALS; ++k) {
    bool apart = false;
    for (int axis = 0; axis < 3 && !apart; ++axis)
      apart = lowest(sweep, axis, k) > high[axis] || highest(sweep, axis, k) < low[axis];
    if (!apart) return true;
  }
  return false;
}

static bool meetsSweep(const RobotSweep *a, const RobotSweep *b, int lanes) {
  if (areApart(&a->all, &b->all)) return false;
  if (lanes == 1) return true;
  const double slack = a->slack + b->slack;
  for (int k = 0; k < INTERVALS; ++k) {
    bool apart = false;
    for (int axis = 0; axis < 3 && !apart; ++axis)
      apart = lowest(a, axis, k) > highest(b, axis, k) + slack || lowest(b, axis, k) > highest(a, axis, k) + slack;
    if (!apart) return true;
  }
  return false;
}

/* ---- closer looks: b's box seen from a's, whose axes are the frame's */

/* Link frame of b in a's box frame: Q = R_a axes_a, place Q^T R_b, Q^T (p_b - p_a - R_a c_a). a NULL: the world. */
ALWAYS_INLINE void relativeFrame(const RobotFrame *frameA, const RobotBox *a, const RobotFrame *frameB, RobotFrame *out,
                                 const int lanes) {
  double q[3][3][ROBOT_LANES], d[3][ROBOT_LANES];
  const double c[3] = {a->center.x, a->center.y, a->center.z};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < lanes; ++k)
        q[i][j][k] = frameA == NULL ? a->axes.m[i][j]
                                    : frameA->r[i][0][k] * a->axes.m[0][j] + frameA->r[i][1][k] * a->axes.m[1][j] +
                                          frameA->r[i][2][k] * a->axes.m[2][j];
    for (int k = 0; k < lanes; ++k) {
      double center = frameA == NULL ? c[i]
                                     : frameA->r[i][0][k] * c[0] + frameA->r[i][1][k] * c[1] +
                                           frameA->r[i][2][k] * c[2] + frameA->p[i][k];
      d[i][k] = frameB->p[i][k] - center;
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < lanes; ++k)
        out->r[i][j][k] =
            q[0][i][k] * frameB->r[0][j][k] + q[1][i][k] * frameB->r[1][j][k] + q[2][i][k] * frameB->r[2][j][k];
    for (int k = 0; k < lanes; ++k) out->p[i][k] = q[0][i][k] * d[0][k] + q[1][i][k] * d[1][k] + q[2][i][k] * d[2][k];
  }
}

ALWAYS_INLINE bool meetInFrame(const RobotFrame *frameA, const RobotBox *a, const RobotFrame *frameB, const RobotBox *b,
                               double slack, const int lanes) {
  RobotFrame relative;
  RobotSweep seen;
  relativeFrame(frameA, a, frameB, &relative, lanes);
  sweepBox(b, &relative, slack, &seen, lanes);
  const brinkAabb own = {{-a->half.x, -a->half.y, -a->half.z}, a->half};
  return meetsBox(&seen, &own, lanes);
}

static bool meetCloser(const RobotFrame *frameA, const RobotBox *a, const RobotFrame *frameB, const RobotBox *b,
                       double slack, int lanes) {
  return lanes == 1 ? meetInFrame(frameA, a, frameB, b, slack, 1)
                    : meetInFrame(frameA, a, frameB, b, slack, ROBOT_LANES);
}

/* ---- cores: what overlaps for certain at one of the times */

/* Separating axes of the two cores, b's link frame seen from a's box: the first time at which there is none; lanes:
 * there is one at each. Based on: Gottschalk, Lin, Manocha 1996. */
ALWAYS_INLINE int firstOverlap(const RobotBox *a, const RobotBox *b, const RobotFrame *seen, double slack,
                               const int lanes) {
  double r[3][3][ROBOT_LANES], abs[3][3][ROBOT_LANES], d[3][ROBOT_LANES], gap[ROBOT_LANES];
  const brinkVec3 shift = brinkTMulMV(&a->axes, brinkSub(a->coreCenter, a->center));
  const double from[3] = {shift.x, shift.y, shift.z};
  const double c[3] = {b->coreCenter.x, b->coreCenter.y, b->coreCenter.z};
  const double halfA[3] = {a->coreHalf.x - slack, a->coreHalf.y - slack, a->coreHalf.z - slack};
  const double halfB[3] = {b->coreHalf.x - slack, b->coreHalf.y - slack, b->coreHalf.z - slack};
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < lanes; ++k)
      d[i][k] = seen->r[i][0][k] * c[0] + seen->r[i][1][k] * c[1] + seen->r[i][2][k] * c[2] + seen->p[i][k] - from[i];
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < lanes; ++k) {
        r[i][j][k] = seen->r[i][0][k] * b->axes.m[0][j] + seen->r[i][1][k] * b->axes.m[1][j] +
                     seen->r[i][2][k] * b->axes.m[2][j];
        abs[i][j][k] = fabs(r[i][j][k]);
      }
  }
  for (int k = 0; k < lanes; ++k) gap[k] = -HUGE_VAL;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < lanes; ++k) {
      double alongA =
          fabs(d[i][k]) - halfA[i] - halfB[0] * abs[i][0][k] - halfB[1] * abs[i][1][k] - halfB[2] * abs[i][2][k];
      double alongB = fabs(d[0][k] * r[0][i][k] + d[1][k] * r[1][i][k] + d[2][k] * r[2][i][k]) - halfB[i] -
                      halfA[0] * abs[0][i][k] - halfA[1] * abs[1][i][k] - halfA[2] * abs[2][i][k];
      gap[k] = BRINK_MAX(gap[k], BRINK_MAX(alongA, alongB));
    }
  bool any = false;
  for (int k = 0; k < lanes; ++k) any = any || gap[k] < 0.0;
  if (!any) return lanes;
  for (int i = 0; i < 3; ++i) { /* a_i x b_j */
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      for (int k = 0; k < lanes; ++k) {
        double across = fabs(d[i2][k] * r[i1][j][k] - d[i1][k] * r[i2][j][k]) - halfA[i1] * abs[i2][j][k] -
                        halfA[i2] * abs[i1][j][k] - halfB[j1] * abs[i][j2][k] - halfB[j2] * abs[i][j1][k];
        gap[k] = BRINK_MAX(gap[k], across);
      }
    }
  }
  int k = 0;
  while (k < lanes && !(gap[k] < 0.0)) ++k;
  return k;
}

ALWAYS_INLINE int overlapInFrame(const RobotFrame *frameA, const RobotBox *a, const RobotFrame *frameB,
                                 const RobotBox *b, double slack, const int lanes) {
  RobotFrame seen;
  relativeFrame(frameA, a, frameB, &seen, lanes);
  return firstOverlap(a, b, &seen, slack, lanes);
}

/* The first time at which the core reaches below the plane. */
static int firstBelow(const RobotObstacle *plane, const RobotBox *box, const RobotFrame *frame, double slack,
                      int lanes) {
  for (int k = 0; k < lanes; ++k) {
    double lowest = -plane->offset;
    const double n[3] = {plane->normal.x, plane->normal.y, plane->normal.z};
    double turned[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) turned[j] += n[i] * frame->r[i][j][k];
      lowest += n[i] * frame->p[i][k];
    }
    const brinkVec3 own = {turned[0], turned[1], turned[2]}, along = brinkTMulMV(&box->axes, own);
    lowest += brinkDot(own, box->coreCenter) - fabs(along.x) * box->coreHalf.x - fabs(along.y) * box->coreHalf.y -
              fabs(along.z) * box->coreHalf.z;
    if (lowest < -slack) return k;
  }
  return lanes;
}

/* The candidate's cores overlap at one of the times: the question is answered. One of the two moves. */
static void showOverlap(brinkRobotView *view, const RobotCandidate *origin, int lanes) {
  const RobotBox *a = &view->boxes[origin->a];
  const RobotBox *b = origin->isObstacle ? &view->obstacles[origin->b].box : &view->boxes[origin->b];
  const bool plane = origin->isObstacle && view->obstacles[origin->b].isPlane;
  if (!a->hasCore || (!b->hasCore && !plane)) return;
  const RobotBox *mover = a->motion >= 0 ? a : b, *other = a->motion >= 0 ? b : a;
  const RobotFrame *otherFrame = other->motion >= 0 ? &view->frames[other->motion] : NULL;
  const RobotFrame *frame = &view->frames[mover->motion];
  double far = view->bounds[mover->motion].reach + mover->reach;
  far += plane ? fabs(view->obstacles[origin->b].offset) : other->reach;
  if (other->motion >= 0) far += view->bounds[other->motion].reach;
  const double slack = ROUNDING * far;
  int lane = plane        ? firstBelow(&view->obstacles[origin->b], mover, frame, slack, lanes)
             : lanes == 1 ? overlapInFrame(otherFrame, other, frame, mover, slack, 1)
                          : overlapInFrame(otherFrame, other, frame, mover, slack, ROBOT_LANES);
  if (lane == lanes) return;
  const double time = (double)lane / INTERVALS;
  const brinkIndexPair slots = view->candidates[view->candidateCount - 1];
  view->shownPair = (brinkScenePairResult){.a = BRINK_MIN(slots.a, slots.b), .b = BRINK_MAX(slots.a, slots.b)};
  view->shownPair.result = (brinkPairResult){.state = brink_overlap, .toi = time, .toiUpper = time};
  view->shown = true;
}

/* max|x''| of points of two links, one above the other, each in the other's frame, by norms along the joints between:
 * down, of the lower's points in the upper's frame, as brinkMotionTree_Bounds; up, of the upper's in the lower's, with
 * x_child = R^T (x_parent - T): |x| -> |x| + |T|, |x'| -> |x'| + v + w |x|, |x''| -> |x''| + 2 w (|x'| + v) + w^2 |x|.
 * *far: no point of either is further from the other's origin. */
static void accelBetween(const brinkRobotView *view, const RobotBox *upper, const RobotBox *lower, double *down,
                         double *up, double *far) {
  int32_t chain[MOST_BETWEEN];
  int count = 0;
  *down = *up = *far = HUGE_VAL;
  for (int32_t link = lower->motion; link > upper->motion; link = view->links[link].parent) {
    if (count == MOST_BETWEEN) return;
    chain[count++] = link;
  }
  double speedSlope = 0.0, accelBase = 0.0, accelSlope = 0.0;
  double size = upper->reach, speed = 0.0, accel = 0.0, length = upper->reach + lower->reach;
  while (count-- > 0) {
    const brinkLinkMotion *motion = &view->links[chain[count]];
    double w = motion->angle, v = brinkLength(motion->v), offset = brinkLength(motion->t0) + v;
    accelBase += accelSlope * offset + 2.0 * speedSlope * v;
    accelSlope += 2.0 * speedSlope * w + w * w;
    speedSlope += w;
    size += offset;
    accel += 2.0 * w * (speed + v) + w * w * size;
    speed += v + w * size;
    length += offset;
  }
  *down = (accelBase + accelSlope * lower->reach) * (1.0 + 1e-9);
  *up = accel * (1.0 + 1e-9);
  *far = length;
}

static bool selfMeetCloser(const brinkRobotView *view, const RobotSelfPair *pair, int lanes) {
  const RobotBox *a = &view->boxes[pair->a], *b = &view->boxes[pair->b];
  if (!pair->inLine || b->motion < 0) return true;
  const RobotFrame *frameB = &view->frames[b->motion];
  if (a->motion < 0) return meetCloser(NULL, a, frameB, b, view->sweeps[pair->b].slack, lanes);
  const RobotFrame *frameA = &view->frames[a->motion];
  double down, up, far, curve = lanes > 1 ? CURVE : 0.0;
  accelBetween(view, a, b, &down, &up, &far);
  /* poses in the world carry the rounding of the whole chain */
  double margin =
      view->sweeps[pair->a].margin + view->sweeps[pair->b].margin + ROUNDING * (far + view->bounds[b->motion].reach);
  return meetCloser(frameA, a, frameB, b, curve * down + margin, lanes) &&
         meetCloser(frameB, b, frameA, a, curve * up + margin, lanes);
}

static brinkStatus addCandidate(brinkRobotView *view, RobotCandidate origin) {
  brinkContext *context = &view->context;
  const size_t needed = view->candidateCount + 1;
  brinkStatus status = reserve(context, &view->candidates, &view->candidateCapacity, needed, sizeof *view->candidates);
  if (status == brink_ok)
    status = reserve(context, &view->origins, &view->originCapacity, needed, sizeof *view->origins);
  if (status != brink_ok) return brinkFail(context, status, "pairs: no memory");
  uint32_t slotB = origin.isObstacle ? view->obstacles[origin.b].slot : view->boxes[origin.b].slot;
  view->candidates[view->candidateCount] = (brinkIndexPair){view->boxes[origin.a].slot, slotB};
  view->origins[view->candidateCount++] = origin;
  return brink_ok;
}

typedef struct Around { /* one box among the obstacles */
  brinkRobotView *view;
  size_t box;
  int lanes;
  brinkStatus status;
} Around;

static bool meetsPlane(const brinkRobotView *view, const RobotSweep *sweep, uint32_t slot) {
  brinkAabb box = sweep->all;
  double gap = brinkSceneCollider_PlaneGap(brinkScene_Collider(view->scene, slot), &box);
  return !(gap > 0.0);
}

static bool obstacleMeetsCloser(const Around *around, const RobotObstacle *obstacle) {
  const brinkRobotView *view = around->view;
  const RobotBox *box = &view->boxes[around->box];
  return meetCloser(NULL, &obstacle->box, &view->frames[box->motion], box, view->sweeps[around->box].slack,
                    around->lanes);
}

static bool lookAt(void *user, uint32_t index) {
  Around *around = user;
  brinkRobotView *view = around->view;
  const RobotObstacle *obstacle = &view->obstacles[index];
  const RobotSweep *sweep = &view->sweeps[around->box];
  bool meets = obstacle->isPlane
                   ? meetsPlane(view, sweep, obstacle->slot)
                   : meetsBox(sweep, &obstacle->box.box, around->lanes) && obstacleMeetsCloser(around, obstacle);
  if (!meets) return true;
  const RobotThing *own = &view->things[view->boxes[around->box].slot], *other = &view->things[obstacle->slot];
  if (view->robot->obstacleCount > 0 &&
      brinkRobot_FindAllowedObstacle(view->robot, own->link, other->obstacle) != BRINK_NONE)
    return true;
  const RobotCandidate candidate = {(uint32_t)around->box, index, true};
  around->status = addCandidate(view, candidate);
  if (around->status == brink_ok && view->yesOrNo) showOverlap(view, &candidate, around->lanes);
  return around->status == brink_ok && !view->shown;
}

static brinkStatus findObstacles(brinkRobotView *view, int lanes) {
  const brinkRobot *robot = view->robot;
  const uint32_t rootGroup = robot->links[robot->root].group;
  for (size_t i = view->boxCount; i-- > 0 && !view->shown;) { /* ends of arms meet most */
    const RobotBox *box = &view->boxes[i];
    if (box->motion < 0 || robot->links[view->things[box->slot].link].group == rootGroup) continue;
    Around around = {view, i, lanes, brink_ok};
    if (view->tree != NULL) brinkBvh_Query(view->tree, view->sweeps[i].all, lookAt, &around);
    for (uint32_t k = 0; around.status == brink_ok && !view->shown && k < view->obstacleCount; ++k)
      if (view->tree == NULL || view->obstacles[k].isPlane) lookAt(&around, k);
    if (around.status != brink_ok) return around.status;
  }
  return brink_ok;
}

static brinkStatus findSelf(brinkRobotView *view, int lanes) {
  for (size_t i = 0; i < view->selfCount && !view->shown; ++i) {
    const RobotSelfPair pair = view->selfPairs[i];
    const RobotBox *a = &view->boxes[pair.a], *b = &view->boxes[pair.b];
    bool meets = a->motion < 0   ? meetsBox(&view->sweeps[pair.b], &a->box, lanes)
                 : b->motion < 0 ? meetsBox(&view->sweeps[pair.a], &b->box, lanes)
                                 : meetsSweep(&view->sweeps[pair.a], &view->sweeps[pair.b], lanes);
    if (!meets || !selfMeetCloser(view, &view->selfPairs[i], lanes)) continue;
    const RobotCandidate candidate = {pair.a, pair.b, false};
    brinkStatus status = addCandidate(view, candidate);
    if (status != brink_ok) return status;
    if (view->yesOrNo) showOverlap(view, &candidate, lanes);
  }
  return brink_ok;
}

brinkStatus brinkRobotView_Cull(brinkRobotView *view, const brinkSceneQuery *query, bool instant, bool *culled) {
  brinkMotionTree_Bounds(query->tree, 0.0, instant ? 0.0 : 1.0, view->bounds);
  view->candidateCount = 0;
  view->shown = false;
  if (instant) {
    makeFrames(view, 1);
    *culled = sweepBoxes(view, query, 1);
  } else {
    makeFrames(view, ROBOT_LANES);
    *culled = sweepBoxes(view, query, ROBOT_LANES);
  }
  if (!*culled) return brink_ok;
  const int lanes = instant ? 1 : ROBOT_LANES;
  brinkStatus status =
      reserve(&view->context, &view->candidates, &view->candidateCapacity, 1, sizeof *view->candidates);
  if (status == brink_ok) status = findObstacles(view, lanes);
  if (status == brink_ok && !view->noSelf) status = findSelf(view, lanes);
  return status;
}
