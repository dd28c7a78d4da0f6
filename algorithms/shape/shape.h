/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SHAPE_H
#define BRINK_SHAPE_H
/* What a body is: an immutable shape in its own frame, and the convex piece, the one thing that distance code sees.
 *
 * A piece is a convex core (points, box, cylinder, a caller's support function) swept by a sphere of `radius`, or a
 * half-space. Every shape is either one piece (sphere, capsule, box, cylinder, plane, hull, point, segment, ray,
 * support) or a mesh (mesh, heightfield): a binary tree of hulls over triangles (hull_tree.h) whose nodes and triangles
 * are pieces. Compounds are lists of these, taken apart above this floor. */
#include "base.h"
#include "linear.h"

/* Values of brinkShapeType in brink/ccd.h (asserted equal in plugin, which sees both). */
enum {
  brink_shapeSphere = 1,
  brink_shapeCapsule,
  brink_shapeBox,
  brink_shapeCylinder,
  brink_shapePlane,
  brink_shapeHull,
  brink_shapeMesh,
  brink_shapePoint,
  brink_shapeSegment,
  brink_shapeRay,
  brink_shapeHeightfield,
  brink_shapeCompound, /* never seen here: its children are */
  brink_shapeSupport
};

/* Point pieces with more vertices than this carry edge neighbours (when they are hulls) and are climbed. */
#define BRINK_BRUTE_FORCE_VERTICES 24u
/* Largest |coordinate|, size or offset that a shape may have, m: squares of differences stay finite. */
#define BRINK_LARGEST_COORDINATE 1e150

typedef enum brinkPieceKind {
  brink_piecePoints = 0,    /* hull of vertices[count]; 1 = point, 2 = segment, 3 = triangle */
  brink_pieceBox = 1,       /* half extents in half, centred at center, axes of the frame */
  brink_pieceCylinder = 2,  /* axis z through center; half.x = radius, half.z = half length */
  brink_pieceHalfSpace = 3, /* normal.x <= offset (unit normal) */
  brink_pieceSupport = 4    /* whatever the caller's function says */
} brinkPieceKind;

/* A caller's convex set. For unit d the function gives a point that lies within `rounding` of the set, and no point of
 * the set is further along d by more than `rounding`. Answers that are no numbers, or beyond `bound`, count as the
 * ball's. */
typedef struct brinkSupportSource {
  void (*function)(void *user, const double direction[3], double point[3]);
  void *user;
  double bound;    /* radius of a ball about the frame's origin that holds the set, m */
  double rounding; /* m */
} brinkSupportSource;

/* Borrowed view; lives as long as the shape it came from. First what every question reads, side by side. */
typedef struct brinkPiece {
  brinkPieceKind kind;
  uint32_t count;
  brinkVec3 center;              /* of the bounding sphere (and of box, cylinder) */
  double boundRadius;            /* of the core about center, rounded up */
  double radius;                 /* sphere sweep */
  const double *columns;         /* the vertices once more: largest_product.h; NULL: none */
  const double *vertices;        /* [count][3], shape frame */
  const uint32_t *vertexIds;     /* ids of those vertices in the mesh; NULL = 0..count-1 */
  const uint32_t *neighborStart; /* CSR of edge neighbours for hill climbing, or NULL */
  const uint32_t *neighbors;
  const brinkSupportSource *support; /* kind support only */
  brinkVec3 half;
  brinkVec3 normal;
  double offset;
} brinkPiece;

/* No vertices to name: boundaries bend (or may do so). */
static inline bool brinkPiece_IsCurved(const brinkPiece *piece) {
  return piece->kind == brink_pieceCylinder || piece->kind == brink_pieceSupport;
}

typedef struct brinkHullTree brinkHullTree;

typedef struct brinkShape {
  uint32_t type;  /* brinkShapeType of brink/ccd.h; a mesh flagged BRINK_MESH_CONVEX becomes brink_shapeHull */
  uint32_t flags; /* BRINK_MESH_* for meshes and hulls */
  const brinkHullTree *tree;    /* meshes only. Its pieces are sharp: the margin is piece.radius of the shape */
  struct brinkObbTree *obbTree; /* meshes whose coordinates fit single precision; a view of the tree's blob */
  brinkPiece piece;             /* whole shape for single pieces; convex hull of the whole for meshes ([CATCH] 7.2) */
  brinkObb obb;                 /* bounds the shape with its margin, shape frame; infinite for planes */
  double boundRadius;    /* max |x| over the shape from the frame's origin, margin included; INFINITY for planes */
  double thickness;      /* smallest extent, m: what default allowances are a fraction of */
  brinkVec3 innerCenter; /* hulls, meshes that bound a convex body: a ball inside (inner_core.h) */
  double innerRadius;    /* 0: none known */
  size_t size;           /* bytes of this allocation */
} brinkShape;

/* Furthest vertex (index into the piece; for box 0..7, cylinder 0) of the CORE along d (piece frame, any length), and
 * the point itself. hint: vertex to start hill climbing from.
 * Brute force (no neighbours, or columns of up to 64): right up to the rounding of one dot product. Hill climbing stops
 * where no neighbour's ROUNDED product is larger; the graph is exactly that of a convex polytope, so in real numbers
 * this is the maximum, and in doubles it can fall short by at most e R / w, with e = 4 DBL_EPSILON |d| (|center| +
 * boundRadius) the rounding of a product, R the piece's diameter and w the width of the cone of edges at that vertex
 * (of the order of the shortest edge): a direction to propose, not a bound. Bounds come from SupportValue, which never
 * climbs. Half-space: the point normal * offset. Support function: its answer, index 0. */
uint32_t brinkPiece_Support(const brinkPiece *piece, brinkVec3 d, uint32_t hint, brinkVec3 *point);
/* max over the piece (core plus radius |d|) of d.x, rounded UP (proven: all vertices are looked at); half-space:
 * INFINITY unless d is its normal times a factor >= 0, exactly. */
double brinkPiece_SupportValue(const brinkPiece *piece, brinkVec3 d);
/* The same of the core alone. */
double brinkPiece_CoreSupportValue(const brinkPiece *piece, brinkVec3 d);
/* The same, to the last bit, where brinkPiece_Support told `index` for this very d: looked at again only where that may
 * have stopped short. */
double brinkPiece_CoreSupportValueAt(const brinkPiece *piece, brinkVec3 d, uint32_t index);
/* Vertex of the core by index (as returned by Support). Box corners: bit 0 = +x, bit 1 = +y, bit 2 = +z. */
brinkVec3 brinkPiece_Vertex(const brinkPiece *piece, uint32_t index);

brinkPiece brinkMakePointPiece(const double vertices[], uint32_t count, double radius); /* borrows vertices */

/* |v| rounded up, safe from overflow and underflow. */
double brinkLengthBound(brinkVec3 v);
/* Ball about a given centre: the largest distance to points[ids[i]] (ids NULL = 0..count-1), rounded up. */
double brinkMakeBallRadius(const double *points, const uint32_t *ids, uint32_t count, brinkVec3 center);

#endif
