// SPDX-License-Identifier: MIT
// Loads states of a tree with one forged number and a corrected checksum. Each is refused, with
// nothing changed, or leaves a tree that can be used.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forge.h"
#include "models.h"
#include "sample.h"
#include "works.h"

typedef struct Saved {
    unsigned char* memory;
    size_t size;
} Saved;

static Saved save(const PoiseTree* tree) {
    Saved saved = {.size = poise_tree_save_size(tree)};
    saved.memory = malloc(saved.size);
    cr_assert_eq(poise_tree_save(tree, saved.memory, saved.size), POISE_OK);
    return saved;
}

// Adds a chain of three hinges, of which two follow the first, a point that has been followed, and
// the free slots of a destroyed node and point.
static void add_finger(Model* model) {
    PoiseNodeDef hinge = poise_default_hinge_def();
    PoiseNodeId finger[3];
    for (int i = 0; i < 3; i++) {
        finger[i] = hinge.parent = poise_node_create(model->tree, &hinge);
        cr_assert(i == 0 || poise_node_couple(model->tree, finger[i], finger[0], 0.5, 0.0) == 0);
    }
    PoisePointDef com = poise_default_com_def();
    PoisePointDef place = poise_default_position_def();
    com.link = finger[1];
    place.link = finger[2];
    const PoisePointId gone = poise_point_create(model->tree, &place);
    cr_assert_eq(poise_register_all(model->tree, poise_point_create(model->tree, &com)), POISE_OK);
    const PoisePointId tip = poise_point_create(model->tree, &place);
    cr_assert_eq(poise_register_all(model->tree, tip), POISE_OK);
    cr_assert_eq(poise_point_estimate_velocity(model->tree, tip, true), POISE_OK);
    cr_assert_eq(poise_node_destroy(model->tree, poise_node_create(model->tree, &hinge)), POISE_OK);
    cr_assert_eq(poise_point_destroy(model->tree, gone), POISE_OK);
}

// Makes nodes of all kinds, with limits and references, and points of all kinds in two levels.
static Model busy_tree(void) {
    Random random = random_from(3);
    const RandomTree def = {.nodes = 9,
                            .points = 5,
                            .hinges = true,
                            .sliders = true,
                            .balls = true,
                            .branched = true,
                            .weighted = true};
    Model model = model_random_kinds(&random, &def);
    // The first node that can follow another follows it.
    for (int i = 1; i < model.node_count; i++) {
        for (int k = 0; k < i; k++) {
            MAY_FAIL(poise_node_couple(model.tree, model.nodes[i], model.nodes[k], 0.5, 0.1));
        }
    }
    poise_tree_clear_status(model.tree);
    add_finger(&model);
    double posture[POISE_MAX_POSTURE];
    for (int i = 0; i < model.node_count; i += 2) {
        const int count = poise_node_posture(model.tree, model.nodes[i], posture);
        cr_assert_eq(poise_node_set_reference(model.tree, model.nodes[i], posture, count),
                     POISE_OK);
    }
    for (int i = 0; i < model.point_count; i++) {
        cr_assert_eq(poise_point_set_priority(model.tree, model.points[i], i % 2), POISE_OK);
    }
    PoiseSolveDef solve = poise_default_solve_def();
    solve.posture_rate = 0.01;
    for (int step = 0; step < 3; step++) {
        cr_assert_geq(model_step(&model, &solve, NULL), POISE_OK);
    }
    return model;
}

// Calls what a user may call. Only memory errors count; the numbers may have any value.
static void use(PoiseTree* tree) {
    PoiseSolveDef solve = poise_default_solve_def();
    solve.step = 0.01;
    solve.posture_rate = 0.01;
    double posture[POISE_MAX_POSTURE];
    for (int step = 0; step < 2; step++) {
        MAY_FAIL(poise_forward(tree));
        MAY_FAIL(poise_stage_jacobians(tree));
        MAY_FAIL(poise_solve(tree, &solve, NULL));
        MAY_FAIL(poise_advance(tree));
    }
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        MAY_FAIL(poise_node_posture(tree, poise_tree_node(tree, i), posture));
    }
    PoiseReachDef reach = poise_default_reach_def();
    reach.iterations = 4;
    MAY_FAIL(poise_reach(tree, &reach, NULL));
    Saved again = save(tree);
    free(again.memory);
}

// Adds a node and a point, then destroys the first node with its descendants.
static void change(PoiseTree* tree) {
    PoiseNodeDef node = poise_default_hinge_def();
    node.parent = poise_tree_node(tree, 0);
    PoisePointDef point = poise_default_position_def();
    point.link = poise_node_create(tree, &node);
    MAY_FAIL(poise_register_chain(tree, poise_point_create(tree, &point), poise_null_node()));
    MAY_FAIL(poise_node_destroy(tree, poise_tree_node(tree, 0)));
    use(tree);
}

typedef struct Trial {
    Model model;
    Saved good;
    Saved now; ///< state of the tree before a forged state is loaded
    unsigned char* forged;
    long refused;
    long taken;
} Trial;

static void try_forged(Trial* trial) {
    PoiseTree* tree = trial->model.tree;
    const Saved* good = &trial->good;
    const uint64_t start = forge_start(good->memory);
    forge_mend(trial->forged, good->size, &start, 1);
    if (poise_tree_restore(tree, trial->forged, good->size) == POISE_ERROR_INVALID_ARGUMENT) {
        trial->refused++;
        Saved same = save(tree);
        cr_assert(same.size == trial->now.size &&
                      memcmp(same.memory, trial->now.memory, same.size) == 0,
                  "a refused state has changed the tree");
        free(same.memory);
        return;
    }
    trial->taken++;
    use(tree);
    if (trial->taken % 8 == 0) {
        change(tree);
    }
    cr_assert_eq(poise_tree_restore(tree, good->memory, good->size), POISE_OK, "%s",
                 poise_tree_message(tree));
    free(trial->now.memory);
    trial->now = save(tree);
}

Test(forged, every_number_of_a_state_is_refused_or_harmless) {
    Trial trial = {.model = busy_tree()};
    trial.good = save(trial.model.tree);
    trial.now = save(trial.model.tree);
    trial.forged = malloc(trial.good.size);
    for (size_t at = 8; at < trial.good.size; at += 4) {
        for (int value = 0; value < sample_of(1, FORGE_VALUES); value++) {
            memcpy(trial.forged, trial.good.memory, trial.good.size);
            forge_put(trial.forged, trial.good.size, at, ((int)at / 4 + value) % FORGE_VALUES);
            try_forged(&trial);
        }
    }
    // Both cases occur: the checksums are right, and other numbers are checked too.
    cr_expect_gt(trial.refused, 300);
    cr_expect_gt(trial.taken, 1000);
    fprintf(stderr, "%ld refused, %ld taken of %zu bytes\n", trial.refused, trial.taken,
            trial.good.size);
    free(trial.forged);
    free(trial.now.memory);
    free(trial.good.memory);
    model_finish(&trial.model);
}
