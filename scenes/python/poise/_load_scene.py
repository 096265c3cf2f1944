# SPDX-License-Identifier: MIT
"""Loads a scene or robot from a file or a text, and creates its simulation."""
from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, Iterable

from ._library import Error, Finding, encoded, ffi, findings_of, lib

_TRUST = {None: 0, True: 1, False: 2}


class TurnLock:
    """A reentrant lock that waiting threads get in turn: a thread that takes it again for each part of
    its work cannot keep them out."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._next = threading.Lock()
        self._holder = 0
        self._depth = 0

    def __enter__(self) -> None:
        own = threading.get_ident()
        if self._holder == own:
            self._lock.acquire()
        else:
            # Waits while it holds `_next`: a thread that has just released the lock, and wants it
            # again, has to wait for `_next` first.
            with self._next:
                self._lock.acquire()
            self._holder = own
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._holder = 0
        self._lock.release()


class Loaded:
    """A PoiseScene and its PoiseSimulation. Both are released together."""

    def __init__(self, path: str | Path, text: str | None, settings: Iterable[str],
                 trusted: bool | None, *, meshes: bool = True) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise Error(f"path: the path of a file is due, not {path!r}")
        #: the caller holds this lock in calls to C, which allow one thread at a time
        self.lock = TurnLock()
        #: arguments that load the same files again, from any folder
        self.source = (os.path.abspath(path) if os.path.exists(path) else os.fspath(path), text, trusted)
        created = lib.poise_diagnostics_create(ffi.NULL)
        if not created:
            raise MemoryError("memory is short")
        diagnostics = ffi.gc(created, lib.poise_diagnostics_destroy)
        file = os.fsencode(path)
        if b"\0" in file: # C would read the file whose name ends here
            raise Error("a path with a NUL names nothing")
        keep: list[Any] = [ffi.new("char[]", file)]
        source = ffi.new("PoiseSceneSource*")
        source.path = keep[0]
        source.trust = _TRUST[trusted]
        source.without_meshes = not meshes
        if text is not None:
            keep.append(ffi.new("char[]", text.encode()))
            source.text, source.text_size = keep[-1], len(keep[-1]) - 1
        overrides = [ffi.new("char[]", encoded(one)) for one in settings]
        array = ffi.new("char*[]", overrides or 1)
        source.overrides = ffi.cast("char const* const*", array)
        source.override_count = len(overrides)
        scene = lib.poise_scene_load_source(source, diagnostics)
        self.scene = ffi.gc(scene, lib.poise_scene_destroy) if scene else None
        simulation = lib.poise_simulation_create(scene, diagnostics) if scene else ffi.NULL
        #: findings in the files: notes and warnings
        self.findings: list[Finding] = findings_of(diagnostics)
        if not simulation:
            errors = [str(one) for one in self.findings if one.severity == "error"]
            if not errors: # the library gives the reason of any other failure
                raise MemoryError(f"{path}: memory is short")
            raise Error("\n".join(errors), findings=self.findings)
        # The scene must outlive the simulation, so the lambda's default argument keeps a reference.
        self.simulation = ffi.gc(simulation,
                                 lambda gone, scene=self.scene: lib.poise_simulation_destroy(gone))
