// SPDX-License-Identifier: MIT
// Blends two springs into one (eqs. 24-26; rows 0.11 and, by its closed form, 0.12).
#include <criterion/criterion.h>

#include "near.h"
#include "poise/spring.h"
#include "random.h"

static const double pi = 3.14159265358979323846;

static PoiseHingeDrive hinge_drive(double p, double d, double target, double velocity) {
    PoiseHingeDrive drive = {{p, d}, target, velocity};
    return drive;
}

static PoiseBallDrive ball_drive(double p, double d, PoiseQuat target) {
    PoiseBallDrive drive = {{p, d}, target, {0.0, 0.0, 0.0}};
    return drive;
}

static PoiseHingeDrive random_drive(Random* random) {
    PoiseHingeDrive drive;
    drive.spring.stiffness = exp(random_between(random, -5.0, 10.0));
    drive.spring.damping = exp(random_between(random, -5.0, 6.0));
    drive.target = random_between(random, -9.0, 9.0);
    drive.velocity = random_between(random, -3.0, 3.0);
    return drive;
}

static double torque(PoiseHingeDrive drive, double angle, double velocity) {
    return drive.spring.stiffness * (drive.target - angle) +
           drive.spring.damping * (drive.velocity - velocity);
}

// Returns the torque of a ball's spring: p times the rotation vector from q to the target, joint
// frame.
static PoiseVec3 ball_torque(PoiseBallDrive drive, PoiseQuat q) {
    PoiseQuat way = poise_quat_mul(drive.target, poise_quat_conjugate(q));
    return poise_scale(drive.spring.stiffness, poise_quat_log(way));
}

static bool same_up_to_sign(PoiseQuat a, PoiseQuat b) {
    return (a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z) ||
           (a.w == -b.w && a.x == -b.x && a.y == -b.y && a.z == -b.z);
}

// Row 0.11 of DOCUMENTS.md: the printed cases
Test(blend, blends_have_the_numbers_of_the_paper) {
    static const struct {
        double po, d_o, to, pk, dk, tk;
        double theta, p, d;
    } cases[] = {
        {100, 10, 0, 900, 30, 1, 0.9, 1000, 40}, {1, 1, 0, 1, 1, 1, 0.5, 2, 2},
        {900, 9, 0, 100, 1, 1, 0.1, 1000, 10},   {0, 0, 0.3, 500, 5, 0.7, 0.7, 500, 5},
        {500, 5, 0.3, 0, 0, 0.7, 0.3, 500, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PoiseHingeDrive blended =
            poise_blend_hinge(hinge_drive(cases[i].po, cases[i].d_o, cases[i].to, 0.0),
                              hinge_drive(cases[i].pk, cases[i].dk, cases[i].tk, 0.0));
        EXPECT_NEAR(blended.target, cases[i].theta, 1e-15);
        EXPECT_NEAR(blended.spring.stiffness, cases[i].p, 0.0);
        EXPECT_NEAR(blended.spring.damping, cases[i].d, 0.0);
    }
}

// Row 0.11 of DOCUMENTS.md: both targets move, and the blend's torque is the sum of the two torques
Test(blend, hinge_pulls_as_the_two_springs_do_together) {
    Random random = random_from(1);
    for (int i = 0; i < 10000; i++) {
        PoiseHingeDrive original = random_drive(&random);
        PoiseHingeDrive ik = random_drive(&random);
        double angle = random_between(&random, -9.0, 9.0);
        double velocity = random_between(&random, -3.0, 3.0);
        PoiseHingeDrive blended = poise_blend_hinge(original, ik);
        double two = torque(original, angle, velocity) + torque(ik, angle, velocity);
        double size = (blended.spring.stiffness + blended.spring.damping) * 20.0;
        EXPECT_NEAR(torque(blended, angle, velocity), two, 1e-14 * size);
    }
}

// Row 0.11 of DOCUMENTS.md: if either stiffness is 0, the blend equals the other spring to the last
// bit
Test(blend, a_hinge_without_one_spring_has_exactly_the_other) {
    Random random = random_from(2);
    for (int i = 0; i < 100000; i++) {
        double p = exp(random_between(&random, -20.0, 30.0));
        double a = random_between(&random, -9.0, 9.0);
        double b = random_between(&random, -9.0, 9.0);
        PoiseHingeDrive ik_only =
            poise_blend_hinge(hinge_drive(0.0, 0.0, a, 2.0), hinge_drive(p, 3.0, b, 1.5));
        cr_assert(ik_only.target == b && ik_only.velocity == 1.5 && ik_only.spring.stiffness == p,
                  "%.17g", b);
        PoiseHingeDrive original_only =
            poise_blend_hinge(hinge_drive(p, 3.0, a, 2.0), hinge_drive(0.0, 0.0, b, 1.5));
        cr_assert(original_only.target == a && original_only.velocity == 2.0, "%.17g", a);
    }
}

Test(blend, a_ball_without_one_spring_has_exactly_the_other) {
    Random random = random_from(3);
    for (int i = 0; i < 20000; i++) {
        PoiseQuat a = random_turn(&random, 3.0);
        // every third case turns by about half a turn
        PoiseVec3 axis = random_direction(&random);
        double angle = i % 3 == 0 ? pi + random_between(&random, -0.1, 0.1)
                                  : random_between(&random, -3.0, 3.0);
        PoiseQuat b = poise_quat_mul(poise_quat_from_axis_angle(axis, angle), a);
        PoiseQuat previous = random_turn(&random, 3.0);
        double p = exp(random_between(&random, -10.0, 20.0));
        PoiseBallDrive none_a = ball_drive(0.0, 0.0, a);
        PoiseBallDrive none_b = ball_drive(0.0, 0.0, b);
        PoiseBallDrive drive_a = ball_drive(p, 1.0, a);
        PoiseBallDrive drive_b = ball_drive(p, 1.0, b);
        cr_assert(same_up_to_sign(poise_blend_ball(none_a, drive_b).target, b));
        cr_assert(same_up_to_sign(poise_blend_ball(drive_a, none_b).target, a));
        cr_assert(same_up_to_sign(poise_blend_ball_near(none_a, drive_b, previous).target, b),
                  "p_orig = 0 near half a turn, case %d", i);
        cr_assert(same_up_to_sign(poise_blend_ball_near(drive_a, none_b, previous).target, a),
                  "p_ik = 0 near half a turn, case %d", i);
    }
}

// Row 0.11 of DOCUMENTS.md: two springs of stiffness 0 give a free joint, and no NaN
Test(blend, a_joint_without_springs_is_free) {
    PoiseHingeDrive hinge =
        poise_blend_hinge(hinge_drive(0.0, 0.0, 0.3, 5.0), hinge_drive(0.0, 0.0, 0.7, 6.0));
    cr_expect(hinge.spring.stiffness == 0.0 && hinge.spring.damping == 0.0);
    cr_expect(hinge.target == 0.7 && hinge.velocity == 0.0);
    PoiseQuat target = poise_quat_from_axis_angle(poise_vec3(1.0, 2.0, 3.0), 0.5);
    PoiseBallDrive ball =
        poise_blend_ball(ball_drive(0.0, 0.0, poise_quat_identity()), ball_drive(0.0, 0.0, target));
    cr_expect(ball.spring.stiffness == 0.0 && ball.spring.damping == 0.0);
    cr_expect(same_up_to_sign(ball.target, target));
    EXPECT_NEAR3(ball.velocity, poise_vec3(0.0, 0.0, 0.0), 0.0);
}

Test(blend, ball_velocity_is_weighted_by_damping) {
    PoiseBallDrive original = ball_drive(10.0, 3.0, poise_quat_identity());
    PoiseBallDrive ik = ball_drive(1000.0, 1.0, poise_quat_identity());
    original.velocity = poise_vec3(1.0, 2.0, -4.0);
    ik.velocity = poise_vec3(5.0, -2.0, 0.0);
    PoiseBallDrive blended = poise_blend_ball(original, ik);
    EXPECT_NEAR3(blended.velocity, poise_vec3(2.0, 1.0, -3.0), 1e-15);
    EXPECT_NEAR(blended.spring.damping, 4.0, 0.0);
    EXPECT_NEAR(blended.spring.stiffness, 1010.0, 0.0);
}

// Row 0.11 of DOCUMENTS.md: at the blended target the two springs' torques cancel, for targets any
// angle apart
Test(blend, ball_rests_where_its_two_springs_balance) {
    Random random = random_from(4);
    for (int i = 0; i < 5000; i++) {
        PoiseQuat a = random_turn(&random, 3.0);
        PoiseQuat turn = random_turn(&random, 3.1);
        double p_original = exp(random_between(&random, -2.0, 8.0));
        double p_ik = exp(random_between(&random, -2.0, 8.0));
        PoiseBallDrive original = ball_drive(p_original, 1.0, a);
        PoiseBallDrive ik = ball_drive(p_ik, 1.0, poise_quat_mul(turn, a));
        PoiseBallDrive blended = poise_blend_ball(original, ik);
        PoiseVec3 rest =
            poise_add(ball_torque(original, blended.target), ball_torque(ik, blended.target));
        EXPECT_NEAR(poise_length(rest) / (p_original + p_ik), 0.0, 1e-12);
        // The blended spring exerts the sum of the two torques for any error about the same axis.
        PoiseVec3 way = poise_quat_log(turn);
        PoiseQuat off =
            poise_quat_mul(poise_quat_exp(poise_scale(random_between(&random, 0.0, 1.0), way)), a);
        PoiseVec3 two = poise_add(ball_torque(original, off), ball_torque(ik, off));
        EXPECT_NEAR(poise_length(poise_sub(ball_torque(blended, off), two)) / (p_original + p_ik),
                    0.0, 1e-12);
    }
}

static double step_between(PoiseQuat a, PoiseQuat b) {
    return poise_length(poise_quat_log(poise_quat_mul(poise_quat_conjugate(a), b)));
}

// The angle between the targets crosses half a turn several times: the drive does not change sides.
Test(blend, ball_near_does_not_jump_at_half_a_turn) {
    static const double parts[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    PoiseVec3 axis = poise_vec3(0.36, 0.48, 0.8);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        PoiseBallDrive original = ball_drive(1.0 - parts[i], 1.0, poise_quat_identity());
        PoiseBallDrive ik = ball_drive(parts[i], 1.0, poise_quat_identity());
        double largest_near = 0.0, largest_plain = 0.0;
        PoiseQuat near = poise_quat_identity(), plain = near;
        for (int step = 0; step <= 4000; step++) {
            // The angle rises from 2.5 rad to pi + 0.15, falls below pi and rises above it again.
            double phase = step / 4000.0;
            double angle = step < 400 ? 2.5 + (pi - 2.5) * step / 400.0
                                      : pi + 0.15 * sin(6.0 * pi * (phase - 0.1));
            ik.target = poise_quat_from_axis_angle(axis, angle);
            PoiseQuat next_near = poise_blend_ball_near(original, ik, near).target;
            PoiseQuat next_plain = poise_blend_ball(original, ik).target;
            if (step > 0) {
                largest_near = fmax(largest_near, step_between(near, next_near));
                largest_plain = fmax(largest_plain, step_between(plain, next_plain));
            }
            near = next_near;
            plain = next_plain;
            EXPECT_NEAR(angle * parts[i], step_between(poise_quat_identity(), near), 1e-9);
        }
        cr_expect(largest_near < 2e-3, "part %g: %g rad a step", parts[i], largest_near);
        // Shows that the test can fail: the blend without memory jumps.
        cr_expect(largest_plain > 0.3, "part %g: %g rad", parts[i], largest_plain);
    }
}

// Far from half a turn, the blend with memory equals the plain one.
Test(blend, ball_near_is_the_plain_blend_elsewhere) {
    Random random = random_from(5);
    for (int i = 0; i < 2000; i++) {
        PoiseQuat a = random_turn(&random, 3.0);
        PoiseQuat b = poise_quat_mul(random_turn(&random, 2.9), a);
        PoiseBallDrive original = ball_drive(random_between(&random, 0.1, 2.0), 1.0, a);
        PoiseBallDrive ik = ball_drive(random_between(&random, 0.1, 2.0), 1.0, b);
        PoiseQuat plain = poise_blend_ball(original, ik).target;
        PoiseQuat near = poise_blend_ball_near(original, ik, random_turn(&random, 3.0)).target;
        cr_expect(same_up_to_sign(plain, near));
    }
}

// row 0.12's closed form: theta_ik is constant, and the tip of a planar arm settles between the two
// targets
Test(blend, too_stiff_an_original_misses_by_the_predicted_distance) {
    static const struct {
        double ratio, error;
    } cases[] = {{0.1, 1.0266943426135937},  {0.5, 0.7547949746241475},   {1, 0.5665869970931183},
                 {2, 0.37778949580764076},   {5, 0.18879591979059385},    {9, 0.11323180047643439},
                 {99, 0.011315009332253368}, {999, 0.0011314066366746034}};
    static const double original[3] = {0.3, 0.4, 0.5};
    static const double ik[3] = {0.6, 0.7, 0.2};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x = 0.0, y = 0.0, wanted_x = 0.0, wanted_y = 0.0;
        double angle = 0.0, wanted_angle = 0.0;
        for (int joint = 0; joint < 3; joint++) {
            angle += poise_blend_hinge(hinge_drive(100.0, 0.0, original[joint], 0.0),
                                       hinge_drive(100.0 * cases[i].ratio, 0.0, ik[joint], 0.0))
                         .target;
            wanted_angle += ik[joint];
            x += cos(angle);
            y += sin(angle);
            wanted_x += cos(wanted_angle);
            wanted_y += sin(wanted_angle);
        }
        EXPECT_NEAR(hypot(x - wanted_x, y - wanted_y), cases[i].error, 1e-12);
    }
}
