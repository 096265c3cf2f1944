# SPDX-License-Identifier: MIT
"""Fits settings of a scene, such as springs, friction and masses, to a recorded run."""
from __future__ import annotations

import csv
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._library import Error, Floats, ffi, lib, text_of, written
from .scene import Scene

# Step of the finite differences in the logarithm of a value; length of a step that ends the fit.
_DIFFERENCE, _SMALL_STEP = 1e-4, 1e-6
_MOST_STEPS, _MOST_DAMPING = 60, 1e8
# The record does not determine a value whose standard deviation exceeds this fraction of it.
_UNTOLD = 0.3
# A record whose range is this many times that of the scene has another unit.
_UNITS = (("rad", 180 / math.pi, "degrees"), ("m", 1000.0, "millimetres"), ("m", 100.0, "centimetres"))
_ALIKE = 1.6
_LEAST_ROWS = 8


@dataclass(frozen=True)
class Fit:
    """Values with which a scene repeats a record."""

    #: by key: the value, and its standard deviation if the record's noise is independent
    values: dict[str, float]
    deviations: dict[str, float]
    #: by column: root mean square of the record's difference from the fitted scene, in the column's
    #: unit
    residuals: dict[str, float]
    #: sentences on keys that the record does not determine, and on gaps in the record
    notes: list[str]
    #: times of the record, s, and its columns with those of the fitted scene
    time: Floats = field(repr=False)
    recorded: dict[str, Floats] = field(repr=False)
    simulated: dict[str, Floats] = field(repr=False)

    def plot(self, axes: Any = None) -> Any:
        """Draws the record as dots and the fitted scene as lines (matplotlib). Returns the axes."""
        import matplotlib.pyplot as plt
        axes = axes if axes is not None else plt.subplots()[1]
        for name, numbers in self.recorded.items():
            line = axes.plot(self.time, self.simulated[name], label=name)[0]
            axes.plot(self.time, numbers, ".", color=line.get_color(), markersize=2)
        axes.set_xlabel("time, s")
        axes.legend()
        return axes


def read_record(path: str | Path) -> dict[str, Floats]:
    """Reads a table of numbers with a column "time" (s). An empty cell is NaN."""
    with open(os.fspath(path), newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    if not rows or "time" not in rows[0]:
        raise Error(f"{path}: the first row names the columns, of which one is 'time'")
    columns: dict[str, list[float]] = {name: [] for name in rows[0]}
    for line, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            raise Error(f"{path}:{line}: {len(row)} cells, and {len(rows[0])} columns")
        for name, cell in zip(rows[0], row):
            try:
                columns[name].append(float(cell) if cell.strip() else math.nan)
            except ValueError:
                raise Error(f"{path}:{line}: '{cell}' in column '{name}' is no number") from None
    return {name: np.array(numbers) for name, numbers in columns.items()}


class _Model:
    """The scene as a function of the logarithms of the varied values."""

    def __init__(self, path: str | Path, text: str | None, settings: Mapping[str, Any], keys: list[str],
                 columns: list[str], time: Floats, trusted: bool | None) -> None:
        self.path, self.text, self.settings, self.trusted = path, text, dict(settings), trusted
        self.keys, self.columns, self.time = keys, columns, time

    def __call__(self, logarithms: Floats) -> Floats:
        """Returns the columns at the record's times: times x columns."""
        values = {key: float(math.exp(number)) for key, number in zip(self.keys, logarithms)}
        scene = Scene(self.path, text=self.text, settings={**self.settings, **values}, trusted=self.trusted)
        steps = math.ceil(self.time[-1] / scene.step_length - 1e-6) + 1
        names, columns = scene._columns(self.columns)
        rows = np.empty((steps, len(names)))
        definition = ffi.new("PoiseRunDef*", {"steps": steps, "total": steps, "columns": columns,
                                              "column_count": len(names), "rows": written(rows)})
        made = ffi.new("long*")
        with scene._lock:
            if lib.poise_simulation_run(scene._simulation, definition, made) < 0:
                raise Error(f"with {values}: {text_of(lib.poise_simulation_trouble(scene._simulation))}")
        return np.stack([np.interp(self.time, rows[:, 0], rows[:, names.index(name)])
                         for name in self.columns], 1)


def _check_time(time: Floats, notes: list[str]) -> None:
    if len(time) < _LEAST_ROWS:
        raise Error(f"the record has {len(time)} rows; it is too short: {_LEAST_ROWS} are due at least")
    steps = np.diff(time)
    wrong = np.flatnonzero(~(steps > 0))
    if not np.isfinite(time).all() or len(wrong) or time[0] < 0:
        row = int(wrong[0]) + 1 if len(wrong) else 0
        raise Error(f"time: row {row + 1} of the record: times rise from 0 on, s")
    gap = int(np.argmax(steps))
    if steps[gap] > 10 * np.median(steps):
        notes.append(f"the record has a gap from {time[gap]:.4g} to {time[gap + 1]:.4g} s")


def _check_units(names: list[str], recorded: Floats, simulated: Floats, units: list[str]) -> None:
    """Raises an error if a column of the record seems to have another unit than the scene's."""
    for name, record, run, unit in zip(names, recorded.T, simulated.T, units):
        known = np.isfinite(record)
        if not known.any():
            raise Error(f"{name}: the record has no number in this column")
        size, own = np.abs(record[known]).max(), np.abs(run[known]).max()
        for of, times, word in _UNITS:
            if unit == of and own > 0 and times / _ALIKE < size / own < times * _ALIKE:
                raise Error(f"{name}: up to {size:.4g} in the record and {own:.4g} {unit} in the scene: it "
                            f"looks like {word}")


def _descend(model: _Model, at: Floats, record: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns the best logarithms, the residuals there (weighted, flat), and their Jacobian."""
    known = np.isfinite(record)

    def residual(logarithms: Floats) -> Floats:
        return ((model(logarithms) - record) * weights)[known]

    def jacobian(logarithms: Floats, around: Floats) -> Floats:
        columns = []
        for index in range(len(logarithms)):
            moved = logarithms.copy()
            moved[index] += _DIFFERENCE
            columns.append((residual(moved) - around) / _DIFFERENCE)
        return np.stack(columns, 1)

    now = residual(at)
    slopes, damping = jacobian(at, now), 1e-3
    for _ in range(_MOST_STEPS):
        normal = slopes.T @ slopes
        scale = np.maximum(normal.diagonal(), 1e-300)
        step = -np.linalg.lstsq(normal + damping * np.diag(scale), slopes.T @ now, rcond=None)[0]
        step = np.clip(step, -2, 2)
        trial = residual(at + step)
        if trial @ trial < now @ now:
            ends = np.abs(step).max() < _SMALL_STEP or now @ now - trial @ trial < 1e-9 * (now @ now)
            at, now, damping = at + step, trial, damping * 0.2
            slopes = jacobian(at, now)
            if ends:
                break
        else:
            damping *= 8
            if damping > _MOST_DAMPING or np.abs(step).max() < _SMALL_STEP:
                break
    return at, now, slopes


def fit(path: str | Path, record: str | Path | Mapping[str, npt.ArrayLike],
        vary: Mapping[str, float] | Sequence[str], *, columns: Sequence[str] | None = None,
        text: str | None = None, settings: Mapping[str, Any] | None = None,
        trusted: bool | None = None) -> Fit:
    """Finds values of a scene's settings, all above 0, with which it repeats a recorded run.

    `record`: a CSV file or a mapping with "time" (s, rising) and columns named as those of
    `poise run --csv`, in SI units; NaN or an empty cell: not recorded. `vary`: keys as in `--set`, with
    the values to begin with; keys alone begin with the scene's values. `columns`: those to repeat;
    default: all of the record that the scene has, without goals. Least squares over the logarithms of
    the values, each column divided by its residual. `deviations` are those of independent noise
    of equal size in each row of a column."""
    table = read_record(record) if isinstance(record, (str, os.PathLike)) else dict(record)
    numbers = {name: np.asarray(column, float) for name, column in table.items()}
    if "time" not in numbers:
        raise Error("the record has no column 'time'")
    scene = Scene(path, text=text, settings=settings, trusted=trusted)
    own = set(scene._columns(True)[0])
    names = list(columns) if columns is not None else [
        name for name in numbers if name != "time" and name in own and ".goal_" not in name]
    absent = [name for name in names if name not in numbers]
    if absent or not names:
        raise Error(f"the record has no column '{absent[0]}'" if absent else
                    "no column of the record is one of the scene's (`poise run --csv`)")
    start = dict(vary) if isinstance(vary, Mapping) else {key: scene[key] for key in vary}
    for key, value in start.items():
        if not 0 < value < math.inf:
            raise Error(f"{key}: a value above 0 is due to begin with, not {value:g}")
    if not start:
        raise Error("vary: at least one key is due")
    notes: list[str] = []
    time = numbers["time"]
    _check_time(time, notes)
    data = np.stack([numbers[name] for name in names], 1)
    model = _Model(path, text, settings or {}, list(start), names, time, trusted)
    at = np.log(np.array(list(start.values())))
    run = model(at)
    keys = set(scene.keys())
    _check_units(names, data, run, [scene.unit(name) if name in keys else "" for name in names])
    if np.isfinite(data).sum() <= len(start):
        raise Error(f"the record has {int(np.isfinite(data).sum())} numbers for {len(start)} values: too short")
    spread = np.nanmax(data, 0) - np.nanmin(data, 0)
    weights = 1 / np.maximum(spread, 1e-9)
    for _ in range(2): # columns are divided by their ranges, then by the residuals of the first fit
        at, left, slopes = _descend(model, at, data, weights)
        run = model(at)
        sizes = np.sqrt(np.nanmean((run - data) ** 2, 0))
        weights = 1 / np.maximum(sizes, 1e-12)
    freedom = max(len(left) - len(start), 1)
    covariance = np.linalg.pinv(slopes.T @ slopes) * (left @ left) / freedom
    values = {key: float(math.exp(number)) for key, number in zip(start, at)}
    deviations = {key: value * float(math.sqrt(max(variance, 0.0)))
                  for (key, value), variance in zip(values.items(), covariance.diagonal())}
    sensed = np.linalg.norm(slopes, axis=0) > 0
    for index, (key, value) in enumerate(values.items()):
        if not sensed[index] or deviations[key] > _UNTOLD * value:
            notes.append(f"the record hardly tells {key}: {value:.3g} +- "
                         + (f"{deviations[key]:.2g}" if sensed[index] else "anything"))
    return Fit(values, deviations, dict(zip(names, map(float, sizes))), notes, time,
               dict(zip(names, data.T)), dict(zip(names, run.T)))
