/* SPDX-License-Identifier: BSD-3-Clause */
/* See patch_body.h. Subdivision takes convex combinations of homogeneous points with weights > 0 only, so a point
 * N / w is off by a few DBL_EPSILON of the largest coordinate; the split parameter's own rounding moves it along the
 * patch, by that times the weights' ratio. */
#include "patch_body.h"

#include "linear.h"

#define CUT_LEVELS 6 /* in the tree, in one direction */
#define STACK_CAPACITY 128
#define DIRECTIONS 8
#define MOST_VISITS 4000
#define CRACK 5e-11 /* of the size: more than corners that are welded differ by (bezier_patch.c) */
#define MARGIN (32.0 * DBL_EPSILON)

/* ---- nets */

/* The part [low,high] of a Bezier curve of `count` homogeneous points, in place. */
static void restrictCurve(double (*p)[4], uint32_t count, double low, double high) {
  if (high < 1.0)
    for (uint32_t r = 1; r < count; ++r)
      for (uint32_t i = count - 1; i >= r; --i)
        for (int k = 0; k < 4; ++k) p[i][k] = (1.0 - high) * p[i - 1][k] + high * p[i][k];
  if (low > 0.0) {
    double s = low / high;
    for (uint32_t r = 1; r < count; ++r)
      for (uint32_t i = 0; i + r < count; ++i)
        for (int k = 0; k < 4; ++k) p[i][k] = (1.0 - s) * p[i][k] + s * p[i + 1][k];
  }
}

static void netOver(const brinkPatchBody *body, uint32_t id, const double low[2], const double high[2],
                    brinkPatchNet *net) {
  const brinkBodyPatch *patch = &body->patches[id];
  double work[BRINK_PATCH_NET][4], column[BRINK_PATCH_MAX_ORDER][4];
  uint32_t m = patch->rows, n = patch->columns;
  memcpy(work, body->nets + 4 * patch->net, (size_t)m * n * sizeof work[0]);
  if (low[1] > 0.0 || high[1] < 1.0)
    for (uint32_t i = 0; i < m; ++i) restrictCurve(work + i * n, n, low[1], high[1]);
  for (uint32_t j = 0; (low[0] > 0.0 || high[0] < 1.0) && j < n; ++j) {
    for (uint32_t i = 0; i < m; ++i) memcpy(column[i], work[i * n + j], sizeof column[i]);
    restrictCurve(column, m, low[0], high[0]);
    for (uint32_t i = 0; i < m; ++i) memcpy(work[i * n + j], column[i], sizeof column[i]);
  }
  net->rows = m;
  net->columns = n;
  net->triangle = patch->triangle;
  for (uint32_t i = 0; i < m * n; ++i) {
    net->weights[i] = work[i][3];
    for (int k = 0; k < 3; ++k) net->points[i][k] = work[i][k] / work[i][3];
  }
}

void brinkPatchBody_Net(const brinkPatchBody *body, const brinkPatchPiece *piece, brinkPatchNet *net) {
  double du = ldexp(1.0, -(int)piece->levelU), dv = ldexp(1.0, -(int)piece->levelV);
  const double low[2] = {piece->u * du, piece->v * dv}, high[2] = {(piece->u + 1) * du, (piece->v + 1) * dv};
  netOver(body, piece->patch, low, high, net);
}

void brinkPatchBody_WideNet(const brinkPatchBody *body, const brinkPatchPiece *piece, brinkPatchNet *net) {
  double du = ldexp(1.0, -(int)piece->levelU), dv = ldexp(1.0, -(int)piece->levelV);
  const double low[2] = {fmax(0.0, (piece->u - 0.5) * du), fmax(0.0, (piece->v - 0.5) * dv)},
               high[2] = {fmin(1.0, (piece->u + 1.5) * du), fmin(1.0, (piece->v + 1.5) * dv)};
  netOver(body, piece->patch, low, high, net);
}

/* Largest coordinate of p - lerp(a, b, s). */
static double offLine(const double p[3], const double a[3], const double b[3], double s) {
  double most = 0.0;
  for (int k = 0; k < 3; ++k) most = fmax(most, fabs(p[k] - ((1.0 - s) * a[k] + s * b[k])));
  return most;
}

void brinkPatchNet_Bend(const brinkPatchNet *net, double bend[2]) {
  uint32_t m = net->rows, n = net->columns;
  bend[0] = bend[1] = 0.0;
  if (net->triangle) return;
  for (uint32_t i = 0; i < m; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      const double *p = net->points[i * n + j];
      if (i > 0 && i + 1 < m)
        bend[0] = fmax(bend[0], offLine(p, net->points[j], net->points[(m - 1) * n + j], (double)i / (m - 1)));
      if (j > 0 && j + 1 < n)
        bend[1] = fmax(bend[1], offLine(p, net->points[i * n], net->points[i * n + n - 1], (double)j / (n - 1)));
    }
  double twist = 0.0, size[2] = {0, 0};
  const double *c[4];
  for (int k = 0; k < 4; ++k) c[k] = net->points[brinkPatchNet_Corner(net, k)];
  for (int k = 0; k < 3; ++k) {
    twist = fmax(twist, 0.25 * fabs(c[0][k] - c[1][k] + c[2][k] - c[3][k]));
    size[0] = fmax(size[0], fmax(fabs(c[1][k] - c[0][k]), fabs(c[2][k] - c[3][k])));
    size[1] = fmax(size[1], fmax(fabs(c[3][k] - c[0][k]), fabs(c[2][k] - c[1][k])));
  }
  bend[size[0] >= size[1] ? 0 : 1] += twist; /* either halves it */
}

void brinkPatchNet_Error(const brinkPatchNet *net, double error[3]) {
  uint32_t m = net->rows, n = net->columns; /* degrees of D in u and v */
  error[0] = error[1] = error[2] = 0.0;
  if (net->triangle) return;
  const double *corners[2][2] = {{net->points[0], net->points[n - 1]},
                                 {net->points[(m - 1) * n], net->points[(m - 1) * n + n - 1]}};
  double largest[3] = {0, 0, 0};
  for (uint32_t k = 0; k <= m; ++k)
    for (uint32_t l = 0; l <= n; ++l) {
      double d[3] = {0, 0, 0}, w = 0.0;
      for (uint32_t s = 0; s < 2; ++s)
        for (uint32_t t = 0; t < 2; ++t) {
          double share = (s == 0 ? (double)(m - k) : (double)k) / m * (t == 0 ? (double)(n - l) : (double)l) / n;
          if (!(share > 0.0)) continue;
          uint32_t at = (k - s) * n + l - t;
          double weight = share * net->weights[at];
          w += weight;
          for (int i = 0; i < 3; ++i) d[i] += weight * (net->points[at][i] - corners[s][t][i]);
        }
      for (int i = 0; i < 3; ++i) largest[i] = fmax(largest[i], fabs(d[i]) / w);
    }
  for (int i = 0; i < 3; ++i) {
    double twist = corners[0][0][i] - corners[0][1][i] - corners[1][0][i] + corners[1][1][i], size = 0.0;
    for (int k = 0; k < 4; ++k) size = fmax(size, fabs(corners[k / 2][k % 2][i]));
    error[i] = (largest[i] + 0.25 * fabs(twist)) * (1.0 + 1e-12) + 16.0 * DBL_EPSILON * size;
  }
}

bool brinkPatchPiece_Halve(const brinkPatchPiece *piece, int direction, brinkPatchPiece halves[2]) {
  if ((direction == 0 ? piece->levelU : piece->levelV) >= BRINK_PATCH_MOST_LEVELS) return false;
  for (uint32_t k = 0; k < 2; ++k) {
    halves[k] = *piece;
    if (direction == 0) {
      halves[k].u = 2 * piece->u + k;
      halves[k].levelU = (uint8_t)(piece->levelU + 1);
    } else {
      halves[k].v = 2 * piece->v + k;
      halves[k].levelV = (uint8_t)(piece->levelV + 1);
    }
  }
  return true;
}

/* ---- making */

static brinkStatus appendPiece(brinkContext *context, brinkPatchBody *body, brinkPatchPiece piece) {
  brinkStatus status =
      brinkReserve(context, (void **)&body->pieces, &body->pieceCapacity, body->pieceCount + 1, sizeof piece);
  if (status == brink_ok) body->pieces[body->pieceCount++] = piece;
  return status;
}

static brinkStatus cutPatch(brinkContext *context, brinkPatchBody *body, uint32_t patch, double flatness) {
  brinkPatchPiece stack[4 * CUT_LEVELS] = {{.patch = patch}};
  size_t count = 1;
  brinkStatus status = brink_ok;
  while (count > 0 && status == brink_ok) {
    brinkPatchPiece piece = stack[--count];
    brinkPatchNet net;
    double bend[2];
    brinkPatchBody_Net(body, &piece, &net);
    brinkPatchNet_Bend(&net, bend);
    int direction = bend[0] >= bend[1] ? 0 : 1;
    if (!(bend[direction] > flatness) || (direction == 0 ? piece.levelU : piece.levelV) >= CUT_LEVELS) {
      status = appendPiece(context, body, piece);
    } else {
      brinkPatchPiece_Halve(&piece, direction, stack + count);
      count += 2;
    }
  }
  return status;
}

static brinkStatus buildTree(brinkContext *context, brinkPatchBody *body, const char *name) {
  size_t size = body->pieceCount * sizeof(brinkInverseLeaf);
  brinkInverseLeaf *leaves = brinkAllocate(context, size);
  body->nodes = brinkAllocate(context, (2 * body->pieceCount - 1) * sizeof *body->nodes);
  if (leaves == NULL || body->nodes == NULL) {
    brinkRelease(context, leaves, size);
    return brinkFail(context, brink_errorNoMemory, "%s: no memory for %zu pieces of patches", name, body->pieceCount);
  }
  for (size_t i = 0; i < body->pieceCount; ++i) {
    brinkPatchNet net;
    brinkPatchBody_Net(body, &body->pieces[i], &net);
    leaves[i] = (brinkInverseLeaf){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, (uint32_t)i};
    for (uint32_t p = 0; p < net.rows * net.columns; ++p)
      for (int k = 0; k < 3; ++k) {
        leaves[i].low[k] = fmin(leaves[i].low[k], net.points[p][k]);
        leaves[i].high[k] = fmax(leaves[i].high[k], net.points[p][k]);
      }
  }
  brinkInverseNodes_Build(leaves, body->pieceCount, body->nodes);
  brinkRelease(context, leaves, size);
  return brink_ok;
}

static brinkStatus reserveBody(brinkContext *context, size_t patches, size_t nets, const char *name,
                               brinkPatchBody *body) {
  body->patches = brinkAllocateZeroed(context, patches, sizeof *body->patches);
  body->nets = brinkAllocateZeroed(context, 4 * nets, sizeof(double));
  if (body->patches == NULL || body->nets == NULL)
    return brinkFail(context, brink_errorNoMemory, "%s: no memory for %zu patches", name, patches);
  body->patchCount = patches;
  body->netCount = nets;
  return brink_ok;
}

static void setControl(brinkPatchBody *body, size_t at, const double *x, double weight) {
  for (int k = 0; k < 3; ++k) {
    body->nets[4 * at + (size_t)k] = weight * x[k];
    body->reach[k] = fmax(body->reach[k], fabs(x[k]));
  }
  body->nets[4 * at + 3] = weight;
}

brinkStatus brinkPatchBody_Make(brinkContext *context, const brinkBezierPatch *patches, size_t count,
                                const brinkInverseMesh *mesh, double flatness, const char *name, brinkPatchBody *out) {
  brinkPatchBody body = {.mesh = mesh};
  size_t nets = 0, at = 0;
  for (size_t i = 0; i < count; ++i) nets += (size_t)patches[i].rows * patches[i].columns;
  brinkStatus status = reserveBody(context, count, nets, name, &body);
  for (size_t i = 0; i < count && status == brink_ok; ++i) {
    double least = INFINITY, most = 0.0, size = 0.0;
    body.patches[i] = (brinkBodyPatch){patches[i].rows, patches[i].columns, at, false};
    for (uint32_t k = 0; k < patches[i].rows * patches[i].columns; ++k, ++at) {
      const double *c = patches[i].controls + 4 * k;
      setControl(&body, at, c, c[3]);
      least = fmin(least, c[3]);
      most = fmax(most, c[3]);
      for (int a = 0; a < 3; ++a) size = fmax(size, fabs(c[a]));
    }
    body.rounding = fmax(body.rounding,
                         16.0 * (patches[i].rows + patches[i].columns) * DBL_EPSILON * size * (most / least) + DBL_MIN);
  }
  for (size_t i = 0; i < count && status == brink_ok; ++i) status = cutPatch(context, &body, (uint32_t)i, flatness);
  if (mesh->solid) body.crack = CRACK * fmax(body.reach[0], fmax(body.reach[1], body.reach[2]));
  if (status == brink_ok) status = buildTree(context, &body, name);
  if (status == brink_ok)
    *out = body;
  else
    brinkPatchBody_Free(context, &body);
  return status;
}

brinkStatus brinkPatchBody_OfMesh(brinkContext *context, const brinkInverseMesh *mesh, const char *name,
                                  brinkPatchBody *out) {
  static const int corner[4] = {0, 2, 1, 2}; /* rows: a c / b c */
  brinkPatchBody body = {.mesh = mesh, .rounding = mesh->error + DBL_MIN};
  brinkStatus status = reserveBody(context, mesh->triangleCount, 4 * mesh->triangleCount, name, &body);
  for (size_t i = 0; i < mesh->triangleCount && status == brink_ok; ++i) {
    body.patches[i] = (brinkBodyPatch){2, 2, 4 * i, true};
    for (size_t k = 0; k < 4; ++k)
      setControl(&body, 4 * i + k, brinkInverseMesh_Vertex(mesh, (uint32_t)i, corner[k]), 1.0);
    status = appendPiece(context, &body, (brinkPatchPiece){.patch = (uint32_t)i});
  }
  if (status == brink_ok) status = buildTree(context, &body, name);
  if (status == brink_ok)
    *out = body;
  else
    brinkPatchBody_Free(context, &body);
  return status;
}

void brinkPatchBody_Free(brinkContext *context, brinkPatchBody *body) {
  brinkRelease(context, body->patches, body->patchCount * sizeof *body->patches);
  brinkRelease(context, body->nets, 4 * body->netCount * sizeof(double));
  if (body->nodes != NULL) brinkRelease(context, body->nodes, (2 * body->pieceCount - 1) * sizeof *body->nodes);
  brinkRelease(context, body->pieces, body->pieceCapacity * sizeof *body->pieces);
  memset(body, 0, sizeof *body);
}

/* ---- lines against pieces */

typedef struct line {
  double p[3], q[3], along[3], slack[3];
} line;

static double slackAlong(const double slack[3], const double n[3]) {
  return fabs(n[0]) * slack[0] + fabs(n[1]) * slack[1] + fabs(n[2]) * slack[2];
}

static bool lineMayMeetBox(const brinkInverseNode *node, const line *way) {
  double at[3], half[3], span[3];
  for (int k = 0; k < 3; ++k) {
    at[k] = 0.5 * (way->p[k] + way->q[k]) - 0.5 * (node->low[k] + node->high[k]);
    span[k] = 0.5 * fabs(way->along[k]);
    half[k] = 0.5 * (node->high[k] - node->low[k]) + way->slack[k];
    if (fabs(at[k]) - span[k] > half[k]) return false;
  }
  for (int k = 0; k < 3; ++k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double d = 0.5 * fabs(way->along[i] * at[j] - way->along[j] * at[i]);
    if (d > (half[j] * span[i] + half[i] * span[j]) * (1.0 + MARGIN)) return false;
  }
  return true;
}

static bool lineIsOff(const double n[3], const brinkPatchNet *net, const line *way) {
  double p = brinkDot3(n, way->p), q = brinkDot3(n, way->q), low = INFINITY, high = -INFINITY;
  for (uint32_t i = 0; i < net->rows * net->columns; ++i) {
    double v = brinkDot3(n, net->points[i]);
    low = fmin(low, v);
    high = fmax(high, v);
  }
  double need = slackAlong(way->slack, n);
  return fmin(p, q) - high > need || low - fmax(p, q) > need;
}

static bool lineIsClear(const brinkPatchNet *net, const line *way) {
  const double *c[4];
  double edges[4][3], n[3], d0[3], d1[3], axis[3];
  for (int k = 0; k < 4; ++k) c[k] = net->points[brinkPatchNet_Corner(net, k)];
  for (int k = 0; k < 4; ++k) brinkSub3(c[(k + 1) % 4], c[k], edges[k]);
  brinkSub3(c[2], c[0], d0);
  brinkSub3(c[3], c[1], d1);
  brinkCross3(d0, d1, n);
  if (lineIsOff(n, net, way)) return true;
  for (int k = 0; k < 3; ++k) {
    const double unit[3] = {k == 0, k == 1, k == 2};
    if (lineIsOff(unit, net, way)) return true;
  }
  for (int k = 0; k < 4; ++k) {
    brinkCross3(edges[k], way->along, axis);
    if (lineIsOff(axis, net, way)) return true;
    brinkCross3(n, edges[k], axis);
    if (lineIsOff(axis, net, way)) return true;
  }
  return false;
}

/* Crossings of the triangle, and of whatever lies within `error` of it at equal parameters: +1 out, -1 in (by the
 * triangle's orientation), 0 none, 2 not proven. */
static int crossTriangle(const double *const c[3], const double error[3], const line *way) {
  double e0[3], e1[3], n[3], d[3];
  int side = 0;
  for (int k = 0; k < 3; ++k) {
    double edge[3], axis[3], low = INFINITY, high = -INFINITY;
    brinkSub3(c[(k + 1) % 3], c[k], edge);
    brinkCross3(edge, way->along, axis);
    double need = slackAlong(error, axis), first = 0.0;
    for (int i = 0; i < 3; ++i) {
      brinkSub3(c[(k + i) % 3], way->p, d);
      double v = brinkDot3(axis, d);
      if (i == 0) first = v;
      low = fmin(low, v);
      high = fmax(high, v);
    }
    if (low > need || high < -need) return 0;
    side += first > need ? 1 : first < -need ? -1 : 0;
  }
  if (side != 3 && side != -3) return 2;
  brinkSub3(c[1], c[0], e0);
  brinkSub3(c[2], c[0], e1);
  brinkCross3(e0, e1, n);
  double need = slackAlong(error, n);
  brinkSub3(way->p, c[0], d);
  double p = brinkDot3(n, d);
  brinkSub3(way->q, c[0], d);
  double q = brinkDot3(n, d);
  if ((p > need && q > need) || (p < -need && q < -need)) return 0;
  if (p < -need && q > need) return 1;
  return p > need && q < -need ? -1 : 2;
}

/* Crossings of the piece; false: not proven. */
static bool crossPiece(const brinkPatchNet *net, const line *way, int *crossings) {
  double error[3];
  const double *c[4];
  brinkPatchNet_Error(net, error);
  for (int k = 0; k < 3; ++k) error[k] += way->slack[k];
  for (int k = 0; k < 4; ++k) c[k] = net->points[brinkPatchNet_Corner(net, k)];
  const double *const halves[2][3] = {{c[0], c[1], c[2]}, {c[0], c[2], c[3]}};
  *crossings = 0;
  for (int h = 0; h < (net->triangle ? 1 : 2); ++h) {
    int one = crossTriangle(halves[h], error, way);
    if (one == 2) return false;
    *crossings += one;
  }
  return true;
}

typedef struct lineWalk {
  const brinkPatchBody *body;
  const line *way;
  double least;
  bool counts; /* crossings are counted; else any ends the walk */
  int winding;
  uint32_t visits, piece;
} lineWalk;

/* true: clear, or crossed once and counted. */
static bool settlePiece(lineWalk *self, const brinkPatchPiece *start) {
  brinkPatchPiece stack[STACK_CAPACITY];
  size_t count = 1;
  stack[0] = *start;
  while (count > 0) {
    brinkPatchPiece piece = stack[--count];
    brinkPatchNet net;
    double bend[2];
    brinkPatchBody_Net(self->body, &piece, &net);
    if (++self->visits > MOST_VISITS) return false;
    if (lineIsClear(&net, self->way)) continue;
    int crossings;
    if (self->counts && crossPiece(&net, self->way, &crossings)) {
      self->winding += crossings;
      continue;
    }
    brinkPatchNet_Bend(&net, bend);
    int direction = bend[0] >= bend[1] ? 0 : 1;
    if (!(bend[direction] > self->least) || count + 2 > STACK_CAPACITY ||
        !brinkPatchPiece_Halve(&piece, direction, stack + count))
      return false;
    count += 2;
  }
  return true;
}

static bool walkLine(lineWalk *self) {
  uint32_t stack[STACK_CAPACITY];
  size_t count = 1;
  stack[0] = 0;
  while (count > 0) {
    uint32_t at = stack[--count];
    const brinkInverseNode *node = &self->body->nodes[at];
    if (!lineMayMeetBox(node, self->way)) continue;
    if (node->right != 0) {
      stack[count++] = node->right;
      stack[count++] = at + 1;
    } else if (!settlePiece(self, &self->body->pieces[node->triangle])) {
      self->piece = node->triangle;
      return false;
    }
  }
  return true;
}

static line makeLine(const brinkPatchBody *body, const double p[3], const double q[3], const double slack[3]) {
  line way;
  memcpy(way.p, p, sizeof way.p);
  memcpy(way.q, q, sizeof way.q);
  brinkSub3(q, p, way.along);
  for (int k = 0; k < 3; ++k)
    way.slack[k] = slack[k] + body->rounding + MARGIN * (fabs(p[k]) + fabs(q[k]) + body->reach[k]) + DBL_MIN;
  return way;
}

bool brinkPatchBody_IsClear(const brinkPatchBody *body, const double p[3], const double q[3], const double slack[3],
                            double least, uint32_t *piece) {
  const line way = makeLine(body, p, q, slack);
  lineWalk walk = {.body = body, .way = &way, .least = least};
  bool clear = walkLine(&walk);
  *piece = walk.piece;
  return clear;
}

int brinkPatchBody_Contains(const brinkPatchBody *body, const double p[3]) {
  static const double directions[DIRECTIONS][3] = {
      {0.0123, 0.0311, 1.0}, {1.0, 0.0217, -0.0343}, {-0.0413, 1.0, 0.0279},  {0.577, -0.613, 0.539},
      {-0.61, 0.52, -0.598}, {0.31, 0.871, -0.39},   {-0.713, -0.21, 0.6707}, {0.1171, -0.967, -0.2231}};
  const brinkInverseNode *root = &body->nodes[0];
  if (!body->mesh->solid) return 0;
  double size = 0.0;
  for (int k = 0; k < 3; ++k) {
    double margin = body->rounding + MARGIN * (body->reach[k] + fabs(p[k]));
    if (!(p[k] >= root->low[k] - margin && p[k] <= root->high[k] + margin)) return 0;
    size += root->high[k] - root->low[k];
  }
  for (int i = 0; i < DIRECTIONS; ++i) {
    double q[3];
    for (int k = 0; k < 3; ++k) q[k] = p[k] + 2.0 * size * directions[i][k];
    const double crack[3] = {body->crack, body->crack, body->crack};
    const line way = makeLine(body, p, q, crack);
    lineWalk walk = {.body = body, .way = &way, .least = 0.25 * body->crack + 16.0 * body->rounding, .counts = true};
    if (walkLine(&walk)) return walk.winding != 0;
  }
  return -1;
}
