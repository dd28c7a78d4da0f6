#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Are the Debian packages whole? packages.sh BUILD SOURCE CC. Made by cpack into a scratch folder, unpacked side by side
# as a machine would have them, and used from there: the command, a C program, Python. Skipped (77) without dpkg-dev.
set -eu
unset BRINK_LIBRARY LD_LIBRARY_PATH PYTHONPATH
build=$1 source=$2 cc=$3
for tool in cpack dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool (Debian: cmake, dpkg-dev)"; exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*"; exit 1; }

(cd "$build" && cpack -G DEB -D CPACK_PACKAGE_DIRECTORY="$scratch" -B "$scratch") >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
for name in libbrink1 libbrink-ode1 libbrink-robots1 libbrink-dev brink-tools python3-brink; do
  set -- "$scratch/$name"_*.deb
  [ -f "$1" ] || fail "no package $name"
  [ "$(dpkg-deb -f "$1" Package)" = "$name" ] || fail "$1 has another name inside"
  dpkg-deb -x "$1" "$scratch/unpacked"
  [ -f "$scratch/unpacked/usr/share/doc/$name/copyright" ] || fail "$name: no copyright file"
  dpkg-deb -c "$1" | grep -v '^d' | awk '{print $6}' | grep '^\./' | sort >"$scratch/$name.files"
  dpkg-deb -c "$1" | awk '{print $2}' | grep -v '^root/root$' && fail "$name: files that are not root's"
done
depends() { dpkg-deb -f "$scratch/$1"_*.deb Depends; }
case "$(depends libbrink1)" in *libqhull-r8.0*) ;; *) fail "libbrink1 needs libqhull: $(depends libbrink1)" ;; esac
case "$(depends libbrink-ode1)" in *libbrink1*libode8*) ;; *) fail "libbrink-ode1: $(depends libbrink-ode1)" ;; esac
case "$(depends libbrink-robots1)" in *libbrink1*libassimp5*) ;; *) fail "libbrink-robots1: $(depends libbrink-robots1)" ;; esac
case "$(depends brink-tools)" in *libbrink1*libassimp5*) ;; *) fail "brink-tools: $(depends brink-tools)" ;; esac
case "$(depends python3-brink)" in *python3-numpy*libbrink1*) ;; *) fail "python3-brink: $(depends python3-brink)" ;; esac
for name in libbrink1 libbrink-ode1 libbrink-robots1; do
  dpkg-deb --ctrl-tarfile "$scratch/$name"_*.deb | tar xO ./triggers | grep -q ldconfig || fail "$name: no ldconfig trigger"
done
cat "$scratch"/*.files | sort | uniq -d | grep . && fail "files in two packages"
grep -q 'libbrink.so$' "$scratch/libbrink1.files" && fail "the development link is in the runtime package"

usr=$scratch/unpacked/usr
grep -rIl "$source/\(tools\|plugin\)/" "$usr" && fail "packages know the tree they came from"
[ "$("$usr/bin/brink" --version)" = "brink $(dpkg-deb -f "$scratch"/brink-tools_*.deb Version)" ] || fail "another version"
"$usr/bin/brink" generate --count 3 | "$usr/bin/brink" check - >"$scratch/answers"
[ "$(wc -l <"$scratch/answers")" = 3 ] || fail "the command does not answer"
grep -q '^.TH BRINK 1' "$usr/share/man/man1/brink.1" || fail "no manual page"
grep -q rpath "$usr/lib/pkgconfig/brink.pc" && fail "a system package needs no rpath"
cat >"$scratch/p.c" <<'END'
#include <brink/ccd.h>
int main(void) { return brinkEntry(BRINK_ABI_MAJOR, 0) == 0; }
END
"$cc" "$scratch/p.c" -I"$usr/include" -L"$usr/lib" -lbrink -o "$scratch/p"
LD_LIBRARY_PATH=$usr/lib "$scratch/p"
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$usr/lib/python3/dist-packages /usr/bin/python3 "$usr/share/doc/brink/examples/python/tutorial.py" >"$scratch/tutorial"
  tail -n 1 "$scratch/tutorial" | grep -qx done || fail "the tutorial: $(cat "$scratch/tutorial")"
fi
echo "six packages:" "$(du -ch "$scratch"/*.deb | tail -n 1 | cut -f 1)"
