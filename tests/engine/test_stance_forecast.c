// SPDX-License-Identifier: MIT
// What is foreseen of a figure that stands on its own feet. Oracle: where ODE comes to rest, as it
// is and with a small load more.
#include <criterion/criterion.h>
#include <math.h>

#include "figure.h"

static const double DT = 0.005;

static void run(Figure* f, double seconds) {
    for (int i = 0; i < (int)(seconds / DT + 0.5); i++) {
        figure_step(f, DT);
    }
}

static double uniform(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24);
}

// springs at random, with a natural posture that pulls, with or without the weight fed forward
static void shuffle(Figure* f, unsigned* seed) {
    for (int i = 0; i < FIGURE_JOINTS; i++) {
        const PoiseNodeId node = poise_tree_node(f->tree, 1 + i);
        PoiseJointReading joint;
        cr_assert_eq(poise_rig_read_joint(f->rig, node, &joint), POISE_OK);
        const double p = joint.spring.stiffness * (0.6 + 0.8 * uniform(seed));
        const double pull = 0.08 * p * uniform(seed);
        cr_assert_eq(poise_rig_set_ik(f->rig, node, (PoiseSpring){p, 0.05 * p}), POISE_OK);
        cr_assert_eq(poise_rig_set_original(f->rig, node, (PoiseSpring){pull, 0.05 * pull}),
                     POISE_OK);
    }
    cr_assert_eq(poise_rig_set_gravity(f->rig, uniform(seed) > 0.4), POISE_OK);
}

static PoiseVec3 settled_hand(Figure* f, PoiseVec3 load) {
    for (int i = 0; i < (int)(6.0 / DT); i++) {
        dBodyAddForceAtRelPos(f->hands[RIGHT], load.x, load.y, load.z, 0.0, 0.0, -0.04);
        figure_step(f, DT);
    }
    return figure_hand(f, RIGHT);
}

Test(stance_forecast, miss_and_compliance_are_those_that_it_settles_to) {
    unsigned seed = 11;
    for (int k = 0; k < 6; k++) {
        FigureDef def = figure_def();
        def.stiffness = 2500.0;
        Figure f;
        figure_open(&f, def);
        figure_step(&f, DT);
        shuffle(&f, &seed);
        const PoisePointId hand = f.hand_points[RIGHT];
        const PoiseVec3 goal = poise_vec3(0.3 + 0.2 * uniform(&seed), -0.1 - 0.2 * uniform(&seed),
                                          0.9 + 0.4 * uniform(&seed));
        cr_assert_eq(poise_point_set_position(f.tree, hand, goal), POISE_OK);
        const PoiseVec3 rest = settled_hand(&f, poise_vec3(0.0, 0.0, 0.0));
        const double miss = poise_length(poise_sub(rest, goal));
        PoiseForecast forecast;
        cr_assert_eq(poise_rig_forecast(f.rig, hand, &forecast), POISE_OK);
        cr_expect(forecast.rests && !forecast.falls && !forecast.floats && !forecast.loose);
        cr_expect_lt(fabs(forecast.miss - miss), 0.01 * miss, "%d: foreseen %g m, is %g", k,
                     forecast.miss, miss);
        for (int a = 0; a < 3; a++) {
            const PoiseVec3 load = poise_vec3(a == 0, a == 1, a == 2);
            const PoiseVec3 up = settled_hand(&f, load);
            const PoiseVec3 down = settled_hand(&f, poise_scale(-1.0, load));
            const PoiseVec3 is = poise_scale(0.5, poise_sub(up, down));
            const double* c = forecast.compliance;
            const PoiseVec3 foreseen = poise_vec3(c[a], c[3 + a], c[6 + a]);
            cr_expect_lt(poise_length(poise_sub(is, foreseen)), 0.01 * poise_length(is),
                         "%d: column %d: foreseen %g %g %g, is %g %g %g m/N", k, a, foreseen.x,
                         foreseen.y, foreseen.z, is.x, is.y, is.z);
        }
        figure_close(&f);
    }
}

// what the ground cannot carry has no rest, and the forecast says why
Test(stance_forecast, a_rest_that_the_ground_cannot_carry_is_none) {
    FigureDef def = figure_def();
    def.friction = 0.05;
    Figure f;
    figure_open(&f, def);
    run(&f, 1.0);
    PoiseForecast forecast;
    const PoisePointId hand = f.hand_points[RIGHT];
    cr_assert_eq(poise_point_set_force(f.tree, hand, poise_vec3(15.0, 0.0, 0.0)), POISE_OK);
    cr_expect_eq(poise_rig_forecast(f.rig, hand, &forecast), POISE_OK);
    cr_expect(forecast.rests && forecast.yields && !forecast.falls);
    cr_assert_eq(poise_point_set_force(f.tree, hand, poise_vec3(60.0, 0.0, 0.0)), POISE_OK);
    cr_expect_eq(poise_rig_forecast(f.rig, hand, &forecast), POISE_NOT_CONVERGED);
    cr_expect(forecast.falls && !forecast.rests);
    cr_expect_eq(poise_rig_predicted_miss(f.rig, hand, NULL, NULL), POISE_NOT_CONVERGED);
    // its feet taken away it floats, and the forecast says what it takes for granted
    cr_assert_eq(poise_rig_remove_stance(f.rig, f.foot_points[LEFT]), POISE_OK);
    cr_assert_eq(poise_rig_remove_stance(f.rig, f.foot_points[RIGHT]), POISE_OK);
    (void)poise_rig_forecast(f.rig, hand, &forecast);
    cr_expect(forecast.floats && !forecast.falls);
    figure_close(&f);
}

// a forecast changes nothing of the rig: the steps after it are the same to the last bit
Test(stance_forecast, foreseeing_changes_nothing) {
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        Figure f;
        figure_open(&f, figure_def());
        cr_assert_eq(poise_point_set_force(f.tree, f.hand_points[LEFT], poise_vec3(0.0, 0.0, -5.0)),
                     POISE_OK);
        for (int i = 0; i < 100; i++) {
            PoiseForecast forecast;
            if (k == 1 && i == 50) {
                (void)poise_rig_forecast(f.rig, f.hand_points[RIGHT], &forecast);
            }
            figure_step(&f, DT);
        }
        hash[k] = poise_state_hash(f.bodies, FIGURE_BODIES);
        figure_close(&f);
    }
    cr_expect_eq(hash[0], hash[1]);
}

// a trunk that lies on the ground, not known to: no weight is fed forward, the arm on it sags, and
// by as much as is foreseen for a base that stays
Test(stance_forecast, an_arm_on_a_trunk_that_only_lies_there_sags_as_foreseen) {
    PoiseWorldDef world_def = poise_default_world_def();
    PoiseWorld* world = poise_world_create(&world_def);
    cr_assert_not_null(poise_world_add_ground(world, 0.0));
    dSpaceID space = poise_world_add_group(world);
    const PoiseVec3 at[] = {{0.0, 0.0, 0.1}, {0.15, 0.0, 0.25}, {0.425, 0.0, 0.25}};
    const PoiseVec3 size[] = {{0.5, 0.3, 0.2}, {0.3, 0.09, 0.09}, {0.25, 0.08, 0.08}};
    const double mass[] = {30.0, 2.0, 1.8};
    dBodyID bodies[3];
    for (int i = 0; i < 3; i++) {
        dMass m;
        dMassSetBoxTotal(&m, mass[i], size[i].x, size[i].y, size[i].z);
        bodies[i] = dBodyCreate(poise_world_ode(world));
        dBodySetMass(bodies[i], &m);
        dBodySetPosition(bodies[i], at[i].x, at[i].y, at[i].z);
        if (i == 0) {
            dGeomSetBody(dCreateBox(space, size[i].x, size[i].y, size[i].z), bodies[i]);
        }
    }
    dJointID joints[2];
    for (int i = 0; i < 2; i++) {
        joints[i] = dJointCreateHinge(poise_world_ode(world), NULL);
        dJointAttach(joints[i], bodies[i + 1], bodies[i]);
        dJointSetHingeAnchor(joints[i], 0.3 * i, 0.0, 0.25);
        dJointSetHingeAxis(joints[i], 0.0, 1.0, 0.0);
    }
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.tree = tree;
    rig_def.world = poise_world_ode(world);
    PoiseRig* rig = poise_rig_create(&rig_def);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){0.0, 0.0};
    cr_assert_neq(poise_rig_add_base(rig, bodies[0], &like).index1, 0u);
    like.ik = (PoiseSpring){600.0, 30.0};
    cr_assert_eq(poise_rig_import(rig, bodies[0], &like), 2);
    PoisePointDef def = poise_default_position_def();
    def.link = poise_rig_node_of_body(rig, bodies[2]);
    def.in_link.p = poise_vec3(0.125, 0.0, 0.0);
    PoisePointId hand = poise_point_create(tree, &def);
    cr_assert_eq(poise_register_chain(tree, hand, poise_null_node()), POISE_OK);
    const PoiseVec3 goal = poise_vec3(0.45, 0.0, 0.45);
    cr_assert_eq(poise_point_set_position(tree, hand, goal), POISE_OK);
    for (int i = 0; i < 1200; i++) {
        cr_assert_eq(poise_rig_update(rig, DT, NULL), POISE_OK);
        cr_assert_eq(poise_world_step(world, DT), POISE_OK);
    }
    dVector3 p;
    dBodyGetRelPointPos(bodies[2], 0.125, 0.0, 0.0, p);
    const double sag = poise_length(poise_sub(goal, poise_vec3(p[0], p[1], p[2])));
    PoiseForecast forecast;
    cr_assert_eq(poise_rig_forecast(rig, hand, &forecast), POISE_OK);
    cr_expect(forecast.floats);
    cr_expect(sag > 0.002 && fabs(forecast.miss - sag) < 0.01 * sag, "foreseen %g m, sags by %g m",
              forecast.miss, sag);
    // told where the trunk lies, it holds the arm up
    PoisePointDef under = poise_default_pose_def();
    under.link = poise_rig_node_of_body(rig, bodies[0]);
    under.in_link.p = poise_vec3(0.0, 0.0, -0.1);
    PoiseStanceDef stance = poise_default_stance_def();
    stance.point = poise_point_create(tree, &under);
    stance.half_length = 0.25;
    stance.half_width = 0.15;
    cr_assert_eq(poise_register_chain(tree, stance.point, poise_null_node()), POISE_OK);
    cr_assert_eq(poise_rig_add_stance(rig, &stance), POISE_OK, "%s", poise_rig_message(rig));
    for (int i = 0; i < 1200; i++) {
        cr_assert_eq(poise_rig_update(rig, DT, NULL), POISE_OK);
        cr_assert_eq(poise_world_step(world, DT), POISE_OK);
    }
    dBodyGetRelPointPos(bodies[2], 0.125, 0.0, 0.0, p);
    const double left = poise_length(poise_sub(goal, poise_vec3(p[0], p[1], p[2])));
    cr_expect_lt(left, 2e-4, "%g m", left);
    poise_rig_destroy(rig);
    poise_tree_destroy(tree);
    poise_world_destroy(world);
}
