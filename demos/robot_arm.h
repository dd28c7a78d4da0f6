/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_DEMO_ROBOT_ARM_H
#define BRINK_DEMO_ROBOT_ARM_H
/* Robots without ODE: an arm of seven joints at a shelf, an excavator and a tower crane on their site, all from URDF
 * files that the generator writes (brink/stand_in_robot.h). Random edges of joint space are asked of Brink, and sampled
 * as planners do, every 1 % of the joint space's extent. Which does sampling pass although the way is not free? Asks
 * the extension brink/robot.h. */
#include <stdbool.h>
#include <stddef.h>

#include "brink/robot.h"
#include "brink/robot_scene.h"
#include "brink/urdf.h"
#include "exhibit.h"

/* Between the files of the demo `robot_arm`, which leaves {robot_arm.png, robot_arm.html, models/}. */

#define DEMO_ROBOT_VALUES 7
#define DEMO_ROBOT_MACHINES 3
#define DEMO_ROBOT_REFEREE 10000 /* configurations that judge the edge that is shown */
#define DEMO_ROBOT_FRAMES 120    /* moments of it that the page plays, and one more */

typedef struct demoRobotView { /* of a camera, m, world */
  double eye[3], target[3];
} demoRobotView;

typedef struct demoRobotAsk { /* which machine */
  const char *title;
  const char *folder, *urdf, *srdf, *scene; /* below models/ */
  demoRobotView view;
  double nearby; /* m: how far the second camera stands from the contact */
} demoRobotAsk;

typedef struct demoRobotMachine {
  const demoRobotAsk *ask;
  brinkUrdf *urdf;
  brinkRobot *robot;
  brinkRobotView *view;
  const brinkRobotScene *scene;
  const brinkColliderId *obstacles; /* [scene->obstacleCount] */
  size_t valueCount, linkCount;
  double lower[DEMO_ROBOT_VALUES], upper[DEMO_ROBOT_VALUES];
  int edges, free, sampledFree, missed, wrong; /* wrong: Brink's, by the referee */
  size_t states;                               /* configurations that sampling asked */
  double provenTime, sampledTime;              /* s, all edges */
  /* the edge that is shown */
  int shown; /* its number, from 0; -1: none was missed */
  double q0[DEMO_ROBOT_VALUES], q1[DEMO_ROBOT_VALUES];
  int samples;            /* parts that sampling makes of it: it asks at 1/samples ... (samples - 1)/samples */
  brinkEdgeAnswer answer; /* of the first contact */
  size_t obstacle;        /* of the scene */
  int touching;           /* of the referee's configurations */
  double first, last;     /* of the referee's contacts, parts of the edge */
  double travel;          /* m: way of the point of contact from first to last */
} demoRobotMachine;

typedef struct demoRobots {
  const brinkPlugin *api;
  const brinkRobotTable *table;
  demoRobotMachine machines[DEMO_ROBOT_MACHINES];
  brinkRobotScenes scenes[2]; /* the shelf's, the site's */
  brinkColliderId *colliders[2];
  brinkWorld *worlds[2]; /* the first is the host's */
} demoRobots;

/* World poses of all links at t of the edge that is shown: poses[linkCount]. */
void demoRobots_Poses(const demoRobots *self, const demoRobotMachine *machine, double t, brinkPose *poses);
const char *demoRobots_LinkName(const demoRobotMachine *machine, uint32_t link);

/* One thing to draw. */
typedef struct demoRobotPart {
  brinkMesh mesh; /* owned, in the part's own frame */
  int32_t link;   /* -1: an obstacle */
  size_t number;  /* of the obstacle */
  size_t same;    /* the part before it whose mesh this one takes; its own number: its own mesh */
  brinkPose pose; /* in the link's frame, or the world */
} demoRobotPart;

/* All parts of a machine and its obstacles; *parts: free with demoRobots_FreeParts. */
bool demoRobots_MakeParts(const demoRobotMachine *machine, demoRobotPart **parts, size_t *count, char *message,
                          size_t capacity);
void demoRobots_FreeParts(demoRobotPart *parts, size_t count);
const brinkMesh *demoRobotPart_Mesh(const demoRobotPart *parts, size_t i);
void demoRobotPart_Color(const demoRobotMachine *machine, const demoRobotPart *part, float color[3]);
brinkPose demoRobotPart_Place(const demoRobotPart *part, const brinkPose *linkPoses);

bool demoRobots_DrawPicture(const demoRobots *self, const char *path, const char *verdict, char *message,
                            size_t capacity);
bool demoRobots_WritePage(const demoRobots *self, const char *path, const char *verdict, char *message,
                          size_t capacity);

#endif
