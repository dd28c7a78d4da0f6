#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the playground: build.sh [DIRECTORY], default build-web. ODE and qhull are Debian's source packages, fetched
# with an apt configuration of their own, so that the machine's package lists stay as they are. Writes
# DIRECTORY/playground.html, one file that needs no server. Exit status 77: something is missing, said on stderr.
set -eu
cd "$(dirname "$0")/.."
directory=${1:-build-web}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)

for tool in emcc node cmake ninja apt-get dpkg-source; do
  if ! command -v "$tool" >/dev/null 2>&1; then
    echo "web: $tool is missing (Debian packages: emscripten cmake ninja-build dpkg-dev)" >&2
    exit 77
  fi
done
# Where emscripten's own JavaScript finds Debian's node modules when node is not Debian's.
NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH}
export NODE_PATH

sources="$directory/sources"
unpacked() { find "$sources" -maxdepth 1 -type d -name "$1-*" 2>/dev/null | head -n 1; }
if [ -z "$(unpacked ode)" ] || [ -z "$(unpacked qhull)" ]; then
  apt="$directory/apt"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$sources"
  key=/usr/share/keyrings/debian-archive-keyring.gpg
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $release" 2>/dev/null | head -n 1)
  echo "deb-src [signed-by=$key] ${site:-http://deb.debian.org/debian} $release main" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<EOF
Dir::State::lists "$apt/lists";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "";
EOF
  if ! { APT_CONFIG="$apt/apt.conf" apt-get update -qq &&
    (cd "$sources" && APT_CONFIG="$apt/apt.conf" apt-get source -qq ode qhull); } >"$directory/fetch.log" 2>&1; then
    tail -n 5 "$directory/fetch.log" >&2
    echo "web: Debian's source packages ode and qhull could not be fetched" >&2
    exit 77
  fi
fi

platform=$(dirname "$(readlink -f "$(command -v emcc)")")/cmake/Modules/Platform/Emscripten.cmake
[ -f "$platform" ] || platform=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake
log="$directory/build.log"
cmake -S web -B "$directory/wasm" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$platform" \
  -DODE_SOURCE="$(unpacked ode)" -DQHULL_SOURCE="$(unpacked qhull)" >"$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
ninja -C "$directory/wasm" playground queries >"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
node web/page.mjs web "$directory/wasm/playground.js" "$directory/playground.html"
size=$(wc -c <"$directory/playground.html")
if [ "$size" -gt 3000000 ]; then
  echo "web: playground.html has $size bytes, more than 3,000,000" >&2
  exit 1
fi
echo "web: $directory/playground.html ($size bytes)"
