// SPDX-License-Identifier: MIT
// Tests the output of commands for unusual scenes. A row has a scene, a call, its exit code and
// words that the output must contain.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

typedef struct Row {
    const char* name;
    const char* scene; ///< text of scene.yaml; NULL: the scene of the row before
    const char* call;
    int code;
    const char* says[5];
} Row;

// CALL(name, call, code, says...) is a row for the scene of the row before.
#define CALL(name, call, code, ...)                                                                \
    {                                                                                              \
        name, NULL, call, code, {                                                                  \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void expect_rows(const Row* rows, size_t count) {
    Outcome* outcome = outcome_with_arms();
    for (size_t i = 0; i < count; i++) {
        if (rows[i].scene) {
            write_scratch("scene.yaml", rows[i].scene);
        }
        run_program(outcome, "%s", rows[i].call);
        cr_expect_eq(outcome->code, rows[i].code, "%s: ends with %d: %s", rows[i].name,
                     outcome->code, outcome->err);
        for (int k = 0; k < 5 && rows[i].says[k]; k++) {
            cr_expect(
                strstr(outcome->out, rows[i].says[k]) || strstr(outcome->err, rows[i].says[k]),
                "%s: no '%s' in\n%s%s", rows[i].name, rows[i].says[k], outcome->out, outcome->err);
        }
    }
    outcome_destroy(outcome);
}

#define FREE "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
#define WEAK                                                                                       \
    "poise: 1\nseconds: 3\nbodies:\n"                                                              \
    "  a: {capsule: 0.05, mass: 5, from: [0, 0, 1], to: [1, 0, 1]}\n"                              \
    "  b: {box: [0.2, 0.2, 0.2], mass: 5, at: [0, 2, 0]}\n"                                        \
    "  c: {capsule: 0.05, mass: 5, from: [0, 4, 1], to: [1, 4, 1]}\n"

static const Row runs[] = {
    {"a joint that is too weak",
     WEAK "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a], max_torque: 1, "
          "original: {spring: 500, damper: 50}}}\n",
     "run scene.yaml",
     0,
     {"'j' gives all of its 1 N m and is ", " rad off its target: weaker than what it has to hold",
      ", at its torque limit"}},
    {"three of them",
     WEAK "joints:\n"
          "  j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a], max_torque: 1, original: "
          "{spring: 500, damper: 50}, limits: [-1, 1]}\n"
          "  k: {slider: [0, 2, 0], axis: [0, 0, 1], between: [world, b], max_torque: 2, original: "
          "{spring: 500, damper: 50}}\n"
          "  l: {hinge: [0, 4, 1], axis: [0, 1, 0], between: [world, c], max_torque: 1, original: "
          "{spring: 500, damper: 50}}\n",
     "run scene.yaml",
     0,
     {"'k' gives all of its 2 N and is ", " m off its target, and 2 more joints: weaker",
      ", at its stop and its torque limit"}},
    {"nothing that holds it",
     FREE "bodies: {a: {capsule: 0.05, from: [0, 0, 1], to: [1, 0, 1]}}\n"
          "joints: {j: {ball: [0, 0, 1], between: [world, a]}}\n",
     "run scene.yaml --seconds 0.1",
     0,
     {"no control points, and no springs to its natural posture: it hangs freely"}},
    {"a point at a torque limit",
     WEAK "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a], max_torque: 1, "
          "limits: [-1, 1], ik: {spring: 500, damper: 50}}}\n"
          "control_points: {p: {body: a, at: [0, 0, 0.5], position: [1, 0, 1]}}\n",
     "run scene.yaml",
     0,
     {"held by j: torque limit"}},
    {"a point that presses, and with units",
     "poise: 1\nseconds: 4\nworld: {gravity: [0, 0, 0], friction: 0.5}\nbodies:\n"
     "  wall: {box: [0.1, 1, 1], at: [1.15, 0, 1], fixed: yes}\n"
     "  a: {sphere: 0.1, mass: 1, at: [0.5, 0, 1]}\n"
     "joints: {s: {slider: [0.5, 0, 1], axis: [1, 0, 0], between: [world, a], ik: {spring: 500, "
     "damper: 50}}}\n"
     "control_points: {p: {body: a, position: [1, 0, 1], force: {push: [10, 0, 0]}}}\n",
     "run scene.yaml",
     0,
     {"N of 10 N"}},
    CALL("one line of JSON with units", "run scene.yaml --seconds 0.1 --json-lines --units", 0,
         "{ \"version\": 2, ", "\"units\": {"),
    CALL("whether the ground carries it",
         "run " POISE_SOURCE_DIR "/scenes/quadruped_sway.yaml --seconds 0.2", 0, "\nit ",
         "rms and maximum leave out the first second: this run has no more"),
    CALL("a folder of packages", "run scene.yaml --seconds 0.1 --quiet --packages .", 0, ""),
    CALL("a step of nothing", "run scene.yaml --set world.step=1e-7", 3,
         "'step' must be at least 1e-06, not 1e-07"),
    CALL("an override of a robot's file", "check bent.urdf --set seconds=1", 3,
         "a robot's own file has no key 'seconds=1': `poise scene` makes a scene of it"),
    CALL("a list that is set in part", "check scene.yaml --set world.gravity.z=1", 3,
         "'gravity' is a list: set it as a whole"),
    {"a bound on a force that nobody asks for",
     FREE "bodies: {a: {sphere: 0.1}}\njoints: {j: {ball: [0, 0, 1], between: [world, a]}}\n"
          "control_points: {p: {body: a, position: [0, 0, 0]}}\nexpect: {p.force: 1}\n",
     "check scene.yaml",
     3,
     {"force"}},
};

Test(command_says, why_a_run_ended_where_it_did) {
    expect_rows(runs, sizeof runs / sizeof runs[0]);
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

static const Row infos[] = {
    {"kinds of joints and shapes",
     KINDS,
     "info scene.yaml",
     0,
     {"swing 1.5 twist 0.5", "swing 1.25", "-1 to 1, -0.5 to 0.5", "(closes a loop)", "cylinder"}},
    CALL("points of all sorts", "info scene.yaml", 0, "0 to 0.2", "-1 to 2",
         "gaze on c at (0.0000, 0.0000, 1.2000) m, orientation", "tip on e"),
    CALL("where they are", "info scene.yaml --poses --seconds 0.1", 0,
         "tip_pos: ", "tip_ori: ", "gaze_ori: ", "off_pos: ", "turn_ori: "),
    CALL("what they share", "info scene.yaml --sets --sweeps 2 --manipulability", 0,
         "  cross     Cp: tip tip gaze turn", "  bend      Cp: (loop) (loop) tip tip; Nd: cone",
         "J(gaze)", "omega after each sweep", "manipulability"),
    CALL("frames of all kinds of joints",
         "motion scene.yaml --fps 10 --seconds 0.2 --csv t.csv --keyframes k.xml --bvh b.bvh", 0,
         "3 frames of 0.1 s", "gaze", "joints beyond their ranges: 0"),
    CALL("a hull, where meshes are read", "info " POISE_SOURCE_DIR "/tests/scenes/models/tour.xml",
         0, "bodies: "),
    {"a loop in a point's joints",
     KINDS "  bad: {body: e, uses: [free], position: [0, 0, 1]}\n",
     "check scene.yaml",
     3,
     {"joint 'free' closes a loop: it follows the others"}},
    {"a centre of mass of nothing that moves",
     FREE "bodies: {a: {sphere: 0.1}, f: {sphere: 0.1}}\njoints: {j: {ball: [0, 0, 1], between: "
          "[world, a]}}\ncontrol_points: {p: {body: f, com: on, position: [0, 0, 0]}}\n",
     "check scene.yaml",
     3,
     {"scene.yaml:5:"}},
};

Test(command_says, what_a_scene_is_made_of) {
    expect_rows(infos, sizeof infos / sizeof infos[0]);
}

static const Row solves[] = {
    {"aims, rotations and a point that is off",
     KINDS,
     "solve scene.yaml",
     1,
     {"tip", "gaze", "turn"}},
    CALL("the same for programs", "solve scene.yaml --json", 1, "\"points\": "),
    CALL("a point instead of the scene's own", "solve scene.yaml --point d --target 0.1,0,1.2", 0,
         "d: "),
    {"rows that count in part",
     FREE "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [1, 0, 0]}}\n"
          "joints: {j: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a], ik: {spring: "
          "100}}}\n"
          "control_points: {p: {body: a, at: [0, 0, 0.5], rows: [y], position: [9, 0.5, 9]}}\n",
     "solve scene.yaml",
     0,
     {"p: "}},
    {"a cone at its end",
     FREE
     "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1]}}\n"
     "joints: {j: {ball: [0, 0, 0], between: [world, a], limits: {swing: 0.5, twist: 0.2}, ik: "
     "{spring: 100}}}\n"
     "control_points: {p: {body: a, at: [0, 0, 0.5], position: [1, 0, 0]}}\n",
     "solve scene.yaml",
     1,
     {"j at "}},
    {"a place on the wrong side",
     FREE "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [1, 0, 0]}}\n"
          "joints: {j: {slider: [0, 0, 0], axis: [1, 0, 0], between: [world, a], limits: [0, 0.2], "
          "ik: {spring: 100}}}\n",
     "solve scene.yaml --point a --target -1,0,0",
     1,
     {"j at its lower limit, 0 m"}},
    CALL("and past the other end", "solve scene.yaml --point a --target 3,0,0", 1,
         "j at its upper limit, 0.2 m"),
    CALL("no joint changes the error", "solve scene.yaml --point a --target 0.6,1,0", 1, "off"),
    CALL("no points at all", "solve scene.yaml", 3,
         "the scene has no points: say --point and --target"),
};

Test(command_says, why_a_solve_stopped) {
    expect_rows(solves, sizeof solves / sizeof solves[0]);
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
