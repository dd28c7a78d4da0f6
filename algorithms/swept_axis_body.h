/* SPDX-License-Identifier: BSD-3-Clause */
/* Body of the swept-axis traversal; included by swept_axis_base.c and swept_axis_avx2.c, which define
 * BRINK_SWEPT_AXIS_RUN, so that the same source is compiled for each instruction set. Not a header of its own. */
#include "simd.h"
#include "swept_axis_internal.h"

/* Box X over one interval, seen from W's frame. */
typedef struct MovingBox {
  float center[3], displacement[3]; /* at t0; from t0 to t1 */
  float axes0[3][3], axes1[3][3], mean[3][3]; /* [axis][component] */
  float half[3];
  float along0[3], along1[3]; /* support radius along the mean axes at both ends */
  float slack;  /* threshold + curvature + rounding, for directions of length <= 1 */
  float margin; /* of the mean axes, for edge crosses */
} MovingBox;

static inline float Dot3(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Curvature slack of a ball (centre, radius) carried by X over the interval: see swept_axis.h. Rounded up by the last factor,
 * which covers the fewer than 40 single-precision operations. */
static inline float CurvatureSlack(const IntervalSide *side, const float center[3], float radius) {
  float square = 0, rho = sqrtf(Dot3(center, center)) + radius;
  for (int i = 0; i < 3; ++i) {
    float a = Dot3(side->accelMatrix[i], center) + side->accelVector[i];
    square += a * a;
  }
  return side->eighthSquare *
         (sqrtf(square) + side->accelRound + side->accelNorm * radius + side->jerk0 + side->jerk1 * rho) * 1.00001f;
}

/* Rounding slack: every coordinate, product and sum above is wrong by a few units of 6e-8 of the sizes that enter it; the
 * longest chain (transform, subtract, project, add radii) has fewer than 20 such roundings. */
static inline float RoundingSlack(float distance, float rho, float scale) { return 1.2e-6f * (distance + 2 * rho + scale); }

static void MakeMovingBox(const brinkObbBox *box, const IntervalSide *side, float threshold, float scaleW, MovingBox *out) {
  float rho = sqrtf(Dot3(box->center, box->center)) + box->radius;
  for (int i = 0; i < 3; ++i) {
    out->center[i] = Dot3(side->rotation[i], box->center) + side->position[i];
    out->displacement[i] = Dot3(side->rotationChange[i], box->center) + side->positionChange[i];
    out->half[i] = box->half[i];
  }
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      float start = Dot3(side->rotation[i], box->axes[j]);
      float end = start + Dot3(side->rotationChange[i], box->axes[j]);
      out->axes0[j][i] = start;
      out->axes1[j][i] = end;
      out->mean[j][i] = 0.5f * (start + end);
    }
  for (int j = 0; j < 3; ++j) {
    float at0 = 0, at1 = 0;
    for (int k = 0; k < 3; ++k) {
      at0 += box->half[k] * fabsf(Dot3(out->mean[j], out->axes0[k]));
      at1 += box->half[k] * fabsf(Dot3(out->mean[j], out->axes1[k]));
    }
    out->along0[j] = at0;
    out->along1[j] = at1;
  }
  float distance = sqrtf(Dot3(out->center, out->center)) + sqrtf(Dot3(out->displacement, out->displacement));
  out->slack = threshold + CurvatureSlack(side, box->center, box->radius) + RoundingSlack(distance, rho, scaleW) +
               side->poseError0 + side->poseError1 * rho;
  out->margin = box->radius * side->turn * (1.00001f + 1.42f * side->turn);
}

typedef struct WideTest {
  uint32_t alive;   /* lanes not proven free over the whole interval */
  float fraction[8]; /* of the interval that is proven free, <= 1; may be negative */
} WideTest;

/* One direction, eight boxes: gaps at both ends. */
static inline void Gap(brinkF8 d0, brinkF8 d1, brinkF8 radius0, brinkF8 radius1, brinkF8 *gap0, brinkF8 *gap1) {
  *gap0 = brinkF8_Sub(brinkF8_Abs(d0), radius0);
  *gap1 = brinkF8_Sub(brinkF8_MulSign(d1, d0), radius1);
}

static inline brinkF8 Fraction(brinkF8 gap0, brinkF8 gap1) {
  return brinkF8_Div(gap0, brinkF8_Max(brinkF8_Sub(gap0, gap1), brinkF8_Set(1e-30f)));
}

static void TestWide(const brinkObbNode *node, const MovingBox *x, WideTest *out) {
  brinkF8 relative[3], half[3], along[3], move[3], mean[3][3]; /* lanes: W's boxes */
  brinkF8 slack = brinkF8_Set(x->slack), fraction = brinkF8_Set(-1.0f);
  uint32_t separated = 0;
  for (int k = 0; k < 3; ++k) {
    relative[k] = brinkF8_Sub(brinkF8_Set(x->center[k]), brinkF8_Load(node->center[k]));
    half[k] = brinkF8_Load(node->half[k]);
  }
  for (int i = 0; i < 3; ++i) { /* W's axes: X's extents exact at both ends */
    brinkF8 a0 = brinkF8_Load(node->axes[i][0]), a1 = brinkF8_Load(node->axes[i][1]), a2 = brinkF8_Load(node->axes[i][2]);
#define PROJECT(v)                                                                                         \
  brinkF8_Add(brinkF8_Add(brinkF8_Mul(a0, brinkF8_Set((v)[0])), brinkF8_Mul(a1, brinkF8_Set((v)[1]))), \
              brinkF8_Mul(a2, brinkF8_Set((v)[2])))
    along[i] = brinkF8_Add(brinkF8_Add(brinkF8_Mul(a0, relative[0]), brinkF8_Mul(a1, relative[1])),
                           brinkF8_Mul(a2, relative[2]));
    move[i] = PROJECT(x->displacement);
    brinkF8 radius0 = brinkF8_Add(half[i], slack), radius1 = radius0;
    for (int j = 0; j < 3; ++j) {
      brinkF8 p = PROJECT(x->axes0[j]), q = PROJECT(x->axes1[j]), h = brinkF8_Set(x->half[j]);
      mean[i][j] = brinkF8_Mul(brinkF8_Set(0.5f), brinkF8_Add(p, q));
      radius0 = brinkF8_Add(radius0, brinkF8_Mul(h, brinkF8_Abs(p)));
      radius1 = brinkF8_Add(radius1, brinkF8_Mul(h, brinkF8_Abs(q)));
    }
#undef PROJECT
    brinkF8 gap0, gap1;
    Gap(along[i], brinkF8_Add(along[i], move[i]), radius0, radius1, &gap0, &gap1);
    separated |= brinkF8_Positive(brinkF8_Min(gap0, gap1));
    fraction = brinkF8_Max(fraction, Fraction(gap0, gap1));
  }
  for (int j = 0; separated != 0xffu && j < 3; ++j) { /* X's mean axes */
    brinkF8 d0 = brinkF8_Add(brinkF8_Add(brinkF8_Mul(brinkF8_Set(x->mean[j][0]), relative[0]),
                                         brinkF8_Mul(brinkF8_Set(x->mean[j][1]), relative[1])),
                             brinkF8_Mul(brinkF8_Set(x->mean[j][2]), relative[2]));
    brinkF8 d1 = brinkF8_Add(d0, brinkF8_Set(Dot3(x->mean[j], x->displacement)));
    brinkF8 radius = slack;
    for (int i = 0; i < 3; ++i) radius = brinkF8_Add(radius, brinkF8_Mul(half[i], brinkF8_Abs(mean[i][j])));
    brinkF8 gap0, gap1;
    Gap(d0, d1, brinkF8_Add(radius, brinkF8_Set(x->along0[j])), brinkF8_Add(radius, brinkF8_Set(x->along1[j])), &gap0, &gap1);
    separated |= brinkF8_Positive(brinkF8_Min(gap0, gap1));
    fraction = brinkF8_Max(fraction, Fraction(gap0, gap1));
  }
  brinkF8 extra = brinkF8_Add(slack, brinkF8_Set(x->margin));
  for (int i = 0; separated != 0xffu && i < 3; ++i) { /* crosses: (W axis i) x (mean X axis j), length <= 1 */
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      brinkF8 d0 = brinkF8_Sub(brinkF8_Mul(along[i2], mean[i1][j]), brinkF8_Mul(along[i1], mean[i2][j]));
      brinkF8 d1 = brinkF8_Add(d0, brinkF8_Sub(brinkF8_Mul(move[i2], mean[i1][j]), brinkF8_Mul(move[i1], mean[i2][j])));
      brinkF8 radius = brinkF8_Add(extra, brinkF8_Add(brinkF8_Mul(half[i1], brinkF8_Abs(mean[i2][j])),
                                                      brinkF8_Mul(half[i2], brinkF8_Abs(mean[i1][j]))));
      radius = brinkF8_Add(radius, brinkF8_Add(brinkF8_Mul(brinkF8_Set(x->half[j1]), brinkF8_Abs(mean[i][j2])),
                                               brinkF8_Mul(brinkF8_Set(x->half[j2]), brinkF8_Abs(mean[i][j1]))));
      brinkF8 gap0, gap1;
      Gap(d0, d1, radius, radius, &gap0, &gap1);
      separated |= brinkF8_Positive(brinkF8_Min(gap0, gap1));
    }
  }
  out->alive = ~separated & 0xffu;
  if (out->alive) brinkF8_Store(out->fraction, fraction);
}

/* Triangle A at both ends of an interval, in B's frame, with its slack. */
typedef struct MovingTriangle {
  float start[3][3], end[3][3];
  float slack;
} MovingTriangle;

static void MakeMovingTriangle(const brinkObbTriangle *triangle, const IntervalSide *side, float threshold, float scaleB,
                               MovingTriangle *out) {
  float distance = 0;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) {
      out->start[k][i] = Dot3(side->rotation[i], triangle->vertex[k]) + side->position[i];
      out->end[k][i] = out->start[k][i] + Dot3(side->rotationChange[i], triangle->vertex[k]) + side->positionChange[i];
    }
    distance = fmaxf(distance, fabsf(out->start[k][0]) + fabsf(out->start[k][1]) + fabsf(out->start[k][2]));
    distance = fmaxf(distance, fabsf(out->end[k][0]) + fabsf(out->end[k][1]) + fabsf(out->end[k][2]));
  }
  float rho = sqrtf(Dot3(triangle->center, triangle->center)) + triangle->radius;
  out->slack = threshold + CurvatureSlack(side, triangle->center, triangle->radius) +
               RoundingSlack(distance, rho, scaleB) + side->poseError0 + side->poseError1 * rho;
}

/* Do 11 fixed axes (2 normals, 9 edge crosses of the mean pose) keep the triangles apart during the whole interval? */
static bool TrianglesApart(const MovingTriangle *a, const float b[3][3]) {
  float points[8][3], mean[3][3], u[3][16], v[3][16];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      points[k][i] = a->start[k][i] - b[0][i];
      points[3 + k][i] = a->end[k][i] - b[0][i];
      mean[k][i] = points[k][i] + points[3 + k][i];
    }
    points[6][i] = b[1][i] - b[0][i];
    points[7][i] = b[2][i] - b[0][i];
    float edge[6] = {mean[1][i] - mean[0][i],       mean[2][i] - mean[1][i], mean[0][i] - mean[2][i],
                     points[6][i], points[7][i] - points[6][i], -points[7][i]};
    for (int lane = 0; lane < 9; ++lane) {
      u[i][lane] = edge[lane / 3];
      v[i][lane] = edge[3 + lane % 3];
    }
    u[i][9] = edge[0];
    v[i][9] = edge[1];
    u[i][10] = edge[3];
    v[i][10] = edge[4];
    for (int lane = 11; lane < 16; ++lane) u[i][lane] = v[i][lane] = 0;
  }
  brinkF8 slackSquare = brinkF8_Set(a->slack * a->slack * 1.00001f);
  for (int half = 8; half >= 0; half -= 8) { /* normals first: they settle most */
    brinkF8 u0 = brinkF8_Load(u[0] + half), u1 = brinkF8_Load(u[1] + half), u2 = brinkF8_Load(u[2] + half);
    brinkF8 v0 = brinkF8_Load(v[0] + half), v1 = brinkF8_Load(v[1] + half), v2 = brinkF8_Load(v[2] + half);
    brinkF8 n0 = brinkF8_Sub(brinkF8_Mul(u1, v2), brinkF8_Mul(u2, v1));
    brinkF8 n1 = brinkF8_Sub(brinkF8_Mul(u2, v0), brinkF8_Mul(u0, v2));
    brinkF8 n2 = brinkF8_Sub(brinkF8_Mul(u0, v1), brinkF8_Mul(u1, v0));
    brinkF8 lowerA, upperA, lowerB = brinkF8_Set(0.0f), upperB = lowerB;
    for (int k = 0; k < 8; ++k) {
      brinkF8 d = brinkF8_Add(brinkF8_Add(brinkF8_Mul(n0, brinkF8_Set(points[k][0])), brinkF8_Mul(n1, brinkF8_Set(points[k][1]))),
                              brinkF8_Mul(n2, brinkF8_Set(points[k][2])));
      if (k == 0) {
        lowerA = upperA = d;
      } else if (k < 6) {
        lowerA = brinkF8_Min(lowerA, d);
        upperA = brinkF8_Max(upperA, d);
      } else {
        lowerB = brinkF8_Min(lowerB, d);
        upperB = brinkF8_Max(upperB, d);
      }
    }
    brinkF8 gap = brinkF8_Max(brinkF8_Sub(lowerB, upperA), brinkF8_Sub(lowerA, upperB));
    brinkF8 square = brinkF8_Add(brinkF8_Add(brinkF8_Mul(n0, n0), brinkF8_Mul(n1, n1)), brinkF8_Mul(n2, n2));
    uint32_t apart = brinkF8_Positive(gap) &
                     brinkF8_Positive(brinkF8_Sub(brinkF8_Mul(gap, gap), brinkF8_Mul(slackSquare, square)));
    if (apart) return true;
  }
  return false;
}

static brinkPiece TrianglePiece(const Side *side, uint32_t slot) {
  const brinkObbTriangle *triangle = &side->tree->triangles[slot];
  brinkPiece piece = {.kind = brink_piecePoints, .count = 3, .vertices = &triangle->vertices[0][0], .radius = side->margin};
  piece.center = brinkV3((double)triangle->center[0], (double)triangle->center[1], (double)triangle->center[2]);
  piece.boundRadius = (double)triangle->radius;
  return piece;
}

static void TestTriangles(PairRun *run, int32_t childA, int32_t childB, double key, uint32_t intervalIndex) {
  const brinkObbTree *treeA = run->sides[0].tree, *treeB = run->sides[1].tree;
  uint32_t firstA = brinkObbLeaf_First(childA), countA = brinkObbLeaf_Count(childA);
  uint32_t firstB = brinkObbLeaf_First(childB), countB = brinkObbLeaf_Count(childB);
  for (uint32_t i = firstA; i < firstA + countA; ++i) {
    MovingTriangle moving = {0};
    const Interval *interval = NULL;
    uint64_t made = 0;
    for (uint32_t j = firstB; j < firstB + countB; ++j) {
      const Interval *current = brinkSweptAxis_Interval(run, intervalIndex);
      if (current == NULL || brinkSweptAxis_Late(run, key)) return;
      if (current != interval || current->revision != made) {
        interval = current;
        made = current->revision;
        MakeMovingTriangle(&treeA->triangles[i], &current->side[0], run->thresholdUp, treeB->scale, &moving);
      }
      run->iterations++;
      if (TrianglesApart(&moving, treeB->triangles[j].vertex)) continue;
      brinkPiece a = TrianglePiece(&run->sides[0], i), b = TrianglePiece(&run->sides[1], j);
      brinkSweptAxis_Resolve(run, &a, i, &b, j, key, current);
    }
  }
}

/* Leaf against leaf where at least one side is a single convex piece. */
static void TestPieces(PairRun *run, int32_t childA, int32_t childB, double key, uint32_t intervalIndex) {
  const Side *sideA = &run->sides[0], *sideB = &run->sides[1];
  uint32_t firstA = 0, countA = 1, firstB = 0, countB = 1;
  if (sideA->tree) firstA = brinkObbLeaf_First(childA), countA = brinkObbLeaf_Count(childA);
  if (sideB->tree) firstB = brinkObbLeaf_First(childB), countB = brinkObbLeaf_Count(childB);
  for (uint32_t i = firstA; i < firstA + countA; ++i)
    for (uint32_t j = firstB; j < firstB + countB; ++j) {
      const Interval *interval = brinkSweptAxis_Interval(run, intervalIndex);
      if (interval == NULL || brinkSweptAxis_Late(run, key)) return;
      brinkPiece a = sideA->tree ? TrianglePiece(sideA, i) : *sideA->piece;
      brinkPiece b = sideB->tree ? TrianglePiece(sideB, j) : *sideB->piece;
      run->iterations++;
      brinkSweptAxis_Resolve(run, &a, i, &b, j, key, interval);
    }
}

static inline bool IsNode(const Side *side, int32_t child) { return side->tree != NULL && child >= 0; }

/* One expansion: tests the eight children of one box against the other box, over the interval or its halves. */
static brinkStatus Expand(PairRun *run, const Entry *entry) {
  const Side *sideA = &run->sides[0], *sideB = &run->sides[1];
  brinkObbBox boxA, boxB;
  const Interval *interval = brinkSweptAxis_Interval(run, entry->interval);
  if (interval == NULL) return brink_ok; /* starts after the best time of impact */
  if (sideA->tree) brinkObbTree_Box(sideA->tree, entry->a, &boxA);
  else boxA = sideA->box;
  if (sideB->tree) brinkObbTree_Box(sideB->tree, entry->b, &boxB);
  else boxB = sideB->box;
  bool nodeA = IsNode(sideA, boxA.child), nodeB = IsNode(sideB, boxB.child);
  if (!nodeA && !nodeB) {
    if (sideA->tree && sideB->tree) TestTriangles(run, boxA.child, boxB.child, entry->key, entry->interval);
    else TestPieces(run, boxA.child, boxB.child, entry->key, entry->interval);
    return brink_ok;
  }
  bool openB = nodeB && (!nodeA || boxB.radius > boxA.radius);
  const brinkObbBox *moving = openB ? &boxA : &boxB;
  const Side *sideW = openB ? sideB : sideA;
  int32_t opened = openB ? boxB.child : boxA.child;
  int direction = openB ? 0 : 1;
  const brinkObbNode *node = &sideW->tree->nodes[opened];
  float scaleW = sideW->tree->scale;

  MovingBox x;
  MakeMovingBox(moving, &interval->side[direction], run->thresholdUp, scaleW, &x);
  uint32_t parts[2] = {entry->interval, 0};
  int partCount = 1;
  if (entry->interval < BRINK_SWEPT_AXIS_INTERVALS / 2) {
    float size = fmaxf(moving->radius, 0.5f * (openB ? boxB.radius : boxA.radius));
    if (x.slack - run->thresholdUp > 0.004f * size + RoundingSlack(0, 0, 2 * scaleW)) {
      parts[0] = 2 * entry->interval + 1; /* pushed first, so the earlier half is on top */
      parts[1] = 2 * entry->interval;
      partCount = 2;
    }
  }
  for (int part = 0; part < partCount; ++part) {
    if (partCount == 2) {
      interval = brinkSweptAxis_Interval(run, parts[part]);
      if (interval == NULL || interval->t1 <= entry->key) continue;
      MakeMovingBox(moving, &interval->side[direction], run->thresholdUp, scaleW, &x);
    }
    WideTest test;
    TestWide(node, &x, &test);
    run->nodeTests++;
    run->iterations++;
    brinkStatus status = brinkSweptAxis_ReserveStack(run, run->stackCount + BRINK_OBB_WIDTH);
    if (status != brink_ok) return status;
    size_t base = run->stackCount;
    for (uint32_t alive = test.alive; alive; alive &= alive - 1) {
      int lane = __builtin_ctz(alive);
      if (node->child[lane] == BRINK_OBB_EMPTY) continue; /* a slack beyond float's range separates nothing, not even these */
      double fraction = (double)test.fraction[lane];
      double key = fraction > 0 ? interval->t0 + fraction * 0.999999 * (interval->t1 - interval->t0) : interval->t0;
      if (key < entry->key) key = entry->key;
      if (brinkSweptAxis_Late(run, key)) continue;
      int32_t reference = opened * BRINK_OBB_WIDTH + lane;
      Entry child = {openB ? entry->a : reference, openB ? reference : entry->b, parts[part], key};
      size_t slot = run->stackCount++; /* insertion: smallest key on top */
      while (slot > base && run->stack[slot - 1].key < key) {
        run->stack[slot] = run->stack[slot - 1];
        --slot;
      }
      run->stack[slot] = child;
    }
  }
  return brink_ok;
}

brinkStatus BRINK_SWEPT_AXIS_RUN(PairRun *run) {
  brinkStatus status = brinkSweptAxis_ReserveStack(run, 1);
  if (status != brink_ok) return status;
  run->stack[0] = (Entry){-1, -1, 1, run->start};
  run->stackCount = 1;
  while (run->stackCount) {
    Entry entry = run->stack[--run->stackCount];
    if (brinkSweptAxis_Late(run, entry.key)) continue;
    if (run->iterations >= run->maxIterations) {
      run->stackCount++; /* left on the stack: the caller takes the smallest key as the proven prefix */
      break;
    }
    status = Expand(run, &entry);
    if (status != brink_ok) return status;
    if (run->found && run->best <= run->start) break; /* contact at the very start: nothing can be earlier */
  }
  return brink_ok;
}
