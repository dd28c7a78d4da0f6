/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfering subsets as PLY (Turk 1994, text), as OBJ and as glTF 2.0 binary. See brink/interference_assets.h. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "brink/interference_assets.h"
#include "message.h"
#include "brink/replace_file.h"

void brinkEntryColor(double entry, unsigned char color[3]) {
  static const double ramp[6][3] = {{68, 1, 84},    {65, 68, 135},  {42, 120, 142},
                                    {34, 168, 132}, {122, 209, 81}, {253, 231, 37}};
  if (!(entry >= 0.0 && entry <= 1.0)) {
    color[0] = color[1] = color[2] = 190;
    return;
  }
  int i = entry >= 1.0 ? 4 : (int)(5.0 * entry);
  double s = 5.0 * entry - i;
  for (int k = 0; k < 3; ++k) color[k] = (unsigned char)(ramp[i][k] + s * (ramp[i + 1][k] - ramp[i][k]) + 0.5);
}

static brinkStatus checkSubset(const char *path, const brinkColoredSubset *subset, char *message,
                               size_t messageCapacity) {
  brinkSay(message, messageCapacity, "%s", "");
  if (path == NULL || subset == NULL) {
    brinkSay(message, messageCapacity, "%s is NULL", path == NULL ? "path" : "subset");
    return brink_errorNullArgument;
  }
  if (subset->triangleCount > 0 || subset->pointCount > 0)
    return brinkCheckTriangles(path, subset->triangles, subset->triangleCount, subset->vertexCount, message,
                               messageCapacity);
  brinkSay(message, messageCapacity, "%s: there is neither a triangle nor a point; nothing is written", path);
  return brink_errorEmpty;
}

static size_t interferingPoints(const brinkColoredSubset *subset) {
  size_t count = 0;
  for (size_t i = 0; i < subset->pointCount; ++i) count += subset->pointTimes[2 * i] <= 1.0 ? 1u : 0u;
  return count;
}

static void writePly(FILE *file, const brinkColoredSubset *subset) {
  fprintf(file,
          "ply\nformat ascii 1.0\ncomment times of entry and exit in step time; above 1: does not interfere\nelement "
          "vertex %zu\n"
          "property double x\nproperty double y\nproperty double z\nproperty uchar red\nproperty uchar green\nproperty "
          "uchar blue\n"
          "property double entry\nproperty double exit\nelement face %zu\nproperty list uchar int vertex_indices\n"
          "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty double entry\nproperty double "
          "exit\nend_header\n",
          subset->vertexCount + interferingPoints(subset), subset->triangleCount);
  unsigned char c[3];
  brinkEntryColor(2.0, c);
  for (size_t i = 0; i < subset->vertexCount; ++i) {
    const double *p = subset->vertices + 3 * i;
    fprintf(file, "%.17g %.17g %.17g %d %d %d 2 -1\n", p[0], p[1], p[2], c[0], c[1], c[2]);
  }
  for (size_t i = 0; i < subset->pointCount; ++i) {
    const double *p = subset->points + 3 * i, *t = subset->pointTimes + 2 * i;
    if (!(t[0] <= 1.0)) continue;
    brinkEntryColor(t[0], c);
    fprintf(file, "%.17g %.17g %.17g %d %d %d %.17g %.17g\n", p[0], p[1], p[2], c[0], c[1], c[2], t[0], t[1]);
  }
  for (size_t i = 0; i < subset->triangleCount; ++i) {
    const uint32_t *v = subset->triangles + 3 * i;
    const double *t = subset->faceTimes + 2 * i;
    brinkEntryColor(t[0], c);
    fprintf(file, "3 %u %u %u %d %d %d %.17g %.17g\n", v[0], v[1], v[2], c[0], c[1], c[2], t[0], t[1]);
  }
}

brinkStatus brinkWriteSubsetPly(const char *path, const brinkColoredSubset *subset, char *message,
                                size_t messageCapacity) {
  brinkReplacement replacement;
  brinkStatus status = checkSubset(path, subset, message, messageCapacity);
  if (status == brink_ok) status = brinkReplacement_Begin(&replacement, path, message, messageCapacity);
  if (status != brink_ok) return status;
  brinkPlainLocale locale = brinkPlainLocale_Begin();
  writePly(replacement.file, subset);
  brinkPlainLocale_End(locale);
  return brinkReplacement_End(&replacement, path, true, message, messageCapacity);
}

/* ---- OBJ */

static void writeLines(FILE *file, const double *vertices, const size_t *starts, size_t lineCount) {
  for (size_t i = 0; i < starts[lineCount]; ++i)
    fprintf(file, "v %.17g %.17g %.17g\n", vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
  for (size_t i = 0; i < lineCount; ++i) {
    fputs(starts[i + 1] - starts[i] > 1 ? "l" : "p", file);
    for (size_t k = starts[i]; k < starts[i + 1]; ++k) fprintf(file, " %zu", k + 1);
    fputc('\n', file);
  }
}

brinkStatus brinkWriteLinesObj(const char *path, const double *vertices, const size_t *starts, size_t lineCount,
                               char *message, size_t messageCapacity) {
  brinkReplacement replacement;
  brinkSay(message, messageCapacity, "%s", "");
  if (path == NULL || starts == NULL || (vertices == NULL && starts[lineCount] > 0)) {
    brinkSay(message, messageCapacity, "%s is NULL", path == NULL ? "path" : starts == NULL ? "starts" : "vertices");
    return brink_errorNullArgument;
  }
  for (size_t i = 0; i < lineCount; ++i)
    if (starts[i + 1] <= starts[i]) {
      brinkSay(message, messageCapacity, "%s: line %zu has no vertex; nothing is written", path, i);
      return brink_errorEmpty;
    }
  brinkStatus status = brinkReplacement_Begin(&replacement, path, message, messageCapacity);
  if (status != brink_ok) return status;
  brinkPlainLocale locale = brinkPlainLocale_Begin();
  writeLines(replacement.file, vertices, starts, lineCount);
  brinkPlainLocale_End(locale);
  return brinkReplacement_End(&replacement, path, true, message, messageCapacity);
}

/* ---- GLB */

typedef struct glbVertex {
  float at[3];
  unsigned char color[4];
} glbVertex;

static void put32(FILE *file, uint32_t x) {
  const unsigned char bytes[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                                  (unsigned char)(x >> 24)};
  fwrite(bytes, 1, 4, file);
}

static void putFloat(FILE *file, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  put32(file, bits);
}

static glbVertex vertexOf(const double *p, double entry) {
  glbVertex v = {{(float)p[0], (float)p[1], (float)p[2]}, {0, 0, 0, 255}};
  brinkEntryColor(entry, v.color);
  return v;
}

static void widen(float low[3], float high[3], const glbVertex *v) {
  for (int k = 0; k < 3; ++k) {
    if (v->at[k] < low[k]) low[k] = v->at[k];
    if (v->at[k] > high[k]) high[k] = v->at[k];
  }
}

/* Triangles unshared, each with its own colour; then the interfering points. */
static size_t listVertices(const brinkColoredSubset *subset, glbVertex *out, float low[2][3], float high[2][3]) {
  size_t count = 0;
  for (int part = 0; part < 2; ++part)
    for (int k = 0; k < 3; ++k) {
      low[part][k] = FLT_MAX;
      high[part][k] = -FLT_MAX;
    }
  for (size_t i = 0; i < 3 * subset->triangleCount; ++i) {
    out[count] = vertexOf(subset->vertices + 3 * (size_t)subset->triangles[i], subset->faceTimes[2 * (i / 3)]);
    widen(low[0], high[0], &out[count++]);
  }
  for (size_t i = 0; i < subset->pointCount; ++i) {
    if (!(subset->pointTimes[2 * i] <= 1.0)) continue;
    out[count] = vertexOf(subset->points + 3 * i, subset->pointTimes[2 * i]);
    widen(low[1], high[1], &out[count++]);
  }
  return count;
}

typedef struct jsonText {
  char text[4096];
  size_t size;
} jsonText;

static void addAccessors(jsonText *json, const size_t counts[2], const float low[2][3], const float high[2][3]) {
  size_t offset = 0;
  bool first = true;
  for (int part = 0; part < 2; ++part) {
    if (counts[part] == 0) continue;
    json->size += (size_t)snprintf(json->text + json->size, sizeof json->text - json->size,
                                   "%s{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":5126,\"count\":%zu,"
                                   "\"type\":\"VEC3\",\"min\":[%.9g,%.9g,%.9g],"
                                   "\"max\":[%.9g,%.9g,%.9g]},{\"bufferView\":0,\"byteOffset\":%zu,\"componentType\":"
                                   "5121,\"normalized\":true,\"count\":%zu,"
                                   "\"type\":\"VEC4\"}",
                                   first ? "" : ",", offset, counts[part], (double)low[part][0], (double)low[part][1],
                                   (double)low[part][2], (double)high[part][0], (double)high[part][1],
                                   (double)high[part][2], offset + 12, counts[part]);
    offset += 16 * counts[part];
    first = false;
  }
}

static void makeJson(jsonText *json, const size_t counts[2], const float low[2][3], const float high[2][3]) {
  size_t bytes = 16 * (counts[0] + counts[1]);
  json->size = (size_t)snprintf(
      json->text, sizeof json->text,
      "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Brink\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
      "\"nodes\":[{\"mesh\":0,\"rotation\":[-0.70710678,0,0,0.70710678]}],\"materials\":[{\"doubleSided\":true,"
      "\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.9}}],\"meshes\":[{\"primitives\":[");
  int accessor = 0;
  for (int part = 0; part < 2; ++part) {
    if (counts[part] == 0) continue;
    json->size += (size_t)snprintf(json->text + json->size, sizeof json->text - json->size,
                                   "%s{\"attributes\":{\"POSITION\":%d,\"COLOR_0\":%d},\"material\":0,\"mode\":%d}",
                                   accessor > 0 ? "," : "", accessor, accessor + 1, part == 0 ? 4 : 0);
    accessor += 2;
  }
  json->size += (size_t)snprintf(json->text + json->size, sizeof json->text - json->size, "]}],\"accessors\":[");
  addAccessors(json, counts, low, high);
  json->size +=
      (size_t)snprintf(json->text + json->size, sizeof json->text - json->size,
                       "],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%zu,\"byteStride\":16,\"target\":34962}],"
                       "\"buffers\":[{\"byteLength\":%zu}]}",
                       bytes, bytes);
  while (json->size % 4 != 0) json->text[json->size++] = ' ';
}

brinkStatus brinkWriteSubsetGlb(const char *path, const brinkColoredSubset *subset, char *message,
                                size_t messageCapacity) {
  brinkStatus status = checkSubset(path, subset, message, messageCapacity);
  if (status != brink_ok) return status;
  const size_t counts[2] = {3 * subset->triangleCount, interferingPoints(subset)};
  float low[2][3], high[2][3];
  jsonText json;
  if (counts[0] + counts[1] > (size_t)100 * 1000 * 1000) {
    brinkSay(message, messageCapacity, "%s: too many points and triangles for one file", path);
    return brink_errorRange;
  }
  glbVertex *vertices = malloc((counts[0] + counts[1] + 1) * sizeof *vertices);
  if (vertices == NULL) {
    brinkSay(message, messageCapacity, "%s: no memory", path);
    return brink_errorNoMemory;
  }
  brinkReplacement replacement;
  status = brinkReplacement_Begin(&replacement, path, message, messageCapacity);
  if (status == brink_ok) {
    size_t all = listVertices(subset, vertices, low, high);
    brinkPlainLocale locale = brinkPlainLocale_Begin();
    makeJson(&json, counts, (const float(*)[3])low, (const float(*)[3])high);
    brinkPlainLocale_End(locale);
    FILE *file = replacement.file;
    put32(file, 0x46546c67u);
    put32(file, 2);
    put32(file, (uint32_t)(12 + 8 + json.size + 8 + 16 * all));
    put32(file, (uint32_t)json.size);
    put32(file, 0x4e4f534au);
    fwrite(json.text, 1, json.size, file);
    put32(file, (uint32_t)(16 * all));
    put32(file, 0x004e4942u);
    for (size_t i = 0; i < all; ++i) {
      for (int k = 0; k < 3; ++k) putFloat(file, vertices[i].at[k]);
      fwrite(vertices[i].color, 1, 4, file);
    }
    status = brinkReplacement_End(&replacement, path, true, message, messageCapacity);
  }
  free(vertices);
  return status;
}
