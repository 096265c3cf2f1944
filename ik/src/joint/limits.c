// SPDX-License-Identifier: MIT
// Limits of a joint: ranges of its coordinates, and the swing cone and twist range of a ball. The
// axes of a ball with a cone are those about which swing and twist grow; the solve bounds both like
// angles. This is linear in the step, so the rotation is clamped after it. The bounds of a step by
// ranges and speeds are made in solve/step_bounds.c.
#include "joint.h"
#include "shared/half_turn.h"

// Sine of half the angle by which a rotation must be inside for the fast test; far above rounding.
#define NEAR_END 1e-9
// If the cosine of half the swing is below this, it is only rounding errors: the swing is pi.
#define MIN_MIDDLE 1e-6

static PoiseQuat rotation_of(const Joint* joint) {
    return poise__get_quat(joint->q);
}

void poise__cone_axes(const Joint* joint, PoiseVec3 axes[3]) {
    // The rotation comes from the frames, because they may be measured.
    const PoiseQuat moved = poise__joint_moved_rotation(joint);
    PoiseVec3 from = poise_quat_rotate(joint->joint_world.q, joint->axes[0]);
    PoiseVec3 to = poise_quat_rotate(moved, joint->axes[0]);
    PoiseVec3 swing = poise_cross(from, to);
    double sine = poise_length(swing);
    if (!(sine > 0.0)) {
        // at a swing of 0 or pi, rotations about all perpendicular axes change the swing equally
        swing = poise_cross(to, poise__least_aligned_axis(to));
        sine = poise_length(swing);
    }
    // a rotation by a about the bisector of `from` and `to` changes the twist by a / cos(swing / 2)
    const PoiseVec3 sum = poise_add(from, to);
    const double length = poise_length(sum);
    axes[0] = poise_scale(1.0 / sine, swing);
    axes[2] = length > MIN_MIDDLE ? poise_scale(1.0 / length, sum) : to;
    axes[1] = poise_cross(axes[2], axes[0]);
}

// A rotation split into twist and swing: sine and cosine of half of each angle, times a common
// length. The cosines are not negative.
typedef struct Parts {
    // This and twist_cosine: sine and cosine of half the twist, times the cosine of half the swing
    double twist_sine;
    double twist_cosine;
    double swing_sine;
    double swing_cosine;
} Parts;

static Parts parts_of(PoiseQuat q, PoiseVec3 axis) {
    const PoiseVec3 v = poise_vec3(q.x, q.y, q.z);
    const double along = poise_dot(v, axis);
    const PoiseVec3 across = poise_add_scaled(v, -along, axis);
    Parts parts;
    parts.twist_sine = q.w < 0.0 ? -along : along;
    parts.twist_cosine = fabs(q.w);
    parts.swing_sine = poise_length(across);
    parts.swing_cosine = sqrt(q.w * q.w + along * along);
    return parts;
}

static bool has_end(const Joint* joint, int d) {
    return joint->lower[d] > -HUGE_VAL || joint->upper[d] < HUGE_VAL;
}

int poise__joint_room(const Joint* joint, double lower[POISE_MAX_AXES],
                      double upper[POISE_MAX_AXES]) {
    // a joint with limits has at most three velocities
    const int count = joint->limited ? poise__joint_type(joint)->nv : 0;
    double at[POISE_MAX_AXES] = {joint->q[0], joint->q[1], joint->q[2]};
    double rate = 1.0;
    if (poise__joint_has_cone(joint)) {
        const Parts parts = parts_of(rotation_of(joint), joint->axes[0]);
        const double length =
            sqrt(parts.swing_sine * parts.swing_sine + parts.swing_cosine * parts.swing_cosine);
        const bool twists = has_end(joint, 2) && parts.swing_cosine > 0.0;
        at[0] = has_end(joint, 0) ? poise_turn_of_half(parts.swing_sine, parts.swing_cosine) : 0.0;
        at[2] = twists ? poise_turn_of_half(parts.twist_sine, parts.twist_cosine) : 0.0;
        rate = length > 0.0 ? poise_max(parts.swing_cosine / length, MIN_MIDDLE) : 1.0;
    }
    for (int d = 0; d < count; d++) {
        const bool ends = has_end(joint, d);
        const double part = d == 2 ? rate : 1.0;
        lower[d] = ends ? part * (joint->lower[d] - at[d]) : -HUGE_VAL;
        upper[d] = ends ? part * (joint->upper[d] - at[d]) : HUGE_VAL;
    }
    return count;
}

// Returns sine and cosine of half the angle, after clamping it to -pi..pi.
static HalfAngle half_angle(double angle) {
    const PoiseSinCos half = poise_sincos(0.5 * poise_min(poise_max(angle, -POISE_PI), POISE_PI));
    return (HalfAngle){half.sine, half.cosine};
}

// True if velocity d of the type can have a limit. Velocity 1 of a ball cannot: its cone limits the
// swing (0) and the twist (2).
static bool has_limit(const PoiseJointType* type, int d) {
    return poise__joint_can_have_cone(type) ? d != 1
                                            : !poise__joint_is_vector(type) && d < type->nv;
}

const char* poise__limits_problem(const PoiseJointType* type, const PoiseLimits* limits) {
    for (int d = 0; d < POISE_MAX_AXES; d++) {
        if (!poise__is_range(limits->lower[d], limits->upper[d])) {
            return "a lower limit must be at most the upper one";
        }
        if (!has_limit(type, d) && (isfinite(limits->lower[d]) || isfinite(limits->upper[d]))) {
            return "a velocity that the kind does not have has a limit";
        }
    }
    const bool cone = poise__joint_can_have_cone(type);
    if (cone && !(limits->upper[0] >= 0.0 && limits->lower[0] == -limits->upper[0])) {
        return "the swing must not be negative, its lower limit minus its upper one";
    }
    return NULL;
}

void poise__limits_set(Joint* joint, const PoiseLimits* limits) {
    const PoiseJointType* type = poise__joint_type(joint);
    joint->limited = false;
    for (int d = 0; d < POISE_MAX_AXES; d++) {
        const bool has = has_limit(type, d);
        joint->lower[d] = has ? limits->lower[d] : -HUGE_VAL;
        joint->upper[d] = has ? limits->upper[d] : HUGE_VAL;
        joint->limited =
            joint->limited || joint->lower[d] > -HUGE_VAL || joint->upper[d] < HUGE_VAL;
    }
    if (poise__joint_has_cone(joint)) {
        joint->cone.half_swing = half_angle(joint->upper[0]);
        joint->cone.half_lower = half_angle(joint->lower[2]);
        joint->cone.half_upper = half_angle(joint->upper[2]);
    }
}

// True if the rotation is inside the cone by more than NEAR_END. Tests sin(a - b) > 0 for half
// angles a and b, without trigonometric functions. If false, the caller computes the angles.
static bool is_well_inside(const Joint* joint, PoiseQuat q) {
    const Parts p = parts_of(q, joint->axes[0]);
    const HalfAngle *swing = &joint->cone.half_swing, *low = &joint->cone.half_lower,
                    *high = &joint->cone.half_upper;
    return swing->sine * p.swing_cosine - swing->cosine * p.swing_sine > NEAR_END &&
           p.twist_sine * low->cosine - p.twist_cosine * low->sine > NEAR_END &&
           high->sine * p.twist_cosine - high->cosine * p.twist_sine > NEAR_END;
}

// Returns the twist if it is in its range, else the nearer end of the range on the circle.
static double held_twist(const Joint* joint, double twist) {
    if (twist >= joint->lower[2] && twist <= joint->upper[2]) {
        return twist;
    }
    double below = remainder(joint->lower[2] - twist, 2.0 * POISE_PI);
    double above = remainder(joint->upper[2] - twist, 2.0 * POISE_PI);
    return fabs(below) < fabs(above) ? joint->lower[2] : joint->upper[2];
}

// Clamps a rotation to the cone. Returns the bits of poise__cone_hold_step.
static int hold_in_cone(const Joint* joint, PoiseQuat* rotation) {
    if (is_well_inside(joint, *rotation)) {
        return 0;
    }
    PoiseQuat swing;
    const double twist = poise_quat_twist(*rotation, joint->axes[0], &swing);
    const double kept = held_twist(joint, twist);
    PoiseVec3 turn = poise_quat_log(swing);
    const double angle = poise_length(turn);
    const int held = (angle > joint->upper[0] ? 1 : 0) | (kept != twist ? 2 : 0);
    if (held != 0) {
        turn = angle > joint->upper[0] ? poise_scale(joint->upper[0] / angle, turn) : turn;
        PoiseQuat about = poise_quat_from_axis_angle(joint->axes[0], kept);
        *rotation = poise_quat_normalize(poise_quat_mul(poise_quat_exp(turn), about));
    }
    return held;
}

int poise__cone_hold_step(const Joint* joint, double* omega) {
    PoiseVec3 turn =
        poise_quat_unrotate(joint->joint_world.q, poise_vec3(omega[0], omega[1], omega[2]));
    PoiseQuat next = poise_quat_mul(poise_quat_exp(turn), rotation_of(joint));
    const int held = hold_in_cone(joint, &next);
    if (held != 0) {
        turn = poise_quat_log(poise_quat_mul(next, poise_quat_conjugate(rotation_of(joint))));
        turn = poise_quat_rotate(joint->joint_world.q, turn);
        omega[0] = turn.x;
        omega[1] = turn.y;
        omega[2] = turn.z;
    }
    return held;
}

void poise__joint_clip(Joint* joint) {
    if (!joint->limited) {
        return;
    }
    if (poise__joint_has_cone(joint)) {
        PoiseQuat rotation = rotation_of(joint);
        if (hold_in_cone(joint, &rotation) != 0) {
            poise__put_quat(joint->q, rotation);
        }
        return;
    }
    for (int d = 0; d < poise__joint_type(joint)->nv; d++) {
        joint->q[d] = poise_min(poise_max(joint->q[d], joint->lower[d]), joint->upper[d]);
    }
}

int poise__joint_side(const Joint* joint) {
    double lower[POISE_MAX_AXES], upper[POISE_MAX_AXES];
    const int count = poise__joint_room(joint, lower, upper);
    for (int d = 0; d < count; d++) {
        // the swing of a cone has no lower limit
        if (lower[d] >= -LIMIT_CLOSE && !(d == 0 && poise__joint_has_cone(joint))) {
            return -1;
        }
        if (upper[d] <= LIMIT_CLOSE) {
            return 1;
        }
    }
    return 0;
}

bool poise__joint_is_sound(const Joint* joint) {
    const PoiseJointType* type = poise_joint_type((PoiseNodeKind)joint->kind);
    if (!type || (joint->free_axes & ~(unsigned)POISE_AXES_ALL) != 0 ||
        !poise__is_frame(joint->joint_in_parent) || !poise__is_frame(joint->link_in_joint)) {
        return false;
    }
    PoiseLimits limits;
    for (int m = 0; m < POISE_MAX_AXES; m++) {
        limits.lower[m] = joint->lower[m];
        limits.upper[m] = joint->upper[m];
        if (m < type->motion_count && !poise__is_direction(joint->axes[m])) {
            return false;
        }
    }
    return !joint->limited ||
           (poise__joint_can_have_limits(type) && !poise__limits_problem(type, &limits));
}
