/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes that the program gives for a geom: of a user class ODE knows the callbacks alone. The program names another
 * geom, which is read once and copied (dBrinkSetGeomShape), or a support function (dBrinkSetGeomSupport). Units: m. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mirror.h"

dxBrinkGeom *dxBrinkReadyGeom(dBrinkID brink, dGeomID geom, const char *where) {
  if (!dxBrinkMayCall(brink, where) || !dxBrinkRefresh(brink)) {
    return NULL;
  }
  dxBrinkGeom *record = geom == NULL ? NULL : dxBrinkFindGeom(brink, geom);
  if (record == NULL) {
    dxBrinkFail(brink, "%s: the geom is not watched; add its space with dBrinkAddSpace, or the geom with dBrinkAddGeom",
                where);
  }
  return record;
}

/* Keeps the shape (NULL: the geom's own again) and builds the geom's collider anew. */
static int take(dBrinkID brink, dxBrinkGeom *record, dxBrinkGiven *given, const char *where) {
  dGeomID geom = record->geom;
  if (given != NULL) {
    given->key.given = ++brink->walk->givenNumber;
  }
  dxBrinkFreeGiven(record->given);
  record->given = given;
  brink->walk->quickTestCount = 0; /* the geom is to be read again */
  if (!dxBrinkRefresh(brink)) {
    return 0;
  }
  record = dxBrinkFindGeom(brink, geom);
  if (given != NULL && !record->answered) {
    dxBrinkFreeGiven(record->given);
    record->given = NULL;
    brink->walk->quickTestCount = 0;
    return dxBrinkFail(brink, "%s: this shape was refused; the log says why", where);
  }
  return dxBrinkSucceed(brink);
}

static const char *readLike(dGeomID like, dxBrinkGiven *given) {
  const char *reason = dxBrinkReadShapeKey(like, &given->key);
  if (reason == NULL && (given->key.geomClass == dPlaneClass || given->key.geomClass == dHeightfieldClass)) {
    reason = "a plane or heightfield cannot be told";
  }
  if (reason == NULL && given->key.geomClass == dConvexClass &&
      dxBrinkReadConvex(dxBrinkLeaf(like), &given->vertices, &given->vertexCount) != brink_ok) {
    reason = "its vertices could not be read";
  }
  return reason;
}

int dBrinkSetGeomShape(dBrinkID brink, dGeomID geom, dGeomID like) {
  static const char *const where = "dBrinkSetGeomShape";
  dxBrinkGeom *record = dxBrinkReadyGeom(brink, geom, where);
  if (record == NULL || like == NULL) {
    return record != NULL && take(brink, record, NULL, where);
  }
  if (dGeomIsSpace(like)) {
    return dxBrinkFail(brink, "%s: like is a space; name one geom", where);
  }
  dxBrinkGiven *given = calloc(1, sizeof(*given));
  const char *reason = given == NULL ? "no memory" : readLike(like, given);
  if (reason != NULL) {
    dxBrinkFreeGiven(given);
    return dxBrinkFail(brink, "%s: the shape of the geom `like` cannot be taken: %s", where, reason);
  }
  return take(brink, record, given, where);
}

int dBrinkSetGeomSupport(dBrinkID brink, dGeomID geom, dBrinkSupport *support, void *user, dReal radius) {
  static const char *const where = "dBrinkSetGeomSupport";
  dxBrinkGeom *record = dxBrinkReadyGeom(brink, geom, where);
  if (record == NULL || support == NULL) {
    return record != NULL && take(brink, record, NULL, where);
  }
  if (!(radius > 0) || !isfinite(radius)) {
    return dxBrinkFail(brink, "%s: radius %g must be that of a ball that holds the set, m", where, radius);
  }
  dxBrinkGiven *given = calloc(1, sizeof(*given));
  if (given == NULL) {
    return dxBrinkFail(brink, "%s: no memory", where);
  }
  given->key.geomClass = DX_BRINK_SUPPORT;
  given->support = support;
  given->supportUser = user;
  given->radius = radius;
  return take(brink, record, given, where);
}
