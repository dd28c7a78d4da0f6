/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACCEPTANCE_MESH_JUDGE_H
#define ACCEPTANCE_MESH_JUDGE_H
/* Do two placed triangle meshes cross each other? An edge of one that goes through the inside of a triangle of the
 * other, in long double (80 bits on x86): slow, exact enough, and shares nothing with Brink. Surfaces only: a body that
 * lies wholly inside another one, or that flew through it between two looks, is not seen. Units: m. */
#include <stdbool.h>

typedef struct judgeMesh {
  double (*vertices)[3]; /* the owner frees both */
  int (*faces)[3];
  int vertexCount, faceCount;
} judgeMesh;

typedef struct judgePose {
  double position[3], rotation[9]; /* row-major, body to world */
} judgePose;

/* The deepest crossing: how far the nearer end of the edge lies beyond the triangle, or how far inside its rim the edge
 * goes through, whatever is least. Negative: none. */
double judge_Crossing(const judgeMesh *a, const judgePose *poseA, const judgeMesh *b, const judgePose *poseB);

#endif
