# SPDX-License-Identifier: MIT
"""Tasks for `poise.Ik`: what a posture should do. Poses may be given in several forms; see `pose_of`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._library import Error, Floats, ffi, lib, number, numbers, three

if TYPE_CHECKING:
    from .ik import Ik

#: a weight for each joint: one number for all, a dict by name (others: 0), or one for each of `joints`
Weights = Union[float, Mapping[str, float], Sequence[float], Floats]
_AXES = {"world": 0, "own": 1, "goal": 2}


def matrix_of(pose: npt.ArrayLike) -> Floats:
    """Returns the 4 x 4 matrix of a pose (x, y, z, qw, qx, qy, qz; m); n x 7 gives n x 4 x 4."""
    rows = numbers(pose, "pose")
    if rows.ndim == 0 or rows.shape[-1] != 7:
        raise Error(f"pose: 7 numbers (x, y, z, qw, qx, qy, qz) are due, not the shape {rows.shape}")
    w, x, y, z = np.moveaxis(rows[..., 3:] / np.linalg.norm(rows[..., 3:], axis=-1, keepdims=True), -1, 0)
    out = np.zeros(rows.shape[:-1] + (4, 4))
    out[..., 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1)
    out[..., 1, :3] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1)
    out[..., 2, :3] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)
    out[..., :3, 3] = rows[..., :3]
    out[..., 3, 3] = 1.0
    return out


def matrix_of_c(pose: Any) -> Floats:
    """Returns the 4 x 4 matrix of a PoisePose."""
    return matrix_of([pose.p.x, pose.p.y, pose.p.z, pose.q.w, pose.q.x, pose.q.y, pose.q.z])


def pose_of(target: Any) -> tuple[Floats, bool, bool]:
    """Converts a target to a pose (x, y, z, qw, qx, qy, qz; m). Returns the pose, True if the target has a
    position, and True if it has a rotation. Forms: 3 numbers (a position), 7 numbers, a 4 x 4 matrix, a
    `scipy.spatial.transform.Rotation`, or a pair of a position and a Rotation."""
    row = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    place, turn = target, None
    if hasattr(target, "as_quat"):
        place, turn = None, target
    elif isinstance(target, (tuple, list)) and len(target) == 2 and hasattr(target[1], "as_quat"):
        place, turn = target
    if turn is not None:
        x, y, z, w = np.asarray(turn.as_quat(), dtype=np.float64).reshape(4)
        row[3:] = w, x, y, z
        if place is None:
            return row, False, True
    try:
        numbers = np.asarray(place, dtype=np.float64)
    except (TypeError, ValueError):
        raise Error(f"target: a pose is due, not {target!r}") from None
    if numbers.shape == (3,):
        row[:3] = numbers
        return row, True, turn is not None
    if turn is None and numbers.shape == (7,):
        return numbers.copy(), True, True
    if turn is None and numbers.shape == (4, 4):
        if not np.allclose(numbers[:3, :3] @ numbers[:3, :3].T, np.eye(3), atol=1e-6):
            raise Error("target: the 4 x 4 matrix has no rotation in its first three rows and columns")
        flat = [float(number) for number in numbers[:3, :3].ravel()]
        q = lib.poise_quat_from_rows(ffi.new("double[9]", flat))
        row[:3] = numbers[:3, 3]
        row[3:] = q.w, q.x, q.y, q.z
        return row, True, True
    raise Error(f"target: 3 numbers, 7 numbers, a 4 x 4 matrix, a Rotation, or a position and a Rotation are "
                f"due, not the shape {numbers.shape}")


class Task:
    """The base of all tasks. A task serves one `Ik`, and may be changed between its calls.

    `weight`: of the squared error. `priority`: 0 (first) to 15; a later one moves the joints only as far
    as earlier ones do not change. `gain`: part of the error that one `step` removes, above 0 to 1.
    `tolerance`:
    m and rad below which the task is met.
    """

    _kind = 0
    #: names of members of C's def as C's messages have them, with the arguments here
    _arguments = {"tolerance and angle_tolerance": "both numbers of tolerance"}

    def __init__(self, *, weight: float = 1.0, priority: int = 0, gain: float = 1.0,
                 tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        self.weight: float = weight
        self.priority: int = priority
        self.gain: float = gain
        self.tolerance: tuple[float, float] = tolerance
        self._ik: Ik | None = None
        self._index = -1

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if not name.startswith("_") and getattr(self, "_ik", None) is not None:
            self._ik._stale = True # type: ignore[union-attr]

    def __repr__(self) -> str:
        return f"<poise.{type(self).__name__} {self._about()}: weight {self.weight:g}, priority {self.priority}>"

    def _about(self) -> str:
        return "of all joints"

    @property
    def error(self) -> tuple[float, float]:
        """Distance to the goal at the present posture, m, and angle, rad, in the rows with a
        weight."""
        readings = self._owner()._readings(self)
        return max(one.error for one in readings), max(one.angle_error for one in readings)

    @property
    def met(self) -> bool:
        """True if both errors are within the tolerances at the present posture."""
        return all(one.met for one in self._owner()._readings(self))

    @property
    def value(self) -> float:
        """The value of the task: a distance (m), a place along the normal (m) or the
        manipulability; of boxes, cones and supports the distance beyond their surface, m, below
        0 inside; 0 of other tasks."""
        return self._owner()._readings(self)[0].value

    def rows(self) -> tuple[Floats, Floats]:
        """Returns the errors, n (m, rad), and J, n x degrees of freedom, at the present posture: J x is
        the part of the errors that a small step x of the joints (rad, m) removes."""
        return self._owner()._rows(self)

    def _owner(self) -> Ik:
        if self._ik is None:
            raise Error(f"{type(self).__name__}: the task serves no Ik yet")
        return self._ik

    def _definition(self, ik: Ik) -> tuple[Any, list[Any]]:
        """Returns C's def, and the objects that must outlive it."""
        definition = ffi.new("PoiseTaskDef*", lib.poise_default_task_def(self._kind))
        try:
            definition.weight, definition.priority = float(self.weight), int(self.priority)
            definition.gain = float(self.gain)
            definition.tolerance, definition.angle_tolerance = (float(one) for one in self.tolerance)
        except (TypeError, ValueError, OverflowError):
            raise Error(f"{type(self).__name__}: weight, priority, gain and a tolerance of two numbers are due, "
                        f"not {self.weight!r}, {self.priority!r}, {self.gain!r}, {self.tolerance!r}") from None
        return definition, []

    def _definitions(self, ik: Ik) -> list[tuple[Any, list[Any]]]:
        """Returns the defs of all of C's tasks that make up this one."""
        return [self._definition(ik)]

    def _make(self, ik: Ik) -> None:
        """Makes the points of the task in the tree."""


def _make_com(ik: Ik, link: str | None) -> Any:
    """Makes the point of a centre of mass: of the robot, or of a link and all that it carries."""
    definition = ffi.new("PoisePointDef*", lib.poise_default_com_def())
    definition.link = ik._root() if link is None else ik.robot._tip(link, (0, 0, 0)).node
    return ik._create_point(definition)


class _OfPoint(Task):
    """A task of a point of the tree that has a goal."""

    _kind = 1

    def __init__(self, link: str | None, target: Any, place: Any, **options: Any) -> None:
        super().__init__(**options)
        self.link: str | None = link
        self.place: tuple[float, float, float] = three(place, "place")
        self._slot = -1
        self._given = target
        self._point: Any = None

    def _about(self) -> str:
        return f"of {self.link}"

    def _goal(self, target: Any) -> Floats:
        return pose_of(target)[0]

    @property
    def target(self) -> Floats:
        """The target as numbers. Set it in any form that the task takes. Writing into the array (a row of
        `Ik.targets`) is faster and unchecked; numbers that are not finite are refused by the next call."""
        return self._owner().targets[self._slot]

    @target.setter
    def target(self, target: Any) -> None:
        row = self._goal(target)
        if not np.isfinite(row).all():
            raise Error(f"target: finite numbers are due, not {target!r}")
        if self._ik is None:
            object.__setattr__(self, "_given", target)
        else:
            self._ik.targets[self._slot] = row

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "target":
            type(self).target.fset(self, value) # type: ignore[attr-defined]
        else:
            super().__setattr__(name, value)

    def _weights(self) -> list[float]:
        return [1.0] * 6

    def _definition(self, ik: Ik) -> tuple[Any, list[Any]]:
        definition, keep = super()._definition(ik)
        definition.point = self._point
        definition.weights = self._weights()
        return definition, keep


class Frame(_OfPoint):
    """A frame of a link meets a pose, a position or a rotation in the world.

    `link`: name of a link, body or control point. `target`: see `pose_of`. `place`: the frame's origin in
    the link's frame, m. `position` and `rotation`: weights of the rows, one number or three along the axes;
    by default 1 for what the target has, else 0. `axes` of these rows: "world", "own" or "goal".
    """

    def __init__(self, link: str, target: Any, *, place: Sequence[float] = (0.0, 0.0, 0.0),
                 position: float | Sequence[float] | None = None,
                 rotation: float | Sequence[float] | None = None, axes: str = "world", weight: float = 1.0,
                 priority: int = 0, gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(link, target, place, weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        _, placed, turned = pose_of(target)
        self.position: tuple[float, float, float] = three(float(placed) if position is None else position, "position")
        self.rotation: tuple[float, float, float] = three(float(turned) if rotation is None else rotation, "rotation")
        if axes not in _AXES:
            raise Error(f"axes: world, own or goal is due, not '{axes}'")
        self.axes: str = axes

    def _weights(self) -> list[float]:
        return [*three(self.position, "position"), *three(self.rotation, "rotation")]

    def _make(self, ik: Ik) -> None:
        kinds = (any(self.position), any(self.rotation))
        if kinds == (False, False):
            raise Error(f"Frame of {self.link}: a weight of position or rotation above 0 is due")
        maker = {(True, True): lib.poise_default_pose_def, (True, False): lib.poise_default_position_def,
                 (False, True): lib.poise_default_orientation_def}[kinds]
        definition = ffi.new("PoisePointDef*", maker())
        definition.row_axes = _AXES[self.axes]
        self._point = ik._make_point(definition, str(self.link), self.place)


class RelativeFrame(Frame):
    """A frame of a link meets a pose in the frame of another link, `frame`: two hands hold one box.

    As `Frame`, with `target` in the frame of link `frame`, which may be one that no joint moves, and `axes` "goal" (those of the target) or "own".
    """

    def __init__(self, link: str, frame: str, target: Any, *, place: Sequence[float] = (0.0, 0.0, 0.0),
                 position: float | Sequence[float] | None = None,
                 rotation: float | Sequence[float] | None = None, axes: str = "goal", weight: float = 1.0,
                 priority: int = 0, gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(link, target, place=place, position=position, rotation=rotation, axes=axes,
                         weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        if axes == "world":
            raise Error("axes: goal or own is due in the frame of a link")
        self.frame: str = frame

    def _about(self) -> str:
        return f"of {self.link} in {self.frame}"

    def _make(self, ik: Ik) -> None:
        kinds = (any(self.position), any(self.rotation))
        maker = {(True, True): lib.poise_default_pose_def, (True, False): lib.poise_default_position_def,
                 (False, True): lib.poise_default_orientation_def}[kinds]
        definition = ffi.new("PoisePointDef*", maker())
        definition.row_axes = _AXES[self.axes]
        # A link that no joint moves has a constant pose in the world.
        fixed = ik.robot._fixed(self.frame)
        if fixed is None:
            tip = ik.robot._tip(self.frame, (0.0, 0.0, 0.0))
            definition.frame = tip.node
        ik._in_frames[self._slot] = matrix_of_c(tip.in_link) if fixed is None else fixed
        self._point = ik._make_point(definition, str(self.link), self.place)


class CoM(_OfPoint):
    """The centre of mass of a link and of all that it carries meets a position in the world (x, y, z, m).

    `link`: default the whole robot. `axes`: weights along x, y and z, (1, 1, 0) leaves the height free.
    """

    def __init__(self, target: Sequence[float] | Floats, *, link: str | None = None,
                 axes: float | Sequence[float] = 1.0, weight: float = 1.0, priority: int = 0, gain: float = 1.0,
                 tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(link, target, 0.0, weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        self.axes: tuple[float, float, float] = three(axes, "axes")
        self._goal(target)

    def _about(self) -> str:
        return f"of {self.link or 'the robot'}"

    def _goal(self, target: Any) -> Floats:
        row, placed, turned = pose_of(target)
        if not placed or turned:
            raise Error("target: a position, 3 numbers, is due for a centre of mass")
        return row

    def _weights(self) -> list[float]:
        return [*three(self.axes, "axes"), 0.0, 0.0, 0.0]

    def _make(self, ik: Ik) -> None:
        self._point = _make_com(ik, self.link)


class Gaze(_OfPoint):
    """An axis of a link aims at a position in the world (x, y, z, m): a camera, a head.

    `axis`: in the link's frame. `place`: the eye, in the link's frame, m.
    """

    def __init__(self, link: str, target: Sequence[float] | Floats, *, axis: Sequence[float] = (0.0, 0.0, 1.0),
                 place: Sequence[float] = (0.0, 0.0, 0.0), weight: float = 1.0, priority: int = 0,
                 gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(link, target, place, weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        self.axis: tuple[float, float, float] = three(axis, "axis")
        self._goal(target)

    def _goal(self, target: Any) -> Floats:
        row, placed, turned = pose_of(target)
        if not placed or turned:
            raise Error("target: a position, 3 numbers, is due for a gaze")
        return row

    def _make(self, ik: Ik) -> None:
        definition = ffi.new("PoisePointDef*", lib.poise_default_look_at_def())
        definition.axis.x, definition.axis.y, definition.axis.z = self.axis
        self._point = ik._make_point(definition, str(self.link), self.place)


class Distance(Task):
    """The distance between places on two links, m, is a value, or at least or at most a value.

    `place`, `other_place`: in the frames of the links, m. A joint must move each of the two links. Bounds are
    constraints while they hold.
    """

    _kind = 2
    _arguments = {**Task._arguments, "lower": "at_least", "upper": "at_most"}

    def __init__(self, link: str, other: str, distance: float | None = None, *, at_least: float = 0.0,
                 at_most: float = np.inf, place: Sequence[float] = (0.0, 0.0, 0.0),
                 other_place: Sequence[float] = (0.0, 0.0, 0.0), weight: float = 1.0, priority: int = 0,
                 gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        self.link: str = link
        self.other: str = other
        #: the distance, m; None: `at_least` and `at_most` count
        self.distance: float | None = distance
        self.at_least: float = at_least
        self.at_most: float = at_most
        self.place: tuple[float, float, float] = three(place, "place")
        self.other_place: tuple[float, float, float] = three(other_place, "other_place")

    def _about(self) -> str:
        return f"of {self.link} and {self.other}"

    def _make(self, ik: Ik) -> None:
        for link in (self.link, self.other):
            if ik.robot._fixed(link) is not None:
                raise Error(f"Distance: no joint moves '{link}': a Box keeps a place near one of the world")
        self._points = [ik._make_point(ffi.new("PoisePointDef*", lib.poise_default_position_def()), link, place)
                        for link, place in ((self.link, self.place), (self.other, self.other_place))]

    def _definition(self, ik: Ik) -> tuple[Any, list[Any]]:
        definition, keep = super()._definition(ik)
        definition.point, definition.other = self._points
        if self.distance is not None and not 0.0 <= number(self.distance, "distance") < np.inf:
            raise Error(f"distance: a number of at least 0 m is due, not {self.distance!r}")
        ends = (self.at_least, self.at_most) if self.distance is None else (self.distance, self.distance)
        definition.lower, definition.upper = (float(end) for end in ends)
        return definition, keep


class _Inside(Task):
    """A place on a link, or the robot's centre of mass, stays inside a region: behind planes, or in a cone."""

    _kind = 3
    _arguments = {**Task._arguments, "upper": "offset"}

    def __init__(self, link: str | None, place: Sequence[float], **options: Any) -> None:
        super().__init__(**options)
        self.link: str | None = link
        self.place: tuple[float, float, float] = three(place, "place")

    def _about(self) -> str:
        return f"of {self.link or 'the robot'}"

    @property
    def value(self) -> float:
        """Distance beyond the surface, m; below 0 inside."""
        readings = self._owner()._readings(self)
        return max(one.value - offset for one, (_, offset) in zip(readings, self._planes()))

    def _planes(self) -> list[tuple[Any, float]]:
        """Returns the outward normals and the offsets (m) of the planes."""
        raise NotImplementedError

    def _make(self, ik: Ik) -> None:
        if self.link is None:
            self._point = _make_com(ik, None)
        else:
            self._point = ik._make_point(ffi.new("PoisePointDef*", lib.poise_default_position_def()), self.link,
                                         self.place)

    def _definitions(self, ik: Ik) -> list[tuple[Any, list[Any]]]:
        made = []
        for normal, offset in self._planes():
            definition, keep = self._definition(ik)
            definition.point = self._point
            definition.normal.x, definition.normal.y, definition.normal.z = three(normal, "normal")
            definition.upper = number(offset, "offset")
            made.append((definition, keep))
        return made


class HalfSpace(_Inside):
    """A place on a link stays behind a plane: normal . position is at most `offset` (m, world).

    `link` None: the robot's centre of mass. A constraint while it holds; where it does not, it comes before
    the other tasks of its priority.
    """

    @property
    def value(self) -> float:
        """The component of the position along the plane's normal, m."""
        return self._owner()._readings(self)[0].value

    def __init__(self, link: str | None, normal: Sequence[float], offset: float, *,
                 place: Sequence[float] = (0.0, 0.0, 0.0), weight: float = 1.0, priority: int = 0,
                 gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(link, place, weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        self.normal: tuple[float, float, float] = three(normal, "normal")
        self.offset: float = offset

    def _planes(self) -> list[tuple[Any, float]]:
        return [(self.normal, self.offset)]


class Box(_Inside):
    """A place on a link stays in a box: "near enough, then rest". A constraint as `HalfSpace`.

    `link` None: the robot's centre of mass. `size`: lengths of the box's edges, m, one number or three.
    `pose`: the box's centre in the world (m), with or without a rotation, see `pose_of`.
    """

    def __init__(self, link: str | None, size: float | Sequence[float], pose: Any, *,
                 place: Sequence[float] = (0.0, 0.0, 0.0), weight: float = 1.0, priority: int = 0,
                 gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(link, place, weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        self.size: float | Sequence[float] = size
        self.pose: Any = pose
        self._planes()

    def _planes(self) -> list[tuple[Any, float]]:
        half = 0.5 * np.array(three(self.size, "size"))
        if not (half > 0.0).all():
            raise Error(f"size: edges longer than 0 m are due, not {self.size!r}")
        row, placed, _ = pose_of(self.pose)
        if not placed or not np.isfinite(row).all() or not row[3:].any():
            raise Error(f"pose: a place in finite numbers and a rotation other than 0 are due, not {self.pose!r}")
        matrix = matrix_of(row)
        return [(side * axis, float(side * axis @ matrix[:3, 3] + reach))
                for axis, reach in zip(matrix[:3, :3].T, half) for side in (1.0, -1.0)]


class Support(_Inside):
    """The robot's centre of mass stays over a polygon, that of the feet. A constraint as `HalfSpace`.

    `corners`: x, y of at least 3 corners in the world, m, n x 2, in order round a convex polygon. Assign
    others of the same number when feet move. `link`: a link whose `place` stays over the polygon, instead of the centre of mass.
    """

    def __init__(self, corners: npt.ArrayLike, *, link: str | None = None,
                 place: Sequence[float] = (0.0, 0.0, 0.0), weight: float = 1.0, priority: int = 0,
                 gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(link, place, weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        self.corners: npt.ArrayLike = corners
        self._planes()

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "corners":
            try:
                value = np.array(value, dtype=np.float64)
            except (TypeError, ValueError):
                raise Error(f"corners: numbers, n x 2, are due, not {value!r}") from None
            value.setflags(write=False)
        super().__setattr__(name, value)

    def _planes(self) -> list[tuple[Any, float]]:
        corners = np.asarray(self.corners)
        if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3 or not np.isfinite(corners).all():
            raise Error(f"corners: at least 3 rows of 2 finite numbers are due, not {corners.tolist()!r}")
        edges = np.roll(corners, -1, axis=0) - corners
        lengths = np.linalg.norm(edges, axis=1)
        middle = corners.mean(axis=0)
        turn = np.sum((corners - middle)[:, 0] * edges[:, 1] - (corners - middle)[:, 1] * edges[:, 0])
        slack = 1e-9 * lengths.max()
        if lengths.min() <= slack or abs(turn) <= slack * lengths.max():
            raise Error(f"corners: a polygon with an area and different corners is due, not {corners.tolist()!r}")
        outward = np.sign(turn) * np.stack([edges[:, 1], -edges[:, 0]], axis=1) / lengths[:, None]
        offsets = np.sum(outward * corners, axis=1)
        if (outward @ corners.T > offsets[:, None] + slack).any():
            raise Error(f"corners: a convex polygon, with its corners in order, is due, not {corners.tolist()!r}")
        return [((x, y, 0.0), float(offset)) for (x, y), offset in zip(outward, offsets)]


class Cone(_Inside):
    """A place on a link stays in a cone, such as a camera's view. A constraint as `HalfSpace`.

    `link` None: the robot's centre of mass. `apex`: the cone's tip, world, m. `axis`: the direction in which
    the cone opens, world. `angle`: from the axis to the surface, above 0 to pi / 2 rad. A `step` along the
    surface may end up to 0.1 mm outside.
    """

    _kind = 7
    _arguments = {**Task._arguments, "normal": "axis"}

    def __init__(self, link: str | None, apex: Sequence[float], axis: Sequence[float], angle: float, *,
                 place: Sequence[float] = (0.0, 0.0, 0.0), weight: float = 1.0, priority: int = 0,
                 gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(link, place, weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        self.apex: tuple[float, float, float] = three(apex, "apex")
        self.axis: tuple[float, float, float] = three(axis, "axis")
        self.angle: float = angle

    def _planes(self) -> list[tuple[Any, float]]:
        return [(self.axis, 0.0)]

    def _definition(self, ik: Ik) -> tuple[Any, list[Any]]:
        definition, keep = super()._definition(ik)
        definition.apex.x, definition.apex.y, definition.apex.z = three(self.apex, "apex")
        definition.angle = number(self.angle, "angle")
        return definition, keep


class Manipulability(Task):
    """sqrt(det(J J^T)) of a place on a link grows: the arm keeps away from singular postures.

    `at_least`: the measure that is enough; None: as large as the other tasks allow. `rotation`: True for
    the whole pose, else the position alone.
    """

    _kind = 4
    _arguments = {**Task._arguments, "lower": "at_least", " and at most upper": ""}

    def __init__(self, link: str, *, at_least: float | None = None, rotation: bool = False,
                 place: Sequence[float] = (0.0, 0.0, 0.0), weight: float = 1e-3, priority: int = 0,
                 gain: float = 1.0, tolerance: tuple[float, float] = (1e-6, 1e-6)) -> None:
        super().__init__(weight=weight, priority=priority, gain=gain, tolerance=tolerance)
        self.link: str = link
        self.at_least: float | None = at_least
        self.rotation: bool = rotation
        self.place: tuple[float, float, float] = three(place, "place")

    def _about(self) -> str:
        return f"of {self.link}"

    def _make(self, ik: Ik) -> None:
        maker = lib.poise_default_pose_def if self.rotation else lib.poise_default_position_def
        self._point = ik._make_point(ffi.new("PoisePointDef*", maker()), self.link, self.place)

    def _definition(self, ik: Ik) -> tuple[Any, list[Any]]:
        definition, keep = super()._definition(ik)
        definition.point = self._point
        definition.lower = np.inf if self.at_least is None else float(self.at_least)
        return definition, keep


class Posture(Task):
    """The joints take a posture as far as other tasks leave them free, or by weight.

    `q`: a posture of the robot's `joints` (rad, m); None: that of `Ik.q` when the task is added. `joints`:
    a weight for each joint, see `Weights`.
    """

    _kind = 5

    def __init__(self, q: npt.ArrayLike | None = None, *, joints: Weights = 1.0, weight: float = 1e-3,
                 priority: int = 0, gain: float = 1.0) -> None:
        super().__init__(weight=weight, priority=priority, gain=gain)
        self.q: npt.ArrayLike | None = q
        self.joints: Weights = joints

    def _definition(self, ik: Ik) -> tuple[Any, list[Any]]:
        definition, keep = super()._definition(ik)
        keep.append(ik._by_node(self.joints, "joints", 0.0))
        definition.node_weights = ffi.cast("double*", ffi.from_buffer(keep[-1]))
        if self.q is None:
            self.q = ik.q
        keep.append(ik._to_tree(ik._posture(self.q, "q")))
        definition.posture = ffi.cast("double*", ffi.from_buffer(keep[-1]))
        return definition, keep


class Damping(Task):
    """The joints move little in a `step`: a mobile base stays at rest while the arm alone can meet the tasks. No effect in `solve`.

    `joints`: a weight for each joint, see `Weights`.
    """

    _kind = 6

    def __init__(self, joints: Weights = 1.0, *, weight: float = 1e-3, priority: int = 0) -> None:
        super().__init__(weight=weight, priority=priority)
        self.joints: Weights = joints

    def _definition(self, ik: Ik) -> tuple[Any, list[Any]]:
        definition, keep = super()._definition(ik)
        keep.append(ik._by_node(self.joints, "joints", 0.0))
        definition.node_weights = ffi.cast("double*", ffi.from_buffer(keep[-1]))
        return definition, keep
