# SPDX-License-Identifier: MIT
"""Tables of studies: reading, storing and drawing them changes no value."""
import contextlib
import importlib.util
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from poise import study

CSV = ('run,springs,target,status,reason,tip.error,state_hash\n'
       '0,100,"[1, 2]",ok,,0.5,00000000000000e1\n'
       '1,100,"[1, 3]",ok,,0.25,1234567812345678\n'
       '2,1000,"[1, 2]",blew_up,"link2, at 0.3 s",,abcdefabcdefabcd\n'
       '3,1000,"[1, 3]",ok,,0.125,00000000000000e1\n')


def has(module):
    return importlib.util.find_spec(module) is not None


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "study.csv"
        self.path.write_text(CSV)
        self.table = study.load(self.path)

    def file(self, name):
        return self.path.with_name(name)

    def expect_same(self, other):
        self.assertEqual(list(other), list(self.table))
        for name, column in self.table.items():
            np.testing.assert_array_equal(other[name], column)

    def test_columns_are_numbers_or_text(self):
        np.testing.assert_array_equal(self.table["springs"], [100, 100, 1000, 1000])
        np.testing.assert_array_equal(self.table["tip.error"], [0.5, 0.25, np.nan, 0.125])
        self.assertEqual(self.table["target"][1], "[1, 3]")
        self.assertEqual(self.table["reason"].tolist(), ["", "", "link2, at 0.3 s", ""])
        # as a number, 00000000000000e1 would be 0
        self.assertEqual(self.table["state_hash"][0], "00000000000000e1")

    def test_npz_and_back_and_the_same_bytes_again(self):
        study.save(self.table, self.file("a.npz"))
        study.save(self.table, self.file("b.npz"))
        self.expect_same(study.load(self.file("a.npz")))
        self.assertEqual(self.file("a.npz").read_bytes(), self.file("b.npz").read_bytes())

    @unittest.skipUnless(has("h5py"), "python3-h5py is not installed")
    def test_hdf5_and_back(self):
        study.save(self.table, self.file("a.h5"))
        self.expect_same(study.load(self.file("a.h5")))

    def test_a_file_that_cannot_be_written_leaves_the_old_one(self):
        study.save(self.table, self.file("a.npz"))
        before = self.file("a.npz").read_bytes()
        with self.assertRaises(ValueError):
            study.save({"a": np.array([1.0]), "b": None, "c": np.array([object()])}, self.file("a.txt"))
        with self.assertRaises(Exception):
            study.save({"a": _Broken()}, self.file("a.npz"))
        self.assertEqual(self.file("a.npz").read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.path.parent.iterdir()), ["a.npz", "study.csv"])

    def test_the_mean_leaves_out_what_is_not_there(self):
        x, y = study.mean_curve(self.table, "springs", "tip.error")
        np.testing.assert_array_equal(x, [100, 1000])
        np.testing.assert_array_equal(y, [0.375, 0.125])

    def test_what_is_wrong_is_said_with_file_and_line(self):
        for text, says in (("", "study.csv: is empty"), ("a,b\n1,2\n3\n", "study.csv:3: the row has 1")):
            self.path.write_text(text)
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(study.main([str(self.path)]), 3)
            self.assertIn(says, said.getvalue())

    def test_a_column_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(ValueError, "no column 'spring'; there are run, springs"):
            study.mean_curve(self.table, "spring", "tip.error")
        with self.assertRaisesRegex(ValueError, "'status' holds no numbers"):
            study.mean_curve(self.table, "springs", "status")

    @unittest.skipUnless(has("matplotlib"), "python3-matplotlib is not installed")
    def test_pictures_have_their_axes_and_the_same_bytes_again(self):
        arguments = [str(self.path), "--heat", "tip.error", "--x", "springs", "--y", "run", "--log"]
        pictures = [self.file(name) for name in ("a.svg", "b.svg")]
        for picture in pictures:
            self.assertEqual(study.main([*arguments, "--picture", str(picture)]), 0)
        self.assertEqual(pictures[0].read_bytes(), pictures[1].read_bytes())
        self.assertIn(b"springs", pictures[0].read_bytes())
        curve = self.file("c.svg")
        self.assertEqual(study.main([str(self.path), "--curve", "tip.error", "--x", "springs",
                                     "--picture", str(curve)]), 0)
        self.assertIn(b"tip.error", curve.read_bytes())

    @unittest.skipUnless(has("matplotlib"), "python3-matplotlib is not installed")
    def test_the_heat_map_shows_the_means(self):
        import matplotlib
        matplotlib.use("Agg")
        from poise import plot
        table = {"x": np.array([1.0, 1.0, 2.0]), "y": np.array([5.0, 5.0, 6.0]),
                 "v": np.array([1.0, 3.0, 7.0])}
        axes = plot.heat_map(table, "x", "y", "v")
        np.testing.assert_array_equal(axes.collections[0].get_array().reshape(2, 2).filled(np.nan),
                                      [[2.0, np.nan], [np.nan, 7.0]])

    @unittest.skipUnless(has("pandas"), "python3-pandas is not installed")
    def test_pandas_takes_a_table(self):
        import pandas
        self.assertEqual(pandas.DataFrame(self.table)["tip.error"].max(), 0.5)


class _Broken:
    def __array__(self, *_):
        raise MemoryError


class Studies(unittest.TestCase):
    def test_each_study_of_the_scenes_is_good(self):
        folder = Path(os.environ["POISE_SOURCE_DIR"]) / "scenes/studies"
        counts = {}
        for path in folder.glob("*.yaml"):
            listed = subprocess.run([os.environ["POISE"], "sweep", str(path), "--list"], check=True,
                                    capture_output=True, text=True).stdout
            counts[path.stem] = len(listed.splitlines()) - 1
        self.assertEqual(counts["springs"], 10000)
        self.assertGreaterEqual(counts["blend"], 31)


if __name__ == "__main__":
    unittest.main()
