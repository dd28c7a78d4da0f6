/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_BUILDER_H
#define BRINK_ASSETS_BUILDER_H
/* Building closed surfaces for the procedural models. Faces are counterclockwise seen from outside; lengths in m.
 *
 * Same bytes everywhere: only + - * / and sqrt are used (IEEE 754 rounds them one way), no libm, and every coordinate
 * is put on a grid of 2^-13 m. Such a number is exact in float, has at most 13 decimals and never an exponent when
 * printed, so that the most careless OBJ reader gives it back bit for bit. Private to assets. */
#include <stdbool.h>

#include "brink/assets.h"

#define BRINK_BUILDER_GRID 8192.0 /* steps per metre */

typedef struct brinkBuilder {
  brinkMesh mesh;
  size_t vertexCapacity, triangleCapacity;
  double rows[3][4]; /* applied to every new vertex: x_model = rows * (x, 1); no mirror */
  bool failed;       /* out of memory; everything after is ignored */
} brinkBuilder;

void brinkBuilder_Start(brinkBuilder *builder);                               /* identity transform */
void brinkBuilder_Place(brinkBuilder *builder, double x, double y, double z); /* a pure shift */
uint32_t brinkBuilder_AddVertex(brinkBuilder *builder, double x, double y, double z);
void brinkBuilder_AddTriangle(brinkBuilder *builder, uint32_t a, uint32_t b, uint32_t c);
void brinkBuilder_AddQuad(brinkBuilder *builder, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void brinkBuilder_AddBox(brinkBuilder *builder, brinkVec3 lower, brinkVec3 upper);
/* A closed tube through rings of points, [ringCount][segmentCount]; the points of a ring run counterclockwise about the
 * direction from the first ring to the last. Both ends close with a fan about a tip. */
void brinkBuilder_AddTube(brinkBuilder *builder, const brinkVec3 *rings, size_t ringCount, size_t segmentCount,
                          brinkVec3 startTip, brinkVec3 endTip);
/* A solid of revolution: (station along the axis, radius) pairs, [count][2], in the axis' direction or doubling back
 * where the outline does. axis 0, 1, 2 = x, y, z. */
void brinkBuilder_AddTurned(brinkBuilder *builder, int axis, brinkVec3 origin, const double (*outline)[2], size_t count,
                            size_t segmentCount);
/* Moves the mesh out, or frees it and says brink_errorNoMemory. */
brinkStatus brinkBuilder_Finish(brinkBuilder *builder, brinkMesh *out, char *message, size_t messageCapacity);

/* cos and sin of 2 pi step / count; exact where they are 0, 1 or -1, and mirror images agree bit for bit. */
void brinkCircle(size_t step, size_t count, double *cosine, double *sine);
/* A number in [-1, 1) from integers; the same on every machine. */
double brinkNoise(uint64_t seed, int64_t i, int64_t j);

brinkStatus brinkBuildEngine(brinkBuilder *builder, uint64_t seed);
brinkStatus brinkBuildCar(brinkBuilder *builder, uint64_t seed);
brinkStatus brinkBuildMountain(brinkBuilder *builder, uint64_t seed);
brinkStatus brinkBuildMannequinPart(brinkBuilder *builder, int part, uint64_t seed);
#endif
