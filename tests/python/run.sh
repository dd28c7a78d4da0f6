#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a test of the Python package under CTest: run.sh PYTHON SCRIPT [ARGUMENT...]. Ends with 77, which CTest calls
# skipped, and says why, where Python or numpy is not there.
python=$1
shift
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
  echo "skipped: '$python' is no Python 3.9 or later (Debian: python3)"
  exit 77
fi
if ! BRINK_SANITIZER_PRELOAD= "$python" -c 'import numpy' 2>/dev/null; then
  echo "skipped: '$python' has no numpy (Debian: python3-numpy)"
  exit 77
fi
# A sanitized library is loaded into a plain interpreter: the sanitizer's runtime has to come first.
if [ -n "$BRINK_SANITIZER_PRELOAD" ]; then
  LD_PRELOAD=$BRINK_SANITIZER_PRELOAD
  ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
  export LD_PRELOAD ASAN_OPTIONS
fi
exec "$python" "$@"
