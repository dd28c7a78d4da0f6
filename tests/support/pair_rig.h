/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BRINK_TESTS_PAIR_RIG_H
#define BRINK_TESTS_PAIR_RIG_H
/* For tests of one pair (advance, swept axes; clearance and swept volumes by clearance_rig.h): the scratches, a tree of
 * links, makers of questions, and questions asked in any floating-point mode. */
#include "advance.h"
#include "contact_support.h"
#include "random_pairs.h"
#include "rounding_modes.h"
#include "swept_axis.h"

typedef struct rig {
  brinkContext context;
  brinkAdvanceScratch *advance;
  brinkSweptAxisScratch *swept;
  void *clearance; /* clearance_rig.h; NULL until it first asks */
  void (*freeClearance)(brinkContext *context, void *scratch);
  testTree tree;
  brinkAdvanceWork work;
  int mode; /* of rounding_modes.h: what questions are asked under */
} rig;

static inline void startRig(rig *r) {
  memset(r, 0, sizeof *r);
  brinkInitContext(&r->context);
  r->advance = brinkAdvanceScratch_Create(&r->context);
  r->swept = brinkSweptAxisScratch_Create(&r->context);
  assert_non_null(r->advance);
  assert_non_null(r->swept);
  clearTree(&r->tree);
}
static inline void stopRig(rig *r) {
  brinkAdvanceScratch_Destroy(&r->context, r->advance);
  brinkSweptAxisScratch_Destroy(&r->context, r->swept);
  if (r->freeClearance) r->freeClearance(&r->context, r->clearance);
}

/* A rig that starts here and stops where its block ends. */
#define RIG(name)                             \
  rig name __attribute__((cleanup(stopRig))); \
  startRig(&(name))

static inline int32_t addMoving(rig *r, brinkVec3 position, brinkQuat q, brinkVec3 velocity, brinkVec3 spin) {
  oracleLink link = makeLink(position, q, velocity, spin);
  return addChain(&r->tree, &link, 1, -1);
}

static inline brinkAdvanceInput makeInput(rig *r, const brinkShape *a, int32_t linkA, const brinkShape *b,
                                          int32_t linkB, double tolerance) {
  brinkAdvanceInput input = {.tree = &r->tree.tree, .tEnd = 1, .tolerance = tolerance, .stopAfter = HUGE_VAL};
  input.a = (brinkCollider){a, brinkIdentityRigid(), linkA};
  input.b = (brinkCollider){b, brinkIdentityRigid(), linkB};
  return input;
}

/* ---- questions */

static inline brinkPairResult askPaper(rig *r, const brinkAdvanceInput *input) {
  brinkPairResult result;
  enterMode(r->mode);
  brinkStatus status = brinkAdvancePair(&r->context, r->advance, input, &result, &r->work);
  leaveMode();
  if (status != brink_ok) fail_msg("%s", r->context.message);
  return result;
}

static inline brinkPairResult askAxes(rig *r, const brinkAdvanceInput *input) {
  brinkPairResult result;
  assert_true(brinkSweptAxisServes(input));
  enterMode(r->mode);
  brinkStatus status = brinkSweptAxisPair(&r->context, r->swept, r->advance, input, &result, &r->work);
  leaveMode();
  if (status != brink_ok) fail_msg("%s", r->context.message);
  return result;
}

/* ---- random pairs in the rig's tree */

typedef struct prepared {
  randomPair pair;
  brinkShape *shapes[2];
  oracleBody bodies[2]; /* for the oracle: what both share is left out, as it does not change distances */
} prepared;

/* meshes: convex bodies too are asked as meshes, as solids */
static inline void prepare(rig *r, uint64_t seed, bool convexOnly, bool meshes, int maxLinks, double turn, int shared,
                           prepared *p, brinkAdvanceInput *input, double eps) {
  generator g = {seed};
  makeRandomPair(&g, convexOnly, maxLinks, turn, &p->pair);
  if (shared) shareLinks(&g, shared, &p->pair);
  finishPair(&p->pair);
  clearTree(&r->tree);
  int32_t base = shared ? addChain(&r->tree, p->pair.chains[0], shared, -1) : -1, links[2];
  for (int k = 0; k < 2; ++k) {
    links[k] = addChain(&r->tree, &p->pair.chains[k][shared], p->pair.counts[k] - shared, base);
    bool hull = p->pair.convex[k] && !meshes;
    p->shapes[k] = makeMeshShape(&r->context, &p->pair.meshes[k], hull ? testHull : testMesh,
                                 meshes && p->pair.convex[k] ? BRINK_MESH_SOLID : 0);
    p->bodies[k] = p->pair.bodies[k];
    p->bodies[k].chain += shared;
    p->bodies[k].linkCount -= shared;
  }
  *input = makeInput(r, p->shapes[0], links[0], p->shapes[1], links[1], eps);
}
static inline void drop(rig *r, prepared *p) {
  for (int k = 0; k < 2; ++k) brinkDestroyShape(&r->context, p->shapes[k]);
}

#endif
