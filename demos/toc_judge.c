/* SPDX-License-Identifier: BSD-3-Clause */
/* Are two moving meshes apart at this instant, and how far? See toc_judge.h.
 * Based on: textbook geometry (two triangles are nearest at an edge pair or at a vertex and a face, or they cross where
 * an edge goes through a face); Rodrigues' formula. */
#include "toc_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL_LIMIT 96 /* cells along an axis, at most */
#define FEW_TRIANGLES 100
#define GROUP 16 /* triangles that are looked at together first: neighbours in the file, so near each other */

typedef long double real;
typedef struct vec {
  real x, y, z;
} vec;

typedef struct bounds {
  real low[3], high[3];
} bounds;

struct judgeMesh {
  vec *vertices, *moved; /* own frame; in the other mesh's frame */
  uint32_t *indices;
  bounds *boxes, *groups; /* of triangles, of GROUP triangles */
  size_t vertexCount, triangleCount;
  bounds box;
  real cell[3];
  int count[3];
  uint32_t *start, *list; /* triangles of a cell: list[start[cell]] to list[start[cell + 1]] */
};

static vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec scale(real s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
static real dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static real part(vec a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }
static real unit(real s) { return s < 0 ? 0 : s > 1 ? 1 : s; }

/* ---- motion */

static void multiply(const real a[4], const real b[4], real out[4]) {
  real r[4] = {
      a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  memcpy(out, r, sizeof r);
}

static vec turned(const real q[4], vec v) {
  real length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  vec u = {q[1], q[2], q[3]}, first = cross(u, v), second = cross(u, add(first, scale(q[0], v)));
  return add(v, scale(2 / length2, second));
}

judgePose judge_PoseAt(const judgeMotion *motion, long double s) {
  judgePose pose;
  real angle = 0, first[4], q[4];
  for (int k = 0; k < 3; k++) {
    pose.position[k] = motion->position[k] + s * motion->velocity[k];
    angle += (real)motion->spin[k] * motion->spin[k];
  }
  angle = sqrtl(angle);
  q[0] = cosl(s * angle / 2);
  for (int k = 0; k < 3; k++) q[k + 1] = angle > 0 ? sinl(s * angle / 2) * motion->spin[k] / angle : 0;
  for (int k = 0; k < 4; k++) first[k] = motion->turn[k];
  multiply(q, first, pose.turn);
  return pose;
}

/* ---- a mesh and its grid */

static void grow(bounds *box, vec p) {
  for (int k = 0; k < 3; k++) {
    if (part(p, k) < box->low[k]) box->low[k] = part(p, k);
    if (part(p, k) > box->high[k]) box->high[k] = part(p, k);
  }
}

static bounds emptyBounds(void) { return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static bounds triangleBounds(const vec *vertices, const uint32_t *corners) {
  bounds box = emptyBounds();
  for (int k = 0; k < 3; k++) grow(&box, vertices[corners[k]]);
  return box;
}

static bool apart(const bounds *a, const bounds *b, real limit) {
  for (int k = 0; k < 3; k++)
    if (a->low[k] > b->high[k] + limit || b->low[k] > a->high[k] + limit) return true;
  return false;
}

static int cellAlong(const judgeMesh *mesh, int axis, real x) {
  real c = (x - mesh->box.low[axis]) / mesh->cell[axis];
  return c < 0 ? 0 : c >= mesh->count[axis] ? mesh->count[axis] - 1 : (int)c;
}

static void cellRange(const judgeMesh *mesh, const bounds *box, real margin, int low[3], int high[3]) {
  for (int k = 0; k < 3; k++) {
    low[k] = cellAlong(mesh, k, box->low[k] - margin);
    high[k] = cellAlong(mesh, k, box->high[k] + margin);
  }
}

static size_t cellNumber(const judgeMesh *mesh, int x, int y, int z) {
  return ((size_t)z * (size_t)mesh->count[1] + (size_t)y) * (size_t)mesh->count[0] + (size_t)x;
}

/* Counting sort of triangles into the cells that their boxes meet. */
static bool fillGrid(judgeMesh *mesh) {
  real longest = 0;
  for (int k = 0; k < 3; k++) longest = fmaxl(longest, mesh->box.high[k] - mesh->box.low[k]);
  real wanted = fmaxl(longest / CELL_LIMIT, longest / sqrtl((real)mesh->triangleCount + 1));
  for (int k = 0; k < 3; k++) {
    real extent = mesh->box.high[k] - mesh->box.low[k];
    mesh->count[k] = wanted > 0 ? 1 + (int)(extent / wanted) : 1;
    mesh->cell[k] = extent > 0 ? extent / mesh->count[k] : 1;
  }
  size_t cells = (size_t)mesh->count[0] * (size_t)mesh->count[1] * (size_t)mesh->count[2];
  mesh->start = calloc(cells + 2, sizeof *mesh->start);
  if (!mesh->start) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t t = 0; t < mesh->triangleCount; t++) {
      int low[3], high[3];
      cellRange(mesh, &mesh->boxes[t], 0, low, high);
      for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
          for (int x = low[0]; x <= high[0]; x++) {
            size_t cell = cellNumber(mesh, x, y, z);
            if (pass == 0)
              mesh->start[cell + 2]++;
            else
              mesh->list[mesh->start[cell + 1]++] = t;
          }
    }
    if (pass == 1) break;
    for (size_t i = 2; i < cells + 2; i++) mesh->start[i] += mesh->start[i - 1];
    mesh->list = malloc((mesh->start[cells + 1] + (size_t)1) * sizeof *mesh->list);
    if (!mesh->list) return false;
  }
  return true;
}

judgeMesh *judgeMesh_Create(const double *vertices, size_t vertexCount, const uint32_t *indices, size_t triangleCount) {
  judgeMesh *mesh = calloc(1, sizeof *mesh);
  if (!mesh) return NULL;
  mesh->vertexCount = vertexCount;
  mesh->triangleCount = triangleCount;
  mesh->vertices = malloc((vertexCount + 1) * sizeof *mesh->vertices);
  mesh->moved = malloc((vertexCount + 1) * sizeof *mesh->moved);
  mesh->indices = malloc((3 * triangleCount + 1) * sizeof *mesh->indices);
  mesh->boxes = malloc((triangleCount + 1) * sizeof *mesh->boxes);
  mesh->groups = malloc((triangleCount / GROUP + 1) * sizeof *mesh->groups);
  if (mesh->vertices && mesh->moved && mesh->indices && mesh->boxes && mesh->groups) {
    mesh->box = emptyBounds();
    for (size_t i = 0; i < vertexCount; i++) {
      mesh->vertices[i] = (vec){vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]};
      grow(&mesh->box, mesh->vertices[i]);
    }
    memcpy(mesh->indices, indices, 3 * triangleCount * sizeof *indices);
    for (size_t t = 0; t < triangleCount; t++) {
      mesh->boxes[t] = triangleBounds(mesh->vertices, indices + 3 * t);
      if (t % GROUP == 0) mesh->groups[t / GROUP] = emptyBounds();
      for (int k = 0; k < 3; k++) grow(&mesh->groups[t / GROUP], mesh->vertices[indices[3 * t + (size_t)k]]);
    }
    if (fillGrid(mesh)) return mesh;
  }
  judgeMesh_Destroy(mesh);
  return NULL;
}

void judgeMesh_Destroy(judgeMesh *mesh) {
  if (!mesh) return;
  free(mesh->vertices);
  free(mesh->moved);
  free(mesh->indices);
  free(mesh->boxes);
  free(mesh->groups);
  free(mesh->start);
  free(mesh->list);
  free(mesh);
}

double judgeMesh_Diagonal(const judgeMesh *mesh) {
  real sum = 0;
  for (int k = 0; k < 3; k++) sum += (mesh->box.high[k] - mesh->box.low[k]) * (mesh->box.high[k] - mesh->box.low[k]);
  return (double)sqrtl(sum);
}

/* ---- two triangles */

static real pointToSegment2(vec p, vec a, vec b) {
  vec d = sub(b, a), away = sub(p, a);
  real length2 = dot(d, d), s = length2 > 0 ? unit(dot(away, d) / length2) : 0;
  vec rest = sub(away, scale(s, d));
  return dot(rest, rest);
}

/* Square of the distance of two segments: at both ends of either, and where the lines come nearest inside both. */
static real segments2(vec a0, vec a1, vec b0, vec b1) {
  real best = fminl(fminl(pointToSegment2(a0, b0, b1), pointToSegment2(a1, b0, b1)),
                    fminl(pointToSegment2(b0, a0, a1), pointToSegment2(b1, a0, a1)));
  vec u = sub(a1, a0), v = sub(b1, b0), w = sub(a0, b0);
  real uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w), determinant = uu * vv - uv * uv;
  if (determinant <= 0) return best;
  real s = (uv * vw - vv * uw) / determinant, t = (uu * vw - uv * uw) / determinant;
  if (s <= 0 || s >= 1 || t <= 0 || t >= 1) return best;
  vec rest = add(w, sub(scale(s, u), scale(t, v)));
  return fminl(best, dot(rest, rest));
}

typedef struct triangle {
  vec corner[3], normal; /* not unit */
} triangle;

static triangle makeTriangle(const vec *vertices, const uint32_t *corners) {
  triangle t = {.corner = {vertices[corners[0]], vertices[corners[1]], vertices[corners[2]]}};
  t.normal = cross(sub(t.corner[1], t.corner[0]), sub(t.corner[2], t.corner[0]));
  return t;
}

/* Does p lie over the triangle's inside, along its normal? */
static bool isOver(const triangle *t, vec p) {
  for (int k = 0; k < 3; k++)
    if (dot(cross(t->normal, sub(t->corner[(k + 1) % 3], t->corner[k])), sub(p, t->corner[k])) < 0) return false;
  return true;
}

/* Vertex against face, and edges that go through. */
static real faceAgainst2(const triangle *face, const triangle *other) {
  real length2 = dot(face->normal, face->normal), best = INFINITY, height[3];
  if (length2 <= 0) return best;
  for (int k = 0; k < 3; k++) {
    height[k] = dot(face->normal, sub(other->corner[k], face->corner[0]));
    if (isOver(face, other->corner[k])) best = fminl(best, height[k] * height[k] / length2);
  }
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3;
    if ((height[k] > 0) == (height[next] > 0) && height[k] != 0 && height[next] != 0) continue;
    real span = height[k] - height[next];
    if (span == 0) continue; /* in the face's plane: edges and vertices see it */
    vec meeting = add(other->corner[k], scale(height[k] / span, sub(other->corner[next], other->corner[k])));
    if (isOver(face, meeting)) return 0;
  }
  return best;
}

static real triangles2(const triangle *a, const triangle *b) {
  real best = fminl(faceAgainst2(a, b), faceAgainst2(b, a));
  for (int i = 0; i < 3 && best > 0; i++)
    for (int j = 0; j < 3; j++)
      best = fminl(best, segments2(a->corner[i], a->corner[(i + 1) % 3], b->corner[j], b->corner[(j + 1) % 3]));
  return best;
}

/* ---- two meshes */

typedef struct passage { /* from the guest's frame to the host's: turn, then shift */
  vec column[3], shift;
} passage;

static passage makePassage(const judgePose *guest, const judgePose *host) {
  real back[4] = {host->turn[0], -host->turn[1], -host->turn[2], -host->turn[3]}, q[4];
  vec between = {guest->position[0] - host->position[0], guest->position[1] - host->position[1],
                 guest->position[2] - host->position[2]};
  multiply(back, guest->turn, q);
  return (passage){{turned(q, (vec){1, 0, 0}), turned(q, (vec){0, 1, 0}), turned(q, (vec){0, 0, 1})},
                   turned(back, between)};
}

static vec through(const passage *way, vec p) {
  return add(way->shift, add(scale(p.x, way->column[0]), add(scale(p.y, way->column[1]), scale(p.z, way->column[2]))));
}

/* Could anything in this box of the guest's be within reach of a triangle of the host's? */
static bool mayBeNear(const judgeMesh *host, const passage *way, const bounds *box, real reach) {
  bounds moved = emptyBounds();
  for (int i = 0; i < 8; i++)
    grow(&moved, through(way, (vec){i & 1 ? box->high[0] : box->low[0], i & 2 ? box->high[1] : box->low[1],
                                    i & 4 ? box->high[2] : box->low[2]}));
  if (apart(&moved, &host->box, reach)) return false;
  int low[3], high[3];
  cellRange(host, &moved, reach, low, high);
  for (int z = low[2]; z <= high[2]; z++)
    for (int y = low[1]; y <= high[1]; y++)
      if (host->start[cellNumber(host, low[0], y, z)] < host->start[cellNumber(host, high[0], y, z) + 1]) return true;
  return false;
}

/* Does the plane of one triangle keep the other farther away than the square root of best? Cheap, and true for most
 * neighbours. */
static bool planeParts(const triangle *face, const triangle *other, real best) {
  real low = INFINITY, high = -INFINITY, length2 = dot(face->normal, face->normal);
  for (int k = 0; k < 3; k++) {
    real height = dot(face->normal, sub(other->corner[k], face->corner[0]));
    if (height < low) low = height;
    if (height > high) high = height;
  }
  real gap = low > 0 ? low : high < 0 ? -high : 0;
  return gap * gap > best * length2;
}

/* Nearest of the host's triangles to one of the guest's, when nearer than *best (a square). */
static void lookAround(const judgeMesh *host, const triangle *visitor, const bounds *box, real *best) {
  int low[3], high[3];
  real reach = sqrtl(*best);
  cellRange(host, box, reach, low, high);
  for (int z = low[2]; z <= high[2]; z++)
    for (int y = low[1]; y <= high[1]; y++)
      for (int x = low[0]; x <= high[0]; x++) {
        size_t cell = cellNumber(host, x, y, z);
        for (uint32_t i = host->start[cell]; i < host->start[cell + 1]; i++) {
          uint32_t t = host->list[i];
          if (apart(&host->boxes[t], box, reach)) continue;
          triangle own = makeTriangle(host->vertices, host->indices + 3 * t);
          if (planeParts(&own, visitor, *best) || planeParts(visitor, &own, *best)) continue;
          real square = triangles2(visitor, &own);
          if (square < *best) *best = square;
        }
      }
}

long double judge_Distance(judgeMesh *a, const judgePose *poseA, judgeMesh *b, const judgePose *poseB,
                           long double limit) {
  /* The host has the grid, the guest comes with small boxes: a few large triangles (a wall) are a better host. */
  bool few = a->triangleCount < FEW_TRIANGLES || b->triangleCount < FEW_TRIANGLES;
  bool swap = (a->triangleCount < b->triangleCount) != few;
  judgeMesh *host = swap ? b : a, *guest = swap ? a : b;
  real above = limit * (1 + 1e-6L) + 1e-15L, best = above * above;
  const passage way = makePassage(swap ? poseA : poseB, swap ? poseB : poseA);
  if (!mayBeNear(host, &way, &guest->box, above)) return above;
  for (size_t i = 0; i < guest->vertexCount; i++) guest->moved[i] = through(&way, guest->vertices[i]);
  for (size_t t = 0; t < guest->triangleCount && best > 0; t++) {
    if (t % GROUP == 0 && !mayBeNear(host, &way, &guest->groups[t / GROUP], sqrtl(best))) {
      t += GROUP - 1;
      continue;
    }
    bounds box = triangleBounds(guest->moved, guest->indices + 3 * t);
    if (apart(&box, &host->box, sqrtl(best))) continue;
    triangle visitor = makeTriangle(guest->moved, guest->indices + 3 * t);
    lookAround(host, &visitor, &box, &best);
  }
  return sqrtl(best);
}

long double judge_PlaneDistance(const double plane[4], judgeMesh *mesh, const judgePose *pose) {
  vec normal = {plane[0], plane[1], plane[2]}, place = {pose->position[0], pose->position[1], pose->position[2]};
  real lowest = INFINITY;
  for (size_t i = 0; i < mesh->vertexCount; i++)
    lowest = fminl(lowest, dot(normal, add(place, turned(pose->turn, mesh->vertices[i]))));
  return lowest - plane[3];
}
