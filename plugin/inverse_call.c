/* SPDX-License-Identifier: BSD-3-Clause */
/* See inverse_call.h: checks what the host gives, and makes meshes and motions of it for the call. */
#include "inverse_call.h"

#include <stdio.h>

#include "bezier_patch.h"

_Static_assert((int)brink_inverseLinear == (int)brink_blendLinear && (int)brink_inverseCubic == (int)brink_blendCubic &&
                   (int)brink_inversePolar == (int)brink_blendPolar,
               "blends differ");

#define DEFAULT_TIME_TOLERANCE 1e-9
#define DEFAULT_PATCH_ERROR 1e-3

/* ---- what the host gives */

void brinkCallObject_Free(brinkContext *context, brinkCallObject *object) {
  if (object->mesh.triangleCount > 0) brinkInverseMesh_Free(context, &object->mesh);
  brinkPatchBody_Free(context, &object->surface);
  if (object->splines.patches == NULL)
    brinkRelease(context, object->patches, object->patchCount * sizeof *object->patches);
  brinkSplitSplines_Free(context, &object->splines);
  brinkInverseMotion_Free(context, &object->motion);
}

void brinkInverseCall_Free(brinkContext *context, brinkInverseCall *self) {
  for (int k = 0; k < 2; ++k) brinkCallObject_Free(context, &self->own[k]);
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

static brinkStatus takePatches(brinkContext *context, const brinkInverseBodyDef *def, const char *name,
                               brinkCallObject *out) {
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

static brinkStatus takeSplines(brinkContext *context, const brinkInverseBodyDef *def, const char *name,
                               brinkCallObject *out) {
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

static brinkStatus makePatches(brinkContext *context, const brinkInverseBodyDef *def, const char *name,
                               brinkCallObject *out) {
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

static brinkStatus makeBody(brinkContext *context, const brinkInverseBodyDef *def, const char *name,
                            brinkCallObject *out) {
  snprintf(out->name, sizeof out->name, "%s", name);
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

double brinkNearDistanceOf(const brinkInverseQuery *query) {
  return query->structSize > offsetof(brinkInverseQuery, nearDistance) ? query->nearDistance : 0.0;
}

double brinkEntrySpreadOf(const brinkInverseQuery *query) {
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
  if (status == brink_ok) status = brinkCheckLength(context, brinkNearDistanceOf(query), "query->nearDistance");
  if (status == brink_ok) status = brinkCheckLength(context, brinkEntrySpreadOf(query), "query->entrySpread");
  return status;
}

/* Its objects are there, whatever is refused: callers name their motions. */
static void clearCall(brinkInverseCall *out) {
  memset(out, 0, sizeof *out);
  for (int k = 0; k < 2; ++k) out->object[k] = &out->own[k];
}

brinkStatus brinkInverseCall_Begin(brinkContext *context, const brinkInverseQuery *query, uint32_t flags,
                                   brinkInverseCall *out) {
  clearCall(out);
  brinkStatus status = checkQuery(context, query, flags);
  if (status != brink_ok) return status;
  out->timeTolerance = query->timeTolerance > 0.0 ? query->timeTolerance : DEFAULT_TIME_TOLERANCE;
  out->parallel = (brinkParallel){query->run, query->runUser};
  return brink_ok;
}

static void tellError(brinkCallObject *object, bool exact) {
  object->error = object->mesh.error;
  if (exact) object->mesh.error = 0.0;
}

brinkStatus brinkInverseCall_Make(brinkContext *context, const brinkInverseSceneDef *scene,
                                  const brinkInverseQuery *query, brinkCallNeeds needs, uint32_t flags, bool wantsB,
                                  brinkInverseCall *out) {
  clearCall(out);
  if (scene == NULL) return brinkRefuseNull(context, "scene");
  brinkStatus status = brinkCheckSize(context, scene->structSize, sizeof *scene, "scene");
  if (status == brink_ok) status = brinkInverseCall_Begin(context, query, flags, out);
  brinkCallObject *a = &out->own[0], *b = &out->own[1];
  if (status == brink_ok) status = makeBody(context, &scene->a, "body A", a);
  if (status == brink_ok && wantsB) status = makeBody(context, &scene->b, "body B", b);
  bool *singularA = needs == brink_needBoth && mayBeSingular(&scene->a, &scene->b) ? &a->singular : NULL,
       *singularB = needs == brink_needBoth && mayBeSingular(&scene->b, &scene->a) ? &b->singular : NULL;
  if (status == brink_ok) status = makeMotion(context, &scene->motionA, "motion A", singularA, &a->motion);
  if (status == brink_ok && needs != brink_needOnlyA)
    status = makeMotion(context, &scene->motionB, "motion B", singularB, &b->motion);
  if (status != brink_ok) return status;
  const bool exact = (query->flags & BRINK_INVERSE_TRIANGLES) != 0u;
  tellError(a, exact);
  tellError(b, exact);
  out->error = fmax(a->error, b->error);
  return brink_ok;
}

brinkStatus brinkCallObject_Make(brinkContext *context, const brinkInverseObjectDef *def, const char *name, bool exact,
                                 brinkCallObject *out) {
  char part[64];
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, name);
  if (status == brink_ok) status = makeBody(context, &def->body, name, out);
  snprintf(part, sizeof part, "motion of %s", name);
  bool *singular = status == brink_ok && mayBeSingular(&def->body, &def->body) ? &out->singular : NULL;
  if (status == brink_ok) status = makeMotion(context, &def->motion, part, singular, &out->motion);
  tellError(out, exact);
  return status;
}

/* ---- answers */

void brinkInverseAnswers_Destroy(brinkWorld *world) {
  brinkContext *context = &world->context;
  struct brinkInverseAnswers *answers = world->inverse;
  if (answers == NULL) return;
  brinkRelease(context, answers->intervals, answers->intervalCapacity * sizeof *answers->intervals);
  brinkRelease(context, answers->points, answers->pointCapacity * sizeof *answers->points);
  brinkRelease(context, answers->faces, answers->faceCapacity * sizeof *answers->faces);
  brinkRelease(context, answers->pieces, answers->pieceCapacity * sizeof *answers->pieces);
  brinkRelease(context, answers->meetings, answers->meetingCapacity * sizeof *answers->meetings);
  brinkRelease(context, answers->paths, answers->pathCapacity * sizeof *answers->paths);
  brinkRelease(context, answers->pathVertices, answers->pathVertexCapacity * sizeof *answers->pathVertices);
  brinkRelease(context, answers->tetrahedra, answers->tetrahedronCapacity * sizeof *answers->tetrahedra);
  brinkRelease(context, answers->vertices, answers->vertexCapacity * sizeof *answers->vertices);
  brinkRelease(context, answers->triangles, answers->triangleCapacity * sizeof *answers->triangles);
  brinkRelease(context, answers, sizeof *answers);
}

brinkStatus brinkInverseAnswers_Need(brinkWorld *world) {
  if (world->inverse == NULL) world->inverse = brinkAllocateZeroed(&world->context, 1, sizeof *world->inverse);
  return world->inverse != NULL ? brink_ok
                                : brinkFail(&world->context, brink_errorNoMemory, "no memory for the answers");
}

brinkStatus brinkInverseAnswers_ReserveIntervals(brinkWorld *world, size_t count) {
  return brinkReserve(&world->context, (void **)&world->inverse->intervals, &world->inverse->intervalCapacity,
                      count + 1, sizeof *world->inverse->intervals);
}

brinkInverseInterval brinkTellInterval(const brinkContactInterval *from) {
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
