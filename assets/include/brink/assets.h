/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ASSETS_H
#define BRINK_ASSETS_H
/* Meshes in and out: import through assimp without losing a triangle, procedural models written as real files, and a
 * store of cooked blobs beside them (versioned, checksummed; stale or damaged ones are rebuilt, never trusted).
 * Thread rule: [any] for different paths. */
#include "brink/cook.h"
#include "brink/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct brinkMesh { /* owned; free with brinkFreeMesh */
  double *vertices;        /* [vertexCount][3] */
  size_t vertexCount;
  uint32_t *indices; /* [triangleCount][3] */
  size_t triangleCount;
  size_t degenerateCount; /* kept */
} brinkMesh;

enum { BRINK_IMPORT_NO_WELD = 1u << 0 };
/* OBJ, STL, GLB, glTF 2.0 (whitelist, at most 512 MB with buffers). All meshes of the file in one, node transforms
 * applied in double, mirrored parts turned right; welded on exact bits (vertices that no face uses are dropped).
 * Faces in = faces out, or the load fails; points, segments and flat triangles are kept as degenerate triangles, a
 * polygon of n corners becomes n - 2 triangles. OBJ and STL keep the file's own numbers in double; glTF is float by
 * nature. Errors name file and place (line, byte, node) and leave *out untouched; on success message is empty or a
 * warning (meshes that no node shows). Assimp runs under a lock of the process. Limits: OBJ vertices stand before
 * the faces that use them; no free-form surfaces; a skinned mesh is taken in its bind pose. */
brinkStatus brinkImportMesh(const char *path, uint32_t flags, brinkMesh *out, char *message, size_t messageCapacity);
/* Collada, as files of robots often are: all meshes in one, node transforms and the file's unit applied; turnUp: its up
 * axis, too (Y_UP and X_UP become z up), else its numbers as they stand. In the single precision that assimp reads;
 * polygons become triangles, degenerate faces are kept, nothing is welded. */
brinkStatus brinkImportCollada(const char *path, int turnUp, brinkMesh *out, char *message, size_t messageCapacity);
void brinkFreeMesh(brinkMesh *mesh);
brinkMeshView brinkViewMesh(const brinkMesh *mesh, uint32_t flags);
/* Writes OBJ with 17 significant digits, whole or not at all (rename). Reading it back gives the same bits. */
brinkStatus brinkWriteObj(const char *path, const brinkMesh *mesh, char *message, size_t messageCapacity);

/* Procedural models; every coordinate is a float on a grid of 2^-13 m. seed makes variants; the same seed gives the
 * same file, bit for bit, on every machine. Units m, z up. Train: x forward, y left, closed solids of several
 * components. The origin is the centre of mass by design (1.5 m over the flanges' lowest point, half way between the
 * couplers; 9 m body, 9.94 m over couplers, 6 cm free between two vehicles). Mountain: grid of 121 x 121 vertices
 * row by row in y, x and y in [-120, 120], z in [0, 60], normals up; open. part is 0 but for the mannequin. */
typedef enum brinkModel {
  brink_modelTrainEngine = 0, /* locomotive, ~2.5K triangles */
  brink_modelTrainCar,        /* passenger car, ~2.5K triangles: body with windows, bogies, wheels, couplers */
  brink_modelMountain,        /* terrain, ~29K triangles */
  brink_modelMannequin        /* parts 0..14, ~20K in all; see brinkMannequinLink */
} brinkModel;
brinkStatus brinkGenerateModel(brinkModel model, int part, uint64_t seed, brinkMesh *out, char *message,
                               size_t messageCapacity);

/* The mannequin's skeleton: link frames and joints in the standing pose, z up, 1.75 m tall, feet at z = 0.
 * Part meshes are in their link's frame (origin = link's centre of mass, axes as the world's). */
typedef struct brinkMannequinLink {
  const char *name;             /* static, "pelvis" ... */
  int parent;                   /* -1 for the pelvis */
  brinkVec3 origin;             /* link frame's origin, world, standing pose, m */
  brinkVec3 anchor;             /* joint to the parent, world, standing pose, m */
  double mass;                  /* kg */
  brinkVec3 capsuleA, capsuleB; /* a capsule that approximates the part, link frame */
  double capsuleRadius;
} brinkMannequinLink;
#define BRINK_MANNEQUIN_LINKS 15
const brinkMannequinLink *brinkMannequinSkeleton(void); /* static, [15] */

/* Train measures that the scenes need, m. */
#define BRINK_TRAIN_PITCH 10.0 /* distance of the centres of two coupled cars; a coupling joint is half way between */

/* Loads path, cooks it once, keeps the blob at cachePath (NULL: path + ".brink"). A cache that is stale (source
 * bytes or flags changed), damaged or of another version is rebuilt. quiet = 0: a progress line on stderr when that
 * is a terminal. blob: free with brinkFreeBlob. cacheHit (may be NULL): 1 = read from the cache. A cache that cannot
 * be written is a warning, not an error. */
brinkStatus brinkLoadCooked(const char *path, const char *cachePath, uint32_t meshFlags, int quiet, void **blob,
                            size_t *blobSize, int *cacheHit, char *message, size_t messageCapacity);

/* The scenes of [CATCH] Tables 1 and 2 as replays for `brink replay`: directory/NAME.scene, directory/NAME.motion and
 * directory/meshes/, made anew with the same bytes on every machine. directory is made when it is missing, its parent
 * must exist. Moves of the machines (excavator_*, crane_*) are a planner's: large, single, meant for --bool. In
 * four_trains the parts of a vehicle share MODEL and LINK: they are one link. Names: walk, exercise, excavator_drive,
 * excavator_load, crane_slew, crane_pipe, four_trains, falling_train. */
#define BRINK_PAPER_SCENES 8
const char *brinkPaperSceneName(int index); /* static; NULL beyond the last */
brinkStatus brinkWritePaperScene(const char *name, const char *directory, char *message, size_t messageCapacity);

#ifdef __cplusplus
}
#endif
#endif
