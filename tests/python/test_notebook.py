# SPDX-License-Identifier: MIT
"""The notebook runs from its first cell to its last, and is stored with its outputs."""
import importlib.util
import json
import os
import unittest
from pathlib import Path

SOURCE = Path(os.environ["POISE_SOURCE_DIR"])
NOTEBOOK = SOURCE / "scenes/python/poise.ipynb"


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


class Notebook(unittest.TestCase):
    def setUp(self):
        # MPLBACKEND would keep a kernel from drawing into its cells.
        os.environ.pop("MPLBACKEND", None)
        # A cell that calls `poise` finds this build's command.
        program = Path(os.environ["POISE"]).parent
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{program}{os.pathsep}{before}"
        self.addCleanup(os.environ.__setitem__, "PATH", before)

    def test_it_is_kept_with_its_outputs(self):
        # a reader on the web sees the pictures without running anything
        code = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
        self.assertEqual([cell["execution_count"] for cell in code], list(range(1, len(code) + 1)),
                         "run all cells from the first to the last before a commit")
        pictures = [output for cell in code for output in cell["outputs"] if "image/png" in output.get("data", {})]
        self.assertEqual(len(pictures), 4)
        self.assertFalse([output for cell in code for output in cell["outputs"] if output["output_type"] == "error"])
        self.assertNotRegex(NOTEBOOK.read_text(), r'"[^"]*(?<![\w.])/(home|root|tmp|work)/', "a path of the machine")

    @unittest.skipUnless(has("matplotlib"), "apt install python3-matplotlib")
    def test_its_cells_run_in_their_order(self):
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
        names = {"__name__": "__main__"}
        cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(cells), 4)
        for number, cell in enumerate(cells):
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        self.assertEqual(len(plt.get_fignums()), 4)
        for number in plt.get_fignums():
            self.assertTrue(any(axes.has_data() for axes in plt.figure(number).axes), f"picture {number} is empty")
        plt.close("all")

    @unittest.skipUnless(has("nbclient", "nbformat", "ipykernel", "matplotlib"),
                         "apt install python3-nbclient python3-ipykernel python3-matplotlib")
    def test_a_kernel_runs_it_and_shows_its_pictures(self):
        import nbclient
        import nbformat
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbformat.validate(notebook)
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        pictures = [output for cell in notebook.cells if cell.cell_type == "code"
                    for output in cell.outputs if "image/png" in output.get("data", {})]
        self.assertEqual(len(pictures), 4)


if __name__ == "__main__":
    unittest.main()
