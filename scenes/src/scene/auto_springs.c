// SPDX-License-Identifier: MIT
// Computes `springs: auto`. With I the inertia of the bodies that a joint carries, as one rigid
// body about the joint, the spring is p = I omega^2. The damper is critical: d = 2 I omega.
#include <math.h>
#include <string.h>

#include "builder.h"

// After SETTLING seconds 2 % of a displacement remains: (1 + x) exp(-x) = 0.02 at x =
// SETTLED_ANGLE.
#define SETTLING      0.5
#define SETTLED_ANGLE 5.834
// Largest omega h: the phase by which the oscillation advances in a step, rad.
#define MOST_SWING 0.5
// Largest omega h of a joint with damping in its file, rad. Critical damping allows a larger value
// than MOST_SWING.
#define MOST_RATE 1.0
// Least displacement at which a spring may reach the torque limit, rad or m.
#define WITHIN_LIMIT 0.05
// Largest displacement that the springs of other joints in a loop, or dry friction, may cause at a
// joint, rad or m.
#define HELD_WITHIN 0.004

static bool stands_fast(const Builder* builder, int body) {
    const PoiseSceneJoint* joint;
    for (; (joint = poise__build_carrier(builder, body)); body = joint->parent.index) {
        if (poise_kind_floats(joint->kind)) {
            return false;
        }
    }
    return body < 0 || builder->bodies[body].fixed;
}

// Adds the bodies that a joint moves over the loops that it is part of: a crank moves its rocker.
static void add_branches(const Builder* builder, int moved, bool* outward) {
    for (int i = 0; i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        const int a = joint->parent.index, b = joint->child.index;
        if (joint->driven || a < 0 || outward[a] == outward[b]) {
            continue;
        }
        int branch = -1;
        for (int body = outward[a] ? b : a;
             body >= 0 && !poise__build_carries(builder, body, moved);
             body = poise__build_parent(builder, body)) {
            branch = builder->bodies[body].fixed ? -1 : body;
        }
        const bool* added = branch >= 0 ? poise__build_outward(builder, branch) : NULL;
        for (int k = 0; added && k < builder->body_count; k++) {
            outward[k] = outward[k] || added[k];
        }
    }
}

JointLoad poise__build_joint_load(const Builder* builder, const PoiseSceneJoint* joint,
                                  const PoisePose* poses) {
    JointLoad load = {0};
    const int group = builder->bodies[joint->child.index].group;
    bool* outward = poise__build_outward(builder, joint->child.index);
    if (outward) {
        add_branches(builder, joint->child.index, outward);
    }
    for (int i = 0; outward && i < builder->body_count; i++) {
        const PoiseSceneBody* body = &builder->bodies[i];
        if (!body->fixed && body->group == group) {
            MassProperties* sum = outward[i] ? &load.outward : &load.inward;
            MassProperties own = {body->mass, body->com, {0.0}};
            memcpy(own.inertia, body->inertia, sizeof own.inertia);
            *sum = poise__mass_sum(*sum, poise__mass_moved(own, poses[i]));
        }
    }
    // The joint's frame moves with its child, so the child's displacement since angle 0 applies to
    // the frame.
    const PoisePose then = poise_pose_inverse(builder->bodies[joint->child.index].pose);
    const PoisePose moved = poise_pose_mul(poses[joint->child.index], then);
    const PoiseJointType* type = poise_joint_type(joint->kind);
    load.place = poise_pose_apply(moved, joint->anchor);
    if (type && type->nq == 1) {
        load.axis = poise_quat_rotate(moved.q, joint->axis);
    }
    load.loose = !stands_fast(builder, joint->child.index);
    return load;
}

// Returns the largest moment of inertia about any axis through the place, since other joints may
// turn the bodies until this axis lies along the joint's axis.
static double about(const MassProperties* side, PoiseVec3 place) {
    const PoiseVec3 arm = poise_sub(side->com, place);
    const double square = poise_dot(arm, arm);
    const double m = side->mass;
    const double* i = side->inertia;
    const double inertia[6] = {i[0] + m * (square - arm.x * arm.x),
                               i[1] + m * (square - arm.y * arm.y),
                               i[2] + m * (square - arm.z * arm.z),
                               i[3] - m * arm.x * arm.y,
                               i[4] - m * arm.x * arm.z,
                               i[5] - m * arm.y * arm.z};
    double moments[3];
    poise__inertia_principal(inertia, moments, NULL);
    return moments[2];
}

// Returns the inertia (sliders: mass) that a joint's spring moves: of the bodies outward; if the
// inward side is not fixed, of the heavier side.
static double inertia_of(const PoiseSceneJoint* joint, const JointLoad* load) {
    const bool slides = poise_kind_slides(joint->kind);
    const double outward =
        slides ? load->outward.mass : about(&load->outward, load->place) + joint->armature;
    const double inward = slides ? load->inward.mass : about(&load->inward, load->place);
    return load->loose ? fmax(outward, inward) : outward;
}

// Returns the torque, N m, with which the file's springs at joints without a motor pull at the
// start in the loops of a group of bodies. The springs that IK drives must overcome it.
static double pull_of_loops(const Builder* builder, int group) {
    double pull = 0.0;
    bool closed = false;
    for (int i = 0; i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        if (builder->bodies[joint->child.index].group != group) {
            continue;
        }
        closed = closed || !joint->driven;
        const bool led = !joint->tuned && !(joint->bind.ik.stiffness > 0.0);
        const double off = fabs(joint->bind.natural[0] - joint->start[0]);
        pull += led && poise_kind_axes(joint->kind) == 1 ? joint->bind.original.stiffness * off : 0;
    }
    return closed ? pull : 0.0;
}

// Sets the joint's spring and damper. `pull`: torque (N m) that the joint must hold or overcome in
// addition to the weight.
static void tune(PoiseSceneJoint* joint, double inertia, double step, double pull) {
    PoiseBindDef* bind = &joint->bind;
    const double held = sqrt(pull / (HELD_WITHIN * inertia));
    const double least = fmax(held, sqrt(joint->file_stiffness / inertia));
    const double omega = fmin(fmax(SETTLED_ANGLE / SETTLING, least), MOST_SWING / step);
    // The spring computed here replaces the file's spring, which would pull the joint off IK's
    // angle.
    bind->original.stiffness -= joint->file_stiffness;
    double stiffness = fmin(inertia * omega * omega, bind->torque_limit / WITHIN_LIMIT);
    // The file's damping is part of the damper. If that damping alone is above critical, the spring
    // is stiffened until the damping is critical.
    double damping = 2.0 * stiffness / omega;
    const double own = bind->original.damping;
    if (own > damping) {
        const double rate = fmin(own / (2.0 * inertia), MOST_RATE / step);
        stiffness =
            fmin(fmax(0.5 * own * omega, inertia * rate * rate), bind->torque_limit / WITHIN_LIMIT);
    }
    bind->ik = (PoiseSpring){stiffness, fmax(damping - own, 0.0)};
}

void poise__build_springs(Builder* builder, double step) {
    bool any = false;
    for (int i = 0; i < builder->joint_count; i++) {
        any = any || builder->joints[i].tuned;
    }
    const PoisePose* poses = any && builder->joint_order ? poise__build_start_poses(builder) : NULL;
    for (int i = 0; poses && i < builder->driven_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[builder->joint_order[i]];
        const JointLoad load = poise__build_joint_load(builder, joint, poses);
        const double inertia = joint->tuned ? inertia_of(joint, &load) : 0.0;
        if (inertia > 0.0 && isfinite(inertia)) {
            const double pull = joint->bind.friction +
                                pull_of_loops(builder, builder->bodies[joint->child.index].group);
            tune(joint, inertia, step > 0.0 ? step : 1.0, pull);
        }
    }
}
