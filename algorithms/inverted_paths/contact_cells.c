/* SPDX-License-Identifier: BSD-3-Clause */
/* See contact_cells.h. All comparisons are between images of B's points at the two ends of the cell, in A's frame; in
 * the cell a point is within `slack` (by coordinate) of the straight line between them, so n . x is within sum |n_i|
 * slack_i of the values at the ends. Directions n are any doubles: nothing is normalised, nothing is lost. */
#include "contact_cells.h"

#include "linear.h"
#include "touching_pair.h"

#define STACK_CAPACITY 512 /* two trees by median split: depth <= 2 x 30, each level leaves one pair behind */
#define MOST_TRIES 48      /* chords tried in a cell */
#define ROUNDING (32.0 * DBL_EPSILON)

/* Not fmin and fmax: those are calls. */
static double lesser(double a, double b) { return a < b ? a : b; }
static double greater(double a, double b) { return a > b ? a : b; }
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
  double thick = errorA + (errorB > 0.0 ? errorB * sqrt(stretch) : 0.0), rounding = 0.0;
  out->moves = NULL;
  for (int i = 0; i < 3; ++i) {
    double bend = c->curve[4 * i + 3] + c->error[4 * i + 3], reach = 0.0, off = c->error[4 * i + 3];
    for (int j = 0; j < 3; ++j) {
      bend += (c->curve[4 * i + j] + c->error[4 * i + j]) * reachB[j];
      off += c->error[4 * i + j] * reachB[j];
    }
    for (int e = 0; e < 2; ++e) {
      double sum = fabs(c->at[e][4 * i + 3]);
      for (int j = 0; j < 3; ++j) sum += fabs(c->at[e][4 * i + j]) * reachB[j];
      reach = fmax(reach, sum);
    }
    out->slack[i] = (bend + thick) * (1.0 + 1e-12) + ROUNDING * (reach + reachA[i]) + DBL_MIN;
    if (!isfinite(out->slack[i])) out->slack[i] = INFINITY;
    off += ROUNDING * (reach + reachA[i]) + DBL_MIN;
    rounding += off * off;
  }
  out->rounding = sqrt(rounding);
}

/* Does n separate the points a from the points b, which are at b0 at l and at b1 at u? */
static bool separates(const double n[3], const double (*a)[3], int countA, const double (*b0)[3], const double (*b1)[3],
                      int countB, const double slack[3]) {
  double lowA = INFINITY, highA = -INFINITY, lowB = INFINITY, highB = -INFINITY;
  for (int i = 0; i < countA; ++i) {
    double v = brinkDot3(n, a[i]);
    lowA = fmin(lowA, v);
    highA = fmax(highA, v);
  }
  for (int i = 0; i < countB; ++i) {
    double v = brinkDot3(n, b0[i]), w = brinkDot3(n, b1[i]);
    lowB = fmin(lowB, fmin(v, w));
    highB = fmax(highB, fmax(v, w));
  }
  double need = slackAlong(slack, n);
  return lowB - highA > need || lowA - highB > need;
}

/* ---- boxes */

/* Both are moved: the axes of the common frame. */
static bool movedBoxesAreApart(const brinkInverseNode *a, const brinkInverseNode *b, const brinkPlacedCell *placed) {
  const brinkInverseNode *node[2] = {a, b};
  for (int i = 0; i < 3; ++i) {
    double least = INFINITY, most = -INFINITY;
    for (int e = 0; e < 2; ++e) {
      double low[2], high[2];
      for (int k = 0; k < 2; ++k) {
        const double *m = (k == 0 ? placed->moves : &placed->cell)->at[e] + 4 * i;
        double center = m[3], half = 0.0;
        for (int j = 0; j < 3; ++j) {
          center += m[j] * (0.5 * node[k]->low[j] + 0.5 * node[k]->high[j]);
          half += fabs(m[j]) * 0.5 * (node[k]->high[j] - node[k]->low[j]);
        }
        low[k] = center - half;
        high[k] = center + half;
      }
      least = fmin(least, low[1] - high[0]);
      most = fmax(most, high[1] - low[0]);
    }
    if (least > placed->slack[i] || most < -placed->slack[i]) return true;
  }
  return false;
}

/* Directions that boxes are tried along, the same for a whole cell: A's axes, and B's faces as they are in the middle.
 */
typedef struct boxAxes {
  double normals[3][3], need[3]; /* of B's faces; slack along them */
} boxAxes;

/* Where a box of B is during the cell along A's axes (0..2) and along B's faces (3..5), without slack. */
typedef struct placedBox {
  double low[6], high[6];
} placedBox;

static void makeBoxAxes(const brinkPlacedCell *placed, boxAxes *out) {
  for (int j = 0; j < 3; ++j) {
    double p[3], q[3];
    for (int i = 0; i < 3; ++i) {
      p[i] = placed->cell.middle[4 * i + (j + 1) % 3];
      q[i] = placed->cell.middle[4 * i + (j + 2) % 3];
    }
    brinkCross3(p, q, out->normals[j]);
    out->need[j] = slackAlong(placed->slack, out->normals[j]);
  }
}

static void placeBox(const brinkInverseNode *b, const brinkPlacedCell *placed, const boxAxes *axes, placedBox *out) {
  double center[3], half[3];
  for (int k = 0; k < 3; ++k) {
    center[k] = 0.5 * b->low[k] + 0.5 * b->high[k];
    half[k] = 0.5 * (b->high[k] - b->low[k]);
  }
  for (int e = 0; e < 2; ++e) {
    const double *m = placed->cell.at[e];
    double at[3], columns[3][3];
    for (int i = 0; i < 3; ++i) {
      at[i] = m[4 * i] * center[0] + m[4 * i + 1] * center[1] + m[4 * i + 2] * center[2] + m[4 * i + 3];
      for (int j = 0; j < 3; ++j) columns[j][i] = m[4 * i + j] * half[j];
    }
    for (int i = 0; i < 6; ++i) {
      const double *n = i < 3 ? NULL : axes->normals[i - 3];
      double d = n == NULL ? at[i] : brinkDot3(n, at), r = 0.0;
      for (int j = 0; j < 3; ++j) r += fabs(n == NULL ? columns[j][i] : brinkDot3(n, columns[j]));
      out->low[i] = e == 0 ? d - r : lesser(out->low[i], d - r);
      out->high[i] = e == 0 ? d + r : greater(out->high[i], d + r);
    }
  }
}

static bool isApartFrom(const brinkInverseNode *a, const placedBox *b, const boxAxes *axes, const double slack[3]) {
  for (int i = 0; i < 3; ++i)
    if (b->low[i] - a->high[i] > slack[i] || a->low[i] - b->high[i] > slack[i]) return true;
  for (int j = 0; j < 3; ++j) {
    const double *n = axes->normals[j];
    double d = 0.0, r = 0.0;
    for (int i = 0; i < 3; ++i) {
      d += n[i] * (0.5 * (a->low[i] + a->high[i]));
      r += fabs(n[i]) * (0.5 * (a->high[i] - a->low[i]));
    }
    if (b->low[3 + j] - (d + r) > axes->need[j] || (d - r) - b->high[3 + j] > axes->need[j]) return true;
  }
  return false;
}

static bool boxesAreApart(const brinkInverseNode *a, const brinkInverseNode *b, const brinkPlacedCell *placed) {
  boxAxes axes;
  placedBox box;
  if (placed->moves != NULL) return movedBoxesAreApart(a, b, placed);
  makeBoxAxes(placed, &axes);
  placeBox(b, placed, &axes, &box);
  return isApartFrom(a, &box, &axes, placed->slack);
}

/* ---- triangles */

typedef brinkTrianglePair trianglePair;

static void placeTriangles(const brinkMeshPair *pair, const brinkPlacedCell *placed, uint32_t ta, uint32_t tb,
                           trianglePair *out) {
  out->moves = placed->moves != NULL;
  for (int c = 0; c < 3; ++c) {
    const double *x = brinkInverseMesh_Vertex(pair->b, tb, c), *y = brinkInverseMesh_Vertex(pair->a, ta, c);
    brinkApply34(placed->cell.at[0], x, out->b0[c]);
    brinkApply34(placed->cell.at[1], x, out->b1[c]);
    if (out->moves) {
      brinkApply34(placed->moves->at[0], y, out->a0[c]);
      brinkApply34(placed->moves->at[1], y, out->a1[c]);
    } else {
      memcpy(out->a0[c], y, sizeof out->a0[c]);
      memcpy(out->a1[c], y, sizeof out->a1[c]);
    }
  }
}

/* A direction that turns with the cell, n(t) = lerp(n0, n1): n . (b - a) is the lerp of its values at the ends, less at
 * most a quarter of (n1 - n0) . (b1 - b0 - (a1 - a0)). It costs what the motion bends, where a fixed one costs what the
 * body turns. */
static bool separatesPair(const double n0[3], const double n1[3], const trianglePair *t, const double slack[3]) {
  double a0[3], b0[3], a1[3], b1[3];
  for (int i = 0; i < 3; ++i) {
    a0[i] = brinkDot3(n0, t->a0[i]);
    b0[i] = brinkDot3(n0, t->b0[i]);
  }
  double need = slackAlong(slack, n0);
  double above = lesser(lesser(b0[0], b0[1]), b0[2]) - greater(greater(a0[0], a0[1]), a0[2]);
  double below = lesser(lesser(a0[0], a0[1]), a0[2]) - greater(greater(b0[0], b0[1]), b0[2]);
  if (!(above > need) && !(below > need)) return false;
  for (int i = 0; i < 3; ++i) {
    a1[i] = brinkDot3(n1, t->a1[i]);
    b1[i] = brinkDot3(n1, t->b1[i]);
  }
  need = greater(need, slackAlong(slack, n1)) * (1.0 + ROUNDING);
  above = lesser(above, lesser(lesser(b1[0], b1[1]), b1[2]) - greater(greater(a1[0], a1[1]), a1[2]));
  below = lesser(below, lesser(lesser(a1[0], a1[1]), a1[2]) - greater(greater(b1[0], b1[1]), b1[2]));
  if (!(above > need) && !(below > need)) return false;
  double turn[3], most = 0.0, least = 0.0, sum = 0.0;
  brinkSub3(n1, n0, turn);
  for (int j = 0; j < 3; ++j) {
    double way[3], bend[3] = {0.0, 0.0, 0.0};
    brinkSub3(t->b1[j], t->b0[j], way);
    double ofB = brinkDot3(turn, way);
    for (int i = 0; i < 3 && t->moves; ++i) {
      brinkSub3(t->a1[i], t->a0[i], way);
      bend[i] = brinkDot3(turn, way);
    }
    for (int i = 0; i < 3; ++i) {
      most = greater(most, ofB - bend[i]);
      least = lesser(least, ofB - bend[i]);
    }
    sum += a0[j] + a1[j] + b0[j] + b1[j] + ofB;
  }
  if (!isfinite(sum)) return false; /* comparisons pass over what is not a number */
  return above > need + 0.25 * most * (1.0 + ROUNDING) || below > need - 0.25 * least * (1.0 + ROUNDING);
}

typedef struct pairEdges {
  double a[2][3][3], b[2][3][3]; /* at the two ends */
} pairEdges;

static const double *edgeAt(const pairEdges *edges, int k, int end) {
  return k < 3 ? edges->a[end][k] : edges->b[end][k - 3];
}

/* Directions between corners, and from a corner across an edge: what points and segments need, and triangles whose
 * nearest features are such. */
static bool cornersAreApart(const trianglePair *t, const pairEdges *edges, const double slack[3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double d[2][3], n[2][3];
      brinkSub3(t->b0[j], t->a0[i], d[0]);
      brinkSub3(t->b1[j], t->a1[i], d[1]);
      if (separatesPair(d[0], d[1], t, slack)) return true;
      for (int k = 0; k < 6; ++k) {
        bool flat = false;
        for (int e = 0; e < 2; ++e) {
          const double *edge = edgeAt(edges, k, e);
          double square = brinkDot3(edge, edge);
          flat = flat || !(square > 0.0);
          for (int m = 0; m < 3; ++m) n[e][m] = d[e][m] - edge[m] * (brinkDot3(edge, d[e]) / square);
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
    brinkSub3(t->b1[j], t->b0[j], way);
    for (int m = 0; t->moves && m < 3; ++m) way[m] -= t->a1[0][m] - t->a0[0][m];
    double square = brinkDot3(way, way);
    if (!(square > 0.0)) continue;
    for (int k = 0; k < 6; ++k) {
      for (int e = 0; e < 2; ++e) brinkCross3(edgeAt(edges, k, e), way, n[e]);
      if (separatesPair(n[0], n[1], t, slack)) return true;
    }
    for (int i = 0; i < 3; ++i) {
      for (int m = 0; m < 3; ++m) d[m] = 0.5 * (t->b0[j][m] + t->b1[j][m]) - 0.5 * (t->a0[i][m] + t->a1[i][m]);
      for (int m = 0; m < 3; ++m) n[0][m] = d[m] - way[m] * (brinkDot3(way, d) / square);
      if (separatesPair(n[0], n[0], t, slack)) return true;
    }
  }
  return false;
}

static bool isThin(const double corners[3][3]) {
  double e0[3], e1[3], n[3];
  brinkSub3(corners[1], corners[0], e0);
  brinkSub3(corners[2], corners[0], e1);
  brinkCross3(e0, e1, n);
  double square = fmax(brinkDot3(e0, e0), brinkDot3(e1, e1));
  return !(brinkDot3(n, n) > 1e-20 * square * square);
}

/* thorough: with the rarer directions too. Without them a pair may be told not apart that is; segments and points need
 * them in any case. */
static bool trianglesAreApart(const trianglePair *t, const double slack[3], bool thorough) {
  pairEdges edges;
  double normalA[2][3], normalB[2][3], n[2][3];
  for (int c = 0; c < 3; ++c) {
    brinkSub3(t->a0[(c + 1) % 3], t->a0[c], edges.a[0][c]);
    brinkSub3(t->a1[(c + 1) % 3], t->a1[c], edges.a[1][c]);
    brinkSub3(t->b0[(c + 1) % 3], t->b0[c], edges.b[0][c]);
    brinkSub3(t->b1[(c + 1) % 3], t->b1[c], edges.b[1][c]);
  }
  for (int e = 0; e < 2; ++e) {
    brinkCross3(edges.a[e][0], edges.a[e][1], normalA[e]);
    brinkCross3(edges.b[e][0], edges.b[e][1], normalB[e]);
  }
  if (separatesPair(normalA[0], normalA[1], t, slack) || separatesPair(normalB[0], normalB[1], t, slack)) return true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      for (int e = 0; e < 2; ++e) brinkCross3(edges.a[e][i], edges.b[e][j], n[e]);
      if (separatesPair(n[0], n[1], t, slack)) return true;
    }
  for (int i = 0; i < 3; ++i) {
    for (int e = 0; e < 2; ++e) brinkCross3(normalA[e], edges.a[e][i], n[e]);
    if (separatesPair(n[0], n[1], t, slack)) return true;
    for (int e = 0; e < 2; ++e) brinkCross3(normalB[e], edges.b[e][i], n[e]);
    if (separatesPair(n[0], n[1], t, slack)) return true;
  }
  thorough = thorough || isThin(t->a0) || isThin(t->b0);
  return thorough && (passingAreApart(t, &edges, slack) || cornersAreApart(t, &edges, slack));
}

/* ---- a chord of B's triangle that pierces A's all the time */

/* Barycentric coordinates on B's triangle of the two ends of such a chord at one time; false when the triangles do not
 * cross. */
static bool findChord(const double a[3][3], const double b[3][3], double ends[2][3]) {
  double e0[3], e1[3], n[3], side[3];
  brinkSub3(a[1], a[0], e0);
  brinkSub3(a[2], a[0], e1);
  brinkCross3(e0, e1, n);
  for (int c = 0; c < 3; ++c) {
    double d[3];
    brinkSub3(b[c], a[0], d);
    side[c] = brinkDot3(n, d);
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
    brinkSub3(a[(c + 1) % 3], a[c], e);
    brinkCross3(n, e, inward[c]);
    brinkSub3(point[0], a[c], d);
    double h0 = brinkDot3(inward[c], d);
    brinkSub3(point[1], a[c], d);
    double h1 = brinkDot3(inward[c], d);
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
      brinkSub3(pierce, a[c], d);
      double h0 = brinkDot3(inward[c], d);
      brinkSub3(to, a[c], d);
      double h1 = brinkDot3(inward[c], d);
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
  brinkSub3(x0, a, d);
  double v = brinkDot3(n, d);
  brinkSub3(x1, a, d);
  double w = brinkDot3(n, d), need = slackAlong(slack, n);
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

static bool movedChordPierces(const brinkMeshPair *pair, const brinkPlacedCell *placed, uint32_t ta, uint32_t tb) {
  double a[3][3], b[3][3], ends[2][3];
  for (int c = 0; c < 3; ++c) {
    brinkApply34(placed->moves->middle, brinkInverseMesh_Vertex(pair->a, ta, c), a[c]);
    brinkApply34(placed->cell.middle, brinkInverseMesh_Vertex(pair->b, tb, c), b[c]);
  }
  if (!findChord((const double(*)[3])a, (const double(*)[3])b, ends)) return false;
  trianglePair t;
  placeTriangles(pair, placed, ta, tb, &t);
  return brinkTrianglePair_Pierces(&t, placed->slack, (const double(*)[3])ends);
}

static bool chordPierces(const brinkMeshPair *pair, const brinkPlacedCell *placed, uint32_t ta, uint32_t tb) {
  if (placed->moves != NULL) return movedChordPierces(pair, placed, ta, tb);
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
  brinkSub3(a[1], a[0], e0);
  brinkSub3(a[2], a[0], e1);
  brinkCross3(e0, e1, n);
  int first = sideDuring(n, a[0], at[0][0], at[0][1], placed->slack);
  if (first == 0 || sideDuring(n, a[0], at[1][0], at[1][1], placed->slack) != -first) return false;
  for (int c = 0; c < 3; ++c) {
    double e[3], inward[3];
    brinkSub3(a[(c + 1) % 3], a[c], e);
    brinkCross3(n, e, inward);
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
  bool closely;            /* instead: every pair that is not apart, until `bits` says what is wanted */
  double nearDistance;     /* < 0: not asked */
  uint32_t bits;
} walk;

static double sizeOf(const brinkInverseNode *node) {
  return (node->high[0] - node->low[0]) + (node->high[1] - node->low[1]) + (node->high[2] - node->low[2]);
}

/* Is a chord of A's triangle worth the cell in B's frame? Asked in A's frame, in the middle, with a tenth of the slack:
 * a wrong no only leaves more to be halved. */
static bool chordOfAMay(const walk *self, uint32_t ta, uint32_t tb) {
  double a[3][3], b[3][3], slack[3];
  for (int c = 0; c < 3; ++c) {
    memcpy(a[c], brinkInverseMesh_Vertex(self->pair->a, ta, c), sizeof a[c]);
    brinkApply34(self->proof->cell.middle, brinkInverseMesh_Vertex(self->pair->b, tb, c), b[c]);
    slack[c] = 0.1 * self->proof->slack[c];
  }
  const double(*middle)[3] = (const double(*)[3])a;
  return brinkChordStays((const double(*)[3])b, middle, middle, middle, slack);
}

/* The same with the roles exchanged: a long edge of a thin A may stay in a wide triangle of B when no chord of B's
 * stays over A. */
static bool chordOfAPierces(walk *self, uint32_t ta, uint32_t tb) {
  if (self->proof->moves == NULL && !chordOfAMay(self, ta, tb)) return false;
  const brinkMeshPair exchanged = {self->pair->b, self->pair->a, {self->pair->motion.b, self->pair->motion.a}, 0};
  const brinkInverseMesh *a = self->pair->a, *b = self->pair->b;
  if (self->proof->moves != NULL) {
    self->reverse = *self->proof;
    self->reverse.cell = *self->proof->moves;
    self->reverse.moves = &self->proof->cell;
  } else if (!self->reversed)
    brinkPlaceCell(&exchanged.motion, self->proof->cell.l, self->proof->cell.u, b->reach, b->error, a->reach, a->error,
                   &self->reverse);
  self->reversed = true;
  return chordPierces(&exchanged, &self->reverse, tb, ta);
}

/* Indices of a triangle's distinct corners; their number. */
static int distinctCorners(const brinkInverseMesh *mesh, uint32_t triangle, int out[3]) {
  const uint32_t *t = mesh->triangles + 3 * (size_t)triangle;
  int count = 0;
  for (int c = 0; c < 3; ++c)
    if ((c < 1 || t[c] != t[0]) && (c < 2 || t[c] != t[1])) out[count++] = c;
  return count;
}

/* Near all the time, or crossing at some time? */
static bool meetClosely(walk *self, uint32_t ta, uint32_t tb) {
  int cornersA[3], cornersB[3], countA = distinctCorners(self->pair->a, ta, cornersA),
                                countB = distinctCorners(self->pair->b, tb, cornersB);
  trianglePair t;
  placeTriangles(self->pair, self->placed, ta, tb, &t);
  bool wantsNear = self->nearDistance >= 0.0 && (self->bits & brink_cellNear) == 0u,
       wantsCrossing = countA + countB == 4 && (self->bits & brink_cellCrossing) == 0u;
  if (wantsNear && brinkTrianglePair_StaysNear(&t, self->placed->slack, self->nearDistance))
    self->bits |= brink_cellNear;
  if (wantsCrossing && brinkTrianglePair_Crosses(&t, self->placed->slack, cornersA, countA, cornersB, countB))
    self->bits |= brink_cellCrossing;
  return self->bits == (brink_cellNear | brink_cellCrossing) || ++self->tries >= MOST_TRIES;
}

/* A pair of triangles that is not apart: is that the end of the walk? */
static bool meet(walk *self, uint32_t ta, uint32_t tb) {
  if (self->closely) return meetClosely(self, ta, tb);
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
  boxAxes axes;
  placedBox box; /* of the last node of B */
  uint32_t boxed = UINT32_MAX;
  bool moves = self->placed->moves != NULL;
  if (!moves) makeBoxAxes(self->placed, &axes);
  stack[0] = (nodePair){0, self->pair->rootB};
  while (count > 0) {
    nodePair top = stack[--count];
    const brinkInverseNode *a = &self->pair->a->nodes[top.a], *b = &self->pair->b->nodes[top.b];
    if (!moves && boxed != top.b) placeBox(b, self->placed, &axes, &box);
    boxed = top.b;
    if (moves ? movedBoxesAreApart(a, b, self->placed) : isApartFrom(a, &box, &axes, self->placed->slack)) continue;
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
  double at[3][3], edges[3][3], n[3], axis[3], along[3];
  for (int c = 0; c < 3; ++c) memcpy(at[c], brinkInverseMesh_Vertex(a, triangle, c), sizeof at[c]);
  const double(*corners)[3] = (const double(*)[3])at, (*start)[3] = (const double(*)[3])p,
        (*end)[3] = (const double(*)[3])q;
  brinkSub3(q, p, along);
  for (int c = 0; c < 3; ++c) brinkSub3(at[(c + 1) % 3], at[c], edges[c]);
  brinkCross3(edges[0], edges[1], n);
  if (separates(n, corners, 3, start, end, 1, slack)) return false;
  for (int c = 0; c < 3; ++c) {
    brinkCross3(n, edges[c], axis);
    if (separates(axis, corners, 3, start, end, 1, slack)) return false;
    brinkCross3(edges[c], along, axis);
    if (separates(axis, corners, 3, start, end, 1, slack)) return false;
  }
  double size = fmax(brinkDot3(edges[0], edges[0]), brinkDot3(edges[1], edges[1]));
  if (brinkDot3(n, n) > 1e-20 * size * size) return true;
  for (int c = 0; c < 3; ++c) { /* thin: from a corner, and across an edge */
    double d[3], square = brinkDot3(edges[c], edges[c]);
    brinkSub3(p, at[c], d);
    if (separates(d, corners, 3, start, end, 1, slack)) return false;
    if (!(square > 0.0)) continue;
    for (int k = 0; k < 3; ++k) axis[k] = d[k] - edges[c][k] * (brinkDot3(edges[c], d) / square);
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
  brinkSub3(corners[1], corners[0], e0);
  brinkSub3(corners[2], corners[0], e1);
  brinkCross3(e0, e1, n);
  int before = sideDuring(n, corners[0], p, p, path->slack);
  if (before == 0 || sideDuring(n, corners[0], q, q, path->slack) != -before) return false;
  for (int c = 0; c < 3; ++c) {
    double e[3], inward[3];
    brinkSub3(corners[(c + 1) % 3], corners[c], e);
    brinkCross3(n, e, inward);
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
  for (int j = 0; j < 3; ++j) brinkCross3(columns[(j + 1) % 3], columns[(j + 2) % 3], rows[j]);
  double det = brinkDot3(columns[0], rows[0]);
  for (size_t p = 0; p < pair->a->partCount; ++p) {
    const double *x = pair->a->vertices + 3 * (size_t)pair->a->parts[p];
    const double d[3] = {x[0] - m[3], x[1] - m[7], x[2] - m[11]};
    bool out = false;
    for (int j = 0; j < 3; ++j) {
      double y = brinkDot3(rows[j], d) / det, size = box->high[j] - box->low[j],
             margin = 1e-6 * (size + pair->b->reach[j]) +
                      1e-9 * sqrt(brinkDot3(rows[j], rows[j]) * brinkDot3(d, d)) / fabs(det);
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

bool brinkSharedPoint(const brinkInverseNode *a, const brinkInverseNode *b, const double m[12], double x[3]) {
  double columns[3][3], rows[3][3], d[3];
  for (int i = 0; i < 3; ++i) {
    double center = m[4 * i + 3], half = 0.0;
    for (int j = 0; j < 3; ++j) {
      center += m[4 * i + j] * 0.5 * (b->low[j] + b->high[j]);
      half += fabs(m[4 * i + j]) * 0.5 * (b->high[j] - b->low[j]);
      columns[j][i] = m[4 * i + j];
    }
    d[i] = 0.5 * (fmax(a->low[i], center - half) + fmin(a->high[i], center + half)) - m[4 * i + 3];
  }
  for (int j = 0; j < 3; ++j) brinkCross3(columns[(j + 1) % 3], columns[(j + 2) % 3], rows[j]);
  double det = brinkDot3(columns[0], rows[0]);
  for (int j = 0; j < 3; ++j) {
    x[j] = brinkDot3(rows[j], d) / det;
    if (!(x[j] > b->low[j] && x[j] < b->high[j])) return false;
  }
  return true;
}

/* Two solids: the middle of what their boxes share. Inside B, and inside A during the whole cell: contact, also where
 * all faces that cross do so along their borders (blocks in line). */
static bool sharedPointStays(const brinkMeshPair *pair, const brinkPlacedCell *placed) {
  double x[3];
  return brinkSharedPoint(&pair->a->nodes[0], &pair->b->nodes[0], placed->cell.middle, x) && pair->b->error == 0.0 &&
         brinkInverseMesh_Contains(pair->b, x) > 0 && pointStays(pair, placed, x);
}

static bool rememberedIsApart(const brinkMeshPair *pair, const brinkPlacedCell *placed, const brinkCellMemory *memory) {
  if (memory->triangleA == BRINK_NO_TRIANGLE) return true;
  trianglePair t;
  placeTriangles(pair, placed, memory->triangleA, memory->triangleB, &t);
  return trianglesAreApart(&t, placed->slack, true);
}

static bool isPlaced(const brinkPlacedCell *placed) {
  return isfinite(placed->slack[0]) && isfinite(placed->slack[1]) && isfinite(placed->slack[2]);
}

/* Apart, contact or open, without the bits of a closer look. */
static brinkCellState classifyPlaced(const brinkMeshPair *pair, const brinkPlacedCell *placed,
                                     brinkCellMemory *memory) {
  const brinkInverseMesh *a = pair->a, *b = pair->b;
  brinkPlacedCell still;
  brinkMotionCell stillA;
  if (memory->triangleA != BRINK_NO_TRIANGLE && chordPierces(pair, placed, memory->triangleA, memory->triangleB))
    return brink_cellContact;
  partStates parts = askBothWays(pair, placed);
  if (parts.stays) return brink_cellContact;
  still = *placed; /* the middle alone: this walk only proposes */
  memset(still.slack, 0, sizeof still.slack);
  for (int e = 0; e < 2; ++e) memcpy(still.cell.at[e], placed->cell.middle, sizeof still.cell.middle);
  if (placed->moves != NULL) {
    for (int e = 0; e < 2; ++e) memcpy(stillA.at[e], placed->moves->middle, sizeof stillA.at[e]);
    still.moves = &stillA;
  }
  walk chord = {.pair = pair, .placed = &still, .proof = placed, .found = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE}};
  walkPairs(&chord);
  if (chord.proof == NULL) {
    *memory = chord.found;
    return brink_cellContact;
  }
  if (chord.found.triangleA != BRINK_NO_TRIANGLE) { /* they meet in the middle */
    *memory = chord.found;
    return a->solid && b->solid && pair->rootB == 0 && sharedPointStays(pair, placed) ? brink_cellContact
                                                                                      : brink_cellOpen;
  }
  if (!rememberedIsApart(pair, placed, memory)) return brink_cellOpen;
  walk apart = {.pair = pair, .placed = placed, .found = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE}};
  if (walkPairs(&apart)) {
    *memory = apart.found;
    return brink_cellOpen;
  }
  if (parts.doubtful) return brink_cellOpen;
  return parts.inside ? brink_cellContact : brink_cellApart;
}

/* Of a placed cell that is neither apart nor in contact: what else can be said. */
static brinkCellState lookCloser(const brinkMeshPair *pair, const brinkPlacedCell *placed, double nearDistance,
                                 bool thin) {
  double distance = nearDistance > 0.0 ? nearDistance : BRINK_NEAR_ROUNDING * placed->rounding;
  if (!(fmin(placed->slack[0], fmin(placed->slack[1], placed->slack[2])) < distance)) distance = -1.0;
  if (distance < 0.0 && !thin) return brink_cellOpen;
  walk close = {.pair = pair, .placed = placed, .closely = true, .nearDistance = distance};
  walkPairs(&close);
  return (brinkCellState)close.bits;
}

brinkCellState brinkMeshPair_ClassifyKnown(const brinkMeshPair *pair, const brinkMotionCell *cell,
                                           brinkCellMemory *memory) {
  brinkPlacedCell placed;
  placed.cell = *cell;
  brinkPlaceKnownCell(pair->a->reach, pair->a->error, pair->b->reach, pair->b->error, &placed);
  if (!isPlaced(&placed)) return brink_cellOpen;
  const brinkCellState state = classifyPlaced(pair, &placed, memory);
  return state != brink_cellOpen ? state : lookCloser(pair, &placed, 0.0, false);
}

/* Both bodies' cells; where a difference of two images can be off is the sum of both. */
static void placeForward(const brinkMeshPair *pair, double l, double u, brinkPlacedCell *placed,
                         brinkPlacedCell *placedA) {
  brinkRelativeMotion_ForwardCells(&pair->motion, l, u, &placedA->cell, &placed->cell);
  brinkPlaceKnownCell(pair->b->reach, 0.0, pair->a->reach, 0.0, placedA);
  brinkPlaceKnownCell(pair->a->reach, 0.0, pair->b->reach, 0.0, placed);
  for (int k = 0; k < 3; ++k) placed->slack[k] = (placed->slack[k] + placedA->slack[k]) * (1.0 + 4.0 * DBL_EPSILON);
  placed->rounding += placedA->rounding;
  placed->moves = &placedA->cell;
}

brinkCellState brinkMeshPair_ClassifyClosely(const brinkCloseQuestion *question, double l, double u,
                                             brinkCellMemory *memory) {
  const brinkMeshPair *pair = question->pair;
  brinkPlacedCell placed, placedA;
  if (question->forward) {
    placeForward(pair, l, u, &placed, &placedA);
  } else {
    brinkPlaceCell(&pair->motion, l, u, pair->a->reach, pair->a->error, pair->b->reach, pair->b->error, &placed);
  }
  if (!isPlaced(&placed)) return brink_cellOpen;
  brinkCellState state = classifyPlaced(pair, &placed, memory);
  return state != brink_cellOpen ? state : lookCloser(pair, &placed, question->nearDistance, question->thin);
}

bool brinkHasThinTriangles(const brinkInverseMesh *mesh) {
  int corners[3];
  for (size_t i = 0; i < mesh->triangleCount; ++i)
    if (distinctCorners(mesh, (uint32_t)i, corners) < 3) return true;
  return false;
}

/* ---- entry points of the above */

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
  brinkSub3(a[1], a[0], e0);
  brinkSub3(a[2], a[0], e1);
  brinkCross3(e0, e1, n);
  int first = sideDuring(n, a[0], at[0][0], at[0][1], slack);
  if (first == 0 || sideDuring(n, a[0], at[1][0], at[1][1], slack) != -first) return false;
  for (int c = 0; c < 3; ++c) {
    double e[3], inward[3];
    brinkSub3(a[(c + 1) % 3], a[c], e);
    brinkCross3(n, e, inward);
    for (int k = 0; k < 2; ++k)
      if (sideDuring(inward, a[c], at[k][0], at[k][1], slack) != 1) return false;
  }
  return true;
}
