/* SPDX-License-Identifier: BSD-3-Clause */
/* Row 9: ODE's own demos, without a window, at 1, 3 and 8 times their step, plain and under the preload. The demos come
 * from Debian's source package (tests/programs/ode_demos.sh); where it cannot be had the row is skipped and says so.
 * --folder: an unpacked ODE. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "row.h"

#define FOLDER BRINK_BINARY_DIR "/ode_demos"
#define PRELOAD BRINK_BINARY_DIR "/lib/libbrink_preload.so"
#define SCRIPT BRINK_SOURCE_DIR "/tests/programs/ode_demos.sh"
#define ENERGY 1.1
#define LEAST_ENERGY 0.01 /* J */
#define LOST_SHARE 0.005
#define SLOWER 60      /* times plain ODE's time limit: a hang */
#define PLAIN_LIMIT 20 /* s */
#define MOVED_STARTS 24
#define FIRST_STARTS 8 /* may be enough */
#define MOST_KINDS 4096

typedef struct demo {
  const char *name, *keys; /* typed every ten frames */
} demo;

/* Not here: demo_ode, demo_collision, demo_space, demo_space_stress and demo_joints, which are tests without a
 * simulation to look at. */
static const demo demos[] = {{"demo_I", ""},
                             {"demo_basket", ""},
                             {"demo_boxstack", "bscxybbsc"},
                             {"demo_buggy", "aaaa,,a.."},
                             {"demo_cards", ""},
                             {"demo_chain1", ""},
                             {"demo_chain2", ""},
                             {"demo_convex", "  "},
                             {"demo_crash", "aaaaaa,."},
                             {"demo_cyl", ""},
                             {"demo_cylvssphere", ""},
                             {"demo_dball", ""},
                             {"demo_dhinge", ""},
                             {"demo_feedback", ""},
                             {"demo_friction", ""},
                             {"demo_gyro2", ""},
                             {"demo_gyroscopic", ""},
                             {"demo_heightfield", "bscxbsc"},
                             {"demo_hinge", ""},
                             {"demo_jointPR", "sdsd"},
                             {"demo_jointPU", "sdsd"},
                             {"demo_kinematic", ""},
                             {"demo_motion", "bscbsc"},
                             {"demo_motor", "1234"},
                             {"demo_moving_convex", "vbscv"},
                             {"demo_moving_trimesh", "mbscm"},
                             {"demo_piston", "fr"},
                             {"demo_plane2d", ""},
                             {"demo_rfriction", ""},
                             {"demo_slider", ""},
                             {"demo_step", ""},
                             {"demo_tracks", "aa,."},
                             {"demo_transmission", ""},
                             {"demo_trimesh", "bscmbs"}};
enum { demoCount = (int)(sizeof demos / sizeof *demos), scaleCount = 3 };
static const int scales[scaleCount] = {1, 3, 8};

typedef struct outcome {
  int status; /* exit status; 128 + signal; 124: too long */
  long steps, clamps;
  double energy, lost, time;
  int finite;
  int through;
} outcome;

static int countGroups(const rowOptions *options) {
  (void)options;
  return demoCount * scaleCount;
}

static void labelGroup(int group, char *text, int capacity) {
  snprintf(text, (size_t)capacity, "%s, %d times its step", demos[group / scaleCount].name, scales[group % scaleCount]);
}

/* 0: built; 3: the source cannot be had. */
static int buildDemos(const rowOptions *options, rowResult *out) {
  char command[2048], line[ROW_TEXT] = "", last[ROW_TEXT] = "";
  if (access(FOLDER "/built", R_OK) == 0) return 0;
  snprintf(command, sizeof command, "sh '%s' '%s' '%s' >'%s.log' 2>&1", SCRIPT, FOLDER,
           options->folder != NULL ? options->folder : "", FOLDER);
  int status = system(command);
  FILE *log = fopen(FOLDER ".log", "r");
  while (log != NULL && fgets(line, sizeof line, log) != NULL) memcpy(last, line, sizeof last);
  if (log != NULL) fclose(log);
  last[strcspn(last, "\n")] = '\0';
  if (status != 0) row_Say(out, "%s", last[0] != '\0' ? last : "the demos could not be built");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Crossings of kinds that ever make contacts, as the judge tells them; `plain` counts for what makes contacts too. */
static int countThrough(const char *logs[2]) {
  static char wanted[MOST_KINDS][80];
  char word[16], a[32], b[32], pair[80];
  int wantedCount = 0, through = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < 2; ++i) {
      FILE *file = fopen(logs[i], "r");
      while (file != NULL && fscanf(file, "%15s %31s %31s", word, a, b) == 3) {
        snprintf(pair, sizeof pair, "%s %s", a, b);
        if (pass == 0 && strcmp(word, "wanted") == 0 && wantedCount < MOST_KINDS)
          snprintf(wanted[wantedCount++], sizeof *wanted, "%s", pair);
        bool known = false;
        for (int k = 0; pass == 1 && i == 1 && strcmp(word, "crossed") == 0 && k < wantedCount && !known; ++k)
          known = strncmp(wanted[k], pair, sizeof *wanted - 1) == 0;
        through += known;
      }
      if (file != NULL) fclose(file);
    }
  return through;
}

/* The world's totals in Brink's log: "... N steps, N impacts, N clamps, X s lost, ...". */
static void readLog(const char *path, outcome *out) {
  char line[1024];
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    const char *at = strstr(line, " steps, ");
    long impacts, clamps;
    double lost;
    if (at == NULL || sscanf(at, " steps, %ld impacts, %ld clamps, %lf s lost", &impacts, &clamps, &lost) != 3)
      continue;
    out->clamps = clamps;
    out->lost = lost;
  }
  if (file != NULL) fclose(file);
}

/* start: 0, or the number of one in which bodies begin elsewhere by a hair (drawstuff_stub.c). */
static outcome runDemo(const demo *chosen, int scale, int frames, bool withBrink, int start, const char *scratch) {
  outcome out = {0};
  char command[4096], line[1024];
  snprintf(
      command, sizeof command,
      "cd '%s' && JUDGE_LOG=judge.%d BRINK_LOG=brink.log DEMO_FRAMES=%d DEMO_SCALE=%d DEMO_KEYS='%s' DEMO_MOVED=%d "
      "LD_PRELOAD='%s/judge.so%s' timeout -k 2 %d '%s/%s' </dev/null 2>err.%d; echo status $?",
      scratch, withBrink, frames, scale, chosen->keys, start, FOLDER, withBrink ? ":" PRELOAD : "",
      withBrink ? SLOWER + PLAIN_LIMIT : PLAIN_LIMIT, FOLDER, chosen->name, withBrink);
  FILE *run = popen(command, "r");
  while (run != NULL && fgets(line, sizeof line, run) != NULL) {
    sscanf(line, "end: steps %ld energy %lf finite %d time %lf", &out.steps, &out.energy, &out.finite, &out.time);
    sscanf(line, "status %d", &out.status);
  }
  if (run != NULL) pclose(run);
  if (withBrink) {
    snprintf(line, sizeof line, "%s/brink.log", scratch);
    readLog(line, &out);
  }
  return out;
}

static bool isTooLoud(const outcome *plain, const outcome *with) {
  return plain->status == 0 && with->status == 0 && !(with->energy <= ENERGY * plain->energy + LEAST_ENERGY);
}

static double lostShare(const outcome *with) { return with->time > 0 ? with->lost / with->time : 0; }

/* The largest kinetic energy of a run hangs on chance: on how many bodies fall off a platform at once, on numbers that
 * some demos draw without a seed. So does the time lost, in a heap in which something may get wedged. So where either
 * lies too high, starts that count as the same one decide, in the mean. */
static void runMoved(const demo *chosen, int scale, int frames, const char *scratch, outcome *plain, outcome *with) {
  double sums[2] = {0, 0}, lost = 0;
  int done = 0;
  for (int start = 1;
       start <= MOVED_STARTS && (done != FIRST_STARTS || isTooLoud(plain, with) || lostShare(with) > LOST_SHARE);
       ++start) {
    const outcome two[2] = {runDemo(chosen, scale, frames, false, start, scratch),
                            runDemo(chosen, scale, frames, true, start, scratch)};
    if (two[0].status != 0 || two[1].status != 0) continue;
    sums[0] += two[0].energy;
    sums[1] += two[1].energy;
    lost += lostShare(&two[1]) * with->time;
    done++;
    plain->energy = sums[0] / done;
    with->energy = sums[1] / done;
    with->lost = lost / done;
  }
}

static void runGroup(int group, const rowOptions *options, rowResult *out) {
  const demo *chosen = &demos[group / scaleCount];
  int scale = scales[group % scaleCount], frames = row_Seeds(options, 300, 40);
  char scratch[] = BRINK_BINARY_DIR "/demo-XXXXXX", logs[2][200], path[200];
  out->skipped = true;
  if (access(PRELOAD, R_OK) != 0) {
    row_Say(out, "libbrink_preload.so is not built");
    return;
  }
  int built = buildDemos(options, out);
  if (built != 0) {
    if (built != 3) row_Fail(out, options, "tests/programs/ode_demos.sh ended with %d", built);
    return;
  }
  snprintf(path, sizeof path, "%s/%s", FOLDER, chosen->name);
  if (access(path, X_OK) != 0) {
    row_Say(out, "not built from this source");
    return;
  }
  if (mkdtemp(scratch) == NULL) return;
  out->skipped = false;
  outcome plain = runDemo(chosen, scale, frames, false, 0, scratch),
          with = runDemo(chosen, scale, frames, true, 0, scratch);
  for (int i = 0; i < 2; ++i) snprintf(logs[i], sizeof logs[i], "%s/judge.%d", scratch, i);
  with.through = countThrough((const char *[2]){logs[0], logs[1]});
  plain.through = countThrough((const char *[2]){logs[1], logs[0]});
  const bool moved = isTooLoud(&plain, &with) || lostShare(&with) > LOST_SHARE;
  if (moved) runMoved(chosen, scale, frames, scratch, &plain, &with);
  out->cases++;
  const double share = lostShare(&with);
  row_Say(out, "energy %.4g J, plain %.4g%s; through %d, plain %d; lost %.3g %%, clamps %ld; %ld steps", with.energy,
          plain.energy, moved ? " in the mean of moved starts" : "", with.through, plain.through, 100 * share,
          with.clamps, with.steps);
  if (plain.status != 0 && with.status != 0)
    row_Say(out, "; both end with %d and %d", plain.status, with.status);
  else if (with.status != 0)
    row_Fail(out, options, "ends with %d, plain ODE does not", with.status);
  if (isTooLoud(&plain, &with) || (plain.status == 0 && with.status == 0 && plain.finite && !with.finite))
    row_Fail(out, options, "kinetic energy %.4g J, plain %.4g", with.energy, plain.energy);
  if (with.through > 0) row_Fail(out, options, "%d led through", with.through);
  if (share > LOST_SHARE) row_Fail(out, options, "lost %.3g s of %.3g", with.lost, with.time);
  snprintf(path, sizeof path, "rm -rf '%s'", scratch);
  if (system(path) != 0) return;
}

const row demosRow = {ROW_OF_GROUPS(
    9, "ode-demos", "no crash, hang or kinetic energy (1.1x) that plain ODE lacks; 0 led through; lost <= 0.5 %")};
