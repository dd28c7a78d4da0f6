# SPDX-License-Identifier: BSD-3-Clause
"""A program of ODE's Python bindings that knows nothing of Brink, saved by one line. Skipped where python3-pyode is not
there. The program is tests/programs/bullet.py: a 1 cm ball at 300 m/s against a 5 mm plate."""
import os
import subprocess
import sys
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "bullet.py")


def run(text, *arguments, **environment):
    """Each in a process of its own: what is bound to ODE's names is decided once a process."""
    return subprocess.run([sys.executable, "-c", text, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=dict(os.environ, **environment))


def there():
    return run("import ode").returncode == 0


@unittest.skipUnless(there(), "Debian's python3-pyode is not installed")
class Ode(unittest.TestCase):
    def setUp(self):
        with open(PROGRAM) as file:
            self.text = file.read()

    def changed(self, *changes):
        text = self.text
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        return text

    def test_one_line_saves_a_program_that_tunnels(self):
        self.assertIn("PASSED THROUGH", run(self.text).stdout)
        for arguments in ((), ("hash",)):
            told = run(self.changed(("import ode\n", "import brink.ode\nimport ode\n")), *arguments)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertIn("stopped", told.stdout)

    def test_quick_steps_too(self):
        told = run(self.changed(("import ode\n", "import brink.ode\nimport ode\n"), ("world.step", "world.quickStep")))
        self.assertIn("stopped", told.stdout, told.stderr)

    def test_attached_worlds_tell_what_happened(self):
        told = run(self.changed(
            ("import ode\n", "import brink.ode\nimport ode\n"),
            ("group = ode.JointGroup()\n",
             "watched = brink.ode.attach(world, space)\ngroup = ode.JointGroup()\nseen = []\n"),
            ("    group.empty()\n", "    group.empty()\n    seen.append(watched.info())\n"),
            ("x = body.getPosition()[0]\n", """x = body.getPosition()[0]
struck = [i for i in seen if i.first_toi is not None]
assert len(struck) == 1 and 0 < struck[0].first_toi < 1 and struck[0].solves > 1, seen
assert all(i.first_toi is None and i.solves == 1 for i in seen if i is not struck[0])
assert abs(watched.distance(plate, ball) - (-x - 0.0125)) < 1e-6
watched.set_memory(ball, 2)
assert watched.memory(ball) == 2
body.setPosition(body.getPosition()[:2] + (3,))
assert watched.memory(ball) == 0
try:
    watched.memory(plate)
    assert False
except brink.BrinkError as error:
    assert "dBrinkGetBodyMemory" in str(error)
for geom in (plate, ball):
    geom.setCategoryBits(0)
    geom.setCollideBits(0)
assert "category" in watched.explain(plate, ball), watched.explain(plate, ball)
""")))
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("stopped", told.stdout)

    def test_settings_count(self):
        told = run(self.changed(
            ("import ode\n", "import brink.ode\nimport ode\n"),
            ("group = ode.JointGroup()\n",
             "watched = brink.ode.attach(world, space)\nwatched.set_enabled(False)\ngroup = ode.JointGroup()\n")))
        self.assertIn("PASSED THROUGH", told.stdout, told.stderr)
        told = run(self.changed(
            ("import ode\n", "import brink.ode\nimport ode\n"),
            ("group = ode.JointGroup()\n",
             "watched = brink.ode.attach(world, space)\nwatched.set_mode('report')\ngroup = ode.JointGroup()\n")))
        self.assertIn("PASSED THROUGH", told.stdout, told.stderr)
        told = run("import brink.ode, ode\nw = brink.ode.attach(ode.World())\nw.set_max_substeps(-1)\n")
        self.assertIn("InputError", told.stderr)
        self.assertIn("dBrinkSetMaxSubsteps", told.stderr)

    def test_the_wrong_order_is_said_not_ignored(self):
        told = run(self.changed(("import ode\n", "import ode\nimport brink.ode\n")))
        self.assertEqual((told.returncode, told.stdout), (1, ""))
        self.assertIn("ImportError: nothing", told.stderr)
        self.assertIn("put `import brink.ode` above the first `import ode`", told.stderr)

    def test_under_the_preload_any_order_will_do(self):
        preload = os.path.join(os.path.dirname(os.environ["BRINK_LIBRARY"]), "libbrink_preload.so")
        told = run(self.changed(
            ("import ode\n", "import ode\nimport brink.ode\n"),
            ("group = ode.JointGroup()\n", "brink.ode.attach(world, space)\ngroup = ode.JointGroup()\n")),
            LD_PRELOAD=preload)
        self.assertIn("stopped", told.stdout, told.stderr)

    def test_a_module_that_is_loaded_again_is_not_late(self):
        told = run("import brink.ode, ode, importlib\nimportlib.reload(brink.ode).attach(ode.World())\n")
        self.assertEqual((told.returncode, told.stderr), (0, ""))

    def test_worlds_come_and_go(self):
        told = run("""
import brink.ode, ode, gc
for i in range(20):
    world, space = ode.World(), ode.HashSpace()
    watched = brink.ode.attach(world, space)
    ball, body = ode.GeomSphere(space, 0.1), ode.Body(world)
    ball.setBody(body)
    for frame in range(3):
        space.collide(None, lambda *a: None)
        world.step(0.01)
    assert watched.info().solves == 1
    del ball, body, watched, space, world
    gc.collect()
print("done")
""")
        self.assertEqual(told.stdout, "done\n", told.stderr)


if __name__ == "__main__":
    unittest.main()
