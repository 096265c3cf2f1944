#!/bin/sh
# SPDX-License-Identifier: MIT
# window_hands.sh PROGRAM SCENE X Y KNOB_X KNOB_Y HALF_X DROP: what once went wrong, in a real window on a
# display of its own. SCENE, whose title is "Before", is run. A click at X Y, where its target moves, and
# a drag of 90 units from there that Esc ends while Ctrl is held; the knob of the timeline is taken by its
# middle and by its right half at KNOB_X KNOB_Y and brought to HALF_X; SCENE is saved with the title
# "After"; other.yaml, here, is dropped on the window by DROP (empty: it is not). Prints what the window's
# title says after each, with a word before it; exits as the viewer does, or with 77 if Xvfb does not work.
. "$(dirname "$0")/display.sh"

open_viewer "$1" "$2"
echo "begun: $(title)"

# a click on what moves: chosen, not frozen
point "$3" "$4"
xdotool mousedown 1 mouseup 1
sleep 0.3
key ctrl+s
wait_for test -s poise-001.script
echo "clicked: $(grep -c hold poise-001.script || true) holds"
key l
key ctrl+s
wait_for test -s poise-002.script
echo "chosen: $(grep -c hold poise-002.script || true) holds"
key r

# Esc ends a drag, Ctrl held or not
xdotool keydown ctrl
drag_held "$3" "$4" $(($3 + 90)) "$4"
xdotool key Escape
sleep 0.2
xdotool mouseup 1 keyup ctrl
key ctrl+s
wait_for test -s poise-003.script
echo "cancelled: $(tail -n 3 poise-003.script | tr '\n' ';')"

# the knob, live: by its middle, then by its right half
for at in 4 8; do
    wait_for time_is_after $at
    echo "live: $(title)"
    drag $(($5 + at - 4)) "$6" "$7" "$6"
    wait_for title_has paused
    # until the title of the drag's end has come, if it comes
    tries=0
    until ! time_is_after "$(awk "BEGIN { print 0.6 * $at }")" || [ $tries -gt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    echo "scrubbed: $(title)"
    key space
    wait_for title_has '[0-9] s - Poise'
done

# a film
if command -v ffmpeg >/dev/null 2>&1; then
    key ctrl+r
    wait_for title_has filming
    sleep 0.5
    key ctrl+r
    wait_for grep -q 'saved poise-001.mp4' "$log"
    echo "filmed: $(head -c 8 poise-001.mp4 | tail -c 4)"
fi

# a file that is saved is read again
sed 's/Before/After/' "$2" >saved.yaml
mv saved.yaml "$2"
wait_for title_has After
echo "saved: $(title)"

if [ -n "$8" ]; then
    "$8" "$window" "$PWD/other.yaml"
    wait_for title_has Other
    echo "dropped: $(title)"
fi
key ctrl+q || true # the window may be gone before the key is released
wait $viewer
