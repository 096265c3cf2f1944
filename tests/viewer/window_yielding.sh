#!/bin/sh
# SPDX-License-Identifier: MIT
# window_yielding.sh PROGRAM SCENE X0 Y0 X1 Y1: opens the viewer on a display of its own, pauses after 2 s,
# shows the compliance of the scene's first target, and drags a handle of its ellipsoid from X0 Y0 to X1 Y1
# of its window. Prints the last change of the second joint's spring; exits as the viewer does, or with 77
# if Xvfb does not work.
. "$(dirname "$0")/display.sh"

open_viewer "$1" "$2" --camera -60,15,1.6,0.45,0.1,0.45 --overlay points
wait_for time_is_after 2
key space
wait_for title_has paused
key q
sleep 1
drag "$3" "$4" "$5" "$6"
sleep 1
key ctrl+q || true # the window may be gone before the key is released
wait $viewer
grep 'panda_joint2.ik.spring' done.script | tail -n 1
