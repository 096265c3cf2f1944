# SPDX-License-Identifier: MIT
"""Robots from their files."""
import json
import os
import subprocess
import unittest
from pathlib import Path

import numpy as np
import poise

ROBOTS = Path(os.environ["POISE_SOURCE_DIR"]) / "scenes/robots"


class OfOneTip(unittest.TestCase):
    def test_three_lines_are_enough(self):
        robot = poise.Robot(ROBOTS / "panda.urdf")
        answer = robot.solve([[0.5, 0.1, 0.4]], "panda_hand")
        self.assertTrue(answer.met.all())
        self.assertEqual(answer.joints, [f"panda_joint{i}" for i in range(1, 8)])
        pose = robot.chain("panda_hand").forward(answer.q)
        np.testing.assert_allclose(pose[0, :3], [0.5, 0.1, 0.4], atol=1e-8)

    def test_a_place_on_a_link_is_in_its_frame(self):
        robot = poise.Robot(ROBOTS / "panda.urdf")
        q = np.array([0.1, -0.3, 0.2, -1.5, 0.4, 1.2, 0.3])
        origin = robot.chain("panda_hand").forward(q)
        moved = robot.chain("panda_hand", (0.1, 0.02, -0.05)).forward(q)
        self.assertAlmostEqual(np.linalg.norm(moved[:3] - origin[:3]),
                               np.linalg.norm([0.1, 0.02, -0.05]), places=12)
        np.testing.assert_allclose(moved[3:], origin[3:], atol=1e-12)

    def test_meshes_are_read_for_physics_only(self):
        link = "<link name='{}'><inertial><mass value='1'/></inertial>{}</link>"
        mesh = "<collision><geometry><mesh filename='missing.stl'/></geometry></collision>"
        text = ("<robot name='r'>" + link.format("a", mesh) + link.format("b", mesh) +
                "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>")
        robot = poise.Robot("r.urdf", text=text)
        self.assertEqual([one for one in robot.findings if "missing.stl" in str(one)], [])
        scene = poise.Scene("r.urdf", text=text)
        self.assertNotEqual([one for one in scene.findings if "missing.stl" in str(one)], [])

    def test_a_wrong_name_says_what_was_meant(self):
        with self.assertRaises(poise.Error) as caught:
            poise.Robot(ROBOTS / "panda.urdf").solve([[0.5, 0.1, 0.4]], "panda_hnd")
        self.assertIn("did you mean", str(caught.exception))
        self.assertIn("panda_hand", str(caught.exception))

    def test_a_bad_file_is_reported_by_line_and_column(self):
        with self.assertRaises(poise.Error) as caught:
            poise.Robot("bad.urdf", text="<robot name='r'>\n  <link nam='a'/>\n</robot>")
        self.assertEqual(caught.exception.line, 2)
        self.assertGreater(caught.exception.column, 0)
        self.assertEqual(caught.exception.file, "bad.urdf")
        self.assertIn("bad.urdf:2:", str(caught.exception))


class OfSeveralTips(unittest.TestCase):
    def test_both_fingers_reach_what_a_posture_of_the_hand_gives_them(self):
        robot = poise.Robot(ROBOTS / "yoga.urdf")
        tips = self.ends(robot)
        rng = np.random.default_rng(4)
        posture = np.clip(rng.uniform(-0.3, 0.3, len(robot.joints)), robot.lower, robot.upper)
        # the tips' positions at that posture, so that all targets can be met together
        targets = np.array([[robot.chain(tip).forward(self.part(robot, tip, posture))[:3]
                             for tip in tips]])
        answers = robot.solve(targets, tips, start=np.zeros(len(robot.joints)), starts=20)
        self.assertTrue(answers.met.all(), f"{answers.reason}, {answers.error}")
        for index, tip in enumerate(tips):
            found = robot.chain(tip).forward(self.part(robot, tip, answers.q[0]))
            self.assertLess(np.linalg.norm(found[:3] - targets[0, index]), 1e-5)
        self.assertEqual(answers.error.shape, (1, len(tips)))

    def test_following_begins_at_the_answer_before(self):
        robot = poise.Robot(ROBOTS / "yoga.urdf")
        tips = self.ends(robot)
        home = np.clip(np.zeros(len(robot.joints)), robot.lower, robot.upper)
        now = np.array([robot.chain(tip).forward(self.part(robot, tip, home))[:3] for tip in tips])
        path = now[None] + np.linspace(0, 1, 30)[:, None, None] * 0.05 * (now.mean(axis=0) - now)
        answers = robot.solve(path, tips, start=home, follow=True)
        self.assertLess(np.abs(np.diff(answers.q, axis=0)).max(), 0.1)
        self.assertLess(answers.error.max(), 1e-3)

    def test_several_tips_stop_where_a_joint_would_leap(self):
        robot = poise.Robot(ROBOTS / "yoga.urdf")
        tips = self.ends(robot)
        home = robot.home()
        now = np.array([robot.chain(tip).forward(self.part(robot, tip, home))[:3] for tip in tips])
        # more rows than one call to C takes
        targets = np.tile(now, (600, 1, 1))
        targets[20:30, 0] = now[1] + 0.1
        answers = robot.solve(targets, tips, follow=True)
        self.assertTrue(answers.met[:20].all())
        self.assertEqual(set(answers.reason[20:]), {"leap"})
        self.assertFalse(answers.met[20:].any())
        self.assertTrue((answers.q[20:] == answers.q[19]).all())
        self.assertAlmostEqual(answers.error[25, 0], np.linalg.norm(targets[25, 0] - now[0]), places=4)
        free = robot.solve(targets, tips, follow=True, leap=True)
        self.assertGreater(np.abs(np.diff(free.q, axis=0)).max(), 0.5)
        self.assertTrue(free.met[30:].any())

    def test_a_base_that_floats_stands_unless_it_is_free(self):
        robot = poise.Robot(ROBOTS.parent / "quadruped_sway.yaml")
        tips = self.ends(robot)
        home = robot.home()
        base = [robot.joints.index(f"base{part}") for part in ("", *(f".{k}" for k in range(2, 8)))]
        far = np.array([[5.0, 5.0, 5.0]])
        stands, goes = (robot.solve(far, tips[0], base=base) for base in ("fixed", "free"))
        self.assertFalse(stands.met[0])
        self.assertFalse([name for name in stands.joints if name.startswith("base")])
        self.assertTrue(goes.met[0])
        self.assertEqual(goes.joints[:7], [robot.joints[k] for k in base])
        self.assertGreater(np.linalg.norm(goes.q[0, :3] - home[base[:3]]), 1)
        np.testing.assert_allclose(
            robot.chain(tips[0], base="free").forward(goes.q)[0, :3], far[0], atol=1e-8)
        now = np.array([robot.chain(tip).forward(self.part(robot, tip, home))[:3] for tip in tips])
        both = [robot.solve(now[None] + 5, tips, base=base) for base in ("fixed", "free", "fixed")]
        self.assertEqual([one.met[0] for one in both], [False, True, False])
        np.testing.assert_array_equal(both[0].q[0, base], home[base])
        self.assertGreater(np.linalg.norm(both[1].q[0, base[:3]] - home[base[:3]]), 1)
        np.testing.assert_array_equal(both[2].q, both[0].q)
        with self.assertRaisesRegex(poise.Error, "not 'loose'"):
            robot.solve(far, tips[0], base="loose")

    def test_balls_and_floating_bases_start_as_their_file_lets_them(self):
        for name in ("reach.yaml", "quadruped_sway.yaml"):
            robot = poise.Robot(ROBOTS.parent / name)
            home = robot.home()
            tips = self.ends(robot)
            now = [robot.chain(tip).forward(self.part(robot, tip, home))[:3] for tip in tips]
            answers = robot.solve([now], tips)
            self.assertTrue(answers.met.all(), name)
            # nothing has to move
            np.testing.assert_allclose(answers.q[0], home, atol=1e-6, err_msg=name)

    def test_one_tip_of_a_robot_with_a_loop_keeps_the_loop_closed(self):
        # A parallelogram: crank and rocker turn by the same angle, the rod between them back by it.
        rod = "<geom type='capsule' size='0.02' fromto='0 0 0 {}'/>"
        text = f"""<mujoco><worldbody>
            <body name='crank'><joint name='a' axis='0 1 0'/>{rod.format('0 0 0.3')}
              <body name='rod' pos='0 0 0.3'><joint name='b' axis='0 1 0'/>{rod.format('0.4 0 0')}</body></body>
            <body name='rocker' pos='0.4 0 0'><joint name='c' axis='0 1 0'/>{rod.format('0 0 0.3')}</body>
            </worldbody><equality><connect body1='rod' body2='rocker' anchor='0.4 0 0'/></equality></mujoco>"""
        robot = poise.Robot("bar.xml", text=text)
        target = [0.4 + 0.3 * np.sin(0.4), 0, 0.3 * np.cos(0.4)]
        found = robot.solve([target], "rocker", (0, 0, 0.3))
        self.assertEqual(found.reason[0], "met")
        posture = dict(zip(found.joints, found.q[0]))
        for joint, angle in {"a": 0.4, "b": -0.4, "c": 0.4}.items():
            self.assertAlmostEqual(posture[joint], angle, delta=1e-5)

    def test_a_start_that_is_none_is_named(self):
        robot = poise.Robot(ROBOTS.parent / "reach.yaml")
        tips, start = self.ends(robot), np.tile(robot.home(), (3, 1))
        targets = np.zeros((3, 2, 3))
        turn = next(i for i, name in enumerate(robot.joints) if name.endswith(".4")) - 3
        start[1, turn:turn + 4] = 0
        for wrong, words in [({"start": start}, "row 1: a rotation .* of the start is 0"),
                             ({"start": start * np.nan}, "row 0: the start is not finite"),
                             ({"starts": 0}, "starts: a whole number of at least 1"),
                             ({"tolerance": (0, 1)}, "tolerance")]:
            with self.assertRaisesRegex(poise.Error, words):
                robot.solve(targets, tips, **wrong)
        targets[2, 1, 0] = np.inf
        with self.assertRaisesRegex(poise.Error, "row 2: a target is not finite"):
            robot.solve(targets, tips)
        with self.assertRaisesRegex(poise.Error, "at least one link is due"):
            robot.solve([[0.5, 0, 0.5]], {})

    def test_answers_that_keep_apart_name_the_pair_that_holds(self):
        robot = poise.Robot(ROBOTS / "panda.urdf")
        targets = [[0.1, 0.0, 0.2, 0, 1, 0, 0], [0.5, 0.1, 0.4, 0, 1, 0, 0], [0.0, 0.0, 0.35, 0, 1, 0, 0]]
        free = robot.solve(targets, "panda_hand", apart=0.02)
        plain = robot.solve(np.array(targets)[:, None], ["panda_hand"])
        self.assertEqual(free.met.tolist(), [False, True, False])
        self.assertEqual(free.reason[0], "held")
        self.assertEqual(free.held_by[1], "")
        for row in (0, 2):
            self.assertRegex(free.held_by[row], "^panda_link[0-9] - panda_(link[0-9]|hand)$")
            self.assertGreaterEqual(free.held_gap[row], 0.02 - 1e-6)
        self.assertEqual(plain.held_by.tolist(), ["", "", ""])
        np.testing.assert_array_equal(robot.solve(np.array(targets)[:, None], ["panda_hand"]).q, plain.q)
        with self.assertRaisesRegex(poise.Error, "apart: True, False or a distance"):
            robot.solve(targets, "panda_hand", apart=np.nan)
        with self.assertRaisesRegex(poise.Error, "apart: "):
            robot.solve(targets, "panda_hand", apart=1e300)

    def test_a_distance_without_room_is_told_and_never_left_out(self):
        robot = poise.Robot(ROBOTS / "panda.urdf")
        target = [[0.5, 0.1, 0.4, 0, 1, 0, 0]]
        with self.assertWarnsRegex(UserWarning, "no posture found parts [0-9]+ pairs? of shapes by 300 mm, so they "
                                                "keep 10 mm: .*panda_link5 - panda_link7"):
            robot.solve(target, "panda_hand", apart=0.3)
        for distance in (4.0, 3.0): # each message is of its own call
            with self.assertRaisesRegex(poise.Error, f"no pair has room for a distance of {distance:g} m: the largest "
                                                     "gap found is [0-9.]+ m, of panda_[a-z0-9]+ and panda_"):
                robot.solve(target, "panda_hand", apart=distance)
        touching = [[0.1, 0.0, 0.2, 0, 1, 0, 0]]
        self.assertTrue(robot.solve(touching, "panda_hand", apart=0.01).held_by[0])
        with self.assertRaises(poise.Error):
            robot.solve(touching, "panda_hand", apart=4.0)
        self.assertTrue(robot.solve(touching, "panda_hand", apart=0.01).held_by[0])

    def test_an_obstacle_that_swallows_the_base_is_refused(self):
        text = """poise: 1
bodies:
  base: {box: [0.1, 0.1, 0.1], at: [0, 0, 1], fixed: true}
  link: {capsule: 0.02, from: [0.12, 0, 1], to: [0.2, 0, 1], mass: 1}
  crate: {box: [0.12, 0.12, %s], at: [0, 0, 1], fixed: true}
joints:
  shoulder: {hinge: [0, 0, 1], between: [base, link], axis: [0, 0, 1], ik: {spring: 500, damper: 50}}
"""
        poise.Robot("low.yaml", text=text % 0.08).solve([[[0, 0.2, 1]]], ["link"], apart=True)
        with self.assertRaisesRegex(poise.Error, "crate and base cannot be kept apart: crate contains all"):
            poise.Robot("high.yaml", text=text % 0.12).solve([[[0, 0.2, 1]]], ["link"], apart=True)

    def test_the_command_keeps_apart_too(self):
        line = [os.environ["POISE"], "solve", str(ROBOTS / "panda.urdf"), "--keep-apart", "--point", "panda_hand",
                "--target", "0.1,0,0.2,0,1,0,0"]
        told = subprocess.run(line, capture_output=True, text=True)
        self.assertEqual(told.returncode, 1)
        self.assertRegex(told.stdout, "held by panda_link[0-9] - panda_link[0-9], 10 mm")
        found = json.loads(subprocess.run([*line, "--json"], capture_output=True, text=True).stdout)
        self.assertEqual(found["reason"], "held")
        self.assertEqual(len(found["held_by"]["pair"]), 2)
        self.assertGreaterEqual(found["held_by"]["gap"], 0.01 - 1e-6)

    @staticmethod
    def part(robot, tip, posture):
        names = robot.chain(tip).joints
        return posture[[robot.joints.index(name) for name in names]]

    @staticmethod
    def ends(robot):
        """Returns the link with the longest chain, and the longest whose last joint is another."""
        chains = {}
        for link in robot.links:
            try:
                chains[link] = tuple(robot.chain(link).joints)
            except poise.Error:
                pass
        longest = sorted(chains, key=lambda link: -len(chains[link]))
        first = longest[0]
        second = next(link for link in longest if chains[link][-1] != chains[first][-1])
        return [first, second]


if __name__ == "__main__":
    unittest.main()
