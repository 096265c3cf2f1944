// SPDX-License-Identifier: MIT
// A rig whose bodies are kept apart: ODE finds no contact in any step, with fixed and approaching
// obstacles.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism.h"
#include "poise/snapshot.h"
#include "works.h"

#define STEP 0.005

/// An arm of two links in the plane z = 0.5, a wall and a ball, without gravity.
typedef struct Cell {
    Mechanism m;
    dBodyID ball;
    dGeomID wall;
    int contacts; ///< number of pairs that were in contact in any step
} Cell;

static void cell_open(Cell* cell, bool keep) {
    memset(cell, 0, sizeof *cell);
    Mechanism* m = &cell->m;
    mechanism_open(m, poise_vec3(0.0, 0.0, 0.0), POISE_REFERENCE_OWN);
    m->space = dSimpleSpaceCreate(NULL);
    const PoiseBindDef like = mechanism_springs(2000.0, 200.0);
    for (int i = 0; i < 2; i++) {
        const LinkDef link = {.parent = i > 0 ? m->bodies[0] : NULL,
                              .kind = POISE_NODE_HINGE,
                              .pivot = {.anchor = {0.5 * i, 0.0, 0.5}},
                              .at = {0.25 + 0.5 * i, 0.0, 0.5},
                              .size = {0.48, 0.08, 0.08},
                              .like = &like};
        mechanism_link(m, &link);
    }
    mechanism_point(m, poise_rig_node_of_body(m->rig, m->bodies[1]), m->bodies[1],
                    poise_vec3(1.0, 0.0, 0.5));
    cell->wall = dCreateBox(m->space, 0.1, 2.0, 1.0);
    dGeomSetPosition(cell->wall, 0.3, 1.5, 0.5);
    cell->ball = dBodyCreate(m->world);
    dBodySetKinematic(cell->ball);
    dBodySetPosition(cell->ball, 0.5, -2.0, 0.5);
    dGeomSetBody(dCreateSphere(m->space, 0.1), cell->ball);
    if (keep) {
        cr_assert_eq(poise_rig_keep_apart(m->rig, m->space, 0.01), POISE_OK, "%s",
                     poise_rig_message(m->rig));
    }
}

static void cell_close(Cell* cell) {
    dSpaceDestroy(cell->m.space);
    mechanism_close(&cell->m);
}

static void count_contact(void* data, dGeomID a, dGeomID b) {
    Cell* cell = data;
    const dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
    // the links overlap at their joint
    const bool joined = first && second && dAreConnected(first, second);
    dContactGeom contact;
    if (!joined && dCollide(a, b, 1, &contact, sizeof contact) > 0) {
        cell->contacts++;
    }
}

static void run(Cell* cell, int steps, double ball_speed) {
    for (int i = 0; i < steps; i++) {
        dBodySetLinearVel(cell->ball, 0.0, ball_speed, 0.0);
        mechanism_step(&cell->m, STEP);
        dSpaceCollide(cell->m.space, cell, count_contact);
    }
}

Test(apart, a_hand_sent_through_a_wall_stops_before_it_and_names_it) {
    for (int keep = 0; keep < 2; keep++) {
        Cell cell;
        cell_open(&cell, keep);
        mechanism_goal(&cell.m, poise_vec3(0.3, 0.8, 0.5));
        run(&cell, 600, 0.0);
        cr_expect_eq(cell.contacts > 0, !keep, "%d contacts, kept %d", cell.contacts, keep);
        if (keep) {
            const PoisePointReading reading = mechanism_read_point(&cell.m);
            char text[POISE_WHY_TEXT];
            cr_expect_eq(reading.why, POISE_WHY_APART);
            cr_expect_eq(reading.held_geoms[1], cell.wall);
            cr_expect_float_eq(reading.held_by.gap.distance, 0.01, 1e-5);
            cr_expect_str_eq(poise_point_why_text(&reading, NULL, text, sizeof text),
                             "held by joint 2 - obstacle, 10 mm");
        }
        cell_close(&cell);
    }
}

// Makes `count` steps, from step `first` on, of a drag that pulls the arm toward the wall.
static void drag(Cell* cell, int first, int count) {
    for (int i = first; i < first + count; i++) {
        const PoiseSinCos turn = poise_sincos(poise_min(4.0 * i * STEP, 2.5));
        mechanism_goal(&cell->m, poise_vec3(0.95 * turn.cosine, 0.95 * turn.sine, 0.5));
        run(cell, 1, 0.0);
    }
}

// Bodies with weak dampers would run past a plan that stops at once.
Test(apart, an_arm_that_is_dragged_fast_at_a_wall_brakes_before_it) {
    for (int keep = 0; keep < 2; keep++) {
        Cell cell;
        cell_open(&cell, keep);
        for (int i = 0; i < 2; i++) {
            WORKS(poise_rig_set_ik(cell.m.rig, poise_rig_node_of_body(cell.m.rig, cell.m.bodies[i]),
                                   (PoiseSpring){800.0, 16.0}));
        }
        drag(&cell, 0, 300);
        cr_expect_eq(cell.contacts > 0, !keep, "%d contacts, kept %d", cell.contacts, keep);
        cell_close(&cell);
    }
}

// The forecast ends before the wall, as the run does.
Test(apart, a_forecast_stops_where_the_run_stops) {
    for (int keep = 0; keep < 2; keep++) {
        Cell cell;
        cell_open(&cell, keep);
        dGeomDisable(cell.wall);
        mechanism_goal(&cell.m, poise_vec3(0.3, 0.8, 0.5));
        run(&cell, 1, 0.0);
        const PoiseForecastDef def = {
            .points = &cell.m.point, .count = 1, .step = STEP, .budget = 5.0};
        PoiseForecast forecast;
        cr_assert_eq(poise_rig_forecast(cell.m.rig, &def, &forecast), POISE_OK);
        run(&cell, 2000, 0.0);
        const PoisePointReading reading = mechanism_read_point(&cell.m);
        cr_expect_eq(reading.miss > 0.05, keep, "%g m", reading.miss);
        cr_expect_float_eq(forecast.miss, reading.miss, 1e-5, "forecast %g m, run %g m",
                           forecast.miss, reading.miss);
        cell_close(&cell);
    }
}

// The PoiseApart of a rig has no state: a run from a snapshot takes the same steps.
Test(apart, a_run_from_a_snapshot_repeats_to_the_bit) {
    Cell cell;
    cell_open(&cell, true);
    const dBodyID bodies[] = {cell.m.bodies[0], cell.m.bodies[1], cell.ball};
    PoiseSnapshotDef def = poise_default_snapshot_def();
    def.bodies = bodies;
    def.body_count = 3;
    def.rigs = &cell.m.rig;
    def.rig_count = 1;
    const size_t size = poise_snapshot_size(&def);
    void* memory = malloc(size);
    for (int first = 0; first < 300; first += 30) {
        WORKS(poise_snapshot_save(&def, memory, size));
        drag(&cell, first, 30);
        const uint64_t hash = poise_state_hash(bodies, 3);
        WORKS(poise_snapshot_restore(&def, memory, size));
        drag(&cell, first, 30);
        cr_expect_eq(poise_state_hash(bodies, 3), hash, "from step %d", first);
    }
    free(memory);
    cell_close(&cell);
}

Test(apart, an_arm_avoids_an_approaching_ball) {
    for (int keep = 0; keep < 2; keep++) {
        Cell cell;
        cell_open(&cell, keep);
        run(&cell, 800, 0.5);
        cr_expect_eq(cell.contacts > 0, !keep, "%d contacts, kept %d", cell.contacts, keep);
        cell_close(&cell);
    }
}

Test(apart, a_base_around_the_first_joint_is_no_obstacle) {
    Cell cell;
    cell_open(&cell, false);
    const dGeomID base = dCreateCylinder(cell.m.space, 0.1, 1.2);
    dGeomSetPosition(base, 0.0, 0.0, 0.5);
    cr_assert_eq(poise_rig_keep_apart(cell.m.rig, cell.m.space, 0.01), POISE_OK, "%s",
                 poise_rig_message(cell.m.rig));
    // the hand comes near the base only if the elbow folds
    cr_expect_geq(poise_apart_pair_count(poise_rig_apart(cell.m.rig)), 4);
    cell_close(&cell);
}

Test(apart, an_obstacle_around_the_arm_is_refused_by_name) {
    Cell cell;
    cell_open(&cell, false);
    const dGeomID swallows = dCreateBox(cell.m.space, 9.0, 9.0, 0.2);
    dGeomSetPosition(swallows, 0.0, 0.0, 0.39);
    WORKS(poise_rig_status(cell.m.rig));
    cr_assert_eq(poise_rig_keep_apart(cell.m.rig, cell.m.space, 0.08),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_not_null(strstr(poise_rig_message(cell.m.rig), "cannot be kept apart"), "%s",
                       poise_rig_message(cell.m.rig));
    cr_expect_null(poise_rig_apart(cell.m.rig));
    poise_rig_clear_status(cell.m.rig);
    cr_expect_eq(poise_rig_keep_apart(cell.m.rig, cell.m.space, (double)NAN),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_rig_keep_apart(cell.m.rig, NULL, 0.01), POISE_OK);
    cell_close(&cell);
}

// A crate that contains the whole base is refused. A smaller crate is accepted, and so is one that
// the base does not collide with by its bits.
Test(apart, an_obstacle_that_swallows_the_base_is_refused) {
    static const struct {
        dReal side;
        bool passes;
        PoiseStatus status;
    } rows[] = {{(dReal)0.3, false, POISE_ERROR_INVALID_ARGUMENT},
                {(dReal)0.3, true, POISE_OK},
                {(dReal)0.19, false, POISE_OK}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Cell cell;
        cell_open(&cell, false);
        const dGeomID base = dCreateCylinder(cell.m.space, 0.1, 0.2);
        dGeomSetPosition(base, 0.0, 0.0, 0.5);
        const dGeomID crate = dCreateBox(cell.m.space, rows[i].side, rows[i].side, 0.3);
        dGeomSetPosition(crate, 0.0, 0.0, 0.5);
        dGeomSetCategoryBits(crate, rows[i].passes ? 2 : ~0UL);
        dGeomSetCollideBits(crate, rows[i].passes ? 2 : ~0UL);
        dGeomSetCategoryBits(base, 1);
        dGeomSetCollideBits(base, 1);
        WORKS(poise_rig_status(cell.m.rig));
        cr_expect_eq(poise_rig_keep_apart(cell.m.rig, cell.m.space, 0.01), rows[i].status,
                     "%zu: %s", i, poise_rig_message(cell.m.rig));
        const bool said = strstr(poise_rig_message(cell.m.rig),
                                 "part 0 and part 1 cannot be kept apart: part 0 contains") != NULL;
        cr_expect_eq(said, rows[i].status < 0, "%zu: %s", i, poise_rig_message(cell.m.rig));
        cr_expect_eq(poise_rig_apart(cell.m.rig) == NULL, rows[i].status < 0);
        cell_close(&cell);
    }
}

// A build with sanitizers ends here if the rig reads the destroyed body.
Test(apart, a_link_whose_body_was_destroyed_is_left_out) {
    Cell cell;
    cell_open(&cell, true);
    cr_expect_eq(poise_rig_keep_apart(cell.m.rig, NULL, 0.01), POISE_OK);
    dBodyDestroy(cell.m.bodies[0]);
    cr_expect_eq(poise_rig_keep_apart(cell.m.rig, cell.m.space, 0.01), POISE_OK, "%s",
                 poise_rig_message(cell.m.rig));
    cell_close(&cell);
}
