/* SPDX-License-Identifier: BSD-3-Clause */
/* What is watched? Spaces that the program names, and single geoms. ODE tells nobody when a space is destroyed, but a
 * space or geom that is destroyed leaves the space it is in: so each dBrink has a space of its own, `root`, which is
 * never collided and holds the watched top-level spaces and the geoms that are in no other space. What is in a root is
 * alive. Of a space that is nested in another one when it is added the outermost space around it is put there, and it
 * is alive while it can be met inside that. Doors (doors.h) are told of every end and must leave the program's objects
 * where they are: their dBrinks keep lists. Two dBrinks may watch one space: it lies in the root of one, which hands it
 * on when it ends. */
#include <string.h>

#include "../dxbrink.h"

#define FETCH_AHEAD 12 /* geoms */

bool dxBrinkRootHolds(const dxBrink *brink, dGeomID geom) {
  int count = dSpaceGetNumGeoms(brink->root);
  for (int i = 0; i < count; ++i) {
    if (dSpaceGetGeom(brink->root, i) == geom) {
      return true;
    }
  }
  return false;
}

static size_t findSpace(const dxBrink *brink, dSpaceID space) {
  size_t at = 0;
  while (at < brink->spaceCount && brink->spaces[at].space != space) {
    at++;
  }
  return at;
}

static void dropSpace(dBrinkID brink, size_t at) {
  memmove(&brink->spaces[at], &brink->spaces[at + 1], (brink->spaceCount - at - 1) * sizeof(*brink->spaces));
  brink->spaceCount--;
}

/* Is the space somewhere inside the other? Follows no pointer that it has not met. */
static bool isInside(dBrinkID brink, dSpaceID outer, dSpaceID space) {
  size_t first = brink->listedCount;
  bool found = !dxBrinkListSpace(brink, outer); /* no memory: the walk will say so */
  size_t end = brink->listedCount;
  for (size_t i = first; i < end && !found; ++i) {
    dGeomID geom = brink->listed[i];
    found = geom == (dGeomID)space || (dGeomIsSpace(geom) && isInside(brink, (dSpaceID)geom, space));
  }
  brink->listedCount = first;
  return found;
}

/* What tells of the space's end when it leaves its root; NULL: a door does. */
dSpaceID dxBrinkSentinelOf(const dxBrinkSpace *watched) { return watched->nested ? watched->outer : watched->space; }

static bool needsInRoot(const dxBrink *brink, dSpaceID space) {
  size_t at = 0;
  while (at < brink->spaceCount && dxBrinkSentinelOf(&brink->spaces[at]) != space) {
    at++;
  }
  return at < brink->spaceCount;
}

/* Takes a space out of this root, when nothing that is watched needs it there; another dBrink that does gets it. */
static void releaseSpace(dBrinkID brink, dSpaceID space) {
  if (space == NULL || needsInRoot(brink, space) || !dxBrinkRootHolds(brink, (dGeomID)space)) {
    return;
  }
  dSpaceRemove(brink->root, (dGeomID)space);
  for (dxBrink *other = dxBrinkNextListed(NULL); other != NULL; other = dxBrinkNextListed(other)) {
    if (other != brink && needsInRoot(other, space)) {
      dSpaceAdd(other->root, (dGeomID)space);
      return;
    }
  }
}

void dxBrinkDropDeadSpaces(dBrinkID brink) {
  for (size_t i = brink->spaceCount; i-- > 0;) {
    dSpaceID sentinel = dxBrinkSentinelOf(&brink->spaces[i]), space = brink->spaces[i].space;
    bool lives =
        sentinel == NULL || dxBrinkRootHolds(brink, (dGeomID)sentinel) || dxBrinkAnyRootHolds((dGeomID)sentinel);
    if (!lives || (sentinel != NULL && sentinel != space && !isInside(brink, sentinel, space))) {
      dxBrinkLog(brink, brink_logInfo, "a watched space was destroyed, or taken out of the space it was in");
      dropSpace(brink, i);
      releaseSpace(brink, sentinel);
    }
  }
}

void dxBrinkReleaseSpaces(dBrinkID brink) {
  while (brink->spaceCount > 0) {
    dSpaceID sentinel = dxBrinkSentinelOf(&brink->spaces[--brink->spaceCount]);
    releaseSpace(brink, sentinel);
  }
}

static bool isOtherRoot(const dxBrink *brink, dSpaceID space) {
  for (const dxBrink *other = dxBrinkNextListed(NULL); other != NULL; other = dxBrinkNextListed(other)) {
    if (other != brink && other->root == space) {
      return true;
    }
  }
  return false;
}

static dSpaceID outermost(const dxBrink *brink, dSpaceID space) {
  dSpaceID parent = dGeomGetSpace((dGeomID)space);
  while (parent != NULL && parent != brink->root && !isOtherRoot(brink, parent)) {
    space = parent;
    parent = dGeomGetSpace((dGeomID)space);
  }
  return space;
}

static const char *const insideNear = "called from inside a step's near callback; call it between steps";

int dBrinkAddSpace(dBrinkID brink, dSpaceID space) {
  if (brink == NULL) {
    return 0;
  }
  if (space == NULL) {
    return dxBrinkFail(brink, "dBrinkAddSpace: space is NULL");
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "dBrinkAddSpace: %s", insideNear);
  }
  if (!dGeomIsSpace((dGeomID)space)) {
    return dxBrinkFail(brink, "dBrinkAddSpace: this is a geom, not a space; use dBrinkAddGeom");
  }
  dxBrinkDropDeadSpaces(brink);
  if (findSpace(brink, space) < brink->spaceCount) {
    brink->error[0] = '\0';
    return 1;
  }
  if (!DX_BRINK_RESERVE(brink->spaces, brink->spaceCount, brink->spaceCapacity)) {
    return dxBrinkFail(brink, "dBrinkAddSpace: no memory");
  }
  dSpaceID parent = dGeomGetSpace((dGeomID)space);
  bool nested = brink->endsAreTold || (parent != NULL && parent != brink->root && !isOtherRoot(brink, parent));
  dxBrinkSpace watched = {space, nested, nested && !brink->endsAreTold ? outermost(brink, space) : NULL};
  dSpaceID sentinel = dxBrinkSentinelOf(&watched);
  if (sentinel != NULL && dGeomGetSpace((dGeomID)sentinel) == NULL) {
    dSpaceAdd(brink->root, (dGeomID)sentinel);
  }
  brink->spaces[brink->spaceCount++] = watched;
  if (!dxBrinkRefresh(brink)) {
    brink->spaceCount--;
    releaseSpace(brink, sentinel);
    return 0;
  }
  brink->error[0] = '\0';
  return 1;
}

int dBrinkRemoveSpace(dBrinkID brink, dSpaceID space) {
  if (brink == NULL) {
    return 0;
  }
  if (brink->busy) {
    return dxBrinkFail(brink, "dBrinkRemoveSpace: %s", insideNear);
  }
  dxBrinkDropDeadSpaces(brink);
  size_t at = findSpace(brink, space);
  if (at == brink->spaceCount) {
    return dxBrinkFail(brink,
                       "dBrinkRemoveSpace: this space was not added with dBrinkAddSpace, or is destroyed already");
  }
  dSpaceID sentinel = dxBrinkSentinelOf(&brink->spaces[at]);
  dropSpace(brink, at);
  releaseSpace(brink, sentinel);
  brink->error[0] = '\0';
  return 1;
}

static size_t findLoose(const dxBrink *brink, dGeomID geom) {
  size_t at = 0;
  while (at < brink->looseCount && brink->looseGeoms[at] != geom) {
    at++;
  }
  return at;
}

static int addLoose(dBrinkID brink, dGeomID geom) {
  if (findLoose(brink, geom) == brink->looseCount) {
    if (!DX_BRINK_RESERVE(brink->looseGeoms, brink->looseCount, brink->looseCapacity)) {
      return dxBrinkFail(brink, "dBrinkAddGeom: no memory");
    }
    brink->looseGeoms[brink->looseCount++] = geom;
  }
  brink->error[0] = '\0';
  return 1;
}

int dBrinkAddGeom(dBrinkID brink, dGeomID geom) {
  if (brink == NULL) {
    return 0;
  }
  if (geom == NULL || brink->busy) {
    return dxBrinkFail(brink, "dBrinkAddGeom: %s", geom == NULL ? "geom is NULL" : insideNear);
  }
  if (dGeomIsSpace(geom)) {
    return dxBrinkFail(brink, "dBrinkAddGeom: this is a space; use dBrinkAddSpace");
  }
  if (brink->endsAreTold) {
    return addLoose(brink, geom);
  }
  dSpaceID space = dGeomGetSpace(geom);
  if (space != NULL && space != brink->root) {
    return dxBrinkFail(brink, "dBrinkAddGeom: the geom is in a space; watch that with dBrinkAddSpace");
  }
  if (space == NULL) {
    dSpaceAdd(brink->root, geom);
  }
  if (!dxBrinkRefresh(brink)) {
    dSpaceRemove(brink->root, geom);
    return 0;
  }
  brink->error[0] = '\0';
  return 1;
}

int dBrinkRemoveGeom(dBrinkID brink, dGeomID geom) {
  if (brink == NULL) {
    return 0;
  }
  size_t at = findLoose(brink, geom);
  bool held = geom != NULL && dxBrinkRootHolds(brink, geom) && !dGeomIsSpace(geom);
  if (brink->busy || (at == brink->looseCount && !held)) {
    return dxBrinkFail(
        brink, "dBrinkRemoveGeom: %s",
        brink->busy ? insideNear : "this geom was not added with dBrinkAddGeom, or is destroyed already");
  }
  if (held) {
    dSpaceRemove(brink->root, geom);
  } else {
    memmove(&brink->looseGeoms[at], &brink->looseGeoms[at + 1],
            (brink->looseCount - at - 1) * sizeof(*brink->looseGeoms));
    brink->looseCount--;
  }
  brink->error[0] = '\0';
  return 1;
}

/* ---- leaves of a space */

typedef struct listing {
  dBrinkID brink;
  bool failed;
} listing;

static void listFound(void *data, dGeomID a, dGeomID b) {
  listing *list = data;
  dBrinkID brink = list->brink;
  if (!DX_BRINK_RESERVE(brink->listed, brink->listedCount, brink->listedCapacity)) {
    list->failed = true;
    return;
  }
  brink->listed[brink->listedCount++] = a == brink->probe ? b : a;
}

/* A hint to the processor: ODE's geoms are a list through memory. Where they were in the last walk tells what comes. */
static inline void fetchGeom(const dxBrink *brink, size_t place) {
#if defined(__GNUC__)
  if (place < brink->glanceCount) {
    const char *geom = (const char *)brink->glances[place].geom;
    for (int line = 0; line < 4; ++line) { /* larger than a cache line */
      __builtin_prefetch(geom + 64 * line);
    }
  }
#else
  (void)brink;
  (void)place;
#endif
}

/* A quadtree has no dSpaceGetGeom, but it can be collided with a geom whose box is infinite: the probe, an oblique
 * plane. Left out are geoms that nothing collides with: disabled, of zero size, without bits. */
bool dxBrinkListSpace(dBrinkID brink, dSpaceID space) {
  if (dSpaceGetClass(space) == dQuadTreeSpaceClass) {
    listing list = {brink, false};
    dSpaceCollide2(brink->probe, (dGeomID)space, &list, listFound);
    return !list.failed;
  }
  int count = dSpaceGetNumGeoms(space);
  while (brink->listedCount + (size_t)count > brink->listedCapacity) {
    if (!DX_BRINK_RESERVE(brink->listed, brink->listedCapacity, brink->listedCapacity)) {
      return false;
    }
  }
  dGeomID *listed = brink->listed + brink->listedCount;
  for (int i = 0; i < count; ++i) {
    fetchGeom(brink, brink->walked + (size_t)i + FETCH_AHEAD);
    listed[i] = dSpaceGetGeom(space, i);
  }
  brink->listedCount += (size_t)count;
  return true;
}
