/* SPDX-License-Identifier: BSD-3-Clause */
/* Save and restore: what does Brink remember of a body that its state does not tell? plugin/stepping/start.c says what
 * and until when; a program that saves and restores states takes it along. */
#include "mirror/mirror.h"

static uint32_t find(dBrinkID brink, dBodyID body, const char *where) {
  if (!dxBrinkMayCall(brink, where)) {
    return BRINK_NO_RECORD;
  }
  uint32_t number = dxBrinkFindBody(brink, body);
  if ((number == BRINK_NO_RECORD || !dxBrinkIsMet(dxBrinkOfBody, body)) &&
      dxBrinkRefresh(brink)) { /* a walk for each body of a save would be dear */
    number = dxBrinkFindBody(brink, body);
  }
  if (number == BRINK_NO_RECORD) {
    dxBrinkFail(brink, "%s: the body has no geom in a watched space and no joint to one that has", where);
  }
  return number;
}

int dBrinkGetBodyMemory(dBrinkID brink, dBodyID body) {
  const uint32_t number = find(brink, body, "dBrinkGetBodyMemory");
  return number == BRINK_NO_RECORD || !dxBrinkSucceed(brink) ? -1 : (int)brinkStepMemoryOf(&brink->step, number);
}

int dBrinkSetBodyMemory(dBrinkID brink, dBodyID body, int memory) {
  const uint32_t number = find(brink, body, "dBrinkSetBodyMemory");
  if (number == BRINK_NO_RECORD) {
    return 0;
  }
  if (memory < 0 || memory > (BRINK_STEP_WAS_STRUCK | BRINK_STEP_WAS_STOPPED)) {
    return dxBrinkFail(brink, "dBrinkSetBodyMemory: %d is nothing that dBrinkGetBodyMemory told", memory);
  }
  brinkStepRecall(&brink->step, number, (uint32_t)memory);
  return dxBrinkSucceed(brink);
}
