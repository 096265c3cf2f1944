#!/bin/sh
# SPDX-License-Identifier: MIT
# window_saved.sh PROGRAM SCENE CAMERA: runs SCENE in a window on a display of its own, drawn as quickly
# as the machine asks for. While the scene moves the script saves a picture (poise-001.png, here) and six
# frames of a film, as pictures since no ffmpeg is found (poise-001_0006.png is the last), and quits. Then
# it makes headless.png, of the same time and camera, without a window. Exits as the viewer does, or with
# 77 if Xvfb does not work.
quality=auto
. "$(dirname "$0")/display.sh"

open_viewer env PATH=/nowhere "$1" "$2" --overlay clean --camera "$3"
# a film shows the pointer: only its tip is in the picture
point 899 779
wait_for time_is_after 3
key ctrl+p
at=$(title | sed 's/.* - \([0-9.]*\) s .*/\1/')
wait_for grep -q 'saved poise-001.png' "$log"
key ctrl+r
wait_for test -s poise-001_0006.png
key ctrl+r
wait_for grep -q 'saved poise-001.mp4' "$log"
key ctrl+q || true # the window may be gone before the key is released
wait $viewer
"$1" "$2" --overlay clean --camera "$3" --screenshot headless.png --at "$at" --size 900x780 --quality normal
