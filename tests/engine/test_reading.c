// SPDX-License-Identifier: MIT
// Reads a point: the place and miss of its body and of the plan, and the cause in words. Oracle:
// ODE's bodies, and set-ups in which one cause alone acts.
#include <criterion/criterion.h>
#include <math.h>

#include "mechanism.h"
#include "near.h"

#define STEP        0.005
#define WORKS(call) cr_assert_eq(call, POISE_OK)

static const char* name_of(void* user, PoiseNodeId node) {
    (void)user;
    static const char* const names[] = {NULL, "shoulder", "elbow"};
    return node.index1 < 3 ? names[node.index1] : NULL;
}

// Expects the cause in the point's reading, and the sentence that names the joints.
static void expect_why(const Mechanism* m, PoisePointWhy why, const char* sentence) {
    const PoiseNodeNames names = {name_of, NULL, NULL};
    const PoisePointReading reading = mechanism_read_point(m);
    char text[POISE_WHY_TEXT];
    cr_expect_eq(reading.why, why, "not %s but %s, %g m off, planned %g", poise_point_why_name(why),
                 poise_point_why_name(reading.why), reading.miss, reading.planned_miss);
    cr_expect_str_eq(poise_point_why_text(&reading, &names, text, sizeof text), sentence);
    const PoiseVec3 tip = mechanism_tip(m);
    EXPECT_NEAR(poise_length(poise_sub(reading.pose.p, tip)), 0.0, 1e-12);
    EXPECT_NEAR(reading.miss, mechanism_error(m), 1e-12);
}

// Opens a bar of 1 m whose goal needs a rotation by 0.3 rad.
static void open_bar(Mechanism* m, PoiseReference reference, const PoiseBindDef* like) {
    (void)mechanism_bar(m, reference, like);
    mechanism_goal(m, poise_vec3(cos(0.3), sin(0.3), 0.0));
}

static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

Test(reading, original_springs_that_cause_a_miss_are_named) {
    for (int r = 0; r < 2; r++) {
        PoiseBindDef like = mechanism_springs(1000.0, 50.0);
        Mechanism m;
        open_bar(&m, references[r], &like);
        mechanism_run(&m, STEP, 4);
        expect_why(&m, POISE_WHY_MOVING, "moving");
        mechanism_run(&m, STEP, 1000);
        expect_why(&m, POISE_WHY_NONE, "at its goal");
        WORKS(
            poise_rig_set_original(m.rig, poise_tree_node(m.tree, 0), (PoiseSpring){1000.0, 50.0}));
        mechanism_run(&m, STEP, 2000);
        expect_why(&m, POISE_WHY_SPRINGS, "springs share with original");
        // equal springs hold the body in the middle between the natural posture and the own
        // posture, which is at the goal
        const PoisePointReading reading = mechanism_read_point(&m);
        cr_expect_gt(reading.miss, 0.1);
        cr_expect(references[r] == POISE_REFERENCE_MEASURED || reading.planned_miss < 1e-6,
                  "planned %g m off", reading.planned_miss);
        mechanism_close(&m);
    }
}

Test(reading, torque_limits_name_their_joints) {
    for (int r = 0; r < 2; r++) {
        PoiseBindDef like = mechanism_springs(1000.0, 50.0);
        like.torque_limit = 40.0;
        Mechanism m;
        open_bar(&m, references[r], &like);
        for (int i = 0; i < 2000; i++) {
            dBodyAddForce(m.bodies[0], 0.0, -200.0, 0.0);
            dBodyAddTorque(m.bodies[0], 0.0, 0.0, 100.0 - 60.0 * (m.steps > 100));
            (void)mechanism_step(&m, STEP);
        }
        expect_why(&m, POISE_WHY_TORQUE_LIMIT, "held by shoulder: torque limit");
        mechanism_close(&m);
    }
}

Test(reading, a_range_names_its_joint) {
    for (int r = 0; r < 2; r++) {
        PoiseBindDef like = mechanism_springs(1000.0, 50.0);
        Mechanism m;
        open_bar(&m, references[r], &like);
        PoiseLimits limits = poise_node_limits(m.tree, poise_tree_node(m.tree, 0));
        limits.lower[0] = -1.0;
        limits.upper[0] = 0.1;
        WORKS(poise_node_set_limits(m.tree, poise_tree_node(m.tree, 0), limits));
        mechanism_run(&m, STEP, 200);
        const PoisePointWhy why = mechanism_read_point(&m).why;
        // the rig may still search for another posture; it finds none
        cr_expect(why == POISE_WHY_LIMIT || why == POISE_WHY_SEARCHES, "%s",
                  poise_point_why_name(why));
        mechanism_run(&m, STEP, 2000);
        expect_why(&m, POISE_WHY_LIMIT, "held by shoulder: limit");
        mechanism_close(&m);
    }
}

// ODE's motor that would stop the joint is the friction
Test(reading, dry_friction_names_its_joints) {
    for (int r = 0; r < 2; r++) {
        PoiseBindDef like = mechanism_springs(20.0, 2.0);
        like.friction = 1.0;
        Mechanism m;
        open_bar(&m, references[r], &like);
        dJointID motor = dJointCreateAMotor(m.world, NULL);
        dJointAttach(motor, m.bodies[0], NULL);
        dJointSetAMotorNumAxes(motor, 1);
        dJointSetAMotorAxis(motor, 0, 0, 0.0, 0.0, 1.0);
        dJointSetAMotorParam(motor, dParamFMax, 1.0);
        // while a point presses, no joint is fed its friction forward; another joint on a bar of
        // its own is
        dBodyID other =
            mechanism_box(&m, poise_vec3(0.5, 0.0, 5.0), poise_vec3(1.0, 0.1, 0.1), 1.0);
        (void)mechanism_join(&m, POISE_NODE_HINGE, other, NULL,
                             pivot(poise_vec3(0.0, 0.0, 5.0), poise_vec3(0.0, 0.0, 1.0)));
        const PoiseBindDef plain = mechanism_springs(1000.0, 50.0);
        const PoisePointId point = m.point;
        dBodyID body = m.point_body;
        const PoiseVec3 in_body = m.point_in_body;
        cr_assert_eq(poise_rig_import(m.rig, other, &plain), 1);
        const PoisePointId presses = mechanism_point(&m, poise_rig_node_of_body(m.rig, other),
                                                     other, poise_vec3(1.0, 0.0, 5.0));
        WORKS(poise_point_set_yield(m.tree, presses, POISE_YIELD_ROWS, POISE_ROW_Z));
        m.point = point;
        m.point_body = body;
        m.point_in_body = in_body;
        mechanism_run(&m, STEP, 2000);
        cr_expect_gt(mechanism_read_point(&m).miss, 5e-3, "%g m off",
                     mechanism_read_point(&m).miss);
        expect_why(&m, POISE_WHY_DRY_FRICTION, "held by shoulder: dry friction");
        // friction is not the cause of a load above it
        for (int i = 0; i < 2000; i++) {
            dBodyAddTorque(m.bodies[0], 0.0, 0.0, -5.0);
            (void)mechanism_step(&m, STEP);
        }
        expect_why(&m, POISE_WHY_LOAD, "held by a load, weight or contact");
        mechanism_close(&m);
    }
}

Test(reading, a_point_that_no_joint_serves_is_idle) {
    const PoiseBindDef like = mechanism_springs(1000.0, 50.0);
    Mechanism m;
    open_bar(&m, POISE_REFERENCE_OWN, &like);
    cr_expect_eq(mechanism_read_point(&m).why, POISE_WHY_IDLE);
    mechanism_run(&m, STEP, 2);
    cr_expect_neq(mechanism_read_point(&m).why, POISE_WHY_IDLE);
    WORKS(poise_point_set_enabled(m.tree, m.point, false));
    mechanism_run(&m, STEP, 2);
    cr_expect_eq(mechanism_read_point(&m).why, POISE_WHY_IDLE);
    mechanism_close(&m);
}

Test(reading, a_goal_out_of_reach_is_read_as_stuck) {
    const PoiseBindDef like = mechanism_springs(1000.0, 50.0);
    Mechanism m;
    open_bar(&m, POISE_REFERENCE_OWN, &like);
    RIG_SET(m.rig, reconfigure_speed, 0.0);
    mechanism_goal(&m, poise_vec3(0.0, 2.0, 0.0));
    mechanism_run(&m, STEP, 2000);
    expect_why(&m, POISE_WHY_STUCK,
               "stuck: no small motion brings it nearer; it is out of reach, "
               "or only another posture meets it");
    RIG_SET(m.rig, reconfigure_speed, 1.0);
    mechanism_run(&m, STEP, 500);
    expect_why(&m, POISE_WHY_UNREACHABLE, "unreachable");
    mechanism_close(&m);
}

// two points of one bar that cannot both be met
Test(reading, a_point_outweighed_by_other_goals_says_so) {
    const PoiseBindDef like = mechanism_springs(1000.0, 50.0);
    Mechanism m;
    open_bar(&m, POISE_REFERENCE_OWN, &like);
    const PoisePointId first = m.point;
    mechanism_point(&m, poise_tree_node(m.tree, 0), m.bodies[0], poise_vec3(1.0, 0.0, 0.0));
    m.point = first;
    mechanism_run(&m, STEP, 2000);
    expect_why(&m, POISE_WHY_OUTWEIGHED, "outweighed by other goals");
    mechanism_close(&m);
}

// poses, axes and centres of mass are the bodies' too, where a load holds these off the plan
Test(reading, every_kind_is_read_from_the_bodies) {
    const PoiseBindDef like = mechanism_springs(1000.0, 50.0);
    Mechanism m;
    open_bar(&m, POISE_REFERENCE_OWN, &like);
    const PoiseNodeId node = poise_tree_node(m.tree, 0);
    PoisePointDef defs[] = {poise_default_pose_def(), poise_default_direction_def(),
                            poise_default_look_at_def(), poise_default_com_def()};
    PoisePointId points[4];
    for (int i = 0; i < 4; i++) {
        defs[i].link = node;
        defs[i].axis = poise_vec3(1.0, 0.0, 0.0);
        points[i] = poise_point_create(m.tree, &defs[i]);
        WORKS(poise_register_chain(m.tree, points[i], poise_null_node()));
    }
    for (int i = 0; i < 2000; i++) {
        dBodyAddForce(m.bodies[0], 0.0, 200.0, 0.0);
        (void)mechanism_step(&m, STEP);
    }
    const PoiseQuat turn = body_turn(m.bodies[0]);
    const double angle = poise_length(poise_quat_log(turn));
    cr_expect_gt(angle, 0.1);
    const PoiseVec3 centre = body_place(m.bodies[0]);
    for (int i = 0; i < 4; i++) {
        PoisePointReading reading;
        WORKS(poise_rig_read_point(m.rig, points[i], &reading));
        if (i == 3) {
            EXPECT_NEAR(poise_length(poise_sub(reading.pose.p, centre)), 0.0, 1e-12);
            EXPECT_NEAR(reading.miss, poise_length(poise_sub(poise_vec3(0.5, 0.0, 0.0), centre)),
                        1e-12);
        } else {
            EXPECT_NEAR(reading.angle_miss, angle, i == 2 ? 0.4 : 1e-12);
            cr_expect_gt(reading.angle_miss - reading.planned_angle_miss, 0.05, "%d", i);
        }
    }
    mechanism_close(&m);
}

// inactive rows add nothing to the miss
Test(reading, only_rows_that_count_are_missed) {
    const PoiseBindDef like = mechanism_springs(1000.0, 50.0);
    Mechanism m;
    open_bar(&m, POISE_REFERENCE_OWN, &like);
    mechanism_goal(&m, poise_vec3(cos(0.3), sin(0.3), 0.5));
    WORKS(poise_point_set_rows(m.tree, m.point, POISE_ROW_X | POISE_ROW_Y, POISE_ROW_AXES_WORLD));
    mechanism_run(&m, STEP, 2000);
    const PoisePointReading reading = mechanism_read_point(&m);
    cr_expect_lt(reading.miss, 1e-6);
    cr_expect_lt(reading.planned_miss, 1e-6);
    cr_expect_eq(reading.why, POISE_WHY_NONE);
    mechanism_close(&m);
}
