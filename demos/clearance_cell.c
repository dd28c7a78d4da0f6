/* SPDX-License-Identifier: BSD-3-Clause */
/* How close does a flanged bar come to a fixture while it passes through its window and both turn? One picture: four
 * moments with the witnesses in red, and below them the proven lower and the realised upper bound of the clearance over
 * each eightieth of the motion. One page (no libraries, opens from a file): the same, to drag through.
 * Units: m, rad; the step is 1 s. World z up; pictures are lifted by LIFT. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/clearance.h"
#include "render.h"
#include "exhibit.h"

#define TITLE "A part passes through a turning fixture: how close, when, and proven"
#define PIECES 80
#define REQUIRED 0.04 /* m */
#define TOO_MUCH 0.10 /* m: more than there is */
#define LIFT 1.0
#define STILLS 4
#define BOXES 6

typedef struct box {
  double low[3], high[3];
} box;

/* A bar with a flange in front and the gripper behind; carried along x, turned a quarter about x. */
static const box partBoxes[] = {{{-0.70, -0.07, -0.07}, {0.58, 0.07, 0.07}},
                                {{0.54, -0.07, -0.24}, {0.70, 0.07, 0.24}},
                                {{-1.10, -0.13, -0.13}, {-0.66, 0.13, 0.13}}};
/* A plate with a window on a foot; turned about z. */
static const box fixtureBoxes[] = {{{-0.06, -0.70, -0.70}, {0.06, -0.30, 0.70}},
                                   {{-0.06, 0.30, -0.70}, {0.06, 0.70, 0.70}},
                                   {{-0.06, -0.32, 0.30}, {0.06, 0.32, 0.70}},
                                   {{-0.06, -0.32, -0.70}, {0.06, 0.32, -0.30}},
                                   {{-0.30, -0.50, -0.86}, {0.30, 0.50, -0.68}}};

static const brinkPose partStart = {{-1.5, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
static const brinkVec3 partVelocity = {1.7, 0.0, 0.0}, partSpin = {1.5707963267948966, 0.0, 0.0},
                       still = {0.0, 0.0, 0.0};
static const brinkVec3 fixtureSpin = {0.0, 0.0, 0.7};
#define FIXTURE_START (-0.35)

typedef struct cellMesh {
  double vertices[24 * BOXES];
  uint32_t indices[36 * BOXES];
  brinkMesh mesh; /* of the arrays above */
} cellMesh;

typedef struct cell {
  const brinkPlugin *api;
  const brinkClearanceTable *table;
  brinkWorld *world;
  brinkBodyId body[2];
  brinkColliderId collider[2];
  cellMesh part, fixture, ground;
  brinkClearanceAnswer whole, kept, broken, pieces[PIECES];
} cell;

static void makeMesh(cellMesh *mesh, const box *boxes, int count) {
  static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int b = 0; b < count; b++) {
    for (int i = 0; i < 8; i++)
      for (int k = 0; k < 3; k++) mesh->vertices[24 * b + 3 * i + k] = i >> k & 1 ? boxes[b].high[k] : boxes[b].low[k];
    for (int q = 0; q < 6; q++) {
      const uint32_t corners[6] = {quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3]};
      for (int k = 0; k < 6; k++) mesh->indices[36 * b + 6 * q + k] = corners[k] + 8u * (uint32_t)b;
    }
  }
  mesh->mesh = (brinkMesh){.vertices = mesh->vertices,
                           .vertexCount = 8u * (size_t)count,
                           .indices = mesh->indices,
                           .triangleCount = 12u * (size_t)count};
}

/* ---- asking */

static brinkStatus addBody(cell *self, int k, const cellMesh *mesh, brinkPose pose, brinkVec3 velocity,
                           brinkVec3 spin) {
  brinkShapeDef shape = {
      .structSize = sizeof shape, .type = brink_mesh, .mesh = brinkViewMesh(&mesh->mesh, BRINK_MESH_SOLID)};
  brinkBodyDef body = {.structSize = sizeof body, .pose = pose};
  brinkColliderDef collider = {
      .structSize = sizeof collider, .pose = {.rotation = {1, 0, 0, 0}}, .categoryBits = 1, .collideBits = 1};
  brinkBodyMotion motion = {
      .structSize = sizeof motion, .kind = brink_motionVelocities, .pose0 = pose, .velocity = velocity, .spin = spin};
  brinkStatus status = self->api->createShape(self->world, &shape, &collider.shape);
  if (status == brink_ok) status = self->api->createBody(self->world, &body, &self->body[k]);
  collider.body = self->body[k];
  if (status == brink_ok) status = self->api->createCollider(self->world, &collider, &self->collider[k]);
  if (status == brink_ok) status = self->api->setBodyMotion(self->world, self->body[k], &motion);
  return status;
}

static brinkStatus ask(cell *self, double t0, double t1, double required, brinkClearanceAnswer *out) {
  const brinkClearanceQuery query = {.structSize = sizeof query, .tStart = t0, .tEnd = t1, .required = required};
  out->structSize = sizeof *out;
  return self->table->measure(self->world, self->collider[0], self->collider[1], &query, out);
}

static brinkStatus askAll(cell *self) {
  const brinkPose fixtureStart = {{0, 0, 0}, {cos(0.5 * FIXTURE_START), 0, 0, sin(0.5 * FIXTURE_START)}};
  brinkStatus status = addBody(self, 0, &self->part, partStart, partVelocity, partSpin);
  if (status == brink_ok) status = addBody(self, 1, &self->fixture, fixtureStart, still, fixtureSpin);
  if (status == brink_ok) status = ask(self, 0.0, 1.0, 0.0, &self->whole);
  if (status == brink_ok) status = ask(self, 0.0, 1.0, REQUIRED, &self->kept);
  if (status == brink_ok) status = ask(self, 0.0, 1.0, TOO_MUCH, &self->broken);
  for (int i = 0; i < PIECES && status == brink_ok; i++)
    status = ask(self, (double)i / PIECES, (i + 1.0) / PIECES, 0.0, &self->pieces[i]);
  return status;
}

/* ---- the picture */

static const uint8_t white[3] = {252, 252, 252}, ink[3] = {30, 36, 44}, grey[3] = {150, 158, 168},
                     green[3] = {168, 214, 170}, blue[3] = {40, 90, 160}, red[3] = {200, 40, 40};

static renderItem itemAt(const brinkMesh *mesh, const brinkPose *pose, const float color[3], int style) {
  brinkQuat q = pose->rotation;
  double w = q.w, x = q.x, y = q.y, z = q.z;
  renderItem item = {
      .mesh = mesh, .position = {pose->position.x, pose->position.y, pose->position.z + LIFT}, .style = style};
  const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(item.rotation, r, sizeof r);
  memcpy(item.color, color, sizeof item.color);
  return item;
}

/* Distance at one moment and its witnesses, drawn as a red rod. */
static bool drawStill(cell *self, renderer *painter, double t, renderImage *image) {
  static const float orange[3] = {0.93f, 0.55f, 0.15f}, steel[3] = {0.45f, 0.55f, 0.66f},
                     floor[3] = {0.80f, 0.81f, 0.79f}, rodColor[3] = {0.85f, 0.1f, 0.1f};
  static const brinkPose ground = {{0, 0, -0.87}, {1, 0, 0, 0}};
  brinkPose part, fixture;
  brinkClearanceAnswer now;
  if (self->api->bodyPose(self->world, self->body[0], t, &part) != brink_ok) return false;
  if (self->api->bodyPose(self->world, self->body[1], t, &fixture) != brink_ok) return false;
  if (ask(self, t, t, 0.0, &now) != brink_ok) return false;
  double length = now.upper, thick = 0.012;
  box rodBox = {{-thick, -thick, 0.0}, {thick, thick, length}};
  cellMesh rod;
  makeMesh(&rod, &rodBox, 1);
  /* the shortest turn from z to A's side */
  brinkVec3 n = now.normal;
  brinkPose rodPose = {now.pointA, {1 + n.z, -n.y, n.x, 0}};
  double size = sqrt(rodPose.rotation.w * rodPose.rotation.w + n.y * n.y + n.x * n.x);
  rodPose.rotation =
      size > 1e-6 ? (brinkQuat){rodPose.rotation.w / size, -n.y / size, n.x / size, 0} : (brinkQuat){0, 1, 0, 0};
  const renderItem items[] = {
      itemAt(&self->part.mesh, &part, orange, 0), itemAt(&self->fixture.mesh, &fixture, steel, 0),
      itemAt(&self->ground.mesh, &ground, floor, RENDER_GROUND), itemAt(&rod.mesh, &rodPose, rodColor, RENDER_XRAY)};
  const renderCamera camera = {.eye = {-2.9, -3.4, LIFT + 1.5}, .target = {-0.5, 0, LIFT - 0.1}, .fieldOfView = 0.6};
  if (!renderer_Draw(painter, &camera, items, sizeof items / sizeof items[0], image)) return false;
  char text[64];
  snprintf(text, sizeof text, "t = %.3f s: %.1f mm apart", t, 1e3 * now.upper);
  renderImage_Rectangle(image, 6, 6, renderTextWidth(2, text) + 12, 24, white, 0.8);
  renderImage_Text(image, 12, 11, 2, ink, text);
  return true;
}

static void drawPlot(const cell *self, renderImage *image, int left, int top, int width, int height) {
  const double most = 0.4; /* m at the top */
  renderImage_Rectangle(image, left, top, width, height, white, 1.0);
  for (int i = 0; i < PIECES; i++) {
    int x0 = left + width * i / PIECES, x1 = left + width * (i + 1) / PIECES;
    int low = (int)(height * fmin(self->pieces[i].lower, most) / most);
    renderImage_Rectangle(image, x0, top + height - low, x1 - x0, low, green, 1.0);
    int high = (int)(height * fmin(self->pieces[i].upper, most) / most);
    renderImage_Rectangle(image, x0, top + height - high - 1, x1 - x0, 3, blue, 1.0);
  }
  const double lines[2] = {REQUIRED, TOO_MUCH};
  static const char *const texts[2] = {"required 40 mm: kept, proven", "required 100 mm: broken, shown"};
  for (int k = 0; k < 2; k++) {
    int y = top + height - (int)(height * lines[k] / most);
    renderImage_Rectangle(image, left, y, width, 2, k == 0 ? ink : red, 0.9);
    renderImage_Text(image, left + 10, y - 20, 2, k == 0 ? ink : red, texts[k]);
  }
  double x = left + width * self->whole.timeA, y = top + height - height * self->whole.upper / most;
  renderImage_Ring(image, x, y, 9, 3, red);
  char text[160];
  snprintf(text, sizeof text, "nearest: %.6f mm at t = %.4f s", 1e3 * self->whole.upper, self->whole.timeA);
  renderImage_Text(image, (int)x - renderTextWidth(2, text) / 2, (int)y - 170, 2, red, text);
  for (int k = 0; k <= 4; k++) {
    int yy = top + height - height * k / 4;
    renderImage_Rectangle(image, left - 6, yy, 6, 1, ink, 1.0);
    snprintf(text, sizeof text, "%d", k * 100);
    renderImage_Text(image, left - 14 - renderTextWidth(2, text), yy - (k == 4 ? 0 : 8), 2, ink, text);
  }
  renderImage_Rectangle(image, left, top, 1, height, ink, 1.0);
  renderImage_Rectangle(image, left, top + height, width, 1, ink, 1.0);
}

/* demoWrite */
static bool drawPicture(void *user, const char *path, const char *verdict, char *message, size_t capacity) {
  cell *self = user;
  enum { width = 1640, height = 980, stillWidth = 400, stillHeight = 360 };
  renderImage image = {0}, one = {0};
  renderer *painter = renderer_Create(stillWidth, stillHeight);
  bool good = painter && renderImage_Make(&image, width, height, white) &&
              renderImage_Make(&one, stillWidth, stillHeight, grey);
  if (!good) snprintf(message, capacity, "no memory for pictures");
  const double times[STILLS] = {0.0, fmax(0.05, self->whole.timeA - 0.2), self->whole.timeA, 1.0};
  for (int i = 0; good && i < STILLS; i++) {
    good = drawStill(self, painter, times[i], &one);
    if (!good) snprintf(message, capacity, "a still could not be drawn: %s", self->api->lastError(self->world));
    if (good) renderImage_Paste(&image, 10 + i * (stillWidth + 6), 84, &one);
  }
  if (good) {
    renderImage_Text(&image, 12, 16, 3, ink, TITLE);
    renderImage_Text(&image, 12, 54, 2, self->kept.verdict == brink_clearanceKept ? blue : red, verdict);
    renderImage_Text(&image, 12, 460, 2, ink,
                     "Clearance in mm over time. Green: proven free below this, each 1/80 of the motion. Blue: "
                     "distance that was met.");
    drawPlot(self, &image, 70, 490, width - 90, 440);
    renderImage_Text(&image, 70, 942, 2, ink, "0 s");
    renderImage_Text(&image, width - 60, 942, 2, ink, "1 s");
    good = renderImage_WritePng(&image, path, message, capacity);
  }
  renderImage_Free(&one);
  renderImage_Free(&image);
  renderer_Destroy(painter);
  return good;
}

/* ---- the page */

static void writeBody(byteBuffer *out, const cellMesh *mesh, const char *color, brinkVec3 position,
                      const double start[3], brinkVec3 velocity, brinkVec3 spin) {
  buffer_Format(out, "{color:%s,position:[%g,%g,%g],start:[%g,%g,%g],velocity:[%g,%g,%g],spin:[%.17g,%g,%g],vertices:[",
                color, position.x, position.y, position.z, start[0], start[1], start[2], velocity.x, velocity.y,
                velocity.z, spin.x, spin.y, spin.z);
  for (size_t i = 0; i < mesh->mesh.vertexCount; i++)
    buffer_Format(out, "[%g,%g,%g],", mesh->vertices[3 * i], mesh->vertices[3 * i + 1], mesh->vertices[3 * i + 2]);
  buffer_Format(out, "],triangles:[");
  for (size_t i = 0; i < mesh->mesh.triangleCount; i++)
    buffer_Format(out, "[%u,%u,%u],", mesh->indices[3 * i], mesh->indices[3 * i + 1], mesh->indices[3 * i + 2]);
  buffer_Format(out, "]},\n");
}

/* demoWrite */
static bool writePage(void *user, const char *path, const char *verdict, char *message, size_t capacity) {
  const cell *self = user;
  byteBuffer data = {0};
  const double straight[3] = {0, 0, 0}, turned[3] = {0, 0, FIXTURE_START};
  buffer_Format(&data, "const cell={required:%g,bodies:[\n", REQUIRED);
  writeBody(&data, &self->part, "[238,140,40]", partStart.position, straight, partVelocity, partSpin);
  writeBody(&data, &self->fixture, "[115,140,168]", still, turned, still, fixtureSpin);
  buffer_Format(&data, "],pieces:[\n");
  for (int i = 0; i < PIECES; i++) {
    const brinkClearanceAnswer *p = &self->pieces[i];
    buffer_Format(&data, "[%.9g,%.9g,%.6g,[%.6g,%.6g,%.6g],[%.6g,%.6g,%.6g]],\n", p->lower, p->upper, p->timeA,
                  p->pointA.x, p->pointA.y, p->pointA.z, p->pointB.x, p->pointB.y, p->pointB.z);
  }
  buffer_Text(&data, "]};");
  const demoPage page = {.title = TITLE,
                         .verdict = verdict,
                         .controls = "",
                         .words = "Green: proven free below this; blue: distance that was met; grey line: required.",
                         .plotHeight = "300",
                         .drawing = &page_clearance_js,
                         .data = &data};
  bool written = demoExhibit_WritePage(path, &page, message, capacity);
  free(data.bytes);
  return written;
}

/* ---- the run */

static bool judge(const cell *self, char *out, size_t capacity) {
  bool good = self->whole.state == brink_clearanceSettled && self->whole.collision == 0u &&
              self->kept.verdict == brink_clearanceKept && self->broken.verdict == brink_clearanceBroken;
  double nearest = INFINITY;
  for (int i = 0; i < PIECES; i++) nearest = fmin(nearest, self->pieces[i].upper);
  good = good && nearest >= self->whole.lower && nearest <= self->whole.upper + 2.0 * self->whole.tolerance;
  snprintf(out, capacity,
           "%s: the part passes %.4f mm from the fixture at t = %.4f s (proven: never below %.4f mm); 40 mm kept, 100 "
           "mm %s.",
           good ? "Proven" : "NOT PROVEN", 1e3 * self->whole.upper, self->whole.timeA, 1e3 * self->whole.lower,
           self->broken.verdict == brink_clearanceBroken ? "not" : "undecided");
  return good;
}

static void foldAnswer(demoAsked *asked, const brinkClearanceAnswer *answer) {
  const double bounds[4] = {answer->lower, answer->upper, answer->timeA, answer->timeB};
  demoExhibit_FoldNumbers(asked, bounds, 4);
  demoExhibit_Fold(asked, &answer->pointA, sizeof answer->pointA);
  demoExhibit_Fold(asked, &answer->pointB, sizeof answer->pointB);
  demoExhibit_Fold(asked, &answer->verdict, sizeof answer->verdict);
}

static int runCell(cell *self, demoAsked *asked) {
  static const box groundBox = {{-6, -6, -0.1}, {6, 6, 0.0}};
  char verdict[512];
  makeMesh(&self->part, partBoxes, 3);
  makeMesh(&self->fixture, fixtureBoxes, 5);
  makeMesh(&self->ground, &groundBox, 1);
  brinkStatus status = askAll(self);
  if (status != brink_ok) {
    fprintf(stderr, "brink-demo: clearance: %s\n", self->api->lastError(self->world));
    return 2;
  }
  foldAnswer(asked, &self->whole);
  foldAnswer(asked, &self->kept);
  foldAnswer(asked, &self->broken);
  for (int i = 0; i < PIECES; i++) foldAnswer(asked, &self->pieces[i]);
  bool good = judge(self, verdict, sizeof verdict);
  printf("  distance queries          %llu for the size, %llu to prove 40 mm, %llu to refuse 100 mm\n%s\n",
         (unsigned long long)self->whole.iterations, (unsigned long long)self->kept.iterations,
         (unsigned long long)self->broken.iterations, verdict);
  return demoExhibit_Finish(asked, "clearance", good, verdict, self, drawPicture, writePage);
}

/* demoShow */
static int show(void *user, demoAsked *asked) {
  cell *self = user;
  self->api = asked->api, self->table = asked->table, self->world = asked->world;
  return runCell(self, asked);
}

const demoExhibitDef demoClearance = {"clearance", TITLE, BRINK_CLEARANCE_NAME, show, sizeof(cell)};
