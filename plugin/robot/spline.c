/* SPDX-License-Identifier: BSD-3-Clause */
/* Is a curve in joint space free? A piece of a cubic is asked as the straight edge between its ends, with every link
 * kept further away by as much as the curve can stray from that edge:
 *
 *   |q_i(t) - chord_i(t)| <= h^2/8 max|q_i''|            q_i'' of a cubic is linear: largest at an end
 *   a link's points stray by at most the sum over the joints above it of that times the arm of the joint
 *
 * A piece that is free with this margin is free. One that is not is halved; once the margin is a quarter of the
 * tolerance the chord's hit is the curve's within the tolerance. Arms are sums of lengths along the tree, valid for all
 * values on the curve. Units: m, rad; t in [0,1] along one segment. */
#include <stdio.h>

#include "robot.h"

#define DEFAULT_TOLERANCE 1e-4 /* of the robot's reach */
#define MARGIN_SHARE 0.25      /* of the tolerance: margins of both bodies of a pair, twice (chord and curve) */
#define DEEPEST 40             /* halvings: margins fall by four each */

typedef struct Cubic { /* one segment: points and slopes at both ends, [valueCount] each */
  const double *p0, *p1, *m0, *m1;
} Cubic;

typedef struct SplineRun {
  brinkRobotView *view;
  const brinkEdgeQuery *query;
  double tolerance;
  double *from, *to, *stray, *extra; /* [valueCount] three times, [motionCount] */
  double *travel;                    /* [motionCount] m, how far the joint may move its child along */
} SplineRun;

static double valueAt(const Cubic *cubic, size_t i, double t) {
  if (t == 0.0) return cubic->p0[i];
  if (t == 1.0) return cubic->p1[i];
  double s = 1.0 - t, h00 = (1.0 + 2.0 * t) * s * s, h10 = t * s * s, h01 = t * t * (3.0 - 2.0 * t), h11 = -t * t * s;
  return h00 * cubic->p0[i] + h10 * cubic->m0[i] + h01 * cubic->p1[i] + h11 * cubic->m1[i];
}

static double curvatureAt(const Cubic *cubic, size_t i, double t) {
  return (12.0 * t - 6.0) * (cubic->p0[i] - cubic->p1[i]) + (6.0 * t - 4.0) * cubic->m0[i] +
         (6.0 * t - 2.0) * cubic->m1[i];
}

/* Bound of |q_i| on the whole segment: the Bezier control values. */
static double largestValue(const Cubic *cubic, size_t i) {
  double a = fabs(cubic->p0[i]), b = fabs(cubic->p0[i] + cubic->m0[i] / 3.0);
  double c = fabs(cubic->p1[i] - cubic->m1[i] / 3.0), d = fabs(cubic->p1[i]);
  return fmax(fmax(a, b), fmax(c, d));
}

static double sourced(const brinkRobot *robot, const RobotJoint *joint, const double *perValue) {
  return fabs(joint->multiplier) * perValue[robot->joints[joint->source].valueIndex];
}

/* How far joint m of the layout may carry its child from its mount, m, on this segment. */
static void findTravels(const SplineRun *run, const Cubic *cubic) {
  const brinkRobot *robot = run->view->robot;
  for (size_t m = 0; m < robot->motionCount; ++m) {
    run->travel[m] = 0.0;
    if (robot->carriers[m] == BRINK_NONE) continue;
    const RobotJoint *joint = &robot->joints[robot->carriers[m]];
    double rate = joint->type == brink_robotPrismatic ? 1.0
                  : joint->type == brink_robotScrew   ? fabs(joint->pitch)
                                                      : 0.0;
    if (rate > 0.0) {
      const RobotJoint *source = &robot->joints[joint->source];
      run->travel[m] = rate * (fabs(joint->multiplier) * largestValue(cubic, source->valueIndex) + fabs(joint->offset));
    }
    if (joint->type == brink_robotPlanar)
      run->travel[m] = largestValue(cubic, joint->valueIndex) + largestValue(cubic, joint->valueIndex + 1);
  }
}

/* run->extra: how far each motion link's points may be from the chord's, given stray[valueCount]. */
static void spreadStray(const SplineRun *run) {
  const brinkRobot *robot = run->view->robot;
  for (size_t m = 0; m < robot->motionCount; ++m) {
    double reach = run->view->reach[m], sum = 0.0; /* from the frame at hand to the link's points */
    for (int32_t at = (int32_t)m; at >= 0;) {
      uint32_t carrier = robot->carriers[at];
      if (carrier == BRINK_NONE) break;
      const RobotJoint *joint = &robot->joints[carrier];
      switch (joint->type) {
        case brink_robotRevolute:
        case brink_robotContinuous:
          sum += sourced(robot, joint, run->stray) * reach;
          break;
        case brink_robotPrismatic:
          sum += sourced(robot, joint, run->stray);
          break;
        case brink_robotScrew:
          sum += sourced(robot, joint, run->stray) * (reach + fabs(joint->pitch));
          break;
        case brink_robotPlanar:
          sum += run->stray[joint->valueIndex] + run->stray[joint->valueIndex + 1] +
                 run->stray[joint->valueIndex + 2] * reach;
          break;
        default:
          break;
      }
      reach += brinkLength(joint->mount.p) + run->travel[at];
      at = joint->motionParent;
    }
    run->extra[m] = sum * (1.0 + 1e-9);
  }
}

static double largestExtra(const SplineRun *run) {
  double largest = 0.0;
  for (size_t m = 0; m < run->view->robot->motionCount; ++m) largest = fmax(largest, run->extra[m]);
  return largest;
}

/* One piece [t0, t1] as an edge with margins. */
static brinkStatus askPiece(SplineRun *run, const Cubic *cubic, double t0, double t1, brinkSceneReport *report,
                            double *margin) {
  const size_t count = run->view->robot->valueCount;
  double h = t1 - t0;
  for (size_t i = 0; i < count; ++i) {
    run->from[i] = valueAt(cubic, i, t0);
    run->to[i] = valueAt(cubic, i, t1);
    double curvature = fmax(fabs(curvatureAt(cubic, i, t0)), fabs(curvatureAt(cubic, i, t1)));
    run->stray[i] =
        0.125 * h * h * curvature * (1.0 + 1e-9) +
        16.0 * DBL_EPSILON * (fabs(cubic->p0[i]) + fabs(cubic->p1[i]) + fabs(cubic->m0[i]) + fabs(cubic->m1[i]));
  }
  spreadStray(run);
  *margin = largestExtra(run);
  brinkEdgeQuery query = *run->query;
  query.tolerance = MARGIN_SHARE * run->tolerance;
  return brinkRobotView_Ask(run->view, run->from, run->to, &query, run->extra, false, report);
}

/* Walks the segment from t = 0: pieces double after a free one and halve after one that is not. */
static brinkStatus askSegment(SplineRun *run, const Cubic *cubic, brinkEdgeAnswer *answer, double *proven) {
  const double least = ldexp(1.0, -DEEPEST);
  double t = 0.0, h = 1.0;
  findTravels(run, cubic);
  while (t < 1.0) {
    brinkSceneReport report;
    double end = fmin(t + h, 1.0), margin;
    brinkStatus status = askPiece(run, cubic, t, end, &report, &margin);
    if (status != brink_ok) return status;
    bool fine = margin <= MARGIN_SHARE * run->tolerance;
    if (report.state == brink_free) {
      t = end;
      h *= 2.0;
      answer->pairs += report.counters.pairsSpatial;
      answer->distances += report.counters.distanceQueries;
      answer->iterations += report.counters.advancements;
      continue;
    }
    if (!fine && h > least) {
      /* what is free with the margin up to here is free; go on from there with less */
      double free = report.state == brink_overlap ? t : t + (end - t) * fmax(report.toi, 0.0);
      t = fmin(free, end);
      h = 0.5 * (end - t);
      if (!(h > least)) h = least;
      continue;
    }
    status = brinkRobotView_Tell(run->view, &report, answer);
    if (status != brink_ok) return status;
    double length = end - t;
    answer->toi = t + length * fmin(fmax(answer->toi, 0.0), 1.0);
    answer->toiUpper = answer->state == brink_unresolved ? BRINK_NO_TIME : t + length * fmin(answer->toiUpper, 1.0);
    if (!fine) answer->state = brink_unresolved;
    if (answer->state == brink_overlap && t > 0.0) answer->state = brink_hit;
    *proven = answer->toi;
    return brink_ok;
  }
  answer->state = brink_free;
  answer->toi = answer->toiUpper = BRINK_NO_TIME;
  *proven = 1.0;
  return brink_ok;
}

static brinkStatus checkSpline(brinkRobotView *view, const double *points, const double *slopes, size_t count,
                               const brinkEdgeQuery *query) {
  brinkContext *context = &view->context;
  const brinkRobot *robot = view->robot;
  if (points == NULL) return brinkRefuseNull(context, "points");
  if (slopes == NULL) return brinkRefuseNull(context, "slopes");
  if (count < 2 || count > UINT32_MAX)
    return brinkFail(context, brink_errorBadValue, "count is %zu: a spline has 2 points at least", count);
  if ((query->flags & (BRINK_EDGE_SHORTER | BRINK_EDGE_ALL_PAIRS)) != 0)
    return brinkFail(context, brink_errorBadValue,
                     "query->flags: a spline states its way round, and tells the first contact only");
  for (size_t j = 0; j < robot->jointCount; ++j)
    if (robot->joints[j].type == brink_robotFloating)
      return brinkFail(context, brink_errorBadValue, "joint %s is floating: quaternions make no spline here",
                       RobotJoint_Told(&robot->joints[j]));
  brinkStatus status = brink_ok;
  for (size_t i = 0; status == brink_ok && i < count; ++i) {
    char what[48];
    snprintf(what, sizeof what, "point %zu", i);
    status = brinkRobot_CheckValues(robot, context, points + i * robot->valueCount, what,
                                    (query->flags & BRINK_EDGE_NO_LIMITS) == 0);
    snprintf(what, sizeof what, "slope %zu", i);
    if (status == brink_ok)
      status = brinkRobot_CheckValues(robot, context, slopes + i * robot->valueCount, what, false);
  }
  return status;
}

/* Longest arm of the robot, m: what the default tolerance is a part of. */
static double robotReach(const brinkRobotView *view) {
  const brinkRobot *robot = view->robot;
  double reach = 0.0;
  for (size_t m = 0; m < robot->motionCount; ++m) {
    double arm = view->reach[m];
    for (int32_t at = (int32_t)m; at >= 0 && robot->carriers[at] != BRINK_NONE;
         at = robot->joints[robot->carriers[at]].motionParent)
      if (robot->joints[robot->carriers[at]].motionParent >= 0)
        arm += brinkLength(robot->joints[robot->carriers[at]].mount.p);
    reach = fmax(reach, arm);
  }
  return reach > 0.0 ? reach : 1.0;
}

static brinkStatus runSpline(SplineRun *run, const double *points, const double *slopes, size_t count,
                             brinkEdgeAnswer *answer) {
  const size_t width = run->view->robot->valueCount;
  answer->pairs = answer->distances = answer->iterations = 0;
  for (size_t i = 0; i + 1 < count; ++i) {
    const Cubic cubic = {points + i * width, points + (i + 1) * width, slopes + i * width, slopes + (i + 1) * width};
    double proven = 0.0;
    brinkStatus status = askSegment(run, &cubic, answer, &proven);
    if (status != brink_ok) return status;
    if (answer->state == brink_overlap && i > 0) answer->state = brink_hit;
    answer->segment = (uint32_t)i;
    for (size_t k = 0; answer->lastValid != NULL && k < width; ++k) answer->lastValid[k] = valueAt(&cubic, k, proven);
    if (answer->state != brink_free) return brink_ok;
  }
  answer->contacts = NULL;
  answer->contactCount = 0;
  return brink_ok;
}

brinkStatus brinkRobotView_Spline(brinkRobotView *view, const double *points, const double *slopes, size_t count,
                                  const brinkEdgeQuery *given, brinkEdgeAnswer *answer) {
  brinkContext *context = &view->context;
  brinkEdgeQuery query;
  if (answer == NULL) return brinkRefuseNull(context, "answer");
  brinkStatus status = brinkCheckSize(context, answer->structSize, sizeof *answer, "answer");
  if (status == brink_ok) status = brinkRobot_CheckQuery(context, given, &query);
  if (status == brink_ok) status = checkSpline(view, points, slopes, count, &query);
  if (status == brink_ok) status = brinkRobotView_Refresh(view);
  if (status != brink_ok) return status;
  query.flags &= ~(uint32_t)BRINK_EDGE_ANY; /* the walk goes by times */
  const size_t width = view->robot->valueCount, motions = BRINK_MAX(view->robot->motionCount, 1u);
  double *room = brinkAllocateZeroed(context, 3 * width + 2 * motions, sizeof *room);
  if (room == NULL) return brinkFail(context, brink_errorNoMemory, "spline: no memory");
  SplineRun run = {.view = view,
                   .query = &query,
                   .tolerance = query.tolerance > 0.0 ? query.tolerance : DEFAULT_TOLERANCE * robotReach(view),
                   .from = room,
                   .to = room + width,
                   .stray = room + 2 * width,
                   .extra = room + 3 * width,
                   .travel = room + 3 * width + motions};
  status = runSpline(&run, points, slopes, count, answer);
  brinkRelease(context, room, (3 * width + 2 * motions) * sizeof *room);
  return status;
}
