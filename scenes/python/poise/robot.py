# SPDX-License-Identifier: MIT
"""Robots from files (URDF, MJCF, or a scene): joint angles for targets, without physics."""
from __future__ import annotations

import html
import itertools
import warnings
from pathlib import Path
from typing import Any, Mapping, Sequence, overload

import numpy as np
import numpy.typing as npt

from ._library import (Error, Finding, Floats, check, doubles, encoded, ffi, lib, number, parts, poses, starts_of,
                        struct_type, text_of, three, two_numbers, whole, written)
from ._load_scene import Loaded
from .answers import Answers, TipAnswers
from .chain import Chain
from .tasks import matrix_of_c

# Number of rows in the first call to C, and in any call at most.
_FIRST_PART, _MOST_PART = 4, 256
_REPORT = struct_type("PoiseReachReport")
#: distance of `apart=True`, m
_APART = 0.01


class Robot:
    """A robot from a file: URDF, MJCF or a Poise scene, by path or by the name of an installed file.

    `text`: the file's contents; the file is then not read. `trusted`: True if it may name files outside
    its own folder (default: True unless the environment has CI). Raises `Error` with file, line and
    column of every finding. Calls of several threads wait for each other. A robot can be pickled, which
    stores the path, not the file. Its meshes are not read, since kinematics need none; `Scene` reads
    them.
    """

    #: names of the numbers of a posture of all joints; `lower` and `upper` are their ranges, rad or m
    joints: list[str]
    lower: Floats
    upper: Floats
    #: names of the robot's links and bodies
    links: list[str]

    def __init__(self, path: str | Path, *, text: str | None = None,
                 trusted: bool | None = None) -> None:
        self._loaded = Loaded(path, text, (), trusted, meshes=False)
        self._chains: dict[tuple[str, tuple[float, ...], str], Chain] = {}
        self._base = ""
        self._apart: bool | float = False
        simulation = self._loaded.simulation
        scene = lib.poise_simulation_scene(simulation)
        part = ffi.new("int*")
        self._loops = any(not scene.joints[index].driven for index in range(scene.joint_count))
        self.joints = []
        lower, upper = [], []
        for index in range(lib.poise_simulation_posture_size(simulation)):
            joint = scene.joints[lib.poise_simulation_posture_joint(simulation, index, part)]
            name = text_of(joint.name)
            self.joints.append(name if part[0] == 0 else f"{name}.{part[0] + 1}")
            # The four numbers of a rotation have no ranges.
            ranged = joint.kind not in (lib.POISE_NODE_BALL, lib.POISE_NODE_FREE)
            lower.append(joint.limits.lower[part[0]] if ranged else -np.inf)
            upper.append(joint.limits.upper[part[0]] if ranged else np.inf)
        self.lower, self.upper = np.array(lower), np.array(upper)
        self.links = [text_of(scene.frames[index].name) for index in range(scene.frame_count)]

    @classmethod
    def from_mujoco(cls, model: Any, name: str = "model.xml") -> "Robot":
        """Makes a robot of the bodies, joints and sites of a `mujoco.MjModel`, without its geoms, actuators
        and constraints. Names are the model's. Tried with an object of the same attributes, not with the
        package mujoco itself."""
        try:
            return cls(name, text=_mjcf(model))
        except AttributeError as error:
            raise Error(f"model: a mujoco.MjModel is due: {error}") from None

    def __repr__(self) -> str:
        return (f"<poise.Robot {Path(self._loaded.source[0]).name}: {len(self.joints)} numbers of a "
                f"posture, {len(self.links)} links>")

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, self._loaded.source

    @property
    def findings(self) -> list[Finding]:
        """Findings in the robot's files: what was repaired, assumed or left out."""
        return self._loaded.findings

    def home(self) -> Floats:
        """Returns the start posture of all `joints`, rad or m. A ball joint's rotation is w, x, y, z; a
        floating base has its position, then its rotation."""
        posture = np.empty(len(self.joints))
        with self._loaded.lock:
            check(lib.poise_simulation_posture(self._loaded.simulation, written(posture)), "home")
        return posture

    def _tip(self, link: str, place: Sequence[float]) -> Any:
        tip = ffi.new("PoiseTip*")
        text = ffi.new("char[2000]")
        problem = lib.poise_tip_find(self._loaded.simulation, encoded(link), tip, text, len(text))
        if problem:
            raise Error(text_of(problem))
        w, x, y, z = tip.in_link.q.w, tip.in_link.q.x, tip.in_link.q.y, tip.in_link.q.z
        axis, at = np.array([x, y, z]), np.array(three(place, "place"))
        turned = at + 2 * np.cross(axis, np.cross(axis, at) + w * at)
        tip.in_link.p.x += turned[0]
        tip.in_link.p.y += turned[1]
        tip.in_link.p.z += turned[2]
        return tip

    def _fixed(self, link: str) -> Floats | None:
        """Returns the 4 x 4 matrix of a link that no joint moves, world, m. None for other names."""
        scene = lib.poise_simulation_scene(self._loaded.simulation)
        index = lib.poise_scene_find_frame(scene, encoded(link))
        body = scene.bodies[scene.frames[index].body] if index >= 0 else None
        if body is None or body.joint >= 0:
            return None
        return matrix_of_c(body.pose) @ matrix_of_c(scene.frames[index].in_body)

    def _set_base(self, base: str) -> None:
        if base not in ("fixed", "free"):
            raise Error(f"base: fixed or free is due, not '{base}'")
        if base != self._base:
            check(lib.poise_simulation_free_base(self._loaded.simulation, base == "free"), "base")
            self._base = base

    def _set_apart(self, apart: bool | float) -> list[str]:
        """Keeps the shapes apart, or as far apart as the scene's file says. Returns the names of
        the parts."""
        simulation = self._loaded.simulation
        rig = lib.poise_simulation_rig(simulation)
        own = bool(lib.poise_simulation_scene(simulation).keep_apart.on)
        if isinstance(apart, bool) or apart is np.True_ or apart is np.False_:
            distance = _APART if apart else -1.0
        else:
            distance = number(apart, "apart")
            if not 0.0 <= distance < np.inf:
                raise Error(f"apart: True, False or a distance in m is due, not {apart!r}")
        if apart != self._apart or type(apart) is not type(self._apart):
            if not (own and isinstance(apart, bool)):
                self._apart = False # if the distance is refused, nothing is kept apart
                lib.poise_rig_clear_status(rig) # the rig keeps its first error, so an old one is cleared
                if lib.poise_simulation_keep_apart(simulation, distance) < 0:
                    text = text_of(lib.poise_rig_message(rig)).split(": ", 1)[-1]
                    raise Error(f"apart: {text or 'no link has a shape that collides'}")
                without_room = ffi.new("char[600]")
                if lib.poise_simulation_without_room(simulation, distance, without_room, 600):
                    warnings.warn(f"apart: {text_of(without_room)}", stacklevel=3)
            self._apart = apart
        kept = lib.poise_rig_apart(rig)
        if not kept:
            return []
        names = []
        while text := text_of(lib.poise_simulation_part_name(simulation, len(names))):
            names.append(text)
        return names

    def chain(self, link: str, place: Sequence[float] = (0.0, 0.0, 0.0), *,
              base: str = "fixed") -> Chain:
        """Compiles the joints from the base to a point `place` of a link (m, in its frame). Joints that
        close loops are ignored; only `solve` keeps loops closed. The chain is kept for the next call.
        `base`:
        "fixed" holds a floating base where the file has it. With "free" the base moves: the position of its
        centre of mass and its quaternion are the first seven of `joints`."""
        key = (link, three(place, "place"), base)
        with self._loaded.lock:
            self._set_base(base)
            if key not in self._chains:
                tip = self._tip(link, place)
                text = ffi.new("char[200]")
                simulation = self._loaded.simulation
                self._chains[key] = Chain._of_tree(
                    lib.poise_simulation_tree(simulation), tip,
                    lambda chain, index: text_of(
                        lib.poise_tip_column(simulation, chain, index, text, len(text))),
                    (_chain, (self, *key)))
            return self._chains[key]

    @overload
    def solve(self, targets: npt.ArrayLike, link: str, place: Sequence[float] = (0.0, 0.0, 0.0), *,
              base: str = "fixed", start: npt.ArrayLike | None = None, goal: str | None = None,
              follow: bool = False, leap: bool = False, answers: int = 1, threads: int = 1,
              iterations: int = 4000, tolerance: tuple[float, float] | None = None) -> Answers: ...

    @overload
    def solve(self, targets: npt.ArrayLike, link: Mapping[str, Sequence[float]] | Sequence[str],
              place: Sequence[float] = (0.0, 0.0, 0.0), *, base: str = "fixed", apart: bool | float = False,
              start: npt.ArrayLike | None = None, follow: bool = False, leap: bool = False,
              starts: int = 1, seed: int = 0,
              tolerance: tuple[float, float] = (1e-6, 1e-6)) -> TipAnswers: ...

    def solve(self, targets: npt.ArrayLike, link: str | Mapping[str, Sequence[float]] | Sequence[str],
              place: Sequence[float] = (0.0, 0.0, 0.0), *, base: str = "fixed",
              apart: bool | float = False, **options: Any) -> Answers | TipAnswers:
        """Finds postures for targets of one tip or of several.

        A floating base stays where the file has it. With `base="free"` it moves, and the position of its
        centre of mass and its quaternion (x, y, z, w, x, y, z) are in `q`.

        One tip: `link` is a name and `place` a position in its frame (m). `targets`, the options and the
        result are those of `Chain.solve`.

        Several tips: `link` is a list of names, with `place` in the frame of each, or a dict of names
        with positions. `targets` are n x tips x 3 or 7 (or tips x 3 or 7). All joints between the tips and the base move, including
        shared ones. Options: `start` (one posture of `joints`, or n postures; default: `home()`),
        `follow` and `leap` (as in `Chain.solve`), `starts` (most starts per row, 1; those after the first
        are random), `seed`, `tolerance` (m and rad; 1e-6 each).

        `apart`: True keeps all links with shapes that collide 1 cm from each other and from the scene's
        other bodies, or as far as the scene's `keep_apart` has it; a number is the distance, m. A row is
        met only if every pair is that far apart; else `held_by` names the pair that holds it back. Pairs
        of links that no sampled posture parts by this distance keep 1 cm; a `UserWarning` names them. One
        tip then has the options and the result of several; the same holds if the robot has closed loops,
        which stay closed.
        """
        if isinstance(link, str) and apart is False and not self._loops:
            return self.chain(link, place, base=base).solve(targets, **options)
        if isinstance(link, str):
            tips: Mapping[str, Sequence[float]] = {link: tuple(place)}
            targets = np.asarray(targets)
            targets = targets[None, None] if targets.ndim == 1 else targets[:, None] if targets.ndim == 2 else targets
        elif isinstance(link, Mapping):
            tips = link
        else:
            tips = {name: tuple(place) for name in link}
            if len(tips) != len(link):
                raise Error("link: a name is given twice: a dict of names with positions is due")
        with self._loaded.lock:
            self._set_base(base)
            names = self._set_apart(apart)
            found = self._reach(targets, tips, **options)
            found.parts = names
            return found

    def _reach(self, targets: npt.ArrayLike, tips: Mapping[str, Sequence[float]], *,
               start: npt.ArrayLike | None = None, follow: bool = False, leap: bool = False,
               starts: int = 1, seed: int = 0,
               tolerance: tuple[float, float] = (1e-6, 1e-6)) -> TipAnswers:
        rows, turned = poses(targets)
        rows = rows[None, ...] if rows.ndim == 2 else rows
        if not tips:
            raise Error("link: at least one link is due")
        if rows.ndim != 3 or rows.shape[1] != len(tips):
            raise Error(f"targets: n x {len(tips)} x 3 or 7 numbers are due, not {rows.shape}")
        q = np.empty((len(rows), len(self.joints)))
        q[:] = self.home() if start is None else starts_of(start, len(rows), len(self.joints))
        found = TipAnswers(q, self.joints, np.zeros(len(rows), _REPORT), np.zeros(rows.shape[:2]),
                           np.zeros(rows.shape[:2]))
        array = ffi.new("PoiseTip[]", [self._tip(name, at)[0] for name, at in tips.items()])
        definition = lib.poise_default_reach_def()
        definition.starts, definition.seed = whole(starts, "starts"), whole(seed, "seed", 0)
        definition.position_tolerance, definition.angle_tolerance = two_numbers(tolerance, "tolerance")
        problem = lib.poise_reach_def_problem(ffi.addressof(definition))
        if problem:
            raise Error(text_of(problem))
        # Without a start posture the first row may leap, so that row is a call of its own.
        alone = 1 if follow and start is None and len(rows) else 0
        bounds = [(0, 1)] * alone
        for first, end in itertools.chain(bounds, parts(len(rows), _FIRST_PART, _MOST_PART, alone)):
            part = slice(first, end)
            if follow and first > 0:
                q[first] = q[first - 1]
            goals = rows[part]
            batch = ffi.new("PoiseTipBatch*", {
                "tips": array, "tip_count": len(tips), "count": len(goals), "turned": turned,
                "follow": follow, "leap": leap or (start is None and first == 0),
                "stopped": first > 0 and found.reports["reason"][first - 1] == lib.POISE_REACH_LEAP,
                "targets": ffi.cast("PoisePose*", doubles(goals)),
                "postures": written(q[part]), "errors": written(found.error[part]),
                "angle_errors": written(found.angle_error[part]),
                "reports": written(found.reports[part], "PoiseReachReport*")})
            status = lib.poise_tips_reach(self._loaded.simulation, ffi.addressof(definition), batch)
            if status < 0:
                index = ffi.new("int*")
                problem = lib.poise_tip_batch_problem(self._loaded.simulation, batch, index)
                check(status, f"row {first + max(index[0], 0)}: {text_of(problem) or 'refused'}")
        return found


_MUJOCO_JOINTS = ("free", "ball", "slide", "hinge")


def _mjcf(model: Any) -> str:
    """Writes the kinematics and masses of a mujoco.MjModel as MJCF, with lengths in m and angles in rad."""
    def words(values: Any) -> str:
        return " ".join(f"{float(value):.17g}" for value in values)

    def name_of(kind: str, index: int) -> str:
        return html.escape(getattr(model, kind)(index).name or f"{kind}{index}")

    inside: list[list[str]] = [[] for _ in range(model.nbody)]
    parents = [int(parent) for parent in model.body_parentid]
    for index in range(model.njnt):
        kind = _MUJOCO_JOINTS[int(model.jnt_type[index])]
        own = f'<joint name="{name_of("joint", index)}" type="{kind}"'
        if kind in ("slide", "hinge"):
            own += f' axis="{words(model.jnt_axis[index])}"'
        if kind != "free":
            own += f' pos="{words(model.jnt_pos[index])}"'
        if bool(model.jnt_limited[index]) and kind != "free":
            own += f' limited="true" range="{words(model.jnt_range[index])}"'
        inside[int(model.jnt_bodyid[index])].append(own + "/>")
    for index in range(model.nsite):
        inside[int(model.site_bodyid[index])].append(
            f'<site name="{name_of("site", index)}" pos="{words(model.site_pos[index])}" '
            f'quat="{words(model.site_quat[index])}"/>')
    for index in range(model.nbody - 1, 0, -1): # children come after their parents in `model`
        mass = float(model.body_mass[index])
        inertia = (f'<inertial mass="{mass:.17g}" pos="{words(model.body_ipos[index])}" '
                   f'quat="{words(model.body_iquat[index])}" diaginertia="{words(model.body_inertia[index])}"/>'
                   if mass > 0 else "")
        text = (f'<body name="{name_of("body", index)}" pos="{words(model.body_pos[index])}" '
                f'quat="{words(model.body_quat[index])}">{inertia}{"".join(inside[index])}</body>')
        # after the parent's joints, and before the bodies that this loop inserted earlier
        joints = sum(not part.startswith("<body") for part in inside[parents[index]])
        inside[parents[index]].insert(joints, text)
    return ('<mujoco><compiler angle="radian" autolimits="false"/><worldbody>' + "".join(inside[0])
            + "</worldbody></mujoco>")


def _load(path: str, text: str | None, trusted: bool | None) -> Robot:
    """Loads a pickled robot from its file again."""
    return Robot(path, text=text, trusted=trusted)


def _chain(robot: Robot, link: str, place: Sequence[float], base: str) -> Chain:
    """Makes a pickled chain again from its robot."""
    return robot.chain(link, place, base=base)
