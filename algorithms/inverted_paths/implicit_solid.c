/* SPDX-License-Identifier: BSD-3-Clause */
/* See implicit_solid.h. A cell is asked in two passes. The first looks for a deep common point in the middle of the
 * cell, most promising piece first, and tests whether it stays common. If there is none, the second cuts the pieces,
 * moved through the whole cell, until F is positive on each. Pieces: boxes of the mesh's tree, then triangles halved
 * across their longest edge; of two implicit solids, boxes in B's frame halved likewise.
 *
 * Two solids about to touch: neither F is positive on a box at the place, but with gradients a and b (b in the same
 * frame) l F_A + (1-l) F_B is, for l that makes l a + (1-l) b smallest; where it is positive, one of the two is. */
#include "implicit_solid.h"

#include "interval.h"
#include "linear.h"

#define HEAP_CAPACITY 256
#define STACK_CAPACITY 192
#define CONTAINED_STACK 256
#define PIECES_SHARP 4000u /* asked in a pass of a cell, with gradients and without */
#define PIECES_PLAIN 3000u
#define PIECES_FACE 400u   /* without, of one triangle: there are many to ask */
#define PIECES_BETTER 300u /* after a common point was found, for one that stays */
#define DESCENTS 40
#define CONTAINED_PIECES 40000u
#define LEAST_SIZE 0x1p-44           /* of the reach: smaller pieces say nothing new */
#define HALVING (80.0 * DBL_EPSILON) /* of the reach: 132 levels at most, and their sum */
#define ROUNDING (32.0 * DBL_EPSILON)

/* ---- F over a hull */

/* F(y) is within spread . |y - center| of value + g . (y - center), for all y of the box it was made for. */
typedef struct tangent {
  double center[3], half[3], g[3], spread[3], value[2];
} tangent;

void brinkImplicitSolid_Reach(const brinkImplicitSolid *solid, double out[3]) {
  const brinkAabb *box = &solid->box;
  out[0] = fmax(fabs(box->lower.x), fabs(box->upper.x));
  out[1] = fmax(fabs(box->lower.y), fabs(box->upper.y));
  out[2] = fmax(fabs(box->lower.z), fabs(box->upper.z));
}

static void askBound(const brinkImplicitSolid *solid, const double low[3], const double high[3], double out[2]) {
  out[0] = -HUGE_VAL;
  out[1] = HUGE_VAL;
  solid->bound(solid->user, low, high, out);
  if (out[0] <= out[1]) return;
  out[0] = -HUGE_VAL; /* NaN: nothing is known */
  out[1] = HUGE_VAL;
}

static bool isOutside(const brinkImplicitSolid *solid, const double low[3], const double high[3]) {
  const double from[3] = {solid->box.lower.x, solid->box.lower.y, solid->box.lower.z},
               to[3] = {solid->box.upper.x, solid->box.upper.y, solid->box.upper.z};
  for (int k = 0; k < 3; ++k)
    if (low[k] > to[k] || high[k] < from[k]) return true;
  return false;
}

static bool makeTangent(const brinkImplicitSolid *solid, const double low[3], const double high[3], tangent *out) {
  double range[3][2];
  if (solid->gradient == NULL) return false;
  for (int k = 0; k < 3; ++k) {
    range[k][0] = -HUGE_VAL;
    range[k][1] = HUGE_VAL;
  }
  solid->gradient(solid->user, low, high, range);
  for (int k = 0; k < 3; ++k) {
    if (!(range[k][0] <= range[k][1] && isfinite(range[k][0]) && isfinite(range[k][1]))) return false;
    out->center[k] = 0.5 * low[k] + 0.5 * high[k];
    out->half[k] = brinkUp(fmax(high[k] - out->center[k], out->center[k] - low[k]));
    out->g[k] = 0.5 * range[k][0] + 0.5 * range[k][1];
    out->spread[k] = brinkUp(fmax(range[k][1] - out->g[k], out->g[k] - range[k][0]));
  }
  askBound(solid, out->center, out->center, out->value);
  return isfinite(out->value[0]) && isfinite(out->value[1]);
}

static void boxOf(const double (*spots)[3], size_t count, const double slack[3], double low[3], double high[3]) {
  for (int k = 0; k < 3; ++k) {
    low[k] = high[k] = spots[0][k];
    for (size_t i = 1; i < count; ++i) {
      low[k] = fmin(low[k], spots[i][k]);
      high[k] = fmax(high[k], spots[i][k]);
    }
    low[k] = brinkDown(low[k] - slack[k]);
    high[k] = brinkUp(high[k] + slack[k]);
  }
}

/* What g . (y - center) can miss: slack of the spots, spread of the gradient, rounding. */
static double tangentDoubt(const tangent *t, const double slack[3]) {
  double doubt = 0.0, size = fabs(t->value[0]) + fabs(t->value[1]);
  for (int k = 0; k < 3; ++k) {
    doubt += fabs(t->g[k]) * slack[k] + t->spread[k] * t->half[k];
    size += fabs(t->g[k]) * (t->half[k] + fabs(t->center[k]) * DBL_EPSILON);
  }
  return doubt * (1.0 + ROUNDING) + ROUNDING * size + DBL_MIN;
}

static double alongTangent(const tangent *t, const double spot[3]) {
  return t->g[0] * (spot[0] - t->center[0]) + t->g[1] * (spot[1] - t->center[1]) + t->g[2] * (spot[2] - t->center[2]);
}

/* true: *used was made. */
static bool boundOver(const brinkImplicitSolid *solid, const double (*spots)[3], size_t count, const double slack[3],
                      double out[2], tangent *used) {
  double low[3], high[3];
  boxOf(spots, count, slack, low, high);
  out[0] = -HUGE_VAL;
  out[1] = HUGE_VAL;
  for (int k = 0; k < 3; ++k)
    if (!isfinite(low[k]) || !isfinite(high[k])) return false;
  if (isOutside(solid, low, high)) {
    out[0] = out[1] = HUGE_VAL;
    return false;
  }
  askBound(solid, low, high, out);
  if (out[0] > 0.0 || out[1] <= 0.0 || !makeTangent(solid, low, high, used)) return false;
  double least = HUGE_VAL, most = -HUGE_VAL, doubt = tangentDoubt(used, slack);
  for (size_t i = 0; i < count; ++i) {
    double along = alongTangent(used, spots[i]);
    least = fmin(least, along);
    most = fmax(most, along);
  }
  double lower = used->value[0] + least - doubt, upper = used->value[1] + most + doubt;
  if (lower > out[0]) out[0] = lower;
  if (upper < out[1]) out[1] = upper;
  return true;
}

void brinkImplicitSolid_Over(const brinkImplicitSolid *solid, const double (*spots)[3], size_t count,
                             const double slack[3], double out[2]) {
  tangent used;
  boundOver(solid, spots, count, slack, out, &used);
}

/* ---- pieces of B */

/* A node of the mesh's tree; a piece of a triangle; of an implicit B: the box from at[0] to at[1]. */
typedef struct item {
  double lower; /* of F over it */
  double at[3][3];
  uint32_t node; /* BRINK_NO_TRIANGLE: none */
  uint32_t triangle;
} item;

typedef struct cellSearch {
  const brinkImplicitPair *pair;
  const brinkPlacedCell *placed; /* the cell */
  const brinkPlacedCell *still;  /* [3]: its middle, start and end alone */
  double least;                  /* smaller pieces are not cut */
  double coarse;                 /* reach of B */
  bool sharpPair;                /* two implicit solids with gradients */
  uint32_t pieces;               /* asked */
} cellSearch;

static bool isInner(const brinkImplicitPair *pair, const item *piece) {
  return piece->node != BRINK_NO_TRIANGLE && pair->meshB->nodes[piece->node].right != 0;
}

static void openNode(const brinkImplicitPair *pair, uint32_t node, item *out) {
  const brinkInverseNode *n = &pair->meshB->nodes[node];
  out->node = node;
  out->triangle = n->triangle;
  if (n->right != 0) return;
  for (int c = 0; c < 3; ++c)
    memcpy(out->at[c], brinkInverseMesh_Vertex(pair->meshB, n->triangle, c), sizeof out->at[c]);
  out->node = BRINK_NO_TRIANGLE;
}

static void firstItem(const brinkImplicitPair *pair, item *out) {
  memset(out, 0, sizeof *out);
  out->lower = -HUGE_VAL;
  if (pair->meshB != NULL) {
    openNode(pair, pair->rootB, out);
    return;
  }
  const brinkAabb *box = &pair->solidB->box;
  out->node = BRINK_NO_TRIANGLE;
  const double low[3] = {box->lower.x, box->lower.y, box->lower.z},
               high[3] = {box->upper.x, box->upper.y, box->upper.z};
  memcpy(out->at[0], low, sizeof low);
  memcpy(out->at[1], high, sizeof high);
}

/* Corners in B's frame, at most 8; their number. */
static size_t cornersOf(const brinkImplicitPair *pair, const item *piece, double out[8][3]) {
  const double *low = piece->at[0], *high = piece->at[1];
  if (pair->meshB != NULL) {
    if (!isInner(pair, piece)) {
      memcpy(out, piece->at, sizeof piece->at);
      return 3;
    }
    low = pair->meshB->nodes[piece->node].low;
    high = pair->meshB->nodes[piece->node].high;
  }
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) out[i][k] = (i >> k & 1) != 0 ? high[k] : low[k];
  return 8;
}

/* Lower bound of max(F_A, F_B) over a box of an implicit B, from both tangents. */
static double combined(const brinkPlacedCell *placed, const tangent *ta, const tangent *tb, const double (*corners)[3],
                       const double (*spots)[3], size_t count) {
  double carried[3], difference[3], rest[3] = {0.0, 0.0, 0.0};
  for (int j = 0; j < 3; ++j) {
    carried[j] = 0.0;
    for (int i = 0; i < 3; ++i) carried[j] += ta->g[i] * placed->cell.middle[4 * i + j];
    difference[j] = tb->g[j] - carried[j];
  }
  double square = brinkDot3(difference, difference);
  if (!(square > 0.0)) return -HUGE_VAL;
  double share = fmin(fmax(brinkDot3(tb->g, difference) / square, 0.0), 1.0), other = 1.0 - share, least = HUGE_VAL;
  for (size_t i = 0; i < 2 * count; ++i)
    least = fmin(least, share * alongTangent(ta, spots[i]) + other * alongTangent(tb, corners[i % count]));
  double level = share * ta->value[0] + other * tb->value[0],
         doubt = share * tangentDoubt(ta, placed->slack) + other * tangentDoubt(tb, rest);
  return level + least - doubt - ROUNDING * (fabs(level) + fabs(least) + doubt);
}

/* Lower bound over the piece, during the placed cell; > 0: it is apart. */
static double lowerOf(cellSearch *self, const brinkPlacedCell *placed, const item *piece) {
  static const double none[3] = {0.0, 0.0, 0.0};
  double corners[8][3], spots[16][3], range[2], rangeB[2];
  tangent ta, tb;
  size_t count = cornersOf(self->pair, piece, corners);
  self->pieces += 1;
  for (size_t i = 0; i < count; ++i)
    for (size_t e = 0; e < 2; ++e) brinkApply34(placed->cell.at[e], corners[i], spots[e * count + i]);
  bool sharpB = false;
  rangeB[0] = -HUGE_VAL;
  if (self->pair->solidB != NULL) {
    sharpB = boundOver(self->pair->solidB, (const double(*)[3])corners, count, none, rangeB, &tb);
    if (rangeB[0] > 0.0) return rangeB[0];
  }
  bool sharpA = boundOver(self->pair->a, (const double(*)[3])spots, 2 * count, placed->slack, range, &ta);
  double lower = fmax(range[0], rangeB[0]);
  if (lower > 0.0 || !sharpA || !sharpB) return lower;
  return fmax(lower, combined(placed, &ta, &tb, (const double(*)[3])corners, (const double(*)[3])spots, count));
}

/* Two halves; false: too small. */
static bool cutItem(const cellSearch *self, const item *piece, item out[2]) {
  if (isInner(self->pair, piece)) {
    openNode(self->pair, piece->node + 1, &out[0]);
    openNode(self->pair, self->pair->meshB->nodes[piece->node].right, &out[1]);
    return true;
  }
  out[0] = out[1] = *piece;
  double longest = 0.0, middle[3];
  int at = 0;
  if (self->pair->meshB == NULL) {
    for (int k = 0; k < 3; ++k)
      if (piece->at[1][k] - piece->at[0][k] > longest) {
        longest = piece->at[1][k] - piece->at[0][k];
        at = k;
      }
    if (!(longest > self->least)) return false;
    out[0].at[1][at] = out[1].at[0][at] = 0.5 * (piece->at[0][at] + piece->at[1][at]);
    return true;
  }
  for (int c = 0; c < 3; ++c) {
    double length = brinkDistance(brinkV3_FromArray(piece->at[c]), brinkV3_FromArray(piece->at[(c + 1) % 3]));
    if (length > longest) {
      longest = length;
      at = c;
    }
  }
  if (!(longest > self->least)) return false;
  for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (piece->at[at][k] + piece->at[(at + 1) % 3][k]);
  for (int c = 0; c < 3; ++c) /* corners at one place, of segments, move together */
    for (int h = 0; h < 2; ++h)
      if (memcmp(piece->at[c], piece->at[(at + h) % 3], sizeof middle) == 0)
        memcpy(out[h].at[c], middle, sizeof middle);
  return true;
}

/* ---- a common point */

/* Upper bound of F (of the larger one of the two) at point x of B, during the placed cell. */
static double upperAt(const cellSearch *self, const brinkPlacedCell *placed, const double x[3]) {
  double spots[2][3], range[2], rangeB[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int e = 0; e < 2; ++e) brinkApply34(placed->cell.at[e], x, spots[e]);
  if (self->pair->solidB != NULL) {
    if (isOutside(self->pair->solidB, x, x)) return HUGE_VAL;
    askBound(self->pair->solidB, x, x, rangeB);
  }
  brinkImplicitSolid_Over(self->pair->a, (const double(*)[3])spots, 2, placed->slack, range);
  return fmax(range[1], rangeB[1]);
}

/* Moves x to where both values are equal, by the tangents: into the lens that two solids share. */
static void balance(const cellSearch *self, const double m[12], double x[3]) {
  for (int pass = 0; pass < 3; ++pass) {
    tangent ta, tb;
    double y[3], difference[3], carried;
    brinkApply34(m, x, y);
    if (!makeTangent(self->pair->a, y, y, &ta) || !makeTangent(self->pair->solidB, x, x, &tb)) return;
    for (int j = 0; j < 3; ++j) {
      carried = 0.0;
      for (int i = 0; i < 3; ++i) carried += ta.g[i] * m[4 * i + j];
      difference[j] = carried - tb.g[j];
    }
    double square = brinkDot3(difference, difference),
           step = (0.5 * (ta.value[0] + ta.value[1]) - 0.5 * (tb.value[0] + tb.value[1])) / square;
    if (!(square > 0.0) || !isfinite(step)) return;
    for (int k = 0; k < 3; ++k) x[k] -= step * difference[k];
  }
}

/* Towards the deepest common point of two solids at one time, from x with that value there: balance and descend. */
static void descend(const cellSearch *self, const brinkPlacedCell *still, double x[3], double *value) {
  const double *m = still->cell.middle;
  double scale = 0.0;
  for (int pass = 0; pass < DESCENTS; ++pass) {
    tangent ta, tb;
    double y[3], carried[3], difference[3], way[3], next[3];
    brinkApply34(m, x, y);
    if (!makeTangent(self->pair->a, y, y, &ta) || !makeTangent(self->pair->solidB, x, x, &tb)) return;
    for (int j = 0; j < 3; ++j) {
      carried[j] = 0.0;
      for (int i = 0; i < 3; ++i) carried[j] += ta.g[i] * m[4 * i + j];
      difference[j] = carried[j] - tb.g[j];
    }
    double square = brinkDot3(difference, difference),
           share = fmin(fmax(-brinkDot3(tb.g, difference) / square, 0.0), 1.0),
           step = (0.5 * (ta.value[0] + ta.value[1]) - 0.5 * (tb.value[0] + tb.value[1])) / square;
    if (!(square > 0.0) || !isfinite(step)) return;
    for (int k = 0; k < 3; ++k) way[k] = share * carried[k] + (1.0 - share) * tb.g[k];
    if (pass == 0) scale = self->coarse / (sqrt(square) + DBL_MIN);
    for (int k = 0; k < 3; ++k) next[k] = x[k] - step * difference[k] - scale * way[k];
    double there = upperAt(self, still, next);
    if (!(there < *value)) { /* one of the two decides alone */
      for (int k = 0; k < 3; ++k) next[k] = x[k] - scale * way[k];
      there = upperAt(self, still, next);
    }
    if (there < *value) {
      memcpy(x, next, sizeof next);
      *value = there;
      scale *= 2.0;
    } else {
      scale *= 0.25;
    }
  }
}

/* A point of the piece that may be common at one time; its value. */
static double candidateOf(const cellSearch *self, const item *piece, const brinkPlacedCell *still, double x[3]) {
  if (self->pair->meshB != NULL) {
    for (int k = 0; k < 3; ++k) x[k] = (piece->at[0][k] + piece->at[1][k] + piece->at[2][k]) / 3.0;
    return upperAt(self, still, x);
  }
  double balanced[3];
  for (int k = 0; k < 3; ++k) balanced[k] = x[k] = 0.5 * (piece->at[0][k] + piece->at[1][k]);
  double value = upperAt(self, still, x);
  if (!self->sharpPair || value <= 0.0) return value;
  balance(self, still->cell.middle, balanced);
  double there = upperAt(self, still, balanced);
  if (!(there < value)) return value;
  memcpy(x, balanced, sizeof balanced);
  return there;
}

/* Does x, or a deeper point near it, stay common during the cell? Tried: the deepest in its middle and at its ends. */
static bool staysCommon(const cellSearch *self, const double x[3]) {
  if (upperAt(self, self->placed, x) <= 0.0) return true;
  if (!self->sharpPair) return false;
  for (int e = 0; e < 3; ++e) {
    double deep[3] = {x[0], x[1], x[2]}, value = upperAt(self, &self->still[e], x);
    descend(self, &self->still[e], deep, &value);
    if (value <= 0.0 && upperAt(self, self->placed, deep) <= 0.0) return true;
  }
  return false;
}

typedef struct itemHeap { /* the least lower bound on top */
  item items[HEAP_CAPACITY];
  size_t count;
} itemHeap;

/* A full heap takes no more: the search then is not whole, which only proposes. */
static void pushItem(itemHeap *heap, const item *piece) {
  if (heap->count == HEAP_CAPACITY) return;
  size_t at = heap->count++;
  while (at > 0 && heap->items[(at - 1) / 2].lower > piece->lower) {
    heap->items[at] = heap->items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->items[at] = *piece;
}

static item popItem(itemHeap *heap) {
  item top = heap->items[0], last = heap->items[--heap->count];
  size_t at = 0;
  for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
    if (child + 1 < heap->count && heap->items[child + 1].lower < heap->items[child].lower) child += 1;
    if (last.lower <= heap->items[child].lower) break;
    heap->items[at] = heap->items[child];
    at = child;
  }
  heap->items[at] = last;
  return top;
}

typedef enum searchResult { search_none, search_common, search_stays } searchResult;

/* In the middle of the cell: a common point; one that stays common during the cell? */
static searchResult searchCommon(cellSearch *self, uint32_t most, uint32_t *triangle) {
  itemHeap heap;
  double best = 0.0;
  uint32_t limit = most;
  heap.count = 1;
  firstItem(self->pair, &heap.items[0]);
  self->pieces = 0;
  while (heap.count > 0 && self->pieces < limit) {
    item top = popItem(&heap), halves[2];
    if (best < 0.0 && top.lower > 0.5 * best) break; /* nothing is twice as deep */
    if (!isInner(self->pair, &top)) {
      double x[3], value = candidateOf(self, &top, self->still, x);
      if (value < best) {
        *triangle = top.triangle;
        if (best == 0.0) limit = BRINK_MIN(limit, self->pieces + PIECES_BETTER);
        best = value;
        if (staysCommon(self, x)) return search_stays;
      }
    }
    if (!cutItem(self, &top, halves)) continue;
    for (int k = 0; k < 2; ++k) {
      halves[k].lower = lowerOf(self, self->still, &halves[k]);
      if (!(halves[k].lower > 0.0)) pushItem(&heap, &halves[k]);
    }
  }
  return best < 0.0 ? search_common : search_none;
}

/* All pieces apart during the cell? *exhausted: work ended before that was known. */
static bool provesApart(cellSearch *self, uint32_t most, uint32_t *triangle, bool *exhausted) {
  item stack[STACK_CAPACITY];
  size_t count = 1;
  firstItem(self->pair, &stack[0]);
  self->pieces = 0;
  while (count > 0) {
    item top = stack[--count], halves[2];
    top.lower = lowerOf(self, self->placed, &top);
    if (top.lower > 0.0) continue;
    *triangle = top.triangle;
    for (int e = 0; e < 3 && !isInner(self->pair, &top); ++e) {
      double x[3];
      if (candidateOf(self, &top, &self->still[e], x) <= 0.0) return false;
    }
    *exhausted = self->pieces >= most || count + 2 > STACK_CAPACITY;
    if (*exhausted || !cutItem(self, &top, halves)) return false;
    stack[count++] = halves[0];
    stack[count++] = halves[1];
  }
  return true;
}

/* ---- a cell */

/* Corners that come from halving are off by half an ulp a level. */
static void addHalving(const double reach[3], brinkPlacedCell *placed) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      placed->slack[i] +=
          HALVING * reach[j] * fmax(fabs(placed->cell.at[0][4 * i + j]), fabs(placed->cell.at[1][4 * i + j]));
}

static void bodyReach(const brinkImplicitPair *pair, double out[3]) {
  if (pair->meshB != NULL)
    memcpy(out, pair->meshB->reach, sizeof pair->meshB->reach);
  else
    brinkImplicitSolid_Reach(pair->solidB, out);
}

static void placeKnown(const brinkImplicitPair *pair, brinkPlacedCell *out) {
  double reachA[3], reachB[3];
  brinkImplicitSolid_Reach(pair->a, reachA);
  bodyReach(pair, reachB);
  brinkPlaceKnownCell(reachA, 0.0, reachB, pair->meshB != NULL ? pair->meshB->error : 0.0, out);
  addHalving(reachB, out);
}

/* One time of the cell. */
static void placeStill(const brinkImplicitPair *pair, const brinkMotionCell *cell, const double m[12],
                       brinkPlacedCell *out) {
  out->cell = *cell;
  memcpy(out->cell.at[0], m, sizeof cell->middle);
  memcpy(out->cell.at[1], m, sizeof cell->middle);
  memcpy(out->cell.middle, m, sizeof cell->middle);
  memset(out->cell.curve, 0, sizeof cell->curve);
  placeKnown(pair, out);
}

brinkCellState brinkImplicitPair_Classify(const brinkImplicitPair *pair, const brinkMotionCell *cell,
                                          brinkCellMemory *memory) {
  brinkPlacedCell placed, still[3];
  double reach[3];
  *memory = (brinkCellMemory){BRINK_NO_TRIANGLE, 0};
  placed.cell = *cell;
  placeKnown(pair, &placed);
  for (int k = 0; k < 3; ++k)
    if (!isfinite(placed.slack[k])) return brink_cellOpen;
  placeStill(pair, cell, cell->middle, &still[0]);
  for (int e = 0; e < 2; ++e) placeStill(pair, cell, cell->at[e], &still[1 + e]);
  bodyReach(pair, reach);
  cellSearch self = {.pair = pair, .placed = &placed, .still = still};
  self.coarse = fmax(reach[0], fmax(reach[1], reach[2]));
  self.least = LEAST_SIZE * self.coarse;
  bool sharp = pair->a->gradient != NULL && (pair->solidB == NULL || pair->solidB->gradient != NULL), exhausted = false;
  self.sharpPair = sharp && pair->solidB != NULL;
  uint32_t most = sharp ? PIECES_SHARP : pair->rootB != 0 ? PIECES_FACE : PIECES_PLAIN;
  searchResult common = searchCommon(&self, most, &memory->triangleB);
  if (common == search_stays) return brink_cellContact;
  if (common == search_common) return brink_cellOpen;
  if (provesApart(&self, most, &memory->triangleB, &exhausted)) return brink_cellApart;
  return exhausted ? brink_cellVain : brink_cellOpen;
}

/* ---- A inside B */

typedef enum containedState { contained_no, contained_yes, contained_unknown } containedState;

typedef struct solidBox {
  double low[3], high[3];
} solidBox;

/* Half a box in B's frame, as much as its point can be off there. */
static void placeBox(const solidBox *box, const double m[12], const double error[12], double thick, double at[3],
                     double slack[3]) {
  double center[3], half[3];
  for (int k = 0; k < 3; ++k) {
    center[k] = 0.5 * box->low[k] + 0.5 * box->high[k];
    half[k] = brinkUp(fmax(box->high[k] - center[k], center[k] - box->low[k]));
  }
  brinkApply34(m, center, at);
  for (int i = 0; i < 3; ++i) {
    double sum = error[4 * i + 3] + thick, size = fabs(m[4 * i + 3]);
    for (int j = 0; j < 3; ++j) {
      sum += (fabs(m[4 * i + j]) + error[4 * i + j]) * half[j] + error[4 * i + j] * fabs(center[j]);
      size += fabs(m[4 * i + j]) * fabs(center[j]);
    }
    slack[i] = sum * (1.0 + ROUNDING) + ROUNDING * size + DBL_MIN;
  }
}

/* At t, when B's surface is off A: is a part of A inside the solid mesh B? A box of A's frame that is clear of B's
 * surface is inside or outside as a whole; outside it does not matter, inside it must have F > 0. */
static containedState askContained(const brinkImplicitPair *pair, double t) {
  const brinkRelativeMotion reverse = {pair->motion.b, pair->motion.a};
  const brinkImplicitSolid *a = pair->a;
  solidBox stack[CONTAINED_STACK];
  size_t count = 1;
  double m[12], error[12], reach[3];
  brinkRelativeMotion_At(&reverse, t, m, error);
  brinkImplicitSolid_Reach(a, reach);
  double least = LEAST_SIZE * fmax(reach[0], fmax(reach[1], reach[2]));
  stack[0] =
      (solidBox){{a->box.lower.x, a->box.lower.y, a->box.lower.z}, {a->box.upper.x, a->box.upper.y, a->box.upper.z}};
  for (uint32_t asked = 0; count > 0; ++asked) {
    solidBox box = stack[--count];
    brinkPathPiece path;
    uint32_t triangle;
    double range[2], center[2];
    askBound(a, box.low, box.high, range);
    if (range[0] > 0.0) continue;
    placeBox(&box, m, error, pair->meshB->error, path.p, path.slack);
    memcpy(path.q, path.p, sizeof path.p);
    int inside = brinkPathIsClear(pair->meshB, &path, &triangle) ? brinkInverseMesh_Contains(pair->meshB, path.p) : -1;
    if (inside == 0) continue;
    if (inside == 1) {
      double c[3];
      for (int k = 0; k < 3; ++k) c[k] = 0.5 * box.low[k] + 0.5 * box.high[k];
      askBound(a, c, c, center);
      if (center[1] <= 0.0 || range[1] <= 0.0) return contained_yes;
    }
    int at = 0;
    for (int k = 1; k < 3; ++k)
      if (box.high[k] - box.low[k] > box.high[at] - box.low[at]) at = k;
    if (!(box.high[at] - box.low[at] > least) || count + 2 > CONTAINED_STACK || asked >= CONTAINED_PIECES)
      return contained_unknown;
    double middle = 0.5 * (box.low[at] + box.high[at]);
    stack[count] = stack[count + 1] = box;
    stack[count].high[at] = stack[count + 1].low[at] = middle;
    count += 2;
  }
  return contained_no;
}

/* Within a gap between contacts of the surfaces nothing enters or leaves: one time decides. */
static containedState askGap(const brinkImplicitPair *pair, double l, double u) {
  static const double parts[] = {0.5, 0.27, 0.73, 0.13, 0.87};
  containedState state = contained_unknown;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && state == contained_unknown; ++i)
    state = askContained(pair, l + parts[i] * (u - l));
  return state;
}

static brinkContactInterval gapInterval(double l, double u, bool proven) {
  return (brinkContactInterval){.startLower = l,
                                .startUpper = proven ? l : u,
                                .endLower = proven ? u : l,
                                .endUpper = u,
                                .proven = proven,
                                .first = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE},
                                .last = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE}};
}

/* next follows at once. */
static void join(brinkContactInterval *run, const brinkContactInterval *next) {
  run->openInside += next->openInside;
  if (run->proven && next->proven) run->openInside += run->endLower < next->startUpper ? 1u : 0u;
  if (!run->proven && next->proven) run->startUpper = next->startUpper;
  if (next->proven) run->endLower = next->endLower;
  run->proven = run->proven || next->proven;
  run->endUpper = next->endUpper;
  if (!run->proven) {
    run->startUpper = run->endUpper;
    run->endLower = run->startLower;
  }
  run->last = next->last;
}

/* Intervals of the surfaces -> of the solids: gaps in which A is inside B join what is around them. */
static brinkStatus fillGaps(brinkContext *context, const brinkImplicitPair *pair, const brinkIntervalQuery *query,
                            brinkIntervalSet *set) {
  brinkIntervalSet all = {.cells = set->cells, .openTotal = set->openTotal};
  brinkStatus status = brink_ok;
  bool joined = false; /* the last of all is adjacent to what comes */
  double at = query->tStart;
  for (size_t i = 0; i <= set->count && status == brink_ok; ++i) {
    double end = i < set->count ? set->items[i].startLower : query->tEnd;
    containedState state = at < end ? askGap(pair, at, end) : contained_no;
    brinkContactInterval parts[2];
    size_t count = 0;
    if (at < end && state != contained_no) parts[count++] = gapInterval(at, end, state == contained_yes);
    if (at < end && state == contained_unknown) all.openTotal += end - at;
    if (at < end && state == contained_no) joined = false;
    if (i < set->count) {
      at = set->items[i].endUpper;
      parts[count++] = set->items[i];
    }
    for (size_t k = 0; k < count && status == brink_ok; ++k) {
      if (joined) {
        join(&all.items[all.count - 1], &parts[k]);
        continue;
      }
      status = brinkReserve(context, (void **)&all.items, &all.capacity, all.count + 1, sizeof *all.items);
      if (status == brink_ok) all.items[all.count++] = parts[k];
      joined = true;
    }
  }
  for (size_t i = 0; i < all.count && status == brink_ok; ++i) {
    brinkContactInterval *one = &all.items[i];
    one->begins = one->startLower > query->tStart || (one->proven && one->startUpper > one->startLower);
    one->ends = one->endUpper < query->tEnd || (one->proven && one->endLower < one->endUpper);
  }
  if (status != brink_ok) {
    brinkIntervalSet_Free(context, &all);
    return status;
  }
  brinkIntervalSet_Free(context, set);
  *set = all;
  return brink_ok;
}

/* ---- all intervals */

static brinkCellState classifyCell(const void *problem, double l, double u, brinkCellMemory *memory) {
  const brinkImplicitPair *pair = problem;
  brinkMotionCell cell;
  brinkRelativeMotion_Cell(&pair->motion, l, u, &cell);
  return brinkImplicitPair_Classify(pair, &cell, memory);
}

brinkStatus brinkFindImplicitContacts(brinkContext *context, const brinkImplicitPair *pair,
                                      const brinkIntervalQuery *query, brinkIntervalSet *set) {
  brinkStatus status = brinkFindIntervalsOf(context, &pair->motion, classifyCell, pair, query, set);
  if (status == brink_ok && pair->meshB != NULL && pair->meshB->solid && pair->rootB == 0)
    status = fillGaps(context, pair, query, set);
  for (size_t i = 0; i < set->count && status == brink_ok; ++i)
    set->items[i].first.triangleA = set->items[i].last.triangleA = 0;
  return status;
}
