# SPDX-License-Identifier: MIT
"""A jump of the goal by half a metre: speeds and accelerations stay in their bounds, without overshoot."""
import numpy as np
import poise

DT, SPEED, ACCELERATION = 0.002, 1.0, 5.0
ik = poise.Ik("panda.urdf", speed=SPEED, acceleration=ACCELERATION)
hand = ik.add(poise.Frame("panda_hand", [0.4, -0.2, 0.5]))
assert ik.solve().met
hand.target = [0.4, 0.3, 0.5]
ik.q = ik.q                                                            # at rest

q = [ik.q]
while len(q) < 3000:
    answer = ik.step(DT)
    q.append(answer.q)
    if answer.met:
        break
speeds = np.diff(q, axis=0) / DT
jumps = np.diff(speeds, axis=0, prepend=0 * speeds[:1]) / DT
print(f"{answer.reason} after {DT * len(q):.2f} s: {np.abs(speeds).max():.3f} rad/s, {np.abs(jumps).max():.3f} rad/s2")
assert answer.met and np.abs(speeds).max() <= SPEED + 1e-6 and np.abs(jumps).max() <= ACCELERATION + 1e-3
