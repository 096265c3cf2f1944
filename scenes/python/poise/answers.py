# SPDX-License-Identifier: MIT
"""Results of solves: postures, and their distances to the targets."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import Floats, reason_words


@dataclass
class Solved:
    """The base of the results of all solves, one row for each target or set of targets. The arrays are views
    of C's output."""

    #: postures, n x numbers: rad, m; a ball joint's w, x, y, z
    q: Floats
    #: names of the numbers in `q`
    joints: list[str]
    #: C's reports, a structured array of length n, which the properties below read
    reports: npt.NDArray[np.void] = field(repr=False)

    @property
    def met(self) -> npt.NDArray[np.bool_]:
        """True for each row in which every target is met; shape (n)."""
        return self.reports["status"] == 0

    @property
    def reason(self) -> npt.NDArray[np.object_]:
        """Reason why each solve ended, n words: met, at limits, unreachable, out of reach (proven), singular,
        budget, leap or held."""
        return reason_words(self.reports["reason"])

    def __len__(self) -> int:
        return len(self.q)

    def table(self) -> dict[str, npt.NDArray[Any]]:
        """Returns the columns by name, each of length n, for `pandas.DataFrame(answers.table())`."""
        columns: dict[str, npt.NDArray[Any]] = {
            name: self.q[:, index] for index, name in enumerate(self.joints)}
        for name in ("error", "angle_error"): # of a tip, or the largest of several
            columns[name] = getattr(self, name).reshape(len(self), -1).max(axis=1)
        return columns | {"met": self.met, "reason": self.reason}


@dataclass
class Answers(Solved):
    """The result of a solve of a chain, one row for each target."""

    @property
    def error(self) -> Floats:
        """Distance of each tip from its target, m; shape (n)."""
        return self.reports["error"]

    @property
    def angle_error(self) -> Floats:
        """Angle of each tip to its target, rad, 0 if the targets have no rotations; shape (n)."""
        return self.reports["angle_error"]

    @property
    def beyond(self) -> Floats:
        """Proven distance of each target from what the tip reaches, m, 0: not proven; shape (n)."""
        return self.reports["beyond"]

    @property
    def limited(self) -> npt.NDArray[np.int32]:
        """Number of degrees of freedom at their limits; shape (n)."""
        return self.reports["limited_dofs"]

    @property
    def iterations(self) -> npt.NDArray[np.int32]:
        """Number of steps of each solve, over all its starts; shape (n)."""
        return self.reports["iterations"]


@dataclass
class TipAnswers(Solved):
    """The result of a solve for several tips, one row for each set of targets: postures of all the robot's
    joints."""

    #: distance and angle of each tip to its target, n x tips: m, and rad (0 if rotations do not count)
    error: Floats
    angle_error: Floats
    #: names of the parts that are kept apart, in the order of their indices
    parts: list[str] = field(default_factory=list, repr=False)

    @property
    def held_by(self) -> npt.NDArray[np.object_]:
        """The pair of links or bodies that holds each row back, as "hand - table", or ""; shape (n)."""
        words = [f"{self.parts[a]} - {self.parts[b]}" if a >= 0 else ""
                 for a, b in zip(self.reports["held_a"].tolist(), self.reports["held_b"].tolist())]
        return np.array(words, dtype=object)

    @property
    def held_gap(self) -> Floats:
        """Gap of the pair in `held_by`, m, below 0 if no posture parts the pair; 0 without one; shape (n)."""
        return self.reports["held_gap"]

    @property
    def limited(self) -> npt.NDArray[np.int32]:
        """Number of joints at their limits; shape (n)."""
        return self.reports["limited_nodes"]
