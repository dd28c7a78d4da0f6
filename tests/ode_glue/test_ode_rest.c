/* SPDX-License-Identifier: BSD-3-Clause */
/* Do bodies come to rest on Brink's contacts as they do on ODE's own: at touching depth, without hovering, creeping or
 * an extra solve? Own executable: the class table is for the whole process. Units: SI. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_box.h"
#include "ode_world.h"

#define ALLOWANCE 0.02 /* m */
#define MESH_GAP (0.6 * ALLOWANCE)

static const double cubeVertices[8][3] = BOX_CORNERS(.5, .5, .5);
static dTriMeshDataID cubeData;

enum { kindSphere, kindBox, kindCapsule, kindCylinder, kindMesh, kinds };

static dGeomID makeKind(dSpaceID space, int kind) {
  switch (kind) {
    case kindSphere:
      return dCreateSphere(space, 0.5);
    case kindBox:
      return dCreateBox(space, 1, 1, 1);
    case kindCapsule:
      return dCreateCapsule(space, 0.25, 0.5);
    case kindCylinder:
      return dCreateCylinder(space, 0.5, 1);
    default:
      return dCreateTriMesh(space, cubeData, NULL, NULL, NULL);
  }
}

/* A contact reported where nothing touches yet stops a body in mid-air (ODE clips a negative depth to 0), and the
 * solver's softness then lets it down by nanometres per second: creep. So a body that starts a hundredth of the
 * allowance above its place of rest must fall there, and stay. */
CASE(bodies_sink_to_their_contacts_and_stay) {
  for (int kind = 0; kind < kinds; ++kind) {
    for (int floorIsBox = 0; floorIsBox < 2; ++floorIsBox) {
      odeWorld w;
      odeWorld_Make(&w, true, false, -9.81);
      w.h = 1e-3; /* a frame's fall is smaller than the gap */
      dBrinkSetAllowance(w.brink, ALLOWANCE);
      if (floorIsBox) {
        dGeomSetPosition(dCreateBox(w.space, 8, 8, 2), 0, 0, -1);
      } else {
        dCreatePlane(w.space, 0, 0, 1, 0);
      }
      double rest = 0.5 + (kind == kindMesh ? MESH_GAP : 0);
      dBodyID body = odeWorld_Body(&w, makeKind(w.space, kind), 1, 0, 0, rest + 0.01 * ALLOWANCE);
      double settled = 0;
      int extra = 0;
      for (int frame = 0; frame < 600; ++frame) {
        assert_int_equal(odeWorld_Step(&w), 1);
        extra += odeWorld_Info(&w).solves - 1;
        settled = frame == 299 ? dBodyGetPosition(body)[2] : settled;
      }
      double z = dBodyGetPosition(body)[2];
      if (fabs(z - rest) > 1e-7 || fabs(z - settled) > 1e-10 || extra != 0) {
        fail_msg("kind %d on a %s: %g m above its place of rest, %g m of creep, %d extra solves", kind,
                 floorIsBox ? "box" : "plane", z - rest, z - settled, extra);
      }
      odeWorld_End(&w);
    }
  }
}

static dReal level(void *user, int x, int z) {
  (void)user;
  (void)x;
  (void)z;
  return 0;
}

/* QuickStep leaves the corners of a box a little off its ground, each by another bit. One that was just too far out to
 * be told of fell on, and was struck, in each step: 99 impacts a frame of 100 boxes at rest. Few are left. */
CASE(boxes_and_cylinders_on_triangles_lie_still) {
  enum { bodies = 20, frames = 400, last = 100 };
  for (int kind = 0; kind < 4; ++kind) {
    odeWorld w;
    uint64_t seed = 4;
    int events = 0;
    odeWorld_Make(&w, true, true, -9.81);
    dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    if (kind & 1) {
      dMatrix3 up;
      dGeomHeightfieldDataBuildCallback(data, NULL, level, 40, 40, 41, 41, 1, 0, 1, 0);
      dGeomHeightfieldDataSetBounds(data, -1, 1);
      dGeomID ground = dCreateHeightfield(w.space, data, 1);
      dRFromAxisAndAngle(up, 1, 0, 0, M_PI / 2);
      dGeomSetRotation(ground, up);
    } else {
      static const double corners[8][3] = BOX_CORNERS(20, 20, 1);
      dTriMeshDataID mesh = makeBoxData(corners);
      dGeomSetPosition(dCreateTriMesh(w.space, mesh, NULL, NULL, NULL), 0, 0, -1);
    }
    for (int i = 0; i < bodies; ++i) {
      dGeomID geom = kind & 2 ? dCreateCylinder(w.space, 0.2, 0.4) : dCreateBox(w.space, 0.4, 0.4, 0.4);
      odeWorld_Body(&w, geom, 500 * 0.064, 2 * (i % 5) - 4 + odeUniform(&seed, 0, 0.1), 2.0 * (i / 5) - 3,
                    0.205 + odeUniform(&seed, 0, 0.01));
    }
    for (int frame = 0; frame < frames; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      events += frame >= frames - last ? odeWorld_Info(&w).eventCount : 0;
    }
    printf("%s on %s: %d impacts in %d frames of %d bodies\n", kind & 2 ? "cylinders" : "boxes",
           kind & 1 ? "a heightfield" : "a mesh", events, last, bodies);
    assert_true(events <= last);
    odeWorld_End(&w);
    dGeomHeightfieldDataDestroy(data);
  }
}

/* ---- left alone, then changed */

enum { flung, pushed, resized, moved, enabledAgain, givenBits, changeCount };

static void change(int what, dBodyID body, dGeomID geom) {
  switch (what) {
    case flung:
      dBodySetLinearVel(body, 300, 0, 0);
      break;
    case pushed:
      dBodyAddForce(body, 300 * 60, 0, 0); /* 1 kg, h = 1/60 s */
      break;
    case resized:
      dGeomSphereSetRadius(geom, 0.5);
      break;
    case moved:
      dBodySetPosition(body, -1, 2.3, 0);
      break;
    case enabledAgain:
      dGeomEnable(geom);
      break;
    default:
      dGeomSetCollideBits(geom, ~0ul);
      dGeomSetCategoryBits(geom, ~0ul);
  }
}

/* A ball of 0.1 m floats beside a plate of 5 mm until Brink leaves it alone. Then it is shot at the plate, or put into
 * the way of a bullet: whatever the change, the step after it sees it. */
CASE(what_the_program_changes_on_a_body_that_was_left_alone_counts_at_once) {
  for (int what = 0; what < changeCount; ++what) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dGeomSetPosition(dCreateBox(w.space, 0.005, 1, 1), 2, 0, 0);
    dGeomID geom = dCreateSphere(w.space, 0.1);
    dBodyID body = odeWorld_Body(&w, geom, 1, -1, what == resized || what == moved ? 2 : 0, 0);
    if (what == enabledAgain) {
      dGeomDisable(geom);
    }
    if (what == givenBits) {
      dGeomSetCollideBits(geom, 0);
      dGeomSetCategoryBits(geom, 0);
    }
    for (int i = 0; i < 5; ++i) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    if (what > pushed) {
      double y = what == enabledAgain || what == givenBits ? 0 : 2.3;
      dBodyID bullet = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 0.01, -3, y, 0);
      dBodySetLinearVel(bullet, 300, 0, 0);
    }
    change(what, body, geom);
    assert_int_equal(odeWorld_Step(&w), 1);
    if (odeWorld_Info(&w).eventCount == 0) {
      fail_msg("change %d of a body that was left alone was not noticed", what);
    }
    odeWorld_End(&w);
  }
}

/* The other way round: a body that was set elsewhere has not swept what lies between. */
CASE(a_body_set_elsewhere_strikes_nothing_on_the_way) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dCreateBox(w.space, 0.005, 1, 1);
  dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, -1, 0, 0);
  for (int i = 0; i < 20; ++i) {
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_int_equal(odeWorld_Info(&w).eventCount, 0);
    dBodySetPosition(body, i % 2 ? -1 : 1, 0, 0);
  }
  odeWorld_End(&w);
}

int main(void) {
  dInitODE2(0);
  cubeData = makeBoxData(cubeVertices);
  int failed = dBrinkRegisterAll() ? cases_Run(NULL, NULL) : 1;
  dGeomTriMeshDataDestroy(cubeData);
  dCloseODE();
  return failed;
}
