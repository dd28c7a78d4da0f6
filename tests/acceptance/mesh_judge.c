/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh_judge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;
typedef struct point {
  real v[3];
} point;
typedef struct triangle {
  point p[3];
  real low[3], high[3];
} triangle;

static point minus(point a, point b) { return (point){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}}; }
static real dot(point a, point b) { return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2]; }
static point cross(point a, point b) {
  return (point){
      {a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}
static real length(point a) { return sqrtl(dot(a, a)); }

/* Edges of `edges` through the inside of `face`. */
static real pierce(const triangle *face, const triangle *edges) {
  point normal = cross(minus(face->p[1], face->p[0]), minus(face->p[2], face->p[0]));
  real size = length(normal), best = -1;
  if (!(size > 0)) return best;
  for (int k = 0; k < 3; ++k) normal.v[k] /= size;
  for (int i = 0; i < 3; ++i) {
    point from = edges->p[i], to = edges->p[(i + 1) % 3], way = minus(to, from), at;
    real below = dot(normal, minus(from, face->p[0])), above = dot(normal, minus(to, face->p[0]));
    if (!((below < 0 && above > 0) || (below > 0 && above < 0))) continue;
    for (int k = 0; k < 3; ++k) at.v[k] = from.v[k] + way.v[k] * (below / (below - above));
    real depth = fminl(fabsl(below), fabsl(above));
    for (int k = 0; k < 3; ++k) {
      point side = minus(face->p[(k + 1) % 3], face->p[k]);
      depth = fminl(depth, dot(normal, cross(side, minus(at, face->p[k]))) / length(side));
    }
    if (depth > 0) best = fmaxl(best, depth);
  }
  return best;
}

/* Faces in the frame of the world about `centre`, those only that reach the box, by their lowest x. */
static int compare(const void *a, const void *b) {
  real x = ((const triangle *)a)->low[0], y = ((const triangle *)b)->low[0];
  return (x > y) - (x < y);
}

static void findBox(const judgeMesh *mesh, const judgePose *pose, const double centre[3], point *placed, real low[3],
                    real high[3]) {
  for (int k = 0; k < 3; ++k) low[k] = LDBL_MAX, high[k] = -LDBL_MAX;
  for (int i = 0; i < mesh->vertexCount; ++i)
    for (int k = 0; k < 3; ++k) {
      real x = (real)pose->position[k] - (real)centre[k];
      for (int m = 0; m < 3; ++m) x += (real)pose->rotation[3 * k + m] * (real)mesh->vertices[i][m];
      placed[i].v[k] = x;
      low[k] = fminl(low[k], x);
      high[k] = fmaxl(high[k], x);
    }
}

static int pickFaces(const judgeMesh *mesh, const point *placed, const real low[3], const real high[3], triangle *out) {
  int count = 0;
  for (int i = 0; i < mesh->faceCount; ++i) {
    triangle t;
    bool reaches = true;
    for (int c = 0; c < 3; ++c) t.p[c] = placed[mesh->faces[i][c]];
    for (int k = 0; k < 3; ++k) {
      t.low[k] = fminl(t.p[0].v[k], fminl(t.p[1].v[k], t.p[2].v[k]));
      t.high[k] = fmaxl(t.p[0].v[k], fmaxl(t.p[1].v[k], t.p[2].v[k]));
      reaches = reaches && t.low[k] <= high[k] && t.high[k] >= low[k];
    }
    if (reaches) out[count++] = t;
  }
  qsort(out, (size_t)count, sizeof *out, compare);
  return count;
}

static bool boxesMeet(const triangle *a, const triangle *b) {
  for (int k = 0; k < 3; ++k)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  return true;
}

double judge_Crossing(const judgeMesh *a, const judgePose *poseA, const judgeMesh *b, const judgePose *poseB) {
  real low[2][3], high[2][3], best = -1;
  point *placed[2] = {malloc((size_t)a->vertexCount * sizeof(point)), malloc((size_t)b->vertexCount * sizeof(point))};
  if (placed[0] == NULL || placed[1] == NULL) abort();
  findBox(a, poseA, poseA->position, placed[0], low[0], high[0]);
  findBox(b, poseB, poseA->position, placed[1], low[1], high[1]);
  bool meet = true;
  for (int k = 0; k < 3; ++k) {
    low[0][k] = fmaxl(low[0][k], low[1][k]);
    high[0][k] = fminl(high[0][k], high[1][k]);
    meet = meet && low[0][k] <= high[0][k];
  }
  if (meet) {
    triangle *one = malloc((size_t)a->faceCount * sizeof *one), *two = malloc((size_t)b->faceCount * sizeof *two);
    if (one == NULL || two == NULL) abort();
    int oneCount = pickFaces(a, placed[0], low[0], high[0], one),
        twoCount = pickFaces(b, placed[1], low[0], high[0], two);
    for (int i = 0; i < oneCount; ++i)
      for (int k = 0; k < twoCount && two[k].low[0] <= one[i].high[0]; ++k)
        if (boxesMeet(&one[i], &two[k])) best = fmaxl(best, fmaxl(pierce(&one[i], &two[k]), pierce(&two[k], &one[i])));
    free(one);
    free(two);
  }
  free(placed[0]);
  free(placed[1]);
  return (double)best;
}
