# SPDX-License-Identifier: MIT
"""The command `poise sweep`, also `python3 -m poise sweep`."""
from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import signal
import sys
from concurrent.futures import Executor
from typing import Any, Callable, Iterator, NoReturn, Sequence

from ._library import Error, ffi, lib
from .sweep import Progress, Rows, Study, read_shard

_DONE, _USAGE, _INPUT, _INTERRUPTED = 0, 2, 3, 130

USAGE = """\
usage: poise sweep STUDY.yaml [options]
       poise sweep SCENE --vary KEY=VALUES.. --figures NAME,.. [options]
Runs a scene many times with other values of the varied keys, and writes a table: a row for
each run, with its values, how it ended and its figures. The table is the same to the last
byte for any number of processes and shards, and for each executor.
  --vary KEY=VALUES  a key as in --set of poise run, and its values: A,B,C is a list, A:B:N
                     are N values from A to B, draw:A:B is a random value in each run; :log
                     at the end gives a scale of logarithms; or as in a study's file. Given
                     again: all combinations are run
  --figures NAME,..  figures of each run: hand.rms_error, elbow.torque, energy.kinetic
  --seconds S        length of each run (the scene's)
  --seed N           seed of the draws
  --draws N          runs of each combination
  --out FILE         the table (the study's or scene's name with .csv)
  --jobs N           number of processes (one for each processor)
  --executor NAME    processes; mpi: the ranks of mpirun, of which the first hands out the
                     runs; dask: processes of Dask; dask:HOST:PORT: a cluster of Dask
  --shard K/N        only each N-th run from the K-th on, for several machines that share a
                     folder; the last to end writes the table
  --resume           continues a study that was ended; runs with a row are not repeated
  --again            removes existing rows and begins anew
  --list             prints the runs with their values, without running them
  --quiet            no progress
  --untrusted        robots, meshes and parts only from below the scene's folder; the
                     default where CI is set in the environment, else --trusted
Ends with 130 if interrupted. Rows are kept in FILE.parts until all are there. A run whose
process dies is tried again; one that ends its process each time has the status crashed.
Examples:
  poise sweep springs.yaml --resume       a study from its file, continued
  poise sweep reach --vary 'joints.*.ik.spring=100:1e4:20:log' --figures left_palm.rms_error
  mpirun -n 9 poise sweep springs.yaml --executor mpi   eight ranks make the runs
"""

_TEXTS = ["--vary", "--figures", "--seconds", "--seed", "--draws", "--out", "--jobs", "--executor", "--shard"]
_FLAGS = ["--resume", "--again", "--list", "--quiet", "--trusted", "--untrusted", "--help", "-h"]


class _Wrong(Exception):
    """A mistake in the arguments. `usage`: the usage is printed too."""

    def __init__(self, text: str, usage: bool = False) -> None:
        super().__init__(text)
        self.usage = usage


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Wrong(message.replace("argument ", "", 1), True)


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--vary", action="append", default=[])
    for name in _TEXTS[1:]:
        parser.add_argument(name)
    for name in _FLAGS[:-2]:
        parser.add_argument(name, action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    options, unknown = parser.parse_known_args(argv)
    if options.help:
        return options
    if unknown:
        word = unknown[0].partition("=")[0]
        near = difflib.get_close_matches(word, _TEXTS + _FLAGS, 1)
        guess = f"; did you mean '{near[0]}'?" if near else ""
        raise _Wrong(f"unrecognized option '{word}'{guess}", True)
    if len(options.files) != 1:
        raise _Wrong("which file?" if not options.files else "one file at a time", True)
    if options.resume and options.again:
        raise _Wrong("--resume and --again: one of them")
    return options


def _jobs(text: str | None) -> int:
    if text is None:
        return os.cpu_count() or 1
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 1024):
        raise _Wrong(f"--jobs: a whole number from 1 to 1024, not {text}")
    return int(text)


@contextlib.contextmanager
def _executor(name: str, jobs: int) -> Iterator[Executor | None]:
    """Yields the executor; None: use processes of this machine. A worker rank of MPI ends here."""
    kind, _, address = name.partition(":")
    try:
        if name == "processes":
            yield None
        elif name == "mpi":
            from mpi4py.futures import MPICommExecutor
            with MPICommExecutor() as executor:
                # A worker rank gets None, when the first rank has ended.
                if executor is not None:
                    yield executor
            if executor is None:
                raise SystemExit(_DONE)
        elif kind == "dask":
            import distributed
            with contextlib.ExitStack() as stack:
                if not address:
                    address = stack.enter_context(distributed.LocalCluster(
                        n_workers=jobs, threads_per_worker=1, dashboard_address=None))
                client = stack.enter_context(distributed.Client(address))
                yield client.get_executor()
        else:
            raise _Wrong(f"--executor: processes, mpi, dask or dask:HOST:PORT is due, not '{name}'")
    except ImportError as missing:
        package = {"mpi4py": "python3-mpi4py", "distributed": "python3-distributed"}
        raise Error(f"--executor {kind}: install {package.get(missing.name or '', missing.name)}") from None


def _open_study(options: argparse.Namespace) -> Study:
    file = options.files[0]
    found = ffi.new("char[1000]")
    name = os.fsencode(file)
    if not options.vary and ffi.string(lib.poise_scene_find_file(name, found, len(found))) != name:
        raise _Wrong(f"'{file}' is a scene: --vary says what to vary, --figures what to keep")
    settings = [f"vary.{text}" for text in options.vary]
    settings += [f"{name}={getattr(options, name)}" for name in ("figures", "seconds", "seed", "draws")
                 if getattr(options, name) is not None]
    settings += [f"scene={file}"] if options.vary else []
    trusted = False if options.untrusted else True if options.trusted else None
    return Study._of_settings(None if options.vary else file, settings, trusted, sys.stderr)


def _list(study: Study) -> None:
    print("run", *study.keys, sep="  ")
    for run in range(len(study)):
        print(run, *study.values(run), sep="  ")


def _sweep(options: argparse.Namespace) -> int:
    jobs = _jobs(options.jobs)
    try:
        shard = read_shard(options.shard)
    except Error as wrong:
        raise _Wrong(f"--{wrong}") from None
    with _executor(options.executor or "processes", jobs) as executor:
        study = _open_study(options)
        if options.list:
            _list(study)
            return _DONE
        rows = Rows(study, options.out or os.path.splitext(options.files[0])[0] + ".csv")
        if options.again:
            rows.forget()
        begun = int(rows.done().sum())
        if begun and not options.resume and shard[1] == 1:
            raise _Wrong(f"{rows.folder} has {begun} rows already: --resume goes on, --again begins anew")
        whole = study._fill(rows, executor, jobs, shard, None if options.quiet else Progress(sys.stderr))
        if not options.quiet:
            print(f"poise: {len(study)} runs are in {rows.out}" if whole else
                  f"poise: {int(rows.done().sum())} of {len(study)} rows are in {rows.folder}; other shards "
                  "have the rest", file=sys.stderr)
    return _DONE


def _interrupt(*_: Any) -> NoReturn:
    raise KeyboardInterrupt


def sweep(argv: Sequence[str]) -> int:
    """Runs `poise sweep`. Returns its exit code."""
    def run() -> int:
        options = _parse(argv)
        if options.help:
            print(USAGE, end="")
        return _DONE if options.help else _sweep(options)
    return run_command(run, USAGE, "; --resume goes on from here")


def run_command(run: Callable[[], int], usage: str, interrupted: str = "") -> int:
    """Runs a command and reports its errors. Returns its exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = run()
        sys.stdout.flush()
        return code
    except _Wrong as wrong:
        print(f"poise: {wrong}\n{usage if wrong.usage else ''}", end="", file=sys.stderr)
        return _USAGE
    except Error as wrong:
        # The findings were printed when the study was read.
        if not wrong.findings:
            print(f"poise: {wrong}", file=sys.stderr)
        return _INPUT
    except OSError as error:
        print(f"poise: {error.filename or 'the result'}: {error.strerror}", file=sys.stderr)
        # At exit, the interpreter would report the failed output to stdout a second time.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _INPUT
    except MemoryError:
        print("poise: memory is short", file=sys.stderr)
        return _INPUT
    except KeyboardInterrupt:
        print(f"poise: interrupted{interrupted}", file=sys.stderr)
        return _INTERRUPTED
