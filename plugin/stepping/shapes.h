/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_STEP_SHAPES_H
#define BRINK_STEP_SHAPES_H
/* Shapes that an adapter makes in one plugin world. A mesh or a heightfield is cooked once for all colliders that have
 * the same data of the engine's. Engines do not tell when a program changes such data in place: samples do.
 * Units: m. Thread rule: one thread at a time per brinkStepShapes, which is that of its world. */
#include <stdbool.h>

#include "brink/ccd.h"
#include "field.h"
#include "key_map.h"
#include "soup.h"

#define BRINK_STEP_MESH_SAMPLES 16

/* What decides about what is made of triangles: all the engine's. */
typedef struct brinkStepMeshKey {
  void *data; /* NULL = free record */
  int kind;   /* class of the geom */
  int triangleCount;
} brinkStepMeshKey;

/* One that is cooked, shared by all that have this key. */
typedef struct brinkStepMesh {
  brinkStepMeshKey key;
  uint32_t users;
  uint64_t checked; /* walk in which the samples were last compared */
  brinkShapeId shape;
  brinkPose place;  /* of the shape in the geom's frame */
  double thickness; /* m */
  bool sheet;       /* has a side, but no thickness: all in one plane, or ground that is solid below */
  bool hollow;      /* not closed and convex: there is no core to keep off other surfaces */
  double samples[BRINK_STEP_MESH_SAMPLES][9];
} brinkStepMesh;

/* What the program told of such data: the mesh cooked, a field's numbers of samples. */
typedef struct brinkStepTold {
  void *data;
  void *blob; /* owned copy; NULL: none */
  size_t size;
  size_t columns, rows; /* 0: not told */
} brinkStepTold;

/* Shapes of one plugin world. */
typedef struct brinkStepShapes {
  const brinkPlugin *plugin;
  brinkWorld *world;
  /* Reads a few corners or heights, the same ones each time; the rest of samples is 0 when called. */
  void (*sample)(const brinkStepMeshKey *key, double samples[BRINK_STEP_MESH_SAMPLES][9]);
  brinkStepMesh *meshes;
  size_t meshCount, meshCapacity;
  brinkStepTold *told;
  size_t toldCount, toldCapacity;
} brinkStepShapes;

/* The shape of one geom. */
typedef struct brinkStepShape {
  brinkShapeId id;
  uint32_t mesh;    /* record in meshes, or BRINK_NO_RECORD: then the shape belongs to its geom alone */
  double thickness; /* m, what the default allowance is a part of */
  brinkPose place;  /* in the geom's frame */
  bool surface;     /* made of triangles: has no inside to sink into, is kept at a distance or off a core */
  bool sheet;       /* surface: see brinkStepMesh */
  bool hollow;      /* the same */
  double *vertices; /* convex: [vertexCount][3], own frame; owned */
  size_t vertexCount;
} brinkStepShape;

/* ---- meshes; stamp: number of the walk, in which samples are compared once */
bool brinkStepMeshIsCurrent(const brinkStepShapes *shapes, brinkStepMesh *mesh, int triangleCount, uint64_t stamp);
/* The mesh of this key, cooked and still as it was. NULL: none. */
brinkStepMesh *brinkStepFindMesh(const brinkStepShapes *shapes, const brinkStepMeshKey *key, uint64_t stamp);
/* Make the plugin's shape, thickness and the rest. The soup or the heights are freed. A blob that was told is used. */
brinkStatus brinkStepCookSoup(brinkStepShapes *shapes, void *data, brinkStepSoup *soup, brinkStepMesh *out);
brinkStatus brinkStepCookField(brinkStepShapes *shapes, brinkStepField *field, brinkStepMesh *out);
/* Keeps what was cooked. NULL: no memory; the shape is destroyed. */
brinkStepMesh *brinkStepAddMesh(brinkStepShapes *shapes, const brinkStepMesh *cooked, const brinkStepMeshKey *key,
                                uint64_t stamp);
brinkStepShape brinkStepUseMesh(const brinkStepShapes *shapes, brinkStepMesh *mesh);
void brinkStepDropUnusedMeshes(brinkStepShapes *shapes); /* at the end of a walk, when nobody took them again */

/* ---- what the program told */
brinkStepTold *brinkStepFindTold(const brinkStepShapes *shapes, const void *data); /* NULL: nothing */
brinkStepTold *brinkStepToldOf(brinkStepShapes *shapes, void *data);               /* made if new; NULL: no memory */
/* A blob of cooked triangles, copied. brink_errorNoMemory, or why the plugin refuses it. */
brinkStatus brinkStepTellBlob(brinkStepShapes *shapes, void *data, const void *blob, size_t size);

/* ---- any shape */
/* Makes one that has no triangles. out: its vertices are there, if def points to any; on failure they are freed. */
brinkStatus brinkStepMakeShape(const brinkStepShapes *shapes, const brinkShapeDef *def, brinkStepShape *out);
void brinkStepDropShape(const brinkStepShapes *shapes, brinkStepShape *shape);
void brinkStepFreeShapes(brinkStepShapes *shapes); /* and the plugin's world */

#endif
