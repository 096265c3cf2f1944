# SPDX-License-Identifier: MIT
"""Draws with matplotlib. The functions import it, so that the package works without it."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._library import Floats


def curves(table: Mapping[str, npt.NDArray[Any]], figures: Sequence[str] = (), axes: Any = None) -> Any:
    """Draws columns of a table over its column "time" (s). Returns the axes."""
    import matplotlib.pyplot as plt
    axes = axes if axes is not None else plt.subplots()[1]
    for name in figures or [name for name in table if name != "time"]:
        axes.plot(table["time"], table[name], label=name)
    axes.set_xlabel("time, s")
    axes.legend()
    return axes


def curve(places: npt.NDArray[Any], values: npt.NDArray[Any], x: str, value: str, axes: Any = None,
          log: bool = False) -> Any:
    """Draws values of a figure over a key of a study. Returns the axes."""
    import matplotlib.pyplot as plt
    axes = axes if axes is not None else plt.subplots()[1]
    axes.plot(places, values, label=value)
    axes.set_xlabel(x)
    axes.legend()
    if log:
        axes.set_xscale("log")
    return axes


def heat_map(table: Mapping[str, npt.NDArray[Any]], x: str, y: str, value: str, axes: Any = None,
             log: bool = False) -> Any:
    """Draws a figure of a study over two of its keys. Several rows of one cell give their mean. `log`:
    axes are logarithmic if all their values are above 0. Returns the axes."""
    import matplotlib.pyplot as plt
    axes = axes if axes is not None else plt.subplots()[1]
    columns, column = np.unique(table[x], return_inverse=True)
    lines, line = np.unique(table[y], return_inverse=True)
    total = np.zeros((len(lines), len(columns)))
    count = np.zeros_like(total)
    np.add.at(total, (line, column), table[value])
    np.add.at(count, (line, column), 1)
    with np.errstate(invalid="ignore"):
        picture = axes.pcolormesh(_edges(columns, log), _edges(lines, log), total / count)
    axes.figure.colorbar(picture, label=value)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if _has_log(columns, log):
        axes.set_xscale("log")
    if _has_log(lines, log):
        axes.set_yscale("log")
    return axes


def _has_log(places: npt.NDArray[Any], log: bool) -> bool:
    """True if the axis is logarithmic: `log` is set, and the least value is above 0."""
    return log and len(places) > 0 and places[0] > 0


def _edges(places: npt.NDArray[Any], log: bool) -> Floats:
    """Returns the edges of the cells: half-way between two values, on the axis' own scale."""
    log = _has_log(places, log)
    on_axis = np.log(places) if log else np.asarray(places, dtype=float)
    if len(on_axis) == 1:
        ends = on_axis[0] + np.array([-0.5, 0.5])
    else:
        half = np.diff(on_axis) / 2
        ends = np.concatenate([on_axis[:1] - half[:1], on_axis[:-1] + half, on_axis[-1:] + half[-1:]])
    return np.exp(ends) if log else ends
