/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "brink.tolerance/1": turns colliders and the host's arrays into bodies of faces
 * (algorithms/certificates/face_tree.h), asks tolerance.h, writes the certificate and keeps it with the world until the
 * next call.
 *
 * Colliders: a convex shape is one face, its vertices; a rounded one has a radius; a mesh is its triangles; a
 * half-space is at rest in the frame of its link, in which the other's motion is stated then. Parts of a compound are
 * put together when they are rounded alike. Statements of links: their own numbers, not recomputed, so that certificate
 * and query speak of one motion. */
#include "tolerance.h"

#include "brink/linear.h"
#include "brink/tolerance.h"
#include "hull_tree.h"
#include "world.h"

#define DEFAULT_TOLERANCE 1e-3
/* Of the prism that a cylinder counts as: few are enough for most pairs, and make a fourth of the text. */
#define FEW_SIDES 16u
#define PRISM_SIDES 64u

_Static_assert((int)brink_certified == (int)brink_toleranceProven &&
                   (int)brink_certifiedListed == (int)brink_toleranceListed &&
                   (int)brink_certifiedSpent == (int)brink_toleranceSpent,
               "states differ");
_Static_assert((int)brink_curveTurn == (int)brink_stageTurn && (int)brink_curveOde == (int)brink_stageOde &&
                   (int)brink_curveSpline == (int)brink_stageSpline && (int)brink_curveBezier == (int)brink_stageBezier,
               "kinds differ");

/* ---- what the world keeps */

struct brinkCertificates {
  brinkCertificateText text;
  brinkOpenInterval *open;
  size_t openCapacity;
  struct brinkKeptChains *chains; /* of links; asked by one thread at a time */
};

void brinkCertificates_Destroy(brinkWorld *world) {
  brinkContext *context = &world->context;
  struct brinkCertificates *kept = world->certificates;
  if (kept == NULL) return;
  kept->text.context = context;
  brinkCertificateText_Free(&kept->text);
  brinkKeptChains_Destroy(context, kept->chains);
  if (kept->open != NULL) brinkRelease(context, kept->open, kept->openCapacity * sizeof *kept->open);
  brinkRelease(context, kept, sizeof *kept);
}

/* ---- a body under construction: growing arrays of one side */

typedef struct Made {
  brinkFaceBody body;
  double *vertices;
  uint32_t *faceStart, *faceIds;
  brinkMotionStage *stages;
  brinkStageKey *keys;
  double *controls; /* of inverse stages only */
  size_t vertexCapacity, startCapacity, idCapacity, idCount, stageBytes, keyBytes, controlBytes;
  uint32_t sides; /* of prisms */
  bool prism;     /* there is one */
} Made;

static void freeMade(brinkContext *context, Made *made) {
  if (made->vertices != NULL) brinkRelease(context, made->vertices, made->vertexCapacity * sizeof(double));
  if (made->faceStart != NULL) brinkRelease(context, made->faceStart, made->startCapacity * sizeof(uint32_t));
  if (made->faceIds != NULL) brinkRelease(context, made->faceIds, made->idCapacity * sizeof(uint32_t));
  if (made->stages != NULL) brinkRelease(context, made->stages, made->stageBytes);
  if (made->keys != NULL) brinkRelease(context, made->keys, made->keyBytes);
  if (made->controls != NULL) brinkRelease(context, made->controls, made->controlBytes);
}

static brinkStatus addVertex(brinkContext *context, Made *made, brinkVec3 v) {
  void *block = made->vertices;
  brinkStatus status =
      brinkReserve(context, &block, &made->vertexCapacity, 3 * (made->body.vertexCount + 1), sizeof(double));
  made->vertices = block;
  if (status != brink_ok) return status;
  double *to = &made->vertices[3 * made->body.vertexCount++];
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
  made->body.vertices = made->vertices;
  return brink_ok;
}

static brinkStatus addId(brinkContext *context, Made *made, uint32_t id) {
  void *block = made->faceIds;
  brinkStatus status = brinkReserve(context, &block, &made->idCapacity, made->idCount + 1, sizeof(uint32_t));
  made->faceIds = block;
  if (status == brink_ok) made->faceIds[made->idCount++] = id;
  made->body.faceIds = made->faceIds;
  return status;
}

/* A corner of the face at work. In a body that is solid for other parts of it, hulls and open meshes bound nothing: v0
 * v1 v0 v2 v0 ... has the same hull, and in its fan no triangle with three different corners. */
static brinkStatus addCorner(brinkContext *context, Made *made, uint32_t id, bool bounds) {
  size_t first = made->body.faceCount > 0 ? made->faceStart[made->body.faceCount] : 0;
  brinkStatus status = brink_ok;
  if (!bounds && made->body.solid && made->idCount >= first + 2) status = addId(context, made, made->faceIds[first]);
  return status == brink_ok ? addId(context, made, id) : status;
}

/* Closes a face: all ids since the last. */
static brinkStatus addFace(brinkContext *context, Made *made) {
  void *block = made->faceStart;
  brinkStatus status = brinkReserve(context, &block, &made->startCapacity, made->body.faceCount + 2, sizeof(uint32_t));
  made->faceStart = block;
  if (status != brink_ok) return status;
  if (made->body.faceCount == 0) made->faceStart[0] = 0;
  made->faceStart[++made->body.faceCount] = (uint32_t)made->idCount;
  made->body.faceStart = made->faceStart;
  return brink_ok;
}

/* ---- colliders */

typedef struct Placement {
  brinkRigid pose;
  bool identity;
} Placement;

static brinkVec3 placed(const Placement *at, brinkVec3 v) { return at->identity ? v : brinkApply(&at->pose, v); }

/* One convex face over vertices. */
static brinkStatus addHull(brinkContext *context, Made *made, const brinkPiece *piece, const Placement *at) {
  brinkStatus status = brink_ok;
  uint32_t first = (uint32_t)made->body.vertexCount, count = piece->kind == brink_pieceBox ? 8u : piece->count;
  double widened = piece->half.x / cos(3.14159265358979 / made->sides) * (1.0 + 8.0 * DBL_EPSILON);
  if (piece->kind == brink_pieceCylinder) {
    count = 2 * made->sides;
    made->prism = true;
  }
  for (uint32_t i = 0; i < count && status == brink_ok; ++i) {
    brinkVec3 v = brinkPiece_Vertex(piece, piece->kind == brink_pieceCylinder ? 0 : i);
    if (piece->kind == brink_pieceCylinder) {
      double angle = 6.283185307179586 * (i / 2) / made->sides, x = cos(angle), y = sin(angle);
      if (fabs(x) < DBL_EPSILON) x = 0.0; /* of quarter turns: rounding, which `widened` allows for */
      if (fabs(y) < DBL_EPSILON) y = 0.0;
      v = brinkV3(piece->center.x + widened * x, piece->center.y + widened * y,
                  piece->center.z + (i % 2 == 0 ? -piece->half.z : piece->half.z));
    }
    status = addVertex(context, made, placed(at, v));
    if (status == brink_ok) status = addCorner(context, made, first + i, false);
  }
  return status == brink_ok ? addFace(context, made) : status;
}

/* Six times the volume that the surface winds about. */
static double volumeOf(const brinkMeshView *mesh) {
  double sum = 0.0;
  for (size_t i = 0; i < mesh->triangleCount; ++i) {
    brinkVec3 p[4];
    for (size_t k = 0; k < 4; ++k)
      p[k] = brinkV3_FromArray(&mesh->vertices[3 * (size_t)mesh->indices[k < 3 ? 3 * i + k : 0]]);
    sum += brinkDot(brinkSub(p[0], p[3]), brinkCross(brinkSub(p[1], p[3]), brinkSub(p[2], p[3])));
  }
  return sum;
}

/* Parts of one body wind the same way round, so that none takes away what another has. */
static brinkStatus addMesh(brinkContext *context, Made *made, const brinkHullTree *tree, const Placement *at,
                           bool bounds) {
  const brinkMeshView mesh = brinkHullTree_Mesh(tree);
  bool turned = bounds && volumeOf(&mesh) < 0.0;
  uint32_t first = (uint32_t)made->body.vertexCount;
  brinkStatus status = brink_ok;
  for (size_t i = 0; i < mesh.vertexCount && status == brink_ok; ++i)
    status = addVertex(context, made, placed(at, brinkV3_FromArray(&mesh.vertices[3 * i])));
  for (size_t i = 0; i < 3 * mesh.triangleCount && status == brink_ok; ++i) {
    size_t corner = !turned || i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1;
    status = addCorner(context, made, first + mesh.indices[corner], bounds);
    if (status == brink_ok && i % 3 == 2) status = addFace(context, made);
  }
  return status;
}

static bool isMesh(const brinkShape *shape) { return shape->tree != NULL && (shape->flags & BRINK_MESH_CONVEX) == 0u; }

static brinkStatus addPart(brinkContext *context, Made *made, const brinkShape *shape, const Placement *at) {
  if (isMesh(shape)) return addMesh(context, made, shape->tree, at, (shape->flags & BRINK_MESH_SOLID) != 0u);
  return addHull(context, made, &shape->piece, at);
}

static bool isIdentity(const brinkRigid *pose) {
  const brinkRigid identity = brinkIdentityRigid();
  return memcmp(pose, &identity, sizeof identity) == 0;
}

/* In the frame of its link. */
static void makeHalfSpace(const brinkCollider *side, Made *made) {
  made->body.halfSpace = true;
  made->body.normal = brinkNormalizeOr(brinkMulMV(&side->local.r, side->shape->piece.normal), brinkV3(0, 0, 1));
  made->body.offset = side->shape->piece.offset + brinkDot(made->body.normal, side->local.p);
  made->body.radius = side->shape->piece.radius;
}

static bool isZero(brinkVec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/* Stages that change nothing, such as those of a base that stands where the world is. */
static size_t leaveOutIdentities(brinkMotionStage *stages, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const brinkMotionStage nothing = brinkMakeRestStage(&(brinkDisplacement){brinkIdentity3(), brinkV3(0, 0, 0)});
    const brinkMotionStage *stage = &stages[i];
    bool idle = stage->kind == brink_stageTurn && isZero(stage->point) && isZero(stage->velocity) &&
                isZero(stage->spin) && isZero(stage->arm) &&
                memcmp(&stage->rotation, &nothing.rotation, sizeof stage->rotation) == 0;
    if (!idle) stages[kept++] = *stage;
  }
  return kept;
}

/* Stages of the link below the ancestor, and one more for the collider's place in its link (single parts). */
static brinkStatus makeMotion(brinkWorld *world, const brinkMotionTree *tree, int32_t link, int32_t ancestor,
                              const brinkRigid *local, Made *made, const char *name) {
  brinkContext *context = &world->context;
  size_t stageCount = 0, keyCount = 0;
  if (!brinkMotionTree_Stages(tree, link, ancestor, NULL, &stageCount, NULL, &keyCount))
    return brinkFail(
        context, brink_errorBadValue,
        "%s moves by a host's own function: a file would hold a promise, not a motion; state the motion by keys, "
        "velocities or control points to certify it",
        name);
  bool identity = isIdentity(local);
  if (stageCount + (identity ? 0 : 1) == 0) return brink_ok;
  made->stageBytes = (stageCount + 1) * sizeof *made->stages;
  made->keyBytes = keyCount * sizeof *made->keys;
  made->stages = brinkAllocate(context, made->stageBytes);
  if (keyCount > 0) made->keys = brinkAllocate(context, made->keyBytes);
  if (made->stages == NULL || (keyCount > 0 && made->keys == NULL))
    return brinkFail(context, brink_errorNoMemory, "no memory for the motion of %s", name);
  brinkMotionTree_Stages(tree, link, ancestor, made->stages, &stageCount, made->keys, &keyCount);
  stageCount = leaveOutIdentities(made->stages, stageCount);
  if (!identity) made->stages[stageCount++] = brinkMakeRestStage(local);
  made->body.motion = (brinkMotionCurve){.stages = made->stages, .count = stageCount};
  return brink_ok;
}

/* Room for the inverse of a frame's motion and the body's own behind it. */
static brinkStatus reserveSeen(brinkContext *context, const Made *frame, const Made *made, Made *seen, size_t *keys) {
  size_t count = frame->body.motion.count, controls = 0;
  *keys = 0;
  for (size_t i = 0; i < count; ++i) {
    if (frame->stages[i].kind == brink_stageSpline) *keys += 2 * (size_t)frame->stages[i].count;
    if (frame->stages[i].kind == brink_stageBezier) controls += 26 * (size_t)frame->stages[i].count;
  }
  seen->stageBytes = (3 * count + made->body.motion.count) * sizeof *seen->stages;
  seen->keyBytes = *keys * sizeof *seen->keys + made->keyBytes;
  seen->controlBytes = controls * sizeof *seen->controls;
  seen->stages = brinkAllocate(context, seen->stageBytes);
  if (seen->keyBytes > 0) seen->keys = brinkAllocate(context, seen->keyBytes);
  if (controls > 0) seen->controls = brinkAllocate(context, seen->controlBytes);
  if (seen->stages != NULL && (seen->keyBytes == 0 || seen->keys != NULL) && (controls == 0 || seen->controls != NULL))
    return brink_ok;
  return brinkFail(context, brink_errorNoMemory, "no memory for %zu stages of a motion", 3 * count);
}

static void takeOver(brinkContext *context, Made *made, Made *seen, size_t count) {
  if (made->stages != NULL) brinkRelease(context, made->stages, made->stageBytes);
  if (made->keys != NULL) brinkRelease(context, made->keys, made->keyBytes);
  made->stages = seen->stages;
  made->keys = seen->keys;
  made->controls = seen->controls;
  made->stageBytes = seen->stageBytes;
  made->keyBytes = seen->keyBytes;
  made->controlBytes = seen->controlBytes;
  made->body.motion = (brinkMotionCurve){.stages = made->stages, .count = count};
  memset(seen, 0, sizeof *seen);
}

/* Has the body's motion, stated in the frame of both, stated in the frame of a link that moves in that: the inverse of
 * the link's motion comes first. A plane on that link is at rest then. name: of the plane. */
static brinkStatus seeFrom(brinkWorld *world, const brinkMotionTree *tree, int32_t link, int32_t ancestor, Made *made,
                           const char *name) {
  brinkContext *context = &world->context;
  const brinkRigid identity = brinkIdentityRigid();
  Made frame, seen;
  size_t own = made->body.motion.count, keys;
  memset(&frame, 0, sizeof frame);
  memset(&seen, 0, sizeof seen);
  brinkStatus status = makeMotion(world, tree, link, ancestor, &identity, &frame, name);
  bool moves = frame.body.motion.count > 0;
  if (status == brink_ok && moves) status = reserveSeen(context, &frame, made, &seen, &keys);
  if (status == brink_ok && moves) {
    size_t before = brinkInvertStages(frame.stages, frame.body.motion.count, seen.stages, seen.keys, seen.controls);
    if (made->keyBytes > 0) memcpy(seen.keys + keys, made->keys, made->keyBytes);
    for (size_t i = 0; i < own; ++i) {
      brinkMotionStage *stage = &seen.stages[before + i];
      *stage = made->stages[i];
      if (stage->kind == brink_stageSpline) stage->keys = seen.keys + keys + (stage->keys - made->keys);
    }
    takeOver(context, made, &seen, before + own);
  }
  freeMade(context, &seen);
  freeMade(context, &frame);
  return status;
}

static brinkStatus makeCollider(brinkWorld *world, const brinkMotionTree *tree, const brinkWorldCollider *collider,
                                int32_t ancestor, Made *made, const char *name) {
  brinkContext *context = &world->context;
  const brinkCollider first = brinkWorld_ColliderPart(world, collider, 0);
  const brinkRigid identity = brinkIdentityRigid();
  bool single = collider->partCount == 1, plane = first.shape->piece.kind == brink_pieceHalfSpace;
  if (plane && single) {
    makeHalfSpace(&first, made);
    return brink_ok;
  }
  brinkStatus status = makeMotion(world, tree, first.link, ancestor, single ? &first.local : &identity, made, name);
  for (uint32_t i = 0; i < collider->partCount; ++i) {
    const brinkShape *shape = brinkWorld_ColliderPart(world, collider, i).shape;
    made->body.solid |= isMesh(shape) && (shape->flags & BRINK_MESH_SOLID) != 0u;
  }
  for (uint32_t i = 0; i < collider->partCount && status == brink_ok; ++i) {
    const brinkCollider part = brinkWorld_ColliderPart(world, collider, i);
    if (part.shape->piece.kind == brink_pieceSupport)
      return brinkFail(context, brink_errorBadValue,
                       "%s is a support function: a file would hold a promise, not a shape; certify a hull of points "
                       "that holds it",
                       name);
    if (part.shape->piece.kind == brink_pieceHalfSpace || part.shape->piece.radius != first.shape->piece.radius)
      return brinkFail(context, brink_errorBadValue,
                       "%s is a compound of planes or of parts with different margins: certify its parts", name);
    const Placement at = {part.local, single || isIdentity(&part.local)};
    status = addPart(context, made, part.shape, &at);
  }
  made->body.radius = first.shape->piece.radius;
  return status;
}

/* ---- the host's arrays */

static brinkStatus makeStages(brinkContext *context, const brinkTolerancedBody *body, Made *made, const char *name) {
  size_t keyCount = 0;
  if (body->stageCount == 0) return brink_ok;
  if (body->stages == NULL) return brinkFail(context, brink_errorNullArgument, "%s->stages is NULL", name);
  if (body->stageCount > 10000)
    return brinkFail(context, brink_errorRange, "%s has %zu stages: at most 10000", name, body->stageCount);
  for (size_t i = 0; i < body->stageCount; ++i) {
    const brinkCurveStage *stage = &body->stages[i];
    if (stage->count > INT32_MAX / 32)
      return brinkFail(context, brink_errorRange, "%s: stage %zu has %u points", name, i, stage->count);
    if (stage->kind == brink_curveSpline && stage->keys == NULL)
      return brinkFail(context, brink_errorNullArgument, "%s: stage %zu has no keys", name, i);
    if (stage->kind == brink_curveSpline) keyCount += stage->count;
  }
  made->stageBytes = body->stageCount * sizeof *made->stages;
  made->keyBytes = keyCount * sizeof *made->keys;
  made->stages = brinkAllocateZeroed(context, body->stageCount, sizeof *made->stages);
  if (keyCount > 0) made->keys = brinkAllocate(context, made->keyBytes);
  if (made->stages == NULL || (keyCount > 0 && made->keys == NULL))
    return brinkFail(context, brink_errorNoMemory, "no memory for the motion of %s", name);
  brinkStageKey *key = made->keys;
  for (size_t i = 0; i < body->stageCount; ++i) {
    const brinkCurveStage *from = &body->stages[i];
    brinkMotionStage *to = &made->stages[i];
    to->kind = from->kind;
    to->count = (int32_t)from->count;
    to->point = from->point;
    to->velocity = from->velocity;
    to->spin = from->spin;
    to->arm = from->arm;
    memcpy(to->rotation.m, from->rotation, sizeof from->rotation);
    to->controls = from->controls;
    if (from->kind != brink_curveSpline) continue;
    to->keys = key;
    for (uint32_t k = 0; k < from->count; ++k, ++key) {
      *key = (brinkStageKey){.time = from->keys[k].time,
                             .position = from->keys[k].position,
                             .slope = from->keys[k].slope,
                             .turn = from->keys[k].turn};
      memcpy(key->rotation.m, from->keys[k].rotation, sizeof from->keys[k].rotation);
    }
  }
  made->body.motion = (brinkMotionCurve){.stages = made->stages, .count = body->stageCount};
  return brink_ok;
}

static brinkStatus makeFaces(brinkContext *context, const brinkTolerancedBody *body, Made *made, const char *name) {
  made->body.vertices = body->vertices;
  made->body.vertices1 = body->vertices1;
  made->body.vertexCount = body->vertexCount;
  made->body.faceCount = body->faceCount;
  made->body.faceIds = body->faceIds;
  made->body.faceStart = body->faceStart;
  if (body->vertexCount == 0 || body->faceCount == 0)
    return brinkFail(context, brink_errorEmpty, "%s: no vertices or no faces: nothing that could touch", name);
  if (body->vertices == NULL || body->faceIds == NULL)
    return brinkFail(context, brink_errorNullArgument, "%s: vertices or faceIds is NULL", name);
  if (body->faceCount > INT32_MAX / 4)
    return brinkFail(context, brink_errorRange, "%s: more than %d faces", name, INT32_MAX / 4);
  if (body->faceStart != NULL && body->faceStart[0] != 0)
    return brinkFail(context, brink_errorBadIndex, "%s: faceStart begins at %u", name, body->faceStart[0]);
  if (body->faceStart != NULL) return brink_ok;
  made->startCapacity = body->faceCount + 1;
  made->faceStart = brinkAllocate(context, made->startCapacity * sizeof(uint32_t));
  if (made->faceStart == NULL)
    return brinkFail(context, brink_errorNoMemory, "no memory for %zu faces", body->faceCount);
  for (size_t i = 0; i <= body->faceCount; ++i) made->faceStart[i] = (uint32_t)(3 * i);
  made->body.faceStart = made->faceStart;
  return brink_ok;
}

static brinkStatus makeGiven(brinkContext *context, const brinkTolerancedBody *body, Made *made, const char *name) {
  if (body == NULL) return brinkFail(context, brink_errorNullArgument, "%s is NULL", name);
  brinkStatus status = brinkCheckSize(context, body->structSize, sizeof *body, name);
  if (status == brink_ok)
    status = brinkCheckFlags(context, body->flags, BRINK_MESH_SOLID | BRINK_TOLERANCED_HALF_SPACE, name);
  if (status != brink_ok) return status;
  made->body.radius = body->radius;
  made->body.solid = (body->flags & BRINK_MESH_SOLID) != 0u;
  made->body.halfSpace = (body->flags & BRINK_TOLERANCED_HALF_SPACE) != 0u;
  made->body.normal = body->normal;
  made->body.offset = body->offset;
  if (made->body.halfSpace) return brink_ok;
  status = makeStages(context, body, made, name);
  return status == brink_ok ? makeFaces(context, body, made, name) : status;
}

/* ---- the question */

#define KNOWN_FLAGS                                                                                               \
  (BRINK_TOLERANCE_ONE_MASS | BRINK_TOLERANCE_FLAT | BRINK_TOLERANCE_WITNESSES | BRINK_TOLERANCE_NO_CERTIFICATE | \
   BRINK_TOLERANCE_EVERY_PAIR)

static brinkStatus makeKept(brinkWorld *world) {
  brinkContext *context = &world->context;
  if (world->certificates == NULL) world->certificates = brinkAllocateZeroed(context, 1, sizeof *world->certificates);
  if (world->certificates == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for certificates");
  if (world->certificates->chains != NULL) return brink_ok;
  return brinkKeptChains_Make(context, &world->certificates->chains);
}

static brinkStatus checkAsked(brinkContext *context, const brinkToleranceQuery *query,
                              const brinkToleranceAnswer *out) {
  if (query == NULL) return brinkFail(context, brink_errorNullArgument, "query is NULL");
  if (out == NULL) return brinkFail(context, brink_errorNullArgument, "out is NULL");
  brinkStatus status = brinkCheckSize(context, query->structSize, sizeof *query, "query");
  if (status == brink_ok) status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status == brink_ok) status = brinkCheckFlags(context, query->flags, KNOWN_FLAGS, "query->flags");
  if (status == brink_ok) status = brinkCheckTime(context, query->tStart, "query->tStart");
  if (status == brink_ok) status = brinkCheckTime(context, query->tEnd, "query->tEnd");
  if (status == brink_ok) status = brinkCheckLength(context, query->tolerance, "query->tolerance");
  if (status == brink_ok) status = brinkCheckLength(context, query->clearance, "query->clearance");
  return status;
}

static double sizeOf(const brinkFaceBody *body) {
  brinkVec3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  if (body->halfSpace || body->vertexCount == 0) return HUGE_VAL;
  for (size_t i = 0; i < body->vertexCount; ++i) {
    low = brinkMinV3(low, brinkV3_FromArray(&body->vertices[3 * i]));
    high = brinkMaxV3(high, brinkV3_FromArray(&body->vertices[3 * i]));
  }
  double size = 0.5 * brinkDistance(low, high) + body->radius;
  return size > 0.0 ? size : HUGE_VAL;
}

static brinkStatus keepAnswer(brinkWorld *world, const brinkToleranceInput *input, const brinkToleranceQuery *query,
                              const brinkToleranceResult *result, brinkToleranceAnswer *out) {
  brinkContext *context = &world->context;
  struct brinkCertificates *kept = world->certificates;
  brinkCertificateText text = {.context = context};
  void *block = kept->open;
  brinkStatus status = brink_ok;
  if (result->openCount > 0)
    status = brinkReserve(context, &block, &kept->openCapacity, result->openCount, sizeof *kept->open);
  kept->open = block;
  if (status == brink_ok && (query->flags & BRINK_TOLERANCE_NO_CERTIFICATE) == 0u) {
    const brinkCertificateStatement statement = {input->a, input->b, input->tStart, input->tEnd, input->clearance};
    const brinkCertificateProof proof = {&result->treeA,
                                         &result->treeB,
                                         result->cells,
                                         result->cellCount,
                                         {result->rays[0], result->rays[1]},
                                         {result->rayCount[0], result->rayCount[1]}};
    brinkWriteCertificate(&text, &statement, &proof);
    status = text.status;
  }
  if (status != brink_ok) {
    brinkCertificateText_Free(&text);
    return status;
  }
  kept->text.context = context;
  brinkCertificateText_Free(&kept->text);
  kept->text = text;
  size_t openCells = 0;
  for (size_t i = 0; i < result->cellCount; ++i) openCells += result->cells[i].open;
  for (size_t i = 0; i < result->openCount; ++i) {
    const brinkToleranceOpen *from = &result->open[i];
    kept->open[i] = (brinkOpenInterval){from->from, from->to, from->place, from->faceA, from->faceB};
  }
  *out = (brinkToleranceAnswer){.structSize = sizeof *out,
                                .state = (uint32_t)result->state,
                                .inside = result->inside ? 1u : 0u,
                                .depth = result->counters.depth,
                                .bound = isfinite(result->bound) ? result->bound : 0.0,
                                .tolerance = input->tolerance,
                                .cellCount = result->cellCount,
                                .openCells = openCells,
                                .open = result->openCount > 0 ? kept->open : NULL,
                                .openCount = result->openCount,
                                .certificate = kept->text.data,
                                .certificateSize = kept->text.size,
                                .spans = result->counters.spans,
                                .pairTests = result->counters.pairTests,
                                .polygonTests = result->counters.polygonTests,
                                .featureTests = result->counters.featureTests,
                                .proofCells = result->counters.proofCells};
  return brink_ok;
}

/* proven: not NULL: only a whole proof is an answer, what is left is given up at the first open cell. */
static brinkStatus answer(brinkWorld *world, const Made *a, const Made *b, const brinkTolerancedBody *const given[2],
                          const brinkToleranceQuery *query, bool *proven, brinkToleranceAnswer *out) {
  brinkContext *context = &world->context;
  brinkToleranceInput input = {.a = &a->body,
                               .b = &b->body,
                               .tStart = query->tStart,
                               .tEnd = query->tEnd,
                               .tolerance = query->tolerance,
                               .clearance = query->clearance,
                               .oneMass = (query->flags & BRINK_TOLERANCE_ONE_MASS) != 0u,
                               .flat = (query->flags & BRINK_TOLERANCE_FLAT) != 0u,
                               .searchOnly = (query->flags & BRINK_TOLERANCE_NO_CERTIFICATE) != 0u,
                               .everyPair = (query->flags & BRINK_TOLERANCE_EVERY_PAIR) != 0u,
                               .parts = query->parts,
                               .maxTests = query->maxTests,
                               .maxOpen = proven != NULL ? 1u : query->maxOpen,
                               .run = query->run,
                               .runUser = query->runUser};
  if (!(input.tolerance > 0.0)) {
    double size = fmin(sizeOf(&a->body), sizeOf(&b->body));
    input.tolerance = isfinite(size) ? fmax(DEFAULT_TOLERANCE * size, DBL_MIN) : DEFAULT_TOLERANCE;
  }
  bool witnesses = given == NULL || (query->flags & BRINK_TOLERANCE_WITNESSES) != 0u;
  for (int k = 0; k < 2 && given != NULL; ++k) {
    input.mass[k] = (brinkToleranceMass){given[k]->massPoints, given[k]->massWeights, given[k]->massCount};
    if (given[k]->massCount > 0 && given[k]->massPoints == NULL)
      return brinkFail(context, brink_errorNullArgument, "%s->massPoints is NULL", k == 0 ? "a" : "b");
  }
  brinkToleranceResult result;
  brinkStatus status = (witnesses ? brinkTolerance_Witness : brinkTolerance_Search)(context, &input, &result);
  if (status != brink_ok) return status;
  if (proven != NULL) *proven = result.state == brink_toleranceProven;
  if (proven == NULL || *proven) status = keepAnswer(world, &input, query, &result, out);
  brinkToleranceResult_Free(context, &result);
  return status;
}

static brinkStatus askBodies(brinkWorld *world, const brinkTolerancedBody *a, const brinkTolerancedBody *b,
                             const brinkToleranceQuery *query, brinkToleranceAnswer *out) {
  brinkContext *context = &world->context;
  const brinkTolerancedBody *const given[2] = {a, b};
  Made made[2];
  memset(made, 0, sizeof made);
  brinkStatus status = checkAsked(context, query, out);
  if (status == brink_ok) status = makeKept(world);
  if (status == brink_ok) status = makeGiven(context, a, &made[0], "a");
  if (status == brink_ok) status = makeGiven(context, b, &made[1], "b");
  if (status == brink_ok) status = answer(world, &made[0], &made[1], given, query, NULL, out);
  for (int k = 0; k < 2; ++k) freeMade(context, &made[k]);
  return status;
}

/* Cylinders as prisms of so many sides. *prism: there is one. */
static brinkStatus askPrisms(brinkWorld *world, const brinkWorldCollider *const item[2], uint32_t sides,
                             const brinkToleranceQuery *query, bool *prism, bool *proven, brinkToleranceAnswer *out) {
  brinkContext *context = &world->context;
  Made made[2];
  memset(made, 0, sizeof made);
  made[0].sides = made[1].sides = sides;
  brinkStatus status = brink_ok;
  const brinkMotionTree tree = {.links = world->links, .linkCount = (int32_t)world->linkCount};
  const brinkCollider sideA = brinkWorld_ColliderPart(world, item[0], 0),
                      sideB = brinkWorld_ColliderPart(world, item[1], 0);
  int32_t ancestor = brinkMotionTree_CommonAncestor(&tree, sideA.link, sideB.link);
  for (int k = 0; k < 2 && status == brink_ok; ++k)
    status = makeCollider(world, &tree, item[k], ancestor, &made[k], k == 0 ? "a" : "b");
  for (int k = 0; k < 2 && status == brink_ok; ++k) /* planes: at rest in their own frame */
    if (made[k].body.halfSpace && !made[1 - k].body.halfSpace)
      status = seeFrom(world, &tree, k == 0 ? sideA.link : sideB.link, ancestor, &made[1 - k], k == 0 ? "a" : "b");
  for (int k = 0; k < 2; ++k) made[k].body.motion.kept = query->run == NULL ? world->certificates->chains : NULL;
  *prism = made[0].prism || made[1].prism;
  if (!*prism) proven = NULL; /* another number of sides is no other question */
  if (status == brink_ok) status = answer(world, &made[0], &made[1], NULL, query, proven, out);
  for (int k = 0; k < 2; ++k) freeMade(context, &made[k]);
  return status;
}

static brinkStatus askColliders(brinkWorld *world, brinkColliderId a, brinkColliderId b,
                                const brinkToleranceQuery *query, brinkToleranceAnswer *out) {
  brinkContext *context = &world->context;
  void *found[2];
  brinkStatus status = checkAsked(context, query, out);
  if (status == brink_ok) status = makeKept(world);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, a, "a", &found[0]);
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, b, "b", &found[1]);
  if (status == brink_ok && a == b) status = brinkFail(context, brink_errorBadValue, "a and b are the same collider");
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status != brink_ok) return status;
  const brinkWorldCollider *const item[2] = {found[0], found[1]};
  bool prism, proven = false;
  status = askPrisms(world, item, FEW_SIDES, query, &prism, &proven, out);
  if (status == brink_ok && prism && !proven) status = askPrisms(world, item, PRISM_SIDES, query, &prism, NULL, out);
  return status;
}

/* ---- the table */

static brinkStatus certifyBodies(brinkWorld *world, const brinkTolerancedBody *a, const brinkTolerancedBody *b,
                                 const brinkToleranceQuery *query, brinkToleranceAnswer *out) {
  BRINK_GUARDED(world, askBodies(world, a, b, query, out));
}

static brinkStatus certifyColliders(brinkWorld *world, brinkColliderId a, brinkColliderId b,
                                    const brinkToleranceQuery *query, brinkToleranceAnswer *out) {
  BRINK_GUARDED(world, askColliders(world, a, b, query, out));
}

static brinkStatus rationalMotion(const brinkQuat *quats, size_t quatCount, const brinkVec3 *places, double *controls) {
  if (quats == NULL || places == NULL || controls == NULL) return brink_errorNullArgument;
  if (quatCount < 1 || 2 * quatCount - 1 > BRINK_CURVE_MAX_DEGREE + 1) return brink_errorRange;
  return brinkMakeRationalMotion(quats, (int32_t)quatCount, places, controls) ? brink_ok : brink_errorBadRotation;
}

const void *brinkTolerance_Table(void) {
  static const brinkToleranceTable table = {.structSize = sizeof(brinkToleranceTable),
                                            .certifyBodies = certifyBodies,
                                            .certifyColliders = certifyColliders,
                                            .rationalMotion = rationalMotion};
  return &table;
}
