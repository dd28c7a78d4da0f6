/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ODE_JOINTS_H
#define ODE_JOINTS_H
/* One joint of each of ODE's types between two bars, for tests. Units: SI. */
#include <ode/ode.h>

typedef void odePlace(dJointID joint, dReal x, dReal y, dReal z);

typedef struct odeJoint {
  const char *name;
  dJointType type;
  dJointID (*make)(dWorldID world, dJointGroupID group);
  odePlace *anchor;  /* between the bars */
  odePlace *axes[3]; /* what lies along x, y, z */
  odePlace *ends[2]; /* 5 cm towards either bar */
} odeJoint;

static const odeJoint odeJoints[] = {
    {.name = "none", .type = dJointTypeNone},
    {"ball", dJointTypeBall, dJointCreateBall, dJointSetBallAnchor, {0}, {0}},
    {"hinge", dJointTypeHinge, dJointCreateHinge, dJointSetHingeAnchor, {NULL, NULL, dJointSetHingeAxis}, {0}},
    {"hinge2", dJointTypeHinge2, dJointCreateHinge2, dJointSetHinge2Anchor, {0}, {0}},
    {"slider", dJointTypeSlider, dJointCreateSlider, NULL, {NULL, dJointSetSliderAxis, NULL}, {0}},
    {"universal",
     dJointTypeUniversal,
     dJointCreateUniversal,
     dJointSetUniversalAnchor,
     {dJointSetUniversalAxis1, NULL, dJointSetUniversalAxis2},
     {0}},
    {"PR", dJointTypePR, dJointCreatePR, dJointSetPRAnchor, {NULL, dJointSetPRAxis1, dJointSetPRAxis2}, {0}},
    {"PU",
     dJointTypePU,
     dJointCreatePU,
     dJointSetPUAnchor,
     {dJointSetPUAxis1, dJointSetPUAxisP, dJointSetPUAxis2},
     {0}},
    {"piston", dJointTypePiston, dJointCreatePiston, dJointSetPistonAnchor, {NULL, dJointSetPistonAxis, NULL}, {0}},
    {"fixed", dJointTypeFixed, dJointCreateFixed, NULL, {0}, {0}},
    {"double ball", dJointTypeDBall, dJointCreateDBall, NULL, {0}, {dJointSetDBallAnchor1, dJointSetDBallAnchor2}},
    {"double hinge",
     dJointTypeDHinge,
     dJointCreateDHinge,
     NULL,
     {NULL, NULL, dJointSetDHingeAxis},
     {dJointSetDHingeAnchor1, dJointSetDHingeAnchor2}},
    {"AMotor", dJointTypeAMotor, dJointCreateAMotor, NULL, {0}, {0}},
    {"LMotor", dJointTypeLMotor, dJointCreateLMotor, NULL, {0}, {0}},
    {.name = "transmission", .type = dJointTypeTransmission},
    {.name = "plane2d", .type = dJointTypePlane2D},
    {"hinge motor", dJointTypeHinge, dJointCreateHinge, dJointSetHingeAnchor, {NULL, NULL, dJointSetHingeAxis}, {0}},
};
enum { odeJointCount = sizeof(odeJoints) / sizeof(*odeJoints) };

/* Gears on a carrier. */
static inline dJointID odeGears(dWorldID world, dBodyID a, dBodyID b, const double middle[3]) {
  const dReal *ends[2] = {dBodyGetPosition(a), dBodyGetPosition(b)}, *v = dBodyGetLinearVel(a);
  dBodyID carrier = dBodyCreate(world);
  dBodySetPosition(carrier, middle[0], middle[1], middle[2]);
  dBodySetLinearVel(carrier, v[0], v[1], v[2]);
  for (int i = 0; i < 2; ++i) {
    dJointID hinge = dJointCreateHinge(world, NULL);
    dJointAttach(hinge, i == 0 ? a : b, carrier);
    dJointSetHingeAnchor(hinge, ends[i][0], ends[i][1], ends[i][2]);
    dJointSetHingeAxis(hinge, 0, 0, 1);
  }
  dJointID gears = dJointCreateTransmission(world, NULL);
  dJointAttach(gears, a, b);
  dJointSetTransmissionMode(gears, dTransmissionParallelAxes);
  dJointSetTransmissionAnchor1(gears, ends[0][0], ends[0][1], ends[0][2]);
  dJointSetTransmissionAnchor2(gears, ends[1][0], ends[1][1], ends[1][2]);
  dJointSetTransmissionAxis(gears, 0, 0, 1);
  dJointSetTransmissionRatio(gears, 1);
  return gears;
}

/* What the table does not tell: limits, motors, axes that are set together. */
static inline void odeFinishJoint(int which, dJointID j) {
  switch (odeJoints[which].type) {
    case dJointTypeHinge:
      dJointSetHingeParam(j, dParamLoStop, -1);
      dJointSetHingeParam(j, dParamHiStop, 1);
      if (which == odeJointCount - 1) {
        dJointSetHingeParam(j, dParamVel, 5);
        dJointSetHingeParam(j, dParamFMax, 10);
      }
      break;
    case dJointTypeHinge2: {
      const dReal axis1[4] = {0, 0, 1, 0}, axis2[4] = {1, 0, 0, 0};
      dJointSetHinge2Axes(j, axis1, axis2);
      break;
    }
    case dJointTypeSlider:
      dJointSetSliderParam(j, dParamLoStop, -0.05);
      dJointSetSliderParam(j, dParamHiStop, 0.05);
      break;
    case dJointTypeFixed:
      dJointSetFixed(j);
      break;
    case dJointTypeAMotor:
      dJointSetAMotorNumAxes(j, 1);
      dJointSetAMotorAxis(j, 0, 1, 0, 0, 1);
      dJointSetAMotorParam(j, dParamVel, 2);
      dJointSetAMotorParam(j, dParamFMax, 5);
      break;
    case dJointTypeLMotor:
      dJointSetLMotorNumAxes(j, 1);
      dJointSetLMotorAxis(j, 0, 1, 0, 1, 0);
      dJointSetLMotorParam(j, dParamVel, 1);
      dJointSetLMotorParam(j, dParamFMax, 5);
      break;
    default:
      break;
  }
}

/* Two bars along y, joined between; the joint's axes are x and z. */
static inline dJointID odeJoin(dWorldID world, int which, dBodyID a, dBodyID b) {
  const odeJoint *row = &odeJoints[which];
  const dReal *p = dBodyGetPosition(a), *q = dBodyGetPosition(b);
  const double middle[3] = {(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2};
  dJointID j = NULL;
  if (row->type == dJointTypeTransmission) return odeGears(world, a, b, middle);
  if (row->type == dJointTypePlane2D) {
    dJointAttach(dJointCreatePlane2D(world, NULL), a, NULL);
    dJointAttach(j = dJointCreatePlane2D(world, NULL), b, NULL);
  }
  if (!row->make) return j;
  dJointAttach(j = row->make(world, NULL), a, b);
  if (row->anchor) row->anchor(j, middle[0], middle[1], middle[2]);
  for (int k = 0; k < 3; ++k)
    if (row->axes[k]) row->axes[k](j, k == 0, k == 1, k == 2);
  for (int k = 0; k < 2; ++k)
    if (row->ends[k]) row->ends[k](j, middle[0], middle[1] + (k == 0 ? -0.05 : 0.05), middle[2]);
  odeFinishJoint(which, j);
  return j;
}

#endif
