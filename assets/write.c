/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes to OBJ: 17 significant digits, which every IEEE double survives (Steele and White 1990), in any locale. */
#include <math.h>
#include <stddef.h>

#include "brink/assets.h"
#include "message.h"
#include "brink/replace_file.h"

static brinkStatus checkMesh(const char *path, const brinkMesh *mesh, char *message, size_t messageCapacity) {
  for (size_t i = 0; i < 3 * mesh->vertexCount; ++i) {
    if (isfinite(mesh->vertices[i])) continue;
    brinkSay(message, messageCapacity, "%s: vertex %zu is not finite; nothing is written", path, i / 3);
    return brink_errorBadValue;
  }
  if (mesh->triangleCount > 0)
    return brinkCheckTriangles(path, mesh->indices, mesh->triangleCount, mesh->vertexCount, message, messageCapacity);
  brinkSay(message, messageCapacity, "%s: the mesh has no triangles; nothing is written", path);
  return brink_errorEmpty;
}

brinkStatus brinkWriteObj(const char *path, const brinkMesh *mesh, char *message, size_t messageCapacity) {
  brinkSay(message, messageCapacity, "%s", "");
  if (path == NULL || mesh == NULL) {
    brinkSay(message, messageCapacity, "brinkWriteObj: %s is NULL", path == NULL ? "path" : "mesh");
    return brink_errorNullArgument;
  }
  brinkReplacement replacement;
  brinkStatus status = checkMesh(path, mesh, message, messageCapacity);
  if (status == brink_ok) status = brinkReplacement_Begin(&replacement, path, message, messageCapacity);
  if (status != brink_ok) return status;
  brinkPlainLocale locale = brinkPlainLocale_Begin();
  fprintf(replacement.file, "# %zu vertices (m, z up), %zu triangles\n", mesh->vertexCount, mesh->triangleCount);
  for (size_t i = 0; i < mesh->vertexCount; ++i) {
    const double *p = mesh->vertices + 3 * i;
    fprintf(replacement.file, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
  }
  for (size_t i = 0; i < mesh->triangleCount; ++i) {
    const uint32_t *t = mesh->indices + 3 * i;
    fprintf(replacement.file, "f %zu %zu %zu\n", (size_t)t[0] + 1, (size_t)t[1] + 1, (size_t)t[2] + 1);
  }
  brinkPlainLocale_End(locale);
  return brinkReplacement_End(&replacement, path, true, message, messageCapacity);
}
