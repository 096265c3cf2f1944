// SPDX-License-Identifier: MIT
// Bad arguments of compiling and solving a chain.
#include "poise/chain.h"
#include "refuse.h"
#include "works.h"

// A row: the def gives no chain, and the tree has the status.
#define NO_CHAIN(expected, def)                                                                    \
    do {                                                                                           \
        Snapshot before_ = snapshot_of(bench->tree);                                               \
        cr_expect_null(poise_chain_compile(bench->tree, def), "%s gave a chain", #def);            \
        expect_refused(bench, &before_, expected, poise_tree_status(bench->tree), #def);           \
    } while (0)

#define NO_CHAIN_WITH(expected, member, value)                                                     \
    do {                                                                                           \
        PoiseChainDef def_ = poise_default_chain_def();                                            \
        def_.tip = bench->ball;                                                                    \
        def_.member = (value);                                                                     \
        NO_CHAIN(expected, &def_);                                                                 \
    } while (0)

BENCH_TEST(chain_refuses, defs) {
    cr_expect_null(poise_chain_compile(NULL, NULL));
    NO_CHAIN(POISE_ERROR_INVALID_ARGUMENT, NULL);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, cookie, 0);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_HANDLE, tip, poise_null_node());
    NO_CHAIN_WITH(POISE_ERROR_INVALID_HANDLE, tip, bench->dead_node);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_HANDLE, tip, bench->foreign_node);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_HANDLE, first, bench->dead_node);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_HANDLE, first, bench->foreign_node);
    NO_CHAIN_WITH(POISE_ERROR_CANNOT_MOVE, first, bench->twig);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, seeds, 7);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, seeds, -1);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, seeds, 65537);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, path, (PoiseChainPath)9);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, path, (PoiseChainPath)-1);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, in_link.p, bad_vec3(i));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, in_link.q, bad_quat(i));
    }
}

BENCH_TEST(chain_refuses, nodes_it_has_no_program_for) {
    MAY_FAIL(poise_node_set_enabled(bench->tree, bench->hinge, false));
    MAY_FAIL(poise_node_set_enabled(bench->tree, bench->slider, false));
    MAY_FAIL(poise_node_set_enabled(bench->tree, bench->ball, false));
    NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, seeds, 512);
    PoiseNodeDef def = poise_default_free_def();
    def.free_axes = POISE_AXIS_X | POISE_AXIS_TURN_Z;
    const PoiseNodeId some = poise_node_create(bench->tree, &def);
    NO_CHAIN_WITH(POISE_ERROR_INVALID_ARGUMENT, tip, some);
    // one degree of freedom too many: hinges, balls, and balls with a cone
    for (int kind = 0; kind < 3; kind++) {
        const int dof = kind == 0 ? 1 : 3;
        PoiseNodeDef node = kind == 0 ? poise_default_hinge_def() : poise_default_ball_def();
        PoiseChainDef too_long = poise_default_chain_def();
        for (int i = 0; i < POISE_CHAIN_MOST_DOF / dof + 1; i++) {
            too_long.tip = node.parent;
            node.parent = poise_node_create(bench->other, &node);
            if (kind == 2) {
                WORKS(poise_node_set_limits(bench->other, node.parent, poise_cone(0.5, -0.1, 0.1)));
            }
        }
        PoiseChain* longest = poise_chain_compile(bench->other, &too_long);
        cr_expect_eq(poise_chain_dof(longest), POISE_CHAIN_MOST_DOF / dof * dof, "kind %d", kind);
        poise_chain_destroy(longest);
        too_long.tip = node.parent;
        cr_expect_null(poise_chain_compile(bench->other, &too_long));
        cr_expect(strstr(poise_tree_message(bench->other), "65th"), "kind %d: %s", kind,
                  poise_tree_message(bench->other));
        poise_tree_clear_status(bench->other);
    }
}

// Compiles the chain of the bench's hinge, slider and ball.
static PoiseChain* compile(const Bench* bench) {
    PoiseChainDef def = poise_default_chain_def();
    def.tip = bench->ball;
    PoiseChain* chain = poise_chain_compile(bench->tree, &def);
    cr_assert(chain, "%s", poise_tree_message(bench->tree));
    return chain;
}

enum { NUMBERS = 6, HINGE_AT = 0, BALL_AT = 2 };
static const double good[NUMBERS] = {0.1, 0.2, 1.0, 0.0, 0.0, 0.0};

// Expects that solve, track and batch refuse one bad argument and leave posture and report
// unchanged.
static void expect_all_refuse(const PoiseChain* chain, const PoiseChainSolveDef* def,
                              PoisePose target, const double* start, const char* what) {
    double posture[NUMBERS];
    memcpy(posture, start, sizeof posture);
    PoiseChainReport report;
    memset(&report, 0x5a, sizeof report);
    const PoiseChainReport kept = report;
    const PoiseChainBatch batch = {1, &target, posture, &report};
    cr_expect_eq(poise_chain_solve(chain, def, target, posture, &report),
                 POISE_ERROR_INVALID_ARGUMENT, "solve took %s", what);
    cr_expect_eq(poise_chain_track(chain, def, target, posture, &report),
                 POISE_ERROR_INVALID_ARGUMENT, "track took %s", what);
    cr_expect_eq(poise_chain_solve_batch(chain, def, &batch), POISE_ERROR_INVALID_ARGUMENT,
                 "batch took %s", what);
    int index = 7;
    const char* problem = poise_chain_batch_problem(chain, &batch, &index);
    cr_expect(poise_chain_solve_def_problem(def) || problem, "nothing said of %s", what);
    cr_expect_eq(index, chain && problem ? 0 : -1, "%s", what);
    cr_expect_arr_eq(posture, start, sizeof posture);
    cr_expect_arr_eq(&report, &kept, sizeof report);
}

#define NO_SOLVE_WITH(member, value)                                                               \
    do {                                                                                           \
        PoiseChainSolveDef def_ = poise_default_chain_solve_def();                                 \
        def_.member = (value);                                                                     \
        expect_all_refuse(chain, &def_, poise_pose_identity(), good, #member " = " #value);        \
        const char* problem_ = poise_chain_solve_def_problem(&def_);                               \
        cr_expect(problem_&& strlen(problem_) > 10, "nothing said of " #member " = " #value);      \
    } while (0)

BENCH_TEST(chain_refuses, solves) {
    PoiseChain* chain = compile(bench);
    cr_expect_eq(poise_chain_posture_size(chain), NUMBERS);
    NO_SOLVE_WITH(cookie, 0);
    NO_SOLVE_WITH(goal, (PoiseChainGoal)3);
    NO_SOLVE_WITH(goal, (PoiseChainGoal)-1);
    NO_SOLVE_WITH(iterations, 0);
    NO_SOLVE_WITH(starts, 0);
    NO_SOLVE_WITH(answers, 0);
    NO_SOLVE_WITH(threads, 0);
    NO_SOLVE_WITH(threads, 257);
    NO_SOLVE_WITH(position_tolerance, 0.0);
    NO_SOLVE_WITH(position_tolerance, NOT_A_NUMBER);
    NO_SOLVE_WITH(angle_tolerance, -1.0);
    NO_SOLVE_WITH(angle_tolerance, NOT_A_NUMBER);
    const PoiseChainSolveDef def = poise_default_chain_solve_def();
    cr_expect_null(poise_chain_solve_def_problem(&def));
    cr_expect_not_null(poise_chain_solve_def_problem(NULL));
    const PoisePose here = poise_pose_identity();
    expect_all_refuse(NULL, &def, here, good, "no chain");
    for (int i = 0; i < BAD_NUMBERS; i++) {
        expect_all_refuse(chain, &def, poise_pose(bad_vec3(i), here.q), good, "a bad place");
        double start[NUMBERS];
        memcpy(start, good, sizeof start);
        start[HINGE_AT] = bad_numbers[i];
        expect_all_refuse(chain, &def, here, start, "a bad angle");
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        expect_all_refuse(chain, &def, poise_pose(here.p, bad_quat(i)), good, "a bad rotation");
    }
    const double far[NUMBERS] = {1e6, 0.2, 1.0, 0.0, 0.0, 0.0};
    expect_all_refuse(chain, &def, here, far, "an angle of 1e6 rad");
    const double flat[NUMBERS] = {0.1, 0.2, 0.0, 0.0, 0.0, 0.0};
    expect_all_refuse(chain, &def, here, flat, "a ball turned by 0");
    poise_chain_destroy(chain);
}

BENCH_TEST(chain_refuses, missing_arrays) {
    PoiseChain* chain = compile(bench);
    double posture[NUMBERS];
    memcpy(posture, good, sizeof posture);
    PoisePose target = poise_pose_identity();
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_solve(chain, NULL, target, NULL, NULL));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_track(chain, NULL, target, NULL, NULL));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_solve_batch(chain, NULL, NULL));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_follow_batch(chain, NULL, NULL));
    const PoiseChainBatch rows[] = {
        {-1, &target, posture, NULL}, {1, NULL, posture, NULL}, {1, &target, NULL, NULL}};
    for (int i = 0; i < 3; i++) {
        GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_solve_batch(chain, NULL, &rows[i]));
        GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_follow_batch(chain, NULL, &rows[i]));
        int index = 7;
        cr_expect_not_null(poise_chain_batch_problem(chain, &rows[i], &index));
        cr_expect_eq(index, -1);
    }
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_middle(NULL, posture));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_middle(chain, NULL));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_read(NULL, bench->tree, posture));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_read(chain, NULL, posture));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_read(chain, bench->tree, NULL));
    GIVES(POISE_ERROR_INVALID_HANDLE, poise_chain_read(chain, bench->other, posture));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_write(chain, NULL, posture));
    double jacobian[6 * NUMBERS];
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_jacobian(NULL, posture, jacobian));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_jacobian(chain, NULL, jacobian));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_chain_jacobian(chain, posture, NULL));
    cr_expect_arr_eq(posture, good, sizeof posture);
    poise_chain_destroy(chain);
}

BENCH_TEST(chain_refuses, postures_for_a_tree) {
    PoiseChain* chain = compile(bench);
    REFUSES(bench, POISE_ERROR_INVALID_ARGUMENT, poise_chain_write(NULL, bench->tree, good));
    REFUSES(bench, POISE_ERROR_INVALID_ARGUMENT, poise_chain_write(chain, bench->tree, NULL));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        double posture[NUMBERS];
        memcpy(posture, good, sizeof posture);
        posture[BALL_AT] = bad_numbers[i];
        REFUSES(bench, POISE_ERROR_INVALID_ARGUMENT,
                poise_chain_write(chain, bench->tree, posture));
    }
    MAY_FAIL(poise_node_destroy(bench->tree, bench->ball));
    REFUSES(bench, POISE_ERROR_INVALID_HANDLE, poise_chain_write(chain, bench->tree, good));
    poise_chain_destroy(chain);
}

Test(chain_refuses, getters_give_the_values_the_header_names) {
    cr_expect_eq(poise_chain_dof(NULL), 0);
    cr_expect_eq(poise_chain_posture_size(NULL), 0);
    cr_expect_eq(poise_chain_path(NULL, true), POISE_CHAIN_AUTO);
    cr_expect_eq(poise_chain_reach(NULL), 0.0);
    cr_expect_eq(poise_chain_node(NULL, 0).index1, 0u);
    cr_expect_eq(poise_chain_lower(NULL, 0), -HUGE_VAL);
    cr_expect_eq(poise_chain_upper(NULL, 0), HUGE_VAL);
    cr_expect_eq(poise_chain_forward(NULL, good).q.w, 1.0);
    cr_expect(!poise_chain_path_available((PoiseChainPath)7));
    cr_expect_str_eq(poise_chain_path_name((PoiseChainPath)7), "unknown path");
    cr_expect(poise_chain_path_available(POISE_CHAIN_SCALAR));
    poise_chain_destroy(NULL);
}
