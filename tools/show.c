/* SPDX-License-Identifier: BSD-3-Clause */
/* `brink show FILE -o PAGE`: a picture of one case, for somebody who wants to look before reading. The page holds the
 * two bodies and where they are in time, their swept boxes, the trees of hulls, witness points and normals. It also
 * shows how the answer came about. Every figure is an answer of the library:
 *     first contact, with a work budget that grows       how far the case is proven free, and when contact is known
 *     clearance, with a work budget that grows           lower and upper bound of the smallest gap
 *     clearance over each of 64 parts of the motion      lower and upper bound of the gap over time
 *     distance at 129 times                              the gap itself, witnesses, normal
 * Units: m, s; step time in the page's data. */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "brink/clearance.h"
#include "brink/cook.h"
#include "case.h"
#include "output.h"
#include "page_template.h"

enum {
  PARTS = 64,             /* of the motion, for the gap over time and the swept boxes */
  SAMPLES = 129,          /* times at which poses and distances are kept: ends and middles of the parts */
  HULL_DEPTHS = 8,        /* of a tree of hulls */
  MOST_EDGES = 20000,     /* of hulls in a page: deeper levels are left out */
  MOST_TRIANGLES = 40000, /* of a body in a page: of more, every second, third ... is drawn */
  MOST_VERTICES = 40000,  /* with these limits a page stays below 5 MB */
  MOST_NAMES = 256        /* of other cases, when the one asked for is not there */
};
#define DEFAULT_BUDGET 1000000u
#define PART_BUDGET 20000u /* of clearance over one part */
#define PATIENCE 20.0      /* s, of all the clearances; what is left then is not drawn, and the page says so */

typedef struct showOptions {
  const char *path, *outPath, *caseName;
  brinkAsked asked;
  brinkForm form;
} showOptions;

/* First contact, of whichever function answers the case. */
typedef struct firstAnswer {
  brinkContact contact; /* no features */
  unsigned long long iterations;
  bool culled; /* the swept boxes do not meet: no pair was left to ask about */
} firstAnswer;

typedef struct picture {
  const brinkPlugin *api;
  const showOptions *options;
  const ccdCase *c;
  brinkWorld *world;
  brinkColliderId collider[2]; /* of bodies on chains */
  brinkBodyId moving[2];
  bool linear;  /* one of the bodies, or both */
  double end;   /* step time: 0 for a case without duration */
  double start; /* seconds */
  firstAnswer answer;
  byteBuffer json, block; /* block: floats and indices that the page reads by their place */
} picture;

static const char *stateName(uint32_t state) {
  static const char *const names[] = {"free", "hit", "overlap", "unresolved"};
  return names[state <= brink_unresolved ? state : brink_unresolved];
}

/* ---- asking */

static brinkStatus askChains(const picture *p, uint64_t budget, firstAnswer *out) {
  const brinkQuery query = {.structSize = sizeof query,
                            .mode = brink_modePairs,
                            .scheme = p->options->asked.scheme,
                            .tEnd = p->end,
                            .tolerance = p->options->asked.eps,
                            .maxIterations = budget};
  brinkReport report = {.structSize = sizeof report};
  brinkStatus status = p->api->firstContact(p->world, &query, &report);
  if (status != brink_ok) return status;
  *out = (firstAnswer){.contact = {.state = report.state, .toi = report.toi, .toiUpper = BRINK_NO_TIME},
                       .culled = report.contactCount == 0};
  if (report.contactCount == 0) return brink_ok;
  out->contact = report.contacts[0];
  out->iterations = report.contacts[0].iterations;
  return brink_ok;
}

/* The library has A linear where only one body is; pages show the case's own order. */
static brinkStatus askLines(const picture *p, uint64_t budget, firstAnswer *out) {
  brinkWorld *world = NULL;
  brinkLinearContact contact;
  double seconds;
  brinkStatus status = p->api->createWorld(NULL, NULL, &world);
  if (status == brink_ok)
    status = brinkCase_AskLinear(p->api, world, p->c, p->options->asked.eps, budget, &contact, &seconds);
  if (status != brink_ok) {
    brinkTellRefusal(p->api, world, status, p->c->name);
    p->api->destroyWorld(world);
    return status;
  }
  p->api->destroyWorld(world);
  bool turned = !p->c->body[0].linear;
  brinkVec3 n = contact.normal;
  *out = (firstAnswer){.contact = {.state = contact.state,
                                   .toi = contact.toi,
                                   .toiUpper = contact.toiUpper,
                                   .distance = contact.distance,
                                   .pointA = turned ? contact.pointB : contact.pointA,
                                   .pointB = turned ? contact.pointA : contact.pointB,
                                   .normal = turned ? (brinkVec3){-n.x, -n.y, -n.z} : n},
                       .iterations = contact.iterations};
  return brink_ok;
}

static brinkStatus askFirst(const picture *p, uint64_t budget, firstAnswer *out) {
  return (p->linear ? askLines : askChains)(p, budget, out);
}

/* ---- writing numbers; what is not finite is null, as JSON has it */

static void putNumber(byteBuffer *out, double value) {
  if (isfinite(value))
    buffer_Format(out, "%.17g", value);
  else
    buffer_Text(out, "null");
}

static void putVector(byteBuffer *out, brinkVec3 v) { buffer_Format(out, "[%.17g,%.17g,%.17g]", v.x, v.y, v.z); }

static void putBox(byteBuffer *out, const brinkAabb *box) {
  buffer_Format(out, "[%.9g,%.9g,%.9g,%.9g,%.9g,%.9g]", box->lower.x, box->lower.y, box->lower.z, box->upper.x,
                box->upper.y, box->upper.z);
}

static void putComma(byteBuffer *out, size_t index) {
  if (index > 0) buffer_Text(out, ",");
}

/* ---- bodies */

static void putPoses(picture *p, int side) {
  buffer_Text(&p->json, "\"poses\":[");
  for (size_t i = 0; i < SAMPLES; ++i) {
    brinkPose pose = {.rotation = {.w = 1.0}};
    p->api->bodyPose(p->world, p->moving[side], p->end * (double)i / (SAMPLES - 1), &pose);
    putComma(&p->json, i);
    buffer_Format(&p->json, "[%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g]", pose.position.x, pose.position.y, pose.position.z,
                  pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
  }
  buffer_Text(&p->json, "],");
}

/* What the picture shows of a large body: whole triangles as long as there are few vertices, else every step-th. */
static void putGeometry(picture *p, const caseBody *body) {
  byteBuffer *block = &p->block;
  size_t width = body->linear ? 6 : 3, step = 1 + body->triangleCount / MOST_TRIANGLES, triangles = 0;
  bool loose = body->vertexCount > MOST_VERTICES; /* too many vertices: each triangle that is drawn brings its own */
  if (loose) step = 1 + body->triangleCount / (MOST_VERTICES / 3);
  size_t points = block->size;
  for (size_t i = 0; i < body->vertexCount && !loose; ++i)
    for (size_t k = 0; k < width; ++k) buffer_Float(block, body->vertices[width * i + k]);
  for (size_t t = 0; t < body->triangleCount && loose; t += step)
    for (size_t k = 0; k < 3 * width; ++k)
      buffer_Float(block, body->vertices[width * body->triangles[3 * t + k / width] + k % width]);
  size_t corners = block->size;
  for (size_t t = 0; t < body->triangleCount; t += step, ++triangles)
    for (uint32_t k = 0; k < 3; ++k) {
      uint32_t index = loose ? (uint32_t)(3 * triangles) + k : body->triangles[3 * t + k];
      buffer_Bytes(block, &index, sizeof index);
    }
  buffer_Format(&p->json, "\"points\":%zu,\"pointCount\":%zu,\"corners\":%zu,\"triangleCount\":%zu,\"every\":%zu,",
                points, loose ? 3 * triangles : body->vertexCount, corners, triangles, step);
}

/* Edges of the hulls at each depth of the tree that the library keeps of a mesh. A hull of vertices alone has one. */
static void putHulls(picture *p, const caseBody *body) {
  brinkMeshView mesh = {.structSize = sizeof mesh,
                        .flags = body->convex ? BRINK_MESH_CONVEX : 0u,
                        .vertices = body->vertices,
                        .vertexCount = body->vertexCount,
                        .indices = body->triangles,
                        .triangleCount = body->triangleCount};
  uint32_t *alone = NULL;
  if (body->triangleCount == 0 && (alone = calloc(3 * body->vertexCount, sizeof *alone)) != NULL) {
    for (size_t i = 0; i < 3 * body->vertexCount; ++i) alone[i] = (uint32_t)(i / 3);
    mesh.indices = alone;
    mesh.triangleCount = body->vertexCount;
  }
  void *blob = NULL;
  size_t blobSize = 0, before = 0, left = MOST_EDGES;
  double *last = NULL; /* [before][6], the edges of the depth above */
  bool cooked = brinkCook(&mesh, NULL, &blob, &blobSize, NULL, 0) == brink_ok;
  buffer_Text(&p->json, "\"hulls\":[");
  for (uint32_t depth = 0; cooked && depth < (body->convex ? 1 : HULL_DEPTHS); ++depth) {
    size_t count = 0;
    brinkBlobHullEdges(blob, blobSize, depth, NULL, 0, &count);
    double *edges = count <= left ? malloc(count * 6 * sizeof *edges) : NULL; /* too much for a picture: no deeper */
    if (edges == NULL) break;
    brinkBlobHullEdges(blob, blobSize, depth, edges, count, &count);
    bool same = last != NULL && count == before && memcmp(edges, last, count * 6 * sizeof *edges) == 0;
    free(last);
    last = edges;
    before = count;
    left -= count;
    if (same) break; /* all leaves: no depth below */
    putComma(&p->json, depth);
    buffer_Format(&p->json, "[%zu,%zu]", p->block.size, count);
    for (size_t i = 0; i < 6 * count; ++i) buffer_Float(&p->block, edges[i]);
  }
  buffer_Text(&p->json, "],");
  free(last);
  brinkFreeBlob(blob);
  free(alone);
}

/* Box of vertices on lines over [t0,t1]: their ends, as the library's own are not asked for here. */
static brinkAabb lineBox(const caseBody *body, double t0, double t1) {
  brinkAabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  double *lower = &box.lower.x, *upper = &box.upper.x;
  for (size_t i = 0; i < body->vertexCount; ++i)
    for (size_t k = 0; k < 3; ++k)
      for (int e = 0; e < 2; ++e) {
        const double *v = body->vertices + 6 * i;
        double t = e == 0 ? t0 : t1, x = (1.0 - t) * v[k] + t * v[k + 3];
        lower[k] = fmin(lower[k], x);
        upper[k] = fmax(upper[k], x);
      }
  return box;
}

static void putBoxes(picture *p, int side) {
  enum { BOXES = 8 };
  const caseBody *body = &p->c->body[side];
  buffer_Text(&p->json, "\"boxes\":["); /* the first one: of the whole motion */
  for (size_t i = 0; i <= BOXES; ++i) {
    double t0 = i == 0 ? 0.0 : p->end * (double)(i - 1) / BOXES, t1 = i == 0 ? p->end : p->end * (double)i / BOXES;
    brinkAabb box;
    memset(&box, 0, sizeof box);
    if (body->linear)
      box = lineBox(body, t0, t1);
    else
      p->api->sweptBounds(p->world, p->collider[side], t0, t1, &box);
    putComma(&p->json, i);
    putBox(&p->json, &box);
  }
  buffer_Text(&p->json, "]");
}

static void putBodies(picture *p) {
  buffer_Text(&p->json, "\"bodies\":[");
  for (int side = 0; side < 2; ++side) {
    const caseBody *body = &p->c->body[side];
    buffer_Format(&p->json, "%s{\"kind\":\"%s%s\",\"vertices\":%zu,\"triangles\":%zu,\"linear\":%s,",
                  side > 0 ? "," : "", body->linear ? "linear " : "",
                  body->convex  ? "convex"
                  : body->solid ? "solid"
                                : "surface",
                  body->vertexCount, body->triangleCount, body->linear ? "true" : "false");
    putGeometry(p, body);
    if (body->linear)
      buffer_Text(&p->json, "\"poses\":[],\"hulls\":[],");
    else {
      putPoses(p, side);
      putHulls(p, body);
    }
    putBoxes(p, side);
    buffer_Text(&p->json, "}");
  }
  buffer_Text(&p->json, "],");
}

/* ---- how the answer came about */

static uint64_t nextBudget(uint64_t budget) { return budget + (budget + 1) / 2; }

/* [budget, proven free until, known contact by or null], with more and more budget, until the answer is settled. */
static brinkStatus putBracket(picture *p) {
  uint64_t most = p->options->asked.maxIterations > 0 ? p->options->asked.maxIterations : DEFAULT_BUDGET;
  brinkStatus status = brink_ok;
  buffer_Text(&p->json, "\"bracket\":[");
  for (uint64_t budget = 1, row = 0; status == brink_ok; budget = nextBudget(budget), ++row) {
    if (budget > most) budget = most;
    firstAnswer *a = &p->answer;
    status = askFirst(p, budget, a);
    if (status != brink_ok || a->culled) break;
    putComma(&p->json, row);
    buffer_Format(&p->json, "[%llu,%.17g,", (unsigned long long)budget, fmin(a->contact.toi, p->end));
    putNumber(&p->json, a->contact.toiUpper <= 1.0 ? a->contact.toiUpper : (double)NAN);
    buffer_Text(&p->json, "]");
    if (a->contact.state != brink_unresolved || budget == most) break;
  }
  buffer_Text(&p->json, "],");
  return status;
}

static bool isPatient(const picture *p) { return brinkSeconds() - p->start < PATIENCE; }

static bool measure(const picture *p, const brinkClearanceTable *table, double t0, double t1, uint64_t budget,
                    brinkClearanceAnswer *out) {
  const brinkClearanceQuery query = {.structSize = sizeof query,
                                     .tStart = t0,
                                     .tEnd = t1,
                                     .maxIterations = budget,
                                     .tolerance = p->options->asked.eps};
  *out = (brinkClearanceAnswer){.structSize = sizeof *out};
  return isPatient(p) && table->measure(p->world, p->collider[0], p->collider[1], &query, out) == brink_ok;
}

static void putClearance(picture *p) {
  const brinkClearanceTable *table = p->linear ? NULL : p->api->getExtension(BRINK_CLEARANCE_NAME);
  brinkClearanceAnswer answer = {.state = brink_clearanceSpent};
  buffer_Text(&p->json, "\"clearance\":["); /* [budget, lower, upper] */
  for (uint64_t budget = 1, row = 0; table != NULL && answer.state == brink_clearanceSpent && budget <= PART_BUDGET;
       budget = nextBudget(budget), ++row) {
    if (!measure(p, table, 0.0, p->end, budget, &answer)) break;
    putComma(&p->json, row);
    buffer_Format(&p->json, "[%llu,%.17g,", (unsigned long long)budget, answer.lower);
    putNumber(&p->json, answer.upper);
    buffer_Text(&p->json, "]");
  }
  buffer_Text(&p->json, "],\"parts\":["); /* [from, to, lower, upper, time of upper] */
  for (size_t i = 0; table != NULL && p->end > 0.0 && i < PARTS; ++i) {
    double t0 = p->end * (double)i / PARTS, t1 = p->end * (double)(i + 1) / PARTS;
    if (!measure(p, table, t0, t1, PART_BUDGET, &answer)) break;
    putComma(&p->json, i);
    buffer_Format(&p->json, "[%.9g,%.9g,%.17g,", t0, t1, answer.lower);
    putNumber(&p->json, answer.upper);
    buffer_Format(&p->json, ",%.17g]", answer.timeA);
  }
  buffer_Text(&p->json, "],");
}

/* [time, distance, point on A, point on B, normal]; nothing for linear bodies, whose distance the library does not
 * tell. */
static void putDistances(picture *p) {
  buffer_Text(&p->json, "\"distances\":[");
  for (size_t i = 0; !p->linear && i < SAMPLES && isPatient(p); ++i) {
    brinkContact at = {0};
    double t = p->end * (double)i / (SAMPLES - 1);
    if (p->api->distance(p->world, p->collider[0], p->collider[1], t, &at) != brink_ok) break;
    putComma(&p->json, i);
    buffer_Format(&p->json, "[%.9g,%.17g,", t, at.distance);
    putVector(&p->json, at.pointA);
    buffer_Text(&p->json, ",");
    putVector(&p->json, at.pointB);
    buffer_Text(&p->json, ",");
    putVector(&p->json, at.normal);
    buffer_Text(&p->json, "]");
  }
  buffer_Text(&p->json, "],");
}

static void putAnswer(picture *p) {
  const firstAnswer *a = &p->answer;
  buffer_Text(&p->json, "\"name\":");
  buffer_String(&p->json, p->c->name);
  buffer_Format(&p->json,
                ",\"duration\":%.17g,\"state\":\"%s\",\"culled\":%s,\"iterations\":%llu,\"toi\":", p->c->duration,
                stateName(a->contact.state), a->culled ? "true" : "false", a->iterations);
  putNumber(&p->json, a->contact.state != brink_free ? a->contact.toi : (double)NAN);
  buffer_Text(&p->json, ",\"toiUpper\":");
  putNumber(&p->json, a->contact.state != brink_free && a->contact.toiUpper <= 1.0 ? a->contact.toiUpper : (double)NAN);
  buffer_Text(&p->json, ",\"distance\":");
  putNumber(&p->json, a->contact.distance);
  buffer_Text(&p->json, ",\"witness\":");
  if (a->contact.state == brink_hit || a->contact.state == brink_overlap) {
    buffer_Text(&p->json, "[");
    putVector(&p->json, a->contact.pointA);
    buffer_Text(&p->json, ",");
    putVector(&p->json, a->contact.pointB);
    buffer_Text(&p->json, ",");
    putVector(&p->json, a->contact.normal);
    buffer_Text(&p->json, "]");
  } else {
    buffer_Text(&p->json, "null");
  }
}

/* ---- the page */

static bool writePage(picture *p, const char *path) {
  enum { PLACE_TITLE, PLACE_STYLE, PLACE_OWN, PLACE_DATA, PLACE_BLOCK, PLACE_PLAYER, PLACES };
  static const char *const names[PLACES] = {"title", "style", "own", "data", "block", "player"};
  byteBuffer parts[PLACES] = {{0}}, page = {0};
  pagePlace places[PLACES];
  buffer_Html(&parts[PLACE_TITLE], p->c->name);
  buffer_Text(&parts[PLACE_STYLE], page_stage_css.text);
  buffer_Text(&parts[PLACE_OWN], page_show_css.text);
  buffer_Bytes(&parts[PLACE_DATA], p->json.bytes, p->json.size);
  buffer_Base64(&parts[PLACE_BLOCK], p->block.bytes, p->block.size);
  buffer_Script(&parts[PLACE_PLAYER], page_show_js.text, page_show_js.size);
  for (int i = 0; i < PLACES; ++i) places[i] = (pagePlace){names[i], &parts[i]};
  char message[512] = "no memory for the page";
  bool good = !p->json.failed && !p->block.failed && pageTemplate_Fill(&page, &page_show_html, places, PLACES) &&
              buffer_WriteFile(&page, path, message, sizeof message);
  if (!good) fprintf(stderr, "brink: %s\n", message);
  for (int i = 0; i < PLACES; ++i) free(parts[i].bytes);
  free(page.bytes);
  return good;
}

static const brinkColumn columns[] = {{"name", NULL, -16},    {"state", NULL, -10},  {"toi", "s", 12},
                                      {"toi_upper", "s", 12}, {"distance", "m", 12}, {"iterations", NULL, 10},
                                      {"page", NULL, -24}};

static void tell(const picture *p, const char *path) {
  const firstAnswer *a = &p->answer;
  double duration = p->c->duration;
  double toi = a->contact.state != brink_free ? brinkCase_Time(a->contact.toi, duration, false) : (double)NAN;
  double upper = a->contact.state != brink_free && a->contact.toiUpper <= 1.0
                     ? brinkCase_Time(a->contact.toiUpper, duration, true)
                     : (double)NAN;
  brinkRows rows = brinkRows_Open(p->options->form, "case", columns, sizeof columns / sizeof columns[0]);
  if (brinkRows_AreWords(&rows)) {
    printf("%s %s %s\n", p->c->name, stateName(a->contact.state), path);
    return;
  }
  brinkRows_Text(&rows, p->c->name);
  brinkRows_State(&rows, stateName(a->contact.state));
  brinkRows_Number(&rows, toi);
  brinkRows_Number(&rows, upper);
  brinkRows_Number(&rows, a->contact.distance);
  brinkRows_Count(&rows, a->iterations);
  brinkRows_Text(&rows, path);
  brinkRows_End(&rows);
  brinkRows_Close(&rows);
}

static int showCase(const brinkPlugin *api, const ccdCase *c, const showOptions *options, const char *outPath) {
  if (c->body[0].splineCount + c->body[1].splineCount > 0) {
    fprintf(stderr, "brink: %s: splines are for brink interference; there is no picture of them\n", c->name);
    return BRINK_EXIT_FAILURE;
  }
  picture p = {.api = api,
               .options = options,
               .c = c,
               .linear = c->body[0].linear || c->body[1].linear,
               .end = c->duration > 0.0 ? 1.0 : 0.0,
               .start = brinkSeconds()};
  brinkStatus status = api->createWorld(NULL, NULL, &p.world);
  if (status == brink_ok) status = brinkCase_AddMoving(api, p.world, c, p.moving, p.collider);
  buffer_Text(&p.json, "{");
  if (status == brink_ok) status = putBracket(&p);
  bool written = false;
  if (status == brink_ok) {
    putBodies(&p);
    putClearance(&p);
    putDistances(&p);
    putAnswer(&p);
    buffer_Text(&p.json, "}");
    written = writePage(&p, outPath);
    if (written) tell(&p, outPath);
  } else if (!p.linear || p.api->lastError(p.world)[0] != '\0') {
    brinkTellRefusal(api, p.world, status, c->name);
  }
  free(p.json.bytes);
  free(p.block.bytes);
  api->destroyWorld(p.world);
  return status == brink_ok && written ? BRINK_EXIT_OK : BRINK_EXIT_FAILURE;
}

/* ---- choosing the case */

static int refuseName(const showOptions *options, char *const *names, size_t count) {
  const char *nearest = brinkNearestName(options->caseName, (const char *const *)names, count);
  fprintf(stderr, "brink: %s: no case '%s'", options->path, options->caseName);
  fprintf(stderr, nearest != NULL ? ": did you mean '%s'?\n" : "\n", nearest);
  return BRINK_EXIT_MALFORMED;
}

static int showFile(const brinkPlugin *api, const showOptions *options, const char *outPath) {
  brinkText text;
  if (!brinkText_Open(&text, options->path)) return BRINK_EXIT_FAILURE;
  char *names[MOST_NAMES];
  size_t count = 0;
  int status = -1;
  ccdCase c;
  while (status < 0 && brinkCase_Read(&text, &c)) {
    if (options->caseName == NULL || strcmp(c.name, options->caseName) == 0)
      status = showCase(api, &c, options, outPath);
    else if (count < MOST_NAMES && (names[count] = strdup(c.name)) != NULL)
      ++count;
    brinkCase_Free(&c);
  }
  if (status < 0) brinkCase_Free(&c);
  if (status < 0 && count == 0) brinkText_Fail(&text, "no case in it: 'ccd 1' expected (docs/formats.md)");
  if (text.failed)
    status = BRINK_EXIT_MALFORMED;
  else if (status < 0)
    status = refuseName(options, names, count);
  while (count > 0) free(names[--count]);
  brinkText_Close(&text);
  return status;
}

/* ---- options */

static const brinkOption optionRows[] = {
    BRINK_OUTPUT_PATH("PAGE", showOptions, outPath, "Where the page goes [FILE.html]"),
    BRINK_TEXT("case", "NAME", showOptions, caseName, "Which case of the file, the first of that name [the first]"),
    BRINK_ASKED(showOptions, "Tolerance, m [1e-6 of the smaller body]"),
    BRINK_FORMS(showOptions),
    BRINK_FILE(showOptions, "no case file"),
    {0}};

static int run(void *user) {
  const showOptions *options = user;
  char outPath[4096];
  int length = snprintf(outPath, sizeof outPath, "%s%s", options->outPath != NULL ? options->outPath : options->path,
                        options->outPath != NULL ? "" : ".html");
  if (length >= (int)sizeof outPath) {
    fputs("brink: the page's name is too long\n", stderr);
    return BRINK_EXIT_MALFORMED;
  }
  return showFile(brinkApi(), options, outPath);
}

const brinkCommand brinkShowCommand = {
    .options = optionRows,
    .arguments = "FILE",
    .documentation =
        "A picture of one case, as a page for a browser.\v"
        "The page needs nothing else, neither files nor a network. It shows the bodies at the start, at the first "
        "contact "
        "and at the end, their swept boxes, the trees of hulls, witness points and normals. Graphs show the gap over "
        "time "
        "with its proven lower bound, and how the bounds close with more work. FILE - is standard input.\n"
        "One line:  NAME STATE PAGE\n\n"
        "Examples:\n"
        "  brink show cases/robot.ccd -o robot.html\n"
        "  brink show cases/all.ccd --case needle -o needle.html\n\n"
        "Exit status: 0 the page is written, 1 the case was refused by the library, or the file could not be read or "
        "the page not written, 2 a malformed file (file:line on stderr), no case of that name, or usage.",
    .size = sizeof(showOptions),
    .run = run};
