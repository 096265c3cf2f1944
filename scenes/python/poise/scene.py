# SPDX-License-Identifier: MIT
"""Scenes with physics: step, record, read and change them by key."""
from __future__ import annotations

import json
import operator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._library import (Error, Finding, Floats, check, encoded, ffi, lib, missing, number, parts, status_word,
                       text_of, three, written)
from . import design as _design
from ._load_scene import Loaded
from .design import Design, Natural, Sensitivity
from .tasks import pose_of

# Number of steps in the first call to C, and in any call at most.
_FIRST_PART, _MOST_PART = 10, 1000
_WATCH, _CSV = 64, 8
_NOT_CONVERGED, _OUT_OF_MEMORY = 1, -1
_ARRAYS = {"points": 0, "turns": 1, "goals": 2, "goal_turns": 3, "errors": 4, "forces": 5,
           "angles": 6, "targets": 7, "torques": 8, "bodies": 9, "body_turns": 10, "contacts": 11}


@dataclass(frozen=True)
class Forecast:
    """The forecast of a point, with goals and forces as they are now."""

    #: settles (the figures are right within 1 %), estimate, moves, leaves, falls or no copy
    end: str
    #: reason why the point does not settle; "" if it settles
    why: str
    #: distance and angle to the goal after settling, m and rad
    miss: float
    angle_miss: float
    #: displacement by a small force after settling, 3 x 3, m/N, world axes; NaN if unknown
    compliance: Floats
    #: True if the point yields to a force; `force` (x, y, z, N) is the force it then presses with
    yields: bool
    force: Floats
    #: number of joints that settle at their torque limit
    limited: int


@dataclass(frozen=True)
class Reading:
    """The present state of a point: of its body, and of the solver's plan for it."""

    #: the body's place (x, y, z, m, world) and rotation (w, x, y, z)
    place: Floats
    turn: Floats
    #: distance and angle from the body to the goal, m and rad
    miss: float
    angle_miss: float
    #: distance and angle from the solver's plan to the goal, m and rad
    planned_miss: float
    planned_angle_miss: float
    #: the cause of the miss in a word or two, such as "limit", or the pair that is kept apart, such
    #: as "hand - table, 12 mm"; the joints that it names; the cause as a sentence
    held_by: str
    joints: list[str]
    why: str
    #: True if something resists the force that is asked of the point
    touches: bool
    #: force asked of the point, and force measured at its joints, x, y, z, N, world
    force: Floats
    force_measured: Floats


def _vector(v: Any) -> Floats:
    return np.array([v.x, v.y, v.z])


@dataclass
class Run:
    """The result of `Scene.run`."""

    #: status of the run: ok, blew_up or out_of_memory
    status: str
    #: the error, with the joint or body and the time; "" if there was none
    reason: str
    #: the report of `poise run --json`
    report: dict[str, Any] = field(repr=False)
    #: an array for each recorded figure, and "time" (s), each with a row for each step; for
    #: `pandas.DataFrame(run.table)`
    table: dict[str, Floats] = field(repr=False)

    @property
    def points(self) -> dict[str, Any]:
        """Figures of each control point: error, rms_error, settled_error (m), held_by, why ..."""
        return self.report["points"]

    @property
    def joints(self) -> dict[str, Any]:
        """Figures of each joint: angle, target (rad; slider m), torque (N m; slider N)."""
        return self.report["joints"]

    def plot(self, *figures: str, axes: Any = None) -> Any:
        """Draws recorded figures over time with matplotlib; all of them if none is named. Returns the
        axes."""
        from .plot import curves
        return curves(self.table, figures, axes)


class Snapshot:
    """A saved state of a scene, exact to the last bit, for `Scene.restore`. It can be pickled."""

    def __init__(self, memory: npt.NDArray[np.uint8]) -> None:
        self._memory = memory

    def __repr__(self) -> str:
        return f"<poise.Snapshot of {self._memory.size} bytes>"


class Scene:
    """A scene file (YAML) or robot file (URDF, MJCF), by path or by the name of an installed file.

    `text`: the file's contents; the file is then not read, and other files are found relative to `path`.
    `settings`: as `--set` of the command, {"world.step": 0.005, "joints.*.ik.spring": 300}. `trusted`:
    True if the scene may name files outside its own folder (default: True unless the environment has
    CI). Raises `Error` with file, line and column of every finding.

    Calls of several threads to one scene wait for each other; `run` and `step` let the others in every
    0.05 s. Different scenes run in parallel, since the calls to C release Python's lock.

    Read numbers as `scene["hand.error"]` and set them as `scene["joints.elbow.ik.spring"] = 200`. The
    keys are those of `settings` and of the figures (`poise format`).
    """

    #: default length of a run, s
    seconds: float
    #: names of the control points, of the joints and of the bodies
    points: list[str]
    joints: list[str]
    bodies: list[str]

    def __init__(self, path: str | Path = "scene.yaml", *, text: str | None = None,
                 settings: Mapping[str, Any] | None = None, trusted: bool | None = None) -> None:
        self._settings = [f"{key}={_scalar(value)}" for key, value in (settings or {}).items()]
        self._loaded = Loaded(path, text, self._settings, trusted)
        self._simulation = self._loaded.simulation
        self._lock = self._loaded.lock
        scene = lib.poise_simulation_scene(self._simulation)
        self.seconds = scene.seconds
        self._point_indices: dict[str, int] = {}
        self._find_points()
        self.joints = [text_of(scene.joints[i].name) for i in range(scene.joint_count)]
        self.bodies = [text_of(scene.bodies[i].name) for i in range(scene.body_count)]

    def __repr__(self) -> str:
        name = Path(self._loaded.source[0]).name
        return f"<poise.Scene {name} at {self.time:g} s: {len(self.points)} points, {len(self.joints)} joints>"

    def __reduce__(self) -> Any:
        raise TypeError("a scene cannot be pickled: pickle its file's name and its snapshot()")

    @property
    def findings(self) -> list[Finding]:
        """Findings in the scene's files: what was repaired, assumed or left out."""
        return self._loaded.findings

    # ------------------------------------------------------------------------------------- numbers

    @property
    def time(self) -> float:
        """Simulated time, s."""
        with self._lock:
            return lib.poise_simulation_time(self._simulation)

    @property
    def step_length(self) -> float:
        """Length of a step, s."""
        with self._lock:
            return lib.poise_simulation_step_length(self._simulation)

    @property
    def state_hash(self) -> int:
        """Hash of the state. States that are equal to the last bit have equal hashes."""
        with self._lock:
            return lib.poise_simulation_state_hash(self._simulation)

    def keys(self) -> Iterator[str]:
        """Yields every key that can be read."""
        text = ffi.new("char[200]")
        with self._lock:
            keys = [text_of(lib.poise_value_key(self._simulation, index, text, len(text)))
                    for index in range(lib.poise_value_count(self._simulation))]
        yield from (key for key in keys if key)

    def unit(self, key: str) -> str:
        """Returns the unit of a key, like "N m/rad"; "" if it has none."""
        unit = ffi.new("char[64]")
        with self._lock:
            if not lib.poise_value_about(self._simulation, encoded(key), ffi.NULL, unit, len(unit)):
                raise missing("key", key, self.keys())
        return text_of(unit)

    def __getitem__(self, key: str) -> float:
        value = ffi.new("double*")
        with self._lock:
            if lib.poise_value_read(self._simulation, encoded(key), value) < 0:
                raise missing("key", key, self.keys())
        return value[0]

    def __setitem__(self, key: str, value: float) -> None:
        with self._lock:
            if not lib.poise_value_about(self._simulation, encoded(key), ffi.NULL, ffi.NULL, 0):
                raise missing("key", key, self.keys())
            check(lib.poise_value_set(self._simulation, encoded(key), value), f"{key} = {value}")

    def array(self, what: str, out: Floats | None = None) -> Floats:
        """Returns numbers of all points, joints or bodies, one row for each. Writes to `out` if given:
        rows x numbers, float64, contiguous and writable, else Error.

        Points: points, goals (x, y, z, m), turns, goal_turns (w, x, y, z), errors (m, rad), forces (N).
        Joints: angles, targets (rad; slider m), torques (N m; slider N). A hinge has its number first in
        the row of three, a ball joint has three numbers. Bodies: bodies (m), body_turns, contacts (N).
        A missing number is NaN.
        """
        if what not in _ARRAYS:
            raise Error(f"array: one of {', '.join(_ARRAYS)} is due, not '{what}'")
        with self._lock:
            return self._array(what, out)

    def _array(self, what: str, out: Floats | None) -> Floats:
        shape = (lib.poise_array_rows(self._simulation, _ARRAYS[what]),
                 lib.poise_array_width(_ARRAYS[what]))
        out = np.empty(shape) if out is None else out
        if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
            raise Error(f"array: out must be {shape[0]} x {shape[1]}, float64 and contiguous")
        check(lib.poise_array_read(self._simulation, _ARRAYS[what], written(out), out.size), what)
        return out

    # ------------------------------------------------------------------------------------- running

    def step(self, count: int = 1) -> None:
        """Makes `count` steps. Raises Error if the simulation blows up."""
        count = operator.index(count)
        if count < 0:
            raise Error(f"count: 0 or more steps are due, not {count}")
        for first, end in parts(count, _FIRST_PART, _MOST_PART):
            definition = ffi.new("PoiseRunDef*", {"steps": end - first})
            with self._lock:
                if lib.poise_simulation_run(self._simulation, definition, ffi.NULL) < 0:
                    raise Error(text_of(lib.poise_simulation_trouble(self._simulation)), "blew up")

    def run(self, seconds: float | None = None, *, record: str | Iterable[str] | bool = (),
            progress: Callable[[float], Any] | None = None) -> Run:
        """Simulates `seconds` (s; default: the scene's length) and returns the result.

        `record`: figures for `Run.table`, like "hand.error", "elbow.torque"; True: every column of
        `poise run --csv`. `progress` is called at intervals with the part that is done, 0 to 1. If the
        simulation blows up, the result has the reason; there is no exception.
        """
        if progress is not None and not callable(progress):
            raise Error("progress: a function is due")
        seconds = number(self.seconds if seconds is None else seconds, "seconds")
        if not 0 < seconds < np.inf:
            raise Error(f"seconds: a number above 0 is due, not {seconds:g}")
        steps = max(1, round(seconds / self.step_length))
        with self._lock:
            names, columns = self._columns([record] if isinstance(record, str) else record)
            first_step = lib.poise_simulation_step_count(self._simulation)
            points = ffi.gc(lib.poise_statistics_create(self._simulation), lib.poise_statistics_destroy)
        rows = np.empty((steps, len(names)))
        made = ffi.new("long*")
        done, status = 0, 0
        for first, end in parts(steps, _FIRST_PART, _MOST_PART):
            definition = ffi.new("PoiseRunDef*", {
                "steps": end - first, "total": first_step + steps, "statistics": points,
                "columns": columns, "column_count": len(names),
                "rows": written(rows[first:]) if names else ffi.NULL})
            with self._lock:
                status = lib.poise_simulation_run(self._simulation, definition, made)
            done += made[0]
            if progress:
                progress(done / steps)
            if status < 0:
                break
        table = {name: rows[:done, index] for index, name in enumerate(names)}
        with self._lock:
            finished = lib.poise_statistics_finish(points, self._simulation, status >= 0)
            status = min(status, finished)
            word = "ok" if status >= 0 else "out_of_memory" if status == _OUT_OF_MEMORY else "blew_up"
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
                if not any(lib.poise_column_find(self._simulation, use, encoded(name), found)
                           for use in (_CSV, _WATCH)):
                    raise missing("figure", name, [*self._columns(True)[0], *self.keys()])
                names.append(name)
                columns.append(ffi.new("PoiseColumn*", found[0])[0])
        return names, ffi.new("PoiseColumn[]", columns or 1)

    def _report(self, points: Any, status: str) -> dict[str, Any]:
        keep = [ffi.new("char[]", encoded(one)) for one in self._settings]
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
        """Forecasts a control point, with goals and forces as they are now. A copy of the bodies is
        simulated until it is at rest, for at most `seconds`."""
        index = self._index(point)
        with self._lock:
            return self._forecast(point, lib.poise_simulation_point(self._simulation, index), seconds)

    def _forecast(self, point: str, view: Any, seconds: float) -> Forecast:
        found = ffi.new("PoiseForecast*")
        points = ffi.new("PoisePointId*", view.point)
        asked = ffi.new("PoiseForecastDef*", {
            "points": points, "count": 1, "seconds": number(seconds, "seconds"),
            "step": lib.poise_simulation_step_length(self._simulation)})
        rig = lib.poise_simulation_rig(self._simulation)
        # The forecast returns after each part of its work, so that Ctrl-C takes effect.
        while check(lib.poise_rig_forecast(rig, asked, found),
                    f"forecast of {point}") == _NOT_CONVERGED:
            pass
        return Forecast(text_of(lib.poise_forecast_end_name(found.end)), text_of(found.why),
                        found.miss, found.angle_miss,
                        np.array(list(found.compliance)).reshape(3, 3), found.yields,
                        np.array([found.force.x, found.force.y, found.force.z]), found.limited)

    def design(self, along: Mapping[str, Sequence[float | None]] | None = None,
               about: Mapping[str, Sequence[float | None]] | None = None, *, own_axes: bool = False,
               lower: float = 0.0, upper: float = 0.0, damping_ratio: float = 0.0,
               settling_time: float = 0.0,
               at: Mapping[str, Sequence[Sequence[float]]] | None = None) -> Design:
        """Designs IK springs that give points the wished compliances in equilibrium, with the present goals.

        `along`: by point, displacement per force along x, y and z, m/N; None: no wish for that axis.
        `about`: rotation per torque, rad/(N m). `own_axes`: along and about the point's own axes, else
        the world's. `at`: by point, places of its goal, m: its wishes hold at each of them, with one set
        of springs. `lower`, `upper`: range of the stiffnesses, N m/rad or N/m (0: 1 and 1e6).
        `damping_ratio`: of the modes; `settling_time`: s, after which 2 % of a displacement are left, at
        most; 0 for both: each damper keeps the ratio of its joint alone. The scene is not changed: set
        `design.settings`."""
        with self._lock:
            return _design.design(self, along or {}, about or {}, own_axes, at or {}, {
                "lower": lower, "upper": upper, "damping_ratio": damping_ratio,
                "settling_time": settling_time})

    def natural(self, point: str, force: Sequence[float],
                torque: Sequence[float] = (0.0, 0.0, 0.0)) -> Natural:
        """Finds natural angles with which a point rests at its goal under a known load, N and N m in
        world axes, for joints with an original spring. The scene is not changed."""
        with self._lock:
            return _design.natural(self, point, force, torque)

    def sensitivity(self, point: str, variables: Sequence[tuple[str, str | int]]) -> Sensitivity:
        """Returns the derivatives of a point's equilibrium, with goals and forces as they are now.

        Variables: ("ik.spring", joint), ("original.spring", joint) and ("natural", joint) of joints
        with one axis; ("goal", axis) and ("load", axis) of the point, 0 to 2 along the axes (m, N), 3
        to 5 about them (rad, N m)."""
        with self._lock:
            return _design.sensitivity(self, point, variables)

    def reading(self, point: str) -> Reading:
        """Returns the present state of a control point."""
        index = self._index(point)
        with self._lock:
            return self._reading(lib.poise_simulation_point(self._simulation, index).reading)

    def _reading(self, read: Any) -> Reading:
        names = ffi.new("PoiseNodeNames*", lib.poise_simulation_node_names(self._simulation))
        size = lib.POISE_WHY_TEXT
        text = ffi.new("char[]", size)
        why = text_of(lib.poise_point_why_text(ffi.addressof(read), names, text, size))
        pair = read.why == lib.POISE_WHY_APART
        q = read.pose.q
        listed = min(read.joint_count, lib.POISE_READING_JOINTS)
        return Reading(_vector(read.pose.p), np.array([q.w, q.x, q.y, q.z]), read.miss,
                       read.angle_miss, read.planned_miss, read.planned_angle_miss,
                       why.removeprefix("held by ") if pair else text_of(lib.poise_point_why_name(read.why)),
                       [text_of(names.name_of(names.user, read.joints[i])) for i in range(listed)], why,
                       read.touches, _vector(read.force), _vector(read.force_measured))

    def _find_points(self) -> None:
        """Reads the names of the points, which `add_point`, `remove_point` and `restore` change."""
        names = [text_of(lib.poise_simulation_point(self._simulation, index).name)
                 for index in range(lib.poise_simulation_point_count(self._simulation))]
        self._point_indices = {name: index for index, name in enumerate(names) if name}
        self.points = list(self._point_indices)

    def _index(self, point: str) -> int:
        if point not in self._point_indices:
            raise missing("point", point, self.points)
        return self._point_indices[point]

    def hold(self, point: str, target: Any) -> None:
        """Holds the point's goal at `target` (m, world), instead of the scene's goal: its place, its rotation
        or both, as `target` has them. Forms: 3 or 7 numbers, 4 x 4, a Rotation, or a place and a Rotation
        (`pose_of`). May be called again in every step. What the target lacks stays as it is."""
        row, placed, turned = pose_of(target)
        where, turn = ffi.new("PoiseVec3*", row[:3].tolist()), ffi.new("PoiseQuat*", row[3:].tolist())
        index = self._index(point)
        with self._lock:
            view = lib.poise_simulation_point(self._simulation, index)
            if not np.isfinite(row).all() or not row[3:].any():
                raise Error(f"target: finite numbers and a rotation are due, not {row.tolist()}")
            if placed and not view.has_position:
                raise Error(f"target: {point} has no place to hold: give a Rotation")
            if turned and not view.turns:
                raise Error(f"target: {point} has no rotation to hold: give a place alone")
            if placed:
                check(lib.poise_simulation_hold_goal(self._simulation, index, where[0]), f"hold {point}")
            if turned:
                check(lib.poise_simulation_hold_turn(self._simulation, index, turn[0]), f"hold {point}")

    def push(self, point: str, force: Sequence[float]) -> None:
        """Sets the force (x, y, z, N, world) that the point's joints exert on what it touches, as the keys
        control_points.NAME.force.push.x, .y and .z do; it is no force on the body from outside. The goal has no effect along the force. The gains are
        keys too: scene["joints.elbow.ik.spring"], scene["control_points.NAME.weight"]."""
        self._index(point)
        for axis, value in zip("xyz", three(force, "force")):
            self[f"control_points.{point}.force.push.{axis}"] = value

    def add_point(self, body: str, place: Sequence[float]) -> str:
        """Adds a control point at `place` (x, y, z, m, world) on a body that joints carry, with its goal there,
        and returns its name. `hold` moves its goal."""
        if body not in self.bodies:
            raise missing("body", body, self.bodies)
        where = ffi.new("PoiseVec3*", list(three(place, "place")))
        with self._lock:
            index = lib.poise_simulation_add_point(self._simulation, self.bodies.index(body), where[0])
            if index < 0:
                raise Error(f"body: no joint that is driven carries {body}: {status_word(index)}", status_word(index))
            self._find_points()
            return text_of(lib.poise_simulation_point(self._simulation, index).name)

    def remove_point(self, point: str) -> None:
        """Removes a point that `add_point` added."""
        index = self._index(point)
        with self._lock:
            if lib.poise_simulation_remove_point(self._simulation, index) < 0:
                raise Error(f"point: {point} is the scene's own: set its key 'enabled' to 0 instead")
            self._find_points()

    def release(self, point: str) -> None:
        """Ends `hold`: the point's goal is the scene's again."""
        with self._lock:
            check(lib.poise_simulation_release_goal(self._simulation, self._index(point)),
                  f"release {point}")

    def snapshot(self) -> Snapshot:
        """Saves the scene's present state."""
        with self._lock:
            memory = np.empty(lib.poise_simulation_snapshot_size(self._simulation), np.uint8)
            check(lib.poise_simulation_snapshot_save(self._simulation, written(memory, "void*"),
                                                     memory.size), "snapshot")
        return Snapshot(memory)

    def restore(self, snapshot: Snapshot) -> None:
        """Restores a saved state, any number of times. The steps after it are the same to the last bit."""
        if not isinstance(snapshot, Snapshot):
            raise Error(f"snapshot: what snapshot() returned is due, not {snapshot!r}")
        memory = snapshot._memory
        with self._lock:
            check(lib.poise_simulation_snapshot_restore(self._simulation, ffi.from_buffer(memory),
                                                        memory.size), "restore")
            self._find_points()


def _scalar(value: Any) -> str:
    """Returns the value in the syntax of YAML."""
    return value if isinstance(value, str) else json.dumps(value)
