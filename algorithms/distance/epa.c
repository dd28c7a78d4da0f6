/* SPDX-License-Identifier: BSD-3-Clause */
/* How deep two overlapping convex pieces are in each other, and along which direction they part soonest.
 *
 * Sweeps first: when only the spheres overlap, GJK's answer stands. Boxes, triangles, segments and points have few face
 * normals and edge directions: their separating axes are complete and exact. Everything else: a polytope inside
 * D = B - A grows from a well-shaped tetrahedron (not from GJK's last simplex, which may be flat); the origin need not
 * be inside it, as faces carry signed offsets; the face of least offset is pushed out to the support point along its
 * normal until that brings nothing. At most VERTEX_CAPACITY support points: bounded on any input. Every direction tried
 * is judged by its true support gap, so stopping anywhere leaves a proven answer.
 *
 * Based on: van den Bergen 2001 (expanding polytope); Gottschalk, Lin, Manocha 1996 (separating axes).
 * Symbols: h(n) = max n.w over D; separation along m = -n is -h(n). Common frame, m. */
#include "epa.h"

enum { VERTEX_CAPACITY = 128, FACE_CAPACITY = 2 * VERTEX_CAPACITY, NO_FACE = -1 };

typedef struct point {
  brinkVec3 w, a, b;
  uint32_t indexA, indexB;
} point;

typedef struct face {
  brinkVec3 normal; /* outward, unit; zero when the face has no area */
  double offset;    /* normal.w; INFINITY: no area, never expanded */
  int16_t vertex[3];
  int16_t across[3]; /* face over the edge vertex[i], vertex[i+1] */
  bool alive, visible;
} face;

typedef struct polytope {
  int vertexCount, faceCount;
  point vertex[VERTEX_CAPACITY];
  face faces[FACE_CAPACITY];
} polytope;

typedef struct overlapView {
  brinkPlacedPiece a, b;
  double radii, rounding;
  double bestGap; /* of the cores; largest so far */
  brinkVec3 bestNormal;
  brinkVec3 edgeA, edgeB; /* of the best axis when it is a cross product of edges; else zero */
} overlapView;

/* Gap of the cores along unit m (A to B); keeps it when it beats the best by more than `bias`. */
static bool tryDirection(overlapView *view, brinkVec3 m, double bias) {
  double gap = -brinkPlacedPiece_SupportValue(&view->b, brinkNeg(m)) - brinkPlacedPiece_SupportValue(&view->a, m);
  if (!(gap > view->bestGap + bias)) return false;
  view->bestGap = gap;
  view->bestNormal = m;
  view->edgeA = view->edgeB = brinkV3(0, 0, 0);
  return true;
}

static bool tryLine(overlapView *view, brinkVec3 line, double bias) {
  brinkVec3 m = brinkNormalizeOr(line, brinkV3(0, 0, 0));
  if (brinkLengthSquared(m) == 0.0) return false;
  bool better = tryDirection(view, m, bias);
  return tryDirection(view, brinkNeg(m), bias) || better;
}

static brinkVec3 column(const brinkRigid *pose, int i) {
  return brinkV3(pose->r.m[0][i], pose->r.m[1][i], pose->r.m[2][i]);
}

/* Face normals and edge directions of a piece in the common frame; false when they are not all of them. */
static bool axesOf(const brinkPlacedPiece *placed, brinkVec3 normals[3], int *normalCount, brinkVec3 edges[3],
                   int *edgeCount) {
  *normalCount = *edgeCount = 0;
  if (placed->piece->kind == brink_pieceBox) {
    for (int i = 0; i < 3; ++i) normals[i] = edges[i] = column(placed->pose, i);
    *normalCount = *edgeCount = 3;
    return true;
  }
  if (placed->piece->kind == brink_pieceCylinder) {
    normals[0] = edges[0] = column(placed->pose, 2);
    *normalCount = *edgeCount = 1;
    return false;
  }
  if (!placed->few || placed->few > 3) return false;
  const brinkVec3 *p = placed->points;
  *edgeCount = placed->few == 3 ? 3 : (int)placed->few - 1;
  for (int i = 0; i < *edgeCount; ++i) edges[i] = brinkSub(p[(i + 1) % (int)placed->few], p[i]);
  if (placed->few == 3) normals[(*normalCount)++] = brinkCross(edges[0], edges[1]);
  return true;
}

/* Separating axes; true when they are complete, so that the best is the answer. Faces win ties against edges. */
static bool separatingAxes(overlapView *view) {
  brinkVec3 normals[2][3], edges[2][3];
  int normalCount[2], edgeCount[2];
  bool completeA = axesOf(&view->a, normals[0], &normalCount[0], edges[0], &edgeCount[0]);
  bool completeB = axesOf(&view->b, normals[1], &normalCount[1], edges[1], &edgeCount[1]);
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < normalCount[side]; ++i) tryLine(view, normals[side][i], view->rounding);
  for (int i = 0; i < edgeCount[0]; ++i)
    for (int j = 0; j < edgeCount[1]; ++j)
      if (tryLine(view, brinkCross(edges[0][i], edges[1][j]), view->rounding)) {
        view->edgeA = edges[0][i];
        view->edgeB = edges[1][j];
      }
  /* two flat pieces are GJK's own closed form; a solid box makes D solid */
  return completeA && completeB && (view->a.piece->kind == brink_pieceBox || view->b.piece->kind == brink_pieceBox);
}

static point supportPoint(overlapView *view, brinkVec3 n) {
  point p;
  p.a = brinkPlacedPiece_Support(&view->a, brinkNeg(n), &p.indexA);
  p.b = brinkPlacedPiece_Support(&view->b, n, &p.indexB);
  p.w = brinkSub(p.b, p.a);
  return p;
}

static brinkVec3 anyPerpendicular(brinkVec3 d) {
  brinkVec3 x = brinkAbsV3(d);
  brinkVec3 axis = x.x <= x.y && x.x <= x.z ? brinkV3(1, 0, 0) : x.y <= x.z ? brinkV3(0, 1, 0) : brinkV3(0, 0, 1);
  return brinkNormalizeOr(brinkCross(d, axis), brinkV3(1, 0, 0));
}

/* Plane of a face from the vertex between its two shortest edges: that keeps needles' normals sharp. */
static void planeOf(const polytope *p, face *f) {
  brinkVec3 a = p->vertex[f->vertex[0]].w, b = p->vertex[f->vertex[1]].w, c = p->vertex[f->vertex[2]].w;
  brinkVec3 ab = brinkSub(b, a), bc = brinkSub(c, b), ca = brinkSub(a, c);
  double lab = brinkLengthSquared(ab), lbc = brinkLengthSquared(bc), lca = brinkLengthSquared(ca);
  brinkVec3 cross = lab >= lbc && lab >= lca ? brinkCross(bc, ca)
                    : lbc >= lca             ? brinkCross(ca, ab)
                                             : brinkCross(ab, bc);
  double longest = fmax(lab, fmax(lbc, lca));
  f->normal = brinkV3(0, 0, 0);
  f->offset = INFINITY;
  if (!(brinkLength(cross) > 8.0 * DBL_EPSILON * longest)) return;
  f->normal = brinkNormalizeOr(cross, f->normal);
  f->offset = fmax(brinkDot(f->normal, a), fmax(brinkDot(f->normal, b), brinkDot(f->normal, c)));
}

static void setFace(polytope *p, int index, int a, int b, int c) {
  face *f = &p->faces[index];
  *f = (face){.vertex = {(int16_t)a, (int16_t)b, (int16_t)c}, .alive = true};
  planeOf(p, f);
  if (index >= p->faceCount) p->faceCount = index + 1;
}

/* A tetrahedron with wide base in D. False: D is flat (or smaller than rounding); its normals have been tried. */
static bool firstTetrahedron(overlapView *view, polytope *p) {
  double widest = -1.0;
  for (int i = 0; i < 3; ++i) { /* longest of the three axis extents */
    brinkVec3 axis = brinkV3(i == 0, i == 1, i == 2);
    point high = supportPoint(view, axis), low = supportPoint(view, brinkNeg(axis));
    double extent = brinkLengthSquared(brinkSub(high.w, low.w));
    if (!(extent > widest)) continue;
    widest = extent;
    p->vertex[0] = low;
    p->vertex[1] = high;
  }
  brinkVec3 line = brinkSub(p->vertex[1].w, p->vertex[0].w);
  double flat = 4.0 * view->rounding;
  if (!(sqrt(widest) > flat)) { /* a point: any direction */
    tryLine(view, brinkV3(0, 0, 1), 0.0);
    return false;
  }
  brinkVec3 side = anyPerpendicular(line), across = brinkNormalizeOr(brinkCross(line, side), side);
  double furthest = 0.0;
  for (int i = 0; i < 8; ++i) { /* furthest from the line, over eight directions around it */
    static const double turn[8][2] = {{1, 0},     {-1, 0},      {0, 1},      {0, -1},
                                      {0.7, 0.7}, {-0.7, -0.7}, {0.7, -0.7}, {-0.7, 0.7}};
    point q = supportPoint(view, brinkAdd(brinkScale(side, turn[i][0]), brinkScale(across, turn[i][1])));
    double off = brinkLength(brinkCross(line, brinkSub(q.w, p->vertex[0].w))) / sqrt(widest);
    if (!(off > furthest)) continue;
    furthest = off;
    p->vertex[2] = q;
  }
  if (!(furthest > flat)) { /* a segment: all perpendiculars part it at once */
    tryLine(view, side, 0.0);
    tryLine(view, across, 0.0);
    return false;
  }
  brinkVec3 normal = brinkNormalizeOr(brinkCross(line, brinkSub(p->vertex[2].w, p->vertex[0].w)), side);
  tryLine(view, normal, 0.0);
  point up = supportPoint(view, normal), down = supportPoint(view, brinkNeg(normal));
  double rise = brinkDot(normal, brinkSub(up.w, p->vertex[0].w)),
         fall = brinkDot(normal, brinkSub(p->vertex[0].w, down.w));
  if (!(fmax(rise, fall) > flat)) return false; /* planar */
  bool above = rise >= fall;
  p->vertex[3] = above ? up : down;
  p->vertexCount = 4;
  p->faceCount = 0;
  /* base seen from outside: counter-clockwise about -normal when the apex is above */
  int b = above ? 2 : 1, c = above ? 1 : 2;
  setFace(p, 0, 0, b, c);
  setFace(p, 1, b, 0, 3);
  setFace(p, 2, c, b, 3);
  setFace(p, 3, 0, c, 3);
  static const int16_t across4[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  for (int f = 0; f < 4; ++f) memcpy(p->faces[f].across, across4[f], sizeof across4[f]);
  return true;
}

static int leastOffset(const polytope *p) {
  int best = NO_FACE;
  for (int i = 0; i < p->faceCount; ++i)
    if (p->faces[i].alive && isfinite(p->faces[i].offset) && (best < 0 || p->faces[i].offset < p->faces[best].offset))
      best = i;
  return best;
}

/* Replaces the faces that see the newest vertex, connected to `start`, by a fan. False: the seam is not one loop or
 * there is no room; the polytope is then done with. */
static bool addVertex(polytope *p, int start, int newest, double doubt) {
  int16_t stack[FACE_CAPACITY];
  int depth = 0;
  struct seam {
    int16_t from, to, outside; /* edge from -> to as the removed face had it */
  } seams[FACE_CAPACITY];
  int seamCount = 0;
  brinkVec3 w = p->vertex[newest].w;
  int16_t removed[FACE_CAPACITY];
  int removedCount = 0;
  p->faces[start].visible = true;
  stack[depth++] = (int16_t)start;
  while (depth > 0) {
    int16_t current = stack[--depth];
    removed[removedCount++] = current;
    for (int e = 0; e < 3; ++e) {
      face *f = &p->faces[current], *g = &p->faces[f->across[e]];
      if (g->visible) continue;
      if (brinkDot(g->normal, w) - g->offset > doubt) { /* never true for faces without area: offset infinite */
        g->visible = true;
        stack[depth++] = f->across[e];
      }
    }
  }
  for (int r = 0; r < removedCount; ++r) {
    const face *f = &p->faces[removed[r]];
    for (int e = 0; e < 3; ++e)
      if (!p->faces[f->across[e]].visible)
        seams[seamCount++] = (struct seam){f->vertex[e], f->vertex[(e + 1) % 3], f->across[e]};
  }
  for (int r = 0; r < removedCount; ++r) p->faces[removed[r]].alive = p->faces[removed[r]].visible = false;
  int16_t leaving[VERTEX_CAPACITY];
  memset(leaving, 0xff, sizeof leaving); /* -1 */
  int16_t made[FACE_CAPACITY];
  int slot = 0;
  for (int s = 0; s < seamCount; ++s) {
    while (slot < p->faceCount && p->faces[slot].alive) ++slot;
    if (slot >= FACE_CAPACITY || leaving[seams[s].from] >= 0) return false;
    setFace(p, slot, seams[s].from, seams[s].to, newest);
    p->faces[slot].across[0] = seams[s].outside;
    face *g = &p->faces[seams[s].outside];
    for (int e = 0; e < 3; ++e)
      if (g->vertex[e] == seams[s].to && g->vertex[(e + 1) % 3] == seams[s].from) g->across[e] = (int16_t)slot;
    made[s] = (int16_t)slot;
    leaving[seams[s].from] = (int16_t)slot;
  }
  for (int s = 0; s < seamCount; ++s) {
    int16_t next = leaving[seams[s].to];
    if (next < 0) return false;
    p->faces[made[s]].across[1] = next;
    p->faces[next].across[2] = made[s];
  }
  return seamCount >= 3;
}

static bool knownVertex(const polytope *p, brinkVec3 w) {
  for (int i = 0; i < p->vertexCount; ++i) {
    brinkVec3 v = p->vertex[i].w;
    if (v.x == w.x && v.y == w.y && v.z == w.z) return true;
  }
  return false;
}

/* Grows the polytope; the best direction ends in view. Returns the face that carries it, or NO_FACE. */
static int expand(overlapView *view, polytope *p, face *carrier) {
  bool curved = brinkPiece_IsCurved(view->a.piece) || brinkPiece_IsCurved(view->b.piece);
  double extent = brinkPairExtent(view->a.piece, view->a.pose, view->b.piece, view->b.pose);
  double enough = curved ? 1e-9 * extent : 0.25 * view->rounding;
  double bias = curved ? view->rounding : 0.0; /* the exact axis of a cap beats faces that are as good up to rounding */
  int found = NO_FACE;
  while (true) {
    int nearest = leastOffset(p);
    if (nearest < 0) return found;
    face *f = &p->faces[nearest];
    point q = supportPoint(view, f->normal);
    double gain = brinkDot(f->normal, q.w) - f->offset;
    /* an earlier parallel face may have found the same direction: the one that lies in the boundary has the witnesses
     */
    bool settled = !(gain > enough) && (!curved || found != NO_FACE);
    if (tryDirection(view, brinkNeg(f->normal), settled ? -2.0 * fmax(view->rounding, enough) : bias)) {
      *carrier = *f;
      found = nearest;
    }
    if (!(gain > enough)) return found;
    if (knownVertex(p, q.w) ||
        p->vertexCount == VERTEX_CAPACITY) { /* rounding, or full: this face is as good as done */
      if (p->vertexCount == VERTEX_CAPACITY) return found;
      f->offset = INFINITY;
      continue;
    }
    p->vertex[p->vertexCount++] = q;
    if (!addVertex(p, nearest, p->vertexCount - 1, 0.25 * view->rounding)) return found;
  }
}

/* ---- witnesses: y - x = gap m on the supporting features */

/* Barycentric coordinates of the foot of the origin; the least of them: negative when the foot is outside. */
static double footIn(const polytope *p, const face *f, double lambda[3]) {
  brinkVec3 foot = brinkScale(f->normal, f->offset);
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    brinkVec3 u = p->vertex[f->vertex[(i + 1) % 3]].w, v = p->vertex[f->vertex[(i + 2) % 3]].w;
    lambda[i] = brinkDot(f->normal, brinkCross(brinkSub(u, foot), brinkSub(v, u)));
    sum += lambda[i];
  }
  if (!(sum > 0.0)) return -HUGE_VAL;
  for (int i = 0; i < 3; ++i) lambda[i] /= sum;
  return fmin(lambda[0], fmin(lambda[1], lambda[2]));
}

/* A facet of D may be many coplanar faces (parallelograms of two edges are at least two): the foot is in one of them.
 */
static void faceWitnesses(const polytope *p, const face *carrier, double extent, brinkSeparation *out, brinkVec3 *x,
                          brinkVec3 *y) {
  double lambda[3], best = footIn(p, carrier, lambda);
  const face *f = carrier;
  for (int i = 0; i < p->faceCount; ++i) {
    const face *g = &p->faces[i];
    double other[3];
    if (!g->alive || !(fabs(g->offset - carrier->offset) <= 1e-10 * extent)) continue;
    if (!(brinkDistance(g->normal, carrier->normal) <= 1e-6)) continue;
    double least = footIn(p, g, other);
    if (!(least > best)) continue;
    best = least;
    f = g;
    memcpy(lambda, other, sizeof lambda);
  }
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) sum += lambda[i] = best == -HUGE_VAL ? 1.0 : fmax(0.0, lambda[i]);
  *x = *y = brinkV3(0, 0, 0);
  out->simplex.count = 0;
  for (int i = 0; i < 3; ++i) {
    const point *q = &p->vertex[f->vertex[i]];
    double weight = lambda[i] / sum;
    *x = brinkMulAdd(*x, weight, q->a);
    *y = brinkMulAdd(*y, weight, q->b);
    if (weight == 0.0) continue;
    out->simplex.indexA[out->simplex.count] = q->indexA;
    out->simplex.indexB[out->simplex.count++] = q->indexB;
  }
}

/* Does the piece touch its supporting plane along n in one point only? */
static bool isVertex(const brinkPlacedPiece *placed, brinkVec3 n, double rounding) {
  if (placed->few) {
    double top = brinkPlacedPiece_SupportValue(placed, n);
    uint32_t atTop = 0;
    for (uint32_t i = 0; i < placed->few; ++i) atTop += top - brinkDot(n, placed->points[i]) <= rounding;
    return atTop == 1;
  }
  if (placed->piece->kind != brink_pieceBox) return false;
  for (int i = 0; i < 3; ++i)
    if (fabs(brinkDot(n, placed->points[1 + i])) <= rounding) return false;
  return true;
}

static void axisWitnesses(overlapView *view, brinkSeparation *out, brinkVec3 *x, brinkVec3 *y) {
  brinkVec3 m = view->bestNormal;
  uint32_t indexA, indexB;
  *x = brinkPlacedPiece_Support(&view->a, m, &indexA);
  *y = brinkPlacedPiece_Support(&view->b, brinkNeg(m), &indexB);
  out->simplex.count = 1;
  out->simplex.indexA[0] = indexA;
  out->simplex.indexB[0] = indexB;
  double angle = brinkLength(brinkCross(view->edgeA, view->edgeB));
  if (angle > 0.0) { /* nearest points of the lines along the two edges */
    brinkVec3 cross = brinkCross(view->edgeA, view->edgeB), r = brinkSub(*y, *x);
    double s = brinkDot(brinkCross(r, view->edgeB), cross) / (angle * angle);
    double t = brinkDot(brinkCross(r, view->edgeA), cross) / (angle * angle);
    *x = brinkMulAdd(*x, s, view->edgeA);
    *y = brinkMulAdd(*y, t, view->edgeB);
    return;
  }
  if (isVertex(&view->b, brinkNeg(m), view->rounding) || !isVertex(&view->a, m, view->rounding))
    *x = brinkMulAdd(*y, -view->bestGap, m);
  else
    *y = brinkMulAdd(*x, view->bestGap, m);
}

void brinkEpa(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
              brinkSeparation *separation) {
  BRINK_ASSERT(separation->overlap);
  if (a->kind == brink_pieceHalfSpace || b->kind == brink_pieceHalfSpace) { /* closed form already */
    separation->upper = separation->lower + 2.0 * brinkPairRounding(a, poseA, b, poseB);
    return;
  }
  overlapView view = {.a = brinkPlacePiece(a, poseA),
                      .b = brinkPlacePiece(b, poseB),
                      .radii = a->radius + b->radius,
                      .rounding = brinkPairRounding(a, poseA, b, poseB),
                      .bestGap = -HUGE_VAL};
  bool coresApart = separation->lower + view.radii > view.rounding;
  bool flatPair = view.a.few && view.a.few <= 3 && view.b.few && view.b.few <= 3;
  if (coresApart) { /* GJK's answer is the signed one: core distance less radii, as far as GJK was asked to go */
    brinkVec3 x = brinkMulAdd(separation->pointA, -a->radius, separation->normal);
    brinkVec3 y = brinkMulAdd(separation->pointB, b->radius, separation->normal);
    double realised =
        brinkDistance(x, y) * (1.0 + 16.0 * DBL_EPSILON) + view.rounding - view.radii * (1.0 - 4.0 * DBL_EPSILON);
    separation->upper = fmax(realised, separation->lower + 2.0 * view.rounding);
    return;
  }
  if (flatPair && brinkLengthSquared(separation->normal) > 0.0) {
    separation->upper = separation->lower + 2.0 * view.rounding;
    return;
  }
  brinkVec3 x = {0, 0, 0}, y = {0, 0, 0};
  polytope p;
  face carrier;
  int found = NO_FACE;
  const bool complete = separatingAxes(&view);
  if (!complete) {
    tryDirection(&view, separation->normal, view.rounding);
    if (firstTetrahedron(&view, &p)) found = expand(&view, &p, &carrier);
  }
  if (found >= 0)
    faceWitnesses(&p, &carrier, brinkPairExtent(a, poseA, b, poseB), separation, &x, &y);
  else
    axisWitnesses(&view, separation, &x, &y);
  if (!complete) { /* the polytope's normals are off by rounding: that costs the length of a flat */
    brinkVec3 sharp = view.bestNormal;
    brinkSharpenNormal(&view.a, &view.b, &sharp);
    tryDirection(&view, sharp, 0.0);
  }
  separation->normal = separation->simplex.normal = view.bestNormal;
  separation->lower = view.bestGap - view.radii - view.rounding;
  separation->upper = separation->lower + 2.0 * view.rounding;
  separation->overlap = separation->lower <= 0.0;
  separation->pointA = brinkMulAdd(x, a->radius, view.bestNormal);
  separation->pointB = brinkMulAdd(y, -b->radius, view.bestNormal);
}

void brinkSignedSeparation(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                           const brinkGjkLimits *limits, const brinkGjkCache *warm, brinkSeparation *out) {
  brinkGjk(a, poseA, b, poseB, limits, warm, out);
  if (out->overlap) brinkEpa(a, poseA, b, poseB, out);
}
