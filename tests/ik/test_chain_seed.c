// SPDX-License-Identifier: MIT
// Where searches begin: the postures kept with a chain, and what they are good for.
#include <criterion/criterion.h>
#include <string.h>

#include "chains.h"

enum { ARMS = 6, TARGETS = 200, JOINTS = 6 };

// hinges whose axes neither meet nor are at right angles
static Arm crooked_arm(Random* random, double range) {
    Arm arm;
    memset(&arm, 0, sizeof arm);
    arm.count = JOINTS;
    for (int i = 0; i < arm.count; i++) {
        ArmJoint* joint = &arm.joints[i];
        const PoiseVec3 p = random_vec3(random, 0.3);
        const double roll = random_between(random, 0.8, 1.6);
        arm_origin(joint->origin, p, i % 2 == 0 ? roll : -roll, 0.0,
                   random_between(random, -1.0, 1.0));
        joint->axis[2] = 1.0;
        joint->lower = -range;
        joint->upper = range;
    }
    arm_origin(arm.tool, poise_vec3(0.0, 0.0, 0.1), 0.0, 0.0, 0.0);
    return arm;
}

static void draw_posture(const Arm* arm, Random* random, double* posture) {
    for (int i = 0; i < arm->count; i++) {
        posture[i] = random_between(random, arm->joints[i].lower, arm->joints[i].upper);
    }
}

Test(chain_seed, crooked_arms_take_few_iterations) {
    Random random = random_from(404);
    long iterations = 0;
    for (int a = 0; a < ARMS; a++) {
        const Arm arm = crooked_arm(&random, 2.6);
        Model model = arm_model(&arm);
        PoiseChain* chain = chain_of(&model, POISE_CHAIN_SCALAR);
        for (int t = 0; t < TARGETS; t++) {
            double posture[JOINTS];
            PoiseChainReport report;
            draw_posture(&arm, &random, posture);
            const PoisePose target = poise_chain_forward(chain, posture);
            cr_assert(poise_chain_middle(chain, posture) == POISE_OK);
            cr_expect(poise_chain_solve(chain, NULL, target, posture, &report) == POISE_OK,
                      "arm %d, target %d", a, t);
            cr_expect(chain_is_inside(chain, posture, 0.0));
            iterations += report.iterations;
        }
        poise_chain_destroy(chain);
        model_finish(&model);
    }
    // 38 with 512 seeds chosen by the distance of their tips and no start that leaves the ranges
    cr_expect_lt(iterations, 24L * ARMS * TARGETS, "%g iterations in the mean",
                 (double)iterations / (ARMS * TARGETS));
}

Test(chain_seed, any_number_of_seeds_will_do) {
    const int counts[] = {8, 64, 65, 1000, 65536};
    Random random = random_from(405);
    const Arm arm = crooked_arm(&random, 2.0);
    Model model = arm_model(&arm);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        PoiseChainDef def = poise_default_chain_def();
        def.tip = model.nodes[model.node_count - 1];
        def.seeds = counts[i];
        PoiseChain* chain = poise_chain_compile(model.tree, &def);
        cr_assert(chain);
        for (int t = 0; t < TARGETS; t++) {
            double posture[JOINTS];
            draw_posture(&arm, &random, posture);
            const PoisePose target = poise_chain_forward(chain, posture);
            cr_assert(poise_chain_middle(chain, posture) == POISE_OK);
            cr_expect(poise_chain_solve(chain, NULL, target, posture, NULL) == POISE_OK,
                      "%d seeds, target %d", counts[i], t);
        }
        poise_chain_destroy(chain);
    }
    model_finish(&model);
}
