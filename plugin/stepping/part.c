/* SPDX-License-Identifier: BSD-3-Clause */
/* What engines know per step, for a part r of it, [0,1]. Error reduction e and constraint force mixing c stand for a
 * spring and a damper, e = h k / (h k + d), c = 1 / (h k + d) (ODE's manual); the same k and d need
 * e' = e r / (1 - e + e r), c' = c / (1 - e + e r) in a solve of r h; with e itself short solves would make energy.
 * Damping D per step is 1 - (1 - D)^r. */
#include <math.h>

#include "stepper.h"

double brinkStepErpOfPart(double erp, double r) {
  double left = 1 - erp + erp * r;
  return left > 0 ? erp * r / left : erp;
}

double brinkStepCfmOfPart(double cfm, double erp, double r) {
  double left = 1 - erp + erp * r;
  return left > 0 ? cfm / left : cfm;
}

double brinkStepDampingOfPart(double damping, double r) { return 1 - pow(1 - damping, r); }
