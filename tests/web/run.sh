#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The playground's tests: run.sh NATIVE_QUERIES [DIRECTORY]. Builds the page, compares queries with the native build's
# bits, then plays in headless Chromium. Exit status 77: skipped, with the reason in one line.
set -eu
cd "$(dirname "$0")/../.."
native=$1
directory=${2:-build-web}
skip() {
  echo "skipped: $1"
  exit 77
}
command -v emcc >/dev/null 2>&1 || skip "emscripten is not installed (apt-get install emscripten)"
command -v node >/dev/null 2>&1 || skip "node is not installed (apt-get install nodejs)"
chromium=$(command -v chromium || command -v chromium-browser || true)
[ -n "$chromium" ] || skip "chromium is not installed (apt-get install chromium)"
status=0
web/build.sh "$directory" || status=$?
[ "$status" -ne 77 ] || skip "the playground cannot be built here, see above"
[ "$status" -eq 0 ] || exit "$status"
if command -v musl-gcc >/dev/null 2>&1; then
  cmake -S web -B "$directory/musl" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=musl-gcc \
    -DQHULL_SOURCE="$(find "$directory/sources" -maxdepth 1 -type d -name 'qhull-*' | head -n 1 | xargs readlink -f)" \
    >"$directory/musl.log" 2>&1 && ninja -C "$directory/musl" queries >"$directory/musl.log" 2>&1 ||
    { tail -n 30 "$directory/musl.log"; exit 1; }
fi
node tests/web/bits.mjs "$native" "$directory/wasm/queries.js" ../shared/sample-queries "$directory/musl/queries" || status=1
node tests/web/frames.mjs "$directory/wasm/playground.js" web || status=1
CHROMIUM="$chromium" node tests/web/play.mjs "$directory/playground.html" "$directory/pictures" || status=1
exit "$status"
