// SPDX-License-Identifier: MIT
// Tests a whole person in one call (rows 1.3, 1.8 of DOCUMENTS.md) against the tree of the same
// robot and the article's printed pose.
#include <criterion/criterion.h>
#include <string.h>

#include "near.h"
#include "person.h"
#include "poise/person.h"
#include "random.h"

#define PI 3.14159265358979323846

// Returns vnoid's sample robot, which person.c makes as a tree.
static PoisePersonDef sample_robot(void) {
    static const double arm_mass[POISE_ARM_JOINTS] = {0.5, 0.5, 1.0, 0.5, 1.0, 0.5, 0.5};
    static const double leg_mass[POISE_LEG_JOINTS] = {0.5, 0.5, 1.5, 1.5, 0.5, 0.5};
    PoisePersonDef def = poise_default_person_def();
    for (int side = 0; side < POISE_SIDES; side++) {
        def.arms[side] = person_arm(side);
        def.legs[side] = person_leg(side);
    }
    def.trunk_mass = 24.0;
    def.trunk_com.z = 0.166;
    memcpy(def.arm_mass, arm_mass, sizeof arm_mass);
    memcpy(def.leg_mass, leg_mass, sizeof leg_mass);
    def.arm_com[2].z = def.arm_com[4].z = -0.1;
    def.leg_com[2].z = -0.15;
    def.leg_com[3].z = -0.2;
    return def;
}

static PoisePersonPosture posture_of(const PersonPosture* from) {
    PoisePersonPosture posture;
    posture.trunk = poise_pose(from->trunk, poise_quat_identity());
    memcpy(posture.arms, from->arms, sizeof posture.arms);
    memcpy(posture.legs, from->legs, sizeof posture.legs);
    return posture;
}

static void expect_ends(const PoisePersonEnds* ends, const PoisePersonEnds* expected,
                        double tolerance) {
    for (int side = 0; side < POISE_SIDES; side++) {
        EXPECT_NEAR3(ends->hands[side].p, expected->hands[side].p, tolerance);
        EXPECT_NEAR_QUAT(ends->hands[side].q, expected->hands[side].q, tolerance);
        EXPECT_NEAR3(ends->feet[side].p, expected->feet[side].p, tolerance);
        EXPECT_NEAR_QUAT(ends->feet[side].q, expected->feet[side].q, tolerance);
    }
}

// Row 1.3 of DOCUMENTS.md
Test(person, the_printed_pose_by_its_angles) {
    const PoisePersonDef robot = sample_robot();
    const PersonPosture yoga = person_yoga();
    const PoisePersonPosture posture = posture_of(&yoga);
    const PoisePersonEnds printed = {
        {{{0.12247448713915893, 0.0, 1.277525512860841}, {0.0, 0.0, -1.0, 0.0}},
         {{0.12247448713915893, 0.0, 1.277525512860841}, {0.0, 0.0, -1.0, 0.0}}},
        {{{0.0, 0.036602540378444, 0.55}, {0.5, 0.5, 0.5, -0.5}},
         {{0.0, 0.1, 0.15}, {1.0, 0.0, 0.0, 0.0}}},
        {0.0, 0.0, 0.0}};
    PoisePersonEnds ends;
    cr_assert(poise_person_forward(&robot, &posture, &ends) == POISE_OK);
    expect_ends(&ends, &printed, 1e-14);
    EXPECT_NEAR3(ends.com,
                 poise_vec3(0.017089463321743107, -0.005538534559086517, 1.0566663506317453),
                 1e-14);
}

static PersonPosture random_posture(Random* random) {
    PersonPosture posture = person_yoga();
    for (int side = 0; side < PERSON_SIDES; side++) {
        const PoiseArmDef arm = person_arm(side);
        const PoiseLegDef leg = person_leg(side);
        for (int i = 0; i < POISE_ARM_JOINTS; i++) {
            posture.arms[side][i] = random_between(random, arm.lower[i], arm.upper[i]);
        }
        for (int i = 0; i < POISE_LEG_JOINTS; i++) {
            posture.legs[side][i] = random_between(random, leg.lower[i], leg.upper[i]);
        }
    }
    return posture;
}

// The tree of the same robot is the oracle, also for its centre of mass.
Test(person, random_postures_are_those_of_the_tree) {
    const PoisePersonDef robot = sample_robot();
    Person person = person_create();
    Random random = random_from(61);
    for (int i = 0; i < 200; i++) {
        const PersonPosture angles = random_posture(&random);
        PoisePersonPosture posture = posture_of(&angles);
        PoisePersonEnds ends, expected;
        person_set(&person, &angles);
        for (int side = 0; side < POISE_SIDES; side++) {
            expected.hands[side] = poise_point_planned_pose(person.tree, person.hands[side]);
            expected.feet[side] = poise_point_planned_pose(person.tree, person.feet[side]);
        }
        cr_assert(poise_person_forward(&robot, &posture, &ends) == POISE_OK);
        expect_ends(&ends, &expected, 1e-13);
        EXPECT_NEAR3(ends.com, poise_point_planned_pose(person.tree, person.com).p, 1e-13);
        // The inverse returns to the same ends, with the trunk rotated and moved.
        const PoiseQuat turn = poise_quat_exp(random_vec3(&random, 1.0));
        posture.trunk = poise_pose(random_vec3(&random, 1.0), turn);
        cr_assert(poise_person_forward(&robot, &posture, &expected) == POISE_OK);
        PoisePersonReport report;
        cr_expect(poise_person_solve(&robot, &expected, &posture, &report) == POISE_OK);
        cr_assert(poise_person_forward(&robot, &posture, &ends) == POISE_OK);
        expect_ends(&ends, &expected, 1e-10);
        cr_expect_lt(report.com_error, 1e-9);
    }
    poise_tree_destroy(person.tree);
}

// Row 1.8 of DOCUMENTS.md. Starts at the angles of the answer, then at other angles.
Test(person, the_base_follows_the_centre_of_mass) {
    const PoisePersonDef robot = sample_robot();
    PersonPosture angles = person_yoga();
    PoisePersonPosture posture = posture_of(&angles);
    PoisePersonEnds goal, ends;
    PoisePersonReport report;
    cr_assert(poise_person_forward(&robot, &posture, &goal) == POISE_OK);
    for (int other = 0; other < 2; other++) {
        for (int side = 0; side < POISE_SIDES && other == 1; side++) {
            angles.arms[side][2] += side == 0 ? -0.4 : 0.4;
            angles.legs[side][3] += side == 0 ? -0.5 : 0.5;
        }
        posture = posture_of(&angles);
        posture.trunk.p = poise_vec3(5.0, 5.0, 5.0);
        const PoiseStatus status = poise_person_balance(&robot, &goal, 1e-5, &posture, &report);
        cr_expect(report.turns <= 7, "%d turns", report.turns);
        cr_expect_lt(report.com_error, 1e-5);
        cr_assert(poise_person_forward(&robot, &posture, &ends) == POISE_OK);
        EXPECT_NEAR3(ends.com, goal.com, 1e-5);
        if (other == 0) {
            // The straight left leg is too short by the remaining height error of the trunk.
            expect_ends(&ends, &goal, 1e-5);
        }
        cr_expect(status == POISE_OK || report.legs[POISE_LEFT].reason == POISE_LIMB_TOO_FAR);
    }
    // A goal out of reach is reported, with the limb that misses it.
    goal.hands[POISE_RIGHT].p.x = 3.0;
    cr_expect(poise_person_balance(&robot, &goal, 1e-5, &posture, &report) == POISE_NOT_CONVERGED);
    cr_expect(report.arms[POISE_RIGHT].reason != POISE_LIMB_MET);
}
