# SPDX-License-Identifier: MIT
"""Issues of other libraries, one by one: Poise must not have them."""
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
        # From the shoulder, 0.333 m above the base, the arm is nearly straight toward a target 2 m away.
        reached = np.array([np.linalg.norm(pose[:3] - [0, 0, 0.333])
                            for pose in self.chain.forward(answers.q)])
        self.assertTrue((reached > 0.8).all(), reached)

    # roboticstoolbox-python 335: reports success for an unreachable target, without a reason
    def test_met_is_met_and_the_rest_says_why(self):
        for factor in (1.0, 1.3, 3.0):
            targets = self.inside.copy()
            targets[:, :3] *= factor
            # every second target has the rotation of another one
            targets[::2, 3:] = self.inside[::-2, 3:]
            answers = self.chain.solve(targets)
            found = self.chain.forward(answers.q)
            away = np.linalg.norm(found[:, :3] - targets[:, :3], axis=1)
            turned = 2 * np.arccos(np.minimum(1, np.abs((found[:, 3:] * targets[:, 3:]).sum(axis=1))))
            np.testing.assert_allclose(answers.error, away, atol=1e-9)
            np.testing.assert_allclose(answers.angle_error, turned, atol=1e-7)
            np.testing.assert_array_equal(answers.met, (away < 1e-9) & (turned < 1e-7))
            # never "budget": at the answer, no joint inside its limits lowers the error
            self.assertLessEqual(set(answers.reason), {"met", "at limits", "unreachable", "out of reach"})
            held = (answers.q < self.chain.lower + 1e-6) | (answers.q > self.chain.upper - 1e-6)
            self.assertTrue(held[answers.reason == "at limits"].any(axis=1).all())

    # like roboticstoolbox-python 335, for several tips, which another solver handles
    def test_several_tips_say_why_too(self):
        robot = poise.Robot(SCENES / "robots/yoga.urdf")
        tips = ["left_hand", "right_hand"]
        tips = [tip for tip in tips if tip in robot.links] or robot.links[-2:]
        answers = robot.solve([[[5.0, 0, 0], [-5.0, 0, 0]]], tips)
        self.assertFalse(answers.met[0])
        self.assertIn(answers.reason[0], ("at limits", "unreachable", "out of reach"))
        self.assertTrue((answers.q >= robot.lower).all() and (answers.q <= robot.upper).all())

    # bullet3 1380: the answer depends on the robot's present posture, and the first call has no answer
    def test_every_start_leads_to_an_answer(self):
        rng = np.random.default_rng(3)
        for start in rng.uniform(self.chain.lower, self.chain.upper, (20, 7)):
            self.assertTrue(self.chain.solve(self.inside[:100], start).met.all())

    # trac_ik, moveit_task_constructor 530: each call gives another answer
    def test_the_same_question_has_the_same_answer(self):
        once = self.chain.solve(self.inside).q
        np.testing.assert_array_equal(once, self.chain.solve(self.inside).q)
        np.testing.assert_array_equal(once, self.chain.solve(self.inside, threads=3).q)
        alone = np.vstack([self.chain.solve(target[None]).q for target in self.inside[:50]])
        np.testing.assert_allclose(alone, once[:50], atol=1e-7)

    # roboticstoolbox-python 431, 475, 485: joints without limits overflow, and reachable poses are not
    # found. mink 103: an answer of ten thousand degrees
    def test_joints_that_turn_without_end_stay_within_half_a_turn(self):
        lengths = (0.28, 0.42, 0.31, 0.17)
        joints = []
        for index in range(7):
            joints.append(poise.Joint(f"j{index}", "continuous" if index % 2 == 0 else "revolute",
                                      origin=(0, 0, lengths[index // 2] * (index % 2 == 0)),
                                      axis=(0, 0, 1) if index % 2 == 0 else (0, 1, 0), lower=-2.2, upper=2.2))
        chain = poise.Chain([*joints, poise.Joint("tool", "fixed", origin=(0, 0, 0.1))])
        rng = np.random.default_rng(5)
        targets = chain.forward(rng.uniform(-2.2, 2.2, (500, 7)))
        start = rng.uniform(-2, 2, 7)
        answers = chain.solve(targets, start)
        self.assertTrue(answers.met.all())
        turned = np.abs(answers.q - start)[:, ::2]
        self.assertLessEqual(turned.max(), np.pi + 1e-9)

    # roboticstoolbox-python 335: a goal with fewer than six numbers gives a singular matrix
    def test_a_place_alone_is_a_goal_for_three_joints(self):
        chain = poise.Chain([poise.Joint("a", axis=(0, 0, 1), lower=-3, upper=3),
                             poise.Joint("b", axis=(0, 1, 0), lower=-2, upper=2),
                             poise.Joint("c", axis=(0, 1, 0), origin=(0, 0, 1), lower=-2.5, upper=2.5),
                             poise.Joint("tip", "fixed", origin=(0, 0, 1))])
        places = chain.forward(np.random.default_rng(2).uniform(chain.lower, chain.upper, (200, 3)))[:, :3]
        self.assertTrue(chain.solve(places).met.all())

    # closed-chain-ik-js 141, robot-overlord 338: a straight arm, or an arm at its limit, does not move
    def test_a_straight_arm_bends_for_a_target_on_its_line(self):
        arm = [poise.Joint(f"j{i}", axis=(0, 0, 1), origin=(1.0 * (i > 0), 0, 0), lower=-2, upper=2)
               for i in range(3)]
        chain = poise.Chain([*arm, poise.Joint("tip", "fixed", origin=(1, 0, 0))])
        for x in (2.9, 2.0, 1.2):
            self.assertTrue(chain.solve([[x, 0, 0]], np.zeros(3)).met.all(), x)

    # pink 163, 206: a start outside of a limit, even by rounding, has no solution
    def test_a_start_outside_of_the_limits_comes_back_inside(self):
        for beyond in (1e-12, 1e-4, 1.0):
            answers = self.chain.solve(self.inside[:100], self.chain.upper + beyond)
            self.assertTrue(answers.met.all(), beyond)
            self.assertTrue((answers.q <= self.chain.upper).all(), beyond)

    # bullet3 4642: joints that are not between the base and the tip move too
    def test_the_other_arm_stays(self):
        robot = poise.Robot(SCENES / "robots/yoga.urdf")
        lengths = sorted(robot.links, key=lambda link: -self.joints_to(robot, link))
        chain = robot.chain(lengths[0])
        self.assertLess(chain.size, len(robot.joints))
        start = np.clip(np.full(len(robot.joints), 0.1), robot.lower, robot.upper)
        own = [robot.joints.index(name) for name in chain.joints]
        target = chain.forward(start[own])[:3] + [0.01, 0.01, 0.01]
        answer = robot.solve(target[None, None], [lengths[0]], start=start)
        others = [index for index in range(len(robot.joints)) if index not in own]
        np.testing.assert_array_equal(answer.q[0, others], start[others])
        self.assertGreater(np.abs(answer.q[0, own] - start[own]).max(), 1e-4)

    @staticmethod
    def joints_to(robot, link):
        try:
            return robot.chain(link).size
        except poise.Error:
            return 0

    def test_from_a_limit_a_solve_gets_away_again(self):
        for corner in (self.chain.lower, self.chain.upper):
            self.assertTrue(self.chain.solve(self.inside, corner).met.all())

    def test_a_joint_of_a_running_robot_keeps_to_its_speed(self):
        # The goal is far from the start, and the joint has a limit of speed.
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


    # mink 162: 134 rad/s instead of at most 5, on a floating base toward an unreachable target
    def test_speeds_hold_on_a_floating_base_too(self):
        scene = poise.Scene("base.yaml", text=(
            "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
            "bodies: {base: {box: [0.4, 0.4, 0.4], mass: 20, at: [0, 0, 0]},\n"
            "         a: {capsule: 0.05, mass: 1, from: [0.2, 0, 0], to: [0.7, 0, 0]},\n"
            "         b: {capsule: 0.05, mass: 1, from: [0.7, 0, 0], to: [1.2, 0, 0]}}\n"
            "joints: {free: {floating: on, between: [world, base]},\n"
            "  j: {hinge: [0.2, 0, 0], axis: [0, 0, 1], between: [base, a], max_speed: 5, ik: {spring: 3e4, damper: 60}},\n"
            "  k: {hinge: [0.7, 0, 0], axis: [0, 1, 0], between: [a, b], max_speed: 5, ik: {spring: 3e4, damper: 60}}}\n"
            "control_points: {p: {body: b, at: [1.2, 0, 0], position: [-30, 20, 10]}}\n"))
        before, fastest = scene.array("angles")[1:, 0], 0.0
        for _ in range(150):
            scene.step()
            now = scene.array("angles")[1:, 0]
            fastest, before = max(fastest, np.abs(now - before).max() / scene.step_length), now
        self.assertLess(fastest, 5 * 1.05)
        self.assertGreater(fastest, 1)


if __name__ == "__main__":
    unittest.main()
