# SPDX-License-Identifier: BSD-3-Clause
"""A 1 cm ball at 300 m/s against a 5 mm plate, in plain pyode (Debian's python3-pyode). Prints where it ends: knows
nothing of Brink. Argument: simple or hash (the kind of space)."""
import sys

import ode

world = ode.World()
world.setGravity((0, 0, 0))
space = ode.HashSpace() if "hash" in sys.argv else ode.SimpleSpace()
group = ode.JointGroup()
plate = ode.GeomBox(space, (0.005, 1, 1))
ball = ode.GeomSphere(space, 0.01)
body = ode.Body(world)
mass = ode.Mass()
mass.setSphereTotal(0.1, 0.01)
body.setMass(mass)
ball.setBody(body)
body.setPosition((-12.3, 0, 0))
body.setLinearVel((300, 0, 0))


def near(data, a, b):
    world, group, name = data  # a temporary tuple of pyode's: gone once space.collide returns
    assert name == "frame"
    for contact in ode.collide(a, b):
        contact.setBounce(0.2)
        contact.setMu(0)
        ode.ContactJoint(world, group, contact).attach(a.getBody(), b.getBody())


for frame in range(10):
    space.collide((world, group, "frame"), near)
    world.step(1 / 60)
    group.empty()
x = body.getPosition()[0]
print("%s: x = %.4f m, speed = %.4f m/s" % ("PASSED THROUGH" if x > 0 else "stopped", x, body.getLinearVel()[0]))
