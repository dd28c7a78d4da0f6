#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Unmodified programs from Debian before and after LD_PRELOAD=libbrink_preload.so, headless.
#
#   tests/programs/run.sh [BUILD FOLDER] [SECONDS A GAME RUNS]
#
# Before: BRINK_MODE=report counts the impacts that plain ODE steps over, or the program itself says that it tunneled.
# After: none tunnels, nothing crashes, no assertion fails. What is not installed is skipped and said. Exit status 1 when a
# line says FAILED. Packages: python3-pyode, libompl-dev with g++, mu-cade, mokomaze, xvfb, xdotool.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd) || exit 2
seconds=${2:-20}
preload=$build/lib/libbrink_preload.so
[ -r "$preload" ] || { echo "run.sh: $preload is not built (ninja -C $build brink_preload)"; exit 2; }
scratch=$(mktemp -d "$build/programs-XXXXXX")
server=
finish() { [ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$scratch"; }
trap finish EXIT
trap 'exit 130' INT TERM
cd "$scratch" || exit 2
HOME=$scratch SDL_AUDIODRIVER=dummy
export HOME SDL_AUDIODRIVER
failed=0

line() { printf '%-34s %-12s %s\n' "$1" "$2" "$3"; }
skip() { line "$1" skipped "$2"; }
fail() { line "$1" FAILED "$2"; failed=1; }

# A program that prints what became of it: tunnels without, none with.
says() { # says NAME COMMAND...
  name=$1
  shift
  before=$("$@" 2>&1 | tail -n 1)
  after=$(BRINK_LOG=says.log LD_PRELOAD=$preload "$@" 2>&1)
  status=$?
  after=$(printf '%s' "$after" | tail -n 1)
  line "$name" before "$before"
  case "$before" in PASSED*) ;; *) fail "$name" "plain ODE should have let it pass" ;; esac
  case "$status $after" in
    "0 PASSED"* | "0 ") fail "$name" "$after" ;;
    "0 "*) line "$name" after "$after" ;;
    *) fail "$name" "exit status $status: $after" ;;
  esac
}

# A game: runs for a while, is then stopped from outside. Its log tells what Brink did.
plays() { # plays NAME KEYS COMMAND...
  name=$1 keys=$2
  shift 2
  for mode in report advance; do
    rm -f game.log game.out
    BRINK_MODE=$mode BRINK_LOG=game.log LD_PRELOAD=$preload timeout -s INT -k 5 "$seconds" "$@" >game.out 2>&1 &
    game=$!
    sleep 2
    if grep -q 'open X11 display' game.out; then # the server was not ready yet
      wait "$game"
      sleep 2
      BRINK_MODE=$mode BRINK_LOG=game.log LD_PRELOAD=$preload timeout -s INT -k 5 "$seconds" "$@" >game.out 2>&1 &
      game=$!
    fi
    if [ -n "$keys" ] && command -v xdotool >/dev/null; then
      sleep 3
      while kill -0 "$game" 2>/dev/null; do
        for key in $keys; do
          xdotool keydown "$key" 2>/dev/null
          sleep 0.7
          xdotool keyup "$key" 2>/dev/null
        done
      done
    fi
    wait "$game"
    status=$?
    total=$(awk '/world ends/ {steps += $4; impacts += $6; clamps += $8; lost += $10; unchecked += $13}
      END {printf "%d steps, %d impacts, %d clamps, %.3g s lost, %d unchecked", steps, impacts, clamps, lost, unchecked}' \
      game.log 2>/dev/null)
    messages=$(grep -c LCP game.out)
    [ "$messages" -gt 0 ] && total="$total; $messages messages of ODE's LCP solver"
    if grep -qE 'ssert|INTERNAL ERROR|egmentation' game.out; then
      fail "$name" "$mode: $(grep -E 'ssert|INTERNAL ERROR|egmentation' game.out | head -n 1)"
    elif [ "$status" -ne 124 ] && [ "$status" -ne 0 ] && [ "$status" -ne 130 ]; then
      fail "$name" "$mode: exit status $status: $(tail -n 1 game.out)"
    elif ! grep -q 'world ends' game.log 2>/dev/null; then
      fail "$name" "$mode: no step came by: $(tail -n 1 game.out)"
    elif [ "$mode" = report ]; then
      line "$name" before "$total"
    else
      line "$name" after "$total"
    fi
  done
}

if /usr/bin/python3 -c 'import ode' 2>/dev/null; then
  says "pyode, simple space" /usr/bin/python3 "$here/bullet.py" simple
  says "pyode, hash space" /usr/bin/python3 "$here/bullet.py" hash
  says "pyode, spinning blade" /usr/bin/python3 "$here/blade.py"
else
  skip pyode "python3-pyode is not installed"
fi

if [ -d /usr/include/ompl-1.5/ompl/extensions/ode ] && command -v g++ >/dev/null; then
  if g++ -O1 -o planner "$here/planner.cpp" -I/usr/include/ompl-1.5 -I/usr/include/eigen3 -lompl -lode 2>planner.log; then
    says "libompl, RRT in an ODE world" ./planner
  else
    fail libompl "$(grep -m 1 error planner.log)"
  fi
else
  skip libompl "libompl-dev or g++ is not installed"
fi

if command -v Xvfb >/dev/null; then
  Xvfb -noreset -displayfd 3 -screen 0 800x600x24 3>display 2>xvfb.log &
  server=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -s display ] && break
    sleep 0.5
  done
  DISPLAY=:$(cat display)
  export DISPLAY
fi
if [ -z "$server" ]; then
  skip "mu-cade, mokomaze" "xvfb is not installed"
else
  if [ -x /usr/games/mu-cade ]; then
    plays "mu-cade, attract mode" "" /usr/games/mu-cade -nosound -window
  else
    skip mu-cade "mu-cade is not installed"
  fi
  if [ -x /usr/games/mokomaze ]; then
    plays "mokomaze, tilted by keys" "Right Down Left Down Right Up" /usr/games/mokomaze -i keyboard -f none
  else
    skip mokomaze "mokomaze is not installed"
  fi
fi
exit "$failed"
