// SPDX-License-Identifier: MIT
// Step 11 of the tutorial: a compiled chain, and a hundred thousand targets.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "poise/chain.h"

enum { JOINTS = 7, TARGETS = 100000 };

// an arm whose consecutive axes are perpendicular, as in many robots
static PoiseChain* make_chain(void) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef hinge = poise_default_hinge_def();
    hinge.lower = -2.8;
    hinge.upper = 2.8;
    for (int i = 0; i < JOINTS; i++) {
        hinge.joint_in_parent.p = poise_vec3(0, 0, i > 0 ? 0.2 : 0);
        hinge.axis = i % 2 == 0 ? poise_vec3(0, 0, 1) : poise_vec3(0, 1, 0);
        hinge.parent = poise_node_create(tree, &hinge);
    }
    PoiseChainDef def = poise_default_chain_def();
    def.tip = hinge.parent;
    def.in_link.p = poise_vec3(0, 0, 0.1);
    PoiseChain* chain = poise_chain_compile(tree, &def);
    poise_tree_destroy(tree); // the compiled chain does not need it
    return chain;
}

int main(void) {
    PoiseChain* chain = make_chain();
    PoisePose* targets = malloc(TARGETS * sizeof *targets);
    double* postures = malloc((size_t)TARGETS * JOINTS * sizeof *postures);
    if (!chain || !targets || !postures) {
        return 1;
    }
    // targets that the arm can reach: the poses of random postures
    srand(1);
    for (int t = 0; t < TARGETS; t++) {
        double posture[JOINTS];
        for (int i = 0; i < JOINTS; i++) {
            posture[i] = 2.6 * (2.0 * rand() / RAND_MAX - 1.0);
        }
        targets[t] = poise_chain_forward(chain, posture);
        poise_chain_middle(chain, &postures[JOINTS * t]); // the start of each search
    }
    PoiseChainSolveDef def = poise_default_chain_solve_def();
    def.threads = 2;
    PoiseChainBatch batch = {.count = TARGETS, .targets = targets, .postures = postures};
    clock_t begin = clock();
    PoiseStatus status = poise_chain_solve_batch(chain, &def, &batch);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%d poses, %s, in %.2f s of processor time\n", TARGETS,
           status == POISE_OK ? "every one met" : "some missed", seconds);
    poise_chain_destroy(chain);
    free(targets);
    free(postures);
    return status == POISE_OK ? 0 : 1;
}
