/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INTERFERENCE_ASSETS_H
#define BRINK_INTERFERENCE_ASSETS_H
/* For interference by inverted trajectories: subsets of bodies as PLY and GLB, coloured by time of entry, and four
 * worked examples (two bodies and their motion). Units: m; step time in [0,1]. Thread rule: [any] for different paths.
 */
#include "brink/assets.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Borrowed. A time of entry above 1 means: does not interfere (drawn grey; points are left out). */
typedef struct brinkColoredSubset {
  const double *vertices; /* [vertexCount][3] */
  size_t vertexCount;
  const uint32_t *triangles; /* [triangleCount][3] */
  size_t triangleCount;
  const double *faceTimes;  /* [triangleCount][2]: entry, exit */
  const double *points;     /* [pointCount][3] */
  const double *pointTimes; /* [pointCount][2] */
  size_t pointCount;
} brinkColoredSubset;

/* Colour of a time of entry: 0 violet, over green, to 1 yellow; above 1 grey. */
void brinkEntryColor(double entry, unsigned char color[3]);
/* Points with entry and exit, then the mesh with a colour, entry and exit a face. Text, whole or not at all. */
brinkStatus brinkWriteSubsetPly(const char *path, const brinkColoredSubset *subset, char *message,
                                size_t messageCapacity);
/* The same as glTF 2.0: one primitive of triangles, one of points, vertex colours. Whole or not at all. */
brinkStatus brinkWriteSubsetGlb(const char *path, const brinkColoredSubset *subset, char *message,
                                size_t messageCapacity);

/* Polygons as lines of a Wavefront OBJ; of one vertex: points. starts: [lineCount + 1], line i has the vertices from
 * starts[i] to starts[i+1]. Whole or not at all. */
brinkStatus brinkWriteLinesObj(const char *path, const double *vertices, const size_t *starts, size_t lineCount,
                               char *message, size_t messageCapacity);

/* Two bodies and B's motion in A's frame, as keys of 4x4 matrices. Owned. */
typedef struct brinkMotionExample {
  const char *name, *title; /* static */
  brinkMesh mesh[2];        /* triangles; empty when the body is made of patches */
  double *patches[2];       /* [patchCount][4][4][4]: bicubic control points x y z weight */
  size_t patchCount[2];
  uint32_t flags[2];    /* BRINK_MESH_SOLID */
  double patchError;    /* m */
  double *times, *keys; /* [keyCount], [keyCount][16] */
  size_t keyCount;
  double spacing;     /* of samples, m */
  double insidePitch; /* of inside samples, m; 0 = none */
} brinkMotionExample;

/* The paper's four: two cubes on a curve with two rotations ("cubes"), two parts of 850 and 240 rational patches
 * ("parts"). Also an open surface of 2,900 triangles against a solid of 2,700 ("scans"), a cylinder that deforms
 * against two posts ("cylinder"). The paper's models are not at hand: these are stand-ins of the same kind and size. */
#define BRINK_MOTION_EXAMPLES 4
const char *brinkMotionExampleName(int index); /* static; NULL beyond the last */
brinkStatus brinkMakeMotionExample(const char *name, brinkMotionExample *out, char *message, size_t messageCapacity);
void brinkFreeMotionExample(brinkMotionExample *example);

#ifdef __cplusplus
}
#endif
#endif
