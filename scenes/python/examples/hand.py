# SPDX-License-Identifier: MIT
"""A hand of five fingers: all tips reach places at once, then grasp a ball that moves."""
import numpy as np
import poise

FINGER = """<body name="{name}" pos="{x} 0 0.05"><joint name="{name}_spread" type="hinge" axis="0 1 0" range="-0.3 0.3"/>
  <geom type="capsule" fromto="0 0 0 0 0 .05" size=".008"/>
  <body name="{name}_2" pos="0 0 .05"><joint name="{name}_bend" type="hinge" axis="1 0 0" range="-1.6 0.1"/>
    <geom type="capsule" fromto="0 0 0 0 0 .04" size=".008"/>
    <body name="{name}_3" pos="0 0 .04"><joint name="{name}_end" type="hinge" axis="1 0 0" range="-1.6 0.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 .03" size=".008"/></body></body></body>"""
NAMES = ["thumb", "index", "middle", "ring", "little"]
TEXT = ('<mujoco><compiler angle="radian"/><worldbody>'
        + "".join(FINGER.format(name=name, x=0.025 * (k - 2)) for k, name in enumerate(NAMES))
        + "</worldbody></mujoco>")

robot = poise.Robot("hand.xml", text=TEXT)
ik = poise.Ik(robot)
rng = np.random.default_rng(1)
goal = robot.lower + (robot.upper - robot.lower) * rng.uniform(0.2, 0.8, len(robot.joints))
tips = [ik.add(poise.Frame(f"{name}_3", ik.pose(f"{name}_3", q=goal, place=(0, 0, 0.03))[:3], place=(0, 0, 0.03)))
        for name in NAMES]
answer = ik.solve()
print(answer.reason, answer.q.round(2))
assert answer.met

path = np.linspace(0, 1, 50)[:, None] * [0.0, 0.002, -0.004]
grasp = ik.follow({tip: tip.target[:3] + path for tip in tips})
print(f"{grasp.met.sum()} of {len(grasp)} places of the ball")
assert grasp.met.sum() > 25
