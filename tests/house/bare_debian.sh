#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A stranger's machine: bare_debian.sh readme|packages [BUILD]. Makes a bare Debian 12 (debootstrap, minbase) in a scratch
# folder, as root, with the network; removed at the end. Exit status 77: debootstrap or root is missing.
#
#   readme     clones this tree's last commit into it and types the README's first command: is there a picture, after how
#              many seconds of the clock and of the processor? Then what the README says after it.
#   packages   `cpack -G DEB` of BUILD (default build), installed there by apt: programs in C (pkg-config), C++ (CMake) and
#              Python are built and run outside the tree; the manual page, the command, the wheel.
set -eu
what=${1:-}
tree=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${2:-$tree/build}" 2>/dev/null && pwd || echo "$tree/build")
case "$what" in readme | packages) ;; *) sed -n 3,11p "$0" | sed 's/^# \{0,1\}//'; exit 2 ;; esac
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make a chroot"; exit 77; }
command -v debootstrap >/dev/null || { echo "skipped: no debootstrap (apt-get install debootstrap)"; exit 77; }
scratch=$(mktemp -d)
root=$scratch/debian
gone() {
  if mountpoint -q "$root/proc"; then umount "$root/proc" || umount -l "$root/proc" || return 0; fi # rm must not meet it
  rm -rf --one-file-system "$scratch"
}
trap gone EXIT
trap 'exit 1' INT TERM
debootstrap --variant=minbase bookworm "$root" >"$scratch/debootstrap.log" 2>&1 || { tail -n 5 "$scratch/debootstrap.log"; exit 1; }
mount -t proc proc "$root/proc"
[ ! -f /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/srv/new-user"
user=$root/srv/new-user # its home folder; every command runs there
inside() { LC_ALL=C.UTF-8 HOME=/srv/new-user chroot "$root" /bin/bash -euc "cd; $1"; }

if [ "$what" = readme ]; then
  git clone -q "$tree" "$user/brink"
  inside 'cd brink; TIMEFORMAT="README, first command: %R s by the clock, %U s of the processor"; time ./run.sh demo >../demo.log 2>&1' ||
    { tail -n 20 "$user/demo.log"; exit 1; }
  tail -n 1 "$user/demo.log"
  inside 'cd brink; ls -l out/falling_train/contact_sheet.png out/falling_train/run.html out/falling_train/run.glb out/falling_train/frames.csv
    ./run.sh demo --list >/dev/null; build/bin/brink-demo falling_train --picture train.png >/dev/null; test -s train.png
    build/bin/brink generate --seed 7 --count 20 >cases.ccd; build/bin/brink check cases.ccd | wc -l; build/bin/brink clearance cases.ccd | wc -l
    build/bin/brink interference cases.ccd >/dev/null; build/bin/brink certify cases.ccd -o out >/dev/null || test $? = 1
    build/bin/brink verify out/*.cert >/dev/null || test $? = 1
    build/bin/brink --help >/dev/null; printf "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n" >mesh.obj; build/bin/brink cook mesh.obj'
  # The demo's build has no robots from files; `build` brings what they need, into the same folder.
  inside 'cd brink; ./run.sh build; mkdir arm; build/bin/brink robot generate arm; build/bin/brink robot info arm/stand_in_arm.urdf | head -n 1
    build/bin/brink path arm/stand_in_arm.urdf arm/shelf.txt --srdf arm/stand_in_arm.srdf
    apt-get install -y -qq --no-install-recommends python3-numpy >/dev/null; PYTHONPATH=python python3 -c "import brink; print(brink.library_path)"'
  echo "readme: every line works"
  exit 0
fi

ninja -C "$build" python-wheel >"$scratch/log" 2>&1 || { tail -n 5 "$scratch/log"; exit 1; }
mkdir "$user/p"
(cd "$build" && cpack -G DEB -D CPACK_PACKAGE_DIRECTORY="$user/p" -B "$user/p") >"$scratch/log" 2>&1 || { tail -n 5 "$scratch/log"; exit 1; }
rm -rf "$user/p/_CPack_Packages"
cp "$build"/python/brink-*.whl "$user/p/"
cp "$tree/tests/programs/before.c" "$user/p/"
sed -n '/^## A whole program/,/^## Shapes/p' "$tree/docs/abi.md" | sed -n '/^```c$/,/^```$/p' | sed '/^```/d' >"$user/p/needle.c"
sed -n '/^## 3\. The same/,/^## 4/p' "$tree/docs/tutorial.md" | sed -n '/^```c$/,/^```$/p' | sed '/^```/d' >"$user/p/ball.c"
cat >"$user/p/all.cpp" <<'END_CPP'
#include <brink/ode_redirect.h>
#include <brink/ccd.h>
#include <brink/cook.h>
#include <brink/ode.h>
#include <brink/ompl.hpp>
#include <cstdio>
int main() {
  dInitODE2(0);
  dWorld world;
  brinkWorld *own = nullptr;
  const brinkPlugin *brink = brinkEntry(BRINK_ABI_MAJOR, nullptr);
  if (brink == nullptr || brink->createWorld(nullptr, nullptr, &own) != brink_ok) return 1;
  std::printf("C++ with Brink %s\n", brink->version);
  return brink->destroyWorld(own) == brink_ok ? 0 : 1;
}
END_CPP
sed -i '/ompl.hpp/d' "$user/p/all.cpp" # OMPL is a package of its own
cat >"$user/p/CMakeLists.txt" <<'END_CMAKE'
cmake_minimum_required(VERSION 3.16)
project(outside CXX)
find_package(brink REQUIRED COMPONENTS ode)
add_executable(consumer all.cpp)
target_link_libraries(consumer PRIVATE brink::ode)
END_CMAKE
inside 'cd p; export DEBIAN_FRONTEND=noninteractive; apt-get update -qq
  apt-get install -y -qq --no-install-recommends ./libbrink1_*.deb ./libbrink-ode1_*.deb ./libbrink-robots1_*.deb ./libbrink-dev_*.deb ./brink-tools_*.deb ./python3-brink_*.deb \
    gcc g++ libc6-dev cmake make pkg-config libode-dev python3-pyode python3-venv >../apt.log 2>&1 || { tail -n 20 ../apt.log; exit 1; }
  echo "installed: $(dpkg-query -W -f "\${Package} " "libbrink*" "brink-tools" "python3-brink")"
  brink --version; brink generate --count 3 | brink check - | wc -l; ls /usr/share/man/man1/brink.1*
  cc needle.c $(pkg-config --cflags --libs brink) -o needle; ./needle
  cc ball.c $(pkg-config --cflags --libs brink_ode) -o ball; ./ball
  cmake -S . -B b >/dev/null; cmake --build b >/dev/null; b/consumer
  cc before.c $(pkg-config --cflags --libs ode) -o before; ./before | tail -n 1; LD_PRELOAD=libbrink_preload.so ./before | tail -n 1
  python3 -c "import brink; print(\"Python with Brink\", brink.__version__, brink.first_contact(brink.Sphere(0.1), brink.Box((0.005, 1, 1)), ((1, 0, 0, 0), (-5, 0, 0)), ((1, 0, 0, 0), (5, 0, 0))).toi)"
  cat >ball.py <<END_PY
import brink.ode
import ode
world, space, group = ode.World(), ode.HashSpace(), ode.JointGroup()
wall, ball, shape = ode.GeomBox(space, (0.02, 4, 4)), ode.Body(world), ode.GeomSphere(space, 0.01)
shape.setBody(ball), ball.setPosition((-20, 0, 0)), ball.setLinearVel((100, 0, 0))
def near(data, a, b):
    for contact in ode.collide(a, b):
        ode.ContactJoint(world, group, contact).attach(a.getBody(), b.getBody())
for frame in range(20):
    space.collide(None, near), world.step(1 / 60), group.empty()
print("pyode:", "stopped by the wall" if ball.getPosition()[0] < 0 else "through")
END_PY
  python3 ball.py
  apt-get remove -y -qq python3-brink libbrink-ode1 libbrink-robots1 libbrink1 libbrink-dev brink-tools >/dev/null 2>&1
  python3 -m venv --system-site-packages own; own/bin/pip install -q --no-index --no-deps brink-*.whl
  own/bin/python -c "import brink; print(\"wheel:\", brink.__version__, brink.__file__)"; own/bin/python ball.py'
echo "packages: C, C++ and Python consumers run"
