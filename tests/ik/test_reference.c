// SPDX-License-Identifier: MIT
// The reference posture: tracked without points, filling the null space with them (row 2.4).
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"

// row 2.4: with no point it is tracked exactly, by every kind of node
Test(reference, without_a_point_it_is_tracked) {
    for (uint64_t seed = 0; seed < 10; seed++) {
        Random random = random_from(900 + seed);
        RandomTree kinds = {8, 0, true, true, true, true, true, POISE_BALL_THREE_AXES};
        Model model = model_random_kinds(&random, &kinds);
        double wanted[8][POISE_MAX_POSTURE], now[POISE_MAX_POSTURE];
        for (int n = 0; n < 8; n++) {
            int count = poise_node_posture(model.tree, model.nodes[n], wanted[n]);
            cr_assert(poise_node_set_reference(model.tree, model.nodes[n], wanted[n], count) ==
                      POISE_OK);
        }
        model_scatter(&model, &random, 1.0);
        PoiseSolveDef def = poise_default_solve_def();
        def.posture_rate = 0.1;
        for (int step = 0; step < 10; step++) {
            cr_assert(model_step(&model, &def, NULL) == POISE_OK);
        }
        for (int n = 0; n < 8; n++) {
            int count = poise_node_posture(model.tree, model.nodes[n], now);
            double plus = 0.0, minus = 0.0;
            for (int i = 0; i < count; i++) {
                plus = fmax(plus, fabs(now[i] - wanted[n][i]));
                minus = fmax(minus, fabs(now[i] + wanted[n][i]));
            }
            // a rotation and its negative are one
            EXPECT_NEAR(count >= 4 ? fmin(plus, minus) : plus, 0.0, 1e-14);
        }
        model_finish(&model);
    }
}

// row 2.4: the point is met, and no motion that leaves it there comes nearer to the reference
Test(reference, fills_the_null_space_of_the_points) {
    for (int k = POISE_NODE_HINGE; k <= POISE_NODE_BALL; k += 2) {
        Model model = model_chain((PoiseNodeKind)k, 6, 0.4, POISE_POINT_POSITION);
        for (int n = 0; n < 6; n++) {
            PoiseQuat q = poise_quat_from_axis_angle(poise_vec3(0, 0, 1), 0.2 + 0.1 * n);
            const double angle = 0.2 + 0.1 * n;
            const double ball[4] = {q.w, q.x, q.y, q.z};
            cr_assert(poise_node_set_reference(model.tree, model.nodes[n],
                                               k == POISE_NODE_BALL ? ball : &angle,
                                               k == POISE_NODE_BALL ? 4 : 1) == POISE_OK);
        }
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.9, 1.1, 0.0)) == POISE_OK);
        PoiseSolveDef def = poise_default_solve_def();
        def.posture_rate = 0.2;
        for (int step = 0; step < 400; step++) {
            cr_assert(model_step(&model, &def, NULL) == POISE_OK);
        }
        EXPECT_NEAR(poise_point_error(model.tree, model.points[0]), 0.0, 1e-5);
        // at rest: what is left of the wish lies in the row space, so the step is 0
        cr_assert(poise_solve(model.tree, &def, NULL) == POISE_OK);
        for (int n = 0; n < 6; n++) {
            double omega[POISE_MAX_DOF] = {0.0};
            (void)poise_node_omega(model.tree, model.nodes[n], omega);
            EXPECT_NEAR(poise_length(poise_vec3(omega[0], omega[1], omega[2])), 0.0, 1e-6);
        }
        model_finish(&model);
    }
}

// rate 0, the default: the same bits with references as without
Test(reference, is_not_looked_at_by_default) {
    uint64_t hash[2];
    for (int with = 0; with < 2; with++) {
        Model model = model_chain(POISE_NODE_HINGE, 5, 0.4, POISE_POINT_POSITION);
        const double angle = 0.5;
        for (int n = 0; with && n < 5; n++) {
            cr_assert(poise_node_set_reference(model.tree, model.nodes[n], &angle, 1) == POISE_OK);
        }
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(0.9, 1.1, 0.0)) == POISE_OK);
        for (int step = 0; step < 30; step++) {
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        }
        hash[with] = model_hash(&model);
        model_finish(&model);
    }
    cr_expect(hash[0] == hash[1]);
}
