/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the scenes keep their promises over a shorter run than the demo's? At rest: no extra solve once settled, no creep
 * beyond plain ODE's. Falling: nothing in the mountain, in any frame, while plain ODE sinks. The full runs: brink-demo
 * SCENE. */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "cases.h"
#include "scene_kit.h"

#define MODELS BRINK_BINARY_DIR "/test_demo_settled"

/* As brink-demo runs a scene. */
static void runBoth(const char *name, int frames, kitSummary *sum) {
  const demoSceneDef *def = demoFindScene(name);
  demoFrame *runs[2];
  char text[1024] = "";
  for (int withBrink = 0; withBrink < 2; withBrink++) {
    char message[400] = "";
    demoParams params = {.withBrink = withBrink != 0, .assetDir = MODELS, .quiet = true};
    runs[withBrink] = calloc((size_t)frames, sizeof *runs[withBrink]);
    assert_non_null(runs[withBrink]);
    demoScene *scene = def->create(&params, message, sizeof message);
    if (!scene) fail_msg("%s: %s", name, message);
    for (int i = 0; i < frames; i++) {
      def->step(scene, &runs[withBrink][i]);
      runs[withBrink][i].brink.events = NULL;
    }
    def->destroy(scene);
  }
  kit_Summarize(runs[0], runs[1], frames, sum);
  bool good = def->verdict(runs[0], runs[1], frames, text, sizeof text);
  print_message("%s\n", text);
  free(runs[0]);
  free(runs[1]);
  if (!good) fail_msg("%s does not keep its promise", name);
}

CASE(a_lying_mannequin_is_left_alone) {
  kitSummary sum;
  runBoth("lying_mannequin", 2000, &sum);
  assert_true(sum.lastExtraSolve < 900);
}

CASE(a_stack_of_ten_boxes_is_left_alone) {
  kitSummary sum;
  runBoth("box_stack", 2000, &sum);
  assert_int_equal(sum.extraSolves, 0);
}

CASE(no_car_is_ever_in_the_mountain) {
  kitSummary sum;
  runBoth("falling_train", 120, &sum);
  assert_true(sum.everThroughPlain > 0);
  assert_int_equal(sum.worstThroughBrink, 0);
}

static uint64_t hashAfter(const char *name, bool withBrink, int frames) {
  char message[400] = "";
  const demoSceneDef *def = demoFindScene(name);
  demoParams params = {.withBrink = withBrink, .assetDir = MODELS, .quiet = true};
  demoScene *scene = def->create(&params, message, sizeof message);
  if (!scene) fail_msg("%s: %s", name, message);
  demoFrame frame;
  for (int i = 0; i < frames; i++) def->step(scene, &frame);
  uint64_t hash = def->hash(scene);
  def->destroy(scene);
  return hash;
}

/* Debug, Release and sanitized builds give these bits. A plain run that gives others has another ODE or libm (its sine
 * differs between processors in the last bit): then nothing is said. Whoever changes an answer's last bit writes the
 * new hash here. */
CASE(scenes_give_their_golden_hashes_in_every_build_type) {
  static const struct {
    const char *name;
    int frames;
    uint64_t plain, brink;
  } golden[] = {{"falling_train", 60, UINT64_C(0x32eea8d832c7524f), UINT64_C(0xd8c292b6ff185f9d)},
                {"ragdoll", 30, UINT64_C(0x3bfe45d8bfd59a40), UINT64_C(0x3ad4cc16b007e377)},
                {"box_stack", 60, UINT64_C(0x89304b2e8e61ca8e), UINT64_C(0x89304b2e8e61ca8e)},
                {"lying_mannequin", 60, UINT64_C(0x899e4b9143728def), UINT64_C(0x477e2d1c9ee229f3)},
                {"pile", 20, UINT64_C(0x9e76b952271eea78), UINT64_C(0x076fa3b161e1968d)}};
  for (const demoSceneDef *const *def = demoScenes; *def; def++) {
    size_t i = 0;
    while (i < sizeof golden / sizeof *golden && strcmp(golden[i].name, (*def)->name) != 0) i++;
    if (i == sizeof golden / sizeof *golden) fail_msg("%s has no golden hash", (*def)->name);
    uint64_t plain = hashAfter(golden[i].name, false, golden[i].frames),
             brink = hashAfter(golden[i].name, true, golden[i].frames);
    print_message("%s after %d frames: plain %016llx, with Brink %016llx\n", golden[i].name, golden[i].frames,
                  (unsigned long long)plain, (unsigned long long)brink);
    if (plain == golden[i].plain)
      assert_true(brink == golden[i].brink);
    else
      print_message("another ODE or libm: not judged\n");
  }
}

int main(void) { return cases_Run(NULL, NULL); }
