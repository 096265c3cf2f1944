// SPDX-License-Identifier: MIT
// Solves batches of targets: the answers do not depend on the other targets, the order or the
// threads.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "near.h"
#include "works.h"

enum { COUNT = 500 };

typedef struct Batch {
    PoisePose targets[COUNT];
    double postures[COUNT * ARM_MOST];
    PoiseBodyReport reports[COUNT];
} Batch;

// Fills the batch with targets of the robot; every 50th is out of reach.
static void fill(Chain chain, const Arm* arm, Batch* batch) {
    static ArmTarget targets[COUNT];
    (void)arm_read_targets(arm, "panda", targets, COUNT);
    for (int t = 0; t < COUNT; t++) {
        batch->targets[t] = targets[t].pose;
        if (t % 50 == 49) {
            batch->targets[t].p.x += 3.0;
        }
        WORKS(poise_body_middle(chain.body, &batch->postures[t * arm->count]));
    }
}

static PoiseStatus run(Chain chain, const ChainSolveDef* def, Batch* batch, int count) {
    const ChainBatch out = {count, batch->targets, batch->postures, batch->reports};
    return chain_solve_batch(chain, def, &out);
}

Test(chain_batch, meets_all_that_can_be_met_with_any_number_of_threads) {
    static Batch one;
    static Batch many;
    Arm arm;
    ARM_OR_SKIP(&arm, "panda");
    Model model = arm_model(&arm);
    for (int p = 0; p < CHAIN_PATHS; p++) {
        Chain chain = chain_of(&model, chain_paths[p]);
        ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
        fill(chain, &arm, &one);
        cr_expect(run(chain, &def, &one, COUNT) == POISE_NOT_CONVERGED);
        for (int t = 0; t < COUNT; t++) {
            const bool reachable = t % 50 != 49;
            double distance;
            double angle;
            arm_miss(&arm, &one.postures[t * arm.count], one.targets[t], &distance, &angle);
            cr_expect_eq(one.reports[t].status, reachable ? POISE_OK : POISE_NOT_CONVERGED);
            cr_expect(!reachable || (distance <= 1e-9 && angle <= 1e-7), "target %d: %g m, %g rad",
                      t, distance, angle);
            EXPECT_NEAR(one.reports[t].error, distance, 1e-9);
            cr_expect(chain_is_inside(chain, &one.postures[t * arm.count], 0.0));
        }
        const int threads[] = {2, 3, 7, 64};
        for (int i = 0; i < 4; i++) {
            def.all.threads = threads[i];
            fill(chain, &arm, &many);
            cr_expect(run(chain, &def, &many, COUNT) == POISE_NOT_CONVERGED);
            cr_expect_arr_eq(many.postures, one.postures,
                             (size_t)(COUNT * arm.count) * sizeof(double));
        }
        chain_destroy(chain);
    }
    model_finish(&model);
}

Test(chain_batch, an_answer_does_not_depend_on_the_other_targets) {
    static Batch all;
    static Batch single;
    Arm arm;
    ARM_OR_SKIP(&arm, "panda");
    Model model = arm_model(&arm);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
    fill(chain, &arm, &all);
    (void)run(chain, &def, &all, COUNT);
    for (int t = 0; t < COUNT; t += 7) {
        single.targets[0] = all.targets[t];
        WORKS(poise_body_middle(chain.body, single.postures));
        (void)run(chain, &def, &single, 1);
        cr_expect_arr_eq(single.postures, &all.postures[t * arm.count],
                         (size_t)arm.count * sizeof(double));
    }
    cr_expect(run(chain, &def, &single, 0) == POISE_OK);
    chain_destroy(chain);
    model_finish(&model);
}

Test(chain_batch, solves_chains_of_every_kind_of_joint) {
    Random random = random_from(31);
    for (int c = 0; c < 12; c++) {
        Model model = chain_random_model(&random, 7, c % 2 == 1);
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        const int size = poise_body_posture_size(chain.body);
        enum { HERE = 40 };
        PoisePose targets[HERE];
        double* postures = malloc((size_t)(HERE * size) * sizeof *postures);
        for (int t = 0; t < HERE; t++) {
            chain_draw(chain, &random, &postures[t * size]);
            targets[t] = poise_body_forward(chain.body, &postures[t * size], 0);
            WORKS(poise_body_middle(chain.body, &postures[t * size]));
        }
        ChainBatch batch = {HERE, targets, postures, NULL};
        cr_expect(chain_solve_batch(chain, NULL, &batch) == POISE_OK);
        for (int t = 0; t < HERE; t++) {
            double distance;
            double angle;
            chain_miss(chain, &postures[t * size], targets[t], &distance, &angle);
            cr_expect(distance <= 1e-9 && angle <= 1e-9, "%g m, %g rad off", distance, angle);
        }
        free(postures);
        chain_destroy(chain);
        model_finish(&model);
    }
}
