/* SPDX-License-Identifier: BSD-3-Clause */
/* The tethers of bodies added by hand, out of ODE's sight while it solves. A tether is a disabled joint by which the
 * end of its body is noticed (adapter.c). No island goes through it, but ODE lets a body without joints never fall
 * asleep ("don't freeze objects mid-air", dInternalHandleAutoDisabling) and would count the tether as one. Nobody
 * destroys bodies while ODE solves, so it is not needed then. */
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
