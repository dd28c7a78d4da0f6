/* SPDX-License-Identifier: BSD-3-Clause */
/* Row 4: a body is set down at rest, or moved by hand, 0 to 1 mm above something. Nothing may throw it: its largest
 * speed in the second after may lie at most KICK above plain ODE's. */
#include <math.h>
#include <stdio.h>

#include "entries.h"
#include "row.h"

#define KICK 0.05 /* m/s */
#define WATCHED 1.0
#define WAITING 0.1 /* s: how long a body falls before it is moved */

typedef enum ground { onMesh, onMeshBox, onField, onBox, onPlane, onConvex, onCylinder, onBody, grounds } ground;
static const char *const groundNames[grounds] = {"mesh",  "mesh box", "heightfield", "box",
                                                 "plane", "convex",   "cylinder",    "free body"};
static const stageShape groundShapes[grounds] = {stageMesh,  stageMesh,   stageField,    stageBox,
                                                 stagePlane, stageConvex, stageCylinder, stageBox};
static const double gaps[] = {0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3};
static const double steps[] = {1.0 / 30, 1.0 / 60, 1.0 / 240, 1.0 / 1000};
static const double erps[] = {0, 0.2, 0.4, 0.6, 0.8};
static const stageShape bodyShapes[] = {stageBox, stageSphere, stageCapsule, stageCylinder, stageConvex, stageMesh};
#define PICK(random, list) ((list)[stage_Pick((random), (int)(sizeof(list) / sizeof *(list)))])

typedef struct setting {
  stageShape shape;
  bool lying, moved;
  double size[3], place[2], gap, h, erp, turn, groundSize;
  ground under;
} setting;

static setting pickSetting(ground under, uint64_t *random) {
  double width = stage_Uniform(random, 0.1, 0.5);
  setting c = {.shape = PICK(random, bodyShapes),
               .lying = stage_Pick(random, 2),
               .moved = stage_Pick(random, 2),
               .size = {width, width, width * stage_Uniform(random, 1.2, 2)},
               .place = {stage_Uniform(random, -0.3, 0.3), stage_Uniform(random, -0.3, 0.3)},
               .gap = PICK(random, gaps),
               .h = PICK(random, steps),
               .erp = PICK(random, erps),
               .turn = stage_Uniform(random, 0, M_PI),
               .groundSize = stage_Uniform(random, 0, 1) < 0.5 ? 4 : 40,
               .under = under};
  return c;
}

static void addGround(stage *s, const setting *c) {
  bool flat = c->under == onMesh || c->under == onPlane || c->under == onField;
  double thickness = flat ? 0 : c->under == onBody ? 0.5 : 0.2;
  const double size[3] = {c->under == onBody ? 1.6 : c->groundSize, c->under == onBody ? 1.6 : c->groundSize,
                          thickness},
               place[3] = {0, 0, -thickness / 2};
  if (c->under != onBody) {
    stage_AddStatic(s, groundShapes[c->under], size, place);
    return;
  }
  stage_AddStatic(s, stagePlane, size, (double[3]){0, 0, -thickness});
  stage_AddBody(s, stageBox, size, 500, place);
}

typedef struct trial {
  setting setting;
  stageSetup setup;
  double speed; /* largest after the body was put there; NaN: not finite */
} trial;

static void measure(void *data) {
  trial *t = data;
  const setting *c = &t->setting;
  stage s;
  double most = 0;
  stage_Begin(&s, &t->setup);
  s.surface.mode = dContactApprox1 | (c->erp > 0 ? dContactSoftERP : 0);
  s.surface.softErp = c->erp;
  addGround(&s, c);
  double up = c->shape == stageSphere ? c->size[0] / 2 : c->lying ? c->size[1] / 2 : c->size[2] / 2;
  const double place[3] = {c->place[0], c->place[1], up + c->gap};
  dBodyID body = stage_AddBody(&s, c->shape, c->size, 700, place);
  dQuaternion lie, turn, whole;
  dQFromAxisAndAngle(lie, 1, 0, 0, c->lying ? M_PI / 2 : 0);
  if (c->lying) lie[0] = lie[1] = sqrt(0.5);
  dQFromAxisAndAngle(turn, 0, 0, 1, c->turn);
  dQMultiply0(whole, turn, lie);
  dBodySetQuaternion(body, whole);
  if (c->moved) {
    dBodySetPosition(body, place[0], place[1], place[2] + 1);
    for (double time = 0; time < WAITING; time += c->h) stage_Step(&s);
    dBodySetPosition(body, place[0], place[1], place[2]);
    dBodySetQuaternion(body, whole);
    dBodySetLinearVel(body, 0, 0, 0);
    dBodySetAngularVel(body, 0, 0, 0);
  }
  for (double time = 0; time < WATCHED; time += c->h) {
    stage_Step(&s);
    double speed = stage_Fastest(&s);
    most = speed > most || isnan(speed) ? speed : most;
  }
  stage_End(&s);
  t->speed = most;
}

/* ---- the row: entries but plain, registered or not, grounds */

#define ENTRIES (entries - 1)

static int countGroups(const rowOptions *options) {
  (void)options;
  return ENTRIES * 2 * grounds;
}

static entry groupEntry(int group) { return (entry)(1 + group / (2 * grounds)); }

static void labelGroup(int group, char *text, int capacity) {
  snprintf(text, (size_t)capacity, "on %s, %s, %s", groundNames[group % grounds], entry_Name(groupEntry(group)),
           group / grounds % 2 ? "registered" : "ODE's contacts");
}

static void prepareGroup(int group) { entry_Prepare(groupEntry(group)); }

static void runGroup(int group, const rowOptions *options, rowResult *out) {
  entry d = groupEntry(group);
  int seeds = row_Seeds(options, 40, 6);
  double worst = -INFINITY;
  if (!entry_IsThere(d)) {
    out->skipped = true;
    row_Say(out, "libbrink_preload.so is not built");
    return;
  }
  for (int seed = 0; seed < seeds; ++seed) {
    uint64_t random = row_Random(options, group % grounds, seed);
    setting c = pickSetting((ground)(group % grounds), &random);
    const stageSetup setup = {
        .quick = stage_Pick(&random, 2), .registered = group / grounds % 2, .h = c.h, .gravity = -9.81};
    trial plain = {.setting = c, .setup = setup}, with = plain;
    with.setup.way = entry_Way(d);
    if (!row_Alone(measure, &plain, sizeof plain)) continue; /* ODE itself aborts */
    bool alive = row_Alone(measure, &with, sizeof with);
    double kick = alive ? with.speed - plain.speed : (double)NAN;
    out->cases++;
    worst = kick > worst || isnan(kick) ? kick : worst;
    if (!(kick <= KICK))
      row_Fail(out, options, "%s%s, %.2g m, %s %.0e m above, h 1/%.0f, ERP %.1f, %s: %.3f m/s, plain %.3f",
               c.lying ? "lying " : "", stage_ShapeName(c.shape), c.size[0], c.moved ? "moved" : "made", c.gap, 1 / c.h,
               c.erp, setup.quick ? "QuickStep" : "WorldStep", with.speed, plain.speed);
  }
  row_Say(out, "%d of %d thrown; most above plain %.3f m/s", out->bad, out->cases, worst);
}

const row kicksRow = {ROW_OF_GROUPS(4, "kicks", "at most 0.05 m/s above plain ODE"), .prepare = prepareGroup};
