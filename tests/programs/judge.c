/* SPDX-License-Identifier: BSD-3-Clause */
/* Did anything go through anything? An own judge for programs under the preload, which shares nothing with Brink:
 * stands before it (LD_PRELOAD=judge.so:libbrink_preload.so), sees each step as the program does, and asks ODE's rays.
 *
 * For each geom with a body and each other geom of the spaces that the program collided: does the straight line from
 * its centre before the step to its centre after it, as the other geom saw it, lead through that geom and out of it (of
 * a trimesh, heightfield or plane: through its surface)? What counts is told apart by the reader: a line `crossed KIND
 * KIND` for each crossing, a line `wanted KIND KIND` for kinds of geoms between which the program ever made a contact.
 * A kind is class and size, of meshes the number of triangles. Kinds that pass in one run may touch in another: read
 * several runs together. Straight lines are an approximation: a crossing of a thick corner may be a path around it;
 * small ones are none in the games that run.sh plays.
 *
 * What lies in a quadtree or in a GeomTransform is not judged.
 *
 * Log: JUDGE_LOG (appended). One thread. Units: m. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GEOMS 4096
#define MAX_KINDS 4096
#define MAX_SPACES 64

typedef struct place {
  dVector3 position;
  dMatrix3 rotation;
} place;

typedef struct kindPair {
  unsigned long a, b;
} kindPair;

static dSpaceID spaces[MAX_SPACES];
static dGeomID geoms[MAX_GEOMS];
static place before[MAX_GEOMS];
static kindPair wanted[MAX_KINDS];
static int spaceCount, geomCount, wantedCount, depth;
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
    default:
      return (unsigned long)(size_t)geom;
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

static void listSpace(dSpaceID space) {
  int count = dSpaceGetClass(space) == dQuadTreeSpaceClass ? 0 : dSpaceGetNumGeoms(space);
  for (int i = 0; i < count; ++i) {
    dGeomID geom = dSpaceGetGeom(space, i);
    if (dGeomIsSpace(geom)) {
      listSpace((dSpaceID)geom);
    } else if (geomCount < MAX_GEOMS && dGeomGetClass(geom) != dRayClass &&
               dGeomGetClass(geom) != dGeomTransformClass) {
      geoms[geomCount++] = geom;
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
  memcpy(at->rotation, dGeomGetRotation(geom), sizeof(at->rotation));
}

/* Meshes have no inside. */
static int isInside(dGeomID geom, const double *p) {
  switch (dGeomGetClass(geom)) {
    case dSphereClass:
      return dGeomSpherePointDepth(geom, p[0], p[1], p[2]) >= 0;
    case dBoxClass:
      return dGeomBoxPointDepth(geom, p[0], p[1], p[2]) >= 0;
    case dCapsuleClass:
      return dGeomCapsulePointDepth(geom, p[0], p[1], p[2]) >= 0;
    case dPlaneClass:
      return dGeomPlanePointDepth(geom, p[0], p[1], p[2]) >= 0;
    default:
      return 0;
  }
}

/* Where a point that stood at p before the step would stand now, had it been fixed to the other geom. */
static void carry(const place *was, const place *is, const double *p, double *out) {
  double local[3];
  for (int i = 0; i < 3; ++i) {
    local[i] = 0;
    for (int k = 0; k < 3; ++k) {
      local[i] += was->rotation[4 * k + i] * (p[k] - was->position[k]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    out[i] = is->position[i];
    for (int k = 0; k < 3; ++k) {
      out[i] += is->rotation[4 * i + k] * local[k];
    }
  }
}

static int passes(dGeomID geom, const double *from, const double *to) {
  double way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, box[6];
  double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
  dGeomGetAABB(geom, box);
  for (int i = 0; i < 3; ++i) {
    if (fmax(from[i], to[i]) < box[2 * i] || fmin(from[i], to[i]) > box[2 * i + 1]) {
      return 0;
    }
  }
  if (!(length > 1e-9) || isInside(geom, from)) {
    return 0;
  }
  if (dGeomGetClass(geom) == dPlaneClass) {
    return isInside(geom, to);
  }
  if (isInside(geom, to)) {
    return 0;
  }
  dContactGeom found;
  dGeomRaySetLength(ray, length);
  dGeomRaySet(ray, from[0], from[1], from[2], way[0], way[1], way[2]);
  if (dCollide(ray, geom, 1, &found, sizeof(found)) == 0) {
    return 0;
  }
  if (dGeomGetClass(geom) != dCylinderClass && dGeomGetClass(geom) != dConvexClass) {
    return 1;
  }
  dGeomRaySet(ray, to[0], to[1], to[2], -way[0], -way[1], -way[2]); /* and out again? */
  return dCollide(ray, geom, 1, &found, sizeof(found)) != 0;
}

static void judge(void) {
  for (int i = 0; i < geomCount; ++i) {
    dBodyID body = dGeomGetBody(geoms[i]);
    if (body == NULL) {
      continue;
    }
    const dReal *end = dGeomGetPosition(geoms[i]);
    for (int k = 0; k < geomCount; ++k) {
      dGeomID other = geoms[k];
      dBodyID held = dGeomGetBody(other);
      int bits = (dGeomGetCategoryBits(geoms[i]) & dGeomGetCollideBits(other)) ||
                 (dGeomGetCategoryBits(other) & dGeomGetCollideBits(geoms[i]));
      if (held == body || !bits || !dGeomIsEnabled(other) || !dGeomIsEnabled(geoms[i]) ||
          (held != NULL && dAreConnectedExcluding(body, held, dJointTypeContact))) {
        continue;
      }
      place now;
      double from[3];
      readPlace(other, &now);
      carry(&before[k], &now, before[i].position, from);
      if (passes(other, from, end)) {
        tell("crossed", kindOf(geoms[i]), kindOf(other));
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
  for (int i = 0; i < spaceCount; ++i) {
    listSpace(spaces[i]);
  }
  spaceCount = 0;
  for (int i = 0; i < geomCount; ++i) {
    readPlace(geoms[i], &before[i]);
  }
  depth++;
  int done = step(world, h);
  depth--;
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

static void noteSpace(dGeomID side) {
  if (depth > 0 || !dGeomIsSpace(side)) {
    return;
  }
  for (int i = 0; i < spaceCount; ++i) {
    if (spaces[i] == (dSpaceID)side) {
      return;
    }
  }
  if (spaceCount < MAX_SPACES) {
    spaces[spaceCount++] = (dSpaceID)side;
  }
}

void dSpaceCollide(dSpaceID space, void *data, dNearCallback *callback) {
  NEXT(dSpaceCollide)
  noteSpace((dGeomID)space);
  depth++;
  real(space, data, callback);
  depth--;
}

void dSpaceCollide2(dGeomID space1, dGeomID space2, void *data, dNearCallback *callback) {
  NEXT(dSpaceCollide2)
  noteSpace(space1);
  noteSpace(space2);
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

void dCloseODE(void) {
  NEXT(dCloseODE)
  if (ray != NULL) {
    dGeomDestroy(ray);
    ray = NULL;
  }
  spaceCount = geomCount = 0;
  real();
}
