/* SPDX-License-Identifier: BSD-3-Clause */
/* Distance of two convex pieces: what is proven is the support gap along a proposed direction (lower) and the distance
 * of two realised points (upper); the iteration only looks for good proposals, so it may stop anywhere and never lies.
 *
 * Based on: Gilbert, Johnson, Keerthi 1988; Montanari, Petrinic, Barbieri 2017 (signed volumes; here every feature of
 * the simplex that the origin may be nearest to is tried and the smallest REALISED distance wins, so slivers and
 * needles cost accuracy of the proposal only); certification: theory D2.3. Pairs of at most three vertices whose
 * answer is not tight then (crossing, touching, slivers): all vertex-face and edge-edge candidates, and the separating
 * axes of two triangles (complete: two face normals, nine edge crosses, in-plane normals of the edges), so their signed
 * separation is exact too.
 * Symbols: D = B - A (differences y - x); w a vertex of D, v its point nearest to the origin, n = v/|v| (A to B);
 * common frame, m.
 * Rounding (u = DBL_EPSILON/2, E = |p_A| + |p_B| + extents, extent = |centre| + bound radius + sweep):
 *   x = r v + p: |error| <= 4u (sqrt3 |v| + |p|); n.x of it: + 3u |x|; together <= 10u (|v| + |p|);
 *   d = r^T n before a support query: |error| <= 3u sqrt3, times |v|: + 6u |v|; n unit up to 4u: + 4u |gap|;
 *   convex sums of <= 4 points: + 8u |x|; subtractions, radii: + 3u E.
 *   Sum <= 31u E < 16 DBL_EPSILON E. Underflow: + DBL_MIN. */
#include "gjk.h"

#include "largest_product.h"

#define SHARPEN_PASSES 3
#define NEARLY_SQUARE 0.1 /* cosine: an edge that may carry the witness */
#define ARC 0.3           /* rad, and how finely it is searched: ARC 0.618^ARC_STEPS */
#define ARC_STEPS 60
#define GOLDEN 0.6180339887498949
#define SLIVER 1e-4          /* square of the sine between two edges: what is less is no face to rely on */
#define MOST_PARALLEL 0.9999 /* cosine: edges more nearly parallel than this are one */

typedef struct simplexVertex {
  brinkVec3 w, a, b;
  uint32_t indexA, indexB;
} simplexVertex;

typedef struct simplex {
  uint32_t count;
  simplexVertex vertex[4];
  double lambda[4]; /* of the nearest point; sum 1 */
  brinkVec3 v;
} simplex;

typedef struct proposal {
  double gap; /* of the cores along normal, not yet certified */
  brinkVec3 normal;
  uint32_t indexA, indexB; /* what support queries along it told, if known */
  bool known;
} proposal;

typedef struct pairView {
  brinkPlacedPiece a, b;
  double radii;    /* sum of the sweeps */
  double rounding; /* see top */
} pairView;

/* ---- placed pieces */

static double pieceExtent(const brinkPiece *piece) {
  if (piece->kind == brink_pieceHalfSpace) return fabs(piece->offset) + piece->radius;
  return brinkLength(piece->center) + piece->boundRadius + piece->radius;
}

double brinkPairExtent(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB) {
  double extent = brinkLength(poseA->p) + brinkLength(poseB->p) + pieceExtent(a) + pieceExtent(b);
  /* a point is measured against the plane where it stands: its distance from the origin counts twice */
  if (a->kind == brink_pieceHalfSpace || b->kind == brink_pieceHalfSpace) extent *= 2.0;
  return extent;
}

double brinkPairRounding(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB) {
  double stated = (a->kind == brink_pieceSupport ? a->support->rounding : 0.0) +
                  (b->kind == brink_pieceSupport ? b->support->rounding : 0.0);
  return 16.0 * DBL_EPSILON * brinkPairExtent(a, poseA, b, poseB) + DBL_MIN + stated;
}

static void placePiece(const brinkPiece *piece, const brinkRigid *pose, brinkPlacedPiece *out) {
  out->piece = piece;
  out->pose = pose;
  out->few = out->hint = 0;
  if (piece->kind == brink_piecePoints && piece->count <= 4) {
    out->few = piece->count;
    for (uint32_t i = 0; i < piece->count; ++i)
      out->points[i] = brinkApply(pose, brinkV3_FromArray(piece->vertices + 3 * (size_t)i));
  } else if (piece->kind == brink_pieceBox) {
    out->points[0] = brinkApply(pose, piece->center);
    const double half[3] = {piece->half.x, piece->half.y, piece->half.z};
    for (int i = 0; i < 3; ++i)
      out->points[1 + i] = brinkScale(brinkV3(pose->r.m[0][i], pose->r.m[1][i], pose->r.m[2][i]), half[i]);
  }
}

brinkPlacedPiece brinkPlacePiece(const brinkPiece *piece, const brinkRigid *pose) {
  brinkPlacedPiece placed = {0};
  placePiece(piece, pose, &placed);
  return placed;
}

static brinkVec3 boxCorner(const brinkPlacedPiece *placed, uint32_t index) {
  brinkVec3 x = placed->points[0];
  for (uint32_t i = 0; i < 3; ++i) x = brinkMulAdd(x, (index >> i & 1u) ? 1.0 : -1.0, placed->points[1 + i]);
  return x;
}

static inline brinkVec3 supportOf(brinkPlacedPiece *placed, brinkVec3 n, uint32_t *index) {
  const brinkPiece *piece = placed->piece;
  if (piece->columns != NULL && piece->count <= BRINK_MOST_COLUMNS) {
    *index = brinkPointColumns_Furthest(piece->columns, piece->count, brinkTMulMV(&placed->pose->r, n));
    return brinkApply(placed->pose, brinkPointColumns_Point(piece->columns, *index));
  }
  if (placed->few) {
    uint32_t best = 0;
    double bestValue = brinkDot(n, placed->points[0]);
    for (uint32_t i = 1; i < placed->few; ++i) {
      double value = brinkDot(n, placed->points[i]);
      if (value > bestValue) {
        bestValue = value;
        best = i;
      }
    }
    *index = best;
    return placed->points[best];
  }
  if (piece->kind == brink_pieceBox) {
    uint32_t corner = 0;
    for (uint32_t i = 0; i < 3; ++i)
      if (brinkDot(n, placed->points[1 + i]) > 0.0) corner |= 1u << i;
    *index = corner;
    return boxCorner(placed, corner);
  }
  brinkVec3 local;
  *index = placed->hint = brinkPiece_Support(piece, brinkTMulMV(&placed->pose->r, n), placed->hint, &local);
  return brinkApply(placed->pose, local);
}

brinkVec3 brinkPlacedPiece_Support(brinkPlacedPiece *placed, brinkVec3 n, uint32_t *index) {
  return supportOf(placed, n, index);
}

static inline brinkVec3 vertexOf(const brinkPlacedPiece *placed, uint32_t index) {
  if (placed->piece->columns != NULL)
    return brinkApply(placed->pose, brinkPointColumns_Point(placed->piece->columns, index));
  if (placed->few) return placed->points[index];
  if (placed->piece->kind == brink_pieceBox) return boxCorner(placed, index);
  return brinkApply(placed->pose, brinkPiece_Vertex(placed->piece, index));
}

double brinkPlacedPiece_SupportValue(const brinkPlacedPiece *placed, brinkVec3 n) {
  if (placed->few) {
    double best = brinkDot(n, placed->points[0]);
    for (uint32_t i = 1; i < placed->few; ++i) {
      double value = brinkDot(n, placed->points[i]);
      if (value > best) best = value;
    }
    return best;
  }
  if (placed->piece->kind == brink_pieceBox)
    return brinkDot(n, placed->points[0]) +
           (fabs(brinkDot(n, placed->points[1])) + fabs(brinkDot(n, placed->points[2])) +
            fabs(brinkDot(n, placed->points[3])));
  return brinkDot(n, placed->pose->p) + brinkPiece_CoreSupportValue(placed->piece, brinkTMulMV(&placed->pose->r, n));
}

static double coreGap(const pairView *pair, brinkVec3 n) {
  return -brinkPlacedPiece_SupportValue(&pair->b, brinkNeg(n)) - brinkPlacedPiece_SupportValue(&pair->a, n);
}

/* Proven lower bound of the separation along unit n, radii included. */
static double certifiedGap(const pairView *pair, brinkVec3 n) {
  return coreGap(pair, n) - pair->radii - pair->rounding;
}

static double supportValueAt(const brinkPlacedPiece *placed, brinkVec3 n, uint32_t index) {
  if (placed->few || placed->piece->kind == brink_pieceBox) return brinkPlacedPiece_SupportValue(placed, n);
  return brinkDot(n, placed->pose->p) +
         brinkPiece_CoreSupportValueAt(placed->piece, brinkTMulMV(&placed->pose->r, n), index);
}

/* certifiedGap along the proposed normal. */
static double certifiedProposal(const pairView *pair, const proposal *best) {
  const brinkVec3 n = best->normal;
  if (!best->known) return certifiedGap(pair, n);
  double gap = -supportValueAt(&pair->b, brinkNeg(n), best->indexB) - supportValueAt(&pair->a, n, best->indexA);
  return gap - pair->radii - pair->rounding;
}

static void viewPair(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                     pairView *out) {
  placePiece(a, poseA, &out->a);
  placePiece(b, poseB, &out->b);
  out->radii = a->radius + b->radius;
  out->rounding = brinkPairRounding(a, poseA, b, poseB);
}

/* ---- half-spaces: closed form */

/* Signed separation of piece y from the half-space; *deepest is the core's support point. */
static double planeGap(const brinkPiece *plane, const brinkRigid *planePose, const brinkPiece *piece,
                       const brinkRigid *pose, brinkVec3 *normal, brinkVec3 *deepest, uint32_t *index) {
  *normal = brinkNormalizeOr(brinkMulMV(&planePose->r, plane->normal), brinkV3(0, 0, 1));
  brinkPlacedPiece placed = brinkPlacePiece(piece, pose);
  *deepest = brinkPlacedPiece_Support(&placed, brinkNeg(*normal), index);
  double offset = plane->offset + brinkDot(*normal, planePose->p);
  return -brinkPlacedPiece_SupportValue(&placed, brinkNeg(*normal)) - offset - piece->radius - plane->radius;
}

/* Two half-spaces are apart only when their normals are opposite; else they meet along a line (deep without end), and
 * that line's point next to the origin is the witness. */
static void twoPlanes(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                      brinkSeparation *out) {
  brinkVec3 normalA = brinkNormalizeOr(brinkMulMV(&poseA->r, a->normal), brinkV3(0, 0, 1));
  brinkVec3 normalB = brinkNormalizeOr(brinkMulMV(&poseB->r, b->normal), brinkV3(0, 0, 1));
  double topA = a->offset + brinkDot(normalA, poseA->p) + a->radius;
  double topB = b->offset + brinkDot(normalB, poseB->p) + b->radius;
  out->normal = brinkNormalizeOr(brinkSub(normalA, normalB), normalA);
  if (brinkLength(brinkAdd(normalA, normalB)) <= BRINK_PARALLEL_PLANES) {
    double gap = -topB - topA, rounding = brinkPairRounding(a, poseA, b, poseB);
    out->lower = gap - rounding;
    out->overlap = gap <= rounding;
    out->upper = out->overlap ? 0.0 : gap + rounding;
    out->pointA = brinkScale(normalA, topA);
    out->pointB = brinkScale(normalB, topB);
  } else {
    double c = brinkDot(normalA, normalB), sine = brinkLengthSquared(brinkCross(normalA, normalB));
    out->lower = -HUGE_VAL;
    out->overlap = true;
    out->pointA = brinkScale(normalA, topA); /* one inside the other: any surface will do */
    if (sine > 0.0)
      out->pointA =
          brinkAdd(brinkScale(normalA, (topA - c * topB) / sine), brinkScale(normalB, (topB - c * topA) / sine));
    out->pointB = out->pointA;
  }
  out->simplex.count = 1;
  out->simplex.normal = out->normal;
}

static void planeSeparation(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                            brinkSeparation *out) {
  if (a->kind == brink_pieceHalfSpace && b->kind == brink_pieceHalfSpace) {
    twoPlanes(a, poseA, b, poseB, out);
    return;
  }
  bool planeIsA = a->kind == brink_pieceHalfSpace;
  const brinkPiece *plane = planeIsA ? a : b, *piece = planeIsA ? b : a;
  const brinkRigid *planePose = planeIsA ? poseA : poseB, *pose = planeIsA ? poseB : poseA;
  brinkVec3 normal, deepest;
  uint32_t index;
  double gap = planeGap(plane, planePose, piece, pose, &normal, &deepest, &index);
  double rounding = brinkPairRounding(a, poseA, b, poseB);
  brinkVec3 onPiece = brinkMulAdd(deepest, -piece->radius, normal);
  brinkVec3 onPlane = brinkMulAdd(onPiece, -gap, normal);
  /* of the point that was told: a support value counts what is stated once more, so that it is never too small */
  const double told = gap + (piece->kind == brink_pieceSupport ? piece->support->rounding : 0.0);
  out->lower = gap - rounding;
  out->overlap = out->lower <= 0.0 && told <= rounding;
  out->upper = out->overlap ? 0.0 : fmax(0.0, told + rounding);
  out->normal = planeIsA ? normal : brinkNeg(normal);
  out->pointA = planeIsA ? onPlane : onPiece;
  out->pointB = planeIsA ? onPiece : onPlane;
  out->simplex.count = 1;
  out->simplex.indexA[0] = planeIsA ? 0 : index;
  out->simplex.indexB[0] = planeIsA ? index : 0;
  out->simplex.normal = out->normal;
}

double brinkCertifyGap(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
                       brinkVec3 n) {
  brinkVec3 unit = brinkNormalizeOr(n, brinkV3(0, 0, 0));
  if (brinkLengthSquared(unit) == 0.0) return -INFINITY;
  if (a->kind == brink_pieceHalfSpace || b->kind == brink_pieceHalfSpace) {
    brinkSeparation separation = {0};
    planeSeparation(a, poseA, b, poseB, &separation);
    return brinkDistance(unit, separation.normal) <= 1e-6 ? separation.lower : -HUGE_VAL;
  }
  pairView pair;
  viewPair(a, poseA, b, poseB, &pair);
  return certifiedGap(&pair, unit);
}

/* ---- nearest point of a simplex to the origin: smallest realised distance over its features */

typedef struct nearest {
  double squared;
  double lambda[4];
  brinkVec3 v;
} nearest;

static inline bool isNearer(nearest *best, brinkVec3 v) {
  const double squared = brinkLengthSquared(v);
  if (!(squared < best->squared)) return false;
  *best = (nearest){.squared = squared, .v = v};
  return true;
}

static inline void tryVertex(nearest *best, const simplex *s, uint32_t i) {
  if (isNearer(best, brinkAdd(brinkV3(0, 0, 0), s->vertex[i].w))) best->lambda[i] = 1.0;
}

/* i < j */
static inline void tryEdge(nearest *best, const simplex *s, uint32_t i, uint32_t j) {
  brinkVec3 p = s->vertex[i].w, edge = brinkSub(s->vertex[j].w, p);
  double along = -brinkDot(p, edge), length = brinkLengthSquared(edge);
  if (!(along > 0.0) || !(along < length)) return; /* a vertex is nearer */
  const double lj = along / length, li = 1.0 - lj;
  if (!isNearer(best, brinkMulAdd(brinkMulAdd(brinkV3(0, 0, 0), li, p), lj, s->vertex[j].w))) return;
  best->lambda[i] = li;
  best->lambda[j] = lj;
}

/* The face of three of the vertices; `opposite`: the fourth (of a triangle: i). Where the origin is, beyond rounding
 * (of a coordinate), on that vertex's side, nothing is done; else the face is tried, if it should be, and *outer counts
 * it. *sure counts those that hold the point and are no slivers: none of their edges is nearer. Barycentric coordinates
 * by cross products of an edge with a corner: their error is eps |w| in place, not eps |w|^2/edge. */
static inline void tryFace(nearest *best, const simplex *s, uint32_t i, uint32_t j, uint32_t k, uint32_t opposite,
                           double rounding, bool tried, uint32_t *outer, uint32_t *sure) {
  const brinkVec3 a = s->vertex[i].w, b = s->vertex[j].w, c = s->vertex[k].w;
  const brinkVec3 ab = brinkSub(b, a), ac = brinkSub(c, a), normal = brinkCross(ab, ac);
  const double spread = brinkLengthSquared(ab) * brinkLengthSquared(ac), doubt = rounding * sqrt(spread);
  const double origin = -brinkDot(normal, a), other = brinkDot(normal, brinkSub(s->vertex[opposite].w, a));
  if ((origin > doubt && other > doubt) || (origin < -doubt && other < -doubt)) return;
  ++*outer;
  if (!tried) return;
  const double la = brinkDot(normal, brinkCross(b, brinkSub(c, b))), lb = -brinkDot(normal, brinkCross(a, ac));
  const double lc = brinkDot(normal, brinkCross(a, ab)), sum = la + lb + lc;
  if (!(la > 0.0) || !(lb > 0.0) || !(lc > 0.0) || !(sum > 0.0)) return; /* an edge is nearer, or no face */
  const double li = la / sum, lj = lb / sum, lk = lc / sum;
  if (!isNearer(best, brinkMulAdd(brinkMulAdd(brinkScale(a, li), lj, b), lk, c))) return;
  best->lambda[i] = li;
  best->lambda[j] = lj;
  best->lambda[k] = lk;
  *sure += brinkLengthSquared(normal) > SLIVER * spread;
}

/* Nearest point among the features that contain the newest vertex (all: every feature); true when the origin is inside.
 * What is nearest of a tetrahedron lies in a face that the origin is outside of. */
static bool solveSimplex(const simplex *s, bool all, double rounding, nearest *best) {
  const uint32_t newest = s->count - 1, first = all ? 0 : newest;
  uint32_t outer = 0, sure = 0;
  best->squared = INFINITY;
  best->v = s->vertex[newest].w;
  if (s->count == 3) tryFace(best, s, 0, 1, 2, 0, rounding, true, &outer, &sure);
  if (s->count == 4) {
    tryFace(best, s, 3, 0, 1, 2, rounding, true, &outer, &sure);
    tryFace(best, s, 3, 1, 2, 0, rounding, true, &outer, &sure);
    tryFace(best, s, 3, 2, 0, 1, rounding, true, &outer, &sure);
    if (all || outer == 0) tryFace(best, s, 0, 1, 2, 3, rounding, all, &outer, &sure); /* an old face */
    if (outer == 0) return true;
  }
  if (outer == 1 && sure == 1) return false;
  for (uint32_t j = first; j <= newest; ++j) {
    tryVertex(best, s, j);
    for (uint32_t i = 0; i < j; ++i) tryEdge(best, s, i, j);
  }
  return false;
}

static void takeNearest(simplex *s, const nearest *best) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->count; ++i) {
    if (!(best->lambda[i] > 0.0)) continue;
    if (kept < i) s->vertex[kept] = s->vertex[i];
    s->lambda[kept++] = best->lambda[i];
  }
  s->count = kept;
  s->v = best->v;
}

/* Vertex of D with the least n.w. Called, not copied into a dozen places: those would be a tenth of first contact. */
__attribute__((noinline)) static void supportOfPair(pairView *pair, brinkVec3 n, simplexVertex *out) {
  out->a = supportOf(&pair->a, n, &out->indexA);
  out->b = supportOf(&pair->b, brinkNeg(n), &out->indexB);
  out->w = brinkSub(out->b, out->a);
}

static bool sameVec3(brinkVec3 a, brinkVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool simplexHas(const simplex *s, brinkVec3 w) {
  for (uint32_t i = 0; i < s->count; ++i)
    if (sameVec3(s->vertex[i].w, w)) return true;
  return false;
}

/* ---- directions from the features themselves: exact where v is too short to have a direction */

static uint32_t distinct(const uint32_t *indices, uint32_t count, uint32_t found[4]) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; ++i) {
    bool seen = false;
    for (uint32_t j = 0; j < n; ++j) seen |= found[j] == indices[i];
    if (!seen) found[n++] = indices[i];
  }
  return n;
}

static brinkVec3 edgeOf(const brinkPlacedPiece *placed, uint32_t from, uint32_t to) {
  return brinkMulMV(&placed->pose->r,
                    brinkSub(brinkPiece_Vertex(placed->piece, to), brinkPiece_Vertex(placed->piece, from)));
}

/* Up to four normals of the features that the simplex names; lines of them (either sign). */
static uint32_t featureNormals(const pairView *pair, const simplex *s, brinkVec3 normals[4]) {
  if (brinkPiece_IsCurved(pair->a.piece) || brinkPiece_IsCurved(pair->b.piece)) return 0;
  uint32_t indexA[4], indexB[4], onA[4], onB[4], count = 0;
  for (uint32_t i = 0; i < s->count; ++i) {
    indexA[i] = s->vertex[i].indexA;
    indexB[i] = s->vertex[i].indexB;
  }
  uint32_t countA = distinct(indexA, s->count, onA), countB = distinct(indexB, s->count, onB);
  if (countA >= 3) normals[count++] = brinkCross(edgeOf(&pair->a, onA[0], onA[1]), edgeOf(&pair->a, onA[0], onA[2]));
  if (countB >= 3) normals[count++] = brinkCross(edgeOf(&pair->b, onB[0], onB[1]), edgeOf(&pair->b, onB[0], onB[2]));
  if (countA >= 2 && countB >= 2)
    normals[count++] = brinkCross(edgeOf(&pair->a, onA[0], onA[1]), edgeOf(&pair->b, onB[0], onB[1]));
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    brinkVec3 unit = brinkNormalizeOr(normals[i], brinkV3(0, 0, 0));
    if (brinkLengthSquared(unit) > 0.0) normals[kept++] = unit;
  }
  return kept;
}

/* ---- directions from the flats near the witnesses: a normal that is off by a little costs that much of the whole
 * length of a flat, so it is turned to be square to the edge, or to be the face's own. What this brings is measured. */

typedef struct flats {
  brinkVec3 edge[2]; /* unit, common frame: the two that n is most nearly square to */
  double slope[2];   /* |n.edge|; 2: none */
  brinkVec3 face;    /* of a cap */
  bool hasFace;
} flats;

static void keepEdge(flats *f, brinkVec3 edge, brinkVec3 n) {
  brinkVec3 unit = brinkNormalizeOr(edge, brinkV3(0, 0, 0));
  if (brinkLengthSquared(unit) == 0.0) return;
  const double slope = fabs(brinkDot(n, unit));
  if (slope < f->slope[0]) {
    /* one parallel to the first is no second */
    if (fabs(brinkDot(unit, f->edge[0])) < MOST_PARALLEL) {
      f->edge[1] = f->edge[0];
      f->slope[1] = f->slope[0];
    }
    f->edge[0] = unit;
    f->slope[0] = slope;
  } else if (slope < f->slope[1] && fabs(brinkDot(unit, f->edge[0])) < MOST_PARALLEL) {
    f->edge[1] = unit;
    f->slope[1] = slope;
  }
}

/* n points out of the piece. */
static void findFlats(brinkPlacedPiece *placed, brinkVec3 n, flats *f) {
  const brinkPiece *piece = placed->piece;
  const brinkMat3 *r = &placed->pose->r;
  *f = (flats){.slope = {2.0, 2.0}};
  if (piece->kind == brink_pieceSupport) return;
  if (piece->kind == brink_pieceBox || piece->kind == brink_pieceCylinder) {
    for (int i = piece->kind == brink_pieceBox ? 0 : 2; i < 3; ++i)
      keepEdge(f, brinkV3(r->m[0][i], r->m[1][i], r->m[2][i]), n);
    f->hasFace = piece->kind == brink_pieceCylinder;
    if (f->hasFace) f->face = f->edge[0];
    return;
  }
  uint32_t top;
  (void)brinkPlacedPiece_Support(placed, n, &top);
  const bool graph = piece->neighborStart != NULL;
  const uint32_t begin = graph ? piece->neighborStart[top] : 0u,
                 end = graph ? piece->neighborStart[top + 1u] : piece->count;
  for (uint32_t i = begin; i < end; ++i) {
    const uint32_t other = graph ? piece->neighbors[i] : i;
    if (other != top) keepEdge(f, edgeOf(placed, top, other), n);
  }
}

static double gapOfPair(pairView *pair, brinkVec3 n) {
  simplexVertex vertex;
  supportOfPair(pair, n, &vertex);
  return brinkDot(n, vertex.w);
}

/* The line, in the sense of n, when it has a direction. */
static void proposeLine(pairView *pair, proposal *best, brinkVec3 n, brinkVec3 line) {
  brinkVec3 unit = brinkNormalizeOr(line, brinkV3(0, 0, 0));
  if (brinkLengthSquared(unit) == 0.0) return;
  if (brinkDot(unit, n) < 0.0) unit = brinkNeg(unit);
  const double gap = gapOfPair(pair, unit);
  if (!(gap > best->gap)) return;
  *best = (proposal){.gap = gap, .normal = unit};
}

/* n without its part along a unit edge; twice, since the first leaves the rounding of n. */
static brinkVec3 squareTo(brinkVec3 n, brinkVec3 edge) {
  n = brinkNormalizeOr(brinkMulAdd(n, -brinkDot(n, edge), edge), n);
  return brinkMulAdd(n, -brinkDot(n, edge), edge);
}

static void sharpen(pairView *pair, brinkVec3 n, proposal *best) {
  for (int pass = 0; pass < SHARPEN_PASSES; ++pass) {
    flats on[2];
    findFlats(&pair->a, n, &on[0]);
    findFlats(&pair->b, brinkNeg(n), &on[1]);
    for (int side = 0; side < 2; ++side) {
      const flats *f = &on[side], *g = &on[1 - side];
      if (f->hasFace) proposeLine(pair, best, n, f->face);
      if (f->slope[1] <= 1.0) proposeLine(pair, best, n, brinkCross(f->edge[0], f->edge[1]));
      for (int i = 0; i < 2 && f->slope[i] <= 1.0; ++i) {
        proposeLine(pair, best, n, squareTo(n, f->edge[i]));
        for (int k = 0; side == 0 && k < 2 && g->slope[k] <= 1.0; ++k)
          proposeLine(pair, best, n, brinkCross(f->edge[i], g->edge[k]));
      }
    }
    if (sameVec3(best->normal, n)) return;
    n = best->normal;
  }
}

/* A rim beside an edge: the best direction square to the edge, by golden section (the gap has one maximum there). */
static void turnAboutEdge(pairView *pair, brinkVec3 edge, proposal *best) {
  const brinkVec3 u = brinkNormalizeOr(squareTo(best->normal, edge), best->normal), v = brinkCross(edge, u);
  double low = -ARC, high = ARC;
  for (int i = 0; i < ARC_STEPS; ++i) {
    const double x = high - GOLDEN * (high - low), y = low + GOLDEN * (high - low);
    const brinkVec3 left = brinkAdd(brinkScale(u, cos(x)), brinkScale(v, sin(x))),
                    right = brinkAdd(brinkScale(u, cos(y)), brinkScale(v, sin(y)));
    const double gapLeft = gapOfPair(pair, left), gapRight = gapOfPair(pair, right);
    if (gapLeft > gapRight)
      high = y;
    else
      low = x;
    if (fmax(gapLeft, gapRight) > best->gap)
      *best = gapLeft > gapRight ? (proposal){.gap = gapLeft, .normal = left}
                                 : (proposal){.gap = gapRight, .normal = right};
  }
}

static void turnAboutEdges(pairView *pair, proposal *best) {
  flats on[2];
  findFlats(&pair->a, best->normal, &on[0]);
  findFlats(&pair->b, brinkNeg(best->normal), &on[1]);
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < 2; ++i)
      if (on[side].slope[i] < NEARLY_SQUARE) turnAboutEdge(pair, on[side].edge[i], best);
}

void brinkSharpenNormal(const brinkPlacedPiece *a, const brinkPlacedPiece *b, brinkVec3 *normal) {
  pairView pair = {.a = *a, .b = *b};
  proposal best = {.gap = gapOfPair(&pair, *normal), .normal = *normal};
  sharpen(&pair, *normal, &best);
  *normal = best.normal;
}

/* ---- answers */

/* lower: certified along normal; x, y: core witnesses, `distance` apart. */
static void writeAnswer(const pairView *pair, brinkVec3 x, brinkVec3 y, double lower, brinkVec3 normal, bool inside,
                        brinkSeparation *out) {
  double coreUpper = brinkDistance(x, y) * (1.0 + 8.0 * DBL_EPSILON) + pair->rounding;
  out->lower = lower;
  out->normal = normal;
  out->overlap = lower <= 0.0 && (inside || coreUpper - 2.0 * pair->rounding <= pair->radii);
  out->upper = out->overlap ? 0.0 : fmax(0.0, coreUpper - pair->radii * (1.0 - 4.0 * DBL_EPSILON));
  if (lower > out->upper) out->upper = lower + pair->rounding; /* cannot be, but for libm doubt: stay consistent */
  out->pointA = brinkMulAdd(x, pair->a.piece->radius, normal);
  out->pointB = brinkMulAdd(y, -pair->b.piece->radius, normal);
  out->simplex.normal = normal;
}

/* Vertices of next to no weight are left out: they would make an edge's witness a face's. */
static void writeSimplex(const simplex *s, bool inside, brinkGjkCache *cache) {
  cache->count = 0;
  for (uint32_t i = 0; i < s->count; ++i) {
    if (!inside && s->lambda[i] < 1e-10) continue;
    cache->indexA[cache->count] = s->vertex[i].indexA;
    cache->indexB[cache->count++] = s->vertex[i].indexB;
  }
}

static brinkVec3 centerOf(const brinkPlacedPiece *placed) { return brinkApply(placed->pose, placed->piece->center); }

static brinkVec3 firstDirection(const pairView *pair, const brinkGjkCache *warm) {
  if (warm && fabs(brinkLengthSquared(warm->normal) - 1.0) <= 4.0 * DBL_EPSILON) return warm->normal;
  brinkVec3 between = brinkSub(centerOf(&pair->b), centerOf(&pair->a));
  brinkVec3 cold = brinkNormalizeOr(between, brinkV3(1, 0, 0));
  return warm ? brinkNormalizeOr(warm->normal, cold) : cold;
}

/* ---- the iteration */

/* Simplex from the last query's vertices, when they still name vertices of these pieces. */
static bool warmSimplex(const pairView *pair, const brinkGjkCache *warm, simplex *s) {
  s->count = 0;
  if (!warm || warm->count == 0 || warm->count > 4) return false;
  const brinkPiece *pieces[2] = {pair->a.piece, pair->b.piece};
  for (int side = 0; side < 2; ++side) {
    if (brinkPiece_IsCurved(pieces[side])) return false;
    uint32_t limit = pieces[side]->kind == brink_pieceBox ? 8 : pieces[side]->count;
    const uint32_t *indices = side ? warm->indexB : warm->indexA;
    for (uint32_t i = 0; i < warm->count; ++i)
      if (indices[i] >= limit) return false;
  }
  for (uint32_t i = 0; i < warm->count; ++i) {
    const brinkVec3 a = vertexOf(&pair->a, warm->indexA[i]), b = vertexOf(&pair->b, warm->indexB[i]),
                    w = brinkSub(b, a);
    s->vertex[s->count] = (simplexVertex){w, a, b, warm->indexA[i], warm->indexB[i]};
    if (!simplexHas(s, w)) ++s->count;
  }
  return true;
}

/* Where the sweeps alone overlap, a share of the depth may be more than the cores' distance: their depth is known only
 * with a direction along which the cores are apart. */
static inline bool closeEnough(const pairView *pair, const brinkGjkLimits *limits, double distance, double gap) {
  const double upper = distance - pair->radii, open = distance - gap;
  const bool known = upper >= 0.0 || gap > pair->rounding;
  return (known && open <= limits->relative * fabs(upper)) || open <= limits->absolute ||
         open <= 0.25 * pair->rounding || gap - pair->radii - pair->rounding >= limits->enoughLower ||
         (limits->enoughUpper >= 0.0 && upper + pair->rounding <= limits->enoughUpper);
}

static void propose(proposal *best, brinkVec3 n, const simplexVertex *vertex) {
  double gap = brinkDot(n, vertex->w);
  if (!(gap > best->gap)) return;
  *best = (proposal){gap, n, vertex->indexA, vertex->indexB, true};
}

/* Returns true when the origin is inside the simplex (the cores overlap). s ends as the simplex of the witnesses; best
 * begins with the first direction. */
static bool iterate(pairView *pair, const brinkGjkLimits *limits, const brinkGjkCache *warm, simplex *s, proposal *best,
                    uint32_t *iterations) {
  uint32_t cap = limits->maxIterations ? limits->maxIterations : 64;
  nearest point;
  brinkVec3 n = best->normal;
  if (warm && warm->count) { /* hill climbing starts where it ended */
    pair->a.hint = warm->indexA[0];
    pair->b.hint = warm->indexB[0];
  }
  if (!warmSimplex(pair, warm, s)) {
    supportOfPair(pair, n, &s->vertex[s->count++]);
    propose(best, n, &s->vertex[0]);
  }
  if (solveSimplex(s, true, pair->rounding, &point)) return true;
  takeNearest(s, &point);
  uint32_t rescues = 0;
  for (*iterations = 1; *iterations < cap; ++*iterations) {
    double distance = brinkLength(s->v);
    if (distance <= pair->rounding) return true; /* touching */
    if (closeEnough(pair, limits, distance, best->gap)) return false;
    n = brinkScale(s->v, 1.0 / distance);
    if (!(fabs(brinkLengthSquared(n) - 1.0) < 1e-12)) n = brinkNormalizeOr(s->v, best->normal); /* tiny scales */
    simplexVertex *next = &s->vertex[s->count]; /* at most three are left of the last four */
    supportOfPair(pair, n, next);
    propose(best, n, next);
    if (closeEnough(pair, limits, distance, best->gap)) return false;
    bool progress = !simplexHas(s, next->w);
    if (progress) {
      ++s->count;
      if (solveSimplex(s, false, pair->rounding, &point)) return true;
      progress = point.squared < brinkLengthSquared(s->v);
      if (!progress) --s->count;
    }
    if (!progress) { /* rounding: let the features propose, and go on from what that brings */
      brinkVec3 normals[4];
      uint32_t normalCount = rescues++ < 4 ? featureNormals(pair, s, normals) : 0;
      for (uint32_t i = 0; i < normalCount && !progress; ++i) {
        brinkVec3 line = brinkDot(normals[i], s->v) < 0.0 ? brinkNeg(normals[i]) : normals[i];
        supportOfPair(pair, line, next);
        propose(best, line, next);
        if (simplexHas(s, next->w)) continue;
        ++s->count;
        if (solveSimplex(s, true, pair->rounding, &point)) return true;
        progress = point.squared < brinkLengthSquared(s->v);
        if (!progress) --s->count;
      }
      if (!progress) return false;
    }
    takeNearest(s, &point);
  }
  return false;
}

static void witnesses(const simplex *s, bool inside, brinkVec3 *x, brinkVec3 *y) {
  *x = *y = brinkV3(0, 0, 0);
  double lambda[4];
  memcpy(lambda, s->lambda, sizeof lambda);
  if (inside && s->count == 4) { /* barycentric coordinates of the origin in the tetrahedron */
    double volume[4], sum = 0.0;
    for (uint32_t i = 0; i < 4; ++i) {
      brinkVec3 p = s->vertex[(i + 1) & 3].w, q = s->vertex[(i + 2) & 3].w, r = s->vertex[(i + 3) & 3].w;
      volume[i] = fabs(brinkDot(p, brinkCross(q, r)));
      sum += volume[i];
    }
    for (uint32_t i = 0; i < 4; ++i) lambda[i] = sum > 0.0 ? volume[i] / sum : 0.25;
  }
  for (uint32_t i = 0; i < s->count; ++i) {
    *x = brinkMulAdd(*x, lambda[i], s->vertex[i].a);
    *y = brinkMulAdd(*y, lambda[i], s->vertex[i].b);
  }
}

/* ---- pairs of points, segments and triangles: all features, when the iteration is left in doubt */

typedef struct featurePair {
  double squared;
  brinkVec3 x, y;
  uint32_t countA, countB; /* vertices of the features */
  uint32_t indexA[3], indexB[3];
} featurePair;

static const uint32_t nextOf[3] = {1, 2, 0};
static uint32_t edgeCount(uint32_t vertices) { return vertices == 3 ? 3 : vertices - 1; }

static void keepPair(featurePair *best, brinkVec3 x, brinkVec3 y, uint32_t countA, const uint32_t *indexA,
                     uint32_t countB, const uint32_t *indexB) {
  brinkVec3 v = brinkSub(y, x);
  double squared = brinkLengthSquared(v);
  if (!(squared < best->squared)) return;
  *best = (featurePair){.squared = squared, .x = x, .y = y, .countA = countA, .countB = countB};
  memcpy(best->indexA, indexA, countA * sizeof *indexA);
  memcpy(best->indexB, indexB, countB * sizeof *indexB);
}

/* point p against segment q0 q1: parameter in [0,1] */
static double pointOnSegment(brinkVec3 p, brinkVec3 q0, brinkVec3 edge, double lengthSquared) {
  double along = brinkDot(brinkSub(p, q0), edge);
  if (!(along > 0.0)) return 0.0;
  return along < lengthSquared ? along / lengthSquared : 1.0;
}

/* vertex p against the inside of triangle q; lambda when the foot is inside */
static bool footInTriangle(brinkVec3 p, const brinkVec3 q[3], double lambda[3]) {
  brinkVec3 a = brinkSub(q[0], p), b = brinkSub(q[1], p), c = brinkSub(q[2], p);
  brinkVec3 ab = brinkSub(q[1], q[0]), bc = brinkSub(q[2], q[1]), ca = brinkSub(q[0], q[2]);
  brinkVec3 normal = brinkCross(ab, brinkNeg(ca));
  lambda[0] = brinkDot(normal, brinkCross(b, bc));
  lambda[1] = brinkDot(normal, brinkCross(c, ca));
  lambda[2] = brinkDot(normal, brinkCross(a, ab));
  double sum = lambda[0] + lambda[1] + lambda[2];
  if (!(lambda[0] > 0.0) || !(lambda[1] > 0.0) || !(lambda[2] > 0.0) || !(sum > 0.0)) return false;
  for (int i = 0; i < 3; ++i) lambda[i] /= sum;
  return true;
}

static brinkVec3 combine(const brinkVec3 q[3], const double lambda[3]) {
  return brinkAdd(brinkScale(q[0], lambda[0]), brinkAdd(brinkScale(q[1], lambda[1]), brinkScale(q[2], lambda[2])));
}

static void vertexAgainst(featurePair *best, const brinkPlacedPiece *a, const brinkPlacedPiece *b, bool swapped) {
  static const uint32_t whole[3] = {0, 1, 2};
  uint32_t edges = edgeCount(b->few);
  for (uint32_t i = 0; i < a->few; ++i) {
    brinkVec3 p = a->points[i];
    for (uint32_t j = 0; j < edges; ++j) {
      const uint32_t ends[2] = {j, nextOf[j]};
      brinkVec3 q = b->points[j], edge = brinkSub(b->points[ends[1]], q);
      double t = pointOnSegment(p, q, edge, brinkLengthSquared(edge));
      brinkVec3 foot = t == 0.0 ? q : t == 1.0 ? b->points[ends[1]] : brinkMulAdd(q, t, edge);
      const uint32_t *indices = t == 1.0 ? ends + 1 : ends;
      uint32_t count = t == 0.0 || t == 1.0 ? 1 : 2;
      if (swapped)
        keepPair(best, foot, p, count, indices, 1, &i);
      else
        keepPair(best, p, foot, 1, &i, count, indices);
    }
    double lambda[3];
    if (b->few == 3 && footInTriangle(p, b->points, lambda)) {
      brinkVec3 foot = combine(b->points, lambda);
      if (swapped)
        keepPair(best, foot, p, 3, whole, 1, &i);
      else
        keepPair(best, p, foot, 1, &i, 3, whole);
    }
  }
}

/* Common perpendicular of two segments. Through the cross product of the edges the parameters err by eps/angle, not
 * eps/angle^2, so nearly parallel edges keep an exact distance. */
static void edgeAgainstEdge(featurePair *best, const brinkPlacedPiece *a, const brinkPlacedPiece *b) {
  for (uint32_t i = 0; i < edgeCount(a->few); ++i)
    for (uint32_t j = 0; j < edgeCount(b->few); ++j) {
      brinkVec3 p = a->points[i], d1 = brinkSub(a->points[nextOf[i]], p);
      brinkVec3 q = b->points[j], d2 = brinkSub(b->points[nextOf[j]], q);
      brinkVec3 normal = brinkCross(d1, d2), r = brinkSub(q, p);
      double size = brinkLengthSquared(normal);
      double s = brinkDot(brinkCross(r, d2), normal), t = brinkDot(brinkCross(r, d1), normal);
      if (!(s > 0.0) || !(s < size) || !(t > 0.0) || !(t < size)) continue;
      const uint32_t endsA[2] = {i, nextOf[i]}, endsB[2] = {j, nextOf[j]};
      keepPair(best, brinkMulAdd(p, s / size, d1), brinkMulAdd(q, t / size, d2), 2, endsA, 2, endsB);
    }
}

static void keepGap(const pairView *pair, brinkVec3 line, double *gap, brinkVec3 *normal) {
  brinkVec3 n = brinkNormalizeOr(line, brinkV3(0, 0, 0));
  if (brinkLengthSquared(n) == 0.0) return;
  for (int sign = 0; sign < 2; ++sign) {
    double value = coreGap(pair, n);
    if (value > *gap) {
      *gap = value;
      *normal = n;
    }
    n = brinkNeg(n);
  }
}

/* Separating axes of two simplices of at most three vertices, complete: the normals of D and, for flat D, those in its
 * plane. Gap and direction of the best: positive = apart, else minus the depth. */
static void separatingAxes(const pairView *pair, double *gap, brinkVec3 *normal) {
  const brinkPlacedPiece *sides[2] = {&pair->a, &pair->b};
  for (int side = 0; side < 2; ++side) {
    const brinkVec3 *p = sides[side]->points;
    if (sides[side]->few < 3) continue;
    brinkVec3 face = brinkCross(brinkSub(p[1], p[0]), brinkSub(p[2], p[0]));
    keepGap(pair, face, gap, normal);
    for (int other = 0; other < 2; ++other) /* coplanar pairs: normals of the edges in this plane */
      for (uint32_t j = 0; j < edgeCount(sides[other]->few); ++j)
        keepGap(pair, brinkCross(face, brinkSub(sides[other]->points[nextOf[j]], sides[other]->points[j])), gap,
                normal);
  }
  for (int side = 0; side < 2; ++side) /* collinear pairs: any perpendicular */
    for (uint32_t j = 0; j < edgeCount(sides[side]->few); ++j) {
      brinkVec3 edge = brinkSub(sides[side]->points[nextOf[j]], sides[side]->points[j]), size = brinkAbsV3(edge);
      brinkVec3 axis = size.x <= size.y && size.x <= size.z ? brinkV3(1, 0, 0)
                       : size.y <= size.z                   ? brinkV3(0, 1, 0)
                                                            : brinkV3(0, 0, 1);
      brinkVec3 perpendicular = brinkCross(edge, axis);
      keepGap(pair, perpendicular, gap, normal);
      keepGap(pair, brinkCross(edge, perpendicular), gap, normal);
    }
  if (pair->a.few == 1 && pair->b.few == 1) keepGap(pair, brinkV3(0, 0, 1), gap, normal);
  for (uint32_t i = 0; i < edgeCount(pair->a.few); ++i)
    for (uint32_t j = 0; j < edgeCount(pair->b.few); ++j)
      keepGap(pair,
              brinkCross(brinkSub(pair->a.points[nextOf[i]], pair->a.points[i]),
                         brinkSub(pair->b.points[nextOf[j]], pair->b.points[j])),
              gap, normal);
}

/* Does an edge of `a` pass through the inside of triangle b? Where. */
static bool edgePierces(const brinkPlacedPiece *a, const brinkPlacedPiece *b, brinkVec3 *where) {
  if (b->few < 3) return false;
  const brinkVec3 *q = b->points;
  brinkVec3 normal = brinkCross(brinkSub(q[1], q[0]), brinkSub(q[2], q[0]));
  for (uint32_t i = 0; i < edgeCount(a->few); ++i) {
    brinkVec3 p0 = a->points[i], p1 = a->points[nextOf[i]];
    double h0 = brinkDot(normal, brinkSub(p0, q[0])), h1 = brinkDot(normal, brinkSub(p1, q[0]));
    if ((h0 > 0.0) == (h1 > 0.0) || h0 == h1) continue;
    brinkVec3 p = brinkMulAdd(p0, h0 / (h0 - h1), brinkSub(p1, p0));
    double lambda[3];
    if (!footInTriangle(p, q, lambda)) continue;
    *where = combine(q, lambda);
    return true;
  }
  return false;
}

/* Exact features and complete axes, after the iteration came to rest without a tight answer: x, y, gap and normal are
 * replaced where these are better. True when the pieces cross. */
static bool fewFeatures(const pairView *pair, featurePair *best, double *gap, brinkVec3 *normal) {
  vertexAgainst(best, &pair->a, &pair->b, false);
  vertexAgainst(best, &pair->b, &pair->a, true);
  edgeAgainstEdge(best, &pair->a, &pair->b);
  double distance = sqrt(best->squared);
  brinkVec3 direct = brinkNormalizeOr(brinkSub(best->y, best->x), brinkV3(0, 0, 0));
  double directGap = brinkLengthSquared(direct) > 0.0 ? coreGap(pair, direct) : -HUGE_VAL;
  if (directGap > *gap) {
    *gap = directGap;
    *normal = direct;
  }
  if (distance - *gap <= 1e-13 * distance + 0.25 * pair->rounding) return false;
  separatingAxes(pair, gap, normal);
  brinkVec3 where;
  bool inside =
      *gap <= pair->rounding && (edgePierces(&pair->a, &pair->b, &where) || edgePierces(&pair->b, &pair->a, &where));
  if (inside) best->x = best->y = where;
  return inside;
}

static void fewSeparation(pairView *pair, const brinkGjkLimits *limits, const brinkGjkCache *warm,
                          brinkSeparation *out) {
  simplex s;
  proposal proposed = {.gap = -HUGE_VAL, .normal = firstDirection(pair, warm)};
  bool inside = iterate(pair, limits, warm, &s, &proposed, &out->iterations);
  brinkVec3 x, y;
  if (!inside && closeEnough(pair, limits, brinkLength(s.v), proposed.gap)) {
    witnesses(&s, false, &x, &y);
    writeSimplex(&s, false, &out->simplex);
    writeAnswer(pair, x, y, certifiedProposal(pair, &proposed), proposed.normal, false, out);
    return;
  }
  witnesses(&s, inside, &x, &y);
  featurePair best = {.squared = INFINITY};
  static const uint32_t first = 0;
  keepPair(&best, pair->a.points[0], pair->b.points[0], 1, &first, 1, &first);
  inside = fewFeatures(pair, &best, &proposed.gap, &proposed.normal);
  uint32_t count = 0;
  for (uint32_t i = 0; i < best.countA; ++i) {
    out->simplex.indexA[count] = best.indexA[i];
    out->simplex.indexB[count++] = best.indexB[0];
  }
  for (uint32_t i = 1; i < best.countB; ++i) {
    out->simplex.indexA[count] = best.indexA[0];
    out->simplex.indexB[count++] = best.indexB[i];
  }
  out->simplex.count = count;
  if (!inside &&
      brinkDistance(x, y) < brinkDistance(best.x, best.y)) { /* slivers: the iteration's pair is the nearer */
    best.x = x;
    best.y = y;
    writeSimplex(&s, s.count == 4, &out->simplex);
  }
  writeAnswer(pair, best.x, best.y, certifiedProposal(pair, &proposed), proposed.normal, inside, out);
}

static void iteratedSeparation(pairView *pair, const brinkGjkLimits *limits, const brinkGjkCache *warm,
                               brinkSeparation *out) {
  simplex s;
  proposal best = {.gap = -HUGE_VAL, .normal = firstDirection(pair, warm)};
  bool inside = iterate(pair, limits, warm, &s, &best, &out->iterations);
  double distance = inside ? 0.0 : brinkLength(s.v);
  /* where v is short its direction is noise: the features know better */
  if (!closeEnough(pair, limits, distance, best.gap) && s.count >= 2 && !(inside && s.count == 4)) {
    brinkVec3 normals[4];
    uint32_t normalCount = featureNormals(pair, &s, normals);
    for (uint32_t i = 0; i < normalCount; ++i)
      for (int sign = 0; sign < 2; ++sign) {
        brinkVec3 line = sign ? brinkNeg(normals[i]) : normals[i];
        simplexVertex vertex;
        supportOfPair(pair, line, &vertex);
        propose(&best, line, &vertex);
      }
  }
  const bool deep = inside && s.count == 4; /* EPA's */
  if (!deep && !closeEnough(pair, limits, distance, best.gap)) sharpen(pair, best.normal, &best);
  if ((brinkPiece_IsCurved(pair->a.piece) || brinkPiece_IsCurved(pair->b.piece)) && !inside &&
      !closeEnough(pair, limits, distance, best.gap))
    turnAboutEdges(pair, &best);
  brinkVec3 x, y;
  witnesses(&s, inside, &x, &y);
  writeSimplex(&s, inside && s.count == 4, &out->simplex);
  writeAnswer(pair, x, y, certifiedProposal(pair, &best), best.normal, inside, out);
}

void brinkGjk(const brinkPiece *a, const brinkRigid *poseA, const brinkPiece *b, const brinkRigid *poseB,
              const brinkGjkLimits *limits, const brinkGjkCache *warm, brinkSeparation *out) {
  brinkGjkCache copy; /* warm may live inside out */
  if (warm) {
    copy = *warm;
    warm = &copy;
  }
  *out = (brinkSeparation){.iterations = 1};
  if (a->kind == brink_pieceHalfSpace || b->kind == brink_pieceHalfSpace) {
    planeSeparation(a, poseA, b, poseB, out);
    return;
  }
  pairView pair;
  viewPair(a, poseA, b, poseB, &pair);
  if (pair.a.few && pair.a.few <= 3 && pair.b.few && pair.b.few <= 3)
    fewSeparation(&pair, limits, warm, out);
  else
    iteratedSeparation(&pair, limits, warm, out);
}

/* ---- features */

static bool hullEdge(const brinkPiece *piece, uint32_t i, uint32_t j) {
  if (!piece->neighborStart) return true; /* not known to be a diagonal */
  for (uint32_t k = piece->neighborStart[i]; k < piece->neighborStart[i + 1]; ++k)
    if (piece->neighbors[k] == j) return true;
  return false;
}

/* A vertex that shares a face with the diagonal i j: a common neighbour. */
static bool thirdOfFace(const brinkPiece *piece, uint32_t i, uint32_t j, uint32_t *third) {
  for (uint32_t k = piece->neighborStart[i]; k < piece->neighborStart[i + 1]; ++k)
    if (hullEdge(piece, piece->neighbors[k], j)) {
      *third = piece->neighbors[k];
      return true;
    }
  return false;
}

static uint32_t featureOf(const brinkPiece *piece, const uint32_t *indices, uint32_t count, uint32_t vertices[3]) {
  vertices[0] = vertices[1] = vertices[2] = 0;
  if (piece->kind == brink_pieceHalfSpace) return 3;
  if (brinkPiece_IsCurved(piece) || count == 0) return 0;
  uint32_t found[4], kind = BRINK_MIN(distinct(indices, count, found), 3u);
  if (kind == 2 && piece->kind == brink_pieceBox) {
    uint32_t difference = found[0] ^ found[1], lowest = difference & (0u - difference);
    if (difference != lowest) { /* a diagonal */
      found[2] = found[0] ^ lowest;
      kind = 3;
    }
  } else if (kind == 2 && !hullEdge(piece, found[0], found[1]) && thirdOfFace(piece, found[0], found[1], &found[2])) {
    kind = 3;
  }
  for (uint32_t i = 0; i < kind; ++i)
    vertices[i] = piece->kind == brink_piecePoints && piece->vertexIds ? piece->vertexIds[found[i]] : found[i];
  return kind;
}

void brinkWitnessFeatures(const brinkPiece *a, const brinkPiece *b, const brinkSeparation *separation, uint32_t *kindA,
                          uint32_t verticesA[3], uint32_t *kindB, uint32_t verticesB[3]) {
  *kindA = featureOf(a, separation->simplex.indexA, separation->simplex.count, verticesA);
  *kindB = featureOf(b, separation->simplex.indexB, separation->simplex.count, verticesB);
}
