// SPDX-License-Identifier: MIT
// Bad arguments of the solver, its stages and the forces.
#include "refuse.h"

static PoiseStatus solve_with(PoiseTree* tree, PoiseSolveDef def) {
    return poise_solve(tree, &def, NULL);
}

// A row of the table below: the default def with one wrong member.
#define NO_SOLVE(member, value)                                                                    \
    do {                                                                                           \
        PoiseSolveDef def = poise_default_solve_def();                                             \
        def.member = (value);                                                                      \
        Snapshot before_ = snapshot_of(bench->tree);                                               \
        PoiseStatus status_ = solve_with(bench->tree, def);                                        \
        expect_refused(bench, &before_, POISE_ERROR_INVALID_ARGUMENT, status_,                     \
                       #member " = " #value);                                                      \
    } while (0)

BENCH_TEST(solve_refuses, defs) {
    NO_SOLVE(cookie, 0);
    NO_SOLVE(solver, (PoiseSolver)99);
    NO_SOLVE(solver, (PoiseSolver)-1);
    NO_SOLVE(sweeps, 0);
    NO_SOLVE(sweeps, POISE_SWEEPS_MOST + 1);
    NO_SOLVE(damping, NOT_A_NUMBER);
    NO_SOLVE(damping, HUGE_VAL);
    NO_SOLVE(lambda, NOT_A_NUMBER);
    NO_SOLVE(lambda, HUGE_VAL);
    NO_SOLVE(lambda, -HUGE_VAL);
    NO_SOLVE(damping_floor, -0.1);
    NO_SOLVE(damping_floor, 2.1);
    NO_SOLVE(damping_floor, NOT_A_NUMBER);
    NO_SOLVE(position_clamp, 0.0);
    NO_SOLVE(position_clamp, -1.0);
    NO_SOLVE(position_clamp, NOT_A_NUMBER);
    NO_SOLVE(angle_clamp, 0.0);
    NO_SOLVE(angle_clamp, -1.0);
    NO_SOLVE(angle_clamp, NOT_A_NUMBER);
    NO_SOLVE(joint_cap, 0.0);
    NO_SOLVE(least_motion, -0.1);
    NO_SOLVE(least_motion, HUGE_VAL);
    NO_SOLVE(least_motion, NOT_A_NUMBER);
    NO_SOLVE(joint_cap, -1.0);
    NO_SOLVE(joint_cap, NOT_A_NUMBER);
    NO_SOLVE(step, -0.01);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_SOLVE(step, bad_numbers[i]);
    }
}

BENCH_TEST(solve_refuses, stale_frames) {
    GIVES(POISE_OK, poise_node_set_angle(bench->tree, bench->hinge, 0.25));
    REFUSES(bench, POISE_ERROR_STALE, poise_solve(bench->tree, NULL, NULL));
    REFUSES(bench, POISE_ERROR_STALE, poise_stage_jacobians(bench->tree));
    // the frames stay stale if one of four nodes is measured
    PoisePose here = poise_pose_identity();
    GIVES(POISE_OK, poise_node_measure(bench->tree, bench->hinge, here, here));
    REFUSES(bench, POISE_ERROR_STALE, poise_solve(bench->tree, NULL, NULL));
}

Test(solve_refuses, null_tree) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    double residual = 7.0;
    PoiseSolveReport report;
    GIVES(expected, poise_solve(NULL, NULL, &report));
    GIVES(expected, poise_stage_jacobians(NULL));
    GIVES(expected, poise_stage_blocks(NULL));
    GIVES(expected, poise_stage_sweep(NULL, 0.0, &residual));
    GIVES(expected, poise_forces(NULL));
    GIVES(expected, poise_gravity(NULL, poise_vec3(0.0, 0.0, -9.81)));
    cr_expect_eq(residual, 7.0);
}

// The getters return nothing for a point that is not valid.
BENCH_TEST(solve_refuses, states_of_no_point) {
    const PoisePointId bad[] = {poise_null_point(), bench->dead_point, bench->foreign_point};
    PoiseNodeId node = bench->hinge;
    GIVES(POISE_OK, poise_forward(bench->tree));
    GIVES(POISE_OK, poise_solve(bench->tree, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        cr_expect(poise_point_state(bench->tree, bad[i]) == POISE_POINT_IDLE);
        cr_expect(poise_point_limited_by(bench->tree, bad[i], &node, 1) == 0);
    }
    cr_expect(poise_point_state(NULL, bench->place) == POISE_POINT_IDLE);
    cr_expect(poise_point_limited_by(NULL, bench->place, &node, 1) == 0);
    cr_expect(node.index1 == bench->hinge.index1);
    cr_expect_str_eq(poise_point_state_name((PoisePointState)77), "unknown");
    cr_expect_str_eq(poise_point_state_name(POISE_POINT_AT_LIMITS), "at limits");
}

BENCH_TEST(solve_refuses, stages_out_of_order) {
    cr_expect_lt((int)poise_stage_blocks(bench->tree), 0, "blocks without Jacobians");
    cr_expect_lt((int)poise_stage_sweep(bench->tree, 0.0, NULL), 0, "a sweep without blocks");
    GIVES(POISE_OK, poise_stage_jacobians(bench->tree));
    cr_expect_lt((int)poise_stage_sweep(bench->tree, 0.0, NULL), 0, "a sweep without blocks");
}

BENCH_TEST(solve_refuses, numbers) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    GIVES(POISE_OK, poise_stage_jacobians(bench->tree));
    GIVES(POISE_OK, poise_stage_blocks(bench->tree));
    REFUSES(bench, expected, poise_stage_sweep(bench->tree, -1.0, NULL));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        REFUSES(bench, expected, poise_stage_sweep(bench->tree, bad_numbers[i], NULL));
        REFUSES(bench, expected, poise_gravity(bench->tree, bad_vec3(i)));
    }
}
