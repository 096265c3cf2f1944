// SPDX-License-Identifier: MIT
// Finds the active stops of a joint (ends of its ranges, or a ball's cone) as directions in which
// the joint cannot move. Sets ODE's stops of the cone.
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "range_stops.h"

// A little above pi. An angle up to pi is at most pi times the sine of its half: sin x >= 2 x / pi
// for x up to pi / 2.
#define PI_ABOVE 3.1416
// Least cosine of half the swing that is used: at 0 the axis is reversed, and the twist is not
// defined.
#define MIN_COSINE 1e-3
// A joint is at its stop within this distance, rad or m, since ODE's stops yield a little.
#define AT_STOP 1e-4

// Returns a unit vector orthogonal to the unit vector `v`.
static PoiseVec3 across(PoiseVec3 v) {
    PoiseVec3 a = fabs(v.x) < 0.6 ? poise_vec3(1.0, 0.0, 0.0) : poise_vec3(0.0, 1.0, 0.0);
    PoiseVec3 c = poise_cross(v, a);
    return poise_scale(1.0 / poise_length(c), c);
}

// A ball in its cone: swing and twist, rad, and the joint-frame axes about which each increases.
// The axes are orthogonal. A rotation by an angle a about twist_axis changes the twist by a /
// `cosine`.
typedef struct ConeState {
    double swing;
    double twist;
    double cosine;
    PoiseVec3 swing_axis;
    PoiseVec3 twist_axis;
} ConeState;

static ConeState cone_of(const JointState* joint) {
    ConeState cone;
    PoiseQuat swing;
    const PoiseVec3 rest = joint->of->axes[0];
    const PoiseQuat rotation = poise_quat(joint->q[0], joint->q[1], joint->q[2], joint->q[3]);
    cone.twist = poise_quat_twist(rotation, rest, &swing);
    const PoiseVec3 swung = poise_quat_log(swing);
    const PoiseVec3 axis = poise_quat_rotate(rotation, rest);
    cone.swing = poise_length(swung);
    // the bisector of the cone's axis in parent and child: a rotation by a about it changes the
    // twist by a / cos(swing / 2)
    const PoiseVec3 middle = poise_add(rest, axis);
    const double cosine = 0.5 * poise_length(middle);
    cone.twist_axis = cosine > MIN_COSINE ? poise_scale(0.5 / cosine, middle) : axis;
    cone.cosine = poise_max(cosine, MIN_COSINE);
    cone.swing_axis =
        cone.swing > 0.0 ? poise_scale(1.0 / cone.swing, swung) : across(cone.twist_axis);
    return cone;
}

// True if a ball is inside its cone with a margin; computes no angles.
static bool is_well_inside(const JointState* joint) {
    const Binding* binding = joint->of;
    const double* q = joint->q;
    const PoiseVec3 v = poise_vec3(q[1], q[2], q[3]);
    const double along = poise_dot(v, binding->axes[0]);
    const double swing_sine2 = poise_dot(v, v) - along * along;
    const double swing_cosine2 = q[0] * q[0] + along * along;
    const double twist = poise_min(binding->upper[2], -binding->lower[2]);
    const double square = PI_ABOVE * PI_ABOVE;
    return square * swing_sine2 < binding->upper[0] * binding->upper[0] && twist > 0.0 &&
           square * along * along < twist * twist * swing_cosine2;
}

void poise__binding_hold_cone(Binding* binding, const JointState* joint) {
    if (!binding->has_cone) {
        if (binding->motor.has_stop) {
            poise__motor_free_cone(&binding->motor);
        }
        return;
    }
    if (binding->motor.has_stop && binding->motor.stop_rests && is_well_inside(joint)) {
        return;
    }
    const ConeState is = cone_of(joint);
    const PoiseQuat frame = joint->joint_world.q;
    const ConeStop stops[2] = {
        {poise_quat_rotate(frame, is.swing_axis), is.swing, -HUGE_VAL, binding->upper[0]},
        {poise_quat_rotate(frame, is.twist_axis), is.cosine * is.twist,
         is.cosine * binding->lower[2], is.cosine * binding->upper[2]}};
    poise__motor_hold_cone(&binding->motor, stops);
}

static bool is_pushed(double at, double lower, double upper, double push) {
    return (at >= upper - AT_STOP && push > 0.0) || (at <= lower + AT_STOP && push < 0.0);
}

unsigned poise__joint_find_stops(const JointState* joint, const double* push) {
    const Binding* binding = joint->of;
    unsigned stops = 0;
    if (binding->has_cone) {
        const ConeState is = cone_of(joint);
        const PoiseVec3 rotation =
            poise_quat_unrotate(joint->joint_world.q, poise_vec3(push[0], push[1], push[2]));
        const double swing = poise_dot(rotation, is.swing_axis);
        const double twist = poise_dot(rotation, is.twist_axis);
        const double *lower = binding->lower, *upper = binding->upper;
        stops |= is_pushed(is.swing, -HUGE_VAL, upper[0], swing) ? STOP_SWING : 0u;
        stops |= is_pushed(is.twist, lower[2], upper[2], twist) ? STOP_TWIST : 0u;
        return stops;
    }
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        const int d = b->first;
        if (b->count == 1 &&
            is_pushed(joint->q[b->q], binding->lower[d], binding->upper[d], push[d])) {
            stops |= 1u << d;
        }
    }
    return stops;
}

int poise__joint_stop_rows(const JointState* joint, double rows[POISE_MAX_NV][POISE_MAX_NV]) {
    int count = 0;
    if (joint->stops == 0) {
        return 0;
    }
    if (joint->of->has_cone) {
        const ConeState is = cone_of(joint);
        const PoiseVec3 axes[2] = {is.swing_axis, is.twist_axis};
        for (unsigned i = 0; i < 2; i++) {
            if ((joint->stops >> i & 1u) != 0) {
                const double row[POISE_MAX_NV] = {axes[i].x, axes[i].y, axes[i].z, 0.0, 0.0, 0.0};
                memcpy(rows[count], row, sizeof row);
                poise__joint_to_world(joint, rows[count++]);
            }
        }
        return count;
    }
    for (int d = 0; d < joint->of->type->nv; d++) {
        if ((joint->stops >> d & 1u) != 0) {
            memset(rows[count], 0, sizeof rows[count]);
            rows[count++][d] = 1.0;
        }
    }
    return count;
}

void poise__joint_hold_stops(const JointState* joint, double* v) {
    double rows[POISE_MAX_NV][POISE_MAX_NV];
    const int count = poise__joint_stop_rows(joint, rows);
    for (int r = 0; r < count; r++) {
        const double part = poise__numbers_dot(rows[r], v, joint->of->type->nv);
        for (int d = 0; d < joint->of->type->nv; d++) {
            v[d] -= part * rows[r][d];
        }
    }
}
