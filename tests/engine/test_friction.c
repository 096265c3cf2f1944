// SPDX-License-Identifier: MIT
// The rest of a point that presses on a wall with friction. Oracles: a block on a rail in closed
// form, which slides until its spring pulls less than friction holds; and the resting place of
// ODE's bodies.
#include <math.h>
#include <string.h>

#include "cell.h"

static const double STEP = 0.01;
static const double STIFFNESS = 1000.0;
static const double FRICTION = 0.8;
static const double FORCE = 20.0;
// Largest distance of the block from its goal at which friction can hold it, m.
static const double HELD = 0.016;
static const PoiseVec3 up = {0.0, 0.0, 1.0};

enum { STEPS = 3000, COUNTED = 100 };

typedef struct Block {
    Mechanism m;
    Wall wall;
} Block;

// Opens a block on a rail along x and one along z, pressing up, with enough damping not to
// overshoot.
static void block_open(Block* block, PoiseReference reference, double away) {
    Mechanism* m = &block->m;
    mechanism_open(m, poise_vec3(0.0, 0.0, 0.0), reference);
    mechanism_solve_exactly(m);
    const PoiseVec3 size = poise_vec3(0.1, 0.1, 0.1), origin = poise_vec3(0.0, 0.0, 0.0);
    dBodyID carriage = mechanism_box(m, origin, size, 1.0);
    dBodyID head = mechanism_box(m, origin, size, 1.0);
    (void)mechanism_join(m, POISE_NODE_SLIDER, carriage, NULL,
                         pivot(origin, poise_vec3(1.0, 0.0, 0.0)));
    (void)mechanism_join(m, POISE_NODE_SLIDER, head, carriage, pivot(origin, up));
    const PoiseBindDef like = mechanism_springs(STIFFNESS, 0.4 * STIFFNESS);
    cr_assert_eq(poise_rig_import(m->rig, carriage, &like), 2);
    (void)linkage_point(m, 1, origin);
    block->wall = wall_before(m, up, 0.0);
    block->wall.friction = FRICTION;
    cr_assert_eq(poise_point_set_force(m->tree, m->point, poise_scale(FORCE, up)), POISE_OK);
    mechanism_goal(m, poise_vec3(away, 0.0, 0.0));
}

static PoiseForecast block_foresee(Block* block) {
    Mechanism* m = &block->m;
    // the length of the normal has no effect
    const PoiseWall wall = {m->point, poise_scale(-3.0, up), FRICTION, NULL, 0.0};
    const PoiseForecastDef def = {.points = &m->point,
                                  .count = 1,
                                  .walls = &wall,
                                  .wall_count = 1,
                                  .step = STEP,
                                  .budget = 1e3};
    PoiseForecast forecast;
    cr_assert_eq(poise_rig_forecast(m->rig, &def, &forecast), POISE_OK, "%s",
                 poise_rig_message(m->rig));
    return forecast;
}

static void check_block(PoiseReference reference, double away, double miss) {
    Block block;
    block_open(&block, reference, away);
    PoiseForecast plain;
    plain = foresee(block.m.rig, block.m.point, STEP);
    const PoiseForecast forecast = block_foresee(&block);
    const PoiseVec3 pressed = poise_scale(FORCE, up);
    cr_expect_lt(plain.row_miss, 1e-6, "without friction it comes to its goal");
    cr_expect_eq(plain.end, POISE_FORECAST_SETTLES, "%s", plain.why);
    const double band = poise_forecast_friction_band(&plain, pressed, FRICTION);
    cr_expect_leq(fabs(band - HELD), 1e-3 * HELD, "band %g", band);
    cr_expect(forecast.end == POISE_FORECAST_ESTIMATE && isnan(forecast.compliance[0]));
    cr_expect(strstr(forecast.why, "friction"), "%s", forecast.why);
    cr_expect_leq(fabs(forecast.row_miss - miss), 0.01 * miss, "%g m off: foreseen %.6g, not %.6g",
                  away, forecast.row_miss, miss);
    cr_expect_leq(fabs(forecast.force.z - FORCE), 0.01 * FORCE, "%g N", forecast.force.z);
    cr_expect_leq(fabs(fabs(forecast.force.x) - STIFFNESS * miss), 0.01 * STIFFNESS * miss);
    (void)wall_run(&block.m, &block.wall, STEP, STEPS, COUNTED);
    const double settled = fabs(mechanism_tip(&block.m).x - away);
    cr_expect_leq(fabs(settled - forecast.row_miss), 0.01 * settled, "settled %.6g, foreseen %.6g",
                  settled, forecast.row_miss);
    mechanism_close(&block.m);
}

Test(friction, a_block_stays_or_slides_to_where_its_spring_no_longer_moves_it) {
    check_block(POISE_REFERENCE_OWN, 0.01, 0.01);
    check_block(POISE_REFERENCE_OWN, 0.05, HELD);
    check_block(POISE_REFERENCE_MEASURED, 0.01, 0.01);
    check_block(POISE_REFERENCE_MEASURED, 0.05, HELD);
}

// The block rests on the side of the band from which it came.
Test(friction, a_block_rests_on_the_near_side_of_the_friction_band) {
    for (int side = -1; side <= 1; side += 2) {
        Block block;
        block_open(&block, POISE_REFERENCE_OWN, 0.05 * side);
        const PoiseForecast forecast = block_foresee(&block);
        // friction pulls the wall towards the goal
        cr_expect_leq(fabs(forecast.force.x - side * FRICTION * FORCE), 0.01 * FORCE, "%g N",
                      forecast.force.x);
        mechanism_close(&block.m);
    }
}

// A wall of a point that does not press has no effect.
Test(friction, the_wall_of_a_point_without_a_force_has_no_effect) {
    Block block;
    block_open(&block, POISE_REFERENCE_OWN, 0.05);
    cr_assert_eq(poise_point_set_force(block.m.tree, block.m.point, poise_vec3(0.0, 0.0, 0.0)),
                 POISE_OK);
    const PoiseForecast forecast = block_foresee(&block);
    cr_expect_eq(forecast.end, POISE_FORECAST_SETTLES, "%s", forecast.why);
    cr_expect_lt(forecast.miss, 1e-6);
    mechanism_close(&block.m);
}

// Arms with hardly any compliance in one direction are asked for 20 N, 0.1 and 0.15 m off their
// goals across the force. The pull in that direction is bounded, and so is the force on the wall.
Test(friction, arms_with_hardly_any_compliance_exert_bounded_forces) {
    static const int rigs[][2] = {{182, 1}, {189, 0}};
    for (size_t i = 0; i < sizeof rigs / sizeof rigs[0]; i++) {
        const Cell cell = cell_of(rigs[i][0]);
        CellRig rig;
        cell_open(&rig, &cell, 1000 * (uint64_t)rigs[i][0] + (uint64_t)rigs[i][1]);
        double most = 0.0;
        for (int step = 0; step < STEPS; step++) {
            (void)wall_run(&rig.m, &rig.wall, STEP, 1, 1);
            most = fmax(most, rig.wall.force);
        }
        cr_expect_lt(most, 10.0 * CELL_FORCE, "cell %d: %g N", rigs[i][0], most);
        cell_close(&rig);
    }
}
