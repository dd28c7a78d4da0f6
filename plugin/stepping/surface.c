/* SPDX-License-Identifier: BSD-3-Clause */
/* Moving surfaces (belts, lifts): the motion that a program gave at one contact, expressed at a contact with another
 * normal. Programs give it along the axes of a contact, so the same numbers at another normal would be another motion.
 * Units: m/s. */
#include <math.h>
#include <string.h>

#include "stepper.h"
#include "tuning.h"

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  }
}

/* What of a direction lies in the surface, as a unit vector. False: next to nothing. */
static bool layInto(const double normal[3], const double direction[3], double out[3]) {
  double along = dot(normal, direction), size = 0;
  for (int i = 0; i < 3; ++i) {
    out[i] = direction[i] - along * normal[i];
    size = hypot(size, out[i]);
  }
  for (int i = 0; i < 3; ++i) {
    out[i] /= size;
  }
  return size > BRINK_STEP_HAIR;
}

void brinkStepTurnSurface(brinkStepSurfaceMotion *surface, const double normal[3]) {
  double side[3], velocity[3], was[3];
  cross(surface->normal, surface->along, side);
  for (int i = 0; i < 3; ++i) {
    was[i] = surface->normal[i];
    velocity[i] = surface->speeds[0] * was[i] + surface->speeds[1] * surface->along[i] + surface->speeds[2] * side[i];
  }
  /* Where the direction has become the normal, the former normal lies in the surface. */
  if (!layInto(normal, surface->along, side)) {
    (void)layInto(normal, was, side);
  }
  memcpy(surface->normal, normal, sizeof(surface->normal));
  memcpy(surface->along, side, sizeof(surface->along));
  cross(surface->normal, surface->along, side);
  surface->speeds[0] = dot(velocity, surface->normal);
  surface->speeds[1] = dot(velocity, surface->along);
  surface->speeds[2] = dot(velocity, side);
}
