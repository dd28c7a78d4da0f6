/* SPDX-License-Identifier: BSD-3-Clause */
/* Row 2: small worlds at rest. One to three stacks of one to six boxes or cylinders of round sizes and lying capsules
 * on a box of 1 to 200 m. Nothing is fast, so Brink has nothing to do.
 *
 * Plain ODE itself throws some of these worlds out of perfect rest: contacts told twice, which its direct solver cannot
 * answer, and colliders of cylinders that see nothing in one frame and 4 mm in the next. Whom it throws is a matter of
 * the last bit. So a frame with an extra solve counts against Brink where plain ODE's step from the very same state
 * leaves the world at rest; and `plain` of speeds is the larger one of the plain run and of these steps. */
#include <math.h>
#include <stdio.h>

#include "row.h"
#include "stage.h"

#define SETTLING 120 /* frames */
#define FASTER 1.05
#define LEAST_SPEED 1e-3 /* m/s: slower is rest */
#define RESTLESS 0.1     /* m/s, of some point: plain ODE throws the world, as test_ode_settled counts it */

static const double floors[] = {1, 2, 5, 10, 20, 50, 100, 200};
static const double widths[] = {0.1, 0.2, 0.25, 0.3, 0.5}, heights[] = {0.02, 0.05, 0.1, 0.2};
static const int frameCounts[2] = {1200, 300};
#define PICK(random, list) ((list)[stage_Pick((random), (int)(sizeof(list) / sizeof *(list)))])

static double buildWorld(stage *s, uint64_t random) {
  double width = PICK(&random, floors), room = fmin(width, 6);
  stage_AddStatic(s, stageBox, (double[3]){width, width, 0.02}, (double[3]){0, 0, -0.01});
  int stacks = 1 + stage_Pick(&random, 3), capsules = stage_Pick(&random, 4);
  for (int i = 0; i < stacks; ++i) {
    stageShape shape = stage_Pick(&random, 2) ? stageBox : stageCylinder;
    double side = fmin(PICK(&random, widths), room / 4), height = PICK(&random, heights);
    for (int k = 0, count = 1 + stage_Pick(&random, 6); k < count; ++k)
      stage_AddBody(s, shape, (double[3]){side, side, height}, 800,
                    (double[3]){(i - 1) * room / 3 + 0.01 * k, 0, height * (k + 0.5)});
  }
  for (int i = 0; i < capsules; ++i) {
    dBodyID body =
        stage_AddBody(s, stageCapsule, (double[3]){0.1, 0, 0.3}, 800, (double[3]){(i - 1) * 0.12, room / 3, 0.05});
    const dQuaternion lying = {sqrt(0.5), sqrt(0.5), 0, 0};
    dBodySetQuaternion(body, lying);
  }
  return width;
}

static int countGroups(const rowOptions *options) {
  (void)options;
  return 2;
}

static void labelGroup(int group, char *text, int capacity) {
  snprintf(text, (size_t)capacity, "small worlds at rest, %s", group ? "QuickStep" : "WorldStep");
}

typedef struct outcome {
  double speeds[2]; /* m/s, once settled: plain, with Brink */
  double width;
  long late, thrown, undecided, clamps; /* frames with extra solves: from rest, and where plain ODE throws */
  bool same;
} outcome;

static outcome runWorld(uint64_t random, bool quick, int frames) {
  stageSetup setup = {.way = stagePlain, .quick = quick, .h = 1.0 / 60, .gravity = -9.81};
  stage plain, step, state, with; /* step: plain ODE from the state that Brink's world has */
  outcome out = {.late = 0};
  stage_Begin(&plain, &setup);
  out.width = buildWorld(&plain, random);
  stage_Begin(&step, &setup);
  buildWorld(&step, random);
  stage_Begin(&state, &setup);
  buildWorld(&state, random);
  setup.way = stageCalls;
  stage_Begin(&with, &setup);
  buildWorld(&with, random);
  for (int frame = 0; frame < frames; ++frame) {
    stage_Copy(&with, &state);
    stage_Step(&plain);
    stage_Step(&with);
    if (frame < SETTLING) continue;
    out.speeds[0] = fmax(out.speeds[0], stage_Fastest(&plain));
    out.speeds[1] = fmax(out.speeds[1], stage_Fastest(&with));
    if (with.lastSolves == 1 && stage_Fastest(&with) <= out.speeds[0]) continue;
    bool throws = false;
    /* Twice: its space lists geoms in another order then, so rows have another one, too. */
    for (int time = 0; time < 2; ++time) {
      stage_Copy(&state, &step);
      stage_Step(&step);
      out.speeds[0] = fmax(out.speeds[0], stage_Fastest(&step));
      throws = throws || stage_FastestPoint(&step) > RESTLESS;
    }
    out.late += with.lastSolves > 1 && !throws;
    out.thrown += with.lastSolves > 1 && throws;
  }
  out.undecided = with.unresolved;
  out.clamps = with.clamps;
  out.same = stage_Same(&plain, &with);
  stage_End(&with);
  stage_End(&state);
  stage_End(&step);
  stage_End(&plain);
  return out;
}

static void runGroup(int group, const rowOptions *options, rowResult *out) {
  int seeds = row_Seeds(options, 300, 12), undecided = 0, clamped = 0, extra = 0, faster = 0, equal = 0;
  long thrown = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    outcome world = runWorld(row_Random(options, 0, seed), group, frameCounts[options->quick]);
    bool quicker = !(world.speeds[1] <= FASTER * world.speeds[0] + LEAST_SPEED);
    undecided += world.undecided > 0;
    clamped += world.clamps > 0;
    extra += world.late > 0;
    thrown += world.thrown;
    faster += quicker;
    equal += world.same;
    out->cases++;
    if (world.undecided > 0 || world.clamps > 0 || world.late > 0 || quicker)
      row_Fail(out, options,
               "seed %d, floor %.0f m: undecided %ld, clamps %ld, frames with extra solves %ld, fastest %.3g m/s, "
               "plain %.3g",
               seed, world.width, world.undecided, world.clamps, world.late, world.speeds[1], world.speeds[0]);
  }
  row_Say(out,
          "of %d: undecided %d, clamped %d, extra solves once settled %d, faster than plain %d; bits of plain %d; "
          "extra solves in %ld frames that plain ODE throws",
          seeds, undecided, clamped, extra, faster, equal, thrown);
}

const row restRow = {
    ROW_OF_GROUPS(2, "rest", "0 undecided, 0 clamps, no extra solve once settled, nothing faster than in plain ODE")};
