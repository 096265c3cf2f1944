#!/bin/sh
# SPDX-License-Identifier: MIT
# gallery.sh PROGRAM SOURCE: makes every picture of the READMEs anew, with poise-view at PROGRAM, into
# the source tree at SOURCE. `cmake --build build --target gallery` runs it.
set -eu

view=$1
source=$2
scenes=$source/scenes
pictures=$source/viewer/pictures
mkdir -p "$pictures" "$scenes/pictures"

# picture FILE SCENE OPTIONS...
picture() {
    file=$1
    scene=$2
    shift 2
    echo "$file"
    "$view" "$scenes/$scene.yaml" --screenshot "$file" --quality high "$@"
}

# the READMEs of the whole and of the viewer
picture "$pictures/panda_square.png" panda_square --at 2.5s --size 1000x620
picture "$pictures/reach.png" reach --at 2.5s --size 1000x620 --camera 20,18
picture "$pictures/springs.png" blend_sweep --at 1.2s --overlay ik --size 800x450

# the robots with their own meshes, where POISE_TEST_DATA has them
real=${POISE_TEST_DATA:-}/robots/real
# robot NAME FILE OPTIONS...
robot() {
    file=$scenes/pictures/robots/$1.png
    path=$real/$2
    shift 2
    [ ! -f "$path" ] || { echo "$file"; "$view" "$path" --screenshot "$file" --size 640x480 "$@"; }
}
robot panda panda_description/urdf/panda.urdf --at 1s
robot ur5 ur_description/ur5_robot.urdf --at 1s
robot cassie agility_cassie/cassie.xml --at 1s
robot robotiq_2f85 robotiq_2f85/2f85.xml --at 1s
robot shadow_hand shadow_hand/right_hand.xml --at 1s
robot anymal_c anybotics_anymal_c/anymal_c.xml --at 1s
robot atlas atlas/atlas_convex_hull.urdf --at 1s
robot kinova kinova_description/robots/kinova.urdf --at 1s
robot panda_hand panda_hand_mjcf/hand.xml --at 1s

if command -v ffmpeg >/dev/null; then
    "$source/viewer/gallery/claims.sh" "$view" "$source"
fi

# the tutorial's
steps=$source/ik/examples
mkdir -p "$steps/pictures"
picture "$steps/pictures/one_hinge.png" ../ik/examples/one_hinge --at 0.35s --overlay ik --size 400x250 --camera -90,70
picture "$steps/pictures/moving_goal.png" ../ik/examples/moving_goal --at 1.2s --overlay ik --size 400x250 --camera -50,20
picture "$steps/pictures/many_targets.png" ../ik/examples/many_targets --at 2.9s --size 400x250 --camera 35,20

# the full-body page's: the recorded motion alone
picture "$scenes/pictures/full_body_motion.png" full_body_points --at 2.5s --camera -30,10 --size 400x250 \
    --set 'control_points.*.enabled=off'

# films
echo "$scenes/pictures/walk.gif"
"$view" "$scenes/walk.yaml" --headless --record "$scenes/pictures/walk.gif" --seconds 5 --at 0.5s --size 320x240 \
    --fps 10 --quality normal --camera -50,8

# one of each scene: --at and --camera where the middle of the run from the front is not the best
for file in "$scenes"/*.yaml; do
    scene=$(basename "$file" .yaml)
    case $scene in
    press_wall) options="--at 6s --camera 250,20,1.6,0.42,0,1 --overlay forces" ;;
    reach) options="--at 2.5s --camera 35,14" ;;
    lean) options="--at 2.5s --camera 120,14" ;;
    stand_and_press) options="--at 9.5s --camera 60,12" ;;
    full_body | full_body_points | stand_and_reach | yoga | yoga_sag) options="--at 2.5s --camera -30,10" ;;
    blend_sweep) options="--at 1.2s --overlay clean,springs,ghosts" ;;
    dh_arm) options="--at 1s --camera 40,25 --overlay clean,frames" ;;
    springhead_force) options="--at 15s --overlay forces" ;;
    springhead_planar) options="--at 0.1s --camera -90,80 --overlay clean,frames" ;;
    # chains that look like the one before: the gallery names them without pictures
    springhead_2balls | springhead_5balls | springhead_10balls | springhead_weighted | springhead_y | springhead_large_y | springhead_hinges)
        continue ;;
    limits) options="--at 6s" ;;
    cage) options="--at 5.4s --camera 40,22,2.0,0.25,0.15,0.75" ;;
    hand_over) options="--at 5.2s --camera 50,18,1.5,0,0,0.8" ;;
    scratch) options="--at 3.2s --camera -30,15" ;;
    past_post) options="--at 4.4s --camera 30,15" ;;
    red_and_white) options="--at 5.4s --camera -20,15" ;;
    walk) options="--at 3.1s --camera -30,10" ;;
    *) options="--at 2.5s" ;;
    esac
    # shellcheck disable=SC2086
    picture "$scenes/pictures/$scene.png" "$scene" --size 400x250 $options
done
