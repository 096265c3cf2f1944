# SPDX-License-Identifier: MIT
"""What users of other libraries complain of: limits exceeded, no reason given, joints too fast,
stuck at a limit."""
import os
import unittest
from pathlib import Path

import numpy as np
import poise

SCENES = Path(os.environ["POISE_SOURCE_DIR"]) / "scenes"


class Complaints(unittest.TestCase):
    def setUp(self):
        self.chain = poise.Robot(SCENES / "robots/panda.urdf").chain("panda_hand", (0, 0, 0.1))
        rng = np.random.default_rng(7)
        self.inside = self.chain.forward(rng.uniform(self.chain.lower, self.chain.upper, (500, 7)))

    def test_no_answer_leaves_the_limits_met_or_not(self):
        beyond = self.inside.copy()
        beyond[:, :3] *= np.linspace(1, 3, len(beyond))[:, None]
        answers = self.chain.solve(beyond)
        self.assertTrue((answers.q >= self.chain.lower).all())
        self.assertTrue((answers.q <= self.chain.upper).all())
        self.assertFalse(answers.met.all())

    def test_every_target_that_is_not_met_has_a_reason_and_the_nearest_posture(self):
        far = np.array([[2.0, 0.0, 0.4], [0.0, -1.9, 0.5], [0.4, 0.3, 3.0]])
        answers = self.chain.solve(far)
        self.assertFalse(answers.met.any())
        for reason in answers.reason:
            self.assertIn(reason, ("at limits", "unreachable", "singular", "budget"))
        # from the shoulder, 0.333 m up, the arm is nearly straight toward a target 2 m away
        reached = np.array([np.linalg.norm(pose[:3] - [0, 0, 0.333])
                            for pose in self.chain.forward(answers.q)])
        self.assertTrue((reached > 0.8).all(), reached)

    def test_from_a_limit_a_solve_gets_away_again(self):
        for corner in (self.chain.lower, self.chain.upper):
            self.assertTrue(self.chain.solve(self.inside, corner).met.all())

    def test_a_joint_of_a_running_robot_keeps_to_its_speed(self):
        # the goal jumps half a metre; the file says how fast the joints may turn
        scene = poise.Scene("jump.yaml", text=(
            "poise: 1\nseconds: 2\nworld: {gravity: [0, 0, 0]}\n"
            "bodies: {a: {capsule: 0.05, mass: 1, from: [0, 0, 0], to: [1, 0, 0]}}\n"
            "joints: {j: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a], max_speed: 5,\n"
            "             ik: {spring: 3000, damper: 60}}}\n"
            "control_points: {p: {body: a, at: [0, 0, 0.5], position: [-0.9, 0.43589, 0]}}\n"))
        fastest, before = 0.0, scene.array("angles")[0, 0]
        for _ in range(round(2 / scene.step_length)):
            scene.step()
            now = scene.array("angles")[0, 0]
            fastest, before = max(fastest, abs(now - before) / scene.step_length), now
        self.assertLess(fastest, 5 * 1.05)
        self.assertGreater(fastest, 4)
        self.assertLess(scene["p.error"], 1e-3)


if __name__ == "__main__":
    unittest.main()
