#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes the manual page brink(1) from what the command says of itself:  manual.sh BRINK OUT
set -eu
brink=$1 out=$2

# Text as it stands, for nroff: backslashes and leading dots or quotes mean something there.
asItIs() {
  printf '.nf\n'
  sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"
  printf '.fi\n'
}

verbs=$("$brink" --help | sed -n '/^Commands:/,/^Each has/p' | awk '/^  [a-z]/ {print $1}')
test -n "$verbs" || { echo "manual.sh: '$brink --help' lists no commands" >&2; exit 1; }
{
  printf '.TH BRINK 1 "" "%s" "User Commands"\n' "$("$brink" --version)"
  printf '.SH NAME\nbrink \\- continuous collision detection: when do moving things first touch?\n'
  printf '.SH SYNOPSIS\n.B brink\n.I COMMAND\n.RI [ ARGUMENT ...]\n'
  printf '.SH DESCRIPTION\n'
  "$brink" --help | asItIs
  for verb in $verbs; do
    printf '.SH "brink %s"\n' "$verb"
    "$brink" "$verb" --help | asItIs
  done
  printf '.SH FILES\nThe formats of cases, scenes, motions and answers are described in formats.md of the documentation, those of certificates in certificate.md.\n'
} >"$out.new"
mv "$out.new" "$out"
