# SPDX-License-Identifier: MIT
"""Loads the shared library, turns its errors into exceptions, and passes numpy arrays to C."""
from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from ._abi import ffi

lib = ffi.dlopen(os.environ.get("POISE_LIBRARY") or str(Path(__file__).with_name("libpoise.so")))

_SEVERITIES = ("note", "warning", "error")
_POSE_NUMBERS = 7


@dataclass(frozen=True)
class Finding:
    """A finding in a file. `severity` is note, warning or error. Lines and columns count from 1; 0 means
    none."""

    severity: str
    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        place = "".join(f":{number}" for number in (self.line, self.column) if number)
        return f"{self.file}{place}: {self.severity}: {self.text}"


class Error(ValueError):
    """An error that Poise reports. `status` is the name of the C status, or "". `findings` has all
    findings of a file; `file`, `line` and `column` are the place of its first error."""

    def __init__(self, text: str, status: str = "", findings: Sequence[Finding] = ()) -> None:
        super().__init__(text)
        self.status = status
        self.findings = tuple(findings)
        first = next((one for one in self.findings if one.severity == "error"), None)
        self.file = first.file if first else ""
        self.line = first.line if first else 0
        self.column = first.column if first else 0


def version() -> str:
    """Returns the version of the library, like "0.1.0"."""
    number = lib.poise_version()
    return f"{number.major}.{number.minor}.{number.patch}"


def text_of(pointer: Any) -> str:
    """Converts a C string; NULL becomes ""."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def status_word(status: int) -> str:
    return text_of(lib.poise_status_name(status))


def check(status: int, what: str) -> int:
    """Returns the status; raises Error if the status is an error."""
    if status < 0:
        word = status_word(status)
        raise Error(f"{what}: {word}", word)
    return status


def findings_of(diagnostics: Any) -> list[Finding]:
    found = []
    for index in range(lib.poise_diagnostics_size(diagnostics)):
        one = lib.poise_diagnostics_at(diagnostics, index)
        found.append(Finding(_SEVERITIES[one.severity], text_of(one.mark.file), one.mark.line,
                             one.mark.column, text_of(one.text)))
    return found


def doubles(array: np.ndarray) -> Any:
    """Returns a double* to the array's own memory, which must be contiguous. C only reads it."""
    return ffi.cast("double*", ffi.from_buffer(array))


def written(array: np.ndarray, kind: str = "double*") -> Any:
    """Returns a pointer through which C writes to the array's own memory, which must be contiguous.
    Raises Error for read-only memory."""
    if not array.flags.writeable:
        raise Error("the array to write into is read-only: give one that can be written, or its copy()")
    return ffi.cast(kind, ffi.from_buffer(array, require_writable=True))


def numbers(values: Any, name: str, width: int | None = None) -> np.ndarray:
    """Returns the values as contiguous float64, without a copy if they are that already. With `width`
    they must be rows of that width; a flat array becomes one row."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if width is not None:
        array = array[None, :] if array.ndim == 1 else array
        if array.ndim != 2 or array.shape[1] != width:
            raise Error(f"{name}: rows of {width} numbers are due, not the shape {array.shape}")
    return array


def poses(targets: Any) -> tuple[np.ndarray, bool]:
    """Returns the targets as rows of 7 numbers, and True if their rotations count. Rows of 3 are
    positions; rows of 7 are poses, which are not copied if they are contiguous float64."""
    array = np.ascontiguousarray(targets, dtype=np.float64)
    array = array[None, ...] if array.ndim == 1 else array
    if array.shape[-1] == _POSE_NUMBERS:
        return array, True
    if array.shape[-1] != 3:
        raise Error(f"targets: rows of 3 numbers (x, y, z) or 7 (x, y, z, qw, qx, qy, qz) are due, "
                    f"not the shape {array.shape}")
    whole = np.zeros(array.shape[:-1] + (_POSE_NUMBERS,))
    whole[..., :3] = array
    whole[..., 3] = 1.0
    return whole, False


_DTYPES = {"double": np.float64, "int": np.int32, "PoiseStatus": np.int32,
           "PoiseReachReason": np.uint32}


def struct_type(name: str) -> np.dtype:
    """Returns the numpy type of a C struct. C fills arrays of it, and Python reads them without a copy."""
    fields = ffi.typeof(name).fields
    return np.dtype({"names": [field for field, _ in fields],
                     "formats": [_DTYPES[about.type.cname.removeprefix("enum ")] for _, about in fields],
                     "offsets": [about.offset for _, about in fields],
                     "itemsize": ffi.sizeof(name)})


REASONS = tuple(text_of(lib.poise_reach_reason_name(reason)) for reason in range(8))


def reason_words(reasons: np.ndarray) -> np.ndarray:
    """Converts numbers of PoiseReachReason to words: "met", "at limits" and so on."""
    return np.asarray(REASONS, dtype=object)[reasons]
