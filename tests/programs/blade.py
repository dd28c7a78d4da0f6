# SPDX-License-Identifier: BSD-3-Clause
"""A thin blade on a hinge turns at 80 rad/s towards a peg, in plain pyode. Prints whether it went past. Knows nothing of
Brink."""
import math

import ode

world = ode.World()
space = ode.HashSpace()
group = ode.JointGroup()
peg = ode.GeomBox(space, (0.02, 0.02, 0.2))
peg.setPosition((0.8 * math.cos(2), 0.8 * math.sin(2), 0))
blade = ode.GeomBox(space, (1, 0.02, 0.02))
body = ode.Body(world)
mass = ode.Mass()
mass.setBoxTotal(1, 1, 0.02, 0.02)
body.setMass(mass)
blade.setBody(body)
body.setPosition((0.5, 0, 0))
hinge = ode.HingeJoint(world)
hinge.attach(body, ode.environment)
hinge.setAnchor((0, 0, 0))
hinge.setAxis((0, 0, 1))
body.setAngularVel((0, 0, 80))
body.setLinearVel((0, 40, 0))


def near(data, a, b):
    for contact in ode.collide(a, b):
        contact.setMu(0.5)
        ode.ContactJoint(world, group, contact).attach(a.getBody(), b.getBody())


past = False
for frame in range(20):
    space.collide(("frame", frame), near)
    world.quickStep(1 / 60)
    group.empty()
    x, y, z = body.getPosition()
    angle = math.atan2(y, x)
    past = past or angle > 2.05
print("PASSED THROUGH the peg" if past else "stopped at %.3f rad" % angle)
