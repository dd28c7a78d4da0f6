/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plan costs that others can check: the whole commands, from their start to their end, files read and written.
 * `brink path --certify` writes certificates of every edge and tested pair of the stand-in arm (3 edges, 7 joints) and
 * of the two arms (2 edges, 14 joints) before their shelf; `brink verify` checks them. Times: processor time, user and
 * system, of the child process, the least of the repeats. Published for 12 joints: just over 1 s. */
#define _GNU_SOURCE
#include "plans.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "brink/stand_in_robot.h"
#include "brink/urdf.h"

#define MOST_WORDS 96
#define LONGEST 4096

typedef struct Plan {
  const char *robot, *values; /* file without ending; configurations one after the other */
  int joints, edges;
  double bar; /* ms */
} Plan;

static const Plan plans[] = {
    {"stand_in_arm",
     "0.6 -0.3 0 1.6 0 0.2 0  0 -0.4 0.2 1.7 0.3 0.2 0.5  -0.6 -0.3 0 1.6 0 0.2 0  -0.9 0.2 0.3 1.2 -0.4 0.5 0.8", 7, 3,
     50.0},
    {"stand_in_arms",
     "0.6 -0.3 0 1.6 0 0.2 0 0.6 -0.3 0 1.6 0 0.2 0  0 -0.4 0.2 1.7 0.3 0.2 0.5 0 -0.4 0.2 1.7 0.3 0.2 0.5  "
     "-0.6 -0.3 0 1.6 0 0.2 0 -0.6 -0.3 0 1.6 0 0.2 0",
     14, 2, 100.0}};

/* The words of a command run in `folder`, its output into `told`. Returns ms of processor time; below 0: it failed. */
static double runWords(const char *program, const char *folder, const char *line, char *told) {
  static char words[LONGEST];
  char *list[MOST_WORDS] = {words}, *rest = NULL;
  size_t count = 0;
  snprintf(words, sizeof words, "%s %s", program, line);
  for (char *word = strtok_r(words, " ", &rest); word != NULL && count + 1 < MOST_WORDS;
       word = strtok_r(NULL, " ", &rest))
    list[count++] = word;
  list[count] = NULL;
  int ends[2];
  if (pipe(ends) != 0) return -1.0;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (chdir(folder) == 0) execv(list[0], list);
    _exit(127);
  }
  close(ends[1]);
  size_t used = 0;
  for (ssize_t got; child > 0 && used + 1 < LONGEST && (got = read(ends[0], told + used, LONGEST - 1 - used)) > 0;)
    used += (size_t)got;
  told[used] = '\0';
  close(ends[0]);
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return -1.0;
  return 1e3 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static bool runPlan(const Plan *plan, const char *program, const char *folder, int repeats) {
  char certify[LONGEST], verify[LONGEST], told[LONGEST];
  size_t pairs = 0, proven = 0;
  double kilobytes = 0.0, least[2] = {1e9, 1e9};
  snprintf(certify, sizeof certify, "path %s.urdf shelf.txt --srdf %s.srdf --scene shelf --certify %s -- %s",
           plan->robot, plan->robot, plan->robot, plan->values);
  int used = snprintf(verify, sizeof verify, "verify");
  for (int i = 1; i <= plan->edges; ++i)
    used += snprintf(verify + used, sizeof verify - (size_t)used, " %s/edge%d.cert", plan->robot, i);
  for (int i = 0; i < repeats; ++i) {
    const double made = runWords(program, folder, certify, told);
    const char *summary = strstr(told, "certificates ");
    if (made < 0.0 || summary == NULL ||
        sscanf(summary, "certificates %zu: proven %zu, open %*u, spent %*u; %lf kB", &pairs, &proven, &kilobytes) !=
            3) {
      fprintf(stderr, "brink-bench: brink %s: %s\n", certify, told);
      return false;
    }
    const double checked = runWords(program, folder, verify, told);
    if (checked < 0.0) {
      fprintf(stderr, "brink-bench: brink %s: %s\n", verify, told);
      return false;
    }
    if (made < least[0]) least[0] = made;
    if (checked < least[1]) least[1] = checked;
  }
  printf("%6d %5d %12zu %7zu %7.0f %8.1f %8.1f %8.1f %8.0f\n", plan->joints, plan->edges, pairs, proven, kilobytes,
         least[0], least[1], least[0] + least[1], plan->bar);
  return proven == pairs && pairs > 0;
}

int plans_Run(int repeats) {
  char program[LONGEST], folder[LONGEST + 32], message[512] = "", command[LONGEST + 64];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 8);
  if (!brinkHasUrdf()) {
    printf("brink-bench: --plans is skipped: this build reads no URDF (Debian: liburdfdom-dev)\n");
    return 77;
  }
  program[length > 0 ? length : 0] = '\0';
  char *name = strrchr(program, '/');
  if (name != NULL) { /* in the build's own folder */
    snprintf(folder, sizeof folder, "%.*s/brink-plans-XXXXXX", (int)(name - program), program);
    memcpy(name, "/brink", 7);
  }
  if (name == NULL || access(program, X_OK) != 0 || mkdtemp(folder) == NULL) {
    printf("brink-bench: --plans is skipped: the command `brink` is not beside it\n");
    return 77;
  }
  bool good = brinkWriteStandInRobots(folder, message, sizeof message) == brink_ok;
  if (!good) fprintf(stderr, "brink-bench: %s\n", message);
  if (good)
    printf("joints edges certificates  proven      kB  certify   verify      sum      bar   (ms of processor time)\n");
  for (size_t i = 0; good && i < sizeof plans / sizeof *plans; ++i)
    good = runPlan(&plans[i], program, folder, repeats > 0 ? repeats : 1);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) good = false;
  return good ? 0 : 1;
}
