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
    PoiseChainReport reports[COUNT];
} Batch;

// Fills the batch with targets of the robot; every 50th is out of reach.
static void fill(const PoiseChain* chain, const Arm* arm, Batch* batch) {
    static ArmTarget targets[COUNT];
    (void)arm_read_targets(arm, "panda", targets, COUNT);
    for (int t = 0; t < COUNT; t++) {
        batch->targets[t] = targets[t].pose;
        if (t % 50 == 49) {
            batch->targets[t].p.x += 3.0;
        }
        WORKS(poise_chain_middle(chain, &batch->postures[t * arm->count]));
    }
}

static PoiseStatus run(const PoiseChain* chain, const PoiseChainSolveDef* def, Batch* batch,
                       int count) {
    const PoiseChainBatch out = {count, batch->targets, batch->postures, batch->reports};
    return poise_chain_solve_batch(chain, def, &out);
}

Test(chain_batch, meets_all_that_can_be_met_with_any_number_of_threads) {
    static Batch one;
    static Batch many;
    Arm arm;
    ARM_OR_SKIP(&arm, "panda");
    Model model = arm_model(&arm);
    for (int p = chain_next_path(-1); p < CHAIN_PATHS; p = chain_next_path(p)) {
        PoiseChain* chain = chain_of(&model, chain_paths[p]);
        PoiseChainSolveDef def = poise_default_chain_solve_def();
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
            def.threads = threads[i];
            fill(chain, &arm, &many);
            cr_expect(run(chain, &def, &many, COUNT) == POISE_NOT_CONVERGED);
            cr_expect_arr_eq(many.postures, one.postures,
                             (size_t)(COUNT * arm.count) * sizeof(double));
        }
        poise_chain_destroy(chain);
    }
    model_finish(&model);
}

Test(chain_batch, an_answer_does_not_depend_on_the_other_targets) {
    static Batch all;
    static Batch single;
    Arm arm;
    ARM_OR_SKIP(&arm, "panda");
    Model model = arm_model(&arm);
    PoiseChain* chain = chain_of(&model, POISE_CHAIN_AUTO);
    PoiseChainSolveDef def = poise_default_chain_solve_def();
    fill(chain, &arm, &all);
    (void)run(chain, &def, &all, COUNT);
    for (int t = 0; t < COUNT; t += 7) {
        single.targets[0] = all.targets[t];
        WORKS(poise_chain_middle(chain, single.postures));
        (void)run(chain, &def, &single, 1);
        cr_expect_arr_eq(single.postures, &all.postures[t * arm.count],
                         (size_t)arm.count * sizeof(double));
    }
    cr_expect(run(chain, &def, &single, 0) == POISE_OK);
    poise_chain_destroy(chain);
    model_finish(&model);
}

Test(chain_batch, solves_chains_of_every_kind_of_joint) {
    Random random = random_from(31);
    for (int c = 0; c < 12; c++) {
        Model model = chain_random_model(&random, 7, c % 2 == 1);
        PoiseChain* chain = chain_of(&model, POISE_CHAIN_AUTO);
        const int size = poise_chain_posture_size(chain);
        enum { HERE = 40 };
        PoisePose targets[HERE];
        double* postures = malloc((size_t)(HERE * size) * sizeof *postures);
        for (int t = 0; t < HERE; t++) {
            chain_draw(chain, &random, &postures[t * size]);
            targets[t] = poise_chain_forward(chain, &postures[t * size]);
            WORKS(poise_chain_middle(chain, &postures[t * size]));
        }
        PoiseChainBatch batch = {HERE, targets, postures, NULL};
        cr_expect(poise_chain_solve_batch(chain, NULL, &batch) == POISE_OK);
        for (int t = 0; t < HERE; t++) {
            double distance;
            double angle;
            chain_miss(chain, &postures[t * size], targets[t], &distance, &angle);
            cr_expect(distance <= 1e-9 && angle <= 1e-9, "%g m, %g rad off", distance, angle);
        }
        free(postures);
        poise_chain_destroy(chain);
        model_finish(&model);
    }
}

Test(chain_batch, reports_the_invalid_target_and_solves_none) {
    enum { FEW = 40, BAD = 17 };
    Model model = model_chain(POISE_NODE_BALL, 3, 1.0, POISE_POINT_POSE);
    PoiseChain* chain = chain_of(&model, POISE_CHAIN_AUTO);
    const int size = poise_chain_posture_size(chain);
    PoisePose targets[FEW];
    double postures[FEW * 12];
    double kept[FEW * 12];
    cr_assert_eq(size, 12);
    for (int row = 0; row < 5; row++) {
        for (int t = 0; t < FEW; t++) {
            targets[t] = poise_pose(poise_vec3(0.5, 0.4, 0.3), poise_quat_identity());
            WORKS(poise_chain_middle(chain, &postures[t * size]));
        }
        const PoiseChainBatch batch = {FEW, targets, postures, NULL};
        int index = -2;
        cr_expect_null(poise_chain_batch_problem(chain, &batch, &index));
        cr_expect_eq(index, -1);
        const char* const words[] = {"the target is not finite", "the target's rotation is 0",
                                     "the start is not finite", "a rotation of the start is 0",
                                     "the target is not finite"};
        switch (row) {
        case 0:
            targets[BAD].p.y = (double)NAN;
            break;
        case 1:
            targets[BAD].q = poise_quat(0.0, 0.0, 0.0, 0.0);
            break;
        case 2:
            postures[BAD * size + 5] = (double)INFINITY;
            break;
        case 3:
            postures[BAD * size + 4] = 0.0;
            break;
        default:
            // two invalid targets: the first is reported
            targets[BAD].q.w = (double)NAN;
            targets[BAD + 1].q = poise_quat(0.0, 0.0, 0.0, 0.0);
        }
        memcpy(kept, postures, sizeof kept);
        const char* problem = poise_chain_batch_problem(chain, &batch, &index);
        cr_assert_not_null(problem);
        cr_expect_str_eq(problem, words[row]);
        cr_expect_eq(index, BAD);
        cr_expect(poise_chain_solve_batch(chain, NULL, &batch) == POISE_ERROR_INVALID_ARGUMENT);
        cr_expect(memcmp(kept, postures, sizeof kept) == 0);
    }
    poise_chain_destroy(chain);
    model_finish(&model);
}
