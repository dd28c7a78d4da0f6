/* SPDX-License-Identifier: BSD-3-Clause */
/* Mirrors joints: which bodies does each hold together, where, and which bodies are one chain? Where the walk meets a
 * body (adapter.c) its joints are compared with their records: kind, bodies, anchors. What differs is made anew after
 * it. Contacts and motors have none. Units: m. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mirror.h"

#define JOINT_MOVED 1e-6 /* m + part of the anchor's distance: more than drift of a getter, less than a change */

typedef void jointAnchorGetter(dJointID joint, dVector3 result);

/* Where a type of joint holds its bodies together. A sliding one: the second body's anchor moves along it. */
typedef struct jointKind {
  dJointType type;
  bool slides;
  jointAnchorGetter *anchorA, *anchorB; /* world; as the first and as the second body sees it; NULL: no getter */
  dReal (*length)(dJointID joint);      /* m, by which it holds the two anchors apart; NULL: not at all */
} jointKind;

/* No getter tells where a fixed joint holds its bodies. From the second body to the first, in the first one's frame; of
 * a single body its place in the world. Without it a joint that is set anew would seem torn. */
static const dReal *offsetOf(dJointID fixed) {
  return dxBrinkLayout.fixed != 0 ? (const dReal *)((const char *)fixed + dxBrinkLayout.fixed) : NULL;
}

/* The second body's origin, as the second body sees it, and as the first does. */
static void getFixedAnchor2(dJointID joint, dVector3 result) {
  dBodyID a = dJointGetBody(joint, 0), b = dJointGetBody(joint, 1);
  const dReal *offset = offsetOf(joint);
  memcpy(result, b != NULL ? dBodyGetPosition(b) : offset != NULL ? offset : dBodyGetPosition(a), 3 * sizeof(dReal));
}

static void getFixedAnchor(dJointID joint, dVector3 result) {
  dBodyID a = dJointGetBody(joint, 0), b = dJointGetBody(joint, 1);
  const dReal *offset = offsetOf(joint);
  if (offset == NULL) {
    getFixedAnchor2(joint, result);
  } else if (a != NULL && b != NULL) {
    dBodyGetRelPointPos(a, -offset[0], -offset[1], -offset[2], result);
  } else {
    memcpy(result, a != NULL ? dBodyGetPosition(a) : offset, 3 * sizeof(dReal));
  }
}

static const jointKind jointKinds[] = {
    {dJointTypeBall, false, dJointGetBallAnchor, dJointGetBallAnchor2, NULL},
    {dJointTypeHinge, false, dJointGetHingeAnchor, dJointGetHingeAnchor2, NULL},
    {dJointTypeHinge2, false, dJointGetHinge2Anchor, dJointGetHinge2Anchor2, NULL},
    {dJointTypeUniversal, false, dJointGetUniversalAnchor, dJointGetUniversalAnchor2, NULL},
    {dJointTypeFixed, false, getFixedAnchor, getFixedAnchor2, NULL},
    {dJointTypeSlider, true, NULL, NULL, NULL},
    {dJointTypePR, true, dJointGetPRAnchor, NULL, NULL},
    {dJointTypePU, true, dJointGetPUAnchor, NULL, NULL},
    {dJointTypePiston, true, dJointGetPistonAnchor, NULL, NULL},
    {dJointTypeDBall, false, dJointGetDBallAnchor1, dJointGetDBallAnchor2, dJointGetDBallDistance},
    {dJointTypeDHinge, false, dJointGetDHingeAnchor1, dJointGetDHingeAnchor2, dJointGetDHingeDistance},
};

static const jointKind *kindOf(dJointType type) {
  for (size_t i = 0; i < sizeof(jointKinds) / sizeof(*jointKinds); ++i) {
    if (jointKinds[i].type == type) {
      return &jointKinds[i];
    }
  }
  return NULL;
}

static void toBodyFrame(dBodyID body, const dVector3 point, double out[3]) {
  dVector3 local = {point[0], point[1], point[2], 0};
  if (body != NULL) {
    dBodyGetPosRelPoint(body, point[0], point[1], point[2], local);
  }
  memcpy(out, local, 3 * sizeof(double));
}

/* Anchors in body frames. A slider has no getter and takes the second body's origin: any point serves. */
static void readAnchors(dJointID joint, const jointKind *kind, dBodyID bodyA, dBodyID bodyB, double anchors[2][3]) {
  dVector3 a = {0, 0, 0, 0}, b = {0, 0, 0, 0};
  if (kind->anchorA != NULL) {
    kind->anchorA(joint, a);
    memcpy(b, a, sizeof(b));
  } else {
    const dReal *origin = dBodyGetPosition(bodyB != NULL ? bodyB : bodyA);
    memcpy(a, origin, 3 * sizeof(dReal));
    memcpy(b, origin, 3 * sizeof(dReal));
  }
  if (kind->anchorB != NULL) {
    kind->anchorB(joint, b);
  }
  toBodyFrame(bodyA, a, anchors[0]);
  toBodyFrame(bodyB, b, anchors[1]);
}

static bool sameAnchors(const jointKind *kind, double a[2][3], double b[2][3]) {
  for (int side = 0; side < 2; ++side) {
    bool steady = side == 0 ? kind->anchorA != NULL && !kind->slides : kind->anchorB != NULL;
    for (int axis = 0; steady && axis < 3; ++axis) {
      if (fabs(a[side][axis] - b[side][axis]) > JOINT_MOVED * (1 + fabs(a[side][axis]))) {
        return false;
      }
    }
  }
  return true;
}

/* What the joint is now, but for its stamp. False: none that is followed. */
static bool readJoint(const dxBrink *brink, uint32_t body, dJointID joint, uint32_t number, brinkStepJoint *out) {
  const jointKind *kind = kindOf(dJointGetType(joint));
  if (kind == NULL || !dJointIsEnabled(joint)) {
    return false;
  }
  dBodyID bodyA = dJointGetBody(joint, 0), bodyB = dJointGetBody(joint, 1);
  const bool isFirst = brink->step.bodies[body].body == bodyA;
  const uint32_t across = dxBrinkBodyAcross(brink, number, body, isFirst ? bodyB : bodyA);
  *out = (brinkStepJoint){.joint = joint, .type = kind->type, .holdsPoint = !kind->slides};
  out->length = kind->length != NULL ? kind->length(joint) : 0;
  out->bodies[0] = isFirst ? body : across;
  out->bodies[1] = isFirst ? across : body;
  readAnchors(joint, kind, bodyA, bodyB, out->anchors);
  return true;
}

static void stampJoint(dBrinkID brink, brinkStepJoint *record) {
  brink->walk->syncedJoints += record->stamp != brink->walk->stamp;
  record->stamp = brink->walk->stamp;
}

bool dxBrinkIsSynced(dBrinkID brink, uint32_t body, dJointID joint, uint32_t number) {
  const dBodyID ends[2] = {dJointGetBody(joint, 0), dJointGetBody(joint, 1)};
  if (number == BRINK_NO_RECORD || !dxBrinkIsMet(dxBrinkOfJoint, joint) ||
      (ends[0] != NULL && !dxBrinkIsMet(dxBrinkOfBody, ends[0])) ||
      (ends[1] != NULL && !dxBrinkIsMet(dxBrinkOfBody, ends[1]))) {
    return false;
  }
  brinkStepJoint *record = &brink->step.joints[number], now;
  if (record->stamp == brink->walk->stamp) {
    return true; /* met at its other body */
  }
  const bool same = readJoint(brink, body, joint, number, &now) && record->length == now.length &&
                    record->type == now.type && memcmp(record->bodies, now.bodies, sizeof(now.bodies)) == 0 &&
                    sameAnchors(kindOf(now.type), record->anchors, now.anchors);
  if (same) {
    stampJoint(brink, record);
  }
  return same;
}

/* A joint that was new or changed when the walk met it at this body. */
static int syncJoint(dBrinkID brink, const dxBrinkMet *met) {
  const uint32_t number = brinkStepFindJoint(&brink->step, met->body, met->joint);
  brinkStepJoint made;
  if (dxBrinkIsSynced(brink, met->body, met->joint, number) ||
      !readJoint(brink, met->body, met->joint, number, &made)) {
    return 1;
  }
  if (number != BRINK_NO_RECORD && dxBrinkIsMet(dxBrinkOfJoint, met->joint)) {
    brinkStepDropJoint(&brink->step, number);
  }
  dxBrinkMarkMet(dxBrinkOfJoint, met->joint);
  const uint32_t added = brinkStepAddJoint(&brink->step, &made);
  if (added != BRINK_NO_RECORD) {
    stampJoint(brink, &brink->step.joints[added]);
  }
  return added != BRINK_NO_RECORD;
}

bool dxBrinkHasItsGeom(const dxBrink *brink, uint32_t body) {
  const uint32_t first = body < brink->step.bodyCount ? brink->step.bodies[body].firstCollider : BRINK_NO_RECORD;
  return first == BRINK_NO_RECORD || dGeomGetBody(brink->step.colliders[first].geom) == brink->step.bodies[body].body;
}

/* Is the body of a record there, as far as can be told? Not all that a callback has destroyed is noticed at once. */
static bool isThere(const dxBrink *brink, uint32_t number) {
  return brink->step.hotData[number].stamp == (uint32_t)brink->walk->stamp &&
         (brink->step.worldChanged || !brink->contacts.watching ||
          (brink->step.bodies[number].firstCollider != BRINK_NO_RECORD && dxBrinkHasItsGeom(brink, number)));
}

/* ODE finds a body's i-th joint by counting from the first. Where there are many (a body of a hundred boxes on another
 * one) they are listed by who is at their other end, with one walk for each. */
size_t dxBrinkListJoints(dBrinkID brink, dBodyID body) {
  struct dxBrinkContacts *kept = &brink->contacts;
  const size_t count = (size_t)dBodyGetNumJoints(body);
  size_t found = 0;
  if (!BRINK_STEP_RESERVE(kept->joints, count, kept->jointCapacity)) {
    return 0;
  }
  if (count > DX_BRINK_MANY_JOINTS) {
    found = (size_t)dConnectingJointList(body, NULL, kept->joints);
    for (uint32_t i = 0; i < brink->step.bodyCount && found < count; ++i) {
      dBodyID other = brink->step.bodies[i].body;
      if (other != NULL && other != body && isThere(brink, i)) {
        found += (size_t)dConnectingJointList(other, body, kept->joints + found);
      }
    }
  }
  for (size_t i = 0; found < count && i < count; ++i) { /* also where it hangs on what has no record */
    kept->joints[i] = dBodyGetJoint(body, (int)i);
  }
  return count;
}

/* By record, so that joints get their numbers whatever the order of the walk. */
static int inOrder(const void *a, const void *b) {
  const dxBrinkMet *one = a, *other = b;
  return one->body != other->body ? (one->body > other->body) - (one->body < other->body)
                                  : (one->place > other->place) - (one->place < other->place);
}

int dxBrinkSyncJoints(dBrinkID brink) {
  const struct dxBrinkWalk *walk = brink->walk;
  if (walk->changedCount > 0) {
    qsort(walk->changed, walk->changedCount, sizeof(*walk->changed), inOrder);
  }
  for (size_t i = 0; i < walk->changedCount; ++i) {
    if (!syncJoint(brink, &walk->changed[i])) {
      return 0;
    }
  }
  for (uint32_t i = 0; walk->syncedJoints < brink->step.spins.liveJoints && i < brink->step.jointCount; ++i) {
    if (brink->step.joints[i].joint != NULL && brink->step.joints[i].stamp != walk->stamp) {
      brinkStepDropJoint(&brink->step, i);
    }
  }
  return 1;
}
