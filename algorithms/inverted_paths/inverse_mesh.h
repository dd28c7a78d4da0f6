/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INVERSE_MESH_H
#define BRINK_INVERSE_MESH_H
/* A triangle mesh as inverted trajectories meet it: boxes over triangles in the mesh's own frame, its connected parts,
 * and is a point inside? Points and segments (repeated ids) are legal. Read only once made: any number of threads.
 *
 * Based on: box trees by median split; winding number by signed crossings of a segment, exact orientation (convex.h).
 * Units: m. */
#include "base.h"
#include "linear.h"

typedef struct brinkInverseNode {
  double low[3], high[3];
  uint32_t right; /* inner: the other child is the next node; 0 = leaf */
  uint32_t triangle;
} brinkInverseNode;

typedef struct brinkInverseLeaf { /* what a tree is built over */
  double low[3], high[3];
  uint32_t id;
} brinkInverseLeaf;

typedef struct brinkInverseMesh {
  double *vertices; /* [vertexCount][3], a copy */
  size_t vertexCount;
  uint32_t *triangles; /* [triangleCount][3] */
  size_t triangleCount;
  brinkInverseNode *nodes; /* [2 triangleCount - 1] */
  uint32_t *parts;         /* [partCount]: a vertex of each connected part */
  size_t partCount;
  bool solid;
  double error;    /* m: true points of the body lie within this of the triangles, and back */
  double reach[3]; /* largest |coordinate| */
} brinkInverseMesh;

/* Copies. Not finite, out of range, empty, solid but not closed: status and message beginning with `name`; out
 * untouched. */
brinkStatus brinkInverseMesh_Make(brinkContext *context, const brinkMeshView *view, const char *name,
                                  brinkInverseMesh *out);
/* A tree by median split, ties by id; leaves are reordered; nodes: [2 count - 1], `triangle` is the leaf's id. */
void brinkInverseNodes_Build(brinkInverseLeaf *leaves, size_t count, brinkInverseNode *nodes);
void brinkInverseMesh_Free(brinkContext *context, brinkInverseMesh *mesh);
/* Is the winding number about p not 0? 1 yes, 0 no (always of open meshes), -1 doubtful: p is on the surface or as good
 * as. Exact for the doubles given. */
int brinkInverseMesh_Contains(const brinkInverseMesh *mesh, const double p[3]);

static inline const double *brinkInverseMesh_Vertex(const brinkInverseMesh *mesh, uint32_t triangle, int corner) {
  return mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + (size_t)corner];
}

#endif
