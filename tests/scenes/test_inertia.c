// SPDX-License-Identifier: MIT
// Tests masses and inertias against closed forms and Steiner's theorem. Refuses impossible bodies.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "inertia.h"
#include "near.h"

// Computes the mass properties as the sum of small cubes.
static MassProperties by_cubes(const PoiseSceneShape* shape, double half, int steps) {
    MassProperties sum = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    double side = 2.0 * half / steps;
    double mass = side * side * side;
    for (int i = 0; i < steps * steps * steps; i++) {
        PoiseVec3 p =
            poise_vec3(-half + side * (i % steps + 0.5), -half + side * (i / steps % steps + 0.5),
                       -half + side * (i / steps / steps + 0.5));
        double round = sqrt(p.x * p.x + p.y * p.y);
        double beyond = fmax(fabs(p.z) - 0.5 * shape->size.y, 0.0);
        bool inside = shape->kind == POISE_SHAPE_CAPSULE
                          ? sqrt(round * round + beyond * beyond) <= shape->size.x
                          : round <= shape->size.x && beyond == 0.0;
        if (inside) {
            MassProperties cube = {mass, p, {0.0}};
            sum = poise__mass_sum(sum, cube);
        }
    }
    return sum;
}

Test(inertia, round_shapes_match_a_sum_of_cubes) {
    static const PoiseShapeKind kinds[] = {POISE_SHAPE_CAPSULE, POISE_SHAPE_CYLINDER};
    for (int k = 0; k < 2; k++) {
        PoiseSceneShape shape = {kinds[k], {0.4, 1.0, 0.0}, {{0, 0, 0}, {1, 0, 0, 0}}, 1, 1, NULL,
                                 0.0};
        MassProperties exact = poise__mass_of_shape(&shape, 1.0);
        MassProperties counted = by_cubes(&shape, 0.9, 120);
        EXPECT_NEAR(counted.mass / exact.mass, 1.0, 0.02);
        for (int i = 0; i < 3; i++) {
            EXPECT_NEAR(counted.inertia[i] / exact.inertia[i], 1.0, 0.03);
        }
    }
}

Test(inertia, a_box_is_the_sum_of_its_halves) {
    PoiseSceneShape whole = {
        POISE_SHAPE_BOX, {2.0, 3.0, 4.0}, {{0, 0, 0}, {1, 0, 0, 0}}, 1, 1, NULL, 0.0};
    PoiseSceneShape half = {
        POISE_SHAPE_BOX, {1.0, 3.0, 4.0}, {{0, 0, 0}, {1, 0, 0, 0}}, 1, 1, NULL, 0.0};
    PoiseQuat turn = poise_quat_exp(poise_vec3(0.3, -0.7, 1.1));
    PoisePose left = {poise_quat_rotate(turn, poise_vec3(-0.5, 0.0, 0.0)), turn};
    PoisePose right = {poise_quat_rotate(turn, poise_vec3(0.5, 0.0, 0.0)), turn};
    PoisePose middle = {{0.0, 0.0, 0.0}, turn};
    MassProperties part = poise__mass_of_shape(&half, 10.0);
    MassProperties sum =
        poise__mass_sum(poise__mass_moved(part, left), poise__mass_moved(part, right));
    MassProperties expected = poise__mass_moved(poise__mass_of_shape(&whole, 10.0), middle);
    EXPECT_NEAR(sum.mass, expected.mass, 1e-9);
    EXPECT_NEAR3(sum.com, poise_vec3(0.0, 0.0, 0.0), 1e-12);
    for (int i = 0; i < 6; i++) {
        EXPECT_NEAR(sum.inertia[i], expected.inertia[i], 1e-9);
    }
}

Test(inertia, principal_moments_are_those_of_the_body) {
    MassProperties body = {1.0, {0.0, 0.0, 0.0}, {1.0, 2.0, 2.5, 0.0, 0.0, 0.0}};
    PoisePose turned = {{0.0, 0.0, 0.0}, poise_quat_exp(poise_vec3(0.4, 0.9, -0.2))};
    double moments[3];
    poise__inertia_principal(poise__mass_moved(body, turned).inertia, moments, NULL);
    EXPECT_NEAR(moments[0], 1.0, 1e-12);
    EXPECT_NEAR(moments[1], 2.0, 1e-12);
    EXPECT_NEAR(moments[2], 2.5, 1e-12);
}

Test(inertia, impossible_inertias_are_repaired) {
    static const struct {
        double inertia[6];
        const char* wrong;
    } rows[] = {
        {{1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, NULL},     {{1.0, 2.0, 3.0, 0.0, 0.0, 0.0}, NULL},
        {{1.0, 1.0, 3.0, 0.0, 0.0, 0.0}, "larger"}, {{-1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, "below 0"},
        {{1.0, 1.0, 0.0, 0.0, 0.0, 0.0}, "of 0"},   {{1.0, 1.0, 1.0, 5.0, 0.0, 0.0}, "below 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double inertia[6];
        memcpy(inertia, rows[i].inertia, sizeof inertia);
        const char* wrong = poise__inertia_repair(inertia);
        cr_expect(rows[i].wrong ? wrong && strstr(wrong, rows[i].wrong) : !wrong, "row %zu: %s", i,
                  wrong ? wrong : "nothing");
        double moments[3];
        poise__inertia_principal(inertia, moments, NULL);
        cr_expect(moments[0] > 0.0, "row %zu", i);
        cr_expect(moments[2] <= (moments[0] + moments[1]) * 1.002, "row %zu", i);
    }
}

Test(inertia, an_inertia_of_zero_is_kept) {
    double inertia[6] = {0.0};
    cr_expect_null(poise__inertia_repair(inertia));
    EXPECT_NEAR(inertia[0], 0.0, 0.0);
}
