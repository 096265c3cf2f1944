#!/bin/sh
# SPDX-License-Identifier: MIT
# window.sh PROGRAM SCENE X0 Y0 X1 Y1 X2 Y2 X3 Y3: opens the viewer on a display of its own, pauses,
# drags with the left button from X0 Y0 to X1 Y1 of its window (a target) and from X2 Y2 to X3 Y3 (a
# slider), saves a picture (poise-001.png, here), and quits; the viewer leaves what was done in
# done.script. Prints the window's titles, and "idle N": hundredths of a second of processor time
# that the paused window took in 10 s; exits as the viewer does, or with 77 if Xvfb does not
# work.
set -eu

server=
log=$PWD/log
: >"$log"
trap 'code=$?; [ -z "$server" ] || kill "$server" 2>/dev/null || true; [ $code = 0 ] || cat "$log" >&2' EXIT

# wait_for COMMAND...: until it succeeds, 10 s at most
wait_for() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || { echo "waited in vain for: $*" >&2; exit 9; }
        sleep 0.05
    done
}

title_has() {
    xdotool getwindowname "$window" | grep -q "$1"
}

find_window() {
    window=$(xdotool search --onlyvisible --name Poise | head -n 1)
    [ -n "$window" ]
}

# open_display: a server on a number that no one else is likely to take (numbers counted up from 0
# meet servers that are just going, or that live in another container with the same sockets)
open_display() {
    for attempt in 1 2 3; do
        DISPLAY=:$((1000 + ($$ * 7 + attempt * 9973) % 50000))
        export DISPLAY
        Xvfb "$DISPLAY" -screen 0 1000x800x24 -noreset >>"$log" 2>&1 &
        server=$!
        tries=0
        while kill -0 "$server" 2>/dev/null && [ $tries -lt 100 ]; do
            ! xdotool getdisplaygeometry >/dev/null 2>&1 || return 0
            tries=$((tries + 1))
            sleep 0.05
        done
        kill "$server" 2>/dev/null || true
    done
    echo "Xvfb opens no display here" >&2
    exit 77
}

open_display
# what the display's driver keeps to the end is not ours to free
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" "$1" "$2" --size 900x700 --quality fast \
    --save-script done.script 2>log &
viewer=$!
wait_for find_window
wait_for title_has ' s '

xdotool key --window "$window" space
wait_for title_has paused
xdotool getwindowname "$window"

# cpu_ticks: the processor time of the viewer, hundredths of a second
cpu_ticks() {
    awk '{ sub(/.*[)] /, ""); print $12 + $13 }' "/proc/$viewer/stat"
}
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

# drag X0 Y0 X1 Y1
drag() {
    xdotool mousemove --window "$window" "$1" "$2" mousedown 1
    for part in 1 2 3 4; do
        xdotool mousemove --window "$window" $(($1 + ($3 - $1) * part / 4)) $(($2 + ($4 - $2) * part / 4))
        sleep 0.05
    done
    xdotool mouseup 1
}
drag "$3" "$4" "$5" "$6"
drag "$7" "$8" "$9" "${10}"
xdotool key --window "$window" ctrl+p
wait_for grep -q saved log
xdotool key --window "$window" Escape
xdotool key --window "$window" ctrl+q
wait $viewer
