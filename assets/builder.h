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
/* builder_parts.c: what machines and sites are made of. */
void brinkBuilder_PlaceAt(brinkBuilder *builder, brinkPose pose); /* vertices are given in this frame from now on */
/* A box of these full widths along the line from a to b; sideways is the horizontal direction across the line. */
void brinkBuilder_AddBar(brinkBuilder *builder, brinkVec3 a, brinkVec3 b, double sideways, double upright);
/* A round bar of `segmentCount` sides. */
void brinkBuilder_AddRod(brinkBuilder *builder, brinkVec3 a, brinkVec3 b, double radius, size_t segmentCount);
/* A closed outline of (station along the axis, radius) turned about the axis: a pipe, a tyre. The outline runs
 * counterclockwise seen with the axis to the right and the radius up. */
void brinkBuilder_AddRing(brinkBuilder *builder, int axis, brinkVec3 origin, const double (*outline)[2], size_t count,
                          size_t segmentCount);
/* A convex or star-shaped polygon of (x, z) pairs, extruded from y0 to y1; counterclockwise seen from -y, i.e. with x
 * to the right and z up. Its faces at both ends are fans about `middle`. */
void brinkBuilder_AddPlate(brinkBuilder *builder, const double (*outline)[2], size_t count, const double middle[2],
                           double y0, double y1);

/* The paper's models (generate_chess.c, generate_excavator.c, generate_crane.c, generate_site.c). */
void brinkBuildChessman(brinkBuilder *builder, int kind); /* 0..5: pawn, rook, knight, bishop, queen, king */
void brinkBuildChessboard(brinkBuilder *builder);
void brinkBuildExcavatorPart(brinkBuilder *builder, int part); /* paper_scenes.c knows the joints */
void brinkBuildCranePart(brinkBuilder *builder, int part);
void brinkBuildSiteObject(brinkBuilder *builder, int kind); /* brinkSiteObject in paper_models.h */

/* Moves the mesh out, or frees it and says brink_errorNoMemory. */
brinkStatus brinkBuilder_Finish(brinkBuilder *builder, brinkMesh *out, char *message, size_t messageCapacity);

/* A point of an outline, (station along the axis, radius), turned about the axis by step / count of a turn. */
brinkVec3 brinkTurnOutline(int axis, brinkVec3 origin, const double outline[2], size_t step, size_t count);
/* cos and sin of 2 pi step / count; exact where they are 0, 1 or -1, and mirror images agree bit for bit. */
void brinkCircle(size_t step, size_t count, double *cosine, double *sine);
/* A number in [-1, 1) from integers; the same on every machine. */
double brinkNoise(uint64_t seed, int64_t i, int64_t j);

brinkStatus brinkBuildEngine(brinkBuilder *builder, uint64_t seed);
brinkStatus brinkBuildCar(brinkBuilder *builder, uint64_t seed);
brinkStatus brinkBuildMountain(brinkBuilder *builder, uint64_t seed);
brinkStatus brinkBuildMannequinPart(brinkBuilder *builder, int part, uint64_t seed);
#endif
