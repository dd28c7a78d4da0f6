/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ACCEPTANCE_ROW_H
#define ACCEPTANCE_ROW_H
/* A row of the table of what the step must show. It is a list of groups; each group runs in a process of its own (a
 * crash, an abort of ODE or a hang is a finding, not the end of the run), prints one line, and passes or not. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_TEXT 600
#define ROW_VALUES 4

typedef struct rowOptions {
  int seeds;          /* cases or seeds of a group; 0: the row's own number */
  uint64_t firstSeed; /* [1] */
  bool quick;         /* few cases: seconds for the row */
  bool large;         /* what takes minutes too */
  bool verbose;       /* a line for each case that fails */
  const char *folder; /* of public scenes or of ODE's source; NULL: the row's own place */
} rowOptions;

/* Lives in memory that the runner sees too: what was filled in before a crash is told. */
typedef struct rowResult {
  int cases, bad;
  bool skipped, finished;
  double values[ROW_VALUES]; /* for the row's own summary */
  char text[ROW_TEXT];       /* figures */
  char first[ROW_TEXT];      /* the first case that failed */
} rowResult;

typedef struct row {
  int number; /* in the table */
  const char *name, *bar;
  int (*count)(const rowOptions *options);
  void (*label)(int group, char *text, int capacity);
  void (*run)(int group, const rowOptions *options, rowResult *out);
  /* Before the group's process is started: environment (setenv). NULL: none. */
  void (*prepare)(int group);
  /* A line of the row as a whole (fits); adds to the count of failed groups. NULL: none. */
  int (*finish)(const rowOptions *options, const rowResult *results, int count);
} row;

/* What a row has that calls its functions as most do. */
#define ROW_OF_GROUPS(itsNumber, itsName, itsBar) \
  .number = itsNumber, .name = itsName, .bar = itsBar, .count = countGroups, .label = labelGroup, .run = runGroup

extern const row callbacksRow, restRow, slidesRow, kicksRow, energyRow, crowdRow, nearnessRow, bounceRow, demosRow,
    bodiesRow;

/* Counts a case that failed, keeps the first one's words, prints it with --verbose. */
__attribute__((format(printf, 3, 4))) void row_Fail(rowResult *out, const rowOptions *options, const char *format, ...);
__attribute__((format(printf, 2, 3))) void row_Say(rowResult *out, const char *format, ...); /* appends to text */
/* Runs a task in a process of its own, so that it meets nothing that another one left in ODE's tables. `data`: read and
 * written by it. False: it died. */
bool row_Alone(void (*task)(void *data), void *data, size_t size);
int row_Seeds(const rowOptions *options, int usual, int quick);
uint64_t row_Random(const rowOptions *options, int group, int seed); /* a state for stage_Uniform */

#endif
