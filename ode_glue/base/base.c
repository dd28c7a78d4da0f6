/* SPDX-License-Identifier: BSD-3-Clause */
/* What every room of the glue does alike: error texts, the log, refusing what may not be called inside
 * a step. And the list of all dBrinks of the process, behind one lock that serves the narrowphase too. */
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../dxbrink.h"

static char createError[512]; /* of the last failed dBrinkCreate: there is no object to keep it in */

/* ---- texts */

void dxBrinkLog(dBrinkID brink, brinkLogLevel level, const char *format, ...) {
  if (brink->chosen.log == NULL) {
    return;
  }
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  brink->chosen.log(brink->chosen.logUser, (int)level, message);
}

int dxBrinkFail(dBrinkID brink, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(brink != NULL ? brink->error : createError, sizeof(createError), format, arguments);
  va_end(arguments);
  if (brink != NULL) {
    dxBrinkLog(brink, brink_logError, "%s", brink->error);
  }
  return 0;
}

int dxBrinkSucceed(dBrinkID brink) {
  (brink != NULL ? brink->error : createError)[0] = '\0';
  return 1;
}

const char *dBrinkGetError(dBrinkID brink) { return brink != NULL ? brink->error : createError; }

int dxBrinkPluginFailed(dBrinkID brink, const char *what) {
  return dxBrinkFail(brink, "%s: %s", what, brink->shapes.plugin->lastError(brink->shapes.world));
}

int dxBrinkNoMemory(dBrinkID brink) { return dxBrinkFail(brink, "no memory for the mirror of the ODE world"); }

bool dxBrinkMayCall(dBrinkID brink, const char *where) {
  if (brink != NULL && brink->busy) {
    dxBrinkFail(brink, "%s: called from inside a step's near callback; call it between steps", where);
  }
  return brink != NULL && !brink->busy;
}

/* ---- all dBrinks */

static pthread_mutex_t listLock = PTHREAD_MUTEX_INITIALIZER;
static dxBrink *firstListed;

void dxBrinkLockList(void) { pthread_mutex_lock(&listLock); }

void dxBrinkUnlockList(void) { pthread_mutex_unlock(&listLock); }

dxBrink **dxBrinkList(void) { return &firstListed; }

dxBrink *dxBrinkNextListed(const dxBrink *brink) {
  dxBrinkLockList();
  dxBrink *next = brink == NULL ? firstListed : brink->next;
  dxBrinkUnlockList();
  return next;
}

bool dxBrinkHasCounterpart(dBrinkID brink) {
  dxBrinkLockList();
  const dxBrink *at = firstListed;
  while (at != NULL && (at == brink || at->world != brink->world)) {
    at = at->next;
  }
  dxBrinkUnlockList();
  return at != NULL;
}
