/* SPDX-License-Identifier: BSD-3-Clause */
/* See patch_contact.h. A cell is asked in two passes. The first looks at its middle alone, level by level, so that a
 * crossing is met before effort goes into one spot: it proposes chords, which are proven for the whole cell. The
 * second, where the middle is free, proves each pair of pieces apart for the whole cell, cutting the more bent of two
 * pieces until they are straight to a fraction of their movement in the cell; it ends at the first pair that fails.
 * Before both, where the parent cell failed: pairs that are not apart lie around the place of contact, and the point in
 * their middle may be inside the other body all the time. */
#include "patch_contact.h"

#include "linear.h"

#define STACK_CAPACITY 512 /* two trees by median split: depth <= 2 x 30, each level leaves one pair behind */
#define LIST_CAPACITY 256  /* pairs of pieces of one level */
#define CUT_CAPACITY 160   /* four directions of at most 30 halvings, each leaves one pair behind */
#define MOST_PAIRS 4000    /* of pieces looked at in the middle of a cell once it cannot be apart; and where */
#define FEW_PAIRS 1500     /* points inside a solid prove contact too */
#define LEAF_PAIRS 300     /* of leaves looked at then */
#define BEAM 48            /* pairs of a level followed then */
#define NEAR_PAIRS 64      /* gathered where a cell is not apart */
#define NEAR_VISITS 2000
#define NEAR_STRAIGHT 8.0
#define MOST_APART 20000      /* of pieces proven apart in a cell */
#define MOST_TRIES 96         /* chords tried on one level */
#define STRAIGHT (1.0 / 16.0) /* of the movement: bent by less is not cut further */
#define MARGIN (1.0 + 64.0 * DBL_EPSILON)

static double slackAlong(const double slack[3], const double n[3]) {
  return fabs(n[0]) * slack[0] + fabs(n[1]) * slack[1] + fabs(n[2]) * slack[2];
}

/* ---- pieces in place */

typedef struct placedNet {
  brinkPatchNet net;
  double bend[2];
  double at[3][BRINK_PATCH_NET][3]; /* the moving body's, in the other's frame: at l, at u, in the middle */
} placedNet;

typedef struct piecePair {
  brinkPatchPiece a, b;
  uint32_t pieceA, pieceB; /* of the trees */
} piecePair;

/* What the directions are made of, at both ends (of what stands, both are the same). */
typedef struct frame {
  double corners[2][4][3], edges[2][4][3], normal[2][3], middle[2][3];
} frame;

static void makeFrame(const brinkPatchNet *net, const double (*p0)[3], const double (*p1)[3], frame *out) {
  for (int e = 0; e < (p0 == p1 ? 1 : 2); ++e) {
    const double(*p)[3] = e == 0 ? p0 : p1;
    double d0[3], d1[3];
    for (int k = 0; k < 4; ++k) memcpy(out->corners[e][k], p[brinkPatchNet_Corner(net, k)], sizeof out->corners[e][k]);
    for (int k = 0; k < 4; ++k) brinkSub3(out->corners[e][(k + 1) % 4], out->corners[e][k], out->edges[e][k]);
    for (int i = 0; i < 3; ++i)
      out->middle[e][i] =
          0.25 * (out->corners[e][0][i] + out->corners[e][1][i] + out->corners[e][2][i] + out->corners[e][3][i]);
    brinkSub3(out->corners[e][2], out->corners[e][0], d0);
    brinkSub3(out->corners[e][3], out->corners[e][1], d1);
    brinkCross3(d0, d1, out->normal[e]);
  }
  if (p0 != p1) return;
  memcpy(out->corners[1], out->corners[0], sizeof out->corners[0]);
  memcpy(out->edges[1], out->edges[0], sizeof out->edges[0]);
  memcpy(out->normal[1], out->normal[0], sizeof out->normal[0]);
  memcpy(out->middle[1], out->middle[0], sizeof out->middle[0]);
}

/* A against B at l (b0) and at u (b1); still: both are the same. */
typedef struct opposed {
  const double (*a)[3], (*b0)[3], (*b1)[3];
  uint32_t countA, countB;
  const double *slack;
  bool still;
} opposed;

static void range(const double (*p)[3], uint32_t count, const double n[3], double *low, double *high) {
  for (uint32_t i = 0; i < count; ++i) {
    double v = brinkDot3(n, p[i]);
    *low = fmin(*low, v);
    *high = fmax(*high, v);
  }
}

/* A direction that turns with the cell, n(t) = lerp(n0, n1): as in contact_cells.c, over control points. */
static bool separates(const double n0[3], const double n1[3], const opposed *o) {
  double lowA[2] = {INFINITY, INFINITY}, highA[2] = {-INFINITY, -INFINITY}, lowB[2] = {INFINITY, INFINITY},
         highB[2] = {-INFINITY, -INFINITY};
  range(o->a, o->countA, n0, &lowA[0], &highA[0]);
  range(o->b0, o->countB, n0, &lowB[0], &highB[0]);
  double need = slackAlong(o->slack, n0);
  if (!(lowB[0] - highA[0] > need || lowA[0] - highB[0] > need)) return false;
  if (o->still) return true;
  range(o->a, o->countA, n1, &lowA[1], &highA[1]);
  range(o->b1, o->countB, n1, &lowB[1], &highB[1]);
  need = fmax(need, slackAlong(o->slack, n1)) * MARGIN;
  double turn[3], most = 0.0, least = 0.0;
  brinkSub3(n1, n0, turn);
  if (turn[0] != 0.0 || turn[1] != 0.0 || turn[2] != 0.0)
    for (uint32_t i = 0; i < o->countB; ++i) {
      double way[3];
      brinkSub3(o->b1[i], o->b0[i], way);
      double bend = brinkDot3(turn, way);
      most = fmax(most, bend);
      least = fmin(least, bend);
    }
  return fmin(lowB[0] - highA[0], lowB[1] - highA[1]) > need + 0.25 * most * MARGIN ||
         fmin(lowA[0] - highB[0], lowA[1] - highB[1]) > need - 0.25 * least * MARGIN;
}

static bool piecesAreApart(const placedNet *a, const placedNet *b, const opposed *o) {
  frame fa, fb;
  double n[2][3];
  makeFrame(&a->net, o->a, o->a, &fa);
  makeFrame(&b->net, o->b0, o->b1, &fb);
  for (int e = 0; e < 2; ++e) brinkSub3(fb.middle[e], fa.middle[e], n[e]);
  if (separates(n[0], n[1], o) || separates(fa.normal[0], fa.normal[0], o) || separates(fb.normal[0], fb.normal[1], o))
    return true;
  for (int k = 0; k < 3; ++k) {
    const double unit[3] = {k == 0, k == 1, k == 2};
    if (separates(unit, unit, o)) return true;
  }
  for (int i = 0; i < 4; ++i) {
    for (int e = 0; e < 2; ++e) brinkCross3(fa.normal[e], fa.edges[e][i], n[e]);
    if (separates(n[0], n[0], o)) return true;
    for (int e = 0; e < 2; ++e) brinkCross3(fb.normal[e], fb.edges[e][i], n[e]);
    if (separates(n[0], n[1], o)) return true;
    for (int j = 0; j < 4; ++j) {
      for (int e = 0; e < 2; ++e) brinkCross3(fa.edges[e][i], fb.edges[e][j], n[e]);
      if (separates(n[0], n[1], o)) return true;
    }
  }
  return false;
}

/* ---- the cell */

typedef struct cellWalk {
  const brinkPatchPair *pair;
  brinkPlacedCell placed, reverse; /* reverse: in B's frame, where A moves */
  bool reversed;
  brinkCellMemory found;
  uint32_t visits, tries;
  bool stands;                      /* a pair is not apart during the cell */
  bool touches, overflows, contact; /* in the middle: not told apart; too many pairs to follow; proven for the cell */
  uint32_t mostPairs;               /* to look at in the middle once the cell cannot be apart */
} cellWalk;

static void placeNet(const brinkPatchNet *net, const double m[12], double (*out)[3]) {
  for (uint32_t i = 0; i < net->rows * net->columns; ++i) brinkApply34(m, net->points[i], out[i]);
}

/* How far straight is straight enough: a fraction of what B's corners move, and of what they bend. */
static double straightEnough(const cellWalk *walk, const placedNet *b) {
  double move = 0.0;
  const double *slack = walk->placed.slack;
  for (int k = 0; k < 4; ++k) {
    double p[2][3];
    for (int e = 0; e < 2; ++e)
      brinkApply34(walk->placed.cell.at[e], b->net.points[brinkPatchNet_Corner(&b->net, k)], p[e]);
    for (int i = 0; i < 3; ++i) move = fmax(move, fabs(p[1][i] - p[0][i]));
  }
  return fmax(STRAIGHT * move, 0.5 * fmax(slack[0], fmax(slack[1], slack[2])));
}

/* Halves the more bent of the two; false: both are straight to `enough`, or cut as often as can be. */
static bool cutPair(const piecePair *pair, const placedNet *a, const placedNet *b, double enough, piecePair out[2]) {
  double most[2] = {fmax(a->bend[0], a->bend[1]), fmax(b->bend[0], b->bend[1])};
  if (!(most[0] + most[1] > enough)) return false;
  brinkPatchPiece halves[2];
  out[0] = out[1] = *pair;
  if (most[0] >= most[1]) {
    if (!brinkPatchPiece_Halve(&pair->a, a->bend[0] >= a->bend[1] ? 0 : 1, halves)) return false;
    for (int k = 0; k < 2; ++k) out[k].a = halves[k];
  } else {
    if (!brinkPatchPiece_Halve(&pair->b, b->bend[0] >= b->bend[1] ? 0 : 1, halves)) return false;
    for (int k = 0; k < 2; ++k) out[k].b = halves[k];
  }
  return true;
}

static void loadPair(const cellWalk *walk, const piecePair *pair, placedNet *a, placedNet *b) {
  brinkPatchBody_Net(walk->pair->a, &pair->a, &a->net);
  brinkPatchBody_Net(walk->pair->b, &pair->b, &b->net);
  brinkPatchNet_Bend(&a->net, a->bend);
  brinkPatchNet_Bend(&b->net, b->bend);
}

/* ---- apart */

/* Pairs that are not apart in a cell lie around the place of contact: their middle is a guess at the deepest point. */
typedef struct nearPairs {
  brinkPatchPiece a, b; /* the first one */
  double sum[2][2];     /* of the parameters of those of the same patches */
  uint32_t count;
} nearPairs;

static void addNear(nearPairs *near, const piecePair *pair) {
  if (near->count == 0) {
    near->a = pair->a;
    near->b = pair->b;
  }
  near->count += 1;
  const brinkPatchPiece *const pieces[2] = {&pair->a, &pair->b};
  for (int k = 0; k < 2; ++k) {
    near->sum[k][0] += (pieces[k]->u + 0.5) * ldexp(1.0, -(int)pieces[k]->levelU);
    near->sum[k][1] += (pieces[k]->v + 0.5) * ldexp(1.0, -(int)pieces[k]->levelV);
  }
}

/* Proves the two apart during the cell. near: NULL, or what stands against it is gathered there. */
static bool isApart(cellWalk *walk, const piecePair *start, nearPairs *near) {
  piecePair stack[CUT_CAPACITY];
  size_t count = 1;
  stack[0] = *start;
  while (count > 0) {
    const piecePair pair = stack[--count];
    placedNet a, b;
    loadPair(walk, &pair, &a, &b);
    for (int e = 0; e < 2; ++e) placeNet(&b.net, walk->placed.cell.at[e], b.at[e]);
    const opposed moving = {(const double(*)[3])a.net.points,
                            (const double(*)[3])b.at[0],
                            (const double(*)[3])b.at[1],
                            a.net.rows * a.net.columns,
                            b.net.rows * b.net.columns,
                            walk->placed.slack,
                            false};
    if (++walk->visits > (near != NULL ? NEAR_VISITS : MOST_APART)) return near != NULL && near->count == 0;
    if (piecesAreApart(&a, &b, &moving)) continue;
    if (count + 2 > CUT_CAPACITY ||
        !cutPair(&pair, &a, &b, (near != NULL ? NEAR_STRAIGHT : 1.0) * straightEnough(walk, &b), stack + count)) {
      if (near == NULL) return false;
      addNear(near, &pair);
      if (near->count == NEAR_PAIRS) return false;
      continue;
    }
    count += 2;
  }
  return near == NULL || near->count == 0;
}

/* Pairs of leaves. */
static bool leavesStand(cellWalk *walk, const piecePair *pair, void *user) {
  (void)user;
  if (isApart(walk, pair, NULL)) return false;
  walk->found = (brinkCellMemory){pair->pieceA, pair->pieceB};
  return true;
}

/* ---- contact */

/* Chords of the guest's triangles through the host's: `cell` moves the guest in the host's frame. */
static bool chordsPierce(const brinkPatchNet *host, const brinkPatchNet *guest, const brinkPlacedCell *cell) {
  double slack[3], own[3], other[3], at[3][4][3], a[2][3][3], b[3][2][3][3];
  brinkPatchNet_Error(host, own);
  brinkPatchNet_Error(guest, other);
  for (int i = 0; i < 3; ++i) {
    double carried = 0.0;
    for (int j = 0; j < 3; ++j) {
      int k = 4 * i + j;
      carried +=
          (fmax(fabs(cell->cell.at[0][k]), fabs(cell->cell.at[1][k])) + cell->cell.curve[k] + cell->cell.error[k]) *
          other[j];
    }
    slack[i] = (cell->slack[i] + own[i] + carried) * MARGIN;
    if (!isfinite(slack[i])) return false;
  }
  const double *const poses[3] = {cell->cell.at[0], cell->cell.at[1], cell->cell.middle};
  for (int k = 0; k < 4; ++k)
    for (int e = 0; e < 3; ++e) brinkApply34(poses[e], guest->points[brinkPatchNet_Corner(guest, k)], at[e][k]);
  for (int h = 0; h < 2; ++h)
    for (int c = 0; c < 3; ++c) {
      int corner = c == 0 ? 0 : c + h;
      memcpy(a[h][c], host->points[brinkPatchNet_Corner(host, corner)], sizeof a[h][c]);
      for (int e = 0; e < 3; ++e) memcpy(b[e][h][c], at[e][corner], sizeof b[e][h][c]);
    }
  for (int i = 0; i < (host->triangle ? 1 : 2); ++i)
    for (int j = 0; j < (guest->triangle ? 1 : 2); ++j)
      if (brinkChordStays((const double(*)[3])a[i], (const double(*)[3])b[2][j], (const double(*)[3])b[0][j],
                          (const double(*)[3])b[1][j], slack))
        return true;
  return false;
}

static void placeReverse(cellWalk *walk) {
  const brinkPatchPair *pair = walk->pair;
  const brinkRelativeMotion inverse = {pair->motion.b, pair->motion.a};
  if (!walk->reversed)
    brinkPlaceCell(&inverse, walk->placed.cell.l, walk->placed.cell.u, pair->b->reach, pair->b->rounding,
                   pair->a->reach, pair->a->rounding, &walk->reverse);
  walk->reversed = true;
}

static bool netsMeet(cellWalk *walk, const brinkPatchNet *a, const brinkPatchNet *b) {
  if (chordsPierce(a, b, &walk->placed)) return true;
  placeReverse(walk);
  return chordsPierce(b, a, &walk->reverse);
}

/* Where no point can be inside, a crossing that runs along the borders of pieces (of a sphere by a plane, say) must be
 * found across them. */
static bool pairMeets(cellWalk *walk, const piecePair *pair, const placedNet *a, const placedNet *b) {
  if (netsMeet(walk, &a->net, &b->net)) return true;
  if (walk->pair->a->mesh->solid || walk->pair->b->mesh->solid) return false;
  brinkPatchNet wide[2];
  brinkPatchBody_WideNet(walk->pair->a, &pair->a, &wide[0]);
  brinkPatchBody_WideNet(walk->pair->b, &pair->b, &wide[1]);
  return netsMeet(walk, &wide[0], &wide[1]);
}

typedef struct pairList {
  piecePair items[LIST_CAPACITY];
  size_t count;
} pairList;

/* Looks at a pair in the middle of the cell; what is not settled is cut into `next`. true: contact is proven. */
static bool lookAt(cellWalk *walk, const piecePair *pair, pairList *next) {
  static const double none[3] = {0, 0, 0};
  placedNet a, b;
  loadPair(walk, pair, &a, &b);
  placeNet(&b.net, walk->placed.cell.middle, b.at[2]);
  const opposed still = {(const double(*)[3])a.net.points,
                         (const double(*)[3])b.at[2],
                         (const double(*)[3])b.at[2],
                         a.net.rows * a.net.columns,
                         b.net.rows * b.net.columns,
                         none,
                         true};
  ++walk->visits;
  if (piecesAreApart(&a, &b, &still)) return false;
  if (walk->found.triangleA == BRINK_NO_TRIANGLE) walk->found = (brinkCellMemory){pair->pieceA, pair->pieceB};
  if (walk->tries < MOST_TRIES) {
    ++walk->tries;
    if (pairMeets(walk, pair, &a, &b)) {
      walk->found = (brinkCellMemory){pair->pieceA, pair->pieceB};
      return true;
    }
  }
  piecePair cut[2];
  if (!cutPair(pair, &a, &b, straightEnough(walk, &b), cut)) {
    walk->touches = true;
  } else if (next->count + 2 > LIST_CAPACITY) {
    walk->overflows = true;
  } else {
    next->items[next->count++] = cut[0];
    next->items[next->count++] = cut[1];
  }
  return false;
}

/* Keeps `most` of them, evenly. */
static void thinList(pairList *list, size_t most) {
  if (list->count <= most) return;
  for (size_t i = 0; i < most; ++i) list->items[i] = list->items[i * list->count / most];
  list->count = most;
}

/* Cuts what is in lists[0] until it is settled; of a cell that cannot be apart only some, for all that is wanted is one
 * pair that meets. */
static bool lookThrough(cellWalk *walk, pairList lists[2]) {
  for (int from = 0; lists[from].count > 0; from = 1 - from) {
    bool cannotBeApart = walk->stands || walk->touches || walk->overflows;
    if (cannotBeApart) thinList(&lists[from], BEAM);
    const piecePair *middle = &lists[from].items[lists[from].count / 2]; /* where most of them are, likely */
    walk->found = (brinkCellMemory){middle->pieceA, middle->pieceB};
    lists[1 - from].count = 0;
    walk->tries = 0;
    for (size_t i = 0; i < lists[from].count; ++i)
      if (lookAt(walk, &lists[from].items[i], &lists[1 - from])) return true;
    if (cannotBeApart && walk->visits > walk->mostPairs) return false;
  }
  return false;
}

typedef struct nodePair {
  uint32_t a, b;
} nodePair;

static double sizeOf(const brinkInverseNode *node) {
  return (node->high[0] - node->low[0]) + (node->high[1] - node->low[1]) + (node->high[2] - node->low[2]);
}

static piecePair leafPair(const brinkPatchPair *pair, uint32_t a, uint32_t b) {
  return (piecePair){pair->a->pieces[a], pair->b->pieces[b], a, b};
}

/* Calls `meet` for each pair of leaves whose boxes are not apart in the cell; true: stopped by it. */
static bool walkTrees(cellWalk *walk, const brinkPlacedCell *placed,
                      bool (*meet)(cellWalk *walk, const piecePair *pair, void *user), void *user) {
  nodePair stack[STACK_CAPACITY];
  size_t count = 1;
  const brinkPatchPair *pair = walk->pair;
  stack[0] = (nodePair){0, 0};
  while (count > 0) {
    nodePair top = stack[--count];
    const brinkInverseNode *a = &pair->a->nodes[top.a], *b = &pair->b->nodes[top.b];
    if (brinkBoxesAreApart(a, b, placed)) continue;
    if (a->right == 0 && b->right == 0) {
      const piecePair leaves = leafPair(pair, a->triangle, b->triangle);
      if (meet(walk, &leaves, user)) return true;
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

static bool lookAtLeaves(cellWalk *walk, const piecePair *pair, void *next) {
  walk->contact = lookAt(walk, pair, next);
  return walk->contact || ((walk->stands || walk->touches || walk->overflows) && walk->visits > LEAF_PAIRS);
}

/* The middle of the cell. true: contact during the whole cell. */
static bool lookAtMiddle(cellWalk *walk) {
  pairList lists[2];
  lists[0].count = 0;
  brinkPlacedCell still = walk->placed;
  memset(still.slack, 0, sizeof still.slack);
  for (int e = 0; e < 2; ++e) memcpy(still.cell.at[e], walk->placed.cell.middle, sizeof still.cell.middle);
  walkTrees(walk, &still, lookAtLeaves, &lists[0]);
  return walk->contact || lookThrough(walk, lists);
}

/* ---- parts and points inside */

/* Is a part of the guest inside the host in the middle of the cell? 1, 0, or -1: not proven. Surfaces are apart, so any
 * point of a part speaks for it. */
static int partsAreInside(const brinkPatchBody *host, const brinkPatchBody *guest, const double middle[12]) {
  bool doubtful = false;
  for (size_t i = 0; host->mesh->solid && i < guest->mesh->partCount; ++i) {
    double at[3];
    brinkApply34(middle, guest->mesh->vertices + 3 * (size_t)guest->mesh->parts[i], at);
    int inside = brinkPatchBody_Contains(host, at);
    if (inside > 0) return 1;
    doubtful = doubtful || inside < 0;
  }
  return doubtful ? -1 : 0;
}

static brinkCellState askParts(const cellWalk *walk) {
  const brinkPatchPair *pair = walk->pair;
  int inside = partsAreInside(pair->a, pair->b, walk->placed.cell.middle);
  if (inside == 0 && pair->b->mesh->solid) {
    const brinkRelativeMotion inverse = {pair->motion.b, pair->motion.a};
    brinkMotionCell back;
    double t = 0.5 * (walk->placed.cell.l + walk->placed.cell.u);
    brinkRelativeMotion_At(&inverse, t, back.middle, back.error);
    inside = partsAreInside(pair->b, pair->a, back.middle);
  }
  return inside > 0 ? brink_cellContact : inside < 0 ? brink_cellOpen : brink_cellApart;
}

/* Does the guest's point x, inside the solid host in the middle of the cell, stay off its surface? */
static bool pointStays(const brinkPatchBody *host, const brinkPlacedCell *placed, const double x[3]) {
  double p[3], q[3], at[3], move = 0.0;
  uint32_t piece;
  brinkApply34(placed->cell.middle, x, at);
  for (int k = 0; k < 3; ++k)
    if (!(at[k] > host->nodes[0].low[k] && at[k] < host->nodes[0].high[k])) return false;
  brinkApply34(placed->cell.at[0], x, p);
  brinkApply34(placed->cell.at[1], x, q);
  for (int i = 0; i < 3; ++i) move = fmax(move, fabs(q[i] - p[i]));
  return brinkPatchBody_IsClear(host, p, q, placed->slack, fmax(STRAIGHT * move, 4.0 * host->rounding), &piece) &&
         brinkPatchBody_Contains(host, at) > 0;
}

/* A point of a patch, within rounding. */
static void pointAt(const brinkPatchBody *body, uint32_t patch, const double sum[2], double count, double out[3]) {
  const double steps = 1u << BRINK_PATCH_MOST_LEVELS;
  const brinkPatchPiece piece = {patch, (uint32_t)fmin(floor(sum[0] / count * steps), steps - 1.0),
                                 (uint32_t)fmin(floor(sum[1] / count * steps), steps - 1.0), BRINK_PATCH_MOST_LEVELS,
                                 BRINK_PATCH_MOST_LEVELS};
  brinkPatchNet net;
  brinkPatchBody_Net(body, &piece, &net);
  memcpy(out, net.points[0], sizeof net.points[0]);
}

/* Does the point of either that is in the middle of what stands near stay inside the other body? */
static bool nearPointStays(cellWalk *walk, const nearPairs *near) {
  const brinkPatchPair *pair = walk->pair;
  double x[3];
  if (near->count == 0) return false;
  if (pair->a->mesh->solid) {
    pointAt(pair->b, near->b.patch, near->sum[1], near->count, x);
    if (pointStays(pair->a, &walk->placed, x)) return true;
  }
  if (!pair->b->mesh->solid) return false;
  placeReverse(walk);
  pointAt(pair->a, near->a.patch, near->sum[0], near->count, x);
  return pointStays(pair->b, &walk->reverse, x);
}

/* Two solids: the middle of what their boxes share. Inside B, and inside A during the whole cell: contact, also where
 * surfaces meet along borders only (blocks in line). */
static bool sharedPointStays(const cellWalk *walk) {
  const brinkPatchPair *pair = walk->pair;
  double x[3];
  return pair->a->mesh->solid && pair->b->mesh->solid &&
         brinkSharedPoint(&pair->a->nodes[0], &pair->b->nodes[0], walk->placed.cell.middle, x) &&
         pointStays(pair->a, &walk->placed, x) && brinkPatchBody_Contains(pair->b, x) > 0;
}

/* ---- all of it */

brinkCellState brinkPatchPair_Classify(const brinkPatchPair *pair, double l, double u, brinkCellMemory *memory) {
  cellWalk walk = {.pair = pair, .found = {BRINK_NO_TRIANGLE, BRINK_NO_TRIANGLE}, .mostPairs = MOST_PAIRS};
  bool solid = pair->a->mesh->solid || pair->b->mesh->solid;
  brinkPlaceCell(&pair->motion, l, u, pair->a->reach, pair->a->rounding, pair->b->reach, pair->b->rounding,
                 &walk.placed);
  for (int k = 0; k < 3; ++k)
    if (!isfinite(walk.placed.slack[k])) return brink_cellOpen;
  if (sharedPointStays(&walk)) return brink_cellContact;
  if (memory->triangleA != BRINK_NO_TRIANGLE) { /* the pair that stood against the parent cell's proof */
    const piecePair leaves = leafPair(pair, memory->triangleA, memory->triangleB);
    nearPairs near = {.count = 0};
    walk.stands = !isApart(&walk, &leaves, solid ? &near : NULL);
    if (walk.stands && nearPointStays(&walk, &near)) return brink_cellContact;
  }
  walk.visits = 0;
  if (solid) walk.mostPairs = FEW_PAIRS;
  if (lookAtMiddle(&walk)) {
    *memory = walk.found;
    return brink_cellContact;
  }
  if (walk.stands || walk.touches) {
    if (walk.found.triangleA != BRINK_NO_TRIANGLE) *memory = walk.found;
    return brink_cellOpen;
  }
  walk.visits = 0;
  if (walkTrees(&walk, &walk.placed, leavesStand, NULL)) {
    *memory = walk.found;
    return brink_cellOpen;
  }
  return askParts(&walk);
}
