# SPDX-License-Identifier: MIT
# display.sh: for the scripts beside it, which source it: a display of their own, a viewer on it, and
# waiting for what its window's title says. Where Xvfb does not work the script exits with 77.
set -eu

# the person's own list of recent scenes stays as it is
export XDG_STATE_HOME="$PWD/state"
server=
window=
log=$PWD/log
: >"$log"
trap 'code=$?; [ -z "$server" ] || kill "$server" 2>/dev/null || true; [ $code = 0 ] || cat "$log" >&2' EXIT

# wait_for COMMAND...: until it succeeds, 30 s at most
wait_for() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || { echo "waited in vain for: $*; the title is: $(xdotool getwindowname "$window")" >&2; exit 9; }
        sleep 0.05
    done
}

title() {
    xdotool getwindowname "$window"
}

title_has() {
    title | grep -q -e "$1"
}

# time_is_after SECONDS: the title says "NAME - 1.50 s ..."
time_is_after() {
    title | sed 's/.* - \([0-9.]*\) s .*/\1/' | awk -v least="$1" '{ exit !($1 > least) }'
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

# open_viewer PROGRAM OPTIONS...: its window is open and its run has begun
open_viewer() {
    open_display
    # what the display's driver keeps to the end is not ours to free
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" "$@" --size 900x780 --quality "${quality:-fast}" \
        --save-script done.script 2>>"$log" &
    viewer=$!
    wait_for find_window
    wait_for title_has ' s '
}

# point X Y: of the window
point() {
    xdotool mousemove --window "$window" "$1" "$2"
}

# drag_held X0 Y0 X1 Y1: the button is still down at its end
drag_held() {
    point "$1" "$2"
    xdotool mousedown 1
    for part in 1 2 3 4; do
        point $(($1 + ($3 - $1) * part / 4)) $(($2 + ($4 - $2) * part / 4))
        sleep 0.05
    done
}

drag() {
    drag_held "$@"
    xdotool mouseup 1
}

key() {
    xdotool key --window "$window" "$1"
}
