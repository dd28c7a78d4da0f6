/* SPDX-License-Identifier: BSD-3-Clause */
/* brink-bench: the paper's Tables 1 and 2 on our scenes, by scheme and by order of the Taylor models (0 = intervals).
 *
 *   brink-bench [--frames N] [--repeat N] [--tolerance EPS] [SCENE ...]
 *
 * Columns as in [CATCH] Tables 1 and 2: T_a all frames, T_f collision-free, T_c colliding, T_w worst, ms; pairs before and after
 * spatial culling, after temporal culling, with both rates in percent. Times are minima over the repeats of each frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorded.h"

typedef struct Row {
  const char *name;
  uint32_t scheme, order;
} Row;

static const Row rows[] = {
    {"paper scheme, order 3", brink_schemePaper, 3},
    {"paper scheme, order 0 (intervals)", brink_schemePaper, 0},
    {"swept axes, order 3", brink_schemeSweptAxis, 3},
};

static double Rate(double before, double after) { return before > 0 ? 100 * (1 - after / before) : 0; }

static int RunScene(const demoSceneDef *def, int frames, int repeats, double tolerance) {
  char message[512] = "";
  if (frames <= 0 || frames > def->frames) frames = def->frames;
  recordedScene *recorded = recorded_Make(def, frames, "out/assets", message, sizeof message);
  if (!recorded) {
    fprintf(stderr, "brink-bench: %s: %s\n", def->name, message);
    return 1;
  }
  printf("\n%s, %d frames, eps %g\n", def->name, frames, tolerance);
  printf("%-36s %8s %8s %8s %8s %6s | %8s %8s %6s %8s %6s | %9s %9s %9s\n", "", "T_a", "T_f", "T_c", "T_w", "hits", "before",
         "spatial", "rate", "temporal", "rate", "advance", "distance", "nodes");
  int failed = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    recordedRow row;
    if (!recorded_Ask(recorded, rows[i].order, rows[i].scheme, tolerance, repeats, &row, message, sizeof message)) {
      fprintf(stderr, "brink-bench: %s: %s: %s\n", def->name, rows[i].name, message);
      failed = 1;
      continue;
    }
    printf("%-36s %8.3f %8.3f %8.3f %8.3f %6d | %8.1f %8.2f %5.1f%% %8.2f %5.1f%% | %9.1f %9.1f %9.1f\n", rows[i].name, row.all,
           row.free, row.contact, row.worst, row.hits, row.pairsBefore, row.pairsSpatial, Rate(row.pairsBefore, row.pairsSpatial),
           row.pairsTemporal, Rate(row.pairsSpatial, row.pairsTemporal), row.advancements, row.distanceQueries, row.nodePairs);
    if (row.unresolved) printf("%-36s %d frames unresolved\n", "", row.unresolved);
  }
  recorded_Free(recorded);
  return failed;
}

int main(int argc, char **argv) {
  int frames = 0, repeats = 3, failed = 0, named = 0;
  double tolerance = 1e-3;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--frames") == 0 && i + 1 < argc) frames = atoi(argv[++i]);
    else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc) repeats = atoi(argv[++i]);
    else if (strcmp(argv[i], "--tolerance") == 0 && i + 1 < argc) tolerance = atof(argv[++i]);
    else if (argv[i][0] == '-') {
      fprintf(stderr, "usage: brink-bench [--frames N] [--repeat N] [--tolerance EPS] [SCENE ...]\n");
      return 2;
    } else {
      const demoSceneDef *def = demoFindScene(argv[i]);
      named = 1;
      if (def) failed |= RunScene(def, frames, repeats < 1 ? 1 : repeats, tolerance);
      else fprintf(stderr, "brink-bench: no scene '%s'\n", argv[i]), failed = 2;
    }
  }
  if (!named) {
    failed |= RunScene(demoFindScene("falling_train"), frames, repeats < 1 ? 1 : repeats, tolerance);
    failed |= RunScene(demoFindScene("ragdoll"), frames, repeats < 1 ? 1 : repeats, tolerance);
  }
  return failed;
}
