/* SPDX-License-Identifier: BSD-3-Clause */
/* A mesh is cooked once; the blob carries the exact mesh, which can be read back out of it. */
#include <stdio.h>

#include "brink/cook.h"

int main(void) {
  const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const brinkMeshView mesh = {.structSize = sizeof mesh,
                              .flags = BRINK_MESH_SOLID,
                              .vertices = corners[0],
                              .vertexCount = 4,
                              .indices = faces[0],
                              .triangleCount = 4};
  char message[256] = "";
  void *blob = NULL;
  size_t size = 0;
  if (brinkCook(&mesh, NULL, &blob, &size, message, sizeof message) != brink_ok) {
    fprintf(stderr, "cooking: %s\n", message);
    return 1;
  }
  brinkMeshSummary summary;
  brinkMeshView back;
  int good = brinkCheckBlob(blob, size, &summary, message, sizeof message) == brink_ok &&
             brinkBlobMesh(blob, size, &back) == brink_ok && back.triangleCount == 4 && summary.closed == 1;
  if (good)
    printf("%zu bytes: %zu triangles, closed, %zu convex patches\n", size, back.triangleCount, summary.patchCount);
  brinkFreeBlob(blob);
  return good ? 0 : 1;
}
