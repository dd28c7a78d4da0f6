/* SPDX-License-Identifier: BSD-3-Clause */
/* Quadratics over pairs of features.
 *
 * Two balls, both bodies moving, a margin c: reach (R_A sigma_A(x) + R_B sigma_B(y) + c)^2 <= R_A^2 sigma_A^2/l1 +
 * R_B^2 sigma_B^2/l2
 * + c^2/l3 for any l1 + l2 + l3 = 1 (Cauchy); with l_i in proportion to the largest values of the three terms it is
 * nearly equal, and exact when there is only one of them. (Theory D4.7 with z = l2/l1.) edges x = a + s d, y = b
 * + t e, D = ga(a) - gb(b):   H = [d.d - al c_a, -d.e; -d.e, e.e - be c_b], least inside where H is positive definite,
 * else on the border: corner against edge, one variable; concave there: at the ends (Remark 1 falls out) corner against
 * face: y = o + u f1 + v f2: interior of the polygon only, its border is the edges' business. Completeness: the least Q
 * over disjoint polygons is never at another pair of features (theory D4.5); that they are disjoint at the
 * centres: no edge of one crosses the other's interior. Rounding: sums of about 30 products; Q must exceed SLACK of the
 * magnitudes. */
#include "fat_features.h"

#define SLACK 0x1p-40
#define FLAT 1e-9 /* of the polygon's size: how far its corners may be from its plane */

/* ---- polygons */

static bool frameOf(brinkFatPolygon *p) {
  double size = 0.0;
  brinkVec3 sum = {0, 0, 0};
  for (uint32_t i = 1; i < p->count; ++i) {
    size = fmax(size, brinkDistance(p->corner[i], p->corner[0]));
    if (i + 1 < p->count)
      sum = brinkAdd(sum, brinkCross(brinkSub(p->corner[i], p->corner[0]), brinkSub(p->corner[i + 1], p->corner[0])));
  }
  if (!(brinkLength(sum) > 1e-12 * size * size)) return false;
  p->normal = brinkNormalizeOr(sum, brinkV3(0, 0, 1));
  p->e1 = brinkSub(p->corner[1], p->corner[0]);
  p->e1 = brinkNormalizeOr(brinkMulAdd(p->e1, -brinkDot(p->e1, p->normal), p->normal), brinkV3(1, 0, 0));
  p->e2 = brinkCross(p->normal, p->e1);
  for (uint32_t i = 0; i < p->count; ++i) {
    brinkVec3 d = brinkSub(p->corner[i], p->corner[0]);
    if (fabs(brinkDot(d, p->normal)) > FLAT * size) return false;
    p->flat[i][0] = brinkDot(d, p->e1);
    p->flat[i][1] = brinkDot(d, p->e2);
  }
  for (uint32_t i = 0; i < p->count; ++i) { /* convex: every turn to the left */
    const double *a = p->flat[i], *b = p->flat[(i + 1) % p->count], *c = p->flat[(i + 2) % p->count];
    if ((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < -FLAT * size * size) return false;
  }
  return true;
}

bool brinkMakeFatPolygon(const double *vertices, const uint32_t *ids, uint32_t count, const brinkObjectMetric *metric,
                         brinkFatPolygon *out) {
  if (count == 0 || count > BRINK_FAT_CORNERS) return false;
  memset(out, 0, sizeof *out);
  out->count = count;
  for (uint32_t i = 0; i < count; ++i) {
    out->corner[i] = brinkV3_FromArray(&vertices[3 * ids[i]]);
    out->spread[i] = brinkObjectMetric_Spread(metric, out->corner[i]);
    out->widest = fmax(out->widest, out->spread[i] * (1.0 + 1e-11));
  }
  out->still = 1.0 / metric->mass;
  for (uint32_t i = 0; i < count; ++i) {
    brinkVec3 d = brinkSub(out->corner[(i + 1) % count], out->corner[i]);
    out->bend[i] = brinkDot(d, brinkMulMV(&metric->inverse, d));
  }
  if (count < 3) return true;
  if (!frameOf(out)) return false;
  brinkVec3 t1 = brinkMulMV(&metric->inverse, out->e1), t2 = brinkMulMV(&metric->inverse, out->e2);
  brinkVec3 from = brinkSub(out->corner[0], metric->center);
  out->b11 = brinkDot(out->e1, t1);
  out->b12 = brinkDot(out->e1, t2);
  out->b22 = brinkDot(out->e2, t2);
  out->g1 = brinkDot(from, t1);
  out->g2 = brinkDot(from, t2);
  return true;
}

static bool holdsFlat(const brinkFatPolygon *p, double u, double v, double slack) {
  for (uint32_t i = 0; i < p->count; ++i) {
    const double *a = p->flat[i], *b = p->flat[(i + 1) % p->count];
    if ((b[0] - a[0]) * (v - a[1]) - (b[1] - a[1]) * (u - a[0]) < -slack) return false;
  }
  return true;
}

/* ---- shapes */

brinkFatEdge brinkMakeFatEdge(brinkVec3 a, brinkVec3 b, const brinkObjectMetric *metric) {
  brinkFatEdge edge;
  double length = brinkDistance(a, b);
  edge.direction = brinkNormalizeOr(brinkSub(b, a), brinkV3(1, 0, 0));
  brinkVec3 turned = brinkMulMV(&metric->inverse, edge.direction);
  edge.be = brinkDot(edge.direction, turned);
  double least = -brinkDot(turned, brinkSub(a, metric->center)) / edge.be;
  edge.center = brinkMulAdd(a, least, edge.direction);
  edge.k0 = sqrt(brinkObjectMetric_DistortionSquare(metric, edge.center));
  edge.t0 = -least;
  edge.t1 = length - least;
  return edge;
}

bool brinkFatEdge_Contains(const brinkFatEdge *edge, double radius, brinkVec3 point) {
  brinkVec3 d = brinkSub(point, edge->center);
  double x = brinkDot(d, edge->direction), rr2 = fmax(0.0, brinkLengthSquared(d) - x * x),
         s = 1.0 - radius * radius * edge->be;
  for (int end = 0; end < 2; ++end) {
    double t = end == 0 ? edge->t0 : edge->t1;
    if ((x - t) * (x - t) + rr2 <= radius * radius * (edge->k0 * edge->k0 + edge->be * t * t)) return true;
  }
  if (!(s > 0.0) || x < s * edge->t0 || x > s * edge->t1) return false;
  return rr2 - radius * radius * edge->be / s * x * x <= radius * radius * edge->k0 * edge->k0;
}

brinkFatFace brinkMakeFatFace(const brinkFatPolygon *polygon, const brinkObjectMetric *metric) {
  brinkFatFace face;
  double determinant = polygon->b11 * polygon->b22 - polygon->b12 * polygon->b12;
  double u = (-polygon->g1 * polygon->b22 + polygon->g2 * polygon->b12) / determinant;
  double v = (-polygon->g2 * polygon->b11 + polygon->g1 * polygon->b12) / determinant;
  face.center = brinkMulAdd(brinkMulAdd(polygon->corner[0], u, polygon->e1), v, polygon->e2);
  face.k0 = sqrt(brinkObjectMetric_DistortionSquare(metric, face.center));
  double angle = 0.5 * atan2(2.0 * polygon->b12, polygon->b11 - polygon->b22), c = cos(angle), s = sin(angle);
  face.d1 = brinkAdd(brinkScale(polygon->e1, c), brinkScale(polygon->e2, s));
  face.d2 = brinkAdd(brinkScale(polygon->e1, -s), brinkScale(polygon->e2, c));
  face.be1 = c * c * polygon->b11 + 2.0 * c * s * polygon->b12 + s * s * polygon->b22;
  face.be2 = s * s * polygon->b11 - 2.0 * c * s * polygon->b12 + c * c * polygon->b22;
  return face;
}

bool brinkFatPolygon_Contains(const brinkFatPolygon *polygon, const brinkObjectMetric *metric, double radius,
                              brinkVec3 point) {
  double r2 = radius * radius;
  for (uint32_t i = 0; i < polygon->count; ++i) {
    if (brinkLengthSquared(brinkSub(point, polygon->corner[i])) <= r2 * (polygon->still + polygon->spread[i]))
      return true;
    brinkFatEdge edge = brinkMakeFatEdge(polygon->corner[i], polygon->corner[(i + 1) % polygon->count], metric);
    if (polygon->count > 1 && brinkFatEdge_Contains(&edge, radius, point)) return true;
  }
  if (polygon->count < 3) return false;
  brinkFatFace face = brinkMakeFatFace(polygon, metric);
  double s1 = 1.0 - r2 * face.be1, s2 = 1.0 - r2 * face.be2;
  if (!(s1 > 0.0) || !(s2 > 0.0)) return false;
  brinkVec3 d = brinkSub(point, face.center);
  double x = brinkDot(d, face.d1), y = brinkDot(d, face.d2), z = brinkDot(d, polygon->normal);
  if (z * z - r2 * face.be1 * x * x / s1 - r2 * face.be2 * y * y / s2 > r2 * face.k0 * face.k0) return false;
  brinkVec3 foot = brinkMulAdd(brinkMulAdd(face.center, x / s1, face.d1), y / s2, face.d2); /* Prop. 1, backwards */
  brinkVec3 from = brinkSub(foot, polygon->corner[0]);
  return holdsFlat(polygon, brinkDot(from, polygon->e1), brinkDot(from, polygon->e2), 0.0);
}

/* ---- the tests */

typedef struct Placed { /* a polygon at the centre of its ball */
  const brinkFatPolygon *p;
  brinkVec3 corner[BRINK_FAT_CORNERS], edge[BRINK_FAT_CORNERS], f1, f2;
  double square[BRINK_FAT_CORNERS]; /* sigma^2 at the corners */
  double weight;                    /* of sigma^2 in Q */
  uint32_t edges;
} Placed;

static double stillOf(const brinkFatSide *side) { return side->still > 0.0 ? side->still : side->polygon->still; }

static Placed place(const brinkFatSide *side, double weight) {
  Placed out;
  double still = stillOf(side);
  out.p = side->polygon;
  out.weight = weight;
  out.edges = out.p->count > 2 ? out.p->count : out.p->count - 1;
  for (uint32_t i = 0; i < out.p->count; ++i) {
    out.corner[i] = brinkApply(side->center, out.p->corner[i]);
    out.square[i] = still + out.p->spread[i];
  }
  for (uint32_t i = 0; i < out.edges; ++i) out.edge[i] = brinkSub(out.corner[(i + 1) % out.p->count], out.corner[i]);
  if (out.p->count > 2) {
    out.f1 = brinkMulMV(&side->center->r, out.p->e1);
    out.f2 = brinkMulMV(&side->center->r, out.p->e2);
  }
  return out;
}

/* sigma^2 along edge i: square + 2 s slope + s^2 bend */
static double slopeOf(const brinkFatPolygon *p, uint32_t i) {
  return 0.5 * (p->spread[(i + 1) % p->count] - p->spread[i] - p->bend[i]);
}

static double least1(double c, double g, double h) { /* of c + 2 g s + h s^2 on [0,1] */
  double least = fmin(c, c + 2.0 * g + h);
  if (h > 0.0 && g < 0.0 && -g < h) least = fmin(least, c - g * g / h);
  return least;
}

/* Corner i of P against edge j of F: Q along the edge. */
static double cornerEdge(const Placed *p, uint32_t i, const Placed *f, uint32_t j, double margin2) {
  brinkVec3 d = brinkSub(p->corner[i], f->corner[j]);
  double c = brinkLengthSquared(d) - p->weight * p->square[i] - f->weight * f->square[j] - margin2;
  double g = -brinkDot(d, f->edge[j]) - f->weight * slopeOf(f->p, j);
  return least1(c, g, brinkLengthSquared(f->edge[j]) - f->weight * f->p->bend[j]);
}

/* Both inside their edges; +inf when the least is elsewhere. */
static double edgeEdge(const Placed *p, uint32_t i, const Placed *f, uint32_t j, double margin2) {
  brinkVec3 d = brinkSub(p->corner[i], f->corner[j]);
  double haa = brinkLengthSquared(p->edge[i]) - p->weight * p->p->bend[i],
         hbb = brinkLengthSquared(f->edge[j]) - f->weight * f->p->bend[j];
  double hab = -brinkDot(p->edge[i], f->edge[j]), determinant = haa * hbb - hab * hab;
  if (!(haa > 0.0) || !(hbb > 0.0) || !(determinant > 1e-14 * haa * hbb)) return HUGE_VAL;
  double ga = brinkDot(d, p->edge[i]) - p->weight * slopeOf(p->p, i),
         gb = -brinkDot(d, f->edge[j]) - f->weight * slopeOf(f->p, j);
  double s = (-ga * hbb + gb * hab) / determinant, t = (-gb * haa + ga * hab) / determinant;
  if (!(s > -1e-9 && s < 1.0 + 1e-9 && t > -1e-9 && t < 1.0 + 1e-9)) return HUGE_VAL;
  double c = brinkLengthSquared(d) - p->weight * p->square[i] - f->weight * f->square[j] - margin2;
  return c + ga * s + gb * t;
}

/* Corner i of P against the inside of F's face. */
static double cornerFace(const Placed *p, uint32_t i, const Placed *f, double margin2) {
  brinkVec3 d = brinkSub(p->corner[i], f->corner[0]);
  double w = f->weight, h11 = brinkLengthSquared(f->f1) - w * f->p->b11,
         h22 = brinkLengthSquared(f->f2) - w * f->p->b22;
  double h12 = brinkDot(f->f1, f->f2) - w * f->p->b12, determinant = h11 * h22 - h12 * h12;
  if (!(h11 > 0.0) || !(h22 > 0.0) || !(determinant > 1e-14 * h11 * h22)) return HUGE_VAL;
  double g1 = -brinkDot(d, f->f1) - w * f->p->g1, g2 = -brinkDot(d, f->f2) - w * f->p->g2;
  double u = (-g1 * h22 + g2 * h12) / determinant, v = (-g2 * h11 + g1 * h12) / determinant;
  double size = fabs(f->p->flat[1][0]) + fabs(u) + fabs(v);
  if (!holdsFlat(f->p, u, v, 1e-9 * size * size)) return HUGE_VAL;
  double c = brinkLengthSquared(d) - p->weight * p->square[i] - w * f->square[0] - margin2;
  return c + g1 * u + g2 * v;
}

/* Does an edge of P pass through the inside of F? In doubt: yes. */
static bool pierces(const Placed *p, const Placed *f, double slack) {
  if (f->p->count < 3) return false;
  brinkVec3 n = brinkCross(f->f1, f->f2);
  double g11 = brinkLengthSquared(f->f1), g22 = brinkLengthSquared(f->f2), g12 = brinkDot(f->f1, f->f2),
         area = g11 * g22 - g12 * g12;
  double length = brinkLength(n);
  if (!(area > 1e-20 * g11 * g22)) return true;
  double height[BRINK_FAT_CORNERS];
  for (uint32_t i = 0; i < p->p->count; ++i) height[i] = brinkDot(n, brinkSub(p->corner[i], f->corner[0]));
  for (uint32_t i = 0; i < p->edges; ++i) {
    double a = height[i], b = height[(i + 1) % p->p->count];
    if ((a > slack * length && b > slack * length) || (a < -slack * length && b < -slack * length)) continue;
    double s = a == b ? 0.5 : fmin(fmax(a / (a - b), 0.0), 1.0);
    brinkVec3 d = brinkSub(brinkMulAdd(p->corner[i], s, p->edge[i]), f->corner[0]);
    double d1 = brinkDot(d, f->f1), d2 = brinkDot(d, f->f2);
    double u = (d1 * g22 - d2 * g12) / area, v = (d2 * g11 - d1 * g12) / area,
           size = fabs(u) + fabs(v) + fabs(f->p->flat[1][0]);
    if (holdsFlat(f->p, u, v, 1e-9 * size * size)) return true;
  }
  return false;
}

brinkFeaturePairs brinkAllFeaturePairs(const brinkFatPolygon *p, const brinkFatPolygon *f) {
  brinkFeaturePairs all = {0, 0, 0, 0, 0};
  uint32_t edgesP = p->count > 2 ? p->count : p->count - 1, edgesF = f->count > 2 ? f->count : f->count - 1;
  for (uint32_t i = 0; i < p->count; ++i)
    for (uint32_t j = 0; j < f->count; ++j) {
      uint64_t bit = (uint64_t)1 << (8 * i + j);
      if (i < edgesP && j < edgesF) all.edgeEdge |= bit;
      if (j < edgesF) all.cornerEdge |= bit;
      if (i < edgesP || p->count == 1) all.edgeCorner |= bit; /* two points: a degenerate pair of its own */
    }
  if (f->count > 2) all.cornerFace = ((uint64_t)1 << p->count) - 1;
  if (p->count > 2) all.faceCorner = ((uint64_t)1 << f->count) - 1;
  return all;
}

static double pointPoint(const Placed *p, uint32_t i, const Placed *f, uint32_t j, double margin2) {
  return brinkLengthSquared(brinkSub(p->corner[i], f->corner[j])) - p->weight * p->square[i] -
         f->weight * f->square[j] - margin2;
}

/* Least Q of a corner against an edge, asked for once: the rims of all larger pairs. A pair counts as excluded for a
 * part of the motion only when Q is positive on all of it, rim included, for this very ball: else a later, smaller
 * ball, for which the rim was excluded already, could not trust it. */
typedef struct Border {
  const Placed *p, *f;
  double margin2;
  double value[2][BRINK_FAT_CORNERS][BRINK_FAT_CORNERS]; /* [0]: corner of P, edge of F; [1]: corner of F, edge of P */
  bool known[2][BRINK_FAT_CORNERS][BRINK_FAT_CORNERS];
} Border;

static double borderOf(Border *border, int side, uint32_t corner, uint32_t edge) {
  double *value = &border->value[side][corner][edge];
  if (!border->known[side][corner][edge])
    *value = side == 0 ? cornerEdge(border->p, corner, border->f, edge, border->margin2)
                       : cornerEdge(border->f, corner, border->p, edge, border->margin2);
  border->known[side][corner][edge] = true;
  return *value;
}

/* A corner against the rim of a polygon. */
static double cornerRim(Border *border, int side, uint32_t corner, const Placed *polygon) {
  double least = HUGE_VAL;
  for (uint32_t edge = 0; edge < polygon->edges; ++edge) least = fmin(least, borderOf(border, side, corner, edge));
  return least;
}

static double edgeRim(Border *border, uint32_t i, uint32_t j) {
  uint32_t nextI = (i + 1) % border->p->p->count, nextJ = (j + 1) % border->f->p->count;
  return fmin(fmin(borderOf(border, 0, i, j), borderOf(border, 0, nextI, j)),
              fmin(borderOf(border, 1, j, i), borderOf(border, 1, nextJ, i)));
}

bool brinkFatPolygons_Apart(const brinkFatSide *side, const brinkFatSide *other, double margin, brinkFeaturePairs *left,
                            uint64_t *tests) {
  double reach[3] = {side->radius * sqrt(stillOf(side) + side->polygon->widest),
                     other->radius * sqrt(stillOf(other) + other->polygon->widest), margin},
         sum = reach[0] + reach[1] + reach[2];
  double wp = reach[0] > 0.0 ? side->radius * side->radius * sum / reach[0] : 0.0;
  double wf = reach[1] > 0.0 ? other->radius * other->radius * sum / reach[1] : 0.0, margin2 = margin * sum;
  Placed p = place(side, wp), f = place(other, wf);
  double size = sum;
  for (uint32_t i = 0; i < p.p->count; ++i)
    for (uint32_t j = 0; j < f.p->count; ++j) size = fmax(size, brinkDistance(p.corner[i], f.corner[j]));
  size += 1e-3 * (brinkLength(p.corner[0]) + brinkLength(f.corner[0])); /* far from the origin differences carry more */
  Border border = {.p = &p, .f = &f, .margin2 = margin2};
  memset(border.known, 0, sizeof border.known);
  double slack = SLACK * size * size;
  for (uint32_t i = 0; i < p.p->count; ++i) {
    uint64_t one = (uint64_t)1 << i;
    if ((left->cornerFace & one) != 0u && ++*tests && cornerFace(&p, i, &f, margin2) > slack &&
        cornerRim(&border, 0, i, &f) > slack)
      left->cornerFace &= ~one;
    for (uint32_t j = 0; j < f.p->count; ++j) {
      uint64_t bit = (uint64_t)1 << (8 * i + j);
      if ((left->cornerEdge & bit) != 0u && ++*tests && borderOf(&border, 0, i, j) > slack) left->cornerEdge &= ~bit;
      if ((left->edgeCorner & bit) != 0u && ++*tests &&
          (p.p->count == 1 ? pointPoint(&p, i, &f, j, margin2) : borderOf(&border, 1, j, i)) > slack)
        left->edgeCorner &= ~bit;
      if ((left->edgeEdge & bit) != 0u && ++*tests && edgeEdge(&p, i, &f, j, margin2) > slack &&
          edgeRim(&border, i, j) > slack)
        left->edgeEdge &= ~bit;
    }
  }
  for (uint32_t j = 0; j < f.p->count; ++j) {
    uint64_t one = (uint64_t)1 << j;
    if ((left->faceCorner & one) != 0u && ++*tests && cornerFace(&f, j, &p, margin2) > slack &&
        cornerRim(&border, 1, j, &p) > slack)
      left->faceCorner &= ~one;
  }
  if ((left->edgeEdge | left->cornerEdge | left->edgeCorner | left->cornerFace | left->faceCorner) != 0u) return false;
  double thin = 1e-12 * size;
  return !pierces(&p, &f, thin) && !pierces(&f, &p, thin);
}
