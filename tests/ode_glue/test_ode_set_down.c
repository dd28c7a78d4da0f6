/* SPDX-License-Identifier: BSD-3-Clause */
/* What is set down beside a registered mesh is not thrown: Brink's contacts lift it at their own slow speed, whatever
 * the length of the step, from the first frame on, and only while it is where they say. Units: SI. */
#include <math.h>

#include "cases.h"
#include "row.h"
#include "stage.h"
#define BRINK_ODE_REDIRECT_NAMES_ONLY
#include "brink/ode_redirect.h"

#define LIFT 0.04 /* m/s, at which what lies too near is lifted */

typedef struct thing {
  stageShape shape;
  double size[3], up, gap, erp, h;
} thing;

typedef struct trial {
  const thing *thing;
  stageSetup setup;
  int callback;
  double most; /* m/s, in the second after */
} trial;

/* In a process of its own: a hook's callback is chosen once. */
static void measure(void *data) {
  trial *out = data;
  const thing *t = out->thing;
  stage s;
  double most = 0;
  dBrinkHookSetCallback(out->callback);
  stage_Begin(&s, &out->setup);
  s.surface.mode = dContactApprox1 | dContactSoftERP;
  s.surface.softErp = t->erp;
  stage_AddStatic(&s, stageBox, (double[3]){4, 4, 0.2}, (double[3]){0, 0, -0.1});
  stage_AddStatic(&s, stageMesh, (double[3]){4, 4, 0}, (double[3]){10, 0, 0});
  dQuaternion turn;
  dQFromAxisAndAngle(turn, 0, 0, 1, 0.5);
  double x = t->shape == stageMesh ? 0.1 : 10.1;
  dBodySetQuaternion(stage_AddBody(&s, t->shape, t->size, 700, (double[3]){x, 0.2, t->up + t->gap}), turn);
  for (double time = 0; time < 1; time += t->h) {
    stage_Step(&s);
    most = fmax(most, stage_Fastest(&s));
  }
  stage_End(&s);
  out->most = most;
}

static const thing things[] = {{stageSphere, {0.3, 0.3, 0.3}, 0.15, 0, 0.2, 1.0 / 1000},
                               {stageBox, {0.3, 0.3, 0.2}, 0.1, 0, 0.8, 1.0 / 1000},
                               {stageMesh, {0.29, 0.29, 0.4}, 0.2, 1e-6, 0.8, 1.0 / 1000},
                               {stageMesh, {0.12, 0.12, 0.2}, 0.1, 3e-4, 0.6, 1.0 / 1000},
                               {stageMesh, {0.4, 0.4, 0.5}, 0.25, 1e-5, 0.6, 1.0 / 240}};
enum { thingCount = (int)(sizeof things / sizeof *things) };

static void mustLieStill(stageWay way, int callback, const char *name) {
  for (int i = 0; i < 2 * thingCount; ++i) {
    const thing *t = &things[i / 2];
    trial one = {.thing = t,
                 .setup = {.way = way, .quick = i % 2, .registered = true, .h = t->h, .gravity = -9.81},
                 .callback = callback};
    assert_true(row_Alone(measure, &one, sizeof(one)));
    double fall = sqrt(2 * 9.81 * t->gap) + 9.81 * t->h;
    if (!(one.most <= fmax(fall, LIFT) + 0.01))
      fail_msg("thing %d, %s, %s: %.3f m/s", i / 2, name, i % 2 ? "QuickStep" : "WorldStep", one.most);
  }
}

/* In the first frame nobody knows the step: lifted as in one of 16 ms, a body flew off at 0.5 m/s in one of 1 ms. */
CASE(before_the_step_is_known_nothing_is_lifted) {
  mustLieStill(stageCalls, dBrinkCallbackReplay, "calls");
  mustLieStill(stageHeader, dBrinkCallbackReplay, "header");
}

/* A body that is lifted so slowly that it needs no question was asked about where it had been looked at last: contacts
 * of that place carried it on, centimetres up, and dropped it. */
CASE(a_captured_contact_is_of_where_the_body_is) { mustLieStill(stageHeader, dBrinkCallbackCapture, "capture"); }

int main(void) { return cases_Run(NULL, NULL); }
