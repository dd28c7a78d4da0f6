/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BALL_SOLID_H
#define BALL_SOLID_H
/* A ball as an implicit solid, F = |x|^2 - r^2: what bounds of F over a box a program hands to Brink. */
#include <math.h>

/* user: the radius. Rounded outward. */
static inline void ballBound(void *user, const double low[3], const double high[3], double out[2]) {
  double r = *(const double *)user, least = 0, most = 0;
  for (int k = 0; k < 3; ++k) {
    double near = low[k] > 0 ? low[k] : high[k] < 0 ? -high[k] : 0, far = fmax(fabs(low[k]), fabs(high[k]));
    least += near * near;
    most += far * far;
  }
  out[0] = (least - r * r) - 1e-14 * (least + r * r);
  out[1] = (most - r * r) + 1e-14 * (most + r * r);
}

#endif
