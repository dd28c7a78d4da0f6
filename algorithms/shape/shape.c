/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes and convex pieces: support points, proven support values, bounds.
 *
 * Rounding: every bound adds the error of its own arithmetic. A dot product of three terms errs by less than
 * 4 DBL_EPSILON |d| |x| (DBL_EPSILON = 2u; gamma_3 = 3u / (1 - 3u)); lengths and radii are scaled by 1 + 4 DBL_EPSILON.
 * Units: m. */
#include "shape.h"

#include "largest_product.h"
#include "simd.h"

#define ROUND_UP (1.0 + 4.0 * DBL_EPSILON)

/* ---- lengths and balls */

double brinkLengthBound(brinkVec3 v) {
  double squared = brinkLengthSquared(v);
  if (squared > 1e-280 && squared < 1e300) return sqrt(squared) * ROUND_UP;
  double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
  if (largest == 0.0 || !isfinite(largest)) return largest;
  brinkVec3 s = {v.x / largest, v.y / largest, v.z / largest};
  return nextafter(largest * (brinkLength(s) * ROUND_UP) * ROUND_UP, INFINITY);
}

static const double *pointAt(const double *points, const uint32_t *ids, uint32_t i) {
  return &points[3 * (size_t)(ids ? ids[i] : i)];
}

double brinkMakeBallRadius(const double *points, const uint32_t *ids, uint32_t count, brinkVec3 center) {
  double largest = 0.0;
  for (uint32_t i = 0; i < count; ++i) {
    brinkVec3 away = brinkSub(brinkV3_FromArray(pointAt(points, ids, i)), center);
    double squared = brinkLengthSquared(away);
    if (squared > 1e-280 && squared < 1e300)
      largest = fmax(largest, squared);
    else if (squared != 0.0 || brinkLengthBound(away) != 0.0) { /* out of the squares' range: one by one */
      double radius = 0.0;
      for (uint32_t k = 0; k < count; ++k)
        radius = fmax(radius, brinkLengthBound(brinkSub(brinkV3_FromArray(pointAt(points, ids, k)), center)));
      return radius;
    }
  }
  return sqrt(largest) * ROUND_UP;
}

/* ---- support */

brinkVec3 brinkPiece_Vertex(const brinkPiece *piece, uint32_t index) {
  switch (piece->kind) {
    case brink_piecePoints:
      return piece->columns != NULL ? brinkPointColumns_Point(piece->columns, index)
                                    : brinkV3_FromArray(&piece->vertices[3 * (size_t)index]);
    case brink_pieceBox:
      return brinkV3(piece->center.x + (index & 1u ? piece->half.x : -piece->half.x),
                     piece->center.y + (index & 2u ? piece->half.y : -piece->half.y),
                     piece->center.z + (index & 4u ? piece->half.z : -piece->half.z));
    case brink_pieceHalfSpace:
      return brinkScale(piece->normal, piece->offset);
    case brink_pieceCylinder:
    case brink_pieceSupport:
      break;
  }
  return piece->center;
}

/* First of the furthest vertices; four at a time so that the products overlap. */
static uint32_t scanVertices(const double *vertices, uint32_t count, brinkVec3 d, double *value) {
  uint32_t best = 0, i = 0;
  double bestValue = -INFINITY;
  for (; i + 4 <= count; i += 4) {
    const double *v = &vertices[3 * (size_t)i];
    double d0 = v[0] * d.x + v[1] * d.y + v[2] * d.z, d1 = v[3] * d.x + v[4] * d.y + v[5] * d.z;
    double d2 = v[6] * d.x + v[7] * d.y + v[8] * d.z, d3 = v[9] * d.x + v[10] * d.y + v[11] * d.z;
    uint32_t low = d1 > d0 ? i + 1 : i, high = d3 > d2 ? i + 3 : i + 2;
    double lowValue = d1 > d0 ? d1 : d0, highValue = d3 > d2 ? d3 : d2;
    if (highValue > lowValue) {
      low = high;
      lowValue = highValue;
    }
    if (lowValue > bestValue) {
      bestValue = lowValue;
      best = low;
    }
  }
  for (; i < count; ++i) {
    const double *v = &vertices[3 * (size_t)i];
    double product = v[0] * d.x + v[1] * d.y + v[2] * d.z;
    if (product > bestValue) {
      bestValue = product;
      best = i;
    }
  }
  *value = bestValue;
  return best;
}

static uint32_t climb(const brinkPiece *piece, brinkVec3 d, uint32_t start) {
  uint32_t best = start < piece->count ? start : 0;
  double bestValue = brinkDot(brinkPiece_Vertex(piece, best), d);
  for (bool moved = true; moved;) { /* strictly upwards: ends */
    moved = false;
    uint32_t from = best;
    for (uint32_t e = piece->neighborStart[from]; e < piece->neighborStart[from + 1]; ++e) {
      const double *v = &piece->vertices[3 * (size_t)piece->neighbors[e]];
      double value = v[0] * d.x + v[1] * d.y + v[2] * d.z;
      if (value > bestValue) {
        bestValue = value;
        best = piece->neighbors[e];
        moved = true;
      }
    }
  }
  return best;
}

static brinkVec3 supportCylinder(const brinkPiece *piece, brinkVec3 d) {
  double largest = fmax(fabs(d.x), fabs(d.y));
  brinkVec3 p = piece->center;
  p.z += d.z >= 0.0 ? piece->half.z : -piece->half.z;
  if (largest == 0.0) return p; /* along the axis: the cap's centre is as far as its rim */
  double x = d.x / largest, y = d.y / largest, s = piece->half.x / sqrt(x * x + y * y);
  p.x += x * s;
  p.y += y * s;
  return p;
}

/* What the caller's function says along d, made harmless. */
static brinkVec3 supportOfSource(const brinkSupportSource *source, brinkVec3 d) {
  brinkVec3 unit = brinkNormalizeOr(d, brinkV3(0, 0, 1));
  const double direction[3] = {unit.x, unit.y, unit.z};
  double point[3] = {NAN, NAN, NAN};
  source->function(source->user, direction, point);
  brinkVec3 p = brinkV3_FromArray(point);
  if (brinkFiniteV3(p) && brinkLengthBound(p) <= (source->bound + source->rounding) * ROUND_UP) return p;
  return brinkScale(unit, source->bound);
}

uint32_t brinkPiece_Support(const brinkPiece *piece, brinkVec3 d, uint32_t hint, brinkVec3 *point) {
  uint32_t index = 0;
  switch (piece->kind) {
    case brink_piecePoints: {
      double value;
      if (piece->columns != NULL && piece->count <= BRINK_MOST_COLUMNS)
        index = brinkPointColumns_Furthest(piece->columns, piece->count, d);
      else if (piece->count > BRINK_BRUTE_FORCE_VERTICES && piece->neighborStart)
        index = climb(piece, d, hint);
      else
        index = scanVertices(piece->vertices, piece->count, d, &value);
      *point = brinkPiece_Vertex(piece, index);
      break;
    }
    case brink_pieceBox:
      index = (d.x >= 0.0 ? 1u : 0u) | (d.y >= 0.0 ? 2u : 0u) | (d.z >= 0.0 ? 4u : 0u);
      *point = brinkPiece_Vertex(piece, index);
      break;
    case brink_pieceCylinder:
      *point = supportCylinder(piece, d);
      break;
    case brink_pieceHalfSpace:
      *point = brinkPiece_Vertex(piece, 0);
      break;
    case brink_pieceSupport:
      *point = supportOfSource(piece->support, d);
      break;
  }
  return index;
}

static double supportHalfSpace(const brinkPiece *piece, brinkVec3 d, double length) {
  brinkVec3 n = piece->normal;
  bool along = d.y * n.z == d.z * n.y && d.z * n.x == d.x * n.z && d.x * n.y == d.y * n.x && brinkDot(d, n) >= 0.0;
  if (!along) return INFINITY;
  /* length is rounded up: too large is safe only for positive offsets */
  return piece->offset >= 0.0 ? piece->offset * length * ROUND_UP : piece->offset * length * (1.0 - 16.0 * DBL_EPSILON);
}

/* Error: with L = |d| reach >= |d.x| for every x of the core, the products err by 3u L and the last two sums by 2u
 * more; 8 DBL_EPSILON = 16u of L (in the 1-norms, which are larger) covers that, DBL_MIN what underflows. */
static double supportRounding(const brinkPiece *piece, brinkVec3 d) {
  double length = fabs(d.x) + fabs(d.y) + fabs(d.z);
  double reach = fabs(piece->center.x) + fabs(piece->center.y) + fabs(piece->center.z) + piece->boundRadius;
  return 8.0 * DBL_EPSILON * length * reach + 8.0 * DBL_MIN * (length > 0.0);
}

double brinkPiece_CoreSupportValueAt(const brinkPiece *piece, brinkVec3 d, uint32_t index) {
  if (piece->kind != brink_piecePoints || piece->columns == NULL || piece->count > BRINK_MOST_COLUMNS)
    return brinkPiece_CoreSupportValue(piece, d);
  return brinkDot(brinkPointColumns_Point(piece->columns, index), d) + supportRounding(piece, d);
}

double brinkPiece_CoreSupportValue(const brinkPiece *piece, brinkVec3 d) {
  double value = 0.0;
  switch (piece->kind) {
    case brink_piecePoints:
      value = piece->columns != NULL ? brinkPointColumns_LargestProduct(piece->columns, piece->count, d)
                                     : brinkLargestProduct(piece->vertices, piece->count, d);
      break;
    case brink_pieceBox:
      value = brinkDot(piece->center, d) + fabs(d.x) * piece->half.x + fabs(d.y) * piece->half.y +
              fabs(d.z) * piece->half.z;
      break;
    case brink_pieceCylinder:
      value = brinkDot(piece->center, d) + piece->half.x * brinkLengthBound(brinkV3(d.x, d.y, 0.0)) +
              fabs(d.z) * piece->half.z;
      break;
    case brink_pieceHalfSpace:
      return supportHalfSpace(piece, d, brinkLengthBound(d));
    case brink_pieceSupport: /* the unit direction it is asked about is off by 4u: no more than 2 eps of reach */
      value =
          brinkDot(supportOfSource(piece->support, d), d) + piece->support->rounding * brinkLengthBound(d) * ROUND_UP;
      break;
  }
  return value + supportRounding(piece, d);
}

double brinkPiece_SupportValue(const brinkPiece *piece, brinkVec3 d) {
  double core = brinkPiece_CoreSupportValue(piece, d);
  return piece->radius > 0.0 ? core + piece->radius * brinkLengthBound(d) * ROUND_UP : core;
}

brinkPiece brinkMakePointPiece(const double vertices[], uint32_t count, double radius) {
  brinkPiece piece = {.kind = brink_piecePoints, .count = count, .vertices = vertices, .radius = radius};
  brinkVec3 low = brinkV3_FromArray(vertices), high = low;
  for (uint32_t i = 1; i < count; ++i) {
    low = brinkMinV3(low, brinkV3_FromArray(&vertices[3 * (size_t)i]));
    high = brinkMaxV3(high, brinkV3_FromArray(&vertices[3 * (size_t)i]));
  }
  piece.center = brinkAdd(brinkScale(low, 0.5), brinkScale(high, 0.5));
  piece.boundRadius = brinkMakeBallRadius(vertices, NULL, count, piece.center);
  return piece;
}
