# SPDX-License-Identifier: MIT
"""A camera on the hand stays at its place and looks at a point that moves around it."""
import numpy as np
import poise

ik = poise.Ik("panda.urdf")
eye = np.array([0.4, 0.0, 0.5])
place = ik.add(poise.Frame("panda_hand", eye))
gaze = ik.add(poise.Gaze("panda_hand", [0.6, 0.0, 0.0]))              # its z axis leads to the point
assert ik.solve().met

angles = np.linspace(0, 2 * np.pi, 60)
points = np.stack([0.6 + 0.1 * np.cos(angles), 0.1 * np.sin(angles), 0 * angles], axis=1)
seen = ik.follow({gaze: points})
print(f"{seen.met.sum()} of {len(seen)} points seen, {seen.angle_error.max():.1e} rad off at most")
assert seen.met.all()

hand = ik.pose("panda_hand", form="matrix")
line = points[-1] - hand[:3, 3]
assert np.allclose(hand[:3, 2], line / np.linalg.norm(line), atol=1e-5)
