/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_BENCH_PEER_FCL_H
#define BRINK_BENCH_PEER_FCL_H
/* FCL behind C: models of triangles in RSS trees, and the first contact of two of them. */
#include <stddef.h>

#include "brink/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peerFclModel peerFclModel;
peerFclModel *peerFcl_MakeModel(const double *vertices, size_t vertexCount, const uint32_t *indices,
                                size_t triangleCount);
void peerFcl_FreeModel(peerFclModel *model);

/* Motions from the first pose to the second. Returns 1 when the distance falls to tolerance before stopAfter (<= 1),
 * with *toi; 0 when not; -1 on failure. *steps counts advancements. */
int peerFcl_FirstContact(const peerFclModel *a, const brinkPose motionA[2], const peerFclModel *b,
                         const brinkPose motionB[2], double tolerance, double stopAfter, double *toi, long *steps);

/* The same for bodies of constant velocity and spin (m, rad, of the whole step), however far they turn. */
typedef struct peerFclSpin {
  brinkPose start;
  brinkVec3 velocity, spin;
} peerFclSpin;
int peerFcl_FirstContactOfSpins(const peerFclModel *a, const peerFclSpin *spinA, const peerFclModel *b,
                                const peerFclSpin *spinB, double tolerance, double *toi, long *steps);

/* A convex body for libccd's GJK through FCL: triangles outward. The distance stays what FCL takes for enough (1e-6);
 * < 0: it failed, or the bodies overlap. */
typedef struct peerFclHull peerFclHull;
peerFclHull *peerFcl_MakeHull(const double *vertices, size_t vertexCount, const uint32_t *indices,
                              size_t triangleCount);
void peerFcl_FreeHull(peerFclHull *hull);
/* Placed hulls, as Brink's are when its time is taken. */
void peerFcl_PlaceHull(peerFclHull *hull, const brinkPose *pose);
double peerFcl_Distance(const peerFclHull *a, const peerFclHull *b);
/* As above, a step from each distance by FCL's bound of the motions along its direction. */
int peerFcl_FirstContactOfHulls(const peerFclHull *a, const peerFclSpin *spinA, const peerFclHull *b,
                                const peerFclSpin *spinB, double tolerance, double *toi, long *steps);

/* Many meshes among obstacles, one placement at a time: obstacles in FCL's tree of boxes, meshes in trees of its
 * OBBRSS. */
typedef struct peerFclScene peerFclScene;
peerFclScene *peerFcl_MakeScene(void);
void peerFcl_FreeScene(peerFclScene *scene);
int peerFcl_AddMover(peerFclScene *scene, const double *vertices, size_t vertexCount, const uint32_t *indices,
                     size_t triangleCount); /* 0: failed */
/* kind: brinkShapeType box, cylinder, sphere; size: full lengths; length, radius; radius. */
int peerFcl_AddObstacle(peerFclScene *scene, uint32_t kind, const double size[3], const brinkPose *pose);
/* A mesh that stands still. 0: failed */
int peerFcl_AddObstacleMesh(peerFclScene *scene, const double *vertices, size_t vertexCount, const uint32_t *indices,
                            size_t triangleCount, const brinkPose *pose);
/* Once all are there: does any mover, at poses[moverCount], touch any obstacle? */
int peerFcl_Collides(peerFclScene *scene, const brinkPose *poses);

#ifdef __cplusplus
}
#endif
#endif
