/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions that ODE answers only by an assertion: was dInitODE2 called? Is this space calling back? Has this geom a
 * place? Each asks by a call that does nothing in one case and asserts before it has changed anything in the other
 * (read in ODE's source, seen with 0.16.2); the assertion is caught by ODE's own handler instead of ending the process.
 * A library built without assertions (ODE_EXT_no_debug) cannot be asked, and does not end the process either. Thread
 * rule: one lock, since ODE's handler belongs to the process. */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "../dxbrink.h"

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf asserted;
static char assertedText[256];

static void catchAssertion(int number, const char *message, va_list arguments) {
  (void)number;
  vsnprintf(assertedText, sizeof(assertedText), message, arguments);
  longjmp(asserted, 1);
}

static bool cannotAsk(void) { return dCheckConfiguration("ODE_EXT_no_debug") != 0; }

/* Does the call assert, with a text that names the word (NULL: any)? */
static bool asserts(void (*call)(void *), void *subject, const char *word) {
  pthread_mutex_lock(&asking);
  dMessageFunction *volatile previous = dGetDebugHandler();
  volatile bool caught = false;
  dSetDebugHandler(catchAssertion);
  if (setjmp(asserted) == 0) {
    call(subject);
  } else {
    caught = word == NULL || strstr(assertedText, word) != NULL;
  }
  dSetDebugHandler(previous);
  pthread_mutex_unlock(&asking);
  return caught;
}

/* Does nothing in an initialised library: the calling thread's data is there already, or is made as any user of a
 * thread must. */
static void allocateThreadData(void *subject) {
  *(bool *)subject = dAllocateODEDataForThread(dAllocateFlagBasicData) != 0;
}

bool dxBrinkOdeIsInitialised(void) {
  bool allocated = false;
  return cannotAsk() || (!asserts(allocateThreadData, &allocated, NULL) && allocated);
}

/* Taking out a geom that is not in the space asserts in any case: first that the space is locked, if it is. */
static void removeOutsider(void *subject) {
  dGeomID *pair = subject;
  dSpaceRemove((dSpaceID)pair[0], pair[1]);
}

bool dxBrinkIsLocked(dSpaceID space, dGeomID outsider) {
  dGeomID pair[2] = {(dGeomID)space, outsider};
  return !cannotAsk() && asserts(removeOutsider, pair, "locked");
}

static void readPosition(void *subject) { (void)dGeomGetPosition(subject); }

bool dxBrinkIsPlaceless(dGeomID geom) {
  int geomClass = dGeomGetClass(geom);
  if (geomClass != dHeightfieldClass || cannotAsk()) {
    return geomClass == dPlaneClass;
  }
  return asserts(readPosition, geom, NULL);
}

/* ---- what the direct solver says */

static pthread_mutex_t hearing = PTHREAD_MUTEX_INITIALIZER;
static int hearers;              /* solves that are listened to, of all threads */
static dMessageFunction *theirs; /* the program's handler, while there are some; NULL: none */
static _Thread_local bool gaveUp;

static void hear(int number, const char *message, va_list arguments) {
  pthread_mutex_lock(&hearing);
  dMessageFunction *const program = theirs;
  pthread_mutex_unlock(&hearing);
  gaveUp = gaveUp || number == d_ERR_LCP;
  if (program != NULL) {
    program(number, message, arguments);
  }
}

static void hearFor(int solves) {
  pthread_mutex_lock(&hearing);
  theirs = hearers == 0 ? dGetMessageHandler() : theirs;
  hearers += solves;
  dSetMessageHandler(hearers > 0 ? hear : theirs);
  pthread_mutex_unlock(&hearing);
}

bool dxBrinkGivesUp(void (*solve)(dBrinkID, double, bool), dBrinkID brink, double h, bool quick) {
  gaveUp = false;
  hearFor(1);
  solve(brink, h, quick);
  hearFor(-1);
  return gaveUp;
}
