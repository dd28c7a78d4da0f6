/* SPDX-License-Identifier: BSD-3-Clause */
/* Did anything go through anything? An own judge for programs under the preload, which shares nothing with Brink:
 * stands before it (LD_PRELOAD=judge.so:libbrink_preload.so), sees each step as the program does, and asks ODE's rays.
 *
 * For each geom with a body and each other geom that the program collided, in spaces or by itself, as it is or in a
 * GeomTransform: was its centre led through the other geom? That is: it was outside before, is outside now, and the
 * straight line between, as the other geom saw it, leads through that geom (of a trimesh or heightfield: through its
 * surface; of a plane: to its other side). It may take one step, or several in which the centre is inside, so a ball
 * that sinks past the middle of a wall and is then pushed out behind it counts, one that is pushed back does not.
 *
 * What counts is told apart by the reader: a line `crossed KIND KIND` for each pair that crossed in a step, `pressed`
 * for one that was in each other already when the centre went in (put there by the program, or pressed by joints and
 * contacts that the solver does not hold; or not apart since the program made one of them inside the other, where
 * depths tell little of meshes and nothing of what is wholly inside), a line `wanted KIND KIND` for kinds of geoms
 * between which the program ever made a contact. A kind is class and size, of meshes the number of triangles. Kinds
 * that pass in one run may touch in another: read several runs together. Straight lines are an approximation: what
 * turns far in a step may have gone around. So a line counts that leads through still when it is moved aside by a tenth
 * of the narrower one's width, and if even turns in between lead in, too; a crossing of a thick corner may be a path
 * around it all the same. Of cylinders only ways through in one step count, what lies in a quadtree is not judged. A
 * convex is the hull of its points, as for ODE's contacts: the planes that rays meet may be others
 * (demo_moving_convex). A line counts as off a hull only where a plane parts them.
 *
 * Log: JUDGE_LOG (appended). One thread. Units: m. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // of GeomTransforms

#define MAX_GEOMS 4096
#define MAX_KINDS 4096
#define MAX_SIDES 1024
#define MAX_INSIDE 4096
#define MAX_CONTACTS 8
#define TOUCHING 0.1  // of the narrower one's width: what two that rest on each other may overlap
#define PARTS 16      /* of a step */
#define HULL_ROUNDS 200
#define HULL_KEPT 25
#define MADE_IN 0.01  // the same of a mesh, if one of the two was just made

typedef struct place {
  dVector3 position;
  dMatrix3 rotation;
} place;

typedef struct kindPair {
  unsigned long a, b;
} kindPair;

/* The centre of one geom is inside another one. */
typedef struct visit {
  dGeomID geom, other;
  double entry[3];  // where it was last outside, in the frame of the other
  int pressed;      // they were in each other already when it went in
  long step;        // in which it was last seen inside
} visit;

/* Two geoms are in each other before a step. */
typedef struct overlap {
  dGeomID a, b;
} overlap;

/* The points of a convex, which belong to the program. */
typedef struct hull {
  dGeomID geom;
  const dReal *points;
  unsigned count;
} hull;

typedef enum crossing { none, pressed, crossed } crossing;

static dGeomID sides[MAX_SIDES];  // spaces and geoms that the program collided since the last step
static dGeomID geoms[MAX_GEOMS];
static place before[MAX_GEOMS], after[MAX_GEOMS];
static kindPair wanted[MAX_KINDS];
static visit visits[MAX_INSIDE];
static overlap overlaps[MAX_INSIDE], madeIn[MAX_INSIDE];
static hull hulls[MAX_GEOMS];
static dGeomID known[MAX_GEOMS];  // geoms of the step before
static int sideCount, geomCount, wantedCount, visitCount, overlapCount, madeInCount, knownCount, hullCount, depth;
static long steps;
static dGeomID ray;
static FILE *file;

static void *findBehind(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "judge: no %s behind it\n", name);
    abort();
  }
  return found;
}

#define NEXT(function)                    \
  static __typeof__(&function) real;      \
  if (real == NULL) {                     \
    void *found = findBehind(#function);  \
    memcpy(&real, &found, sizeof(found)); \
  }

static void tell(const char *word, unsigned long a, unsigned long b) {
  const char *name = getenv("JUDGE_LOG");
  if (file == NULL && name != NULL) {
    file = fopen(name, "a");
  }
  if (file != NULL) {
    fprintf(file, "%s %lx %lx\n", word, a < b ? a : b, a < b ? b : a);
    fflush(file);
  }
}

static unsigned long kindOf(dGeomID geom) {
  double sizes[4] = {0, 0, 0, (double)dGeomGetClass(geom)};
  dVector3 lengths;
  switch (dGeomGetClass(geom)) {
    case dGeomTransformClass:
      return kindOf(dGeomTransformGetGeom(geom));
    case dSphereClass:
      sizes[0] = dGeomSphereGetRadius(geom);
      break;
    case dBoxClass:
      dGeomBoxGetLengths(geom, lengths);
      memcpy(sizes, lengths, 3 * sizeof(double));
      break;
    case dCapsuleClass:
      dGeomCapsuleGetParams(geom, &sizes[0], &sizes[1]);
      break;
    case dCylinderClass:
      dGeomCylinderGetParams(geom, &sizes[0], &sizes[1]);
      break;
    case dTriMeshClass:
      sizes[0] = dGeomTriMeshGetTriangleCount(geom);
      break;
    default:
      break;
  }
  unsigned long hash = 5381;
  for (size_t i = 0; i < sizeof(sizes); ++i) {
    hash = hash * 33 + ((const unsigned char *)sizes)[i];
  }
  return hash;
}

static void want(dGeomID a, dGeomID b) {
  unsigned long ka = kindOf(a), kb = kindOf(b);
  for (int i = 0; i < wantedCount; ++i) {
    if ((wanted[i].a == ka && wanted[i].b == kb) || (wanted[i].a == kb && wanted[i].b == ka)) {
      return;
    }
  }
  if (wantedCount < MAX_KINDS) {
    wanted[wantedCount++] = (kindPair){ka, kb};
    tell("wanted", ka, kb);
  }
}

static void list(dGeomID side) {
  if (dGeomIsSpace(side)) {
    dSpaceID space = (dSpaceID)side;
    int count = dSpaceGetClass(space) == dQuadTreeSpaceClass ? 0 : dSpaceGetNumGeoms(space);
    for (int i = 0; i < count; ++i) {
      list(dSpaceGetGeom(space, i));
    }
    return;
  }
  for (int i = 0; i < geomCount; ++i) {
    if (geoms[i] == side) {
      return;
    }
  }
  int empty = dGeomGetClass(side) == dGeomTransformClass && dGeomTransformGetGeom(side) == NULL;
  if (geomCount < MAX_GEOMS && dGeomGetClass(side) != dRayClass && !empty) {
    geoms[geomCount++] = side;
  }
}

/* Where a point of the geom's frame is in the world. */
static void carry(const place *at, const double *p, double *out) {
  for (int i = 0; i < 3; ++i) {
    out[i] = at->position[i];
    for (int k = 0; k < 3; ++k) {
      out[i] += at->rotation[4 * i + k] * p[k];
    }
  }
}

static void carryBack(const place *at, const double *p, double *out) {
  for (int i = 0; i < 3; ++i) {
    out[i] = 0;
    for (int k = 0; k < 3; ++k) {
      out[i] += at->rotation[4 * k + i] * (p[k] - at->position[k]);
    }
  }
}

static void readPlace(dGeomID geom, place *at) {
  memset(at, 0, sizeof(*at));
  if (dGeomGetClass(geom) == dPlaneClass) {
    dRSetIdentity(at->rotation);
    return;
  }
  memcpy(at->position, dGeomGetPosition(geom), sizeof(at->position));
  if (dGeomGetClass(geom) == dSphereClass) { /* the same from all sides: what goes past it does not turn with it */
    dRSetIdentity(at->rotation);
    return;
  }
  memcpy(at->rotation, dGeomGetRotation(geom), sizeof(at->rotation));
}

static void findCentre(dGeomID geom, const place *at, double *centre) {
  static const double origin[3];
  int inTransform = dGeomGetClass(geom) == dGeomTransformClass;
  carry(at, inTransform ? dGeomGetPosition(dGeomTransformGetGeom(geom)) : origin, centre);
}

static const hull *findHull(dGeomID geom) {
  for (int i = 0; dGeomGetClass(geom) == dConvexClass && i < hullCount; ++i) {
    if (hulls[i].geom == geom) {
      return &hulls[i];
    }
  }
  return NULL;
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Is there a plane between a line and a hull, in the frame of the hull? x goes to the shortest way from the hull to the
 * line; what proves it is the plane across x alone. */
static int isApart(const hull *self, const double *from, const double *to) {
  double kept[HULL_KEPT][3], x[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = from[i] - self->points[i];
  }
  for (int round = 0; round < HULL_ROUNDS; ++round) {
    const double *end = dot(from, x) < dot(to, x) ? from : to;
    const dReal *furthest = self->points;
    for (unsigned i = 1; i < self->count; ++i) {
      furthest = dot(&self->points[3 * i], x) > dot(furthest, x) ? &self->points[3 * i] : furthest;
    }
    if (dot(end, x) - dot(furthest, x) > 1e-9 * sqrt(dot(x, x))) {
      return 1;
    }
    for (int i = 0; i < 3; ++i) {
      kept[round % HULL_KEPT][i] = end[i] - furthest[i];
    }
    int count = round < HULL_KEPT ? round + 1 : HULL_KEPT;
    for (int i = 0; i < HULL_KEPT * count; ++i) { /* nearer to 0 on the line to each in turn */
      const double *w = kept[i % count], way[3] = {w[0] - x[0], w[1] - x[1], w[2] - x[2]};
      double length = dot(way, way), part = length > 0 ? fmin(fmax(-dot(x, way) / length, 0), 1) : 0;
      for (int k = 0; k < 3; ++k) {
        x[k] += part * way[k];
      }
    }
  }
  return 0;
}

/* Does the line meet the hull? */
static int meetsHull(const hull *self, const double *from, const double *to) {
  place at;
  double localFrom[3], localTo[3];
  readPlace(self->geom, &at);
  carryBack(&at, from, localFrom);
  carryBack(&at, to, localTo);
  return !isApart(self, localFrom, localTo);
}

/* Meshes have no inside. */
static int isInside(dGeomID geom, const double *p) {
  place at;
  double local[3];
  const hull *convex = findHull(geom);
  if (convex != NULL) {
    return meetsHull(convex, p, p);
  }
  switch (dGeomGetClass(geom)) {
    case dSphereClass:
      return dGeomSpherePointDepth(geom, p[0], p[1], p[2]) >= 0;
    case dBoxClass:
      return dGeomBoxPointDepth(geom, p[0], p[1], p[2]) >= 0;
    case dCapsuleClass:
      return dGeomCapsulePointDepth(geom, p[0], p[1], p[2]) >= 0;
    case dPlaneClass:
      return dGeomPlanePointDepth(geom, p[0], p[1], p[2]) >= 0;
    case dGeomTransformClass:
      readPlace(geom, &at);
      carryBack(&at, p, local);
      return isInside(dGeomTransformGetGeom(geom), local);
    default:
      return 0;
  }
}

/* Does the line between two points outside of the geom lead through it? */
static int leadsThrough(dGeomID geom, const double *from, const double *to) {
  double way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  dContactGeom found;
  const hull *convex = findHull(geom);
  if (!(length > 1e-9)) {
    return 0;
  }
  if (convex != NULL) {
    return meetsHull(convex, from, to);
  }
  if (dGeomGetClass(geom) == dGeomTransformClass && findHull(dGeomTransformGetGeom(geom)) != NULL) {
    place at;
    double localFrom[3], localTo[3];
    readPlace(geom, &at);
    carryBack(&at, from, localFrom);
    carryBack(&at, to, localTo);
    return meetsHull(findHull(dGeomTransformGetGeom(geom)), localFrom, localTo);
  }
  dGeomRaySetLength(ray, length);
  dGeomRaySet(ray, from[0], from[1], from[2], way[0], way[1], way[2]);
  if (dCollide(ray, geom, 1, &found, sizeof(found)) == 0) {
    return 0;
  }
  int class = dGeomGetClass(geom);
  if (class == dGeomTransformClass) {
    class = dGeomGetClass(dGeomTransformGetGeom(geom));
  }
  if (class != dCylinderClass && class != dConvexClass) {
    return 1;
  }
  dGeomRaySet(ray, to[0], to[1], to[2], -way[0], -way[1], -way[2]); /* and out again? */
  return dCollide(ray, geom, 1, &found, sizeof(found)) != 0;
}

static double findWidth(const double *box) { return fmin(box[1] - box[0], fmin(box[3] - box[2], box[5] - box[4])); }

/* Do lines beside it lead through, too? What cuts an edge or a corner by less may have gone around it. */
static int leadsWellThrough(dGeomID geom, dGeomID other, const double *from, const double *to) {
  double boxA[6], boxB[6];
  dVector3 way = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, sides[2];
  dSafeNormalize3(way);
  dPlaneSpace(way, sides[0], sides[1]);
  dGeomGetAABB(geom, boxA);
  dGeomGetAABB(other, boxB);
  double width = TOUCHING * fmin(findWidth(boxA), findWidth(boxB));
  int through = leadsThrough(other, from, to);
  for (int side = 0; side < 4 && through; ++side) {
    double start[3], end[3];
    for (int i = 0; i < 3; ++i) {
      double moved = (side % 2 ? -width : width) * sides[side / 2][i];
      start[i] = from[i] + moved;
      end[i] = to[i] + moved;
    }
    through = leadsThrough(other, start, end);
  }
  return through;
}

static visit *findVisit(dGeomID geom, dGeomID other) {
  for (int i = 0; i < visitCount; ++i) {
    if (visits[i].geom == geom && visits[i].other == other) {
      return &visits[i];
    }
  }
  return NULL;
}

static int boxesMeet(const double *a, const double *b) {
  for (int axis = 0; axis < 3; ++axis) {
    if (a[2 * axis] > b[2 * axis + 1] || b[2 * axis] > a[2 * axis + 1]) {
      return 0;
    }
  }
  return 1;
}

/* Deeper than this share of the narrower one's width. */
static int areInEachOther(dGeomID a, dGeomID b, double share) {
  dContactGeom found[MAX_CONTACTS];
  double deepest = 0, boxA[6], boxB[6];
  dGeomGetAABB(a, boxA);
  dGeomGetAABB(b, boxB);
  if (!boxesMeet(boxA, boxB)) {
    return 0;
  }
  int count = dCollide(a, b, MAX_CONTACTS, found, sizeof(found[0]));
  for (int i = 0; i < count; ++i) {
    deepest = fmax(deepest, found[i].depth);
  }
  return deepest > share * fmin(findWidth(boxA), findWidth(boxB));
}

static int isListed(const overlap *items, int count, dGeomID a, dGeomID b) {
  for (int i = 0; i < count; ++i) {
    if ((items[i].a == a && items[i].b == b) || (items[i].a == b && items[i].b == a)) {
      return 1;
    }
  }
  return 0;
}

static int wereInEachOther(dGeomID a, dGeomID b) {
  return isListed(overlaps, overlapCount, a, b) || isListed(madeIn, madeInCount, a, b);
}

/* Does the centre of geom i meet geom k on its way, if both turn evenly from one end of the step to the other? What
 * turns far sees the other go around it. */
static int meetsOnTheWay(int i, int k) {
  dQuaternion turns[2], turn;
  double start[3], end[3], at[3], local[3], from[3], to[3];
  findCentre(geoms[i], &before[i], start);
  findCentre(geoms[i], &after[i], end);
  dRtoQ(before[k].rotation, turns[0]);
  dRtoQ(after[k].rotation, turns[1]);
  double cosine = 0;
  for (int c = 0; c < 4; ++c) {
    cosine += turns[0][c] * turns[1][c];
  }
  for (int part = 0; part <= PARTS; ++part) {
    double t = (double)part / PARTS;
    place between;
    for (int c = 0; c < 4; ++c) {
      turn[c] = (1 - t) * turns[0][c] + (cosine < 0 ? -t : t) * turns[1][c];
    }
    dNormalize4(turn);
    dRfromQ(between.rotation, turn);
    for (int axis = 0; axis < 3; ++axis) {
      between.position[axis] = (1 - t) * before[k].position[axis] + t * after[k].position[axis];
      at[axis] = (1 - t) * start[axis] + t * end[axis];
    }
    carryBack(&between, at, local);
    carry(&after[k], local, to);
    if (isInside(geoms[k], to) || (part > 0 && leadsThrough(geoms[k], from, to))) {
      return 1;
    }
    memcpy(from, to, sizeof(from));
  }
  return 0;
}

/* Was the centre of geom i led through geom k in this step, or at its end? */
static crossing wentThrough(int i, int k) {
  dGeomID other = geoms[k];
  double start[3], end[3], local[3], from[3], box[6];
  findCentre(geoms[i], &before[i], start);
  findCentre(geoms[i], &after[i], end);
  carryBack(&before[k], start, local);
  carry(&after[k], local, from);
  dGeomGetAABB(other, box);
  for (int axis = 0; axis < 3; ++axis) {
    if (fmax(from[axis], end[axis]) < box[2 * axis] || fmin(from[axis], end[axis]) > box[2 * axis + 1]) {
      return 0;
    }
  }
  int was = isInside(other, from), is = isInside(other, end);
  if (dGeomGetClass(other) == dPlaneClass) {
    return !was && is ? crossed : none;
  }
  int overlapped = wereInEachOther(geoms[i], other);
  if (!was && !is) {
    int through = leadsWellThrough(geoms[i], other, from, end) && meetsOnTheWay(i, k);
    return !through ? none : overlapped ? pressed : crossed;
  }
  visit *entered = findVisit(geoms[i], other);
  if (!was) {
    if (entered == NULL && visitCount < MAX_INSIDE) {
      entered = &visits[visitCount++];
    }
    if (entered != NULL) {
      *entered = (visit){geoms[i], other, {local[0], local[1], local[2]}, overlapped, steps};
    }
    return 0;
  }
  if (entered == NULL) { /* it was put there */
    return 0;
  }
  int known = entered->step == steps - 1;
  entered->step = known ? steps : 0;
  if (is) {
    return 0;
  }
  carry(&after[k], entered->entry, from);
  overlapped = entered->pressed;
  *entered = visits[--visitCount];
  return !known || !leadsWellThrough(geoms[i], other, from, end) ? none : overlapped ? pressed : crossed;
}

/* May they touch, as far as ODE knows? */
static int mayTouch(dGeomID a, dGeomID b) {
  dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
  int bits = (dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) || (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a));
  return bodyA != bodyB && bits && dGeomIsEnabled(a) && dGeomIsEnabled(b) &&
         (bodyA == NULL || bodyB == NULL || !dAreConnectedExcluding(bodyA, bodyB, dJointTypeContact));
}

static int isPair(int i, int k) { return geoms[i] != NULL && geoms[k] != NULL && mayTouch(geoms[i], geoms[k]); }

static void listOverlaps(void) {
  overlapCount = 0;
  for (int i = 0; i < geomCount; ++i) {
    for (int k = i + 1; k < geomCount; ++k) {
      if (isPair(i, k) && overlapCount < MAX_INSIDE && areInEachOther(geoms[i], geoms[k], TOUCHING)) {
        overlaps[overlapCount++] = (overlap){geoms[i], geoms[k]};
      }
    }
  }
}

static int isKnown(dGeomID geom) {
  for (int i = 0; i < knownCount; ++i) {
    if (known[i] == geom) {
      return 1;
    }
  }
  return 0;
}

/* Of a mesh that is closed: a ray upwards leaves it once more than it enters it. */
static int isWithinMesh(dGeomID mesh, const place *at, dGeomID geom) {
  dContactGeom found[MAX_CONTACTS];
  double centre[3], box[6];
  if (dGeomGetClass(mesh) != dTriMeshClass) {
    return 0;
  }
  findCentre(geom, at, centre);
  dGeomGetAABB(mesh, box);
  dGeomRaySetLength(ray, box[5] - box[4] + fabs(centre[2] - box[4]));
  dGeomRaySet(ray, centre[0], centre[1], centre[2], 0, 0, 1);
  return dCollide(ray, mesh, MAX_CONTACTS, found, sizeof(found[0])) % 2;
}

/* Pairs that the program made in each other, until their boxes have been apart. */
static void listMadeIn(void) {
  double boxA[6], boxB[6];
  for (int i = madeInCount - 1; i >= 0; --i) {
    dGeomGetAABB(madeIn[i].a, boxA);
    dGeomGetAABB(madeIn[i].b, boxB);
    if (!boxesMeet(boxA, boxB)) {
      madeIn[i] = madeIn[--madeInCount];
    }
  }
  for (int i = 0; i < geomCount; ++i) {
    for (int k = 0; geoms[i] != NULL && !isKnown(geoms[i]) && k < geomCount; ++k) {
      if (k != i && isPair(i, k) && madeInCount < MAX_INSIDE && !isListed(madeIn, madeInCount, geoms[i], geoms[k]) &&
          (dGeomGetClass(geoms[i]) == dTriMeshClass || dGeomGetClass(geoms[k]) == dTriMeshClass) &&
          (areInEachOther(geoms[i], geoms[k], MADE_IN) || isWithinMesh(geoms[i], &before[k], geoms[k]) ||
           isWithinMesh(geoms[k], &before[i], geoms[i]))) {
        madeIn[madeInCount++] = (overlap){geoms[i], geoms[k]};
      }
    }
  }
  memcpy(known, geoms, sizeof(known));
  knownCount = geomCount;
}

static void judge(void) {
  static const char *const words[] = {[pressed] = "pressed", [crossed] = "crossed"};
  for (int i = 0; i < geomCount; ++i) {
    for (int k = i + 1; k < geomCount; ++k) {
      if (!isPair(i, k)) {
        continue;
      }
      crossing one = dGeomGetBody(geoms[i]) != NULL ? wentThrough(i, k) : none;
      crossing two = dGeomGetBody(geoms[k]) != NULL ? wentThrough(k, i) : none;
      if (one != none || two != none) {
        tell(words[one > two ? one : two], kindOf(geoms[i]), kindOf(geoms[k]));
      }
    }
  }
}

static int stepJudged(int (*step)(dWorldID, dReal), dWorldID world, dReal h) {
  if (depth > 0) { /* Brink's own, or one in a callback */
    return step(world, h);
  }
  if (ray == NULL) {
    ray = dCreateRay(NULL, 1);
  }
  geomCount = 0;
  for (int i = 0; i < sideCount; ++i) {
    list(sides[i]);
  }
  sideCount = 0;
  steps++;
  for (int i = 0; i < geomCount; ++i) {
    readPlace(geoms[i], &before[i]);
  }
  listOverlaps();
  listMadeIn();
  depth++;
  int done = step(world, h);
  depth--;
  for (int i = 0; i < geomCount; ++i) {
    if (geoms[i] != NULL) {
      readPlace(geoms[i], &after[i]);
    }
  }
  judge();
  return done;
}

int dWorldStep(dWorldID world, dReal h) {
  NEXT(dWorldStep)
  return stepJudged(real, world, h);
}

int dWorldQuickStep(dWorldID world, dReal h) {
  NEXT(dWorldQuickStep)
  return stepJudged(real, world, h);
}

static void note(dGeomID side) {
  if (depth > 0) {
    return;
  }
  for (int i = 0; i < sideCount; ++i) {
    if (sides[i] == side) {
      return;
    }
  }
  if (sideCount < MAX_SIDES) {
    sides[sideCount++] = side;
  }
}

void dSpaceCollide(dSpaceID space, void *data, dNearCallback *callback) {
  NEXT(dSpaceCollide)
  note((dGeomID)space);
  depth++;
  real(space, data, callback);
  depth--;
}

void dSpaceCollide2(dGeomID space1, dGeomID space2, void *data, dNearCallback *callback) {
  NEXT(dSpaceCollide2)
  note(space1);
  note(space2);
  depth++;
  real(space1, space2, data, callback);
  depth--;
}

dJointID dJointCreateContact(dWorldID world, dJointGroupID group, const dContact *contact) {
  NEXT(dJointCreateContact)
  if (contact->geom.g1 != NULL && contact->geom.g2 != NULL) {
    want(contact->geom.g1, contact->geom.g2);
  }
  return real(world, group, contact);
}

static void noteHull(dGeomID geom, const dReal *points, unsigned count) {
  int i = 0;
  while (i < hullCount && hulls[i].geom != geom) {
    i++;
  }
  if (i < MAX_GEOMS && geom != NULL && count > 0) {
    hulls[i] = (hull){geom, points, count};
    hullCount += i == hullCount;
  }
}

dGeomID dCreateConvex(dSpaceID space, const dReal *planes, unsigned planeCount, const dReal *points,
                      unsigned pointCount, const unsigned *polygons) {
  NEXT(dCreateConvex)
  dGeomID made = real(space, planes, planeCount, points, pointCount, polygons);
  noteHull(made, points, pointCount);
  return made;
}

void dGeomSetConvex(dGeomID geom, const dReal *planes, unsigned planeCount, const dReal *points, unsigned pointCount,
                    const unsigned *polygons) {
  NEXT(dGeomSetConvex)
  real(geom, planes, planeCount, points, pointCount, polygons);
  noteHull(geom, points, pointCount);
}

static void forgetAll(void) { sideCount = geomCount = visitCount = madeInCount = knownCount = 0; }

static void forget(dGeomID geom) {
  for (int i = 0; i < sideCount; ++i) {
    sides[i] = sides[i] == geom ? sides[--sideCount] : sides[i];
  }
  for (int i = 0; i < geomCount; ++i) {
    geoms[i] = geoms[i] == geom ? NULL : geoms[i];
  }
  for (int i = hullCount - 1; i >= 0; --i) {
    hulls[i] = hulls[i].geom == geom ? hulls[--hullCount] : hulls[i];
  }
  for (int i = 0; i < knownCount; ++i) {
    known[i] = known[i] == geom ? NULL : known[i];
  }
  for (int i = madeInCount - 1; i >= 0; --i) {
    if (madeIn[i].a == geom || madeIn[i].b == geom) {
      madeIn[i] = madeIn[--madeInCount];
    }
  }
  for (int i = visitCount - 1; i >= 0; --i) {
    if (visits[i].geom == geom || visits[i].other == geom) {
      visits[i] = visits[--visitCount];
    }
  }
}

void dGeomDestroy(dGeomID geom) {
  NEXT(dGeomDestroy)
  if (geom != NULL && dGeomIsSpace(geom)) {
    forgetAll();
  } else {
    forget(geom);
  }
  real(geom);
}

void dSpaceDestroy(dSpaceID space) {
  NEXT(dSpaceDestroy)
  forgetAll();
  real(space);
}

void dCloseODE(void) {
  NEXT(dCloseODE)
  if (ray != NULL) {
    dGeomDestroy(ray);
    ray = NULL;
  }
  forgetAll();
  real();
}
