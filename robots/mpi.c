/* SPDX-License-Identifier: BSD-3-Clause */
/* brink-mpi: edges of a roadmap, shared among the ranks of an MPI program.
 *
 * Edges come in blocks; block b is rank b mod size's. Each rank holds the robot and the scene, its threads ask its
 * blocks, and each is written into its own place of the one output file, in lines of fixed width, so that the file is
 * the same for any number of ranks and threads. A block that is written is noted in OUTPUT.done; a run that was cut
 * short, by a lost rank or otherwise, goes on from there when it is started again, with any number of ranks, and gives
 * the same file. Communication: five reductions of 8 bytes and two barriers in all, whatever the number of edges; each
 * rank reads the input itself. All ranks must see one file system.
 *
 *   mpirun -n 2 brink-mpi ROBOT.urdf SCENE.txt EDGES OUTPUT [options]
 * EDGES: text, 2 x values numbers an edge; or `random:N:SEED`, N edges between random configurations within the limits.
 * Output: STATE toi toiUpper linkA linkB obstacle, 80 bytes a line; linkB and obstacle -1 where there is none. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "brink/robot_random.h"
#include "brink/robot_scene.h"
#include "brink/urdf.h"

#define BLOCK 1024u /* edges: some 10 ms of work, 80 kB of output */
#define LINE 80u

typedef struct Options {
  const char *urdf, *scene, *edges, *output, *srdf, *package, *sceneName;
  bool hulls, noSelf;
  long threads, stopAfter; /* stopAfter: for tests, blocks after which a rank dies; 0: never */
} Options;

typedef struct Job {
  const brinkPlugin *plugin;
  const brinkRobotTable *robots;
  brinkUrdf *urdf;
  brinkRobotScenes scenes;
  brinkWorld *world;
  brinkRobot *robot;
  brinkRobotInfo info;
  brinkColliderId *obstacles;
  size_t obstacleCount;
  double *edges; /* [count][2][valueCount]; NULL: random */
  size_t count;
  uint64_t seed;
  double *lower, *upper;
  int rank, size;
} Job;

static bool complain(const Job *job, const char *what, const char *why) {
  fprintf(stderr, "brink-mpi, rank %d: %s%s%s\n", job->rank, what, what[0] != '\0' ? ": " : "", why);
  return false;
}

/* ---- edges */

/* Edge `index` of the random ones: the same whoever asks. Half a range long at most in each value. */
static void randomEdge(const Job *job, size_t index, double *q0, double *q1) {
  uint64_t state = job->seed * 0x2545f4914f6cdd1du + index;
  for (size_t i = 0; i < job->info.valueCount; ++i) {
    double range = job->upper[i] - job->lower[i];
    q0[i] = brinkRandomBetween(&state, job->lower[i], job->upper[i]);
    q1[i] = q0[i] + 0.2 * range * brinkRandomBetween(&state, -0.5, 0.5);
    if (q1[i] < job->lower[i]) q1[i] = job->lower[i];
    if (q1[i] > job->upper[i]) q1[i] = job->upper[i];
  }
}

static bool readEdges(Job *job, const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return complain(job, path, strerror(errno));
  size_t capacity = 0, numbers = 0;
  char word[64], *end = NULL;
  while (fscanf(file, "%63s", word) == 1) {
    const double value = strtod(word, &end);
    if (*end != '\0' || !isfinite(value)) {
      fprintf(stderr, "brink-mpi, rank %d: %s: number %zu, of edge %zu, is '%s'\n", job->rank, path, numbers + 1,
              numbers / (2 * job->info.valueCount) + 1, word);
      fclose(file);
      return false;
    }
    if (numbers == capacity) {
      capacity = capacity == 0 ? 65536 : 2 * capacity;
      double *grown = realloc(job->edges, capacity * sizeof *grown);
      if (grown == NULL) {
        fclose(file);
        return complain(job, path, "out of memory");
      }
      job->edges = grown;
    }
    job->edges[numbers++] = value;
  }
  fclose(file);
  if (numbers == 0 || numbers % (2 * job->info.valueCount) != 0)
    return complain(job, path, "it must hold two configurations an edge");
  job->count = numbers / (2 * job->info.valueCount);
  return true;
}

static bool findEdges(Job *job, const char *text) {
  unsigned long long count, seed;
  char rest;
  if (sscanf(text, "random:%llu:%llu%c", &count, &seed, &rest) != 2) return readEdges(job, text);
  job->count = (size_t)count;
  job->seed = seed;
  job->lower = calloc(job->info.valueCount + 1, sizeof(double));
  job->upper = calloc(job->info.valueCount + 1, sizeof(double));
  if (count == 0 || job->lower == NULL || job->upper == NULL) return complain(job, text, "no edges");
  for (uint32_t j = 0; j < job->info.jointCount; ++j) {
    brinkRobotJointInfo joint = {.structSize = sizeof joint};
    job->robots->joint(job->robot, j, &joint);
    if (joint.valueCount > 1) return complain(job, text, "random edges are for joints of one value");
    if (joint.valueCount == 0) continue;
    job->lower[joint.valueIndex] = joint.limited ? joint.lower[0] : -3.0;
    job->upper[joint.valueIndex] = joint.limited ? joint.upper[0] : 3.0;
  }
  return true;
}

/* ---- the robot, on every rank */

static bool openJob(Job *job, const Options *options) {
  char message[600] = "";
  job->plugin = brinkEntry(BRINK_ABI_MAJOR, NULL);
  job->robots = job->plugin->getExtension(BRINK_ROBOT_NAME);
  const brinkUrdfOptions urdf = {.structSize = sizeof urdf,
                                 .flags = options->hulls ? BRINK_URDF_HULLS : 0,
                                 .srdfPath = options->srdf,
                                 .packages = &options->package,
                                 .packageCount = options->package != NULL};
  job->info.structSize = sizeof job->info;
  if (brinkLoadUrdf(options->urdf, &urdf, &job->urdf, message, sizeof message) != brink_ok ||
      brinkLoadRobotScenes(options->scene, &job->scenes, message, sizeof message) != brink_ok)
    return complain(job, "", message);
  const brinkRobotScene *scene = NULL;
  for (size_t i = 0; i < job->scenes.count; ++i)
    if (scene == NULL && (options->sceneName == NULL || strcmp(job->scenes.scenes[i].name, options->sceneName) == 0))
      scene = &job->scenes.scenes[i];
  if (scene == NULL) return complain(job, options->scene, "it has no scene of that name");
  job->obstacleCount = scene->obstacleCount;
  job->obstacles = calloc(scene->obstacleCount + 1, sizeof *job->obstacles);
  brinkShapeId *shapes = calloc(scene->obstacleCount + 1, sizeof *shapes);
  bool good = job->obstacles != NULL && shapes != NULL &&
              job->plugin->createWorld(NULL, NULL, &job->world) == brink_ok &&
              brinkMakeRobot(job->world, job->urdf, NULL, &job->robot, message, sizeof message) == brink_ok &&
              brinkAddRobotScene(job->world, scene, job->obstacles, shapes, message, sizeof message) == brink_ok &&
              job->robots->info(job->robot, &job->info) == brink_ok;
  free(shapes);
  return good ? findEdges(job, options->edges) : complain(job, "", message);
}

static void closeJob(Job *job) {
  if (job->world != NULL) job->plugin->destroyWorld(job->world);
  brinkFreeRobotScenes(&job->scenes);
  brinkFreeUrdf(job->urdf);
  free(job->obstacles);
  free(job->edges);
  free(job->lower);
  free(job->upper);
}

/* ---- blocks */

/* OUTPUT.done: first line what was asked, then the numbers of written blocks. false: it belongs to another question. */
static bool readDone(const Job *job, const char *path, const char *title, uint8_t *done, size_t blocks) {
  FILE *file = fopen(path, "r");
  char line[2048];
  if (file == NULL) return true;
  bool good = fgets(line, sizeof line, file) == NULL || strcmp(line, title) == 0;
  while (good && fgets(line, sizeof line, file) != NULL) {
    unsigned long long block;
    if (strchr(line, '\n') != NULL && sscanf(line, "%llu", &block) == 1 && block < blocks) done[block] = 1;
  }
  fclose(file);
  return good || complain(job, path, "is of another question; remove it, and the output, to begin anew");
}

static long obstacleOf(const Job *job, brinkColliderId obstacle) {
  for (size_t i = 0; obstacle != 0 && i < job->obstacleCount; ++i)
    if (job->obstacles[i] == obstacle) return (long)i;
  return -1;
}

static void writeLine(const Job *job, const brinkEdgeAnswer *result, char *to) {
  static const char *const states[] = {"free", "hit", "overlap", "unresolved"};
  char text[LINE + 64];
  bool free = result->state == brink_free;
  int used =
      snprintf(text, sizeof text, "%-10s %.14g %.14g %ld %ld %ld", states[result->state & 3u], free ? 1.0 : result->toi,
               free ? 1.0 : result->toiUpper, result->first.linkA == BRINK_ROBOT_NONE ? -1L : (long)result->first.linkA,
               result->first.linkB == BRINK_ROBOT_NONE ? -1L : (long)result->first.linkB,
               obstacleOf(job, result->first.obstacle));
  memset(to, ' ', LINE);
  memcpy(to, text, (size_t)used < LINE - 1 ? (size_t)used : LINE - 1);
  to[LINE - 1] = '\n';
}

/* What the threads of a rank share. Each takes the next of the rank's blocks and does all of it, from its edges to its
 * lines in the file: threads meet only at the counter. */
typedef struct Work {
  const Job *job;
  const Options *options;
  const uint8_t *done; /* [blocks] of earlier runs */
  size_t blocks;
  int output, doneFile;
  atomic_size_t next; /* the rank's block, counted without the other ranks' */
  atomic_ullong asked;
  atomic_long written;
  atomic_bool failed;
} Work;

typedef struct Worker {
  Work *work;
  brinkRobotView *view;
  double *ends; /* [2][valueCount] */
  char *lines;  /* [BLOCK][LINE] */
  pthread_t thread;
  bool started;
} Worker;

static bool askEdge(const Worker *worker, size_t index, char *line) {
  const Job *job = worker->work->job;
  const size_t width = job->info.valueCount;
  const brinkEdgeQuery query = {.structSize = sizeof query,
                                .flags = worker->work->options->noSelf ? BRINK_EDGE_NO_SELF : 0};
  brinkEdgeAnswer answer = {.structSize = sizeof answer};
  const double *q0 = worker->ends, *q1 = worker->ends + width;
  if (job->edges == NULL) {
    randomEdge(job, index, worker->ends, worker->ends + width);
  } else {
    q0 = job->edges + 2 * index * width;
    q1 = q0 + width;
  }
  if (job->robots->edge(worker->view, q0, q1, &query, &answer) != brink_ok) {
    fprintf(stderr, "brink-mpi, rank %d: edge %zu: %s\n", job->rank, index + 1, job->robots->viewError(worker->view));
    return false;
  }
  writeLine(job, &answer, line);
  return true;
}

static bool askBlock(const Worker *worker, size_t block) {
  Work *work = worker->work;
  const size_t first = block * BLOCK, left = work->job->count - first, count = left < BLOCK ? left : BLOCK;
  for (size_t i = 0; i < count; ++i)
    if (!askEdge(worker, first + i, worker->lines + i * LINE)) return false;
  for (size_t at = 0; at < count * LINE;) {
    ssize_t wrote = pwrite(work->output, worker->lines + at, count * LINE - at, (off_t)(first * LINE + at));
    if (wrote < 0 && errno != EINTR) return complain(work->job, work->options->output, strerror(errno));
    if (wrote > 0) at += (size_t)wrote;
  }
  char text[32]; /* one write: lines of several threads and ranks stay whole */
  int used = snprintf(text, sizeof text, "%zu\n", block);
  if (write(work->doneFile, text, (size_t)used) != used) return complain(work->job, "done", strerror(errno));
  atomic_fetch_add(&work->asked, count);
  if (atomic_fetch_add(&work->written, 1) + 1 == work->options->stopAfter) _exit(3); /* as if this rank were lost */
  return true;
}

static void *askBlocks(void *user) {
  const Worker *worker = user;
  Work *work = worker->work;
  const size_t rank = (size_t)work->job->rank, size = (size_t)work->job->size;
  while (!atomic_load(&work->failed)) {
    const size_t block = rank + size * atomic_fetch_add(&work->next, 1);
    if (block >= work->blocks) break;
    if (!work->done[block] && !askBlock(worker, block)) atomic_store(&work->failed, true);
  }
  return NULL;
}

/* Threads are started once, and live until all blocks are asked. */
static bool askAll(Work *work) {
  const Job *job = work->job;
  const size_t count = (size_t)work->options->threads;
  Worker *workers = calloc(count, sizeof *workers);
  bool good = workers != NULL;
  for (size_t i = 0; good && i < count; ++i) {
    workers[i].work = work;
    workers[i].ends = calloc(2 * job->info.valueCount + 1, sizeof *workers[i].ends);
    workers[i].lines = malloc(BLOCK * LINE);
    good = workers[i].ends != NULL && workers[i].lines != NULL &&
           job->robots->createView(job->robot, &workers[i].view) == brink_ok;
  }
  if (!good) complain(job, "", "out of memory");
  for (size_t i = 1; good && i < count; ++i) /* one that cannot start leaves its work to the others */
    workers[i].started = pthread_create(&workers[i].thread, NULL, askBlocks, &workers[i]) == 0;
  if (good) askBlocks(&workers[0]);
  for (size_t i = 0; workers != NULL && i < count; ++i) {
    if (workers[i].started) pthread_join(workers[i].thread, NULL);
    free(workers[i].ends);
    free(workers[i].lines);
  }
  free(workers); /* their views go with the robot */
  return good && !atomic_load(&work->failed);
}

/* Of all threads: what other programs on the machine take does not count. */
static double processorSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool run(Job *job, const Options *options) {
  char donePath[2048], title[1024];
  const size_t blocks = (job->count + BLOCK - 1) / BLOCK;
  snprintf(donePath, sizeof donePath, "%s.done", options->output);
  snprintf(title, sizeof title, "brink-mpi %s %s %s %zu %d\n", options->urdf, options->scene, options->edges,
           job->count, (int)options->noSelf);
  uint8_t *done = calloc(blocks + 1, 1);
  bool good = done != NULL && readDone(job, donePath, title, done, blocks);
  MPI_Barrier(MPI_COMM_WORLD); /* all have read before one writes */
  int doneFile = good ? open(donePath, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
  if (good && job->rank == 0 && lseek(doneFile, 0, SEEK_END) == 0)
    good = write(doneFile, title, strlen(title)) == (ssize_t)strlen(title);
  MPI_Barrier(MPI_COMM_WORLD); /* the title stands first */
  int output = good ? open(options->output, O_WRONLY | O_CREAT, 0666) : -1;
  if (good && (output < 0 || doneFile < 0)) good = complain(job, options->output, strerror(errno));
  unsigned long long asked = 0, all = 0;
  double start = MPI_Wtime(), before = processorSeconds();
  Work work = {.job = job, .options = options, .done = done, .blocks = blocks, .output = output, .doneFile = doneFile};
  if (good) good = askAll(&work);
  asked = atomic_load(&work.asked);
  double seconds = MPI_Wtime() - start, longest = 0.0, spent = processorSeconds() - before, spentInAll = 0.0;
  int mine = good, every = 0;
  MPI_Allreduce(&mine, &every, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Reduce(&asked, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&spent, &spentInAll, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (output >= 0 && every && job->rank == 0 && ftruncate(output, (off_t)(job->count * LINE)) != 0) every = 0;
  if (output >= 0) close(output);
  if (doneFile >= 0) close(doneFile);
  if (every && job->rank == 0) {
    unlink(donePath);
    printf(
        "%zu edges, %llu asked now, %d ranks of %ld threads: %.3f s, %.0f edges a second; %.3f s of processor time\n",
        job->count, all, job->size, options->threads, longest, longest > 0.0 ? (double)all / longest : 0.0, spentInAll);
  }
  free(done);
  return every != 0;
}

/* ---- options */

enum { OPTION_SRDF = 256, OPTION_PACKAGE, OPTION_HULLS, OPTION_NO_SELF, OPTION_THREADS, OPTION_SCENE, OPTION_STOP };

static const struct argp_option optionList[] = {
    {"srdf", OPTION_SRDF, "FILE", 0, "Pairs of links that need no check", 0},
    {"package", OPTION_PACKAGE, "NAME=DIR", 0, "Where the meshes are", 0},
    {"hulls", OPTION_HULLS, 0, 0, "Take meshes as their convex hulls", 0},
    {"no-self", OPTION_NO_SELF, 0, 0, "Links against obstacles only", 0},
    {"scene", OPTION_SCENE, "NAME", 0, "The scene of this name [the first]", 0},
    {"threads", OPTION_THREADS, "N", 0, "Threads of each rank [1]", 0},
    {"stop-after", OPTION_STOP, "N", OPTION_HIDDEN, "Each rank dies after N blocks (a test of going on)", 0},
    {0}};

static error_t parseOption(int key, char *argument, struct argp_state *state) {
  Options *options = state->input;
  const char **const places[4] = {&options->urdf, &options->scene, &options->edges, &options->output};
  switch (key) {
    case OPTION_SRDF:
      options->srdf = argument;
      return 0;
    case OPTION_PACKAGE:
      options->package = argument;
      return 0;
    case OPTION_SCENE:
      options->sceneName = argument;
      return 0;
    case OPTION_HULLS:
      options->hulls = true;
      return 0;
    case OPTION_NO_SELF:
      options->noSelf = true;
      return 0;
    case OPTION_STOP:
      options->stopAfter = atol(argument);
      return 0;
    case OPTION_THREADS:
      options->threads = atol(argument);
      if (options->threads < 1 || options->threads > 1024) argp_error(state, "--threads: 1 to 1024");
      return 0;
    case ARGP_KEY_ARG:
      if (state->arg_num >= 4) argp_error(state, "too many arguments");
      *places[state->arg_num] = argument;
      return 0;
    case ARGP_KEY_END:
      if (state->arg_num < 4) argp_error(state, "ROBOT SCENE EDGES OUTPUT are wanted");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static void printVersion(FILE *stream, struct argp_state *state) {
  (void)state;
  fprintf(stream, "brink-mpi %s\n", brinkEntry(BRINK_ABI_MAJOR, NULL)->version);
}

int main(int argc, char **argv) {
  Options options = {.threads = 1};
  Job job = {0};
  int threads; /* those of --threads do not call MPI */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.size);
  const struct argp parser = {.options = optionList,
                              .parser = parseOption,
                              .args_doc = "ROBOT.urdf SCENE EDGES OUTPUT",
                              .doc =
                                  "Edges of a roadmap, proven on many ranks.\vEDGES is a file of two configurations "
                                  "an edge, or random:N:SEED. A run that was cut short goes on when it is started "
                                  "again.\n\nExample:\n  mpirun -n 2 brink-mpi arm.urdf shelf.txt "
                                  "random:1000000:1 out.txt"};
  argp_program_version_hook = printVersion;
  argp_parse(&parser, argc, argv, 0, NULL, &options);
  int mine = openJob(&job, &options), every = 0;
  MPI_Allreduce(&mine, &every, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  bool good = every && run(&job, &options);
  closeJob(&job);
  MPI_Finalize();
  return good ? 0 : 1;
}
