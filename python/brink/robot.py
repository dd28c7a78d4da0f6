# SPDX-License-Identifier: BSD-3-Clause
"""Robots in joint space: is the way from configuration to configuration free? Proven, not sampled (brink/robot.h).

>>> import brink, numpy as np
>>> from brink.robot import Joint, Link, Robot
>>> world = brink.World()
>>> arm = Robot(world, [Link("foot"), Link("upper", [(brink.Box((0.25, 0.05, 0.05)), ((1, 0, 0, 0), (0.3, 0, 0)))]),
...                     Link("fore", [(brink.Box((0.2, 0.04, 0.04)), ((1, 0, 0, 0), (0.25, 0, 0)))])],
...             [Joint("shoulder", "revolute", "foot", "upper", axis=(0, 0, 1), limits=(-3, 3)),
...              Joint("elbow", "revolute", "upper", "fore", axis=(0, 0, 1), limits=(-2.5, 2.5),
...                    origin=((1, 0, 0, 0), (0.6, 0, 0)))])
>>> post = world.add(brink.Cylinder(0.05, 1.0), ((1, 0, 0, 0), (0.6, 0.6, 0)))
>>> answer = arm.edge([0, 0], [1.5, 0.5])
>>> answer.state, answer.link_a, answer.obstacle is post
(<State.HIT: 1>, 'fore', True)
>>> arm.edge([0, 0], 0.999 * answer.last_valid).is_free
True
>>> batch = arm.edges(np.zeros((2, 2)), [[1.5, 0.5], [-1.5, 0.5]], threads=2)
>>> batch.state.tolist(), batch.is_free.tolist()
([1, 0], [False, True])
>>> arm.poses([np.pi / 2, 0])[2, :3, 3].round(3).tolist()
[0.0, 0.6, 0.0]
>>> world.close()

Values of joints stand together in the order of the joints; fixed and mimic joints have none. m and rad. Robots from URDF
files: `brink robot` and `brink path`, docs/robots.md.
"""
from __future__ import annotations

import ctypes as c
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _abi, _library, answers, errors
from .poses import Pose, PoseLike, floats, real, vec, whole
from .shapes import Mesh, Shape, ShapeLike, pairs, shape_of
from .world import Collider, World, handle_of

_C = _abi.CONSTANTS
_NONE = _C["BRINK_ROBOT_NONE"]
#: values of a joint of each type
VALUES = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "screw": 1, "planar": 3, "floating": 7}
_TYPES = {name: number for number, name in enumerate(VALUES)}

LinkLike = Union[int, str]


@dataclass
class Link:
    """A link: its name, shapes [(shape, pose in the link's frame), ...], and m that are kept free around it."""

    name: str
    shapes: Sequence[Tuple[ShapeLike, PoseLike]] = ()
    padding: float = 0.0


@dataclass
class Joint:
    """A joint between two links, given by name or number.

    type      "fixed", "revolute", "continuous", "prismatic", "screw", "planar" (x, y, angle), "floating" (x y z, w x y z)
    axis      in the joint's frame; need not be unit
    origin    of the joint in the parent's frame
    limits    (lower, upper) of the values (floating: of x y z); must be given for revolute, prismatic and screw
    mimic     (joint, multiplier, offset): follows that joint and has no value of its own
    pitch     screw: m a turn
    """

    name: str
    type: str
    parent: LinkLike
    child: LinkLike
    axis: Any = (0, 0, 1)
    origin: PoseLike = None
    limits: Optional[Tuple[Any, Any]] = None
    mimic: Optional[Tuple[Union[int, str], float, float]] = None
    pitch: float = 0.0


@dataclass(frozen=True)
class Edge:
    """What is known of an edge, a configuration, a polyline or a spline.

    state         free (proven for all of it), hit, overlap (its start is in contact: within clearance, padding and
                  tolerance of something), unresolved
    toi           part of the edge before which nothing touches, proven; None when free
    toi_upper     a part at which contact is known; None when free
    segment       of a polyline or spline: where toi lies
    last_valid    [values]: the configuration at toi; free: the end. Of a hit nothing touches there yet, but something is
                  within the tolerance, which a question that ends or begins there calls a contact
    link_a, link_b, obstacle    who meets: link_b or the obstacle (a Collider) is None
    object_a, object_b    the held object that meets, or None: the link itself
    points, normal    witness at toi, [2, 3] and [3]; None with any=True, where they are not told, and when free
    pairs, distances, iterations    work
    """

    state: answers.State
    toi: Optional[float]
    toi_upper: Optional[float]
    segment: int
    last_valid: np.ndarray
    link_a: Optional[str] = None
    link_b: Optional[str] = None
    obstacle: Optional[Collider] = field(default=None, repr=False)
    object_a: Optional[int] = None
    object_b: Optional[int] = None
    points: Optional[np.ndarray] = None
    normal: Optional[np.ndarray] = None
    pairs: int = 0
    distances: int = 0
    iterations: int = 0

    @property
    def is_free(self) -> bool:
        """True: proven. False says only that this was not proven."""
        return self.state is answers.State.FREE


@dataclass(frozen=True)
class Edges:
    """Answers of a batch, in its order: arrays of one entry an edge. toi, toi_upper: NaN where :class:`Edge` has None.
    link_a, link_b: numbers of links; link_b -1: an obstacle; both -1: free. obstacle: Colliders, or None; these stay with
    their world when the rest is copied or pickled, for other processes."""

    state: np.ndarray
    toi: np.ndarray
    toi_upper: np.ndarray
    link_a: np.ndarray
    link_b: np.ndarray
    obstacle: np.ndarray = field(repr=False)

    def __reduce__(self) -> Any:
        return Edges, (self.state, self.toi, self.toi_upper, self.link_a, self.link_b,
                       np.full(len(self.state), None, dtype=object))

    @property
    def is_free(self) -> np.ndarray:
        """[n] bool: proven."""
        return self.state == int(answers.State.FREE)


@dataclass(frozen=True)
class Gap:
    """The smallest distance along an edge: between lower (proven) and upper (shown at ``time``), m; inf: no pair."""

    lower: float
    upper: float
    time: float
    settled: bool
    link_a: Optional[str]
    link_b: Optional[str]
    obstacle: Optional[Collider] = field(default=None, repr=False)


_result_dtype = np.dtype([("state", "u4"), ("link_a", "u4"), ("link_b", "u4"), ("reserved", "u4"), ("obstacle", "u8"),
                          ("toi", "f8"), ("toi_upper", "f8")])


def _pointer(array: np.ndarray) -> Any:
    return array.ctypes.data_as(c.POINTER(_abi.f64))


class Robot:
    """A tree of links and joints among the colliders of a world, which are its obstacles. One thread at a time.

    base: pose of the root in the world. allowed: pairs of links that are never tested against each other; those that a
    joint joins are not either, unless test_adjacent. Lives as long as its world at most.
    """

    def __init__(self, world: World, links: Sequence[Link], joints: Sequence[Joint], *, base: PoseLike = None,
                 allowed: Sequence[Tuple[LinkLike, LinkLike]] = (), test_adjacent: bool = False):
        self.world, self.links, self.joints = world, list(links), list(joints)
        self._table = _library.extension("brink.robot/1", _abi.RobotTable)
        self._pointer: Any = None
        self._view: Any = None
        self._shapes: List[Shape] = []  # of its links, and what it holds, by number: its world keeps them for it
        self._held: Dict[int, Shape] = {}
        self._link_numbers = self._numbers([link.name for link in self.links], "link")
        self._joint_numbers = self._numbers([joint.name for joint in self.joints], "joint")
        link_rows = (_abi.RobotLinkDef * max(len(self.links), 1))(
            *[_abi.RobotLinkDef(name=link.name.encode(), padding=real(link.padding, "padding")) for link in self.links])
        joint_rows = (_abi.RobotJointDef * max(len(self.joints), 1))(*[self._joint(joint) for joint in self.joints])
        placed = [(i, shape_of(shape), Pose.of(pose)) for i, link in enumerate(self.links)
                  for shape, pose in pairs(link.shapes, "link %s: shapes" % link.name, "shape, pose")]
        self._shapes = [shape for _, shape, _ in placed]
        shapes = [_abi.RobotShape(link=i, pose=pose._c()) for i, _, pose in placed]
        left_out = [_abi.RobotLinkPair(self._link(a), self._link(b)) for a, b in pairs(allowed, "allowed", "link, link")]
        shape_rows = (_abi.RobotShape * max(len(shapes), 1))(*shapes)
        pair_rows = (_abi.RobotLinkPair * max(len(left_out), 1))(*left_out)
        definition = _abi.RobotDef(flags=_C["BRINK_ROBOT_TEST_ADJACENT"] if test_adjacent else 0,
                                   base=Pose.of(base)._c(), links=link_rows, joints=joint_rows, shapes=shape_rows,
                                   allowed=pair_rows, linkCount=len(self.links), jointCount=len(self.joints),
                                   shapeCount=len(shapes), allowedCount=len(left_out))
        out = _abi.ptr()
        self._world()
        with world._taking() as take:
            for i, shape in enumerate(self._shapes):
                shape_rows[i].shape = take(shape)
            self._check(self._table.create(self._world(), c.byref(definition), c.byref(out)))
        self._pointer = out.value
        self._check(self._table.createView(self._pointer, c.byref(out)))
        self._view = out.value
        info = _abi.RobotInfo()
        self._check(self._table.info(self._pointer, c.byref(info)))
        #: doubles of a configuration
        self.value_count: int = info.valueCount

    # ---- names, numbers, calls

    @staticmethod
    def _numbers(names: Sequence[str], what: str) -> Dict[str, int]:
        for name in names:
            if not isinstance(name, str):
                raise errors.make(3, "%s: a name is a text, not %r" % (what, name))
            if "\0" in name or name.encode(errors="replace").decode() != name:
                raise errors.make(3, "%s %r: a name has no NUL and no half of a character" % (what, name))
        known = {name: i for i, name in enumerate(names)}
        if len(known) < len(names):
            raise errors.make(3, "two %ss have the same name: %s" % (what, ", ".join(sorted(names))))
        return known

    def _number(self, known: Dict[str, int], value: LinkLike, what: str) -> int:
        number = known.get(value, -1) if isinstance(value, str) else whole(value, what, -2 ** 63)
        if not 0 <= number < len(known):
            raise errors.make(7, "there is no %s %r" % (what, value))
        return number

    def _link(self, link: LinkLike) -> int:
        return self._number(self._link_numbers, link, "link")

    def _joint(self, joint: Joint) -> _abi.RobotJointDef:
        if joint.type not in _TYPES:
            raise errors.make(3, "joint %s: type is one of %s, not %r" % (joint.name, ", ".join(_TYPES), joint.type))
        row = _abi.RobotJointDef(type=_TYPES[joint.type], parent=self._link(joint.parent), child=self._link(joint.child),
                                 mimic=_NONE, name=joint.name.encode(), origin=Pose.of(joint.origin)._c(),
                                 axis=vec(joint.axis, "axis"), pitch=real(joint.pitch, "pitch"),
                                 multiplier=1.0)
        if joint.limits is not None:
            row.flags = _C["BRINK_ROBOT_JOINT_LIMITED"]
            lower, upper = self._parts(joint, "limits", "lower, upper")
            for target, values in ((row.lower, lower), (row.upper, upper)):
                numbers = np.atleast_1d(floats(values, "joint %s: limits" % joint.name))
                if numbers.shape != (min(VALUES[joint.type], 3),):  # floating: of x y z
                    raise errors.make(3, "joint %s: limits have shape %s; %d numbers each are wanted" % (
                        joint.name, numbers.shape, min(VALUES[joint.type], 3)))
                target[: len(numbers)] = numbers.tolist()
        if joint.mimic is not None:
            followed, multiplier, offset = self._parts(joint, "mimic", "joint, multiplier, offset")
            row.mimic = self._number(self._joint_numbers, followed, "joint")
            row.multiplier = real(multiplier, "joint %s: multiplier" % joint.name)
            row.offset = real(offset, "joint %s: offset" % joint.name)
        return row

    @staticmethod
    def _parts(joint: Joint, member: str, wanted: str) -> Any:
        value = getattr(joint, member)
        if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != wanted.count(",") + 1:
            raise errors.make(3, "joint %s: %s is (%s), not %r" % (joint.name, member, wanted, value))
        return value

    def _world(self) -> Any:
        if self.world._pointer is None:
            raise errors.make(11, "this robot's world was closed")
        return self.world._pointer

    def _handle(self) -> Any:
        self._world()
        if self._pointer is None:
            raise errors.make(11, "this robot was destroyed")
        return self._pointer

    def _check(self, status: int) -> None:
        self.world._finish(status)

    def _asked(self, status: int) -> None:
        self.world._raise()
        if status != 0:
            raise errors.make(status, (self._table.viewError(self._view) or b"").decode(errors="replace"))

    def _values(self, q: Any, what: str = "q", rows: Optional[int] = None) -> np.ndarray:
        """[values], or with rows [n, values]."""
        array = floats(q, what)
        if rows is not None and array.shape == (0,):  # [], no rows
            array = array.reshape(0, self.value_count)
        wanted = (self.value_count,) if rows is None else (array.shape[0] if array.ndim else 0, self.value_count)
        if array.shape != wanted:
            raise errors.make(3, "%s has shape %s; %s values are wanted%s" % (
                what, array.shape, self.value_count, "" if rows is None else " a row"))
        return array

    def _query(self, self_pairs: bool, any: bool, shorter: bool, limits: bool, clearance: float, tolerance: float,
               max_iterations: int) -> _abi.EdgeQuery:
        flags = (0 if self_pairs else _C["BRINK_EDGE_NO_SELF"]) | (_C["BRINK_EDGE_ANY"] if any else 0) | (
            _C["BRINK_EDGE_SHORTER"] if shorter else 0) | (0 if limits else _C["BRINK_EDGE_NO_LIMITS"])
        return _abi.EdgeQuery(flags=flags, clearance=real(clearance, "clearance"),
                              tolerance=real(tolerance, "tolerance"),
                              maxIterations=whole(max_iterations, "max_iterations"))

    def _name(self, link: int) -> Optional[str]:
        return None if link == _NONE else self.links[link].name

    def _answer(self, raw: _abi.EdgeAnswer, last: np.ndarray) -> Edge:
        state, first = answers.State(raw.state), raw.first
        work = {"pairs": raw.pairs, "distances": raw.distances, "iterations": raw.iterations}
        if state is answers.State.FREE:
            return Edge(state, None, None, raw.segment, last, **work)
        normal = answers.vector(first.normal)
        told = bool(np.any(normal))
        return Edge(state, raw.toi, raw.toiUpper if raw.toiUpper <= 1.0 else None, raw.segment, last,
                    self._name(first.linkA), self._name(first.linkB), self.world._colliders.get(first.obstacle),
                    None if first.objectA == _NONE else first.objectA, None if first.objectB == _NONE else first.objectB,
                    np.stack([answers.vector(first.pointA), answers.vector(first.pointB)]) if told else None,
                    normal if told else None, **work)

    def _ask(self, name: str, *arguments: Any, query: _abi.EdgeQuery) -> Edge:
        self._handle()
        last = np.zeros(max(self.value_count, 1))
        raw = _abi.EdgeAnswer(lastValid=_pointer(last))
        self._asked(getattr(self._table, name)(self._view, *arguments, c.byref(query), c.byref(raw)))
        return self._answer(raw, last[: self.value_count])

    # ---- what it is

    def set_allowed(self, a: LinkLike, b: LinkLike, allowed: bool = True) -> None:
        """These two links are never tested against each other, or are again."""
        self._check(self._table.setAllowed(self._handle(), self._link(a), self._link(b), int(allowed)))

    def set_allowed_obstacle(self, link: LinkLike, obstacle: Collider, allowed: bool = True) -> None:
        """This link is never tested against this collider of the world, or is again."""
        self._check(self._table.setAllowedObstacle(self._handle(), self._link(link),
                                                   handle_of(obstacle, Collider, "obstacle"), int(allowed)))

    def set_padding(self, link: LinkLike, padding: float) -> None:
        """m that are kept free around the link."""
        self._check(self._table.setPadding(self._handle(), self._link(link), real(padding, "padding")))

    def attach(self, link: LinkLike, shape: ShapeLike, pose: PoseLike = None, touching: Sequence[LinkLike] = ()) -> int:
        """Something held: it moves with the link until it is detached, with that link's padding around it. touching: links
        it is never tested against, beside its own. Its number."""
        rows = (_abi.u32 * max(len(touching), 1))(*[self._link(other) for other in touching])
        definition = _abi.RobotObjectDef(link=self._link(link), pose=Pose.of(pose)._c(), touching=rows,
                                         touchingCount=len(touching))
        out, made = _abi.u32(), shape_of(shape)
        self._handle()
        with self.world._taking() as take:
            definition.shape = take(made)
            self._check(self._table.attach(self._handle(), c.byref(definition), c.byref(out)))
        self._held[out.value] = made
        return out.value

    def detach(self, number: int, q: Any = None) -> Optional[Pose]:
        """Lets go of it; with a configuration: where it then is in the world."""
        number, pose = whole(number, "number", 0, 2 ** 32 - 1), _abi.Pose()
        where = (None, None) if q is None else (_pointer(self._values(q)), c.byref(pose))
        self._check(self._table.detach(self._handle(), number, *where))
        self.world._give(self._held.pop(number))
        return None if q is None else Pose._from_c(pose)

    def destroy(self) -> None:
        """The robot goes; its world stays."""
        self._check(self._table.destroy(self._handle()))
        self._pointer = self._view = None
        for shape in self._shapes + list(self._held.values()):
            self.world._give(shape)

    # ---- kinematics

    def poses(self, q: Any) -> np.ndarray:
        """[links, 4, 4]: where the links are in the world. Limits are not checked."""
        rows = (_abi.Pose * max(len(self.links), 1))()
        self._told(self._table.poses(self._handle(), _pointer(self._values(q)), rows))
        return np.stack([Pose._from_c(rows[i]).matrix() for i in range(len(self.links))])

    def between(self, q0: Any, q1: Any, t: float, shorter: bool = False) -> np.ndarray:
        """[values] at t in [0, 1] of the edge."""
        out, t = np.zeros(self.value_count), real(t, "t")
        if not 0.0 <= t <= 1.0:
            raise errors.make(3, "t is %g: parts of an edge are from 0 to 1" % t)
        self._told(self._table.between(self._handle(), _pointer(self._values(q0, "q0")),
                                       _pointer(self._values(q1, "q1")), t, _C["BRINK_EDGE_SHORTER"] if shorter else 0,
                                       _pointer(out)))
        return out

    def _told(self, status: int) -> None:
        """Of a call that may be made from any thread: it leaves no text behind."""
        _library.check(None, status)

    def check_limits(self, q: Any) -> None:
        """InputError that names the joint when a value is beyond its limits."""
        self._check(self._table.checkLimits(self._handle(), _pointer(self._values(q))))

    # ---- questions

    def edge(self, q0: Any, q1: Any, *, self_pairs: bool = True, any: bool = False, shorter: bool = False,
             limits: bool = True, clearance: float = 0.0, tolerance: float = 0.0, max_iterations: int = 0) -> Edge:
        """Is the straight way in joint space from q0 to q1 free?

        self_pairs: links against each other, too. any: yes or no; stops at any contact, and tells less. shorter:
        continuous joints go the shorter way round, where mimics of them then end the same. limits: values are checked. clearance, m: contact is coming within it.
        tolerance, m: 0 = 1e-6 of the smaller shape. max_iterations: of one pair."""
        query = self._query(self_pairs, any, shorter, limits, clearance, tolerance, max_iterations)
        return self._ask("edge", _pointer(self._values(q0, "q0")), _pointer(self._values(q1, "q1")), query=query)

    def configuration(self, q: Any, *, self_pairs: bool = True, any: bool = False, limits: bool = True,
                      clearance: float = 0.0, tolerance: float = 0.0) -> Edge:
        """One configuration: overlap when something is within the tolerance (beside clearance and padding), else free."""
        query = self._query(self_pairs, any, False, limits, clearance, tolerance, 0)
        return self._ask("configuration", _pointer(self._values(q)), query=query)

    def polyline(self, points: Any, *, self_pairs: bool = True, any: bool = False, shorter: bool = False,
                 limits: bool = True, clearance: float = 0.0, tolerance: float = 0.0, max_iterations: int = 0) -> Edge:
        """Straight in joint space from point to point: points [n, values]."""
        array = self._values(points, "points", 0)
        query = self._query(self_pairs, any, shorter, limits, clearance, tolerance, max_iterations)
        return self._ask("polyline", _pointer(array), len(array), query=query)

    def spline(self, points: Any, slopes: Any, *, self_pairs: bool = True, any: bool = False, limits: bool = True,
               clearance: float = 0.0, tolerance: float = 0.0, max_iterations: int = 0) -> Edge:
        """Cubic Hermite curve through points [n, values] with slopes [n, values] by the parameter, which grows by 1 a
        segment. tolerance, m: 0 = 1e-4 of the robot's reach; a hit is one within it. Not with floating joints."""
        array, rates = self._values(points, "points", 0), self._values(slopes, "slopes", 0)
        if len(array) != len(rates):
            raise errors.make(3, "%d points and %d slopes" % (len(array), len(rates)))
        query = self._query(self_pairs, any, False, limits, clearance, tolerance, max_iterations)
        return self._ask("spline", _pointer(array), _pointer(rates), len(array), query=query)

    def edges(self, q0: Any, q1: Any, *, threads: int = 1, self_pairs: bool = True, any: bool = True,
              shorter: bool = False, limits: bool = True, clearance: float = 0.0, tolerance: float = 0.0,
              max_iterations: int = 0) -> Edges:
        """Many edges, q0 [n, values] to q1 [n, values], on so many threads; the answers do not depend on how many."""
        first, last = self._values(q0, "q0", 0), self._values(q1, "q1", 0)
        if len(first) != len(last):
            raise errors.make(3, "%d starts and %d ends" % (len(first), len(last)))
        query = self._query(self_pairs, any, shorter, limits, clearance, tolerance, max_iterations)
        rows = np.zeros(max(len(first), 1), dtype=_result_dtype)
        self._check(self._table.edges(self._handle(), _pointer(first), _pointer(last), len(first), c.byref(query),
                                      whole(threads, "threads", 0, 2 ** 32 - 1), rows.ctypes.data_as(c.POINTER(_abi.EdgeResult))))
        rows = rows[: len(first)]
        link_a, link_b = rows["link_a"].astype(np.int32), rows["link_b"].astype(np.int32)
        toi, toi_upper = (np.where(rows[name] <= 1.0, rows[name], np.nan) for name in ("toi", "toi_upper"))
        handles, places = np.unique(rows["obstacle"], return_inverse=True)
        obstacles = np.empty(len(handles), dtype=object)
        obstacles[:] = [self.world._colliders.get(handle) for handle in handles.tolist()]
        return Edges(rows["state"].copy(), toi, toi_upper, link_a, link_b, obstacles[places])

    def clearance(self, q0: Any, q1: Any, *, self_pairs: bool = True, shorter: bool = False, limits: bool = True,
                  tolerance: float = 0.0) -> Gap:
        """The smallest distance along the edge between any two things that are tested against each other, without
        padding, to tolerance, m (0: 1e-4 of the smaller shape)."""
        flags = self._query(self_pairs, False, shorter, limits, 0.0, 0.0, 0).flags
        raw = _abi.RobotClearance()
        self._handle()
        self._asked(self._table.clearance(self._view, _pointer(self._values(q0, "q0")), _pointer(self._values(q1, "q1")),
                                          flags, real(tolerance, "tolerance"), c.byref(raw)))
        return Gap(raw.lower, raw.upper, raw.time, bool(raw.settled), self._name(raw.linkA), self._name(raw.linkB),
                   self.world._colliders.get(raw.obstacle))


def point_cloud(world: World, points: Any, radius: float) -> Collider:
    """An obstacle of many balls: points [n, 3], world, m, each with a radius; one collider."""
    array = floats(points, "points")
    if array.ndim != 2 or array.shape[1] != 3:
        raise errors.make(3, "points: an array of shape (n, 3) is wanted, not %s" % (array.shape,))
    if len(array) == 0:
        raise errors.make(6, "points: count is 0: a cloud has 1 point at least")
    each = np.repeat(np.arange(len(array)), 3).reshape(-1, 3)  # triangles of one corner
    return world.add(Mesh(array, each, solid=False, margin=real(radius, "radius")))
