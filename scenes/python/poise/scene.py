# SPDX-License-Identifier: MIT
"""A scene that runs: stepped, recorded, read and changed by key."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ._library import Error, check, ffi, lib, text_of, written
from ._load import Loaded

# steps of one call to C: between two calls Ctrl-C is seen
_PART = 200
_WATCH, _CSV = 64, 8
_NOT_CONVERGED = 1
_ARRAYS = {"points": 0, "turns": 1, "goals": 2, "goal_turns": 3, "errors": 4, "forces": 5,
           "angles": 6, "targets": 7, "torques": 8, "bodies": 9, "body_turns": 10, "contacts": 11}


@dataclass(frozen=True)
class Forecast:
    """What is to be expected of a point where goals and forces are as they are now."""

    #: settles (the figures hold within 1 %), estimate, moves, leaves, falls or no copy
    end: str
    #: why it does not settle; "" where it does
    why: str
    #: how far it will stay from its goal, m and rad
    miss: float
    angle_miss: float
    #: how far a small force moves it there, 3 x 3, m/N, world axes; NaN where it is not known
    compliance: np.ndarray
    #: it yields to a force, and presses with this one then, N
    yields: bool
    force: np.ndarray
    #: joints that will rest at their torque limit
    limited: int


@dataclass(frozen=True)
class Reading:
    """What is true of a point now: of its body and its goal, not of the plan alone."""

    #: the body's place (x, y, z, m) and rotation (w, x, y, z)
    place: np.ndarray
    turn: np.ndarray
    #: from the body to the goal, m and rad
    miss: float
    angle_miss: float
    #: from the solver's plan to the goal, m and rad
    planned_miss: float
    planned_angle_miss: float
    #: the cause in a word or two, "limit" say, the joints that it names, and the sentence
    held_by: str
    joints: list[str]
    why: str
    #: something holds it along the force that is asked of it
    touches: bool
    #: asked of the point, and measured at its joints, N
    force: np.ndarray
    force_measured: np.ndarray


def _vector(v: Any) -> np.ndarray:
    return np.array([v.x, v.y, v.z])


@dataclass
class Run:
    """What came of `Scene.run`."""

    #: ok, blew_up or out_of_memory
    status: str
    #: "" or what went wrong: which joint or body, and when
    reason: str
    #: the report of `poise run --json`
    report: dict[str, Any] = field(repr=False)
    #: one array a recorded figure, and "time"; for `pandas.DataFrame(run.table)`
    table: dict[str, np.ndarray] = field(repr=False)

    @property
    def points(self) -> dict[str, Any]:
        """Figures of each control point: error, rms_error, settled_error (m), held_by, why ..."""
        return self.report["points"]

    @property
    def joints(self) -> dict[str, Any]:
        """Figures of each joint: angle, target (rad; slider m), torque (N m; slider N)."""
        return self.report["joints"]

    def plot(self, *figures: str, axes: Any = None) -> Any:
        """Draws recorded figures (all without names) over time with matplotlib; returns the axes."""
        from .plot import curves
        return curves(self.table, figures, axes)


class Snapshot:
    """A scene as it was, to the last bit; for `Scene.restore`."""

    def __init__(self, memory: np.ndarray) -> None:
        self._memory = memory


class Scene:
    """A scene's file (YAML) or a robot's (URDF, MJCF), by path or by the name of an installed one.

    `text`: what the file holds, in place of reading it; other files are looked for beside `path`.
    `settings`: as `--set` of the command, {"world.step": 0.005, "joints.*.ik.spring": 300}.
    `trusted`: whether it may name files outside its own folder (without: unless the environment
    says CI). Raises `Error` with every finding's file, line and column. One thread at a time may use
    one scene; different scenes run side by side, the calls to C let go of Python's lock.

    Numbers are read as `scene["hand.error"]` and set as `scene["joints.elbow.ik.spring"] = 200`; the
    keys are those of `settings` and of the figures (`poise format`).
    """

    def __init__(self, path: str | Path = "scene.yaml", *, text: str | None = None,
                 settings: Mapping[str, Any] | None = None, trusted: bool | None = None) -> None:
        self._settings = [f"{key}={_scalar(value)}" for key, value in (settings or {}).items()]
        self._loaded = Loaded(path, text, self._settings, trusted)
        self._simulation = self._loaded.simulation
        scene = lib.poise_simulation_scene(self._simulation)
        #: how long a run takes unless told otherwise, s
        self.seconds: float = scene.seconds
        self.points = [text_of(scene.points[i].name) for i in range(scene.point_count)]
        self.joints = [text_of(scene.joints[i].name) for i in range(scene.joint_count)]
        self.bodies = [text_of(scene.bodies[i].name) for i in range(scene.body_count)]

    @property
    def findings(self) -> list:
        """What was found in its files: what was mended, assumed or left out."""
        return self._loaded.findings

    # ------------------------------------------------------------------------------------- numbers

    @property
    def time(self) -> float:
        """Simulated so far, s."""
        return lib.poise_simulation_time(self._simulation)

    @property
    def step_length(self) -> float:
        """s."""
        return lib.poise_simulation_step_length(self._simulation)

    @property
    def state_hash(self) -> int:
        """The same for the same state, to the last bit."""
        return lib.poise_simulation_state_hash(self._simulation)

    def keys(self) -> Iterator[str]:
        """Every key that can be read."""
        text = ffi.new("char[200]")
        for index in range(lib.poise_value_count(self._simulation)):
            key = text_of(lib.poise_value_key(self._simulation, index, text, len(text)))
            if key:
                yield key

    def unit(self, key: str) -> str:
        """The unit of a key, "N m/rad" say; "" for none."""
        unit = ffi.new("char[64]")
        if not lib.poise_value_about(self._simulation, key.encode(), ffi.NULL, unit, len(unit)):
            raise KeyError(key)
        return text_of(unit)

    def __getitem__(self, key: str) -> float:
        value = ffi.new("double*")
        if lib.poise_value_read(self._simulation, key.encode(), value) < 0:
            raise KeyError(key)
        return value[0]

    def __setitem__(self, key: str, value: float) -> None:
        if not lib.poise_value_about(self._simulation, key.encode(), ffi.NULL, ffi.NULL, 0):
            raise KeyError(key)
        check(lib.poise_value_set(self._simulation, key.encode(), value), f"{key} = {value}")

    def array(self, what: str, out: np.ndarray | None = None) -> np.ndarray:
        """Numbers of all points, joints or bodies, one row each; written into `out` where that is
        given (rows x numbers, float64, contiguous, not read-only: else Error).

        points, goals (x, y, z, m), turns, goal_turns (w, x, y, z), errors (m, rad), forces (N);
        angles, targets (rad; slider m), torques (N m; slider N): a hinge's is the first of three
        numbers, a ball's all; bodies (m), body_turns, contacts (N). NaN where there is none.
        """
        if what not in _ARRAYS:
            raise Error(f"array: one of {', '.join(_ARRAYS)} is due, not '{what}'")
        shape = (lib.poise_array_rows(self._simulation, _ARRAYS[what]),
                 lib.poise_array_width(_ARRAYS[what]))
        out = np.empty(shape) if out is None else out
        if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
            raise Error(f"array: out must be {shape[0]} x {shape[1]}, float64 and contiguous")
        check(lib.poise_array_read(self._simulation, _ARRAYS[what], written(out), out.size), what)
        return out

    # ------------------------------------------------------------------------------------- running

    def step(self, count: int = 1) -> None:
        """Makes so many steps; raises Error when the simulation blows up."""
        for first in range(0, count, _PART):
            definition = ffi.new("PoiseRunDef*", {"steps": min(_PART, count - first)})
            if lib.poise_simulation_run(self._simulation, definition, ffi.NULL) < 0:
                raise Error(text_of(lib.poise_simulation_trouble(self._simulation)), "blew up")

    def run(self, seconds: float | None = None, *, record: Iterable[str] | bool = (),
            progress: Callable[[float], Any] | None = None) -> Run:
        """Runs on for so long (s; the scene's own length without) and says what came of it.

        `record`: figures for `Run.table`, "hand.error", "elbow.torque"; True: every column of
        `poise run --csv`. `progress` is called now and then with the part that is done. A simulation
        that blows up ends the run with its reason, not with an exception.
        """
        seconds = self.seconds if seconds is None else seconds
        steps = max(1, round(seconds / self.step_length))
        names, columns = self._columns(record)
        rows = np.empty((steps, len(names)))
        first_step = lib.poise_simulation_step_count(self._simulation)
        points = ffi.gc(lib.poise_statistics_create(self._simulation), lib.poise_statistics_destroy)
        made = ffi.new("long*")
        done, status = 0, 0
        while done < steps and status >= 0:
            part = min(_PART, steps - done)
            definition = ffi.new("PoiseRunDef*", {
                "steps": part, "total": first_step + steps, "statistics": points,
                "columns": columns, "column_count": len(names),
                "rows": written(rows[done:]) if names else ffi.NULL})
            status = lib.poise_simulation_run(self._simulation, definition, made)
            done += made[0]
            if progress:
                progress(done / steps)
        lib.poise_statistics_finish(points, self._simulation, status >= 0)
        word = "ok" if status >= 0 else "out_of_memory" if status == -1 else "blew_up"
        table = {name: rows[:done, index] for index, name in enumerate(names)}
        return Run(word, text_of(lib.poise_simulation_trouble(self._simulation)),
                   self._report(points, word), table)

    def _columns(self, record: Iterable[str] | bool) -> tuple[list[str], Any]:
        found = ffi.new("PoiseColumn*")
        names: list[str] = []
        columns: list[Any] = []
        if record is True:
            text = ffi.new("char[48]")
            for place in range(lib.poise_column_places(self._simulation)):
                if lib.poise_column_at(self._simulation, _CSV, place, found):
                    owner = text_of(lib.poise_column_owner(self._simulation, found))
                    label = text_of(lib.poise_column_field(found, text))
                    names.append(f"{owner}.{label}" if owner else label)
                    columns.append(ffi.new("PoiseColumn*", found[0])[0])
        else:
            wanted = ["time", *(name for name in record or () if name != "time")]
            for name in wanted if record else []:
                if not any(lib.poise_column_find(self._simulation, use, name.encode(), found)
                           for use in (_CSV, _WATCH)):
                    raise KeyError(name)
                names.append(name)
                columns.append(ffi.new("PoiseColumn*", found[0])[0])
        return names, ffi.new("PoiseColumn[]", columns or 1)

    def _report(self, points: Any, status: str) -> dict[str, Any]:
        keep = [ffi.new("char[]", one.encode()) for one in self._settings]
        word = ffi.new("char[]", status.encode())
        array = ffi.new("char*[]", keep or 1)
        report = ffi.new("PoiseReport*", {
            "simulation": self._simulation, "points": points, "status": word,
            "set": ffi.cast("char const* const*", array), "set_count": len(keep), "units": True})
        size = lib.poise_report_text(report, ffi.NULL, 0) + 1
        text = ffi.new("char[]", size)
        lib.poise_report_text(report, text, size)
        return json.loads(text_of(text))

    def forecast(self, point: str, seconds: float = 60.0) -> Forecast:
        """What is to be expected of a control point where goals and forces are as they are now: a
        copy of the bodies is stepped until it is still, or moved for so many seconds."""
        view = lib.poise_simulation_point(self._simulation, self._index(point))
        found = ffi.new("PoiseForecast*")
        points = ffi.new("PoisePointId*", view.point)
        asked = ffi.new("PoiseForecastDef*", {
            "points": points, "count": 1, "seconds": seconds,
            "step": lib.poise_simulation_step_length(self._simulation)})
        rig = lib.poise_simulation_rig(self._simulation)
        # in parts, between which Ctrl-C is seen
        while check(lib.poise_rig_forecast(rig, asked, found),
                    f"forecast of {point}") == _NOT_CONVERGED:
            pass
        return Forecast(text_of(lib.poise_forecast_end_name(found.end)), text_of(found.why),
                        found.miss, found.angle_miss,
                        np.array(list(found.compliance)).reshape(3, 3), found.yields,
                        np.array([found.force.x, found.force.y, found.force.z]), found.limited)

    def reading(self, point: str) -> Reading:
        """What is true of a control point now."""
        read = lib.poise_simulation_point(self._simulation, self._index(point)).reading
        names = ffi.new("PoiseNodeNames*", lib.poise_simulation_node_names(self._simulation))
        size = lib.POISE_WHY_TEXT
        text = ffi.new("char[]", size)
        q = read.pose.q
        listed = min(read.joint_count, lib.POISE_READING_JOINTS)
        return Reading(_vector(read.pose.p), np.array([q.w, q.x, q.y, q.z]), read.miss,
                       read.angle_miss, read.planned_miss, read.planned_angle_miss,
                       text_of(lib.poise_point_why_name(read.why)),
                       [text_of(names.name_of(names.user, read.joints[i])) for i in range(listed)],
                       text_of(lib.poise_point_why_text(ffi.addressof(read), names, text, size)),
                       read.touches, _vector(read.force), _vector(read.force_measured))

    def _index(self, point: str) -> int:
        if point not in self.points:
            raise KeyError(point)
        return self.points.index(point)

    def hold(self, point: str, place: Sequence[float]) -> None:
        """Takes the goal's place out of the scene's hands: it stays at `place` (m, world)."""
        where = ffi.new("PoiseVec3*", tuple(float(number) for number in place))
        check(lib.poise_simulation_hold_goal(self._simulation, self._index(point), where[0]),
              f"hold {point}")

    def release(self, point: str) -> None:
        """Gives the goal back to the scene."""
        check(lib.poise_simulation_release_goal(self._simulation, self._index(point)),
              f"release {point}")

    def snapshot(self) -> Snapshot:
        """The scene as it is now."""
        memory = np.empty(lib.poise_simulation_snapshot_size(self._simulation), np.uint8)
        check(lib.poise_simulation_snapshot_save(self._simulation, written(memory, "void*"),
                                                 memory.size), "snapshot")
        return Snapshot(memory)

    def restore(self, snapshot: Snapshot) -> None:
        """Brings it back to that, any number of times; what follows is the same to the last bit."""
        memory = snapshot._memory
        check(lib.poise_simulation_snapshot_restore(self._simulation, ffi.from_buffer(memory),
                                                    memory.size), "restore")


def _scalar(value: Any) -> str:
    """A value as YAML reads it."""
    return value if isinstance(value, str) else json.dumps(value)
