# SPDX-License-Identifier: BSD-3-Clause
"""What went wrong, in the library's own words: what, where, and what to do."""
from __future__ import annotations

import weakref
from typing import Any, MutableMapping


class BrinkError(Exception):
    """A call that Brink refused. Nothing has changed. ``status`` is the number of ``brinkStatus`` in brink/types.h."""

    status: int = 0


class LibraryNotFound(BrinkError, ImportError):
    """libbrink could not be loaded, or is not of this package's ABI."""


class VersionError(BrinkError):
    """An extension or option that this build of libbrink does not have."""


class InputError(BrinkError, ValueError):
    """A number, shape, pose or tree that makes no sense: NaN, a zero quaternion, an index out of range, a cycle."""


class StaleError(BrinkError):
    """An object that is gone, or one of another world."""


class InUseError(BrinkError):
    """An object that others still refer to, or a world that is busy."""


class OutOfMemory(BrinkError, MemoryError):
    """No memory."""


class InternalError(BrinkError):
    """A fault of Brink itself."""


#: what a function of the caller's raised, by the shape or motion it belongs to, until a question of its world raises it
raised: MutableMapping[Any, BaseException] = weakref.WeakKeyDictionary()

_kinds = {2: VersionError, 11: StaleError, 12: InUseError, 13: InUseError, 14: OutOfMemory, 18: InternalError}


def make(status: int, message: str) -> BrinkError:
    """The exception of a status."""
    error = _kinds.get(status, InputError)(message)
    error.status = status
    return error
