# SPDX-License-Identifier: MIT
"""An arm on a base with wheels: damping keeps the base still as long as the arm alone can reach the goal."""
import numpy as np
import poise

LINK = '<body pos="0 0 {up}"><joint name="{name}" type="hinge" axis="{axis}" range="-2.5 2.5"/>' \
       '<geom type="capsule" fromto="0 0 0 0 0 {up}" size="0.04"/>'
TEXT = """<mujoco><compiler angle="radian"/><worldbody><body name="base">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
  <joint name="turn" type="hinge" axis="0 0 1"/><geom type="box" size="0.25 0.2 0.1"/>""" \
    + "".join(LINK.format(name=name, axis=axis, up=0.3) for name, axis in
              (("pan", "0 0 1"), ("lift", "0 1 0"), ("elbow", "0 1 0"), ("wrist", "0 1 0"))) \
    + '<body name="tool" pos="0 0 0.3"><geom type="sphere" size="0.03"/></body>' + "</body>" * 5 \
    + "</worldbody></mujoco>"

robot = poise.Robot("mobile.xml", text=TEXT)
ik = poise.Ik(robot)
ik.q = [0, 0, 0, 0.3, 0.5, 0.8, 0.4]
tool = ik.add(poise.Frame("tool", [0.5, 0.2, 0.9]))
ik.add(poise.Damping({"x": 1.0, "y": 1.0, "turn": 1.0}, weight=5.0))
moved = {}
for name, goal in (("near", [0.5, 0.2, 0.9]), ("far", [4.0, 1.0, 0.9])):
    tool.target, before = goal, ik.q
    for _ in range(4000):
        answer = ik.step(0.02)
        if answer.met:
            break
    moved[name] = np.linalg.norm((answer.q - before)[:2])
    print(f"{name}: {answer.reason}, the base moved {moved[name]:.3f} m")
assert moved["near"] < 0.05 and moved["far"] > 2.0
