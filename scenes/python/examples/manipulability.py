# SPDX-License-Identifier: MIT
"""A redundant arm holds its hand and turns its elbow to where the hand moves best in all directions."""
import numpy as np
import poise

ik = poise.Ik("panda.urdf")
hand = ik.add(poise.Frame("panda_hand", [0.45, 0.2, 0.35, 0, 1, 0, 0]))
assert ik.solve().met
measure = ik.add(poise.Manipulability("panda_hand", rotation=True, priority=1))
before = measure.value
answer = ik.solve(starts=1)
print(f"manipulability {before:.4f}, then {measure.value:.4f}; the hand is {hand.error[0]:.1e} m off")
assert answer.met and measure.value > 1.01 * before

J = hand.rows()[1]
assert np.isclose(np.sqrt(np.linalg.det(J @ J.T)), measure.value, rtol=1e-3)
