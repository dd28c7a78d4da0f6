/* SPDX-License-Identifier: BSD-3-Clause */
/* How good is the proven lower bound of a separation when one piece is much larger than the other? A normal that is off
 * by 1e-7 rad costs 1e-5 m over a box of 200 m, so a body of centimetres at rest on it could not be proved to be where
 * it is. Small pieces stand over a face or beside an edge of large ones, nearly flat or tilted, 1e-9 to 1 m away or
 * that deep; truth in closed form, in long double. Units: m, rad. */
#include "cases.h"
#include <stdlib.h>

#include "piece_support.h"
#include "make_shape.h"

#define ALLOWED 1e-9 /* of the smaller piece's smallest extent */

typedef long double real;
typedef struct wide {
  real x[3];
} wide;

static wide sub(wide a, wide b) { return (wide){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}}; }
static wide along(wide a, real s, wide b) {
  return (wide){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}
static real dot(wide a, wide b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }
static real norm(wide a) { return sqrtl(dot(a, a)); }
static wide cross(wide a, wide b) {
  return (wide){
      {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

typedef struct frame { /* a pose in long double; the columns of r made orthonormal */
  wide column[3], p;
} frame;

static frame frameOf(const brinkRigid *pose) {
  frame f;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) f.column[j].x[i] = pose->r.m[i][j];
  f.p = (wide){{pose->p.x, pose->p.y, pose->p.z}};
  return f;
}
static wide toWorld(const frame *f, wide v) {
  return along(along(along(f->p, v.x[0], f->column[0]), v.x[1], f->column[1]), v.x[2], f->column[2]);
}
static wide toLocal(const frame *f, wide v) {
  wide d = sub(v, f->p);
  return (wide){{dot(f->column[0], d), dot(f->column[1], d), dot(f->column[2], d)}};
}

/* ---- pieces and their truth: boxes, segments, cylinders; `round` is the sweep */

enum { smallBox, smallHull, smallCapsule, smallCylinder, smallKinds };
enum { largeBox, largeHull, largeCylinder, largeKinds };

typedef struct solid {
  int kind;
  real half[3]; /* box; cylinder: radius, -, half length; capsule: half[2] = half length */
  real round;
  frame at;
} solid;

static wide corner(const solid *s, int i) {
  return (wide){{i & 1 ? s->half[0] : -s->half[0], i & 2 ? s->half[1] : -s->half[1], i & 4 ? s->half[2] : -s->half[2]}};
}

static real pointToBox(const solid *box, wide p) {
  wide q = toLocal(&box->at, p);
  real square = 0;
  for (int i = 0; i < 3; ++i) {
    real d = fabsl(q.x[i]) - box->half[i];
    square += d > 0 ? d * d : 0;
  }
  return sqrtl(square);
}

static real pointToCylinder(const solid *c, wide p) {
  wide q = toLocal(&c->at, p);
  real out = sqrtl(q.x[0] * q.x[0] + q.x[1] * q.x[1]) - c->half[0], up = fabsl(q.x[2]) - c->half[2];
  out = out > 0 ? out : 0;
  up = up > 0 ? up : 0;
  return sqrtl(out * out + up * up);
}

static real segments(wide a, wide b, wide c, wide d) {
  wide u = sub(b, a), v = sub(d, c), ends[4] = {a, b, c, d};
  real best = INFINITY;
  for (int i = 0; i < 4; ++i) {
    wide from = i < 2 ? c : a, edge = i < 2 ? v : u;
    real length = dot(edge, edge), t = length > 0 ? dot(sub(ends[i], from), edge) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    best = fminl(best, norm(sub(ends[i], along(from, t, edge))));
  }
  wide n = cross(u, v), r = sub(c, a);
  real size = dot(n, n);
  if (!(size > 0)) return best;
  real s = dot(cross(r, v), n) / size, t = dot(cross(r, u), n) / size;
  if (s < 0 || s > 1 || t < 0 || t > 1) return best;
  return fminl(best, norm(sub(along(c, t, v), along(a, s, u))));
}

/* Edge e of a box: 4 along each axis. */
static void edgeOf(const solid *box, int e, wide *a, wide *b) {
  int axis = e / 4, one = (axis + 1) % 3, two = (axis + 2) % 3;
  int low = (e & 1 ? 1 << one : 0) | (e & 2 ? 1 << two : 0);
  *a = toWorld(&box->at, corner(box, low));
  *b = toWorld(&box->at, corner(box, low | 1 << axis));
}

static real boxToBox(const solid *a, const solid *b) {
  real best = INFINITY;
  for (int i = 0; i < 8; ++i) {
    best = fminl(best, pointToBox(b, toWorld(&a->at, corner(a, i))));
    best = fminl(best, pointToBox(a, toWorld(&b->at, corner(b, i))));
  }
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      wide p[4];
      edgeOf(a, i, &p[0], &p[1]);
      edgeOf(b, j, &p[2], &p[3]);
      best = fminl(best, segments(p[0], p[1], p[2], p[3]));
    }
  return best;
}

static real reachOf(const solid *s, wide n) { /* max n.x - n.p, n unit */
  real x = fabsl(dot(s->at.column[0], n)), y = fabsl(dot(s->at.column[1], n)), z = fabsl(dot(s->at.column[2], n));
  if (s->kind == smallCylinder + 10) return s->half[0] * sqrtl(x * x + y * y) + s->half[2] * z;
  return s->half[0] * x + s->half[1] * y + s->half[2] * z;
}

/* Signed separation of two boxes by separating axes: exact depth when they overlap. */
static real boxAxes(const solid *a, const solid *b) {
  real best = -INFINITY;
  for (int i = 0; i < 15; ++i) {
    wide n = i < 3   ? a->at.column[i]
             : i < 6 ? b->at.column[i - 3]
                     : cross(a->at.column[(i - 6) / 3], b->at.column[i % 3]);
    real length = norm(n);
    if (length < 1e-9L) continue;
    for (int k = 0; k < 3; ++k) n.x[k] /= length;
    best = fmaxl(best, fabsl(dot(n, sub(b->at.p, a->at.p))) - reachOf(a, n) - reachOf(b, n));
  }
  return best;
}

static real cylinderToEdge(const solid *c, wide a, wide b) { /* convex along the edge */
  real low = 0, high = 1;
  wide edge = sub(b, a);
  for (int i = 0; i < 200; ++i) {
    real s = low + (high - low) / 3, t = high - (high - low) / 3;
    if (pointToCylinder(c, along(a, s, edge)) <= pointToCylinder(c, along(a, t, edge)))
      high = t;
    else
      low = s;
  }
  return pointToCylinder(c, along(a, (low + high) / 2, edge));
}

/* The point of a cylinder farthest along -n, n unit. */
static wide lowestOf(const solid *c, wide n) {
  real x = dot(c->at.column[0], n), y = dot(c->at.column[1], n), z = dot(c->at.column[2], n), r = sqrtl(x * x + y * y);
  wide p = along(c->at.p, z > 0 ? -c->half[2] : c->half[2], c->at.column[2]);
  if (!(r > 0)) return p;
  return along(along(p, -c->half[0] * x / r, c->at.column[0]), -c->half[0] * y / r, c->at.column[1]);
}

/* Of a cylinder to the faces of a box over which its nearest point lies. */
static real cylinderToFaces(const solid *c, const solid *box) {
  real best = INFINITY;
  for (int face = 0; face < 6; ++face) {
    int axis = face / 2;
    wide n = box->at.column[axis];
    for (int k = 0; k < 3; ++k) n.x[k] = face % 2 ? -n.x[k] : n.x[k];
    wide lowest = lowestOf(c, n), q = toLocal(&box->at, lowest);
    if (pointToBox(box, lowest) == 0) return 0;
    real height = (face % 2 ? -q.x[axis] : q.x[axis]) - box->half[axis];
    bool inside = height > 0;
    for (int k = 0; k < 3; ++k) inside = inside && (k == axis || fabsl(q.x[k]) <= box->half[k]);
    if (inside) best = fminl(best, height);
  }
  return best;
}

/* Lowest point of a small solid over the plane z = top of the large one's frame; its height. Exact wherever the face is
 * what is nearest. */
static real overFace(const solid *small, const solid *large) {
  wide n = large->at.column[2];
  return dot(n, sub(small->at.p, large->at.p)) - reachOf(small, n) - small->round - large->half[2];
}

/* ---- cases */

typedef struct placed {
  solid small, large;
  brinkShape *hulls[2];
  brinkPiece a, b; /* small, large */
  brinkRigid poseA, poseB;
} placed;

static brinkShape *hullOf(brinkContext *context, const double half[3]) {
  double vertices[24];
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) vertices[3 * i + k] = i >> k & 1 ? half[k] : -half[k];
  uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  brinkMeshView mesh = {sizeof mesh, 0, vertices, 8, triangles, 12};
  brinkShapeSpec spec = {.type = brink_shapeHull, .mesh = &mesh};
  brinkShape *shape;
  assert_int_equal(brinkCreateShape(context, &spec, &shape), brink_ok);
  return shape;
}

static void makePieces(brinkContext *context, dice *d, int smallKind, int largeKind, placed *out) {
  static const double sizes[3] = {1, 20, 200};
  double half[3], wideHalf = 0.5 * sizes[roll(d) % 3];
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 3; ++i) half[i] = 0.5 * pow(10, uniform(d, -1.7, -0.7));
  out->small = (solid){.kind = smallKind + 10, .half = {half[0], half[1], half[2]}};
  if (smallKind == smallBox) out->a = boxPiece(brinkV3(half[0], half[1], half[2]));
  if (smallKind == smallHull) {
    out->hulls[0] = hullOf(context, half);
    out->a = out->hulls[0]->piece;
  }
  if (smallKind == smallCapsule) {
    static double ends[6];
    ends[2] = -half[2];
    ends[5] = half[2];
    out->a = brinkMakePointPiece(ends, 2, half[0]);
    out->a.boundRadius = half[2];
    out->small.round = half[0];
    out->small.half[0] = out->small.half[1] = 0;
  }
  if (smallKind == smallCylinder) out->a = cylinderPiece(half[0], half[2]);
  double large[3] = {wideHalf, wideHalf, wideHalf * pow(10, uniform(d, -2, 0))};
  out->large = (solid){.kind = largeKind, .half = {large[0], large[1], large[2]}};
  if (largeKind == largeBox) out->b = boxPiece(brinkV3(large[0], large[1], large[2]));
  if (largeKind == largeHull) {
    out->hulls[1] = hullOf(context, large);
    out->b = out->hulls[1]->piece;
  }
  if (largeKind == largeCylinder) out->b = cylinderPiece(large[0], large[2]);
}

static brinkQuat turnAbout(brinkVec3 axis, double angle) {
  double s = sin(angle / 2), length = brinkLength(axis);
  return (brinkQuat){cos(angle / 2), s * axis.x / length, s * axis.y / length, s * axis.z / length};
}

/* The small one's centre at `place` of the large one's frame; poses are those in a frame about the small one's centre,
 * as callers of GJK make them. */
static void pose(placed *p, const brinkMat3 *turnLarge, const brinkMat3 *turnSmall, brinkVec3 place) {
  p->poseB = (brinkRigid){*turnLarge, brinkNeg(brinkMulMV(turnLarge, place))};
  p->poseA = (brinkRigid){brinkMulMM(turnLarge, turnSmall), {0, 0, 0}};
  p->small.at = frameOf(&p->poseA);
  p->large.at = frameOf(&p->poseB);
}

static real truth(const placed *p) {
  const solid *small = &p->small, *large = &p->large;
  if (small->kind != smallCylinder + 10 && small->round == 0)
    return boxAxes(small, large) <= 0 ? 0 : boxToBox(small, large);
  real best = small->round > 0 ? INFINITY : cylinderToFaces(small, large);
  for (int i = 0; i < 12; ++i) {
    wide a, b;
    edgeOf(large, i, &a, &b);
    if (small->round > 0) {
      wide ends[2] = {toWorld(&small->at, (wide){{0, 0, -small->half[2]}}),
                      toWorld(&small->at, (wide){{0, 0, small->half[2]}})};
      best = fminl(best, fminl(pointToBox(large, ends[0]), pointToBox(large, ends[1])));
      best = fminl(best, segments(ends[0], ends[1], a, b));
    } else {
      best = fminl(best, cylinderToEdge(small, a, b));
    }
  }
  return best - small->round;
}

static double worst[smallKinds][largeKinds][3];

static void judge(dice *d, placed *p, real exact, int smallKind, int largeKind, int where, double gap, double tilt) {
  const double smallest = (double)fminl(fminl(p->small.half[0] > 0 ? p->small.half[0] : p->small.half[2],
                                              p->small.half[1] > 0 ? p->small.half[1] : p->small.half[2]),
                                        p->small.half[2]) *
                          2;
  static const char *const places[3] = {"over a face", "beside an edge", "in a face"};
  for (int swapped = 0; swapped < 2; ++swapped) {
    brinkSeparation out;
    brinkGjkLimits limits = {1e-13, 0, INFINITY, -1, 0};
    if (swapped)
      brinkSignedSeparation(&p->b, &p->poseB, &p->a, &p->poseA, &limits, NULL, &out);
    else
      brinkSignedSeparation(&p->a, &p->poseA, &p->b, &p->poseB, &limits, NULL, &out);
    double below = (double)(exact - (real)out.lower), above = (double)((real)out.upper - exact);
    worst[smallKind][largeKind][where] = fmax(worst[smallKind][largeKind][where], below / smallest);
    const double frames = 1e-13 * (1 + (double)p->large.half[0]); /* poses are orthonormal up to rounding only */
    if (!(below >= -frames) || !(below <= ALLOWED * smallest) || (where < 2 && !(above >= -frames)))
      CHECK(false, d,
            "small kind %d %s of large kind %d (half %g m), gap %g, tilt %g, swapped %d: truth %.17g, lower bound %g m "
            "below, upper %g m above; smallest extent %g m",
            smallKind, places[where], largeKind, (double)p->large.half[0], gap, tilt, swapped, (double)exact, below,
            above, smallest);
  }
}

CASE(lower_bounds_are_as_good_as_the_smaller_piece_asks) {
  brinkContext context;
  brinkInitContext(&context);
  int rounds = getenv("BRINK_SOAK") ? 40000 : 4000;
  for (int i = 0; i < rounds; ++i) {
    dice d = {(uint64_t)i, (uint64_t)i};
    int smallKind = (int)(roll(&d) % smallKinds), largeKind = (int)(roll(&d) % largeKinds), where = (int)(roll(&d) % 3);
    if (largeKind == largeCylinder && where == 1) where = 0;
    placed p;
    makePieces(&context, &d, smallKind, largeKind, &p);
    brinkRigid large = randomPose(&d, 0);
    double tilt = roll(&d) % 4 ? pow(10, uniform(&d, -12, -2)) : 0, gap = pow(10, uniform(&d, -9, 0));
    brinkQuat lying = roll(&d) % 2 ? turnAbout(brinkV3(1, 0, 0), 1.5707963267948966) : turnAbout(brinkV3(0, 0, 1), 0);
    brinkMat3 turn = brinkMat3_FromQuat(lying),
              heading = brinkMat3_FromQuat(turnAbout(brinkV3(0, 0, 1), roll(&d) % 3 ? uniform(&d, -3, 3) : 0));
    double about = uniform(&d, -3, 3);
    brinkMat3 tilted = brinkMat3_FromQuat(turnAbout(brinkV3(cos(about), sin(about), 0), tilt));
    turn = brinkMulMM(&heading, &turn);
    turn = brinkMulMM(&tilted, &turn);
    const double halfWide = (double)p.large.half[0], top = (double)p.large.half[2];
    if (where != 1) { /* over the face, or that deep in it: nearer to it than to any edge */
      if (where == 2) gap = -fmin(gap, 0.05 * fmin(top, (double)fminl(p.small.half[2], 0.01)));
      double inner = halfWide * 0.3;
      brinkVec3 place = {uniform(&d, -inner, inner), uniform(&d, -inner, inner), 0};
      pose(&p, &large.r, &turn, place);
      place.z -= (double)overFace(&p.small, &p.large) - gap;
      pose(&p, &large.r, &turn, place);
      /* a small solid of 0.2 m hangs over the face's middle, 0.35 m from its edges at least */
      judge(&d, &p, overFace(&p.small, &p.large), smallKind, largeKind, where, gap, tilt);
    } else { /* outside of the edge along y, whose faces look along x and z */
      double direction = uniform(&d, 0.1, 1.4);
      brinkVec3 out = {cos(direction), 0, sin(direction)};
      brinkVec3 edge = {halfWide, uniform(&d, -0.5, 0.5) * halfWide, top};
      double low = 0, high = 3;
      for (int k = 0; k < 60; ++k) {
        double middle = 0.5 * (low + high);
        pose(&p, &large.r, &turn, brinkMulAdd(edge, middle, out));
        if (truth(&p) > gap)
          high = middle;
        else
          low = middle;
      }
      pose(&p, &large.r, &turn, brinkMulAdd(edge, high, out));
      real exact = truth(&p);
      if (exact > 0.5 * gap) judge(&d, &p, exact, smallKind, largeKind, where, gap, tilt);
    }
    for (int k = 0; k < 2; ++k)
      if (p.hulls[k]) brinkDestroyShape(&context, p.hulls[k]);
  }
  static const char *const names[2][4] = {{"box", "hull", "capsule", "cylinder"}, {"box", "hull", "cylinder", ""}};
  for (int s = 0; s < smallKinds; ++s)
    for (int l = 0; l < largeKinds; ++l)
      print_message(
          "%-8s and large %-8s: lower bound off by at most %.1e over a face, %.1e beside an edge, %.1e deep "
          "(of the smaller piece)\n",
          names[0][s], names[1][l], worst[s][l][0], worst[s][l][1], worst[s][l][2]);
}

/* Tumbled boxes of every size, apart or overlapping: all 15 axes, brute force. */
CASE(bounds_of_tumbled_boxes_are_exact) {
  for (int i = 0; i < 4000; ++i) {
    dice d = {(uint64_t)i + 77, (uint64_t)i + 77};
    brinkContext context;
    brinkInitContext(&context);
    placed p;
    makePieces(&context, &d, smallBox, largeBox, &p);
    brinkRigid large = randomPose(&d, 0), small = randomPose(&d, 0);
    const double halfWide = (double)p.large.half[0], top = (double)p.large.half[2];
    brinkVec3 place = {uniform(&d, -1, 1) * (halfWide + 0.2), uniform(&d, -1, 1) * (halfWide + 0.2),
                       top + uniform(&d, -0.5 * fmin(top, 0.05), 0.3)};
    pose(&p, &large.r, &small.r, place);
    real axes = boxAxes(&p.small, &p.large), exact = axes <= 0 ? axes : boxToBox(&p.small, &p.large);
    judge(&d, &p, exact, smallBox, largeBox, axes <= 0 ? 2 : 0, (double)exact, 0);
  }
}

int main(void) { return cases_Run(NULL, NULL); }
