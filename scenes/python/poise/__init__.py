# SPDX-License-Identifier: MIT
"""Poise: inverse kinematics for physics simulations.

Units are SI: metres, radians, seconds, kilograms, newtons. Rotations are quaternions (w, x, y, z);
a pose is seven numbers (x, y, z, qw, qx, qy, qz). Poses are in the world frame unless stated otherwise.

    import poise
    robot = poise.Robot("panda.urdf")
    answer = robot.solve([[0.5, 0.1, 0.4]], "panda_hand")
    print(answer.q, answer.met, answer.reason)

    scene = poise.Scene("panda_square.yaml")
    run = scene.run(seconds=5, record=["pen.error"])
    print(run.status, run.points["pen"]["rms_error"], run.table["pen.error"].max())

    study = poise.Study("springhead_2balls", {"defaults.joint.ik.spring": [1e3, 1e4, 1e5]},
                        ["tip.settled_error"])
    print(study.run()["tip.settled_error"])
"""
from ._library import Error, Finding, version
from .answers import Answers, TipAnswers
from .chain import Chain, Joint
from .design import Design, Natural, Sensitivity
from .ik import Answer, Ik, Path
from .fitting import Fit, fit, read_record
from .robot import Robot
from .scene import Forecast, Reading, Run, Scene, Snapshot
from .study import StudyTable
from .sweep import Study
from .tasks import (Box, CoM, Cone, Damping, Distance, Frame, Gaze, HalfSpace, Manipulability, Posture, RelativeFrame,
                    Support, Task, Weights, matrix_of, pose_of)

__version__ = version()
__all__ = ["Answer", "Answers", "Box", "Chain", "CoM", "Cone", "Damping", "Design", "Distance", "Error", "Finding",
           "Fit", "Forecast", "Frame", "Gaze", "HalfSpace", "Ik", "Joint", "Manipulability", "Natural", "Path",
           "Posture", "Reading", "RelativeFrame", "Robot", "Run", "Scene", "Sensitivity", "Snapshot", "Study",
           "StudyTable", "Support", "Task", "TipAnswers", "Weights", "fit", "matrix_of", "pose_of", "read_record",
           "version"]
