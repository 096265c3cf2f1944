// SPDX-License-Identifier: MIT
// Constant goals end in rest, however they are rounded (rest.c): no joint creeps along a direction
// that hardly moves the point.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
#include "works.h"

// steps of 5 ms
enum { SEEDS = 500, SETTLED = 2000, WATCHED = 50 };

#define STILL 5e-9 // rad a step: 1e-6 rad/s

typedef enum Setting {
    PLAIN,
    BY_PRIORITY, // the point is the second of two levels
    SETTINGS
} Setting;

static double rounded(double x, int decimals) {
    const double unit = pow(10.0, -decimals);
    return unit * round(x / unit);
}

// A crank, and at its end a hinge whose axis the point misses by as much as rounding leaves: the
// hinge can bring the point nearer by micrometres alone. Another crank has a goal of its own.
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

// the farthest that a joint goes in a step
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
        // a goal that any direction reaches well is met to rounding, whatever the neighbour does
        EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[1]), 0.0, 1e-9);
        model_finish(&model);
    }
}

// the same goal with the law switched off
Test(rest, without_the_law_every_step_is_taken) {
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
