/* SPDX-License-Identifier: BSD-3-Clause */
/* What happened, frame by frame, kept and written as an animated GLB that other programs open.
 * Based on: glTF 2.0 specification (Khronos), sections 3.6 buffers and accessors, 3.7 meshes, 3.11 animations, 4 GLB.
 * Frames: the recording is z up; glTF is y up, so the root node turns by -90 degrees about x. Units: m, s. Quaternions
 * (w,x,y,z) here, (x,y,z,w) in glTF. */
#include "recorder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "recording.h"

/* ---- recording */

static bool copyMesh(brinkMesh *target, const brinkMesh *source) {
  *target = *source;
  target->vertices = malloc(source->vertexCount * 3 * sizeof *target->vertices + 1);
  target->indices = malloc(source->triangleCount * 3 * sizeof *target->indices + 1);
  if (!target->vertices || !target->indices) return false;
  memcpy(target->vertices, source->vertices, source->vertexCount * 3 * sizeof *target->vertices);
  memcpy(target->indices, source->indices, source->triangleCount * 3 * sizeof *target->indices);
  return true;
}

static int internMesh(recording *self, const brinkMesh *mesh) {
  for (int i = 0; i < self->meshCount; i++)
    if (self->sources[i] == mesh) return i;
  if (self->meshCount == MESH_LIMIT) return -1;
  self->sources[self->meshCount] = mesh;
  if (!copyMesh(&self->meshes[self->meshCount++], mesh)) return -1;
  return self->meshCount - 1;
}

recording *recording_Create(const demoVisual *visuals, size_t visualCount, double step) {
  recording *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->step = step;
  self->visualCount = visualCount;
  self->visuals = calloc(visualCount + 1, sizeof *self->visuals);
  self->meshes = calloc(MESH_LIMIT, sizeof *self->meshes);
  bool good = self->visuals && self->meshes;
  for (size_t i = 0; good && i < visualCount; i++) {
    recordedVisual *out = &self->visuals[i];
    *out = (recordedVisual){
        internMesh(self, visuals[i].mesh), visuals[i].style, visuals[i].part, {0}, visuals[i].body != NULL, NULL, 0};
    memcpy(out->color, visuals[i].color, sizeof out->color);
    if (out->mesh < 0) good = false;
  }
  if (good) return self;
  recording_Destroy(self);
  return NULL;
}

void recording_Destroy(recording *self) {
  if (!self) return;
  for (int i = 0; self->meshes && i < self->meshCount; i++) {
    free(self->meshes[i].vertices);
    free(self->meshes[i].indices);
  }
  free(self->meshes);
  free(self->visuals);
  free(self->poses);
  free(self->samples);
  free(self);
}

static void rotationMatrix(const double q[4], double r[9]) {
  double w = q[0], x = q[1], y = q[2], z = q[3];
  r[0] = 1 - 2 * (y * y + z * z), r[1] = 2 * (x * y - w * z), r[2] = 2 * (x * z + w * y);
  r[3] = 2 * (x * y + w * z), r[4] = 1 - 2 * (x * x + z * z), r[5] = 2 * (y * z - w * x);
  r[6] = 2 * (x * z - w * y), r[7] = 2 * (y * z + w * x), r[8] = 1 - 2 * (x * x + y * y);
}

static recordedPose readPose(const demoVisual *visual) {
  recordedPose pose = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
  if (visual->body) {
    memcpy(pose.position, dBodyGetPosition(visual->body), sizeof pose.position);
    memcpy(pose.rotation, dBodyGetQuaternion(visual->body), sizeof pose.rotation);
  } else if (visual->geom && dGeomGetClass(visual->geom) != dPlaneClass) {
    dQuaternion q;
    memcpy(pose.position, dGeomGetPosition(visual->geom), sizeof pose.position);
    dGeomGetQuaternion(visual->geom, q);
    memcpy(pose.rotation, q, sizeof pose.rotation);
  }
  double r[9];
  rotationMatrix(pose.rotation, r);
  for (int k = 0; k < 3; k++)
    pose.position[k] +=
        r[3 * k] * visual->offset[0] + r[3 * k + 1] * visual->offset[1] + r[3 * k + 2] * visual->offset[2];
  return pose;
}

static bool growSamples(recording *self) {
  if (self->sampleCount < self->sampleCapacity) return true;
  int capacity = self->sampleCapacity * 2 + 64;
  recordedPose *poses = realloc(self->poses, (size_t)capacity * (self->visualCount + 1) * sizeof *poses);
  if (poses) self->poses = poses;
  recordedSample *samples = realloc(self->samples, (size_t)capacity * sizeof *samples);
  if (samples) self->samples = samples;
  if (!poses || !samples) return false;
  self->sampleCapacity = capacity;
  return true;
}

static void readFigures(recordedSample *sample, const demoFrame *frame) {
  sample->through = frame->through;
  sample->throughMask = frame->throughMask;
  sample->depth = frame->worstDepth;
  sample->energy = frame->energy;
  sample->jointError = frame->jointError;
  sample->pairs[0] = (double)frame->brink.pairsBefore;
  sample->pairs[1] = (double)frame->brink.pairsSpatial;
  sample->pairs[2] = (double)frame->brink.pairsTemporal;
  sample->frameMs = frame->milliseconds;
  sample->brinkMs = frame->brink.milliseconds;
}

static int findVisual(const demoVisual *visuals, size_t count, dGeomID geom) {
  for (size_t i = 0; geom && i < count; i++)
    if (visuals[i].geom == geom) return (int)i;
  return -1;
}

static recordedImpact readImpact(const dBrinkEvent *event, const demoVisual *visuals, size_t count) {
  recordedImpact impact = {.toi = event->toi,
                           .distance = event->distance,
                           .a = findVisual(visuals, count, event->g1),
                           .b = findVisual(visuals, count, event->g2)};
  memcpy(impact.position, event->position, sizeof impact.position);
  memcpy(impact.normal, event->normal, sizeof impact.normal);
  return impact;
}

bool recording_Sample(recording *self, const demoVisual *visuals, const demoFrame *frame, const double eye[3],
                      const double target[3]) {
  if (!growSamples(self)) return false;
  recordedSample *sample = &self->samples[self->sampleCount];
  *sample = (recordedSample){.through = 0};
  if (frame) readFigures(sample, frame);
  if (self->sampleCount > 0) sample->everMask = sample[-1].everMask;
  if (self->sampleCount == 1 && frame) self->samples[0].energy = frame->startEnergy;
  sample->everMask |= sample->throughMask;
  memcpy(sample->eye, eye, sizeof sample->eye);
  memcpy(sample->target, target, sizeof sample->target);
  for (int i = 0; frame && frame->brink.events && i < frame->brink.eventCount && i < IMPACTS_PER_FRAME; i++)
    sample->impacts[sample->impactCount++] = readImpact(&frame->brink.events[i], visuals, self->visualCount);
  recordedPose *poses = self->poses + (size_t)self->sampleCount * self->visualCount;
  for (size_t i = 0; i < self->visualCount; i++) {
    poses[i] = readPose(&visuals[i]);
    if (visuals[i].note && !self->visuals[i].note) {
      self->visuals[i].note = visuals[i].note;
      self->visuals[i].noteFrom = self->sampleCount;
    }
    if (self->sampleCount == 0) continue;
    const double *before = (poses + i - self->visualCount)->rotation; /* the same visual, one sample earlier */
    double cosine = 0.0;
    for (int k = 0; k < 4; k++) cosine += before[k] * poses[i].rotation[k];
    for (int k = 0; cosine < 0.0 && k < 4; k++)
      poses[i].rotation[k] = -poses[i].rotation[k]; /* players take the short way */
  }
  self->sampleCount++;
  return true;
}

void recording_CutAway(recording *self, const double (*points)[3], size_t count, const double levels[2]) {
  recordedSample *sample = &self->samples[self->sampleCount - 1];
  sample->cutCount = count < RECORDED_CUT ? count : RECORDED_CUT;
  memcpy(sample->cut, points, sample->cutCount * sizeof *points);
  self->cutBase = levels[0];
  self->cutBedrock = levels[1];
}

const renderCut *recording_Cut(recording *self, int sample) {
  const recordedSample *at = &self->samples[sample];
  self->cutNow = (renderCut){(const double(*)[3])at->cut, at->cutCount, self->cutBase, self->cutBedrock};
  return at->cutCount > 1 ? &self->cutNow : NULL;
}

int recording_Ever(const recording *self, int sample) {
  int count = 0;
  for (uint64_t mask = self->samples[sample].everMask; mask; mask &= mask - 1) count++;
  return count;
}

static double farthest(const recordedPose *a, const recordedPose *b, size_t count) {
  double worst = 0.0;
  for (size_t i = 0; i < count; i++) {
    double square = 0.0;
    for (int k = 0; k < 3; k++) square += (a[i].position[k] - b[i].position[k]) * (a[i].position[k] - b[i].position[k]);
    worst = fmax(worst, sqrt(square));
  }
  return worst;
}

double recording_Difference(const recording *self, const recording *other, int sample) {
  size_t first = (size_t)sample * self->visualCount;
  return farthest(self->poses + first, other->poses + first, self->visualCount);
}

double recording_Moved(const recording *self, int sample) {
  return farthest(self->poses + (size_t)sample * self->visualCount, self->poses, self->visualCount);
}

int recording_Frames(const recording *self) { return self->sampleCount; }
double recording_Step(const recording *self) { return self->step; }
size_t recording_VisualCount(const recording *self) { return self->visualCount; }
int recording_Through(const recording *self, int sample) { return self->samples[sample].through; }

double recording_Depth(const recording *self, int sample) { return self->samples[sample].depth; }

static bool isThrough(const recording *self, int sample, const recordedVisual *visual) {
  return visual->part >= 0 && visual->part < 64 && (self->samples[sample].throughMask >> visual->part & 1u);
}

void recording_Items(const recording *self, int sample, renderItem *items) {
  const recordedPose *poses = self->poses + (size_t)sample * self->visualCount;
  for (size_t i = 0; i < self->visualCount; i++) {
    const recordedVisual *visual = &self->visuals[i];
    items[i] = (renderItem){.mesh = &self->meshes[visual->mesh], .style = visual->style};
    memcpy(items[i].position, poses[i].position, sizeof items[i].position);
    rotationMatrix(poses[i].rotation, items[i].rotation);
    memcpy(items[i].color, visual->color, sizeof items[i].color);
    if (isThrough(self, sample, visual)) items[i].style |= RENDER_XRAY;
  }
}

void recording_Camera(const recording *self, int sample, renderCamera *camera) {
  *camera = (renderCamera){.fieldOfView = 0.7};
  memcpy(camera->eye, self->samples[sample].eye, sizeof camera->eye);
  memcpy(camera->target, self->samples[sample].target, sizeof camera->target);
}

size_t recording_Impacts(const recording *self, int first, int last, double (*points)[3], size_t capacity) {
  size_t count = 0;
  for (int s = first < 0 ? 0 : first; s <= last && s < self->sampleCount; s++)
    for (int i = 0; i < self->samples[s].impactCount && count < capacity; i++)
      memcpy(points[count++], self->samples[s].impacts[i].position, sizeof *points);
  return count;
}

size_t recording_Notes(const recording *self, int sample, recordedNote *notes, size_t capacity) {
  size_t count = 0;
  for (size_t i = 0; i < self->visualCount && count < capacity; i++) {
    const recordedVisual *visual = &self->visuals[i];
    if (!visual->note || visual->noteFrom > sample) continue;
    recordedNote *note = &notes[count++];
    note->text = visual->note;
    note->from = visual->noteFrom;
    memcpy(note->place, self->poses[(size_t)sample * self->visualCount + i].position, sizeof note->place);
    double bottom = 0.0;
    const brinkMesh *mesh = &self->meshes[visual->mesh];
    for (size_t v = 0; v < mesh->vertexCount; v++) bottom = fmin(bottom, mesh->vertices[3 * v + 2]);
    note->place[2] += bottom;
  }
  return count;
}

int recording_FirstImpact(const recording *self) {
  for (int s = 0; s < self->sampleCount; s++)
    if (self->samples[s].impactCount > 0) return s;
  return -1;
}

/* ---- GLB */

typedef struct glbWriter {
  const recording *run;
  byteBuffer json, binary, views, accessors; /* views, accessors: the elements of these arrays */
  int viewCount, accessorCount;
} glbWriter;

static int addView(glbWriter *writer, size_t begin, int target) {
  buffer_Format(&writer->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", writer->viewCount ? "," : "",
                begin, writer->binary.size - begin);
  if (target) buffer_Format(&writer->views, ",\"target\":%d", target);
  buffer_Text(&writer->views, "}");
  return writer->viewCount++;
}

static int addAccessor(glbWriter *writer, int view, int component, size_t count, const char *type, const char *extra) {
  buffer_Format(&writer->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}",
                writer->accessorCount ? "," : "", view, component, count, type, extra);
  return writer->accessorCount++;
}

enum {
  GL_UNSIGNED_BYTE_TYPE = 5121,
  GL_UNSIGNED_INT_TYPE = 5125,
  GL_FLOAT_TYPE = 5126,
  GL_ARRAY = 34962,
  GL_ELEMENTS = 34963
};

static int addPositions(glbWriter *writer, const brinkMesh *mesh) {
  size_t begin = writer->binary.size;
  float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < 3 * mesh->vertexCount; i++) {
    float value = (float)mesh->vertices[i];
    if (value < low[i % 3]) low[i % 3] = value;
    if (value > high[i % 3]) high[i % 3] = value;
    buffer_Bytes(&writer->binary, &value, sizeof value);
  }
  char range[200];
  snprintf(range, sizeof range, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", (double)low[0], (double)low[1],
           (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
  int view = addView(writer, begin, GL_ARRAY);
  return addAccessor(writer, view, GL_FLOAT_TYPE, mesh->vertexCount, "VEC3", range);
}

static int addIndices(glbWriter *writer, const brinkMesh *mesh) {
  size_t begin = writer->binary.size;
  buffer_Bytes(&writer->binary, mesh->indices, mesh->triangleCount * 3 * sizeof *mesh->indices);
  int view = addView(writer, begin, GL_ELEMENTS);
  return addAccessor(writer, view, GL_UNSIGNED_INT_TYPE, mesh->triangleCount * 3, "SCALAR", "");
}

static double toLinear(float color) { return pow(fmin(1.0, fmax(0.0, (double)color)), 2.2); }

/* Terrain colours by slope and height, one per vertex. */
static int addColors(glbWriter *writer, const brinkMesh *mesh) {
  size_t begin = writer->binary.size;
  double *normals = calloc(3 * mesh->vertexCount + 1, sizeof *normals), low = INFINITY, high = -INFINITY;
  if (!normals) {
    writer->binary.failed = true;
    return 0;
  }
  for (size_t t = 0; t < mesh->triangleCount; t++) {
    const uint32_t *corner = mesh->indices + 3 * t;
    const double *a = mesh->vertices + 3 * corner[0], *b = mesh->vertices + 3 * corner[1],
                 *c = mesh->vertices + 3 * corner[2];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        normals[3 * corner[i] + k] += u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
  }
  for (size_t i = 0; i < mesh->vertexCount; i++) {
    low = fmin(low, mesh->vertices[3 * i + 2]);
    high = fmax(high, mesh->vertices[3 * i + 2]);
  }
  for (size_t i = 0; i < mesh->vertexCount; i++) {
    const double *n = normals + 3 * i;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    float color[3];
    renderTerrainColor(length > 0.0 ? fabs(n[2]) / length : 1.0,
                       (mesh->vertices[3 * i + 2] - low) / (high > low ? high - low : 1.0), color);
    uint8_t bytes[4] = {0, 0, 0, 255};
    for (int k = 0; k < 3; k++) bytes[k] = (uint8_t)(toLinear(color[k]) * 255.0 + 0.5);
    buffer_Bytes(&writer->binary, bytes, sizeof bytes);
  }
  free(normals);
  int view = addView(writer, begin, GL_ARRAY);
  return addAccessor(writer, view, GL_UNSIGNED_BYTE_TYPE, mesh->vertexCount, "VEC4", ",\"normalized\":true");
}

static bool sameLook(const recordedVisual *a, const recordedVisual *b) {
  return a->mesh == b->mesh && a->style == b->style && memcmp(a->color, b->color, sizeof a->color) == 0;
}

/* Visuals of the same mesh and colour share one glTF mesh and material; look[i] is its number. Returns how many. */
static int numberLooks(const recording *run, int *look) {
  int count = 0;
  for (size_t i = 0; i < run->visualCount; i++) {
    look[i] = -1;
    for (size_t j = 0; j < i && look[i] < 0; j++)
      if (sameLook(&run->visuals[i], &run->visuals[j])) look[i] = look[j];
    if (look[i] < 0) look[i] = count++;
  }
  return count;
}

static void addMeshes(glbWriter *writer, const int *look, int lookCount) {
  const recording *run = writer->run;
  int positions[MESH_LIMIT], indices[MESH_LIMIT], colors[MESH_LIMIT];
  for (int m = 0; m < run->meshCount; m++) {
    bool terrain = false;
    for (size_t i = 0; i < run->visualCount; i++)
      if (run->visuals[i].mesh == m && (run->visuals[i].style & RENDER_TERRAIN)) terrain = true;
    positions[m] = addPositions(writer, &run->meshes[m]);
    indices[m] = addIndices(writer, &run->meshes[m]);
    colors[m] = terrain ? addColors(writer, &run->meshes[m]) : -1;
  }
  byteBuffer materials = {0};
  buffer_Text(&writer->json, ",\"meshes\":[");
  for (int l = 0; l < lookCount; l++) {
    size_t i = 0;
    while (look[i] != l) i++;
    const recordedVisual *visual = &run->visuals[i];
    bool terrain = (visual->style & RENDER_TERRAIN) != 0;
    buffer_Format(&writer->json, "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d", l ? "," : "",
                  positions[visual->mesh]);
    if (terrain) buffer_Format(&writer->json, ",\"COLOR_0\":%d", colors[visual->mesh]);
    buffer_Format(&writer->json, "},\"indices\":%d,\"material\":%d}]}", indices[visual->mesh], l);
    buffer_Format(&materials,
                  "%s{\"doubleSided\":true,\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.85,"
                  "\"baseColorFactor\":[%.6g,%.6g,%.6g,1]}}",
                  l ? "," : "", terrain ? 1.0 : toLinear(visual->color[0]), terrain ? 1.0 : toLinear(visual->color[1]),
                  terrain ? 1.0 : toLinear(visual->color[2]));
  }
  buffer_Text(&writer->json, "],\"materials\":[");
  buffer_Bytes(&writer->json, materials.bytes, materials.size);
  buffer_Text(&writer->json, "]");
  if (materials.failed) writer->json.failed = true;
  free(materials.bytes);
}

/* Node 0 turns z up into y up; node i + 1 is visual i. */
static void addNodes(glbWriter *writer, const int *look) {
  const recording *run = writer->run;
  buffer_Text(&writer->json,
              ",\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"z_up\","
              "\"rotation\":[-0.70710678118654757,0,0,0.70710678118654757],\"children\":[");
  for (size_t i = 0; i < run->visualCount; i++) buffer_Format(&writer->json, "%s%zu", i ? "," : "", i + 1);
  buffer_Text(&writer->json, "]}");
  for (size_t i = 0; i < run->visualCount; i++) {
    const recordedPose *pose = &run->poses[i];
    if (run->visuals[i].part >= 0)
      buffer_Format(&writer->json, ",{\"name\":\"part_%d\"", run->visuals[i].part);
    else
      buffer_Format(&writer->json, ",{\"name\":\"scenery_%zu\"", i);
    buffer_Format(&writer->json, ",\"mesh\":%d,\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]}",
                  look[i], pose->position[0], pose->position[1], pose->position[2], pose->rotation[1],
                  pose->rotation[2], pose->rotation[3], pose->rotation[0]);
  }
  buffer_Text(&writer->json, "]");
}

static void addAnimation(glbWriter *writer) {
  const recording *run = writer->run;
  size_t frames = (size_t)run->sampleCount, begin = writer->binary.size, moving = 0;
  for (size_t i = 0; i < run->visualCount; i++) moving += run->visuals[i].moving;
  if (moving == 0 || frames < 2) return;
  for (size_t s = 0; s < frames; s++) buffer_Float(&writer->binary, (double)s * run->step);
  char range[80];
  snprintf(range, sizeof range, ",\"min\":[0],\"max\":[%.9g]", (double)(float)((double)(frames - 1) * run->step));
  int view = addView(writer, begin, 0), times = addAccessor(writer, view, GL_FLOAT_TYPE, frames, "SCALAR", range),
      sampler = 0;
  byteBuffer channels = {0};
  buffer_Text(&writer->json, ",\"animations\":[{\"name\":\"run\",\"samplers\":[");
  for (size_t i = 0; i < run->visualCount; i++) {
    if (!run->visuals[i].moving) continue;
    for (int turn = 0; turn < 2; turn++) {
      begin = writer->binary.size;
      for (size_t s = 0; s < frames; s++) {
        const recordedPose *pose = &run->poses[s * run->visualCount + i];
        for (int k = 0; k < (turn ? 4 : 3); k++)
          buffer_Float(&writer->binary, turn ? pose->rotation[(k + 1) % 4] : pose->position[k]);
      }
      view = addView(writer, begin, 0);
      int accessor = addAccessor(writer, view, GL_FLOAT_TYPE, frames, turn ? "VEC4" : "VEC3", "");
      buffer_Format(&writer->json, "%s{\"input\":%d,\"output\":%d}", sampler ? "," : "", times, accessor);
      buffer_Format(&channels, "%s{\"sampler\":%d,\"target\":{\"node\":%zu,\"path\":\"%s\"}}", sampler ? "," : "",
                    sampler, i + 1, turn ? "rotation" : "translation");
      sampler++;
    }
  }
  buffer_Text(&writer->json, "],\"channels\":[");
  buffer_Bytes(&writer->json, channels.bytes, channels.size);
  buffer_Text(&writer->json, "]}]");
  if (channels.failed) writer->json.failed = true;
  free(channels.bytes);
}

static void appendWord(byteBuffer *buffer, size_t word) {
  uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
  buffer_Bytes(buffer, bytes, sizeof bytes);
}

static bool makeGlb(const recording *self, byteBuffer *out) {
  glbWriter writer = {.run = self};
  int *look = calloc(self->visualCount + 1, sizeof *look);
  if (!look || self->sampleCount < 1) {
    free(look);
    return false;
  }
  int lookCount = numberLooks(self, look);
  buffer_Text(&writer.json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"brink-demo\"}");
  addMeshes(&writer, look, lookCount);
  addNodes(&writer, look);
  addAnimation(&writer);
  buffer_PadTo4(&writer.binary, 0);
  buffer_Format(&writer.json, ",\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[", writer.binary.size);
  buffer_Bytes(&writer.json, writer.views.bytes, writer.views.size);
  buffer_Text(&writer.json, "],\"accessors\":[");
  buffer_Bytes(&writer.json, writer.accessors.bytes, writer.accessors.size);
  buffer_Text(&writer.json, "]}");
  buffer_PadTo4(&writer.json, ' ');
  appendWord(out, 0x46546C67); /* "glTF" */
  appendWord(out, 2);
  appendWord(out, 12 + 8 + writer.json.size + 8 + writer.binary.size);
  appendWord(out, writer.json.size);
  appendWord(out, 0x4E4F534A); /* "JSON" */
  buffer_Bytes(out, writer.json.bytes, writer.json.size);
  appendWord(out, writer.binary.size);
  appendWord(out, 0x004E4942); /* "BIN" */
  buffer_Bytes(out, writer.binary.bytes, writer.binary.size);
  bool good =
      !(writer.json.failed || writer.binary.failed || writer.views.failed || writer.accessors.failed || out->failed) &&
      out->size <= UINT32_MAX;
  free(writer.json.bytes);
  free(writer.binary.bytes);
  free(writer.views.bytes);
  free(writer.accessors.bytes);
  free(look);
  return good;
}

bool recording_WriteGlb(const recording *self, const char *path, char *message, size_t messageCapacity) {
  byteBuffer glb = {0};
  bool good = makeGlb(self, &glb);
  if (!good) snprintf(message, messageCapacity, "no memory for %s, or nothing was recorded", path);
  good = good && buffer_WriteFile(&glb, path, message, messageCapacity);
  free(glb.bytes);
  return good;
}
