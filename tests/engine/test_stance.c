// SPDX-License-Identifier: MIT
// Floating bases: a figure is upright on its own feet, and its motors give no force from outside.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "box_person.h"
#include "near.h"
#include "works.h"

static const double DT = FIGURE_STEP;

static double up_of(dBodyID body) {
    return dBodyGetRotation(body)[10];
}

static PoiseVec3 hand_goal(const Figure* f, int side) {
    return poise_point_goal(f->m.tree, f->hand_points[side]).p;
}

static double hand_error(const Figure* f) {
    double left = poise_length(poise_sub(figure_hand(f, LEFT), hand_goal(f, LEFT)));
    return fmax(left, poise_length(poise_sub(figure_hand(f, RIGHT), hand_goal(f, RIGHT))));
}

Test(stance, a_figure_stands_where_it_was_placed) {
    Figure f;
    figure_open(&f, figure_def());
    PoiseVec3 before = figure_com(&f);
    figure_run(&f, 5.0);
    PoiseVec3 after = figure_com(&f);
    cr_expect_lt(fabs(after.z - before.z), 0.005, "sank by %g m", before.z - after.z);
    cr_expect_gt(up_of(f.pelvis), 0.999, "%g", up_of(f.pelvis));
    // its centre of mass is over the middle of its feet
    EXPECT_NEAR(after.x, 0.04, 0.005);
    EXPECT_NEAR(after.y, 0.0, 0.005);
    cr_expect_lt(hand_error(&f), 0.005, "%g", hand_error(&f));
    figure_close(&f);
}

// The shares are the ground's own forces, and balance the body.
Test(stance, the_shares_hold_the_weight_without_a_moment_about_the_centre_of_mass) {
    Figure f;
    figure_open(&f, figure_def());
    figure_run(&f, 3.0);
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 turn = sum;
    PoiseVec3 com = figure_com(&f);
    for (int side = 0; side < 2; side++) {
        PoiseVec3 force;
        PoiseVec3 moment;
        cr_assert_eq(poise_rig_read_stance(f.m.rig, f.foot_points[side], &force, &moment),
                     POISE_OK);
        dVector3 p;
        dBodyGetRelPointPos(f.feet[side], 0.0, 0.0, -0.04, p);
        sum = poise_add(sum, force);
        turn = poise_add(turn, moment);
        turn = poise_add(turn, poise_cross(poise_sub(poise_vec3(p[0], p[1], p[2]), com), force));
        PoiseVec3 contact;
        cr_assert_eq(poise_world_contact_force(f.m.own, f.feet[side], &contact, NULL), POISE_OK);
        EXPECT_NEAR(force.z, contact.z, 0.02 * f.mass * 9.81);
    }
    EXPECT_NEAR3(sum, poise_vec3(0.0, 0.0, f.mass * 9.81), 1e-3);
    // the forces are those of the step before
    EXPECT_NEAR3(turn, poise_vec3(0.0, 0.0, 0.0), 1e-2);
    figure_close(&f);
}

// Goals of the hands: high and low. The own posture moves the pelvis. In measured mode only the
// springs of the legs move it, which takes ten times as long.
Test(stance, hands_reach_and_the_pelvis_follows) {
    static const double seconds[] = {1.5, 12.0};
    for (int r = 0; r < 2; r++) {
        Figure f;
        FigureDef def = figure_def();
        def.reference = r == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
        figure_open(&f, def);
        figure_run(&f, 1.0);
        const PoiseVec3 goals[] = {{0.55, 0.25, 1.3}, {0.55, -0.2, 0.75}};
        for (int side = 0; side < 2; side++) {
            cr_assert_eq(poise_point_set_position(f.m.tree, f.hand_points[side], goals[side]),
                         POISE_OK);
        }
        figure_run(&f, seconds[r]);
        cr_expect_lt(hand_error(&f), 0.01, "reference %d: %g m", r, hand_error(&f));
        figure_run(&f, 3.5);
        cr_expect_lt(hand_error(&f), 0.01, "reference %d: %g m", r, hand_error(&f));
        cr_expect_gt(up_of(f.feet[LEFT]), 0.999);
        cr_expect_gt(up_of(f.feet[RIGHT]), 0.999);
        PoiseVec3 com = figure_com(&f);
        EXPECT_NEAR(com.x, 0.04, 0.015);
        EXPECT_NEAR(com.y, 0.0, 0.015);
        figure_close(&f);
    }
}

Test(stance, a_push_of_100_n_for_a_tenth_of_a_second_does_not_fell_it) {
    const PoiseVec3 pushes[] = {
        {100.0, 0.0, 0.0}, {-100.0, 0.0, 0.0}, {0.0, 100.0, 0.0}, {70.0, -70.0, 0.0}};
    for (int p = 0; p < 4; p++) {
        Figure f;
        figure_open(&f, figure_def());
        figure_run(&f, 2.0);
        for (int i = 0; i < (int)(0.1 / DT + 0.5); i++) {
            dBodyAddForce(f.chest, pushes[p].x, pushes[p].y, pushes[p].z);
            figure_step(&f, DT);
        }
        figure_run(&f, 2.0);
        cr_expect_gt(up_of(f.pelvis), 0.999, "push %d: %g", p, up_of(f.pelvis));
        cr_expect_lt(hand_error(&f), 0.01, "push %d: hands %g m off", p, hand_error(&f));
        figure_close(&f);
    }
}

// ------------------------------------------------------------------------- nothing from outside

Test(stance, forces_of_the_motors_sum_to_zero) {
    Figure f;
    figure_open(&f, figure_def());
    double most = 0.0;
    for (int i = 0; i < 400; i++) {
        figure_step(&f, DT);
        PoiseVec3 force, moment, outside, turn;
        double largest;
        figure_motor_sum(&f, &force, &moment, &largest);
        most = fmax(most, largest);
        cr_assert_lt(poise_length(force), 1e-9 * (1.0 + largest), "step %d", i);
        cr_assert_lt(poise_length(moment), 1e-9 * (1.0 + largest), "step %d", i);
        cr_assert_eq(poise_rig_outside_force(f.m.rig, &outside, &turn), POISE_OK);
        cr_assert(poise_length(outside) == 0.0 && poise_length(turn) == 0.0);
        if (i == 100) {
            cr_assert_eq(
                poise_point_set_position(f.m.tree, f.hand_points[LEFT], poise_vec3(0.5, 0.2, 1.3)),
                POISE_OK);
            cr_assert_eq(
                poise_point_set_force(f.m.tree, f.hand_points[RIGHT], poise_vec3(0.0, 0.0, -20.0)),
                POISE_OK);
        }
    }
    cr_expect_gt(most, 10.0, "they did give something: %g", most);
    figure_close(&f);
}

Test(stance, springs_to_the_world_are_reported) {
    Figure f;
    FigureDef def = figure_def();
    def.ground = false;
    figure_open(&f, def);
    PoiseSpring stiff = {2e4, 2e3};
    PoiseSpring none = {0.0, 0.0};
    cr_assert_eq(poise_rig_remove_stance(f.m.rig, f.foot_points[LEFT]), POISE_OK);
    cr_assert_eq(poise_rig_remove_stance(f.m.rig, f.foot_points[RIGHT]), POISE_OK);
    cr_assert_eq(poise_rig_set_ik(f.m.rig, f.base, stiff), POISE_OK);
    cr_assert_eq(poise_rig_set_linear(f.m.rig, f.base, none, stiff), POISE_OK);
    figure_run(&f, 4.0);
    PoiseVec3 outside;
    cr_assert_eq(poise_rig_outside_force(f.m.rig, &outside, NULL), POISE_OK);
    EXPECT_NEAR3(outside, poise_vec3(0.0, 0.0, f.mass * 9.81), 0.5);
    figure_close(&f);
}

// ------------------------------------------------------------------------------------- snapshots

static uint64_t step_hash(Figure* f, int step) {
    if (step == 50) {
        WORKS(poise_rig_remove_stance(f->m.rig, f->foot_points[LEFT]));
    }
    if (step == 100) {
        PoiseStanceDef def = poise_default_stance_def();
        def.point = f->foot_points[LEFT];
        WORKS(poise_rig_add_stance(f->m.rig, &def));
    }
    if (step % 40 < 10) {
        dBodyAddForce(f->chest, 60.0, 20.0, 0.0);
    }
    double t = DT * step;
    PoiseVec3 goal = poise_vec3(0.3 + 0.2 * sin(2.0 * t), 0.2, 1.2 + 0.2 * cos(3.0 * t));
    WORKS(poise_point_set_position(f->m.tree, f->hand_points[LEFT], goal));
    figure_step(f, DT);
    return poise_state_hash(f->m.bodies, FIGURE_BODIES);
}

Test(stance, a_standing_figure_goes_on_from_a_snapshot_bit_for_bit) {
    enum { BEFORE = 75, AFTER = 1000 };
    for (int quick = 0; quick <= 50; quick += 50) {
        FigureDef def = figure_def();
        def.quick_iterations = quick;
        def.stiffness = quick ? 1000.0 : def.stiffness;
        Figure f;
        figure_open(&f, def);
        for (int i = 0; i < BEFORE; i++) {
            (void)step_hash(&f, i);
        }
        PoiseSnapshotDef of = poise_default_snapshot_def();
        of.world = f.m.own;
        of.rigs = &f.m.rig;
        of.rig_count = 1;
        size_t size = poise_snapshot_size(&of);
        void* memory = malloc(size);
        cr_assert_eq(poise_snapshot_save(&of, memory, size), POISE_OK);
        uint64_t hashes[AFTER];
        for (int i = 0; i < AFTER; i++) {
            hashes[i] = step_hash(&f, BEFORE + i);
        }
        Figure twin;
        figure_open(&twin, def);
        of.world = twin.m.own;
        of.rigs = &twin.m.rig;
        cr_assert_eq(poise_snapshot_restore(&of, memory, size), POISE_OK, "%s",
                     poise_rig_message(twin.m.rig));
        cr_expect_eq(poise_rig_stance_count(twin.m.rig), 1, "as when it was saved");
        for (int i = 0; i < AFTER; i++) {
            cr_assert_eq(step_hash(&twin, BEFORE + i), hashes[i], "quick %d, step %d", quick, i);
        }
        // restore the first world too
        of.world = f.m.own;
        of.rigs = &f.m.rig;
        cr_assert_eq(poise_snapshot_restore(&of, memory, size), POISE_OK);
        for (int i = 0; i < AFTER; i++) {
            cr_assert_eq(step_hash(&f, BEFORE + i), hashes[i], "quick %d, back, step %d", quick, i);
        }
        free(memory);
        figure_close(&twin);
        figure_close(&f);
    }
}

// --------------------------------------------------------------------------------- distribution

Test(stance, shares_decide_and_no_foot_pulls) {
    Figure f;
    figure_open(&f, figure_def());
    figure_step(&f, DT);
    PoiseVec3 left;
    PoiseVec3 right;
    PoiseStanceDef def = poise_default_stance_def();
    // soles that take any moment: the shares alone decide
    for (int side = 0; side < 2; side++) {
        def.point = f.foot_points[side];
        def.sole = 100.0;
        def.share = side == LEFT ? 3.0 : 1.0;
        cr_assert_eq(poise_rig_add_stance(f.m.rig, &def), POISE_OK);
    }
    figure_step(&f, DT);
    WORKS(poise_rig_read_stance(f.m.rig, f.foot_points[LEFT], &left, NULL));
    WORKS(poise_rig_read_stance(f.m.rig, f.foot_points[RIGHT], &right, NULL));
    EXPECT_NEAR(left.z / right.z, 3.0, 1e-2);
    EXPECT_NEAR(left.z + right.z, f.mass * 9.81, 1e-5 * f.mass * 9.81);
    // the hand would have to pull down behind the feet: its share is 0
    def.sole = 0.0;
    def.share = 1.0;
    for (int side = 0; side < 2; side++) {
        def.point = f.foot_points[side];
        cr_assert_eq(poise_rig_add_stance(f.m.rig, &def), POISE_OK);
    }
    def.point = f.hand_points[LEFT];
    cr_assert_eq(poise_rig_add_stance(f.m.rig, &def), POISE_OK);
    figure_step(&f, DT);
    PoiseVec3 hand;
    cr_assert_eq(poise_rig_read_stance(f.m.rig, f.hand_points[LEFT], &hand, NULL), POISE_OK);
    cr_expect_geq(hand.z, 0.0);
    cr_expect_eq(poise_rig_stance_count(f.m.rig), 3);
    cr_assert_eq(poise_point_destroy(f.m.tree, f.hand_points[LEFT]), POISE_OK);
    figure_step(&f, DT);
    cr_expect_eq(poise_rig_stance_count(f.m.rig), 2);
    figure_close(&f);
}

Test(stance, without_stance_points_no_weight_is_fed_forward) {
    Figure f;
    FigureDef def = figure_def();
    def.points = false;
    figure_open(&f, def);
    figure_step(&f, DT);
    for (int i = 0; i < FIGURE_JOINTS; i++) {
        PoiseJointReading reading;
        PoiseNodeId node = poise_tree_node(f.m.tree, 1 + i);
        cr_assert_eq(poise_rig_read_joint(f.m.rig, node, &reading), POISE_OK);
        cr_expect_eq(reading.feed_forward[0], 0.0);
        cr_expect_eq(reading.feed_forward[1], 0.0);
        cr_expect_eq(reading.feed_forward[2], 0.0);
    }
    figure_close(&f);
}

Test(stance, a_base_with_springs_of_its_own_does_not_float) {
    Figure f;
    figure_open(&f, figure_def());
    PoiseSpring stiff = {2e4, 2e3};
    cr_assert_eq(poise_rig_set_ik(f.m.rig, f.base, stiff), POISE_OK);
    cr_assert_eq(poise_rig_set_linear(f.m.rig, f.base, stiff, stiff), POISE_OK);
    PoiseStanceDef def = poise_default_stance_def();
    def.point = f.hand_points[LEFT];
    cr_expect_eq(poise_rig_add_stance(f.m.rig, &def), POISE_ERROR_WRONG_KIND);
    figure_close(&f);
}
