/* SPDX-License-Identifier: BSD-3-Clause */
/* What engines know per step, for a part r of it, [0,1]. Error reduction e and constraint force mixing c stand for a
 * spring and a damper, e = h k / (h k + d), c = 1 / (h k + d) (ODE's manual); the same k and d need
 * e' = e r / (1 - e + e r), c' = c / (1 - e + e r) in a solve of r h; with e itself short solves would make energy.
 * Damping D per step is 1 - (1 - D)^r. */
#include <math.h>

#include "motion.h"
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

void brinkStepGiveBackDamping(double from, double tau, double damping, double threshold, const double end[3],
                              double velocity[3]) {
  const double speed = sqrt(end[0] * end[0] + end[1] * end[1] + end[2] * end[2]);
  const double more = pow(1 - damping, tau - 1) - 1;
  for (int i = 0; damping < 1 && speed > threshold * pow(1 - damping, 1 - from) && i < 3; ++i) {
    velocity[i] += more * end[i];
  }
}

void brinkStepReadSpin(brinkStepBody *record, double h, bool finite, double damping, double threshold) {
  const double *w = record->end.angular;
  const double undamped =
      damping > 0 && damping < 1 ? sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / (1 - damping) : 0;
  brinkStepTurnOf(w, undamped > threshold ? 1 / (1 - damping) : 1, h, finite, record->spin);
}
