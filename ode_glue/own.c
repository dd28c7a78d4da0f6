/* SPDX-License-Identifier: BSD-3-Clause */
/* What is Brink's own in the program's world: disabled bodies that hold contacts, and contacts that end with the step.
 * A program may destroy all joints that it meets at its bodies, and the world: each is found again before it is used.
 */
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
  }
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

/* ---- contacts */

/* The contacts of two bodies, one NULL for the world, in the order of the shorter list: brink->contacts.between, how
 * many. One walk for all: who asks ODE for one joint after the other walks from the first to each. */
size_t dxBrinkListContacts(dBrinkID brink, dBodyID a, dBodyID b) {
  const int countA = a != NULL ? dBodyGetNumJoints(a) : 0, countB = b != NULL ? dBodyGetNumJoints(b) : 0;
  const bool ofB = a == NULL || (b != NULL && countA > countB);
  const size_t most = (size_t)(ofB ? countB : countA);
  if (most == 0 || !BRINK_STEP_RESERVE(brink->contacts.between, most, brink->contacts.betweenCapacity)) {
    return 0;
  }
  const int joints = dConnectingJointList(ofB ? b : a, ofB ? a : b, brink->contacts.between);
  size_t count = 0;
  for (int i = 0; i < joints; ++i) {
    brink->contacts.between[count] = brink->contacts.between[i];
    count += dJointGetType(brink->contacts.between[i]) == dJointTypeContact;
  }
  return count;
}

static char mark; /* the data of those that end with the step */

/* group NULL: it ends with the step. It is in no group then, as a program that destroys all joints of a body would try
 * in vain, and for ever, to destroy what is in one. */
void dxBrinkMakeContact(dBrinkID brink, dJointGroupID group, const dContact *contact, dBodyID a, dBodyID b) {
  struct dxBrinkContacts *kept = &brink->contacts;
  if (group == NULL && !BRINK_STEP_RESERVE(kept->own, kept->ownCount, kept->ownCapacity)) {
    return; /* no memory: the guard stops what is struck again */
  }
  dJointID joint = dJointCreateContact(brink->world, group, contact);
  dJointAttach(joint, a, b);
  if (group == NULL) {
    dJointSetData(joint, &mark);
    kept->own[kept->ownCount++] = (dxBrinkTakenOff){joint, {a, b}};
  }
}

bool dxBrinkEndsWithStep(dJointID joint) { return dJointGetData(joint) == &mark; }

/* At the step's end: those that still hang on their bodies. Others the program has destroyed, or they went aside. */
void dxBrinkEndContacts(dBrinkID brink) {
  while (brink->contacts.ownCount > 0) {
    const dxBrinkTakenOff *own = &brink->contacts.own[--brink->contacts.ownCount];
    const bool there = dxBrinkStillThere(brink, own->bodies[0]) == own->bodies[0] &&
                       dxBrinkStillThere(brink, own->bodies[1]) == own->bodies[1];
    for (size_t i = there ? dxBrinkListContacts(brink, own->bodies[0], own->bodies[1]) : 0; i-- > 0;) {
      if (brink->contacts.between[i] == own->joint && dxBrinkEndsWithStep(own->joint)) {
        dJointDestroy(own->joint);
      }
    }
  }
}
