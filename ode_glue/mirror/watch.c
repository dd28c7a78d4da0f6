/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program adds and removes: watched spaces, geoms that are in none, bodies without geoms. */
#include <string.h>

#include "mirror.h"

static size_t findSpace(const dxBrink *brink, dSpaceID space) {
  size_t at = 0;
  while (at < brink->watched->spaceCount && brink->watched->spaces[at].space != space) {
    at++;
  }
  return at;
}

static bool isOtherRoot(const dxBrink *brink, dSpaceID space) {
  for (const dxBrink *other = dxBrinkNextListed(NULL); other != NULL; other = dxBrinkNextListed(other)) {
    if (other != brink && other->watched->root == space) {
      return true;
    }
  }
  return false;
}

static dSpaceID outermost(const dxBrink *brink, dSpaceID space) {
  dSpaceID parent = dGeomGetSpace((dGeomID)space);
  while (parent != NULL && parent != brink->watched->root && !isOtherRoot(brink, parent)) {
    space = parent;
    parent = dGeomGetSpace((dGeomID)space);
  }
  return space;
}

int dBrinkAddSpace(dBrinkID brink, dSpaceID space) {
  if (!dxBrinkMayCall(brink, "dBrinkAddSpace")) {
    return 0;
  }
  if (space == NULL || !dGeomIsSpace((dGeomID)space)) {
    return dxBrinkFail(brink, "dBrinkAddSpace: %s",
                       space == NULL ? "space is NULL" : "this is a geom, not a space; use dBrinkAddGeom");
  }
  dxBrinkDropDeadSpaces(brink);
  if (findSpace(brink, space) < brink->watched->spaceCount) {
    return dxBrinkSucceed(brink);
  }
  if (!BRINK_STEP_RESERVE(brink->watched->spaces, brink->watched->spaceCount, brink->watched->spaceCapacity)) {
    return dxBrinkFail(brink, "dBrinkAddSpace: no memory");
  }
  dSpaceID sentinel = brink->watched->endsAreTold ? NULL : outermost(brink, space);
  if (sentinel != NULL && dGeomGetSpace((dGeomID)sentinel) == NULL) {
    dSpaceAdd(brink->watched->root, (dGeomID)sentinel);
  }
  brink->watched->spaces[brink->watched->spaceCount++] = (dxBrinkSpace){space, sentinel};
  if (!dxBrinkRefresh(brink)) {
    brink->watched->spaceCount--;
    dxBrinkReleaseSpace(brink, sentinel);
    return 0;
  }
  return dxBrinkSucceed(brink);
}

int dBrinkRemoveSpace(dBrinkID brink, dSpaceID space) {
  if (!dxBrinkMayCall(brink, "dBrinkRemoveSpace")) {
    return 0;
  }
  dxBrinkDropDeadSpaces(brink);
  size_t at = findSpace(brink, space);
  if (at == brink->watched->spaceCount) {
    return dxBrinkFail(brink,
                       "dBrinkRemoveSpace: this space was not added with dBrinkAddSpace, or is destroyed already");
  }
  dSpaceID sentinel = brink->watched->spaces[at].sentinel;
  dxBrinkDropSpace(brink, at);
  dxBrinkReleaseSpace(brink, sentinel);
  return dxBrinkSucceed(brink);
}

static size_t findLoose(const dxBrink *brink, dGeomID geom) {
  size_t at = 0;
  while (at < brink->watched->looseCount && brink->watched->looseGeoms[at] != geom) {
    at++;
  }
  return at;
}

static int addLoose(dBrinkID brink, dGeomID geom) {
  if (findLoose(brink, geom) == brink->watched->looseCount) {
    if (!BRINK_STEP_RESERVE(brink->watched->looseGeoms, brink->watched->looseCount, brink->watched->looseCapacity)) {
      return dxBrinkFail(brink, "dBrinkAddGeom: no memory");
    }
    brink->watched->looseGeoms[brink->watched->looseCount++] = geom;
  }
  return dxBrinkSucceed(brink);
}

int dBrinkAddGeom(dBrinkID brink, dGeomID geom) {
  if (!dxBrinkMayCall(brink, "dBrinkAddGeom")) {
    return 0;
  }
  if (geom == NULL || dGeomIsSpace(geom)) {
    return dxBrinkFail(brink, "dBrinkAddGeom: %s",
                       geom == NULL ? "geom is NULL" : "this is a space; use dBrinkAddSpace");
  }
  if (brink->watched->endsAreTold) {
    return addLoose(brink, geom);
  }
  dSpaceID space = dGeomGetSpace(geom);
  if (space != NULL && space != brink->watched->root) {
    return dxBrinkFail(brink, "dBrinkAddGeom: the geom is in a space; watch that with dBrinkAddSpace");
  }
  if (space == NULL) {
    dSpaceAdd(brink->watched->root, geom);
  }
  if (!dxBrinkRefresh(brink)) {
    dSpaceRemove(brink->watched->root, geom);
    return 0;
  }
  return dxBrinkSucceed(brink);
}

int dBrinkRemoveGeom(dBrinkID brink, dGeomID geom) {
  if (!dxBrinkMayCall(brink, "dBrinkRemoveGeom")) {
    return 0;
  }
  size_t at = findLoose(brink, geom);
  bool held = geom != NULL && dxBrinkRootHolds(brink, geom) && !dGeomIsSpace(geom);
  if (at == brink->watched->looseCount && !held) {
    return dxBrinkFail(brink, "dBrinkRemoveGeom: this geom was not added with dBrinkAddGeom, or is destroyed already");
  }
  if (held) {
    dSpaceRemove(brink->watched->root, geom);
  } else {
    memmove(&brink->watched->looseGeoms[at], &brink->watched->looseGeoms[at + 1],
            (brink->watched->looseCount - at - 1) * sizeof(*brink->watched->looseGeoms));
    brink->watched->looseCount--;
  }
  return dxBrinkSucceed(brink);
}
