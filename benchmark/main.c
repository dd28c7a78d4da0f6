/* SPDX-License-Identifier: BSD-3-Clause */
/* brink-bench: the eight rows of the paper's Tables 1 and 2, each by three settings (the paper's scheme with Taylor
 * models of order 3, the same with interval arithmetic, the library's default), beside the paper's own figures.
 *
 * Columns as in [CATCH] Tables 1 and 2: T_a all frames, T_f collision-free, T_c colliding, T_w worst, ms; link pairs
 * before and after spatial culling, after temporal culling, both rates in percent. Each frame's time is the minimum
 * over its repeats. The paper's times are a Pentium 4's at 3.6 GHz on the authors' own models and motions: what can be
 * compared with them are rates and ratios, not milliseconds. Frames are asked in passes: each once, then all again;
 * asking one many times in a row (--hot) finds its memory near, and flatters. Based on: [CATCH] Sec. 8, Tables 1 and 2,
 * Fig. 5. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "brink/ccd.h"
#include "measure.h"
#include "cooking.h"
#include "crew.h"
#include "large.h"
#include "moving.h"
#include "options.h"
#include "pairs.h"
#include "peer.h"
#include "plans.h"
#include "robots.h"
#include "threads.h"
#include "toleranced.h"
#include "sizes.h"
#ifdef BRINK_BENCH_HAS_SCENES
#include "exhibit.h"
#include "overhead.h"
#include "recorded.h"
#include "soak.h"
#endif

#define EPSILON 1e-3 /* m; [CATCH] Sec. 8.1 */

typedef struct Published { /* [CATCH] Tables 1 and 2; 0 = not given */
  const char *scene, *label;
  uint32_t mode;
  double all, free, contact, worst, before, spatial, spatialRate, temporal, temporalRate;
} Published;

static const Published rows[BRINK_PAPER_SCENES] = {
    {"walk", "Walk", brink_modeFirst, 1.22, 0.67, 3.63, 7.64, 229, 8.4, 96.3, 0.11, 98.7},
    {"exercise", "Exercise", brink_modeFirst, 0.38, 0.28, 1.69, 4.54, 81, 3.0, 96.3, 0.086, 97.1},
    {"excavator_drive", "Excavator, Fig. 9(b)", brink_modeBoolean, 780, 150, 820, 3400, 0, 0, 0, 0, 0},
    {"excavator_load", "Excavator, Fig. 9(c)", brink_modeBoolean, 100, 75, 120, 980, 0, 0, 0, 0, 0},
    {"crane_slew", "Tower crane, Fig. 10(b)", brink_modeBoolean, 5.66, 1.32, 11.1, 134, 0, 0, 0, 0, 0},
    {"crane_pipe", "Tower crane, Fig. 10(c)", brink_modeBoolean, 15.1, 2.90, 27.3, 211, 0, 0, 0, 0, 0},
    {"four_trains", "Four trains", brink_modeFirst, 535, 454, 2600, 4300, 179574, 34.5, 99.9, 3.3, 90.4},
    {"falling_train", "Falling train", brink_modeFirst, 274, 259, 294, 1300, 137, 18.2, 86.7, 11.3, 37.9},
};

typedef struct Setting {
  const char *label;
  uint32_t scheme, order;
} Setting;

static const Setting settings[] = {
    {"paper, Taylor order 3", brink_schemePaper, 3},
    {"paper, order 0 (intervals)", brink_schemePaper, 0},
    {"default (swept axes)", brink_schemeDefault, 3},
};
enum { settingCount = (int)(sizeof settings / sizeof *settings) };

typedef struct Options {
  const char *directory, *markdownPath, *peer, *demo, *robot;
  const char *names[16];
  int nameCount;
  bool write, replay, bodies, toleranced, plans, overhead, sizes, meshes, hot;
  const char *pairs;
  bool moving, onlyDefault;
  int side, threads; /* side: of the meshes of --cook */
  int frames, repeats, edges, samples;
  double tolerance;
} Options;

static double Rate(double before, double after) { return before > 0 ? 100 * (1 - after / before) : 0; }

/* ---- tables */

static void PrintColumns(void) {
  printf("%-28s %9s %9s %9s %9s %5s %7s | %9s %8s %6s %8s %6s | %9s %9s %9s\n", "", "T_a", "T_f", "T_c", "T_w", "hits",
         "at 0", "before", "spatial", "rate", "temporal", "rate", "steps", "distances", "nodes");
}

static void PrintHead(const char *label, const char *mode, const replayData *replay, int frames,
                      const Options *options) {
  printf("\n%s: %d links, %zu triangles in %d objects, %d frames, %s, eps %g m, %s\n", label, replay->bodyCount,
         replay->triangleCount, replay->colliderCount, frames, mode, options->tolerance,
         options->hot ? "HOT: each frame asked many times in a row" : "in passes over all frames");
  PrintColumns();
}

static void PrintRow(const char *label, const benchRow *row) {
  printf("%-28s %9.4f %9.4f %9.4f %9.4f %5d %7d | %9.0f %8.2f %5.1f%% %8.2f %5.1f%% | %9.1f %9.1f %9.1f\n", label,
         row->all, row->free, row->contact, row->worst, row->contacts, row->overlaps, row->pairsBefore,
         row->pairsSpatial, Rate(row->pairsBefore, row->pairsSpatial), row->pairsTemporal,
         Rate(row->pairsSpatial, row->pairsTemporal), row->advancements, row->distanceQueries, row->nodePairs);
  if (row->unresolved > 0) printf("%-28s %d frames unresolved\n", "", row->unresolved);
}

static void PrintPublished(const Published *published) {
  printf("%-28s %9.4g %9.4g %9.4g %9.4g %5s %7s |", "published (2007)", published->all, published->free,
         published->contact, published->worst, "", "");
  if (published->before > 0)
    printf(" %9.0f %8.1f %5.1f%% %8.3g %5.1f%% |", published->before, published->spatial, published->spatialRate,
           published->temporal, published->temporalRate);
  else
    printf(" %9s %8s %6s %8s %6s |", "-", "-", "-", "-", "-");
  printf("\n");
}

/* ---- Markdown: the two tables of the paper and Fig. 5's claim */

typedef struct Result {
  const Published *published;
  benchRow rows[settingCount];
} Result;

static void WriteMarkdown(FILE *out, const Result *results, int count) {
  fprintf(out, "Times in ms a frame, each frame the minimum over its repeats.\n\n");
  fprintf(out,
          "| Benchmark | Setting | T_a | T_f | T_c | T_w | frames | hits (at t = 0) | steps | distances | nodes |\n");
  fprintf(out, "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < count; ++i) {
    const Published *published = results[i].published;
    for (int k = 0; k < settingCount; ++k) {
      const benchRow *row = &results[i].rows[k];
      fprintf(out, "| %s | %s | %.3f | %.3f | %.3f | %.3f | %d | %d (%d) | %.1f | %.1f | %.1f |\n",
              k == 0 ? published->label : "", settings[k].label, row->all, row->free, row->contact, row->worst,
              row->frames, row->contacts, row->overlaps, row->advancements, row->distanceQueries, row->nodePairs);
    }
    fprintf(out, "| | *published (2007)* | *%.4g* | *%.4g* | *%.4g* | *%.4g* | | | | | |\n", published->all,
            published->free, published->contact, published->worst);
  }
  fprintf(out, "\nLink pairs a frame.\n\n");
  fprintf(out,
          "| Benchmark | before | after spatial | rate | after temporal | rate | after spatial, order 0 | "
          "after spatial and temporal, default | *published: before, spatial, rate, temporal, rate* |\n"
          "|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < count; ++i) {
    const Published *published = results[i].published;
    const benchRow *row = &results[i].rows[0], *intervals = &results[i].rows[1], *chosen = &results[i].rows[2];
    fprintf(out, "| %s | %.0f | %.2f | %.2f %% | %.2f | %.1f %% | %.2f | %.2f (%.2f %%), %.2f | ", published->label,
            row->pairsBefore, row->pairsSpatial, Rate(row->pairsBefore, row->pairsSpatial), row->pairsTemporal,
            Rate(row->pairsSpatial, row->pairsTemporal), intervals->pairsSpatial, chosen->pairsSpatial,
            Rate(chosen->pairsBefore, chosen->pairsSpatial), chosen->pairsTemporal);
    if (published->before > 0)
      fprintf(out, "*%.0f, %.1f, %.1f %%, %.3g, %.1f %%* |\n", published->before, published->spatial,
              published->spatialRate, published->temporal, published->temporalRate);
    else
      fprintf(out, "*not given* |\n");
  }
}

/* ---- rows */

static bool MakeFolders(const char *path) {
  char prefix[1024];
  for (size_t i = 1; i < sizeof prefix; ++i) {
    if (path[i - 1] == '\0') return true;
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(prefix, path, i);
    prefix[i] = '\0';
    if (mkdir(prefix, 0777) != 0 && errno != EEXIST) {
      fprintf(stderr, "brink-bench: %s: %s\n", prefix, strerror(errno));
      return false;
    }
  }
  return false;
}

static replayData *LoadReplay(const char *scenePath, const char *motionPath) {
  char message[512] = "";
  replayData *replay = replay_Load(scenePath, motionPath, message, sizeof message);
  if (replay == NULL) fprintf(stderr, "brink-bench: %s\n", message);
  return replay;
}

static bool MeasureSettings(const replayData *replay, uint32_t mode, bool separateBodies, const Options *options,
                            benchRow *out) {
  char message[512] = "";
  for (int k = options->onlyDefault ? settingCount - 1 : 0; k < settingCount; ++k) {
    const benchAsk ask = {.scheme = settings[k].scheme,
                          .mode = mode,
                          .order = settings[k].order,
                          .separateBodies = separateBodies,
                          .tolerance = options->tolerance,
                          .frames = options->frames,
                          .repeats = options->repeats,
                          .hot = options->hot};
    if (!bench_Measure(replay, &ask, NULL, NULL, &out[k], message, sizeof message)) {
      fprintf(stderr, "brink-bench: %s: %s\n", settings[k].label, message);
      return false;
    }
    PrintRow(settings[k].label, &out[k]);
    fflush(stdout);
  }
  return true;
}

static int AskedFrames(const replayData *replay, const Options *options) {
  return options->frames > 0 && options->frames < replay->frameCount ? options->frames : replay->frameCount;
}

static bool RunPaperRow(const Published *published, const Options *options, Result *result) {
  char message[512] = "", scenePath[1200], motionPath[1200];
  if (brinkWritePaperScene(published->scene, options->directory, message, sizeof message) != brink_ok) {
    fprintf(stderr, "brink-bench: %s\n", message);
    return false;
  }
  snprintf(scenePath, sizeof scenePath, "%s/%s.scene", options->directory, published->scene);
  snprintf(motionPath, sizeof motionPath, "%s/%s.motion", options->directory, published->scene);
  replayData *replay = LoadReplay(scenePath, motionPath);
  if (replay == NULL) return false;
  *result = (Result){.published = published};
  PrintHead(published->label, published->mode == brink_modeBoolean ? "yes or no" : "first contact", replay,
            AskedFrames(replay, options), options);
  const bool good = MeasureSettings(replay, published->mode, false, options, result->rows);
  replay_Free(replay);
  if (!good) return false;
  PrintPublished(published);
  for (int k = 0; published->before > 0 && k < settingCount; ++k) {
    const double rate = Rate(result->rows[k].pairsBefore, result->rows[k].pairsSpatial);
    printf("spatial culling rate, %s: %.2f %%, %s the published %.1f %%\n", settings[k].label, rate,
           rate + 0.05 >= published->spatialRate ? "at or above" : "BELOW",
           published->spatialRate);  // rounded as printed there
  }
  return true;
}

static const Published *FindRow(const char *name) {
  for (int i = 0; i < BRINK_PAPER_SCENES; ++i)
    if (strcmp(rows[i].scene, name) == 0) return &rows[i];
  fprintf(stderr, "brink-bench: no scene '%s'; there are:", name);
  for (int i = 0; brinkPaperSceneName(i) != NULL; ++i) fprintf(stderr, " %s", brinkPaperSceneName(i));
  fprintf(stderr, "\n");
  return NULL;
}

static FILE *OpenMarkdown(const Options *options) {
  FILE *file = fopen(options->markdownPath, "w");
  if (file == NULL) fprintf(stderr, "brink-bench: %s: %s\n", options->markdownPath, strerror(errno));
  return file;
}

static int RunPaperRows(const Options *options) {
  Result results[BRINK_PAPER_SCENES];
  const Published *chosen[BRINK_PAPER_SCENES];
  int count = options->nameCount > 0 ? options->nameCount : BRINK_PAPER_SCENES, done = 0;
  if (count > BRINK_PAPER_SCENES) count = BRINK_PAPER_SCENES;
  for (int i = 0; i < count; ++i) {
    chosen[i] = options->nameCount > 0 ? FindRow(options->names[i]) : &rows[i];
    if (chosen[i] == NULL) return 2;
  }
  if (!MakeFolders(options->directory)) return 1;
  for (int i = 0; i < count; ++i)
    if (RunPaperRow(chosen[i], options, &results[done])) ++done;
  if (options->markdownPath != NULL) {
    FILE *file = OpenMarkdown(options);
    if (file == NULL) return 1;
    WriteMarkdown(file, results, done);
    if (fclose(file) != 0) return 1;
  }
  return done == count ? 0 : 1;
}

static replayData *LoadPaperScene(const Published *row, const Options *options) {
  char message[512] = "", scenePath[1200], motionPath[1200];
  if (brinkWritePaperScene(row->scene, options->directory, message, sizeof message) != brink_ok) {
    fprintf(stderr, "brink-bench: %s\n", message);
    return NULL;
  }
  snprintf(scenePath, sizeof scenePath, "%s/%s.scene", options->directory, row->scene);
  snprintf(motionPath, sizeof motionPath, "%s/%s.motion", options->directory, row->scene);
  return LoadReplay(scenePath, motionPath);
}

/* The frames of each scene in batches, then (large) as many sites of the first one at once; and the crowd. */
static int RunThreads(const Options *options) {
  static const char *const usual[] = {"excavator_drive", "excavator_load", "crane_slew", "crane_pipe"};
  const bool crowd = options->nameCount == 1 && strcmp(options->names[0], "crowd") == 0;
  const int count = crowd ? 0 : options->nameCount > 0 ? options->nameCount : (int)(sizeof usual / sizeof *usual);
  const uint32_t threads = (uint32_t)options->threads;
  if (!MakeFolders(options->directory)) return 1;
  if (!crowd) threads_PrintHead(threads);
  for (int i = 0; i <= count; ++i) {
    const bool large = i == count;
    if (large) large_PrintHead(threads);
    if (crowd) break;
    const Published *row = FindRow(options->nameCount > 0 ? options->names[large ? 0 : i] : usual[large ? 0 : i]);
    if (row == NULL) return 2;
    replayData *replay = LoadPaperScene(row, options);
    if (replay == NULL) return 1;
    const benchAsk ask = {
        .scheme = brink_schemeDefault, .mode = row->mode, .order = 3, .tolerance = options->tolerance};
    const bool good = large ? large_RunSites(row->label, replay, threads, options->repeats, options->tolerance)
                            : threads_Run(row->label, replay, &ask, threads, options->repeats);
    replay_Free(replay);
    if (!good) return 1;
  }
  return large_RunCrowd(threads, options->repeats) ? 0 : 1;
}

static int WriteReplays(const Options *options) {
  const int count = options->nameCount > 0 ? options->nameCount : BRINK_PAPER_SCENES;
  if (!MakeFolders(options->directory)) return 1;
  for (int i = 0; i < count; ++i) {
    const Published *row = options->nameCount > 0 ? FindRow(options->names[i]) : &rows[i];
    if (row == NULL) return 2;
    char message[512] = "";
    if (brinkWritePaperScene(row->scene, options->directory, message, sizeof message) != brink_ok) {
      fprintf(stderr, "brink-bench: %s\n", message);
      return 1;
    }
    printf("%s/%s.scene %s/%s.motion\n", options->directory, row->scene, options->directory, row->scene);
  }
  return 0;
}

static int RunReplay(const Options *options) {
  replayData *replay = LoadReplay(options->names[0], options->names[1]);
  if (replay == NULL) return 1;
  int status = 0;
  if (options->peer != NULL) {
    FILE *markdown = options->markdownPath != NULL ? OpenMarkdown(options) : NULL;
    status = options->markdownPath != NULL && markdown == NULL
                 ? 1
                 : peer_Compare(options->peer, replay, options->tolerance, options->frames, options->repeats, markdown);
    if (markdown != NULL) fclose(markdown);
  } else {
    benchRow out[settingCount];
    PrintHead(options->names[0], options->bodies ? "each body on its own" : "chains", replay,
              AskedFrames(replay, options), options);
    status = MeasureSettings(replay, brink_modeFirst, options->bodies, options, out) ? 0 : 1;
  }
  replay_Free(replay);
  return status;
}

#ifdef BRINK_BENCH_HAS_SCENES
/* A question without an engine as a whole, or a throw of the soak from seed 0, plain and with Brink: the fastest of the
 * repeats. */
static int TimeRow(const demoRow *row, const Options *options) {
  double best[2] = {INFINITY, INFINITY};
  for (int i = 0; i < options->repeats; ++i)
    for (int withBrink = 0; withBrink < 2; ++withBrink) {
      const double start = bench_Now();
      soakRun run = {0};
      if (row->soak != NULL) soak_Run(row->soak, 0, false, withBrink ? soakBrink : soakPlain, &run);
      if (run.failed > 0) return 1;
      if (row->exhibit != NULL && withBrink && demoExhibit_Run(row->exhibit, "out/assets", false, NULL) != 0) return 1;
      best[withBrink] = fmin(best[withBrink], bench_Now() - start);
    }
  if (row->soak != NULL)
    printf("%s, %d frames: %.3f ms a frame in plain ODE, %.3f ms with Brink\n", row->soak->name, row->soak->frames,
           best[0] / row->soak->frames, best[1] / row->soak->frames);
  else
    printf("%s: %.1f ms for all its questions\n", row->exhibit->name, best[1]);
  return 0;
}

static int RunDemo(const Options *options) {
  const demoRow *row = demoFindRow(options->demo);
  if (row == NULL) {
    fprintf(stderr, "brink-bench: no demo '%s'\n", options->demo);
    return 2;
  }
  if (row->scene == NULL) return TimeRow(row, options);
  const demoSceneDef *def = row->scene;
  char message[512] = "";
  const int frames = options->frames > 0 && options->frames < def->frames ? options->frames : def->frames;
  if (!MakeFolders("out/assets")) return 1;
  recordedScene *recorded = recorded_Make(def, frames, "out/assets", message, sizeof message);
  bool good = recorded != NULL;
  if (good)
    printf("\ndemo %s as it ran in ODE with Brink: %d frames, first contact, eps %g m\n", def->name, frames,
           options->tolerance);
  if (good) PrintColumns();
  for (int k = 0; good && k < settingCount; ++k) {
    benchRow columns;
    good = recorded_Ask(recorded, settings[k].order, settings[k].scheme, options->tolerance, options->repeats, &columns,
                        message, sizeof message);
    if (good) PrintRow(settings[k].label, &columns);
  }
  recorded_Free(recorded);
  if (!good) fprintf(stderr, "brink-bench: %s: %s\n", def->name, message);
  return good ? 0 : 1;
}

static int RunOverhead(const Options *options) {
  FILE *markdown = options->markdownPath != NULL ? OpenMarkdown(options) : NULL;
  if (options->markdownPath != NULL && markdown == NULL) return 1;
  const int status = overhead_Run(options->nameCount > 0 ? options->names[0] : NULL, options->frames, markdown);
  if (markdown != NULL) fclose(markdown);
  return status;
}
#else
static int RunOverhead(const Options *options) {
  (void)options;
  fprintf(stderr, "brink-bench: this build has no ODE, so no --overhead\n");
  return 2;
}

static int RunDemo(const Options *options) {
  fprintf(stderr, "brink-bench: this build has no demos, so no '%s'\n", options->demo);
  return 2;
}
#endif

static int RunSizes(const Options *options) {
  FILE *markdown = options->markdownPath != NULL ? OpenMarkdown(options) : NULL;
  if (options->markdownPath != NULL && markdown == NULL) return 1;
  const int status = sizes_Run(options->repeats, markdown);
  if (markdown != NULL) fclose(markdown);
  return status;
}

/* ---- options */

enum { OPTION_QUICK = 256, OPTION_WRITE, OPTION_PEER };

#define COUNT(name, field, help) BRINK_WHOLE(name, brink_setInt, 1, 1000000, Options, field, help)
static const brinkOption optionRows[] = {
    BRINK_OWN("quick", NULL, OPTION_QUICK, "47 frames of each scene, each asked once"),
    COUNT("frames", frames, "N frames of each scene, spread evenly [all]"),
    COUNT("repeat", repeats, "N passes over all frames, the fastest of each counts [5]"),
    BRINK_FLAG("hot", Options, hot, "Ask each frame N times in a row instead of in passes: caches flatter"),
    BRINK_FLAG("default", Options, onlyDefault, "The library's default alone, not the paper's scheme"),
    BRINK_LENGTH("tolerance", "EPS", Options, tolerance, "Distance that counts as contact, m [0.001]"),
    BRINK_TEXT("markdown", "FILE", Options, markdownPath, "Write the tables as Markdown too"),
    BRINK_TEXT("dir", "DIR", Options, directory,
               "Where the scenes are written and their cooked meshes kept [out/paper]"),
    BRINK_OWN("write-replays", "DIR", OPTION_WRITE, "Write the scenes as replays and stop"),
    BRINK_FLAG("replay", Options, replay, "SCENE MOTION: the same columns for any replay"),
    BRINK_FLAG("bodies", Options, bodies, "With --replay: each body on its own, no chains"),
    BRINK_OWN("peer", "NAME", OPTION_PEER,
              "SCENE MOTION, or with --pairs: Brink and a peer (fcl) side by side, each body on its own"),
    BRINK_TEXT("demo", "NAME", Options, demo,
               "A row of brink-demo --list: as it runs in ODE, its frames asked; others as a whole"),
    BRINK_TEXT("pairs", "CASES", Options, pairs,
               "Pairs of convex bodies of a case file, one question each, and GJK alone"),
    BRINK_FLAG("moving", Options, moving, "1K to 100K moving bodies of which none are near: what each costs"),
    BRINK_WHOLE("cook", brink_setInt, 2, 2000, Options, side,
                "Cooking and loading a ball and a ground of 2 N^2 triangles each: 362 for 262,088"),
    BRINK_WHOLE(
        "threads", brink_setInt, 2, CREW_THREADS, Options, threads,
        "[SCENE...|crowd]: the frames asked by one thread and by N, a world each; then one large question over N: the "
        "same bits, and how much sooner"),
    BRINK_FLAG("sizes", Options, sizes, "A small body against walls of 1 to 1000 m: does their size cost?"),
    BRINK_FLAG("overhead", Options, overhead,
               "[slow|fast|pile]: what Brink costs an ODE program, frame by frame beside plain ODE"),
    BRINK_FLAG("plans", Options, plans,
               "Plans of 7 and 14 joints certified and verified: processor time of the commands"),
    BRINK_FLAG("toleranced", Options, toleranced,
               "Proofs of no collision: the examples of the paper on toleranced motions"),
    BRINK_TEXT("robot", "DIR", Options, robot,
               "Proven edges of a robot (a URDF, its SRDF and scenes.txt in DIR) beside sampled ones"),
    COUNT("edges", edges, "With --robot: edges of each scene [30]; --frames: scenes"),
    COUNT("samples", samples, "With --robot: configurations of the referee an edge [none]"),
    BRINK_FLAG("meshes", Options, meshes, "With --robot: links as their meshes are, not as convex hulls"),
    {0}};

static error_t ReadOwn(int key, char *argument, struct argp_state *state) {
  Options *options = state->input;
  switch (key) {
    case OPTION_QUICK:
      options->frames = 47;  // in step with no scene's period
      options->repeats = 1;
      return 0;
    case OPTION_WRITE:
      options->write = true;
      options->directory = argument;
      return 0;
    case OPTION_PEER:
      options->peer = argument;
      options->replay = true;
      return 0;
    case ARGP_KEY_ARG:
      if (options->nameCount >= BRINK_PAPER_SCENES) argp_error(state, "too many arguments");
      options->names[options->nameCount++] = argument;
      return 0;
    case ARGP_KEY_END:
      if (options->replay && options->robot == NULL && options->pairs == NULL && options->nameCount != 2)
        argp_error(state, "SCENE and MOTION are wanted");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "The paper's Tables 1 and 2: eight scenes, the paper's scheme with Taylor models, with intervals, and the "
    "default.\v"
    "Scenes: walk exercise excavator_drive excavator_load crane_slew crane_pipe four_trains falling_train.\n\n"
    "Examples:\n"
    "  brink-bench --markdown out/tables.md\n"
    "  brink-bench --quick walk four_trains\n"
    "  brink-bench --write-replays out/replays\n"
    "  brink-bench --peer fcl train.scene train.motion\n"
    "  brink-bench --pairs cases.ccd --repeat 9 --peer fcl\n"
    "  brink-bench --moving\n"
    "  brink-bench --cook 362\n"
    "  brink-bench --threads 2 excavator_drive\n"
    "  brink-bench --sizes\n"
    "  brink-bench --toleranced\n"
    "  brink-bench --overhead\n"
    "  brink-bench --robot DIR --samples 10000\n\n"
    "Exit status: 0 done, 1 a scene failed, 2 usage, 77 what --robot needs is missing.";

static void PrintVersion(FILE *stream, struct argp_state *state) {
  (void)state;
  fprintf(stream, "brink-bench %s\n", brinkEntry(BRINK_ABI_MAJOR, NULL)->version);
}

static const brinkCommand command = {
    .options = optionRows, .arguments = "[SCENE...]", .documentation = documentation, .own = ReadOwn};

int main(int argc, char **argv) {
  Options options = {.directory = "out/paper", .repeats = 5, .tolerance = EPSILON, .edges = 30};
  argp_err_exit_status = 2;
  argp_program_version_hook = PrintVersion;
  brinkReadOptions(argc, argv, &command, &options);
  if (options.write) return WriteReplays(&options);
  if (options.demo != NULL) return RunDemo(&options);
  if (options.overhead) return RunOverhead(&options);
  if (options.robot != NULL) {
#ifndef BRINK_WITHOUT_ROBOTS
    return robots_Run(&(robotsAsk){.directory = options.robot,
                                   .scenes = options.frames,
                                   .edges = options.edges,
                                   .samples = options.samples,
                                   .repeats = options.repeats,
                                   .meshes = options.meshes,
                                   .peer = options.peer != NULL});
#else
    fprintf(stderr, "brink-bench: this build has no robots (BRINK_WINGS), so no --robot\n");
    return 77;
#endif
  }
  if (options.plans) {
#ifndef BRINK_WITHOUT_ROBOTS
    return plans_Run(options.repeats);
#else
    fprintf(stderr, "brink-bench: this build has no robots (BRINK_WINGS), so no --plans\n");
    return 77;
#endif
  }
  if (options.sizes) return RunSizes(&options);
  if (options.pairs != NULL)
    return pairs_Run(options.pairs, options.tolerance, options.repeats, options.hot, options.peer);
  if (options.threads > 0) return RunThreads(&options);
  if (options.side > 0) return cooking_Run(options.side, options.repeats);
  if (options.moving) return moving_Run(options.repeats, options.frames);
  if (options.toleranced) return toleranced_Run(options.repeats, options.frames > 0);
  if (options.replay) return RunReplay(&options);
  return RunPaperRows(&options);
}
