// SPDX-License-Identifier: MIT
// Tests the article's yoga pose (seed 001; rows 1.3, 1.8, 1.9). Control points meet its ends and
// its centre of mass; a foot carries forces.
#include <criterion/criterion.h>
#include <string.h>

#include "near.h"
#include "person.h"
#include "random.h"

static const PoisePose printed_hands[2] = {
    {{0.12247448713915893, 0.0, 1.277525512860841}, {0.0, 0.0, -1.0, 0.0}},
    {{0.12247448713915893, 0.0, 1.277525512860841}, {0.0, 0.0, -1.0, 0.0}}};
static const PoisePose printed_feet[2] = {{{0.0, 0.036602540378444, 0.55}, {0.5, 0.5, 0.5, -0.5}},
                                          {{0.0, 0.1, 0.15}, {1.0, 0.0, 0.0, 0.0}}};
static const PoiseVec3 printed_com = {0.017089463321743107, -0.005538534559086517,
                                      1.0566663506317453};

static void expect_pose(const Person* person, PoisePointId point, PoisePose expected,
                        double tolerance) {
    const PoisePose pose = poise_point_planned_pose(person->tree, point);
    EXPECT_NEAR3(pose.p, expected.p, tolerance);
    EXPECT_NEAR_QUAT(pose.q, expected.q, tolerance);
}

static void expect_printed(const Person* person, double tolerance) {
    for (int side = 0; side < PERSON_SIDES; side++) {
        expect_pose(person, person->hands[side], printed_hands[side], tolerance);
        expect_pose(person, person->feet[side], printed_feet[side], tolerance);
    }
    EXPECT_NEAR3(poise_point_planned_pose(person->tree, person->com).p, printed_com, tolerance);
}

// Row 1.3 of DOCUMENTS.md
Test(yoga, the_pose_has_the_printed_ends_and_centre_of_mass) {
    Person person = person_create();
    const PersonPosture yoga = person_yoga();
    cr_assert(poise_tree_status(person.tree) == POISE_OK, "%s", poise_tree_message(person.tree));
    person_set(&person, &yoga);
    expect_printed(&person, 1e-14);
    poise_tree_destroy(person.tree);
}

static void set_goals(const Person* person) {
    for (int side = 0; side < PERSON_SIDES; side++) {
        const PoisePointId ends[2] = {person->hands[side], person->feet[side]};
        const PoisePose poses[2] = {printed_hands[side], printed_feet[side]};
        for (int k = 0; k < 2; k++) {
            cr_assert(poise_point_set_position(person->tree, ends[k], poses[k].p) == POISE_OK);
            cr_assert(poise_point_set_orientation(person->tree, ends[k], poses[k].q) == POISE_OK);
        }
    }
    cr_assert(poise_point_set_position(person->tree, person->com, printed_com) == POISE_OK);
}

// Row 1.8 of DOCUMENTS.md: five points at once; the trunk is free and moves for the centre of mass.
// The searches start at postures around the pose, and standing
Test(yoga, the_centre_of_mass_is_one_point_among_the_others) {
    Random random = random_from(18);
    for (int i = 0; i < 20; i++) {
        Person person = person_create();
        PersonPosture start = person_yoga();
        for (int side = 0; side < PERSON_SIDES; side++) {
            for (int k = 0; k < POISE_ARM_JOINTS; k++) {
                start.arms[side][k] += random_between(&random, -0.3, 0.3);
            }
            for (int k = 0; k < POISE_LEG_JOINTS; k++) {
                start.legs[side][k] += random_between(&random, -0.3, 0.3);
            }
        }
        start.trunk = poise_add(start.trunk, random_vec3(&random, 0.1));
        if (i == 19) {
            memset(&start, 0, sizeof start);
            start.trunk.z = 0.95;
        }
        person_set(&person, &start);
        set_goals(&person);
        PoiseReachDef def = poise_default_reach_def();
        def.starts = i == 19 ? 20 : 1;
        PoiseReachReport report;
        const PoiseStatus status = poise_reach(person.tree, &def, &report);
        cr_expect(status == POISE_OK, "start %d: reason %d, %g m, %g rad", i, (int)report.reason,
                  report.largest_error, report.largest_angle_error);
        expect_printed(&person, 2e-6);
        poise_tree_destroy(person.tree);
    }
}

// Row 1.9 of DOCUMENTS.md: a force at the foot by J^T, that of row 0.14 through a leg's three pitch
// hinges with links of 1 m. engine.statics checks ODE's springs with targets shifted by these
// torques
Test(yoga, the_legs_torques_balance_a_force_at_the_foot) {
    static const double pitch[3] = {-20.8253643, -11.2719994, -3.62357754};
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    static const char axes[] = "ZXYYYX";
    static const double q[6] = {0.0, 0.0, 0.3, 0.4, 0.5, 0.0};
    PoiseNodeId nodes[6];
    PoisePointDef point = poise_default_position_def();
    for (int i = 0; i < 6; i++) {
        PoiseNodeDef def = poise_default_hinge_def();
        def.parent = point.link;
        def.axis = poise_vec3(axes[i] == 'X', axes[i] == 'Y', axes[i] == 'Z');
        def.joint_in_parent.p.z = i == 3 || i == 4 ? -1.0 : 0.0;
        def.angle = q[i];
        point.link = nodes[i] = poise_node_create(tree, &def);
    }
    point.in_link.p.z = -1.0;
    const PoisePointId foot = poise_point_create(tree, &point);
    cr_assert(poise_register_chain(tree, foot, poise_null_node()) == POISE_OK);
    // The plane of row 0.14 is rotated here: its x points down, its y backward.
    const PoiseVec3 force = poise_vec3(10.0, 0.0, 0.0);
    cr_assert(poise_point_set_force(tree, foot, force) == POISE_OK);
    cr_assert(poise_forward(tree) == POISE_OK && poise_forces(tree) == POISE_OK);
    const PoiseVec3 at = poise_point_planned_pose(tree, foot).p;
    for (int i = 0; i < 6; i++) {
        double torque[POISE_MAX_DOF];
        cr_assert(poise_node_force_torque(tree, nodes[i], torque) == 1);
        // axis . (r x F)
        const PoisePose joint = poise_node_joint_world(tree, nodes[i]);
        const PoiseVec3 axis = poise_quat_rotate(joint.q, poise_node_axis(tree, nodes[i]));
        const PoiseVec3 moment = poise_cross(poise_sub(at, joint.p), force);
        EXPECT_NEAR(torque[0], poise_dot(axis, moment), 1e-12);
        if (i >= 2 && i <= 4) {
            EXPECT_NEAR(torque[0], pitch[i - 2], 5e-8);
        }
    }
    poise_tree_destroy(tree);
}
