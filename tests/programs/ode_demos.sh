#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds ODE's own demos without a window: Debian's source package of the ODE that is installed, drawstuff_stub.c in
# place of drawstuff. For brink-acceptance ode-demos.
#
#   tests/programs/ode_demos.sh FOLDER [SOURCE]
#
# SOURCE: an unpacked ODE; else it is fetched by apt-get into FOLDER, with lists and settings of its own there: the
# machine's stay as they are. Writes FOLDER/demo_*, FOLDER/judge.so, and FOLDER/built when it is done. Exit status 3: the
# source cannot be had (no apt-get, no network), which is said in one line.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 source=${2:-}
mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)
skip() { echo "ode_demos.sh: $*"; exit 3; }

fetch() { # into $folder/source; sets $source
  command -v apt-get >/dev/null || skip "no apt-get"
  version=$(dpkg-query -W -f '${Version}' libode-dev 2>/dev/null) || skip "libode-dev is not installed"
  apt=$folder/apt
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/etc" "$folder/source"
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")
  cat >"$apt/debian.sources" <<EOF
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
EOF
  set -- -o Dir::Etc::sourcelist="$apt/debian.sources" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$apt/lists" \
    -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root
  timeout 120 apt-get "$@" -q update >"$apt/log" 2>&1 || skip "apt-get update failed: $(tail -n 1 "$apt/log")"
  (cd "$folder/source" && timeout 120 apt-get "$@" -q source --download-only "ode=$version" >>"$apt/log" 2>&1) ||
    skip "apt-get source failed: $(tail -n 1 "$apt/log")"
  tar -C "$folder/source" -xf "$folder"/source/ode_*.orig.tar.* || skip "tar failed"
  source=$(echo "$folder"/source/ode-*/)
}

[ -n "$source" ] || fetch
demos=$source/ode/demo
[ -d "$demos" ] || skip "$source holds no ode/demo"
command -v g++ >/dev/null || skip "no g++"

# Headers of the ODE that is installed, drawstuff's of the source.
mkdir -p "$folder/include"
cp -r "$source/include/drawstuff" "$folder/include/"
flags="-O1 -w -I$folder/include -I$demos $(pkg-config --cflags ode)"
gcc $flags -c "$here/drawstuff_stub.c" -o "$folder/stub.o" || exit 1
gcc -O1 -shared -fPIC -o "$folder/judge.so" "$here/judge.c" -ldl -lm || exit 1
failed=
for file in "$demos"/demo_*.cpp "$demos"/demo_*.c; do
  [ -r "$file" ] || continue
  name=$(basename "$file")
  name=${name%.*}
  compiler=g++
  case $file in *.c) compiler=gcc ;; esac
  $compiler $flags -o "$folder/$name" "$file" "$folder/stub.o" -lode -ldl -lm 2>"$folder/$name.log" || failed="$failed $name"
done
echo "not built:$failed" >"$folder/built"
