/* SPDX-License-Identifier: BSD-3-Clause */
/* Does what slides go as far with Brink as in plain ODE? Boxes, cylinders (flat and lying), capsules, convexes and
 * meshes on boxes, cylinders, convexes, planes, meshes and heightfields of 1 to 200 m, level and tilted, with and
 * without friction. Nothing may be undecided or held. Units: SI. BRINK_SOAK: every combination. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_box.h"
#include "ode_world.h"

enum { moverBox, moverFlat, moverLying, moverCapsule, moverConvex, moverMesh, movers };
enum { groundBox, groundCylinder, groundConvex, groundPlane, groundMesh, groundField, grounds };
static const char *const moverNames[] = {"box", "cylinder flat", "cylinder lying", "capsule", "convex", "mesh"};
static const char *const groundNames[] = {"box", "cylinder", "convex", "plane", "mesh", "heightfield"};
#define HALF 0.1     /* of every mover */
#define OVERLAP 1e-4 /* m, at the start */
#define FRAMES 60
#define PATH_PART 0.01
#define PATH_LEAST 1e-3 /* m */

typedef struct solid { /* of a convex or a mesh: ODE borrows them */
  dReal points[24], planes[24];
  double vertices[8][3];
} solid;

static void makeSolid(solid *s, double x, double y, double z) {
  *s = (solid){BOX_POINTS(x, y, z), BOX_PLANES(x, y, z), BOX_CORNERS(x, y, z)};
}

static dTriMeshDataID meshOf(const solid *s) {
  dTriMeshDataID data = makeBoxData(s->vertices);
  dGeomTriMeshDataPreprocess2(data, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL); /* ODE's convexes ask for it */
  return data;
}

static dReal level(void *user, int x, int z) {
  (void)user;
  (void)x;
  (void)z;
  return 0;
}

typedef struct row {
  int mover, ground;
  double length, mu, speed, tilt;
  bool quick;
} row;

typedef struct outcome {
  double path; /* m */
  int undecided, clamps, extra;
} outcome;

static outcome slide(const row *r, bool withBrink) {
  outcome out = {0};
  odeWorld w;
  solid small, large;
  dTriMeshDataID meshes[2] = {NULL, NULL};
  dHeightfieldDataID field = NULL;
  dRandSetSeed(1);
  odeWorld_Make(&w, withBrink, r->quick, 0);
  dWorldSetGravity(w.world, 9.81 * sin(r->tilt), 0, -9.81 * cos(r->tilt)); /* a tilted ground, seen from it */
  w.mu = r->mu;
  const double half = r->length / 2, thick = r->length < 5 ? 0.25 : 0.5;
  makeSolid(&small, HALF, HALF, HALF);
  makeSolid(&large, half, half, thick);
  dGeomID ground;
  dMatrix3 turn;
  switch (r->ground) {
    case groundBox:
      ground = dCreateBox(w.space, r->length, r->length, 2 * thick);
      dGeomSetPosition(ground, 0, 0, -thick);
      break;
    case groundCylinder:
      ground = dCreateCylinder(w.space, half, 2 * thick);
      dGeomSetPosition(ground, 0, 0, -thick);
      break;
    case groundConvex:
      ground = dCreateConvex(w.space, large.planes, 6, large.points, 8, cubePolygons);
      dGeomSetPosition(ground, 0, 0, -thick);
      break;
    case groundPlane:
      dCreatePlane(w.space, 0, 0, 1, 0);
      break;
    case groundMesh:
      meshes[0] = meshOf(&large);
      ground = dCreateTriMesh(w.space, meshes[0], NULL, NULL, NULL);
      dGeomSetPosition(ground, 0, 0, -thick);
      break;
    default:
      field = dGeomHeightfieldDataCreate();
      dGeomHeightfieldDataBuildCallback(field, NULL, level, r->length, r->length, 9, 9, 1, 0, 1, 0);
      dGeomHeightfieldDataSetBounds(field, -0.1, 0.1);
      ground = dCreateHeightfield(w.space, field, 1);
      dRFromAxisAndAngle(turn, 1, 0, 0, M_PI / 2);
      dGeomSetRotation(ground, turn);
  }
  dGeomID mover;
  switch (r->mover) {
    case moverBox:
      mover = dCreateBox(w.space, 2 * HALF, 2 * HALF, 2 * HALF);
      break;
    case moverFlat:
    case moverLying:
      mover = dCreateCylinder(w.space, HALF, 2 * HALF);
      break;
    case moverCapsule:
      mover = dCreateCapsule(w.space, HALF, 2 * HALF);
      break;
    case moverConvex:
      mover = dCreateConvex(w.space, small.planes, 6, small.points, 8, cubePolygons);
      break;
    default:
      meshes[1] = meshOf(&small);
      mover = dCreateTriMesh(w.space, meshes[1], NULL, NULL, NULL);
  }
  double start = -0.4 * half;
  dBodyID body = dBodyCreate(w.world);
  dMass mass;
  dMassSetBoxTotal(&mass, 1, 2 * HALF, 2 * HALF, 2 * HALF);
  dBodySetMass(body, &mass);
  dGeomSetBody(mover, body);
  dBodySetPosition(body, start, 0.013, HALF - OVERLAP);
  if (r->mover == moverLying || r->mover == moverCapsule) { /* along the way */
    dRFromAxisAndAngle(turn, 0, 1, 0, M_PI / 2);
    dBodySetRotation(body, turn);
  }
  dBodySetLinearVel(body, r->speed, 0, 0);
  for (int frame = 0; frame < FRAMES; ++frame) {
    assert_int_equal(odeWorld_Step(&w), 1);
    if (withBrink) {
      dBrinkStepInfo info = odeWorld_Info(&w);
      out.undecided += info.unresolved;
      out.clamps += info.clamps;
      out.extra += info.solves - 1;
    }
    if (dBodyGetPosition(body)[0] > 0.8 * half) { /* before it leaves the ground */
      break;
    }
  }
  out.path = dBodyGetPosition(body)[0] - start;
  odeWorld_End(&w);
  for (int i = 0; i < 2; ++i) {
    if (meshes[i] != NULL) {
      dGeomTriMeshDataDestroy(meshes[i]);
    }
  }
  if (field != NULL) {
    dGeomHeightfieldDataDestroy(field);
  }
  return out;
}

CASE(what_slides_goes_as_far_as_in_plain_ode) {
  static const double lengths[4] = {1, 5, 20, 200}, speeds[3] = {1, 4, 10}, tilts[2] = {0, 10 * M_PI / 180};
  bool all = getenv("BRINK_SOAK") != NULL;
  int rows = 0, undecided = 0, clamps = 0, extra = 0, off = 0;
  uint64_t random = 7;
  for (int code = 0; code < movers * grounds * 4 * 3 * 2 * 2 * 2; ++code) {
    int c = code;
    row r = {.mover = c % movers};
    r.ground = (c /= movers) % grounds;
    r.length = lengths[(c /= grounds) % 4];
    r.speed = speeds[(c /= 4) % 3];
    r.tilt = tilts[(c /= 3) % 2];
    r.mu = (c /= 2) % 2 ? 0.5 : 0;
    r.quick = (c /= 2) % 2 != 0;
    if (!all && odeRandom(&random) > 0.15) {
      continue;
    }
    outcome plain = slide(&r, false), brink = slide(&r, true);
    double least = fmax(PATH_LEAST, PATH_PART * fabs(plain.path));
    bool thrown = (r.mover == moverConvex && r.ground == groundMesh) ||
                  (r.mover == moverMesh && r.ground == groundConvex); /* see the top */
    bool wrong = !thrown && !(fabs(brink.path - plain.path) <= least);
    rows++;
    undecided += brink.undecided;
    clamps += brink.clamps;
    extra += brink.extra;
    off += wrong;
    if (wrong || brink.undecided + brink.clamps > 0) {
      print_message(
          "%s on a %s of %g m, mu %g, %g m/s, tilt %.2f, %s: %g m, plain ODE %g m, %d undecided, %d clamps, %d "
          "extra solves\n",
          moverNames[r.mover], groundNames[r.ground], r.length, r.mu, r.speed, r.tilt,
          r.quick ? "QuickStep" : "WorldStep", brink.path, plain.path, brink.undecided, brink.clamps, brink.extra);
    }
  }
  print_message("%d slides: %d paths off by more than 1 %%, %d undecided, %d clamps, %d extra solves\n", rows, off,
                undecided, clamps, extra);
  assert_int_equal(undecided, 0);
  assert_int_equal(clamps, 0);
  assert_int_equal(off, 0);
}

static void silent(int number, const char *message, va_list args) {
  (void)number;
  (void)message;
  (void)args;
}

int main(void) {
  dInitODE2(0);
  dSetMessageHandler(silent); /* ODE's LCP complains, with and without Brink */
  int failed = cases_Run(NULL, NULL);
  dCloseODE();
  return failed;
}
