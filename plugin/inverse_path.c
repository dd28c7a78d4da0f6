/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "brink.inverse-path/1": checks what the host gives, makes meshes and motions of it for the call, asks
 * contact_intervals.h and interfering_subsets.h, and keeps the answers in the world until the next call. */
#include "brink/inverse_path.h"

#include <stdio.h>

#include "bezier_patch.h"
#include "interfering_subsets.h"
#include "world.h"

_Static_assert((int)brink_inverseLinear == (int)brink_blendLinear && (int)brink_inverseCubic == (int)brink_blendCubic &&
                   (int)brink_inversePolar == (int)brink_blendPolar,
               "blends differ");
_Static_assert((int)brink_inverseOut == (int)brink_sweepOut && (int)brink_inverseOn == (int)brink_sweepOn &&
                   (int)brink_inverseIn == (int)brink_sweepIn &&
                   (int)brink_inverseFoldBoundary == (int)brink_foldBoundary &&
                   (int)brink_inverseFoldInside == (int)brink_foldInside,
               "sides differ");

#define DEFAULT_TIME_TOLERANCE 1e-9
#define DEFAULT_PATCH_ERROR 1e-3
#define DEFAULT_SPACING 0.025
#define DEFAULT_SPREAD 0.125
#define COARSE_CELLS 400u /* a point of bodies known up to an error: near their surfaces more would settle nothing */

/* Answers of the last call, world-owned; grown, never shrunk. */
struct brinkInverseAnswers {
  brinkInverseInterval *intervals;
  brinkInversePoint *points;
  brinkInverseFace *faces;
  brinkInversePiece *pieces;
  double *vertices;
  uint32_t *triangles;
  size_t intervalCapacity, pointCapacity, faceCapacity, pieceCapacity, vertexCapacity, triangleCapacity;
};

void brinkInverseAnswers_Destroy(brinkWorld *world) {
  brinkContext *context = &world->context;
  struct brinkInverseAnswers *answers = world->inverse;
  if (answers == NULL) return;
  brinkRelease(context, answers->intervals, answers->intervalCapacity * sizeof *answers->intervals);
  brinkRelease(context, answers->points, answers->pointCapacity * sizeof *answers->points);
  brinkRelease(context, answers->faces, answers->faceCapacity * sizeof *answers->faces);
  brinkRelease(context, answers->pieces, answers->pieceCapacity * sizeof *answers->pieces);
  brinkRelease(context, answers->vertices, answers->vertexCapacity * sizeof *answers->vertices);
  brinkRelease(context, answers->triangles, answers->triangleCapacity * sizeof *answers->triangles);
  brinkRelease(context, answers, sizeof *answers);
}

static brinkStatus needAnswers(brinkWorld *world) {
  if (world->inverse == NULL) world->inverse = brinkAllocateZeroed(&world->context, 1, sizeof *world->inverse);
  return world->inverse != NULL ? brink_ok
                                : brinkFail(&world->context, brink_errorNoMemory, "no memory for the answers");
}

/* ---- what the host gives, made for one call */

typedef struct callBody {
  brinkInverseMesh mesh;
  brinkPatchBody surface;    /* of patches and splines, and of what they are asked against; made by contactIntervals */
  brinkBezierPatch *patches; /* [patchCount] */
  size_t patchCount;
  brinkSplitSplines splines; /* splines: patches are theirs */
  double flatness;
  brinkImplicitSolid implicit;
  bool isImplicit;
} callBody;

typedef struct call {
  callBody body[2];
  brinkInverseMotion motion[2];
  bool singular[2]; /* the motion cannot be inverted */
  double timeTolerance, error;
  brinkParallel parallel;
} call;

static void freeCall(brinkContext *context, call *self) {
  for (int k = 0; k < 2; ++k) {
    callBody *body = &self->body[k];
    if (body->mesh.triangleCount > 0) brinkInverseMesh_Free(context, &body->mesh);
    brinkPatchBody_Free(context, &body->surface);
    if (body->splines.patches == NULL) brinkRelease(context, body->patches, body->patchCount * sizeof *body->patches);
    brinkSplitSplines_Free(context, &body->splines);
    brinkInverseMotion_Free(context, &self->motion[k]);
  }
}

static brinkStatus addFactor(brinkContext *context, const brinkInverseFactorDef *def, const char *name,
                             brinkInverseMotion *out) {
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, name);
  if (status != brink_ok) return status;
  bool needsMatrices = def->kind != brink_inverseRotation;
  if (needsMatrices && def->count == 0) return brinkFail(context, brink_errorEmpty, "%s: count is 0", name);
  if (needsMatrices && def->matrices == NULL)
    return brinkFail(context, brink_errorNullArgument, "%s: matrices is NULL", name);
  const double axis[3] = {def->axis.x, def->axis.y, def->axis.z};
  switch (def->kind) {
    case brink_inversePolynomial:
      return brinkInverseMotion_AddPolynomial(context, out, def->matrices, def->count - 1, name);
    case brink_inverseRotation:
      return brinkInverseMotion_AddRotation(context, out, axis, def->angle, name);
    case brink_inverseBezier:
      return brinkInverseMotion_AddBezier(context, out, def->matrices, def->weights, def->count, name);
    case brink_inverseKeys:
      if (def->times == NULL) return brinkFail(context, brink_errorNullArgument, "%s: times is NULL", name);
      if (def->blend > brink_inversePolar)
        return brinkFail(context, brink_errorBadValue, "%s: blend %u is not known", name, def->blend);
      return brinkInverseMotion_AddKeys(context, out, def->times, def->matrices, def->count, (brinkKeyBlend)def->blend,
                                        name);
    default:
      return brinkFail(context, brink_errorBadValue, "%s: kind %u is not known", name, def->kind);
  }
}

/* singular: NULL: that is refused. */
static brinkStatus makeMotion(brinkContext *context, const brinkInverseMotionDef *def, const char *name, bool *singular,
                              brinkInverseMotion *out) {
  char part[64];
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, name);
  if (status == brink_ok && def->factorCount > 0 && def->factors == NULL)
    status = brinkFail(context, brink_errorNullArgument, "%s: factors is NULL", name);
  for (size_t i = 0; i < def->factorCount && status == brink_ok; ++i) {
    snprintf(part, sizeof part, "%s, factor %zu", name, i);
    status = addFactor(context, &def->factors[i], part, out);
  }
  double where;
  if (status == brink_ok && singular != NULL)
    *singular = !brinkInverseMotion_IsRegular(out, &where);
  else if (status == brink_ok)
    status = brinkInverseMotion_CheckRegular(context, out, name);
  return status;
}

/* An open mesh may be flattened, against meshes; what has an inside, or an error that a matrix would stretch, may not.
 */
static bool mayBeSingular(const brinkInverseBodyDef *def, const brinkInverseBodyDef *other) {
  return def->kind == brink_inverseMesh && (def->mesh.flags & BRINK_MESH_SOLID) == 0u &&
         other->kind == brink_inverseMesh;
}

static double largestExtent(const brinkBezierPatch *patches, size_t count) {
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, extent = 0.0;
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; patches[i].controls != NULL && k < (size_t)patches[i].rows * patches[i].columns; ++k)
      for (int c = 0; c < 3; ++c) {
        low[c] = fmin(low[c], patches[i].controls[4 * k + (size_t)c]);
        high[c] = fmax(high[c], patches[i].controls[4 * k + (size_t)c]);
      }
  for (int c = 0; c < 3; ++c) extent = fmax(extent, high[c] - low[c]);
  return extent;
}

static brinkStatus takePatches(brinkContext *context, const brinkInverseBodyDef *def, const char *name, callBody *out) {
  if (def->patches == NULL || def->patchCount == 0) return brinkFail(context, brink_errorEmpty, "%s: no patches", name);
  for (size_t i = 0; i < def->patchCount; ++i) /* before their controls are read */
    if (def->patches[i].rows > BRINK_PATCH_MAX_ORDER || def->patches[i].columns > BRINK_PATCH_MAX_ORDER)
      return brinkFail(context, brink_errorRange,
                       "%s: patch %zu has %u x %u control points; 2 to %d a side are understood", name, i,
                       def->patches[i].rows, def->patches[i].columns, BRINK_PATCH_MAX_ORDER);
  out->patches = brinkAllocate(context, def->patchCount * sizeof *out->patches);
  if (out->patches == NULL)
    return brinkFail(context, brink_errorNoMemory, "%s: no memory for %zu patches", name, def->patchCount);
  out->patchCount = def->patchCount;
  for (size_t i = 0; i < def->patchCount; ++i)
    out->patches[i] = (brinkBezierPatch){def->patches[i].rows, def->patches[i].columns, def->patches[i].controls};
  return brink_ok;
}

static brinkStatus takeSplines(brinkContext *context, const brinkInverseBodyDef *def, const char *name, callBody *out) {
  if (def->splines == NULL || def->splineCount == 0)
    return brinkFail(context, brink_errorEmpty, "%s: no splines", name);
  size_t size = def->splineCount * sizeof(brinkSplineSurface);
  brinkSplineSurface *splines = brinkAllocate(context, size);
  if (splines == NULL)
    return brinkFail(context, brink_errorNoMemory, "%s: no memory for %zu splines", name, def->splineCount);
  for (size_t i = 0; i < def->splineCount; ++i) {
    const brinkInverseSpline *s = &def->splines[i];
    splines[i] = (brinkSplineSurface){s->degreeU, s->degreeV, s->rows, s->columns, s->knotsU, s->knotsV, s->controls};
  }
  brinkStatus status = brinkSplitSplines_Make(context, splines, def->splineCount, name, &out->splines);
  brinkRelease(context, splines, size);
  out->patches = out->splines.patches;
  out->patchCount = out->splines.patchCount;
  return status;
}

static brinkStatus makePatches(brinkContext *context, const brinkInverseBodyDef *def, const char *name, callBody *out) {
  brinkPatchMesh triangles = {0};
  brinkStatus status = brinkCheckLength(context, def->patchError, "patchError");
  if (status == brink_ok)
    status =
        def->kind == brink_inverseSplines ? takeSplines(context, def, name, out) : takePatches(context, def, name, out);
  if (status != brink_ok) return status;
  out->flatness =
      def->patchError > 0.0 ? def->patchError : DEFAULT_PATCH_ERROR * largestExtent(out->patches, out->patchCount);
  status = brinkTriangulatePatches(context, out->patches, out->patchCount, out->flatness, name, &triangles);
  if (status != brink_ok) return status;
  const brinkMeshView view = {.structSize = sizeof view,
                              .flags = def->mesh.flags,
                              .vertices = triangles.vertices,
                              .vertexCount = triangles.vertexCount,
                              .indices = triangles.triangles,
                              .triangleCount = triangles.triangleCount};
  status = brinkInverseMesh_Make(context, &view, name, &out->mesh);
  if (status == brink_ok) out->mesh.error = triangles.error;
  brinkPatchMesh_Free(context, &triangles);
  return status;
}

static brinkStatus makeImplicit(brinkContext *context, const brinkInverseBodyDef *def, const char *name,
                                brinkImplicitSolid *out) {
  if (def->bound == NULL) return brinkFail(context, brink_errorNullArgument, "%s: bound is NULL", name);
  brinkStatus status = brinkCheckVec3(context, def->boundBox.lower, BRINK_MAX_LENGTH, "boundBox.lower");
  if (status == brink_ok) status = brinkCheckVec3(context, def->boundBox.upper, BRINK_MAX_LENGTH, "boundBox.upper");
  if (status == brink_ok &&
      !(def->boundBox.lower.x < def->boundBox.upper.x && def->boundBox.lower.y < def->boundBox.upper.y &&
        def->boundBox.lower.z < def->boundBox.upper.z))
    status = brinkFail(context, brink_errorEmpty, "%s: boundBox is empty", name);
  *out = (brinkImplicitSolid){def->bound, def->boundUser, def->boundBox, def->gradient};
  return status;
}

static brinkStatus makeBody(brinkContext *context, const brinkInverseBodyDef *def, const char *name, callBody *out) {
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, name);
  if (status != brink_ok) return status;
  if (def->kind != brink_inverseImplicit) {
    status = brinkCheckSize(context, def->mesh.structSize, sizeof def->mesh, name);
    if (status == brink_ok) status = brinkCheckFlags(context, def->mesh.flags, BRINK_MESH_SOLID, name);
    if (status != brink_ok) return status;
  }
  switch (def->kind) {
    case brink_inverseMesh:
      return brinkInverseMesh_Make(context, &def->mesh, name, &out->mesh);
    case brink_inversePatches:
    case brink_inverseSplines:
      return makePatches(context, def, name, out);
    case brink_inverseImplicit:
      out->isImplicit = true;
      return makeImplicit(context, def, name, &out->implicit);
    default:
      return brinkFail(context, brink_errorBadValue, "%s: kind %u is not known", name, def->kind);
  }
}

static double nearDistanceOf(const brinkInverseQuery *query) {
  return query->structSize > offsetof(brinkInverseQuery, nearDistance) ? query->nearDistance : 0.0;
}

static double entrySpreadOf(const brinkInverseQuery *query) {
  return query->structSize > offsetof(brinkInverseQuery, entrySpread) ? query->entrySpread : 0.0;
}

static brinkStatus checkQuery(brinkContext *context, const brinkInverseQuery *query, uint32_t flags) {
  if (query == NULL) return brinkRefuseNull(context, "query");
  brinkStatus status = brinkCheckGrownSize(context, query->structSize, offsetof(brinkInverseQuery, nearDistance),
                                           sizeof *query, "query");
  if (status == brink_ok) status = brinkCheckFlags(context, query->flags, flags, "query->flags");
  if (status == brink_ok) status = brinkCheckTime(context, query->tStart, "query->tStart");
  if (status == brink_ok) status = brinkCheckTime(context, query->tEnd, "query->tEnd");
  if (status == brink_ok && !(query->tStart < query->tEnd))
    status =
        brinkFail(context, brink_errorBadTime, "query: tStart %g is not before tEnd %g", query->tStart, query->tEnd);
  if (status == brink_ok) status = brinkCheckLength(context, query->timeTolerance, "query->timeTolerance");
  if (status == brink_ok) status = brinkCheckLength(context, query->spacing, "query->spacing");
  if (status == brink_ok) status = brinkCheckLength(context, query->insidePitch, "query->insidePitch");
  if (status == brink_ok) status = brinkCheckLength(context, nearDistanceOf(query), "query->nearDistance");
  if (status == brink_ok) status = brinkCheckLength(context, entrySpreadOf(query), "query->entrySpread");
  return status;
}

typedef enum callNeeds { need_both, need_aMaybeImplicit, need_onlyA } callNeeds;

static brinkStatus makeCall(brinkContext *context, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                            callNeeds needs, uint32_t flags, bool wantsB, call *out) {
  memset(out, 0, sizeof *out);
  if (scene == NULL) return brinkRefuseNull(context, "scene");
  brinkStatus status = brinkCheckSize(context, scene->structSize, sizeof *scene, "scene");
  if (status == brink_ok) status = checkQuery(context, query, flags);
  if (status == brink_ok) status = makeBody(context, &scene->a, "body A", &out->body[0]);
  if (status == brink_ok && wantsB) status = makeBody(context, &scene->b, "body B", &out->body[1]);
  bool *singularA = needs == need_both && mayBeSingular(&scene->a, &scene->b) ? &out->singular[0] : NULL,
       *singularB = needs == need_both && mayBeSingular(&scene->b, &scene->a) ? &out->singular[1] : NULL;
  if (status == brink_ok) status = makeMotion(context, &scene->motionA, "motion A", singularA, &out->motion[0]);
  if (status == brink_ok && needs != need_onlyA)
    status = makeMotion(context, &scene->motionB, "motion B", singularB, &out->motion[1]);
  if (status != brink_ok) return status;
  out->error = fmax(out->body[0].mesh.error, out->body[1].mesh.error);
  for (int k = 0; k < 2 && (query->flags & BRINK_INVERSE_TRIANGLES) != 0u; ++k) out->body[k].mesh.error = 0.0;
  out->timeTolerance = query->timeTolerance > 0.0 ? query->timeTolerance : DEFAULT_TIME_TOLERANCE;
  out->parallel = (brinkParallel){query->run, query->runUser};
  return brink_ok;
}

/* ---- answers */

static brinkInverseInterval tellInterval(const brinkContactInterval *from) {
  return (brinkInverseInterval){
      .startLower = from->startLower,
      .startUpper = from->startUpper,
      .endLower = from->endLower,
      .endUpper = from->endUpper,
      .flags = (from->proven ? BRINK_INVERSE_PROVEN : 0u) | (from->near ? BRINK_INVERSE_NEAR : 0u) |
               (from->crosses ? BRINK_INVERSE_CROSSING : 0u) | (from->begins ? 0u : BRINK_INVERSE_AT_START) |
               (from->ends ? 0u : BRINK_INVERSE_AT_END),
      .openInside = from->openInside,
      .startA = from->first.triangleA,
      .startB = from->first.triangleB,
      .endA = from->last.triangleA,
      .endB = from->last.triangleB};
}

static void exchange(uint32_t *a, uint32_t *b) {
  uint32_t keep = *a;
  *a = *b;
  *b = keep;
}

static brinkStatus reserveIntervals(brinkWorld *world, size_t count) {
  return brinkReserve(&world->context, (void **)&world->inverse->intervals, &world->inverse->intervalCapacity,
                      count + 1, sizeof *world->inverse->intervals);
}

static brinkStatus makeSurface(brinkContext *context, callBody *body, const char *name) {
  return body->patchCount > 0 ? brinkPatchBody_Make(context, body->patches, body->patchCount, &body->mesh,
                                                    body->flatness, name, &body->surface)
                              : brinkPatchBody_OfMesh(context, &body->mesh, name, &body->surface);
}

/* The patch, spline or triangle that a piece belongs to. */
static uint32_t ownerOf(const callBody *body, uint32_t piece) {
  if (piece >= body->surface.pieceCount) return BRINK_NO_TRIANGLE;
  uint32_t patch = body->surface.pieces[piece].patch;
  return body->splines.owners != NULL ? body->splines.owners[patch] : patch;
}

/* host: the body in whose frame the other moves. */
static brinkStatus askSurfaces(brinkContext *context, call *self, int host, const brinkIntervalQuery *query,
                               brinkIntervalSet *set) {
  callBody *a = &self->body[host], *b = &self->body[1 - host];
  brinkStatus status = makeSurface(context, &self->body[0], "body A");
  if (status == brink_ok) status = makeSurface(context, &self->body[1], "body B");
  const brinkPatchPair pair = {&a->surface, &b->surface, {&self->motion[host], &self->motion[1 - host]}};
  if (status == brink_ok) status = brinkFindPatchIntervals(context, &pair, query, set);
  for (size_t i = 0; i < set->count && status == brink_ok; ++i) {
    brinkCellMemory *const ends[2] = {&set->items[i].first, &set->items[i].last};
    for (int e = 0; e < 2; ++e)
      *ends[e] = (brinkCellMemory){ownerOf(a, ends[e]->triangleA), ownerOf(b, ends[e]->triangleB)};
  }
  return status;
}

/* An implicit solid is the host; of two, A is. *host: which body. */
static brinkStatus askImplicit(brinkContext *context, const call *self, const brinkIntervalQuery *query, int *host,
                               brinkIntervalSet *set) {
  *host = self->body[0].isImplicit ? 0 : 1;
  const callBody *guest = &self->body[1 - *host];
  const brinkImplicitPair pair = {.a = &self->body[*host].implicit,
                                  .meshB = guest->isImplicit ? NULL : &guest->mesh,
                                  .solidB = guest->isImplicit ? &guest->implicit : NULL,
                                  .motion = {&self->motion[*host], &self->motion[1 - *host]}};
  return brinkFindImplicitContacts(context, &pair, query, set);
}

static brinkStatus askWhole(brinkWorld *world, call *self, const brinkInverseQuery *query, brinkInverseIntervals *out) {
  brinkContext *context = &world->context;
  /* the one that moves in the other's frame may be flattened; when both are, they move side by side */
  bool forward = self->singular[0] && self->singular[1];
  int host = self->singular[0] && !forward ? 1 : 0;
  const brinkMeshPair pair = {
      &self->body[host].mesh, &self->body[1 - host].mesh, {&self->motion[host], &self->motion[1 - host]}, 0};
  const brinkCloseQuestion question = {.pair = &pair, .nearDistance = nearDistanceOf(query), .forward = forward};
  const brinkIntervalQuery asked = {
      .tStart = query->tStart, .tEnd = query->tEnd, .timeTolerance = self->timeTolerance, .parallel = self->parallel};
  brinkIntervalSet set = {0};
  bool surfaces =
      (query->flags & BRINK_INVERSE_TRIANGLES) == 0u && (self->body[0].patchCount > 0 || self->body[1].patchCount > 0);
  bool implicit = self->body[0].isImplicit || self->body[1].isImplicit;
  brinkStatus status = implicit   ? askImplicit(context, self, &asked, &host, &set)
                       : surfaces ? askSurfaces(context, self, host, &asked, &set)
                                  : brinkFindCloseIntervals(context, &question, &asked, &set);
  if (status == brink_ok) status = reserveIntervals(world, set.count);
  if (status == brink_ok) {
    for (size_t i = 0; i < set.count; ++i) {
      brinkInverseInterval *told = &world->inverse->intervals[i];
      *told = tellInterval(&set.items[i]);
      if (host == 0) continue;
      exchange(&told->startA, &told->startB);
      exchange(&told->endA, &told->endB);
    }
    *out = (brinkInverseIntervals){.structSize = sizeof *out,
                                   .intervals = world->inverse->intervals,
                                   .count = set.count,
                                   .cells = set.cells,
                                   .openTotal = set.openTotal,
                                   .error = self->error};
  }
  brinkIntervalSet_Free(context, &set);
  return status;
}

static brinkStatus contactIntervals(brinkWorld *world, const brinkInverseSceneDef *scene,
                                    const brinkInverseQuery *query, brinkInverseIntervals *out) {
  brinkContext *context = &world->context;
  call self;
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status != brink_ok) return status;
  status = makeCall(context, scene, query, need_both, BRINK_INVERSE_TRIANGLES, true, &self);
  if (status == brink_ok) status = needAnswers(world);
  if (status == brink_ok) status = askWhole(world, &self, query, out);
  freeCall(context, &self);
  return status;
}

static brinkVec3 placeAt(const brinkRelativeMotion *motion, double t, const double x[3]) {
  double n[12], error[12], y[3];
  brinkRelativeMotion_At(motion, t, n, error);
  brinkApply34(n, x, y);
  return brinkV3_FromArray(y);
}

/* all: points without an interval too. */
static brinkStatus tellPoints(brinkWorld *world, const brinkRelativeMotion *motion, const brinkPointSet *set,
                              const double *points, const uint32_t *faces, bool all, brinkInverseSubset *out) {
  brinkContext *context = &world->context;
  size_t total = set->starts[set->pointCount], kept = 0;
  for (size_t i = 0; i < set->pointCount; ++i) kept += all || set->starts[i + 1] > set->starts[i] ? 1u : 0u;
  brinkStatus status = reserveIntervals(world, total);
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&world->inverse->points, &world->inverse->pointCapacity, kept + 1,
                          sizeof(brinkInversePoint));
  if (status != brink_ok) return status;
  for (size_t i = 0; i < total; ++i) {
    world->inverse->intervals[i] = tellInterval(&set->intervals[i]);
    world->inverse->intervals[i].startB = world->inverse->intervals[i].endB = 0;
  }
  kept = 0;
  for (size_t i = 0; i < set->pointCount; ++i) {
    size_t from = set->starts[i], to = set->starts[i + 1];
    if (!all && from == to) continue;
    brinkInversePoint *point = &world->inverse->points[kept++];
    *point = (brinkInversePoint){.position = brinkV3_FromArray(points + 3 * i),
                                 .face = faces != NULL ? faces[i] : BRINK_NO_TRIANGLE,
                                 .intervalCount = (uint32_t)(to - from),
                                 .firstInterval = from,
                                 .entry = 2.0,
                                 .exit = -1.0};
    if (from == to) continue;
    const brinkContactInterval *first = &set->intervals[from], *last = &set->intervals[to - 1];
    point->entry = 0.5 * (first->startLower + first->startUpper);
    point->exit = 0.5 * (last->endLower + last->endUpper);
    point->entryOnOther = placeAt(motion, point->entry, points + 3 * i);
    point->exitOnOther = placeAt(motion, point->exit, points + 3 * i);
  }
  out->points = world->inverse->points;
  out->pointCount = kept;
  out->intervals = world->inverse->intervals;
  out->intervalCount = total;
  out->asked = set->pointCount;
  return brink_ok;
}

static brinkInverseTarget targetOf(const callBody *body) {
  return body->isImplicit ? (brinkInverseTarget){NULL, &body->implicit} : (brinkInverseTarget){&body->mesh, NULL};
}

static brinkStatus checkPoints(brinkContext *context, const double *points, size_t count) {
  if (points == NULL && count > 0) return brinkRefuseNull(context, "points");
  for (size_t i = 0; i < 3 * count; ++i)
    if (!isfinite(points[i]) || fabs(points[i]) > BRINK_MAX_LENGTH)
      return brinkFail(context, brink_errorBadValue, "points: number %zu of point %zu is not finite (or beyond %g)",
                       i % 3, i / 3, BRINK_MAX_LENGTH);
  return brink_ok;
}

/* Bodies known up to an error cannot be told apart in less time than this. */
static double toleranceFor(const call *self, const brinkInverseQuery *query, const brinkRelativeMotion *motion,
                           const brinkInverseMesh *guest) {
  const brinkInverseMesh *host = guest == &self->body[0].mesh ? &self->body[1].mesh : &self->body[0].mesh;
  return fmax(self->timeTolerance,
              0.25 * brinkResolvableTime(motion, host, guest != NULL ? guest : host, query->tStart, query->tEnd));
}

/* points in the guest's frame against the host body; the table is of the guest's motion in the host's frame. */
static brinkStatus follow(brinkWorld *world, const call *self, const callBody *host, const brinkMotionTable *table,
                          double tolerance, double errorGuest, const double *points, size_t count, brinkPointSet *set) {
  const brinkInverseTarget target = targetOf(host);
  const brinkPointQuery asked = {.timeTolerance = tolerance,
                                 .errorB = errorGuest,
                                 .maxCells = tolerance > self->timeTolerance ? COARSE_CELLS : 0u};
  return brinkFindPointContacts(&world->context, &target, table, points, count, &asked, &self->parallel, set);
}

/* As much as the host's struct holds. */
static void giveSubset(const brinkInverseSubset *answer, brinkInverseSubset *out) {
  uint32_t size = out->structSize;
  memcpy(out, answer, size);
  out->structSize = size;
}

static brinkStatus pointContacts(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                                 const double *points, size_t count, brinkInverseSubset *out) {
  brinkContext *context = &world->context;
  call self;
  brinkPointSet set = {0};
  brinkMotionTable table = {0};
  brinkInverseSubset answer = {.structSize = sizeof answer};
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status =
      brinkCheckGrownSize(context, out->structSize, offsetof(brinkInverseSubset, sampledBody), sizeof *out, "out");
  if (status == brink_ok) status = checkPoints(context, points, count);
  if (status != brink_ok) return status;
  status = makeCall(context, scene, query, need_aMaybeImplicit, BRINK_INVERSE_TRIANGLES, false, &self);
  const brinkRelativeMotion motion = {&self.motion[0], &self.motion[1]};
  if (status == brink_ok) status = needAnswers(world);
  if (status == brink_ok) status = brinkMotionTable_Make(context, &motion, query->tStart, query->tEnd, &table);
  if (status == brink_ok)
    status = follow(world, &self, &self.body[0], &table, toleranceFor(&self, query, &motion, NULL), 0.0, points, count,
                    &set);
  if (status == brink_ok) status = tellPoints(world, &motion, &set, points, NULL, true, &answer);
  answer.error = self.error;
  answer.pathCells = set.cells;
  if (status == brink_ok) giveSubset(&answer, out);
  brinkMotionTable_Free(context, &table);
  brinkPointSet_Free(context, &set);
  freeCall(context, &self);
  return status;
}

static brinkStatus tellFaces(brinkWorld *world, const brinkFaceContact *faces, size_t count, brinkInverseSubset *out) {
  brinkStatus status = brinkReserve(&world->context, (void **)&world->inverse->faces, &world->inverse->faceCapacity,
                                    count + 1, sizeof(brinkInverseFace));
  for (size_t i = 0; i < count && status == brink_ok; ++i) {
    if (faces[i].state == brink_cellApart) continue;
    world->inverse->faces[out->faceCount++] =
        (brinkInverseFace){(uint32_t)i,         faces[i].state == brink_cellContact ? 1u : 0u,
                           faces[i].entryLower, faces[i].entryUpper,
                           faces[i].exitLower,  faces[i].exitUpper};
  }
  out->faces = world->inverse->faces;
  return status;
}

static brinkStatus tellMesh(brinkWorld *world, const brinkInverseMesh *mesh, brinkInverseSubset *out) {
  struct brinkInverseAnswers *answers = world->inverse;
  brinkStatus status = brinkReserve(&world->context, (void **)&answers->vertices, &answers->vertexCapacity,
                                    3 * mesh->vertexCount, sizeof(double));
  if (status == brink_ok)
    status = brinkReserve(&world->context, (void **)&answers->triangles, &answers->triangleCapacity,
                          3 * mesh->triangleCount, sizeof(uint32_t));
  if (status != brink_ok) return status;
  memcpy(answers->vertices, mesh->vertices, 3 * mesh->vertexCount * sizeof(double));
  memcpy(answers->triangles, mesh->triangles, 3 * mesh->triangleCount * sizeof(uint32_t));
  out->vertices = answers->vertices;
  out->triangles = answers->triangles;
  out->vertexCount = mesh->vertexCount;
  out->triangleCount = mesh->triangleCount;
  return brink_ok;
}

/* The more complex body is sampled: of more triangles; never an implicit solid. */
static brinkStatus chooseGuest(brinkContext *context, const call *self, uint32_t flags, bool old, int *guest) {
  bool first = (flags & BRINK_INVERSE_SWAP) != 0u, second = old || (flags & BRINK_INVERSE_SAMPLE_B) != 0u;
  const callBody *a = &self->body[0], *b = &self->body[1];
  if (first && (flags & BRINK_INVERSE_SAMPLE_B) != 0u)
    return brinkFail(context, brink_errorBadValue, "query->flags: SWAP samples A, SAMPLE_B samples B: not both");
  *guest = first                                           ? 0
           : second                                        ? 1
           : a->isImplicit                                 ? 1
           : b->isImplicit                                 ? 0
           : a->mesh.triangleCount > b->mesh.triangleCount ? 0
                                                           : 1;
  if (self->body[*guest].isImplicit)
    return brinkFail(context, brink_errorBadValue,
                     "body %s is implicit and has no boundary to sample: leave the flag out, or give the other body as "
                     "a mesh or patches",
                     *guest == 0 ? "A" : "B");
  return brink_ok;
}

static brinkStatus tellPieces(brinkWorld *world, const brinkPieceSet *set, brinkInverseSubset *out) {
  brinkStatus status = brinkReserve(&world->context, (void **)&world->inverse->pieces, &world->inverse->pieceCapacity,
                                    set->count + 1, sizeof(brinkInversePiece));
  for (size_t i = 0; i < set->count && status == brink_ok; ++i) {
    const brinkSubsetPiece *from = &set->pieces[i];
    brinkInversePiece *to = &world->inverse->pieces[i];
    *to = (brinkInversePiece){.triangle = from->triangle,
                              .in = from->state == brink_pieceIn ? 1u : 0u,
                              .entryLower = from->entryLower,
                              .entryUpper = from->entryUpper,
                              .exitLower = from->exitLower,
                              .exitUpper = from->exitUpper};
    memcpy(to->corners, from->corners, sizeof to->corners);
  }
  out->pieces = world->inverse->pieces;
  out->pieceCount = set->count;
  out->piecesAsked = set->asked;
  out->pathCells += set->cells;
  return status;
}

typedef struct subsetCall {
  brinkWorld *world;
  call *self;
  const brinkInverseQuery *query;
  const callBody *from, *host;
  brinkRelativeMotion motion;
  brinkMotionTable table;
  brinkSamples samples;
  double tolerance, spacing;
} subsetCall;

/* Samples everywhere, or those of the pieces that may hold an edge of the subset. */
static brinkStatus makeSamples(subsetCall *sub, brinkInverseSubset *out) {
  brinkContext *context = &sub->world->context;
  const brinkInverseMesh *mesh = &sub->from->mesh;
  const brinkInverseQuery *query = sub->query;
  if ((query->flags & BRINK_INVERSE_ADAPTIVE) == 0u) {
    brinkStatus status = brinkSamples_AddBoundary(context, mesh, sub->spacing, &sub->samples);
    out->spacing = sub->samples.spacing;
    return status;
  }
  double spread = entrySpreadOf(query);
  const brinkPieceQuery asked = {.spacing = sub->spacing,
                                 .entrySpread = spread > 0.0 ? spread : DEFAULT_SPREAD * (query->tEnd - query->tStart),
                                 .timeTolerance = sub->tolerance};
  const brinkInverseTarget target = targetOf(sub->host);
  brinkPieceSet set = {0};
  brinkStatus status = brinkFindPieces(context, &target, mesh, &sub->table, &asked, &sub->self->parallel, &set);
  if (status == brink_ok) status = tellPieces(sub->world, &set, out);
  for (size_t i = 0; i < set.count && status == brink_ok; ++i)
    if (set.pieces[i].state == brink_pieceEdge)
      status = brinkSamples_AddPoint(context, set.centers + 3 * i, set.faces[i], &sub->samples);
  out->spacing = set.spacing;
  out->everywhere = (size_t)fmin(brinkCountBoundary(mesh, sub->spacing), 1e18);
  brinkPieceSet_Free(context, &set);
  return status;
}

static brinkStatus findFaces(subsetCall *sub, brinkInverseSubset *out) {
  brinkContext *context = &sub->world->context;
  const brinkInverseMesh *mesh = &sub->from->mesh;
  size_t size = mesh->triangleCount * sizeof(brinkFaceContact);
  brinkFaceContact *faces = brinkAllocate(context, size);
  if (faces == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %zu faces", mesh->triangleCount);
  const brinkMeshPair pair = {&sub->host->mesh, mesh, sub->motion, 0};
  const brinkImplicitPair implicit = {.a = &sub->host->implicit, .meshB = mesh, .motion = sub->motion};
  brinkStatus status =
      sub->host->isImplicit
          ? brinkFindImplicitFaceContacts(context, &implicit, &sub->table, sub->tolerance, &sub->self->parallel, faces)
          : brinkFindFaceContacts(context, &pair, &sub->table, sub->tolerance, &sub->self->parallel, faces);
  if (status == brink_ok) status = tellFaces(sub->world, faces, mesh->triangleCount, out);
  brinkRelease(context, faces, size);
  return status;
}

static brinkStatus findSubset(brinkWorld *world, call *self, const brinkInverseQuery *query, bool old,
                              brinkInverseSubset *out) {
  brinkContext *context = &world->context;
  int guest = 1;
  brinkStatus status = chooseGuest(context, self, query->flags, old, &guest);
  if (status != brink_ok) return status;
  subsetCall sub = {.world = world,
                    .self = self,
                    .query = query,
                    .from = &self->body[guest],
                    .host = &self->body[1 - guest],
                    .motion = {&self->motion[1 - guest], &self->motion[guest]}};
  double extent = 0.0;
  for (int k = 0; k < 3; ++k) extent = fmax(extent, sub.from->mesh.nodes[0].high[k] - sub.from->mesh.nodes[0].low[k]);
  sub.spacing = query->spacing > 0.0 ? query->spacing : fmax(DEFAULT_SPACING * extent, DBL_MIN);
  sub.tolerance = toleranceFor(self, query, &sub.motion, &sub.from->mesh);
  out->sampledBody = (uint32_t)guest;
  brinkPointSet set = {0};
  status = brinkMotionTable_Make(context, &sub.motion, query->tStart, query->tEnd, &sub.table);
  if (status == brink_ok) status = makeSamples(&sub, out);
  if (status == brink_ok && query->insidePitch > 0.0)
    status = brinkSamples_AddInside(context, &sub.from->mesh, query->insidePitch, &sub.samples);
  if (status == brink_ok)
    status = follow(world, self, sub.host, &sub.table, sub.tolerance, sub.from->mesh.error, sub.samples.points,
                    sub.samples.count, &set);
  bool facesAreTold = !sub.host->isImplicit || sub.host->implicit.gradient != NULL; /* else they take too long */
  if (status == brink_ok && facesAreTold) status = findFaces(&sub, out);
  if (status == brink_ok)
    status = tellPoints(world, &sub.motion, &set, sub.samples.points, sub.samples.faces, false, out);
  if (status == brink_ok) status = tellMesh(world, &sub.from->mesh, out);
  out->pathCells += set.cells;
  out->error = self->error;
  brinkMotionTable_Free(context, &sub.table);
  brinkPointSet_Free(context, &set);
  brinkSamples_Free(context, &sub.samples);
  return status;
}

static brinkStatus interference(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                                brinkInverseSubset *out) {
  brinkContext *context = &world->context;
  call self;
  brinkInverseSubset answer = {.structSize = sizeof answer};
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status =
      brinkCheckGrownSize(context, out->structSize, offsetof(brinkInverseSubset, sampledBody), sizeof *out, "out");
  if (status != brink_ok) return status;
  bool old = out->structSize != sizeof *out;
  status = makeCall(context, scene, query, need_aMaybeImplicit,
                    BRINK_INVERSE_SWAP | BRINK_INVERSE_TRIANGLES | BRINK_INVERSE_SAMPLE_B | BRINK_INVERSE_ADAPTIVE,
                    true, &self);
  if (status == brink_ok) status = needAnswers(world);
  if (status == brink_ok) status = findSubset(world, &self, query, old, &answer);
  if (status == brink_ok) giveSubset(&answer, out);
  freeCall(context, &self);
  return status;
}

static void tellMembership(const brinkPointSet *set, bool solid, brinkInverseMembership *out) {
  for (size_t i = 0; i < set->pointCount; ++i) {
    size_t from = set->starts[i], to = set->starts[i + 1];
    out[i] = (brinkInverseMembership){.entry = 2.0, .exit = -1.0};
    brinkJudgeSweep(set->intervals + from, to - from, solid, &out[i].side, &out[i].fold);
    if (from == to) continue;
    out[i].entry = 0.5 * (set->intervals[from].startLower + set->intervals[from].startUpper);
    out[i].exit = 0.5 * (set->intervals[to - 1].endLower + set->intervals[to - 1].endUpper);
  }
}

static brinkStatus sweepMembership(brinkWorld *world, const brinkInverseSceneDef *scene, const brinkInverseQuery *query,
                                   const double *points, size_t count, brinkInverseMembership *out) {
  brinkContext *context = &world->context;
  call self;
  brinkPointSet set = {0};
  brinkMotionTable table = {0};
  if (out == NULL && count > 0) return brinkRefuseNull(context, "out");
  brinkStatus status = checkPoints(context, points, count);
  if (status != brink_ok) return status;
  status = makeCall(context, scene, query, need_onlyA, BRINK_INVERSE_TRIANGLES, false, &self);
  const brinkRelativeMotion motion = {&self.motion[0], NULL};
  if (status == brink_ok) status = brinkMotionTable_Make(context, &motion, query->tStart, query->tEnd, &table);
  if (status == brink_ok)
    status = follow(world, &self, &self.body[0], &table, toleranceFor(&self, query, &motion, NULL), 0.0, points, count,
                    &set);
  if (status == brink_ok) tellMembership(&set, self.body[0].isImplicit || self.body[0].mesh.solid, out);
  brinkMotionTable_Free(context, &table);
  brinkPointSet_Free(context, &set);
  freeCall(context, &self);
  return status;
}

/* ---- entry points */

static brinkStatus guardedContactIntervals(brinkWorld *world, const brinkInverseSceneDef *scene,
                                           const brinkInverseQuery *query, brinkInverseIntervals *out) {
  BRINK_GUARDED(world, contactIntervals(world, scene, query, out));
}
static brinkStatus guardedPointContacts(brinkWorld *world, const brinkInverseSceneDef *scene,
                                        const brinkInverseQuery *query, const double *points, size_t count,
                                        brinkInverseSubset *out) {
  BRINK_GUARDED(world, pointContacts(world, scene, query, points, count, out));
}
static brinkStatus guardedInterference(brinkWorld *world, const brinkInverseSceneDef *scene,
                                       const brinkInverseQuery *query, brinkInverseSubset *out) {
  BRINK_GUARDED(world, interference(world, scene, query, out));
}
static brinkStatus guardedSweepMembership(brinkWorld *world, const brinkInverseSceneDef *scene,
                                          const brinkInverseQuery *query, const double *points, size_t count,
                                          brinkInverseMembership *out) {
  BRINK_GUARDED(world, sweepMembership(world, scene, query, points, count, out));
}

const void *brinkInversePath_Table(void) {
  static const brinkInverseTable table = {.structSize = sizeof(brinkInverseTable),
                                          .contactIntervals = guardedContactIntervals,
                                          .pointContacts = guardedPointContacts,
                                          .interference = guardedInterference,
                                          .sweepMembership = guardedSweepMembership};
  return &table;
}
