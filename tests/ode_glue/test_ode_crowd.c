/* SPDX-License-Identifier: BSD-3-Clause */
/* What a crowd costs, in counts and not in time: pairs that touch without going deeper and limbs above ground need no
 * distance; an impact in a heap is felt by the bodies nearest to it and by nobody else, so what N impacts ask for grows
 * with N and not with its square. And the stand-ins for the bodies beyond leave no trace. Units: SI. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_world.h"

enum { most = 1024 };
#define SIDE 0.4
#define SUNK 2e-3 /* m, by which neighbours of a row overlap */

static dBodyID bodies[most];

static dBodyID addBox(odeWorld *w, double x, double y, double z) {
  dMass mass;
  dBodyID body = dBodyCreate(w->world);
  dMassSetBox(&mass, 500, SIDE, SIDE, SIDE);
  dBodySetMass(body, &mass);
  dGeomSetBody(dCreateBox(w->space, SIDE, SIDE, SIDE), body);
  dBodySetPosition(body, x, y, z);
  return body;
}

static dBrinkStepInfo step(odeWorld *w) {
  dBrinkStepInfo info = {.structSize = sizeof info};
  assert_int_equal(odeWorld_Step(w), 1);
  assert_int_equal(dBrinkGetStepInfo(w->brink, &info), 1);
  for (int i = 1; i < info.eventCount; ++i) {
    assert_true(info.events[i - 1].toi <= info.events[i].toi); /* in order of time */
  }
  return info;
}

/* Boxes that fly side by side, each a little in the next one. */
static void addRow(odeWorld *w, int count, double speed) {
  for (int i = 0; i < count; ++i) {
    bodies[i] = addBox(w, (SIDE - SUNK) * i, 0, 0);
    dBodySetLinearVel(bodies[i], 0, 0, speed);
  }
}

/* ---- no distance is asked for */

CASE(touching_boxes_need_no_distance) {
  odeWorld w;
  odeWorld_Make(&w, true, true, 0);
  w.mu = 0;
  addRow(&w, 60, 20);
  dBrinkStepInfo info = step(&w);
  assert_true(info.pairsSpatial >= 59); /* they are looked at */
  assert_int_equal(info.solves, 1);
  assert_int_equal(info.distanceQueries, 0);
  odeWorld_End(&w);
}

/* Open ground that waves. */
enum { cells = 24, columns = cells + 1 };
#define LEVEL (3.14159265358979 / 1.8) /* m, y: lines on which it is level */
static double groundAt(double x, double y) { return 0.25 * sin(1.3 * x) * cos(0.9 * y); }

static dTriMeshDataID addGround(odeWorld *w) {
  static double vertices[columns * columns][3];
  static dTriIndex faces[2 * cells * cells][3];
  for (int i = 0; i < columns * columns; ++i) {
    double x = 0.5 * (i % columns) - 0.25 * cells, y = 0.5 * (i / columns) - 0.25 * cells;
    vertices[i][0] = x, vertices[i][1] = y, vertices[i][2] = groundAt(x, y);
  }
  for (int i = 0; i < cells * cells; ++i) {
    dTriIndex a = (dTriIndex)(i / cells * columns + i % cells), b = a + 1, c = a + columns, d = c + 1;
    dTriIndex pair[6] = {a, b, d, a, d, c};
    memcpy(faces[2 * i], pair, sizeof pair);
  }
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, vertices, sizeof vertices[0], columns * columns, faces, 6 * cells * cells,
                              sizeof faces[0]);
  dCreateTriMesh(w->space, data, NULL, NULL, NULL);
  return data;
}

/* Capsules along x; joined: hung on the one before by a ball joint. */
static dBodyID addLimb(odeWorld *w, int i, bool joined, double x, double y, double z) {
  dMass mass;
  bodies[i] = dBodyCreate(w->world);
  dMassSetCapsule(&mass, 1000, 1, 0.05, 0.3);
  dBodySetMass(bodies[i], &mass);
  dGeomSetBody(dCreateCapsule(w->space, 0.05, 0.3), bodies[i]);
  dBodySetPosition(bodies[i], x, y, z);
  dQuaternion turn = {sqrt(0.5), 0, sqrt(0.5), 0};
  dBodySetQuaternion(bodies[i], turn);
  if (joined) {
    dJointID joint = dJointCreateBall(w->world, NULL);
    dJointAttach(joint, bodies[i - 1], bodies[i]);
    dJointSetBallAnchor(joint, x - 0.25, y, z);
  }
  return bodies[i];
}

/* Flung along the level lines: inside the ground's box and its hull. */
#define ABOVE 0.15 /* m */
CASE(limbs_above_ground_need_no_distance) {
  enum { limbs = 20 };
  odeWorld w;
  odeWorld_Make(&w, true, true, -9.81);
  dTriMeshDataID data = addGround(&w);
  for (int i = 0; i < limbs; ++i) {
    double x = 0.5 * (i % 10) - 2.5 + 0.02 * (i / 10), y = i < 10 ? LEVEL : -LEVEL;
    dBodyID limb = addLimb(&w, i, i % 10 > 0, x, y, ABOVE);
    dBodySetLinearVel(limb, 12, 0, 0);
    dBodySetAngularVel(limb, 1, 0, 0);
  }
  dBrinkStepInfo info = step(&w);
  assert_true(info.pairsSpatial >= limbs);
  assert_int_equal(info.solves, 1);
  assert_int_equal(info.distanceQueries, 0);
  assert_int_equal(info.nodePairs, 0); /* nor do the swept axes look at the mesh */
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
}

/* Slow limbs that come down on the ground and slide over its waves: ODE's own contacts are in time for nearly all. 27
 * extra solves where a limb may sink by one allowance (5 mm), as a box does. By triangles near its end most limbs are
 * known to stay off it as far as they may. */
CASE(limbs_that_slide_on_a_mesh_ask_for_few_solves) {
  enum { limbs = 20, frames = 60 };
  odeWorld w;
  int extra = 0;
  uint64_t distances = 0;
  odeWorld_Make(&w, true, true, -9.81);
  dTriMeshDataID data = addGround(&w);
  for (int i = 0; i < limbs; ++i) {
    double x = 0.8 * (i % 5) - 3, y = 0.8 * (i / 5) - 1.5;
    dBodySetLinearVel(addLimb(&w, i, false, x, y, groundAt(x, y) + 0.07), 1.5, 0, -0.3);
  }
  for (int frame = 0; frame < frames; ++frame) {
    dBrinkStepInfo info = step(&w);
    extra += info.solves - 1;
    distances += info.distanceQueries;
    assert_int_equal(info.clamps, 0);
    for (int i = 0; i < limbs; ++i) {
      const dReal *p = dBodyGetPosition(bodies[i]);
      assert_true(p[2] > groundAt(p[0], p[1]));
    }
  }
  assert_true(extra <= 9);
  assert_true(distances < 2900); /* 3,270 without */
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
}

/* ---- how far an impact is felt */

static void shoot(odeWorld *w, double x, double y, double vx, double vy) {
  dBodyID bullet = addBox(w, x, y, 0);
  dBodySetLinearVel(bullet, vx, vy, 0);
}

/* Beyond, all is as plain ODE solves the row without a bullet, to the bit. */
CASE(impact_is_felt_nearby) {
  enum { count = 120, felt = 32 };
  static dReal calm[count][13];
  odeWorld w;
  for (int shot = 0; shot < 2; ++shot) {
    odeWorld_Make(&w, shot, true, 0);
    dRandSetSeed(1);
    addRow(&w, count, 0);
    if (shot) shoot(&w, -SIDE - 0.5, 0, 60, 0);
    assert_int_equal(odeWorld_Step(&w), 1);
    for (int i = 0; i < count; ++i) {
      dReal now[13];
      memcpy(now, dBodyGetPosition(bodies[i]), 3 * sizeof *now);
      memcpy(now + 3, dBodyGetQuaternion(bodies[i]), 4 * sizeof *now);
      memcpy(now + 7, dBodyGetLinearVel(bodies[i]), 3 * sizeof *now);
      memcpy(now + 10, dBodyGetAngularVel(bodies[i]), 3 * sizeof *now);
      if (!shot) memcpy(calm[i], now, sizeof now);
      if (shot && i == 0) assert_true(now[7] > calm[i][7] + 1);
      if (shot && i >= felt) assert_memory_equal(calm[i], now, sizeof now);
      assert_true(dBodyIsEnabled(bodies[i]));
    }
    odeWorld_End(&w);
  }
}

/* What the program asks a contact in the step's callback, and finds afterwards, are its own bodies. */
static bool contactsAreOwn(odeWorld *w, int count) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < dBodyGetNumJoints(bodies[i]); ++k)
      for (int side = 0; side < 2; ++side) {
        dBodyID body = dJointGetBody(dBodyGetJoint(bodies[i], k), side);
        if (body != NULL && (dBodyIsKinematic(body) || dBodyGetFirstGeom(body) == NULL)) return false;
      }
  return w->contacts != NULL;
}

CASE(contacts_come_back_to_their_bodies) {
  enum { count = 80 };
  odeWorld w;
  int joints = 0;
  odeWorld_Make(&w, true, true, 0);
  addRow(&w, count, 0);
  shoot(&w, -SIDE - 0.5, 0, 60, 0);
  dSpaceCollide(w.space, &w, odeWorld_Near);
  assert_int_equal(dBrinkWorldQuickStep(w.brink, w.h, &w, odeWorld_Near, w.contacts), 1);
  for (int i = 0; i < count; ++i) joints += dBodyGetNumJoints(bodies[i]);
  assert_true(joints > count);
  assert_true(contactsAreOwn(&w, count));
  dJointGroupEmpty(w.contacts);
  odeWorld_End(&w);
}

/* The world goes first: what Brink made in it goes with it. */
CASE(stand_ins_go_with_the_world) {
  odeWorld w;
  odeWorld_Make(&w, true, true, 0);
  addRow(&w, 80, 0);
  shoot(&w, -SIDE - 0.5, 0, 60, 0);
  assert_true(step(&w).solves > 1);
  dJointGroupDestroy(w.contacts);
  dSpaceDestroy(w.space);
  dWorldDestroy(w.world);
  dBrinkDestroy(w.brink);
}

/* What a crowd has of momentum (3, kg m/s) and energy (J). */
static void sumOf(int count, double sum[4]) {
  memset(sum, 0, 4 * sizeof *sum);
  for (int i = 0; i < count; ++i) {
    dMass mass;
    dVector3 own;
    const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
    dBodyGetMass(bodies[i], &mass);
    dBodyVectorFromWorld(bodies[i], w[0], w[1], w[2], own);
    for (int k = 0; k < 3; ++k) {
      sum[k] += mass.mass * v[k];
      sum[3] += mass.mass * v[k] * v[k] / 2 + mass.I[5 * k] * own[k] * own[k] / 2;
    }
  }
}

/* Two blocks of boxes meet in the air: far more bodies than an impact is felt by. */
#define MET 5e-3 /* of the momentum: what the guard takes from bodies that are stopped in one step after the other */
CASE(blocks_that_meet_keep_their_momentum) {
  enum { side = 3, each = side * side * 4 };
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    double before[4], after[4], highest = 0;
    dRandSetSeed(1);
    odeWorld_Make(&w, true, quick, 0);
    for (int i = 0; i < 2 * each; ++i) {
      int k = i % each, left = i < each;
      double x = 1.05 * SIDE * (k % side), y = 1.05 * SIDE * (k / side % side), z = 1.05 * SIDE * (k / side / side);
      bodies[i] = addBox(&w, x + (left ? 0 : 8), y + (left ? 0 : 0.35 * SIDE), z + (left ? 0 : 0.25 * SIDE));
      dBodySetLinearVel(bodies[i], left ? 120 : -60, 0, 0);
    }
    sumOf(2 * each, before);
    for (int frame = 0; frame < 10; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      sumOf(2 * each, after);
      highest = fmax(highest, after[3]);
    }
    print_message("%s: momentum %.6f, energy %.4f at most, %.4f at the end, of the start's\n",
                  quick ? "QuickStep" : "WorldStep", after[0] / before[0], highest / before[3], after[3] / before[3]);
    assert_true(fabs(after[0] / before[0] - 1) < MET);
    assert_true(fabs(after[1] / before[0]) < MET && fabs(after[2] / before[0]) < MET);
    assert_true(highest < 1.0001 * before[3]);
    odeWorld_End(&w);
  }
}

/* What an impact gives to the last body that feels it is not lost. */
CASE(row_takes_the_whole_push) {
  enum { count = 120 };
  odeWorld w;
  double before[4], after[4];
  dRandSetSeed(1);
  odeWorld_Make(&w, true, true, 0);
  addRow(&w, count, 0);
  bodies[count] = addBox(&w, -SIDE - 0.5, 0, 0);
  dBodySetLinearVel(bodies[count], 60, 0, 0);
  sumOf(count + 1, before);
  for (int frame = 0; frame < 10; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    sumOf(count + 1, after);
    assert_true(fabs(after[0] - before[0]) < 1e-6 * before[0]);
  }
  odeWorld_End(&w);
}

/* kg m^2/s about z, of boxes. */
static double turningOf(int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    dMass mass;
    const dReal *p = dBodyGetPosition(bodies[i]), *v = dBodyGetLinearVel(bodies[i]);
    dBodyGetMass(bodies[i], &mass);
    sum += mass.mass * (p[0] * v[1] - p[1] * v[0]) + mass.I[0] * dBodyGetAngularVel(bodies[i])[2];
  }
  return sum;
}

/* Struck beside its middle line, the row turns; a cube's inertia is that about any axis. */
CASE(row_takes_the_whole_turn) {
  enum { count = 120 };
  odeWorld w;
  dRandSetSeed(1);
  odeWorld_Make(&w, true, true, 0);
  addRow(&w, count, 0);
  bodies[count] = addBox(&w, -SIDE - 0.5, 0.3 * SIDE, 0);
  dBodySetLinearVel(bodies[count], 60, 0, 0);
  const double before = turningOf(count + 1);
  for (int frame = 0; frame < 3; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_true(fabs(turningOf(count + 1) / before - 1) < 3e-5); /* 3e-6; 2e-4 when the stand-in keeps its spin */
  }
  odeWorld_End(&w);
}

/* Every eighth box of a row is struck from the side, each at a time of its own. */
static dBrinkStepInfo strikeRow(int count) {
  odeWorld w;
  dRandSetSeed(1);
  odeWorld_Make(&w, true, true, 0);
  addRow(&w, count, 0);
  for (int i = 4, k = 0; i < count; i += 8, ++k)
    shoot(&w, (SIDE - SUNK) * i, -SIDE - 0.1 - 0.7 * ((k * 37) % 64) / 64.0, 0, 60);
  dBrinkStepInfo info = step(&w);
  assert_true(info.eventCount >= count / 8);
  odeWorld_End(&w);
  return info;
}

CASE(work_of_impacts_grows_with_their_number) {
  dBrinkStepInfo few = strikeRow(96), many = strikeRow(768);
  print_message("96 boxes: %d events, %llu pairs, %llu distances; 768: %d events, %llu pairs, %llu distances\n",
                few.eventCount, few.pairsSpatial, few.distanceQueries, many.eventCount, many.pairsSpatial,
                many.distanceQueries);
  assert_true((double)many.pairsSpatial < 1.3 * 8 * (double)few.pairsSpatial); /* with whole islands: 8 times 8 */
  assert_true((double)many.distanceQueries < 1.3 * 8 * (double)few.distanceQueries);
  assert_true(few.distanceQueries <= 98 * (uint64_t)few.eventCount); /* 101 with a distance of hulls for each pair */
}

/* ---- what an extra solve goes through */

enum { plates = 64, mostListedBodies = 256 };
typedef struct listing { /* of a world: its bodies by their masses, in ODE's order, and how many joints */
  int bodies, joints;
  double masses[mostListedBodies];
} listing;

static listing listWorld(dWorldID world) {
  listing found = {0};
  char line[256];
  FILE *file = tmpfile();
  assert_non_null(file);
  dWorldExportDIF(world, file, "");
  rewind(file);
  while (fgets(line, sizeof(line), file) != NULL) {
    found.joints += strncmp(line, "joint[", 6) == 0;
    if (sscanf(line, "\tmass = %lf", &found.masses[found.bodies % mostListedBodies]) == 1) found.bodies++;
  }
  fclose(file);
  return found;
}

static listing leastListed, mostListed;
static int timesMoved;
static dBodyID madeInSolve;
static dJointID toDestroy;

static void noteListed(dBodyID body) {
  const listing now = listWorld(dBodyGetWorld(body));
  leastListed = timesMoved == 0 || now.bodies < leastListed.bodies ? now : leastListed;
  mostListed = timesMoved == 0 || now.bodies > mostListed.bodies ? now : mostListed;
  timesMoved++;
}

static dBodyID besideBody;
static dJointID besideJoint;
static void destroyBeside(dBodyID body) {
  (void)body;
  if (timesMoved++ == 1) {
    dBodyDestroy(besideBody);
    dJointDestroy(besideJoint);
  }
}

static void changeInSolve(dBodyID body) {
  if (timesMoved++ == 1) { /* the step's own solve came first */
    madeInSolve = dBodyCreate(dBodyGetWorld(body));
    dJointDestroy(toDestroy);
  }
}

/* Boxes of 1 kg, 2 kg .. come down on plates of their own in one step, each at its own time. The first has a joint
 * that holds nothing, too. */
static void makeFallingWorld(odeWorld *w, bool quick, void (*moved)(dBodyID)) {
  dMass mass;
  odeWorld_Make(w, true, quick, -9.81);
  for (int i = 0; i < plates; ++i) {
    const double x = 20.0 * (i % 8), y = 20.0 * (i / 8);
    dGeomSetPosition(dCreateBox(w->space, 4, 4, 0.02), x, y, 0);
    bodies[i] = addBox(w, x, y, 0.01 + SIDE + 0.4 * ((i * 37) % plates) / plates);
    dMassSetBoxTotal(&mass, i + 1, SIDE, SIDE, SIDE);
    dBodySetMass(bodies[i], &mass);
    dBodySetLinearVel(bodies[i], 1, 0, -30);
  }
  toDestroy = dJointCreateNull(w->world, NULL);
  dJointAttach(toDestroy, bodies[0], NULL);
  timesMoved = 0;
  dBodySetMovedCallback(bodies[0], moved);
}

/* ODE goes through all that its world lists. In the extra solve of a box that is the box alone, with what holds it; in
 * between all is listed as it was. */
CASE(an_extra_solve_goes_through_its_island_alone) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    makeFallingWorld(&w, quick, noteListed);
    const listing before = listWorld(w.world);
    const dBrinkStepInfo info = step(&w);
    const listing after = listWorld(w.world);
    assert_true(info.eventCount > plates / 2 && info.solves > info.eventCount && timesMoved == 2);
    assert_true(leastListed.bodies == 1 && leastListed.masses[0] == 1 && leastListed.joints <= 6);
    assert_true(mostListed.bodies == before.bodies && before.bodies >= plates);
    const int ours = after.bodies - before.bodies; /* disabled ones, made in the step: the newest come first */
    assert_true(ours >= 0);
    assert_memory_equal(before.masses, after.masses + ours, (size_t)before.bodies * sizeof(double));
    odeWorld_End(&w);
  }
}

CASE(what_is_made_and_destroyed_in_an_extra_solve_stays_so) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    makeFallingWorld(&w, quick, changeInSolve);
    const listing before = listWorld(w.world);
    madeInSolve = NULL;
    (void)step(&w);
    assert_non_null(madeInSolve);
    dJointGroupEmpty(w.contacts);
    listing after = listWorld(w.world);
    assert_true(after.bodies > before.bodies && before.joints >= 1);
    int found = 0;
    for (int i = 0; i < after.bodies; ++i) found += after.masses[i] >= 1;
    assert_true(found >= plates + 1);
    for (int frame = 0; frame < 30; ++frame) (void)step(&w);
    dBodyDestroy(madeInSolve);
    const int kept = listWorld(w.world).bodies;
    for (int i = 0; i < plates; ++i) {
      assert_true(dBodyGetPosition(bodies[i])[2] > 0);
      dBodyDestroy(bodies[i]);
    }
    assert_int_equal(listWorld(w.world).bodies, kept - plates);
    odeWorld_End(&w);
  }
}

/* What stands first in ODE's lists is no part of the solve: its end leaves the others whole. */
CASE(what_lies_beside_an_island_may_end_in_its_solve) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    makeFallingWorld(&w, quick, NULL);
    (void)step(&w); /* Brink has made its own bodies, and asks for them no more */
    dBodySetMovedCallback(bodies[0], destroyBeside);
    for (int i = 0; i < plates; ++i) {
      const dReal *p = dBodyGetPosition(bodies[i]);
      dBodySetPosition(bodies[i], p[0], p[1], 0.4 + 0.01 * i);
      dBodySetLinearVel(bodies[i], 0, 0, -60);
    }
    besideBody = dBodyCreate(w.world);
    besideJoint = dJointCreateNull(w.world, NULL);
    dJointAttach(besideJoint, bodies[1], NULL);
    const listing before = listWorld(w.world);
    assert_true(step(&w).solves > 2 && timesMoved >= 2);
    dJointGroupEmpty(w.contacts);
    const listing after = listWorld(w.world);
    assert_int_equal(after.bodies, before.bodies - 1);
    assert_int_equal(after.joints, before.joints - 1);
    for (int i = 0; i < plates; ++i) dBodyDestroy(bodies[i]);
    assert_int_equal(listWorld(w.world).bodies, after.bodies - plates);
    odeWorld_End(&w);
  }
}

/* A press drives a box into the floor, so that ODE's direct solver gives up and the iterative one follows. Between the
 * two the box's moved callback destroys what has no part in it. */
enum { strangers = 40 };
static dBodyID strange[strangers];
static int timesPressed, endsAt;

static void endStrangers(dBodyID body) {
  (void)body;
  for (int i = 0; timesPressed == endsAt && i < strangers; ++i) dBodyDestroy(strange[i]);
  timesPressed++;
}

CASE(what_ends_between_two_solves_in_a_row_counts_for_neither) {
  for (endsAt = 1; endsAt < 14; ++endsAt) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    for (int i = 0; i < strangers; ++i) {
      strange[i] = dBodyCreate(w.world);
      dBodyDisable(strange[i]);
    }
    dCreatePlane(w.space, 0, 0, 1, 0);
    dBodyID box = odeWorld_Body(&w, dCreateBox(w.space, 0.4, 0.4, 0.4), 64, 0, 0, 0.2001);
    dBodyID press = odeWorld_Body(&w, dCreateBox(w.space, 2, 2, 0.2), 1, 0, 0, 0.9);
    dBodySetKinematic(press);
    dBodySetLinearVel(press, 0, 0, -30);
    dBodySetMovedCallback(box, endStrangers);
    timesPressed = 0;
    const int before = listWorld(w.world).bodies;
    for (int frame = 0; frame < 4; ++frame) (void)step(&w);
    const int ours = listWorld(w.world).bodies - before + (timesPressed > endsAt ? strangers : 0);
    assert_true(ours >= 0 && ours <= 4);
    odeWorld_End(&w);
  }
}

/* One box comes down a little before all others, which come down at one time and are struck in turn. That is no impact
 * without progress. QuickStep leaves them coming down, so they are struck
 * twice.
 */
CASE(islands_that_are_struck_at_one_time_wait_for_each_other) {
  odeWorld w;
  dBrinkStepInfo info = {0};
  odeWorld_Make(&w, true, true, -9.81);
  w.bounce = 0.5;
  for (int i = 0; i < plates; ++i) {
    dGeomSetPosition(dCreateBox(w.space, 4, 4, 0.02), 20.0 * (i % 8), 20.0 * (i / 8), 0);
    bodies[i] = addBox(&w, 0, 0, 0);
  }
  for (int frame = 0; frame < 2; ++frame) { /* the program is asked in the first one */
    for (int i = 0; i < plates; ++i) {
      dBodySetPosition(bodies[i], 20.0 * (i % 8), 20.0 * (i / 8), 0.01 + SIDE / 2 + (i == 0 ? 0.1 : 0.12));
      dBodySetLinearVel(bodies[i], 0, 0, -25);
      dBodySetAngularVel(bodies[i], 0, 0, 0);
    }
    info = step(&w);
  }
  print_message("%d events, %d solves\n", info.eventCount, info.solves);
  assert_int_equal(info.clamps, 0);
  assert_true(info.eventCount <= 2 * plates);
  for (int i = 0; i < plates; ++i) assert_true(dBodyGetLinearVel(bodies[i])[2] > 5);
  odeWorld_End(&w);
}

/* Boxes that come down on plates of their own, and as many on one plate of which the program wants no contacts: how
 * often is it asked? */
static long callsOf(int count) {
  odeWorld w;
  odeWorld_Make(&w, true, true, -9.81);
  w.bounce = 0.5;
  w.sensor = dCreateBox(w.space, 1000, 4, 0.02);
  dGeomSetPosition(w.sensor, 0, -20, 0);
  for (int i = 0; i < count; ++i) dGeomSetPosition(dCreateBox(w.space, 4, 4, 0.02), 20.0 * i, 0, 0);
  for (int i = 0; i < 2 * count; ++i) bodies[i] = addBox(&w, 0, 0, 0);
  for (int frame = 0; frame < 2; ++frame) { /* the program is asked in the first one */
    for (int i = 0; i < 2 * count; ++i) {
      dBodySetPosition(bodies[i], 20.0 * (i / 2), -20.0 * (i % 2), 0.01 + SIDE / 2 + 0.05 + 0.3 * i / (2 * count));
      dBodySetLinearVel(bodies[i], 0, 0, -25);
      dBodySetAngularVel(bodies[i], 0, 0, 0);
    }
    w.nearCalls = 0;
    assert_int_equal(step(&w).clamps, 0);
  }
  const long calls = w.nearCalls;
  odeWorld_End(&w);
  return calls;
}

CASE(pairs_that_nobody_wants_are_asked_about_once) {
  const long few = callsOf(8), many = callsOf(32);
  print_message("8 boxes: %ld calls; 32: %ld\n", few, many);
  assert_true(10 * many < 13 * 4 * few);
}

/* R comes down on a plate, and a little later at one time L on another one and into R. Neither feels the other sooner
 * because a third body is struck elsewhere before both: L's contact with R has no part in R's first solve. */
static dBodyID addBall(odeWorld *w, double x, double tau, double vx) {
  dGeomSetPosition(dCreateBox(w->space, 0.3, 0.3, 0.02), x - (vx != 0 ? 0.05 : 0), 0, 0);
  dBodyID ball = odeWorld_Body(w, dCreateSphere(w->space, 0.2), 1, x - vx * w->h * tau, 0, 0.21 + 25 * w->h * tau);
  dBodySetLinearVel(ball, vx, 0, -25);
  return ball;
}

CASE(nobody_feels_who_comes_later) {
  for (int third = 0; third < 2; ++third) {
    odeWorld w;
    odeWorld_Make(&w, true, true, 0);
    w.bounce = 0.5;
    w.mu = 0;
    (void)addBall(&w, -50, 0.5, 0);
    (void)step(&w); /* the program is asked */
    const double meets = -sqrt(0.16 - pow(25 * w.h * 0.05, 2)) - 30 * w.h * 5e-4;
    dBodyID r = addBall(&w, 0, 0.5, 0), l = addBall(&w, meets, 0.55, 30);
    if (third) (void)addBall(&w, 50, 0.49, 0);
    assert_int_equal(step(&w).eventCount, 3 + third);
    assert_true(fabs(dBodyGetLinearVel(r)[0] + dBodyGetLinearVel(l)[0] - 30) < 1e-9);
    assert_true(dBodyGetLinearVel(l)[0] < 10);
    odeWorld_End(&w);
  }
}

/* A floor that is a kinematic body is struck by each that falls on it: that is no reason to stop one. */
CASE(a_kinematic_floor_is_struck_as_often_as_it_takes) {
  enum { fallen = 64 };
  int events[2] = {0, 0};
  for (int kind = 0; kind < 4; ++kind) {
    odeWorld w;
    odeWorld_Make(&w, true, kind / 2, -9.81);
    dGeomID ground = dCreateBox(w.space, 60, 60, 0.1);
    if (kind % 2 != 0) {
      dBodyID body = dBodyCreate(w.world);
      dBodySetKinematic(body);
      dGeomSetBody(ground, body);
    }
    for (int i = 0; i < fallen; ++i) {
      bodies[i] = addBox(&w, 3 * (i % 8) - 10, 3 * (i / 8) - 10, 0.3 + 0.02 * (i * 37 % fallen));
      dBodySetLinearVel(bodies[i], 0, 0, -20);
    }
    for (int frame = 0; frame < 20; ++frame) {
      const dBrinkStepInfo info = step(&w);
      events[kind % 2] += info.eventCount;
      assert_int_equal(info.clamps, 0);
    }
    odeWorld_End(&w);
  }
  assert_true(events[0] > fallen && abs(events[1] - events[0]) < events[0] / 10);
}

/* Balls that strike plates of their own one shortly after the other. near of one ties it to another one: then both are
 * solved together. Nothing else acts along y. */
typedef struct tying {
  odeWorld w;
  dBodyID balls[6];
  int from, to;
  bool tied;
} tying;

static void tieOnce(void *data, dGeomID a, dGeomID b) {
  tying *c = data;
  dContactGeom contact;
  dBodyID body = dGeomGetBody(a) != NULL ? dGeomGetBody(a) : dGeomGetBody(b);
  if (!c->tied && body == c->balls[c->from] && dCollide(a, b, 1, &contact, sizeof(contact)) > 0) {
    dJointID rope = dJointCreateBall(c->w.world, NULL);
    dJointAttach(rope, c->balls[c->from], c->balls[c->to]);
    dJointSetBallAnchor(rope, 0, 2.5 * (c->from + c->to), 0);
    c->tied = true;
  }
  odeWorld_Near(&c->w, a, b);
}

CASE(what_is_tied_to_an_island_inside_the_step_is_solved_with_it) {
  enum { count = 6 };
  for (int kind = 0; kind < count * count; ++kind) {
    tying c = {.from = kind % count, .to = kind / count};
    if (c.from == c.to) {
      continue;
    }
    odeWorld_MakeElastic(&c.w, true);
    for (int i = -1; i < count; ++i) { /* the first one shows that this program answers */
      dGeomSetPosition(dCreateBox(c.w.space, 0.02, 2, 2), 0, 5 * i, 0);
      dBodyID ball = odeWorld_Body(&c.w, dCreateSphere(c.w.space, 0.1), 1, i < 0 ? -1 : -2 - 0.04 * i, 5 * i, 0);
      dBodySetLinearVel(ball, i < 0 ? 900 : 300, 0, 0);
      c.balls[i < 0 ? 0 : i] = ball;
    }
    for (int frame = 0; frame < 3; ++frame) {
      dSpaceCollide(c.w.space, &c, tieOnce);
      assert_int_equal(dBrinkWorldQuickStep(c.w.brink, c.w.h, &c, tieOnce, c.w.contacts), 1);
      dJointGroupEmpty(c.w.contacts);
    }
    double strayed = 0;
    for (int i = 0; i < count; ++i) {
      strayed += dBodyGetPosition(c.balls[i])[1] - 5 * i;
      assert_true(dBodyGetPosition(c.balls[i])[0] < 0);
    }
    if (!c.tied || fabs(strayed) > 1e-5) {
      fail_msg("%d tied to %d: strayed by %g m", c.from, c.to, strayed);
    }
    odeWorld_End(&c.w);
  }
}

/* ---- bodies of many geoms */

static uint64_t walked; /* joints that ODE has walked past for those who asked for one, or how many there are */

#define SEEN_BY_BRINK __attribute__((visibility("default")))
SEEN_BY_BRINK dJointID dBodyGetJoint(dBodyID body, int index) {
  dJointID (*ofOde)(dBodyID, int) = (dJointID(*)(dBodyID, int))dlsym(RTLD_NEXT, "dBodyGetJoint");
  walked += (uint64_t)index + 1;
  return ofOde(body, index);
}

SEEN_BY_BRINK int dBodyGetNumJoints(dBodyID body) {
  int (*ofOde)(dBodyID) = (int (*)(dBodyID))dlsym(RTLD_NEXT, "dBodyGetNumJoints");
  const int count = ofOde(body);
  walked += (uint64_t)count;
  return count;
}

SEEN_BY_BRINK int dConnectingJointList(dBodyID a, dBodyID b, dJointID *joints) {
  int (*ofOde)(dBodyID, dBodyID, dJointID *) =
      (int (*)(dBodyID, dBodyID, dJointID *))dlsym(RTLD_NEXT, "dConnectingJointList");
  (void)dBodyGetNumJoints(a != NULL ? a : b);
  return ofOde(a, b, joints);
}

SEEN_BY_BRINK int dAreConnectedExcluding(dBodyID a, dBodyID b, int type) {
  int (*ofOde)(dBodyID, dBodyID, int) = (int (*)(dBodyID, dBodyID, int))dlsym(RTLD_NEXT, "dAreConnectedExcluding");
  (void)dBodyGetNumJoints(a);
  return ofOde(a, b, type);
}

/* Asks nothing of joints. */
static void nearParts(void *data, dGeomID a, dGeomID b) {
  odeWorld *w = data;
  dContact contacts[8];
  const int count = dCollide(a, b, 8, &contacts[0].geom, sizeof(*contacts));
  for (int i = 0; i < count; ++i) {
    contacts[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = 0.5};
    dJointAttach(dJointCreateContact(w->world, w->contacts, &contacts[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

/* A plate of side * side boxes in one body. */
static dBodyID addPlate(odeWorld *w, int side, double x, double z) {
  dMass mass;
  dBodyID body = dBodyCreate(w->world);
  dMassSetBox(&mass, 500, side * SIDE, side * SIDE, SIDE);
  dBodySetMass(body, &mass);
  for (int i = 0; i < side * side; ++i) {
    dGeomID part = dCreateBox(w->space, SIDE, SIDE, SIDE);
    dGeomSetBody(part, body);
    dGeomSetOffsetPosition(part, SIDE * (i % side), SIDE * (i / side), 0);
  }
  dBodySetPosition(body, x, 0, z);
  return body;
}

/* Contacts and pairs both grow with the parts, and so does what is walked. */
CASE(plates_of_many_parts_cost_what_their_contacts_do) {
  uint64_t of[2];
  for (int k = 0; k < 2; ++k) {
    odeWorld w;
    const int side = k == 0 ? 8 : 16;
    odeWorld_Make(&w, true, true, 0);
    (void)addPlate(&w, side, 0, 0);
    dBodySetLinearVel(addPlate(&w, side, SIDE / 2, 1.1 * SIDE), 0, 0, -20);
    walked = 0;
    dSpaceCollide(w.space, &w, nearParts);
    assert_int_equal(dBrinkWorldQuickStep(w.brink, w.h, &w, nearParts, w.contacts), 1);
    of[k] = walked;
    assert_true(odeWorld_Info(&w).solves > 1 && odeWorld_Info(&w).clamps == 0);
    odeWorld_End(&w);
  }
  print_message("joints walked past: %llu and %llu\n", (unsigned long long)of[0], (unsigned long long)of[1]);
  assert_true(of[0] > 0);
  if (of[1] > 6 * of[0]) {
    fail_msg("4 times the parts: %llu and %llu joints walked past", (unsigned long long)of[0],
             (unsigned long long)of[1]);
  }
}

/* ---- what is there, in the eyes of a callback */

static uint64_t listed; /* geoms that were asked for, one by one */

SEEN_BY_BRINK dGeomID dSpaceGetGeom(dSpaceID space, int index) {
  dGeomID (*ofOde)(dSpaceID, int) = (dGeomID(*)(dSpaceID, int))dlsym(RTLD_NEXT, "dSpaceGetGeom");
  listed++;
  return ofOde(space, index);
}

/* What the callback makes or destroys is seen without another walk through the world: the step's own has met all. */
CASE(an_impact_makes_nobody_walk_through_the_world_again) {
  odeWorld w;
  odeWorld_Make(&w, true, true, 0);
  for (int i = 0; i < 600; ++i) {
    bodies[i] = addBox(&w, 2 * (i % 30), 2 * (i / 30), 0);
  }
  (void)step(&w);
  dBodySetLinearVel(bodies[0], 150, 0, 0);
  listed = 0;
  const dBrinkStepInfo info = step(&w);
  assert_true(info.eventCount > 0 && info.solves > 1 && info.clamps == 0);
  if (listed < 600 || listed > 700) {
    fail_msg("%llu of 600 geoms were asked for", (unsigned long long)listed);
  }
  odeWorld_End(&w);
}

static int begin(void **state) {
  (void)state;
  dInitODE2(0);
  return 0;
}

static int end(void **state) {
  (void)state;
  dCloseODE();
  return 0;
}

int main(void) { return cases_RunAs("ode crowd", begin, end); }
