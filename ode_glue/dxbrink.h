/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_H
#define DX_BRINK_H
/* What the ODE glue's own files share: the mirror of an ODE world (records of geoms, bodies, joints) and the hooks
 * between brink_ode.c (public functions), shapes.c (geom to shape), heights.c (samples of heightfields), given.c
 * (shapes told by the program), adapter.c, joints.c (mirror), spaces.c (what is watched), colliders.c (ODE's class
 * table), asserted.c (questions that ODE answers by assertions) and stepper.c (one step; what its own files share:
 * stepper.h). Records are found by pointer but walked by number: nothing depends on an address. A pointer in a record
 * is followed only after the current walk has met it again; ODE tells nobody about destroyed objects. */
#include <stdbool.h>

#include "brink/ccd.h"
#include "brink/ode.h"
#include "brink/steps.h"
#include "key_map.h" /* plugin/stepping */
#include "quiet.h"
#include "tuning.h"

#define DX_BRINK_UNLIMITED 1e30 /* m, allowance of a plane: never the smaller one of a pair */
#define DX_BRINK_ODE_SEES 2e-6  /* of the allowance: how far past touching ODE's own colliders are first asked */
#define DX_BRINK_LARGEST 1e60   /* SI units: of what ODE can multiply */

/* What decides a geom's shape, as ODE tells it. */
typedef struct dxBrinkShapeKey {
  int geomClass; /* behind a GeomTransform that of the geom inside; of a given shape, its class; or DX_BRINK_SUPPORT */
  int odeClass;  /* whose collider ODE calls in the end: the geom's own, behind a GeomTransform that of the geom inside
                  */
  int triangleCount; /* trimesh */
  uint32_t given;    /* number of the shape given by the program (given.c); 0: the geom's own */
  void *data;        /* trimesh, heightfield: ODE's data */
  double size[4];    /* sphere r; box lengths; capsule, cylinder r, length; plane a,b,c,d; ray length; convex: 0 */
  double inner[7];   /* GeomTransform: position and quaternion of the geom inside; else 0 */
} dxBrinkShapeKey;
#define DX_BRINK_SUPPORT (-2)
/* Of a ray that could be watched. */
#define DX_BRINK_RAY_REASON "rays are watched only after dBrinkSetRays"

/* A cooked trimesh or heightfield, shared by all geoms of one dTriMeshDataID or dHeightfieldDataID. Samples tell when
 * the data was changed in place. */
#define DX_BRINK_MESH_SAMPLES 16
typedef struct dxBrinkMesh {
  void *data; /* NULL = free record */
  int geomClass;
  int triangleCount;
  uint32_t users;
  uint64_t checked; /* walk in which the samples were last compared */
  brinkShapeId shape;
  brinkPose place;  /* of the shape in the geom's frame */
  double thickness; /* m */
  bool sheet;       /* has a side, but no thickness: all in one plane, or ground that is solid below */
  bool hollow;      /* not closed and convex: there is no core to keep off other surfaces */
  double samples[DX_BRINK_MESH_SAMPLES][9];
} dxBrinkMesh;

/* A mesh cooked by the caller (dBrinkUseCookedMesh). */
typedef struct dxBrinkBlob {
  dTriMeshDataID data;
  void *blob; /* owned copy */
  size_t size;
} dxBrinkBlob;

/* Samples of a heightfield, as told by the caller (dBrinkUseHeightfield). */
typedef struct dxBrinkGrid {
  dHeightfieldDataID data;
  size_t columns, rows;
} dxBrinkGrid;

/* Shapes of one plugin world. */
typedef struct dxBrinkShapes {
  const brinkPlugin *plugin;
  brinkWorld *world;
  dxBrinkMesh *meshes;
  size_t meshCount, meshCapacity;
  dxBrinkBlob *blobs;
  size_t blobCount, blobCapacity;
  dxBrinkGrid *grids;
  size_t gridCount, gridCapacity;
} dxBrinkShapes;

/* A shape that the program has told for a geom; own copy. */
typedef struct dxBrinkGiven {
  dxBrinkShapeKey key;
  double *vertices; /* convex: [vertexCount][3] */
  size_t vertexCount;
  dBrinkSupport *support;
  void *supportUser;
  double radius; /* m, support: a ball about the origin that holds the shape */
} dxBrinkGiven;

typedef struct dxBrinkShape {
  brinkShapeId id;
  uint32_t mesh;    /* record in meshes, or BRINK_NO_RECORD: then the shape belongs to its geom alone */
  double thickness; /* m, what the default allowance is a part of */
  brinkPose place;  /* in the geom's frame */
  bool surface;     /* made of triangles: has no inside to sink into, is kept at a distance or off a core */
  bool sheet;       /* surface: see dxBrinkMesh */
  bool hollow;      /* the same */
  double *vertices; /* convex: [vertexCount][3], own frame; owned */
  size_t vertexCount;
} dxBrinkShape;

typedef struct dxBrinkGeom {
  dGeomID geom; /* NULL = free record */
  dxBrinkShapeKey key;
  dxBrinkGiven *given; /* owned; NULL: none */
  bool answered;       /* Brink has a collider for it; else skipped, and contacts are ODE's own */
  bool changed;        /* has no body and is new or changed, in this walk */
  uint32_t body;       /* record, or BRINK_NO_RECORD: static */
  bool offset;
  double place[15]; /* position[3], rotation[12] as ODE stores them: in the body's frame, or world; to see changes */
  brinkPose pose;   /* the same for Brink */
  uint64_t categoryBits, collideBits;
  double userAllowance; /* m; < 0: none given */
  bool met;             /* its clearance was looked at, see clearance.c */
  double clearance;     /* m, half of what it had to other meshes when first met; infinite: enough */
  bool sensor;
  double allowance; /* m, in force */
  dxBrinkShape shape;
  brinkColliderId collider;
} dxBrinkGeom;

/* All that ODE's own step changes in a body. R is kept too: restoring q alone would change its last bits. */
typedef struct dxBrinkState {
  dReal position[3], quaternion[4], rotation[12], linear[3], angular[3];
} dxBrinkState;

/* What a solve of a part of the step borrows from a body of ODE's (island.c, joint_gaps.c). */
typedef struct dxBrinkHosted {
  bool finite;                 /* the program's own rotation mode, while a solve uses the finite one */
  dReal damping[2];            /* the program's own, linear and angular, while a solve uses a part of it */
  uint32_t idleFrom, idleSeen; /* steps in which an extra solve of others first and last found it below its limits */
  bool stale;                  /* contacts of it are switched off */
  bool held;                   /* disabled by Brink for the rest of the step, see island.c */
  bool borrowed;               /* turns finitely in the step's own solve, see joint_gaps.c */
} dxBrinkHosted;

/* What the culling notes beside the hot (culling.c). */
typedef struct dxBrinkLookNotes {
  bool measured;   /* reach, allowance and the hot's turnReach are right */
  bool woken;      /* quiet at the start of this step, near something now */
  bool touched;    /* set to another pose in this step */
  bool searched;   /* the quiet bodies it may reach in this segment are woken */
  double slackCap; /* m, the largest slack that the last look could have given it */
} dxBrinkLookNotes;

/* How far it leaves its joints (joint_gaps.c, cuts.c). */
typedef struct dxBrinkGapNotes {
  bool turnsFar;   /* of the record that stands for a chain: some body of it turns too far to go as one */
  uint32_t links;  /* of the same record: bodies that begin the step as parts of the chain's motion */
  bool spins;      /* of the record that stands for a chain: some body of it does, see turns.c */
  double yield;    /* 1/kg, how easily it is shifted to close a joint */
  double shift[3]; /* m, by which its end was shifted for that */
  int cuts;        /* extra solves for its turning */
} dxBrinkGapNotes;

typedef struct dxBrinkBody {
  dBodyID body;      /* NULL = free record */
  uint32_t mark;     /* generation of the last gathering that took it */
  uint32_t edgeMark; /* and of the last one that ended at it */
  bool dynamic;
  /* culling.c */
  bool quiet;                /* this step needs no question about it; start and end are not right */
  dReal force[3], torque[3]; /* of the current step */
  dxBrinkState start;        /* at the segment's start */
  double reach;              /* m, radius about its origin */
  double allowance;          /* m, of its thinnest geom; infinite: nothing of it is watched */
  bool pinned;               /* given by dBrinkAddBody: kept without geoms and joints */
  dJointID tether;           /* pinned: a disabled joint on the body, which loses it when the body is destroyed */
  bool loose;                /* the tether is off while ODE solves */
  bool ended;                /* a hook was told of its end; the next walk drops the record */
  brinkBodyId id;
  /* of the current step */
  int mode;            /* dBrinkMode, its own; inherit: none */
  uint32_t chain;      /* the lowest record of its chain of joints; itself without joints */
  double from;         /* its motion holds from this time on, part of the step; start is its state there */
  bool moves;          /* its pose changes from there to the step's end */
  bool alone;          /* it was sent as a motion of its own, not of a chain */
  bool frozen;         /* clamped: stays at its pose for the rest of the step */
  uint32_t frozenStep; /* the last step in which it was stopped */
  int substeps;        /* extra solves it was struck in */
  bool struck;         /* an extra solve has changed it, in this step or in one since which it spins */
  bool posed;          /* set to its impact pose while an impact is dealt with */
  double lastImpact;   /* part of the step; < 0: none in this step */
  dxBrinkState end;    /* at the end of the step, as last solved */
  dxBrinkState next;   /* at the impact: the next segment's start */
  double spin[3];      /* rad, turned from start to end */
  dxBrinkHosted host;
  dxBrinkLookNotes look;
  dxBrinkGapNotes gap;
} dxBrinkBody;

typedef struct dxBrinkJoint {
  dJointID joint; /* NULL = free record */
  uint64_t stamp;
  dJointType type;
  uint32_t bodies[2];   /* records, or BRINK_NO_RECORD: the world */
  double anchors[2][3]; /* in each body's frame, m */
  brinkJointId id;      /* 0: makes no chain */
  double aim[3];        /* m, world: what is to be closed of its gap in this segment, see joint_gaps.c */
  double cutAt;         /* of the current step, see turns.c; 2: nowhere */
  bool planned;         /* it stands in cuts */
} dxBrinkJoint;

typedef struct dxBrinkPair {
  uint32_t geomA, geomB; /* records, A's collider < B's */
} dxBrinkPair;

#define DX_BRINK_PAIR_DROPPED 1u      /* left out for the rest of the step */
#define DX_BRINK_PAIR_HAD_CONTACTS 2u /* contacts were made for it at an impact */

/* What a hook (hooks.h) says about a pair: whether the program collides it at all, and whether its answer is known. */
typedef enum dxBrinkDoorSay {
  dxBrinkDoorLeaves = 0, /* not a pair of the program's */
  dxBrinkDoorAnswers,    /* near() makes its contacts */
  dxBrinkDoorUnsure      /* nobody knows the program's contacts: clamp */
} dxBrinkDoorSay;

/* A pair that is struck at the current impact. normal from A to B. */
typedef struct dxBrinkImpact {
  dxBrinkPair pair;
  brinkContact contact; /* as reported; distance and normal at the impact's time */
  brinkPairEvent event;
  double normal[3];
  bool wanted;
  uint32_t falling; /* body record, see noteFalls in response.c; BRINK_NO_RECORD: none */
  double gain, met; /* m/s along the normal, of the falling one: by a step's forces; before the solve */
} dxBrinkImpact;

/* A pair for which the program's callback made no contact, see silence.c. */
typedef struct dxBrinkSilent {
  dGeomID geoms[2];
  uint32_t step; /* the last one in which it was struck */
  bool unwanted;
} dxBrinkSilent;

/* A contact that is off its bodies while the program's callback runs (near.c). */
typedef struct dxBrinkTakenOff {
  dJointID joint;
  dBodyID bodies[2];
} dxBrinkTakenOff;

/* A body that the gathered ones touch, and that is not gathered; who is there for it in a solve (edges.c). */
typedef struct dxBrinkEdge {
  uint32_t body;
  dBodyID standIn;
  bool yields;
  double before[6]; /* m/s, rad/s: of the stand-in before the solve */
} dxBrinkEdge;

typedef struct dxBrinkStandIn {
  dBodyID body;    /* disabled, Brink's own */
  dJointID tether; /* which the body loses with its world */
} dxBrinkStandIn;

/* What a space that near callbacks may change looked like; outer ones stand first. */
typedef struct dxBrinkCounted {
  dSpaceID space;
  int count;
  dGeomID first; /* NULL: cannot be asked for */
  bool blind;    /* of a class that tells no first geom */
} dxBrinkCounted;

/* A mode of a body (body set) or of a pair (geoms set). */
typedef struct dxBrinkSetting {
  dBodyID body;
  dGeomID geoms[2];
  int mode; /* dBrinkMode */
} dxBrinkSetting;

/* A pair that a speculative contact holds back in this step. */
typedef struct dxBrinkAhead {
  dxBrinkPair pair;
  int tries;
  bool arrived;
} dxBrinkAhead;

/* What the program has chosen, and what a hook says for it. */
struct dxBrinkChosen {
  bool enabled;
  int maxSubsteps;
  double allowanceCap; /* m */
  bool rays;           /* watched */
  uint32_t scheme, taylorOrder;
  int mode; /* dBrinkMode of the world */
  dxBrinkSetting *settings;
  size_t settingCount, settingCapacity;
  bool pairModes;                                              /* some setting is a pair's */
  bool anyBodyMode;                                            /* some record may hold a mode */
  dxBrinkDoorSay (*hookSay)(void *user, dGeomID a, dGeomID b); /* NULL: all pairs are answered */
  void *hookUser;
  dBrinkLogCallback *log; /* at first: warnings to stderr */
  void *logUser;
};

/* Contacts inside a step: what the program is asked, what its callback changed (near.c, impacts.c). */
struct dxBrinkContacts {
  double solveLength; /* s, of the solve that contacts made now are for; 0: there was no step yet */
  uint64_t signature; /* of what is watched, before the first near call of the step; 0: not taken */
  bool worldChanged;  /* by a near callback of this step */
  bool worldGone;     /* a near callback destroyed the world: there is nothing left to step */
  dGeomID *bodyGeoms; /* near.c: one of each body record, or NULL */
  size_t bodyGeomCount, bodyGeomCapacity;
  dxBrinkCounted *counted; /* near.c */
  size_t countedCount, countedCapacity;
  dJointID nearTethers[2];
  dBodyID parking; /* holds contacts while the program's callback runs; only its world's end destroys it */
  dJointID parkingTether;
  dxBrinkTakenOff *takenOff;
  size_t takenOffCount, takenOffCapacity;
  brinkKeyMap staleMap;
  bool unanswered; /* some geom is, as of this step */
  uint32_t unansweredStep;
  dJointGroupID ownGroup;
  dJointID *disabledJoints; /* contacts of the frame's start that an impact made stale; enabled again at the end */
  size_t disabledCount, disabledCapacity;
  bool changing; /* the program is asked for contacts of a change */
};

/* Who hangs together in a change, and what is set in the world for its solve (gather.c, edges.c, island.c). */
struct dxBrinkIsland {
  uint32_t mark;
  uint32_t *gathered; /* body records taken by the current gathering */
  size_t gatheredCount, gatheredCapacity;
  dxBrinkEdge *edges; /* of the current gathering */
  size_t edgeCount, edgeCapacity;
  dxBrinkStandIn *standIns;
  size_t standInCount, standInCapacity;
  dxBrinkTakenOff *hung; /* contacts that hang on stand-ins during a solve */
  size_t hungCount, hungCapacity;
  uint32_t *posed; /* body records at the poses of the change that is under way */
  size_t posedCount, posedCapacity;
  uint32_t *sleepers;   /* body records that are held (disabled) between the first impact of a step and its end */
  uint32_t *enabledNow; /* of them, those of the change that is under way */
  size_t enabledNowCount, enabledNowCapacity;
  bool othersHeld;
  size_t sleeperCount, sleeperCapacity;
  struct dxBrinkErp *erps;
  size_t erpCount, erpCapacity;
  struct dxBrinkFelt *felt;
  size_t feltCount, feltCapacity;
  double solveSeconds;
};

/* What a step knows of pairs (pairs.c, silence.c, speculative.c, stepper.c). */
struct dxBrinkPairs {
  bool warnedOfPair;            /* a pair was named that is not kept apart */
  bool questionOpen;            /* brink.steps: begun for this step */
  bool makesInside, makesLater; /* the program has made contacts in a callback inside a step; after dSpaceCollide */
  bool silenceIsNo;             /* it did neither when it could have */
  dxBrinkSilent *silent;
  size_t silentCount, silentCapacity;
  brinkKeyMap pairMap; /* what this step knows of pairs: DX_BRINK_PAIR_* */
  dxBrinkAhead *ahead;
  size_t aheadCount, aheadCapacity;
  dxBrinkImpact *impacts;
  size_t impactCount, impactCapacity;
  dxBrinkPair *nearPairs;
  size_t nearCount, nearCapacity;
  dxBrinkPair *heldApart; /* at the end of the last step: pairs that Brink's contacts keep at a positive distance */
  dGeomID (*heldGeoms)[2]; /* [heldCount] what the records were then */
  size_t heldCount, heldCapacity, heldGeomsCapacity;
};

/* Joints that open where something spins (cuts.c, joint_gaps.c). */
struct dxBrinkSpins {
  bool anyStruck, anyBorrowed; /* some body's struck, borrowed is set */
  uint32_t *openJoints;        /* joint records of the bodies that are looked at, see joint_gaps.c */
  size_t openCount, openCapacity;
  uint32_t *cuts; /* joint records at which something is to be cut in this step */
  size_t cutCount, cutCapacity;
};

/* Who needs no question (culling.c, mirror/looks.c). */
struct dxBrinkQuiet {
  size_t liveBodies;      /* records in use */
  double slackMost;       /* m, the largest slack of a body with geoms since all looks were forgotten */
  uint32_t staticChanges; /* geoms without body that changed since the last step */
  uint32_t *awake;        /* body records that are not quiet; room for all */
  uint32_t *due;          /* quiet ones that are to be looked at again; room for all */
  size_t awakeCount, awakeCapacity, dueCount, dueCapacity;
  double allowanceSum; /* m, of the measured bodies with geoms */
  size_t allowanceCount;
  brinkBodyId *looked; /* listed for a question about a few bodies */
  size_t lookedCount, lookedCapacity;
};

/* What the program is told of the last step. */
struct dxBrinkResult {
  dBrinkEvent *events;
  size_t eventCount, eventCapacity;
  dBrinkStepInfo info;
};

typedef struct dxBrink dxBrink;
struct dxBrink {
  dWorldID world;
  dxBrinkShapes shapes;           /* owns the plugin's world */
  struct dxBrink *next;           /* list of all dBrinks, for the class table */
  struct dxBrinkWatched *watched; /* mirror/mirror.h: spaces and single geoms */
  struct dxBrinkWalk *walk;       /* mirror/mirror.h */
  struct dxBrinkSweeps *sweeps;   /* sweep.c; NULL: nothing ever swept */
  dJointGroupID tethers;          /* of bodies added by hand */
  dxBrinkGeom *geoms;
  size_t geomCount, geomCapacity;
  brinkKeyMap geomMap, colliderMap;
  dxBrinkBody *bodies;
  brinkStepHotData *hotData;
  brinkStepLayout layout;
  size_t bodyCount, bodyCapacity, hotCapacity;
  brinkKeyMap bodyMap;
  dxBrinkJoint *joints;
  size_t jointCount, jointCapacity;
  brinkKeyMap jointMap;
  bool busy;
  uint32_t stepNumber;
  bool doomed;                      /* dBrinkDestroy was called inside the step */
  const struct dxBrinkTold *told;   /* stepper.h: who listens to a step */
  struct dxBrinkRecorder *recorder; /* inspect: NULL: nothing is recorded */
  struct dxBrinkSegments *segments; /* inspect */
  struct dxBrinkSensing *sensing;   /* inspect */
  const brinkStepsTable *steps;
  char error[512];
  struct dxBrinkChosen chosen;
  struct dxBrinkContacts contacts;
  struct dxBrinkIsland island;
  struct dxBrinkPairs pairs;
  struct dxBrinkSpins spins;
  struct dxBrinkQuiet quiet;
  struct dxBrinkResult result;
};

/* A sensor stops nothing: it tells what enters and leaves it (inspect/sensors.c). Geom records. */
static inline bool dxBrinkIsSensorPair(const dxBrink *brink, uint32_t geomA, uint32_t geomB) {
  return brink->geoms[geomA].sensor || brink->geoms[geomB].sensor;
}

/* ---- base/base.c */
/* Makes room for one more item; false: no memory. */
bool dxBrinkReserve(void **items, size_t *capacity, size_t count, size_t itemSize);
#define DX_BRINK_RESERVE(items, count, capacity) \
  dxBrinkReserve((void **)&(items), &(capacity), (count), sizeof(*(items)))
/* Keeps the text for dBrinkGetError; returns 0 for `return dxBrinkFail(...)`. */
int dxBrinkFail(dBrinkID brink, const char *format, ...) __attribute__((format(printf, 2, 3)));
void dxBrinkLog(dBrinkID brink, brinkLogLevel level, const char *format, ...) __attribute__((format(printf, 3, 4)));
int dxBrinkSucceed(dBrinkID brink);                        /* 1; forgets the text. NULL: that of dBrinkCreate */
int dxBrinkPluginFailed(dBrinkID brink, const char *what); /* 0, with the plugin's message */
int dxBrinkNoMemory(dBrinkID brink);                       /* 0, with a message */
bool dxBrinkMayCall(dBrinkID brink, const char *where);    /* not NULL, and not inside a step; else a message */
bool dxBrinkAllFinite(const dReal *values, size_t count);
/* All dBrinks of the process. The list is read and changed under its lock, which guards the narrowphase too. */
void dxBrinkLockList(void);
void dxBrinkUnlockList(void);
dxBrink **dxBrinkList(void);                      /* the first one's place */
dxBrink *dxBrinkNextListed(const dxBrink *brink); /* takes the lock; NULL: the first, after the last */
bool dxBrinkHasCounterpart(dBrinkID brink);       /* takes the lock; does another dBrink serve the same world? */

/* ---- sweep.c */
void dxBrinkDropSweeps(dBrinkID brink);            /* at the end of a dBrink */
void dxBrinkAbandonSweeps(dBrinkID brink);         /* their bodies went with the world */
bool dxBrinkBeginSweeps(dBrinkID brink, double h); /* true: walk again, geoms sit on bodies now */
void dxBrinkEndSweeps(dBrinkID brink);
double dxBrinkSweptWay(const dxBrink *brink, dGeomID geom); /* m, of its centre in this step; < 0: it does not sweep */

/* ---- base/asserted.c */
bool dxBrinkOdeIsInitialised(void);                     /* dInitODE2 was called and dCloseODE was not */
bool dxBrinkIsLocked(dSpaceID space, dGeomID outsider); /* is it calling back? outsider: any geom that is in no space */
bool dxBrinkIsPlaceless(dGeomID geom);                  /* planes, heightfields made with bPlaceable = 0 */

/* ---- clearance.c */
int dxBrinkMeetClearances(dBrinkID brink); /* before the question; 0: dBrinkGetError tells why */

/* ---- colliders.c */
/* What two meshes keep of the distance at which they are first met as their allowance; infinite: as it is. */
double dxBrinkClearanceOf(double distance, double allowance);
void dxBrinkAddPointVelocity(dGeomID geom, const double *point, double sign, double velocity[3]); /* sum, m/s */
void dxBrinkEnlist(dBrinkID brink);
void dxBrinkDelist(dBrinkID brink);
bool dxBrinkOverrides(int classA, int classB); /* did the program register this pair of classes? */
void dxBrinkKeepRegistered(int classA, int classB,
                           bool registered); /* not: only after dCloseODE, for what comes then */
/* ODE's collider of a convex and a trimesh aborts unless the mesh was prepared for it: only the program may ask. */
bool dxBrinkMayAskOde(int classA, int classB);

/* Does ODE's class table answer this pair from these shapes? */
bool dxBrinkAnswersPair(const dxBrinkGeom *a, const dxBrinkGeom *b);

/* ---- body_motion.c, pairs.c: what others need of the step (the rest: stepper.h) */
/* Where a pair that may sink stands at a part of the segment; false: it does not sink, and nothing was filled in. */
bool dxBrinkSinking(const dxBrink *brink, dxBrinkPair pair, double local, brinkSinking *out);
bool dxBrinkIsDropped(const dxBrink *brink, dxBrinkPair pair); /* in the current step, or the last one */
/* Can the pair ever be part of a question, whatever the program says of it? Geom records. */
int dxBrinkMayMeet(const dxBrink *brink, uint32_t geomA, uint32_t geomB);
/* Is the pair part of the question now? User data of colliders: numbers of geom records. */
int dxBrinkWantPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
/* dxBrinkWantPair and how deep the pair may sink (*limit: in all), as the plugin asks for them; user: a dBrinkID. */
int dxBrinkFilterPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB);
double dxBrinkSinkPair(void *user, brinkColliderId a, brinkColliderId b, uint64_t userDataA, uint64_t userDataB,
                       double *limit);

/* ---- stepper.c */
int dxBrinkStep(dBrinkID brink, double h, void *data, dNearCallback *near, dJointGroupID contactGroup, bool quick);

#endif
