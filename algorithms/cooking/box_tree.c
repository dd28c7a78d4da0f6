/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the binary tree of boxes, top-down, and folds it into the wide one. Symbols: area = half the surface of a box
 * with half extents h, that is hx hy + hy hz + hz hx.
 *
 * A node's axes are the best by area of the frame's, the principal ones, those turned about the thinnest of them, and
 * in small nodes each triangle's normal with each edge. Large nodes try them on a sample of their triangles; the box
 * itself is then that of all. Every node is split across one of its box's axes where the children's areas times
 * triangle counts are least: in bins, few items one by one.
 * Based on: Gottschalk, Lin, Manocha 1996; binned surface-area split (Wald 2007). */
#include "box_tree.h"

#include "hull_tree.h"
#include "simd.h"

#define BINS 16
#define FEW 8 /* so many items are parted one by one */
#define LEAST_EXTENT 0.2
/* From here on nodes are halved by count, so that depth stays below BRINK_HULL_TREE_DEPTH for 2^32 patches. */
#define BALANCED_DEPTH 47u
#define SAMPLE 64u     /* triangles on which axes are tried */
#define SMALL_NODE 12u /* up to here every triangle's normal and edges are tried as axes */
#define CLOUD_SLOTS 256u
/* A task is worth handing out from so many triangles on; large meshes are cut in about this many. */
#define TASK_TRIANGLES 2048u
#define TASKS 64u

/* ---- axes */

/* The rotation (columns x, y, z, orthonormal and right-handed) as three components of its quaternion beside the
 * largest, 20 bits each. */
static uint64_t PackTurn(brinkVec3 x, brinkVec3 y, brinkVec3 z) {
  double q[4]; /* x y z w, by the largest of the four squares */
  double squares[4] = {1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z, 1 + x.x + y.y + z.z};
  int largest = 0;
  for (int i = 1; i < 4; ++i)
    if (squares[i] > squares[largest]) largest = i;
  double xy = x.y + y.x, xz = x.z + z.x, yz = y.z + z.y, wx = y.z - z.y, wy = z.x - x.z, wz = x.y - y.x;
  const double rows[4][4] = {
      {squares[0], xy, xz, wx}, {xy, squares[1], yz, wy}, {xz, yz, squares[2], wz}, {wx, wy, wz, squares[3]}};
  memcpy(q, rows[largest], sizeof q);
  uint64_t turn = (uint64_t)largest << 60;
  for (int i = 0, at = 0; i < 4; ++i) {
    if (i == largest) continue;
    double share = BRINK_TURN_ONE * (q[i] / q[largest]);
    share = share > BRINK_TURN_ONE ? BRINK_TURN_ONE : share < -BRINK_TURN_ONE ? -BRINK_TURN_ONE : share;
    int32_t whole = (int32_t)(share < 0 ? share - 0.5 : share + 0.5);
    turn |= (uint64_t)((uint32_t)(whole + BRINK_TURN_ONE) & 0xfffffu) << (20 * at++);
  }
  return turn;
}

/* Some triangles of a node, for trying axes: what comes of it is a choice, not a bound, so floats will do. */
typedef struct Cloud {
  float corners[3][3][SAMPLE]; /* [corner][component][triangle], from the origin */
  float points[3][3 * SAMPLE]; /* [component] their vertices, once each */
  brinkVec3 origin;            /* the first vertex, in the tree frame */
  uint32_t triangles, count;
  uint32_t vertices[3 * SAMPLE];
  uint8_t slots[CLOUD_SLOTS]; /* by hash of the vertex: place in vertices + 1 */
} Cloud;

static brinkVec3 PointOf(const brinkBoxTree *tree, uint32_t vertex) {
  return brinkV3_FromArray(&tree->points[3 * (size_t)vertex]);
}

static void OpenCloud(Cloud *cloud) {
  cloud->triangles = cloud->count = 0;
  memset(cloud->slots, 0, sizeof cloud->slots);
}

static uint32_t AddPoint(const brinkBoxTree *tree, Cloud *cloud, uint32_t vertex) {
  uint32_t slot = (vertex * 0x9e3779b1u) >> 24;
  for (; cloud->slots[slot] != 0; slot = (slot + 1) % CLOUD_SLOTS)
    if (cloud->vertices[cloud->slots[slot] - 1] == vertex) return cloud->slots[slot] - 1u;
  const brinkVec3 point = PointOf(tree, vertex);
  const uint32_t i = cloud->count++;
  if (i == 0) cloud->origin = point;
  cloud->vertices[i] = vertex;
  cloud->slots[slot] = (uint8_t)(i + 1);
  cloud->points[0][i] = (float)(point.x - cloud->origin.x);
  cloud->points[1][i] = (float)(point.y - cloud->origin.y);
  cloud->points[2][i] = (float)(point.z - cloud->origin.z);
  return i;
}

static void AddTriangle(const brinkBoxTree *tree, Cloud *cloud, uint32_t triangle) {
  for (int k = 0; k < 3; ++k) {
    const uint32_t point = AddPoint(tree, cloud, tree->indices[3 * (size_t)triangle + (size_t)k]);
    for (int i = 0; i < 3; ++i) cloud->corners[k][i][cloud->triangles] = cloud->points[i][point];
  }
  ++cloud->triangles;
}

/* Fills up to whole eights, by triangles that are points. */
static void CloseCloud(Cloud *cloud) {
  for (uint32_t t = cloud->triangles; t % 8 != 0; ++t)
    for (int k = 0; k < 9; ++k) cloud->corners[k / 3][k % 3][t] = 0;
}

typedef struct Directions { /* eight at once */
  brinkF8 x, y, z;
} Directions;

/* What the cloud measures along each. */
static brinkF8 Extents(const Cloud *cloud, const Directions *d) {
  brinkF8 high = brinkF8_Set(0), low = high; /* the first point is the origin */
  for (uint32_t i = 1; i < cloud->count; ++i) {
    const brinkF8 p = brinkF8_Add(brinkF8_Add(brinkF8_Mul(brinkF8_Set(cloud->points[0][i]), d->x),
                                              brinkF8_Mul(brinkF8_Set(cloud->points[1][i]), d->y)),
                                  brinkF8_Mul(brinkF8_Set(cloud->points[2][i]), d->z));
    high = brinkF8_Max(p, high);
    low = brinkF8_Min(p, low);
  }
  return brinkF8_Sub(high, low);
}

static brinkF8 AreaOf(brinkF8 x, brinkF8 y, brinkF8 z) {
  return brinkF8_Add(brinkF8_Mul(x, brinkF8_Add(y, z)), brinkF8_Mul(y, z));
}

typedef struct Trial {
  brinkVec3 x, y, z;
  float area;
} Trial;

static bool IsBetter(float area, const Trial *best) {
  return area < best->area * (1 - 1e-6f);
} /* nearly: the earlier */

/* Eigenvectors of a symmetric matrix by Jacobi's rotations: the rows of *v, a right-handed frame. Which one has the
 * least eigenvalue? */
static int Principal(double s[3][3], brinkVec3 v[3]) {
  double rows[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < 8; ++sweep) {
    double off = fabs(s[0][1]) + fabs(s[0][2]) + fabs(s[1][2]);
    if (!(off > 1e-6 * (fabs(s[0][0]) + fabs(s[1][1]) + fabs(s[2][2])))) break;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (fabs(s[p][q]) < 1e-300) continue;
        double theta = (s[q][q] - s[p][p]) / (2 * s[p][q]);
        double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), sine = t * c;
        const int r = 3 - p - q; /* the third one */
        const double a = s[r][p], b = s[r][q], turned = t * s[p][q];
        s[p][p] -= turned;
        s[q][q] += turned;
        s[p][q] = s[q][p] = 0;
        s[r][p] = s[p][r] = c * a - sine * b;
        s[r][q] = s[q][r] = sine * a + c * b;
        for (int k = 0; k < 3; ++k) {
          double e = rows[p][k], f = rows[q][k];
          rows[p][k] = c * e - sine * f;
          rows[q][k] = sine * e + c * f;
        }
      }
  }
  v[0] = brinkNormalizeOr(brinkV3_FromArray(rows[0]), brinkV3(1, 0, 0));
  brinkVec3 y = brinkV3_FromArray(rows[1]);
  v[1] = brinkNormalizeOr(brinkMulAdd(y, -brinkDot(v[0], y), v[0]), brinkV3(0, 1, 0));
  v[2] = brinkCross(v[0], v[1]);
  return s[0][0] < s[1][1] ? (s[0][0] < s[2][2] ? 0 : 2) : (s[1][1] < s[2][2] ? 1 : 2);
}

static float Sum(brinkF8 a) {
  float lanes[8];
  brinkF8_Store(lanes, brinkF8_Add(a, brinkF8_SwapHalves(a)));
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* Area-weighted second moments of the triangles about their middle: of one it is its area / 12 times the sum of p p^T
 * over its corners plus 9 m m^T, m the mean of its corners. */
static int PrincipalAxes(const Cloud *cloud, brinkVec3 v[3]) {
  static const int pairs[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  const brinkF8 zero = brinkF8_Set(0);
  brinkF8 moments[6] = {zero, zero, zero, zero, zero, zero}, means[3] = {zero, zero, zero}, total = zero;
  for (uint32_t t = 0; t < cloud->triangles; t += 8) {
    brinkF8 p[3][3], sum[3], u[3], w[3];
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) p[k][i] = brinkF8_Load(&cloud->corners[k][i][t]);
      u[i] = brinkF8_Sub(p[1][i], p[0][i]);
      w[i] = brinkF8_Sub(p[2][i], p[0][i]);
      sum[i] = brinkF8_Add(p[0][i], brinkF8_Add(p[1][i], p[2][i]));
    }
    brinkF8 square = zero;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const brinkF8 n = brinkF8_Sub(brinkF8_Mul(u[j], w[k]), brinkF8_Mul(u[k], w[j]));
      square = brinkF8_Add(square, brinkF8_Mul(n, n));
    }
    const brinkF8 weight = brinkF8_Add(brinkF8_Sqrt(square), brinkF8_Set(1e-20f)); /* segments have axes, too */
    total = brinkF8_Add(total, weight);
    for (int i = 0; i < 3; ++i) means[i] = brinkF8_Add(means[i], brinkF8_Mul(weight, sum[i]));
    for (int m = 0; m < 6; ++m) {
      const int i = pairs[m][0], j = pairs[m][1];
      brinkF8 outer = brinkF8_Mul(sum[i], sum[j]);
      for (int k = 0; k < 3; ++k) outer = brinkF8_Add(outer, brinkF8_Mul(p[k][i], p[k][j]));
      moments[m] = brinkF8_Add(moments[m], brinkF8_Mul(weight, outer));
    }
  }
  const double area = (double)Sum(total), share = area > 0 ? 1 / area : 0;
  double s[3][3], mean[3];
  for (int i = 0; i < 3; ++i) mean[i] = (double)Sum(means[i]) * share / 3;
  for (int m = 0; m < 6; ++m) {
    const int i = pairs[m][0], j = pairs[m][1];
    s[i][j] = s[j][i] = (double)Sum(moments[m]) * share / 12 - mean[i] * mean[j];
  }
  return Principal(s, v);
}

static Directions Cross(const Directions *a, const Directions *b) {
  return (Directions){brinkF8_Sub(brinkF8_Mul(a->y, b->z), brinkF8_Mul(a->z, b->y)),
                      brinkF8_Sub(brinkF8_Mul(a->z, b->x), brinkF8_Mul(a->x, b->z)),
                      brinkF8_Sub(brinkF8_Mul(a->x, b->y), brinkF8_Mul(a->y, b->x))};
}

/* Unit vectors; NaN where there is no direction. */
static Directions Unit(const Directions *a) {
  const brinkF8 square =
      brinkF8_Add(brinkF8_Add(brinkF8_Mul(a->x, a->x), brinkF8_Mul(a->y, a->y)), brinkF8_Mul(a->z, a->z));
  const brinkF8 inverse = brinkF8_Div(brinkF8_Set(1), brinkF8_Sqrt(square));
  return (Directions){brinkF8_Mul(a->x, inverse), brinkF8_Mul(a->y, inverse), brinkF8_Mul(a->z, inverse)};
}

static Directions EdgeOf(const Cloud *cloud, uint32_t t, int from, int to) {
  brinkF8 d[3];
  for (int i = 0; i < 3; ++i)
    d[i] = brinkF8_Sub(brinkF8_Load(&cloud->corners[to][i][t]), brinkF8_Load(&cloud->corners[from][i][t]));
  return (Directions){d[0], d[1], d[2]};
}

static brinkVec3 Lane(const Directions *d, int lane) {
  float x[8], y[8], z[8];
  brinkF8_Store(x, d->x);
  brinkF8_Store(y, d->y);
  brinkF8_Store(z, d->z);
  return brinkV3((double)x[lane], (double)y[lane], (double)z[lane]);
}

/* Orthonormal to the last bit of a double; false: x or y is no direction. */
static bool Orthonormal(brinkVec3 x, brinkVec3 y, Trial *out) {
  const brinkVec3 zero = {0, 0, 0};
  out->x = brinkNormalizeOr(x, zero);
  out->y = brinkNormalizeOr(brinkMulAdd(y, -brinkDot(out->x, y), out->x), zero);
  out->z = brinkCross(out->x, out->y);
  return brinkDot(out->z, out->z) > 0.5;
}

/* Each triangle's normal with each of its edges; eight triangles at once. */
static void TryTriangles(const Cloud *cloud, Trial *best) {
  for (uint32_t t = 0; t < cloud->triangles; t += 8) {
    const Directions sides[2] = {EdgeOf(cloud, t, 0, 1), EdgeOf(cloud, t, 0, 2)};
    const Directions cross = Cross(&sides[0], &sides[1]), normal = Unit(&cross);
    const brinkF8 along = Extents(cloud, &normal);
    for (int k = 0; k < 3; ++k) {
      const Directions edge = EdgeOf(cloud, t, k, (k + 1) % 3), u = Unit(&edge), w = Cross(&normal, &u);
      float areas[8];
      brinkF8_Store(areas, AreaOf(along, Extents(cloud, &u), Extents(cloud, &w)));
      for (int lane = 0; lane < 8 && t + (uint32_t)lane < cloud->triangles; ++lane) {
        Trial trial;
        if (!IsBetter(areas[lane], best) || !Orthonormal(Lane(&normal, lane), Lane(&u, lane), &trial)) continue;
        trial.area = areas[lane];
        *best = trial;
      }
    }
  }
}

static void TryOne(const Cloud *cloud, brinkVec3 x, brinkVec3 y, brinkVec3 z, Trial *best) {
  float lanes[3][8] = {{(float)x.x, (float)y.x, (float)z.x},
                       {(float)x.y, (float)y.y, (float)z.y},
                       {(float)x.z, (float)y.z, (float)z.z}},
        e[8];
  const Directions d = {brinkF8_Load(lanes[0]), brinkF8_Load(lanes[1]), brinkF8_Load(lanes[2])};
  brinkF8_Store(e, Extents(cloud, &d));
  const float area = e[0] * (e[1] + e[2]) + e[1] * e[2];
  if (IsBetter(area, best)) *best = (Trial){x, y, z, area};
}

/* The frame's axes, the principal ones, those turned about the thinnest of them. */
static Trial TryWhole(const Cloud *cloud) {
  /* cos and sin of 15, 30, 45, 60, 75 degrees: constants, so that no C library has a say in the tree. */
  static const double cosines[5] = {0.96592582628906829, 0.86602540378443865, 0.70710678118654752, 0.5,
                                    0.25881904510252076};
  const brinkVec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
  Trial best = {.area = INFINITY, .x = x, .y = y, .z = z};
  if (cloud->triangles <= 2) {
    TryOne(cloud, x, y, z, &best);
    return best;
  }
  brinkVec3 v[3], all[16];
  const int thin = PrincipalAxes(cloud, v);
  const brinkVec3 n = v[thin], a = v[(thin + 1) % 3], b = v[(thin + 2) % 3];
  const brinkVec3 plain[6] = {x, y, z, n, a, b};
  memcpy(all, plain, sizeof plain);
  for (int step = 0; step < 5; ++step) {
    const double c = cosines[step], s = cosines[4 - step];
    all[6 + 2 * step] = brinkAdd(brinkScale(a, c), brinkScale(b, s));
    all[7 + 2 * step] = brinkSub(brinkScale(b, c), brinkScale(a, s));
  }
  float e[16];
  for (int half = 0; half < 16; half += 8) {
    float lanes[3][8];
    for (int i = 0; i < 8; ++i) {
      lanes[0][i] = (float)all[half + i].x;
      lanes[1][i] = (float)all[half + i].y;
      lanes[2][i] = (float)all[half + i].z;
    }
    const Directions d = {brinkF8_Load(lanes[0]), brinkF8_Load(lanes[1]), brinkF8_Load(lanes[2])};
    brinkF8_Store(&e[half], Extents(cloud, &d));
  }
  best.area = e[0] * (e[1] + e[2]) + e[1] * e[2];
  for (int i = 4; i < 16; i += 2) {
    const float area = e[3] * (e[i] + e[i + 1]) + e[i] * e[i + 1];
    if (IsBetter(area, &best)) best = (Trial){n, all[i], all[i + 1], area};
  }
  return best;
}

/* ---- items: patches, or the triangles of one */

typedef struct ItemBox { /* along the axes of the node at work: highest coordinates, and highest of their negatives */
  float high[4], low[4]; /* from some point of the node: only how it is split depends on them */
} ItemBox;

typedef struct WholeBox { /* the same, from the frame's origin */
  double high[4], low[4];
} WholeBox;

static const ItemBox emptyBox = {{-INFINITY, -INFINITY, -INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};

static inline void Grow(ItemBox *box, const ItemBox *other) {
  brinkF4_Store(box->high, brinkF4_Max(brinkF4_Load(other->high), brinkF4_Load(box->high)));
  brinkF4_Store(box->low, brinkF4_Max(brinkF4_Load(other->low), brinkF4_Load(box->low)));
}

static float BoxArea(const ItemBox *box) {
  float x = box->high[0] + box->low[0], y = box->high[1] + box->low[1], z = box->high[2] + box->low[2];
  return x * y + y * z + z * x;
}

typedef struct Range {
  brinkD4 high, low;
} Range;

static inline Range NoRange(void) { return (Range){brinkD4_Set(-INFINITY), brinkD4_Set(-INFINITY)}; }

typedef struct Columns { /* of the axes */
  brinkD4 x, y, z;
} Columns;

static inline Columns ColumnsOf(const brinkMat3 *axes) {
  const double columns[3][4] = {{axes->m[0][0], axes->m[0][1], axes->m[0][2], 0},
                                {axes->m[1][0], axes->m[1][1], axes->m[1][2], 0},
                                {axes->m[2][0], axes->m[2][1], axes->m[2][2], 0}};
  return (Columns){brinkD4_Load(columns[0]), brinkD4_Load(columns[1]), brinkD4_Load(columns[2])};
}

static inline brinkD4 Along(const brinkBoxTree *tree, uint32_t vertex, const Columns *columns) {
  const double *v = &tree->points[3 * (size_t)vertex];
  return brinkD4_Add(
      brinkD4_Add(brinkD4_Mul(brinkD4_Set(v[0]), columns->x), brinkD4_Mul(brinkD4_Set(v[1]), columns->y)),
      brinkD4_Mul(brinkD4_Set(v[2]), columns->z));
}

static inline Range RangeOf(const brinkBoxTree *tree, const uint32_t *vertices, uint32_t count,
                            const Columns *columns) {
  const brinkD4 zero = brinkD4_Set(0);
  Range range = NoRange();
  for (uint32_t i = 0; i < count; ++i) {
    const brinkD4 p = Along(tree, vertices[i], columns);
    range.high = brinkD4_Max(p, range.high);
    range.low = brinkD4_Max(brinkD4_Sub(zero, p), range.low);
  }
  return range;
}

static void SetBox(brinkBoxNode *node, const brinkMat3 *axes, const WholeBox *box) {
  double middle[3], half[3];
  for (int k = 0; k < 3; ++k) {
    middle[k] = 0.5 * (box->high[k] - box->low[k]);
    half[k] = 0.5 * (box->high[k] + box->low[k]);
  }
  node->fitted = true;
  node->half = brinkV3_FromArray(half);
  node->center = brinkMulMV(axes, brinkV3_FromArray(middle));
}

/* Box of some vertices along the node's axes. */
static void FitBox(const brinkBoxTree *tree, const uint32_t *vertices, uint32_t count, brinkBoxNode *node) {
  const brinkMat3 axes = brinkTurn_Axes(node->turn);
  const Columns columns = ColumnsOf(&axes);
  const Range range = RangeOf(tree, vertices, count, &columns);
  WholeBox box;
  brinkD4_Store(box.high, range.high);
  brinkD4_Store(box.low, range.low);
  SetBox(node, &axes, &box);
}

typedef struct Cut {
  float cost;
  int axis;
  uint32_t bin; /* the last one on the left */
} Cut;

/* Best cut between bins across one axis; keeps *best when that is no worse. */
static void TryCut(const ItemBox *bins, const uint32_t *sums, uint32_t binCount, int axis, Cut *best) {
  ItemBox side = emptyBox;
  uint32_t sum = 0;
  float rightCost[BINS];
  for (uint32_t b = binCount - 1; b > 0; --b) {
    if (sums[b]) Grow(&side, &bins[b]);
    sum += sums[b];
    rightCost[b] = sum ? BoxArea(&side) * (float)sum : INFINITY;
  }
  side = emptyBox;
  sum = 0;
  for (uint32_t b = 0; b + 1 < binCount; ++b) {
    if (!sums[b]) continue;
    Grow(&side, &bins[b]);
    sum += sums[b];
    const Cut trial = {BoxArea(&side) * (float)sum + rightCost[b + 1], axis, b};
    if (trial.cost < best->cost) *best = trial;
  }
}

static uint32_t BinOf(float share) { return share <= 0 ? 0 : share >= BINS - 1 ? BINS - 1 : (uint32_t)share; }

/* Few items: each is a bin. places[i]: which one. */
static void SortItems(const ItemBox *boxes, const uint32_t *weights, uint32_t count, int axis, ItemBox *bins,
                      uint32_t *sums, uint8_t *places) {
  float middles[BINS];
  for (uint32_t i = 0; i < count; ++i) {
    middles[i] = boxes[i].high[axis] - boxes[i].low[axis];
    places[i] = 0;
    for (uint32_t k = 0; k < i; ++k) {
      const bool after = middles[i] >= middles[k];
      places[i] = (uint8_t)(places[i] + after);
      places[k] = (uint8_t)(places[k] + !after);
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    bins[places[i]] = boxes[i];
    sums[places[i]] = weights ? weights[i] : 1;
  }
}

/* Which items go left (sides[i] = 0)? How many do, 0 when nothing parts them. weights NULL: 1 each. */
static uint32_t ChooseSides(const ItemBox *boxes, const uint32_t *weights, uint32_t count, brinkVec3 half,
                            uint8_t *sides) {
  const double extent[3] = {half.x, half.y, half.z};
  double longest = extent[0] > extent[1] ? extent[0] : extent[1];
  longest = extent[2] > longest ? extent[2] : longest;
  float low[4], high[4], perUnit[4] = {0, 0, 0, 0};
  brinkF4 highest = brinkF4_Load(emptyBox.high), lowest = highest;
  for (uint32_t i = 0; i < count; ++i) { /* twice the middles */
    const brinkF4 h = brinkF4_Load(boxes[i].high), l = brinkF4_Load(boxes[i].low);
    highest = brinkF4_Max(brinkF4_Sub(h, l), highest);
    lowest = brinkF4_Max(brinkF4_Sub(l, h), lowest);
  }
  brinkF4_Store(high, highest);
  brinkF4_Store(low, lowest);
  const bool few = count <= FEW;
  ItemBox bins[3][BINS];
  uint32_t sums[3][BINS];
  uint8_t places[3][FEW];
  bool open[3];
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = -low[axis];
    open[axis] = extent[axis] >= LEAST_EXTENT * longest && high[axis] > low[axis];
    if (!open[axis]) continue;
    perUnit[axis] = BINS / (high[axis] - low[axis]);
    open[axis] = isfinite(perUnit[axis]);
    if (few) SortItems(boxes, weights, count, axis, bins[axis], sums[axis], places[axis]);
    for (int b = 0; !few && b < BINS; ++b) {
      bins[axis][b] = emptyBox;
      sums[axis][b] = 0;
    }
  }
  low[3] = 0;
  const brinkF4 start = brinkF4_Load(low), share = brinkF4_Load(perUnit);
  for (uint32_t i = 0; !few && i < count; ++i) {
    float bin[4];
    const brinkF4 middle = brinkF4_Sub(brinkF4_Load(boxes[i].high), brinkF4_Load(boxes[i].low));
    brinkF4_Store(bin, brinkF4_Mul(brinkF4_Sub(middle, start), share));
    for (int axis = 0; axis < 3; ++axis) {
      if (!open[axis]) continue;
      const uint32_t b = BinOf(bin[axis]);
      Grow(&bins[axis][b], &boxes[i]);
      sums[axis][b] += weights ? weights[i] : 1;
    }
  }
  Cut best = {.cost = INFINITY, .axis = -1};
  for (int axis = 0; axis < 3; ++axis)
    if (open[axis]) TryCut(bins[axis], sums[axis], few ? count : BINS, axis, &best);
  if (best.axis < 0) return 0;
  const int axis = best.axis;
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const float middle = boxes[i].high[axis] - boxes[i].low[axis];
    sides[i] = (few ? places[axis][i] : BinOf((middle - low[axis]) * perUnit[axis])) > best.bin;
    left += !sides[i];
  }
  return left;
}

/* ---- few triangles */

static bool IsLeaf(const brinkBoxNode *node) { return node->count <= BRINK_OBB_LEAF_TRIANGLES || node->right == 0; }

static void SetTurn(brinkBoxNode *node, const Trial *best) { node->turn = PackTurn(best->x, best->y, best->z); }

/* Two triangles with a common edge make a tetrahedron, which is thinnest across a face or across two opposite edges.
 * Those pairs of edges, as triangles from the origin, for TryTriangles: the plane of one of two triangles that are bent
 * leaves twice to four times too much, and triangles are asked one by one behind the boxes of leaves. */
static void AddOpposites(Cloud *cloud) {
  static const int others[3][2] = {{2, 3}, {1, 3}, {1, 2}};
  for (int k = 0; k < 3; ++k, ++cloud->triangles)
    for (int i = 0; i < 3; ++i) {
      const float *p = cloud->points[i];
      cloud->corners[0][i][cloud->triangles] = 0;
      cloud->corners[1][i][cloud->triangles] = p[k + 1] - p[0];
      cloud->corners[2][i][cloud->triangles] = p[others[k][1]] - p[others[k][0]];
    }
}

/* The tightest box of a node of few triangles. */
static void Tighten(const brinkBoxTree *tree, Cloud *cloud, brinkBoxNode *node) {
  const uint32_t *order = &tree->order[node->first];
  OpenCloud(cloud);
  for (uint32_t i = 0; i < node->count; ++i) AddTriangle(tree, cloud, order[i]);
  CloseCloud(cloud);
  Trial best = {.area = INFINITY};
  if (IsLeaf(node)) {
    best = TryWhole(cloud);
    if (tree->bare && cloud->triangles == 2 && cloud->count == 4) AddOpposites(cloud);
  } else { /* it has axes, by which it was split */
    const brinkMat3 m = brinkTurn_Axes(node->turn);
    TryOne(cloud, brinkV3(m.m[0][0], m.m[1][0], m.m[2][0]), brinkV3(m.m[0][1], m.m[1][1], m.m[2][1]),
           brinkV3(m.m[0][2], m.m[1][2], m.m[2][2]), &best);
  }
  TryTriangles(cloud, &best);
  SetTurn(node, &best);
  FitBox(tree, cloud->vertices, cloud->count, node);
}

/* Nodes below one of few triangles are split along its axes: most of them are folded away in the wide tree. boxes: of
 * the triangles order[first, first + count) along them. */
static void BuildTriangles(brinkBoxTree *tree, Cloud *cloud, uint32_t index, uint32_t first, uint32_t count,
                           const ItemBox *boxes, uint64_t turn) {
  brinkBoxNode *node = &tree->nodes[index];
  uint32_t *order = &tree->order[first];
  *node = (brinkBoxNode){.first = first, .count = count, .turn = turn, .leaves = 1};
  if (count <= BRINK_OBB_LEAF_TRIANGLES) {
    Tighten(tree, cloud, node);
    return;
  }
  ItemBox whole = emptyBox, heldBoxes[BRINK_PATCH_TRIANGLES];
  for (uint32_t i = 0; i < count; ++i) Grow(&whole, &boxes[i]);
  node->half = brinkV3(0.5 * (double)(whole.high[0] + whole.low[0]), 0.5 * (double)(whole.high[1] + whole.low[1]),
                       0.5 * (double)(whole.high[2] + whole.low[2]));
  uint8_t sides[BRINK_PATCH_TRIANGLES];
  uint32_t left = ChooseSides(boxes, NULL, count, node->half, sides), held[BRINK_PATCH_TRIANGLES];
  if (left == 0 || left == count) { /* coincident: any half will do */
    left = count / 2;
    for (uint32_t i = 0; i < count; ++i) sides[i] = i >= left;
  }
  for (uint32_t i = 0, l = 0, r = left; i < count; ++i) {
    const uint32_t place = sides[i] ? r++ : l++;
    held[place] = order[i];
    heldBoxes[place] = boxes[i];
  }
  memcpy(order, held, count * sizeof *held);
  node->right = index + 2 * left;
  BuildTriangles(tree, cloud, index + 1, first, left, heldBoxes, turn);
  BuildTriangles(tree, cloud, node->right, first + left, count - left, heldBoxes + left, turn);
  node->leaves = tree->nodes[index + 1].leaves + tree->nodes[node->right].leaves;
}

/* ---- patches */

static uint32_t PatchSize(const brinkBoxTree *tree, uint32_t patch) {
  return tree->surface->patchStart[patch + 1] - tree->surface->patchStart[patch];
}

/* Some triangles of the node's patches, evenly taken. */
static void Sample(const brinkBoxTree *tree, const uint32_t *patches, uint32_t patchCount, uint32_t triangleCount,
                   Cloud *cloud) {
  const brinkSurface *surface = tree->surface;
  OpenCloud(cloud);
  if (triangleCount <= SAMPLE) {
    for (uint32_t i = 0; i < patchCount; ++i)
      for (uint32_t t = surface->patchStart[patches[i]]; t < surface->patchStart[patches[i] + 1]; ++t)
        AddTriangle(tree, cloud, surface->patchTriangles[t]);
  } else {
    for (uint32_t taken = 0; taken < SAMPLE; ++taken) {
      uint32_t patch = patches[(uint64_t)taken * patchCount / SAMPLE];
      AddTriangle(tree, cloud, surface->patchTriangles[surface->patchStart[patch] + taken % PatchSize(tree, patch)]);
    }
  }
  CloseCloud(cloud);
}

/* Boxes of the patches and of the node along its axes. */
static void ProjectPatches(const brinkBoxTree *tree, const uint32_t *patches, uint32_t patchCount, brinkBoxNode *node,
                           ItemBox *boxes) {
  const brinkMat3 axes = brinkTurn_Axes(node->turn);
  const Columns columns = ColumnsOf(&axes);
  const brinkD4 from = Along(tree, tree->corners[tree->cornerStart[patches[0]]], &columns);
  Range whole = NoRange();
  for (uint32_t i = 0; i < patchCount; ++i) {
    const uint32_t first = tree->cornerStart[patches[i]];
    const Range range = RangeOf(tree, &tree->corners[first], tree->cornerStart[patches[i] + 1] - first, &columns);
    whole.high = brinkD4_Max(range.high, whole.high);
    whole.low = brinkD4_Max(range.low, whole.low);
    brinkF4_Store(boxes[i].high, brinkF4_FromDoubles(brinkD4_Sub(range.high, from)));
    brinkF4_Store(boxes[i].low, brinkF4_FromDoubles(brinkD4_Add(range.low, from)));
  }
  WholeBox box;
  brinkD4_Store(box.high, whole.high);
  brinkD4_Store(box.low, whole.low);
  SetBox(node, &axes, &box);
}

/* Lanes of the wide tree are leaves and the tops of what fills one wide node: those are worth the tightest box. */
static void TightenTop(const brinkBoxTree *tree, Cloud *cloud, brinkBoxNode *node) {
  if (node->leaves <= BRINK_OBB_WIDTH && !IsLeaf(node)) Tighten(tree, cloud, node);
}

/* first: of the node's triangles. Recursion is no deeper than BRINK_HULL_TREE_DEPTH. */
static brinkStatus BuildPatches(brinkBoxTree *tree, Cloud *cloud, uint32_t index, uint32_t firstPatch,
                                uint32_t patchCount, uint32_t first, uint32_t depth, bool top) {
  uint32_t *patches = &tree->patchOrder[firstPatch], count = 0;
  const brinkSurface *surface = tree->surface;
  for (uint32_t i = 0; i < patchCount; ++i) count += PatchSize(tree, patches[i]);
  if (top && count <= tree->taskTriangles) {
    brinkBoxTask task = {index, firstPatch, patchCount, depth};
    void *block = tree->tasks;
    brinkStatus status =
        brinkReserve(tree->context, &block, &tree->taskCapacity, tree->taskCount + 1, sizeof *tree->tasks);
    tree->tasks = block;
    tree->nodes[index].first = first;
    if (status == brink_ok) tree->tasks[tree->taskCount++] = task;
    return status;
  }
  brinkBoxNode *node = &tree->nodes[index];
  *node = (brinkBoxNode){.first = first, .count = count, .patches = tree->bare ? 0 : patchCount};
  if (patchCount == 1) {
    memcpy(&tree->order[first], &surface->patchTriangles[surface->patchStart[patches[0]]], count * sizeof(uint32_t));
    node->leaves = 1;
    Tighten(tree, cloud, node);
    return brink_ok;
  }
  Sample(tree, patches, patchCount, count, cloud);
  Trial best = TryWhole(cloud);
  if (!tree->bare && count <= SMALL_NODE) TryTriangles(cloud, &best);
  SetTurn(node, &best);
  ItemBox *boxes = (ItemBox *)tree->boxes + firstPatch;
  uint32_t *weights = &tree->patchScratch[firstPatch];
  ProjectPatches(tree, patches, patchCount, node, boxes);
  if (tree->bare && count <= BRINK_PATCH_TRIANGLES) {
    memcpy(&tree->order[first], patches, count * sizeof(uint32_t));
    BuildTriangles(tree, cloud, index, first, count, boxes, node->turn);
    return brink_ok;
  }
  for (uint32_t i = 0; i < patchCount; ++i) weights[i] = PatchSize(tree, patches[i]);
  uint8_t *sides = &tree->sides[firstPatch];
  uint32_t left = depth < BALANCED_DEPTH ? ChooseSides(boxes, weights, patchCount, node->half, sides) : 0;
  if (left == 0 || left == patchCount) {
    left = patchCount / 2;
  } else { /* left ones first, both sides in their old order */
    uint32_t *held = &tree->patchScratch[firstPatch];
    for (uint32_t i = 0, l = 0, r = left; i < patchCount; ++i) held[sides[i] ? r++ : l++] = patches[i];
    memcpy(patches, held, patchCount * sizeof *held);
  }
  uint32_t leftTriangles = 0;
  for (uint32_t i = 0; i < left; ++i) leftTriangles += PatchSize(tree, patches[i]);
  node->right = index + 2 * leftTriangles;
  brinkStatus status = BuildPatches(tree, cloud, index + 1, firstPatch, left, first, depth + 1, top);
  if (status == brink_ok)
    status = BuildPatches(tree, cloud, node->right, firstPatch + left, patchCount - left, first + leftTriangles,
                          depth + 1, top);
  if (status != brink_ok || top || !tree->bare) return status;
  node->leaves = tree->nodes[index + 1].leaves + tree->nodes[node->right].leaves;
  if (node->leaves > BRINK_OBB_WIDTH) {
    TightenTop(tree, cloud, &tree->nodes[index + 1]);
    TightenTop(tree, cloud, &tree->nodes[node->right]);
  }
  return status;
}

void brinkBuildBoxTask(brinkBoxTree *tree, const brinkBoxTask *task) {
  Cloud cloud;
  BuildPatches(tree, &cloud, task->node, task->firstPatch, task->patchCount, tree->nodes[task->node].first, task->depth,
               false);
  if (tree->bare) TightenTop(tree, &cloud, &tree->nodes[task->node]);
}

/* ---- the frame, and memory */

static void MakeFrame(brinkBoxTree *tree, const double *vertices) {
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, middle[3];
  for (size_t i = 0; i < 3 * (size_t)tree->triangleCount; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = vertices[3 * (size_t)tree->indices[i] + (size_t)k];
      lower[k] = x < lower[k] ? x : lower[k];
      upper[k] = x > upper[k] ? x : upper[k];
    }
  for (int k = 0; k < 3; ++k) {
    tree->scale = fmax(tree->scale, upper[k] - lower[k]);
    middle[k] = 0.5 * lower[k] + 0.5 * upper[k];
  }
  tree->origin = brinkV3_FromArray(middle);
  int exponent = 0;
  if (tree->scale > 0) frexp(tree->scale, &exponent);
  tree->unit = ldexp(1.0, exponent < -1000 ? -1000 : exponent);
  double inverse = 1.0 / tree->unit;
  for (size_t v = 0; v < tree->vertexCount; ++v) { /* what no triangle uses may be anything */
    brinkVec3 p = brinkScale(brinkSub(brinkV3_FromArray(&vertices[3 * v]), tree->origin), inverse);
    tree->points[3 * v] = p.x;
    tree->points[3 * v + 1] = p.y;
    tree->points[3 * v + 2] = p.z;
  }
}

/* Each patch's vertices once. */
static void ListCorners(brinkBoxTree *tree) {
  const brinkSurface *surface = tree->surface;
  uint32_t written = 0;
  for (uint32_t patch = 0; patch < tree->patchCount; ++patch) {
    uint32_t start = tree->cornerStart[patch] = written;
    for (uint32_t t = surface->patchStart[patch]; t < surface->patchStart[patch + 1]; ++t)
      for (int k = 0; k < 3; ++k) {
        uint32_t vertex = tree->indices[3 * (size_t)surface->patchTriangles[t] + (size_t)k], i = start;
        while (i < written && tree->corners[i] != vertex) ++i;
        if (i == written) tree->corners[written++] = vertex;
      }
  }
  tree->cornerStart[tree->patchCount] = written;
}

brinkStatus brinkStartBoxTree(brinkContext *context, const double *vertices, uint32_t vertexCount,
                              const uint32_t *indices, uint32_t triangleCount, const brinkSurface *surface,
                              brinkBoxTree *out) {
  *out = (brinkBoxTree){.context = context,
                        .indices = indices,
                        .surface = surface,
                        .vertexCount = vertexCount,
                        .triangleCount = triangleCount,
                        .patchCount = surface->patchCount};
  size_t patches = surface->patchCount;
  out->points = brinkAllocate(context, 3 * (size_t)vertexCount * sizeof(double));
  out->order = brinkAllocate(context, triangleCount * sizeof(uint32_t));
  out->nodes = brinkAllocate(context, (2 * (size_t)triangleCount - 1) * sizeof(brinkBoxNode));
  out->patchOrder = brinkAllocate(context, patches * sizeof(uint32_t));
  out->patchScratch = brinkAllocate(context, patches * sizeof(uint32_t));
  out->cornerStart = brinkAllocate(context, (patches + 1) * sizeof(uint32_t));
  out->corners = brinkAllocate(context, 3 * (size_t)triangleCount * sizeof(uint32_t));
  out->boxes = brinkAllocate(context, patches * sizeof(ItemBox));
  out->sides = brinkAllocate(context, patches);
  brinkStatus status = brink_ok;
  if (!out->points || !out->order || !out->nodes || !out->patchOrder || !out->patchScratch || !out->cornerStart ||
      !out->corners || !out->boxes || !out->sides) {
    status = brinkFail(context, brink_errorNoMemory, "no memory for the boxes of %u triangles", triangleCount);
  } else {
    MakeFrame(out, vertices);
    ListCorners(out);
    for (uint32_t i = 0; i < patches; ++i) out->patchOrder[i] = i;
    out->taskTriangles = BRINK_MAX(TASK_TRIANGLES, triangleCount / TASKS);
    Cloud cloud;
    status = BuildPatches(out, &cloud, 0, 0, (uint32_t)patches, 0, 0, true);
  }
  if (status != brink_ok) brinkFreeBoxTree(out);
  return status;
}

void brinkFreeBoxTree(brinkBoxTree *tree) {
  brinkContext *context = tree->context;
  size_t patches = tree->patchCount, triangles = tree->triangleCount;
  brinkRelease(context, tree->points, 3 * (size_t)tree->vertexCount * sizeof(double));
  brinkRelease(context, tree->order, triangles * sizeof(uint32_t));
  brinkRelease(context, tree->nodes, (2 * triangles - 1) * sizeof(brinkBoxNode));
  brinkRelease(context, tree->patchOrder, patches * sizeof(uint32_t));
  brinkRelease(context, tree->patchScratch, patches * sizeof(uint32_t));
  brinkRelease(context, tree->cornerStart, (patches + 1) * sizeof(uint32_t));
  brinkRelease(context, tree->corners, 3 * triangles * sizeof(uint32_t));
  brinkRelease(context, tree->boxes, patches * sizeof(ItemBox));
  brinkRelease(context, tree->sides, patches);
  brinkRelease(context, tree->tasks, tree->taskCapacity * sizeof *tree->tasks);
  *tree = (brinkBoxTree){.context = context};
}

/* ---- eight wide */

bool brinkBoxTree_FitsFloat(const brinkBoxTree *tree) {
  return tree->scale < 1e9 && (tree->scale == 0 || tree->scale >= 1e-9);
}

static double Area(brinkVec3 half) { return half.x * half.y + half.y * half.z + half.z * half.x; }

static double DoubtOf(const brinkBoxTree *tree) { return 2 * DBL_EPSILON * tree->scale; }

static brinkObbBox BoxOf(const brinkBoxTree *tree, const brinkBoxNode *node) {
  brinkMat3 columns = brinkTurn_Axes(node->turn), rows = brinkTranspose(&columns);
  return brinkMakeObbBox(brinkScale(node->center, tree->unit), &rows, brinkScale(node->half, tree->unit), tree->scale,
                         DoubtOf(tree));
}

static int32_t LeafCode(const brinkBoxNode *node) { return ~(int32_t)(node->first * 2 + node->count - 1); }

static void SetLane(brinkObbNode *node, int lane, const brinkObbBox *box) {
  for (int k = 0; k < 3; ++k) {
    node->center[k][lane] = box->center[k];
    node->half[k][lane] = box->half[k];
    for (int j = 0; j < 3; ++j) node->axes[k][j][lane] = box->axes[k][j];
  }
  node->radius[lane] = box->radius;
  node->child[lane] = box->child;
}

static void ClearLane(brinkObbNode *node, int lane) {
  brinkObbBox nothing = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {-1e18f, -1e18f, -1e18f}, 0, BRINK_OBB_EMPTY};
  SetLane(node, lane, &nothing);
}

static uint32_t CountLeaves(brinkBoxTree *tree, uint32_t index) {
  brinkBoxNode *node = &tree->nodes[index];
  node->leaves = IsLeaf(node) ? 1 : CountLeaves(tree, index + 1) + CountLeaves(tree, node->right);
  return node->leaves;
}

/* Opens the widest binary nodes below `top` until eight lanes are full. Nodes whose leaves fill one wide node are left
 * whole, for most wide nodes are such ones and half empty otherwise; but what fits the lanes left over, smallest first,
 * saves a node. */
static int ChooseLanes(const brinkBoxTree *tree, uint32_t top, uint32_t lanes[BRINK_OBB_WIDTH]) {
  int count = 1;
  lanes[0] = top;
  for (bool whole = tree->nodes[top].leaves > BRINK_OBB_WIDTH; count < BRINK_OBB_WIDTH;) {
    int chosen = -1;
    double widest = -1;
    for (int k = 0; k < count; ++k) {
      const brinkBoxNode *candidate = &tree->nodes[lanes[k]];
      bool fits = candidate->leaves <= BRINK_OBB_WIDTH;
      if (IsLeaf(candidate) || fits == whole) continue;
      double width = whole ? Area(candidate->half) : -(double)candidate->leaves;
      if (!whole && (int)candidate->leaves > BRINK_OBB_WIDTH + 1 - count) continue;
      if (chosen >= 0 && width <= widest) continue;
      widest = width;
      chosen = k;
    }
    if (chosen < 0 && !whole) break;
    if (chosen < 0) {
      whole = false;
      continue;
    }
    uint32_t opened = lanes[chosen];
    lanes[chosen] = opened + 1;
    lanes[count++] = tree->nodes[opened].right;
  }
  return count;
}

/* `pending[i]` = binary node whose children fill wide node i. */
static brinkStatus FoldWide(const brinkBoxTree *tree, brinkObbTree *out) {
  brinkContext *context = tree->context;
  size_t pendingCapacity = 0, nodeCapacity = 0;
  uint32_t *pending = NULL;
  out->root = BoxOf(tree, &tree->nodes[0]);
  if (IsLeaf(&tree->nodes[0])) {
    out->root.child = LeafCode(&tree->nodes[0]);
    return brink_ok;
  }
  out->root.child = 0;
  brinkStatus status = brinkReserve(context, (void **)&pending, &pendingCapacity, 1, sizeof *pending);
  if (status == brink_ok) {
    pending[0] = 0;
    out->nodeCount = 1;
  }
  for (uint32_t i = 0; status == brink_ok && i < out->nodeCount; ++i) {
    void *block = out->nodes;
    status = brinkReserve(context, &block, &nodeCapacity, out->nodeCount, sizeof(brinkObbNode));
    out->nodes = block;
    out->nodeBytes = nodeCapacity * sizeof(brinkObbNode);
    if (status != brink_ok) break;
    uint32_t lanes[BRINK_OBB_WIDTH];
    int laneCount = ChooseLanes(tree, pending[i], lanes);
    brinkObbNode *node = &out->nodes[i];
    for (int lane = 0; lane < BRINK_OBB_WIDTH; ++lane) ClearLane(node, lane);
    for (int lane = 0; status == brink_ok && lane < laneCount; ++lane) {
      const brinkBoxNode *source = &tree->nodes[lanes[lane]];
      BRINK_ASSERT(source->fitted);
      brinkObbBox box = BoxOf(tree, source);
      if (IsLeaf(source)) {
        box.child = LeafCode(source);
      } else {
        block = pending;
        status = brinkReserve(context, &block, &pendingCapacity, (size_t)out->nodeCount + 1, sizeof *pending);
        pending = block;
        if (status != brink_ok) break;
        pending[out->nodeCount] = lanes[lane];
        box.child = (int32_t)out->nodeCount++;
      }
      SetLane(node, lane, &box);
    }
  }
  brinkRelease(context, pending, pendingCapacity * sizeof *pending);
  return status;
}

/* Largest distance of a box's centre from the origin. */
static float ScaleOf(const brinkObbTree *tree) {
  double square = 0;
  for (int64_t i = -1; i < (int64_t)tree->nodeCount * BRINK_OBB_WIDTH; ++i) {
    brinkObbBox box;
    brinkObbTree_Box(tree, (int32_t)i, &box);
    if (i >= 0 && box.child == BRINK_OBB_EMPTY) continue;
    double x = (double)box.center[0], y = (double)box.center[1], z = (double)box.center[2];
    square = fmax(square, x * x + y * y + z * z);
  }
  return brinkUpFloat(sqrt(square) * (1 + 1e-9));
}

/* Middle of the smallest ball about a triangle, in doubles. */
static brinkVec3 BallCenter(const brinkVec3 p[3]) {
  int longest = 0;
  double squares[3];
  for (int k = 0; k < 3; ++k) {
    squares[k] = brinkLengthSquared(brinkSub(p[(k + 1) % 3], p[k]));
    if (squares[k] > squares[longest]) longest = k;
  }
  brinkVec3 a = p[longest], b = brinkSub(p[(longest + 1) % 3], a), c = brinkSub(p[(longest + 2) % 3], a);
  brinkVec3 n = brinkCross(b, c);
  double square = brinkLengthSquared(n), bb = squares[longest], cc = brinkLengthSquared(c);
  double others = squares[(longest + 1) % 3] + squares[(longest + 2) % 3];
  brinkVec3 middle = brinkMulAdd(a, 0.5, b);
  if (bb >= others || !(square > 1e-12 * bb * bb)) return middle;
  brinkVec3 away = brinkSub(brinkScale(brinkCross(c, n), -bb), brinkScale(brinkCross(n, b), cc));
  brinkVec3 round = brinkMulAdd(a, -0.5 / square, away);
  return brinkFiniteV3(round) ? round : middle;
}

static void FillTriangle(const brinkBoxTree *tree, bool fits, uint32_t id, brinkObbTriangle *out) {
  brinkVec3 p[3];
  memset(out, 0, sizeof *out);
  for (int k = 0; k < 3; ++k) {
    p[k] = brinkScale(PointOf(tree, tree->indices[3 * (size_t)id + (size_t)k]), tree->unit);
    double c[3] = {p[k].x, p[k].y, p[k].z};
    memcpy(out->vertices[k], c, sizeof c);
  }
  out->slot = id;
  if (!fits) return;
  brinkVec3 center = BallCenter(p);
  out->center[0] = (float)center.x;
  out->center[1] = (float)center.y;
  out->center[2] = (float)center.z;
  brinkVec3 rounded = brinkV3((double)out->center[0], (double)out->center[1], (double)out->center[2]);
  double radius = 0;
  for (int k = 0; k < 3; ++k) radius = fmax(radius, brinkDistance(p[k], rounded));
  out->radius = brinkUpFloat(radius * (1 + 1e-7) + DoubtOf(tree));
}

brinkStatus brinkMakeWideTree(brinkBoxTree *tree, brinkObbTree *out) {
  bool fits = brinkBoxTree_FitsFloat(tree);
  *out = (brinkObbTree){.triangleCount = tree->triangleCount, .origin = tree->origin};
  out->triangleBytes = tree->triangleCount * sizeof(brinkObbTriangle);
  out->triangles = brinkAllocate(tree->context, out->triangleBytes);
  brinkStatus status = out->triangles ? brink_ok
                                      : brinkFail(tree->context, brink_errorNoMemory,
                                                  "no memory for the boxes of %u triangles", tree->triangleCount);
  for (uint32_t i = 0; status == brink_ok && i < tree->triangleCount; ++i)
    FillTriangle(tree, fits, tree->order[i], &out->triangles[i]);
  if (status == brink_ok && fits) {
    CountLeaves(tree, 0);
    status = FoldWide(tree, out);
  }
  if (status == brink_ok && fits) out->scale = ScaleOf(out);
  if (status != brink_ok) brinkFreeObbTree(tree->context, out);
  return status;
}

brinkStatus brinkMakeObbTree(brinkContext *context, const double *vertices, size_t vertexCount, const uint32_t *indices,
                             size_t triangleCount, brinkObbTree *out) {
  *out = (brinkObbTree){0};
  if (triangleCount == 0) return brinkFail(context, brink_errorEmpty, "box tree: a mesh without triangles");
  if (triangleCount > (size_t)1 << 29 || vertexCount > UINT32_MAX)
    return brinkFail(context, brink_errorRange, "box tree: more than 2^29 triangles");
  size_t bytes = (triangleCount + 1) * sizeof(uint32_t);
  uint32_t *ids = brinkAllocate(context, bytes);
  if (!ids) return brinkFail(context, brink_errorNoMemory, "box tree: out of memory for %zu triangles", triangleCount);
  for (uint32_t i = 0; i <= triangleCount; ++i) ids[i] = i;
  const brinkSurface surface = {.patchStart = ids, .patchTriangles = ids, .patchCount = (uint32_t)triangleCount};
  brinkBoxTree tree;
  brinkStatus status =
      brinkStartBoxTree(context, vertices, (uint32_t)vertexCount, indices, (uint32_t)triangleCount, &surface, &tree);
  if (status == brink_ok) {
    tree.bare = true;
    if (!brinkBoxTree_FitsFloat(&tree)) {
      status =
          brinkFail(context, brink_errorRange, "box tree: a mesh of size %g does not fit single precision", tree.scale);
    } else {
      for (size_t i = 0; i < tree.taskCount; ++i) brinkBuildBoxTask(&tree, &tree.tasks[i]);
      status = brinkMakeWideTree(&tree, out);
    }
    brinkFreeBoxTree(&tree);
  }
  brinkRelease(context, ids, bytes);
  return status;
}

void brinkFreeObbTree(brinkContext *context, brinkObbTree *tree) {
  brinkRelease(context, tree->nodes, tree->nodeBytes);
  brinkRelease(context, tree->triangles, tree->triangleBytes);
  *tree = (brinkObbTree){0};
}
