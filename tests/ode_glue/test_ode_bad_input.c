/* SPDX-License-Identifier: BSD-3-Clause */
/* What does the glue say to bad input? A clear text that names the thing, nothing lost, the process alive. More in
 * test_ode_world.c (dBrinkCreate before dInitODE2, single precision, h <= 0, NaN velocities, destroyed bodies),
 * test_assets_import.c (files) and test_hostile_host.c (the ABI). */
#include <stdio.h>
#include <string.h>

#include "brink/cook.h"
#include "cases.h"
#include "ode_box.h"
#include "ode_start.h"
#include "ode_world.h"
#include "scene.h"

static char logged[2000];

static void keepLog(void *user, int level, const char *message) {
  (void)user;
  (void)level;
  snprintf(logged + strlen(logged), sizeof(logged) - strlen(logged), "%s\n", message);
}

static void assertLogNames(const char *word) {
  if (strstr(logged, word) == NULL) {
    fail_msg("\"%s\" is not in the log: %s", word, logged);
  }
}

static dJointID tie(odeWorld *w, dBodyID a, dBodyID b, double x, double y, double z) {
  dJointID joint = dJointCreateBall(w->world, NULL);
  dJointAttach(joint, a, b);
  dJointSetBallAnchor(joint, x, y, z);
  return joint;
}

/* Four bars in a ring. A tree has one joint less than bodies: the fourth is cut, and ODE still holds it. */
CASE(a_ring_of_joints_is_cut_with_a_log_line_and_stays_assembled) {
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  logged[0] = '\0';
  dBrinkSetLog(w.brink, keepLog, NULL);
  dGeomID wall = dCreateBox(w.space, 0.01, 10, 10);
  dBodyID bars[4];
  static const double places[4][2] = {{-1, 0.5}, {-1.5, 0}, {-1, -0.5}, {-0.5, 0}};
  for (int i = 0; i < 4; ++i) {
    dGeomID geom = i % 2 == 0 ? dCreateBox(w.space, 0.9, 0.05, 0.05) : dCreateBox(w.space, 0.05, 0.9, 0.05);
    bars[i] = odeWorld_Body(&w, geom, 1, places[i][0], places[i][1], 0);
    dBodySetLinearVel(bars[i], 50, 0, 0);
  }
  tie(&w, bars[0], bars[1], -1.5, 0.5, 0);
  tie(&w, bars[1], bars[2], -1.5, -0.5, 0);
  tie(&w, bars[2], bars[3], -0.5, -0.5, 0);
  tie(&w, bars[3], bars[0], -0.5, 0.5, 0);
  double worst = 0;
  for (int frame = 0; frame < 60; ++frame) {
    if (!odeWorld_Step(&w)) {
      fail_msg("frame %d: %s", frame, dBrinkGetError(w.brink));
    }
    worst = fmax(worst, odeWorld_Info(&w).worstJointError);
    for (int i = 0; i < 4; ++i) {
      assert_true(dBodyGetPosition(bars[i])[0] < 0.005);
    }
  }
  assertLogNames("joints close loops");
  *logged = '\0';
  for (int frame = 0; frame < 4; ++frame) { /* said once, however often the world changes */
    dJointID other = tie(&w, bars[0], bars[2], -1, 0, 0);
    assert_true(odeWorld_Step(&w));
    dJointDestroy(other);
    assert_true(odeWorld_Step(&w));
  }
  if (strstr(logged, "joints close loops") != NULL) {
    fail_msg("said again: %s", logged);
  }
  print_message("worst joint error of the ring %.4f m\n", worst);
  assert_true(worst < 0.3);
  (void)wall;
  odeWorld_End(&w);
}

CASE(a_pose_that_is_not_finite_is_named_and_the_step_refused) {
  for (int kind = 0; kind < 2; ++kind) {
    odeWorld w;
    odeWorld_Make(&w, true, kind == 1, -9.81);
    dBodyID good = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 5);
    dBodyID sick = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 3, 0, 5);
    dReal *storage = (dReal *)(uintptr_t)(kind == 0 ? dBodyGetPosition(sick) : dBodyGetQuaternion(sick));
    dReal before = storage[1];
    storage[1] = NAN;
    int done = kind == 1 ? dBrinkWorldQuickStep(w.brink, 0.01, NULL, NULL, NULL)
                         : dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL);
    assert_int_equal(done, 0);
    assert_non_null(strstr(dBrinkGetError(w.brink), "finite"));
    assert_non_null(strstr(dBrinkGetError(w.brink), "body"));
    if (dBodyGetPosition(good)[2] != 5) {
      fail_msg("kind %d: the world was stepped, %s", kind, dBrinkGetError(w.brink));
    }
    storage[1] = before;
    assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 1);
    assert_true(dBodyGetPosition(good)[2] < 5);
    odeWorld_End(&w);
  }
}

/* All that a step changes of a body. */
typedef struct bodyBits {
  dReal position[3], quaternion[4], rotation[12], linear[3], angular[3], force[3], torque[3];
} bodyBits;

static void readBits(dBodyID body, bodyBits *out) {
  memcpy(out->position, dBodyGetPosition(body), sizeof out->position);
  memcpy(out->quaternion, dBodyGetQuaternion(body), sizeof out->quaternion);
  memcpy(out->rotation, dBodyGetRotation(body), sizeof out->rotation);
  memcpy(out->linear, dBodyGetLinearVel(body), sizeof out->linear);
  memcpy(out->angular, dBodyGetAngularVel(body), sizeof out->angular);
  memcpy(out->force, dBodyGetForce(body), sizeof out->force);
  memcpy(out->torque, dBodyGetTorque(body), sizeof out->torque);
}

/* Where the solve itself leads beyond what can be computed with, the step is refused before it: it had moved the bodies
 * by then, and their forces were gone. */
CASE(a_step_that_would_lead_too_far_is_refused_and_changes_nothing) {
  static const struct {
    double h, gravity, speed, force, torque;
  } rows[] = {{1e50, -9.81, 0, 0, 0}, {1e50, 0, 1e20, 0, 0}, {0.01, -1e70, 0, 0, 0},
              {1e20, 0, 0, 1e59, 0},  {0.01, 0, 0, 9e59, 0}, {0.01, 0, 0, 0, 9e59}};
  for (size_t code = 0; code < 2 * sizeof rows / sizeof *rows; ++code) {
    const size_t row = code / 2;
    odeWorld w;
    odeWorld_Make(&w, true, code & 1, rows[row].gravity);
    dCreatePlane(w.space, 0, 0, 1, 0);
    dBodyID balls[2];
    bodyBits before[2], after[2];
    for (int i = 0; i < 2; ++i) {
      balls[i] = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 0.001, 3 * i, 0, 5);
      dBodySetLinearVel(balls[i], i * rows[row].speed, 0.3, 0.1);
      dBodySetAngularVel(balls[i], 0.1, 0.2, 0.3);
      dBodyAddForce(balls[i], i * rows[row].force, 0, 0.001);
      dBodyAddTorque(balls[i], i * rows[row].torque, 0, 0.001);
      readBits(balls[i], &before[i]);
    }
    assert_int_equal((w.quick ? dBrinkWorldQuickStep : dBrinkWorldStep)(w.brink, rows[row].h, NULL, NULL, NULL), 0);
    assert_non_null(strstr(dBrinkGetError(w.brink), "not stepped"));
    for (int i = 0; i < 2; ++i) {
      readBits(balls[i], &after[i]);
      assert_memory_equal(&before[i], &after[i], sizeof before[i]);
      dBodySetLinearVel(balls[i], 0, 0, 0);
      dBodySetForce(balls[i], 0, 0, 0);
      dBodySetTorque(balls[i], 0, 0, 0);
    }
    dWorldSetGravity(w.world, 0, 0, -9.81);
    assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 1);
    assert_true(dBodyGetPosition(balls[0])[2] < 5);
    odeWorld_End(&w);
  }
}

/* ODE builds such a mesh without a word; Brink names the geom, leaves it to ODE and goes on. */
CASE(a_mesh_with_nan_coordinates_is_named_and_left_to_ode) {
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  logged[0] = '\0';
  dBrinkSetLog(w.brink, keepLog, NULL);
  static double vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  static const uint32_t indices[3] = {0, 1, 2};
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, vertices, 3 * sizeof(double), 3, indices, 3, 3 * sizeof(uint32_t));
  dGeomID mesh = dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  dGeomSetPosition(mesh, 50, 0, 0);
  vertices[4] = NAN; /* ODE keeps the pointer: the program spoils its own mesh before the first step */
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 5);
  int done = dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL);
  print_message("done %d, error \"%s\", log: %s", done, dBrinkGetError(w.brink), logged);
  const char *told = done ? logged : dBrinkGetError(w.brink);
  assert_non_null(strstr(told, "finite"));
  assert_true(dBodyGetPosition(ball)[2] < 5);
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
}

/* A blob that is not whole is refused, and names why; one of another mesh is not used. Whatever is told, a ball at 300
 * m/s does not pass. */
CASE(a_cooked_mesh_is_checked_when_it_is_told) {
  static const double box[8][3] = BOX_CORNERS(0.5, 0.5, 0.5), other[8][3] = BOX_CORNERS(0.5, 0.05, 0.05);
  uint64_t seed = 4;
  for (int kind = 0; kind < 5; ++kind) { /* its own, another one's, random bytes, cut short, one byte off */
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dTriMeshDataID data = makeBoxData(box);
    const brinkMeshView view = {sizeof view, 0, kind == 1 ? other[0] : box[0], 8, cubeTriangles[0], 12};
    void *blob = NULL;
    size_t size = 0;
    assert_int_equal(brinkCook(&view, NULL, &blob, &size, NULL, 0), brink_ok);
    for (size_t i = 0; i < size && kind == 2; ++i) {
      ((unsigned char *)blob)[i] = (unsigned char)odeUniform(&seed, 0, 256);
    }
    if (kind == 4) {
      ((unsigned char *)blob)[size / 2] ^= 1;
    }
    assert_int_equal(dBrinkUseCookedMesh(w.brink, data, blob, kind == 3 ? size / 2 : size), kind < 2);
    if (kind >= 2) {
      assert_non_null(strstr(dBrinkGetError(w.brink), "dBrinkUseCookedMesh: "));
      print_message("%s\n", dBrinkGetError(w.brink));
    }
    brinkFreeBlob(blob);
    (void)dCreateTriMesh(w.space, data, NULL, NULL, NULL);
    dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.01), 0.1, -3, 0.3, 0.3);
    dBodySetLinearVel(ball, 300, 0, 0);
    for (int frame = 0; frame < 3; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    if (!(dBodyGetPosition(ball)[0] < -0.49)) {
      fail_msg("kind %d: the ball is at %g", kind, dBodyGetPosition(ball)[0]);
    }
    odeWorld_End(&w);
    dGeomTriMeshDataDestroy(data);
  }
}

CASE(a_model_folder_that_cannot_be_written_is_named) {
  char message[400] = "";
  demoParams params = {.withBrink = true, .assetDir = "/dev/null/models", .quiet = true};
  assert_null(demoFindScene("ragdoll")->create(&params, message, sizeof message));
  assert_non_null(strstr(message, "/dev/null"));
}

/* ---- destroyed in the wrong moment */

/* A bullet at a wall, a chain beside it, and a callback that does something terrible at the impact. */
typedef struct terror {
  odeWorld w;
  dGeomID wall, bulletGeom, other;
  dBodyID bullet, links[3];
  dJointID joints[2];
  int deed;
  bool inStep;
  int done;
} terror;

enum {
  destroyGeom,
  destroyWall,
  destroyBody,
  destroyOtherBody,
  destroyOtherGeom,
  makeGeom,
  destroyAndMake,
  destroyJoint,
  emptyContacts,
  destroySpace,
  stepAgain,
  destroyBrink,
  changeSettings,
  destroyWorld,
  spoilVelocity,
  spoilPosition,
  deedCount
};

static void terribleNear(void *data, dGeomID a, dGeomID b) {
  terror *t = data;
  if (t->inStep && t->done == 0) {
    t->done = 1;
    switch (t->deed) {
      case destroyGeom:
        dGeomDestroy(t->bulletGeom);
        return;
      case destroyWall:
        dGeomDestroy(t->wall);
        return;
      case destroyBody:
        dBodyDestroy(t->bullet);
        return;
      case destroyOtherBody:
        dBodyDestroy(t->links[1]);
        break;
      case destroyOtherGeom:
        dGeomDestroy(t->other);
        break;
      case makeGeom:
        odeWorld_Body(&t->w, dCreateSphere(t->w.space, 0.1), 1, 0, 5, 0);
        break;
      case destroyAndMake:
        dGeomDestroy(t->wall);
        t->wall = dCreateSphere(t->w.space, 1);
        return;
      case destroyJoint:
        dJointDestroy(t->joints[0]);
        break;
      case emptyContacts:
        dJointGroupEmpty(t->w.contacts);
        break;
      case destroySpace:
        dSpaceDestroy(t->w.space);
        return;
      case stepAgain:
        assert_int_equal(dBrinkWorldStep(t->w.brink, 0.01, NULL, NULL, NULL), 0);
        assert_non_null(strstr(dBrinkGetError(t->w.brink), "near callback"));
        break;
      case destroyBrink:
        dBrinkDestroy(t->w.brink);
        break;
      case changeSettings:
        assert_int_equal(dBrinkAddSpace(t->w.brink, t->w.space), 0);
        assert_int_equal(dBrinkRemoveSpace(t->w.brink, t->w.space), 0);
        assert_int_equal(dBrinkAddGeom(t->w.brink, t->wall), 0);
        assert_int_equal(dBrinkRemoveGeom(t->w.brink, t->wall), 0);
        assert_int_equal(dBrinkSetAllowance(t->w.brink, 0.1), 0);
        assert_int_equal(dBrinkSetGeomAllowance(t->w.brink, t->wall, 0.1), 0);
        assert_int_equal(dBrinkSetGeomShape(t->w.brink, t->wall, t->wall), 0);
        assert_int_equal(dBrinkSetTaylorOrder(t->w.brink, 1), 0);
        assert_int_equal(dBrinkSetRays(t->w.brink, 1), 0);
        assert_int_equal(dBrinkSetSweep(t->w.brink, t->wall, 1), 0);
        assert_true(dBrinkGeomDistance(t->w.brink, t->wall, t->bulletGeom) != 0); /* NaN */
        assert_non_null(strstr(dBrinkGetError(t->w.brink), "between steps"));
        break;
      case destroyWorld:
        dWorldDestroy(t->w.world);
        return;
      case spoilVelocity:
        dBodySetLinearVel(t->bullet, NAN, 0, 0);
        break;
      case spoilPosition:
        odeWorld_Near(&t->w, a, b);
        dBodySetPosition(t->bullet, NAN, 0, 0);
        return;
      default:
        break;
    }
  }
  odeWorld_Near(&t->w, a, b);
}

static int terribleStep(terror *t) {
  dSpaceCollide(t->w.space, t, terribleNear);
  t->inStep = true;
  int done = t->w.quick ? dBrinkWorldQuickStep(t->w.brink, t->w.h, t, terribleNear, t->w.contacts)
                        : dBrinkWorldStep(t->w.brink, t->w.h, t, terribleNear, t->w.contacts);
  t->inStep = false;
  dJointGroupEmpty(t->w.contacts);
  return done;
}

static void makeTerror(terror *t, int deed, bool quick) {
  *t = (terror){.deed = deed};
  odeWorld_Make(&t->w, true, quick, -9.81);
  t->wall = dCreateBox(t->w.space, 0.01, 4, 4);
  dCreatePlane(t->w.space, 0, 0, 1, -2);
  t->bulletGeom = dCreateSphere(t->w.space, 0.02);
  t->bullet = odeWorld_Body(&t->w, t->bulletGeom, 0.1, -3, 0, 0);
  dBodySetLinearVel(t->bullet, 250, 0, 0);
  for (int i = 0; i < 3; ++i) {
    dGeomID geom = dCreateBox(t->w.space, 0.9, 0.2, 0.2);
    t->other = i == 1 ? geom : t->other;
    t->links[i] = odeWorld_Body(&t->w, geom, 1, -6 + i, 1, -1.9);
    if (i > 0) {
      t->joints[i - 1] = tie(&t->w, t->links[i - 1], t->links[i], -6.5 + i, 1, -1.9);
    }
  }
}

CASE(whatever_a_callback_destroys_inside_a_step_is_noticed) {
  for (int code = 0; code < 2 * deedCount; ++code) {
    static terror t;
    makeTerror(&t, code / 2, code % 2 == 1);
    int done = terribleStep(&t);
    bool spoilt = t.deed == spoilVelocity || t.deed == spoilPosition;
    bool refused =
        t.deed <= destroyAndMake || t.deed == destroySpace || t.deed == destroyWorld || t.deed == spoilVelocity;
    if (t.done != 1 || (t.deed != destroyBrink && done == refused)) {
      fail_msg("deed %d: done %d, step %d: %s", t.deed, t.done, done,
               t.deed == destroyBrink ? "" : dBrinkGetError(t.w.brink));
    }
    if (t.deed == destroyBrink) {
      t.w.brink = NULL;
      assert_true(dBodyGetPosition(t.bullet)[0] < 0); /* the step was finished first */
      dWorldStep(t.w.world, 0.001);
    } else if (t.deed == destroyWorld) {
      assert_non_null(strstr(dBrinkGetError(t.w.brink), "near callback destroyed the world"));
      assert_int_equal(dBrinkWorldStep(t.w.brink, t.w.h, &t, terribleNear, t.w.contacts), 0); /* nothing is left */
      dBrinkDestroy(t.w.brink);
      t.w.brink = NULL;
      t.w.world = dWorldCreate();
    } else if (spoilt) { /* Brink puts the bodies of a struck pair back to the pose of the impact anyway */
      assert_true(t.deed == spoilPosition || strstr(dBrinkGetError(t.w.brink), "not finite inside a step") != NULL);
      assert_true(isfinite(dBodyGetPosition(t.bullet)[0]) && isfinite(dBodyGetLinearVel(t.bullet)[0]));
      assert_true(dBodyGetPosition(t.bullet)[0] < 0);
    } else if (refused) {
      assert_non_null(strstr(dBrinkGetError(t.w.brink), "near callback destroyed or made"));
    }
    if (t.deed == destroySpace) {
      t.w.space = dHashSpaceCreate(NULL);
    }
    for (int frame = 0; frame < 5 && t.w.brink != NULL; ++frame) {
      if (!terribleStep(&t)) {
        fail_msg("deed %d, frame %d: %s", t.deed, frame, dBrinkGetError(t.w.brink));
      }
    }
    odeWorld_End(&t.w);
  }
}

CASE(objects_destroyed_in_any_order_leave_no_trace) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int order = 0; order < 6; ++order) {
    for (int more = 0; more < 2; ++more) { /* a step between any two */
      odeWorld w;
      odeWorld_Make(&w, true, false, -9.81);
      dSpaceID nested = dSimpleSpaceCreate(w.space);
      dCreatePlane(w.space, 0, 0, 1, 0);
      dBodyID a = odeWorld_Body(&w, dCreateSphere(nested, 0.1), 1, 0, 0, 0.2);
      dBodyID b = odeWorld_Body(&w, dCreateBox(w.space, 0.1, 0.1, 0.1), 1, 0, 0.3, 0.2);
      (void)odeWorld_Body(&w, NULL, 1, 5, 5, 5);
      tie(&w, a, b, 0, 0.2, 0.2);
      bool worldLives = true, brinkLives = true, spaceLives = true;
      for (int i = 0; i < 3; ++i) {
        if (more && worldLives && brinkLives) {
          if (spaceLives) {
            assert_int_equal(odeWorld_Step(&w), 1);
          } else {
            assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 1);
          }
        }
        if (orders[order][i] == 0) {
          dSpaceDestroy(w.space);
          spaceLives = false;
        } else if (orders[order][i] == 1) {
          dBrinkDestroy(w.brink);
          brinkLives = false;
        } else {
          dWorldDestroy(w.world);
          worldLives = false;
        }
      }
      dJointGroupDestroy(w.contacts);
    }
  }
}

CASE(ode_may_be_closed_before_brink) {
  for (int order = 0; order < 3; ++order) {
    odeWorld w;
    odeWorld_Make(&w, true, false, -9.81);
    dCreatePlane(w.space, 0, 0, 1, 0);
    odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 0.5);
    dGeomID alone = dCreateSphere(NULL, 1);
    assert_int_equal(dBrinkAddGeom(w.brink, alone), 1);
    assert_int_equal(odeWorld_Step(&w), 1);
    if (order == 1) {
      dWorldDestroy(w.world);
    }
    dCloseODE();
    if (order == 2) {
      dInitODE2(0);
    }
    dBrinkDestroy(w.brink);
    if (order < 2) {
      dInitODE2(0);
    }
    if (order != 1) {
      dWorldDestroy(w.world);
    }
    dGeomDestroy(alone);
    dJointGroupDestroy(w.contacts);
    dSpaceDestroy(w.space);
  }
}

CASE(two_brinks_share_a_space_and_end_in_any_order) {
  for (int order = 0; order < 4; ++order) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dWorldID other = dWorldCreate();
    dBrinkID second = dBrinkCreate(other);
    assert_int_equal(dBrinkAddSpace(second, w.space), 1);
    odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 0.5);
    assert_int_equal(odeWorld_Step(&w), 1);
    assert_int_equal(dBrinkWorldStep(second, 0.01, NULL, NULL, NULL), 1);
    if (order < 2) {
      dBrinkDestroy(order == 0 ? w.brink : second);
      w.brink = order == 0 ? second : w.brink;
    } else {
      dSpaceDestroy(w.space);
      assert_int_equal(dBrinkWorldStep(second, 0.01, NULL, NULL, NULL), 1);
      w.space = dHashSpaceCreate(NULL);
      dBrinkDestroy(order == 2 ? w.brink : second);
      w.brink = order == 2 ? second : w.brink;
    }
    assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 1);
    odeWorld_End(&w);
    dWorldDestroy(other);
  }
}

/* ---- numbers */

CASE(huge_velocities_stop_at_the_wall) {
  static const double speeds[] = {1e4, 1e7, 1e10, 1e15, 1e30, 1e100, 1e200};
  for (int k = 0; k < 7; ++k) {
    for (int spin = 0; spin < 2; ++spin) {
      odeWorld w;
      odeWorld_Make(&w, true, false, 0);
      dGeomSetPosition(dCreateBox(w.space, 0.01, 10, 10), 0, 0, 0);
      dBodyID bullet = odeWorld_Body(&w, dCreateBox(w.space, 0.1, 0.1, 0.1), 1, -1, 0, 0);
      dBodySetLinearVel(bullet, speeds[k], 0, 0);
      dBodySetAngularVel(bullet, spin ? speeds[k] : 0, 0, 0);
      int told = 1;
      for (int frame = 0; frame < 3 && told; ++frame) {
        told = odeWorld_Step(&w);
        double x = dBodyGetPosition(bullet)[0];
        if (told && !(x < 0)) {
          fail_msg("speed %g spin %d: at %g after frame %d, no message", speeds[k], spin, x, frame);
        }
      }
      if (!told) {
        print_message("speed %g spin %d: %s\n", speeds[k], spin, dBrinkGetError(w.brink));
        assert_true(dBrinkGetError(w.brink)[0] != '\0');
      }
      odeWorld_End(&w);
    }
  }
}

CASE(geoms_without_size_are_left_out_by_name) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  logged[0] = '\0';
  dBrinkSetLog(w.brink, keepLog, NULL);
  dGeomID geoms[5] = {dCreateSphere(w.space, 0), dCreateBox(w.space, 0, 1, 1), dCreateCapsule(w.space, 0, 1),
                      dCreateCylinder(w.space, 1, 0), dCreateCapsule(w.space, 1, 0)};
  dBodyID bodies[5];
  for (int i = 0; i < 5; ++i) {
    bodies[i] = odeWorld_Body(&w, NULL, 1, -1, 20 * i, 0);
    dGeomSetBody(geoms[i], bodies[i]);
    dBodySetLinearVel(bodies[i], 300, 0, 0);
  }
  dGeomSetPosition(dCreateBox(w.space, 0.01, 1000, 10), 3, 0, 0);
  for (int frame = 0; frame < 3; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
  }
  assertLogNames("sphere");
  assertLogNames("box");
  assertLogNames("cylinder");
  assertLogNames("is 0");
  assert_true(dBodyGetPosition(bodies[4])[0] < 3); /* a capsule of no length is a ball */
  /* They grow: watched from then on. */
  dBodySetPosition(bodies[0], -1, 0, 0);
  dGeomSphereSetRadius(geoms[0], 0.01);
  for (int frame = 0; frame < 3; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
  }
  assert_true(dBodyGetPosition(bodies[0])[0] < 3);
  odeWorld_End(&w);
}

/* Who forgets dBrinkAddSpace has plain ODE: every ball passes. It is said at the first step, once. */
CASE(a_world_in_which_nothing_is_watched_is_told_once) {
  enum { FORGOTTEN, SWITCHED_OFF, A_SPACE, A_GEOM, WAYS };
  for (int way = 0; way < WAYS; ++way) {
    for (int quick = 0; quick < 2; ++quick) {
      odeWorld w;
      odeWorld_Make(&w, false, quick != 0, 0);
      dGeomID loose = dCreateSphere(NULL, 1);
      w.brink = dBrinkCreate(w.world);
      logged[0] = '\0';
      dBrinkSetLog(w.brink, keepLog, NULL);
      if (way == SWITCHED_OFF) dBrinkSetEnabled(w.brink, 0);
      if (way == A_SPACE) dBrinkAddSpace(w.brink, w.space);
      if (way == A_GEOM) dBrinkAddGeom(w.brink, loose);
      for (int frame = 0; frame < 3; ++frame) assert_int_equal(odeWorld_Step(&w), 1);
      const char *text = quick ? "dBrinkWorldQuickStep: nothing is watched; call dBrinkAddSpace (brink, space)\n"
                               : "dBrinkWorldStep: nothing is watched; call dBrinkAddSpace (brink, space)\n";
      assert_string_equal(logged, way == FORGOTTEN ? text : "");
      odeWorld_End(&w);
      dGeomDestroy(loose);
    }
  }
}

CASE(a_million_metres_away_the_wall_is_as_solid) {
  for (int kind = 0; kind < 3; ++kind) {
    for (int far = 0; far < 2; ++far) {
      double at = far ? 1e6 : 0;
      odeWorld w;
      odeWorld_Make(&w, true, false, 0);
      w.bounce = 0.5;
      w.mu = 0;
      dGeomSetPosition(dCreateBox(w.space, 0.005, 1, 1), at, at, -at);
      dGeomID geom = kind == 0   ? dCreateSphere(w.space, 0.01)
                     : kind == 1 ? dCreateBox(w.space, 0.02, 0.02, 0.02)
                                 : dCreateCapsule(w.space, 0.01, 0.05);
      dBodyID bullet = odeWorld_Body(&w, geom, 0.01, at - 2.3, at, -at);
      dBodySetLinearVel(bullet, 300, 0, 0);
      for (int frame = 0; frame < 4; ++frame) {
        assert_int_equal(odeWorld_Step(&w), 1);
        assert_true(dBodyGetPosition(bullet)[0] < at);
      }
      if (kind < 2 && !(fabs(dBodyGetLinearVel(bullet)[0] + 150) < 1.5)) {
        fail_msg("kind %d at %g m: leaves at %g m/s", kind, at, dBodyGetLinearVel(bullet)[0]);
      }
      odeWorld_End(&w);
    }
  }
}

CASE(a_step_of_ten_seconds_stops_at_the_wall) {
  for (int quick = 0; quick < 2; ++quick) {
    odeWorld w;
    odeWorld_Make(&w, true, quick, -9.81);
    w.h = 10;
    dCreatePlane(w.space, 0, 0, 1, 0);
    dBodyID body = odeWorld_Body(&w, dCreateBox(w.space, 0.5, 0.5, 0.5), 1, 0, 0, 100);
    dBodySetAngularVel(body, 3, 2, 1);
    for (int frame = 0; frame < 5; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      assert_true(dBodyGetPosition(body)[2] > 0.2);
    }
    odeWorld_End(&w);
  }
}

CASE(a_nested_space_may_be_destroyed_untold) {
  dVector3 centre = {0, 0, 0, 0}, extents = {10, 10, 10, 0};
  for (int code = 0; code < 8; ++code) {
    bool outerToo = code & 1, outerDies = code & 2, twice = code & 4;
    odeWorld w;
    odeWorld_Make(&w, true, false, -9.81);
    dSpaceID outer = code % 2 ? dQuadTreeSpaceCreate(NULL, centre, extents, 3) : dSimpleSpaceCreate(NULL);
    dSpaceID between = dSimpleSpaceCreate(outer), nested = dHashSpaceCreate(between);
    odeWorld_Body(&w, dCreateSphere(nested, 0.1), 1, 0, 0, 0.5);
    dBodyID other = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 1, 0, 0.5);
    dBrinkID second = twice ? dBrinkCreate(w.world) : NULL;
    assert_int_equal(dBrinkAddSpace(w.brink, nested), 1);
    assert_int_equal(twice ? dBrinkAddSpace(second, nested) : 1, 1);
    assert_int_equal(outerToo ? dBrinkAddSpace(w.brink, outer) : 1, 1);
    assert_int_equal(odeWorld_Step(&w), 1);
    dSpaceDestroy(outerDies ? outer : nested);
    for (int frame = 0; frame < 3; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    assert_true(dBodyGetPosition(other)[2] < 0.5);
    if (twice) {
      dBrinkDestroy(w.brink);
      w.brink = second;
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    assert_int_equal(dBrinkRemoveSpace(w.brink, nested), 0); /* it is known to be gone */
    if (!outerDies) {
      dSpaceDestroy(outer);
    }
    assert_int_equal(odeWorld_Step(&w), 1);
    odeWorld_End(&w);
  }
}

/* The geom lies two spaces deeper than the one that is watched, on the struck body: nothing of it may be touched. */
typedef struct deepTerror {
  odeWorld w;
  dSpaceID inner;
  dGeomID limbs[6];
  int deed; /* 0: destroy, 1: destroy and make another, 2: destroy its space */
  bool inStep, done;
} deepTerror;

static void deepNear(void *data, dGeomID a, dGeomID b) {
  deepTerror *t = data;
  if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
    dSpaceCollide2(a, b, data, deepNear);
    return;
  }
  odeWorld_Near(&t->w, a, b);
  if (t->inStep && !t->done) {
    t->done = true;
    for (int i = 0; i < 6 && t->deed < 2; ++i) {
      dGeomDestroy(t->limbs[i]);
    }
    if (t->deed == 1) {
      for (int i = 0; i < 6; ++i) {
        dCreateBox(t->inner, 1, 1, 1);
      }
    } else if (t->deed == 2) {
      dSpaceDestroy(t->inner);
    }
  }
}

CASE(what_is_destroyed_deep_inside_is_noticed_at_once) {
  for (int deed = 0; deed < 3; ++deed) {
    static deepTerror t;
    t = (deepTerror){.deed = deed};
    odeWorld_Make(&t.w, true, false, 0);
    dCreateBox(t.w.space, 0.01, 4, 4);
    t.inner = dSimpleSpaceCreate(dSimpleSpaceCreate(t.w.space));
    dBodyID body = odeWorld_Body(&t.w, dCreateSphere(t.w.space, 0.05), 1, -0.5, 0, 0);
    for (int i = 0; i < 6; ++i) {
      t.limbs[i] = dCreateSphere(t.inner, 0.05);
      dGeomSetBody(t.limbs[i], body);
      dGeomSetOffsetPosition(t.limbs[i], 0, 0.1 * (i + 1), 0);
    }
    dBodySetLinearVel(body, 100, 0, 0);
    dSpaceCollide(t.w.space, &t, deepNear);
    t.inStep = true;
    assert_int_equal(dBrinkWorldStep(t.w.brink, 1.0 / 60, &t, deepNear, t.w.contacts), 0);
    assert_non_null(strstr(dBrinkGetError(t.w.brink), "near callback destroyed or made"));
    t.inStep = false;
    dJointGroupEmpty(t.w.contacts);
    assert_true(t.done && dBodyGetPosition(body)[0] < 0);
    assert_int_equal(odeWorld_Step(&t.w), 1);
    odeWorld_End(&t.w);
  }
}

/* A lid of a thousand kilometres rocks on a ball: no certificate reaches far. The question ends, undecided. */
CASE(a_geom_of_a_million_metres_takes_no_million_iterations) {
  for (int scheme = 0; scheme < 2; ++scheme) {
    odeWorld w;
    odeWorld_Make(&w, true, true, -9.81);
    assert_int_equal(dBrinkSetScheme(w.brink, scheme), 1);
    dBodyID lid = odeWorld_Body(&w, dCreateCylinder(w.space, 1e6, 0.2), 1, 0, 0, 0.35);
    dBodySetAngularVel(lid, 0.4, 20, 100);
    for (int i = 0; i < 3; ++i) {
      dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 5 * i, 3, 0);
      dBodySetLinearVel(ball, 3, -4, 1);
      dBodySetAngularVel(ball, 3, 50, 0);
    }
    for (int frame = 0; frame < 3; ++frame) {
      odeWorld_Step(&w);
      dBrinkStepInfo info = odeWorld_Info(&w);
      print_message("scheme %d: %llu distances, %d unresolved\n", scheme, info.distanceQueries, info.unresolved);
      assert_true(info.distanceQueries < 400000);
    }
    odeWorld_End(&w);
  }
}

/* A long box of triangles turns by a million radians and more in a step, beside another one that reaches into the ball
 * that it turns in. The question ends, undecided, and the box waits. */
CASE(what_spins_by_a_million_radians_in_a_step_takes_no_million_iterations) {
  static const double corners[8][3] = BOX_CORNERS(0.05, 0.05, 0.5);
  static const double places[2][3] = {{0.20825938547253237, 0.086498257213605823, -0.4072802680800035},
                                      {0.24096899303624661, 0.055000415635531458, -0.22394326271204468}};
  static const double spins[2][3] = {{14524251.135560753, -4543102.0878089909, 82259428.429517925},
                                     {57356122.869471446, 123492821.582479, 574229939.90066552}};
  for (int run = 0; run < 2; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, false, 0);
    dTriMeshDataID data = makeBoxData(corners);
    dBodyID bodies[2];
    for (int i = 0; i < 2; ++i) {
      const double *p = places[run], *spin = spins[run];
      bodies[i] = odeWorld_Body(&w, dCreateTriMesh(w.space, data, NULL, NULL, NULL), 1, i * p[0], i * p[1], i * p[2]);
      dBodySetAngularVel(bodies[i], i * spin[0], i * spin[1], i * spin[2]);
      dBodySetGyroscopicMode(bodies[i], 0);
      dBodySetFiniteRotationMode(bodies[i], 1);
    }
    assert_int_equal(odeWorld_Step(&w), 1);
    dBrinkStepInfo info = odeWorld_Info(&w);
    print_message("%llu advancements, %d unresolved, %d clamps\n", info.advancements, info.unresolved, info.clamps);
    assert_true(info.advancements < 40000 && info.clamps == 1);
    odeWorld_End(&w);
    dGeomTriMeshDataDestroy(data);
  }
}

/* ---- a locked space */

static int stepsInside;

static void stepInside(void *data, dGeomID a, dGeomID b) {
  odeWorld *w = data;
  (void)a;
  (void)b;
  assert_int_equal(w->quick ? dBrinkWorldQuickStep(w->brink, 0.01, NULL, NULL, NULL)
                            : dBrinkWorldStep(w->brink, 0.01, NULL, NULL, NULL),
                   0);
  assert_non_null(strstr(dBrinkGetError(w->brink), "dSpaceCollide"));
  stepsInside++;
}

CASE(a_step_inside_dspacecollide_is_refused) {
  stepsInside = 0;
  dVector3 centre = {0, 0, 0, 0}, extents = {10, 10, 10, 0};
  for (int kind = 0; kind < 4; ++kind) {
    odeWorld w;
    odeWorld_Make(&w, true, kind % 2, -9.81);
    dSpaceID space = kind == 0   ? dSimpleSpaceCreate(NULL)
                     : kind == 1 ? dHashSpaceCreate(NULL)
                     : kind == 2 ? dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ)
                                 : dQuadTreeSpaceCreate(NULL, centre, extents, 3);
    dSpaceID inner = dSimpleSpaceCreate(space);
    dBodyID a = odeWorld_Body(&w, dCreateSphere(inner, 1), 1, 0, 0, 0);
    odeWorld_Body(&w, dCreateSphere(space, 1), 1, 0.5, 0, 0);
    assert_int_equal(dBrinkAddSpace(w.brink, space), 1);
    dSpaceCollide(space, &w, stepInside);
    assert_true(dBodyGetPosition(a)[2] == 0);
    assert_int_equal(dBrinkWorldStep(w.brink, 0.01, NULL, NULL, NULL), 1);
    assert_true(dBodyGetPosition(a)[2] < 0);
    odeWorld_End(&w);
    dSpaceDestroy(space);
  }
  assert_int_equal(stepsInside, 4);
}

/* A message begins with the call that it is about. */
CASE(a_refused_step_is_named_as_it_was_called) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  for (int quick = 0; quick < 2; ++quick) {
    int (*const step)(dBrinkID, dReal, void *, dNearCallback *, dJointGroupID) =
        quick ? dBrinkWorldQuickStep : dBrinkWorldStep;
    const char *name = quick ? "dBrinkWorldQuickStep: " : "dBrinkWorldStep: ";
    assert_int_equal(step(w.brink, 0, NULL, NULL, NULL), 0);
    assert_int_equal(strncmp(dBrinkGetError(w.brink), name, strlen(name)), 0);
    assert_int_equal(step(NULL, 0.01, NULL, NULL, NULL), 0);
    assert_int_equal(strncmp(dBrinkGetError(NULL), name, strlen(name)), 0);
  }
  odeWorld_End(&w);
}

CASE(what_cannot_be_done_is_said_and_what_went_well_leaves_no_text) {
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dBodyID body = odeWorld_Body(&w, dCreateSphere(w.space, 0.1), 1, 0, 0, 3);
  dGeomID ball = dBodyGetFirstGeom(body), wall = dCreateBox(w.space, 1, 1, 1);
  assert_int_equal(dBrinkWorldStep(w.brink, 1e-320, NULL, NULL, NULL), 0); /* its inverse is infinite: ODE aborts */
  assert_non_null(strstr(dBrinkGetError(w.brink), "inverse"));
  assert_true(dBrinkExplainBody(w.brink, body, NULL, 0) < dBrinkReasonUnknown);
  assert_string_equal(dBrinkGetError(w.brink), "");
  assert_int_equal(dBrinkSetSweep(w.brink, ball, 1), 0);
  assert_non_null(strstr(dBrinkGetError(w.brink), "kinematic"));
  assert_true(dBrinkExplainPair(w.brink, ball, wall, NULL, 0) < dBrinkReasonUnknown);
  assert_string_equal(dBrinkGetError(w.brink), "");
  assert_int_equal(dBrinkSetSweep(w.brink, wall, 1), 1);
  assert_int_equal(dBrinkRegister(99, dSphereClass), 0);
  assert_non_null(strstr(dBrinkGetError(NULL), "dBrinkRegister: Brink does not answer classes 99"));
  odeWorld_End(&w);
}

/* near destroys a body that has no part in the impact. The world has as many as at the last step's end, and the same
 * comes first in its list: one was made between the steps, or lies at the address of the one that ended. */
typedef struct ending {
  odeWorld w;
  dBodyID bullet, other;
  bool armed, makesAnother;
} ending;

static void endOther(void *data, dGeomID a, dGeomID b) {
  ending *e = data;
  if (e->armed && (dGeomGetBody(a) == e->bullet || dGeomGetBody(b) == e->bullet)) {
    e->armed = false;
    dBodyDestroy(e->other);
    if (e->makesAnother) (void)dBodyCreate(e->w.world);
  }
  odeWorld_Near(&e->w, a, b);
}

CASE(a_body_that_ends_beside_an_impact_is_noticed) {
  for (int kind = 0; kind < 4; ++kind) {
    ending e = {.makesAnother = kind / 2};
    odeWorld_Make(&e.w, true, kind % 2, 0);
    dCreateBox(e.w.space, 0.02, 2, 2);
    dGeomSetPosition(dCreateBox(e.w.space, 0.02, 2, 2), 0, 20, 0);
    e.bullet = odeWorld_Body(&e.w, dCreateSphere(e.w.space, 0.1), 1, -1, 0, 0);
    for (int frame = 0; frame < 4; ++frame) {
      if (frame == (e.makesAnother ? 0 : 3)) {
        e.other = odeWorld_Body(&e.w, dCreateSphere(e.w.space, 0.1), 1, -2, 20, 0);
      }
      dBodySetPosition(e.bullet, -1, 0, 0);
      dBodySetLinearVel(e.bullet, 200, 0, 0);
      if (e.other != NULL) dBodySetLinearVel(e.other, frame == 3 ? 200 : 0, 0, 0);
      dSpaceCollide(e.w.space, &e, endOther);
      e.armed = frame == 3;
      const int done =
          (kind % 2 ? dBrinkWorldQuickStep : dBrinkWorldStep)(e.w.brink, e.w.h, &e, endOther, e.w.contacts);
      assert_int_equal(done, frame < 3);
      dJointGroupEmpty(e.w.contacts);
    }
    assert_non_null(strstr(dBrinkGetError(e.w.brink), "destroyed or made"));
    assert_true(dBodyGetPosition(e.bullet)[0] < 0);
    odeWorld_End(&e.w);
  }
}

/* Three balls strike a floor at one time. The call of near for the first of them destroys the body of another. */
typedef struct trio {
  odeWorld w;
  dBodyID balls[3];
  bool armed;
} trio;

static void endOneOfThree(void *data, dGeomID a, dGeomID b) {
  trio *t = data;
  for (int i = 0; t->armed && i < 3; ++i) {
    if (dGeomGetBody(a) == t->balls[i] || dGeomGetBody(b) == t->balls[i]) {
      t->armed = false;
      dBodyDestroy(t->balls[(i + 1) % 3]);
    }
  }
  odeWorld_Near(&t->w, a, b);
}

CASE(a_body_that_is_struck_too_may_end_in_the_first_call) {
  for (int quick = 0; quick < 2; ++quick) {
    trio t = {.armed = false};
    odeWorld_Make(&t.w, true, quick, 0);
    dCreatePlane(t.w.space, 0, 0, 1, 0);
    for (int frame = 0; frame < 2; ++frame) {
      for (int i = 0; i < 3; ++i) {
        if (frame == 0) t.balls[i] = odeWorld_Body(&t.w, dCreateSphere(t.w.space, 0.1), 1, 0.3 * i, 0, 1);
        dBodySetPosition(t.balls[i], 0.3 * i, 0, 1);
        dBodySetLinearVel(t.balls[i], 0, 0, -100);
      }
      dSpaceCollide(t.w.space, &t, endOneOfThree);
      t.armed = frame == 1;
      const int done =
          (quick ? dBrinkWorldQuickStep : dBrinkWorldStep)(t.w.brink, t.w.h, &t, endOneOfThree, t.w.contacts);
      assert_int_equal(done, frame == 0);
      dJointGroupEmpty(t.w.contacts);
    }
    assert_non_null(strstr(dBrinkGetError(t.w.brink), "destroyed or made"));
    odeWorld_End(&t.w);
  }
}

int main(void) { return cases_Run(startOde, endOde); }
