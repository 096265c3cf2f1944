// SPDX-License-Identifier: MIT
// Fills a binding's blocks (groups of its velocities) from its joint type. Measures frames,
// coordinates and axes of a bound joint from ODE's bodies.
#include "binding.h"

#include <math.h>
#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "shared/half_turn.h"

// -------------------------------------------------------------------------------- joint type

// Returns how many motions, from motion m on, form a block: 3 for three prismatic motions at the
// start, else 1.
static int motions_of_block(const PoiseJointType* type, int m) {
    return m == 0 && type->linear == 7u ? 3 : 1;
}

void poise__binding_set_type(Binding* binding, PoiseNodeKind kind) {
    const PoiseJointType* type = poise_joint_type(kind);
    binding->type = type;
    binding->block_count = 0;
    int velocity = 0, q = 0;
    for (int m = 0; m < type->motion_count; m += motions_of_block(type, m)) {
        const bool spherical = type->motions[m] == POISE_SPHERICAL;
        const int count = spherical ? 3 : motions_of_block(type, m);
        binding->blocks[binding->block_count++] = (Block){
            (signed char)velocity, (signed char)count,
            (signed char)(type->motions[m] == POISE_PRISMATIC ? ALONG : ABOUT), (signed char)q};
        velocity += count;
        q += spherical ? 4 : count;
    }
}

bool poise__binding_is_free(const Binding* binding) {
    return binding->type->nv == POISE_MAX_NV;
}

bool poise__binding_is_driven(const Binding* binding) {
    return binding->ik[ABOUT].stiffness > 0.0 || binding->ik[ALONG].stiffness > 0.0;
}

bool poise__binding_holds_up(const Binding* binding) {
    bool all = true;
    for (int sort = 0; sort < SORTS; sort++) {
        const double p = binding->ik[sort].stiffness + binding->original[sort].stiffness;
        all = all && (p > 0.0 || !binding->motor.parts[sort]);
    }
    return all || binding->motor.joint;
}

bool poise__base_floats(const Binding* binding) {
    return poise__binding_is_free(binding) && !poise__binding_holds_up(binding);
}

bool poise__binding_is_sprung(const Binding* binding) {
    if (!binding->motor.joint) {
        return poise__binding_holds_up(binding);
    }
    const PoiseSpring* ik = binding->ik;
    const PoiseSpring* own = binding->original;
    const double ik_stiffness =
        binding->follows_ik ? ik[ABOUT].stiffness + ik[ALONG].stiffness : 0.0;
    return ik_stiffness + own[ABOUT].stiffness + own[ALONG].stiffness > 0.0;
}

// ----------------------------------------------------------------------------------- coordinates

static double twist_about(PoiseVec3 axis, PoiseQuat rotation) {
    return poise_turn_of_half(poise_dot(axis, poise_vec3(rotation.x, rotation.y, rotation.z)),
                              rotation.w);
}

// Reads the coordinates of three prismatic motions, or of one. `moved`: the link's pose in the
// joint frame.
static void read_place(JointState* joint, PoisePose moved, int block) {
    const Block* b = &joint->of->blocks[block];
    if (b->count == 3) {
        poise__put3(&joint->q[b->q], moved.p);
        return;
    }
    // a single prismatic motion comes before all rotations: its axis is fixed in the joint frame
    joint->q[b->q] = poise_dot(joint->of->axes[block], moved.p);
}

static void read_coordinates(JointState* joint, PoisePose moved) {
    const Binding* binding = joint->of;
    int rotations[2] = {0, 0};
    int count = 0;
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        if (b->sort == ALONG) {
            read_place(joint, moved, i);
        } else if (b->count == 3) {
            const double rotation[4] = {moved.q.w, moved.q.x, moved.q.y, moved.q.z};
            memcpy(&joint->q[b->q], rotation, sizeof rotation);
        } else {
            rotations[count++] = i;
        }
    }
    double angles[2] = {0.0, 0.0};
    if (count == 1) {
        angles[0] = twist_about(binding->axes[rotations[0]], moved.q);
    } else if (count == 2) {
        // q = R(axis, a) R(axis2, b) rotates axis2 to R(axis, a) axis2, which determines the angle
        // a
        const PoiseVec3 axis = binding->axes[rotations[0]], axis2 = binding->axes[rotations[1]];
        const PoiseVec3 image = poise_quat_rotate(moved.q, axis2);
        const double cosine =
            poise_dot(axis2, image) - poise_dot(axis, axis2) * poise_dot(axis, image);
        angles[0] = poise_atan2(poise_dot(poise_cross(axis, axis2), image), cosine);
        const PoiseQuat first = poise_quat_from_axis_angle(axis, angles[0]);
        angles[1] = twist_about(axis2, poise_quat_mul(poise_quat_conjugate(first), moved.q));
    }
    for (int i = 0; i < count; i++) {
        double* q = &joint->q[binding->blocks[rotations[i]].q];
        *q = poise__on_turn_of(angles[i], *q);
    }
}

static PoiseQuat moved_rotation(const JointState* joint) {
    return joint->of->plain_moved ? joint->link_world.q
                                  : poise_quat_mul(joint->link_world.q, joint->of->moved_in_link.q);
}

// Returns the joint frame from the parent body; it is fixed in the world if there is no parent
// body.
static PoisePose joint_frame(const Binding* binding, const JointState* below) {
    const PoisePose* in_parent = &binding->joint_in_parent_body;
    if (!binding->motor.parent) {
        return *in_parent;
    }
    const PoisePose parent = below && below->of->plain_link
                                 ? below->link_world
                                 : poise__body_pose(binding->motor.parent);
    return poise_pose(poise_pose_apply(parent, in_parent->p),
                      binding->parallel ? parent.q : poise_quat_mul(parent.q, in_parent->q));
}

void poise__joint_measure(JointState* joint, const PoisePose* child, const JointState* below) {
    const Binding* binding = joint->of;
    joint->joint_world = joint_frame(binding, below);
    joint->link_world =
        binding->plain_link ? *child : poise_pose_mul(*child, binding->link_in_body);
    const PoiseQuat back = poise_quat_conjugate(joint->joint_world.q);
    PoisePose moved = {{0.0, 0.0, 0.0}, poise_quat_mul(back, moved_rotation(joint))};
    if (binding->motor.count[ALONG] > 0) {
        const PoiseVec3 place = poise_pose_apply(joint->link_world, binding->moved_in_link.p);
        moved.p = poise_quat_rotate(back, poise_sub(place, joint->joint_world.p));
    }
    if (binding->type->nv == 1 && binding->blocks[0].sort == ABOUT) {
        // hinges, the most frequent joints, need only the twist about their axis
        joint->q[0] = poise__on_turn_of(twist_about(binding->axes[0], moved.q), joint->q[0]);
    } else {
        read_coordinates(joint, moved);
    }
}

void poise__binding_read_posture(const Binding* binding, const PoiseTree* tree, double* q) {
    poise_node_posture(tree, binding->node, q);
}

void poise__joint_from_tree(JointState* joint, const PoiseTree* tree) {
    const Binding* binding = joint->of;
    joint->joint_world = poise_node_joint_world(tree, binding->node);
    joint->link_world = poise_node_link_world(tree, binding->node);
    poise__binding_read_posture(binding, tree, joint->q);
}

void poise__joint_ik_from_tree(JointState* joint, const PoiseTree* tree) {
    poise__binding_read_posture(joint->of, tree, joint->q_ik);
}

PoiseStatus poise__joint_to_tree(const JointState* joint, PoiseTree* tree) {
    return poise_node_set_posture(tree, joint->of->node, joint->q, joint->of->type->nq);
}

void poise__binding_read_limits(Binding* binding, const PoiseTree* tree) {
    const PoiseLimits limits = poise_node_limits(tree, binding->node);
    for (int d = 0; d < poise__binding_range_count(binding->type); d++) {
        binding->lower[d] = limits.lower[d];
        binding->upper[d] = limits.upper[d];
    }
    binding->has_cone =
        binding->type->motions[0] == POISE_SPHERICAL &&
        poise_min(limits.upper[0], poise_min(limits.upper[2], -limits.lower[2])) < HUGE_VAL;
}

// ----------------------------------------------------------------------------------------- axes

void poise__joint_to_world(const JointState* joint, double* v) {
    const Binding* binding = joint->of;
    for (int i = 0; i < binding->block_count; i++) {
        double* at = &v[binding->blocks[i].first];
        if (binding->blocks[i].count == 3) {
            poise__put3(at, poise_quat_rotate(joint->joint_world.q, poise__vec3_at(at)));
        }
    }
}

void poise__world_to_joint(const Binding* binding, PoiseQuat frame, double* v) {
    for (int i = 0; i < binding->block_count; i++) {
        double* at = &v[binding->blocks[i].first];
        if (binding->blocks[i].count == 3) {
            poise__put3(at, poise_quat_unrotate(frame, poise__vec3_at(at)));
        }
    }
}

// Fills the axis of each velocity. Axes up to the first rotation's turn with the parent, later ones
// with the child, because a joint has at most two single rotations.
void poise__joint_axes(const JointState* joint, PoiseVec3 axes[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    PoiseQuat frame = joint->joint_world.q;
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        for (int k = 0; k < b->count; k++) {
            axes[b->first + k] = b->count == 3 ? poise_vec3(k == 0, k == 1, k == 2)
                                               : poise_quat_rotate(frame, binding->axes[i]);
        }
        if (b->sort == ABOUT && i + 1 < binding->block_count) {
            frame = moved_rotation(joint);
        }
    }
}

// Sets the motor's axes. Those before a rotation turn with the parent body.
void poise__binding_fix_axes(Binding* binding, const JointState* joint) {
    PoiseVec3 axes[POISE_MAX_NV];
    unsigned of_parent = 0;
    bool turns = false;
    for (int i = binding->block_count - 1; i >= 0; i--) {
        of_parent |= turns ? 1u << binding->blocks[i].first : 0u;
        turns = turns || binding->blocks[i].sort == ABOUT;
    }
    poise__joint_axes(joint, axes);
    poise__motor_set_axes(&binding->motor, axes, of_parent);
}

PoiseVec3 poise__joint_pivot(const JointState* joint) {
    return joint->of->blocks[0].sort == ABOUT
               ? joint->joint_world.p
               : poise_pose_apply(joint->link_world, joint->of->moved_in_link.p);
}

void poise__joint_torques(const JointState* joint, PoiseVec3 place, PoiseVec3 force,
                          PoiseVec3 moment, double torque[POISE_MAX_NV]) {
    PoiseVec3 axes[POISE_MAX_NV];
    poise__joint_axes(joint, axes);
    const PoiseVec3 moment_arm = poise_sub(place, poise__joint_pivot(joint));
    const PoiseVec3 about_pivot = poise_add(poise_cross(moment_arm, force), moment);
    for (int d = 0; d < joint->of->type->nv; d++) {
        torque[d] =
            poise_dot(axes[d], poise__sort(joint->of->type, d) == ALONG ? force : about_pivot);
    }
}

void poise__binding_finish(Binding* binding) {
    if (binding->finite_rotation_set && poise__motor_alive(&binding->motor)) {
        dBodySetFiniteRotationMode(binding->motor.child, binding->finite_rotation_was);
    }
    poise__motor_detach(&binding->motor);
}
