/* SPDX-License-Identifier: BSD-3-Clause */
/* Does anything pass through what is thin, or hang in it for ever? Thin bodies are thrown at thin ground. ODE's
 * contacts of such a pair miss it, or lead to its other side once it lies deep: its core must not follow them. And what
 * is stopped at its core must come out again, whatever ODE's contacts say there. Units: SI. */
#include "cases.h"
#include "ode_box.h"
#include "ode_world.h"

enum { thrownCylinder, thrownBox, thrownConvex, thrownCapsule, thrownKinds };
enum { groundConvex, groundBox, groundCylinder, groundField, groundMesh, groundKinds };
static const char *const thrownNames[] = {"cylinder", "box", "convex", "capsule"};
static const char *const groundNames[] = {"convex", "box", "cylinder", "heightfield", "trimesh"};

/* 20 cm wide and 5 mm thick; the ground 6 m and 1 cm, its top at z = 0. */
#define THIN 0.0025
#define PLATE 0.005
#define WIDE 3.0

static const dReal thinPlanes[24] = BOX_PLANES(.1, .1, THIN), thinPoints[24] = BOX_POINTS(.1, .1, THIN);
static const dReal slabPlanes[24] = BOX_PLANES(WIDE, WIDE, PLATE), platePoints[24] = BOX_POINTS(WIDE, WIDE, PLATE);
static const double square[4][3] = {{-WIDE, -WIDE, 0}, {WIDE, -WIDE, 0}, {WIDE, WIDE, 0}, {-WIDE, WIDE, 0}};
static const dTriIndex squareDown[6] = {0, 2, 1, 0, 3, 2};

static dReal flat(void *user, int x, int z) {
  (void)user, (void)x, (void)z;
  return 0;
}

static dReal hills(void *user, int x, int z) {
  (void)user;
  return 0.2 * sin(x * .7) * cos(z * .5);
}

typedef struct Ground {
  dHeightfieldDataID field;
  dTriMeshDataID mesh;
} Ground;

static void makeField(odeWorld *w, Ground *ground, dHeightfieldGetHeight *height, double width, int side) {
  dMatrix3 turn;
  ground->field = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildCallback(ground->field, NULL, height, width, width, side, side, 1, 0, .5, 0);
  dGeomHeightfieldDataSetBounds(ground->field, -.2, .2);
  dRFromAxisAndAngle(turn, 1, 0, 0, M_PI / 2);
  dGeomSetRotation(dCreateHeightfield(w->space, ground->field, 1), turn);
}

/* Its normals point down. */
static void makeSquare(odeWorld *w, Ground *ground) {
  ground->mesh = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(ground->mesh, square, sizeof(square[0]), 4, squareDown, 6, 3 * sizeof(squareDown[0]));
  dGeomTriMeshDataPreprocess2(ground->mesh, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL); /* for convex geoms */
  dCreateTriMesh(w->space, ground->mesh, NULL, NULL, NULL);
}

static Ground makeGround(odeWorld *w, int kind) {
  Ground ground = {0};
  if (kind == groundField) {
    makeField(w, &ground, flat, 2 * WIDE, 13);
  } else if (kind == groundMesh) {
    makeSquare(w, &ground);
  } else {
    dGeomID plate = kind == groundConvex ? dCreateConvex(w->space, slabPlanes, 6, platePoints, 8, cubePolygons)
                    : kind == groundBox  ? dCreateBox(w->space, 2 * WIDE, 2 * WIDE, 2 * PLATE)
                                         : dCreateCylinder(w->space, WIDE, 2 * PLATE);
    dGeomSetPosition(plate, 0, 0, -PLATE);
  }
  return ground;
}

static void endWorld(odeWorld *w, const Ground *ground) {
  odeWorld_End(w);
  if (ground->field != NULL) {
    dGeomHeightfieldDataDestroy(ground->field);
  }
  if (ground->mesh != NULL) {
    dGeomTriMeshDataDestroy(ground->mesh);
  }
}

static void turnAny(dBodyID body, uint64_t *seed) {
  dQuaternion q;
  for (int i = 0; i < 4; ++i) {
    q[i] = splitUniform(seed, -1, 1);
  }
  dNormalize4(q);
  dBodySetQuaternion(body, q);
}

static dBodyID throwOne(odeWorld *w, int kind, uint64_t *seed) {
  dGeomID geom = kind == thrownCylinder ? dCreateCylinder(w->space, .1, 2 * THIN)
                 : kind == thrownBox    ? dCreateBox(w->space, .2, .2, 2 * THIN)
                 : kind == thrownConvex ? dCreateConvex(w->space, thinPlanes, 6, thinPoints, 8, cubePolygons)
                                        : dCreateCapsule(w->space, THIN, .2);
  dBodyID body =
      odeWorld_Body(w, NULL, 1, splitUniform(seed, -1, 1), splitUniform(seed, -1, 1), 2 + splitUniform(seed, 0, 1));
  dMass mass;
  dMassSetCylinderTotal(&mass, 1, 3, kind == thrownCapsule ? THIN : .1, kind == thrownCapsule ? .2 : 2 * THIN);
  dBodySetMass(body, &mass);
  dGeomSetBody(geom, body);
  turnAny(body, seed);
  dBodySetLinearVel(body, splitUniform(seed, -3, 3), splitUniform(seed, -3, 3), -10);
  dBodySetAngularVel(body, splitUniform(seed, -10, 10), splitUniform(seed, -10, 10), splitUniform(seed, -10, 10));
  return body;
}

/* Its middle belongs to its core: it stays on its side. */
static void expectNoneThrough(int throws) {
  for (int ground = 0; ground < groundKinds; ++ground) {
    for (int kind = 0; kind < thrownKinds; ++kind) {
      uint64_t seed = 5;
      for (int run = 0; run < throws; ++run) {
        odeWorld w;
        odeWorld_Make(&w, true, run & 1, -9.81)->bounce = 0.2;
        dBrinkSetLog(w.brink, NULL, NULL);
        Ground made = makeGround(&w, ground);
        dBodyID body = throwOne(&w, kind, &seed);
        const dReal *p = dBodyGetPosition(body);
        for (int frame = 0; frame < 60; ++frame) {
          assert_int_equal(odeWorld_Step(&w), 1);
          if (hypot(p[0], p[1]) < WIDE - 0.2 && !(p[2] > -2 * PLATE)) {
            fail_msg("%s, throw %d: through the %s in frame %d", thrownNames[kind], run, groundNames[ground], frame);
          }
        }
        endWorld(&w, &made);
      }
    }
  }
}

CASE(nothing_thin_passes_through_what_is_thin) { expectNoneThrough(100); }

/* Stopped in each of the last frames, it will be so for ever. */
static void expectNotStuck(odeWorld *w, dBodyID body, const char *what, int run) {
  int clamps = 0;
  for (int frame = 0; frame < 300; ++frame) {
    assert_int_equal(odeWorld_Step(w), 1);
    clamps += frame >= 240 ? odeWorld_Info(w).clamps : 0;
  }
  if (clamps >= 60) {
    const dReal *p = dBodyGetPosition(body);
    fail_msg("%s, run %d: stopped in every frame, at %g %g %g", what, run, p[0], p[1], p[2]);
  }
}

/* ODE's contacts push the cubes down there. */
CASE(cubes_come_out_of_triangles_whose_normals_point_down) {
  uint64_t seed = 1;
  for (int run = 0; run < 12; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run & 1, -9.81)->bounce = 0.2;
    Ground ground = {0};
    makeSquare(&w, &ground);
    dBodyID body = odeWorld_Body(&w, dCreateBox(w.space, .4, .4, .4), 1, 0, 0, 1.5);
    dQuaternion q = {1, splitUniform(&seed, -.5, .5), splitUniform(&seed, -.5, .5), 0};
    dNormalize4(q);
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, 0, 0, -20);
    expectNotStuck(&w, body, "cube", run);
    endWorld(&w, &ground);
  }
}

/* ODE sees no contact where its rim lies in a hollow. */
CASE(discs_come_to_rest_on_hills) {
  for (int run = 0; run < 16; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, run & 1, -9.81)->bounce = 0.2;
    Ground ground = {0};
    makeField(&w, &ground, hills, 18, 37);
    dBodyID body = odeWorld_Body(&w, NULL, 1, 0, 0, 1.5);
    dMass mass;
    dMassSetCylinderTotal(&mass, 1, 3, .15, .01);
    dBodySetMass(body, &mass);
    dGeomSetBody(dCreateCylinder(w.space, .15, .01), body);
    dQuaternion q = {1, .05 * (run + 1) - .4, .3 - .03 * (run + 1), 0};
    dNormalize4(q);
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, 0, 0, -20);
    expectNotStuck(&w, body, "disc", run);
    endWorld(&w, &ground);
  }
}

/* ---- both of them move */

static dBodyID tossOne(odeWorld *w, dGeomID geom, const dMass *mass, const double at[3], const dQuaternion turn,
                       const double linear[3], const double angular[3]) {
  dBodyID body = odeWorld_Body(w, NULL, 1, at[0], at[1], at[2]);
  dBodySetMass(body, mass);
  dGeomSetBody(geom, body);
  dBodySetQuaternion(body, turn);
  dBodySetLinearVel(body, linear[0], linear[1], linear[2]);
  dBodySetAngularVel(body, angular[0], angular[1], angular[2]);
  return body;
}

/* m, along the disc's axis: the nearer of the farthest points of the box on its two sides. */
static double outOnBothSides(dBodyID disc, dBodyID box, const double sides[3]) {
  enum { samples = 20 };
  double below = 0, above = 0;
  for (int i = 0; i < (samples + 1) * (samples + 1) * (samples + 1); ++i) {
    const int at[3] = {i % (samples + 1), i / (samples + 1) % (samples + 1), i / (samples + 1) / (samples + 1)};
    dVector3 p, q;
    dBodyGetRelPointPos(box, sides[0] * ((double)at[0] / samples - .5), sides[1] * ((double)at[1] / samples - .5),
                        sides[2] * ((double)at[2] / samples - .5), p);
    dBodyGetPosRelPoint(disc, p[0], p[1], p[2], q);
    if (hypot(q[0], q[1]) < 0.18) {
      below = fmax(below, -q[2]);
      above = fmax(above, q[2]);
    }
  }
  return fmin(below, above);
}

/* A disc of 1 cm and a box, 9.7 cm apart, thrown about in a narrow room. */
CASE(a_box_does_not_pass_through_a_disc) {
  static const double sides[3] = {.2, .25, .3}, room = .5;
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    dMass mass;
    odeWorld_Make(&w, true, quick, -9.81)->bounce = 0.2;
    for (int i = 0; i < 6; ++i) {
      const int axis = i / 2;
      double at[3] = {0};
      at[axis] = i & 1 ? room : -room;
      dGeomID wall = dCreateBox(w.space, axis == 0 ? .05 : 3, axis == 1 ? .05 : 3, axis == 2 ? .05 : 3);
      dGeomSetPosition(wall, at[0], at[1], at[2]);
    }
    dMassSetBoxTotal(&mass, 1, sides[0], sides[1], sides[2]);
    dBodyID box =
        tossOne(&w, dCreateBox(w.space, sides[0], sides[1], sides[2]), &mass, (double[3]){-.225, -.225, -.225},
                (dQuaternion){.75249407631043552, .36806262129962963, .13444756189947982, -.52934527958510735},
                (double[3]){-17.82210111618042, -18.81633996963501, -2.001502513885498},
                (double[3]){6.5818905830383301, 8.0399608612060547, -.5498051643371582});
    dMassSetCylinderTotal(&mass, 1, 3, .2, .01);
    dBodyID disc =
        tossOne(&w, dCreateCylinder(w.space, .2, .01), &mass, (double[3]){-.225, .225, -.225},
                (dQuaternion){-.66461030566209078, .43401929523052546, .33404958011308816, -.50826299393287488},
                (double[3]){-8.7993216514587402, -16.138069629669189, -10.597898960113525},
                (double[3]){18.896739482879639, 8.7824749946594238, -.32852888107299805});
    for (int frame = 0; frame < 30; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      const double out = outOnBothSides(disc, box, sides);
      if (!(out < 0.006)) {
        fail_msg("%s, frame %d: %g m on both sides", quick ? "QuickStep" : "WorldStep", frame, out);
      }
    }
    odeWorld_End(&w);
  }
}

/* A disc of 1 m and 1 mm whose rim comes back along its curve in no time, however well it is held. */
CASE(a_sheet_that_spins_leaves_the_ground_that_it_struck) {
  uint64_t seed = 7;
  for (int run = 0; run < 12; ++run) {
    odeWorld w;
    dMass mass;
    odeWorld_Make(&w, true, run & 1, 0)->bounce = 0.4;
    dBrinkSetLog(w.brink, NULL, NULL);
    const Ground ground = makeGround(&w, groundConvex);
    dBodyID body = odeWorld_Body(&w, NULL, 1, 0, 0, 2);
    dMassSetBoxTotal(&mass, 1, .3, .3, .3);
    dBodySetMass(body, &mass);
    dGeomSetBody(dCreateCylinder(w.space, .5, .001), body);
    turnAny(body, &seed);
    dBodySetLinearVel(body, splitUniform(&seed, -3, 3), splitUniform(&seed, -3, 3), -30);
    dBodySetAngularVel(body, splitUniform(&seed, -60, 60), splitUniform(&seed, -60, 60), splitUniform(&seed, -60, 60));
    int clamps = 0;
    for (int frame = 0; frame < 90; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      clamps += frame >= 60 && odeWorld_Info(&w).clamps > 0;
    }
    const dReal *p = dBodyGetPosition(body);
    if (clamps == 30 || (hypot(p[0], p[1]) < WIDE - 1 && !(p[2] > -2 * PLATE))) {
      fail_msg("run %d: at %g %g %g, stopped in %d of 30 frames", run, p[0], p[1], p[2], clamps);
    }
    endWorld(&w, &ground);
  }
}

/* With Brink's contacts; the last case, as nobody unregisters them. */
CASE(nor_with_contacts_of_brinks_own) {
  assert_int_equal(dBrinkRegisterAll(), 1);
  expectNoneThrough(40);
}

int main(void) {
  dInitODE2(0);
  int failed = cases_Run(NULL, NULL);
  dCloseODE();
  return failed;
}
