// SPDX-License-Identifier: MIT
// Finds grippers of a robot alone. Fingers that only open and close get no control points of their
// own; instead a control point between the fingers moves the gripper's body.
#include <math.h>

#include "robot_alone.h"

// Least number of joints of an arm that can place its gripper.
#define LEAST_ARM 3
// Largest number of fingers of a gripper whose fingers have a motor each.
#define MOST_TWINS 3
// Largest length of a finger, as a fraction of the arm's length.
#define FINGER_PART 0.25
// Largest distance of a tool frame from the line between the gripper and the fingers' middle, as a
// fraction of the line's length.
#define AXIS_PART 0.1

// A body, as a gripper's possible base: the arm that carries it, and the joints that it carries
// (fingers).
typedef struct Branch {
    int arm;        ///< number of axes of actuated joints between the base and the body
    double length;  ///< length along the joints between the base and the body, m
    int fingers;    ///< number of joints whose parent is the body
    int levels;     ///< longest chain of joints beyond the body
    int free;       ///< number of joints beyond the body with their own motor
    double reach;   ///< distance from the body's joint to the farthest centre of mass beyond, m
    double finger;  ///< largest `reach` of the fingers, m
    bool same_kind; ///< true if the joints on the body have the same kind
    PoiseNodeKind kind;
} Branch;

// True if the joint has its own motor.
static bool moves_itself(const PoiseSceneJoint* joint) {
    return joint->mimics < 0 && (joint->tuned || joint->bind.ik.stiffness > 0.0);
}

static PoiseVec3 place_of(const Builder* builder, int body) {
    const PoiseSceneJoint* own = poise__build_carrier(builder, body);
    return own ? own->anchor : builder->bodies[body].pose.p;
}

static void add_outward(const Builder* builder, Branch* branches, const PoiseSceneJoint* joint) {
    const PoiseJointType* type = poise_joint_type(joint->kind);
    const int own = moves_itself(joint) && type ? type->nv : 0;
    const Branch* from = &branches[joint->parent.index];
    Branch* to = &branches[joint->child.index];
    const double step =
        poise_length(poise_sub(joint->anchor, place_of(builder, joint->parent.index)));
    to->arm = from->arm + (own < POISE_MAX_NV ? own : 0);
    to->length = from->length + step;
}

static void add_inward(const Builder* builder, Branch* branches, const PoiseSceneJoint* joint) {
    const PoiseSceneBody* body = &builder->bodies[joint->child.index];
    const Branch* child = &branches[joint->child.index];
    Branch* parent = &branches[joint->parent.index];
    const PoiseVec3 com = poise_pose_apply(body->pose, body->com);
    const double own = poise_length(poise_sub(com, joint->anchor));
    const double step =
        poise_length(poise_sub(joint->anchor, place_of(builder, joint->parent.index)));
    const double reach = fmax(own, child->reach);
    parent->same_kind = parent->fingers == 0 || (parent->same_kind && parent->kind == joint->kind);
    parent->kind = joint->kind;
    parent->fingers++;
    parent->levels = parent->levels > child->levels + 1 ? parent->levels : child->levels + 1;
    parent->free += child->free + (moves_itself(joint) ? 1 : 0);
    parent->finger = fmax(parent->finger, reach);
    parent->reach = fmax(parent->reach, step + reach);
}

// True if the fingers on the body only open and close: a single motor moves all of them, or they
// are at most MOST_TWINS and have one joint each, of the same kind.
static bool is_gripper(const Branch* branch) {
    const bool twins = branch->levels == 1 && branch->same_kind && branch->fingers <= MOST_TWINS;
    return branch->fingers >= 2 && (branch->free <= 1 || twins) && branch->arm >= LEAST_ARM &&
           branch->finger < FINGER_PART * branch->length;
}

int* poise__alone_find_grippers(const Builder* builder) {
    const size_t count = (size_t)builder->body_count;
    int* grippers = poise__arena_allocate(builder->arena, count, sizeof *grippers);
    Branch* branches = poise__arena_allocate(builder->arena, count, sizeof *branches);
    if (!grippers || !branches) {
        return NULL;
    }
    for (int i = 0; i < builder->body_count; i++) {
        grippers[i] = -1;
    }
    // `joint_order` has each joint after the joint of its parent.
    for (int i = 0; i < builder->driven_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[builder->joint_order[i]];
        if (joint->parent.index >= 0) {
            add_outward(builder, branches, joint);
        }
    }
    for (int i = builder->driven_count - 1; i >= 0; i--) {
        const PoiseSceneJoint* joint = &builder->joints[builder->joint_order[i]];
        if (joint->parent.index >= 0) {
            add_inward(builder, branches, joint);
        }
    }
    for (int i = 0; i < builder->driven_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[builder->joint_order[i]];
        if (joint->parent.index >= 0) {
            const int outer = grippers[joint->parent.index];
            const bool own = outer < 0 && is_gripper(&branches[joint->parent.index]);
            grippers[joint->child.index] = own ? joint->parent.index : outer;
        }
    }
    return grippers;
}

const char* poise__alone_tool(const Builder* builder, const char* name, int gripper,
                              PoisePose* in_body) {
    const PoiseSceneBody* body = &builder->bodies[gripper];
    const PoiseVec3 base = place_of(builder, gripper);
    const PoiseVec3 middle = poise_sub(poise_pose_apply(body->pose, in_body->p), base);
    const double out = poise_length(middle);
    double farthest = out;
    for (int i = 0; i < builder->frame_count; i++) {
        const PoiseSceneFrame* frame = &builder->frames[i];
        const PoiseVec3 place = poise_sub(poise_pose_apply(body->pose, frame->in_body.p), base);
        const double along = out > 0.0 ? poise_dot(place, middle) / out : 0.0;
        const double beside =
            out > 0.0 ? poise_length(poise_add_scaled(place, -along / out, middle)) : 0.0;
        if (frame->body == gripper && along > farthest && beside < AXIS_PART * out) {
            farthest = along;
            name = frame->name;
            *in_body = frame->in_body;
        }
    }
    return name;
}
