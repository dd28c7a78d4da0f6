/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stepper asks within one step: which pairs come near a body, when the next event is, and how deep two solids
 * are in each other. A ball of radius 0.5 m falls 3 m onto a box within the step. */
#include <stdio.h>

#include "brink/ccd.h"
#include "brink/steps.h"

static double sinkSome(void *user, brinkColliderId a, brinkColliderId b, uint64_t dataA, uint64_t dataB,
                       double *limit) {
  (void)user, (void)a, (void)b, (void)dataA, (void)dataB;
  *limit = 0.1; /* m, in all */
  return 0.05;  /* m, in one query */
}

int main(void) {
  const brinkPlugin *api = brinkEntry(BRINK_ABI_MAJOR, NULL);
  const brinkStepsTable *steps = api != NULL ? api->getExtension(BRINK_STEPS_NAME) : NULL;
  brinkWorld *world = NULL;
  if (steps == NULL || api->createWorld(NULL, NULL, &world) != brink_ok) return 1;
  brinkShapeDef round = {.structSize = sizeof round, .type = brink_sphere, .size = {0.5, 0, 0}};
  brinkShapeDef cube = {.structSize = sizeof cube, .type = brink_box, .size = {1, 1, 1}};
  brinkBodyDef bodyDef = {.structSize = sizeof bodyDef, .pose = {{0, 0, 3}, {1, 0, 0, 0}}};
  brinkShapeId ballShape, boxShape;
  brinkBodyId body;
  brinkColliderId ball, box;
  api->createShape(world, &round, &ballShape);
  api->createShape(world, &cube, &boxShape);
  api->createBody(world, &bodyDef, &body);
  brinkColliderDef def = {
      .structSize = sizeof def, .body = body, .shape = ballShape, .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
  def.categoryBits = def.collideBits = 1;
  api->createCollider(world, &def, &ball);
  def.body = 0;
  def.shape = boxShape;
  api->createCollider(world, &def, &box);
  const brinkBodyMotion falls = {.structSize = sizeof falls,
                                 .kind = brink_motionPoses,
                                 .pose0 = {{0, 0, 3}, {1, 0, 0, 0}},
                                 .pose1 = {{0, 0, 0}, {1, 0, 0, 0}}};
  api->setBodyMotion(world, body, &falls);
  steps->setSink(world, sinkSome, NULL);
  steps->leaveOutResting(world, 1); /* pairs of which nothing moves are not asked */

  const brinkColliderPair *pairs = NULL;
  size_t pairCount = 0;
  int good = steps->pairsOf(world, &body, 1, 0, 1, 0.01, &pairs, &pairCount) == brink_ok && pairCount == 1;
  const brinkQuery query = {.structSize = sizeof query, .tEnd = 1};
  brinkReport report = {.structSize = sizeof report};
  good = good && steps->beginQuestion(world, &query) == brink_ok;
  good = good && steps->nextEvents(world, 0, &report, NULL) == brink_ok && report.contactCount == 1;
  if (good) printf("%zu pair near; the ball arrives at %.4f of the step\n", pairCount, report.contacts[0].toi);
  good = good && steps->endQuestion(world) == brink_ok;
  brinkSinking depth = {.structSize = sizeof depth};
  good = good && steps->sinking(world, ball, box, 0.5, &depth) == brink_ok && depth.depth > 0;
  if (good) printf("half way: %.3f m between them, %.3f m of sinking allowed\n", depth.separation, depth.limit);
  brinkContact near;
  good = good && steps->distanceBelow(world, ball, box, 0, 0.5, &near) == brink_ok;
  if (good) printf("at the start the ball is %s half a metre\n", near.distance < 0.5 ? "within" : "beyond");
  if (!good) fprintf(stderr, "steps: %s\n", api->lastError(world));
  api->destroyWorld(world);
  return good ? 0 : 1;
}
