#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How is the house of the ODE glue and the stepping floor built? Prints figures and holds those that are reached.

    test_house.py SOURCE_DIR [--print]

Counted in ode_glue/ and plugin/stepping/, folders below them included:

  include circles   files that include each other, directly or not
  upward includes   a header of a higher room (ROOMS, lowest first)
  call circles      .c files whose functions call each other's, directly or not; a function that is handed over by name
                    counts as called
  upward calls      a function of a higher room
  structs           with more than 40 fields; fields of unnamed structs and unions inside count, named ones count once
  constants         names #defined as a plain number that tune the response: NO_TUNING lists the others, with reasons.
                    What is #defined by other names is derived from them and is not counted again; both stand in
                    TUNING alone
  lines             of ode_glue, its public headers left out

Source text is read, not object files: a build without ODE counts the same.
"""
import os
import re
import sys

# A file may include and call its own room and those before it. What lies in ode_glue itself is ODE's side of the step
# (docs/step.md).
ROOMS = ["plugin/stepping", "ode_glue/base", "ode_glue/mirror", "ode_glue", "ode_glue/inspect", "ode_glue/hooks"]
AS_IF_IN = {"ode_glue/dxbrink.h": "ode_glue/base"}  # what all rooms share

MOST_FIELDS = 40

TUNING = "plugin/stepping/tuning.h"

# What a number decides that is no matter of tuning.
NO_TUNING = {
    "DX_BRINK_SUPPORT": "a mark for a class",
    "BRINK_STEP_MESH_SAMPLES": "how many samples are kept of a mesh",
    "BRINK_STEP_PAIR_DROPPED": "a bit",
    "BRINK_STEP_PAIR_HAD_CONTACTS": "a bit",
    "BRINK_STEP_PAIR_ALONE": "a bit",
    "BRINK_STEP_PAIR_MOVED": "a bit",
    "BRINK_STEP_PAIR_AT_LIMIT": "a bit, from which on a number of times is counted",
    "DX_BRINK_FETCH_AHEAD": "a hint to the processor",
    "FETCH_AHEAD": "a hint to the processor",
    "DX_BRINK_MANY_JOINTS": "how long a list is walked joint by joint: work",
    "BRINK_STEP_LARGEST": "of what engines can multiply",
    "BRINK_STEP_UNLIMITED": "stands for infinity",
    "HOOK_TOLD": "size of a table",
    "TOTALS_EVERY": "how often a log line comes",
    "MAX_PATH": "size of a buffer",
    "MAX_SPACE_DEPTH": "of nested spaces, an error beyond",
    "BRINK_STEP_CHORD_TO_TURN": "a bound of 4 asin(c/2), proven beside it",
    "MOST_LOOKS": "work of a search for a root",
    "HALVINGS": "work of a search for a root",
    "MAX_CONTACTS": "size of a buffer",
    "MAX_CONVEX_VERTICES": "size of a buffer",
    "MAX_OWN_CONTACTS": "size of a buffer",
    "MAX_POINTS": "size of a buffer",
    "BRINK_STEP_MOST_POINTS": "size of a buffer",
    "MAX_OUTSIDERS": "size of a cache",
    "ROUNDS": "work of an iteration",
    "JOINT_MOVED": "rounding of ODE's getters",
    "DX_BRINK_ODE_SEES": "rounding of ODE's colliders",
    "ARRIVED": "rounding of a step",
    "DEFAULT_THRESHOLD": "ODE's own default",
    "USUAL_STEP": "stands in where there was no step yet",
    "LONGEST_BAND": "stands for infinity",
    "NOT_MINE": "a mark",
    "DEFAULT_ORDER": "of the Taylor models, a setting",
    "DEFAULT_SUBSTEPS": "a setting",
}

# Files whose numbers tell shapes apart; no impact depends on them.
NO_TUNING_IN = {
    "ode_glue/mirror/heights.c": "rays that tell heights",
    "plugin/stepping/field.c": "how the samples of a heightfield are found",
    "plugin/stepping/thickness.c": "which meshes are flat or sheets",
}

# Ceilings: what is reached, with some room where the step is being worked on. They only come down; the bar is where
# they are to end.
#            figure              ceiling  bar
HOLD = [
    ("include circles", 0, 0),
    ("upward includes", 0, 0),
    ("files in call circles", 0, 0),
    ("upward calls", 0, 0),
    ("structs above 40", 0, 0),
    ("tuning constants", 20, 20),
    ("tuned elsewhere", 0, 0),
    ("lines of ode_glue", 8000, 8000),
]


def plain(text):
    """Comments and literals out, lines kept."""

    def blank(found):
        token = found.group(0)
        return token if token[0] not in "/\"'" else re.sub(r"[^\n]", " ", token) if token[0] == "/" else "0"

    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[^/\"']+|.", blank, text, flags=re.S)


class File:
    def __init__(self, root, path):
        self.path = path
        self.room = os.path.dirname(path)
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            self.text = stream.read()
        self.lines = self.text.count("\n")
        self.includes = re.findall(r'^\s*#\s*include\s*"([^"]+)"', self.text, re.M)
        self.constants = []
        for name, value in re.findall(r"^\s*#\s*define\s+(\w+)[ \t]+([^\n]*)", re.sub(r"/\*.*?\*/|\\\n", " ", self.text, flags=re.S), re.M):
            if re.fullmatch(r"[-+*/() .0-9eEuf]*\d[-+*/() .0-9eEuf]*", value.strip()):
                self.constants.append(name)
        body = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", " ", plain(self.text), flags=re.M)
        self.defines, self.uses = set(), set()
        self.read(body)
        self.structs = dict(structs(body))

    def read(self, body):
        depth, statement = 0, []
        for token in re.findall(r"\w+|[^\s\w]", body):
            if token == "{":
                if depth == 0 and "(" in statement and "=" not in statement:
                    head = [t for t in statement if t not in ("__attribute__", "EXPORT")]
                    name = head[head.index("(") - 1] if head.index("(") > 0 else ""
                    while name == "" or not re.match(r"[A-Za-z_]\w*$", name):
                        head = head[head.index(")", head.index("(")) + 1 :]
                        while head and head[0] == ")":
                            head = head[1:]
                        name = head[head.index("(") - 1]
                    if "static" not in statement and "EXPORT" not in statement:  # EXPORT: ODE's own names, preload.c
                        self.defines.add(name)
                depth += 1
            elif token == "}":
                depth -= 1
                if depth == 0:
                    statement = []
                    continue
            elif token == ";" and depth == 0:
                statement = []
                continue
            if depth == 0:
                statement.append(token)
            if depth > 0 or "=" in statement:
                self.uses.add(token)


def structs(body):
    """(name, number of fields) of every named struct."""
    for start in re.finditer(r"\bstruct\s+(\w+)\s*\{", body):
        depth, parens, fields, at, member = 1, 0, 0, start.end(), ""
        while depth > 0 and at < len(body):
            c = body[at]
            at += 1
            if c == "{":
                depth, member = depth + 1, ""
            elif c == "}":
                depth, member = depth - 1, ""
            elif c in "([":
                parens += 1
            elif c in ")]":
                parens -= 1
            elif c in ",;" and parens == 0:
                fields += 1 if member.strip() else 0
                member = "" if c == ";" else " x "
            else:
                member += c
        yield start.group(1), fields


def read_house(root):
    files = {}
    for top in ("ode_glue", "plugin/stepping"):
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), root)
                if name.endswith((".c", ".h")) and "/include/" not in path:
                    files[path] = File(root, path)
    return files


def resolve(files, file, header):
    """The file of the house that an include line means; None: none of it."""
    near = os.path.normpath(os.path.join(file.room, header))
    if near in files:
        return near
    for base in ("ode_glue", "plugin", "plugin/stepping"):
        if os.path.normpath(os.path.join(base, header)) in files:
            return os.path.normpath(os.path.join(base, header))
    return None


def circles(graph):
    """Groups of more than one node that lead to each other (Tarjan)."""
    index, low, stack, found, groups = {}, {}, [], [0], []

    def visit(node):
        index[node] = low[node] = found[0]
        found[0] += 1
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1 or node in graph[node]:
                groups.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return groups


def measure(root):
    files = read_house(root)
    for file in files.values():
        if file.room not in ROOMS:
            sys.exit("%s: its room is not in ROOMS of tests/house/test_house.py" % file.path)
    rank = {path: ROOMS.index(AS_IF_IN.get(path, file.room)) for path, file in files.items()}
    includes = {path: {h for h in (resolve(files, f, i) for i in f.includes) if h} for path, f in files.items()}
    home = {name: path for path, f in files.items() if path.endswith(".c") for name in f.defines}
    calls = {p: {home[n] for n in f.uses if n in home and home[n] != p} for p, f in files.items() if p.endswith(".c")}
    told = {}
    told["include circles"] = [" ".join(g) for g in circles(includes)]
    told["upward includes"] = ["%s includes %s" % (p, h) for p in includes for h in sorted(includes[p]) if rank[h] > rank[p]]
    told["files in call circles"] = [p for g in circles(calls) for p in g]
    told["upward calls"] = [
        "%s calls %s of %s" % (p, ", ".join(sorted(n for n in files[p].uses if home.get(n) == q)), q)
        for p in calls
        for q in sorted(calls[p])
        if rank[q] > rank[p]
    ]
    told["structs above 40"] = [
        "%s, %d fields" % (n, c) for f in files.values() for n, c in f.structs.items() if c > MOST_FIELDS
    ]
    told["tuning constants"] = ["%s (%s)" % (n, p) for p, f in files.items() for n in f.constants if n not in NO_TUNING and p not in NO_TUNING_IN]
    told["tuned elsewhere"] = [c for c in told["tuning constants"] if not c.endswith("(%s)" % TUNING)]
    glue = [f for p, f in files.items() if p.startswith("ode_glue")]
    told["lines of ode_glue"] = sum(f.lines for f in glue)
    told["files"] = len(files)
    told["functions"] = len(home)
    told["rooms"] = {r: sum(f.lines for f in files.values() if f.room == r) for r in ROOMS}
    return told


def main():
    root = sys.argv[1]
    told = measure(root)
    print("%d files, %d functions that other files may call" % (told["files"], told["functions"]))
    for room, lines in told["rooms"].items():
        print("  %-16s %5d lines" % (room, lines))
    broken = 0
    for figure, ceiling, bar in HOLD:
        value = told[figure] if isinstance(told[figure], int) else len(told[figure])
        bad = value > ceiling
        broken += bad
        print("%-22s %5d   holds at %5d, bar %5d%s" % (figure, value, ceiling, bar, "   BROKEN" if bad else ""))
        if not isinstance(told[figure], int) and ("--print" in sys.argv or (bad and value < 40)):
            for line in told[figure]:
                print("    " + line)
    if told["functions"] < 100 or told["lines of ode_glue"] < 1000:
        print("nothing was read: wrong folder?")
        broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
