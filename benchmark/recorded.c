/* SPDX-License-Identifier: BSD-3-Clause */
/* Records a demo scene and asks its frames again through the C ABI. Chains come from ODE's joints, as in ode_glue, but
 * with nothing else of it: this is what the library costs without an engine. */
#include "recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BODIES 256
#define MAX_JOINTS 512

typedef struct Joint {
  int a, b; /* bodies */
  brinkVec3 anchorA, anchorB;
} Joint;

typedef struct Part { /* a mesh on a body, or static */
  int body;           /* -1 = static */
  brinkPose pose;
  void *blob;
  size_t blobSize;
} Part;

struct recordedScene {
  int bodyCount, jointCount, partCount, frameCount;
  dBodyID bodies[MAX_BODIES];
  Joint joints[MAX_JOINTS];
  Part parts[MAX_BODIES];
  brinkPose *poses; /* [frameCount + 1][bodyCount] */
};

static brinkPose PoseOf(dBodyID body) {
  const dReal *p = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
  return (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
}

static int IndexOf(const recordedScene *recorded, dBodyID body) {
  for (int i = 0; i < recorded->bodyCount; ++i)
    if (recorded->bodies[i] == body) return i;
  return -1;
}

static bool AnchorOf(dJointID joint, dVector3 anchor) {
  switch (dJointGetType(joint)) {
    case dJointTypeBall:
      dJointGetBallAnchor(joint, anchor);
      return true;
    case dJointTypeHinge:
      dJointGetHingeAnchor(joint, anchor);
      return true;
    case dJointTypeUniversal:
      dJointGetUniversalAnchor(joint, anchor);
      return true;
    case dJointTypeHinge2:
      dJointGetHinge2Anchor(joint, anchor);
      return true;
    default:
      return false;
  }
}

static void RecordJoints(recordedScene *recorded) {
  for (int i = 0; i < recorded->bodyCount; ++i)
    for (int k = 0; k < dBodyGetNumJoints(recorded->bodies[i]); ++k) {
      dJointID joint = dBodyGetJoint(recorded->bodies[i], k);
      int a = IndexOf(recorded, dJointGetBody(joint, 0)), b = IndexOf(recorded, dJointGetBody(joint, 1));
      dVector3 anchor, inA, inB;
      if (a < 0 || b < 0 || i != (a < b ? a : b) || recorded->jointCount == MAX_JOINTS || !AnchorOf(joint, anchor))
        continue;
      dBodyGetPosRelPoint(recorded->bodies[a], anchor[0], anchor[1], anchor[2], inA);
      dBodyGetPosRelPoint(recorded->bodies[b], anchor[0], anchor[1], anchor[2], inB);
      recorded->joints[recorded->jointCount++] = (Joint){a, b, {inA[0], inA[1], inA[2]}, {inB[0], inB[1], inB[2]}};
    }
}

static bool RecordParts(recordedScene *recorded, const demoVisual *visuals, size_t count, char *message,
                        size_t capacity) {
  for (size_t i = 0; i < count && recorded->partCount < MAX_BODIES; ++i) {
    if (visuals[i].mesh == NULL) continue;
    Part *part = &recorded->parts[recorded->partCount];
    *part =
        (Part){.body = -1, .pose = {{visuals[i].offset[0], visuals[i].offset[1], visuals[i].offset[2]}, {1, 0, 0, 0}}};
    if (visuals[i].body) {
      part->body = IndexOf(recorded, visuals[i].body);
      if (part->body < 0) {
        if (recorded->bodyCount == MAX_BODIES) continue;
        part->body = recorded->bodyCount;
        recorded->bodies[recorded->bodyCount++] = visuals[i].body;
      }
    } else if (visuals[i].geom && dGeomGetClass(visuals[i].geom) != dPlaneClass) {
      const dReal *p = dGeomGetPosition(visuals[i].geom);
      dQuaternion q;
      dGeomGetQuaternion(visuals[i].geom, q);
      part->pose = (brinkPose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
    }
    brinkMeshView view = brinkViewMesh(visuals[i].mesh, 0);
    if (brinkCook(&view, NULL, &part->blob, &part->blobSize, message, capacity) != brink_ok) return false;
    recorded->partCount++;
  }
  return true;
}

recordedScene *recorded_Make(const demoSceneDef *def, int frames, const char *assetDir, char *message,
                             size_t capacity) {
  demoParams params = {.withBrink = true, .assetDir = assetDir, .quiet = true};
  demoScene *scene = def->create(&params, message, capacity);
  if (!scene) return NULL;
  recordedScene *recorded = calloc(1, sizeof *recorded);
  const demoVisual *visuals;
  size_t visualCount = def->visuals(scene, &visuals);
  bool good = recorded && RecordParts(recorded, visuals, visualCount, message, capacity);
  if (good) {
    RecordJoints(recorded);
    recorded->frameCount = frames;
    recorded->poses = malloc(((size_t)frames + 1) * (size_t)recorded->bodyCount * sizeof(brinkPose));
    good = recorded->poses != NULL;
  }
  for (int frame = 0; good && frame <= frames; ++frame) {
    for (int i = 0; i < recorded->bodyCount; ++i)
      recorded->poses[(size_t)frame * (size_t)recorded->bodyCount + (size_t)i] = PoseOf(recorded->bodies[i]);
    demoFrame ignored;
    if (frame < frames) def->step(scene, &ignored);
  }
  def->destroy(scene);
  if (good) return recorded;
  recorded_Free(recorded);
  return NULL;
}

void recorded_Free(recordedScene *recorded) {
  if (!recorded) return;
  for (int i = 0; i < recorded->partCount; ++i) brinkFreeBlob(recorded->parts[i].blob);
  free(recorded->poses);
  free(recorded);
}

typedef struct Mirror {
  const brinkPlugin *brink;
  brinkWorld *world;
  brinkBodyId bodies[MAX_BODIES];
} Mirror;

static brinkStatus MakeMirror(const recordedScene *recorded, uint32_t order, Mirror *mirror) {
  const brinkPlugin *brink = mirror->brink;
  brinkWorldDef worldDef = {sizeof worldDef, BRINK_WORLD_ORDER_STATED, order, 0};
  brinkStatus status = brink->createWorld(NULL, &worldDef, &mirror->world);
  for (int i = 0; status == brink_ok && i < recorded->bodyCount; ++i) {
    brinkBodyDef def = {.structSize = sizeof def, .userData = (uint64_t)i, .pose = recorded->poses[i]};
    status = brink->createBody(mirror->world, &def, &mirror->bodies[i]);
  }
  for (int i = 0; status == brink_ok && i < recorded->jointCount; ++i) {
    const Joint *joint = &recorded->joints[i];
    brinkJointDef def = {.structSize = sizeof def,
                         .bodyA = mirror->bodies[joint->a],
                         .bodyB = mirror->bodies[joint->b],
                         .anchorA = joint->anchorA,
                         .anchorB = joint->anchorB};
    brinkJointId id;
    status = brink->createJoint(mirror->world, &def, &id);
  }
  for (int i = 0; status == brink_ok && i < recorded->partCount; ++i) {
    const Part *part = &recorded->parts[i];
    brinkShapeDef shapeDef = {.structSize = sizeof shapeDef,
                              .type = brink_mesh,
                              .flags = BRINK_SHAPE_BORROW_BLOB,
                              .blob = part->blob,
                              .blobSize = part->blobSize};
    brinkShapeId shape;
    status = brink->createShape(mirror->world, &shapeDef, &shape);
    if (status != brink_ok) break;
    brinkColliderDef def = {.structSize = sizeof def,
                            .body = part->body < 0 ? 0 : mirror->bodies[part->body],
                            .shape = shape,
                            .pose = part->pose,
                            .categoryBits = 1,
                            .collideBits = 1};
    brinkColliderId collider;
    status = brink->createCollider(mirror->world, &def, &collider);
  }
  return status;
}

static brinkStatus AskFrame(const recordedScene *recorded, const Mirror *mirror, int frame, const brinkQuery *query,
                            int repeats, brinkReport *report, double *best) {
  const brinkPose *start = recorded->poses + (size_t)frame * (size_t)recorded->bodyCount,
                  *end = start + recorded->bodyCount;
  *best = INFINITY;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    double begin = bench_Now();
    for (int i = 0; i < recorded->bodyCount; ++i) {
      brinkBodyMotion motion = {
          .structSize = sizeof motion, .kind = brink_motionPoses, .pose0 = start[i], .pose1 = end[i]};
      brinkStatus status = mirror->brink->setBodyMotion(mirror->world, mirror->bodies[i], &motion);
      if (status != brink_ok) return status;
    }
    *report = (brinkReport){.structSize = sizeof *report, .counters.structSize = sizeof report->counters};
    brinkStatus status = mirror->brink->firstContact(mirror->world, query, report);
    if (status != brink_ok) return status;
    *best = fmin(*best, bench_Now() - begin);
  }
  return brink_ok;
}

bool recorded_Ask(recordedScene *recorded, uint32_t order, uint32_t scheme, double tolerance, int repeats,
                  benchRow *row, char *message, size_t capacity) {
  const char *reason = "";
  Mirror mirror = {.brink = brinkEntry(BRINK_ABI_MAJOR, &reason)};
  if (!mirror.brink) {
    snprintf(message, capacity, "brinkEntry: %s", reason);
    return false;
  }
  *row = (benchRow){0};
  brinkQuery query = {.structSize = sizeof query,
                      .mode = brink_modeFirst,
                      .scheme = scheme,
                      .watch = brink_watchContact,
                      .tStart = 0,
                      .tEnd = 1,
                      .tolerance = tolerance};
  brinkStatus status = MakeMirror(recorded, order, &mirror);
  for (int frame = 0; status == brink_ok && frame < recorded->frameCount; ++frame) {
    brinkReport report;
    double milliseconds;
    status = AskFrame(recorded, &mirror, frame, &query, repeats, &report, &milliseconds);
    if (status != brink_ok) break;
    benchRow_Add(row, report.state, milliseconds);
    row->pairsBefore += (double)report.counters.pairsBefore;
    row->pairsSpatial += (double)report.counters.pairsSpatial;
    row->pairsTemporal += (double)report.counters.pairsTemporal;
    row->advancements += (double)report.counters.advancements;
    row->distanceQueries += (double)report.counters.distanceQueries;
    row->nodePairs += (double)report.counters.nodePairs;
  }
  if (status != brink_ok)
    snprintf(message, capacity, "%s: %s", mirror.brink->statusText(status),
             mirror.world ? mirror.brink->lastError(mirror.world) : "");
  if (mirror.world) mirror.brink->destroyWorld(mirror.world);
  benchRow_Finish(row);
  return status == brink_ok;
}
