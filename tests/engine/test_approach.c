// SPDX-License-Identifier: MIT
// Points that are asked for a force before they touch the wall: they approach at the stated speed
// and stay in touch. Oracle: the contact joints' feedback and the bodies' places in ODE.
#include <criterion/criterion.h>
#include <math.h>

#include "cell.h"
#include "near.h"
#include "press_bench.h"

#define STEP 0.005

// Arms 0.4 m in front of their wall, with springs of any damping. During the last second before the
// wall the tip moves along the force with the set speed; after that it presses with 20 N.
Test(approach, a_point_approaches_at_the_set_speed) {
    static const double dampers[] = {50.0, 200.0, 1000.0};
    static const double speeds[] = {0.05, 0.1};
    for (int k = 0; k < 12; k++) {
        PressDef def = press_def(k % 2 ? POISE_REFERENCE_MEASURED : POISE_REFERENCE_OWN);
        for (int i = 0; i < def.links; i++) {
            def.damping[i] = dampers[k / 2 % 3];
        }
        def.gap = 0.4;
        Mechanism m;
        press_open(&m, &def);
        const double speed = speeds[k / 6];
        RIG_SET(m.rig, approach_speed, speed);
        mechanism_run(&m, PRESS_STEP, (int)lround(0.2 / speed / 0.01));
        PoisePointReading reading = mechanism_read_point(&m);
        dVector3 v;
        dBodyGetRelPointVel(m.bodies[def.links - 1], 0.5, 0.0, 0.0, v);
        cr_expect(fabs(v[0] - speed) <= 0.2 * speed && !reading.touches, "%d: %g m/s, touches %d",
                  k, v[0], reading.touches);
        mechanism_run(&m, PRESS_STEP, 1500);
        reading = mechanism_read_point(&m);
        const double felt = press_on_wall(&m, def.links - 1).x;
        cr_expect(fabs(felt - 20.0) <= 0.2 && reading.touches, "%d: %g N, touches %d", k, felt,
                  reading.touches);
        mechanism_close(&m);
    }
}

// Two rigs of test_matrix.c that sprang off their walls. They touch again with an approach speed;
// if there is none, they are 8 and 140 mm away after 30 and 45 s.
Test(approach, a_tip_that_sprang_off_its_wall_returns) {
    static const struct {
        int cell;
        uint64_t seed;
        int steps;
    } rigs[] = {{25, 25003, 6000}, {186, 186000, 9000}};
    for (int i = 0; i < 2; i++) {
        const Cell cell = cell_of(rigs[i].cell);
        for (int with = 0; with < 2; with++) {
            CellRig rig;
            cell_open(&rig, &cell, rigs[i].seed);
            cr_assert(rig.presses);
            if (!with) {
                RIG_SET(rig.m.rig, approach_speed, (double)INFINITY);
            }
            (void)wall_run(&rig.m, &rig.wall, STEP, rigs[i].steps, 200);
            const PoisePointReading reading = mechanism_read_point(&rig.m);
            const double off = rig.wall.at - poise_dot(mechanism_tip(&rig.m), rig.wall.along);
            cr_expect_eq(rig.wall.force > 0.0, with == 1, "cell %d, with %d: %g N, %g m off",
                         rigs[i].cell, with, rig.wall.force, off);
            cr_expect_eq(reading.touches, with == 1, "cell %d, with %d", rigs[i].cell, with);
            cell_close(&rig);
        }
    }
}

// Round tips with radii of 1 to 6 cm and friction of 0.1 to 1, which their goals and natural
// postures pull along the wall. If the rig knows the radius, the force that it reads is the
// contact's within 1 %.
Test(approach, a_round_tip_with_friction_reads_the_force_on_its_wall) {
    Random random = random_from(1);
    int wrong[2] = {0, 0};
    for (int i = 0; i < 40; i++) {
        PressDef def = press_def(i % 2 ? POISE_REFERENCE_MEASURED : POISE_REFERENCE_OWN);
        def.links = 3 + i % 4;
        def.radius = random_between(&random, 0.01, 0.06);
        def.friction = random_between(&random, 0.1, 1.0);
        def.force.x = random_between(&random, 5.0, 60.0);
        const double pull = i % 3 == 0 ? 0.0 : random_between(&random, 0.05, 0.4);
        for (int k = 0; k < def.links; k++) {
            def.stiffness[k] = random_between(&random, 400.0, 3000.0);
            def.damping[k] = 0.1 * def.stiffness[k];
            def.original[k] = pull * def.stiffness[k];
            def.natural[k] = random_between(&random, -0.3, 0.3);
        }
        const double slide = random_between(&random, -0.05, 0.05);
        for (int told = 0; told < 2; told++) {
            Mechanism m;
            press_open(&m, &def);
            cr_assert_eq(poise_point_set_tip_radius(m.tree, m.point, told ? def.radius : 0.0),
                         POISE_OK);
            mechanism_run(&m, PRESS_STEP, 500);
            const PoiseVec3 goal = poise_point_goal(m.tree, m.point).p;
            mechanism_goal(&m, poise_add(goal, poise_vec3(0.0, slide, 0.0)));
            mechanism_run(&m, PRESS_STEP, 4000);
            const PoisePointReading reading = mechanism_read_point(&m);
            const PoiseVec3 felt = press_on_wall(&m, def.links - 1);
            const double off = fabs(reading.force_measured.x - felt.x);
            wrong[told] += !(off <= 0.01 * felt.x);
            cr_expect(!told || off <= 0.01 * felt.x, "%d: %g N read, %g felt", i,
                      reading.force_measured.x, felt.x);
            mechanism_close(&m);
        }
    }
    cr_expect_gt(wrong[0], 5, "%d of 40 are off where the rig is not told", wrong[0]);
}

// The wall that is found for a forecast has the normal of the scene's wall, the world's friction
// and the radius of the ball at the tip.
Test(approach, the_wall_that_a_point_presses_on_is_found) {
    PressDef def = press_def(POISE_REFERENCE_OWN);
    def.radius = 0.03;
    def.friction = 0.4;
    Mechanism m;
    PoiseWall wall = {.friction = -1.0};
    press_open(&m, &def);
    cr_expect_not(poise_world_find_wall(m.own, m.rig, m.point, &wall), "before the first step");
    mechanism_run(&m, PRESS_STEP, 1000);
    cr_assert(poise_world_find_wall(m.own, m.rig, m.point, &wall));
    cr_expect_eq(wall.point.index1, m.point.index1);
    EXPECT_NEAR3(wall.normal, poise_vec3(-1.0, 0.0, 0.0), 1e-12);
    cr_expect_eq(wall.friction, 0.4);
    cr_expect_eq(wall.body, m.bodies[def.links - 1]);
    EXPECT_NEAR(wall.radius, 0.03, 1e-4);
    cr_expect_not(poise_world_find_wall(NULL, m.rig, m.point, &wall));
    cr_expect_not(poise_world_find_wall(m.own, NULL, m.point, &wall));
    cr_expect_not(poise_world_find_wall(m.own, m.rig, m.point, NULL));
    // the wall cannot carry a force that points away from it
    wall.friction = -1.0;
    cr_assert_eq(poise_point_set_force(m.tree, m.point, poise_vec3(-20.0, 0.0, 0.0)), POISE_OK);
    cr_assert_geq((int)poise_rig_update(m.rig, 0.01, NULL), 0);
    cr_expect_not(poise_world_find_wall(m.own, m.rig, m.point, &wall));
    cr_expect_eq(wall.friction, -1.0, "nothing is written");
    mechanism_close(&m);
}
