// SPDX-License-Identifier: MIT
// Tests rotations and poses against matrices and closed forms (rows 4.1-4.3 of DOCUMENTS.md).
#include <criterion/criterion.h>

#include "near.h"
#include "random.h"
#include "shared/half_turn.h"

enum { TRIALS = 2000 };

static const double pi = 3.14159265358979323846;

// Fills the matrix of a unit quaternion, row-major, by the textbook formula.
static void rows_of(PoiseQuat q, double m[9]) {
    m[0] = 1.0 - 2.0 * (q.y * q.y + q.z * q.z);
    m[1] = 2.0 * (q.x * q.y - q.w * q.z);
    m[2] = 2.0 * (q.x * q.z + q.w * q.y);
    m[3] = 2.0 * (q.x * q.y + q.w * q.z);
    m[4] = 1.0 - 2.0 * (q.x * q.x + q.z * q.z);
    m[5] = 2.0 * (q.y * q.z - q.w * q.x);
    m[6] = 2.0 * (q.x * q.z - q.w * q.y);
    m[7] = 2.0 * (q.y * q.z + q.w * q.x);
    m[8] = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
}

static PoiseVec3 times(const double m[9], PoiseVec3 v) {
    return poise_vec3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                      m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

// Rotates v about an axis by an angle, by Rodrigues' formula.
static PoiseVec3 turned(PoiseVec3 axis, double angle, PoiseVec3 v) {
    PoiseVec3 across = poise_cross(axis, v);
    PoiseVec3 turned_v = poise_add_scaled(poise_scale(cos(angle), v), sin(angle), across);
    return poise_add_scaled(turned_v, (1.0 - cos(angle)) * poise_dot(axis, v), axis);
}

static double quat_length(PoiseQuat q) {
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

static PoiseQuat negative(PoiseQuat q) {
    return poise_quat(-q.w, -q.x, -q.y, -q.z);
}

static PoiseQuat random_rotation(Random* random) {
    for (;;) {
        PoiseVec3 u = random_vec3(random, 1.0);
        PoiseQuat q = poise_quat(random_between(random, -1.0, 1.0), u.x, u.y, u.z);
        double length = quat_length(q);
        if (length > 0.1 && length < 1.0) {
            return poise_quat(q.w / length, q.x / length, q.y / length, q.z / length);
        }
    }
}

Test(values, axis_and_angle_turn_as_rodrigues_says) {
    Random random = random_from(1);
    for (int i = 0; i < TRIALS; i++) {
        PoiseVec3 axis = random_direction(&random);
        double angle = random_between(&random, -7.0, 7.0);
        PoiseVec3 v = random_vec3(&random, 3.0);
        // the axis may have any length but 0
        PoiseQuat q = poise_quat_from_axis_angle(
            poise_scale(random_between(&random, 1e-3, 1e3), axis), angle);
        EXPECT_NEAR(quat_length(q), 1.0, 1e-14);
        EXPECT_NEAR3(poise_quat_rotate(q, v), turned(axis, angle, v), 1e-13);
        EXPECT_NEAR3(poise_quat_unrotate(q, poise_quat_rotate(q, v)), v, 1e-13);
    }
    PoiseQuat none = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 0.0), 1.0);
    cr_expect(none.w == 1.0 && none.x == 0.0 && none.y == 0.0 && none.z == 0.0);
}

Test(values, product_turns_by_the_right_factor_first) {
    Random random = random_from(2);
    for (int i = 0; i < TRIALS; i++) {
        PoiseQuat a = random_rotation(&random);
        PoiseQuat b = random_rotation(&random);
        PoiseVec3 v = random_vec3(&random, 2.0);
        double ma[9], mb[9];
        rows_of(a, ma);
        rows_of(b, mb);
        EXPECT_NEAR3(poise_quat_rotate(poise_quat_mul(a, b), v), times(ma, times(mb, v)), 1e-13);
    }
}

Test(values, log_and_exp_undo_each_other) {
    Random random = random_from(3);
    for (int i = 0; i < TRIALS; i++) {
        // lengths of every magnitude below pi
        double length = i % 2 == 0 ? random_between(&random, 0.0, pi)
                                   : exp(random_between(&random, -80.0, 1.0));
        PoiseVec3 r = poise_scale(length, random_direction(&random));
        PoiseQuat q = poise_quat_exp(r);
        EXPECT_NEAR(quat_length(q), 1.0, 1e-14);
        EXPECT_NEAR3(poise_quat_log(q), r, 1e-12 * fmin(1.0, length));
        // q and -q are the same rotation: w < 0
        EXPECT_NEAR3(poise_quat_log(negative(q)), r, 1e-12 * fmin(1.0, length));
        PoiseQuat any = random_rotation(&random);
        EXPECT_NEAR_QUAT(poise_quat_exp(poise_quat_log(any)), any, 1e-12);
    }
}

Test(values, exp_turns_about_its_vector_by_its_length) {
    Random random = random_from(4);
    for (int i = 0; i < TRIALS; i++) {
        PoiseVec3 axis = random_direction(&random);
        double angle = random_between(&random, 0.0, 20.0);
        PoiseVec3 v = random_vec3(&random, 1.0);
        EXPECT_NEAR3(poise_quat_rotate(poise_quat_exp(poise_scale(angle, axis)), v),
                     turned(axis, angle, v), 1e-13);
    }
}

Test(values, log_is_finite_and_right_at_its_ends) {
    PoiseVec3 zero = poise_quat_log(poise_quat_identity());
    cr_expect(zero.x == 0.0 && zero.y == 0.0 && zero.z == 0.0);
    zero = poise_quat_log(poise_quat(-1.0, 0.0, 0.0, 0.0));
    cr_expect(zero.x == 0.0 && zero.y == 0.0 && zero.z == 0.0);
    PoiseQuat one = poise_quat_exp(poise_vec3(0.0, 0.0, 0.0));
    cr_expect(one.w == 1.0 && one.x == 0.0 && one.y == 0.0 && one.z == 0.0);
    // half a turn, for either sign of the quaternion
    EXPECT_NEAR3(poise_quat_log(poise_quat(0.0, 0.0, 1.0, 0.0)), poise_vec3(0.0, pi, 0.0), 1e-15);
    double half = sqrt(0.5);
    PoiseVec3 diagonal = poise_quat_log(poise_quat(0.0, half, half, 0.0));
    EXPECT_NEAR3(diagonal, poise_vec3(pi * half, pi * half, 0.0), 1e-15);
    EXPECT_NEAR3(poise_quat_log(poise_quat(0.0, -half, -half, 0.0)), diagonal, 0.0);
    // On both sides of half a turn the length is at most pi, and the axis stays.
    for (double off = 1e-1; off > 1e-17; off *= 0.1) {
        PoiseVec3 axis = poise_vec3(0.6, 0.0, 0.8);
        PoiseVec3 before = poise_quat_log(poise_quat_from_axis_angle(axis, pi - off));
        PoiseVec3 after = poise_quat_log(poise_quat_from_axis_angle(axis, pi + off));
        cr_expect(poise_length(before) <= pi * (1.0 + 1e-15));
        cr_expect(poise_length(after) <= pi * (1.0 + 1e-15));
        EXPECT_NEAR3(before, poise_scale(pi - off, axis), 1e-14);
        EXPECT_NEAR(fabs(poise_dot(after, axis)), pi - off, 1e-14);
    }
}

Test(values, normalize_keeps_the_direction_of_any_length) {
    Random random = random_from(5);
    for (int i = 0; i < TRIALS; i++) {
        PoiseQuat q = random_rotation(&random);
        double s = exp(random_between(&random, -600.0, 600.0));
        PoiseQuat n = poise_quat_normalize(poise_quat(s * q.w, s * q.x, s * q.y, s * q.z));
        EXPECT_NEAR(n.w, q.w, 1e-14);
        EXPECT_NEAR(n.x, q.x, 1e-14);
        EXPECT_NEAR(n.y, q.y, 1e-14);
        EXPECT_NEAR(n.z, q.z, 1e-14);
        EXPECT_NEAR(quat_length(n), 1.0, 1e-15);
    }
    const PoiseQuat bad[] = {{0.0, 0.0, 0.0, 0.0},
                             {(double)NAN, 0.0, 0.0, 1.0},
                             {1.0, HUGE_VAL, 0.0, 0.0},
                             {0.0, 0.0, -HUGE_VAL, (double)NAN}};
    for (int i = 0; i < 4; i++) {
        PoiseQuat n = poise_quat_normalize(bad[i]);
        cr_expect(n.w == 1.0 && n.x == 0.0 && n.y == 0.0 && n.z == 0.0, "case %d", i);
    }
    // the smallest and the largest numbers
    cr_expect(poise_quat_normalize(poise_quat(0.0, 5e-324, 0.0, 0.0)).x == 1.0);
    PoiseQuat huge = poise_quat_normalize(poise_quat(1.7e308, 1.7e308, 1.7e308, 1.7e308));
    EXPECT_NEAR(huge.z, 0.5, 1e-15);
}

static void expect_slerp(PoiseQuat a, PoiseQuat b, double t, double tolerance) {
    // Expected: a, then part t of the shorter rotation from a to b.
    PoiseVec3 way = poise_quat_log(poise_quat_mul(b, poise_quat_conjugate(a)));
    PoiseQuat expected = poise_quat_mul(poise_quat_exp(poise_scale(t, way)), a);
    PoiseQuat actual = poise_quat_slerp(a, b, t);
    EXPECT_NEAR(quat_length(actual), 1.0, 1e-14);
    EXPECT_NEAR_QUAT(actual, expected, tolerance);
}

Test(values, slerp_takes_the_shorter_rotation_at_constant_speed) {
    Random random = random_from(6);
    for (int i = 0; i < TRIALS; i++) {
        PoiseQuat a = random_rotation(&random);
        PoiseQuat b = random_rotation(&random);
        double t = random_unit(&random);
        expect_slerp(a, b, t, 1e-12);
        expect_slerp(a, negative(b), t, 1e-12);
        // a and b are so close that the quotient of the weights would lose its digits
        PoiseVec3 little = random_direction(&random);
        little = poise_scale(exp(random_between(&random, -40.0, -2.0)), little);
        expect_slerp(a, poise_quat_mul(poise_quat_exp(little), a), t, 1e-14);
    }
}

Test(values, slerp_ends_exactly_at_its_ends) {
    Random random = random_from(7);
    for (int i = 0; i < TRIALS; i++) {
        PoiseQuat a = random_rotation(&random);
        PoiseQuat b =
            i % 3 == 0 ? poise_quat_mul(random_turn(&random, 1e-7), a) : random_rotation(&random);
        PoiseQuat start = poise_quat_slerp(a, b, 0.0);
        cr_expect(start.w == a.w && start.x == a.x && start.y == a.y && start.z == a.z);
        PoiseQuat end = poise_quat_slerp(a, b, 1.0);
        PoiseQuat other = negative(b);
        cr_expect((end.w == b.w && end.x == b.x && end.y == b.y && end.z == b.z) ||
                  (end.w == other.w && end.x == other.x && end.y == other.y && end.z == other.z));
    }
}

Test(values, matrix_rows_give_the_quaternion_back) {
    Random random = random_from(8);
    for (int i = 0; i < TRIALS; i++) {
        PoiseQuat q = random_rotation(&random);
        double m[9];
        rows_of(q, m);
        EXPECT_NEAR_QUAT(poise_quat_from_rows(m), q, 1e-12);
    }
    // half turns about coordinate and other axes: trace -1, and row 3.3's (1, 1, 0)
    static const PoiseVec3 axes[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0},  {0.0, 0.0, 1.0},
                                     {1.0, 1.0, 0.0}, {1.0, 0.0, -1.0}, {0.0, 1.0, 1.0},
                                     {1.0, 1.0, 1.0}, {-1.0, 2.0, 0.5}, {0.0, 0.0, 0.0}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        for (double off = -1e-3; off <= 1e-3; off += 0.5e-3) {
            PoiseQuat q = poise_quat_from_axis_angle(axes[i], pi + off);
            double m[9];
            rows_of(q, m);
            EXPECT_NEAR_QUAT(poise_quat_from_rows(m), q, 1e-12);
        }
    }
}

Test(values, poses_compose_apply_and_invert) {
    Random random = random_from(9);
    for (int i = 0; i < TRIALS; i++) {
        PoisePose a = random_pose(&random, 2.0, 3.0);
        PoisePose b = random_pose(&random, 2.0, 6.0);
        PoiseVec3 x = random_vec3(&random, 2.0);
        double m[9];
        rows_of(a.q, m);
        EXPECT_NEAR3(poise_pose_apply(a, x), poise_add(a.p, times(m, x)), 1e-13);
        EXPECT_NEAR3(poise_pose_apply(poise_pose_mul(a, b), x),
                     poise_pose_apply(a, poise_pose_apply(b, x)), 1e-13);
        PoisePose none = poise_pose_mul(a, poise_pose_inverse(a));
        EXPECT_NEAR3(none.p, poise_vec3(0.0, 0.0, 0.0), 1e-13);
        EXPECT_NEAR_QUAT(none.q, poise_quat_identity(), 1e-13);
        EXPECT_NEAR3(poise_pose_apply(poise_pose_inverse(a), poise_pose_apply(a, x)), x, 1e-13);
    }
}

Test(values, finite_differs_from_not_finite) {
    cr_expect(poise_is_finite3(poise_vec3(1e308, -1e308, 0.0)));
    cr_expect_not(poise_is_finite3(poise_vec3(0.0, (double)NAN, 0.0)));
    cr_expect_not(poise_is_finite3(poise_vec3(0.0, 0.0, -HUGE_VAL)));
    cr_expect_not(poise_is_finite_quat(poise_quat(0.0, 0.0, 0.0, (double)NAN)));
    PoisePose pose = poise_pose_identity();
    cr_expect(poise_is_finite_pose(pose));
    pose.q.w = HUGE_VAL;
    cr_expect_not(poise_is_finite_pose(pose));
}

// Compares with the C library's atan2, over both senses, both signs of the cosine and tiny
// rotations.
Test(values, a_turn_is_known_from_sine_and_cosine_of_half_of_it) {
    Random random = random_from(4242);
    for (int i = 0; i < 100000; i++) {
        const double size = i % 3 == 0 ? 1e-5 : 6.28;
        const double half = 0.5 * random_between(&random, -size, size);
        const double length = random_between(&random, 0.5, 2.0);
        const double sine = length * sin(half), cosine = length * cos(half);
        const double expected = 2.0 * atan2(sine, cosine);
        EXPECT_NEAR(poise_turn_of_half(sine, cosine), expected, 1e-15 * fabs(expected));
    }
    cr_expect_eq(poise_turn_of_half(0.0, 0.0), 0.0);
    EXPECT_NEAR(poise_turn_of_half(-1.0, 0.0), 2.0 * atan2(-1.0, 0.0), 0.0);
}
