# SPDX-License-Identifier: MIT
"""Designs springs for wished compliances; computes derivatives of a scene's equilibrium."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._library import Error, Floats, check, ffi, lib, missing, number, text_of

_ENDS = ("met", "nearest", "no rest")
_OF_JOINT = {"ik.spring": 0, "original.spring": 1, "natural": 2}
_OF_POINT = {"goal": 3, "load": 4}
_DEGRADED = 2
_NAN = float("nan")
_NO_WISH = "; None: no wish"


@dataclass(frozen=True)
class Design:
    """IK springs that give points the wished compliances."""

    #: met (each wish within 1 %), nearest (no springs of these joints do), or no rest
    end: str
    #: the worst wish in one sentence; "" if all are met
    why: str
    #: by joint: stiffness and damping of its IK spring (N m/rad, N m s/rad; sliders N/m, N s/m)
    springs: dict[str, tuple[float, float]]
    #: the largest relative error of a wished compliance
    error: float
    #: settling time of the slowest mode, s; 0 if neither a damping ratio nor a settling time was wished
    settling_time: float

    @property
    def settings(self) -> dict[str, float]:
        """The springs as keys of a scene: `scene[key] = value`, or `settings` of a new one."""
        found = {}
        for joint, (spring, damper) in self.springs.items():
            found[f"joints.{joint}.ik.spring"] = spring
            found[f"joints.{joint}.ik.damper"] = damper
        return found


@dataclass(frozen=True)
class Natural:
    """Natural angles with which a point rests at its goal under a load."""

    #: met (within 1e-6 m and rad), nearest, or no rest
    end: str
    why: str
    #: by joint with one axis: natural angle, rad, or place of a slider, m
    angles: dict[str, float]
    #: distance to the goal under the load, m, with these angles and with the present ones
    miss: float
    miss_before: float


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of a point's equilibrium with respect to `variables`, per unit of each (SI units)."""

    variables: list[tuple[str, str | int]]
    #: place (m) and rotation (rad) of the point, world axes: 6 x variables
    pose: Floats
    #: distance and angle to the goal: one number a variable; NaN where they are 0
    miss: Floats
    angle_miss: Floats
    #: compliance, m/N and rad/(N m): variables x 3 x 3
    compliance: Floats
    turn_compliance: Floats
    #: why there are no derivatives (all NaN); "" if there are
    why: str

    def vjp(self, *, pose: npt.ArrayLike | None = None,
            compliance: npt.ArrayLike | None = None) -> Floats:
        """Returns the gradient of a loss with respect to the variables, from its gradients with respect
        to the pose (6 numbers) and the compliance (3 x 3)."""
        gradient = np.zeros(len(self.variables))
        if pose is not None:
            gradient += np.asarray(pose, float) @ self.pose
        if compliance is not None:
            gradient += np.tensordot(self.compliance, np.asarray(compliance, float), 2)
        return gradient


def _call(function: Any, rig: Any, *arguments: Any) -> int:
    """Calls a function of a rig, which keeps its first error, and returns the status. Raises Error with the
    message of this call."""
    lib.poise_rig_clear_status(rig)
    status = function(rig, *arguments)
    return check(status, text_of(lib.poise_rig_message(rig)))


def _three(values: Any, name: str, none: str = "") -> list[float]:
    """Returns three floats. If `none` says what None means, None is allowed and becomes NaN."""
    try:
        listed = list(values)
    except TypeError:
        listed = []
    if len(listed) != 3:
        raise Error(f"{name}: 3 numbers (x, y, z{none}) are due, not {values!r}")
    return [_NAN if none and value is None else number(value, name) for value in listed]


def _wish(scene: Any, point: str, view: Any, place: Sequence[float] | None) -> dict[str, Any]:
    """Returns a wish for a point at its present goal, or with its goal at a place."""
    goal = lib.poise_point_goal(lib.poise_simulation_tree(scene._simulation), view.point)
    if place is not None:
        goal.p = dict(zip("xyz", _three(place, f"at {point}")))
    return {"point": view.point, "elsewhere": place is not None, "goal": goal}


def design(scene: Any, along: Mapping[str, Sequence[float | None]],
           about: Mapping[str, Sequence[float | None]], own_axes: bool,
           at: Mapping[str, Sequence[Sequence[float]]], numbers: Mapping[str, float]) -> Design:
    points = list(dict.fromkeys([*along, *about]))
    if not points:
        raise Error("along, about: a wish is due, {point: (x, y, z)}")
    for point in at:
        if point not in points:
            raise Error(f"at: {point} has no wish")
    listed = []
    for point in points:
        view = lib.poise_simulation_point(scene._simulation, scene._index(point))
        for place in at.get(point, [None]):
            listed.append({**_wish(scene, point, view, place),
                           "axes": view.pose_world.q if own_axes else [1, 0, 0, 0],
                           "along": _three(along.get(point, (None,) * 3), f"along {point}", _NO_WISH),
                           "about": _three(about.get(point, (None,) * 3), f"about {point}", _NO_WISH)})
    wishes = ffi.new("PoiseComplianceWish[]", listed)
    definition = ffi.new("PoiseDesignDef*", {
        "wishes": wishes, "wish_count": len(listed),
        **{name: number(value, name) for name, value in numbers.items()},
        "step": lib.poise_simulation_step_length(scene._simulation)})
    joints = lib.poise_simulation_joint_count(scene._simulation)
    springs = ffi.new("PoiseDesignedSpring[]", joints + 1)
    found = ffi.new("PoiseDesign*")
    rig = lib.poise_simulation_rig(scene._simulation)
    try:
        _call(lib.poise_rig_design, rig, definition, springs, joints, found)
    except Error as error: # C's message has the index of a wish, not the point's name
        wished = [point for point in points for _ in at.get(point, [None])]
        text = re.sub(r"wish (\d+)", lambda match: f"wish of {wished[int(match[1])]}", str(error))
        raise Error(text, error.status) from None
    names = _names(scene)
    return Design(_ENDS[found.end], text_of(found.why),
                  {names[springs[i].node.index1]: (springs[i].ik.stiffness, springs[i].ik.damping)
                   for i in range(found.spring_count)}, found.error, found.settling_time)


def _names(scene: Any) -> dict[int, str]:
    """Returns the joints' names by the index of their node."""
    return {lib.poise_simulation_joint_node(scene._simulation, i).index1: scene.joints[i]
            for i in range(lib.poise_simulation_joint_count(scene._simulation))}


def natural(scene: Any, point: str, force: Sequence[float], torque: Sequence[float]) -> Natural:
    view = lib.poise_simulation_point(scene._simulation, scene._index(point))
    definition = ffi.new("PoiseNaturalDef*", {
        "point": view.point, "rest": view.goal_world, "place": view.has_position,
        "rotation": view.has_orientation, "force": _three(force, "force"),
        "torque": _three(torque, "torque"),
        "step": lib.poise_simulation_step_length(scene._simulation)})
    joints = lib.poise_simulation_joint_count(scene._simulation)
    postures = ffi.new("PoiseNaturalPosture[]", joints + 1)
    found = ffi.new("PoiseNaturalDesign*")
    rig = lib.poise_simulation_rig(scene._simulation)
    _call(lib.poise_rig_design_natural, rig, definition, postures, joints, found)
    names = _names(scene)
    return Natural(_ENDS[found.end], text_of(found.why),
                   {names[postures[i].node.index1]: postures[i].posture[0]
                    for i in range(found.count) if postures[i].count == 1},
                   found.miss, found.miss_before)


def _variable(scene: Any, variable: tuple[str, str | int], point: Any) -> dict[str, Any]:
    try:
        kind, of = variable
        axis = int(of) if kind in _OF_POINT else 0
    except (TypeError, ValueError, OverflowError):
        raise Error(f"variables: (kind, joint or axis) is due, not {variable!r}") from None
    if kind in _OF_POINT:
        return {"kind": _OF_POINT[kind], "point": point, "axis": axis}
    if kind not in _OF_JOINT:
        raise missing("variable", kind, [*_OF_JOINT, *_OF_POINT])
    if of not in scene.joints:
        raise missing("joint", str(of), scene.joints)
    node = lib.poise_simulation_joint_node(scene._simulation, scene.joints.index(of))
    return {"kind": _OF_JOINT[kind], "node": node, "axis": 0}


def sensitivity(scene: Any, point: str, variables: Sequence[tuple[str, str | int]]) -> Sensitivity:
    view = lib.poise_simulation_point(scene._simulation, scene._index(point))
    points = ffi.new("PoisePointId*", view.point)
    listed = ffi.new("PoiseVariable[]", [_variable(scene, one, view.point) for one in variables] or 1)
    definition = ffi.new("PoiseSensitivityDef*", {
        "points": points, "point_count": 1, "variables": listed, "variable_count": len(variables),
        "step": lib.poise_simulation_step_length(scene._simulation)})
    forecast = ffi.new("PoiseForecast*")
    out = ffi.new("PoiseSensitivity[]", len(variables) or 1)
    rig = lib.poise_simulation_rig(scene._simulation)
    status = _call(lib.poise_rig_sensitivity, rig, definition, forecast, out)
    rows = np.array([[*one.pose, one.miss, one.angle_miss, *one.compliance, *one.turn_compliance]
                     for one in out])
    return Sensitivity(list(variables), rows[:, :6].T.copy(), rows[:, 6], rows[:, 7],
                       rows[:, 8:17].reshape(-1, 3, 3), rows[:, 17:].reshape(-1, 3, 3),
                       text_of(forecast.why) if status == _DEGRADED else "")
