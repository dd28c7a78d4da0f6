/* SPDX-License-Identifier: BSD-3-Clause */
/* brink-demo: runs a scene twice from the same start, plain ODE and ODE with Brink, without a window, and leaves
 * pictures, an animated GLB, a page that plays both runs side by side, a table of frames and a sentence about what
 * happened. Exit status: 0 every scene kept its promise, 1 one did not, 2 it could not be run. Times per frame are
 * Brink's own, as in [CATCH] Table 1: the mean of all frames, of those without and with impacts, and the worst. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "brink/ccd.h"
#include "contact_sheet.h"
#include "exhibit.h"
#include "folder.h"
#include "gallery.h"
#include "options.h"
#include "recorder.h"
#include "render.h"
#include "scene_kit.h"
#include "soak.h"
#include "text.h"
#include "verify.h"

#ifndef BRINK_THREE_DIR
#define BRINK_THREE_DIR "/usr/share/javascript/three"
#endif

#define MESSAGE_CAPACITY 512
#define CUT_POINTS 128
#define SAMPLE_LIMIT 1200 /* longer runs keep every second, third ... frame: pages stay small */

typedef struct options {
  const char *scene, *outDir, *queryDir;
  const char *picture; /* NULL: none */
  int frames;          /* 0 = the scene's own */
  uint64_t seed;
  double speed;
  uint32_t scheme;                /* brinkScheme */
  bool bare, sweep, list, verify; /* bare: nothing is drawn */
  bool named;                     /* a scene was */
  int sweepSeeds;
} options;

/* What a run left behind. */
typedef struct runResult {
  recording *record; /* NULL when not asked for */
  demoFrame *frames; /* [frameCount]; brink.events are not kept */
  int frameCount;
  uint64_t hash;
  char complaint[256];
} runResult;

/* ---- one run */

static void showProgress(const char *scene, bool withBrink, int frame, int frameCount) {
  if (!isatty(STDERR_FILENO) || (frame % 10 != 0 && frame != frameCount)) return;
  fprintf(stderr, "\r%s, %s: frame %d of %d\033[K", scene, withBrink ? "with Brink" : "plain ODE", frame, frameCount);
  if (frame == frameCount) fprintf(stderr, "\r\033[K");
  fflush(stderr);
}

static void freeRun(runResult *run) {
  recording_Destroy(run->record);
  free(run->frames);
  *run = (runResult){0};
}

static bool sample(const demoSceneDef *def, demoScene *scene, runResult *run, const demoFrame *frame, int index,
                   int stride) {
  if (index % stride != 0) return true;
  const demoVisual *visuals;
  double eye[3], target[3];
  size_t count = def->visuals(scene, &visuals);
  def->camera(scene, index, eye, target);
  if (!run->record) run->record = recording_Create(visuals, count, scene->step * stride);
  if (!run->record || !recording_Sample(run->record, visuals, frame, eye, target)) return false;
  double points[CUT_POINTS][3], levels[2];
  size_t cutCount = def->cutaway ? def->cutaway(scene, points, CUT_POINTS, levels) : 0;
  if (cutCount > 0) recording_CutAway(run->record, (const double(*)[3])points, cutCount, levels);
  return true;
}

static bool runScene(const demoSceneDef *def, const demoParams *params, int frameCount, bool record, runResult *run,
                     char *message) {
  *run = (runResult){.frameCount = frameCount};
  run->frames = calloc((size_t)frameCount + 1, sizeof *run->frames);
  demoScene *scene = run->frames ? def->create(params, message, MESSAGE_CAPACITY) : NULL;
  if (!run->frames) snprintf(message, MESSAGE_CAPACITY, "no memory for %d frames", frameCount);
  if (!scene) return false;
  int stride = (frameCount + SAMPLE_LIMIT - 1) / SAMPLE_LIMIT;
  bool good = !record || sample(def, scene, run, NULL, 0, stride);
  for (int i = 0; good && i < frameCount; i++) {
    def->step(scene, &run->frames[i]);
    good = !record || sample(def, scene, run, &run->frames[i], i + 1, stride);
    run->frames[i].brink.events = NULL; /* lives only until the next step */
    if (!params->quiet) showProgress(def->name, params->withBrink, i + 1, frameCount);
  }
  if (!good) snprintf(message, MESSAGE_CAPACITY, "no memory for the recording");
  run->hash = def->hash(scene);
  memcpy(run->complaint, scene->complaint, sizeof run->complaint);
  def->destroy(scene);
  return good;
}

/* Plain first: colliders that Brink registers are process-wide until ODE is closed. */
static bool runBoth(const demoSceneDef *def, demoParams params, int frameCount, bool record, runResult runs[2],
                    char *message) {
  const char *queryDir = params.queryDir;
  for (int withBrink = 0; withBrink < 2; withBrink++) {
    params.withBrink = withBrink != 0;
    params.queryDir = withBrink ? queryDir : NULL;
    if (runScene(def, &params, frameCount, record, &runs[withBrink], message)) continue;
    for (int i = 0; i <= withBrink; i++) freeRun(&runs[i]);
    return false;
  }
  return true;
}

/* ---- files and tables */

static const char *frameState(const dBrinkStepInfo *info) {
  return info->eventCount > 0 ? "hit" : info->unresolved > 0 ? "unresolved" : "free";
}

static bool writeCsv(const char *path, const runResult *plain, const runResult *brink) {
  FILE *file = fopen(path, "w");
  if (!file) {
    fprintf(stderr, "brink-demo: cannot write %s: %s\n", path, strerror(errno));
    return false;
  }
  fprintf(
      file,
      "frame,state,toi,toiUpper,pairsBefore,pairsSpatial,pairsTemporal,advancements,distanceQueries,solves,clamps,ms,"
      "jointErrorPlain,jointErrorBrink,energyPlain,energyBrink,depthPlain,depthBrink,throughPlain,throughBrink\n");
  for (int i = 0; i < brink->frameCount; i++) {
    const demoFrame *p = &plain->frames[i], *b = &brink->frames[i];
    const dBrinkStepInfo *info = &b->brink;
    char toi[32] = "", toiUpper[32] = "";
    if (info->firstToi <= 1.0) snprintf(toi, sizeof toi, "%.9g", info->firstToi);
    if (info->firstToi <= 1.0) snprintf(toiUpper, sizeof toiUpper, "%.9g", b->toiUpper);
    fprintf(file, "%d,%s,%s,%s,%llu,%llu,%llu,%llu,%llu,%d,%d,%.4f,%.6g,%.6g,%.9g,%.9g,%.6g,%.6g,%d,%d\n", i,
            frameState(info), toi, toiUpper, info->pairsBefore, info->pairsSpatial, info->pairsTemporal,
            info->advancements, info->distanceQueries, info->solves, info->clamps, info->milliseconds, p->jointError,
            b->jointError, p->energy, b->energy, p->worstDepth, b->worstDepth, p->through, b->through);
  }
  if (fclose(file) == 0) return true;
  fprintf(stderr, "brink-demo: %s could not be written whole; is the disk full?\n", path);
  return false;
}

static void printTable(const runResult *plain, const runResult *brink) {
  double means[3], sums[3] = {0.0, 0.0, 0.0}, worst = 0.0, frames[2] = {0.0, 0.0}, before = 0.0, spatial = 0.0,
                   temporal = 0.0;
  long counts[3] = {0, 0, 0}, solves = 0, clamps = 0, unresolved = 0;
  double wholeFrame[2] = {0.0, 0.0};
  for (int i = 0; i < brink->frameCount; i++) {
    const dBrinkStepInfo *info = &brink->frames[i].brink;
    int kind = info->eventCount > 0 ? 2 : 1;
    sums[0] += info->milliseconds, counts[0]++;
    sums[kind] += info->milliseconds, counts[kind]++;
    worst = fmax(worst, info->milliseconds);
    before += (double)info->pairsBefore, spatial += (double)info->pairsSpatial, temporal += (double)info->pairsTemporal;
    solves += info->solves, clamps += info->clamps, unresolved += info->unresolved;
    wholeFrame[0] += plain->frames[i].milliseconds, wholeFrame[1] += brink->frames[i].milliseconds;
  }
  for (int k = 0; k < 3; k++) means[k] = counts[k] ? sums[k] / (double)counts[k] : 0.0;
  for (int k = 0; k < 2; k++) frames[k] = brink->frameCount ? wholeFrame[k] / brink->frameCount : 0.0;
  double n = brink->frameCount ? brink->frameCount : 1.0;
  printf(
      "  Brink per frame, ms       mean %.3f   worst %.3f   without impacts %.3f (%ld frames)   with impacts %.3f "
      "(%ld)\n",
      means[0], worst, means[1], counts[1], means[2], counts[2]);
  printf("  pairs per frame           %.1f before culling   %.2f after spatial   %.3f after temporal\n", before / n,
         spatial / n, temporal / n);
  printf(
      "  whole frame, ms           plain ODE %.2f   with Brink %.2f   solves per frame %.2f   clamps %ld   unresolved "
      "%ld\n",
      frames[0], frames[1], (double)solves / n, clamps, unresolved);
  printf("  scene hash                plain %016" PRIx64 "   Brink %016" PRIx64 "\n", plain->hash, brink->hash);
}

static bool say(bool good, const char *message) {
  if (!good) fprintf(stderr, "brink-demo: %s\n", message);
  return good;
}

/* The headline: what a stranger reads first. */
static void makeHeadline(const demoSceneDef *def, const runResult runs[2], char plain[200], char brink[200]) {
  if (def->headline) {
    def->headline(&runs[0].frames[runs[0].frameCount - 1], plain, 200);
    def->headline(&runs[1].frames[runs[1].frameCount - 1], brink, 200);
    return;
  }
  if (def->everText) {
    kitSummary sum;
    kit_Summarize(runs[0].frames, runs[1].frames, runs[0].frameCount, &sum);
    snprintf(plain, 200, "%d of %d %s", sum.everThroughPlain, def->partCount, def->everText);
    snprintf(brink, 200, "%d of %d", sum.everThroughBrink, def->partCount);
    return;
  }
  double moved = 0.0, apart = 0.0;
  for (int s = 0; runs[1].record && s < recording_Frames(runs[1].record); s++) {
    moved = fmax(moved, recording_Moved(runs[0].record, s));
    apart = fmax(apart, recording_Difference(runs[0].record, runs[1].record, s));
  }
  snprintf(plain, 200, "at rest, moved %.3g mm from the start", 1e3 * moved);
  if (runs[0].hash == runs[1].hash)
    snprintf(brink, 200, "the same, to the last bit");
  else
    snprintf(brink, 200, "never farther than %.3g mm from plain ODE's run", 1e3 * apart);
}

/* show: the file to look at first. */
static bool writeFiles(const demoSceneDef *def, const char *folder, const runResult runs[2], const options *chosen,
                       const contactSheet *sheet, const char **show) {
  char path[1200], message[MESSAGE_CAPACITY] = "";
  recording *plain = runs[0].record, *brink = runs[1].record;
  bool written = say(contactSheet_Write(plain, brink, sheet, folder, message, sizeof message), message);
  snprintf(path, sizeof path, "%s/picture.png", folder);
  written = say(contactSheet_WritePicture(plain, brink, sheet, path, message, sizeof message), message) && written;
  if (chosen->picture)
    written = say(contactSheet_WritePicture(plain, brink, sheet, chosen->picture, message, sizeof message), message) &&
              written;
  snprintf(path, sizeof path, "%s/run.glb", folder);
  written = say(recording_WriteGlb(brink, path, message, sizeof message), message) && written;
  snprintf(path, sizeof path, "%s/run.html", folder);
  recordingPage page = {.title = def->title,
                        .verdict = sheet->verdict,
                        .throughText = def->throughText,
                        .plainText = sheet->plainText,
                        .brinkText = sheet->brinkText,
                        .partCount = sheet->partCount,
                        .good = sheet->good,
                        .threeDir = BRINK_THREE_DIR};
  int html = recording_WriteHtml(plain, brink, &page, path, message, sizeof message);
  if (html <= 0) fprintf(stderr, "brink-demo: %s\n", message);
  *show = html > 0 ? "run.html" : "contact_sheet.png";
  galleryCard card = {def->name,        def->title,          *show, "picture.png", sheet->plainText,
                      sheet->brinkText, sheet->partCount > 0};
  written = say(gallery_Add(chosen->outDir, &card, message, sizeof message), message) && written;
  return written && html >= 0;
}

/* 0 promise kept, 1 broken, 2 not run. */
static int runDemo(const demoSceneDef *def, const options *chosen) {
  char folder[1024], models[1024], path[1200], message[MESSAGE_CAPACITY] = "", verdict[1024] = "";
  int frameCount = chosen->frames ? chosen->frames : def->frames;
  if (snprintf(folder, sizeof folder, "%s/%s", chosen->outDir, def->name) >= (int)sizeof folder ||
      snprintf(models, sizeof models, "%s/models", chosen->outDir) >= (int)sizeof models) {
    fprintf(stderr, "brink-demo: folder name too long: %s\n", chosen->outDir);
    return 2;
  }
  if (!folder_MakeOrSay(folder)) return 2;
  demoParams params = {.seed = chosen->seed,
                       .speed = chosen->speed,
                       .scheme = (int)chosen->scheme,
                       .assetDir = models,
                       .queryDir = chosen->queryDir};
  runResult runs[2] = {{0}, {0}};
  printf("%s: %s\n", def->name, def->title);
  if (!runBoth(def, params, frameCount, !chosen->bare, runs, message)) {
    fprintf(stderr, "brink-demo: %s: %s\n", def->name, message);
    return 2;
  }
  bool good = def->verdict(runs[0].frames, runs[1].frames, frameCount, verdict, sizeof verdict);
  if (runs[1].complaint[0]) fprintf(stderr, "brink-demo: a Brink step was refused, %s\n", runs[1].complaint);
  char plainText[200], brinkText[200];
  makeHeadline(def, runs, plainText, brinkText);
  contactSheet sheet = {def->title, verdict, def->throughText, plainText, brinkText, def->everText ? def->partCount : 0,
                        good};
  printTable(&runs[0], &runs[1]);
  snprintf(path, sizeof path, "%s/frames.csv", folder);
  bool written = writeCsv(path, &runs[0], &runs[1]);
  const char *page = NULL;
  if (!chosen->bare) written = writeFiles(def, folder, runs, chosen, &sheet, &page) && written;
  printf("  files                     %s/\n%s\nplain ODE: %s; with Brink: %s.\n", folder, verdict, plainText,
         brinkText);
  if (page) printf("open %s/%s%s\n", folder, page, strstr(page, ".html") ? " in a browser" : "");
  for (int i = 0; i < 2; i++) freeRun(&runs[i]);
  return !written ? 2 : good ? 0 : 1;
}

static int runAlone(const demoSceneDef *def, const options *chosen) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int result = runDemo(def, chosen);
    fflush(stdout);
    _exit(result);
  }
  int status = 0;
  if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)) return WEXITSTATUS(status);
  fprintf(stderr, "brink-demo: %s: its process did not come to its end\n", def->name);
  return 2;
}

/* ---- verify: the run with Brink alone, every answer judged */

static int runVerify(const demoSceneDef *def, const options *chosen) {
  char models[1024], message[MESSAGE_CAPACITY] = "", text[1024];
  int frameCount = chosen->frames ? chosen->frames : def->frames;
  snprintf(models, sizeof models, "%.1000s/models", chosen->outDir);
  if (!folder_MakeOrSay(chosen->outDir)) return 2;
  demoParams params = {.seed = chosen->seed,
                       .speed = chosen->speed,
                       .scheme = (int)chosen->scheme,
                       .assetDir = models,
                       .withBrink = true};
  demoScene *scene = def->create(&params, message, sizeof message);
  verifier *judge = scene ? verifier_Attach(scene, message, sizeof message) : NULL;
  if (!judge) {
    fprintf(stderr, "brink-demo: %s: %s\n", def->name, message);
    if (scene) def->destroy(scene);
    return 2;
  }
  int failed = 0;
  for (int i = 0; i < frameCount; i++) {
    demoFrame frame;
    def->step(scene, &frame);
    failed += frame.failed;
    showProgress(def->name, true, i + 1, frameCount);
  }
  const verifyResult *result = verifier_Result(judge);
  bool good = verifyResult_IsGood(result) && failed == 0;
  verifyResult_Say(result, text, sizeof text);
  printf("%s, %d frames: %s\n%s (%.1f s of judging)\n", def->name, frameCount, text,
         good ? "Every answer holds." : "PROMISE BROKEN", result->seconds);
  verifier_Detach(judge);
  def->destroy(scene);
  return good ? 0 : 1;
}

/* ---- sweep: speeds x seeds */

/* What one speed came to, over its seeds. */
typedef struct sweepSum {
  kitSummary total;
  double worstEnergy;
  uint64_t jointSeed, throughSeed; /* of the worst joints; that something went through */
} sweepSum;

static void addSeed(sweepSum *sum, const kitSummary *one, uint64_t seed) {
  kitSummary *total = &sum->total;
  total->everThroughPlain += one->everThroughPlain;
  total->everThroughBrink += one->everThroughBrink;
  if (one->everThroughBrink) sum->throughSeed = seed;
  total->extraSolves += one->extraSolves;
  total->clamps += one->clamps;
  total->lostTime += one->lostTime;
  total->runTime += one->runTime;
  total->failed += one->failed;
  total->odeMessagesPlain += one->odeMessagesPlain;
  total->odeMessagesBrink += one->odeMessagesBrink;
  if (!(one->worstJointPlain <= total->worstJointPlain)) total->worstJointPlain = one->worstJointPlain;
  if (!(one->worstJointBrink <= total->worstJointBrink))
    total->worstJointBrink = one->worstJointBrink, sum->jointSeed = seed;
  if (!(one->worstEnergyBrink <= sum->worstEnergy)) sum->worstEnergy = one->worstEnergyBrink;
}

/* A line of figures, and what is wrong; true: the promise is kept. */
static bool printSum(double speed, const sweepSum *sum) {
  const kitSummary *total = &sum->total;
  bool joints = total->worstJointBrink <= 1.1 * total->worstJointPlain,
       held = !(total->lostTime <= KIT_LOST_SHARE * total->runTime);
  printf("%5g   %20d   %5d   %27.4f   %5.3f   %19.4f   %12ld   %6ld   %12.2f\n", speed, total->everThroughPlain,
         total->everThroughBrink, total->worstJointPlain, total->worstJointBrink, sum->worstEnergy, total->extraSolves,
         total->clamps, 100.0 * total->lostTime / total->runTime);
  if (total->everThroughBrink) printf("        parts through with Brink, e.g. seed %" PRIu64 "\n", sum->throughSeed);
  if (!joints) printf("        joint error above 1.1 of plain ODE's worst, with seed %" PRIu64 "\n", sum->jointSeed);
  if (held)
    printf("        bodies were held still too long: more than %g %% of the time is lost\n", 100.0 * KIT_LOST_SHARE);
  if (total->odeMessagesPlain + total->odeMessagesBrink)
    printf("        complaints of ODE itself: %ld in plain runs, %ld with Brink\n", total->odeMessagesPlain,
           total->odeMessagesBrink);
  if (total->failed) printf("        %d Brink steps were refused\n", total->failed);
  fflush(stdout);
  return !total->everThroughBrink && !held && joints && sum->worstEnergy <= 1.05 && !total->failed;
}

/* false: a run failed, which is said. */
static bool sweepSpeed(const demoSceneDef *def, const options *chosen, double speed, const char *models, bool written,
                       sweepSum *sum) {
  char message[MESSAGE_CAPACITY] = "";
  int frameCount = chosen->frames ? chosen->frames : 120;
  for (int seed = 0; seed < chosen->sweepSeeds; seed++) {
    demoParams params = {.seed = (uint64_t)seed,
                         .speed = speed,
                         .scheme = (int)chosen->scheme,
                         .assetDir = models,
                         .quiet = true,
                         .reuseModels = written || seed > 0};
    runResult runs[2] = {{0}, {0}};
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%g m/s, seed %d of %d\033[K", speed, seed, chosen->sweepSeeds);
    if (!runBoth(def, params, frameCount, false, runs, message)) {
      fprintf(stderr, "brink-demo: %s: %s\n", def->name, message);
      return false;
    }
    kitSummary one;
    kit_Summarize(runs[0].frames, runs[1].frames, frameCount, &one);
    addSeed(sum, &one, (uint64_t)seed);
    for (int i = 0; i < 2; i++) freeRun(&runs[i]);
  }
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
  return true;
}

static int runSweep(const demoSceneDef *def, const options *chosen) {
  static const double speeds[] = {5.0, 20.0, 60.0, 200.0};
  char models[1024];
  int status = 0;
  snprintf(models, sizeof models, "%.1000s/models", chosen->outDir);
  if (!folder_MakeOrSay(chosen->outDir)) return 2;
  printf("%s, %d seeds per speed, %d frames each; parts: %s\n", def->name, chosen->sweepSeeds,
         chosen->frames ? chosen->frames : 120, def->throughText);
  printf(
      "  m/s   parts through: plain   Brink   worst joint error, m: plain   Brink   energy/start, Brink   extra solves "
      "  clamps   "
      "time lost, %%\n");
  for (size_t s = 0; s < sizeof speeds / sizeof speeds[0]; s++) {
    sweepSum sum = {.worstEnergy = 0.0};
    if (!sweepSpeed(def, chosen, speeds[s], models, s > 0, &sum)) return 2;
    if (!printSum(speeds[s], &sum)) status = 1;
  }
  printf(status ? "PROMISE BROKEN\n"
                : "Every part stayed on its side with Brink, joints and energy within their bounds.\n");
  return status;
}

/* ---- command line */

static const brinkOption optionRows[] = {
    BRINK_FLAG("list", options, list, "The scenes, a line each"),
    BRINK_WHOLE("frames", brink_setInt, 1, 1000000, options, frames, "Length of the run [the scene's own]"),
    BRINK_TEXT("out", "DIR", options, outDir, "Where DIR/SCENE/ goes [out]"),
    BRINK_WHOLE("seed", brink_setCount, 0, INT64_MAX, options, seed, "Of scenes that throw something [0]"),
    BRINK_LENGTH("speed", "V", options, speed, "The same, m/s [the scene's own]"),
    BRINK_SCHEME(options, scheme, "default, paper (advancement as in the CATCH paper) or axis (separating axes)"),
    BRINK_FLAG("no-render", options, bare, "Figures and hash alone: no pictures, no page"),
    BRINK_TEXT("picture", "FILE.png", options, picture, "The end of both runs side by side, under the headline"),
    BRINK_TEXT("record-queries", "DIR", options, queryDir, "What Brink is asked in each frame, for brink replay"),
    BRINK_FLAG("verify", options, verify, "Judges every answer of Brink by slow, independent means"),
    BRINK_FLAG("sweep", options, sweep, "Four speeds, --seeds runs each, of a scene that throws something"),
    BRINK_WHOLE("seeds", brink_setInt, 1, 10000, options, sweepSeeds, "Of --sweep and of soaks [20]"),
    {0}};

static error_t readWord(int key, char *argument, struct argp_state *state) {
  options *chosen = state->input;
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  if (chosen->named) argp_error(state, "one scene at a time, or all; what is \"%s\"?", argument);
  chosen->scene = argument;
  chosen->named = true;
  return 0;
}

static void printVersion(FILE *stream, struct argp_state *state) {
  (void)state;
  fprintf(stream, "brink-demo %s\n", brinkEntry(BRINK_ABI_MAJOR, NULL)->version);
}

static const brinkCommand command = {
    .options = optionRows,
    .arguments = "[SCENE|all|soak]",
    .documentation =
        "Runs a scene with plain ODE and with Brink, or asks a question without an engine.\v"
        "Writes DIR/SCENE/{contact_sheet.png, still_*.png, run.glb, run.html, frames.csv}. all: every scene but the "
        "soaks, "
        "and DIR/index.html, which shows them. soak: all soaks. Without SCENE: falling_train.\n\n"
        "Examples:\n"
        "  brink-demo ragdoll\n"
        "  brink-demo ragdoll --sweep --seeds 20\n"
        "  brink-demo soak --seeds 200\n"
        "  brink-demo falling_train --verify --frames 60\n\n"
        "Exit status: 0 the scene kept its promise, 1 it did not, 2 it could not be run.",
    .own = readWord};

/* ---- rows of the table */

static bool refuse(const char *words) {
  fprintf(stderr, "brink-demo: %s\n", words);
  return false;
}

static bool isAllowed(const options *chosen, bool all, bool soak) {
  if (!all && !soak && !demoFindRow(chosen->scene)) {
    const char *names[64], *nearest;
    size_t count = 0;
    for (const demoRow *row = demoTable; demoRow_Name(row) && count < 64; row++) names[count++] = demoRow_Name(row);
    nearest = brinkNearestName(chosen->scene, names, count);
    fprintf(stderr, "brink-demo: no scene \"%s\"", chosen->scene);
    if (nearest) fprintf(stderr, ": did you mean \"%s\"?", nearest);
    fprintf(stderr, nearest ? "\n" : "; brink-demo --list names them\n");
    return false;
  }
  if (all && chosen->queryDir) return refuse("--record-queries wants one scene, not all");
  if (chosen->picture && (all || chosen->bare || chosen->sweep || chosen->verify))
    return refuse("--picture wants one scene, drawn: not all, --no-render, --sweep or --verify");
  if ((chosen->sweep || chosen->verify) && !all && !demoFindScene(chosen->scene))
    return refuse("--sweep and --verify want a scene that ODE steps");
  return true;
}

/* Each of all in a process of its own: colliders that one scene registers stay Brink's in the scenes after it. */
static int runRow(const demoRow *row, const options *chosen, bool all) {
  if (row->soak) return 0; /* not among all */
  if (row->exhibit) return chosen->verify ? 0 : demoExhibit_Run(row->exhibit, chosen->outDir, !chosen->bare, NULL);
  if (chosen->verify) return runVerify(row->scene, chosen);
  return all ? runAlone(row->scene, chosen) : runDemo(row->scene, chosen);
}

int main(int argumentCount, char **arguments) {
  options chosen = {.scene = "falling_train", .outDir = "out", .sweepSeeds = 20};
  int status = 0;
  argp_err_exit_status = 2;
  argp_program_version_hook = printVersion;
  brinkReadOptions(argumentCount, arguments, &command, &chosen);
  bool all = strcmp(chosen.scene, "all") == 0, soak = strcmp(chosen.scene, "soak") == 0;
  if (chosen.list) {
    for (const demoRow *row = demoTable; demoRow_Name(row); row++)
      printf("%-16s %s\n", demoRow_Name(row), demoRow_Title(row));
    return 0;
  }
  if (!isAllowed(&chosen, all, soak)) return 2;
  const demoRow *one = demoFindRow(chosen.scene);
  if (soak || (one && one->soak)) return demoSoak_Run(soak ? NULL : one->soak, chosen.sweepSeeds);
  if (!chosen.bare && !demoFont_Name())
    fprintf(stderr, "brink-demo: text in pictures is coarse; install Debian's package %s for a real font\n",
            DEMO_FONT_PACKAGE);
  if (chosen.sweep) return runSweep(demoFindScene(all ? "ragdoll" : chosen.scene), &chosen);
  for (const demoRow *row = demoTable; demoRow_Name(row); row++) {
    if (!all && strcmp(demoRow_Name(row), chosen.scene) != 0) continue;
    int result = runRow(row, &chosen, all);
    if (result > status) status = result;
  }
  char message[MESSAGE_CAPACITY] = "";
  if (!chosen.bare && !chosen.verify && !say(gallery_Write(chosen.outDir, message, sizeof message), message))
    status = 2;
  return status;
}
