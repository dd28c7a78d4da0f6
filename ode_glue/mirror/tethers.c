/* SPDX-License-Identifier: BSD-3-Clause */
/* Detaches the tethers while ODE solves. A tether is a disabled joint by which the end of a body added by hand is
 * noticed (adapter.c). It joins no island, but ODE never lets a body without joints fall asleep ("don't freeze objects
 * mid-air", dInternalHandleAutoDisabling), and would count the tether as one. No body can be destroyed while ODE
 * solves, so tethers are not needed then. */
#include "mirror.h"

void dxBrinkLoosenTethers(dBrinkID brink) {
  for (size_t i = 0; brink->watched->everPinned && i < brink->step.bodyCount; ++i) {
    dxBrinkHosted *hosted = &brink->hosted[i];
    dBodyID body = brink->step.bodies[i].body;
    hosted->loose = body != NULL && hosted->tether != NULL && dJointGetBody(hosted->tether, 0) == body &&
                    dBodyGetNumJoints(body) == 1;
    if (hosted->loose) {
      dJointAttach(hosted->tether, NULL, NULL);
    }
  }
}

void dxBrinkFastenTethers(dBrinkID brink) {
  for (size_t i = 0; brink->watched->everPinned && i < brink->step.bodyCount; ++i) {
    dxBrinkHosted *hosted = &brink->hosted[i];
    dBodyID body = brink->step.bodies[i].body;
    if (hosted->loose) {
      dJointAttach(hosted->tether, body, NULL);
      hosted->loose = false;
    }
  }
}
