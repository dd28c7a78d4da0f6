/* SPDX-License-Identifier: BSD-3-Clause */
/* What does a certificate of no collision consist of? One picture: moments of a tool that dips between the jaws of a
 * vice, each with a plane of the certificate that keeps tool and vice apart at that moment, and below them all cells of
 * the certificate: a row for each pair of pieces, time from left to right, a box for each direction that holds during
 * it. The same for the tool shifted by a few centimetres, where it touches: red is what lacks a proof. One page (no
 * libraries, opens from a file): the same, to drag. The cells are read back from the certificates as they are written
 * to disk. Units: m; the step is 1 s. World z up; pictures are lifted by LIFT. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/tolerance.h"
#include "render.h"
#include "exhibit.h"

#define TITLE "A tool dips between the jaws of a vice: a proof that it never touches, for others to check"
#define LIFT 0.35
#define SHIFT 0.11      /* m: the second run */
#define TOLERANCE 0.004 /* m */
#define CONTROLS 9
#define TOOL_BOXES 3
#define VICE_BOXES 4
#define MAX_CELLS 20000

typedef struct box {
  double low[3], high[3];
} box;

/* Tongue, crossbar, spindle. */
static const box toolBoxes[TOOL_BOXES] = {{{-0.08, -0.08, -0.42}, {0.08, 0.08, 0.36}},
                                          {{-0.55, -0.09, 0.34}, {0.55, 0.09, 0.50}},
                                          {{-0.14, -0.14, 0.50}, {0.14, 0.14, 0.95}}};
/* Two jaws, the bed, the screw in front. */
static const box viceBoxes[VICE_BOXES] = {{{-0.55, -0.45, 0.0}, {-0.20, 0.45, 0.52}},
                                          {{0.20, -0.45, 0.0}, {0.55, 0.45, 0.52}},
                                          {{-0.85, -0.55, -0.18}, {0.85, 0.55, 0.0}},
                                          {{0.55, -0.08, 0.16}, {1.25, 0.08, 0.32}}};

static const brinkQuat turning[5] = {
    {1, 0, 0, -0.55}, {1, 0.18, 0, -0.2}, {1, 0, 0.02, 0.1}, {1, -0.2, 0, 0.35}, {1, 0, 0, 0.8}};
static const brinkVec3 places[CONTROLS] = {{-1.5, -0.5, 1.9}, {-0.6, -0.4, 1.9}, {0, -0.2, 1.9},
                                           {0, 0, 0.9},       {0, 0, -0.6},      {0, 0, 0.9},
                                           {0, 0.2, 1.9},     {0.6, 0.4, 1.9},   {1.5, 0.5, 1.9}};

typedef struct cellMesh {
  double vertices[24 * VICE_BOXES];
  uint32_t indices[36 * VICE_BOXES];
  uint32_t faceStart[VICE_BOXES + 1], faceIds[8 * VICE_BOXES]; /* for the certificate: one convex face a box */
  brinkMesh mesh;                                              /* of the arrays above */
  size_t boxes;
} cellMesh;

typedef struct witness { /* a cell of a certificate, by boxes */
  double from, to, n0[3], n1[3], bound;
  int a0, a1, b0, b1;
  bool open;
} witness;

typedef struct run {
  double controls[CONTROLS * 13];
  brinkToleranceAnswer answer;
  brinkOpenInterval open[4];
  witness cells[MAX_CELLS];
  size_t cellCount;
  int orderA[TOOL_BOXES], orderB[VICE_BOXES];
} run;

typedef struct cell {
  const brinkPlugin *api;
  const brinkToleranceTable *table;
  brinkWorld *world;
  cellMesh tool, vice, ground;
  run runs[2]; /* passes, touches */
  bool good;
} cell;

static void makeMesh(cellMesh *mesh, const box *boxes, size_t count) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  mesh->boxes = count;
  for (uint32_t b = 0; b < count; b++) {
    for (uint32_t i = 0; i < 8; i++) {
      for (uint32_t k = 0; k < 3; k++)
        mesh->vertices[24 * b + 3 * i + k] = i >> k & 1 ? boxes[b].high[k] : boxes[b].low[k];
      mesh->faceIds[8 * b + i] = 8 * b + i;
    }
    mesh->faceStart[b + 1] = 8 * (b + 1);
    for (uint32_t q = 0; q < 6; q++) {
      const uint32_t corners[6] = {quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3]};
      for (uint32_t k = 0; k < 6; k++) mesh->indices[36 * b + 6 * q + k] = corners[k] + 8 * b;
    }
  }
  mesh->mesh = (brinkMesh){
      .vertices = mesh->vertices, .vertexCount = 8 * count, .indices = mesh->indices, .triangleCount = 12 * count};
}

/* ---- asking, and reading the certificate back */

static brinkTolerancedBody bodyOf(const cellMesh *mesh, const brinkCurveStage *stage) {
  return (brinkTolerancedBody){.structSize = sizeof(brinkTolerancedBody),
                               .vertices = mesh->vertices,
                               .vertexCount = 8 * mesh->boxes,
                               .faceStart = mesh->faceStart,
                               .faceIds = mesh->faceIds,
                               .faceCount = mesh->boxes,
                               .stages = stage,
                               .stageCount = stage != NULL ? 1 : 0};
}

static void readOrder(const char *line, int *order, int count) {
  char *at = (char *)(uintptr_t)line;
  for (int i = 0; i < count; i++) order[i] = (int)strtol(at, &at, 10);
}

static bool readCell(const char *line, witness *out) {
  char *at;
  double n[13];
  out->open = strncmp(line, "open ", 5) == 0;
  at = (char *)(uintptr_t)line + 5;
  for (int i = 0; i < (out->open ? 6 : 13); i++) n[i] = strtod(at, &at);
  out->from = n[0];
  out->to = n[1];
  out->a0 = (int)n[2];
  out->a1 = (int)n[3];
  out->b0 = (int)n[4];
  out->b1 = (int)n[5];
  if (out->open) return true;
  memcpy(out->n0, &n[6], sizeof out->n0);
  memcpy(out->n1, &n[9], sizeof out->n1);
  out->bound = n[12];
  return true;
}

static void readCertificate(run *self) {
  for (const char *line = self->answer.certificate; *line != '\0'; line += strcspn(line, "\n") + 1) {
    if (strncmp(line, "order A", 7) == 0) readOrder(line + 7, self->orderA, TOOL_BOXES);
    if (strncmp(line, "order B", 7) == 0) readOrder(line + 7, self->orderB, VICE_BOXES);
    if ((strncmp(line, "cell ", 5) == 0 || strncmp(line, "open ", 5) == 0) && self->cellCount < MAX_CELLS)
      readCell(line, &self->cells[self->cellCount++]);
  }
}

static bool writeText(const char *path, const char *text, size_t size, char *message, size_t capacity) {
  FILE *file = fopen(path, "wb");
  bool good = file && fwrite(text, 1, size, file) == size;
  if (file && fclose(file) != 0) good = false;
  if (!good) snprintf(message, capacity, "cannot write %s: %s", path, strerror(errno));
  return good;
}

static brinkStatus certify(cell *self, int k) {
  run *one = &self->runs[k];
  brinkVec3 shifted[CONTROLS];
  for (int i = 0; i < CONTROLS; i++)
    shifted[i] = (brinkVec3){places[i].x + (k == 1 ? SHIFT : 0.0), places[i].y, places[i].z};
  brinkStatus status = self->table->rationalMotion(turning, 5, shifted, one->controls);
  if (status != brink_ok) return status;
  const brinkCurveStage stage = {.kind = brink_curveBezier, .count = CONTROLS, .controls = one->controls};
  const brinkTolerancedBody a = bodyOf(&self->tool, &stage), b = bodyOf(&self->vice, NULL);
  const brinkToleranceQuery query = {.structSize = sizeof query, .tEnd = 1.0, .tolerance = TOLERANCE};
  one->answer.structSize = sizeof one->answer;
  return self->table->certifyBodies(self->world, &a, &b, &query, &one->answer);
}

static bool certifyBoth(cell *self, demoAsked *asked, char *message, size_t capacity) {
  static const char *const names[2] = {"passes.cert", "touches.cert"};
  for (int k = 0; k < 2; k++) {
    run *one = &self->runs[k];
    char path[1300];
    brinkStatus status = certify(self, k);
    if (status != brink_ok) {
      snprintf(message, capacity, "certificate: %s", self->api->lastError(self->world));
      return false;
    }
    readCertificate(one);
    demoExhibit_Fold(asked, one->answer.certificate, one->answer.certificateSize);
    snprintf(path, sizeof path, "%s/%s", asked->folder, names[k]);
    if (!writeText(path, one->answer.certificate, one->answer.certificateSize, message, capacity)) return false;
    size_t kept =
        one->answer.openCount < 4 ? one->answer.openCount : 4; /* the world keeps them only until the next call */
    for (size_t i = 0; i < kept; i++) one->open[i] = one->answer.open[i];
    one->answer.open = one->open;
    one->answer.certificate = NULL;
  }
  return true;
}

/* ---- the motion, and the plane at a time */

static void poseAt(const run *one, double t, double r[9], double p[3]) {
  double level[CONTROLS][13];
  memcpy(level, one->controls, sizeof level);
  for (int size = CONTROLS - 1; size > 0; size--)
    for (int i = 0; i < size; i++)
      for (int c = 0; c < 13; c++) level[i][c] = (1 - t) * level[i][c] + t * level[i + 1][c];
  for (int c = 0; c < 9; c++) r[c] = level[0][1 + c] / level[0][0];
  for (int c = 0; c < 3; c++) p[c] = level[0][10 + c] / level[0][0];
}

/* Range of n.x over some boxes of a mesh, placed. */
static void extent(const cellMesh *mesh, const int *order, int from, int to, const double *r, const double *p,
                   const double n[3], double out[2]) {
  out[0] = INFINITY;
  out[1] = -INFINITY;
  for (int f = from; f < to; f++)
    for (int i = 0; i < 8; i++) {
      const double *v = &mesh->vertices[24 * order[f] + 3 * i];
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += n[k] * (r ? r[3 * k] * v[0] + r[3 * k + 1] * v[1] + r[3 * k + 2] * v[2] + p[k] : v[k]);
      out[0] = fmin(out[0], sum);
      out[1] = fmax(out[1], sum);
    }
}

typedef struct plane {
  double n[3], middle, gap; /* unit normal, offset half way between the two, how far they are from it together */
  const witness *cell;
} plane;

/* The tightest of the planes that hold at t. */
static bool tightest(const cell *self, const run *one, double t, plane *out) {
  double r[9], p[3];
  poseAt(one, t, r, p);
  out->gap = INFINITY;
  for (size_t i = 0; i < one->cellCount; i++) {
    const witness *w = &one->cells[i];
    if (w->open || t < w->from || t > w->to) continue;
    double s = w->to > w->from ? (t - w->from) / (w->to - w->from) : 0, n[3], a[2], b[2], length = 0;
    for (int k = 0; k < 3; k++) n[k] = (1 - s) * w->n0[k] + s * w->n1[k];
    for (int k = 0; k < 3; k++) length += n[k] * n[k];
    for (int k = 0; k < 3; k++) n[k] /= sqrt(length);
    extent(&self->tool, one->orderA, w->a0, w->a1, r, p, n, a);
    extent(&self->vice, one->orderB, w->b0, w->b1, NULL, NULL, n, b);
    if (b[0] - a[1] >= out->gap) continue;
    memcpy(out->n, n, sizeof n);
    out->gap = b[0] - a[1];
    out->middle = 0.5 * (b[0] + a[1]);
    out->cell = w;
  }
  return isfinite(out->gap);
}

/* ---- the picture */

static const uint8_t white[3] = {252, 252, 252}, ink[3] = {30, 36, 44}, grey[3] = {150, 158, 168},
                     red[3] = {205, 45, 40}, blue[3] = {40, 90, 160};

static renderItem itemAt(const brinkMesh *mesh, const double *r, const double *p, const float color[3], int style) {
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  renderItem item = {.mesh = mesh, .position = {p ? p[0] : 0, p ? p[1] : 0, (p ? p[2] : 0) + LIFT}, .style = style};
  memcpy(item.rotation, r ? r : identity, sizeof identity);
  memcpy(item.color, color, sizeof item.color);
  return item;
}

/* A square frame of four bars in the plane, about the point of it that is nearest to the tongue's end. */
static void frameOf(const plane *at, const double tip[3], double r[9], double p[3]) {
  double away = -at->middle, n[3] = {at->n[0], at->n[1], at->n[2]}, e[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) away += n[k] * tip[k];
  for (int k = 0; k < 3; k++) p[k] = tip[k] - away * n[k];
  e[fabs(n[2]) < 0.7 ? 2 : 0] = 1.0; /* upright where it can be */
  double along = e[0] * n[0] + e[1] * n[1] + e[2] * n[2], length = 0, f[3];
  for (int k = 0; k < 3; k++) e[k] -= along * n[k];
  for (int k = 0; k < 3; k++) length += e[k] * e[k];
  for (int k = 0; k < 3; k++) e[k] /= sqrt(length);
  for (int k = 0; k < 3; k++) f[k] = n[(k + 1) % 3] * e[(k + 2) % 3] - n[(k + 2) % 3] * e[(k + 1) % 3];
  for (int k = 0; k < 3; k++) {
    r[3 * k] = e[k];
    r[3 * k + 1] = f[k];
    r[3 * k + 2] = n[k];
  }
}

static bool drawStill(cell *self, renderer *painter, const run *one, double t, renderImage *image) {
  static const float orange[3] = {0.93f, 0.55f, 0.15f}, steel[3] = {0.45f, 0.55f, 0.66f},
                     floor[3] = {0.80f, 0.81f, 0.79f}, green[3] = {0.15f, 0.62f, 0.25f};
  static const box bars[4] = {{{-0.45, -0.45, -0.008}, {0.45, -0.42, 0.008}},
                              {{-0.45, 0.42, -0.008}, {0.45, 0.45, 0.008}},
                              {{-0.45, -0.45, -0.008}, {-0.42, 0.45, 0.008}},
                              {{0.42, -0.45, -0.008}, {0.45, 0.45, 0.008}}};
  cellMesh frame = {0};
  double r[9], p[3], frameR[9], frameP[3], tip[3], low[3] = {0, 0, -0.18 - LIFT + 0.17};
  plane at;
  poseAt(one, t, r, p);
  for (int k = 0; k < 3; k++) tip[k] = p[k] - 0.3 * r[3 * k + 2];
  makeMesh(&frame, bars, 4);
  renderItem items[4] = {itemAt(&self->tool.mesh, r, p, orange, 0), itemAt(&self->vice.mesh, NULL, NULL, steel, 0),
                         itemAt(&self->ground.mesh, NULL, low, floor, RENDER_GROUND)};
  size_t count = 3;
  bool held = tightest(self, one, t, &at);
  for (size_t i = 0; i < one->answer.openCount; i++) held = held && !(t >= one->open[i].from && t <= one->open[i].to);
  if (held) {
    frameOf(&at, tip, frameR, frameP);
    items[count++] = itemAt(&frame.mesh, frameR, frameP, green, 0);
  }
  const renderCamera camera = {.eye = {1.5, -3.3, LIFT + 1.7}, .target = {0.0, 0.0, LIFT + 0.62}, .fieldOfView = 0.62};
  if (!renderer_Draw(painter, &camera, items, count, image)) return false;
  char text[80];
  if (held)
    snprintf(text, sizeof text, "t = %.2f s: %.0f mm apart", t, 1e3 * at.gap);
  else
    snprintf(text, sizeof text, "t = %.2f s: no plane, no proof", t);
  renderImage_Rectangle(image, 6, 6, renderTextWidth(2, text) + 12, 24, white, 0.85);
  renderImage_Text(image, 12, 11, 2, held ? ink : red, text);
  return true;
}

static void colorOf(const witness *w, uint8_t out[3]) {
  double s = fmin(1.0, fmax(0.0, log10(1e3 * w->bound) / 3.0)); /* 1 mm to 1 m */
  out[0] = (uint8_t)(190 - 150 * s);
  out[1] = (uint8_t)(228 - 90 * s);
  out[2] = (uint8_t)(185 - 125 * s);
}

/* A row for each pair of boxes: the cells that speak of it. */
static void drawCells(const run *one, renderImage *image, int left, int top, int width, int rowHeight) {
  static const char *const toolNames[TOOL_BOXES] = {"tongue", "crossbar", "spindle"};
  static const char *const viceNames[VICE_BOXES] = {"left jaw", "right jaw", "bed", "screw"};
  for (int a = 0; a < TOOL_BOXES; a++)
    for (int b = 0; b < VICE_BOXES; b++) {
      int y = top + (a * VICE_BOXES + b) * rowHeight;
      char name[64];
      snprintf(name, sizeof name, "%s, %s", toolNames[a], viceNames[b]);
      renderImage_Text(image, left - 10 - renderTextWidth(1, name), y + rowHeight / 2 - 4, 1, ink, name);
      for (size_t i = 0; i < one->cellCount; i++) {
        const witness *w = &one->cells[i];
        bool holds = false;
        for (int x = w->a0; x < w->a1; x++)
          for (int z = w->b0; z < w->b1; z++) holds |= one->orderA[x] == a && one->orderB[z] == b;
        if (!holds) continue;
        int x0 = left + (int)(width * w->from), x1 = left + (int)(width * w->to);
        uint8_t color[3] = {205, 45, 40};
        if (!w->open) colorOf(w, color);
        renderImage_Rectangle(image, x0, y + 1, x1 > x0 ? x1 - x0 : 1, rowHeight - 2, color, 1.0);
        if (!w->open && x1 - x0 > 4) renderImage_Rectangle(image, x0, y + 1, 1, rowHeight - 2, white, 1.0);
      }
    }
  renderImage_Rectangle(image, left, top, 1, TOOL_BOXES * VICE_BOXES * rowHeight, ink, 1.0);
}

/* demoWrite */
static bool drawPicture(void *user, const char *path, const char *verdict, char *message, size_t capacity) {
  cell *self = user;
  enum { width = 1640, height = 1120, stillWidth = 400, stillHeight = 300 };
  static const double times[2][4] = {{0.3, 0.41, 0.5, 0.66}, {0.3, 0.41, 0.54, 0.66}};
  renderImage image = {0}, one = {0};
  renderer *painter = renderer_Create(stillWidth, stillHeight);
  bool fine = painter && renderImage_Make(&image, width, height, white) &&
              renderImage_Make(&one, stillWidth, stillHeight, grey);
  if (!fine) snprintf(message, capacity, "no memory for pictures");
  for (int k = 0; fine && k < 2; k++) {
    const run *self1 = &self->runs[k];
    int top = 84 + 516 * k;
    char text[200];
    for (int i = 0; fine && i < 4; i++) {
      fine = drawStill(self, painter, self1, times[k][i], &one);
      if (!fine) snprintf(message, capacity, "a still could not be drawn");
      if (fine) renderImage_Paste(&image, 10 + i * (stillWidth + 6), top, &one);
    }
    if (k == 0)
      snprintf(
          text, sizeof text,
          "Passes: %zu cells; in each one plane that turns keeps the pair apart (darker: further). %zu lack a proof.",
          self1->cellCount, self1->answer.openCells);
    else
      snprintf(text, sizeof text,
               "Shifted by %.0f mm: no proof (red) from %.3f s to %.3f s, where tool and jaw come within %.0f mm.",
               1e3 * SHIFT, self1->open[0].from, self1->open[0].to, 2e3 * TOLERANCE);
    renderImage_Text(&image, 12, top + stillHeight + 10, 2, self1->answer.state == brink_certified ? ink : red, text);
    drawCells(self1, &image, 170, top + stillHeight + 38, width - 190, 13);
    renderImage_Text(&image, 170, top + stillHeight + 198, 1, ink, "0 s");
    renderImage_Text(&image, width - 40, top + stillHeight + 198, 1, ink, "1 s");
  }
  if (fine) {
    renderImage_Text(&image, 12, 14, 3, ink, "Tool and vice: a proof that they never touch, for others to check");
    renderImage_Text(&image, 12, 52, 2, self->good ? blue : red, verdict);
    fine = renderImage_WritePng(&image, path, message, capacity);
  }
  renderImage_Free(&one);
  renderImage_Free(&image);
  renderer_Destroy(painter);
  return fine;
}

/* ---- the page */

static void writeBoxes(byteBuffer *out, const char *name, const box *boxes, int count) {
  buffer_Format(out, "%s:[", name);
  for (int i = 0; i < count; i++)
    buffer_Format(out, "[%g,%g,%g,%g,%g,%g],", boxes[i].low[0], boxes[i].low[1], boxes[i].low[2], boxes[i].high[0],
                  boxes[i].high[1], boxes[i].high[2]);
  buffer_Format(out, "],\n");
}

static void writeRun(byteBuffer *out, const run *one) {
  buffer_Format(out, "{controls:[");
  for (int i = 0; i < CONTROLS; i++) {
    buffer_Format(out, "[");
    for (int c = 0; c < 13; c++) buffer_Format(out, "%.9g,", one->controls[13 * i + c]);
    buffer_Format(out, "],");
  }
  buffer_Format(out, "],a:[%d,%d,%d],b:[%d,%d,%d,%d],open:[", one->orderA[0], one->orderA[1], one->orderA[2],
                one->orderB[0], one->orderB[1], one->orderB[2], one->orderB[3]);
  for (size_t i = 0; i < one->answer.openCount && i < 4; i++)
    buffer_Format(out, "[%.9g,%.9g],", one->open[i].from, one->open[i].to);
  buffer_Format(out, "],cells:[");
  for (size_t i = 0; i < one->cellCount; i++) {
    const witness *w = &one->cells[i];
    buffer_Format(out, "[%.9g,%.9g,%d,%d,%d,%d", w->from, w->to, w->a0, w->a1, w->b0, w->b1);
    if (!w->open)
      buffer_Format(out, ",%.5g,%.5g,%.5g,%.5g,%.5g,%.5g,%.6g", w->n0[0], w->n0[1], w->n0[2], w->n1[0], w->n1[1],
                    w->n1[2], w->bound);
    buffer_Format(out, "],\n");
  }
  buffer_Format(out, "]},\n");
}

/* demoWrite */
static bool writePage(void *user, const char *path, const char *verdict, char *message, size_t capacity) {
  const cell *self = user;
  byteBuffer data = {0};
  buffer_Format(&data, "const cell={");
  writeBoxes(&data, "tool", toolBoxes, TOOL_BOXES);
  writeBoxes(&data, "vice", viceBoxes, VICE_BOXES);
  buffer_Format(&data, "runs:[");
  for (int k = 0; k < 2; k++) writeRun(&data, &self->runs[k]);
  buffer_Text(&data, "]};");
  const demoPage page = {
      .title = TITLE,
      .verdict = verdict,
      .controls = "<p><button id=\"b0\">passes</button>\n<button id=\"b1\">shifted: touches</button></p>\n",
      .words =
          "Below: one row for each pair of pieces, one box for each cell of the certificate: during its time one "
          "turning "
          "direction keeps the two apart, by the stated distance at least (darker: more). Red: no proof. The green "
          "frame "
          "lies in the tightest plane of the moment. The files <code>passes.cert</code> and <code>touches.cert</code> "
          "beside this page hold these numbers; <code>brink verify passes.cert</code> checks them with a program of "
          "its "
          "own.",
      .plotHeight = "250",
      .drawing = &page_certificate_js,
      .data = &data};
  bool written = demoExhibit_WritePage(path, &page, message, capacity);
  free(data.bytes);
  return written;
}

/* ---- the run */

static bool judge(const cell *self, char *out, size_t capacity) {
  const brinkToleranceAnswer *passes = &self->runs[0].answer, *touches = &self->runs[1].answer;
  bool good = passes->state == brink_certified && touches->state == brink_certifiedListed && touches->openCount == 1;
  /* the planes, measured again at sampled times: none is tighter than its cell says */
  for (int s = 0; good && s <= 500; s++) {
    plane at;
    good = tightest(self, &self->runs[0], s / 500.0, &at) && at.gap >= at.cell->bound;
  }
  if (good)
    snprintf(out, capacity,
             "Proven: the tool stays %.2f mm or more from the vice, %zu cells; shifted by %.0f mm: no proof from %.3f "
             "to %.3f s, else proven.",
             1e3 * passes->bound, passes->cellCount, 1e3 * SHIFT, touches->open[0].from, touches->open[0].to);
  else
    snprintf(out, capacity, "NOT PROVEN: %zu of %zu cells open; shifted: %zu of %zu.", passes->openCells,
             passes->cellCount, touches->openCells, touches->cellCount);
  return good;
}

static int runCell(cell *self, demoAsked *asked) {
  static const box groundBox = {{-6, -6, -0.1}, {6, 6, 0.0}};
  char message[1600] = "", verdict[512];
  makeMesh(&self->tool, toolBoxes, TOOL_BOXES);
  makeMesh(&self->vice, viceBoxes, VICE_BOXES);
  makeMesh(&self->ground, &groundBox, 1);
  if (!certifyBoth(self, asked, message, sizeof message)) {
    fprintf(stderr, "brink-demo: %s\n", message);
    return 2;
  }
  self->good = judge(self, verdict, sizeof verdict);
  for (int k = 0; k < 2; k++) {
    const brinkToleranceAnswer *answer = &self->runs[k].answer;
    printf("  %-25s %llu spans, %llu pairs, %llu polygon tests; %zu cells, %zu open\n", k == 0 ? "passes" : "shifted",
           (unsigned long long)answer->spans, (unsigned long long)answer->pairTests,
           (unsigned long long)answer->polygonTests, answer->cellCount, answer->openCells);
  }
  printf("%s\n", verdict);
  return demoExhibit_Finish(asked, "certificate", self->good, verdict, self, drawPicture, writePage);
}

/* demoShow */
static int show(void *user, demoAsked *asked) {
  cell *self = user;
  self->api = asked->api, self->table = asked->table, self->world = asked->world;
  return runCell(self, asked);
}

const demoExhibitDef demoCertificate = {"certificate", TITLE, BRINK_TOLERANCE_NAME, show, sizeof(cell)};
