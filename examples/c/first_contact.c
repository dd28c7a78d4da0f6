/* SPDX-License-Identifier: BSD-3-Clause */
/* A first program: does a bar that flies and turns touch a plate on its way, and when? The first way meets the plate in
 * mid-step; the second passes above it, and `free` is a proof of that. Outside the tree:
 *   cc first_contact.c $(pkg-config --cflags --libs brink) -o first_contact */
#include <stdio.h>
#include <stdlib.h>

#include "brink/ccd.h"

static const brinkPlugin *brink; /* the table of all calls */
static brinkWorld *world;

/* Every call says whether it went well; lastError says what was wrong, where, and what to do. */
static void must(brinkStatus status) {
  if (status == brink_ok) return;
  fprintf(stderr, "first_contact: %s\n", world != NULL ? brink->lastError(world) : brink->statusText(status));
  exit(1);
}

/* A box is stated by its half lengths, in metres. Every struct begins with its size, so that it can grow; the rest may
 * be zero. */
static brinkShapeId makeBox(double x, double y, double z) {
  const brinkShapeDef def = {.structSize = sizeof def, .type = brink_box, .size = {x / 2, y / 2, z / 2}};
  brinkShapeId box;
  must(brink->createShape(world, &def, &box));
  return box;
}

/* A collider puts a shape on a body; body 0 is the world itself, which never moves. */
static void place(brinkBodyId body, brinkShapeId shape) {
  const brinkColliderDef def = {.structSize = sizeof def,
                                .body = body,
                                .shape = shape,
                                .pose = {.rotation = {.w = 1}},
                                .categoryBits = 1, /* what it is, and what it meets: all meet all */
                                .collideBits = 1};
  brinkColliderId collider;
  must(brink->createCollider(world, &def, &collider));
}

/* One step of the bar: from `start` 6 m along x and 20 radians about z. Time runs from 0 to 1 in it. */
static uint32_t ask(brinkBodyId bar, const brinkPose *start) {
  const brinkBodyMotion motion = {.structSize = sizeof motion,
                                  .kind = brink_motionVelocities,
                                  .pose0 = *start,
                                  .velocity = {6, 0, 0},
                                  .spin = {0, 0, 20}};
  const brinkQuery query = {.structSize = sizeof query, .tEnd = 1};
  brinkReport report = {.structSize = sizeof report};
  must(brink->setBodyMotion(world, bar, &motion));
  must(brink->firstContact(world, &query, &report));
  if (report.state == brink_free) { /* nothing touches at any time of the step, not only at some samples */
    printf("free: proven for the whole step\n");
  } else if (report.state == brink_unresolved) { /* a budget was spent: take toi as a contact */
    printf("not decided; nothing touches before t = %.6f\n", report.toi);
  } else {                                   /* hit, or overlap: they touch at the start */
    const brinkContact *c = report.contacts; /* the world's, until the next question. A: the plate, made first */
    printf("hit: nothing touches before t = %.9f, they touch by t = %.9f\n", c->toi, c->toiUpper);
    printf("     point of the plate (%.3f, %.3f, %.3f), normal to the bar (%.3f, %.3f, %.3f)\n", c->pointA.x,
           c->pointA.y, c->pointA.z, c->normal.x, c->normal.y, c->normal.z);
  }
  return report.state;
}

int main(void) {
  const char *reason = NULL;
  brink = brinkEntry(BRINK_ABI_MAJOR, &reason);
  if (brink == NULL) { /* a library of another major version */
    fprintf(stderr, "first_contact: %s\n", reason);
    return 1;
  }
  must(brink->createWorld(NULL, NULL, &world)); /* a host may give its allocator and log here */

  const brinkPose before = {{-3, 0, 0}, {1, 0, 0, 0}}, above = {{-3, 0, 1.2}, {1, 0, 0, 0}}; /* place; w x y z */
  const brinkBodyDef def = {.structSize = sizeof def, .pose = before};
  brinkBodyId bar;
  must(brink->createBody(world, &def, &bar));
  place(0, makeBox(0.01, 2, 2));
  place(bar, makeBox(1, 0.05, 0.05));

  const uint32_t first = ask(bar, &before), second = ask(bar, &above);
  must(brink->destroyWorld(world));
  return first == brink_hit && second == brink_free ? 0 : 1;
}
