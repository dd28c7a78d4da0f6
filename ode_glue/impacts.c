/* SPDX-License-Identifier: BSD-3-Clause */
/* Which contacts does the world have at an impact? The program's near callback is asked for those of the struck pairs,
 * then for the others of the island; contacts that were made at the step's start are switched off. Units: m. */
#include <math.h>
#include <string.h>

#include "stepper.h"

#define MAX_OWN_CONTACTS 8

static int contactsOf(dBodyID bodyA, dBodyID bodyB) {
  return (bodyA != NULL ? dBodyGetNumJoints(bodyA) : 0) + (bodyB != NULL ? dBodyGetNumJoints(bodyB) : 0);
}

static void shift(dBodyID body, const dxBrinkState *from, const double direction[3], double distance) {
  dBodySetPosition(body, from->position[0] + distance * direction[0], from->position[1] + distance * direction[1],
                   from->position[2] + distance * direction[2]);
}

/* Brink's own points of contact of a pair that is this far apart, m. */
static size_t findOwnPoints(const dxBrinkRun *run, dxBrinkPair pair, double distance, brinkContactPoint *points) {
  dBrinkID brink = run->brink;
  const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
  brinkPose poses[2] = {dxBrinkShapePose(a->geom, &a->shape), dxBrinkShapePose(b->geom, &b->shape)};
  size_t count = 0;
  double margin = fmax(distance, 0) + BRINK_STEP_TOUCHING * dxBrinkPairAllowance(brink, pair);
  brinkStatus status = brink->shapes.plugin->collideShapes(brink->shapes.world, a->shape.id, &poses[0], b->shape.id,
                                                           &poses[1], margin, points, MAX_OWN_CONTACTS, &count);
  return status == brink_ok ? count : 0;
}

/* push: m/s, at which the bodies part at least. */
static void makeOwnContact(const dxBrinkRun *run, const dxBrinkImpact *impact, const brinkContactPoint *point,
                           double friction, double push, dJointGroupID group) {
  dBrinkID brink = run->brink;
  dGeomID a = brink->geoms[impact->pair.geomA].geom, b = brink->geoms[impact->pair.geomB].geom;
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
static void makeCoreContact(const dxBrinkRun *run, const dxBrinkImpact *impact, double depthLeft, double friction,
                            dJointGroupID group) {
  const brinkContact *core = &impact->contact;
  const brinkVec3 *a = &core->pointA, *b = &core->pointB;
  brinkContactPoint point = {.normal = core->normal, .separation = core->distance + depthLeft};
  point.position = (brinkVec3){(a->x + b->x) / 2, (a->y + b->y) / 2, (a->z + b->z) / 2};
  makeOwnContact(run, impact, &point, friction, 0, group);
}

/* Contacts that only Brink sees, with a plain surface. */
static void makeOwnContacts(const dxBrinkRun *run, const dxBrinkImpact *impact) {
  if (dxBrinkIsSunken(run->brink, &impact->contact, impact->pair)) {
    makeCoreContact(run, impact, 0, BRINK_STEP_FRICTION, run->group);
    return;
  }
  brinkContactPoint points[MAX_OWN_CONTACTS];
  size_t count = findOwnPoints(run, impact->pair, impact->contact.distance, points);
  for (size_t i = 0; i < count; ++i) {
    makeOwnContact(run, impact, &points[i], BRINK_STEP_FRICTION, 0, run->group);
  }
}

/* ---- pairs that grind: they deepen again and again in one step */

/* Only where the program has contacts for it already: these add neither friction nor bounce. */
static bool isRepeating(const dxBrink *brink, const dxBrinkImpact *impact) {
  uint32_t a = brink->geoms[impact->pair.geomA].body, b = brink->geoms[impact->pair.geomB].body;
  return !dxBrinkIsFirstTouch(brink, impact) &&
         ((a != BRINK_NO_RECORD && brink->bodies[a].substeps > BRINK_STEP_AGAIN) ||
          (b != BRINK_NO_RECORD && brink->bodies[b].substeps > BRINK_STEP_AGAIN));
}

/* m, from where the pair was struck. */
static double distanceToImpact(const dxBrinkImpact *impact, const brinkContactPoint *point) {
  const double *a = &impact->contact.pointA.x, *b = &impact->contact.pointB.x, *p = &point->position.x;
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    double way = p[i] - (a[i] + b[i]) / 2;
    square += way * way;
  }
  return sqrt(square);
}

/* m/s, of the fastest point of the geom's body, at least. */
static double speedOf(const dxBrink *brink, uint32_t geom) {
  uint32_t number = brink->geoms[geom].body;
  if (number == BRINK_NO_RECORD) {
    return 0;
  }
  const dxBrinkBody *record = &brink->bodies[number];
  const dReal *v = record->next.linear, *w = record->next.angular;
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + record->reach * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

/* A limb that lies flat and gets one contact from the program turns about it, its other end goes into the surface; held
 * there it turns back, and so on in ever smaller steps. So Brink's points that lie elsewhere hold as well. And a limb
 * that slides round an edge while it turns goes deeper by the curvature of its path, which no velocity at one instant
 * can stop: what is too deep is sent back, never faster than by a small part of the speed that the bodies have. */
static void holdElsewhere(const dxBrinkRun *run, const dxBrinkImpact *impact) {
  brinkContactPoint points[MAX_OWN_CONTACTS];
  size_t count = findOwnPoints(run, impact->pair, impact->contact.distance, points);
  double farthest = 0, allowance = dxBrinkPairAllowance(run->brink, impact->pair);
  double most =
      BRINK_STEP_SENT_BACK * (speedOf(run->brink, impact->pair.geomA) + speedOf(run->brink, impact->pair.geomB));
  for (size_t i = 0; i < count; ++i) {
    farthest = fmax(farthest, distanceToImpact(impact, &points[i]));
  }
  for (size_t i = 0; i < count; ++i) {
    double tooDeep = -points[i].separation - BRINK_STEP_SKIN * allowance;
    if (tooDeep > 0 || distanceToImpact(impact, &points[i]) > BRINK_STEP_ELSEWHERE * farthest) {
      double push = fmin(fmax(tooDeep, 0) / (BRINK_STEP_SENT_BACK_IN * run->h), most);
      makeOwnContact(run, impact, &points[i], 0, push, run->brink->contacts.ownGroup);
    }
  }
}

/* A pair with a mesh that is kept apart: rolling or sliding over something curved it approaches again faster than the
 * solver's straight contact can follow, and each time it may come nearer by half of what is left. So its gap is opened
 * again within the step, never faster than by a small part of the speed that the bodies have. */
static void openGap(const dxBrinkRun *run, const dxBrinkImpact *impact) {
  double allowance = dxBrinkPairAllowance(run->brink, impact->pair), gap = impact->contact.distance;
  const dxBrinkGeom *a = &run->brink->geoms[impact->pair.geomA], *b = &run->brink->geoms[impact->pair.geomB];
  if (!(a->shape.surface || b->shape.surface) || gap >= BRINK_STEP_TOUCHING * allowance) {
    return;
  }
  double most =
      BRINK_STEP_SENT_BACK * (speedOf(run->brink, impact->pair.geomA) + speedOf(run->brink, impact->pair.geomB));
  double push = fmin((BRINK_STEP_SKIN * allowance - gap) / ((1 - run->tau) * run->h), most);
  brinkContactPoint point = {.separation = fmax(gap, 0)};
  const double *pa = &impact->contact.pointA.x, *pb = &impact->contact.pointB.x;
  memcpy(&point.normal, impact->normal, sizeof(point.normal));
  point.position = (brinkVec3){(pa[0] + pb[0]) / 2, (pa[1] + pb[1]) / 2, (pa[2] + pb[2]) / 2};
  if (push > 0) {
    makeOwnContact(run, impact, &point, 0, push, run->brink->contacts.ownGroup);
  }
}

/* The program's contacts have not held a pair off its limit (ODE's heightfield misses edges and tips): one more,
 * without friction, where the core is nearest. */
static void holdCore(const dxBrinkRun *run, const dxBrinkImpact *impact) {
  const brinkVec3 *n = &impact->contact.normal;
  brinkSinking at;
  if (n->x * n->x + n->y * n->y + n->z * n->z > 0.5 &&
      dxBrinkSinking(run->brink, impact->pair, impact->contact.toi, &at) &&
      impact->contact.threshold <= -BRINK_STEP_AT_LIMIT * at.limit) {
    makeCoreContact(run, impact, at.limit / 2, 0, run->brink->contacts.ownGroup);
  }
}

/* ---- what the program wants */

/* Asks the program for contacts of a struck pair. The impact pose leaves a small gap, which ODE's colliders do not see,
 * so one body is moved along the normal for the time of the call, no farther than it takes and at most a quarter of the
 * allowance past touching. impact->wanted: the program (or, where no collider of ODE's sees anything, Brink) made a
 * contact. */
void dxBrinkImpactPair(dxBrinkRun *run, dxBrinkImpact *impact) {
  dBrinkID brink = run->brink;
  dGeomID geomA = brink->geoms[impact->pair.geomA].geom, geomB = brink->geoms[impact->pair.geomB].geom;
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, impact->pair.geomA), bodyB = dxBrinkBodyOfGeom(brink, impact->pair.geomB);
  dBodyID mover = bodyA != NULL ? bodyA : bodyB;
  double sign = mover == bodyA ? 1 : -1; /* the normal points from A to B */
  double allowance = dxBrinkPairAllowance(brink, impact->pair), gap = fmax(impact->contact.distance, 0);
  double tries[] = {0, gap + DX_BRINK_ODE_SEES * allowance, gap + BRINK_STEP_EDGE * allowance,
                    gap + allowance * BRINK_STEP_TOUCHING};
  dxBrinkState home;
  dxBrinkReadState(mover, &home);
  bool ask =
      dxBrinkMayAskOde(brink->geoms[impact->pair.geomA].key.odeClass, brink->geoms[impact->pair.geomB].key.odeClass);
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
  dxBrinkCallNear(run, geomA, geomB);
  if (brink->contacts.worldChanged) {
    impact->wanted = false;
    return;
  }
  impact->wanted = contactsOf(bodyA, bodyB) > before;
  brink->pairs.makesInside = brink->pairs.makesInside || impact->wanted;
  dBodySetPosition(mover, home.position[0], home.position[1], home.position[2]);
  /* Who made contacts once in this step is not taken for unwanted when the callback is silent now. */
  if (!impact->wanted && ((ask && !seen) || dxBrinkHadContacts(brink, impact->pair))) {
    makeOwnContacts(run, impact);
    impact->wanted = contactsOf(bodyA, bodyB) > before;
  } else if (impact->wanted && dxBrinkIsSunken(brink, &impact->contact, impact->pair)) {
    holdCore(run, impact);
  } else if (impact->wanted && isRepeating(brink, impact)) {
    openGap(run, impact);
    holdElsewhere(run, impact);
  }
  if (impact->wanted) {
    (void)dxBrinkNoteContacts(brink, impact->pair); /* no memory: silence may drop it later */
  }
}

/* Counted once a step: few programs have any. */
static bool haveUnanswered(dBrinkID brink) {
  if (brink->contacts.unansweredStep != brink->stepNumber) {
    brink->contacts.unansweredStep = brink->stepNumber;
    brink->contacts.unanswered = false;
    for (size_t i = 0; i < brink->geomCount && !brink->contacts.unanswered; ++i) {
      brink->contacts.unanswered = brink->geoms[i].geom != NULL && !brink->geoms[i].answered;
    }
  }
  return brink->contacts.unanswered;
}

/* Faster than anything is pushed out? Not where a pair that is kept apart was pressed nearer than it comes at a first
 * touch: what pulls the links of a chain together would have them meet again at once. */
static bool isParting(const dxBrinkRun *run, dxBrinkPair pair) {
  const dxBrink *brink = run->brink;
  dVector3 g;
  dWorldGetGravity(brink->world, g);
  double speeds = speedOf(brink, pair.geomA) + speedOf(brink, pair.geomB);
  double least = fmax(BRINK_STEP_SENT_BACK * speeds, run->h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
  if (!brink->geoms[pair.geomA].answered || !brink->geoms[pair.geomB].answered || speeds <= least) {
    return false;
  }
  brinkContactPoint points[MAX_OWN_CONTACTS];
  const dxBrinkGeom *a = &brink->geoms[pair.geomA], *b = &brink->geoms[pair.geomB];
  const double allowance = dxBrinkPairAllowance(brink, pair);
  const bool kept = (a->shape.surface || b->shape.surface) && dxBrinkAnswersPair(a, b);
  size_t count = findOwnPoints(run, pair, BRINK_STEP_SKIN * allowance, points);
  for (size_t i = 0; i < count; ++i) {
    if (kept && points[i].separation < BRINK_STEP_FIRST_TOUCH * allowance) {
      return false;
    }
    const double *p = &points[i].position.x, *n = &points[i].normal.x; /* from A to B */
    double v[3] = {0, 0, 0};
    dxBrinkAddPointVelocity(brink->geoms[pair.geomA].geom, p, -1, v);
    dxBrinkAddPointVelocity(brink->geoms[pair.geomB].geom, p, 1, v);
    if (!(v[0] * n[0] + v[1] * n[1] + v[2] * n[2] > least)) {
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
static void callNearOther(dxBrinkRun *run, dxBrinkPair pair) {
  dBrinkID brink = run->brink;
  dBodyID bodyA = dxBrinkBodyOfGeom(brink, pair.geomA), bodyB = dxBrinkBodyOfGeom(brink, pair.geomB);
  int before = contactsBetween(brink, bodyA, bodyB, false);
  dxBrinkCallNear(run, brink->geoms[pair.geomA].geom, brink->geoms[pair.geomB].geom);
  if (!brink->contacts.worldChanged && before == 0 && contactsBetween(brink, bodyA, bodyB, false) > 0 &&
      isParting(run, pair)) {
    (void)contactsBetween(brink, bodyA, bodyB, true);
  }
}

/* The other contacts of the gathered bodies: among themselves, with what stands still and with edges. */
void dxBrinkCallNearOthers(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  for (size_t i = 0; i < brink->pairs.nearCount && !brink->contacts.worldChanged; ++i) {
    dxBrinkPair pair = brink->pairs.nearPairs[i];
    uint32_t bodyA = brink->geoms[pair.geomA].body, bodyB = brink->geoms[pair.geomB].body;
    bool gatheredA = dxBrinkIsGathered(brink, bodyA), gatheredB = dxBrinkIsGathered(brink, bodyB);
    bool ours = (gatheredA || bodyA == BRINK_NO_RECORD || (gatheredB && dxBrinkIsEdge(brink, bodyA))) &&
                (gatheredB || bodyB == BRINK_NO_RECORD || (gatheredA && dxBrinkIsEdge(brink, bodyB)));
    dGeomID a = brink->geoms[pair.geomA].geom, b = brink->geoms[pair.geomB].geom;
    if (ours && dxBrinkBoxesWithin(a, b, dxBrinkPairAllowance(brink, pair))) {
      callNearOther(run, pair);
    }
  }
  /* Geoms that Brink does not answer keep ODE's contacts. */
  for (size_t i = 0; haveUnanswered(brink) && i < brink->geomCount && !brink->contacts.worldChanged; ++i) {
    const dxBrinkGeom *plain = &brink->geoms[i];
    if (plain->geom == NULL || plain->answered ||
        !(plain->body == BRINK_NO_RECORD || dxBrinkIsGathered(brink, plain->body))) {
      continue;
    }
    for (size_t j = 0; j < brink->geomCount && !brink->contacts.worldChanged; ++j) {
      const dxBrinkGeom *other = &brink->geoms[j];
      bool ours =
          other->geom != NULL && (other->answered || j > i) && other->body != plain->body &&
          (dxBrinkIsGathered(brink, other->body) || (other->body == BRINK_NO_RECORD && plain->body != BRINK_NO_RECORD));
      if (ours && dxBrinkBitsMeet(plain->geom, other->geom) && dxBrinkBoxesMeet(plain->geom, other->geom)) {
        dxBrinkCallNear(run, plain->geom, other->geom);
      }
    }
  }
}

/* ---- contacts of the start */

/* Contacts of the gathered bodies that are on now: after an impact they are out of date. */
bool dxBrinkListStaleContacts(dBrinkID brink) {
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dBodyID body = brink->bodies[brink->island.gathered[i]].body;
    int count = dBodyGetNumJoints(body);
    for (int j = 0; j < count; ++j) {
      dJointID joint = dBodyGetJoint(body, j);
      dBodyID first = dJointGetBody(joint, 0) != NULL ? dJointGetBody(joint, 0) : dJointGetBody(joint, 1);
      bool once = first == body || !dxBrinkIsGathered(brink, dxBrinkFindBody(brink, first)); /* else an edge's */
      if (!once || dJointGetType(joint) != dJointTypeContact || !dJointIsEnabled(joint)) {
        continue;
      }
      if (!DX_BRINK_RESERVE(brink->contacts.disabledJoints, brink->contacts.disabledCount,
                            brink->contacts.disabledCapacity)) {
        return false;
      }
      brink->contacts.disabledJoints[brink->contacts.disabledCount++] = joint;
    }
  }
  return true;
}

/* Switches off the listed contacts, from `first` on, that the gathered bodies still have; the others leave the list. */
void dxBrinkDisableStaleContacts(dBrinkID brink, size_t first) {
  brinkKeyMap_Clear(&brink->contacts.staleMap);
  for (size_t i = first; i < brink->contacts.disabledCount; ++i) {
    if (!brinkKeyMap_Set(&brink->contacts.staleMap, BRINK_POINTER_KEY(brink->contacts.disabledJoints[i]), 0)) {
      break; /* no memory: the rest stays on, as in plain ODE */
    }
  }
  brink->contacts.disabledCount = first;
  for (size_t i = 0; i < brink->island.gatheredCount; ++i) {
    dBodyID body = brink->bodies[brink->island.gathered[i]].body;
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

/* ---- before the solve: what sweeps */

/* Bodies that a sweeping geom may touch where it stands or where it goes: gathered. */
static void gatherBesideSwept(dBrinkID brink) {
  dxBrinkBeginGathering(brink);
  for (size_t i = 0; brink->sweeps != NULL && i < brink->geomCount; ++i) {
    double way = brink->geoms[i].geom != NULL ? dxBrinkSweptWay(brink, brink->geoms[i].geom) : -1;
    for (size_t j = 0; way >= 0 && j < brink->geomCount; ++j) {
      const dxBrinkGeom *geom = &brink->geoms[j];
      if (geom->geom != NULL && geom->body != BRINK_NO_RECORD && brink->bodies[geom->body].dynamic &&
          dxBrinkBoxesWithin(brink->geoms[i].geom, geom->geom, way)) {
        (void)dxBrinkGather(brink, geom->body); /* no memory: it keeps the contacts it has */
      }
    }
  }
}

/* Contacts of a body with what has none of the program's: all are made anew, or none. */
static void renewWorldContacts(dxBrinkRun *run, uint32_t number) {
  dBrinkID brink = run->brink;
  dBodyID body = brink->bodies[number].body;
  size_t first = brink->contacts.disabledCount;
  (void)contactsBetween(brink, body, NULL, true);
  int before = dBodyGetNumJoints(body);
  for (size_t i = 0; i < brink->geomCount; ++i) {
    for (size_t j = 0; brink->geoms[i].body == number && j < brink->geomCount; ++j) {
      dGeomID own = brink->geoms[i].geom, other = brink->geoms[j].geom;
      if (own != NULL && other != NULL &&
          (brink->geoms[j].body == BRINK_NO_RECORD || dxBrinkSweptWay(brink, other) >= 0) &&
          dxBrinkBitsMeet(own, other) && dxBrinkWantPair(brink, 0, 0, i, j) && dxBrinkBoxesMeet(own, other)) {
        dxBrinkCallNear(run, own, other);
      }
    }
  }
  while (!brink->contacts.worldChanged && dBodyGetNumJoints(body) == before && brink->contacts.disabledCount > first) {
    dJointEnable(brink->contacts.disabledJoints[--brink->contacts.disabledCount]); /* it makes them elsewhere */
  }
}

/* The program has made contacts where a sweeping geom goes, and against something that stands: too deep, and without
 * its speed. They are made again where it starts, against the body that it sits on for this step. */
void dxBrinkCallNearSwept(dxBrinkRun *run) {
  dBrinkID brink = run->brink;
  gatherBesideSwept(brink);
  for (size_t i = 0; run->near != NULL && i < brink->island.gatheredCount && !brink->contacts.worldChanged; ++i) {
    renewWorldContacts(run, brink->island.gathered[i]);
  }
}
