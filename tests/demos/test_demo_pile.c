/* SPDX-License-Identifier: BSD-3-Clause */
/* A thousand settled bodies of every kind, 300 steps: no extra solve, no clamp, no more drift than plain ODE; nothing
 * else changes either: the worlds stay equal bit for bit. 10,000 steps: brink-bench --overhead pile --frames 10000. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "scene_kit.h"

#define FRAMES 300

CASE(a_settled_pile_of_a_thousand_is_left_alone) {
  const demoSceneDef *def = demoFindScene("pile");
  static demoFrame runs[2][FRAMES];
  uint64_t hashes[2];
  for (int withBrink = 0; withBrink < 2; withBrink++) {
    char message[400] = "";
    demoParams params = {.withBrink = withBrink != 0, .quiet = true};
    demoScene *scene = def->create(&params, message, sizeof message);
    if (!scene) fail_msg("%s", message);
    assert_int_equal(scene->bodyCount, 1000);
    for (int i = 0; i < FRAMES; i++) {
      def->step(scene, &runs[withBrink][i]);
      runs[withBrink][i].brink.events = NULL;
    }
    hashes[withBrink] = def->hash(scene);
    def->destroy(scene);
  }
  char text[512];
  bool good = def->verdict(runs[0], runs[1], FRAMES, text, sizeof text);
  print_message("%s\n", text);
  assert_true(good);
  assert_true(hashes[0] == hashes[1]);
}

int main(void) { return cases_Run(NULL, NULL); }
