# SPDX-License-Identifier: MIT
"""Junk in every argument of every public function. Each array lies before a page that cannot be read or
written, so that a step past its end kills the test. A call is refused by an exception of the kinds below,
or gives an answer; a refusal changes nothing. POISE_JUNK=1 prints each call before it is made."""
import ctypes
import faulthandler
import mmap
import os
import sys
import tempfile
import unittest
from datetime import datetime
from pathlib import Path
from unittest import mock

import numpy as np
import poise
from poise import study

PAGE = mmap.PAGESIZE
REFUSALS = (poise.Error, TypeError, ValueError, KeyError, IndexError, OverflowError, AttributeError, OSError,
            MemoryError)
SOURCE = Path(os.environ["POISE_SOURCE_DIR"])
ARM = (SOURCE / "tests/scenes/good.urdf").read_text()
SCENE = """\
poise: 1
seconds: 0.05
bodies: {a: {sphere: 0.05, mass: 2, at: [1, 0, 0]}, b: {sphere: 0.05, at: [2, 0, 0]}}
joints:
  j: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, a], ik: {spring: 400, damper: 40}}
  k: {ball: [1, 0, 0], between: [a, b], ik: {spring: 400, damper: 40}}
control_points: {p: {body: b, position: [1.5, 0, 0.5]}}
"""
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_np_empty, _np_zeros = np.empty, np.zeros


# junk that is made of the good argument
NO_ROWS, MANY_ROWS, OTHER_TYPE = object(), object(), object()


def guarded(array):
    """Returns a copy of the array that ends where a protected page begins."""
    array = np.ascontiguousarray(array)
    pages = -(-array.nbytes // PAGE)
    memory = mmap.mmap(-1, (pages + 1) * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if _libc.mprotect(start + pages * PAGE, PAGE, 0) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    copy = np.frombuffer(memory, array.dtype, array.size, pages * PAGE - array.nbytes).reshape(array.shape)
    copy[...] = array
    return copy


def guarded_empty(shape, dtype=float):
    return guarded(np.full(shape, 0x5a, np.uint8) if np.dtype(dtype) == np.uint8 else _np_empty(shape, dtype))


def guarded_zeros(shape, dtype=float):
    return guarded(_np_zeros(shape, dtype))


def of_good(junk, good):
    """Returns the junk value, which may be made of the good argument."""
    if not isinstance(good, np.ndarray):
        return junk
    rows = good[None] if good.ndim == 1 else good
    return (guarded(rows[:0]) if junk is NO_ROWS else guarded(np.repeat(rows, 300, 0)) if junk is MANY_ROWS
            else guarded(good.astype(np.float32)) if junk is OTHER_TYPE else junk)


class Odd:
    """An array that states another shape than its memory has."""
    __array_interface__ = {"shape": (1, 7), "typestr": "<f8", "version": 3, "data": b"\0" * 16}


def raising():
    yield 1.0
    raise RuntimeError("a generator that fails")


JUNK = {
    "none": lambda: None, "true": lambda: True, "zero": lambda: 0, "negative": lambda: -1, "huge": lambda: 10**30,
    "half": lambda: 0.5, "nan": lambda: float("nan"), "inf": lambda: -np.inf, "large": lambda: 1e300,
    "complex": lambda: 1j, "empty text": lambda: "", "text": lambda: "nothing", "nul": lambda: "p\0q",
    "surrogate": lambda: "\ud800", "long text": lambda: "x" * 100000, "bytes": lambda: b"p",
    "path": lambda: Path("/nowhere"), "empty list": list, "ragged": lambda: [[1, 2], [3]], "dict": lambda: {"p": 1},
    "set": lambda: {1, 2}, "function": lambda: len, "object": object, "date": lambda: datetime(2026, 1, 1),
    "no rows": lambda: guarded(_np_empty((0, 4))), "no columns": lambda: guarded(_np_empty((4, 0))),
    "scalar": lambda: np.array(1.0), "four axes": lambda: guarded(_np_zeros((1, 1, 1, 4))),
    "one short": lambda: guarded(np.ones((2, 3))), "nans": lambda: guarded(np.full((2, 4), np.nan)),
    "texts": lambda: np.array([["a"] * 4]), "objects": lambda: np.array([[None] * 4]),
    "int8": lambda: guarded(np.ones((2, 4), np.int8)), "big end": lambda: np.ones((2, 4), ">f8"),
    "turned": lambda: np.ones((4, 7)).T[::-1], "broadcast": lambda: np.broadcast_to(1.0, (10**6, 4)),
    "masked": lambda: np.ma.masked_all((2, 4)), "record": lambda: np.zeros(2, [("a", float), ("b", float)]),
    "its no rows": lambda: NO_ROWS, "its many rows": lambda: MANY_ROWS, "its other type": lambda: OTHER_TYPE,
    "lying": Odd, "memoryview": lambda: memoryview(b"12345678" * 4), "generator": raising,
}


class Junk(unittest.TestCase):
    def setUp(self):
        faulthandler.enable()
        for name, made in (("empty", guarded_empty), ("zeros", guarded_zeros)):
            patch = mock.patch.object(np, name, made)
            patch.start()
            self.addCleanup(patch.stop)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.scene = poise.Scene(text=SCENE)
        self.robot = poise.Robot("arm.urdf", text=ARM)
        self.chain = self.robot.chain("tool")
        self.posture = guarded(self.chain.middle() + 0.1)
        self.place = guarded(self.chain.forward(self.posture)[:3])
        self.kept = self.scene.snapshot()
        self.table = Path(self.folder.name, "table.npz")
        study.save({"x": np.array([1.0, 2.0]), "y": np.array([3.0, 4.0])}, self.table)

    def calls(self):
        """Names of calls, the calls, and good arguments."""
        scene, robot, chain = self.scene, self.robot, self.chain
        place, posture = self.place, self.posture
        table = study.load(self.table)
        out = guarded(_np_zeros((1, 3)))
        joint = poise.Joint("a")
        return {
            "Scene": (poise.Scene, ["scene.yaml"], {"text": SCENE, "settings": {"world.step": 0.01}, "trusted": True}),
            "scene.get": (scene.__getitem__, ["p.error"], {}),
            "scene.set": (scene.__setitem__, ["joints.j.ik.spring", 300.0], {}),
            "scene.unit": (scene.unit, ["p.error"], {}),
            "scene.array": (scene.array, ["points"], {"out": out}),
            "scene.step": (scene.step, [1], {}),
            "scene.run": (scene.run, [0.02], {"record": ["p.error"], "progress": lambda part: None}),
            "scene.forecast": (scene.forecast, ["p"], {"seconds": 0.1}),
            "scene.reading": (scene.reading, ["p"], {}),
            "scene.hold": (scene.hold, ["p", place], {}),
            "scene.push": (scene.push, ["p", place], {}),
            "scene.add_point": (scene.add_point, ["b", place], {}),
            "scene.release": (scene.release, ["p"], {}),
            "scene.restore": (scene.restore, [self.kept], {}),
            "Robot": (poise.Robot, ["arm.urdf"], {"text": ARM, "trusted": True}),
            "robot.chain": (robot.chain, ["tool", (0.0, 0.0, 0.0)], {"base": "fixed"}),
            "robot.solve": (robot.solve, [place, "tool", (0.0, 0.0, 0.0)], {"base": "fixed", "iterations": 50}),
            "robot.solve tips": (robot.solve, [place.reshape(1, 1, 3), ["tool"]],
                                 {"start": robot.home(), "starts": 2, "seed": 1, "follow": False, "leap": True,
                                  "tolerance": (1e-3, 1e-3)}),
            "chain.forward": (chain.forward, [posture], {}),
            "chain.jacobian": (chain.jacobian, [posture], {}),
            "chain.solve": (chain.solve, [place],
                            {"start": posture, "goal": "position", "follow": False, "leap": False, "answers": 1,
                             "threads": 1, "iterations": 50, "tolerance": (1e-3, 1e-3)}),
            "Chain": (poise.Chain, [[joint]], {}),
            "Chain.from_csv": (poise.Chain.from_csv, [SOURCE / "scenes/robots/none.csv"], {}),
            "Joint": (lambda *parts: poise.Chain([poise.Joint(*parts)]),
                      ["a", "revolute", (0, 0, 0), (0, 0, 0), (0, 0, 1), -1.0, 1.0], {}),
            "study.load": (study.load, [self.table], {}),
            "study.save": (study.save, [table, Path(self.folder.name, "out.npz")], {}),
            "study.mean_curve": (study.mean_curve, [table, "x", "y"], {}),
        }

    def state(self):
        return (self.scene.state_hash, self.scene["joints.j.ik.spring"],
                self.robot.home().tobytes(), self.chain.forward(self.posture).tobytes())

    def refused(self, name, call, arguments, options):
        """Makes the call. Returns True if it was refused by an exception that a caller may expect."""
        if os.environ.get("POISE_JUNK"):
            print(name, file=sys.stderr, flush=True)
        try:
            call(*arguments, **options)
        except REFUSALS:
            return True
        except RuntimeError as error:
            self.assertIn("a generator that fails", str(error))
            return True
        return False

    def test_good_arguments_are_taken_and_no_array_is_left(self):
        for name, (call, arguments, options) in self.calls().items():
            with self.subTest(name):
                self.assertEqual(self.refused(name, call, arguments, options), name == "Chain.from_csv")

    def test_junk_is_refused_or_answered_and_a_refusal_changes_nothing(self):
        made = refused = 0
        for name, (call, arguments, options) in self.calls().items():
            for place in [*range(len(arguments)), *options]:
                for kind, junk in JUNK.items():
                    # a run of 1e300 s or 10^30 steps is no junk; a caller's own function may raise after steps
                    if (name in ("scene.step", "scene.run") and kind in ("huge", "large")
                            or place == "progress" and kind == "function"):
                        continue
                    given, named = list(arguments), dict(options)
                    of = given if isinstance(place, int) else named
                    of[place] = of_good(junk(), of[place])
                    before = self.state()
                    with self.subTest(call=name, argument=place, junk=kind):
                        made += 1
                        if self.refused(f"{name} {place} {kind}", call, given, named):
                            refused += 1
                            self.assertEqual(self.state(), before)
                    self.scene.restore(self.kept)
                    self.scene["joints.j.ik.spring"] = 400
        print(f"{made} junk calls of {len(JUNK)} kinds: {refused} refused, {made - refused} answered")
        self.assertGreater(refused, 500)
