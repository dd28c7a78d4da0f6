/* SPDX-License-Identifier: BSD-3-Clause */
/* tests/programs/run.sh tells what went through something in other people's games by tests/programs/judge.c. Is that
 * right? tests/programs/ways.c leads a ball on known ways. */
#include "cases.h"
#include "hook_support.h"

static int begin(void **state) {
  if (hook_Begin(state) != 0) return 1;
  hook_Build("ways.c", "ways", "", "-lode");
  hook_Build("judge.c", "judge.so", "-shared -fPIC", "-ldl");
  return 0;
}

CASE(judge_counts_ways_through_and_nothing_else) {
  hookRun run = hook_Run("JUDGE_LOG=plain.log LD_PRELOAD=./judge.so ./ways");
  if (run.status != 0) fail_msg("ended with %d:\n%s%s", run.status, run.output, run.errors);
  assert_string_equal(run.output, "35 of 35 known ways judged rightly\n");
  hook_End(&run);
}

/* The near callback of ways.c makes no joint: all may pass all, with Brink too. (Capture would clamp a world's first
 * step, before it has asked.) */
CASE(judge_counts_the_same_before_brink) {
  if (access(HOOK_PRELOAD, R_OK) != 0) {
    print_message("skipped: libbrink_preload.so is not built\n");
    skip();
  }
  hookRun run = hook_Run(
      "BRINK_MODE=report BRINK_CALLBACK=replay JUDGE_LOG=with.log LD_PRELOAD='./judge.so:" HOOK_PRELOAD "' ./ways");
  if (run.status != 0) fail_msg("ended with %d:\n%s%s", run.status, run.output, run.errors);
  assert_string_equal(run.output, "35 of 35 known ways judged rightly\n");
  hook_End(&run);
}

int main(void) { return cases_Run(begin, hook_Finish); }
