/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACCEPTANCE_STAGE_H
#define ACCEPTANCE_STAGE_H
/* One ODE world for the acceptance rows, stepped in any of the ways that a program can: plain ODE, plain ODE with small
 * steps (the reference), Brink by calls, by the header's functions, or by the preload. Everything else (bodies, near
 * callback, what is moved by hand) is the same code for all of them, so that a difference is the step's.
 *
 * ODE is opened with the first living stage and closed with the last one. Units: m, kg, s, rad; z up. One thread. */
#include <ode/ode.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "brink/ode.h"

#define STAGE_FINE_PARTS 50 /* steps of the reference in one of the program's */

typedef enum stageWay { stagePlain, stageFine, stageCalls, stageHeader, stagePreload, stageWays } stageWay;
typedef enum stageShape {
  stageBox,
  stageSphere,
  stageCapsule,
  stageCylinder,
  stageConvex,
  stageMesh,  /* a box of 12 triangles; size[2] == 0: a flat one of 2 */
  stagePlane, /* no body; at z = 0 of its place */
  stageField, /* no body; flat heightfield */
  stageShapes
} stageShape;

typedef struct stageSurface {
  int mode; /* flags of dSurfaceParameters */
  double mu, bounce, bounceVelocity, softErp, softCfm, motion;
  int maxContacts; /* at most 64 */
} stageSurface;

typedef struct stageSetup {
  stageWay way;
  bool quick, registered; /* registered: contacts from Brink; has no effect on plain and fine runs */
  double h, gravity;      /* along z: negative falls */
  unsigned long seed;     /* of dRand; 0: 1 */
} stageSetup;

typedef struct stage {
  stageSetup setup;
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBrinkID brink; /* NULL: plain */
  stageSurface surface;
  dNearCallback *near; /* gets the stage as data; stage_Near unless set */
  /* Moves what a program moves by hand. Called before each collide; time: before the step, h: the step to come. */
  void (*before)(struct stage *s, double time, double h);
  void (*after)(struct stage *s); /* between collide and step: contacts that are made late; or NULL */
  void *own;
  dBodyID *bodies; /* dynamic ones; kinematic bodies and statics are not listed */
  int bodyCount, bodyCapacity;
  void **blocks; /* memory that geoms point to */
  int blockCount, blockCapacity;
  dTriMeshDataID *meshes;
  dHeightfieldDataID *fields;
  int meshCount, meshCapacity, fieldCount, fieldCapacity;
  unsigned long rand;
  double time;
  bool inStep; /* a near callback is called by the step, not by collide */
  /* sums over all steps */
  double lost; /* s */
  long clamps, unresolved, solves, queries, failed, events, steps;
  int lastSolves;
  char message[200]; /* of the first refused step */
} stage;

void stage_Begin(stage *s, const stageSetup *setup);
void stage_End(stage *s);
/* One frame of the program: collide, step, empty the group; of the reference STAGE_FINE_PARTS of them. False: refused.
 */
bool stage_Step(stage *s);
/* The near callback of the manual: joined bodies are left out, surface as set. */
void stage_Near(void *data, dGeomID a, dGeomID b);
/* Makes one contact joint through the stage's entry. */
void stage_Touch(stage *s, const dContactGeom *geom);

/* A geom in the stage's space, at the origin. size: extents along x, y, z; balls use x, capsules and cylinders x and z
 * (axis z, whole height). */
dGeomID stage_AddGeom(stage *s, stageShape shape, const double size[3]);
dGeomID stage_AddStatic(stage *s, stageShape shape, const double size[3], const double place[3]);
/* A triangle mesh of the caller's; copied. */
dGeomID stage_AddMesh(stage *s, const double (*vertices)[3], int vertexCount, const int (*faces)[3], int faceCount);
dBodyID stage_AddBody(stage *s, stageShape shape, const double size[3], double density, const double place[3]);
/* A body without geoms; listed unless it is made kinematic. */
dBodyID stage_AddBareBody(stage *s, const dMass *mass, const double place[3]);
dBodyID stage_AddKinematic(stage *s, stageShape shape, const double size[3], const double place[3]);
void stage_DestroyBody(stage *s, dBodyID body); /* and its geoms, through the entry */
/* What a callback may do to the program's own harm: nothing of it is used afterwards. */
void stage_DestroySpace(stage *s);
void stage_DestroyWorld(stage *s);
dJointID stage_AddHinge(stage *s, dBodyID a, dBodyID b, const double anchor[3], const double axis[3]);
dJointID stage_AddBall(stage *s, dBodyID a, dBodyID b, const double anchor[3]);
dJointID stage_AddSlider(stage *s, dBodyID a, dBodyID b, const double axis[3]);
/* Fifteen capsules with gaps at their joints, thrown; returns the index of its first body, which is the torso. */
#define STAGE_DOLL_PARTS 15
int stage_AddDoll(stage *s, const double place[3], const double turn[4], const double velocity[3],
                  const double spin[3]);
/* Links along +z from `place`, ball joints between them; returns the index of the first. */
int stage_AddChain(stage *s, int links, stageShape shape, const double size[3], double spacing, const double place[3]);

/* Kinetic and potential energy (over zeroLevel) of all dynamic bodies, J. */
double stage_Energy(const stage *s, double zeroLevel);
double stage_Fastest(const stage *s); /* largest speed of a centre, m/s */
/* In this process: how often ODE's direct solver has said that it gives up. What it had not answered yet, friction at
 * last, is 0 then. */
long stage_GiveUps(void);
bool stage_IsFinite(const stage *s);
double stage_FastestPoint(const stage *s);       /* m/s, at least: of any point of a body */
void stage_Copy(const stage *from, stage *to);   /* states of the bodies, in the order in which they were made */
bool stage_Same(const stage *a, const stage *b); /* positions and turns, bit for bit */

/* splitmix64 */
double stage_Uniform(uint64_t *state, double low, double high);
int stage_Pick(uint64_t *state, int count);
void stage_RandomTurn(uint64_t *state, double turn[4]);
const char *stage_ShapeName(stageShape shape);
const char *stage_WayName(stageWay way);
double stage_CpuSeconds(void);

#endif
