/* SPDX-License-Identifier: BSD-3-Clause */
/* ODE's Dantzig solver (dWorldStep) says "LCP internal error, s <= 0" of a contact that neither presses nor opens:
 * within the world's surface layer, approach exactly 0, no force along it, while another contact of the body is solved.
 * The state here was taken from mokomaze (a ball in a corner of the maze). The message is plain ODE's: with Brink the
 * same ones come and every bit stays. But bodies that Brink stops at a surface lie within that layer more often than
 * bodies that sank in and were pushed out; without a surface layer such a contact opens, and there is no message.
 * Units: m, kg, s. */
#include <brink/ode.h>
#include <string.h>

#include "cases.h"

#define RADIUS 0.23

typedef struct Maze {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBodyID ball;
  dBrinkID brink; /* or NULL */
} Maze;

static int messages;

static void countMessage(int number, const char *text, va_list arguments) {
  (void)number;
  (void)arguments;
  messages += strstr(text, "LCP internal error") != NULL;
}

static void nearCallback(void *data, dGeomID a, dGeomID b) {
  const Maze *maze = data;
  dContact found[4];
  memset(found, 0, sizeof found);
  int count = dCollide(a, b, 4, &found[0].geom, sizeof(dContact));
  for (int i = 0; i < count; ++i) {
    found[i].surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
    found[i].surface.mu = 0.7;
    found[i].surface.soft_erp = 0.8;
    found[i].surface.soft_cfm = 1e-5;
    dJointAttach(dJointCreateContact(maze->world, maze->contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

/* mode < 0: plain ODE. secondWallX: where the wall across x begins. */
static Maze makeMaze(int mode, double secondWallX, double surfaceLayer) {
  Maze maze = {0};
  dInitODE2(0);
  dSetMessageHandler(countMessage);
  messages = 0;
  maze.world = dWorldCreate();
  maze.space = dHashSpaceCreate(NULL);
  maze.contacts = dJointGroupCreate(0);
  dWorldSetCFM(maze.world, 1e-5);
  dWorldSetContactSurfaceLayer(maze.world, surfaceLayer);
  dWorldSetContactMaxCorrectingVel(maze.world, 1);
  dWorldSetGravity(maze.world, 0, 0, -4.905);
  dCreatePlane(maze.space, 0, 0, 1, 0);
  dGeomSetPosition(dCreateBox(maze.space, 20, 0.23, 0.59), 0, 4.915, 0.295);
  dGeomSetPosition(dCreateBox(maze.space, 0.23, 20, 0.59), secondWallX + 0.115, 0, 0.295);
  maze.ball = dBodyCreate(maze.world);
  dMass mass;
  dMassSetSphereTotal(&mass, 0.050965010421636016, RADIUS);
  dBodySetMass(maze.ball, &mass);
  dGeomSetBody(dCreateSphere(maze.space, RADIUS), maze.ball);
  if (mode >= 0) {
    maze.brink = dBrinkCreate(maze.world);
    assert_non_null(maze.brink);
    assert_true(dBrinkAddSpace(maze.brink, maze.space));
    assert_true(dBrinkSetMode(maze.brink, mode));
  }
  return maze;
}

static int stepMaze(Maze *maze, double h) {
  int impacts = 0;
  dSpaceCollide(maze->space, maze, nearCallback);
  if (maze->brink != NULL) {
    dBrinkStepInfo info = {.structSize = sizeof info};
    assert_true(dBrinkWorldStep(maze->brink, h, maze, nearCallback, maze->contacts));
    assert_true(dBrinkGetStepInfo(maze->brink, &info));
    impacts = info.eventCount;
  } else {
    dWorldStep(maze->world, h);
  }
  dJointGroupEmpty(maze->contacts);
  return impacts;
}

static void endMaze(Maze *maze) {
  if (maze->brink != NULL) dBrinkDestroy(maze->brink);
  dJointGroupDestroy(maze->contacts);
  dSpaceDestroy(maze->space);
  dWorldDestroy(maze->world);
  dSetMessageHandler(NULL);
  dCloseODE();
}

static const int modes[] = {-1, dBrinkModeReport, dBrinkModeClamp, dBrinkModeAdvance, dBrinkModeSpeculative};
static const size_t modeCount = sizeof modes / sizeof *modes;

static void rollIntoCorner(Maze *maze) {
  dBodySetPosition(maze->ball, 6.1704508656763997, 4.5700094970919114, 0.26936224598471425);
  dBodySetLinearVel(maze->ball, 0.3955357245646231, 0, -0.0148590463234802);
  dBodySetAngularVel(maze->ball, -0.00016902495908627132, 2.7054939145058818, -0.00023080690252012866);
  for (int frame = 0; frame < 400; ++frame) {
    dBodyAddForce(maze->ball, 0.309, 0, 0);
    stepMaze(maze, 0.00086666666902601719);
  }
}

CASE(messages_of_a_contact_without_pressure_are_plain_odes) {
  uint64_t plainBits[6] = {0};
  int plainMessages = 0;
  for (size_t i = 0; i < modeCount; ++i) {
    Maze maze = makeMaze(modes[i], 6.4, 1e-5);
    rollIntoCorner(&maze);
    uint64_t bits[6];
    memcpy(bits, dBodyGetPosition(maze.ball), 3 * sizeof(double));
    memcpy(bits + 3, dBodyGetLinearVel(maze.ball), 3 * sizeof(double));
    if (i == 0) {
      memcpy(plainBits, bits, sizeof bits);
      plainMessages = messages;
      print_message("plain ODE: %d messages in 400 steps\n", plainMessages);
      assert_true(plainMessages > 100);
    }
    if (messages != plainMessages || memcmp(bits, plainBits, sizeof bits) != 0)
      fail_msg("mode %d: %d messages (plain %d), or other bits", modes[i], messages, plainMessages);
    endMaze(&maze);
  }
}

/* Also when the ball is shot at the first wall, rolls along it to the second and back. */
CASE(without_a_surface_layer_there_are_no_messages) {
  int impacts = 0;
  for (size_t i = 0; i < modeCount; ++i) {
    Maze maze = makeMaze(modes[i], 6.4, 0);
    rollIntoCorner(&maze);
    if (messages != 0) fail_msg("mode %d: %d messages", modes[i], messages);
    endMaze(&maze);
  }
  for (int run = 0; run < 24; ++run) {
    for (size_t i = 0; i < modeCount; ++i) {
      Maze maze = makeMaze(modes[i], 0.685, 0);
      double h = run % 2 ? 1.0 / 60 : 0.0011, tilt = 0.3 + 0.1 * (run % 13);
      dBodySetPosition(maze.ball, 0, 4.3, RADIUS - 1e-5);
      dBodySetLinearVel(maze.ball, 0.1, run % 3 ? 0.2 * (1 + run) : 2.5 * (1 + run), 0);
      for (double t = 0; t < 2.5; t += h) {
        double x = t < 1 || t >= 2 ? 0 : t < 1.5 ? tilt : -tilt;
        dWorldSetGravity(maze.world, x, t < 1 ? tilt : 0, -4.905);
        impacts += stepMaze(&maze, h);
      }
      if (messages != 0) fail_msg("run %d, mode %d: %d messages", run, modes[i], messages);
      if (modes[i] > dBrinkModeReport) assert_true(dBodyGetPosition(maze.ball)[1] < 4.6);
      endMaze(&maze);
    }
  }
  assert_true(impacts > 24);
}

int main(void) { return cases_Run(NULL, NULL); }
