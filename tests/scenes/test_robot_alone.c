// SPDX-License-Identifier: MIT
// Runs a robot's file alone as a scene: the robot stands, held by springs computed for its masses.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "program.h"
#include "running.h"

#define LINK(name, mass, x, moment)                                                                \
    "<link name='" name "'><inertial><origin xyz='" x " 0 0'/><mass value='" mass "'/>"            \
    "<inertia ixx='" moment "' iyy='" moment "' izz='" moment "'/></inertial></link>"

// a rod that lies along x, on a hinge about y
static const char pendulum[] = "<robot name='pendulum'><link name='base'/>" LINK(
    "rod", "2", "0.5",
    "0.1") "<joint name='j' type='continuous'><parent link='base'/><child link='rod'/>"
           "<axis xyz='0 1 0'/>%s</joint></robot>";

static double q_of(const Running* running, int joint) {
    return poise_simulation_joint(running->simulation, joint).q[0];
}

// Returns the largest error of a point, m.
static double worst_error(const Running* running) {
    double worst = 0.0;
    for (int i = 0; i < poise_simulation_point_count(running->simulation); i++) {
        worst = fmax(worst, poise_simulation_point(running->simulation, i).reading.miss);
    }
    return worst;
}

// Returns the kinetic energy of all bodies, J.
static double kinetic(const Running* running) {
    double moving = 0.0;
    poise_simulation_energy(running->simulation, &moving, NULL);
    return moving;
}

Test(robot_alone, the_spring_is_the_inertia_by_the_square_of_its_rate) {
    char text[1200];
    snprintf(text, sizeof text, pendulum, "");
    Loaded loaded = required(load_text("p.urdf", text));
    const PoiseBindDef* bind = &loaded.scene->joints[0].bind;
    // inertia: 2 kg at 0.5 m and the rod's own; (1 + x) exp(-x) = 0.02 after 0.5 s
    const double inertia = 2.0 * 0.25 + 0.1;
    const double omega = sqrt(bind->ik.stiffness / inertia);
    const double x = 0.5 * omega;
    EXPECT_NEAR((1.0 + x) * exp(-x), 0.02, 1e-4);
    EXPECT_NEAR(bind->ik.damping, 2.0 * sqrt(bind->ik.stiffness * inertia), 1e-9);
    // the damping in the file is part of the critical damping
    snprintf(text, sizeof text, pendulum, "<dynamics damping='3'/>");
    loaded = required(load_text("p.urdf", text));
    bind = &loaded.scene->joints[0].bind;
    EXPECT_NEAR(bind->ik.damping + bind->original.damping, 2.0 * sqrt(bind->ik.stiffness * inertia),
                1e-9);
    // if the file damps more than this, the spring is stiffened until the damping is critical
    snprintf(text, sizeof text, pendulum, "<dynamics damping='30'/>");
    loaded = required(load_text("p.urdf", text));
    bind = &loaded.scene->joints[0].bind;
    EXPECT_NEAR(30.0, 2.0 * sqrt(bind->ik.stiffness * inertia), 1e-9);
    EXPECT_NEAR(bind->ik.damping, 0.0, 1e-12);
    // the spring reaches the torque limit at 0.05 rad: 2 N m / 0.05 rad
    snprintf(text, sizeof text, pendulum, "<limit effort='2' velocity='1'/>");
    loaded = required(load_text("p.urdf", text));
    EXPECT_NEAR(loaded.scene->joints[0].bind.ik.stiffness, 40.0, 1e-9);
}

SCRATCH_TEST(robot_alone, written_springs_replace_automatic_ones) {
    write_scratch("p.urdf", "");
    char text[1200];
    snprintf(text, sizeof text, pendulum, "");
    write_scratch("p.urdf", text);
    static const struct {
        const char* scene;
        double stiffness; // N m/rad; 0: computed from the inertia
    } rows[] = {
        {"poise: 1\nrobots: {r: {urdf: p.urdf}}\n", 0.0},
        {"poise: 1\nrobots: {r: {urdf: p.urdf, springs: defaults}}\n", 100.0},
        {"poise: 1\ndefaults: {joint: {ik: {spring: 7, damper: 1}}}\nrobots: {r: {urdf: p.urdf}}\n",
         7.0},
        {"poise: 1\nrobots: {r: {urdf: p.urdf, joints: {'*': {ik: {spring: 5, damper: 1}}}}}\n",
         5.0},
        {"poise: 1\nrobots: {r: {urdf: p.urdf, joints: {'*': {bias: 2}}}}\n", 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Loaded loaded = required(load_text("s.yaml", rows[i].scene));
        const double found_there = loaded.scene->joints[0].bind.ik.stiffness;
        const double expected =
            rows[i].stiffness > 0.0 ? rows[i].stiffness : 0.6 * pow(5.834 / 0.5, 2.0);
        cr_expect(fabs(found_there - expected) < 1e-9 * expected, "row %zu: %g", i, found_there);
    }
}

// an arm along x on a hinge about y, whose spring of 20 N m/rad pulls it to 0
static const char sprung[] =
    "<mujoco><worldbody><body name='arm'><joint name='j' axis='0 1 0' stiffness='20'/>"
    "<geom type='capsule' size='0.03' mass='2' fromto='0 0 0 0.6 0 0'/>"
    "<site name='hand' pos='0.6 0 0'/></body></worldbody></mujoco>";

SCRATCH_TEST(robot_alone, a_spring_of_the_file_does_not_hold_the_hand_back) {
    write_scratch("arm.xml", sprung);
    static const struct {
        const char* joint;
        double original; // N m/rad
        bool arrives;
    } rows[] = {
        {"", 0.0, true},
        {", joints: {j: {bias: 2}}", 0.0, true},
        {", joints: {j: {original: {spring: 30}}}", 30.0, false},
        {", joints: {j: {ik: {spring: 300, damper: 30}}}", 20.0, false},
        {", springs: defaults", 20.0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "poise: 1\nrobots: {r: {mjcf: arm.xml%s}}\n"
                 "control_points: {hand: {body: r/arm, at: [0.6, 0, 0],"
                 " position: [0.51961524, 0, -0.3]}}\n",
                 rows[i].joint);
        Running running = running_text("s.yaml", text);
        EXPECT_NEAR(running.loaded.scene->joints[0].bind.original.stiffness, rows[i].original, 0.0);
        running_steps(&running, 5.0);
        const double miss = worst_error(&running);
        cr_expect(rows[i].arrives ? miss < 1e-4 : miss > 0.01, "row %zu: %g m off", i, miss);
    }
}

// A goal moves. The error is below 5 % of the distance 0.75 s later, and then stays below 10 %.
Test(robot_alone, springs_bring_a_robot_in_about_half_a_second) {
    Running panda = running_open(POISE_SOURCE_DIR "/scenes/robots/panda.urdf");
    running_steps(&panda, 1.0);
    const PoiseVec3 way = poise_vec3(-0.1, 0.05, 0.05);
    const double distance = poise_length(way);
    const PoiseVec3 goal = poise_simulation_point(panda.simulation, 0).goal_world.p;
    cr_assert(poise_simulation_hold_goal(panda.simulation, 0, poise_add(goal, way)) == POISE_OK);
    running_steps(&panda, 0.75);
    cr_expect(worst_error(&panda) < 0.05 * distance, "%g of %g m", worst_error(&panda), distance);
    double passed = 0.0;
    for (int i = 0; i < 100; i++) {
        running_steps(&panda, 0.01);
        passed = fmax(passed, worst_error(&panda));
    }
    cr_expect(passed < 0.1 * distance, "%g m off", passed);
    cr_expect(worst_error(&panda) < 0.002);
}

// four legs and a trunk that nothing holds
static const char quadruped[] =
    "<mujoco model='four'><compiler angle='degree'/><default><default class='leg'>"
    "<joint axis='0 1 0' range='-120 120'/><geom type='capsule' size='0.03' mass='1'/></default>"
    "</default><worldbody><body name='trunk' pos='0 0 0.6'><freejoint name='float'/>"
    "<geom type='box' size='0.3 0.15 0.06' mass='15'/>"
#define LEG(name, x, y, knee, foot)                                                                \
    "<body name='" name "' pos='" x " " y " 0' childclass='leg'><joint name='" name ".hip'/>"      \
    "<geom fromto='0 0 0 " knee " 0 -0.25'/>"                                                      \
    "<body name='" name ".shank' pos='" knee " 0 -0.25'>"                                          \
    "<joint name='" name ".knee'/><geom fromto='0 0 0 " foot " 0 -0.25'/></body></body>"
    LEG("lf", "0.25", "0.15", "-0.1", "0.1") LEG("rf", "0.25", "-0.15", "-0.1", "0.1")
        LEG("lh", "-0.25", "0.15", "0.1", "-0.1")
            LEG("rh", "-0.25", "-0.15", "0.1", "-0.1") "</body></worldbody></mujoco>";

Test(robot_alone, a_robot_that_nothing_holds_stands_on_its_feet) {
    Running four = running_text("four.xml", quadruped);
    const PoiseScene* scene = four.loaded.scene;
    cr_assert(scene->world.ground && scene->point_count == 5, "%d points", scene->point_count);
    EXPECT_NEAR(scene->world.ground_height, 0.6 - 0.5 - 0.03, 1e-9);
    const int trunk = poise_scene_find_frame(scene, "trunk");
    cr_assert(trunk >= 0 && !scene->bodies[scene->frames[trunk].body].fixed);
    running_steps(&four, 3.0);
    PoiseBodyView view = poise_simulation_body(four.simulation, scene->frames[trunk].body);
    cr_expect(fabs(view.com_world.z - 0.6) < 0.002, "the trunk is at %g m", view.com_world.z);
    cr_expect(worst_error(&four) < 0.002, "%g m", worst_error(&four));
}

// Scenery below the feet does not keep a robot from standing.
Test(robot_alone, a_robot_stands_beside_a_pit) {
    static const char body[] = "<body name='trunk'";
    char text[4000];
    const char* at = strstr(quadruped, body);
    cr_assert_not_null(at);
    snprintf(text, sizeof text,
             "%.*s<geom type='box' pos='3 0 -1' size='0.5 0.5 0.5' contype='1' conaffinity='1'/>%s",
             (int)(at - quadruped), quadruped, at);
    Loaded loaded = required(load_text("pit.xml", text));
    const int trunk = poise_scene_find_frame(loaded.scene, "trunk");
    cr_expect(!loaded.scene->bodies[loaded.scene->frames[trunk].body].fixed);
    EXPECT_NEAR(loaded.scene->world.ground_height, 0.6 - 0.5 - 0.03, 1e-9);
}

// The legs cannot support the weight on their feet. The base is fixed instead.
Test(robot_alone, a_robot_too_weak_to_stand_is_held) {
    char text[4000];
    snprintf(text, sizeof text,
             "%.*s<actuator><motor joint='lf.knee' ctrlrange='-1 1' "
             "ctrllimited='true'/></actuator></mujoco>",
             (int)(strlen(quadruped) - strlen("</mujoco>")), quadruped);
    Loaded loaded = required(load_text("weak.xml", text));
    const int trunk = poise_scene_find_frame(loaded.scene, "trunk");
    cr_expect(loaded.scene->bodies[loaded.scene->frames[trunk].body].fixed);
    cr_expect(loaded.scene->point_count == 4);
}

// Two feet that are balls touch the ground on one line. The import says so, and fixes the base.
Test(robot_alone, a_robot_on_two_points_is_held) {
    static const char biped[] =
        "<mujoco><default><joint axis='0 1 0' range='-60 60'/></default><worldbody>"
        "<body name='trunk' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.1'/>"
        "<body pos='0 0.1 -0.1'><joint/><geom type='capsule' size='0.04' fromto='0 0 0 0 0 -0.4'/>"
        "<geom size='0.07' pos='0 0 -0.5'/></body>"
        "<body pos='0 -0.1 -0.1'><joint/><geom type='capsule' size='0.04' fromto='0 0 0 0 0 "
        "-0.4'/>%s</body></body></worldbody></mujoco>";
    static const struct {
        const char* foot;
        bool stands;
    } rows[] = {{"<geom size='0.07' pos='0 0 -0.5'/>", false},
                {"<geom type='box' size='0.1 0.05 0.02' pos='0 0 -0.55'/>", true}};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text, biped, rows[i].foot);
        Loaded loaded = required(load_text("biped.xml", text));
        const int trunk = poise_scene_find_frame(loaded.scene, "trunk");
        cr_expect_eq(loaded.scene->bodies[loaded.scene->frames[trunk].body].fixed, !rows[i].stands);
        cr_expect_eq(found(&loaded, POISE_NOTE, 0, 0, "its feet touch the ground on one line"),
                     !rows[i].stands);
    }
}

// A robot that cannot support itself in the middle of its ranges starts as far down as it sags:
// here at its stop.
Test(robot_alone, it_starts_in_the_middle_of_its_ranges_where_it_can_hold_itself_there) {
    static const struct {
        const char* effort;
        double start;
    } rows[] = {{"30", 0.6}, {"5", 1.0}};
    for (int i = 0; i < 2; i++) {
        char limit[200];
        char text[1200];
        char* kind;
        snprintf(limit, sizeof limit, "<limit lower='0.2' upper='1' effort='%s'/>", rows[i].effort);
        snprintf(text, sizeof text, pendulum, limit);
        kind = strstr(text, "continuous");
        memcpy(kind, "revolute'  ", 11); // "revolute'  " has the length of "continuous'"
        Loaded loaded = required(load_text("p.urdf", text));
        EXPECT_NEAR(loaded.scene->joints[0].start[0], rows[i].start, 1e-12);
    }
}

#define BONE(name, parent, at, joint, length)                                                      \
    "<link name='" name                                                                            \
    "'><inertial><origin xyz='0 0 -0.1'/><mass value='2'/><inertia ixx='0.02' "                    \
    "iyy='0.02' izz='0.02'/></inertial><collision><origin xyz='0 0 -" length                       \
    "'/><geometry><box size='0.04 0.04 0.1'/></geometry></collision></link><joint name='j" name    \
    "' type='revolute'><parent link='" parent "'/><child link='" name "'/><origin xyz='" at        \
    "'/>" joint "</joint>"
#define PITCH(lower, upper)                                                                        \
    "<axis xyz='0 1 0'/><limit lower='" lower "' upper='" upper "' effort='300' velocity='9'/>"
#define LEG_OF(side, y)                                                                            \
    BONE("thigh" side, "trunk", "0 " y " 0", PITCH("-1.5", "1.5"), "0.2")                          \
    BONE("shank" side, "thigh" side, "0 0 -0.4", PITCH("0", "2.4"), "0.2")                         \
    BONE("foot" side, "shank" side, "0 0 -0.4", PITCH("-0.9", "0.9"), "0.05")

// The knees have 0 at the end of their ranges: they bend a little, and hips and ankles turn back so
// that feet stay level below the hips. The arm hangs as at 0, not as in the middle of its range.
Test(robot_alone, a_robot_with_legs_stands) {
    static const char walker[] =
        "<robot name='walker'><link name='trunk'><inertial><mass value='9'/><inertia ixx='0.1' "
        "iyy='0.1' izz='0.1'/></inertial><collision><origin xyz='0 0 0.3'/><geometry>"
        "<box size='0.2 0.3 0.5'/></geometry></collision></link>" LEG_OF("l", "0.1")
            LEG_OF("r", "-0.1")
                BONE("arm", "trunk", "0 0.2 0.5", PITCH("-3", "1"), "0.2") "</robot>";
    Loaded loaded = required(load_text("walker.urdf", walker));
    EXPECT_NEAR(loaded_joint(&loaded, "jarm")->start[0], 0.0, 0.0);
    static const char* const sides[] = {"l", "r"};
    for (int i = 0; i < 2; i++) {
        char name[3][20];
        static const char* const parts[] = {"thigh", "shank", "foot"};
        double q[3];
        for (int k = 0; k < 3; k++) {
            snprintf(name[k], sizeof name[k], "j%s%s", parts[k], sides[i]);
            q[k] = loaded_joint(&loaded, name[k])->start[0];
        }
        // Thigh and shank are equally long: the hip has half of the knee's angle.
        EXPECT_NEAR(q[1], 0.3, 1e-12);
        EXPECT_NEAR(q[0], -0.15, 1e-12);
        EXPECT_NEAR(q[2], -0.15, 1e-12);
    }
}

#define CALF(side, y)                                                                              \
    BONE("thigh" side, "trunk", "0 " y " 0", PITCH("-1.5", "3.4"), "0.2")                          \
    BONE("hip" side, "thigh" side, "0 0 0",                                                        \
         "<axis xyz='1 0 0'/><limit lower='-1' upper='1' "                                         \
         "effort='300' velocity='9'/>",                                                            \
         "0.2")                                                                                    \
    BONE("calf" side, "hip" side, "0 0 -0.4", PITCH("-2.7", "-0.8"), "0.2")                        \
    "<link name='foot" side "'/><joint name='jfoot" side "' type='fixed'><parent link='calf" side  \
    "'/><child link='foot" side "'/><origin xyz='0 0 -0.4'/></joint>"

// A foot that is welded to its shank has no ankle. It stands below the hip all the same.
Test(robot_alone, a_leg_without_an_ankle_stands) {
    static const char dog[] =
        "<robot name='dog'><link name='trunk'><inertial><mass value='9'/><inertia ixx='0.1' "
        "iyy='0.1' izz='0.1'/></inertial><collision><origin xyz='0 0 0.3'/><geometry>"
        "<box size='0.2 0.3 0.5'/></geometry></collision></link>" CALF("l", "0.1")
            CALF("r", "-0.1") "</robot>";
    Loaded loaded = required(load_text("dog.urdf", dog));
    const double knee = loaded_joint(&loaded, "jcalfl")->start[0];
    cr_expect_lt(knee, -0.8);
    EXPECT_NEAR(loaded_joint(&loaded, "jthighl")->start[0], -0.5 * knee, 1e-12);
}

// ODE's angle jumps at half a turn. A stop of ODE would take that for a large violation.
Test(robot_alone, a_range_that_passes_half_a_turn_is_no_blow) {
    char text[1200];
    snprintf(text, sizeof text, pendulum, "<limit lower='0.8' upper='5.5' effort='90'/>");
    char* kind = strstr(text, "continuous");
    memcpy(kind, "revolute'  ", 11);
    Running running = running_text("p.urdf", text);
    running_steps(&running, 2.0);
    EXPECT_NEAR(q_of(&running, 0), 3.15, 1e-3);
    cr_expect(kinetic(&running) < 1e-6, "%g J", kinetic(&running));
}

// A rod starts level. It accelerates by m g l / (I + armature). Sufficient friction holds it.
SCRATCH_TEST(robot_alone, armature_and_friction_are_carried_out) {
    static const char* const joints[] = {"ik: off", "ik: off, armature: 0.9",
                                         "ik: off, friction: 12", "ik: off, friction: 5"};
    const double weight = 2.0 * 9.81 * 0.5;
    const double expected[] = {weight / 0.6, weight / 1.5, 0.0, (weight - 5.0) / 0.6};
    char text[1200];
    snprintf(text, sizeof text, pendulum, "");
    write_scratch("p.urdf", text);
    for (int i = 0; i < 4; i++) {
        char yaml[400];
        snprintf(
            yaml, sizeof yaml,
            "poise: 1\nworld: {step: 0.001}\nrobots: {r: {urdf: p.urdf, joints: {'*': {%s}}}}\n",
            joints[i]);
        Running running = running_text("s.yaml", yaml);
        running_steps(&running, 0.05);
        // the speed rises step by step, so the sum has one step more than the mean
        const double turned = 0.5 * expected[i] * 0.05 * 0.051;
        cr_expect(fabs(poise_simulation_joint(running.simulation, 0).q[0] - turned) <
                      0.005 * turned + 1e-6,
                  "'%s': %g, not %g", joints[i], poise_simulation_joint(running.simulation, 0).q[0],
                  turned);
    }
}

// `poise run` of the output of `poise scene` runs the same scene.
PROGRAM_TEST(robot_alone, the_printed_scene_is_what_runs) {
    run_shell(outcome, "$POISE scene panda > mine.yaml && $POISE run mine.yaml --seconds 1 --json");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    Running printed = running_open("mine.yaml");
    Running alone = running_open(POISE_SOURCE_DIR "/scenes/robots/panda.urdf");
    cr_assert(printed.loaded.scene->joint_count == alone.loaded.scene->joint_count);
    cr_assert(printed.loaded.scene->point_count == alone.loaded.scene->point_count);
    for (int i = 0; i < alone.loaded.scene->joint_count; i++) {
        const PoiseSceneJoint* a = &alone.loaded.scene->joints[i];
        const PoiseSceneJoint* b = &printed.loaded.scene->joints[i];
        EXPECT_NEAR(a->start[0], b->start[0], 1e-8);
        EXPECT_NEAR(a->bind.ik.stiffness, b->bind.ik.stiffness, 1e-6 * a->bind.ik.stiffness);
    }
    running_steps(&printed, 1.0);
    running_steps(&alone, 1.0);
    for (int i = 0; i < alone.loaded.scene->joint_count; i++) {
        EXPECT_NEAR(q_of(&alone, i), q_of(&printed, i), 1e-6);
    }
    write_scratch("four.xml", quadruped);
    run_shell(outcome, "$POISE scene four.xml > four.yaml && $POISE check four.yaml");
    char* four = read_scratch("four.yaml");
    cr_expect(outcome->code == 0 && strstr(four, "base: free"), "%d: %s%s", outcome->code,
              outcome->out, four);
    run_program(outcome, "scene reach");
    cr_expect(outcome->code == 3 && strstr(outcome->err, "is a scene already"), "%s", outcome->err);
}

// A shank on a knee without a motor; a plate with a motor moves it by two rods of 3 g, whose ends
// are welded to bearings of 0.5 g. Of the welds' rows more than half are redundant. The hip's
// follower has its spring by itself.
#define ROD(name, x)                                                                               \
    "<body name='" name "' pos='" x " 0.02 0'><inertial pos='0 0 -0.02' mass='0.003' "             \
    "diaginertia='8e-7 8e-7 1.6e-8'/><joint name='j" name "' axis='0 1 0'/></body>"
#define BEARING(name, x)                                                                           \
    "<body name='" name "' pos='" x " 0.02 0'><inertial pos='0 0.0015 0' mass='0.0005' "           \
    "diaginertia='3.5e-9 2.2e-9 2.2e-9'/><joint name='j" name "' axis='0 1 0'/></body>"
static const char linkage[] =
    "<mujoco><worldbody><body name='thigh' pos='0 0 1'>"
    "<inertial pos='0 0 -0.02' mass='0.3' diaginertia='1e-4 1e-4 1e-4'/>"
    "<joint name='hip' axis='1 0 0' damping='0.1' armature='0.003'/>"
    "<body name='plate'><inertial pos='0 0 0' mass='0.02' diaginertia='2e-6 2e-6 2e-6'/>"
    "<joint name='act' axis='0 1 0' damping='0.08' armature='0.0012' frictionloss='0.1'/>" ROD(
        "r1", "0.015")
        ROD("r2", "-0.015") "</body><body name='shank' pos='0 0 -0.04'>"
                            "<inertial pos='0.02 0 -0.06' mass='0.1' diaginertia='1e-4 1e-4 2e-5'/>"
                            "<joint name='knee' axis='0 1 0'/>" BEARING("b1", "0.015") BEARING(
                                "b2",
                                "-0.015") "</body></body><body name='other' pos='0 1 1'><inertial "
                                          "pos='0 0 -0.1' mass='0.1' "
                                          "diaginertia='1e-4 1e-4 1e-4'/><joint name='follower' "
                                          "axis='1 0 0'/></body></worldbody>"
                                          "<equality><weld body1='r1' body2='b1'/><weld body1='r2' "
                                          "body2='b2'/>"
                                          "<joint joint1='follower' joint2='hip' polycoef='0 1 0 0 "
                                          "0'/></equality>"
                                          "<actuator><motor joint='act' ctrlrange='-5 5'/><motor "
                                          "joint='hip' ctrlrange='-9 9'/></actuator>"
                                          "</mujoco>";

Test(robot_alone, loops_of_light_rods_hold) {
    Running running = running_text("linkage.xml", linkage);
    running_steps(&running, 3.0);
    cr_expect_lt(worst_error(&running), 0.002);
    cr_expect_lt(kinetic(&running), 1e-6);
    // The shank leans on its motor: friction lets it sag less.
    cr_expect_lt(fabs(joint_named(&running, "knee").q[0]), 0.02);
    cr_expect_lt(fabs(joint_named(&running, "knee").q[0] - joint_named(&running, "act").q[0]),
                 1e-3);
    cr_expect_lt(fabs(joint_named(&running, "follower").q[0]), 0.01);
    const PoiseSceneJoint* follower = loaded_joint(&running.loaded, "follower");
    cr_expect(follower->bind.ik.stiffness > 0.0);
}

// A motor turns a crank of 0.1 kg, which moves a rocker of 2 kg by a rod. The motor's spring is
// computed for all three. A spring for the crank alone would let the rocker swing for seconds.
Test(robot_alone, the_spring_of_a_crank_is_for_its_rocker_too) {
    Running running = running_text(
        "crank.xml",
        "<mujoco model='fourbar'><default><joint axis='0 1 0'/></default><worldbody>"
        "<body name='crank' pos='-0.15 0 1'><joint name='crank' range='-90 90'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -0.1' size='0.01' mass='0.1'/>"
        "<body name='rod' pos='0 0 -0.1'><joint/>"
        "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.004' mass='0.001'/></body></body>"
        "<body name='rocker' pos='0.15 0 1'><joint name='rocker'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -0.25' size='0.015' mass='2'/></body></worldbody>"
        "<equality><connect body1='rod' body2='rocker' anchor='0.3 0 0'/></equality>"
        "<actuator><position joint='crank' kp='50' forcerange='-20 20'/></actuator></mujoco>");
    const PoiseScene* scene = running.loaded.scene;
    cr_assert_eq(scene->point_count, 1);
    cr_expect_str_eq(scene->points[0].name, "rocker");
    // The rocker's inertia about its joint is 2 kg (0.25 m)^2 / 3 and more.
    const double omega = 5.834 / 0.5;
    cr_expect_gt(loaded_joint(&running.loaded, "crank")->bind.ik.stiffness,
                 2.0 * 0.0625 / 3.0 * omega * omega);
    running_steps(&running, 1.0);
    cr_expect_lt(worst_error(&running), 1e-6);
}

// Public robots come to rest and stay at rest.
Test(robot_alone, public_robots_settle_and_stay) {
    static const char* const robots[] = {
        "allegro_right.urdf",
        "double_pendulum.urdf",
        "iiwa14.urdf",
        "panda_collision.urdf",
        "ur5e.urdf",
        "humanoid.mjcf.xml",
        "real/panda_description/urdf/panda.urdf",
        "real/text/irb140.urdf",
        "real/text/icub_lisboa01.urdf",
        "real/ur_description/ur5_robot.urdf",
        "real/kinova_description/robots/kinova.urdf",
        "real/shadow_hand/right_hand.xml",
        "real/anybotics_anymal_c/anymal_c.xml",
        "real/agility_cassie/cassie.xml",
        "real/dm_humanoid_CMU/humanoid_CMU.xml",
        "real/openarm_v2/cell/cell.xml",
        "real/text/toddlerbot.xml",
    };
    int tried = 0;
    for (size_t i = 0; i < sizeof robots / sizeof robots[0]; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/robots/%s", POISE_TEST_DATA, robots[i]);
        FILE* file = fopen(path, "r");
        if (!file) {
            continue;
        }
        fclose(file);
        tried++;
        Running running = running_open(path);
        running_steps(&running, 3.0);
        cr_expect(worst_error(&running) < 0.002, "%s: %g m", robots[i], worst_error(&running));
        for (int j = 0; j < running.loaded.scene->joint_count; j++) {
            const PoiseJointView joint = poise_simulation_joint(running.simulation, j);
            cr_expect(fabs(joint.q[0] - joint.q_target[0]) < 0.01, "%s: %s at %g, not %g",
                      robots[i], joint.name, joint.q[0], joint.q_target[0]);
        }
        const double energy = kinetic(&running);
        running_steps(&running, 10.0);
        cr_expect(kinetic(&running) < fmax(2.0 * energy, 1e-6), "%s: %g J, then %g J", robots[i],
                  energy, kinetic(&running));
    }
    if (tried == 0) {
        cr_skip("POISE_TEST_DATA has no robots");
    }
}
