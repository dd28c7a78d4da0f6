/* SPDX-License-Identifier: BSD-3-Clause */
/* Restates a question in the frame of the turning body. With x = T0 + t u + E(t w) y the turning body's motion in the
 * pair's frame, u parallel to w, and p a point of its axis at t = 0, a resting point q is seen at
 * p - t u + E(-t w) (q - p) from a frame in which the body stays where it was at t = 0. Units: m, step time. */
#include "turned_frame.h"

#define EPS DBL_EPSILON
#define LEAST_TURN 0.5  /* rad */
#define MUCH_LARGER 2.0 /* how much larger the turning body must be for this to pay */

/* From the axis; half-spaces are larger than anything. */
static double sizeOf(const brinkCollider *collider) {
  const brinkPiece *piece = &collider->shape->piece;
  return piece->kind == brink_pieceHalfSpace ? HUGE_VAL : piece->boundRadius + piece->radius;
}

static bool servesFrom(const brinkAdvanceInput *input, int32_t turning, int32_t resting, int32_t ancestor) {
  if (turning < 0 || turning == ancestor) return false;
  const brinkLinkMotion *motion = &input->tree->links[turning];
  if (motion->parent != ancestor || motion->path != NULL) return false;
  if (!(motion->angle * (input->tEnd - input->tStart) > LEAST_TURN)) return false;
  if (brinkLength(brinkCross(motion->v, motion->axis)) > 16 * EPS * brinkLength(motion->v)) return false;
  if (resting == ancestor) return true;
  brinkLinkRate rate;
  brinkMotionTree_Rate(input->tree, resting, ancestor, input->tStart, input->tEnd, &rate);
  return rate.speedBase == 0 && rate.speedSlope == 0;
}

bool brinkSeenFromTurning(const brinkAdvanceInput *input, brinkTurnedFrame *frame, brinkAdvanceInput *out) {
  int32_t ancestor = brinkMotionTree_CommonAncestor(input->tree, input->a.link, input->b.link);
  const double sizeA = sizeOf(&input->a), sizeB = sizeOf(&input->b);
  bool fromA = sizeA > MUCH_LARGER * sizeB, fromB = sizeB > MUCH_LARGER * sizeA;
  if (!fromA && !fromB) return false;
  const brinkCollider *turning = fromA ? &input->a : &input->b, *resting = fromA ? &input->b : &input->a;
  if (!servesFrom(input, turning->link, resting->link, ancestor)) return false;
  const brinkLinkMotion *motion = &input->tree->links[turning->link];
  brinkRigid place = brinkMotionTree_Pose(input->tree, resting->link, ancestor, input->tStart),
             start = brinkLinkMotion_At(motion, 0);
  brinkRigid rested = brinkCompose(&place, &resting->local);
  /* what composing rounds, taken off the tolerance */
  double sizes = brinkLength(place.p) + brinkLength(resting->local.p) + brinkLength(motion->t0) +
                 brinkLength(motion->v) + brinkLength(turning->local.p) + BRINK_MIN(sizeA, sizeB) +
                 brinkLength(resting->shape->piece.center);
  const brinkPiece *large = &turning->shape->piece;
  sizes += large->kind == brink_pieceHalfSpace ? fabs(large->offset) : sizeOf(turning) + brinkLength(large->center);
  const double rounding = frame->rounding = 64 * EPS * sizes;
  if (!(input->tolerance > 8 * rounding)) return false;

  frame->link = brinkMakeLinkMotionVelocities(-1, (brinkPose){motion->t0, {1, 0, 0, 0}}, brinkNeg(motion->v),
                                              brinkNeg(motion->w));
  frame->tree = (brinkMotionTree){&frame->link, 1};
  frame->old = input->tree;
  frame->ancestor = ancestor;
  frame->turning = turning->link;
  frame->back = start;
  *out = *input;
  out->tree = &frame->tree;
  brinkCollider *still = fromA ? &out->a : &out->b, *moves = fromA ? &out->b : &out->a;
  still->link = -1;
  still->local = brinkCompose(&start, &turning->local);
  moves->link = 0;
  moves->local = rested;
  moves->local.p = brinkSub(rested.p, motion->t0);
  out->threshold += rounding;
  out->tolerance -= 2 * rounding;
  return true;
}

void brinkTurnedFrame_Tell(const brinkTurnedFrame *frame, brinkPairResult *result) {
  if (result->state == brink_free) result->distance -= frame->rounding;
  if (result->state != brink_hit && result->state != brink_overlap) return;
  brinkRigid now = brinkMotionTree_Pose(frame->old, frame->turning, -1, result->toiUpper);
  brinkVec3 a = brinkApplyInverse(&frame->back, result->pointA), b = brinkApplyInverse(&frame->back, result->pointB);
  result->pointA = brinkApply(&now, a);
  result->pointB = brinkApply(&now, b);
  result->normal = brinkMulMV(&now.r, brinkTMulMV(&frame->back.r, result->normal));
}
