# SPDX-License-Identifier: MIT
"""The JSON Schema of the scene format: every scene is valid, bad scenes are not, and the file for editors
is the output of `poise format --json-schema`."""
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is missing: python3-jsonschema, python3-yaml")

SCENES = Path(os.environ["POISE_SOURCE_DIR"]) / "scenes"


class Loader(yaml.SafeLoader):
    """Reads YAML 1.2, as editors do: 1e5 is a number, on and off are words."""


Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in rules
             if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:float")]
    for letter, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(
    r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$"), list("-+0123456789."))


def load(text):
    return yaml.load(text, Loader)


class Schema(unittest.TestCase):
    def setUp(self):
        printed = subprocess.run([os.environ["POISE"], "format", "--json-schema"], check=True,
                                 capture_output=True, text=True).stdout
        self.printed = printed
        self.schema = json.loads(printed)
        jsonschema.Draft7Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft7Validator(self.schema)

    def test_the_file_that_editors_read_is_what_is_printed(self):
        self.assertEqual((SCENES / "scene.schema.json").read_text(), self.printed,
                         "build/poise format --json-schema > scenes/scene.schema.json")

    def test_every_scene_names_it_and_is_valid(self):
        scenes = sorted(SCENES.glob("*.yaml"))
        self.assertGreater(len(scenes), 20)
        for scene in scenes:
            text = scene.read_text()
            self.assertTrue(text.startswith("# yaml-language-server: $schema=scene.schema.json\n"),
                            scene.name)
            errors = [f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"
                      for error in self.validator.iter_errors(load(text))]
            self.assertEqual(errors, [], scene.name)

    def test_what_the_reader_refuses_is_refused_here_too(self):
        good = """
            poise: 1
            world: {step: 0.01}
            bodies: {a: {sphere: 1}}
            joints: {j: {ball: [0, 0, 0], between: [world, a], ik: off}}
            control_points: {p: {body: a, position: [0, 0, 1]}}
            """
        self.assertTrue(self.validator.is_valid(load(good)))
        for old, new in [("step", "stpe"), ("0.01", "-0.01"), ("0.01", "soon"), ("bodies", "boddies"),
                         ("sphere", "spere"), ("[0, 0, 0]", "[0, 0]"), ("ik: off", "ik: 7"),
                         ("body: a", "body: [a]"), ("{a: {sphere: 1}}", "[a]")]:
            bad = good.replace(old, new)
            self.assertNotEqual(bad, good)
            self.assertFalse(self.validator.is_valid(load(bad)), bad)
            run = subprocess.run([os.environ["POISE"], "check", "/dev/stdin"], input=bad, text=True,
                                 capture_output=True)
            self.assertEqual(run.returncode, 3, bad)


if __name__ == "__main__":
    unittest.main()
