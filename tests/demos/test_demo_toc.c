/* SPDX-License-Identifier: BSD-3-Clause */
/* Are the times of contact in the demos right? Every answer of short runs against demos/toc_judge.c, which shares
 * nothing with algorithms/; and the judge itself against closed forms. The full runs: brink-demo SCENE --verify. */
#include <stdio.h>

#include "cases.h"
#include <math.h>

#include "toc_judge.h"
#include "verify.h"

#define MODELS BRINK_BINARY_DIR "/test_demo_toc"

static const double square[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const uint32_t squareCorners[6] = {0, 1, 2, 0, 2, 3};

static judgeMesh *makeSquare(void) {
  judgeMesh *mesh = judgeMesh_Create(square, 4, squareCorners, 2);
  assert_non_null(mesh);
  return mesh;
}

static judgePose placed(long double x, long double y, long double z) { return (judgePose){{x, y, z}, {1, 0, 0, 0}}; }

CASE(the_judge_knows_distances_in_closed_form) {
  judgeMesh *a = makeSquare(), *b = makeSquare();
  judgePose home = placed(0, 0, 0), above = placed(0.3L, 0.2L, 0.75L), beside = placed(5, 0, 0),
            corner = placed(5, 6, 0);
  assert_true(fabsl(judge_Distance(a, &home, b, &above, 1.0L) - 0.75L) < 1e-15L);
  assert_true(fabsl(judge_Distance(a, &home, b, &beside, 10.0L) - 3.0L) < 1e-15L);
  assert_true(fabsl(judge_Distance(a, &home, b, &corner, 10.0L) - 5.0L) < 1e-15L);
  assert_true(judge_Distance(a, &home, b, &above, 0.5L) > 0.5L);
  judgePose upright = {{0.1L, 0, 0.4L}, {sqrtl(0.5L), sqrtl(0.5L), 0, 0}}; /* a quarter turn about x: crosses */
  assert_true(judge_Distance(a, &home, b, &upright, 1.0L) == 0);
  upright.position[2] = 1.25L; /* its lower edge is 0.25 over the face */
  assert_true(fabsl(judge_Distance(a, &home, b, &upright, 1.0L) - 0.25L) < 1e-15L);
  const double plane[4] = {0, 0, 1, -0.5};
  assert_true(fabsl(judge_PlaneDistance(plane, a, &upright) - 0.75L) < 1e-15L);
  judgeMesh_Destroy(a);
  judgeMesh_Destroy(b);
}

CASE(the_judge_turns_about_a_fixed_axis) {
  judgeMotion motion = {{1, 2, 3}, {1, 0, 0, 0}, {2, 0, 0}, {0, 0, 3.141592653589793}};
  judgePose half = judge_PoseAt(&motion, 0.5L);
  assert_true(fabsl(half.position[0] - 2) < 1e-15L && half.position[1] == 2 && half.position[2] == 3);
  assert_true(fabsl(half.turn[0] - sqrtl(0.5L)) < 1e-15L && fabsl(half.turn[3] - sqrtl(0.5L)) < 1e-15L);
}

static void judgeScene(const char *name, double speed, uint64_t seed, int skip, int frames, long minimum) {
  char message[400] = "", text[1024];
  const demoSceneDef *def = demoFindScene(name);
  demoParams params = {.withBrink = true, .seed = seed, .speed = speed, .assetDir = MODELS, .quiet = true};
  demoScene *scene = def->create(&params, message, sizeof message);
  if (!scene) fail_msg("%s: %s", name, message);
  demoFrame frame;
  for (int i = 0; i < skip; i++) def->step(scene, &frame);
  verifier *judge = verifier_Attach(scene, message, sizeof message);
  if (!judge) fail_msg("%s: %s", name, message);
  for (int i = 0; i < frames; i++) {
    def->step(scene, &frame);
    assert_int_equal(frame.failed, 0);
  }
  verifyResult result = *verifier_Result(judge);
  verifyResult_Say(&result, text, sizeof text);
  print_message("%s, seed %d: %s\n", name, (int)seed, text);
  verifier_Detach(judge);
  def->destroy(scene);
  if (!verifyResult_IsGood(&result) || result.events < minimum) fail_msg("%s, seed %d", name, (int)seed);
}

CASE(no_event_of_the_falling_train_is_late_or_early) { judgeScene("falling_train", 0.0, 0, 8, 22, 10); }

CASE(no_event_of_a_thrown_mannequin_is_late_or_early) { judgeScene("ragdoll", 25.0, 0, 3, 5, 10); }

int main(void) { return cases_Run(NULL, NULL); }
