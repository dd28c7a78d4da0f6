/* SPDX-License-Identifier: BSD-3-Clause */
/* Row 1: chains, boxes, ragdolls and convexes are flung at a free plate and at a wall, with each near callback that
 * ODE's demos and manual show, through each entry, with both solvers. The judge is the plate's own frame: a centre that
 * changes its side within the plate's rectangle went through. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "entries.h"
#include "row.h"

#define THICKNESS 0.005 /* m */
#define WIDTH 4.0
#define DISTANCE 5.0
#define MARGIN 0.3 /* m: nearer to the plate's edge a way past it is no way through */
#define MAX_LATER 4096
#define MAX_BODIES 32

typedef enum flyer { flyChain, flyBox, flyDoll, flyConvex, flyers } flyer;
static const char *const flyerNames[flyers] = {"chain", "box", "ragdoll", "convex"};

typedef enum expectation {
  stopped, /* nothing may pass */
  passing, /* the program wants no contact: all pass */
  refused  /* what is destroyed inside a step is told, and the program lives */
} expectation;

typedef struct flight flight;
typedef struct idiom {
  const char *name;
  int contacts;
  expectation expected;
  /* May the program touch this pair? Called for each near call; NULL: yes. */
  bool (*wants)(flight *f, dGeomID a, dGeomID b);
  void (*touched)(flight *f, dGeomID a, dGeomID b); /* after contacts were found; may be NULL */
  bool later;                                       /* contacts are made after the loop */
  bool bits, data;                                  /* pairs are told apart by geoms' bits, or data */
} idiom;

struct flight {
  stage s;
  const idiom *idiom;
  dContactGeom later[MAX_LATER];
  int laterCount;
  bool done; /* the deed of destroying callbacks */
  bool over; /* nothing is left to look at */
};

/* ---- what programs ask in their near callbacks */

static bool notConnected(flight *f, dGeomID a, dGeomID b) {
  (void)f;
  dBodyID p = dGeomGetBody(a), q = dGeomGetBody(b);
  return !(p != NULL && q != NULL && dAreConnected(p, q));
}

static bool notConnectedOtherwise(flight *f, dGeomID a, dGeomID b) {
  (void)f;
  dBodyID p = dGeomGetBody(a), q = dGeomGetBody(b);
  return !(p != NULL && q != NULL && dAreConnectedExcluding(p, q, dJointTypeContact));
}

static bool notSameBody(flight *f, dGeomID a, dGeomID b) {
  (void)f;
  return dGeomGetBody(a) != dGeomGetBody(b);
}

static bool otherData(flight *f, dGeomID a, dGeomID b) {
  (void)f;
  return dGeomGetData(a) != dGeomGetData(b);
}

static bool nothing(flight *f, dGeomID a, dGeomID b) {
  (void)f;
  (void)a;
  (void)b;
  return false;
}

static void breakJoint(flight *f, dGeomID a, dGeomID b) {
  dBodyID sides[2] = {dGeomGetBody(a), dGeomGetBody(b)};
  for (int k = 0; k < 2 && !f->done; ++k)
    for (int i = 0; sides[k] != NULL && i < dBodyGetNumJoints(sides[k]) && !f->done; ++i) {
      dJointID joint = dBodyGetJoint(sides[k], i);
      if (dJointGetType(joint) == dJointTypeContact) continue;
      dJointDestroy(joint);
      f->done = true;
    }
}

static void destroyBody(flight *f, dGeomID a, dGeomID b) {
  dBodyID sides[2] = {dGeomGetBody(a), dGeomGetBody(b)};
  int last = f->s.bodyCount - 1;
  for (int k = 0; f->s.inStep && k < 2 && !f->done; ++k)
    if (sides[k] != NULL && sides[k] == f->s.bodies[last]) {
      f->done = true;
      stage_DestroyBody(&f->s, sides[k]);
    }
}

static bool mayAct(flight *f) {
  if (!f->s.inStep || f->done) return false;
  f->done = true;
  return true;
}

static void setNaN(flight *f, dGeomID a, dGeomID b) {
  (void)a;
  (void)b;
  if (mayAct(f)) dBodySetLinearVel(f->s.bodies[f->s.bodyCount - 1], (double)NAN, 0, 0);
}

static void destroySpace(flight *f, dGeomID a, dGeomID b) {
  (void)a;
  (void)b;
  if (!mayAct(f)) return;
  f->over = true;
  stage_DestroySpace(&f->s);
}

static void destroyWorld(flight *f, dGeomID a, dGeomID b) {
  (void)a;
  (void)b;
  if (!mayAct(f)) return;
  f->over = true;
  stage_DestroyWorld(&f->s);
}

static const idiom idioms[] = {
    {.name = "dAreConnected", .contacts = 8, .wants = notConnected},
    {.name = "dAreConnectedExcluding", .contacts = 8, .wants = notConnectedOtherwise},
    {.name = "same body", .contacts = 8, .wants = notSameBody},
    {.name = "category bits", .contacts = 8, .bits = true},
    {.name = "data filter", .contacts = 8, .wants = otherData, .data = true},
    {.name = "1 contact", .contacts = 1, .wants = notConnected},
    {.name = "2 contacts", .contacts = 2, .wants = notConnectedOtherwise},
    {.name = "64 contacts", .contacts = 64, .wants = notConnected},
    {.name = "contacts made later", .contacts = 8, .wants = notConnectedOtherwise, .later = true},
    {.name = "destroys a joint", .contacts = 8, .wants = notConnectedOtherwise, .touched = breakJoint},
    {.name = "destroys a body",
     .contacts = 8,
     .wants = notConnectedOtherwise,
     .touched = destroyBody,
     .expected = refused},
    {.name = "sets NaN", .contacts = 8, .wants = notConnectedOtherwise, .touched = setNaN, .expected = refused},
    {.name = "destroys the space",
     .contacts = 8,
     .wants = notConnectedOtherwise,
     .touched = destroySpace,
     .expected = refused},
    {.name = "destroys the world",
     .contacts = 8,
     .wants = notConnectedOtherwise,
     .touched = destroyWorld,
     .expected = refused},
    {.name = "no contacts", .contacts = 8, .wants = nothing, .expected = passing},
};
enum { idiomCount = (int)(sizeof idioms / sizeof *idioms) };

static void nearFlight(void *data, dGeomID a, dGeomID b) {
  flight *f = data; /* its first member is the stage */
  dContactGeom found[64];
  if (dGeomGetBody(a) == NULL && dGeomGetBody(b) == NULL) return;
  if (f->s.world == NULL) return; /* the program has destroyed it: under the entries the step goes on to its end */
  if (f->idiom->wants != NULL && !f->idiom->wants(f, a, b)) return;
  int count = dCollide(a, b, f->idiom->contacts, found, sizeof *found);
  for (int i = 0; i < count; ++i) {
    if (!f->idiom->later)
      stage_Touch(&f->s, &found[i]);
    else if (f->laterCount < MAX_LATER)
      f->later[f->laterCount++] = found[i];
  }
  if (count > 0 && f->idiom->touched != NULL) f->idiom->touched(f, a, b);
}

static void clearLater(stage *s, double time, double h) {
  (void)time;
  (void)h;
  ((flight *)s)->laterCount = 0;
}

static void makeLater(stage *s) {
  flight *f = (flight *)s;
  for (int i = 0; i < f->laterCount; ++i) stage_Touch(s, &f->later[i]);
}

/* ---- one flight */

static void addFlyer(flight *f, flyer kind, uint64_t *random) {
  stage *s = &f->s;
  double speed = 30 * exp(stage_Uniform(random, 0, log(5))), turn[4], spin[3];
  int first = s->bodyCount;
  stage_RandomTurn(random, turn);
  for (int k = 0; k < 3; ++k) spin[k] = stage_Uniform(random, -3, 3);
  if (kind == flyDoll) {
    stage_AddDoll(s, (double[3]){0, 0, 0}, turn, (double[3]){speed, 0, 0}, spin);
  } else if (kind == flyChain) {
    stage_AddChain(s, 4, stageBox, (double[3]){0.06, 0.06, 0.4}, 0.5, (double[3]){0, 0, -0.75});
  } else {
    stage_AddBody(s, kind == flyBox ? stageBox : stageConvex, (double[3]){0.2, 0.3, 0.25}, 1000, (double[3]){0, 0, 0});
    dBodySetQuaternion(s->bodies[first], turn);
  }
  for (int i = first; kind != flyDoll && i < s->bodyCount; ++i) {
    dBodySetLinearVel(s->bodies[i], speed, 0, 0);
    dBodySetAngularVel(s->bodies[i], spin[0] * (i & 1), spin[1], spin[2]);
  }
  for (int i = first; i < s->bodyCount; ++i) {
    dGeomID geom = dBodyGetFirstGeom(s->bodies[i]);
    if (f->idiom->bits) {
      dGeomSetCategoryBits(geom, 2);
      dGeomSetCollideBits(geom, 1);
    }
    if (f->idiom->data) dGeomSetData(geom, f);
  }
}

/* Which side of the plate is this body on? 0: cannot be told. */
static int findSide(dGeomID plate, dBodyID body) {
  const dReal *p = dBodyGetPosition(body), *o = dGeomGetPosition(plate), *r = dGeomGetRotation(plate);
  double local[3];
  for (int k = 0; k < 3; ++k) local[k] = r[k] * (p[0] - o[0]) + r[4 + k] * (p[1] - o[1]) + r[8 + k] * (p[2] - o[2]);
  if (fabs(local[1]) > WIDTH / 2 - MARGIN || fabs(local[2]) > WIDTH / 2 - MARGIN) return 0;
  return local[0] > THICKNESS / 2 ? 1 : local[0] < -THICKNESS / 2 ? -1 : 0;
}

static int fly(const idiom *chosen, entry d, bool quick, bool registered, flyer kind, bool isWall, uint64_t random,
               rowResult *out, const rowOptions *options) {
  static flight f;
  const stageSetup setup = {.way = entry_Way(d), .quick = quick, .h = 1.0 / 60, .registered = registered};
  int sides[MAX_BODIES] = {0}, through = 0;
  f.idiom = chosen;
  f.laterCount = 0;
  f.done = f.over = false;
  stage *s = &f.s;
  stage_Begin(s, &setup);
  s->near = nearFlight;
  s->surface.mode = dContactApprox1 | dContactBounce;
  s->surface.bounce = 0.3;
  s->surface.bounceVelocity = 0.1;
  if (chosen->later) s->before = clearLater, s->after = makeLater;
  const double size[3] = {THICKNESS, WIDTH, WIDTH}, place[3] = {DISTANCE, 0, 0};
  dGeomID plate = isWall ? stage_AddStatic(s, stageBox, size, place)
                         : dBodyGetFirstGeom(stage_AddBody(s, stageBox, size, 1000, place));
  int first = isWall ? 0 : 1;
  if (chosen->bits) {
    dGeomSetCategoryBits(plate, 1);
    dGeomSetCollideBits(plate, 2);
  }
  addFlyer(&f, kind, &random);
  double speed = dBodyGetLinearVel(s->bodies[first])[0];
  int steps = (int)ceil(1.6 * DISTANCE / (fmax(speed, 20) * setup.h)) + 3;
  bool crossed[MAX_BODIES] = {false};
  for (int i = 0; i < steps && !f.over; ++i) {
    stage_Step(s);
    for (int k = first; k < s->bodyCount && !f.over; ++k) {
      int side = findSide(plate, s->bodies[k]);
      if (side == 0) continue;
      if (sides[k] == -1 && side == 1 && !crossed[k]) crossed[k] = true, through++;
      sides[k] = side;
    }
  }
  out->cases++;
  const char *where = isWall ? "wall" : "free plate";
  if (chosen->expected == stopped && d != entryPlain && through > 0)
    row_Fail(out, options, "%s at a %s, %.1f m/s%s: %d bodies through (clamps %ld, lost %.3g s)", flyerNames[kind],
             where, speed, setup.registered ? ", registered" : "", through, s->clamps, s->lost);
  else if (chosen->expected == passing && through == 0)
    row_Fail(out, options, "%s at a %s, %.1f m/s: held up though no contact was made (clamps %ld)", flyerNames[kind],
             where, speed, s->clamps);
  else if (!f.over && !stage_IsFinite(s))
    row_Fail(out, options, "%s at a %s, %.1f m/s: not finite", flyerNames[kind], where, speed);
  else if (s->failed > 0 && (chosen->expected != refused || s->message[0] == '\0'))
    row_Fail(out, options, "%s at a %s, %.1f m/s: %ld steps refused: %s", flyerNames[kind], where, speed, s->failed,
             s->message);
  else if (chosen->expected == refused && d == entryCalls && f.done && s->failed == 0)
    row_Fail(out, options, "%s at a %s: what was done inside a step went unsaid", flyerNames[kind], where);
  out->values[0] += s->lost;
  stage_End(s);
  return through;
}

/* ---- the row */

static int countGroups(const rowOptions *options) {
  (void)options;
  return idiomCount * entries * 2;
}

static const idiom *groupIdiom(int group) { return &idioms[group / (2 * entries)]; }
static entry groupEntry(int group) { return (entry)(group / 2 % entries); }

static void labelGroup(int group, char *text, int capacity) {
  snprintf(text, (size_t)capacity, "%s, %s, %s", groupIdiom(group)->name, entry_Name(groupEntry(group)),
           group % 2 ? "QuickStep" : "WorldStep");
}

static void prepareGroup(int group) { entry_Prepare(groupEntry(group)); }

static void runGroup(int group, const rowOptions *options, rowResult *out) {
  entry d = groupEntry(group);
  int seeds = row_Seeds(options, 10, 2), all = 0;
  if (!entry_IsThere(d)) {
    out->skipped = true;
    row_Say(out, "libbrink_preload.so is not built");
    return;
  }
  int runs[2][flyers] = {{0}};
  for (int i = 0; i < 4 * flyers * seeds; ++i) { /* registered ones last: what is registered once stays so */
    int registered = i / (2 * flyers * seeds), wall = i / (flyers * seeds) % 2, kind = i / seeds % flyers,
        seed = i % seeds;
    if (seed % 2 != registered) continue;
    int through = fly(groupIdiom(group), d, group % 2, registered, (flyer)kind, wall,
                      row_Random(options, 2 * kind + wall, seed), out, options);
    runs[wall][kind] += through > 0;
    all += through;
  }
  row_Say(out, "runs with something through, of %d:", seeds);
  for (int i = 0; i < 2 * flyers; ++i)
    row_Say(out, "%s %s %d",
            i % flyers > 0 ? ","
            : i > 0        ? "; wall:"
                           : " plate:",
            flyerNames[i % flyers], runs[i / flyers][i % flyers]);
  row_Say(out, "; %d bodies; lost %.3g s", all, out->values[0]);
  if (d == entryPlain && groupIdiom(group)->expected == stopped && all == 0)
    row_Fail(out, options, "plain ODE should let something through: the judge sees nothing");
}

const row callbacksRow = {
    ROW_OF_GROUPS(1, "callbacks", "0 through; what makes no contacts passes; destroying is told and survived"),
    .prepare = prepareGroup};
