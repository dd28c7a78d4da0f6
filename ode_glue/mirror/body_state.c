/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes a body's state, so that it can be put back to the last bit. ODE's step changes position, quaternion,
 * rotation matrix and velocities, which are kept here, and force and torque, which the walk at the start keeps in the
 * record (adapter.c). ODE's setters normalise the quaternion and compute the matrix anew, which changes last bits. So
 * both are written where the getters point, which is the storage itself. With these exact states, forces and the seed
 * of dRand a step, a step back and the same step again give the same bits (test_ode_rollback).
 *
 * Based on: measurements of ODE 0.16.2 (docs/ode.md, "Putting a step back"). Units: m, s, rad. */
#include <string.h>

#include "mirror.h"

void dxBrinkReadState(dBodyID body, brinkStepState *state) {
  memcpy(state->position, dBodyGetPosition(body), sizeof(state->position));
  memcpy(state->quaternion, dBodyGetQuaternion(body), sizeof(state->quaternion));
  memcpy(state->rotation, dBodyGetRotation(body), sizeof(state->rotation));
  memcpy(state->linear, dBodyGetLinearVel(body), sizeof(state->linear));
  memcpy(state->angular, dBodyGetAngularVel(body), sizeof(state->angular));
}

void dxBrinkWritePose(dBodyID body, const brinkStepState *state) {
  memcpy((dReal *)(uintptr_t)dBodyGetQuaternion(body), state->quaternion, sizeof(state->quaternion));
  memcpy((dReal *)(uintptr_t)dBodyGetRotation(body), state->rotation, sizeof(state->rotation));
  dBodySetPosition(body, state->position[0], state->position[1], state->position[2]); /* tells the geoms */
}

void dxBrinkWriteState(dBodyID body, const brinkStepState *state) {
  dxBrinkWritePose(body, state);
  dBodySetLinearVel(body, state->linear[0], state->linear[1], state->linear[2]);
  dBodySetAngularVel(body, state->angular[0], state->angular[1], state->angular[2]);
}
