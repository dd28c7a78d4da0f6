# SPDX-License-Identifier: BSD-3-Clause
"""Continuous collision detection for programs that use ODE's Python bindings (Debian: python3-pyode).

One line, above the program's own ``import ode``, and nothing else changes::

    import brink.ode
    import ode

From then on ``space.collide(...)`` and ``world.step(...)`` of this process go through Brink, as with LD_PRELOAD
(docs/ode.md, "Capture"). Optional, for settings and for what happened::

    watched = brink.ode.attach(world, space)
    ...
    world.step(1 / 60)
    watched.info().first_toi   # None: nothing was struck

The order matters: Debian's bindings are bound to ODE's functions when they are imported. When ``ode`` came first this
module cannot be imported, unless the process runs under the preload: the program would go on as plain ODE.
"""
from __future__ import annotations

import ctypes as c
import sys
from dataclasses import dataclass
from typing import Any, Optional

from . import _library, errors
from .poses import real, whole

_hooks: Any = None


def _load_hooks() -> Any:
    """Loads the library that stands before libode. Global: the bindings' own search passes by it first."""
    global _hooks
    if _hooks is None:
        _hooks, _ = _library.load("libbrink_preload.so", c.RTLD_GLOBAL)
        for name, result, arguments in (
                ("dBrinkOfWorld", c.c_void_p, [c.c_void_p]), ("dBrinkGetError", c.c_char_p, [c.c_void_p]),
                ("dBrinkAddSpace", c.c_int, [c.c_void_p, c.c_void_p]),
                ("dBrinkSetEnabled", c.c_int, [c.c_void_p, c.c_int]),
                ("dBrinkSetMode", c.c_int, [c.c_void_p, c.c_int]),
                ("dBrinkSetMaxSubsteps", c.c_int, [c.c_void_p, c.c_int]),
                ("dBrinkSetAllowance", c.c_int, [c.c_void_p, c.c_double]),
                ("dBrinkGetBodyMemory", c.c_int, [c.c_void_p, c.c_void_p]),
                ("dBrinkSetBodyMemory", c.c_int, [c.c_void_p, c.c_void_p, c.c_int]),
                ("dBrinkGetStepInfo", c.c_int, [c.c_void_p, c.POINTER(StepInfo)]),
                ("dBrinkGeomDistance", c.c_double, [c.c_void_p, c.c_void_p, c.c_void_p]),
                ("dBrinkExplainPair", c.c_int, [c.c_void_p, c.c_void_p, c.c_void_p, c.c_char_p, c.c_size_t]),
                ("dBodyGetWorld", c.c_void_p, [c.c_void_p]), ("dGeomGetBody", c.c_void_p, [c.c_void_p])):
            function = getattr(_hooks, name)
            function.restype, function.argtypes = result, arguments
    return _hooks


class StepInfo(c.Structure):
    """dBrinkStepInfo of brink/ode.h, member by member."""

    c_name = "dBrinkStepInfo"
    _fields_ = [("structSize", c.c_uint), ("solves", c.c_int), ("clamps", c.c_int), ("unresolved", c.c_int),
                ("firstToi", c.c_double), ("lostTime", c.c_double), ("pairsBefore", c.c_ulonglong),
                ("pairsSpatial", c.c_ulonglong), ("pairsTemporal", c.c_ulonglong), ("advancements", c.c_ulonglong),
                ("distanceQueries", c.c_ulonglong), ("nodePairs", c.c_ulonglong), ("worstJointError", c.c_double),
                ("milliseconds", c.c_double), ("events", c.c_void_p), ("eventCount", c.c_int),
                ("sensorEvents", c.c_void_p), ("sensorEventCount", c.c_int), ("recordPath", c.c_char_p)]


@dataclass(frozen=True)
class Info:
    """What happened in the last step of a world. solves: ODE solves, 1 + extra. clamps: bodies stopped at an impact for
    the rest of the step. first_toi: fraction of the step at the first impact, None: nothing was struck. lost_time: s.
    milliseconds: spent in Brink."""

    solves: int
    clamps: int
    unresolved: int
    first_toi: Optional[float]
    lost_time: float
    events: int
    milliseconds: float


class Watched:
    """A world under Brink's eyes; made by :func:`attach`."""

    def __init__(self, world: Any, brink: int):
        self.world, self._brink = world, brink

    def _check(self, done: int) -> None:
        if not done:
            raise errors.make(3, (_hooks.dBrinkGetError(self._brink) or b"").decode(errors="replace"))

    def set_enabled(self, enabled: bool) -> None:
        """False: plain ODE, bit for bit."""
        self._check(_hooks.dBrinkSetEnabled(self._brink, int(enabled)))

    def set_mode(self, mode: str) -> None:
        """What an impact leads to: "report", "speculative", "advance" (the default), "clamp"; see docs/ode.md."""
        modes = ("report", "speculative", "advance", "clamp")
        if mode not in modes:
            raise errors.make(3, "mode is one of %s" % ", ".join(modes))
        self._check(_hooks.dBrinkSetMode(self._brink, 1 + modes.index(mode)))

    def set_max_substeps(self, count: int) -> None:
        """Extra solves of one body in a step, then it is clamped [8]."""
        self._check(_hooks.dBrinkSetMaxSubsteps(self._brink, whole(count, "count", -2 ** 31, 2 ** 31 - 1)))

    def set_allowance(self, allowance: float) -> None:
        """Most that things may sink into each other, m."""
        self._check(_hooks.dBrinkSetAllowance(self._brink, real(allowance, "allowance")))

    def info(self) -> Info:
        """What happened in the last step."""
        raw = StepInfo(structSize=c.sizeof(StepInfo))
        self._check(_hooks.dBrinkGetStepInfo(self._brink, c.byref(raw)))
        return Info(raw.solves, raw.clamps, raw.unresolved, raw.firstToi if raw.firstToi <= 1.0 else None,
                    raw.lostTime, raw.eventCount, raw.milliseconds)

    def distance(self, geom_a: Any, geom_b: Any) -> float:
        """Signed distance of two geoms where they are now, m; NaN when it cannot be told."""
        return _hooks.dBrinkGeomDistance(self._brink, geom_a._id(), geom_b._id())

    def memory(self, geom: Any) -> int:
        """What Brink remembers of the body that this geom sits on, to be saved beside its state; 0: nothing."""
        found = _hooks.dBrinkGetBodyMemory(self._brink, _hooks.dGeomGetBody(geom._id()))
        self._check(found >= 0)
        return found

    def set_memory(self, geom: Any, memory: int) -> None:
        """Gives it back, after the body's state was set; see docs/ode.md, Save and restore."""
        self._check(_hooks.dBrinkSetBodyMemory(self._brink, _hooks.dGeomGetBody(geom._id()), memory))

    def explain(self, geom_a: Any, geom_b: Any) -> str:
        """Why nothing is done about a pair of geoms, a line a reason; "": it is watched."""
        buffer = c.create_string_buffer(4096)
        unknown = 1 << 30  # dBrinkReasonUnknown
        if _hooks.dBrinkExplainPair(self._brink, geom_a._id(), geom_b._id(), buffer, len(buffer)) & unknown:
            self._check(0)
        return buffer.value.decode(errors="replace")


def _address(world: Any) -> int:
    """dWorldID of a world of the bindings, which they keep to themselves: a geom tells its body, a body its world."""
    import ode
    body, geom = ode.Body(world), ode.GeomSphere(None, 1.0)
    geom.setBody(body)
    address = _hooks.dBodyGetWorld(_hooks.dGeomGetBody(geom._id()))
    geom.setBody(None)
    return address


def _comes_by() -> bool:
    """Does what the bindings do come by Brink? It counts the step of a small world if it does."""
    import ode
    world, space = ode.World(), ode.SimpleSpace()
    body, geom = ode.Body(world), ode.GeomSphere(space, 1.0)
    geom.setBody(body)
    space.collide(None, lambda *pair: None)
    world.step(0.01)
    info = StepInfo(structSize=c.sizeof(StepInfo))
    found = _hooks.dBrinkOfWorld(_address(world))
    return bool(found and _hooks.dBrinkGetStepInfo(found, c.byref(info)) and info.solves)


def attach(world: Any, space: Any = None) -> Watched:
    """Watches a world of ODE's bindings, and the geoms of a space, from now on; settings and step info.

    BrinkError: nothing comes by Brink, and why.
    """
    _load_hooks()
    found = _hooks.dBrinkOfWorld(_address(world)) if _comes_by() else None
    if not found:
        raise errors.make(2, "nothing that this ODE does comes by Brink: BRINK_MODE is off, or its libode is another "
                             "one than Brink's (see docs/ode.md)")
    watched = Watched(world, found)
    if space is not None:
        watched._check(_hooks.dBrinkAddSpace(watched._brink, space._id()))
    return watched


if "ode" not in sys.modules:
    _load_hooks()
elif not hasattr(c.CDLL(None), "dBrinkOfWorld"):  # the preload is not there either
    raise ImportError("nothing that this ODE does comes by Brink: put `import brink.ode` above the first `import ode`")
