# SPDX-License-Identifier: MIT
"""Scenes with physics: keys, arrays, tables, forecasts, snapshots, and runs that end early."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import numpy as np
import poise

SCENES = Path(os.environ["POISE_SOURCE_DIR"]) / "scenes"
ARM = textwrap.dedent("""\
    poise: 1
    seconds: 2
    world: {gravity: [0, 0, -10]}
    bodies: {a: {sphere: 0.05, mass: 2, at: [1, 0, 0]}}
    joints: {j: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, a], ik: {spring: 400, damper: 40}}}
    control_points: {p: {body: a, position: [1, 0, 0]}}
    """)

BEHIND_A_WALL = textwrap.dedent("""\
    poise: 1
    seconds: 3
    world: {gravity: [0, 0, 0]}
    bodies:
      a: {sphere: 0.05, mass: 2, at: [1, 0, 0]}
      wall: {box: [1, 1, 0.1], at: [1, 0, 0.25], fixed: true}
    joints: {j: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, a], ik: {spring: 400, damper: 40}}}
    control_points: {p: {body: a, position: [0.9, 0, 0.43]}}
    keep_apart: {robots: others, from: [wall], distance: 0.02}
    """)


class Springs(unittest.TestCase):
    def test_a_point_yields_as_wished(self):
        scene = poise.Scene(text=ARM)
        found = scene.design({"p": (None, None, 0.005)}, damping_ratio=1)
        self.assertEqual((found.end, found.why), ("met", ""))
        self.assertAlmostEqual(found.springs["j"][0], 1 / 0.005, delta=0.5)
        for key, value in found.settings.items():
            scene[key] = value
        self.assertAlmostEqual(scene.forecast("p").compliance[2, 2], 0.005, delta=5e-5)

    def test_wishes_that_cannot_be_or_make_no_sense(self):
        scene = poise.Scene(text=ARM)
        found = scene.design({"p": (None, None, 0.005)}, lower=300, upper=1000)
        self.assertEqual(found.end, "nearest")
        self.assertIn("along z", found.why)
        for wish in ({}, {"p": (1, 2)}, {"p": (0, 1, 1)}, {"p": (None, None, -1)}):
            with self.assertRaises(poise.Error):
                scene.design(wish)
        with self.assertRaises(KeyError):
            scene.design({"q": (1e-3, 1e-3, 1e-3)})

    def test_an_argument_that_is_no_number_is_named(self):
        scene = poise.Scene(text=ARM)
        wish = {"p": (None, None, 0.005)}
        for name, call in (
                ("lower: a number is due, not None", lambda: scene.design(wish, lower=None)),
                ("settling_time: a number", lambda: scene.design(wish, settling_time="a")),
                ("along p: a number is due, not 'a'", lambda: scene.design({"p": ("a", 1, 1)})),
                ("about p: 3 numbers", lambda: scene.design(wish, {"p": 1})),
                ("at p: a number is due, not None", lambda: scene.design(wish, at={"p": [(1, None, 0)]})),
                ("force: a number is due, not None", lambda: scene.natural("p", (0, None, 0))),
                ("torque: 3 numbers", lambda: scene.natural("p", (0, 0, 1), (0, 0))),
                ("variables: ", lambda: scene.sensitivity("p", [("goal", "a")])),
                ("variables: ", lambda: scene.sensitivity("p", [None]))):
            with self.subTest(name), self.assertRaisesRegex(poise.Error, name):
                call()

    def test_derivatives_are_those_of_statics(self):
        # z = -F / k at 1 m on a spring k: dz/dF = 1 / k, dC/dk = -1 / k^2
        scene = poise.Scene(text=ARM)
        found = scene.sensitivity("p", [("ik.spring", "j"), ("load", 2), ("goal", 2)])
        self.assertEqual(found.why, "")
        self.assertAlmostEqual(found.pose[2, 1], 1 / 400, delta=1e-8)
        self.assertAlmostEqual(found.compliance[0, 2, 2], -1 / 400**2, delta=1e-11)
        self.assertAlmostEqual(found.pose[2, 2], 1, delta=1e-5)
        pull = np.zeros((3, 3))
        pull[2, 2] = 1
        self.assertAlmostEqual(found.vjp(compliance=pull)[0], -1 / 400**2, delta=1e-11)
        with self.assertRaises(KeyError):
            scene.sensitivity("p", [("ik.spring", "k")])
        with self.assertRaises(KeyError):
            scene.sensitivity("p", [("spring", "j")])
        with self.assertRaises(poise.Error):
            scene.sensitivity("p", [])


class Running(unittest.TestCase):
    def test_a_scene_of_the_project_runs_and_says_how_well(self):
        scene = poise.Scene(SCENES / "springhead_2balls.yaml")
        run = scene.run(3, record=["tip.error"])
        self.assertEqual(run.status, "ok")
        self.assertEqual(run.reason, "")
        self.assertLess(run.points["tip"]["error"], 1e-6)
        self.assertEqual(len(run.table["time"]), round(3 / scene.step_length))
        self.assertAlmostEqual(run.table["time"][-1], 3)
        self.assertEqual(run.table["tip.error"][-1], scene["tip.error"])
        self.assertEqual(run.report["version"], 2)

    def test_numbers_are_read_and_set_by_key(self):
        scene = poise.Scene(text=ARM, settings={"joints.j.ik.damper": 50})
        self.assertEqual(scene["joints.j.ik.damper"], 50)
        self.assertIn("p.error", set(scene.keys()))
        self.assertEqual(scene.unit("joints.j.ik.spring"), "N m/rad")
        scene["joints.j.ik.spring"] = 123
        self.assertEqual(scene["joints.j.ik.spring"], 123)
        with self.assertRaises(poise.Error):
            scene["joints.j.ik.spring"] = -1
        with self.assertRaises(KeyError):
            scene["joints.k.ik.spring"]
        with self.assertRaises(KeyError):
            scene["joints.k.ik.spring"] = 1
        self.assertEqual(scene.run(0.1).report["set"], {"joints.j.ik.damper": "50"})

    def test_a_spring_under_a_load_rests_where_statics_and_the_forecast_say(self):
        # 20 N downward at 1 m on a spring of 400 N m/rad; a positive angle about y lowers the body
        scene = poise.Scene(text=ARM + "pushes: {load: {body: a, force: [0, 0, -20], seconds: inf}}\n")
        scene.run(0.1)
        compliance = scene.forecast("p").compliance
        self.assertAlmostEqual(compliance[2, 2], 1 / 400, places=5)
        scene.run(4)
        angle = scene.array("angles")[0, 0]
        self.assertAlmostEqual(400 * angle, 20 * np.cos(angle), places=3)

    def test_a_reading_says_what_the_body_does_and_why(self):
        scene = poise.Scene(text=ARM + "pushes: {load: {body: a, force: [0, 0, -20], seconds: inf}}\n")
        scene.run(4)
        reading = scene.reading("p")
        place = scene.array("points")[0]
        np.testing.assert_allclose(reading.place, place, atol=1e-12)
        self.assertAlmostEqual(reading.miss, np.linalg.norm(place - [1, 0, 0]), places=12)
        self.assertGreater(reading.miss, 0.01)
        self.assertLess(reading.planned_miss, 1e-4)
        self.assertEqual(reading.held_by, "load")
        self.assertEqual(reading.why, "held by a load, weight or contact")
        self.assertEqual(reading.joints, [])

    def test_a_pair_that_is_kept_apart_is_named_with_its_gap_everywhere(self):
        scene = poise.Scene(text=BEHIND_A_WALL)
        report = scene.run(3).points["p"]
        self.assertEqual(report["held_by"], "a - wall, 20 mm")
        self.assertEqual(report["why"], "held by a - wall, 20 mm")
        reading = scene.reading("p")
        self.assertEqual((reading.held_by, reading.why), (report["held_by"], report["why"]))

    def test_arrays_are_written_where_they_are_wanted(self):
        scene = poise.Scene(text=ARM)
        out = np.empty((1, 3))
        self.assertIs(scene.array("points", out), out)
        np.testing.assert_allclose(out, [[1, 0, 0]], atol=1e-12)
        with self.assertRaises(poise.Error):
            scene.array("points", np.empty((2, 3)))
        with self.assertRaises(poise.Error):
            scene.array("pointz")

    def test_memory_that_is_read_only_is_refused_and_unchanged(self):
        scene = poise.Scene(text=ARM)
        kept = bytes(24)
        with tempfile.TemporaryFile() as file:
            file.write(kept)
            file.flush()
            # writing to this memory would end the interpreter
            of_file = np.memmap(file, float, "r", shape=(1, 3))
            for out in (np.frombuffer(kept).reshape(1, 3), of_file):
                with self.assertRaisesRegex(poise.Error, r"read-only.*copy\(\)"):
                    scene.array("points", out)
                np.testing.assert_array_equal(out, np.zeros((1, 3)))
        self.assertEqual(kept, bytes(24))

    def test_a_snapshot_brings_back_every_bit(self):
        scene = poise.Scene(SCENES / "springhead_y.yaml")
        scene.step(50)
        snapshot = scene.snapshot()
        scene.step(70)
        after = scene.state_hash
        scene.restore(snapshot)
        self.assertNotEqual(scene.state_hash, after)
        scene.step(70)
        self.assertEqual(scene.state_hash, after)

    def test_a_goal_is_held_and_given_back(self):
        scene = poise.Scene(text=ARM.replace("-10", "0"))
        scene.hold("p", [0, 0, 1])
        scene.run(3)
        np.testing.assert_allclose(scene.array("points")[0], [0, 0, 1], atol=1e-3)
        scene.release("p")
        scene.run(3)
        np.testing.assert_allclose(scene.array("points")[0], [1, 0, 0], atol=1e-3)

    def test_a_pose_is_held_and_turned(self):
        scene = poise.Scene("panda_square", settings={"world.step": 0.004})
        scene.step(50)
        read = scene.reading("pen")
        half = np.sin(0.15)
        w, x, y, z = read.turn
        turned = [np.cos(0.15) * w - half * z, np.cos(0.15) * x - half * y, np.cos(0.15) * y + half * x,
                  np.cos(0.15) * z + half * w] # by 0.3 rad about the world's z axis
        scene.hold("pen", [*(read.place + [0, 0, 0.05]), *turned])
        scene.run(3)
        now = scene.reading("pen")
        np.testing.assert_allclose(now.place, read.place + [0, 0, 0.05], atol=2e-3)
        self.assertGreater(abs(np.dot(now.turn, turned)), 1 - 1e-4)
        self.assertLess(abs(np.dot(now.turn, read.turn)), 1 - 1e-3)

    def test_points_are_made_moved_pushed_and_removed(self):
        scene = poise.Scene(text=ARM)
        name = scene.add_point("a", [1.02, 0, 0])
        self.assertEqual(scene.points, ["p", name])
        scene["control_points.p.enabled"] = 0
        scene.hold(name, [1.02 * np.cos(0.4), 0, -1.02 * np.sin(0.4)])
        self.assertAlmostEqual(scene.forecast(name).miss, 0.0, delta=0.05)
        with self.assertRaisesRegex(poise.Error, "no rotation to hold"):
            scene.hold(name, np.eye(4))
        before = scene.snapshot()
        scene.remove_point(name)
        self.assertEqual(scene.points, ["p"])
        with self.assertRaises(KeyError):
            scene.reading(name)
        scene.restore(before)
        self.assertIn(name, scene.points)
        with self.assertRaisesRegex(poise.Error, "the scene's own"):
            scene.remove_point("p")
        with self.assertRaisesRegex(KeyError, "body 'b'"):
            scene.add_point("b", [0, 0, 0])

    def test_a_point_pushes_with_the_force_that_is_set(self):
        scene = poise.Scene("press_wall")
        scene.run(3)
        before = scene.reading("finger").force
        scene.push("finger", 1.5 * before)
        scene.run(3)
        read = scene.reading("finger")
        np.testing.assert_allclose(read.force, 1.5 * before, rtol=1e-9)
        np.testing.assert_allclose(read.force_measured, 1.5 * before, atol=0.1 * np.linalg.norm(before))
        with self.assertRaisesRegex(poise.Error, "force: three"):
            scene.push("finger", [1, 2])

    def test_all_errors_are_reported_by_line_and_column(self):
        with self.assertRaises(poise.Error) as caught:
            poise.Scene(text=ARM.replace("damper", "dampr").replace("sphere", "spere"))
        error = caught.exception
        self.assertEqual(error.line, 4)
        self.assertEqual(len([one for one in error.findings if one.severity == "error"]), 2)
        self.assertIn("did you mean", str(error))

    def test_a_scene_that_blows_up_is_a_result_with_its_reason(self):
        scene = poise.Scene(text=ARM.replace(
            "bodies: {", "bodies: {b: {sphere: 0.001, mass: 1.0e-6, at: [5, 5, 5]}, ")
            + "pushes: {blow: {body: b, force: [100000, 0, 0], from: 0.5}}\n")
        run = scene.run(2, record=["p.error"])
        self.assertEqual(run.status, "blew_up")
        self.assertIn("b", run.reason)
        self.assertLess(len(run.table["time"]), 2 / scene.step_length)
        with self.assertRaises(poise.Error):
            scene.step()

    def test_reports_in_lines_are_the_report_with_version_settings_and_units(self):
        call = [os.environ["POISE"], "run", "springhead_2balls", "--seconds", "0.2", "--quiet", "--units",
                "--set", "world.step=0.005", "--set", "joints.joint1.ik.spring=5e4"]
        whole = json.loads(subprocess.run([*call, "--json"], capture_output=True, check=True, text=True).stdout)
        lines = "".join(subprocess.run([*call, "--json-lines"], capture_output=True, check=True, text=True).stdout
                        for _ in range(2)).splitlines()
        self.assertEqual(len(lines), 2)
        for line in map(json.loads, lines):
            # the time of a step differs between runs
            self.assertEqual({**line, "cost": 0}, {**whole, "cost": 0})
        self.assertEqual(whole["version"], 2)
        self.assertEqual(whole["set"], {"world.step": "0.005", "joints.joint1.ik.spring": "5e4"})
        self.assertEqual(whole["units"]["points"]["error"], "m")
        self.assertEqual(whole["units"]["joints"]["torque"], "N m")

    def test_ctrl_c_ends_a_run_at_once(self):
        script = textwrap.dedent(f"""
            import poise
            scene = poise.Scene({str(SCENES / 'full_body.yaml')!r})
            print("running", flush=True)
            try:
                scene.run(1e5)
            except KeyboardInterrupt:
                print("interrupted", scene.time > 0)
            """)
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                              text=True) as process:
            self.assertEqual(process.stdout.readline(), "running\n")
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.readline(), "interrupted True\n")
            self.assertEqual(process.wait(20), 0)


if __name__ == "__main__":
    unittest.main()
