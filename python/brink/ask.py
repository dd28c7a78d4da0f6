# SPDX-License-Identifier: BSD-3-Clause
"""One question in one call: two shapes, two motions."""
from __future__ import annotations

import ctypes as c
from typing import Any, Tuple

import numpy as np

from . import _abi, _library, answers
from .motions import MotionLike, motion_of
from .poses import PoseLike, count_of, many
from .shapes import ShapeLike
from .world import Collider, World

_C = _abi.CONSTANTS


def _pair(shape_a: ShapeLike, shape_b: ShapeLike, *ends: Any) -> Tuple[World, Collider, Collider]:
    world = World()
    a, b = world.body(), world.body()
    one, other = a.add(shape_a), b.add(shape_b)
    if ends:
        a0, a1, b0, b1 = ends
        a.motion, b.motion = motion_of(a0, a1), motion_of(b0, b1)
    return world, one, other


def first_contact(shape_a: ShapeLike, shape_b: ShapeLike, a0: MotionLike = None, a1: PoseLike = None,
                  b0: MotionLike = None, b1: PoseLike = None, **query: Any) -> answers.Contact:
    """When, and where, do two moving bodies first touch?

    shape_a, shape_b: anything with .vertices and .faces, a pair (vertices, faces), or a shape of this package. a0, a1:
    poses of A at the start and the end of the step, 4x4 arrays or pairs (q, p); b0, b1: of B (left out: at rest at the
    origin). In place of the first pose a motion may stand (brink.Screw, brink.Velocities ...), and no second. query: see
    :meth:`brink.World.first_contact` (tolerance, threshold, t_start, t_end, scheme, max_iterations). Of many motions
    ask :func:`first_contacts`: each call of this one makes a world, and its checks cost more than the answer.

    >>> import brink
    >>> box, q = brink.Box((0.5, 0.5, 0.5)), (1, 0, 0, 0)
    >>> c = brink.first_contact(box, box, (q, (0, 0, 0)), (q, (4, 0, 0)), (q, (3, 0, 0)))
    >>> c.state, round(c.toi, 5), c.normal.tolist()
    (<State.HIT: 1>, 0.5, [1.0, 0.0, 0.0])
    >>> brink.first_contact(box, box, (q, (0, 0, 0)), (q, (0, 4, 0)), (q, (3, 0, 0))).toi is None
    True
    """
    world, _, _ = _pair(shape_a, shape_b, a0, a1, b0, b1)
    with world:
        report = world.first_contact(mode="pairs", **query)
        return report.contacts[0] if report.contacts else answers.Contact(report.state, report.toi)


def first_contacts(shape_a: ShapeLike, shape_b: ShapeLike, a0: Any = None, a1: Any = None, b0: Any = None,
                   b1: Any = None, **query: Any) -> answers.ContactBatch:
    """The same question for n motions of the same two shapes, as arrays.

    Each of a0, a1, b0, b1: an array (n, 4, 4), a pair of arrays (q [n, 4], p [n, 3]), or one pose for all; None: A's or
    B's other end (at rest), and the origin when both are None.

    >>> import brink, numpy as np
    >>> ends = np.tile(np.eye(4), (3, 1, 1)); ends[:, 0, 3] = [1, 2, 3]
    >>> ball = brink.Sphere(0.5)
    >>> batch = brink.first_contacts(ball, ball, np.eye(4), ends, ((1, 0, 0, 0), (2.5, 0, 0)))
    >>> [str(brink.State(s)) for s in batch.state], batch.toi.round(4).tolist()
    (['free', 'hit', 'hit'], [nan, 0.75, 0.5])
    """
    n = count_of(a0, a1, b0, b1)
    rows = np.zeros((2, n), dtype=_motion_dtype)
    for row, start, end, name in ((rows[0], a0, a1, "a"), (rows[1], b0, b1, "b")):
        row["structSize"], row["kind"] = c.sizeof(_abi.BodyMotion), _C["brink_motionPoses"]
        start = end if start is None else start
        end = start if end is None else end
        for field, value in (("pose0", start), ("pose1", end)):
            q, p = many(value, n, name + field[-1])
            row[field + "q"], row[field + "p"] = q, p
    world, one, other = _pair(shape_a, shape_b)
    with world:
        asked, raw = world._query(mode="pairs", **query), _abi.Report(counters=_abi.Counters())
        out = np.zeros(n, dtype=_contact_dtype)
        ask, move, pointer = _library.api.firstContact, _library.api.setBodyMotion, world._pointer
        handles = [collider.body._handle for collider in (one, other) if collider.body is not None]
        bases, width = [int(row.ctypes.data) for row in rows], rows.strides[1]
        asked_at, raw_at, target, size = c.byref(asked), c.byref(raw), int(out.ctypes.data), c.sizeof(_abi.Contact)
        for i in range(n):
            status = move(pointer, handles[0], bases[0] + i * width) or move(pointer, handles[1], bases[1] + i * width)
            world._finish(status or ask(pointer, asked_at, raw_at))
            if raw.contactCount > 0:
                c.memmove(target + i * size, raw.contacts, size)
            else:
                out[i]["state"] = raw.state
    state = out["state"].astype(np.uint8)
    known = (state == answers.State.HIT) | (state == answers.State.OVERLAP)

    def where(mask, values):
        return np.where(mask if values.ndim == 1 else mask[:, None], values, np.nan)

    return answers.ContactBatch(state, where(state != answers.State.FREE, out["toi"]),
                                where((state != answers.State.FREE) & (out["toiUpper"] <= 1), out["toiUpper"]),
                                out["distance"].copy(), where(known, out["pointA"]), where(known, out["pointB"]),
                                where(known, out["normal"]))


def clearance(shape_a: ShapeLike, shape_b: ShapeLike, a0: MotionLike = None, a1: PoseLike = None,
              b0: MotionLike = None, b1: PoseLike = None, **query: Any) -> answers.Clearance:
    """How close do two moving bodies come? Poses, motions: as of :func:`first_contact`; query: as of
    :meth:`brink.World.clearance` (required, tolerance, t_start, t_end).

    >>> import brink
    >>> q = (1, 0, 0, 0)
    >>> c = brink.clearance(brink.Sphere(1), brink.Sphere(1), (q, (-5, 3, 0)), (q, (5, 3, 0)))
    >>> c.lower <= 1.0 <= c.upper, round(c.time, 3)
    (True, 0.5)
    """
    world, one, other = _pair(shape_a, shape_b, a0, a1, b0, b1)
    with world:
        return world.clearance(one, other, **query)


def certify(shape_a: ShapeLike, shape_b: ShapeLike, a0: MotionLike = None, a1: PoseLike = None,
            b0: MotionLike = None, b1: PoseLike = None, **query: Any) -> answers.Certificate:
    """A proof that two moving bodies never touch, as a text for `brink verify`. Poses, motions: as of
    :func:`first_contact`; query: as of :meth:`brink.World.certify` (clearance, tolerance).

    >>> import brink
    >>> box, q = brink.Box((0.5, 0.5, 0.5)), (1, 0, 0, 0)
    >>> proof = brink.certify(box, box, (q, (0, 0, 0)), (q, (0, 4, 0)), (q, (3, 0, 0)))
    >>> proof.state, proof.text.splitlines()[0]
    ('proven', 'brink-certificate 1')
    """
    world, one, other = _pair(shape_a, shape_b, a0, a1, b0, b1)
    with world:
        return world.certify(one, other, **query)


# Rows that lie in memory as brinkBodyMotion and brinkContact do; test_layout.py compares them with the structs.
_motion_dtype = np.dtype({
    "names": ["structSize", "kind", "pose0p", "pose0q", "pose1p", "pose1q"],
    "formats": ["<u4", "<u4", "(3,)<f8", "(4,)<f8", "(3,)<f8", "(4,)<f8"],
    "offsets": [0, 4, _abi.BodyMotion.pose0.offset, _abi.BodyMotion.pose0.offset + _abi.Pose.rotation.offset,
                _abi.BodyMotion.pose1.offset, _abi.BodyMotion.pose1.offset + _abi.Pose.rotation.offset],
    "itemsize": c.sizeof(_abi.BodyMotion)})
_contact_dtype = np.dtype({
    "names": ["state", "toi", "toiUpper", "distance", "pointA", "pointB", "normal"],
    "formats": ["<u4", "<f8", "<f8", "<f8", "(3,)<f8", "(3,)<f8", "(3,)<f8"],
    "offsets": [getattr(_abi.Contact, name).offset
                for name in ("state", "toi", "toiUpper", "distance", "pointA", "pointB", "normal")],
    "itemsize": c.sizeof(_abi.Contact)})
