#!/bin/sh
# SPDX-License-Identifier: MIT
# window.sh PROGRAM SCENE X0 Y0 X1 Y1 X2 Y2 X3 Y3: opens the viewer on a display of its own, pauses,
# drags with the left button from X0 Y0 to X1 Y1 of its window (a target) and from X2 Y2 to X3 Y3 (a
# slider), saves a picture (poise-001.png, here), and quits; the viewer leaves what was done in
# done.script. Prints the window's titles, and hundredths of a second of processor time: "standing
# N" of 10 s in which the scene rests and time runs, "idle N" of 10 s in which it is paused, "typing
# N" of 5 s with an open text field; exits as the viewer does, or with 77 if Xvfb does not work.
. "$(dirname "$0")/display.sh"

open_viewer "$1" "$2"
# cpu_ticks: the processor time of the viewer, hundredths of a second
cpu_ticks() {
    awk '{ sub(/.*[)] /, ""); print $12 + $13 }' "/proc/$viewer/stat"
}
sleep 4
before=$(cpu_ticks)
sleep 10
echo "standing $(($(cpu_ticks) - before))"
key space
wait_for title_has paused
title
# a still window costs nothing; first the panels settle
still=0
for part in 1 2 3 4 5 6 7 8 9 10; do
    before=$(cpu_ticks)
    sleep 0.5
    [ $(($(cpu_ticks) - before)) -gt 1 ] || still=$((still + 1))
    [ $still -lt 2 ] || break
done
before=$(cpu_ticks)
sleep 10
echo "idle $(($(cpu_ticks) - before))"
key ctrl+o
sleep 2
before=$(cpu_ticks)
sleep 5
echo "typing $(($(cpu_ticks) - before))"
key Escape
sleep 0.5

# the slider first: a chosen target has rows in the panel, and what stands below them moves down
drag "$7" "$8" "$9" "${10}"
drag "$3" "$4" "$5" "$6"
key ctrl+p
wait_for grep -q saved "$log"
key Escape
key ctrl+q || true # the window may be gone before the key is released
wait $viewer
