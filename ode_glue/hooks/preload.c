/* SPDX-License-Identifier: BSD-3-Clause */
/* libbrink_preload.so: Brink in a program that was never built for it.
 *
 *     LD_PRELOAD=libbrink_preload.so program
 *
 * Stands before libode in the loader's search, takes the calls that collide, step, make contacts or destroy things, and
 * hands them to the hooks' core (hooks.c), whose own calls of the same names come back here and go on to ODE. The
 * library links libode itself: else RTLD_NEXT would find nothing where a program loads ODE by dlopen, as Python does.
 *
 * It stands aside, with one line on stderr, where it cannot serve: a single-precision libode (whose dReal is float:
 * same names, other arguments), or an ODE that is linked into the program (then nothing comes by here). Processes that
 * have no ODE are left alone in silence. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BRINK_ODE_REDIRECT_NAMES_ONLY
#include "brink/ode_redirect.h"

#define EXPORT __attribute__((visibility("default")))

/* ODE's functions that are called by their real names: those Brink stands before, and dCheckConfiguration. */
#define FUNCTIONS(X)      \
  X(dSpaceCollide);       \
  X(dSpaceCollide2);      \
  X(dWorldStep);          \
  X(dWorldQuickStep);     \
  X(dJointCreateContact); \
  X(dBodyDestroy);        \
  X(dSpaceDestroy);       \
  X(dGeomDestroy);        \
  X(dWorldDestroy);       \
  X(dCloseODE);           \
  X(dCheckConfiguration)
#define MEMBER(name) __typeof__(&(name)) name
typedef struct realFunctions {
  FUNCTIONS(MEMBER);
} realFunctions;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static realFunctions real;
static int aside;  /* nonzero: every call goes straight to ODE */
static int single; /* dReal is float there */

static void findFunction(void *function, const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, sizeof(found));
  aside = aside || found == NULL;
}

#define FIND(name) findFunction(&real.name, #name)

static void standAside(const char *why) {
  aside = 1;
  fprintf(stderr, "brink: stands aside: %s\n", why);
}

static void findAll(void) {
  const char *mode = getenv("BRINK_MODE");
  FUNCTIONS(FIND);
  if (aside) {
    standAside("this libode lacks functions that Brink stands before; ODE 0.13 or later is needed");
    return;
  }
  single = !real.dCheckConfiguration("ODE_double_precision");
  if (single) {
    standAside("this program's libode is single precision, Brink needs a double-precision build; nothing is changed");
  }
  aside = aside || (mode != NULL && strcmp(mode, "off") == 0);
  (void)dBrinkHookSetCallback(dBrinkCallbackCapture); /* nothing is known of a program's data */
}

/* ---- an ODE inside the program */

/* Does this memory hold ODE's list of features, "ODE ODE_EXT_... ODE_double_precision" or such? Every ODE has one. */
static int hasFeatureList(const char *bytes, size_t size) {
  static const char token[] = "ODE ODE_"; /* of one text, as dGetConfiguration returns it */
  const char *at = bytes, *end = bytes + size;
  while ((at = memmem(at, (size_t)(end - at), token, sizeof(token) - 1)) != NULL) {
    const char *stop = memchr(at, '\0', (size_t)(end - at));
    if (stop != NULL && memmem(at, (size_t)(stop - at), "_precision", 10) != NULL) {
      return 1;
    }
    at += sizeof(token) - 1;
  }
  return 0;
}

/* Looks for that list in the constant data and code of the program itself, the first object. */
static int lookIntoProgram(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && (part->p_flags & PF_R) && !(part->p_flags & PF_W) &&
        hasFeatureList((const char *)(info->dlpi_addr + part->p_vaddr), part->p_filesz)) {
      *(int *)found = 1;
    }
  }
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  int inside = 0;
  pthread_once(&once, findAll);
  dl_iterate_phdr(lookIntoProgram, &inside);
  if (inside) {
    standAside("ODE is linked into this program, its calls do not come by; link it with a shared libode");
  }
}

/* ---- ODE's names */

/* Is the call ODE's alone? Finds ODE's functions first: some library's constructor may come here before ours. */
static int goesOn(void) {
  pthread_once(&once, findAll);
  return aside || dBrinkHookInside();
}

EXPORT void dSpaceCollide(dSpaceID space, void *data, dNearCallback *callback) {
  if (goesOn()) {
    real.dSpaceCollide(space, data, callback);
  } else {
    dBrinkHookSpaceCollide(space, data, callback);
  }
}

EXPORT void dSpaceCollide2(dGeomID space1, dGeomID space2, void *data, dNearCallback *callback) {
  if (goesOn()) {
    real.dSpaceCollide2(space1, space2, data, callback);
  } else {
    dBrinkHookSpaceCollide2(space1, space2, data, callback);
  }
}

/* Steps a single-precision ODE. Its caller passed a float: it lies in the lower half of the register, or at the place,
 * where a double is looked for here. */
static int stepSingly(int (*step)(dWorldID world, dReal h), dWorldID world, dReal h) {
  float length;
  int (*asFloat)(dWorldID, float);
  memcpy(&length, &h, sizeof(length));
  memcpy(&asFloat, &step, sizeof(step));
  return asFloat(world, length);
}

EXPORT int dWorldStep(dWorldID world, dReal h) {
  if (goesOn()) {
    return single ? stepSingly(real.dWorldStep, world, h) : real.dWorldStep(world, h);
  }
  return dBrinkHookWorldStep(world, h, (unsigned)sizeof(h));
}

EXPORT int dWorldQuickStep(dWorldID world, dReal h) {
  if (goesOn()) {
    return single ? stepSingly(real.dWorldQuickStep, world, h) : real.dWorldQuickStep(world, h);
  }
  return dBrinkHookWorldQuickStep(world, h, (unsigned)sizeof(h));
}

EXPORT dJointID dJointCreateContact(dWorldID world, dJointGroupID group, const dContact *contact) {
  return goesOn() ? real.dJointCreateContact(world, group, contact)
                  : dBrinkHookJointCreateContact(world, group, contact);
}

/* A destruction inside another (dCloseODE destroys worlds) is ODE's own work. */
#define DESTROYS(function, type)     \
  EXPORT void d##function(type it) { \
    if (goesOn()) {                  \
      real.d##function(it);          \
    } else {                         \
      dBrinkHook##function(it);      \
    }                                \
  }
DESTROYS(BodyDestroy, dBodyID)
DESTROYS(SpaceDestroy, dSpaceID)
DESTROYS(GeomDestroy, dGeomID)
DESTROYS(WorldDestroy, dWorldID)

EXPORT void dCloseODE(void) {
  if (goesOn()) {
    real.dCloseODE();
  } else {
    dBrinkHookCloseODE();
  }
}
