/* SPDX-License-Identifier: BSD-3-Clause */
/* Toleranced motions beside the paper's figures. The paper names the kind of its motions (rational, degree eight, apart
 * only in a constant translation) but not their control points: these are motions of that kind, made as hard as the
 * paper's (about as deep). octagons: diameter 2, tolerance 1 % of it; `first open`: stops where the termination
 * criterion is first met, as the paper does squares: side 2, m x m faces, against each other; us/pair: per pair of
 * faces (m^4 of them) Times: of the processor, the least of the repeats. Published: Core 2 Duo, 3 GHz, without
 * preprocessing; here all of a call, cover and search. Based on: Schroecker and Weber, arXiv 1310.8097, Sec. 6. */
#define _POSIX_C_SOURCE 200809L
#include "toleranced.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "brink/ccd.h"
#include "brink/tolerance.h"

typedef struct Surface {
  double *vertices;
  uint32_t *start, *ids;
  size_t vertexCount, faceCount;
} Surface;

typedef struct Bench {
  const brinkPlugin *api;
  const brinkToleranceTable *table;
  brinkWorld *world;
  int repeats;
  double controls[9 * 13];
  brinkCurveStage stage;
} Bench;

static double Seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* one thread */
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool MakeMotion(Bench *bench, const brinkQuat *quats, double reach, double bow, double height) {
  brinkVec3 places[9];
  for (int i = 0; i < 9; ++i) places[i] = (brinkVec3){reach * (i - 4) / 4.0, bow * i * (8 - i) / 16.0, height};
  if (bench->table->rationalMotion(quats, 5, places, bench->controls) != brink_ok) return false;
  bench->stage = (brinkCurveStage){.kind = brink_curveBezier, .count = 9, .controls = bench->controls};
  return true;
}

static bool MakeOctagon(Surface *out) {
  *out = (Surface){calloc(24, sizeof(double)), calloc(2, sizeof(uint32_t)), calloc(8, sizeof(uint32_t)), 8, 1};
  if (out->vertices == NULL || out->start == NULL || out->ids == NULL) return false;
  for (uint32_t i = 0; i < 8; ++i) {
    out->vertices[3 * i] = cos(0.7853981633974483 * i);
    out->vertices[3 * i + 1] = sin(0.7853981633974483 * i);
    out->ids[i] = i;
  }
  out->start[1] = 8;
  return true;
}

static bool MakeSquares(uint32_t m, Surface *out) {
  const uint32_t n = m + 1;
  *out = (Surface){calloc(3 * (size_t)n * n, sizeof(double)), calloc((size_t)m * m + 1, sizeof(uint32_t)),
                   calloc(4 * (size_t)m * m, sizeof(uint32_t)), (size_t)n * n, (size_t)m * m};
  if (out->vertices == NULL || out->start == NULL || out->ids == NULL) return false;
  for (uint32_t i = 0; i < n * n; ++i) {
    out->vertices[3 * i] = -1 + 2.0 * (i / n) / m;
    out->vertices[3 * i + 1] = -1 + 2.0 * (i % n) / m;
  }
  for (uint32_t f = 0; f < m * m; ++f) {
    const uint32_t k = f / m * n + f % m, corners[4] = {k, k + n, k + n + 1, k + 1};
    memcpy(&out->ids[4 * f], corners, sizeof corners);
    out->start[f + 1] = 4 * (f + 1);
  }
  return true;
}

static void FreeSurface(Surface *surface) {
  free(surface->vertices);
  free(surface->start);
  free(surface->ids);
}

/* Least time of the repeats, ms; negative: refused. */
static double Ask(const Bench *bench, const Surface *surface, uint32_t flags, uint64_t maxOpen,
                  brinkToleranceAnswer *answer) {
  brinkTolerancedBody moving = {.structSize = sizeof moving,
                                .vertices = surface->vertices,
                                .vertexCount = surface->vertexCount,
                                .faceStart = surface->start,
                                .faceIds = surface->ids,
                                .faceCount = surface->faceCount};
  const brinkTolerancedBody fixed = moving;
  moving.stages = &bench->stage;
  moving.stageCount = 1;
  const brinkToleranceQuery query = {.structSize = sizeof query,
                                     .flags = flags,
                                     .tEnd = 1,
                                     .tolerance = 0.02,
                                     .maxTests = 1u << 30,
                                     .maxOpen = maxOpen};
  double least = HUGE_VAL;
  for (int k = 0; k < bench->repeats && (k == 0 || least < 1e3); ++k) {
    *answer = (brinkToleranceAnswer){.structSize = sizeof *answer};
    const double start = Seconds();
    if (bench->table->certifyBodies(bench->world, &moving, &fixed, &query, answer) != brink_ok) {
      fprintf(stderr, "brink-bench: %s\n", bench->api->lastError(bench->world));
      return -1;
    }
    least = fmin(least, 1e3 * (Seconds() - start));
  }
  return least;
}

static const char *StateText(const brinkToleranceAnswer *answer) {
  static const char *const states[] = {"proven", "listed", "spent"};
  return states[answer->state];
}

static bool RunOctagons(Bench *bench) {
  static const brinkQuat turning[5] = {
      {1, 0.02, 0, 0}, {1, 0.05, -0.03, 0.35}, {1, -0.03, 0.05, 0.6}, {1, 0.05, 0.02, 1.0}, {1, 0, -0.02, 1.4}};
  static const struct {
    const char *label;
    double height;
    uint32_t flags;
    uint64_t maxOpen;
    double published; /* s */
    int publishedTests;
  } rows[] = {{"no contact", 0.075, BRINK_TOLERANCE_NO_CERTIFICATE, 0, 0.1427, 173},
              {"no contact, with certificate", 0.075, 0, 0, 0, 0},
              {"no contact, witnesses at once", 0.075, BRINK_TOLERANCE_WITNESSES, 0, 0, 0},
              {"contact, first open", 0.0, BRINK_TOLERANCE_NO_CERTIFICATE, 1, 0.0075, 9},
              {"contact, all listed", 0.0, BRINK_TOLERANCE_NO_CERTIFICATE, 0, 0, 0},
              {"contact, with certificate", 0.0, 0, 0, 0, 0}};
  Surface octagon;
  bool good = MakeOctagon(&octagon);
  printf(
      "Two octagons, rational motion of degree 8, tolerance 0.02 (1 %% of the diameter)\n%-32s %10s %8s %6s %7s %7s "
      "%6s %9s | %s\n",
      "", "ms", "state", "depth", "polygon", "feature", "cells", "open", "published: ms, tests");
  for (size_t i = 0; good && i < sizeof rows / sizeof *rows; ++i) {
    brinkToleranceAnswer answer;
    good = MakeMotion(bench, turning, 0.5, 0.05, rows[i].height);
    double ms = good ? Ask(bench, &octagon, rows[i].flags, rows[i].maxOpen, &answer) : -1;
    good = ms >= 0;
    if (!good) break;
    printf("%-32s %10.4f %8s %6u %7llu %7llu %6zu %9zu |", rows[i].label, ms, StateText(&answer), answer.depth,
           (unsigned long long)answer.polygonTests, (unsigned long long)answer.featureTests, answer.cellCount,
           answer.openCells);
    if (rows[i].published > 0) printf(" %.1f, %d", 1e3 * rows[i].published, rows[i].publishedTests);
    printf("\n");
  }
  FreeSurface(&octagon);
  return good;
}

/* Least squares of log y over log x. */
typedef struct Fit {
  double count, x, y, xx, xy;
} Fit;

static void AddToFit(Fit *fit, double x, double y) {
  const double a = log(x), b = log(y > 0 ? y : 1e-9);
  fit->count += 1;
  fit->x += a;
  fit->y += b;
  fit->xx += a * a;
  fit->xy += a * b;
}

static double ExponentOf(const Fit *fit) {
  return (fit->count * fit->xy - fit->x * fit->y) / (fit->count * fit->xx - fit->x * fit->x);
}

static bool RunSquares(Bench *bench, uint32_t most) {
  static const brinkQuat turning[5] = {
      {1, 0, 0, 0}, {1, 0.3, 0.1, 0.2}, {1, 0.5, 0.4, 0.1}, {1, 0.2, 0.6, -0.3}, {1, -0.1, 0.3, 0.4}};
  static const struct {
    const char *label;
    double height;
  } motions[] = {{"collision", 0.7}, {"near", 1.13}, {"clear", 1.6}};
  static const struct {
    const char *label;
    uint32_t flags;
    double pairsExponent; /* what there is to look at grows like m^2 to this power: m^4 pairs of faces, or less */
  } ways[] = {
      {"every pair, one mass", BRINK_TOLERANCE_FLAT | BRINK_TOLERANCE_ONE_MASS | BRINK_TOLERANCE_NO_CERTIFICATE, 2},
      {"every pair, individual masses", BRINK_TOLERANCE_FLAT | BRINK_TOLERANCE_NO_CERTIFICATE, 2},
      {"hierarchy, one mass", BRINK_TOLERANCE_ONE_MASS | BRINK_TOLERANCE_NO_CERTIFICATE, 1},
      {"hierarchy, individual masses", BRINK_TOLERANCE_NO_CERTIFICATE, 1},
      {"the same, with certificate", 0, 1}};
  enum { WAYS = sizeof ways / sizeof *ways };
  double total[WAYS] = {0};
  printf(
      "\nSquares of m x m faces, rational motions of degree 8, tolerance 0.02\n%-10s %-30s %3s %11s %9s %9s %8s %11s "
      "%9s %8s\n",
      "motion", "", "m", "ms", "us/pair", "us/m^2", "state", "pairs", "polygon", "open");
  for (size_t k = 0; k < 3; ++k)
    for (size_t w = 0; w < WAYS; ++w) {
      Fit time = {0}, work = {0};
      for (uint32_t m = 4; m <= most; m *= 2) {
        Surface squares;
        brinkToleranceAnswer answer;
        bool good = MakeSquares(m, &squares) && MakeMotion(bench, turning, 3, 0.3, motions[k].height);
        double ms = good ? Ask(bench, &squares, ways[w].flags, 1u << 30, &answer) : -1;
        FreeSurface(&squares);
        if (!(ms >= 0)) return false;
        const double pairs = (double)m * m * m * m;
        printf("%-10s %-30s %3u %11.3f %9.3f %9.2f %8s %11llu %9llu %8zu\n", m == 4 ? motions[k].label : "",
               m == 4 ? ways[w].label : "", m, ms, 1e3 * ms / pairs, 1e3 * ms / m / m, StateText(&answer),
               (unsigned long long)answer.pairTests, (unsigned long long)answer.polygonTests, answer.openCells);
        fflush(stdout);
        AddToFit(&time, (double)m * m, ms);
        AddToFit(&work, (double)m * m, (double)(answer.pairTests + answer.featureTests + answer.proofCells));
        total[w] += ms;
      }
      printf("%-10s %-30s     time grows like (m^2)^%.2f, work like (m^2)^%.2f; linear: ^%.0f\n", "", "",
             ExponentOf(&time), ExponentOf(&work), ways[w].pairsExponent);
    }
  printf("\nOne mass to individual masses, all motions and m: every pair %.2f times the time, hierarchy %.2f times\n",
         total[0] / total[1], total[2] / total[3]);
  return true;
}

int toleranced_Run(int repeats, int quick) {
  Bench bench = {.repeats = repeats > 0 ? repeats : 1};
  const char *reason = "";
  bench.api = brinkEntry(BRINK_ABI_MAJOR, &reason);
  bench.table = bench.api != NULL ? bench.api->getExtension(BRINK_TOLERANCE_NAME) : NULL;
  if (bench.table == NULL || bench.api->createWorld(NULL, NULL, &bench.world) != brink_ok) {
    fprintf(stderr, "brink-bench: the library has no %s: %s\n", BRINK_TOLERANCE_NAME, reason);
    return 1;
  }
  bool good = RunOctagons(&bench) && RunSquares(&bench, quick ? 16 : 32);
  bench.api->destroyWorld(bench.world);
  return good ? 0 : 1;
}
