/* SPDX-License-Identifier: BSD-3-Clause */
/* tests/programs/run.sh tells what went through something in other people's games by tests/programs/judge.c. Is that
 * right? tests/programs/ways.c leads a ball on known ways. */
#include "cases.h"
#include "door_support.h"

static int begin(void **state) {
  if (door_Begin(state) != 0) return 1;
  door_Build("ways.c", "ways", "", "-lode");
  door_Build("judge.c", "judge.so", "-shared -fPIC", "-ldl");
  return 0;
}

CASE(judge_counts_ways_through_and_nothing_else) {
  doorRun run = door_Run("JUDGE_LOG=plain.log LD_PRELOAD=./judge.so ./ways");
  if (run.status != 0) fail_msg("ended with %d:\n%s%s", run.status, run.output, run.errors);
  assert_string_equal(run.output, "19 of 19 known ways judged rightly\n");
  door_End(&run);
}

/* The near callback of ways.c makes no joint: all may pass all, with Brink too. (Capture would clamp a world's first
 * step, before it has asked.) */
CASE(judge_counts_the_same_before_brink) {
  if (access(DOOR_PRELOAD, R_OK) != 0) {
    print_message("skipped: libbrink_preload.so is not built\n");
    skip();
  }
  doorRun run = door_Run(
      "BRINK_MODE=report BRINK_CALLBACK=replay JUDGE_LOG=with.log LD_PRELOAD='./judge.so:" DOOR_PRELOAD "' ./ways");
  if (run.status != 0) fail_msg("ended with %d:\n%s%s", run.status, run.output, run.errors);
  assert_string_equal(run.output, "19 of 19 known ways judged rightly\n");
  door_End(&run);
}

int main(void) { return cases_Run(begin, door_Finish); }
