/* SPDX-License-Identifier: BSD-3-Clause */
/* Edges of a robot on scenes of a motion planning benchmark: each proven free or hit by Brink, and sampled by the same
 * library as planners do, every 1 % of the extent of the joint space. A referee of many configurations an edge judges
 * both: a proven free edge with a sample in contact, or a bracket [toi, toiUpper] that the samples contradict, is
 * wrong.
 *
 * Edges go from one free configuration to another, 1 rad apart, drawn with a fixed seed. Each scene's edges are asked
 * in passes, one edge after another, and the fastest pass counts, for both ways alike. Units: m, rad; times in us. */
#include "robots.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/assets.h"
#include "brink/robot_random.h"
#include "brink/robot_scene.h"
#include "brink/urdf.h"
#include "measure.h"
#ifdef BRINK_BENCH_HAS_FCL
#include "peer_fcl.h"
#endif

#define EDGE_LENGTH 1.0   /* rad */
#define SAMPLED_PART 0.01 /* of the extent: OMPL's longestValidSegmentFraction */
#define TOUCHING 1e-5     /* m: tolerances of contacts told lie below, 1e-6 of a shape's size */
#define MOST_VALUES 64
#define MOST_TRIES 2000000
#define MOST_PER_SCENE 1000

typedef struct Edge {
  double q0[MOST_VALUES], q1[MOST_VALUES];
} Edge;

typedef struct Robot {
  brinkWorld *world;
  brinkRobot *robot;
  brinkRobotView *view;
  size_t valueCount;
  double lower[MOST_VALUES], upper[MOST_VALUES];
  double extent; /* diagonal of the joint space, rad */
  brinkUrdf *urdf;
} Robot;

typedef struct Way {                     /* sums over all edges */
  double time, freeTime, hitTime, worst; /* us */
  size_t edges, freeEdges, hitEdges, unresolved;
  uint64_t pairs, distances, iterations, states;
  size_t missed, wrong; /* in contact though told free; bracket against the samples */
} Way;

static const brinkPlugin *plugin;
static const brinkRobotTable *robots;

/* ---- loading */

static bool findUrdf(const char *directory, char *urdf, char *srdf, size_t capacity) {
  DIR *folder = opendir(directory);
  if (folder == NULL) return false;
  urdf[0] = srdf[0] = '\0';
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot == NULL) continue;
    if (strcmp(dot, ".urdf") == 0) snprintf(urdf, capacity, "%s/%s", directory, entry->d_name);
    if (strcmp(dot, ".srdf") == 0) snprintf(srdf, capacity, "%s/%s", directory, entry->d_name);
  }
  closedir(folder);
  return urdf[0] != '\0';
}

static bool loadRobot(const robotsAsk *ask, Robot *robot) {
  char urdfPath[1024], srdfPath[1024], message[512] = "";
  if (!findUrdf(ask->directory, urdfPath, srdfPath, sizeof urdfPath)) {
    fprintf(stderr, "brink-bench: %s holds no URDF\n", ask->directory);
    return false;
  }
  char meshes[1024];
  snprintf(meshes, sizeof meshes, "%s/meshes", ask->directory);
  const char *const packages[2] = {ask->directory, meshes};
  const brinkUrdfOptions options = {.structSize = sizeof options,
                                    .flags = ask->meshes ? 0 : BRINK_URDF_HULLS,
                                    .srdfPath = srdfPath[0] != '\0' ? srdfPath : NULL,
                                    .packages = packages,
                                    .packageCount = 2};
  brinkUrdf *urdf = NULL;
  bool good = brinkLoadUrdf(urdfPath, &options, &urdf, message, sizeof message) == brink_ok &&
              plugin->createWorld(NULL, NULL, &robot->world) == brink_ok &&
              brinkMakeRobot(robot->world, urdf, NULL, &robot->robot, message, sizeof message) == brink_ok &&
              robots->createView(robot->robot, &robot->view) == brink_ok;
  robot->urdf = urdf;
  if (!good) fprintf(stderr, "brink-bench: %s\n", message);
  brinkRobotInfo info = {.structSize = sizeof info};
  if (!good || robots->info(robot->robot, &info) != brink_ok) return false;
  robot->valueCount = info.valueCount;
  if (info.valueCount > MOST_VALUES) return false;
  double extent = 0.0;
  for (uint32_t j = 0; j < info.jointCount; ++j) {
    brinkRobotJointInfo joint = {.structSize = sizeof joint};
    robots->joint(robot->robot, j, &joint);
    if (joint.valueCount != 1) continue;
    robot->lower[joint.valueIndex] = joint.limited ? joint.lower[0] : -3.14159265358979;
    robot->upper[joint.valueIndex] = joint.limited ? joint.upper[0] : 3.14159265358979;
    double range = robot->upper[joint.valueIndex] - robot->lower[joint.valueIndex];
    extent += range * range;
  }
  robot->extent = sqrt(extent);
  printf("%s: %zu links, %zu shapes (%s), %zu joints with a value, extent %.2f rad\n", urdfPath, info.linkCount,
         info.shapeCount, ask->meshes ? "meshes as they are" : "convex hulls", info.valueCount, robot->extent);
  return true;
}

/* ---- questions */

static bool isFreeWithin(const Robot *robot, const double *q, uint32_t flags, double clearance) {
  brinkEdgeAnswer answer = {.structSize = sizeof answer};
  const brinkEdgeQuery query = {.structSize = sizeof query, .flags = flags | BRINK_EDGE_ANY, .clearance = clearance};
  return robots->configuration(robot->view, q, &query, &answer) == brink_ok && answer.state == brink_free;
}

static bool isFree(const Robot *robot, const double *q, uint32_t flags) { return isFreeWithin(robot, q, flags, 0.0); }

static bool drawEdge(const Robot *robot, uint64_t *seed, uint32_t flags, Edge *edge) {
  double direction[MOST_VALUES], length = 0.0;
  for (size_t i = 0; i < robot->valueCount; ++i) {
    edge->q0[i] = brinkRandomBetween(seed, robot->lower[i], robot->upper[i]);
    direction[i] = brinkRandomBetween(seed, -1.0, 1.0);
    length += direction[i] * direction[i];
  }
  length = sqrt(length);
  if (!(length > 0.1) || length > 1.0) return false; /* from the ball: no direction is preferred much */
  for (size_t i = 0; i < robot->valueCount; ++i) {
    edge->q1[i] = edge->q0[i] + EDGE_LENGTH * direction[i] / length;
    if (edge->q1[i] < robot->lower[i] || edge->q1[i] > robot->upper[i]) return false;
  }
  return isFree(robot, edge->q0, flags) && isFree(robot, edge->q1, flags);
}

static void mix(const Robot *robot, const Edge *edge, double t, double *q) {
  for (size_t i = 0; i < robot->valueCount; ++i) q[i] = edge->q0[i] + t * (edge->q1[i] - edge->q0[i]);
}

/* As a planner does: both ends are known to be free; in order, stops at the first contact. */
static bool sampledFree(const Robot *robot, const Edge *edge, int parts, uint32_t flags, Way *way) {
  for (int i = 1; i < parts; ++i) {
    double q[MOST_VALUES];
    mix(robot, edge, (double)i / parts, q);
    ++way->states;
    if (!isFree(robot, q, flags)) return false;
  }
  return true;
}

/* First of so many samples that is in contact; samples + 1: none. */
static int firstContact(const Robot *robot, const Edge *edge, int samples, uint32_t flags) {
  for (int i = 0; i <= samples; ++i) {
    double q[MOST_VALUES];
    mix(robot, edge, (double)i / samples, q);
    if (!isFree(robot, q, flags)) return i;
  }
  return samples + 1;
}

static void addEdge(Way *way, bool isHit, double time) {
  ++way->edges;
  way->time += time;
  *(isHit ? &way->hitTime : &way->freeTime) += time;
  ++*(isHit ? &way->hitEdges : &way->freeEdges);
  way->worst = fmax(way->worst, time);
}

typedef struct Judged {
  brinkEdgeAnswer first; /* with times */
  bool proven, sampled;  /* free */
} Judged;

/* The referee's verdict on both answers. */
static void judge(const Robot *robot, const Edge *edge, const Judged *told, int samples, uint32_t flags, Way *proven,
                  Way *sampled, size_t *grazing) {
  int contact = firstContact(robot, edge, samples, flags);
  bool any = contact <= samples;
  if (any && told->sampled) ++sampled->missed;
  if (!any && !told->sampled) ++sampled->wrong;
  if (any && told->proven) ++proven->missed;
  if (told->proven || told->first.state == brink_unresolved) return;
  double after = (double)contact / samples, before = (double)(contact - 1) / samples;
  bool late = any && told->first.toi > after;
  double q[MOST_VALUES];
  mix(robot, edge, told->first.toiUpper, q);
  bool touches = !isFreeWithin(robot, q, flags, TOUCHING); /* the contact told is one */
  if (late || !touches)
    ++proven->wrong;
  else if (!any || told->first.toiUpper < before)
    ++*grazing;
}

static void runScene(const Robot *robot, const robotsAsk *ask, uint32_t flags, const Edge *edges, int count,
                     Way *proven, Way *sampled, size_t *grazing) {
  static double best[MOST_PER_SCENE], sampledBest[MOST_PER_SCENE];
  static Judged told[MOST_PER_SCENE];
  const int parts = (int)ceil(EDGE_LENGTH / (SAMPLED_PART * robot->extent));
  const brinkEdgeQuery any = {.structSize = sizeof any, .flags = flags | BRINK_EDGE_ANY};
  for (int i = 0; i < count; ++i) best[i] = sampledBest[i] = HUGE_VAL;
  for (int pass = 0; pass < ask->repeats; ++pass) {
    for (int i = 0; i < count; ++i) {
      brinkEdgeAnswer answer = {.structSize = sizeof answer};
      double start = bench_Now();
      brinkStatus status = robots->edge(robot->view, edges[i].q0, edges[i].q1, &any, &answer);
      best[i] = fmin(best[i], 1e3 * (bench_Now() - start));
      if (status != brink_ok) fprintf(stderr, "brink-bench: %s\n", robots->viewError(robot->view));
      told[i].proven = answer.state == brink_free;
      if (pass > 0) continue;
      proven->unresolved += answer.state == brink_unresolved;
      proven->pairs += answer.pairs;
      proven->distances += answer.distances;
      proven->iterations += answer.iterations;
    }
    for (int i = 0; i < count; ++i) {
      Way ignored = {0};
      double start = bench_Now();
      told[i].sampled = sampledFree(robot, &edges[i], parts, flags, pass == 0 ? sampled : &ignored);
      sampledBest[i] = fmin(sampledBest[i], 1e3 * (bench_Now() - start));
    }
  }
  const brinkEdgeQuery first = {.structSize = sizeof first, .flags = flags};
  for (int i = 0; i < count; ++i) {
    addEdge(proven, !told[i].proven, best[i]);
    addEdge(sampled, !told[i].proven, sampledBest[i]);
    told[i].first = (brinkEdgeAnswer){.structSize = sizeof told[i].first};
    robots->edge(robot->view, edges[i].q0, edges[i].q1, &first, &told[i].first);
    if ((told[i].first.state == brink_free) != told[i].proven) ++proven->wrong; /* yes or no against the first */
    if (ask->samples > 0) judge(robot, &edges[i], &told[i], ask->samples, flags, proven, sampled, grazing);
  }
}

static void printWay(const char *label, const Way *way) {
  double edges = (double)way->edges;
  printf("%-28s %8.2f %8.2f %8.2f %8.1f", label, way->time / edges, way->freeTime / fmax(1.0, (double)way->freeEdges),
         way->hitTime / fmax(1.0, (double)way->hitEdges), way->worst);
}

static int runAll(Robot *robot, const robotsAsk *ask, const brinkRobotScenes *scenes, bool self) {
  const uint32_t flags = self ? 0 : BRINK_EDGE_NO_SELF;
  static Edge edges[MOST_PER_SCENE];
  size_t count = ask->scenes > 0 && (size_t)ask->scenes < scenes->count ? (size_t)ask->scenes : scenes->count;
  Way proven = {0}, sampled = {0};
  size_t grazing = 0, short_ = 0;
  uint64_t seed = 1;
  for (size_t s = 0; s < count; ++s) {
    const brinkRobotScene *scene = &scenes->scenes[s];
    char message[512] = "";
    brinkColliderId *colliders = calloc(scene->obstacleCount + 1, sizeof *colliders);
    brinkShapeId *shapes = calloc(scene->obstacleCount + 1, sizeof *shapes);
    bool good = colliders != NULL && shapes != NULL &&
                brinkAddRobotScene(robot->world, scene, colliders, shapes, message, sizeof message) == brink_ok;
    if (!good) {
      fprintf(stderr, "brink-bench: %s\n", message);
      free(colliders);
      free(shapes);
      return 1;
    }
    int drawn = 0;
    for (int tries = 0; drawn < ask->edges && tries < MOST_TRIES; ++tries)
      drawn += drawEdge(robot, &seed, flags, &edges[drawn]);
    short_ += drawn < ask->edges;
    runScene(robot, ask, flags, edges, drawn, &proven, &sampled, &grazing);
    brinkRemoveRobotScene(robot->world, scene, colliders, shapes);
    free(colliders);
    free(shapes);
  }
  if (proven.edges == 0) return 1;
  const double edgeCount = (double)proven.edges;
  printf("\n%s: %zu scenes, %zu edges of %g rad (%zu free, %zu hit, %zu unresolved)\n",
         self ? "with self pairs" : "without self pairs", count, proven.edges, EDGE_LENGTH, proven.freeEdges,
         proven.hitEdges, proven.unresolved);
  if (short_ > 0) printf("%zu scenes gave fewer edges than asked\n", short_);
  printf("%-28s %8s %8s %8s %8s   us an edge\n", "", "mean", "free", "hit", "worst");
  printWay("proven", &proven);
  printf("   pairs %.2f, distances %.2f, steps %.2f an edge\n", (double)proven.pairs / edgeCount,
         (double)proven.distances / edgeCount, (double)proven.iterations / edgeCount);
  printWay("sampled every 1 %", &sampled);
  printf("   %.2f configurations an edge; proven takes %.2f of its time\n", (double)sampled.states / edgeCount,
         proven.time / sampled.time);
  if (ask->samples > 0)
    printf(
        "referee, %d samples an edge: proven %zu missed, %zu wrong (%zu graze between samples); sampled %zu missed\n",
        ask->samples, proven.missed, proven.wrong, grazing, sampled.missed);
  return proven.missed + proven.wrong > 0 ? 1 : 0;
}

/* ---- FCL, sampling so finely that nothing moves by more than 1 mm between two samples */

#ifdef BRINK_BENCH_HAS_FCL
#define PEER_STEP 1e-3 /* m */
#define PEER_EDGES 3   /* of each of many scenes: it is slow */
#define PATH_SAMPLES 64

static brinkPose chained(brinkPose a, brinkPose b) {
  const brinkQuat p = a.rotation, q = b.rotation;
  const brinkVec3 v = b.position;
  const brinkVec3 c = {2 * (p.y * v.z - p.z * v.y), 2 * (p.z * v.x - p.x * v.z), 2 * (p.x * v.y - p.y * v.x)};
  brinkPose out;
  out.position = (brinkVec3){a.position.x + v.x + p.w * c.x + p.y * c.z - p.z * c.y,
                             a.position.y + v.y + p.w * c.y + p.z * c.x - p.x * c.z,
                             a.position.z + v.z + p.w * c.z + p.x * c.y - p.y * c.x};
  out.rotation =
      (brinkQuat){p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                  p.w * q.y + p.y * q.w + p.z * q.x - p.x * q.z, p.w * q.z + p.z * q.w + p.x * q.y - p.y * q.x};
  return out;
}

static void placeShapes(const Robot *robot, const double *q, brinkPose *poses) {
  brinkPose links[256];
  robots->poses(robot->robot, q, links);
  for (size_t i = 0; i < robot->urdf->shapeCount; ++i)
    poses[i] = chained(links[robot->urdf->shapes[i].link], robot->urdf->shapes[i].pose);
}

/* Longest way of a shape's vertex, m, along the edge. */
static double longestWay(const Robot *robot, const Edge *edge) {
  double longest = 0.0;
  brinkPose poses[2][256];
  double q[MOST_VALUES];
  for (size_t s = 0; s < robot->urdf->shapeCount; ++s) {
    const brinkMesh *mesh = &robot->urdf->meshes[robot->urdf->shapes[s].mesh].mesh;
    for (size_t v = 0; v < mesh->vertexCount; v += 16) {
      const brinkPose vertex = {{mesh->vertices[3 * v], mesh->vertices[3 * v + 1], mesh->vertices[3 * v + 2]},
                                {1, 0, 0, 0}};
      double way = 0.0;
      for (int k = 0; k <= PATH_SAMPLES; ++k) {
        mix(robot, edge, (double)k / PATH_SAMPLES, q);
        placeShapes(robot, q, poses[k & 1]);
        const brinkVec3 a = chained(poses[0][s], vertex).position, b = chained(poses[1][s], vertex).position;
        if (k > 0) way += sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
      }
      longest = fmax(longest, way);
    }
  }
  return longest;
}

static bool peerFree(const Robot *robot, peerFclScene *peer, const Edge *edge, int samples) {
  for (int k = 0; k <= samples; ++k) {
    double q[MOST_VALUES];
    brinkPose poses[256];
    mix(robot, edge, (double)k / samples, q);
    placeShapes(robot, q, poses);
    if (peerFcl_Collides(peer, poses)) return false;
  }
  return true;
}

static bool addPeerMesh(peerFclScene *peer, const brinkSceneObstacle *obstacle) {
  brinkMesh mesh;
  char message[256];
  if (brinkImportMesh(obstacle->path, 0, &mesh, message, sizeof message) != brink_ok) return false;
  for (size_t i = 0; i < 3 * mesh.vertexCount; ++i) mesh.vertices[i] *= obstacle->size[i % 3];
  bool good = peerFcl_AddObstacleMesh(peer, mesh.vertices, mesh.vertexCount, mesh.indices, mesh.triangleCount,
                                      &obstacle->pose) != 0;
  brinkFreeMesh(&mesh);
  return good;
}

static peerFclScene *makePeer(const Robot *robot, const brinkRobotScene *scene) {
  peerFclScene *peer = peerFcl_MakeScene();
  bool good = peer != NULL;
  for (size_t i = 0; good && i < robot->urdf->shapeCount; ++i) {
    const brinkMesh *mesh = &robot->urdf->meshes[robot->urdf->shapes[i].mesh].mesh;
    good = robot->urdf->shapes[i].kind == brink_urdfMesh &&
           peerFcl_AddMover(peer, mesh->vertices, mesh->vertexCount, mesh->indices, mesh->triangleCount);
  }
  for (size_t i = 0; good && i < scene->obstacleCount; ++i) {
    const brinkSceneObstacle *obstacle = &scene->obstacles[i];
    good = obstacle->kind == brink_mesh ? addPeerMesh(peer, obstacle)
                                        : peerFcl_AddObstacle(peer, obstacle->kind, obstacle->size, &obstacle->pose);
  }
  if (good || peer == NULL) return peer;
  peerFcl_FreeScene(peer);
  return NULL;
}

static int comparePeer(const Robot *robot, const robotsAsk *ask, const brinkRobotScenes *scenes) {
  static Edge edges[MOST_PER_SCENE];
  double own = 0.0, peers = 0.0, samples = 0.0;
  size_t count = ask->scenes > 0 && (size_t)ask->scenes < scenes->count ? (size_t)ask->scenes : scenes->count;
  size_t asked = 0, differ = 0;
  uint64_t seed = 2;
  const int wanted = count == 1 ? ask->edges : PEER_EDGES;
  const brinkEdgeQuery any = {.structSize = sizeof any, .flags = BRINK_EDGE_NO_SELF | BRINK_EDGE_ANY};
  for (size_t s = 0; s < count; ++s) {
    char message[512] = "";
    brinkColliderId colliders[1024];
    brinkShapeId shapes[1024];
    const brinkRobotScene *scene = &scenes->scenes[s];
    peerFclScene *peer = scene->obstacleCount <= 1024 ? makePeer(robot, scene) : NULL;
    if (peer == NULL ||
        brinkAddRobotScene(robot->world, scene, colliders, shapes, message, sizeof message) != brink_ok) {
      fprintf(stderr, "brink-bench: %s %s: not a scene for FCL here: meshes among boxes, cylinders, spheres\n",
              scene->name, message);
      return 1;
    }
    for (int i = 0, tries = 0; i < wanted && tries < MOST_TRIES; ++tries) {
      if (!drawEdge(robot, &seed, BRINK_EDGE_NO_SELF, &edges[i])) continue;
      brinkEdgeAnswer answer = {.structSize = sizeof answer};
      robots->edge(robot->view, edges[i].q0, edges[i].q1, &any, &answer); /* warm, as the peer is after some samples */
      double start = bench_Now();
      robots->edge(robot->view, edges[i].q0, edges[i].q1, &any, &answer);
      own += 1e3 * (bench_Now() - start);
      int parts = (int)ceil(longestWay(robot, &edges[i]) / PEER_STEP);
      start = bench_Now();
      bool free = peerFree(robot, peer, &edges[i], parts);
      peers += 1e3 * (bench_Now() - start);
      samples += parts;
      differ += free != (answer.state == brink_free);
      ++asked;
      ++i;
    }
    brinkRemoveRobotScene(robot->world, scene, colliders, shapes);
    peerFcl_FreeScene(peer);
  }
  printf(
      "\nFCL at 1 mm, without self pairs, meshes as they are: %zu edges, %.0f samples each: %.0f us an edge; Brink, "
      "proven: %.2f us; %.0f times; answers differ on %zu\n",
      asked, samples / (double)asked, peers / (double)asked, own / (double)asked, peers / own, differ);
  return 0;
}
#else
static int comparePeer(const Robot *robot, const robotsAsk *ask, const brinkRobotScenes *scenes) {
  (void)robot, (void)ask, (void)scenes;
  printf("brink-bench: --peer fcl is skipped: this build has no FCL (CMake option BRINK_BENCH_FCL)\n");
  return 0;
}
#endif

int robots_Run(const robotsAsk *ask) {
  char path[1024], message[512] = "";
  plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
  robots = plugin->getExtension(BRINK_ROBOT_NAME);
  if (!brinkHasUrdf()) {
    printf("brink-bench: --robot is skipped: this build reads no URDF (Debian: liburdfdom-dev)\n");
    return 77;
  }
  snprintf(path, sizeof path, "%s/scenes.txt", ask->directory);
  FILE *there = fopen(path, "r");
  if (there == NULL) {
    printf("brink-bench: --robot is skipped: there is no %s\n", path);
    return 77;
  }
  fclose(there);
  brinkRobotScenes scenes;
  if (brinkLoadRobotScenes(path, &scenes, message, sizeof message) != brink_ok) {
    fprintf(stderr, "brink-bench: %s\n", message);
    return 1;
  }
  Robot robot = {0};
  int status = loadRobot(ask, &robot) && ask->edges <= MOST_PER_SCENE ? 0 : 1;
  if (status == 0) status = runAll(&robot, ask, &scenes, false);
  if (status == 0) status = runAll(&robot, ask, &scenes, true);
  if (status == 0 && ask->peer) status = comparePeer(&robot, ask, &scenes);
  plugin->destroyWorld(robot.world);
  brinkFreeUrdf(robot.urdf);
  brinkFreeRobotScenes(&scenes);
  return status;
}
