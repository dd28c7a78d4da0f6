/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ODE_WORLD_H
#define ODE_WORLD_H
/* A small ODE world for tests of the glue: one hash space, the usual near callback, one step with or without Brink,
 * energy. Units: SI. */
#include <math.h>
#include <ode/ode.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "brink/ode.h"
#include "test_random.h"

typedef struct odeWorld {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBrinkID brink; /* NULL: plain ODE */
  bool quick;
  double h, bounce, mu;
  dGeomID sensor; /* a geom that reports and makes no contact, or NULL */
  long nearCalls, sensorCalls;
} odeWorld;

static inline void odeWorld_Near(void *data, dGeomID a, dGeomID b) {
  odeWorld *w = data;
  dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
  w->nearCalls++;
  if (bodyA != NULL && bodyB != NULL && dAreConnectedExcluding(bodyA, bodyB, dJointTypeContact)) {
    return;
  }
  dContactGeom geoms[8];
  int count = dCollide(a, b, 8, geoms, sizeof(geoms[0]));
  if (a == w->sensor || b == w->sensor) {
    w->sensorCalls += count > 0;
    return;
  }
  for (int i = 0; i < count; ++i) {
    dContact contact = {.surface = {.mode = dContactApprox1 | dContactBounce, .mu = w->mu, .bounce = w->bounce}};
    contact.geom = geoms[i];
    dJointAttach(dJointCreateContact(w->world, w->contacts, &contact), bodyA, bodyB);
  }
}

static inline odeWorld *odeWorld_Make(odeWorld *w, bool withBrink, bool quick, double gravity) {
  *w = (odeWorld){.quick = quick, .h = 1.0 / 60, .mu = 0.5};
  w->world = dWorldCreate();
  w->space = dHashSpaceCreate(NULL);
  w->contacts = dJointGroupCreate(0);
  dWorldSetGravity(w->world, 0, 0, gravity);
  if (withBrink) {
    w->brink = dBrinkCreate(w->world);
    dBrinkAddSpace(w->brink, w->space);
  }
  return w;
}

/* With Brink, no gravity, no friction, and contacts that give all speed back. */
static inline odeWorld *odeWorld_MakeElastic(odeWorld *w, bool quick) {
  odeWorld_Make(w, true, quick, 0);
  w->bounce = 1;
  w->mu = 0;
  return w;
}

static inline void odeWorld_End(odeWorld *w) {
  dBrinkDestroy(w->brink);
  dJointGroupDestroy(w->contacts);
  dSpaceDestroy(w->space);
  dWorldDestroy(w->world);
}

/* One frame as an ODE program writes it. */
static inline int odeWorld_Step(odeWorld *w) {
  int done = 1;
  dSpaceCollide(w->space, w, odeWorld_Near);
  if (w->brink != NULL && w->quick) {
    done = dBrinkWorldQuickStep(w->brink, w->h, w, odeWorld_Near, w->contacts);
  } else if (w->brink != NULL) {
    done = dBrinkWorldStep(w->brink, w->h, w, odeWorld_Near, w->contacts);
  } else if (w->quick) {
    dWorldQuickStep(w->world, w->h);
  } else {
    dWorldStep(w->world, w->h);
  }
  dJointGroupEmpty(w->contacts);
  return done;
}

static inline dBrinkStepInfo odeWorld_Info(odeWorld *w) {
  dBrinkStepInfo info = {.structSize = sizeof(info)};
  dBrinkGetStepInfo(w->brink, &info);
  return info;
}

static inline dBodyID odeWorld_Body(odeWorld *w, dGeomID geom, double mass, double x, double y, double z) {
  dBodyID body = dBodyCreate(w->world);
  dMass m;
  dVector3 sides = {1, 1, 1, 0};
  switch (geom != NULL ? dGeomGetClass(geom) : -1) {
    case dSphereClass:
      dMassSetSphereTotal(&m, mass, dGeomSphereGetRadius(geom));
      break;
    case dBoxClass:
      dGeomBoxGetLengths(geom, sides);
      dMassSetBoxTotal(&m, mass, sides[0], sides[1], sides[2]);
      break;
    default:
      dMassSetBoxTotal(&m, mass, 1, 1, 1);
      break;
  }
  dBodySetMass(body, &m);
  if (geom != NULL) {
    dGeomSetBody(geom, body);
  }
  dBodySetPosition(body, x, y, z);
  return body;
}

/* Kinetic plus potential energy over z = 0, J. */
static inline double odeWorld_Energy(const odeWorld *w, dBodyID body) {
  dMass m;
  dVector3 gravity;
  dBodyGetMass(body, &m);
  dWorldGetGravity(w->world, gravity);
  const dReal *v = dBodyGetLinearVel(body), *omega = dBodyGetAngularVel(body), *p = dBodyGetPosition(body);
  dVector3 local;
  dBodyVectorFromWorld(body, omega[0], omega[1], omega[2], local);
  double spin = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      spin += local[i] * m.I[4 * i + j] * local[j];
    }
  }
  double fall = gravity[0] * p[0] + gravity[1] * p[1] + gravity[2] * p[2];
  return 0.5 * m.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 0.5 * spin - m.mass * fall;
}

/* Tests bring their own numbers. */
static inline double odeRandom(uint64_t *state) { return shiftUniform(state, 0, 1); }

static inline double odeUniform(uint64_t *state, double lower, double upper) {
  return shiftUniform(state, lower, upper);
}

/* A user class' collider: geom a collides with b as `shape` does, which is put where a is and destroyed. */
static inline int odeCollideAs(dGeomID shape, dGeomID a, dGeomID b, int flags, dContactGeom *contacts, int skip) {
  const dReal *p = dGeomGetPosition(a);
  dGeomSetPosition(shape, p[0], p[1], p[2]);
  dGeomSetRotation(shape, dGeomGetRotation(a));
  int count = dCollide(shape, b, flags, contacts, skip);
  for (int i = 0; i < count; ++i) {
    ((dContactGeom *)(void *)((char *)contacts + i * skip))->g1 = a;
  }
  dGeomDestroy(shape);
  return count;
}

#endif
