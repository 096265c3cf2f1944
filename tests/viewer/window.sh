#!/bin/sh
# SPDX-License-Identifier: MIT
# window.sh PROGRAM SCENE X0 Y0 X1 Y1 X2 Y2 X3 Y3: opens the viewer on a display of its own, pauses,
# drags with the left button from X0 Y0 to X1 Y1 of its window (a target) and from X2 Y2 to X3 Y3 (a
# slider), saves a picture (poise-001.png, here), and quits; the viewer leaves what was done in
# done.script. Prints the window's titles, and what the viewer's threads did in 2 s or more: "NAME HUNDREDTHS LOOP
# RENDERERS", the length, how many times the loop was woken and how many times the threads of the software
# renderer. NAME: "standing" while the scene rests and time runs, "idle" while it is paused, "typing" with an
# open text field. Exits as the viewer does, or with 77 if Xvfb does not work.
. "$(dirname "$0")/display.sh"

export LP_NUM_THREADS=2 # threads of the software renderer
open_viewer "$1" "$2"
# wakes: hundredths of a second since the machine began, and how many times the loop and the other threads slept
wakes() {
    awk '{ printf "%d", 100 * $1 }' /proc/uptime
    awk -v loop="$viewer" '/^Pid:/ { own = $2 == loop } /^voluntary/ { count[own] += $2 }
        END { print " " count[1] + 0 " " count[0] + 0 }' /proc/"$viewer"/task/*/status
}
# counted NAME
counted() {
    before=$(wakes)
    sleep 2
    echo "$before $(wakes)" | awk -v name="$1" '{ print name, $4 - $1, $5 - $2, $6 - $3 }'
}
# settle: nothing is rendered for half a second, or 5 s are over
settle() {
    still=0
    for part in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        before=$(wakes)
        sleep 0.25
        [ "${before##* }" != "$(wakes | awk '{ print $3 }')" ] || still=$((still + 1))
        [ $still -lt 2 ] || break
    done
}
sleep 2
counted standing
key space
wait_for title_has paused
title
settle
counted idle
key ctrl+o
settle
counted typing
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
