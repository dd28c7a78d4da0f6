/* SPDX-License-Identifier: BSD-3-Clause */
/* A mountain: one summit with ridges, and a valley that winds around its foot; open surface, normals up.
 *
 * Grid of 120 x 120 cells over x, y in [-120, 120] m, heights in [0, 60] m, 28,800 triangles. Height = a bell-like cone
 * (rational, so that it needs no exp) roughened by a ridged multifractal, lowered along a winding valley.
 * Based on: Musgrave, in Ebert et al., "Texturing and Modeling", ch. 16 (ridged multifractal: octaves of (1 -
 * |noise|)^2, each weighted by the one before); value noise with a quintic fade (Perlin 2002). */
#include <stdlib.h>

#include "builder.h"

enum { cells = 120, side = cells + 1, octaves = 5 };
static const double cellSize = 2.0;       // m
static const double summitHeight = 60.0;  // m

static int64_t floorToInt(double x) {
  int64_t whole = (int64_t)x;
  return (double)whole > x ? whole - 1 : whole;
}

static double fade(double t) { return t * t * t * (t * (6 * t - 15) + 10); }

static double absolute(double x) { return x < 0 ? -x : x; }

// Smooth noise in [-1, 1] with features of size 1.
static double valueNoise(uint64_t seed, double x, double y) {
  int64_t i = floorToInt(x), j = floorToInt(y);
  double u = fade(x - (double)i), v = fade(y - (double)j);
  double low = brinkNoise(seed, i, j) * (1 - u) + brinkNoise(seed, i + 1, j) * u;
  double high = brinkNoise(seed, i, j + 1) * (1 - u) + brinkNoise(seed, i + 1, j + 1) * u;
  return low * (1 - v) + high * v;
}

// In [0, 1]: sharp crests where the noise crosses zero, rougher on the crests than in the hollows.
static double ridges(uint64_t seed, double x, double y) {
  double sum = 0, total = 0, amplitude = 1, weight = 1, frequency = 1.0 / 58.0;
  for (int octave = 0; octave < octaves; ++octave) {
    // The axes of each octave are turned against each other by 3-4-5 triangles, so that no lattice shows.
    double turnedX = 0.8 * x - 0.6 * y, turnedY = 0.6 * x + 0.8 * y;
    double crest = 1 - absolute(valueNoise(seed + (uint64_t)octave, x * frequency, y * frequency));
    crest *= crest * weight;
    sum += crest * amplitude;
    total += amplitude;
    weight = crest * 1.8 > 1 ? 1 : crest * 1.8;
    amplitude *= 0.42;
    frequency *= 2.03;
    x = turnedX;
    y = turnedY;
  }
  return sum / total;
}

// Unscaled height; the summit is near (-25, 15).
static double rawHeight(uint64_t seed, double x, double y) {
  double dx = (x + 25) / 62, dy = (y - 15) / 56;
  double squared = dx * dx + dy * dy;
  double cone = 1 / (1 + squared * (0.9 + 0.55 * squared));
  double crest = ridges(seed + 101, x, y);
  double height = cone * (0.62 + 0.55 * crest) + 0.10 * crest;
  // The valley: along y = 0.006 (x - 20)^2 - 68, bent by noise, 26 m wide.
  double bend = (x - 20) * (x - 20) * 0.006 - 68 + 9 * valueNoise(seed + 211, x / 45, 3.5);
  double across = (y - bend) / 26;
  double valley = 1 / (1 + across * across * across * across);
  return height * (1 - 0.72 * valley);
}

brinkStatus brinkBuildMountain(brinkBuilder *builder, uint64_t seed) {
  double *heights = malloc(sizeof(double) * side * side);
  if (heights == NULL) return brink_errorNoMemory;
  double lowest = 1e9, highest = -1e9;
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      double height = rawHeight(seed, cellSize * (i - cells / 2), cellSize * (j - cells / 2));
      heights[j * side + i] = height;
      lowest = height < lowest ? height : lowest;
      highest = height > highest ? height : highest;
    }
  }
  double scale = summitHeight / (highest - lowest);
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i)
      brinkBuilder_AddVertex(builder, cellSize * (i - cells / 2), cellSize * (j - cells / 2),
                             (heights[j * side + i] - lowest) * scale);
  }
  // Each cell is split along the diagonal whose ends differ less in height: ridges and creases stay sharp.
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      uint32_t a = (uint32_t)(j * side + i), b = a + 1, c = a + side + 1, d = a + side;
      bool alongAc = absolute(heights[a] - heights[c]) <= absolute(heights[b] - heights[d]);
      if (alongAc)
        brinkBuilder_AddQuad(builder, a, b, c, d);
      else
        brinkBuilder_AddQuad(builder, b, c, d, a);
    }
  }
  free(heights);
  return brink_ok;
}
