/* SPDX-License-Identifier: BSD-3-Clause */
/* What is Brink's own in the program's world: disabled bodies that hold contacts, and contacts that end with the step.
 * A program may destroy all joints that it meets at its bodies, and the world: each is found again before it is used.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "step.h"

/* ---- bodies */

void dxBrinkMakeParking(dBrinkID brink) {
  if (brink->contacts.parking == NULL) {
    brink->contacts.parking = dBodyCreate(brink->world);
    dBodyDisable(brink->contacts.parking);
    brink->contacts.parkingTether = dJointCreateBall(brink->world, brink->tethers);
    dJointAttach(brink->contacts.parkingTether, brink->contacts.parking, NULL);
    dJointDisable(brink->contacts.parkingTether);
    brink->contacts.shelf = dBodyCreate(brink->world);
    dBodyDisable(brink->contacts.shelf);
    dxBrinkMarkMet(dxBrinkOfBody, brink->contacts.shelf);
  }
}

/* One that nothing but a solve changes. */
dBodyID dxBrinkMakeBody(dBrinkID brink) {
  dxBrinkMakeParking(brink);
  dBodyID made = dBodyCreate(brink->world);
  dBodySetGravityMode(made, 0);
  dBodySetGyroscopicMode(made, 0);
  dBodySetAutoDisableFlag(made, 0);
  dBodySetLinearDamping(made, 0);
  dBodySetAngularDamping(made, 0);
  dBodySetMaxAngularSpeed(made, dInfinity);
  return made;
}

/* A joint in a group outlives its world, and its body does not. */
bool dxBrinkWorldLives(const dxBrink *brink) {
  return brink->contacts.parking != NULL && dJointGetBody(brink->contacts.parkingTether, 0) == brink->contacts.parking;
}

void dxBrinkDropParking(dBrinkID brink) {
  if (dxBrinkWorldLives(brink)) {
    dBodyDestroy(brink->contacts.parking); /* else they went with their world */
    dBodyDestroy(brink->contacts.shelf);
  }
  brink->contacts.parking = brink->contacts.shelf = NULL;
}

dBodyID dxBrinkStillThere(const dxBrink *brink, dBodyID body) {
  return !brink->step.worldChanged || dxBrinkFindBody(brink, body) != BRINK_NO_RECORD ? body : NULL;
}

bool dxBrinkNote(dxBrinkNotes *notes, dJointID joint) {
  if (!BRINK_STEP_RESERVE(notes->items, notes->count, notes->capacity)) {
    return false;
  }
  notes->items[notes->count++] = (dxBrinkNoted){joint, {dJointGetBody(joint, 0), dJointGetBody(joint, 1)}};
  return true;
}

/* ---- the program's own frame */

/* Many programs begin their callback with `if (b1 && b2 && dAreConnected (b1, b2)) return;`. In the program's own frame
 * two bodies that are about to meet have no contact yet; here they may have those of the frame and of earlier impacts.
 * So while the callback runs, contacts between the two hang on a disabled body of Brink's own, which also loses those
 * that the callback destroys. They stay there as long as it is called for the same two: bodies of many geoms have
 * thousands. */
void dxBrinkPark(dBrinkID brink, const dBodyID bodies[2]) {
  struct dxBrinkContacts *kept = &brink->contacts;
  dxBrinkMakeParking(brink);
  if (memcmp(kept->parkedFor, bodies, sizeof(kept->parkedFor)) == 0) {
    return;
  }
  const size_t count = dxBrinkListContacts(brink, bodies[0], bodies[1]);
  memcpy(kept->parkedFor, bodies, sizeof(kept->parkedFor));
  for (size_t i = 0; i < count && dxBrinkNote(&kept->takenOff, kept->joints[i]); ++i) { /* else the program sees it */
    dJointAttach(kept->joints[i], kept->parking, NULL);
  }
}

dJointID dxBrinkHead(dBodyID body) { return body != NULL ? dBodyGetJoint(body, 0) : NULL; }

/* After the callback, before which the lists of the two began with these: joints that it made stand before them, all
 * there is where it has destroyed them. Its contacts between the two are parked. Did it make any joint? */
bool dxBrinkParkNew(dBrinkID brink, const dJointID heads[2]) {
  struct dxBrinkContacts *kept = &brink->contacts;
  bool made = false;
  for (int side = 0; side < 2; ++side) {
    dBodyID body = kept->parkedFor[side], other = kept->parkedFor[1 - side];
    dJointID joint = NULL;
    int passed = 0;
    while (body != NULL && (joint = dBodyGetJoint(body, passed)) != NULL) {
      const bool ours =
          dJointGetBody(joint, dJointGetBody(joint, 0) == body) == other && dJointGetType(joint) == dJointTypeContact;
      if (joint == heads[side] && !ours) {
        break;
      }
      made = made || (ours && dJointIsEnabled(joint));
      if (ours && dxBrinkNote(&kept->takenOff, joint)) {
        dJointAttach(joint, kept->parking, NULL);
      } else {
        ++passed;
      }
    }
    made = made || (passed > 0 && joint == heads[side]);
  }
  return made;
}

static bool isParked(const dxBrink *brink, dJointID joint) {
  dJointID parked; /* most often the first */
  for (int i = 0; (parked = dBodyGetJoint(brink->contacts.parking, i)) != NULL && parked != joint;) {
    ++i;
  }
  return parked != NULL;
}

/* In reverse, so that each body lists its joints in the order that it had. If the callback has destroyed one of the
 * two, they stay off, as ODE leaves them. */
void dxBrinkUnpark(dBrinkID brink) {
  const bool live = !brink->step.worldChanged;
  while (brink->contacts.takenOff.count > 0) {
    const dxBrinkNoted *taken = &brink->contacts.takenOff.items[--brink->contacts.takenOff.count];
    if (isParked(brink, taken->joint)) {
      dJointAttach(taken->joint, live ? taken->bodies[0] : NULL, live ? taken->bodies[1] : NULL);
    }
  }
  brink->contacts.parkedFor[0] = brink->contacts.parkedFor[1] = NULL;
}

/* ---- contacts */

/* The contacts of two bodies, one NULL for the world, in the order of the shorter list: brink->contacts.joints, how
 * many. One walk for all: who asks ODE for one joint after the other walks from the first to each. */
size_t dxBrinkListContacts(dBrinkID brink, dBodyID a, dBodyID b) {
  dxBrinkUnpark(brink);
  const int countA = a != NULL ? dBodyGetNumJoints(a) : 0, countB = b != NULL ? dBodyGetNumJoints(b) : 0;
  const bool ofB = a == NULL || (b != NULL && countA > countB);
  const size_t most = (size_t)(ofB ? countB : countA);
  if (most == 0 || !BRINK_STEP_RESERVE(brink->contacts.joints, most, brink->contacts.jointCapacity)) {
    return 0;
  }
  const int joints = dConnectingJointList(ofB ? b : a, ofB ? a : b, brink->contacts.joints);
  size_t count = 0;
  for (int i = 0; i < joints; ++i) {
    brink->contacts.joints[count] = brink->contacts.joints[i];
    count += dJointGetType(brink->contacts.joints[i]) == dJointTypeContact;
  }
  return count;
}

static char mark; /* the data of those that end with the step */

/* group NULL: it ends with the step. It is in no group then, as a program that destroys all joints of a body would try
 * in vain, and for ever, to destroy what is in one. */
void dxBrinkMakeContact(dBrinkID brink, dJointGroupID group, const dContact *contact, dBodyID a, dBodyID b) {
  dJointID joint = dJointCreateContact(brink->world, group, contact);
  dJointAttach(joint, a, b);
  if (group == NULL) {
    dJointSetData(joint, &mark);
  }
  if (group == NULL && !dxBrinkNote(&brink->contacts.own, joint)) {
    dJointDestroy(joint); /* no memory: the guard stops what is struck again */
  }
}

bool dxBrinkEndsWithStep(dJointID joint) { return dJointGetData(joint) == &mark; }

static dAllocFunction *allocate; /* ODE's, while a joint is looked at; NULL: its default */
static const char *block;        /* that ODE took last then */
static size_t blockSize;
static void *allocateZeros(dsizeint size) { /* ODE leaves some of a joint unset */
  void *zeros = allocate == NULL ? calloc(1, size) : memset(allocate(size), 0, size);
  block = zeros;
  blockSize = size;
  return zeros;
}

/* Bytes into a contact joint at which it keeps its dContact, seen in one that is of marks instead of geoms. */
static size_t lookForContact(dBrinkID brink, const dContact *marks) {
  dxBrinkLockList();
  allocate = dGetAllocHandler();
  dSetAllocHandler(allocateZeros);
  dJointID marked = dJointCreateContact(brink->world, NULL, marks);
  dSetAllocHandler(allocate);
  const size_t end = block == (const char *)marked ? blockSize : 0;
  size_t at = sizeof(dGeomID);
  while (at + sizeof(*marks) <= end &&
         memcmp((const char *)marked + at + offsetof(dContact, geom), &marks->geom, sizeof(marks->geom)) != 0) {
    at += sizeof(dGeomID);
  }
  dxBrinkUnlockList();
  dJointDestroy(marked);
  return at + sizeof(*marks) <= end ? at : DX_BRINK_NOWHERE;
}

/* ODE does not tell of what a contact joint was made, but the joint keeps it; where, nobody knows of some ODEs. A
 * program may leave its geoms out, and has others there then than the mirror knows. */
bool dxBrinkMayBeOf(dBrinkID brink, dJointID joint, brinkStepPair pair, double *friction) {
  dContact made = {.surface = {.mu = BRINK_STEP_FRICTION}, .geom = {.g1 = (dGeomID)&mark, .g2 = (dGeomID)brink}};
  if (brink->contacts.madeOfAt == 0) {
    brink->contacts.madeOfAt = lookForContact(brink, &made);
  }
  if (brink->contacts.madeOfAt != DX_BRINK_NOWHERE) {
    memcpy(&made, (const char *)joint + brink->contacts.madeOfAt, sizeof(made));
  }
  *friction = made.surface.mu;
  const dGeomID a = brink->geoms[pair.a].geom, b = brink->geoms[pair.b].geom, of[2] = {made.geom.g1, made.geom.g2};
  const bool turned = of[0] == b || of[0] == dxBrinkLeaf(b);
  return ((of[turned] == a || of[turned] == dxBrinkLeaf(a)) && (of[!turned] == b || of[!turned] == dxBrinkLeaf(b))) ||
         (dxBrinkFindGeom(brink, of[0]) == NULL && dxBrinkFindGeom(brink, of[1]) == NULL);
}

/* At the step's end: those that still hang on their bodies. Others the program has destroyed, or they went aside. */
void dxBrinkEndContacts(void *user) {
  dBrinkID brink = user;
  while (brink->contacts.own.count > 0) {
    const dxBrinkNoted *own = &brink->contacts.own.items[--brink->contacts.own.count];
    const bool there = dxBrinkStillThere(brink, own->bodies[0]) == own->bodies[0] &&
                       dxBrinkStillThere(brink, own->bodies[1]) == own->bodies[1];
    for (size_t i = there ? dxBrinkListContacts(brink, own->bodies[0], own->bodies[1]) : 0; i-- > 0;) {
      if (brink->contacts.joints[i] == own->joint && dxBrinkEndsWithStep(own->joint)) {
        dJointDestroy(own->joint);
      }
    }
  }
}
