# SPDX-License-Identifier: MIT
"""Studies: one scene that runs many times with other values, on processes, MPI, Dask or other workers.

    study = poise.Study("springhead_2balls", seconds=2, figures=["tip.error"],
                        vary={"defaults.joint.ik.spring": "100:1e6:50:log"})
    table = study.run(out="springs.csv")
    table.curve("tip.error", "defaults.joint.ik.spring")
"""
from __future__ import annotations

import csv
import errno
import json
import math
import mmap
import os
import sys
import tempfile
import time
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, BinaryIO, Callable, Iterator, Mapping, Sequence, TextIO

import numpy as np
import numpy.typing as npt

from ._library import Error, Finding, ffi, findings_of, lib, text_of
from .study import StudyTable, load
from .workers import Source, distribute

_TRUST = {None: 0, True: 1, False: 2}
# Longest time between two syncs of the rows to the disk, s.
_SYNC_SECONDS = 1.0
_NEWLINE, _COMMA, _ZERO, _NINE = b"\n,09"
_MOST_DIGITS = 10


def _cell(text: str) -> str:
    """Returns a cell of a CSV, quoted if necessary. Newlines become spaces, so that a row is one line."""
    plain = text.replace("\n", " ").replace("\r", " ")
    quoted = plain != text or "," in plain or '"' in plain
    return '"' + plain.replace('"', '""') + '"' if quoted else plain


def _values(values: Any) -> str:
    """Returns the values of a key in the syntax of a study's file."""
    if isinstance(values, str):
        return values
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, range):
        values = list(values)
    return json.dumps(values)


class Study:
    """A scene that runs once for each combination of values of its keys.

    `scene`: a scene or robot, by path or by the name of an installed file; without `vary`: the file of a
    study (`sweep: 1`). `vary`: for each key, as in `settings` of `Scene`, its values: a list; "A:B:N", N
    values from A to B; "draw:A:B", at random in each run; with ":log" at the end on a scale of
    logarithms. `figures`: what is recorded of each run, like "hand.rms_error" or "energy.kinetic".
    `seconds`: length of each run, s (default: the scene's). `seed` of the draws. `draws`: runs of each
    combination. `trusted`: see `Scene`. Raises `Error` with all findings.
    """

    #: findings in the study's file and settings
    findings: list[Finding]

    def __init__(self, scene: str | Path, vary: Mapping[str, Any] | None = None,
                 figures: Sequence[str] | str | None = None, *, seconds: float | None = None,
                 seed: int | None = None, draws: int | None = None, trusted: bool | None = None) -> None:
        given = {"seconds": seconds, "seed": seed, "draws": draws,
                 "figures": None if figures is None else _values(figures)}
        settings = [f"{name}={value}" for name, value in given.items() if value is not None]
        settings += [f"vary.{key}={_values(values)}" for key, values in (vary or {}).items()]
        if vary is not None:
            settings.append(f"scene={os.fspath(scene)}")
        self._open(None if vary is not None else os.fspath(scene), settings, trusted)

    @classmethod
    def _of_settings(cls, path: str | None, settings: Sequence[str], trusted: bool | None,
                     errors: TextIO | None = None) -> Study:
        """Makes a study as the command line has it. `errors` gets the findings, with lines and carets."""
        study = cls.__new__(cls)
        study._open(path, settings, trusted, errors)
        return study

    @classmethod
    def _of_source(cls, source: Source) -> Study:
        return cls._of_settings(source.path, source.settings, source.trusted)

    def _open(self, path: str | None, settings: Sequence[str], trusted: bool | None,
              errors: TextIO | None = None) -> None:
        self._diagnostics = ffi.gc(lib.poise_diagnostics_create(ffi.NULL), lib.poise_diagnostics_destroy)
        texts = [ffi.new("char[]", os.fsencode(setting)) for setting in settings]
        name = ffi.NULL if path is None else ffi.new("char[]", os.fsencode(path))
        array = ffi.new("char*[]", texts or 1)
        source = ffi.new("PoiseStudySource*", {
            "path": name, "settings": ffi.cast("char const* const*", array),
            "setting_count": len(texts), "trust": _TRUST[trusted]})
        study = lib.poise_study_load(source, self._diagnostics)
        self.findings = findings_of(self._diagnostics)
        if errors is not None:
            errors.flush()
            lib.poise_diagnostics_print(self._diagnostics, lib.POISE_WARNING, errors)
        if not study:
            wrong = [str(one) for one in self.findings if one.severity == "error"]
            raise Error("\n".join(wrong) or f"{path}: cannot be read", findings=self.findings)
        self._study = ffi.gc(study, lib.poise_study_destroy)
        # name of the study in messages: its file, or that of its scene
        self._name = path or next(text[6:] for text in settings if text.startswith("scene="))
        self._source = Source(path, tuple(settings), trusted, os.getcwd(), self.fingerprint)

    def __repr__(self) -> str:
        return f"<poise.Study of {len(self)} runs: {', '.join(self.keys)} -> {', '.join(self.figures)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Study._of_source, (self._source,)

    def __len__(self) -> int:
        """Number of runs of the study."""
        return lib.poise_study_run_count(self._study)

    @property
    def keys(self) -> list[str]:
        """The keys whose values vary."""
        return [text_of(lib.poise_study_key(self._study, i))
                for i in range(lib.poise_study_key_count(self._study))]

    @property
    def figures(self) -> list[str]:
        """Names of the figures that are recorded of each run."""
        return [text_of(lib.poise_study_figure(self._study, i))
                for i in range(lib.poise_study_figure_count(self._study))]

    @property
    def fingerprint(self) -> int:
        """Hash of the study, of all files that its runs read, and of the version of Poise."""
        return lib.poise_study_fingerprint(self._study)

    def values(self, run: int) -> list[str]:
        """Returns the value of each key in run `run`, 0 to len - 1, in the syntax of a scene's
        file."""
        if not 0 <= run < len(self):
            raise IndexError(f"run: 0 to {len(self) - 1} is due, not {run}")
        text = ffi.new("char[]", lib.POISE_STUDY_VALUE)
        return [text_of(lib.poise_study_value(self._study, run, key, text, len(text)))
                for key in range(lib.poise_study_key_count(self._study))]

    # -------------------------------------------------------------------------------- rows

    def _head(self) -> str:
        return ",".join(["run", *self.keys, "status", "reason", *self.figures, "state_hash"]) + "\n"

    def _format(self, run: int, status: str, reason: str, figures: Sequence[float], state_hash: int) -> str:
        cells = [str(run), *(_cell(value) for value in self.values(run)), status, _cell(reason),
                 *("%.17g" % value if math.isfinite(value) else "" for value in figures),
                 f"{state_hash:016x}" if state_hash else ""]
        return ",".join(cells) + "\n"

    def _row(self, run: int) -> str:
        """Makes a run, and returns its row of the table."""
        count = lib.poise_study_figure_count(self._study)
        figures = ffi.new("double[]", count or 1)
        row = ffi.new("PoiseStudyRow*", {"figures": figures})
        if lib.poise_study_run(self._study, run, row) < 0:
            raise Error(text_of(row.reason) or "memory is short")
        return self._format(run, text_of(row.status), text_of(row.reason), list(figures)[:count],
                            row.state_hash)

    def _crashed_row(self, run: int) -> str:
        return self._format(run, "crashed", "its process ended twice", [math.nan] * len(self.figures), 0)

    # --------------------------------------------------------------------------------- run

    def run(self, executor: Executor | None = None, *, out: str | Path | None = None,
            jobs: int | None = None, shard: str | None = None, resume: bool = True,
            progress: bool | Callable[[int, int], Any] = False) -> StudyTable | None:
        """Makes the runs that have no row yet, and returns the table, whose row k is run k.

        `executor`: any of concurrent.futures, as `mpi4py.futures.MPIPoolExecutor()` or
        `distributed.Client(...).get_executor()`; default: `jobs` processes (one for each processor). The
        table has the same bytes with each of them. A process that dies is replaced, and its runs are
        tried again; a run that ends its process each time has the status "crashed".

        `out`: file of the table (.csv). Rows are on disk, in `OUT.parts`, within a second of their run,
        and a study that was ended continues with the next call; `resume=False` begins anew. Without
        `out` the rows are kept in a temporary folder. `shard`: "K/N" makes only each N-th run from the
        K-th on, for several machines that share a folder; the result is None until all rows are there.
        `progress`: True shows a bar on stderr; a function gets the numbers of done runs and of all.

        Ctrl-C keeps the rows, and ends the call.
        """
        if out is None:
            if shard is not None:
                raise Error("out: a file is due with a shard")
            with tempfile.TemporaryDirectory(prefix="poise-study-") as folder:
                return self.run(executor, out=Path(folder) / "study.csv", jobs=jobs, progress=progress)
        rows = Rows(self, out)
        if not resume:
            rows.forget()
        bar = Progress(sys.stderr) if progress is True else progress or None
        return load(out) if self._fill(rows, executor, jobs, read_shard(shard), bar) else None

    def _fill(self, rows: Rows, executor: Executor | None, jobs: int | None, shard: tuple[int, int],
              progress: Callable[[int, int], Any] | None) -> bool:
        """Makes the missing rows of a shard. Returns True if the table was written."""
        if jobs is not None and jobs < 1:
            raise Error(f"jobs: 1 or more processes are due, not {jobs}")
        rows.check_out()
        rows.shard = shard
        done = rows.done()
        first, step = shard
        todo = np.arange(first - 1, len(self), step)
        todo = todo[~done[todo]]
        if len(todo):
            # Makes one run first, so that an error of all runs is reported at once.
            probe = not done[0] and todo[0] != 0
            self._make(rows, np.append(0, todo) if probe else todo, probe, executor,
                       jobs or os.cpu_count() or 1, progress)
        return rows.merge()

    def _make(self, rows: Rows, todo: npt.NDArray[np.int64], probe: bool, executor: Executor | None,
              jobs: int, progress: Callable[[int, int], Any] | None) -> None:
        made = 0
        total = len(todo)
        refused: list[str] = []

        def keep(texts: list[str], runs: list[int]) -> None:
            nonlocal made
            for run, text in zip(runs, texts or map(self._crashed_row, runs)):
                refusal = self._refusal(text) if run == 0 else None
                if refusal is not None:
                    refused.append(refusal)
                    raise Error(f"{self._name}: the first run is refused: {refusal}")
                if (run != 0 or not probe) and not refused:
                    rows.add(text)
            made += len(runs)

        def tick() -> None:
            rows.sync()
            if progress:
                progress(made, total)

        try:
            distribute(self, todo, executor, min(jobs, total), keep, tick)
        finally:
            rows.close()
            if refused:
                rows.drop()
            if isinstance(progress, Progress):
                progress.clear()

    def _refusal(self, row: str) -> str | None:
        """Returns the reason of a row with the status refused; None for another status."""
        cells = next(csv.reader([row]))
        status = 1 + len(self.keys)
        return cells[status + 1] if cells[status] == "refused" else None


def read_shard(text: str | None) -> tuple[int, int]:
    """Reads "K/N", the K-th of N shards."""
    if text is None:
        return 1, 1
    shard, slash, shards = text.partition("/")
    if not (slash and shard.isascii() and shard.isdigit() and shards.isascii() and shards.isdigit()
            and 1 <= int(shard) <= int(shards) <= 1000000):
        raise Error(f"shard: K/N is due with K from 1 to N, not '{text}'")
    return int(shard), int(shards)


class Rows:
    """The rows of an unfinished table: files in a folder next to it. Each file was written by one call,
    as whole lines in any order. An incomplete last line is ignored."""

    def __init__(self, study: Study, out: str | Path) -> None:
        self.study = study
        self.out: str = os.fspath(out)
        self.folder: str = f"{self.out}.parts"
        self.shard: tuple[int, int] = (1, 1)
        self._head = f"# poise sweep {study.fingerprint:016x}\n".encode()
        self._file: int | None = None
        self._path = ""
        self._synced = 0.0

    # ------------------------------------------------------------------------------ reading

    def _paths(self) -> Iterator[str]:
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError:
            return
        except OSError as error:
            raise Error(f"{self.folder}: cannot be read: {error.strerror}") from None
        yield from (os.path.join(self.folder, name) for name in names
                    if name.startswith("part-") and name.endswith(".csv"))

    def _contents(self) -> Iterator[tuple[str, bytes | mmap.mmap]]:
        for path in self._paths():
            try:
                with open(path, "rb") as file:
                    size = os.fstat(file.fileno()).st_size
                    yield path, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
            except FileNotFoundError:
                # another shard has removed the file after merging the rows
                continue
            except OSError as error:
                raise Error(f"{path}: cannot be read: {error.strerror}") from None

    def _find(self, path: str, text: bytes | mmap.mmap) -> tuple[npt.NDArray[np.int64], ...]:
        """Returns the run of each row in a file, and where each row begins and ends, bytes."""
        none = np.zeros(0, np.int64)
        if text[:len(self._head)] != self._head:
            if text.find(b"\n") < 0:
                # the process was killed before the first line was complete
                return none, none, none
            raise Error(f"{path}: its rows are of another study, or of this one before it, a file that it "
                        "reads or poise was changed; --again begins anew")
        data = np.frombuffer(text, np.uint8)
        ends = np.flatnonzero(data == _NEWLINE) + 1
        begins, ends = ends[:-1], ends[1:]
        runs = np.zeros(len(begins), np.int64)
        at = begins.copy()
        digits = np.ones(len(begins), bool)
        for _ in range(_MOST_DIGITS):
            letters = data[at].astype(np.int64)
            digits &= (letters >= _ZERO) & (letters <= _NINE)
            runs = np.where(digits, 10 * runs + letters - _ZERO, runs)
            at += digits
        good = (at > begins) & (data[at] == _COMMA) & (runs < len(self.study))
        return runs[good], begins[good], ends[good]

    def done(self) -> npt.NDArray[np.bool_]:
        """Returns, for each run, True if it has a row."""
        done = np.zeros(len(self.study), bool)
        for path, text in self._contents():
            done[self._find(path, text)[0]] = True
        return done

    # ------------------------------------------------------------------------------ writing

    def check_out(self) -> None:
        """Raises Error if the table cannot be written, or would replace a file that was read."""
        replaced = lib.poise_output_replaced(os.fsencode(self.out), self.study._diagnostics)
        if replaced:
            raise Error(f"{self.out}: cannot be written: it would replace '{text_of(replaced)}'")
        try:
            if os.path.isdir(self.out):
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
            if os.path.exists(self.out) and not os.path.isfile(self.out):
                raise OSError(errno.EINVAL, "it is no regular file")
            with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(self.out))):
                pass
        except OSError as error:
            raise Error(f"{self.out}: cannot be written: {error.strerror}") from None

    def _open(self) -> int:
        try:
            os.makedirs(self.folder, exist_ok=True)
            number = 1
            while True:
                name = f"part-{self.shard[0]}of{self.shard[1]}-{number}.csv"
                self._path = os.path.join(self.folder, name)
                try:
                    file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
                    break
                except FileExistsError:
                    number += 1
            self._write(file, self._head)
            return file
        except OSError as error:
            raise Error(f"{self.folder}: cannot be written: {error.strerror}") from None

    def _write(self, file: int, text: bytes) -> None:
        while text:
            text = text[os.write(file, text):]

    def add(self, row: str) -> None:
        """Appends the row of a run to the file of this call."""
        if self._file is None:
            self._file = self._open()
        try:
            self._write(self._file, row.encode())
        except OSError as error:
            raise Error(f"a row cannot be written: {error.strerror}") from None

    def sync(self) -> None:
        """Writes the rows to the disk, at most once a second."""
        if self._file is not None and time.monotonic() - self._synced > _SYNC_SECONDS:
            os.fdatasync(self._file)
            self._synced = time.monotonic()

    def close(self) -> None:
        """Writes the rows to the disk, and closes their file."""
        if self._file is not None:
            os.fdatasync(self._file)
            os.close(self._file)
            self._file = None

    def drop(self) -> None:
        """Removes the file with the rows of this call."""
        self.close()
        if self._path:
            os.unlink(self._path)
            self._remove_folder()

    def _remove_folder(self) -> None:
        try:
            os.rmdir(self.folder)
        except OSError:
            # the folder is absent, or has other files
            pass

    def forget(self) -> None:
        """Removes the rows of all calls."""
        for path in self._paths():
            os.unlink(path)
        self._remove_folder()

    def merge(self) -> bool:
        """Writes the table and removes the rows, if every run has a row. Returns True if it did."""
        count = len(self.study)
        texts: list[bytes | mmap.mmap] = []
        begins, ends = np.zeros(count, np.int64), np.zeros(count, np.int64)
        part = np.zeros(count, np.int32)
        for path, text in self._contents():
            runs, begin, end = self._find(path, text)
            begins[runs], ends[runs], part[runs] = begin, end, len(texts)
            texts.append(text)
        if not ends.all():
            # Another shard that ended at the same time has written the table and removed the rows.
            return not texts and os.path.isfile(self.out) and not os.path.isdir(self.folder)
        partial = f"{os.path.realpath(self.out)}.{os.uname().nodename}-{os.getpid()}.part"
        try:
            with open(partial, "xb") as file:
                self._write_table(file, texts, begins, ends, part)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, os.path.realpath(self.out))
        except OSError as error:
            raise Error(f"{self.out}: cannot be written: {error.strerror}") from None
        finally:
            if os.path.exists(partial):
                os.unlink(partial)
        self.forget()
        return True

    def _write_table(self, file: BinaryIO, texts: Sequence[bytes | mmap.mmap], begins: Any, ends: Any,
                     part: Any) -> None:
        file.write(self.study._head().encode())
        views = [memoryview(text) for text in texts]
        for index, begin, end in zip(part.tolist(), begins.tolist(), ends.tolist()):
            file.write(views[index][begin:end])


class Progress:
    """A progress bar on a stream, if that is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._start = time.monotonic()
        self._last = 0.0

    def __call__(self, made: int, total: int) -> None:
        now = time.monotonic()
        if self._stream is None or now - self._last < 0.1:
            return
        self._last = now
        left = (now - self._start) / made * (total - made) if made else 0.0
        filled = 20 * made // max(total, 1)
        self._stream.write(f"\r[{'#' * filled:<20}] {made} of {total} runs, {left:.0f} s left \x1b[K")
        self._stream.flush()

    def clear(self) -> None:
        """Removes the bar from the terminal."""
        if self._stream is not None:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
