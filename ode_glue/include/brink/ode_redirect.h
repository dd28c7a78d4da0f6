/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_ODE_REDIRECT_H
#define BRINK_ODE_REDIRECT_H
/* One include makes an ODE program a Brink program:
 *
 *     #include <brink/ode_redirect.h>     // instead of <ode/ode.h>, or before it
 *
 * The calls that collide, step, make contacts or destroy things go through Brink from here on; all others are ODE's
 * own. Give it to every file that uses ODE (for example by the compiler's -include option): a body or space must not be
 * destroyed behind Brink's back. C++ classes (dWorld, dBody, ...) are redirected as well, if this comes before
 * <ode/ode.h>.
 *
 * Your near callbacks are called again inside the step, for pairs that are struck there: the data you gave to
 * dSpaceCollide must still be there then. If it is not (a temporary object), set dBrinkCallbackCapture. Collide and
 * step a world in one thread.
 *
 * Environment, read at the first call: BRINK_MODE and others, see docs/ode.md. */

#include <ode/odeconfig.h>
#include <ode/common.h>
#include <ode/odeinit.h>
#include <ode/contact.h>
#include <ode/objects.h>
#include <ode/collision_space.h>
#include <ode/collision.h>

#ifndef BRINK_ODE_API
#if defined(_WIN32)
#define BRINK_ODE_API
#else
#define BRINK_ODE_API __attribute__((visibility("default")))
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct dxBrink;

BRINK_ODE_API void dBrinkHookSpaceCollide(dSpaceID space, void *data, dNearCallback *callback);
BRINK_ODE_API void dBrinkHookSpaceCollide2(dGeomID space1, dGeomID space2, void *data, dNearCallback *callback);
BRINK_ODE_API int dBrinkHookWorldStep(dWorldID world, double h, unsigned realSize);
BRINK_ODE_API int dBrinkHookWorldQuickStep(dWorldID world, double h, unsigned realSize);
BRINK_ODE_API dJointID dBrinkHookJointCreateContact(dWorldID world, dJointGroupID group, const dContact *contact);
BRINK_ODE_API void dBrinkHookBodyDestroy(dBodyID body);
BRINK_ODE_API void dBrinkHookSpaceDestroy(dSpaceID space);
BRINK_ODE_API void dBrinkHookGeomDestroy(dGeomID geom);
BRINK_ODE_API void dBrinkHookWorldDestroy(dWorldID world);
BRINK_ODE_API void dBrinkHookCloseODE(void);

/* The dBrink of a world that came through a hook, for the settings and the step info of brink/ode.h; NULL: none. Owned
 * by the hook: never dBrinkDestroy it. */
BRINK_ODE_API struct dxBrink *dBrinkOfWorld(dWorldID world);

/* How the program's contacts at an impact are found. */
enum {
  dBrinkCallbackReplay = 0, /* its near callback is called inside the step */
  dBrinkCallbackCapture = 1 /* only inside its own dSpaceCollide; see docs/ode.md */
};
/* callback: one of these, for the whole process; BRINK_CALLBACK overrides it. Nonzero for success. 0: it is none of
 * them, or comes after the first call that went through Brink; dBrinkGetError(NULL) says which. */
BRINK_ODE_API int dBrinkHookSetCallback(int callback);
/* For preload.c: nonzero while Brink or ODE themselves make the call, not the program. */
BRINK_ODE_API int dBrinkHookInside(void);

#ifdef __cplusplus
}
#endif

/* dWorldStep with the caller's dReal. A function: a pointer to dWorldStep leads here, too. */
ODE_PURE_INLINE int dBrinkHookStep(dWorldID w, dReal h) { return dBrinkHookWorldStep(w, h, (unsigned)sizeof h); }
/* dWorldQuickStep likewise. */
ODE_PURE_INLINE int dBrinkHookQuick(dWorldID w, dReal h) { return dBrinkHookWorldQuickStep(w, h, (unsigned)sizeof h); }

#ifndef BRINK_ODE_REDIRECT_NAMES_ONLY
#define dSpaceCollide dBrinkHookSpaceCollide
#define dSpaceCollide2 dBrinkHookSpaceCollide2
#define dWorldStep dBrinkHookStep
#define dWorldQuickStep dBrinkHookQuick
#define dJointCreateContact dBrinkHookJointCreateContact
#define dBodyDestroy dBrinkHookBodyDestroy
#define dSpaceDestroy dBrinkHookSpaceDestroy
#define dGeomDestroy dBrinkHookGeomDestroy
#define dWorldDestroy dBrinkHookWorldDestroy
#define dCloseODE dBrinkHookCloseODE
#endif

/* After the names: ODE's C++ classes are inline and are compiled with what the names mean now. */
#include <ode/ode.h>

#endif
