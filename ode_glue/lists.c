/* SPDX-License-Identifier: BSD-3-Clause */
/* How does an extra solve cost what its island costs? ODE's solve goes three times through all bodies and joints of the
 * world, and no call solves a part of it. So for the time of an extra solve the world lists what it reaches alone: the
 * gathered bodies, what enabled joints lead to, and the joints of all of these.
 * ODE links its bodies and its joints in lists of one form (base/layout.c). An object taken out of a list keeps the way
 * back (dancing links: Knuth, The Art of Computer Programming 4B, 7.2.2.1), so putting all back in reverse restores the
 * order, bit by bit. Thread rule: that of the world. */
#include <string.h>

#include "step.h"

/* Of a body or joint. */
typedef struct Link {
  void *next;
  void **self; /* what points here: the next of the one before, or the world's first */
} Link;

enum { bodies, joints };

static dxBrinkLists *listsOf(dWorldID world) { return (dxBrinkLists *)((char *)world + dxBrinkLayout.lists); }
static Link *linkOf(void *object) { return (Link *)((char *)object + dxBrinkLayout.link); }

static void point(void **self, void *object) {
  *self = object;
  if (object != NULL) {
    linkOf(object)->self = self;
  }
}

/* ---- what is taken out */

static void *taken; /* its address marks what is */

/* Once. False: no memory. */
static bool take(struct dxBrinkIsland *island, void *object, int kind) {
  Link *link = linkOf(object);
  if (link->self == &taken) {
    return true;
  }
  if (!BRINK_STEP_RESERVE(island->listed, island->listedCount, island->listedCapacity)) {
    return false;
  }
  island->listed[island->listedCount++] = (dxBrinkListed){object, link->next, link->self, kind};
  point(link->self, link->next);
  *link = (Link){NULL, &taken};
  return true;
}

/* A callback has tied it to these inside the step, so it has no record, and the last solve has led it to its end. */
static void bringBack(const dxBrink *brink, dBodyID body) {
  brinkStepState state;
  dVector3 gravity = {0};
  if (dBodyGetGravityMode(body)) {
    dWorldGetGravity(brink->world, gravity);
  }
  dxBrinkReadState(body, &state);
  brinkStepBringBack(&state, (1 - brink->step.now.tau) * brink->step.now.h, gravity);
  dxBrinkWriteState(body, &state);
}

static bool takeJoints(dBrinkID brink, dBodyID body) {
  const size_t count = dxBrinkListJoints(brink, body);
  bool done = count == (size_t)dBodyGetNumJoints(body);
  for (size_t i = 0; i < count && done; ++i) {
    dJointID joint = brink->contacts.joints[i];
    done = take(&brink->island, joint, joints);
    for (int end = 0; end < 2 && done && dJointIsEnabled(joint); ++end) {
      dBodyID other = dJointGetBody(joint, end);
      const bool isNew = other != NULL && linkOf(other)->self != &taken;
      done = !isNew || take(&brink->island, other, bodies);
      if (done && isNew && dJointGetType(joint) != dJointTypeContact && !dBodyIsKinematic(other) &&
          dBodyIsEnabled(other) && dxBrinkFindBody(brink, other) == BRINK_NO_RECORD) { /* contacts: a stand-in */
        bringBack(brink, other);
      }
    }
  }
  return done;
}

/* Links what was taken, in its order, as all that the world has. */
static void link(dBrinkID brink) {
  dxBrinkLists *lists = listsOf(brink->world), *others = &brink->island.others;
  void **ends[2] = {&lists->first[bodies], &lists->first[joints]};
  *others = *lists;
  *lists = (dxBrinkLists){0};
  for (int kind = 0; kind < 2; ++kind) { /* what is destroyed meanwhile leaves the others */
    point(&others->first[kind], others->first[kind]);
  }
  for (size_t i = 0; i < brink->island.listedCount; ++i) {
    const dxBrinkListed *listed = &brink->island.listed[i];
    *ends[listed->kind] = listed->object;
    *linkOf(listed->object) = (Link){NULL, ends[listed->kind]};
    ends[listed->kind] = &linkOf(listed->object)->next;
    lists->counts[listed->kind]++;
    others->counts[listed->kind]--;
  }
  brink->island.gathered = *lists;
  brink->island.narrow = true;
}

/* A callback of the solve (dBodySetMovedCallback) may have made something, which comes first, or destroyed it: then
 * what is there now stays before the others. */
void dxBrinkListAll(dBrinkID brink) {
  dxBrinkLists *lists = listsOf(brink->world), *others = &brink->island.others;
  const bool changed = memcmp(lists, &brink->island.gathered, sizeof(*lists)) != 0;
  for (int kind = 0; kind < 2 && brink->island.narrow; ++kind) {
    void **self = &lists->first[kind];
    while (changed && *self != NULL) {
      self = &linkOf(*self)->next;
    }
    point(self, others->first[kind]);
    lists->counts[kind] += others->counts[kind];
  }
  brink->island.narrow = false;
  while (brink->island.listedCount > 0) {
    const dxBrinkListed *listed = &brink->island.listed[--brink->island.listedCount];
    if (!changed) {
      point(listed->self, listed->object);
      point(&linkOf(listed->object)->next, listed->next);
    }
  }
}

bool dxBrinkListsSameBodies(dBrinkID brink, dBodyID *newest) {
  const dxBrinkLists last = brink->island.seen;
  brink->island.seen = *listsOf(brink->world);
  *newest = brink->island.seen.first[bodies];
  return brink->island.seen.first[bodies] == last.first[bodies] &&
         brink->island.seen.counts[bodies] == last.counts[bodies];
}

bool dxBrinkListGathered(dBrinkID brink) {
  const struct brinkStepIsland *gathered = &brink->step.island;
  struct dxBrinkIsland *island = &brink->island;
  bool done = true;
  island->listedCount = 0;
  for (size_t i = 0; i < gathered->gatheredCount && done; ++i) {
    done = take(island, brink->step.bodies[gathered->gathered[i]].body, bodies);
  }
  for (size_t i = 0; i < island->listedCount && done; ++i) {
    done = island->listed[i].kind == joints || takeJoints(brink, island->listed[i].object);
  }
  link(brink);
  if (!done) {
    dxBrinkListAll(brink);
  }
  return done;
}
