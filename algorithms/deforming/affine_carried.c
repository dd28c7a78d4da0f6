/* SPDX-License-Identifier: BSD-3-Clause */
/* When does a body whose vertices move on straight lines first touch a collider that links carry? Three ways, by what
 * the collider is:
 * - Vertices (meshes, hulls, boxes, capsules, spheres, segments, points): on a short cell [l,u] of time each vertex is
 * close to the chord of its path, so the collider is a linear body too, known up to an error.
 * - A half-space: its distance from each vertex is one function of time, close to its own chord.
 * - Curved pieces (cylinders, support functions): advancement along the closest direction, simplex by simplex.
 * Errors count against both answers: a cell is proven free, or free up to a time from which a shorter one starts; a
 * contact is believed when four times the error is within the tolerance.
 *
 * Based on: |f(t) - chord(t)| <= min((u-l)^2 max|f''| / 8, (u-l) max|f'| / 2); speeds and accelerations from
 * brinkMotionTree_Rate (theory D2.4c); safe steps: motion_bound.h, where A's piece counts as moving along n as
 * fast as its fastest vertex does. Half-space N(t).(x(t) - P(t)) <= o, with |N'| <= W, |N''| <= W2, |P'| <= v, |P''| <=
 * v2 and |x'| constant: |g'| <= W |x - P| + |x'| + v,   |g''| <= W2 |x - P| + 2 W (|x'| + v) + v2. Units: m, step time.
 */
#include "affine_motion.h"
#include "gjk.h"
#include "interval.h"

#define DEFAULT_ITERATIONS 1000000u
#define RAISE (1.0 + 16.0 * DBL_EPSILON)

/* One question; what all three ways share. */
typedef struct carriedSearch {
  brinkContext *context;
  brinkAffineScratch *scratch;
  const brinkAffineBody *a;
  const brinkMotionTree *tree;
  const brinkCollider *b;
  const brinkAffineQuery *query;
  brinkPairResult *result;
  uint64_t most, done;
  double speed; /* of A's fastest vertex, rounded up; m per step */
} carriedSearch;

static double fastestVertex(const brinkAffineBody *body) {
  double speed = 0.0;
  for (size_t i = 0; i < body->vertexCount; ++i) {
    brinkVec3 p = brinkV3_FromArray(body->start + 3 * i), q = brinkV3_FromArray(body->end + 3 * i);
    speed = fmax(speed, brinkLengthBound(brinkSub(q, p)));
  }
  return speed * RAISE;
}

static void answerUnresolved(carriedSearch *s, double toi) {
  *s->result =
      (brinkPairResult){.state = brink_unresolved, .toi = toi, .toiUpper = BRINK_NO_TIME, .iterations = s->done};
}

static void answerFree(carriedSearch *s, double bound) {
  *s->result = (brinkPairResult){.state = brink_free,
                                 .toi = BRINK_NO_TIME,
                                 .toiUpper = BRINK_NO_TIME,
                                 .distance = isfinite(bound) ? fmax(0.0, bound) : 0.0,
                                 .iterations = s->done};
}

/* End of a cell that begins at l: velocities do not jump inside. */
static double cellEnd(const carriedSearch *s, double l, double step) {
  double end = l + step >= s->query->tEnd ? s->query->tEnd : l + step;
  return brinkMotionTree_NextBreak(s->tree, s->b->link, l, end);
}

/* The link's frame at t, bounds over [t, u]; all 0 for what does not move. */
static void linkRate(const carriedSearch *s, double t, double u, brinkLinkRate *rate) {
  memset(rate, 0, sizeof *rate);
  rate->pose = brinkIdentityRigid();
  if (s->b->link >= 0) brinkMotionTree_Rate(s->tree, s->b->link, -1, t, u, rate);
}

/* How far a function can be from its chord over a time h. */
static double chordError(double first, double second, double h) {
  return fmin(0.125 * h * h * second, 0.5 * h * first) * RAISE; /* fmin passes over a NaN: 0 times an unknown bound */
}

/* Length of the next cell when one with this error met something at distance d. */
static double shorterStep(double length, double d, double fuzz) {
  return length * (d > 0.0 ? fmin(0.5, fmax(0.1, sqrt(0.5 * d / fuzz))) : 0.35);
}

/* ---- colliders with vertices */

typedef struct shapeGeometry {
  const double *vertices; /* [vertexCount][3], shape frame; NULL: a box's corners */
  size_t vertexCount;
  const uint32_t *simplices;
  size_t simplexCount;
  const uint32_t *vertexIds; /* NULL: the index is the id */
  uint32_t flags;
  double radius; /* m */
} shapeGeometry;

static shapeGeometry describeShape(const brinkShape *shape) {
  static const uint32_t segment[3] = {0, 1, 1};
  const brinkPiece *piece = &shape->piece;
  shapeGeometry g = {.flags = BRINK_MESH_CONVEX, .radius = piece->radius};
  if (shape->tree != NULL) {
    brinkMeshView mesh = brinkHullTree_Mesh(shape->tree);
    g.vertices = mesh.vertices;
    g.vertexCount = mesh.vertexCount;
    g.simplices = mesh.indices;
    g.simplexCount = mesh.triangleCount;
    g.flags = shape->flags & BRINK_MESH_SOLID;
  } else if (piece->kind == brink_piecePoints) {
    g.vertices = piece->vertices;
    g.vertexCount = piece->count;
    g.vertexIds = piece->vertexIds;
    if (piece->count == 2) {
      g.flags = 0;
      g.simplices = segment;
      g.simplexCount = 1;
    }
  } else {
    g.vertexCount = 8;
  }
  return g;
}

/* The collider as a linear body on one cell. */
typedef struct carriedShape {
  const double *vertices;
  size_t vertexCount;
  double reach;        /* of the vertices from the shape's origin, rounded up */
  double *start, *end; /* [vertexCount][3], world */
} carriedShape;

static void placeVertices(const carriedShape *c, const brinkRigid *pose, double *out) {
  for (size_t i = 0; i < c->vertexCount; ++i) {
    brinkVec3 p = brinkApply(pose, brinkV3_FromArray(c->vertices + 3 * i));
    out[3 * i] = p.x, out[3 * i + 1] = p.y, out[3 * i + 2] = p.z;
  }
}

/* Rounding of composing a rigid map and applying it: three dot products of three terms and an addition, twice. */
static double placingError(const carriedSearch *s, const brinkLinkRate *rate, double reach) {
  double arm = brinkLength(s->b->local.p) + reach;
  return (rate->poseError + rate->poseErrorSlope * arm + 48.0 * DBL_EPSILON * (brinkLength(rate->pose.p) + arm)) *
         RAISE;
}

/* Vertices at both ends of [l,u]; returns how far the true ones can be from the lines between them. *least: the part of
 * it that a shorter cell would keep. */
static double placeOn(const carriedSearch *s, const carriedShape *c, double l, double u, double *least) {
  brinkLinkRate first, last;
  linkRate(s, l, u, &first);
  linkRate(s, u, u, &last);
  brinkRigid from = brinkCompose(&first.pose, &s->b->local), to = brinkCompose(&last.pose, &s->b->local);
  placeVertices(c, &from, c->start);
  placeVertices(c, &to, c->end);
  double arm = (brinkLength(s->b->local.p) + c->reach) * RAISE;
  *least = fmax(placingError(s, &first, c->reach), placingError(s, &last, c->reach));
  return chordError(first.speedBase + first.speedSlope * arm, first.accelBase + first.accelSlope * arm, u - l) + *least;
}

static void restrictBody(const brinkAffineBody *body, double l, double u, double *start, double *end) {
  for (size_t i = 0; i < 3 * body->vertexCount; ++i) {
    start[i] = (1.0 - l) * body->start[i] + l * body->end[i];
    end[i] = (1.0 - u) * body->start[i] + u * body->end[i];
  }
}

/* The answer of one cell in the times of the step. */
static void mapTimes(brinkPairResult *result, double l, double u) {
  double length = u - l;
  result->toi = result->toi > 0.0 ? fmax(l, brinkDown(l + result->toi * length)) : l;
  if (result->toiUpper <= 1.0)
    result->toiUpper = result->toiUpper > 0.0 ? fmin(u, brinkUp(l + result->toiUpper * length)) : l;
  result->normalVelocity = length > 0.0 ? result->normalVelocity / length : 0.0;
}

static brinkStatus againstVertices(carriedSearch *s) {
  const brinkAffineBody *a = s->a;
  const brinkAffineQuery *query = s->query;
  brinkPairResult *result = s->result;
  shapeGeometry g = describeShape(s->b->shape);
  double *arrays;
  brinkStatus status =
      brinkAffineScratch_Reserve(s->context, s->scratch, 6 * a->vertexCount + 6 * g.vertexCount, &arrays);
  if (status != brink_ok) return status;
  double corners[24], *ownStart = arrays, *ownEnd = ownStart + 3 * a->vertexCount;
  carriedShape c = {.vertices = g.vertices, .vertexCount = g.vertexCount, .start = ownEnd + 3 * a->vertexCount};
  c.end = c.start + 3 * g.vertexCount;
  if (c.vertices == NULL) {
    for (uint32_t i = 0; i < 8; ++i) {
      brinkVec3 p = brinkPiece_Vertex(&s->b->shape->piece, i);
      corners[3 * i] = p.x, corners[3 * i + 1] = p.y, corners[3 * i + 2] = p.z;
    }
    c.vertices = corners;
  }
  for (size_t i = 0; i < c.vertexCount; ++i)
    c.reach = fmax(c.reach, brinkLengthBound(brinkV3_FromArray(c.vertices + 3 * i)));
  brinkAffineBody own = *a, other = {.start = c.start,
                                     .end = c.end,
                                     .vertexCount = g.vertexCount,
                                     .simplices = g.simplices,
                                     .simplexCount = g.simplexCount,
                                     .flags = g.flags,
                                     .radius = g.radius};
  own.start = ownStart;
  own.end = ownEnd;
  own.error = a->error + 8.0 * DBL_EPSILON * brinkAffineBody_Magnitude(a);
  double l = query->tStart, step = query->tEnd - l, bound = INFINITY;
  for (;;) {
    double u = cellEnd(s, l, step), length = u - l, least;
    restrictBody(a, l, u, ownStart, ownEnd);
    other.error = placeOn(s, &c, l, u, &least);
    double fuzz = 4.0 * (own.error + other.error);
    bool sharp = fuzz <= query->tolerance;
    const brinkAffineQuery part = {.tEnd = u > l ? 1.0 : 0.0,
                                   .tolerance = fmax(query->tolerance, fuzz),
                                   .maxIterations = s->most > s->done ? s->most - s->done : 1,
                                   .prefixOnly = !sharp};
    status = brinkAffine_FirstContact(s->context, s->scratch, &own, &other, &part, result);
    if (status != brink_ok) return status;
    s->done += result->iterations + 1;
    result->iterations = s->done;
    /* what is inside at the start is known now; later it would have to cross the surface */
    bool contained = result->state == brink_overlap && result->kindA == 0;
    own.flags &= ~(uint32_t)BRINK_MESH_SOLID;
    other.flags &= ~(uint32_t)BRINK_MESH_SOLID;
    if (result->state == brink_free) {
      bound = fmin(bound, result->distance);
      if (u >= query->tEnd) {
        answerFree(s, bound);
        return brink_ok;
      }
      l = u;
      step = 2.0 * length;
      if (s->done < s->most) continue;
      answerUnresolved(s, l);
      return brink_ok;
    }
    mapTimes(result, l, u);
    if (sharp || contained) {
      if (result->state == brink_overlap && l > query->tStart) result->state = brink_hit;
      for (uint32_t i = 0; g.vertexIds != NULL && i < result->kindB; ++i)
        result->featureB[i] = g.vertexIds[result->featureB[i]];
      return brink_ok;
    }
    /* Free up to here; the rest needs a shorter chord. */
    l = result->toi;
    step = shorterStep(length, result->distance, fuzz);
    if (s->done < s->most && 4.0 * (own.error + least) <= query->tolerance && l + step > l) continue;
    answerUnresolved(s, l);
    return brink_ok;
  }
}

/* ---- a half-space */

/* The vertices that count, in turn: all of a convex body, else those of the simplices. */
static size_t cornerCount(const brinkAffineBody *body) {
  return (body->flags & BRINK_MESH_CONVEX) != 0 ? body->vertexCount : 3 * body->simplexCount;
}
static size_t cornerVertex(const brinkAffineBody *body, size_t corner) {
  return (body->flags & BRINK_MESH_CONVEX) != 0 ? corner : body->simplices[corner];
}

static brinkVec3 vertexAt(const brinkAffineBody *body, size_t vertex, double t) {
  const double *p = body->start + 3 * vertex, *q = body->end + 3 * vertex;
  return brinkV3((1.0 - t) * p[0] + t * q[0], (1.0 - t) * p[1] + t * q[1], (1.0 - t) * p[2] + t * q[2]);
}

/* The half-space n.(x - p) <= offset at one time. */
typedef struct placedPlane {
  brinkVec3 n, p; /* p: origin of the link */
  double offset;  /* A's radius and the plane's margin included */
} placedPlane;

static placedPlane placePlane(const carriedSearch *s, const brinkLinkRate *rate) {
  const brinkPiece *piece = &s->b->shape->piece;
  brinkVec3 n = brinkMulMV(&s->b->local.r, piece->normal);
  return (placedPlane){.n = brinkMulMV(&rate->pose.r, n),
                       .p = rate->pose.p,
                       .offset = piece->offset + brinkDot(n, s->b->local.p) + piece->radius + s->a->radius};
}

static double heightOver(const placedPlane *plane, brinkVec3 x) {
  return brinkDot(plane->n, brinkSub(x, plane->p)) - plane->offset;
}

static void describePlaneContact(carriedSearch *s, size_t corner, double t) {
  brinkLinkRate rate;
  linkRate(s, t, t, &rate);
  placedPlane plane = placePlane(s, &rate);
  size_t vertex = cornerVertex(s->a, corner);
  brinkVec3 x = vertexAt(s->a, vertex, t), p = brinkV3_FromArray(s->a->start + 3 * vertex);
  brinkVec3 velocity = brinkSub(brinkV3_FromArray(s->a->end + 3 * vertex), p), arm = brinkSub(x, plane.p);
  brinkVec3 material = brinkAdd(rate.velocity, brinkCross(rate.omega, arm)); /* of the half-space, there */
  brinkPairResult *result = s->result;
  result->distance = heightOver(&plane, x);
  result->normal = brinkNeg(plane.n);
  result->pointA = brinkMulAdd(x, -s->a->radius, plane.n);
  result->pointB = brinkMulAdd(result->pointA, -result->distance, plane.n);
  result->normalVelocity = brinkDot(plane.n, brinkSub(velocity, material));
  result->kindA = 1;
  result->featureA[0] = (uint32_t)vertex;
  result->kindB = 3;
  if ((s->a->flags & BRINK_MESH_CONVEX) == 0) result->pieceA = (uint32_t)(corner / 3);
}

static void againstPlane(carriedSearch *s) {
  const brinkAffineBody *a = s->a;
  const brinkAffineQuery *query = s->query;
  double l = query->tStart, step = query->tEnd - l, bound = INFINITY;
  for (;;) {
    double u = cellEnd(s, l, step), length = u - l;
    brinkLinkRate first, last;
    linkRate(s, l, u, &first);
    linkRate(s, u, u, &last);
    placedPlane from = placePlane(s, &first), to = placePlane(s, &last);
    double furthest = 0.0;
    for (size_t i = 0; i < cornerCount(a); ++i)
      furthest = fmax(furthest, brinkLengthBound(brinkSub(vertexAt(a, cornerVertex(a, i), l), from.p)));
    double closing = s->speed + first.speedBase, away = (furthest + closing * length) * RAISE;
    double slope = first.speedSlope * away + closing;
    double curvature = first.accelSlope * away + 2.0 * first.speedSlope * closing + first.accelBase;
    double size = brinkAffineBody_Magnitude(a) + brinkLength(from.p) + brinkLength(to.p) + away + fabs(from.offset) +
                  brinkLength(s->b->local.p);
    double least = a->error + 48.0 * DBL_EPSILON * size +
                   fmax(first.poseError + first.poseErrorSlope * away, last.poseError + last.poseErrorSlope * away);
    double error = least + chordError(slope, curvature, length), fuzz = 4.0 * error;
    bool sharp = fuzz <= query->tolerance;
    /* Above error a vertex is free; sharp: below the tolerance less error it is in contact. */
    double aim = sharp ? 0.5 * query->tolerance : 2.0 * error, toi = INFINITY, lowest = INFINITY, met = INFINITY;
    size_t which = 0;
    for (size_t i = 0; i < cornerCount(a); ++i) {
      size_t vertex = cornerVertex(a, i);
      double high = heightOver(&from, vertexAt(a, vertex, l)), low = heightOver(&to, vertexAt(a, vertex, u));
      lowest = fmin(lowest, fmin(high, low));
      if (high > aim && !(low < aim)) continue;
      double t = high > aim ? fmin(u, fmax(l, brinkDown(l + length * ((high - aim) / (high - low))))) : l;
      if (t > toi || (t == toi && !(high < met))) continue;
      toi = t;
      met = high;
      which = i;
    }
    s->done += 1;
    if (!isfinite(toi)) {
      bound = fmin(bound, lowest - error);
      if (u >= query->tEnd) {
        answerFree(s, bound);
        return;
      }
      l = u;
      step = 2.0 * length;
      if (s->done < s->most) continue;
      answerUnresolved(s, l);
      return;
    }
    if (sharp) {
      bool atStart = toi <= query->tStart && met - error <= 0.0;
      *s->result = (brinkPairResult){
          .state = atStart ? brink_overlap : brink_hit, .toi = toi, .toiUpper = toi, .iterations = s->done};
      describePlaneContact(s, which, toi);
      return;
    }
    l = toi;
    step = shorterStep(length, met, fuzz);
    if (s->done < s->most && 4.0 * least <= query->tolerance && l + step > l) continue;
    answerUnresolved(s, l);
    return;
  }
}

/* ---- a curved convex piece */

enum { FEW_POINTS = 3 };

/* A's piece at one time, and as a moving piece along one direction. */
typedef struct placedSimplex {
  const brinkAffineBody *body;
  const uint32_t *ids; /* [count], or NULL = all vertices */
  uint32_t count;
  double *points; /* [count][3] */
  brinkPiece piece;
} placedSimplex;

static void placeSimplex(placedSimplex *p, double t) {
  brinkVec3 centre = {0, 0, 0};
  for (uint32_t i = 0; i < p->count; ++i) {
    brinkVec3 x = vertexAt(p->body, p->ids != NULL ? p->ids[i] : i, t);
    p->points[3 * i] = x.x, p->points[3 * i + 1] = x.y, p->points[3 * i + 2] = x.z;
    centre = brinkMulAdd(centre, 1.0 / p->count, x);
  }
  p->piece = (brinkPiece){.kind = brink_piecePoints,
                          .count = p->count,
                          .vertices = p->points,
                          .center = centre,
                          .boundRadius = brinkMakeBallRadius(p->points, NULL, p->count, centre),
                          .radius = p->body->radius};
}

/* As far as n is concerned the piece moves with its fastest vertex. */
static brinkLinkRate rateAlong(const placedSimplex *p, brinkVec3 n, double speed, double window) {
  double fastest = -INFINITY;
  for (uint32_t i = 0; i < p->count; ++i) {
    size_t vertex = p->ids != NULL ? p->ids[i] : i;
    brinkVec3 from = brinkV3_FromArray(p->body->start + 3 * vertex), to = brinkV3_FromArray(p->body->end + 3 * vertex);
    fastest = fmax(fastest, brinkDot(n, brinkSub(to, from)));
  }
  brinkLinkRate rate;
  memset(&rate, 0, sizeof rate);
  rate.pose = brinkIdentityRigid();
  rate.velocity = rate.rootVelocity = brinkScale(n, fastest);
  rate.speedBase = speed;
  rate.velocityError = 16.0 * DBL_EPSILON * speed;
  rate.window = window;
  return rate;
}

/* One piece of A against B's, free up to `until` or better. */
static void advanceSimplex(carriedSearch *s, placedSimplex *p, double until, brinkPairResult *out) {
  const brinkAffineQuery *query = s->query;
  const brinkPiece *piece = &s->b->shape->piece;
  const brinkRigid here = brinkIdentityRigid();
  const brinkGjkLimits limits = {
      .relative = 1e-3, .absolute = 0.05 * query->tolerance, .enoughLower = INFINITY, .enoughUpper = -1.0};
  brinkSeparation separation = {0};
  memset(out, 0, sizeof *out);
  out->distance = INFINITY;
  for (double t = query->tStart;;) {
    double end = brinkMotionTree_NextBreak(s->tree, s->b->link, t, until);
    brinkLinkRate rate;
    linkRate(s, t, end, &rate);
    brinkRigid pose = brinkCompose(&rate.pose, &s->b->local);
    placeSimplex(p, t);
    brinkGjk(&p->piece, &here, piece, &pose, &limits, &separation.simplex, &separation);
    ++s->done;
    double reach = brinkLength(piece->center) + piece->boundRadius + piece->radius;
    double error =
        p->body->error + placingError(s, &rate, reach) + 8.0 * DBL_EPSILON * brinkLengthBound(p->piece.center);
    double lower = separation.lower - error, upper = separation.upper + error;
    if (upper <= query->tolerance) {
      out->state = t > query->tStart || lower > 0.0 ? brink_hit : brink_overlap;
      out->toi = out->toiUpper = t;
      out->distance = separation.overlap ? fmin(0.0, separation.lower) : separation.upper;
      out->pointA = separation.pointA;
      out->pointB = separation.pointB;
      out->normal = separation.normal;
      brinkVec3 arm = brinkSub(separation.pointB, rate.pose.p);
      brinkVec3 material = brinkAdd(rate.velocity, brinkCross(rate.omega, arm));
      brinkLinkRate own = rateAlong(p, separation.normal, s->speed, 0.0);
      out->normalVelocity = brinkDot(separation.normal, brinkSub(material, own.velocity));
      brinkWitnessFeatures(&p->piece, piece, &separation, &out->kindA, out->featureA, &out->kindB, out->featureB);
      for (uint32_t i = 0; p->ids != NULL && i < out->kindA; ++i) out->featureA[i] = p->ids[out->featureA[i]];
      return;
    }
    if (t >= until) {
      out->state = lower > 0.0 ? brink_free : brink_unresolved;
      out->toi = t;
      out->distance = fmin(out->distance, lower);
      return;
    }
    /* down to a quarter of the tolerance, so that the last step ends in contact and not before it */
    double keep = 0.25 * query->tolerance, gap = lower - keep;
    brinkLinkRate own = rateAlong(p, separation.normal, s->speed, end - t);
    const brinkMovingPiece movingA = {&p->piece, here, &own}, movingB = {piece, s->b->local, &rate};
    double step = gap > 0.0 ? brinkSafeStep(&movingA, &movingB, separation.normal, gap, false) : 0.0;
    double next = t + step >= end ? end : t + step;
    if (!(next > t) || s->done >= s->most) {
      out->state = brink_unresolved;
      out->toi = t;
      return;
    }
    out->distance = fmin(out->distance, keep);
    if (next >= end && gap > 0.0 && t == query->tStart) {
      /* the first step reached the end: what is left of the gap is more than `keep` */
      brinkLinkRate rest;
      memset(&rest, 0, sizeof rest);
      rest.pose = here;
      const brinkMovingPiece resting = {&p->piece, here, &rest};
      double travel = brinkClosingBound(&resting, &movingB, end - t) + s->speed * (end - t);
      out->distance = fmax(keep, (lower - travel) * (1.0 - 16.0 * DBL_EPSILON));
    }
    t = next;
    if (t >= until) {
      out->state = brink_free;
      out->toi = t;
      return;
    }
  }
}

static brinkStatus againstCurved(carriedSearch *s) {
  const brinkAffineBody *a = s->a;
  bool convex = (a->flags & BRINK_MESH_CONVEX) != 0;
  size_t pieces = convex ? 1 : a->simplexCount;
  placedSimplex p = {.body = a};
  brinkStatus status =
      brinkAffineScratch_Reserve(s->context, s->scratch, 3 * (convex ? a->vertexCount : FEW_POINTS), &p.points);
  if (status != brink_ok) return status;
  double bound = INFINITY, unresolved = INFINITY, until = s->query->tEnd;
  brinkPairResult best = {.toi = INFINITY}, one;
  for (size_t i = 0; i < pieces; ++i) {
    const uint32_t *given = a->simplices + 3 * i;
    uint32_t ids[3] = {0, 0, 0};
    p.count = (uint32_t)a->vertexCount;
    if (!convex) {
      ids[0] = given[0];
      p.count = 1;
      if (given[1] != ids[0]) ids[p.count++] = given[1];
      if (given[2] != ids[0] && given[2] != ids[p.count - 1]) ids[p.count++] = given[2];
      p.ids = ids;
    }
    if (s->done >= s->most) {
      unresolved = s->query->tStart;
      break;
    }
    advanceSimplex(s, &p, until, &one);
    if (one.state == brink_unresolved) unresolved = fmin(unresolved, one.toi);
    if (one.state == brink_free) bound = fmin(bound, one.distance);
    if (one.state != brink_hit && one.state != brink_overlap) continue;
    if (one.toi < best.toi || (one.toi == best.toi && one.state > best.state)) {
      best = one;
      best.pieceA = (uint32_t)i;
      until = fmin(until, one.toi);
    }
  }
  if (unresolved < best.toi) {
    answerUnresolved(s, unresolved);
  } else if (isfinite(best.toi)) {
    *s->result = best;
    s->result->iterations = s->done;
  } else {
    answerFree(s, bound);
  }
  return brink_ok;
}

/* ---- public */

brinkStatus brinkAffine_FirstContactCarried(brinkContext *context, brinkAffineScratch *scratch,
                                            const brinkAffineBody *a, const brinkMotionTree *tree,
                                            const brinkCollider *b, const brinkAffineQuery *query,
                                            brinkPairResult *result) {
  brinkStatus status = brinkCheckAffineQuery(context, query);
  if (status != brink_ok) return status;
  carriedSearch s = {.context = context,
                     .scratch = scratch,
                     .a = a,
                     .tree = tree,
                     .b = b,
                     .query = query,
                     .result = result,
                     .most = query->maxIterations != 0 ? query->maxIterations : DEFAULT_ITERATIONS,
                     .speed = fastestVertex(a)};
  switch (b->shape->piece.kind) {
    case brink_pieceHalfSpace:
      againstPlane(&s);
      return brink_ok;
    case brink_piecePoints:
    case brink_pieceBox:
      return againstVertices(&s);
    default:
      return againstCurved(&s);
  }
}
