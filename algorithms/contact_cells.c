/* SPDX-License-Identifier: BSD-3-Clause */
/* See contact_cells.h. All comparisons are between images of B's points at the two ends of the cell, in A's frame; in
 * the cell a point is within `slack` (by coordinate) of the straight line between them, so n . x is within sum |n_i|
 * slack_i of the values at the ends. Directions n are any doubles: nothing is normalised, nothing is lost. */
#include "contact_cells.h"

#define STACK_CAPACITY 512 /* two trees by median split: depth <= 2 x 30, each level leaves one pair behind */
#define MOST_TRIES 48      /* chords tried in a cell */
#define ROUNDING (32.0 * DBL_EPSILON)

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross3(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
static void sub3(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}
static double slackAlong(const double slack[3], const double n[3]) {
  return fabs(n[0]) * slack[0] + fabs(n[1]) * slack[1] + fabs(n[2]) * slack[2];
}

void brinkPlaceCell(const brinkRelativeMotion *motion, double l, double u, const double reachA[3], double errorA,
                    const double reachB[3], double errorB, brinkPlacedCell *out) {
  brinkRelativeMotion_Cell(motion, l, u, &out->cell);
  brinkPlaceKnownCell(reachA, errorA, reachB, errorB, out);
}

void brinkPlaceKnownCell(const double reachA[3], double errorA, const double reachB[3], double errorB,
                         brinkPlacedCell *out) {
  const brinkMotionCell *c = &out->cell;
  double stretch = 0.0;
  for (int i = 0; i < 12; ++i)
    if (i % 4 != 3) {
      double most = fmax(fabs(c->at[0][i]), fabs(c->at[1][i])) + c->curve[i] + c->error[i];
      stretch += most * most;
    }
  double thick = errorA + (errorB > 0.0 ? errorB * sqrt(stretch) : 0.0);
  for (int i = 0; i < 3; ++i) {
    double bend = c->curve[4 * i + 3] + c->error[4 * i + 3], reach = 0.0;
    for (int j = 0; j < 3; ++j) bend += (c->curve[4 * i + j] + c->error[4 * i + j]) * reachB[j];
    for (int e = 0; e < 2; ++e) {
      double sum = fabs(c->at[e][4 * i + 3]);
      for (int j = 0; j < 3; ++j) sum += fabs(c->at[e][4 * i + j]) * reachB[j];
      reach = fmax(reach, sum);
    }
    out->slack[i] = (bend + thick) * (1.0 + 1e-12) + ROUNDING * (reach + reachA[i]) + DBL_MIN;
    if (!isfinite(out->slack[i])) out->slack[i] = INFINITY;
  }
}

/* Does n separate the points a from the points b, which are at b0 at l and at b1 at u? */
static bool separates(const double n[3], const double (*a)[3], int countA, const double (*b0)[3], const double (*b1)[3],
                      int countB, const double slack[3]) {
  double lowA = INFINITY, highA = -INFINITY, lowB = INFINITY, highB = -INFINITY;
  for (int i = 0; i < countA; ++i) {
    double v = dot3(n, a[i]);
    lowA = fmin(lowA, v);
    highA = fmax(highA, v);
  }
  for (int i = 0; i < countB; ++i) {
    double v = dot3(n, b0[i]), w = dot3(n, b1[i]);
    lowB = fmin(lowB, fmin(v, w));
    highB = fmax(highB, fmax(v, w));
  }
  double need = slackAlong(slack, n);
  return lowB - highA > need || lowA - highB > need;
}

/* ---- boxes */

static bool boxesAreApart(const brinkInverseNode *a, const brinkInverseNode *b, const brinkPlacedCell *placed) {
  double center[3], half[3], columns[2][3][3], at[2][3];
  for (int k = 0; k < 3; ++k) {
    center[k] = 0.5 * b->low[k] + 0.5 * b->high[k];
    half[k] = 0.5 * (b->high[k] - b->low[k]);
  }
  for (int e = 0; e < 2; ++e) {
    const double *m = placed->cell.at[e];
    for (int i = 0; i < 3; ++i) {
      at[e][i] = m[4 * i] * center[0] + m[4 * i + 1] * center[1] + m[4 * i + 2] * center[2] + m[4 * i + 3] -
                 0.5 * (a->low[i] + a->high[i]);
      for (int j = 0; j < 3; ++j) columns[e][j][i] = m[4 * i + j] * half[j];
    }
  }
  const double *slack = placed->slack;
  for (int i = 0; i < 3; ++i) { /* A's axes */
    double least = INFINITY, most = -INFINITY;
    for (int e = 0; e < 2; ++e) {
      double r =
          0.5 * (a->high[i] - a->low[i]) + fabs(columns[e][0][i]) + fabs(columns[e][1][i]) + fabs(columns[e][2][i]);
      least = fmin(least, at[e][i] - r);
      most = fmax(most, at[e][i] + r);
    }
    if (least > slack[i] || most < -slack[i]) return true;
  }
  for (int j = 0; j < 3; ++j) { /* B's faces, in the middle */
    double p[3], q[3], n[3], least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 3; ++i) {
      p[i] = placed->cell.middle[4 * i + (j + 1) % 3];
      q[i] = placed->cell.middle[4 * i + (j + 2) % 3];
    }
    cross3(p, q, n);
    double rA = 0.0;
    for (int i = 0; i < 3; ++i) rA += fabs(n[i]) * 0.5 * (a->high[i] - a->low[i]);
    for (int e = 0; e < 2; ++e) {
      double d = dot3(n, at[e]);
      double r = rA + fabs(dot3(n, columns[e][0])) + fabs(dot3(n, columns[e][1])) + fabs(dot3(n, columns[e][2]));
      least = fmin(least, d - r);
      most = fmax(most, d + r);
    }
    double need = slackAlong(slack, n);
    if (least > need || most < -need) return true;
  }
  return false;
}

/* ---- triangles */

typedef struct trianglePair {
  double a[3][3], b0[3][3], b1[3][3];
} trianglePair;

static void placeTriangles(const brinkMeshPair *pair, const brinkPlacedCell *placed, uint32_t ta, uint32_t tb,
                           trianglePair *out) {
  for (int c = 0; c < 3; ++c) {
    memcpy(out->a[c], brinkInverseMesh_Vertex(pair->a, ta, c), sizeof out->a[c]);
    const double *x = brinkInverseMesh_Vertex(pair->b, tb, c);
    brinkApply34(placed->cell.at[0], x, out->b0[c]);
    brinkApply34(placed->cell.at[1], x, out->b1[c]);
  }
}

/* A direction that turns with the cell, n(t) = lerp(n0, n1): n . (b - a) is the lerp of its values at the ends, less at
 * most a quarter of (n1 - n0) . (b1 - b0). It costs what the motion bends, where a fixed one costs what the body turns.
 */
static bool separatesPair(const double n0[3], const double n1[3], const trianglePair *t, const double slack[3]) {
  double lowA[2] = {INFINITY, INFINITY}, highA[2] = {-INFINITY, -INFINITY}, lowB[2] = {INFINITY, INFINITY},
         highB[2] = {-INFINITY, -INFINITY}, turn[3], most = 0.0, least = 0.0;
  sub3(n1, n0, turn);
  for (int i = 0; i < 3; ++i) {
    double v0 = dot3(n0, t->a[i]), v1 = dot3(n1, t->a[i]), w0 = dot3(n0, t->b0[i]), w1 = dot3(n1, t->b1[i]), way[3];
    sub3(t->b1[i], t->b0[i], way);
    double bend = dot3(turn, way);
    most = fmax(most, bend);
    least = fmin(least, bend);
    lowA[0] = fmin(lowA[0], v0);
    highA[0] = fmax(highA[0], v0);
    lowA[1] = fmin(lowA[1], v1);
    highA[1] = fmax(highA[1], v1);
    lowB[0] = fmin(lowB[0], w0);
    highB[0] = fmax(highB[0], w0);
    lowB[1] = fmin(lowB[1], w1);
    highB[1] = fmax(highB[1], w1);
  }
  double need = fmax(slackAlong(slack, n0), slackAlong(slack, n1)) * (1.0 + ROUNDING);
  return fmin(lowB[0] - highA[0], lowB[1] - highA[1]) > need + 0.25 * most * (1.0 + ROUNDING) ||
         fmin(lowA[0] - highB[0], lowA[1] - highB[1]) > need - 0.25 * least * (1.0 + ROUNDING);
}

typedef struct pairEdges {
  double a[3][3], b[2][3][3]; /* b: at the two ends */
} pairEdges;

static const double *edgeAt(const pairEdges *edges, int k, int end) {
  return k < 3 ? edges->a[k] : edges->b[end][k - 3];
}

/* Directions between corners, and from a corner across an edge: what points and segments need, and triangles whose
 * nearest features are such. */
static bool cornersAreApart(const trianglePair *t, const pairEdges *edges, const double slack[3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double d[2][3], n[2][3];
      sub3(t->b0[j], t->a[i], d[0]);
      sub3(t->b1[j], t->a[i], d[1]);
      if (separatesPair(d[0], d[1], t, slack)) return true;
      for (int k = 0; k < 6; ++k) {
        bool flat = false;
        for (int e = 0; e < 2; ++e) {
          const double *edge = edgeAt(edges, k, e);
          double square = dot3(edge, edge);
          flat = flat || !(square > 0.0);
          for (int m = 0; m < 3; ++m) n[e][m] = d[e][m] - edge[m] * (dot3(edge, d[e]) / square);
        }
        if (!flat && separatesPair(n[0], n[1], t, slack)) return true;
      }
    }
  return false;
}

/* Directions across the way that B goes in the cell: for corners that pass edges and corners closely and fast. */
static bool passingAreApart(const trianglePair *t, const pairEdges *edges, const double slack[3]) {
  double n[2][3], d[3];
  for (int j = 0; j < 3; ++j) {
    double way[3];
    sub3(t->b1[j], t->b0[j], way);
    double square = dot3(way, way);
    if (!(square > 0.0)) continue;
    for (int k = 0; k < 6; ++k) {
      for (int e = 0; e < 2; ++e) cross3(edgeAt(edges, k, e), way, n[e]);
      if (separatesPair(n[0], n[1], t, slack)) return true;
    }
    for (int i = 0; i < 3; ++i) {
      for (int m = 0; m < 3; ++m) d[m] = 0.5 * (t->b0[j][m] + t->b1[j][m]) - t->a[i][m];
      for (int m = 0; m < 3; ++m) n[0][m] = d[m] - way[m] * (dot3(way, d) / square);
      if (separatesPair(n[0], n[0], t, slack)) return true;
    }
  }
  return false;
}

/* thorough: with the rarer directions too. Without them a pair may be told not apart that is. */
static bool trianglesAreApart(const trianglePair *t, const double slack[3], bool thorough) {
  pairEdges edges;
  double normalA[3], normalB[2][3], n[2][3];
  for (int c = 0; c < 3; ++c) {
    sub3(t->a[(c + 1) % 3], t->a[c], edges.a[c]);
    sub3(t->b0[(c + 1) % 3], t->b0[c], edges.b[0][c]);
    sub3(t->b1[(c + 1) % 3], t->b1[c], edges.b[1][c]);
  }
  cross3(edges.a[0], edges.a[1], normalA);
  for (int e = 0; e < 2; ++e) cross3(edges.b[e][0], edges.b[e][1], normalB[e]);
  if (separatesPair(normalA, normalA, t, slack) || separatesPair(normalB[0], normalB[1], t, slack)) return true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      for (int e = 0; e < 2; ++e) cross3(edges.a[i], edges.b[e][j], n[e]);
      if (separatesPair(n[0], n[1], t, slack)) return true;
    }
  for (int i = 0; i < 3; ++i) {
    cross3(normalA, edges.a[i], n[0]);
    if (separatesPair(n[0], n[0], t, slack)) return true;
    for (int e = 0; e < 2; ++e) cross3(normalB[e], edges.b[e][i], n[e]);
    if (separatesPair(n[0], n[1], t, slack)) return true;
  }
  return thorough && (passingAreApart(t, &edges, slack) || cornersAreApart(t, &edges, slack));
}

/* ---- a chord of B's triangle that pierces A's all the time */

/* Barycentric coordinates on B's triangle of the two ends of such a chord at one time; false when the triangles do not
 * cross. */
static bool findChord(const double a[3][3], const double b[3][3], double ends[2][3]) {
  double e0[3], e1[3], n[3], side[3];
  sub3(a[1], a[0], e0);
  sub3(a[2], a[0], e1);
  cross3(e0, e1, n);
  for (int c = 0; c < 3; ++c) {
    double d[3];
    sub3(b[c], a[0], d);
    side[c] = dot3(n, d);
  }
  int apex = -1; /* the corner that is alone on its side */
  for (int c = 0; c < 3; ++c) {
    double x = side[c], y = side[(c + 1) % 3], z = side[(c + 2) % 3];
    if ((x > 0 && y <= 0 && z <= 0 && y + z < 0) || (x < 0 && y >= 0 && z >= 0 && y + z > 0)) apex = c;
  }
  if (apex < 0) return false;
  double cut[2][3], point[2][3]; /* where the plane of A cuts the two edges at the apex */
  for (int k = 0; k < 2; ++k) {
    int other = (apex + 1 + k) % 3;
    double s = side[apex] / (side[apex] - side[other]);
    cut[k][apex] = 1.0 - s;
    cut[k][other] = s;
    cut[k][(apex + 2 - k) % 3] = 0.0;
    for (int i = 0; i < 3; ++i) point[k][i] = (1.0 - s) * b[apex][i] + s * b[other][i];
  }
  double low = 0.0, high = 1.0, inward[3][3];
  for (int c = 0; c < 3; ++c) {
    double e[3], d[3];
    sub3(a[(c + 1) % 3], a[c], e);
    cross3(n, e, inward[c]);
    sub3(point[0], a[c], d);
    double h0 = dot3(inward[c], d);
    sub3(point[1], a[c], d);
    double h1 = dot3(inward[c], d);
    if (h0 <= 0 && h1 <= 0) return false;
    if (h0 < 0) low = fmax(low, h0 / (h0 - h1));
    if (h1 < 0) high = fmin(high, h0 / (h0 - h1));
  }
  if (!(low < high)) return false;
  double s = 0.5 * (low + high), w[3], pierce[3], far[3];
  for (int c = 0; c < 3; ++c) w[c] = (1.0 - s) * cut[0][c] + s * cut[1][c];
  for (int i = 0; i < 3; ++i) pierce[i] = (1.0 - s) * point[0][i] + s * point[1][i];
  if (!(w[apex] < 1.0)) return false;
  for (int c = 0; c < 3; ++c) far[c] = c == apex ? 0.0 : w[c] / (1.0 - w[apex]); /* on the edge across */
  for (int k = 0; k < 2; ++k) { /* from the piercing point to the apex and away from it, while well inside A's prism */
    double to[3] = {0, 0, 0}, step = 1.0;
    for (int i = 0; i < 3; ++i)
      for (int c = 0; c < 3; ++c) to[i] += (k == 0 ? (c == apex ? 1.0 : 0.0) : far[c]) * b[c][i];
    for (int c = 0; c < 3; ++c) {
      double d[3];
      sub3(pierce, a[c], d);
      double h0 = dot3(inward[c], d);
      sub3(to, a[c], d);
      double h1 = dot3(inward[c], d);
      if (h1 < 0.5 * h0) step = fmin(step, 0.5 * h0 / (h0 - h1));
    }
    if (!(step > 0.0)) return false;
    for (int c = 0; c < 3; ++c) ends[k][c] = w[c] + step * ((k == 0 ? (c == apex ? 1.0 : 0.0) : far[c]) - w[c]);
  }
  return true;
}

/* Is n . (x - a) on one side of 0 during the whole cell? +1, -1, or 0 for no. */
static int sideDuring(const double n[3], const double a[3], const double x0[3], const double x1[3],
                      const double slack[3]) {
  double d[3];
  sub3(x0, a, d);
  double v = dot3(n, d);
  sub3(x1, a, d);
  double w = dot3(n, d), need = slackAlong(slack, n);
  return fmin(v, w) > need ? 1 : fmax(v, w) < -need ? -1 : 0;
}

static brinkPathPiece pathOf(const brinkPlacedCell *placed, const double x[3]) {
  brinkPathPiece path;
  brinkApply34(placed->cell.at[0], x, path.p);
  brinkApply34(placed->cell.at[1], x, path.q);
  memcpy(path.slack, placed->slack, sizeof path.slack);
  return path;
}

/* Bodies that are known up to an error: a point that stays inside the solid A by more than that (slack holds it). */
static bool pointStays(const brinkMeshPair *pair, const brinkPlacedCell *placed, const double x[3]) {
  uint32_t triangle;
  double at[3];
  brinkApply34(placed->cell.middle, x, at);
  const brinkPathPiece path = pathOf(placed, x);
  return brinkInverseMesh_Contains(pair->a, at) > 0 && brinkPathIsClear(pair->a, &path, &triangle);
}

static bool chordPierces(const brinkMeshPair *pair, const brinkPlacedCell *placed, uint32_t ta, uint32_t tb) {
  double a[3][3], b[3][3], ends[2][3], at[2][2][3], e0[3], e1[3], n[3];
  bool exact = pair->a->error == 0.0 && pair->b->error == 0.0;
  for (int c = 0; c < 3; ++c) {
    memcpy(a[c], brinkInverseMesh_Vertex(pair->a, ta, c), sizeof a[c]);
    brinkApply34(placed->cell.middle, brinkInverseMesh_Vertex(pair->b, tb, c), b[c]);
  }
  if (!findChord((const double(*)[3])a, (const double(*)[3])b, ends)) return false;
  for (int k = 0; k < 2; ++k) {
    double x[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
      for (int c = 0; c < 3; ++c) x[i] += ends[k][c] * brinkInverseMesh_Vertex(pair->b, tb, c)[i];
    if (exact) {
      brinkApply34(placed->cell.at[0], x, at[k][0]);
      brinkApply34(placed->cell.at[1], x, at[k][1]);
    } else if (pointStays(pair, placed, x)) {
      return true;
    }
  }
  if (!exact) return false;
  sub3(a[1], a[0], e0);
  sub3(a[2], a[0], e1);
  cross3(e0, e1, n);
  int first = sideDuring(n, a[0], at[0][0], at[0][1], placed->slack);
  if (first == 0 || sideDuring(n, a[0], at[1][0], at[1][1], placed->slack) != -first) return false;
  for (int c = 0; c < 3; ++c) {
    double e[3], inward[3];
    sub3(a[(c + 1) % 3], a[c], e);
    cross3(n, e, inward);
    for (int k = 0; k < 2; ++k)
      if (sideDuring(inward, a[c], at[k][0], at[k][1], placed->slack) != 1) return false;
  }
  return true;
}

/* ---- walking both trees */

typedef struct nodePair {
  uint32_t a, b;
} nodePair;

typedef struct walk {
  const brinkMeshPair *pair;
  const brinkPlacedCell *placed; /* culls by this cell */
  const brinkPlacedCell *proof; /* NULL: stop at the first pair of triangles that is not apart; else look for a chord */
  brinkCellMemory found;
  size_t tries;
  bool reversed;           /* reverse is placed */
  brinkPlacedCell reverse; /* the cell in B's frame, where A moves */
} walk;

static double sizeOf(const brinkInverseNode *node) {
  return (node->high[0] - node->low[0]) + (node->high[1] - node->low[1]) + (node->high[2] - node->low[2]);
}

/* The same with the roles exchanged: a long edge of a thin A may stay in a wide triangle of B when no chord of B's
 * stays over A. */
static bool chordOfAPierces(walk *self, uint32_t ta, uint32_t tb) {
  const brinkMeshPair exchanged = {self->pair->b, self->pair->a, {self->pair->motion.b, self->pair->motion.a}, 0};
  const brinkInverseMesh *a = self->pair->a, *b = self->pair->b;
  if (!self->reversed)
    brinkPlaceCell(&exchanged.motion, self->proof->cell.l, self->proof->cell.u, b->reach, b->error, a->reach, a->error,
                   &self->reverse);
  self->reversed = true;
  return chordPierces(&exchanged, &self->reverse, tb, ta);
}

/* A pair of triangles that is not apart: is that the end of the walk? */
static bool meet(walk *self, uint32_t ta, uint32_t tb) {
  if (self->proof == NULL) {
    self->found = (brinkCellMemory){ta, tb};
    return true;
  }
  if (self->found.triangleA == BRINK_NO_TRIANGLE) self->found = (brinkCellMemory){ta, tb};
  if (chordPierces(self->pair, self->proof, ta, tb) || chordOfAPierces(self, ta, tb)) {
    self->found = (brinkCellMemory){ta, tb};
    self->proof = NULL; /* success */
    return true;
  }
  return ++self->tries >= MOST_TRIES;
}

/* true: stopped by meet. */
static bool walkPairs(walk *self) {
  nodePair stack[STACK_CAPACITY];
  size_t count = 1;
  stack[0] = (nodePair){0, self->pair->rootB};
  while (count > 0) {
    nodePair top = stack[--count];
    const brinkInverseNode *a = &self->pair->a->nodes[top.a], *b = &self->pair->b->nodes[top.b];
    if (boxesAreApart(a, b, self->placed)) continue;
    if (a->right == 0 && b->right == 0) {
      trianglePair t;
      placeTriangles(self->pair, self->placed, a->triangle, b->triangle, &t);
      if (!trianglesAreApart(&t, self->placed->slack, self->proof == NULL) && meet(self, a->triangle, b->triangle))
        return true;
    } else if (b->right == 0 || (a->right != 0 && sizeOf(a) >= sizeOf(b))) {
      stack[count++] = (nodePair){a->right, top.b};
      stack[count++] = (nodePair){top.a + 1, top.b};
    } else {
      stack[count++] = (nodePair){top.a, b->right};
      stack[count++] = (nodePair){top.a, top.b + 1};
    }
  }
  return false;
}

/* ---- the path of a point */

static bool pathMeetsBox(const brinkInverseNode *a, const double p[3], const double q[3], const double slack[3]) {
  double along[3], at[3], half[3];
  for (int k = 0; k < 3; ++k) {
    at[k] = 0.5 * (p[k] + q[k]) - 0.5 * (a->low[k] + a->high[k]);
    along[k] = 0.5 * (q[k] - p[k]);
    half[k] = 0.5 * (a->high[k] - a->low[k]);
    if (fabs(at[k]) - fabs(along[k]) - half[k] > slack[k]) return false;
  }
  for (int k = 0; k < 3; ++k) { /* along x the box's axes */
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double d = fabs(along[i] * at[j] - along[j] * at[i]);
    if (d > (half[j] + slack[j]) * fabs(along[i]) + (half[i] + slack[i]) * fabs(along[j])) return false;
  }
  return true;
}

static bool pathMeetsTriangle(const brinkInverseMesh *a, uint32_t triangle, const double p[3], const double q[3],
                              const double slack[3]) {
  trianglePair t;
  for (int c = 0; c < 3; ++c) memcpy(t.a[c], brinkInverseMesh_Vertex(a, triangle, c), sizeof t.a[c]);
  double edges[3][3], n[3], axis[3], along[3];
  const double(*corners)[3] = (const double(*)[3])t.a, (*start)[3] = (const double(*)[3])p,
        (*end)[3] = (const double(*)[3])q;
  sub3(q, p, along);
  for (int c = 0; c < 3; ++c) sub3(t.a[(c + 1) % 3], t.a[c], edges[c]);
  cross3(edges[0], edges[1], n);
  if (separates(n, corners, 3, start, end, 1, slack)) return false;
  for (int c = 0; c < 3; ++c) {
    cross3(n, edges[c], axis);
    if (separates(axis, corners, 3, start, end, 1, slack)) return false;
    cross3(edges[c], along, axis);
    if (separates(axis, corners, 3, start, end, 1, slack)) return false;
  }
  double size = fmax(dot3(edges[0], edges[0]), dot3(edges[1], edges[1]));
  if (dot3(n, n) > 1e-20 * size * size) return true;
  for (int c = 0; c < 3; ++c) { /* thin: from a corner, and across an edge */
    double d[3], square = dot3(edges[c], edges[c]);
    sub3(p, t.a[c], d);
    if (separates(d, corners, 3, start, end, 1, slack)) return false;
    if (!(square > 0.0)) continue;
    for (int k = 0; k < 3; ++k) axis[k] = d[k] - edges[c][k] * (dot3(edges[c], d) / square);
    if (separates(axis, corners, 3, start, end, 1, slack)) return false;
  }
  return true;
}

bool brinkPathIsClear(const brinkInverseMesh *a, const brinkPathPiece *path, uint32_t *triangle) {
  uint32_t stack[STACK_CAPACITY];
  size_t count = 1;
  const double *p = path->p, *q = path->q;
  stack[0] = 0;
  while (count > 0) {
    uint32_t at = stack[--count];
    const brinkInverseNode *node = &a->nodes[at];
    if (!pathMeetsBox(node, p, q, path->slack)) continue;
    if (node->right != 0) {
      stack[count++] = node->right;
      stack[count++] = at + 1;
    } else if (pathMeetsTriangle(a, node->triangle, p, q, path->slack)) {
      *triangle = node->triangle;
      return false;
    }
  }
  return true;
}

bool brinkPathCrosses(const brinkInverseMesh *a, const brinkPathPiece *path, uint32_t triangle) {
  double corners[3][3], e0[3], e1[3], n[3];
  if (triangle >= a->triangleCount) return false;
  for (int c = 0; c < 3; ++c) memcpy(corners[c], brinkInverseMesh_Vertex(a, triangle, c), sizeof corners[c]);
  const double *p = path->p, *q = path->q;
  sub3(corners[1], corners[0], e0);
  sub3(corners[2], corners[0], e1);
  cross3(e0, e1, n);
  int before = sideDuring(n, corners[0], p, p, path->slack);
  if (before == 0 || sideDuring(n, corners[0], q, q, path->slack) != -before) return false;
  for (int c = 0; c < 3; ++c) {
    double e[3], inward[3];
    sub3(corners[(c + 1) % 3], corners[c], e);
    cross3(n, e, inward);
    if (sideDuring(inward, corners[c], p, q, path->slack) != 1) return false;
  }
  return true;
}

/* ---- the cell */

/* Is vertex x of the moving body inside the solid `host` in the middle of the cell? And, wanted, off its surface all
 * along? */
static int isInsideAt(const brinkInverseMesh *host, const brinkPlacedCell *placed, const double x[3]) {
  double at[3];
  brinkApply34(placed->cell.middle, x, at);
  return brinkInverseMesh_Contains(host, at);
}

typedef struct partStates {
  bool stays;    /* a part is inside and off the surface during the whole cell: contact */
  bool inside;   /* a part is inside in the middle */
  bool doubtful; /* a part may be either */
} partStates;

static partStates askParts(const brinkInverseMesh *host, const brinkInverseMesh *guest, uint32_t guestRoot,
                           const brinkPlacedCell *placed) {
  partStates r = {false, false, false};
  size_t count = guestRoot == 0 ? guest->partCount : 1;
  for (size_t i = 0; i < count && !r.stays; ++i) {
    const double *x = guestRoot == 0 ? guest->vertices + 3 * (size_t)guest->parts[i]
                                     : brinkInverseMesh_Vertex(guest, guest->nodes[guestRoot].triangle, 0);
    uint32_t triangle;
    int inside = isInsideAt(host, placed, x);
    if (inside > 0) {
      r.inside = true;
      const brinkPathPiece path = pathOf(placed, x);
      r.stays = brinkPathIsClear(host, &path, &triangle);
    }
    if (inside < 0) r.doubtful = true;
  }
  return r;
}

/* May a part of A have a vertex inside B's box in the middle of the cell? A wrong yes only costs time: who says no is
 * sure, for a part inside B has all its vertices in the box, and the margin is far above rounding. */
static bool partsMayBeInside(const brinkMeshPair *pair, const brinkPlacedCell *placed) {
  const double *m = placed->cell.middle;
  const brinkInverseNode *box = &pair->b->nodes[0];
  double columns[3][3], rows[3][3];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) columns[j][i] = m[4 * i + j];
  for (int j = 0; j < 3; ++j) cross3(columns[(j + 1) % 3], columns[(j + 2) % 3], rows[j]);
  double det = dot3(columns[0], rows[0]);
  for (size_t p = 0; p < pair->a->partCount; ++p) {
    const double *x = pair->a->vertices + 3 * (size_t)pair->a->parts[p];
    const double d[3] = {x[0] - m[3], x[1] - m[7], x[2] - m[11]};
    bool out = false;
    for (int j = 0; j < 3; ++j) {
      double y = dot3(rows[j], d) / det, size = box->high[j] - box->low[j],
             margin = 1e-6 * (size + pair->b->reach[j]) + 1e-9 * sqrt(dot3(rows[j], rows[j]) * dot3(d, d)) / fabs(det);
      out = out || y < box->low[j] - margin || y > box->high[j] + margin;
    }
    if (!out) return true;
  }
  return false;
}

static partStates askBothWays(const brinkMeshPair *pair, const brinkPlacedCell *placed) {
  partStates r = {false, false, false};
  const brinkInverseMesh *a = pair->a, *b = pair->b;
  if (a->solid) r = askParts(a, b, pair->rootB, placed);
  if (!r.stays && b->solid && pair->rootB == 0 && partsMayBeInside(pair, placed)) {
    brinkPlacedCell reverse;
    brinkRelativeMotion inverse = {pair->motion.b, pair->motion.a};
    brinkPlaceCell(&inverse, placed->cell.l, placed->cell.u, b->reach, b->error, a->reach, a->error, &reverse);
    partStates other = askParts(b, a, 0, &reverse);
    r.stays = other.stays;
    r.inside = r.inside || other.inside;
    r.doubtful = r.doubtful || other.doubtful;
  }
  return r;
}

/* Two solids: the middle of what their boxes share. Inside B, and inside A during the whole cell: contact, also where
 * all faces that cross do so along their borders (blocks in line). */
static bool sharedPointStays(const brinkMeshPair *pair, const brinkPlacedCell *placed) {
  const brinkInverseNode *a = &pair->a->nodes[0], *b = &pair->b->nodes[0];
  const double *m = placed->cell.middle;
  double columns[3][3], rows[3][3], d[3], x[3];
  for (int i = 0; i < 3; ++i) {
    double center = m[4 * i + 3], half = 0.0;
    for (int j = 0; j < 3; ++j) {
      center += m[4 * i + j] * 0.5 * (b->low[j] + b->high[j]);
      half += fabs(m[4 * i + j]) * 0.5 * (b->high[j] - b->low[j]);
      columns[j][i] = m[4 * i + j];
    }
    d[i] = 0.5 * (fmax(a->low[i], center - half) + fmin(a->high[i], center + half)) - m[4 * i + 3];
  }
  for (int j = 0; j < 3; ++j) cross3(columns[(j + 1) % 3], columns[(j + 2) % 3], rows[j]);
  double det = dot3(columns[0], rows[0]);
  for (int j = 0; j < 3; ++j) {
    x[j] = dot3(rows[j], d) / det;
    if (!(x[j] > b->low[j] && x[j] < b->high[j])) return false;
  }
  return pair->b->error == 0.0 && brinkInverseMesh_Contains(pair->b, x) > 0 && pointStays(pair, placed, x);
}

static bool rememberedIsApart(const brinkMeshPair *pair, const brinkPlacedCell *placed, const brinkCellMemory *memory) {
  if (memory->triangleA == BRINK_NO_TRIANGLE) return true;
  trianglePair t;
  placeTriangles(pair, placed, memory->triangleA, memory->triangleB, &t);
  return trianglesAreApart(&t, placed->slack, true);
}

brinkCellState brinkMeshPair_Classify(const brinkMeshPair *pair, double l, double u, brinkCellMemory *memory) {
  brinkMotionCell cell;
  brinkRelativeMotion_Cell(&pair->motion, l, u, &cell);
  return brinkMeshPair_ClassifyKnown(pair, &cell, memory);
}

brinkCellState brinkMeshPair_ClassifyKnown(const brinkMeshPair *pair, const brinkMotionCell *cell,
                                           brinkCellMemory *memory) {
  const brinkInverseMesh *a = pair->a, *b = pair->b;
  brinkPlacedCell placed, still;
  placed.cell = *cell;
  brinkPlaceKnownCell(a->reach, a->error, b->reach, b->error, &placed);
  for (int k = 0; k < 3; ++k)
    if (!isfinite(placed.slack[k])) return brink_cellOpen;
  if (memory->triangleA != BRINK_NO_TRIANGLE && chordPierces(pair, &placed, memory->triangleA, memory->triangleB))
    return brink_cellContact;
  partStates parts = askBothWays(pair, &placed);
  if (parts.stays) return brink_cellContact;
  still = placed; /* the middle alone: this walk only proposes */
  memset(still.slack, 0, sizeof still.slack);
  for (int e = 0; e < 2; ++e) memcpy(still.cell.at[e], placed.cell.middle, sizeof still.cell.middle);
  walk chord = {.pair = pair, .placed = &still, .proof = &placed, .found = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE}};
  walkPairs(&chord);
  if (chord.proof == NULL) {
    *memory = chord.found;
    return brink_cellContact;
  }
  if (chord.found.triangleA != BRINK_NO_TRIANGLE) { /* they meet in the middle */
    *memory = chord.found;
    return a->solid && b->solid && pair->rootB == 0 && sharedPointStays(pair, &placed) ? brink_cellContact
                                                                                       : brink_cellOpen;
  }
  if (!rememberedIsApart(pair, &placed, memory)) return brink_cellOpen;
  walk apart = {.pair = pair, .placed = &placed, .found = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE}};
  if (walkPairs(&apart)) {
    *memory = apart.found;
    return brink_cellOpen;
  }
  if (parts.doubtful) return brink_cellOpen;
  return parts.inside ? brink_cellContact : brink_cellApart;
}

/* ---- doors of the above */

bool brinkBoxesAreApart(const brinkInverseNode *a, const brinkInverseNode *b, const brinkPlacedCell *placed) {
  return boxesAreApart(a, b, placed);
}

bool brinkChordStays(const double a[3][3], const double middle[3][3], const double b0[3][3], const double b1[3][3],
                     const double slack[3]) {
  double ends[2][3], at[2][2][3], e0[3], e1[3], n[3];
  if (!findChord(a, middle, ends)) return false;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 3; ++i) {
      at[k][0][i] = ends[k][0] * b0[0][i] + ends[k][1] * b0[1][i] + ends[k][2] * b0[2][i];
      at[k][1][i] = ends[k][0] * b1[0][i] + ends[k][1] * b1[1][i] + ends[k][2] * b1[2][i];
    }
  sub3(a[1], a[0], e0);
  sub3(a[2], a[0], e1);
  cross3(e0, e1, n);
  int first = sideDuring(n, a[0], at[0][0], at[0][1], slack);
  if (first == 0 || sideDuring(n, a[0], at[1][0], at[1][1], slack) != -first) return false;
  for (int c = 0; c < 3; ++c) {
    double e[3], inward[3];
    sub3(a[(c + 1) % 3], a[c], e);
    cross3(n, e, inward);
    for (int k = 0; k < 2; ++k)
      if (sideDuring(inward, a[c], at[k][0], at[k][1], slack) != 1) return false;
  }
  return true;
}
