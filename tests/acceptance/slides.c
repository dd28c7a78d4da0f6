/* SPDX-License-Identifier: BSD-3-Clause */
/* Row 3: bodies that slide. The path of each is compared with plain ODE's and with that of a mass point under the same
 * friction: one of the two will do. ODE's direct solver gives up now and then where eight contacts of a flat disc all
 * say the same, in plain ODE as well, and the disc has no friction in that step: nor has the mass point. Where plain
 * ODE has no collider for the two classes, lets the body sink, or is far from the mass point itself (its convexes stick
 * and jump), only runs with Brink's contacts are judged. */
#include <math.h>
#include <stdio.h>

#include "row.h"
#include "stage.h"

#define PATH_SLACK 0.01
#define SECONDS 1.0
#define SUNK 0.05       /* m: a body that moves so far along the ground's normal does not slide */
#define ODD 0.05        /* plain ODE farther from the formula than this: its contacts are at fault, not the step */
#define LEAST_PATH 0.05 /* m: a shorter one has no per cent */
#define TILT (10 * M_PI / 180)

typedef enum slider { slideBox, slideFlat, slideLying, slideCapsule, slideConvex, slideMesh, sliders } slider;
static const char *const sliderNames[sliders] = {"box",     "cylinder, flat", "cylinder, lying",
                                                 "capsule", "convex",         "mesh"};
static const stageShape sliderShapes[sliders] = {stageBox,     stageCylinder, stageCylinder,
                                                 stageCapsule, stageConvex,   stageMesh};
static const stageShape grounds[] = {stageBox, stageCylinder, stageConvex, stagePlane, stageMesh, stageField};
enum { groundCount = (int)(sizeof grounds / sizeof *grounds) };
static const double sizes[] = {1, 4, 20, 60, 200}, frictions[] = {0, 0.5};
#define PICK(random, list) ((list)[stage_Pick((random), (int)(sizeof(list) / sizeof *(list)))])

typedef struct slide {
  slider body;
  stageShape ground;
  double groundSize, mu, speed, heading, width, height, tilt;
  bool quick, registered;
} slide;

typedef struct way {
  double length, depth;            /* m: along the ground; most along its normal */
  double formula;                  /* m: length of a mass point that ODE's integration moves */
  long undecided, clamps, givenUp; /* steps in which ODE's direct solver gave up */
} way;

static void tiltGround(dGeomID ground, const slide *c) {
  dQuaternion tilt, before, after;
  dQFromAxisAndAngle(tilt, 0, 1, 0, c->tilt); /* downhill is +x */
  if (c->ground == stagePlane) {
    dGeomPlaneSetParams(ground, sin(c->tilt), 0, cos(c->tilt), 0);
    return;
  }
  const dReal *p = dGeomGetPosition(ground);
  double z = p[2];
  dGeomGetQuaternion(ground, before);
  dQMultiply0(after, tilt, before);
  dGeomSetQuaternion(ground, after);
  dGeomSetPosition(ground, z * sin(c->tilt), 0, z * cos(c->tilt));
}

typedef struct trial {
  slide slide;
  stageWay run;
  way way;
} trial;

static void follow(void *data) {
  trial *t = data;
  const slide *c = &t->slide;
  stageWay run = t->run;
  way *out = &t->way;
  stage s;
  const stageSetup setup = {
      .way = run, .quick = c->quick, .registered = c->registered, .h = 1.0 / 60, .gravity = -9.81};
  bool flat = c->ground == stageMesh || c->ground == stagePlane || c->ground == stageField;
  double thickness = flat ? 0 : 0.04, seconds = c->tilt > 0 ? 3 : SECONDS;
  bool lies = c->body == slideLying || c->body == slideCapsule;
  double up = lies ? c->width / 2 : c->height / 2, normal[3] = {sin(c->tilt), 0, cos(c->tilt)};
  stage_Begin(&s, &setup);
  s.surface.mu = c->mu;
  tiltGround(stage_AddStatic(&s, c->ground, (double[3]){c->groundSize, c->groundSize, thickness},
                             (double[3]){0, 0, -thickness / 2}),
             c);
  double start = c->tilt > 0 || c->groundSize < 60 ? -0.45 * fmin(c->groundSize, 20) : 0;
  const double place[3] = {start * cos(c->tilt) + up * normal[0], 0, -start * sin(c->tilt) + up * normal[2]};
  dBodyID body = stage_AddBody(&s, sliderShapes[c->body], (double[3]){c->width, c->width, c->height}, 500, place);
  dQuaternion tilt, lie = {1, 0, 0, 0}, whole;
  dQFromAxisAndAngle(tilt, 0, 1, 0, c->tilt);
  if (lies) {
    double half = sqrt(0.5);
    lie[0] = half, lie[2] = half; /* its axis along x: it slides, and does not roll */
  }
  dQMultiply0(whole, tilt, lie);
  dBodySetQuaternion(body, whole);
  dBodySetLinearVel(body, c->speed * cos(c->tilt), 0, -c->speed * sin(c->tilt));
  *out = (way){0};
  int frames = (int)round(seconds / s.setup.h), done = 0;
  double speed = c->speed;
  while (done < frames) {
    double before[3];
    for (int k = 0; k < 3; ++k) before[k] = dBodyGetPosition(body)[k];
    const long givenUp = stage_GiveUps();
    stage_Step(&s);
    done++;
    const double mu = stage_GiveUps() > givenUp ? 0 : c->mu;
    speed = fmax(speed + 9.81 * (sin(c->tilt) - mu * cos(c->tilt)) * s.setup.h, 0);
    out->formula += speed * s.setup.h;
    out->givenUp += stage_GiveUps() > givenUp;
    const dReal *p = dBodyGetPosition(body);
    const double gone[3] = {p[0] - before[0], p[1] - before[1], p[2] - before[2]};
    out->length += hypot(gone[1], gone[0] * normal[2] - gone[2] * normal[0]); /* what it rises or sinks is depth */
    double away = (p[0] - place[0]) * normal[0] + (p[2] - place[2]) * normal[2];
    out->depth = fmax(out->depth, fabs(away));
    if (p[0] * cos(c->tilt) > 0.45 * c->groundSize && c->ground != stagePlane) break;
  }
  out->undecided = s.unresolved;
  out->clamps = s.clamps;
  stage_End(&s);
}

static int countGroups(const rowOptions *options) {
  (void)options;
  return sliders * groundCount * 2;
}

static void labelGroup(int group, char *text, int capacity) {
  snprintf(text, (size_t)capacity, "%s on %s, %s", sliderNames[group / 2 / groundCount],
           stage_ShapeName(grounds[group / 2 % groundCount]), group % 2 ? "tilted by 10 degrees" : "level");
}

static void runGroup(int group, const rowOptions *options, rowResult *out) {
  int seeds = row_Seeds(options, 20, 5), told = 0;
  double worst = 0;
  long undecided = 0, clamps = 0, givenUp[2] = {0};
  for (int seed = 0; seed < seeds; ++seed) {
    uint64_t random = row_Random(options, group, seed);
    bool tilted = group % 2;
    slide c = {.body = (slider)(group / 2 / groundCount),
               .ground = grounds[group / 2 % groundCount],
               .groundSize = PICK(&random, sizes),
               .mu = PICK(&random, frictions),
               .speed = stage_Uniform(&random, 1, 10),
               .width = stage_Uniform(&random, 0.1, 0.4),
               .quick = stage_Pick(&random, 2),
               .registered = stage_Pick(&random, 2)};
    c.height = c.width * (c.body == slideCapsule || c.body == slideLying ? 2 : stage_Uniform(&random, 0.2, 0.8));
    if (tilted) c.tilt = TILT, c.mu = 0, c.speed = 0, c.groundSize = fmax(c.groundSize, 20);
    trial trials[2] = {{.slide = c, .run = stagePlain}, {.slide = c, .run = stageCalls}};
    if (!row_Alone(follow, &trials[0], sizeof(trial))) continue; /* ODE's own convexes abort now and then */
    way plain = trials[0].way, with = {0};
    bool odd = plain.depth > SUNK || fabs(plain.length / plain.formula - 1) > ODD;
    if (plain.length < LEAST_PATH || (odd && !c.registered)) continue;
    if (row_Alone(follow, &trials[1], sizeof(trial))) with = trials[1].way;
    double off = fabs(with.length / plain.length - 1);
    off = fmin(odd ? (double)INFINITY : off, fabs(with.length / with.formula - 1));
    out->cases++;
    told++;
    worst = fmax(worst, off);
    undecided += with.undecided;
    clamps += with.clamps;
    givenUp[0] += with.givenUp;
    givenUp[1] += plain.givenUp;
    if (!(off <= PATH_SLACK) || with.undecided > 0 || !(with.depth <= fmax(plain.depth, SUNK)))
      row_Fail(
          out, options,
          "seed %d: ground %.0f m, mu %.1f, %.1f m/s, %.2f m, %s%s: path %.4f m, plain %.4f, formula %.4f; off its "
          "ground by %.4f m, plain %.4f; undecided %ld, clamps %ld; ODE gave up in %ld steps, plain "
          "%ld",
          seed, c.groundSize, c.mu, c.speed, c.width, c.quick ? "QuickStep" : "WorldStep",
          c.registered ? ", registered" : "", with.length, plain.length, with.formula, with.depth, plain.depth,
          with.undecided, with.clamps, with.givenUp, plain.givenUp);
  }
  out->skipped = told == 0;
  row_Say(out,
          "%d of %d slide in plain ODE; worst path off by %.2f %%; undecided %ld, clamps %ld; ODE gave up in %ld "
          "steps, plain %ld",
          told, seeds, 100 * worst, undecided, clamps, givenUp[0], givenUp[1]);
}

const row slidesRow = {ROW_OF_GROUPS(3, "slides", "path within 1 % of plain ODE, 0 undecided")};
