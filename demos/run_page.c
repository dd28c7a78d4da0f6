/* SPDX-License-Identifier: BSD-3-Clause */
/* How do two runs become one page that plays them side by side? Template and player are in page/; this file packs the
 * data: meshes of 16-bit coordinates, written once for both runs, and a track per body whose keyframes are as few as a
 * tolerance allows (a body at rest needs one in SPAN_LIMIT). Everything binary is one base64 block of little-endian
 * sections; the JSON beside it tells where each begins. Units: m, s; z up; quaternions (w,x,y,z). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brink/cook.h"
#include "buffer.h"
#include "page_template.h"
#include "recording.h"

#define PAGE_IMPACTS 3000      /* written into a page, of each run */
#define SPAN_LIMIT 96          /* samples between two keyframes */
#define PLACE_TOLERANCE 1.5e-5 /* of the picture's size: a tenth of a pixel */
#define TURN_TOLERANCE 1e-3    /* of a quaternion's components */
#define FULL_SCALE 65535.0
#define HULL_DEPTHS 6 /* of the hull trees that a page can show */

static void appendShort(byteBuffer *out, double value) {
  double rounded = floor(value + 0.5);
  uint16_t word = (uint16_t)(rounded <= 0.0 ? 0.0 : rounded >= FULL_SCALE ? FULL_SCALE : rounded);
  uint8_t bytes[2] = {(uint8_t)word, (uint8_t)(word >> 8)};
  buffer_Bytes(out, bytes, sizeof bytes);
}

static void appendWord(byteBuffer *out, uint32_t word) {
  uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
  buffer_Bytes(out, bytes, sizeof bytes);
}

/* Smallest box of count points that are `stride` doubles apart; step: of a 16-bit number over the box. */
static void measure(const double *points, size_t count, size_t stride, double low[3], double step[3]) {
  for (int k = 0; k < 3; k++) {
    double high = -INFINITY;
    low[k] = INFINITY;
    for (size_t i = 0; i < count; i++) {
      low[k] = fmin(low[k], points[i * stride + (size_t)k]);
      high = fmax(high, points[i * stride + (size_t)k]);
    }
    if (!(low[k] <= high)) low[k] = high = 0.0;
    step[k] = (high - low[k]) / FULL_SCALE;
  }
}

static void appendPoint(byteBuffer *out, const double point[3], const double low[3], const double step[3]) {
  for (int k = 0; k < 3; k++) appendShort(out, step[k] > 0.0 ? (point[k] - low[k]) / step[k] : 0.0);
}

/* The tree of convex hulls that Brink keeps of a mesh, cut at its first depths: edges as pairs of points, for the
 * page's overlay. Left out when the mesh does not cook, or where a depth adds nothing. */
static void packHulls(byteBuffer *json, byteBuffer *block, const brinkMesh *mesh) {
  brinkMeshView view = brinkViewMesh(mesh, 0);
  double low[3], step[3], *edges = NULL;
  size_t size = 0, counts[HULL_DEPTHS] = {0}, total = 0, depths = 0;
  void *blob = NULL;
  if (brinkCook(&view, NULL, &blob, &size, NULL, 0) != brink_ok) return;
  for (; depths < HULL_DEPTHS; depths++) {
    if (brinkBlobHullEdges(blob, size, (uint32_t)depths, NULL, 0, &counts[depths]) != brink_ok) break;
    if (depths > 0 && counts[depths] == counts[depths - 1]) break;
    total += counts[depths];
  }
  edges = malloc((6 * total + 6) * sizeof *edges);
  if (edges && total > 0) {
    size_t at = 0;
    for (size_t d = 0; d < depths; at += counts[d++])
      brinkBlobHullEdges(blob, size, (uint32_t)d, edges + 6 * at, counts[d], &counts[d]);
    measure(edges, 2 * total, 3, low, step);
    buffer_PadTo4(block, 0);
    buffer_Format(json, ",\"hulls\":{\"at\":%zu,\"low\":[%.9g,%.9g,%.9g],\"step\":[%.9g,%.9g,%.9g],\"counts\":[",
                  block->size, low[0], low[1], low[2], step[0], step[1], step[2]);
    for (size_t d = 0; d < depths; d++) buffer_Format(json, "%s%zu", d ? "," : "", counts[d]);
    buffer_Text(json, "]}");
    for (size_t i = 0; i < 2 * total; i++) appendPoint(block, edges + 3 * i, low, step);
  }
  free(edges);
  brinkFreeBlob(blob);
}

static void packMesh(byteBuffer *json, byteBuffer *block, const brinkMesh *mesh, bool hulls) {
  double low[3], step[3];
  bool wide = mesh->vertexCount > 65535;
  measure(mesh->vertices, mesh->vertexCount, 3, low, step);
  buffer_PadTo4(block, 0);
  buffer_Format(json, "{\"vertices\":%zu,\"triangles\":%zu,\"low\":[%.9g,%.9g,%.9g],\"step\":[%.9g,%.9g,%.9g],",
                mesh->vertexCount, mesh->triangleCount, low[0], low[1], low[2], step[0], step[1], step[2]);
  buffer_Format(json, "\"at\":%zu,", block->size);
  for (size_t i = 0; i < mesh->vertexCount; i++) appendPoint(block, mesh->vertices + 3 * i, low, step);
  buffer_PadTo4(block, 0);
  buffer_Format(json, "\"wide\":%s,\"corners\":%zu", wide ? "true" : "false", block->size);
  for (size_t i = 0; i < 3 * mesh->triangleCount; i++) {
    if (wide)
      appendWord(block, mesh->indices[i]);
    else
      appendShort(block, (double)mesh->indices[i]);
  }
  if (hulls) packHulls(json, block, mesh);
  buffer_Text(json, "}");
}

/* Meshes of things that move have their hulls drawn, when somebody asks for it. */
static bool isMoving(const recording *run, int mesh) {
  for (size_t i = 0; i < run->visualCount; i++)
    if (run->visuals[i].mesh == mesh && run->visuals[i].moving) return true;
  return false;
}

/* ---- tracks */

/* Is every sample between two within the tolerance of the straight line from one to the other? */
static bool isStraight(const recordedPose *poses, size_t stride, int first, int last, double tolerance) {
  const recordedPose *a = poses + (size_t)first * stride, *b = poses + (size_t)last * stride;
  for (int s = first + 1; s < last; s++) {
    const recordedPose *p = poses + (size_t)s * stride;
    double t = (double)(s - first) / (last - first);
    for (int k = 0; k < 3; k++)
      if (!(fabs(a->position[k] + t * (b->position[k] - a->position[k]) - p->position[k]) <= tolerance)) return false;
    for (int k = 0; k < 4; k++)
      if (!(fabs(a->rotation[k] + t * (b->rotation[k] - a->rotation[k]) - p->rotation[k]) <= TURN_TOLERANCE))
        return false;
  }
  return true;
}

/* Samples that stay; the first and the last always do. Returns how many. */
static int chooseKeys(const recordedPose *poses, size_t stride, int count, double tolerance, bool moving, int *keys) {
  int kept = 0, last = count - 1;
  keys[kept++] = 0;
  if (!moving) return kept;
  for (int from = 0; from < last; from = keys[kept - 1]) {
    int reach = from + 1;
    while (reach < last && reach - from < SPAN_LIMIT && isStraight(poses, stride, from, reach + 1, tolerance)) reach++;
    keys[kept++] = reach;
  }
  return kept;
}

static void packTrack(byteBuffer *json, byteBuffer *block, const recording *run, size_t visual, double tolerance,
                      int *keys) {
  double low[3], step[3];
  const recordedPose *poses = run->poses + visual;
  int count = chooseKeys(poses, run->visualCount, run->sampleCount, tolerance, run->visuals[visual].moving, keys);
  measure(poses->position, (size_t)run->sampleCount, run->visualCount * sizeof *poses / sizeof(double), low, step);
  buffer_Format(json, "%s[%zu,%d,%.9g,%.9g,%.9g,%.7g,%.7g,%.7g]", visual ? "," : "", block->size, count, low[0], low[1],
                low[2], step[0], step[1], step[2]);
  for (int i = 0; i < count; i++) appendShort(block, keys[i]);
  for (int i = 0; i < count; i++) {
    const recordedPose *pose = poses + (size_t)keys[i] * run->visualCount;
    appendPoint(block, pose->position, low, step);
    for (int k = 0; k < 4; k++) appendShort(block, (pose->rotation[k] + 1.0) * 0.5 * FULL_SCALE);
  }
}

/* ---- figures of a run */

static double pickFigure(const recordedSample *s, int figure) {
  switch (figure) {
    case 0:
      return s->energy;
    case 1:
      return s->jointError;
    case 2:
      return s->pairs[0];
    case 3:
      return s->pairs[1];
    case 4:
      return s->pairs[2];
    case 5:
      return s->frameMs;
    case 6:
      return s->brinkMs;
    case 7:
      return s->through;
    default:
      return s->depth;
  }
}

static void packFigures(byteBuffer *json, byteBuffer *block, const recording *run, const recording *other) {
  static const char *const names[] = {"energy",  "joint",   "pairsBefore", "pairsSpatial", "pairsTemporal",
                                      "frameMs", "brinkMs", "through",     "depth"};
  buffer_Text(json, "\"figures\":{");
  for (int f = 0; f < (int)(sizeof names / sizeof *names); f++) {
    buffer_PadTo4(block, 0);
    buffer_Format(json, "%s\"%s\":%zu", f ? "," : "", names[f], block->size);
    for (int s = 0; s < run->sampleCount; s++) buffer_Float(block, pickFigure(&run->samples[s], f));
  }
  buffer_PadTo4(block, 0);
  buffer_Format(json, ",\"apart\":%zu", block->size);
  for (int s = 0; s < run->sampleCount; s++) buffer_Float(block, recording_Difference(run, other, s));
  buffer_PadTo4(block, 0);
  buffer_Format(json, "},\"masks\":%zu,", block->size); /* now low, now high, ever low, ever high */
  for (int s = 0; s < run->sampleCount; s++) {
    uint64_t now = run->samples[s].throughMask, ever = run->samples[s].everMask;
    appendWord(block, (uint32_t)now), appendWord(block, (uint32_t)(now >> 32));
    appendWord(block, (uint32_t)ever), appendWord(block, (uint32_t)(ever >> 32));
  }
}

/* Twelve floats each: sample, visuals a and b, point, normal from a to b, time in the step, distance, 0. */
static void packImpacts(byteBuffer *json, byteBuffer *block, const recording *run) {
  size_t count = 0;
  buffer_PadTo4(block, 0);
  buffer_Format(json, "\"impacts\":[%zu,", block->size);
  for (int s = 0; s < run->sampleCount; s++)
    for (int i = 0; i < run->samples[s].impactCount && count < PAGE_IMPACTS; i++, count++) {
      const recordedImpact *impact = &run->samples[s].impacts[i];
      buffer_Float(block, s), buffer_Float(block, impact->a), buffer_Float(block, impact->b);
      for (int k = 0; k < 3; k++) buffer_Float(block, impact->position[k]);
      for (int k = 0; k < 3; k++) buffer_Float(block, impact->normal[k]);
      buffer_Float(block, impact->toi), buffer_Float(block, impact->distance), buffer_Float(block, 0.0);
    }
  buffer_Format(json, "%zu],", count);
}

/* The cut's upper edge: y and z of each point as 16-bit numbers, all samples with the same points in x. */
static void packCut(byteBuffer *json, byteBuffer *block, const recording *run) {
  size_t count = run->samples[0].cutCount;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, step[2];
  for (int s = 0; s < run->sampleCount; s++) {
    if (run->samples[s].cutCount != count) return;
    for (size_t i = 0; i < 2 * count; i++) {
      low[i % 2] = fmin(low[i % 2], run->samples[s].cut[i / 2][1 + i % 2]);
      high[i % 2] = fmax(high[i % 2], run->samples[s].cut[i / 2][1 + i % 2]);
    }
  }
  if (count < 2) return;
  for (int k = 0; k < 2; k++) step[k] = high[k] > low[k] ? (high[k] - low[k]) / FULL_SCALE : 1.0;
  buffer_PadTo4(block, 0);
  buffer_Format(json, "\"cut\":{\"at\":%zu,\"points\":%zu,\"first\":%.9g,\"spacing\":%.9g,\"base\":%g,\"bedrock\":%g,",
                block->size, count, run->samples[0].cut[0][0], run->samples[0].cut[1][0] - run->samples[0].cut[0][0],
                run->cutBase, run->cutBedrock);
  buffer_Format(json, "\"low\":[%.9g,%.9g],\"step\":[%.9g,%.9g]},", low[0], low[1], step[0], step[1]);
  for (int s = 0; s < run->sampleCount; s++)
    for (size_t i = 0; i < 2 * count; i++)
      appendShort(block, (run->samples[s].cut[i / 2][1 + i % 2] - low[i % 2]) / step[i % 2]);
}

/* [from which sample, x, y, z, text] each, as they stand at the end. */
static void packNotes(byteBuffer *json, const recording *run) {
  recordedNote notes[NOTE_LIMIT];
  size_t count = recording_Notes(run, run->sampleCount - 1, notes, NOTE_LIMIT);
  buffer_Text(json, "\"notes\":[");
  for (size_t i = 0; i < count; i++) {
    buffer_Format(json, "%s[%d,%.6g,%.6g,%.6g,", i ? "," : "", notes[i].from, notes[i].place[0], notes[i].place[1],
                  notes[i].place[2]);
    buffer_String(json, notes[i].text);
    buffer_Text(json, "]");
  }
  buffer_Text(json, "],");
}

static bool packRun(byteBuffer *json, byteBuffer *block, const recording *run, const recording *other, double size) {
  int *keys = malloc(((size_t)run->sampleCount + 1) * sizeof *keys);
  if (!keys) return false;
  buffer_Text(json, "{");
  packFigures(json, block, run, other);
  packImpacts(json, block, run);
  packCut(json, block, run);
  packNotes(json, run);
  buffer_Text(json, "\"tracks\":[");
  for (size_t i = 0; i < run->visualCount; i++) packTrack(json, block, run, i, size * PLACE_TOLERANCE, keys);
  buffer_Text(json, "]}");
  free(keys);
  return true;
}

/* ---- the page */

static double viewSize(const recording *run) {
  const recordedSample *start = &run->samples[0];
  double square = 0.0;
  for (int k = 0; k < 3; k++) square += (start->eye[k] - start->target[k]) * (start->eye[k] - start->target[k]);
  return sqrt(square);
}

static void packTexts(byteBuffer *json, const recordingPage *page) {
  const char *const texts[][2] = {{"title", page->title},
                                  {"throughText", page->throughText},
                                  {"plainText", page->plainText},
                                  {"brinkText", page->brinkText}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    buffer_Format(json, "\"%s\":", texts[i][0]);
    buffer_String(json, texts[i][1] ? texts[i][1] : "");
    buffer_Text(json, ",");
  }
}

static bool packData(byteBuffer *out, const recording *plain, const recording *brink, const recordingPage *page) {
  byteBuffer json = {0}, block = {0};
  const recordedSample *start = &brink->samples[0];
  double size = viewSize(brink);
  buffer_Format(&json, "{\"step\":%.17g,\"samples\":%d,\"size\":%.9g,\"parts\":%d,\"good\":%s,", brink->step,
                brink->sampleCount, size, page->partCount, page->good ? "true" : "false");
  buffer_Format(&json, "\"eye\":[%.6g,%.6g,%.6g],\"target\":[%.6g,%.6g,%.6g],", start->eye[0], start->eye[1],
                start->eye[2], start->target[0], start->target[1], start->target[2]);
  packTexts(&json, page);
  buffer_Text(&json, "\"meshes\":[");
  for (int m = 0; m < brink->meshCount; m++) {
    if (m) buffer_Text(&json, ",");
    packMesh(&json, &block, &brink->meshes[m], isMoving(brink, m));
  }
  buffer_Text(&json, "],\"visuals\":[");
  for (size_t i = 0; i < brink->visualCount; i++) {
    const recordedVisual *visual = &brink->visuals[i];
    buffer_Format(&json, "%s[%d,%d,%d,%d,%.4g,%.4g,%.4g]", i ? "," : "", visual->mesh, visual->style, visual->part,
                  visual->moving, (double)visual->color[0], (double)visual->color[1], (double)visual->color[2]);
  }
  buffer_Text(&json, "],\"runs\":[");
  bool good = packRun(&json, &block, plain, brink, size);
  buffer_Text(&json, ",\n");
  good = packRun(&json, &block, brink, plain, size) && good;
  buffer_Text(&json, "]}");
  buffer_Text(out, "const run = ");
  buffer_Bytes(out, json.bytes, json.size);
  buffer_Text(out, ";\nrun.block = \"");
  buffer_Base64(out, block.bytes, block.size);
  buffer_Text(out, "\";\n");
  good = good && !json.failed && !block.failed;
  free(json.bytes);
  free(block.bytes);
  return good;
}

static bool readScript(byteBuffer *out, const char *directory, const char *name) {
  char path[1024];
  byteBuffer text = {0};
  bool good = snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path && buffer_ReadFile(&text, path);
  if (good) buffer_Script(out, (const char *)text.bytes, text.size);
  good = good && !text.failed;
  free(text.bytes);
  return good;
}

enum { placeTitle, placeVerdict, placeStyle, placeThree, placeControls, placeData, placePlayer, placeCount };

static int fillPage(byteBuffer *out, byteBuffer *parts, const recording *plain, const recording *brink,
                    const recordingPage *page, const char *path, char *message, size_t messageCapacity) {
  static const char *const names[placeCount] = {"title", "verdict", "style", "three", "controls", "data", "player"};
  if (!readScript(&parts[placeThree], page->threeDir, "three.min.js") ||
      !readScript(&parts[placeControls], page->threeDir, "examples/js/controls/OrbitControls.js")) {
    snprintf(
        message, messageCapacity,
        "%s is left out: three.js is not in %s. Install Debian's package libjs-three (apt-get install libjs-three), or "
        "give another folder to CMake: -DBRINK_THREE_DIR=...",
        path, page->threeDir);
    return 0;
  }
  buffer_Html(&parts[placeTitle], page->title);
  buffer_Html(&parts[placeVerdict], page->verdict);
  buffer_Text(&parts[placeStyle], page_stage_css.text);
  buffer_Script(&parts[placePlayer], page_run_js.text, page_run_js.size);
  pagePlace places[placeCount];
  for (int i = 0; i < placeCount; i++) places[i] = (pagePlace){names[i], &parts[i]};
  if (!packData(&parts[placeData], plain, brink, page) || !pageTemplate_Fill(out, &page_run_html, places, placeCount)) {
    snprintf(message, messageCapacity, "no memory for %s", path);
    return -1;
  }
  return buffer_WriteFile(out, path, message, messageCapacity) ? 1 : -1;
}

int recording_WriteHtml(const recording *plain, const recording *brink, const recordingPage *page, const char *path,
                        char *message, size_t messageCapacity) {
  if (plain->sampleCount != brink->sampleCount || plain->visualCount != brink->visualCount || plain->sampleCount < 1) {
    snprintf(message, messageCapacity, "%s needs two runs of the same scene and length, got %d and %d samples", path,
             plain->sampleCount, brink->sampleCount);
    return -1;
  }
  byteBuffer out = {0}, parts[placeCount] = {{0}};
  int result = fillPage(&out, parts, plain, brink, page, path, message, messageCapacity);
  for (int i = 0; i < placeCount; i++) free(parts[i].bytes);
  free(out.bytes);
  return result;
}
