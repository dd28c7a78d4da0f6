/* SPDX-License-Identifier: BSD-3-Clause */
/* Does judge.c count ways through things, and nothing else? A ball (in one case a plate) is led by its velocity on
 * known ways past, into and through other geoms; nothing touches, so ODE moves it just there. JUDGE_LOG must be set and
 * judge.so preloaded. Prints a line; exit status 1 when a way was judged wrongly. Steps of 1 s. Units: m. */
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 4

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* of GeomTransforms */

typedef enum obstacle {
  box,
  boxOnBody,
  turningBox,
  boxInTransform,
  plane,
  ball,
  boxOfOtherBits,
  convex,
  looseConvex,
  convexInTransform
} obstacle;

typedef struct way {
  const char *name;
  obstacle other;  // 1 m wide, at the origin; the plane's lower side is x > 0
  int loneGeom;    // in no space, as shots of mu-cade
  int points;
  double at[MAX_POINTS][2];  // x and y of the ball after each step
  int crossings;
} way;

static const way ways[] = {
    {"through in a step", box, 0, 2, {{-2, 0}, {2, 0}}, 1},
    {"in, and out behind", box, 0, 3, {{-2, 0}, {0.2, 0}, {2, 0}}, 1},
    {"in, stays, and out behind", box, 0, 4, {{-2, 0}, {-0.2, 0}, {0.2, 0}, {2, 0}}, 1},
    {"in and back", box, 0, 3, {{-2, 0}, {-0.2, 0}, {-2, 0}}, 0},
    {"in and back beside", box, 0, 4, {{-2, 0}, {-0.2, 0}, {-0.2, 0.3}, {-2, 0.3}}, 0},
    {"past a corner", box, 0, 2, {{-2, 0}, {0, 1.2}}, 0},
    {"through a corner", box, 0, 2, {{-0.7, 0.2}, {-0.2, 0.7}}, 1},
    {"over the rim of a corner", box, 0, 2, {{-0.7, 0.29}, {-0.29, 0.7}}, 0},
    {"in at a corner, and out over its rim", box, 0, 3, {{-0.7, 0.29}, {-0.49, 0.497}, {-0.29, 0.7}}, 0},
    {"up to it and back", box, 0, 3, {{-2, 0}, {-0.6, 0}, {-2, 0}}, 0},
    {"out of where it was put", box, 0, 2, {{0, 0}, {2, 0}}, 0},
    {"there and back", box, 0, 3, {{-2, 0}, {2, 0}, {-2, 0}}, 2},
    {"through what has a body", boxOnBody, 0, 2, {{-2, 0}, {2, 0}}, 1},
    {"beside what turns", turningBox, 0, 2, {{-0.75, 0}, {-0.75, 0}}, 0},
    {"through what turns", turningBox, 0, 2, {{-2, 0}, {2, 0}}, 1},
    {"through a GeomTransform", boxInTransform, 0, 2, {{-2, 0}, {2, 0}}, 1},
    {"in and out of a GeomTransform", boxInTransform, 0, 3, {{-2, 0}, {0.2, 0}, {2, 0}}, 1},
    {"as a geom without a space", box, 1, 2, {{-2, 0}, {2, 0}}, 1},
    {"through a ball", ball, 0, 3, {{-2, 0}, {0.2, 0}, {2, 0}}, 1},
    {"under a plane", plane, 0, 2, {{-2, 0}, {0.1, 0}}, 1},
    {"into a plane by half", plane, 0, 2, {{-2, 0}, {-0.01, 0}}, 0},
    {"through, from touching it", box, 0, 2, {{-0.59, 0}, {2, 0}}, 1},
    {"pressed through, from in it", box, 0, 2, {{-0.52, 0}, {2, 0}}, 0},
    {"through a convex", convex, 0, 2, {{-2, 0}, {2, 0}}, 1},
    {"into a convex, and out behind", convex, 0, 3, {{-2, 0}, {0.2, 0}, {2, 0}}, 1},
    {"in a convex, stays, and out behind", convex, 0, 4, {{-2, 0}, {-0.2, 0}, {0.2, 0}, {2, 0}}, 1},
    {"into a convex and back", convex, 0, 3, {{-2, 0}, {-0.2, 0}, {-2, 0}}, 0},
    {"past a corner of a convex", convex, 0, 2, {{-2, 0}, {0, 1.2}}, 0},
    {"through a corner of a convex", convex, 0, 2, {{-0.7, 0.2}, {-0.2, 0.7}}, 1},
    {"over the rim of a corner of a convex", convex, 0, 2, {{-0.7, 0.29}, {-0.29, 0.7}}, 0},
    {"through a convex in a GeomTransform", convexInTransform, 0, 2, {{-2, 0}, {2, 0}}, 1},
    {"in and out of a convex in a GeomTransform", convexInTransform, 0, 3, {{-2, 0}, {0.2, 0}, {2, 0}}, 1},
    {"through a convex of loose planes", looseConvex, 0, 2, {{-2, 0}, {2, 0}}, 1},
    {"between points and planes of a convex", looseConvex, 0, 3, {{-2, 0.5}, {-0.5, 0.5}, {-2, 0.5}}, 0},
    {"through what it may pass", boxOfOtherBits, 0, 2, {{-2, 0}, {2, 0}}, 0},
};

static void near(void *data, dGeomID a, dGeomID b) { (void)data, (void)a, (void)b; }

static long countCrossings(void) {
  char line[256];
  long count = 0;
  FILE *log = fopen(getenv("JUDGE_LOG"), "r");
  while (log != NULL && fgets(line, sizeof(line), log) != NULL) {
    count += strncmp(line, "crossed", 7) == 0;
  }
  if (log != NULL) {
    fclose(log);
  }
  return count;
}

/* A cube of 1 m, its planes at its points or 0.3 m off (loose): rays meet planes, contacts are made of points. */
static dGeomID makeConvex(dSpaceID space, int loose) {
  static const dReal tight[24] = {1, 0,  0, 0.5, -1, 0, 0, 0.5, 0, 1, 0,  0.5,
                                  0, -1, 0, 0.5, 0,  0, 1, 0.5, 0, 0, -1, 0.5};
  static const dReal points[24] = {-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5,
                                   -0.5, -0.5, 0.5,  0.5, -0.5, 0.5,  -0.5, 0.5, 0.5,  0.5, 0.5, 0.5};
  static const unsigned polygons[30] = {4, 1, 3, 7, 5, 4, 0, 4, 6, 2, 4, 2, 6, 7, 3,
                                        4, 0, 1, 5, 4, 4, 4, 5, 7, 6, 4, 0, 2, 3, 1};
  static dReal wide[24];
  for (int i = 0; i < 24; ++i) {
    wide[i] = tight[i] + (i % 4 == 3 ? 0.3 : 0);
  }
  return dCreateConvex(space, loose ? wide : tight, 6, points, 8, polygons);
}

static dGeomID makeObstacle(const way *self, dWorldID world, dSpaceID space) {
  dGeomID made, inner;
  dMatrix3 turn;
  switch (self->other) {
    case plane:
      return dCreatePlane(space, -1, 0, 0, 0);
    case ball:
      return dCreateSphere(space, 0.5);
    case convex:
      return makeConvex(space, 0);
    case looseConvex: /* turned: its box has room beside it */
      made = makeConvex(space, 1);
      dRFromAxisAndAngle(turn, 0, 0, 1, M_PI / 4);
      dGeomSetRotation(made, turn);
      return made;
    case boxInTransform:
    case convexInTransform:
      made = dCreateGeomTransform(space);
      inner = self->other == boxInTransform ? dCreateBox(NULL, 1, 1, 1) : makeConvex(NULL, 0);
      dGeomSetPosition(inner, 3, 0, 0);
      dGeomTransformSetGeom(made, inner);
      dGeomTransformSetCleanup(made, 1);
      dGeomSetPosition(made, -3, 0, 0);
      return made;
    default:
      made = dCreateBox(space, 1, 1, 1);
  }
  if (self->other == boxOnBody || self->other == turningBox) {
    dGeomSetBody(made, dBodyCreate(world));
  }
  if (self->other == turningBox) { /* a quarter turn: ODE's step of first order */
    dBodySetAngularVel(dGeomGetBody(made), 0, 0, 2);
  }
  if (self->other == boxOfOtherBits) {
    dGeomSetCategoryBits(made, 2);
    dGeomSetCollideBits(made, 2);
  }
  return made;
}

static long go(const way *self) {
  long before = countCrossings();
  dWorldID world = dWorldCreate();
  dSpaceID space = dSimpleSpaceCreate(NULL);
  dBodyID body = dBodyCreate(world);
  dGeomID geom = dCreateSphere(self->loneGeom ? NULL : space, 0.1);
  makeObstacle(self, world, space);
  dGeomSetBody(geom, body);
  dGeomSetCategoryBits(geom, 1);
  dGeomSetCollideBits(geom, self->other == boxOfOtherBits ? 1 : ~0ul);
  dBodySetPosition(body, self->at[0][0], self->at[0][1], 0);
  for (int i = 1; i < self->points; ++i) {
    dBodySetLinearVel(body, self->at[i][0] - self->at[i - 1][0], self->at[i][1] - self->at[i - 1][1], 0);
    dSpaceCollide(space, NULL, near);
    if (self->loneGeom) {
      dSpaceCollide2(geom, (dGeomID)space, NULL, near);
    }
    dWorldStep(world, 1);
  }
  if (self->loneGeom) {
    dGeomDestroy(geom);
  }
  dSpaceDestroy(space);
  dWorldDestroy(world);
  return countCrossings() - before;
}

int main(void) {
  int count = (int)(sizeof(ways) / sizeof(ways[0])), wrong = 0;
  if (getenv("JUDGE_LOG") == NULL) {
    return 2;
  }
  dInitODE2(0);
  for (int i = 0; i < count; ++i) {
    long found = go(&ways[i]);
    if (found != ways[i].crossings) {
      printf("%s: %ld crossings instead of %d\n", ways[i].name, found, ways[i].crossings);
      wrong++;
    }
  }
  dCloseODE();
  printf("%d of %d known ways judged rightly\n", count - wrong, count);
  return wrong != 0;
}
