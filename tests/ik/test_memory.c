// SPDX-License-Identifier: MIT
// All memory comes from the host. For every kind of node and point with cones, references, frames
// and levels of priority: after any failed request the tree is usable and nothing leaks; steps and
// reaches allocate none.
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "models.h"
#include "poise/apart.h"
#include "poise/body.h"
#include "poise/task.h"
#include "works.h"

enum { NODES = 12, POINTS = 8 };

typedef struct Setup {
    PoiseTree* tree;
    PoiseNodeId nodes[NODES];
    PoisePointId points[POINTS];
    bool follows; ///< reaches follow: no other postures
} Setup;

static PoiseNodeDef node_def(int i) {
    PoiseNodeDef (*const defs[])(void) = {
        poise_default_free_def,  poise_default_ball_def,   poise_default_universal_def,
        poise_default_hinge_def, poise_default_slider_def, poise_default_translation_def};
    PoiseNodeDef def = defs[i % 6]();
    def.joint_in_parent.p = poise_vec3(0.3, 0.1, 0.05 * i);
    def.lower = def.lower2 = -1.0;
    def.upper = def.upper2 = 1.0;
    def.swing_limit = 0.8;
    def.twist_lower = -0.3;
    def.twist_upper = 0.4;
    def.mass = 1.0;
    def.max_speed = 20.0;
    return def;
}

static bool build_with(Setup* setup, const PoiseHost* host) {
    PoiseTreeDef def = poise_default_tree_def();
    def.host = *host;
    def.node_capacity = 2;
    def.point_capacity = 1;
    PoiseTree* tree = setup->tree = poise_tree_create(&def);
    if (!tree) {
        return false;
    }
    for (int i = 0; i < NODES; i++) {
        PoiseNodeDef node = node_def(i);
        // two branches on the third node
        node.parent = i == 0 ? poise_null_node() : i == 7 ? setup->nodes[2] : setup->nodes[i - 1];
        setup->nodes[i] = poise_node_create(tree, &node);
        double posture[POISE_MAX_POSTURE];
        const int count = poise_node_posture(tree, setup->nodes[i], posture);
        MAY_FAIL(poise_node_set_reference(tree, setup->nodes[i], posture, count));
    }
    for (int i = 0; i < POINTS; i++) {
        PoisePointDef point = model_point_def((PoisePointKind)(1 + i % 6));
        point.link = setup->nodes[i % 2 == 0 ? 6 : 11];
        point.frame = i == 6 ? setup->nodes[11] : poise_null_node();
        point.priority = i % 5; // as many levels as any later change of the sets makes
        point.in_link.p = poise_vec3(0.0, 0.2, 0.1 * i);
        setup->points[i] = poise_point_create(tree, &point);
        // registers one node alone, then all
        MAY_FAIL(poise_register(tree, setup->points[i], point.link));
        MAY_FAIL(poise_register_all(tree, setup->points[i]));
    }
    MAY_FAIL(poise_node_couple(tree, setup->nodes[9], setup->nodes[3], 0.5, 0.1));
    return poise_tree_status(tree) == POISE_OK;
}

static bool build(Setup* setup, TestHost* host) {
    const PoiseHost hooks = test_host(host);
    return build_with(setup, &hooks);
}

// Makes the stages of the paper's solver, and the torques of loads and weight.
static bool run_stages(PoiseTree* tree) {
    return poise_forward(tree) == POISE_OK && poise_stage_jacobians(tree) == POISE_OK &&
           poise_stage_blocks(tree) == POISE_OK &&
           poise_stage_sweep(tree, 1e-3, NULL) == POISE_OK && poise_forces(tree) == POISE_OK &&
           poise_gravity(tree, poise_vec3(0.0, 0.0, -9.8)) == POISE_OK;
}

static bool solve_all(PoiseTree* tree) {
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        PoiseSolveDef def = poise_default_solve_def();
        def.solver = (PoiseSolver)solver;
        def.step = 0.01;
        def.posture_rate = 0.1;
        if (poise_forward(tree) != POISE_OK || poise_solve(tree, &def, NULL) != POISE_OK ||
            poise_advance(tree) != POISE_OK) {
            return false;
        }
    }
    return true;
}

static bool run(const Setup* setup) {
    PoiseTree* tree = setup->tree;
    PoiseReachDef reach = poise_default_reach_def();
    reach.iterations = 10;
    reach.starts = setup->follows ? 1 : 3;
    reach.other_postures = !setup->follows;
    double x[64] = {0.0};
    int numbers = 0;
    if (poise_point_set_position(tree, setup->points[0], poise_vec3(0.5, 0.4, 0.3)) != POISE_OK ||
        !solve_all(tree) || poise_reach(tree, &reach, NULL) < POISE_OK) {
        return false;
    }
    for (int n = 0; n < NODES; n++) {
        double omega[POISE_MAX_DOF];
        const int count = poise_node_omega(tree, setup->nodes[n], omega);
        numbers += poise_node_dof(tree, setup->nodes[n]) > 0 ? count : 0;
    }
    return poise_null_space_project(tree, x, numbers, x) == POISE_OK &&
           poise_manipulability(tree, setup->points[2]) >= 0.0 &&
           poise_tree_status(tree) == POISE_OK;
}

// Checks that after a failed request the tree can be stepped, reached with and extended.
static void expect_usable(PoiseTree* tree) {
    PoiseReachDef reach = poise_default_reach_def();
    reach.iterations = 3;
    PoiseNodeDef node = poise_default_universal_def();
    PoisePointDef point = poise_default_look_at_def();
    poise_tree_clear_status(tree);
    cr_expect(solve_all(tree), "%s", poise_tree_message(tree));
    cr_expect(poise_reach(tree, &reach, NULL) >= POISE_OK, "%s", poise_tree_message(tree));
    point.link = poise_node_create(tree, &node);
    const PoisePointId made = poise_point_create(tree, &point);
    cr_expect(poise_register_all(tree, made) == POISE_OK);
    cr_expect(solve_all(tree), "%s", poise_tree_message(tree));
}

Test(memory, every_request_may_fail) {
    int failures = 0;
    for (long n = 1;; n++) {
        TestHost host = {0};
        host.fail_in = n;
        Setup setup = {0};
        const bool good = build(&setup, &host) && run_stages(setup.tree) && run(&setup);
        if (good && host.fail_in > 0) {
            poise_tree_destroy(setup.tree);
            break; // all requests were allowed
        }
        cr_assert_not(good, "request %ld failed and nobody noticed", n);
        failures++;
        if (setup.tree) {
            cr_expect(poise_tree_status(setup.tree) == POISE_ERROR_OUT_OF_MEMORY, "request %ld: %s",
                      n, poise_tree_message(setup.tree));
            expect_usable(setup.tree);
        }
        poise_tree_destroy(setup.tree);
        cr_expect(host.live_blocks == 0 && host.live_bytes == 0, "request %ld: %ld bytes leak", n,
                  host.live_bytes);
    }
    cr_expect(failures > 20, "only %d requests", failures);
    cr_log_info("%d requests", failures);
}

Test(memory, steps_and_reaches_allocate_nothing) {
    TestHost host = {0};
    Setup setup = {0};
    cr_assert(build(&setup, &host) && run(&setup));
    host.allocations = 0;
    // other postures come from a compiled body, which is made when the sets change
    setup.follows = true;
    for (int i = 0; i < 200; i++) {
        const double x = (i % 40) / 40.0;
        cr_assert(poise_point_set_enabled(setup.tree, setup.points[1], i % 10 < 5) == POISE_OK);
        cr_assert(poise_node_set_enabled(setup.tree, setup.nodes[3], i % 14 < 7) == POISE_OK);
        cr_assert(poise_node_set_free_axes(setup.tree, setup.nodes[0], (unsigned)i % 64) ==
                  POISE_OK);
        cr_assert(poise_point_set_rows(setup.tree, setup.points[2], 9u << i % 3,
                                       POISE_ROW_AXES_POINT) == POISE_OK);
        cr_assert(poise_point_set_priority(setup.tree, setup.points[4], i % 5) == POISE_OK);
        cr_assert(poise_point_set_position(setup.tree, setup.points[0],
                                           poise_vec3(0.5 + x, 0.4, 0.3 - x)) == POISE_OK);
        cr_assert(run(&setup));
    }
    cr_expect(host.allocations == 0, "%ld requests in 200 rounds", host.allocations);
    setup.follows = false;
    cr_assert(run(&setup));
    host.allocations = 0;
    for (int i = 0; i < 20; i++) {
        const PoiseVec3 place = poise_vec3(0.5 + 0.02 * i, 0.4, 0.3);
        cr_assert(poise_point_set_position(setup.tree, setup.points[2], place) == POISE_OK);
        cr_assert(poise_point_set_weight(setup.tree, setup.points[2], 1.0 + i) == POISE_OK);
        cr_assert(run(&setup));
    }
    cr_expect(host.allocations == 0, "%ld requests in 20 rounds", host.allocations);
    poise_tree_destroy(setup.tree);
    cr_expect(host.live_blocks == 0);
}

Test(memory, copies_may_fail_too) {
    TestHost host = {0};
    Setup setup = {0};
    cr_assert(build(&setup, &host) && run(&setup));
    const long blocks = host.live_blocks;
    long n = 0;
    for (bool made = false; !made;) {
        host.fail_in = ++n;
        PoiseTree* copy = poise_tree_clone(setup.tree);
        made = copy != NULL;
        poise_tree_destroy(copy);
        cr_assert(host.live_blocks == blocks, "request %ld", n);
    }
    cr_expect(n > 5);
    // Copies into a tree that has no memory yet; each request fails once.
    long kept = 0;
    for (bool made = false; !made;) {
        TestHost other = {0};
        PoiseTreeDef def = poise_default_tree_def();
        def.host = test_host(&other);
        PoiseTree* copy = poise_tree_create(&def);
        other.fail_in = ++kept;
        const PoiseStatus status = poise_tree_copy(copy, setup.tree);
        made = status == POISE_OK;
        cr_expect(made || status == POISE_ERROR_OUT_OF_MEMORY, "request %ld: %s", kept,
                  poise_tree_message(copy));
        // A copy that ran out of memory has all nodes or none.
        const int count = poise_tree_node_count(copy);
        cr_expect(count == NODES || (!made && count == 0), "request %ld", kept);
        poise_tree_destroy(copy);
        cr_assert(other.live_blocks == 0, "request %ld", kept);
    }
    cr_expect(kept > 5);
    host.fail_in = 0;
    cr_expect(run(&setup));
    poise_tree_destroy(setup.tree);
    cr_expect(host.live_blocks == 0);
}

// Restores a state with levels of priority into a tree without memory. Memory for the state is
// allocated first, then the solver's, which may start anew.
Test(memory, restoring_may_fail_too) {
    TestHost host = {0};
    Setup setup = {0};
    cr_assert(build(&setup, &host) && run(&setup));
    const size_t size = poise_tree_save_size(setup.tree);
    void* memory = malloc(size);
    cr_assert(poise_tree_save(setup.tree, memory, size) == POISE_OK);
    long n = 0;
    int restored = 0;
    for (bool made = false; !made;) {
        TestHost other = {0};
        PoiseTreeDef def = poise_default_tree_def();
        def.host = test_host(&other);
        Setup copy = setup;
        copy.tree = poise_tree_create(&def);
        other.fail_in = ++n;
        const PoiseStatus status = poise_tree_restore(copy.tree, memory, size);
        made = status == POISE_OK;
        cr_expect(made || status == POISE_ERROR_OUT_OF_MEMORY, "request %ld: %s", n,
                  poise_tree_message(copy.tree));
        other.fail_in = 0;
        poise_tree_clear_status(copy.tree);
        // The tree holds all nodes or none.
        const int count = poise_tree_node_count(copy.tree);
        for (int i = 0; i < NODES && count == NODES; i++) {
            copy.nodes[i] = poise_tree_node(copy.tree, i);
        }
        for (int i = 0; i < POINTS && count == NODES; i++) {
            copy.points[i] = poise_tree_point(copy.tree, i);
        }
        cr_expect(count == 0 || (count == NODES && run(&copy)), "request %ld: %s", n,
                  poise_tree_message(copy.tree));
        restored += !made && count == NODES;
        poise_tree_destroy(copy.tree);
        cr_assert(other.live_blocks == 0, "request %ld", n);
    }
    cr_expect_gt(n, 5);
    cr_expect_gt(restored, 0);
    free(memory);
    poise_tree_destroy(setup.tree);
}

/// An arm of three hinges before a wall, and the objects made of its tree.
typedef struct Arm {
    TestHost host;
    PoiseTree* tree;
    PoisePointId hand;
    PoiseApartPart parts[2];
    PoiseApart* apart;
    PoiseApart* clone;
    PoiseBody* body;
    PoiseTasks* tasks;
} Arm;

static void arm_open(Arm* arm) {
    memset(arm, 0, sizeof *arm);
    PoiseTreeDef def = poise_default_tree_def();
    def.host = test_host(&arm->host);
    arm->tree = poise_tree_create(&def);
    PoiseNodeDef node = poise_default_hinge_def();
    for (int i = 0; i < 3; i++) {
        node.parent = i > 0 ? poise_tree_node(arm->tree, i - 1) : poise_null_node();
        node.joint_in_parent.p = poise_vec3(i > 0, 0.0, 0.0);
        GETS(poise_node_create(arm->tree, &node).index1);
    }
    const PoiseNodeId last = poise_tree_node(arm->tree, 2);
    PoisePointDef point = poise_default_position_def();
    point.link = last;
    point.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    arm->hand = poise_point_create(arm->tree, &point);
    WORKS(poise_register_all(arm->tree, arm->hand));
    // memory that the tree allocates once is there before an allocation fails
    WORKS(poise_forward(arm->tree));
    arm->parts[0] = (PoiseApartPart){.link = last, .shape = poise_convex_sphere(0.1)};
    arm->parts[0].shape.pose.p = poise_vec3(1.0, 0.0, 0.0);
    arm->parts[1].shape = poise_convex_box(poise_vec3(0.5, 5.0, 5.0));
    arm->parts[1].shape.pose.p = poise_vec3(4.0, 0.0, 0.0);
}

static bool keep_apart(Arm* arm) {
    PoiseApartDef def = poise_default_apart_def();
    def.parts = arm->parts;
    def.part_count = 2;
    arm->apart = arm->apart ? arm->apart : poise_apart_create(arm->tree, &def);
    return arm->apart != NULL;
}

static bool clone_parts(Arm* arm) {
    if (!arm->clone && keep_apart(arm)) {
        arm->clone = poise_apart_clone(arm->apart, arm->tree);
    }
    return arm->clone != NULL;
}

static bool compile_body(Arm* arm) {
    const PoiseBodyTip tip = {.link = poise_tree_node(arm->tree, 2),
                              .in_link = arm->parts[0].shape.pose};
    PoiseBodyDef def = poise_default_body_def();
    def.host = test_host(&arm->host);
    def.tips = &tip;
    def.tip_count = 1;
    arm->body = arm->body ? arm->body : poise_body_compile(arm->tree, &def);
    return arm->body != NULL;
}

static bool keep_body_apart(Arm* arm) {
    return keep_apart(arm) && compile_body(arm) &&
           poise_body_keep_apart(arm->body, arm->apart) == POISE_OK;
}

static bool add_tasks(Arm* arm) {
    const double posture[3] = {0.1, 0.2, 0.3}, weights[3] = {1.0, 2.0, 3.0};
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POSTURE);
    def.posture = posture;
    def.node_weights = weights;
    arm->tasks = arm->tasks ? arm->tasks : poise_tasks_create(arm->tree);
    return arm->tasks && poise_tasks_add(arm->tasks, &def) >= 0 &&
           poise_tasks_step(arm->tasks, NULL, NULL) >= POISE_OK &&
           poise_tasks_solve(arm->tasks, NULL, NULL) >= POISE_OK;
}

// Each allocation of each row fails once: the call refuses, and works when repeated with memory.
Test(memory, parts_bodies_and_tasks_may_fail_too) {
    static const struct {
        const char* name;
        bool (*call)(Arm* arm);
        int least; ///< number of allocations, at least
    } rows[] = {{"poise_apart_create", keep_apart, 1},
                {"poise_apart_clone", clone_parts, 2},
                {"poise_body_compile", compile_body, 4},
                {"poise_body_keep_apart", keep_body_apart, 6},
                {"poise_tasks_add", add_tasks, 5}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int failures = 0;
        for (bool made = false; !made;) {
            Arm arm;
            arm_open(&arm);
            arm.host.fail_in = failures + 1;
            made = rows[r].call(&arm);
            const bool failed = arm.host.fail_in == 0;
            cr_expect(made != failed, "%s, request %d", rows[r].name, failures + 1);
            made = made || !failed;
            failures += failed;
            arm.host.fail_in = 0;
            poise_tree_clear_status(arm.tree);
            cr_expect(rows[r].call(&arm), "%s, request %d: %s", rows[r].name, failures,
                      poise_tree_message(arm.tree));
            poise_tasks_destroy(arm.tasks);
            poise_body_destroy(arm.body);
            poise_apart_destroy(arm.clone);
            poise_apart_destroy(arm.apart);
            poise_tree_destroy(arm.tree);
            cr_assert_eq(arm.host.live_blocks, 0, "%s, request %d", rows[r].name, failures);
        }
        cr_expect_geq(failures, rows[r].least, "%s: %d requests", rows[r].name, failures);
        cr_log_info("%s: %d requests", rows[r].name, failures);
    }
}

static void* dirty_allocate(size_t size, size_t alignment, void* user) {
    (void)alignment;
    void* memory = malloc(size);
    if (memory) {
        memset(memory, *(const int*)user, size);
    }
    return memory;
}

static void plain_release(void* memory, size_t size, void* user) {
    (void)size;
    (void)user;
    free(memory);
}

// The previous content of the memory does not change any result.
Test(memory, the_memorys_old_content_does_not_matter) {
    static const int fills[] = {0x00, 0xff, 0x5a};
    double reference[NODES][POISE_MAX_DOF] = {{0.0}};
    for (int f = 0; f < 3; f++) {
        int fill = fills[f];
        Setup setup = {0};
        PoiseHost hooks = {dirty_allocate, plain_release, NULL, &fill};
        cr_assert(build_with(&setup, &hooks) && run_stages(setup.tree) && run(&setup));
        for (int i = 0; i < NODES; i++) {
            double now[POISE_MAX_DOF] = {0.0};
            cr_expect(setup.nodes[i].generation == 0, "%u", (unsigned)setup.nodes[i].generation);
            MAY_FAIL(poise_node_omega(setup.tree, setup.nodes[i], now));
            cr_expect(f == 0 || memcmp(now, reference[i], sizeof now) == 0, "fill %x, node %d",
                      (unsigned)fill, i);
            memcpy(reference[i], now, sizeof now);
        }
        poise_tree_destroy(setup.tree);
    }
}

Test(memory, the_log_of_stderr_is_a_line_a_message, .init = cr_redirect_stderr) {
    const PoiseHost host = poise_host_stderr();
    host.log(POISE_WARNING, "springs are soft", host.user);
    host.log(POISE_ERROR, "no memory", host.user);
    fflush(stderr);
    cr_assert_stderr_eq_str("poise: warning: springs are soft\npoise: error: no memory\n");
}
