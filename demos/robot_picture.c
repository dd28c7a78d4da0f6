/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of the demo robot_arm, a column for each machine: the volume that the edge sweeps, between its two ends;
 * the moment in the middle of the contact from near by; and the edge as a line: proven free, in contact, and where
 * sampling looked. Units: m, pixels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"
#include "robot_arm.h"

enum {
  COLUMN = 560,
  MARGIN = 12,
  SWEPT_HEIGHT = 460,
  NEAR_HEIGHT = 340,
  TOP = 84,
  WIDTH = 3 * COLUMN + 4 * MARGIN,
  HEIGHT = TOP + SWEPT_HEIGHT + NEAR_HEIGHT + 290,
  GHOSTS = 64 /* poses that stand for the swept volume */
};

static const uint8_t white[3] = {252, 252, 252}, ink[3] = {30, 36, 44}, grey[3] = {150, 158, 168},
                     green[3] = {150, 205, 152}, red[3] = {205, 40, 40}, violet[3] = {122, 63, 180},
                     pale[3] = {226, 228, 231};

typedef struct painting {
  const demoRobots *self;
  const demoRobotMachine *machine;
  const demoRobotPart *parts;
  size_t partCount;
  renderItem *items; /* room for all parts, the robot's twice, and the swept volume */
  size_t count;
  brinkMesh swept; /* owned; the moving parts at many times, in the world */
} painting;

static void placeItem(renderItem *item, const brinkMesh *mesh, brinkPose pose) {
  const brinkQuat q = pose.rotation;
  const double w = q.w, x = q.x, y = q.y, z = q.z;
  const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                       2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  *item = (renderItem){.mesh = mesh, .position = {pose.position.x, pose.position.y, pose.position.z}};
  memcpy(item->rotation, r, sizeof r);
}

static void addItem(painting *p, const brinkMesh *mesh, brinkPose pose, const float color[3]) {
  renderItem *item = &p->items[p->count++];
  placeItem(item, mesh, pose);
  memcpy(item->color, color, sizeof item->color);
}

/* The obstacles (t < 0), or the robot at t. */
static void addParts(painting *p, double t) {
  brinkPose poses[64];
  if (t >= 0.0) demoRobots_Poses(p->self, p->machine, t, poses);
  for (size_t i = 0; i < p->partCount; i++) {
    float own[3];
    if ((p->parts[i].link < 0) != (t < 0.0)) continue;
    demoRobotPart_Color(p->machine, &p->parts[i], own);
    addItem(p, demoRobotPart_Mesh(p->parts, i), demoRobotPart_Place(&p->parts[i], poses), own);
  }
}

static bool moves(const demoRobotPart *part, const brinkPose *start, const brinkPose *end) {
  return part->link >= 0 && memcmp(&start[part->link], &end[part->link], sizeof *start) != 0;
}

/* One mesh of all moving parts at GHOSTS times between the ends: no outlines between them. */
static bool makeSwept(painting *p) {
  brinkPose start[64], end[64], poses[64];
  size_t vertices = 0, triangles = 0;
  demoRobots_Poses(p->self, p->machine, 0.0, start);
  demoRobots_Poses(p->self, p->machine, 1.0, end);
  for (size_t i = 0; i < p->partCount; i++) {
    if (!moves(&p->parts[i], start, end)) continue;
    vertices += demoRobotPart_Mesh(p->parts, i)->vertexCount * (GHOSTS - 1);
    triangles += demoRobotPart_Mesh(p->parts, i)->triangleCount * (GHOSTS - 1);
  }
  brinkMesh *swept = &p->swept;
  *swept = (brinkMesh){.vertices = calloc(3 * vertices + 1, sizeof(double)),
                       .indices = calloc(3 * triangles + 1, sizeof(uint32_t))};
  if (swept->vertices == NULL || swept->indices == NULL) return false;
  for (int g = 1; g < GHOSTS; g++) {
    demoRobots_Poses(p->self, p->machine, (double)g / GHOSTS, poses);
    for (size_t i = 0; i < p->partCount; i++) {
      if (!moves(&p->parts[i], start, end)) continue;
      const brinkMesh *mesh = demoRobotPart_Mesh(p->parts, i);
      renderItem item;
      placeItem(&item, mesh, demoRobotPart_Place(&p->parts[i], poses));
      const uint32_t first = (uint32_t)swept->vertexCount;
      for (size_t v = 0; v < mesh->vertexCount; v++, swept->vertexCount++)
        for (size_t k = 0; k < 3; k++) {
          const double *r = item.rotation + 3 * k, *x = mesh->vertices + 3 * v;
          swept->vertices[3 * swept->vertexCount + k] = item.position[k] + r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
        }
      for (size_t k = 0; k < 3 * mesh->triangleCount; k++)
        swept->indices[3 * swept->triangleCount + k] = first + mesh->indices[k];
      swept->triangleCount += mesh->triangleCount;
    }
  }
  return true;
}

static void mixImages(renderImage *image, const renderImage *other, double share) {
  const size_t size = 3 * (size_t)image->width * (size_t)image->height;
  for (size_t i = 0; i < size; i++)
    image->pixels[i] = (uint8_t)((1.0 - share) * image->pixels[i] + share * other->pixels[i] + 0.5);
}

/* Start and end as they are, what lies between half transparent. */
static bool drawSwept(painting *p, renderer *painter, renderImage *image, renderImage *other) {
  static const float ghost[3] = {0.30f, 0.52f, 0.95f};
  const demoRobotView *view = &p->machine->ask->view;
  renderCamera camera = {.fieldOfView = 0.62};
  memcpy(camera.eye, view->eye, sizeof camera.eye);
  memcpy(camera.target, view->target, sizeof camera.target);
  p->count = 0;
  addParts(p, -1.0);
  addParts(p, 0.0);
  addParts(p, 1.0);
  if (!renderer_Draw(painter, &camera, p->items, p->count, image)) return false;
  if (!makeSwept(p)) return false;
  addItem(p, &p->swept, (brinkPose){.rotation = {1, 0, 0, 0}}, ghost);
  if (!renderer_Draw(painter, &camera, p->items, p->count, other)) return false;
  mixImages(image, other, 0.6);
  return true;
}

static bool drawNear(painting *p, renderer *painter, renderImage *image, renderImage *other) {
  const demoRobotMachine *m = p->machine;
  const brinkVec3 at = m->answer.first.pointA;
  const demoRobotView *view = &m->ask->view;
  double back[3], length = 0.0;
  for (int k = 0; k < 3; k++) back[k] = view->eye[k] - view->target[k];
  back[2] *= 0.7;
  for (int k = 0; k < 3; k++) length += back[k] * back[k];
  const double target[3] = {at.x, at.y, at.z};
  renderCamera camera = {.fieldOfView = 0.7, .shadowRadius = 4 * m->ask->nearby};
  for (int k = 0; k < 3; k++) {
    camera.target[k] = target[k];
    camera.eye[k] = target[k] + back[k] * m->ask->nearby * 1.6 / sqrt(length);
  }
  p->count = 0;
  addParts(p, 0.5 * (m->first + m->last));
  const size_t robot = p->count;
  addParts(p, -1.0);
  if (!renderer_Draw(painter, &camera, p->items, p->count, image)) return false;
  for (size_t i = 0; i < robot; i++) /* what is inside the obstacle shines through a little */
    if (p->parts[i].link == (int32_t)m->answer.first.linkA) p->items[i].style = RENDER_XRAY;
  if (!renderer_Draw(painter, &camera, p->items, p->count, other)) return false;
  mixImages(image, other, 0.45);
  double pixel[2];
  if (renderer_Project(painter, target, pixel)) renderImage_Ring(image, pixel[0], pixel[1], 26, 3, red);
  return true;
}

static int place(int left, int width, double t, double from, double to) {
  return left + (int)lround(width * (fmin(fmax(t, from), to) - from) / (to - from));
}

/* Part [from, to] of the edge: proven free, in contact, not judged; ticks where sampling looked. */
static void drawLine(const demoRobotMachine *m, renderImage *image, int left, int top, int width, double from,
                     double to) {
  const int toi = place(left, width, m->answer.toi, from, to), end = place(left, width, m->last, from, to);
  renderImage_Rectangle(image, left, top, width, 22, pale, 1.0);
  renderImage_Rectangle(image, left, top, toi - left, 22, green, 1.0);
  renderImage_Rectangle(image, toi, top, end > toi + 2 ? end - toi : 2, 22, red, 1.0);
  for (int i = 0; i <= m->samples; i++) {
    const double t = (double)i / m->samples;
    if (t < from || t > to) continue;
    renderImage_Rectangle(image, place(left, width, t, from, to) - 2, top - 5, 4, 32, violet, 1.0);
  }
}

static void drawText(const demoRobotMachine *m, renderImage *image, int left, int top) {
  char text[7][200];
  const int inner = COLUMN - 8;
  const double step = 1.0 / m->samples, from = fmax(0.0, floor(m->answer.toi / step) * step - 0.25 * step),
               to = fmin(1.0, ceil(m->last / step) * step + 0.25 * step);
  snprintf(text[0], sizeof text[0], "Green: proven free. Red: contact. Violet: samples, free.");
  snprintf(text[1], sizeof text[1], "t = %.4f to %.4f of it:", from, to);
  snprintf(text[2], sizeof text[2], "Brink: %s hits obstacle %zu at t = %.7f.",
           demoRobots_LinkName(m, m->answer.first.linkA), m->obstacle + 1, m->answer.toi);
  snprintf(text[3], sizeof text[3], "%d of %d configurations touch: %.0f mm of way.", m->touching,
           DEMO_ROBOT_REFEREE - 1, 1e3 * m->travel);
  snprintf(text[4], sizeof text[4], "Of %d edges of 1 rad %d are not free;", m->edges, m->edges - m->free);
  snprintf(text[5], sizeof text[5], "sampling at 1 %% passes %d of those, Brink %d.", m->missed, m->wrong);
  renderImage_Text(image, left, top, 2, ink, text[0]);
  drawLine(m, image, left, top + 30, inner, 0.0, 1.0);
  renderImage_Text(image, left, top + 66, 2, ink, text[1]);
  drawLine(m, image, left, top + 96, inner, from, to);
  for (int i = 0; i < 4; i++) renderImage_Text(image, left, top + 134 + 26 * i, 2, i == 0 ? red : ink, text[2 + i]);
}

static bool drawColumn(painting *p, renderer *painters[2], renderImage *page, int column, char *message,
                       size_t capacity) {
  const int left = MARGIN + column * (COLUMN + MARGIN), heights[2] = {SWEPT_HEIGHT, NEAR_HEIGHT};
  bool good = true;
  int top = TOP + 30;
  renderImage_Text(page, left, TOP, 2, ink, p->machine->ask->title);
  for (int k = 0; good && k < 2; k++) {
    renderImage image = {0}, other = {0};
    good = renderImage_Make(&image, COLUMN, heights[k], grey) && renderImage_Make(&other, COLUMN, heights[k], grey) &&
           (k == 0 ? drawSwept(p, painters[k], &image, &other) : drawNear(p, painters[k], &image, &other));
    if (good) renderImage_Paste(page, left, top, &image);
    renderImage_Free(&image);
    renderImage_Free(&other);
    const char *says =
        k == 0 ? "light blue: what the edge sweeps" : "in the middle of the contact; dark blue: what is hit";
    renderImage_Rectangle(page, left + 6, top + 6, renderTextWidth(2, says) + 12, 24, white, 0.8);
    renderImage_Text(page, left + 12, top + 11, 2, ink, says);
    top += heights[k] + 8;
  }
  if (!good) snprintf(message, capacity, "no memory for pictures");
  if (good) drawText(p->machine, page, left, top + 4);
  return good;
}

bool demoRobots_DrawPicture(const demoRobots *self, const char *path, const char *verdict, char *message,
                            size_t capacity) {
  renderImage page = {0};
  renderer *painters[2] = {renderer_Create(COLUMN, SWEPT_HEIGHT), renderer_Create(COLUMN, NEAR_HEIGHT)};
  bool good = painters[0] != NULL && painters[1] != NULL && renderImage_Make(&page, WIDTH, HEIGHT, white);
  if (!good) snprintf(message, capacity, "no memory for pictures");
  if (good) {
    renderImage_Text(&page, MARGIN, 14, 3, ink, demoRobotArm.title);
    renderImage_Text(&page, MARGIN, 52, 2, ink, verdict);
  }
  for (int m = 0; good && m < DEMO_ROBOT_MACHINES; m++) {
    painting p = {.self = self, .machine = &self->machines[m]};
    demoRobotPart *parts = NULL;
    good = demoRobots_MakeParts(p.machine, &parts, &p.partCount, message, capacity);
    p.parts = parts;
    p.items = good ? calloc(3 * p.partCount + 1, sizeof *p.items) : NULL;
    if (good && p.items == NULL) snprintf(message, capacity, "no memory for pictures");
    good = good && p.items != NULL && drawColumn(&p, painters, &page, m, message, capacity);
    free(p.items);
    brinkFreeMesh(&p.swept);
    demoRobots_FreeParts(parts, p.partCount);
  }
  good = good && renderImage_WritePng(&page, path, message, capacity);
  renderImage_Free(&page);
  renderer_Destroy(painters[0]);
  renderer_Destroy(painters[1]);
  return good;
}
