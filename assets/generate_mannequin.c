/* SPDX-License-Identifier: BSD-3-Clause */
/* A mannequin of 15 parts, 1.75 m and 75 kg: closed surfaces lofted through rounded-square sections, about 1,340
 * triangles each. Standing pose: facing +x, left is +y, feet at z = 0, arms 11 degrees off the body.
 *
 * Neighbours in the skeleton overlap a little at their joint, like balls in sockets; all others are clear by more than
 * 1 cm. Each part's mesh is in its link's frame: origin = centre of its volume, axes as the world's.
 * Based on: body measures and masses near those of de Leva 1996 (adjusted Zatsiorsky-Seluyanov), rounded; the section
 * is the superellipse |x|^n + |y|^n = 1 with n between 2 and 4, blended without powers. */
#include <math.h>

#include "builder.h"

enum { segmentCount = 24, ringCount = 28, maxRings = 32, maxSegments = 24 };

// Rotation of the arms about x: cos and sin of 11.42 degrees from t = 1/10 of (1 - t^2, 2 t) / (1 + t^2).
static const double armCosine = 0.99 / 1.01, armSine = 0.2 / 1.01;

// ------------------------------------------------------------------------------------------------------------ skeleton

static const double shoulderX = -0.008, shoulderY = 0.212, shoulderZ = 1.392;  // m, left shoulder, world

// name, parent, origin, anchor, mass, capsule; origins are the volume centroids to the millimetre (a test compares).
static const brinkMannequinLink skeleton[BRINK_MANNEQUIN_LINKS] = {
    {"pelvis", -1, {-0.004, 0, 0.951}, {0, 0, 0.95}, 11, {0.004, -0.06, -0.006}, {0.004, 0.06, -0.006}, 0.105},
    {"torso", 0, {-0.001, 0, 1.265}, {0, 0, 1.05}, 25, {0.001, 0, -0.095}, {-0.003, 0, 0.095}, 0.125},
    {"head", 1, {0.007, 0, 1.615}, {-0.01, 0, 1.472}, 5.2, {-0.002, 0, -0.055}, {-0.001, 0, 0.045}, 0.088},
    {"upper arm left",
     1,
     {-0.006, 0.235, 1.279},
     {-0.008, 0.212, 1.392},
     2,
     {-0.002, -0.023, 0.113},
     {-0.002, 0.0285, -0.1419},
     0.046},
    {"forearm left",
     3,
     {-0.007, 0.29, 1.005},
     {-0.008, 0.269, 1.11},
     1.2,
     {-0.001, -0.0166, 0.0831},
     {-0.001, 0.027, -0.1325},
     0.037},
    {"hand left",
     4,
     {-0.003, 0.333, 0.785},
     {-0.008, 0.3213, 0.8509},
     0.45,
     {-0.005, -0.0071, 0.0434},
     {-0.005, 0.0056, -0.0791},
     0.026},
    {"upper arm right",
     1,
     {-0.006, -0.235, 1.279},
     {-0.008, -0.212, 1.392},
     2,
     {-0.002, 0.023, 0.113},
     {-0.002, -0.0285, -0.1419},
     0.046},
    {"forearm right",
     6,
     {-0.007, -0.29, 1.005},
     {-0.008, -0.269, 1.11},
     1.2,
     {-0.001, 0.0166, 0.0831},
     {-0.001, -0.027, -0.1325},
     0.037},
    {"hand right",
     7,
     {-0.003, -0.333, 0.785},
     {-0.008, -0.3213, 0.8509},
     0.45,
     {-0.005, 0.0071, 0.0434},
     {-0.005, -0.0056, -0.0791},
     0.026},
    {"thigh left",
     0,
     {0.003, 0.096, 0.739},
     {0, 0.095, 0.9},
     8.75,
     {-0.003, -0.001, 0.136},
     {-0.003, 0.002, -0.209},
     0.07},
    {"shin left",
     9,
     {-0.011, 0.099, 0.323},
     {0, 0.098, 0.49},
     3.25,
     {0.006, -0.001, 0.137},
     {-0.001, 0.001, -0.223},
     0.046},
    {"foot left", 10, {0.04, 0.102, 0.039}, {-0.012, 0.101, 0.085}, 1.25, {-0.085, 0, 0.001}, {0.105, 0, -0.004}, 0.04},
    {"thigh right",
     0,
     {0.003, -0.096, 0.739},
     {0, -0.095, 0.9},
     8.75,
     {-0.003, 0.001, 0.136},
     {-0.003, -0.002, -0.209},
     0.07},
    {"shin right",
     12,
     {-0.011, -0.099, 0.323},
     {0, -0.098, 0.49},
     3.25,
     {0.006, 0.001, 0.137},
     {-0.001, -0.001, -0.223},
     0.046},
    {"foot right",
     13,
     {0.04, -0.102, 0.039},
     {-0.012, -0.101, 0.085},
     1.25,
     {-0.085, 0, 0.001},
     {0.105, 0, -0.004},
     0.04},
};

const brinkMannequinLink *brinkMannequinSkeleton(void) { return skeleton; }

// ------------------------------------------------------------------------------------------------------------- lofting

typedef struct section {        // of a part, at `along` on its axis
  double along;                 // m
  double forward, left;         // m, where the section's middle lies
  double halfDepth, halfWidth;  // m, along x and y
  double squareness;            // 0 = ellipse, 1 = superellipse of n = 4
} section;

typedef struct loft {
  const section *sections;
  int count;
  double start, end;        // m, tips on the axis
  double startCap, endCap;  // m, length over which the ends are rounded
  int rings, segments;
} loft;

static double clampTo(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// Cubic through the table (Hermite, slopes by finite differences); constant outside.
static double between(const section *table, int count, double along, size_t field) {
  const double *first = (const double *)(const void *)table;
  const size_t stride = sizeof(section) / sizeof(double);
#define VALUE(i) first[(size_t)(i)*stride + field]
  if (along <= table[0].along) return VALUE(0);
  if (along >= table[count - 1].along) return VALUE(count - 1);
  int i = 0;
  while (along > table[i + 1].along) ++i;
  const double width = table[i + 1].along - table[i].along, t = (along - table[i].along) / width;
  const int before = i > 0 ? i - 1 : i, after = i + 2 < count ? i + 2 : i + 1;
  const double slope0 = (VALUE(i + 1) - VALUE(before)) / (table[i + 1].along - table[before].along) * width;
  const double slope1 = (VALUE(after) - VALUE(i)) / (table[after].along - table[i].along) * width;
  const double p0 = VALUE(i), p1 = VALUE(i + 1);
#undef VALUE
  return p0 + t * (slope0 + t * (3 * (p1 - p0) - 2 * slope0 - slope1 + t * (2 * (p0 - p1) + slope0 + slope1)));
}

static section sectionAt(const loft *shape, double along) {
  section result = {.along = along};
  double *fields = (double *)(void *)&result;
  for (size_t field = 1; field < sizeof(section) / sizeof(double); ++field)
    fields[field] = between(shape->sections, shape->count, along, field);
  return result;
}

// 1 in the middle, falling like a circle to 0 at both tips.
static double rounding(const loft *shape, double along) {
  double factor = 1;
  const double gaps[2] = {(along - shape->start) / shape->startCap, (shape->end - along) / shape->endCap};
  for (int i = 0; i < 2; ++i) {
    const double gap = clampTo(gaps[i], 0, 1);
    factor *= sqrt(gap * (2 - gap));
  }
  return factor;
}

// Where a ring of the loft lies between 0 and 1: closer together near the tips.
static double ringPlace(int ring, int rings) {
  double c, s;
  brinkCircle((size_t)ring + 1, 2 * ((size_t)rings + 1), &c, &s);
  const double cosinePlace = (1 - c) / 2, evenPlace = (double)(ring + 1) / (rings + 1);
  return 0.7 * cosinePlace + 0.3 * evenPlace;
}

// The point of a section in the direction (c, s); x forward, y left.
static void sectionOutline(const section *at, double factor, double c, double s, double *x, double *y) {
  const double square = 1 / sqrt(sqrt(c * c * c * c + s * s * s * s));
  const double radius = factor * (1 + at->squareness * (square - 1));
  *x = at->forward + at->halfDepth * radius * c;
  *y = at->left + at->halfWidth * radius * s;
}

// What a part adds to the plain loft; may be NULL.
typedef void (*shaper)(brinkVec3 *point, double along, double c, double s, double factor);

// Loft along z.
static void addLoft(brinkBuilder *builder, const loft *shape, double girth, shaper shapePoint) {
  brinkVec3 rings[maxRings * maxSegments];
  for (int ring = 0; ring < shape->rings; ++ring) {
    const double along = shape->start + (shape->end - shape->start) * ringPlace(ring, shape->rings);
    const section at = sectionAt(shape, along);
    const double factor = rounding(shape, along) * girth;
    for (int k = 0; k < shape->segments; ++k) {
      double c, s;
      brinkCircle((size_t)k, (size_t)shape->segments, &c, &s);
      brinkVec3 *point = &rings[ring * shape->segments + k];
      sectionOutline(&at, factor, c, s, &point->x, &point->y);
      point->z = along;
      if (shapePoint != NULL) shapePoint(point, along, c, s, factor);
    }
  }
  const section first = sectionAt(shape, shape->start), last = sectionAt(shape, shape->end);
  brinkBuilder_AddTube(builder, rings, (size_t)shape->rings, (size_t)shape->segments,
                       (brinkVec3){first.forward, first.left, shape->start},
                       (brinkVec3){last.forward, last.left, shape->end});
}

// 1 at 0, 0 from 1 on, smooth.
static double bump(double x) {
  const double rest = 1 - x * x;
  return rest > 0 ? rest * rest : 0;
}

// ----------------------------------------------------------------------------------------------------------------
// parts

#define LOFT(table, from, to, fromCap, toCap) \
  &(loft) { table, (int)(sizeof(table) / sizeof *(table)), from, to, fromCap, toCap, ringCount, segmentCount }

static void shapeHead(brinkVec3 *point, double along, double c, double s, double factor) {
  if (c > 0) {
    point->x += 0.026 * bump((along - 1.612) / 0.034) * bump(s / 0.30) * factor;                               // nose
    point->x += 0.008 * bump((along - 1.552) / 0.022) * bump(s / 0.55) * factor;                               // chin
    point->x -= 0.007 * bump((along - 1.640) / 0.016) * bump((s < 0 ? -s - 0.42 : s - 0.42) / 0.25) * factor;  // eyes
  }
  point->y += (s < 0 ? -0.014 : 0.014) * bump((along - 1.622) / 0.040) * bump((c + 0.10) / 0.28) * factor;  // ears
}

static void shapeTorso(brinkVec3 *point, double along, double c, double s, double factor) {
  if (c > 0)
    point->x += 0.012 * bump((along - 1.335) / 0.075) * bump((s < 0 ? -s - 0.48 : s - 0.48) / 0.42) * factor;  // chest
  if (c < 0) point->x += 0.010 * bump((along - 1.20) / 0.20) * bump(s / 0.30) * factor;  // groove of the spine
}

static void shapePelvis(brinkVec3 *point, double along, double c, double s, double factor) {
  if (c < 0)
    point->x -= 0.016 * bump((along - 0.925) / 0.07) * bump((s < 0 ? -s - 0.5 : s - 0.5) / 0.42) * factor;  // seat
}

static void buildPelvis(brinkBuilder *builder, double girth) {
  static const section table[] = {{0.845, -0.005, 0, 0.075, 0.080, 0.2},
                                  {0.890, -0.005, 0, 0.100, 0.145, 0.3},
                                  {0.940, -0.003, 0, 0.107, 0.165, 0.3},
                                  {0.990, 0.000, 0, 0.102, 0.157, 0.2},
                                  {1.030, 0.002, 0, 0.096, 0.142, 0.2}};
  addLoft(builder, LOFT(table, 0.825, 1.060, 0.055, 0.030), girth, shapePelvis);
}

static void buildTorso(brinkBuilder *builder, double girth) {
  static const section table[] = {{1.050, 0.002, 0, 0.094, 0.136, 0.2},  {1.110, 0.004, 0, 0.094, 0.134, 0.2},
                                  {1.200, 0.002, 0, 0.104, 0.148, 0.3},  {1.300, -0.002, 0, 0.112, 0.160, 0.4},
                                  {1.380, -0.010, 0, 0.100, 0.176, 0.4}, {1.430, -0.014, 0, 0.080, 0.150, 0.2},
                                  {1.470, -0.014, 0, 0.062, 0.080, 0.0}};
  addLoft(builder, LOFT(table, 1.040, 1.490, 0.040, 0.040), girth, shapeTorso);
}

static void buildHead(brinkBuilder *builder, double girth) {
  static const section table[] = {{1.465, -0.014, 0, 0.054, 0.056, 0.0}, {1.505, -0.006, 0, 0.051, 0.053, 0.0},
                                  {1.535, 0.008, 0, 0.066, 0.056, 0.1},  {1.570, 0.014, 0, 0.082, 0.062, 0.2},
                                  {1.630, 0.010, 0, 0.093, 0.071, 0.1},  {1.690, 0.004, 0, 0.097, 0.076, 0.1},
                                  {1.730, 0.002, 0, 0.095, 0.074, 0.1}};
  addLoft(builder, LOFT(table, 1.455, 1.750, 0.022, 0.095), girth, shapeHead);
}

// Arms hang along -z from the shoulder at 0; the builder's transform swings and places them.
static void buildUpperArm(brinkBuilder *builder, double girth) {
  static const section table[] = {{-0.300, 0.000, 0, 0.039, 0.037, 0.1},
                                  {-0.230, 0.002, 0, 0.043, 0.038, 0.1},
                                  {-0.150, 0.005, 0, 0.049, 0.042, 0.0},
                                  {-0.060, 0.002, 0, 0.050, 0.044, 0.0},
                                  {0.000, 0.000, 0, 0.052, 0.047, 0.0}};
  addLoft(builder, LOFT(table, -0.306, 0.052, 0.040, 0.055), girth, NULL);
}

static void buildForearm(brinkBuilder *builder, double girth) {
  static const section table[] = {{-0.555, 0.000, 0, 0.029, 0.022, 0.2},
                                  {-0.500, 0.000, 0, 0.031, 0.024, 0.1},
                                  {-0.400, 0.002, 0, 0.040, 0.034, 0.0},
                                  {-0.340, 0.002, 0, 0.044, 0.039, 0.0},
                                  {-0.290, 0.000, 0, 0.039, 0.037, 0.0}};
  addLoft(builder, LOFT(table, -0.562, -0.268, 0.022, 0.040), girth, NULL);
}

static void addFinger(brinkBuilder *builder, double x0, double z0, double x1, double z1, double radius, double y,
                      double girth) {
  const section table[] = {{z1, x1, y * 1.9, radius * 0.86, radius * 0.86, 0},
                           {0.5 * (z0 + z1), 0.5 * (x0 + x1), y, radius, radius, 0},
                           {z0, x0, 0, radius * 1.05, radius * 1.05, 0}};
  const loft shape = {table, 3, z1, z0, radius * 1.2, radius * 1.2, 7, 10};
  addLoft(builder, &shape, girth, NULL);
}

// Palm towards the thigh, thumb in front; side = 1 for the left hand.
static void buildHand(brinkBuilder *builder, double girth, double side) {
  static const section palm[] = {{-0.650, 0.000, 0, 0.041, 0.0125, 0.6},
                                 {-0.620, 0.001, 0, 0.043, 0.0145, 0.6},
                                 {-0.585, 0.002, 0, 0.038, 0.0165, 0.4},
                                 {-0.550, 0.000, 0, 0.028, 0.0185, 0.1}};
  const loft shape = {palm, 4, -0.658, -0.540, 0.014, 0.022, 14, segmentCount};
  addLoft(builder, &shape, girth, NULL);
  static const double fingers[4][4] = {// root x, z; tip x, z
                                       {0.0312, -0.640, 0.0345, -0.722},
                                       {0.0104, -0.644, 0.0115, -0.737},
                                       {-0.0104, -0.644, -0.0115, -0.730},
                                       {-0.0312, -0.638, -0.0345, -0.706}};
  for (int i = 0; i < 4; ++i)
    addFinger(builder, fingers[i][0], fingers[i][1], fingers[i][2], fingers[i][3], i == 3 ? 0.0080 : 0.0090,
              -0.006 * side, girth);
  addFinger(builder, 0.026, -0.572, 0.060, -0.648, 0.0110, -0.006 * side, girth);
}

static void buildThigh(brinkBuilder *builder, double girth, double side) {
  const section table[] = {
      {0.480, 0.000, side * 0.098, 0.055, 0.052, 0.1}, {0.540, 0.002, side * 0.097, 0.058, 0.053, 0.1},
      {0.680, 0.006, side * 0.096, 0.074, 0.066, 0.1}, {0.800, 0.004, side * 0.096, 0.085, 0.076, 0.1},
      {0.880, 0.000, side * 0.095, 0.086, 0.078, 0.1}, {0.920, 0.000, side * 0.095, 0.084, 0.076, 0.0}};
  addLoft(builder, LOFT(table, 0.465, 0.950, 0.045, 0.065), girth, NULL);
}

static void buildShin(brinkBuilder *builder, double girth, double side) {
  const section table[] = {
      {0.080, -0.012, side * 0.100, 0.037, 0.031, 0.1}, {0.150, -0.012, side * 0.100, 0.036, 0.032, 0.0},
      {0.260, -0.014, side * 0.099, 0.049, 0.045, 0.0}, {0.350, -0.014, side * 0.099, 0.057, 0.051, 0.0},
      {0.430, -0.006, side * 0.098, 0.053, 0.050, 0.1}, {0.490, 0.000, side * 0.098, 0.052, 0.050, 0.1}};
  addLoft(builder, LOFT(table, 0.066, 0.514, 0.030, 0.045), girth, NULL);
}

// Lofted along x: `along` is x, "depth" the height and "width" the width; the sole is cut flat at z = 0.
static void buildFoot(brinkBuilder *builder, double girth, double side) {
  static const section table[] = {{-0.080, 0.038, 0, 0.044, 0.033, 0.2}, {-0.040, 0.046, 0, 0.058, 0.036, 0.2},
                                  {0.000, 0.046, 0, 0.060, 0.037, 0.2},  {0.050, 0.036, 0, 0.050, 0.041, 0.3},
                                  {0.100, 0.026, 0, 0.036, 0.047, 0.3},  {0.150, 0.020, 0, 0.027, 0.048, 0.3},
                                  {0.180, 0.017, 0, 0.023, 0.043, 0.3}};
  const loft shape = {table, 7, -0.086, 0.188, 0.036, 0.042, ringCount, segmentCount};
  brinkVec3 rings[maxRings * maxSegments];
  for (int ring = 0; ring < ringCount; ++ring) {
    const double along = shape.start + (shape.end - shape.start) * ringPlace(ring, ringCount);
    const section at = sectionAt(&shape, along);
    const double factor = rounding(&shape, along) * girth;
    for (int k = 0; k < segmentCount; ++k) {
      double c, s, z, y;
      brinkCircle((size_t)k, segmentCount, &c, &s);
      sectionOutline(&at, factor, s, c, &z, &y);  // counterclockwise about x: y first, then z
      rings[ring * segmentCount + k] = (brinkVec3){along, side * 0.102 + y, z > 0 ? z : 0};
    }
  }
  const section first = sectionAt(&shape, shape.start), last = sectionAt(&shape, shape.end);
  brinkBuilder_AddTube(builder, rings, ringCount, segmentCount, (brinkVec3){shape.start, side * 0.102, first.forward},
                       (brinkVec3){shape.end, side * 0.102, last.forward});
}

brinkStatus brinkBuildMannequinPart(brinkBuilder *builder, int part, uint64_t seed) {
  static const int kinds[BRINK_MANNEQUIN_LINKS] = {0, 1, 2, 3, 4, 5, 3, 4,
                                                   5, 6, 7, 8, 6, 7, 8};  // left and right alike
  const brinkMannequinLink *link = &skeleton[part];
  const int kind = kinds[part];
  const double side = link->origin.y < 0 ? -1 : 1;
  const double girth = 1 + 0.02 * brinkNoise(seed, 7, kind);
  brinkBuilder_Place(builder, -link->origin.x, -link->origin.y, -link->origin.z);
  if (kind >= 3 && kind <= 5) {  // swing the arm about x, then hang it at the shoulder
    builder->rows[1][1] = builder->rows[2][2] = armCosine;
    builder->rows[1][2] = -side * armSine;
    builder->rows[2][1] = side * armSine;
    builder->rows[0][3] += shoulderX;
    builder->rows[1][3] += side * shoulderY;
    builder->rows[2][3] += shoulderZ;
  }
  switch (kind) {
    case 0:
      buildPelvis(builder, girth);
      break;
    case 1:
      buildTorso(builder, girth);
      break;
    case 2:
      buildHead(builder, girth);
      break;
    case 3:
      buildUpperArm(builder, girth);
      break;
    case 4:
      buildForearm(builder, girth);
      break;
    case 5:
      buildHand(builder, girth, side);
      break;
    case 6:
      buildThigh(builder, girth, side);
      break;
    case 7:
      buildShin(builder, girth, side);
      break;
    default:
      buildFoot(builder, girth, side);
      break;
  }
  return brink_ok;
}
