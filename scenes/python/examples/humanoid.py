# SPDX-License-Identifier: MIT
"""A humanoid stands on two feet, keeps its centre of mass above them, and moves a box between its hands."""
import numpy as np
import poise

ik = poise.Ik("full_body", base="free")
feet = [ik.add(poise.Frame(name, ik.pose(name))) for name in ("left_foot", "right_foot")]
middle = 0.5 * (feet[0].target[:2] + feet[1].target[:2])
com = ik.add(poise.CoM([*middle, 0.0], axes=(1, 1, 0)))              # the height is free
left = ik.add(poise.Frame("left_hand", ik.pose("left_hand")[:3], priority=1))
between = np.linalg.inv(ik.pose("left_hand", form="matrix")) @ ik.pose("right_hand", form="matrix")
right = ik.add(poise.RelativeFrame("right_hand", "left_hand", between, rotation=0.0, priority=1))
ik.add(poise.Posture(priority=2, weight=1e-2))

start = left.target[:3].copy()
for step in np.linspace(0, 1, 20):
    left.target = start + step * np.array([0.1, 0.0, 0.15])
    answer = ik.solve(starts=1)
    assert answer.met, (answer, [task.error for task in ik.tasks])
print(f"{answer.reason}: the centre of mass is {com.error[0]:.1e} m off, the right hand {right.error[0]:.1e} m")

left.target = start + [2.0, 0.0, 0.0]                               # too far: the first priority keeps the balance
answer = ik.solve(starts=1)
print(f"{answer.reason}, {answer.error:.2f} m off, the centre of mass {com.error[0]:.1e} m")
assert not answer.met and com.error[0] < 1e-4 and all(foot.error[0] < 1e-4 for foot in feet)
