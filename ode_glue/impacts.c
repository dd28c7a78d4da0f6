/* SPDX-License-Identifier: BSD-3-Clause */
/* Which contacts does the world have at an impact? The program's near callback is asked for those of the struck pairs,
 * then for the others of the island; contacts that were made at the step's start are switched off. Units: m. */
#include <math.h>
#include <string.h>

#include "step.h"

#define MAX_OWN_CONTACTS 8

static int contactsOf(dBodyID bodyA, dBodyID bodyB) {
  return (bodyA != NULL ? dBodyGetNumJoints(bodyA) : 0) + (bodyB != NULL ? dBodyGetNumJoints(bodyB) : 0);
}

static void shift(dBodyID body, const brinkStepState *from, const double direction[3], double distance) {
  dBodySetPosition(body, from->position[0] + distance * direction[0], from->position[1] + distance * direction[1],
                   from->position[2] + distance * direction[2]);
}

/* Brink's own points of contact of a pair that is this far apart, m. */
static size_t findOwnPoints(dBrinkID brink, brinkStepPair pair, double distance, brinkContactPoint *points) {
  const dxBrinkGeom *a = &brink->geoms[pair.a], *b = &brink->geoms[pair.b];
  brinkPose poses[2] = {dxBrinkShapePose(a->geom, &a->shape), dxBrinkShapePose(b->geom, &b->shape)};
  size_t count = 0;
  double margin = fmax(distance, 0) + BRINK_STEP_TOUCHING * brinkStepPairAllowance(&brink->step, pair);
  brinkStatus status = brink->shapes.plugin->collideShapes(brink->shapes.world, a->shape.id, &poses[0], b->shape.id,
                                                           &poses[1], margin, points, MAX_OWN_CONTACTS, &count);
  return status == brink_ok ? count : 0;
}

/* push: m/s, at which the bodies part at least. */
static void makeOwnContact(dBrinkID brink, const brinkStepImpact *impact, const brinkContactPoint *point,
                           double friction, double push, dJointGroupID group) {
  dGeomID a = brink->geoms[impact->pair.a].geom, b = brink->geoms[impact->pair.b].geom;
  dContact contact = {.surface = {.mode = dContactApprox1, .mu = friction, .motionN = push}};
  contact.surface.mode |= push > 0 ? dContactMotionN : 0;
  contact.geom = (dContactGeom){.g1 = a, .g2 = b, .side1 = -1, .side2 = -1};
  contact.geom.depth = fmax(0, -point->separation);
  memcpy(contact.geom.pos, &point->position, 3 * sizeof(dReal));
  contact.geom.normal[0] = -point->normal.x;
  contact.geom.normal[1] = -point->normal.y;
  contact.geom.normal[2] = -point->normal.z;
  dJointAttach(dJointCreateContact(brink->world, group, &contact), dGeomGetBody(a), dGeomGetBody(b));
}

/* Of a pair that was struck at its core, which knows the side; surfaces that cross do not. */
static void makeCoreContact(dBrinkID brink, const brinkStepImpact *impact, double depthLeft, double friction,
                            dJointGroupID group) {
  const brinkContact *core = &impact->contact;
  const brinkVec3 *a = &core->pointA, *b = &core->pointB;
  brinkContactPoint point = {.normal = core->normal, .separation = core->distance + depthLeft};
  point.position = (brinkVec3){(a->x + b->x) / 2, (a->y + b->y) / 2, (a->z + b->z) / 2};
  makeOwnContact(brink, impact, &point, friction, 0, group);
}

/* Contacts that only Brink sees, with a plain surface. */
static void makeOwnContacts(dBrinkID brink, const brinkStepImpact *impact) {
  if (brinkStepIsSunken(&brink->step, &impact->contact, impact->pair)) {
    makeCoreContact(brink, impact, 0, BRINK_STEP_FRICTION, brink->call.group);
    return;
  }
  brinkContactPoint points[MAX_OWN_CONTACTS];
  size_t count = findOwnPoints(brink, impact->pair, impact->contact.distance, points);
  for (size_t i = 0; i < count; ++i) {
    makeOwnContact(brink, impact, &points[i], BRINK_STEP_FRICTION, 0, brink->call.group);
  }
}

/* ---- slow repeated contact: pairs that deepen again and again in one step */

/* Only where the program has contacts for it already: these add neither friction nor bounce. */
static bool isRepeating(const dxBrink *brink, const brinkStepImpact *impact) {
  uint32_t a = brink->geoms[impact->pair.a].body, b = brink->geoms[impact->pair.b].body;
  return !brinkStepIsFirstTouch(&brink->step, impact) &&
         ((a != BRINK_NO_RECORD && brink->step.bodies[a].substeps > BRINK_STEP_AGAIN) ||
          (b != BRINK_NO_RECORD && brink->step.bodies[b].substeps > BRINK_STEP_AGAIN));
}

/* m, from where the pair was struck. */
static double distanceToImpact(const brinkStepImpact *impact, const brinkContactPoint *point) {
  const double *a = &impact->contact.pointA.x, *b = &impact->contact.pointB.x, *p = &point->position.x;
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    double way = p[i] - (a[i] + b[i]) / 2;
    square += way * way;
  }
  return sqrt(square);
}

/* A limb that lies flat and gets one contact from the program turns about it, its other end goes into the surface; held
 * there it turns back, and so on in ever smaller steps. So Brink's points that lie elsewhere hold as well. And a limb
 * that slides round an edge while it turns goes deeper by the curvature of its path, which no velocity at one instant
 * can stop: what is too deep is sent back, never faster than by a small part of the speed that the bodies have. */
static void holdElsewhere(dBrinkID brink, const brinkStepImpact *impact) {
  brinkContactPoint points[MAX_OWN_CONTACTS];
  size_t count = findOwnPoints(brink, impact->pair, impact->contact.distance, points);
  double farthest = 0, allowance = brinkStepPairAllowance(&brink->step, impact->pair);
  double most = BRINK_STEP_SENT_BACK * brinkStepPairSpeed(&brink->step, impact->pair);
  for (size_t i = 0; i < count; ++i) {
    farthest = fmax(farthest, distanceToImpact(impact, &points[i]));
  }
  for (size_t i = 0; i < count; ++i) {
    double tooDeep = -points[i].separation - BRINK_STEP_SKIN * allowance;
    if (tooDeep > 0 || distanceToImpact(impact, &points[i]) > BRINK_STEP_ELSEWHERE * farthest) {
      double push = fmin(fmax(tooDeep, 0) / (BRINK_STEP_SENT_BACK_IN * brink->step.now.h), most);
      makeOwnContact(brink, impact, &points[i], 0, push, brink->contacts.ownGroup);
    }
  }
}

/* A pair with a mesh that is kept apart: rolling or sliding over something curved it approaches again faster than the
 * solver's straight contact can follow, and each time it may come nearer by half of what is left. So its gap is opened
 * again within the step, never faster than by a small part of the speed that the bodies have. */
static void openGap(dBrinkID brink, const brinkStepImpact *impact) {
  double allowance = brinkStepPairAllowance(&brink->step, impact->pair), gap = impact->contact.distance;
  const dxBrinkGeom *a = &brink->geoms[impact->pair.a], *b = &brink->geoms[impact->pair.b];
  if (!(a->shape.surface || b->shape.surface) || gap >= BRINK_STEP_TOUCHING * allowance) {
    return;
  }
  double most = BRINK_STEP_SENT_BACK * brinkStepPairSpeed(&brink->step, impact->pair);
  double push = fmin((BRINK_STEP_SKIN * allowance - gap) / ((1 - brink->step.now.tau) * brink->step.now.h), most);
  brinkContactPoint point = {.separation = fmax(gap, 0)};
  const double *pa = &impact->contact.pointA.x, *pb = &impact->contact.pointB.x;
  memcpy(&point.normal, impact->normal, sizeof(point.normal));
  point.position = (brinkVec3){(pa[0] + pb[0]) / 2, (pa[1] + pb[1]) / 2, (pa[2] + pb[2]) / 2};
  if (push > 0) {
    makeOwnContact(brink, impact, &point, 0, push, brink->contacts.ownGroup);
  }
}

/* The program's contacts have not held a pair off its limit (ODE's heightfield misses edges and tips): one more,
 * without friction, where the core is nearest. */
static void holdCore(dBrinkID brink, const brinkStepImpact *impact) {
  const brinkVec3 *n = &impact->contact.normal;
  brinkSinking at;
  if (n->x * n->x + n->y * n->y + n->z * n->z > 0.5 &&
      brinkStepSinking(&brink->step, impact->pair, impact->contact.toi, &at) &&
      impact->contact.threshold <= -BRINK_STEP_AT_LIMIT * at.limit) {
    makeCoreContact(brink, impact, at.limit / 2, 0, brink->contacts.ownGroup);
  }
}

/* ---- what the program wants */

/* Asks the program for contacts of a struck pair. The impact pose leaves a small gap, which ODE's colliders do not see,
 * so one body is moved along the normal for the time of the call, no farther than it takes and at most a quarter of the
 * allowance past touching. impact->wanted: the program (or, where no collider of ODE's sees anything, Brink) made a
 * contact. */
void dxBrinkImpactPair(dBrinkID brink, brinkStepImpact *impact) {
  dGeomID geomA = brink->geoms[impact->pair.a].geom, geomB = brink->geoms[impact->pair.b].geom;
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, impact->pair.a), bodyB = dxBrinkBodyOfGeom(brink, impact->pair.b);
  dBodyID mover = bodyA != NULL ? bodyA : bodyB;
  double sign = mover == bodyA ? 1 : -1; /* the normal points from A to B */
  double allowance = brinkStepPairAllowance(&brink->step, impact->pair), gap = fmax(impact->contact.distance, 0);
  double tries[] = {0, gap + DX_BRINK_ODE_SEES * allowance, gap + BRINK_STEP_EDGE * allowance,
                    gap + allowance * BRINK_STEP_TOUCHING};
  brinkStepState home;
  dxBrinkReadState(mover, &home);
  bool ask = dxBrinkMayAskOde(brink->geoms[impact->pair.a].key.odeClass, brink->geoms[impact->pair.b].key.odeClass);
  bool seen = false;
  for (size_t i = 0; i < sizeof(tries) / sizeof(*tries) && !seen; ++i) {
    dContactGeom found;
    shift(mover, &home, impact->normal, sign * tries[i]);
    seen = ask && dCollide(geomA, geomB, 1, &found, sizeof(found)) > 0;
  }
  if (!seen && ask) {
    dBodySetPosition(mover, home.position[0], home.position[1], home.position[2]);
  }
  int before = contactsOf(bodyA, bodyB);
  dxBrinkCallNear(brink, geomA, geomB);
  if (brink->step.worldChanged) {
    impact->wanted = false;
    return;
  }
  impact->wanted = contactsOf(bodyA, bodyB) > before;
  brink->step.pairs.makesInside = brink->step.pairs.makesInside || impact->wanted;
  dBodySetPosition(mover, home.position[0], home.position[1], home.position[2]);
  /* Who made contacts once in this step is not taken for unwanted when the callback is silent now. */
  if (!impact->wanted && ((ask && !seen) || brinkStepHadContacts(&brink->step, impact->pair))) {
    makeOwnContacts(brink, impact);
    impact->wanted = contactsOf(bodyA, bodyB) > before;
  } else if (impact->wanted && brinkStepIsSunken(&brink->step, &impact->contact, impact->pair)) {
    holdCore(brink, impact);
  } else if (impact->wanted && isRepeating(brink, impact)) {
    openGap(brink, impact);
    holdElsewhere(brink, impact);
  }
  if (impact->wanted) {
    (void)brinkStepNoteContacts(&brink->step, impact->pair); /* no memory: silence may drop it later */
  }
}

/* Counted once a step: few programs have any. */
static bool haveUnanswered(dBrinkID brink) {
  if (brink->contacts.unansweredStep != brink->step.stepNumber) {
    brink->contacts.unansweredStep = brink->step.stepNumber;
    brink->contacts.unanswered = false;
    for (size_t i = 0; i < brink->geomCount && !brink->contacts.unanswered; ++i) {
      brink->contacts.unanswered = brink->geoms[i].geom != NULL && !brink->geoms[i].answered;
    }
  }
  return brink->contacts.unanswered;
}

/* Faster than anything is pushed out? */
static bool isParting(dBrinkID brink, brinkStepPair pair) {
  dVector3 g;
  dWorldGetGravity(brink->world, g);
  double speeds = brinkStepPairSpeed(&brink->step, pair);
  double least = fmax(BRINK_STEP_SENT_BACK * speeds, brink->step.now.h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
  if (!brink->geoms[pair.a].answered || !brink->geoms[pair.b].answered || speeds <= least) {
    return false;
  }
  brinkContactPoint points[MAX_OWN_CONTACTS];
  size_t count = findOwnPoints(brink, pair, BRINK_STEP_SKIN * brinkStepPairAllowance(&brink->step, pair), points);
  for (size_t i = 0; i < count; ++i) {
    if (!(brinkStepPartingSpeed(&brink->step, pair, &points[i]) > least)) {
      return false;
    }
  }
  return count > 0;
}

/* Contacts between two bodies that are on. putAside: they are switched off until the step's end. */
static int contactsBetween(dBrinkID brink, dBodyID bodyA, dBodyID bodyB, bool putAside) {
  int found = 0;
  dJointID joint;
  for (int at = 0; (joint = dxBrinkNextContact(bodyA, bodyB, &at)) != NULL;) {
    found += dJointIsEnabled(joint) && !(putAside && dxBrinkPutAside(brink, joint));
  }
  return found;
}

/* A pair that is not struck and parts gets no contact in an extra solve: it would hold at once what another impact
 * drives back, and make energy (docs/step.md). If the two meet again, that is an impact of its own. */
static void callNearOther(dBrinkID brink, brinkStepPair pair) {
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, pair.a), bodyB = dxBrinkBodyOfGeom(brink, pair.b);
  int before = contactsBetween(brink, bodyA, bodyB, false);
  dxBrinkCallNear(brink, brink->geoms[pair.a].geom, brink->geoms[pair.b].geom);
  if (!brink->step.worldChanged && before == 0 && contactsBetween(brink, bodyA, bodyB, false) > 0 &&
      isParting(brink, pair)) {
    (void)contactsBetween(brink, bodyA, bodyB, true);
  }
}

/* The other contacts of the gathered bodies: among themselves, with what stands still and with edges. */
void dxBrinkCallNearOthers(dBrinkID brink) {
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
  for (size_t i = 0; haveUnanswered(brink) && i < brink->geomCount && !brink->step.worldChanged; ++i) {
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
      if (ours && dxBrinkBitsMeet(plain->geom, other->geom) && dxBrinkBoxesMeet(plain->geom, other->geom)) {
        dxBrinkCallNear(brink, plain->geom, other->geom);
      }
    }
  }
}

/* ---- contacts of the start */

/* Contacts of the gathered bodies that are on now: after an impact they are out of date. */
bool dxBrinkListStaleContacts(dBrinkID brink) {
  brink->contacts.firstStale = brink->contacts.disabledCount;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID first = dJointGetBody(joint, 0) != NULL ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
      bool once =
          first == body || !brinkStepIsGathered(&brink->step, dxBrinkFindBody(brink, first)); /* else an edge's */
      if (!once || dJointGetType(joint) != dJointTypeContact || !dJointIsEnabled(joint)) {
        continue;
      }
      if (!BRINK_STEP_RESERVE(brink->contacts.disabledJoints, brink->contacts.disabledCount,
                              brink->contacts.disabledCapacity)) {
        return false;
      }
      brink->contacts.disabledJoints[brink->contacts.disabledCount++] = joint;
    }
  }
  return true;
}

/* Switches off the listed contacts, from `first` on, that the gathered bodies still have; the others leave the list. */
void dxBrinkDisableStaleContacts(dBrinkID brink) {
  const size_t first = brink->contacts.firstStale;
  brinkKeyMap_Clear(&brink->contacts.staleMap);
  for (size_t i = first; i < brink->contacts.disabledCount; ++i) {
    if (!brinkKeyMap_Set(&brink->contacts.staleMap, BRINK_POINTER_KEY(brink->contacts.disabledJoints[i]), 0)) {
      break; /* no memory: the rest stays on, as in plain ODE */
    }
  }
  brink->contacts.disabledCount = first;
  for (size_t i = 0; i < brink->step.island.gatheredCount; ++i) {
    dBodyID body = brink->step.bodies[brink->step.island.gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      if (brinkKeyMap_Get(&brink->contacts.staleMap, BRINK_POINTER_KEY(joint)) != BRINK_NO_RECORD) {
        brinkKeyMap_Remove(&brink->contacts.staleMap, BRINK_POINTER_KEY(joint));
        (void)dxBrinkPutAside(brink, joint); /* the list was longer: there is room */
      }
    }
  }
}

/* What the program made for a pair since they were listed. */
bool dxBrinkPutAsideNew(dBrinkID brink, brinkStepPair pair) {
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, pair.a);
  dBodyID body = bodyA != NULL ? bodyA : dxBrinkBodyOfGeom(brink, pair.b);
  int count = dBodyGetNumJoints(body);
  for (int i = 0; i < count; ++i) {
    dJointID joint = dBodyGetJoint(body, i);
    bool listed = dJointGetType(joint) != dJointTypeContact || !dJointIsEnabled(joint);
    for (size_t k = brink->contacts.firstStale; k < brink->contacts.disabledCount && !listed; ++k) {
      listed = brink->contacts.disabledJoints[k] == joint;
    }
    if (!listed && !dxBrinkPutAside(brink, joint)) {
      return false;
    }
  }
  return true;
}

/* Only dContactMotionN: ODE clips a negative depth to 0, bounce and friction act before the bodies arrive, soft_cfm
 * lets them through. */
void dxBrinkAddContact(dBrinkID brink, const brinkStepContact *own) {
  dGeomID a = brink->geoms[own->pair.a].geom, b = brink->geoms[own->pair.b].geom;
  dContact contact = {.surface = {.mode = dContactMotionN, .motionN = own->apart}};
  contact.geom = (dContactGeom){.g1 = a, .g2 = b, .side1 = -1, .side2 = -1};
  for (int i = 0; i < 3; ++i) {
    contact.geom.pos[i] = own->point[i];
    contact.geom.normal[i] = -own->normal[i];
  }
  dJointAttach(dJointCreateContact(brink->world, brink->contacts.ownGroup, &contact),
               dxBrinkBodyOfGeom(brink, own->pair.a), dxBrinkBodyOfGeom(brink, own->pair.b));
}

/* ---- before the solve: what sweeps */

/* Bodies that a sweeping geom may touch where it stands or where it goes: gathered. */
static void gatherBesideSwept(dBrinkID brink) {
  brinkStepBeginGathering(&brink->step);
  for (size_t i = 0; brink->sweeps != NULL && i < brink->geomCount; ++i) {
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

/* Contacts of a body with what has none of the program's: all are made anew, or none. */
static void renewWorldContacts(dBrinkID brink, uint32_t number) {
  dBodyID body = brink->step.bodies[number].body;
  size_t first = brink->contacts.disabledCount;
  (void)contactsBetween(brink, body, NULL, true);
  int before = dBodyGetNumJoints(body);
  for (size_t i = 0; i < brink->geomCount; ++i) {
    for (size_t j = 0; brink->geoms[i].body == number && j < brink->geomCount; ++j) {
      dGeomID own = brink->geoms[i].geom, other = brink->geoms[j].geom;
      if (own != NULL && other != NULL &&
          (brink->geoms[j].body == BRINK_NO_RECORD || dxBrinkSweptWay(brink, other) >= 0) &&
          dxBrinkBitsMeet(own, other) && brinkStepWantPair(&brink->step, 0, 0, i, j) && dxBrinkBoxesMeet(own, other)) {
        dxBrinkCallNear(brink, own, other);
      }
    }
  }
  while (!brink->step.worldChanged && dBodyGetNumJoints(body) == before && brink->contacts.disabledCount > first) {
    dJointEnable(brink->contacts.disabledJoints[--brink->contacts.disabledCount]); /* it makes them elsewhere */
  }
}

/* The program has made contacts where a sweeping geom goes, and against something that stands: too deep, and without
 * its speed. They are made again where it starts, against the body that it sits on for this step. */
void dxBrinkCallNearSwept(dBrinkID brink) {
  gatherBesideSwept(brink);
  for (size_t i = 0; brink->call.near != NULL && i < brink->step.island.gatheredCount && !brink->step.worldChanged;
       ++i) {
    renewWorldContacts(brink, brink->step.island.gathered[i]);
  }
}
