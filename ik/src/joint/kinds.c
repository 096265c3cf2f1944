// SPDX-License-Identifier: MIT
// The table of the kinds of joints, the functions that read only this table, and the default defs.

#include "joint.h"

// P, R, S: prismatic, revolute and spherical motions, as in the theory of mechanisms.
#define P POISE_PRISMATIC
#define R POISE_REVOLUTE
#define S POISE_SPHERICAL

// Rows by PoiseNodeKind. Prismatic motions come first in a row, a spherical motion last.
const PoiseJointType poise__joint_types[] = {
    {0},
    // kind, name, motions, their number, nq, nv, linear (bit d: dof d is a translation)
    {POISE_NODE_HINGE, "hinge", {R}, 1, 1, 1, 0},
    {POISE_NODE_SLIDER, "slider", {P}, 1, 1, 1, 1},
    {POISE_NODE_BALL, "ball", {S}, 1, 4, 3, 0},
    {POISE_NODE_UNIVERSAL, "universal", {R, R}, 2, 2, 2, 0},
    {POISE_NODE_TRANSLATION, "translation", {P, P, P}, 3, 3, 3, 7},
    {POISE_NODE_FREE, "free", {P, P, P, S}, 4, 7, 6, 7},
    {POISE_NODE_HINGE2, "hinge2", {R, R}, 2, 2, 2, 0},
    {POISE_NODE_PISTON, "piston", {P, R}, 2, 2, 2, 1},
    {POISE_NODE_PR, "pr", {P, R}, 2, 2, 2, 1},
    {POISE_NODE_PU, "pu", {P, R, R}, 3, 3, 3, 1},
};

const PoiseJointType* poise_joint_type(PoiseNodeKind kind) {
    const size_t count = sizeof poise__joint_types / sizeof poise__joint_types[0];
    const size_t row = (size_t)kind;
    return row > 0 && row < count ? &poise__joint_types[row] : NULL;
}

// Returns the number of coordinates before the quaternion; all if the type has no quaternion.
static int numbers_of(const PoiseJointType* type) {
    return type->nq > type->nv ? type->nq - 4 : type->nq;
}

void poise_joint_difference(const PoiseJointType* type, const double* q1, const double* q0,
                            double* v) {
    const int numbers = numbers_of(type);
    for (int i = 0; i < numbers; i++) {
        v[i] = q1[i] - q0[i];
    }
    if (numbers < type->nq) {
        const PoiseVec3 r = poise_quat_log(poise_quat_mul(
            poise__get_quat(&q1[numbers]), poise_quat_conjugate(poise__get_quat(&q0[numbers]))));
        v[numbers] = r.x;
        v[numbers + 1] = r.y;
        v[numbers + 2] = r.z;
    }
}

void poise_joint_integrate(const PoiseJointType* type, double* q, const double* v) {
    const int numbers = numbers_of(type);
    for (int i = 0; i < numbers; i++) {
        q[i] += v[i];
    }
    if (numbers < type->nq) {
        const PoiseQuat turn =
            poise_quat_exp(poise_vec3(v[numbers], v[numbers + 1], v[numbers + 2]));
        double* rotation = &q[numbers];
        poise__put_quat(rotation,
                        poise_quat_normalize(poise_quat_mul(turn, poise__get_quat(rotation))));
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

const char* poise__coordinates_problem(const PoiseJointType* type, const double* q, int count) {
    if (!q || count != type->nq) {
        return "the numbers are NULL, or not as many as its kind has";
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(q[i])) {
            return "a number is not finite";
        }
    }
    bool turned = type->nq == type->nv;
    for (int i = type->nq - 4; !turned && i < type->nq; i++) {
        turned = q[i] != 0.0;
    }
    return turned ? NULL : "the rotation is 0";
}

void poise__coordinates_set(const PoiseJointType* type, double* q, const double* from) {
    for (int i = 0; i < type->nq; i++) {
        q[i] = from[i];
    }
    if (type->nq > type->nv) {
        double* r = &q[type->nq - 4];
        poise__put_quat(r, poise_quat_normalize(poise__get_quat(r)));
    }
}

// ------------------------------------------------------------------------------ defs of nodes

PoiseNodeDef poise_default_node_def(PoiseNodeKind kind) {
    PoiseNodeDef def = {.cookie = COOKIE_NODE,
                        .kind = kind,
                        .joint_in_parent = poise_pose_identity(),
                        .link_in_joint = poise_pose_identity(),
                        .axis = poise_vec3(0.0, 0.0, 1.0),
                        .axis2 = poise_vec3(0.0, 1.0, 0.0),
                        .axis3 = poise_vec3(0.0, 1.0, 0.0)};
    if (kind == POISE_NODE_UNIVERSAL) {
        def.axis = poise_vec3(1.0, 0.0, 0.0);
    } else if (kind == POISE_NODE_PU) {
        def.axis2 = poise_vec3(1.0, 0.0, 0.0);
    }
    def.rotation = poise_quat_identity();
    def.lower = def.lower2 = def.lower3 = -HUGE_VAL;
    def.upper = def.upper2 = def.upper3 = HUGE_VAL;
    def.free_axes = POISE_AXES_ALL;
    def.swing_limit = HUGE_VAL;
    def.twist_lower = -HUGE_VAL;
    def.twist_upper = HUGE_VAL;
    def.max_speed = HUGE_VAL;
    def.bias = 1.0;
    return def;
}

PoiseNodeDef poise_default_hinge_def(void) {
    return poise_default_node_def(POISE_NODE_HINGE);
}

PoiseNodeDef poise_default_slider_def(void) {
    return poise_default_node_def(POISE_NODE_SLIDER);
}

PoiseNodeDef poise_default_ball_def(void) {
    return poise_default_node_def(POISE_NODE_BALL);
}

PoiseNodeDef poise_default_universal_def(void) {
    return poise_default_node_def(POISE_NODE_UNIVERSAL);
}

PoiseNodeDef poise_default_translation_def(void) {
    return poise_default_node_def(POISE_NODE_TRANSLATION);
}

PoiseNodeDef poise_default_free_def(void) {
    return poise_default_node_def(POISE_NODE_FREE);
}

PoiseNodeDef poise_default_hinge2_def(void) {
    return poise_default_node_def(POISE_NODE_HINGE2);
}

PoiseNodeDef poise_default_piston_def(void) {
    return poise_default_node_def(POISE_NODE_PISTON);
}

PoiseNodeDef poise_default_pr_def(void) {
    return poise_default_node_def(POISE_NODE_PR);
}

PoiseNodeDef poise_default_pu_def(void) {
    return poise_default_node_def(POISE_NODE_PU);
}

void poise__def_axes(const PoiseNodeDef* def, PoiseVec3 axes[POISE_MAX_AXES]) {
    axes[0] = def->axis;
    axes[1] = def->kind == POISE_NODE_PISTON ? def->axis : def->axis2;
    axes[2] = def->axis3;
    for (int m = 0; poise_joint_type(def->kind)->linear == 7 && m < POISE_MAX_AXES; m++) {
        axes[m] = poise__unit_axis(m);
    }
}
