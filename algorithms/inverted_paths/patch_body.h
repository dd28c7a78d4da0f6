/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_PATCH_BODY_H
#define BRINK_PATCH_BODY_H
/* Rational Bezier patches as they are: pieces of their domains cut finer where a question asks for it, each known by
 * its control net (the piece lies in its convex hull) and by two triangles with a proven distance from them at equal
 * parameters; both close in on the piece with the square of its size. And is a point inside a body that they close?
 * Read only once made: any number of threads.
 *
 * Based on: de Casteljau subdivision and the convex hull property (Farin); the distance to the bilinear patch Q of the
 * corners, S - Q = sum B_kl D_kl / sum B_kl W_kl, is bounded by the largest |D_kl| / W_kl, where D and W are of one
 * degree more; winding numbers by crossings. docs/theory.md, "Inverted trajectories". Units: m. */
#include "bezier_patch.h"
#include "inverse_mesh.h"

#define BRINK_PATCH_MOST_LEVELS 30 /* halvings of a patch in one direction */
#define BRINK_PATCH_NET (BRINK_PATCH_MAX_ORDER * BRINK_PATCH_MAX_ORDER)

/* [u, u + 1] / 2^levelU times [v, v + 1] / 2^levelV of a patch's domain. */
typedef struct brinkPatchPiece {
  uint32_t patch, u, v;
  uint8_t levelU, levelV;
} brinkPatchPiece;

typedef struct brinkBodyPatch {
  uint32_t rows, columns;
  size_t net;
  bool triangle; /* flat: corners 0 1 2, and 3 = 2 */
} brinkBodyPatch;

typedef struct brinkPatchBody {
  brinkBodyPatch *patches; /* [patchCount] */
  size_t patchCount;
  double *nets; /* [netCount][4]: w x, w y, w z, w */
  size_t netCount;
  brinkPatchPiece *pieces; /* [pieceCount]: flat to `flatness` or cut as often as the cut allows */
  size_t pieceCount, pieceCapacity;
  brinkInverseNode *nodes;      /* [2 pieceCount - 1]; boxes hold the pieces; triangle: the piece */
  double reach[3];              /* largest |coordinate| of a control point */
  double rounding;              /* m: of any point of any net */
  double crack;                 /* m: what borders of patches that close may differ by, for lines that are counted */
  const brinkInverseMesh *mesh; /* borrowed: its triangulation, for closedness and parts */
} brinkPatchBody;

typedef struct brinkPatchNet {
  uint32_t rows, columns;
  bool triangle;
  double points[BRINK_PATCH_NET][3], weights[BRINK_PATCH_NET];
} brinkPatchNet;

/* Patches as brinkTriangulatePatches has taken them; mesh: what it made of them. */
brinkStatus brinkPatchBody_Make(brinkContext *context, const brinkBezierPatch *patches, size_t count,
                                const brinkInverseMesh *mesh, double flatness, const char *name, brinkPatchBody *out);
/* Each triangle of the mesh a patch. */
brinkStatus brinkPatchBody_OfMesh(brinkContext *context, const brinkInverseMesh *mesh, const char *name,
                                  brinkPatchBody *out);
void brinkPatchBody_Free(brinkContext *context, brinkPatchBody *body);

void brinkPatchBody_Net(const brinkPatchBody *body, const brinkPatchPiece *piece, brinkPatchNet *net);
/* Of the piece and half a piece more on each side, as far as the patch goes. */
void brinkPatchBody_WideNet(const brinkPatchBody *body, const brinkPatchPiece *piece, brinkPatchNet *net);
/* How far the net is from straight along u and along v, m: an estimate that says where to cut. */
void brinkPatchNet_Bend(const brinkPatchNet *net, double bend[2]);
/* Bound of |S - triangles| at equal parameters, coordinate by coordinate, without `rounding`. Triangles: corners 0 1 2
 * and 0 2 3. */
void brinkPatchNet_Error(const brinkPatchNet *net, double error[3]);
/* Corner k of 4: (0,0) (1,0) (1,1) (0,1). */
static inline uint32_t brinkPatchNet_Corner(const brinkPatchNet *net, int k) {
  uint32_t row = k == 1 || k == 2 ? net->rows - 1 : 0, column = k >= 2 ? net->columns - 1 : 0;
  return row * net->columns + column;
}
/* Halves along u (direction 0) or v (1); false: cut as often as can be. */
bool brinkPatchPiece_Halve(const brinkPatchPiece *piece, int direction, brinkPatchPiece halves[2]);

/* Is the straight line from p to q, each point of it off by `slack` by coordinate at most, proven clear of the surface?
 * Pieces bent by less than `least` are not cut further; when one of them stands against it, *piece is it. */
bool brinkPatchBody_IsClear(const brinkPatchBody *body, const double p[3], const double q[3], const double slack[3],
                            double least, uint32_t *piece);
/* Is the winding number of the closed surface about p not 0? 1 yes, 0 no (always of open bodies), both proven; -1: p is
 * on the surface or as good as. */
int brinkPatchBody_Contains(const brinkPatchBody *body, const double p[3]);

#endif
