# SPDX-License-Identifier: MIT
"""Tables of studies (`poise.Study`, `poise sweep`): reads them, stores them as .npz or HDF5, and draws them.

    python3 -m poise.study springs.csv --save springs.npz
    python3 -m poise.study springs.csv --heat tip.settled_error --x KEY --y KEY --picture heat.svg
    python3 -m poise.study springs.csv --curve tip.settled_error --x KEY --picture curve.svg

A table is a dict with an array for each column, in the order of the file. Columns of numbers are float64
(an empty cell is NaN), other columns are text. `pandas.DataFrame(table)` and `poise.plot` accept it.
"""
from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from . import plot
from ._library import Floats

# Columns of hexadecimal digits. Some of their cells look like numbers.
_TEXT = {"state_hash"}


class StudyTable(Dict[str, "npt.NDArray[Any]"]):
    """The table of a study: an array for each column, with a row for each run."""

    def mean_curve(self, x: str, value: str) -> tuple[Floats, Floats]:
        """Returns the values of column `x` in ascending order, and for each the mean of `value` over its
        rows. Rows whose `value` is NaN are skipped."""
        return mean_curve(self, x, value)

    def curve(self, value: str, x: str, axes: Any = None, log: bool = False) -> Any:
        """Draws the mean of a figure over a key, in the units of both. `log`: the axis of the key is
        logarithmic. Returns the axes of matplotlib."""
        return plot.curve(*mean_curve(self, x, value), x, value, axes, log)

    def heat_map(self, value: str, x: str, y: str, axes: Any = None, log: bool = False) -> Any:
        """Draws the mean of a figure over two keys, in the units of all three. `log`: the axes of the
        keys are logarithmic. Returns the axes of matplotlib."""
        for name in (x, y, value):
            _column(self, name)
        return plot.heat_map(self, x, y, value, axes, log)

    def save(self, path: str | Path) -> None:
        """Writes .npz (numpy's format) or .h5 (HDF5, by h5py)."""
        save(self, path)


def load(path: str | Path) -> StudyTable:
    """Reads a table: .csv of `poise sweep`, or .npz or .h5 of `save`. Raises ValueError with file and line
    if the file is no table."""
    path = Path(path)
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as stored:
            return StudyTable({name: stored[name] for name in stored.files})
    if path.suffix in (".h5", ".hdf5"):
        with _hdf5().File(path, "r") as stored:
            return StudyTable({name: _from_hdf5(stored[name]) for name in stored.attrs["columns"]})
    return _load_csv(path)


def save(table: Mapping[str, npt.NDArray[Any]], path: str | Path) -> None:
    """Writes .npz (numpy's format, without pickles; equal tables give equal bytes) or .h5 (HDF5, by h5py).
    An existing file stays until the new one is complete."""
    path = Path(path)
    partial = path.with_name(path.name + ".part")
    try:
        if path.suffix == ".npz":
            with partial.open("wb") as file:
                np.savez_compressed(file, **{name: np.asarray(table[name]) for name in table})
        elif path.suffix in (".h5", ".hdf5"):
            _save_hdf5(table, partial)
        else:
            raise ValueError(f"{path}: .npz or .h5 is due, not '{path.suffix}'")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _hdf5() -> Any:
    try:
        import h5py
    except ImportError:
        raise ValueError("HDF5 needs h5py: apt install python3-h5py, or pip install h5py") from None
    return h5py


def _save_hdf5(table: Mapping[str, npt.NDArray[Any]], path: Path) -> None:
    h5py = _hdf5()
    with h5py.File(path, "w") as file:
        file.attrs["columns"] = list(table)
        for name, column in table.items():
            column = np.asarray(column)
            texts = column.dtype.kind == "U"
            file.create_dataset(name, data=column.astype(h5py.string_dtype()) if texts else column,
                                compression="gzip", track_times=False)


def _from_hdf5(stored: Any) -> npt.NDArray[Any]:
    return stored.asstr()[:].astype(str) if stored.dtype.kind == "O" else stored[:]


def _rows(path: Path) -> Iterator[list[str]]:
    """Yields the head, then the rows. Raises ValueError for a row with another number of cells."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        head = next(rows, None)
        if not head:
            raise ValueError(f"{path}: is empty: a head with the names of the columns is due")
        yield head
        for row in rows:
            if len(row) != len(head):
                raise ValueError(f"{path}:{rows.line_num}: the row has {len(row)} cells, the head has "
                                 f"{len(head)}")
            yield row


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
        return True
    except ValueError:
        return False


def _load_csv(path: Path) -> StudyTable:
    # Reads the file twice: the type of a column is known only at its end, and Python strings for all
    # cells would take ten times the memory.
    rows = _rows(path)
    head = next(rows)
    numeric = [name not in _TEXT for name in head]
    widths = [1] * len(head)
    count = 0
    for count, row in enumerate(rows, 1):
        for i, cell in enumerate(row):
            numeric[i] = numeric[i] and _is_number(cell)
            widths[i] = max(widths[i], len(cell))
    table = StudyTable({name: np.empty(count, float if numeric[i] else f"<U{widths[i]}")
                        for i, name in enumerate(head)})
    rows = _rows(path)
    next(rows)
    columns = list(table.values())
    for k, row in enumerate(rows):
        for i, cell in enumerate(row):
            columns[i][k] = float(cell or "nan") if numeric[i] else cell
    return table


def _column(table: Mapping[str, npt.NDArray[Any]], name: str) -> Floats:
    if name not in table:
        raise ValueError(f"there is no column '{name}'; there are {', '.join(table)}")
    if table[name].dtype.kind != "f":
        raise ValueError(f"column '{name}' holds no numbers")
    return table[name]


def mean_curve(table: Mapping[str, npt.NDArray[Any]], x: str, value: str) -> tuple[Floats, Floats]:
    """Returns the values of column `x` in ascending order, and for each the mean of `value` over its rows.
    Rows whose `value` is NaN are skipped."""
    places, place = np.unique(_column(table, x), return_inverse=True)
    values = _column(table, value)
    known = ~np.isnan(values)
    count = np.bincount(place[known], minlength=len(places))
    total = np.bincount(place[known], weights=values[known], minlength=len(places))
    with np.errstate(invalid="ignore"):
        return places, total / count


def _draw(table: StudyTable, arguments: argparse.Namespace) -> None:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    # A constant salt, so that equal tables give equal bytes.
    matplotlib.rcParams["svg.hashsalt"] = "poise"
    figure, axes = plt.subplots()
    if arguments.heat:
        table.heat_map(arguments.heat, arguments.x, arguments.y, axes, arguments.log)
    for value in arguments.curve:
        table.curve(value, arguments.x, axes, arguments.log)
    picture = Path(arguments.picture)
    partial = picture.with_name(picture.name + ".part")
    try:
        figure.savefig(partial, format=picture.suffix[1:] or None,
                       metadata={"Date": None} if picture.suffix == ".svg" else None)
        partial.replace(picture)
    finally:
        partial.unlink(missing_ok=True)


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m poise.study",
                                     description="A table of `poise sweep`: kept as .npz or HDF5, drawn.")
    parser.add_argument("table", help="the .csv of a study, or what --save wrote")
    parser.add_argument("--save", metavar="FILE", help="writes the table as .npz or .h5")
    parser.add_argument("--heat", metavar="FIGURE", help="a heat map of it over --x and --y")
    parser.add_argument("--curve", metavar="FIGURE", action="append", default=[],
                        help="its mean over --x; may be given several times")
    parser.add_argument("--x", metavar="KEY")
    parser.add_argument("--y", metavar="KEY")
    parser.add_argument("--log", action="store_true", help="logarithmic axes of keys")
    parser.add_argument("--picture", metavar="FILE", help="where it is drawn: .svg, .png or .pdf")
    arguments = parser.parse_args(argv)
    drawn = bool(arguments.heat) + bool(arguments.curve)
    if drawn > 1:
        parser.error("--heat and --curve: one of them")
    if drawn and (not arguments.picture or not arguments.x or (arguments.heat and not arguments.y)):
        parser.error("a picture needs --picture, --x and, for --heat, --y")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command. Returns its exit code: 0, or 3 with the reason on stderr."""
    arguments = _parse(argv)
    try:
        table = load(arguments.table)
        if arguments.save:
            save(table, arguments.save)
        if arguments.heat or arguments.curve:
            _draw(table, arguments)
    except ImportError as missing:
        print(f"poise: {missing}: apt install python3-matplotlib, or pip install matplotlib",
              file=sys.stderr)
        return 3
    except (OSError, ValueError) as wrong:
        print(f"poise: {wrong}", file=sys.stderr)
        return 3
    if not arguments.save and not arguments.heat and not arguments.curve:
        print(f"{len(next(iter(table.values())))} rows, {len(table)} columns: {', '.join(table)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
