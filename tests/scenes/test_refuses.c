// SPDX-License-Identifier: MIT
// Bad input: each row is refused at its place with a message that says what is wrong, in the
// library and by the program, which ends with 3.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "loaded.h"
#include "program.h"
#include "text.h"

typedef struct Row {
    int line;
    int column;
    const char* fragment;
    const char* text;
} Row;

#define P "poise: 1\n"
#define A P "bodies: {a: {sphere: 1}, b: {sphere: 1}, f: {sphere: 1, fixed: yes}}\n"
#define J                                                                                          \
    A "joints: {j: {ball: [0, 0, 0], between: [f, a]}, k: {ball: [1, 0, 0], between: [f, b]}}\n"

static const Row scenes[] = {
    // the file
    {1, 1, "is empty", ""},
    {1, 1, "must be a map", "just words"},
    {1, 1, "must be a map", "[1, 2]"},
    {1, 1, "'poise' is missing in a scene", "title: x\n"},
    {1, 8, "version 2 of the format; this program reads version 1", "poise: 2\n"},
    {2, 1, "unknown key 'wrold' in a scene; did you mean 'world'?", P "wrold: {}\n"},
    {2, 1, "unknown key 'timestep' in a scene; write 'world: {step: ...}'", P "timestep: 1\n"},
    {2, 1, "in a scene; write 'world: {gravity: ...}' or 'ik: {gravity: ...}'", P "gravity: 1\n"},
    {2, 14, "not 'dls'; here it is called 'dual'", P "ik: {solver: dls}\n"},
    {3, 1, "second time", P "title: a\ntitle: b\n"},
    {2, 13, "a loop", P "bodies: &a [*a]\n"},
    {2, 9, "must be one of radians, degrees", P "angles: gradians\n"},
    {2, 10, "above 0", P "seconds: 0\n"},
    // the world
    {2, 15, "must be above 0, not 0", P "world: {step: 0}\n"},
    {2, 15, "must be above 0, not -0.01", P "world: {step: -0.01}\n"},
    {2, 15, "a finite number, not 'nan'", P "world: {step: nan}\n"},
    {2, 15, "a finite number, not '.inf'", P "world: {step: .inf}\n"},
    {2, 15, "a finite number, not '1e999'", P "world: {step: 1e999}\n"},
    {2, 15, "a decimal number, not '0x10'", P "world: {step: 0x10}\n"},
    {2, 15, "a decimal number, not '0.01'", P "world: {step: '0.01'}\n"},
    {2, 15, "must be at most 1", P "world: {step: 2}\n"},
    {2, 15, "not a list of 1", P "world: {step: [1]}\n"},
    {2, 18, "a list of 3 numbers", P "world: {gravity: [0, 0]}\n"},
    {2, 25, "a finite number, not 'nan'", P "world: {gravity: [0, 0, nan]}\n"},
    {2, 19, "at least 0", P "world: {friction: -1}\n"},
    {2, 22, "at most 1", P "world: {restitution: 2}\n"},
    {2, 17, "the ground must be a map of keys and values or off, not 'maybe'",
     P "world: {ground: maybe}\n"},
    {2, 19, "must be on or off, not 'perhaps'", P "world: {contacts: perhaps}\n"},
    // ik
    {2, 14, "must be one of auto, gauss_seidel, dual, box, cgls, not 'duall'; did you mean 'dual'?",
     P "ik: {solver: duall}\n"},
    {2, 14, "at least 1", P "ik: {sweeps: 0}\n"},
    {2, 14, "a whole number", P "ik: {sweeps: 2.5}\n"},
    {2, 17, "above 0", P "ik: {joint_cap: 0}\n"},
    {2, 15, "at least 0", P "ik: {damping: -1}\n"},
    // bodies
    {2, 10, "one of 'box', 'sphere', 'capsule', 'cylinder'", P "bodies: {a: {mass: 1}}\n"},
    {2, 10, "only one of 'box'", P "bodies: {a: {box: [1, 1, 1], sphere: 1}}\n"},
    {2, 22, "above 0", P "bodies: {a: {sphere: -1}}\n"},
    {2, 20, "above 0", P "bodies: {a: {box: [0, 1, 1]}}\n"},
    {2, 31, "above 0", P "bodies: {a: {sphere: 1, mass: -2}}\n"},
    {2, 34, "above 0", P "bodies: {a: {sphere: 1, density: 0}}\n"},
    {2, 45, "say the same thing twice", P "bodies: {a: {sphere: 1, mass: 1, density:   5}}\n"},
    {2, 10, "'from' and 'to', or 'length'", P "bodies: {a: {capsule: 1}}\n"},
    {2, 10, "'from' and 'to', or 'length'", P "bodies: {a: {capsule: 1, from: [0, 0, 0]}}\n"},
    {2, 47, "the same place", P "bodies: {a: {capsule: 1, from: [1, 1, 1], to: [1, 1, 1]}}\n"},
    {2, 62, "leave out 'at'",
     P "bodies: {a: {capsule: 1, from: [0, 0, 0], to: [1, 1, 1], at: [0, 0, 0]}}\n"},
    {2, 33, "belong to capsules", P "bodies: {a: {sphere: 1, length: 2}}\n"},
    {2, 30, "a finite number", P "bodies: {a: {sphere: 1, at: [inf, 0, 0]}}\n"},
    {2, 35, "must not be zero: it names a rotation",
     P "bodies: {a: {sphere: 1, rotation: [0, 0, 0, 0]}}\n"},
    {2, 35, "[w, x, y, z], {axis, angle} or {rpy}",
     P "bodies: {a: {sphere: 1, rotation: {angle: 1}}}\n"},
    {2, 25, "unknown key 'sphre' in a body; did you mean 'sphere'?",
     P "bodies: {a: {sphere: 1, sphre: 2}}\n"},
    {2, 10, "cannot be the name of a body", P "bodies: {'a b': {sphere: 1}}\n"},
    {2, 10, "cannot be the name of a body", P "bodies: {a/b: {sphere: 1}}\n"},
    {2, 10, "'world' cannot be the name", P "bodies: {world: {sphere: 1}}\n"},
    {2, 9, "must be a map of names", P "bodies: [a]\n"},
    {2, 10, "cannot be simulated", P "bodies: {a: {sphere: 1e-9, density: 1e-9}}\n"},
    // joints
    {3, 10, "one of 'hinge', 'slider', 'ball', 'universal'", A "joints: {j: {between: [f, a]}}\n"},
    {3, 10, "'between' is missing in a joint", A "joints: {j: {ball: [0, 0, 0]}}\n"},
    {3, 10, "needs its 'axis'", A "joints: {j: {hinge: [0, 0, 0], between: [f, a]}}\n"},
    {3, 38, "must not be zero: it names a direction",
     A "joints: {j: {hinge: [0, 0, 0], axis: [0, 0, 0], between: [f, a]}}\n"},
    {3, 37, "a ball has no axis but that of its 'limits'",
     A "joints: {j: {ball: [0, 0, 0], axis: [1, 0, 0], between: [f, a]}}\n"},
    {3, 41, "there is no body 'x'", A "joints: {j: {ball: [0, 0, 0], between: [x, a]}}\n"},
    {3, 43, "the same body", A "joints: {j: {ball: [0, 0, 0], between:    [a, a]}}\n"},
    {3, 40, "names two bodies", A "joints: {j: {ball: [0, 0, 0], between: [a]}}\n"},
    {3, 40, "the child is fixed", A "joints: {j: {ball: [0, 0, 0], between: [a, f]}}\n"},
    {3, 40, "neither of the two bodies can move",
     A "joints: {j: {ball: [0, 0, 0], between: [world, f]}}\n"},
    {3, 40, "the world cannot be the child",
     A "joints: {j: {ball: [0, 0, 0], between: [a, world]}}\n"},
    {3, 74, "the lower limit 2 is above the upper limit 1",
     A "joints: {j: {hinge: [0, 0, 0], axis: [1, 0, 0], between: [f, a], limits: [2, 1]}}\n"},
    {3, 142, "{swing, twist}",
     A "joints: {j: {slider: [0, 0, 0], axis: [1, 0, 0], between: [f, a], natural: 1, limits: "
       "[0, 1]}, k: {ball: [0, 0, 0], between: [f, b], limits: [0, 1]}}\n"},
    {3, 65, "at most half a turn",
     A "joints: {j: {ball: [0, 0, 0], between: [f, a], limits: {swing: "
       " 4, twist: 1}}}\n"},
    {4, 68, "at most half a turn",
     P "angles: degrees\nbodies: {a: {sphere: 1}}\njoints: {j: {ball: [0, "
       "0, 0], between: [world, a], limits: {swing: 181}}}\n"},
    {3, 61, "at least 0", A "joints: {j: {ball: [0, 0, 0], between: [f, a], ik: {spring: -1}}}\n"},
    {3, 61, "a finite number",
     A "joints: {j: {ball: [0, 0, 0], between: [f, a], ik: {spring: inf}}}\n"},
    {3, 53, "unknown key 'sping' in a spring; did you mean 'spring'?",
     A "joints: {j: {ball: [0, 0, 0], between: [f, a], ik: {sping: 1}}}\n"},
    {3, 53, "unknown key 'stiffness' in a spring; here it is called 'spring'",
     A "joints: {j: {ball: [0, 0, 0], between: [f, a], ik: {stiffness: 1}}}\n"},
    {3, 48, "in a joint; write 'original: {damper: ...}' or 'ik: {damper: ...}'",
     A "joints: {j: {ball: [0, 0, 0], between: [f, a], damping: 1}}\n"},
    {3, 60, "above 0", A "joints: {j: {ball: [0, 0, 0], between: [f, a], max_torque: 0}}\n"},
    {3, 54, "above 0", A "joints: {j: {ball: [0, 0, 0], between: [f, a], bias: -1}}\n"},
    {3, 57, "a ball's natural posture is a rotation",
     A "joints: {j: {ball: [0, 0, 0], between: [f, a], natural: 1}}\n"},
    // robots
    {2, 10, "'urdf' or 'mjcf' is missing in robot", P "robots: {r: {}}\n"},
    {2, 29, "one file is enough", P "robots: {r: {urdf: a, mjcf: b}}\n"},
    {2, 20, "nowhere.urdf cannot be read: No such file", P "robots: {r: {urdf: nowhere.urdf}}\n"},
    // mirrors
    {2, 1, "'from' is missing in a mirror", P "mirror: {to: r_}\n"},
    {2, 9, "are the same", P "mirror: {from: l_, to: l_}\n"},
    {2, 36, "must be one of x, y, z", P "mirror: {from: l_, to: r_, across: w}\n"},
    // control points
    {4, 18, "'body' is missing", J "control_points: {p: {position: [0, 0, 0]}}\n"},
    {4, 28, "there is no body 'aa'; did you mean 'a'?",
     J "control_points: {p: {body: aa, position: [0, 0, 0]}}\n"},
    {4, 18, "wants nothing", J "control_points: {p: {body: a}}\n"},
    {4, 18, "no joint can move", J "control_points: {p: {body: f, position: [0, 0, 0]}}\n"},
    {4, 37, "there is no joint 'jj'; did you mean 'j'?",
     J "control_points: {p: {body: a, uses: jj, position: [0, 0, 0]}}\n"},
    {4, 38, "joint 'k' cannot move 'p'",
     J "control_points: {p: {body: a, uses: [k], position: [0, 0, 0]}}\n"},
    {4, 38, "no joint fits 'x*'",
     J "control_points: {p: {body: a, uses: ['x*'], position: [0, 0, 0]}}\n"},
    {4, 37, "no joint can move",
     J "control_points: {p: {body: a, uses: [], position: [0, 0, 0]}}\n"},
    {4, 39, "above 0", J "control_points: {p: {body: a, weight: 0, position: [0, 0, 0]}}\n"},
    {4, 42, "a finite number", J "control_points: {p: {body: a, position: [nan, 0, 0]}}\n"},
    {4, 41, "exactly one of", J "control_points: {p: {body: a, position: {until: 2}}}\n"},
    {4, 41, "needs its 'speed'",
     J "control_points: {p: {body: a, position: {polyline: [[0, 0, 0], [1, 0, 0]]}}}\n"},
    {4, 52, "a list of at least 2",
     J "control_points: {p: {body: a, position: {polyline: [[0, 0, 0]], speed: 1}}}\n"},
    {4, 52, "has no length",
     J "control_points: {p: {body: a, position: {polyline: [[0, 0, 0], [0, 0, 0]], speed: 1}}}\n"},
    {4, 84, "the times of a path must rise: 1 comes after 1",
     J "control_points: {p: {body: a, position: {path: [{time: 1, to: [0, 0, 0]}, {time:   1, to: "
       "[0, 0, 1]}]}}}\n"},
    {4, 66, "belongs to a path",
     J "control_points: {p: {body: a, position: {at: [0, 0, 0], between: smooth}}}\n"},
    {4, 86, "above 0",
     J "control_points: {p: {body: a, position: {circle: {centre: [0, 0, 0], radius: "
       "        0, period: 1}}}}\n"},
    {4, 102, "must not lie along its 'normal'",
     J "control_points: {p: {body: a, position: {circle: {centre: [0, 0, 0], radius: 1, period: 1, "
       "start:    [0, 0, 1]}}}}\n"},
    {4, 57, "must not be zero",
     J "control_points: {p: {body: a, orientation: {quaternion: [0, 0, 0, 0]}}}\n"},
    {4, 44, "needs 'along' or 'at'",
     J "control_points: {p: {body: a, orientation: {point: [1, 0, 0]}}}\n"},
    {4, 67, "there is no control point 'q'",
     J "control_points: {p: {body: a, orientation: {point: [1, 0, 0], at: q}}}\n"},
    {4, 67, "cannot look at itself",
     J "control_points: {p: {body: a, orientation: {point: [1, 0, 0], at: p}}}\n"},
    {4, 38, "needs 'push' or 'torque'", J "control_points: {p: {body: a, force: {after: 1}}}\n"},
    // record and expect
    {5, 10, "there is no control point or joint 'q'",
     J "control_points: {p: {body: a, position: [0, 0, 0]}}\nrecord: [q.error]\n"},
    {5, 10, "there is no figure 'eror'; did you mean 'error'?",
     J "control_points: {p: {body: a, position: [0, 0, 0]}}\nrecord: [p.eror]\n"},
    {5, 10, "names no figure",
     J "control_points: {p: {body: a, position: [0, 0, 0]}}\nexpect: {p: 1}\n"},
    {5, 10, "has no goal that 'angle_error'",
     J "control_points: {p: {body: a, position: [0, 0, 0]}}\nexpect: {p.angle_error: 1}\n"},
    {5, 23, "a finite number",
     J "control_points: {p: {body: a, position: [0, 0, 0]}}\nexpect: {p.rms_error: nan}\n"},
};

#define R "<robot name='r'>\n"
#define L R "<link name='a'/><link name='b'/>\n"
#define JOINT(type, inside)                                                                        \
    "<joint name='j' type='" type "'><parent link='a'/><child link='b'/>" inside "</joint>\n"

static const Row robots[] = {
    {1, 1, "not XML", ""},
    {1, 1, "must be <robot> or <mujoco>, not <svg>", "<svg/>"},
    {1, 1, "an SDF file of Gazebo's, which is not read: run 'sdf2urdf.py", "<sdf/>"},
    {1, 1, "a part of a MuJoCo model: read the file that includes it", "<mujocoinclude/>"},
    {1, 1, "a xacro file, from which a robot is made: run 'xacro",
     "<robot xmlns:xacro='x'><xacro:macro name='leg'/></robot>"},
    {1, 1, "a model without <worldbody>", "<mujoco/>"},
    {1, 1, "a robot without links", "<robot/>"},
    {3, 1, "cut off", R "<link name='a'>\n"},
    {2, 1, "<link> lacks 'name'", R "<link/></robot>"},
    {2, 17, "a second link is named 'a'", R "<link name='a'/><link name='a'/></robot>"},
    {2, 17, "hangs on no joint, and neither does 'a'", L "</robot>"},
    {4, 1, "a second joint is named 'j'", L JOINT("fixed", "") JOINT("fixed", "") "</robot>"},
    {3, 17, "'hinge' is no type of joint; here it is called 'revolute'",
     L JOINT("hinge", "") "</robot>"},
    {3, 1, "lacks 'type'", L "<joint name='j'><parent link='a'/><child link='b'/></joint></robot>"},
    {3, 1, "lacks its <child link>",
     L "<joint name='j' type='fixed'><parent link='a'/></joint></robot>"},
    {3, 38, "there is no link 'aa'; did you mean 'a'?",
     L "<joint name='j' type='fixed'><parent link='aa'/><child link='b'/></joint></robot>"},
    {4, 1, "hangs on two joints",
     L JOINT(
         "fixed",
         "") "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>"},
    {3, 1, "no link is the root",
     L JOINT(
         "fixed",
         "") "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>"},
    {4, 1, "part of a loop",
     R "<link name='r'/><link name='a'/><link name='b'/>\n" JOINT(
         "fixed",
         "") "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>"},
    {3, 74, "the axis of joint 'j' is zero", L JOINT("revolute", "<axis xyz='0 0 0'/>") "</robot>"},
    {3, 74, "'xyz' must be 3 finite numbers, not '0 nan 1'",
     L JOINT("revolute", "<axis xyz='0 nan 1'/>") "</robot>"},
    {3, 76, "'xyz' must be 3 finite numbers, not '0 1'",
     L JOINT("revolute", "<origin xyz='0 1'/>") "</robot>"},
    {3, 76, "expand the file with xacro",
     L JOINT("revolute", "<origin xyz='${x} 0 0'/>") "</robot>"},
    {3, 76, "3 finite numbers", L JOINT("revolute", "<origin rpy='inf 0 0'/>") "</robot>"},
    {3, 78, "'damping' must be at least 0",
     L JOINT("revolute", "<dynamics damping='-1'/>") "</robot>"},
    {3, 17, "screw", L JOINT("screw", "") "</robot>"},
    {2, 26, "the mass of link 'a' must be at least 0",
     R "<link name='a'><inertial><mass value='-1'/></inertial></link></robot>"},
    {2, 32, "1 finite number, not 'heavy'",
     R "<link name='a'><inertial><mass value='heavy'/></inertial></link></robot>"},
    {2, 27, "<inertia> lacks 'ixx'",
     R "<link name='a'><inertial> <inertia/></inertial></link></robot>"},
    {2, 45, "the sides of a box must be above 0",
     R "<link name='a'><collision><geometry><box    size='1 -1 "
       "1'/></geometry></collision></link></robot>"},
    {2, 48, "'radius' must be above 0",
     R "<link name='a'><collision><geometry><sphere    "
       "radius='-1'/></geometry></collision></link></robot>"},
};

static void expect_refused(const char* file, const Row* row, Outcome* outcome) {
    Loaded loaded = load_text(file, row->text);
    char text[2000];
    cr_expect_null(loaded.scene, "'%s' was read", row->text);
    cr_expect(found(&loaded, POISE_ERROR, row->line, row->column, row->fragment),
              "%d:%d '%s' is not among the findings of\n%s\n%s", row->line, row->column,
              row->fragment, row->text, findings(&loaded, text, sizeof text));
    unload(&loaded);

    char command[100];
    char place[100];
    write_scratch(file, row->text);
    snprintf(command, sizeof command, "check %s", file);
    snprintf(place, sizeof place, "%s:%d:%d: error: ", file, row->line, row->column);
    run_program(outcome, command);
    cr_expect(outcome->code == 3, "ended with %d: %s", outcome->code, row->text);
    cr_expect(strstr(outcome->out, place) != NULL, "no '%s' in\n%s", place, outcome->out);
}

static void expect_all(const char* file, const Row* rows, size_t count) {
    Outcome* outcome = outcome_create();
    for (size_t i = 0; i < count; i++) {
        expect_refused(file, &rows[i], outcome);
    }
    outcome_destroy(outcome);
}

Test(refuses, bad_scenes_at_their_place) {
    expect_all("bad.yaml", scenes, sizeof scenes / sizeof scenes[0]);
}

Test(refuses, bad_robots_at_their_place) {
    expect_all("bad.urdf", robots, sizeof robots / sizeof robots[0]);
}

// the project's own robot, cut off after every so many bytes: never read, never a crash
Test(refuses, a_robot_cut_off_anywhere) {
    char* text = text_of(POISE_SOURCE_DIR "/scenes/robots/panda.urdf");
    size_t size = strlen(text);
    // the last line may be a bare newline
    while (size > 0 && text[size - 1] != '>') {
        size--;
    }
    for (size_t cut = 0; cut < size; cut += 97) {
        char saved = text[cut];
        text[cut] = '\0';
        Loaded loaded = load_text("cut.urdf", text);
        cr_expect_null(loaded.scene, "cut after %zu bytes", cut);
        cr_expect(found(&loaded, POISE_ERROR, 0, 0, "not XML"));
        unload(&loaded);
        text[cut] = saved;
    }
    free(text);
}

PROGRAM_TEST(refuses, a_missing_file) {
    run_program(outcome, "run nowhere.yaml");
    cr_expect(outcome->code == 3);
    cr_expect(strstr(outcome->err, "nowhere.yaml: error: cannot be read") != NULL, "%s",
              outcome->err);
    run_program(outcome, "check .");
    cr_expect(outcome->code == 3);
}
