/* SPDX-License-Identifier: BSD-3-Clause */
/* Body of the swept-axis traversal; included by swept_axis_base.c and swept_axis_avx2.c, which define
 * BRINK_SWEPT_AXIS_RUN, so that the same source is compiled for each instruction set. Not a header of its own. */
#include "swept_axis_interval.h"

/* Boxes are tested over halves of the interval at once where the curvature slack is above this part of their size
 * (measured); else where nothing but curvature hid that they are apart. */
#define SPLIT_TIME 0.03f

/* A box that stays whole rests, and the boxes of the opened one move, when it is larger than that one by this factor.
 */
#define MUCH_LARGER 1.5f

/* Triangles that meet over an interval in which the sides turn by more than twice this (rad) are asked over its halves,
 * once so many exact distances of the pair were asked for. */
#define LEAF_TURN 0.003f
#define LEAF_DISTANCES 8u

/* Of an entry: its interval was halved for it, which is done once before its boxes are opened. */
#define IS_HALF (UINT64_C(1) << 32)

/* A new entry is sorted in among so many that wait. */
#define MOST_SORTED 32u

/* Box X over one interval, seen from W's frame. Halves: at t0, at t1; lanes of axes: axis. */
typedef struct MovingBox {
  float center[8];  /* lanes 0-2 and 4-6: components */
  float axes[3][8]; /* [component][axis] */
  float along[8];   /* support radius along the means of the axes at both ends */
  float half[3];
  bool far;          /* its way is longer than its half extents together */
  float slack;       /* threshold + curvature + rounding, for directions of length <= 1 */
  float curvature;   /* its CurvatureSlack */
  float margin;      /* of the mean axes, for edge crosses */
  const float *lane; /* its box; and over what: often the same several times in a row */
  uint64_t over;
} MovingBox;

/* A box: lane of a node. */
typedef struct Lane {
  const brinkObbNode *node;
  uint32_t at;
} Lane;

static inline Lane LaneOf(const Side *side, int32_t reference) {
  if (reference < 0) return (Lane){&side->whole, 0};
  return (Lane){&side->tree->nodes[(uint32_t)reference / BRINK_OBB_WIDTH], (uint32_t)reference % BRINK_OBB_WIDTH};
}

/* Bound of the length, at most 1.74 times it: for what is small anyway. */
static inline float Size3(const float a[3]) { return fabsf(a[0]) + fabsf(a[1]) + fabsf(a[2]); }

static inline float SizeOf(const Lane box) {
  const brinkObbNode *node = box.node;
  return fabsf(node->center[0][box.at]) + fabsf(node->center[1][box.at]) + fabsf(node->center[2][box.at]);
}

/* Curvature slack of a ball (centre, radius) carried by X over the interval: see swept_axis.h. Rounded up by the last
 * factor, which covers the fewer than 40 single-precision operations. */
static inline float CurvatureSlack(const IntervalSide *side, const float center[3], float radius, float rho) {
  float square = 0;
  for (int i = 0; i < 3; ++i) {
    float a = side->accel[0][i] * center[0] + side->accel[1][i] * center[1] + side->accel[2][i] * center[2] +
              side->accel[3][i];
    square += a * a;
  }
  return side->eighthSquare *
         (sqrtf(square) + side->accelRound + side->accelNorm * radius + side->jerk0 + side->jerk1 * rho) * 1.00001f;
}

/* Rounding of a box test, 50 units of 2^-23 of the sizes involved: docs/theory.md 6. */
static inline float BoxRounding(float distance, float rho, float scale) { return 6e-6f * (distance + rho + scale); }

/* curvature: its CurvatureSlack over this interval. */
static void MakeMovingBox(const Lane box, const IntervalSide *side, float curvature, float threshold, float scaleW,
                          MovingBox *out) {
  brinkF8 c0 = brinkF8_Load(side->turned[0]), c1 = brinkF8_Load(side->turned[1]), c2 = brinkF8_Load(side->turned[2]);
#define TURN(v)                                                                                                        \
  brinkF8_Add(brinkF8_Add(brinkF8_Mul(c0, brinkF8_Set((v)[0][box.at])), brinkF8_Mul(c1, brinkF8_Set((v)[1][box.at]))), \
              brinkF8_Mul(c2, brinkF8_Set((v)[2][box.at])))
  const brinkObbNode *node = box.node;
  brinkF8_Store(out->center, brinkF8_Add(TURN(node->center), brinkF8_Load(side->position)));
  brinkF8 x = TURN(node->axes[0]), y = TURN(node->axes[1]), z = TURN(node->axes[2]), zero = brinkF8_Set(0.0f);
#undef TURN
  /* rows of components instead of axes */
  brinkF8 xy = brinkF8_UnpackLow(x, y), xyHigh = brinkF8_UnpackHigh(x, y);
  brinkF8 z0 = brinkF8_UnpackLow(z, zero), z0High = brinkF8_UnpackHigh(z, zero);
  brinkF8 axes[3] = {brinkF8_MoveLow(xy, z0), brinkF8_MoveHigh(xy, z0), brinkF8_MoveLow(xyHigh, z0High)};
  brinkF8 mean[3], half = brinkF8_Set(0.5f);
  for (int r = 0; r < 3; ++r) {
    mean[r] = brinkF8_Mul(half, brinkF8_Add(axes[r], brinkF8_SwapHalves(axes[r])));
    brinkF8_Store(out->axes[r], axes[r]);
  }
  /* lanes j: mean axis j . axis k */
#define ALONG(k)                                                                                                     \
  brinkF8_Add(                                                                                                       \
      brinkF8_Add(brinkF8_Mul(mean[0], brinkF8_Splat(axes[0], k)), brinkF8_Mul(mean[1], brinkF8_Splat(axes[1], k))), \
      brinkF8_Mul(mean[2], brinkF8_Splat(axes[2], k)))
  const brinkF8 dot[3] = {ALONG(0), ALONG(1), ALONG(2)};
#undef ALONG
  brinkF8 along = zero;
  for (int k = 0; k < 3; ++k) {
    out->half[k] = node->half[k][box.at];
    along = brinkF8_Add(along, brinkF8_Mul(brinkF8_Set(out->half[k]), brinkF8_Abs(dot[k])));
  }
  brinkF8_Store(out->along, along);
  float square = 0;
  for (int k = 0; k < 3; ++k) square += (out->center[4 + k] - out->center[k]) * (out->center[4 + k] - out->center[k]);
  out->far = square > Size3(out->half) * Size3(out->half);
  const float radius = node->radius[box.at];
  float rho = SizeOf(box) + radius, distance0 = Size3(out->center), distance1 = Size3(out->center + 4);
  float distance = distance0 > distance1 ? distance0 : distance1;
  out->curvature = curvature;
  out->slack =
      (threshold + curvature + BoxRounding(distance, rho, scaleW) + side->poseError0 + side->poseError1 * rho) *
      1.00001f;
  out->margin = radius * side->turn * (1.00001f + 1.4143f * side->turn);
}

typedef struct WideTest { /* zeroed */
  uint32_t alive;         /* lanes not proven free over the whole interval */
  bool bent;              /* several, and straight paths would have kept all of them apart */
  float fraction[8];      /* of the interval that is proven free, 0 to 1 */
} WideTest;

/* Both ends of an interval at once: of sixteen lanes the lower are the start, the upper the end. */
#define DOT(a, b0, b1, b2) \
  brinkF16_Add(brinkF16_Add(brinkF16_Mul((a)[0], b0), brinkF16_Mul((a)[1], b1)), brinkF16_Mul((a)[2], b2))
/* Half of what they are at the two ends together. */
static inline brinkF16 Mean(brinkF16 a) {
  return brinkF16_Both(brinkF8_Mul(brinkF8_Set(0.5f), brinkF8_Add(brinkF16_Low(a), brinkF16_High(a))));
}

/* Gaps along one direction at both ends, the side taken from the start. The slack comes last, as it is known last. */
static inline brinkF16 Gap(brinkF16 d, brinkF16 radius, brinkF8 slack) {
  d = brinkF16_MulSign(d, brinkF16_Both(brinkF16_Low(d)));
  return brinkF16_Sub(brinkF16_Sub(d, radius), brinkF16_Both(slack));
}

/* What a gap is at both ends. */
static inline brinkF8 AtBoth(brinkF16 gap) { return brinkF8_Min(brinkF16_Low(gap), brinkF16_High(gap)); }
static inline brinkF8 GapAtBoth(brinkF16 d, brinkF8 radius) {
  return brinkF8_Sub(AtBoth(brinkF16_MulSign(d, brinkF16_Both(brinkF16_Low(d)))), radius);
}

/* Lanes that no direction separates, and what is proven of the interval along the first six directions. */
static inline void TakeGaps(uint32_t separated, brinkF8 most, brinkF8 curvature, const brinkF16 gap[6], WideTest *out) {
  out->alive = ~(separated | brinkF8_Positive(most)) & 0xffu;
  brinkF8 fraction = brinkF8_Set(0.0f);
  for (int k = 0; k < 6; ++k) {
    const brinkF8 first = brinkF16_Low(gap[k]), fall = brinkF8_Sub(first, brinkF16_High(gap[k]));
    fraction = brinkF8_Max(brinkF8_Div(first, brinkF8_Max(fall, brinkF8_Set(1e-30f))), fraction);
    most = brinkF8_Max(AtBoth(gap[k]), most);
  }
  out->bent = ((out->alive & (out->alive - 1)) != 0) & (brinkF8_Positive(brinkF8_Add(most, curvature)) == 0xffu);
  brinkF8_Store(out->fraction, fraction);
}

/* Three directions: (W axis i) x (the way that X goes). Of what goes far for its size no axis of either box may be
 * across its way. Along, mean, half: those of TestWide. The most that is left of a gap, without slack. */
static brinkF8 AcrossWay(const brinkF16 along[3], const brinkF16 mean[3][3], const brinkF8 half[3],
                         const MovingBox *x) {
  brinkF8 way[3], most = brinkF8_Set(-HUGE_VALF), square = brinkF8_Set(1e-30f);
  for (int i = 0; i < 3; ++i) {
    way[i] = brinkF8_Sub(brinkF16_High(along[i]), brinkF16_Low(along[i]));
    square = brinkF8_Add(square, brinkF8_Mul(way[i], way[i]));
  }
  for (int i = 0; i < 3; ++i) way[i] = brinkF8_Div(way[i], brinkF8_Sqrt(square));
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const brinkF16 way1 = brinkF16_Both(way[i1]), way2 = brinkF16_Both(way[i2]);
    brinkF8 radius =
        brinkF8_Add(brinkF8_Mul(half[i1], brinkF8_Abs(way[i2])), brinkF8_Mul(half[i2], brinkF8_Abs(way[i1])));
    for (int j = 0; j < 3; ++j) {
      const brinkF16 p = brinkF16_Sub(brinkF16_Mul(mean[i2][j], way1), brinkF16_Mul(mean[i1][j], way2));
      radius = brinkF8_Add(radius, brinkF8_Mul(brinkF8_Set(x->half[j]), brinkF8_Abs(brinkF16_Low(p))));
    }
    const brinkF16 d = brinkF16_Sub(brinkF16_Mul(along[i2], way1), brinkF16_Mul(along[i1], way2));
    most = brinkF8_Max(GapAtBoth(d, radius), most); /* no number: most stays */
  }
  return most;
}

/* Eight boxes W against X, 15 directions, and three more where X goes far. */
static void TestWide(const brinkObbNode *node, const MovingBox *x, WideTest *out) {
  brinkF16 from[3], along[3], mean[3][3], gap[6]; /* lanes: W's boxes */
  brinkF8 half[3], size[3][3];                    /* of mean */
  const brinkF8 slack = brinkF8_Set(x->slack);
  brinkF8 most = brinkF8_Set(-HUGE_VALF);
  uint32_t separated = 0;
  for (int k = 0; k < 3; ++k) {
    from[k] = brinkF16_Sub(brinkF16_SetEnds(x->center, k), brinkF16_Both(brinkF8_Load(node->center[k])));
    half[k] = brinkF8_Load(node->half[k]);
  }
  for (int i = 0; i < 3; ++i) { /* W's axes: X's extents exact at both ends */
    brinkF16 axis[3], radius = brinkF16_Both(half[i]);
    for (int k = 0; k < 3; ++k) axis[k] = brinkF16_Both(brinkF8_Load(node->axes[i][k]));
    along[i] = DOT(axis, from[0], from[1], from[2]);
    for (int j = 0; j < 3; ++j) {
      const brinkF16 p =
          DOT(axis, brinkF16_SetEnds(x->axes[0], j), brinkF16_SetEnds(x->axes[1], j), brinkF16_SetEnds(x->axes[2], j));
      mean[i][j] = Mean(p);
      size[i][j] = brinkF8_Abs(brinkF16_Low(mean[i][j]));
      radius = brinkF16_Add(radius, brinkF16_Mul(brinkF16_Both(brinkF8_Set(x->half[j])), brinkF16_Abs(p)));
    }
    gap[i] = Gap(along[i], radius, slack);
    separated |= brinkF8_Positive(AtBoth(gap[i]));
  }
  if (separated == 0xffu) return;
  for (int j = 0; j < 3; ++j) { /* X's mean axes, in W's coordinates */
    const brinkF16 axis[3] = {mean[0][j], mean[1][j], mean[2][j]};
    brinkF8 radius = brinkF8_Mul(half[0], size[0][j]);
    for (int i = 1; i < 3; ++i) radius = brinkF8_Add(radius, brinkF8_Mul(half[i], size[i][j]));
    gap[3 + j] = Gap(DOT(axis, along[0], along[1], along[2]),
                     brinkF16_Add(brinkF16_Both(radius), brinkF16_SetEnds(x->along, j)), slack);
    separated |= brinkF8_Positive(AtBoth(gap[3 + j]));
  }
  const brinkF8 extra = brinkF8_Add(slack, brinkF8_Set(x->margin));
  if (x->far) most = AcrossWay((const brinkF16 *)along, (const brinkF16(*)[3])mean, half, x);
  if ((separated | brinkF8_Positive(brinkF8_Sub(most, extra))) == 0xffu) return;
  for (int i = 0; i < 3; ++i) { /* crosses: (W axis i) x (mean X axis j), length <= 1 */
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      brinkF16 d = brinkF16_Sub(brinkF16_Mul(along[i2], mean[i1][j]), brinkF16_Mul(along[i1], mean[i2][j]));
      brinkF8 radius = brinkF8_Add(brinkF8_Mul(half[i1], size[i2][j]), brinkF8_Mul(half[i2], size[i1][j]));
      radius = brinkF8_Add(radius, brinkF8_Add(brinkF8_Mul(brinkF8_Set(x->half[j1]), size[i][j2]),
                                               brinkF8_Mul(brinkF8_Set(x->half[j2]), size[i][j1])));
      most = brinkF8_Max(GapAtBoth(d, radius), most);
    }
  }
  TakeGaps(separated, brinkF8_Sub(most, extra), brinkF8_Set(x->curvature), (const brinkF16 *)gap, out);
}

/* The other way round, where the one box is much larger than the eight: it rests, and what the curvature of the paths
 * hides is that of small boxes. The eight move with X; W's numbers are made once. */
typedef struct RestingBox { /* halves: at the start, at the end */
  float turned[3][8];       /* [component in X's frame], lanes: axis of W's box */
  float position[8];        /* of the origin of X's frame, along W's axes from W's box's center */
  float half[3];
} RestingBox;

static inline void AlongAxes(const brinkD4 axes[3], const float v[3], const float from[3], float out[4]) {
  brinkD4 sum = brinkD4_Mul(axes[0], brinkD4_Set((double)v[0] - (double)from[0]));
  for (int k = 1; k < 3; ++k) sum = brinkD4_Add(sum, brinkD4_Mul(axes[k], brinkD4_Set((double)v[k] - (double)from[k])));
  brinkF4_Store(out, brinkF4_FromDoubles(sum));
}

static void MakeRestingBox(const Lane box, const IntervalSide *side, RestingBox *out) {
  const brinkObbNode *node = box.node;
  const float zero[3] = {0, 0, 0};
  const float center[3] = {node->center[0][box.at], node->center[1][box.at], node->center[2][box.at]};
  brinkD4 axes[3]; /* lanes: axis */
  for (int k = 0; k < 3; ++k) {
    const double column[4] = {(double)node->axes[0][k][box.at], (double)node->axes[1][k][box.at],
                              (double)node->axes[2][k][box.at], 0};
    axes[k] = brinkD4_Load(column);
    out->half[k] = node->half[k][box.at];
  }
  for (int end = 0; end < 2; ++end) {
    AlongAxes((const brinkD4 *)axes, side->position + 4 * end, center, out->position + 4 * end);
    for (int k = 0; k < 3; ++k)
      AlongAxes((const brinkD4 *)axes, side->turned[k] + 4 * end, zero, out->turned[k] + 4 * end);
  }
}

/* For eight boxes: threshold, curvature and rounding, as in MakeMovingBox; and the curvature alone. */
static brinkF8 MovingSlack(const brinkObbNode *node, const IntervalSide *side, brinkF8 distance, float threshold,
                           float scaleW, brinkF8 *curvature) {
  brinkF8 c[3], square = brinkF8_Set(0.0f), rho = brinkF8_Load(node->radius);
  for (int k = 0; k < 3; ++k) {
    c[k] = brinkF8_Load(node->center[k]);
    rho = brinkF8_Add(rho, brinkF8_Abs(c[k]));
  }
  for (int i = 0; i < 3; ++i) {
    brinkF8 a = brinkF8_Set(side->accel[3][i]);
    for (int k = 0; k < 3; ++k) a = brinkF8_Add(a, brinkF8_Mul(brinkF8_Set(side->accel[k][i]), c[k]));
    square = brinkF8_Add(square, brinkF8_Mul(a, a));
  }
  brinkF8 sum = brinkF8_Add(brinkF8_Sqrt(square), brinkF8_Set(side->accelRound + side->jerk0));
  sum = brinkF8_Add(sum, brinkF8_Mul(brinkF8_Set(side->accelNorm), brinkF8_Load(node->radius)));
  sum = brinkF8_Add(sum, brinkF8_Mul(brinkF8_Set(side->jerk1), rho));
  brinkF8 slack = *curvature = brinkF8_Mul(brinkF8_Mul(brinkF8_Set(side->eighthSquare), sum), brinkF8_Set(1.00001f));
  brinkF8 sizes = brinkF8_Add(brinkF8_Add(distance, rho), brinkF8_Set(2 * scaleW)); /* distance: from W's box */
  slack = brinkF8_Add(slack, brinkF8_Mul(brinkF8_Set(6e-6f), sizes));
  slack = brinkF8_Add(slack, brinkF8_Mul(brinkF8_Set(side->poseError1), rho));
  slack = brinkF8_Add(slack, brinkF8_Set(threshold + side->poseError0));
  return brinkF8_Mul(slack, brinkF8_Set(1.00001f));
}

/* Eight boxes X against W, 6 directions: W's axes and X's mean ones. */
static void TestMovingWide(const brinkObbNode *node, const RestingBox *w, const IntervalSide *side, float threshold,
                           float scaleW, WideTest *out) {
  brinkF16 along[3], axes[3][3], center[3], half[3], gap[6], far = brinkF16_Both(brinkF8_Set(0.0f)); /* lanes: X's */
  for (int k = 0; k < 3; ++k) {
    center[k] = brinkF16_Both(brinkF8_Load(node->center[k]));
    half[k] = brinkF16_Both(brinkF8_Load(node->half[k]));
  }
  for (int i = 0; i < 3; ++i) {
    brinkF16 turned[3];
    for (int k = 0; k < 3; ++k) turned[k] = brinkF16_SetEnds(w->turned[k], i);
    along[i] = brinkF16_Add(DOT(turned, center[0], center[1], center[2]), brinkF16_SetEnds(w->position, i));
    for (int j = 0; j < 3; ++j)
      axes[i][j] = DOT(turned, brinkF16_Both(brinkF8_Load(node->axes[j][0])),
                       brinkF16_Both(brinkF8_Load(node->axes[j][1])), brinkF16_Both(brinkF8_Load(node->axes[j][2])));
    far = brinkF16_Add(far, brinkF16_Abs(along[i]));
  }
  uint32_t separated = 0;
  brinkF8 curvature;
  const brinkF8 slack =
      MovingSlack(node, side, brinkF8_Max(brinkF16_High(far), brinkF16_Low(far)), threshold, scaleW, &curvature);
  for (int i = 0; i < 3; ++i) { /* W's axes: X's extents exact at both ends */
    brinkF16 radius = brinkF16_Both(brinkF8_Set(w->half[i]));
    for (int j = 0; j < 3; ++j) radius = brinkF16_Add(radius, brinkF16_Mul(half[j], brinkF16_Abs(axes[i][j])));
    gap[i] = Gap(along[i], radius, slack);
    separated |= brinkF8_Positive(AtBoth(gap[i]));
  }
  if (separated == 0xffu) return;
  for (int j = 0; j < 3; ++j) { /* X's mean axes, in W's coordinates */
    brinkF16 mean[3];
    brinkF8 rest = brinkF8_Set(0.0f);
    for (int i = 0; i < 3; ++i) {
      mean[i] = Mean(axes[i][j]);
      rest = brinkF8_Add(rest, brinkF8_Mul(brinkF8_Set(w->half[i]), brinkF8_Abs(brinkF16_Low(mean[i]))));
    }
    brinkF16 radius = brinkF16_Both(rest);
    for (int k = 0; k < 3; ++k)
      radius = brinkF16_Add(radius, brinkF16_Mul(half[k], brinkF16_Abs(DOT(mean, axes[0][k], axes[1][k], axes[2][k]))));
    gap[3 + j] = Gap(DOT(mean, along[0], along[1], along[2]), radius, slack);
    separated |= brinkF8_Positive(AtBoth(gap[3 + j]));
  }
  TakeGaps(separated, brinkF8_Set(-HUGE_VALF), curvature, (const brinkF16 *)gap, out);
}
#undef DOT

/* A triangle at both ends of an interval, in the other side's frame, with what its path and poses can add. Fourth
 * components: of no use, finite. */
typedef struct MovingTriangle {
  double points[6][4]; /* corners at the start, at the end */
  float edges[3][4];   /* of the mean pose, doubled */
  float slack;
  double room; /* slack with the rounding of products in doubles: 1e-12 of all sizes, 2^12 units */
} MovingTriangle;

static void MakeMovingTriangle(const brinkObbTriangle *triangle, const Interval *interval, int mover,
                               const IntervalSide *side, float threshold, float scaleW, MovingTriangle *out) {
  brinkD4 points[6], mean[3];
  for (int end = 0; end < 2; ++end) {
    const double(*columns)[4] = interval->frames[end][mover];
    brinkD4 x = brinkD4_Load(columns[0]), y = brinkD4_Load(columns[1]), z = brinkD4_Load(columns[2]),
            p = brinkD4_Load(columns[3]);
    for (int k = 0; k < 3; ++k) {
      const double *v = triangle->vertices[k];
      brinkD4 turned = brinkD4_Add(brinkD4_Add(brinkD4_Mul(x, brinkD4_Set(v[0])), brinkD4_Mul(y, brinkD4_Set(v[1]))),
                                   brinkD4_Mul(z, brinkD4_Set(v[2])));
      points[3 * end + k] = brinkD4_Add(turned, p);
      brinkD4_Store(out->points[3 * end + k], points[3 * end + k]);
    }
  }
  for (int k = 0; k < 3; ++k) mean[k] = brinkD4_Add(points[k], points[3 + k]);
  for (int k = 0; k < 3; ++k)
    brinkF4_Store(out->edges[k], brinkF4_FromDoubles(brinkD4_Sub(mean[(k + 1) % 3], mean[k])));
  float rho = Size3(triangle->center) + triangle->radius;
  out->slack = (threshold + CurvatureSlack(side, triangle->center, triangle->radius, rho) + side->poseError0 +
                side->poseError1 * rho) *
               1.00001f;
  const float reach = Size3(side->position) + Size3(side->position + 4) + 2 * rho + 2 * scaleW;
  out->room = 1.00001 * (double)out->slack + 1e-12 * (double)reach;
}

typedef struct RestingTriangle {
  double corner[4]; /* the first, from which all is seen */
  float others[2][4];
  float edges[3][4];
  double normal[3], low, high; /* length 1 (or 0), and where the corners lie along it */
} RestingTriangle;

static void MakeRestingTriangle(const brinkObbTriangle *triangle, RestingTriangle *out) {
  brinkD4 corners[3];
  for (int k = 0; k < 3; ++k) corners[k] = brinkD4_Load3(triangle->vertices[k]);
  brinkD4_Store(out->corner, corners[0]);
  brinkF4_Store(out->others[0], brinkF4_FromDoubles(brinkD4_Sub(corners[1], corners[0])));
  brinkF4_Store(out->others[1], brinkF4_FromDoubles(brinkD4_Sub(corners[2], corners[0])));
  for (int k = 0; k < 3; ++k)
    brinkF4_Store(out->edges[k], brinkF4_FromDoubles(brinkD4_Sub(corners[(k + 1) % 3], corners[k])));
  double sides[2][4];
  const double(*v)[3] = triangle->vertices;
  brinkD4_Store(sides[0], brinkD4_Sub(corners[1], corners[0]));
  brinkD4_Store(sides[1], brinkD4_Sub(corners[2], corners[0]));
  brinkCross3(sides[0], sides[1], out->normal);
  const double square = brinkDot3(out->normal, out->normal), scale = square > 0 ? (1 - 1e-12) / sqrt(square) : 0;
  for (int k = 0; k < 3; ++k) out->normal[k] *= scale;
  out->low = out->high = brinkDot3(out->normal, v[0]);
  for (int k = 1; k < 3; ++k) {
    const double along = brinkDot3(out->normal, v[k]);
    out->low = BRINK_MIN(along, out->low);
    out->high = BRINK_MAX(along, out->high);
  }
}

/* For which part of the interval, from its start on, does the resting triangle's own plane keep the two apart? Mostly
 * for all of it (1), and for a tenth of what TrianglesApart costs. */
static inline double BesidePlane(const MovingTriangle *a, const RestingTriangle *b) {
  double gaps[2][2]; /* [end][above or below] */
  for (int end = 0; end < 2; ++end) {
    double low = brinkDot3(b->normal, a->points[3 * end]), high = low;
    for (int k = 1; k < 3; ++k) {
      const double along = brinkDot3(b->normal, a->points[3 * end + k]);
      low = BRINK_MIN(along, low);
      high = BRINK_MAX(along, high);
    }
    gaps[end][0] = low - b->high - a->room;
    gaps[end][1] = b->low - high - a->room;
  }
  const int side = gaps[0][1] > gaps[0][0];
  const double first = gaps[0][side], last = gaps[1][side];
  return !(first > 0) ? 0 : last > 0 ? 1 : first / (first - last);
}

/* A's corners at both ends seen from B's first corner; B's others. */
typedef struct TrianglePoints {
  float a[6][4];
  const float (*b)[4];
  float slackSquare; /* with rounding: 17 units of 2^-23 of the largest of the points */
} TrianglePoints;

/* Halves: three components and a lane of no use. */
static inline brinkF8 Cross4(brinkF8 a, brinkF8 b) {
  brinkF8 a1 = brinkF8_Shuffle(a, a, 0xc9), b1 = brinkF8_Shuffle(b, b, 0xc9); /* y z x */
  brinkF8 c = brinkF8_Sub(brinkF8_Mul(a, b1), brinkF8_Mul(a1, b));            /* z x y of the product */
  return brinkF8_Shuffle(c, c, 0xc9);
}

/* Does one of eight fixed directions keep the points of A beyond slack from those of B? */
static bool ApartAlong(const brinkF8 n[3], const TrianglePoints *points) {
#define PROJECT(x, y, z)                                                                         \
  brinkF8_Add(brinkF8_Add(brinkF8_Mul(n[0], brinkF8_Set(x)), brinkF8_Mul(n[1], brinkF8_Set(y))), \
              brinkF8_Mul(n[2], brinkF8_Set(z)))
  brinkF8 lowerA = PROJECT(points->a[0][0], points->a[0][1], points->a[0][2]), upperA = lowerA;
  for (int k = 1; k < 6; ++k) {
    brinkF8 d = PROJECT(points->a[k][0], points->a[k][1], points->a[k][2]);
    lowerA = brinkF8_Min(lowerA, d);
    upperA = brinkF8_Max(upperA, d);
  }
  brinkF8 d1 = PROJECT(points->b[0][0], points->b[0][1], points->b[0][2]), zero = brinkF8_Set(0.0f);
  brinkF8 d2 = PROJECT(points->b[1][0], points->b[1][1], points->b[1][2]);
#undef PROJECT
  brinkF8 lowerB = brinkF8_Min(brinkF8_Min(d1, d2), zero), upperB = brinkF8_Max(brinkF8_Max(d1, d2), zero);
  brinkF8 gap = brinkF8_Max(brinkF8_Sub(lowerB, upperA), brinkF8_Sub(lowerA, upperB));
  brinkF8 square = brinkF8_Add(brinkF8_Add(brinkF8_Mul(n[0], n[0]), brinkF8_Mul(n[1], n[1])), brinkF8_Mul(n[2], n[2]));
  /* gap > slack |n|, where no square may have underflowed */
  brinkF8 needed =
      brinkF8_Max(brinkF8_Set(1e-36f), brinkF8_Mul(brinkF8_Set(points->slackSquare), square)); /* keeps NaN */
  return brinkF8_Positive(gap) & brinkF8_Positive(brinkF8_Sub(brinkF8_Mul(gap, gap), needed)) &
         brinkF8_Positive(brinkF8_Sub(square, brinkF8_Set(1e-32f)));
}

/* Do 17 fixed directions (2 normals, 6 in the planes, 9 edge crosses, of the mean pose) keep the triangles apart during
 * the whole interval? */
static bool TrianglesApart(const MovingTriangle *a, const RestingTriangle *b) {
  TrianglePoints points = {.b = (const float(*)[4])b->others};
  brinkD4 corner = brinkD4_Load(b->corner);
  brinkF4 largest = brinkF4_Max(brinkF4_Abs(brinkF4_Load(b->others[0])), brinkF4_Abs(brinkF4_Load(b->others[1])));
  for (int k = 0; k < 6; ++k) {
    brinkF4 point = brinkF4_FromDoubles(brinkD4_Sub(brinkD4_Load(a->points[k]), corner));
    brinkF4_Store(points.a[k], point);
    largest = brinkF4_Max(brinkF4_Abs(point), largest);
  }
  float sizes[4];
  brinkF4_Store(sizes, largest);
  float slack = (a->slack + 2e-6f * (sizes[0] + sizes[1] + sizes[2])) * 1.00001f;
  points.slackSquare = slack * slack * 1.00001f;
  /* halves: A's, B's */
  brinkF8 edges[3], vectors[4], n[3];
  for (int k = 0; k < 3; ++k) edges[k] = brinkF8_LoadHalves(a->edges[k], b->edges[k]);
  vectors[3] = Cross4(edges[0], edges[1]);
  for (int k = 0; k < 3; ++k) vectors[k] = Cross4(edges[k], vectors[3]);
  Transpose4((const brinkF8 *)vectors, n);
  if (ApartAlong((const brinkF8 *)n, &points)) return true;
  /* halves: A's edge 0, A's edge 1 (then 2 and 2) with each of B's */
  brinkF8 edgesB[3];
  for (int k = 0; k < 3; ++k) edgesB[k] = brinkF8_LoadHalves(b->edges[k], b->edges[k]);
  for (int group = 0; group < 2; ++group) {
    brinkF8 edgeA = brinkF8_LoadHalves(a->edges[2 * group], a->edges[1 + group]);
    for (int k = 0; k < 3; ++k) vectors[k] = Cross4(edgeA, edgesB[k]);
    vectors[3] = vectors[0];
    Transpose4((const brinkF8 *)vectors, n);
    if (ApartAlong((const brinkF8 *)n, &points)) return true;
  }
  return false;
}

static brinkPiece TrianglePiece(const Side *side, uint32_t slot) {
  const brinkObbTriangle *triangle = &side->tree->triangles[slot];
  brinkPiece piece = {
      .kind = brink_piecePoints, .count = 3, .vertices = &triangle->vertices[0][0], .radius = side->margin};
  piece.center = brinkV3((double)triangle->center[0], (double)triangle->center[1], (double)triangle->center[2]);
  piece.boundRadius = (double)triangle->radius;
  return piece;
}

/* A turn (sin of half the angle) that moves the smaller box by less than single precision rounds the larger is no
 * reason. */
static inline float TurnWorthHalving(float radiusA, float radiusB) {
  float smaller = radiusA < radiusB ? radiusA : radiusB, rounding = 8e-6f * (radiusA + radiusB);
  return rounding > LEAF_TURN * smaller ? rounding / (smaller > 1e-30f ? smaller : 1e-30f) : LEAF_TURN;
}

/* The smaller triangles move, the larger rest: curvature counts for the size of what moves. false: not separated, but
 * the halves of the interval are worth asking, where these turn by more than halvesAbove, before the exact advancement
 * is. */
static bool TestTriangles(PairRun *run, int32_t childA, int32_t childB, int mover, float halvesAbove, double key,
                          uint32_t intervalIndex) {
  const int32_t children[2] = {childA, childB};
  const Side *sideX = &run->sides[mover], *sideW = &run->sides[1 - mover];
  uint32_t firstX = brinkObbLeaf_First(children[mover]), countX = brinkObbLeaf_Count(children[mover]);
  uint32_t firstW = brinkObbLeaf_First(children[1 - mover]), countW = brinkObbLeaf_Count(children[1 - mover]);
  RestingTriangle resting[BRINK_OBB_LEAF_TRIANGLES];
  for (uint32_t j = 0; j < countW; ++j) MakeRestingTriangle(&sideW->tree->triangles[firstW + j], &resting[j]);
  for (uint32_t i = firstX; i < firstX + countX; ++i) {
    MovingTriangle moving;
    uint64_t made = 0; /* the interval's revision */
    for (uint32_t j = 0; j < countW; ++j) {
      Interval *interval = IntervalAt(run, intervalIndex); /* the best time may have fallen */
      if (interval == NULL || brinkSweptAxis_Late(run, key)) return true;
      const IntervalSide *side = SideOf(run, interval, mover);
      if (j == 0 || interval->revision != made)
        MakeMovingTriangle(&sideX->tree->triangles[i], interval, mover, side, run->thresholdUp, sideW->scale, &moving);
      made = interval->revision;
      run->iterations++;
      const double part = BesidePlane(&moving, &resting[j]), along = 0.999998 * part;
      if (part >= 1 || TrianglesApart(&moving, &resting[j])) continue;
      if (side->turn > halvesAbove && !run->instant && run->distances >= LEAF_DISTANCES &&
          brinkSweptAxis_CanSplit(run, intervalIndex))
        return false;
      brinkPiece x = TrianglePiece(sideX, i), w = TrianglePiece(sideW, firstW + j);
      brinkSweptAxis_Resolve(run, &x, i, &w, firstW + j, mover,
                             BRINK_MAX(key, interval->t0 + along * (interval->t1 - interval->t0)), interval);
      if (run->instant && run->overlapAtStart) return true;
    }
  }
  return true;
}

/* How far down a new entry is sorted in, the smallest key on top: what surely comes first is asked before what a
 * contact may leave out. Where any contact will do, the nearest way down to one: only among those pushed with it. */
static inline size_t SortedFrom(const PairRun *run) {
  const size_t count = run->stackCount;
  return run->input->anyContact ? count : count > MOST_SORTED ? count - MOST_SORTED : 0;
}

static inline void Push(PairRun *run, size_t base, Entry entry) {
  Entry *stack = run->stack;
  size_t slot = run->stackCount++;
  for (; slot > base && stack[slot - 1].key < entry.key; --slot) stack[slot] = stack[slot - 1];
  stack[slot] = entry;
}

/* The same two boxes over both halves of the interval, the earlier one on top. */
static void PushHalves(PairRun *run, const Entry entry) {
  const size_t base = SortedFrom(run);
  for (uint32_t half = 2; half-- > 0;) {
    const uint32_t index = 2 * (uint32_t)entry.words[1] + half;
    const Interval *interval = IntervalAt(run, index);
    if (interval == NULL || interval->t1 <= entry.key) continue;
    Push(run, base, (Entry){{entry.words[0], index | IS_HALF}, BRINK_MAX(interval->t0, entry.key)});
  }
}

/* Leaf against leaf where at least one side is a single convex piece. */
static void TestPieces(PairRun *run, int32_t childA, int32_t childB, int mover, double key, uint32_t intervalIndex) {
  const Side *sideA = &run->sides[0], *sideB = &run->sides[1];
  uint32_t firstA = 0, countA = 1, firstB = 0, countB = 1;
  if (sideA->tree) firstA = brinkObbLeaf_First(childA), countA = brinkObbLeaf_Count(childA);
  if (sideB->tree) firstB = brinkObbLeaf_First(childB), countB = brinkObbLeaf_Count(childB);
  for (uint32_t i = firstA; i < firstA + countA; ++i)
    for (uint32_t j = firstB; j < firstB + countB; ++j) {
      const Interval *interval = IntervalAt(run, intervalIndex);
      if (interval == NULL || brinkSweptAxis_Late(run, key)) return;
      brinkPiece a = sideA->tree ? TrianglePiece(sideA, i) : *sideA->piece;
      brinkPiece b = sideB->tree ? TrianglePiece(sideB, j) : *sideB->piece;
      run->iterations++;
      const brinkPiece *x = mover == 0 ? &a : &b, *w = mover == 0 ? &b : &a;
      brinkSweptAxis_Resolve(run, x, mover == 0 ? i : j, w, mover == 0 ? j : i, mover, key, interval);
      if (run->instant && run->overlapAtStart) return;
    }
}

static inline float LaneCurvature(const IntervalSide *side, const Lane box, float radius) {
  const float center[3] = {box.node->center[0][box.at], box.node->center[1][box.at], box.node->center[2][box.at]};
  return CurvatureSlack(side, center, radius, Size3(center) + radius);
}

/* One expansion: tests the eight children of one box against the other box; or both are put off to halves. */
static brinkStatus Expand(PairRun *run, const Entry entry, MovingBox *moving) {
  const uint32_t a = (uint32_t)entry.words[0], b = (uint32_t)(entry.words[0] >> 32), index = (uint32_t)entry.words[1];
  const bool mayHalve = !(entry.words[1] & IS_HALF);
  const Side *sideA = &run->sides[0], *sideB = &run->sides[1];
  Interval *interval = IntervalAt(run, index);
  if (interval == NULL) return brink_ok; /* starts after the best time of impact */
  const size_t most = run->stackCount + 2 * BRINK_OBB_WIDTH;
  if (most > run->stackCapacity && brinkSweptAxis_ReserveStack(run, most) != brink_ok) return brink_errorNoMemory;
  const Lane boxA = LaneOf(sideA, (int32_t)a), boxB = LaneOf(sideB, (int32_t)b);
  const int32_t childA = boxA.node->child[boxA.at], childB = boxB.node->child[boxB.at];
  const float radiusA = boxA.node->radius[boxA.at], radiusB = boxB.node->radius[boxB.at];
  if (childA < 0 && childB < 0) {
    int mover = radiusA > radiusB;
    if (!sideA->tree || !sideB->tree)
      TestPieces(run, childA, childB, mover, entry.key, index);
    else if (!TestTriangles(run, childA, childB, mover, TurnWorthHalving(radiusA, radiusB), entry.key, index))
      PushHalves(run, entry);
    return brink_ok;
  }
  const bool openB = childB >= 0 && (childA < 0 || radiusB > radiusA);
  const Side *opens = openB ? sideB : sideA, *stays = openB ? sideA : sideB;
  const int32_t opened = openB ? childB : childA;
  const Lane kept = openB ? boxA : boxB, parent = openB ? boxB : boxA;
  const float radius = openB ? radiusB : radiusA, keptRadius = openB ? radiusA : radiusB;
  const brinkObbNode *node = &opens->tree->nodes[opened];
  const bool large = keptRadius > MUCH_LARGER * radius;
  const float *stands = &kept.node->radius[kept.at];
  const int direction = openB == large; /* which side moves: the box that stays whole, unless it is much larger */

  const IntervalSide *side = SideOf(run, interval, direction);
  const uint64_t over = interval->revision << (BRINK_SWEPT_AXIS_LEVELS + 1) | 2 * index | openB;
  const bool standing = !large && moving->lane == stands && moving->over == over;
  const float size = large || keptRadius < 0.5f * radius ? 0.5f * radius : keptRadius;
  const float curvature =
      standing ? moving->curvature : LaneCurvature(side, large ? parent : kept, large ? radius : keptRadius);
  if (curvature > SPLIT_TIME * size && mayHalve && brinkSweptAxis_CanSplit(run, index)) {
    PushHalves(run, entry);
    return brink_ok;
  }
  WideTest test = {.alive = 0};
  if (large) {
    RestingBox w;
    MakeRestingBox(kept, side, &w);
    TestMovingWide(node, &w, side, run->thresholdUp, stays->scale, &test);
  } else {
    if (!standing) MakeMovingBox(kept, side, curvature, run->thresholdUp, opens->scale, moving);
    moving->lane = stands;
    moving->over = over;
    TestWide(node, moving, &test);
  }
  run->nodeTests++;
  run->iterations++;
  if (test.bent && mayHalve && brinkSweptAxis_CanSplit(run, index)) {
    PushHalves(run, entry);
    return brink_ok;
  }
  const double length = 0.999998 * (interval->t1 - interval->t0);
  const size_t base = SortedFrom(run);
  for (uint32_t alive = test.alive; alive; alive &= alive - 1) {
    const int lane = __builtin_ctz(alive);
    if (node->child[lane] == BRINK_OBB_EMPTY) continue; /* alive only when the slack is beyond all sizes */
    const double key = BRINK_MAX(interval->t0 + (double)test.fraction[lane] * length, entry.key);
    if (brinkSweptAxis_Late(run, key)) continue;
    const uint32_t reference = (uint32_t)(opened * BRINK_OBB_WIDTH + lane);
    const uint64_t boxes = openB ? a | (uint64_t)reference << 32 : reference | (uint64_t)b << 32;
    Push(run, base, (Entry){{boxes, index}, key});
  }
  return brink_ok;
}

brinkStatus BRINK_SWEPT_AXIS_RUN(PairRun *run) {
  brinkStatus status = brinkSweptAxis_ReserveStack(run, 1);
  if (status != brink_ok) return status;
  run->stack[0] = (Entry){{UINT64_MAX, run->instant ? 0u : 1u}, run->start}; /* both whole sides: -1 */
  run->stackCount = 1;
  MovingBox moving = {.lane = NULL};
  while (run->stackCount) {
    const uint64_t effort = brinkSweptAxis_Effort(run);
    if (effort >= run->tryAt) {
      brinkSweptAxis_TryRevolution(run);
      if (run->stackCount == 0) break;
    }
    Entry entry = run->stack[--run->stackCount];
    if (brinkSweptAxis_Late(run, entry.key)) continue;
    if (run->iterations >= run->maxIterations || effort >= run->maxEffort) {
      run->stackCount++; /* left on the stack: the caller takes the smallest key as the proven prefix */
      break;
    }
    status = Expand(run, entry, &moving);
    if (status != brink_ok) return status;
    if (run->found && run->best <= run->start && (!run->instant || run->overlapAtStart))
      break;                                                                   /* nothing can be earlier */
    if (run->found && run->input->anyContact && run->best > run->start) break; /* the stack keeps what is proven */
  }
  return brink_ok;
}
