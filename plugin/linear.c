/* SPDX-License-Identifier: BSD-3-Clause */
/* The table "brink.linear/1": checks what the host gives, makes affine bodies of it, asks affine_motion.h. A body given
 * by maps is placed at both ends here; what that rounds off is bounded and goes along as the body's error. Rounding of
 * m0 x + m1 y + m2 z + b: at most 4 roundings on any path, 2^-52 each in the worst mode. */
#include "brink/linear.h"

#include "affine_motion.h"
#include "world.h"

#define DEFAULT_TOLERANCE 1e-6 /* of the smaller body */
#define KNOWN_FLAGS ((uint32_t)(BRINK_MESH_SOLID | BRINK_MESH_CONVEX))

static brinkStatus checkMap(brinkContext *context, const brinkAffineMap *map, const char *name) {
  double largest = fmax(fabs(map->b.x), fmax(fabs(map->b.y), fabs(map->b.z)));
  bool finite = brinkFiniteV3(map->b);
  for (int k = 0; k < 9; ++k) {
    finite = finite && isfinite(map->m[k]);
    largest = fmax(largest, fabs(map->m[k]));
  }
  if (!finite) return brinkFail(context, brink_errorBadValue, "%s: a map is not finite", name);
  if (largest > BRINK_MAX_LENGTH)
    return brinkFail(context, brink_errorRange, "%s: a map's %g is beyond %g", name, largest, BRINK_MAX_LENGTH);
  return brink_ok;
}

/* Places the vertices; returns a bound of the rounding of each, m. */
static double applyMap(const brinkAffineMap *map, const double *vertices, size_t count, double *out) {
  const double b[3] = {map->b.x, map->b.y, map->b.z};
  double largest = 0.0;
  for (size_t i = 0; i < count; ++i) {
    const double *x = vertices + 3 * i;
    for (int k = 0; k < 3; ++k) {
      const double *m = map->m + 3 * k;
      out[3 * i + (size_t)k] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + b[k];
      largest = fmax(largest, fabs(m[0] * x[0]) + fabs(m[1] * x[1]) + fabs(m[2] * x[2]) + fabs(b[k]));
    }
  }
  return 8.0 * DBL_EPSILON * largest + DBL_MIN; /* 4 * 2^-52 per coordinate, sqrt 3 of them */
}

/* places: room for 6 vertexCount doubles when the body is given by maps. */
static brinkStatus makeBody(brinkContext *context, const brinkLinearBody *given, double *places, const char *name,
                            brinkAffineBody *out) {
  *out = (brinkAffineBody){.start = given->vertices0,
                           .end = given->vertices1,
                           .vertexCount = given->vertexCount,
                           .simplices = given->simplices,
                           .simplexCount = given->simplexCount,
                           .flags = given->flags,
                           .radius = given->radius};
  if (given->vertices1 == NULL && given->vertices0 != NULL && given->vertexCount > 0) {
    brinkStatus status = checkMap(context, &given->map0, name);
    if (status == brink_ok) status = checkMap(context, &given->map1, name);
    if (status != brink_ok) return status;
    double *end = places + 3 * given->vertexCount;
    double first = applyMap(&given->map0, given->vertices0, given->vertexCount, places);
    double second = applyMap(&given->map1, given->vertices0, given->vertexCount, end);
    out->start = places;
    out->end = end;
    out->error = fmax(first, second);
  }
  return brinkCheckAffineBody(context, out, name);
}

static brinkStatus checkGiven(brinkContext *context, const brinkLinearBody *body, const char *name) {
  if (body == NULL) return brinkFail(context, brink_errorNullArgument, "%s is NULL", name);
  brinkStatus status = brinkCheckSize(context, body->structSize, sizeof *body, name);
  if (status == brink_ok) status = brinkCheckFlags(context, body->flags, KNOWN_FLAGS, name);
  if (status == brink_ok && body->vertexCount > UINT32_MAX / 4)
    status = brinkFail(context, brink_errorRange, "%s: more than %u vertices", name, UINT32_MAX / 4);
  return status;
}

static brinkStatus checkAsked(brinkContext *context, const brinkLinearQuery *query, const brinkLinearContact *out) {
  if (query == NULL) return brinkFail(context, brink_errorNullArgument, "query is NULL");
  if (out == NULL) return brinkFail(context, brink_errorNullArgument, "out is NULL");
  brinkStatus status = brinkCheckSize(context, query->structSize, sizeof *query, "query");
  if (status == brink_ok) status = brinkCheckSize(context, out->structSize, sizeof *out, "out");
  if (status == brink_ok) status = brinkCheckFlags(context, query->flags, 0, "query->flags");
  if (status == brink_ok) status = brinkCheckTime(context, query->tStart, "query->tStart");
  if (status == brink_ok) status = brinkCheckTime(context, query->tEnd, "query->tEnd");
  if (status == brink_ok && query->tStart > query->tEnd)
    status = brinkFail(context, brink_errorBadTime, "query: tStart %g is after tEnd %g", query->tStart, query->tEnd);
  if (status == brink_ok) status = brinkCheckLength(context, query->tolerance, "query->tolerance");
  return status;
}

/* A size of 0 (a point) says nothing: the other's counts; two points: how far they move. */
static double toleranceOf(const brinkLinearQuery *query, double sizeA, double sizeB, double travel) {
  if (query->tolerance > 0.0) return query->tolerance;
  double smaller = BRINK_MIN(sizeA, sizeB), larger = BRINK_MAX(sizeA, sizeB);
  double size = smaller > 0.0 ? smaller : larger > 0.0 ? larger : travel > 0.0 ? travel : 1.0;
  return fmax(DEFAULT_TOLERANCE * size, DBL_MIN);
}

static double travelOf(const brinkAffineBody *body) {
  double largest = 0.0;
  for (size_t i = 0; i < 3 * body->vertexCount; ++i) largest = fmax(largest, fabs(body->end[i] - body->start[i]));
  return largest;
}

static brinkStatus reserve(brinkWorld *world, size_t vertices) {
  brinkContext *context = &world->context;
  if (world->affine == NULL) world->affine = brinkAffineScratch_Create(context);
  if (world->affine == NULL)
    return brinkFail(context, brink_errorNoMemory, "no memory for queries about linear bodies");
  if (vertices == 0) return brink_ok;
  void *block = world->affineVertices;
  brinkStatus status =
      brinkReserve(context, &block, &world->affineCapacity, 6 * vertices, sizeof *world->affineVertices);
  world->affineVertices = block;
  return status == brink_ok ? status : brinkFail(context, status, "no memory for the places of %zu vertices", vertices);
}

static size_t mappedCount(const brinkLinearBody *body) { return body->vertices1 == NULL ? body->vertexCount : 0; }

static brinkFeature featureOf(uint32_t kind, const uint32_t vertices[3]) {
  return (brinkFeature){.kind = kind, .vertex = {vertices[0], vertices[1], vertices[2]}};
}

static void fillContact(brinkLinearContact *out, const brinkPairResult *result) {
  *out = (brinkLinearContact){.structSize = sizeof *out,
                              .state = (uint32_t)result->state,
                              .toi = result->toi,
                              .toiUpper = result->toiUpper,
                              .distance = result->distance,
                              .pointA = result->pointA,
                              .pointB = result->pointB,
                              .normal = result->normal,
                              .normalVelocity = result->normalVelocity,
                              .featureA = featureOf(result->kindA, result->featureA),
                              .featureB = featureOf(result->kindB, result->featureB),
                              .simplexA = result->pieceA,
                              .simplexB = result->pieceB,
                              .iterations = result->iterations};
}

static brinkStatus askPair(brinkWorld *world, const brinkLinearBody *a, const brinkLinearBody *b,
                           const brinkLinearQuery *query, brinkLinearContact *out) {
  brinkContext *context = &world->context;
  brinkStatus status = checkGiven(context, a, "a");
  if (status == brink_ok) status = checkGiven(context, b, "b");
  if (status == brink_ok) status = checkAsked(context, query, out);
  if (status == brink_ok) status = reserve(world, mappedCount(a) + mappedCount(b));
  if (status != brink_ok) return status;
  brinkAffineBody bodyA, bodyB;
  status = makeBody(context, a, world->affineVertices, "a", &bodyA);
  double *rest = mappedCount(a) > 0 ? world->affineVertices + 6 * mappedCount(a) : world->affineVertices;
  if (status == brink_ok) status = makeBody(context, b, rest, "b", &bodyB);
  if (status != brink_ok) return status;
  double travel = travelOf(&bodyA) + travelOf(&bodyB);
  double tolerance = toleranceOf(query, brinkAffineBody_Size(&bodyA), brinkAffineBody_Size(&bodyB), travel);
  const brinkAffineQuery asked = {
      .tStart = query->tStart, .tEnd = query->tEnd, .tolerance = tolerance, .maxIterations = query->maxIterations};
  brinkPairResult result;
  status = brinkAffine_FirstContact(context, world->affine, &bodyA, &bodyB, &asked, &result);
  if (status == brink_ok) fillContact(out, &result);
  return status;
}

/* Which of two parts' answers counts? An unresolved one hides every contact after its prefix. */
static bool counts(const brinkPairResult *one, const brinkPairResult *other) {
  if (one->state == brink_free || other->state == brink_free) return one->state != brink_free;
  if (one->toi != other->toi) return one->toi < other->toi;
  return one->state == brink_overlap || (one->state == brink_unresolved && other->state == brink_hit);
}

/* All parts of the collider; the first contact shortens the question for those after it. */
static brinkStatus askParts(brinkWorld *world, const brinkAffineBody *a, const brinkWorldCollider *collider,
                            const brinkLinearQuery *query, brinkPairResult *best) {
  const brinkMotionTree tree = {.links = world->links, .linkCount = (int32_t)world->linkCount};
  double sizeA = brinkAffineBody_Size(a), travel = travelOf(a), bound = INFINITY;
  brinkAffineQuery asked = {.tStart = query->tStart, .tEnd = query->tEnd, .maxIterations = query->maxIterations};
  *best = (brinkPairResult){.state = brink_free, .toi = BRINK_NO_TIME, .toiUpper = BRINK_NO_TIME};
  uint64_t iterations = 0;
  for (uint32_t part = 0; part < collider->partCount; ++part) {
    const brinkCollider side = brinkWorld_ColliderPart(world, collider, part);
    double size = isfinite(side.shape->boundRadius) ? brinkLength(side.shape->obb.half) : 0.0;
    asked.tolerance = toleranceOf(query, sizeA, size, travel);
    brinkPairResult one;
    brinkStatus status = brinkAffine_FirstContactCarried(&world->context, world->affine, a, &tree, &side, &asked, &one);
    if (status != brink_ok) return status;
    iterations += one.iterations;
    if (one.state == brink_free) {
      bound = fmin(bound, one.distance);
    } else {
      asked.tEnd = fmax(asked.tStart, fmin(asked.tEnd, one.toi));
    }
    if (part == 0 || counts(&one, best)) *best = one;
  }
  if (best->state == brink_free) best->distance = bound;
  best->iterations = iterations;
  return brink_ok;
}

static brinkStatus askCollider(brinkWorld *world, const brinkLinearBody *a, brinkColliderId b,
                               const brinkLinearQuery *query, brinkLinearContact *out) {
  brinkContext *context = &world->context;
  void *item;
  brinkStatus status = checkGiven(context, a, "a");
  if (status == brink_ok) status = brinkWorld_Get(world, &world->colliders, b, "b", &item);
  if (status == brink_ok) status = checkAsked(context, query, out);
  if (status == brink_ok) status = brinkWorld_Synchronise(world);
  if (status == brink_ok) status = reserve(world, mappedCount(a));
  if (status != brink_ok) return status;
  brinkAffineBody bodyA;
  status = makeBody(context, a, world->affineVertices, "a", &bodyA);
  if (status != brink_ok) return status;
  brinkPairResult result;
  status = askParts(world, &bodyA, item, query, &result);
  if (status == brink_ok && world->pathFailed)
    status = brinkFail(context, brink_errorBadValue, "a host's motion (poseAt) gave a pose that is not finite");
  world->pathFailed = false;
  if (status == brink_ok) fillContact(out, &result);
  return status;
}

static brinkStatus firstContact(brinkWorld *world, const brinkLinearBody *a, const brinkLinearBody *b,
                                const brinkLinearQuery *query, brinkLinearContact *out) {
  BRINK_GUARDED(world, askPair(world, a, b, query, out));
}

static brinkStatus firstContactWithCollider(brinkWorld *world, const brinkLinearBody *a, brinkColliderId b,
                                            const brinkLinearQuery *query, brinkLinearContact *out) {
  BRINK_GUARDED(world, askCollider(world, a, b, query, out));
}

void brinkLinear_Destroy(brinkWorld *world) {
  if (world->affine != NULL) brinkAffineScratch_Destroy(&world->context, world->affine);
  brinkRelease(&world->context, world->affineVertices, world->affineCapacity * sizeof *world->affineVertices);
}

const void *brinkLinear_Table(void) {
  static const brinkLinearTable table = {.structSize = sizeof(brinkLinearTable),
                                         .firstContact = firstContact,
                                         .firstContactWithCollider = firstContactWithCollider};
  return &table;
}
