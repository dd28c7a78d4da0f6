/* SPDX-License-Identifier: BSD-3-Clause */
/* brink-bench: its scenes, its reader, its exit statuses. Runs the built program; skipped when it was not built. No
 * times. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#define SCRATCH_NAME "brink-bench"
#include "scratch_folder.h"

#define PROGRAM BRINK_BINARY_DIR "/bin/brink-bench"
#define REPLAYER BRINK_BINARY_DIR "/bin/brink"
#define NEED_PROGRAM()                                    \
  if (access(PROGRAM, X_OK) != 0) {                       \
    print_message("skipped: brink-bench is not built\n"); \
    skip();                                               \
  }

static char output[65536]; /* standard output and error of the last run */

static int runProgram(const char *program, const char *arguments) {
  char command[1200];
  snprintf(command, sizeof command, "cd '%s' && '%s' %s >out.txt 2>&1 </dev/null", directory, program, arguments);
  const int status = system(command);
  snprintf(command, sizeof command, "%s/out.txt", directory);
  FILE *file = fopen(command, "rb");
  assert_non_null(file);
  output[fread(output, 1, sizeof output - 1, file)] = '\0';
  fclose(file);
  if (!WIFEXITED(status)) fail_msg("%s %s died: %s", program, arguments, output);
  return WEXITSTATUS(status);
}

static int run(const char *arguments) { return runProgram(PROGRAM, arguments); }
static void runSays(const char *arguments, int status, const char *words) {
  mustSay(run(arguments), status, output, words);
}

CASE(a_row_shows_three_settings_beside_the_published_figures) {
  NEED_PROGRAM();
  runSays("--dir deep/paper --frames 12 --repeat 1 --markdown t.md exercise", 0, "Exercise: 15 links");
  assert_non_null(strstr(output, "paper, Taylor order 3"));
  assert_non_null(strstr(output, "paper, order 0 (intervals)"));
  assert_non_null(strstr(output, "default (swept axes)"));
  assert_non_null(strstr(output, "published (2007)"));
  char command[300];
  snprintf(command, sizeof command, "grep -q '^| Exercise | paper, Taylor order 3 |' '%s/t.md'", directory);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "grep -q '^| Exercise | 91 | ' '%s/t.md'", directory);
  assert_int_equal(system(command), 0);
}

/* Links of several meshes: four_trains is what `brink replay` has to understand as well. */
CASE(written_replays_are_read_by_the_brink_command) {
  NEED_PROGRAM();
  runSays("--write-replays replays four_trains crane_pipe", 0, "replays/four_trains.scene");
  if (access(REPLAYER, X_OK) != 0) return;
  char command[300];  // ten frames of forty links
  snprintf(command, sizeof command, "cd '%s/replays' && head -n 401 four_trains.motion >short.motion", directory);
  assert_int_equal(system(command), 0);
  assert_int_equal(runProgram(REPLAYER, "replay replays/four_trains.scene replays/short.motion --eps 1e-3 --quiet"), 0);
  assert_non_null(strstr(output, "frames 10 (free 10, hit 0, unresolved 0)"));
  assert_non_null(strstr(output, "before culling 222822.00"));
  runSays("--replay replays/four_trains.scene replays/short.motion --repeat 1", 0, "40 links");
  assert_non_null(strstr(output, "222822"));
}

CASE(walls_of_every_size_are_asked_in_both_schemes) {
  NEED_PROGRAM();
  runSays("--sizes --repeat 1 --markdown sizes.md", 0, "convex wall of 1000 m");
  assert_non_null(strstr(output, "mesh wall of 1000 m"));
  assert_non_null(strstr(output, "up to 50 rad"));
}

/* Cooked by one thread and by two: other bytes would be status 1. */
CASE(cooking_is_measured_and_gives_the_same_bytes_on_two_threads) {
  NEED_PROGRAM();
  runSays("--cook 60 --repeat 1", 0, "bumpy ground       7200       2 |");
  assert_non_null(strstr(output, "bumpy ball         7200       2 |"));
  assert_int_equal(run("--cook 61"), 2);
}

CASE(frames_dealt_out_to_threads_give_the_same_bits) {
  NEED_PROGRAM();
  runSays("--threads 2 --repeat 1 --dir deep/paper exercise", 0, "| the same\n");
  runSays("--threads 5 --repeat 1 --dir deep/paper exercise", 0, "| the same\n");
  assert_null(strstr(output, "nan")); /* where the kernel counts no instructions */
  assert_int_equal(run("--threads 9"), 2);
}

/* 64 excavators in large moves, each pair's own contact. Tests of eight boxes were 59,006 before; they are 49,583
 * without directions across the way, and 60,259 without halves where only the bend of paths hides that boxes are apart.
 */
CASE(large_moves_take_few_tests_of_boxes) {
  NEED_PROGRAM();
  runSays("--threads 2 --repeat 1 --dir deep/paper excavator_drive", 0, "\n64 x Excavator");
  unsigned bodies, near, asked, events, tests;
  const char *row = strstr(output, "\n64 x Excavator") + 1;
  assert_int_equal(sscanf(row, "64 x Excavator, Fig. 9(b) %u %u %u %u %u", &bodies, &near, &asked, &events, &tests), 5);
  print_message("%u tests\n", tests);
  assert_true(near == 1751 && events == 1751 && tests < 42000);
}

/* Two tetrahedra that meet, two that pass, and one beside a mesh, which is left out. */
static void writePairs(const char *name) {
  static const char *tetrahedron = "verts 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nsimps 0\n";
  static const char *mesh = "verts 4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nsimps 1\n3 0 1 2\n";
  static const struct {
    const char *kind, *chain;
  } other[] = {{"convex", "3 0 0  1 0 0 0  -2.5 0 0  0 0 4"},
               {"convex", "3 0 5  1 0 0 0  -2.5 0 0  0 0 4"},
               {"solid", "3 0 0  1 0 0 0  -2.5 0 0  0 0 4"}};
  char text[2000] = "";
  for (size_t i = 0; i < sizeof other / sizeof *other; ++i) {
    const size_t at = strlen(text);
    snprintf(
        text + at, sizeof text - at,
        "ccd 1\nname pair%zu\nT 1\nbody convex solid\nchain 1\n0 0 0  1 0 0 0  0 0 0  0 0 0\n%sbody %s\nchain 1\n%s\n"
        "%send\n",
        i, tetrahedron, other[i].kind, other[i].chain, i < 2 ? tetrahedron : mesh);
  }
  writeFile(name, text);
}

CASE(pairs_of_hulls_are_timed_alone_and_beside_a_peer) {
  NEED_PROGRAM();
  writePairs("pairs.ccd");
  runSays("--pairs pairs.ccd --repeat 2", 0, "2 pairs of 4 vertices on average (1 cases left out)");
  assert_non_null(strstr(output, ", 1 hits, 0 undecided"));
  assert_null(strstr(output, "FCL"));
  runSays("--pairs pairs.ccd --repeat 2 --hot", 0, "HOT");
  runSays("--pairs pairs.ccd --peer nobody", 2, "no peer 'nobody'");
  assert_int_equal(run("--peer fcl"), 2); /* neither pairs nor a scene */
  const int status = run("--pairs pairs.ccd --repeat 2 --peer fcl");
  if (status == 2) { /* a build without it says how to get it */
    assert_non_null(strstr(output, "this build has no peer 'fcl'"));
    assert_non_null(strstr(output, "BRINK_BENCH_FCL"));
    skip();
  }
  assert_int_equal(status, 0);
  const char *line = output; /* both of the peer's loops find Brink's hits, within what a step to 1 mm leaves open */
  for (int i = 0; i < 2; ++i) {
    double ratio, apart;
    unsigned only[2];
    line = strstr(line, "  ratio ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "  ratio %lf", &ratio), 1);
    assert_true(ratio > 0);
    line = strstr(line, "hits that only Brink has");
    assert_non_null(line);
    assert_int_equal(
        sscanf(line, "hits that only Brink has %u, only FCL %u; times apart by %lf", &only[0], &only[1], &apart), 3);
    assert_true(only[0] == 0 && only[1] == 0 && apart < 2e-3);
  }
  assert_non_null(strstr(line, "to warm "));
}

CASE(usage_faults_exit_with_two) {
  NEED_PROGRAM();
  runSays("nowhere", 2, "nowhere");
  assert_non_null(strstr(output, "falling_train"));  // what there is
  assert_int_equal(run("--frames 0"), 2);
  assert_int_equal(run("--tolerance -1"), 2);
  assert_int_equal(run("--replay only.scene"), 2);
  assert_int_equal(run("--write-replays r nowhere"), 2);
}

CASE(malformed_replays_are_refused_with_their_line) {
  NEED_PROGRAM();
  static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  static const struct {
    const char *scene, *motion, *expected;
  } cases[] = {
      {"object a.obj moving 0 0 -1 0 0 0 1 0 0\n", "0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0\n", "s:1:"},
      {"# fine\nobjekt a.obj\n", "", "s:2:"},
      {"object a.obj fixed 0 0 -1 0 0 0 1 0 0 0\n", "", "nothing moves"},
      {"object a.obj moving 0 1 0 0 0 0 1 0 0 0\n", "", "parent"},
      {"object a.obj moving 0 0 -1 0 0 0 1 0 0 0\nignore 0 3\n", "", "s:2:"},
      {"object a.obj moving 0 0 -1 0 0 0 1 0 0 0\n", "0 1 0 0 0 1 0 0 0 0 0 0 1 0 0 0\n", "m:1:"},
      {"object a.obj moving 0 0 -1 0 0 0 1 0 0 0\n", "\n0 0 0 0 0 1 0 0 0 0 0 0 1 0 nan 0\n", "m:2:"},
      {"object a.obj moving 0 0 -1 0 0 0 1 0 0 0\n", "# empty\n", "no frames"},
      {"object a.obj moving 0 0 -1 0 0 0 1 0 0 0\nobject a.obj moving 0 0 -1 0 0 0 1 0 0 0\n",
       "0 1 0 0 0 1 0 0 0 0 0 0 1 0 0 0\n", "part of"},
      {"object missing.obj moving 0 0 -1 0 0 0 1 0 0 0\n", "0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0\n", "missing.obj"},
  };
  writeFile("a.obj", tetrahedron);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    writeFile("s", cases[i].scene);
    writeFile("m", cases[i].motion);
    if (run("--replay s m") != 1 || strstr(output, cases[i].expected) == NULL)
      fail_msg("case %zu: '%s' expected in: %s", i, cases[i].expected, output);
  }
  assert_int_equal(run("--replay s no-such-file"), 1);
}

/* Rows of the table of scenes that ODE does not step frame by frame. */
CASE(questions_and_soaks_are_timed_as_a_whole) {
  NEED_PROGRAM();
  if (run("--demo soak_net --repeat 1") == 2) skip(); /* a build without demos */
  assert_non_null(strstr(output, "soak_net, 60 frames: "));
  runSays("--demo no_such_row", 2, "no demo 'no_such_row'");
#ifndef BRINK_WITHOUT_CLEARANCE
  runSays("--demo clearance --repeat 1", 0, "clearance: ");
  assert_non_null(strstr(output, "ms for all its questions"));
#endif
}

/* Plans of 7 and 14 joints: every certificate proven by one command and accepted by the other. */
CASE(plans_of_two_robots_are_proven_and_verified) {
  NEED_PROGRAM();
  int status = run("--plans --repeat 1");
  if (status == 77) skip();
  if (status != 0) fail_msg("status %d: %s", status, output);
  int joints[2], edges[2];
  size_t made[2], proven[2];
  const char *line = strchr(output, '\n');
  for (int i = 0; i < 2; ++i, line = strchr(line + 1, '\n')) {
    assert_non_null(line);
    assert_int_equal(sscanf(line, "%d %d %zu %zu", &joints[i], &edges[i], &made[i], &proven[i]), 4);
    assert_true(proven[i] == made[i]);
  }
  assert_true(joints[0] == 7 && made[0] == 237 && joints[1] == 14 && made[1] == 546);
}

int main(void) { return cases_Run(makeDirectory, removeDirectory); }
