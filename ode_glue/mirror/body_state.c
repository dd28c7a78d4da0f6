/* SPDX-License-Identifier: BSD-3-Clause */
/* How is a body put back to where it was, to the last bit?
 * All that ODE's step changes in a body is its position, quaternion, rotation matrix and velocities, which are kept
 * here, and its force and torque, which the step takes away (kept in the record by the walk at the start, adapter.c).
 * ODE's setters normalise the quaternion and compute the matrix anew, which changes last bits, so both are written
 * where the getters point: that is the storage itself. With these exact states, forces and the seed of dRand a step, a
 * step back and the same step again gives the same bits (test_ode_rollback).
 *
 * Based on: measurements of ODE 0.16.2 (docs/ode.md). Units: m, s, rad. */
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
