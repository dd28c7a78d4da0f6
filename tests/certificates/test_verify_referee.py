#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`brink verify` against the referee (verify_referee.py): 2,000 certificates of all kinds of motion, the same verdict on
each; 2,000 statements altered under a digest that fits, and forgeries of every kind: what verify accepts the referee proves,
and no forgery passes either. Usage: test_verify_referee.py PATH-OF-BRINK COUNT. Python's standard library alone."""
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import verify_referee as referee

LARGEST = 4000  # characters: small certificates, for the referee takes its time
random_numbers = random.Random(12)


def uniform(low, high):
    return random_numbers.uniform(low, high)


def vector(size):
    return [uniform(-size, size) for _ in range(3)]


def text_of(numbers):
    return " ".join(f"{x:.17g}" for x in numbers)


def judge(path):
    try:
        with open(path, "rb") as file:
            return referee.check(file.read())
    except (referee.Refused, OverflowError) as reason:
        return f"refused {reason}"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **more)


def verdicts(brink, paths):
    """What verify says of each: proven, open or refused; reasons by path."""
    out, why = {}, {}
    for i in range(0, len(paths), 500):
        ran = run(brink, "verify", *paths[i:i + 500])
        for line in ran.stdout.splitlines():
            name, word = line.rsplit(":", 1)[0].split(" ")[:2] if " refused" not in line else line.split(" ")[:2]
            out[name] = word
        for line in ran.stderr.splitlines():
            why[line.split(":")[0]] = line
    assert set(out) == set(paths), "a file without a verdict"
    return out, why


def digest(text):
    """The text with the digest that its statement has: what a forger would do."""
    start, end = text.index("statement\n"), text.index("end statement\n") + len("end statement\n")
    h = 14695981039346656037
    for byte in text[start:end].encode():
        h = (h ^ byte) * 1099511628211 % 2 ** 64
    return text[:end] + re.sub("digest [0-9a-f]+", f"digest {h:016x}", text[end:], count=1)


# ---- problems: two bodies of every kind on up to three stages of every kind

IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1]
CUBE = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def rotation(w):
    """Rodrigues, in doubles."""
    a = math.sqrt(sum(x * x for x in w))
    if a == 0:
        return list(map(float, IDENTITY))
    x, y, z = (c / a for c in w)
    s, c = math.sin(a), math.cos(a)
    v = 1 - c
    return [c + x * x * v, x * y * v - z * s, x * z * v + y * s, y * x * v + z * s, c + y * y * v, y * z * v - x * s,
            z * x * v - y * s, z * y * v + x * s, c + z * z * v]


def product(a, b):
    return [sum(a[3 * i + k] * b[3 * k + j] for k in range(3)) for i in range(3) for j in range(3)]


def stage(size):
    kind = random_numbers.choice(["turn", "turn", "ode", "spline", "bezier"])
    if kind == "turn":
        spin = vector(random_numbers.choice([0, 1e-150, 1, 2, 7]))
        return "turn " + text_of(vector(size) + vector(1) + spin + vector(0.3) + rotation(vector(3)))
    if kind == "ode":
        return "ode " + text_of(vector(size) + vector(1) + vector(1.5) + rotation(vector(3)))
    if kind == "spline":
        count, r = random_numbers.randint(2, 4), rotation(vector(3))
        lines = [f"spline {count}"]
        for i in range(count):
            turn = vector(1.5)
            lines.append(text_of([i / (count - 1)] + vector(size) + vector(1) + r + turn))
            r = product(rotation(turn), r)
        return "\n".join(lines)
    count = random_numbers.randint(1, 4)
    lines = [f"bezier {count}"]
    for _ in range(count):
        w = uniform(0.5, 2)
        lines.append(text_of([w] + [w * (x + uniform(-0.4, 0.4)) for x in IDENTITY] + [w * x for x in vector(size)]))
    return "\n".join(lines)


def body(name, far):
    kind = random_numbers.choice(["triangles", "cube", "point", "linear"])
    stages = [stage(0.5) for _ in range(random_numbers.randint(0, 2))]
    place = [c + far * (k == 0) for k, c in enumerate(vector(0.4))]
    stages = ["turn " + text_of(place + [0] * 9 + IDENTITY)] + stages
    s = uniform(0.1, 0.4)
    if kind == "cube":
        points, faces = [[s * (1 if i >> k & 1 else -1) for k in range(3)] for i in range(8)], CUBE
    elif kind == "point":
        points, faces = [vector(s), vector(s)], [[0], [0, 1]]
    else:
        points, faces = [vector(s) for _ in range(4)], [[0, 1, 2], [1, 3, 2]]
    if kind == "linear":
        points = [p + [x + y for x, y in zip(p, vector(0.5))] for p in points]
    lines = [f"body {name} {'solid' if kind == 'cube' else 'open'}",
             f"radius {random_numbers.choice([0, 0.03])}", f"stages {len(stages)}"] + stages
    lines += [f"vertices {len(points)} {'linear' if kind == 'linear' else 'fixed'}"] + [text_of(p) for p in points]
    return lines + [f"faces {len(faces)}"] + [" ".join(map(str, [len(f)] + f)) for f in faces]


def problem():
    far = uniform(0.6, 2.5)
    lines = ["brink-problem 1", "statement", "time 0 1", "clearance 0"] + body("A", 0) + body("B", far)
    return "\n".join(lines + ["end statement", ""])


def make_certificates(brink, folder, wanted):
    """Small certificates: of random problems, and of the cases that `brink generate` makes."""
    made, seed = [], 0
    while len(made) < wanted:
        seed += 1
        cases = os.path.join(folder, f"{seed}.ccd")
        with open(cases, "w", encoding="ascii") as file:
            file.write(run(brink, "generate", "--seed", str(seed), "--count", "150").stdout)
        out = os.path.join(folder, f"cases{seed}")
        run(brink, "certify", cases, "--max-tests", "60", "-o", out)
        paths = [os.path.join(out, name) for name in sorted(os.listdir(out))]
        for i in range(150):
            path = os.path.join(folder, f"problem{seed}-{i}")
            with open(path + ".problem", "w", encoding="ascii") as file:
                file.write(problem())
            run(brink, "certify", path + ".problem", "--witnesses", "--max-tests", "60", "-o", path + ".cert")
            paths.append(path + ".cert")
        made += [path for path in paths if os.path.exists(path) and os.path.getsize(path) < LARGEST]
    return made[:wanted]


# ---- statements altered


def alter(text):
    """One quantity of the statement changed, by a little or a lot; the digest fits."""
    end = text.index("end statement\n")
    numbers = list(re.finditer(r"(?<=[ \n])-?[0-9.]+(e[+-]?[0-9]+)?(?=[ \n])", text[:end]))
    word = random_numbers.choice(numbers[3:])
    value = float(word.group(0))
    value += random_numbers.choice([-1, 1]) * 10 ** uniform(-9, 1.5)
    if "." not in word.group(0) and random_numbers.random() < 0.5:
        value = float(round(value))
    return digest(text[:word.start()] + f"{value:.17g}" + text[word.end():])


# ---- forgeries

SHELLS = """brink-certificate 1
statement
time 0 1
clearance 0
body A solid
radius 0
stages 0
vertices 16 fixed
-1 -1 -1
1 -1 -1
-1 1 -1
1 1 -1
-1 -1 1
1 -1 1
-1 1 1
1 1 1
-0.5 -1.25 -1.5
1.5 -1.25 -1.5
-0.5 1.25 -1.5
1.5 1.25 -1.5
-0.5 -1.25 1.5
1.5 -1.25 1.5
-0.5 1.25 1.5
1.5 1.25 1.5
faces 12
4 0 2 3 1
4 4 5 7 6
4 0 1 5 4
4 2 6 7 3
4 0 4 6 2
4 1 3 7 5
4 8 10 11 9
4 12 13 15 14
4 8 9 13 12
4 10 14 15 11
4 8 12 14 10
4 9 11 15 13
body B open
radius 0
stages 0
vertices 1 fixed
0.25 0.125 0.0625
faces 1
1 0
end statement
digest 0
order A 0 1 2 3 4 5 6 7 8 9 10 11
order B 0
outside B 0 0.3 0.2 0.9
cells 12
"""


def shells():
    """A point in what two shells of one solid share: parity would call it outside."""
    directions = ["0 0 1", "0 0 -1", "0 1 0", "0 -1 0", "1 0 0", "-1 0 0"] * 2
    cells = "".join(f"cell 0 1 {i} {i + 1} 0 1 {d} {d} 0.25\n" for i, d in enumerate(directions))
    return digest(SHELLS + cells + "end\n")


BOX = """brink-certificate 1
statement
time 0 1
clearance 0
body A solid
radius 0
stages 1
spline 3
0 0 0 0 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0
0.5 0 0 0 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0
1 0 0 0 0 0 0 1 0 0 0 1 0 0 0 1 0 0 0
vertices 8 fixed
-1 -1 -1
1 -1 -1
-1 1 -1
1 1 -1
-1 -1 1
1 -1 1
-1 1 1
1 1 1
faces 6
4 0 2 3 1
4 4 5 7 6
4 0 1 5 4
4 2 6 7 3
4 0 4 6 2
4 1 3 7 5
body B open
radius 0
stages 0
vertices 1 fixed
3 0 0
faces 1
1 0
end statement
digest 0
order A 0 1 2 3 4 5
order B 0
cells 2
cell 0 0.5 0 6 0 1 1 0 0 1 0 0 1.5
cell 0.5 1 0 6 0 1 1 0 0 1 0 0 1.5
end
"""
HALF_TURN = "-1 0 0 0 -1 0 0 0 1"


def changed(*pairs):
    text = BOX
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    return digest(text)


FORGERIES = {
    "a face left out": [("faces 6", "faces 5"), ("4 1 3 7 5\n", ""), ("order A 0 1 2 3 4 5", "order A 0 1 2 3 4"),
                        ("0 6 0 1", "0 5 0 1"), ("0 6 0 1", "0 5 0 1")],
    "a face doubled": [("faces 6", "faces 7"), ("4 1 3 7 5\n", "4 1 3 7 5\n4 1 3 7 5\n"), ("4 5\norder", "4 5 6\norder"),
                       ("0 6 0 1", "0 7 0 1"), ("0 6 0 1", "0 7 0 1")],
    "a face turned over": [("4 1 3 7 5", "4 5 7 3 1")],
    "corners of a face in another order": [("4 1 3 7 5", "4 1 7 3 5")],
    "a solid without a surface": [("4 0 2 3 1\n", "1 0\n"), ("4 4 5 7 6\n", "1 4\n"), ("4 0 1 5 4\n", "1 0\n"),
                                  ("4 2 6 7 3\n", "1 2\n"), ("4 0 4 6 2\n", "1 0\n"), ("4 1 3 7 5\n", "1 1\n")],
    "a rotation that jumps at a key": [("0.5 0 0 0 0 0 0 1 0 0 0 1 0 0 0 1", "0.5 0 0 0 0 0 0 " + HALF_TURN)],
    "a rotation that jumps by 1e-6": [("0.5 0 0 0 0 0 0 1 0 0", "0.5 0 0 0 0 0 0 1 1e-6 0")],
    "a jump at the last key": [("\n1 0 0 0 0 0 0 1 0 0 0 1 0 0 0 1", "\n1 0 0 0 0 0 0 " + HALF_TURN)],
    "a cell over a key": [("cells 2", "cells 1"), ("cell 0 0.5 0 6 0 1 1 0 0 1 0 0 1.5\n", ""), ("cell 0.5", "cell 0")],
    "a gap in time": [("cell 0.5 1", "cell 0.625 1")],
    "an overlap in time": [("cell 0 0.5", "cell 0 0.75")],
    "a gap of faces": [("cell 0.5 1 0 6", "cell 0.5 1 0 5")],
    "a cell twice": [("cells 2", "cells 3"), ("end\n", "end\n"), ("cell 0 0.5", "cell 0 0.5 0 6 0 1 1 0 0 1 0 0 1.5\ncell 0 0.5")],
    "a cell of no duration more": [("cells 2", "cells 3"), ("cell 0.5 1", "cell 0.5 0.5 0 6 0 1 1 0 0 1 0 0 1.5\ncell 0.5 1")],
    "a bound above what is proven": [("0 0 1.5\ncell", "0 0 2.0000001\ncell")],
    "a bound of zero": [("0 0 1.5\ncell", "0 0 0\ncell")],
    "a bound below the clearance": [("clearance 0", "clearance 1.75")],
    "hexadecimal": [("3 0 0\n", "0x3 0 0\n")],
    "18 digits": [("3 0 0\n", "3.00000000000000001 0 0\n")],
    "a word for a number": [("3 0 0\n", "inf 0 0\n")],
    "beyond 1e60": [("3 0 0\n", "3e60 0 0\n")],
    "a fraction for a count": [("faces 6", "faces 6.0")],
    "an exponent for an index": [("4 1 3 7 5", "4 1e0 3 7 5")],
    "a sign before a count": [("cells 2", "cells +2")],
    "a face twice in the order": [("order A 0 1", "order A 0 0")],
    "words behind the end": [("1.5\nend\n", "1.5\nend\nend\n")],
}


def nested(count):
    """count cells, each of which leaves the next an even smaller box: no cut halves them."""
    n = count // 2
    faces = f"vertices 1 fixed\n%d 0 0\nfaces {n}\n" + "1 0\n" * n
    cells, a, b = [], 0, 0
    while a < n and b < n:
        cells.append(f"cell 0 1 {a} {a + 1} {b} {n} 1 0 0 1 0 0 0.5\n" if a <= b else
                     f"cell 0 1 {a} {n} {b} {b + 1} 1 0 0 1 0 0 0.5\n")
        a, b = (a + 1, b) if a <= b else (a, b + 1)
    order = " ".join(map(str, range(n)))
    return digest("brink-certificate 1\nstatement\ntime 0 1\nclearance 0\nbody A open\nradius 0\nstages 0\n" + faces % 0 +
                  "body B open\nradius 0\nstages 0\n" + faces % 1 + f"end statement\ndigest 0\norder A {order}\n"
                  f"order B {order}\ncells {len(cells)}\n" + "".join(cells) + "end\n"), len(cells)


TETRAHEDRON = [[0, 0, 0], [0.125, 0, 0], [0, 0.125, 0], [0, 0, 0.125]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]


def boxes(*middles):
    """Closed, one shell each."""
    points, faces = [], []
    for middle in middles:
        first = len(points)
        points += [[m + (1 if i >> k & 1 else -1) for k, m in enumerate(middle)] for i in range(8)]
        for a, b, c, d in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)):
            faces += [[first + i for i in f] for f in ((a, b, c), (a, c, d))]
    return points, faces


def linear_case(name, solid, place):
    """The same, of vertices on lines of their own."""
    lines = [f"ccd 1\nname {name}\nclass solid\nT 1\neps 1 1e-6"]
    for (points, faces), at in ((TETRAHEDRON, place), (solid, (0, 0, 0))):
        lines += ["body solid linear", f"verts {len(points)}"]
        lines += [text_of([x + y for x, y in zip(p, at)] * 2) for p in points]
        lines += [f"simps {len(faces)}"] + ["3 " + " ".join(map(str, f)) for f in faces]
    return "\n".join(lines + ["end", ""])


def case(name, solid, place, duration=1, spin=(0, 0, 0)):
    """A small tetrahedron at a place, and a solid at rest."""
    lines = [f"ccd 1\nname {name}\nclass solid\nT {duration}\neps 1 1e-6"]
    for (points, faces), at, turn in ((TETRAHEDRON, place, spin), (solid, (0, 0, 0), (0, 0, 0))):
        lines += ["body solid\nchain 1", text_of(list(at) + [1, 0, 0, 0, 0, 0, 0] + list(turn)), f"verts {len(points)}"]
        lines += [text_of(p) for p in points] + [f"simps {len(faces)}"] + ["3 " + " ".join(map(str, f)) for f in faces]
    return "\n".join(lines + ["end", ""])


def all_agree(brink, folder):
    """check, clearance, interference, certify and verify about the same solids, and --for with the case file."""
    failed, shells_of = [], boxes((0, 0, 0), (0.5, 0.25, -0.5))
    upside = [shells_of[0], [f[::-1] for f in shells_of[1]]]
    lidless = [shells_of[0], shells_of[1][:-1]]
    doubled = [shells_of[0], shells_of[1] + shells_of[1][-1:]]
    torn = [[list(shells_of[0][i]) for f in shells_of[1] for i in f], [[i, i + 1, i + 2] for i in range(0, 72, 3)]]
    cube = boxes((0, 0, 0))
    twice = [cube[0], cube[1] + cube[1]]
    edge = boxes((0, 0, 0), (2, 2, 0))
    inside, beside = (0.25, 0.125, 0.0625), (3, 0, 0)
    questions = [("shells", shells_of, inside, True), ("upside", upside, inside, True), ("torn", torn, inside, True),
                 ("twice", twice, inside, True), ("edge", edge, (1.5, 1.5, 0), True), ("edge_beside", edge, (2, -1.5, 0), False),
                 ("beside", shells_of, beside, False), ("one", shells_of, (1.25, 0, 0), True),
                 ("lidless", lidless, inside, None), ("doubled", doubled, inside, None)]
    for name, solid, place, answer in questions:
        path = os.path.join(folder, name + ".ccd")
        with open(path, "w", encoding="ascii") as file:
            file.write(case(name, solid, place))
        out = os.path.join(folder, name + "_out")
        said = {tool: run(brink, tool, path) for tool in ("check", "clearance", "interference")}
        said["certify"] = run(brink, "certify", path, "-o", out)
        word = {tool: " ".join(ran.stdout.split()[1:6]) for tool, ran in said.items()}
        if answer is None:
            good = all(ran.returncode != 0 and "close" in ran.stderr for ran in said.values())
        else:
            told = run(brink, "verify", os.path.join(out, name + ".cert"), "--for", path)
            good = (word["check"].startswith("overlap" if answer else "free") and
                    ("collision" in said["clearance"].stdout) == answer and
                    word["interference"].startswith("1 " if answer else "0 ") and
                    word["certify"].startswith("inside" if answer else "proven") and
                    told.returncode == (2 if answer else 0))
        if not good:
            failed.append(f"{name}: {word} {[ran.stderr for ran in said.values()]}")
        with open(path, "w", encoding="ascii") as file:
            file.write(linear_case(name, solid, place))
        said = {tool: run(brink, *more, path) for tool, more in (("check", ["check"]), ("certify", ["certify"]))}
        word = [ran.stdout.split()[1] if ran.stdout.split() else "" for ran in said.values()]
        if answer is None:
            good = all(ran.returncode != 0 and "close" in ran.stderr for ran in said.values())
        else:
            good = word == (["overlap", "inside"] if answer else ["free", "proven"])
        if not good:
            failed.append(f"{name}, linear: {word} {[ran.stderr for ran in said.values()]}")
        with open(path, "w", encoding="ascii") as file:
            file.write(case(name, solid, place))
    # T = 0, hardly any spin, and --for with other cases
    for duration, spin in ((0, (0, 0, 9)), (0, (10, 0, 1)), (1, (1e-150, 0, 0)), (1, (0, 1e-160, 1e-200)), (1, (1e-320, 0, 0)),
                           (1e-300, (1, 0, 0)), (1, (628.3, 0, 1))):
        path, out = os.path.join(folder, "still.ccd"), os.path.join(folder, "still_out")
        with open(path, "w", encoding="ascii") as file:
            file.write(case("other", cube, (5, 0, 0)) + case("still", cube, beside, duration, spin))
        certified = run(brink, "certify", path, "-o", out).stdout
        certificate = os.path.join(out, "still.cert")
        told = run(brink, "verify", certificate, "--for", path)
        foreign = run(brink, "verify", certificate, "--for", os.path.join(folder, "shells.ccd"))
        if certified.count(" proven ") != 2 or told.returncode != 0 or judge(certificate) != "proven":
            failed.append(f"T {duration} spin {spin}: {certified} {told.stdout} {told.stderr} {judge(certificate)}")
        if foreign.returncode != 2:
            failed.append("a certificate passes for another case file")
    return failed


def write(folder, name, text):
    path = os.path.join(folder, name.replace(" ", "_") + ".cert")
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def main(brink, wanted):
    failed = []
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        failed += all_agree(brink, folder)
        # forgeries: refused by both; what they are made of is a proof for both
        good = write(folder, "box", digest(BOX))
        forged = {name: write(folder, name, changed(*pairs)) for name, pairs in FORGERIES.items()}
        forged["inside two shells of one solid"] = write(folder, "shells", shells())
        said, why = verdicts(brink, list(forged.values()))
        for name, path in forged.items():
            if said[path] != "refused" or not judge(path).startswith("refused"):
                failed.append(f"forgery passes: {name}: verify {said[path]}, referee {judge(path)}")
        said, why = verdicts(brink, [good])
        if said[good] != "proven" or judge(good) != "proven":
            failed.append(f"the honest box: verify {why}, referee {judge(good)}")
        # many cells in a nest: neither the square of time nor depth
        text, count = nested(100000)
        said, why = verdicts(brink, [write(folder, "nest", text)])
        if list(said.values()) != ["proven"] or count < 99999:
            failed.append(f"{count} nested cells: {said} {why}")
        # certificates: the same verdict
        paths = make_certificates(brink, folder, wanted)
        said, why = verdicts(brink, paths)
        words = {}
        for path, other in zip(paths, pool.map(judge, paths, chunksize=20)):
            words[said[path]] = words.get(said[path], 0) + 1
            if other.split(" ")[0] != said[path]:
                failed.append(f"{os.path.basename(path)}: verify {said[path]} {why.get(path, '')}, referee {other}")
        print(f"{len(paths)} certificates: {words}")
        # altered statements: what verify accepts, the referee proves
        proven = [path for path in paths if said[path] == "proven"]
        altered = []
        joined = []
        for i in range(wanted):
            with open(random_numbers.choice(proven), encoding="ascii") as file:
                honest = file.read()
            other = alter(honest)
            altered.append(write(folder, f"altered{i}", other))
            joined.append(write(folder, f"joined{i}", honest + other))
        said, why = verdicts(brink, altered)
        accepted = [path for path in altered if said[path] == "proven"]
        for path, other in zip(accepted, pool.map(judge, accepted, chunksize=20)):
            if other != "proven":
                failed.append(f"{os.path.basename(path)}: accepted, but the referee: {other}")
        print(f"{len(altered)} altered statements: {len(accepted)} accepted, all of them true for the referee")
        # behind the honest one in one file, whose chains of links are kept: the same verdict
        both, why = verdicts(brink, joined)
        for path, pair in zip(altered, joined):
            if both[pair] != said[path]:
                failed.append(f"{os.path.basename(path)}: {said[path]} alone, {both[pair]} in company: {why.get(pair, '')}")
        for path, pair in list(zip(altered, joined))[:wanted // 20]:
            if judge(pair).split(" ")[0] != judge(path).split(" ")[0]:
                failed.append(f"{os.path.basename(path)}: the referee says another thing in company")
        if len(accepted) == len(altered) or len(proven) < wanted // 2:
            failed.append(f"nothing altered is refused, or too few proofs: {len(proven)}")
    for line in failed[:20]:
        print("FAILED", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), int(sys.argv[2])))
