# SPDX-License-Identifier: BSD-3-Clause
"""Shapes, in m. They belong to no world, never change, and may be used in any number of worlds. They can be copied and
pickled, but for :func:`Support`.

Anything with ``.vertices`` and ``.faces`` (a trimesh mesh for one), and any pair ``(vertices, faces)``, is taken for a
mesh. A mesh is preprocessed ("cooked") each time it is handed over so; make a :class:`Mesh` of one that is asked about
often.

>>> Sphere(0.5)
Sphere(0.5)
>>> Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]).solid
True
"""
from __future__ import annotations

import ctypes as c
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi, _library, errors
from .poses import Pose, PoseLike, floats, real, vec

_C = _abi.CONSTANTS


class Shape:
    """What all shapes share: ``margin``, m, by which the shape is swept by a sphere (rounding)."""

    __slots__ = ("_text", "_members", "__weakref__")

    def __init__(self, text: str, margin: float = 0.0, **members: Any):
        self._text = text
        self._members = dict(members, margin=real(margin, "margin"))  # arrays: its own, points: of the mesh
        if not 0.0 <= self._members["margin"] < float("inf"):
            raise errors.make(3, "%s: margin is %g: must be finite and not negative" % (text, margin))

    def __repr__(self) -> str:
        return self._text

    def _make(self, world: Any) -> int:
        """Creates the shape in a world; its handle."""
        definition, out = self._definition(), _abi.u64()
        world._do("createShape", c.byref(definition), c.byref(out))
        return out.value

    def _definition(self, **members: Any) -> _abi.ShapeDef:
        """For a call: it points into this shape's arrays, which a copy of the shape has of its own."""
        definition = _abi.ShapeDef(**members)
        for name, value in self._members.items():
            if name == "points":
                definition.mesh = _view(value)
            elif isinstance(value, np.ndarray):
                setattr(definition, name, value.ctypes.data_as(_POINTERS[name]))
            else:
                setattr(definition, name, value)
        return definition

    def _unmake(self, world: Any, handle: int) -> None:
        """The world has no more use for it."""
        world._do("destroyShape", handle)

    def _judged(self) -> "Shape":
        """Refuses at once, in the library's words, what no world would take."""
        world = _abi.World()
        _library.check(None, _library.api.createWorld(None, None, c.byref(world)))
        try:
            definition, out = self._definition(), _abi.u64()
            status = _library.api.createShape(world, c.byref(definition), c.byref(out))
            if status != 0:
                raise errors.make(status, "%s: %s" % (self._text, _library.api.lastError(world).decode()))
        finally:
            _library.api.destroyWorld(world)
        return self


def Sphere(radius: float) -> Shape:
    """A ball about the origin."""
    radius = real(radius, "radius")
    return Shape("Sphere(%g)" % radius, type=_C["brink_sphere"], size=_abi.Vec3(radius))._judged()


def Capsule(radius: float, half_length: float, margin: float = 0.0) -> Shape:
    """Along z; half_length is that of the segment, without the caps."""
    radius, half_length = real(radius, "radius"), real(half_length, "half_length")
    return Shape("Capsule(%g, %g)" % (radius, half_length), margin, type=_C["brink_capsule"],
                 size=_abi.Vec3(radius, 0, half_length))._judged()


def Box(half_extents: Any, margin: float = 0.0) -> Shape:
    """Half extents along x, y, z."""
    size = vec(half_extents, "half_extents")
    return Shape("Box(%g, %g, %g)" % (size.x, size.y, size.z), margin, type=_C["brink_box"], size=size)._judged()


def Cylinder(radius: float, half_length: float, margin: float = 0.0) -> Shape:
    """Along z."""
    radius, half_length = real(radius, "radius"), real(half_length, "half_length")
    return Shape("Cylinder(%g, %g)" % (radius, half_length), margin, type=_C["brink_cylinder"],
                 size=_abi.Vec3(radius, 0, half_length))._judged()


def Plane(normal: Any = (0, 0, 1), offset: float = 0.0) -> Shape:
    """The half-space normal.x <= offset: the ground below z = 0 by default."""
    along, offset = vec(normal, "normal"), real(offset, "offset")
    return Shape("Plane(%s, %g)" % (tuple(normal), offset), type=_C["brink_plane"], normal=along,
                 offset=offset)._judged()


def Point(margin: float = 0.0) -> Shape:
    """The origin."""
    return Shape("Point()", margin, type=_C["brink_point"])._judged()


def Segment(end: Any, margin: float = 0.0) -> Shape:
    """From -end to +end."""
    size = vec(end, "end")
    return Shape("Segment(%s)" % (tuple(end),), margin, type=_C["brink_segment"], size=size)._judged()


def Ray(end: Any, margin: float = 0.0) -> Shape:
    """From the origin to end; it moves and turns with its body."""
    size = vec(end, "end")
    return Shape("Ray(%s)" % (tuple(end),), margin, type=_C["brink_ray"], size=size)._judged()


def Hull(vertices: Any, margin: float = 0.0) -> Shape:
    """The convex hull of points [n, 3]."""
    points = _points(vertices)
    return Shape("Hull(%d points)" % len(points), margin, type=_C["brink_hull"], points=points)


def Heightfield(heights: Any, spacing: Tuple[float, float], solid_below: Optional[float] = None,
                margin: float = 0.0) -> Shape:
    """heights[row, column] is z, m, at (column spacing[0], row spacing[1]). solid_below: closed by walls and a floor at
    this z, below all samples; None: a surface without inside."""
    samples = _own(floats(heights, "heights"))
    if samples.ndim != 2:
        raise errors.make(3, "heights: a two-dimensional array is wanted, not one of shape %s" % (samples.shape,))
    apart = floats(spacing, "spacing")
    if apart.shape != (2,) or not np.all((apart > 0) & np.isfinite(apart)):
        raise errors.make(3, "spacing: two lengths above 0 are wanted, not %r" % (spacing,))
    return Shape("Heightfield(%d x %d)" % samples.shape, margin, type=_C["brink_heightfield"],
                 size=_abi.Vec3(*apart), heights=samples, rows=samples.shape[0], columns=samples.shape[1],
                 offset=real(solid_below or 0.0, "solid_below"),
                 flags=_C["BRINK_SHAPE_SOLID_BELOW"] if solid_below is not None else 0)


def Support(function: Callable[[np.ndarray], Any], radius: float, rounding: float = 0.0, margin: float = 0.0) -> Shape:
    """Any convex set, by its furthest point along a unit direction: ``function(direction) -> point``, pure. radius: of a
    ball about the origin that holds the set. rounding: how far its points may be off, m."""
    def call(_user, direction, point):
        try:
            answer = floats(function(np.array(direction[:3])), "support")
            if answer.size != 3:
                raise errors.make(3, "support: a point of 3 numbers is wanted, not an array of shape %s" % (answer.shape,))
            answer = answer.ravel()
        except BaseException as error:  # nothing may leave a callback of C's: NaN makes Brink take the ball instead
            errors.raised[shape] = error
            answer = (float("nan"),) * 3
        point[0], point[1], point[2] = answer

    radius, rounding = real(radius, "radius"), real(rounding, "rounding")
    shape = Shape("Support(radius %g)" % radius, margin, type=_C["brink_support"], support=_abi.SupportFunction(call),
                  supportRadius=radius, supportRounding=rounding)
    return shape


class Compound(Shape):
    """Other shapes at places of their own, as one: [(shape, pose), ...]."""

    __slots__ = ("children",)

    def __init__(self, children: Iterable[Tuple[Any, PoseLike]]):
        self.children = [(shape_of(shape), Pose.of(pose)) for shape, pose in pairs(children, "children", "shape, pose")]
        super().__init__("Compound(%d parts)" % len(self.children), type=_C["brink_compound"])

    def _make(self, world: Any) -> int:
        rows = (_abi.ShapeChild * max(len(self.children), 1))()
        out = _abi.u64()
        with world._taking() as take:
            for row, (shape, pose) in zip(rows, self.children):
                row.shape, row.pose = take(shape), pose._c()
            definition = self._definition(children=rows, childCount=len(self.children))
            world._do("createShape", c.byref(definition), c.byref(out))
        return out.value

    def _unmake(self, world: Any, handle: int) -> None:
        super()._unmake(world, handle)
        for shape, _ in self.children:
            world._give(shape)


class Mesh(Shape):
    """Triangles, cooked once.

    vertices: [n, 3], m. faces: [m, 3] from 0; repeated ids make segments and points. Both are copied. solid: it has an inside, and what
    is inside overlaps; True: refused when it is not closed; None: solid if it is closed. ``summary`` tells what was
    found: closed, manifold, convex, vertex_count, triangle_count, patch_count ...
    """

    __slots__ = ("vertices", "faces", "solid")

    def __init__(self, vertices: Any, faces: Any = None, solid: Optional[bool] = None, margin: float = 0.0,
                 quick: bool = False):
        if faces is None:
            vertices, faces = _arrays_of(vertices)
        points, ids = _points(vertices), _ids(faces)
        flags = [_C["BRINK_MESH_SOLID"], 0] if solid is None else [_C["BRINK_MESH_SOLID"] if solid else 0]
        for flag in flags:
            status, message, blob, size = _cook(points, ids, flag, quick)
            if status != _C["brink_errorNotClosed"]:
                break
        if status != 0:
            raise errors.make(status, message)
        self.vertices, self.faces = points, ids
        for array in (points, ids):  # what was cooked would not change with them
            array.setflags(write=False)
        self.solid = flag != 0
        # Words of eight bytes: aligned as a blob has to be.
        words = np.empty((size.value + 7) // 8, dtype=np.uint64)
        c.memmove(words.ctypes.data, blob, size.value)
        _library.library.brinkFreeBlob(blob)
        super().__init__("Mesh(%d triangles%s)" % (len(ids), ", solid" if self.solid else ""), margin,
                         type=_C["brink_mesh"], flags=_C["BRINK_SHAPE_BORROW_BLOB"], blob=words, blobSize=size.value)

    @property
    def summary(self) -> dict:
        found = _abi.MeshSummary()
        message = c.create_string_buffer(512)
        status = _library.library.brinkCheckBlob(self._members["blob"].ctypes.data, self._members["blobSize"],
                                                 c.byref(found), message, 512)
        if status != 0:
            raise errors.make(status, message.value.decode())
        lower, upper = found.bounds.lower, found.bounds.upper
        return {"closed": bool(found.closed), "manifold": bool(found.manifold), "convex": bool(found.convex),
                "vertex_count": found.vertexCount, "triangle_count": found.triangleCount,
                "degenerate_count": found.degenerateCount, "patch_count": found.patchCount,
                "node_count": found.nodeCount,
                "bounds": np.array([[lower.x, lower.y, lower.z], [upper.x, upper.y, upper.z]])}


ShapeLike = Union[Shape, Tuple[Any, Any], Any]


def shape_of(value: ShapeLike) -> Shape:
    """A shape of anything that is one: a shape, an object with .vertices and .faces, a pair (vertices, faces)."""
    if isinstance(value, Shape):
        return value
    return Mesh(*_arrays_of(value))


def pairs(rows: Iterable[Any], name: str, wanted: str) -> List[Tuple[Any, Any]]:
    """The rows of a list of pairs; InputError that names the row which is none."""
    try:
        found = list(rows)
    except TypeError:
        raise errors.make(3, "%s: a list of pairs (%s) is wanted, not %r" % (name, wanted, rows)) from None
    for i, row in enumerate(found):
        if not isinstance(row, (tuple, list)) or len(row) != 2:
            raise errors.make(3, "%s[%d]: a pair (%s) is wanted, not %r" % (name, i, wanted, row))
    return found


def _arrays_of(value: Any) -> Tuple[Any, Any]:
    if hasattr(value, "vertices") and hasattr(value, "faces"):
        return value.vertices, value.faces
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return value[0], value[1]
    raise errors.make(3, "%s is no shape: a brink shape, an object with .vertices and .faces, or a pair "
                      "(vertices, faces) is wanted" % type(value).__name__)


_POINTERS: dict = {"heights": c.POINTER(c.c_double), "blob": c.c_void_p}


def _own(array: np.ndarray, kind: Any = float) -> np.ndarray:
    """A copy that stays as it is: shapes never change."""
    copy = np.array(array, dtype=kind, order="C")
    copy.flags.writeable = False
    return copy


def _view(points: np.ndarray, ids: Optional[np.ndarray] = None, flags: int = 0) -> _abi.MeshView:
    view = _abi.MeshView(flags=flags, vertices=points.ctypes.data_as(c.POINTER(c.c_double)), vertexCount=len(points))
    if ids is not None:
        view.indices, view.triangleCount = ids.ctypes.data_as(c.POINTER(c.c_uint32)), len(ids)
    return view


def _points(vertices: Any) -> np.ndarray:
    points = floats(vertices, "vertices")
    if points.ndim != 2 or points.shape[1] != 3:
        raise errors.make(3, "vertices: an array of shape (n, 3) is wanted, not %s" % (points.shape,))
    return _own(points)


def _ids(faces: Any) -> np.ndarray:
    given = np.asarray(faces)
    if given.ndim != 2 or given.shape[1] != 3:
        raise errors.make(3, "faces: an array of shape (m, 3) is wanted, not %s; cut polygons into triangles" %
                          (given.shape,))
    if given.dtype.kind not in "iu":
        raise errors.make(7, "faces: whole numbers are wanted, not %s" % given.dtype)
    if given.size and (given.min() < 0 or given.max() > 0xFFFFFFFF):
        raise errors.make(7, "faces: index %d is out of range" % (given.min() if given.min() < 0 else given.max()))
    return _own(given, np.uint32)


def _cook(points: np.ndarray, ids: np.ndarray, flags: int, quick: bool):
    view = _view(points, ids, flags)
    options = _abi.CookOptions(flags=1 if quick else 0)
    blob, size, message = _abi.ptr(), _abi.size(), c.create_string_buffer(512)
    status = _library.library.brinkCook(c.byref(view), c.byref(options), c.byref(blob), c.byref(size), message, 512)
    return status, message.value.decode(errors="replace"), blob, size
