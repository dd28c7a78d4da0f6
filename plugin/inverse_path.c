/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "brink.inverse-path/1": contact intervals of whole bodies, two or many, by contact_intervals.h and
 * object_pairs.h. Points and subsets: inverse_subset.c. */
#include "brink/inverse_path.h"

#include <stdio.h>

#include "inverse_call.h"
#include "object_pairs.h"

static void exchange(uint32_t *a, uint32_t *b) {
  uint32_t keep = *a;
  *a = *b;
  *b = keep;
}

static brinkStatus makeSurface(brinkContext *context, brinkCallObject *body) {
  if (body->surface.pieceCount > 0) return brink_ok;
  return body->patchCount > 0 ? brinkPatchBody_Make(context, body->patches, body->patchCount, &body->mesh,
                                                    body->flatness, body->name, &body->surface)
                              : brinkPatchBody_OfMesh(context, &body->mesh, body->name, &body->surface);
}

/* The patch, spline or triangle that a piece belongs to. */
static uint32_t ownerOf(const brinkCallObject *body, uint32_t piece) {
  if (piece >= body->surface.pieceCount) return BRINK_NO_TRIANGLE;
  uint32_t patch = body->surface.pieces[piece].patch;
  return body->splines.owners != NULL ? body->splines.owners[patch] : patch;
}

/* host: the body in whose frame the other moves. */
static brinkStatus askSurfaces(brinkContext *context, brinkInverseCall *self, int host, const brinkIntervalQuery *query,
                               brinkIntervalSet *set) {
  brinkCallObject *a = self->object[host], *b = self->object[1 - host];
  brinkStatus status = makeSurface(context, self->object[0]);
  if (status == brink_ok) status = makeSurface(context, self->object[1]);
  const brinkPatchPair pair = {
      &a->surface, &b->surface, {&self->object[host]->motion, &self->object[1 - host]->motion}};
  if (status == brink_ok) status = brinkFindPatchIntervals(context, &pair, query, set);
  for (size_t i = 0; i < set->count && status == brink_ok; ++i) {
    brinkCellMemory *const ends[2] = {&set->items[i].first, &set->items[i].last};
    for (int e = 0; e < 2; ++e)
      *ends[e] = (brinkCellMemory){ownerOf(a, ends[e]->triangleA), ownerOf(b, ends[e]->triangleB)};
  }
  return status;
}

/* An implicit solid is the host; of two, A is. *host: which body. */
static brinkStatus askImplicit(brinkContext *context, const brinkInverseCall *self, const brinkIntervalQuery *query,
                               int *host, brinkIntervalSet *set) {
  *host = self->object[0]->isImplicit ? 0 : 1;
  const brinkCallObject *guest = self->object[1 - *host];
  const brinkImplicitPair pair = {.a = &self->object[*host]->implicit,
                                  .meshB = guest->isImplicit ? NULL : &guest->mesh,
                                  .solidB = guest->isImplicit ? &guest->implicit : NULL,
                                  .motion = {&self->object[*host]->motion, &self->object[1 - *host]->motion}};
  return brinkFindImplicitContacts(context, &pair, query, set);
}

/* *host: in whose frame the other one moves; intervals name its triangles first. */
static brinkStatus findWhole(brinkContext *context, brinkInverseCall *self, const brinkInverseQuery *query,
                             double tStart, double tEnd, int *host, brinkIntervalSet *set) {
  brinkCallObject *const *object = self->object;
  /* the one that moves in the other's frame may be flattened; when both are, they move side by side */
  bool forward = object[0]->singular && object[1]->singular;
  *host = object[0]->singular && !forward ? 1 : 0;
  const brinkMeshPair pair = {
      &object[*host]->mesh, &object[1 - *host]->mesh, {&object[*host]->motion, &object[1 - *host]->motion}, 0};
  const brinkCloseQuestion question = {.pair = &pair, .nearDistance = brinkNearDistanceOf(query), .forward = forward};
  const brinkIntervalQuery asked = {
      .tStart = tStart, .tEnd = tEnd, .timeTolerance = self->timeTolerance, .parallel = self->parallel};
  bool surfaces =
      (query->flags & BRINK_INVERSE_TRIANGLES) == 0u && (object[0]->patchCount > 0 || object[1]->patchCount > 0);
  bool implicit = object[0]->isImplicit || object[1]->isImplicit;
  return implicit   ? askImplicit(context, self, &asked, host, set)
         : surfaces ? askSurfaces(context, self, *host, &asked, set)
                    : brinkFindCloseIntervals(context, &question, &asked, set);
}

/* Appends to the world's intervals, of which `count` are told already. */
static brinkStatus tellWhole(brinkWorld *world, const brinkIntervalSet *set, int host, size_t count) {
  brinkStatus status = brinkInverseAnswers_ReserveIntervals(world, count + set->count);
  for (size_t i = 0; i < set->count && status == brink_ok; ++i) {
    brinkInverseInterval *told = &world->inverse->intervals[count + i];
    *told = brinkTellInterval(&set->items[i]);
    if (host == 0) continue;
    exchange(&told->startA, &told->startB);
    exchange(&told->endA, &told->endB);
  }
  return status;
}

static brinkStatus askWhole(brinkWorld *world, brinkInverseCall *self, const brinkInverseQuery *query,
                            brinkInverseIntervals *out) {
  int host = 0;
  brinkIntervalSet set = {0};
  brinkStatus status = findWhole(&world->context, self, query, query->tStart, query->tEnd, &host, &set);
  if (status == brink_ok) status = tellWhole(world, &set, host, 0);
  if (status == brink_ok)
    *out = (brinkInverseIntervals){.structSize = sizeof *out,
                                   .intervals = world->inverse->intervals,
                                   .count = set.count,
                                   .cells = set.cells,
                                   .openTotal = set.openTotal,
                                   .error = self->error};
  brinkIntervalSet_Free(&world->context, &set);
  return status;
}

static brinkStatus contactIntervals(brinkWorld *world, const brinkInverseSceneDef *scene,
                                    const brinkInverseQuery *query, brinkInverseIntervals *out) {
  brinkContext *context = &world->context;
  brinkInverseCall self;
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status != brink_ok) return status;
  status = brinkInverseCall_Make(context, scene, query, brink_needBoth, BRINK_INVERSE_TRIANGLES, true, &self);
  if (status == brink_ok) status = brinkInverseAnswers_Need(world);
  if (status == brink_ok) status = askWhole(world, &self, query, out);
  brinkInverseCall_Free(context, &self);
  return status;
}

/* ---- many objects */

typedef struct assemblyCall {
  brinkInverseCall call;
  brinkCallObject *objects;   /* [count] */
  brinkMovingObject *movings; /* [count] */
  size_t count;
  brinkObjectPairs pairs;
} assemblyCall;

static void freeAssembly(brinkContext *context, assemblyCall *self) {
  for (size_t i = 0; i < self->count && self->objects != NULL; ++i) brinkCallObject_Free(context, &self->objects[i]);
  brinkRelease(context, self->objects, self->count * sizeof *self->objects);
  brinkRelease(context, self->movings, self->count * sizeof *self->movings);
  brinkObjectPairs_Free(context, &self->pairs);
}

static void addPoint(const double *x, brinkMovingObject *out) {
  for (int k = 0; k < 3; ++k) {
    out->low[k] = fmin(out->low[k], x[k]);
    out->high[k] = fmax(out->high[k], x[k]);
  }
}

/* A box that holds the body: patches lie in the hull of their control points. */
static void boundObject(const brinkCallObject *object, uint32_t group, brinkMovingObject *out) {
  *out = (brinkMovingObject){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, &object->motion, group};
  if (object->isImplicit) {
    const brinkAabb *box = &object->implicit.box;
    addPoint((const double[3]){box->lower.x, box->lower.y, box->lower.z}, out);
    addPoint((const double[3]){box->upper.x, box->upper.y, box->upper.z}, out);
    return;
  }
  for (size_t i = 0; i < object->mesh.vertexCount; ++i) addPoint(object->mesh.vertices + 3 * i, out);
  for (size_t i = 0; i < object->patchCount; ++i)
    for (size_t k = 0; k < (size_t)object->patches[i].rows * object->patches[i].columns; ++k)
      addPoint(object->patches[i].controls + 4 * k, out);
}

static brinkStatus makeAssembly(brinkContext *context, const brinkInverseAssemblyDef *def,
                                const brinkInverseQuery *query, assemblyCall *self) {
  memset(self, 0, sizeof *self);
  if (def == NULL) return brinkRefuseNull(context, "assembly");
  brinkStatus status = brinkCheckSize(context, def->structSize, sizeof *def, "assembly");
  if (status == brink_ok) status = brinkInverseCall_Begin(context, query, BRINK_INVERSE_TRIANGLES, &self->call);
  if (status == brink_ok && def->objects == NULL && def->objectCount > 0)
    return brinkRefuseNull(context, "assembly->objects");
  if (status == brink_ok && def->objectCount >= UINT32_MAX)
    return brinkFail(context, brink_errorRange, "assembly: %zu objects are too many", def->objectCount);
  if (status != brink_ok || def->objectCount == 0) return status;
  self->count = def->objectCount;
  self->objects = brinkAllocateZeroed(context, self->count, sizeof *self->objects);
  self->movings = brinkAllocateZeroed(context, self->count, sizeof *self->movings);
  if (self->objects == NULL || self->movings == NULL)
    return brinkFail(context, brink_errorNoMemory, "no memory for %zu objects", self->count);
  const bool exact = (query->flags & BRINK_INVERSE_TRIANGLES) != 0u;
  for (size_t i = 0; i < self->count && status == brink_ok; ++i) {
    char name[32];
    snprintf(name, sizeof name, "object %zu", i);
    status = brinkCallObject_Make(context, &def->objects[i], name, exact, &self->objects[i]);
    if (status == brink_ok) boundObject(&self->objects[i], def->objects[i].group, &self->movings[i]);
  }
  return status;
}

/* As contactIntervals asks for it: only meshes meet what is flattened. */
static brinkStatus checkFlattened(brinkContext *context, const brinkCallObject *flat, const brinkCallObject *other) {
  if (!flat->singular || (!other->isImplicit && other->patchCount == 0)) return brink_ok;
  return brinkFail(context, brink_errorBadValue,
                   "the motion of %s flattens it, which only meshes may meet, and %s is none", flat->name, other->name);
}

static brinkStatus askObjectPair(brinkWorld *world, assemblyCall *self, const brinkObjectPair *pair,
                                 const brinkInverseQuery *query, brinkInverseMeetings *out) {
  brinkContext *context = &world->context;
  brinkInverseCall *call = &self->call;
  brinkCallObject *a = &self->objects[pair->a], *b = &self->objects[pair->b];
  call->object[0] = a;
  call->object[1] = b;
  int host = 0;
  brinkIntervalSet set = {0};
  brinkStatus status = checkFlattened(context, a, b);
  if (status == brink_ok) status = checkFlattened(context, b, a);
  if (status == brink_ok) status = findWhole(context, call, query, pair->from, pair->to, &host, &set);
  if (status == brink_ok) status = tellWhole(world, &set, host, out->intervalCount);
  if (status == brink_ok && (set.count > 0 || set.openTotal > 0.0)) {
    status = brinkReserve(context, (void **)&world->inverse->meetings, &world->inverse->meetingCapacity, out->count + 1,
                          sizeof *world->inverse->meetings);
    if (status == brink_ok)
      world->inverse->meetings[out->count++] = (brinkInverseMeeting){.a = pair->a,
                                                                     .b = pair->b,
                                                                     .firstInterval = out->intervalCount,
                                                                     .intervalCount = set.count,
                                                                     .openTotal = set.openTotal,
                                                                     .error = fmax(a->error, b->error),
                                                                     .cells = set.cells};
  }
  out->intervalCount += set.count;
  out->cells += set.cells;
  brinkIntervalSet_Free(context, &set);
  return status;
}

static brinkStatus allContactIntervals(brinkWorld *world, const brinkInverseAssemblyDef *assembly,
                                       const brinkInverseQuery *query, brinkInverseMeetings *out) {
  brinkContext *context = &world->context;
  assemblyCall self;
  brinkInverseMeetings answer = {.structSize = sizeof answer};
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status != brink_ok) return status;
  status = makeAssembly(context, assembly, query, &self);
  if (status == brink_ok) status = brinkInverseAnswers_Need(world);
  if (status == brink_ok)
    status = brinkFindObjectPairs(context, self.movings, self.count, query->tStart, query->tEnd, &self.pairs);
  for (size_t i = 0; i < self.pairs.count && status == brink_ok; ++i)
    status = askObjectPair(world, &self, &self.pairs.items[i], query, &answer);
  if (status == brink_ok) {
    answer.meetings = world->inverse->meetings;
    answer.intervals = world->inverse->intervals;
    answer.pairs = (uint64_t)self.pairs.all;
    answer.asked = self.pairs.count;
    *out = answer;
  }
  freeAssembly(context, &self);
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
  BRINK_GUARDED(world, brinkInverse_PointContacts(world, scene, query, points, count, out));
}
static brinkStatus guardedInterference(brinkWorld *world, const brinkInverseSceneDef *scene,
                                       const brinkInverseQuery *query, brinkInverseSubset *out) {
  BRINK_GUARDED(world, brinkInverse_Interference(world, scene, query, out));
}
static brinkStatus guardedSweepMembership(brinkWorld *world, const brinkInverseSceneDef *scene,
                                          const brinkInverseQuery *query, const double *points, size_t count,
                                          brinkInverseMembership *out) {
  BRINK_GUARDED(world, brinkInverse_SweepMembership(world, scene, query, points, count, out));
}

static brinkStatus guardedInterferingSolid(brinkWorld *world, const brinkInverseSceneDef *scene,
                                           const brinkInverseQuery *query, brinkInverseSolid *out) {
  BRINK_GUARDED(world, brinkInverse_InterferingSolid(world, scene, query, out));
}
static brinkStatus guardedInnerPaths(brinkWorld *world, const brinkInverseSceneDef *scene,
                                     const brinkInverseQuery *query, double deviation, brinkInversePaths *out) {
  BRINK_GUARDED(world, brinkInverse_InnerPaths(world, scene, query, deviation, out));
}
static brinkStatus guardedAllContactIntervals(brinkWorld *world, const brinkInverseAssemblyDef *assembly,
                                              const brinkInverseQuery *query, brinkInverseMeetings *out) {
  BRINK_GUARDED(world, allContactIntervals(world, assembly, query, out));
}

const void *brinkInversePath_Table(void) {
  static const brinkInverseTable table = {.structSize = sizeof(brinkInverseTable),
                                          .contactIntervals = guardedContactIntervals,
                                          .pointContacts = guardedPointContacts,
                                          .interference = guardedInterference,
                                          .sweepMembership = guardedSweepMembership,
                                          .interferingSolid = guardedInterferingSolid,
                                          .innerPaths = guardedInnerPaths,
                                          .allContactIntervals = guardedAllContactIntervals};
  return &table;
}
