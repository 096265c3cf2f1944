// SPDX-License-Identifier: MIT
// Checks that every compiler and build type gives the same bits, for any content of the memory.
#include <criterion/criterion.h>

#include "models.h"
#include "works.h"

enum { STEPS = 2000, MODELS = 4 };

// Makes one of a few models that together use every kind of node and point.
static Model make(int which) {
    Random random = random_from(77 + (uint64_t)which);
    if (which == 0) {
        return model_springhead(5, 1.0);
    }
    if (which == 1) {
        return model_chain(POISE_NODE_HINGE, 7, 0.3, POISE_POINT_POSE);
    }
    RandomTree kinds = {12, 4, true, true, true, true, true, POISE_BALL_THREE_AXES};
    kinds.ball_axes = which == 3 ? POISE_BALL_REDUCED : POISE_BALL_THREE_AXES;
    Model model = model_random(&random, &kinds);
    for (int n = 0; n < model.node_count; n++) {
        if (model_dof(&model, n) == 1) {
            double angle = poise_node_angle(model.tree, model.nodes[n]);
            WORKS(poise_node_set_limits(model.tree, model.nodes[n],
                                        poise_range(angle - 0.8, angle + 0.8)));
        }
    }
    return model;
}

// Moves the goals slowly along curves that are partly out of reach. Uses no libm, only + and *.
static void move_goals(Model* model, int step) {
    double x = (step % 400) / 200.0 - 1.0;
    double y = x * (1.0 - x * x);
    for (int p = 0; p < model->point_count; p++) {
        if (poise_point_kind(model->tree, model->points[p]) != POISE_POINT_ORIENTATION) {
            WORKS(poise_point_set_position(model->tree, model->points[p],
                                           poise_vec3(0.7 + 0.5 * x, 0.4 * y + 0.1 * p, 0.9 * x)));
        }
    }
}

static uint64_t run(int which, PoiseSolver solver) {
    Model model = make(which);
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    def.step = 0.01;
    def.joint_cap = 0.3;
    def.damping_floor = 0.05;
    for (int step = 0; step < STEPS; step++) {
        move_goals(&model, step);
        cr_assert(model_step(&model, &def, NULL) == POISE_OK);
    }
    uint64_t hash = model_hash(&model);
    model_finish(&model);
    return hash;
}

// hashes with Gauss-Seidel, then with DUAL
static const uint64_t golden[2][MODELS] = {
    {0x155ffb97d2616450, 0x63dafb36bdb1e952, 0x9351c73f72d3eb3a, 0xe7313f8090d12d9f},
    {0x57ca078a6f8e2cd6, 0xe0d13bfc197955dd, 0x1f79388c9364edd2, 0x523f982124dadc54}};

Test(golden, postures_after_2000_steps_are_the_recorded_ones) {
    for (int which = 0; which < MODELS; which++) {
        for (int s = 0; s < 2; s++) {
            PoiseSolver solver = s == 0 ? POISE_SOLVER_GAUSS_SEIDEL : POISE_SOLVER_DUAL;
            uint64_t hash = run(which, solver);
            cr_expect(hash == golden[s][which], "model %d, solver %d: 0x%016llx", which,
                      (int)solver, (unsigned long long)hash);
        }
    }
}
