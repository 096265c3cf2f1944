// SPDX-License-Identifier: MIT
// Step 11 of the tutorial: a compiled body, and a hundred thousand targets.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "poise/body.h"

enum { JOINTS = 7, TARGETS = 100000 };

// an arm whose consecutive axes are perpendicular, as in many robots
static PoiseBody* make_arm(void) {
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
    PoiseBodyTip tip = {.link = hinge.parent, .in_link = poise_pose_identity()};
    tip.in_link.p = poise_vec3(0, 0, 0.1);
    PoiseBodyDef def = poise_default_body_def();
    def.tips = &tip;
    def.tip_count = 1;
    PoiseBody* arm = poise_body_compile(tree, &def);
    poise_tree_destroy(tree); // the compiled body does not need it
    return arm;
}

int main(void) {
    PoiseBody* arm = make_arm();
    PoiseBodyTarget* targets = malloc(TARGETS * sizeof *targets);
    double* postures = malloc((size_t)TARGETS * JOINTS * sizeof *postures);
    if (!arm || !targets || !postures) {
        return 1;
    }
    // targets that the arm can reach: the poses of random postures
    srand(1);
    for (int t = 0; t < TARGETS; t++) {
        double posture[JOINTS];
        for (int i = 0; i < JOINTS; i++) {
            posture[i] = 2.6 * (2.0 * rand() / RAND_MAX - 1.0);
        }
        targets[t] = poise_default_body_target(poise_body_forward(arm, posture, 0));
        poise_body_middle(arm, &postures[JOINTS * t]); // the start of each search
    }
    PoiseBodySolveDef def = poise_default_body_solve_def();
    def.threads = 2;
    def.path = POISE_BODY_FUSED;
    PoiseBodyBatch batch = {.count = TARGETS, .targets = targets, .postures = postures};
    clock_t begin = clock();
    PoiseStatus status = poise_body_solve_batch(arm, &def, &batch);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%d poses, %s, in %.2f s of processor time\n", TARGETS,
           status == POISE_OK ? "every one met" : "some missed", seconds);
    poise_body_destroy(arm);
    free(targets);
    free(postures);
    return status == POISE_OK ? 0 : 1;
}
