/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedural models: the builder that they share, and the entry point to them (generate_train.c, generate_mountain.c,
 * generate_mannequin.c). No third-party data, no files: a model is its seed. */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "message.h"

static bool reserve(void **array, size_t *capacity, size_t needed, size_t elementSize) {
  if (needed <= *capacity) return true;
  size_t wanted = *capacity < 512 ? 1024 : *capacity * 2;
  void *grown = realloc(*array, wanted * elementSize);
  if (grown == NULL) return false;
  *array = grown;
  *capacity = wanted;
  return true;
}

// To the nearest grid point. Valid for |x| < 2^38 m; never gives -0.
static double toGrid(double x) {
  double steps = x * BRINK_BUILDER_GRID;
  int64_t whole = (int64_t)(steps < 0 ? steps - 0.5 : steps + 0.5);
  return (double)whole / BRINK_BUILDER_GRID;
}

void brinkBuilder_Start(brinkBuilder *builder) {
  *builder = (brinkBuilder){0};
  for (int axis = 0; axis < 3; ++axis) builder->rows[axis][axis] = 1;
}

void brinkBuilder_Place(brinkBuilder *builder, double x, double y, double z) {
  memset(builder->rows, 0, sizeof builder->rows);
  for (int axis = 0; axis < 3; ++axis) builder->rows[axis][axis] = 1;
  builder->rows[0][3] = x;
  builder->rows[1][3] = y;
  builder->rows[2][3] = z;
}

uint32_t brinkBuilder_AddVertex(brinkBuilder *builder, double x, double y, double z) {
  brinkMesh *mesh = &builder->mesh;
  if (builder->failed ||
      !reserve((void **)&mesh->vertices, &builder->vertexCapacity, mesh->vertexCount + 1, 3 * sizeof(double))) {
    builder->failed = true;
    return 0;
  }
  double *out = mesh->vertices + 3 * mesh->vertexCount;
  for (int axis = 0; axis < 3; ++axis) {
    const double *m = builder->rows[axis];
    out[axis] = toGrid(m[0] * x + m[1] * y + m[2] * z + m[3]);
  }
  return (uint32_t)mesh->vertexCount++;
}

void brinkBuilder_AddTriangle(brinkBuilder *builder, uint32_t a, uint32_t b, uint32_t c) {
  brinkMesh *mesh = &builder->mesh;
  if (builder->failed ||
      !reserve((void **)&mesh->indices, &builder->triangleCapacity, mesh->triangleCount + 1, 3 * sizeof(uint32_t))) {
    builder->failed = true;
    return;
  }
  uint32_t *out = mesh->indices + 3 * mesh->triangleCount++;
  out[0] = a, out[1] = b, out[2] = c;
}

void brinkBuilder_AddQuad(brinkBuilder *builder, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  brinkBuilder_AddTriangle(builder, a, b, c);
  brinkBuilder_AddTriangle(builder, a, c, d);
}

void brinkBuilder_AddBox(brinkBuilder *builder, brinkVec3 lower, brinkVec3 upper) {
  uint32_t v[8];
  for (int i = 0; i < 8; ++i)
    v[i] = brinkBuilder_AddVertex(builder, i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y,
                                  i & 4 ? upper.z : lower.z);
  brinkBuilder_AddQuad(builder, v[0], v[2], v[3], v[1]);  // bottom
  brinkBuilder_AddQuad(builder, v[4], v[5], v[7], v[6]);  // top
  brinkBuilder_AddQuad(builder, v[0], v[1], v[5], v[4]);  // -y
  brinkBuilder_AddQuad(builder, v[2], v[6], v[7], v[3]);  // +y
  brinkBuilder_AddQuad(builder, v[0], v[4], v[6], v[2]);  // -x
  brinkBuilder_AddQuad(builder, v[1], v[3], v[7], v[5]);  // +x
}

void brinkBuilder_AddTube(brinkBuilder *builder, const brinkVec3 *rings, size_t ringCount, size_t segmentCount,
                          brinkVec3 startTip, brinkVec3 endTip) {
  uint32_t first = (uint32_t)builder->mesh.vertexCount, segments = (uint32_t)segmentCount;
  for (size_t i = 0; i < ringCount * segmentCount; ++i)
    brinkBuilder_AddVertex(builder, rings[i].x, rings[i].y, rings[i].z);
  uint32_t start = brinkBuilder_AddVertex(builder, startTip.x, startTip.y, startTip.z);
  uint32_t end = brinkBuilder_AddVertex(builder, endTip.x, endTip.y, endTip.z);
  uint32_t last = first + segments * (uint32_t)(ringCount - 1);
  for (uint32_t k = 0; k < segments; ++k) {
    uint32_t next = (k + 1) % segments;
    brinkBuilder_AddTriangle(builder, start, first + next, first + k);
    for (uint32_t ring = first; ring < last; ring += segments)
      brinkBuilder_AddQuad(builder, ring + k, ring + next, ring + segments + next, ring + segments + k);
    brinkBuilder_AddTriangle(builder, end, last + k, last + next);
  }
}

void brinkBuilder_AddTurned(brinkBuilder *builder, int axis, brinkVec3 origin, const double (*outline)[2], size_t count,
                            size_t segmentCount) {
  brinkVec3 *rings = malloc(count * segmentCount * sizeof *rings);
  if (rings == NULL) {
    builder->failed = true;
    return;
  }
  brinkVec3 tips[2];
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < segmentCount; ++k) {
      rings[i * segmentCount + k] = brinkTurnOutline(axis, origin, outline[i], k, segmentCount);
    }
  }
  for (int i = 0; i < 2; ++i) {
    double local[3] = {0, 0, 0};
    local[axis] = outline[i == 0 ? 0 : count - 1][0];
    tips[i] = (brinkVec3){origin.x + local[0], origin.y + local[1], origin.z + local[2]};
  }
  brinkBuilder_AddTube(builder, rings, count, segmentCount, tips[0], tips[1]);
  free(rings);
}

brinkStatus brinkBuilder_Finish(brinkBuilder *builder, brinkMesh *out, char *message, size_t messageCapacity) {
  if (builder->failed) {
    brinkFreeMesh(&builder->mesh);
    brinkSay(message, messageCapacity, "brinkGenerateModel: out of memory");
    return brink_errorNoMemory;
  }
  *out = builder->mesh;
  builder->mesh = (brinkMesh){0};
  return brink_ok;
}

// sin and cos on [0, pi/4] by their Taylor series, to double's precision; plain operations only.
static void smallAngle(double x, double *cosine, double *sine) {
  double termC = 1, termS = x, sumC = 1, sumS = x;
  for (int k = 1; k <= 9; ++k) {
    termC *= -x * x / ((2 * k - 1) * (2 * k));
    termS *= -x * x / ((2 * k) * (2 * k + 1));
    sumC += termC;
    sumS += termS;
  }
  *cosine = sumC;
  *sine = sumS;
}

void brinkCircle(size_t step, size_t count, double *cosine, double *sine) {
  // 8 step / count = octant + part of an octant, in whole numbers.
  size_t eighths = 8 * (step % count), octant = eighths / count, rest = eighths % count;
  bool backwards = octant % 2 == 1;  // measured down from the next multiple of a quarter turn
  double c, s;
  smallAngle(0.78539816339744831 * (double)(backwards ? count - rest : rest) / (double)count, &c, &s);
  if (backwards) {
    double swap = c;
    c = s;
    s = swap;
  }
  switch (octant / 2) {
    case 0:
      *cosine = c, *sine = s;
      break;
    case 1:
      *cosine = -s, *sine = c;
      break;
    case 2:
      *cosine = -c, *sine = -s;
      break;
    default:
      *cosine = s, *sine = -c;
      break;
  }
}

double brinkNoise(uint64_t seed, int64_t i, int64_t j) {
  uint64_t h = seed * 0xB5297A4D3F84D5B5ull + (uint64_t)i * 0x9E6C63D0876A9A47ull + (uint64_t)j * 0xD1B54A32D192ED03ull;
  for (int round = 0; round < 3; ++round) {
    h ^= h >> 32;
    h *= 0xE9846AF9B1A615D5ull;
  }
  return (double)(int64_t)(h >> 11) / 4503599627370496.0 - 1.0;  // 53 bits over 2^52
}

brinkStatus brinkGenerateModel(brinkModel model, int part, uint64_t seed, brinkMesh *out, char *message,
                               size_t messageCapacity) {
  brinkSay(message, messageCapacity, "%s", "");
  if (out == NULL) {
    brinkSay(message, messageCapacity, "brinkGenerateModel: out is NULL");
    return brink_errorNullArgument;
  }
  const int partCount = model == brink_modelMannequin ? BRINK_MANNEQUIN_LINKS : 1;
  if ((int)model < 0 || model > brink_modelMannequin || part < 0 || part >= partCount) {
    brinkSay(message, messageCapacity, "brinkGenerateModel: no model %d, part %d; parts go from 0 to %d", (int)model,
             part, partCount - 1);
    return brink_errorBadValue;
  }
  brinkBuilder builder;
  brinkBuilder_Start(&builder);
  brinkStatus status = brink_ok;
  switch (model) {
    case brink_modelTrainEngine:
      status = brinkBuildEngine(&builder, seed);
      break;
    case brink_modelTrainCar:
      status = brinkBuildCar(&builder, seed);
      break;
    case brink_modelMountain:
      status = brinkBuildMountain(&builder, seed);
      break;
    case brink_modelMannequin:
      status = brinkBuildMannequinPart(&builder, part, seed);
      break;
  }
  if (status != brink_ok) builder.failed = true;
  return brinkBuilder_Finish(&builder, out, message, messageCapacity);
}
