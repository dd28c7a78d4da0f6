// SPDX-License-Identifier: BSD-3-Clause
// ODE's C++ classes: a ball at 300 m/s against a 5 mm plate. Given brink/ode_redirect.h by -include, it knows nothing of it.
#include <ode/ode.h>

#include <cstdio>

struct Frame {
  dWorld &world;
  dJointGroup &contacts;
};

static void nearCallback(void *data, dGeomID a, dGeomID b) {
  Frame *frame = static_cast<Frame *>(data);
  dContact contact = {};
  if (dCollide(a, b, 1, &contact.geom, sizeof contact) == 1) {
    contact.surface.mode = dContactBounce;
    contact.surface.bounce = 0.5;
    dContactJoint joint(frame->world.id(), frame->contacts.id(), &contact);
    joint.attach(dGeomGetBody(a), dGeomGetBody(b));
  }
}

int main() {
  dInitODE2(0);
  double x = 0;
  {
    dWorld world;
    dSimpleSpace space(0);
    dJointGroup contacts;
    dBox plate(space, 0.005, 1, 1);
    dSphere ball(space, 0.01);
    dBody body(world);
    ball.setBody(body);
    body.setPosition(-12.3, 0, 0);
    body.setLinearVel(300, 0, 0);
    Frame frame = {world, contacts};
    for (int i = 0; i < 10; ++i) {
      space.collide(&frame, nearCallback);
      world.step(1.0 / 60);
      contacts.empty();
    }
    x = body.getPosition()[0];
  }
  dCloseODE();
  std::printf("end: x %.6f\n", x);
  return 0;
}
