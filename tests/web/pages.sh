#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All pages that Brink writes, looked at in headless Chromium: pages.sh BIN. BIN holds brink-demo and brink. Writes
# out/ and pictures/ into the folder build-pages, made anew where it is called. Exit status 77: skipped, with the reason.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
for tool in node chromium; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool (Debian: nodejs, chromium)"; exit 77; }
done
rm -rf build-pages
mkdir -p build-pages/out/show
cd build-pages
"$bin/brink-demo" all
"$bin/brink" generate --seed 7 --count 15 >cases.ccd # one of every class
sed -n 's/^name //p' cases.ccd | while read -r name; do
  "$bin/brink" show cases.ccd --case "$name" -o "out/show/$name.html"
done
node "$here/pages.mjs" out pictures
