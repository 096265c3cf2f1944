// SPDX-License-Identifier: MIT
// Scenes with one fault each: `poise` ends with 3 and says where, what and what instead.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define EXPECT_REFUSED(faults)                                                                     \
    cli_expect_all_refused("good.yaml", faults, sizeof(faults) / sizeof *(faults))

FOLDER_TEST(cli_bad_scene, without_a_fault_it_runs, cli_folder_create()) {
    CliEnd end;
    char* good = cli_source("good.yaml");
    cli_write_text(folder, "good.yaml", good);
    free(good);
    CLI_RUN(folder, &end, "check", "good.yaml");
    cr_expect_eq(end.code, 0, "%s", end.out);
    cr_expect_not_null(strstr(end.out, "good.yaml: 0 errors, 0 warnings"), "%s", end.out);
    CLI_RUN(folder, &end, "run", "good.yaml", "--expect");
    cr_expect_eq(end.code, 0, "%s", end.err);
}

// --------------------------------------------------------------------------------------- numbers

#define TARGET "position: [0.3, 0.2, 0.9]"
#define STEP   "step: 0.01"
#define SPRING "ik: {spring: 600"
static const CliFault numbers_faults[] = {
    FAULT("a target that is not a number", TARGET, "position: [0.3, @nan, 0.9]", "'position'",
          "finite", "nan"),
    FAULT("a target that is not a number, in YAML", TARGET, "position: [0.3, 0.2, @.nan]",
          "'position'", "finite", ".nan"),
    FAULT("an infinite target", TARGET, "position: [@inf, 0.2, 0.9]", "'position'", "finite",
          "inf"),
    FAULT("an infinite target, in YAML", TARGET, "position: [@-.inf, 0.2, 0.9]", "'position'",
          "finite", "-.inf"),
    FAULT("a hexadecimal target", TARGET, "position: [@0x10, 0.2, 0.9]", "'position'", "decimal",
          "0x10"),
    FAULT("an overflowing target", TARGET, "position: [0.3, 0.2, @1e999]", "'position'", "finite",
          "1e999"),
    FAULT("a target whose square overflows", TARGET, "position: [0.3, 0.2, @1e200]", "'position'",
          "at most", "1e200"),
    FAULT("a target in quotes", TARGET, "position: [0.3, 0.2, @\"0.9\"]", "'position'",
          "decimal number", "0.9"),
    FAULT("a target with its unit", TARGET, "position: [0.3, 0.2, @0.9m]", "'position'",
          "decimal number", "0.9m"),
    FAULT("decimal commas", TARGET, "position: @[0,3, 0,2, 0,9]", "'position'", "3 numbers",
          "a list of 6"),
    FAULT("a target of two numbers", TARGET, "position: @[0.3, 0.2]", "'position'", "3 numbers",
          "a list of 2"),
    FAULT("a list in a target", TARGET, "position: [0.3, @[0.2], 0.9]", "'position'", "number",
          "a list of 1"),
    FAULT("a step that is not a number", STEP, "step: @nan", "'step'", "finite", "nan"),
    FAULT("an infinite step", STEP, "step: @.inf", "'step'", "finite", ".inf"),
    FAULT("a step of zero", STEP, "step: @0", "'step'", "above 0", "not 0"),
    FAULT("a negative step", STEP, "step: @-0.01", "'step'", "above 0", "-0.01"),
    FAULT("a step that underflows to zero", STEP, "step: @1e-400", "'step'", "1e-400"),
    FAULT("an overflowing step", STEP, "step: @1e999", "'step'", "finite", "1e999"),
    FAULT("a hexadecimal step", STEP, "step: @0x1p-7", "'step'", "decimal", "0x1p-7"),
    FAULT("a step of hours", STEP, "step: @3600", "'step'", "at most 1", "3600"),
    FAULT("a step that is a list", STEP, "step: @[0.01]", "'step'", "number", "a list of 1"),
    FAULT("a step that is a map", STEP, "step: @{s: 0.01}", "'step'", "number", "a map"),
    FAULT("a step left out", STEP, "@step: ", "'step'", "number", "nothing"),
    FAULT("a spring that is not a number", SPRING, "ik: {spring: @NaN", "'spring'", "finite"),
    FAULT("an infinite spring", SPRING, "ik: {spring: @inf", "'spring'", "finite", "inf"),
    FAULT("an overflowing spring", SPRING, "ik: {spring: @6e400", "'spring'", "6e400"),
    FAULT("a hexadecimal spring", SPRING, "ik: {spring: @0X258", "'spring'", "0X258"),
    FAULT("a negative spring", SPRING, "ik: {spring: @-600", "'spring'", "at least 0", "-600"),
    FAULT("a spring without a bound", SPRING, "ik: {spring: @1e16", "'spring'", "at most 1e+15",
          "1e16"),
    FAULT("a spring that is a text", SPRING, "ik: {spring: @stiff", "'spring'", "stiff"),
    FAULT("a negative damper", "damper: 20", "damper: @-20", "'damper'", "at least 0", "-20"),
    FAULT("a damper that is not a number", "damper: 20", "damper: @.NaN", "'damper'", "finite"),
    FAULTS(2, "two faults at once", "max_torque: 50", "max_torque: @-1, bias: -1", "'max_torque'",
           "above 0", "-1"),
    FAULT("a torque of zero", "max_torque: 50", "max_torque: @0", "'max_torque'", "above 0"),
    FAULT("a torque that is not a number", "max_torque: 50", "max_torque: @nan", "'max_torque'",
          "number", "nan"),
    FAULT("no time at all", "seconds: 0.1", "seconds: @0", "'seconds'", "above 0"),
    FAULT("time that runs back", "seconds: 0.1", "seconds: @-5", "'seconds'", "above 0", "-5"),
    FAULT("time without end", "seconds: 0.1", "seconds: @inf", "'seconds'", "finite", "inf"),
};

Test(cli_bad_scene, numbers) {
    EXPECT_REFUSED(numbers_faults);
}

// --------------------------------------------------------------------------- the world, the solver

Test(cli_bad_scene, world_and_solver) {
    static const CliFault faults[] = {
        FAULT("another version", "poise: 1", "poise: @2", "of version 2", "reads version 1"),
        FAULT("a version that is a text", "poise: 1", "poise: @one", "'poise'", "number", "one"),
        FAULT("no version", "poise: 1\n", "@", "'poise'", "missing"),
        FAULT("a title that is a list", "title: A little of everything", "title: @[A, little]",
              "'title'", "list"),
        FAULT("gravity as one number", "gravity: [0, 0, -9.81]", "gravity: @-9.81", "'gravity'",
              "3 numbers", "-9.81"),
        FAULT("gravity that is not a number", "gravity: [0, 0, -9.81]", "gravity: [0, 0, @nan]",
              "'gravity'", "finite", "nan"),
        FAULT("a ground that is a number", "ground: {friction: 0.9}", "ground: @0", "ground", "map",
              "off"),
        FAULT("negative friction", "friction: 0.9", "friction: @-0.9", "'friction'", "at least 0",
              "-0.9"),
        FAULT("more than all comes back", "restitution: 0.1", "restitution: @1.1", "'restitution'",
              "at most 1", "1.1"),
        FAULT("a key of the world misspelt", "step: 0.01", "@stpe: 0.01", "unknown key 'stpe'",
              "the world", "did you mean 'step'"),
        FAULT("a solver misspelt", "solver: auto", "solver: @gaus_seidel", "'solver'",
              "gaus_seidel", "did you mean 'gauss_seidel'"),
        FAULT("a solver that there is not", "solver: auto", "solver: @newton", "'solver'", "newton",
              "dual"),
        FAULT("half a sweep", "sweeps: 20", "sweeps: @0.5", "'sweeps'", "0.5"),
        FAULT("sweeps that are no whole number", "sweeps: 20", "sweeps: @2.5", "'sweeps'", "whole",
              "2.5"),
        FAULT("no sweeps", "sweeps: 20", "sweeps: @0", "'sweeps'", "at least 1"),
        FAULT("a clamp of zero", "position_clamp: 0.5", "position_clamp: @0", "'position_clamp'",
              "above 0"),
        FAULT("a key of the solver that there is not", "sweeps: 20", "@colour: red",
              "unknown key 'colour'", "ik"),
        FAULT("a key of the top misspelt", "mirror: {from", "@miror: {from", "unknown key 'miror'",
              "did you mean 'mirror'"),
        FAULT("defaults of what has none", "  body: {density: 900}", "  @bodies: {density: 900}",
              "unknown key 'bodies'", "the defaults"),
        FAULT("what only one body can have", "  body: {density: 900}",
              "  body: {density: 900, @at: [0, 0, 0]}", "unknown key 'at'", "defaults"),
    };
    EXPECT_REFUSED(faults);
}

// ---------------------------------------------------------------------------------------- bodies

Test(cli_bad_scene, bodies) {
#define SHAPE "head: {sphere: 0.1, "
#define HAND  "hand: {box: [0.03, 0.09, 0.16], at: [0, 0.2, 0.7], mass: 0.4}"
#define ARM   "arm: {capsule: 0.04, from: [0, 0.2, 1.1], to: [0, 0.2, 0.8]}"
    static const CliFault faults[] = {
        FAULT("a density of zero", "density: 900", "density: @0", "'density'", "above 0"),
        FAULT("a negative density", "density: 900", "density: @-900", "'density'", "above 0",
              "-900"),
        FAULT("a mass of zero", "mass: 0.4", "mass: @0", "'mass'", "above 0"),
        FAULT("a negative mass", "mass: 0.4", "mass: @-0.4", "'mass'", "above 0", "-0.4"),
        FAULT("a mass that is not a number", "mass: 0.4", "mass: @nan", "'mass'", "finite", "nan"),
        FAULT("a mass beyond all scales", "mass: 0.4", "mass: @1e300", "'mass'", "at most",
              "1e300"),
        FAULT("mass and density", "mass: 0.4", "mass: 0.4, density: @10", "hand", "'mass'",
              "'density'"),
        FAULT("a negative size", "box: [0.03, 0.09, 0.16]", "box: [0.03, @-0.09, 0.16]", "'box'",
              "above 0", "-0.09"),
        FAULT("a size of zero", "box: [0.03, 0.09, 0.16]", "box: [0.03, 0.09, @0]", "'box'",
              "above 0", "not 0"),
        FAULT("a box as one number", "box: [0.03, 0.09, 0.16]", "box: @0.1", "'box'", "3 numbers",
              "0.1"),
        FAULT("a negative radius", "head: {sphere: 0.1", "head: {sphere: @-0.1", "'sphere'",
              "above 0", "-0.1"),
        FAULT("a radius of zero", "capsule: 0.04", "capsule: @0", "'capsule'", "above 0"),
        FAULT("a radius that is a list", "head: {sphere: 0.1", "head: {sphere: @[0.1]", "'sphere'",
              "number"),
        FAULT("a length of zero", "length: 0.2", "length: @0", "'length'", "above 0"),
        FAULT("ends in one place", "to: [0, 0.2, 0.8]", "to: @[0, 0.2, 1.1]", "arm",
              "'from' and 'to'", "same place"),
        FAULT("one end only", ARM, "@arm: {capsule: 0.04, from: [0, 0.2, 1.1]}", "arm", "'from'",
              "'to'"),
        FAULT("ends and a middle", ARM,
              "arm: {capsule: 0.04, from: [0, 0.2, 1.1], "
              "to: [0, 0.2, 0.8], at: @[0, 0.2, 0.9]}",
              "arm", "'at'", "leave out"),
        FAULT("a length on a sphere", "head: {sphere: 0.1", "head: {sphere: 0.1, length: @1",
              "head", "'length'"),
        FAULT("two shapes", "head: {sphere: 0.1", "@head: {sphere: 0.1, box: [1, 1, 1]", "head",
              "one of 'box', 'sphere'"),
        FAULT("no shape", SHAPE, "@head: {", "head", "one of 'box', 'sphere'"),
        FAULT("a key misspelt", "head: {sphere: 0.1", "head: {sphere: 0.1, @densty: 5",
              "unknown key 'densty'", "a body", "did you mean 'density'"),
        FAULT("fixed by a number", "fixed: true", "fixed: @3", "'fixed'", "on or off", "3"),
        FAULT("a rotation that is none", "head: {sphere: 0.1",
              "head: {sphere: 0.1, rotation: @[0, 0, 0, 0]", "'rotation'", "zero"),
        FAULT("a rotation of three numbers", "head: {sphere: 0.1",
              "head: {sphere: 0.1, rotation: @[0, 0, 0]", "'rotation'", "4 numbers"),
        FAULT("a body named as the world", HAND, HAND "\n  @world: {sphere: 1}", "'world'",
              "cannot be the name"),
        FAULT("a name with a slash", HAND, HAND "\n  @a/b: {sphere: 1}", "'a/b'",
              "cannot be the name"),
        FAULT("an empty name", HAND, HAND "\n  @\"\": {sphere: 1}", "''", "cannot be the name"),
        FAULT("a name twice", HAND, HAND "\n  @hand: {sphere: 1}", "'hand'", "second time",
              "line 15"),
    };
    EXPECT_REFUSED(faults);
}

// ---------------------------------------------------------------------------------------- joints

#define ELBOW_AXIS   "axis: [0, -1, 0]"
#define ELBOW_LIMITS "limits: [0, 145]"
#define NECK_LIMITS  "limits: {swing: 120, twist: 80}"
#define ROOT         "  root: {ball: [-0.15, 0, 1], between: [trunk, tail]}\n"
#define PAIR         "between: [trunk, tail]"
static const CliFault joints_faults[] = {
    FAULT("an axis of zero", ELBOW_AXIS, "axis: @[0, 0, 0]", "'axis'", "zero"),
    FAULT("an axis that is not a number", ELBOW_AXIS, "axis: [0, @nan, 0]", "'axis'", "finite"),
    FAULT("an axis of two numbers", ELBOW_AXIS, "axis: @[0, 1]", "'axis'", "3 numbers"),
    FAULT("an axis by its letter", ELBOW_AXIS, "axis: @y", "'axis'", "3 numbers", "'y'"),
    FAULT("a hinge without an axis", "  elbow:\n    hinge: [0, 0.2, 0.8]\n    " ELBOW_AXIS,
          "  @elbow:\n    hinge: [0, 0.2, 0.8]", "elbow", "'axis'"),
    FAULT("a ball with an axis", "root: {", "root: {axis: @[0, 0, 1], ", "root", "axis"),
    FAULT("two kinds", "root: {", "@root: {hinge: [0, 0, 1], ", "root", "one of 'hinge'"),
    FAULT("no kind", "root: {ball: [-0.15, 0, 1], ", "@root: {", "root", "one of 'hinge'"),
    FAULT("lower above upper", ELBOW_LIMITS, "limits: @[145, 0]", "145", "above", "0"),
    FAULT("limits that are not numbers", ELBOW_LIMITS, "limits: [@nan, 145]", "'limits'", "nan"),
    FAULT("one limit", ELBOW_LIMITS, "limits: @[145]", "'limits'", "2 numbers"),
    FAULT("a limit as a number", ELBOW_LIMITS, "limits: @145", "'limits'", "2 numbers", "145"),
    FAULT("no place between the limits", ELBOW_LIMITS, "limits: @[inf, inf]", "limits", "inf"),
    FAULT("a cone on a hinge", ELBOW_LIMITS, "limits: @{swing: 90}", "elbow", "[lower, upper]"),
    FAULT("a range on a ball", NECK_LIMITS, "limits: @[0, 90]", "neck", "{swing, twist}"),
    FAULT("a swing over half a turn", "swing: 120", "swing: @181", "'swing'", "half a turn", "181"),
    FAULT("a twist over half a turn", "twist: 80", "twist: @400", "'twist'", "half a turn", "400"),
    FAULT("a negative swing", "swing: 120", "swing: @-5", "'swing'", "above 0", "-5"),
    FAULT("a swing that is not a number", "swing: 120", "swing: @nan", "'swing'", "nan"),
    FAULT("a bias of zero", "bias: 2", "bias: @0", "'bias'", "above 0"),
    FAULT("a negative bias", "bias: 2", "bias: @-2", "'bias'", "above 0", "-2"),
    FAULT("a natural posture that is not a number", "natural: 30", "natural: @nan", "'natural'",
          "nan"),
    FAULT("a rotation as the posture of a hinge", "natural: 30", "natural: @[1, 0, 0, 0]", "elbow",
          "number"),
    FAULT("a spring that is a number", "original: {spring: 7, damper: 0.7}", "original: @7",
          "spring", "map", "7"),
    FAULT("a spring misspelt", "{spring: 7, damper: 0.7}", "{@sping: 7, damper: 0.7}",
          "unknown key 'sping'", "did you mean 'spring'"),
    FAULT("a key of joints misspelt", "natural: 30", "@naturall: 30", "unknown key 'naturall'",
          "a joint", "did you mean 'natural'"),
    FAULT("an unknown body", PAIR, "between: [trunk, @tial]", "no body 'tial'",
          "did you mean 'tail'"),
    FAULT("between nothing", "root: {ball: [-0.15, 0, 1], " PAIR, "@root: {ball: [-0.15, 0, 1]",
          "'between'", "missing"),
    FAULT("between one body", PAIR, "between: @tail", "root", "two bodies"),
    FAULT("between three bodies", PAIR, "between: @[trunk, tail, head]", "root", "two bodies"),
    FAULT("between one body twice", PAIR, "between: @[tail, tail]", "root", "same body"),
    FAULT("the world as the child", PAIR, "between: @[tail, world]", "root", "world", "first"),
    FAULT("a fixed body as the child", PAIR, "between: @[tail, trunk]", "root", "fixed", "first"),
    FAULT("a joint named as the world", ROOT,
          ROOT "  @world: {ball: [0, 0, 0], between: [world, tail]}\n", "'world'",
          "cannot be the name"),
    FAULT("a name twice", ROOT, ROOT "  @neck: {ball: [0, 0, 1], between: [trunk, tail]}\n",
          "'neck'", "second time", "line 20"),
    FAULT("a mirror across nothing", "across: y", "across: @w", "'across'", "x", "w"),
    FAULT("a mirror onto itself", "mirror: {from: left_, to: right_",
          "mirror: @{from: left_, to: left_", "'from' and 'to'", "left_"),
    FAULT("a mirror without a side", "mirror: {from: left_, ", "@mirror: {", "'from'", "missing"),
    FAULT("a mirror that is a word", "mirror: {from: left_, to: right_, across: y}",
          "mirror: @left", "a mirror", "map", "left"),
};

Test(cli_bad_scene, joints) {
    EXPECT_REFUSED(joints_faults);
}

// as a pattern that fits nothing: what was meant is not there
Test(cli_bad_scene, a_mirror_of_nothing_is_refused) {
    static const CliFault faults[] = {
        FAULT("a mirror of nothing", "mirror: {from: left_", "mirror: {from: @lft_", "lft_"),
    };
    EXPECT_REFUSED(faults);
}

// what is there but could not be made is not said to be missing
Test(cli_bad_scene, a_refused_joint_is_not_said_to_be_missing) {
    static const CliFault fault = FAULT("", "between: [trunk, arm]", "between: [trunk, @amr]", "");
    CliFolder folder = cli_folder_create();
    CliEnd end;
    char* good = cli_source("good.yaml");
    CliBadText bad = cli_bad_text(good, &fault);
    cli_write_text(&folder, "bad.yaml", bad.text);
    CLI_RUN(&folder, &end, "run", "bad.yaml");
    cr_expect_eq(end.code, 3);
    cr_expect_null(strstr(end.err, "there is no joint 'shoulder'"), "%s", end.err);
    free(bad.text);
    free(good);
    cli_folder_destroy(&folder);
}

// ------------------------------------------------------------------------ one fault, one error

Test(cli_bad_scene, one_fault_is_said_once) {
#define USES     "uses: [shoulder, elbow]"
#define POLYLINE "polyline: [[0.1, 0.2, 0.5], [0.2, 0.2, 0.5]]"
    static const CliFault faults[] = {
        FAULT("a body that is a text", HAND, "hand: @small", "a body", "map", "small"),
        FAULT("a body that is a list", HAND, "hand: @[1, 2]", "a body", "map", "list"),
        FAULT("a shape misspelt", "head: {sphere: 0.1", "head: {@shpere: 0.1",
              "unknown key 'shpere'", "did you mean 'sphere'"),
        FAULT("a joint that is a list", ROOT, "  root: @[trunk, tail]\n", "a joint", "map", "list"),
        FAULT("a target misspelt", TARGET, "@postion: [0.3, 0.2, 0.9]", "unknown key 'postion'",
              "did you mean 'position'"),
        FAULT("a polyline's place that is no place", POLYLINE, "polyline: [@[0.1, 0.2], [0, 0, 0]]",
              "'polyline'", "3 numbers"),
        FAULT("joints in a map", USES, "uses: @{elbow: on}", "'uses'", "name", "map"),
        FAULT("a unit of its own", "angles: degrees", "angles: @degree", "'angles'", "degree",
              "did you mean 'degrees'"),
        FAULT("a fault that the mirror repeats", "left_ear: {sphere: 0.03",
              "left_ear: {sphere: 0.03, length: @1", "left_ear", "'length'"),
        FAULT("a joint of the mirror without an axis",
              "left_wiggle: {hinge: [0, 0.1, 1.4], axis: [1, 0, 0], ",
              "@left_wiggle: {hinge: [0, 0.1, 1.4], ", "left_wiggle", "'axis'"),
        FAULT("a refused joint that a point needs", "between: [trunk, arm]",
              "between: [trunk, @amr]", "no body 'amr'", "did you mean 'arm'"),
    };
    EXPECT_REFUSED(faults);
}

// ----------------------------------------------------------------------------- how it is said

FOLDER_TEST(cli_bad_scene, a_caret_stands_under_the_place, cli_folder_create()) {
    CliEnd end;
    static const char text[] = "poise: 1\nworld: {step: -1}\n";
    cli_write_text(folder, "bad.yaml", text);
    CLI_RUN(folder, &end, "run", "bad.yaml");
    cr_expect_eq(end.code, 3);
    cr_expect_str_eq(end.err, "bad.yaml:2:15: error: 'step' must be above 0, not -1\n"
                              "    world: {step: -1}\n"
                              "                  ^\n");
}

FOLDER_TEST(cli_bad_scene, every_error_is_said_in_order_of_the_file, cli_folder_create()) {
    CliEnd end;
    static const char text[] = "poise: 1\n"
                               "worlds: {}\n"
                               "ik: {sweeps: -1}\n"
                               "bodies:\n"
                               "  a: {sphere: 0, fixed: maybe}\n"
                               "  b: {box: [1, 1]}\n"
                               "joints:\n"
                               "  c: {hinge: [0, 0, 0], axis: [0, 0, 0], between: [world, b]}\n"
                               "control_points:\n"
                               "  d: {body: e, position: [0, 0, 0]}\n";
    static const char* const places[] = {"2:1", "3:14", "5:15", "5:25", "6:12", "8:31", "10:13"};
    cli_write_text(folder, "bad.yaml", text);
    CLI_RUN(folder, &end, "check", "bad.yaml");
    cr_expect_eq(end.code, 3);
    const char* at = end.out;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char place[32];
        snprintf(place, sizeof place, "bad.yaml:%s: error: ", places[i]);
        const char* found = strstr(at, place);
        cr_expect_not_null(found, "no %safter what is before it in:\n%s", place, end.out);
        at = found ? found : at;
    }
    cr_expect_not_null(strstr(end.out, "bad.yaml: 7 errors, 0 warnings"), "%s", end.out);
}

FOLDER_TEST(cli_bad_scene, info_refuses_what_check_refuses, cli_folder_create()) {
    CliEnd end;
    static const char text[] = "poise: 1\nbodies: {a: {sphere: nan}}\n";
    cli_write_text(folder, "bad.yaml", text);
    CLI_RUN(folder, &end, "info", "bad.yaml");
    cr_expect_eq(end.code, 3);
    cr_expect_str_empty(end.out);
    cr_expect_not_null(strstr(end.err, "bad.yaml:2:22: error: "), "%s", end.err);
}
