// SPDX-License-Identifier: MIT
// What few scenes say: each row is a scene, or what is set over one, and what is found in it.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loaded.h"

// beside good.urdf
#define HERE POISE_SOURCE_DIR "/tests/scenes/odd.yaml"

typedef struct Row {
    const char* name;
    const char* text;
    const char* finds; ///< an error; NULL: there is none
} Row;

#define P "poise: 1\n"
#define A P "bodies: {a: {sphere: 1}, b: {sphere: 1}, f: {sphere: 1, fixed: yes}}\n"
#define J                                                                                          \
    A "joints: {j: {ball: [0, 0, 0], between: [f, a]}, k: {ball: [1, 0, 0], between: [f, b]}}\n"
#define ROBOT             P "robots: {r: {urdf: good.urdf}}\n"
#define LIMITS(of, what)  A "joints: {j: {" of ", between: [f, a], limits: " what "}}\n"
#define NATURAL(of, what) A "joints: {j: {" of ", between: [f, a], natural: " what "}}\n"
#define HINGE             "hinge: [0, 0, 0], axis: [1, 0, 0]"
#define CROSS             "universal: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0]"
#define POINT(what)       J "control_points: {p: {body: a, " what "}}\n"

static void expect_found(const Row* row, const Loaded* loaded) {
    char all[2000];
    if (row->finds) {
        cr_expect(found(loaded, POISE_ERROR, 0, 0, row->finds), "%s: no '%s' in\n%s", row->name,
                  row->finds, findings(loaded, all, sizeof all));
        cr_expect_null(loaded->scene, "%s", row->name);
    } else {
        cr_expect_not_null(loaded->scene, "%s: %s", row->name, findings(loaded, all, sizeof all));
    }
}

static void expect_rows(const char* path, const Row* rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        Loaded loaded = load_text(path, rows[i].text);
        expect_found(&rows[i], &loaded);
        unload(&loaded);
    }
}

static const Row joints[] = {
    {"limits of a ball", LIMITS("ball: [0, 0, 0]", "off"), NULL},
    {"limits from infinity on", LIMITS(HINGE, "[.inf, .inf]"), "between these limits there is no"},
    {"limits up to minus infinity", LIMITS(HINGE, "[-.inf, -.inf]"), "there is no place: [-inf"},
    {"one number", LIMITS(HINGE, "[1]"), "'limits' must be a list of 2 numbers, not a list of 1"},
    {"words", LIMITS(HINGE, "[a, b]"), "a decimal number, not 'a'"},
    {"a cone of a hinge", LIMITS(HINGE, "{swing: 1}"), "a hinge's or slider's limits are [lower"},
    {"a twist of a universal", LIMITS(CROSS, "{twist: 1}"), "a universal's limits are [[lower"},
    {"an empty cone of a hinge", LIMITS(HINGE, "{}"), NULL},
    {"two ranges of a hinge", LIMITS(HINGE, "[[0, 1], [0, 1]]"), "two ranges are a universal's"},
    {"one range of a universal", LIMITS(CROSS, "[0, 1]"), "a universal's limits are [[lower"},
    {"the second upside down", LIMITS(CROSS, "[[0, 1], [1, 0]]"), "the lower limit 1 is above"},
    {"one list of two", LIMITS(CROSS, "[[0, 1], 1]"), "'limits'"},
    {"limits of no kind", LIMITS("max_speed: 1", "[0, 1]"), "one of 'hinge', 'slider'"},
    {"a cone of no kind", LIMITS("max_speed: 1", "{swing: 1}"), "one of 'hinge', 'slider'"},
    {"an angle of a ball", NATURAL("ball: [0, 0, 0]", "1"),
     "a ball's natural posture is a rotation"},
    {"no angle of a ball", NATURAL("ball: [0, 0, 0]", "0"), NULL},
    {"two angles of a hinge", NATURAL(HINGE, "[0, 1]"), "two angles are a universal's natural"},
    {"one angle of a universal", NATURAL(CROSS, "1"),
     "a universal's natural posture is two angles"},
    {"two words of a universal", NATURAL(CROSS, "[a, b]"), "a decimal number, not 'a'"},
    {"a rotation of a universal", NATURAL(CROSS, "{rpy: [0, 0, 0]}"), "is two angles: [a, b]"},
    {"a rotation of a hinge", NATURAL(HINGE, "{rpy: [0, 0, 0]}"),
     "of a hinge or slider is a number"},
    {"a rotation that is none", NATURAL("ball: [0, 0, 0]", "[0, 0, 0]"), "'natural'"},
    {"a rotation of words", NATURAL("ball: [0, 0, 0]", "{rpy: word}"), "'rpy' must be a list of 3"},
    {"an axis without its angle", NATURAL("ball: [0, 0, 0]", "{axis: [1, 0, 0]}"),
     "[w, x, y, z], {axis, angle} or {rpy}"},
    {"two rotations", NATURAL("ball: [0, 0, 0]", "{axis: [1, 0, 0], angle: 1, rpy: [0, 0, 0]}"),
     "[w, x, y, z], {axis, angle} or {rpy}"},
    {"an angle of no kind", NATURAL("max_speed: 1", "1"), "one of 'hinge', 'slider'"},
    {"two angles of no kind", NATURAL("max_speed: 1", "[1, 2]"), "one of 'hinge', 'slider'"},
    {"a rotation of no kind", NATURAL("max_speed: 1", "{rpy: [0, 0, 0]}"), "one of 'hinge'"},
};

static const Row points[] = {
    {"a joint that is fixed",
     ROBOT "control_points: {p: {body: r/fore, uses: [r/flange], position: [0, 0, 0]}}\n",
     "joint 'r/flange' is fixed: it cannot move anything"},
    {"a joint of another arm", POINT("uses: [k], position: [0, 0, 0]"),
     "it does not lie between 'a' and the base"},
    {"a joint of another arm, for a centre of mass",
     POINT("com: on, uses: [k], position: [0, 0, 0]"), "and the base, nor farther out"},
    {"a joint before the frame", POINT("frame: b, uses: [k], position: [0, 0, 0]"), NULL},
    {"a stance of a centre of mass", POINT("com: on, stance: 1, position: [0, 0, 0]"),
     "a point with a 'stance' stands at a place"},
    {"a stance that moves",
     POINT("stance: 1, position: {circle: {centre: [0, 0, 0], radius: 1, period: 1}}"),
     "a point with a 'stance' stands at a place"},
    {"a stance of what does not float", POINT("stance: 1, position: [0, 0, 0]"),
     "a 'stance' carries a floating base, and this point's body hangs on none"},
    {"the balance of a link", POINT("balance: on, position: [0, 0, 0]"),
     "only a centre of mass ('com: on') with a 'position' that stays is kept in balance"},
    {"a balance that moves",
     POINT("com: on, balance: on, position: {circle: {centre: [0, 0, 0], radius: 1, period: 1}}"),
     "only a centre of mass"},
    {"the world as a frame", POINT("frame: world, position: [0, 0, 0]"), NULL},
    {"a frame that is not there", POINT("frame: c, position: [0, 0, 0]"), "there is no body 'c'"},
    {"a body that nothing carries, in a frame",
     J "control_points: {p: {body: f, frame: a, position: [0, 0, 0]}}\n",
     "no joint carries 'f': name it as the 'frame'"},
    {"two goals in one", POINT("position: {at: [0, 0, 0], motion: x}"), "exactly one of"},
    {"two rotations in one", POINT("orientation: {quaternion: [1, 0, 0, 0], point: [1, 0, 0]}"),
     "'orientation' must hold exactly one of"},
    {"an axis that points twice", POINT("orientation: {point: [1, 0, 0], along: [1, 0, 0], at: a}"),
     "needs 'along' or 'at', one of them"},
    {"rotations that return",
     POINT("orientation: {repeat: on, path: [{time: 0, to: [1, 0, 0, 0]}, {time: 1, to: [0, 1, 0, "
           "0]}]}"),
     NULL},
    {"rotations that end where they began",
     POINT("orientation: {repeat: on, path: [{time: 0, to: [1, 0, 0, 0]}, {time: 1, to: [1, 0, 0, "
           "0]}]}"),
     NULL},
    {"one rotation, repeated",
     POINT("orientation: {repeat: on, path: [{time: 0, to: [1, 0, 0, 0]}]}"), NULL},
    {"one place, repeated", POINT("position: {repeat: on, path: [{time: 0, to: [1, 0, 0]}]}"),
     NULL},
    {"a circle about x",
     POINT("position: {circle: {centre: [0, 0, 0], radius: 1, period: 1, "
           "normal: [1, 0, 0]}}"),
     NULL},
    {"a circle about y",
     POINT("position: {circle: {centre: [0, 0, 0], radius: 1, period: 1, "
           "normal: [0, 1, 0]}}"),
     NULL},
    {"a rotation that is no map", POINT("orientation: [1, 0, 0, 0]"),
     "'orientation' must be a map, as {quaternion: [w, x, y, z]}, not a list of 4"},
    {"rows of a map", POINT("rows: {x: 1}, position: [0, 0, 0]"), "a name or a list of names"},
    {"rows of lists", POINT("rows: [[x]], position: [0, 0, 0]"), "a name, not a list"},
    {"a name of nothing", POINT("uses: '', position: [0, 0, 0]"), "a name or a list of names"},
    {"a list with a name of nothing", POINT("uses: [''], position: [0, 0, 0]"), "a name"},
};

static const Row others[] = {
    {"an angle with its unit",
     P "angles: degrees\nbodies: {a: {sphere: 1}}\njoints: {j: {ball: "
       "[0, 0, 0], between: [world, a], limits: {swing: 5deg}}}\n",
     "a decimal number, in degrees, not '5deg'"},
    {"an angle in radians", LIMITS("ball: [0, 0, 0]", "{swing: 5rad}"),
     "a decimal number, in radians, not '5rad'"},
    {"a length with its unit", P "bodies: {a: {sphere: 5cm}}\n", "in metres, not '5cm'"},
    {"a length in quotes", P "bodies: {a: {sphere: '5'}}\n", "a decimal number, not '5'"},
    {"a choice of lists", P "ik: {solver: [dual]}\n", "'solver' must be a word, not a list of 1"},
    {"a switch of lists", P "world: {contacts: [on]}\n", "'contacts' must be on or off"},
    {"a switch in quotes", P "world: {contacts: 'on'}\n", "'contacts' must be on or off"},
    {"a text of nothing", P "title: ''\n", "'title' must be a text"},
    {"a text of a list", P "title: [a]\n", "'title' must be a text, not a list of 1"},
    {"no text", P "title:\n", "'title' must be a text"},
    {"too large a number of sweeps", P "ik: {sweeps: 1e12}\n", "'sweeps'"},
    {"a cost that is none", A "expect: {cost.soup: 1}\n", "there is no figure 'soup'"},
    {"a cost that is one", A "expect: {cost.ik_us: 1}\n", NULL},
    {"a force that nobody asks for", POINT("position: [0, 0, 0]") "expect: {p.force_error: 1}\n",
     "is asked for no force that 'force_error' could be measured against"},
    {"a figure of nothing", A "record: [.error]\n", "'.error' names no figure"},
    {"nothing of a point", POINT("position: [0, 0, 0]") "record: [p.]\n", "'p.' names no figure"},
    {"no dot", A "record: [p]\n", "'p' names no figure: write POINT.error or JOINT.angle"},
    {"a bound of nothing", A "expect: {.error: 1}\n", "names no figure"},
    {"a pose of a list", P "robots: {r: {urdf: good.urdf, pose: [1]}}\n",
     "'pose' must be a map of joints and numbers, not a list of 1"},
    {"a pose beyond its limits", P "robots: {r: {urdf: good.urdf, pose: {shoulder: 50}}}\n",
     "shoulder"},
    {"a pose of a joint that is not there", P "robots: {r: {urdf: good.urdf, pose: {wrist: 0}}}\n",
     "wrist"},
    {"across x",
     P "bodies: {l_a: {sphere: 1, at: [1, 2, 3]}}\nmirror: {from: l_, to: r_, across: "
       "x}\n",
     NULL},
    {"across z",
     P "bodies: {l_a: {sphere: 1, at: [1, 2, 3]}}\nmirror: {from: l_, to: r_, across: "
       "z}\n",
     NULL},
    {"a push of nobody", A "pushes: {p: {force: [1, 0, 0], from: 0, seconds: 1}}\n",
     "'body' is missing"},
    {"merged words", P "bodies: {a: {<<: [1, 2], sphere: 1}}\n", "<<"},
    {"merged maps", P "bodies: {a: &a {sphere: 1}, b: {<<: [*a], at: [3, 0, 0]}}\n", NULL},
    {"a control letter in a name", P "bodies: {\"a\\x01b\": {sphere: 1}}\n", "cannot be the name"},
};

Test(scene_odds, joints) {
    expect_rows(HERE, joints, sizeof joints / sizeof joints[0]);
}

Test(scene_odds, control_points) {
    expect_rows(HERE, points, sizeof points / sizeof points[0]);
}

Test(scene_odds, the_rest) {
    expect_rows(HERE, others, sizeof others / sizeof others[0]);
}

Test(scene_odds, what_is_set_over_a_scene) {
    static const struct {
        const char* set;
        const char* finds;
    } rows[] = {
        {"seconds", "an override is key=value"},
        {"=5", "an override is key=value"},
        {"joints.*.bias=2", NULL},
        {"joints.?.ik.spring=7", NULL},
        {"joints.x*.bias=2", "x*"},
        {"joints.*.bais=2", "unknown key 'bais'"},
        {"joints.q.bias=2", "q"},
        {"joints.j=", "joint"},
        {"world.gravity.z=1", "'gravity' must be a list of 3 numbers, not a map"},
        {"bodies.a.sphere.x=1", "'sphere'"},
        {"joints.j.between.x=1", "'between' is a list: set it as a whole"},
        {"world.gravity=[0, 0, -1]", NULL},
        {"world.step.h=1", "'step'"},
        {"joints.*.limits={swing: 1, twist: [1]}", "'twist'"},
        {"joints.*.limits={swing: 1, twist: 0.5}", NULL},
        {"bodies.c.sphere=1", "there is no 'c' in 'bodies'"},
        {"expect.p.rms_error=1", "p"},
        {"record=[j.angle]", NULL},
        {"world={step: 0.005", "not YAML"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const Row row = {rows[i].set, J, rows[i].finds};
        Loaded loaded = load_with(J, &rows[i].set, 1);
        expect_found(&row, &loaded);
        unload(&loaded);
    }
}

// more than a scene holds, of which half is only made by a mirror
Test(scene_odds, more_than_a_scene_holds) {
    static const struct {
        int bodies;
        int joints;
        const char* finds;
    } rows[] = {{1001, 0, "a scene has at most 2000 bodies, those of robots included"},
                {501, 501, "a scene has at most 1000 joints that move, those of robots included"},
                {2001, 0, "'bodies' holds 2001 items: a scene has at most 2000"},
                {1, 1001, "'joints' holds 1001 items: a scene has at most 1000"}};
    const size_t capacity = 400000;
    char* text = malloc(capacity);
    cr_assert_not_null(text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t used = (size_t)snprintf(text, capacity, P "mirror: {from: l_, to: r_}\nbodies:\n");
        for (int k = 0; k < rows[i].bodies; k++) {
            used += (size_t)snprintf(text + used, capacity - used,
                                     "  l_b%d: {sphere: 0.1, at: [%d, 1, 0]}\n", k, k);
        }
        used += (size_t)snprintf(text + used, capacity - used, "joints:%s\n",
                                 rows[i].joints == 0 ? " {}" : "");
        for (int k = 0; k < rows[i].joints; k++) {
            used +=
                (size_t)snprintf(text + used, capacity - used,
                                 "  l_j%d: {ball: [%d, 1, 0], between: [world, l_b%d]}\n", k, k, k);
        }
        const Row row = {rows[i].finds, text, rows[i].finds};
        Loaded loaded = load_text(HERE, text);
        expect_found(&row, &loaded);
        unload(&loaded);
    }
    free(text);
}
