// SPDX-License-Identifier: MIT
// Saves and restores the state of a tree: the steps that follow are equal to the last bit.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "models.h"
#include "shared/saved.h"
#include "works.h"

enum { BEFORE = 150, AFTER = 1000, TREES = 12 };

// Takes steps with moving goals, so that damping, escape and clamps are all in use.
static void wander(Model* model, Random* random, const PoiseSolveDef* def) {
    for (int i = 0; i < model->point_count; i++) {
        PoisePointKind kind = poise_point_kind(model->tree, model->points[i]);
        if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE) {
            PoiseVec3 goal = poise_point_goal(model->tree, model->points[i]).p;
            PoiseVec3 by = random_vec3(random, 0.3);
            WORKS(poise_point_set_position(model->tree, model->points[i], poise_add(goal, by)));
        }
    }
    cr_assert_geq(model_step(model, def, NULL), POISE_OK);
}

static Model tree_number(int number) {
    Random random = random_from((uint64_t)number + 1);
    RandomTree def = {.nodes = 9,
                      .points = 3,
                      .hinges = true,
                      .sliders = true,
                      .balls = true,
                      .branched = true,
                      .weighted = true};
    def.ball_axes = number % 3 == 0 ? POISE_BALL_REDUCED : POISE_BALL_THREE_AXES;
    Model model = number % 2 == 0 ? model_random(&random, &def) : model_random_kinds(&random, &def);
    for (int i = 0; number % 4 == 1 && i < model.point_count; i++) {
        cr_assert_eq(poise_point_set_priority(model.tree, model.points[i], i), POISE_OK);
    }
    // Narrow ranges, since the state has the joints that a level held on their limits.
    for (int i = 0; number % 4 == 1 && i < model.node_count; i++) {
        const PoiseNodeKind kind = poise_node_kind(model.tree, model.nodes[i]);
        if (kind == POISE_NODE_HINGE || kind == POISE_NODE_SLIDER) {
            const double at = poise_node_angle(model.tree, model.nodes[i]);
            WORKS(poise_node_set_limits(model.tree, model.nodes[i],
                                        poise_range(at - 0.05, at + 0.05)));
        }
    }
    double posture[POISE_MAX_POSTURE];
    for (int i = 0; number % 4 == 2 && i < model.node_count; i++) {
        int count = poise_node_posture(model.tree, model.nodes[i], posture);
        cr_assert_eq(poise_node_set_reference(model.tree, model.nodes[i], posture, count),
                     POISE_OK);
    }
    return model;
}

static PoiseSolveDef solve_number(int number) {
    PoiseSolveDef def = poise_default_solve_def();
    def.step = 0.01;
    def.posture_rate = number % 4 == 2 ? 0.01 : 0.0;
    def.solver = number == 4 ? POISE_SOLVER_GAUSS_SEIDEL : POISE_SOLVER_AUTO;
    return def;
}

static void* save(const PoiseTree* tree, size_t* size) {
    *size = poise_tree_save_size(tree);
    // one byte off: any alignment is allowed
    char* memory = malloc(*size + 1);
    cr_assert_eq(poise_tree_save(tree, memory + 1, *size), POISE_OK);
    return memory;
}

// Restores the state after `before` steps into a twin tree; both take the same steps from there.
static void expect_same_way(int number, int before, int after) {
    Model model = tree_number(number);
    const PoiseSolveDef def = solve_number(number);
    Random random = random_from(5);
    for (int step = 0; step < before; step++) {
        wander(&model, &random, &def);
    }
    size_t size;
    char* memory = save(model.tree, &size);
    Model twin = tree_number(number);
    cr_assert_neq(model_hash(&model), model_hash(&twin), "it has moved");
    cr_assert_eq(poise_tree_restore(twin.tree, memory + 1, size), POISE_OK, "%s",
                 poise_tree_message(twin.tree));
    cr_expect_eq(model_hash(&model), model_hash(&twin));
    Random same = random;
    for (int step = 0; step < after; step++) {
        wander(&model, &random, &def);
        wander(&twin, &same, &def);
        cr_assert_eq(model_hash(&model), model_hash(&twin), "tree %d after %d: step %d", number,
                     before, step);
    }
    free(memory);
    model_finish(&twin);
    model_finish(&model);
}

Test(snapshot, a_twin_continues_bit_for_bit) {
    for (int number = 0; number < TREES; number++) {
        expect_same_way(number, BEFORE, AFTER);
        // Some of these end just before a step that reverses the last one.
        for (int before = 1; before < BEFORE; before += 5) {
            expect_same_way(number, before, 10);
        }
    }
}

Test(snapshot, restoring_in_the_same_tree_takes_no_memory) {
    TestHost host = {0};
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = test_host(&host);
    Model model = {.tree = poise_tree_create(&tree_def)};
    PoiseNodeDef node = poise_default_ball_def();
    for (int i = 0; i < 6; i++) {
        node.parent = model_add_node(&model, &node);
        node.joint_in_parent.p = poise_vec3(1.0, 0.0, 0.0);
    }
    PoisePointDef point = poise_default_pose_def();
    point.link = node.parent;
    cr_assert_eq(poise_forward(model.tree), POISE_OK);
    (void)model_add_point(&model, &point);
    const PoiseSolveDef def = solve_number(0);
    Random random = random_from(9);
    for (int step = 0; step < BEFORE; step++) {
        wander(&model, &random, &def);
    }
    size_t size;
    char* memory = save(model.tree, &size);
    const Random then = random;
    uint64_t way[BEFORE];
    for (int step = 0; step < BEFORE; step++) {
        wander(&model, &random, &def);
        way[step] = model_hash(&model);
    }
    const long allocations = host.allocations;
    for (int round = 0; round < 3; round++) {
        cr_assert_eq(poise_tree_restore(model.tree, memory + 1, size), POISE_OK);
        random = then;
        for (int step = 0; step < BEFORE; step++) {
            wander(&model, &random, &def);
            cr_assert_eq(model_hash(&model), way[step], "round %d, step %d", round, step);
        }
    }
    cr_expect_eq(host.allocations, allocations);
    free(memory);
    model_finish(&model);
    cr_expect_eq(host.live_blocks, 0);
}

Test(snapshot, nodes_and_points_made_since_are_gone_and_lost_ones_are_back) {
    Model model = model_chain(POISE_NODE_HINGE, 4, 1.0, POISE_POINT_POSITION);
    size_t size;
    char* memory = save(model.tree, &size);
    PoiseNodeDef def = poise_default_hinge_def();
    def.parent = model.nodes[3];
    PoiseNodeId since = poise_node_create(model.tree, &def);
    cr_assert_eq(poise_node_destroy(model.tree, model.nodes[2]), POISE_OK);
    cr_assert_not(poise_point_is_valid(model.tree, model.points[0]));
    uint64_t revision = poise_tree_revision(model.tree);
    cr_assert_eq(poise_tree_restore(model.tree, memory + 1, size), POISE_OK);
    cr_expect_not(poise_node_is_valid(model.tree, since));
    cr_expect_eq(poise_tree_node_count(model.tree), 4);
    cr_expect(poise_node_is_valid(model.tree, model.nodes[2]));
    cr_expect_eq(poise_point_nodes(model.tree, model.points[0], NULL, 0), 4);
    cr_expect_neq(poise_tree_revision(model.tree), revision);
    PoiseSolveDef solve = poise_default_solve_def();
    cr_expect_eq(model_step(&model, &solve, NULL), POISE_OK);
    free(memory);
    model_finish(&model);
}

Test(snapshot, an_empty_tree_takes_any_state_and_any_tree_an_empty_one) {
    Model model = tree_number(3);
    Model empty = model_empty(POISE_BALL_REDUCED);
    size_t size;
    char* nothing = save(empty.tree, &size);
    size_t full_size;
    char* full = save(model.tree, &full_size);
    cr_expect_eq(poise_tree_restore(empty.tree, full + 1, full_size), POISE_OK);
    cr_expect_eq(poise_tree_node_count(empty.tree), model.node_count);
    cr_expect_eq(poise_tree_restore(model.tree, nothing + 1, size), POISE_OK);
    cr_expect_eq(poise_tree_node_count(model.tree), 0);
    cr_expect_not(poise_node_is_valid(model.tree, model.nodes[0]));
    free(full);
    free(nothing);
    model_finish(&empty);
    model_finish(&model);
}

Test(snapshot, a_state_knows_the_nodes_that_it_has) {
    Model model = tree_number(1);
    size_t size;
    char* memory = save(model.tree, &size);
    const PoiseNodeId first = model.nodes[0], last = model.nodes[model.node_count - 1];
    const PoiseNodeKind kind = poise_node_kind(model.tree, last);
    PoiseNodeDef def = poise_default_hinge_def();
    def.parent = first;
    cr_assert_eq(poise_node_destroy(model.tree, last), POISE_OK);
    const PoiseNodeId later = poise_node_create(model.tree, &def);
    const PoiseNodeId beyond = poise_node_create(model.tree, &def);
    cr_assert_eq(later.index1, last.index1);
    cr_expect_eq(poise_node_saved_kind(memory + 1, size, first),
                 poise_node_kind(model.tree, first));
    cr_expect_eq(poise_node_saved_kind(memory + 1, size, last), kind);
    cr_expect_eq((int)poise_node_saved_kind(memory + 1, size, later), 0);
    cr_expect_eq((int)poise_node_saved_kind(memory + 1, size, beyond), 0);
    cr_expect_eq((int)poise_node_saved_kind(memory + 1, size, poise_null_node()), 0);
    free(memory);
    model_finish(&model);
}

static void expect_refused(PoiseTree* tree, const void* memory, size_t size, const char* word) {
    const uint64_t revision = poise_tree_revision(tree);
    const char* problem = poise_tree_restore_problem(tree, memory, size);
    cr_expect(problem && strstr(problem, word), "%s: %s", word, problem ? problem : "no problem");
    cr_expect_eq(poise_tree_restore(tree, memory, size), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_tree_revision(tree), revision, "nothing changed");
}

Test(snapshot, damaged_states_are_refused_and_change_nothing) {
    Model model = tree_number(1);
    size_t size;
    char* memory = save(model.tree, &size);
    char* state = memory + 1;
    cr_expect_null(poise_tree_restore_problem(model.tree, state, size));
    expect_refused(model.tree, NULL, size, "NULL");
    expect_refused(model.tree, state, 16, "too small");
    expect_refused(model.tree, state, size - 8, "damaged");
    for (size_t at = 0; at < size; at += 1 + size / 400) {
        state[at] ^= 4;
        expect_refused(model.tree, state, size, at < 8 ? "not filled" : "damaged");
        state[at] ^= 4;
    }
    Model other = model_empty(POISE_BALL_REDUCED);
    expect_refused(other.tree, state, size, "ball axes");
    cr_expect_eq(poise_tree_save(model.tree, state, size - 1), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_tree_save(model.tree, NULL, size), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_tree_save(NULL, state, size), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_tree_restore(NULL, state, size), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_tree_save_size(NULL), 0);
    free(memory);
    model_finish(&other);
    model_finish(&model);
}

Test(snapshot, short_memory_leaves_the_old_tree_usable) {
    Model model = tree_number(2);
    size_t size;
    char* memory = save(model.tree, &size);
    bool done = false;
    for (long failing = 1; !done && failing < 100; failing++) {
        TestHost host = {0};
        PoiseTreeDef def = poise_default_tree_def();
        def.host = test_host(&host);
        def.node_capacity = 1;
        def.point_capacity = 1;
        PoiseTree* tree = poise_tree_create(&def);
        PoiseNodeDef node = poise_default_hinge_def();
        PoiseNodeId only = poise_node_create(tree, &node);
        host.fail_in = failing;
        PoiseStatus status = poise_tree_restore(tree, memory + 1, size);
        host.fail_in = 0;
        done = status == POISE_OK;
        cr_expect(done || status == POISE_ERROR_OUT_OF_MEMORY);
        cr_expect(done || poise_node_is_valid(tree, only));
        cr_expect_eq(poise_forward(tree), POISE_OK);
        poise_tree_destroy(tree);
        cr_expect_eq(host.live_blocks, 0);
    }
    cr_expect(done);
    free(memory);
    model_finish(&model);
}

// A slot that a restored state has emptied keeps its list of nodes: found by tests/fuzz.
Test(snapshot, points_made_again_after_going_back_leak_nothing) {
    TestHost host = {0};
    PoiseTreeDef def = poise_default_tree_def();
    def.host = test_host(&host);
    PoiseTree* tree = poise_tree_create(&def);
    PoiseNodeDef hinge = poise_default_hinge_def();
    PoisePointDef place = poise_default_position_def();
    place.link = poise_node_create(tree, &hinge);
    size_t size;
    char* memory = save(tree, &size);
    for (int i = 0; i < 3; i++) {
        const PoisePointId point = poise_point_create(tree, &place);
        cr_assert_eq(poise_register(tree, point, place.link), POISE_OK);
        cr_assert_eq(poise_tree_restore(tree, memory + 1, size), POISE_OK);
        cr_expect_not(poise_point_is_valid(tree, point));
        PoiseTree* copy = poise_tree_clone(tree);
        cr_assert_not_null(copy);
        poise_tree_destroy(copy);
    }
    free(memory);
    poise_tree_destroy(tree);
    cr_expect_eq(host.live_blocks, 0, "%ld blocks leaked", host.live_blocks);
    cr_expect_eq(host.live_bytes, 0);
}

// ------------------------------------------------------------------------------------- the head

enum { SAVED_WORDS = 6, SAVED_BYTES = SAVED_WORDS * 8 };

static const size_t saved_sizes[] = {40, 72};

// Fills a state of 16 bytes after its header.
static void saved_state(uint64_t memory[SAVED_WORDS]) {
    for (int i = 0; i < SAVED_WORDS; i++) {
        memory[i] = 77u + (uint64_t)i;
    }
    const PoiseSavedHead head = poise_saved_head(5, 2, saved_sizes, 2);
    cr_assert(poise_saved_seal(&head, memory, SAVED_BYTES) == POISE_OK);
}

Test(snapshot, the_head_of_a_state_is_its_kind_size_and_fnv_sum) {
    uint64_t memory[SAVED_WORDS];
    saved_state(memory);
    cr_expect(memory[0] == 5 && memory[1] == SAVED_BYTES && memory[4] == 81 && memory[5] == 82);
    uint64_t sum = UINT64_C(14695981039346656037); // FNV-1a's published basis and prime
    for (int i = 3; i < SAVED_WORDS; i++) {
        sum = (sum ^ memory[i]) * UINT64_C(1099511628211);
    }
    cr_expect(memory[2] == sum);
}

Test(snapshot, a_state_of_another_kind_version_or_layout_is_refused_with_the_reason) {
    uint64_t memory[SAVED_WORDS];
    PoiseSavedHead found;
    saved_state(memory);
    const size_t others[] = {40, 80};
    const struct {
        PoiseSavedHead own;
        const char* why;
    } rows[] = {{poise_saved_head(5, 2, saved_sizes, 2), NULL},
                {poise_saved_head(6, 2, saved_sizes, 2), "of this kind"},
                {poise_saved_head(5, 3, saved_sizes, 2), "another build"},
                {poise_saved_head(5, 2, others, 2), "another build"},
                {poise_saved_head(5, 2, NULL, 0), "another build"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char* why = poise_saved_problem(&rows[i].own, memory, SAVED_BYTES, &found);
        cr_expect(rows[i].why ? why && strstr(why, rows[i].why) : !why, "row %zu: %s", i,
                  why ? why : "none");
    }
    cr_expect(found.size == SAVED_BYTES && found.version == 2);
}
