# SPDX-License-Identifier: MIT
"""The example of gradients, on numpy and, where it is installed, on PyTorch."""
import importlib.util
import os
import unittest
from pathlib import Path

import numpy as np
import poise

EXAMPLE = Path(os.environ["POISE_SOURCE_DIR"]) / "scenes/python/autograd/gradients.py"
spec = importlib.util.spec_from_file_location("gradients", EXAMPLE)
assert spec is not None and spec.loader is not None
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)


class Gradients(unittest.TestCase):
    def setUp(self):
        self.rest = example.Rest(poise.Scene(text=example.ARM), "tip", ["shoulder", "elbow", "wrist"])

    def assert_wished(self, springs):
        has = np.diag(self.rest.compliance(springs))[[0, 2]]
        np.testing.assert_allclose(has, example.WISH, rtol=0.01)

    def test_numpy_finds_the_springs(self):
        self.assert_wished(example.descend_numpy(self.rest, np.full(3, 500.0)))

    def test_the_gradient_is_that_of_differences(self):
        springs = np.array([700.0, 300.0, 90.0])
        weights = np.arange(9.0).reshape(3, 3)
        gradient = self.rest.vjp(springs, weights)
        for i in range(3):
            sides = [springs + sign * 1e-3 * springs[i] * np.eye(3)[i] for sign in (1, -1)]
            up, down = [(weights * self.rest.compliance(side)).sum() for side in sides]
            difference = (up - down) / (2e-3 * springs[i])
            self.assertAlmostEqual(gradient[i] / difference, 1, delta=1e-4)

    def test_torch_finds_the_springs(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no PyTorch here")
        springs = torch.tensor([700.0, 300.0, 90.0], dtype=torch.float64, requires_grad=True)
        weights = torch.arange(9, dtype=torch.float64).reshape(3, 3)
        (weights * example.torch_function(self.rest)(springs)).sum().backward()
        np.testing.assert_allclose(
            springs.grad.numpy(), self.rest.vjp(springs.detach().numpy(), weights.numpy()), rtol=1e-8)
        self.assert_wished(example.descend_torch(self.rest, np.full(3, 500.0)))


if __name__ == "__main__":
    unittest.main()
