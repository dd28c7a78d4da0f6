/* SPDX-License-Identifier: BSD-3-Clause */
/* What a motion planner asks, of a robot from a file: is the straight way free, and where does it end? Which edges of a
 * roadmap are free? How close does the robot come? And a proof as a file, for others to check.
 *
 *   plan                                             an arm of seven joints in a shelf, written here
 *   plan ROBOT.urdf ROBOT.srdf SCENES PACKAGE-FOLDER yours; SCENES as in brink/robot_scene.h, its first scene is taken
 * Link it with brink::robot, or `pkg-config --cflags --libs brink_robots`. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "brink/ccd.h"
#include "brink/robot.h"
#include "brink/robot_certify.h"
#include "brink/robot_random.h"
#include "brink/robot_scene.h"
#include "brink/stand_in_robot.h"
#include "brink/urdf.h"

enum { EDGES = 2000, MOST_VALUES = 64, NO_URDF = 77 };

static char message[512]; /* what the readers of files say when they fail */
static size_t values;     /* of a configuration */
static double low[MOST_VALUES], high[MOST_VALUES];
static double q0[EDGES * MOST_VALUES], q1[EDGES * MOST_VALUES];
static brinkEdgeResult results[EDGES];

/* The limits of all values, from the joints. */
static brinkStatus readLimits(const brinkRobotTable *robots, brinkRobot *robot) {
  brinkRobotInfo info = {.structSize = sizeof info};
  brinkStatus s = robots->info(robot, &info);
  values = info.valueCount;
  if (s == brink_ok && values > MOST_VALUES) return brink_errorRange;
  for (uint32_t j = 0; s == brink_ok && j < info.jointCount; ++j) {
    brinkRobotJointInfo joint = {.structSize = sizeof joint};
    s = robots->joint(robot, j, &joint);
    for (uint32_t k = 0; s == brink_ok && k < joint.valueCount; ++k) {
      low[joint.valueIndex + k] = joint.limited ? joint.lower[k] : -3;
      high[joint.valueIndex + k] = joint.limited ? joint.upper[k] : 3;
    }
  }
  return s;
}

/* A roadmap's edges: from anywhere, each joint by up to half a radian. */
static void drawEdges(void) {
  uint64_t seed = 1;
  for (size_t i = 0; i < EDGES * values; ++i) {
    const size_t k = i % values;
    q0[i] = brinkRandomBetween(&seed, low[k], high[k]);
    const double end = q0[i] + brinkRandomBetween(&seed, -0.5, 0.5);
    q1[i] = end < low[k] ? low[k] : end > high[k] ? high[k] : end;
  }
}

/* The certificate of one pair, into one file with the others. */
static int write(void *file, const brinkPlanPair *pair) {
  return pair->answer->certificate == NULL || fputs(pair->answer->certificate, file) >= 0;
}

static brinkStatus asked(const brinkPlugin *api, const brinkRobotTable *robots, brinkWorld *world,
                         const brinkUrdf *urdf, brinkRobot *robot, const brinkRobotScene *scene) {
  brinkRobotView *view = NULL; /* what one thread asks */
  brinkStatus s = robots->createView(robot, &view);
  if (s == brink_ok) s = readLimits(robots, robot);
  if (s != brink_ok) return snprintf(message, sizeof message, "%s", api->lastError(world)), s;

  if (scene->endCount != 2 * values)
    return snprintf(message, sizeof message, "%s: wanted are %zu values of start and goal", scene->name, 2 * values),
           brink_errorParse;

  /* The whole way from the scene's start to its goal: the first contact, and the last configuration before it. */
  double reached[MOST_VALUES];
  brinkEdgeAnswer answer = {.structSize = sizeof answer, .lastValid = reached};
  s = robots->edge(view, scene->ends, scene->ends + values, NULL, &answer);
  if (s == brink_ok && answer.state == brink_hit)
    printf("straight way: %s meets something between %.6f and %.6f of it\n", urdf->links[answer.first.linkA].name,
           answer.toi, answer.toiUpper);
  else if (s == brink_ok)
    printf("straight way: %s\n", answer.state == brink_free ? "free, proven" : "not free at its start");

  /* A roadmap: yes or no is enough for a planner, and quicker. */
  size_t free = 0;
  drawEdges();
  brinkEdgeQuery query = {.structSize = sizeof query, .flags = BRINK_EDGE_ANY};
  const clock_t before = clock();
  if (s == brink_ok) s = robots->edges(robot, q0, q1, EDGES, &query, 1, results);
  const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  size_t some = EDGES; /* the first of them that is free */
  for (size_t i = EDGES; s == brink_ok && i-- > 0;)
    if (results[i].state == brink_free) some = i, ++free;
  if (s == brink_ok) printf("%d edges: %zu are free, %.0f edges a second\n", EDGES, free, EDGES / seconds);
  if (s != brink_ok || some == EDGES) return snprintf(message, sizeof message, "%s", api->lastError(world)), s;

  /* With 2 cm to spare all along it? And how much is it really? */
  const double *from = q0 + some * values, *to = q1 + some * values;
  query.clearance = 0.02;
  brinkRobotClearance gap = {.structSize = sizeof gap};
  s = robots->edge(view, from, to, &query, &answer);
  if (s == brink_ok) s = robots->clearance(view, from, to, 0, 0, &gap);
  if (s != brink_ok) return snprintf(message, sizeof message, "%s", robots->viewError(view)), s;
  printf("edge %zu: %s 2 cm, it keeps %.6f m to %s\n", some, answer.state == brink_free ? "free by" : "nearer than",
         gap.lower, gap.linkB == BRINK_ROBOT_NONE ? "an obstacle" : "itself");

  /* The proof, for `brink verify plan.cert`. */
  FILE *file = fopen("plan.cert", "w");
  double ends[2 * MOST_VALUES];
  for (size_t k = 0; k < values; ++k) ends[k] = from[k], ends[values + k] = to[k];
  brinkPlanSummary summary = {0};
  if (file == NULL) return snprintf(message, sizeof message, "plan.cert cannot be written"), brink_errorIo;
  s = brinkCertifyPlan(urdf, NULL, scene, ends, 2, 1, NULL, write, file, &summary, message, sizeof message);
  if (fclose(file) == 0 && s == brink_ok)
    printf("plan.cert: %zu of %zu pairs proven, %zu bytes\n", summary.proven, summary.pairs, summary.bytes);
  return s == brink_ok && summary.proven < summary.pairs ? brink_errorRange : s;
}

int main(int count, char **arguments) {
  const char *urdfPath = count > 1 ? arguments[1] : "stand_in_arm.urdf";
  const char *scenesPath = count > 3 ? arguments[3] : "shelf.txt";
  brinkUrdfOptions options = {.structSize = sizeof options};
  options.flags =
      BRINK_URDF_HULLS; /* links as convex hulls: they hold the meshes, and are asked several times faster */
  options.srdfPath = count > 2 ? arguments[2] : "stand_in_arm.srdf"; /* pairs that need no check */
  options.packages = count > 4 ? (const char *const *)arguments + 4 : NULL;
  options.packageCount = count > 4;
  const brinkPlugin *api = brinkEntry(BRINK_ABI_MAJOR, NULL);
  const brinkRobotTable *robots = api != NULL ? api->getExtension(BRINK_ROBOT_NAME) : NULL;
  if (robots == NULL) return puts("this libbrink knows no robots"), 1;
  brinkWorld *world = NULL;
  brinkUrdf *urdf = NULL;
  brinkRobot *robot = NULL;
  brinkRobotScenes scenes = {0};
  brinkStatus s = api->createWorld(NULL, NULL, &world);
  if (s == brink_ok && count == 1) s = brinkWriteStandInRobots(".", message, sizeof message);
  if (s == brink_ok) s = brinkLoadUrdf(urdfPath, &options, &urdf, message, sizeof message);
  for (size_t i = 0; s == brink_ok && i < urdf->noteCount; ++i) printf("note: %s\n", urdf->notes[i]);
  if (s == brink_ok) s = brinkMakeRobot(world, urdf, NULL, &robot, message, sizeof message);
  if (s == brink_ok) s = brinkLoadRobotScenes(scenesPath, &scenes, message, sizeof message);
  const brinkRobotScene *scene = scenes.scenes; /* its first */
  brinkColliderId *colliders = s == brink_ok ? calloc(scene->obstacleCount + 1, sizeof *colliders) : NULL;
  brinkShapeId *shapes = s == brink_ok ? calloc(scene->obstacleCount + 1, sizeof *shapes) : NULL;
  if (colliders != NULL && shapes != NULL) {
    s = brinkAddRobotScene(world, scene, colliders, shapes, message, sizeof message);
    if (s == brink_ok) s = asked(api, robots, world, urdf, robot, scene);
  }
  if (s != brink_ok) fprintf(stderr, "plan: %s\n", message);
  free(colliders);
  free(shapes);
  brinkFreeRobotScenes(&scenes);
  brinkFreeUrdf(urdf);
  api->destroyWorld(world); /* the robot and its views go with it */
  return s == brink_errorVersion ? NO_URDF : s == brink_ok ? 0 : 1;
}
