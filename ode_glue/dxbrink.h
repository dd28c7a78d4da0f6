/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DX_BRINK_H
#define DX_BRINK_H
/* What the ODE glue's own files share: the mirror of an ODE world and what its rooms ask of each other. The records of
 * bodies, joints and pairs, and all that a step knows, are the stepper's (plugin/stepping/stepper.h); records of geoms
 * and what only ODE needs of a body are here. Records are found by pointer but walked by number: nothing depends on an
 * address. A pointer in a record is followed only after the current walk has met it again; ODE tells nobody about
 * destroyed objects. */
#include <stdbool.h>

#include "brink/ccd.h"
#include "brink/ode.h"
#include "shapes.h"  /* plugin/stepping */
#include "stepper.h" /* the same */

#define DX_BRINK_ODE_SEES 2e-6 /* of the allowance: how far past touching ODE's own colliders are first asked */

/* What decides a geom's shape, as ODE tells it. */
typedef struct dxBrinkShapeKey {
  int geomClass; /* behind a GeomTransform that of the geom inside; of a given shape, its class; or DX_BRINK_SUPPORT */
  int odeClass;  /* whose collider ODE calls in the end: the geom's own, behind a GeomTransform that of the geom inside
                  */
  int triangleCount; /* trimesh */
  uint32_t given;    /* number of the shape given by the program (mirror/given.c); 0: the geom's own */
  void *data;        /* trimesh, heightfield: ODE's data */
  double size[4];    /* sphere r; box lengths; capsule, cylinder r, length; plane a,b,c,d; ray length; convex: 0 */
  double inner[7];   /* GeomTransform: position and quaternion of the geom inside; else 0 */
} dxBrinkShapeKey;
#define DX_BRINK_SUPPORT (-2)
/* Of a ray that could be watched. */
#define DX_BRINK_RAY_REASON "rays are watched only after dBrinkSetRays"

/* A shape that the program has told for a geom; own copy. */
typedef struct dxBrinkGiven {
  dxBrinkShapeKey key;
  double *vertices; /* convex: [vertexCount][3] */
  size_t vertexCount;
  dBrinkSupport *support;
  void *supportUser;
  double radius; /* m, support: a ball about the origin that holds the shape */
} dxBrinkGiven;

typedef struct dxBrinkGeom {
  dGeomID geom; /* NULL = free record */
  dxBrinkShapeKey key;
  dxBrinkGiven *given; /* owned; NULL: none */
  bool answered;       /* Brink has a collider for it; else skipped, and contacts are ODE's own */
  bool changed;        /* has no body and is new or changed, in this walk */
  bool seen;           /* found again, see near.c */
  uint32_t body;       /* record, or BRINK_NO_RECORD: static */
  bool offset;
  double place[15]; /* position[3], rotation[12] as ODE stores them: in the body's frame, or world; to see changes */
  brinkPose pose;   /* the same for Brink */
  uint64_t categoryBits, collideBits;
  double userAllowance; /* m; < 0: none given */
  bool sensor, sweeps;
  double allowance; /* m, in force */
  brinkStepShape shape;
  brinkColliderId collider;
} dxBrinkGeom;

/* What only ODE's adapter knows of a body, by the number of its record. */
typedef struct dxBrinkHosted {
  double force[3], torque[3]; /* of the current step */
  bool finite, gyroscopic;    /* the program's own modes of turning, while a solve uses others */
  dVector3 axis;              /* of its finite mode */
  dReal fastest;              /* rad/s, the program's own limit, while a solve has none */
  dReal damping[2];           /* the program's own, linear and angular, while a solve uses a part of it */
} dxBrinkHosted;

/* A joint, and the bodies that it hung on when it was noted (own.c). */
typedef struct dxBrinkNoted {
  dJointID joint;
  dBodyID bodies[2];
} dxBrinkNoted;

typedef struct dxBrinkNotes {
  dxBrinkNoted *items;
  size_t count, capacity;
} dxBrinkNotes;

/* What a space that near callbacks may change looked like; outer ones stand first. */
typedef struct dxBrinkCounted {
  dSpaceID space;
  int count;
  dGeomID first; /* NULL: cannot be asked for */
  bool blind;    /* of a class that tells no first geom */
} dxBrinkCounted;

/* What the program has chosen, and what a hook says for it. */
struct dxBrinkChosen {
  bool enabled;
  bool rays;                                                 /* watched */
  brinkStepSay (*hookSay)(void *user, dGeomID a, dGeomID b); /* NULL: all pairs are answered */
  void *hookUser;
  dBrinkLogCallback *log; /* at first: warnings to stderr */
  void *logUser;
};

#define DX_BRINK_NOWHERE SIZE_MAX
/* Contacts inside a step: what the program is asked, what its callback changed (near.c, impacts.c). */
struct dxBrinkContacts {
  double solveLength;      /* s, of the solve that contacts made now are for; 0: there was no step yet */
  bool watching;           /* counted is filled: the callback was called in this step */
  bool worldGone;          /* a near callback destroyed the world: there is nothing left to step */
  dxBrinkCounted *counted; /* near.c */
  size_t countedCount, countedCapacity;
  bool made;              /* by the last near call, of its pair */
  dBodyID parking;        /* holds contacts while the program's callback runs; only its world's end destroys it */
  dJointID parkingTether; /* by which it is known whether the world lives */
  dBodyID parkedFor[2];   /* whose contacts hang there; both NULL: nobody's */
  dxBrinkNotes takenOff;  /* contacts that are off their bodies while the callback runs */
  dJointID *joints;       /* last listed, of one body or between two */
  size_t jointCapacity, linkCount;
  brinkKeyMap staleMap;
  dxBrinkNotes own;   /* contacts of Brink's own, as they were made: the program may destroy them */
  size_t madeOfAt;    /* bytes into a contact joint: its dContact; 0: not looked for; or DX_BRINK_NOWHERE */
  dxBrinkNotes stale; /* contacts that the gathered bodies had when the change under way began */
  dBodyID shelf;      /* holds the contacts that are put aside, the last one first */
  dxBrinkNotes aside; /* contacts that an impact made stale, in their order; back on their bodies at the end */
  bool changing;      /* the program is asked for contacts of a change */
};

/* What a world of ODE's lists (lists.c): bodies, joints. */
typedef struct dxBrinkLists {
  void *first[2]; /* the newest; NULL: none */
  int counts[2];
} dxBrinkLists;

/* A body or joint that an extra solve reaches, and its place among the others. */
typedef struct dxBrinkListed {
  void *object, *next, **self;
  int kind;
} dxBrinkListed;

/* What is set in the world for the solve of an island (edges.c, island.c, lists.c). */
struct dxBrinkIsland {
  dxBrinkListed *listed;
  size_t listedCount, listedCapacity;
  bool narrow;                   /* the world lists what a solve reaches, alone */
  dxBrinkLists others, gathered; /* then: what is not listed, and what is */
  dxBrinkLists seen;             /* when last asked whether the bodies are the same */
  dBodyID *standIns;             /* disabled, Brink's own */
  size_t standInCount, standInCapacity;
  dxBrinkNotes hung; /* contacts that hang on stand-ins during a solve */
  struct dxBrinkErp *erps;
  size_t erpCount, erpCapacity;
  struct dxBrinkFelt *felt;
  size_t feltCount, feltCapacity;
  uint32_t *borrowed; /* body records that turn finitely in the step's own solve, see bodies.c */
  size_t borrowedCount, borrowedCapacity;
  bool driven; /* by a motor, in the solve that is under way */
  struct dxBrinkWas {
    bool told; /* the world and the gathered bodies of a solve */
    dReal erp, cfm, pushedOut;
    int iterations;
    unsigned long seed;
  } was;
  double solveSeconds;
};

/* What the program is told of the last step. */
struct dxBrinkResult {
  dBrinkEvent *events;
  size_t eventCount, eventCapacity;
  dBrinkStepInfo info;
};

/* The step that is under way, as the program asked for it. */
struct dxBrinkCall {
  bool quick;
  void *data;
  dNearCallback *near;
  dJointGroupID group; /* for contacts made inside the step */
};

typedef struct dxBrink dxBrink;
typedef struct dxBrinkSweep dxBrinkSweep;
struct dxBrink {
  brinkStepper step;
  dWorldID world;
  brinkStepShapes shapes;         /* owns the plugin's world */
  struct dxBrink *next;           /* list of all dBrinks, for the class table */
  struct dxBrinkWatched *watched; /* mirror/mirror.h: spaces and single geoms */
  struct dxBrinkWalk *walk;       /* mirror/mirror.h */
  struct {
    dxBrinkSweep *items;
    size_t count, capacity;
  } sweeps;              /* sweep.c */
  dJointGroupID tethers; /* of parkingTether alone */
  dxBrinkGeom *geoms;
  size_t geomCount, geomCapacity;
  dxBrinkHosted *hosted; /* by body record */
  size_t hostedCapacity;
  bool busy;
  bool doomed;                      /* dBrinkDestroy was called inside the step */
  struct dxBrinkSegments *segments; /* inspect */
  char error[512];
  struct dxBrinkChosen chosen;
  struct dxBrinkContacts contacts;
  struct dxBrinkIsland island;
  struct dxBrinkCall call;
  struct dxBrinkResult result;
};

static inline dxBrinkHosted *dxBrinkHostedOf(const dxBrink *brink, const brinkStepBody *record) {
  return &brink->hosted[record - brink->step.bodies];
}

/* ---- base/base.c */
/* Keeps the text for dBrinkGetError; returns 0 for `return dxBrinkFail(...)`. */
int dxBrinkFail(dBrinkID brink, const char *format, ...) __attribute__((format(printf, 2, 3)));
void dxBrinkLog(dBrinkID brink, brinkLogLevel level, const char *format, ...) __attribute__((format(printf, 3, 4)));
int dxBrinkSucceed(dBrinkID brink);                        /* 1; forgets the text. NULL: that of dBrinkCreate */
int dxBrinkPluginFailed(dBrinkID brink, const char *what); /* 0, with the plugin's message */
int dxBrinkNoMemory(dBrinkID brink);                       /* 0, with a message */
bool dxBrinkMayCall(dBrinkID brink, const char *where);    /* not NULL, and not inside a step; else a message */
/* All dBrinks of the process. The list is read and changed under its lock, which guards the narrowphase too. */
void dxBrinkLockList(void);
void dxBrinkUnlockList(void);
dxBrink **dxBrinkList(void);                      /* the first one's place */
dxBrink *dxBrinkNextListed(const dxBrink *brink); /* takes the lock; NULL: the first, after the last */
bool dxBrinkHasCounterpart(dBrinkID brink);       /* takes the lock; does another dBrink serve the same world? */

/* ---- base/layout.c */
enum { dxBrinkOfGeom, dxBrinkOfBody, dxBrinkOfJoint };
extern struct dxBrinkLayout { /* bytes; 0: not found */
  size_t lists, link, fixed, flags[3];
} dxBrinkLayout;
bool dxBrinkKnowsLists(void); /* before the first dBrink */
#define DX_BRINK_MET (1u << 30)
static inline bool dxBrinkIsMet(int kind, const void *object) { /* not: made after what had its address before */
  const size_t at = dxBrinkLayout.flags[kind];
  return at == 0 || (*(const uint32_t *)(const void *)((const char *)object + at) & DX_BRINK_MET) != 0;
}
static inline void dxBrinkMarkMet(int kind, void *object) {
  const size_t at = dxBrinkLayout.flags[kind];
  *(uint32_t *)(void *)((char *)object + at) |= at != 0 ? DX_BRINK_MET : 0;
}

/* ---- sweep.c */
void dxBrinkDropSweeps(dBrinkID brink);            /* at the end of a dBrink */
void dxBrinkAbandonSweeps(dBrinkID brink);         /* their bodies went with the world */
bool dxBrinkBeginSweeps(dBrinkID brink, double h); /* true: walk again, geoms sit on bodies now */
void dxBrinkEndSweeps(dBrinkID brink);
double dxBrinkSweptWay(const dxBrink *brink, dGeomID geom); /* m, of its centre to where it was put; < 0: no sweep */

/* ---- base/asserted.c */
bool dxBrinkOdeIsInitialised(void);                     /* dInitODE2 was called and dCloseODE was not */
bool dxBrinkIsLocked(dSpaceID space, dGeomID outsider); /* is it calling back? outsider: any geom that is in no space */
bool dxBrinkIsPlaceless(dGeomID geom);                  /* planes, heightfields made with bPlaceable = 0 */
/* Solves a step of length h. Does the direct solver say that it gave up? The program's handler hears of it, too. */
bool dxBrinkGivesUp(void (*solve)(dBrinkID, double, bool), dBrinkID brink, double h, bool quick);

/* ---- colliders.c */
void dxBrinkEnlist(dBrinkID brink);
void dxBrinkDelist(dBrinkID brink);
bool dxBrinkOverrides(int classA, int classB); /* did the program register this pair of classes? */
void dxBrinkKeepRegistered(int classA, int classB,
                           bool registered); /* not: only after dCloseODE, for what comes then */
/* ODE's collider of a convex and a trimesh aborts unless the mesh was prepared for it: only the program may ask. */
bool dxBrinkMayAskOde(int classA, int classB);

/* Does ODE's class table answer this pair from these shapes? */
bool dxBrinkAnswersPair(const dxBrinkGeom *a, const dxBrinkGeom *b);
bool dxBrinkMayHoldApart(const dxBrink *brink); /* may it answer any pair with a mesh? */

/* ---- step.c */
int dxBrinkStep(dBrinkID brink, double h, void *data, dNearCallback *near, dJointGroupID contactGroup, bool quick);

#endif
