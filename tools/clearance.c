/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink clearance`: how close do the two bodies of a case come? Reads case files and prints, in order, for every case
 *     NAME lower upper t state microseconds
 * t in [0,T], m, s. Asks the extension brink/clearance.h. */
#include <argp.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "brink/clearance.h"
#include "case.h"
#include "output.h"

typedef struct clearanceOptions {
  double required, tolerance;
  uint64_t maxIterations;
  bool swept;
  brinkForm form;
  brinkFiles files;
} clearanceOptions;

static brinkStatus askWorld(const brinkPlugin *api, const brinkClearanceTable *table, brinkWorld *world,
                            const ccdCase *c, const clearanceOptions *options, brinkClearanceAnswer *out,
                            double *microseconds) {
  brinkColliderId collider[2];
  brinkStatus status = brinkCase_AddBodies(api, world, c, collider);
  if (status != brink_ok) return status;
  const brinkClearanceQuery query = {.structSize = sizeof query,
                                     .flags = options->swept ? BRINK_CLEARANCE_SWEPT : 0u,
                                     .tEnd = c->duration > 0.0 ? 1.0 : 0.0,
                                     .tolerance = options->tolerance,
                                     .required = options->required,
                                     .maxIterations = options->maxIterations};
  double start = brinkSeconds();
  status = table->measure(world, collider[0], collider[1], &query, out);
  *microseconds = 1e6 * (brinkSeconds() - start);
  return status;
}

static const char *stateText(const brinkClearanceAnswer *answer) {
  static const char *const verdicts[] = {"", "kept", "broken", "unproven"};
  if (answer->collision != 0u) return "collision";
  if (answer->verdict != brink_clearanceNotAsked) return verdicts[answer->verdict];
  return answer->state == brink_clearanceSettled ? "settled" : "spent";
}

static const brinkColumn columns[] = {{"name", NULL, -16},       {"lower", "m", 12},  {"upper", "m", 12},
                                      {"time", "s", 12},         {"time_b", "s", 12}, {"state", NULL, -9},
                                      {"microseconds", NULL, 12}};

static void printAnswer(brinkRows *rows, const ccdCase *c, const brinkClearanceAnswer *answer, bool swept,
                        double microseconds) {
  if (!brinkRows_AreWords(rows)) {
    brinkRows_Text(rows, c->name);
    brinkRows_Number(rows, answer->lower);
    brinkRows_Number(rows, answer->upper);
    brinkRows_Number(rows, answer->timeA * c->duration);
    brinkRows_Number(rows, answer->timeB * c->duration);
    brinkRows_State(rows, stateText(answer));
    brinkRows_Number(rows, microseconds);
    brinkRows_End(rows);
    return;
  }
  printf("%s %.17g %.17g %.9g", c->name, answer->lower, answer->upper, answer->timeA * c->duration);
  if (swept) printf(",%.9g", answer->timeB * c->duration);
  printf(" %s %.2f\n", stateText(answer), microseconds);
}

/* false: the library refused the case; the message is on stderr. */
static bool answerCase(void *user, const ccdCase *c) { /* brinkCaseAnswer */
  brinkAsking *self = user;
  const brinkPlugin *api = self->api;
  const clearanceOptions *options = self->options;
  brinkClearanceAnswer answer;
  memset(&answer, 0, sizeof answer);
  answer.structSize = sizeof answer;
  if (c->body[0].linear || c->body[1].linear) {
    fflush(stdout);
    fprintf(stderr, "brink: %s: clearance of linear bodies is not known here; give them a chain\n", c->name);
    return false;
  }
  double microseconds = 0.0;
  brinkWorld *world = NULL;
  brinkStatus status = api->createWorld(NULL, NULL, &world);
  if (status == brink_ok) status = askWorld(api, self->table, world, c, options, &answer, &microseconds);
  if (status != brink_ok) {
    brinkTellRefusal(api, world, status, c->name);
  } else {
    printAnswer(&self->rows, c, &answer, options->swept, microseconds);
  }
  api->destroyWorld(world);
  return status == brink_ok;
}

/* ---- options */

static const brinkOption optionRows[] = {
    BRINK_LENGTH("required", "D", clearanceOptions, required,
                 "Stop as soon as a clearance of D m is proven to be kept or broken"),
    BRINK_LENGTH("tolerance", "E", clearanceOptions, tolerance,
                 "Gap between the two bounds, m [1e-6 of the smaller body]"),
    BRINK_FLAG("swept", clearanceOptions, swept,
               "Distance of the swept volumes, whatever the time (builds with BRINK_SWEPT_HULL)"),
    BRINK_WHOLE("max-iterations", brink_setCount, 1, INT64_MAX, clearanceOptions, maxIterations,
                "Work budget per case; spent: both bounds hold, but are further apart"),
    BRINK_FORMS(clearanceOptions),
    BRINK_FILES(clearanceOptions, "no case file"),
    {0}};

static int run(void *user) {
  const clearanceOptions *options = user;
  const brinkPlugin *api = brinkApi();
  const brinkClearanceTable *table = brinkNeedExtension(BRINK_CLEARANCE_NAME);
  brinkAsking self = {api, table, options,
                      brinkRows_Open(options->form, "case", columns, sizeof columns / sizeof columns[0])};
  int status = brinkCase_AnswerFiles(&options->files, answerCase, &self);
  brinkRows_Close(&self.rows);
  return status;
}

const brinkCommand brinkClearanceCommand = {
    .options = optionRows,
    .arguments = "FILE...",
    .documentation =
        "How close do the two moving bodies of each case come, and when?\v"
        "One line per case, in order:  NAME lower upper t STATE microseconds\n"
        "lower <= smallest distance at equal times <= upper, in m, always; upper is met at t, in s. STATE is settled "
        "(the "
        "bounds are within the tolerance), spent (budget), collision (both 0), or with --required: kept, broken, "
        "unproven "
        "(between the bounds). With --swept t is tA,tB: the swept volumes' nearest places are passed at different "
        "times. "
        "FILE "
        "- is standard input.\n\n"
        "Examples:\n"
        "  brink clearance cases/robot.ccd\n"
        "  brink clearance cases/robot.ccd --required 0.02 | grep -v ' kept '\n\n"
        "Exit status: 0 every case answered, 1 a case was refused by the library or a file could not be read, 2 a "
        "malformed file (file:line on stderr; no case before it is lost) or usage.",
    .size = sizeof(clearanceOptions),
    .run = run};
