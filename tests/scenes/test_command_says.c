// SPDX-License-Identifier: MIT
// Tests the output of commands for unusual scenes.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "program.h"

#define FREE "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
#define WEAK                                                                                       \
    "poise: 1\nseconds: 3\nbodies:\n"                                                              \
    "  a: {capsule: 0.05, mass: 5, from: [0, 0, 1], to: [1, 0, 1]}\n"                              \
    "  b: {box: [0.2, 0.2, 0.2], mass: 5, at: [0, 2, 0]}\n"                                        \
    "  c: {capsule: 0.05, mass: 5, from: [0, 4, 1], to: [1, 4, 1]}\n"

// clang-format off
static const CallRow runs[] = {
    {"> scene.yaml", 0, {
     WEAK "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a], max_torque: 1, "
          "original: {spring: 500, damper: 50}}}\n"}},
    {"run scene.yaml", 0,
     {"'j' gives all of its 1 N m and is ", " rad off its target: weaker than what it has to hold",
      ", at its torque limit"}},
    {"> scene.yaml", 0, {
     WEAK "joints:\n"
          "  j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a], max_torque: 1, original: "
          "{spring: 500, damper: 50}, limits: [-1, 1]}\n"
          "  k: {slider: [0, 2, 0], axis: [0, 0, 1], between: [world, b], max_torque: 2, original: "
          "{spring: 500, damper: 50}}\n"
          "  l: {hinge: [0, 4, 1], axis: [0, 1, 0], between: [world, c], max_torque: 1, original: "
          "{spring: 500, damper: 50}}\n"}},
    {"run scene.yaml", 0,
     {"'k' gives all of its 2 N and is ", " m off its target, and 2 more joints: weaker",
      ", at its stop and its torque limit"}},
    {"> scene.yaml", 0, {
     FREE "bodies: {a: {capsule: 0.05, from: [0, 0, 1], to: [1, 0, 1]}}\n"
          "joints: {j: {ball: [0, 0, 1], between: [world, a]}}\n"}},
    {"run scene.yaml --seconds 0.1", 0,
     {"no control points, and no springs to its natural posture: it hangs freely"}},
    {"> scene.yaml", 0, {
     WEAK "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a], max_torque: 1, "
          "limits: [-1, 1], ik: {spring: 500, damper: 50}}}\n"
          "control_points: {p: {body: a, at: [0, 0, 0.5], position: [1, 0, 1]}}\n"}},
    {"run scene.yaml", 0, {"held by j: torque limit"}},
    {"> scene.yaml", 0, {
     "poise: 1\nseconds: 4\nworld: {gravity: [0, 0, 0], friction: 0.5}\nbodies:\n"
     "  wall: {box: [0.1, 1, 1], at: [1.15, 0, 1], fixed: yes}\n"
     "  a: {sphere: 0.1, mass: 1, at: [0.5, 0, 1]}\n"
     "joints: {s: {slider: [0.5, 0, 1], axis: [1, 0, 0], between: [world, a], ik: {spring: 500, "
     "damper: 50}}}\n"
     "control_points: {p: {body: a, position: [1, 0, 1], force: {push: [10, 0, 0]}}}\n"}},
    {"run scene.yaml", 0, {"N of 10 N"}},
    {"run scene.yaml --seconds 0.1 --json-lines --units", 0,
     {"{ \"version\": 2, ", "\"units\": {"}},
    {"run " POISE_SOURCE_DIR "/scenes/quadruped_sway.yaml --seconds 0.2", 0,
     {"\nit ", "rms and maximum leave out the first second: this run has no more"}},
    {"run scene.yaml --seconds 0.1 --quiet --packages .", 0, {NULL}},
    {"run scene.yaml --set world.step=1e-7", 3, {"'step' must be at least 1e-06, not 1e-07"}},
    {"check bent.urdf --set seconds=1", 3,
     {"a robot's own file has no key 'seconds=1': `poise scene` makes a scene of it"}},
    {"check scene.yaml --set world.gravity.z=1", 3, {"'gravity' is a list: set it as a whole"}},
    {"> scene.yaml", 0, {
     FREE "bodies: {a: {sphere: 0.1}}\njoints: {j: {ball: [0, 0, 1], between: [world, a]}}\n"
          "control_points: {p: {body: a, position: [0, 0, 0]}}\nexpect: {p.force: 1}\n"}},
    {"check scene.yaml", 3, {"force"}},
};
// clang-format on

ARMS_TEST(command_says, why_a_run_ended_where_it_did) {
    EXPECT_CALLS(outcome, runs);
}

// every kind of joint and shape; points that aim, are disabled or are centres of mass; and a loop
#define KINDS                                                                                      \
    FREE "defaults: {joint: {ik: {spring: 600, damper: 40}}}\n"                                    \
         "bodies:\n"                                                                               \
         "  base: {cylinder: 0.2, length: 0.2, at: [0, 0, -1], fixed: yes}\n"                      \
         "  a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 0.5]}\n"                                \
         "  b: {box: [0.1, 0.1, 0.5], at: [0, 0, 0.75]}\n"                                         \
         "  c: {sphere: 0.1, at: [0, 0, 1.2]}\n"                                                   \
         "  d: {sphere: 0.1, at: [0, 0, 1.4]}\n"                                                   \
         "  e: {sphere: 0.1, at: [0, 0, 1.6]}\n"                                                   \
         "  f: {sphere: 0.1, at: [3, 0, 1.6]}\n"                                                   \
         "joints:\n"                                                                               \
         "  cone: {ball: [0, 0, 0], between: [world, a], limits: {swing: 1.5, twist: 0.5}}\n"      \
         "  swing: {ball: [0, 0, 0.5], between: [a, b], limits: {swing: 1.25}}\n"                  \
         "  cross: {universal: [0, 0, 1.1], axis: [1, 0, 0], axis2: [0, 1, 0], between: [b, c], "  \
         "limits: [[-1, 1], [-0.5, 0.5]]}\n"                                                       \
         "  slide: {slider: [0, 0, 1.3], axis: [0, 0, 1], between: [c, d], limits: [0, 0.2]}\n"    \
         "  bend: {hinge: [0, 0, 1.5], axis: [1, 0, 0], between: [d, e], limits: [-1, 2]}\n"       \
         "  free: {hinge: [0, 0, 1.5], axis: [1, 0, 0], between: [d, e]}\n"                        \
         "  idle: {hinge: [3, 0, 1.5], axis: [1, 0, 0], between: [world, f]}\n"                    \
         "control_points:\n"                                                                       \
         "  tip: {body: e, position: [0.3, 0.2, 1.2], orientation: {point: [1, 0, 0], at: [2, 0, " \
         "1]}}\n"                                                                                  \
         "  gaze: {body: c, orientation: {point: [1, 0, 0], at: [2, 0, 1]}}\n"                     \
         "  off: {body: b, position: [0, 0, 0.7], enabled: off}\n"                                 \
         "  turn: {body: d, orientation: {quaternion: [1, 0, 0, 0]}}\n"

// clang-format off
static const CallRow infos[] = {
    {"> scene.yaml", 0, {KINDS}},
    {"info scene.yaml", 0,
     {"swing 1.5 twist 0.5", "swing 1.25", "-1 to 1, -0.5 to 0.5", "(closes a loop)", "cylinder"}},
    {"info scene.yaml", 0,
     {"0 to 0.2", "-1 to 2", "gaze on c at (0.0000, 0.0000, 1.2000) m, orientation", "tip on e"}},
    {"info scene.yaml --poses --seconds 0.1", 0,
     {"tip_pos: ", "tip_ori: ", "gaze_ori: ", "off_pos: ", "turn_ori: "}},
    {"info scene.yaml --sets --sweeps 2 --manipulability", 0,
     {"  cross     Cp: tip tip gaze turn", "  bend      Cp: (loop) (loop) tip tip; Nd: cone",
      "J(gaze)", "omega after each sweep", "manipulability"}},
    {"motion scene.yaml --fps 10 --seconds 0.2 --csv t.csv --keyframes k.xml --bvh b.bvh", 0,
     {"3 frames of 0.1 s", "gaze", "joints beyond their ranges: 0"}},
    {"info " POISE_SOURCE_DIR "/tests/scenes/models/tour.xml", 0, {"bodies: "}},
    {"> scene.yaml", 0, {KINDS "  bad: {body: e, uses: [free], position: [0, 0, 1]}\n"}},
    {"check scene.yaml", 3, {"joint 'free' closes a loop: it follows the others"}},
    {"> scene.yaml", 0, {
     FREE "bodies: {a: {sphere: 0.1}, f: {sphere: 0.1}}\njoints: {j: {ball: [0, 0, 1], between: "
          "[world, a]}}\ncontrol_points: {p: {body: f, com: on, position: [0, 0, 0]}}\n"}},
    {"check scene.yaml", 3, {"scene.yaml:5:"}},
};
// clang-format on

ARMS_TEST(command_says, info_prints_the_parts_of_a_scene) {
    EXPECT_CALLS(outcome, infos);
}

// clang-format off
static const CallRow solves[] = {
    {"> scene.yaml", 0, {KINDS}},
    {"solve scene.yaml", 1, {"tip", "gaze", "turn"}},
    {"solve scene.yaml --json", 1, {"\"points\": "}},
    {"solve scene.yaml --point d --target 0.1,0,1.2", 0, {"d: "}},
    {"> scene.yaml", 0, {
     FREE "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [1, 0, 0]}}\n"
          "joints: {j: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a], ik: {spring: "
          "100}}}\n"
          "control_points: {p: {body: a, at: [0, 0, 0.5], rows: [y], position: [9, 0.5, 9]}}\n"}},
    {"solve scene.yaml", 0, {"p: "}},
    {"> scene.yaml", 0, {
     FREE
     "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1]}}\n"
     "joints: {j: {ball: [0, 0, 0], between: [world, a], limits: {swing: 0.5, twist: 0.2}, ik: "
     "{spring: 100}}}\n"
     "control_points: {p: {body: a, at: [0, 0, 0.5], position: [1, 0, 0]}}\n"}},
    {"solve scene.yaml", 1, {"j at "}},
    {"> scene.yaml", 0, {
     FREE "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [1, 0, 0]}}\n"
          "joints: {j: {slider: [0, 0, 0], axis: [1, 0, 0], between: [world, a], limits: [0, 0.2], "
          "ik: {spring: 100}}}\n"}},
    {"solve scene.yaml --point a --target -1,0,0", 1, {"j at its lower limit, 0 m"}},
    {"solve scene.yaml --point a --target 3,0,0", 1, {"j at its upper limit, 0.2 m"}},
    {"solve scene.yaml --point a --target 0.6,1,0", 1, {"off"}},
    {"solve scene.yaml", 3, {"the scene has no points: say --point and --target"}},
};
// clang-format on

ARMS_TEST(command_says, why_a_solve_stopped) {
    EXPECT_CALLS(outcome, solves);
}

// On a terminal that is wide enough, a progress bar is shown, and erased at the end.
ARMS_TEST(command_says, progress_where_stderr_is_a_terminal) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        cr_skip("no terminal can be made here");
    }
    const int held = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    run_program(outcome, "run arm.yaml --seconds 20 --json > out.json 2> %s", ptsname(terminal));
    char shown[20000] = "";
    cr_assert(fcntl(terminal, F_SETFL, O_NONBLOCK) == 0);
    // a read from a terminal returns only a part of the output
    size_t size = 0;
    for (ssize_t more = 1; more > 0 && size<sizeof shown - 1; size += more> 0 ? (size_t)more : 0) {
        more = read(terminal, shown + size, sizeof shown - 1 - size);
    }
    cr_assert(outcome->code == 0 && size > 0);
    EXPECT_HAS(shown, "\r[");
    EXPECT_HAS(shown, "100 %");
    EXPECT_HAS(shown, "\r\033[K");
    close(held);
    close(terminal);
}
