// SPDX-License-Identifier: MIT
// Chooses a start posture that the robot can hold, if its file gives none.
#include <math.h>

#include "coordinates.h"
#include "robot_alone.h"

// Displacement by which a joint sags in one step, rad or m, and the fraction of its torque limit at
// which it stops.
#define SAG_STEP 0.02
#define SAG_PART 0.5
// Bounds of the search: largest number of steps, and of steps times bodies.
enum { SAG_STEPS = 2000, SAG_BODIES = 400000 };

// True if this fraction of the joint's torque limit, or a limit of its range, holds the weight.
// `weight` gets the torque (force) of gravity on the joint, N m (N), positive toward larger angles.
static bool can_hold(const Builder* builder, const PoiseSceneJoint* joint, const PoisePose* poses,
                     double part, double* weight) {
    const JointLoad load = poise__build_joint_load(builder, joint, poses);
    const PoiseVec3 force = poise_scale(load.outward.mass, builder->spec->scene.world.def.gravity);
    const PoiseVec3 moment = poise_cross(poise_sub(load.outward.com, load.place), force);
    *weight = poise_dot(load.axis, poise_kind_slides(joint->kind) ? force : moment);
    const bool stopped = !poise_kind_turns(joint->kind) &&
                         (*weight > 0.0 ? joint->start[0] >= joint->limits.upper[0]
                                        : joint->start[0] <= joint->limits.lower[0]);
    return stopped || fabs(*weight) <= part * joint->bind.torque_limit;
}

// Returns the first joint that cannot hold its load, and writes this load to `weight`; NULL: none.
static PoiseSceneJoint* weak_joint(const Builder* builder, const PoisePose* poses, double* weight) {
    for (int i = 0; i < builder->driven_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[builder->joint_order[i]];
        if (!can_hold(builder, joint, poses, LONE_HELD_PART, weight)) {
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

// Moves joints that are too weak in the direction of gravity's load, until they can hold it or
// reach their limits. Returns false if the robot still cannot hold itself.
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
        while (step++ < steps && !can_hold(builder, weak, poses, SAG_PART, &weight)) {
            weak->start[0] =
                poise__limits_clamp(&weak->limits, 0, weak->start[0] + copysign(SAG_STEP, weight));
            weak->bind.natural[0] = weak->start[0];
            poise__build_mimic_starts(builder, 0);
            poise__build_start_places(builder, poses);
        }
    }
    return can_hold_itself(builder, poses);
}

static void put_back(Builder* builder, const double* starts) {
    for (int i = 0; i < builder->joint_count; i++) {
        if (!poise_kind_turns(builder->joints[i].kind)) {
            builder->joints[i].start[0] = starts[i];
            builder->joints[i].bind.natural[0] = starts[i];
        }
    }
}

// Lets a robot with legs stand. If it cannot, starts all joints in the middle of their ranges,
// where they can move in both directions. If the joints are too weak for that, they sag from their
// default start; if they still are too weak, the default stays. Does nothing if the file has a
// start, a spring or a loop.
void poise__alone_choose_posture(Builder* builder, const Robot* robot) {
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
        starts[i] = builder->joints[i].start[0];
    }
    if (poise__alone_stand_up(builder, poses) && can_hold_itself(builder, poses)) {
        return;
    }
    put_back(builder, starts);
    for (int i = 0; i < builder->joint_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[i];
        const double lower = joint->limits.lower[0], upper = joint->limits.upper[0];
        if (!poise_kind_turns(joint->kind) && isfinite(lower) && isfinite(upper)) {
            joint->start[0] = joint->bind.natural[0] = 0.5 * (lower + upper);
        }
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
