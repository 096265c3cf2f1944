// SPDX-License-Identifier: MIT
// Tests that joints come to rest at constant goals with any rounding (rest.c): no joint creeps
// along a direction that hardly moves the point.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
#include "sample.h"
#include "works.h"

// steps of 5 ms
enum { SEEDS = 500, SETTLED = 2000, WATCHED = 50 };

#define STILL 5e-9 // rad for each step: 1e-6 rad/s

typedef enum Setting {
    PLAIN,
    BY_PRIORITY, // the point is the second of two levels
    SETTINGS
} Setting;

static double rounded(double x, int decimals) {
    const double unit = pow(10.0, -decimals);
    return unit * round(x / unit);
}

// Makes a crank with a hinge at its end. The hinge's axis misses the point by a rounding error, so
// that the hinge moves the point by micrometres only. Another crank has its own goal.
static Model cranks(Random* random, int decimals, Setting setting) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    const double length = rounded(random_between(random, 0.2, 0.5), decimals);
    def.angle = random_between(random, -1.0, 1.0);
    def.parent = model_add_node(&model, &def);
    def.joint_in_parent.p = poise_vec3(length, 0.0, 0.0);
    const PoiseNodeId hinge = model_add_node(&model, &def);
    const double miss = 0.5 * pow(10.0, -decimals);
    model_add_tip(&model, hinge, poise_vec3(random_between(random, -miss, miss), 0.0, 0.0));

    PoiseNodeDef other = poise_default_hinge_def();
    const PoiseNodeId base = model_add_node(&model, &other);
    model_add_tip(&model, base, poise_vec3(0.4, 0.0, 0.0));
    if (setting == BY_PRIORITY) {
        WORKS(poise_point_set_priority(model.tree, model.points[0], 1));
    }
    const double turn = random_between(random, -1.0, 1.0);
    WORKS(poise_point_set_position(model.tree, model.points[0],
                                   poise_vec3(rounded(length * cos(turn), decimals),
                                              rounded(length * sin(turn), decimals), 0.0)));
    WORKS(poise_point_set_position(model.tree, model.points[1],
                                   poise_vec3(0.4 * cos(turn), 0.4 * sin(turn), 0.0)));
    return model;
}

// Takes a step; returns the largest motion of a joint, rad.
static double step_turn(Model* model, const PoiseSolveDef* def) {
    double before[MODEL_NODES], most = 0.0;
    for (int n = 0; n < model->node_count; n++) {
        before[n] = poise_node_angle(model->tree, model->nodes[n]);
    }
    WORKS(model_step(model, def, NULL));
    for (int n = 0; n < model->node_count; n++) {
        most = fmax(most, fabs(poise_node_angle(model->tree, model->nodes[n]) - before[n]));
    }
    return most;
}

Test(rest, rounded_goals_are_still_after_ten_seconds) {
    for (int seed = 0; seed < sample_of(150, SEEDS); seed++) {
        const Setting setting = (Setting)(seed % SETTINGS);
        Random random = random_from(6400 + (uint64_t)seed);
        Model model = cranks(&random, 3 + seed / SETTINGS % 3, setting);
        const PoiseSolveDef def = poise_default_solve_def();
        double most = 0.0;
        for (int step = 0; step < SETTLED + WATCHED; step++) {
            const double turn = step_turn(&model, &def);
            most = step >= SETTLED ? fmax(most, turn) : most;
        }
        cr_expect(most < STILL, "seed %d: %g rad a step", seed, most);
        // The neighbour's goal is well conditioned, so it is met to rounding.
        EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[1]), 0.0, 1e-9);
        model_finish(&model);
    }
}

// Continues with least_motion = 0: the joints creep again.
Test(rest, without_least_motion_every_step_is_taken) {
    Random random = random_from(6399);
    Model model = cranks(&random, 4, PLAIN);
    PoiseSolveDef def = poise_default_solve_def();
    for (int step = 0; step < SETTLED; step++) {
        (void)step_turn(&model, &def);
    }
    cr_expect(step_turn(&model, &def) < STILL);
    def.least_motion = 0.0;
    cr_expect(step_turn(&model, &def) > 100.0 * STILL);
    model_finish(&model);
}

// Makes an arm of 2 to 5 hinges about random axes, some with ranges.
static Model random_arm(Random* random) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    const int count = 2 + random_index(random, 4);
    for (int n = 0; n < count; n++) {
        def.axis = random_direction(random);
        def.lower = random_index(random, 3) == 0 ? random_between(random, -1.5, -0.5) : -HUGE_VAL;
        def.upper = random_index(random, 3) == 0 ? random_between(random, 0.5, 1.5) : HUGE_VAL;
        def.parent = model_add_node(&model, &def);
        const double length = random_between(random, 0.1, 0.4);
        def.joint_in_parent.p = poise_vec3(length, random_between(random, 0.0, 0.1), 0.0);
    }
    model_add_tip(&model, def.parent, def.joint_in_parent.p);
    return model;
}

static void take_steps(Model* model, const PoiseSolveDef* def, int count) {
    for (int step = 0; step < count; step++) {
        (void)step_turn(model, def);
    }
}

// Puts the goal of a point at its place, then 10 um beyond. Returns the largest rotation of a
// joint.
static double cost_of_10_um(Model* model, PoiseVec3 out, const PoiseSolveDef* def) {
    const PoisePointId point = model->points[0];
    const PoiseVec3 end = poise_point_planned_pose(model->tree, point).p;
    WORKS(poise_point_set_position(model->tree, point, end));
    take_steps(model, def, 500);
    double before[MODEL_NODES], most = 0.0;
    for (int n = 0; n < model->node_count; n++) {
        before[n] = poise_node_angle(model->tree, model->nodes[n]);
    }
    WORKS(poise_point_set_position(model->tree, point, poise_add_scaled(end, 1e-5, out)));
    take_steps(model, def, 2000);
    for (int n = 0; n < model->node_count; n++) {
        most = fmax(most, fabs(poise_node_angle(model->tree, model->nodes[n]) - before[n]));
    }
    return most;
}

// A goal 10 um out of reach turns no joint by more than 0.01 rad.
Test(rest, a_goal_just_out_of_reach_costs_little) {
    const PoiseSolveDef def = poise_default_solve_def();
    for (int seed = 0; seed < sample_of(40, 100); seed++) {
        Random random = random_from(6900 + (uint64_t)seed);
        Model model = random_arm(&random);
        const PoiseVec3 far = poise_scale(4.0, random_direction(&random));
        WORKS(poise_point_set_position(model.tree, model.points[0], far));
        take_steps(&model, &def, 1500);
        const PoiseVec3 way =
            poise_sub(far, poise_point_planned_pose(model.tree, model.points[0]).p);
        const double turn = cost_of_10_um(&model, poise_scale(1.0 / poise_length(way), way), &def);
        cr_expect_leq(turn, 0.01, "arm %d: %g rad", seed, turn);
        model_finish(&model);
    }
    // a hinge that moves the point by 50 um
    PoiseSolveDef creeping = def;
    creeping.least_motion = 0.0;
    double crept = 0.0;
    for (int seed = 0; seed < sample_of(40, 100); seed++) {
        for (int k = 0; k < 2; k++) {
            Random random = random_from(7000 + (uint64_t)seed);
            Model model = cranks(&random, 4, PLAIN);
            take_steps(&model, &def, 500);
            const PoiseVec3 place = poise_point_planned_pose(model.tree, model.points[0]).p;
            const PoiseVec3 out = poise_scale(1.0 / poise_length(place), place);
            const double turn = cost_of_10_um(&model, out, k == 0 ? &def : &creeping);
            cr_expect(k == 1 || turn <= 0.01, "crank %d: %g rad", seed, turn);
            crept = k == 1 ? fmax(crept, turn) : crept;
            model_finish(&model);
        }
    }
    cr_expect_geq(crept, 0.1, "%g rad without the law", crept);
}

// With references the balance of a goal out of reach depends on the gain of the damping, which
// must become constant. At most 3 % of the arms still approach their rest.
Test(rest, references_and_goals_out_of_reach_end_in_rest) {
    const int seeds = sample_of(60, SEEDS);
    int moving = 0;
    for (int seed = 0; seed < seeds; seed++) {
        Random random = random_from(7200 + (uint64_t)seed);
        Model model = random_arm(&random);
        PoiseSolveDef def = poise_default_solve_def();
        def.posture_rate = 0.01;
        for (int n = 0; n < model.node_count; n++) {
            const double reference = random_between(&random, -0.4, 0.4);
            WORKS(poise_node_set_reference(model.tree, model.nodes[n], &reference, 1));
        }
        const PoisePointId point = model.points[0];
        const double far = random_between(&random, 0.02, 0.3);
        const PoiseVec3 at = poise_point_planned_pose(model.tree, point).p;
        WORKS(poise_point_set_position(model.tree, point,
                                       poise_add_scaled(at, far, random_direction(&random))));
        take_steps(&model, &def, SETTLED);
        double most = 0.0;
        for (int step = 0; step < 200; step++) {
            most = fmax(most, step_turn(&model, &def));
        }
        moving += most >= STILL;
        cr_expect_lt(most, 1e-3, "seed %d: %g rad a step", seed, most);
        model_finish(&model);
    }
    cr_expect_leq(moving, 0.03 * seeds, "%d of %d", moving, seeds);
}

// Makes an arm of 6 hinges with ranges and a point on each second link. Only the first goal is in
// reach, and the priorities follow the order of the points.
static Model stacked_arm(Random* random) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    for (int n = 0; n < 6; n++) {
        def.axis = random_direction(random);
        def.lower = random_between(random, -1.5, -0.3);
        def.upper = random_between(random, 0.3, 1.5);
        def.parent = model_add_node(&model, &def);
        def.joint_in_parent.p = poise_vec3(random_between(random, 0.2, 0.4), 0.0, 0.0);
        if (n % 2 == 1) {
            model_add_tip(&model, def.parent, def.joint_in_parent.p);
        }
    }
    for (int p = 0; p < 3; p++) {
        const PoisePointId point = model.points[2 - p];
        const PoiseVec3 at = poise_point_planned_pose(model.tree, point).p;
        const double away = p == 0 ? 0.05 : 1.0;
        WORKS(poise_point_set_priority(model.tree, point, p));
        WORKS(poise_point_set_position(model.tree, point,
                                       poise_add_scaled(at, away, random_direction(random))));
    }
    return model;
}

// Levels after a level that cannot be met do not move its point off its rest.
Test(rest, levels_that_cannot_be_met_end_in_rest) {
    for (int seed = 0; seed < 60; seed++) {
        Random random = random_from(7100 + (uint64_t)seed);
        Model model = stacked_arm(&random);
        const PoiseSolveDef def = poise_default_solve_def();
        take_steps(&model, &def, SETTLED);
        double most = 0.0;
        for (int step = 0; step < 400; step++) {
            most = fmax(most, step_turn(&model, &def));
        }
        cr_expect(most < STILL, "seed %d: %g rad a step", seed, most);
        model_finish(&model);
    }
}
