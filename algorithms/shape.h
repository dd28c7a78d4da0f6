/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SHAPE_H
#define BRINK_SHAPE_H
/* What a body is: an immutable shape in its own frame, and the convex piece, the one thing that distance code sees.
 *
 * A piece is a convex core (points, box, cylinder) swept by a sphere of `radius`, or a half-space. Every shape is either
 * one piece (sphere, capsule, box, cylinder, plane, hull, point, segment) or a mesh: a binary tree of hulls over triangles
 * (hull_tree.h) whose nodes and triangles are pieces. */
#include "base.h"
#include "linear.h"
#include "swept_bounds.h"

typedef enum brinkPieceKind {
  brink_piecePoints = 0,    /* hull of vertices[count]; 1 = point, 2 = segment, 3 = triangle */
  brink_pieceBox = 1,       /* half extents in half, centred at center, axes of the frame */
  brink_pieceCylinder = 2,  /* axis z through center; half.x = radius, half.z = half length */
  brink_pieceHalfSpace = 3  /* normal.x <= offset (unit normal); never on both sides of a pair */
} brinkPieceKind;

/* Borrowed view; lives as long as the shape it came from. */
typedef struct brinkPiece {
  brinkPieceKind kind;
  uint32_t count;
  const double *vertices;       /* [count][3], shape frame */
  const uint32_t *vertexIds;    /* ids of those vertices in the mesh; NULL = 0..count-1 */
  const uint32_t *neighborStart; /* CSR of edge neighbours for hill climbing, or NULL */
  const uint32_t *neighbors;
  brinkVec3 center;   /* of the bounding sphere (and of box, cylinder) */
  double boundRadius; /* of the core about center, rounded up */
  brinkVec3 half;
  brinkVec3 normal;
  double offset;
  double radius;      /* sphere sweep */
} brinkPiece;

typedef struct brinkHullTree brinkHullTree;

typedef struct brinkShape {
  uint32_t type;       /* brinkShapeType of brink/ccd.h */
  uint32_t flags;      /* BRINK_MESH_* for meshes and hulls */
  brinkPiece piece;    /* whole shape for single pieces; convex hull of the whole for meshes ([CATCH] 7.2) */
  const brinkHullTree *tree; /* meshes only */
  brinkObb obb;        /* bounds the shape with its margin, shape frame; infinite for planes */
  double boundRadius;  /* max |x| over the shape from the frame's origin, margin included; INFINITY for planes */
  double thickness;    /* smallest extent, m: what default allowances are a fraction of */
  size_t size;         /* bytes of this allocation */
} brinkShape;

/* Furthest vertex (index into the piece; for box 0..7, cylinder 0) of the CORE along d (piece frame, any length), and the
 * point itself. hint: vertex to start hill climbing from. */
uint32_t brinkPiece_Support(const brinkPiece *piece, brinkVec3 d, uint32_t hint, brinkVec3 *point);
/* max over the piece (core plus radius |d|) of d.x, rounded UP; half-space: INFINITY unless d is its normal. */
double brinkPiece_SupportValue(const brinkPiece *piece, brinkVec3 d);
/* Vertex of the core by index (as returned by Support). Box corners: bit 0 = +x, bit 1 = +y, bit 2 = +z. */
brinkVec3 brinkPiece_Vertex(const brinkPiece *piece, uint32_t index);

brinkPiece brinkMakePointPiece(const double vertices[], uint32_t count, double radius); /* borrows vertices */

/* Creation: one allocation each from the context. hull: copies; runs qhull, so only extreme vertices are kept, with edge
 * neighbours; planar, collinear and single-point sets are legal. mesh: see hull_tree.h (copies the blob unless borrow). */
struct brinkShapeDefInternal;
typedef struct brinkShapeSpec {
  uint32_t type;
  brinkVec3 size;
  brinkVec3 normal;
  double offset, margin;
  const brinkMeshView *mesh; /* hull, mesh */
  const void *blob;
  size_t blobSize;
  bool borrowBlob;
} brinkShapeSpec;
/* Validates everything (finite, sizes > 0 where a size is a radius or extent; zero sizes are refused with BadValue). */
brinkStatus brinkCreateShape(brinkContext *context, const brinkShapeSpec *spec, brinkShape **out);
void brinkDestroyShape(brinkContext *context, brinkShape *shape);

#endif
