/* SPDX-License-Identifier: BSD-3-Clause */
/* Chessmen of a person's size and the board that they stand on: the surroundings of the paper's walking mannequin.
 *
 * Frame: origin in the middle of the foot, z up. Squares of 1 m, chessmen 0.9 to 1.55 m tall. A chessman is one closed
 * surface turned on the lathe (a knight: a turned foot and a bent neck with a head), about 6,270 triangles; the board
 * is one closed slab with its top at z = 0.
 * Based on: [CATCH] Sec. 8.1 (1), Fig. 8 (16 chessmen, 101K triangles); profiles after the usual Staunton pattern. */
#include "builder.h"
#include "kinematics.h"

enum { lathe = 64, profileRings = 49, footRings = 23, neckRings = 24, neckSegments = 68, boardCells = 16 };

typedef struct profile {  // (height, radius) in units of the chessman's height and width
  double height, width;   // m
  int count;
  double points[14][2];
} profile;

static const profile profiles[6] = {
    {0.90,
     0.27,
     11,
     {{0, 1},
      {0.07, 1},
      {0.12, 0.86},
      {0.17, 0.78},
      {0.24, 0.52},
      {0.45, 0.36},
      {0.60, 0.36},
      {0.64, 0.62},
      {0.69, 0.42},
      {0.86, 0.58},
      {1, 0.02}}},
    {1.05,
     0.30,
     12,
     {{0, 1},
      {0.06, 1},
      {0.11, 0.88},
      {0.17, 0.78},
      {0.25, 0.58},
      {0.55, 0.46},
      {0.68, 0.50},
      {0.72, 0.74},
      {0.78, 0.72},
      {0.98, 0.72},
      {1, 0.55},
      {0.90, 0.06}}},
    {1.20,
     0.30,
     8,
     {{0, 1}, {0.05, 1}, {0.10, 0.90}, {0.15, 0.80}, {0.20, 0.66}, {0.26, 0.60}, {0.30, 0.56}, {0.33, 0.30}}},
    {1.25,
     0.29,
     12,
     {{0, 1},
      {0.05, 1},
      {0.10, 0.86},
      {0.15, 0.76},
      {0.22, 0.50},
      {0.50, 0.36},
      {0.60, 0.40},
      {0.64, 0.66},
      {0.69, 0.40},
      {0.80, 0.56},
      {0.94, 0.26},
      {1, 0.04}}},
    {1.45,
     0.32,
     13,
     {{0, 1},
      {0.05, 1},
      {0.09, 0.88},
      {0.14, 0.76},
      {0.20, 0.52},
      {0.52, 0.34},
      {0.64, 0.38},
      {0.67, 0.64},
      {0.71, 0.42},
      {0.86, 0.62},
      {0.92, 0.70},
      {0.94, 0.30},
      {1, 0.05}}},
    {1.55,
     0.32,
     14,
     {{0, 1},
      {0.05, 1},
      {0.09, 0.88},
      {0.14, 0.76},
      {0.20, 0.54},
      {0.50, 0.36},
      {0.62, 0.40},
      {0.65, 0.66},
      {0.69, 0.44},
      {0.82, 0.62},
      {0.88, 0.40},
      {0.91, 0.16},
      {0.96, 0.20},
      {1, 0.05}}},
};

// A point of the profile at u in [0, 1] of its points: cubic through them (Catmull and Rom 1974), never thinner than 3
// mm.
static void profileAt(const profile *shape, double u, double *height, double *radius) {
  const double at = u * (shape->count - 1);
  int i = (int)at;
  if (i > shape->count - 2) i = shape->count - 2;
  const double t = at - i;
  double values[2];
  for (int k = 0; k < 2; ++k) {
    const double p1 = shape->points[i][k], p2 = shape->points[i + 1][k];
    const double p0 = i > 0 ? shape->points[i - 1][k] : p1, p3 = i + 2 < shape->count ? shape->points[i + 2][k] : p2;
    values[k] = p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
  }
  *height = shape->height * values[0];
  *radius = shape->width * values[1] > 0.003 ? shape->width * values[1] : 0.003;
  if (*height < 0) *height = 0;
}

static void addTurnedProfile(brinkBuilder *builder, const profile *shape, int rings) {
  double outline[profileRings][2];
  for (int i = 0; i < rings; ++i) profileAt(shape, (double)i / (rings - 1), &outline[i][0], &outline[i][1]);
  brinkBuilder_AddTurned(builder, 2, brinkVector(0, 0, 0), (const double(*)[2])outline, (size_t)rings, lathe);
}

// Neck and head of the knight: oval sections along a bent line that ends at the muzzle, in front of the foot.
static void addKnightNeck(brinkBuilder *builder) {
  brinkVec3 rings[neckRings * neckSegments];
  for (int i = 0; i < neckRings; ++i) {
    const double t = (double)i / (neckRings - 1), bend = 2.3 * t * t;  // rad, leaning forward
    const brinkVec3 middle = {-0.10 + 0.34 * t * t * t + 0.05 * t, 0, 0.36 + 0.80 * t * (1 - 0.36 * t * t)};
    const brinkVec3 forward = {brinkPlainCosine(bend), 0, -brinkPlainSine(bend)};
    const double deep = 0.17 - 0.20 * t * (1 - t) - 0.10 * t * t * t, wide = 0.13 - 0.05 * t - 0.02 * t * t;
    for (int k = 0; k < neckSegments; ++k) {
      double c, s;
      brinkCircle((size_t)k, neckSegments, &c, &s);
      const double mane = c < 0 ? 1 + 0.10 * c * c * (i % 2) : 1;  // a notched mane behind
      rings[i * neckSegments + k] =
          brinkPlus(middle, brinkPlus(brinkTimes(deep * mane * c, forward), brinkVector(0, wide * s, 0)));
    }
  }
  const brinkVec3 low = {-0.10, 0, 0.36}, high = brinkVector(0.29, 0, 0.36 + 0.80 * 0.64);
  brinkBuilder_AddTube(builder, rings, neckRings, neckSegments, low, high);
}

void brinkBuildChessman(brinkBuilder *builder, int kind) {
  const bool knight = kind == 2;
  addTurnedProfile(builder, &profiles[kind], knight ? footRings : profileRings);
  if (knight) addKnightNeck(builder);
}

void brinkBuildChessboard(brinkBuilder *builder) {
  enum { side = boardCells + 1 };
  const uint32_t top = (uint32_t)builder->mesh.vertexCount, bottom = top + side * side;
  for (int layer = 0; layer < 2; ++layer)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i)
        brinkBuilder_AddVertex(builder, 8.4 * ((double)i / boardCells - 0.5), 8.4 * ((double)j / boardCells - 0.5),
                               layer == 0 ? 0 : -0.12);
  for (uint32_t j = 0; j < boardCells; ++j) {
    for (uint32_t i = 0; i < boardCells; ++i) {
      const uint32_t a = j * side + i, b = a + 1, c = a + side + 1, d = a + side;
      brinkBuilder_AddQuad(builder, top + a, top + b, top + c, top + d);
      brinkBuilder_AddQuad(builder, bottom + a, bottom + d, bottom + c, bottom + b);
    }
  }
  for (uint32_t i = 0; i < boardCells; ++i) {  // the four edges
    const uint32_t front[2] = {i, i + 1}, back[2] = {boardCells * side + i + 1, boardCells * side + i};
    const uint32_t left[2] = {(i + 1) * side, i * side},
                   right[2] = {i * side + boardCells, (i + 1) * side + boardCells};
    const uint32_t *edges[4] = {front, back, left, right};
    for (int k = 0; k < 4; ++k)
      brinkBuilder_AddQuad(builder, bottom + edges[k][0], bottom + edges[k][1], top + edges[k][1], top + edges[k][0]);
  }
}
