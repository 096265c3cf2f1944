// SPDX-License-Identifier: MIT
// Finds the posture in which a robot with legs stands: its joints near 0, each foot below its hip,
// and each sole as level as with all joints at 0.
#include <math.h>

#include "coordinates.h"
#include "robot_alone.h"

// Least distance of a start angle from the joint's limits: MARGIN_PART of the range, but at most
// MOST_MARGIN, rad.
#define MARGIN_PART 0.15
#define MOST_MARGIN 0.3
// Largest height of a foot above the lowest point, and least height of the base, as fractions of
// the robot's height.
#define FOOT_HEIGHT 0.05
#define BASE_HEIGHT 0.25
// Least number of axes between the base and a foot.
#define LEAST_LEG 3
// Axes are parallel if the cosine of their angle is at least this.
#define PARALLEL 0.99

// Height of all colliding shapes, and of those of the base, m.
typedef struct Heights {
    double lowest;
    double highest;
    double base;
} Heights;

static bool is_straight(const PoiseSceneJoint* joint) {
    const PoiseJointType* type = poise_joint_type(joint->kind);
    return type && type->nq == 1;
}

// Starts the joint at 0, or at the nearest angle that is inside the range by the margin.
static void start_near_zero(PoiseSceneJoint* joint) {
    const double lower = joint->limits.lower[0], upper = joint->limits.upper[0];
    double margin = MARGIN_PART * (upper - lower);
    margin = poise_kind_slides(joint->kind) ? margin : fmin(margin, MOST_MARGIN);
    margin = isfinite(margin) ? margin : 0.0;
    joint->start[0] = fmin(fmax(0.0, lower + margin), upper - margin);
    joint->bind.natural[0] = joint->start[0];
}

static Heights heights_of(const Builder* builder, const PoisePose* poses) {
    const double far = (double)INFINITY;
    Heights heights = {far, -far, far};
    for (int i = 0; i < builder->body_count; i++) {
        double span[2];
        poise__alone_span(builder, poses, i, span);
        heights.lowest = fmin(heights.lowest, span[0]);
        heights.highest = fmax(heights.highest, span[1]);
        heights.base = builder->bodies[i].joint < 0 ? fmin(heights.base, span[0]) : heights.base;
    }
    return heights;
}

// A joint of a leg in the present start posture, in world axes.
typedef struct LegJoint {
    PoiseSceneJoint* joint;
    PoiseVec3 place;
    PoiseVec3 axis;
} LegJoint;

static LegJoint look_at(const Builder* builder, const PoisePose* poses, int body) {
    LegJoint seen = {.joint = poise__build_carrier(builder, body)};
    if (seen.joint) {
        const PoisePose moved =
            poise_pose_mul(poses[body], poise_pose_inverse(builder->bodies[body].pose));
        seen.place = poise_pose_apply(moved, seen.joint->anchor);
        seen.axis = poise_quat_rotate(moved.q, seen.joint->axis);
    }
    return seen;
}

static bool is_hinge(const LegJoint* seen) {
    return seen->joint && is_straight(seen->joint) && !poise_kind_slides(seen->joint->kind);
}

// Turns a joint of a leg by the angle, within its limits.
static void turn(const LegJoint* seen, double angle) {
    PoiseSceneJoint* joint = seen->joint;
    joint->start[0] = poise__limits_clamp(&joint->limits, 0, joint->start[0] + angle);
    joint->bind.natural[0] = joint->start[0];
}

// Rotates the hip so that the foot of a leg with a bent knee is below the hip, then the ankle so
// that the sole is level. Hip and ankle are the next joints above and below the knee with axes
// parallel to the knee's.
static void set_foot(Builder* builder, PoisePose* poses, int foot) {
    LegJoint ankle = {.joint = NULL}, knee = {.joint = NULL};
    for (int body = foot; poise__build_carrier(builder, body);) {
        const LegJoint seen = look_at(builder, poses, body);
        const double across = knee.joint ? poise_dot(seen.axis, knee.axis) : 0.0;
        body = seen.joint->parent.index;
        if (!is_hinge(&seen)) {
            continue;
        }
        if (!knee.joint && seen.joint->start[0] != 0.0 && fabs(seen.axis.z) < 0.5) {
            knee = seen;
            const bool hinged = ankle.joint && fabs(poise_dot(ankle.axis, knee.axis)) > PARALLEL;
            ankle.joint = hinged ? ankle.joint : NULL;
        } else if (!knee.joint) {
            ankle = seen;
        } else if (fabs(across) > PARALLEL) {
            // A leg without an ankle ends at the far end of its last body, since a foot may be
            // welded to it.
            PoisePose end_in_body = poise_pose_identity();
            poise__alone_end(builder, foot, &end_in_body);
            const PoiseVec3 end =
                ankle.joint ? ankle.place : poise_pose_apply(poses[foot], end_in_body.p);
            const PoiseVec3 down = poise_vec3(0.0, 0.0, -1.0);
            const PoiseVec3 arm = poise_sub(end, seen.place);
            const PoiseVec3 flat = poise_add_scaled(arm, -poise_dot(arm, seen.axis), seen.axis);
            const double angle =
                poise_atan2(poise_dot(seen.axis, poise_cross(flat, down)), poise_dot(flat, down));
            turn(&seen, angle);
            if (ankle.joint) {
                const double way = poise_dot(ankle.axis, knee.axis) > 0.0 ? 1.0 : -1.0;
                turn(&ankle, -way * (knee.joint->start[0] + (across > 0.0 ? angle : -angle)));
            }
            return;
        }
    }
}

bool poise__alone_stand_up(Builder* builder, PoisePose* poses) {
    for (int i = 0; i < builder->joint_count; i++) {
        if (is_straight(&builder->joints[i])) {
            start_near_zero(&builder->joints[i]);
        }
    }
    poise__build_mimic_starts(builder, 0);
    poise__build_start_places(builder, poses);
    const Heights heights = heights_of(builder, poses);
    int feet = 0;
    for (int i = 0; i < builder->body_count; i++) {
        double span[2];
        if (poise__alone_is_tip(builder, i) && poise__alone_chain_length(builder, i) >= LEAST_LEG &&
            poise__alone_span(builder, poses, i, span) &&
            span[0] < heights.lowest + FOOT_HEIGHT * (heights.highest - heights.lowest)) {
            feet++;
            set_foot(builder, poses, i);
        }
    }
    poise__build_mimic_starts(builder, 0);
    poise__build_start_places(builder, poses);
    return feet >= 2 && isfinite(heights.base) &&
           heights.base > heights.lowest + BASE_HEIGHT * (heights.highest - heights.lowest);
}
