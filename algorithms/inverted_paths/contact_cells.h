/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_CONTACT_CELLS_H
#define BRINK_CONTACT_CELLS_H
/* Two meshes over a cell of time, one moving affinely against the other: apart during the WHOLE cell, in contact during
 * the WHOLE cell, or neither proven. Contact: the surfaces meet, or a part of one lies inside the other, when that is a
 * solid.
 *
 * Apart: each pair of triangles has a direction that separates it at both ends by more than the motion bends between;
 * and at one time no part is inside. Contact: one chord of a triangle that pierces one and the same triangle of the
 * other all the time; or one point of a body that stays inside the other and off its surface.
 *
 * Based on: [INV] 2.2 (contact is membership of inverted trajectories), theory D5.4, D5.5 (cells); separating axes
 * over intervals: theory 15. Units: m. Read only: any number of threads. */
#include "inverse_mesh.h"
#include "inverse_motion.h"

typedef enum brinkCellState {
  brink_cellOpen = 0,
  brink_cellApart = 1,
  brink_cellContact = 2,
  /* Bits that say more about an open cell, only where they are asked for: */
  brink_cellNear = 4,     /* the bodies stay within the distance asked during the whole cell */
  brink_cellCrossing = 8, /* they meet at some time of it */
  brink_cellVain = 16     /* work ended before it was settled: halving it may be vain */
} brinkCellState;

#define BRINK_NO_TRIANGLE UINT32_MAX

typedef struct brinkMeshPair {
  const brinkInverseMesh *a, *b; /* B moves by `motion` in A's frame */
  brinkRelativeMotion motion;
  uint32_t rootB; /* node of b's tree: 0 = all of b; a leaf = one triangle of it (its contacts with a; a is not asked
                     whether it lies inside b then) */
} brinkMeshPair;

#define BRINK_NEAR_ROUNDING 1.5 /* times what rounding can be off: nearer than that nothing can be told apart */
#define BRINK_NEAR_LEVELS 3u    /* so often is what is near halved, in search of a proof */

/* What is kept of a cell: the pair of triangles that stood against a proof, or that is one. */
typedef struct brinkCellMemory {
  uint32_t triangleA, triangleB; /* BRINK_NO_TRIANGLE: none */
} brinkCellMemory;

/* Of a cell of the motion. memory: the parent cell's on entry, this one's afterwards. An open cell may carry the bit
 * brink_cellNear: nothing nearer than what rounding alone can be off. */
brinkCellState brinkMeshPair_ClassifyKnown(const brinkMeshPair *pair, const brinkMotionCell *cell,
                                           brinkCellMemory *memory);

/* The same, and for an open cell the bits brink_cellNear and brink_cellCrossing. */
typedef struct brinkCloseQuestion {
  const brinkMeshPair *pair;
  double nearDistance; /* m; 0 = what rounding alone can be off: nothing nearer can be proven apart */
  bool forward; /* neither motion is inverted, so both may be singular: both bodies are moved, in the frame of A's
                   origin. Both must be open and exact (no inside, error 0), rootB 0 */
  bool thin;    /* one of the bodies has segments or points */
} brinkCloseQuestion;

bool brinkHasThinTriangles(const brinkInverseMesh *mesh);

brinkCellState brinkMeshPair_ClassifyClosely(const brinkCloseQuestion *question, double l, double u,
                                             brinkCellMemory *memory);

/* ---- for the modules that follow single points */

/* A cell of the relative motion with what a coordinate of an image of b can be off, [curve and all rounding]. */
typedef struct brinkPlacedCell {
  brinkMotionCell cell;
  double slack[3];
  double rounding;              /* length of what rounding alone contributes */
  const brinkMotionCell *moves; /* A's own motion; NULL: it rests */
} brinkPlacedCell;

/* reachA, reachB: largest |coordinates| of the two bodies (points) in their frames; errorA, errorB: as in
 * brinkInverseMesh. */
void brinkPlaceCell(const brinkRelativeMotion *motion, double l, double u, const double reachA[3], double errorA,
                    const double reachB[3], double errorB, brinkPlacedCell *out);
/* The same when out->cell is filled already. */
void brinkPlaceKnownCell(const double reachA[3], double errorA, const double reachB[3], double errorB,
                         brinkPlacedCell *out);

/* A piece of a point's path in A's frame: within slack (by coordinate) of the straight line from p to q. */
typedef struct brinkPathPiece {
  double p[3], q[3], slack[3];
} brinkPathPiece;

/* Is it proven clear of every triangle of A? When not, *triangle is one that it may meet. */
bool brinkPathIsClear(const brinkInverseMesh *a, const brinkPathPiece *path, uint32_t *triangle);
/* Does it pierce the triangle, from one side to the other, well inside it: proven? */
bool brinkPathCrosses(const brinkInverseMesh *a, const brinkPathPiece *path, uint32_t triangle);

/* ---- for bodies whose triangles are made on the way (patch_contact.h) */

/* A box of A's frame and a box of B's, during the whole cell. */
bool brinkBoxesAreApart(const brinkInverseNode *a, const brinkInverseNode *b, const brinkPlacedCell *placed);
/* The middle, in B's frame, of what A's box and B's box share when B is placed by m; false: outside B's box. An
 * estimate.
 */
bool brinkSharedPoint(const brinkInverseNode *a, const brinkInverseNode *b, const double m[12], double x[3]);
/* A chord of B's triangle, which is at `middle`, b0 and b1 in the middle and at the ends of the cell, that pierces the
 * triangle a all the time: its ends keep to their sides, and it keeps off the border of a, by more than slack (by
 * coordinate). false: not found. */
bool brinkChordStays(const double a[3][3], const double middle[3][3], const double b0[3][3], const double b1[3][3],
                     const double slack[3]);

#endif
