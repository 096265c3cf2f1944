# SPDX-License-Identifier: MIT
"""A quadruped on four feet that stay where they are, while its trunk bows, turns and comes back."""
import numpy as np
import poise

ik = poise.Ik("quadruped_sway", base="free")
feet = [ik.add(poise.Frame(f"{side}_{end}_foot", ik.pose(f"{side}_{end}_foot")[:3]))
        for side in ("left", "right") for end in ("front", "hind")]
trunk = ik.add(poise.Frame("trunk", ik.pose("trunk")))
ik.add(poise.Posture(priority=1))
stands = ik.pose("trunk", form="matrix")

for angle in np.linspace(0, 2 * np.pi, 40):
    c, s = np.cos(0.1 * np.sin(angle)), np.sin(0.1 * np.sin(angle))
    goal = np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]) @ stands
    goal[:3, 3] = stands[:3, 3] + [0.02 * np.sin(angle), 0.0, -0.02 + 0.02 * np.cos(angle)]
    trunk.target = goal
    answer = ik.solve(starts=1)
    assert answer.met, answer
for foot in feet:
    assert foot.error[0] < 1e-6
print(f"{len(feet)} feet stay within {max(foot.error[0] for foot in feet):.1e} m; the trunk: {answer.reason}")
