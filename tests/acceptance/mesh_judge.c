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
static real lesser(real a, real b) { return a < b ? a : b; } /* fminl is a call */
static real greater(real a, real b) { return a > b ? a : b; }

/* Edges of `edges` through the inside of `face`. */
static real pierce(const triangle *face, const triangle *edges) {
  point normal = cross(minus(face->p[1], face->p[0]), minus(face->p[2], face->p[0]));
  real heights[3], best = -1;
  for (int i = 0; i < 3; ++i) heights[i] = dot(normal, minus(edges->p[i], face->p[0]));
  if (!(lesser(heights[0], lesser(heights[1], heights[2])) < 0 &&
        greater(heights[0], greater(heights[1], heights[2])) > 0))
    return best; /* all on one side of the plane, as most are */
  real size = length(normal);
  if (!(size > 0)) return best;
  for (int k = 0; k < 3; ++k) normal.v[k] /= size, heights[k] /= size;
  for (int i = 0; i < 3; ++i) {
    point from = edges->p[i], way = minus(edges->p[(i + 1) % 3], from), at;
    real below = heights[i], above = heights[(i + 1) % 3];
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

static int compare(const void *a, const void *b) {
  real x = ((const triangle *)a)->low[0], y = ((const triangle *)b)->low[0];
  return (x > y) - (x < y);
}

/* In the frame of the world about `centre`. */
static point place(const judgeMesh *mesh, const judgePose *pose, const double centre[3], int vertex) {
  point out;
  for (int k = 0; k < 3; ++k) {
    out.v[k] = (real)pose->position[k] - (real)centre[k];
    for (int m = 0; m < 3; ++m) out.v[k] += (real)pose->rotation[3 * k + m] * (real)mesh->vertices[vertex][m];
  }
  return out;
}

#define ROUNDING 1e-13 /* of the sizes that make it: of a place in double precision */

/* The same in double precision, and its box: most faces are far from the other mesh. Returns the room, m, that rounding
 * needs. */
static double findBox(const judgeMesh *mesh, const judgePose *pose, const double centre[3], double (*placed)[3],
                      double low[3], double high[3]) {
  double size = 0;
  for (int k = 0; k < 3; ++k) low[k] = DBL_MAX, high[k] = -DBL_MAX;
  for (int i = 0; i < mesh->vertexCount; ++i)
    for (int k = 0; k < 3; ++k) {
      const double *v = mesh->vertices[i], *r = &pose->rotation[3 * k];
      double x = pose->position[k] - centre[k] + (r[0] * v[0] + r[1] * v[1] + r[2] * v[2]);
      placed[i][k] = x;
      low[k] = x < low[k] ? x : low[k];
      high[k] = x > high[k] ? x : high[k];
      size = fabs(v[k]) > size ? fabs(v[k]) : size;
    }
  for (int k = 0; k < 3; ++k) size += fabs(pose->position[k]) + fabs(centre[k]);
  return ROUNDING * size;
}

/* Those faces that reach the box, by their lowest x. The box has room for the rounding of both meshes. */
static int pickFaces(const judgeMesh *mesh, const judgePose *pose, const double centre[3], const double (*placed)[3],
                     const double low[3], const double high[3], triangle *out) {
  int count = 0;
  for (int i = 0; i < mesh->faceCount; ++i) {
    const double *a = placed[mesh->faces[i][0]], *b = placed[mesh->faces[i][1]], *c = placed[mesh->faces[i][2]];
    bool reaches = true;
    for (int k = 0; k < 3; ++k)
      reaches = reaches && !(a[k] < low[k] && b[k] < low[k] && c[k] < low[k]) &&
                !(a[k] > high[k] && b[k] > high[k] && c[k] > high[k]);
    if (!reaches) continue;
    triangle *t = &out[count++];
    for (int n = 0; n < 3; ++n) t->p[n] = place(mesh, pose, centre, mesh->faces[i][n]);
    for (int k = 0; k < 3; ++k) {
      t->low[k] = lesser(t->p[0].v[k], lesser(t->p[1].v[k], t->p[2].v[k]));
      t->high[k] = greater(t->p[0].v[k], greater(t->p[1].v[k], t->p[2].v[k]));
    }
  }
  qsort(out, (size_t)count, sizeof *out, compare);
  return count;
}

static bool boxesMeet(const triangle *a, const triangle *b) {
  for (int k = 0; k < 3; ++k)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  return true;
}

/* Both by their lowest x: who lies lower than the widest face below a face, and whatever comes before it, is past. */
static real crossFaces(const triangle *one, int oneCount, const triangle *two, int twoCount) {
  real widest = 0, best = -1;
  for (int k = 0; k < twoCount; ++k) widest = greater(widest, two[k].high[0] - two[k].low[0]);
  widest += LDBL_EPSILON * 16 * widest;
  for (int i = 0, first = 0; i < oneCount; ++i) {
    while (first < twoCount && two[first].low[0] + widest < one[i].low[0]) ++first;
    for (int k = first; k < twoCount && two[k].low[0] <= one[i].high[0]; ++k)
      if (boxesMeet(&one[i], &two[k])) best = fmaxl(best, fmaxl(pierce(&one[i], &two[k]), pierce(&two[k], &one[i])));
  }
  return best;
}

double judge_Crossing(const judgeMesh *a, const judgePose *poseA, const judgeMesh *b, const judgePose *poseB) {
  double low[2][3], high[2][3];
  real best = -1;
  double(*placed[2])[3] = {malloc((size_t)a->vertexCount * sizeof *placed[0]),
                           malloc((size_t)b->vertexCount * sizeof *placed[1])};
  if (placed[0] == NULL || placed[1] == NULL) abort();
  double room = findBox(a, poseA, poseA->position, placed[0], low[0], high[0]) +
                findBox(b, poseB, poseA->position, placed[1], low[1], high[1]);
  bool meet = true;
  for (int k = 0; k < 3; ++k) {
    low[0][k] = (low[0][k] > low[1][k] ? low[0][k] : low[1][k]) - room;
    high[0][k] = (high[0][k] < high[1][k] ? high[0][k] : high[1][k]) + room;
    meet = meet && low[0][k] <= high[0][k];
  }
  if (meet) {
    triangle *one = malloc((size_t)a->faceCount * sizeof *one), *two = malloc((size_t)b->faceCount * sizeof *two);
    if (one == NULL || two == NULL) abort();
    int oneCount = pickFaces(a, poseA, poseA->position, (const double(*)[3])placed[0], low[0], high[0], one),
        twoCount = pickFaces(b, poseB, poseA->position, (const double(*)[3])placed[1], low[0], high[0], two);
    best = crossFaces(one, oneCount, two, twoCount);
    free(one);
    free(two);
  }
  free(placed[0]);
  free(placed[1]);
  return (double)best;
}
