# SPDX-License-Identifier: MIT
"""Finds joint springs by gradient descent on the compliance of a hand at rest.

    gradients.py

Wraps the derivatives of a rest (Scene.sensitivity) as a function of PyTorch, for losses with
terms that Poise does not know. Without PyTorch the same descent runs on numpy alone.
"""
import numpy as np
import poise

ARM = """\
poise: 1
world: {step: 0.005, gravity: [0, 0, 0]}
bodies:
  upper: {capsule: 0.03, from: [0, 0, 0], to: [0.3, 0, 0.2], mass: 1}
  lower: {capsule: 0.03, from: [0.3, 0, 0.2], to: [0.6, 0, 0], mass: 1}
  hand: {capsule: 0.03, from: [0.6, 0, 0], to: [0.7, 0, -0.1], mass: 0.5}
defaults: {joint: {ik: {spring: 500, damper: 20}}}
joints:
  shoulder: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, upper]}
  elbow: {hinge: [0.3, 0, 0.2], axis: [0, 1, 0], between: [upper, lower]}
  wrist: {hinge: [0.6, 0, 0], axis: [0, 1, 0], between: [lower, hand]}
control_points: {tip: {body: hand, at: [0.7, 0, -0.1], position: [0.7, 0, -0.1]}}
"""
WISH = np.array([2e-4, 1.5e-3])  # m/N along x and z
STEPS = 200


class Rest:
    """The compliance of a point at rest, 3 x 3, as a function of its joints' springs."""

    def __init__(self, scene, point, joints):
        self.scene, self.point, self.joints = scene, point, joints

    def set(self, springs):
        for joint, spring in zip(self.joints, springs):
            self.scene[f"joints.{joint}.ik.spring"] = float(spring)
        self.scene.step(1)

    def compliance(self, springs):
        self.set(springs)
        return self.scene.forecast(self.point).compliance

    def vjp(self, springs, by_compliance):
        """Returns the gradient of a loss by the springs, from its gradient by the compliance."""
        self.set(springs)
        found = self.scene.sensitivity(self.point, [("ik.spring", joint) for joint in self.joints])
        if found.why:
            raise poise.Error(found.why)
        return found.vjp(compliance=by_compliance)


def torch_function(rest):
    """Returns the compliance as a function of PyTorch, with its gradient."""
    import torch

    class Compliance(torch.autograd.Function):
        @staticmethod
        def forward(ctx, springs):
            ctx.save_for_backward(springs)
            return torch.from_numpy(rest.compliance(springs.detach().numpy()))

        @staticmethod
        def backward(ctx, by_compliance):
            springs, = ctx.saved_tensors
            return torch.from_numpy(rest.vjp(springs.detach().numpy(), by_compliance.numpy()))

    return Compliance.apply


def descend_torch(rest, springs, steps=STEPS):
    import torch

    compliance = torch_function(rest)
    logs = torch.tensor(np.log(springs), requires_grad=True)
    optimiser = torch.optim.Adam([logs], lr=0.1)
    wish = torch.from_numpy(WISH)
    for _ in range(steps):
        optimiser.zero_grad()
        diagonal = torch.diagonal(compliance(torch.exp(logs)))[[0, 2]]
        loss = (torch.log(diagonal / wish) ** 2).sum()
        loss.backward()
        optimiser.step()
    return np.exp(logs.detach().numpy())


def descend_numpy(rest, springs, steps=STEPS):
    logs = np.log(springs)
    for _ in range(steps):
        now = np.exp(logs)
        diagonal = np.diag(rest.compliance(now))[[0, 2]]
        by_compliance = np.zeros((3, 3))
        by_compliance[[0, 2], [0, 2]] = 2 * np.log(diagonal / WISH) / diagonal
        logs = logs - 0.4 * now * rest.vjp(now, by_compliance)
    return np.exp(logs)


def main():
    scene = poise.Scene(text=ARM)
    rest = Rest(scene, "tip", ["shoulder", "elbow", "wrist"])
    try:
        import torch  # noqa: F401
        descend = descend_torch
    except ImportError:
        descend = descend_numpy
    springs = descend(rest, np.full(3, 500.0))
    has = np.diag(rest.compliance(springs))[[0, 2]]
    for joint, spring in zip(rest.joints, springs):
        print(f"{joint:10} {spring:10.1f} N m/rad")
    print(f"yields by {1e3 * has[0]:.4f} and {1e3 * has[1]:.4f} mm/N, "
          f"wished {1e3 * WISH[0]:g} and {1e3 * WISH[1]:g}")


if __name__ == "__main__":
    main()
