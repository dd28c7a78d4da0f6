/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_CLEARANCE_RIG_H
#define BRINK_TESTS_CLEARANCE_RIG_H
/* The rig of pairs with questions about clearance. */
#include "clearance.h"
#include "pair_rig.h"

static inline void freeClearance(brinkContext *context, void *scratch) {
  brinkClearanceScratch_Destroy(context, scratch);
}

/* The rig's own scratch, made when it is first asked for. */
static inline brinkClearanceScratch *clearanceScratch(rig *r) {
  if (!r->clearance) r->clearance = brinkClearanceScratch_Create(&r->context);
  assert_non_null(r->clearance);
  r->freeClearance = freeClearance;
  return r->clearance;
}

static inline brinkClearanceInput makeClearanceInput(rig *r, const brinkShape *a, int32_t linkA, const brinkShape *b,
                                                     int32_t linkB) {
  return (brinkClearanceInput){
      .tree = &r->tree.tree, .a = {a, brinkIdentityRigid(), linkA}, .b = {b, brinkIdentityRigid(), linkB}, .tEnd = 1.0};
}

static inline brinkClearanceResult askClearance(rig *r, const brinkClearanceInput *input) {
  brinkClearanceResult result;
  enterMode(r->mode);
  brinkStatus status = brinkMeasureClearance(&r->context, clearanceScratch(r), r->advance, input, &result);
  leaveMode();
  if (status != brink_ok) fail_msg("clearance: %s", r->context.message);
  return result;
}

#endif
