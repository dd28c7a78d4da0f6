/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TOLERANCE_CERTIFICATES_H
#define BRINK_TOLERANCE_CERTIFICATES_H
/* Do two moving bodies never touch, and who will believe it? An extension:
 * `const brinkToleranceTable *tolerance = plugin->getExtension(BRINK_TOLERANCE_NAME)`; NULL = not in this build.
 *
 * The answer is a certificate: a text that lists, cell by cell (a part of the time, some faces of A, some faces of B),
 * a direction that keeps them apart and by how much. `brink verify` checks it with outward rounding and shares no code
 * with what made it (docs/certificate.md has the format). Where there is no proof the cells are marked
 * open, and listed: at all their times the bodies come within about twice the tolerance, unless the budget was spent
 * (state).
 *
 * Bodies are two colliders of the world under the motions last set (all kinds but a host's own functions), or arrays
 * with a chain of stages, rational Bezier curves of affine displacements among them. Motions are stated in the frame of
 * the deepest common ancestor, those of a body against a half-space in the half-space's frame (so it may move). Refused
 * with brink_errorBadValue: motions by a host's own function and shapes by a support function, of which a file cannot
 * say more than a promise; two half-spaces; compounds with a half-space or with different margins. A cylinder counts as
 * the 16-sided prism around it; where that leaves anything open, as the 64-sided one. Errors and thread rule as in
 * brink/ccd.h: [world]. */
#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_TOLERANCE_NAME "brink.tolerance/1"

/* x_parent = T(t) + R(t) x, t in [0,1]; E(w) = rotation by |w| about w. */
typedef enum brinkCurveKind {
  brink_curveTurn = 1, /* T = point + t velocity + E(t spin) arm, R = E(t spin) rotation: constant velocities, screws */
  /* T = point + t velocity, R = E(2 atan(t |spin|) spin/|spin|) rotation: ODE's step, spin = h w/2 */
  brink_curveOde = 2,
  brink_curveSpline = 3, /* keys: cubic Hermite places; R = E(s turn) rotation from key to key, s from 0 to 1 */
  brink_curveBezier = 4  /* controls: rational Bezier of affine displacements, degree up to 8, weights > 0 */
} brinkCurveKind;

typedef struct brinkCurveKey {
  double time;               /* ascending by at least 1e-9, from 0 to 1 */
  brinkVec3 position, slope; /* m, m per step */
  double rotation[9];        /* row-major; E(turn) of the key before times that one's, to 1e-9 of its largest entry */
  brinkVec3 turn;            /* to the next key, rad; of the last one not read */
} brinkCurveKey;

typedef struct brinkCurveStage {
  uint32_t kind;                        /* brinkCurveKind */
  uint32_t count;                       /* keys or control points */
  brinkVec3 point, velocity, spin, arm; /* m, m per step, rad per step (ode: half of it), m */
  double rotation[9];                   /* row-major; any matrix */
  const brinkCurveKey *keys;            /* borrowed for the call, as all pointers here */
  const double *controls;               /* [count][13]: W, W R row-major, W T */
} brinkCurveStage;

enum { BRINK_TOLERANCED_HALF_SPACE = 1u << 8 }; /* normal.x <= offset in the world; no faces, no motion */

typedef struct brinkTolerancedBody {
  uint32_t structSize;
  uint32_t flags; /* BRINK_MESH_SOLID: the faces' fans close (docs/certificate.md); BRINK_TOLERANCED_HALF_SPACE */
  const double *vertices;  /* [vertexCount][3], m */
  const double *vertices1; /* NULL, or where they are at t = 1: they move on lines (witnesses only) */
  size_t vertexCount;
  const uint32_t *faceStart; /* [faceCount + 1], or NULL: triangles */
  const uint32_t *faceIds;   /* faces are hulls of their vertices: polygons, points, whole convex solids */
  size_t faceCount;
  double radius;                 /* >= 0, m: swept by a sphere */
  const brinkCurveStage *stages; /* root first; 0 = at rest */
  size_t stageCount;
  const double
      *massPoints; /* [massCount][3] with BRINK_TOLERANCE_ONE_MASS: the mass distribution; massCount 0 = the vertices */
  const double *massWeights; /* [massCount], > 0; NULL = 1 each */
  size_t massCount;
  brinkVec3 normal; /* half-space: unit */
  double offset;
} brinkTolerancedBody;

enum {
  /* one mass distribution for all of a body; else for each node and face one that suits it and the part of the motion
   */
  BRINK_TOLERANCE_ONE_MASS = 1u << 0,
  BRINK_TOLERANCE_FLAT = 1u << 1,      /* no hierarchy: every face against every face */
  BRINK_TOLERANCE_WITNESSES = 1u << 2, /* no covering by balls: look for witnesses at once (colliders: always so) */
  BRINK_TOLERANCE_NO_CERTIFICATE = 1u << 3, /* figures of the covering only: no text */
  /* witnesses at once: at times at which one pair of faces lacks a proof look for those of all others, too. Else their
   * cells are open as well, and only the first pair is named: the times without a proof are the same, found sooner. */
  BRINK_TOLERANCE_EVERY_PAIR = 1u << 4
};

typedef struct brinkToleranceQuery {
  uint32_t structSize;
  uint32_t flags;
  double tStart, tEnd; /* 0 <= tStart <= tEnd <= 1 */
  double tolerance;    /* m, > 0: what is left open comes within about twice this; 0 = 1e-3 of the size of the
                          smaller one. Size: half of the diagonal of a body's box at t = 0, and its radius */
  double clearance;    /* m, >= 0: what is proven is more than this */
  uint64_t maxTests;   /* work budget of each part; 0 = 4,000,000 */
  uint64_t maxOpen;    /* open cells of each part after which it is given up; 0 = 100,000 */
  uint32_t parts;      /* the time is cut into this many parts first; 0 = 1. The answer depends on it, not on threads */
  uint32_t reserved;
  /* Runs task(data, i) for all i below count, in any order, on any threads; NULL: one after the other. The world's
   * allocator must then bear being called from them. */
  void (*run)(void *user, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
  void *runUser;
} brinkToleranceQuery;

typedef enum brinkToleranceVerdict {
  brink_certified = 0,       /* proven at all times: the certificate has no open cell */
  brink_certifiedListed = 1, /* open cells, all within the tolerance; or `inside` */
  brink_certifiedSpent = 2   /* open cells because the budget was spent */
} brinkToleranceVerdict;

typedef struct brinkOpenInterval { /* a maximal interval without a proof */
  double from, to;
  brinkVec3 place;       /* where, at some time in it */
  uint64_t faceA, faceB; /* faces that lack a proof there */
} brinkOpenInterval;

typedef struct brinkToleranceAnswer {
  uint32_t structSize;
  uint32_t state;   /* brinkToleranceVerdict */
  uint32_t inside;  /* 1: a part of one solid begins inside the other */
  uint32_t depth;   /* halvings of the time */
  double bound;     /* m: least proven distance of the proven cells; 0 when there are none */
  double tolerance; /* the one in force */
  size_t cellCount, openCells;
  const brinkOpenInterval *open; /* [openCount], by time; world-owned until the next call of this extension */
  size_t openCount;
  const char *certificate; /* NUL-terminated text of certificateSize bytes; world-owned likewise; NULL if not wanted */
  size_t certificateSize;
  uint64_t spans;        /* parts of the motion that were covered by a ball */
  uint64_t pairTests;    /* pairs of nodes or faces by their balls */
  uint64_t polygonTests; /* polygon against fat polygon */
  uint64_t featureTests; /* elementary tests in those */
  uint64_t proofCells;   /* cells examined for witnesses */
} brinkToleranceAnswer;

typedef struct brinkToleranceTable {
  uint32_t structSize;
  uint32_t reserved;
  /* Two bodies given by arrays. out untouched on failure. */
  brinkStatus (*certifyBodies)(brinkWorld *world, const brinkTolerancedBody *a, const brinkTolerancedBody *b,
                               const brinkToleranceQuery *query, brinkToleranceAnswer *out);
  /* Two colliders under the motions last set for their bodies: firstContact's `free` for others to check. */
  brinkStatus (*certifyColliders)(brinkWorld *world, brinkColliderId a, brinkColliderId b,
                                  const brinkToleranceQuery *query, brinkToleranceAnswer *out);
  /* Control points [2 quatCount - 1][13] of the rigid motion with rotation q(t) x q(t)^-1, q a Bezier curve of up to 5
   * quaternions, and places [2 quatCount - 1] as Bezier points of the same weights. brink_errorBadRotation: a weight
   * that is not above 0 (turn less from point to point). [any] */
  brinkStatus (*rationalMotion)(const brinkQuat *quats, size_t quatCount, const brinkVec3 *places, double *controls);
} brinkToleranceTable;

#ifdef __cplusplus
}
#endif
#endif
