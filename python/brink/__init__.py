# SPDX-License-Identifier: BSD-3-Clause
"""Continuous collision detection: when do moving things first touch? Proven answers, from Python.

>>> import brink
>>> ball, wall, q = brink.Sphere(0.1), brink.Box((0.005, 1, 1)), (1, 0, 0, 0)
>>> contact = brink.first_contact(ball, wall, (q, (-5, 0, 0)), (q, (5, 0, 0)))
>>> print(contact.state, round(contact.toi, 4), contact.point_b.round(3).tolist())
hit 0.4895 [-0.005, 0.0, 0.0]

One question: first_contact, first_contacts (batches), clearance, contact_intervals, certify. Many bodies, chains and
questions: World. Programs that use ODE's Python bindings: brink.ode. Lengths in m, angles in rad, step time t in [0, 1],
quaternions (w, x, y, z). Errors are exceptions with the library's own text (brink.BrinkError and its kinds).
"""
from ._library import path as library_path
from ._library import version as library_version
from ._version import __version__
from .affine import (BezierMatrices, Factor, InnerPath, InnerPaths, InterferingSolid, Intervals, Keys, Meeting, Meetings,
                     Moving, Polynomial, Rotation, contact_intervals, contact_intervals_of_all, inner_paths,
                     interfering_solid)
from .answers import (Certificate, Clearance, Contact, ContactBatch, ContactPoint, Distance, Feature,
                      Interval, Report, State)
from .ask import certify, clearance, first_contact, first_contacts
from .errors import (BrinkError, InputError, InternalError, InUseError, LibraryNotFound, OutOfMemory, StaleError,
                     VersionError)
from .motions import Bezier, Motion, OdeStep, Poses, Rest, Screw, Spline, User, Velocities
from .poses import Pose
from .shapes import (Box, Capsule, Compound, Cylinder, Heightfield, Hull, Mesh, Plane, Point, Ray, Segment, Shape,
                     Sphere, Support)
from .world import Body, Collider, Joint, World

FREE, HIT, OVERLAP, UNRESOLVED = State.FREE, State.HIT, State.OVERLAP, State.UNRESOLVED

__all__ = [
    "BezierMatrices", "Factor", "InnerPath", "InnerPaths", "InterferingSolid", "Intervals", "Keys", "Meeting",
    "Meetings", "Moving", "Polynomial", "Rotation", "contact_intervals", "contact_intervals_of_all", "inner_paths",
    "interfering_solid", "Certificate",
    "Clearance", "Contact", "ContactBatch", "ContactPoint", "Distance", "Feature", "Interval", "Report", "State", "certify",
    "clearance", "first_contact", "first_contacts", "BrinkError", "InputError", "InternalError", "InUseError",
    "LibraryNotFound", "OutOfMemory", "StaleError", "VersionError", "Bezier", "Motion", "OdeStep", "Poses", "Rest",
    "Screw", "Spline", "User", "Velocities", "Pose", "Box", "Capsule", "Compound", "Cylinder", "Heightfield", "Hull",
    "Mesh", "Plane", "Point", "Ray", "Segment", "Shape", "Sphere", "Support", "Body", "Collider", "Joint", "World",
    "FREE", "HIT", "OVERLAP", "UNRESOLVED", "library_path", "library_version",
]
