/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ODE_JOINTS_H
#define ODE_JOINTS_H
/* One joint of each of ODE's types between two bars, for tests. Units: SI. */
#include <ode/ode.h>

typedef struct odeJoint {
  const char *name;
  dJointType type;
} odeJoint;

static const odeJoint odeJoints[] = {
    {"none", dJointTypeNone},
    {"ball", dJointTypeBall},
    {"hinge", dJointTypeHinge},
    {"hinge2", dJointTypeHinge2},
    {"slider", dJointTypeSlider},
    {"universal", dJointTypeUniversal},
    {"PR", dJointTypePR},
    {"PU", dJointTypePU},
    {"piston", dJointTypePiston},
    {"fixed", dJointTypeFixed},
    {"double ball", dJointTypeDBall},
    {"double hinge", dJointTypeDHinge},
    {"AMotor", dJointTypeAMotor},
    {"LMotor", dJointTypeLMotor},
    {"transmission", dJointTypeTransmission},
    {"plane2d", dJointTypePlane2D},
    {"hinge motor", dJointTypeHinge},
};
enum { odeJointCount = sizeof(odeJoints) / sizeof(*odeJoints) };

/* Two bars along y, joined between; the joint's axes are x and z. */
static inline dJointID odeJoin(dWorldID world, int which, dBodyID a, dBodyID b) {
  const dReal *p = dBodyGetPosition(a), *q = dBodyGetPosition(b);
  double x = (p[0] + q[0]) / 2, y = (p[1] + q[1]) / 2, z = (p[2] + q[2]) / 2;
  dJointID j = NULL;
  switch (odeJoints[which].type) {
    case dJointTypeBall:
      dJointAttach(j = dJointCreateBall(world, NULL), a, b);
      dJointSetBallAnchor(j, x, y, z);
      break;
    case dJointTypeHinge:
      dJointAttach(j = dJointCreateHinge(world, NULL), a, b);
      dJointSetHingeAnchor(j, x, y, z);
      dJointSetHingeAxis(j, 0, 0, 1);
      dJointSetHingeParam(j, dParamLoStop, -1);
      dJointSetHingeParam(j, dParamHiStop, 1);
      if (which == odeJointCount - 1) {
        dJointSetHingeParam(j, dParamVel, 5);
        dJointSetHingeParam(j, dParamFMax, 10);
      }
      break;
    case dJointTypeHinge2: {
      const dReal axis1[4] = {0, 0, 1, 0}, axis2[4] = {1, 0, 0, 0};
      dJointAttach(j = dJointCreateHinge2(world, NULL), a, b);
      dJointSetHinge2Anchor(j, x, y, z);
      dJointSetHinge2Axes(j, axis1, axis2);
      break;
    }
    case dJointTypeSlider:
      dJointAttach(j = dJointCreateSlider(world, NULL), a, b);
      dJointSetSliderAxis(j, 0, 1, 0);
      dJointSetSliderParam(j, dParamLoStop, -0.05);
      dJointSetSliderParam(j, dParamHiStop, 0.05);
      break;
    case dJointTypeUniversal:
      dJointAttach(j = dJointCreateUniversal(world, NULL), a, b);
      dJointSetUniversalAnchor(j, x, y, z);
      dJointSetUniversalAxis1(j, 1, 0, 0);
      dJointSetUniversalAxis2(j, 0, 0, 1);
      break;
    case dJointTypePR:
      dJointAttach(j = dJointCreatePR(world, NULL), a, b);
      dJointSetPRAnchor(j, x, y, z);
      dJointSetPRAxis1(j, 0, 1, 0);
      dJointSetPRAxis2(j, 0, 0, 1);
      break;
    case dJointTypePU:
      dJointAttach(j = dJointCreatePU(world, NULL), a, b);
      dJointSetPUAnchor(j, x, y, z);
      dJointSetPUAxis1(j, 1, 0, 0);
      dJointSetPUAxis2(j, 0, 0, 1);
      dJointSetPUAxisP(j, 0, 1, 0);
      break;
    case dJointTypePiston:
      dJointAttach(j = dJointCreatePiston(world, NULL), a, b);
      dJointSetPistonAnchor(j, x, y, z);
      dJointSetPistonAxis(j, 0, 1, 0);
      break;
    case dJointTypeFixed:
      dJointAttach(j = dJointCreateFixed(world, NULL), a, b);
      dJointSetFixed(j);
      break;
    case dJointTypeDBall:
      dJointAttach(j = dJointCreateDBall(world, NULL), a, b);
      dJointSetDBallAnchor1(j, x, y - 0.05, z);
      dJointSetDBallAnchor2(j, x, y + 0.05, z);
      break;
    case dJointTypeDHinge:
      dJointAttach(j = dJointCreateDHinge(world, NULL), a, b);
      dJointSetDHingeAxis(j, 0, 0, 1);
      dJointSetDHingeAnchor1(j, x, y - 0.05, z);
      dJointSetDHingeAnchor2(j, x, y + 0.05, z);
      break;
    case dJointTypeAMotor:
      dJointAttach(j = dJointCreateAMotor(world, NULL), a, b);
      dJointSetAMotorNumAxes(j, 1);
      dJointSetAMotorAxis(j, 0, 1, 0, 0, 1);
      dJointSetAMotorParam(j, dParamVel, 2);
      dJointSetAMotorParam(j, dParamFMax, 5);
      break;
    case dJointTypeLMotor:
      dJointAttach(j = dJointCreateLMotor(world, NULL), a, b);
      dJointSetLMotorNumAxes(j, 1);
      dJointSetLMotorAxis(j, 0, 1, 0, 1, 0);
      dJointSetLMotorParam(j, dParamVel, 1);
      dJointSetLMotorParam(j, dParamFMax, 5);
      break;
    case dJointTypeTransmission: { /* gears on a carrier */
      dBodyID carrier = dBodyCreate(world);
      dBodySetPosition(carrier, x, y, z);
      const dReal *v = dBodyGetLinearVel(a);
      dBodySetLinearVel(carrier, v[0], v[1], v[2]);
      for (int i = 0; i < 2; ++i) {
        const dReal *at = i == 0 ? p : q;
        dJointAttach(j = dJointCreateHinge(world, NULL), i == 0 ? a : b, carrier);
        dJointSetHingeAnchor(j, at[0], at[1], at[2]);
        dJointSetHingeAxis(j, 0, 0, 1);
      }
      dJointAttach(j = dJointCreateTransmission(world, NULL), a, b);
      dJointSetTransmissionMode(j, dTransmissionParallelAxes);
      dJointSetTransmissionAnchor1(j, p[0], p[1], p[2]);
      dJointSetTransmissionAnchor2(j, q[0], q[1], q[2]);
      dJointSetTransmissionAxis(j, 0, 0, 1);
      dJointSetTransmissionRatio(j, 1);
      break;
    }
    case dJointTypePlane2D:
      dJointAttach(j = dJointCreatePlane2D(world, NULL), a, NULL);
      dJointAttach(j = dJointCreatePlane2D(world, NULL), b, NULL);
      break;
    default:
      break;
  }
  return j;
}

#endif
