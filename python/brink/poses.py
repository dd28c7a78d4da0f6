# SPDX-License-Identifier: BSD-3-Clause
"""Places in space. A pose is anything of these:

* a 4x4 array, a rotation and a translation (row-major, last row 0 0 0 1);
* a pair ``(q, p)``: quaternion (w, x, y, z) of any length but 0, position in m;
* :class:`Pose`, or None for the identity.

>>> import numpy as np
>>> Pose.of(np.eye(4))
Pose(q=(1, 0, 0, 0), p=(0, 0, 0))
>>> Pose.of(((1, 0, 0, 0), (0, 0, 2))).matrix()[2, 3]
2.0
"""
from __future__ import annotations

import operator
from typing import Any, Mapping, Sequence, Union

import numpy as np

from . import _abi, errors

#: how far a 4x4 array may be from a rotation, largest entry of R^T R - I
ROTATION_SLACK = 1e-6

PoseLike = Union["Pose", np.ndarray, Sequence, None]


class Pose:
    """A rotation ``q`` (w, x, y, z; unit) and a position ``p``, m: x_parent = p + rotate(q, x)."""

    __slots__ = ("q", "p")

    def __init__(self, q: Any = (1, 0, 0, 0), p: Any = (0, 0, 0)):
        self.q = _numbers(q, 4, "q (w, x, y, z)")
        self.p = _numbers(p, 3, "p")
        if not np.any(self.q):
            raise errors.make(4, "the quaternion is zero")
        self.q = _units(self.q)

    def __repr__(self) -> str:
        return "Pose(q=(%s), p=(%s))" % tuple(", ".join("%.9g" % x for x in v) for v in (self.q, self.p))

    @staticmethod
    def of(value: PoseLike) -> "Pose":
        """Makes a pose of anything that is one."""
        if value is None:
            return Pose()
        if isinstance(value, Pose):
            return value
        if isinstance(value, (tuple, list)) and len(value) == 2:
            return Pose(*value)
        array = floats(value, "pose")
        if array.shape != (4, 4):
            raise errors.make(3, "a pose is a 4x4 array or a pair (quaternion, position), not an array of shape %s" %
                              (array.shape,))
        q, p = from_matrices(array[None])
        return Pose(q[0], p[0])

    def matrix(self) -> np.ndarray:
        """The same as a 4x4 array."""
        w, x, y, z = self.q
        out = np.eye(4)
        out[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                       [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                       [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        out[:3, 3] = self.p
        return out

    def _c(self) -> _abi.Pose:
        return _abi.Pose(_abi.Vec3(*self.p), _abi.Quat(*self.q))

    @staticmethod
    def _from_c(pose: _abi.Pose) -> "Pose":
        return Pose((pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z),
                    (pose.position.x, pose.position.y, pose.position.z))


def _units(q: np.ndarray) -> np.ndarray:
    """Quaternions [..., 4] of any length but 0 with length 1. A power of two is taken out first: exact, and the squares
    of what is left are numbers however long or short the quaternion is."""
    _, exponent = np.frexp(np.max(np.abs(q), axis=-1, keepdims=True))
    near = np.ldexp(q, -exponent)
    return near / np.linalg.norm(near, axis=-1, keepdims=True)


def whole(value: Any, what: str, low: int = 0, high: int = 2 ** 64 - 1) -> int:
    """A whole number from low to high; InputError by the name of the argument for anything else: C would wrap it."""
    try:
        number = operator.index(value)
    except TypeError:
        raise errors.make(3, "%s: a whole number is wanted, not %r" % (what, value)) from None
    if not low <= number <= high:
        raise errors.make(3, "%s is %d: whole numbers from %d to %d are possible" % (what, number, low, high))
    return number


def real(value: Any, what: str) -> float:
    """A real number; InputError by the name of the argument for text, None, complex numbers and the like. Whether it
    makes sense is the library's to say."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise errors.make(3, "%s: a real number is wanted, not %r" % (what, value)) from None


def choice(value: Any, known: Mapping[str, int], what: str) -> int:
    """What a word stands for; InputError that lists the words."""
    if not isinstance(value, str) or value not in known:
        raise errors.make(3, "%s is one of %s, not %r" % (what, ", ".join(known), value))
    return known[value]


def floats(value: Any, what: str) -> np.ndarray:
    """An array of doubles in C order; InputError for what is not an array of real numbers (complex, text, ragged)."""
    try:
        given = np.asarray(value)
        kind = "text or nothing" if given.dtype.kind in "USVmM" else "complex numbers" if given.dtype.kind == "c" else ""
        for x in given.ravel().tolist() if given.dtype.kind == "O" else []:
            if x is None or isinstance(x, (str, bytes, complex, np.complexfloating)):
                kind = "%r among the numbers" % (x,)
                break
        if not kind:
            return np.asarray(given, dtype=float, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        kind = str(error)
    raise errors.make(3, "%s: an array of real numbers is wanted: %s; give floats (of complex numbers: .real)" %
                      (what, kind))


def _numbers(value: Any, count: int, what: str) -> np.ndarray:
    array = np.squeeze(floats(value, what))
    if array.shape != (count,) or not np.all(np.isfinite(array)):
        raise errors.make(3, "%s: %d finite numbers are wanted, not %r" % (what, count, value))
    return array


def vec(value: Any, what: str = "vector") -> _abi.Vec3:
    """Three finite numbers for C."""
    return _abi.Vec3(*_numbers(value, 3, what))


def from_matrices(matrices: Any) -> tuple[np.ndarray, np.ndarray]:
    """Quaternions [n, 4] and positions [n, 3] of 4x4 arrays [n, 4, 4]; InputError for anything but rotations."""
    m = floats(matrices, "poses")
    if m.ndim != 3 or m.shape[1:] != (4, 4):
        raise errors.make(3, "poses: an array of shape (n, 4, 4) is wanted, not %s" % (m.shape,))
    if not np.all(np.isfinite(m)):
        raise errors.make(3, "pose %d has entries that are not finite" % int(np.argmin(np.isfinite(m).all(axis=(1, 2)))))
    r = m[:, :3, :3]
    off = np.abs(np.einsum("nki,nkj->nij", r, r) - np.eye(3)).max(axis=(1, 2))
    bad = (off > ROTATION_SLACK) | (np.linalg.det(r) <= 0) | np.any(m[:, 3] != [0, 0, 0, 1], axis=1)
    if bad.any():
        i = int(np.argmax(bad))
        raise errors.make(4, "pose %d is not a rotation and a translation: R^T R is off by %.3g, determinant %.6g, last "
                          "row %s" % (i, off[i], np.linalg.det(r[i]), m[i, 3].tolist()))
    # The largest of four candidates is divided by: no loss of digits at half turns.
    t = np.stack([1 + r[:, 0, 0] + r[:, 1, 1] + r[:, 2, 2], 1 + r[:, 0, 0] - r[:, 1, 1] - r[:, 2, 2],
                  1 - r[:, 0, 0] + r[:, 1, 1] - r[:, 2, 2], 1 - r[:, 0, 0] - r[:, 1, 1] + r[:, 2, 2]], axis=1)
    a, b, c = r[:, 2, 1] - r[:, 1, 2], r[:, 0, 2] - r[:, 2, 0], r[:, 1, 0] - r[:, 0, 1]
    d, e, f = r[:, 1, 0] + r[:, 0, 1], r[:, 0, 2] + r[:, 2, 0], r[:, 2, 1] + r[:, 1, 2]
    rows = np.stack([np.stack([t[:, 0], a, b, c], 1), np.stack([a, t[:, 1], d, e], 1),
                     np.stack([b, d, t[:, 2], f], 1), np.stack([c, e, f, t[:, 3]], 1)], axis=1)
    q = rows[np.arange(len(m)), np.argmax(t, axis=1)]
    return q / np.linalg.norm(q, axis=1, keepdims=True), m[:, :3, 3].copy()


def many(value: Any, count: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    """(q [count, 4], p [count, 3]) of n poses: an array (n, 4, 4), a pair of arrays, or one pose for all."""
    if isinstance(value, (tuple, list)) and len(value) == 2 and np.ndim(value[0]) == 2:
        q, p = floats(value[0], what), floats(value[1], what)
        if q.shape[1:] != (4,) or p.shape != (len(q), 3):
            raise errors.make(3, "%s: quaternions (n, 4) and positions (n, 3) are wanted, not %s and %s" %
                              (what, q.shape, p.shape))
        if not (np.all(np.isfinite(p)) and np.all(np.isfinite(q))):
            raise errors.make(3, "%s has entries that are not finite" % what)
        turned = np.any(q, axis=1)
        if not turned.all():
            raise errors.make(4, "%s: quaternion %d is zero" % (what, int(np.argmin(turned))))
        q = _units(q)
    elif isinstance(value, np.ndarray) and value.ndim == 3:
        q, p = from_matrices(value)
    else:
        one = Pose.of(value)
        q, p = np.tile(one.q, (count, 1)), np.tile(one.p, (count, 1))
    if len(q) != count:
        raise errors.make(3, "%s has %d poses where %d are wanted" % (what, len(q), count))
    return q, p


def count_of(*values: Any) -> int:
    """How many poses a batch has: the first of these that is more than one pose."""
    for value in values:
        if isinstance(value, np.ndarray) and value.ndim == 3:
            return len(value)
        if isinstance(value, (tuple, list)) and len(value) == 2 and np.ndim(value[0]) == 2:
            return len(value[0])
    raise errors.make(3, "no batch: at least one of the poses must be an array of shape (n, 4, 4)")
