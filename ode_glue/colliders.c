/* SPDX-License-Identifier: BSD-3-Clause */
/* Brink as ODE's narrowphase: serves dCollide for pairs of classes, from ODE's class table.
 *
 * The table (dSetColliderOverride) keeps one function a pair of classes, for the whole process. The function gets
 * (class i, class j), fills g1 = o1, g2 = o2 as received and a normal out of o2 into o1; dCollide swaps both when it
 * was asked the other way round. ODE's own entry cannot be read back, so a registered pair stays Brink's; dCloseODE
 * empties the table, the next dBrink fills it again. Not registered: convex against plane, which is how a convex geom's
 * vertices are read (mirror/shapes.c).
 *
 * Which points are reported, and how deep, is plugin/stepping/meet.c's. A geom that some dBrink watches has that
 * dBrink's shape. Any other, an outsider, gets a shape in a common plugin world, kept by pointer; class and sizes are
 * compared at each call. That world ends with the last dBrink. Thread rule: one lock around registry and answers; ODE's
 * own trimesh code is not thread-safe either.
 *
 * Two trimeshes, and a heightfield with a trimesh that has no core, get Brink's contacts without registration where a
 * dBrink watches both: ODE's need surfaces that cross. Brink stands in ODE's table for these classes from the first
 * dBrink on, and hands every other pair to ODE's own collider. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meet.h" /* plugin/stepping */
#include "mirror/mirror.h"

#define MAX_POINTS 8
#define MAX_OUTSIDERS 8192 /* geoms of no dBrink remembered at a time; then all are forgotten and made anew */

typedef struct outsider {
  dxBrinkShapeKey key;
  brinkStepShape shape;
  uint32_t born; /* step of its world's dBrink in which it was first seen */
} outsider;

/* ODE's table is global, and so is this; both are behind the lock of the list of dBrinks. */
static struct {
  bool overridden[dGeomNumClasses][dGeomNumClasses];
  brinkStepShapes common;
  brinkKeyMap outsiderMap;
  outsider *outsiders;
  size_t outsiderCount, outsiderCapacity;
} registry;

/* ---- registry */

static void forgetOutsiders(void) {
  for (size_t i = 0; i < registry.outsiderCount; ++i) {
    free(registry.outsiders[i].shape.vertices);
  }
  registry.outsiderCount = 0;
  brinkKeyMap_Clear(&registry.outsiderMap);
  brinkStepFreeShapes(&registry.common);
}

static int collide(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts, int skip);

/* ODE's own colliders of meshes, which its headers do not declare. NULL: this libode hides them. */
extern int odeCollidesMeshes(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts,
                             int skip) __asm__("_Z11dCollideTTLP6dxGeomS0_iP12dContactGeomi") __attribute__((weak));
extern int odeCollidesField(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts,
                            int skip) __asm__("_Z19dCollideHeightfieldP6dxGeomS0_iP12dContactGeomi")
    __attribute__((weak));

/* ODE's collider of a pair of classes that Brink may answer without registration; NULL: other classes. */
static dColliderFn *odeColliderOf(int classA, int classB) {
  bool meshes = classA == dTriMeshClass && classB == dTriMeshClass;
  bool field = (classA == dHeightfieldClass && classB == dTriMeshClass) ||
               (classA == dTriMeshClass && classB == dHeightfieldClass);
  return meshes ? odeCollidesMeshes : field ? odeCollidesField : NULL;
}

static void installKeeper(int classA, int classB) {
  if (odeColliderOf(classA, classB) != NULL && !registry.overridden[classA][classB]) {
    dSetColliderOverride(classA, classB, collide);
  }
}

/* Puts back what was registered: dCloseODE empties ODE's table and reports nothing. Else pairs that nothing pushes
 * apart any more would be taken for pairs at rest, and be clamped for ever. */
static void installAgain(void) {
  for (int a = 0; a <= dHeightfieldClass; ++a) {
    for (int b = a; b <= dHeightfieldClass; ++b) {
      if (registry.overridden[a][b]) {
        dSetColliderOverride(a, b, collide);
      }
    }
  }
  installKeeper(dTriMeshClass, dTriMeshClass);
  installKeeper(dHeightfieldClass, dTriMeshClass);
}

void dxBrinkEnlist(dBrinkID brink) {
  dxBrinkLockList();
  if (*dxBrinkList() == NULL) {
    installAgain();
  }
  brink->next = *dxBrinkList();
  *dxBrinkList() = brink;
  dxBrinkUnlockList();
}

void dxBrinkDelist(dBrinkID brink) {
  dxBrinkLockList();
  for (dxBrink **link = dxBrinkList(); *link != NULL; link = &(*link)->next) {
    if (*link == brink) {
      *link = brink->next;
      break;
    }
  }
  if (*dxBrinkList() == NULL) {
    forgetOutsiders();
    brinkKeyMap_Free(&registry.outsiderMap);
    free(registry.outsiders);
    registry.outsiders = NULL;
    registry.outsiderCapacity = 0;
  }
  dxBrinkUnlockList();
}

bool dxBrinkOverrides(int classA, int classB) { return registry.overridden[classA][classB]; }

bool dxBrinkMayAskOde(int classA, int classB) {
  bool risky =
      (classA == dConvexClass && classB == dTriMeshClass) || (classA == dTriMeshClass && classB == dConvexClass);
  return !risky || dxBrinkOverrides(classA, classB);
}

/* Are the pair's contacts Brink's without registration? Two trimeshes; a heightfield and a trimesh without a core. */
static bool keepsApart(const dxBrinkGeom *a, const dxBrinkGeom *b) {
  return odeColliderOf(a->key.odeClass, b->key.odeClass) != NULL && /* else no geom has to be read */
         odeColliderOf(dGeomGetClass(a->geom), dGeomGetClass(b->geom)) != NULL &&
         (a->key.odeClass == b->key.odeClass || (a->shape.hollow && b->shape.hollow));
}

bool dxBrinkAnswersPair(const dxBrinkGeom *a, const dxBrinkGeom *b) {
  return a->key.given == 0 && b->key.given == 0 &&
         (dxBrinkOverrides(a->key.odeClass, b->key.odeClass) || keepsApart(a, b));
}

/* Is there a mesh whose contacts are Brink's, or are there two meshes? */
bool dxBrinkMayHoldApart(const dxBrink *brink) {
  uint32_t users = 0;
  for (size_t i = 0; i < brink->shapes.meshCount; ++i) {
    const brinkStepMesh *mesh = &brink->shapes.meshes[i];
    for (int other = 0; mesh->users > 0 && other <= dHeightfieldClass; ++other) {
      if (dxBrinkOverrides(mesh->key.kind, other)) {
        return true;
      }
    }
    users += mesh->users;
  }
  return users > 1;
}

/* ---- which shape */

/* The record of a watched geom, if the geom is still what the last walk saw. Else NULL. */
static const dxBrinkGeom *watched(dxBrink *brink, dGeomID geom, const dxBrinkShapeKey *key) {
  const dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
  return record != NULL && record->answered && dxBrinkSameKey(&record->key, key) ? record : NULL;
}

static bool openCommon(void) {
  if (registry.common.world == NULL) {
    registry.common.sample = dxBrinkSampleMesh;
    registry.common.plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
    brinkWorldDef def = {.structSize = sizeof(def), .taylorOrder = 3};
    return registry.common.plugin != NULL &&
           registry.common.plugin->createWorld(NULL, &def, &registry.common.world) == brink_ok;
  }
  return true;
}

static const outsider *meetOutsider(dGeomID geom, const dxBrinkShapeKey *key, const dxBrink *brink) {
  uint32_t number = brinkKeyMap_Get(&registry.outsiderMap, BRINK_POINTER_KEY(geom));
  if (number != BRINK_NO_RECORD && dxBrinkSameKey(&registry.outsiders[number].key, key)) {
    return &registry.outsiders[number];
  }
  if (number == BRINK_NO_RECORD) {
    number = (uint32_t)registry.outsiderCount;
    if (!BRINK_STEP_RESERVE(registry.outsiders, registry.outsiderCount, registry.outsiderCapacity) ||
        !brinkKeyMap_Set(&registry.outsiderMap, BRINK_POINTER_KEY(geom), number)) {
      return NULL;
    }
    registry.outsiders[number] = (outsider){.shape.mesh = BRINK_NO_RECORD};
    registry.outsiderCount++;
  } else {
    brinkStepDropShape(&registry.common, &registry.outsiders[number].shape);
  }
  char message[256];
  outsider *entry = &registry.outsiders[number];
  entry->key = (dxBrinkShapeKey){.geomClass = -1};
  /* Each new outsider compares its mesh's samples with those of the cooked one: the count is a fresh walk number. */
  static uint64_t stamp; /* under the lock */
  if (dxBrinkMakeShape(&registry.common, geom, key, NULL, ++stamp, &entry->shape, message, sizeof(message)) !=
      brink_ok) {
    return NULL;
  }
  entry->key = *key;
  entry->born = brink != NULL ? brink->step.stepNumber : 0;
  return entry;
}

/* The dBrink of the world that one of the two moves in. NULL: none. */
static const dxBrink *brinkOf(dGeomID o1, dGeomID o2) {
  dBodyID body = dGeomGetBody(o1) != NULL ? dGeomGetBody(o1) : dGeomGetBody(o2);
  const dxBrink *at = body != NULL ? *dxBrinkList() : NULL;
  while (at != NULL && at->world != dBodyGetWorld(body)) {
    at = at->next;
  }
  return at;
}

/* Fills in shapes and their places, which are in their geoms' frames until the caller composes them. */
static void describe(brinkStepMeeting *out, const brinkStepShape *a, const brinkStepShape *b) {
  out->shapes[0] = a->id;
  out->shapes[1] = b->id;
  out->poses[0] = a->place;
  out->poses[1] = b->place;
  out->mesh = a->surface || b->surface;
}

static bool isMet(const dxBrink *brink, const dxBrinkGeom *geom) {
  return brink->step.colliders[geom - brink->geoms].met;
}

static bool isPushed(dGeomID geom) { return dGeomGetBody(geom) != NULL && !dBodyIsKinematic(dGeomGetBody(geom)); }

/* Finds the dBrink that watches both. kept: a pair answered without registration, of which one can be pushed. */
static bool findWatchedPair(dGeomID o1, dGeomID o2, const dxBrinkShapeKey keys[2], bool kept, brinkStepMeeting *out) {
  for (dxBrink *brink = *dxBrinkList(); brink != NULL; brink = brink->next) {
    const dxBrinkGeom *a = watched(brink, o1, &keys[0]);
    const dxBrinkGeom *b = a == NULL ? NULL : watched(brink, o2, &keys[1]);
    if (b != NULL && kept && !(brink->chosen.enabled && dxBrinkAnswersPair(a, b) && (isPushed(o1) || isPushed(o2)))) {
      return false;
    }
    if (b != NULL) {
      *out = (brinkStepMeeting){.plugin = brink->shapes.plugin, .world = brink->shapes.world};
      describe(out, &a->shape, &b->shape);
      out->allowance = fmin(a->allowance, b->allowance);
      out->h = brink->contacts.solveLength;
      out->struck = brink->contacts.changing;
      out->unmet = a->shape.surface && b->shape.surface && !(isMet(brink, a) && isMet(brink, b)) &&
                   (a->body != BRINK_NO_RECORD || b->body != BRINK_NO_RECORD);
      return true;
    }
  }
  return false;
}

static bool findOutsiders(dGeomID o1, dGeomID o2, const dxBrinkShapeKey keys[2], brinkStepMeeting *out) {
  if (registry.outsiderCount + 2 > MAX_OUTSIDERS) {
    forgetOutsiders();
  }
  if (!openCommon()) {
    return false;
  }
  const dxBrink *brink = brinkOf(o1, o2); /* which sees them from its next step on */
  const outsider *a = meetOutsider(o1, &keys[0], brink);
  if (a == NULL) {
    return false;
  }
  brinkStepShape shapeA = a->shape; /* the next call may move the array */
  bool isNew = brink != NULL && a->born == brink->step.stepNumber;
  const outsider *b = meetOutsider(o2, &keys[1], brink);
  if (b == NULL) {
    return false;
  }
  *out = (brinkStepMeeting){.plugin = registry.common.plugin, .world = registry.common.world};
  describe(out, &shapeA, &b->shape);
  out->allowance = BRINK_STEP_ALLOWANCE * fmin(shapeA.thickness, b->shape.thickness);
  out->h = brink != NULL ? brink->contacts.solveLength : 0;
  out->unmet = (isNew || (brink != NULL && b->born == brink->step.stepNumber)) && shapeA.surface && b->shape.surface;
  return true;
}

/* ---- the answer */

#define NOT_MINE (-1)

/* What dCollide answers. registered: the classes are Brink's; else NOT_MINE unless Brink keeps the pair apart. */
static int answer(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts, int skip, bool registered) {
  const int no = registered ? 0 : NOT_MINE;
  dxBrinkShapeKey keys[2];
  if (dxBrinkReadShapeKey(o1, &keys[0]) != NULL || dxBrinkReadShapeKey(o2, &keys[1]) != NULL) {
    return no;
  }
  brinkStepMeeting q;
  if (!findWatchedPair(o1, o2, keys, !registered, &q) && !(registered && findOutsiders(o1, o2, keys, &q))) {
    return no;
  }
  q.meshes = keys[0].odeClass == dTriMeshClass && keys[1].odeClass == dTriMeshClass;
  const dGeomID geoms[2] = {o1, o2};
  for (int side = 0; side < 2; ++side) {
    dBodyID body = dGeomGetBody(geoms[side]);
    q.poses[side] = brinkStepComposePose(dxBrinkGeomPose(geoms[side]), q.poses[side]);
    q.movers[side] = (brinkStepMover){.position = NULL};
    if (body != NULL) {
      q.movers[side] = (brinkStepMover){dBodyGetPosition(body), dBodyGetLinearVel(body), dBodyGetAngularVel(body)};
    }
  }
  brinkContactPoint points[BRINK_STEP_MOST_POINTS];
  double depths[BRINK_STEP_MOST_POINTS];
  size_t most = (size_t)(flags & 0xffff);
  size_t count = brinkStepMeet(&q, points, depths, most < MAX_POINTS ? most : MAX_POINTS);
  for (size_t i = 0; i < count; ++i) {
    dContactGeom *out = (dContactGeom *)(void *)((char *)contacts + i * (size_t)skip);
    *out = (dContactGeom){.depth = depths[i], .g1 = o1, .g2 = o2, .side1 = -1, .side2 = -1};
    out->pos[0] = points[i].position.x;
    out->pos[1] = points[i].position.y;
    out->pos[2] = points[i].position.z;
    out->normal[0] = -points[i].normal.x; /* Brink's goes from the first to the second */
    out->normal[1] = -points[i].normal.y;
    out->normal[2] = -points[i].normal.z;
  }
  return (int)count;
}

/* Calls ODE's own collider. Of an override of a class with itself ODE turns geoms and answer round, of its own entry it
 * does not. So it gets the geoms as the program gave them, and its contacts are turned once more: the same bits. */
static int handToOde(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts, int skip) {
  int classes[2] = {dGeomGetClass(o1), dGeomGetClass(o2)};
  dColliderFn *own = odeColliderOf(classes[0], classes[1]);
  if (classes[0] != classes[1]) {
    return own(o1, o2, flags, contacts, skip);
  }
  int count = own(o2, o1, flags, contacts, skip);
  for (int i = 0; i < count; ++i) {
    dContactGeom *contact = (dContactGeom *)(void *)((char *)contacts + i * (size_t)skip);
    dGeomID first = contact->g1;
    int firstSide = contact->side1;
    for (int axis = 0; axis < 3; ++axis) {
      contact->normal[axis] = -contact->normal[axis];
    }
    contact->g1 = contact->g2;
    contact->g2 = first;
    contact->side1 = contact->side2;
    contact->side2 = firstSide;
  }
  return count;
}

static int collide(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts, int skip) {
  dxBrinkLockList();
  int classes[2] = {dGeomGetClass(o1), dGeomGetClass(o2)};
  bool registered = registry.overridden[classes[0]][classes[1]];
  int count = answer(o1, o2, flags, contacts, skip, registered);
  dxBrinkUnlockList();
  return count == NOT_MINE ? handToOde(o1, o2, flags, contacts, skip) : count;
}

/* ---- registration */

static bool isAnswered(int geomClass) {
  return geomClass == dSphereClass || geomClass == dBoxClass || geomClass == dCapsuleClass ||
         geomClass == dCylinderClass || geomClass == dPlaneClass || geomClass == dConvexClass ||
         geomClass == dTriMeshClass || geomClass == dHeightfieldClass;
}

static bool isReserved(int a, int b) {
  bool grounds = (a == dPlaneClass || a == dHeightfieldClass) && (b == dPlaneClass || b == dHeightfieldClass);
  return grounds || (a == dPlaneClass && b == dConvexClass) || (a == dConvexClass && b == dPlaneClass);
}

void dxBrinkKeepRegistered(int classA, int classB, bool registered) {
  dxBrinkLockList();
  if (registered) {
    dSetColliderOverride(classA, classB, collide);
  }
  registry.overridden[classA][classB] = registry.overridden[classB][classA] = registered;
  dxBrinkUnlockList();
}

static bool mayRegister(int classA, int classB) {
  return isAnswered(classA) && isAnswered(classB) && !isReserved(classA, classB) && dxBrinkOdeIsInitialised();
}

int dBrinkRegister(int classA, int classB) {
  if (!mayRegister(classA, classB)) {
    return dxBrinkFail(NULL, "dBrinkRegister: Brink does not answer classes %d and %d, or dInitODE2 was not called",
                       classA, classB);
  }
  dxBrinkKeepRegistered(classA, classB, true);
  return 1;
}

int dBrinkRegisterAll(void) {
  int any = 0;
  for (int a = 0; a <= dHeightfieldClass; ++a) {
    for (int b = a; b <= dHeightfieldClass; ++b) {
      any |= mayRegister(a, b) && dBrinkRegister(a, b);
    }
  }
  return any;
}
