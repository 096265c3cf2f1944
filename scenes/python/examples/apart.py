# SPDX-License-Identifier: MIT
"""An arm keeps its links apart and its hand above a table, within the joints' speeds."""
import numpy as np
import poise

KEPT = 0.02
ik = poise.Ik("panda.urdf", apart=KEPT)                     # the speeds are those of the file
hand = ik.add(poise.Frame("panda_hand", [0.3, 0.5, 0.3]))
table = ik.add(poise.HalfSpace("panda_hand", [0, 0, -1], -0.1))        # z >= 0.1 m
ik.add(poise.Posture(ik.q, priority=1))

dt, before, lowest, fastest, ends = 0.01, ik.q, np.inf, 0.0, []
for target in ([0.3, 0.5, 0.3], [0.5, -0.3, 0.0], [0.1, 0.0, 0.3]):    # free, below the table's top, inside the arm
    hand.target = target
    for step in range(200):
        answer = ik.step(dt)
        fastest = max(fastest, np.abs((answer.q - before) / dt).max())
        before = answer.q
        lowest = min(lowest, ik.pose("panda_hand")[2])
    ends.append(answer)
print(f"lowest {lowest:.3f} m, fastest {fastest:.2f} rad/s")
print(f"then: {answer.reason} by {' and '.join(answer.held_by)}, {answer.held_gap * 1e3:.0f} mm apart")
assert ends[0].met and not ends[1].met and ik.tasks[ends[1].unmet] is hand
assert answer.reason == "held" and answer.held_gap >= KEPT - 1e-9
assert lowest >= 0.1 - 1e-4 and fastest <= 2.61 + 1e-6
