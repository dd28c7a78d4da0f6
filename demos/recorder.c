/* SPDX-License-Identifier: BSD-3-Clause */
/* What happened, frame by frame, in files that other programs open: an animated GLB and a page that plays two runs.
 * Based on: glTF 2.0 specification (Khronos), sections 3.6 buffers and accessors, 3.7 meshes, 3.11 animations, 4 GLB.
 * Frames: the recording is z up; glTF is y up, so the root node turns by -90 degrees about x. Units: m, s. Quaternions
 * (w,x,y,z) here, (x,y,z,w) in glTF. */
#include "recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

#define MESH_LIMIT 256      /* distinct meshes of a scene */
#define IMPACTS_PER_FRAME 8 /* kept for pictures */
#define PAGE_IMPACTS 4000   /* written into a page */

typedef struct recordedVisual {
  int mesh, style, part;
  float color[3];
  bool moving;
} recordedVisual;

typedef struct recordedPose {
  double position[3], rotation[4]; /* m; w,x,y,z */
} recordedPose;

typedef struct recordedSample {
  double eye[3], target[3];
  double impacts[IMPACTS_PER_FRAME][3], depth;
  int impactCount, through;
  uint64_t throughMask;
} recordedSample;

struct recording {
  double step;
  brinkMesh *meshes; /* owned copies */
  const brinkMesh *sources[MESH_LIMIT];
  int meshCount;
  recordedVisual *visuals;
  size_t visualCount;
  recordedPose *poses;     /* [sampleCount][visualCount] */
  recordedSample *samples; /* [sampleCount] */
  int sampleCount, sampleCapacity;
};

/* ---- a growing block of bytes; after the first failure everything is a no-op */
typedef struct byteBuffer {
  uint8_t *bytes;
  size_t size, capacity;
  bool failed;
} byteBuffer;

static void appendBytes(byteBuffer *buffer, const void *bytes, size_t size) {
  if (buffer->failed) return;
  if (buffer->size + size > buffer->capacity) {
    size_t capacity = (buffer->size + size) * 2 + 4096;
    uint8_t *grown = realloc(buffer->bytes, capacity);
    if (!grown) {
      buffer->failed = true;
      return;
    }
    buffer->bytes = grown;
    buffer->capacity = capacity;
  }
  if (size) memcpy(buffer->bytes + buffer->size, bytes, size);
  buffer->size += size;
}

static void appendText(byteBuffer *buffer, const char *text) { appendBytes(buffer, text, strlen(text)); }

__attribute__((format(printf, 2, 3))) static void appendFormat(byteBuffer *buffer, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof line)
    buffer->failed = true;
  else
    appendBytes(buffer, line, (size_t)length);
}

static void appendFloat(byteBuffer *buffer, double value) {
  float single = (float)value;
  appendBytes(buffer, &single, sizeof single);
}

static void padTo4(byteBuffer *buffer, char filler) {
  while (buffer->size % 4 != 0 && !buffer->failed) appendBytes(buffer, &filler, 1);
}

static bool writeFile(const char *path, const byteBuffer *const *parts, int partCount, char *message,
                      size_t messageCapacity) {
  FILE *file = fopen(path, "wb");
  if (!file) {
    snprintf(message, messageCapacity, "cannot write %s: %s", path, strerror(errno));
    return false;
  }
  bool good = true;
  for (int i = 0; i < partCount; i++) good = fwrite(parts[i]->bytes, 1, parts[i]->size, file) == parts[i]->size && good;
  if (fclose(file) != 0) good = false;
  if (!good) snprintf(message, messageCapacity, "%s could not be written whole; is the disk full?", path);
  return good;
}

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
        internMesh(self, visuals[i].mesh), visuals[i].style, visuals[i].part, {0}, visuals[i].body != NULL};
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

bool recording_Sample(recording *self, const demoVisual *visuals, const demoFrame *frame, const double eye[3],
                      const double target[3]) {
  if (!growSamples(self)) return false;
  recordedSample *sample = &self->samples[self->sampleCount];
  *sample = (recordedSample){.through = frame ? frame->through : 0,
                             .throughMask = frame ? frame->throughMask : 0,
                             .depth = frame ? frame->worstDepth : 0.0};
  memcpy(sample->eye, eye, sizeof sample->eye);
  memcpy(sample->target, target, sizeof sample->target);
  for (int i = 0; frame && frame->brink.events && i < frame->brink.eventCount && i < IMPACTS_PER_FRAME; i++)
    memcpy(sample->impacts[sample->impactCount++], frame->brink.events[i].position, sizeof sample->impacts[0]);
  recordedPose *poses = self->poses + (size_t)self->sampleCount * self->visualCount;
  for (size_t i = 0; i < self->visualCount; i++) {
    poses[i] = readPose(&visuals[i]);
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
      memcpy(points[count++], self->samples[s].impacts[i], sizeof *points);
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
  appendFormat(&writer->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", writer->viewCount ? "," : "",
               begin, writer->binary.size - begin);
  if (target) appendFormat(&writer->views, ",\"target\":%d", target);
  appendText(&writer->views, "}");
  return writer->viewCount++;
}

static int addAccessor(glbWriter *writer, int view, int component, size_t count, const char *type, const char *extra) {
  appendFormat(&writer->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}",
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
    appendBytes(&writer->binary, &value, sizeof value);
  }
  char range[200];
  snprintf(range, sizeof range, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", (double)low[0], (double)low[1],
           (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
  int view = addView(writer, begin, GL_ARRAY);
  return addAccessor(writer, view, GL_FLOAT_TYPE, mesh->vertexCount, "VEC3", range);
}

static int addIndices(glbWriter *writer, const brinkMesh *mesh) {
  size_t begin = writer->binary.size;
  appendBytes(&writer->binary, mesh->indices, mesh->triangleCount * 3 * sizeof *mesh->indices);
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
    appendBytes(&writer->binary, bytes, sizeof bytes);
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
  appendText(&writer->json, ",\"meshes\":[");
  for (int l = 0; l < lookCount; l++) {
    size_t i = 0;
    while (look[i] != l) i++;
    const recordedVisual *visual = &run->visuals[i];
    bool terrain = (visual->style & RENDER_TERRAIN) != 0;
    appendFormat(&writer->json, "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d", l ? "," : "",
                 positions[visual->mesh]);
    if (terrain) appendFormat(&writer->json, ",\"COLOR_0\":%d", colors[visual->mesh]);
    appendFormat(&writer->json, "},\"indices\":%d,\"material\":%d}]}", indices[visual->mesh], l);
    appendFormat(&materials,
                 "%s{\"doubleSided\":true,\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.85,"
                 "\"baseColorFactor\":[%.6g,%.6g,%.6g,1]}}",
                 l ? "," : "", terrain ? 1.0 : toLinear(visual->color[0]), terrain ? 1.0 : toLinear(visual->color[1]),
                 terrain ? 1.0 : toLinear(visual->color[2]));
  }
  appendText(&writer->json, "],\"materials\":[");
  appendBytes(&writer->json, materials.bytes, materials.size);
  appendText(&writer->json, "]");
  if (materials.failed) writer->json.failed = true;
  free(materials.bytes);
}

/* Node 0 turns z up into y up; node i + 1 is visual i. */
static void addNodes(glbWriter *writer, const int *look) {
  const recording *run = writer->run;
  appendText(&writer->json,
             ",\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"z_up\","
             "\"rotation\":[-0.70710678118654757,0,0,0.70710678118654757],\"children\":[");
  for (size_t i = 0; i < run->visualCount; i++) appendFormat(&writer->json, "%s%zu", i ? "," : "", i + 1);
  appendText(&writer->json, "]}");
  for (size_t i = 0; i < run->visualCount; i++) {
    const recordedPose *pose = &run->poses[i];
    if (run->visuals[i].part >= 0)
      appendFormat(&writer->json, ",{\"name\":\"part_%d\"", run->visuals[i].part);
    else
      appendFormat(&writer->json, ",{\"name\":\"scenery_%zu\"", i);
    appendFormat(&writer->json, ",\"mesh\":%d,\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]}",
                 look[i], pose->position[0], pose->position[1], pose->position[2], pose->rotation[1], pose->rotation[2],
                 pose->rotation[3], pose->rotation[0]);
  }
  appendText(&writer->json, "]");
}

static void addAnimation(glbWriter *writer) {
  const recording *run = writer->run;
  size_t frames = (size_t)run->sampleCount, begin = writer->binary.size, moving = 0;
  for (size_t i = 0; i < run->visualCount; i++) moving += run->visuals[i].moving;
  if (moving == 0 || frames < 2) return;
  for (size_t s = 0; s < frames; s++) appendFloat(&writer->binary, (double)s * run->step);
  char range[80];
  snprintf(range, sizeof range, ",\"min\":[0],\"max\":[%.9g]", (double)(float)((double)(frames - 1) * run->step));
  int view = addView(writer, begin, 0), times = addAccessor(writer, view, GL_FLOAT_TYPE, frames, "SCALAR", range),
      sampler = 0;
  byteBuffer channels = {0};
  appendText(&writer->json, ",\"animations\":[{\"name\":\"run\",\"samplers\":[");
  for (size_t i = 0; i < run->visualCount; i++) {
    if (!run->visuals[i].moving) continue;
    for (int turn = 0; turn < 2; turn++) {
      begin = writer->binary.size;
      for (size_t s = 0; s < frames; s++) {
        const recordedPose *pose = &run->poses[s * run->visualCount + i];
        for (int k = 0; k < (turn ? 4 : 3); k++)
          appendFloat(&writer->binary, turn ? pose->rotation[(k + 1) % 4] : pose->position[k]);
      }
      view = addView(writer, begin, 0);
      int accessor = addAccessor(writer, view, GL_FLOAT_TYPE, frames, turn ? "VEC4" : "VEC3", "");
      appendFormat(&writer->json, "%s{\"input\":%d,\"output\":%d}", sampler ? "," : "", times, accessor);
      appendFormat(&channels, "%s{\"sampler\":%d,\"target\":{\"node\":%zu,\"path\":\"%s\"}}", sampler ? "," : "",
                   sampler, i + 1, turn ? "rotation" : "translation");
      sampler++;
    }
  }
  appendText(&writer->json, "],\"channels\":[");
  appendBytes(&writer->json, channels.bytes, channels.size);
  appendText(&writer->json, "]}]");
  if (channels.failed) writer->json.failed = true;
  free(channels.bytes);
}

static void appendWord(byteBuffer *buffer, size_t word) {
  uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
  appendBytes(buffer, bytes, sizeof bytes);
}

static bool makeGlb(const recording *self, byteBuffer *out) {
  glbWriter writer = {.run = self};
  int *look = calloc(self->visualCount + 1, sizeof *look);
  if (!look || self->sampleCount < 1) {
    free(look);
    return false;
  }
  int lookCount = numberLooks(self, look);
  appendText(&writer.json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"brink-demo\"}");
  addMeshes(&writer, look, lookCount);
  addNodes(&writer, look);
  addAnimation(&writer);
  padTo4(&writer.binary, 0);
  appendFormat(&writer.json, ",\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[", writer.binary.size);
  appendBytes(&writer.json, writer.views.bytes, writer.views.size);
  appendText(&writer.json, "],\"accessors\":[");
  appendBytes(&writer.json, writer.accessors.bytes, writer.accessors.size);
  appendText(&writer.json, "]}");
  padTo4(&writer.json, ' ');
  appendWord(out, 0x46546C67); /* "glTF" */
  appendWord(out, 2);
  appendWord(out, 12 + 8 + writer.json.size + 8 + writer.binary.size);
  appendWord(out, writer.json.size);
  appendWord(out, 0x4E4F534A); /* "JSON" */
  appendBytes(out, writer.json.bytes, writer.json.size);
  appendWord(out, writer.binary.size);
  appendWord(out, 0x004E4942); /* "BIN" */
  appendBytes(out, writer.binary.bytes, writer.binary.size);
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
  const byteBuffer *parts[] = {&glb};
  good = good && writeFile(path, parts, 1, message, messageCapacity);
  free(glb.bytes);
  return good;
}

/* ---- HTML */

static void appendBase64(byteBuffer *out, const uint8_t *bytes, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t group =
        (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0u);
    char text[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                    left > 2 ? digits[group & 63] : '='};
    appendBytes(out, text, sizeof text);
  }
}

static void appendHtml(byteBuffer *out, const char *text) {
  for (; *text; text++) {
    if (*text == '<')
      appendText(out, "&lt;");
    else if (*text == '>')
      appendText(out, "&gt;");
    else if (*text == '&')
      appendText(out, "&amp;");
    else
      appendBytes(out, text, 1);
  }
}

/* A JavaScript string literal, safe inside a script element. */
static void appendString(byteBuffer *out, const char *text) {
  appendText(out, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\' || c == '<' || c < 32)
      appendFormat(out, "\\u%04x", c);
    else
      appendBytes(out, text, 1);
  }
  appendText(out, "\"");
}

/* A script's text, with every "</script" made "<\/script": an HTML parser would end the element there. */
static bool appendScript(byteBuffer *out, const char *directory, const char *name) {
  char path[1024];
  if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) return false;
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  static const char tag[] = "script";
  bool afterLess = false;
  appendText(out, "<script>\n");
  for (int c = getc(file); c != EOF; c = getc(file)) {
    char byte = (char)c;
    if (afterLess && c == '/') { /* the backslash is harmless in strings and regular expressions alike */
      long place = ftell(file);
      char ahead[7] = {0};
      bool isTag = fread(ahead, 1, 6, file) == 6;
      for (int k = 0; isTag && k < 6; k++) isTag = (ahead[k] | 32) == tag[k];
      fseek(file, place, SEEK_SET);
      if (isTag) appendText(out, "\\");
    }
    appendBytes(out, &byte, 1);
    afterLess = c == '<';
  }
  bool good = !ferror(file);
  fclose(file);
  appendText(out, "\n</script>\n");
  return good;
}

static bool appendRun(byteBuffer *out, const char *name, const recording *run) {
  byteBuffer glb = {0};
  bool good = makeGlb(run, &glb);
  appendFormat(out, "%s:{through:[", name);
  for (int s = 0; s < run->sampleCount; s++) appendFormat(out, "%s%d", s ? "," : "", run->samples[s].through);
  appendText(out, "],masks:[");
  for (int s = 0; s < run->sampleCount; s++) {
    appendText(out, s ? ",[" : "[");
    bool first = true;
    for (int part = 0; part < 64; part++) {
      if (!(run->samples[s].throughMask >> part & 1u)) continue;
      appendFormat(out, "%s%d", first ? "" : ",", part);
      first = false;
    }
    appendText(out, "]");
  }
  appendText(out, "],impacts:[");
  int written = 0;
  for (int s = 0; s < run->sampleCount; s++)
    for (int i = 0; i < run->samples[s].impactCount && written < PAGE_IMPACTS; i++, written++)
      appendFormat(out, "%s%d,%.3f,%.3f,%.3f", written ? "," : "", s, run->samples[s].impacts[i][0],
                   run->samples[s].impacts[i][1], run->samples[s].impacts[i][2]);
  appendText(out, "],glb:\"");
  if (good) appendBase64(out, glb.bytes, glb.size);
  appendText(out, "\"}");
  free(glb.bytes);
  return good;
}

static void appendTrack(byteBuffer *out, const char *name, const recording *run, bool target) {
  appendFormat(out, "%s:[", name);
  for (int s = 0; s < run->sampleCount; s++) {
    const double *v = target ? run->samples[s].target : run->samples[s].eye;
    appendFormat(out, "%s%.3f,%.3f,%.3f", s ? "," : "", v[0], v[1], v[2]);
  }
  appendText(out, "],");
}

static bool appendData(byteBuffer *out, const recording *plain, const recording *brink, const recordingPage *page) {
  const recordedSample *start = &brink->samples[0];
  double size = 0.0;
  for (int k = 0; k < 3; k++) size += (start->eye[k] - start->target[k]) * (start->eye[k] - start->target[k]);
  appendFormat(out, "<script>\nconst run={step:%.17g,size:%.6g,throughText:", brink->step, sqrt(size));
  appendString(out, page->throughText);
  appendText(out, ",");
  appendTrack(out, "eye", brink, false);
  appendTrack(out, "target", brink, true);
  bool good = appendRun(out, "plain", plain);
  appendText(out, ",\n");
  good = appendRun(out, "brink", brink) && good;
  appendText(out, "};\n</script>\n");
  return good;
}

int recording_WriteHtml(const recording *plain, const recording *brink, const recordingPage *page, const char *path,
                        char *message, size_t messageCapacity) {
  if (plain->sampleCount != brink->sampleCount || plain->sampleCount < 1) {
    snprintf(message, messageCapacity, "%s needs two runs of the same length, got %d and %d samples", path,
             plain->sampleCount, brink->sampleCount);
    return -1;
  }
  byteBuffer out = {0};
  appendText(&out, pageHead);
  appendText(&out, "<title>");
  appendHtml(&out, page->title);
  appendText(&out, "</title>\n");
  appendText(&out, pageStyle);
  appendText(&out, "<header><h1>");
  appendHtml(&out, page->title);
  appendText(&out, "</h1><p>");
  appendHtml(&out, page->verdict);
  appendText(&out, "</p></header>\n");
  appendText(&out, pageBody);
  if (!appendScript(&out, page->threeDir, "three.min.js") ||
      !appendScript(&out, page->threeDir, "examples/js/loaders/GLTFLoader.js") ||
      !appendScript(&out, page->threeDir, "examples/js/controls/OrbitControls.js")) {
    snprintf(
        message, messageCapacity,
        "%s is left out: three.js is not in %s. Install Debian's package libjs-three (apt-get install libjs-three), or "
        "give another folder to CMake: -DBRINK_THREE_DIR=...",
        path, page->threeDir);
    free(out.bytes);
    return 0;
  }
  bool good = appendData(&out, plain, brink, page);
  appendText(&out, "<script>\n");
  appendText(&out, pagePlayer);
  appendText(&out, "</script>\n</body>\n</html>\n");
  good = good && !out.failed;
  if (!good) snprintf(message, messageCapacity, "no memory for %s", path);
  const byteBuffer *parts[] = {&out};
  good = good && writeFile(path, parts, 1, message, messageCapacity);
  free(out.bytes);
  return good ? 1 : -1;
}
