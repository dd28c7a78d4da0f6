/* SPDX-License-Identifier: BSD-3-Clause */
/* What all files of the step use: growing arrays, numbers that can be computed with, words for the host. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "stepper.h"

bool brinkStepReserve(void **items, size_t *capacity, size_t count, size_t itemSize) {
  if (count < *capacity) {
    return true;
  }
  size_t wider = *capacity == 0 ? 16 : 2 * *capacity;
  while (wider <= count) {
    wider *= 2;
  }
  void *moved = realloc(*items, wider * itemSize);
  if (moved == NULL) {
    return false;
  }
  *items = moved;
  *capacity = wider;
  return true;
}

/* Brink computes with less than BRINK_STEP_LARGEST; some engines assert where a square overflows. */
bool brinkStepAllFinite(const double *values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!(fabs(values[i]) < BRINK_STEP_LARGEST)) {
      return false;
    }
  }
  return true;
}

static void say(brinkStepper *stepper, brinkLogLevel level, const char *format, va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof(text), format, arguments);
  stepper->host->say(stepper->user, level, text);
}

int brinkStepFail(brinkStepper *stepper, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(stepper, brink_logError, format, arguments);
  va_end(arguments);
  return 0;
}

void brinkStepLog(brinkStepper *stepper, brinkLogLevel level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(stepper, level, format, arguments);
  va_end(arguments);
}
