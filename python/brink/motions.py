# SPDX-License-Identifier: BSD-3-Clause
"""How a body moves during the step, t in [0, 1]. Poses are those of :mod:`brink.poses`; m, rad, per step.

Poses of :class:`Poses` are in the world; all others are in the frame of the body's parent (the world for roots).
"""
from __future__ import annotations

import ctypes as c
from typing import Any, Callable, Iterable, Optional, Tuple, Union

import numpy as np

from . import _abi, errors
from .poses import Pose, PoseLike, floats, real, vec

_C = _abi.CONSTANTS


class Motion:
    """What all motions share."""

    def __init__(self, kind: str, text: str, path: Optional[_abi.MotionPath] = None, **members: Any):
        self._kept: list = []  # arrays and callbacks that the path points to
        self._path, self._text = path, text
        self._calls = kind == "User"  # functions of the caller's
        self._c = _abi.BodyMotion(kind=_C["brink_motion" + kind], **members)
        self._where_made = kind == "Rest" and "pose0" not in members  # the body that takes it knows where
        if "pose0" not in members:
            self._c.pose0 = Pose()._c()
        if path is not None:
            self._c.path = c.pointer(path)

    def __repr__(self) -> str:
        return self._text


def Rest() -> Motion:
    """Stays where it was made."""
    return Motion("Rest", "Rest()")


def Poses(start: PoseLike, end: PoseLike, spin: Any = None, alone: bool = False) -> Motion:
    """From pose to pose, in the world. A body without joints or parent goes straight, and turns at constant rate about
    a fixed axis, the shorter way. spin (rad per step, world axes) tells how many whole turns it made. alone: no joint
    hangs it on another body."""
    flags = (_C["BRINK_MOTION_HAS_SPIN"] if spin is not None else 0) | (_C["BRINK_MOTION_ALONE"] if alone else 0)
    a, b = Pose.of(start), Pose.of(end)
    return Motion("Poses", "Poses(%r, %r)" % (a, b), flags=flags, pose0=a._c(), pose1=b._c(),
                  spin=vec(spin if spin is not None else (0, 0, 0), "spin"))


def Velocities(start: PoseLike, velocity: Any = (0, 0, 0), spin: Any = (0, 0, 0)) -> Motion:
    """x = p + t velocity + exp(t [spin]) R x: constant velocities, any number of turns."""
    a = Pose.of(start)
    return Motion("Velocities", "Velocities(%r)" % a, pose0=a._c(), velocity=vec(velocity, "velocity"),
                  spin=vec(spin, "spin"))


def Screw(start: PoseLike, point: Any, axis: Any, angle: float, pitch: float = 0.0) -> Motion:
    """Turns by angle about an axis through point, and goes along it by pitch m a turn."""
    a = Pose.of(start)
    angle = real(angle, "angle")
    path = _abi.MotionPath(axisPoint=vec(point, "point"), axis=vec(axis, "axis"), angle=angle, pitch=real(pitch, "pitch"))
    return Motion("Screw", "Screw(%r, angle %g)" % (a, angle), path, pose0=a._c())


def OdeStep(start: PoseLike, velocity: Any, spin: Any) -> Motion:
    """What ODE executes in a step of length h: velocity = h v, spin = h w as they are after its solver."""
    a = Pose.of(start)
    return Motion("OdeStep", "OdeStep(%r)" % a, pose0=a._c(), velocity=vec(velocity, "velocity"), spin=vec(spin, "spin"))


def Spline(times: Any, poses: Iterable[PoseLike], slopes: Any) -> Motion:
    """Cubic Hermite positions through keys, constant angular velocity from key to key, the shorter way. times ascend
    from 0 to 1; slopes [n, 3]: velocities at the keys, m per step."""
    stops, places = floats(times, "times"), [Pose.of(pose) for pose in poses]
    speeds = floats(slopes, "slopes")
    if stops.shape != (len(places),) or speeds.shape != (len(places), 3):
        raise errors.make(3, "spline: times (n,), poses (n), slopes (n, 3) are wanted, not %s, %d, %s" %
                          (stops.shape, len(places), speeds.shape))
    keys = (_abi.MotionKey * max(len(places), 1))()
    for key, time, place, slope in zip(keys, stops, places, speeds):
        key.time, key.pose, key.slope = time, place._c(), vec(slope, "slope")
    return Motion("Spline", "Spline(%d keys)" % len(places), _abi.MotionPath(keys=keys, keyCount=len(places)))


def Bezier(controls: Any, weights: Any = None) -> Motion:
    """Rational Bezier curve of matrices [n, 3, 4] or [n, 4, 4] that stays rigid to 1e-9; n from 2 to 9."""
    given = floats(controls, "controls")
    rows = np.array(given[:, :3, :4] if given.ndim == 3 else given, order="C")
    loads = floats(np.ones(len(rows) if rows.ndim else 1) if weights is None else weights, "weights").copy()
    if rows.shape[1:] != (3, 4) or loads.shape != (len(rows),):
        raise errors.make(3, "bezier: controls (n, 3, 4) and weights (n,) are wanted")
    path = _abi.MotionPath(controls=rows.ctypes.data_as(c.POINTER(c.c_double)), controlCount=len(rows),
                           weights=loads.ctypes.data_as(c.POINTER(c.c_double)))
    motion = Motion("Bezier", "Bezier(%d controls)" % len(rows), path)
    motion._kept += [rows, loads]
    return motion


def User(pose_at: Callable[[float], PoseLike], bound_over: Callable[[float, float], Tuple[float, float, float, float]]
         ) -> Motion:
    """Any motion whose speeds can be bounded. ``pose_at(t)`` gives the pose; ``bound_over(t0, t1)`` upper bounds of
    speed and acceleration of the origin, turn rate and turn acceleration, for all times of the interval. inf: not known;
    but speed and turn rate must be known over the whole step, (0, 1). Both pure. An exception in them is raised by the question that called them; the bounds count as unknown."""
    def pose(_user, t, out):
        try:
            out.contents.pose = Pose.of(pose_at(t))._c()
        except BaseException as error:
            errors.raised[motion] = error
            out.contents.pose = _abi.Pose(_abi.Vec3(float("nan")))

    def bound(_user, t0, t1, out):
        try:
            o = out.contents
            o.speed, o.acceleration, o.turnRate, o.turnAcceleration = (float(x) for x in bound_over(t0, t1))
        except BaseException as error:
            errors.raised[motion] = error
            o = out.contents
            o.speed = o.acceleration = o.turnRate = o.turnAcceleration = float("inf")

    path = _abi.MotionPath(poseAt=_abi.MotionPoseFunction(pose), boundOver=_abi.MotionBoundFunction(bound))
    motion = Motion("User", "User()", path)
    motion._kept += [path.poseAt, path.boundOver]
    return motion


MotionLike = Union[Motion, PoseLike]


def motion_of(start: MotionLike, end: PoseLike = None) -> Motion:
    """A motion of anything that is one: a motion; a start and an end pose; a pose alone, where the body rests."""
    if isinstance(start, Motion):
        if end is not None:
            raise errors.make(3, "a motion and an end pose: give one of them")
        return start
    return Poses(start, start if end is None else end)
