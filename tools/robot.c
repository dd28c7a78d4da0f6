/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink robot info FILE.urdf`: what a robot is made of. `brink path FILE.urdf SCENE`: is the way from configuration to
 * configuration free? One line an edge; with --certify, proofs as files. */
#include <argp.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "brink/robot_certify.h"
#include "brink/stand_in_robot.h"
#include "command.h"
#include "output.h"

#define MOST_PACKAGES 32

typedef struct robotOptions {
  const char *verb, *urdfPath, *scenePath, *sceneName, *certifyFolder;
  brinkUrdfOptions urdf;
  const char *packages[MOST_PACKAGES];
  bool noSelf, noLimits, shorter, clearanceToo;
  brinkForm form;
  long findAllowed;
  double padding, clearance;
  double *values; /* owned */
  size_t valueCount, valueCapacity;
} robotOptions;

static const char *typeText(uint32_t type) {
  static const char *const texts[] = {"fixed", "revolute", "continuous", "prismatic", "screw", "planar", "floating"};
  return type < sizeof texts / sizeof *texts ? texts[type] : "?";
}

/* ---- the robot in a world of its own */

typedef struct robotSetting {
  const brinkPlugin *api;
  const brinkRobotTable *table;
  brinkUrdf *file; /* as it was read */
  brinkUrdf asked; /* the same, its links padded, with the allowed pairs that were found */
  const brinkUrdf *urdf;
  brinkRobotLinkDef *links;    /* owned, of asked */
  brinkRobotLinkPair *allowed; /* owned, of asked; NULL: none were found */
  brinkWorld *world;
  brinkRobot *robot;
  brinkRobotInfo info;
} robotSetting;

static int refuse(const char *what, const char *why) {
  fflush(stdout);
  fprintf(stderr, "brink: %s%s%s\n", what, what[0] != '\0' ? ": " : "", why);
  return BRINK_EXIT_FAILURE;
}

static void closeSetting(robotSetting *setting) {
  if (setting->world != NULL) setting->api->destroyWorld(setting->world);
  brinkFreeUrdf(setting->file);
  free(setting->links);
  free(setting->allowed);
}

static brinkStatus padLinks(robotSetting *setting, double padding) {
  setting->asked = *setting->file;
  setting->urdf = &setting->asked;
  setting->links = malloc((setting->file->linkCount + 1) * sizeof *setting->links);
  if (setting->links == NULL) return brink_errorNoMemory;
  memcpy(setting->links, setting->file->links, setting->file->linkCount * sizeof *setting->links);
  for (size_t i = 0; i < setting->file->linkCount; ++i) setting->links[i].padding = padding;
  setting->asked.links = setting->links;
  return brink_ok;
}

static int openSetting(const robotOptions *options, robotSetting *setting) {
  char message[1024] = "";
  setting->api = brinkApi();
  setting->table = setting->api->getExtension(BRINK_ROBOT_NAME);
  if (setting->table == NULL) return refuse("", "the Brink library has no extension " BRINK_ROBOT_NAME);
  brinkStatus status = brinkLoadUrdf(options->urdfPath, &options->urdf, &setting->file, message, sizeof message);
  if (status != brink_ok) {
    refuse("", message);
    return status == brink_errorVersion || status == brink_errorIo ? BRINK_EXIT_FAILURE : BRINK_EXIT_MALFORMED;
  }
  for (size_t i = 0; i < setting->file->noteCount; ++i) fprintf(stderr, "note: %s\n", setting->file->notes[i]);
  if (padLinks(setting, options->padding) != brink_ok) return refuse("", "out of memory");
  status = setting->api->createWorld(NULL, NULL, &setting->world);
  if (status == brink_ok)
    status = brinkMakeRobot(setting->world, setting->urdf, NULL, &setting->robot, message, sizeof message);
  setting->info.structSize = sizeof setting->info;
  if (status == brink_ok) status = setting->table->info(setting->robot, &setting->info);
  if (status == brink_ok) return BRINK_EXIT_OK;
  return refuse("", message[0] != '\0' ? message : setting->api->lastError(setting->world));
}

static int allowFound(const robotOptions *options, robotSetting *setting, bool tell) {
  char message[512] = "";
  brinkRobotLinkPair *pairs = NULL;
  size_t count = 0;
  if (options->findAllowed == 0) return BRINK_EXIT_OK;
  brinkStatus status = brinkFindAllowedPairs(setting->robot, (size_t)options->findAllowed, 1, 0, &pairs, &count,
                                             message, sizeof message);
  if (status != brink_ok) return refuse("", message);
  const size_t before = setting->asked.allowedCount;
  setting->allowed = malloc((before + count + 1) * sizeof *setting->allowed);
  if (setting->allowed == NULL) {
    free(pairs);
    return refuse("", "out of memory");
  }
  if (before > 0) memcpy(setting->allowed, setting->asked.allowed, before * sizeof *pairs);
  if (count > 0) memcpy(setting->allowed + before, pairs, count * sizeof *pairs);
  setting->asked.allowed = setting->allowed;
  setting->asked.allowedCount = before + count;
  for (size_t i = 0; i < count; ++i) {
    setting->table->setAllowed(setting->robot, pairs[i].a, pairs[i].b, 1);
    if (tell)
      printf("allowed %s %s (touch in all of %ld configurations)\n", setting->urdf->links[pairs[i].a].name,
             setting->urdf->links[pairs[i].b].name, options->findAllowed);
  }
  free(pairs);
  return BRINK_EXIT_OK;
}

/* ---- brink robot info */

static void printLinks(const robotSetting *setting) {
  for (uint32_t i = 0; i < setting->info.linkCount; ++i) {
    size_t shapes = 0, triangles = 0;
    for (size_t s = 0; s < setting->urdf->shapeCount; ++s) {
      const brinkUrdfShape *shape = &setting->urdf->shapes[s];
      if (shape->link != i) continue;
      ++shapes;
      if (shape->kind == brink_urdfMesh) triangles += setting->urdf->meshes[shape->mesh].mesh.triangleCount;
    }
    printf("link %s%s: %zu shapes, %zu triangles\n", setting->urdf->links[i].name,
           i == setting->info.root ? " (root)" : "", shapes, triangles);
  }
}

static void printJoints(const robotSetting *setting) {
  for (uint32_t j = 0; j < setting->info.jointCount; ++j) {
    brinkRobotJointInfo joint = {.structSize = sizeof joint};
    if (setting->table->joint(setting->robot, j, &joint) != brink_ok) continue;
    printf("joint %s: %s, %s -> %s", joint.name, typeText(joint.type), setting->urdf->links[joint.parent].name,
           setting->urdf->links[joint.child].name);
    if (joint.valueCount == 1) printf(", value %u", joint.valueIndex);
    if (joint.valueCount > 1) printf(", values %u to %u", joint.valueIndex, joint.valueIndex + joint.valueCount - 1);
    if (joint.limited) printf(", %g to %g", joint.lower[0], joint.upper[0]);
    if (joint.mimic != BRINK_ROBOT_NONE && joint.type != brink_robotFixed)
      printf(", follows %s: %g x + %g", setting->urdf->joints[joint.mimic].name, setting->urdf->joints[j].multiplier,
             setting->urdf->joints[j].offset);
    printf("\n");
  }
}

static const brinkColumn jointColumns[] = {{"robot", NULL, -12},  {"joint", NULL, -20},    {"type", NULL, -11},
                                           {"parent", NULL, -16}, {"child", NULL, -16},    {"value_index", NULL, 0},
                                           {"values", NULL, 0},   {"lower", "rad, m", 12}, {"upper", "rad, m", 12},
                                           {"follows", NULL, -16}};

/* A row a joint, for --json, --csv. */
static void tellJoints(const robotSetting *setting, brinkForm form) {
  brinkRows rows = brinkRows_Open(form, "joint", jointColumns, sizeof jointColumns / sizeof *jointColumns);
  for (uint32_t j = 0; j < setting->info.jointCount; ++j) {
    brinkRobotJointInfo joint = {.structSize = sizeof joint};
    if (setting->table->joint(setting->robot, j, &joint) != brink_ok) continue;
    brinkRows_Text(&rows, setting->urdf->name);
    brinkRows_Text(&rows, joint.name);
    brinkRows_Text(&rows, typeText(joint.type));
    brinkRows_Text(&rows, setting->urdf->links[joint.parent].name);
    brinkRows_Text(&rows, setting->urdf->links[joint.child].name);
    brinkRows_Count(&rows, joint.valueIndex);
    brinkRows_Count(&rows, joint.valueCount);
    brinkRows_Number(&rows, joint.limited ? joint.lower[0] : (double)NAN);
    brinkRows_Number(&rows, joint.limited ? joint.upper[0] : (double)NAN);
    if (joint.mimic != BRINK_ROBOT_NONE && joint.type != brink_robotFixed)
      brinkRows_Text(&rows, setting->urdf->joints[joint.mimic].name);
    else
      brinkRows_Missing(&rows);
    brinkRows_End(&rows);
  }
  brinkRows_Close(&rows);
}

static int runInfo(const robotOptions *options) {
  robotSetting setting = {0};
  int exit = openSetting(options, &setting);
  if (exit == BRINK_EXIT_OK && options->form != brink_formAuto) {
    tellJoints(&setting, options->form);
    exit = allowFound(options, &setting, false);
  } else if (exit == BRINK_EXIT_OK) {
    printf("robot %s: %zu links, %zu joints, %zu values, %zu shapes, %zu pairs allowed\n", setting.urdf->name,
           setting.info.linkCount, setting.info.jointCount, setting.info.valueCount, setting.info.shapeCount,
           setting.urdf->allowedCount);
    printLinks(&setting);
    printJoints(&setting);
    exit = allowFound(options, &setting, true);
  }
  closeSetting(&setting);
  return exit;
}

/* ---- brink path */

static const brinkRobotScene *findScene(const brinkRobotScenes *scenes, const char *name) {
  for (size_t i = 0; i < scenes->count; ++i)
    if (name == NULL || strcmp(scenes->scenes[i].name, name) == 0) return &scenes->scenes[i];
  return NULL;
}

static void printContact(const robotSetting *setting, const brinkEdgeAnswer *answer) {
  const brinkRobotContact *contact = &answer->first;
  if (answer->state == brink_free || contact->linkA == BRINK_ROBOT_NONE) return;
  printf(" %s", setting->urdf->links[contact->linkA].name);
  if (contact->linkB != BRINK_ROBOT_NONE) printf(" %s", setting->urdf->links[contact->linkB].name);
}

/* Scenes give no names to obstacles: their number in the scene, from 1, and what they are. */
static const char *obstacleText(const brinkSceneObstacle *obstacle) {
  switch (obstacle->kind) {
    case brink_box:
      return "box";
    case brink_cylinder:
      return "cylinder";
    case brink_sphere:
      return "sphere";
    case brink_plane:
      return "plane";
    default:
      return obstacle->path != NULL ? obstacle->path : "mesh";
  }
}

static const brinkColumn edgeColumns[] = {{"edge", NULL, 5},
                                          {"state", NULL, -10},
                                          {"toi", "of the edge", 12},
                                          {"toi_upper", "of the edge", 12},
                                          {"link", NULL, -16},
                                          {"other", NULL, -16},
                                          {"obstacle", NULL, 8},
                                          {"obstacle_shape", NULL, -14},
                                          {"clearance_lower", "m", 12},
                                          {"clearance_upper", "m", 12},
                                          {"microseconds", NULL, 12}};

/* An edge as a row; other: the second link, empty for an obstacle. obstacle: from 1, 0: none. */
static void tellEdge(brinkRows *rows, const robotSetting *setting, const brinkRobotScene *scene, size_t edge,
                     const char *state, const brinkEdgeAnswer *answer, size_t obstacle,
                     const brinkRobotClearance *clearance, double microseconds) {
  const brinkRobotContact *contact = &answer->first;
  bool met = answer->state != brink_free, linked = met && contact->linkA != BRINK_ROBOT_NONE;
  brinkRows_Count(rows, edge);
  brinkRows_State(rows, state);
  brinkRows_Number(rows, met ? answer->toi : (double)NAN);
  brinkRows_Number(rows, met ? answer->toiUpper : (double)NAN);
  if (linked)
    brinkRows_Text(rows, setting->urdf->links[contact->linkA].name);
  else
    brinkRows_Missing(rows);
  if (linked && contact->linkB != BRINK_ROBOT_NONE)
    brinkRows_Text(rows, setting->urdf->links[contact->linkB].name);
  else
    brinkRows_Missing(rows);
  if (obstacle > 0) {
    brinkRows_Count(rows, obstacle);
    brinkRows_Text(rows, obstacleText(&scene->obstacles[obstacle - 1]));
  } else {
    brinkRows_Missing(rows);
    brinkRows_Missing(rows);
  }
  brinkRows_Number(rows, clearance != NULL ? clearance->lower : (double)NAN);
  brinkRows_Number(rows, clearance != NULL ? clearance->upper : (double)NAN);
  brinkRows_Number(rows, microseconds);
  brinkRows_End(rows);
}

static int askEdges(const robotOptions *options, const robotSetting *setting, const brinkRobotScene *scene,
                    const brinkColliderId *obstacles, const double *points, size_t count) {
  static const char *const states[] = {"free", "hit", "overlap", "unresolved"};
  const size_t width = setting->info.valueCount;
  brinkRobotView *view = NULL;
  if (setting->table->createView(setting->robot, &view) != brink_ok)
    return refuse("", setting->api->lastError(setting->world));
  const brinkEdgeQuery query = {.structSize = sizeof query,
                                .flags = (options->noSelf ? BRINK_EDGE_NO_SELF : 0u) |
                                         (options->noLimits ? BRINK_EDGE_NO_LIMITS : 0u) |
                                         (options->shorter ? BRINK_EDGE_SHORTER : 0u),
                                .clearance = options->clearance};
  brinkRows rows = brinkRows_Open(options->form, "edge", edgeColumns, sizeof edgeColumns / sizeof *edgeColumns);
  for (size_t i = 0; i + 1 < count; ++i) {
    brinkEdgeAnswer answer = {.structSize = sizeof answer};
    const double *q0 = points + i * width, *q1 = q0 + width;
    double start = brinkSeconds();
    if (setting->table->edge(view, q0, q1, &query, &answer) != brink_ok)
      return refuse("", setting->table->viewError(view));
    double microseconds = 1e6 * (brinkSeconds() - start);
    size_t obstacle = 0;
    for (size_t o = 0; answer.state != brink_free && answer.first.obstacle != 0 && o < scene->obstacleCount; ++o)
      if (obstacles[o] == answer.first.obstacle) obstacle = o + 1;
    brinkRobotClearance clearance = {.structSize = sizeof clearance};
    if (options->clearanceToo && setting->table->clearance(view, q0, q1, query.flags, 0.0, &clearance) != brink_ok)
      return refuse("", setting->table->viewError(view));
    if (!brinkRows_AreWords(&rows)) {
      tellEdge(&rows, setting, scene, i + 1, states[answer.state], &answer, obstacle,
               options->clearanceToo ? &clearance : NULL, microseconds);
      continue;
    }
    printf("edge %zu %s", i + 1, states[answer.state]);
    if (answer.state != brink_free) {
      brinkPrintBound(" ", answer.toi, FE_DOWNWARD);
      brinkPrintBound(" ", answer.toiUpper, FE_UPWARD);
    }
    printContact(setting, &answer);
    if (obstacle > 0) printf(" obstacle %zu (%s)", obstacle, obstacleText(&scene->obstacles[obstacle - 1]));
    if (options->clearanceToo) {
      brinkPrintBound(" clearance ", clearance.lower, FE_DOWNWARD);
      brinkPrintBound(" ", clearance.upper, FE_UPWARD);
      printf(" at %.9g", clearance.time);
    }
    printf(" %.2f us\n", microseconds);
  }
  brinkRows_Close(&rows);
  return BRINK_EXIT_OK;
}

/* An edge's certificates stand in one file, one behind the other. */
typedef struct certificateFiles {
  const char *folder;
  const brinkUrdf *urdf;
  const brinkRobotScene *scene;
  size_t edge; /* of the file, from 1; 0: none yet */
  FILE *file;
  char path[2048];
  bool failed;
} certificateFiles;

static bool closeFile(certificateFiles *files, bool good) {
  if (files->file != NULL && fclose(files->file) != 0) good = false;
  files->file = NULL;
  if (!good) fprintf(stderr, "brink: %s: %s\n", files->path, strerror(errno));
  files->failed = files->failed || !good;
  return good;
}

static void namePair(const brinkUrdf *urdf, const brinkRobotScene *scene, const brinkPlanPair *pair, char *out,
                     size_t capacity) {
  const char *linkA = urdf->links[urdf->shapes[pair->shapeA].link].name;
  if (pair->shapeB != BRINK_ROBOT_NONE)
    snprintf(out, capacity, "edge %zu: %s (shape %u) and %s (shape %u)", pair->edge + 1, linkA, pair->shapeA,
             urdf->links[urdf->shapes[pair->shapeB].link].name, pair->shapeB);
  else
    snprintf(out, capacity, "edge %zu: %s (shape %u) and obstacle %zu (%s)", pair->edge + 1, linkA, pair->shapeA,
             pair->obstacle + 1, obstacleText(&scene->obstacles[pair->obstacle]));
  for (char *c = out; *c != '\0'; ++c) /* a name may hold anything, a comment ends with its line */
    if ((unsigned char)*c < ' ') *c = '_';
}

static int writeCertificate(void *user, const brinkPlanPair *pair) {
  certificateFiles *files = user;
  char name[512];
  namePair(files->urdf, files->scene, pair, name, sizeof name);
  if (pair->answer->state != brink_certified)
    fprintf(stderr, "%s: no proof from %.9g to %.9g%s\n", name,
            pair->answer->openCount > 0 ? pair->answer->open[0].from : 0.0,
            pair->answer->openCount > 0 ? pair->answer->open[0].to : 1.0,
            pair->answer->openCount > 1 ? " and later" : "");
  if (files->edge != pair->edge + 1) {
    if (files->edge != 0 && !closeFile(files, true)) return 0;
    files->edge = pair->edge + 1;
    snprintf(files->path, sizeof files->path, "%s/edge%zu.cert", files->folder, files->edge);
    files->file = fopen(files->path, "w");
  }
  /* which pair it is stands behind the first line */
  const char *text = pair->answer->certificate, *rest = strchr(text, '\n') + 1;
  size_t size = pair->answer->certificateSize - (size_t)(rest - text);
  if (files->file != NULL && fprintf(files->file, "%.*s# %s\n", (int)(rest - text), text, name) > 0 &&
      fwrite(rest, 1, size, files->file) == size)
    return 1;
  return closeFile(files, false);
}

/* Each point where the shorter way from the one before ends; from there on joints go as far as their values say. */
static brinkStatus unwind(const robotSetting *setting, const double *points, size_t count, double *out) {
  const size_t width = setting->info.valueCount;
  memcpy(out, points, count * width * sizeof *out);
  brinkStatus status = brink_ok;
  for (size_t i = 1; status == brink_ok && i < count; ++i)
    status = setting->table->between(setting->robot, out + (i - 1) * width, points + i * width, 1.0, BRINK_EDGE_SHORTER,
                                     out + i * width);
  return status;
}

static int certify(const robotOptions *options, const robotSetting *setting, const brinkRobotScene *scene,
                   const double *points, size_t count) {
  char message[512] = "";
  if (mkdir(options->certifyFolder, 0777) != 0 && errno != EEXIST)
    return refuse(options->certifyFolder, strerror(errno));
  certificateFiles files = {.folder = options->certifyFolder, .urdf = setting->urdf, .scene = scene};
  const brinkToleranceQuery query = {.structSize = sizeof query, .tEnd = 1.0, .clearance = options->clearance};
  brinkPlanSummary summary;
  const clock_t start = clock();
  brinkStatus status = brinkCertifyPlan(setting->urdf, NULL, scene, points, count, !options->noSelf, &query,
                                        writeCertificate, &files, &summary, message, sizeof message);
  if (files.file != NULL) closeFile(&files, true);
  if (status != brink_ok) return refuse("", message);
  fprintf(options->form == brink_formJson || options->form == brink_formCsv ? stderr : stdout,
          "certificates %zu: proven %zu, open %zu, spent %zu; %.0f kB, %.1f ms of processor time\n", summary.pairs,
          summary.proven, summary.listed, summary.spent, 1e-3 * (double)summary.bytes,
          1e3 * (double)(clock() - start) / CLOCKS_PER_SEC);
  return files.failed || summary.proven < summary.pairs ? BRINK_EXIT_FAILURE : BRINK_EXIT_OK;
}

static int askPath(const robotOptions *options, robotSetting *setting, const brinkRobotScene *scene) {
  char message[512] = "";
  const double *points = options->valueCount > 0 ? options->values : scene->ends;
  const size_t values = options->valueCount > 0 ? options->valueCount : scene->endCount;
  const size_t width = setting->info.valueCount;
  if (width == 0 || values == 0 || values % width != 0 || values / width < 2) {
    snprintf(message, sizeof message,
             "%zu numbers are no path: configurations of this robot have %zu values, and 2 of them are needed", values,
             width);
    refuse(options->valueCount > 0 ? "" : options->scenePath, message);
    return BRINK_EXIT_MALFORMED;
  }
  brinkColliderId *colliders = calloc(scene->obstacleCount + 1, sizeof *colliders);
  brinkShapeId *shapes = calloc(scene->obstacleCount + 1, sizeof *shapes);
  int exit = BRINK_EXIT_OK;
  if (colliders == NULL || shapes == NULL)
    exit = refuse("", "out of memory");
  else if (brinkAddRobotScene(setting->world, scene, colliders, shapes, message, sizeof message) != brink_ok)
    exit = refuse(options->scenePath, message);
  if (exit == BRINK_EXIT_OK) exit = askEdges(options, setting, scene, colliders, points, values / width);
  double *ways = NULL;
  if (exit == BRINK_EXIT_OK && options->certifyFolder != NULL && options->shorter) {
    ways = malloc(values * sizeof *ways);
    if (ways == NULL || unwind(setting, points, values / width, ways) != brink_ok) exit = refuse("", "out of memory");
    points = ways;
  }
  if (exit == BRINK_EXIT_OK && options->certifyFolder != NULL)
    exit = certify(options, setting, scene, points, values / width);
  free(ways);
  free(colliders);
  free(shapes);
  return exit;
}

static int runPath(const robotOptions *options) {
  char message[512] = "";
  brinkRobotScenes scenes = {NULL, 0};
  robotSetting setting = {0};
  int exit = openSetting(options, &setting);
  if (exit == BRINK_EXIT_OK) exit = allowFound(options, &setting, false);
  brinkStatus status =
      exit != BRINK_EXIT_OK ? brink_ok : brinkLoadRobotScenes(options->scenePath, &scenes, message, sizeof message);
  if (status != brink_ok) {
    refuse("", message);
    exit = status == brink_errorIo ? BRINK_EXIT_FAILURE : BRINK_EXIT_MALFORMED;
  }
  const brinkRobotScene *scene = exit == BRINK_EXIT_OK ? findScene(&scenes, options->sceneName) : NULL;
  if (exit == BRINK_EXIT_OK && scene == NULL) {
    refuse(options->scenePath, "it has no scene of that name");
    exit = BRINK_EXIT_MALFORMED;
  }
  if (exit == BRINK_EXIT_OK) exit = askPath(options, &setting, scene);
  brinkFreeRobotScenes(&scenes);
  closeSetting(&setting);
  return exit;
}

/* ---- options */

enum {
  OPTION_SRDF = 256,
  OPTION_PACKAGE,
  OPTION_HULLS,
  OPTION_COLLADA_UP,
  OPTION_VIRTUAL,
  OPTION_FIND,
  OPTION_NO_SELF,
  OPTION_NO_LIMITS,
  OPTION_SHORTER,
  OPTION_PADDING,
  OPTION_CLEARANCE,
  OPTION_MEASURE,
  OPTION_SCENE,
  OPTION_CERTIFY
};

#define ROBOT_OPTIONS                                                                                                \
  {"srdf", OPTION_SRDF, "FILE", 0, "Pairs of links that need no check, and the virtual joint", 0},                   \
      {"package", OPTION_PACKAGE, "NAME=DIR", 0, "Where package://NAME/ is; DIR alone: tried for every package", 0}, \
      {"hulls", OPTION_HULLS, 0, 0, "Take meshes as their convex hulls", 0},                                         \
      {"collada-up", OPTION_COLLADA_UP, 0, 0, "Turn Collada files of another up axis to z up", 0},                   \
      {"virtual-joint", OPTION_VIRTUAL, 0, 0, "Move the root by the SRDF's virtual joint", 0}, {                     \
    "find-allowed", OPTION_FIND, "N", 0, "Allow the pairs that touch in all of N random configurations", 0           \
  }

static const struct argp_option infoOptions[] = {ROBOT_OPTIONS, BRINK_OUTPUT_CSV_OPTION, BRINK_OUTPUT_JSON_OPTION, {0}};
static const struct argp_option pathOptions[] = {
    ROBOT_OPTIONS,
    {"scene", OPTION_SCENE, "NAME", 0, "The scene of this name [the first]", 0},
    {"no-self", OPTION_NO_SELF, 0, 0, "Links against obstacles only", 0},
    {"no-limits", OPTION_NO_LIMITS, 0, 0, "Joint limits are not checked", 0},
    {"shorter", OPTION_SHORTER, 0, 0, "Continuous joints go the shorter way round", 0},
    {"padding", OPTION_PADDING, "D", 0, "Keep D m free around every link", 0},
    {"clearance", OPTION_CLEARANCE, "D", 0, "Contact is coming within D m", 0},
    {"measure", OPTION_MEASURE, 0, 0, "Tell the smallest distance along each edge, too", 0},
    {"certify", OPTION_CERTIFY, "DIR", 0, "Write certificates of every edge there, all its pairs in one file", 0},
    BRINK_OUTPUT_CSV_OPTION,
    BRINK_OUTPUT_JSON_OPTION,
    {0}};

static bool addValue(robotOptions *options, const char *word) {
  if (options->valueCount == options->valueCapacity) {
    options->valueCapacity = options->valueCapacity == 0 ? 64 : 2 * options->valueCapacity;
    double *grown = realloc(options->values, options->valueCapacity * sizeof *grown);
    if (grown == NULL) return false;
    options->values = grown;
  }
  return brinkParseNumber(word, &options->values[options->valueCount]) && (++options->valueCount, true);
}

static error_t parseArgument(robotOptions *options, char *argument, struct argp_state *state, bool path) {
  if (!path && options->verb == NULL) {
    options->verb = argument;
    if (strcmp(argument, "info") != 0 && strcmp(argument, "generate") != 0)
      argp_error(state, "'%s': `brink robot info` and `brink robot generate` are known", argument);
  } else if (options->urdfPath == NULL) {
    options->urdfPath = argument;
  } else if (path && options->scenePath == NULL) {
    options->scenePath = argument;
  } else if (!path) {
    argp_error(state, "'%s' is too much: one file or folder is wanted", argument);
  } else if (!addValue(options, argument)) {
    argp_error(state, "'%s' is not a number of a configuration", argument);
  }
  return 0;
}

static error_t parseShared(int key, char *argument, struct argp_state *state, bool path) {
  robotOptions *options = state->input;
  char *end;
  switch (key) {
    case OPTION_SRDF:
      options->urdf.srdfPath = argument;
      return 0;
    case OPTION_PACKAGE:
      if (options->urdf.packageCount == MOST_PACKAGES) argp_error(state, "more than %d packages", MOST_PACKAGES);
      options->packages[options->urdf.packageCount++] = argument;
      return 0;
    case OPTION_HULLS:
      options->urdf.flags |= BRINK_URDF_HULLS;
      return 0;
    case OPTION_COLLADA_UP:
      options->urdf.flags |= BRINK_URDF_COLLADA_UP;
      return 0;
    case OPTION_VIRTUAL:
      options->urdf.flags |= BRINK_URDF_VIRTUAL_JOINT;
      return 0;
    case OPTION_FIND:
      options->findAllowed = strtol(argument, &end, 10);
      if (*end != '\0' || options->findAllowed < 1 || options->findAllowed > 10000000)
        argp_error(state, "--find-allowed: '%s' is not a number from 1 to 10000000", argument);
      return 0;
    case ARGP_KEY_ARG:
      return parseArgument(options, argument, state, path);
    case ARGP_KEY_END:
      if (options->urdfPath == NULL)
        argp_error(state, options->verb != NULL && *options->verb == 'g' ? "no folder" : "no URDF file");
      if (path && options->scenePath == NULL) argp_error(state, "no scene file");
      return 0;
    default:
      return brinkOutput_Parse(&options->form, key, state);
  }
}

static error_t parseInfo(int key, char *argument, struct argp_state *state) {
  return parseShared(key, argument, state, false);
}

static void parseLength(struct argp_state *state, const char *option, const char *argument, double *out) {
  if (!brinkParseNumber(argument, out) || !(*out >= 0.0))
    argp_error(state, "--%s: '%s' is no length", option, argument);
}

static error_t parsePath(int key, char *argument, struct argp_state *state) {
  robotOptions *options = state->input;
  switch (key) {
    case OPTION_SCENE:
      options->sceneName = argument;
      return 0;
    case OPTION_NO_SELF:
      options->noSelf = true;
      return 0;
    case OPTION_NO_LIMITS:
      options->noLimits = true;
      return 0;
    case OPTION_SHORTER:
      options->shorter = true;
      return 0;
    case OPTION_MEASURE:
      options->clearanceToo = true;
      return 0;
    case OPTION_PADDING:
      parseLength(state, "padding", argument, &options->padding);
      return 0;
    case OPTION_CLEARANCE:
      parseLength(state, "clearance", argument, &options->clearance);
      return 0;
    case OPTION_CERTIFY:
      options->certifyFolder = argument;
      return 0;
    default:
      return parseShared(key, argument, state, true);
  }
}

static int runGenerate(const char *folder) {
  char message[512] = "";
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) return refuse(folder, strerror(errno));
  if (brinkWriteStandInRobots(folder, message, sizeof message) == brink_ok &&
      brinkWriteConstructionSite(folder, message, sizeof message) == brink_ok)
    return BRINK_EXIT_OK;
  fprintf(stderr, "brink robot generate: %s\n", message);
  return BRINK_EXIT_FAILURE;
}

static const char infoDocumentation[] =
    "info: what a robot is made of: links, joints, values, allowed pairs. What is skipped is told on stderr.\n"
    "generate: writes robots of our own into the folder DIR: an arm, two arms, a shelf; an excavator and a tower "
    "crane on a construction site (7 MB).\v"
    "Examples:\n"
    "  brink robot info arm.urdf --srdf arm.srdf\n"
    "  brink robot info arm.urdf --package arm_description=/opt/arm --find-allowed 1000\n\n"
    "Exit status: 0 told, 1 a file is missing or this build reads no URDF, 2 malformed (file:line on "
    "stderr) or usage.";

static const char pathDocumentation[] =
    "Is the way of a robot from configuration to configuration free of contact? Proven, not sampled.\v"
    "SCENE holds obstacles (docs/robots.md); VALUES are configurations one after the other [its start and goal].\n"
    "One line per edge:  edge N STATE [toi toiUpper LINK LINK|obstacle K] microseconds\n"
    "STATE is free (proven), hit (first contact in [toi, toiUpper] of the edge), overlap (at its start), "
    "unresolved.\n\n"
    "Examples:\n"
    "  brink path arm.urdf shelf.txt\n"
    "  brink path arm.urdf shelf.txt --certify out -- 0 0.5 0 -1 0.2 0.7\n\n"
    "Exit status: 0 all edges answered (with --certify: and proven), 1 refused, not all proven, or a file could not be "
    "read, 2 malformed or usage.";

int brinkRobotCommand(int argc, char **argv) {
  robotOptions options = {.urdf = {.structSize = sizeof(brinkUrdfOptions)}};
  options.urdf.packages = options.packages;
  const struct argp parser = {.options = infoOptions,
                              .parser = parseInfo,
                              .args_doc = "info FILE.urdf\ngenerate DIR",
                              .doc = infoDocumentation};
  brinkParseArguments(&parser, argc, argv, 0, &options);
  return strcmp(options.verb, "generate") == 0 ? runGenerate(options.urdfPath) : runInfo(&options);
}

int brinkPathCommand(int argc, char **argv) {
  robotOptions options = {.urdf = {.structSize = sizeof(brinkUrdfOptions)}};
  options.urdf.packages = options.packages;
  brinkParseCommand(argc, argv, pathOptions, parsePath, "FILE.urdf SCENE [VALUES...]", pathDocumentation, &options);
  int exit = runPath(&options);
  free(options.values);
  return exit;
}
