// SPDX-License-Identifier: MIT
// Finds the tips of a robot alone: bodies that carry no moving body, the farthest place on each,
// and the extent of a body in height.
#include <math.h>

#include "robot_alone.h"

static int frames_on(const Builder* builder, int body) {
    int count = 0;
    for (int i = 0; i < builder->frame_count; i++) {
        count += builder->frames[i].body == body ? 1 : 0;
    }
    return count;
}

// True if a joint with a motor lies between `base` and the body.
static bool is_driven(const Builder* builder, int body, int base) {
    const PoiseSceneJoint* joint;
    for (; body != base && (joint = poise__build_carrier(builder, body));
         body = joint->parent.index) {
        const PoiseSceneJoint* moved = joint->mimics >= 0 ? &builder->joints[joint->mimics] : joint;
        if (moved->tuned || moved->bind.ik.stiffness > 0.0) {
            return true;
        }
    }
    return false;
}

// Returns the last body on the path from the base that carries both bodies; -1: the world.
static int common_base(const Builder* builder, int body, int other) {
    while (body >= 0 && !poise__build_carries(builder, body, other)) {
        body = poise__build_parent(builder, body);
    }
    return body;
}

// Returns the number of joints that close loops at the body. A platform has more of them than its
// legs.
static int loops_on(const Builder* builder, int body) {
    int count = 0;
    for (int i = 0; i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        count +=
            !joint->driven && (joint->parent.index == body || joint->child.index == body) ? 1 : 0;
    }
    return count;
}

// True if a joint that closes a loop connects the body to a platform, a body with more such joints.
static bool is_leg(const Builder* builder, int index) {
    const int own = loops_on(builder, index);
    for (int i = 0; i < builder->joint_count && own > 0; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        const int other = joint->parent.index == index ? joint->child.index : joint->parent.index;
        if (!joint->driven && (joint->parent.index == index || joint->child.index == index) &&
            other >= 0 && !builder->bodies[other].fixed && loops_on(builder, other) > own) {
            return true;
        }
    }
    return false;
}

// True if no motor drives the body, and a joint that closes a loop connects it to a driven body
// with fewer frames: then this body is a finger of a gripper, not a rod that moves a finger.
static bool is_end_of_loop(const Builder* builder, int index) {
    for (int i = 0; i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        const int other = joint->parent.index == index ? joint->child.index : joint->parent.index;
        if (joint->driven || (joint->parent.index != index && joint->child.index != index) ||
            other < 0) {
            continue;
        }
        const int base = common_base(builder, index, other);
        if (is_driven(builder, other, base) && !is_driven(builder, index, base)) {
            return frames_on(builder, index) > frames_on(builder, other);
        }
    }
    return false;
}

// Largest distance of a wheel's centre of mass from its axis, as a fraction of its radius of
// gyration.
#define MAX_OFF_AXIS 0.1
// Largest number of axes between the base and a wheel. A body beyond more axes is the end of a leg
// or an arm.
#define MOST_TO_WHEEL 1

// Largest mass of a gear, as a fraction of the mass of the body that follows it. Fingers that mimic
// each other have equal masses and are no gears.
#define GEAR_PART 0.5

// True if the body is a gear: another joint mimics its joint and moves a heavier body.
static bool is_gear(const Builder* builder, int index) {
    const PoiseSceneBody* bodies = builder->bodies;
    for (int i = 0; i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        if (joint->mimics == bodies[index].joint &&
            bodies[index].mass < GEAR_PART * bodies[joint->child.index].mass) {
            return true;
        }
    }
    return false;
}

// True for a wheel, a caster or a gear: a body whose centre of mass is on the axis of its own
// hinge. The hinge either has no limits and is near the base, or a heavier body's joint mimics it.
static bool is_wheel(const Builder* builder, int index) {
    const PoiseSceneBody* body = &builder->bodies[index];
    const PoiseSceneJoint* joint = &builder->joints[body->joint];
    const PoiseVec3 arm = poise_sub(poise_pose_apply(body->pose, body->com), joint->anchor);
    const double off = poise_length(poise_cross(arm, joint->axis));
    double moments[3];
    poise__inertia_principal(body->inertia, moments, NULL);
    const bool endless = isinf(joint->limits.lower[0]) && isinf(joint->limits.upper[0]);
    const int axes = poise__alone_chain_length(builder, index) - 1;
    return poise_kind_axes(joint->kind) == 1 && !poise_kind_slides(joint->kind) &&
           off < MAX_OFF_AXIS * sqrt(moments[2] / body->mass) &&
           ((endless && axes <= MOST_TO_WHEEL) || is_gear(builder, index));
}

bool poise__alone_is_tip(const Builder* builder, int index) {
    for (int i = 0; i < builder->joint_count; i++) {
        if (builder->joints[i].driven && builder->joints[i].parent.index == index) {
            return false;
        }
    }
    // A body whose joint has no motor is a tip only if it closes several loops or is_end_of_loop.
    const PoiseSceneJoint* carrier = poise__build_carrier(builder, index);
    const bool unpowered = carrier && !carrier->tuned && !(carrier->bind.ik.stiffness > 0.0);
    const bool shared = loops_on(builder, index) > 1;
    if (!carrier || (unpowered && !shared && !is_end_of_loop(builder, index)) ||
        is_leg(builder, index) || is_wheel(builder, index)) {
        return false;
    }
    return poise__alone_chain_length(builder, index) > 0;
}

int poise__alone_heaviest_in_loop(const Builder* builder) {
    int heaviest = -1;
    for (int i = 0; i < builder->body_count; i++) {
        const PoiseSceneBody* body = &builder->bodies[i];
        if (!body->fixed && body->joint >= 0 && loops_on(builder, i) > 0 &&
            (heaviest < 0 || body->mass > builder->bodies[heaviest].mass)) {
            heaviest = i;
        }
    }
    return heaviest;
}

// A shape belongs to a limb if its middle has at least this distance from the hinge's axis, as a
// fraction of the shape's length.
#define LIMB_PART 0.25

// Returns the end of the shape that is farthest from a place in the body: the middle of a ball or
// of a side of a box, the end of a capsule's or cylinder's axis.
static PoiseVec3 far_end(const PoiseSceneShape* shape, PoiseVec3 from) {
    const bool box = shape->kind == POISE_SHAPE_BOX;
    const bool long_z = shape->kind == POISE_SHAPE_CAPSULE || shape->kind == POISE_SHAPE_CYLINDER;
    const double half[3] = {box ? 0.5 * shape->size.x : 0.0, box ? 0.5 * shape->size.y : 0.0,
                            box      ? 0.5 * shape->size.z
                            : long_z ? 0.5 * shape->size.y
                                     : 0.0};
    PoiseVec3 farthest = shape->in_body.p;
    for (int i = 0; i < 6; i++) {
        const double off = i % 2 ? half[i / 2] : -half[i / 2];
        const PoiseVec3 end = poise_pose_apply(
            shape->in_body,
            poise_vec3(i / 2 == 0 ? off : 0.0, i / 2 == 1 ? off : 0.0, i / 2 == 2 ? off : 0.0));
        if (poise_length(poise_sub(end, from)) > poise_length(poise_sub(farthest, from)) + 1e-9) {
            farthest = end;
        }
    }
    return farthest;
}

const char* poise__alone_end(const Builder* builder, int index, PoisePose* in_body) {
    const PoiseSceneBody* body = &builder->bodies[index];
    const PoiseSceneJoint* joint = &builder->joints[body->joint];
    const char* name = body->name;
    double farthest = -1.0;
    for (int i = 0; i < builder->frame_count; i++) {
        const PoiseSceneFrame* frame = &builder->frames[i];
        PoiseVec3 place = poise_pose_apply(body->pose, frame->in_body.p);
        double distance = poise_length(poise_sub(place, joint->anchor));
        if (frame->body == index && distance > farthest + 1e-9) {
            farthest = distance;
            name = frame->name;
            *in_body = frame->in_body;
        }
    }
    // A limb whose frames are all at its hinge ends at the far end of its shapes. A flange, which
    // is round about the hinge, ends at its frame. In a robot with loops a limb ends at its frame
    // too, since springs of loops would hold a farther point off its goal.
    bool hinge = poise_kind_axes(joint->kind) == 1 && !poise_kind_slides(joint->kind);
    for (int i = 0; i < builder->joint_count; i++) {
        hinge = hinge && builder->joints[i].driven;
    }
    const PoisePose to_body = poise_pose_inverse(body->pose);
    const PoiseVec3 from = poise_pose_apply(to_body, joint->anchor);
    const PoiseVec3 axis = poise_quat_rotate(to_body.q, joint->axis);
    for (int i = 0; i < body->shape_count && farthest < 1e-6 && hinge; i++) {
        const PoiseVec3 end = far_end(&body->shapes[i], from);
        const PoiseVec3 middle = poise_sub(body->shapes[i].in_body.p, from);
        const double off_axis = poise_length(poise_cross(middle, axis));
        const double length = poise_length(poise_sub(end, from));
        if (off_axis > LIMB_PART * length && length > poise_length(poise_sub(in_body->p, from))) {
            in_body->p = end;
        }
    }
    return name;
}

int poise__alone_chain_length(const Builder* builder, int body) {
    int count = 0;
    const PoiseSceneJoint* joint;
    for (; (joint = poise__build_carrier(builder, body)); body = joint->parent.index) {
        const PoiseJointType* type = poise_joint_type(joint->kind);
        count += type && type->nv < POISE_MAX_NV ? type->nv : 0;
    }
    return count;
}

bool poise__alone_span(const Builder* builder, const PoisePose* poses, int index, double span[2]) {
    const PoiseSceneBody* body = &builder->bodies[index];
    span[0] = (double)INFINITY;
    span[1] = -(double)INFINITY;
    for (int i = 0; i < body->shape_count; i++) {
        const PoiseSceneShape* shape = &body->shapes[i];
        if (shape->category != 0 || shape->collide != 0) {
            double own[2];
            poise__shape_span(shape, poses[index], poise_vec3(0.0, 0.0, 1.0), own);
            span[0] = fmin(span[0], own[0]);
            span[1] = fmax(span[1], own[1]);
        }
    }
    return isfinite(span[0]);
}
