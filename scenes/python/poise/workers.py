# SPDX-License-Identifier: MIT
"""Distributes the runs of a study over the workers of any executor of concurrent.futures."""
from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from concurrent.futures import (FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future,
                                ProcessPoolExecutor, wait)
from multiprocessing import get_all_start_methods, get_context
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from ._library import Error

# Length of one task, s: long compared with the cost of sending it, short compared with a study.
_TASK_SECONDS = 0.25
_MOST_RUNS = 2000
# Tasks sent to each worker in advance, so that no worker waits for its next task.
_TASKS_PER_WORKER = 2
# A run during which this many processes died is not tried again.
_MOST_ENDS = 2
# Time for running tasks to end after Ctrl-C, s.
_LAST_SECONDS = 0.5
# Exceptions of the package `distributed`, which may not be installed, that mean a dead worker.
_LOST = {"KilledWorker", "CommClosedError", "BrokenWorkerPool"}

# Runs seed ODE's random numbers, which all threads of a process share.
_running = threading.Lock()


class Source(NamedTuple):
    """All that a worker needs to read a study, from any folder."""

    path: str | None
    settings: tuple[str, ...]
    trusted: bool | None
    folder: str
    fingerprint: int


_known: dict[Source, Any] = {}


def _work(source: Source, runs: list[int]) -> tuple[list[str], float]:
    """Makes runs in a worker. Returns their rows, and the time taken, s."""
    with _running:
        here = os.getcwd()
        if here != source.folder:
            os.chdir(source.folder)
        try:
            start = time.monotonic()
            if source not in _known:
                from .sweep import Study
                _known.clear()
                study = Study._of_source(source)
                if study.fingerprint != source.fingerprint:
                    raise Error("a file of the study is another one on a worker, or was changed after the "
                                "study was read")
                _known[source] = study
            rows = [_known[source]._row(run) for run in runs]
            return rows, time.monotonic() - start
        finally:
            if here != source.folder:
                os.chdir(here)


def _begin(parent: int) -> None:
    """Prepares a process of `processes`: the parent handles Ctrl-C, and its death ends the process."""
    global _running
    _running = threading.Lock()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def processes(jobs: int) -> ProcessPoolExecutor:
    """Returns an executor with `jobs` processes. They are forked where that exists, so that a script
    needs no `if __name__ == "__main__"`."""
    context = get_context("fork" if "fork" in get_all_start_methods() else None)
    return ProcessPoolExecutor(jobs, context, _begin, (os.getpid(),))


def _worker_count(executor: Any) -> int:
    """Returns the number of workers, as far as the executor tells."""
    for name in ("num_workers", "_max_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    client = getattr(executor, "_client", None)
    return max(1, sum(client.ncores().values())) if client is not None else os.cpu_count() or 1


def _is_loss(error: BaseException | None) -> bool:
    """True if the error says that a worker died, not that a run failed."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ in _LOST


class _Tasks:
    """The runs not yet sent to a worker, and those that workers make now."""

    def __init__(self, source: Source, runs: npt.NDArray[np.int64], executor: Executor | None,
                 jobs: int) -> None:
        self.source = source
        self.runs = runs
        self.next = 0
        self.jobs = jobs
        # True if a dead process is replaced: an executor of the caller cannot be
        self.own = executor is None
        self.executor: Executor = processes(jobs) if executor is None else executor
        if isinstance(executor, ProcessPoolExecutor):
            self.jobs = _worker_count(executor)
        self.workers = _worker_count(self.executor)
        self.renewable = isinstance(self.executor, ProcessPoolExecutor)
        self.flying: dict[Future[Any], list[int]] = {}
        # runs whose worker died: each is tried again, alone
        self.suspects: deque[int] = deque()
        self.ends: dict[int, int] = {}
        self.alone = False
        self.seconds = _TASK_SECONDS  # mean time of a run

    def left(self) -> bool:
        return self.next < len(self.runs) or bool(self.suspects) or bool(self.flying)

    def send(self) -> None:
        """Sends tasks to the workers, as many as they need."""
        if self.suspects:
            if not self.flying:
                self.alone = True
                self._submit([self.suspects.popleft()])
            return
        if self.alone and self.flying:
            return
        self.alone = False
        while self.next < len(self.runs) and len(self.flying) < _TASKS_PER_WORKER * self.workers:
            left = len(self.runs) - self.next
            size = int(_TASK_SECONDS / max(self.seconds, 1e-9))
            # the last tasks are shorter, so that all workers end together
            size = max(1, min(size, _MOST_RUNS, -(-left // (2 * self.workers))))
            runs = self.runs[self.next:self.next + size].tolist()
            self.next += size
            self._submit(runs)

    def _submit(self, runs: list[int]) -> None:
        try:
            self.flying[self.executor.submit(_work, self.source, runs)] = runs
        except BrokenExecutor:
            self._renew()
            self.flying[self.executor.submit(_work, self.source, runs)] = runs

    def _renew(self) -> None:
        if not self.renewable:
            raise Error("the workers of the executor died; rows are kept: run the study again to continue")
        self.executor.shutdown(wait=False)
        self.executor, self.own = processes(self.jobs), True

    def take(self) -> Iterator[tuple[list[str], list[int]]]:
        """Waits for tasks and yields their rows. Yields runs that crash without rows."""
        done, _ = wait(self.flying, 0.1, FIRST_COMPLETED)
        broken = False
        for future in done:
            runs = self.flying.pop(future)
            try:
                rows, seconds = future.result()
            except (Exception, CancelledError) as error:
                if not _is_loss(error):
                    raise
                broken = broken or isinstance(error, BrokenExecutor)
                crashed = self._lose(runs)
                if crashed:
                    yield [], crashed
            else:
                self.seconds += 0.3 * (seconds / len(runs) - self.seconds)
                yield rows, runs
        if broken and not self.flying:
            self._renew()

    def _lose(self, runs: list[int]) -> list[int]:
        """Plans the runs of a dead worker again. Returns those that are not tried again."""
        for run in runs:
            self.ends[run] = self.ends.get(run, 0) + (1 if self.alone else 0)
        again = [run for run in runs if self.ends[run] < _MOST_ENDS]
        self.suspects.extendleft(reversed(again))
        return [run for run in runs if run not in again]

    def end(self) -> Iterator[tuple[list[str], list[int]]]:
        """Ends early: yields the rows of tasks that end within a moment, and drops the others."""
        for future in self.flying:
            future.cancel()
        if self.own:
            done, _ = wait(self.flying, _LAST_SECONDS)
            for future in done:
                if not future.cancelled() and future.exception() is None:
                    yield future.result()[0], self.flying[future]
            for process in list((getattr(self.executor, "_processes", None) or {}).values()):
                process.kill()

    def close(self) -> None:
        if self.own:
            self.executor.shutdown(wait=False, cancel_futures=True)


def distribute(study: Any, runs: npt.NDArray[np.int64], executor: Executor | None, jobs: int,
               keep: Callable[[list[str], list[int]], Any], tick: Callable[[], Any]) -> None:
    """Makes runs of the study on the executor, or in `jobs` processes. `keep` gets rows with their runs as they
    arrive, in any order; without rows: the runs ended their process twice. `tick` is called in between."""
    # Forked processes then have the study, and need not read it.
    _known.clear()
    _known[study._source] = study
    tasks = _Tasks(study._source, runs, executor, jobs)
    try:
        while tasks.left():
            tasks.send()
            for rows, of_runs in tasks.take():
                keep(rows, of_runs)
            tick()
    except BaseException:
        for rows, of_runs in tasks.end():
            keep(rows, of_runs)
        raise
    finally:
        tasks.close()
