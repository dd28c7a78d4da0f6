/* SPDX-License-Identifier: BSD-3-Clause */
/* Jointed bodies against thin things, judged by means of its own: which side of a wall or a stair a body's centre is
 * on, and, for bodies against each other and a rope against a peg, the distance of capsule axes at dense samples of the
 * motion that was carried out (told by Brink's segment callback; straight and about one axis in plain ODE). Two
 * capsules of one radius may press each other in as far as the core of one, a sixteenth of its radius about its axis,
 * lets them: to 17/32 of the sum of the radii ("The allowance" in docs/ode.md). Whose axes come nearer than CROSSED of
 * it has crossed.
 *
 * Every body is a capsule along its z axis. Spin above a limit dies out in both runs alike, as in the other ragdolls:
 * see mannequin.c. Based on: closest points of segments, Ericson 2005, 5.1.9. Units: m, kg, s, rad. */
#include "soak.h"

#include <inttypes.h>
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "brink/ode.h"
#include "scene_kit.h"

#define MAX_BODIES 100
#define MAX_JOINTS 200
#define MAX_PAIRS 1000
#define CROSSED 0.53
#define STEP (1.0 / 60.0)
#define GRAVITY 9.81
#define ZERO_LEVEL (-10.0) /* m: of energy, so that it stays positive */
#define SPIN_LIMIT 40.0
#define SPIN_DAMPING 0.5
#define JOINT_FRICTION 4.0 /* N m */
#define WALL 0.005
#define WALL_HALF 4.0
#define STAIRS 6
#define STAIR_DEPTH 0.30
#define STAIR_RISE 0.18
#define LOST_SHARE 0.05 /* of the motion time: more means that the guard holds bodies still */
#define POST 2.0        /* m, radius of the post that plain ODE cannot pass */

typedef struct capsule {
  dBodyID body; /* NULL: stands still */
  double radius, half;
  dVector3 place, axis; /* of one that stands still */
} capsule;

typedef struct soak {
  const soakDef *def;
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBrinkID brink;
  capsule capsules[MAX_BODIES + 1];
  int count;
  dJointID joints[MAX_JOINTS];
  int jointCount;
  short pairs[MAX_PAIRS][2];
  double crossedAt[MAX_PAIRS]; /* step time in the segment last told; 2: not */
  bool crossed[MAX_PAIRS], behind[MAX_BODIES];
  bool beside[MAX_BODIES]; /* was past the open side of the wall or stairs: may come in under a tread from there */
  int pairCount;
  double speed; /* m/s */
} soak;

/* ---- building */

static dBodyID addCapsule(soak *s, double radius, double half, const double place[3], const double axis[3]) {
  dMass mass;
  dMatrix3 turn;
  dBodyID body = dBodyCreate(s->world);
  dMassSetCapsule(&mass, 1000.0, 3, radius, 2.0 * half);
  dBodySetMass(body, &mass);
  dGeomSetBody(half > 0.0 ? dCreateCapsule(s->space, radius, 2.0 * half) : dCreateSphere(s->space, radius), body);
  dBodySetPosition(body, place[0], place[1], place[2]);
  dRFromZAxis(turn, axis[0], axis[1], axis[2]);
  dBodySetRotation(body, turn);
  dBodySetAngularDamping(body, SPIN_DAMPING);
  dBodySetAngularDampingThreshold(body, SPIN_LIMIT);
  s->capsules[s->count++] = (capsule){.body = body, .radius = radius, .half = half};
  return body;
}

static void addJoint(soak *s, dBodyID a, dBodyID b, const double anchor[3], bool hinge, double low, double high) {
  dJointID joint = hinge ? dJointCreateHinge(s->world, NULL) : dJointCreateUniversal(s->world, NULL);
  dJointAttach(joint, a, b);
  if (hinge) {
    dJointSetHingeAnchor(joint, anchor[0], anchor[1], anchor[2]);
    dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
    dJointSetHingeParam(joint, dParamLoStop, low);
    dJointSetHingeParam(joint, dParamHiStop, high);
    dJointSetHingeParam(joint, dParamFMax, JOINT_FRICTION);
  } else {
    dJointSetUniversalAnchor(joint, anchor[0], anchor[1], anchor[2]);
    dJointSetUniversalAxis2(joint, 1.0, 0.0, 0.0);
    dJointSetUniversalAxis1(joint, 0.0, 1.0, 0.0);
    dJointSetUniversalParam(joint, dParamLoStop, low);
    dJointSetUniversalParam(joint, dParamHiStop, high);
    dJointSetUniversalParam(joint, dParamLoStop2, 0.6 * low);
    dJointSetUniversalParam(joint, dParamHiStop2, 0.6 * high);
    dJointSetUniversalParam(joint, dParamFMax, JOINT_FRICTION);
    dJointSetUniversalParam(joint, dParamFMax2, JOINT_FRICTION);
  }
  s->joints[s->jointCount++] = joint;
}

static void addBall(soak *s, dBodyID a, dBodyID b) {
  const dReal *p = dBodyGetPosition(a), *q = dBodyGetPosition(b);
  dJointID joint = dJointCreateBall(s->world, NULL);
  dJointAttach(joint, a, b);
  dJointSetBallAnchor(joint, 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]));
  s->joints[s->jointCount++] = joint;
}

/* Turns all bodies from `first` on, joints and all, about (0,0,centre), moves them to `place` and throws them. */
static void launch(soak *s, int first, double centre, const dQuaternion turn, const double place[3],
                   const double velocity[3], const double spin[3]) {
  dMatrix3 rotation;
  dRfromQ(rotation, turn);
  for (int i = first; i < s->count; i++) {
    dBodyID body = s->capsules[i].body;
    const dReal *p = dBodyGetPosition(body);
    dVector3 arm = {p[0], p[1], p[2] - centre, 0}, turned;
    dQuaternion q;
    dMultiply0_331(turned, rotation, arm);
    dQMultiply0(q, turn, dBodyGetQuaternion(body));
    dBodySetPosition(body, place[0] + turned[0], place[1] + turned[1], place[2] + turned[2]);
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, velocity[0] + spin[1] * turned[2] - spin[2] * turned[1],
                      velocity[1] + spin[2] * turned[0] - spin[0] * turned[2],
                      velocity[2] + spin[0] * turned[1] - spin[1] * turned[0]);
    dBodySetAngularVel(body, spin[0], spin[1], spin[2]);
  }
}

static void randomTurn(uint64_t *random, dQuaternion out) {
  double u = kit_Uniform(random, 0.0, 1.0), a = kit_Uniform(random, 0.0, 2.0 * M_PI),
         b = kit_Uniform(random, 0.0, 2.0 * M_PI);
  out[0] = sqrt(1.0 - u) * cos(a);
  out[1] = sqrt(1.0 - u) * sin(a);
  out[2] = sqrt(u) * cos(b);
  out[3] = sqrt(u) * sin(b);
}

/* Fifteen parts, standing at the origin. */
static void addDoll(soak *s) {
  static const double up[3] = {0, 0, 1}, across[3] = {0, 1, 0}, ahead[3] = {1, 0, 0};
  dBodyID pelvis = addCapsule(s, 0.10, 0.05, (const double[3]){0, 0, 0.95}, across);
  dBodyID torso = addCapsule(s, 0.13, 0.13, (const double[3]){0, 0, 1.32}, up);
  dBodyID head = addCapsule(s, 0.10, 0.02, (const double[3]){0, 0, 1.74}, up);
  addJoint(s, torso, pelvis, (const double[3]){0, 0, 1.05}, false, -0.5, 0.6);
  addJoint(s, head, torso, (const double[3]){0, 0, 1.60}, false, -0.6, 0.5);
  for (int side = -1; side <= 1; side += 2) {
    double arm = 0.20 * side, leg = 0.10 * side;
    dBodyID upper = addCapsule(s, 0.045, 0.10, (const double[3]){0, arm, 1.38}, up);
    dBodyID fore = addCapsule(s, 0.04, 0.09, (const double[3]){0, arm, 1.08}, up);
    dBodyID hand = addCapsule(s, 0.035, 0.03, (const double[3]){0, arm, 0.87}, up);
    dBodyID thigh = addCapsule(s, 0.07, 0.14, (const double[3]){0, leg, 0.64}, up);
    dBodyID shin = addCapsule(s, 0.055, 0.15, (const double[3]){0, leg, 0.23}, up);
    dBodyID foot = addCapsule(s, 0.045, 0.06, (const double[3]){0.05, leg, -0.02}, ahead);
    addJoint(s, upper, torso, (const double[3]){0, 0.9 * arm, 1.50}, false, -1.4, 1.4);
    addJoint(s, fore, upper, (const double[3]){0, arm, 1.22}, true, -2.2, 0.1);
    addJoint(s, hand, fore, (const double[3]){0, arm, 0.94}, false, -0.8, 0.8);
    addJoint(s, thigh, pelvis, (const double[3]){0, leg, 0.86}, false, -1.4, 0.6);
    addJoint(s, shin, thigh, (const double[3]){0, leg, 0.43}, true, -0.1, 2.2);
    addJoint(s, foot, shin, (const double[3]){0, leg, 0.03}, false, -0.6, 0.6);
  }
}

static void addBox(soak *s, double x, double y, double z, double px, double py, double pz) {
  dGeomSetPosition(dCreateBox(s->space, x, y, z), px, py, pz);
}

static void throwDoll(soak *s, double x, double height, double speedX, double speedZ, uint64_t *random) {
  int first = s->count;
  dQuaternion turn;
  double place[3] = {x, kit_Uniform(random, -0.3, 0.3), height}, spin[3];
  const double velocity[3] = {speedX, 0.0, speedZ};
  randomTurn(random, turn);
  for (int k = 0; k < 3; k++) spin[k] = kit_Uniform(random, -4.0, 4.0);
  addDoll(s);
  launch(s, first, 0.95, turn, place, velocity, spin);
}

static void addStairs(soak *s) {
  for (int i = 0; i < STAIRS; i++) {
    double top = STAIR_RISE * (STAIRS - i), front = -STAIR_DEPTH * (i + 1);
    addBox(s, STAIR_DEPTH, 2.0 * WALL_HALF, WALL, front + 0.5 * STAIR_DEPTH, 0.0, top - 0.5 * WALL);
    addBox(s, WALL, 2.0 * WALL_HALF, STAIR_RISE - WALL, front + 0.5 * WALL, 0.0,
           top - WALL - 0.5 * (STAIR_RISE - WALL));
  }
}

static void addRope(soak *s, bool thick, uint64_t *random) {
  static const double across[3] = {0, 1, 0};
  enum { links = 50 };
  double offset = kit_Uniform(random, -0.8, 0.8), lean = kit_Uniform(random, -0.4, 0.4);
  for (int i = 0; i < links; i++) {
    addCapsule(s, 0.008, 0.022, (const double[3]){0, 0.064 * (i - 0.5 * (links - 1)), 0}, across);
    if (i > 0) addBall(s, s->capsules[i - 1].body, s->capsules[i].body);
  }
  const dQuaternion turn = {cos(0.5 * lean), 0, 0, sin(0.5 * lean)};
  launch(s, 0, 0.0, turn, (const double[3]){-1.2, offset, 0}, (const double[3]){s->speed, 0, 0},
         (const double[3]){0, 0, 0});
  capsule *peg = &s->capsules[s->count];
  *peg =
      (capsule){.radius = thick ? POST : 0.02, .half = 5.0, .place = {thick ? POST : 0, 0, 0, 0}, .axis = {0, 0, 1, 0}};
  dGeomSetPosition(dCreateCapsule(s->space, peg->radius, 2.0 * peg->half), peg->place[0], 0, 0);
  for (int i = 0; i < s->count; i++) {
    s->pairs[s->pairCount][0] = (short)i;
    s->pairs[s->pairCount++][1] = (short)s->count;
  }
}

static void addNet(soak *s, uint64_t *random) {
  static const double up[3] = {0, 0, 1};
  enum { side = 8 };
  for (int i = 0; i < side * side; i++) {
    int row = i / side, column = i % side;
    addCapsule(s, 0.03, 0.0, (const double[3]){0, 0.1 * (column - 0.5 * (side - 1)), 0.1 * (row - 0.5 * (side - 1))},
               up);
    if (column > 0) addBall(s, s->capsules[i - 1].body, s->capsules[i].body);
    if (row > 0) addBall(s, s->capsules[i - side].body, s->capsules[i].body);
  }
  dQuaternion turn;
  randomTurn(random, turn);
  launch(s, 0, 0.0, turn, (const double[3]){-1.5, 0, 1.5}, (const double[3]){s->speed, 0, 0},
         (const double[3]){0, 0, 0});
}

/* Pairs of bodies that no joint connects. */
static void judgeAllPairs(soak *s) {
  for (int i = 0; i < s->count; i++)
    for (int j = i + 1; j < s->count; j++) {
      if (dAreConnectedExcluding(s->capsules[i].body, s->capsules[j].body, dJointTypeContact) ||
          s->pairCount == MAX_PAIRS)
        continue;
      s->pairs[s->pairCount][0] = (short)i;
      s->pairs[s->pairCount++][1] = (short)j;
    }
}

static void buildWall(soak *s, bool thick, uint64_t *random) {
  (void)thick;
  throwDoll(s, -2.2, 2.2, s->speed, 0.0, random);
}

static void buildStairs(soak *s, bool thick, uint64_t *random) {
  (void)thick;
  double down = kit_Uniform(random, 0.3, 1.1);
  addStairs(s);
  throwDoll(s, -2.6, 2.6, s->speed * cos(down), -s->speed * sin(down), random);
}

static void buildDolls(soak *s, bool thick, uint64_t *random) {
  (void)thick;
  throwDoll(s, -1.5, 2.0, 0.5 * s->speed, 0.0, random);
  throwDoll(s, 1.5, 2.0, -0.5 * s->speed, 0.0, random);
  judgeAllPairs(s);
}

static void buildRope(soak *s, bool thick, uint64_t *random) { addRope(s, thick, random); }

static void buildNet(soak *s, bool thick, uint64_t *random) {
  (void)thick;
  addNet(s, random);
}

const soakDef soakWall = {.name = "soak_wall",
                          .salt = 0,
                          .title = "Many seeds: a ragdoll at a 5 mm wall",
                          .frames = 60,
                          .sample = 0.01,
                          .build = buildWall,
                          .walls = true};
const soakDef soakStairs = {.name = "soak_stairs",
                            .salt = 1,
                            .title = "Many seeds: a ragdoll at 5 mm stairs",
                            .frames = 90,
                            .sample = 0.01,
                            .build = buildStairs,
                            .walls = true,
                            .stairs = true};
const soakDef soakDolls = {.name = "soak_dolls",
                           .salt = 2,
                           .title = "Many seeds: a ragdoll at a ragdoll",
                           .frames = 60,
                           .sample = 0.01,
                           .build = buildDolls};
const soakDef soakRope = {.name = "soak_rope",
                          .salt = 3,
                          .title = "Many seeds: a rope of 50 links at a peg",
                          .frames = 60,
                          .sample = 0.005,
                          .build = buildRope,
                          .post = true};
const soakDef soakNet = {.name = "soak_net",
                         .salt = 4,
                         .title = "Many seeds: a net with loops at a wall",
                         .frames = 60,
                         .sample = 0.01,
                         .build = buildNet,
                         .walls = true};

static void build(soak *s, const soakDef *def, bool thick, uint64_t seed) {
  uint64_t random = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) + def->salt;
  for (int i = 0; i < 4; i++) kit_Uniform(&random, 0.0, 1.0);
  s->def = def;
  s->speed = 5.0 * exp(kit_Uniform(&random, 0.0, log(40.0)));
  s->world = dWorldCreate();
  s->space = dHashSpaceCreate(NULL);
  s->contacts = dJointGroupCreate(0);
  dWorldSetGravity(s->world, 0.0, 0.0, -GRAVITY);
  if (def->walls) {
    dCreatePlane(s->space, 0.0, 0.0, 1.0, 0.0);
    addBox(s, WALL, 2.0 * WALL_HALF, 2.0 * WALL_HALF, 0.5 * WALL, 0.0, WALL_HALF);
  }
  def->build(s, thick, &random);
}

/* ---- judging */

static double clampUnit(double x, double half) { return x < -half ? -half : x > half ? half : x; }

/* Distance of two segments: centres p, q, unit axes u, v, half lengths a, b. */
static double axisDistance(const double p[3], const double u[3], double a, const double q[3], const double v[3],
                           double b) {
  double r[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]}, square = 0.0;
  double uv = u[0] * v[0] + u[1] * v[1] + u[2] * v[2], ur = u[0] * r[0] + u[1] * r[1] + u[2] * r[2];
  double vr = v[0] * r[0] + v[1] * r[1] + v[2] * r[2], denominator = 1.0 - uv * uv;
  double s = denominator > 1e-12 ? clampUnit((uv * vr - ur) / denominator, a) : 0.0;
  double t = clampUnit(uv * s + vr, b);
  s = clampUnit(uv * t - ur, a);
  for (int k = 0; k < 3; k++) {
    double d = r[k] + s * u[k] - t * v[k];
    square += d * d;
  }
  return sqrt(square);
}

static void zAxis(const double q[4], double out[3]) {
  out[0] = 2.0 * (q[1] * q[3] + q[0] * q[2]);
  out[1] = 2.0 * (q[2] * q[3] - q[0] * q[1]);
  out[2] = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]);
}

typedef struct placed {
  double centre[3], axis[3];
} placed;

static void judgeSample(soak *s, const placed *at, double time) {
  for (int i = 0; i < s->pairCount; i++) {
    int a = s->pairs[i][0], b = s->pairs[i][1];
    const capsule *ca = &s->capsules[a], *cb = &s->capsules[b];
    double d[3], reach = ca->half + cb->half + ca->radius + cb->radius;
    for (int k = 0; k < 3; k++) d[k] = at[a].centre[k] - at[b].centre[k];
    if (s->crossedAt[i] < 2.0 || d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > reach * reach) continue;
    double distance = axisDistance(at[a].centre, at[a].axis, ca->half, at[b].centre, at[b].axis, cb->half);
    if (!(distance >= CROSSED * (ca->radius + cb->radius))) s->crossedAt[i] = time;
  }
}

static void placeStill(const soak *s, placed *at) {
  memcpy(at[s->count].centre, s->capsules[s->count].place, sizeof at->centre);
  memcpy(at[s->count].axis, s->capsules[s->count].axis, sizeof at->axis);
}

/* What the segment last told crossed up to `time` was carried out. */
static void commit(soak *s, double time) {
  for (int i = 0; i < s->pairCount; i++) {
    s->crossed[i] = s->crossed[i] || s->crossedAt[i] <= time;
    s->crossedAt[i] = 2.0;
  }
}

static int samplesFor(const soak *s, double fastest) {
  double count = ceil(fastest / s->def->sample);
  return count < 4.0 ? 4 : count > 4000.0 ? 4000 : (int)count;
}

static void onSegment(void *user, dBrinkID brink, const dBrinkSegment *segment) {
  soak *s = user;
  placed at[MAX_BODIES + 1];
  double fastest = 0.0, end = segment->toi < 1.0 ? segment->toi : 1.0;
  commit(s, segment->start);
  for (int i = 0; i < segment->motionCount; i++) {
    const double *v = segment->motions[i].velocity;
    fastest = fmax(fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  int samples = samplesFor(s, fastest * end);
  placeStill(s, at);
  for (int i = 0; i <= samples; i++) {
    double part = end * i / samples, q[4];
    for (int b = 0; b < s->count; b++) {
      if (!dBrinkSegmentPose(brink, s->capsules[b].body, part, at[b].centre, q)) return;
      zAxis(q, at[b].axis);
    }
    judgeSample(s, at, segment->start + part * (1.0 - segment->start));
  }
}

/* Plain ODE's motion: straight, and about one axis by the shorter way. */
static void judgePlain(soak *s, const dVector3 *places, const dQuaternion *turns) {
  placed at[MAX_BODIES + 1];
  double fastest = 0.0;
  for (int b = 0; b < s->count; b++) {
    const dReal *p = dBodyGetPosition(s->capsules[b].body);
    fastest = fmax(fastest, hypot(hypot(p[0] - places[b][0], p[1] - places[b][1]), p[2] - places[b][2]));
  }
  int samples = samplesFor(s, fastest);
  placeStill(s, at);
  for (int i = 0; i <= samples; i++) {
    double part = (double)i / samples;
    for (int b = 0; b < s->count; b++) {
      const dReal *p = dBodyGetPosition(s->capsules[b].body), *q = dBodyGetQuaternion(s->capsules[b].body);
      dQuaternion turn, piece, now;
      dQMultiply2(turn, q, turns[b]);
      double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]), angle = 2.0 * atan2(sine, turn[0]);
      if (angle > M_PI) angle -= 2.0 * M_PI;
      dQFromAxisAndAngle(piece, turn[1], turn[2], turn[3], part * angle);
      dQMultiply0(now, piece, turns[b]);
      zAxis(now, at[b].axis);
      for (int k = 0; k < 3; k++) at[b].centre[k] = places[b][k] + part * (p[k] - places[b][k]);
    }
    judgeSample(s, at, part);
  }
  commit(s, 1.0);
}

static bool isBehind(const soak *s, const dReal *p) {
  if (!isfinite(p[0] + p[1] + p[2])) return true;
  if (s->pairCount > 0) return false;
  if (p[2] < 0.0) return true;
  if (p[0] > WALL && p[0] < WALL_HALF && fabs(p[1]) < WALL_HALF && p[2] < 2.0 * WALL_HALF) return true;
  if (!s->def->stairs || p[0] > 0.0 || p[0] < -STAIRS * STAIR_DEPTH || fabs(p[1]) > WALL_HALF) return false;
  return p[2] < STAIR_RISE * (STAIRS - (int)(-p[0] / STAIR_DEPTH)) - WALL;
}

static double energyOf(const soak *s) {
  double energy = 0.0;
  for (int i = 0; i < s->count; i++) {
    dMass mass;
    dVector3 spin;
    dBodyID body = s->capsules[i].body;
    const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
    dBodyGetMass(body, &mass);
    dBodyVectorFromWorld(body, w[0], w[1], w[2], spin);
    energy += 0.5 * mass.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) energy += 0.5 * spin[r] * mass.I[4 * r + c] * spin[c];
    energy += mass.mass * GRAVITY * (dBodyGetPosition(body)[2] - ZERO_LEVEL);
  }
  return energy;
}

static double jointErrorOf(const soak *s) {
  double worst = 0.0;
  for (int i = 0; i < s->jointCount; i++) {
    dVector3 a = {0}, b = {0};
    switch (dJointGetType(s->joints[i])) {
      case dJointTypeBall:
        dJointGetBallAnchor(s->joints[i], a);
        dJointGetBallAnchor2(s->joints[i], b);
        break;
      case dJointTypeHinge:
        dJointGetHingeAnchor(s->joints[i], a);
        dJointGetHingeAnchor2(s->joints[i], b);
        break;
      default:
        dJointGetUniversalAnchor(s->joints[i], a);
        dJointGetUniversalAnchor2(s->joints[i], b);
        break;
    }
    double error = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/* ---- running */

static void near(void *data, dGeomID g1, dGeomID g2) {
  soak *s = data;
  dBodyID body1 = dGeomGetBody(g1), body2 = dGeomGetBody(g2);
  dContact contacts[8];
  if ((!body1 && !body2) || (body1 && body2 && dAreConnectedExcluding(body1, body2, dJointTypeContact))) return;
  memset(contacts, 0, sizeof contacts);
  int count = dCollide(g1, g2, 8, &contacts[0].geom, sizeof contacts[0]);
  for (int i = 0; i < count; i++) {
    contacts[i].surface.mode = dContactApprox1;
    contacts[i].surface.mu = 0.6;
    dJointAttach(dJointCreateContact(s->world, s->contacts, &contacts[i]), body1, body2);
  }
}

static void step(soak *s, bool quick, soakRun *out) {
  static dVector3 places[MAX_BODIES];
  static dQuaternion turns[MAX_BODIES];
  for (int i = 0; i < s->count; i++) {
    memcpy(places[i], dBodyGetPosition(s->capsules[i].body), sizeof places[i]);
    memcpy(turns[i], dBodyGetQuaternion(s->capsules[i].body), sizeof turns[i]);
  }
  dSpaceCollide(s->space, s, near);
  if (s->brink) {
    dBrinkStepInfo info = {.structSize = sizeof info};
    int good = quick ? dBrinkWorldQuickStep(s->brink, STEP, s, near, s->contacts)
                     : dBrinkWorldStep(s->brink, STEP, s, near, s->contacts);
    commit(s, 1.0);
    dBrinkGetStepInfo(s->brink, &info);
    out->failed += !good;
    out->solves += info.solves - 1;
    out->clamps += info.clamps;
    out->lost += info.lostTime;
  } else {
    if (quick)
      dWorldQuickStep(s->world, STEP);
    else
      dWorldStep(s->world, STEP);
    if (s->pairCount > 0) judgePlain(s, (const dVector3 *)places, (const dQuaternion *)turns);
  }
  dJointGroupEmpty(s->contacts);
  out->time += STEP;
}

static void dropMessage(int number, const char *format, va_list arguments) {
  (void)number, (void)format, (void)arguments;
}

static uint64_t hashOf(const soak *s) {
  dBodyID bodies[MAX_BODIES];
  for (int i = 0; i < s->count; i++) bodies[i] = s->capsules[i].body;
  return kit_HashBodies(bodies, s->count);
}

void soak_Run(const soakDef *def, uint64_t seed, bool quick, soakHow how, soakRun *out) {
  *out = (soakRun){.failed = 0};
  soak *s = calloc(1, sizeof *s);
  if (!s) {
    out->failed = 1;
    return;
  }
  dInitODE2(0);
  dSetMessageHandler(dropMessage); /* of its own troubles with redundant rows, in plain runs as well */
  dRandSetSeed(1);
  build(s, def, how == soakThick, seed);
  for (int i = 0; i < MAX_PAIRS; i++) s->crossedAt[i] = 2.0;
  if (how == soakBrink) {
    s->brink = dBrinkCreate(s->world);
    bool good = s->brink && dBrinkAddSpace(s->brink, s->space);
    if (good && s->pairCount > 0) good = dBrinkSetSegmentCallback(s->brink, onSegment, s);
    out->failed += !good;
  }
  double start = energyOf(s);
  for (int frame = 0; frame < def->frames && (how != soakBrink || s->brink); frame++) {
    step(s, quick, out);
    for (int i = 0; i < s->count; i++) {
      const dReal *place = dBodyGetPosition(s->capsules[i].body);
      s->beside[i] = s->beside[i] || fabs(place[1]) > WALL_HALF;
      s->behind[i] = s->behind[i] || (!s->beside[i] && isBehind(s, place));
    }
    double error = jointErrorOf(s), energy = energyOf(s) / start;
    if (!(error <= out->jointError)) out->jointError = error;
    if (!(energy <= out->energy)) out->energy = energy;
  }
  out->bodies = s->count;
  out->hash = hashOf(s);
  for (int i = 0; i < s->count; i++) out->through += s->behind[i];
  for (int i = 0; i < s->pairCount; i++) out->through += s->crossed[i];
  dBrinkDestroy(s->brink);
  dJointGroupDestroy(s->contacts);
  dSpaceDestroy(s->space);
  dWorldDestroy(s->world);
  dSetMessageHandler(NULL);
  dCloseODE();
  free(s);
}

void soak_RunPlain(const soakDef *def, uint64_t seed, bool quick, soakRun *out) {
  soakRun thick;
  soak_Run(def, seed, quick, soakPlain, out);
  if (!def->post) return;
  soak_Run(def, seed, quick, soakThick, &thick);
  if (!(thick.jointError <= out->jointError)) out->jointError = thick.jointError;
}

void soak_Add(soakRun *sum, const soakRun *run) {
  sum->bodies += run->bodies;
  sum->through += run->through;
  if (!(run->jointError <= sum->jointError)) sum->jointError = run->jointError;
  if (!(run->energy <= sum->energy)) sum->energy = run->energy;
  sum->lost += run->lost;
  sum->time += run->time;
  sum->solves += run->solves;
  sum->clamps += run->clamps;
  sum->failed += run->failed;
}

bool soak_IsGood(const soakRun *plain, const soakRun *brink) {
  return brink->through == 0 && brink->failed == 0 && brink->jointError <= 1.1 * plain->jointError &&
         brink->energy <= 1.05 && brink->lost <= LOST_SHARE * brink->time;
}

/* One line of figures; false: the promise is broken. */
static bool runRow(const soakDef *def, int seeds) {
  soakRun plain = {0}, brink = {0};
  for (int seed = 0; seed < seeds; seed++) {
    soakRun run;
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%s, seed %d of %d\033[K", def->name, seed, seeds);
    soak_RunPlain(def, (uint64_t)seed, seed % 2 != 0, &run);
    soak_Add(&plain, &run);
    soak_Run(def, (uint64_t)seed, seed % 2 != 0, soakBrink, &run);
    soak_Add(&brink, &run);
    if (run.through || run.failed || !(run.energy <= 1.05))
      printf("  %s, seed %d: %d through, %d refused steps, energy %.3f\n", def->name, seed, run.through, run.failed,
             run.energy);
  }
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
  bool good = soak_IsGood(&plain, &brink);
  printf("%-12s  %14d   %5d   %22.3f   %7.3f   %6.3f   %12ld   %6ld   %7.2f%s\n", def->name, plain.through,
         brink.through, plain.jointError, brink.jointError, brink.energy, brink.solves, brink.clamps,
         100.0 * brink.lost / brink.time, good ? "" : "   BROKEN");
  fflush(stdout);
  return good;
}

int demoSoak_Run(const soakDef *only, int seeds) {
  int status = 0;
  printf(
      "%d seeds each, half of them with QuickStep, 5 to 200 m/s; through: bodies behind something, or pairs that "
      "crossed;\n"
      "joint error of plain ODE: the rope's also at a post that it cannot pass\n",
      seeds);
  printf(
      "%-12s  through: plain   Brink   joint error, m: plain     Brink   energy   extra solves   clamps   lost, %%\n",
      "");
  for (const demoRow *row = demoTable; demoRow_Name(row); row++)
    if (row->soak && (!only || row->soak == only) && !runRow(row->soak, seeds)) status = 1;
  printf(status ? "PROMISE BROKEN\n"
                : "Nothing passed through anything with Brink; joints, energy and time within their bounds.\n");
  return status;
}
