#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is first contact at most half of the library? Code and constants count, as `size` calls text.

    test_size.py BUILD SOURCE                 objects of a whole Release build: those of no wing against all
    test_size.py --libraries WINGLESS WHOLE   two built libraries: what a user gets (`./run.sh lane wingless`)

What belongs to a wing is read from algorithms/CMakeLists.txt and plugin/CMakeLists.txt. Prints the figures; exit status 1 above
one half, 77 (skipped) where there is no `size`."""
import json
import os
import re
import shutil
import subprocess
import sys


def text_of(paths):
    told = subprocess.run(["size", *paths], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [int(line.split()[0]) for line in told.splitlines()[1:]]


def objects(build, source):
    """(of no wing, all), bytes."""
    with open(os.path.join(source, "algorithms", "CMakeLists.txt"), encoding="utf-8") as file:
        rooms = re.search(r"# Wings:.*?\n\n", file.read(), re.S).group(0)
    wings = ["/%s/" % name for name in re.findall(r"^brink_room\((\w+)", rooms, re.M)]
    with open(os.path.join(source, "plugin", "CMakeLists.txt"), encoding="utf-8") as file:
        wings += ["/brink_plugin.dir/" + part for part in re.findall(r"^set\(part_of_\w+ ([\w./]+)\)", file.read(), re.M)]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:  # a folder may hold objects of before
        commands = [entry["command"] for entry in json.load(file)]
    found = [os.path.join(build, re.search(r" -o (\S+)", command).group(1)) for command in commands]
    found = [path for path in found if "/brink_room_" in path or "/plugin/CMakeFiles/brink_plugin.dir/" in path]
    assert len(wings) >= 8 and len(found) > 60, "nothing was read: %d wings, %d objects" % (len(wings), len(found))
    sizes = dict(zip(found, text_of(found)))
    return sum(s for path, s in sizes.items() if not any(w in path for w in wings)), sum(sizes.values())


def main():
    if shutil.which("size") is None:
        print("there is no `size`: skipped")
        return 77
    if sys.argv[1] == "--libraries":
        core, whole = text_of(sys.argv[2:4])
    else:
        core, whole = objects(sys.argv[1], sys.argv[2])
    print("first contact %d bytes of %d: %.1f %%" % (core, whole, 100.0 * core / whole))
    return 1 if 2 * core > whole else 0


if __name__ == "__main__":
    sys.exit(main())
