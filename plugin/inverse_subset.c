/* SPDX-License-Identifier: BSD-3-Clause */
/* Points of one body that meet the other, and what is made of them: subsets, solids, paths; sweeps. By
 * interfering_subsets.h, subset_solid.h, path_bundle.h. */
#include "inverse_call.h"
#include "path_bundle.h"
#include "subset_solid.h"

_Static_assert((int)brink_inverseOut == (int)brink_sweepOut && (int)brink_inverseOn == (int)brink_sweepOn &&
                   (int)brink_inverseIn == (int)brink_sweepIn &&
                   (int)brink_inverseFoldBoundary == (int)brink_foldBoundary &&
                   (int)brink_inverseFoldInside == (int)brink_foldInside,
               "sides differ");

#define DEFAULT_SPACING 0.025
#define DEFAULT_SPREAD 0.125
#define DEFAULT_DEVIATION 0.125 /* of the spacing */
#define COARSE_CELLS 400u /* a point of bodies known up to an error: near their surfaces more would settle nothing */

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
  brinkStatus status = brinkInverseAnswers_ReserveIntervals(world, total);
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&world->inverse->points, &world->inverse->pointCapacity, kept + 1,
                          sizeof(brinkInversePoint));
  if (status != brink_ok) return status;
  for (size_t i = 0; i < total; ++i) {
    world->inverse->intervals[i] = brinkTellInterval(&set->intervals[i]);
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
                                 .entry = BRINK_NO_TIME,
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

static brinkInverseTarget targetOf(const brinkCallObject *body) {
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
static double toleranceFor(const brinkInverseCall *self, const brinkInverseQuery *query,
                           const brinkRelativeMotion *motion, const brinkInverseMesh *guest) {
  const brinkInverseMesh *host = guest == &self->object[0]->mesh ? &self->object[1]->mesh : &self->object[0]->mesh;
  return fmax(self->timeTolerance,
              0.25 * brinkResolvableTime(motion, host, guest != NULL ? guest : host, query->tStart, query->tEnd));
}

static brinkPointQuery queryFor(const brinkInverseCall *self, double tolerance, double errorGuest) {
  return (brinkPointQuery){.timeTolerance = tolerance,
                           .errorB = errorGuest,
                           .maxCells = tolerance > self->timeTolerance ? COARSE_CELLS : 0u};
}

/* points in the guest's frame against the host body; the table is of the guest's motion in the host's frame. */
static brinkStatus follow(brinkWorld *world, const brinkInverseCall *self, const brinkCallObject *host,
                          const brinkMotionTable *table, double tolerance, double errorGuest, const double *points,
                          size_t count, brinkPointSet *set) {
  const brinkInverseTarget target = targetOf(host);
  const brinkPointQuery asked = queryFor(self, tolerance, errorGuest);
  return brinkFindPointContacts(&world->context, &target, table, points, count, &asked, &self->parallel, set);
}

/* As much as the host's struct holds. */
static void giveSubset(const brinkInverseSubset *answer, brinkInverseSubset *out) {
  uint32_t size = out->structSize;
  memcpy(out, answer, size);
  out->structSize = size;
}

brinkStatus brinkInverse_PointContacts(brinkWorld *world, const brinkInverseSceneDef *scene,
                                       const brinkInverseQuery *query, const double *points, size_t count,
                                       brinkInverseSubset *out) {
  brinkContext *context = &world->context;
  brinkInverseCall self;
  brinkPointSet set = {0};
  brinkMotionTable table = {0};
  brinkInverseSubset answer = {.structSize = sizeof answer};
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status =
      brinkCheckGrownSize(context, out->structSize, offsetof(brinkInverseSubset, sampledBody), sizeof *out, "out");
  if (status == brink_ok) status = checkPoints(context, points, count);
  if (status != brink_ok) return status;
  status =
      brinkInverseCall_Make(context, scene, query, brink_needAMaybeImplicit, BRINK_INVERSE_TRIANGLES, false, &self);
  const brinkRelativeMotion motion = {&self.object[0]->motion, &self.object[1]->motion};
  if (status == brink_ok) status = brinkInverseAnswers_Need(world);
  if (status == brink_ok) status = brinkMotionTable_Make(context, &motion, query->tStart, query->tEnd, &table);
  if (status == brink_ok)
    status = follow(world, &self, self.object[0], &table, toleranceFor(&self, query, &motion, NULL), 0.0, points, count,
                    &set);
  if (status == brink_ok) status = tellPoints(world, &motion, &set, points, NULL, true, &answer);
  answer.error = self.error;
  answer.pathCells = set.cells;
  if (status == brink_ok) giveSubset(&answer, out);
  brinkMotionTable_Free(context, &table);
  brinkPointSet_Free(context, &set);
  brinkInverseCall_Free(context, &self);
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
static brinkStatus chooseGuest(brinkContext *context, const brinkInverseCall *self, uint32_t flags, bool old,
                               int *guest) {
  bool first = (flags & BRINK_INVERSE_SWAP) != 0u, second = old || (flags & BRINK_INVERSE_SAMPLE_B) != 0u;
  const brinkCallObject *a = self->object[0], *b = self->object[1];
  if (first && (flags & BRINK_INVERSE_SAMPLE_B) != 0u)
    return brinkFail(context, brink_errorBadValue, "query->flags: SWAP samples A, SAMPLE_B samples B: not both");
  *guest = first                                           ? 0
           : second                                        ? 1
           : a->isImplicit                                 ? 1
           : b->isImplicit                                 ? 0
           : a->mesh.triangleCount > b->mesh.triangleCount ? 0
                                                           : 1;
  if (self->object[*guest]->isImplicit)
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
  brinkInverseCall *self;
  const brinkInverseQuery *query;
  const brinkCallObject *from, *host;
  brinkRelativeMotion motion;
  brinkMotionTable table;
  brinkSamples samples;
  brinkPointSet set; /* of the samples */
  double tolerance, spacing;
  int guest; /* whose samples they are */
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
  double spread = brinkEntrySpreadOf(query);
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

/* As fine within as on the boundary, but no more points in all. */
static double likePitch(const brinkInverseMesh *mesh, const subsetCall *sub) {
  double volume = 1.0;
  for (int k = 0; k < 3; ++k) volume *= mesh->nodes[0].high[k] - mesh->nodes[0].low[k];
  return fmax(sub->spacing, cbrt(volume / (double)(sub->samples.count + 1)));
}

/* Samples of one body, followed through the other. insidePitch < 0: like that of the boundary. */
static brinkStatus findSubset(brinkWorld *world, brinkInverseCall *self, const brinkInverseQuery *query, bool old,
                              double insidePitch, subsetCall *sub, brinkInverseSubset *out) {
  brinkContext *context = &world->context;
  int guest = 1;
  brinkStatus status = chooseGuest(context, self, query->flags, old, &guest);
  if (status != brink_ok) return status;
  *sub = (subsetCall){.world = world,
                      .self = self,
                      .query = query,
                      .from = self->object[guest],
                      .host = self->object[1 - guest],
                      .motion = {&self->object[1 - guest]->motion, &self->object[guest]->motion},
                      .guest = guest};
  const brinkInverseMesh *mesh = &sub->from->mesh;
  double extent = 0.0;
  for (int k = 0; k < 3; ++k) extent = fmax(extent, mesh->nodes[0].high[k] - mesh->nodes[0].low[k]);
  sub->spacing = query->spacing > 0.0 ? query->spacing : fmax(DEFAULT_SPACING * extent, DBL_MIN);
  sub->tolerance = toleranceFor(self, query, &sub->motion, mesh);
  status = brinkMotionTable_Make(context, &sub->motion, query->tStart, query->tEnd, &sub->table);
  if (status == brink_ok) status = makeSamples(sub, out);
  if (insidePitch < 0.0) insidePitch = likePitch(mesh, sub);
  if (status == brink_ok && insidePitch > 0.0)
    status = brinkSamples_AddInside(context, mesh, insidePitch, &sub->samples);
  if (status == brink_ok)
    status = follow(world, self, sub->host, &sub->table, sub->tolerance, mesh->error, sub->samples.points,
                    sub->samples.count, &sub->set);
  return status;
}

static void freeSubset(brinkContext *context, subsetCall *sub) {
  brinkMotionTable_Free(context, &sub->table);
  brinkPointSet_Free(context, &sub->set);
  brinkSamples_Free(context, &sub->samples);
}

static brinkStatus tellSubset(subsetCall *sub, brinkInverseSubset *out) {
  const bool facesAreTold =
      !sub->host->isImplicit || sub->host->implicit.gradient != NULL; /* else they take too long */
  brinkStatus status = facesAreTold ? findFaces(sub, out) : brink_ok;
  if (status == brink_ok)
    status = tellPoints(sub->world, &sub->motion, &sub->set, sub->samples.points, sub->samples.faces, false, out);
  if (status == brink_ok) status = tellMesh(sub->world, &sub->from->mesh, out);
  out->sampledBody = (uint32_t)sub->guest;
  out->pathCells += sub->set.cells;
  out->error = sub->self->error;
  return status;
}

#define SUBSET_FLAGS (BRINK_INVERSE_SWAP | BRINK_INVERSE_TRIANGLES | BRINK_INVERSE_SAMPLE_B)

brinkStatus brinkInverse_Interference(brinkWorld *world, const brinkInverseSceneDef *scene,
                                      const brinkInverseQuery *query, brinkInverseSubset *out) {
  brinkContext *context = &world->context;
  brinkInverseCall self;
  subsetCall sub = {0};
  brinkInverseSubset answer = {.structSize = sizeof answer};
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status =
      brinkCheckGrownSize(context, out->structSize, offsetof(brinkInverseSubset, sampledBody), sizeof *out, "out");
  if (status != brink_ok) return status;
  bool old = out->structSize != sizeof *out;
  status = brinkInverseCall_Make(context, scene, query, brink_needAMaybeImplicit, SUBSET_FLAGS | BRINK_INVERSE_ADAPTIVE,
                                 true, &self);
  if (status == brink_ok) status = brinkInverseAnswers_Need(world);
  if (status == brink_ok) status = findSubset(world, &self, query, old, query->insidePitch, &sub, &answer);
  if (status == brink_ok) status = tellSubset(&sub, &answer);
  if (status == brink_ok) giveSubset(&answer, out);
  freeSubset(context, &sub);
  brinkInverseCall_Free(context, &self);
  return status;
}

/* ---- solids and paths of a subset */

/* Samples that meet the other body, in their order. */
static brinkStatus takePoints(subsetCall *sub, brinkInverseSolid *out) {
  struct brinkInverseAnswers *answers = sub->world->inverse;
  brinkStatus status = brinkReserve(&sub->world->context, (void **)&answers->vertices, &answers->vertexCapacity,
                                    3 * sub->samples.count + 1, sizeof(double));
  for (size_t i = 0; i < sub->samples.count && status == brink_ok; ++i)
    if (sub->set.starts[i + 1] > sub->set.starts[i])
      memcpy(answers->vertices + 3 * out->pointCount++, sub->samples.points + 3 * i, 3 * sizeof(double));
  out->points = answers->vertices;
  return status;
}

static brinkStatus tellSolid(subsetCall *sub, brinkInverseSolid *out) {
  brinkContext *context = &sub->world->context;
  struct brinkInverseAnswers *answers = sub->world->inverse;
  const brinkInverseTarget target = targetOf(sub->host);
  const brinkPointQuery asked = queryFor(sub->self, sub->tolerance, sub->from->mesh.error);
  brinkTetrahedra tetrahedra = {.corners = answers->tetrahedra, .capacity = answers->tetrahedronCapacity};
  brinkOuterFaces faces = {.corners = answers->triangles, .capacity = answers->triangleCapacity};
  size_t centers = 0;
  brinkStatus status = takePoints(sub, out);
  if (status == brink_ok)
    status = brinkMakeSubsetSolid(context, &target, &sub->from->mesh, &sub->table, out->points, out->pointCount, &asked,
                                  &sub->self->parallel, &tetrahedra, &centers);
  if (status == brink_ok) status = brinkOuterFaces_Make(context, &tetrahedra, &faces);
  answers->tetrahedra = tetrahedra.corners; /* grown, whatever came of it */
  answers->tetrahedronCapacity = tetrahedra.capacity;
  answers->triangles = faces.corners;
  answers->triangleCapacity = faces.capacity;
  if (status != brink_ok) return status;
  out->tetrahedra = tetrahedra.corners;
  out->tetrahedronCount = tetrahedra.count;
  out->faces = faces.corners;
  out->faceCount = faces.count;
  out->volume = brinkTetrahedra_Volume(&tetrahedra, out->points);
  out->asked = sub->samples.count + centers;
  return brink_ok;
}

brinkStatus brinkInverse_InterferingSolid(brinkWorld *world, const brinkInverseSceneDef *scene,
                                          const brinkInverseQuery *query, brinkInverseSolid *out) {
  brinkContext *context = &world->context;
  brinkInverseCall self;
  subsetCall sub = {0};
  brinkInverseSubset subset = {0};
  brinkInverseSolid answer = {.structSize = sizeof answer};
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status != brink_ok) return status;
  status = brinkInverseCall_Make(context, scene, query, brink_needAMaybeImplicit, SUBSET_FLAGS, true, &self);
  if (status == brink_ok) status = brinkInverseAnswers_Need(world);
  const double pitch = status == brink_ok && query->insidePitch > 0.0 ? query->insidePitch : -1.0;
  if (status == brink_ok) status = findSubset(world, &self, query, false, pitch, &sub, &subset);
  if (status == brink_ok && !sub.from->mesh.solid)
    status = brinkFail(context, brink_errorNotClosed, "%s is an open surface: it has no solid subset", sub.from->name);
  if (status == brink_ok) status = tellSolid(&sub, &answer);
  if (status == brink_ok) {
    answer.sampledBody = (uint32_t)sub.guest;
    answer.spacing = subset.spacing;
    answer.error = self.error;
    *out = answer;
  }
  freeSubset(context, &sub);
  brinkInverseCall_Free(context, &self);
  return status;
}

static brinkStatus tellPaths(subsetCall *sub, const brinkPathBundle *bundle, brinkInversePaths *out) {
  brinkContext *context = &sub->world->context;
  struct brinkInverseAnswers *answers = sub->world->inverse;
  brinkStatus status = brinkReserve(context, (void **)&answers->paths, &answers->pathCapacity, bundle->pathCount + 1,
                                    sizeof *answers->paths);
  if (status == brink_ok)
    status = brinkReserve(context, (void **)&answers->pathVertices, &answers->pathVertexCapacity,
                          bundle->vertexCount + 1, sizeof *answers->pathVertices);
  if (status != brink_ok) return status;
  for (size_t i = 0; i < bundle->pathCount; ++i) {
    const brinkInnerPath *path = &bundle->paths[i];
    answers->paths[i] = (brinkInversePath){.sample = brinkV3_FromArray(sub->samples.points + 3 * path->point),
                                           .face = sub->samples.faces[path->point],
                                           .flags = brinkTellInterval(&sub->set.intervals[path->interval]).flags,
                                           .firstVertex = path->first,
                                           .vertexCount = path->count};
  }
  for (size_t i = 0; i < bundle->vertexCount; ++i)
    answers->pathVertices[i] =
        (brinkInversePathVertex){bundle->vertices[i].t, brinkV3_FromArray(bundle->vertices[i].position)};
  *out = (brinkInversePaths){.structSize = sizeof *out,
                             .sampledBody = (uint32_t)sub->guest,
                             .paths = answers->paths,
                             .pathCount = bundle->pathCount,
                             .vertices = answers->pathVertices,
                             .vertexCount = bundle->vertexCount,
                             .deviation = bundle->deviation,
                             .asked = sub->samples.count,
                             .error = sub->self->error};
  return brink_ok;
}

brinkStatus brinkInverse_InnerPaths(brinkWorld *world, const brinkInverseSceneDef *scene,
                                    const brinkInverseQuery *query, double deviation, brinkInversePaths *out) {
  brinkContext *context = &world->context;
  brinkInverseCall self;
  subsetCall sub = {0};
  brinkInverseSubset subset = {0};
  brinkPathBundle bundle = {0};
  if (out == NULL) return brinkRefuseNull(context, "out");
  brinkStatus status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status == brink_ok) status = brinkCheckLength(context, deviation, "deviation");
  if (status != brink_ok) return status;
  status = brinkInverseCall_Make(context, scene, query, brink_needAMaybeImplicit, SUBSET_FLAGS, true, &self);
  if (status == brink_ok) status = brinkInverseAnswers_Need(world);
  if (status == brink_ok) status = findSubset(world, &self, query, false, query->insidePitch, &sub, &subset);
  if (status == brink_ok)
    status =
        brinkPathBundle_Make(context, &sub.motion, query->tStart, query->tEnd, sub.from->mesh.reach, sub.samples.points,
                             &sub.set, deviation > 0.0 ? deviation : DEFAULT_DEVIATION * sub.spacing, &bundle);
  if (status == brink_ok) status = tellPaths(&sub, &bundle, out);
  if (status == brink_ok) out->spacing = subset.spacing;
  brinkPathBundle_Free(context, &bundle);
  freeSubset(context, &sub);
  brinkInverseCall_Free(context, &self);
  return status;
}

static void tellMembership(const brinkPointSet *set, bool solid, brinkInverseMembership *out) {
  for (size_t i = 0; i < set->pointCount; ++i) {
    size_t from = set->starts[i], to = set->starts[i + 1];
    out[i] = (brinkInverseMembership){.entry = BRINK_NO_TIME, .exit = -1.0};
    brinkJudgeSweep(set->intervals + from, to - from, solid, &out[i].side, &out[i].fold);
    if (from == to) continue;
    out[i].entry = 0.5 * (set->intervals[from].startLower + set->intervals[from].startUpper);
    out[i].exit = 0.5 * (set->intervals[to - 1].endLower + set->intervals[to - 1].endUpper);
  }
}

brinkStatus brinkInverse_SweepMembership(brinkWorld *world, const brinkInverseSceneDef *scene,
                                         const brinkInverseQuery *query, const double *points, size_t count,
                                         brinkInverseMembership *out) {
  brinkContext *context = &world->context;
  brinkInverseCall self;
  brinkPointSet set = {0};
  brinkMotionTable table = {0};
  if (out == NULL && count > 0) return brinkRefuseNull(context, "out");
  brinkStatus status = checkPoints(context, points, count);
  if (status != brink_ok) return status;
  status = brinkInverseCall_Make(context, scene, query, brink_needOnlyA, BRINK_INVERSE_TRIANGLES, false, &self);
  const brinkRelativeMotion motion = {&self.object[0]->motion, NULL};
  if (status == brink_ok) status = brinkMotionTable_Make(context, &motion, query->tStart, query->tEnd, &table);
  if (status == brink_ok)
    status = follow(world, &self, self.object[0], &table, toleranceFor(&self, query, &motion, NULL), 0.0, points, count,
                    &set);
  if (status == brink_ok) tellMembership(&set, self.object[0]->isImplicit || self.object[0]->mesh.solid, out);
  brinkMotionTable_Free(context, &table);
  brinkPointSet_Free(context, &set);
  brinkInverseCall_Free(context, &self);
  return status;
}
