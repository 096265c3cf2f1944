// SPDX-License-Identifier: MIT
// Tests tips whose rows join limbs: a hand in the frame of the other hand, a centre of mass.
// Oracle: the frames and masses of the tree.
#include <criterion/criterion.h>
#include <string.h>

#include "bodies.h"
#include "near.h"
#include "works.h"

enum { SETS = 200 };

/// A body whose tips join limbs.
typedef struct Joined {
    BodyModel body;
    PoiseBody* all;
} Joined;

static Joined joined_of(BodyKind kind, bool hand, bool mass) {
    Joined joined = {.body = body_model(kind)};
    body_join(&joined.body, hand, mass);
    joined.all = body_of(&joined.body);
    return joined;
}

static void finish(Joined* joined) {
    poise_body_destroy(joined->all);
    body_model_finish(&joined->body);
}

// Moves the tree to a random posture inside the ranges. The targets are the tips there.
static void draw(Joined* joined, Random* random, PoiseBodyTarget* targets) {
    body_draw(&joined->body, joined->all, random, 0.3, targets);
}

static double miss_of(Joined* joined, const double* posture, const PoiseBodyTarget* targets) {
    return body_miss(&joined->body, joined->all, posture, targets);
}

// Solves targets of random postures from the middle of the ranges. All are met to 1e-9 and inside
// the ranges, the first also without vectors, with the same bits.
static void solve_joined(BodyKind kind, bool hand, bool mass) {
    Joined joined = joined_of(kind, hand, mass);
    Random random = random_from(31);
    const int size = poise_body_posture_size(joined.all);
    int met = 0;
    for (int i = 0; i < SETS; i++) {
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE], plain[POISE_BODY_MOST_POSTURE];
        PoiseBodyReport report;
        draw(&joined, &random, targets);
        WORKS(poise_body_middle(joined.all, posture));
        memcpy(plain, posture, sizeof plain);
        met += poise_body_solve(joined.all, NULL, targets, posture, &report) == POISE_OK;
        const double miss = miss_of(&joined, posture, targets);
        cr_expect_leq(miss, 1e-9);
        cr_expect(body_is_inside(&joined.body, joined.all, posture));
        cr_expect_leq(fabs(fmax(report.error, report.angle_error) - miss), 1e-10);
        if (i < 5) {
            PoiseBodySolveDef def = poise_default_body_solve_def();
            def.path = POISE_BODY_PLAIN;
            WORKS(poise_body_solve(joined.all, &def, targets, plain, NULL));
            cr_expect_arr_eq(plain, posture, (size_t)size * sizeof plain[0]);
        }
    }
    cr_expect_eq(met, SETS, "%s%s%s: %d of %d met", body_kind_name(kind),
                 hand ? ", a hand in the other" : "", mass ? ", a centre of mass" : "", met, SETS);
    finish(&joined);
}

Test(body_joined, a_hand_in_the_other_and_a_centre_of_mass_are_met) {
    solve_joined(BODY_TWO_ARMS, true, false);
    solve_joined(BODY_TWO_ARMS, false, true);
    solve_joined(BODY_TWO_ARMS, true, true);
    solve_joined(BODY_HUMANOID, true, true);
    solve_joined(BODY_HUMANOID_FREE, true, true);
    solve_joined(BODY_QUADRUPED, false, true);
    solve_joined(BODY_BALLS, true, true);
}

// The elbows of two arms are coupled: the second bends by a fraction of the first.
Test(body_joined, coupled_joints_of_two_limbs_stay_coupled) {
    Joined joined = {.body = body_model(BODY_TWO_ARMS)};
    PoiseTree* tree = joined.body.model.tree;
    const PoiseNodeId* nodes = joined.body.model.nodes;
    Random random = random_from(36);
    WORKS(poise_node_couple(tree, nodes[13], nodes[6], 0.7, 0.2));
    joined.all = body_of(&joined.body);
    for (int i = 0; i < SETS; i++) {
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE];
        draw(&joined, &random, targets);
        WORKS(poise_body_middle(joined.all, posture));
        cr_expect_eq(poise_body_solve(joined.all, NULL, targets, posture, NULL), POISE_OK, "set %d",
                     i);
        double elbows[2] = {0.0, 0.0};
        for (int k = 0; k < poise_body_posture_size(joined.all); k++) {
            const PoiseNodeId node = poise_body_node(joined.all, k);
            elbows[0] = node.index1 == nodes[6].index1 ? posture[k] : elbows[0];
            elbows[1] = node.index1 == nodes[13].index1 ? posture[k] : elbows[1];
        }
        EXPECT_NEAR(elbows[1], 0.7 * elbows[0] + 0.2, 2e-12);
        cr_expect_leq(miss_of(&joined, posture, targets), 1e-9);
        cr_expect(body_is_inside(&joined.body, joined.all, posture));
    }
    finish(&joined);
}

Test(body_joined, a_centre_of_mass_out_of_reach_gets_the_nearest_posture) {
    Joined joined = joined_of(BODY_TWO_ARMS, false, true);
    Random random = random_from(35);
    for (int i = 0; i < 10; i++) {
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE];
        PoiseBodyReport report;
        PoiseBodySolveDef def = poise_default_body_solve_def();
        def.iterations = 100;
        draw(&joined, &random, targets);
        targets[2].pose.p.x += 3.0;
        WORKS(poise_body_middle(joined.all, posture));
        cr_expect_eq(poise_body_solve(joined.all, &def, targets, posture, &report),
                     POISE_NOT_CONVERGED);
        cr_expect(report.reason == POISE_REACH_AT_LIMITS ||
                      report.reason == POISE_REACH_UNREACHABLE,
                  "%s", poise_reach_reason_name(report.reason));
    }
    finish(&joined);
}
