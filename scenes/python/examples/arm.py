# SPDX-License-Identifier: MIT
"""An arm reaches for a pose, given in two forms; for another pose it prints why it cannot."""
import numpy as np
import poise

ik = poise.Ik("panda.urdf")
down = [0.0, 1.0, 0.0, 0.0]                    # w, x, y, z; ([0.5, 0.1, 0.4], Rotation) with scipy's Rotation
hand = ik.add(poise.Frame("panda_hand", [0.5, 0.1, 0.4, *down]))
answer = ik.solve()
print(answer.reason, answer.q.round(3))
assert answer.met

matrix = ik.pose("panda_hand", form="matrix")  # 4 x 4; "rotation" gives a Rotation
matrix[:3, 3] += [0.0, 0.2, 0.1]
hand.target = matrix
assert ik.solve().met
assert np.allclose(ik.pose("panda_hand", form="matrix"), matrix, atol=1e-5)

hand.target = [2.5, 0.0, 0.4]
answer = ik.solve()
print(answer.reason, f"{answer.error:.2f} m off")
assert not answer.met and answer.reason == "out of reach"
