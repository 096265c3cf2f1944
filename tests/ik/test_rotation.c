// SPDX-License-Identifier: MIT
// Tests log-quaternions, their derivatives, roll-pitch-yaw and Euler angles (rows 1.10, 4.1-4.3,
// 4.6). Oracles: printed vectors, products of elementary matrices, central differences.
#include <criterion/criterion.h>

#include "dense.h"
#include "near.h"
#include "poise/rotation.h"
#include "random.h"

#define PI 3.14159265358979323846

enum { TRIALS = 2000, ORDERS = 12 };

static const char axis_names[ORDERS][4] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX",
                                           "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"};

// ---------------------------------------------------------------- derivatives, against print

typedef struct Derivative {
    double u[3];
    double q[4];
    double dq[3][4];
} Derivative;

static const Derivative printed[6] = {
    {{0, 0, 0}, {1, 0, 0, 0}, {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}},
    {{1e-09, 0, 0}, {1, 1e-09, 0, 0}, {{-1e-09, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}},
    {{1e-05, 2e-05, -1e-05},
     {0.9999999997, 9.999999999e-06, 1.9999999998e-05, -9.999999999e-06},
     {{-9.999999999e-06, 0.9999999998666667, -6.666666666266667e-11, 3.3333333331333335e-11},
      {-1.9999999998e-05, -6.666666666266667e-11, 0.9999999997666666, 6.666666666266667e-11},
      {9.999999999e-06, 3.3333333331333335e-11, 6.666666666266667e-11, 0.9999999998666667}}},
    {{0.1, -0.2, 0.3},
     {0.930812865068528, 0.09768294566128514, -0.1953658913225703, 0.2930488369838554},
     {{-0.09768294566128514, 0.9735425572168283, 0.006573798792046195, -0.00986069818806929},
      {0.1953658913225703, 0.006573798792046195, 0.963681859028759, 0.01972139637613858},
      {-0.2930488369838554, -0.00986069818806929, 0.01972139637613858, 0.9472473620486435}}},
    {{0.7, 0.4, -0.9},
     {0.35460513894136636, 0.5416774085253401, 0.30952994772876585, -0.6964423823897231},
     {{-0.5416774085253401, 0.6331278365229634, -0.08039830445654349, 0.18089618502722285},
      {-0.30952994772876585, -0.08039830445654349, 0.7278829810610326, 0.1033692485869845},
      {0.6964423823897231, 0.18089618502722285, 0.1033692485869845, 0.5412440600011994}}},
    {{1.5, 0.1, 0},
     {0.06741551864150397, 0.9955151827322961, 0.06636767884881975, 0},
     {{-0.9955151827322961, 0.07005384284436544, -0.03957486304292214, 0},
      {-0.06636767884881975, -0.03957486304292214, 0.661038464285336, 0},
      {0, 0, 0, 0.6636767884881974}}}};

static void expect_quat(PoiseQuat q, const double expected[4], double scale, double tolerance) {
    EXPECT_NEAR(q.w, scale * expected[0], tolerance);
    EXPECT_NEAR(q.x, scale * expected[1], tolerance);
    EXPECT_NEAR(q.y, scale * expected[2], tolerance);
    EXPECT_NEAR(q.z, scale * expected[3], tolerance);
}

Test(rotation, log_quaternions_and_derivatives_are_the_printed_ones) {
    for (int i = 0; i < 6; i++) {
        const Derivative* row = &printed[i];
        const PoiseVec3 u = poise_vec3(row->u[0], row->u[1], row->u[2]);
        PoiseQuat dq[3];
        expect_quat(poise_quat_exp_half(u), row->q, 1.0, 1e-15);
        EXPECT_NEAR3(poise_quat_log_half(poise_quat_exp_half(u)), u, 1e-15);
        poise_quat_exp_half_derivative(u, dq);
        for (int k = 0; k < 3; k++) {
            expect_quat(dq[k], row->dq[k], 1.0, 1e-15);
        }
        // The vector of the whole angle is twice as long, and its slope half as large.
        const PoiseVec3 r = poise_scale(2.0, u);
        expect_quat(poise_quat_exp(r), row->q, 1.0, 1e-15);
        poise_quat_exp_derivative(r, dq);
        for (int k = 0; k < 3; k++) {
            expect_quat(dq[k], row->dq[k], 0.5, 1e-15);
        }
    }
}

// Rotation vectors of every length up to more than two turns. The error is relative, so that small
// lengths are tested too.
Test(rotation, derivatives_match_central_differences) {
    Random random = random_from(41);
    for (int i = 0; i < TRIALS; i++) {
        const double length = i % 2 == 0 ? random_between(&random, 0.0, 14.0)
                                         : exp(random_between(&random, -60.0, 1.0));
        const PoiseVec3 r = poise_scale(length, random_direction(&random));
        PoiseQuat dq[3];
        poise_quat_exp_derivative(r, dq);
        for (int k = 0; k < 3; k++) {
            const double h = 1e-5;
            const PoiseVec3 step = poise_vec3(k == 0 ? h : 0.0, k == 1 ? h : 0.0, k == 2 ? h : 0.0);
            const PoiseQuat a = poise_quat_exp(poise_add(r, step));
            const PoiseQuat b = poise_quat_exp(poise_sub(r, step));
            const double s = 0.5 / h;
            EXPECT_NEAR(dq[k].w, s * (a.w - b.w), 1e-10);
            EXPECT_NEAR(dq[k].x, s * (a.x - b.x), 1e-10);
            EXPECT_NEAR(dq[k].y, s * (a.y - b.y), 1e-10);
            EXPECT_NEAR(dq[k].z, s * (a.z - b.z), 1e-10);
        }
    }
}

// The series and the closed form agree where one replaces the other.
Test(rotation, derivatives_have_no_step_between_their_forms) {
    const PoiseVec3 axis = poise_vec3(0.48, 0.6, 0.64);
    PoiseQuat below[3], above[3];
    poise_quat_exp_half_derivative(poise_scale(0.2 - 1e-15, axis), below);
    poise_quat_exp_half_derivative(poise_scale(0.2 + 1e-15, axis), above);
    for (int k = 0; k < 3; k++) {
        const double row[4] = {below[k].w, below[k].x, below[k].y, below[k].z};
        expect_quat(above[k], row, 1.0, 1e-14);
    }
}

Test(rotation, angular_velocity_is_the_turn_per_second) {
    Random random = random_from(42);
    for (int i = 0; i < TRIALS; i++) {
        const PoiseQuat q = random_turn(&random, 3.0);
        const PoiseVec3 omega = random_vec3(&random, 5.0);
        const double h = 1e-4;
        const PoiseQuat a = poise_quat_mul(poise_quat_exp(poise_scale(h, omega)), q);
        const PoiseQuat b = poise_quat_mul(poise_quat_exp(poise_scale(-h, omega)), q);
        const double s = 0.5 / h;
        const PoiseQuat rate =
            poise_quat(s * (a.w - b.w), s * (a.x - b.x), s * (a.y - b.y), s * (a.z - b.z));
        EXPECT_NEAR3(poise_quat_angular_velocity(q, rate), omega, 1e-6);
    }
}

// ------------------------------------------------- half angle or whole: one update (row 4.6)

enum { LINKS = 5 };

// Returns the end of five links of 1 m along z, each rotated by its joint.
static PoiseVec3 effector(const PoiseQuat q[LINKS]) {
    PoiseVec3 p = poise_vec3(0.0, 0.0, 0.0);
    for (int i = LINKS - 1; i >= 0; i--) {
        p = poise_quat_rotate(q[i], poise_add(p, poise_vec3(0.0, 0.0, 1.0)));
    }
    return p;
}

// Fills d effector / d (rotation vector of each joint), 3 x 15, row-major.
static void slopes(const PoiseVec3 vectors[LINKS], bool half, double j[3 * 3 * LINKS]) {
    PoiseQuat q[LINKS], before = poise_quat_identity();
    for (int i = 0; i < LINKS; i++) {
        q[i] = half ? poise_quat_exp_half(vectors[i]) : poise_quat_exp(vectors[i]);
    }
    for (int i = 0; i < LINKS; i++) {
        PoiseQuat dq[3], rest[LINKS];
        for (int k = 0; k < LINKS; k++) {
            rest[k] = k < i ? poise_quat_identity() : q[k];
        }
        PoiseVec3 arm = effector(rest);
        arm.z -= i; // vector from joint i to the end, before the rotations of the joints below
        (half ? poise_quat_exp_half_derivative : poise_quat_exp_derivative)(vectors[i], dq);
        for (int k = 0; k < 3; k++) {
            const PoiseVec3 omega = poise_quat_angular_velocity(q[i], dq[k]);
            const PoiseVec3 d = poise_quat_rotate(before, poise_cross(omega, arm));
            j[3 * i + k] = d.x;
            j[3 * LINKS + 3 * i + k] = d.y;
            j[6 * LINKS + 3 * i + k] = d.z;
        }
        before = poise_quat_mul(before, q[i]);
    }
}

// Adds J^T (J J^T)^-1 dp to the vectors.
static void update(PoiseVec3 vectors[LINKS], bool half, PoiseVec3 dp) {
    double j[3 * 3 * LINKS];
    long double a[9], b[3] = {(long double)dp.x, (long double)dp.y, (long double)dp.z};
    slopes(vectors, half, j);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            a[3 * r + c] = 0.0L;
            for (int k = 0; k < 3 * LINKS; k++) {
                a[3 * r + c] +=
                    (long double)j[3 * LINKS * r + k] * (long double)j[3 * LINKS * c + k];
            }
        }
    }
    cr_assert(dense_solve(a, b, 3));
    for (int i = 0; i < LINKS; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = 0.0;
            for (int r = 0; r < 3; r++) {
                d[k] += j[3 * LINKS * r + 3 * i + k] * (double)b[r];
            }
        }
        vectors[i] = poise_add(vectors[i], poise_vec3(d[0], d[1], d[2]));
    }
}

Test(rotation, half_and_whole_angle_give_the_same_update) {
    Random random = random_from(43);
    for (int trial = 0; trial < 200; trial++) {
        PoiseVec3 whole[LINKS], half[LINKS];
        PoiseQuat before[LINKS], after[LINKS];
        for (int i = 0; i < LINKS; i++) {
            // a single joint has no rotation: u = 0
            whole[i] = i == trial % LINKS ? poise_vec3(0.0, 0.0, 0.0)
                                          : poise_quat_log(random_turn(&random, PI));
            half[i] = poise_scale(0.5, whole[i]);
            before[i] = poise_quat_exp(whole[i]);
        }
        const PoiseVec3 dp = poise_scale(1e-3, random_direction(&random));
        update(whole, false, dp);
        update(half, true, dp);
        for (int i = 0; i < LINKS; i++) {
            after[i] = poise_quat_exp(whole[i]);
            EXPECT_NEAR_QUAT(poise_quat_exp_half(half[i]), after[i], 1e-12);
        }
        // The end moves by dp, to second order.
        EXPECT_NEAR3(poise_sub(effector(after), effector(before)), dp, 1e-4);
    }
}

// ----------------------------------------------------------------------- Euler angles

// Fills the rotation matrix Rx, Ry or Rz, row-major.
static void elementary(char axis, double angle, double m[9]) {
    const double c = cos(angle), s = sin(angle);
    const int i = axis - 'X', j = (i + 1) % 3, k = (i + 2) % 3;
    for (int e = 0; e < 9; e++) {
        m[e] = 0.0;
    }
    m[4 * i] = 1.0;
    m[4 * j] = c;
    m[4 * k] = c;
    m[3 * j + k] = -s;
    m[3 * k + j] = s;
}

static void multiply(const double a[9], const double b[9], double out[9]) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
        }
    }
}

static void matrix_of(const char* axes, PoiseEuler angles, double m[9]) {
    double a[9], b[9], ab[9];
    elementary(axes[0], angles.first, a);
    elementary(axes[1], angles.second, b);
    multiply(a, b, ab);
    elementary(axes[2], angles.third, a);
    multiply(ab, a, m);
}

static void expect_rows(const double a[9], const double b[9], double tolerance, const char* what) {
    double worst = 0.0;
    for (int e = 0; e < 9; e++) {
        worst = fmax(worst, fabs(a[e] - b[e]));
    }
    cr_expect(worst <= tolerance, "%s: off by %g", what, worst);
}

// Draws the middle angle: anywhere, near gimbal lock and at gimbal lock.
static double middle_of(Random* random, int i, int order) {
    const double lock = order < 6 ? 0.5 * PI : 0.0;
    const double sign = i % 2 == 0 ? 1.0 : -1.0;
    switch (i % 4) {
    case 0:
        return sign * lock;
    case 1:
        return sign * lock + exp(random_between(random, -40.0, -2.0));
    case 2:
        return lock == 0.0 ? PI : lock;
    default:
        return random_between(random, -7.0, 7.0);
    }
}

Test(rotation, every_order_of_euler_angles_comes_back_gimbal_included) {
    Random random = random_from(44);
    for (int order = 0; order < ORDERS; order++) {
        const PoiseEulerOrder kind = (PoiseEulerOrder)order;
        for (int i = 0; i < TRIALS; i++) {
            PoiseEuler in;
            in.first = random_between(&random, -7.0, 7.0);
            in.second = middle_of(&random, i, order);
            in.third = random_between(&random, -7.0, 7.0);
            double expected[9], rows[9];
            matrix_of(axis_names[order], in, expected);
            PoiseQuat q = poise_quat_from_euler(kind, in);
            poise_quat_to_rows(q, rows);
            expect_rows(rows, expected, 1e-14, axis_names[order]);
            if (i % 3 == 0) {
                q = poise_quat(-q.w, -q.x, -q.y, -q.z);
            }
            const PoiseEuler out = poise_quat_to_euler(q, kind);
            const double low = order < 6 ? -0.5 * PI : 0.0;
            cr_expect(fabs(out.first) <= PI && fabs(out.third) <= PI);
            cr_expect(out.second >= low && out.second <= low + PI);
            matrix_of(axis_names[order], out, rows);
            expect_rows(rows, expected, 1e-12, axis_names[order]);
            if (i % 4 == 0) {
                cr_expect(fabs(out.third) < 1e-12, "%s: %g", axis_names[order], out.third);
            }
        }
    }
}

Test(rotation, euler_angles_near_a_reference_are_the_nearest_there_are) {
    Random random = random_from(45);
    for (int order = 0; order < ORDERS; order++) {
        const PoiseEulerOrder kind = (PoiseEulerOrder)order;
        for (int i = 0; i < 400; i++) {
            PoiseEuler in, near_to;
            in.first = random_between(&random, -9.0, 9.0);
            in.second = middle_of(&random, i, order);
            in.third = random_between(&random, -9.0, 9.0);
            near_to.first = random_between(&random, -9.0, 9.0);
            near_to.second = random_between(&random, -9.0, 9.0);
            near_to.third = random_between(&random, -9.0, 9.0);
            const PoiseQuat q = poise_quat_from_euler(kind, in);
            const PoiseEuler out = poise_quat_to_euler_near(q, kind, near_to);
            double rows[9], expected[9];
            matrix_of(axis_names[order], in, expected);
            matrix_of(axis_names[order], out, rows);
            expect_rows(rows, expected, 1e-12, axis_names[order]);
            // The angles that made q are one of the answers, up to whole turns. Near gimbal lock,
            // the rounding of q makes the outer two uncertain by `open` rad.
            const double lock = fabs(order < 6 ? cos(in.second) : sin(in.second));
            const double open = lock > 1e-13 ? 1e-13 / lock : 0.0;
            const double off = fabs(out.first - near_to.first) + fabs(out.second - near_to.second) +
                               fabs(out.third - near_to.third);
            cr_expect(off <= 3.0 * PI + 1e-9);
            const double square = pow(out.first - near_to.first, 2.0) +
                                  pow(out.second - near_to.second, 2.0) +
                                  pow(out.third - near_to.third, 2.0);
            PoiseEuler other = in;
            other.first = near_to.first + remainder(in.first - near_to.first, 2.0 * PI);
            other.second = near_to.second + remainder(in.second - near_to.second, 2.0 * PI);
            other.third = near_to.third + remainder(in.third - near_to.third, 2.0 * PI);
            const double with_it = pow(other.first - near_to.first, 2.0) +
                                   pow(other.second - near_to.second, 2.0) +
                                   pow(other.third - near_to.third, 2.0);
            cr_expect(square <= with_it + 1e-9 + open, "%s: %g, but %g is there", axis_names[order],
                      square, with_it);
        }
        // A reference that is an answer is returned.
        PoiseEuler still = {0.4, order < 6 ? 0.5 * PI : 0.0, -1.3};
        const PoiseEuler out =
            poise_quat_to_euler_near(poise_quat_from_euler(kind, still), kind, still);
        EXPECT_NEAR(out.first, still.first, 1e-12);
        EXPECT_NEAR(out.second, still.second, 1e-12);
        EXPECT_NEAR(out.third, still.third, 1e-12);
    }
}

// Row 1.10 of DOCUMENTS.md
Test(rotation, roll_pitch_yaw_comes_back_gimbal_included) {
    Random random = random_from(46);
    for (int i = 0; i < TRIALS; i++) {
        const double pitch = middle_of(&random, i, 5);
        const double roll = random_between(&random, -PI, PI);
        const PoiseVec3 rpy = poise_vec3(roll, pitch, random_between(&random, -PI, PI));
        // Rotations about fixed axes: yaw's matrix comes first in the product.
        const PoiseEuler turns = {rpy.z, rpy.y, rpy.x};
        double expected[9], rows[9];
        matrix_of("ZYX", turns, expected);
        const PoiseQuat q = poise_quat_from_rpy(rpy);
        poise_quat_to_rows(q, rows);
        expect_rows(rows, expected, 1e-14, "from rpy");
        const PoiseVec3 out = poise_quat_to_rpy(q);
        EXPECT_NEAR_QUAT(poise_quat_from_rpy(out), q, 1e-12);
        if (fabs(pitch) < 1.5) {
            EXPECT_NEAR3(out, rpy, 1e-12);
        }
        if (i % 4 == 0) {
            EXPECT_NEAR(out.x, 0.0, 1e-12);
            EXPECT_NEAR(fabs(out.y), 0.5 * PI, 1e-7);
        }
    }
}

// The article's demo lost its accuracy near 90 degrees by an arcsine: YXZ, 1e-9 rad from gimbal
// lock.
Test(rotation, near_gimbal_lock_no_digit_is_lost) {
    for (double off = 1e-1; off > 1e-12; off *= 0.1) {
        const PoiseEuler in = {0.3, 0.5 * PI - off, -0.8};
        const PoiseEuler out =
            poise_quat_to_euler(poise_quat_from_euler(POISE_EULER_YXZ, in), POISE_EULER_YXZ);
        EXPECT_NEAR(out.second, in.second, 1e-15);
        EXPECT_NEAR(out.first, in.first, 1e-15 / off);
        EXPECT_NEAR(out.third, in.third, 1e-15 / off);
    }
}

// Row 4.1 of DOCUMENTS.md: conventions of other texts. Oracles: the matrix's columns, its trace, a
// mirror's product
Test(rotation, columns_axis_and_angle_and_the_other_hand) {
    Random random = random_from(41);
    for (int trial = 0; trial < 1000; trial++) {
        const PoiseVec3 r = random_vec3(&random, 3.0);
        const PoiseQuat q = trial == 0 ? poise_quat_identity() : poise_quat_exp(r);
        double rows[9], columns[9], other[9];
        poise_quat_to_rows(q, rows);
        poise_quat_to_columns(q, columns);
        PoiseVec3 axis;
        const double angle = poise_quat_to_axis_angle(q, &axis);
        EXPECT_NEAR(poise_quat_to_axis_angle(q, NULL), angle, 0.0);
        EXPECT_NEAR(2.0 * cos(angle) + 1.0, rows[0] + rows[4] + rows[8], 1e-12);
        EXPECT_NEAR(poise_length(axis), 1.0, 1e-14);
        EXPECT_NEAR_QUAT(poise_quat_from_axis_angle(axis, angle), q, 1e-14);
        EXPECT_NEAR_QUAT(poise_quat_from_columns(columns), q, 1e-14);
        const PoisePose pose = poise_pose_other_hand(poise_pose(r, q));
        EXPECT_NEAR3(pose.p, poise_vec3(r.x, r.y, -r.z), 0.0);
        poise_quat_to_rows(pose.q, other);
        for (int i = 0; i < 9; i++) {
            EXPECT_NEAR(columns[i], rows[3 * (i % 3) + i / 3], 1e-15);
            // diag(1, 1, -1) R diag(1, 1, -1)
            EXPECT_NEAR(other[i], (i / 3 == 2) != (i % 3 == 2) ? -rows[i] : rows[i], 1e-14);
        }
    }
}

Test(rotation, an_order_that_is_none_gives_the_identity) {
    for (int order = -1; order <= ORDERS; order += ORDERS + 1) {
        const PoiseEuler in = {1.0, 2.0, 3.0};
        const PoiseQuat q = poise_quat_from_euler((PoiseEulerOrder)order, in);
        cr_expect(q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0);
        const PoiseEuler out = poise_quat_to_euler(poise_quat_from_rpy(poise_vec3(1.0, 0.2, 0.3)),
                                                   (PoiseEulerOrder)order);
        cr_expect(out.first == 0.0 && out.second == 0.0 && out.third == 0.0);
        const PoiseEuler near_to = poise_quat_to_euler_near(q, (PoiseEulerOrder)order, in);
        cr_expect(near_to.first == 1.0 && near_to.second == 2.0 && near_to.third == 3.0);
    }
    cr_expect(!poise_is_finite3(poise_quat_to_rpy(poise_quat((double)NAN, 0.0, 0.0, 0.0))));
}
