/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_MIRROR_H
#define DX_BRINK_MIRROR_H
/* The mirror of an ODE world: which spaces and geoms are watched (spaces.c, watch.c), the walk that compares them with
 * their records (adapter.c), joints and chains (joints.c), shapes of geoms (shapes.c, heights.c, given.c), states of
 * bodies (body_state.c). The records themselves stand in dxbrink.h. */
#include "../dxbrink.h"
#include "field.h" /* plugin/stepping */
#include "motion.h"

typedef struct dxBrinkSpace {
  dSpaceID space;
  dSpaceID sentinel; /* the outermost space around it, which leaves its root when destroyed; NULL: a hook reports it */
} dxBrinkSpace;

/* What the program wants watched. */
struct dxBrinkWatched {
  dSpaceID root; /* see spaces.c */
  dGeomID probe; /* a plane in no space whose box is infinite */
  dxBrinkSpace *spaces;
  size_t spaceCount, spaceCapacity;
  dGeomID *listed; /* geoms of the spaces that are being walked */
  size_t listedCount, listedCapacity;
  bool endsAreTold;    /* a hook reports destruction (hooks.h): all stay in the program's own spaces */
  dGeomID *looseGeoms; /* endsAreTold: watched one by one */
  size_t looseCount, looseCapacity;
};

/* A plain geom (sphere, box, capsule, cylinder, convex or trimesh in the middle of its body) as the last walk met it at
 * this place of the walk. A geom that still looks like that is unchanged, and nothing else of it is read. */
typedef struct dxBrinkQuickTest {
  dGeomID geom; /* NULL: none */
  uint32_t record, bodyRecord;
  int geomClass;
  uint32_t mesh; /* trimesh */
  uint64_t categoryBits, collideBits;
  union {
    double size[3];
    void *data; /* trimesh */
  };
} dxBrinkQuickTest;

/* When a geom was met last; indexed by the number of its record. */
typedef struct dxBrinkGeomStamp {
  dGeomID geom;  /* NULL = free record */
  uint64_t walk; /* the last one that met it */
} dxBrinkGeomStamp;

/* What the walk of the geoms leaves for later: a body that is only known by a joint, or one whose joints are not walked
 * yet. */
typedef struct dxBrinkReached {
  dBodyID body;
  uint32_t number; /* of its record; BRINK_NO_RECORD: none yet */
  bool due;        /* it was met, and its joints are not */
} dxBrinkReached;

/* A joint that holds or drives something. */
typedef struct dxBrinkMet {
  dJointID joint;
  uint32_t number;      /* of its record, or none */
  uint32_t body, place; /* record; among all that are new or changed */
} dxBrinkMet;

/* The walk over all that is watched, and what it keeps for the next one. */
struct dxBrinkWalk {
  uint64_t stamp;               /* number of the current walk */
  bool locked;                  /* it met a body's geom in a space whose callback is running */
  bool starting;                /* it is to read where bodies start */
  uint32_t unfit;               /* first body whose start is not finite, or will not stay so; BRINK_NO_RECORD: none */
  bool far;                     /* the step is longer than a second, or gravity leads farther than a metre */
  dxBrinkQuickTest *quickTests; /* by place in the walk */
  size_t walked, quickTestCount, quickTestCapacity;
  dSpaceID *spaces; /* that were gone through, outer ones first */
  size_t spaceCount, spaceCapacity;
  dxBrinkGeomStamp *geomStamps;
  size_t geomStampCapacity;
  size_t changedGeoms;        /* with changed set */
  size_t metGeoms, metBodies; /* in the current walk */
  size_t liveGeoms;           /* records in use */
  size_t geomFree;            /* no free record below */
  uint32_t givenNumber;       /* of the last shape told by the program */
  bool layoutIsKnown;         /* brink->step.layout is */
  bool amongGeoms;            /* geoms are being walked: records are made after that */
  dxBrinkReached *reached;
  size_t reachedCount, reachedCapacity, strangers; /* of them, those that have to be met or walked */
  dxBrinkMet *joints;                              /* in the order in which the last walks met them: hints */
  size_t jointCount, jointMost, jointCapacity;
  dxBrinkMet *changed; /* those that are new, or another joint than their record says */
  size_t changedCount, changedCapacity, syncedJoints;
};

bool dxBrinkOpenMirror(dBrinkID brink); /* false: no memory */
void dxBrinkCloseMirror(dBrinkID brink);

/* ---- records.c */
dxBrinkGeom *dxBrinkFindGeom(dBrinkID brink, dGeomID geom); /* NULL: not in a watched space */
/* given.c: for a setting of it, after a walk; NULL: dBrinkGetError tells why. */
dxBrinkGeom *dxBrinkReadyGeom(dBrinkID brink, dGeomID geom, const char *where);
uint32_t dxBrinkFindBody(const dxBrink *brink, dBodyID body);
/* Record of the body at the other end of a joint. joint: the joint's own record, which mostly tells it, or none. */
uint32_t dxBrinkBodyAcross(const dxBrink *brink, uint32_t joint, uint32_t body, dBodyID other);

/* ---- body_state.c: bit for bit */
void dxBrinkReadState(dBodyID body, brinkStepState *state);
void dxBrinkWriteState(dBodyID body, const brinkStepState *state);
void dxBrinkWritePose(dBodyID body, const brinkStepState *state); /* without velocities */

/* ---- heights.c */
/* columns 0: the numbers of samples are searched. On failure *reason says why (static), or is NULL: no memory. */
brinkStatus dxBrinkReadHeights(dHeightfieldDataID data, size_t columns, size_t rows, brinkStepField *out,
                               const char **reason);
void dxBrinkSampleHeights(dHeightfieldDataID data, double samples[BRINK_STEP_MESH_SAMPLES][9]);

/* ---- shapes.c */
void dxBrinkFreeGiven(dxBrinkGiven *given);
/* The geom's quaternion. A ray without a body may turn about itself as it likes: the turn nearest to the q given. */
void dxBrinkGeomTurn(dGeomID geom, dQuaternion q);
brinkPose dxBrinkGeomPose(dGeomID geom); /* world; of a geom without a place the identity */
/* World pose of a geom's shape. */
brinkPose dxBrinkShapePose(dGeomID geom, const brinkStepShape *shape);
dGeomID dxBrinkLeaf(dGeomID geom); /* the geom inside a GeomTransform; else the geom itself */
/* Every vertex of a convex geom in its own frame; *vertices is the caller's to free. */
brinkStatus dxBrinkReadConvex(dGeomID geom, double **vertices, size_t *count);
/* Reads the shape of a geom; NULL when Brink answers its class, else the reason why not. */
const char *dxBrinkReadShapeKey(dGeomID geom, dxBrinkShapeKey *key);
bool dxBrinkSameKey(const dxBrinkShapeKey *a, const dxBrinkShapeKey *b);
void dxBrinkSampleMesh(const brinkStepMeshKey *key, double samples[BRINK_STEP_MESH_SAMPLES][9]);
/* Does a convex still fill the box that its vertices fill? */
bool dxBrinkConvexIsCurrent(dGeomID geom, const brinkStepShape *shape);
/* Makes a geom's shape, from its key or as given (NULL: not given). On failure nothing is left; message says why. */
brinkStatus dxBrinkMakeShape(brinkStepShapes *shapes, dGeomID geom, const dxBrinkShapeKey *key,
                             const dxBrinkGiven *given, uint64_t stamp, brinkStepShape *out, char *message,
                             size_t messageCapacity);
/* Writes the shape's line of a record file (plugin/stepping/record.c). */
void dxBrinkWriteShape(const dxBrinkGeom *record, uint32_t number, brinkStepText *out);

/* ---- spaces.c: what is watched */
bool dxBrinkRootHolds(const dxBrink *brink, dGeomID geom);
void dxBrinkDropDeadSpaces(dBrinkID brink);
void dxBrinkDropSpace(dBrinkID brink, size_t at);
/* Takes a space out of this root, if nothing that is watched needs it there. */
void dxBrinkReleaseSpace(dBrinkID brink, dSpaceID space);
void dxBrinkReleaseSpaces(dBrinkID brink); /* all */
bool dxBrinkListSpace(dBrinkID brink,
                      dSpaceID space); /* appends its geoms and spaces to brink->listed; false: no memory */

bool dxBrinkAnyRootHolds(dGeomID geom); /* the root of any dBrink */

/* ---- adapter.c: the walk */
/* Walks the spaces and brings the mirror up to date. 0: dBrinkGetError tells why; the mirror is then not to be used. */
int dxBrinkRefresh(dBrinkID brink);
int dxBrinkRefreshAtStart(dBrinkID brink);     /* before the solve: reads where bodies start as well */
void dxBrinkForget(dBrinkID brink);            /* drops all records, keeps the plugin's world and the settings */
void dxBrinkForgetAllButGeoms(dBrinkID brink); /* for another plugin world: what was set of geoms stays */
int dxBrinkMakeColliderAgain(void *user, uint32_t number);           /* its allowance changed */
bool dxBrinkTellCollider(dBrinkID brink, const dxBrinkGeom *record); /* what the step has to know of it changed */
/* Makes the colliders anew whose allowance changed. */
int dxBrinkApplyAllowances(dBrinkID brink);
const char *dxBrinkClassName(int geomClass);

/* ---- joints.c: the mirror of joints */
/* Inside a step, while all geoms are there: has the body been destroyed? Its geoms stay. Of one without geoms: no. */
bool dxBrinkHasItsGeom(const dxBrink *brink, uint32_t body);
#define DX_BRINK_MANY_JOINTS 256 /* of one body: more are listed by the bodies that this walk has met */
size_t dxBrinkListJoints(dBrinkID brink, dBodyID body); /* brink->contacts.joints; how many */
bool dxBrinkHasManyJoints(dBodyID body);                /* they are listed by the bodies that this walk has met */
/* Is the joint of this body as its record says? Then that is met in this walk. */
bool dxBrinkIsSynced(dBrinkID brink, uint32_t body, dJointID joint, uint32_t number);
int dxBrinkSyncJoints(dBrinkID brink); /* the changed ones, and who is gone; 0: dBrinkGetError tells why */

#endif
