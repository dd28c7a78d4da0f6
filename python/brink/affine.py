# SPDX-License-Identifier: BSD-3-Clause
"""All contacts of two or many meshes, not only the first, and which parts meet, under rigid or affine motions.

A motion is a product of factors, the first is the outermost; a factor is made by :func:`Keys`, :func:`Polynomial`,
:func:`Rotation` or :func:`BezierMatrices`.
"""
from __future__ import annotations

import ctypes as c
from dataclasses import dataclass
from typing import Any, List, Sequence, Union

import numpy as np

from . import _abi, _library, answers, errors
from .poses import Pose, floats, real, vec, whole
from .shapes import Mesh, Shape, ShapeLike, _arrays_of, _ids, _own, _points, _view
from .world import World

_C = _abi.CONSTANTS
_BLENDS = {"linear": 0, "cubic": 1, "polar": 2}


class Factor:
    """One factor of a motion."""

    def __init__(self, kind: str, **members: Any):
        self._c = _abi.InverseFactorDef(kind=_C["brink_inverse" + kind])
        self._kept: list = []
        for name, value in members.items():
            if isinstance(value, np.ndarray):
                value = _own(value)
                self._kept.append(value)
                value = value.ctypes.data_as(c.POINTER(c.c_double))
            setattr(self._c, name, value)


def Keys(matrices: Any, times: Any = None, blend: str = "polar") -> Factor:
    """Through 4x4 arrays [n, 4, 4] at times from 0 to 1 (None: evenly). blend: "polar" (rotation at constant rate, the
    shorter way, the rest C1), "linear" (entries), "cubic" (entries, C1)."""
    rows = floats(matrices, "keys")
    if rows.ndim != 3 or rows.shape[1:] != (4, 4):
        raise errors.make(3, "keys: an array of shape (n, 4, 4) is wanted, not %s" % (rows.shape,))
    if blend not in _BLENDS:
        raise errors.make(3, "blend is one of %s" % ", ".join(_BLENDS))
    stops = floats(np.linspace(0, 1, len(rows)) if times is None else times, "times")
    if stops.shape != (len(rows),):
        raise errors.make(3, "keys: %d matrices and times of shape %s" % (len(rows), stops.shape))
    return Factor("Keys", matrices=rows, times=stops, count=len(rows), blend=_BLENDS[blend])


def Polynomial(coefficients: Any) -> Factor:
    """sum of t^k C_k, coefficients [n, 3, 4], n up to 9."""
    rows = floats(coefficients, "polynomial")
    if rows.ndim != 3 or rows.shape[1:] != (3, 4):
        raise errors.make(3, "polynomial: an array of shape (n, 3, 4) is wanted, not %s" % (rows.shape,))
    return Factor("Polynomial", matrices=rows, count=len(rows))


def Rotation(axis: Any, angle: Sequence[float]) -> Factor:
    """About an axis through the origin by sum of angle[k] t^k, rad, up to four of them."""
    given = floats(angle, "angle")
    if given.ndim != 1 or len(given) > 4:
        raise errors.make(3, "angle: up to four numbers are wanted, not an array of shape %s" % (given.shape,))
    four = np.zeros(4)
    four[: len(given)] = given
    return Factor("Rotation", axis=vec(axis), angle=(_abi.f64 * 4)(*four))


def BezierMatrices(controls: Any, weights: Any = None) -> Factor:
    """Rational Bezier curve of 4x4 arrays [n, 4, 4], n up to 9."""
    rows = floats(controls, "bezier")
    if rows.ndim != 3 or rows.shape[1:] != (4, 4):
        raise errors.make(3, "bezier: an array of shape (n, 4, 4) is wanted, not %s" % (rows.shape,))
    loads = floats(np.ones(len(rows)) if weights is None else weights, "weights")
    if loads.shape != (len(rows),):
        raise errors.make(3, "bezier: %d matrices and weights of shape %s" % (len(rows), loads.shape))
    return Factor("Bezier", matrices=rows, weights=loads, count=len(rows))


@dataclass(frozen=True)
class Intervals:
    """All contact intervals, in order of time; open_total: step time that is not settled."""

    intervals: List[answers.Interval]
    open_total: float
    cells: int

    def __len__(self) -> int:
        return len(self.intervals)

    def __getitem__(self, i: int) -> answers.Interval:
        return self.intervals[i]


def _motion(start: Any, end: Any) -> tuple:
    if isinstance(start, Factor):
        factors = [start]
    elif isinstance(start, (list, tuple)) and len(start) > 0 and all(isinstance(f, Factor) for f in start):
        factors = list(start)
    elif start is None and end is None:
        factors = []
    else:
        first = Pose.of(start)
        factors = [Keys(np.stack([first.matrix(), Pose.of(end).matrix() if end is not None else first.matrix()]))]
    rows = (_abi.InverseFactorDef * max(len(factors), 1))(*[f._c for f in factors])
    return _abi.InverseMotionDef(factors=rows, factorCount=len(factors)), (rows, factors)


def _body(shape: ShapeLike, solid: Any) -> tuple:
    if isinstance(shape, Mesh):
        points, ids, inside = shape.vertices, shape.faces, shape.solid if solid is None else solid
    elif isinstance(shape, Shape):
        raise errors.make(3, "%r: contact intervals are asked of meshes" % shape)
    else:
        vertices, faces = _arrays_of(shape)
        points, ids, inside = _points(vertices), _ids(faces), solid
        if inside is None:
            inside = Mesh(points, ids).solid
    view = _view(points, ids, _C["BRINK_MESH_SOLID"] if inside else 0)
    return _abi.InverseBodyDef(kind=_C["brink_inverseMesh"], mesh=view), (points, ids)


MotionLike = Union[Factor, Sequence[Factor], Any]


def contact_intervals(mesh_a: ShapeLike, mesh_b: ShapeLike, a0: MotionLike = None, a1: Any = None,
                      b0: MotionLike = None, b1: Any = None, *, t_start: float = 0.0, t_end: float = 1.0,
                      time_tolerance: float = 0.0, near_distance: float = 0.0, solid_a: Any = None,
                      solid_b: Any = None) -> Intervals:
    """All times at which two meshes are in contact, with ends bracketed within time_tolerance (0: 1e-9).

    a0, a1, b0, b1: poses at the start and the end, or a factor, or a list of factors, in place of the first. solid_a,
    solid_b: whether the meshes have an inside; None: if they are closed.

    >>> import brink, numpy as np
    >>> corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.5
    >>> quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    >>> cube = (corners, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    >>> q = (1, 0, 0, 0)
    >>> found = brink.contact_intervals(cube, cube, (q, (-4, 0, 0)), (q, (4, 0, 0)))
    >>> round(found[0].start[0], 6), round(found[-1].end[1], 6)
    (0.375, 0.625)
    >>> [i.state for i in found.intervals]  # where the faces touch exactly, contact cannot be told from a hair apart
    ['near', 'proven', 'near']
    """
    scene, _kept = _scene(mesh_a, mesh_b, a0, a1, b0, b1, solid_a, solid_b)
    query = _abi.InverseQuery(tStart=real(t_start, "t_start"), tEnd=real(t_end, "t_end"),
                              timeTolerance=real(time_tolerance, "time_tolerance"),
                              nearDistance=real(near_distance, "near_distance"))
    raw = _abi.InverseIntervals()
    with World() as world:
        world._finish(_table().contactIntervals(world._pointer, c.byref(scene), c.byref(query), c.byref(raw)))
        return Intervals([_interval(raw.intervals[i]) for i in range(raw.count)], raw.openTotal, raw.cells)


def _table() -> Any:
    return _library.extension("brink.inverse-path/1", _abi.InverseTable)


def _scene(mesh_a: ShapeLike, mesh_b: ShapeLike, a0: Any, a1: Any, b0: Any, b1: Any, solid_a: Any,
           solid_b: Any) -> tuple:
    """The scene, and the arrays that it points into."""
    body_a, kept_a = _body(mesh_a, solid_a)
    body_b, kept_b = _body(mesh_b, solid_b)
    motion_a, held_a = _motion(a0, a1)
    motion_b, held_b = _motion(b0, b1)
    return (_abi.InverseSceneDef(a=body_a, b=body_b, motionA=motion_a, motionB=motion_b),
            (kept_a, kept_b, held_a, held_b))


def _sampling(sample: str) -> int:
    if sample not in ("a", "b"):
        raise errors.make(3, "sample: 'a' or 'b' is wanted, not %r" % (sample,))
    return _C["BRINK_INVERSE_SWAP" if sample == "a" else "BRINK_INVERSE_SAMPLE_B"]


def _copied(pointer: Any, count: int, width: int, kind: Any) -> np.ndarray:
    if count == 0:
        return np.zeros((0, width), dtype=kind)
    return np.ctypeslib.as_array(pointer, shape=(count, width)).astype(kind)


@dataclass(frozen=True)
class InterferingSolid:
    """The part of a body that meets another: an estimate, smaller by about the points' distance all around."""

    points: np.ndarray      #: (n, 3), in the body's frame
    tetrahedra: np.ndarray  #: (m, 4), ids of points; each centre is proven to meet the other body
    faces: np.ndarray       #: (k, 3): the closed surface, outward
    volume: float
    spacing: float          #: every boundary point of the body lies within this of a sample


def interfering_solid(mesh_a: ShapeLike, mesh_b: ShapeLike, a0: MotionLike = None, a1: Any = None,
                      b0: MotionLike = None, b1: Any = None, *, sample: str = "b", spacing: float = 0.0,
                      inside_pitch: float = 0.0, t_start: float = 0.0, t_end: float = 1.0, solid_a: Any = None,
                      solid_b: Any = None) -> InterferingSolid:
    """The part of body B (sample="a": of A) that meets the other one at some time, as tetrahedra.

    spacing: 0 is a fortieth of the body's largest extent; inside_pitch: of points within, 0 is the spacing, or wider: no
    more points than on the boundary. The body is closed. Motions as in :func:`contact_intervals`.
    """
    scene, _kept = _scene(mesh_a, mesh_b, a0, a1, b0, b1, solid_a, solid_b)
    query = _abi.InverseQuery(flags=_sampling(sample), tStart=real(t_start, "t_start"),
                              tEnd=real(t_end, "t_end"), spacing=real(spacing, "spacing"),
                              insidePitch=real(inside_pitch, "inside_pitch"))
    raw = _abi.InverseSolid()
    with World() as world:
        world._finish(_table().interferingSolid(world._pointer, c.byref(scene), c.byref(query), c.byref(raw)))
        return InterferingSolid(_copied(raw.points, raw.pointCount, 3, float),
                                _copied(raw.tetrahedra, raw.tetrahedronCount, 4, np.int64),
                                _copied(raw.faces, raw.faceCount, 3, np.int64), raw.volume, raw.spacing)


@dataclass(frozen=True)
class InnerPath:
    """Where one sample of a body is while it is in the other one."""

    sample: np.ndarray    #: (3,), in the sampled body's frame
    times: np.ndarray     #: (n,), ascending; one where it only crosses
    positions: np.ndarray  #: (n, 3), in the other body's frame
    proven: bool          #: False: it may only touch


@dataclass(frozen=True)
class InnerPaths:
    """All such paths; at no time is a sample farther than deviation from its chord, proven."""

    paths: List[InnerPath]
    deviation: float
    spacing: float

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> InnerPath:
        return self.paths[i]


def inner_paths(mesh_a: ShapeLike, mesh_b: ShapeLike, a0: MotionLike = None, a1: Any = None, b0: MotionLike = None,
                b1: Any = None, *, sample: str = "b", deviation: float = 0.0, spacing: float = 0.0,
                inside_pitch: float = 0.0, t_start: float = 0.0, t_end: float = 1.0, solid_a: Any = None,
                solid_b: Any = None) -> InnerPaths:
    """The parts of the paths of B's samples that lie in A, seen from A (sample="a": the other way round).

    deviation: of the polygons from the paths, 0 is an eighth of the spacing. The rest as in :func:`interfering_solid`.
    """
    scene, _kept = _scene(mesh_a, mesh_b, a0, a1, b0, b1, solid_a, solid_b)
    query = _abi.InverseQuery(flags=_sampling(sample), tStart=real(t_start, "t_start"),
                              tEnd=real(t_end, "t_end"), spacing=real(spacing, "spacing"),
                              insidePitch=real(inside_pitch, "inside_pitch"))
    raw = _abi.InversePaths()
    with World() as world:
        world._finish(_table().innerPaths(world._pointer, c.byref(scene), c.byref(query),
                                            real(deviation, "deviation"), c.byref(raw)))
        pointer = c.cast(raw.vertices, c.POINTER(c.c_double))
        rows = _copied(pointer, raw.vertexCount, 4, float)  # t x y z
        found = []
        for i in range(raw.pathCount):
            path = raw.paths[i]
            part = rows[path.firstVertex:path.firstVertex + path.vertexCount]
            found.append(InnerPath(np.array((path.sample.x, path.sample.y, path.sample.z)), part[:, 0], part[:, 1:],
                                   bool(path.flags & _C["BRINK_INVERSE_PROVEN"])))
        return InnerPaths(found, raw.deviation, raw.spacing)


@dataclass(frozen=True)
class Moving:
    """A mesh and its motion, for :func:`contact_intervals_of_all`. start, end: as a0 and a1 of contact_intervals; solid:
    whether it has an inside, None: if it is closed; objects of one group other than 0 are not asked about each other."""

    mesh: ShapeLike
    start: MotionLike = None
    end: Any = None
    group: int = 0
    solid: Any = None


@dataclass(frozen=True)
class Meeting:
    """Two objects, by their places in the list, and when they meet."""

    a: int
    b: int
    intervals: List[answers.Interval]
    open_total: float


@dataclass(frozen=True)
class Meetings:
    """All pairs that meet, or of which that is not settled; all others are proven apart. asked: pairs that boxes left."""

    meetings: List[Meeting]
    pairs: int
    asked: int

    def __len__(self) -> int:
        return len(self.meetings)

    def __getitem__(self, i: int) -> Meeting:
        return self.meetings[i]


def contact_intervals_of_all(objects: Sequence[Moving], *, t_start: float = 0.0, t_end: float = 1.0,
                             time_tolerance: float = 0.0, near_distance: float = 0.0) -> Meetings:
    """All contact intervals of each pair of many moving meshes, as :func:`contact_intervals` tells those of two."""
    rows = (_abi.InverseObjectDef * max(len(objects), 1))()
    kept = []
    for i, one in enumerate(objects):
        body, arrays = _body(one.mesh, one.solid)
        motion, factors = _motion(one.start, one.end)
        rows[i] = _abi.InverseObjectDef(group=whole(one.group, "group", 0, 2 ** 32 - 1), body=body, motion=motion)
        kept.append((arrays, factors))
    assembly = _abi.InverseAssemblyDef(objects=rows, objectCount=len(objects))
    query = _abi.InverseQuery(tStart=real(t_start, "t_start"), tEnd=real(t_end, "t_end"),
                              timeTolerance=real(time_tolerance, "time_tolerance"),
                              nearDistance=real(near_distance, "near_distance"))
    raw = _abi.InverseMeetings()
    with World() as world:
        world._finish(_table().allContactIntervals(world._pointer, c.byref(assembly), c.byref(query), c.byref(raw)))
        found = []
        for i in range(raw.count):
            pair = raw.meetings[i]
            found.append(Meeting(pair.a, pair.b, [_interval(raw.intervals[pair.firstInterval + k])
                                                for k in range(pair.intervalCount)], pair.openTotal))
        return Meetings(found, raw.pairs, raw.asked)


def _interval(raw: _abi.InverseInterval) -> answers.Interval:
    state = ("crossing" if raw.flags & _C["BRINK_INVERSE_CROSSING"] else
             "near" if raw.flags & _C["BRINK_INVERSE_NEAR"] else
             "open" if not raw.flags & _C["BRINK_INVERSE_PROVEN"] else
             "gapped" if raw.openInside else "proven")
    return answers.Interval((raw.startLower, raw.startUpper), (raw.endLower, raw.endUpper), state,
                            bool(raw.flags & _C["BRINK_INVERSE_AT_START"]), bool(raw.flags & _C["BRINK_INVERSE_AT_END"]),
                            (raw.startA, raw.startB), (raw.endA, raw.endB))
