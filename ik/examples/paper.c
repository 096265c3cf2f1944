// SPDX-License-Identifier: MIT
// Compares Poise's results with the formulas of Springhead2's IK document, computed here by hand.
// It covers an arm of three hinges in a plane, the sweeps of equation 21 as printed and as
// corrected, a ball by equation 3, and the springs of equations 24 to 26. Returns 0 if all numbers
// agree and the printed errors have the effect that README.md describes.

#include "planar_arm.h"
#include "poise/spring.h"
#include "table.h"

// Computes the columns of equation 2, e x r, with r from each joint to the tip.
static void by_hand(double columns[LINKS][2]) {
    static const double bends[LINKS] = {0.3, 0.4, 0.5};
    double turned = 0.0, sine = 0.0, cosine = 0.0, part[LINKS][2];
    for (int i = 0; i < LINKS; i++) {
        turned += bends[i];
        part[i][0] = -sin(turned);
        part[i][1] = cos(turned);
    }
    for (int i = LINKS - 1; i >= 0; i--) {
        sine += part[i][0];
        cosine += part[i][1];
        columns[i][0] = sine;
        columns[i][1] = cosine;
    }
}

static const double v[2] = {0.05, -0.03}; // motion that the tip should make, m

// Returns |J omega - v| / |v|.
static double residual(double columns[LINKS][2], const double omega[LINKS]) {
    double left[2] = {-v[0], -v[1]};
    for (int i = 0; i < LINKS; i++) {
        left[0] += columns[i][0] * omega[i];
        left[1] += columns[i][1] * omega[i];
    }
    return hypot(left[0], left[1]) / hypot(v[0], v[1]);
}

// Compares equations 18 to 20 by hand with Poise's blocks.
static void compare_blocks(Table* table, const PlanarArm* arm, double columns[LINKS][2]) {
    table_head("Equations 2 and 18 to 20: J, alpha, beta, gamma", "by hand");
    for (int i = 0; i < LINKS; i++) {
        double block[POISE_MAX_ROWS * POISE_MAX_DOF], alpha[POISE_MAX_DOF], beta[POISE_MAX_DOF];
        char what[40];
        poise_jacobian(arm->tree, arm->tip, arm->nodes[i], block);
        poise_block_alpha(arm->tree, arm->nodes[i], alpha);
        poise_block_beta(arm->tree, arm->nodes[i], beta);
        const double* c = columns[i];
        snprintf(what, sizeof what, "joint %d: J x", i + 1);
        table_compare(table, what, c[0], block[0], 1e-14);
        table_compare(table, "J y", c[1], block[1], 1e-14);
        table_compare(table, "alpha", c[0] * c[0] + c[1] * c[1], alpha[0], 1e-14);
        table_compare(table, "beta", c[0] * v[0] + c[1] * v[1], beta[0], 1e-15);
    }
    double gamma[POISE_MAX_DOF * POISE_MAX_DOF];
    poise_block_gamma(arm->tree, arm->nodes[0], arm->nodes[2], gamma);
    table_compare(table, "gamma of joints 1 and 3",
                  columns[0][0] * columns[2][0] + columns[0][1] * columns[2][1], gamma[0], 1e-14);
}

// Runs a sweep of equations 21 to 23. If `as_printed`, the sum of delta includes the joint itself.
static void sweep(double columns[LINKS][2], bool as_printed, double omega[LINKS]) {
    for (int x = 0; x < LINKS; x++) {
        const double* c = columns[x];
        double delta = 0.0;
        for (int y = 0; y < LINKS; y++) {
            const double gamma = c[0] * columns[y][0] + c[1] * columns[y][1];
            delta += y != x || as_printed ? gamma * omega[y] : 0.0;
        }
        const double beta = c[0] * v[0] + c[1] * v[1];
        omega[x] = (beta - delta) / (c[0] * c[0] + c[1] * c[1]);
    }
}

static void compare_sweeps(Table* table, const PlanarArm* arm, double columns[LINKS][2]) {
    static const int shown[] = {1, 10, 25, 50, 200};
    double printed[LINKS] = {0.0}, corrected[LINKS] = {0.0};
    double left = 1.0;
    int next = 0;
    puts("\nEquations 21 to 23: |J omega - v| / |v| after so many sweeps\n"
         "  sweeps        as printed   without itself             ours");
    for (int i = 1; i <= 200; i++) {
        sweep(columns, true, printed);
        sweep(columns, false, corrected);
        poise_stage_sweep(arm->tree, 0, &left);
        if (i == shown[next]) {
            printf("  %6d  %16.6e %16.6e %16.6e\n", i, residual(columns, printed),
                   residual(columns, corrected), left / hypot(v[0], v[1]));
            next++;
        }
    }
    table_claim(table, "as printed they never end", residual(columns, printed) > 0.1);
    table_claim(table, "without the joint itself they meet v",
                residual(columns, corrected) < 1e-13);
    table_claim(table, "ours do as well", left < 1e-14);
}

// Compares equations 3 and 4 for a ball. The printed [r x] omega is r x omega, but the point moves
// by omega x r.
static void compare_ball(Table* table) {
    const PoiseVec3 r = poise_vec3(0.6, 0.2, 0.1);
    const PoiseVec3 omega = poise_vec3(0.002, -0.001, 0.003);
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.ball_axes = POISE_BALL_THREE_AXES;
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef ball = poise_default_ball_def();
    PoisePointDef point = poise_default_position_def();
    point.link = poise_node_create(tree, &ball);
    point.in_link.p = r;
    const PoisePointId tip = poise_point_create(tree, &point);
    poise_register(tree, tip, point.link);
    poise_forward(tree);
    poise_stage_jacobians(tree);
    double block[POISE_MAX_ROWS * POISE_MAX_DOF];
    poise_jacobian(tree, tip, point.link, block);
    const double turn[3] = {omega.x, omega.y, omega.z};
    double moved[3] = {0.0};
    for (int k = 0; k < 9; k++) {
        moved[k / 3] += block[k] * turn[k % 3];
    }
    const PoiseVec3 true_motion = poise_sub(poise_quat_rotate(poise_quat_exp(omega), r), r);
    const PoiseVec3 printed = poise_cross(r, omega);
    table_head("Equations 3 and 4: a ball turns by omega, the point moves, mm", "it moves by");
    table_compare(table, "x", 1e3 * true_motion.x, 1e3 * moved[0], 5e-3);
    table_compare(table, "y", 1e3 * true_motion.y, 1e3 * moved[1], 5e-3);
    table_compare(table, "z", 1e3 * true_motion.z, 1e3 * moved[2], 5e-3);
    const double off = poise_length(poise_sub(printed, true_motion)) / poise_length(true_motion);
    printf("  as printed it goes the other way: off by %.3f of its way\n", off);
    table_claim(table, "as printed the error doubles", fabs(off - 2.0) < 0.01);
    poise_tree_destroy(tree);
}

// Compares the blend of two springs with equations 24 to 26.
static void compare_springs(Table* table) {
    static const double ratios[] = {0.1, 1.0, 9.0, 999.0};
    const double natural = 0.2, asked = 1.2;
    table_head("Equations 24 to 26: theta_new, p_new and d_new of two springs", "as printed");
    for (int i = 0; i < 4; i++) {
        const double p_orig = 100.0, p_ik = p_orig * ratios[i];
        const PoiseHingeDrive original = {.target = natural, .spring = {p_orig, 10.0}};
        const PoiseHingeDrive ik = {.target = asked, .spring = {p_ik, 5.0}};
        const PoiseHingeDrive blend = poise_blend_hinge(original, ik);
        char what[60];
        snprintf(what, sizeof what, "theta_new at p_ik/p_orig = %g", ratios[i]);
        table_compare(table, what, (p_orig * natural + p_ik * asked) / (p_orig + p_ik),
                      blend.target, 1e-15);
        table_compare(table, "p_new", p_orig + p_ik, blend.spring.stiffness, 0.0);
        table_compare(table, "d_new", 15.0, blend.spring.damping, 0.0);
    }
}

int main(void) {
    Table table = {0};
    double columns[LINKS][2];
    const PlanarArm arm = planar_arm();
    by_hand(columns);
    poise_forward(arm.tree);
    const PoiseVec3 place = poise_point_planned_pose(arm.tree, arm.tip).p;
    poise_point_set_position(arm.tree, arm.tip, poise_add(place, poise_vec3(v[0], v[1], 0.0)));
    poise_stage_jacobians(arm.tree);
    poise_stage_blocks(arm.tree);
    compare_blocks(&table, &arm, columns);
    compare_sweeps(&table, &arm, columns);
    compare_ball(&table);
    compare_springs(&table);
    poise_tree_destroy(arm.tree);
    return table_end(&table);
}
