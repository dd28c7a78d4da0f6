# SPDX-License-Identifier: BSD-3-Clause
"""Do `brink robot info` and `brink path` answer programs as the other commands do? test_robot_output.py BRINK. Skipped (77)
where the build reads no URDF."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

BRINK = os.path.abspath(sys.argv[1])
URDF = """<robot name="arm">
<link name="base"/>
<link name="rod"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>
"""
SCENE = "scene post 1\n0 2\nbox 0.1 0.1 1  0 0.8 0  1 0 0 0\n"


def run(*words):
    return subprocess.run([BRINK, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def expect(good, what):
    if not good:
        sys.exit("FAILED: %s" % (what,))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("arm.urdf", "w") as file:
        file.write(URDF)
    with open("post.txt", "w") as file:
        file.write(SCENE)
    told = run("robot", "info", "arm.urdf")
    if told.returncode == 1 and "urdf" in told.stderr.lower():
        print("skipped: " + told.stderr.strip())
        sys.exit(77)
    expect(told.returncode == 0 and "robot arm: 2 links, 1 joints" in told.stdout, told)
    told = run("robot", "info", "--json", "arm.urdf")
    joint = json.loads(told.stdout)
    expect(told.returncode == 0 and joint["joint"] == "turn" and joint["type"] == "revolute" and joint["values"] == 1, told)
    expect(joint["lower"] == -3 and joint["upper"] == 3 and joint["follows"] is None, told)
    words = run("path", "arm.urdf", "post.txt", "--measure", "--", "0", "0.3", "2")
    lines = words.stdout.splitlines()
    expect(words.returncode == 0 and len(lines) == 2 and lines[0].startswith("edge 1 free clearance"), words)
    toi = float(lines[1].split()[3])
    expect(lines[1].startswith("edge 2 hit") and " rod obstacle 1 (box) " in lines[1], words)
    told = run("path", "arm.urdf", "post.txt", "--json", "--measure", "--", "0", "0.3", "2")
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    expect(told.returncode == 0 and [r["state"] for r in rows] == ["free", "hit"], told)
    expect(rows[0]["toi"] is None and rows[0]["clearance_lower"] > 0 and abs(rows[1]["toi"] - toi) < 1e-8, told)
    expect(rows[1]["link"] == "rod" and rows[1]["other"] is None and rows[1]["obstacle"] == 1 and rows[1]["obstacle_shape"] == "box", told)
    rounded = 0  # words have fewer digits, and are bounds still
    for goal in range(10, 30):
        ends = ["--measure", "--", "0", "0.%d" % goal, "2"]
        whole = [json.loads(line) for line in run("path", "arm.urdf", "post.txt", "--json", *ends).stdout.splitlines()]
        for line, row in zip(run("path", "arm.urdf", "post.txt", *ends).stdout.splitlines(), whole):
            word = line.split()
            near, far = (float(word[i]) for i in (word.index("clearance") + 1, word.index("clearance") + 2))
            expect(near <= row["clearance_lower"] and far >= row["clearance_upper"], (line, row))
            rounded += near < row["clearance_lower"] and far > row["clearance_upper"]
            if row["state"] == "hit":
                expect(float(word[3]) <= row["toi"] and float(word[4]) >= row["toi_upper"], (line, row))
    expect(rounded > 5, rounded)
    # certificates are of the way that was asked about: with --shorter the shorter one, edge after edge
    with open("wheel.urdf", "w") as file:
        file.write(URDF.replace("revolute", "continuous"))
    for count, (way, state, shorter) in enumerate((
            (("0.3", "6.0"), "free", True), (("0.3", "6.0"), "hit", False), (("1.2", "-4.38"), "free", False),
            (("1.2", "-4.38"), "hit", True), (("0.3", "6.0", "0.1", "-6.0"), "free", True))):
        folder_of = "proofs%d" % count
        told = run("path", "wheel.urdf", "post.txt", "--certify", folder_of, *["--shorter"] * shorter, "--", *way)
        free = [line.split()[2] == "free" for line in told.stdout.splitlines() if line.startswith("edge")]
        expect(len(free) == len(way) - 1 and all(free) == (state == "free"), (way, shorter, told))
        expect(told.returncode == (0 if state == "free" else 1), (way, shorter, told))
        proofs = [os.path.join(folder_of, "edge%d.cert" % (i + 1)) for i in range(len(free))]
        expect((run("verify", *proofs).returncode == 0) == (state == "free"), (way, shorter))
    # ... with its padding: free by 0.1 m, not by 0.5 m
    for padding, proven in ("0.1", True), ("0.5", False):
        told = run("path", "arm.urdf", "post.txt", "--padding", padding, "--certify", "padded" + padding, "--", "-1", "0.9")
        expect((" free " in told.stdout, told.returncode) == (proven, 0 if proven else 1), told)
    # ... and without pairs that were found to touch always
    with open("hand.urdf", "w") as file:
        file.write(URDF.replace("</robot>", """<link name="hand"/><link name="tip"><collision><origin xyz="-0.4 0 0"/>
<geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="wrist" type="continuous"><parent link="rod"/><child link="hand"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/></joint>
<joint name="end" type="prismatic"><parent link="hand"/><child link="tip"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.1" effort="1" velocity="1"/></joint></robot>"""))
    for found, status in ([], 1), (["--find-allowed", "50"], 0):
        told = run("path", "hand.urdf", "post.txt", *found, "--certify", "found", "--", "-1", "0", "0", "0.5", "1", "0.1")
        expect(told.returncode == status, told)
    told = run("path", "--csv", "arm.urdf", "post.txt")
    rows = list(csv.DictReader(io.StringIO(told.stdout)))
    expect(told.returncode == 0 and len(rows) == 1 and rows[0]["state"] == "hit" and rows[0]["clearance_lower"] == "", told)
    told = run("path", "--jsn", "arm.urdf", "post.txt")
    expect(told.returncode == 2 and "did you mean '--json'" in told.stderr, told)
    told = run("path", "--json", "arm.urdf", "post.txt", "--", "0", "0.3", "x")
    expect(told.returncode == 2 and told.stdout == "", told)
    told = run("robot", "generate", "arms")  # makes the folder, as every command that writes into one
    expect(told.returncode == 0, told)
    told = run("robot", "info", os.path.join("arms", "stand_in_arm.urdf"))
    expect(told.returncode == 0 and " joints" in told.stdout, told)
    told = run("robot", "generate", os.path.join("arm.urdf", "arms"))
    expect(told.returncode == 1 and "arm.urdf" in told.stderr, told)
print("ok")
