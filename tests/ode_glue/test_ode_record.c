/* SPDX-License-Identifier: BSD-3-Clause */
/* Does a step that ended in the guard leave one file that `brink replay` answers with the same bits? */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "ode_world.h"

#define FOLDER BRINK_BINARY_DIR "/test_ode_record"
#define COMMAND BRINK_BINARY_DIR "/bin/brink"

static int replay(const char *path, char *output, size_t capacity) {
  char command[2048];
  snprintf(command, sizeof(command), "%s replay '%s' 2>&1", COMMAND, path);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t length = fread(output, 1, capacity - 1, pipe);
  output[length] = '\0';
  return WEXITSTATUS(pclose(pipe));
}

static bool haveCommand(void) {
  FILE *file = fopen(COMMAND, "rb");
  if (file != NULL) {
    fclose(file);
    return true;
  }
  print_message("no brink command in this build: files are not replayed\n");
  return false;
}

static const double corners[12] = {-1, -1, -0.2, 1, -1, -0.2, 0, 1, -0.2, 0, 0, 0.5};
static const dTriIndex faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

/* Bodies of every recorded shape, a chain among them, thrown at a wall; capped at one extra solve. */
static void throwThings(odeWorld *w, dTriMeshDataID mesh) {
  dGeomID wall = dCreateBox(w->space, 0.1, 40, 40), previousGeom = NULL;
  dCreatePlane(w->space, 0, 0, 1, -15);
  dGeomSetPosition(wall, 5, 0, 0);
  for (int i = 0; i < 6; ++i) {
    dGeomID geom = i == 0   ? dCreateSphere(w->space, 0.3)
                   : i == 1 ? dCreateBox(w->space, 0.4, 0.6, 0.5)
                   : i == 2 ? dCreateCapsule(w->space, 0.2, 0.5)
                   : i == 3 ? dCreateCylinder(w->space, 0.3, 0.4)
                   : i == 4 ? dCreateTriMesh(w->space, mesh, NULL, NULL, NULL)
                            : dCreateSphere(w->space, 0.2);
    dBodyID body = odeWorld_Body(w, geom, 1, 0, 3.0 * i - 8, 0.1 * i);
    dBodySetLinearVel(body, 200 + 20 * i, 3 * i, 0);
    dBodySetAngularVel(body, 2, -3, 1 + i);
    if (i == 5) {
      dJointID joint = dJointCreateBall(w->world, NULL);
      dJointAttach(joint, dGeomGetBody(previousGeom), body);
      dJointSetBallAnchor(joint, 0, 5.5, 0);
    }
    previousGeom = geom;
  }
}

CASE(clamped_steps_are_recorded_and_answered_again_with_the_same_bits) {
  dInitODE2(0);
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dTriMeshDataID mesh = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(mesh, corners, 3 * sizeof(double), 4, faces, 12, 3 * sizeof(dTriIndex));
  dBrinkRegister(dTriMeshClass, dBoxClass);
  throwThings(&w, mesh);
  mkdir(FOLDER, 0777);
  assert_true(dBrinkSetRecordDirectory(w.brink, FOLDER));
  dBrinkSetMaxSubsteps(w.brink, 1);
  int records = 0, clampedSteps = 0;
  for (int i = 0; i < 20; ++i) {
    assert_true(odeWorld_Step(&w));
    dBrinkStepInfo info = odeWorld_Info(&w);
    clampedSteps += info.clamps > 0;
    assert_int_equal(info.recordPath != NULL, info.clamps > 0);
    if (info.recordPath == NULL || records >= 6) {
      continue;
    }
    records++;
    if (haveCommand()) {
      static char output[1 << 16];
      int status = replay(info.recordPath, output, sizeof(output));
      if (status != 0 || strstr(output, "same") == NULL || strstr(output, "OTHER") != NULL) {
        fail_msg("%s: exit status %d\n%.3000s", info.recordPath, status, output);
      }
    }
  }
  print_message("%d clamped steps, %d records replayed\n", clampedSteps, records);
  assert_true(records > 0);
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(mesh);
  dCloseODE();
}

/* A capsule pressed into a sheet of triangles with ODE's own contacts: its core is what is watched (brink/steps.h). */
CASE(pairs_that_sink_are_answered_again_with_the_same_bits) {
  static const double sheet[12] = {-6, -6, 0, 6, -6, 0, -6, 6, 0, 6, 6, 0};
  static const dTriIndex two[6] = {0, 1, 2, 1, 3, 2};
  dInitODE2(0);
  odeWorld w;
  odeWorld_Make(&w, true, false, -9.81);
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, sheet, 3 * sizeof(double), 4, two, 6, 3 * sizeof(dTriIndex));
  dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  dBodyID body = odeWorld_Body(&w, dCreateCapsule(w.space, 0.2, 0.4), 1, 0.1, 0.137, 0.39);
  dBodySetLinearVel(body, 0.2, 0, -3);
  dBodySetAngularVel(body, 1, 2, 0);
  w.mu = 0;
  mkdir(FOLDER, 0777);
  assert_true(dBrinkSetRecordDirectory(w.brink, FOLDER));
  dBrinkSetMaxSubsteps(w.brink, 0);
  int sunken = 0;
  for (int i = 0; i < 30; ++i) {
    assert_true(odeWorld_Step(&w));
    if (i % 5 == 4) {
      dBodySetAngularVel(body, 30, 20, 0);
    } else {
      dBodyAddForce(body, 0, 0, -2e4);
    }
    dBrinkStepInfo info = odeWorld_Info(&w);
    if (info.recordPath == NULL || info.eventCount == 0 || info.events[0].threshold >= 0) {
      continue;
    }
    sunken++;
    if (haveCommand()) {
      static char output[1 << 16];
      int status = replay(info.recordPath, output, sizeof(output));
      if (status != 0 || strstr(output, "same") == NULL || strstr(output, "OTHER") != NULL) {
        fail_msg("%s: exit status %d\n%.3000s", info.recordPath, status, output);
      }
    }
  }
  assert_true(sunken > 0);
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
  dCloseODE();
}

CASE(a_folder_that_is_not_there_is_refused_and_one_that_goes_costs_no_step) {
  dInitODE2(0);
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  dTriMeshDataID mesh = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(mesh, corners, 3 * sizeof(double), 4, faces, 12, 3 * sizeof(dTriIndex));
  throwThings(&w, mesh);
  assert_int_equal(dBrinkSetRecordDirectory(w.brink, FOLDER "/is/not/there"), 0);
  assert_non_null(strstr(dBrinkGetError(w.brink), FOLDER "/is/not/there"));
  assert_int_equal(mkdir(FOLDER "/goes", 0777), 0);
  assert_true(dBrinkSetRecordDirectory(w.brink, FOLDER "/goes"));
  assert_int_equal(rmdir(FOLDER "/goes"), 0);
  dBrinkSetMaxSubsteps(w.brink, 0);
  int clamps = 0;
  for (int i = 0; i < 5; ++i) {
    assert_true(odeWorld_Step(&w));
    clamps += odeWorld_Info(&w).clamps;
    assert_null(odeWorld_Info(&w).recordPath);
  }
  assert_true(clamps > 0);
  assert_true(dBrinkSetRecordDirectory(w.brink, NULL));
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(mesh);
  dCloseODE();
}

/* Recording asks about every body, and changes nothing else. */
CASE(recording_changes_no_bit) {
  dInitODE2(0);
  double sums[2] = {0, 0};
  for (int run = 0; run < 2; ++run) {
    odeWorld w;
    odeWorld_Make(&w, true, false, -9.81);
    dCreatePlane(w.space, 0, 0, 1, 0);
    dBodyID bodies[10];
    for (int i = 0; i < 10; ++i) {
      bodies[i] = odeWorld_Body(&w, dCreateSphere(w.space, 0.2), 1, i, 0, 0.3 + 0.1 * i);
      dBodySetLinearVel(bodies[i], i == 9 ? -100 : 0, 0, 0);
    }
    if (run == 1) {
      dBrinkSetRecordDirectory(w.brink, FOLDER);
    }
    for (int i = 0; i < 40; ++i) {
      odeWorld_Step(&w);
    }
    for (int i = 0; i < 10; ++i) {
      sums[run] += dBodyGetPosition(bodies[i])[0] * (i + 1) + dBodyGetPosition(bodies[i])[2];
    }
    odeWorld_End(&w);
  }
  assert_true(fabs(sums[0] - sums[1]) < 1e-9);
  dCloseODE();
}

CASE(records_cut_short_are_refused_by_line) {
  if (!haveCommand()) {
    return;
  }
  static const struct {
    const char *text, *word;
  } bad[] = {{"", "brink-record"},
             {"brink-record 2\ntaylor 3\n", "'end' is missing"},
             {"brink-record 2\ntaylor 3\nbody 0\ncollider 0 0 0 0 0 1 0 0 0 1 1 0.1\nend\n", "was not told before"},
             {"brink-record 2\ntaylor 3\nshape 0 sphere -1\nend\n", "shape"},
             {"brink-record 2\ntaylor 3\nshape 0 mesh 900000000 300000000\nend\n", "do not fit"},
             {"brink-record 1\n", "version"}};
  char path[] = FOLDER "/bad.record", output[4096];
  mkdir(FOLDER, 0777);
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); ++i) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(bad[i].text, file);
    fclose(file);
    int status = replay(path, output, sizeof(output));
    if (status != 2 || strstr(output, bad[i].word) == NULL) {
      fail_msg("case %zu: exit status %d, %s", i, status, output);
    }
  }
}

int main(void) { return cases_Run(NULL, NULL); }
