# SPDX-License-Identifier: MIT
"""Two arms carry a box: the left hand leads, the right one keeps its pose in the left hand's frame."""
import numpy as np
import poise

LEFT, RIGHT = "left_wrist_roll_link", "right_wrist_roll_link"
ik = poise.Ik("yoga.urdf")
ik.q = np.clip(ik.q + 0.4, ik.robot.lower, ik.robot.upper)
start = ik.pose(LEFT)
between = np.linalg.inv(ik.pose(LEFT, form="matrix")) @ ik.pose(RIGHT, form="matrix")
left = ik.add(poise.Frame(LEFT, start))
right = ik.add(poise.RelativeFrame(RIGHT, LEFT, between))

path = np.repeat(start[None], 100, axis=0)
path[:, 2] += 0.05 * np.sin(np.linspace(0, np.pi, 100))
path[:, 0] += 0.03 * np.linspace(0, 1, 100)
carried = ik.follow({left: path})
print(f"{carried.met.sum()} of {len(carried)} places, largest step "
      f"{np.abs(np.diff(carried.q, axis=0)).max():.3f} rad")
assert carried.met.all()
grip = np.linalg.inv(ik.pose(LEFT, form="matrix")) @ ik.pose(RIGHT, form="matrix")
assert np.allclose(grip, between, atol=1e-5)
