/* SPDX-License-Identifier: BSD-3-Clause */
/* A cylinder turns by 80 degrees about two axes, grows and shrinks, and passes two posts. One picture: four moments,
 * the faces that meet the other body coloured by when they first do; below, the motion's proven contact intervals and
 * how many faces are in contact. One page (no libraries, opens from a file): the same, to drag through. The paper's
 * three other examples get a picture each: two cubes, two parts of rational patches (answered as patches, drawn as
 * triangles), an open surface against a solid. Units: m; step time in [0,1]; world z up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/interference_assets.h"
#include "brink/inverse_path.h"
#include "render.h"
#include "exhibit.h"

#define TITLE "A deforming cylinder meets two posts: when, and with which parts?"
#define STILLS 4
#define BINS 10 /* colours of the picture; the last one: does not interfere */
#define LIFT 1.2
#define MOST_INTERVALS 8
#define PLOT 808
#define SPACING 0.06 /* m, of sample points */

typedef struct subsetTimes {
  double *faces;                               /* [triangleCount][2] */
  size_t meeting, points, asked, inside[PLOT]; /* sample points inside the other body at each time of the plot */
  double spacing;
} subsetTimes;

typedef struct exhibit {
  const brinkPlugin *api;
  const brinkInverseTable *table;
  brinkWorld *world;
  brinkMotionExample example; /* meshes of patches: their triangles, once answered */
  brinkInversePatch *patches[2];
  brinkInverseFactorDef keys;
  brinkInverseSceneDef scene;
  brinkInverseInterval intervals[MOST_INTERVALS];
  size_t intervalCount;
  double open;
  subsetTimes subset[2];
  const char *title;
} exhibit;

/* ---- asking */

static bool makeBody(exhibit *self, int body, brinkInverseBodyDef *out) {
  const brinkMotionExample *e = &self->example;
  *out = (brinkInverseBodyDef){.structSize = sizeof *out, .kind = brink_inverseMesh};
  if (e->patchCount[body] == 0) {
    out->mesh = brinkViewMesh(&e->mesh[body], e->flags[body]);
    return true;
  }
  brinkInversePatch *patches = malloc(e->patchCount[body] * sizeof *patches);
  if (!patches) return false;
  for (size_t i = 0; i < e->patchCount[body]; i++) patches[i] = (brinkInversePatch){4, 4, e->patches[body] + 64 * i};
  self->patches[body] = patches;
  out->kind = brink_inversePatches;
  out->mesh = (brinkMeshView){.structSize = sizeof out->mesh, .flags = e->flags[body]};
  out->patches = patches;
  out->patchCount = e->patchCount[body];
  out->patchError = e->patchError;
  return true;
}

static bool makeScene(exhibit *self) {
  const brinkMotionExample *e = &self->example;
  self->keys = (brinkInverseFactorDef){.structSize = sizeof self->keys,
                                       .kind = brink_inverseKeys,
                                       .blend = brink_inversePolar,
                                       .matrices = e->keys,
                                       .times = e->times,
                                       .count = e->keyCount};
  self->scene.structSize = sizeof self->scene;
  self->scene.motionA.structSize = sizeof self->scene.motionA;
  self->scene.motionB =
      (brinkInverseMotionDef){.structSize = sizeof self->scene.motionB, .factors = &self->keys, .factorCount = 1};
  return makeBody(self, 0, &self->scene.a) && makeBody(self, 1, &self->scene.b);
}

/* What patches are drawn as: the triangles that the answer is told on. */
static bool keepTriangles(brinkMesh *mesh, const brinkInverseSubset *answer) {
  if (mesh->triangleCount > 0) return true;
  mesh->vertices = malloc(3 * answer->vertexCount * sizeof(double));
  mesh->indices = malloc(3 * answer->triangleCount * sizeof(uint32_t));
  if (!mesh->vertices || !mesh->indices) return false;
  memcpy(mesh->vertices, answer->vertices, 3 * answer->vertexCount * sizeof(double));
  memcpy(mesh->indices, answer->triangles, 3 * answer->triangleCount * sizeof(uint32_t));
  mesh->vertexCount = answer->vertexCount;
  mesh->triangleCount = answer->triangleCount;
  return true;
}

/* Of patches the subset of their triangulation, which is what is drawn; the intervals are those of the patches. */
static brinkStatus askSubset(exhibit *self, int body) {
  brinkInverseSubset answer = {.structSize = sizeof answer};
  const brinkInverseQuery query = {
      .structSize = sizeof query,
      .flags = (body == 0 ? BRINK_INVERSE_SWAP : BRINK_INVERSE_SAMPLE_B) | BRINK_INVERSE_TRIANGLES,
      .tEnd = 1.0,
      .timeTolerance = 1e-8,
      .spacing = SPACING};
  brinkStatus status = self->table->interference(self->world, &self->scene, &query, &answer);
  if (status != brink_ok) return status;
  subsetTimes *times = &self->subset[body];
  if (!keepTriangles(&self->example.mesh[body], &answer)) return brink_errorNoMemory;
  size_t count = self->example.mesh[body].triangleCount;
  times->faces = malloc(2 * count * sizeof(double));
  if (!times->faces) return brink_errorNoMemory;
  for (size_t i = 0; i < count; i++) {
    times->faces[2 * i] = 2.0;
    times->faces[2 * i + 1] = -1.0;
  }
  for (size_t i = 0; i < answer.faceCount; i++) {
    times->faces[2 * answer.faces[i].triangle] = answer.faces[i].entryUpper;
    times->faces[2 * answer.faces[i].triangle + 1] = answer.faces[i].exitLower;
  }
  for (size_t i = 0; i < answer.intervalCount; i++)
    for (size_t k = 0; k < PLOT; k++) {
      double t = ((double)k + 0.5) / PLOT;
      times->inside[k] += answer.intervals[i].startUpper <= t && t <= answer.intervals[i].endLower ? 1u : 0u;
    }
  times->meeting = answer.faceCount;
  times->points = answer.pointCount;
  times->asked = answer.asked;
  times->spacing = answer.spacing;
  return brink_ok;
}

static brinkStatus askAll(exhibit *self) {
  brinkInverseIntervals answer = {.structSize = sizeof answer};
  const brinkInverseQuery query = {.structSize = sizeof query, .tEnd = 1.0};
  brinkStatus status = self->table->contactIntervals(self->world, &self->scene, &query, &answer);
  if (status != brink_ok) return status;
  self->intervalCount = answer.count < MOST_INTERVALS ? answer.count : MOST_INTERVALS;
  memcpy(self->intervals, answer.intervals, self->intervalCount * sizeof self->intervals[0]);
  self->open = answer.openTotal;
  for (int body = 0; body < 2 && status == brink_ok; body++) status = askSubset(self, body);
  return status;
}

/* ---- the picture */

static const uint8_t white[3] = {252, 252, 252}, ink[3] = {30, 36, 44}, grey[3] = {150, 158, 168},
                     green[3] = {168, 214, 170}, red[3] = {214, 96, 80};

static void placeBody(const exhibit *self, int body, size_t key, double *out) {
  const brinkMesh *mesh = &self->example.mesh[body];
  const double *m = self->example.keys + 16 * key;
  for (size_t i = 0; i < mesh->vertexCount; i++)
    for (int r = 0; r < 3; r++) {
      const double *x = mesh->vertices + 3 * i;
      out[3 * i + r] = body == 0 ? x[r] : m[4 * r] * x[0] + m[4 * r + 1] * x[1] + m[4 * r + 2] * x[2] + m[4 * r + 3];
    }
}

/* The faces of one colour as a mesh of its own over shared vertices. indices: [3 triangleCount]. */
static void pickFaces(const exhibit *self, int body, int bin, double *vertices, uint32_t *indices, brinkMesh *out) {
  const brinkMesh *mesh = &self->example.mesh[body];
  *out = (brinkMesh){.vertices = vertices, .vertexCount = mesh->vertexCount, .indices = indices};
  for (size_t i = 0; i < mesh->triangleCount; i++) {
    double entry = self->subset[body].faces[2 * i];
    int mine = entry > 1.0 ? BINS - 1 : (int)fmin(BINS - 2, floor(entry * (BINS - 1)));
    if (mine != bin) continue;
    memcpy(indices + 3 * out->triangleCount, mesh->indices + 3 * i, 3 * sizeof(uint32_t));
    out->triangleCount += 1;
  }
}

static size_t addItems(const exhibit *self, int body, double *vertices, uint32_t *indices, brinkMesh *meshes,
                       renderItem *items) {
  size_t count = 0;
  for (int bin = 0; bin < BINS; bin++) {
    pickFaces(self, body, bin, vertices, indices, &meshes[count]);
    if (meshes[count].triangleCount == 0) continue;
    indices += 3 * meshes[count].triangleCount;
    unsigned char color[3];
    brinkEntryColor(bin == BINS - 1 ? 2.0 : (bin + 0.5) / (BINS - 1), color);
    items[count] =
        (renderItem){.mesh = &meshes[count], .position = {0, 0, LIFT}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int k = 0; k < 3; k++) items[count].color[k] = (float)color[k] / 255.0f;
    count++;
  }
  return count;
}

static bool drawStill(exhibit *self, renderer *painter, size_t key, renderImage *image) {
  brinkMesh meshes[2 * BINS];
  renderItem items[2 * BINS];
  double *vertices[2] = {NULL, NULL};
  uint32_t *indices[2] = {NULL, NULL};
  size_t count = 0;
  bool good = true;
  for (int body = 0; body < 2; body++) {
    const brinkMesh *mesh = &self->example.mesh[body];
    vertices[body] = malloc(3 * mesh->vertexCount * sizeof(double));
    indices[body] = malloc(3 * mesh->triangleCount * sizeof(uint32_t));
    good = good && vertices[body] && indices[body];
    if (!good) continue;
    placeBody(self, body, key, vertices[body]);
    count += addItems(self, body, vertices[body], indices[body], meshes + count, items + count);
  }
  const renderCamera camera = {.eye = {-1.0, -4.2, LIFT + 1.7}, .target = {0, 0, LIFT + 0.1}, .fieldOfView = 0.55};
  good = good && renderer_Draw(painter, &camera, items, count, image);
  for (int body = 0; body < 2; body++) {
    free(vertices[body]);
    free(indices[body]);
  }
  if (!good) return false;
  char text[64];
  double t = self->example.times[key];
  bool touching = false;
  for (size_t i = 0; i < self->intervalCount; i++)
    touching = touching || (t >= self->intervals[i].startUpper && t <= self->intervals[i].endLower);
  snprintf(text, sizeof text, "t = %.3f: %s", t, touching ? "in contact" : "free");
  renderImage_Rectangle(image, 6, 6, renderTextWidth(2, text) + 12, 24, white, 0.8);
  renderImage_Text(image, 12, 11, 2, touching ? red : ink, text);
  return true;
}

static void drawPlot(const exhibit *self, renderImage *image, int left, int top, int width, int height) {
  renderImage_Rectangle(image, left, top, width, height, white, 1.0);
  renderImage_Rectangle(image, left, top, width, 34, green, 1.0);
  for (size_t i = 0; i < self->intervalCount; i++) {
    const brinkInverseInterval *one = &self->intervals[i];
    int x0 = left + (int)(width * one->startLower), x1 = left + (int)(width * one->endUpper);
    renderImage_Rectangle(image, x0, top, x1 - x0 + 1, 34, red, 1.0);
    char text[96];
    snprintf(text, sizeof text, "%.9f to %.9f", one->startUpper, one->endLower);
    renderImage_Text(image, x0 + 8, top + 10, 2, ink, text);
  }
  for (int x = 0; x < width; x++) {
    double t = (x + 0.5) / width;
    unsigned char color[3];
    brinkEntryColor(t, color);
    const subsetTimes *times = &self->subset[1];
    int high =
        (int)(2.0 * (height - 60) * (double)times->inside[(size_t)x * PLOT / (size_t)width] / (double)times->asked);
    renderImage_Rectangle(image, left + x, top + height - 16 - high, 1, high, ink, 0.75);
    renderImage_Rectangle(image, left + x, top + height - 14, 1, 14, color, 1.0);
  }
}

/* demoWrite */
static bool drawPicture(void *user, const char *path, const char *verdict, char *message, size_t capacity) {
  exhibit *self = user;
  enum { width = 1640, height = 830, stillWidth = 400, stillHeight = 330 };
  renderImage image = {0}, one = {0};
  renderer *painter = renderer_Create(stillWidth, stillHeight);
  bool good = painter && renderImage_Make(&image, width, height, white) &&
              renderImage_Make(&one, stillWidth, stillHeight, grey);
  if (!good) snprintf(message, capacity, "no memory for pictures");
  size_t last = self->example.keyCount - 1;
  const size_t keys[STILLS] = {last / 6, last * 7 / 24, last / 2, last * 17 / 24};
  for (int i = 0; good && i < STILLS; i++) {
    good = drawStill(self, painter, keys[i], &one);
    if (!good) snprintf(message, capacity, "a still could not be drawn");
    if (good) renderImage_Paste(&image, 10 + i * (stillWidth + 6), 84, &one);
  }
  if (good) {
    renderImage_Text(&image, 12, 16, 3, ink, self->title);
    renderImage_Text(&image, 12, 54, 2, ink, verdict);
    renderImage_Text(&image, 12, 430, 2, ink,
                     "Faces that meet the other body are coloured by when they first do (scale at the bottom); grey "
                     "ones never do, proven.");
    renderImage_Text(&image, 12, 456, 2, ink,
                     "Bar: free (green) and in contact (red), proven for every t. Below: how much of the moving "
                     "body's surface is inside the other.");
    drawPlot(self, &image, 12, 486, width - 24, 300);
    renderImage_Text(&image, 12, 796, 2, ink, "t = 0");
    renderImage_Text(&image, width - 80, 796, 2, ink, "t = 1");
    good = renderImage_WritePng(&image, path, message, capacity);
  }
  renderImage_Free(&one);
  renderImage_Free(&image);
  renderer_Destroy(painter);
  return good;
}

/* ---- the page */

static void writeBody(byteBuffer *out, const exhibit *self, int body) {
  const brinkMesh *mesh = &self->example.mesh[body];
  buffer_Format(out, "{vertices:[");
  for (size_t i = 0; i < mesh->vertexCount; i++)
    buffer_Format(out, "[%.7g,%.7g,%.7g],", mesh->vertices[3 * i], mesh->vertices[3 * i + 1],
                  mesh->vertices[3 * i + 2]);
  buffer_Format(out, "],triangles:[");
  for (size_t i = 0; i < mesh->triangleCount; i++)
    buffer_Format(out, "[%u,%u,%u],", mesh->indices[3 * i], mesh->indices[3 * i + 1], mesh->indices[3 * i + 2]);
  buffer_Format(out, "],times:[");
  for (size_t i = 0; i < mesh->triangleCount; i++) {
    const double *t = self->subset[body].faces + 2 * i;
    if (t[0] <= 1.0)
      buffer_Format(out, "[%.9g,%.9g],", t[0], t[1]);
    else
      buffer_Format(out, "0,");
  }
  buffer_Format(out, "]},\n");
}

/* demoWrite */
static bool writePage(void *user, const char *path, const char *verdict, char *message, size_t capacity) {
  const exhibit *self = user;
  byteBuffer data = {0};
  buffer_Format(&data, "const show={intervals:[");
  for (size_t i = 0; i < self->intervalCount; i++)
    buffer_Format(&data, "[%.17g,%.17g],", self->intervals[i].startUpper, self->intervals[i].endLower);
  buffer_Format(&data, "],keys:[");
  for (size_t i = 0; i < self->example.keyCount; i++) {
    buffer_Format(&data, "[");
    for (int k = 0; k < 12; k++) buffer_Format(&data, "%.9g,", self->example.keys[16 * i + (size_t)k]);
    buffer_Format(&data, "],");
  }
  buffer_Format(&data, "],bodies:[\n");
  for (int body = 0; body < 2; body++) writeBody(&data, self, body);
  buffer_Text(&data, "]};");
  const demoPage page = {
      .title = TITLE,
      .verdict = verdict,
      .controls = "",
      .words =
          "Faces take colour once they have met the other body: violet early, yellow late; red while between their "
          "first and last touch. Bar: green is proven free, red is proven contact. Between the motion's keys the "
          "picture goes straight; the answers do not.",
      .plotHeight = "60",
      .drawing = &page_interference_js,
      .data = &data};
  bool written = demoExhibit_WritePage(path, &page, message, capacity);
  free(data.bytes);
  return written;
}

/* ---- the run */

static bool judge(const exhibit *self, size_t expected, char *out, size_t capacity) {
  bool good = self->intervalCount == expected && self->subset[0].meeting > 0 && self->subset[1].meeting > 0;
  for (size_t i = 0; i < self->intervalCount; i++)
    good = good && (self->intervals[i].flags & BRINK_INVERSE_PROVEN) != 0u &&
           self->intervals[i].startUpper - self->intervals[i].startLower <= 1e-9 &&
           self->intervals[i].endUpper - self->intervals[i].endLower <= 1e-9;
  snprintf(
      out, capacity,
      "%s: %zu contact interval%s and no other%s, ends within 1e-9; %zu of %zu faces of the moving body, %zu of %zu "
      "of the other meet.",
      good ? "Proven" : "NOT PROVEN", self->intervalCount, self->intervalCount == 1 ? "" : "s",
      self->intervalCount == 1 ? "" : "s", self->subset[1].meeting, self->example.mesh[1].triangleCount,
      self->subset[0].meeting, self->example.mesh[0].triangleCount);
  return good;
}

typedef struct showing {
  const char *example, *picture, *title;
  size_t intervals; /* that its motion has */
  bool page;
} showing;

static const showing showings[BRINK_MOTION_EXAMPLES] = {
    {"cylinder", "interference", TITLE, 2, true},
    {"cubes", "cubes", "Two cubes, one on a curve, turning about two axes", 1, false},
    {"parts", "parts", "Two parts of 850 and 240 rational patches", 1, false},
    {"scans", "scans", "An open surface of 2,900 triangles against a solid of 2,700", 1, false}};

static void foldAnswers(const exhibit *self, demoAsked *asked) {
  for (size_t i = 0; i < self->intervalCount; i++) {
    const brinkInverseInterval *one = &self->intervals[i];
    const double ends[4] = {one->startLower, one->startUpper, one->endLower, one->endUpper};
    demoExhibit_FoldNumbers(asked, ends, 4);
  }
  for (int body = 0; body < 2; body++) {
    const subsetTimes *times = &self->subset[body];
    demoExhibit_FoldNumbers(asked, times->faces, 2 * self->example.mesh[body].triangleCount);
    demoExhibit_Fold(asked, times->inside, sizeof times->inside);
  }
}

static int runExhibit(exhibit *self, const showing *what, demoAsked *asked) {
  char verdict[512];
  self->title = what->title;
  if (!makeScene(self)) {
    fprintf(stderr, "brink-demo: no memory\n");
    return 2;
  }
  if (askAll(self) != brink_ok) {
    fprintf(stderr, "brink-demo: %s: %s\n", what->example, self->api->lastError(self->world));
    return 2;
  }
  foldAnswers(self, asked);
  bool good = judge(self, what->intervals, verdict, sizeof verdict);
  printf("%s\n  %s\n", what->title, verdict);
  for (int body = 0; body < 2; body++)
    printf("  %-18s %zu of %zu sample points meet (every boundary point within %.3g m of one)\n",
           body == 0 ? "resting body:" : "moving body:", self->subset[body].points, self->subset[body].asked,
           self->subset[body].spacing);
  return demoExhibit_Finish(asked, what->picture, good, verdict, self, drawPicture, what->page ? writePage : NULL);
}

static int showExample(const showing *what, demoAsked *asked) {
  exhibit *self = calloc(1, sizeof *self);
  char message[512] = "no memory";
  int result = 2;
  if (self) self->api = asked->api, self->table = asked->table, self->world = asked->world;
  if (self && brinkMakeMotionExample(what->example, &self->example, message, sizeof message) == brink_ok)
    result = runExhibit(self, what, asked);
  else
    fprintf(stderr, "brink-demo: %s\n", message);
  for (int body = 0; self && body < 2; body++) {
    free(self->subset[body].faces);
    free(self->patches[body]);
  }
  if (self) brinkFreeMotionExample(&self->example);
  free(self);
  return result;
}

/* demoShow */
static int show(void *user, demoAsked *asked) {
  (void)user;
  int worst = 0;
  for (int i = 0; i < BRINK_MOTION_EXAMPLES; i++) {
    int result = showExample(&showings[i], asked);
    worst = result > worst ? result : worst;
  }
  return worst;
}

const demoExhibitDef demoInterference = {"interference", TITLE, BRINK_INVERSE_PATH_NAME, show, 0};
