/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_SCENE_KIT_H
#define BRINK_SCENE_KIT_H
/* What the scenes share: an ODE world with one space and one near callback, meshes that went through a file and assimp,
 * the frame's step, figures and hash. A scene's own file builds bodies and says what "through" means.
 *
 * ODE is opened by the first living scene and closed by the last one, so colliders that Brink registered for one run
 * are gone in the next: create and destroy the plain run before the one with Brink. Units: m, kg, s; z up. Thread rule:
 * one thread per process. */
#include "scene.h"

#define KIT_BODIES 1024
#define KIT_MESHES 64
#define KIT_VISUALS 1100

struct demoScene {
  demoParams params;
  double step, speed;
  double friction, contactSoftness; /* mu; CFM of contacts, 0 = the world's */
  int maxContacts;
  bool quickStep;
  double zeroLevel; /* m, of potential energy */
  double startEnergy;
  int frame;
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBrinkID brink;
  brinkMesh meshes[KIT_MESHES];
  dTriMeshDataID meshData[KIT_MESHES]; /* NULL until a geom needs it */
  char *meshFiles[KIT_MESHES];         /* the model file that the mesh was read from; NULL: made here */
  int meshCount;
  demoVisual visuals[KIT_VISUALS];
  size_t visualCount;
  dBodyID bodies[KIT_BODIES];
  int bodyCount;
  dJointID joints[KIT_BODIES];
  int jointCount;
  /* May be NULL, each. drive: before a step, for what the program moves itself. wants: false, and near makes no contact
   * of the two. check: fills worstDepth, through, throughMask. */
  void (*drive)(demoScene *scene);
  bool (*wants)(demoScene *scene, dGeomID g1, dGeomID g2);
  void (*check)(demoScene *scene, demoFrame *out);
  uint64_t told;     /* kit_Tell: goes into the hash */
  double view[2][3]; /* eye and target, m */
  void *own;         /* the scene's own data */
  void (*releaseOwn)(void *own);
  struct queryLog *queries; /* NULL: not asked for */
  char complaint[256];      /* the first step Brink refused */
};

/* How a scene is made; what is 0 or NULL is left out. */
typedef struct kitPlan {
  double defaultSpeed, allowance; /* m/s; m, cap over all geoms */
  size_t ownSize;                 /* bytes, all zero, of demoScene.own; released by free or releaseOwn */
  void (*releaseOwn)(void *own);
  void (*drive)(demoScene *scene);
  bool (*wants)(demoScene *scene, dGeomID g1, dGeomID g2);
  void (*check)(demoScene *scene, demoFrame *out);
  bool (*build)(demoScene *scene, char *message, size_t messageCapacity); /* false: message says why */
  const int *classes;               /* pairs of geom classes handed to Brink (dBrinkRegister), ends with -1 */
  bool (*finish)(demoScene *scene); /* once Brink is there; false: dBrinkGetError says why */
  double view[2][3];                /* eye and target of stills, m */
} kitPlan;

/* A world with gravity (0, 0, -9.81), built, and Brink attached when asked for. NULL and a message on failure. */
demoScene *kit_Create(const kitPlan *plan, const demoParams *params, char *message, size_t messageCapacity);
void kit_Destroy(demoScene *scene);

/* Writes the model as an OBJ file into assetDir and reads it back through assimp; NULL and a message on failure. */
brinkMesh *kit_LoadModel(demoScene *scene, brinkModel model, int part, uint64_t seed, const char *name, char *message,
                         size_t messageCapacity);
/* A box of 12 triangles, for boxes that are drawn. NULL: no memory. */
brinkMesh *kit_MakeBoxMesh(demoScene *scene, double x, double y, double z);
/* ODE's plane z = 0, drawn as a checkered square of this half width. */
bool kit_AddGround(demoScene *scene, double half, const float color[3], char *message, size_t messageCapacity);
void kit_MeshBounds(const brinkMesh *mesh, double low[3], double high[3]);

/* A body of revolution about z: rings of `sides` vertices at (radius, z), closed where a radius is 0. */
brinkMesh *kit_MakeRoundMesh(demoScene *scene, const double (*rings)[2], int ringCount, int sides);
brinkMesh *kit_MakeBallMesh(demoScene *scene, double radius);
/* A ball of steel (7850 kg/m^3) that flies. */
dGeomID kit_AddBall(demoScene *scene, const brinkMesh *mesh, double radius, const double place[3],
                    const double velocity[3], const float color[3], int part);

/* body NULL: static. The geom is in the scene's space. */
dGeomID kit_AddMeshGeom(demoScene *scene, dBodyID body, brinkMesh *mesh);
dBodyID kit_AddBody(demoScene *scene, double mass, const double boxSize[3]); /* mass and inertia of a box */
void kit_AddVisual(demoScene *scene, dBodyID body, dGeomID geom, const brinkMesh *mesh, const float color[3], int style,
                   int part);
/* Static box with its picture; returns the geom. */
dGeomID kit_AddStaticBox(demoScene *scene, const double centre[3], const double size[3], const float color[3],
                         char *message, size_t messageCapacity);
void kit_AddJoint(demoScene *scene, dJointID joint);

/* demoSceneDef members that are the same for all */
void kit_Step(demoScene *scene, demoFrame *out);
size_t kit_Visuals(demoScene *scene, const demoVisual **out);
uint64_t kit_Hash(demoScene *scene);
dBrinkID kit_Brink(demoScene *scene);
void kit_Camera(demoScene *scene, int frame, double eye[3], double target[3]);
/* A scene's create, by the members of its kitPlan. */
#define KIT_CREATE(...)                                                                       \
  static demoScene *create(const demoParams *params, char *message, size_t messageCapacity) { \
    static const kitPlan plan = {__VA_ARGS__};                                                \
    return kit_Create(&plan, params, message, messageCapacity);                               \
  }
/* What every scene made with the kit has in its demoSceneDef: its own create and verdict, and the kit's rest.
 */
#define KIT_SCENE(itsName, itsTitle, itsFrames)                                                                        \
  .name = itsName, .title = itsTitle, .frames = itsFrames, .create = create, .camera = kit_Camera, .verdict = verdict, \
  .step = kit_Step, .destroy = kit_Destroy, .visuals = kit_Visuals, .hash = kit_Hash, .brink = kit_Brink

uint64_t kit_HashBodies(const dBodyID *bodies, int count); /* poses and velocities, bit for bit */
/* Something that Brink told and no body shows, for the scene's hash. */
void kit_Tell(demoScene *scene, double value);
double kit_Energy(demoScene *scene);
double kit_JointError(demoScene *scene);
void kit_ToWorld(dBodyID body, const double local[3], double world[3]);

/* The figures that every verdict weighs. */
typedef struct kitSummary {
  int worstThroughPlain, worstThroughBrink;  /* largest number of parts through at once */
  int worstLostPlain, worstLostBrink;        /* largest number wholly on the wrong side at once */
  int everThroughPlain, everThroughBrink;    /* parts that were through at any time */
  double worstDepthPlain, worstDepthBrink;   /* m */
  double worstJointPlain, worstJointBrink;   /* m */
  double worstEnergyPlain, worstEnergyBrink; /* over the start's */
  long extraSolves, clamps;
  long odeMessagesPlain, odeMessagesBrink;     /* complaints of ODE itself */
  int firstExtraSolve, lastExtraSolve, failed; /* frames, -1 none */
  double lostTime, runTime; /* s, of the run with Brink; lost: the guard held bodies still, averaged over bodies */
} kitSummary;

/* A run that the guard holds still keeps every other promise: more than this share of the run's time lost breaks it. */
#define KIT_LOST_SHARE 0.1
void kit_Summarize(const demoFrame *plainFrames, const demoFrame *brinkFrames, int frameCount, kitSummary *out);
/* Of something jointed that is thrown: nothing through, joints no worse than plain ODE's, no energy gained, no time
 * lost. Appends what it found; `through` is what counts there. */
bool kit_JudgeThrow(const kitSummary *sum, int through, char *out, size_t capacity);

/* The table's entries, each in its scene's own file. */
extern const demoSceneDef demoFallingTrain, demoRagdoll, demoBoxStack, demoLyingMannequin, demoPile, demoModes,
    demoSensors, demoSweeps, demoRays, demoExplain;

/* splitmix64: the scenes' own seeds */
uint64_t kit_Random(uint64_t *state);
double kit_Uniform(uint64_t *state, double low, double high);

#endif
