/* SPDX-License-Identifier: BSD-3-Clause */
/* Where may each collider be during a query? Boxes of what rests, swept boxes of what moves (chords of the path, or
 * Taylor models where those do not do), in two trees; kept from query to query for all whose motion is the same.
 *
 * Based on: [CATCH] Sec. 5 (spatial culling). Units: m, step time. */
#include "scene_internal.h"

#include "interval.h"
#include "swept_bounds.h"
#include "taylor.h"

/* Chords of paths bound a collider's path well enough up to this slack, of its size, in at most so many parts of the
 * time (BRINK_CHORD_PARTS). */
#define CHORD_SLACK 0.1
/* Up to this many pairs of boxes are compared one by one. */
#define FEW_PAIRS 2000.0
#define ROUNDING (64.0 * DBL_EPSILON) /* of placed boxes and their extents, of all sizes involved */

/* ---- boxes */

static void placeCourse(brinkSceneCourse *course, int end, const brinkRigid *place, const brinkSceneCore *core) {
  const brinkMat3 turned = core->unturned ? place->r : brinkMulMM(&place->r, &core->obb.axes);
  const double half[3] = {core->obb.half.x, core->obb.half.y, core->obb.half.z};
  course->center[end] = brinkApply(place, core->obb.center);
  for (int j = 0; j < 3; ++j)
    course->axes[end][j] = brinkScale(brinkV3(turned.m[0][j], turned.m[1][j], turned.m[2][j]), half[j]);
}

/* Box of one end. slack: with the rounding of course and box. */
static brinkAabb boxAt(const brinkSceneCourse *course, int end, double slack) {
  const brinkVec3 *axes = course->axes[end], center = course->center[end];
  const double around = course->round + slack;
  const brinkVec3 radius = brinkAdd(brinkAdd(brinkAdd(brinkAbsV3(axes[0]), brinkAbsV3(axes[1])), brinkAbsV3(axes[2])),
                                    brinkV3(around, around, around));
  return (brinkAabb){brinkSub(center, radius), brinkAdd(center, radius)};
}

static brinkObb obbInLink(const brinkSceneCollider *collider) {
  const brinkObb *obb = &collider->collider.shape->obb;
  const brinkRigid *local = &collider->collider.local;
  const bool unturned = brinkMat3_IsIdentity(&local->r);
  brinkObb out = {brinkApply(local, obb->center), unturned ? obb->axes : brinkMulMM(&local->r, &obb->axes), obb->half};
  /* Composition errs by a few ulp of the reach; the half extents take it in. */
  double slack = 16.0 * DBL_EPSILON * (brinkLength(local->p) + brinkLength(obb->center) + brinkLength(obb->half));
  out.half = brinkAdd(out.half, brinkV3(slack, slack, slack));
  return out;
}

void brinkSceneSlot_MakeCore(brinkSceneSlot *slot) {
  const brinkPiece *piece = &slot->collider.collider.shape->piece;
  const bool mesh = brinkSceneCollider_IsMesh(&slot->collider);
  brinkObb obb = obbInLink(&slot->collider);
  const double round = mesh ? 0.0 : piece->radius;
  obb.half.x = BRINK_MAX(0.0, obb.half.x - round);
  obb.half.y = BRINK_MAX(0.0, obb.half.y - round);
  obb.half.z = BRINK_MAX(0.0, obb.half.z - round);
  const double half = brinkLength(obb.half);
  slot->core = (brinkSceneCore){
      obb,
      round,
      half + round,
      brinkLength(obb.center) + half + round,
      brinkMat3_IsIdentity(&obb.axes),
      !mesh && (piece->kind == brink_pieceBox || (piece->kind == brink_piecePoints && piece->count <= 2u))};
}

/* Smallest n.x over the box minus the half-space's offset, rounded down: > 0 = apart. */
double brinkSceneCollider_PlaneGap(const brinkSceneCollider *plane, const brinkAabb *box) {
  const brinkPiece *piece = &plane->collider.shape->piece;
  brinkVec3 n = brinkMulMV(&plane->collider.local.r, piece->normal);
  double offset = piece->offset + piece->radius + brinkDot(n, plane->collider.local.p);
  double lowest = BRINK_MIN(n.x * box->lower.x, n.x * box->upper.x) +
                  BRINK_MIN(n.y * box->lower.y, n.y * box->upper.y) + BRINK_MIN(n.z * box->lower.z, n.z * box->upper.z);
  double scale = fabs(offset) + brinkLength(plane->collider.local.p) +
                 brinkLength(brinkMaxV3(brinkAbsV3(box->lower), brinkAbsV3(box->upper)));
  return lowest - offset - 32.0 * DBL_EPSILON * scale;
}

static brinkStatus placeInTree(brinkContext *context, brinkBvh *tree, int32_t *proxy, brinkAabb box, uint32_t index) {
  if (*proxy >= 0) {
    brinkBvh_Move(tree, *proxy, box);
    return brink_ok;
  }
  *proxy = brinkBvh_Insert(tree, box, index);
  if (*proxy < 0) return brinkFail(context, brink_errorNoMemory, "box tree: out of memory");
  return brink_ok;
}

/* A slot on a link: what rests is in the tree, the others are found by sorting. */
static brinkStatus placeMoving(brinkScene *scene, brinkSceneSlot *slot, uint32_t index) {
  if (slot->resting) return placeInTree(scene->context, scene->movingTree, &slot->movingProxy, slot->box, index);
  if (slot->movingProxy >= 0) brinkBvh_Remove(scene->movingTree, slot->movingProxy);
  slot->movingProxy = -1;
  return brink_ok;
}

/* ---- swept boxes of moving colliders */

static brinkAabb unionOf(brinkAabb a, brinkAabb b) {
  return (brinkAabb){brinkMinV3(a.lower, b.lower), brinkMaxV3(a.upper, b.upper)};
}

static brinkAabb common(brinkAabb a, brinkAabb b) {
  return (brinkAabb){brinkMaxV3(a.lower, b.lower), brinkMinV3(a.upper, b.upper)};
}

static bool isRoot(const brinkSceneSweep *sweep, int32_t link) { return sweep->tree->links[link].parent < 0; }

static double partTime(const brinkSceneSweep *sweep, int k) {
  return sweep->tStart + (sweep->tEnd - sweep->tStart) * ((double)k / BRINK_CHORD_PARTS);
}

/* Poses of all links after k parts of BRINK_CHORD_PARTS of the time, made when first asked for. */
static const brinkRigid *posesAt(brinkScene *scene, brinkSceneSweep *sweep, int k) {
  brinkRigid *poses =
      scene->partPoses + (BRINK_CHORD_PARTS - 1u) * sweep->first + (size_t)(k - 1) * (size_t)sweep->tree->linkCount;
  if (!(sweep->partsMade >> k & 1u)) {
    brinkMotionTree_Poses(sweep->tree, partTime(sweep, k), poses);
    sweep->partsMade |= 1u << k;
  }
  return poses;
}

/* Where a link is at the ends of the interval, and how its points accelerate during it. */
typedef struct Ends {
  const brinkRigid *start, *end;
  const brinkLinkBound *bound;
} Ends;

static const brinkLinkBound unmoved = {0};
static const brinkRigid world = {.r = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

/* Returns the part of the slack that the paths' curvature takes, which goes with the square of the time. */
static double makeCourse(const brinkSceneCore *core, double tStart, double tEnd, const Ends *ends,
                         brinkSceneCourse *course) {
  const brinkLinkBound *bound = ends->bound;
  const double dt = tEnd - tStart, far = BRINK_MAX(brinkLength(ends->start->p), brinkLength(ends->end->p));
  const double curve = 0.125 * dt * dt * (bound->accelBase + bound->accelSlope * core->reach) * (1 + 1e-9);
  placeCourse(course, 0, ends->start, core);
  placeCourse(course, 1, ends->end, core);
  course->round = core->round;
  course->exact = core->exact;
  course->slack = curve + (bound->poseError + bound->poseErrorSlope * core->reach) * (1 + 1e-9);
  course->slack += ROUNDING * (core->reach + far); /* of the products here and along the directions */
  course->tStart = tStart;
  course->tEnd = tEnd;
  return curve;
}

/* Box of the path: over each part of the time every coordinate of a point lies within its chord's range widened by
 * max|x''| dt^2/8. As many parts as make that small against the collider; false when too many were needed. */
static bool chordBox(brinkScene *scene, brinkSceneSweep *sweep, const brinkSceneCore *core, int32_t link,
                     const Ends *ends, brinkSceneCourse *course, brinkAabb *box) {
  const double curve = makeCourse(core, sweep->tStart, sweep->tEnd, ends, course);
  const double enough = CHORD_SLACK * core->size;
  int parts = 1;
  while (curve > enough * parts * parts && parts < BRINK_CHORD_PARTS) parts *= 2;
  const double slack = course->slack - curve + curve / (parts * parts);
  if (!isfinite(slack)) return false;
  *box = unionOf(boxAt(course, 0, slack), boxAt(course, 1, slack));
  for (int k = 1; k < parts; ++k) {
    int part = k * (BRINK_CHORD_PARTS / parts);
    brinkRigid pose = isRoot(sweep, link) ? brinkLinkMotion_At(&sweep->tree->links[link], partTime(sweep, part))
                                          : posesAt(scene, sweep, part)[link];
    brinkSceneCourse at = {.round = course->round};
    placeCourse(&at, 0, &pose, core);
    *box = unionOf(*box, boxAt(&at, 0, slack));
  }
  return curve <= enough * parts * parts;
}

/* Taylor models of all links over each of the 2^level parts of the time, made when first asked for; NULL: no memory. */
static const brinkTaylorRigid *modelsOf(brinkScene *scene, brinkSceneSweep *sweep, int level, int part) {
  const size_t links = (size_t)sweep->tree->linkCount, parts = (size_t)1 << level;
  if (!(sweep->modelsMade >> level & 1u)) {
    if (BRINK_SCENE_RESERVE(scene, motions, motionCapacity, (2u * parts - 1u) * links) != brink_ok) return NULL;
    const double length = sweep->tEnd - sweep->tStart;
    for (size_t k = 0; k < parts; ++k) {
      double from = sweep->tStart + length * ((double)k / (double)parts),
             to = k + 1u == parts ? sweep->tEnd : sweep->tStart + length * ((double)(k + 1u) / (double)parts);
      brinkMotionTree_Taylor(sweep->tree, from, to, sweep->order, scene->motions + (parts - 1u + k) * links);
    }
    sweep->modelsMade |= 1u << level;
  }
  return scene->motions + (parts - 1u + (size_t)part) * links;
}

/* Remainders of long chains shrink with the fourth power of the time: more parts where they are large. */
static brinkStatus modelBox(brinkScene *scene, brinkSceneSweep *sweep, int32_t link, const brinkObb *obb,
                            brinkAabb *out) {
  const double reach = brinkLength(obb->center) + brinkLength(obb->half), enough = brinkLength(obb->half);
  for (int level = 0; level <= BRINK_MODEL_LEVELS; ++level) {
    brinkAabb whole = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    double worst = 0;
    for (int part = 0; part < 1 << level; ++part) {
      const brinkTaylorRigid *models = modelsOf(scene, sweep, level, part);
      if (models == NULL) return brinkFail(scene->context, brink_errorNoMemory, "motions: out of memory");
      const brinkTaylorRigid *model = &models[link];
      whole = unionOf(whole, brinkMakeSweptBox(model, obb, 0.0, sweep->order));
      worst = BRINK_MAX(worst, model->placeError + model->turnError * reach);
    }
    *out = common(*out, whole);
    if (worst <= enough || sweep->order == 0) break;
  }
  return brink_ok;
}

/* Box and course. A Taylor model costs as much as several swept pairs that are soon settled: only where chords do not
 * do. */
static brinkStatus sweepSlot(brinkScene *scene, brinkSceneSweep *sweep, brinkSceneSlot *slot, int32_t link,
                             const Ends *ends) {
  brinkAabb *out = &slot->box;
  *out = (brinkAabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
  slot->courseKnown = !sweep->always;
  if (slot->courseKnown && chordBox(scene, sweep, &slot->core, link, ends, &scene->courses[slot - scene->slots], out))
    return brink_ok;
  const brinkObb obb = obbInLink(&slot->collider);
  if (isRoot(sweep, link) && !sweep->always) { /* alone, not with all the others */
    const brinkMotionTree alone = {&sweep->tree->links[link], 1};
    brinkTaylorRigid motion;
    brinkMotionTree_Taylor(&alone, sweep->tStart, sweep->tEnd, sweep->order, &motion);
    *out = common(*out, brinkMakeSweptBox(&motion, &obb, 0.0, sweep->order));
    return brink_ok;
  }
  return modelBox(scene, sweep, link, &obb, out);
}

/* Few colliders: looking at every pair of boxes costs less than keeping a tree of the moving ones. */
static bool areFew(brinkScene *scene) {
  size_t moving = 0, fixed = 0;
  for (size_t i = 0; i < scene->slotCount; ++i) {
    const brinkSceneSlot *slot = &scene->slots[i];
    if (!slot->alive || brinkSceneCollider_IsPlane(&slot->collider)) continue;
    if (slot->collider.collider.link >= 0)
      ++moving;
    else
      ++fixed;
  }
  return (double)moving * (0.5 * (double)moving + (double)fixed) <= FEW_PAIRS;
}

/* Does the link rest in the world, and is no other link hung on it? */
static bool restsAlone(const brinkMotionTree *tree, int32_t link) {
  return tree->links[link].moving == 0u && tree->links[link].path == NULL && tree->links[link].parent < 0;
}

/* The link has no parent. */
static brinkStatus sweepAlone(brinkScene *scene, brinkSceneSweep *sweep, brinkSceneSlot *slot, int32_t link) {
  const brinkMotionTree alone = {&sweep->tree->links[link], 1};
  const brinkRigid start = brinkLinkMotion_At(alone.links, sweep->tStart),
                   end = brinkLinkMotion_At(alone.links, sweep->tEnd);
  brinkLinkBound bound;
  brinkMotionTree_Bounds(&alone, sweep->tStart, sweep->tEnd, &bound);
  return sweepSlot(scene, sweep, slot, link, &(Ends){&start, &end, &bound});
}

/* The swept box of a collider whose link rests alone: kept as long as the pose is the same. */
static brinkStatus placeResting(brinkScene *scene, brinkSceneSweep *sweep, brinkSceneSlot *slot, uint32_t index) {
  int32_t link = slot->collider.collider.link;
  const brinkLinkMotion *motion = &sweep->tree->links[link];
  if (slot->restKnown && slot->restLink == link && slot->movingProxy >= 0 &&
      memcmp(&slot->restPosition, &motion->t0, sizeof motion->t0) == 0 &&
      memcmp(&slot->restRotation, &motion->r0, sizeof motion->r0) == 0)
    return brink_ok;
  brinkStatus status = sweepAlone(scene, sweep, slot, link);
  if (status == brink_ok && !scene->few) status = placeMoving(scene, slot, index);
  slot->restKnown = status == brink_ok && !scene->few;
  slot->restLink = link;
  slot->restPosition = motion->t0;
  slot->restRotation = motion->r0;
  return status;
}

/* ---- pairs that stay apart */

/* NULL: planes; motions that jump, whose bounds are infinite; no memory. own: where a lane makes what is not known yet.
 */
static const brinkSceneCourse *takeCourse(brinkScene *scene, uint32_t index, const brinkSceneQuery *query,
                                          brinkSceneCourse *own) {
  brinkSceneSlot *slot = &scene->slots[index];
  const int32_t link = slot->collider.collider.link;
  if (!scene->isLane) {
    if (BRINK_SCENE_RESERVE(scene, courses, courseCapacity, scene->slotCount) != brink_ok) return NULL;
    own = &scene->courses[index];
  }
  if (slot->courseKnown && query->pairs == NULL) { /* else no boxes were made */
    const brinkSceneCourse *course = &scene->courses[index];
    if (link < 0 || (course->tStart == query->tStart && course->tEnd == query->tEnd))
      return isfinite(course->slack) ? course : NULL;
  }
  if (brinkSceneCollider_IsPlane(&slot->collider)) return NULL;
  brinkLinkRate rate;
  brinkMotionTree_Rate(query->tree, link, -1, query->tStart, query->tEnd, &rate);
  const brinkRigid end = brinkMotionTree_Pose(query->tree, link, -1, query->tEnd);
  const brinkLinkBound bound = {.accelBase = rate.accelBase,
                                .accelSlope = rate.accelSlope,
                                .poseError = rate.poseError,
                                .poseErrorSlope = rate.poseErrorSlope};
  makeCourse(&slot->core, query->tStart, query->tEnd, &(Ends){&rate.pose, &end, &bound}, own);
  if (!scene->isLane) slot->courseKnown = query->pairs == NULL;
  return isfinite(own->slack) ? own : NULL;
}

/* How far the box reaches from its centre along n. */
static inline double reachAlong(const brinkVec3 axes[3], brinkVec3 n) {
  return fabs(brinkDot(axes[0], n)) + fabs(brinkDot(axes[1], n)) + fabs(brinkDot(axes[2], n));
}

/* Of the cores at one end. n need not be quite unit. */
static inline double gapAlong(const brinkSceneCourse *a, const brinkSceneCourse *b, int end, brinkVec3 n) {
  return brinkDot(n, brinkSub(b->center[end], a->center[end])) - reachAlong(a->axes[end], n) -
         reachAlong(b->axes[end], n);
}

/* *most: the largest gap that both ends keep along one of the directions that were tried. */
static void tryAlong(const brinkSceneCourse *a, const brinkSceneCourse *b, brinkVec3 n, double *most) {
  const double start = gapAlong(a, b, 0, n);
  if (start > *most) *most = BRINK_MAX(BRINK_MIN(start, gapAlong(a, b, 1, n)), *most);
}

/* A box of which only the middle and one axis count. */
static brinkVec3 longestAxis(const brinkSceneCourse *course) {
  const brinkVec3 *longest = course->axes[0];
  for (int i = 1; i < 3; ++i)
    if (brinkLengthSquared(course->axes[0][i]) > brinkLengthSquared(*longest)) longest = &course->axes[0][i];
  return *longest;
}

static double clampOne(double value) { return BRINK_MIN(BRINK_MAX(value, -1.0), 1.0); }

/* From the one middle line to the other, at the start: the direction in which capsules are nearest. */
static brinkVec3 betweenLines(const brinkSceneCourse *a, const brinkSceneCourse *b, brinkVec3 between) {
  const brinkVec3 u = longestAxis(a), v = longestAxis(b);
  const double uu = brinkLengthSquared(u), vv = brinkLengthSquared(v), uv = brinkDot(u, v);
  const double du = brinkDot(between, u), dv = brinkDot(between, v), square = uu * vv - uv * uv;
  double s = square > 1e-12 * uu * vv ? clampOne((du * vv - dv * uv) / square) : 0.0, t = 0.0;
  if (vv > 0.0) t = clampOne((s * uv - dv) / vv);
  if (uu > 0.0) s = clampOne((t * uv + du) / uu);
  return brinkMulAdd(brinkMulAdd(between, t, v), -s, u);
}

/* m, what a pair that starts at this separation has to stay above. */
static double floorOf(const brinkSceneRoom *room, double start) {
  return BRINK_MAX(BRINK_MIN(start, 0.0) - room->deeper, room->least);
}

/* A plane that stands still. */
static bool staysOffPlane(const brinkSceneCollider *plane, const brinkSceneCourse *course, const brinkSceneRoom *room) {
  const brinkPiece *piece = &plane->collider.shape->piece;
  const brinkVec3 n = brinkNormalizeOr(brinkMulMV(&plane->collider.local.r, piece->normal), brinkV3(0, 0, 0));
  const double offset = piece->offset + piece->radius + brinkDot(n, plane->collider.local.p) + course->round;
  const double slack =
      course->slack * (1 + 1e-9) + 64.0 * DBL_EPSILON * (fabs(offset) + brinkLength(plane->collider.local.p));
  double gaps[2];
  if (!(brinkLengthSquared(n) > 0.0)) return false;
  for (int end = 0; end < 2; ++end)
    gaps[end] = brinkDot(n, course->center[end]) - offset - reachAlong(course->axes[end], n);
  return BRINK_MIN(gaps[0], gaps[1]) - slack > (course->exact ? floorOf(room, gaps[0]) : room->above);
}

#define BOX_AXES 15

/* Two boxes that overlap: one of these directions gives their depth. */
static int boxAxes(const brinkSceneCourse *x, const brinkSceneCourse *y, brinkVec3 between, brinkVec3 axes[BOX_AXES]) {
  int count = 0;
  for (int k = 0; k < BOX_AXES; ++k) {
    brinkVec3 n = k < 3   ? x->axes[0][k]
                  : k < 6 ? y->axes[0][k - 3]
                          : brinkCross(x->axes[0][(k - 6) / 3], y->axes[0][(k - 6) % 3]);
    const double size = brinkLength(n);
    if (!(size > 0.0)) continue;
    if (k >= 6 && !(size > 1e-6 * brinkLength(x->axes[0][(k - 6) / 3]) * brinkLength(y->axes[0][(k - 6) % 3])))
      continue;
    axes[count++] = brinkScale(n, (brinkDot(n, between) < 0.0 ? -1.0 : 1.0) / size);
  }
  return count;
}

/* Two boxes that may already be deeper than what every pair may: do they stay above what their start lets them? */
static bool boxesStay(const brinkSceneCourse *x, const brinkSceneCourse *y, brinkVec3 between, double slack,
                      const brinkSceneRoom *room) {
  brinkVec3 axes[BOX_AXES];
  double gaps[BOX_AXES], start = -HUGE_VAL;
  const int count = boxAxes(x, y, between, axes);
  for (int k = 0; k < count; ++k) {
    gaps[k] = gapAlong(x, y, 0, axes[k]);
    start = BRINK_MAX(start, gaps[k]);
  }
  const double least = floorOf(room, start) + slack;
  for (int k = 0; k < count; ++k)
    if (gaps[k] > least && gapAlong(x, y, 1, axes[k]) > least) return true;
  return false;
}

/* Open meshes only: a solid one may hold the collider. */
static bool standsOpen(const brinkSceneSlot *slot) {
  const brinkShape *shape = slot->collider.collider.shape;
  return slot->collider.collider.link < 0 && shape->tree != NULL && shape->obbTree != NULL &&
         (brinkHullTree_Flags(shape->tree) & (BRINK_MESH_SOLID | BRINK_MESH_CONVEX)) == 0u;
}

/* Does the box hold a point at this distance from its middle, at the start? */
static bool holds(const brinkSceneCourse *course, brinkVec3 off) {
  for (int k = 0; k < 3; ++k) {
    const brinkVec3 n = course->axes[0][k];
    if (fabs(brinkDot(n, off)) > brinkLengthSquared(n)) return false;
  }
  return true;
}

/* Or `least`, where that is larger; more than `enough` will do. */
static double mostApart(const brinkSceneCourse *x, const brinkSceneCourse *y, brinkVec3 between, double least,
                        double enough) {
  const double length = brinkLength(between);
  double most = least;
  tryAlong(x, y, brinkScale(between, 1.0 / length), &most);
  if (x->round > 0.0 && y->round > 0.0 && !(most > enough)) {
    const brinkVec3 line = betweenLines(x, y, between);
    const double size = brinkLength(line);
    if (size > 0.0) tryAlong(x, y, brinkScale(line, 1.0 / size), &most);
  }
  for (int k = 0; k < 6 && !(most > enough); ++k) { /* faces of both boxes at the start */
    const brinkVec3 n = (k < 3 ? x : y)->axes[0][k % 3];
    const double size = brinkLength(n);
    if (size > 1e-9 * length) tryAlong(x, y, brinkScale(n, (brinkDot(n, between) < 0.0 ? -1.0 : 1.0) / size), &most);
  }
  return most;
}

bool brinkScene_StayApart(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *candidate,
                          const brinkAdvanceInput *input) {
  const uint32_t a = candidate->a, b = candidate->b;
  brinkSceneSlot *slotA = &scene->slots[a], *slotB = &scene->slots[b];
  brinkSceneCourse own[2];
  const bool planeA = slotA->collider.collider.link < 0 && brinkSceneCollider_IsPlane(&slotA->collider),
             planeB = slotB->collider.collider.link < 0 && brinkSceneCollider_IsPlane(&slotB->collider);
  const brinkSceneCourse *x = planeA ? NULL : takeCourse(scene, a, query, &own[0]);
  const brinkSceneCourse *y = planeB || (!planeA && x == NULL) ? NULL : takeCourse(scene, b, query, &own[1]);
  if (x == NULL || y == NULL) {
    const brinkSceneRoom room = brinkScene_FreeRoom(scene, query, candidate, input);
    if (planeB) return x != NULL && staysOffPlane(&slotB->collider, x, &room);
    return y != NULL && staysOffPlane(&slotA->collider, y, &room);
  }
  const brinkVec3 between = brinkSub(y->center[0], x->center[0]);
  const double length = brinkLength(between), round = x->round + y->round;
  if (!(length > 0.0) || !isfinite(length)) return false;
  /* What is apart needs no room, which the host may have to be asked about. */
  brinkSceneRoom room = {.above = input->threshold + input->tolerance};
  const bool sinks = query->watch == BRINK_SCENE_WATCH_DEPTH;
  const double least = sinks ? -HUGE_VAL : room.above;
  double slack = 0.0, most = least;
  for (int asked = 0; asked < 1 + sinks; ++asked) {
    if (asked == 1) room = brinkScene_FreeRoom(scene, query, candidate, input);
    slack = (x->slack + y->slack) * (1 + 1e-9) + 1e-9 * (round + fabs(room.above)) + 64.0 * DBL_EPSILON * length;
    const double above = room.above + slack + round;
    if (most == least && !(above >= 0.0 && (holds(x, between) || holds(y, between)))) /* else nothing parts them */
      most = mostApart(x, y, between, least, above);
    if (most > above) return true;
  }
  if (standsOpen(slotA) && slotB->collider.collider.shape->tree == NULL)
    return brinkScene_StaysOffMesh(y, &slotA->collider.collider, room.above);
  if (standsOpen(slotB) && slotA->collider.collider.shape->tree == NULL)
    return brinkScene_StaysOffMesh(x, &slotB->collider.collider, room.above);
  return room.deeper > 0.0 && round == 0.0 && x->exact && y->exact && boxesStay(x, y, between, slack, &room);
}

bool brinkScene_IsOffMesh(brinkScene *scene, const brinkSceneQuery *query, const brinkSceneCandidate *pair, bool atEnd,
                          double distance) {
  const bool meshIsA = standsOpen(&scene->slots[pair->a]);
  const uint32_t other = meshIsA ? pair->b : pair->a;
  const brinkSceneSlot *mesh = &scene->slots[meshIsA ? pair->a : pair->b];
  if (!standsOpen(mesh) || scene->slots[other].collider.collider.shape->tree != NULL) return false;
  brinkSceneCourse own;
  const brinkSceneCourse *course = takeCourse(scene, other, query, &own);
  if (course == NULL) return false;
  brinkSceneCourse there = *course;
  there.center[!atEnd] = there.center[atEnd];
  memcpy(there.axes[!atEnd], there.axes[atEnd], sizeof there.axes[0]);
  return brinkScene_StaysOffMesh(&there, &mesh->collider.collider, distance);
}

/* ---- lists of the slots that count, so that a query's cost goes with what moves */

static void setActive(brinkScene *scene, uint32_t index, bool active) {
  brinkSceneSlot *slot = &scene->slots[index];
  if (active == (slot->activeAt != BRINK_NOT_ACTIVE)) return;
  if (active) { /* there is room for every slot */
    slot->activeAt = (uint32_t)scene->activeCount;
    scene->active[scene->activeCount++] = index;
    return;
  }
  uint32_t last = scene->active[--scene->activeCount];
  scene->active[slot->activeAt] = last;
  scene->slots[last].activeAt = slot->activeAt;
  slot->activeAt = BRINK_NOT_ACTIVE;
}

brinkStatus brinkScene_ListSlots(brinkScene *scene) {
  brinkStatus status = BRINK_SCENE_RESERVE(scene, active, activeCapacity, scene->slotCount);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, planes, planeCapacity, scene->slotCount);
  if (status != brink_ok) return brinkFail(scene->context, status, "colliders: out of memory");
  scene->activeCount = scene->planeCount = scene->movedCount = 0;
  scene->hasMovingPlanes = false;
  for (uint32_t i = 0; i < scene->slotCount; ++i) {
    brinkSceneSlot *slot = &scene->slots[i];
    slot->activeAt = BRINK_NOT_ACTIVE;
    scene->isListed[i] = false;
    if (!slot->alive) continue;
    if (brinkSceneCollider_IsPlane(&slot->collider)) {
      scene->planes[scene->planeCount++] = i;
      scene->hasMovingPlanes = scene->hasMovingPlanes || slot->collider.collider.link >= 0;
    } else if (slot->collider.collider.link >= 0 && !slot->resting) {
      setActive(scene, i, true);
    }
  }
  return brink_ok;
}

brinkStatus brinkScene_ReserveLinks(brinkScene *scene, size_t links) {
  brinkStatus status = BRINK_SCENE_RESERVE(scene, poses, poseCapacity, links);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, endPoses, endPoseCapacity, links);
  if (status == brink_ok)
    status = BRINK_SCENE_RESERVE(scene, partPoses, partPoseCapacity, (BRINK_CHORD_PARTS - 1) * links);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, bounds, boundCapacity, links);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, linkCounts, linkCountCapacity, links);
  if (status != brink_ok) return brinkFail(scene->context, status, "motions: out of memory");
  return brink_ok;
}

/* The slots whose links hang on others, and these links with all above them as a forest of their own: places and bounds
 * of a few links then cost nothing for the others. Each tree stands alone, parents before children. */
typedef struct SubForest {
  brinkSceneSweep *sweep;
  const uint32_t *given; /* slots */
  const brinkLinkMotion *from;
  size_t links, slots, trees; /* scene->subList: keys of links, then those of slots; scene->order: see beginTree */
} SubForest;

static uint32_t *beginTree(const brinkScene *scene, size_t tree) { return scene->order + 2u * tree; }

static bool isHung(const brinkSceneSweep *sweep, const brinkSceneSlot *slot) {
  return slot->alive && brinkSceneSlot_IsMoving(slot) &&
         (sweep->together || sweep->always || !isRoot(sweep, slot->collider.collider.link));
}

static brinkStatus takeSubForest(brinkScene *scene, SubForest *sub, size_t count) {
  const brinkSceneSweep *sweep = sub->sweep;
  const uint32_t *slots = sub->given;
  const brinkMotionTree *tree = sweep->tree;
  const size_t links = (size_t)tree->linkCount, known = scene->subOfCapacity;
  brinkStatus status = BRINK_SCENE_RESERVE(scene, subList, subListCapacity, links + count);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, order, orderCapacity, 2u * links + 4u);
  if (status == brink_ok && sweep->together) {
    sub->from = tree->links;
    sub->slots = count;
    sub->trees = 1u;
    const uint32_t ends[4] = {0u, 0u, (uint32_t)links, (uint32_t)count};
    memcpy(beginTree(scene, 0u), ends, sizeof ends);
    for (size_t i = 0; i < count; ++i)
      scene->subList[i] = (uint64_t)scene->slots[slots[i]].collider.collider.link << 32 | slots[i];
    return brink_ok;
  }
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, subOf, subOfCapacity, links);
  for (size_t i = known; i < scene->subOfCapacity; ++i) scene->subOf[i] = 0;
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, subLinks, subLinkCapacity, links);
  if (status != brink_ok) return brinkFail(scene->context, status, "motions: out of memory");
  sub->from = scene->subLinks;
  for (size_t i = 0; i < count; ++i) {
    if (!isHung(sweep, &scene->slots[slots[i]])) continue;
    const int32_t link = scene->slots[slots[i]].collider.collider.link;
    int32_t top = link;
    while (scene->subOf[top] == 0 && !isRoot(sweep, top)) top = tree->links[top].parent;
    const int32_t root = scene->subOf[top] != 0 ? scene->subOf[top] - 1 : top;
    for (int32_t at = link; at >= 0 && scene->subOf[at] == 0; at = tree->links[at].parent) {
      scene->subOf[at] = root + 1;
      scene->subList[sub->links++] = (uint64_t)root << 32 | (uint32_t)at;
    }
  }
  brinkSortPieceKeys(scene->subList, sub->links);
  for (size_t i = 0, root = 0; i < sub->links; ++i) {
    const uint32_t link = (uint32_t)scene->subList[i];
    brinkLinkMotion *copy = &scene->subLinks[i];
    *copy = tree->links[link];
    if (copy->parent < 0) *beginTree(scene, sub->trees++) = (uint32_t)(root = i);
    if (copy->parent >= 0) copy->parent = scene->subOf[copy->parent] - 1 - (int32_t)root;
    scene->subOf[link] = (int32_t)i + 1;
  }
  uint64_t *list = scene->subList + sub->links;
  for (size_t i = 0; i < count; ++i) {
    const brinkSceneSlot *slot = &scene->slots[slots[i]];
    if (isHung(sweep, slot))
      list[sub->slots++] = (uint64_t)(scene->subOf[slot->collider.collider.link] - 1) << 32 | slots[i];
  }
  brinkSortPieceKeys(list, sub->slots);
  *beginTree(scene, sub->trees) = (uint32_t)sub->links;
  for (size_t i = 0, k = 0; i <= sub->trees; beginTree(scene, i++)[1] = (uint32_t)k)
    while (k < sub->slots && list[k] >> 32 < *beginTree(scene, i)) ++k;
  return brink_ok;
}

/* Boxes and courses of one tree's slots. */
static brinkStatus sweepTree(brinkScene *scene, const void *data, size_t index) {
  const SubForest *sub = data;
  const brinkSceneSweep *all = sub->sweep;
  const uint32_t *begin = beginTree(scene, index), first = begin[0];
  const brinkMotionTree tree = {sub->from + first, (int32_t)(begin[2] - first)};
  brinkSceneSweep sweep = *all;
  sweep.tree = &tree;
  sweep.first = first;
  if (!all->always) {
    brinkMotionTree_Poses(&tree, all->tStart, scene->poses + first);
    brinkMotionTree_Poses(&tree, all->tEnd, scene->endPoses + first);
    brinkMotionTree_Bounds(&tree, all->tStart, all->tEnd, scene->bounds + first);
  }
  brinkStatus status = brink_ok;
  for (size_t i = begin[1]; status == brink_ok && i < begin[3]; ++i) {
    const uint64_t key = scene->subList[sub->links + i];
    const uint32_t at = (uint32_t)(key >> 32);
    brinkSceneSlot *slot = &scene->slots[(uint32_t)key];
    slot->resting = restsAlone(&tree, (int32_t)(at - first));
    slot->restKnown = false;
    const Ends ends = {&scene->poses[at], &scene->endPoses[at], &scene->bounds[at]};
    status = sweepSlot(scene, &sweep, slot, (int32_t)(at - first), &ends);
  }
  return status;
}

/* The box of a slot whose link is a root and moves: it hangs on nothing else. */
static brinkStatus sweepOne(brinkScene *scene, const void *data, size_t i) {
  const SubForest *sub = data;
  brinkSceneSlot *slot = &scene->slots[sub->given[i]];
  if (!slot->alive || !brinkSceneSlot_IsMoving(slot) || isHung(sub->sweep, slot)) return brink_ok;
  const int32_t link = slot->collider.collider.link;
  slot->resting = restsAlone(sub->sweep->tree, link);
  if (slot->resting) return brink_ok;
  slot->restKnown = false;
  return sweepAlone(scene, sub->sweep, slot, link);
}

brinkStatus brinkScene_SweepSlots(brinkScene *scene, brinkSceneSweep *sweep, const uint32_t *slots, size_t count) {
  SubForest sub = {sweep, slots, NULL, 0, 0, 0};
  brinkStatus status = sweep->together ? brink_ok : brinkScene_Each(scene, count, sweepOne, &sub);
  size_t hung = 0;
  while (hung < count && !isHung(sweep, &scene->slots[slots[hung]])) ++hung;
  if (status == brink_ok && hung < count) status = takeSubForest(scene, &sub, count);
  if (status == brink_ok) status = brinkScene_Each(scene, sub.trees, sweepTree, &sub);
  for (size_t i = 0; i < sub.links; ++i) scene->subOf[(uint32_t)scene->subList[i]] = 0;
  for (size_t i = 0; status == brink_ok && i < count; ++i) { /* their boxes and places are new */
    brinkSceneSlot *slot = &scene->slots[slots[i]];
    if (!slot->alive || !brinkSceneSlot_IsMoving(slot)) continue;
    if (slot->resting && !isHung(sweep, slot))
      status = placeResting(scene, sweep, slot, slots[i]);
    else if (!scene->few)
      status = placeMoving(scene, slot, slots[i]);
    setActive(scene, slots[i], !slot->resting);
    brinkScene_ChangeSorted(scene, slots[i]);
    if (scene->few && slots[i] < scene->boxCount) brinkScene_ListBox(scene, slots[i]);
  }
  return status;
}

/* Puts every collider where the query needs it. */
brinkStatus brinkScene_PlaceColliders(brinkScene *scene, brinkSceneSweep *sweep) {
  scene->few = areFew(scene);
  sweep->together = scene->few || sweep->always;
  scene->sorted.valid = false;
  size_t count = 0;
  scene->activeCount = 0;
  brinkStatus status = BRINK_SCENE_RESERVE(scene, moved, movedCapacity, scene->slotCount);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, active, activeCapacity, scene->slotCount);
  if (status == brink_ok) status = BRINK_SCENE_RESERVE(scene, courses, courseCapacity, scene->slotCount);
  if (status != brink_ok) return brinkFail(scene->context, status, "colliders: out of memory");
  for (uint32_t i = 0; status == brink_ok && i < scene->slotCount; ++i) {
    brinkSceneSlot *slot = &scene->slots[i];
    const brinkCollider *collider = &slot->collider.collider;
    slot->activeAt = BRINK_NOT_ACTIVE;
    if (!slot->alive || brinkSceneCollider_IsPlane(&slot->collider)) continue;
    const bool hangs = collider->link >= 0;
    if ((hangs ? slot->staticProxy : slot->movingProxy) >= 0) brinkScene_LeaveTrees(scene, slot);
    if (hangs && sweep->tree != NULL) scene->moved[count++] = i;
    if (hangs ? sweep->tree != NULL : slot->staticProxy >= 0) continue;
    brinkSceneCourse *course = &scene->courses[i];
    const brinkRigid *place = hangs ? &scene->poses[collider->link] : &world;
    makeCourse(&slot->core, 0.0, 0.0, &(Ends){place, place, &unmoved}, course);
    slot->box = boxAt(course, 0, course->slack);
    slot->resting = slot->restKnown = false;
    slot->courseKnown = !hangs;
    if (!hangs)
      status = placeInTree(scene->context, scene->fixedTree, &slot->staticProxy, slot->box, i);
    else if (!scene->few)
      status = placeMoving(scene, slot, i);
  }
  if (status != brink_ok || sweep->tree == NULL) return status;
  return brinkScene_SweepSlots(scene, sweep, scene->moved, count);
}

/* Boxes of what moved since the last query of this kind. */
static brinkStatus sweepMoved(brinkScene *scene, brinkSceneSweep *sweep) {
  if (scene->movedCount == 0u) return brink_ok;
  scene->sorted.valid = false;
  brinkStatus status = brinkScene_SweepSlots(scene, sweep, scene->moved, scene->movedCount);
  for (; status == brink_ok && scene->movedCount > 0u; --scene->movedCount)
    scene->isListed[scene->moved[scene->movedCount - 1u]] = false;
  return status;
}

/* Swept boxes of all colliders over the query's interval; those that are there already are kept. */
brinkStatus brinkScene_SweepColliders(brinkScene *scene, const brinkSceneQuery *query, brinkSceneSweep *sweep) {
  bool kept =
      brinkScene_HasLists(scene, query) && query->tStart == scene->placedStart && query->tEnd == scene->placedEnd;
  if (!kept) brinkScene_MarkAllMoved(scene);
  brinkStatus status = kept ? sweepMoved(scene, sweep) : brinkScene_PlaceColliders(scene, sweep);
  if (status == brink_ok && !kept && query->serial != 0u && !sweep->always && !scene->few)
    status = brinkScene_ListSlots(scene);
  if (status != brink_ok) brinkScene_MarkAllMoved(scene);
  if (query->tStart > scene->question.from || query->tEnd < scene->question.tEnd) scene->question.intact = false;
  if (status != brink_ok || sweep->always || scene->few || query->serial == 0u) return status;
  scene->placedSerial = scene->hasMovingPlanes ? 0u : query->serial;
  scene->placedStart = query->tStart;
  scene->placedEnd = query->tEnd;
  return brink_ok;
}
