// SPDX-License-Identifier: MIT
// The posture that a robot starts in where its file says none: one that it can hold.
#include <math.h>

#include "coordinates.h"
#include "robot_alone.h"

// how far a joint gives way at a time while the robot sags, rad or m, and the part of its torque
// limit that it then needs
#define SAG_STEP 0.02
#define SAG_PART 0.5
// how often joints may give way all together, each time with so many bodies to be placed
enum { SAG_STEPS = 2000, SAG_BODIES = 400000 };

// what gravity turns (moves) the joint with, N m (N): above 0 towards larger angles
static double weight_on(const PoiseSceneJoint* joint, const JointLoad* load, PoiseVec3 gravity) {
    const PoiseVec3 force = poise_scale(load->outward.mass, gravity);
    const PoiseVec3 arm = poise_sub(load->outward.com, load->place);
    return poise_dot(load->axis, poise__joint_slides(joint) ? force : poise_cross(arm, force));
}

// whether the joint bears the weight with this part of its limit, or with its stop
static bool holds(const Builder* builder, const PoiseSceneJoint* joint, const PoisePose* poses,
                  double part, double* weight) {
    const JointLoad load = poise__build_joint_load(builder, joint, poses);
    *weight = weight_on(joint, &load, builder->spec->scene.world.def.gravity);
    const bool stopped = !poise_kind_turns(joint->kind) &&
                         (*weight > 0.0 ? joint->start[0] >= joint->limits.upper[0]
                                        : joint->start[0] <= joint->limits.lower[0]);
    return stopped || fabs(*weight) <= part * joint->bind.torque_limit;
}

// the first that cannot hold what hangs on it, NULL: none; `weight` gets that
static PoiseSceneJoint* weak_joint(const Builder* builder, const PoisePose* poses, double* weight) {
    for (int i = 0; i < builder->driven_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[builder->joint_order[i]];
        if (!holds(builder, joint, poses, LONE_HELD_PART, weight)) {
            return joint;
        }
    }
    return NULL;
}

static bool can_hold_itself(const Builder* builder, PoisePose* poses) {
    double weight = 0.0;
    poise__build_start_places(builder, poses);
    return !weak_joint(builder, poses, &weight);
}

static void put_at(PoiseSceneJoint* joint, double angle) {
    joint->start[0] = poise__limits_clamp(&joint->limits, 0, angle);
    joint->bind.natural[0] = joint->start[0];
}

// joints that are too weak give way as their weight leads them, until they can hold it or come to
// their stops; false: they cannot
static bool sag(Builder* builder, PoisePose* poses) {
    double weight = 0.0;
    const int most = SAG_BODIES / (builder->body_count + 1);
    const int steps = most < SAG_STEPS ? most : SAG_STEPS;
    for (int step = 0; step < steps;) {
        poise__build_start_places(builder, poses);
        PoiseSceneJoint* weak = weak_joint(builder, poses, &weight);
        const PoiseJointType* type = weak ? poise_joint_type(weak->kind) : NULL;
        if (!type || type->nq != 1 || weak->mimics >= 0) {
            return weak == NULL;
        }
        while (step++ < steps && !holds(builder, weak, poses, SAG_PART, &weight)) {
            put_at(weak, weak->start[0] + copysign(SAG_STEP, weight));
            poise__build_mimic_starts(builder, 0);
            poise__build_start_places(builder, poses);
        }
    }
    return can_hold_itself(builder, poses);
}

// to the middle of its range; where it was
static double move_to_middle(PoiseSceneJoint* joint) {
    const double start = joint->start[0];
    const double lower = joint->limits.lower[0], upper = joint->limits.upper[0];
    if (!poise_kind_turns(joint->kind) && isfinite(lower) && isfinite(upper)) {
        joint->start[0] = 0.5 * (lower + upper);
        joint->bind.natural[0] = joint->start[0];
    }
    return start;
}

static void put_back(Builder* builder, const double* starts) {
    for (int i = 0; i < builder->joint_count; i++) {
        if (!poise_kind_turns(builder->joints[i].kind)) {
            builder->joints[i].start[0] = starts[i];
            builder->joints[i].bind.natural[0] = starts[i];
        }
    }
}

// where the file says nothing, joints start in the middle of their ranges, from which they can
// move; where the robot could not hold itself there, at 0, and where it could not there either, as
// far down as it sags. Not where a loop says how it stands
void poise__alone_choose_posture(Builder* builder, const UrdfRobot* robot) {
    double* starts =
        poise__arena_allocate(builder->arena, (size_t)builder->joint_count, sizeof *starts);
    PoisePose* poses =
        poise__arena_allocate(builder->arena, (size_t)builder->body_count, sizeof *poses);
    bool chosen = !starts || !poses || robot->closure_count > 0;
    for (int i = 0; i < robot->joint_count; i++) {
        chosen = chosen || !isnan(robot->joints[i].start) || robot->joints[i].stiffness > 0.0;
    }
    if (chosen) {
        return;
    }
    for (int i = 0; i < builder->joint_count; i++) {
        starts[i] = move_to_middle(&builder->joints[i]);
    }
    poise__build_mimic_starts(builder, 0);
    if (can_hold_itself(builder, poses)) {
        return;
    }
    put_back(builder, starts);
    if (!sag(builder, poses)) {
        put_back(builder, starts);
    }
}
