/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of both hooks from the environment (docs/ode.md), and their log. Read once, at the first use. */
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks.h"

static pthread_once_t settingsOnce = PTHREAD_ONCE_INIT;
static int defaultCallback = dBrinkCallbackReplay;
static bool settled; /* they are read */
static hookSettings settings;
static FILE *logFile; /* NULL: warnings only, to stderr */

void dxHookSay(bool always, const char *format, ...) {
  FILE *file = logFile != NULL ? logFile : always ? stderr : NULL;
  if (file == NULL) {
    return;
  }
  char line[640];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  fprintf(file, "brink: %s\n", line);
  fflush(file);
}

static int readWord(const char *name, const char *const words[], int count, int otherwise) {
  const char *value = getenv(name);
  if (value == NULL || value[0] == '\0') {
    return otherwise;
  }
  for (int i = 0; i < count; ++i) {
    if (strcmp(value, words[i]) == 0) {
      return i;
    }
  }
  char known[128] = "";
  for (int i = 0; i < count; ++i) {
    snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i > 0 ? ", " : "", words[i]);
  }
  dxHookSay(true, "%s=%s is none of %s; '%s' is used", name, value, known, words[otherwise]);
  return otherwise;
}

static double readNumber(const char *name, double least, double otherwise) {
  const char *value = getenv(name);
  if (value == NULL || value[0] == '\0') {
    return otherwise;
  }
  char *end;
  double number = strtod(value, &end);
  if (*end != '\0' || !isfinite(number) || number < least) {
    dxHookSay(true, "%s=%s is not a number of at least %g; it is left out", name, value, least);
    return otherwise;
  }
  return number;
}

static void readSettings(void) {
  static const char *const modes[] = {"off", "report", "speculative", "advance", "clamp"}; /* by dBrinkMode */
  static const char *const callbacks[] = {"replay", "capture"};
  static const char *const registers[] = {"auto", "none", "meshes", "all"};
  static const char *const logs[] = {"",  "0", "off", "error", "warning", "stderr",
                                     "1", "2", "3",   "on",    "info",    "debug"};
  const int known = (int)(sizeof(logs) / sizeof(*logs));
  const char *log = getenv("BRINK_LOG");
  int word = 0;
  while (log != NULL && word < known && strcmp(log, logs[word]) != 0) {
    word++;
  }
  if (word >= 5 && word < known) { /* from "stderr" on */
    logFile = stderr;
  } else if (word == known) {
    logFile = fopen(log, "a");
    if (logFile == NULL) {
      dxHookSay(true, "BRINK_LOG=%s cannot be written; warnings go to stderr", log);
    }
  }
  settled = true;
  settings.mode = readWord("BRINK_MODE", modes, 5, dBrinkModeAdvance);
  settings.callback = readWord("BRINK_CALLBACK", callbacks, 2, defaultCallback);
  settings.registers = (hookRegister)readWord("BRINK_REGISTER", registers, 4, hookRegisterAuto);
  settings.substeps = (int)fmin(readNumber("BRINK_SUBSTEPS", 0, -1), 1000);
  settings.allowance = readNumber("BRINK_ALLOWANCE", 0, 0);
  settings.records = getenv("BRINK_RECORD");
  dxHookSay(false, "mode %s, callback %s, ODE: %s", modes[settings.mode], callbacks[settings.callback],
            dGetConfiguration());
}

const hookSettings *dxHookSettings(void) {
  pthread_once(&settingsOnce, readSettings);
  return &settings;
}

bool dxHookLogs(void) { return logFile != NULL; }

int dBrinkHookSetCallback(int callback) {
  if (settled || (callback != dBrinkCallbackReplay && callback != dBrinkCallbackCapture)) {
    return dxBrinkFail(NULL, "dBrinkHookSetCallback: %d %s", callback,
                       settled ? "comes too late: set it before the first call of ODE that goes through Brink"
                               : "is none of dBrinkCallbackReplay (0) and dBrinkCallbackCapture (1)");
  }
  defaultCallback = callback;
  return dxBrinkSucceed(NULL);
}

/* Must pairs be shown ahead? Where callbacks are not called inside the step, or no contacts are made there. */
bool dxHookLooksAhead(void) {
  const hookSettings *set = dxHookSettings();
  return (set->callback == dBrinkCallbackCapture && set->mode != dBrinkModeReport) || set->mode == dBrinkModeClamp;
}
