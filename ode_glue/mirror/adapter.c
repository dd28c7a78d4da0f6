/* SPDX-License-Identifier: BSD-3-Clause */
/* Mirrors an ODE world for Brink: which geoms, bodies and joints are there, and which are new, changed or gone? ODE
 * reports none of that, so each step walks the watched spaces and compares every object with its record: class, sizes,
 * mesh, body, place, bits. An object that the walk does not meet is gone: its record is freed, its pointer never
 * followed. A pointer that ODE uses again shows by another class, size or body. Bodies are found from geoms and through
 * joints of any kind, as ODE cannot list those of a world. Units: m, rad; quaternions (w,x,y,z) on both sides. */
#include <math.h>
#include <string.h>

#include "mirror.h"
#include "sink.h" /* plugin/stepping */

#define FETCH_AHEAD 8 /* bodies */
#define MAX_SPACE_DEPTH 64

/* ---- bodies */

/* Walking a body's joints is the dearest part of the walk, and most are contacts. Of a body that is left alone and had
 * no other joint they are walked in one step of 32. */
static bool jointsAreDue(const dxBrink *brink, const brinkStepHotData *hot, uint32_t number) {
  return hot->jointed || !hot->known || ((number + brink->walk->stamp) & 31u) == 0;
}

static void readStart(dBrinkID brink, uint32_t number) {
  int found = brinkStepReadStart(&brink->step, number);
  if (found & BRINK_STEP_FORCED) {
    const dReal *p = brink->step.hotData[number].position;
    dxBrinkHosted *hosted = &brink->hosted[number];
    memcpy(hosted->force, p + brink->step.layout.force, sizeof(hosted->force));
    memcpy(hosted->torque, p + brink->step.layout.torque, sizeof(hosted->torque));
  }
  if (((found & BRINK_STEP_FORCED) || brink->walk->far) && brinkStepEndsUnfit(&brink->step, number)) {
    found |= BRINK_STEP_UNFIT;
  }
  if ((found & BRINK_STEP_UNFIT) && number < brink->walk->unfit) {
    brink->walk->unfit = number;
  }
}

static bool reach(dBrinkID brink, dBodyID body, uint32_t number, bool due) {
  struct dxBrinkWalk *walk = brink->walk;
  if (!BRINK_STEP_RESERVE(walk->reached, walk->reachedCount, walk->reachedCapacity)) {
    return dxBrinkNoMemory(brink) != 0;
  }
  walk->reached[walk->reachedCount++] = (dxBrinkReached){body, number, due};
  walk->strangers += due || number == BRINK_NO_RECORD;
  return true;
}

/* ODE's joints lie apart in memory. The last walk tells which come next. */
static inline void fetchJoint(const dxBrink *brink) {
  const struct dxBrinkWalk *walk = brink->walk;
  if (walk->jointCount + FETCH_AHEAD < walk->jointMost) {
    const dxBrinkMet *next = &walk->joints[walk->jointCount + FETCH_AHEAD];
    for (int line = 0; line < 4; ++line) {
      BRINK_STEP_FETCH((const char *)next->joint + 64 * line);
    }
    if (next->number < brink->step.jointCount) {
      brinkStepFetchJoint(&brink->step.joints[next->number]);
    }
  }
}

/* Compares a joint that is no contact with its record, or lists it as changed. False: no memory. */
static inline bool meetJoint(dBrinkID brink, uint32_t body, dJointID joint, uint32_t known) {
  struct dxBrinkWalk *walk = brink->walk;
  const dxBrinkMet met = {joint, known, body, (uint32_t)walk->changedCount};
  fetchJoint(brink);
  if (BRINK_STEP_RESERVE(walk->joints, walk->jointCount, walk->jointCapacity)) {
    walk->joints[walk->jointCount++] = met;
  }
  if (dxBrinkIsSynced(brink, body, joint, known)) {
    return true;
  }
  brink->step.hotData[body].recorded = false;
  if (!BRINK_STEP_RESERVE(walk->changed, walk->changedCount, walk->changedCapacity)) {
    return dxBrinkNoMemory(brink) != 0;
  }
  walk->changed[walk->changedCount++] = met;
  return true;
}

static uint32_t meetKnown(dBrinkID brink, uint32_t number, dBodyID body);

/* Walks a body's joints. An impact moves whole islands: who is at the other end is met as well, now or after the geoms,
 * most of which it has. */
static bool meetJoints(dBrinkID brink, uint32_t number, dBodyID body) {
  const bool amongGeoms = brink->walk->amongGeoms;
  const size_t most = amongGeoms ? DX_BRINK_MANY_JOINTS : dxBrinkListJoints(brink, body);
  dJointID joint = NULL;
  brink->step.hotData[number].jointed = false;
  for (size_t i = 0; i < most; ++i) {
    joint = amongGeoms ? dBodyGetJoint(body, (int)i) : brink->contacts.joints[i];
    if (joint == NULL) {
      break;
    }
    const bool contact = dJointGetType(joint) == dJointTypeContact;
    const uint32_t known = contact ? BRINK_NO_RECORD : brinkStepFindJoint(&brink->step, number, joint);
    dBodyID other = dJointGetBody(joint, dJointGetBody(joint, 0) == body);
    if (other != NULL) {
      const uint32_t across = dxBrinkBodyAcross(brink, known, number, other);
      const bool met = across != BRINK_NO_RECORD && brink->step.hotData[across].stamp == (uint32_t)brink->walk->stamp;
      if (!met &&
          !(amongGeoms ? reach(brink, other, across, false) : meetKnown(brink, across, other) != BRINK_NO_RECORD)) {
        return false;
      }
    }
    brink->step.hotData[number].jointed |= !contact;
    if (!contact && !meetJoint(brink, number, joint, known)) {
      return false;
    }
  }
  return !amongGeoms || joint == NULL || reach(brink, body, number, true); /* there are many: they are listed later */
}

/* Marks a known body as met in this walk, and walks its joints if they are due. */
static inline bool stampBody(dBrinkID brink, uint32_t number) {
  brinkStepHotData *hot = &brink->step.hotData[number];
  if (hot->stamp == (uint32_t)brink->walk->stamp) {
    return true;
  }
  hot->stamp = (uint32_t)brink->walk->stamp;
  brink->walk->metBodies++;
  bool dynamic = !dBodyIsKinematic(hot->body);
  if (hot->dynamic != dynamic) {
    hot->dynamic = brink->step.bodies[number].dynamic = dynamic;
    brinkStepVoidLook(&brink->step, number);
  }
  if (brink->walk->starting) {
    readStart(brink, number);
  }
  hot->recorded = jointsAreDue(brink, hot, number); /* as long as meetJoint finds nothing else */
  if (!hot->recorded) {
    return true;
  }
  return brink->walk->amongGeoms ? meetJoints(brink, number, hot->body) : reach(brink, hot->body, number, true);
}

/* Learns where ODE keeps a body's state, relative to its position. False: not as it does for the other bodies. */
static bool learnLayout(dBrinkID brink, dBodyID body) {
  const dReal *p = dBodyGetPosition(body);
  brinkStepLayout layout = {dBodyGetQuaternion(body) - p, dBodyGetLinearVel(body) - p, dBodyGetAngularVel(body) - p,
                            dBodyGetForce(body) - p, dBodyGetTorque(body) - p};
  if (!brink->walk->layoutIsKnown) {
    brink->step.layout = layout;
    brink->walk->layoutIsKnown = true;
  }
  return memcmp(&brink->step.layout, &layout, sizeof(layout)) == 0;
}

/* Record of a body met in this walk; made when it is new. BRINK_NO_RECORD: failed, error is set. */
static uint32_t meetKnown(dBrinkID brink, uint32_t number, dBodyID body) {
  if (number != BRINK_NO_RECORD && !dxBrinkIsMet(dxBrinkOfBody, body)) {
    brinkStepEndBody(&brink->step, number);
    number = BRINK_NO_RECORD;
  }
  if (number == BRINK_NO_RECORD) {
    if (!learnLayout(brink, body)) {
      dxBrinkFail(brink,
                  "this libode lays out its bodies in more than one way; use the libode that Brink was built for");
      return BRINK_NO_RECORD;
    }
    number = brinkStepAddBody(&brink->step, body, dBodyGetPosition(body));
    if (number == BRINK_NO_RECORD) {
      return BRINK_NO_RECORD;
    }
    if (!BRINK_STEP_RESERVE(brink->hosted, number, brink->hostedCapacity)) {
      brinkStepDropBody(&brink->step, number);
      dxBrinkNoMemory(brink);
      return BRINK_NO_RECORD;
    }
    brink->hosted[number] = (dxBrinkHosted){.finite = false};
    dxBrinkMarkMet(dxBrinkOfBody, body);
  }
  return stampBody(brink, number) ? number : BRINK_NO_RECORD;
}

static uint32_t meetBody(dBrinkID brink, dBodyID body) { return meetKnown(brink, dxBrinkFindBody(brink, body), body); }

/* Finds the bodies without a watched geom, through joints. */
static int meetBodiesThroughJoints(dBrinkID brink) {
  struct dxBrinkWalk *walk = brink->walk;
  walk->amongGeoms = false;
  bool more = walk->strangers > 0 || walk->metBodies < brink->step.quiet.liveBodies;
  for (size_t next = 0; more && next < walk->reachedCount; ++next) {
    const dxBrinkReached it = walk->reached[next];
    if (it.due ? !meetJoints(brink, it.number, it.body) : meetBody(brink, it.body) == BRINK_NO_RECORD) {
      return 0;
    }
  }
  return 1;
}

static void dropStaleBodies(dBrinkID brink) {
  for (uint32_t i = 0; brink->walk->metBodies < brink->step.quiet.liveBodies && i < brink->step.bodyCount; ++i) {
    if (brink->step.bodies[i].body != NULL && brink->step.hotData[i].stamp != (uint32_t)brink->walk->stamp) {
      brinkStepDropBody(&brink->step, i);
    }
  }
  brinkStepEndMirror(&brink->step);
}

/* ---- geoms */

static void dropCollider(dBrinkID brink, dxBrinkGeom *record) {
  if (record->collider != 0) {
    brink->shapes.plugin->destroyCollider(brink->shapes.world, record->collider);
    record->collider = 0;
  }
}

bool dxBrinkTellCollider(dBrinkID brink, const dxBrinkGeom *record) {
  brinkStepCollider told = {.geom = record->geom, .body = record->body, .allowance = record->allowance};
  bool round = record->geom != NULL && dGeomGetClass(record->geom) == dSphereClass && record->given == NULL;
  bool rounded = record->key.geomClass == dSphereClass || record->key.geomClass == dCapsuleClass;
  told.collider = record->answered ? record->collider : 0;
  told.kind = dxBrinkClassName(record->key.geomClass);
  told.flags = (record->shape.surface ? BRINK_STEP_SURFACE : 0u) | (record->shape.sheet ? BRINK_STEP_SHEET : 0u) |
               (record->shape.hollow ? BRINK_STEP_HOLLOW : 0u) | (record->sensor ? BRINK_STEP_SENSOR : 0u) |
               (record->key.geomClass == dHeightfieldClass ? BRINK_STEP_FIELD : 0u) |
               (record->key.geomClass == dRayClass ? BRINK_STEP_RAY : 0u) |
               (record->userAllowance >= 0 ? BRINK_STEP_SAID : 0u) | (rounded ? BRINK_STEP_ROUNDED : 0u) |
               (round && !record->offset ? BRINK_STEP_ROUND : 0u);
  return brinkStepSetCollider(&brink->step, (uint32_t)(record - brink->geoms), &told);
}

static int makeCollider(dBrinkID brink, dxBrinkGeom *record) {
  const brinkStepCollider *told = &brink->step.colliders[record - brink->geoms];
  double own = record->userAllowance >= 0 ? record->userAllowance : BRINK_STEP_ALLOWANCE * record->shape.thickness;
  own = record->userAllowance >= 0 || !told->met ? own : fmin(own, told->clearance);
  record->allowance = fmin(fmin(own, brink->step.settings.allowanceCap), BRINK_STEP_UNLIMITED);
  brinkColliderDef def = {sizeof(def), BRINK_COLLIDER_BITS_STATED, .shape = record->shape.id};
  def.pose = brinkStepComposePose(record->pose, record->shape.place);
  def.body = record->body == BRINK_NO_RECORD ? 0 : brink->step.bodies[record->body].id;
  def.userData = (uint64_t)(record - brink->geoms);
  def.categoryBits = record->categoryBits;
  def.collideBits = record->collideBits;
  def.allowance = record->allowance;
  if (brink->shapes.plugin->createCollider(brink->shapes.world, &def, &record->collider) != brink_ok) {
    record->collider = 0;
    return dxBrinkPluginFailed(brink, "a geom's collider");
  }
  return 1;
}

static void forgetGeom(dBrinkID brink, dxBrinkGeom *record) {
  brink->walk->liveGeoms--;
  dropCollider(brink, record);
  brinkStepDropShape(&brink->shapes, &record->shape);
  dxBrinkFreeGiven(record->given);
  *record = (dxBrinkGeom){.geom = NULL};
  size_t number = (size_t)(record - brink->geoms);
  (void)dxBrinkTellCollider(brink, record); /* it is there already: needs no memory */
  brink->walk->geomStamps[number] = (dxBrinkGeomStamp){.geom = NULL};
  brink->walk->geomFree = number < brink->walk->geomFree ? number : brink->walk->geomFree;
}

static void readPlace(dGeomID geom, dBodyID body, bool *offset, double place[15]) {
  memset(place, 0, 15 * sizeof(double));
  *offset = false;
  if (body != NULL) {
    *offset = dGeomIsOffset(geom) != 0;
    if (*offset) {
      memcpy(place, dGeomGetOffsetPosition(geom), 3 * sizeof(double));
      memcpy(place + 3, dGeomGetOffsetRotation(geom), 12 * sizeof(double));
    }
  } else if (!dxBrinkIsPlaceless(geom)) {
    memcpy(place, dGeomGetPosition(geom), 3 * sizeof(double));
    memcpy(place + 3, dGeomGetRotation(geom), 12 * sizeof(double));
  }
}

static brinkPose placeToPose(dGeomID geom, dBodyID body, bool offset) {
  brinkPose pose = {{0, 0, 0}, {1, 0, 0, 0}};
  if (body == NULL) {
    return dxBrinkGeomPose(geom);
  }
  if (offset) {
    dQuaternion q;
    dGeomGetOffsetQuaternion(geom, q);
    const dReal *p = dGeomGetOffsetPosition(geom);
    pose = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  }
  return pose;
}

const char *dxBrinkClassName(int geomClass) {
  static const char *const names[] = {"sphere", "box",    "capsule",   "cylinder", "plane",
                                      "ray",    "convex", "transform", "trimesh",  "heightfield"};
  return geomClass >= 0 && geomClass <= dHeightfieldClass ? names[geomClass] : "user class";
}

/* Makes or renews the shape and the collider of a geom whose record has its key and place. */
static int buildGeom(dBrinkID brink, dxBrinkGeom *record, const char *reason) {
  record->answered = false;
  if (reason == NULL && !brinkStepAllFinite(record->place, 15)) {
    reason = "its position or rotation is not finite";
  }
  char message[256];
  if (reason == NULL) {
    brinkStatus status = dxBrinkMakeShape(&brink->shapes, record->geom, &record->key, record->given, brink->walk->stamp,
                                          &record->shape, message, sizeof(message));
    if (status == brink_errorNoMemory) {
      return dxBrinkNoMemory(brink);
    }
    reason = status == brink_ok ? NULL : message;
  }
  if (reason != NULL) {
    int geomClass = dGeomGetClass(record->geom);
    dxBrinkLog(brink, geomClass == dRayClass ? brink_logInfo : brink_logWarning, "geom %u (%s) is not watched: %s",
               (unsigned)(record - brink->geoms), dxBrinkClassName(geomClass), reason);
    return 1;
  }
  record->answered = true;
  return makeCollider(brink, record);
}

static dxBrinkGeom *newGeom(dBrinkID brink, dGeomID geom) {
  while (brink->walk->geomFree < brink->geomCount && brink->geoms[brink->walk->geomFree].geom != NULL) {
    brink->walk->geomFree++;
  }
  uint32_t number = (uint32_t)brink->walk->geomFree;
  if (number == brink->geomCount) {
    if (!BRINK_STEP_RESERVE(brink->geoms, brink->geomCount, brink->geomCapacity) ||
        !BRINK_STEP_RESERVE(brink->walk->geomStamps, brink->geomCount, brink->walk->geomStampCapacity)) {
      return NULL;
    }
    brink->geomCount++;
  }
  brink->walk->liveGeoms++;
  brink->walk->geomStamps[number] = (dxBrinkGeomStamp){.geom = geom};
  brink->geoms[number] = (dxBrinkGeom){.geom = geom, .body = BRINK_NO_RECORD, .userAllowance = -1};
  brink->geoms[number].key.geomClass = -1;
  brink->geoms[number].shape.mesh = BRINK_NO_RECORD;
  dxBrinkMarkMet(dxBrinkOfGeom, geom);
  return dxBrinkTellCollider(brink, &brink->geoms[number]) ? &brink->geoms[number] : NULL;
}

static bool shapeIsCurrent(dBrinkID brink, dxBrinkGeom *record, const dxBrinkShapeKey *key) {
  if (!dxBrinkSameKey(&record->key, key)) {
    return false;
  }
  if (record->answered && record->shape.mesh != BRINK_NO_RECORD) {
    return brinkStepMeshIsCurrent(&brink->shapes, &brink->shapes.meshes[record->shape.mesh], key->triangleCount,
                                  brink->walk->stamp);
  }
  return !record->answered || key->geomClass != dConvexClass || key->given != 0 ||
         dxBrinkConvexIsCurrent(record->geom, &record->shape);
}

static int syncGeom(dBrinkID brink, dxBrinkGeom *record) {
  dGeomID geom = record->geom;
  dBodyID body = dGeomGetBody(geom);
  uint32_t bodyNumber = BRINK_NO_RECORD;
  if (body != NULL) {
    bodyNumber = meetBody(brink, body);
    if (bodyNumber == BRINK_NO_RECORD) {
      return 0;
    }
  }
  bool on = dGeomIsEnabled(geom) != 0;
  uint64_t categoryBits = on ? dGeomGetCategoryBits(geom) : 0, collideBits = on ? dGeomGetCollideBits(geom) : 0;
  bool offset;
  double place[15];
  readPlace(geom, body, &offset, place);
  dxBrinkShapeKey key;
  const char *reason = dxBrinkReadShapeKey(geom, &key);
  if (record->given != NULL) {
    int odeClass = key.odeClass;
    key = record->given->key;
    key.odeClass = odeClass;
    reason = NULL;
  }
  if (reason != NULL && brink->chosen.rays && strcmp(reason, DX_BRINK_RAY_REASON) == 0) {
    reason = NULL;
  }
  bool samePlace = offset == record->offset && memcmp(place, record->place, sizeof(place)) == 0;
  bool sameShape = shapeIsCurrent(brink, record, &key);
  bool sameBits = categoryBits == record->categoryBits && collideBits == record->collideBits;
  bool sameBody = bodyNumber == record->body;
  if (!samePlace || !sameShape || !sameBits || !sameBody) {
    brinkStepVoidLook(&brink->step, record->body);
    brinkStepVoidLook(&brink->step, bodyNumber);
    record->changed = bodyNumber == BRINK_NO_RECORD;
    brink->walk->changedGeoms += record->changed;
  }
  record->key = key;
  record->offset = offset;
  memcpy(record->place, place, sizeof(place));
  record->categoryBits = categoryBits;
  record->collideBits = collideBits;
  record->body = bodyNumber;
  if (!samePlace || !sameBody || !sameShape) {
    record->pose = placeToPose(geom, body, offset);
  }
  if (!sameShape || !sameBody || (!samePlace && !record->answered)) {
    dropCollider(brink, record);
    brinkStepDropShape(&brink->shapes, &record->shape);
    int built = buildGeom(brink, record, reason);
    return dxBrinkTellCollider(brink, record) && built;
  }
  if (!samePlace && !dxBrinkTellCollider(brink, record)) {
    return 0;
  }
  if (!record->answered) {
    return 1;
  }
  const brinkPlugin *plugin = brink->shapes.plugin;
  if (!samePlace) {
    brinkPose pose = brinkStepComposePose(record->pose, record->shape.place);
    if (plugin->setColliderPose(brink->shapes.world, record->collider, &pose) != brink_ok) {
      return dxBrinkPluginFailed(brink, "the pose of a geom");
    }
  }
  if (!sameBits &&
      plugin->setColliderFilter(brink->shapes.world, record->collider, categoryBits, collideBits) != brink_ok) {
    return dxBrinkPluginFailed(brink, "the bits of a geom");
  }
  return 1;
}

static inline bool readPlainSize(dGeomID geom, int geomClass, double size[3]) {
  dVector3 sides;
  size[1] = size[2] = 0;
  switch (geomClass) {
    case dSphereClass:
      size[0] = dGeomSphereGetRadius(geom);
      return true;
    case dBoxClass:
      dGeomBoxGetLengths(geom, sides);
      memcpy(size, sides, 3 * sizeof(double));
      return true;
    case dCapsuleClass:
      dGeomCapsuleGetParams(geom, &size[0], &size[1]);
      return true;
    case dCylinderClass:
      dGeomCylinderGetParams(geom, &size[0], &size[1]);
      return true;
    default:
      return false;
  }
}

/* Has the geom the shape that the last walk noted? */
static inline bool isShapedAsBefore(dBrinkID brink, dGeomID geom, const dxBrinkQuickTest *quickTest) {
  double size[3];
  switch (quickTest->geomClass) {
    case dConvexClass:
      return dxBrinkConvexIsCurrent(geom, &brink->geoms[quickTest->record].shape);
    case dTriMeshClass:
      return dGeomTriMeshGetData(geom) == quickTest->data &&
             brinkStepMeshIsCurrent(&brink->shapes, &brink->shapes.meshes[quickTest->mesh],
                                    dGeomTriMeshGetTriangleCount(geom), brink->walk->stamp);
    default:
      return readPlainSize(geom, quickTest->geomClass, size) && size[0] == quickTest->size[0] &&
             size[1] == quickTest->size[1] && size[2] == quickTest->size[2];
  }
}

/* Notes what isShapedAsBefore compares. False: this geom has to be read whole in each walk. */
static inline bool noteShape(const dxBrinkGeom *record, dxBrinkQuickTest *quickTest) {
  switch (quickTest->geomClass) {
    case dConvexClass:
      return true;
    case dTriMeshClass:
      quickTest->mesh = record->shape.mesh;
      quickTest->data = record->key.data;
      return true;
    default:
      return readPlainSize(record->geom, quickTest->geomClass, quickTest->size);
  }
}

/* Prefetches the bodies that come next: ODE's lie apart in memory. The record that tells where they are is fetched
 * before. */
static inline void fetchBody(const dxBrink *brink, size_t place) {
  if (place + FETCH_AHEAD < brink->walk->quickTestCount && brink->walk->quickTests[place + FETCH_AHEAD].geom != NULL) {
    brinkStepFetchHotData(&brink->step.hotData[brink->walk->quickTests[place + FETCH_AHEAD].bodyRecord]);
  }
  if (place < brink->walk->quickTestCount && brink->walk->quickTests[place].geom != NULL) {
    brinkStepFetchStart(&brink->step.hotData[brink->walk->quickTests[place].bodyRecord], &brink->step.layout);
  }
}

/* Is the geom at this place of the walk unchanged since the last one? Then it and its body are marked as met. */
static inline bool isAsBefore(dBrinkID brink, dGeomID geom, bool *failed) {
  if (brink->walk->walked >= brink->walk->quickTestCount) {
    return false;
  }
  const dxBrinkQuickTest *quickTest = &brink->walk->quickTests[brink->walk->walked];
  if (quickTest->geom != geom) {
    return false;
  }
  const brinkStepHotData *hot = &brink->step.hotData[quickTest->bodyRecord];
  dxBrinkGeomStamp *stamp = &brink->walk->geomStamps[quickTest->record];
  dBodyID body = dGeomGetBody(geom);
  if (body == NULL || body != hot->body || stamp->geom != geom || !dxBrinkIsMet(dxBrinkOfGeom, geom) ||
      !dxBrinkIsMet(dxBrinkOfBody, body) || dGeomGetClass(geom) != quickTest->geomClass || !dGeomIsEnabled(geom) ||
      dGeomGetCategoryBits(geom) != quickTest->categoryBits || dGeomGetCollideBits(geom) != quickTest->collideBits ||
      dGeomIsOffset(geom) || dBodyGetWorld(body) != brink->world || !isShapedAsBefore(brink, geom, quickTest)) {
    return false;
  }
  if (stamp->walk != brink->walk->stamp) {
    stamp->walk = brink->walk->stamp;
    brink->walk->metGeoms++;
  }
  *failed = !stampBody(brink, quickTest->bodyRecord);
  return true;
}

/* Notes what isAsBefore compares. Without memory the next walk takes longer, and nothing else. */
static void keepQuickTest(dBrinkID brink, const dxBrinkGeom *record) {
  if (!BRINK_STEP_RESERVE(brink->walk->quickTests, brink->walk->walked, brink->walk->quickTestCapacity) ||
      brink->walk->walked >= brink->walk->quickTestCapacity) {
    return;
  }
  while (brink->walk->quickTestCount <= brink->walk->walked) {
    brink->walk->quickTests[brink->walk->quickTestCount++].geom = NULL;
  }
  dxBrinkQuickTest *quickTest = &brink->walk->quickTests[brink->walk->walked];
  quickTest->geom = NULL;
  bool plain = record->answered && record->body != BRINK_NO_RECORD && !record->offset && record->given == NULL &&
               record->categoryBits == dGeomGetCategoryBits(record->geom) &&
               record->collideBits == dGeomGetCollideBits(record->geom) && dGeomIsEnabled(record->geom);
  quickTest->geomClass = dGeomGetClass(record->geom);
  if (plain && noteShape(record, quickTest)) {
    quickTest->geom = record->geom;
    quickTest->record = (uint32_t)(record - brink->geoms);
    quickTest->bodyRecord = record->body;
    quickTest->categoryBits = record->categoryBits;
    quickTest->collideBits = record->collideBits;
  }
}

static int meetGeom(dBrinkID brink, dGeomID geom, bool locked) {
  dBodyID body = dGeomGetBody(geom);
  if (body != NULL && dBodyGetWorld(body) != brink->world) {
    return 1; /* of another world: no joint can hold the two together, nothing can answer for its motion */
  }
  brink->walk->locked = brink->walk->locked || (locked && body != NULL);
  dxBrinkGeom *record = dxBrinkFindGeom(brink, geom);
  if (record != NULL && !dxBrinkIsMet(dxBrinkOfGeom, geom)) {
    brinkStepEndCollider(&brink->step, (uint32_t)(record - brink->geoms));
    record = NULL;
  }
  if (record == NULL && (record = newGeom(brink, geom)) == NULL) {
    return dxBrinkNoMemory(brink);
  }
  dxBrinkGeomStamp *stamp = &brink->walk->geomStamps[record - brink->geoms];
  if (stamp->walk != brink->walk->stamp) {
    stamp->walk = brink->walk->stamp;
    brink->walk->metGeoms++;
    if (!syncGeom(brink, record)) {
      return 0;
    }
  }
  keepQuickTest(brink, record);
  brink->walk->walked++;
  return 1;
}

static int walkSpace(dBrinkID brink, dSpaceID space, bool locked, int depth) {
  if (depth > MAX_SPACE_DEPTH) {
    return dxBrinkFail(brink, "spaces are nested deeper than %d; is a space inside itself?", MAX_SPACE_DEPTH);
  }
  locked = locked || dxBrinkIsLocked(space, brink->watched->probe);
  size_t first = brink->watched->listedCount;
  if (!BRINK_STEP_RESERVE(brink->walk->spaces, brink->walk->spaceCount, brink->walk->spaceCapacity) ||
      !dxBrinkListSpace(brink, space)) {
    return dxBrinkNoMemory(brink);
  }
  brink->walk->spaces[brink->walk->spaceCount++] = space;
  size_t end = brink->watched->listedCount;
  int done = 1;
  bool failed = false;
  for (size_t i = first; i < end && done; ++i) {
    dGeomID geom = brink->watched->listed[i];
    fetchBody(brink, brink->walk->walked + FETCH_AHEAD);
    if (isAsBefore(brink, geom, &failed)) {
      brink->walk->locked = brink->walk->locked || locked;
      brink->walk->walked++;
      done = !failed;
      continue;
    }
    if (!dGeomIsSpace(geom)) {
      done = meetGeom(brink, geom, locked);
    } else if (space != brink->watched->root) { /* what is watched in there is walked by itself */
      done = walkSpace(brink, (dSpaceID)geom, locked, depth + 1);
    }
  }
  brink->watched->listedCount = first;
  return done;
}

static void dropStaleGeoms(dBrinkID brink) {
  for (size_t i = 0; brink->walk->metGeoms < brink->walk->liveGeoms && i < brink->geomCount; ++i) {
    if (brink->geoms[i].geom != NULL && brink->walk->geomStamps[i].walk != brink->walk->stamp) {
      forgetGeom(brink, &brink->geoms[i]);
    }
  }
  brinkStepDropUnusedMeshes(&brink->shapes);
}

/* Voids looks near geoms without a body that are new or changed: what they allowed may no longer hold (looks.c). */
static void voidLooksNearChanges(dBrinkID brink) {
  for (size_t i = 0; brink->walk->changedGeoms > 0 && i < brink->geomCount; ++i) {
    dxBrinkGeom *record = &brink->geoms[i];
    if (record->geom != NULL && record->changed) {
      brink->walk->changedGeoms--;
      record->changed = false;
      if (record->answered) {
        brinkStepVoidLooksNear(&brink->step, record->collider);
      }
    }
  }
  brink->walk->changedGeoms = 0;
}

int dxBrinkMakeColliderAgain(void *user, uint32_t number) {
  dBrinkID brink = user;
  dxBrinkGeom *record = &brink->geoms[number];
  dropCollider(brink, record);
  record->answered = makeCollider(brink, record);
  return dxBrinkTellCollider(brink, record) && record->answered;
}

int dxBrinkApplyAllowances(dBrinkID brink) {
  brinkStepForgetMeasures(&brink->step);
  for (uint32_t i = 0; i < brink->geomCount; ++i) {
    const dxBrinkGeom *record = &brink->geoms[i];
    if (record->geom != NULL && record->answered && !dxBrinkMakeColliderAgain(brink, i)) {
      return 0;
    }
  }
  return 1;
}

/* ---- the walk */

static int walkAll(dBrinkID brink) {
  dxBrinkDropDeadSpaces(brink);
  for (size_t i = 0; i < brink->watched->spaceCount; ++i) {
    if (!walkSpace(brink, brink->watched->spaces[i].space, false, 0)) {
      return 0;
    }
  }
  if (!walkSpace(brink, brink->watched->root, false, 0)) { /* the geoms that were added one by one */
    return 0;
  }
  for (size_t i = 0; i < brink->watched->looseCount; ++i) {
    if (!meetGeom(brink, brink->watched->looseGeoms[i], false)) {
      return 0;
    }
  }
  return 1;
}

static void beginWalk(dBrinkID brink) {
  brink->walk->stamp++;
  brink->walk->reachedCount = brink->walk->strangers = brink->walk->metGeoms = brink->walk->metBodies =
      brink->walk->walked = 0;
  brink->walk->changedCount = brink->walk->syncedJoints = brink->walk->spaceCount = 0;
  brink->walk->jointMost = brink->walk->jointCount;
  brink->walk->jointCount = 0;
  brink->walk->amongGeoms = true;
  brink->watched->listedCount = 0;
  brink->walk->locked = false;
}

/* Drops the records of what the walk has not met. */
static int endWalk(dBrinkID brink) {
  dropStaleGeoms(brink);
  voidLooksNearChanges(brink);
  if (!dxBrinkSyncJoints(brink)) {
    return 0;
  }
  dropStaleBodies(brink);
  return 1;
}

int dxBrinkRefresh(dBrinkID brink) {
  beginWalk(brink);
  int walked = walkAll(brink);
  if (brink->walk->quickTestCount > brink->walk->walked) {
    brink->walk->quickTestCount = brink->walk->walked; /* what lies beyond may have changed by the next walk */
  }
  return walked && meetBodiesThroughJoints(brink) && endWalk(brink);
}

int dxBrinkRefreshAtStart(dBrinkID brink) {
  brink->walk->starting = true;
  brink->walk->unfit = BRINK_NO_RECORD;
  const double h = brink->step.now.h;
  dVector3 g;
  dWorldGetGravity(brink->world, g);
  brink->step.now.fall = h * dCalcVectorLength3(g);
  brink->walk->far = !(h <= 1 && h * brink->step.now.fall <= 1);
  int done = dxBrinkRefresh(brink);
  brink->walk->starting = false;
  return done;
}

/* As a walk that meets nothing: every record is dropped. */
void dxBrinkForget(dBrinkID brink) {
  beginWalk(brink);
  (void)endWalk(brink);
}

/* As a walk that meets every geom, each of them changed: colliders and shapes go, settings of geoms stay. */
void dxBrinkForgetAllButGeoms(dBrinkID brink) {
  beginWalk(brink);
  for (size_t i = 0; i < brink->geomCount; ++i) {
    dxBrinkGeom *record = &brink->geoms[i];
    if (record->geom != NULL) {
      brink->walk->geomStamps[i].walk = brink->walk->stamp;
      brink->walk->metGeoms++;
      dropCollider(brink, record);
      brinkStepDropShape(&brink->shapes, &record->shape);
      record->answered = false;
      record->key.geomClass = -1; /* built anew at the next walk */
      record->body = BRINK_NO_RECORD;
      (void)dxBrinkTellCollider(brink, record); /* it is there already: needs no memory */
    }
  }
  brink->walk->quickTestCount = 0;
  (void)endWalk(brink);
}
