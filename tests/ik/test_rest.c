// SPDX-License-Identifier: MIT
// Tests that joints come to rest at constant goals with any rounding (rest.c): no joint creeps
// along a direction that hardly moves the point.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
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
    double before[3], most = 0.0;
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
    for (int seed = 0; seed < SEEDS; seed++) {
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
        // A goal that any direction reaches well is met to rounding, independent of the neighbour.
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
