# SPDX-License-Identifier: BSD-3-Clause
"""Worlds: any number of bodies, chains of them, colliders; questions about one step.

>>> import brink
>>> with brink.World() as world:
...     ground = world.add(brink.Box((5, 5, 0.5)), ((1, 0, 0, 0), (0, 0, -0.5)))
...     ball = world.body(((1, 0, 0, 0), (0, 0, 3)))
...     _ = ball.add(brink.Sphere(0.1))
...     ball.move(end=((1, 0, 0, 0), (0, 0, -5)))
...     report = world.first_contact()
>>> report.state, round(report.toi, 4)
(<State.HIT: 1>, 0.3625)
"""
from __future__ import annotations

import contextlib
import ctypes as c
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

import numpy as np

from . import _abi, _library, answers, errors
from .motions import Motion, MotionLike, Poses, Rest, motion_of
from .poses import Pose, PoseLike, choice, real, vec, whole
from .shapes import Compound, Shape, ShapeLike, pairs, shape_of

_C = _abi.CONSTANTS
_SCHEMES = {"default": 0, "paper": 1, "axis": 2}
_MODES = {"first": 0, "pairs": 1, "boolean": 2}
_LOG_LEVELS = ("error", "warning", "info", "debug")


class Body:
    """A body of a world; made by :meth:`World.body`."""

    __slots__ = ("world", "_handle", "rest_pose", "parent", "_made", "_gone", "_motion", "_colliders", "__weakref__")

    def __init__(self, world: "World", handle: int, pose: Pose, parent: "Optional[Body]"):
        self.world, self._handle, self.rest_pose, self.parent = world, handle, pose, parent
        self._made: Pose = pose if parent is None else Pose.of(parent._made.matrix() @ pose.matrix())  # in the world
        self._gone = False
        self._motion: Motion = Rest()
        self._colliders: Dict[int, Collider] = {}

    def __repr__(self) -> str:
        on = ", ".join(repr(collider.shape) for collider in self._colliders.values())
        return "<Body made at %s%s%s>" % (self.rest_pose, ": " + on if on else "", ", destroyed" if self._gone else "")

    def add(self, shape: ShapeLike, pose: PoseLike = None, *, category: int = 1, collide: int = 1,
            allowance: float = 0.0) -> "Collider":
        """Hangs a shape on the body, at a pose in its frame. Two colliders are tested when the category bits of one meet
        the collide bits of the other."""
        return self.world._add(self, shape, pose, category, collide, allowance)

    @property
    def motion(self) -> Motion:
        """How it moves during the step; set before a question. None: it rests where it was made."""
        return self._motion

    @motion.setter
    def motion(self, value: Optional[MotionLike]) -> None:
        motion = Rest() if value is None else motion_of(value)
        if motion._where_made:
            own = self.parent is None or not self.parent._gone  # children of what was destroyed are roots
            motion = Motion("Rest", "Rest()", pose0=(self.rest_pose if own else self._made)._c())
        self.world._watched["new"] = motion  # copied by the library; what it calls back is kept here
        try:
            self.world._do("setBodyMotion", self._handle, c.addressof(motion._c))
        finally:
            del self.world._watched["new"]
        self._motion = motion
        if motion._calls:
            self.world._watched[self._handle] = motion
        else:
            self.world._watched.pop(self._handle, None)

    def move(self, start: PoseLike = None, end: PoseLike = None, spin: Any = None) -> None:
        """From start (None: where it was made) to end, both in the world: see :func:`brink.Poses`."""
        first = self._made if start is None else start
        self.motion = Poses(first, first if end is None else end, spin)

    def pose(self, t: float) -> Pose:
        """Where it is in the world at step time t, under its motion, with joints together."""
        out = _abi.Pose()
        self.world._do("bodyPose", self._handle, real(t, "t"), c.byref(out))
        return Pose._from_c(out)

    def destroy(self) -> None:
        """Its colliders and joints go with it; children become roots."""
        self.world._do("destroyBody", self._handle)
        self.world._forget_body(self)


class Joint:
    """A joint of a world; made by :meth:`World.joint`."""

    __slots__ = ("world", "_handle")

    def __init__(self, world: "World", handle: int):
        self.world, self._handle = world, handle

    @property
    def residual(self) -> float:
        """How far the two anchors can be apart during the step, m; proven. More than rounding for joints of loops."""
        out = _abi.f64()
        self.world._do("jointResidual", self._handle, c.byref(out))
        return out.value

    def destroy(self) -> None:
        """Its bodies are joined no more."""
        self.world._do("destroyJoint", self._handle)


class Collider:
    """A shape on a body, or on the world itself; made by :meth:`Body.add` and :meth:`World.add`."""

    __slots__ = ("world", "_handle", "body", "shape", "__weakref__")

    def __init__(self, world: "World", handle: int, body: Optional[Body], shape: Shape):
        self.world, self._handle, self.body, self.shape = world, handle, body, shape

    def __repr__(self) -> str:
        return "<Collider %r of %s>" % (self.shape, "the world" if self.body is None else "a body")

    def set_pose(self, pose: PoseLike) -> None:
        """In its body's frame."""
        placed = Pose.of(pose)._c()
        self.world._do("setColliderPose", self._handle, c.byref(placed))

    def set_filter(self, category: int, collide: int) -> None:
        """New bits, as in :meth:`Body.add`."""
        self.world._do("setColliderFilter", self._handle, whole(category, "category"), whole(collide, "collide"))

    @property
    def allowance(self) -> float:
        """The contact band in force, m."""
        out = _abi.f64()
        self.world._do("colliderAllowance", self._handle, c.byref(out))
        return out.value

    def swept_bounds(self, t0: float = 0.0, t1: float = 1.0) -> np.ndarray:
        """[2, 3]: a box of the world that holds it from t0 to t1; proven."""
        out = _abi.Aabb()
        self.world._do("sweptBounds", self._handle, real(t0, "t0"), real(t1, "t1"), c.byref(out))
        return np.stack([answers.vector(out.lower), answers.vector(out.upper)])

    def destroy(self) -> None:
        """Takes it out of the world; its shape may be used again."""
        self.world._do("destroyCollider", self._handle)
        self.world._forget([self])


def handle_of(thing: Any, kind: type, name: str, none: bool = False) -> int:
    """For C: of a body or collider; with none, 0 for None. InputError for anything else."""
    if thing is None and none:
        return 0
    if not isinstance(thing, kind):
        raise errors.make(3, "%s: a %s is wanted, not %r" % (name, kind.__name__, thing))
    return thing._handle  # type: ignore[attr-defined]


def _both(a: Any, b: Any) -> Tuple[int, int]:
    return handle_of(a, Collider, "a"), handle_of(b, Collider, "b")


@dataclass
class _Used:
    """A shape as a world has it: users are colliders, compounds and robots. The world keeps it until none is left."""

    handle: int
    users: int = 0


class World:
    """Bodies, joints, colliders, and questions about one step of their motion. One thread at a time.

    taylor_order: of the models of spatial culling, 0 to 5. log(level, message): what the library has to say; level is
    "error", "warning", "info" or "debug".
    """

    __slots__ = ("_pointer", "_shapes", "_colliders", "_watched", "_kept", "_end", "__weakref__")

    def __init__(self, taylor_order: int = 3, log: Optional[Callable[[str, str], None]] = None):
        self._pointer: Any = None
        self._shapes: Dict[Shape, _Used] = {}
        self._colliders: dict = {}  # handle: Collider
        self._watched: dict = {}  # shapes and motions that have functions of the caller's
        self._kept: list = []
        host = _abi.Host(abiMajor=_abi.ABI_MAJOR)
        if log is not None:
            def call(_user, level, message):
                try:
                    log(_LOG_LEVELS[min(max(level, 0), 3)], message.decode(errors="replace"))
                except Exception:  # a log must not change an answer
                    pass

            host.log = _abi.LogFunction(call)
        self._kept.append(host)
        definition = _abi.WorldDef(flags=_abi.CONSTANTS["BRINK_WORLD_ORDER_STATED"],
                                   taylorOrder=whole(taylor_order, "taylor_order", 0, 5))
        out = _abi.World()
        _library.check(None, _library.api.createWorld(c.byref(host), c.byref(definition), c.byref(out)))
        self._pointer = out.value
        self._end = weakref.finalize(self, _library.api.destroyWorld, out.value)

    def __repr__(self) -> str:
        return "<World, closed>" if self._pointer is None else "<World of %d colliders>" % len(self._colliders)

    def __reduce__(self) -> Any:
        raise TypeError("a world lives in the library and cannot be copied or pickled, nor what belongs to it (bodies, "
                        "colliders, contacts): take the numbers out")

    def close(self) -> None:
        """Destroys the world; every later call fails. InUseError from inside a function that one of its questions calls."""
        if self._pointer is not None:
            _library.check(self._pointer, _library.api.destroyWorld(self._pointer))
        self._end.detach()
        self._pointer = None
        self._shapes.clear()
        self._watched.clear()

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- calls

    def _open(self) -> Any:
        if self._pointer is None:
            raise errors.make(11, "this world was closed")
        return self._pointer

    def _do(self, name: str, *arguments: Any) -> None:
        self._finish(getattr(_library.api, name)(self._open(), *arguments))

    def _finish(self, status: int) -> None:
        self._raise()
        _library.check(self._pointer, status)

    def _raise(self) -> None:
        """What a function of the caller's raised while the library called it."""
        for watched in list(self._watched.values()) if errors.raised else ():
            error = errors.raised.pop(watched, None)
            if error is not None:
                raise error

    def _take(self, shape: Shape) -> int:
        """The handle of a shape, made here for its first user; each take is ended by a _give."""
        used = self._shapes.get(shape)
        if used is None:
            if "support" in shape._members:
                self._watched[shape] = shape
            try:
                used = self._shapes[shape] = _Used(shape._make(self))
            except BaseException:
                self._watched.pop(shape, None)
                raise
        used.users += 1
        return used.handle

    def _give(self, shape: Shape) -> None:
        used = self._shapes[shape]
        used.users -= 1
        if used.users == 0:
            del self._shapes[shape]
            shape._unmake(self, used.handle)
            self._watched.pop(shape, None)

    @contextlib.contextmanager
    def _taking(self) -> Iterator[Callable[[Shape], int]]:
        """_take for what then uses the shapes; they are given back where that fails."""
        taken: List[Shape] = []

        def take(shape: Shape) -> int:
            handle = self._take(shape)
            taken.append(shape)
            return handle

        try:
            yield take
        except BaseException:
            for shape in taken:
                self._give(shape)
            raise

    def _add(self, body: Optional[Body], shape: ShapeLike, pose: PoseLike, category: int, collide: int,
             allowance: float) -> Collider:
        made, out = shape_of(shape), _abi.u64()
        definition = _abi.ColliderDef(flags=_abi.CONSTANTS["BRINK_COLLIDER_BITS_STATED"],
                                      body=handle_of(body, Body, "body", True), pose=Pose.of(pose)._c(),
                                      categoryBits=whole(category, "category"), collideBits=whole(collide, "collide"),
                                      allowance=real(allowance, "allowance"))
        with self._taking() as take:
            definition.shape = take(made)
            self._do("createCollider", c.byref(definition), c.byref(out))
        collider = Collider(self, out.value, body, made)
        self._colliders[out.value] = collider
        if body is not None:
            body._colliders[out.value] = collider
        return collider

    def _forget(self, colliders: Iterable[Collider]) -> None:
        """They are gone from the library."""
        for collider in colliders:
            del self._colliders[collider._handle]
            if collider.body is not None:
                del collider.body._colliders[collider._handle]
            self._give(collider.shape)

    def _forget_body(self, body: Body) -> None:
        body._gone = True
        self._forget(list(body._colliders.values()))
        self._watched.pop(body._handle, None)

    # ---- what is in it

    def add(self, shape: ShapeLike, pose: PoseLike = None, *, category: int = 1, collide: int = 1,
            allowance: float = 0.0) -> Collider:
        """A collider that belongs to the world itself: it never moves. Two of these are never tested."""
        return self._add(None, shape, pose, category, collide, allowance)

    def body(self, pose: PoseLike = None, parent: Optional[Body] = None, shape: Any = None) -> Body:
        """A body at a pose in its parent's frame (None: the world), with a shape on it if one is given. Parents make
        chains; parent and child are never tested against each other unless a joint says so."""
        return self.chain([(pose, shape)], parent)[0]

    def chain(self, links: Iterable[Tuple[PoseLike, Any]], parent: Optional[Body] = None) -> List[Body]:
        """Bodies one on another: [(pose in the parent's frame, shape or None), ...], root first."""
        rows = [(Pose.of(pose), None if shape is None else shape_of(shape))
                for pose, shape in pairs(links, "links", "pose, shape")]
        bodies: List[Body] = []
        try:
            for pose, shape in rows:
                definition = _abi.BodyDef(parent=handle_of(parent, Body, "parent", True), pose=pose._c())
                out = _abi.u64()
                self._do("createBody", c.byref(definition), c.byref(out))
                parent = Body(self, out.value, pose, parent)
                bodies.append(parent)
                if shape is not None:
                    parent.add(shape)
        except BaseException:  # all or none
            for body in reversed(bodies):
                body.destroy()
            raise
        return bodies

    def joint(self, a: Optional[Body], b: Optional[Body], anchor_a: Any = (0, 0, 0), anchor_b: Any = (0, 0, 0), *,
              collide_connected: bool = False, rest_margin: Optional[float] = None) -> Joint:
        """Joins two bodies at anchors in their own frames, m; Brink grows chains over joints and keeps them together
        from pose to pose. Joined bodies are tested against each other with collide_connected, or with rest_margin
        (m): then all but what is within it of each other where the bodies were made."""
        flags = (_C["BRINK_JOINT_COLLIDE_CONNECTED"] if collide_connected else 0) | (
            _C["BRINK_JOINT_COLLIDE_APART"] if rest_margin is not None else 0)
        definition = _abi.JointDef(flags=flags, bodyA=handle_of(a, Body, "a", True),
                                   bodyB=handle_of(b, Body, "b", True), anchorA=vec(anchor_a, "anchor_a"),
                                   anchorB=vec(anchor_b, "anchor_b"),
                                   restMargin=real(rest_margin or 0.0, "rest_margin"))
        out = _abi.u64()
        self._do("createJoint", c.byref(definition), c.byref(out))
        return Joint(self, out.value)

    def ignore(self, a: Collider, b: Collider, ignored: bool = True) -> None:
        """These two are never tested, or tested again."""
        self._do("ignorePair", *_both(a, b), int(ignored))

    def leave_out_overlaps(self, a: Collider, b: Collider, t: float = 0.0, margin: float = 0.0) -> int:
        """Pairs of triangles (parts, shapes) of these two that touch or come within margin at t are left out from now
        on; how many."""
        out = _abi.size()
        self._do("leaveOutOverlaps", *_both(a, b), real(t, "t"), real(margin, "margin"), c.byref(out))
        return out.value

    # ---- questions

    def _query(self, mode: str = "first", tolerance: float = 0.0, threshold: float = 0.0, t_start: float = 0.0,
               t_end: float = 1.0, window: float = 0.0, scheme: str = "default", max_iterations: int = 0,
               max_total: int = 0, only: Optional[Body] = None, loops: bool = False, depth: bool = False
               ) -> _abi.Query:
        return _abi.Query(mode=choice(mode, _MODES, "mode"), scheme=choice(scheme, _SCHEMES, "scheme"),
                          watch=_C["brink_watchDepth"] if depth else _C["brink_watchContact"],
                          tStart=real(t_start, "t_start"), tEnd=real(t_end, "t_end"),
                          tolerance=real(tolerance, "tolerance"), window=real(window, "window"),
                          maxIterations=whole(max_iterations, "max_iterations"),
                          onlyBody=handle_of(only, Body, "only", True), threshold=real(threshold, "threshold"),
                          flags=_C["BRINK_QUERY_LOOPS"] if loops else 0, maxTotal=whole(max_total, "max_total"))

    def _report(self, raw: _abi.Report) -> answers.Report:
        state = answers.State(raw.state)
        counters = {name: getattr(raw.counters, name) for name, _ in _abi.Counters._fields_[2:]}
        return answers.Report(state, None if state is answers.State.FREE else raw.toi,
                              [answers.contact_of(raw.contacts[i], self._colliders) for i in range(raw.contactCount)],
                              counters)

    def first_contact(self, **query: Any) -> answers.Report:
        """When does anything first touch?

        mode: "first" (and all pairs within ``window`` of it), "pairs" (each pair's own; none of pairs whose swept boxes
        never meet: they are free), "boolean" (stop at yes or no).
        tolerance, m: 0 = 1e-6 of the smaller body. threshold, m: when the distance first falls to it. t_start, t_end:
        part of the step. scheme: "default", "paper", "axis". max_iterations, max_total: work budgets of a pair, of all.
        only: pairs of this body. loops, depth: see brink/ccd.h."""
        asked, raw = self._query(**query), _abi.Report(counters=_abi.Counters())
        self._do("firstContact", c.byref(asked), c.byref(raw))
        return self._report(raw)

    def first_contacts(self, queries: Iterable[dict]) -> List[answers.Report]:
        """Many questions about the same step, as dicts of first_contact's arguments, in one call; all or none."""
        asked = [self._query(**query) for query in queries]
        rows, raws = (_abi.Query * max(len(asked), 1))(*asked), (_abi.Report * max(len(asked), 1))()
        for raw in raws:
            raw.structSize, raw.counters.structSize = c.sizeof(_abi.Report), c.sizeof(_abi.Counters)
        self._do("firstContacts", rows, len(asked), raws)
        return [self._report(raws[i]) for i in range(len(asked))]

    def distance(self, a: Collider, b: Collider, t: float = 0.0) -> answers.Distance:
        """How far these two are apart at step time t."""
        raw = _abi.Contact()
        self._do("distance", *_both(a, b), real(t, "t"), c.byref(raw))
        sides = [(answers.vector(raw.pointA), answers.Feature._of(raw.featureA)),
                 (answers.vector(raw.pointB), answers.Feature._of(raw.featureB))]
        return answers.Distance(raw.distance, sides[0][0], sides[1][0], answers.vector(raw.normal), sides[0][1],
                                sides[1][1])

    def near_pairs(self, t: float = 0.0, margin: float = 0.0) -> List[Tuple[Collider, Collider]]:
        """Pairs whose boxes at step time t are within margin, m."""
        rows, count = c.POINTER(_abi.ColliderPair)(), _abi.size()
        self._do("nearPairs", real(t, "t"), real(margin, "margin"), c.byref(rows), c.byref(count))
        return [(self._colliders[rows[i].a], self._colliders[rows[i].b]) for i in range(count.value)]

    def collide(self, a: Collider, b: Collider, t: float = 0.0, margin: float = 0.0, capacity: int = 8
                ) -> List[answers.ContactPoint]:
        """Contact points at step time t with separation <= margin: the deepest and most spread."""
        rows, count = (_abi.ContactPoint * max(whole(capacity, "capacity", 0, 2 ** 20), 1))(), _abi.size()
        self._do("collide", *_both(a, b), real(t, "t"), real(margin, "margin"), rows, capacity, c.byref(count))
        return [answers.ContactPoint(answers.vector(r.position), answers.vector(r.normal), r.separation, r.featureKey)
                for r in rows[: count.value]]

    def clearance(self, a: Collider, b: Collider, required: float = 0.0, tolerance: float = 0.0, t_start: float = 0.0,
                  t_end: float = 1.0, swept: bool = False, max_iterations: int = 0) -> answers.Clearance:
        """How close these two come. required, m: stop as soon as that is proven to be kept or broken. tolerance, m: gap
        between the two bounds; 0 = 1e-6 of the smaller shape. swept: of the swept volumes (builds with
        BRINK_SWEPT_HULL; else VersionError)."""
        table = _library.extension("brink.clearance/1", _abi.ClearanceTable)
        query = _abi.ClearanceQuery(flags=_C["BRINK_CLEARANCE_SWEPT"] if swept else 0, tStart=real(t_start, "t_start"),
                                    tEnd=real(t_end, "t_end"), tolerance=real(tolerance, "tolerance"),
                                    required=real(required, "required"),
                                    maxIterations=whole(max_iterations, "max_iterations"))
        raw = _abi.ClearanceAnswer()
        self._finish(table.measure(self._open(), *_both(a, b), c.byref(query), c.byref(raw)))
        return answers.Clearance(raw.lower, raw.upper, ("settled", "decided", "spent")[raw.state],
                                 (None, "kept", "broken", "unproven")[raw.verdict], bool(raw.collision), raw.timeA,
                                 raw.timeB, answers.vector(raw.pointA), answers.vector(raw.pointB),
                                 answers.vector(raw.normal), raw.tolerance, raw.iterations)

    def certify(self, a: Collider, b: Collider, clearance: float = 0.0, tolerance: float = 0.0, t_start: float = 0.0,
                t_end: float = 1.0, max_tests: int = 0, parts: int = 1) -> answers.Certificate:
        """A proof that these two stay more than clearance apart, as a text that others can check."""
        table = _library.extension("brink.tolerance/1", _abi.ToleranceTable)
        query = _abi.ToleranceQuery(tStart=real(t_start, "t_start"), tEnd=real(t_end, "t_end"),
                                    tolerance=real(tolerance, "tolerance"), clearance=real(clearance, "clearance"),
                                    maxTests=whole(max_tests, "max_tests"), parts=whole(parts, "parts", 0, 2 ** 32 - 1))
        raw = _abi.ToleranceAnswer()
        self._finish(table.certifyColliders(self._open(), *_both(a, b), c.byref(query), c.byref(raw)))
        opened = [(getattr(o, "from"), o.to, answers.vector(o.place)) for o in raw.open[: raw.openCount]] \
            if raw.openCount else []
        state = "inside" if raw.inside else ("proven", "listed", "spent")[raw.state]
        text = c.string_at(raw.certificate, raw.certificateSize).decode("ascii") if raw.certificate else ""
        return answers.Certificate(state, raw.bound, raw.tolerance, raw.cellCount, raw.openCells, opened, text)
