/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_FACE_TREE_H
#define BRINK_FACE_TREE_H
/* A body of convex faces in motion, and a binary tree over its faces whose nodes are ranges of one order: what
 * toleranced motions are asked about and what certificates speak of. A face is the convex hull of its vertices: a
 * point, a segment, a triangle, a polygon, or a whole convex solid. Owned by whoever made it; the body borrows its
 * arrays. Units: m. */
#include "motion_curve.h"

typedef struct brinkFaceBody {
  brinkMotionCurve motion;
  const double *vertices;  /* [vertexCount][3], frame of the last stage */
  const double *vertices1; /* NULL, or where the vertices are at t = 1: they move on straight lines in that frame */
  size_t vertexCount;
  const uint32_t *faceStart; /* [faceCount + 1] */
  const uint32_t *faceIds;
  size_t faceCount;
  double radius;    /* swept by a sphere of this radius */
  bool solid;       /* the triangles of the faces' fans close a surface; what it winds about belongs to the body */
  bool halfSpace;   /* normal.x <= offset in the world; no faces, no motion */
  brinkVec3 normal; /* unit up to rounding */
  double offset;
} brinkFaceBody;

typedef struct brinkFaceNode {
  uint32_t first, count;             /* range in order[] */
  int32_t left, right;               /* -1: a single face */
  uint32_t vertexStart, vertexCount; /* in ids[]: each vertex below, once */
  brinkVec3 center;                  /* ball around the vertices (at t = 0), body frame */
  double radius;                     /* rounded up */
} brinkFaceNode;

typedef struct brinkFaceTree {
  brinkFaceNode *nodes; /* [nodeCount], root first, children after parents */
  uint32_t *order;      /* [faceCount]: face ids */
  uint32_t *ids;        /* vertex lists of the nodes */
  uint32_t nodeCount;
  size_t faceCount, idCount;
  size_t nodeBytes, orderBytes, idBytes;
} brinkFaceTree;

/* Do three corners bound anything? Not when two of them are at one place (at both ends of time). */
bool brinkFaceBody_Bounds(const brinkFaceBody *body, const uint32_t ids[3]);
/* name: of the body, for messages. brink_errorEmpty, BadIndex, BadValue, BadTime, NotClosed (solid, but some edge of
 * its fans is not run as often one way as the other; fan: (v0 v1 v2), (v0 v2 v3), ...). */
brinkStatus brinkCheckFaceBody(brinkContext *context, const brinkFaceBody *body, const char *name);
/* Median splits along the widest axis of the faces' centres; ties by face id. */
brinkStatus brinkFaceTree_Build(brinkContext *context, const brinkFaceBody *body, brinkFaceTree *out);
void brinkFaceTree_Free(brinkContext *context, brinkFaceTree *tree);

#endif
