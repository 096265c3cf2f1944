// SPDX-License-Identifier: MIT
// A rig whose bodies are kept apart: no contact of ODE's collision in any step, with obstacles that
// stand and that come nearer.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/forecast.h"
#include "poise/rig.h"
#include "poise/snapshot.h"
#include "works.h"

#define STEP 0.005

/// An arm of two links in the plane z = 0.5, a wall and a ball, without gravity.
typedef struct Cell {
    dWorldID world;
    dSpaceID space;
    dBodyID links[2];
    dBodyID ball;
    dGeomID wall;
    PoiseTree* tree;
    PoiseRig* rig;
    PoisePointId hand;
    int contacts; ///< pairs in contact in any step
} Cell;

static dBodyID add_link(Cell* cell, double x) {
    const dBodyID body = dBodyCreate(cell->world);
    dMass mass;
    dMassSetCapsuleTotal(&mass, 1.0, 1, 0.04, 0.5);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, 0.0, 0.5);
    const dGeomID geom = dCreateCapsule(cell->space, 0.04, 0.4);
    dMatrix3 along_x;
    dRFromAxisAndAngle(along_x, 0, 1, 0, POISE_PI / 2.0);
    dGeomSetBody(geom, body);
    dGeomSetOffsetRotation(geom, along_x);
    return body;
}

static Cell cell_create(bool keep) {
    dInitODE2(0);
    Cell cell = {.world = dWorldCreate(), .space = dSimpleSpaceCreate(NULL)};
    dJointID joints[2];
    for (int i = 0; i < 2; i++) {
        cell.links[i] = add_link(&cell, 0.25 + 0.5 * i);
        joints[i] = dJointCreateHinge(cell.world, NULL);
        dJointAttach(joints[i], cell.links[i], i > 0 ? cell.links[0] : NULL);
        dJointSetHingeAnchor(joints[i], 0.5 * i, 0.0, 0.5);
        dJointSetHingeAxis(joints[i], 0, 0, 1);
    }
    cell.wall = dCreateBox(cell.space, 0.1, 2.0, 1.0);
    dGeomSetPosition(cell.wall, 0.3, 1.5, 0.5);
    cell.ball = dBodyCreate(cell.world);
    dBodySetKinematic(cell.ball);
    dBodySetPosition(cell.ball, 0.5, -2.0, 0.5);
    dGeomSetBody(dCreateSphere(cell.space, 0.1), cell.ball);
    const PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.tree = cell.tree = poise_tree_create(&tree_def);
    rig_def.world = cell.world;
    cell.rig = poise_rig_create(&rig_def);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){2000.0, 200.0};
    for (int i = 0; i < 2; i++) {
        MAY_FAIL(poise_rig_add(cell.rig, joints[i], cell.links[i], &like));
    }
    cr_assert_eq(poise_rig_status(cell.rig), POISE_OK, "%s", poise_rig_message(cell.rig));
    PoisePointDef point = poise_default_position_def();
    point.link = poise_rig_node_of_body(cell.rig, cell.links[1]);
    point.in_link.p = poise_rig_place_in_link(cell.rig, point.link, poise_vec3(1.0, 0.0, 0.5));
    cell.hand = poise_point_create(cell.tree, &point);
    WORKS(poise_register_chain(cell.tree, cell.hand, poise_null_node()));
    WORKS(poise_point_set_position(cell.tree, cell.hand, poise_vec3(1.0, 0.0, 0.5)));
    if (keep) {
        cr_assert_eq(poise_rig_keep_apart(cell.rig, cell.space, 0.01), POISE_OK, "%s",
                     poise_rig_message(cell.rig));
    }
    return cell;
}

static void cell_finish(Cell* cell) {
    poise_rig_destroy(cell->rig);
    poise_tree_destroy(cell->tree);
    dSpaceDestroy(cell->space);
    dWorldDestroy(cell->world);
    dCloseODE();
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
        WORKS(poise_rig_update(cell->rig, STEP, NULL));
        dWorldStep(cell->world, STEP);
        dSpaceCollide(cell->space, cell, count_contact);
    }
}

Test(apart, a_hand_sent_through_a_wall_stops_before_it_and_names_it) {
    for (int keep = 0; keep < 2; keep++) {
        Cell cell = cell_create(keep);
        WORKS(poise_point_set_position(cell.tree, cell.hand, poise_vec3(0.3, 0.8, 0.5)));
        run(&cell, 600, 0.0);
        cr_expect_eq(cell.contacts > 0, !keep, "%d contacts, kept %d", cell.contacts, keep);
        if (keep) {
            PoisePointReading reading;
            char text[POISE_WHY_TEXT];
            WORKS(poise_rig_read_point(cell.rig, cell.hand, &reading));
            cr_expect_eq(reading.why, POISE_WHY_APART);
            cr_expect_eq(reading.held_geoms[1], cell.wall);
            cr_expect_float_eq(reading.held_by.gap.distance, 0.01, 1e-5);
            cr_expect_str_eq(poise_point_why_text(&reading, NULL, text, sizeof text),
                             "held by joint 2 - obstacle, 10 mm");
        }
        cell_finish(&cell);
    }
}

// The forecast ends before the wall too, where the run ends.
Test(apart, a_forecast_stops_where_the_run_stops) {
    for (int keep = 0; keep < 2; keep++) {
        Cell cell = cell_create(keep);
        dGeomDisable(cell.wall);
        WORKS(poise_point_set_position(cell.tree, cell.hand, poise_vec3(0.3, 0.8, 0.5)));
        run(&cell, 1, 0.0);
        const PoiseForecastDef def = {
            .points = &cell.hand, .count = 1, .step = STEP, .budget = 5.0};
        PoiseForecast forecast;
        cr_assert_eq(poise_rig_forecast(cell.rig, &def, &forecast), POISE_OK);
        run(&cell, 2000, 0.0);
        PoisePointReading reading;
        WORKS(poise_rig_read_point(cell.rig, cell.hand, &reading));
        cr_expect_eq(reading.miss > 0.05, keep, "%g m", reading.miss);
        cr_expect_float_eq(forecast.miss, reading.miss, 1e-5, "forecast %g m, run %g m",
                           forecast.miss, reading.miss);
        cell_finish(&cell);
    }
}

// The parts of a rig have no state of their own: a run from a snapshot takes the same steps.
Test(apart, a_run_from_a_snapshot_repeats_to_the_bit) {
    Cell cell = cell_create(true);
    WORKS(poise_point_set_position(cell.tree, cell.hand, poise_vec3(0.3, 0.8, 0.5)));
    run(&cell, 100, 0.3);
    const dBodyID bodies[] = {cell.links[0], cell.links[1], cell.ball};
    PoiseSnapshotDef def = poise_default_snapshot_def();
    def.bodies = bodies;
    def.body_count = 3;
    def.rigs = &cell.rig;
    def.rig_count = 1;
    const size_t size = poise_snapshot_size(&def);
    void* memory = malloc(size);
    WORKS(poise_snapshot_save(&def, memory, size));
    PoiseVec3 ends[2];
    for (int i = 0; i < 2; i++) {
        WORKS(poise_snapshot_restore(&def, memory, size));
        run(&cell, 150, 0.3);
        const dReal* place = dBodyGetPosition(cell.links[1]);
        ends[i] = poise_vec3((double)place[0], (double)place[1], (double)place[2]);
    }
    cr_expect_arr_eq(&ends[0], &ends[1], sizeof ends[0]);
    free(memory);
    cell_finish(&cell);
}

Test(apart, an_arm_gives_room_to_a_ball_that_comes) {
    for (int keep = 0; keep < 2; keep++) {
        Cell cell = cell_create(keep);
        run(&cell, 800, 0.5);
        cr_expect_eq(cell.contacts > 0, !keep, "%d contacts, kept %d", cell.contacts, keep);
        cell_finish(&cell);
    }
}

Test(apart, a_base_around_the_first_joint_is_no_obstacle) {
    Cell cell = cell_create(false);
    const dGeomID base = dCreateCylinder(cell.space, 0.1, 1.2);
    dGeomSetPosition(base, 0.0, 0.0, 0.5);
    cr_assert_eq(poise_rig_keep_apart(cell.rig, cell.space, 0.01), POISE_OK, "%s",
                 poise_rig_message(cell.rig));
    // the hand comes near the base only if the elbow folds
    cr_expect_geq(poise_apart_pair_count(poise_rig_apart(cell.rig)), 4);
    cell_finish(&cell);
}

Test(apart, an_obstacle_around_the_arm_is_refused_by_name) {
    Cell cell = cell_create(false);
    const dGeomID swallows = dCreateBox(cell.space, 9.0, 9.0, 0.2);
    dGeomSetPosition(swallows, 0.0, 0.0, 0.39);
    WORKS(poise_rig_status(cell.rig));
    cr_assert_eq(poise_rig_keep_apart(cell.rig, cell.space, 0.08), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_not_null(strstr(poise_rig_message(cell.rig), "cannot be kept apart"), "%s",
                       poise_rig_message(cell.rig));
    cr_expect_null(poise_rig_apart(cell.rig));
    poise_rig_clear_status(cell.rig);
    cr_expect_eq(poise_rig_keep_apart(cell.rig, cell.space, (double)NAN),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_rig_keep_apart(cell.rig, NULL, 0.01), POISE_OK);
    cell_finish(&cell);
}

// A build with sanitizers ends here if the rig reads the destroyed body.
Test(apart, a_link_whose_body_was_destroyed_is_left_out) {
    Cell cell = cell_create(true);
    cr_expect_eq(poise_rig_keep_apart(cell.rig, NULL, 0.01), POISE_OK);
    dBodyDestroy(cell.links[0]);
    cr_expect_eq(poise_rig_keep_apart(cell.rig, cell.space, 0.01), POISE_OK, "%s",
                 poise_rig_message(cell.rig));
    cell_finish(&cell);
}
