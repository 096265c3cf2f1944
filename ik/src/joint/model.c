// SPDX-License-Identifier: MIT
// The joint model: one row a kind, and what follows from its motions alone.
#include <stddef.h>

#include "poise/joint.h"
#include "poise/math.h"

// the letters of the field
#define P POISE_PRISMATIC
#define R POISE_REVOLUTE
#define S POISE_SPHERICAL

static const PoiseJointType joint_types[] = {
    // kind, name, motions, how many, nq, nv, linear
    {POISE_NODE_HINGE, "hinge", {R}, 1, 1, 1, 0},
    {POISE_NODE_SLIDER, "slider", {P}, 1, 1, 1, 1},
    {POISE_NODE_BALL, "ball", {S}, 1, 4, 3, 0},
    {POISE_NODE_UNIVERSAL, "universal", {R, R}, 2, 2, 2, 0},
    {POISE_NODE_TRANSLATION, "translation", {P, P, P}, 3, 3, 3, 7},
    {POISE_NODE_FREE, "free", {P, P, P, S}, 4, 7, 6, 7},
};

const PoiseJointType* poise_joint_type(PoiseNodeKind kind) {
    const size_t count = sizeof joint_types / sizeof joint_types[0];
    const size_t row = (size_t)kind - 1;
    return row < count ? &joint_types[row] : NULL;
}

static PoiseQuat get_quat(const double* q) {
    return poise_quat(q[0], q[1], q[2], q[3]);
}

void poise_joint_difference(const PoiseJointType* type, const double* q1, const double* q0,
                            double* v) {
    for (int m = 0; m < type->motion_count; m++) {
        if (type->motions[m] != POISE_SPHERICAL) {
            *v++ = *q1++ - *q0++;
            continue;
        }
        const PoiseVec3 r =
            poise_quat_log(poise_quat_mul(get_quat(q1), poise_quat_conjugate(get_quat(q0))));
        v[0] = r.x;
        v[1] = r.y;
        v[2] = r.z;
        v += 3;
        q1 += 4;
        q0 += 4;
    }
}

void poise_joint_integrate(const PoiseJointType* type, double* q, const double* v) {
    for (int m = 0; m < type->motion_count; m++) {
        if (type->motions[m] != POISE_SPHERICAL) {
            *q++ += *v++;
            continue;
        }
        const PoiseQuat turn = poise_quat_exp(poise_vec3(v[0], v[1], v[2]));
        const PoiseQuat moved = poise_quat_normalize(poise_quat_mul(turn, get_quat(q)));
        q[0] = moved.w;
        q[1] = moved.x;
        q[2] = moved.y;
        q[3] = moved.z;
        v += 3;
        q += 4;
    }
}

void poise_joint_neutral(const PoiseJointType* type, double* q) {
    for (int m = 0; m < type->motion_count; m++) {
        *q++ = type->motions[m] == POISE_SPHERICAL ? 1.0 : 0.0;
        for (int i = 1; type->motions[m] == POISE_SPHERICAL && i < 4; i++) {
            *q++ = 0.0;
        }
    }
}
