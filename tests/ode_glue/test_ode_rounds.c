/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that closes ODE and begins again has the same bits in its second round: nothing that Brink chose by itself
 * in the first one is left. Units: SI. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "row.h"
#include "stage.h"
#define BRINK_ODE_REDIRECT_NAMES_ONLY
#include "brink/ode_redirect.h"

enum { frames = 60, bodies = 3, rounds = 3 };

typedef struct history {
  int callback;
  bool quick;
  double places[rounds][frames][bodies][3];
} history;

/* Meshes and a ball thrown at a sheet: the first impact of a mesh makes the contacts of meshes Brink's. */
static void play(history *out, int round) {
  stage s;
  const stageSetup setup = {.way = stageHeader, .quick = out->quick, .h = 1.0 / 60, .gravity = -9.81};
  stage_Begin(&s, &setup);
  stage_AddStatic(&s, stageMesh, (double[3]){6, 6, 0}, (double[3]){0, 0, 0});
  for (int i = 0; i < bodies; ++i) {
    dBodyID body = stage_AddBody(&s, i == 2 ? stageSphere : stageMesh, (double[3]){0.3, 0.3, 0.2}, 700,
                                 (double[3]){0.6 * i, 0.1 * i, 0.5 + 0.2 * i});
    dBodySetLinearVel(body, 1, 0, -12);
    dBodySetAngularVel(body, 1, 2, 0);
  }
  for (int frame = 0; frame < frames; ++frame) {
    stage_Step(&s);
    for (int i = 0; i < bodies; ++i)
      memcpy(out->places[round][frame][i], dBodyGetPosition(s.bodies[i]), sizeof(out->places[round][frame][i]));
  }
  stage_End(&s);
}

static void playAll(void *data) {
  history *out = data;
  dBrinkHookSetCallback(out->callback);
  for (int round = 0; round < rounds; ++round) play(out, round);
}

static void mustRepeat(int callback) {
  static history h;
  for (int quick = 0; quick < 2; ++quick) {
    h = (history){.callback = callback, .quick = quick};
    assert_true(row_Alone(playAll, &h, sizeof(h)));
    for (int round = 1; round < rounds; ++round)
      for (int frame = 0; frame < frames; ++frame)
        if (memcmp(h.places[round][frame], h.places[0][frame], sizeof(h.places[0][frame])) != 0)
          fail_msg("%s, round %d: other bits from frame %d on", quick ? "QuickStep" : "WorldStep", round, frame);
  }
}

static void a_second_round_has_the_bits_of_the_first(void **state) {
  (void)state;
  mustRepeat(dBrinkCallbackReplay);
}

static void so_it_has_with_captured_contacts(void **state) {
  (void)state;
  mustRepeat(dBrinkCallbackCapture);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_second_round_has_the_bits_of_the_first),
                                     cmocka_unit_test(so_it_has_with_captured_contacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
