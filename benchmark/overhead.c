/* SPDX-License-Identifier: BSD-3-Clause */
/* What does Brink cost an ODE program? Two worlds from one start, one stepped by plain ODE and one with Brink, frame by
 * frame in turn, in one process: whatever else the machine does meets both alike. Time is the thread's own (CPU time);
 * a frame is dSpaceCollide, the step, and emptying the contact group.
 *
 * Rows: boxes and cylinders at rest and rolling balls (nothing is ever struck: Brink has to see that, and both worlds
 * stay equal bit for bit, which is checked); a hall with bodies at rest on its floor and balls that fly at 50 m/s above
 * them, one in twenty, between walls and each other. Each impact there costs an extra solve, in which ODE walks through
 * its whole world. Units: m, kg, s; z up. */
#include "overhead.h"

#include <math.h>
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "brink/ode.h"
#include "scene.h"

#define STEP (1.0 / 60)
#define SETTLING 60     /* frames that are not measured */
#define SIDE 0.8        /* m, of a body */
#define FAST_SPEED 50.0 /* m/s */
#define CEILING 30.0    /* m */
#define MAX_CONTACTS 4
#define PILE_LABEL "1,000 settled bodies of every kind"
#define PILE_BAR 1.05
#define PILE_FRAMES 300

typedef struct Row {
  const char *name, *label;
  int bodies;
  double fastShare, slowShare; /* parts of the bodies; slow ones are balls that roll */
  double spacing;              /* m, of the grid on the floor */
  double bar;                  /* largest ratio of times */
  int frames;                  /* unless asked otherwise */
} Row;

static const Row rows[] = {
    {"slow", "2,000 bodies, at rest or slow", 2000, 0, 0.25, 1.5, 1.05, 300},
    {"fast", "10,000 bodies, 5 % at 50 m/s", 10000, 0.05, 0.25, 4, 1.3, 60},
};
enum { rowCount = (int)(sizeof rows / sizeof *rows) };

typedef struct World {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBrinkID brink; /* NULL: plain ODE */
  dBodyID *bodies;
  int bodyCount;
  unsigned long seed; /* dRand is the process's: each world keeps its own */
  double seconds, brinkSeconds;
  long solves, clamps, events, frames;
} World;

static double CpuSeconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* splitmix64 */
static double Uniform(uint64_t *state, double low, double high) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static void Near(void *data, dGeomID a, dGeomID b) {
  World *world = data;
  dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
  dContactGeom found[MAX_CONTACTS];
  if (bodyA == NULL && bodyB == NULL) return;
  int count = dCollide(a, b, MAX_CONTACTS, found, sizeof *found);
  /* Flying bodies bounce without loss, so that they stay fast. */
  bool flying = (bodyA != NULL && !dBodyGetGravityMode(bodyA)) || (bodyB != NULL && !dBodyGetGravityMode(bodyB));
  for (int i = 0; i < count; ++i) {
    dContact contact = {.surface = {.mode = dContactApprox1 | (flying ? dContactBounce : 0), .mu = flying ? 0 : 0.5}};
    contact.surface.bounce = 1;
    contact.geom = found[i];
    dJointAttach(dJointCreateContact(world->world, world->contacts, &contact), bodyA, bodyB);
  }
}

/* ---- building */

static dBodyID AddBody(World *world, int kind) {
  dBodyID body = dBodyCreate(world->world);
  dGeomID geom;
  dMass mass;
  switch (kind) {
    case 1:
      geom = dCreateSphere(world->space, SIDE / 2);
      dMassSetSphereTotal(&mass, 1, SIDE / 2);
      break;
    case 2:
      geom = dCreateCylinder(world->space, SIDE / 2, SIDE);
      dMassSetCylinderTotal(&mass, 1, 3, SIDE / 2, SIDE);
      break;
    default:
      geom = dCreateBox(world->space, SIDE, SIDE, SIDE);
      dMassSetBoxTotal(&mass, 1, SIDE, SIDE, SIDE);
      break;
  }
  dBodySetMass(body, &mass);
  dGeomSetBody(geom, body);
  world->bodies[world->bodyCount++] = body;
  return body;
}

static void AddWall(World *world, double x, double y, double lengthX, double lengthY) {
  dGeomID wall = dCreateBox(world->space, lengthX, lengthY, 2 * CEILING);
  dGeomSetPosition(wall, x, y, 0);
}

/* The floor: a grid of bodies, some of which creep along it. In the air: the fast ones. */
static bool BuildWorld(World *world, const Row *row, bool withBrink) {
  uint64_t random = 7;
  *world =
      (World){.world = dWorldCreate(), .space = dHashSpaceCreate(NULL), .contacts = dJointGroupCreate(0), .seed = 42};
  world->bodies = calloc((size_t)row->bodies, sizeof *world->bodies);
  if (world->bodies == NULL) return false;
  dWorldSetGravity(world->world, 0, 0, -9.81);
  dCreatePlane(world->space, 0, 0, 1, 0);
  int fast = (int)(row->bodies * row->fastShare), lying = row->bodies - fast, columns = 1;
  while (columns * columns < lying) columns++;
  double half = row->spacing * (columns + 2) / 2;
  for (int side = -1; side <= 1; side += 2) {
    AddWall(world, side * (half + 1), 0, 2, 2 * half + 4);
    AddWall(world, 0, side * (half + 1), 2 * half, 2);
  }
  dCreatePlane(world->space, 0, 0, -1, -CEILING);
  for (int i = 0; i < lying; ++i) {
    bool slow = i % 4 < 4 * row->slowShare;
    dBodyID body = AddBody(world, slow ? 1 : i % 4);
    dBodySetPosition(body, row->spacing * (i % columns - 0.5 * (columns - 1)),
                     row->spacing * (i / columns - 0.5 * (columns - 1)), SIDE / 2);
    if (slow) {
      double x = Uniform(&random, -0.1, 0.1), y = Uniform(&random, -0.1, 0.1);
      dBodySetLinearVel(body, x, y, 0);
      dBodySetAngularVel(body, -y / (SIDE / 2), x / (SIDE / 2), 0);
    }
  }
  for (int i = 0; i < fast; ++i) {
    dBodyID body = AddBody(world, 1);
    double angle = Uniform(&random, -3.14, 3.14);
    dBodySetPosition(body, Uniform(&random, -half + 2, half - 2), Uniform(&random, -half + 2, half - 2),
                     Uniform(&random, 3, CEILING - 2));
    dBodySetLinearVel(body, FAST_SPEED * cos(angle), FAST_SPEED * sin(angle), 0);
    dBodySetAngularVel(body, Uniform(&random, -5, 5), Uniform(&random, -5, 5), Uniform(&random, -5, 5));
    dBodySetGravityMode(body, 0);
  }
  if (withBrink) {
    world->brink = dBrinkCreate(world->world);
    return world->brink != NULL && dBrinkAddSpace(world->brink, world->space);
  }
  return true;
}

static void DestroyWorld(World *world) {
  dBrinkDestroy(world->brink);
  dJointGroupDestroy(world->contacts);
  dSpaceDestroy(world->space);
  dWorldDestroy(world->world);
  free(world->bodies);
}

/* ---- measuring */

static bool StepWorld(World *world, bool measured) {
  dRandSetSeed(world->seed);
  double began = CpuSeconds();
  int done = 1;
  dSpaceCollide(world->space, world, Near);
  if (world->brink != NULL)
    done = dBrinkWorldQuickStep(world->brink, STEP, world, Near, world->contacts);
  else
    dWorldQuickStep(world->world, STEP);
  dJointGroupEmpty(world->contacts);
  double seconds = CpuSeconds() - began;
  world->seed = dRandGetSeed();
  if (!measured) return done != 0;
  world->seconds += seconds;
  world->frames++;
  if (world->brink != NULL) {
    dBrinkStepInfo info = {.structSize = sizeof info};
    dBrinkGetStepInfo(world->brink, &info);
    world->solves += info.solves;
    world->clamps += info.clamps;
    world->events += info.eventCount;
    world->brinkSeconds += 1e-3 * info.milliseconds;
  }
  return done != 0;
}

static bool SameStates(const World *a, const World *b) {
  for (int i = 0; i < a->bodyCount; ++i)
    if (memcmp(dBodyGetPosition(a->bodies[i]), dBodyGetPosition(b->bodies[i]), 3 * sizeof(dReal)) != 0 ||
        memcmp(dBodyGetQuaternion(a->bodies[i]), dBodyGetQuaternion(b->bodies[i]), 4 * sizeof(dReal)) != 0)
      return false;
  return true;
}

static bool RunRow(const Row *row, int frames, FILE *markdown) {
  World plain, brink;
  bool good = BuildWorld(&plain, row, false);
  good = BuildWorld(&brink, row, true) && good;
  for (int i = 0; good && i < SETTLING + frames; ++i) {
    World *order[2] = {i % 2 ? &brink : &plain, i % 2 ? &plain : &brink};
    good = StepWorld(order[0], i >= SETTLING) && StepWorld(order[1], i >= SETTLING);
  }
  if (!good) fprintf(stderr, "brink-bench: %s: %s\n", row->label, dBrinkGetError(brink.brink));
  if (good) {
    double ratio = brink.seconds / plain.seconds, scale = 1e3 / frames;
    bool same = SameStates(&plain, &brink);
    bool holds = ratio <= row->bar && (row->fastShare > 0 || same);
    printf("%-32s %9.3f %9.3f %7.3f %6.2f %-9s %9.3f %8.2f %7.2f %7.2f %s\n", row->label, scale * plain.seconds,
           scale * brink.seconds, ratio, row->bar, holds ? "holds" : "FAILS", scale * brink.brinkSeconds,
           (double)brink.events / frames, (double)(brink.solves - frames) / frames, (double)brink.clamps / frames,
           same ? "equal" : "differ");
    if (markdown != NULL)
      fprintf(markdown, "| %s | %.2f | %.2f | %.3f | %.2f | %.2f | %.2f |\n", row->label, scale * plain.seconds,
              scale * brink.seconds, ratio, row->bar, (double)brink.events / frames,
              (double)(brink.solves - frames) / frames);
    good = holds;
  }
  DestroyWorld(&brink);
  DestroyWorld(&plain);
  return good;
}

/* The demo scene `pile`: a thousand bodies of every kind, settled. Its frames, in turn, with the scene's own figures
 * (energy, distances), which cost both alike. */
static bool RunPile(int frames, FILE *markdown) {
  const demoSceneDef *def = demoFindScene("pile");
  demoScene *scenes[2] = {NULL, NULL};
  char message[400] = "";
  double seconds[2] = {0, 0}, drift[2] = {0, 0};
  long extra = 0, clamps = 0;
  unsigned long seeds[2] = {42, 42};
  bool good = true;
  for (int i = 0; good && i < 2; ++i) {
    const demoParams params = {.withBrink = i == 1, .quiet = true};
    dRandSetSeed(42);
    scenes[i] = def->create(&params, message, sizeof message);
    seeds[i] = dRandGetSeed();
    good = scenes[i] != NULL;
  }
  for (int frame = -SETTLING; good && frame < frames; ++frame)
    for (int k = 0; k < 2; ++k) {
      int i = (frame + SETTLING + k) % 2;
      demoFrame out;
      dRandSetSeed(seeds[i]);
      double began = CpuSeconds();
      def->step(scenes[i], &out);
      seconds[i] += frame >= 0 ? CpuSeconds() - began : 0;
      seeds[i] = dRandGetSeed();
      drift[i] = out.worstDepth > drift[i] ? out.worstDepth : drift[i];
      extra += i == 1 ? out.brink.solves - 1 : 0;
      clamps += out.brink.clamps;
      good = out.failed == 0;
    }
  bool same = good && def->hash(scenes[0]) == def->hash(scenes[1]);
  double ratio = good ? seconds[1] / seconds[0] : 0, scale = 1e3 / frames;
  bool holds = good && ratio <= PILE_BAR && extra == 0 && drift[1] <= 1.05 * drift[0] + 1e-6;
  if (good)
    printf("%-32s %9.3f %9.3f %7.3f %6.2f %-9s %9s %8s %7.2f %7.2f %s; drift %.3g mm, plain %.3g mm\n", PILE_LABEL,
           scale * seconds[0], scale * seconds[1], ratio, PILE_BAR, holds ? "holds" : "FAILS", "", "",
           (double)extra / frames, (double)clamps / frames, same ? "equal" : "differ", 1e3 * drift[1], 1e3 * drift[0]);
  else
    fprintf(stderr, "brink-bench: pile: %s\n", message);
  if (good && markdown != NULL)
    fprintf(markdown, "| %s | %.2f | %.2f | %.3f | %.2f | | %.2f |\n", PILE_LABEL, scale * seconds[0],
            scale * seconds[1], ratio, PILE_BAR, (double)extra / frames);
  for (int i = 0; i < 2; ++i)
    if (scenes[i] != NULL) def->destroy(scenes[i]);
  return holds;
}

int overhead_Run(const char *name, int frames, FILE *markdown) {
  bool good = true, found = false;
  dInitODE2(0);
  printf("%-32s %9s %9s %7s %6s %-9s %9s %8s %7s %7s %s\n", "ms a frame (CPU), QuickStep", "plain", "Brink", "ratio",
         "bar", "", "own part", "impacts", "extra", "clamps", "end states");
  if (markdown != NULL)
    fprintf(
        markdown,
        "| frame: dSpaceCollide + QuickStep | plain ODE, ms | with Brink, ms | ratio | bar | impacts | extra solves |\n"
        "|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < rowCount; ++i) {
    if (name != NULL && strcmp(name, rows[i].name) != 0) continue;
    found = true;
    good = RunRow(&rows[i], frames > 0 ? frames : rows[i].frames, markdown) && good;
    fflush(stdout);
  }
  dCloseODE();
  if (name == NULL || strcmp(name, "pile") == 0) {
    found = true;
    good = RunPile(frames > 0 ? frames : PILE_FRAMES, markdown) && good;
  }
  if (!found) fprintf(stderr, "brink-bench: no overhead row '%s'; there are: slow fast pile\n", name);
  return !found ? 2 : good ? 0 : 1;
}
