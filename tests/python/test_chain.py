# SPDX-License-Identifier: MIT
"""Compiled chains: shared targets, agreement with kinematics in numpy, memory, threads."""
import csv
import os
import threading
import time
import unittest
from pathlib import Path

import numpy as np
import poise

DATA = Path(os.environ.get("POISE_TEST_DATA") or "/nonexistent") / "bench"


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def rpy(roll, pitch, yaw):
    return rotation((0, 0, 1), yaw) @ rotation((0, 1, 0), pitch) @ rotation((1, 0, 0), roll)


def forward(rows, q):
    """Returns position and rotation matrix of the tip of a chain's file, without Poise."""
    place, turn, numbers = np.zeros(3), np.eye(3), iter(q)
    for row in rows:
        place = place + turn @ [float(row[k]) for k in ("px", "py", "pz")]
        turn = turn @ rpy(*(float(row[k]) for k in ("roll", "pitch", "yaw")))
        if row["type"] != "fixed":
            turn = turn @ rotation([float(row[k]) for k in ("ax", "ay", "az")], next(numbers))
    return place, turn


def matrix(w, x, y, z):
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


@unittest.skipUnless(DATA.is_dir(), "POISE_TEST_DATA has no bench/")
class OfOthers(unittest.TestCase):
    def setUp(self):
        self.rows = list(csv.DictReader((DATA / "chains/panda.csv").open()))
        self.chain = poise.Chain.from_csv(DATA / "chains/panda.csv")
        targets = list(csv.DictReader((DATA / "targets/panda.csv").open()))
        self.targets = np.array([[float(row[k]) for k in ("px", "py", "pz", "qw", "qx", "qy", "qz")]
                                 for row in targets])

    def test_every_target_of_the_panda_is_met(self):
        # the 1,000 targets of the file, and the poses of 9,000 postures inside the limits
        rng = np.random.default_rng(1)
        more = self.chain.forward(rng.uniform(self.chain.lower, self.chain.upper, (9000, 7)))
        targets = np.vstack([self.targets, more])
        answers = self.chain.solve(targets)
        self.assertTrue(answers.met.all())
        self.assertTrue((answers.q >= self.chain.lower).all() and (answers.q <= self.chain.upper).all())
        for q, target in zip(answers.q[::50], targets[::50]):
            place, turn = forward(self.rows, q)
            self.assertLess(np.linalg.norm(place - target[:3]), 1e-8)
            self.assertLess(np.abs(turn - matrix(*target[3:])).max(), 1e-8)
        best = min(self.time_of(targets) for _ in range(3))
        print(f"{len(targets) / best:.0f} solves a second and thread")

    def time_of(self, targets):
        start = time.thread_time()
        self.chain.solve(targets)
        return time.thread_time() - start

    def test_threads_and_other_starts_do_not_change_who_is_met(self):
        one = self.chain.solve(self.targets)
        four = self.chain.solve(self.targets, threads=4)
        np.testing.assert_array_equal(one.q, four.q)

    def test_pythons_threads_run_side_by_side(self):
        # While one thread is in C, this one counts: it must not wait until the solve ends.
        targets = np.tile(self.targets, (40, 1))
        done, counted = threading.Event(), 0

        def work():
            self.chain.solve(targets)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            counted += 1
            time.sleep(0)
        thread.join()
        self.assertGreater(counted, 20)

    def test_a_track_is_followed_without_jumps(self):
        track = list(csv.DictReader((DATA / "tracks/panda.csv").open()))
        targets = np.array([[float(row[k]) for k in ("px", "py", "pz", "qw", "qx", "qy", "qz")]
                            for row in track])
        start = [float(track[0][f"qstart{i + 1}"]) for i in range(7)]
        answers = self.chain.solve(targets, start, follow=True)
        self.assertTrue(answers.met.all())
        self.assertLess(np.abs(np.diff(answers.q, axis=0)).max(), 0.1)


class Paths(unittest.TestCase):
    """Straight paths of 0.2 m from random postures of a Panda, in steps of 1 mm."""

    def test_a_path_stops_where_a_joint_would_leap_and_is_followed_as_ever_until_then(self):
        robots = Path(os.environ["POISE_SOURCE_DIR"]) / "scenes/robots"
        chain = poise.Robot(robots / "panda.urdf").chain("panda_hand")
        rng, leaping = np.random.default_rng(11), 0
        for _ in range(200):
            start = chain.lower + (chain.upper - chain.lower) * rng.uniform(0.1, 0.9, 7)
            line = rng.normal(size=3)
            targets = np.tile(chain.forward(start), (201, 1))
            targets[:, :3] += np.linspace(0, 0.2, 201)[:, None] * line / np.linalg.norm(line)
            free = chain.solve(targets, start, follow=True, leap=True)
            kept = chain.solve(targets, start, follow=True)
            leaps = np.flatnonzero(np.abs(np.diff(free.q, axis=0)).max(axis=1) > 0.5)
            end = leaps[0] + 1 if len(leaps) else len(targets)
            leaping += len(leaps) > 0
            np.testing.assert_array_equal(kept.q[:end], free.q[:end])
            np.testing.assert_array_equal(kept.reason[:end], free.reason[:end])
            # after the stop: the last answer, with its error at each target
            np.testing.assert_array_equal(kept.q[end:], np.tile(kept.q[end - 1], (201 - end, 1)))
            self.assertEqual(set(kept.reason[end:]), {"leap"} if len(leaps) else set())
            self.assertFalse(kept.met[end:].any())
            left = np.linalg.norm(chain.forward(kept.q)[:, :3] - targets[:, :3], axis=1)
            np.testing.assert_allclose(kept.error[end:], left[end:], atol=1e-9)
        self.assertGreater(leaping, 40)

    def test_a_stop_lasts_over_the_parts_of_a_long_path(self):
        chain = plane_arm()
        turns = np.linspace(0, 1e-3, 2 * 8192)
        targets = np.c_[1 + np.cos(turns), np.sin(turns), 0 * turns]
        targets[100] = [-1, -1, 0]
        answers = chain.solve(targets, [0.1, 0.1], follow=True)
        self.assertTrue((answers.reason[100:] == "leap").all())
        self.assertTrue((answers.q[100:] == answers.q[99]).all())
        self.assertIn("met", set(chain.solve(targets, [0.1, 0.1], follow=True, leap=True).reason[101:]))


def plane_arm():
    return poise.Chain([poise.Joint("a", lower=-2.0, upper=2.0),
                        poise.Joint("b", origin=(1, 0, 0), lower=-2.0, upper=2.0),
                        poise.Joint("tool", "fixed", origin=(1, 0, 0))])


class Arm(unittest.TestCase):
    """Two links of 1 m in a plane, against closed forms."""

    def test_forward_and_jacobian_are_the_closed_forms(self):
        chain = plane_arm()
        a, b = 0.3, 0.7
        pose = chain.forward([a, b])
        np.testing.assert_allclose(pose[:2], [np.cos(a) + np.cos(a + b), np.sin(a) + np.sin(a + b)],
                                   atol=1e-12)
        j = chain.jacobian([a, b])
        np.testing.assert_allclose(j[0], [-np.sin(a) - np.sin(a + b), -np.sin(a + b)], atol=1e-12)
        np.testing.assert_allclose(j[5], [1, 1], atol=1e-12)

    def test_both_elbows_are_found_from_their_side(self):
        chain = plane_arm()
        for side in (1, -1):
            q = chain.solve([[1, 1, 0]], [0, 0.5 * side], answers=8).q[0]
            elbow = np.pi / 2 * side
            np.testing.assert_allclose(np.abs(q[1]), np.pi / 2, atol=1e-8)
            self.assertGreater(q[1] * elbow, 0)

    def test_answers_are_all_of_them_in_order(self):
        for side in (-1, 1):
            found = plane_arm().answers([1, 1, 0], [0, 0.5 * side])
            self.assertEqual(found.shape, (2, 2))
            np.testing.assert_allclose(found[:, 1], [np.pi / 2 * side, -np.pi / 2 * side], atol=1e-8)
        self.assertEqual(len(plane_arm().answers([3, 0, 0])), 0)
        with self.assertRaisesRegex(poise.Error, "one row"):
            plane_arm().answers([[1, 1, 0], [1, 1, 0]])

    def test_a_prepared_call_gives_what_solve_gives(self):
        chain = plane_arm()
        call = chain.prepare("position")
        for place in ([1, 1, 0], [0.5, 1.2, 0], [3, 0, 0]):
            call.target[:3] = place
            call.q[:] = 0.1
            met = call()
            answers = chain.solve([place], [0.1, 0.1])
            self.assertEqual(met, answers.met[0])
            np.testing.assert_allclose(chain.forward(call.q)[:3], chain.forward(answers.q[0])[:3], atol=1e-8)
            self.assertEqual(call.report["beyond"], answers.beyond[0])
        call.target[3] = np.nan
        call.target[0] = np.nan
        with self.assertRaisesRegex(poise.Error, "not finite"):
            call()
        with self.assertRaisesRegex(poise.Error, "orientation"):
            chain.prepare("poses")

    def test_what_is_out_of_reach_says_why_and_is_no_error(self):
        chain = plane_arm()
        answers = chain.solve([[1, 1, 0], [3, 0, 0], [-1.5, 0, 0]])
        self.assertEqual(list(answers.met), [True, False, False])
        self.assertEqual(answers.reason[0], "met")
        self.assertIn(answers.reason[1], ("unreachable", "singular", "out of reach"))
        self.assertEqual(answers.reason[2], "at limits")
        self.assertAlmostEqual(answers.error[1], 1.0, places=6)
        self.assertGreater(answers.limited[2], 0)
        self.assertEqual(set(answers.table()), {"a", "b", "met", "reason", "error", "angle_error"})

    def test_targets_are_read_where_they_are(self):
        from poise._library import doubles, ffi, poses
        targets = np.zeros((5, 7))
        targets[:, 3] = 1
        self.assertIs(poses(targets)[0], targets)
        self.assertEqual(int(ffi.cast("uintptr_t", doubles(targets))), targets.ctypes.data)

    def test_what_cannot_be_used_is_said_in_words(self):
        chain = plane_arm()
        for targets, options, words in [([[1, 1]], {}, "rows of 3 numbers"),
                                        ([[1, np.nan, 0]], {}, "row 0: "),
                                        ([[1, 1, 0]], {"goal": "pose"}, "no rotations"),
                                        ([[1, 1, 0]], {"goal": "up"}, "not 'up'"),
                                        ([[1, 1, 0]], {"threads": 0}, "threads")]:
            with self.assertRaises(poise.Error) as caught:
                chain.solve(targets, **options)
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(poise.Error):
            poise.Chain([poise.Joint("tool", "fixed")])
        with self.assertRaises(poise.Error):
            poise.Chain([poise.Joint("b", "ball")])
        self.assertEqual(len(chain.solve(np.zeros((0, 3)))), 0)


if __name__ == "__main__":
    unittest.main()
