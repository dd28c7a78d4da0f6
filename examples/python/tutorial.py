# SPDX-License-Identifier: BSD-3-Clause
"""Brink from Python, step by step. Run it from top to bottom, or cell by cell (`# %%`) in an editor that knows cells.

    python3 tutorial.py [FOLDER]      pictures go there (needs Debian's python3-matplotlib; without it: no pictures)
"""
# %% What Brink answers: two shapes, two motions, one question. Lengths in m, step time t in [0, 1].
import math
import sys

import numpy as np

import brink

folder = sys.argv[1] if len(sys.argv) > 1 else None
upright = (1, 0, 0, 0)  # a quaternion (w, x, y, z)


def at(x, y=0.0, z=0.0):
    return (upright, (x, y, z))


bullet, wall = brink.Sphere(0.01), brink.Box((0.005, 1, 1))
contact = brink.first_contact(bullet, wall, at(-5), at(5))
print("bullet:", contact.state, "at t =", round(contact.toi, 6), "where", contact.points.round(4).tolist())
assert contact.state is brink.HIT and abs(contact.toi - (5 - 0.015) / 10) < 1e-5

# %% A miss is a proof, and has no time. A hit is a bracket: nothing touches before toi, contact is known at toi_upper.
miss = brink.first_contact(bullet, wall, at(-5, 2), at(5, 2))
print("miss:", miss.state, miss.toi)
assert miss.is_free and miss.toi is None

# %% Rotation is the ordinary case. A propeller of 2 m turns 40 times while a ball falls through its plane.
propeller = brink.Box((1.0, 0.05, 0.01))
spinning = brink.Velocities(at(0), spin=(0, 0, 40 * 2 * math.pi))
hit = brink.first_contact(propeller, brink.Sphere(0.02), spinning, None, at(0.7, 0, 0.5), at(0.7, 0, -0.5))
print("propeller:", hit.state, "after", round(40 * hit.toi, 3), "turns, at", hit.point_a.round(3).tolist())
assert hit.state is brink.HIT

# %% Meshes: anything with .vertices and .faces, or a pair of arrays. Cook once what is asked often.
n = 24
angles = np.linspace(0, 2 * math.pi, n, endpoint=False)


def torus(big, small):
    vertices, faces = [], []
    for i, u in enumerate(angles):
        for j, v in enumerate(angles):
            r = big + small * math.cos(v)
            vertices.append((r * math.cos(u), r * math.sin(u), small * math.sin(v)))
            a, b, c, d = (i * n + j, (i + 1) % n * n + j, (i + 1) % n * n + (j + 1) % n, i * n + (j + 1) % n)
            faces += [(a, b, c), (a, c, d)]
    return np.array(vertices), np.array(faces)


ring = brink.Mesh(*torus(1.0, 0.25))
print("ring:", ring, ring.summary["patch_count"], "convex patches")
through = brink.first_contact(ring, brink.Sphere(0.5), at(0), None, at(0, 0, 3), at(0, 0, -3))
grazed = brink.first_contact(ring, brink.Sphere(0.5), at(0), None, at(0.4, 0, 3), at(0.4, 0, -3))
print("a ball through the hole:", through.state, "- off centre:", grazed.state, "t =", round(grazed.toi, 4))
assert through.is_free and grazed.state is brink.HIT

# %% How close? Two proven bounds around the smallest distance, and when it is met.
close = brink.clearance(ring, brink.Sphere(0.5), at(0), None, at(0, 0, 3), at(0, 0, -3))
print("clearance: %.6f to %.6f m at t = %.3f" % (close.lower, close.upper, close.time))
assert close.lower <= 0.25 <= close.upper + 0.01 and abs(close.time - 0.5) < 0.01

# %% Many questions of one pair: a batch of poses in, arrays out. NaN where there is no time.
count = 400
x = np.linspace(-2, 2, count)
starts, ends = np.tile(np.eye(4), (count, 1, 1)), np.tile(np.eye(4), (count, 1, 1))
starts[:, 0, 3] = ends[:, 0, 3] = x
starts[:, 2, 3], ends[:, 2, 3] = 3, -3
batch = brink.first_contacts(ring, brink.Sphere(0.2), at(0), None, starts, ends)
print("batch:", np.bincount(batch.state, minlength=4)[:2].tolist(), "free, hit; first", round(np.nanmin(batch.toi), 4))
assert batch.state[count // 2] == brink.FREE and np.isnan(batch.toi[count // 2])

# %% Worlds: bodies, chains, colliders. An arm of three links swings; the wrist hits a post.
with brink.World() as world:
    limb = brink.Compound([(brink.Box((0.5, 0.06, 0.06)), at(0.5))])
    arm = world.chain([(at(0), limb), (at(1), limb), (at(1), limb)])
    post = world.add(brink.Cylinder(0.1, 1.0), at(1.2, 1.9))
    for link, turn in zip(arm, (0.9, 0.8, 0.7)):
        link.motion = brink.Velocities(link.rest_pose, spin=(0, 0, turn))
    report = world.first_contact()
    struck = report.contacts[0]
    link = arm.index(struck.collider_a.body or struck.collider_b.body)
    print("arm:", report.state, "t =", round(report.toi, 4), "link", link)
    assert report.state is brink.HIT and link == 2
    moments = np.linspace(0, report.toi, 6)
    joints = [[link.pose(t).p[:2] for link in arm] + [(arm[2].pose(t).matrix() @ (1, 0, 0, 1))[:2]] for t in moments]

# %% All contacts, not only the first: a bar that swings through a gate touches it twice.
box = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * 1.0
quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
sides = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
bar, stone = (box * (1.0, 0.05, 0.05), sides), (box * 0.1, sides)
found = brink.contact_intervals(bar, stone, brink.Rotation((0, 0, 1), (0.3, 2 * math.pi)), None, at(0.9, 0.05, 0.01))
print("intervals:", [(round(i.start[0], 5), round(i.end[1], 5), i.state) for i in found.intervals])
assert len(found) == 2

# %% A proof for others: a certificate is a text that `brink verify` checks with code of its own.
proof = brink.certify(ring, brink.Sphere(0.1), at(0), None, at(0, 0, 2), at(0, 0, -2))
print("certificate:", proof.state, proof.cells, "cells, at least %.3f m" % proof.bound, len(proof.text), "bytes")
assert proof.is_proven

# %% Errors say what, where and what to do.
try:
    brink.first_contact(bullet, wall, np.diag([1, 1, -1, 1]), at(1))
except brink.InputError as error:
    print("refused:", error)

# %% Pictures.
if folder is not None:
    try:
        import matplotlib
    except ImportError:
        print("no pictures: matplotlib is not installed (Debian: python3-matplotlib)")
    else:
        matplotlib.use("Agg")
        import os

        import matplotlib.pyplot as plt
        os.makedirs(folder, exist_ok=True)
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
        z = 3 - 6 * batch.toi
        left.plot(x, z, lw=2, label="ball stopped here")
        left.fill_between(x, -3, 3, where=np.isnan(z), alpha=0.15, label="proven free to fall through")
        left.set(title="400 balls fall on a ring", xlabel="x, m", ylabel="z at the impact, m", ylim=(-1, 1))
        left.legend(loc="lower center")
        for t, line in zip(moments, joints):
            right.plot(*np.array(line).T, "o-", color=plt.cm.viridis(t / report.toi), label="t = %.2f" % t)
        right.add_patch(plt.Circle((1.2, 1.9), 0.1, color="tab:red"))
        right.set(title="an arm up to the brink of contact", xlabel="x, m", ylabel="y, m", aspect="equal")
        right.legend(fontsize="small")
        figure.tight_layout()
        path = os.path.join(folder, "tutorial.png")
        figure.savefig(path, dpi=80)
        print("wrote", path)
print("done")
