// SPDX-License-Identifier: MIT
// Computes rows by vectors of two and of four numbers: both give the same bits on any processor.
#include <criterion/criterion.h>
#include <string.h>

#include "cholesky.h"
#include "matrix.h"
#include "models.h"
#include "random.h"
#include "solve.h"
#include "works.h"

#ifdef __x86_64__

enum { MOST = 48, CASES = 200 };

static void skip_without_vectors(void) {
    if (!__builtin_cpu_supports("avx2")) {
        cr_skip_test("this processor has no vectors of four numbers");
    }
}

Test(lanes, factors_are_the_same) {
    skip_without_vectors();
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(900 + (uint64_t)i);
        const int m = 1 + i % (MOST - 2);
        const int stride = m + i % 3;
        double a[MOST * MOST], b[MOST * MOST], x[MOST], y[MOST], least[MOST];
        random_fill(&random, a, m * stride);
        for (int r = 0; r < m; r++) {
            a[r * stride + r] = (double)m;
            least[r] = 0.5 * (double)m;
        }
        memcpy(b, a, sizeof a);
        random_fill(&random, x, m);
        memcpy(y, x, sizeof x);
        const PoiseCholesky shape = {m, stride, NULL, i % 2 == 0 ? least : NULL, 1e-15};
        poise__cholesky_factor_two(&shape, a);
        poise__cholesky_factor_four(&shape, b);
        poise__cholesky_solve_two(&shape, a, x);
        poise__cholesky_solve_four(&shape, b, y);
        cr_expect(memcmp(a, b, (size_t)(m * stride) * sizeof *a) == 0, "factor of %d rows", m);
        cr_expect(memcmp(x, y, (size_t)m * sizeof *x) == 0, "solution of %d rows", m);
        cr_expect(x[0] == x[0] && a[0] == 1.0 / sqrt((double)m));
    }
}

Test(lanes, products_are_the_same) {
    skip_without_vectors();
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(1900 + (uint64_t)i);
        const int tall = 1 + i % 30, low = 1 + i % 7, columns = 1 + i % 11;
        const int rows = tall + low;
        double values[MOST * 12], share[12], two[MOST * MOST], four[MOST * MOST];
        unsigned char held[12] = {0};
        const PoiseBlock blocks[2] = {{0, tall, 0, columns, 0},
                                      {tall, low, 0, columns, tall * columns}};
        const PoiseMatrix j = {rows, columns, 2, blocks, values};
        random_fill(&random, values, rows * columns);
        for (int c = 0; c < columns; c++) {
            share[c] = random_between(&random, 0.5, 1.0);
            held[c] = random_between(&random, 0.0, 1.0) < 0.2;
        }
        memset(two, 0xff, sizeof two);
        memset(four, 0xff, sizeof four);
        poise__matrix_normal_two(&j, share, held, two);
        poise__matrix_normal_four(&j, share, held, four);
        cr_expect(memcmp(two, four, (size_t)(rows * rows) * sizeof *two) == 0, "%d and %d rows",
                  tall, low);
        double corner = 0.0;
        for (int c = 0; c < columns; c++) {
            corner += held[c] ? 0.0 : share[c] * values[c * tall] * values[c * tall];
        }
        cr_expect(fabs(two[0] - corner) < 1e-12);
    }
}

Test(lanes, two_right_sides_are_solved_as_each_alone) {
    skip_without_vectors();
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(2900 + (uint64_t)i);
        const int m = 1 + i % (MOST - 2);
        const PoiseRowSpan span = {0, m};
        PoiseRowSpan spans[MOST];
        double a[MOST * MOST], x[MOST], y[MOST];
        Two two[MOST], four[MOST];
        random_fill(&random, a, m * m);
        random_fill(&random, x, m);
        random_fill(&random, y, m);
        for (int r = 0; r < m; r++) {
            a[r * m + r] = (double)m;
            spans[r] = span;
            two[r] = (Two){x[r], y[r]};
        }
        memcpy(four, two, sizeof two);
        const PoiseCholesky shape = {m, m, i % 2 == 0 ? spans : NULL, NULL, 1e-15};
        poise_cholesky_factor(&shape, a);
        poise_cholesky_solve(&shape, a, x);
        poise_cholesky_solve(&shape, a, y);
        poise__cholesky_solve_both_two(&shape, a, two);
        poise__cholesky_solve_both_four(&shape, a, four);
        cr_expect(memcmp(two, four, (size_t)m * sizeof *two) == 0, "%d rows", m);
        for (int r = 0; r < m; r++) {
            cr_expect(two[r][0] == x[r] && two[r][1] == y[r], "row %d of %d", r, m);
        }
    }
}

// Compares J x and J^T y with sums over the numbers of J.
Test(lanes, products_with_vectors_are_the_same) {
    skip_without_vectors();
    for (int i = 0; i < CASES; i++) {
        Random random = random_from(3900 + (uint64_t)i);
        const int rows = 1 + i % 30, columns = 1 + i % 11;
        double values[30 * 11], x[11], first[11], second[11], others[2][11], two[30], four[30];
        Two y[30];
        const PoiseBlock block = {0, rows, 0, columns, 0};
        const PoiseMatrix j = {rows, columns, 1, &block, values};
        random_fill(&random, values, rows * columns);
        random_fill(&random, x, columns);
        poise__matrix_times_two(&j, x, two);
        poise__matrix_times_four(&j, x, four);
        cr_expect(memcmp(two, four, (size_t)rows * sizeof *two) == 0, "%d x %d", rows, columns);
        for (int r = 0; r < rows; r++) {
            double sum = 0.0;
            for (int c = 0; c < columns; c++) {
                sum += values[c * rows + r] * x[c];
            }
            cr_expect(fabs(two[r] - sum) < 1e-13, "row %d of %d x %d", r, rows, columns);
            y[r] = (Two){two[r], -1.0 - two[r]};
        }
        poise__matrix_transpose_both_two(&j, y, first, second);
        poise__matrix_transpose_both_four(&j, y, others[0], others[1]);
        cr_expect(memcmp(first, others[0], (size_t)columns * sizeof *first) == 0);
        cr_expect(memcmp(second, others[1], (size_t)columns * sizeof *second) == 0);
        for (int c = 0; c < columns; c++) {
            double sums[2] = {0.0, 0.0};
            for (int r = 0; r < rows; r++) {
                sums[0] += values[c * rows + r] * y[r][0];
                sums[1] += values[c * rows + r] * y[r][1];
            }
            cr_expect(fabs(first[c] - sums[0]) < 1e-13 && fabs(second[c] - sums[1]) < 1e-13,
                      "column %d of %d x %d", c, rows, columns);
        }
    }
}

// Draws a joint; the kinds follow each other, with and without rotated frames.
static PoiseNodeDef random_def(Random* random, int i) {
    PoiseNodeDef def = poise_default_node_def((PoiseNodeKind)(POISE_NODE_HINGE + i % 10));
    def.joint_in_parent = random_pose(random, 1.0, i % 3 == 0 ? 0.0 : 3.0);
    if (i % 5 != 0) {
        def.link_in_joint = random_pose(random, 1.0, 3.0);
    }
    def.axis = random_direction(random);
    def.axis2 = random_direction(random);
    def.angle = random_between(random, -3.0, 3.0);
    def.angle2 = random_between(random, -3.0, 3.0);
    def.rotation = random_turn(random, 3.0);
    return def;
}

Test(lanes, frames_and_moments_are_the_same) {
    skip_without_vectors();
    Random random = random_from(77);
    const PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < CASES; i++) {
        PoiseNodeDef def = random_def(&random, i);
        def.parent = parent;
        parent = poise_node_create(tree, &def);
        const double mass = random_between(&random, 0.0, 2.0);
        cr_assert_eq(poise_node_set_mass(tree, parent, mass, random_vec3(&random, 1.0)), POISE_OK);
    }
    for (int i = 0; i < CASES; i++) {
        Joint two = tree->nodes[i].joint, four = two;
        const PoisePose from =
            i == 0 ? random_pose(&random, 1.0, 3.0) : tree->nodes[i - 1].joint.link_world;
        poise__joint_forward(&two, &from);
        poise__joint_forward_four(&four, &from);
        tree->nodes[i].joint = two;
        cr_expect(memcmp(&two.joint_world, &four.joint_world, sizeof two.joint_world) == 0, "%s %d",
                  poise__joint_type(&two)->name, i);
        cr_expect(memcmp(&two.link_world, &four.link_world, sizeof two.link_world) == 0, "%s %d",
                  poise__joint_type(&two)->name, i);
    }
    poise__gather_links_four(tree);
    for (int i = 0; i < CASES; i++) {
        const Node* node = &tree->nodes[i];
        const PoiseVec3 own =
            poise_scale(node->mass, poise_pose_apply(node->joint.link_world, node->com_link));
        cr_expect(memcmp(&own, &node->subtree_moment, sizeof own) == 0, "node %d", i);
        cr_expect_eq(node->subtree_mass, node->mass);
    }
    poise_tree_destroy(tree);
}

// Makes a tree of joints of all kinds, and points of all kinds that these move.
static PoiseTree* random_tree(Random* random, int count, PoiseLimits limits) {
    const PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeId nodes[CASES];
    const PoisePointDef kinds[] = {poise_default_pose_def(),      poise_default_position_def(),
                                   poise_default_direction_def(), poise_default_look_at_def(),
                                   poise_default_com_def(),       poise_default_orientation_def()};
    for (int i = 0; i < count; i++) {
        PoiseNodeDef def = random_def(random, i);
        def.parent = i > 0 ? nodes[i - 1] : poise_null_node();
        nodes[i] = poise_node_create(tree, &def);
        WORKS(poise_node_set_mass(tree, nodes[i], 1.0, random_vec3(random, 1.0)));
        if (def.kind == POISE_NODE_BALL && i < 10) {
            WORKS(poise_node_set_limits(tree, nodes[i], limits));
        }
    }
    for (int i = 0; i < 12; i++) {
        PoisePointDef def = kinds[i % 6];
        def.link = nodes[def.kind == POISE_POINT_COM ? 0 : count - 1 - i];
        def.weight = 0.5 + i;
        if (i >= 6 && def.kind <= POISE_POINT_POSE) {
            def.frame = nodes[1];
            def.row_axes = POISE_ROW_AXES_POINT;
            def.rows = POISE_ROWS_ALL & ~18u;
        }
        const PoisePointId point = poise_point_create(tree, &def);
        WORKS(poise_register_all(tree, point));
    }
    return tree;
}

Test(lanes, jacobians_and_weights_are_the_same) {
    enum { COUNT = 24, MOST_NUMBERS = 10000 };
    skip_without_vectors();
    Random random = random_from(78);
    PoiseTree* tree = random_tree(&random, COUNT, poise_cone(1.0, -1.0, 1.0));
    static double numbers[MOST_NUMBERS];
    const PoiseSolveDef def = poise_default_solve_def();
    WORKS(poise_forward(tree));
    WORKS(poise_solve(tree, &def, NULL));
    const Layout* layout = &tree->solver->layout;
    const size_t size = (size_t)layout->jacobian_size * sizeof *numbers;
    cr_assert(size > 0 && size <= sizeof numbers);
    poise__jacobian_fill_one(tree);
    memcpy(numbers, layout->jacobian, size);
    const double square = layout->mean_square;
    memset(layout->jacobian, 0xff, size);
    poise__jacobian_fill_four(tree);
    cr_expect(memcmp(numbers, layout->jacobian, size) == 0);
    cr_expect(square > 0.0 && square == layout->mean_square);
    double torques[COUNT][POISE_MAX_NV];
    poise__weight_fill_one(tree, poise_vec3(0.1, -0.2, -9.81));
    for (int i = 0; i < COUNT; i++) {
        memcpy(torques[i], tree->nodes[i].gravity_torque, sizeof torques[i]);
    }
    poise__weight_fill_four(tree, poise_vec3(0.1, -0.2, -9.81));
    for (int i = 0; i < COUNT; i++) {
        cr_expect(memcmp(torques[i], tree->nodes[i].gravity_torque, sizeof torques[i]) == 0);
        cr_expect(torques[i][0] != 0.0, "node %d", i);
    }
    poise_tree_destroy(tree);
}

// Sets or clears the AVX2 bit that __builtin_cpu_supports of gcc and clang reads.
static void pretend_vectors(bool there) {
    if (there) {
        __asm__ volatile("orl $0x400, __cpu_model+12(%%rip)" ::: "memory", "cc");
    } else {
        __asm__ volatile("andl $0xfffffbff, __cpu_model+12(%%rip)" ::: "memory", "cc");
    }
    cr_assert_eq(__builtin_cpu_supports("avx2") != 0, there);
}

enum { JOINTS = 12, EACH = 10, NUMBERS = JOINTS * EACH };

// Takes two steps of an arm whose goals move: a pose at its end, a place at its middle and one of
// its centre of mass. Fills posture, velocity and gravity torque of each joint.
static void step_twice(PoiseSolver solver, double postures[NUMBERS]) {
    Model model = model_chain(POISE_NODE_BALL, JOINTS, 0.3, POISE_POINT_POSE);
    model_scatter(&model, &(Random){7}, 0.4);
    PoisePointDef middle = poise_default_position_def();
    middle.link = model.nodes[JOINTS / 2];
    PoisePointDef mass = poise_default_com_def();
    mass.link = model.nodes[0];
    const PoisePointId points[3] = {model.points[0], poise_point_create(model.tree, &middle),
                                    poise_point_create(model.tree, &mass)};
    for (int n = 0; n < JOINTS; n++) {
        WORKS(poise_node_set_mass(model.tree, model.nodes[n], 1.0, poise_vec3(0.0, 0.1, 0.0)));
    }
    for (int p = 0; p < 3; p++) {
        WORKS(poise_register_all(model.tree, points[p]));
        WORKS(poise_point_set_position(model.tree, points[p], poise_vec3(1.0, p, 0.5)));
        WORKS(poise_point_set_velocity(model.tree, points[p], poise_vec3(0.1, 0.2, -0.1 * p)));
    }
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    for (int step = 0; step < 2; step++) {
        // the goals' velocities count in the second step
        def.step = 0.01 * step;
        WORKS(poise_forward(model.tree));
        WORKS(poise_solve(model.tree, &def, NULL));
        WORKS(poise_advance(model.tree));
    }
    WORKS(poise_forward(model.tree));
    WORKS(poise_gravity(model.tree, poise_vec3(0.1, -0.2, -9.81)));
    memset(postures, 0, NUMBERS * sizeof *postures);
    for (int n = 0; n < JOINTS; n++) {
        double* numbers = &postures[n * EACH];
        double velocity[POISE_MAX_DOF], torque[POISE_MAX_DOF];
        cr_assert_eq(poise_node_posture(model.tree, model.nodes[n], numbers), 4);
        cr_assert_eq(poise_node_velocity(model.tree, model.nodes[n], velocity), 3);
        cr_assert_eq(poise_node_gravity_torque(model.tree, model.nodes[n], torque), 3);
        memcpy(&numbers[4], velocity, 3 * sizeof *velocity);
        memcpy(&numbers[7], torque, 3 * sizeof *torque);
    }
    model_finish(&model);
}

Test(lanes, a_processor_without_them_makes_the_same_steps) {
    skip_without_vectors();
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        double four[NUMBERS], two[NUMBERS];
        step_twice((PoiseSolver)solver, four);
        pretend_vectors(false);
        step_twice((PoiseSolver)solver, two);
        pretend_vectors(true);
        cr_expect(memcmp(two, four, sizeof two) == 0, "solver %d", solver);
        cr_expect(fabs(two[1]) > 1e-3 && fabs(two[4]) > 1e-3 && fabs(two[7]) > 1e-3);
    }
}

#endif
