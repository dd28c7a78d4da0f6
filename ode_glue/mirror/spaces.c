/* SPDX-License-Identifier: BSD-3-Clause */
/* Notices the end of watched spaces and geoms. ODE does not report it, but what is destroyed leaves the space that it
 * is in. So each dBrink has a space of its own, the root, which is never collided. It holds the watched top-level
 * spaces and the geoms that are in no other space, and what it holds is alive. Of a space that is nested when it is
 * added the root holds the outermost space around it; the nested one is alive while the walk meets it inside that.
 * Hooks (hooks.h) report every end and must leave the program's objects where they are: their dBrinks keep lists
 * instead. A space that two dBrinks watch lies in the root of one, which hands it on when it ends. */
#include <string.h>

#include "mirror.h"

#define FETCH_AHEAD 12 /* geoms */

bool dxBrinkRootHolds(const dxBrink *brink, dGeomID geom) {
  bool holds = false;
  for (int i = 0, count = dSpaceGetNumGeoms(brink->watched->root); i < count && !holds; ++i) {
    holds = dSpaceGetGeom(brink->watched->root, i) == geom;
  }
  return holds;
}

bool dxBrinkAnyRootHolds(dGeomID geom) {
  bool holds = false;
  dxBrinkLockList();
  for (const dxBrink *brink = *dxBrinkList(); brink != NULL && !holds; brink = brink->next) {
    holds = dxBrinkRootHolds(brink, geom);
  }
  dxBrinkUnlockList();
  return holds;
}

void dxBrinkDropSpace(dBrinkID brink, size_t at) {
  memmove(&brink->watched->spaces[at], &brink->watched->spaces[at + 1],
          (brink->watched->spaceCount - at - 1) * sizeof(*brink->watched->spaces));
  brink->watched->spaceCount--;
}

/* Is the space somewhere inside the other? It may be gone, so its pointer is compared, never followed. */
static bool isInside(dBrinkID brink, dSpaceID outer, dSpaceID space) {
  size_t first = brink->watched->listedCount;
  bool found = !dxBrinkListSpace(brink, outer); /* no memory: the walk will say so */
  size_t end = brink->watched->listedCount;
  for (size_t i = first; i < end && !found; ++i) {
    dGeomID geom = brink->watched->listed[i];
    found = geom == (dGeomID)space || (dGeomIsSpace(geom) && isInside(brink, (dSpaceID)geom, space));
  }
  brink->watched->listedCount = first;
  return found;
}

static bool needsInRoot(const dxBrink *brink, dSpaceID space) {
  size_t at = 0;
  while (at < brink->watched->spaceCount && brink->watched->spaces[at].sentinel != space) {
    at++;
  }
  return at < brink->watched->spaceCount;
}

/* Takes a space out of the root if nothing watched needs it there. If another dBrink does, its root gets it. */
void dxBrinkReleaseSpace(dBrinkID brink, dSpaceID space) {
  if (space == NULL || needsInRoot(brink, space) || !dxBrinkRootHolds(brink, (dGeomID)space)) {
    return;
  }
  dSpaceRemove(brink->watched->root, (dGeomID)space);
  for (dxBrink *other = dxBrinkNextListed(NULL); other != NULL; other = dxBrinkNextListed(other)) {
    if (other != brink && needsInRoot(other, space)) {
      dSpaceAdd(other->watched->root, (dGeomID)space);
      return;
    }
  }
}

void dxBrinkDropDeadSpaces(dBrinkID brink) {
  for (size_t i = brink->watched->spaceCount; i-- > 0;) {
    const dSpaceID space = brink->watched->spaces[i].space, sentinel = brink->watched->spaces[i].sentinel;
    if (sentinel != NULL &&
        (!dxBrinkAnyRootHolds((dGeomID)sentinel) || (sentinel != space && !isInside(brink, sentinel, space)))) {
      dxBrinkLog(brink, brink_logInfo, "a watched space was destroyed, or taken out of the space it was in");
      dxBrinkDropSpace(brink, i);
      dxBrinkReleaseSpace(brink, sentinel);
    }
  }
}

void dxBrinkReleaseSpaces(dBrinkID brink) {
  while (brink->watched->spaceCount > 0) {
    dxBrinkReleaseSpace(brink, brink->watched->spaces[--brink->watched->spaceCount].sentinel);
  }
}

/* ---- leaves of a space */

typedef struct listing {
  dBrinkID brink;
  bool failed;
} listing;

static void listFound(void *data, dGeomID a, dGeomID b) {
  listing *list = data;
  struct dxBrinkWatched *watched = list->brink->watched;
  list->failed |= !BRINK_STEP_RESERVE(watched->listed, watched->listedCount, watched->listedCapacity);
  if (!list->failed) {
    watched->listed[watched->listedCount++] = a == watched->probe ? b : a;
  }
}

/* Prefetches a geom that comes next: ODE's geoms are a linked list, and the last walk tells where they were. */
static inline void fetchGeom(const dxBrink *brink, size_t place) {
  if (place < brink->walk->quickTestCount) {
    const char *geom = (const char *)brink->walk->quickTests[place].geom;
    for (int line = 0; line < 4; ++line) { /* larger than a cache line */
      BRINK_STEP_FETCH(geom + 64 * line);
    }
  }
}

/* A quadtree cannot be listed, so it is collided with the probe, a plane whose box is infinite. That leaves out geoms
 * that nothing collides with: disabled, of zero size, without bits. ODE then takes moved geoms for looked at, and
 * aborts when one of them changes its space or its mesh. So geoms of bodies are marked as moved again. */
bool dxBrinkListSpace(dBrinkID brink, dSpaceID space) {
  if (dSpaceGetClass(space) == dQuadTreeSpaceClass) {
    listing list = {brink, false};
    size_t next = brink->watched->listedCount;
    dSpaceCollide2(brink->watched->probe, (dGeomID)space, &list, listFound);
    bool locked = dxBrinkIsLocked(space, brink->watched->probe); /* it calls back: nobody goes anywhere */
    for (dGeomID *geoms = brink->watched->listed; next < brink->watched->listedCount && !locked; ++next) {
      dGeomSetBody(geoms[next], dGeomGetBody(geoms[next])); /* its own: has moved, and nothing else */
    }
    return !list.failed;
  }
  int count = dSpaceGetNumGeoms(space);
  size_t end = brink->watched->listedCount + (size_t)count;
  if (!BRINK_STEP_RESERVE(brink->watched->listed, end, brink->watched->listedCapacity)) {
    return false;
  }
  dGeomID *listed = brink->watched->listed + brink->watched->listedCount;
  for (int i = 0; i < count; ++i) {
    fetchGeom(brink, brink->walk->walked + (size_t)i + FETCH_AHEAD);
    listed[i] = dSpaceGetGeom(space, i);
  }
  brink->watched->listedCount = end;
  return true;
}
