# SPDX-License-Identifier: MIT
"""Pictures with matplotlib, which is imported only here."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np


def curves(table: Mapping[str, np.ndarray], figures: Sequence[str] = (), axes: Any = None) -> Any:
    """Columns of a table over its column "time" (s); returns the axes."""
    import matplotlib.pyplot as plt
    axes = axes if axes is not None else plt.subplots()[1]
    for name in figures or [name for name in table if name != "time"]:
        axes.plot(table["time"], table[name], label=name)
    axes.set_xlabel("time, s")
    axes.legend()
    return axes


def heat_map(table: Mapping[str, np.ndarray], x: str, y: str, value: str, axes: Any = None) -> Any:
    """One figure of a study over two of its keys, the mean where there are several rows; returns
    the axes."""
    import matplotlib.pyplot as plt
    axes = axes if axes is not None else plt.subplots()[1]
    columns, column = np.unique(table[x], return_inverse=True)
    lines, line = np.unique(table[y], return_inverse=True)
    total = np.zeros((len(lines), len(columns)))
    count = np.zeros_like(total)
    np.add.at(total, (line, column), table[value])
    np.add.at(count, (line, column), 1)
    with np.errstate(invalid="ignore"):
        picture = axes.pcolormesh(columns, lines, total / count, shading="nearest")
    axes.figure.colorbar(picture, label=value)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return axes
