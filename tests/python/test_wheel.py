# SPDX-License-Identifier: BSD-3-Clause
"""The wheel, built without network by Debian's tools and used from outside of the tree: test_wheel.py BUILD SOURCE CMAKE.
Skipped (77) where python3-setuptools, python3-wheel or python3-pip is not there."""
import glob
import os
import subprocess
import sys
import tempfile

build, source, cmake = sys.argv[1:4]
for module in ("setuptools", "wheel", "pip"):
    if subprocess.run([sys.executable, "-c", "import " + module], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: no %s (Debian: python3-%s)" % (module, module))
        sys.exit(77)
for name in ("LD_PRELOAD", "PYTHONPATH", "BRINK_LIBRARY"):
    os.environ.pop(name, None)


def must(*command, **kw):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)
    if done.returncode != 0:
        sys.exit("%s\nended with %d:\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


with tempfile.TemporaryDirectory(prefix="brink wheel ") as folder:
    must(cmake, "-DBUILD=" + build, "-DSOURCE=" + source, "-DOUT=" + folder, "-DPYTHON=" + sys.executable, "-P",
         os.path.join(source, "python", "wheel.cmake"))
    wheels = glob.glob(os.path.join(folder, "*.whl"))
    assert len(wheels) == 1 and "py3-none-linux" in wheels[0], wheels
    target = os.path.join(folder, "site")
    must(sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", target, wheels[0])
    clean = dict(os.environ, PYTHONPATH=target)
    told = must(sys.executable, "-c", "import brink; print(brink.library_path); c = brink.first_contact(brink.Sphere(1), "
                "brink.Sphere(1), ((1,0,0,0), (-5,0,0)), ((1,0,0,0), (5,0,0))); print(c.state, round(c.toi, 4))",
                cwd=folder, env=clean)
    assert told == os.path.join(target, "brink", "lib", "libbrink.so.1") + "\nhit 0.3\n", told
    must(sys.executable, os.path.join(source, "examples", "python", "tutorial.py"), cwd=folder, env=clean)
    if subprocess.run([sys.executable, "-c", "import ode"], stderr=subprocess.DEVNULL).returncode == 0:
        with open(os.path.join(source, "tests", "programs", "bullet.py")) as file:
            told = must(sys.executable, "-c", "import brink.ode\n" + file.read(), cwd=folder, env=clean)
        assert "stopped" in told, told
    print("wheel:", os.path.basename(wheels[0]), os.path.getsize(wheels[0]) // 1024, "KiB")
