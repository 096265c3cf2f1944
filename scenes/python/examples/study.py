# SPDX-License-Identifier: MIT
"""A study: where can the hand point down, and what prevents the rest? One answer for each place and reason."""
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import poise


def row_of(height):
    """Solves a row of places at a height, m. Each process makes its own Ik."""
    ik = poise.Ik("panda.urdf")
    hand = ik.add(poise.Frame("panda_hand", [0.5, 0.0, height, 0, 1, 0, 0]))
    reasons, held = [], Counter()
    for x in np.linspace(0.1, 1.1, 40):
        hand.target = [x, 0.0, height, 0, 1, 0, 0]
        answer = ik.solve(ik.robot.home())
        reasons.append(answer.reason)
        held.update(answer.held_by)
    return height, reasons, held


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(row_of, np.linspace(-0.2, 0.8, 6)))
    for height, reasons, held in rows:
        share = reasons.count("met") / len(reasons)
        print(f"z = {height:5.2f} m: {share:4.0%}  {dict(Counter(reasons))}  {dict(held)}")
    assert 0.2 < np.mean([reason == "met" for _, reasons, _ in rows for reason in reasons]) < 0.9
