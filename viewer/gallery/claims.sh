#!/bin/sh
# SPDX-License-Identifier: MIT
# claims.sh PROGRAM SOURCE: makes the films of the READMEs, a picture of each claim and the picture of six robots, with
# poise-view at PROGRAM, into viewer/pictures of the source tree at SOURCE. Robots with their own meshes are those of
# POISE_TEST_DATA; where it has none, the Panda's shapes are shown, and the rest is left as it is. Needs ffmpeg.
set -eu

view=$1
source=$2
scenes=$source/scenes
pictures=$source/viewer/pictures
real=${POISE_TEST_DATA:-}/robots/real
panda=$real/panda_description/urdf/panda.urdf
[ -f "$panda" ] || panda=$scenes/robots/panda.urdf
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# scripted NAME SCENE OPTIONS...: runs gallery/NAME.script, which names its pictures and films, in the folder of work.
# The scene's Panda has its own meshes where they are.
scripted() {
    name=$1
    sed "s|urdf: .*panda.urdf|urdf: $panda|" "$2" >"$work/$name.yaml"
    shift 2
    (cd "$work" && "$view" "$name.yaml" --headless --script "$source/viewer/gallery/$name.script" --size 960x540 --fps 20 "$@")
}
# animated NAME: the film of this name as an animated WebP
animated() {
    echo "$pictures/$1.webp"
    ffmpeg -y -loglevel error -i "$work/$1.mp4" -c:v libwebp_anim -loop 0 -q:v 70 "$pictures/$1.webp"
}
# still NAME...: pictures of the folder of work as WebP
still() {
    for name in "$@"; do
        echo "$pictures/$name.webp"
        ffmpeg -y -loglevel error -i "$work/$name.png" -c:v libwebp -q:v 88 "$pictures/$name.webp"
    done
}
# dragged NAME FILE HANDLE DISPLACEMENT CAMERA: a robot that a hand drags
dragged() {
    printf 'show clean\nlook %s\nwait 1\ndrag %s by %s hold\nwait 0.5\npicture %s.png\n' "$5" "$3" "$4" "$1" >"$work/$1.script"
    (cd "$work" && "$view" "$real/$2" --headless --script "$1.script" --size 480x360 --fps 20)
}

scripted stiffness "$source/viewer/gallery/stiffness.yaml"
scripted foreseen "$source/viewer/gallery/foreseen.yaml"
scripted press "$scenes/press_wall.yaml"
scripted standing "$scenes/stand_and_reach.yaml" --size 640x400 --quality normal
scripted window "$scenes/panda_square.yaml" --size 1280x720 --quality high
still stiffness foreseen press window
animated standing
scripted panda "$scenes/panda_square.yaml" --quality normal
animated panda
if [ "$panda" != "$scenes/robots/panda.urdf" ]; then
    dragged panda panda_description/urdf/panda.urdf link:panda_link5 '0 -0.2 0.12' '35 14 1.8'
    dragged ur5 ur_description/ur5_robot.urdf link:forearm_link '0 0 0.14' '60 22 1.9'
    dragged cassie agility_cassie/cassie.xml target:left-foot '0.2 0.02 0.16' '30 12'
    dragged robotiq_2f85 robotiq_2f85/2f85.xml target:left_follower '0.03 0 0.01' '-60 15'
    dragged shadow_hand shadow_hand/right_hand.xml target:rh_ffdistal '-0.05 0 -0.04' '-40 30'
    dragged anymal_c anybotics_anymal_c/anymal_c.xml link:base '0.05 0.05 -0.1' '35 20'
    (cd "$work" && ffmpeg -y -loglevel error -i panda.png -i ur5.png -i cassie.png -i robotiq_2f85.png \
        -i shadow_hand.png -i anymal_c.png -filter_complex \
        'xstack=inputs=6:layout=0_0|480_0|960_0|0_360|480_360|960_360' robots.png)
    still robots
fi
