/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ROBOT_H
#define BRINK_ROBOT_H
/* Is the way between two configurations of a robot free? An extension:
 * `const brinkRobotTable *robots = plugin->getExtension(BRINK_ROBOT_NAME)`; NULL = not in this build.
 *
 * A robot is a tree of links and joints whose shapes belong to a world (brink/ccd.h). Obstacles are all colliders of
 * that world, of every shape type, where they stand at step time 0. A configuration q is one array of all joints'
 * values. An edge moves every joint from its value in q0 to its value in q1 at constant speed. `free` is a proof for
 * the whole edge: nothing is sampled. `hit` brackets the first contact in [toi, toiUpper], both in [0,1] along the
 * edge; the configuration at toi is the last one known to be valid. `overlap`: q0 itself is not.
 * What no edge can change is not tested: the root link, and what is fixed to it, against obstacles; links that only
 * fixed joints part. `tests` tells of any two.
 *
 *   brinkRobot *robot;                                   // shapes were made by plugin->createShape
 *   robots->create(world, &def, &robot);
 *   brinkRobotView *view;
 *   robots->createView(robot, &view);
 *   brinkEdgeAnswer answer = {.structSize = sizeof answer};
 *   robots->edge(view, q0, q1, NULL, &answer);           // answer.state == brink_free: proven
 *
 * Views: a view is what one thread asks. Views of one robot share its shapes and may be used at the same time, each by
 * one thread, while nobody changes the world or the robot. After a change each view brings itself up to date at its
 * next question. A host's allocator must then bear calls from several threads. From inside a callback of a question
 * (support functions, motions) its view is busy, and so is the world for all that would change it or the robot.
 * Thread rule: [any], [world] as in brink/ccd.h; [view] one thread at a time per view.
 * Errors: as in brink/ccd.h; lastError of the world, viewError of a view. */
#include "brink/ccd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRINK_ROBOT_NAME "brink.robot/1"
#define BRINK_ROBOT_NONE UINT32_MAX

typedef struct brinkRobot brinkRobot;         /* world-owned: goes with the world at the latest */
typedef struct brinkRobotView brinkRobotView; /* robot-owned: goes with the robot at the latest */

/* Values of a joint stand together in a configuration, joints in the order of their definition; fixed and mimic joints
 * have none. The child's frame in the parent's: origin, then what the values do. */
typedef enum brinkRobotJointType {
  brink_robotFixed = 0,
  brink_robotRevolute = 1,   /* 1 value: angle about axis, rad; has limits */
  brink_robotContinuous = 2, /* 1 value: angle about axis, rad; no limits; an edge turns as far as its values say,
                                unless BRINK_EDGE_SHORTER */
  brink_robotPrismatic = 3,  /* 1 value: way along axis, m; has limits */
  brink_robotScrew = 4,      /* 1 value: angle about axis, rad, and pitch m a turn along it; has limits */
  brink_robotPlanar = 5,     /* 3 values: x, y, m, in the plane across axis, then the angle about axis, rad. x and y:
                                the axes that the shortest rotation from z to axis makes of x and y */
  brink_robotFloating = 6    /* 7 values: x y z, m, then a quaternion w x y z, not zero; edges turn the shorter way */
} brinkRobotJointType;

enum {
  BRINK_ROBOT_JOINT_LIMITED = 1u << 0 /* lower and upper count (must be set for revolute, prismatic, screw) */
};

typedef struct brinkRobotJointDef {
  uint32_t structSize;
  uint32_t type;          /* brinkRobotJointType */
  uint32_t flags;         /* BRINK_ROBOT_JOINT_* */
  uint32_t parent, child; /* links */
  uint32_t mimic;   /* joint whose value this one follows: value = multiplier * its + offset; BRINK_ROBOT_NONE: its
                       own. Between joints of one value only */
  const char *name; /* copied; NULL: "joint N" */
  brinkPose origin; /* of the joint, and so of the child's frame at value 0, in the parent link's frame */
  brinkVec3 axis;   /* in the joint's frame; need not be unit, not zero; fixed and floating: ignored */
  double pitch;     /* screw: m a turn */
  double lower[3], upper[3]; /* of the values; floating: of x y z */
  double multiplier, offset; /* mimic */
} brinkRobotJointDef;

typedef struct brinkRobotLinkDef {
  uint32_t structSize;
  uint32_t reserved;
  const char *name; /* copied; NULL: "link N" */
  double padding;   /* >= 0, m: kept free around the link, against obstacles and other links */
} brinkRobotLinkDef;

typedef struct brinkRobotShape {
  uint32_t link;
  uint32_t reserved;
  brinkShapeId shape; /* of the world; not a plane. Cannot be destroyed before the robot */
  brinkPose pose;     /* in the link's frame */
} brinkRobotShape;

typedef struct brinkRobotLinkPair {
  uint32_t a, b;
} brinkRobotLinkPair;

enum {
  BRINK_ROBOT_TEST_ADJACENT = 1u << 0 /* links that a joint joins are tested against each other; else never */
};

typedef struct brinkRobotDef {
  uint32_t structSize;
  uint32_t flags;                 /* BRINK_ROBOT_* */
  brinkPose base;                 /* of the root link in the world; a zero quaternion with a zero position: identity */
  const brinkRobotLinkDef *links; /* copied */
  const brinkRobotJointDef *joints;  /* copied. Together a tree: one root, every other link is the child of one joint */
  const brinkRobotShape *shapes;     /* copied */
  const brinkRobotLinkPair *allowed; /* copied: pairs of links that are never tested against each other */
  size_t linkCount, jointCount, shapeCount, allowedCount;
  uint64_t categoryBits, collideBits; /* against obstacles, as in brinkColliderDef; both 0: all bits */
} brinkRobotDef;

typedef struct brinkRobotInfo {
  uint32_t structSize;
  uint32_t root; /* link */
  size_t linkCount, jointCount, shapeCount, objectCount;
  size_t valueCount; /* doubles of a configuration */
} brinkRobotInfo;

typedef struct brinkRobotJointInfo {
  uint32_t structSize;
  uint32_t type, parent, child, mimic;
  uint32_t valueIndex, valueCount; /* where its values stand in a configuration; 0 of them: fixed, mimic */
  uint32_t limited;                /* 1: lower and upper count */
  double lower[3], upper[3];
  const char *name; /* robot-owned */
} brinkRobotJointInfo;

/* Something held: it moves with a link until it is detached, and has the padding of that link around it. */
typedef struct brinkRobotObjectDef {
  uint32_t structSize;
  uint32_t link;
  brinkShapeId shape;       /* of the world; not a plane */
  brinkPose pose;           /* in the link's frame */
  const uint32_t *touching; /* [touchingCount] links it is never tested against, beside its own; copied */
  size_t touchingCount;
} brinkRobotObjectDef;

enum {
  BRINK_EDGE_NO_SELF = 1u << 0,   /* links and held objects against obstacles only */
  BRINK_EDGE_ANY = 1u << 1,       /* yes or no: stops at any contact, not at the first. toiUpper is a time of contact,
                                     toi a proven lower bound for the pair told, often 0; lastValid is then q0.
                                     distance, points and normal are often 0: not told */
  BRINK_EDGE_ALL_PAIRS = 1u << 2, /* each pair's own first contact in answer->contacts */
  BRINK_EDGE_SHORTER = 1u << 3,   /* continuous joints, and angles of planar ones, go the shorter way round; but those
                                     with limits, or with a mimic that would not end the same, as their values say */
  BRINK_EDGE_NO_LIMITS = 1u << 4  /* joint limits are not checked */
};

typedef struct brinkEdgeQuery { /* NULL, or all 0 but structSize: the defaults */
  uint32_t structSize;
  uint32_t flags;   /* BRINK_EDGE_* */
  double clearance; /* >= 0, m: contact is the distance falling to this (beside padding) */
  double tolerance; /* m, > 0; 0 = 1e-6 of the size of the smaller one of a pair; splines: 1e-4 of the robot's reach.
                       Size: the radius of a shape's bounding ball */
  uint64_t maxIterations; /* of one pair; 0 = as in brinkQuery */
} brinkEdgeQuery;

typedef struct brinkRobotContact {
  uint32_t state;            /* brinkPairState */
  uint32_t linkA, linkB;     /* linkB BRINK_ROBOT_NONE: an obstacle */
  uint32_t objectA, objectB; /* the held object (its number from attach), or BRINK_ROBOT_NONE: the link itself */
  uint32_t reserved;
  brinkColliderId obstacle;
  double toi, toiUpper;
  double distance;                  /* m, at toi */
  brinkVec3 pointA, pointB, normal; /* witness at toi, world; normal from A to B */
} brinkRobotContact;

typedef struct brinkEdgeAnswer {
  uint32_t structSize;
  uint32_t state;   /* brinkPairState */
  uint32_t segment; /* polylines and splines: where toi lies, from 0; else 0 */
  uint32_t reserved;
  double toi, toiUpper;    /* along the edge, or the segment; free: both BRINK_NO_TIME; overlap: both 0, at q0 */
  double *lastValid;       /* [valueCount], host's, may be NULL: filled with the configuration at toi (free: q1) */
  brinkRobotContact first; /* state hit, overlap, unresolved */
  const brinkRobotContact *contacts; /* [contactCount], by (toi, pair); view-owned until its next question */
  size_t contactCount;
  uint64_t pairs, distances, iterations; /* work: pairs after spatial culling, GJK runs, advancement steps */
} brinkEdgeAnswer;

typedef struct brinkEdgeResult { /* of a batch */
  uint32_t state;                /* brinkPairState */
  uint32_t linkA, linkB;         /* of the first contact; linkB BRINK_ROBOT_NONE: an obstacle */
  uint32_t reserved;
  brinkColliderId obstacle;
  double toi, toiUpper;
} brinkEdgeResult;

typedef struct brinkRobotClearance {
  uint32_t structSize;
  uint32_t linkA, linkB; /* of the witness; linkB BRINK_ROBOT_NONE: an obstacle; linkA too: there is no pair */
  uint32_t settled;      /* 1: upper - lower <= tolerance */
  brinkColliderId obstacle;
  double lower, upper; /* m: proven, shown; no pair: both INFINITY */
  double time;         /* along the edge, of the witness */
  brinkVec3 pointA, pointB;
} brinkRobotClearance;

typedef struct brinkRobotTable {
  uint32_t structSize;
  uint32_t reserved;

  /* ---- the robot [world] */
  brinkStatus (*create)(brinkWorld *world, const brinkRobotDef *def, brinkRobot **out);
  brinkStatus (*destroy)(brinkRobot *robot); /* with its views; NULL is a no-op */
  brinkStatus (*info)(brinkRobot *robot, brinkRobotInfo *out);
  brinkStatus (*joint)(brinkRobot *robot, uint32_t joint, brinkRobotJointInfo *out);
  brinkStatus (*linkName)(brinkRobot *robot, uint32_t link, const char **name); /* robot-owned */
  /* Links a and b are tested against each other (allowed 0) or never (1). */
  brinkStatus (*setAllowed)(brinkRobot *robot, uint32_t a, uint32_t b, int allowed);
  /* The link is never tested against this collider of the world (1), or is again (0). */
  brinkStatus (*setAllowedObstacle)(brinkRobot *robot, uint32_t link, brinkColliderId obstacle, int allowed);
  brinkStatus (*setPadding)(brinkRobot *robot, uint32_t link, double padding);
  /* A link holds an object from now on; *object: its number. */
  brinkStatus (*attach)(brinkRobot *robot, const brinkRobotObjectDef *def, uint32_t *object);
  /* It is held no more. *pose (may be NULL): where it is in the world, for the configuration q (may be NULL when pose
   * is). */
  brinkStatus (*detach)(brinkRobot *robot, uint32_t object, const double *q, brinkPose *pose);
  /* World poses of all links: poses[linkCount]. Limits are not checked. [any], while nobody changes the robot */
  brinkStatus (*poses)(const brinkRobot *robot, const double *q, brinkPose *poses);
  /* q[valueCount] at t in [0,1] of the edge. flags: BRINK_EDGE_SHORTER. [any], as above */
  brinkStatus (*between)(const brinkRobot *robot, const double *q0, const double *q1, double t, uint32_t flags,
                         double *q);
  /* Is q within the joints' limits? ok, or errorRange and a message of the world that names the joint. */
  brinkStatus (*checkLimits)(brinkRobot *robot, const double *q);

  /* ---- questions [view] */
  brinkStatus (*createView)(brinkRobot *robot, brinkRobotView **out); /* [world] */
  brinkStatus (*destroyView)(brinkRobotView *view);                   /* [world] NULL is a no-op */
  const char *(*viewError)(const brinkRobotView *view);               /* view-owned; "" when the last call went well */
  /* Is the way from q0 to q1 free, q[valueCount] each? errorRange: a value is beyond its limits. */
  brinkStatus (*edge)(brinkRobotView *view, const double *q0, const double *q1, const brinkEdgeQuery *query,
                      brinkEdgeAnswer *answer);
  /* One configuration: overlap when something is within the tolerance, else free. */
  brinkStatus (*configuration)(brinkRobotView *view, const double *q, const brinkEdgeQuery *query,
                               brinkEdgeAnswer *answer);
  /* Straight in joint space from point to point: points[count][valueCount], count >= 2. */
  brinkStatus (*polyline)(brinkRobotView *view, const double *points, size_t count, const brinkEdgeQuery *query,
                          brinkEdgeAnswer *answer);
  /* Cubic Hermite from point to point: slopes[count][valueCount] by the parameter, which grows by 1 a segment. Asked as
   * straight pieces with a proven deviation, so toi is proven, and a hit is one within the tolerance. Not for robots
   * with floating joints; BRINK_EDGE_SHORTER and BRINK_EDGE_ALL_PAIRS are refused. */
  brinkStatus (*spline)(brinkRobotView *view, const double *points, const double *slopes, size_t count,
                        const brinkEdgeQuery *query, brinkEdgeAnswer *answer);
  /* The smallest distance along the edge between any two things that are tested against each other, without padding,
   * to `tolerance` (0: 1e-4 of the size of the smaller one. Size: half of the longest edge of a shape's own box).
   * flags: BRINK_EDGE_NO_SELF, SHORTER, NO_LIMITS. */
  brinkStatus (*clearance)(brinkRobotView *view, const double *q0, const double *q1, uint32_t flags, double tolerance,
                           brinkRobotClearance *out);

  /* ---- batches [world] */
  /* count edges, q0[count][valueCount] to q1, on `threads` threads (0: 1); results[count] in the order of the edges,
   * the same for any number of threads. All edges are checked before the first is asked; on failure no result is
   * touched.
   */
  brinkStatus (*edges)(brinkRobot *robot, const double *q0, const double *q1, size_t count, const brinkEdgeQuery *query,
                       uint32_t threads, brinkEdgeResult *results);
  /* Makes an obstacle of points[count][3], m, world, each a ball of this radius: one static collider, which
   * destroyCollider takes away with all that belongs to it. */
  brinkStatus (*createPointCloud)(brinkWorld *world, const double *points, size_t count, double radius,
                                  brinkColliderId *out);
  /* *tested: 1 when questions test links a and b against each other (with BRINK_ROBOT_NONE for b: a against obstacles).
   * [world] */
  brinkStatus (*tests)(brinkRobot *robot, uint32_t a, uint32_t b, int *tested);
} brinkRobotTable;

#ifdef __cplusplus
}
#endif
#endif
