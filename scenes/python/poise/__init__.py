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
"""
from ._library import Error, Finding, version
from .chain import Answers, Chain, Joint
from .robot import Robot, TipAnswers
from .scene import Forecast, Run, Scene, Snapshot

__version__ = version()
__all__ = ["Answers", "Chain", "Error", "Finding", "Forecast", "Joint", "Robot", "Run", "Scene",
           "Snapshot", "TipAnswers", "version"]
