/* SPDX-License-Identifier: BSD-3-Clause */
/* How does the skeleton of brink/assets.h become ODE bodies and joints?
 * Based on: ODE manual (hinge, universal); uniform random rotations: Shoemake 1992.
 * Frames: the skeleton stands with z up; y is its lateral axis, so elbows and knees turn about y. Units: m, kg, rad. */
#include "mannequin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render.h"

#define JOINT_FRICTION 4.0 /* N m: limp, but it comes to rest */
/* What a ragdoll's author does against ODE's first-order turning: a limb that turns more than about a radian per step
 * leaves its joints in any of ODE's solves, with Brink or without, and a hand that meets a wall off its centre at 200
 * m/s spins off with thousands of rad/s. So spin above a limit dies out within a few frames, in both runs alike.
 * Damping acts between solves; a hard cap (dBodySetMaxAngularSpeed) would undo what a solve has just made of the
 * contacts. */
#define SPIN_LIMIT 40.0 /* rad/s */
#define SPIN_DAMPING 0.5

typedef struct jointRange {
  const char *part; /* of the link's name */
  bool hinge;
  double low1, high1; /* rad, about y */
  double low2, high2; /* rad, about x; universals only */
} jointRange;

/* The first entry whose text is in the link's name decides. */
static const jointRange jointRanges[] = {{"fore", true, -2.2, 0.1, 0, 0},
                                         {"lower_arm", true, -2.2, 0.1, 0, 0},
                                         {"shin", true, -0.1, 2.2, 0, 0},
                                         {"calf", true, -0.1, 2.2, 0, 0},
                                         {"lower_leg", true, -0.1, 2.2, 0, 0},
                                         {"thigh", false, -1.4, 0.6, -0.6, 0.6},
                                         {"upper_leg", false, -1.4, 0.6, -0.6, 0.6},
                                         {"arm", false, -1.4, 1.4, -1.2, 1.2},
                                         {"foot", false, -0.6, 0.6, -0.3, 0.3},
                                         {"hand", false, -0.8, 0.8, -0.5, 0.5},
                                         {"head", false, -0.6, 0.6, -0.5, 0.5},
                                         {"", false, -0.5, 0.6, -0.4, 0.4}};

static void multiplyTurns(const double a[4], const double b[4], double out[4]) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static void turnVector(const double q[4], const double v[3], double out[3]) {
  const double pure[4] = {0.0, v[0], v[1], v[2]}, conjugate[4] = {q[0], -q[1], -q[2], -q[3]};
  double half[4], full[4];
  multiplyTurns(q, pure, half);
  multiplyTurns(half, conjugate, full);
  memcpy(out, full + 1, 3 * sizeof *out);
}

void mannequin_RandomTurn(uint64_t *state, double turn[4]) {
  double u = kit_Uniform(state, 0.0, 1.0), a = kit_Uniform(state, 0.0, 6.283185307179586),
         b = kit_Uniform(state, 0.0, 6.283185307179586);
  turn[0] = sqrt(1.0 - u) * cos(a);
  turn[1] = sqrt(1.0 - u) * sin(a);
  turn[2] = sqrt(u) * cos(b);
  turn[3] = sqrt(u) * sin(b);
}

/* A point of the standing skeleton, where the start puts it. */
static void startPoint(const mannequinStart *start, const brinkVec3 *pelvis, const brinkVec3 *standing, double out[3]) {
  const double local[3] = {standing->x - pelvis->x, standing->y - pelvis->y, standing->z - pelvis->z};
  turnVector(start->turn, local, out);
  for (int k = 0; k < 3; k++) out[k] += start->place[k];
}

static dBodyID addLink(demoScene *scene, int index, const mannequinStart *start, char *message,
                       size_t messageCapacity) {
  static const float skin[3] = {0.90f, 0.72f, 0.56f}, shirt[3] = {0.20f, 0.45f, 0.70f},
                     trousers[3] = {0.30f, 0.32f, 0.40f};
  const brinkMannequinLink *skeleton = brinkMannequinSkeleton(), *link = &skeleton[index];
  char name[80];
  snprintf(name, sizeof name, "mannequin_%02d_%.40s", index, link->name);
  for (char *c = name; *c; c++)
    if (*c == ' ') *c = '_';
  brinkMesh *mesh = kit_LoadModel(scene, brink_modelMannequin, index, 1, name, message, messageCapacity);
  if (!mesh) return NULL;
  double low[3], high[3], size[3], place[3], fromPelvis[3];
  kit_MeshBounds(mesh, low, high);
  for (int k = 0; k < 3; k++) size[k] = high[k] - low[k];
  dBodyID body = kit_AddBody(scene, link->mass, size);
  startPoint(start, &skeleton[0].origin, &link->origin, place);
  dBodySetPosition(body, place[0], place[1], place[2]);
  dBodySetQuaternion(body, start->turn);
  for (int k = 0; k < 3; k++) fromPelvis[k] = place[k] - start->place[k];
  const double *v = start->velocity, *w = start->spin;
  dBodySetLinearVel(body, v[0] + w[1] * fromPelvis[2] - w[2] * fromPelvis[1],
                    v[1] + w[2] * fromPelvis[0] - w[0] * fromPelvis[2],
                    v[2] + w[0] * fromPelvis[1] - w[1] * fromPelvis[0]);
  dBodySetAngularVel(body, w[0], w[1], w[2]);
  dBodySetAngularDamping(body, SPIN_DAMPING);
  dBodySetAngularDampingThreshold(body, SPIN_LIMIT);
  bool leg = strstr(link->name, "thigh") || strstr(link->name, "shin") || strstr(link->name, "calf") ||
             strstr(link->name, "leg");
  bool torso = link->parent < 0 || strstr(link->name, "chest") || strstr(link->name, "torso") ||
               strstr(link->name, "abdomen") || strstr(link->name, "upper");
  kit_AddVisual(scene, body, kit_AddMeshGeom(scene, body, mesh), mesh, leg ? trousers : torso ? shirt : skin, 0, index);
  return body;
}

static void addJoint(demoScene *scene, int index, const mannequinStart *start) {
  const brinkMannequinLink *skeleton = brinkMannequinSkeleton(), *link = &skeleton[index];
  const jointRange *range = jointRanges;
  while (!strstr(link->name, range->part)) range++; /* ends at "" */
  const double lateral[3] = {0.0, 1.0, 0.0}, forward[3] = {1.0, 0.0, 0.0};
  double anchor[3], y[3], x[3];
  startPoint(start, &skeleton[0].origin, &link->anchor, anchor);
  turnVector(start->turn, lateral, y);
  turnVector(start->turn, forward, x);
  dBodyID child = scene->bodies[index], parent = scene->bodies[link->parent];
  dJointID joint = range->hinge ? dJointCreateHinge(scene->world, NULL) : dJointCreateUniversal(scene->world, NULL);
  dJointAttach(joint, child, parent);
  if (range->hinge) {
    dJointSetHingeAnchor(joint, anchor[0], anchor[1], anchor[2]);
    dJointSetHingeAxis(joint, y[0], y[1], y[2]);
    dJointSetHingeParam(joint, dParamLoStop, range->low1);
    dJointSetHingeParam(joint, dParamHiStop, range->high1);
    dJointSetHingeParam(joint, dParamFMax, JOINT_FRICTION); /* at rest: velocity 0 */
  } else {
    dJointSetUniversalAnchor(joint, anchor[0], anchor[1], anchor[2]);
    dJointSetUniversalAxis2(joint, x[0], x[1], x[2]); /* first: ODE complains when the two are parallel for a moment */
    dJointSetUniversalAxis1(joint, y[0], y[1], y[2]);
    dJointSetUniversalParam(joint, dParamLoStop, range->low1);
    dJointSetUniversalParam(joint, dParamHiStop, range->high1);
    dJointSetUniversalParam(joint, dParamLoStop2, range->low2);
    dJointSetUniversalParam(joint, dParamHiStop2, range->high2);
    dJointSetUniversalParam(joint, dParamFMax, JOINT_FRICTION);
    dJointSetUniversalParam(joint, dParamFMax2, JOINT_FRICTION);
  }
  kit_AddJoint(scene, joint);
}

bool mannequin_Add(demoScene *scene, const mannequinStart *start, char *message, size_t messageCapacity) {
  for (int i = 0; i < BRINK_MANNEQUIN_LINKS; i++)
    if (!addLink(scene, i, start, message, messageCapacity)) return false;
  for (int i = 1; i < BRINK_MANNEQUIN_LINKS; i++) addJoint(scene, i, start);
  return true;
}
