# SPDX-License-Identifier: MIT
"""Inverse kinematics with tasks, without physics: global solves, steps inside limits, paths."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._library import REASONS, Error, Floats, check, doubles, ffi, lib, missing, number, numbers, parts, text_of, whole, written
from .robot import Robot
from .tasks import CoM, Frame, RelativeFrame, Task, Weights, _AXES, _OfPoint, matrix_of, matrix_of_c, pose_of

_MOST_JUMP = 0.5  # largest step of a joint along a path, rad or m (POISE_FOLLOW_STEP)
_FIRST_PART, _MOST_PART = 16, 4096


@dataclass
class Answer:
    """The result of `Ik.solve` or `Ik.step`."""

    #: posture of the robot's joints: rad, m; a ball joint's w, x, y, z
    q: Floats
    #: names of the numbers in `q`
    joints: list[str] = field(repr=False)
    #: True if all tasks are met
    met: bool
    #: reason why the solve ended: met, at limits, unreachable, out of reach (proven), outweighed
    #: (by other tasks), singular, budget; of a step also searching; held (by a pair of links, with
    #: `apart`)
    reason: str
    #: joints at an end of their range beyond which they would bring the tasks nearer; for the
    #: reason held, the two links or bodies that would touch
    held_by: list[str]
    #: index in `Ik.tasks` of the first task that is not met; -1: none
    unmet: int
    #: largest distance and angle of all tasks, m and rad
    error: float
    angle_error: float
    #: out of reach: proven distance of the targets from what the links reach, m; else 0
    beyond: float = 0.0
    #: held: gap of the pair in `held_by`, m; below the distance of `apart` if no posture that parts
    #: it was found
    held_gap: float = 0.0


@dataclass
class Path:
    """The result of `Ik.follow`, one row for each row of the path."""

    #: postures, one a row: rad, m
    q: Floats
    #: names of a posture's numbers
    joints: list[str] = field(repr=False)
    #: True for each row whose tasks are all met; shape (n)
    met: npt.NDArray[np.bool_]
    #: reason of each row, as `Answer.reason`, or leap; shape (n)
    reason: npt.NDArray[np.object_]
    #: for each row, names as in `Answer.held_by`; n lists
    held_by: list[list[str]]
    #: largest distance and angle of all tasks in each row, m and rad; shape (n)
    error: Floats
    angle_error: Floats

    def __len__(self) -> int:
        return len(self.q)


class Ik:
    """Finds postures of a robot for tasks.

    `solve()` is global: it begins anywhere, and says why a posture cannot be found. `step(dt)` moves by one
    period of a control loop, inside ranges, speeds and accelerations. `follow` does either along a path.

    `base`: "fixed" keeps a floating base where the file has it; with "free" it moves. `ranges`: dict of
    joint names with (lower, upper), rad or m, in place of the file's. `speed`: largest speeds, rad/s or
    m/s, one number, a dict by name, or one for each of `joints`; "file": those of the file; None: no
    bound. `acceleration`: likewise, rad/s^2 or m/s^2. Speeds and accelerations count in `step`.
    `apart`: as in `Robot.solve`. `solve` then ends at postures whose links are apart, and no `step` brings
    links nearer than that; what holds the tasks back is `held_by`.

    Calls of several threads to one `Ik` must not overlap.
    """

    #: the tasks, in the order in which they were added
    tasks: list[Task]
    #: targets of the tasks that have one, a row of 7 for each: m, quaternion w, x, y, z. Writable.
    targets: Floats
    #: names of a posture's numbers
    joints: list[str]

    def __init__(self, robot: Robot | str, tasks: Iterable[Task] = (), *, base: str = "fixed",
                 ranges: Mapping[str, tuple[float, float]] | None = None,
                 speed: Weights | str | None = "file", acceleration: Weights | None = None,
                 apart: bool | float = False) -> None:
        self.robot: Robot = robot if isinstance(robot, Robot) else Robot(robot)
        self.joints = self.robot.joints
        self.tasks = []
        simulation = self.robot._loaded.simulation
        with self.robot._loaded.lock:
            self.robot._set_base(base)
            clone = lib.poise_tree_clone(lib.poise_simulation_tree(simulation))
            if not clone:
                raise MemoryError("memory is short")
            self._tree = ffi.gc(clone, lib.poise_tree_destroy)
            self._apart: Any = None
            if apart is not False:
                self._parts = self.robot._set_apart(apart)
                kept = lib.poise_apart_clone(lib.poise_rig_apart(lib.poise_simulation_rig(simulation)), clone)
                if not kept:
                    raise MemoryError("memory is short")
                self._apart = ffi.gc(kept, lambda gone, tree=self._tree: lib.poise_apart_destroy(gone))
        made = lib.poise_tasks_create(self._tree)
        if not made:
            raise MemoryError("memory is short")
        self._tasks = ffi.gc(made, lambda gone, tree=self._tree: lib.poise_tasks_destroy(gone))
        self._lay_joints(simulation)
        for index in range(lib.poise_tree_point_count(self._tree)):
            point = lib.poise_tree_point(self._tree, index)
            if lib.poise_point_priority(self._tree, point) >= 0: # keeps the points that close loops
                lib.poise_point_set_enabled(self._tree, point, False)
        self._set_ranges(ranges or {})
        self._set_speed(speed)
        self._report = ffi.new("PoiseTasksReport*")
        self._definition = ffi.new("PoiseTasksDef*", lib.poise_default_tasks_def())
        self._step_definition = ffi.new("PoiseTasksDef*", lib.poise_default_tasks_def())
        self._acceleration: Floats | None = None
        if acceleration is not None:
            self._acceleration = self._by_node(acceleration, "acceleration", np.inf)
            if not (self._acceleration > 0).all():
                raise Error("acceleration: numbers above 0 are due")
            self._step_definition.acceleration = ffi.cast("double*", ffi.from_buffer(self._acceleration))
        self._in_frames: dict[int, Floats] = {}
        self._points: list[_OfPoint] = []
        #: for each of C's tasks: index in `tasks`
        self._places: list[int] = []
        self._make_targets(0)
        self._body: Any = None
        self._tolerances: tuple[float, float] = (0.0, 0.0)
        self._stale = False
        #: True if the posture `_q` is not yet set in the tree
        self._behind = False
        self._q = self.robot.home()
        self.q = self._q
        for task in tasks:
            self.add(task)

    def __repr__(self) -> str:
        return f"<poise.Ik of {self.robot!r}: {len(self.tasks)} tasks>"

    def __reduce__(self) -> Any:
        raise TypeError("an Ik cannot be pickled: pickle its robot, and make the tasks again")

    # ------------------------------------------------------------------------------------- set-up

    def _lay_joints(self, simulation: Any) -> None:
        """Finds where each number of a posture of the robot is in the tree's posture."""
        count = lib.poise_tree_node_count(self._tree)
        nodes = [lib.poise_tree_node(self._tree, index) for index in range(count)]
        place = {node.index1: index for index, node in enumerate(nodes)}
        part = ffi.new("int*")
        #: for each number of a posture: index of the node, and the number's index in the node
        owner: list[int] = []
        inside: list[int] = []
        for index in range(len(self.joints)):
            joint = lib.poise_simulation_posture_joint(simulation, index, part)
            owner.append(place[lib.poise_simulation_joint_node(simulation, joint).index1])
            inside.append(part[0])
        sizes = np.bincount(owner, minlength=count) if owner else np.zeros(count, int)
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if count else np.zeros(0, int)
        self._nodes = nodes
        self._owner = np.array(owner, dtype=int)
        #: index in the tree's posture of each number of `joints`, and the inverse
        self._from_tree = first[self._owner] + np.array(inside, dtype=int)
        self._into_tree = np.argsort(self._from_tree)
        self._straight = bool((self._from_tree == np.arange(len(self.joints))).all())
        self._tree_q = np.zeros(len(self.joints))
        self._zeros = np.zeros(len(self.joints))
        self._tree_memory = written(self._tree_q)
        self._node_names: dict[int, str] = {}
        for name, index, part_of in zip(self.joints, owner, inside):
            if part_of == 0:
                self._node_names[nodes[index].index1] = name

    def _to_tree(self, q: Floats) -> Floats:
        return q if self._straight else np.ascontiguousarray(q[self._into_tree])

    def _posture(self, q: npt.ArrayLike, name: str) -> Floats:
        rows = numbers(q, name, len(self.joints))
        if len(rows) != 1 or not np.isfinite(rows).all():
            raise Error(f"{name}: one posture of {len(self.joints)} finite numbers is due")
        return rows[0]

    def _by_node(self, values: Weights, name: str, default: float) -> Floats:
        """Returns a number for each node of the tree, from one number for all, a dict by joint, or one for each joint."""
        out = np.full(len(self._nodes), default)
        if isinstance(values, Mapping):
            for joint, value in values.items():
                if joint not in self.joints:
                    raise missing("joint", joint, self.joints)
                out[self._owner[self.joints.index(joint)]] = number(value, f"{name} of {joint}")
            return out
        if np.ndim(values) == 0: # type: ignore[arg-type]
            out[:] = number(values, name)
            return out
        row = numbers(values, name, len(self.joints))[0] # type: ignore[arg-type]
        # Runs backwards, so that the first number of a joint is written last.
        for index in range(len(self.joints) - 1, -1, -1):
            out[self._owner[index]] = row[index]
        return out

    def _set_ranges(self, ranges: Mapping[str, tuple[float, float]]) -> None:
        for joint, ends in ranges.items():
            if joint not in self.joints:
                raise missing("joint", joint, self.joints)
            node = self._nodes[self._owner[self.joints.index(joint)]]
            try:
                lower, upper = (float(end) for end in ends)
            except (TypeError, ValueError):
                raise Error(f"ranges: {joint}: two numbers are due, not {ends!r}") from None
            limits = lib.poise_node_limits(self._tree, node)
            limits.lower[0], limits.upper[0] = lower, upper
            check(lib.poise_node_set_limits(self._tree, node, limits), f"ranges: {joint}: {lower:g} to {upper:g}")

    def _set_speed(self, speed: Weights | str | None) -> None:
        if isinstance(speed, str):
            if speed != "file":
                raise Error(f"speed: a number, a dict, numbers, 'file' or None is due, not '{speed}'")
            return
        speeds = self._by_node(np.inf if speed is None else speed, "speed", np.inf)
        for node, most in zip(self._nodes, speeds):
            check(lib.poise_node_set_max_speed(self._tree, node, most), f"speed: {most:g}")

    def _make_targets(self, count: int) -> None:
        """Allocates the targets inside C's array, and copies the present ones."""
        kept = self.targets if self._points else np.zeros((0, 7))
        self._body_targets = ffi.new("PoiseBodyTarget[]", max(count, 1))
        pose = ffi.new("PoisePose*")
        pose.q.w = 1.0
        for index in range(count):
            self._body_targets[index] = lib.poise_default_body_target(pose[0])
        size = ffi.sizeof("PoiseBodyTarget")
        offset = ffi.offsetof("PoiseBodyTarget", "pose")
        self.targets = np.ndarray((count, 7), np.float64, ffi.buffer(self._body_targets), offset, (size, 8))
        self.targets[:len(kept)] = kept

    def _make_point(self, definition: Any, link: str, place: Sequence[float]) -> Any:
        tip = self.robot._tip(link, place)
        definition.link, definition.in_link = tip.node, tip.in_link
        return self._create_point(definition)

    def _create_point(self, definition: Any) -> Any:
        definition.enabled = False
        point = lib.poise_point_create(self._tree, definition)
        if point.index1 == 0:
            self._refuse()
        return point

    def _root(self) -> Any:
        roots = [node for node in self._nodes if lib.poise_node_parent(self._tree, node).index1 == 0]
        if len(roots) != 1:
            raise Error(f"CoM: {len(roots)} joints stand on the base: name the link whose centre of mass is meant")
        return roots[0]

    def _refuse(self, task: Task | None = None) -> None:
        text = text_of(lib.poise_tree_message(self._tree)).split(": ", 1)[-1]
        lib.poise_tree_clear_status(self._tree)
        for member, argument in task._arguments.items() if task else ():
            text = text.replace(member, argument)
        raise Error(text or "refused", "invalid argument")

    def add(self, task: Task) -> Task:
        """Adds a task and returns it."""
        if not isinstance(task, Task) or type(task)._kind == 0:
            raise Error(f"task: Frame, CoM or another task is due, not {task!r}")
        if task._ik is not None:
            raise Error(f"task: {task!r} serves an Ik already")
        if isinstance(task, _OfPoint):
            task._slot = len(self._points)
            row = task._goal(task._given)
        task._make(self)
        if isinstance(task, _OfPoint):
            self._make_targets(len(self._points) + 1)
            self._points.append(task)
            self.targets[task._slot] = row
        task._index = len(self._places)
        for definition, keep in task._definitions(self):
            index = lib.poise_tasks_add(self._tasks, definition)
            del keep
            if index < 0:
                if isinstance(task, _OfPoint):
                    self._points.pop()
                self._refuse(task)
            self._places.append(len(self.tasks))
        task._ik = self
        self.tasks.append(task)
        self._body = None
        return task

    def _renew(self) -> None:
        """Passes the tasks, which may have been changed, to C."""
        for task in self.tasks:
            definitions = task._definitions(self)
            if len(definitions) != len(self._indices(task)):
                raise Error(f"{task!r}: it has {len(self._indices(task))} planes, which cannot become "
                            f"{len(definitions)}")
            for index, (definition, keep) in zip(self._indices(task), definitions):
                if lib.poise_tasks_set(self._tasks, index, definition) < 0:
                    self._refuse(task)
                del keep
        self._body = None
        self._stale = False

    def _push_targets(self) -> None:
        """Writes the targets to the goals of the tree's points."""
        if self._behind:
            self._set_q(self._q, "q")
        if self._stale:
            self._renew()
        position, pose = ffi.new("PoiseVec3*"), ffi.new("PoiseQuat*")
        for task in self._points:
            row = self.targets[task._slot]
            if task._slot in self._in_frames:
                row = pose_of(self._in_frames[task._slot] @ matrix_of(row))[0]
            position.x, position.y, position.z, pose.w, pose.x, pose.y, pose.z = row.tolist()
            kind = lib.poise_point_kind(self._tree, task._point)
            status = 0
            if kind != lib.POISE_POINT_ORIENTATION:
                status = lib.poise_point_set_position(self._tree, task._point, position[0])
            if status >= 0 and kind in (lib.POISE_POINT_ORIENTATION, lib.POISE_POINT_POSE):
                status = lib.poise_point_set_orientation(self._tree, task._point, pose[0])
            if status < 0:
                lib.poise_tree_clear_status(self._tree)
                raise Error(f"target of {task!r}: finite numbers and a rotation are due, not {row.tolist()}")

    # ------------------------------------------------------------------------------------- posture

    @property
    def q(self) -> Floats:
        """The present posture of `joints`, a copy: rad, m. `step` and `solve` change it."""
        return self._q.copy()

    @q.setter
    def q(self, q: npt.ArrayLike) -> None:
        self._set_q(q, "q")
        lib.poise_tasks_rest(self._tasks)

    def _set_q(self, q: npt.ArrayLike, name: str) -> None:
        row = self._posture(q, name)
        if lib.poise_tasks_set_posture(self._tasks, doubles(self._to_tree(row))) < 0:
            lib.poise_tree_clear_status(self._tree)
            raise Error(f"{name}: finite numbers, and rotations other than 0, are due")
        self._q = row.copy()
        self._behind = False

    def _begin_at(self, q: npt.ArrayLike) -> None:
        """Sets the start of a solve. A compiled body takes a float64 array of the right size as it is."""
        if (self._body and isinstance(q, np.ndarray) and q.dtype == np.float64 and q.shape == self._zeros.shape
                and q.dot(self._zeros) == 0.0): # 0 * q is 0 unless a number is not finite
            self._q = q
            self._behind = True
        else:
            self._set_q(q, "q")

    def _take_q(self) -> Floats:
        lib.poise_tasks_posture(self._tasks, self._tree_memory)
        self._q = self._tree_q[self._from_tree]
        return self._q.copy()

    def pose(self, link: str, *, q: npt.ArrayLike | None = None, place: Sequence[float] = (0.0, 0.0, 0.0),
             form: str = "pose") -> Any:
        """Returns where a place on a link is in the world, at the present posture or at `q`. `form`: "pose"
        gives x, y, z, qw, qx, qy, qz (m), "matrix" 4 x 4, "rotation" a scipy Rotation of the link."""
        if form not in ("pose", "matrix", "rotation"):
            raise Error(f"form: pose, matrix or rotation is due, not '{form}'")
        tip = self.robot._tip(link, place)
        before = self._q
        if q is not None or self._behind:
            self._set_q(before if q is None else q, "q")
        lib.poise_forward(self._tree)
        pose = lib.poise_node_link_world(self._tree, tip.node)
        if q is not None:
            self._set_q(before, "q")
        matrix = matrix_of_c(pose) @ matrix_of_c(tip.in_link)
        if form == "matrix":
            return matrix
        row = pose_of(matrix)[0]
        if form == "pose":
            return row
        from scipy.spatial.transform import Rotation
        return Rotation.from_quat([row[4], row[5], row[6], row[3]])

    def _indices(self, task: Task) -> range:
        """Returns the indices of C's tasks that make up one task."""
        return range(task._index, task._index + self._places.count(self._places[task._index]))

    def _readings(self, task: Task) -> list[Any]:
        self._push_targets()
        return [lib.poise_tasks_read(self._tasks, index) for index in self._indices(task)]

    def _rows(self, task: Task) -> tuple[Floats, Floats]:
        self._push_targets()
        columns = lib.poise_tasks_columns(self._tasks)
        all_errors, all_rows = [], []
        for index in self._indices(task):
            count = lib.poise_tasks_rows(self._tasks, index, ffi.NULL, ffi.NULL, 0)
            errors, jacobian = np.zeros(count), np.zeros((count, columns))
            lib.poise_tasks_rows(self._tasks, index, written(errors), written(jacobian), count)
            all_errors.append(errors)
            all_rows.append(jacobian)
        return np.concatenate(all_errors), np.concatenate(all_rows)

    # ------------------------------------------------------------------------------------- solving

    def _compile(self) -> None:
        """Compiles a body if all tasks are frames and centres of mass with one priority."""
        self._body = False
        kinds = (Frame,) if self._apart is not None else (Frame, RelativeFrame, CoM)
        frames: list[Any] = [task for task in self.tasks if type(task) in kinds and getattr(task, "axes") != "own"]
        if (not frames or len(frames) != len(self.tasks) or len({task.priority for task in frames}) > 1
                or any(lib.poise_point_priority(self._tree, lib.poise_tree_point(self._tree, index)) < 0
                       for index in range(lib.poise_tree_point_count(self._tree)))):
            return
        tips = ffi.new("PoiseBodyTip[]", len(frames))
        for tip, task in zip(tips, frames):
            tip.link = lib.poise_point_link(self._tree, task._point)
            tip.frame = lib.poise_point_frame(self._tree, task._point)
            tip.centre_of_mass = type(task) is CoM
            if type(task) is not CoM:
                tip.in_link = self.robot._tip(str(task.link), task.place).in_link
        definition = ffi.new("PoiseBodyDef*", lib.poise_default_body_def())
        definition.tips, definition.tip_count = tips, len(frames)
        body = lib.poise_body_compile(self._tree, definition)
        lib.poise_tree_clear_status(self._tree)
        if not body:
            return
        for task in frames:
            target = self._body_targets[task._slot]
            target.weights = [task.weight * one for one in task._weights()]
            if type(task) is CoM:
                target.goal = lib.POISE_BODY_POSITION
                continue
            target.axes = _AXES[task.axes]
            target.goal = 0 if any(task.position) and any(task.rotation) else 1 if any(task.position) else 2
        self._body = ffi.gc(body, lib.poise_body_destroy)
        if self._apart is not None:
            lib.poise_forward(self._tree)
            check(lib.poise_body_keep_apart(self._body, self._apart), "apart")
        self._lay_body(frames)

    def _lay_body(self, frames: list[Any]) -> None:
        size = lib.poise_body_posture_size(self._body)
        place = {node.index1: index for index, node in enumerate(self._nodes)}
        taken: dict[int, int] = {}
        self._body_at = np.zeros(size, dtype=int)
        for index in range(size):
            node = place[lib.poise_body_node(self._body, index).index1]
            own = np.flatnonzero(self._owner == node)
            self._body_at[index] = own[taken.get(node, 0)]
            taken[node] = taken.get(node, 0) + 1
        self._body_q = np.zeros(size)
        self._body_report = ffi.new("PoiseBodyReport*")
        definition = ffi.new("PoiseBodySolveDef*", lib.poise_default_body_solve_def())
        definition.position_tolerance = min(float(task.tolerance[0]) for task in frames)
        definition.angle_tolerance = min(float(task.tolerance[1]) for task in frames)
        problem = lib.poise_body_solve_def_problem(definition)
        if problem:
            raise Error(text_of(problem))
        self._body_definition = definition
        goals = self._body_targets
        if self._in_frames:
            goals = self._link_targets = ffi.new("PoiseBodyTarget[]", len(frames))
        self._body_call = (lib.poise_body_solve, self._body, definition, goals, written(self._body_q),
                           self._body_report)

    def _push_links(self, goals: Any) -> None:
        """Copies the body's targets. Targets in the frame of a link are converted to the frame
        of its node."""
        ffi.memmove(goals, self._body_targets, ffi.sizeof(goals))
        for slot, frame in self._in_frames.items():
            row = pose_of(frame @ matrix_of(self.targets[slot]))[0].tolist()
            goals[slot].pose = (row[:3], row[3:])

    def _solve_body(self) -> Answer:
        solve, body, definition, targets, memory, report = self._body_call
        self._body_q[:] = self._q[self._body_at]
        if self._in_frames:
            self._push_links(targets)
        status = solve(body, definition, targets, memory, report)
        if status < 0:
            index = ffi.new("int*")
            problem = text_of(lib.poise_body_targets_problem(body, targets, index))
            raise Error(f"target of {self.tasks[max(index[0], 0)]!r}: {problem or 'the posture cannot be a start'}")
        q = self._q.copy()
        q[self._body_at] = self._body_q
        self._q = q
        self._behind = True
        if status == 0:
            return Answer(q.copy(), self.joints, True, "met", [], -1, report.error, report.angle_error)
        if self._apart is not None and not report.held:
            return Answer(q.copy(), self.joints, False, REASONS[report.reason], [], report.worst_tip, report.error,
                          report.angle_error, report.beyond)
        # The compiled body has met no posture. A descent over all tasks also names the joints at their limits.
        beyond = report.beyond if report.reason == lib.POISE_REACH_OUT_OF_REACH else 0.0
        self._definition.starts, self._definition.iterations, self._definition.seed = 1, 200, 0
        answer = self._run(lib.poise_tasks_solve, self._definition)
        if beyond > 0.0:
            answer.reason, answer.beyond = "out of reach", beyond
        elif report.held and not answer.met and not answer.held_gap:
            answer.reason, answer.held_gap = "held", report.held_gap
            answer.held_by = [self._parts[report.held_by.a], self._parts[report.held_by.b]]
        return answer

    def solve(self, q: npt.ArrayLike | None = None, *, starts: int = 16, seed: int = 0,
              iterations: int = 200) -> Answer:
        """Finds a posture for all tasks, from the present posture or from `q` (of `joints`, rad, m).

        If a descent does not meet the tasks, the search begins again, `starts` times at most, from what a
        compiled body finds for frames and a centre of mass, and from random postures (`seed`). Each start has
        `iterations` steps. If all tasks are of these kinds and one priority, the body alone searches. If no
        posture meets all tasks, the answer is the best one found: by priorities, and within one by the sum of
        weight error^2. `reason` and `held_by` say what prevents more.
        """
        if self._stale:
            self._renew()
        if self._body is None:
            self._compile()
        if q is not None:
            self._begin_at(q)
        definition = self._definition
        if starts != 16 or seed != 0 or iterations != 200:
            starts, seed = whole(starts, "starts"), whole(seed, "seed", 0)
            iterations = whole(iterations, "iterations")
        if self._body:
            self._body_definition.seed = seed
            return self._solve_body()
        definition.starts, definition.seed, definition.iterations = starts, seed, iterations
        return self._run(lib.poise_tasks_solve, definition)

    def step(self, dt: float, q: npt.ArrayLike | None = None) -> Answer:
        """Moves the present posture (or `q`) by one period `dt` (s) toward the tasks, inside the ranges,
        speeds and accelerations, and returns it. The accelerations count from the step before; setting
        `Ik.q` begins at rest, and a `q` given here keeps the velocity of that step."""
        if q is not None:
            self._set_q(q, "q")
        self._step_definition.dt = _real(dt, "dt")
        return self._run(lib.poise_tasks_step, self._step_definition)

    def _run(self, call: Any, definition: Any) -> Answer:
        self._push_targets()
        report = self._report
        status = call(self._tasks, definition, report)
        if status < 0:
            self._refuse()
        q = self._take_q()
        held: list[str] = []
        if status != 0:
            nodes = ffi.new("PoiseNodeId[]", len(self._nodes) or 1)
            count = lib.poise_tasks_held_by(self._tasks, nodes, len(self._nodes))
            held = [self._node_names[nodes[index].index1] for index in range(count)]
        if report.held:
            held = [self._parts[report.held_by.a], self._parts[report.held_by.b]]
        reason = "outweighed" if report.outweighed else REASONS[report.reason]
        unmet = self._places[report.unmet] if report.unmet >= 0 else -1
        return Answer(q, self.joints, status == 0, reason, held, unmet, report.error, report.angle_error, 0.0,
                      report.held_gap)

    def follow(self, path: npt.ArrayLike | Mapping[Task, npt.ArrayLike], *, dt: float | None = None,
               leap: bool = False) -> Path:
        """Follows a path from the present posture. `path`: rows of targets, n x 3 or 7, or n x 4 x 4, of the
        only task that has a target, or a dict of tasks with such rows.

        Without `dt` each row is solved from the row before. The path stops where a joint would move by more
        than 0.5 rad (slider: m): from there on the reason is "leap", and `q` the last answer; `leap=True`
        continues instead. With `apart` no row passes links through each other; rows that they hold have the
        reason "held". With `dt` each row is one `step` of that period (s), inside speeds and
        accelerations.
        """
        rows = self._path(path)
        count = len(next(iter(rows.values())))
        out = Path(np.zeros((count, len(self.joints))), self.joints, np.zeros(count, bool),
                   np.full(count, "", dtype=object), [], np.zeros(count), np.zeros(count))
        stopped = False
        for first, end in parts(count, _FIRST_PART, _MOST_PART):
            for index in range(first, end):
                for slot, targets in rows.items():
                    self.targets[slot] = targets[index]
                before = self._q
                answer = self.step(dt) if dt is not None else self._next()
                if dt is None and not leap and (stopped or self._jumps(before, answer.q)):
                    stopped = True
                    self._set_q(before, "q")
                    answer.q, answer.met, answer.reason = before, False, "leap"
                out.q[index], out.met[index], out.reason[index] = answer.q, answer.met, answer.reason
                out.error[index], out.angle_error[index] = answer.error, answer.angle_error
                out.held_by.append(answer.held_by)
        return out

    def _next(self) -> Answer:
        self._definition.starts, self._definition.seed = 1, 0
        self._definition.iterations = 200
        return self._run(lib.poise_tasks_solve, self._definition)

    def _jumps(self, before: Floats, after: Floats) -> bool:
        single = np.bincount(self._owner, minlength=len(self._nodes))[self._owner] <= 3
        return bool((np.abs(after - before)[single] > _MOST_JUMP).any())

    def _path(self, path: Any) -> dict[int, Floats]:
        if not isinstance(path, Mapping):
            if len(self._points) != 1:
                raise Error(f"path: a dict of tasks with rows is due: {len(self._points)} tasks have a target")
            path = {self._points[0]: path}
        rows: dict[int, Floats] = {}
        for task, targets in path.items():
            if not isinstance(task, _OfPoint) or task._ik is not self:
                raise Error(f"path: a task of this Ik with a target is due, not {task!r}")
            rows[task._slot] = np.array([task._goal(target) for target in targets]).reshape(-1, 7)
        lengths = {len(one) for one in rows.values()}
        if len(lengths) != 1:
            raise Error(f"path: rows of equal number are due, not {sorted(lengths)}")
        return rows


def _real(value: Any, name: str) -> float:
    if not 0 < number(value, name) < np.inf:
        raise Error(f"{name}: a number above 0 is due, not {value!r}")
    return float(value)


__all__ = ["Answer", "Ik", "Path", "RelativeFrame"]
