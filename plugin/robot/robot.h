/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ROBOT_MODEL_H
#define BRINK_ROBOT_MODEL_H
/* What the files of this room share: the robot (model.c), a thread's view of it (view.c), and questions (edge.c,
 * spline.c, least_gap.c, batch.c). The entry points are in table.c. Private to plugin/robot/.
 *
 * Links that can never move against each other share one motion link: that of the joint above them. Motion links stand
 * in the order of the tree, parents first; -1 is the world. Each moves with constant velocities in its parent's frame
 * over an edge (link_motion.h), whatever its joint's type: that is the straight way in joint space, exactly.
 * Units: m, rad; t in [0,1] along the edge. */
#include <pthread.h>
#include <string.h>

#include "../world.h"
#include "clearance.h"
#include "brink/robot.h"

typedef struct RobotJoint {
  uint32_t type, parent, child, mimic;
  bool limited;
  bool stated; /* its edges go as far as its values say, whatever is asked */
  uint32_t valueIndex, valueCount;
  uint32_t source;           /* joint whose value counts: itself, or what it mimics in the end */
  double multiplier, offset; /* of the source's value; 1 and 0 for itself */
  brinkRigid origin;         /* in the parent link's frame */
  brinkVec3 axis;            /* unit, joint frame */
  brinkMat3 plane;           /* planar: columns x, y, axis */
  double pitch;              /* m per rad */
  double lower[3], upper[3];
  const char *name;
  /* where it is mounted, in its parent's motion link's frame; valid with the robot's layout */
  int32_t motion, motionParent; /* -1: world */
  brinkRigid mount;
  brinkVec3 mountedAxis;            /* axis in that frame */
  brinkMat3 constant, cosine, sine; /* mount.r E(q axis) = constant + cos q cosine + sin q sine */
} RobotJoint;

/* Its name behind the word joint: a default name has that word itself. */
static inline const char *RobotJoint_Told(const RobotJoint *joint) {
  return strncmp(joint->name, "joint ", 6) == 0 ? joint->name + 6 : joint->name;
}

typedef struct RobotLink {
  const char *name;
  double padding;
  uint32_t joint;   /* above it; BRINK_NONE: the root */
  int32_t motion;   /* valid with the layout */
  uint32_t group;   /* links of one number never move against each other */
  brinkRigid place; /* of the link in its motion link's frame */
} RobotLink;

typedef struct RobotPart { /* a shape on a link */
  uint32_t link;
  uint32_t object;  /* BRINK_NONE: the link's own */
  uint32_t shape;   /* of the world */
  brinkRigid place; /* in the link's frame */
} RobotPart;

typedef struct RobotObject {
  bool live;
  uint32_t link;
  uint32_t *touching; /* [touchingCount], owned */
  size_t touchingCount;
} RobotObject;

typedef struct AllowedObstacle {
  uint32_t link;
  brinkColliderId obstacle;
} AllowedObstacle;

struct brinkRobot {
  brinkWorld *world;
  brinkRobot *previous, *next;
  brinkRobotView *firstView;
  uint64_t revision; /* grows with every change */
  brinkRigid base;
  uint64_t category, collide;
  uint32_t root;
  bool testAdjacent;
  bool inBatch; /* the world's guard is ours */
  RobotLink *links;
  RobotJoint *joints;
  RobotPart *parts;
  RobotObject *objects;
  AllowedObstacle *allowedObstacles;
  uint8_t *allowed;   /* [linkCount][linkCount], symmetric: never tested */
  uint32_t *order;    /* [linkCount] links, parents first */
  uint32_t *carriers; /* [motionCount] joints, or BRINK_NONE for a link at rest that is padded */
  uint32_t *carried;  /* [motionCount] the link that the motion link starts with */
  char *names;
  brinkRobotView **lanes; /* of batches, [laneCount] */
  size_t linkCount, jointCount, partCount, partCapacity, objectCount, objectCapacity, obstacleCount, obstacleCapacity;
  size_t valueCount, motionCount, namesSize, laneCount, laneCapacity;
};

typedef struct RobotThing { /* behind a collider of the view's scene */
  uint32_t link;            /* BRINK_NONE: an obstacle */
  uint32_t object;
  brinkColliderId obstacle;
  uint64_t category, collide;
} RobotThing;

/* A robot's shape for culling: its box in its motion link's frame. */
typedef struct RobotBox {
  uint32_t slot;  /* in the scene, and its thing */
  int32_t motion; /* -1: it stands still */
  brinkVec3 center;
  brinkMat3 arms; /* columns: half axes */
  brinkMat3 axes; /* columns: unit */
  brinkVec3 half;
  double reach;  /* largest distance of a point from the link's origin */
  brinkAabb box; /* of what stands still */
  bool hasCore;  /* a box of these axes, all of which belongs to the shape: */
  brinkVec3 coreCenter, coreHalf;
} RobotBox;

typedef struct RobotCandidate { /* boxes of a candidate: b of the robot, or an obstacle */
  uint32_t a, b;
  bool isObstacle;
} RobotCandidate;

typedef struct RobotSelfPair { /* indices of boxes */
  uint32_t a, b;
  bool inLine; /* b's motion link hangs below a's */
} RobotSelfPair;

typedef struct RobotObstacle {
  uint32_t slot;
  bool isPlane;
  brinkVec3 normal; /* planes: world; the solid side is normal . x <= offset */
  double offset;
  RobotBox box; /* in the world */
} RobotObstacle;

#define ROBOT_LANES 8       /* times at which an edge's boxes are made */
typedef struct RobotSweep { /* of one box: at each time, lower and upper by axis */
  double lower[3][ROBOT_LANES], upper[3][ROBOT_LANES];
  double slack;  /* m: how far the box leaves them in between, and the margin */
  double margin; /* m: padding, clearance, tolerance */
  brinkAabb all; /* with the slack */
} RobotSweep;

typedef struct RobotFrame { /* of a motion link in the world, at each time */
  double r[3][3][ROBOT_LANES], p[3][ROBOT_LANES];
} RobotFrame;

struct brinkRobotView {
  brinkContext context;
  brinkRobot *robot;
  brinkRobotView *previous, *next;
  bool ready;
  bool asking; /* on this thread: who calls it, or would destroy it, sits in a callback */
  uint64_t worldRevision, robotRevision;
  bool noSelf;  /* of the question at hand */
  bool looked;  /* its contact was found by looking at a time, not bracketed */
  bool yesOrNo; /* of the question at hand: any contact will do, and may be told without its points */
  bool shown;   /* two cores overlap: the contact at hand is shownPair */
  brinkScenePairResult shownPair;
  brinkScene *scene;
  brinkLinkMotion *links; /* [motionCount] */
  double *padding;        /* [motionCount] */
  double *margin;         /* [motionCount] of the question at hand */
  double *reach;          /* [motionCount] largest distance of a point that the motion link carries itself */
  bool padded;
  RobotThing *things;
  brinkRobotContact *contacts;
  double *values; /* scratch: [6 valueCount], the last two for parts of an edge */
  uint32_t *wanted;
  brinkClearanceScratch *clearance;
  brinkAdvanceScratch *advance;
  /* cull.c */
  RobotBox *boxes;            /* [boxCount] the robot's shapes, in the scene's order */
  RobotSelfPair *selfPairs;   /* [selfCount] that count, one at least of which moves */
  RobotObstacle *obstacles;   /* [obstacleCount] that the robot's bits meet */
  RobotSweep *sweeps;         /* [boxCount] */
  RobotFrame *frames;         /* [motionCount] */
  brinkLinkBound *bounds;     /* [motionCount] */
  brinkIndexPair *candidates; /* of the question at hand */
  RobotCandidate *origins;    /* [candidateCount] what they are */
  brinkBvh *tree;             /* of many obstacles' boxes; NULL: they are few */
  size_t boxCount, selfCount, obstacleCount, candidateCount;
  size_t boxCapacity, selfCapacity, obstacleCapacity, sweepCapacity, frameCapacity, boundCapacity, candidateCapacity,
      originCapacity;
  size_t linkCapacity, paddingCapacity, marginCapacity, reachCapacity, thingCount, thingCapacity, contactCapacity,
      valueCapacity, wantedCapacity, wantedCount;
};

struct brinkRobots {    /* of a world */
  pthread_mutex_t lock; /* held while a view reads the world */
  brinkRobot *first;
};

/* ---- model.c */
brinkStatus brinkRobot_Create(brinkWorld *world, const brinkRobotDef *def, brinkRobot **out);
void brinkRobot_Free(brinkRobot *robot); /* with its views */
/* Which links share a motion link, and where. After every change of padding. */
void brinkRobot_LayOut(brinkRobot *robot);
uint32_t brinkRobot_FindAllowedObstacle(const brinkRobot *robot, uint32_t link, brinkColliderId obstacle);
/* May these two links be tested at all? */
bool brinkRobot_MayMeet(const brinkRobot *robot, uint32_t a, uint32_t b);

brinkStatus brinkRobot_Attach(brinkRobot *robot, const brinkRobotObjectDef *def, uint32_t *object);
brinkStatus brinkRobot_Detach(brinkRobot *robot, uint32_t object, const double *q, brinkPose *pose);

/* ---- kinematics.c */
/* Finite, in the range of what can be computed with, quaternions not zero; limits unless told otherwise. `what` names
 * the argument in messages. */
brinkStatus brinkRobot_CheckValues(const brinkRobot *robot, brinkContext *context, const double *q, const char *what,
                                   bool limits);
/* The change of value `index` of a joint from q0 to q1 (not of quaternions). */
double brinkRobot_Change(const RobotJoint *joint, uint32_t index, double from, double to, bool shorter);
/* Motions of all motion links over the edge. */
void brinkRobot_MakeMotions(const brinkRobot *robot, const double *q0, const double *q1, bool shorter,
                            brinkLinkMotion *links);
void brinkRobot_Poses(const brinkRobot *robot, const double *q, brinkRigid *links); /* [linkCount] world */
void brinkRobot_Between(const brinkRobot *robot, const double *q0, const double *q1, double t, bool shorter, double *q);

/* ---- view.c */
brinkStatus brinkRobotView_Create(brinkRobot *robot, brinkContext *errors, brinkRobotView **out);
void brinkRobotView_Free(brinkRobotView *view);
/* Brings the view up to date with the world and the robot. */
brinkStatus brinkRobotView_Refresh(brinkRobotView *view);
/* What every question of the scene shares; the view's links are the motions. */
brinkSceneQuery brinkRobotView_SceneQuery(brinkRobotView *view, const brinkMotionTree *tree);

/* Does the pair of the robot's own things count? */
bool brinkRobot_PairCounts(const brinkRobot *robot, const RobotThing *a, const RobotThing *b);

/* ---- cull.c */
/* Boxes, pairs and obstacles, once the scene is there. */
brinkStatus brinkRobotView_PrepareCulling(brinkRobotView *view);
void brinkRobotView_FreeCulling(brinkRobotView *view);
/* view->candidates: all pairs that may come to their event on [0,1], or at 0 alone. *culled false: the motion is too
 * far for these boxes, and nothing was found out. A question of yes or no ends with view->shown where two shapes
 * overlap for certain at one of the times. */
brinkStatus brinkRobotView_Cull(brinkRobotView *view, const brinkSceneQuery *query, bool instant, bool *culled);

/* ---- edge.c */
/* A checked copy of the host's query. */
brinkStatus brinkRobot_CheckQuery(brinkContext *context, const brinkEdgeQuery *given, brinkEdgeQuery *query);
brinkStatus brinkRobotView_Edge(brinkRobotView *view, const double *q0, const double *q1, const brinkEdgeQuery *query,
                                brinkEdgeAnswer *answer);
brinkStatus brinkRobotView_Configuration(brinkRobotView *view, const double *q, const brinkEdgeQuery *query,
                                         brinkEdgeAnswer *answer);
brinkStatus brinkRobotView_Polyline(brinkRobotView *view, const double *points, size_t count,
                                    const brinkEdgeQuery *query, brinkEdgeAnswer *answer);
/* Values are checked, the view is fresh. extra: [motionCount] m, beside padding and clearance; may be NULL.
 * instant: the configuration q0 alone. */
brinkStatus brinkRobotView_Ask(brinkRobotView *view, const double *q0, const double *q1, const brinkEdgeQuery *query,
                               const double *extra, bool instant, brinkSceneReport *report);
/* The report's pairs as contacts; everything of the answer but segment and lastValid. */
brinkStatus brinkRobotView_Tell(brinkRobotView *view, const brinkSceneReport *report, brinkEdgeAnswer *answer);

/* ---- spline.c, least_gap.c, batch.c */
brinkStatus brinkRobotView_Spline(brinkRobotView *view, const double *points, const double *slopes, size_t count,
                                  const brinkEdgeQuery *query, brinkEdgeAnswer *answer);
brinkStatus brinkRobotView_Clearance(brinkRobotView *view, const double *q0, const double *q1, uint32_t flags,
                                     double tolerance, brinkRobotClearance *out);
brinkStatus brinkRobot_Edges(brinkRobot *robot, const double *q0, const double *q1, size_t count,
                             const brinkEdgeQuery *query, uint32_t threads, brinkEdgeResult *results);

#endif
