#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Unmodified programs from Debian before and after LD_PRELOAD=libbrink_preload.so, headless.
#
#   tests/programs/run.sh [BUILD FOLDER] [SECONDS A GAME RUNS] [TIMES EACH GAME RUNS]
#
# Before: BRINK_MODE=report counts the impacts that plain ODE steps over, or the program itself says that it tunneled.
# After: none tunnels, nothing crashes, no assertion fails. In games judge.c, which knows nothing of Brink, counts what
# went through something in both, and apart from it what was pressed through something that it was in already. What is
# not installed is skipped and said. Exit status 1 when a line says FAILED. Packages: python3-pyode, libompl-dev with
# g++, mu-cade, mokomaze, stormbaancoureur, xvfb, xdotool; for the judge a C compiler and libode-dev.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd) || exit 2
seconds=${2:-20}
times=${3:-1}
loading=240 # s, at most
preload=$build/lib/libbrink_preload.so
[ -r "$preload" ] || { echo "run.sh: $preload is not built (ninja -C $build brink_preload)"; exit 2; }
scratch=$(mktemp -d "$build/programs-XXXXXX")
server=
finish() { [ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$scratch"; }
trap finish EXIT
trap 'exit 130' INT TERM
cd "$scratch" || exit 2
HOME=$scratch SDL_AUDIODRIVER=dummy LIBGL_ALWAYS_SOFTWARE=1
PLODE_NO_SOUND=1 PLODE_NO_SHADOWS=1 PLODE_LOW_DETAIL=1 # stormbaancoureur
export HOME SDL_AUDIODRIVER LIBGL_ALWAYS_SOFTWARE PLODE_NO_SOUND PLODE_NO_SHADOWS PLODE_LOW_DETAIL
failed=0
judge=
if cc -O1 -shared -fPIC -o judge.so "$here/judge.c" -ldl -lm 2>judge.err; then
  judge=$scratch/judge.so:
fi

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

# What Brink's log says of one run.
total() {
  awk '/so far:/ {pending = $0}
    /world ends:/ {add($0); pending = ""}
    function add(text, part) {
      split(text, part, /[:,] */)
      steps += part[3]; impacts += part[4]; clamps += part[5]; lost += part[6]; unchecked += part[7]
    }
    END {if (pending != "") add(pending)
      printf "%d steps, %d impacts, %d clamps, %.3g s lost, %d unchecked", steps, impacts, clamps, lost, unchecked}' \
    game.log 2>/dev/null
}

# What went through something else in one run, of kinds that make contacts in any run of the game.
through() { # through RUN (crossed | pressed)
  awk '$1 == "wanted" {wanted[$2 " " $3] = 1}
    $1 == how && FILENAME == run {passed[$2 " " $3]++}
    END {for (kinds in passed) if (kinds in wanted) count += passed[kinds]
      printf "%d", count}' run="judge-$1.log" how="$2" judge-*.log
}

# Starts a game and waits until it steps its world; loading takes its time.
start() { # start RUN MODE COMMAND...
  JUDGE_LOG=judge-$1.log BRINK_MODE=$2
  export JUDGE_LOG BRINK_MODE
  shift 2
  BRINK_LOG=game.log LD_PRELOAD=$judge$preload timeout -s INT -k 5 "$((seconds + loading))" "$@" >game.out 2>&1 &
  game=$! waited=0
  while [ "$waited" -lt "$loading" ] && kill -0 "$game" 2>/dev/null && ! grep -q 'so far' game.log 2>/dev/null; do
    [ -n "$keys" ] && [ "$waited" -gt 5 ] && press "${keys%% *}" # the first one leads from the menu to the game
    waited=$((waited + 1))
    sleep 1
  done
}

# A busy or slow machine: the game gets 20 ms at a time.
stutter() { # stutter PROCESS GROUP
  while kill -STOP "-$1" 2>/dev/null; do
    sleep 0.08
    kill -CONT "-$1" 2>/dev/null
    sleep 0.02
  done
}

press() { # press KEY[+KEY...]...
  command -v xdotool >/dev/null || return
  xdotool mousemove 100 100 2>/dev/null # without a window manager keys go to the window under the pointer
  for key in "$@"; do
    together=$(echo "$key" | tr + ' ')
    xdotool keydown $together 2>/dev/null
    sleep 0.7
    xdotool keyup $together 2>/dev/null
  done
}

# A game: runs for a while, is then stopped from outside. Its log tells what Brink did.
plays() { # plays NAME (steady | stutters) (any | tunnels: with plain ODE) KEYS COMMAND...
  name=$1 machine=$2 expected=$3 keys=$4 run=0 tunneled=0
  shift 4
  rm -f judge-*.log runs
  for mode in $modes; do
    run=$((run + 1))
    rm -f game.log game.out
    : >"judge-$run.log"
    start "$run" "$mode" "$@"
    if grep -q 'open X11 display' game.out; then # the server was not ready yet
      wait "$game"
      start "$run" "$mode" "$@"
    fi
    stutterer=
    [ "$machine" = stutters ] && { stutter "$game" & stutterer=$!; }
    stop=$(($(date +%s) + seconds))
    while kill -0 "$game" 2>/dev/null && [ "$(date +%s)" -lt "$stop" ]; do
      press $keys
      sleep 0.2
    done
    [ -n "$stutterer" ] && { kill "$stutterer"; kill -CONT "-$game"; } 2>/dev/null
    kill -INT "$game" 2>/dev/null
    wait "$game"
    status=$?
    totals=$(total)
    messages=$(grep -c LCP game.out)
    [ "$messages" -gt 0 ] && totals="$totals; $messages messages of ODE's LCP solver"
    if grep -qE 'ssert|INTERNAL ERROR|egmentation' game.out; then
      fail "$name" "$mode: $(grep -E 'ssert|INTERNAL ERROR|egmentation' game.out | head -n 1)"
    elif [ "$status" -ne 124 ] && [ "$status" -ne 0 ] && [ "$status" -ne 130 ]; then
      fail "$name" "$mode: exit status $status: $(tail -n 1 game.out)"
    elif ! grep -qE 'world ends|so far' game.log 2>/dev/null; then
      fail "$name" "$mode: no step came by: $(tail -n 1 game.out)"
    else
      echo "$run $mode $totals" >>runs
      case "$mode $totals" in report*|*" 0 unchecked"*) ;; *) fail "$name" "steps were not checked: $totals" ;; esac
    fi
  done
  [ -r runs ] || return
  while read -r run mode totals; do
    when=after
    [ "$mode" = report ] && when=before
    passed= judged=
    [ -n "$judge" ] && passed=$(through "$run" crossed) &&
      judged="; judge: $passed through, $(through "$run" pressed) pressed through"
    line "$name" "$when" "$totals$judged"
    [ "$when" = before ] && tunneled=$((tunneled + ${passed:-1}))
    [ "$when" = after ] && [ "${passed:-0}" -ne 0 ] && fail "$name" "the judge saw something go through"
  done <runs
  [ "$expected" = tunnels ] && [ "$tunneled" -eq 0 ] && fail "$name" "plain ODE should have let something through"
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
  skip "mu-cade, mokomaze, stormbaancoureur" "xvfb is not installed"
else
  modes=
  i=0
  while [ "$i" -lt "$times" ]; do
    modes="report $modes advance"
    i=$((i + 1))
  done
  if [ -x /usr/games/mu-cade ]; then
    plays "mu-cade, ship by keys" steady any "z+Up z+Right z+Down z+Left" \
      /usr/games/mu-cade -nosound -window -res 320 240
  else
    skip mu-cade "mu-cade is not installed"
  fi
  if [ -x /usr/games/mokomaze ]; then
    mkdir -p .mokomaze # the highest speed and a tilt that the game's own settings offer
    sed 's/"ball_speed": [0-9.]*/"ball_speed": 3.0/; s/"sensitivity": [0-9.]*/"sensitivity": 1.5/' \
      /usr/share/mokomaze/config.json >.mokomaze/user.json
    plays "mokomaze, slow machine, fast ball" stutters tunnels "Up Right Down Left" \
      /usr/games/mokomaze -i keyboard -f none -s true -l 1
  else
    skip mokomaze "mokomaze is not installed"
  fi
  if [ ! -x /usr/games/stormbaancoureur ]; then
    skip stormbaancoureur "stormbaancoureur is not installed"
  elif ! command -v xdotool >/dev/null; then
    skip stormbaancoureur "xdotool is not installed: a race is begun by a key"
  else
    plays "stormbaancoureur, driven by keys" steady any "space a a a comma a a period a" \
      /usr/games/stormbaancoureur -window -geometry 320x240
  fi
fi
exit "$failed"
