# SPDX-License-Identifier: MIT
"""Loads the shared library, turns its errors into exceptions, and passes numpy arrays to C."""
from __future__ import annotations

import difflib
import os
import reprlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

try:
    from ._abi import ffi
except ImportError as _missing:
    raise ImportError(f"poise needs cffi: pip install cffi, or apt install python3-cffi-backend: {_missing}") from None

#: type of the arrays of this package: float64
Floats = npt.NDArray[np.float64]

# Debian's packages of the libraries that a build, unlike a wheel, takes from the system.
_PACKAGES = {"libode": "libode8", "libyaml-0": "libyaml-0-2", "libexpat": "libexpat1", "libassimp": "libassimp5",
             "libqhull_r": "libqhull-r8.0", "libseccomp": "libseccomp2", "libstdc++": "libstdc++6",
             "libpoise_scenes": "libpoise0.1"}
# The library has its own sine, cosine and others. With RTLD_DEEPBIND (of glibc) ODE takes those and not
# the C library's, so that physics has the same bits as in the program poise and on each machine.
def _load() -> Any:
    path = os.environ.get("POISE_LIBRARY") or str(Path(__file__).with_name("libpoise.so"))
    try:
        return ffi.dlopen(path, ffi.RTLD_NOW | getattr(os, "RTLD_DEEPBIND", 0))
    except OSError as error:
        text = str(error)
        missing_one = next((package for name, package in _PACKAGES.items() if f"{name}.so" in text), None)
        hint = f": apt install {missing_one}, or the wheel, which brings it" if missing_one else ""
        raise ImportError(f"poise cannot load its library: {text}{hint}") from None


lib = _load()

_SEVERITIES = ("note", "warning", "error")
_POSE_NUMBERS = 7
# Duration of a call to C that `parts` aims at, s. Python handles Ctrl-C between two calls.
_PART_SECONDS = 0.05


@dataclass(frozen=True)
class Finding:
    """A finding about a place in a file: an error, a warning or a note."""

    #: severity of the finding: note, warning or error
    severity: str
    file: str
    #: line and column, from 1; 0: none
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
        self.status: str = status
        self.findings: tuple[Finding, ...] = tuple(findings)
        first = next((one for one in self.findings if one.severity == "error"), None)
        self.file: str = first.file if first else ""
        self.line: int = first.line if first else 0
        self.column: int = first.column if first else 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.status, self.findings)


def version() -> str:
    """Returns the version of the library, like "0.1.0"."""
    number = lib.poise_version()
    return f"{number.major}.{number.minor}.{number.patch}"


def text_of(pointer: Any) -> str:
    """Converts a C string; NULL becomes ""."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def encoded(text: str) -> bytes:
    """Returns the text for C, where it would end at a NUL."""
    if "\0" in text:
        raise Error("a text with a NUL names nothing")
    return text.encode()


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


def missing(what: str, name: object, known: Iterable[str]) -> KeyError:
    """Returns the error about a missing name, with the most similar name."""
    near = difflib.get_close_matches(str(name), list(known), 1)
    return KeyError(f"there is no {what} '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))


def parts(count: int, least: int, most: int, first: int = 0) -> Iterator[tuple[int, int]]:
    """Yields the bounds of consecutive parts of first..count. The first part has `least` rows. The size of
    each later one, at most `most`, depends on the time that the caller took for the part before."""
    size = float(least)
    while first < count:
        end = min(first + int(size), count)
        start = time.monotonic()
        yield first, end
        passed = max(time.monotonic() - start, 1e-6)
        size = min(max(size * min(_PART_SECONDS / passed, 4.0), 1.0), float(most))
        first = end


def two_numbers(values: Any, name: str) -> tuple[float, float]:
    """Returns the values as two floats. Raises Error for anything else."""
    try:
        first, second = values
        return float(first), float(second)
    except (TypeError, ValueError):
        raise Error(f"{name}: two numbers (m, rad) are due, not {values!r}") from None


def doubles(array: npt.NDArray[Any]) -> Any:
    """Returns a double* to the array's own memory, which must be contiguous. C only reads it."""
    return ffi.cast("double*", ffi.from_buffer(array))


def written(array: npt.NDArray[Any], kind: str = "double*") -> Any:
    """Returns a pointer through which C writes to the array's own memory, which must be contiguous.
    Raises Error for read-only memory."""
    if not array.flags.writeable:
        raise Error("the array to write into is read-only: give one that can be written, or its copy()")
    return ffi.cast(kind, ffi.from_buffer(array, require_writable=True))


def number(value: Any, name: str) -> float:
    """Returns the value of the argument `name` as a float."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"{name}: a number is due, not {value!r}") from None


def whole(value: Any, name: str, least: int = 1) -> int:
    """Returns the value of the argument `name` as a whole number that C's int holds."""
    if not 0 <= number(value, name) < 2**31 or int(value) != value or value < least:
        raise Error(f"{name}: a whole number of at least {least} is due, not {value!r}")
    return int(value)


def three(values: Any, name: str) -> tuple[float, float, float]:
    """Returns three finite floats. A single number counts for all three."""
    try:
        listed = [float(values)] * 3 if np.ndim(values) == 0 else [float(one) for one in values]
    except (TypeError, ValueError):
        raise Error(f"{name}: three numbers are due, not {values!r}") from None
    if len(listed) != 3 or not np.isfinite(listed).all():
        raise Error(f"{name}: three finite numbers are due, not {values!r}")
    return listed[0], listed[1], listed[2]


def numbers(values: npt.ArrayLike, name: str, width: int | None = None) -> Floats:
    """Returns the values as contiguous float64, without a copy if they are that already. With `width`
    they must be rows of that width; a flat array becomes one row."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise Error(f"{name}: an array of numbers is due, not {reprlib.repr(values)}") from None
    if width is not None:
        array = array[None, :] if array.ndim == 1 else array
        if array.ndim != 2 or array.shape[1] != width:
            raise Error(f"{name}: rows of {width} numbers are due, not the shape {array.shape}")
    return array


def starts_of(values: npt.ArrayLike, count: int, width: int) -> Floats:
    """Returns the start postures of `count` rows: one for all, or one for each."""
    rows = numbers(values, "start", width)
    if len(rows) not in (1, count):
        raise Error(f"start: one posture or {count} are due, not {len(rows)}")
    return rows


def poses(targets: npt.ArrayLike) -> tuple[Floats, bool]:
    """Returns the targets as rows of 7 numbers, and True if their rotations count. Rows of 3 are
    positions; rows of 7 are poses, which are not copied if they are contiguous float64."""
    array = numbers(targets, "targets")
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


_DTYPES = {"double": np.float64, "int": np.int32, "uint32_t": np.uint32, "_Bool": np.bool_,
           "PoiseStatus": np.int32}


def _field_type(field: Any) -> Any:
    if field.kind == "array":
        return (_field_type(field.item), field.length)
    if field.kind == "struct":
        return struct_type(field.cname)
    return _DTYPES.get(field.cname, np.uint32 if field.kind == "enum" else None)


def struct_type(name: str) -> np.dtype[Any]:
    """Returns the numpy type of a C struct. C fills arrays of it, and Python reads them without a copy."""
    fields = ffi.typeof(name).fields
    return np.dtype({"names": [field for field, _ in fields],
                     "formats": [_field_type(about.type) for _, about in fields],
                     "offsets": [about.offset for _, about in fields],
                     "itemsize": ffi.sizeof(name)})


REASONS = tuple(text_of(lib.poise_reach_reason_name(reason)) for reason in range(9))


def reason_words(reasons: npt.NDArray[Any]) -> npt.NDArray[np.object_]:
    """Converts numbers of PoiseReachReason to words: "met", "at limits" and so on."""
    words: npt.NDArray[np.object_] = np.asarray(REASONS, dtype=object)[reasons]
    return words
