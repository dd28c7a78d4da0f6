/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TOC_JUDGE_H
#define BRINK_TOC_JUDGE_H
/* A slow second opinion on distances and motions: triangle against triangle in 80-bit floats, a uniform grid for
 * culling, nothing shared with algorithms/ or with ODE. Units: m, rad; quaternions (w,x,y,z), any length but 0. Thread
 * rule: one mesh, one thread (each has its own scratch). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct judgePose {
  long double position[3], turn[4];
} judgePose;

/* position + s velocity, turned by s |spin| about spin (world axes), s in [0,1]. */
typedef struct judgeMotion {
  double position[3], turn[4], velocity[3], spin[3];
} judgeMotion;
judgePose judge_PoseAt(const judgeMotion *motion, long double s);

typedef struct judgeMesh judgeMesh;
/* Copies; NULL: no memory. Degenerate triangles count as segments and points. */
judgeMesh *judgeMesh_Create(const double *vertices, size_t vertexCount, const uint32_t *indices, size_t triangleCount);
void judgeMesh_Destroy(judgeMesh *mesh);
double judgeMesh_Diagonal(const judgeMesh *mesh); /* m, of its box */

/* The distance of two meshes when it is at most limit, else some value above limit; 0 when they cross. */
long double judge_Distance(judgeMesh *a, const judgePose *poseA, judgeMesh *b, const judgePose *poseB,
                           long double limit);
/* Signed distance of a mesh from the half-space normal . x <= offset; normal is a unit vector. */
long double judge_PlaneDistance(const double plane[4], judgeMesh *mesh, const judgePose *pose);

#endif
