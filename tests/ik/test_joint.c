// SPDX-License-Identifier: MIT
// Tests the joint model: its rows, and (+) and (-) of every kind against rotations computed anew.
#include <criterion/criterion.h>

#include "near.h"
#include "poise/joint.h"
#include "random.h"

enum { TRIALS = 2000 };

static const double pi = 3.14159265358979323846;

// Returns the type of row `row`, counted from 0; NULL after the last.
static const PoiseJointType* type_at(int row) {
    return poise_joint_type((PoiseNodeKind)(row + 1));
}

static void random_coordinates(Random* random, const PoiseJointType* type, double* q) {
    double v[POISE_MAX_NV];
    for (int d = 0; d < type->nv; d++) {
        v[d] = random_between(random, -3.0, 3.0);
    }
    poise_joint_neutral(type, q);
    poise_joint_integrate(type, q, v);
}

Test(joint, the_table_of_kinds_counts_its_motions) {
    int rows = 0;
    for (; type_at(rows) != NULL; rows++) {
        const PoiseJointType* type = type_at(rows);
        int nq = 0, nv = 0;
        unsigned linear = 0;
        for (int m = 0; m < type->motion_count; m++) {
            const bool spherical = type->motions[m] == POISE_SPHERICAL;
            linear |= type->motions[m] == POISE_PRISMATIC ? 1U << nv : 0U;
            nq += spherical ? 4 : 1;
            nv += spherical ? 3 : 1;
        }
        cr_expect(type->kind == (PoiseNodeKind)(rows + 1), "%s is not at its kind", type->name);
        cr_expect(type->motion_count >= 1 && type->motion_count <= POISE_MAX_MOTIONS);
        cr_expect(nq == type->nq && nq <= POISE_MAX_NQ, "%s: nq", type->name);
        cr_expect(nv == type->nv && nv <= POISE_MAX_NV, "%s: nv", type->name);
        cr_expect(linear == type->linear, "%s: linear", type->name);
    }
    cr_expect(rows >= 6, "%d rows", rows);
    cr_expect(poise_joint_type((PoiseNodeKind)0) == NULL);
    cr_expect(poise_joint_type((PoiseNodeKind)-1) == NULL);
}

Test(joint, difference_undoes_integrate) {
    Random random = random_from(71);
    for (int row = 0; type_at(row) != NULL; row++) {
        const PoiseJointType* type = type_at(row);
        for (int i = 0; i < TRIALS; i++) {
            double from[POISE_MAX_NQ];
            double to[POISE_MAX_NQ];
            double v[POISE_MAX_NV];
            double found[POISE_MAX_NV];
            random_coordinates(&random, type, from);
            for (int k = 0; k < type->nq; k++) {
                to[k] = from[k];
            }
            for (int d = 0; d < type->nv; d++) {
                v[d] = random_between(&random, -1.0, 1.0) * pi / 2.0; // |v| < pi
            }
            poise_joint_integrate(type, to, v);
            poise_joint_difference(type, to, from, found);
            for (int d = 0; d < type->nv; d++) {
                EXPECT_NEAR(found[d], v[d], 1e-13);
            }
        }
    }
}

Test(joint, a_spherical_motion_turns_about_the_axes_it_starts_from) {
    const PoiseJointType* ball = poise_joint_type(POISE_NODE_BALL);
    const double c = cos(pi / 4.0);
    double q[4] = {c, c, 0.0, 0.0};           // a quarter turn about x
    const double v[3] = {0.0, 0.0, pi / 2.0}; // then one about the outer z
    poise_joint_integrate(ball, q, v);
    // The first turn brings z to -y, the second brings that to x.
    const PoiseVec3 z = poise_quat_rotate(poise_quat(q[0], q[1], q[2], q[3]), poise_vec3(0, 0, 1));
    EXPECT_NEAR3(z, poise_vec3(1, 0, 0), 1e-15);
}

Test(joint, the_shortest_rotation_is_taken_for_either_sign_of_a_quaternion) {
    const PoiseJointType* ball = poise_joint_type(POISE_NODE_BALL);
    const double from[4] = {1.0, 0.0, 0.0, 0.0};
    const double angle = 3.0;
    const double to[4] = {-cos(angle / 2.0), -sin(angle / 2.0), 0.0, 0.0};
    double v[3];
    poise_joint_difference(ball, to, from, v);
    EXPECT_NEAR(v[0], angle, 1e-14);
    EXPECT_NEAR(v[1], 0.0, 1e-14);
}
