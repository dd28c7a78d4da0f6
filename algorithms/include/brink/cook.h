/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_COOK_H
#define BRINK_COOK_H
/* Cooking: preprocess a triangle mesh once, and use the result for any number of shapes (brinkShapeDef.blob of
 * brink/ccd.h) and runs. The blob is position-independent, may be written to a file, and holds the exact vertices and
 * triangles, a decomposition into convex surface patches, a binary tree of convex hulls and oriented boxes. It carries
 * a version, its size and a checksum; brinkCheckBlob refuses anything else. Blobs are of one machine kind (little
 * endian, IEEE doubles).
 *
 * Based on: [CATCH] Sec. 4 (preprocess): BVH of convex hulls over a surface convex decomposition (Ehmann and Lin 2001).
 * Thread rule: [any]; no globals. */
#include "brink/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* libbrink.so exports these functions beside brinkEntry. */
#if defined(__GNUC__) && !defined(_WIN32)
#define BRINK_COOK_API __attribute__((visibility("default")))
#else
#define BRINK_COOK_API
#endif

enum { BRINK_COOK_QUICK = 1u << 0 /* looser boxes and hulls: cooked several times faster, asked somewhat slower */ };

typedef struct brinkCookOptions { /* NULL or all 0 but structSize: the defaults */
  uint32_t structSize;
  uint32_t flags; /* BRINK_COOK_* */
  /* progress in [0,1]; may be NULL; return nonzero to give up (brink_errorBusy) */
  int (*progress)(void *user, double fraction);
  void *user;
  /* Runs task(data, i) for all i below count, in any order, on any threads, and returns when all are done; NULL: one
   * after the other. The blob is the same, bit for bit. A host whose struct ends before this member is served too. */
  void (*run)(void *runUser, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
  void *runUser;
} brinkCookOptions;

typedef struct brinkMeshSummary {
  uint32_t structSize;
  uint32_t closed;   /* 1: its triangles run along every edge as often one way as the other */
  uint32_t manifold; /* 1: no edge has more than two triangles */
  uint32_t convex;   /* 1: closed, and all vertices lie on the convex hull: may be treated as its hull */
  size_t vertexCount, triangleCount;
  size_t degenerateCount; /* kept as segments and points */
  size_t patchCount;      /* convex surface patches */
  size_t nodeCount;       /* nodes of the tree of hulls */
  brinkAabb bounds;
} brinkMeshSummary;

/* Cooks `mesh`: *blob, *blobSize bytes, is the caller's (brinkFreeBlob). On failure *blob is NULL, and message[
 * messageCapacity] (may be NULL) says what, where and what to do. */
BRINK_COOK_API brinkStatus brinkCook(const brinkMeshView *mesh, const brinkCookOptions *options, void **blob,
                                     size_t *blobSize, char *message, size_t messageCapacity);
BRINK_COOK_API void brinkFreeBlob(void *blob); /* NULL is a no-op */
/* Is this a whole, undamaged blob of this version? Fills summary when it is not NULL. Never reads past blobSize. */
BRINK_COOK_API brinkStatus brinkCheckBlob(const void *blob, size_t blobSize, brinkMeshSummary *summary, char *message,
                                          size_t messageCapacity);
/* The exact mesh inside a blob, in *out: vertices and triangles in the order they were given; they live as long as the
 * blob. */
BRINK_COOK_API brinkStatus brinkBlobMesh(const void *blob, size_t blobSize, brinkMeshView *out);
/* For pictures: the tree of convex hulls inside a blob, cut at a depth (0: one hull around all; leaves above the depth
 * stand for themselves). edges: [capacity][2][3], m, mesh's frame; NULL with capacity 0 only counts. *edgeCount: how
 * many there are; the first `capacity` of them are written. */
BRINK_COOK_API brinkStatus brinkBlobHullEdges(const void *blob, size_t blobSize, uint32_t depth, double *edges,
                                              size_t capacity, size_t *edgeCount);

#ifdef __cplusplus
}
#endif
#endif
