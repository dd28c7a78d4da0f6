/* SPDX-License-Identifier: BSD-3-Clause */
/* Brink as ODE's narrowphase: which contacts have these two geoms at their current poses?
 * dSetColliderOverride keeps one function per pair of classes for the whole process. It gets (class i, class j), fills
 * g1 = o1, g2 = o2 as received and a normal out of o2 into o1; dCollide swaps both when it was asked the other way
 * round. ODE's own entry cannot be read back, so a registered pair stays Brink's: after dCloseODE from the next dBrink
 * on.
 *
 * Convex pairs report depth = -separation; pairs with a mesh are kept a hair apart: their surfaces may not cross, so
 * contacts act below 0.6 of the allowance (see brinkWatch: the event lies at 0.5). Nothing is reported farther out, but
 * beside the contacts of a mesh that slides: ODE takes a contact of depth 0 for touching, so a body would stop in
 * mid-air there and creep down by the solver's softness. A geom that some dBrink watches is answered by that dBrink's
 * shapes. Any other gets a shape in a common plugin world, made on the fly and kept by pointer, with its class and
 * sizes compared at each call; that world goes with the last dBrink. Thread rule: one lock around registry and answers;
 * ODE's own trimesh code is not thread-safe either. Not registered: convex against plane, which is how a convex geom's
 * vertices are read (adapter.c).
 *
 * Without registration two trimeshes, and a heightfield and a trimesh that has no core, are answered all the same,
 * where a dBrink watches both: ODE's contacts would need surfaces that cross. Brink stands in ODE's table for these
 * classes from the first dBrink on and hands every other pair to ODE's own collider. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mirror/mirror.h"

#define MAX_POINTS 8
#define MESH_POINTS 24     /* looked at, for the most spread of them */
#define MAX_OUTSIDERS 8192 /* geoms of no dBrink remembered at a time; then all are forgotten and made anew */
#define LONGEST_BAND 1.0   /* m: a plane against a plane has no thinner side */

typedef struct outsider {
  dxBrinkShapeKey key;
  dxBrinkShape shape;
  uint32_t born; /* step of its world's dBrink in which it was first seen */
} outsider;

/* The table of ODE is global, so is what serves it; behind the lock of the list of dBrinks. */
static struct {
  bool overridden[dGeomNumClasses][dGeomNumClasses];
  dxBrinkShapes common;
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
  dxBrinkFreeShapes(&registry.common);
}

static int collide(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts, int skip);

/* ODE's own colliders of meshes, which its headers do not declare. NULL: this libode hides them. */
extern int odeCollidesMeshes(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts,
                             int skip) __asm__("_Z11dCollideTTLP6dxGeomS0_iP12dContactGeomi") __attribute__((weak));
extern int odeCollidesField(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts,
                            int skip) __asm__("_Z19dCollideHeightfieldP6dxGeomS0_iP12dContactGeomi")
    __attribute__((weak));

/* Pairs that may need no registration: ODE's collider of the pair, or NULL. */
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

/* dCloseODE empties ODE's table and tells nobody. The first dBrink after it puts back what was registered, or pairs
 * that nothing pushes apart any more would be taken for pairs at rest and be clamped for ever. */
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

/* Two trimeshes always; a heightfield and a trimesh where neither has a core. */
static bool keepsApart(const dxBrinkGeom *a, const dxBrinkGeom *b) {
  const int classA = dGeomGetClass(a->geom), classB = dGeomGetClass(b->geom);
  return odeColliderOf(classA, classB) != NULL && (classA == classB || (a->shape.hollow && b->shape.hollow));
}

bool dxBrinkAnswersPair(const dxBrinkGeom *a, const dxBrinkGeom *b) {
  return a->key.given == 0 && b->key.given == 0 &&
         (dxBrinkOverrides(a->key.odeClass, b->key.odeClass) || keepsApart(a, b));
}

/* A mesh whose contacts are Brink's, or two meshes. */
bool dxBrinkMayHoldApart(const dxBrink *brink) {
  uint32_t users = 0;
  for (size_t i = 0; i < brink->shapes.meshCount; ++i) {
    const dxBrinkMesh *mesh = &brink->shapes.meshes[i];
    for (int other = 0; mesh->users > 0 && other <= dHeightfieldClass; ++other) {
      if (dxBrinkOverrides(mesh->geomClass, other)) {
        return true;
      }
    }
    users += mesh->users;
  }
  return users > 1;
}

/* ---- which shape */

/* The record of a watched geom, if it is still what the last walk saw. */
static const dxBrinkGeom *watched(dxBrink *brink, dGeomID geom, const dxBrinkShapeKey *key) {
  const dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
  return record != NULL && record->answered && dxBrinkSameKey(&record->key, key) ? record : NULL;
}

static bool openCommon(void) {
  if (registry.common.world == NULL) {
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
    dxBrinkDropShape(&registry.common, &registry.outsiders[number].shape);
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

/* The dBrink of the world that one of the two moves in. */
static const dxBrink *brinkOf(dGeomID o1, dGeomID o2) {
  dBodyID body = dGeomGetBody(o1) != NULL ? dGeomGetBody(o1) : dGeomGetBody(o2);
  const dxBrink *at = body != NULL ? *dxBrinkList() : NULL;
  while (at != NULL && at->world != dBodyGetWorld(body)) {
    at = at->next;
  }
  return at;
}

/* What an answer needs: a plugin world with both shapes, and how far apart they count as touching. */
typedef struct question {
  const brinkPlugin *plugin;
  brinkWorld *world;
  brinkShapeId shapes[2];
  brinkPose places[2]; /* of the shapes in their geoms' frames */
  bool mesh, meshes;   /* one of them is made of triangles; both are trimeshes */
  double allowance;
  double h;    /* s, of a step; 0: nobody knows it yet, and nothing is lifted */
  bool struck; /* asked at an impact */
  bool unmet;  /* two meshes of which clearance.c has not looked at one yet */
} question;

static bool isMet(const dxBrink *brink, const dxBrinkGeom *geom) {
  return brink->step.colliders[geom - brink->geoms].met;
}

/* kept: only a pair that is answered without registration. */
static bool findWatchedPair(dGeomID o1, dGeomID o2, const dxBrinkShapeKey keys[2], bool kept, question *out) {
  for (dxBrink *brink = *dxBrinkList(); brink != NULL; brink = brink->next) {
    const dxBrinkGeom *a = watched(brink, o1, &keys[0]);
    const dxBrinkGeom *b = a == NULL ? NULL : watched(brink, o2, &keys[1]);
    if (b != NULL && kept && !(brink->chosen.enabled && dxBrinkAnswersPair(a, b))) {
      return false;
    }
    if (b != NULL) {
      *out = (question){brink->shapes.plugin,
                        brink->shapes.world,
                        {a->shape.id, b->shape.id},
                        {a->shape.place, b->shape.place},
                        a->shape.surface || b->shape.surface,
                        keys[0].odeClass == dTriMeshClass && keys[1].odeClass == dTriMeshClass,
                        fmin(a->allowance, b->allowance),
                        brink->contacts.solveLength,
                        brink->contacts.changing,
                        a->shape.surface && b->shape.surface && !(isMet(brink, a) && isMet(brink, b)) &&
                            (a->body != BRINK_NO_RECORD || b->body != BRINK_NO_RECORD)};
      return true;
    }
  }
  return false;
}

static bool findOutsiders(dGeomID o1, dGeomID o2, const dxBrinkShapeKey keys[2], question *out) {
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
  dxBrinkShape shapeA = a->shape; /* the next call may move the array */
  bool isNew = brink != NULL && a->born == brink->step.stepNumber;
  const outsider *b = meetOutsider(o2, &keys[1], brink);
  if (b == NULL) {
    return false;
  }
  *out =
      (question){registry.common.plugin,
                 registry.common.world,
                 {shapeA.id, b->shape.id},
                 {shapeA.place, b->shape.place},
                 shapeA.surface || b->shape.surface,
                 keys[0].odeClass == dTriMeshClass && keys[1].odeClass == dTriMeshClass,
                 BRINK_STEP_ALLOWANCE * fmin(shapeA.thickness, b->shape.thickness),
                 brink != NULL ? brink->contacts.solveLength : 0,
                 false,
                 (isNew || (brink != NULL && b->born == brink->step.stepNumber)) && shapeA.surface && b->shape.surface};
  return true;
}

/* ---- the answer */

/* Depth that ODE is told. Contacts of a pair with a mesh act where the surfaces are still apart, and lift a body that
 * was put nearer: never faster than `lift`, m, allows, whatever the error reduction that the program asks for. */
static double toldDepth(double separation, double keptApart, double lift) {
  return fmax(0, -separation) + fmin(fmax(0, keptApart - fmax(0, separation)), lift);
}

/* Keeps the points that ODE is told, at most `most`: the deepest, then always the one furthest from those kept. */
static size_t keepSpread(brinkContactPoint *points, size_t count, double farthestOut, size_t most) {
  size_t kept = 0;
  double gaps[MESH_POINTS];
  for (size_t i = 0; i < count; ++i) {
    if (points[i].separation <= farthestOut) {
      points[kept] = points[i];
      gaps[kept++] = HUGE_VAL;
    }
  }
  for (size_t taken = 0; taken < kept && taken < most; ++taken) {
    size_t best = taken;
    for (size_t i = taken + 1; i < kept; ++i) {
      bool better = taken == 0 ? points[i].separation < points[best].separation : gaps[i] > gaps[best];
      best = better ? i : best;
    }
    brinkContactPoint point = points[best];
    points[best] = points[taken];
    gaps[best] = gaps[taken];
    points[taken] = point;
    for (size_t i = taken + 1; i < kept; ++i) {
      const double *a = &points[i].position.x, *b = &point.position.x;
      gaps[i] = fmin(gaps[i], hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
    }
  }
  return kept < most ? kept : most;
}

void dxBrinkAddPointVelocity(dGeomID geom, const double *point, double sign, double velocity[3]) {
  dBodyID body = dGeomGetBody(geom);
  if (body != NULL) {
    dVector3 v;
    dBodyGetPointVel(body, point[0], point[1], point[2], v);
    for (int i = 0; i < 3; ++i) {
      velocity[i] += sign * v[i];
    }
  }
}

/* m/s, of the surfaces past each other at this point: along them, and in all. */
static double slidingSpeed(dGeomID o1, dGeomID o2, const brinkContactPoint *at, double *whole) {
  const double *point = &at->position.x, *n = &at->normal.x;
  double v[3] = {0, 0, 0};
  dxBrinkAddPointVelocity(o1, point, 1, v);
  dxBrinkAddPointVelocity(o2, point, -1, v);
  double along = v[0] * n[0] + v[1] * n[1] + v[2] * n[2], square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  *whole = sqrt(square);
  return sqrt(fmax(0, square - along * along));
}

/* By more than the gap in a sixtieth of a second? */
static bool slides(dGeomID o1, dGeomID o2, const brinkContactPoint *at, double gap) {
  double whole;
  return slidingSpeed(o1, o2, at, &whole) > BRINK_STEP_SLIDING * gap;
}

/* m, of what lies nearer than it is kept. At an impact what slides or rolls over something curved comes nearer again
 * faster than the solver's straight contact can follow: it is lifted by a part of its own speed. */
static double liftAt(dGeomID o1, dGeomID o2, const brinkContactPoint *at, const question *q) {
  double whole = 0;
  if (q->struck && at->separation < BRINK_STEP_TOUCHING * q->allowance) {
    (void)slidingSpeed(o1, o2, at, &whole);
  }
  return fmax(BRINK_STEP_LIFT_SPEED, BRINK_STEP_LIFT * whole) * q->h;
}

static double leastSeparation(const brinkContactPoint *points, size_t count) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < count; ++i) {
    least = fmin(least, points[i].separation);
  }
  return least;
}

#define NOT_MINE (-1)

/* registered: all pairs of these classes are Brink's; else only those that it keeps apart, or NOT_MINE. */
static int answer(dGeomID o1, dGeomID o2, int flags, dContactGeom *contacts, int skip, bool registered) {
  const int no = registered ? 0 : NOT_MINE;
  dxBrinkShapeKey keys[2];
  if (dxBrinkReadShapeKey(o1, &keys[0]) != NULL || dxBrinkReadShapeKey(o2, &keys[1]) != NULL) {
    return no;
  }
  question q;
  if (!findWatchedPair(o1, o2, keys, !registered, &q) && !(registered && findOutsiders(o1, o2, keys, &q))) {
    return no;
  }
  double allowance = fmin(q.allowance, LONGEST_BAND);
  double keptApart = q.mesh ? BRINK_STEP_GAP * allowance : 0;
  brinkPose poses[2] = {dxBrinkComposePose(dxBrinkGeomPose(o1), q.places[0]),
                        dxBrinkComposePose(dxBrinkGeomPose(o2), q.places[1])};
  brinkContactPoint points[MESH_POINTS];
  size_t most = (size_t)(flags & 0xffff), count = 0;
  most = most < MAX_POINTS ? most : MAX_POINTS;
  if (q.plugin->collideShapes(q.world, q.shapes[0], &poses[0], q.shapes[1], &poses[1],
                              BRINK_STEP_LOOK_FARTHER * keptApart, points, q.mesh ? MESH_POINTS : most,
                              &count) != brink_ok) {
    return 0;
  }
  if (q.unmet) {
    keptApart = fmin(keptApart, BRINK_STEP_GAP * brinkStepClearanceOf(leastSeparation(points, count), allowance));
  }
  /* Sliding, a body that lies level on some points would fall on those just outside: they are told too, with depth 0.
   * At rest the same would let it hover and creep. Two trimeshes always have them: where stones of an arch push each
   * other, what opens by a hair would fall, and be struck, in every step. */
  if (q.mesh && count > 0) {
    double band = q.meshes || slides(o1, o2, &points[0], keptApart) ? BRINK_STEP_MESH_BAND : 0;
    count = keepSpread(points, count, (1 + band) * keptApart, most);
  }
  for (size_t i = 0; i < count; ++i) {
    dContactGeom *out = (dContactGeom *)(void *)((char *)contacts + i * (size_t)skip);
    const brinkContactPoint *in = &points[i];
    *out = (dContactGeom){.depth = toldDepth(in->separation, keptApart, q.mesh ? liftAt(o1, o2, in, &q) : 0),
                          .g1 = o1,
                          .g2 = o2,
                          .side1 = -1,
                          .side2 = -1};
    out->pos[0] = in->position.x;
    out->pos[1] = in->position.y;
    out->pos[2] = in->position.z;
    out->normal[0] = -in->normal.x; /* Brink's goes from the first to the second */
    out->normal[1] = -in->normal.y;
    out->normal[2] = -in->normal.z;
  }
  return (int)count;
}

/* ODE turns round what an override of a class with itself is given, and what it answers; its own entry it does not.
 * So its own collider gets the geoms as the program gave them, and the contacts are turned once more: the same bits. */
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

int dBrinkRegister(int classA, int classB) {
  if (!isAnswered(classA) || !isAnswered(classB) || isReserved(classA, classB) || !dxBrinkOdeIsInitialised()) {
    return 0;
  }
  dxBrinkKeepRegistered(classA, classB, true);
  return 1;
}

int dBrinkRegisterAll(void) {
  if (!dxBrinkOdeIsInitialised()) {
    return 0;
  }
  for (int a = 0; a <= dHeightfieldClass; ++a) {
    for (int b = a; b <= dHeightfieldClass; ++b) {
      if (isAnswered(a) && isAnswered(b) && !isReserved(a, b)) {
        dxBrinkKeepRegistered(a, b, true);
      }
    }
  }
  return 1;
}
