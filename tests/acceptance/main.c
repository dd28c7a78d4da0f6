/* SPDX-License-Identifier: BSD-3-Clause */
/* brink-acceptance: what the step must show, row by row, against its bars.
 *
 *   brink-acceptance [ROW...] [--quick] [--seeds N] [--first-seed N] [--only TEXT] [--verbose] [--seconds N]
 *
 * One line for each group of cases, a summary for each row. Exit status: 0 all rows pass, 1 one does not, 2 usage. */
#define _GNU_SOURCE /* memfd_create */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "brink/ccd.h"
#include "options.h"
#include "row.h"

#define MAX_GROUPS 1024

static const row *const rows[] = {&callbacksRow, &restRow,   &slidesRow,   &kicksRow, &energyRow,
                                  &crowdRow,     &bounceRow, &nearnessRow, &demosRow, &bodiesRow};
enum { rowCount = (int)(sizeof rows / sizeof *rows) };

typedef struct runOptions {
  rowOptions row;
  const char *only;
  int seconds;        /* a group may take; 0: no limit */
  int worker, handle; /* -1: not a worker */
  const row *chosen[sizeof rows / sizeof *rows];
  int chosenCount;
} runOptions;

/* ---- a group in its own process */

static void runWorker(const runOptions *options) {
  rowResult *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED, options->handle, 0);
  if (out == MAP_FAILED) exit(2);
  options->chosen[0]->run(options->worker, &options->row, out);
  out->finished = true;
  fflush(stdout);
  _exit(0);
}

static void startWorker(const row *chosen, int group, const runOptions *options, int handle) {
  char worker[32], handleText[32], seeds[32], first[32];
  const char *arguments[16] = {"brink-acceptance", chosen->name, "--worker",     worker,
                               "--handle",         handleText,   "--first-seed", first};
  int count = 8;
  snprintf(worker, sizeof worker, "%d", group);
  snprintf(handleText, sizeof handleText, "%d", handle);
  snprintf(seeds, sizeof seeds, "%d", options->row.seeds);
  snprintf(first, sizeof first, "%llu", (unsigned long long)options->row.firstSeed);
  if (options->row.seeds > 0) {
    arguments[count++] = "--seeds";
    arguments[count++] = seeds;
  }
  if (options->row.quick) arguments[count++] = "--quick";
  if (options->row.large) arguments[count++] = "--large";
  if (options->row.verbose) arguments[count++] = "--verbose";
  if (options->row.folder != NULL) {
    arguments[count++] = "--folder";
    arguments[count++] = options->row.folder;
  }
  if (chosen->prepare != NULL) chosen->prepare(group);
  alarm((unsigned)options->seconds); /* lives on through exec */
  execv("/proc/self/exe", (char *const *)arguments);
  _exit(127);
}

/* False: it did not end well; `how` says what became of it. */
static bool runGroup(const row *chosen, int group, const runOptions *options, rowResult *out, char how[64]) {
  int handle = memfd_create("acceptance", 0), status = 0;
  if (handle < 0 || ftruncate(handle, sizeof *out) != 0) return false;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) startWorker(chosen, group, options, handle);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  rowResult *shared = mmap(NULL, sizeof *shared, PROT_READ, MAP_SHARED, handle, 0);
  if (shared != MAP_FAILED) {
    *out = *shared;
    munmap(shared, sizeof *shared);
  }
  close(handle);
  if (WIFSIGNALED(status))
    snprintf(how, 64, WTERMSIG(status) == SIGALRM ? "longer than %d s" : "died of signal %d",
             WTERMSIG(status) == SIGALRM ? options->seconds : WTERMSIG(status));
  else
    snprintf(how, 64, "exit status %d", WEXITSTATUS(status));
  return out->finished;
}

/* ---- a row */

static double wallSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool runRow(const row *chosen, const runOptions *options) {
  static rowResult results[MAX_GROUPS];
  int count = chosen->count(&options->row), failed = 0, skipped = 0, run = 0;
  long cases = 0, bad = 0;
  double began = wallSeconds();
  memset(results, 0, sizeof results);
  for (int group = 0; group < count && group < MAX_GROUPS; ++group) {
    char label[200] = "", how[64] = "";
    chosen->label(group, label, (int)sizeof label);
    if (options->only != NULL && strstr(label, options->only) == NULL) continue;
    rowResult *result = &results[group];
    bool ended = runGroup(chosen, group, options, result, how);
    bool good = ended && result->bad == 0;
    run++;
    failed += !good;
    skipped += ended && result->skipped;
    cases += result->cases;
    bad += result->bad;
    printf("%-11s %-44s %-7s %s%s%s\n", chosen->name, label,
           !good             ? "FAILED"
           : result->skipped ? "skipped"
                             : "passed",
           ended ? "" : how, ended ? "" : "; ", result->text);
    if (!good && result->first[0] != '\0') printf("%-11s   first: %s\n", "", result->first);
    fflush(stdout);
  }
  if (chosen->finish != NULL && run == count) failed += chosen->finish(&options->row, results, count);
  printf("%s row %d %s: %s; %d groups, %d failed, %d skipped; %ld cases, %ld bad; %.0f s\n\n", "==", chosen->number,
         chosen->name, failed > 0 ? "FAILED" : "passed", run, failed, skipped, cases, bad, wallSeconds() - began);
  printf("   bar: %s\n\n", chosen->bar);
  return failed == 0;
}

/* ---- options */

#define COUNT(name, set, field, help) BRINK_WHOLE(name, set, 0, 1000000000, runOptions, field, help)
static const brinkOption optionRows[] = {
    BRINK_FLAG("quick", runOptions, row.quick, "Few cases: a test of seconds"),
    COUNT("seeds", brink_setInt, row.seeds, "Seeds of each group [the row's own number]"),
    COUNT("first-seed", brink_setCount, row.firstSeed, "[1]"),
    BRINK_FLAG("large", runOptions, row.large, "What takes minutes too (1,000 ragdolls)"),
    BRINK_TEXT("only", "TEXT", runOptions, only, "Groups whose label holds TEXT"),
    BRINK_FLAG("verbose", runOptions, row.verbose, "A line for each case that fails"),
    COUNT("seconds", brink_setInt, seconds, "A group may take [600]"),
    BRINK_TEXT("folder", "DIR", runOptions, row.folder,
               "bodies: the IPC project's scenes; ode-demos: ODE's unpacked source"),
    COUNT("worker", brink_setInt, worker, NULL),
    COUNT("handle", brink_setInt, handle, NULL),
    {0}};

static const row *findRow(const char *name) {
  for (int i = 0; i < rowCount; ++i)
    if (strcmp(rows[i]->name, name) == 0) return rows[i];
  return NULL;
}

static error_t readRow(int key, char *argument, struct argp_state *state) {
  runOptions *options = state->input;
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  const row *found = findRow(argument);
  if (found == NULL || options->chosenCount == rowCount) {
    fprintf(stderr, "brink-acceptance: no row '%s'; there are:", argument);
    for (int i = 0; i < rowCount; ++i) fprintf(stderr, " %s", rows[i]->name);
    fprintf(stderr, "\n");
    exit(2);
  }
  options->chosen[options->chosenCount++] = found;
  return 0;
}

static void printVersion(FILE *stream, struct argp_state *state) {
  (void)state;
  fprintf(stream, "brink-acceptance %s\n", brinkEntry(BRINK_ABI_MAJOR, NULL)->version);
}

int main(int argc, char **argv) {
  static const brinkCommand command = {
      .options = optionRows,
      .arguments = "[ROW...]",
      .documentation =
          "What a step must show: callbacks rest slides kicks energy crowd bounce nearness ode-demos rigid-bodies",
      .own = readRow};
  runOptions options = {.row = {.firstSeed = 1}, .seconds = 600, .worker = -1, .handle = -1};
  argp_err_exit_status = 2;
  argp_program_version_hook = printVersion;
  brinkReadOptions(argc, argv, &command, &options);
  if (options.worker >= 0) runWorker(&options);
  int count = options.chosenCount > 0 ? options.chosenCount : rowCount, passed = 0;
  for (int i = 0; i < count; ++i) passed += runRow(options.chosenCount > 0 ? options.chosen[i] : rows[i], &options);
  printf("%d of %d rows pass\n", passed, count);
  return passed == count ? 0 : 1;
}
