# SPDX-License-Identifier: MIT
"""A wall: hand and elbow stay behind it, whatever the goal."""
import numpy as np
import poise

ik = poise.Ik("panda.urdf")
hand = ik.add(poise.Frame("panda_hand", [0.7, 0.2, 0.4]))
walls = [ik.add(poise.HalfSpace(link, [1, 0, 0], 0.5)) for link in ("panda_hand", "panda_link4")]      # x <= 0.5 m
answer = ik.solve()
place = ik.pose("panda_hand")[:3]
print(f"{answer.reason}: the hand stops at {place.round(4)}, {answer.error:.3f} m off")
assert not answer.met and ik.tasks[answer.unmet] is hand
assert np.allclose(place, [0.5, 0.2, 0.4], atol=1e-4)

ik.q = [0, -1.0, 0, -2.5, 0, 1.8, 0, 0.02, 0.02]                         # behind the wall
furthest = -np.inf
for _ in range(200):
    answer = ik.step(0.01)
    furthest = max(furthest, *(wall.value for wall in walls))
print(f"in steps it comes as far as x = {furthest:.6f} m")
assert furthest <= 0.5 + 1e-6
