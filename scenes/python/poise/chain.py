# SPDX-License-Identifier: MIT
"""Compiled serial chains: a target takes microseconds, and batches are numpy arrays without copies."""
from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ._library import (Error, Floats, check, doubles, ffi, lib, numbers, parts, poses, starts_of, struct_type,
                       text_of, three, two_numbers, whole, written)
from .answers import Answers

# Number of targets per thread in the first call to C, and in any call at most.
_FIRST_PART, _MOST_PART = 32, 8192
_REPORT = struct_type("PoiseBodyReport")
# indices of the pose among the doubles of a PoiseBodyTarget
_POSE = slice(ffi.offsetof("PoiseBodyTarget", "pose") // 8, ffi.offsetof("PoiseBodyTarget", "pose") // 8 + 7)
_GOALS = {"pose": 0, "position": 1, "orientation": 2}


@dataclass
class Joint:
    """A joint of a chain, as in a URDF."""

    name: str
    #: kind of the joint: revolute, continuous, prismatic or fixed
    kind: str = "revolute"
    #: place of the joint's frame in the frame of the joint before, x, y, z, m
    origin: Sequence[float] = (0.0, 0.0, 0.0)
    #: rotation of the joint's frame: roll, pitch, yaw, rad
    rpy: Sequence[float] = (0.0, 0.0, 0.0)
    #: axis in the joint's own frame; any length above 0
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    #: range of the joint, rad (prismatic: m)
    lower: float = -np.inf
    upper: float = np.inf


class Chain:
    """The joints from the base to a tip, compiled. A chain never changes. Any number of threads may use
    it at once, since the calls to C release Python's lock. It can be pickled.

    `joints` begin at the base and include fixed joints; a tool is a fixed joint at the end. See also
    `Chain.from_csv` and `Robot.chain`.
    """

    #: number of numbers in a posture
    size: int
    #: names of the numbers in a posture
    joints: list[str]
    #: True if poses are solved in closed form
    closed: bool
    #: ranges of a posture's numbers, size, rad or m
    lower: Floats
    upper: Floats

    def __init__(self, joints: Iterable[Joint]) -> None:
        joints = list(joints)
        #: what pickle calls to make the chain again: a function and its arguments (__reduce__)
        self._made: tuple[Callable[..., Chain], tuple[Any, ...]] = (Chain, (joints,))
        definition = lib.poise_default_tree_def()
        tree = ffi.gc(lib.poise_tree_create(ffi.addressof(definition)), lib.poise_tree_destroy)
        names: list[str] = []
        frame = lib.poise_default_position_def().in_link
        parent = lib.poise_default_hinge_def().parent
        for joint in joints:
            frame = _mul(frame, _pose(joint))
            if joint.kind == "fixed":
                continue
            if joint.kind not in ("revolute", "continuous", "prismatic"):
                raise Error(f"{joint.name}: revolute, continuous, prismatic or fixed is due, not "
                            f"'{joint.kind}'")
            slides = joint.kind == "prismatic"
            node = lib.poise_default_slider_def() if slides else lib.poise_default_hinge_def()
            node.parent = parent
            node.joint_in_parent = frame
            node.axis.x, node.axis.y, node.axis.z = three(joint.axis, f"axis of {joint.name}")
            node.lower, node.upper = ((-np.inf, np.inf) if joint.kind == "continuous"
                                      else two_numbers((joint.lower, joint.upper), f"range of {joint.name}"))
            parent = lib.poise_node_create(tree, ffi.addressof(node))
            if parent.index1 == 0:
                raise Error(f"{joint.name}: {text_of(lib.poise_tree_message(tree))}")
            names.append(joint.name)
            frame = lib.poise_default_position_def().in_link
        if not names:
            raise Error("no joint of the chain moves")
        self._compile(tree, parent, frame, names)

    def _compile(self, tree: Any, tip: Any, in_link: Any, names: list[str] | None) -> None:
        own = ffi.new("PoiseBodyTip*")
        own.link, own.in_link = tip, in_link
        definition = lib.poise_default_body_def()
        # more seeds than the default make the search of a solve quicker
        definition.tips, definition.tip_count, definition.seeds = own, 1, 2048
        body = lib.poise_body_compile(tree, ffi.addressof(definition))
        if not body:
            raise Error(text_of(lib.poise_tree_message(tree)))
        self._body = ffi.gc(body, lib.poise_body_destroy)
        self.size = lib.poise_body_posture_size(body)
        self.closed = bool(lib.poise_body_closed(body, 0))
        self.joints = names or [f"q{index + 1}" for index in range(self.size)]
        self.lower = np.array([lib.poise_body_lower(body, i) for i in range(self.size)])
        self.upper = np.array([lib.poise_body_upper(body, i) for i in range(self.size)])
        self._home = self.middle()

    def __repr__(self) -> str:
        return f"<poise.Chain of {self.size} numbers: {', '.join(self.joints)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return self._made

    @classmethod
    def _of_tree(cls, tree: Any, tip: Any, names: Any, made: Any) -> "Chain":
        chain = cls.__new__(cls)
        chain._made = made
        chain._compile(tree, tip.node, tip.in_link, None)
        check(lib.poise_body_read(chain._body, tree, written(chain._home)), "read")
        chain.joints = [names(chain._body, index) for index in range(chain.size)]
        return chain

    @classmethod
    def from_csv(cls, path: str | Path) -> "Chain":
        """Reads a file with a joint in each row:
        name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper (m, rad)."""
        with open(os.fspath(path), newline="") as file: # os.fspath refuses a number
            rows = list(csv.DictReader(file))
        def number(row: dict[str, str], key: str) -> float:
            return float(row[key] or "nan")
        return cls(Joint(row["name"], row["type"], [number(row, k) for k in ("px", "py", "pz")],
                         [number(row, k) for k in ("roll", "pitch", "yaw")],
                         [number(row, k) for k in ("ax", "ay", "az")],
                         number(row, "lower"), number(row, "upper")) for row in rows)

    def middle(self) -> Floats:
        """Returns the posture in the middle of the ranges, size numbers, rad or m; 0 for joints without a
        range."""
        posture = np.empty(self.size)
        check(lib.poise_body_middle(self._body, written(posture)), "middle")
        return posture

    def forward(self, q: npt.ArrayLike) -> Floats:
        """Returns the tip's poses, n x 7 (x, y, z, qw, qx, qy, qz; m), in the base's frame, for postures
        n x size (rad, m). A single posture gives a single pose."""
        rows = numbers(q, "q", self.size)
        out = np.empty((len(rows), 7))
        pose = written(out, "PoisePose*")
        memory = doubles(rows)
        for index in range(len(rows)):
            pose[index] = lib.poise_body_forward(self._body, memory + index * self.size, 0)
        return out[0] if np.ndim(q) == 1 else out

    def jacobian(self, q: npt.ArrayLike) -> Floats:
        """Returns J, 6 x degrees of freedom, at a posture (rad, m): three rows of the position, then three
        of the rotation (m/rad, rad/rad), in the base's frame. Postures n x size give n x 6 x degrees of
        freedom."""
        rows = numbers(q, "q", self.size)
        out = np.empty((len(rows), 6, lib.poise_body_dof(self._body)))
        for posture, of_posture in zip(rows, out):
            check(lib.poise_body_jacobian(self._body, doubles(posture), 0, written(of_posture)), "jacobian")
        return out[0] if np.ndim(q) == 1 else out

    def solve(self, targets: npt.ArrayLike, start: npt.ArrayLike | None = None, *,
              goal: str | None = None, follow: bool = False, leap: bool = False, answers: int = 1,
              threads: int = 1, iterations: int = 2000,
              tolerance: tuple[float, float] | None = None) -> Answers:
        """Finds, for each target, a posture inside the limits that puts the tip there.

        `targets`: n x 3 positions (m) or n x 7 poses, in the base's frame. `start`: one posture for all targets, or n x size; default: the
        robot's own pose, or the middle of the ranges of a chain without a robot. `goal`: pose, position or orientation; default: as the targets have it. `follow`: solves
        each target from the answer before; the first from `start`, or without `start` from any posture.
        The path stops at the first row to which a joint would move by more than 0.5 rad (slider: m).
        From there on `reason` is "leap" and `q` the last answer; `leap=True` continues instead.
        `answers`: returns the nearest to the start of this many answers. `iterations`: at most, of four starts each. `threads`: 1 to 256.
        `tolerance`: a target is met below these distances, m and rad (5e-10 each).

        A target that cannot be met is no error: `reason` has the cause, and `q` is the nearest posture
        found.
        """
        rows, turned = poses(targets)
        if rows.ndim != 2:
            raise Error(f"targets: one row a target is due, not the shape {rows.shape}")
        definition = _definition()
        if goal is not None and goal not in _GOALS:
            raise Error(f"goal: pose, position or orientation is due, not '{goal}'")
        counts = _GOALS[goal] if goal else _GOALS["pose" if turned else "position"]
        if counts != _GOALS["position"] and not turned:
            raise Error(f"goal: the targets have no rotations (rows of 7), '{goal}' needs them")
        definition.answers, definition.iterations = whole(answers, "answers"), whole(iterations, "iterations")
        definition.threads = 1 if follow else whole(threads, "threads")
        definition.leap = leap
        if tolerance is not None:
            definition.position_tolerance, definition.angle_tolerance = two_numbers(tolerance, "tolerance")
        problem = lib.poise_body_solve_def_problem(ffi.addressof(definition))
        if problem:
            raise Error(text_of(problem))
        q = np.empty((len(rows), self.size))
        q[:] = self._home if start is None else starts_of(start, len(rows), self.size)
        found = Answers(q, self.joints, np.zeros(len(rows), _REPORT))
        wanted = _targets(rows, counts)
        if follow and len(rows) and start is None:
            # The first target may be far from the start posture.
            self._part(definition, wanted[:1], found, slice(0, 1), False)
            q[1:] = q[0]
        for first, end in parts(len(rows), _FIRST_PART * definition.threads, _MOST_PART):
            if follow and first > 0:
                q[first] = q[first - 1]
                definition.stopped = found.reports["reason"][first - 1] == lib.POISE_REACH_LEAP
            self._part(definition, wanted[first:end], found, slice(first, end), follow)
        return found

    def answers(self, target: Any, start: Any = None, *, most: int = 8) -> Floats:
        """Returns up to `most` postures that put the tip at one target (3 or 7 numbers), one a row, the
        nearest to `start` (default as in `solve`) first. Chains with a closed form (`closed`) give all
        answers of a pose, at most 8. No answer: an empty array."""
        rows, turned = poses(target)
        if len(rows) != 1:
            raise Error(f"target: one row is due, not {len(rows)}")
        begin = self._home if start is None else starts_of(start, 1, self.size)
        out = np.empty((whole(most, "most"), self.size))
        answers = ffi.new("PoiseBodyAnswers*")
        answers.capacity, answers.postures = most, written(out)
        wanted = written(_targets(rows, _GOALS["pose" if turned else "position"]), "PoiseBodyTarget*")
        status = lib.poise_body_answers(self._body, ffi.addressof(_definition()), wanted, doubles(begin), answers)
        check(min(status, 0), "answers")
        return out[:answers.count]

    def prepare(self, goal: str = "pose") -> "Prepared":
        """Returns a function that solves one target at a time, without the checks and arrays of `solve`:
        for control loops. See `Prepared`."""
        return Prepared(self, goal)

    def _part(self, definition: Any, targets: Floats, found: Answers, part: slice,
              follow: bool) -> None:
        q, reports = found.q[part], found.reports[part]
        batch = ffi.new("PoiseBodyBatch*")
        batch.count = len(targets)
        batch.targets = written(targets, "PoiseBodyTarget*")
        batch.postures = written(q)
        batch.reports = written(reports, "PoiseBodyReport*")
        solve = lib.poise_body_follow_batch if follow else lib.poise_body_solve_batch
        if solve(self._body, ffi.addressof(definition), batch) < 0:
            index = ffi.new("int*")
            problem = lib.poise_body_batch_problem(self._body, batch, index)
            row = f"row {part.start + index[0]}: " if index[0] >= 0 else ""
            raise Error(row + (text_of(problem) or "the batch was refused"), "invalid argument")


class Prepared:
    """Solves one target at a time. Set `target` (x, y, z, qw, qx, qy, qz) and `q` (the start), both numpy
    arrays, and call: `q` gets the answer. True if the target is met; `report` says more. The arrays stay
    the same ones, so copy an answer to keep it. One thread at a time."""

    def __init__(self, chain: Chain, goal: str) -> None:
        if goal not in _GOALS:
            raise Error(f"goal: pose, position or orientation is due, not '{goal}'")
        self._chain = chain
        self._definition = ffi.new("PoiseBodySolveDef*", _definition())
        self._target = _targets(np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]), _GOALS[goal])
        #: the target in the base's frame: m, and a quaternion
        self.target: Floats = self._target[0, _POSE]
        #: the start posture before a call, then the answer
        self.q: Floats = chain.middle()
        self._reports = np.zeros(1, _REPORT)
        #: C's report of the last answer: reason, error, angle_error, beyond and more
        self.report: Any = self._reports[0]
        self._call = (lib.poise_body_solve, chain._body, self._definition,
                      written(self._target, "PoiseBodyTarget*"), written(self.q),
                      written(self._reports, "PoiseBodyReport*"))

    def __call__(self) -> bool:
        solve, body, definition, target, q, report = self._call
        status: int = solve(body, definition, target, q, report)
        if status < 0:
            raise Error("target or q is not finite, or a rotation is 0", "invalid argument")
        return status == 0


def _definition() -> Any:
    """Returns the settings of a solve, which may use fused multiply-add."""
    definition = lib.poise_default_body_solve_def()
    definition.path = lib.POISE_BODY_FUSED
    return definition


def _usual(goal: int) -> Floats:
    """Returns the bytes of a target with C's defaults, as doubles."""
    target = ffi.new("PoiseBodyTarget*", lib.poise_default_body_target(lib.poise_default_pose_def().in_link))
    target.goal = goal
    return np.frombuffer(ffi.buffer(target), np.float64).copy()


_USUAL = [_usual(goal) for goal in range(3)]


def _targets(rows: Floats, goal: int) -> Floats:
    """Returns C's targets of poses, n x 7."""
    out = np.empty((len(rows), len(_USUAL[goal])))
    out[:] = _USUAL[goal]
    out[:, _POSE] = rows
    return out


def _pose(joint: Joint) -> Any:
    pose = ffi.new("PoisePose*")
    pose.p.x, pose.p.y, pose.p.z = three(joint.origin, f"origin of {joint.name}")
    rpy = ffi.new("PoiseVec3*", three(joint.rpy, f"rpy of {joint.name}"))
    pose.q = lib.poise_quat_from_rpy(rpy[0])
    return pose[0]


def _mul(a: Any, b: Any) -> Any:
    """Returns the pose a * b: position a.p + a.q b.p, rotation a.q b.q."""
    out = ffi.new("PoisePose*")
    w, x, y, z = a.q.w, a.q.x, a.q.y, a.q.z
    turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    place = turn @ (b.p.x, b.p.y, b.p.z) + (a.p.x, a.p.y, a.p.z)
    out.p.x, out.p.y, out.p.z = place
    out.q.w = w * b.q.w - x * b.q.x - y * b.q.y - z * b.q.z
    out.q.x = w * b.q.x + x * b.q.w + y * b.q.z - z * b.q.y
    out.q.y = w * b.q.y - x * b.q.z + y * b.q.w + z * b.q.x
    out.q.z = w * b.q.z + x * b.q.y - y * b.q.x + z * b.q.w
    return out[0]
