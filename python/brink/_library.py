# SPDX-License-Identifier: BSD-3-Clause
"""Finds and loads libbrink.

Looked for, in this order: the file that the environment variable BRINK_LIBRARY names; beside this package (a wheel
carries it there); in the prefix that this package was installed into; in the folder build of the tree that this package
stands in; wherever the system's loader looks.
"""
from __future__ import annotations

import ctypes
import os
import sysconfig
from typing import Any

from . import _abi, errors

#: major number of the ABI in the file's name
_NAME = "libbrink.so.%d" % _abi.ABI_MAJOR


def _candidates(name: str) -> list[str]:
    here = os.path.dirname(os.path.abspath(__file__))
    found = [os.path.join(here, "lib", name)]
    # PREFIX/lib/python3/dist-packages/brink: three folders up is PREFIX/lib.
    libraries = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    triple = sysconfig.get_config_var("MULTIARCH")
    for folder in [libraries] + ([os.path.join(libraries, triple)] if triple else []):
        found.append(os.path.join(folder, name))
    if os.path.basename(os.path.dirname(here)) == "python":  # TREE/python/brink
        found.append(os.path.join(os.path.dirname(os.path.dirname(here)), "build", "lib", name))
    return [path for path in found if os.path.exists(path)] + [name]


def load(name: str, mode: int = ctypes.DEFAULT_MODE) -> tuple[ctypes.CDLL, str]:
    """Loads a library of Brink's by its file name; returns it and the path it was loaded from."""
    stated = os.environ.get("BRINK_LIBRARY")
    if stated:
        paths = [stated if name == _NAME else os.path.join(os.path.dirname(stated), name)]
    else:
        paths = _candidates(name)
    reasons = []
    for path in paths:
        try:
            return ctypes.CDLL(path, mode=mode), path
        except OSError as error:
            reasons.append(str(error))
    raise errors.LibraryNotFound(
        "%s was not found (%s). Build the tree (./run.sh build), install Debian's packages made by `cpack -G DEB`, or set "
        "BRINK_LIBRARY to the path of libbrink.so.%d" % (name, "; ".join(reasons), _abi.ABI_MAJOR))


def _open():
    library, path = load(_NAME)
    entry = library.brinkEntry
    entry.argtypes = [_abi.u32, ctypes.POINTER(_abi.text)]
    entry.restype = ctypes.POINTER(_abi.Plugin)
    reason = _abi.text()
    table = entry(_abi.ABI_MAJOR, ctypes.byref(reason))
    if not table:
        raise errors.LibraryNotFound("%s: %s" % (path, (reason.value or b"").decode()))
    if table.contents.structSize < ctypes.sizeof(_abi.Plugin):
        raise errors.LibraryNotFound("%s is older than this package (ABI %d.%d)" %
                                     (path, table.contents.abiMajor, table.contents.abiMinor))
    library.brinkCook.argtypes = [ctypes.POINTER(_abi.MeshView), ctypes.POINTER(_abi.CookOptions),
                                  ctypes.POINTER(_abi.ptr), ctypes.POINTER(_abi.size), _abi.text, _abi.size]
    library.brinkCook.restype = _abi.Status
    library.brinkFreeBlob.argtypes = [_abi.ptr]
    library.brinkFreeBlob.restype = None
    library.brinkCheckBlob.argtypes = [_abi.ptr, _abi.size, ctypes.POINTER(_abi.MeshSummary), _abi.text, _abi.size]
    library.brinkCheckBlob.restype = _abi.Status
    return library, path, table.contents


library, path, api = _open()
#: version of the loaded library
version: str = api.version.decode()


def extension(name: str, table: type) -> Any:
    """The table of an extension; VersionError when this build has none."""
    address = api.getExtension(name.encode())
    if not address:
        raise errors.make(2, "this build of libbrink (%s) has no extension %s" % (path, name))
    found: Any = ctypes.cast(address, ctypes.POINTER(table)).contents
    if found.structSize < ctypes.sizeof(table):
        raise errors.make(2, "%s of this libbrink (%s) is older than this package" % (name, path))
    return found


def check(world, status: int) -> None:
    """Turns a status into an exception with the library's text."""
    if status == 0:
        return
    message = (api.lastError(world) or b"").decode(errors="replace") if world else ""
    raise errors.make(status, message or api.statusText(status).decode())
