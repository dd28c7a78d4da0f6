/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_WORLD_H
#define BRINK_WORLD_H
/* The mirror of the host's engine behind brink/ccd.h: tables of shapes, bodies, joints and colliders behind generation
 * handles, the forest of links that is grown over them, and the scene that algorithms/ searches. Private to plugin/.
 *
 * Handle, 64 bit: kind 3 | world tag 17 | index 24 | generation 20. Handles of one world and kind are ordered by index.
 * The tag is made from the world's address (no globals here), so a handle of another living world is told apart but
 * for a chance of 2^-17; nothing is ever ordered by the tag.
 * Frames: body frame (the host's); link frame = body frame moved to the anchor of the joint that hangs the body on its
 * parent, so that the anchor moves linearly in the parent's frame (theory D1.1): x_link = x_body - anchor. */
#include "base.h"
#include "brink/ccd.h"
#include "brink/steps.h"
#include "first_contact.h"
#include "motion_tree.h"
#include "manifold.h"
#include "rest_overlap.h"
#include "shape.h"
#include "swept_axis.h"

#include <stdatomic.h>

#define BRINK_NONE UINT32_MAX
/* Largest |coordinate|, size or velocity, m: fourth powers and their sums stay finite. */
#define BRINK_MAX_LENGTH 1e60
/* Most rad per step: beyond it the phase of a turn is known worse than 1e-7 rad. */
#define BRINK_MAX_SPIN 1e9

typedef enum brinkHandleKind {
  brink_kindShape = 1,
  brink_kindBody = 2,
  brink_kindJoint = 3,
  brink_kindCollider = 4
} brinkHandleKind;

/* First member of every item of a table. */
typedef struct brinkSlot {
  uint32_t generation;
  uint32_t nextFree;
  uint32_t live;
  uint32_t retired; /* generations used up: never given out again */
} brinkSlot;

typedef struct brinkTable {
  void *items;
  size_t capacity;
  size_t itemSize;
  uint32_t count, liveCount, firstFree;
  uint32_t kind;
} brinkTable;

/* One shape of algorithms/ and its place in the shape it is a part of. */
typedef struct brinkShapePart {
  const brinkShape *shape;
  uint32_t owner; /* the world shape that owns it */
  brinkRigid place;
} brinkShapePart;

typedef struct brinkWorldShape {
  brinkSlot slot;
  brinkShape *shape;     /* NULL for compounds */
  brinkShapePart *parts; /* compounds: [partCount], nested ones flattened; else NULL */
  uint32_t partCount;
  uint32_t users;   /* colliders, parts of compounds */
  bool hasNoHandle; /* of a cloud of points: it goes with its collider */
} brinkWorldShape;

typedef struct brinkWorldPath brinkWorldPath; /* paths.c */

typedef struct brinkWorldBody {
  brinkSlot slot; /* first what a motion and a question touch, side by side: memory is cold when they come */
  brinkMotionKind kind;
  bool hasSpin;
  bool alone;        /* BRINK_MOTION_ALONE */
  bool changed;      /* listed in world->changed */
  bool hasTreeChild; /* of the forest, as are link, treeParent and anchor: valid when the world's topology is */
  int32_t link;
  uint32_t treeParent; /* body or BRINK_NONE */
  uint32_t firstCollider;
  uint32_t firstJoint;         /* joint end: 2 * joint + side */
  struct brinkWorldPath *path; /* kinds beyond velocities; owned */
  brinkVec3 anchor;            /* origin of the link frame in the body's frame, m */
  brinkVec3 velocity, spin;
  brinkPose pose0, pose1; /* rotations unit */
  brinkPose rest;         /* world, as created */
  uint64_t userData;
  uint32_t parent;                                   /* explicit parent, BRINK_NONE = none */
  uint32_t firstChild, previousSibling, nextSibling; /* explicit tree */
} brinkWorldBody;

typedef struct brinkWorldJoint {
  brinkSlot slot;
  uint32_t flags;
  uint32_t body[2]; /* BRINK_NONE = the world */
  brinkVec3 anchor[2];
  double restMargin;
  uint32_t previousEnd[2], nextEnd[2];
  bool inTree, cut; /* cut: closes a loop */
  bool restFound;   /* COLLIDE_APART: what overlaps at rest is left out */
} brinkWorldJoint;

typedef struct brinkWorldCollider {
  brinkSlot slot;
  uint32_t body, shape; /* body BRINK_NONE = static */
  uint32_t previous, next;
  uint32_t scene; /* index in the scene of the first part, BRINK_NONE until the next synchronisation */
  uint32_t *more; /* [partCount - 1] of the others; NULL for one part */
  uint32_t partCount;
  bool moved;     /* pose or link frame changed since the last synchronisation */
  brinkPose pose; /* body frame */
  uint64_t userData, category, collide;
  double allowance; /* m; 0 = default */
} brinkWorldCollider;

typedef struct brinkPendingIgnore {
  brinkColliderId a, b;
  bool ignore;
} brinkPendingIgnore;

typedef struct brinkLinkPose {
  brinkRigid pose; /* world */
  double t;
  uint64_t serial; /* that of the world, plus 1; 0: never asked for */
  int32_t child;   /* on the way to the link that is asked for */
} brinkLinkPose;

struct brinkWorld {
  brinkContext context;
  /* what handing over a motion and a question touch, side by side: memory is cold when they come */
  uint32_t tag;
  uint32_t linkCount;
  bool busy;
  bool topologyDirty, motionsDirty, collidersDirty;
  bool restDirty;                   /* joints of COLLIDE_APART have not found what overlaps at rest */
  bool allMotionsDirty;             /* else the bodies in changed are all whose motion is out of date */
  bool anyHangs;                    /* a link has a parent */
  bool taylorValid;                 /* see below */
  bool leaveOutResting;             /* steps.c */
  atomic_uint viewsAsking;          /* robots' views at a question: nobody changes the world under them */
  atomic_bool pathFailed;           /* a host's motion gave nonsense during this call; on whatever thread */
  const brinkFloatState *hostFloat; /* while busy: what callbacks of the host run under */
  const brinkQuery *lends; /* while motions are brought up to date for it: whose threads may help; NULL: none */
  uint32_t *changed;       /* [changedCount] bodies, each once; room for every body */
  size_t changedCount, changedCapacity;
  uint64_t revision; /* grows with every change of colliders and of where bodies are */
  uint64_t serial;   /* grows whenever motions or colliders have changed at a synchronisation */
  brinkScene *scene;
  brinkLinkMotion *links; /* of the step, [linkCount], parents before children */
  brinkTable bodies, colliders, shapes, joints;
  brinkPairFilter filter;
  void *filterUser;
  brinkSinkFunction sink; /* NULL: no pair sinks */
  void *sinkUser;
  int taylorOrder;
  uint32_t collideConnected; /* joints that let their bodies collide */
  uint64_t cutJoints;
  brinkContact *contacts; /* of the last answer */
  size_t contactsCapacity;

  brinkAdvanceScratch *advance;
  brinkSweptAxisScratch *swept;
  brinkManifoldScratch *manifold;
  struct brinkClearanceScratch *clearance; /* clearance.c; NULL until first asked */
  struct brinkCertificates *certificates;  /* tolerance.c; NULL until first asked */
  struct brinkInverseAnswers *inverse;     /* inverse_path.c; NULL until first asked */
  struct brinkRobots *robots;              /* robot/; NULL until the first robot */
  struct brinkAffineScratch *affine;       /* linear.c; NULL until first asked */
  double *affineVertices;                  /* places of bodies given by maps */
  size_t affineCapacity;
  brinkPendingIgnore *pending;
  size_t pendingCount, pendingCapacity;
  double largestShape; /* m: diameter of the largest one in use; 0: not known */
  uint32_t *wanted;    /* scene indices, steps.c */
  size_t wantedCapacity;
  brinkPiecePairs overlaps; /* scratch of rest.c */
  /* forest */
  uint32_t *linkBody;
  size_t linkBodyCapacity;
  uint32_t *unionParent; /* [bodies + 1] */
  size_t unionCapacity;
  bool cutJointsLogged;
  /* motions of the step */
  brinkPose *linkStart; /* world, link frames at t = 0 */
  brinkVec3 *linkOmega; /* world angular velocity at t = 0, rad per step */
  double *linkMargin;   /* of a query with BRINK_QUERY_LOOPS, m */
  size_t linksCapacity, startCapacity, omegaCapacity, linkMarginCapacity;
  /* poses of links, each at one time; Taylor models over one interval: kept until motions change */
  brinkLinkPose *poses;
  size_t posesCapacity;
  brinkTaylorRigid *taylor;
  size_t taylorCapacity;
  double taylorStart, taylorEnd;
  /* answers */
  brinkQuery question; /* of beginQuestion */
  brinkPairEvent *events;
  size_t eventsCapacity;
  brinkColliderPair *pairs;
  size_t pairsCapacity;
  brinkManifoldPoint *points;
  size_t pointsCapacity;
  struct { /* the question whose answer points holds; shapes[0] 0: another one's */
    brinkShapeId shapes[2];
    brinkPose poses[2];
    double margin;
    size_t room, count;
  } lastPoints;
  brinkReport *reports; /* of a batch, until it is known to go well */
  size_t reportsCapacity;
};

/* Every entry point of the table: refuses NULL worlds and calls from inside a callback, puts the float state aside,
 * clears the last message; Leave puts it back. */
brinkStatus brinkWorld_Enter(brinkWorld *world, brinkFloatState *saved);
brinkStatus brinkWorld_Leave(brinkWorld *world, const brinkFloatState *saved, brinkStatus status);
/* Of those that change what views of robots read: refuses them while one asks, too. */
brinkStatus brinkWorld_EnterToChange(brinkWorld *world, brinkFloatState *saved);
#define BRINK_GUARDED(world, call) BRINK_ENTERED(brinkWorld_Enter, world, call)
#define BRINK_CHANGING(world, call) BRINK_ENTERED(brinkWorld_EnterToChange, world, call)
#define BRINK_ENTERED(enter, world, call)                \
  do {                                                   \
    brinkFloatState savedFloat;                          \
    brinkStatus enterStatus = enter(world, &savedFloat); \
    if (enterStatus != brink_ok) return enterStatus;     \
    return brinkWorld_Leave(world, &savedFloat, (call)); \
  } while (0)

/* ---- tables and handles (world.c) */
uint64_t brinkWorld_Handle(const brinkWorld *world, const brinkTable *table, uint32_t index);
/* The live item of a handle; NULL when the handle is forged, stale or another world's. Sets no message. */
void *brinkWorld_Find(const brinkWorld *world, const brinkTable *table, uint64_t handle);
/* The same with a message that names `argument`. */
brinkStatus brinkWorld_Get(brinkWorld *world, const brinkTable *table, uint64_t handle, const char *argument,
                           void **out);
uint32_t brinkTable_IndexOf(const brinkTable *table, const void *item);
/* A zeroed live item at *index, or NoMemory / Range with nothing changed. Items may move: no pointer survives this. */
brinkStatus brinkTable_Add(brinkContext *context, brinkTable *table, const char *what, uint32_t *index);
void brinkTable_Remove(brinkTable *table, uint32_t index);
static inline brinkWorldBody *brinkWorld_Body(const brinkWorld *world, uint32_t index) {
  return (brinkWorldBody *)world->bodies.items + index;
}
static inline brinkWorldJoint *brinkWorld_Joint(const brinkWorld *world, uint32_t index) {
  return (brinkWorldJoint *)world->joints.items + index;
}
static inline brinkWorldCollider *brinkWorld_Collider(const brinkWorld *world, uint32_t index) {
  return (brinkWorldCollider *)world->colliders.items + index;
}
static inline brinkWorldShape *brinkWorld_Shape(const brinkWorld *world, uint32_t index) {
  return (brinkWorldShape *)world->shapes.items + index;
}
/* A user of the shape less. */
static inline void brinkWorld_LeaveShape(brinkWorld *world, uint32_t index) {
  --brinkWorld_Shape(world, index)->users;
  world->largestShape = 0.0;
}
static inline uint32_t *brinkWorldCollider_Scene(brinkWorldCollider *collider, uint32_t part) {
  return part == 0 ? &collider->scene : &collider->more[part - 1];
}
/* Deterministic order of colliders in the scene: the handle without kind and tag. */
static inline uint64_t brinkWorld_ColliderKey(const brinkWorldCollider *collider, uint32_t index) {
  return (uint64_t)index << 20 | collider->slot.generation;
}
static inline uint32_t brinkWorld_KeyIndex(uint64_t key) { return (uint32_t)(key >> 20); }

const char *brinkStatusText(brinkStatus status); /* entry.c; never NULL */

/* ---- checks of the host's values: status and a message that names `argument` (world.c) */
brinkStatus brinkCheckSize(brinkContext *context, uint32_t structSize, size_t expected, const char *argument);
/* For structs that grew: `first` is the size that ABI minor 0 had. */
brinkStatus brinkCheckGrownSize(brinkContext *context, uint32_t structSize, size_t first, size_t expected,
                                const char *argument);
brinkStatus brinkRefuseNull(brinkContext *context, const char *argument);
brinkStatus brinkCheckFlags(brinkContext *context, uint32_t flags, uint32_t known, const char *argument);
brinkStatus brinkCheckLength(brinkContext *context, double value, const char *argument); /* finite, >= 0, in range */
brinkStatus brinkCheckVec3(brinkContext *context, brinkVec3 value, double limit, const char *argument);
/* Finite position in range; any finite nonzero quaternion, normalised into *out. */
brinkStatus brinkCheckPose(brinkContext *context, const brinkPose *given, const char *argument, brinkPose *out);
brinkStatus brinkCheckTime(brinkContext *context, double value, const char *argument); /* in [0,1] */

/* ---- shapes.c */
void brinkFreeWorldShape(brinkContext *context, brinkWorldShape *shape);
void brinkWorld_RemoveShape(brinkWorld *world, brinkWorldShape *shape); /* which nobody uses any more */
uint32_t brinkWorldShape_PartCount(const brinkWorldShape *shape);       /* >= 1 */
brinkShapePart brinkWorldShape_Part(const brinkWorld *world, const brinkWorldShape *shape, uint32_t part);

/* ---- paths.c: motions beyond constant velocities, from a checked kind, start pose, velocity and spin. reuse: what the
 * body had; *out is the same when only numbers change (ODE's steps), so that steppers allocate nothing. */
brinkStatus brinkWorld_MakePath(brinkWorld *world, const brinkBodyMotion *motion, brinkPose start,
                                brinkWorldPath *reuse, brinkWorldPath **out);
void brinkWorldPath_Free(brinkContext *context, brinkWorldPath *item);
/* Seen from a frame whose origin lies at -offset. */
const struct brinkPath *brinkWorldPath_Path(brinkWorldPath *item, brinkVec3 offset);

/* ---- forest.c: links over bodies and joints, and their motions */
brinkStatus brinkWorld_BuildForest(brinkWorld *world);
brinkStatus brinkWorld_LeaveTree(brinkWorld *world, uint32_t index);
brinkStatus brinkWorld_BuildMotions(brinkWorld *world);
/* Only those of the changed bodies and of what they carry. */
brinkStatus brinkWorld_UpdateMotions(brinkWorld *world);
void brinkWorld_ForgetChanges(brinkWorld *world);

/* How far links may be from where the forest has them: world->linkMargin[linkCount], from the residuals of cut joints.
 */
brinkStatus brinkWorld_MeasureLoops(brinkWorld *world);

/* ---- rest.c: what overlaps at rest */
#define BRINK_JOINT_COLLIDES (BRINK_JOINT_COLLIDE_CONNECTED | BRINK_JOINT_COLLIDE_APART)
/* For all joints of COLLIDE_APART that have not been looked at; colliders are in the scene. */
brinkStatus brinkWorld_FindRests(brinkWorld *world);
/* A collider came to the body or moved on it. */
void brinkWorld_ForgetRests(brinkWorld *world, uint32_t body);
/* Takes back what is left out of a pair. */
brinkStatus brinkWorld_LeaveNothingOut(brinkWorld *world, brinkWorldCollider *a, brinkWorldCollider *b);
/* World frame of a collider at t. */
brinkStatus brinkWorld_PlaceAt(brinkWorld *world, const brinkWorldCollider *collider, double t, brinkRigid *place);

/* ---- step.c: everything that a query needs is up to date after this; on failure it is still marked as not being so */
brinkStatus brinkWorld_Synchronise(brinkWorld *world);
/* The same by the threads that the query lends, if it does. */
brinkStatus brinkWorld_SynchroniseFor(brinkWorld *world, const brinkQuery *query);
/* What every query of the scene shares: motions, filters, order. */
brinkSceneQuery brinkWorld_SceneQuery(brinkWorld *world, const brinkMotionTree *tree);
/* The host's query in this build's form; checked. onlyBody: NULL = all. */
brinkStatus brinkWorld_CheckQuery(brinkWorld *world, const brinkQuery *given, brinkQuery *query,
                                  const brinkWorldBody **onlyBody);
typedef struct brinkHostGoOn {
  brinkWorld *world;
  int (*goOn)(void *user);
  void *user;
  void (*run)(void *runUser, uint32_t count, void (*task)(void *data, uint32_t index), void *data);
  void *runUser;
} brinkHostGoOn;
/* A checked query as the scene's; all but onlyBody and loops. goOn: scratch that lives as long as the result. */
brinkSceneQuery brinkWorld_AskedQuery(brinkWorld *world, const brinkMotionTree *tree, const brinkQuery *query,
                                      brinkHostGoOn *goOn);
/* The scene's report as the host's; contacts stand from world->contacts[offset] on, and the pointer to them is left to
 * the caller. */
brinkStatus brinkWorld_TellReport(brinkWorld *world, const brinkSceneReport *found, size_t offset, brinkReport *report);
/* Refuses answers that a host's motion spoiled. */
brinkStatus brinkWorld_CheckPaths(brinkWorld *world);
/* Index pairs of the scene as pairs of handles, each once; world-owned. */
brinkStatus brinkWorld_TellPairs(brinkWorld *world, const brinkIndexPair *found, size_t count,
                                 const brinkColliderPair **pairs, size_t *pairCount);
/* Collider in its link's frame. */
brinkRigid brinkWorld_ColliderLocal(const brinkWorld *world, const brinkWorldCollider *collider);
/* One part of a collider, as the scene has it. */
brinkCollider brinkWorld_ColliderPart(const brinkWorld *world, const brinkWorldCollider *collider, uint32_t part);

/* ---- question.c: entry points of brink/steps.h */
brinkStatus brinkWorld_BeginQuestion(brinkWorld *world, const brinkQuery *query);
brinkStatus brinkWorld_NextEvents(brinkWorld *world, double from, brinkReport *report, const brinkPairEvent **events);
brinkStatus brinkWorld_LeavePair(brinkWorld *world, brinkColliderId a, brinkColliderId b);
brinkStatus brinkWorld_EndQuestion(brinkWorld *world);

/* ---- the entry points of the table */
brinkStatus brinkWorld_Create(const brinkHost *host, const brinkWorldDef *def, brinkWorld **out);
brinkStatus brinkWorld_Destroy(brinkWorld *world);
const char *brinkWorld_LastError(const brinkWorld *world);
brinkStatus brinkWorld_CreateShape(brinkWorld *world, const brinkShapeDef *def, brinkShapeId *out);
brinkStatus brinkWorld_DestroyShape(brinkWorld *world, brinkShapeId shape);
brinkStatus brinkWorld_CreateBody(brinkWorld *world, const brinkBodyDef *def, brinkBodyId *out);
brinkStatus brinkWorld_DestroyBody(brinkWorld *world, brinkBodyId body);
brinkStatus brinkWorld_SetBodyMotion(brinkWorld *world, brinkBodyId body, const brinkBodyMotion *motion);
brinkStatus brinkWorld_CreateJoint(brinkWorld *world, const brinkJointDef *def, brinkJointId *out);
brinkStatus brinkWorld_DestroyJoint(brinkWorld *world, brinkJointId joint);
brinkStatus brinkWorld_CreateCollider(brinkWorld *world, const brinkColliderDef *def, brinkColliderId *out);
brinkStatus brinkWorld_DestroyCollider(brinkWorld *world, brinkColliderId collider);
brinkStatus brinkWorld_SetColliderPose(brinkWorld *world, brinkColliderId collider, const brinkPose *pose);
brinkStatus brinkWorld_SetColliderFilter(brinkWorld *world, brinkColliderId collider, uint64_t categoryBits,
                                         uint64_t collideBits);
brinkStatus brinkWorld_SetPairFilter(brinkWorld *world, brinkPairFilter filter, void *user);
brinkStatus brinkWorld_IgnorePair(brinkWorld *world, brinkColliderId a, brinkColliderId b, int ignore);
brinkStatus brinkWorld_FirstContact(brinkWorld *world, const brinkQuery *query, brinkReport *report);
brinkStatus brinkWorld_FirstContacts(brinkWorld *world, const brinkQuery *queries, size_t count, brinkReport *reports);
brinkStatus brinkWorld_BodyPose(brinkWorld *world, brinkBodyId body, double t, brinkPose *pose);
brinkStatus brinkWorld_NearPairs(brinkWorld *world, double t, double margin, const brinkColliderPair **pairs,
                                 size_t *pairCount);
brinkStatus brinkWorld_Collide(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double margin,
                               brinkContactPoint *points, size_t capacity, size_t *count);
brinkStatus brinkWorld_CollideShapes(brinkWorld *world, brinkShapeId a, const brinkPose *poseA, brinkShapeId b,
                                     const brinkPose *poseB, double margin, brinkContactPoint *points, size_t capacity,
                                     size_t *count);
brinkStatus brinkWorld_Distance(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, brinkContact *out);
brinkStatus brinkWorld_DistanceBelow(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t, double enough,
                                     brinkContact *out);
brinkStatus brinkWorld_ColliderAllowance(brinkWorld *world, brinkColliderId collider, double *out);
brinkStatus brinkWorld_JointResidual(brinkWorld *world, brinkJointId joint, double *bound);
brinkStatus brinkWorld_LeaveOutOverlaps(brinkWorld *world, brinkColliderId a, brinkColliderId b, double t,
                                        double margin, size_t *pieces);
brinkStatus brinkWorld_SweptBounds(brinkWorld *world, brinkColliderId collider, double t0, double t1, brinkAabb *out);

/* ---- linear.c: the table "brink.linear/1" */
const void *brinkLinear_Table(void);
void brinkLinear_Destroy(brinkWorld *world);

/* ---- clearance.c: the table "brink.clearance/1" */
const void *brinkClearance_Table(void);
void brinkClearance_Destroy(brinkWorld *world);

/* ---- tolerance.c: the extension "brink.tolerance/1" */
const void *brinkTolerance_Table(void);
void brinkCertificates_Destroy(brinkWorld *world);

/* ---- inverse_path.c: the table "brink.inverse-path/1" */
const void *brinkInversePath_Table(void);
void brinkInverseAnswers_Destroy(brinkWorld *world);

/* ---- robot/: the table "brink.robot/1" */
const void *brinkRobot_Table(void);
void brinkRobots_Destroy(brinkWorld *world);

/* ---- steps.c: the table "brink.steps/1" */
const void *brinkSteps_Table(void);

/* ---- extensions.c */
const void *brinkFindExtension(const char *name);
/* What extensions keep in the world. */
void brinkDestroyExtensions(brinkWorld *world);

#endif
