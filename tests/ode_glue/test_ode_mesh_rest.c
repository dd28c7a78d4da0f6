/* SPDX-License-Identifier: BSD-3-Clause */
/* Trimesh and heightfield ground with ODE's own contacts (keep): slow programs keep every bit and cost no extra solve,
 * and yet nothing comes through, fast, pressed, shaken, spun, or crossing the ground at the start. Bits are judged
 * against a second world in plain ODE, stepped side by side; sides by plane geometry. Units: SI. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_kinds.h"

enum { kinds = kindConvex + 1 };
enum { sheet, grid, hills, plate, field, bumps, grounds };
static const char *const groundNames[grounds] = {"two triangles", "level grid",        "hilly grid",
                                                 "thin plate",    "level heightfield", "bumpy heightfield"};
enum { cells = 24 };
#define CELL 0.5

static double sheetVertices[4][3] = {{-6, -6, 0}, {6, -6, 0}, {-6, 6, 0}, {6, 6, 0}};
static const dTriIndex sheetTriangles[2][3] = {{0, 1, 2}, {1, 3, 2}};
static double gridVertices[2][(cells + 1) * (cells + 1)][3];
static dTriIndex gridTriangles[2 * cells * cells][3];
static double plateVertices[8][3];
static dTriMeshDataID cubeData, sheetData, gridData[2], plateData;
static dHeightfieldDataID fieldData, bumpData;

static double hillAt(int column, int row) { return 0.05 * sin(0.7 * column) * cos(0.5 * row); }

static dTriMeshDataID makeData(const double (*vertices)[3], int vertexCount, const dTriIndex (*triangles)[3],
                               int triangleCount) {
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, vertices, sizeof(vertices[0]), vertexCount, triangles, 3 * triangleCount,
                              sizeof(triangles[0]));
  dGeomTriMeshDataPreprocess2(data, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL); /* for convex geoms */
  return data;
}

static void makeData_All(void) {
  static double flat[(cells + 1) * (cells + 1)], bumpy[(cells + 1) * (cells + 1)];
  for (int i = 0; i < (cells + 1) * (cells + 1); ++i) {
    int column = i % (cells + 1), row = i / (cells + 1);
    for (int k = 0; k < 2; ++k) {
      gridVertices[k][i][0] = (column - cells / 2) * CELL;
      gridVertices[k][i][1] = (row - cells / 2) * CELL;
      gridVertices[k][i][2] = k == 0 ? 0 : hillAt(column, row);
    }
    bumpy[i] = hillAt(column, row);
  }
  for (int i = 0; i < cells * cells; ++i) {
    dTriIndex a = (dTriIndex)(i / cells * (cells + 1) + i % cells), above = a + cells + 1;
    const dTriIndex two[2][3] = {{a, a + 1, above + 1}, {a, above + 1, above}};
    memcpy(gridTriangles[2 * i], two, sizeof(two));
  }
  for (int i = 0; i < 8; ++i) { /* its upper side at z = 0 */
    for (int axis = 0; axis < 3; ++axis) {
      plateVertices[i][axis] = axis < 2 ? 30 * cubeVertices[i][axis] : (cubeVertices[i][2] - 0.2) / 0.4 * 0.01;
    }
  }
  cubeData = makeData(cubeVertices, 8, cubeTriangles, 12);
  sheetData = makeData((const double(*)[3])sheetVertices, 4, sheetTriangles, 2);
  plateData = makeData((const double(*)[3])plateVertices, 8, cubeTriangles, 12);
  for (int k = 0; k < 2; ++k) {
    gridData[k] = makeData((const double(*)[3])gridVertices[k], (cells + 1) * (cells + 1),
                           (const dTriIndex(*)[3])gridTriangles, 2 * cells * cells);
  }
  fieldData = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildDouble(fieldData, flat, 1, cells * CELL, cells * CELL, cells + 1, cells + 1, 1, 0, 1, 0);
  bumpData = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildDouble(bumpData, bumpy, 1, cells * CELL, cells * CELL, cells + 1, cells + 1, 1, 0, 1, 0);
}

static dGeomID addGround(odeWorld *w, int ground) {
  if (ground < field) {
    return dCreateTriMesh(w->space,
                          ground == sheet   ? sheetData
                          : ground == plate ? plateData
                                            : gridData[ground == hills],
                          NULL, NULL, NULL);
  }
  return addHeightfield(w, ground == field ? fieldData : bumpData, cells + 1);
}

/* Height of the ground: its triangles are split along (column, row) to (column + 1, row + 1) in the trimesh; of the
 * heightfield, whose rows run the other way, the higher of both splits. */
static double heightAt(int ground, double x, double y) {
  if (ground != hills && ground != bumps) {
    return 0;
  }
  double u = x / CELL + cells / 2, v = (ground == hills ? y : -y) / CELL + cells / 2;
  int i = (int)floor(u), j = (int)floor(v);
  double a = hillAt(i, j), b = hillAt(i + 1, j), c = hillAt(i, j + 1), d = hillAt(i + 1, j + 1);
  u -= i;
  v -= j;
  double up = u > v ? a + u * (b - a) + v * (d - b) : a + v * (c - a) + u * (d - c);
  double down = u + v < 1 ? a + u * (b - a) + v * (c - a) : d + (1 - u) * (c - d) + (1 - v) * (b - d);
  return ground == hills ? up : fmax(up, down);
}

/* The highest of the ground below a body. */
static double highestAround(int ground, double x, double y, double reachX) {
  double best = -1;
  for (int i = -8; i <= 8; ++i) {
    for (int j = -8; j <= 8; ++j) {
      best = fmax(best, heightAt(ground, x + reachX * i / 8, y + 0.2 * j / 8));
    }
  }
  return best;
}

/* ---- bits */

typedef struct parallelRun {
  odeWorld w;
  dBodyID body;
  unsigned long seed; /* ODE's random numbers are the process's */
} parallelRun;

static void stepCounterpart(parallelRun *t) {
  dRandSetSeed(t->seed);
  assert_int_equal(odeWorld_Step(&t->w), 1);
  t->seed = dRandGetSeed();
}

static bool sameBits(dBodyID a, dBodyID b) {
  return memcmp(dBodyGetPosition(a), dBodyGetPosition(b), 3 * sizeof(dReal)) == 0 &&
         memcmp(dBodyGetQuaternion(a), dBodyGetQuaternion(b), 4 * sizeof(dReal)) == 0 &&
         memcmp(dBodyGetRotation(a), dBodyGetRotation(b), 12 * sizeof(dReal)) == 0 &&
         memcmp(dBodyGetLinearVel(a), dBodyGetLinearVel(b), 3 * sizeof(dReal)) == 0 &&
         memcmp(dBodyGetAngularVel(a), dBodyGetAngularVel(b), 3 * sizeof(dReal)) == 0;
}

/* Falls by a few mm onto the ground, slides or rolls, comes to rest. */
static void checkBits(int kind, int ground, double gap, double speed, bool quick) {
  parallelRun runs[2];
  for (int i = 0; i < 2; ++i) {
    parallelRun *t = &runs[i];
    odeWorld_Make(&t->w, i == 1, quick, -9.81);
    t->w.mu = 0.8;
    dWorldSetCFM(t->w.world, 1e-6);
    addGround(&t->w, ground);
    double low = highestAround(ground, 0.1, 0.137, kind == kindCapsule ? 0.4 : 0.2);
    t->body = addKind(&t->w, cubeData, kind, 0.1, 0.137, 0.2 + gap + low);
    dBodySetLinearVel(t->body, speed, 0.1 * speed, 0);
    if (kind == kindSphere) {
      dBodySetAngularVel(t->body, 0, speed / 0.2, 0);
    }
    t->seed = 17;
  }
  long solves = 0;
  for (int frame = 0; frame < 240; ++frame) {
    stepCounterpart(&runs[0]);
    stepCounterpart(&runs[1]);
    dBrinkStepInfo info = odeWorld_Info(&runs[1].w);
    solves += info.solves - 1 + info.clamps;
    if (solves != 0 || !sameBits(runs[0].body, runs[1].body)) {
      const dReal *p = dBodyGetPosition(runs[0].body), *q = dBodyGetPosition(runs[1].body);
      fail_msg(
          "%s on %s, gap %g m, speed %g m/s, %s, frame %d: %ld extra solves and clamps (event: distance %g, "
          "threshold %g); plain (%.17g %.17g %.17g), Brink (%.17g %.17g %.17g)",
          kindNames[kind], groundNames[ground], gap, speed, quick ? "QuickStep" : "WorldStep", frame, solves,
          info.eventCount > 0 ? info.events[0].distance : 0, info.eventCount > 0 ? info.events[0].threshold : 0, p[0],
          p[1], p[2], q[0], q[1], q[2]);
    }
  }
  odeWorld_End(&runs[0].w);
  odeWorld_End(&runs[1].w);
}

/* Where ODE's own contacts do not hold the body: its capsules and cylinders sink centimetres into the tips of a
 * heightfield, its cylinder and convex by a third of the thin plate when QuickStep solves them. */
static bool odeLetsItSink(int kind, int ground, int quick) {
  return (ground == bumps && (kind == kindCapsule || kind == kindCylinder)) ||
         (ground == plate && quick && (kind == kindCylinder || kind == kindConvex));
}

/* Two trimeshes are kept apart, see below. */
static bool isBrinks(int kind, int ground) { return kind == kindMesh && ground < field; }

CASE(slow_bodies_on_meshes_keep_every_bit) {
  for (int ground = 0; ground < grounds; ++ground) {
    for (int kind = 0; kind < kinds; ++kind) {
      for (int quick = 0; quick < 2; ++quick) {
        if (isBrinks(kind, ground) || odeLetsItSink(kind, ground, quick)) {
          continue;
        }
        checkBits(kind, ground, 0, 0, quick);
        if (ground != plate) { /* half of which a fall of 3 mm takes in a step of 1/60 s */
          checkBits(kind, ground, 0.003, 0.2, quick);
        }
      }
    }
  }
}

/* Not ODE's bits, but apart in every step, which ODE's own contacts of two meshes are not; and at rest after a fall of
 * 3 mm, no farther off than the contacts reach (0.6 of the allowance, 2 cm for the cube). */
CASE(a_convex_mesh_comes_to_rest_apart_from_a_mesh) {
  for (int code = 0; code < 2 * field; ++code) {
    int ground = code / 2;
    odeWorld w;
    odeWorld_Make(&w, true, code % 2, -9.81);
    w.mu = 0.8;
    dGeomID below = addGround(&w, ground);
    dBodyID body = addKind(&w, cubeData, kindMesh, 0.1, 0.137, 0.203 + highestAround(ground, 0.1, 0.137, 0.2));
    for (int frame = 0; frame < 300; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      double gap = dBrinkGeomDistance(w.brink, below, dBodyGetFirstGeom(body));
      bool rests = frame < 240 || (gap < 0.6 * 0.02 + 1e-4 && fabs(dBodyGetLinearVel(body)[2]) < 0.04);
      if (!(gap > 0) || !rests) {
        fail_msg("cube on %s, %s, frame %d: %g m apart, %g m/s", groundNames[ground],
                 code % 2 ? "QuickStep" : "WorldStep", frame, gap, dBodyGetLinearVel(body)[2]);
      }
    }
    odeWorld_End(&w);
  }
}

/* The box of a mesh at rest does not meet that of its level ground, so ODE reports the pair in no frame: Brink asks for
 * its contacts. That holds as well where something goes by and wakes the body without touching it. */
CASE(a_mesh_at_rest_is_not_dropped_where_something_goes_by) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, -9.81);
    w.mu = 0.8;
    addGround(&w, sheet);
    dBodyID cube = addKind(&w, cubeData, kindMesh, 0.1, 0.137, 0.203);
    dBodyID passer = odeWorld_Body(&w, dCreateSphere(w.space, 0.05), 1, 0.1 + 0.2 + 0.05 + 0.01, 0.137, 0.2);
    dBodySetKinematic(passer);
    long extra = 0;
    for (int frame = 0; frame < 400; ++frame) {
      dBodySetLinearVel(passer, 0, 0, frame % 20 < 10 ? 0.6 : -0.6);
      assert_int_equal(odeWorld_Step(&w), 1);
      extra += frame >= 240 ? odeWorld_Info(&w).solves - 1 : 0;
    }
    assert_true(fabs(dBodyGetLinearVel(cube)[2]) < 0.04);
    if (extra > 0) {
      fail_msg("%s: %ld extra solves in 160 frames", quick ? "QuickStep" : "WorldStep", extra);
    }
    odeWorld_End(&w);
  }
}

/* ---- sides */

static const double plateless = 5; /* m, of the ground's half extent of 6: beyond it things may go round its edge */

static bool isOverGround(dBodyID body) {
  const dReal *p = dBodyGetPosition(body);
  return fabs(p[0]) < plateless && fabs(p[1]) < plateless;
}

/* How far the body's centre is above the ground; the body is 0.2 m or more thick around it. */
static double clearanceOf(int ground, dBodyID body) {
  const dReal *p = dBodyGetPosition(body);
  return p[2] - heightAt(ground, p[0], p[1]);
}

/* Steps until the body leaves the ground; fails when it gets through. */
static bool stepAbove(odeWorld *w, int ground, dBodyID body, const char *what, int kind, int frame) {
  assert_int_equal(odeWorld_Step(w), 1);
  if (!isOverGround(body)) {
    return false;
  }
  if (!(clearanceOf(ground, body) > 0)) {
    const dReal *p = dBodyGetPosition(body);
    fail_msg("%s: %s is through %s, frame %d, %s: (%g %g %g)", what, kindNames[kind], groundNames[ground], frame,
             w->quick ? "QuickStep" : "WorldStep", p[0], p[1], p[2]);
  }
  return true;
}

CASE(what_crosses_the_ground_at_the_start_never_comes_through) {
  static const double depths[3] = {0.001, 0.01, 0.025}, speeds[4] = {0.02, 1, 30, 300};
  for (int code = 0; code < grounds * kinds * 12; ++code) {
    int kind = code % kinds, ground = code / kinds % grounds;
    int at = code / (kinds * grounds), quick = (at + at / 3 + kind) % 2;
    double depth = depths[at % 3], speed = speeds[at / 3];
    if (ground == plate) {
      depth = fmin(depth, 0.004);
    }
    odeWorld w;
    odeWorld_Make(&w, true, quick, -9.81);
    addGround(&w, ground);
    double top = highestAround(ground, 0.1, 0.137, kind == kindCapsule ? 0.4 : 0.2);
    dBodyID body = addKind(&w, cubeData, kind, 0.1, 0.137, top + 0.2 - depth);
    dBodySetLinearVel(body, 0.1 * speed, 0, -speed);
    dBodySetAngularVel(body, 0, speed < 10 ? speed : 10, 0.3);
    for (int frame = 0; frame < 30 && stepAbove(&w, ground, body, "crossing at the start", kind, frame); ++frame) {
    }
    odeWorld_End(&w);
  }
}

/* By its own weight of up to ten thousand g, steadily and in blows; slowly at first, so that each step could add a
 * little. */
CASE(nothing_is_pressed_through) {
  for (int code = 0; code < grounds * kinds * 4; ++code) {
    int kind = code % kinds, ground = code / kinds % grounds, quick = code / (kinds * grounds) % 2;
    bool blows = code / (kinds * grounds * 2) != 0;
    odeWorld w;
    odeWorld_Make(&w, true, quick, -9.81);
    addGround(&w, ground);
    double top = highestAround(ground, 0.1, 0.137, kind == kindCapsule ? 0.4 : 0.2);
    dBodyID body = addKind(&w, cubeData, kind, 0.1, 0.137, top + 0.2);
    for (int frame = 0; frame < 150; ++frame) {
      double force = pow(10, 5.0 * frame / 150);
      if (!blows || frame % 3 == 0) {
        dBodyAddForce(body, blows ? 0.2 * force : 0, 0, -force);
      }
      if (!stepAbove(&w, ground, body, blows ? "blows" : "pressed", kind, frame)) {
        break;
      }
    }
    odeWorld_End(&w);
  }
}

/* A press: a plate of a tonne on a slider, driven down by a motor onto a ball that lies on the thin mesh; and a ball of
 * a millimetre between a mesh and a heavy box, far smaller than what the mesh allows. */
CASE(a_press_does_not_force_a_ball_through_a_thin_mesh) {
  for (int code = 0; code < 8; ++code) {
    int ground = code % 2 == 0 ? sheet : plate;
    bool small = code / 2 % 2 != 0;
    double radius = small ? 0.0005 : 0.05;
    odeWorld w;
    odeWorld_Make(&w, true, code / 4, -9.81);
    dGeomID floor = addGround(&w, ground);
    if (small) {
      assert_int_equal(dBrinkSetGeomAllowance(w.brink, floor, 0.5), 1);
    }
    dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, radius), 0.1, 0.3, 0.2, radius * (small ? 1.9 : 0.98));
    dBodyID ram = odeWorld_Body(&w, dCreateBox(w.space, 1, 1, 0.2), 1000, 0.3, 0.2, 2 * radius + 0.1002);
    dJointID slider = dJointCreateSlider(w.world, NULL);
    dJointAttach(slider, ram, NULL);
    dJointSetSliderAxis(slider, 0, 0, 1);
    dJointSetSliderParam(slider, dParamVel, small ? -0.05 : -0.2);
    dJointSetSliderParam(slider, dParamFMax, 1e6);
    for (int frame = 0; frame < 200; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      const dReal *p = dBodyGetPosition(ball);
      if (fabs(p[0] - 0.3) > 0.4 || fabs(p[1] - 0.2) > 0.4) {
        break; /* squeezed out sideways */
      }
      if (!(p[2] > 0)) {
        fail_msg("case %d: the ball is through, frame %d: z = %g m", code, frame, p[2]);
      }
    }
    odeWorld_End(&w);
  }
}

/* Random shoves, spins and blows on every ground, edges and tips included. */
CASE(shaken_and_spun_bodies_stay_above) {
  for (int run = 0; run < 150; ++run) {
    uint64_t seed = 1000 + (uint64_t)run;
    int kind = run % kinds, ground = run / kinds % grounds;
    odeWorld w;
    odeWorld_Make(&w, true, run % 4 >= 2, -9.81);
    w.mu = odeUniform(&seed, 0, 1);
    w.bounce = odeUniform(&seed, 0, 0.5);
    addGround(&w, ground);
    dBodyID body = addKind(&w, cubeData, kind, odeUniform(&seed, -2, 2), odeUniform(&seed, -2, 2), 0.6);
    dBodySetAngularVel(body, odeUniform(&seed, -50, 50), odeUniform(&seed, -50, 50), odeUniform(&seed, -50, 50));
    for (int frame = 0; frame < 200; ++frame) {
      double force = pow(10, odeUniform(&seed, 0, 4));
      const dReal *p = dBodyGetPosition(body);
      if (frame % 7 < 3) {
        dBodyAddForce(body, -p[0] * odeUniform(&seed, 0, 20), -p[1] * odeUniform(&seed, 0, 20), -force);
        dBodyAddTorque(body, odeUniform(&seed, -9, 9), odeUniform(&seed, -9, 9), odeUniform(&seed, -9, 9));
      }
      char what[48];
      snprintf(what, sizeof(what), "run %d", run);
      if (!stepAbove(&w, ground, body, what, kind, frame)) {
        break;
      }
    }
    odeWorld_End(&w);
  }
}

/* From 12 m/s on (0.2 m a step) the impact is Brink's: exact time, exact bounce, nothing through. */
CASE(fast_bodies_bounce_off_meshes_exactly) {
  static const double speeds[3] = {20, 80, 300};
  for (int code = 0; code < 36; ++code) {
    int ground = code % 3 == 0 ? sheet : code % 3 == 1 ? plate : field;
    int kind = code / 3 % 2 == 0 ? kindSphere : kindBox, quick = code / 6 % 2;
    double speed = speeds[code / 12];
    odeWorld w;
    odeWorld_Make(&w, true, quick, 0);
    w.bounce = 0.5;
    w.mu = 0;
    addGround(&w, ground);
    dBodyID body = addKind(&w, cubeData, kind, 0.1, 0.137, 3);
    dBodySetLinearVel(body, 0, 0, -speed);
    int extra = 0;
    for (int frame = 0; frame < 30; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      extra += odeWorld_Info(&w).solves - 1;
    }
    double v = dBodyGetLinearVel(body)[2];
    if (fabs(v - 0.5 * speed) > 0.005 * speed || extra > 3) {
      fail_msg("%s at %g m/s on %s, %s: leaves at %g m/s, %d extra solves", kindNames[kind], speed, groundNames[ground],
               quick ? "QuickStep" : "WorldStep", v, extra);
    }
    odeWorld_End(&w);
  }
}

/* ODE's contacts of a sphere see one side of a triangle only: here they are Brink's own. */
CASE(balls_pushed_against_the_back_of_a_mesh_stay_behind_it) {
  static const double forces[4] = {0, 10, 1e3, 1e5};
  for (int code = 0; code < 8; ++code) {
    odeWorld w;
    odeWorld_Make(&w, true, code / 4, 9.81); /* upwards */
    addGround(&w, sheet);
    dBodyID body = addKind(&w, cubeData, kindSphere, 0.1, 0.137, -0.201);
    for (int frame = 0; frame < 120; ++frame) {
      dBodyAddForce(body, 0, 0, forces[code % 4]);
      assert_int_equal(odeWorld_Step(&w), 1);
      if (!(dBodyGetPosition(body)[2] < 0)) {
        fail_msg("force %g N, frame %d: z = %g m", forces[code % 4], frame, dBodyGetPosition(body)[2]);
      }
    }
    odeWorld_End(&w);
  }
}

/* Two arms of triangles: a mesh that is not convex. Its partner gives the core: a plane, a box. */
CASE(meshes_that_are_not_convex_keep_every_bit_on_convex_ground) {
  static double corners[16][3];
  static dTriIndex faces[24][3];
  for (int arm = 0; arm < 2; ++arm) {
    for (int i = 0; i < 8; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        double stretch = axis == 2 ? 0.5 : axis == arm ? 2 : 0.5;
        corners[8 * arm + i][axis] = stretch * cubeVertices[i][axis];
      }
    }
    for (int i = 0; i < 12; ++i) {
      for (int k = 0; k < 3; ++k) {
        faces[12 * arm + i][k] = (dTriIndex)(cubeTriangles[i][k] + 8 * (dTriIndex)arm);
      }
    }
  }
  dTriMeshDataID cross = makeData((const double(*)[3])corners, 16, (const dTriIndex(*)[3])faces, 24);
  for (int code = 0; code < 8; ++code) {
    parallelRun runs[2];
    bool quick = code % 2, onBox = code / 2 % 2, slides = code / 4;
    for (int i = 0; i < 2; ++i) {
      parallelRun *t = &runs[i];
      odeWorld_Make(&t->w, i == 1, quick, -9.81);
      dWorldSetCFM(t->w.world, 1e-6);
      if (onBox) {
        dGeomSetPosition(dCreateBox(t->w.space, 9, 9, 1), 0, 0, -0.5);
      } else {
        dCreatePlane(t->w.space, 0, 0, 1, 0);
      }
      t->body = odeWorld_Body(&t->w, dCreateTriMesh(t->w.space, cross, NULL, NULL, NULL), 1, 0.1, 0.1, 0.1);
      dBodySetLinearVel(t->body, slides ? 0.3 : 0, 0, slides ? -0.05 : 0);
      t->seed = 5;
    }
    for (int frame = 0; frame < 120; ++frame) {
      stepCounterpart(&runs[0]);
      stepCounterpart(&runs[1]);
      dBrinkStepInfo info = odeWorld_Info(&runs[1].w);
      if (info.solves != 1 || info.clamps != 0 || !sameBits(runs[0].body, runs[1].body)) {
        fail_msg("case %d, frame %d: %d solves, %d clamps, z %.17g and %.17g", code, frame, info.solves, info.clamps,
                 dBodyGetPosition(runs[0].body)[2], dBodyGetPosition(runs[1].body)[2]);
      }
    }
    odeWorld_End(&runs[0].w);
    odeWorld_End(&runs[1].w);
  }
  dGeomTriMeshDataDestroy(cross);
}

/* Balls and plates of millimetres: a frame's fall is more than they may sink, so they land with an impact; then they
 * lie. */
CASE(small_things_on_meshes_cost_nothing_once_they_lie) {
  for (int code = 0; code < 2 * grounds; ++code) {
    odeWorld w;
    odeWorld_Make(&w, true, code / grounds, -9.81);
    dRandSetSeed(3);
    dWorldSetCFM(w.world, 1e-6);
    w.mu = 1;
    addGround(&w, code % grounds);
    for (int i = 0; i < 4; ++i) {
      dGeomID geom = i < 2 ? dCreateSphere(w.space, 0.005 * (i + 1)) : dCreateBox(w.space, 0.2, 0.15, 0.01 * (i - 1));
      dBodyID body = odeWorld_Body(&w, geom, 0.1, 0.5 * i, 0.2, 0.15);
      dBodySetLinearDamping(body, 0.02);
      dBodySetAngularDamping(body, 0.05);
    }
    long extra = 0;
    for (int frame = 0; frame < 400; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      dBrinkStepInfo info = odeWorld_Info(&w);
      extra += frame >= 300 ? info.solves - 1 + info.clamps : 0;
    }
    bool level = code % grounds != hills && code % grounds != bumps; /* else balls still roll about */
    if (extra > (level ? 0 : 20)) {
      fail_msg("%s, %s: %ld extra solves in 100 frames", groundNames[code % grounds],
               code / grounds ? "QuickStep" : "WorldStep", extra);
    }
    odeWorld_End(&w);
  }
}

/* A stack of boxes and two balls: pairs without a mesh among them, islands, the culling. */
CASE(a_stack_on_a_mesh_is_left_alone) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, -9.81);
    dRandSetSeed(3);
    dWorldSetCFM(w.world, 1e-5);
    dWorldSetLinearDamping(w.world, 0.01);
    dWorldSetAngularDamping(w.world, 0.05);
    w.mu = 1;
    addGround(&w, grid);
    for (int i = 0; i < 12; ++i) {
      addKind(&w, cubeData, i % 6 == 5 ? kindSphere : kindBox, 0.5 * (i % 3), 0.45 * (i / 3 % 2) + (i == 11),
              0.21 + 0.41 * (i / 6));
    }
    long extra = 0, asked = 0;
    for (int frame = 0; frame < 600; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      dBrinkStepInfo info = odeWorld_Info(&w);
      extra += frame >= 300 ? info.solves - 1 + info.clamps : 0;
      asked += frame >= 300 && info.pairsBefore > 0;
    }
    assert_int_equal(extra, 0);
    assert_true(quick || asked == 0); /* all are left alone; QuickStep lets the balls roll, on a box floor too */
    odeWorld_End(&w);
  }
}

/* Cubes of triangles on triangles, five on each other: their contacts are Brink's. Returns how many stacks stand after
 * 10 s. *busy: extra solves and clamps in the second half of it. */
static int standingStacks(bool withBrink, bool quick, long *busy) {
  enum { stacks = 5, high = 5 };
  odeWorld w;
  odeWorld_Make(&w, withBrink, quick, -9.81);
  dRandSetSeed(3);
  w.mu = 0.7;
  addGround(&w, grid);
  dBodyID top[stacks];
  for (int i = 0; i < stacks; ++i) {
    for (int k = 0; k < high; ++k) {
      top[i] = addKind(&w, cubeData, kindMesh, 1.1 * (i - stacks / 2), 0.02 * k, 0.215 + 0.415 * k);
    }
  }
  int standing = 0;
  *busy = 0;
  for (int frame = 0; frame < 600; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    dBrinkStepInfo info = withBrink ? odeWorld_Info(&w) : (dBrinkStepInfo){.solves = 1};
    *busy += frame >= 300 ? info.solves - 1 + info.clamps : 0;
  }
  for (int i = 0; i < stacks; ++i) {
    standing += fabs(dBodyGetPosition(top[i])[2] - (0.4 * high - 0.2)) < 0.05;
  }
  odeWorld_End(&w);
  return standing;
}

CASE(stacks_of_meshes_stand) {
  for (int quick = 0; quick < 2; ++quick) {
    long busy = 0, none = 0;
    int with = standingStacks(true, quick, &busy), plain = standingStacks(false, quick, &none);
    print_message("%s, stacks of 5 meshes that stand after 10 s: %d of 5 (plain ODE %d), %.1f extra solves a frame\n",
                  quick ? "QuickStep" : "WorldStep", with, plain, (double)busy / 300);
    assert_int_equal(with, 5);
    assert_int_equal(plain, 0);
    assert_true(busy <= (quick ? 4 * 300 : 0)); /* QuickStep's 20 iterations leave them rocking */
  }
}

/* A room of triangles bounds a convex body, too, and what is in it lies in that body: the thing in the room tells the
 * side, whichever of the two Brink met first. */
CASE(a_convex_mesh_stays_in_a_room_of_triangles) {
  static double corners[8][3];
  for (int i = 0; i < 8; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      corners[i][axis] = 10 * cubeVertices[i][axis]; /* half of it 2 m */
    }
  }
  dTriMeshDataID roomData = makeData(corners, 8, cubeTriangles, 12);
  for (int code = 0; code < 8; ++code) {
    bool first = code & 1, quick = code & 2;
    double speed = code & 4 ? 150 : 20;
    odeWorld w;
    odeWorld_Make(&w, true, quick, -9.81);
    if (first) {
      dCreateTriMesh(w.space, roomData, NULL, NULL, NULL);
    }
    dBodyID cube = addKind(&w, cubeData, kindMesh, 0.3, 0.2, 0.1);
    if (!first) {
      dCreateTriMesh(w.space, roomData, NULL, NULL, NULL);
    }
    dBodySetLinearVel(cube, speed, -0.7 * speed, 0.4 * speed);
    dBodySetAngularVel(cube, 3, 7, -5);
    w.bounce = 0.5;
    for (int frame = 0; frame < 60; ++frame) {
      odeWorld_Step(&w);
      const dReal *p = dBodyGetPosition(cube);
      if (!(fabs(p[0]) < 2 && fabs(p[1]) < 2 && fabs(p[2]) < 2)) {
        fail_msg("case %d, frame %d: outside, at %g %g %g", code, frame, p[0], p[1], p[2]);
      }
    }
    odeWorld_End(&w);
  }
  dGeomTriMeshDataDestroy(roomData);
}

/* What has sunk as deep as it may is deeper than that once less is allowed: it may go no deeper, and still come out. */
static void throwAtSheets(uint64_t seed) {
  uint64_t random = seed;
  dRandSetSeed((unsigned long)seed); /* QuickStep draws from it */
  for (int code = 0; code < 6 * kinds; ++code) {
    int kind = code % kinds;
    odeWorld w;
    odeWorld_Make(&w, true, code / kinds % 2, -9.81);
    dCreateTriMesh(w.space, code / kinds < 3 ? plateData : gridData[0], NULL, NULL, NULL);
    dBodyID body = addKind(&w, cubeData, kind, 0.1, 0.2, 0.2);
    for (int frame = 0; frame < 60; ++frame) {
      if (frame % 3 == 2) {
        assert_int_equal(dBrinkSetAllowance(w.brink, frame % 2 ? (double)INFINITY : 1e-4), 1);
      }
      dBodySetLinearVel(body, odeUniform(&random, -9, 9), odeUniform(&random, -9, 9), odeUniform(&random, -90, -20));
      dBodySetAngularVel(body, odeUniform(&random, -60, 60), odeUniform(&random, -60, 60), 0);
      odeWorld_Step(&w);
      const dReal *p = dBodyGetPosition(body);
      if (!(p[2] > 0) && fabs(p[0]) < 5 && fabs(p[1]) < 5) {
        fail_msg("seed %llu, case %d, %s, frame %d: at %g", (unsigned long long)seed, code, kindNames[kind], frame,
                 p[2]);
      }
    }
    odeWorld_End(&w);
  }
}

/* The last five let a cube of triangles through while gaps of meshes could halve for ever. */
CASE(a_smaller_allowance_lets_nothing_through) {
  const uint64_t seeds[] = {20261, 30, 37, 51, 86, 138};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
    throwAtSheets(seeds[i]);
  }
}

int main(void) {
  dInitODE2(0);
  makeData_All();
  int failed = cases_Run(NULL, NULL);
  dCloseODE();
  return failed;
}
