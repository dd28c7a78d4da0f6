/* SPDX-License-Identifier: BSD-3-Clause */
/* See subset_solid.h. */
#include "subset_solid.h"

static void centerOf(const double *points, const uint32_t corners[4], double out[3]) {
  for (int k = 0; k < 3; ++k) {
    out[k] = 0.0;
    for (int c = 0; c < 4; ++c) out[k] += 0.25 * points[3 * (size_t)corners[c] + (size_t)k];
  }
}

/* Keeps the tetrahedra whose centre is in B; their centres. */
static void keepInside(const brinkInverseMesh *b, const double *points, brinkTetrahedra *all, double *centers) {
  size_t kept = 0;
  for (size_t i = 0; i < all->count; ++i) {
    centerOf(points, all->corners + 4 * i, centers + 3 * kept);
    if (brinkInverseMesh_Contains(b, centers + 3 * kept) <= 0) continue;
    memmove(all->corners + 4 * kept++, all->corners + 4 * i, 4 * sizeof(uint32_t));
  }
  all->count = kept;
}

static bool meets(const brinkPointSet *set, size_t point) {
  for (size_t i = set->starts[point]; i < set->starts[point + 1]; ++i)
    if (set->intervals[i].proven) return true;
  return false;
}

brinkStatus brinkMakeSubsetSolid(brinkContext *context, const brinkInverseTarget *a, const brinkInverseMesh *b,
                                 const brinkMotionTable *table, const double *points, size_t count,
                                 const brinkPointQuery *query, const brinkParallel *parallel, brinkTetrahedra *out,
                                 size_t *asked) {
  *asked = 0;
  brinkStatus status = brinkTetrahedra_Make(context, points, count, out);
  if (status != brink_ok || out->count == 0) return status;
  const size_t size = 3 * out->count * sizeof(double);
  double *centers = brinkAllocate(context, size);
  if (centers == NULL) return brinkFail(context, brink_errorNoMemory, "no memory for %zu tetrahedra", out->count);
  keepInside(b, points, out, centers);
  brinkPointSet set = {0};
  status = brinkFindPointContacts(context, a, table, centers, out->count, query, parallel, &set);
  if (status == brink_ok) {
    *asked = out->count;
    size_t kept = 0;
    for (size_t i = 0; i < *asked; ++i)
      if (meets(&set, i)) memmove(out->corners + 4 * kept++, out->corners + 4 * i, 4 * sizeof(uint32_t));
    out->count = kept;
  }
  brinkPointSet_Free(context, &set);
  brinkRelease(context, centers, size);
  return status;
}
