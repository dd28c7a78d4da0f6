/* SPDX-License-Identifier: BSD-3-Clause */
/* Is the lower bound that GJK tells really below the separation? Referee: the support gap along the normal it names,
 * and for few points the distance of all their triangles, in quadruple precision, of the very numbers that GJK was
 * given. Pieces of all kinds, sizes up to 1e6 apart, up to 1e9 m from the frame's origin, from deep to far, nearly
 * touching most of all; loose and tight limits, warm starts of other pairs, edges of hulls that lead nowhere. Units: m.
 */
#include "cases.h"
#include <stdlib.h>

#include "make_shape.h"
#include "piece_support.h"

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
typedef long double quad; /* where it has 113 bits, too: Arm, WebAssembly */
#endif
typedef struct quad3 {
  quad x[3];
} quad3;

static quad3 minus(quad3 a, quad3 b) { return (quad3){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}}; }
static quad3 plus(quad3 a, quad s, quad3 b) {
  return (quad3){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}
static quad dot(quad3 a, quad3 b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static quad3 cross(quad3 a, quad3 b) {
  return (quad3){
      {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
static quad size(quad q) { return q < 0 ? -q : q; }
static quad root(quad q) { /* Newton from the double's */
  if (!(q > 0)) return 0;
  quad r = (quad)sqrt((double)q);
  for (int i = 0; i < 3; ++i) r = (r + q / r) / 2;
  return r;
}
static quad3 widened(brinkVec3 v) { return (quad3){{(quad)v.x, (quad)v.y, (quad)v.z}}; }

/* The pose is what its numbers say, orthonormal or not. */
static quad3 placedAt(const brinkRigid *pose, quad3 v) {
  quad3 out = widened(pose->p);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out.x[i] += (quad)pose->r.m[i][k] * v.x[k];
  return out;
}
static quad3 seenFrom(const brinkRigid *pose, quad3 n) {
  quad3 out = {{0, 0, 0}};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out.x[i] += (quad)pose->r.m[k][i] * n.x[k];
  return out;
}

/* ---- pieces */

enum { few, corners, climbed, lost, box, cylinder, function, plane, kinds }; /* lost: no edge of its graph is known */
static const uint32_t noEdges[101];

typedef struct body {
  int kind;
  brinkPiece piece;
  brinkShape *shape; /* of corners and climbed */
  double points[12];
  brinkSupportSource source;
  brinkRigid pose;
  double ball[4]; /* function: middle, and the radius that it tells of a ball of 1 m */
} body;

#define STATED 1e-3 /* m, so much is the ball told too small or too large */
static void ball(void *user, const double direction[3], double point[3]) {
  const double *middle = user;
  for (int i = 0; i < 3; ++i) point[i] = middle[i] + middle[3] * direction[i];
}

static void makeBody(brinkContext *context, dice *d, int kind, double scale, body *out) {
  memset(out, 0, sizeof *out);
  out->kind = kind;
  const brinkVec3 off = inCube(d, roll(d) % 2 ? scale : 0);
  if (out->kind == few) {
    const uint32_t count = 1 + (uint32_t)(roll(d) % 4);
    for (int i = 0; i < 12; ++i) out->points[i] = uniform(d, -scale, scale) + (&off.x)[i % 3];
    out->piece = brinkMakePointPiece(out->points, count, 0);
  } else if (out->kind == corners || out->kind == climbed || out->kind == lost) {
    double vertices[300];
    const uint32_t count = out->kind == corners ? 5 + (uint32_t)(roll(d) % 50) : 100;
    for (uint32_t i = 0; i < count; ++i) {
      const brinkVec3 v = brinkMulAdd(off, scale, brinkNormalizeOr(inCube(d, 1), brinkV3(1, 0, 0)));
      memcpy(&vertices[3 * i], &v, sizeof v);
    }
    const brinkMeshView mesh = {
        .structSize = sizeof mesh, .flags = BRINK_MESH_CONVEX, .vertices = vertices, .vertexCount = count};
    const brinkShapeSpec spec = {.type = brink_shapeHull, .mesh = &mesh};
    assert_int_equal(brinkCreateShape(context, &spec, &out->shape), brink_ok);
    out->piece = out->shape->piece;
    if (out->kind == lost) {
      out->piece.neighborStart = out->piece.neighbors = noEdges;
      out->piece.columns = NULL;
    }
  } else if (out->kind == box) {
    out->piece = boxPiece(brinkV3(scale * uniform(d, 0.1, 1), scale, scale * uniform(d, 0.1, 1)));
    out->piece.center = off;
  } else if (out->kind == cylinder) {
    out->piece = cylinderPiece(scale * uniform(d, 0.1, 1), scale);
    out->piece.center = off;
  } else if (out->kind == plane) {
    out->piece = halfSpacePiece(brinkNormalizeOr(inCube(d, 1), brinkV3(1, 0, 0)), uniform(d, -scale, scale));
  } else {
    memcpy(out->ball, &off, sizeof off);
    out->ball[3] = roll(d) % 2 ? 1 - STATED : 1 + STATED;
    out->source = (brinkSupportSource){ball, out->ball, brinkLength(off) + 1.01, STATED};
    out->piece = (brinkPiece){.kind = brink_pieceSupport, .boundRadius = 1.01, .center = off, .support = &out->source};
  }
  if (out->kind != function && roll(d) % 3 == 0) out->piece.radius = scale * uniform(d, 0, 1);
  out->pose = randomPose(d, 0);
}

/* max n.x over the body, n unit. */
static quad reachOf(const body *b, quad3 n) {
  const brinkPiece *piece = &b->piece;
  const quad3 m = seenFrom(&b->pose, n), center = widened(piece->center);
  const quad sweep = (quad)piece->radius, place = dot(widened(b->pose.p), n);
  if (b->kind == box)
    return place + sweep + dot(m, center) + size(m.x[0]) * (quad)piece->half.x + size(m.x[1]) * (quad)piece->half.y +
           size(m.x[2]) * (quad)piece->half.z;
  if (b->kind == cylinder)
    return place + sweep + dot(m, center) + root(m.x[0] * m.x[0] + m.x[1] * m.x[1]) * (quad)piece->half.x +
           size(m.x[2]) * (quad)piece->half.z;
  if (b->kind == plane) return place + sweep + (quad)piece->offset; /* n: its own */
  if (b->kind == function) return place + dot(m, center) + root(dot(m, m));
  quad most = -(quad)1e300;
  for (uint32_t i = 0; i < piece->count; ++i) {
    const quad value = dot(m, widened(brinkV3_FromArray(&piece->vertices[3 * (size_t)i])));
    if (value > most) most = value;
  }
  return place + sweep + most;
}

/* A half-space: along its own normal. */
static quad gapAlong(const body *a, const body *b, brinkVec3 normal) {
  quad3 n = widened(normal);
  if (b->kind == plane) n = minus(widened(b->pose.p), placedAt(&b->pose, widened(b->piece.normal)));
  const quad length = root(dot(n, n));
  for (int i = 0; i < 3; ++i) n.x[i] /= length;
  const quad3 back = {{-n.x[0], -n.x[1], -n.x[2]}};
  return -reachOf(b, back) - reachOf(a, n);
}

/* ---- distances of at most four points each: of all their triangles */

static void keepNearer(quad3 a, quad3 b, quad *best) {
  const quad3 between = minus(a, b);
  const quad square = dot(between, between);
  if (square < *best) *best = square;
}

static quad clamped(quad t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

static void pointAndTriangle(quad3 p, const quad3 t[3], quad *best) {
  for (int i = 0; i < 3; ++i) {
    const quad3 edge = minus(t[(i + 1) % 3], t[i]);
    const quad length = dot(edge, edge);
    keepNearer(p, plus(t[i], length > 0 ? clamped(dot(minus(p, t[i]), edge) / length) : 0, edge), best);
  }
  const quad3 u = minus(t[1], t[0]), v = minus(t[2], t[0]), w = minus(p, t[0]), n = cross(u, v);
  const quad area = dot(n, n);
  if (!(area > 0)) return;
  const quad s = dot(cross(w, v), n) / area, r = dot(cross(u, w), n) / area;
  if (s >= 0 && r >= 0 && s + r <= 1) keepNearer(p, plus(plus(t[0], s, u), r, v), best);
}

static void edges(quad3 a, quad3 b, quad3 c, quad3 e, quad *best) {
  const quad3 u = minus(b, a), v = minus(e, c), r = minus(c, a), n = cross(u, v);
  const quad area = dot(n, n);
  if (area > 0)
    keepNearer(plus(a, clamped(dot(cross(r, v), n) / area), u), plus(c, clamped(dot(cross(r, u), n) / area), v), best);
}

/* No less than the distance; the distance itself where the two do not overlap. */
static quad distanceOf(const body *a, const body *b) {
  quad best = (quad)1e300;
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t k = 0; k < 4; ++k) {
      quad3 t[2][3];
      for (uint32_t corner = 0; corner < 3; ++corner)
        for (int side = 0; side < 2; ++side) {
          const body *of = side ? b : a;
          const uint32_t at = ((side ? k : i) + 1 + corner) % 4 % of->piece.count;
          t[side][corner] = placedAt(&of->pose, widened(brinkV3_FromArray(&of->piece.vertices[3 * (size_t)at])));
        }
      for (int corner = 0; corner < 3; ++corner) {
        pointAndTriangle(t[0][corner], t[1], &best);
        pointAndTriangle(t[1][corner], t[0], &best);
        for (int other = 0; other < 3; ++other)
          edges(t[0][corner], t[0][(corner + 1) % 3], t[1][other], t[1][(other + 1) % 3], &best);
      }
    }
  return root(best) - (quad)a->piece.radius - (quad)b->piece.radius;
}

/* ---- cases */

/* Rounding may take 15.5 DBL_EPSILON of all sizes, as the top of gjk.c adds it up. It has never been seen to take 2: a
 * bound that is not LEFT below the gap was made with a margin that nobody proved. */
#define LEFT 12
static double sumOfSizes(const body *a, const body *b) {
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    const body *of = side ? b : a;
    sum += brinkLength(of->pose.p) + of->piece.radius;
    sum += of->kind == plane ? fabs(of->piece.offset) : brinkLength(of->piece.center) + of->piece.boundRadius;
  }
  return b->kind == plane ? 2 * sum : sum;
}

/* A pair `apart` along a direction that was drawn, both `away` from the frame's origin. */
static void placePair(dice *d, body *a, body *b, double apart, double away) {
  const brinkVec3 n = brinkNormalizeOr(inCube(d, 1), brinkV3(1, 0, 0)), far = inCube(d, away);
  a->pose.p = b->pose.p = far;
  const double gap = (double)gapAlong(a, b, n);
  b->pose.p = brinkMulAdd(b->pose.p, apart - gap, n);
}

CASE(lower_bounds_are_below_the_gap_along_their_normal) {
  brinkContext context;
  brinkInitContext(&context);
  brinkGjkCache last = {0};
  double least = INFINITY;
  const int rounds = getenv("BRINK_SOAK") ? 400000 : 8000;
  for (int i = 0; i < rounds; ++i) {
    dice d = {(uint64_t)i, (uint64_t)i};
    body a, b;
    makeBody(&context, &d, (int)(roll(&d) % plane), 1, &a);
    makeBody(&context, &d, (int)(roll(&d) % kinds), roll(&d) % 2 ? pow(10, uniform(&d, 0, 6)) : 1, &b);
    const double apart = roll(&d) % 4 ? pow(10, uniform(&d, -15, 0)) : uniform(&d, -0.5, 2);
    placePair(&d, &a, &b, apart, roll(&d) % 2 ? pow(10, uniform(&d, 0, 9)) : 0);
    const brinkGjkLimits limits = {.relative = roll(&d) % 2 ? 0.3 : 1e-13,
                                   .absolute = roll(&d) % 4 ? 0 : 0.1,
                                   .enoughLower = roll(&d) % 4 ? INFINITY : 0,
                                   .enoughUpper = roll(&d) % 4 ? -1 : 0.1,
                                   .maxIterations = roll(&d) % 4 ? 0 : 1 + (uint32_t)(roll(&d) % 4)};
    brinkSeparation out;
    brinkGjk(&a.piece, &a.pose, &b.piece, &b.pose, &limits, roll(&d) % 2 ? &last : NULL, &out);
    last = out.simplex;
    const quad gap = gapAlong(&a, &b, out.normal);
    const double above = out.overlap ? 2 * brinkPairRounding(&a.piece, &a.pose, &b.piece, &b.pose) : out.upper;
    CHECK((quad)out.lower <= gap && (quad)above >= gap, &d,
          "kinds %d and %d: bounds %.17g and %.17g, gap along the normal %.17g", a.kind, b.kind, out.lower, out.upper,
          (double)gap);
    const double margin = (double)(gap - (quad)out.lower) / (DBL_EPSILON * sumOfSizes(&a, &b));
    CHECK(margin >= LEFT, &d, "kinds %d and %d: a margin of %g", a.kind, b.kind, margin);
    least = fmin(least, margin);
    if (a.kind == few && b.kind == few && out.lower > 0) {
      const quad exact = distanceOf(&a, &b);
      CHECK((quad)out.lower <= exact, &d, "lower bound %.17g, distance %.17g", out.lower, (double)exact);
    }
    if (a.shape) brinkDestroyShape(&context, a.shape);
    if (b.shape) brinkDestroyShape(&context, b.shape);
  }
  print_message("below the gap by %.2f DBL_EPSILON of all sizes at least\n", least);
}

int main(void) { return cases_Run(NULL, NULL); }
