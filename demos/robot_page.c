/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of the demo robot_arm: page/robot.html, filled with the machines' triangles, where their links are along the
 * edge that is shown, and what was measured. Ground further than NEAR from the middle is left out. Units: m. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_template.h"
#include "robot_arm.h"

#define NEAR 14.0 /* m */

static bool isNear(const brinkMesh *mesh, size_t triangle) {
  double x = 0.0, y = 0.0;
  for (int k = 0; k < 3; k++) {
    const double *v = mesh->vertices + 3 * mesh->indices[3 * triangle + (size_t)k];
    x += v[0] / 3, y += v[1] / 3;
  }
  return sqrt(x * x + y * y) < NEAR;
}

/* vertices as floats, triangles as 32-bit indices, each in base64. */
static bool writeMesh(byteBuffer *out, const brinkMesh *mesh) {
  uint32_t *renamed = calloc(mesh->vertexCount + 1, sizeof *renamed), used = 0;
  byteBuffer vertices = {0}, indices = {0};
  for (size_t t = 0; renamed != NULL && t < mesh->triangleCount; t++) {
    if (!isNear(mesh, t)) continue;
    for (int k = 0; k < 3; k++) {
      const uint32_t vertex = mesh->indices[3 * t + (size_t)k];
      if (renamed[vertex] == 0) {
        renamed[vertex] = ++used;
        for (int i = 0; i < 3; i++) buffer_Float(&vertices, mesh->vertices[3 * vertex + (uint32_t)i]);
      }
      const uint32_t name = renamed[vertex] - 1;
      const uint8_t bytes[4] = {(uint8_t)name, (uint8_t)(name >> 8), (uint8_t)(name >> 16), (uint8_t)(name >> 24)};
      buffer_Bytes(&indices, bytes, 4);
    }
  }
  buffer_Text(out, "{v:\"");
  buffer_Base64(out, vertices.bytes, vertices.size);
  buffer_Text(out, "\",t:\"");
  buffer_Base64(out, indices.bytes, indices.size);
  buffer_Text(out, "\"},\n");
  bool good = renamed != NULL && !vertices.failed && !indices.failed;
  free(renamed);
  free(vertices.bytes);
  free(indices.bytes);
  return good;
}

static void writePose(byteBuffer *out, brinkPose pose) {
  const brinkQuat q = pose.rotation;
  buffer_Format(out, "[%.6g,%.6g,%.6g,%.7g,%.7g,%.7g,%.7g],", pose.position.x, pose.position.y, pose.position.z, q.w,
                q.x, q.y, q.z);
}

static bool writeMachine(byteBuffer *out, const demoRobots *self, const demoRobotMachine *m, char *message,
                         size_t capacity) {
  demoRobotPart *parts;
  size_t count;
  if (!demoRobots_MakeParts(m, &parts, &count, message, capacity)) return false;
  const brinkVec3 at = m->answer.first.pointA;
  buffer_Text(out, "{title:");
  buffer_String(out, m->ask->title);
  buffer_Text(out, ",link:");
  buffer_String(out, demoRobots_LinkName(m, m->answer.first.linkA));
  const double *eye = m->ask->view.eye, *target = m->ask->view.target;
  buffer_Format(
      out,
      ",obstacle:%zu,toi:%.12g,toiUpper:%.12g,first:%.6g,last:%.6g,touching:%d,referee:%d,samples:%d,edges:%d,"
      "hits:%d,missed:%d,wrong:%d,travel:%.6g,at:[%.6g,%.6g,%.6g],eye:[%g,%g,%g],target:[%g,%g,%g],\nmeshes:[",
      m->obstacle + 1, m->answer.toi, m->answer.toiUpper, m->first, m->last, m->touching, DEMO_ROBOT_REFEREE - 1,
      m->samples, m->edges, m->edges - m->free, m->missed, m->wrong, m->travel, at.x, at.y, at.z, eye[0], eye[1],
      eye[2], target[0], target[1], target[2]);
  bool good = true;
  for (size_t i = 0; good && i < count; i++) {
    if (parts[i].same == i)
      good = writeMesh(out, &parts[i].mesh);
    else
      buffer_Text(out, "0,");
  }
  buffer_Text(out, "],\nparts:[");
  for (size_t i = 0; i < count; i++) {
    float color[3];
    demoRobotPart_Color(m, &parts[i], color);
    buffer_Format(out, "{m:%zu,link:%d,c:[%.3g,%.3g,%.3g],p:", parts[i].same, parts[i].link, (double)color[0],
                  (double)color[1], (double)color[2]);
    writePose(out, parts[i].pose);
    buffer_Text(out, "},");
  }
  buffer_Text(out, "],\nframes:[");
  for (int k = 0; k <= DEMO_ROBOT_FRAMES; k++) {
    brinkPose poses[64];
    demoRobots_Poses(self, m, (double)k / DEMO_ROBOT_FRAMES, poses);
    buffer_Text(out, "[");
    for (size_t i = 0; i < m->linkCount; i++) writePose(out, poses[i]);
    buffer_Text(out, "],\n");
  }
  buffer_Text(out, "]},\n");
  demoRobots_FreeParts(parts, count);
  if (!good) snprintf(message, capacity, "no memory for the page");
  return good;
}

bool demoRobots_WritePage(const demoRobots *self, const char *path, const char *verdict, char *message,
                          size_t capacity) {
  byteBuffer title = {0}, sentence = {0}, data = {0}, out = {0};
  buffer_Html(&title, demoRobotArm.title);
  buffer_Html(&sentence, verdict);
  buffer_Text(&data, "const machines=[");
  bool good = true;
  for (int m = 0; good && m < DEMO_ROBOT_MACHINES; m++)
    good = writeMachine(&data, self, &self->machines[m], message, capacity);
  buffer_Text(&data, "];");
  const pagePlace places[] = {{"title", &title}, {"verdict", &sentence}, {"data", &data}};
  if (good && !pageTemplate_Fill(&out, &page_robot_html, places, 3)) {
    good = false;
    snprintf(message, capacity, "no memory for %s", path);
  }
  good = good && buffer_WriteFile(&out, path, message, capacity);
  free(title.bytes);
  free(sentence.bytes);
  free(data.bytes);
  free(out.bytes);
  return good;
}
