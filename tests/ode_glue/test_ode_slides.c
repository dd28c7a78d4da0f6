/* SPDX-License-Identifier: BSD-3-Clause */
/* Is what slides over a flat mesh kicked by the edges inside it more with Brink
 * than without, where contacts are ODE's own ("keep")? What ODE's colliders
 * make of an edge hangs on the last bits, so one line tells nothing: 200 lines,
 * the mean of the largest vertical speed on each. Units: SI. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_kinds.h"

enum { gridCells = 60, lines = 200 };

static dTriMeshDataID makeGrid(void) { /* cells of half a metre */
  static double vertices[(gridCells + 1) * (gridCells + 1)][3];
  static dTriIndex triangles[2 * gridCells * gridCells][3];
  for (int i = 0; i < (gridCells + 1) * (gridCells + 1); ++i) {
    vertices[i][0] = (i % (gridCells + 1)) * 0.5 - 2;
    vertices[i][1] = (i / (gridCells + 1)) * 0.5 - 15;
  }
  for (int i = 0; i < gridCells * gridCells; ++i) {
    dTriIndex a = (dTriIndex)(i / gridCells * (gridCells + 1) + i % gridCells), above = a + gridCells + 1;
    const dTriIndex two[2][3] = {{a, a + 1, above + 1}, {a, above + 1, above}};
    memcpy(triangles[2 * i], two, sizeof(two));
  }
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, vertices, sizeof(vertices[0]), (gridCells + 1) * (gridCells + 1), triangles,
                              6 * gridCells * gridCells, sizeof(triangles[0]));
  return data;
}

typedef struct slideResult {
  double kick; /* m/s, mean over the lines of the largest vertical speed */
  double worst;
  int solves; /* extra */
} slideResult;

/* A capsule without friction, at `speed` over the grid on each line. */
static slideResult slide(bool withBrink, bool quick, double speed, int frames) {
  slideResult out = {0};
  odeWorld w;
  dInitODE2(0);
  dTriMeshDataID data = makeGrid();
  odeWorld_Make(&w, withBrink, quick, -9.81);
  dRandSetSeed(1);
  w.mu = 0;
  dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  for (int line = 0; line < lines; ++line) {
    dGeomID geom = dCreateCapsule(w.space, 0.1, 0.3);
    dBodyID body = odeWorld_Body(&w, geom, 1, 0, 0.1 + 0.0031 * line, 0.1);
    dMatrix3 turn;
    dRFromAxisAndAngle(turn, 0, 1, 0, M_PI / 2);
    dBodySetRotation(body, turn);
    for (int frame = 0; frame < 60; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
    }
    dBodySetLinearVel(body, speed, 0.3, 0);
    dBodySetAngularVel(body, 0, 0, 0);
    double kick = 0;
    for (int frame = 0; frame < frames; ++frame) {
      assert_int_equal(odeWorld_Step(&w), 1);
      kick = fmax(kick, fabs(dBodyGetLinearVel(body)[2]));
      out.solves += withBrink ? odeWorld_Info(&w).solves - 1 : 0;
    }
    out.kick += kick / lines;
    out.worst = fmax(out.worst, kick);
    dGeomDestroy(geom);
    dBodyDestroy(body);
  }
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
  dCloseODE();
  return out;
}

CASE(edges_inside_a_mesh_kick_a_capsule_no_more_than_in_plain_ode) {
  double sums[2] = {0, 0};
  for (int code = 0; code < 4; ++code) {
    bool quick = code % 2 == 1;
    double speed = code < 2 ? 10 : 40;
    for (int withBrink = 0; withBrink < 2; ++withBrink) {
      slideResult r = slide(withBrink, quick, speed, code < 2 ? 60 : 30);
      print_message(
          "%2.0f m/s, %s, %s: kick in the mean of %d lines %.2f m/s, "
          "worst %.1f m/s, %d extra solves\n",
          speed, quick ? "QuickStep" : "WorldStep", withBrink ? "Brink" : "plain ODE", lines, r.kick, r.worst,
          r.solves);
      sums[withBrink] += r.kick;
    }
  }
  print_message("all: plain ODE %.3f m/s, Brink %.3f m/s\n", sums[0] / 4, sums[1] / 4);
  assert_true(sums[0] > 0.1); /* there is something to be felt */
  assert_true(sums[1] <= 1.1 * sums[0]);
}

int main(void) { return cases_Run(NULL, NULL); }
