/* SPDX-License-Identifier: BSD-3-Clause */
/* Every class of geom, fast, at every class: does anything pass through anything, and does a bounce keep its speed?
 * Movers of 0.2 m at 200 m/s (0.8 to 7 m per step) meet plates, discs, balls, sheets and grounds, some a few cm thick:
 * static and coming the other way, straight and spinning, with WorldStep and QuickStep, h = 1/30, 1/60, 1/240 s,
 * contacts by ODE ("keep") and by Brink ("replace"). Judged along the executed motion, not at its ends: in each segment
 * the mover's centre is followed by its distance from the target, computed here; nearer than half its inner radius is
 * through. Speed after a straight central hit: e times the speed before, within 1 %. Own executable: the override is
 * for the whole process. Units: SI. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "ode_box.h"
#include "ode_world.h"

enum { movers = 8, targets = 11, firstGround = 8 };
static const char *const moverNames[movers] = {"sphere", "box",     "capsule",   "cylinder",
                                               "convex", "trimesh", "transform", "user"};
static const char *const targetNames[targets] = {"sphere",    "box",  "capsule", "cylinder", "convex", "trimesh",
                                                 "transform", "user", "plane",   "hfield",   "sheet"};

#define SPEED 200.0
#define BOUNCE 0.5
#define INNER 0.07 /* m, ball inside every mover */

/* ---- boxes in other clothes */

typedef struct boxParts {
  double vertices[8][3];
  dReal planes[24], points[24];
  dTriMeshDataID data;
} boxParts;

static boxParts cube, plate;
static dTriMeshDataID sheetData;
static dHeightfieldDataID fieldData;
static int userClass;

static void makeParts(boxParts *parts, double x, double y, double z) { /* whole edges */
  x /= 2, y /= 2, z /= 2;
  *parts = (boxParts){BOX_CORNERS(x, y, z), BOX_PLANES(x, y, z), BOX_POINTS(x, y, z), NULL};
  parts->data = makeBoxData(parts->vertices);
  dGeomTriMeshDataPreprocess2(parts->data, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL);
}

/* A user class is what its first byte says: a ball of 0.1 m, or the plate. */
static dGeomID standIn(dGeomID geom) {
  const char *isPlate = dGeomGetClassData(geom);
  return *isPlate ? dCreateBox(NULL, 0.04, 2, 2) : dCreateSphere(NULL, 0.1);
}

static void userBox(dGeomID geom, dReal box[6]) {
  const dReal *p = dGeomGetPosition(geom);
  for (int i = 0; i < 6; ++i) {
    box[i] = p[i / 2] + (i % 2 ? 1.5 : -1.5);
  }
}

static dColliderFn *userCollider(int other);

/* Two user geoms: ODE asks once more, for the stand-in and the other. */
static int userCollide(dGeomID a, dGeomID b, int flags, dContactGeom *contacts, int skip) {
  return odeCollideAs(standIn(a), a, b, flags, contacts, skip);
}

static dColliderFn *userCollider(int other) {
  (void)other;
  return userCollide;
}

static void makeResources(void) {
  makeParts(&cube, 0.2, 0.2, 0.2);
  makeParts(&plate, 0.04, 2, 2);
  static double vertices[25][3];
  static dTriIndex indices[32][3];
  for (int i = 0; i < 25; ++i) {
    vertices[i][1] = i % 5 * 0.5 - 1;
    vertices[i][2] = i / 5 * 0.5 - 1;
  }
  for (int i = 0; i < 16; ++i) {
    dTriIndex a = (dTriIndex)(i / 4 * 5 + i % 4);
    const dTriIndex two[2][3] = {{a, a + 5, a + 1}, {a + 1, a + 5, a + 6}};
    memcpy(indices[2 * i], two, sizeof(two));
  }
  sheetData = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(sheetData, vertices, sizeof(vertices[0]), 25, indices, 96, sizeof(indices[0]));
  dGeomTriMeshDataPreprocess2(sheetData, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL);
  static double heights[81];
  fieldData = dGeomHeightfieldDataCreate();
  dGeomHeightfieldDataBuildDouble(fieldData, heights, 0, 3, 3, 9, 9, 1, 0, 0.5, 0);
  dGeomClass c = {.bytes = 1, .collider = userCollider, .aabb = userBox};
  userClass = dCreateGeomClass(&c);
}

static dGeomID makeUser(dSpaceID space, char isPlate) {
  dGeomID geom = dCreateGeom(userClass);
  *(char *)dGeomGetClassData(geom) = isPlate;
  dSpaceAdd(space, geom);
  return geom;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static dGeomID makeTransform(dSpaceID space, dGeomID inside) {
  dGeomID geom = dCreateGeomTransform(space);
  dGeomTransformSetCleanup(geom, 1);
  dGeomTransformSetInfo(geom, 1);
  dGeomTransformSetGeom(geom, inside);
  return geom;
}
#pragma GCC diagnostic pop

/* Flat side or round end towards x. */
static dGeomID makeMover(dSpaceID space, int kind) {
  return kind == 0   ? dCreateSphere(space, 0.1)
         : kind == 1 ? dCreateBox(space, 0.2, 0.2, 0.2)
         : kind == 2 ? dCreateCapsule(space, INNER, 0.12)
         : kind == 3 ? dCreateCylinder(space, 0.1, 0.2)
         : kind == 4 ? dCreateConvex(space, cube.planes, 6, cube.points, 8, cubePolygons)
         : kind == 5 ? dCreateTriMesh(space, cube.data, NULL, NULL, NULL)
         : kind == 6 ? makeTransform(space, dCreateBox(NULL, 0.2, 0.2, 0.2))
                     : makeUser(space, 0);
}

static dGeomID makeTarget(dSpaceID space, int kind) {
  switch (kind) {
    case 0:
      return dCreateSphere(space, 0.4);
    case 1:
      return dCreateBox(space, 0.04, 2, 2);
    case 2:
      return dCreateCapsule(space, 0.1, 2);
    case 3:
      return dCreateCylinder(space, 1, 0.04);
    case 4:
      return dCreateConvex(space, plate.planes, 6, plate.points, 8, cubePolygons);
    case 5:
      return dCreateTriMesh(space, plate.data, NULL, NULL, NULL);
    case 6:
      return makeTransform(space, dCreateBox(NULL, 0.04, 2, 2));
    case 7:
      return makeUser(space, 1);
    case 8:
      return dCreatePlane(space, -1, 0, 0, 0);
    case 9:
      return dCreateHeightfield(space, fieldData, 1);
    default:
      return dCreateTriMesh(space, sheetData, NULL, NULL, NULL);
  }
}

/* ---- the judge */

/* Signed distance of a point from a target, its own frame; of slabs a lower bound. */
static double distanceFrom(int kind, const double p[3]) {
  double flat = fabs(p[0]) - 0.02, wide = fmax(fabs(p[1]), fabs(p[2])) - 1;
  switch (kind) {
    case 0:
      return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.4;
    case 2: {
      double z = fmax(0, fabs(p[2]) - 1);
      return sqrt(p[0] * p[0] + p[1] * p[1] + z * z) - 0.1;
    }
    case 3:
      return fmax(fabs(p[2]) - 0.02, hypot(p[0], p[1]) - 1);
    case 8:
      return -p[0];
    case 9:
      return fmax(fmax(p[1], -0.5 - p[1]), fmax(fabs(p[0]), fabs(p[2])) - 1.5); /* local y up */
    case 10:
      return fmax(fabs(p[0]), wide);
    default:
      return fmax(flat, wide);
  }
}

typedef struct pair {
  int mover, target;
  dGeomID moverGeom, targetGeom;
  dBodyID moverBody, targetBody; /* target NULL: static */
  bool through;
  double nearest; /* m, of the centre */
} pair;

typedef struct run {
  odeWorld w;
  pair pairs[targets];
  int pairCount;
  double fastest; /* rad/s + m/s: bound of what a centre sees */
} run;

static double pairDistance(dBrinkID brink, const pair *p, double s) {
  double centre[3], q[4], origin[3], local[3];
  dMatrix3 R;
  if (!dBrinkSegmentPose(brink, p->moverBody, s, centre, q)) {
    return INFINITY;
  }
  if (p->targetBody != NULL) {
    if (!dBrinkSegmentPose(brink, p->targetBody, s, origin, q)) {
      return INFINITY;
    }
    dRfromQ(R, q);
  } else if (p->target == 8) {
    memset(origin, 0, sizeof(origin));
    dRSetIdentity(R);
  } else {
    memcpy(origin, dGeomGetPosition(p->targetGeom), sizeof(origin));
    memcpy(R, dGeomGetRotation(p->targetGeom), sizeof(R));
  }
  for (int i = 0; i < 3; ++i) {
    local[i] = R[i] * (centre[0] - origin[0]) + R[4 + i] * (centre[1] - origin[1]) + R[8 + i] * (centre[2] - origin[2]);
  }
  return distanceFrom(p->target, local);
}

/* Follows each centre by its own distance: no sample can jump a target. */
static void judge(void *user, dBrinkID brink, const dBrinkSegment *segment) {
  run *r = user;
  double end = segment->toi <= 1 ? segment->toi : 1, length = r->w.h * (1 - segment->start);
  for (int i = 0; i < r->pairCount; ++i) {
    pair *p = &r->pairs[i];
    for (double s = 0;;) {
      double distance = pairDistance(brink, p, s);
      p->nearest = fmin(p->nearest, distance);
      if (s >= end) {
        break;
      }
      double seen = fmax(distance, 0.01) / (r->fastest * length);
      s = fmin(end, s + seen);
    }
    p->through = p->through || p->nearest < INNER / 2;
  }
}

/* ---- is a bounce defined? */

/* The contacts of a central touch must surround the axis of the motion: from a single point beside it a body leaves
 * turning. ODE's colliders of convexes, and of a box at a capsule, report such points. */
static bool contactsAreCentral(int mover, int target) {
  static const double fronts[targets] = {-0.4, -0.02, -0.1, -0.02, -0.02, -0.02, -0.02, -0.02, 0, 0, 0};
  dMatrix3 alongX, upMinusX;
  dRFromAxisAndAngle(alongX, 0, 1, 0, M_PI / 2);
  dRFromAxisAndAngle(upMinusX, 0, 0, 1, M_PI / 2);
  dSpaceID space = dSimpleSpaceCreate(NULL);
  dGeomID a = makeMover(space, mover), b = makeTarget(space, target);
  if (mover == 2 || mover == 3) {
    dGeomSetRotation(a, alongX);
  }
  if (target == 3 || target == 9) {
    dGeomSetRotation(b, target == 3 ? alongX : upMinusX);
  }
  double central = INFINITY;
  for (int depth = 0; depth < 3; ++depth) {
    dContactGeom points[8];
    dGeomSetPosition(a, fronts[target] - (mover == 2 ? 0.13 : 0.1) + 1e-6 * pow(10, depth), 0, 0);
    dReal box[6];
    dGeomGetAABB(a, box);
    dGeomGetAABB(b, box);
    int count = dCollide(a, b, 8, points, sizeof(points[0]));
    for (int k = 0; count > 0 && k < 64; ++k) {
      double y = cos(k * M_PI / 32), z = sin(k * M_PI / 32), furthest = -INFINITY;
      for (int i = 0; i < count; ++i) {
        furthest = fmax(furthest, y * points[i].pos[1] + z * points[i].pos[2]);
      }
      central = fmin(central, furthest);
    }
  }
  dSpaceDestroy(space);
  return !(central < -1e-4);
}

/* ---- one world: one mover at all targets */

typedef struct setting {
  bool moving, spinning, quick;
  double h;
} setting;

static void makePair(run *r, int index, int mover, const setting *set, uint64_t *seed) {
  pair *p = &r->pairs[index];
  *p = (pair){.mover = mover, .target = index, .nearest = INFINITY};
  odeWorld *w = &r->w;
  dMatrix3 alongX, upMinusX;
  dRFromAxisAndAngle(alongX, 0, 1, 0, M_PI / 2);   /* local z along x */
  dRFromAxisAndAngle(upMinusX, 0, 0, 1, M_PI / 2); /* local y along -x */
  p->moverGeom = makeMover(w->space, mover);
  p->targetGeom = makeTarget(w->space, index);
  dGeomID like = NULL;
  if (mover == 7) {
    like = standIn(p->moverGeom);
    assert_int_equal(dBrinkSetGeomShape(w->brink, p->moverGeom, like), 1);
    dGeomDestroy(like);
  }
  if (index == 7) {
    like = standIn(p->targetGeom);
    assert_int_equal(dBrinkSetGeomShape(w->brink, p->targetGeom, like), 1);
    dGeomDestroy(like);
  }
  dMass mass;
  bool ground = index == 8 || index == 9;
  if (set->moving && !ground) {
    p->targetBody = dBodyCreate(w->world);
    dMassSetBoxTotal(&mass, 10, 0.5, 2, 2);
    dBodySetMass(p->targetBody, &mass);
    dGeomSetBody(p->targetGeom, p->targetBody);
    if (index == 3) {
      dBodySetRotation(p->targetBody, alongX);
    }
    dBodySetLinearVel(p->targetBody, -SPEED / 2, 0, 0);
    if (set->spinning) {
      dBodySetAngularVel(p->targetBody, odeUniform(seed, -20, 20), odeUniform(seed, -2, 2), odeUniform(seed, -2, 2));
    }
  } else if (index == 3 || index == 9) {
    dGeomSetRotation(p->targetGeom, index == 3 ? alongX : upMinusX);
  }
  p->moverBody = dBodyCreate(w->world);
  dMassSetSphereTotal(&mass, 1, 0.1);
  dBodySetMass(p->moverBody, &mass);
  dGeomSetBody(p->moverGeom, p->moverBody);
  double off = set->spinning ? 0.05 : 0;
  dBodySetPosition(p->moverBody, -SPEED * set->h * odeUniform(seed, 1, 2) - 0.7, odeUniform(seed, -off, off),
                   odeUniform(seed, -off, off));
  dBodySetLinearVel(p->moverBody, SPEED, 0, 0);
  if (mover == 2 || mover == 3) {
    dBodySetRotation(p->moverBody, alongX);
  }
  if (set->spinning) {
    dQuaternion q = {odeUniform(seed, -1, 1), odeUniform(seed, -1, 1), odeUniform(seed, -1, 1),
                     odeUniform(seed, -1, 1)};
    dBodySetQuaternion(p->moverBody, q);
    dBodySetAngularVel(p->moverBody, odeUniform(seed, -60, 60), odeUniform(seed, -60, 60), odeUniform(seed, -60, 60));
  }
  dGeomID both[2] = {p->moverGeom, p->targetGeom};
  for (int side = 0; side < 2; ++side) { /* pairs do not see each other */
    dGeomSetCategoryBits(both[side], 1ul << index);
    dGeomSetCollideBits(both[side], 1ul << index);
  }
}

typedef struct tally {
  int pairs, through, bounces, wrong;
  int solves, clamps;
} tally;

static bool replaced; /* Brink is in ODE's class table */
static bool defined[movers][targets];

static void runWorld(int mover, const setting *set, tally *sum, int wrong[movers][targets]) {
  static run r;
  uint64_t seed = 900 + (uint64_t)mover;
  odeWorld_Make(&r.w, true, set->quick, 0);
  r.w.h = set->h;
  r.w.bounce = BOUNCE;
  r.w.mu = set->spinning ? 0.5 : 0;
  r.pairCount = targets;
  r.fastest = 1.6 * SPEED + 25 * 2;
  for (int i = 0; i < targets; ++i) {
    makePair(&r, i, mover, set, &seed);
  }
  dBrinkSetSegmentCallback(r.w.brink, judge, &r);
  for (int frame = 0; frame < 4; ++frame) {
    if (!odeWorld_Step(&r.w)) {
      fail_msg("%s: %s", moverNames[mover], dBrinkGetError(r.w.brink));
    }
    sum->solves += odeWorld_Info(&r.w).solves - 1;
    sum->clamps += odeWorld_Info(&r.w).clamps;
  }
  for (int i = 0; i < targets; ++i) {
    const pair *p = &r.pairs[i];
    sum->pairs++;
    sum->through += p->through;
    if (p->through) {
      print_message("THROUGH: %s at %s, %s %s %s h 1/%g %s: centre to %g m\n", moverNames[mover], targetNames[i],
                    set->moving ? "moving" : "static", set->spinning ? "spinning" : "straight",
                    set->quick ? "QuickStep" : "WorldStep", 1 / set->h, replaced ? "replace" : "keep", p->nearest);
    }
    if (!set->spinning && defined[mover][i]) {
      double before = SPEED, after = -dBodyGetLinearVel(p->moverBody)[0];
      if (p->targetBody != NULL) {
        before += SPEED / 2;
        after += dBodyGetLinearVel(p->targetBody)[0];
      }
      sum->bounces++;
      bool right = fabs(after / before - BOUNCE) <= 0.01 * BOUNCE;
      sum->wrong += !right;
      wrong[mover][i] += !right;
      if (!right && getenv("MATRIX_VERBOSE") != NULL) {
        print_message("  bounce: %s at %s, %s %s h 1/%g %s: %g of %g\n", moverNames[mover], targetNames[i],
                      set->moving ? "moving" : "static", set->quick ? "QuickStep" : "WorldStep", 1 / set->h,
                      replaced ? "replace" : "keep", after, before);
      }
    }
  }
  odeWorld_End(&r.w);
}

static int findDefined(void) {
  int count = 0;
  for (int m = 0; m < movers; ++m) {
    for (int t = 0; t < targets; ++t) {
      defined[m][t] = contactsAreCentral(m, t);
      count += defined[m][t];
      if (!defined[m][t]) {
        print_message("%s at %s: the contacts lie on one side, no bounce is defined\n", moverNames[m], targetNames[t]);
      }
    }
  }
  return count;
}

static void runAll(tally *all, int wrong[movers][targets]) {
  static const double steps[3] = {1.0 / 30, 1.0 / 60, 1.0 / 240};
  print_message("%-8s %-7s %-9s %-9s   pairs through  bounces wrong  extra solves clamps\n", "contacts", "target",
                "mover", "solver");
  for (int code = 0; code < 8; ++code) {
    tally sum = {0};
    setting set = {.moving = code & 1, .spinning = code & 2, .quick = code & 4};
    for (int k = 0; k < 3; ++k) {
      set.h = steps[k];
      for (int mover = 0; mover < movers; ++mover) {
        runWorld(mover, &set, &sum, wrong);
      }
    }
    print_message("%-8s %-7s %-9s %-9s   %5d %7d  %7d %5d  %12d %6d\n", replaced ? "replace" : "keep",
                  set.moving ? "moving" : "static", set.spinning ? "spinning" : "straight",
                  set.quick ? "QuickStep" : "WorldStep", sum.pairs, sum.through, sum.bounces, sum.wrong, sum.solves,
                  sum.clamps);
    all->pairs += sum.pairs;
    all->through += sum.through;
    all->bounces += sum.bounces;
    all->wrong += sum.wrong;
  }
}

static void printWrong(int wrong[movers][targets]) {
  for (int m = 0; m < movers; ++m) {
    for (int t = 0; t < targets; ++t) {
      if (wrong[m][t] > 0) {
        print_message("bounce of %s at %s: wrong in %d of 12 settings\n", moverNames[m], targetNames[t], wrong[m][t]);
      }
    }
  }
}

static void nothing_passes_and_bounces_are_right(int leastDefined) {
  tally all = {0};
  int wrong[movers][targets] = {{0}};
  int count = findDefined();
  runAll(&all, wrong);
  printWrong(wrong);
  print_message("%d pairs, %d through; %d bounces, %d off by more than 1 %%\n", all.pairs, all.through, all.bounces,
                all.wrong);
  assert_int_equal(all.through, 0);
  assert_int_equal(all.wrong, 0);
  assert_true(count >= leastDefined);
}

/* The same without Brink: are the scenes hard? */
CASE(plain_ode_lets_most_of_them_through) {
  static run r;
  setting set = {.h = 1.0 / 30};
  int behind = 0;
  for (int mover = 0; mover < movers; ++mover) {
    uint64_t seed = 900 + (uint64_t)mover;
    odeWorld_Make(&r.w, true, false, 0);
    r.w.h = set.h;
    for (int i = 0; i < targets; ++i) {
      makePair(&r, i, mover, &set, &seed);
    }
    dBrinkSetEnabled(r.w.brink, 0);
    for (int frame = 0; frame < 4; ++frame) {
      odeWorld_Step(&r.w);
    }
    for (int i = 0; i < targets; ++i) {
      behind += dBodyGetPosition(r.pairs[i].moverBody)[0] > 1;
    }
    odeWorld_End(&r.w);
  }
  print_message("plain ODE, static straight WorldStep h 1/30: %d of %d end behind their target\n", behind,
                movers * targets);
  assert_true(behind > movers * targets / 2);
}

CASE(no_class_passes_through_any_other_with_odes_contacts) { nothing_passes_and_bounces_are_right(70); }

CASE(no_class_passes_through_any_other_with_brinks_contacts) {
  replaced = dBrinkRegisterAll();
  assert_true(replaced);
  nothing_passes_and_bounces_are_right(movers * targets);
}

int main(void) {
  dInitODE2(0);
  makeResources();
  int failed = cases_Run(NULL, NULL);
  dGeomTriMeshDataDestroy(cube.data);
  dGeomTriMeshDataDestroy(plate.data);
  dGeomTriMeshDataDestroy(sheetData);
  dGeomHeightfieldDataDestroy(fieldData);
  dCloseODE();
  return failed;
}
