// SPDX-License-Identifier: MIT
// What the functions of universal, translation and free nodes, cones, speeds and references do with
// arguments that are no good.
#include "refuse.h"

static const double posture[POISE_MAX_POSTURE] = {0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0};

BENCH_TEST(kinds_refuse, defs) {
    NO_NODE(slider, cookie, 0);
    NO_NODE(universal, cookie, 0);
    NO_NODE(translation, cookie, 0);
    NO_NODE(free, cookie, 0);
    NO_NODE(universal, axis, poise_vec3(0.0, 0.0, 0.0));
    NO_NODE(universal, axis2, poise_vec3(0.0, 0.0, 0.0));
    // along the first
    NO_NODE(universal, axis2, poise_vec3(-3.0, 0.0, 0.0));
    NO_NODE(universal, lower2, HUGE_VAL);
    NO_NODE(universal, upper2, -HUGE_VAL);
    NO_NODE(universal, lower2, NOT_A_NUMBER);
    NO_NODE(translation, free_axes, 64u);
    NO_NODE(free, free_axes, 1u << 31);
    NO_NODE(ball, swing_limit, -0.1);
    NO_NODE(ball, swing_limit, NOT_A_NUMBER);
    NO_NODE(ball, twist_lower, NOT_A_NUMBER);
    NO_NODE(ball, twist_upper, NOT_A_NUMBER);
    NO_NODE(ball, twist_lower, HUGE_VAL);
    NO_NODE(hinge, max_speed, 0.0);
    NO_NODE(hinge, max_speed, -1.0);
    NO_NODE(hinge, max_speed, NOT_A_NUMBER);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_NODE(universal, axis2, bad_vec3(i));
        NO_NODE(universal, angle2, bad_numbers[i]);
        NO_NODE(translation, translation, bad_vec3(i));
        NO_NODE(free, translation, bad_vec3(i));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        NO_NODE(free, rotation, bad_quat(i));
    }
}

static const PoiseLimits limits = {{-0.1, -HUGE_VAL, -HUGE_VAL}, {0.1, HUGE_VAL, HUGE_VAL}};

BENCH_TEST(kinds_refuse, handles) {
    const PoiseNodeId bad[] = {poise_null_node(), bench->dead_node, bench->foreign_node};
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        REFUSES(bench, expected, poise_node_set_free_axes(tree, bad[i], POISE_AXES_LINEAR));
        REFUSES(bench, expected, poise_node_set_limits(tree, bad[i], limits));
        REFUSES(bench, expected, poise_node_set_max_speed(tree, bad[i], 1.0));
        cr_expect_eq(poise_node_max_speed(tree, bad[i]), 0.0);
        PoiseVec3 com = {7.0, 7.0, 7.0};
        cr_expect(poise_node_mass(tree, bad[i], &com) == 0.0 && com.x == 7.0);
        REFUSES(bench, expected, poise_node_set_posture(tree, bad[i], posture, 1));
        REFUSES(bench, expected, poise_node_set_reference(tree, bad[i], posture, 1));
        REFUSES(bench, expected, poise_node_set_reference_weight(tree, bad[i], 1.0));
        cr_expect(poise_node_reference_weight(tree, bad[i]) == 0.0);
    }
}

EXTENDED_TEST(kinds_refuse, null_tree) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    GIVES(expected, poise_node_set_free_axes(NULL, bench->free, POISE_AXES_LINEAR));
    GIVES(expected, poise_node_set_limits(NULL, bench->hinge, limits));
    GIVES(expected, poise_node_set_max_speed(NULL, bench->hinge, 1.0));
    cr_expect_eq(poise_node_max_speed(NULL, bench->hinge), 0.0);
    cr_expect_eq(poise_node_mass(NULL, bench->hinge, NULL), 0.0);
    GIVES(expected, poise_node_set_posture(NULL, bench->hinge, posture, 1));
    GIVES(expected, poise_node_set_reference(NULL, bench->hinge, posture, 1));
    GIVES(expected, poise_node_set_reference_weight(NULL, bench->hinge, 1.0));
}

EXTENDED_TEST(kinds_refuse, numbers) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    REFUSES(bench, expected, poise_node_set_free_axes(tree, bench->free, 64u));
    REFUSES(bench, expected, poise_node_set_free_axes(tree, bench->translation, ~0u));
    PoiseLimits wrong = limits;
    wrong.lower[0] = 0.2;
    REFUSES(bench, expected, poise_node_set_limits(tree, bench->universal, wrong));
    REFUSES(bench, expected, poise_node_set_limits(tree, bench->ball, wrong));
    wrong.lower[0] = -0.05;
    REFUSES(bench, expected, poise_node_set_limits(tree, bench->ball, wrong));
    wrong = limits;
    wrong.upper[1] = NOT_A_NUMBER;
    REFUSES(bench, expected, poise_node_set_limits(tree, bench->universal, wrong));
    REFUSES(bench, expected, poise_node_set_limits(tree, bench->hinge, poise_cone(0.5, -0.1, 0.1)));
    REFUSES(bench, expected, poise_node_set_limits(tree, bench->ball, poise_cone(-0.1, -0.1, 0.1)));
    REFUSES(bench, expected, poise_node_set_limits(tree, bench->ball, poise_cone(0.1, 0.1, -0.1)));
    REFUSES(bench, expected,
            poise_node_set_limits(tree, bench->ball, poise_cone(NOT_A_NUMBER, -0.1, 0.1)));
    REFUSES(bench, expected,
            poise_node_set_limits(tree, bench->ball, poise_cone(0.1, NOT_A_NUMBER, 0.1)));
    REFUSES(bench, expected, poise_node_set_max_speed(tree, bench->hinge, 0.0));
    REFUSES(bench, expected, poise_node_set_max_speed(tree, bench->hinge, -1.0));
    REFUSES(bench, expected, poise_node_set_max_speed(tree, bench->hinge, NOT_A_NUMBER));
}

typedef PoiseStatus (*SetNumbers)(PoiseTree*, PoiseNodeId, const double*, int);

// a setter of as many numbers as each kind has, coordinates or velocities, all finite
static void expect_counted(Bench* bench, SetNumbers set, bool velocities, const char* name) {
    const PoiseNodeId nodes[] = {bench->hinge,     bench->slider,      bench->ball,
                                 bench->universal, bench->translation, bench->free};
    for (int k = 0; k < 6; k++) {
        const PoiseJointType* type = poise_joint_type(poise_node_kind(bench->tree, nodes[k]));
        const int count = velocities ? type->nv : type->nq;
        const struct {
            const double* numbers;
            int count;
        } rows[] = {{NULL, count}, {posture, count - 1}, {posture, count + 1}, {posture, -1}};
        for (int i = 0; i < 4; i++) {
            Snapshot before = snapshot_of(bench->tree);
            expect_refused(bench, &before, POISE_ERROR_INVALID_ARGUMENT,
                           set(bench->tree, nodes[k], rows[i].numbers, rows[i].count), name);
        }
        for (int i = 0; i < BAD_NUMBERS; i++) {
            double off[POISE_MAX_POSTURE];
            memcpy(off, posture, sizeof off);
            off[count - 1 - i % count] = bad_numbers[i];
            Snapshot before = snapshot_of(bench->tree);
            expect_refused(bench, &before, POISE_ERROR_INVALID_ARGUMENT,
                           set(bench->tree, nodes[k], off, count), name);
        }
    }
}

EXTENDED_TEST(kinds_refuse, postures_and_steps) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    expect_counted(bench, poise_node_set_posture, false, "poise_node_set_posture");
    expect_counted(bench, poise_node_set_reference, false, "poise_node_set_reference");
    expect_counted(bench, poise_node_shift, true, "poise_node_shift");
    const PoiseNodeId lost[] = {bench->dead_node, bench->foreign_node};
    for (int i = 0; i < 2; i++) {
        REFUSES(bench, POISE_ERROR_INVALID_HANDLE, poise_node_shift(tree, lost[i], posture, 1));
    }
    GIVES(expected, poise_node_shift(NULL, bench->hinge, posture, 1));
    // a rotation of 0
    const double nothing[POISE_MAX_POSTURE] = {0.0};
    REFUSES(bench, expected, poise_node_set_posture(tree, bench->ball, nothing, 4));
    REFUSES(bench, expected, poise_node_set_posture(tree, bench->free, nothing, 7));
    REFUSES(bench, expected, poise_node_set_reference(tree, bench->ball, nothing, 4));
    GIVES(POISE_OK, poise_node_set_reference(tree, bench->ball, NULL, 0));
}

EXTENDED_TEST(kinds_refuse, other_kinds) {
    const PoiseStatus expected = POISE_ERROR_WRONG_KIND;
    const PoiseNodeId all[] = {bench->hinge,     bench->slider,      bench->ball,
                               bench->universal, bench->translation, bench->free};
    for (int k = 0; k < 6; k++) {
        const PoiseNodeKind kind = poise_node_kind(tree, all[k]);
        if (kind != POISE_NODE_HINGE && kind != POISE_NODE_SLIDER) {
            REFUSES(bench, expected, poise_node_set_angle(tree, all[k], 0.1));
        }
        if (kind != POISE_NODE_FREE && kind != POISE_NODE_TRANSLATION) {
            REFUSES(bench, expected, poise_node_set_free_axes(tree, all[k], 1u));
        } else {
            REFUSES(bench, expected, poise_node_set_limits(tree, all[k], limits));
        }
    }
}

BENCH_TEST(kinds_refuse, a_handle_that_reads_as_nothing) {
    const PoiseNodeId bad[] = {poise_null_node(), bench->dead_node, bench->foreign_node};
    double out[POISE_MAX_POSTURE] = {7.0};
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(poise_node_free_axes(tree, bad[i]), 0u);
        cr_expect_eq(poise_node_pose(tree, bad[i]).q.w, 1.0);
        cr_expect_eq(poise_node_base(tree, bad[i]).q.w, 1.0);
        cr_expect_eq(poise_node_joint_in_parent(tree, bad[i]).q.w, 1.0);
        cr_expect_eq(poise_node_link_in_joint(tree, bad[i]).q.w, 1.0);
        cr_expect_eq(poise_length(poise_node_axis(tree, bad[i])), 0.0);
        cr_expect_eq(poise_length(poise_node_axis2(tree, bad[i])), 0.0);
        cr_expect_eq(poise_length(poise_node_axis3(tree, bad[i])), 0.0);
        cr_expect_eq(poise_node_limits(tree, bad[i]).lower[2], -HUGE_VAL);
        cr_expect_eq(poise_node_limits(tree, bad[i]).upper[0], HUGE_VAL);
        cr_expect_eq(poise_node_posture(tree, bad[i], out), 0);
        cr_expect_eq(poise_node_at_limit(tree, bad[i]), 0);
    }
    cr_expect_eq(out[0], 7.0, "something was written for a handle that is not valid");
    cr_expect_eq(poise_tree_status(tree), POISE_OK);
}
