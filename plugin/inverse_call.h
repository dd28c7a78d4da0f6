/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_INVERSE_CALL_H
#define BRINK_INVERSE_CALL_H
/* What a call of the table "brink.inverse-path/1" works on: bodies and motions, checked and made of what the host
 * gives, and the answers that the world keeps until the next call. */
#include "brink/inverse_path.h"
#include "interfering_subsets.h"
#include "world.h"

/* Grown, never shrunk. */
struct brinkInverseAnswers {
  brinkInverseInterval *intervals;
  brinkInversePoint *points;
  brinkInverseFace *faces;
  brinkInversePiece *pieces;
  brinkInverseMeeting *meetings;
  brinkInversePath *paths;
  brinkInversePathVertex *pathVertices;
  double *vertices;
  uint32_t *triangles, *tetrahedra;
  size_t intervalCapacity, pointCapacity, faceCapacity, pieceCapacity, meetingCapacity, pathCapacity,
      pathVertexCapacity, vertexCapacity, triangleCapacity, tetrahedronCapacity;
};

typedef struct brinkCallObject {
  char name[32]; /* for messages: "body A", "object 3" */
  brinkInverseMesh mesh;
  brinkPatchBody surface;    /* of patches and splines, and of what they are asked against; made when needed */
  brinkBezierPatch *patches; /* [patchCount] */
  size_t patchCount;
  brinkSplitSplines splines; /* splines: patches are theirs */
  double flatness;
  brinkImplicitSolid implicit;
  bool isImplicit;
  double error; /* m, to be told: of the mesh, which may be asked as exact */
  brinkInverseMotion motion;
  bool singular; /* the motion cannot be inverted */
} brinkCallObject;

typedef struct brinkInverseCall {
  brinkCallObject own[2];
  brinkCallObject *object[2]; /* A and B: own, or of a larger assembly */
  double timeTolerance, error;
  brinkParallel parallel;
} brinkInverseCall;

typedef enum brinkCallNeeds { brink_needBoth, brink_needAMaybeImplicit, brink_needOnlyA } brinkCallNeeds;

/* flags: of the query, that are known. Free it, whatever is returned. */
brinkStatus brinkInverseCall_Make(brinkContext *context, const brinkInverseSceneDef *scene,
                                  const brinkInverseQuery *query, brinkCallNeeds needs, uint32_t flags, bool wantsB,
                                  brinkInverseCall *out);
void brinkInverseCall_Free(brinkContext *context, brinkInverseCall *self);
/* One object of an assembly; all zero before. A motion that cannot be inverted is let pass for an open mesh. exact: its
 * triangles are taken as they are. */
brinkStatus brinkCallObject_Make(brinkContext *context, const brinkInverseObjectDef *def, const char *name, bool exact,
                                 brinkCallObject *out);
void brinkCallObject_Free(brinkContext *context, brinkCallObject *object);
/* Tolerances and threads alone, for objects made one by one. */
brinkStatus brinkInverseCall_Begin(brinkContext *context, const brinkInverseQuery *query, uint32_t flags,
                                   brinkInverseCall *out);
double brinkNearDistanceOf(const brinkInverseQuery *query);
double brinkEntrySpreadOf(const brinkInverseQuery *query);

brinkStatus brinkInverseAnswers_Need(brinkWorld *world); /* world->inverse */
brinkStatus brinkInverseAnswers_ReserveIntervals(brinkWorld *world, size_t count);
brinkInverseInterval brinkTellInterval(const brinkContactInterval *from);

/* ---- inverse_subset.c: entries of the table */
brinkStatus brinkInverse_PointContacts(brinkWorld *world, const brinkInverseSceneDef *scene,
                                       const brinkInverseQuery *query, const double *points, size_t count,
                                       brinkInverseSubset *out);
brinkStatus brinkInverse_Interference(brinkWorld *world, const brinkInverseSceneDef *scene,
                                      const brinkInverseQuery *query, brinkInverseSubset *out);
brinkStatus brinkInverse_SweepMembership(brinkWorld *world, const brinkInverseSceneDef *scene,
                                         const brinkInverseQuery *query, const double *points, size_t count,
                                         brinkInverseMembership *out);
brinkStatus brinkInverse_InterferingSolid(brinkWorld *world, const brinkInverseSceneDef *scene,
                                          const brinkInverseQuery *query, brinkInverseSolid *out);
brinkStatus brinkInverse_InnerPaths(brinkWorld *world, const brinkInverseSceneDef *scene,
                                    const brinkInverseQuery *query, double deviation, brinkInversePaths *out);

#endif
