// SPDX-License-Identifier: MIT
// A body of one limb is its chain: solves, steps, batches, answers of closed forms and targets out
// of reach have the chain's results.
#include <criterion/criterion.h>
#include <string.h>

#include "bodies.h"
#include "chains.h"
#include "near.h"
#include "works.h"

enum { TARGETS = 60 };

/// An arm as a chain and as a body, from the same seeds.
typedef struct Pair {
    Model model;
    PoiseChain* chain;
    PoiseBody* body;
    int size;
    double starts[TARGETS * ARM_MOST];
    PoiseBodyTarget targets[TARGETS];
} Pair;

// Makes the pair of an arm. Every fifth target is far away, and every fifth one just out of reach.
static Pair pair_of(const Arm* arm, PoiseChainPath path) {
    Pair pair = {.model = arm_model(arm)};
    const PoiseNodeId tip = pair.model.nodes[pair.model.node_count - 1];
    WORKS(poise_forward(pair.model.tree));
    const PoisePose in_link =
        poise_pose_mul(poise_pose_inverse(poise_node_link_world(pair.model.tree, tip)),
                       poise_point_planned_pose(pair.model.tree, pair.model.points[0]));
    const PoiseBodyTip body_tip = {.link = tip, .in_link = in_link};
    PoiseBodyDef body_def = poise_default_body_def();
    Random random = random_from(31);
    body_def.tips = &body_tip;
    body_def.tip_count = 1;
    body_def.seeds = poise_default_chain_def().seeds;
    pair.chain = chain_of(&pair.model, path);
    pair.body = poise_body_compile(pair.model.tree, &body_def);
    cr_assert_not_null(pair.body, "%s", poise_tree_message(pair.model.tree));
    pair.size = poise_body_posture_size(pair.body);
    for (int t = 0; t < TARGETS; t++) {
        double posture[ARM_MOST];
        chain_draw(pair.chain, &random, posture);
        PoisePose target = poise_chain_forward(pair.chain, posture);
        target.p = poise_scale(t % 5 == 3 ? 20.0 : t % 5 == 4 ? 1.5 : 1.0, target.p);
        pair.targets[t] = poise_default_body_target(target);
        WORKS(poise_chain_middle(pair.chain, &pair.starts[t * pair.size]));
    }
    return pair;
}

static void finish(Pair* pair) {
    poise_chain_destroy(pair->chain);
    poise_body_destroy(pair->body);
    model_finish(&pair->model);
}

static void expect_like_chain(const Pair* pair, int t, const PoiseBodySolveDef* def, bool track) {
    const size_t bytes = (size_t)pair->size * sizeof(double);
    const PoisePose target = pair->targets[t].pose;
    double own[ARM_MOST], other[ARM_MOST];
    PoiseBodyReport report;
    PoiseChainReport expected;
    memcpy(own, &pair->starts[t * pair->size], bytes);
    memcpy(other, own, bytes);
    if (track) {
        MAY_FAIL(poise_body_track(pair->body, def, &pair->targets[t], own, &report));
        MAY_FAIL(poise_chain_track(pair->chain, NULL, target, other, &expected));
    } else {
        MAY_FAIL(poise_body_solve(pair->body, def, &pair->targets[t], own, &report));
        MAY_FAIL(poise_chain_solve(pair->chain, NULL, target, other, &expected));
    }
    for (int i = 0; i < pair->size; i++) {
        EXPECT_NEAR(own[i], other[i], 1e-7);
    }
    EXPECT_NEAR(report.error, expected.error, 1e-9);
    EXPECT_NEAR(report.angle_error, expected.angle_error, 1e-9);
    EXPECT_NEAR(report.beyond, expected.beyond, 1e-9);
    cr_expect_eq(report.reason, expected.reason, "%d: %s, chain %s", t,
                 poise_reach_reason_name(report.reason), poise_reach_reason_name(expected.reason));
    cr_expect_eq(report.limit >= 0, report.reason == POISE_REACH_AT_LIMITS);
    if (report.limit >= 0) {
        const double q = own[report.limit];
        cr_expect(q == poise_body_lower(pair->body, report.limit) ||
                  q == poise_body_upper(pair->body, report.limit));
    }
}

Test(body_limb, solves_and_steps_are_those_of_the_chain) {
    static const char* const names[] = {"panda", "ur5", "ball5"};
    SKIP_WITHOUT_PATH(POISE_CHAIN_AVX2);
    for (int a = 0; a < 3; a++) {
        Arm arm;
        ARM_OR_SKIP(&arm, names[a]);
        Pair pair = pair_of(&arm, POISE_CHAIN_AVX2);
        PoiseBodySolveDef def = poise_default_body_solve_def();
        def.path = POISE_CHAIN_AVX2;
        for (int t = 0; t < TARGETS; t++) {
            expect_like_chain(&pair, t, &def, false);
            expect_like_chain(&pair, t, &def, true);
        }
        finish(&pair);
    }
}

// Solves all targets one by one, then as a batch, into two arrays.
static void solve_all(const Pair* pair, const PoiseBodySolveDef* def, double* singles,
                      double* batch) {
    PoiseBodyReport reports[TARGETS];
    memcpy(singles, pair->starts, sizeof pair->starts);
    memcpy(batch, pair->starts, sizeof pair->starts);
    const PoiseBodyBatch all = {TARGETS, pair->targets, batch, reports};
    cr_expect_eq(poise_body_solve_batch(pair->body, def, &all), POISE_NOT_CONVERGED);
    for (int t = 0; t < TARGETS; t++) {
        PoiseBodyReport report;
        MAY_FAIL(poise_body_solve(pair->body, def, &pair->targets[t], &singles[t * pair->size],
                                  &report));
        // the lanes of a batch can end at another of two nearest postures
        cr_expect_eq(reports[t].status, report.status);
        cr_expect_eq(reports[t].limit >= 0, reports[t].reason == POISE_REACH_AT_LIMITS);
        EXPECT_NEAR(reports[t].beyond, report.beyond, 1e-12);
        cr_expect(t % 5 > 2 || report.reason == POISE_REACH_MET);
    }
}

Test(body_limb, answers_have_the_same_bits_without_vectors_and_on_any_number_of_threads) {
    static double singles[2][TARGETS * ARM_MOST], batches[2][TARGETS * ARM_MOST];
    static const char* const names[] = {"panda", "ur5"};
    for (int a = 0; a < 2; a++) {
        Arm arm;
        ARM_OR_SKIP(&arm, names[a]);
        Pair pair = pair_of(&arm, POISE_CHAIN_SCALAR);
        PoiseBodySolveDef def = poise_default_body_solve_def();
        solve_all(&pair, &def, singles[0], batches[0]);
        def.path = POISE_CHAIN_SCALAR;
        def.threads = 3;
        solve_all(&pair, &def, singles[1], batches[1]);
        cr_expect_arr_eq(singles[0], singles[1], sizeof singles[0]);
        cr_expect_arr_eq(batches[0], batches[1], sizeof batches[0]);
        finish(&pair);
    }
}

Test(body_limb, a_closed_form_lists_all_its_answers) {
    enum { MOST = 16 };
    Arm arm;
    ARM_OR_SKIP(&arm, "ur5");
    Pair pair = pair_of(&arm, POISE_CHAIN_SCALAR);
    int most = 0;
    cr_assert(poise_chain_closed(pair.chain));
    for (int t = 0; t < TARGETS; t++) {
        double own[MOST * ARM_MOST], other[MOST * ARM_MOST];
        PoiseBodyAnswers answers = {.capacity = MOST, .postures = own};
        PoiseChainAnswers expected = {.capacity = MOST, .postures = other};
        const double* start = &pair.starts[t * pair.size];
        MAY_FAIL(poise_body_answers(pair.body, NULL, &pair.targets[t], start, &answers));
        MAY_FAIL(poise_chain_answers(pair.chain, NULL, pair.targets[t].pose, start, &expected));
        cr_assert_eq(answers.count, expected.count, "%d: %d, chain %d", t, answers.count,
                     expected.count);
        for (int i = 0; i < answers.count * pair.size; i++) {
            EXPECT_NEAR(own[i], other[i], 1e-9);
        }
        most = answers.count > most ? answers.count : most;
    }
    cr_expect_eq(most, 8);
    finish(&pair);
}

// A row of another weight makes the search that of a body.
Test(body_limb, a_weighted_row_is_met_too) {
    Arm arm;
    ARM_OR_SKIP(&arm, "panda");
    Pair pair = pair_of(&arm, POISE_CHAIN_SCALAR);
    for (int t = 0; t < 3; t++) {
        PoiseBodyReport report;
        pair.targets[t].weights[t] = 0.0;
        cr_expect_eq(poise_body_solve(pair.body, NULL, &pair.targets[t],
                                      &pair.starts[t * pair.size], &report),
                     POISE_OK);
        cr_expect(report.error <= 5e-10 && report.angle_error <= 5e-10);
    }
    finish(&pair);
}
