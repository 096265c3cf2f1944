// SPDX-License-Identifier: MIT
// All memory comes from the host: steps allocate none, failures leave everything usable, nothing
// leaks.
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "models.h"
#include "works.h"

// Every kind of node and point, branches, growth past the capacity, stages and a solve.
typedef struct Setup {
    PoiseTree* tree;
    PoiseNodeId nodes[12];
    PoisePointId points[4];
} Setup;

static bool build_with(Setup* setup, const PoiseHost* host) {
    PoiseTreeDef def = poise_default_tree_def();
    def.host = *host;
    def.node_capacity = 2;
    def.point_capacity = 1;
    setup->tree = poise_tree_create(&def);
    if (!setup->tree) {
        return false;
    }
    PoiseTree* tree = setup->tree;
    for (int i = 0; i < 12; i++) {
        PoiseNodeDef node = i % 3 == 0   ? poise_default_hinge_def()
                            : i % 3 == 1 ? poise_default_ball_def()
                                         : poise_default_slider_def();
        node.parent = i == 0 ? poise_null_node() : i == 7 ? setup->nodes[2] : setup->nodes[i - 1];
        node.joint_in_parent.p = poise_vec3(0.3, 0.1, 0.05 * i);
        setup->nodes[i] = poise_node_create(tree, &node);
    }
    for (int i = 0; i < 4; i++) {
        PoisePointDef point = model_point_def((PoisePointKind)(1 + i % 3));
        point.link = setup->nodes[i % 2 == 0 ? 6 : 11];
        point.in_link.p = poise_vec3(0.0, 0.2, 0.1 * i);
        setup->points[i] = poise_point_create(tree, &point);
        MAY_FAIL(poise_register_chain(tree, setup->points[i], poise_null_node()));
    }
    return poise_tree_status(tree) == POISE_OK;
}

static bool build(Setup* setup, TestHost* host) {
    PoiseHost hooks = test_host(host);
    return build_with(setup, &hooks);
}

// Projects the zero vector, which stays 0; the first call allocates the projection's memory.
static bool project_nothing(const Setup* setup) {
    double x[12 * POISE_MAX_DOF] = {0.0};
    int count = 0;
    for (int i = 0; i < 12; i++) {
        double omega[POISE_MAX_DOF];
        const int numbers = poise_node_omega(setup->tree, setup->nodes[i], omega);
        count += poise_node_dof(setup->tree, setup->nodes[i]) > 0 ? numbers : 0;
    }
    return poise_null_space_project(setup->tree, x, count, x) == POISE_OK && x[0] == 0.0;
}

static bool run(const Setup* setup) {
    PoiseTree* tree = setup->tree;
    return poise_point_set_position(tree, setup->points[0], poise_vec3(0.5, 0.4, 0.3)) ==
               POISE_OK &&
           poise_forward(tree) == POISE_OK && poise_stage_jacobians(tree) == POISE_OK &&
           poise_stage_blocks(tree) == POISE_OK &&
           poise_stage_sweep(tree, 1e-3, NULL) == POISE_OK &&
           poise_solve(tree, NULL, NULL) == POISE_OK && project_nothing(setup) &&
           poise_forces(tree) == POISE_OK &&
           poise_gravity(tree, poise_vec3(0.0, 0.0, -9.8)) == POISE_OK &&
           poise_advance(tree) == POISE_OK;
}

Test(memory, every_allocation_may_fail_and_nothing_leaks) {
    int failures = 0;
    for (long n = 1;; n++) {
        TestHost host = {0};
        host.fail_in = n;
        Setup setup = {0};
        bool good = build(&setup, &host) && run(&setup);
        if (good && host.fail_in > 0) {
            poise_tree_destroy(setup.tree);
            break; // all allocations were allowed
        }
        cr_assert_not(good, "allocation %ld failed and nobody noticed", n);
        failures++;
        if (setup.tree) {
            cr_expect(poise_tree_status(setup.tree) == POISE_ERROR_OUT_OF_MEMORY,
                      "allocation %ld: %s", n, poise_tree_message(setup.tree));
            // The nodes and points made before the failure are usable: they can be stepped, and
            // more can be added.
            poise_tree_clear_status(setup.tree);
            cr_expect(poise_forward(setup.tree) == POISE_OK);
            cr_expect(poise_solve(setup.tree, NULL, NULL) == POISE_OK);
            cr_expect(poise_advance(setup.tree) == POISE_OK);
            PoiseNodeDef def = poise_default_hinge_def();
            PoisePointDef point = poise_default_pose_def();
            point.link = poise_node_create(setup.tree, &def);
            cr_expect(poise_register(setup.tree, poise_point_create(setup.tree, &point),
                                     point.link) == POISE_OK);
            cr_expect(poise_forward(setup.tree) == POISE_OK);
            cr_expect(poise_solve(setup.tree, NULL, NULL) == POISE_OK);
        }
        poise_tree_destroy(setup.tree);
        cr_expect(host.live_blocks == 0 && host.live_bytes == 0, "allocation %ld: %ld bytes leak",
                  n, host.live_bytes);
    }
    cr_expect(failures > 15, "only %d allocations", failures);
}

Test(memory, the_log_of_stderr_is_a_line_a_message, .init = cr_redirect_stderr) {
    const PoiseHost host = poise_host_stderr();
    host.log(POISE_WARNING, "springs are soft", host.user);
    host.log(POISE_ERROR, "no memory", host.user);
    fflush(stderr);
    cr_assert_stderr_eq_str("poise: warning: springs are soft\npoise: error: no memory\n");
}

Test(memory, destroying_a_tree_frees_everything) {
    TestHost host = {0};
    Setup setup = {0};
    cr_assert(build(&setup, &host) && run(&setup));
    cr_expect(host.live_blocks > 0);
    poise_tree_destroy(setup.tree);
    cr_expect(host.live_blocks == 0 && host.live_bytes == 0);
    poise_tree_destroy(NULL);
}

Test(memory, clones_may_fail_too) {
    TestHost host = {0};
    Setup setup = {0};
    cr_assert(build(&setup, &host) && run(&setup));
    const long blocks = host.live_blocks, bytes = host.live_bytes;
    for (long n = 1;; n++) {
        host.fail_in = n;
        PoiseTree* copy = poise_tree_clone(setup.tree);
        bool made = copy != NULL;
        poise_tree_destroy(copy);
        cr_assert(host.live_blocks == blocks && host.live_bytes == bytes, "allocation %ld", n);
        if (made) {
            cr_expect(n > 5);
            break;
        }
    }
    host.fail_in = 0;
    poise_tree_destroy(setup.tree);
    cr_expect(host.live_blocks == 0 && host.live_bytes == 0);
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
    double reference[12][POISE_MAX_DOF] = {{0.0}};
    for (int f = 0; f < 3; f++) {
        int fill = fills[f];
        Setup setup = {0};
        PoiseHost hooks = {dirty_allocate, plain_release, NULL, &fill};
        cr_assert(build_with(&setup, &hooks) && run(&setup));
        for (int i = 0; i < 12; i++) {
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

static void steps_take_no_memory(PoiseSolver solver) {
    TestHost host = {0};
    Setup setup = {0};
    cr_assert(build(&setup, &host));
    PoiseTree* tree = setup.tree;
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    def.step = 0.01;
    PoiseSolveReport report;
    for (int i = 0; i <= 1000; i++) {
        double phase = 0.01 * i;
        cr_assert(poise_point_set_position(
                      tree, setup.points[0],
                      poise_vec3(0.8 + 0.1 * cos(phase), 0.1 * sin(phase), 0.3)) == POISE_OK);
        cr_assert(poise_point_set_velocity(tree, setup.points[0],
                                           poise_vec3(-0.1 * sin(phase), 0.1 * cos(phase), 0.0)) ==
                  POISE_OK);
        // The nodes and points stay, but their switches, biases and weights change.
        if (i % 50 == 25) {
            cr_assert(poise_point_set_enabled(tree, setup.points[1], i % 100 == 25) == POISE_OK);
            cr_assert(poise_node_set_enabled(tree, setup.nodes[3], i % 100 == 75) == POISE_OK);
            cr_assert(poise_node_set_bias(tree, setup.nodes[4], 1.0 + i) == POISE_OK);
            cr_assert(poise_point_set_weight(tree, setup.points[0], 1.0 + i) == POISE_OK);
        }
        cr_assert(poise_forward(tree) == POISE_OK);
        cr_assert(poise_solve(tree, &def, &report) == POISE_OK);
        cr_assert(poise_forces(tree) == POISE_OK);
        cr_assert(poise_gravity(tree, poise_vec3(0.0, 0.0, -9.8)) == POISE_OK);
        cr_assert(poise_advance(tree) == POISE_OK);
        if (i == 0) {
            host.allocations = 0;
        }
    }
    cr_expect(host.allocations == 0, "%ld allocations in 1000 steps", host.allocations);
    poise_tree_destroy(tree);
    cr_expect(host.live_blocks == 0);
}

Test(memory, dual_steps_take_none) {
    steps_take_no_memory(POISE_SOLVER_DUAL);
}

Test(memory, gauss_seidel_steps_take_none) {
    steps_take_no_memory(POISE_SOLVER_GAUSS_SEIDEL);
}

Test(memory, box_and_cgls_steps_take_none) {
    steps_take_no_memory(POISE_SOLVER_BOX);
    steps_take_no_memory(POISE_SOLVER_CGLS);
}
