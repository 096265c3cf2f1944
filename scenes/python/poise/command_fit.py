# SPDX-License-Identifier: MIT
"""The command `poise fit`: fits settings of a scene to a recorded run."""
from __future__ import annotations

import argparse
import json
from typing import Sequence

from ._library import Error
from .command import _Parser, _Wrong, run_command
from .fitting import Fit, fit as fit_record
from .scene import Scene

USAGE = """\
usage: poise fit SCENE RECORD.csv --vary KEY[=START].. [options]
Finds values of a scene's settings with which it repeats a recorded run, and how sure they
are. The record has a column time (s) and columns named as those of `poise run --csv`, in SI
units; an empty cell was not recorded.
  --vary KEY[=START] a key as in --set of poise run, and a value above 0 to begin with (the
                     scene's). Given again: several values at once
  --columns NAME,..  columns to repeat (all that the scene has, without goals)
  --plot FILE        the record as dots and the fitted scene as lines (matplotlib)
  --json             one JSON object
  --set KEY=VALUE    instead of what the scene says, as in poise run
  --untrusted        robots, meshes and parts only from below the scene's folder; the
                     default where CI is set in the environment, else --trusted
Ends with 3 if the record is no good: it says which row or column, and why.
Examples:
  poise fit reach record.csv --vary joints.left_elbow.ik.spring --vary joints.left_elbow.ik.damper
"""


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--vary", action="append", default=[])
    parser.add_argument("--set", action="append", default=[])
    for name in ("--columns", "--plot"):
        parser.add_argument(name)
    for name in ("--json", "--trusted", "--untrusted"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    options = parser.parse_args(argv)
    if not options.help and len(options.files) != 2:
        raise _Wrong("a scene and a record are due", True)
    if not options.help and not options.vary:
        raise _Wrong("which values? --vary KEY", True)
    return options


def _settings(texts: Sequence[str]) -> dict[str, str]:
    settings = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise _Wrong(f"--set: KEY=VALUE is due, not '{text}'")
        settings[key] = value
    return settings


def _start(texts: Sequence[str], scene: Scene) -> dict[str, float]:
    start = {}
    for text in texts:
        key, equals, value = text.partition("=")
        try:
            start[key] = float(value) if equals else scene[key]
        except ValueError:
            raise _Wrong(f"--vary: a number is due after '{key}=', not '{value}'") from None
        except KeyError:
            raise Error(f"--vary: the scene has no value of '{key}' to begin with: {key}=START") from None
    return start


def _print(found: Fit, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"values": found.values, "deviations": found.deviations,
                          "residuals": found.residuals, "notes": found.notes}))
        return
    width = max(len(name) for name in [*found.values, *found.residuals])
    for key, value in found.values.items():
        print(f"{key:{width}}  {value:.6g} +- {found.deviations[key]:.2g}")
    print()
    for name, size in found.residuals.items():
        print(f"{name:{width}}  rms left {size:.3g}")
    for note in found.notes:
        print(f"note: {note}")


def _fit(options: argparse.Namespace) -> int:
    scene, record = options.files
    settings = _settings(options.set)
    trusted = False if options.untrusted else True if options.trusted else None
    start = _start(options.vary, Scene(scene, settings=settings, trusted=trusted))
    found = fit_record(scene, record, start, settings=settings, trusted=trusted,
                       columns=options.columns.split(",") if options.columns else None)
    if options.plot:
        found.plot().figure.savefig(options.plot)
    _print(found, options.json)
    return 0


def fit(argv: Sequence[str]) -> int:
    """Runs `poise fit`. Returns its exit code."""
    def run() -> int:
        options = _parse(argv)
        if options.help:
            print(USAGE, end="")
        try:
            return 0 if options.help else _fit(options)
        except Error as wrong: # run_command prints no error with findings: a study prints them when read
            raise Error(str(wrong)) from None
    return run_command(run, USAGE)
