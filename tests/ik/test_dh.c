// SPDX-License-Identifier: MIT
// Tests modified Denavit-Hartenberg tables as frames and as trees (rows 3.1, 3.2 of DOCUMENTS.md).
// Oracles: the lecture's printed poses and Jacobians, and products of 4 x 4 matrices.
#include <criterion/criterion.h>
#include <string.h>

#include "host.h"
#include "near.h"
#include "poise/dh.h"
#include "poise/ik.h"
#include "random.h"

#define PI 3.14159265358979323846

// The lecture's arm, with links of 0.3, 0.25 and 0.1 m.
static const PoiseDhRow lecture[6] = {
    {POISE_NODE_HINGE, 0.0, 0.0, 0.0, 0.0},       {POISE_NODE_HINGE, 0.0, -0.5 * PI, 0.0, 0.0},
    {POISE_NODE_HINGE, 0.3, 0.0, 0.0, 0.0},       {POISE_NODE_HINGE, 0.0, 0.5 * PI, 0.25, 0.0},
    {POISE_NODE_HINGE, 0.0, -0.5 * PI, 0.0, 0.0}, {POISE_NODE_HINGE, 0.0, 0.5 * PI, 0.1, 0.0}};

// The angles of three postures, rad.
static const double printed_q[3][6] = {
    {0, -0.7853981633974483, -1.5707963267948966, 0, 0.7853981633974483, 0},
    {0, 0, 0, 0, 0, 0},
    {0.3490658503988659, -0.8726646259971648, -1.2217304763960306, 0.6108652381980153,
     1.0471975511965976, -0.4363323129985824},
};
// The poses of the tool in these postures, 3 x 4, row-major.
static const double printed_tool[3][12] = {
    {0, 0, -1, -0.06464466094067264, 0, 1, 0, 0, 1, 0, 0, 0.03535533905932736},
    {1, 0, 0, 0.3, 0, 1, 0, 0, 0, 0, 1, 0.35},
    {0.3799437788502003, 0.16539353879064192, -0.9101031272550042, -0.11325290099632773,
     0.04648137809744607, 0.9792284373073901, 0.19736045464755375, 0.011640405401135683,
     0.9238410071019751, -0.11728872449999306, 0.36436403321674365, 0.1412497362573678},
};
// The Jacobians in these postures: rows vx vy vz wx wy wz, world axes.
static const double printed_jacobian[3][6][6] = {
    {
        {0, 0.03535533905932736, -0.17677669529663687, 0, 0, 0},
        {-0.06464466094067264, 0, 0, 0.07071067811865475, 0, 0},
        {0, 0.06464466094067264, 0.2767766952966369, 0, 0.1, 0},
        {0, 0, 0, -0.7071067811865476, 0, -1},
        {0, 1, 1, 0, 1, 0},
        {1, 0, 0, -0.7071067811865475, 0, 0},
    },
    {
        {0, 0.35, 0.35, 0, 0.09999999999999998, 0},
        {0.3, 0, 0, 0, 0, 0},
        {0, -0.3, 0, 0, 0, 0},
        {0, 0, 0, 0, 0, 0},
        {0, 1, 1, 0, 1, 0},
        {1, 0, 0, 1, 0, 1},
    },
    {
        {-0.011640405401135683, 0.13273133484900432, -0.08322255826888195, -0.0009243718947545537,
         0.04142443352749114, 0},
        {-0.11325290099632773, 0.048310255039457836, -0.030290534029357653, 0.07515701690263941,
         0.04559662549438207, 0},
        {0, 0.1024416622251809, 0.2952779451311427, -0.043018232726328445, 0.07877159418503306, 0},
        {0, -0.3420201433256687, -0.3420201433256687, -0.8137976813493737, -0.010673727245357418,
         -0.9101031272550042},
        {0, 0.9396926207859084, 0.9396926207859084, -0.29619813272602374, 0.8678384788045628,
         0.19736045464755375},
        {1, 0, 0, -0.49999999999999983, -0.496731764892154, 0.36436403321674365},
    },
};

typedef struct Built {
    PoiseTree* tree;
    PoiseNodeId nodes[8];
    PoisePointId tool;
} Built;

static Built build(const PoiseDhRow* rows, int count) {
    Built built;
    PoiseTreeDef def = poise_default_tree_def();
    built.tree = poise_tree_create(&def);
    cr_assert(poise_dh_create_nodes(built.tree, poise_null_node(), rows, count, built.nodes) ==
              POISE_OK);
    PoisePointDef point = poise_default_pose_def();
    point.link = built.nodes[count - 1];
    built.tool = poise_point_create(built.tree, &point);
    cr_assert(poise_register_chain(built.tree, built.tool, poise_null_node()) == POISE_OK);
    return built;
}

static void set_posture(const Built* built, const double* q, int count) {
    for (int i = 0; i < count; i++) {
        cr_assert(poise_node_set_angle(built->tree, built->nodes[i], q[i]) == POISE_OK);
    }
    cr_assert(poise_forward(built->tree) == POISE_OK);
    cr_assert(poise_stage_jacobians(built->tree) == POISE_OK);
}

static void expect_pose(PoisePose pose, const double m[12], double tolerance) {
    const double rows[9] = {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
    EXPECT_NEAR3(pose.p, poise_vec3(m[3], m[7], m[11]), tolerance);
    EXPECT_NEAR_QUAT(pose.q, poise_quat_from_rows(rows), tolerance);
}

// rows 3.1 and 3.2: the table's frames and the tree give the printed poses
Test(dh, printed_poses_and_jacobians) {
    Built built = build(lecture, 6);
    for (int i = 0; i < 3; i++) {
        PoisePose frames[6];
        cr_assert(poise_dh_forward(lecture, 6, printed_q[i], frames) == POISE_OK);
        expect_pose(frames[5], printed_tool[i], 1e-12);
        set_posture(&built, printed_q[i], 6);
        expect_pose(poise_point_planned_pose(built.tree, built.tool), printed_tool[i], 1e-12);
        for (int n = 0; n < 6; n++) {
            double block[POISE_MAX_ROWS * POISE_MAX_DOF];
            cr_assert(poise_jacobian(built.tree, built.tool, built.nodes[n], block) == 6);
            for (int r = 0; r < 6; r++) {
                EXPECT_NEAR(block[r], printed_jacobian[i][r][n], 1e-12);
            }
        }
    }
    poise_tree_destroy(built.tree);
}

// Multiplies two 4 x 4 matrices, row-major.
static void multiply(const double a[16], const double b[16], double out[16]) {
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            out[4 * r + c] = 0.0;
            for (int k = 0; k < 4; k++) {
                out[4 * r + c] += a[4 * r + k] * b[4 * k + c];
            }
        }
    }
}

// Writes TransX(a) RotX(alpha) TransZ(d) RotZ(theta).
static void matrix_of(const PoiseDhRow* row, double q, double m[16]) {
    const double theta = row->theta + (row->kind == POISE_NODE_HINGE ? q : 0.0);
    const double d = row->d + (row->kind == POISE_NODE_SLIDER ? q : 0.0);
    const double ct = cos(theta), st = sin(theta), ca = cos(row->alpha), sa = sin(row->alpha);
    const double all[16] = {ct,      -st,     0.0, row->a, st * ca, ct * ca, -sa, -d * sa,
                            st * sa, ct * sa, ca,  d * ca, 0.0,     0.0,     0.0, 1.0};
    for (int i = 0; i < 16; i++) {
        m[i] = all[i];
    }
}

static PoiseDhRow random_row(Random* random) {
    PoiseDhRow row;
    row.kind = random_unit(random) < 0.5 ? POISE_NODE_HINGE : POISE_NODE_SLIDER;
    row.a = random_between(random, -1.0, 1.0);
    row.alpha = random_between(random, -4.0, 4.0);
    row.d = random_between(random, -1.0, 1.0);
    row.theta = random_between(random, -4.0, 4.0);
    return row;
}

Test(dh, random_tables_are_their_matrices_and_their_trees) {
    Random random = random_from(31);
    for (int trial = 0; trial < 300; trial++) {
        enum { ROWS = 7 };
        PoiseDhRow rows[ROWS];
        double q[ROWS], m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
        double z[ROWS][3], p[ROWS][3];
        PoisePose frames[ROWS];
        for (int i = 0; i < ROWS; i++) {
            rows[i] = random_row(&random);
            q[i] = random_between(&random, -3.0, 3.0);
        }
        cr_assert(poise_dh_forward(rows, ROWS, q, frames) == POISE_OK);
        Built built = build(rows, ROWS);
        set_posture(&built, q, ROWS);
        for (int i = 0; i < ROWS; i++) {
            double row[16], product[16];
            matrix_of(&rows[i], q[i], row);
            multiply(m, row, product);
            for (int k = 0; k < 16; k++) {
                m[k] = product[k];
            }
            expect_pose(frames[i], m, 2e-12);
            expect_pose(poise_node_link_world(built.tree, built.nodes[i]), m, 2e-12);
            for (int k = 0; k < 3; k++) {
                z[i][k] = m[4 * k + 2];
                p[i][k] = m[4 * k + 3];
            }
        }
        // the geometric Jacobian: z x (t_n - t_i) and z for a hinge, z and 0 for a slider
        for (int i = 0; i < ROWS; i++) {
            double block[POISE_MAX_ROWS * POISE_MAX_DOF];
            cr_assert(poise_jacobian(built.tree, built.tool, built.nodes[i], block) == 6);
            const PoiseVec3 axis = poise_vec3(z[i][0], z[i][1], z[i][2]);
            const PoiseVec3 arm = poise_vec3(m[3] - p[i][0], m[7] - p[i][1], m[11] - p[i][2]);
            const bool turns = rows[i].kind == POISE_NODE_HINGE;
            EXPECT_NEAR3(poise_vec3(block[0], block[1], block[2]),
                         turns ? poise_cross(axis, arm) : axis, 1e-9);
            EXPECT_NEAR3(poise_vec3(block[3], block[4], block[5]),
                         turns ? axis : poise_vec3(0.0, 0.0, 0.0), 1e-9);
        }
        poise_tree_destroy(built.tree);
    }
}

// Writes RotZ(theta) TransZ(d) TransX(a) RotX(alpha).
static void classical_matrix_of(const PoiseDhRow* row, double q, double m[16]) {
    const double theta = row->theta + (row->kind == POISE_NODE_HINGE ? q : 0.0);
    const double d = row->d + (row->kind == POISE_NODE_SLIDER ? q : 0.0);
    const double ct = cos(theta), st = sin(theta), ca = cos(row->alpha), sa = sin(row->alpha);
    const double all[16] = {ct,       -st * ca,    st * sa, row->a * ct, st, ct * ca,
                            -ct * sa, row->a * st, 0.0,     sa,          ca, d,
                            0.0,      0.0,         0.0,     1.0};
    memcpy(m, all, sizeof all);
}

// Row 3.1 of DOCUMENTS.md
Test(dh, classical_tables_are_their_matrices) {
    Random random = random_from(32);
    for (int trial = 0; trial < 300; trial++) {
        enum { ROWS = 7 };
        PoiseDhRow classical[ROWS], rows[ROWS];
        double q[ROWS], m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
        for (int i = 0; i < ROWS; i++) {
            double row[16], product[16];
            classical[i] = rows[i] = random_row(&random);
            q[i] = random_between(&random, -3.0, 3.0);
            classical_matrix_of(&classical[i], q[i], row);
            multiply(m, row, product);
            memcpy(m, product, sizeof m);
        }
        PoisePose frames[ROWS], tool;
        cr_assert(poise_dh_from_classical(rows, ROWS, rows, &tool) == POISE_OK);
        cr_assert(poise_dh_forward(rows, ROWS, q, frames) == POISE_OK);
        expect_pose(poise_pose_mul(frames[ROWS - 1], tool), m, 2e-12);
    }
}

// A gripper's table is added to the last link of an arm.
Test(dh, a_table_stands_on_the_link_of_its_parent) {
    Built arm = build(lecture, 6);
    PoiseNodeId finger[2];
    const PoiseDhRow rows[2] = {{POISE_NODE_SLIDER, 0.02, 0.5 * PI, 0.1, 0.3},
                                {POISE_NODE_HINGE, 0.05, 0.0, 0.0, 0.0}};
    cr_assert(poise_dh_create_nodes(arm.tree, arm.nodes[5], rows, 2, finger) == POISE_OK);
    set_posture(&arm, printed_q[2], 6);
    PoisePose frames[2];
    const double closed[2] = {0.0, 0.0};
    cr_assert(poise_dh_forward(rows, 2, closed, frames) == POISE_OK);
    const PoisePose tool = poise_node_link_world(arm.tree, arm.nodes[5]);
    const PoisePose expected = poise_pose_mul(tool, frames[1]);
    const PoisePose tip = poise_node_link_world(arm.tree, finger[1]);
    EXPECT_NEAR3(tip.p, expected.p, 1e-14);
    EXPECT_NEAR_QUAT(tip.q, expected.q, 1e-14);
    poise_tree_destroy(arm.tree);
}

Test(dh, without_memory_no_node_is_made) {
    TestHost host = {0};
    PoiseTreeDef def = poise_default_tree_def();
    def.node_capacity = 1;
    def.host = test_host(&host);
    PoiseTree* tree = poise_tree_create(&def);
    cr_assert_not_null(tree);
    PoiseNodeId nodes[6];
    int failures = 0;
    for (long n = 1; poise_tree_node_count(tree) == 0; n++) {
        host.fail_in = n;
        const PoiseStatus status =
            poise_dh_create_nodes(tree, poise_null_node(), lecture, 6, nodes);
        host.fail_in = 0;
        cr_assert(n < 100);
        if (status != POISE_OK) {
            cr_expect(status == POISE_ERROR_OUT_OF_MEMORY && poise_tree_node_count(tree) == 0);
            failures++;
        }
    }
    cr_expect(failures > 0 && poise_tree_node_count(tree) == 6);
    poise_tree_destroy(tree);
    cr_expect(host.live_blocks == 0);
}
