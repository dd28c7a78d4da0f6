/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the samples of a heightfield. ODE has no getter for them, nor for their number. It tells the extents (the box
 * of a geom at the origin) and the height of any point (a vertical ray). plugin/stepping/field.c finds the samples from
 * these; the program may tell their numbers (dBrinkUseHeightfield). Units: m. */
#include <math.h>
#include <string.h>

#include "mirror.h"

#define FLAT 1e-11      /* of the ray's length: rounding of a ray */
#define UNKNOWN_TOP 1e6 /* m, where the field's bounds are infinite (callbacks) */

typedef struct rayProbe {
  dGeomID field, ray;
  double top; /* m, where rays begin */
  brinkStepSurface surface;
} rayProbe;

static double heightAt(void *user, double u, double v) {
  const rayProbe *probe = user;
  dContactGeom hit;
  dGeomRaySet(probe->ray, (u - 0.5) * probe->surface.width, probe->top, (v - 0.5) * probe->surface.depth, 0, -1, 0);
  return dCollide(probe->ray, probe->field, 1, &hit, sizeof(hit)) > 0 ? hit.pos[1] : (double)NAN;
}

/* Makes the geom and the ray that are asked. NULL: ready; else the reason why not (static). */
static const char *openProbe(rayProbe *probe, dHeightfieldDataID data) {
  *probe = (rayProbe){.field = dCreateHeightfield(NULL, data, 0)};
  dReal box[6];
  dGeomGetAABB(probe->field, box);
  probe->surface = (brinkStepSurface){heightAt, probe, box[1] - box[0], box[5] - box[4], box[2], 0};
  probe->top = isfinite(box[3]) ? box[3] : UNKNOWN_TOP;
  double low = isfinite(box[2]) ? box[2] : -UNKNOWN_TOP;
  double air = 1 + 0.01 * (probe->top - low), length = probe->top - low + 2 * air;
  probe->top += air;
  probe->surface.slack = FLAT * length;
  if (!isfinite(probe->surface.width) || !isfinite(probe->surface.depth)) {
    dGeomDestroy(probe->field);
    return "it wraps around without end; build it with bWrap = 0";
  }
  probe->ray = dCreateRay(NULL, length);
  return NULL;
}

static void closeProbe(rayProbe *probe) {
  dGeomDestroy(probe->ray);
  dGeomDestroy(probe->field);
}

brinkStatus dxBrinkReadHeights(dHeightfieldDataID data, size_t columns, size_t rows, brinkStepField *out,
                               const char **reason) {
  rayProbe probe;
  *reason = openProbe(&probe, data);
  if (*reason != NULL) {
    return brink_errorBadValue;
  }
  brinkStatus status = brinkStepFindField(&probe.surface, columns, rows, out);
  if (status == brink_errorBadValue) {
    *reason = columns > 0 ? "the numbers of samples given to dBrinkUseHeightfield are not those of the field"
                          : "its samples were not found; tell their numbers with dBrinkUseHeightfield";
  }
  closeProbe(&probe);
  return status;
}

/* Heights at a few fixed spots: they tell when the program has changed the samples in place. */
void dxBrinkSampleHeights(dHeightfieldDataID data, double samples[BRINK_STEP_MESH_SAMPLES][9]) {
  rayProbe probe;
  if (openProbe(&probe, data) != NULL) {
    return;
  }
  for (int i = 0; i < BRINK_STEP_MESH_SAMPLES; ++i) {
    double u, v;
    brinkStepSpot(i, &u, &v);
    samples[i][0] = heightAt(&probe, u, v) + 0.0;
    samples[i][1] = probe.surface.width;
    samples[i][2] = probe.surface.depth;
  }
  closeProbe(&probe);
}
