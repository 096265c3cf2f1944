# SPDX-License-Identifier: MIT
"""Tasks without physics: answers against forward kinematics of our own, gradients against differences, the
examples, and what is refused."""
import contextlib
import importlib.util
import io
import math
import os
import pickle
import runpy
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import poise

SOURCE = Path(os.environ["POISE_SOURCE_DIR"])
PANDA = SOURCE / "scenes/robots/panda.urdf"
EXAMPLES = sorted((SOURCE / "scenes/python/examples").glob("*.py"))


HUMANOID = Path(os.environ.get("POISE_TEST_DATA") or "/nonexistent") / "robots/simple_humanoid.urdf"
humanoids = unittest.skipUnless(HUMANOID.is_file(), "POISE_TEST_DATA has no robots/simple_humanoid.urdf")
# with CI set, a test that lacks a package fails
rotations = unittest.skipUnless(importlib.util.find_spec("scipy") or os.environ.get("CI"), "apt install python3-scipy")


def turn(axis, angle):
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def numbers(text, default):
    return np.array([float(one) for one in text.split()] if text else default)


def forward(path, link, names, q):
    """Returns the 4 x 4 pose of a URDF's link, from the file alone."""
    joints = {joint.find("child").get("link"): joint for joint in ElementTree.parse(path).getroot().iter("joint")
              if joint.find("child") is not None}
    pose = np.eye(4)
    while link in joints:
        joint = joints[link]
        origin = joint.find("origin")
        step = np.eye(4)
        if origin is not None:
            roll, pitch, yaw = numbers(origin.get("rpy"), [0, 0, 0])
            step[:3, :3] = turn([0, 0, 1], yaw) @ turn([0, 1, 0], pitch) @ turn([1, 0, 0], roll)
            step[:3, 3] = numbers(origin.get("xyz"), [0, 0, 0])
        motion = np.eye(4)
        axis = numbers(joint.find("axis").get("xyz"), [1, 0, 0]) if joint.find("axis") is not None else None
        if joint.get("type") in ("revolute", "continuous"):
            motion[:3, :3] = turn(axis, q[names.index(joint.get("name"))])
        elif joint.get("type") == "prismatic":
            motion[:3, 3] = axis * q[names.index(joint.get("name"))]
        pose = step @ motion @ pose
        link = joint.find("parent").get("link")
    return pose


class Answers(unittest.TestCase):
    def test_poses_are_met_by_the_files_own_kinematics_from_anywhere(self):
        rng = np.random.default_rng(39)
        ik = poise.Ik(PANDA)
        hand = ik.add(poise.Frame("panda_hand", np.eye(4)))
        for _ in range(60):
            q = rng.uniform(ik.robot.lower, ik.robot.upper)
            target = forward(PANDA, "panda_hand", ik.joints, q)
            hand.target = target
            answer = ik.solve(rng.uniform(ik.robot.lower, ik.robot.upper))
            self.assertTrue(answer.met, answer)
            self.assertTrue((answer.q >= ik.robot.lower).all() and (answer.q <= ik.robot.upper).all())
            np.testing.assert_allclose(forward(PANDA, "panda_hand", ik.joints, answer.q), target, atol=3e-6)

    def test_tasks_that_no_compiled_body_serves_are_met_too(self):
        rng = np.random.default_rng(40)
        ik = poise.Ik(PANDA)
        hand = ik.add(poise.Frame("panda_hand", np.eye(4)))
        ik.add(poise.Posture(priority=1))
        met = 0
        for _ in range(40):
            target = forward(PANDA, "panda_hand", ik.joints, rng.uniform(ik.robot.lower, ik.robot.upper))
            hand.target = target
            answer = ik.solve(rng.uniform(ik.robot.lower, ik.robot.upper))
            met += answer.met
            if answer.met:
                found = forward(PANDA, "panda_hand", ik.joints, answer.q)
                np.testing.assert_allclose(found, target, atol=3e-6)
        self.assertEqual(met, 40)

    def test_a_hand_in_the_other_is_met_from_home_by_a_compiled_body(self):
        rng = np.random.default_rng(34)
        ik = poise.Ik("yoga.urdf")
        left, right = (f"{side}_wrist_roll_link" for side in ("left", "right"))
        hand = ik.add(poise.Frame(left, np.eye(4)))
        other = ik.add(poise.RelativeFrame(right, left, np.eye(4)))
        for _ in range(100):
            ik.q = rng.uniform(ik.robot.lower, ik.robot.upper)
            place = ik.pose(left, form="matrix")
            between = np.linalg.inv(place) @ ik.pose(right, form="matrix")
            hand.target, other.target = place, between
            answer = ik.solve(ik.robot.home())
            self.assertTrue(answer.met, answer)
            found = ik.pose(left, form="matrix")
            np.testing.assert_allclose(found, place, atol=3e-6)
            np.testing.assert_allclose(np.linalg.inv(found) @ ik.pose(right, form="matrix"), between, atol=3e-6)
        self.assertTrue(ik._body)

    @humanoids
    def test_a_centre_of_mass_is_met_with_two_hands_by_a_compiled_body(self):
        rng = np.random.default_rng(35)
        ik = poise.Ik(HUMANOID)
        hands = [ik.add(poise.Frame(name, np.eye(4))) for name in ("l_wrist", "r_wrist")]
        mass = ik.add(poise.CoM([0, 0, 0], link="WAIST_LINK1"))
        for _ in range(100):
            ik.q = rng.uniform(ik.robot.lower, ik.robot.upper)
            mass.target = [0, 0, 0]
            mass.target = -mass.rows()[0][:3]
            for hand in hands:
                hand.target = ik.pose(hand.link, form="matrix")
            answer = ik.solve(ik.robot.home())
            self.assertTrue(answer.met, answer)
            self.assertTrue(all(max(task.error) < 2e-6 for task in ik.tasks))
        self.assertTrue(ik._body)

    @humanoids
    def test_a_later_posture_leaves_hands_and_a_centre_of_mass_met(self):
        rng = np.random.default_rng(35)
        ik = poise.Ik(HUMANOID)
        hand = ik.add(poise.Frame("l_wrist", np.eye(4)))
        other = ik.add(poise.RelativeFrame("r_wrist", "l_wrist", np.eye(4)))
        mass = ik.add(poise.CoM([0, 0, 0], link="WAIST_LINK1"))
        ik.add(poise.Posture(priority=1))
        for _ in range(20):
            ik.q = rng.uniform(ik.robot.lower, ik.robot.upper)
            mass.target = [0, 0, 0]
            mass.target = -mass.rows()[0][:3]
            hand.target = ik.pose("l_wrist", form="matrix")
            other.target = np.linalg.inv(ik.pose("l_wrist", form="matrix")) @ ik.pose("r_wrist", form="matrix")
            answer = ik.solve(ik.robot.home())
            self.assertTrue(answer.met, answer)

    def test_a_target_may_be_in_the_frame_of_a_link_that_no_joint_moves(self):
        joint = "<joint axis='0 0 1'/><geom size='0.1'/>"
        robot = poise.Robot("arm.xml", text=(
            f"<mujoco><worldbody><body name='base' pos='1 2 3' euler='0 0 90'><body name='a'>{joint}"
            f"<body name='b' pos='1 0 0'>{joint}</body></body></body></worldbody></mujoco>"))
        for others in ([], [poise.Posture(priority=1)]): # by a compiled body, and by tasks
            ik = poise.Ik(robot, [poise.RelativeFrame("b", "base", [1.2, 0.4, 0], place=(1, 0, 0)), *others])
            self.assertTrue(ik.solve().met)
            np.testing.assert_allclose(ik.pose("b", place=(1, 0, 0))[:3], [0.6, 3.2, 3], atol=3e-6)

    def test_weights_balance_two_goals_that_cannot_both_be_met(self):
        ik = poise.Ik(PANDA)
        places = np.array([[0.5, 0.0, 0.4], [0.5, 0.1, 0.4]])
        for place, weight in zip(places, (3.0, 1.0)):
            ik.add(poise.Frame("panda_hand", place, weight=weight))
        answer = ik.solve()
        self.assertFalse(answer.met)
        np.testing.assert_allclose(ik.pose("panda_hand")[:3], [0.5, 0.025, 0.4], atol=1e-5)

    def test_an_axis_of_weight_0_is_free(self):
        ik = poise.Ik(PANDA)
        ik.add(poise.Frame("panda_hand", [0.5, 0.1, 9.0], position=(1, 1, 0)))
        self.assertTrue(ik.solve().met)
        np.testing.assert_allclose(ik.pose("panda_hand")[:2], [0.5, 0.1], atol=1e-5)

    def test_what_holds_it_back_is_named(self):
        ik = poise.Ik(PANDA, ranges={f"panda_joint{i}": (-0.01, 0.01) for i in (1, 3, 5)})
        ik.add(poise.Frame("panda_hand", [0.0, 0.5, 0.5]))
        answer = ik.solve([0, 0, 0, -1.5, 0, 1.5, 0, 0.02, 0.02])
        self.assertEqual((answer.met, answer.reason), (False, "at limits"))
        self.assertIn("panda_joint1", answer.held_by)

    @rotations
    def test_answers_keep_links_apart_and_name_the_pair_that_holds(self):
        ik, plain = poise.Ik("panda.urdf", apart=True), poise.Ik("panda.urdf")
        for one in (ik, plain):
            one.add(poise.Frame("panda_hand", [0.1, 0.0, 0.3]))
        answer = ik.solve(ik.robot.home())
        self.assertTrue(plain.solve(ik.robot.home()).met)
        self.assertEqual((answer.met, answer.reason, len(answer.held_by)), (False, "held", 2))
        self.assertGreaterEqual(answer.held_gap, 0.01 - 1e-6)
        self.assertTrue(all(name.startswith("panda_") for name in answer.held_by))
        ik.tasks[0].target = [0.5, 0.1, 0.4]
        self.assertTrue(ik.solve().met)
        ik.add(poise.Posture(ik.q, priority=1))
        ik.tasks[0].target = [0.1, 0.0, 0.3]
        answer = ik.solve(starts=2)
        self.assertEqual((answer.met, answer.reason, len(answer.held_by)), (False, "held", 2))

    def test_an_arm_without_a_task_moves_out_of_touch(self):
        joint = ("<joint name='{0}' type='revolute'><parent link='{1}'/><child link='{2}'/><origin xyz='{3}'/>"
                 "<axis xyz='0 0 1'/><limit lower='-2' upper='2' effort='9' velocity='9'/></joint>")
        link = ("<link name='{0}'><collision><origin xyz='.2 0 0'/><geometry><box size='.3 .05 .05'/></geometry>"
                "</collision></link>")
        text = ("<robot name='two'><link name='base'><collision><origin xyz='.7 .6 0'/><geometry>"
                "<sphere radius='.1'/></geometry></collision></link>" + "".join(link.format(name) for name in "abc")
                + joint.format("one", "base", "a", "0 0 0") + joint.format("two", "base", "b", "0 .6 0")
                + joint.format("three", "b", "c", ".4 0 0") + "</robot>")
        goal = [0.4 * np.cos(0.7), 0.4 * np.sin(0.7), 0.0]
        robot = poise.Robot("two.urdf", text=text)
        ik = poise.Ik(robot, [poise.Frame("a", goal, place=(0.4, 0, 0))], apart=True)
        answer = ik.solve()
        self.assertTrue(answer.met, f"{answer.reason} {answer.held_by} {answer.held_gap}")
        self.assertGreater(np.abs(answer.q[1:]).max(), 0.05)
        rows = robot.solve([goal], {"a": (0.4, 0, 0)}, apart=True)
        self.assertTrue(rows.met[0], f"{rows.reason} {rows.held_by}")
        self.assertGreater(np.abs(rows.q[0, 1:]).max(), 0.05)

    def test_steps_and_paths_keep_links_apart(self):
        ik = poise.Ik("panda.urdf", apart=0.02)
        ik.add(poise.Frame("panda_hand", [0.1, 0.0, 0.3]))
        answers = [ik.step(0.05) for _ in range(60)]
        held = [answer for answer in answers if answer.reason == "held"]
        self.assertTrue(held and not any(answer.met for answer in answers))
        for answer in held:
            self.assertEqual(len(answer.held_by), 2)
            self.assertTrue(0.02 - 1e-8 <= answer.held_gap < 0.03)
        ik.q = ik.robot.home()
        path = ik.follow(np.linspace(ik.pose("panda_hand")[:3], [0.1, 0.0, 0.3], 40))
        first = int(np.argmin(path.met)) # the row that the pair holds, or makes leap
        self.assertTrue(first > 20 and not path.met[first:].any())
        self.assertIn(path.reason[first], ("held", "leap"))
        pairs = [names for names in path.held_by if names]
        self.assertTrue(pairs and all(len(names) == 2 for names in pairs))

    def test_steps_leave_a_posture_whose_links_are_at_their_distance(self):
        ik = poise.Ik("panda.urdf", apart=True)
        ik.q = [-0.99360691, 0.47961833, 0.2164133, -3.02367553, 1.29916588, 1.14038599, -0.54812692,
                0.01840119, 0.01840119] # the gap of the links 6 and 0 is 10 mm
        ik.add(poise.Frame("panda_hand", [0.46, 0.45, 0.36]))
        gaps = []
        for _ in range(300):
            answer = ik.step(0.01)
            gaps += [answer.held_gap] if answer.reason == "held" else []
        self.assertTrue(answer.met, f"{answer.reason} {answer.held_by}")
        self.assertGreaterEqual(min(gaps, default=0.01), 0.01 - 1e-8)

    def test_forms_of_a_pose_are_the_same(self):
        from scipy.spatial.transform import Rotation
        rotation = Rotation.from_rotvec([0.3, -0.2, 0.9])
        x, y, z, w = rotation.as_quat()
        row = np.array([0.1, 0.2, 0.3, w, x, y, z])
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = rotation.as_matrix(), row[:3]
        for form in (row, row.tolist(), matrix, ([0.1, 0.2, 0.3], rotation)):
            found, placed, turned = poise.pose_of(form)
            np.testing.assert_allclose(found * np.sign(found[3]), row * np.sign(w), atol=1e-12)
            self.assertTrue(placed and turned)
        np.testing.assert_allclose(poise.matrix_of(row), matrix, atol=1e-12)
        self.assertEqual(poise.pose_of(rotation)[1:], (False, True))

    def test_a_path_stops_before_a_leap(self):
        ik = poise.Ik(PANDA)
        hand = ik.add(poise.Frame("panda_hand", [0.4, 0.4, 0.4]))
        self.assertTrue(ik.solve().met)
        path = ik.follow({hand: [[0.4, 0.4, 0.41], [-0.4, -0.4, 0.4], [0.4, 0.4, 0.42]]})
        self.assertEqual(list(path.reason[1:]), ["leap", "leap"])
        self.assertTrue((path.q[2] == path.q[0]).all())

    def test_an_answer_of_a_humanoid_costs_little_more_than_c(self):
        # counted, not gated: times differ by machine and load
        ik = poise.Ik("yoga.urdf")
        tips = [f"{side}_{end}_roll_link" for side in ("left", "right") for end in ("wrist", "ankle")]
        rng = np.random.default_rng(3)
        for tip in tips:
            ik.add(poise.Frame(tip, ik.pose(tip)))
        targets = []
        for _ in range(50):
            q = rng.uniform(ik.robot.lower, ik.robot.upper)
            targets.append(np.array([ik.pose(tip, q=q) for tip in tips]))
        home, met, start = ik.robot.home(), 0, time.process_time()
        for target in targets:
            ik.targets[:] = target
            ik.q = home
            met += ik.solve().met
        print(f"{(time.process_time() - start) / len(targets) * 1e6:.1f} us for four poses")
        self.assertEqual(met, len(targets))


class Gradients(unittest.TestCase):
    """The rows of each task against central differences of its errors."""

    def check(self, ik, task):
        h, names = 1e-6, ik.joints
        q = ik.q
        error, jacobian = task.rows()
        for column in range(len(names)):
            step = np.zeros(len(names))
            step[column] = h
            ik.q = q + step
            ahead = task.rows()[0]
            ik.q = q - step
            back = task.rows()[0]
            np.testing.assert_allclose(jacobian[:, column], (back - ahead) / (2 * h), atol=2e-8,
                                       err_msg=f"{task!r}, {names[column]}")
        ik.q = q

    def test_rows_of_every_task(self):
        rng = np.random.default_rng(5)
        for make in (lambda: poise.Frame("left_wrist_roll_link", [0.2, 0.3, 0.1, 0.9, 0.1, -0.4, 0.1]),
                     lambda: poise.Frame("left_wrist_roll_link", np.eye(4), axes="own", place=(0.1, 0, 0)),
                     lambda: poise.RelativeFrame("left_wrist_roll_link", "right_wrist_roll_link",
                                                 [0.1, 0.2, 0, 0.9, 0.1, -0.4, 0.1]),
                     lambda: poise.CoM([0.0, 0.1, 0.2], link="left_hip_yaw_link"),
                     lambda: poise.Distance("left_wrist_roll_link", "right_ankle_roll_link", 0.3),
                     lambda: poise.HalfSpace("left_knee_link", (1, 2, 3), -5.0),
                     lambda: poise.Cone("left_knee_link", (0.3, 0.2, 2), (1, 2, 3), 0.4),
                     lambda: poise.Posture()):
            ik = poise.Ik("yoga.urdf")
            task = ik.add(make())
            ik.q = np.clip(rng.uniform(-0.5, 0.5, len(ik.joints)), ik.robot.lower + 1e-3, ik.robot.upper - 1e-3)
            self.check(ik, task)

    def test_a_gaze_pulls_along_the_slope_of_its_angle(self):
        ik = poise.Ik(PANDA)
        gaze = ik.add(poise.Gaze("panda_hand", [0.6, 0.1, 0.0]))
        q, h = np.array([0.1, -0.3, 0.2, -1.5, 0.4, 1.2, 0.3, 0.02, 0.02]), 1e-6
        ik.q = q
        error, jacobian = gaze.rows()
        for column in range(7):
            angles = []
            for side in (h, -h):
                moved = q.copy()
                moved[column] += side
                ik.q = moved
                angles.append(0.5 * gaze.error[1] ** 2)
            slope = (angles[0] - angles[1]) / (2 * h)
            self.assertAlmostEqual(-(jacobian[:, column] @ error), slope, places=7)


class Examples(unittest.TestCase):
    def test_there_is_one_for_each_kind_of_task_in_forty_lines(self):
        self.assertEqual(len(EXAMPLES), 12)
        for example in EXAMPLES:
            self.assertLessEqual(len(example.read_text().splitlines()), 40, example.name)

    def test_each_runs(self):
        for example in EXAMPLES:
            with self.subTest(example.name):
                said = io.StringIO()
                if example.name == "study.py": # its processes import it
                    ran = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=100)
                    self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                    said.write(ran.stdout)
                else:
                    with contextlib.redirect_stdout(said):
                        runpy.run_path(str(example), run_name="__main__")
                self.assertTrue(said.getvalue().strip())


def in_cone(place, apex, axis, angle):
    """Returns the nearest place in a cone, by the ray of its surface toward the place."""
    axis = np.asarray(axis) / np.linalg.norm(axis)
    out = np.asarray(place) - apex
    across = out - (axis @ out) * axis
    if np.arctan2(np.linalg.norm(across), axis @ out) <= angle:
        return np.asarray(place)
    ray = math.cos(angle) * axis + math.sin(angle) * across / np.linalg.norm(across)
    return apex + max(ray @ out, 0.0) * ray


class Regions(unittest.TestCase):
    """A hand outside a region that holds it ends at the region's place nearest to its goal."""

    def ends(self, region, goal):
        ik = poise.Ik(PANDA)
        hand = ik.add(poise.Frame("panda_hand", goal))
        ik.add(region)
        answer = ik.solve()
        place = forward(PANDA, "panda_hand", ik.joints, answer.q)[:3, 3]
        self.assertEqual(ik.tasks[answer.unmet] is hand, not answer.met)
        self.assertTrue(region.met and region.error[0] <= 1e-6)
        return place, ik

    def test_a_box_and_a_cone_hold_the_hand_at_their_place_nearest_to_the_goal(self):
        rng = np.random.default_rng(351)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turn([1, 2, 3], 0.7), [0.45, 0.05, 0.45]
        size = np.array([0.3, 0.2, 0.25])
        apex, axis, angle = [0.35, 0.0, 0.3], [1, 0.3, 0.8], 0.4
        inside = 0
        for _ in range(12):
            goal = pose[:3, 3] + rng.uniform(-0.2, 0.2, 3)
            own = pose[:3, :3].T @ (goal - pose[:3, 3])
            nearest = pose[:3, 3] + pose[:3, :3] @ np.clip(own, -size / 2, size / 2)
            box = poise.Box("panda_hand", size, pose)
            place, _ = self.ends(box, goal)
            np.testing.assert_allclose(place, nearest, atol=2e-5)
            self.assertAlmostEqual(box.value, (np.abs(pose[:3, :3].T @ (place - pose[:3, 3])) - size / 2).max(), 9)
            inside += np.array_equal(np.clip(own, -size / 2, size / 2), own)
            place, _ = self.ends(poise.Cone("panda_hand", apex, axis, angle), goal)
            nearest = in_cone(goal, apex, axis, angle)
            np.testing.assert_allclose(place, nearest, atol=2e-5)
        self.assertTrue(0 < inside < 12)

    def test_steps_come_into_a_region_and_stay(self):
        for region in (poise.Box("panda_hand", 0.1, [0.4, 0.1, 0.4]),
                       poise.Cone("panda_hand", [0.3, 0, 0.6], [1, 0.3, -1], 0.3)):
            ik = poise.Ik(PANDA)
            hand = ik.add(poise.Frame("panda_hand", [0.4, 0.1, 0.4]))
            ik.add(region)
            self.assertFalse(region.met)
            for _ in range(200):
                ik.step(0.01)
            self.assertTrue(region.met)
            furthest = -1.0
            for goal in ([0.7, 0.3, 0.2], [0.3, -0.4, 0.7], [0.2, 0.0, 0.2]):
                hand.target = goal
                for _ in range(60):
                    ik.step(0.01)
                    furthest = max(furthest, region.value)
            # the surface of a cone bends under a step: no more than the 0.1 mm of its description
            self.assertTrue(-1e-6 < furthest <= (1e-6 if isinstance(region, poise.Box) else 1e-4), furthest)

    def test_a_centre_of_mass_stays_over_the_polygon(self):
        # what the joints carry does not include the base
        bodies = [(link.get("name"), float(link.find("inertial/mass").get("value")),
                   numbers(getattr(link.find("inertial/origin"), "attrib", {}).get("xyz"), [0, 0, 0]))
                  for link in ElementTree.parse(PANDA).getroot().iter("link")
                  if link.find("inertial") is not None and link.get("name") != "panda_link0"]

        def centre(ik):
            moments = [mass * (forward(PANDA, name, ik.joints, ik.q) @ [*place, 1])[:3]
                       for name, mass, place in bodies]
            return sum(moments) / sum(mass for _, mass, _ in bodies)

        def beyond(corners, place):
            """Distance outside a triangle by its barycentric heights, m; below 0 inside."""
            heights = []
            for a, b, c in zip(corners, np.roll(corners, -1, 0), np.roll(corners, -2, 0)):
                side, across = b - a, np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
                heights.append(-np.sign(across @ (c - a)) * (across @ (place[:2] - a)))
            return max(heights)

        def reaching(*regions):
            return poise.Ik(PANDA, [poise.Frame("panda_hand", [0.6, 0.3, 0.3]), *regions])

        ik = reaching()
        triangle = centre(ik)[:2] + np.array([[0.01, 0.0], [-0.01, 0.01], [-0.01, -0.01]])
        ik.solve()
        self.assertGreater(beyond(triangle, centre(ik)), 1e-3) # nothing keeps the point inside yet
        for corners in (triangle, triangle[::-1]): # in either order
            support = poise.Support(corners)
            ik = reaching(support)
            ik.solve()
            self.assertTrue(support.met)
            self.assertLessEqual(beyond(triangle, centre(ik)), 1e-6)
            self.assertAlmostEqual(support.value, beyond(triangle, centre(ik)), 9)
            support.corners = corners + [0.02, 0.0] # the feet have moved
            ik.solve()
            self.assertTrue(support.met)
            self.assertLessEqual(beyond(triangle + [0.02, 0.0], centre(ik)), 1e-6)
            support.corners = [[0, 0], [1, 0], [1, 1], [0, 1]]
            with self.assertRaisesRegex(poise.Error, "3 planes, which cannot become 4"):
                ik.solve()


class Refusals(unittest.TestCase):
    def refused(self, words, call, kind=poise.Error):
        with self.assertRaises(kind) as caught:
            call()
        for word in words.split("|"):
            self.assertIn(word, str(caught.exception))

    def test_each_names_the_argument_and_what_was_given(self):
        ik = poise.Ik(PANDA)
        hand = ik.add(poise.Frame("panda_hand", [0.5, 0, 0.4]))
        other = poise.Ik(PANDA)
        for words, call in (
                ("did you mean", lambda: ik.add(poise.Frame("panda_hnd", [0, 0, 0]))),
                ("target|(4,)", lambda: poise.Frame("panda_hand", [1, 2, 3, 4])),
                ("target|4 x 4", lambda: poise.Frame("panda_hand", np.ones((4, 4)))),
                ("target|finite", lambda: setattr(hand, "target", [np.nan, 0, 0])),
                ("position|above 0", lambda: ik.add(poise.Frame("panda_hand", [0, 0, 0], position=0.0))),
                ("place|'a'", lambda: poise.Frame("panda_hand", [0, 0, 0], place=("a", 0, 0))),
                ("axes|'up'", lambda: poise.Frame("panda_hand", [0, 0, 0], axes="up")),
                ("weight", lambda: ik.add(poise.Frame("panda_hand", [0, 0, 0], weight=-1))),
                ("priority|'high'", lambda: ik.add(poise.Posture(priority="high"))),
                ("gain", lambda: ik.add(poise.Posture(gain=2))),
                ("normal", lambda: ik.add(poise.HalfSpace("panda_hand", (0, 0, 0), 1))),
                ("offset must be finite", lambda: ik.add(poise.HalfSpace("panda_hand", (0, 0, 1), np.inf))),
                ("offset|'far'", lambda: ik.add(poise.HalfSpace("panda_hand", (0, 0, 1), "far"))),
                ("size|(1, 0, 1)", lambda: poise.Box("panda_hand", (1, 0, 1), [0, 0, 0])),
                ("size|nan", lambda: poise.Box("panda_hand", np.nan, [0, 0, 0])),
                ("pose|finite", lambda: poise.Box("panda_hand", 1, [0, np.inf, 0])),
                ("pose|other than 0", lambda: poise.Box("panda_hand", 1, [0, 0, 0, 0, 0, 0, 0])),
                ("angle", lambda: ik.add(poise.Cone("panda_hand", (0, 0, 0), (0, 0, 1), 0))),
                ("angle", lambda: ik.add(poise.Cone("panda_hand", (0, 0, 0), (0, 0, 1), np.nan))),
                ("angle|'wide'", lambda: ik.add(poise.Cone("panda_hand", (0, 0, 0), (0, 0, 1), "wide"))),
                ("apex|nan", lambda: poise.Cone("panda_hand", (0, np.nan, 0), (0, 0, 1), 1)),
                ("axis must be finite and not 0", lambda: ik.add(poise.Cone("panda_hand", (0, 0, 0), (0, 0, 0), 1))),
                ("at least 3", lambda: poise.Support([[0, 0], [1, 0]])),
                ("corners|nan", lambda: poise.Support([[0, 0], [1, 0], [0, np.nan]])),
                ("corners|numbers", lambda: poise.Support([[0, 0], [1]])),
                ("an area", lambda: poise.Support([[0, 0], [1, 1], [2, 2]])),
                ("different", lambda: poise.Support([[0, 0], [1, 0], [1, 0], [0, 1]])),
                ("convex", lambda: poise.Support([[0, 0], [2, 0], [0.2, 0.2], [0, 2]])),
                ("convex|in order", lambda: poise.Support([[0, 0], [2, 2], [2, 0], [0, 1]])),
                ("distance: a number of at least 0 m is due, not -1", lambda: ik.add(poise.Distance("panda_hand", "panda_link4", -1))),
                ("at_least must be at least 0 and at most at_most",
                 lambda: ik.add(poise.Distance("panda_hand", "panda_link4", at_least=2, at_most=1))),
                ("at_least must be at least 0", lambda: ik.add(poise.Manipulability("panda_hand", at_least=-1))),
                ("both numbers of tolerance must",
                 lambda: ik.add(poise.Frame("panda_hand", [0.4, 0, 0.4], tolerance=(0, 1)))),
                ("serves an Ik", lambda: other.add(hand)),
                ("task", lambda: ik.add("frame")),
                ("q|9", lambda: ik.solve([0, 0])),
                ("dt|-1", lambda: ik.step(-1)),
                ("starts|1.5", lambda: ik.solve(starts=1.5)),
                ("form|'xyz'", lambda: ik.pose("panda_hand", form="xyz")),
                ("path", lambda: ik.follow({})),
                ("speed|'fast'", lambda: poise.Ik(PANDA, speed="fast")),
                ("acceleration", lambda: poise.Ik(PANDA, acceleration=0)),
                ("ranges|panda_joint1", lambda: poise.Ik(PANDA, ranges={"panda_joint1": (2, 1)})),
                ("base|'loose'", lambda: poise.Ik(PANDA, base="loose"))):
            with self.subTest(words):
                self.refused(words, call, (poise.Error, KeyError))
        self.refused("did you mean 'panda_joint1'", lambda: poise.Ik(PANDA, speed={"panda_jint1": 1}), KeyError)
        hand.weight = -1.0
        self.refused("weight", ik.solve)
        hand.weight = 1.0
        ik.targets[0, 3:] = 0
        ik.targets[0, 0] = np.inf
        self.refused("target", ik.solve)
        self.refused("pickle", lambda: pickle.dumps(ik), TypeError)


class FromMujoco(unittest.TestCase):
    """A stand-in with the attributes of mujoco.MjModel that are read; the real one is not at hand."""

    @staticmethod
    def model():
        names = {"body": ["world", "upper", "lower"], "joint": ["shoulder", "elbow"], "site": ["tip"]}
        return SimpleNamespace(
            nbody=3, njnt=2, nsite=1, body_parentid=[0, 0, 1],
            body_pos=np.array([[0, 0, 0], [0, 0, 0.1], [0.4, 0, 0]], float),
            body_quat=np.array([[1, 0, 0, 0]] * 3, float), body_mass=[0, 2, 1],
            body_ipos=np.array([[0, 0, 0], [0.2, 0, 0], [0.15, 0, 0]], float),
            body_iquat=np.array([[1, 0, 0, 0]] * 3, float), body_inertia=np.full((3, 3), 0.01),
            jnt_bodyid=[1, 2], jnt_type=[3, 3], jnt_axis=np.array([[0, 0, 1], [0, 1, 0]], float),
            jnt_pos=np.zeros((2, 3)), jnt_limited=[1, 0], jnt_range=np.array([[-2, 2], [0, 0]], float),
            site_bodyid=[2], site_pos=np.array([[0.3, 0, 0]]), site_quat=np.array([[1.0, 0, 0, 0]]),
            body=lambda i: SimpleNamespace(name=names["body"][i]),
            joint=lambda i: SimpleNamespace(name=names["joint"][i]),
            site=lambda i: SimpleNamespace(name=names["site"][i]))

    def test_bodies_joints_and_sites_come_over(self):
        robot = poise.Robot.from_mujoco(self.model())
        self.assertEqual(robot.joints, ["shoulder", "elbow"])
        np.testing.assert_allclose(robot.lower, [-2, -np.inf])
        ik = poise.Ik(robot)
        ik.q = [0.5, 0.3]
        place = turn([0, 0, 1], 0.5) @ ([0.4, 0, 0] + turn([0, 1, 0], 0.3) @ [0.3, 0, 0]) + [0, 0, 0.1]
        np.testing.assert_allclose(ik.pose("tip")[:3], place, atol=1e-9)
        ik.add(poise.Frame("tip", place))
        self.assertTrue(ik.solve([0, 0.1]).met)

    def test_a_model_without_its_attributes_is_refused(self):
        with self.assertRaises(poise.Error) as caught:
            poise.Robot.from_mujoco(SimpleNamespace(nbody=1))
        self.assertIn("body_parentid", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
