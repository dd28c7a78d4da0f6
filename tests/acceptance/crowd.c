/* SPDX-License-Identifier: BSD-3-Clause */
/* Row 6: what a frame costs (CPU of the thread: collide, step, empty) with Brink and in plain ODE, frame by frame in
 * turn in one process, for crowds of growing size; and how the cost grows with their number. The first frame, in which
 * Brink cooks the meshes, is not measured. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "row.h"
#include "stage.h"

#define MOST_SECONDS 30.0 /* CPU of a group; the rest of its frames is left out */
#define EXPONENT 1.1
#define HILL_CELL 0.5 /* m */

typedef struct crowdFamily {
  const char *name;
  void (*build)(stage *s, int count);
  double bar;
  bool quickStep;
  int frames;
} crowdFamily;

static double hillHeight(double x, double y) { return 0.35 * x + 0.25 * sin(1.3 * x) * cos(0.9 * y); }

static void addHill(stage *s, double half) {
  int cells = (int)ceil(2 * half / HILL_CELL), side = cells + 1;
  double(*vertices)[3] = malloc((size_t)(side * side) * sizeof *vertices);
  int(*faces)[3] = malloc((size_t)(2 * cells * cells) * sizeof *faces);
  if (vertices == NULL || faces == NULL) abort();
  for (int i = 0; i < side * side; ++i) {
    vertices[i][0] = HILL_CELL * (i % side) - half;
    vertices[i][1] = HILL_CELL * (i / side) - half;
    vertices[i][2] = hillHeight(vertices[i][0], vertices[i][1]);
  }
  for (int i = 0; i < cells * cells; ++i) {
    int a = i / cells * side + i % cells, b = a + 1, c = a + side, d = c + 1;
    int *one = faces[2 * i], *two = faces[2 * i + 1];
    one[0] = a, one[1] = b, one[2] = d;
    two[0] = a, two[1] = d, two[2] = c;
  }
  stage_AddMesh(s, (const double(*)[3])vertices, side * side, (const int(*)[3])faces, 2 * cells * cells);
  free(vertices);
  free(faces);
}

static void buildDolls(stage *s, int count) {
  uint64_t random = 5;
  int columns = (int)ceil(sqrt(count));
  double spacing = 2.6;
  addHill(s, 0.5 * spacing * columns + 6);
  for (int i = 0; i < count; ++i) {
    double x = spacing * (i % columns - 0.5 * (columns - 1)), y = spacing * (i / columns - 0.5 * (columns - 1)),
           turn[4], spin[3];
    stage_RandomTurn(&random, turn);
    for (int k = 0; k < 3; ++k) spin[k] = stage_Uniform(&random, -3, 3);
    stage_AddDoll(s, (double[3]){x, y, hillHeight(x, y) + 1.6}, turn, (double[3]){-8, 0, -4}, spin);
  }
}

/* Two slabs that fly at each other and fall, as wide as their number asks: each box meets as many others, whatever the
 * number. */
static void buildThrown(stage *s, int count) {
  uint64_t random = 6;
  stage_AddStatic(s, stagePlane, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
  for (int i = 0; i < count; ++i) {
    int layer = i % 5, column = i / 5 % 5, rank = i / 25;
    double side = column < 3 ? -1 : 1;
    dBodyID body = stage_AddBody(s, stageBox, (double[3]){0.4, 0.5, 0.3}, 500,
                                 (double[3]){side * 0.6 + 0.6 * (column - 2), 0.62 * rank, 0.3 + 0.6 * layer});
    dBodySetLinearVel(body, -side * stage_Uniform(&random, 8, 16), stage_Uniform(&random, -2, 2), -2);
    dBodySetAngularVel(body, stage_Uniform(&random, -5, 5), stage_Uniform(&random, -5, 5),
                       stage_Uniform(&random, -5, 5));
  }
}

static void buildSeparate(stage *s, int count) {
  uint64_t random = 7;
  int columns = (int)ceil(sqrt(count));
  s->surface.mode = dContactApprox1 | dContactBounce;
  s->surface.bounce = 0.5;
  for (int i = 0; i < count; ++i) {
    double x = 100.0 * (i % columns), y = 100.0 * (i / columns);
    stage_AddStatic(s, stageBox, (double[3]){8, 8, 0.02}, (double[3]){x, y, 0});
    dBodyID body =
        stage_AddBody(s, stageBox, (double[3]){0.4, 0.5, 0.3}, 500, (double[3]){x, y, stage_Uniform(&random, 2, 12)});
    dBodySetLinearVel(body, 0, 0, -stage_Uniform(&random, 15, 30));
    dBodySetAngularVel(body, stage_Uniform(&random, -3, 3), stage_Uniform(&random, -3, 3), 0);
  }
}

static const crowdFamily families[] = {{"ragdolls down a mesh hill", buildDolls, 3, true, 60},
                                       {"boxes thrown together", buildThrown, 4, true, 60},
                                       {"boxes, each on its floor", buildSeparate, 6, true, 60}};
enum { familyCount = (int)(sizeof families / sizeof *families) };

typedef struct crowdCase {
  int family, count;
  bool large;
} crowdCase;

static const crowdCase cases[] = {{0, 10, false},  {0, 40, false},  {0, 160, false}, {0, 1000, true},
                                  {1, 125, false}, {1, 250, false}, {1, 500, false}, {1, 1000, false},
                                  {2, 100, false}, {2, 400, false}, {2, 1600, false}};
enum { caseCount = (int)(sizeof cases / sizeof *cases) };

static double stepTimed(stage *s) {
  double began = stage_CpuSeconds();
  stage_Step(s);
  return stage_CpuSeconds() - began;
}

static int countGroups(const rowOptions *options) {
  (void)options;
  return caseCount;
}

static void labelGroup(int group, char *text, int capacity) {
  snprintf(text, (size_t)capacity, "%s, %d", families[cases[group].family].name, cases[group].count);
}

static void runGroup(int group, const rowOptions *options, rowResult *out) {
  const crowdCase *chosen = &cases[group];
  const crowdFamily *family = &families[chosen->family];
  stage plain, with;
  stageSetup setup = {.way = stagePlain, .quick = family->quickStep, .h = 1.0 / 60, .gravity = -9.81};
  double seconds[2] = {0, 0}, worst = 0, limit = options->quick ? MOST_SECONDS / 6 : MOST_SECONDS;
  int frames = 0, most = options->quick ? family->frames / 2 : family->frames;
  if ((chosen->large && !options->large) || (options->quick && chosen->count >= 500)) {
    out->skipped = true;
    row_Say(out, "takes minutes: %s", options->quick ? "not with --quick" : "asked for by --large");
    return;
  }
  stage_Begin(&plain, &setup);
  family->build(&plain, chosen->count);
  setup.way = stageCalls;
  stage_Begin(&with, &setup);
  family->build(&with, chosen->count);
  stageSurface surface = with.surface;
  stage_Step(&plain); /* not measured: Brink cooks the meshes in the first frame */
  stage_Step(&with);
  with.solves = with.events = with.clamps = with.queries = 0;
  for (; frames < most && (seconds[1] < limit || chosen->large); ++frames) {
    plain.surface = with.surface = surface;
    stage *order[2] = {frames % 2 ? &with : &plain, frames % 2 ? &plain : &with};
    for (int k = 0; k < 2; ++k) {
      double took = stepTimed(order[k]);
      seconds[order[k] == &with] += took;
      worst = order[k] == &with ? fmax(worst, took) : worst;
    }
  }
  double ratio = seconds[1] / seconds[0], scale = 1e3 / frames;
  out->cases = 1;
  row_Say(out,
          "plain %.3f ms, Brink %.3f ms a frame (worst %.1f), ratio %.2f, bar %.0f; %.2f solves, %.2f events, %.2f "
          "clamps, %.0f distance queries a frame, lost %.2f %%; %d frames%s",
          scale * seconds[0], scale * seconds[1], 1e3 * worst, ratio, family->bar, (double)with.solves / frames,
          (double)with.events / frames, (double)with.clamps / frames, (double)with.queries / frames,
          100 * with.lost / with.time, frames, frames < most ? ", cut short" : "");
  out->values[0] = chosen->count;
  out->values[1] = scale * seconds[0];
  out->values[2] = scale * seconds[1];
  out->values[3] = frames < most;
  if (!(ratio <= family->bar)) row_Fail(out, options, "ratio %.2f above %.0f", ratio, family->bar);
  stage_End(&with);
  stage_End(&plain);
}

static bool isCut(const rowResult *results, int family) {
  for (int i = 0; i < caseCount; ++i)
    if (cases[i].family == family && (results[i].values[3] > 0 || (!results[i].finished && !results[i].skipped)))
      return true;
  return false;
}

/* Slope of log cost over log number. */
static double findExponent(const rowResult *results, int family, int column) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < caseCount; ++i) {
    if (cases[i].family != family || results[i].skipped || !results[i].finished) continue;
    double x = log(results[i].values[0]), y = log(results[i].values[column]);
    n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return n < 2 ? 0 : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static int finish(const rowOptions *options, const rowResult *results, int count) {
  int failed = 0;
  (void)options;
  (void)count;
  for (int family = 0; family < familyCount; ++family) {
    double with = findExponent(results, family, 2), plain = findExponent(results, family, 1);
    /* Brink's frame holds one of ODE's: where ODE itself grows faster than the bar, Brink may grow as fast as it does.
     */
    bool cut = isCut(results, family), good = with <= fmax(EXPONENT, plain) && !cut;
    failed += !good;
    printf("%-11s %-44s %-7s cost grows with number ^ %.2f, plain ODE ^ %.2f, bar %.1f%s%s\n", "crowd",
           families[family].name, good ? "passed" : "FAILED", with, plain, EXPONENT,
           plain > EXPONENT ? " (below plain ODE's own, which counts instead)" : "",
           cut ? "; not told: a run was cut short" : "");
  }
  return failed;
}

const row crowdRow = {
    ROW_OF_GROUPS(6, "crowd", "<= 3x ragdolls, 4x thrown together, 6x separate; exponent <= 1.1, or plain ODE's own"),
    .finish = finish};
