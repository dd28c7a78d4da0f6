# SPDX-License-Identifier: BSD-3-Clause
"""What Brink answers. A time that does not exist is None, never a number: nothing here says 1.0 for "no contact"."""
from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _abi


class State(enum.IntEnum):
    """What an answer is worth."""

    FREE = 0  #: proven for the stated motion and the whole interval
    HIT = 1  #: first contact lies in [toi, toi_upper]
    OVERLAP = 2  #: touching or overlapping at the start
    UNRESOLVED = 3  #: could not be decided within the work budget; toi is still a proven lower bound

    def __str__(self) -> str:
        return self.name.lower()

    def __eq__(self, other: Any) -> Any:
        """Also to its own name, as printed: state == "hit". A name of no state is a ValueError, not False."""
        if isinstance(other, str):
            if other.upper() not in State.__members__:
                raise ValueError("%r is no state; there are free, hit, overlap, unresolved" % other)
            return str(self) == other.lower()
        return int.__eq__(self, other)

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    __hash__ = int.__hash__


@dataclass(frozen=True)
class Feature:
    """A vertex, edge or face of a shape: its vertex ids, one, two or three of them."""

    vertices: Tuple[int, ...]

    @property
    def kind(self) -> str:
        return ("none", "vertex", "edge", "face")[len(self.vertices)]

    @staticmethod
    def _of(feature: _abi.Feature) -> "Feature":
        return Feature(tuple(feature.vertex[: min(feature.kind, 3)]))


@dataclass(frozen=True)
class Contact:
    """First contact of a pair.

    state        free, hit, overlap, unresolved
    toi          step time in [0, 1]; proven: nothing touches before it. None when free
    toi_upper    a time at which contact is known; None when free, or not known
    distance     m. hit, overlap: at toi, below 0 is depth. free: proven lower bound of the smallest distance (may be 0)
    point_a, point_b, points    witness points at toi, world, m; None when free or unresolved
    normal       unit, from A to B, world; None likewise
    normal_velocity    d(separation)/dt at toi along normal, m per step; below 0: approaching
    feature_a, feature_b    which vertex, edge or face, by vertex ids of the shapes
    """

    state: State
    toi: Optional[float] = None
    toi_upper: Optional[float] = None
    distance: float = 0.0
    threshold: float = 0.0
    point_a: Optional[np.ndarray] = None
    point_b: Optional[np.ndarray] = None
    normal: Optional[np.ndarray] = None
    normal_velocity: Optional[float] = None
    feature_a: Optional[Feature] = None
    feature_b: Optional[Feature] = None
    iterations: int = 0
    collider_a: Any = field(default=None, repr=False)
    collider_b: Any = field(default=None, repr=False)

    @property
    def points(self) -> Optional[np.ndarray]:
        """[2, 3]: the witness point of A and that of B."""
        return None if self.point_a is None or self.point_b is None else np.stack([self.point_a, self.point_b])

    @property
    def is_free(self) -> bool:
        """True: proven that nothing touches. False says only that this was not proven."""
        return self.state is State.FREE

    @property
    def is_contact(self) -> bool:
        """True: contact is known, at the start or later. False for unresolved answers as well."""
        return self.state in (State.HIT, State.OVERLAP)

    def __bool__(self) -> bool:
        raise TypeError("a contact is no yes or no: ask .is_free (proven), .is_contact (known) or .state")


def vector(v: _abi.Vec3) -> np.ndarray:
    return np.array([v.x, v.y, v.z])


def contact_of(raw: _abi.Contact, colliders: Any = None) -> Contact:
    """The library's contact, copied."""
    state = State(raw.state)
    a = b = None
    if colliders is not None:
        a, b = colliders.get(raw.colliderA), colliders.get(raw.colliderB)
    if state is State.FREE:
        return Contact(state, distance=raw.distance, threshold=raw.threshold, iterations=raw.iterations, collider_a=a,
                       collider_b=b)
    known = state is not State.UNRESOLVED
    return Contact(state, raw.toi, raw.toiUpper if raw.toiUpper <= 1.0 else None, raw.distance, raw.threshold,
                   vector(raw.pointA) if known else None, vector(raw.pointB) if known else None,
                   vector(raw.normal) if known else None, raw.normalVelocity if known else None,
                   Feature._of(raw.featureA) if known else None, Feature._of(raw.featureB) if known else None,
                   raw.iterations, a, b)


@dataclass(frozen=True)
class Report:
    """Answer of a world. toi: nothing touches before it, proven (mode "boolean": nothing of the contacts listed); None
    when free. contacts: in order of time, each with a
    state of its own: unresolved pairs that may be as early as the first contact are among them. counters: what the work was (pairsBefore, pairsSpatial, pairsTemporal, distanceQueries ...)."""

    state: State
    toi: Optional[float]
    contacts: List[Contact]
    counters: dict

    @property
    def is_free(self) -> bool:
        return self.state is State.FREE

    def __bool__(self) -> bool:
        raise TypeError("a report is no yes or no: ask .is_free (proven) or .state")


@dataclass(frozen=True)
class Distance:
    """How far two colliders are apart at one time: m, below 0 is depth; witness points and unit normal (A to B), world;
    features as of :class:`Contact`."""

    distance: float
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray
    feature_a: Feature
    feature_b: Feature


@dataclass(frozen=True)
class ContactPoint:
    """A point of a manifold: position midway between the surfaces and unit normal A to B, world; separation, m, below 0
    is depth; key: stable over small motions."""

    position: np.ndarray
    normal: np.ndarray
    separation: float
    key: int


@dataclass(frozen=True)
class Clearance:
    """How close two bodies come: lower <= smallest distance <= upper, m, always.

    state: "settled" (within the tolerance), "decided" (the required clearance was proven kept or broken), "spent".
    verdict: None when no clearance was required; "kept" (proven), "broken" (shown), "unproven".
    time: when upper is met; point_a, point_b: where, world; normal: unit, A to B.
    collision: True when they were found touching or overlapping.
    """

    lower: float
    upper: float
    state: str
    verdict: Optional[str]
    collision: bool
    time: float
    time_b: float
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray
    tolerance: float
    iterations: int

    def __bool__(self) -> bool:
        raise TypeError("a clearance is no yes or no: ask .lower, .upper, .verdict or .collision")


@dataclass(frozen=True)
class Interval:
    """A contact interval. It begins between start[0] and start[1] and ends between end[0] and end[1], proven.

    state: "proven"; "gapped" (proven but for gaps as short as the tolerance); "near" (slides within nearness, contact
    not proven); "crossing" (met at an instant in between); "open" (not known).
    """

    start: Tuple[float, float]
    end: Tuple[float, float]
    state: str
    at_start: bool
    at_end: bool
    triangles_start: Tuple[int, int]
    triangles_end: Tuple[int, int]


@dataclass(frozen=True)
class Certificate:
    """A proof that two bodies never touch, as text for `brink verify`, or the times that lack one.

    state: "proven"; "listed" (all open times have the bodies within about twice the tolerance); "spent"; "inside" (a
    part of one begins inside the other). bound: least proven distance of the proven cells, m. open: [(from, to, place)].
    """

    state: str
    bound: float
    tolerance: float
    cells: int
    open_cells: int
    open: List[Tuple[float, float, np.ndarray]]
    text: str = field(repr=False)

    @property
    def is_proven(self) -> bool:
        return self.state == "proven"

    def save(self, path: Any) -> None:
        """Writes the text to a file."""
        with open(path, "w", encoding="ascii", newline="\n") as file:
            file.write(self.text)

    def __bool__(self) -> bool:
        raise TypeError("a certificate is no yes or no: ask .is_proven or .state")


@dataclass(frozen=True)
class ContactBatch:
    """Answers of n questions as arrays. state [n] (values of State); toi, toi_upper [n], distance [n]; point_a, point_b,
    normal [n, 3]. What does not exist is NaN, as toi of free questions."""

    state: np.ndarray
    toi: np.ndarray
    toi_upper: np.ndarray
    distance: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray

    def __len__(self) -> int:
        return len(self.state)

    def __getitem__(self, i: int) -> Contact:
        def number(x: float) -> Optional[float]:
            return None if np.isnan(x) else float(x)

        state = State(int(self.state[i]))
        known = state in (State.HIT, State.OVERLAP)
        return Contact(state, number(self.toi[i]), number(self.toi_upper[i]), float(self.distance[i]),
                       point_a=self.point_a[i].copy() if known else None,
                       point_b=self.point_b[i].copy() if known else None,
                       normal=self.normal[i].copy() if known else None)
