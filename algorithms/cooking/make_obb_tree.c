/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the wide tree of oriented boxes. See obb_tree.h for what it promises; symbols: area = half the surface of a
 * box with half extents h, that is hx hy + hy hz + hz hx; m. */
#include "make_obb_tree.h"

#define BIN_COUNT 32
#define SMALL_NODE 12u /* up to here every triangle's normal and edges are tried as axes */

typedef struct BinaryNode {
  brinkVec3 center, half;
  brinkMat3 axes; /* rows: the axes (transposed brinkObb convention, local to this file) */
  int32_t left, right;
  uint32_t first, count;
} BinaryNode;

typedef struct Builder {
  brinkContext *context;
  const double *vertices;
  const uint32_t *indices;
  uint32_t *order; /* triangle ids, partitioned in place */
  brinkVec3 *centroids;
  BinaryNode *nodes;
  size_t nodeCount, nodeCapacity;
  brinkVec3 origin;
  double scale, doubt; /* size of coordinates in the tree frame, and what rounding to it can have done to them */
} Builder;

static brinkVec3 VertexOf(const Builder *builder, uint32_t triangle, int corner) {
  size_t vertex = builder->indices[3 * (size_t)triangle + (size_t)corner];
  return brinkSub(brinkV3_FromArray(builder->vertices + 3 * vertex), builder->origin);
}

static brinkVec3 Row(const brinkMat3 *a, int i) { return brinkV3(a->m[i][0], a->m[i][1], a->m[i][2]); }

static void SetRow(brinkMat3 *a, int i, brinkVec3 v) {
  a->m[i][0] = v.x;
  a->m[i][1] = v.y;
  a->m[i][2] = v.z;
}

static double Component(brinkVec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

static double Area(brinkVec3 half) { return half.x * half.y + half.y * half.z + half.z * half.x; }

/* Tight box of the triangles order[first..first+count) along the rows of axes. */
static void FitAxes(const Builder *builder, uint32_t first, uint32_t count, const brinkMat3 *axes, BinaryNode *out) {
  brinkVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
  for (uint32_t i = first; i < first + count; ++i)
    for (int k = 0; k < 3; ++k) {
      brinkVec3 d = brinkMulMV(axes, VertexOf(builder, builder->order[i], k));
      lower = brinkV3(d.x < lower.x ? d.x : lower.x, d.y < lower.y ? d.y : lower.y, d.z < lower.z ? d.z : lower.z);
      upper = brinkV3(d.x > upper.x ? d.x : upper.x, d.y > upper.y ? d.y : upper.y, d.z > upper.z ? d.z : upper.z);
    }
  out->axes = *axes;
  out->half = brinkScale(brinkSub(upper, lower), 0.5);
  out->center = brinkTMulMV(axes, brinkScale(brinkAdd(upper, lower), 0.5));
}

static void Keep(const Builder *builder, uint32_t first, uint32_t count, const brinkMat3 *axes, BinaryNode *best) {
  BinaryNode trial = *best;
  FitAxes(builder, first, count, axes, &trial);
  if (Area(trial.half) < Area(best->half)) *best = trial;
}

/* Eigenvectors of a symmetric matrix by Jacobi rotations, as the rows of a right-handed frame. */
static brinkMat3 PrincipalAxes(brinkMat3 s) {
  brinkMat3 v = brinkIdentity3();
  for (int sweep = 0; sweep < 12; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (fabs(s.m[p][q]) < 1e-300) continue;
        double theta = (s.m[q][q] - s.m[p][p]) / (2 * s.m[p][q]);
        double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), sine = t * c;
        for (int k = 0; k < 3; ++k) {
          double a = s.m[k][p], b = s.m[k][q];
          s.m[k][p] = c * a - sine * b;
          s.m[k][q] = sine * a + c * b;
        }
        for (int k = 0; k < 3; ++k) {
          double a = s.m[p][k], b = s.m[q][k];
          s.m[p][k] = c * a - sine * b;
          s.m[q][k] = sine * a + c * b;
        }
        for (int k = 0; k < 3; ++k) {
          double a = v.m[p][k], b = v.m[q][k]; /* rows of v are the vectors */
          v.m[p][k] = c * a - sine * b;
          v.m[q][k] = sine * a + c * b;
        }
      }
  brinkVec3 x = brinkNormalizeOr(Row(&v, 0), brinkV3(1, 0, 0));
  brinkVec3 y = brinkNormalizeOr(brinkMulAdd(Row(&v, 1), -brinkDot(x, Row(&v, 1)), x), brinkV3(0, 1, 0));
  SetRow(&v, 0, x);
  SetRow(&v, 1, y);
  SetRow(&v, 2, brinkCross(x, y));
  return v;
}

static brinkMat3 AreaWeightedAxes(const Builder *builder, uint32_t first, uint32_t count) {
  double weightSum = 0;
  brinkVec3 mean = {0, 0, 0};
  brinkMat3 s = {{{0}}};
  brinkVec3 origin = builder->centroids[builder->order[first]]; /* against cancellation far from the origin */
  for (uint32_t i = first; i < first + count; ++i) {
    uint32_t triangle = builder->order[i];
    brinkVec3 p[4];
    for (int k = 0; k < 3; ++k) p[k + 1] = brinkSub(VertexOf(builder, triangle, k), origin);
    p[0] = brinkSub(builder->centroids[triangle], origin);
    double weight =
        brinkLength(brinkCross(brinkSub(p[2], p[1]), brinkSub(p[3], p[1]))) + 1e-12 * builder->scale * builder->scale;
    weightSum += weight;
    mean = brinkMulAdd(mean, weight, p[0]);
    for (int k = 0; k < 4; ++k) {
      double share = weight * (k == 0 ? 9.0 : 1.0) / 12.0; /* exact second moment of a triangle */
      double x[3] = {p[k].x, p[k].y, p[k].z};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) s.m[r][c] += share * x[r] * x[c];
    }
  }
  double x[3] = {mean.x / weightSum, mean.y / weightSum, mean.z / weightSum};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) s.m[r][c] = s.m[r][c] / weightSum - x[r] * x[c];
  return PrincipalAxes(s);
}

/* cos and sin of 15, 30, 45, 60, 75 degrees: constants, so that no C library has a say in the tree. */
static const double cosines[5] = {0.96592582628906829, 0.86602540378443865, 0.70710678118654752, 0.5,
                                  0.25881904510252076};

static brinkMat3 Turned(const brinkMat3 *axes, int about, int step) {
  brinkVec3 n = Row(axes, about), u = Row(axes, (about + 1) % 3), v = Row(axes, (about + 2) % 3);
  double c = cosines[step], s = cosines[4 - step];
  brinkMat3 out;
  SetRow(&out, 0, n);
  SetRow(&out, 1, brinkAdd(brinkScale(u, c), brinkScale(v, s)));
  SetRow(&out, 2, brinkSub(brinkScale(v, c), brinkScale(u, s)));
  return out;
}

static void Fit(const Builder *builder, uint32_t first, uint32_t count, BinaryNode *out) {
  brinkMat3 identity = brinkIdentity3();
  FitAxes(builder, first, count, &identity, out);
  brinkMat3 principal = AreaWeightedAxes(builder, first, count);
  BinaryNode base = *out;
  FitAxes(builder, first, count, &principal, &base);
  if (Area(base.half) < Area(out->half)) *out = base;
  int thin = base.half.x < base.half.y ? (base.half.x < base.half.z ? 0 : 2) : (base.half.y < base.half.z ? 1 : 2);
  for (int step = 0; step < 5; ++step) {
    brinkMat3 turned = Turned(&principal, thin, step);
    Keep(builder, first, count, &turned, out);
  }
  if (count > SMALL_NODE) return;
  for (uint32_t i = first; i < first + count; ++i) {
    brinkVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = VertexOf(builder, builder->order[i], k);
    brinkVec3 n = brinkNormalizeOr(brinkCross(brinkSub(p[1], p[0]), brinkSub(p[2], p[0])), brinkV3(0, 0, 0));
    if (brinkDot(n, n) < 0.5) continue;
    for (int k = 0; k < 3; ++k) {
      brinkVec3 edge = brinkSub(p[(k + 1) % 3], p[k]);
      brinkVec3 u = brinkNormalizeOr(brinkMulAdd(edge, -brinkDot(edge, n), n), brinkV3(0, 0, 0));
      if (brinkDot(u, u) < 0.5) continue;
      brinkMat3 axes;
      SetRow(&axes, 0, n);
      SetRow(&axes, 1, u);
      SetRow(&axes, 2, brinkCross(n, u));
      Keep(builder, first, count, &axes, out);
    }
  }
}

typedef struct Bounds3 {
  double lower[3], upper[3];
} Bounds3;

static const Bounds3 emptyBounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void Extend(Bounds3 *bounds, const Bounds3 *other) {
  for (int k = 0; k < 3; ++k) {
    if (other->lower[k] < bounds->lower[k]) bounds->lower[k] = other->lower[k];
    if (other->upper[k] > bounds->upper[k]) bounds->upper[k] = other->upper[k];
  }
}

static double BoundsArea(const Bounds3 *bounds) {
  double x = fmax(0, bounds->upper[0] - bounds->lower[0]), y = fmax(0, bounds->upper[1] - bounds->lower[1]),
         z = fmax(0, bounds->upper[2] - bounds->lower[2]);
  return x * y + y * z + z * x;
}

static int BinOf(double position, double origin, double perUnit) {
  double bin = (position - origin) * perUnit;
  return bin <= 0 ? 0 : bin >= BIN_COUNT - 1 ? BIN_COUNT - 1 : (int)bin;
}

/* Best binned surface-area split along one of the box's axes; false when none separates anything. */
static bool FindSplit(const Builder *builder, const BinaryNode *node, int *splitAxis, int *splitBin) {
  double bestCost = INFINITY;
  double longest = fmax(node->half.x, fmax(node->half.y, node->half.z));
  for (int axis = 0; axis < 3; ++axis) {
    double extent = Component(node->half, axis);
    if (extent < 0.2 * longest || extent <= 0) continue;
    brinkVec3 direction = Row(&node->axes, axis);
    double origin = brinkDot(node->center, direction) - extent, perUnit = BIN_COUNT / (2 * extent);
    Bounds3 bins[BIN_COUNT];
    uint32_t counts[BIN_COUNT] = {0};
    for (int k = 0; k < BIN_COUNT; ++k) bins[k] = emptyBounds;
    for (uint32_t i = node->first; i < node->first + node->count; ++i) {
      uint32_t triangle = builder->order[i];
      int bin = BinOf(brinkDot(builder->centroids[triangle], direction), origin, perUnit);
      counts[bin]++;
      for (int corner = 0; corner < 3; ++corner) {
        brinkVec3 d = brinkMulMV(&node->axes, VertexOf(builder, triangle, corner));
        Bounds3 point = {{d.x, d.y, d.z}, {d.x, d.y, d.z}};
        Extend(&bins[bin], &point);
      }
    }
    double leftCost[BIN_COUNT];
    uint32_t leftCount[BIN_COUNT], running = 0;
    Bounds3 sum = emptyBounds;
    for (int k = 0; k < BIN_COUNT; ++k) {
      running += counts[k];
      Extend(&sum, &bins[k]);
      leftCount[k] = running;
      leftCost[k] = running ? BoundsArea(&sum) * running : 0;
    }
    sum = emptyBounds;
    running = 0;
    for (int k = BIN_COUNT - 1; k > 0; --k) {
      running += counts[k];
      Extend(&sum, &bins[k]);
      if (!running || !leftCount[k - 1]) continue;
      double cost = leftCost[k - 1] + BoundsArea(&sum) * running;
      if (cost < bestCost) {
        bestCost = cost;
        *splitAxis = axis;
        *splitBin = k;
      }
    }
  }
  return isfinite(bestCost);
}

/* Moves the triangles below the split to the front; returns how many. */
static uint32_t Partition(Builder *builder, const BinaryNode *node, int axis, int bin) {
  brinkVec3 direction = Row(&node->axes, axis);
  double extent = Component(node->half, axis);
  double origin = brinkDot(node->center, direction) - extent, perUnit = BIN_COUNT / (2 * extent);
  uint32_t middle = node->first;
  for (uint32_t i = node->first; i < node->first + node->count; ++i) {
    uint32_t triangle = builder->order[i];
    if (BinOf(brinkDot(builder->centroids[triangle], direction), origin, perUnit) >= bin) continue;
    builder->order[i] = builder->order[middle];
    builder->order[middle++] = triangle;
  }
  return middle - node->first;
}

static brinkStatus AddNode(Builder *builder, uint32_t first, uint32_t count, int32_t *index) {
  brinkStatus status = brinkReserve(builder->context, (void **)&builder->nodes, &builder->nodeCapacity,
                                    builder->nodeCount + 1, sizeof(BinaryNode));
  if (status != brink_ok) return status;
  BinaryNode *node = &builder->nodes[builder->nodeCount];
  node->left = node->right = -1;
  node->first = first;
  node->count = count;
  Fit(builder, first, count, node);
  *index = (int32_t)builder->nodeCount++;
  return brink_ok;
}

/* Nodes are made in order, so a plain loop over the growing array is the whole recursion. */
static brinkStatus BuildBinary(Builder *builder, uint32_t triangleCount) {
  int32_t index;
  brinkStatus status = AddNode(builder, 0, triangleCount, &index);
  for (size_t i = 0; status == brink_ok && i < builder->nodeCount; ++i) {
    BinaryNode node = builder->nodes[i];
    if (node.count <= BRINK_OBB_LEAF_TRIANGLES) continue;
    int axis = 0, bin = 0;
    uint32_t leftCount = 0;
    if (FindSplit(builder, &node, &axis, &bin)) leftCount = Partition(builder, &node, axis, bin);
    if (leftCount == 0 || leftCount == node.count)
      leftCount = node.count / 2; /* coincident centroids: any half will do */
    int32_t left = -1, right = -1;
    status = AddNode(builder, node.first, leftCount, &left);
    if (status == brink_ok) status = AddNode(builder, node.first + leftCount, node.count - leftCount, &right);
    if (status == brink_ok) {
      builder->nodes[i].left = left;
      builder->nodes[i].right = right;
    }
  }
  return status;
}

static brinkObbBox BoxOf(const Builder *builder, const BinaryNode *node) {
  return brinkMakeObbBox(node->center, &node->axes, node->half, builder->scale, builder->doubt);
}

static int32_t LeafCode(const BinaryNode *node) { return ~(int32_t)(node->first * 2 + node->count - 1); }

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

/* Opens the widest binary children until eight lanes are full. `pending[i]` = binary node whose children fill wide node
 * i. */
static brinkStatus Collapse(Builder *builder, brinkObbTree *tree) {
  brinkContext *context = builder->context;
  size_t pendingCapacity = 0, nodeCapacity = 0;
  int32_t *pending = NULL;
  tree->root = BoxOf(builder, &builder->nodes[0]);
  if (builder->nodes[0].left < 0) {
    tree->root.child = LeafCode(&builder->nodes[0]);
    return brink_ok;
  }
  tree->root.child = 0;
  brinkStatus status = brinkReserve(context, (void **)&pending, &pendingCapacity, 1, sizeof *pending);
  if (status == brink_ok) {
    pending[0] = 0;
    tree->nodeCount = 1;
  }
  for (uint32_t i = 0; status == brink_ok && i < tree->nodeCount; ++i) {
    status = brinkReserve(context, (void **)&tree->nodes, &nodeCapacity, tree->nodeCount, sizeof(brinkObbNode));
    if (status != brink_ok) break;
    int32_t lanes[BRINK_OBB_WIDTH];
    int laneCount = 2;
    lanes[0] = builder->nodes[pending[i]].left;
    lanes[1] = builder->nodes[pending[i]].right;
    while (laneCount < BRINK_OBB_WIDTH) {
      int widest = -1;
      double widestArea = -1;
      for (int k = 0; k < laneCount; ++k) {
        const BinaryNode *candidate = &builder->nodes[lanes[k]];
        double area = Area(candidate->half);
        if (candidate->left >= 0 && area > widestArea) {
          widestArea = area;
          widest = k;
        }
      }
      if (widest < 0) break;
      const BinaryNode *opened = &builder->nodes[lanes[widest]];
      lanes[widest] = opened->left;
      lanes[laneCount++] = opened->right;
    }
    brinkObbNode *node = &tree->nodes[i];
    for (int lane = 0; lane < BRINK_OBB_WIDTH; ++lane) ClearLane(node, lane);
    for (int lane = 0; status == brink_ok && lane < laneCount; ++lane) {
      const BinaryNode *source = &builder->nodes[lanes[lane]];
      brinkObbBox box = BoxOf(builder, source);
      if (source->left < 0) {
        box.child = LeafCode(source);
      } else {
        status =
            brinkReserve(context, (void **)&pending, &pendingCapacity, (size_t)tree->nodeCount + 1, sizeof *pending);
        if (status != brink_ok) break;
        pending[tree->nodeCount] = lanes[lane];
        box.child = (int32_t)tree->nodeCount++;
      }
      SetLane(node, lane, &box);
    }
  }
  brinkRelease(context, pending, pendingCapacity * sizeof *pending);
  tree->nodeBytes = nodeCapacity * sizeof(brinkObbNode);
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

static void FillTriangle(const Builder *builder, uint32_t id, brinkObbTriangle *out) {
  brinkVec3 p[3];
  for (int k = 0; k < 3; ++k) {
    p[k] = VertexOf(builder, id, k);
    double c[3] = {p[k].x, p[k].y, p[k].z};
    memcpy(out->vertices[k], c, sizeof c);
  }
  brinkVec3 center = builder->centroids[id];
  out->center[0] = (float)center.x;
  out->center[1] = (float)center.y;
  out->center[2] = (float)center.z;
  brinkVec3 rounded = brinkV3((double)out->center[0], (double)out->center[1], (double)out->center[2]);
  double radius = 0;
  for (int k = 0; k < 3; ++k) radius = fmax(radius, brinkDistance(p[k], rounded));
  out->radius = brinkUpFloat(radius * (1 + 1e-7) + builder->doubt);
  out->slot = id;
}

brinkStatus brinkMakeObbTree(brinkContext *context, const double *vertices, size_t vertexCount, const uint32_t *indices,
                             size_t triangleCount, brinkObbTree *out) {
  *out = (brinkObbTree){0};
  if (triangleCount == 0) return brinkFail(context, brink_errorEmpty, "box tree: a mesh without triangles");
  if (triangleCount > (size_t)1 << 29)
    return brinkFail(context, brink_errorRange, "box tree: more than 2^29 triangles");
  (void)vertexCount;
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, scale = 0, far = 0;
  for (size_t i = 0; i < 3 * triangleCount; ++i)
    for (int k = 0; k < 3; ++k) {
      double x = vertices[3 * (size_t)indices[i] + (size_t)k];
      lower[k] = fmin(lower[k], x);
      upper[k] = fmax(upper[k], x);
    }
  for (int k = 0; k < 3; ++k) {
    scale = fmax(scale, 0.5 * (upper[k] - lower[k]));
    far = fmax(far, fmax(fabs(lower[k]), fabs(upper[k])));
  }
  scale *= 2; /* of vectors */
  if (!(scale < 1e9) || (scale > 0 && scale < 1e-9) || !isfinite(far))
    return brinkFail(context, brink_errorRange, "box tree: a mesh of size %g does not fit single precision", scale);

  brinkVec3 origin = {0.5 * (lower[0] + upper[0]), 0.5 * (lower[1] + upper[1]), 0.5 * (lower[2] + upper[2])};
  Builder builder = {.context = context, .vertices = vertices, .indices = indices, .origin = origin, .scale = scale};
  builder.doubt = 2 * DBL_EPSILON * scale;
  size_t orderBytes = triangleCount * sizeof(uint32_t), centroidBytes = triangleCount * sizeof(brinkVec3);
  builder.order = brinkAllocate(context, orderBytes);
  builder.centroids = brinkAllocate(context, centroidBytes);
  out->triangleBytes = triangleCount * sizeof(brinkObbTriangle);
  out->triangles = brinkAllocate(context, out->triangleBytes);
  brinkStatus status = brink_ok;
  if (!builder.order || !builder.centroids || !out->triangles)
    status = brinkFail(context, brink_errorNoMemory, "box tree: out of memory for %zu triangles", triangleCount);
  if (status == brink_ok) {
    out->triangleCount = (uint32_t)triangleCount;
    out->origin = origin;
    for (uint32_t i = 0; i < triangleCount; ++i) {
      builder.order[i] = i;
      brinkVec3 sum = brinkAdd(brinkAdd(VertexOf(&builder, i, 0), VertexOf(&builder, i, 1)), VertexOf(&builder, i, 2));
      builder.centroids[i] = brinkScale(sum, 1.0 / 3.0);
    }
    status = BuildBinary(&builder, (uint32_t)triangleCount);
  }
  if (status == brink_ok) status = Collapse(&builder, out);
  if (status == brink_ok)
    for (uint32_t i = 0; i < triangleCount; ++i) FillTriangle(&builder, builder.order[i], &out->triangles[i]);
  if (status == brink_ok) out->scale = ScaleOf(out);
  brinkRelease(context, builder.nodes, builder.nodeCapacity * sizeof(BinaryNode));
  brinkRelease(context, builder.order, orderBytes);
  brinkRelease(context, builder.centroids, centroidBytes);
  if (status != brink_ok) brinkFreeObbTree(context, out);
  return status;
}
