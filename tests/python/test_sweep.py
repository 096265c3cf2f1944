# SPDX-License-Identifier: MIT
"""Studies: the same bytes on every executor, rows that last, deaths of workers, and the command."""
import contextlib
import importlib.util
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import poise
import poise.command
from poise.sweep import Rows

PROGRAM = os.environ["POISE"]
SPRING = "defaults.joint.ik.spring"
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_warn_on_fork": "0",
       "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def has(module):
    return importlib.util.find_spec(module) is not None


def study(draws=12):
    return poise.Study("springhead_2balls", {SPRING: [1e3, 1e5], "control_points.tip.max_speed": "draw:0.5:5"},
                       ["tip.error", "energy.kinetic"], seconds=0.2, draws=draws)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "t.csv"

    def want(self, draws=12):
        """Returns the bytes of the table of a study, by one process."""
        path = self.folder / f"want{draws}.csv"
        if not path.exists():
            study(draws).run(out=path, jobs=1)
        return path.read_bytes()

    def sweep(self, *arguments, **options):
        return subprocess.run([PROGRAM, "sweep", *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=200, **options)


    def command(self, *arguments):
        """Runs the command in this process, which starts in a fifth of a second. Returns its exit code and what it
        writes to stderr, the findings of the library included."""
        here, kept = os.getcwd(), os.dup(2)
        handler = signal.getsignal(signal.SIGTERM)
        os.chdir(self.folder)
        try:
            with tempfile.TemporaryFile() as file, open(os.devnull, "w") as nowhere:
                os.dup2(file.fileno(), 2)
                with (open(os.dup(2), "w", buffering=1) as stderr, contextlib.redirect_stdout(nowhere),
                      contextlib.redirect_stderr(stderr)):
                    code = poise.command.sweep(arguments)
                file.seek(0)
                return code, file.read().decode()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            os.chdir(here)
            signal.signal(signal.SIGTERM, handler)


class Executors(Folder):
    def expect_same(self, executor, **options):
        want = self.want()
        table = study().run(executor, out=self.out, **options)
        self.assertEqual(self.out.read_bytes(), want)
        self.assertEqual(table["run"].tolist(), list(range(24)))
        self.assertEqual(set(table["status"]), {"ok"})
        self.out.unlink()

    def test_any_number_of_processes_and_any_executor_give_the_same_bytes(self):
        for jobs in (1, 3, None):
            self.expect_same(None, jobs=jobs)
        with ProcessPoolExecutor(2, get_context("fork")) as executor:
            self.expect_same(executor)
        with ProcessPoolExecutor(2, get_context("spawn")) as executor:
            self.expect_same(executor)
        with ThreadPoolExecutor(3) as executor:
            self.expect_same(executor)

    @unittest.skipUnless(has("distributed"), "python3-distributed is not installed")
    def test_dask(self):
        import distributed
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                      local_directory=str(self.folder)) as cluster:
            with distributed.Client(cluster) as client:
                self.expect_same(client.get_executor())

    @unittest.skipUnless(has("mpi4py") and shutil.which("mpirun"), "python3-mpi4py or openmpi-bin is not installed")
    def test_the_ranks_of_mpi_in_a_script_and_in_the_command(self):
        want = self.want()
        script = self.folder / "script.py"
        script.write_text(textwrap.dedent(f"""
            import sys
            sys.path.insert(0, {os.path.dirname(__file__)!r})
            if __name__ == "__main__":
                from mpi4py.futures import MPIPoolExecutor
                from test_sweep import study
                with MPIPoolExecutor() as executor:
                    study().run(executor, out="t.csv")
            """))
        for call in ([sys.executable, "-m", "mpi4py.futures", str(script)],
                     [PROGRAM, "sweep", "springhead_2balls", "--vary", f"{SPRING}=[1000.0, 100000.0]", "--vary",
                      "control_points.tip.max_speed=draw:0.5:5", "--figures", "tip.error,energy.kinetic",
                      "--seconds", "0.2", "--draws", "12", "--executor", "mpi", "--out", "t.csv", "--quiet"]):
            ended = subprocess.run(["mpirun", "-n", "2", *call], cwd=self.folder, capture_output=True, text=True,
                                   env={**os.environ, **MPI}, timeout=200)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertEqual(self.out.read_bytes().splitlines()[1:], want.splitlines()[1:])
            self.out.unlink()

    def test_shards_make_one_table_with_their_last(self):
        for shard in ("3/4", "1/4", "4/4"):
            self.assertIsNone(study().run(out=self.out, shard=shard, jobs=2))
        self.assertEqual(len(study().run(out=self.out, shard="2/4", jobs=2)["run"]), 24)
        self.assertEqual(self.out.read_bytes(), self.want())

    def test_without_a_file_nothing_is_left(self):
        before = set(os.listdir(tempfile.gettempdir()))
        table = study(2).run()
        self.assertEqual(len(table["tip.error"]), 4)
        self.assertEqual({name for name in set(os.listdir(tempfile.gettempdir())) - before
                          if name.startswith("poise-study-")}, set())


class Deaths(Folder):
    def patch_row(self, function):
        """Replaces the function that makes a run: forked workers have the replacement."""
        row = poise.Study._row
        poise.Study._row = lambda study, run: function(run) or row(study, run)
        self.addCleanup(setattr, poise.Study, "_row", row)

    def die_once(self, run):
        mark = self.folder / f"died{run}"
        if run in (3, 4, 17) and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)

    def test_a_worker_that_is_killed_is_replaced_and_its_runs_are_made(self):
        want = self.want()
        self.patch_row(self.die_once)
        for executor in (None, ProcessPoolExecutor(2, get_context("fork"))):
            study().run(executor, out=self.out, jobs=2)
            self.assertEqual(len(list(self.folder.glob("died*"))), 3)
            self.assertEqual(self.out.read_bytes(), want)
            for mark in self.folder.glob("died*"):
                mark.unlink()

    def test_a_run_that_ends_its_process_each_time_costs_that_run_alone(self):
        want = self.want().splitlines()
        self.patch_row(lambda run: os.kill(os.getpid(), signal.SIGKILL) if run in (0, 6, 7) else None)
        table = study().run(out=self.out, jobs=2)
        self.assertEqual(np.flatnonzero(table["status"] == "crashed").tolist(), [0, 6, 7])
        self.assertEqual(table["reason"][6], "its process ended twice")
        have = self.out.read_bytes().splitlines()
        self.assertEqual([line for k, line in enumerate(have) if k not in (1, 7, 8)],
                         [line for k, line in enumerate(want) if k not in (1, 7, 8)])

    def test_an_error_of_a_run_ends_the_study_and_keeps_the_other_rows(self):
        def fail(run):
            if run == 20:
                raise poise.Error("memory is short")
        self.patch_row(fail)
        with self.assertRaisesRegex(poise.Error, "memory is short"):
            study().run(out=self.out, jobs=1)
        self.assertFalse(self.out.exists())
        self.assertGreater(Rows(study(), self.out).done().sum(), 5)

    def test_a_study_that_was_ended_goes_on_where_it_was(self):
        want, made = self.want(), self.folder / "made"
        with made.open("ab", 0) as file:
            def count(run):
                file.write(b"%d\n" % run)
                if run == 15 and file.tell() < 60:
                    os.kill(os.getppid(), signal.SIGINT)
            self.patch_row(count)
            with self.assertRaises(KeyboardInterrupt):
                study().run(out=self.out, jobs=1)
            kept = Rows(study(), self.out).done()
            self.assertGreater(kept.sum(), 8)
            made.write_bytes(b"")
            study().run(out=self.out, jobs=2)
        again = [int(run) for run in made.read_text().split()]
        self.assertEqual(sorted(again), np.flatnonzero(~kept).tolist())
        self.assertEqual(self.out.read_bytes(), want)

    def test_workers_end_with_their_parent(self):
        with subprocess.Popen([PROGRAM, "sweep", "springhead_2balls", "--vary", f"{SPRING}=1000", "--draws", "100000",
                               "--figures", "time", "--out", "t.csv", "--jobs", "2"], cwd=self.folder) as parent:
            children = []
            for _ in range(200):
                children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
                if len(children) >= 2:
                    break
                time.sleep(0.05)
            parent.kill()
        self.assertEqual(len(children), 2)
        for _ in range(100):
            left = [one for one in children if Path(f"/proc/{one}/stat").exists()
                    and Path(f"/proc/{one}/stat").read_text().split()[2] != "Z"]
            if not left:
                break
            time.sleep(0.05)
        self.assertEqual(left, [])


class Objects(Folder):
    def test_a_study_tells_its_runs(self):
        one = study(2)
        self.assertEqual((len(one), one.keys, one.figures),
                         (4, [SPRING, "control_points.tip.max_speed"], ["tip.error", "energy.kinetic"]))
        self.assertEqual(one.values(3)[0], "100000.0")
        self.assertIn("4 runs", repr(one))
        self.assertEqual(pickle.loads(pickle.dumps(one)).fingerprint, one.fingerprint)
        with self.assertRaises(IndexError):
            one.values(4)

    def test_values_are_taken_in_every_form(self):
        for values, runs in [([1, 2.5], 2), (np.linspace(1, 2, 3), 3), (range(1, 5), 4), ("1:10:5:log", 5),
                             ({"from": 1, "to": 2, "count": 6}, 6), ({"draw": [1, 2]}, 1)]:
            self.assertEqual(len(poise.Study("springhead_2balls", {SPRING: values}, "tip.error")), runs, values)
        self.assertEqual(len(poise.Study("springhead_2balls", {"control_points.tip.position": [[1, 0, 0], [0, 1, 0]]},
                                         ["tip.error"])), 2)

    def test_a_studys_file_is_read(self):
        springs = poise.Study(Path(os.environ["POISE_SOURCE_DIR"]) / "scenes/studies/springs.yaml")
        self.assertEqual(len(springs), 10000)

    def test_mistakes_are_refused(self):
        for call, words in [
                (lambda: poise.Study("springhead_2balls", {SPRING: "1:2"}, "tip.error"), "from: A, to: B"),
                (lambda: poise.Study("springhead_2balls", {}, "tip.error"), "no key is varied"),
                (lambda: poise.Study("springhead_2balls", {SPRING: [1]}, ["tip.eror"]).run(), "no figure 'tip.eror'"),
                (lambda: poise.Study("springhead_2balls", {"wrld.step": [1]}, ["time"]).run(out=self.out),
                 "springhead_2balls: the first run is refused: unknown key 'wrld'"),
                (lambda: study().run(shard="1/2"), "out: a file is due"),
                (lambda: study().run(out=self.out, shard="3/2"), "shard: K/N is due"),
                (lambda: study().run(out=self.out, jobs=0), "jobs: 1 or more"),
                (lambda: study().run(out="/dev/null"), "it is no regular file"),
                (lambda: study().run(out=self.folder), "Is a directory")]:
            with self.assertRaisesRegex(poise.Error, words):
                call()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_file_that_changes_ends_the_study(self):
        def robot(mass):
            (self.folder / "one.urdf").write_text(
                f"<robot name='r'><link name='a'/><link name='b'><inertial><mass value='{mass}'/><inertia ixx='1' "
                "iyy='1' izz='1'/></inertial></link><joint name='j' type='continuous'><parent link='a'/>"
                "<child link='b'/></joint></robot>")
        robot(1)
        (self.folder / "s.yaml").write_text("poise: 1\nrobots: {r: {urdf: one.urdf}}\n")
        one = poise.Study(self.folder / "s.yaml", {"world.step": [0.01]}, ["time"], seconds=0.02)
        robot(9)
        with self.assertRaisesRegex(poise.Error, "was changed"):
            one.run(out=self.out)

    def test_rows_of_another_study_are_refused_and_begun_anew(self):
        with self.assertRaises(poise.Error):
            study(3).run(out=self.out, shard="1/2") or study(4).run(out=self.out)
        study().run(out=self.out, resume=False)
        self.assertEqual(self.out.read_bytes(), self.want())

    def test_progress_is_told(self):
        told = []
        study().run(progress=lambda made, total: told.append((made, total)))
        self.assertEqual(told[-1], (24, 24))
        self.assertEqual(told, sorted(told))

    @unittest.skipUnless(has("matplotlib"), "python3-matplotlib is not installed")
    def test_a_table_draws_itself(self):
        import matplotlib
        matplotlib.use("Agg")
        table = poise.Study("springhead_2balls", {SPRING: "1e3:1e5:3:log", "defaults.joint.ik.damper": "10:100:2"},
                            ["tip.error"], seconds=0.02).run()
        axes = table.curve("tip.error", SPRING, log=True)
        np.testing.assert_array_equal(axes.lines[0].get_xdata(), [1e3, 1e4, 1e5])
        self.assertEqual(axes.get_xscale(), "log")
        heat = table.heat_map("tip.error", SPRING, "defaults.joint.ik.damper")
        self.assertEqual(heat.collections[0].get_array().size, 6)
        with self.assertRaisesRegex(ValueError, "no column"):
            table.curve("tip.eror", SPRING)


class Command(Folder):
    def test_calls_that_are_no_good_say_what_is_due(self):
        (self.folder / "arm.yaml").write_text(
            "poise: 1\nseconds: 0.1\nbodies: {arm: {box: [0.1, 0.1, 1], at: [0, 0, 0.5]}}\n"
            "joints: {hip: {ball: [0, 0, 0], between: [world, arm], ik: {spring: 1000, damper: 100}}}\n"
            "control_points: {tip: {body: arm, at: [0, 0, 0.5], position: [0.6, 0, 0.8]}}\n")
        hip = "joints.hip.ik.spring"
        varied = ["arm.yaml", "--vary", f"{hip}=1:2:2", "--figures", "tip.error"]
        for arguments, code, says in [
                ([], 2, "usage: poise sweep"),
                (["arm.yaml", "other.yaml"], 2, "one file at a time"),
                (["arm.yaml"], 3, "a study begins with `sweep: 1`"),
                (["springhead_2balls"], 2, "is a scene: --vary says what to vary"),
                (["none.yaml"], 3, "none.yaml"),
                ([*varied, "--frob"], 2, "usage: poise sweep"),
                ([*varied, "--shrad", "1/2"], 2, "unrecognized option '--shrad'; did you mean '--shard'?"),
                ([*varied, "--res"], 2, "unrecognized option '--res'"),
                ([*varied, "--shard"], 2, "--shard: expected one argument"),
                ([*varied, "--shard", "3/2"], 2, "--shard: K/N is due"),
                ([*varied, "--shard", "0/2"], 2, "--shard: K/N is due"),
                ([*varied, "--shard", "1/2x"], 2, "--shard: K/N is due"),
                ([*varied, "--shard", "2"], 2, "--shard: K/N is due"),
                ([*varied, "--shard", "1/9999999"], 2, "--shard: K/N is due"),
                ([*varied, "--jobs", "0"], 2, "--jobs: a whole number"),
                ([*varied, "--jobs", "many"], 2, "--jobs: a whole number"),
                ([*varied, "--executor", "threads"], 2, "--executor: processes, mpi, dask"),
                ([*varied, "--resume", "--again"], 2, "--resume and --again: one of them"),
                ([*varied, "--seconds", "-1", "--list"], 3, "--seconds=-1:1:9: error: 'seconds'"),
                ([*varied, "--out", "nowhere/o.csv"], 3, "nowhere/o.csv: cannot be written: No such"),
                (["arm.yaml", "--vary", "=1:2:2", "--figures", "tip.error"], 3, "KEY=VALUES"),
                (["arm.yaml", "--vary", hip, "--figures", "tip.error"], 3, "KEY=VALUES"),
                (["arm.yaml", "--vary", f"{hip}=[1", "--figures", "tip.error"], 3, "YAML"),
                (["arm.yaml", "--vary", f"{hip}=1:x:3", "--figures", "tip.error"], 3,
                 f"--vary {hip}=1:x:3:1:24: error: '{hip}': a number is due"),
                (["arm.yaml", "--vary", f"{hip}=1:2:2", "--figures", "tap.error"], 3, "tap.error")]:
            ended, stderr = self.command(*arguments)
            self.assertEqual(ended, code, (arguments, stderr))
            self.assertIn(says, stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["arm.yaml"])
        ended = self.sweep(*varied, "--vary", "world.step=0.01,0.02", "--list")
        self.assertEqual(ended.stdout, f"run  {hip}  world.step\n0  1  0.01\n1  1  0.02\n2  2  0.01\n3  2  0.02\n")
        self.assertEqual(self.sweep(*varied, "--out", "o.csv").stderr, "poise: 2 runs are in o.csv\n")

    def test_a_table_replaces_nothing_that_is_read(self):
        texts = {"study.yaml": "sweep: 1\nscene: robot.yaml\nseconds: 0.01\nfigures: [energy.kinetic]\nvary: "
                               "{robots.r.urdf: [one.urdf, two.urdf], world.step: [0.01]}\n",
                 "robot.yaml": "poise: 1\nrobots: {r: {urdf: one.urdf}}\n"}
        for name in ("one", "two"):
            texts[f"{name}.urdf"] = (
                "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
                "izz='1'/></inertial></link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
                "</joint></robot>")
        for name, text in texts.items():
            (self.folder / name).write_text(text)
        (self.folder / "link.csv").symlink_to("two.urdf")
        for out, said in [("study.yaml", "study.yaml"), ("robot.yaml", "robot.yaml"), ("one.urdf", "one.urdf"),
                          ("two.urdf", "two.urdf"), ("link.csv", "two.urdf")]:
            ended = self.sweep("study.yaml", "--out", out)
            self.assertEqual(ended.returncode, 3)
            self.assertIn(f"{out}: cannot be written: it would replace '{said}'", ended.stderr)
        for name, text in texts.items():
            self.assertEqual((self.folder / name).read_text(), text)

    def test_rows_of_before_are_kept_whatever_lies_beside_them(self):
        short = ["springhead_2balls", "--figures", "tip.error", "--seconds", "0.02", "--quiet",
                 "--vary", f"{SPRING}=1000,2000,3000,4000"]
        self.assertEqual(self.sweep(*short, "--out", "want.csv").returncode, 0)
        self.assertEqual(self.sweep(*short, "--out", "t.csv", "--shard", "1/2", "--jobs", "1").returncode, 0)
        ended = self.sweep(*short, "--out", "t.csv")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("t.csv.parts has 2 rows already: --resume goes on, --again begins anew", ended.stderr)
        ended = self.sweep(*short, "--out", "t.csv", "--resume", "--seed", "5")
        self.assertEqual(ended.returncode, 3)
        self.assertIn("its rows are of another study", ended.stderr)
        parts = self.folder / "t.csv.parts"
        (parts / "part-80.csv").symlink_to("part-80.csv")
        self.assertIn("cannot be read: Too many levels", self.sweep(*short, "--out", "t.csv", "--resume").stderr)
        (parts / "part-80.csv").unlink()
        # lines that are no rows; half a line; a file of a process killed before its first line; a
        # link to a missing file; and files that are no part
        with (parts / "part-1of2-1.csv").open("a") as file:
            file.write("nonsense\n-1,x\n99999,x\n99999999999999,x\n7\n3")
        (parts / "part-77.csv").write_text("half")
        (parts / "part-78.csv").symlink_to("nowhere")
        (parts / "notes").write_text("\n")
        (parts / "part-.txt").write_text("\n")
        self.assertEqual(self.sweep(*short, "--out", "t.csv", "--resume").returncode, 0)
        self.assertEqual(self.out.read_bytes(), (self.folder / "want.csv").read_bytes())
        (self.folder / "file.csv.parts").write_text("")
        self.assertEqual(self.sweep(*short, "--out", "file.csv").returncode, 3)

    def test_an_interrupted_sweep_keeps_its_rows(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            shutil.rmtree(self.folder / "i.csv.parts", ignore_errors=True)
            with subprocess.Popen([PROGRAM, "sweep", "springhead_2balls", "--vary", f"{SPRING}=1000", "--draws",
                                   "100000", "--figures", "tip.error", "--seconds", "1", "--out", "i.csv",
                                   "--jobs", "2"], cwd=self.folder, stderr=subprocess.PIPE,
                                  text=True) as process:
                for _ in range(400):
                    if any((self.folder / "i.csv.parts").glob("*")):
                        break
                    time.sleep(0.05)
                time.sleep(0.5)
                sent = time.monotonic()
                process.send_signal(number)
                self.assertIn("interrupted; --resume goes on from here", process.stderr.read())
                self.assertEqual(process.wait(20), 130)
                print(f"{number.name}: ended {time.monotonic() - sent:.2f} s later")
            rows = "".join(part.read_text() for part in (self.folder / "i.csv.parts").iterdir())
            self.assertIn(",1000,ok,", rows)
            self.assertFalse((self.folder / "i.csv").exists())

    def test_untrusted_scenes_are_kept_in_their_folder(self):
        (self.folder / "scene.yaml").write_text("poise: 1\nrobots: {r: {urdf: /etc/hostname}}\n")
        ended = self.sweep("scene.yaml", "--vary", "world.step=0.01", "--figures", "time", "--untrusted")
        self.assertEqual(ended.returncode, 3)
        self.assertIn("the first run is refused", ended.stderr)
        self.assertIn("/etc/hostname", ended.stderr)

    def test_without_its_package_the_command_names_it(self):
        empty = self.folder / "bin"
        empty.mkdir()
        shutil.copy(PROGRAM, empty)
        # a Python interpreter without packages
        (empty / "python3").symlink_to(sys.executable)
        (empty / "pyvenv.cfg").write_text(f"home = {self.folder}\n")
        ended = subprocess.run([empty / "poise", "sweep", "x"], capture_output=True, text=True,
                               env={"PATH": str(empty), "PYTHONHOME": str(self.folder)})
        self.assertNotEqual(ended.returncode, 0)
        (empty / "python3").unlink()
        (empty / "python3").write_text("#!/bin/sh\nexec " + sys.executable + " -S -E \"$@\"\n")
        (empty / "python3").chmod(0o755)
        ended = subprocess.run([empty / "poise", "sweep", "x"], capture_output=True, text=True,
                               env={"PATH": str(empty)})
        # the second interpreter, /usr/bin/python3, may have the package
        self.assertIn("python3-poise" if ended.returncode == 2 else "x: ", ended.stderr)

    def test_files_of_the_working_folder_are_not_imported(self):
        (self.folder / "poise.py").write_text("raise SystemExit('imported')\n")
        (self.folder / "numpy.py").write_text("raise SystemExit('imported')\n")
        ended = self.sweep("--help")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertTrue(ended.stdout.startswith("usage: poise sweep"))


if __name__ == "__main__":
    unittest.main()
