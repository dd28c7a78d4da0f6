/* SPDX-License-Identifier: BSD-3-Clause */
/* Is this edge, this configuration, this polyline free? The robot's joints become motions of links, first_contact.h
 * answers, and the answer comes back in joint space. Units: m, rad; t in [0,1] along the edge. */
#include "robot.h"

#include <stdio.h>

/* ---- checks */

#define KNOWN_FLAGS \
  (BRINK_EDGE_NO_SELF | BRINK_EDGE_ANY | BRINK_EDGE_ALL_PAIRS | BRINK_EDGE_SHORTER | BRINK_EDGE_NO_LIMITS)

brinkStatus brinkRobot_CheckQuery(brinkContext *context, const brinkEdgeQuery *given, brinkEdgeQuery *query) {
  memset(query, 0, sizeof *query);
  query->structSize = sizeof *query;
  if (given == NULL) return brink_ok;
  brinkStatus status = brinkCheckSize(context, given->structSize, sizeof *given, "query");
  if (status == brink_ok) status = brinkCheckFlags(context, given->flags, KNOWN_FLAGS, "query->flags");
  if (status == brink_ok) status = brinkCheckLength(context, given->clearance, "query->clearance");
  if (status == brink_ok) status = brinkCheckLength(context, given->tolerance, "query->tolerance");
  if (status == brink_ok && (given->flags & BRINK_EDGE_ANY) != 0 && (given->flags & BRINK_EDGE_ALL_PAIRS) != 0)
    status = brinkFail(context, brink_errorBadValue,
                       "query->flags: BRINK_EDGE_ANY and BRINK_EDGE_ALL_PAIRS exclude "
                       "each other");
  if (status == brink_ok) *query = *given;
  return status;
}

static brinkStatus checkAnswer(brinkContext *context, const brinkEdgeAnswer *answer) {
  if (answer == NULL) return brinkRefuseNull(context, "answer");
  return brinkCheckSize(context, answer->structSize, sizeof *answer, "answer");
}

static brinkStatus checkEnds(const brinkRobotView *view, brinkContext *context, const double *q0, const double *q1,
                             const brinkEdgeQuery *query) {
  if (view->robot->valueCount == 0) return brink_ok; /* nothing moves, and NULL is no configuration less */
  if (q0 == NULL) return brinkRefuseNull(context, "q0");
  if (q1 == NULL) return brinkRefuseNull(context, "q1");
  bool limits = (query->flags & BRINK_EDGE_NO_LIMITS) == 0;
  brinkStatus status = brinkRobot_CheckValues(view->robot, context, q0, "q0", limits);
  return status == brink_ok ? brinkRobot_CheckValues(view->robot, context, q1, "q1", limits) : status;
}

/* ---- asking */

/* The report of a contact that culling has come upon. */
static void tellShown(brinkRobotView *view, brinkSceneReport *report) {
  const brinkPairResult *result = &view->shownPair.result;
  view->looked = result->toi > 0.0;
  memset(report, 0, sizeof *report);
  report->state = brink_overlap;
  report->toi = result->toi;
  report->pairs = &view->shownPair;
  report->pairCount = 1;
  report->counters.pairsSpatial = view->candidateCount;
}

#define DEPTH 1 /* an edge near an obstacle is halved so often: boxes then stray a quarter as far */

typedef struct Parts { /* a question of yes or no on an edge, part by part */
  brinkRobotView *view;
  const double *q0, *q1;
  bool shorter;
  brinkSceneQuery scene;
  brinkSceneReport *report;
  uint64_t pairs, distances, iterations;
} Parts;

/* The contact's time on the whole edge; from where on there is one is not known, unless it is the start. */
static void placeOnEdge(Parts *parts, double from, double to) {
  brinkRobotView *view = parts->view;
  brinkScenePairResult *shown = &view->shownPair;
  if (!view->shown) { /* the first of the engine's that met */
    size_t i = 0;
    while (i + 1 < parts->report->pairCount && parts->report->pairs[i].result.state == brink_free) ++i;
    *shown = parts->report->pairs[i];
  }
  shown->result.toiUpper = from + (to - from) * fmin(shown->result.toiUpper, 1.0);
  if (shown->result.state != brink_overlap || from > 0.0) shown->result.toi = fmax(from, shown->result.toiUpper);
  shown->result.state = brink_overlap;
}

/* Pairs of the robot's own that are near are mostly so all along: halves would not part them. */
static bool nearObstacle(const brinkRobotView *view) {
  bool any = false;
  for (size_t i = 0; i < view->candidateCount && !any; ++i) any = view->origins[i].isObstacle;
  return any;
}

static const double *between(const Parts *parts, double t, double *q) {
  brinkRobot_Between(parts->view->robot, parts->q0, parts->q1, t, parts->shorter, q);
  return q;
}

/* *state: free, overlap (view->shownPair), or unresolved. */
static brinkStatus askPart(Parts *parts, double from, double to, int depth, brinkPairState *state) {
  brinkRobotView *view = parts->view;
  const brinkRobot *robot = view->robot;
  const double *a = parts->q0, *b = parts->q1;
  if (from > 0.0) a = between(parts, from, view->values + 4 * robot->valueCount);
  if (to < 1.0) b = between(parts, to, view->values + 5 * robot->valueCount);
  brinkRobot_MakeMotions(robot, a, b, parts->shorter, view->links);
  bool culled;
  brinkStatus status = brinkRobotView_Cull(view, &parts->scene, false, &culled);
  if (status != brink_ok) return status;
  *state = brink_free;
  if (culled && !view->shown && view->candidateCount == 0) return brink_ok;
  parts->pairs += culled ? view->candidateCount : 0;
  if (!view->shown && depth > 0 && culled && nearObstacle(view)) {
    const double middle = 0.5 * (from + to);
    status = askPart(parts, middle, to, depth - 1, state); /* ends are hit more often than starts */
    return status != brink_ok || *state != brink_free ? status : askPart(parts, from, middle, depth - 1, state);
  }
  if (!view->shown) {
    brinkSceneQuery scene = parts->scene;
    scene.pairs = culled ? view->candidates : NULL;
    scene.pairCount = culled ? view->candidateCount : 0;
    status = brinkFirstContact(view->scene, &scene, parts->report);
    if (status != brink_ok) return status;
    parts->distances += parts->report->counters.distanceQueries;
    parts->iterations += parts->report->counters.advancements;
    *state = (brinkPairState)parts->report->state;
    if (*state == brink_free || *state == brink_unresolved) return brink_ok;
  }
  placeOnEdge(parts, from, to);
  view->shown = true;
  *state = brink_overlap;
  return brink_ok;
}

static brinkStatus askInParts(Parts *parts, brinkPairState *state) {
  brinkSceneReport *report = parts->report;
  brinkStatus status = askPart(parts, 0.0, 1.0, DEPTH, state);
  if (status != brink_ok || *state == brink_unresolved) return status;
  if (*state == brink_overlap) {
    tellShown(parts->view, report);
  } else {
    memset(report, 0, sizeof *report);
    report->state = brink_free;
  }
  report->counters.pairsSpatial = parts->pairs;
  report->counters.distanceQueries = parts->distances;
  report->counters.advancements = parts->iterations;
  return brink_ok;
}

brinkStatus brinkRobotView_Ask(brinkRobotView *view, const double *q0, const double *q1, const brinkEdgeQuery *query,
                               const double *extra, bool instant, brinkSceneReport *report) {
  const brinkRobot *robot = view->robot;
  const bool shorter = (query->flags & BRINK_EDGE_SHORTER) != 0;
  const brinkMotionTree tree = {view->links, (int32_t)robot->motionCount};
  brinkSceneQuery scene = brinkRobotView_SceneQuery(view, &tree);
  view->noSelf = (query->flags & BRINK_EDGE_NO_SELF) != 0;
  scene.mode = (query->flags & BRINK_EDGE_ALL_PAIRS) != 0 ? brink_modePairs
               : (query->flags & BRINK_EDGE_ANY) != 0     ? brink_modeBoolean
                                                          : brink_modeFirst;
  scene.threshold = query->clearance;
  scene.tolerance = query->tolerance;
  scene.maxIterations = query->maxIterations;
  if (instant) {
    scene.tEnd = 0.0;
    scene.within = true; /* an edge may pass by within the tolerance, and tell no contact; a configuration may not */
  }
  if (view->padded || extra != NULL) {
    for (size_t m = 0; m < robot->motionCount; ++m)
      view->margin[m] = view->padding[m] + (extra != NULL ? extra[m] : 0.0);
    scene.linkMargin = view->margin;
  }
  view->looked = false;
  view->yesOrNo = scene.mode == brink_modeBoolean;
  if (view->yesOrNo && !instant && extra == NULL) {
    Parts parts = {.view = view, .q0 = q0, .q1 = q1, .shorter = shorter, .scene = scene, .report = report};
    brinkPairState state;
    brinkStatus status = askInParts(&parts, &state);
    if (status != brink_ok || state != brink_unresolved) return status;
  }
  bool culled;
  brinkRobot_MakeMotions(robot, q0, q1, shorter, view->links);
  brinkStatus status = brinkRobotView_Cull(view, &scene, instant, &culled);
  if (status != brink_ok) return status;
  if (view->shown) {
    tellShown(view, report);
    return brink_ok;
  }
  if (culled) {
    scene.pairs = view->candidates;
    scene.pairCount = view->candidateCount;
  }
  memset(report, 0, sizeof *report);
  return brinkFirstContact(view->scene, &scene, report);
}

/* What is within its clearance, padding and tolerance at the start is an overlap, of a configuration as of an edge. */
static brinkPairState tellState(brinkPairState state, double toiUpper) {
  return state == brink_hit && toiUpper <= 0.0 ? brink_overlap : state;
}

static void fillContact(const brinkRobotView *view, const brinkScenePairResult *pair, brinkRobotContact *contact) {
  const brinkPairResult *result = &pair->result;
  const brinkPairState state = tellState(result->state, result->toiUpper);
  const RobotThing *a = &view->things[brinkScene_Collider(view->scene, pair->a)->userData];
  const RobotThing *b = &view->things[brinkScene_Collider(view->scene, pair->b)->userData];
  bool met = result->state == brink_hit || result->state == brink_overlap;
  BRINK_ASSERT(a->link != BRINK_NONE); /* the robot's shapes come first in the scene */
  *contact = (brinkRobotContact){.state = (uint32_t)state,
                                 .linkA = a->link,
                                 .linkB = b->link,
                                 .objectA = a->object,
                                 .objectB = b->object,
                                 .obstacle = b->obstacle,
                                 .toi = result->state == brink_free ? BRINK_NO_TIME : result->toi,
                                 .toiUpper = met ? result->toiUpper : BRINK_NO_TIME,
                                 .distance = result->distance,
                                 .pointA = result->pointA,
                                 .pointB = result->pointB,
                                 .normal = result->normal};
  if (!view->looked) return;
  contact->state = brink_hit; /* at that time; from where on is not known */
  contact->toi = 0.0;
}

brinkStatus brinkRobotView_Tell(brinkRobotView *view, const brinkSceneReport *report, brinkEdgeAnswer *answer) {
  void *block = view->contacts;
  brinkStatus status = brinkReserve(&view->context, &block, &view->contactCapacity, BRINK_MAX(report->pairCount, 1u),
                                    sizeof *view->contacts);
  view->contacts = block;
  if (status != brink_ok) return brinkFail(&view->context, status, "answer: no memory");
  for (size_t i = 0; i < report->pairCount; ++i) fillContact(view, &report->pairs[i], &view->contacts[i]);
  answer->segment = 0;
  answer->toi = report->state == brink_free ? BRINK_NO_TIME : view->looked ? 0.0 : report->toi;
  answer->toiUpper = BRINK_NO_TIME;
  answer->first = (brinkRobotContact){.linkA = BRINK_ROBOT_NONE,
                                      .linkB = BRINK_ROBOT_NONE,
                                      .objectA = BRINK_ROBOT_NONE,
                                      .objectB = BRINK_ROBOT_NONE,
                                      .toi = BRINK_NO_TIME,
                                      .toiUpper = BRINK_NO_TIME};
  /* pairs come by toi, free ones too where all are told */
  bool told = false;
  for (size_t i = 0; i < report->pairCount; ++i) {
    const brinkRobotContact *contact = &view->contacts[i];
    if (contact->state == brink_free) continue;
    if (!told) answer->first = *contact;
    told = true;
    answer->toiUpper = fmin(answer->toiUpper, contact->toiUpper);
  }
  answer->state = view->looked ? (uint32_t)brink_hit : (uint32_t)tellState(report->state, answer->toiUpper);
  answer->contacts = view->contacts;
  answer->contactCount = report->pairCount;
  answer->pairs += report->counters.pairsSpatial;
  answer->distances += report->counters.distanceQueries;
  answer->iterations += report->counters.advancements;
  return brink_ok;
}

static void clearWork(brinkEdgeAnswer *answer) { answer->pairs = answer->distances = answer->iterations = 0; }

/* The last configuration that is proven valid. A yes-or-no question proves no time for all pairs. */
static void tellLastValid(const brinkRobotView *view, const double *q0, const double *q1, const brinkEdgeQuery *query,
                          brinkEdgeAnswer *answer) {
  if (answer->lastValid == NULL || view->robot->valueCount == 0) return;
  double t = answer->state == brink_free ? 1.0 : fmin(fmax(answer->toi, 0.0), 1.0);
  if ((query->flags & BRINK_EDGE_ANY) != 0 && answer->state != brink_free) t = 0.0;
  brinkRobot_Between(view->robot, q0, q1, t, (query->flags & BRINK_EDGE_SHORTER) != 0, answer->lastValid);
}

/* From q0 to q1; stays: both are one configuration. */
static brinkStatus askEdge(brinkRobotView *view, const double *q0, const double *q1, bool stays,
                           const brinkEdgeQuery *given, brinkEdgeAnswer *answer) {
  brinkContext *context = &view->context;
  brinkEdgeQuery query;
  brinkSceneReport report;
  brinkStatus status = checkAnswer(context, answer);
  if (status == brink_ok) status = brinkRobot_CheckQuery(context, given, &query);
  if (status == brink_ok) status = checkEnds(view, context, q0, q1, &query);
  if (status == brink_ok) status = brinkRobotView_Refresh(view);
  if (status == brink_ok) status = brinkRobotView_Ask(view, q0, q1, &query, NULL, stays, &report);
  if (status != brink_ok) return status;
  clearWork(answer);
  status = brinkRobotView_Tell(view, &report, answer);
  if (status == brink_ok) tellLastValid(view, q0, q1, &query, answer);
  return status;
}

brinkStatus brinkRobotView_Edge(brinkRobotView *view, const double *q0, const double *q1, const brinkEdgeQuery *given,
                                brinkEdgeAnswer *answer) {
  return askEdge(view, q0, q1, false, given, answer);
}

brinkStatus brinkRobotView_Configuration(brinkRobotView *view, const double *q, const brinkEdgeQuery *given,
                                         brinkEdgeAnswer *answer) {
  return askEdge(view, q, q, true, given, answer);
}

brinkStatus brinkRobotView_Polyline(brinkRobotView *view, const double *points, size_t count,
                                    const brinkEdgeQuery *given, brinkEdgeAnswer *answer) {
  brinkContext *context = &view->context;
  const size_t width = view->robot->valueCount;
  brinkEdgeQuery query;
  brinkStatus status = checkAnswer(context, answer);
  if (status == brink_ok) status = brinkRobot_CheckQuery(context, given, &query);
  if (status == brink_ok && points == NULL) status = brinkRefuseNull(context, "points");
  if (status == brink_ok && (count < 2 || count > UINT32_MAX))
    status = brinkFail(context, brink_errorBadValue, "count is %zu: a polyline has 2 points at least", count);
  for (size_t i = 0; status == brink_ok && i < count; ++i) {
    char what[48];
    snprintf(what, sizeof what, "point %zu", i);
    status = brinkRobot_CheckValues(view->robot, context, points + i * width, what,
                                    (query.flags & BRINK_EDGE_NO_LIMITS) == 0);
  }
  if (status == brink_ok) status = brinkRobotView_Refresh(view);
  if (status != brink_ok) return status;
  clearWork(answer);
  for (size_t i = 0; status == brink_ok && i + 1 < count; ++i) {
    const double *q0 = points + i * width, *q1 = q0 + width;
    brinkSceneReport report;
    status = brinkRobotView_Ask(view, q0, q1, &query, NULL, false, &report);
    if (status == brink_ok) status = brinkRobotView_Tell(view, &report, answer);
    if (status != brink_ok) return status;
    answer->segment = (uint32_t)i;
    /* in contact only at the end of a segment before: that is a hit there */
    if (answer->state == brink_overlap && i > 0) answer->state = brink_hit;
    tellLastValid(view, q0, q1, &query, answer);
    if (answer->state != brink_free) break;
  }
  return status;
}
