/* SPDX-License-Identifier: BSD-3-Clause */
/* Which edges does sampling pass although they are not free? For each machine EDGES edges of 1 rad between free
 * configurations, from a fixed seed; each is proven free or hit, and sampled by the same library. Every edge that is
 * proven free is judged by CHECKS configurations, and the edge that is shown (of those that sampling missed at an
 * obstacle, the one whose contact goes furthest) by many more. robot_arm.h tells the files of this demo.
 * Units: m, rad; t in [0,1] along the edge. */
#include "robot_arm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "brink/robot_random.h"
#include "brink/stand_in_robot.h"
#include "exhibit.h"
#include "folder.h"

#define EDGES 2000
#define SEED 1
#define LENGTH 1.0  /* rad */
#define PART 0.01   /* of the extent: OMPL's default */
#define CHECKS 100  /* referee on every edge that is proven free */
#define JUDGED 1000 /* and on every edge that was missed */
#define THREADS 3   /* the batch is asked twice, by 1 and by so many */
#define TRIES 4000000

static const demoRobotAsk asks[DEMO_ROBOT_MACHINES] = {{"Arm of 7 joints at a shelf",
                                                        "",
                                                        "stand_in_arm.urdf",
                                                        "stand_in_arm.srdf",
                                                        "shelf.txt",
                                                        {{-1.5, -2.2, 1.75}, {0.42, 0.0, 0.62}},
                                                        0.62},
                                                       {"Excavator of 5 joints, 20,300 triangles",
                                                        "excavator/",
                                                        "excavator.urdf",
                                                        "excavator.srdf",
                                                        "scenes.txt",
                                                        {{-8.5, -12.5, 16.0}, {1.2, 0.3, 2.4}},
                                                        5.5},
                                                       {"Tower crane of 5 joints, the same site",
                                                        "tower_crane/",
                                                        "tower_crane.urdf",
                                                        "tower_crane.srdf",
                                                        "scenes.txt",
                                                        {{-14.0, -23.5, 21.0}, {1.5, 0.0, 7.4}},
                                                        6.5}};

typedef struct edge {
  double q0[DEMO_ROBOT_VALUES], q1[DEMO_ROBOT_VALUES];
} edge;

/* ---- loading */

static bool loadScene(demoRobots *self, int which, const char *path, char *message, size_t capacity) {
  if (brinkLoadRobotScenes(path, &self->scenes[which], message, capacity) != brink_ok) return false;
  const brinkRobotScene *scene = &self->scenes[which].scenes[0];
  self->colliders[which] = calloc(scene->obstacleCount + 1, sizeof *self->colliders[which]);
  brinkShapeId *shapes = calloc(scene->obstacleCount + 1, sizeof *shapes);
  bool good =
      self->colliders[which] != NULL && shapes != NULL &&
      brinkAddRobotScene(self->worlds[which], scene, self->colliders[which], shapes, message, capacity) == brink_ok;
  free(shapes);
  return good;
}

static bool loadMachine(demoRobots *self, int m, const char *models, char *message, size_t capacity) {
  demoRobotMachine *machine = &self->machines[m];
  const demoRobotAsk *ask = machine->ask = &asks[m];
  const int which = m > 0;
  char urdf[1400], srdf[1400];
  snprintf(urdf, sizeof urdf, "%s/%s%s", models, ask->folder, ask->urdf);
  snprintf(srdf, sizeof srdf, "%s/%s%s", models, ask->folder, ask->srdf);
  const brinkUrdfOptions options = {.structSize = sizeof options, .srdfPath = srdf};
  brinkRobotInfo info = {.structSize = sizeof info};
  machine->shown = -1;
  machine->scene = &self->scenes[which].scenes[0];
  machine->obstacles = self->colliders[which];
  if (brinkLoadUrdf(urdf, &options, &machine->urdf, message, capacity) != brink_ok ||
      brinkMakeRobot(self->worlds[which], machine->urdf, NULL, &machine->robot, message, capacity) != brink_ok ||
      self->table->createView(machine->robot, &machine->view) != brink_ok ||
      self->table->info(machine->robot, &info) != brink_ok || info.valueCount > DEMO_ROBOT_VALUES)
    return false;
  machine->valueCount = info.valueCount;
  machine->linkCount = info.linkCount;
  for (uint32_t j = 0; j < info.jointCount; j++) {
    brinkRobotJointInfo joint = {.structSize = sizeof joint};
    self->table->joint(machine->robot, j, &joint);
    if (joint.valueCount != 1) continue;
    machine->lower[joint.valueIndex] = joint.lower[0];
    machine->upper[joint.valueIndex] = joint.upper[0];
  }
  return true;
}

static bool loadAll(demoRobots *self, const char *folder, char *message, size_t capacity) {
  char models[1200], path[1400];
  snprintf(models, sizeof models, "%s/models", folder);
  if (!folder_MakeOrSay(models)) return false;
  if (brinkWriteStandInRobots(models, message, capacity) != brink_ok ||
      brinkWriteConstructionSite(models, message, capacity) != brink_ok)
    return false;
  if (self->api->createWorld(NULL, NULL, &self->worlds[1]) != brink_ok) {
    snprintf(message, capacity, "no world: out of memory");
    return false;
  }
  for (int which = 0; which < 2; which++) { /* both machines of the site stand in one world */
    snprintf(path, sizeof path, "%s/%s%s", models, asks[which].folder, asks[which].scene);
    if (!loadScene(self, which, path, message, capacity)) return false;
  }
  for (int m = 0; m < DEMO_ROBOT_MACHINES; m++)
    if (!loadMachine(self, m, models, message, capacity)) return false;
  return true;
}

static void freeAll(demoRobots *self) {
  for (int which = 0; which < 2; which++) {
    brinkFreeRobotScenes(&self->scenes[which]);
    free(self->colliders[which]);
  }
  for (int m = 0; m < DEMO_ROBOT_MACHINES; m++) brinkFreeUrdf(self->machines[m].urdf);
  if (self->worlds[1] != NULL) self->api->destroyWorld(self->worlds[1]);
}

/* ---- edges */

static void mix(const demoRobotMachine *machine, const edge *e, double t, double *q) {
  for (size_t i = 0; i < machine->valueCount; i++) q[i] = e->q0[i] + t * (e->q1[i] - e->q0[i]);
}

static bool isFreeWithin(const demoRobots *self, const demoRobotMachine *machine, const double *q, double clearance) {
  brinkEdgeAnswer answer = {.structSize = sizeof answer};
  const brinkEdgeQuery query = {.structSize = sizeof query, .flags = BRINK_EDGE_ANY, .clearance = clearance};
  return self->table->configuration(machine->view, q, &query, &answer) == brink_ok && answer.state == brink_free;
}
static bool isFree(const demoRobots *self, const demoRobotMachine *machine, const double *q) {
  return isFreeWithin(self, machine, q, 0.0);
}

/* Both ends are free. */
static bool drawEdge(const demoRobots *self, const demoRobotMachine *machine, uint64_t *seed, edge *e) {
  for (int tries = 0; tries < TRIES; tries++) {
    double direction[DEMO_ROBOT_VALUES], length = 0.0;
    for (size_t i = 0; i < machine->valueCount; i++) {
      e->q0[i] = brinkRandomBetween(seed, machine->lower[i], machine->upper[i]);
      direction[i] = brinkRandomBetween(seed, -1.0, 1.0);
      length += direction[i] * direction[i];
    }
    length = sqrt(length);
    bool good = length > 0.1 && length <= 1.0; /* from the ball: no direction is preferred much */
    for (size_t i = 0; good && i < machine->valueCount; i++) {
      e->q1[i] = e->q0[i] + LENGTH * direction[i] / length;
      good = e->q1[i] >= machine->lower[i] && e->q1[i] <= machine->upper[i];
    }
    if (good && isFree(self, machine, e->q0) && isFree(self, machine, e->q1)) return true;
  }
  return false;
}

/* How many of so many configurations between the ends are in contact; *first, *last of them. */
static int touching(const demoRobots *self, const demoRobotMachine *machine, const edge *e, int parts, double *first,
                    double *last) {
  int count = 0;
  for (int i = 1; i < parts; i++) {
    double q[DEMO_ROBOT_VALUES], t = (double)i / parts;
    mix(machine, e, t, q);
    if (isFree(self, machine, q)) continue;
    if (count++ == 0) *first = t;
    *last = t;
  }
  return count;
}

static bool sampledFree(const demoRobots *self, demoRobotMachine *machine, const edge *e) {
  for (int i = 1; i < machine->samples; i++) {
    double q[DEMO_ROBOT_VALUES];
    mix(machine, e, (double)i / machine->samples, q);
    machine->states++;
    if (!isFree(self, machine, q)) return false;
  }
  return true;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* other programs do not count */
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- asking */

typedef struct search { /* [EDGES] each */
  edge *edges;
  double *q0, *q1; /* as a batch wants them */
  brinkEdgeResult *results, *again;
} search;

/* First contacts, the same bits by one thread and by several; then yes or no, as planners ask, which is timed. */
static bool askBatch(const demoRobots *self, demoRobotMachine *machine, search *s) {
  const brinkRobotTable *table = self->table;
  const size_t width = machine->valueCount;
  const brinkEdgeQuery first = {.structSize = sizeof first}, any = {.structSize = sizeof any, .flags = BRINK_EDGE_ANY};
  for (size_t i = 0; i < EDGES; i++) {
    memcpy(s->q0 + i * width, s->edges[i].q0, width * sizeof(double));
    memcpy(s->q1 + i * width, s->edges[i].q1, width * sizeof(double));
  }
  memset(s->results, 0, EDGES * sizeof *s->results);
  memset(s->again, 0, EDGES * sizeof *s->again);
  bool good = table->edges(machine->robot, s->q0, s->q1, EDGES, &first, THREADS, s->again) == brink_ok &&
              table->edges(machine->robot, s->q0, s->q1, EDGES, &first, 1, s->results) == brink_ok &&
              memcmp(s->results, s->again, EDGES * sizeof *s->results) == 0;
  double start = seconds();
  good = good && table->edges(machine->robot, s->q0, s->q1, EDGES, &any, 1, s->again) == brink_ok;
  machine->provenTime = seconds() - start;
  for (size_t i = 0; good && i < EDGES; i++)
    good = (s->again[i].state == brink_free) == (s->results[i].state == brink_free);
  return good;
}

static size_t obstacleOf(const demoRobotMachine *machine, brinkColliderId collider) {
  size_t i = 0;
  while (i < machine->scene->obstacleCount && machine->obstacles[i] != collider) i++;
  return i;
}

static brinkVec3 turn(brinkQuat q, brinkVec3 v) {
  const brinkVec3 u = {q.x, q.y, q.z};
  const brinkVec3 c = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
  return (brinkVec3){v.x + 2 * (q.w * c.x + u.y * c.z - u.z * c.y), v.y + 2 * (q.w * c.y + u.z * c.x - u.x * c.z),
                     v.z + 2 * (q.w * c.z + u.x * c.y - u.y * c.x)};
}

/* The way of the link's point of contact, in a thousand steps. */
static double travelOf(const demoRobots *self, const demoRobotMachine *machine) {
  brinkPose poses[64];
  const uint32_t link = machine->answer.first.linkA;
  brinkVec3 local, before = {0, 0, 0};
  double way = 0.0;
  demoRobots_Poses(self, machine, machine->answer.toi, poses);
  const brinkPose *pose = &poses[link];
  const brinkVec3 p = machine->answer.first.pointA;
  local = turn((brinkQuat){pose->rotation.w, -pose->rotation.x, -pose->rotation.y, -pose->rotation.z},
               (brinkVec3){p.x - pose->position.x, p.y - pose->position.y, p.z - pose->position.z});
  for (int i = 0; i <= 1000; i++) {
    demoRobots_Poses(self, machine, machine->first + (machine->last - machine->first) * i / 1000, poses);
    brinkVec3 at = turn(pose->rotation, local);
    at = (brinkVec3){at.x + pose->position.x, at.y + pose->position.y, at.z + pose->position.z};
    if (i > 0)
      way += sqrt((at.x - before.x) * (at.x - before.x) + (at.y - before.y) * (at.y - before.y) +
                  (at.z - before.z) * (at.z - before.z));
    before = at;
  }
  return way;
}

/* What the edge that is shown shows. */
static bool describe(const demoRobots *self, demoRobotMachine *machine, const edge *e, int number) {
  const brinkEdgeQuery query = {.structSize = sizeof query};
  machine->answer = (brinkEdgeAnswer){.structSize = sizeof machine->answer};
  memcpy(machine->q0, e->q0, sizeof e->q0);
  memcpy(machine->q1, e->q1, sizeof e->q1);
  if (self->table->edge(machine->view, e->q0, e->q1, &query, &machine->answer) != brink_ok) return false;
  machine->answer.contacts = NULL; /* the view's, until its next question */
  machine->shown = number;
  machine->obstacle = obstacleOf(machine, machine->answer.first.obstacle);
  machine->touching = touching(self, machine, e, DEMO_ROBOT_REFEREE, &machine->first, &machine->last);
  machine->travel = machine->touching > 0 ? travelOf(self, machine) : 0.0;
  double q[DEMO_ROBOT_VALUES];
  mix(machine, e, machine->answer.toiUpper, q);
  /* the contact told is one, and there was none before */
  return machine->answer.state == brink_hit && machine->touching > 0 && !isFreeWithin(self, machine, q, 1e-5) &&
         machine->answer.toi <= machine->first && machine->first - machine->answer.toiUpper < 2.0 / DEMO_ROBOT_REFEREE;
}

/* false: a question failed, or an answer was not what it must be. */
static bool searchMachine(const demoRobots *self, demoRobotMachine *machine, search *s, demoAsked *asked) {
  uint64_t seed = SEED;
  double extent = 0.0, furthest = 0.0;
  int shown = -1;
  for (size_t i = 0; i < machine->valueCount; i++) {
    const double range = machine->upper[i] - machine->lower[i];
    extent += range * range;
  }
  machine->samples = (int)ceil(LENGTH / (PART * sqrt(extent)));
  for (int i = 0; i < EDGES; i++)
    if (!drawEdge(self, machine, &seed, &s->edges[i])) return false;
  if (!askBatch(self, machine, s)) return false;
  machine->edges = EDGES;
  double start = seconds();
  for (int i = 0; i < EDGES; i++) s->again[i].reserved = sampledFree(self, machine, &s->edges[i]);
  machine->sampledTime = seconds() - start;
  for (int i = 0; i < EDGES; i++) {
    const brinkEdgeResult *result = &s->results[i];
    const bool free = result->state == brink_free, passed = s->again[i].reserved != 0;
    double first = 0.0, last = 0.0;
    demoExhibit_Fold(asked, &result->state, 3 * sizeof(uint32_t));
    demoExhibit_FoldNumbers(asked, &result->toi, 2);
    demoExhibit_Fold(asked, &passed, sizeof passed);
    machine->free += free;
    machine->sampledFree += passed;
    if (free && (!passed || touching(self, machine, &s->edges[i], CHECKS, &first, &last) > 0)) machine->wrong++;
    if (free || !passed) continue;
    if (touching(self, machine, &s->edges[i], JUDGED, &first, &last) == 0) continue; /* a touch between samples */
    machine->missed++;
    if (result->obstacle == 0 || !describe(self, machine, &s->edges[i], i) || machine->travel <= furthest) continue;
    furthest = machine->travel;
    shown = i;
  }
  if (shown < 0 || !describe(self, machine, &s->edges[shown], shown)) return false;
  for (int k = 0; k <= DEMO_ROBOT_FRAMES; k++) {
    brinkPose poses[64] = {0};
    demoRobots_Poses(self, machine, (double)k / DEMO_ROBOT_FRAMES, poses);
    demoExhibit_Fold(asked, poses, machine->linkCount * sizeof *poses);
  }
  demoExhibit_Fold(asked, &machine->touching, sizeof machine->touching);
  return true;
}

static bool searchAll(demoRobots *self, demoAsked *asked, char *message, size_t capacity) {
  search s = {.edges = calloc(EDGES, sizeof *s.edges),
              .q0 = calloc(EDGES * DEMO_ROBOT_VALUES, sizeof *s.q0),
              .q1 = calloc(EDGES * DEMO_ROBOT_VALUES, sizeof *s.q1),
              .results = calloc(EDGES, sizeof *s.results),
              .again = calloc(EDGES, sizeof *s.again)};
  bool good = s.edges != NULL && s.q0 != NULL && s.q1 != NULL && s.results != NULL && s.again != NULL;
  if (!good) snprintf(message, capacity, "no memory for %d edges", EDGES);
  for (int m = 0; good && m < DEMO_ROBOT_MACHINES; m++) {
    good = searchMachine(self, &self->machines[m], &s, asked);
    if (!good)
      snprintf(message, capacity, "%s: no edge was missed by samples and shown by Brink: %s", asks[m].title,
               self->table->viewError(self->machines[m].view));
  }
  free(s.edges);
  free(s.q0);
  free(s.q1);
  free(s.results);
  free(s.again);
  return good;
}

void demoRobots_Poses(const demoRobots *self, const demoRobotMachine *machine, double t, brinkPose *poses) {
  double q[DEMO_ROBOT_VALUES];
  self->table->between(machine->robot, machine->q0, machine->q1, t, 0, q);
  self->table->poses(machine->robot, q, poses);
}

const char *demoRobots_LinkName(const demoRobotMachine *machine, uint32_t link) {
  return machine->urdf->links[link].name;
}

/* ---- the run */

static bool judge(const demoRobots *self, char *out, size_t capacity) {
  int missed = 0, wrong = 0, edges = 0, touch = 0;
  for (int m = 0; m < DEMO_ROBOT_MACHINES; m++) {
    missed += self->machines[m].missed;
    wrong += self->machines[m].wrong;
    edges += self->machines[m].edges;
    touch += self->machines[m].edges - self->machines[m].free;
  }
  snprintf(out, capacity,
           "%s: of %d edges %d touch something on the way; sampling at 1 %% passes %d of these, Brink %d.",
           wrong == 0 ? "Proven" : "NOT PROVEN", edges, touch, missed, wrong);
  return wrong == 0 && missed > 0;
}

static void printMachine(const demoRobotMachine *machine) {
  printf("  %s\n", machine->ask->title);
  printf("    edges %d: proven free %d; sampled free %d of %d configurations each, missed %d; Brink wrong %d\n",
         machine->edges, machine->free, machine->sampledFree, machine->samples - 1, machine->missed, machine->wrong);
  printf("    processor time an edge: proven %.1f us; sampled %.1f us\n", 1e6 * machine->provenTime / machine->edges,
         1e6 * machine->sampledTime / machine->edges);
  printf(
      "    shown: edge %d, hit [%.9f, %.9f], %s and obstacle %zu; %d of %d configurations touch, %.4f to %.4f, %.1f "
      "mm of way\n",
      machine->shown, machine->answer.toi, machine->answer.toiUpper,
      demoRobots_LinkName(machine, machine->answer.first.linkA), machine->obstacle + 1, machine->touching,
      DEMO_ROBOT_REFEREE - 1, machine->first, machine->last, 1e3 * machine->travel);
}

/* demoWrite, both */
static bool drawRobots(void *user, const char *path, const char *verdict, char *message, size_t capacity) {
  return demoRobots_DrawPicture(user, path, verdict, message, capacity);
}
static bool writeRobots(void *user, const char *path, const char *verdict, char *message, size_t capacity) {
  return demoRobots_WritePage(user, path, verdict, message, capacity);
}

static int runAll(demoRobots *self, demoAsked *asked) {
  char message[1600] = "", verdict[512];
  if (!loadAll(self, asked->folder, message, sizeof message) || !searchAll(self, asked, message, sizeof message)) {
    fprintf(stderr, "brink-demo: robot_arm: %s\n", message);
    return 2;
  }
  bool good = judge(self, verdict, sizeof verdict - 64);
  for (int m = 0; m < DEMO_ROBOT_MACHINES; m++) printMachine(&self->machines[m]);
  printf("%s\n", verdict);
  return demoExhibit_Finish(asked, "robot_arm", good, verdict, self, drawRobots, writeRobots);
}

/* demoShow */
static int show(void *user, demoAsked *asked) {
  demoRobots *self = user;
  self->api = asked->api, self->table = asked->table, self->worlds[0] = asked->world;
  int result = runAll(self, asked);
  freeAll(self);
  return result;
}

const demoExhibitDef demoRobotArm = {"robot_arm",
                                     "An arm, an excavator and a crane: ways that samples pass and Brink does not",
                                     BRINK_ROBOT_NAME, show, sizeof(demoRobots)};
