# SPDX-License-Identifier: MIT
"""An arm keeps its hand above a table and away from its forearm, within the joints' speeds."""
import numpy as np
import poise

KEPT = 0.5
ik = poise.Ik("panda.urdf")                                 # the speeds are those of the file
start = ik.q
hand = ik.add(poise.Frame("panda_hand", [0.3, 0.5, 0.3]))
table = ik.add(poise.HalfSpace("panda_hand", [0, 0, -1], -0.1))        # z >= 0.1 m
apart = ik.add(poise.Distance("panda_link4", "panda_hand", at_least=KEPT))
ik.add(poise.Posture(start, priority=1))

dt, before, nearest, lowest, fastest = 0.01, ik.q, np.inf, np.inf, 0.0
for step in range(400):
    if step == 200:
        hand.target = [0.5, -0.3, 0.0]                      # below the table's top
    answer = ik.step(dt)
    fastest = max(fastest, np.abs((answer.q - before) / dt).max())
    before = answer.q
    nearest, lowest = min(nearest, apart.value), min(lowest, ik.pose("panda_hand")[2])
    if step == 199:
        assert answer.met, answer
print(f"nearest {nearest:.3f} m, lowest {lowest:.3f} m, fastest {fastest:.2f} rad/s, then: {answer.reason}")
assert nearest >= KEPT - 1e-3 and lowest >= 0.1 - 1e-4 and fastest <= 2.61 + 1e-6
assert not answer.met and ik.tasks[answer.unmet] is hand
