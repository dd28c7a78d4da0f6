#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The README's commands. POSIX sh; installs the Debian packages that are missing (with sudo where not root), builds out
# of tree in build/, then runs.
#
#   ./run.sh build              build everything
#   ./run.sh demo [SCENE] ...   run a demo (default falling_train); results in out/SCENE/
#   ./run.sh test               build (in build-test/) and run all tests, then the same tests under ASan and UBSan
#   ./run.sh test --quick       the quick tests of every room, in less than a minute once built
#   ./run.sh test NAME          one room (a folder of tests/), one test (test_gjk) or one case by its function's name
#   ./run.sh lane NAME          one lane of checks: clang threads wingless format tidy docs (CONTRIBUTING.md tells what each holds)
#   ./run.sh format             the C sources as clang-format wants them
#   ./run.sh tidy [FILE...]     clang-tidy over all C sources, or these; 0 findings is what is wanted
#   ./run.sh bench ...          build and run the benchmarks
#   ./run.sh docs               the reference of every public header, by Doxygen: build-docs/index.html
#   ./run.sh web [--test]       build-web/playground.html: plain ODE and Brink side by side in a browser, one file
set -eu
cd "$(dirname "$0")"

packages="gcc libc6-dev cmake ninja-build pkg-config libode-dev libassimp-dev libqhull-dev libcmocka-dev libstb-dev libjs-three fonts-dejavu-core python3"

# What the tests of robots and of the Python package use; without them those tests say that they are skipped.
test_packages="g++ liburdfdom-dev python3 python3-numpy python3-pyode python3-setuptools python3-wheel python3-pip mypy dpkg-dev doxygen"

targets="" # of the build; empty: all

say() { printf '%s\n' "run.sh: $*"; }

install_packages() { # install_packages [more packages]
  packages="$packages${1:+ $1}"
  if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    missing=""
    for tool in cc cmake ninja pkg-config; do
      command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
    done
    if [ -z "$missing" ] && pkg-config --exists ode assimp qhull_r cmocka; then
      return 0
    fi
    say "this is not Debian; please install the equivalents of these Debian packages and run again:"
    say "  $packages"
    exit 1
  fi
  missing=""
  for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case "$state" in
      ii*) ;;
      *) missing="$missing $package" ;;
    esac
  done
  [ -z "$missing" ] && return 0
  say "installing Debian packages:$missing"
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      say "not root and no sudo; please run as root:  apt-get install --no-install-recommends$missing"
      exit 1
    fi
    as_root="sudo"
  fi
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

build() { # build DIRECTORY [cmake options]
  directory=$1
  shift
  cmake -S . -B "$directory" -G Ninja "$@" >"$directory.log" 2>&1 || { cat "$directory.log"; exit 1; }
  # shellcheck disable=SC2086
  if [ -t 1 ]; then
    ninja -C "$directory" $targets
  else
    ninja -C "$directory" $targets >"$directory.log" 2>&1 || { tail -n 60 "$directory.log"; exit 1; }
  fi
}

test_one() { # test_one ROOM|TEST|CASE [ctest options]
  name=$1
  shift
  if [ -d "tests/$name" ]; then
    exec ctest --test-dir build-test --output-on-failure -j 2 -L "^$name\$" --no-tests=error "$@"
  fi
  case "$name" in
    test_*) exec ctest --test-dir build-test --output-on-failure -R "^$name\$" --no-tests=error "$@" ;;
  esac
  found=$(grep -lE "^[A-Z_]+\(${name}[,)]" tests/*/test_*.c || true)
  if [ -z "$found" ]; then
    say "'$name' is no folder of tests/, no test_... and no case of one"
    exit 2
  fi
  for source in $found; do
    BRINK_TEST_CASE=$name "build-test/bin/$(basename "$source" .c)" || exit 1
  done
  exit 0
}

# Tests that start threads: what ThreadSanitizer is for.
threaded='^(test_bad_input|test_threads|test_robot|test_inverse_path_plugin|example_arm)$'

clang_build() {
  build build-clang -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
    -DBRINK_WERROR=ON -DBRINK_SWEPT_HULL=ON
}

lane() { # lane NAME: a folder of its own each; CC and CMake's launcher variables as the environment says
  case "$1" in
    clang)
      install_packages "$test_packages clang"
      clang_build
      ctest --test-dir build-clang --output-on-failure -j 2 -L '^quick$'
      ;;
    threads)
      install_packages "$test_packages"
      build build-threads -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBRINK_SANITIZE_THREADS=ON -DBRINK_BUILD_BENCHMARK=OFF
      TSAN_OPTIONS="halt_on_error=1 suppressions=$(pwd)/tests/tsan.supp" \
        ctest --test-dir build-threads --output-on-failure -j 2 -R "$threaded"
      ;;
    wingless)
      install_packages "$test_packages"
      build build-wingless -DCMAKE_BUILD_TYPE=Release -DBRINK_WINGS= -DBRINK_WERROR=ON
      ctest --test-dir build-wingless --output-on-failure -j 2
      targets=brink
      build build-whole -DCMAKE_BUILD_TYPE=Release -DBRINK_SWEPT_HULL=ON
      python3 tests/house/test_size.py --libraries build-wingless/lib/libbrink.so build-whole/lib/libbrink.so
      ;;
    format)
      install_packages "clang-format"
      git ls-files '*.[ch]' | xargs clang-format --dry-run -Werror
      ;;
    tidy)
      exec "$0" tidy
      ;;
    docs)
      "$0" docs
      install_packages "$test_packages"
      build build-test -DCMAKE_BUILD_TYPE=Release -DBRINK_SWEPT_HULL=ON
      ctest --test-dir build-test --output-on-failure -j 2 -R '^(test_docs|test_reference|test_names)$'
      ;;
    *)
      say "lanes: clang threads wingless format tidy docs; not '$1'"
      exit 2
      ;;
  esac
  say "lane $1: passed"
}

command=${1:-help}
[ $# -gt 0 ] && shift
case "$command" in
  build)
    install_packages "g++ liburdfdom-dev" # robots from files
    build build -DCMAKE_BUILD_TYPE=Release "$@"
    say "built: build/bin (brink, brink-demo, brink-bench), build/lib (libbrink.so, libbrink_ode.so)"
    ;;
  demo)
    install_packages
    targets="brink-demo brink-command brink_preload" # the tests and benchmarks can wait: a picture soon
    build build -DCMAKE_BUILD_TYPE=Release
    exec build/bin/brink-demo "$@"
    ;;
  bench)
    install_packages
    build build -DCMAKE_BUILD_TYPE=Release
    exec build/bin/brink-bench "$@"
    ;;
  test)
    packages="$packages $test_packages"
    install_packages
    build build-test -DCMAKE_BUILD_TYPE=Release -DBRINK_SWEPT_HULL=ON
    case "${1:-}" in
      --quick)
        shift
        exec ctest --test-dir build-test --output-on-failure -j 2 -L '^quick$' "$@"
        ;;
      [a-z]*)
        test_one "$@"
        ;;
    esac
    build build-sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBRINK_SANITIZE=ON -DBRINK_SWEPT_HULL=ON -DBRINK_BUILD_BENCHMARK=OFF
    say "tests, release build"
    status=0
    ctest --test-dir build-test --output-on-failure -j 2 "$@" || status=$?
    say "tests, AddressSanitizer and UndefinedBehaviorSanitizer"
    ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions="$(pwd)/tests/lsan.supp" \
      ctest --test-dir build-sanitize --output-on-failure -j 2 "$@" || status=$?
    exit "$status"
    ;;
  lane)
    lane "${1:-}"
    ;;
  format)
    install_packages "clang-format"
    git ls-files '*.[ch]' | xargs clang-format -i
    git --no-pager diff --stat
    ;;
  tidy)
    install_packages "$test_packages clang-tidy clang"
    clang_build # it does not know all options of gcc
    if [ $# -gt 0 ]; then
      exec clang-tidy -p build-clang --quiet "$@"
    fi
    # what is built here: brink-mpi, say, only where there is MPI
    git ls-files '*.c' | grep -v '^tests/\|^web/' | while read -r file; do
      ! grep -q "/$file\"" build-clang/compile_commands.json || printf '%s\n' "$file"
    done | xargs -P 2 -n 8 clang-tidy -p build-clang --quiet
    ;;
  web)
    case "${1:-}" in
      "")
        install_packages "emscripten dpkg-dev"
        web/build.sh build-web || exit 1
        say "open build-web/playground.html in a browser; it needs no server"
        ;;
      --test)
        install_packages "emscripten dpkg-dev chromium musl-tools"
        build build -DCMAKE_BUILD_TYPE=Release
        BRINK_WEB_TIMES=1 exec tests/web/run.sh "$(pwd)/build/bin/brink-web-queries" build-web
        ;;
      *)
        say "web takes no option but --test, not '$1'"
        exit 2
        ;;
    esac
    ;;
  docs)
    packages="doxygen python3"
    install_packages
    mkdir -p build-docs
    version=$(sed -n 's/^project(brink VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
    BRINK_SOURCE=$(pwd) BRINK_REFERENCE=$(pwd)/build-docs BRINK_VERSION=$version doxygen docs/reference/Doxyfile
    say "open build-docs/index.html in a browser"
    ;;
  *)
    sed -n '3,16p' "$0" | sed 's/^# \{0,1\}//'
    [ "$command" = help ] || exit 2
    ;;
esac
