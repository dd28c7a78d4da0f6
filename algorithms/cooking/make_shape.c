/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation of shapes: everything is checked, then one allocation holds the shape and what it owns.
 *
 * Rounding: lengths and radii are scaled by 1 + 4 DBL_EPSILON. Units: m. */
#include "make_shape.h"

#include "blob.h"
#include "bounds.h"
#include "convex.h"
#include "cook.h"
#include "largest_product.h"

#define ROUND_UP (1.0 + 4.0 * DBL_EPSILON)
/* Heightfields: two triangles a cell stay countable in 31 bits. */
#define MAX_SAMPLES (1u << 28)

static brinkStatus checkLength(brinkContext *context, const char *name, double value, bool zeroIsLegal) {
  if (!isfinite(value)) return brinkFail(context, brink_errorBadValue, "%s is %g; give a finite length", name, value);
  if (value < 0.0 || (value == 0.0 && !zeroIsLegal))
    return brinkFail(context, brink_errorBadValue, "%s is %g; give a length %s 0", name, value,
                     zeroIsLegal ? ">=" : ">");
  if (value > BRINK_LARGEST_COORDINATE)
    return brinkFail(context, brink_errorRange, "%s is %g m; lengths up to %g m can be computed", name, value,
                     BRINK_LARGEST_COORDINATE);
  return brink_ok;
}

static brinkShape *allocateShape(brinkContext *context, size_t extra) {
  if (extra > SIZE_MAX - sizeof(brinkShape)) return NULL;
  brinkShape *shape = brinkAllocateZeroed(context, 1, sizeof(brinkShape) + extra);
  if (shape) shape->size = sizeof(brinkShape) + extra;
  return shape;
}

/* Box about the frame's origin with these half extents. */
static brinkObb plainBox(brinkVec3 half) { return (brinkObb){{0, 0, 0}, brinkIdentity3(), half}; }

/* The core's box grows by the margin, and what follows from it is filled in. */
static void finishShape(brinkShape *shape, brinkObb core, double farthest) {
  double radius = shape->piece.radius;
  brinkVec3 grown = brinkAdd(core.half, brinkV3(radius, radius, radius));
  if (radius > 0.0) grown = brinkScale(grown, ROUND_UP);
  shape->obb = core;
  shape->obb.half = grown;
  shape->boundRadius = radius > 0.0 ? (farthest + radius) * ROUND_UP : farthest;
  shape->thickness = 2.0 * fmin(core.half.x, fmin(core.half.y, core.half.z)) + 2.0 * radius;
}

/* Points about the origin with their own box: sphere, capsule, point, segment. */
static brinkStatus createPoints(brinkContext *context, brinkVec3 from, brinkVec3 to, uint32_t count, double radius,
                                brinkShape **out) {
  brinkShape *shape = allocateShape(context, 6 * sizeof(double));
  if (!shape) return brinkFail(context, brink_errorNoMemory, "no memory for a shape");
  double *vertices = (double *)(shape + 1);
  vertices[0] = from.x, vertices[1] = from.y, vertices[2] = from.z;
  vertices[3] = to.x, vertices[4] = to.y, vertices[5] = to.z;
  shape->piece = brinkMakePointPiece(vertices, count, radius);
  static const uint32_t noTriangle[3] = {0, 0, 0};
  brinkObb box = brinkMakeTightBox(vertices, NULL, count, noTriangle, NULL, 0);
  if (count == 1) box.half = brinkV3(0, 0, 0);
  finishShape(shape, box, brinkMakeBallRadius(vertices, NULL, count, brinkV3(0, 0, 0)));
  if (radius > 0.0) shape->thickness = 2.0 * radius; /* of a ball swept along a line, whatever the box's rounding */
  *out = shape;
  return brink_ok;
}

static brinkStatus createSolid(brinkContext *context, const brinkShapeSpec *spec, brinkPieceKind kind, brinkVec3 half,
                               brinkShape **out) {
  brinkShape *shape = allocateShape(context, 0);
  if (!shape) return brinkFail(context, brink_errorNoMemory, "no memory for a shape");
  double farthest = kind == brink_pieceBox ? brinkLengthBound(half) : brinkLengthBound(brinkV3(half.x, 0.0, half.z));
  shape->piece = (brinkPiece){.kind = kind, .half = half, .radius = spec->margin, .boundRadius = farthest};
  finishShape(shape, plainBox(half), farthest);
  *out = shape;
  return brink_ok;
}

static brinkStatus createPlane(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out) {
  if (!brinkFiniteV3(spec->normal) || !isfinite(spec->offset))
    return brinkFail(context, brink_errorBadValue, "plane: normal (%g, %g, %g), offset %g; give finite numbers",
                     spec->normal.x, spec->normal.y, spec->normal.z, spec->offset);
  double largest = fmax(fabs(spec->normal.x), fmax(fabs(spec->normal.y), fabs(spec->normal.z)));
  if (largest == 0.0) return brinkFail(context, brink_errorBadValue, "plane: the normal is zero; give a direction");
  brinkVec3 scaled = {spec->normal.x / largest, spec->normal.y / largest, spec->normal.z / largest};
  double length = brinkLength(scaled), offset = spec->offset / largest / length;
  if (!(fabs(offset) <= BRINK_LARGEST_COORDINATE))
    return brinkFail(context, brink_errorRange, "plane: %g m from the origin; up to %g m can be computed", offset,
                     BRINK_LARGEST_COORDINATE);
  brinkShape *shape = allocateShape(context, 0);
  if (!shape) return brinkFail(context, brink_errorNoMemory, "no memory for a shape");
  shape->piece = (brinkPiece){.kind = brink_pieceHalfSpace,
                              .normal = brinkScale(scaled, 1.0 / length),
                              .offset = offset,
                              .radius = spec->margin,
                              .boundRadius = INFINITY};
  shape->obb = plainBox(brinkV3(INFINITY, INFINITY, INFINITY));
  shape->boundRadius = shape->thickness = INFINITY;
  *out = shape;
  return brink_ok;
}

static brinkStatus checkPoints(brinkContext *context, const brinkMeshView *mesh) {
  if (!mesh) return brinkFail(context, brink_errorNullArgument, "hull: no mesh given; its vertices are the points");
  if (mesh->vertexCount == 0) return brinkFail(context, brink_errorEmpty, "hull: no vertices; give at least one point");
  if (!mesh->vertices)
    return brinkFail(context, brink_errorNullArgument, "hull: %zu vertices at NULL", mesh->vertexCount);
  if (mesh->vertexCount > INT32_MAX / 8)
    return brinkFail(context, brink_errorRange, "hull: %zu vertices; up to %d are served", mesh->vertexCount,
                     INT32_MAX / 8);
  for (size_t i = 0; i < 3 * mesh->vertexCount; ++i) {
    double x = mesh->vertices[i];
    if (!isfinite(x))
      return brinkFail(context, brink_errorBadValue, "hull: vertex %zu, %c is %g; give finite coordinates", i / 3,
                       (char)('x' + i % 3), x);
    if (fabs(x) > BRINK_LARGEST_COORDINATE)
      return brinkFail(context, brink_errorRange, "hull: vertex %zu, %c is %g m; up to %g m can be computed", i / 3,
                       (char)('x' + i % 3), x, BRINK_LARGEST_COORDINATE);
  }
  return brink_ok;
}

/* Fewer vertices than this are looked at one by one. */
#define FEWEST_COLUMNS 9u
#define CACHE_LINE 64u /* bytes */

/* How many doubles the columns of so many vertices take; 0: they have none. */
static size_t columnsOf(uint32_t count) {
  return count >= FEWEST_COLUMNS ? 3u * (size_t)brinkPointColumns_Room(count) : 0u;
}

/* The first cache line that begins there or behind it, at most CACHE_LINE - 1 bytes on. */
static double *columnsFrom(void *end) {
  return (double *)(void *)((char *)end + (CACHE_LINE - (uintptr_t)end % CACHE_LINE) % CACHE_LINE);
}

static void putIntoColumns(brinkPiece *piece, double *columns) {
  if (columnsOf(piece->count) == 0u) return;
  brinkMakePointColumns(piece->vertices, piece->count, columns);
  piece->columns = columns;
}

static brinkStatus createHull(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out) {
  brinkStatus status = checkPoints(context, spec->mesh);
  brinkConvexHull hull;
  if (status == brink_ok)
    status = brinkMakeConvexHull(context, spec->mesh->vertices, (uint32_t)spec->mesh->vertexCount, &hull);
  if (status != brink_ok) return status;
  size_t count = hull.vertexCount, graph = hull.neighborCount > 0 ? count + 1 + hull.neighborCount : 0;
  const size_t columnCount = columnsOf((uint32_t)count);
  brinkShape *shape = allocateShape(
      context, CACHE_LINE + (columnCount + 3 * count) * sizeof(double) + (count + graph) * sizeof(uint32_t));
  if (shape) {
    double *columns = columnsFrom(shape + 1), *vertices = columns + columnCount;
    uint32_t *ids = (uint32_t *)(vertices + 3 * count), *start = ids + count, *neighbors = start + count + 1;
    for (size_t i = 0; i < count; ++i) {
      memcpy(&vertices[3 * i], &spec->mesh->vertices[3 * (size_t)hull.vertices[i]], 3 * sizeof(double));
      ids[i] = hull.vertices[i];
    }
    brinkObb box = brinkMakeTightBox(vertices, NULL, (uint32_t)count, hull.faces, NULL, hull.faceCount);
    shape->flags = spec->mesh->flags | BRINK_MESH_CONVEX;
    shape->piece = brinkMakePointPiece(vertices, (uint32_t)count, spec->margin);
    shape->piece.boundRadius =
        brinkMakeBall(vertices, NULL, (uint32_t)count, shape->piece.center, &shape->piece.center);
    shape->piece.vertexIds = ids;
    if (graph > 0) {
      memcpy(start, hull.neighborStart, (count + 1) * sizeof(uint32_t));
      memcpy(neighbors, hull.neighbors, hull.neighborCount * sizeof(uint32_t));
      shape->piece.neighborStart = start;
      shape->piece.neighbors = neighbors;
    }
    putIntoColumns(&shape->piece, columns);
    finishShape(shape, box, brinkMakeBallRadius(vertices, NULL, (uint32_t)count, brinkV3(0, 0, 0)));
    brinkFindInnerBall(vertices, count, hull.faces, hull.faceCount, &shape->innerCenter, &shape->innerRadius);
    *out = shape;
  } else {
    status = brinkFail(context, brink_errorNoMemory, "no memory for a hull of %zu vertices", count);
  }
  brinkFreeConvexHull(context, &hull);
  return status;
}

/* Directions in which a support function is tried before it is believed: corners, edges and faces of a cube. */
#define SUPPORT_TRIALS 26

static brinkStatus trySupport(brinkContext *context, const brinkSupportSource *source) {
  double d[SUPPORT_TRIALS][3], p[SUPPORT_TRIALS][3];
  int count = 0;
  for (int code = 0; code < 27; ++code) {
    brinkVec3 line = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
    if (code == 13) continue;
    line = brinkNormalizeOr(line, line);
    d[count][0] = line.x, d[count][1] = line.y, d[count][2] = line.z;
    p[count][0] = p[count][1] = p[count][2] = NAN;
    source->function(source->user, d[count], p[count]);
    ++count;
  }
  double slack = 2.0 * source->rounding + 64.0 * DBL_EPSILON * source->bound;
  for (int i = 0; i < count; ++i) {
    brinkVec3 n = brinkV3_FromArray(d[i]), point = brinkV3_FromArray(p[i]);
    if (!brinkFiniteV3(point) || !(brinkLength(point) <= source->bound + slack))
      return brinkFail(context, brink_errorBadValue,
                       "support function: along (%g, %g, %g) it gives (%g, %g, %g), beyond the bounding radius %g m",
                       n.x, n.y, n.z, point.x, point.y, point.z, source->bound);
    for (int k = 0; k < count; ++k)
      if (brinkDot(n, brinkV3_FromArray(p[k])) > brinkDot(n, point) + slack)
        return brinkFail(
            context, brink_errorBadValue,
            "support function: along (%g, %g, %g) it gives a point %g m short of another one it gave; it must "
            "give the furthest point, within the stated rounding %g m",
            n.x, n.y, n.z, brinkDot(n, brinkV3_FromArray(p[k])) - brinkDot(n, point), source->rounding);
  }
  return brink_ok;
}

static brinkStatus createSupport(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out) {
  const brinkSupportSource *source = &spec->support;
  if (source->function == NULL) return brinkFail(context, brink_errorNullArgument, "support function is NULL");
  brinkStatus status = checkLength(context, "support function: bounding radius", source->bound, false);
  if (status == brink_ok) status = checkLength(context, "support function: rounding", source->rounding, true);
  if (status == brink_ok && !(source->rounding <= 0.5 * source->bound))
    status = brinkFail(context, brink_errorBadValue,
                       "support function: rounding %g m is more than half the bounding radius", source->rounding);
  if (status == brink_ok) status = trySupport(context, source);
  if (status != brink_ok) return status;
  brinkShape *shape = allocateShape(context, sizeof(brinkSupportSource));
  if (!shape) return brinkFail(context, brink_errorNoMemory, "no memory for a shape");
  brinkSupportSource *own = memcpy(shape + 1, source, sizeof *own);
  double farthest = (own->bound + own->rounding) * ROUND_UP;
  shape->piece =
      (brinkPiece){.kind = brink_pieceSupport, .support = own, .boundRadius = farthest, .radius = spec->margin};
  double low[3], high[3];
  brinkPiece core = shape->piece;
  core.radius = 0.0;
  for (int k = 0; k < 3; ++k) {
    brinkVec3 axis = {k == 0, k == 1, k == 2};
    high[k] = brinkPiece_SupportValue(&core, axis);
    low[k] = -brinkPiece_SupportValue(&core, brinkNeg(axis));
  }
  brinkVec3 lower = brinkV3_FromArray(low), upper = brinkV3_FromArray(high);
  double slack = 8.0 * DBL_EPSILON * farthest; /* of the middle */
  brinkObb box = {brinkScale(brinkAdd(lower, upper), 0.5), brinkIdentity3(),
                  brinkAdd(brinkScale(brinkSub(upper, lower), 0.5), brinkV3(slack, slack, slack))};
  box.half = brinkMaxV3(box.half, brinkV3(0, 0, 0));
  finishShape(shape, box, farthest);
  *out = shape;
  return brink_ok;
}

/* blob: checked. */
static brinkStatus createTree(brinkContext *context, const brinkShapeSpec *spec, const void *blob, size_t blobSize,
                              bool borrow, brinkShape **out) {
  bool convex = (((const brinkHullTree *)blob)->flags & BRINK_MESH_CONVEX) != 0;
  const size_t columnCount = convex ? columnsOf(brinkHullTree_WholeHull(blob).count) : 0u;
  brinkShape *shape = allocateShape(
      context, sizeof(brinkObbTree) + CACHE_LINE + columnCount * sizeof(double) + (borrow ? 0 : blobSize));
  if (!shape) return brinkFail(context, brink_errorNoMemory, "no memory for a mesh of %zu bytes", blobSize);
  brinkObbTree *wide = (brinkObbTree *)(shape + 1); /* a view of the blob */
  double *columns = columnsFrom(wide + 1);
  if (!borrow) blob = memcpy(columns + columnCount, blob, blobSize);
  const brinkHullTree *tree = blob;
  shape->type = convex ? brink_shapeHull : brink_shapeMesh;
  shape->flags = tree->flags;
  shape->tree = convex ? NULL : tree;
  shape->piece = brinkHullTree_WholeHull(tree);
  shape->piece.radius = spec->margin;
  if (convex) putIntoColumns(&shape->piece, columns);
  finishShape(shape, tree->wholeBox,
              brinkMakeBallRadius(shape->piece.vertices, NULL, shape->piece.count, brinkV3(0, 0, 0)));
  if (tree->convex) {
    brinkMeshView mesh = brinkHullTree_Mesh(tree);
    brinkFindInnerBall(mesh.vertices, mesh.vertexCount, mesh.indices, mesh.triangleCount, &shape->innerCenter,
                       &shape->innerRadius);
  }
  if (!convex && brinkHullTree_Wide(tree, wide)) shape->obbTree = wide;
  *out = shape;
  return brink_ok;
}

static brinkStatus createMesh(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out) {
  if (spec->blob) {
    char message[BRINK_MESSAGE_CAPACITY];
    brinkStatus status = brinkCheckBlob(spec->blob, spec->blobSize, NULL, message, sizeof message);
    if (status != brink_ok) return brinkFail(context, status, "%s", message);
    return createTree(context, spec, spec->blob, spec->blobSize, spec->borrowBlob, out);
  }
  if (!spec->mesh) return brinkFail(context, brink_errorNullArgument, "mesh: neither a mesh nor a blob given");
  void *blob;
  size_t blobSize;
  const brinkCookOptions options = {.structSize = sizeof options, .flags = spec->quick ? BRINK_COOK_QUICK : 0u};
  brinkStatus status = brinkCookIn(context, spec->mesh, &options, &blob, &blobSize);
  if (status != brink_ok) return status;
  status = createTree(context, spec, blob, blobSize, false, out);
  brinkRelease(context, blob, blobSize);
  return status;
}

/* ---- heightfields: the mesh of their samples */

static brinkStatus checkHeights(brinkContext *context, const brinkShapeSpec *spec) {
  const brinkHeightfieldSpec *field = &spec->heightfield;
  brinkStatus status = checkLength(context, "heightfield: spacing size.x", spec->size.x, false);
  if (status == brink_ok) status = checkLength(context, "heightfield: spacing size.y", spec->size.y, false);
  if (status != brink_ok) return status;
  if (field->heights == NULL) return brinkFail(context, brink_errorNullArgument, "heightfield: heights is NULL");
  if (field->columns < 2 || field->rows < 2)
    return brinkFail(context, brink_errorEmpty, "heightfield: %zu columns, %zu rows; at least 2 of each",
                     field->columns, field->rows);
  if (field->columns > MAX_SAMPLES / field->rows)
    return brinkFail(context, brink_errorRange, "heightfield: %zu columns, %zu rows; at most %u samples",
                     field->columns, field->rows, MAX_SAMPLES);
  if (!(spec->size.x * (double)field->columns <= BRINK_LARGEST_COORDINATE) ||
      !(spec->size.y * (double)field->rows <= BRINK_LARGEST_COORDINATE))
    return brinkFail(context, brink_errorRange, "heightfield: larger than the %g m that can be computed",
                     BRINK_LARGEST_COORDINATE);
  if (field->solid && !isfinite(spec->offset))
    return brinkFail(context, brink_errorBadValue, "heightfield: bottom offset is %g; give a finite height",
                     spec->offset);
  for (size_t i = 0; i < field->columns * field->rows; ++i) {
    double z = field->heights[i];
    if (!isfinite(z))
      return brinkFail(context, brink_errorBadValue,
                       "heightfield: height at column %zu, row %zu is %g; give finite heights", i % field->columns,
                       i / field->columns, z);
    if (fabs(z) > BRINK_LARGEST_COORDINATE)
      return brinkFail(context, brink_errorRange, "heightfield: height at column %zu, row %zu is %g m; up to %g m",
                       i % field->columns, i / field->columns, z, BRINK_LARGEST_COORDINATE);
    if (field->solid && !(spec->offset < z))
      return brinkFail(context, brink_errorBadValue,
                       "heightfield: height at column %zu, row %zu is %g, not above the bottom offset %g",
                       i % field->columns, i / field->columns, z, spec->offset);
  }
  return brink_ok;
}

/* Sample `step` of the border, counterclockwise from (0,0). */
static size_t borderSample(const brinkHeightfieldSpec *field, size_t step) {
  size_t c = field->columns - 1, r = field->rows - 1;
  if (step < c) return step;
  step -= c;
  if (step < r) return step * field->columns + c;
  step -= r;
  if (step < c) return r * field->columns + (c - step);
  return (r - (step - c)) * field->columns;
}

static uint32_t *addTriangle(uint32_t *next, size_t a, size_t b, size_t c) {
  next[0] = (uint32_t)a, next[1] = (uint32_t)b, next[2] = (uint32_t)c;
  return next + 3;
}

static void fillHeightfield(const brinkShapeSpec *spec, double *vertices, uint32_t *next) {
  const brinkHeightfieldSpec *field = &spec->heightfield;
  size_t columns = field->columns, rows = field->rows, samples = columns * rows, border = 2 * (columns + rows) - 4;
  for (size_t i = 0; i < samples; ++i) {
    vertices[3 * i] = (double)(i % columns) * spec->size.x;
    vertices[3 * i + 1] = (double)(i / columns) * spec->size.y;
    vertices[3 * i + 2] = field->heights[i];
  }
  for (size_t row = 0; row + 1 < rows; ++row)
    for (size_t column = 0; column + 1 < columns; ++column) {
      size_t at = row * columns + column;
      next = addTriangle(next, at, at + 1, at + columns + 1);
      next = addTriangle(next, at, at + columns + 1, at + columns);
    }
  if (!field->solid) return;
  size_t middle = samples + border;
  for (size_t i = 0; i < border; ++i) {
    size_t top = borderSample(field, i), topNext = borderSample(field, (i + 1) % border);
    size_t below = samples + i, belowNext = samples + (i + 1) % border;
    memcpy(&vertices[3 * below], &vertices[3 * top], 2 * sizeof(double));
    vertices[3 * below + 2] = spec->offset;
    next = addTriangle(next, topNext, top, below);
    next = addTriangle(next, topNext, below, belowNext);
    next = addTriangle(next, belowNext, below, middle);
  }
  vertices[3 * middle] = 0.5 * (double)(columns - 1) * spec->size.x;
  vertices[3 * middle + 1] = 0.5 * (double)(rows - 1) * spec->size.y;
  vertices[3 * middle + 2] = spec->offset;
}

static brinkStatus createHeightfield(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out) {
  brinkStatus status = checkHeights(context, spec);
  if (status != brink_ok) return status;
  const brinkHeightfieldSpec *field = &spec->heightfield;
  size_t border = field->solid ? 2 * (field->columns + field->rows) - 4 : 0;
  size_t vertexCount = field->columns * field->rows + border + (field->solid ? 1 : 0);
  size_t triangleCount = 2 * (field->columns - 1) * (field->rows - 1) + 3 * border;
  size_t vertexBytes = 3 * vertexCount * sizeof(double), indexBytes = 3 * triangleCount * sizeof(uint32_t);
  double *vertices = brinkAllocate(context, vertexBytes);
  uint32_t *indices = brinkAllocate(context, indexBytes);
  status = brink_errorNoMemory;
  if (vertices != NULL && indices != NULL) {
    fillHeightfield(spec, vertices, indices);
    const brinkMeshView mesh = {.structSize = sizeof mesh,
                                .flags = field->solid ? BRINK_MESH_SOLID : 0u,
                                .vertices = vertices,
                                .vertexCount = vertexCount,
                                .indices = indices,
                                .triangleCount = triangleCount};
    brinkShapeSpec asMesh = *spec;
    asMesh.mesh = &mesh;
    asMesh.blob = NULL;
    asMesh.quick = true;
    status = createMesh(context, &asMesh, out);
  } else {
    brinkFail(context, status, "no memory for a heightfield of %zu by %zu samples", field->columns, field->rows);
  }
  if (vertices != NULL) brinkRelease(context, vertices, vertexBytes);
  if (indices != NULL) brinkRelease(context, indices, indexBytes);
  return status;
}

static brinkStatus checkDirection(brinkContext *context, const char *name, brinkVec3 size) {
  const double component[3] = {size.x, size.y, size.z};
  for (int k = 0; k < 3; ++k) {
    brinkStatus status = checkLength(context, name, fabs(component[k]), true);
    if (status != brink_ok) return status;
  }
  if (size.x == 0.0 && size.y == 0.0 && size.z == 0.0)
    return brinkFail(context, brink_errorBadValue, "%s is zero; a point is a shape of its own", name);
  return brink_ok;
}

static brinkStatus createByType(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out) {
  brinkVec3 size = spec->size, origin = {0, 0, 0};
  brinkStatus status = brink_ok;
  switch (spec->type) {
    case brink_shapeSphere:
      status = checkLength(context, "sphere: radius size.x", size.x, false);
      return status == brink_ok ? createPoints(context, origin, origin, 1, size.x + spec->margin, out) : status;
    case brink_shapeCapsule:
      status = checkLength(context, "capsule: radius size.x", size.x, false);
      if (status == brink_ok) status = checkLength(context, "capsule: half length size.z", size.z, true);
      if (status != brink_ok) return status;
      if (size.z == 0.0) return createPoints(context, origin, origin, 1, size.x + spec->margin, out);
      return createPoints(context, brinkV3(0, 0, -size.z), brinkV3(0, 0, size.z), 2, size.x + spec->margin, out);
    case brink_shapeBox:
      status = checkLength(context, "box: half extent size.x", size.x, false);
      if (status == brink_ok) status = checkLength(context, "box: half extent size.y", size.y, false);
      if (status == brink_ok) status = checkLength(context, "box: half extent size.z", size.z, false);
      return status == brink_ok ? createSolid(context, spec, brink_pieceBox, size, out) : status;
    case brink_shapeCylinder:
      status = checkLength(context, "cylinder: radius size.x", size.x, false);
      if (status == brink_ok) status = checkLength(context, "cylinder: half length size.z", size.z, false);
      if (status != brink_ok) return status;
      return createSolid(context, spec, brink_pieceCylinder, brinkV3(size.x, size.x, size.z), out);
    case brink_shapePlane:
      return createPlane(context, spec, out);
    case brink_shapeHull:
      return createHull(context, spec, out);
    case brink_shapeMesh:
      return createMesh(context, spec, out);
    case brink_shapePoint:
      return createPoints(context, origin, origin, 1, spec->margin, out);
    case brink_shapeSegment:
      status = checkDirection(context, "segment: size", size);
      return status == brink_ok ? createPoints(context, brinkNeg(size), size, 2, spec->margin, out) : status;
    case brink_shapeRay:
      status = checkDirection(context, "ray: size", size);
      return status == brink_ok ? createPoints(context, origin, size, 2, spec->margin, out) : status;
    case brink_shapeHeightfield:
      return createHeightfield(context, spec, out);
    case brink_shapeSupport:
      return createSupport(context, spec, out);
    default:
      return brinkFail(context, brink_errorBadValue, "shape type %u is not one that stands alone", spec->type);
  }
}

brinkStatus brinkCreateShape(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out) {
  *out = NULL;
  brinkStatus status = checkLength(context, "margin", spec->margin, true);
  if (status == brink_ok) status = createByType(context, spec, out);
  if (status == brink_ok && spec->type != brink_shapeMesh) (*out)->type = spec->type;
  return status;
}

void brinkDestroyShape(brinkContext *context, brinkShape *shape) {
  if (!shape) return;
  brinkRelease(context, shape, shape->size);
}
