/* SPDX-License-Identifier: BSD-3-Clause */
/* What the README's table says of odd meshes: one that is inside out lets a body sink in, by less than half of its
 * radius, and not pass; one that changes in place is noticed by samples, a single vertex therefore only with new data.
 */

#include "cases.h"
#include "ode_kinds.h"
#include "ode_world.h"

#define RADIUS 0.2
#define SINKS 0.03 /* m */
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static double slab[8][3];

/* A slab of 4 x 4 x 1 m whose upper side is z = 0; inside out its faces are turned inwards. */
static dTriMeshDataID makeSlab(bool insideOut) {
  static dTriIndex faces[12][3];
  for (int i = 0; i < 8; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      slab[i][axis] = axis < 2 ? (cubeVertices[i][axis] > 0 ? 2 : -2) : (cubeVertices[i][axis] > 0 ? 0 : -1);
    }
  }
  for (int i = 0; i < 12; ++i) {
    for (int k = 0; k < 3; ++k) faces[i][k] = cubeTriangles[i][insideOut ? 2 - k : k];
  }
  dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, slab, sizeof(slab[0]), 8, faces, 36, sizeof(faces[0]));
  return data;
}

/* The lowest that a ball's centre gets in five seconds, thrown down at a speed from 3 m. */
static double lowest(bool withBrink, bool insideOut, double speed) {
  odeWorld w;
  dTriMeshDataID data = makeSlab(insideOut);
  odeWorld_Make(&w, withBrink, false, -9.81);
  dCreateTriMesh(w.space, data, NULL, NULL, NULL);
  dBodyID ball = odeWorld_Body(&w, dCreateSphere(w.space, RADIUS), 1, 0.13, 0.21, 3);
  dBodySetLinearVel(ball, 0, 0, -speed);
  double low = 3;
  for (int frame = 0; frame < 300; ++frame) {
    odeWorld_Step(&w);
    low = fmin(low, dBodyGetPosition(ball)[2]);
  }
  odeWorld_End(&w);
  dGeomTriMeshDataDestroy(data);
  return low;
}

CASE(what_falls_on_a_mesh_inside_out_sinks_in_and_does_not_pass) {
  assert_true(lowest(false, true, 0) < -0.5); /* plain ODE pushes it in */
  const double speeds[] = {0, 5, 100};
  for (int i = 0; i < 3; ++i) {
    double right = lowest(true, false, speeds[i]), wrong = lowest(true, true, speeds[i]);
    print_message("%3g m/s: centre down to %.4f m, on the same mesh inside out %.4f m\n", speeds[i], right, wrong);
    assert_true(right > RADIUS - SINKS && wrong > RADIUS / 2);
  }
}

enum { SIDE = 41 };

CASE(one_changed_vertex_of_many_is_noticed_with_new_data_only) {
  static double vertices[SIDE * SIDE][3];
  static dTriIndex faces[2 * (SIDE - 1) * (SIDE - 1)][3];
  odeWorld w;
  odeWorld_Make(&w, true, false, 0);
  for (int i = 0; i < SIDE * SIDE; ++i) {
    vertices[i][0] = 0.25 * (i % SIDE - SIDE / 2);
    vertices[i][1] = 0.25 * (i / SIDE - SIDE / 2);
  }
  for (int i = 0; i < (SIDE - 1) * (SIDE - 1); ++i) {
    dTriIndex a = (dTriIndex)(i / (SIDE - 1) * SIDE + i % (SIDE - 1)), above = a + SIDE;
    const dTriIndex two[2][3] = {{a, a + 1, above + 1}, {a, above + 1, above}};
    memcpy(faces[2 * i], two, sizeof(two));
  }
  dTriMeshDataID data[2];
  for (int k = 0; k < 2; ++k) {
    data[k] = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildDouble(data[k], vertices, sizeof(vertices[0]), SIDE * SIDE, faces,
                                3 * (int)(sizeof faces / sizeof *faces), sizeof(faces[0]));
  }
  dGeomID mesh = dCreateTriMesh(w.space, data[0], NULL, NULL, NULL), ball = dCreateSphere(w.space, 0.5);
  odeWorld_Body(&w, ball, 1, 0, 0, 3);
  NEAR(dBrinkGeomDistance(w.brink, ball, mesh), 2.5);
  for (int i = 0; i < SIDE * SIDE; ++i) vertices[i][2] = 0.5; /* all of them: noticed */
  NEAR(dBrinkGeomDistance(w.brink, ball, mesh), 2);
  vertices[SIDE * SIDE / 2][2] = 1; /* one below the ball: not */
  NEAR(dBrinkGeomDistance(w.brink, ball, mesh), 2);
  dGeomTriMeshSetData(mesh, data[1]);
  NEAR(dBrinkGeomDistance(w.brink, ball, mesh), 1.5);
  odeWorld_End(&w);
  for (int k = 0; k < 2; ++k) dGeomTriMeshDataDestroy(data[k]);
}

static int begin(void **state) {
  (void)state;
  return dInitODE2(0) ? 0 : 1;
}

static int finish(void **state) {
  (void)state;
  dCloseODE();
  return 0;
}

int main(void) { return cases_Run(begin, finish); }
