/* SPDX-License-Identifier: BSD-3-Clause */
/* Which contacts does the world have at an impact? The program's near callback is asked for those of the struck pairs,
 * then for the others of the island; contacts that were made at the step's start are switched off. Units: m. */
#include <math.h>
#include <string.h>

#include "step.h"

/* ---- what the program wants */

/* Brink's own points of contact of a pair as it stands now. Asked as dCollide asks Brink as the narrowphase, the lower
 * class first and two of one class turned round: mostly the pair has just been asked about, and the plugin knows. */
size_t dxBrinkContactPoints(void *user, brinkStepPair pair, double margin, brinkContactPoint *points, size_t most) {
  dBrinkID brink = user;
  const bool turned = dGeomGetClass(brink->geoms[pair.a].geom) >= dGeomGetClass(brink->geoms[pair.b].geom);
  const dxBrinkGeom *a = &brink->geoms[turned ? pair.b : pair.a], *b = &brink->geoms[turned ? pair.a : pair.b];
  brinkPose poses[2] = {dxBrinkShapePose(a->geom, &a->shape), dxBrinkShapePose(b->geom, &b->shape)};
  size_t count = 0;
  brinkStatus status = brink->shapes.plugin->collideShapes(brink->shapes.world, a->shape.id, &poses[0], b->shape.id,
                                                           &poses[1], margin, points, most, &count);
  for (size_t i = 0; turned && i < count; ++i) {
    brinkVec3 *n = &points[i].normal;
    *n = (brinkVec3){-n->x, -n->y, -n->z};
  }
  return status == brink_ok ? count : 0;
}

/* dContactMotionN alone: ODE clips a negative depth to 0, bounce and friction act before the bodies arrive, soft_cfm
 * lets them through. At the limit it is ODE's default, as the world's own may let through what is pressed. */
void dxBrinkAddContact(void *user, const brinkStepContact *own) {
  dBrinkID brink = user;
  dGeomID a = brink->geoms[own->pair.a].geom, b = brink->geoms[own->pair.b].geom;
  dContact contact = {.surface = {.mode = dContactApprox1, .mu = own->friction, .motionN = own->apart}};
  contact.surface.mode |= (own->apart != 0 ? dContactMotionN : 0) | (own->hard ? dContactSoftCFM : 0);
  contact.surface.soft_cfm = 1e-10; /* s/kg, as it is in ODE by default */
  contact.geom = (dContactGeom){.g1 = a, .g2 = b, .side1 = -1, .side2 = -1, .depth = own->depth};
  for (int i = 0; i < 3; ++i) {
    contact.geom.pos[i] = own->point[i];
    contact.geom.normal[i] = -own->normal[i];
  }
  dxBrinkUnpark(brink);
  dxBrinkMakeContact(brink, own->lasts ? brink->call.group : NULL, &contact, dGeomGetBody(a), dGeomGetBody(b));
}

/* Moves a body of the pair along the normal (A to B) until ODE's colliders see the pair touch: at most the gap of the
 * impact pose and a quarter of the allowance. Allowance 0: it stays. False: they see nothing even then. A pair that ODE
 * may not be asked about goes as far as it may, and counts as seen. */
bool dxBrinkBringTogether(dGeomID a, dGeomID b, const double normal[3], double gap, double allowance) {
  const double tries[] = {0, gap + DX_BRINK_ODE_SEES * allowance, gap + BRINK_STEP_EDGE * allowance,
                          gap + BRINK_STEP_TOUCHING * allowance};
  const size_t most = allowance > 0 ? sizeof(tries) / sizeof(*tries) : 1;
  dBodyID mover = dGeomGetBody(a) != NULL ? dGeomGetBody(a) : dGeomGetBody(b);
  const double sign = mover == dGeomGetBody(a) ? 1 : -1;
  const bool ask = dxBrinkMayAskOde(dGeomGetClass(dxBrinkLeaf(a)), dGeomGetClass(dxBrinkLeaf(b)));
  bool seen = false;
  brinkStepState home;
  dxBrinkReadState(mover, &home);
  for (size_t i = 0; i < most && !seen; ++i) {
    dContactGeom found;
    const double *p = home.position, way = sign * tries[i];
    dBodySetPosition(mover, p[0] + way * normal[0], p[1] + way * normal[1], p[2] + way * normal[2]);
    seen = ask && dCollide(a, b, 1, &found, sizeof(found)) > 0;
  }
  return seen || !ask;
}

/* Asks the program for contacts of a struck pair. */
int dxBrinkAskContacts(void *user, const brinkStepImpact *impact) {
  dBrinkID brink = user;
  dGeomID geomA = brink->geoms[impact->pair.a].geom, geomB = brink->geoms[impact->pair.b].geom;
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, impact->pair.a), bodyB = dxBrinkBodyOfGeom(brink, impact->pair.b);
  dBodyID mover = bodyA != NULL ? bodyA : bodyB;
  brinkStepState home;
  dxBrinkReadState(mover, &home);
  const bool seen = dxBrinkBringTogether(geomA, geomB, impact->normal, fmax(impact->contact.distance, 0),
                                         brinkStepPairAllowance(&brink->step, impact->pair));
  if (!seen) {
    dBodySetPosition(mover, home.position[0], home.position[1], home.position[2]);
  }
  dxBrinkCallNear(brink, geomA, geomB);
  if (brink->step.worldChanged) {
    return 0;
  }
  dBodySetPosition(mover, home.position[0], home.position[1], home.position[2]);
  return (brink->contacts.made ? BRINK_STEP_MADE : 0) | (seen ? 0 : BRINK_STEP_UNSEEN);
}

static void putAsideBetween(dBrinkID brink, dBodyID bodyA, dBodyID bodyB) {
  for (size_t i = 0, count = dxBrinkListContacts(brink, bodyA, bodyB); i < count; ++i) {
    dJointID joint = brink->contacts.joints[i];
    (void)(dJointIsEnabled(joint) && dxBrinkPutAside(brink, joint)); /* no memory: it acts */
  }
}

/* A pair that is not struck and parts gets no contact in an extra solve: it would hold at once what another impact
 * drives back, and make energy (docs/step.md). If the two meet again, that is an impact of its own. */
static void callNearOther(dBrinkID brink, brinkStepPair pair) {
  const dBodyID bodies[2] = {dxBrinkBodyOfGeom(brink, pair.a), dxBrinkBodyOfGeom(brink, pair.b)};
  if (memcmp(brink->contacts.parkedFor, bodies, sizeof(bodies)) != 0 &&
      dxBrinkWorldChanged(brink, (uint32_t[2]){brink->geoms[pair.a].body, brink->geoms[pair.b].body}, 2)) {
    return; /* an earlier call has destroyed one of them */
  }
  dxBrinkPark(brink, bodies);
  const bool first = brink->contacts.takenOff.count == 0;
  dxBrinkCallNear(brink, brink->geoms[pair.a].geom, brink->geoms[pair.b].geom);
  if (!brink->step.worldChanged && brink->contacts.made && !brinkStepKeepsContacts(&brink->step, pair) && first) {
    putAsideBetween(brink, bodies[0], bodies[1]);
  }
}

/* Asks for the other contacts of the gathered bodies: among themselves, with what stands still and with edges. */
void dxBrinkCallNearOthers(void *user) {
  dBrinkID brink = user;
  for (size_t i = 0; i < brink->step.pairs.nearCount && !brink->step.worldChanged; ++i) {
    brinkStepPair pair = brink->step.pairs.nearPairs[i];
    uint32_t bodyA = brink->geoms[pair.a].body, bodyB = brink->geoms[pair.b].body;
    bool gatheredA = brinkStepIsGathered(&brink->step, bodyA), gatheredB = brinkStepIsGathered(&brink->step, bodyB);
    bool ours = (gatheredA || bodyA == BRINK_NO_RECORD || (gatheredB && brinkStepIsEdge(&brink->step, bodyA))) &&
                (gatheredB || bodyB == BRINK_NO_RECORD || (gatheredA && brinkStepIsEdge(&brink->step, bodyB)));
    dGeomID a = brink->geoms[pair.a].geom, b = brink->geoms[pair.b].geom;
    if (ours && dxBrinkBoxesWithin(a, b, brinkStepPairAllowance(&brink->step, pair))) {
      callNearOther(brink, pair);
    }
  }
  /* Geoms that Brink does not answer keep ODE's contacts. */
  for (size_t i = 0; brink->step.unansweredCount > 0 && i < brink->geomCount && !brink->step.worldChanged; ++i) {
    const dxBrinkGeom *plain = &brink->geoms[i];
    if (plain->geom == NULL || plain->answered ||
        !(plain->body == BRINK_NO_RECORD || brinkStepIsGathered(&brink->step, plain->body))) {
      continue;
    }
    for (size_t j = 0; j < brink->geomCount && !brink->step.worldChanged; ++j) {
      const dxBrinkGeom *other = &brink->geoms[j];
      bool ours = other->geom != NULL && (other->answered || j > i) && other->body != plain->body &&
                  (brinkStepIsGathered(&brink->step, other->body) ||
                   (other->body == BRINK_NO_RECORD && plain->body != BRINK_NO_RECORD));
      if (ours && dxBrinkBitsMeet(plain->geom, other->geom) && dxBrinkBoxesWithin(plain->geom, other->geom, 0)) {
        dxBrinkCallNear(brink, plain->geom, other->geom);
      }
    }
  }
}

/* ---- contacts of the start */

/* Lists the enabled contacts of the gathered bodies: after an impact they are out of date. */
bool dxBrinkListStaleContacts(void *user) {
  dBrinkID brink = user;
  brink->contacts.stale.count = 0;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    for (size_t j = 0, count = dxBrinkListJoints(brink, body); j < count; ++j) {
      dJointID joint = brink->contacts.joints[j];
      if (dJointGetType(joint) == dJointTypeContact && dJointIsEnabled(joint) &&
          dxBrinkMeetsJoint(brink, body, joint) && !dxBrinkNote(&brink->contacts.stale, joint)) {
        return false;
      }
    }
  }
  return true;
}

/* Else one that the program has made where the listed one, which it destroyed, lay in memory. */
static bool isStale(const dxBrink *brink, dJointID joint, size_t listed) {
  const dxBrinkNoted *old = &brink->contacts.stale.items[listed];
  return old->joint == joint && old->bodies[0] == dJointGetBody(joint, 0) && old->bodies[1] == dJointGetBody(joint, 1);
}

/* Puts aside the listed contacts that the gathered bodies still have. */
void dxBrinkDisableStaleContacts(void *user) {
  dBrinkID brink = user;
  dxBrinkUnpark(brink);
  brinkKeyMap_Clear(&brink->contacts.staleMap);
  for (size_t i = 0; i < brink->contacts.stale.count; ++i) {
    if (!brinkKeyMap_Set(&brink->contacts.staleMap, BRINK_POINTER_KEY(brink->contacts.stale.items[i].joint),
                         (uint32_t)i)) {
      break; /* no memory: the rest stays on, as in plain ODE */
    }
  }
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    for (size_t j = 0, count = dxBrinkListJoints(brink, body); j < count; ++j) {
      dJointID joint = brink->contacts.joints[j];
      const uint32_t listed = brinkKeyMap_Get(&brink->contacts.staleMap, BRINK_POINTER_KEY(joint));
      if (listed != BRINK_NO_RECORD) {
        brinkKeyMap_Remove(&brink->contacts.staleMap, BRINK_POINTER_KEY(joint));
        (void)(isStale(brink, joint, listed) && dxBrinkPutAside(brink, joint)); /* no memory: it stays on */
      }
    }
  }
  brink->contacts.stale.count = 0;
}

/* Puts aside what the program made for a pair since the stale contacts were listed. */
bool dxBrinkPutAsideNew(void *user, brinkStepPair pair) {
  dBrinkID brink = user;
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, pair.a);
  dBodyID body = bodyA != NULL ? bodyA : dxBrinkBodyOfGeom(brink, pair.b);
  for (size_t i = 0, count = dxBrinkListJoints(brink, body); i < count; ++i) {
    dJointID joint = brink->contacts.joints[i];
    bool stays = dJointGetType(joint) != dJointTypeContact || !dJointIsEnabled(joint);
    for (size_t k = 0; k < brink->contacts.stale.count && !stays; ++k) {
      stays = isStale(brink, joint, k);
    }
    if (!stays && !dxBrinkPutAside(brink, joint)) {
      return false;
    }
  }
  return true;
}

/* ---- before the solve: what sweeps */

/* Gathers the bodies that a sweeping geom may touch where it stands or where it goes. */
static void gatherBesideSwept(dBrinkID brink) {
  brinkStepBeginGathering(&brink->step);
  for (size_t i = 0; brink->sweeps.count + brink->step.lates.count > 0 && i < brink->geomCount; ++i) {
    double way = brink->geoms[i].geom != NULL ? dxBrinkSweptWay(brink, brink->geoms[i].geom) : -1;
    for (size_t j = 0; way >= 0 && j < brink->geomCount; ++j) {
      const dxBrinkGeom *geom = &brink->geoms[j];
      if (geom->geom != NULL && geom->body != BRINK_NO_RECORD && brink->step.bodies[geom->body].dynamic &&
          dxBrinkBoxesWithin(brink->geoms[i].geom, geom->geom, way)) {
        (void)brinkStepGather(&brink->step, geom->body); /* no memory: it keeps the contacts it has */
      }
    }
  }
}

/* Makes a body's contacts with geoms without a body of the program's anew. If near is silent, the old ones stay. */
static void renewWorldContacts(dBrinkID brink, uint32_t number) {
  dBodyID body = brink->step.bodies[number].body;
  size_t first = brink->contacts.aside.count;
  bool made = false;
  putAsideBetween(brink, body, NULL);
  for (size_t i = 0; i < brink->geomCount; ++i) {
    if (brink->geoms[i].geom != NULL && dxBrinkSweptWay(brink, brink->geoms[i].geom) >= 0) {
      putAsideBetween(brink, body, dGeomGetBody(brink->geoms[i].geom));
    }
  }
  for (size_t i = 0; i < brink->geomCount; ++i) {
    for (size_t j = 0; brink->geoms[i].body == number && j < brink->geomCount; ++j) {
      dGeomID own = brink->geoms[i].geom, other = brink->geoms[j].geom;
      if (own != NULL && other != NULL &&
          (brink->geoms[j].body == BRINK_NO_RECORD || dxBrinkSweptWay(brink, other) >= 0) &&
          dxBrinkBitsMeet(own, other) && brinkStepWantPair(&brink->step, 0, 0, i, j) &&
          dxBrinkBoxesWithin(own, other, 0)) {
        dxBrinkCallNear(brink, own, other);
        made = made || brink->contacts.made;
      }
    }
  }
  const bool silent = !brink->step.worldChanged && !made && !brink->step.pairs.makesInside;
  while (silent && brink->contacts.aside.count > first) {
    dxBrinkPutBackLast(brink); /* it makes them elsewhere */
  }
}

/* Makes contacts with sweeping geoms anew, where these start and on the bodies that they have for this step. The
 * program made its own where the geom goes to, against something at rest: too deep, and without its speed. */
void dxBrinkCallNearSwept(dBrinkID brink) {
  gatherBesideSwept(brink);
  for (size_t i = 0; brink->call.near != NULL && i < brink->step.island.gatheredCount && !brink->step.worldChanged;
       ++i) {
    renewWorldContacts(brink, brink->step.island.gathered[i]);
  }
}
