// SPDX-License-Identifier: MIT
// Builds the joints of a chain from nodes: hinges, sliders, balls and cones about the z axes of
// their frames. Frames are chosen so that few operations lie between them, as by Denavit and
// Hartenberg: displacements along z and x, and a rotation about x. Constant transforms before the
// first and after the last joint are applied to the targets instead.
#include "chain.h"

// Sines of the angle between two axes. Axes below PARALLEL are parallel. Axes below NEAR_PARALLEL
// have a common normal that is too far away.
#define PARALLEL      1e-14
#define NEAR_PARALLEL 1e-3
// a smaller number is a rounded 0
#define ROUNDED 1e-15
// rad, units; stands for the range of a joint that has none
#define OPEN_HINGE  1e6
#define OPEN_SLIDER 1e9

/// Largest number of nodes between tip and base, including rigid ones.
enum { MOST_NODES = 1024 };

/// A chain that is being built.
typedef struct Builder {
    Chain* chain;
    PoisePose pose; ///< pose of the next frame, in the frame of the last joint after its motion
    bool too_long;
} Builder;

static void extend(Builder* builder, PoisePose pose) {
    builder->pose = poise_pose_mul(builder->pose, pose);
}

static void set_link(ChainJoint* joint, PoiseVec3 p) {
    joint->link[0] = p.x;
    joint->link[1] = p.y;
    joint->link[2] = p.z;
}

static PoiseQuat about_x(double angle) {
    const PoiseSinCos half = poise_sincos(0.5 * angle);
    return poise_quat(half.cosine, half.sine, 0.0, 0.0);
}

static PoiseQuat about_z(double angle) {
    const PoiseSinCos half = poise_sincos(0.5 * angle);
    return poise_quat(half.cosine, 0.0, 0.0, half.sine);
}

// Adds a constant rotation about z after a joint's motion. A hinge adds it to its offset, a slider
// stores it as fixed_cos and fixed_sin.
static void rotate_after(ChainJoint* joint, double angle) {
    if (joint->kind == CHAIN_HINGE) {
        joint->offset = angle;
        return;
    }
    const PoiseSinCos turn = poise_sincos(angle);
    joint->fixed_cos = turn.cosine;
    joint->fixed_sin = turn.sine;
}

static void set_any_twist(ChainJoint* joint, PoiseQuat q) {
    poise__chain_rows(q, joint->matrix);
    joint->twist = CHAIN_TWIST_ANY;
}

static void set_twist(ChainJoint* joint, double angle) {
    const PoiseSinCos turn = poise_sincos(angle);
    joint->twist_cos = turn.cosine;
    joint->twist_sin = turn.sine;
    joint->twist = CHAIN_TWIST_X;
    if (fabs(turn.cosine) < ROUNDED) {
        joint->twist = angle > 0.0 ? CHAIN_TWIST_QUARTER : CHAIN_TWIST_QUARTER_BACK;
        joint->twist_cos = 0.0;
        joint->twist_sin = angle > 0.0 ? 1.0 : -1.0;
    } else if (fabs(turn.sine) < ROUNDED && turn.cosine > 0.0) {
        joint->twist = CHAIN_TWIST_NONE;
        joint->twist_cos = 1.0;
        joint->twist_sin = 0.0;
    }
}

// Fills the link between two joints about z axes. Returns the part of the pose that is left: a
// motion along and about the next axis, whose order with that joint's own motion does not matter.
static PoisePose join_axes(ChainJoint* joint, PoisePose pose) {
    const PoiseVec3 z = poise_vec3(0.0, 0.0, 1.0);
    const PoiseVec3 next = poise_quat_rotate(pose.q, z);
    const PoiseVec3 across = poise_cross(z, next);
    const double sine = poise_length(across);
    if (sine >= PARALLEL && sine < NEAR_PARALLEL) {
        set_any_twist(joint, pose.q);
        set_link(joint, pose.p);
        return poise_pose_identity();
    }
    double along_z = 0.0;
    double along_x = sqrt(pose.p.x * pose.p.x + pose.p.y * pose.p.y);
    double angle = along_x > 0.0 ? poise_atan2(pose.p.y, pose.p.x) : 0.0;
    double twist = next.z > 0.0 ? 0.0 : POISE_PI;
    if (sine >= NEAR_PARALLEL) {
        // the link runs along the common normal
        const PoiseVec3 normal = poise_scale(1.0 / sine, across);
        const PoiseVec3 side = poise_cross(z, normal);
        angle = poise_atan2(normal.y, normal.x);
        along_x = poise_dot(pose.p, normal);
        twist = poise_atan2(sine, next.z);
        // the s at which p + s next is in the plane of z and the normal: side . (p + s next) = 0
        along_z = pose.p.z - poise_dot(pose.p, side) / poise_dot(next, side) * next.z;
    }
    rotate_after(joint, angle);
    set_link(joint, poise_vec3(along_x, 0.0, along_z));
    set_twist(joint, twist);
    const PoisePose taken =
        poise_pose(poise_quat_rotate(about_z(angle), poise_vec3(along_x, 0.0, along_z)),
                   poise_quat_mul(about_z(angle), about_x(twist)));
    return poise_pose_mul(poise_pose_inverse(taken), pose);
}

// Adds a joint whose frame is builder->pose, and links the last joint to it.
static void add_joint(Builder* builder, ChainKind kind) {
    Chain* chain = builder->chain;
    ChainJoint* joint = &chain->joints[chain->joint_count];
    ChainJoint* last = chain->joint_count > 0 ? joint - 1 : NULL;
    PoisePose left = poise_pose_identity();
    memset(joint, 0, sizeof *joint);
    joint->kind = kind;
    joint->number = chain->posture_size;
    joint->dof = chain->nv;
    joint->ball = chain->ball_count;
    joint->twist_cos = 1.0;
    joint->fixed_cos = 1.0;
    joint->scale = 1.0;
    joint->before = poise_quat_identity();
    joint->after = poise_quat_identity();
    if (!last) {
        chain->base = builder->pose;
    } else {
        chain->reach += poise_length(builder->pose.p);
        if (kind == CHAIN_BALL) {
            set_link(last, builder->pose.p);
            joint->before = builder->pose.q;
        } else if (last->kind == CHAIN_BALL) {
            last->after = builder->pose.q;
            set_link(last, poise_quat_unrotate(builder->pose.q, builder->pose.p));
        } else if (kind == CHAIN_CONE || last->kind == CHAIN_CONE_REST) {
            // a cone needs exactly this frame: it must not move along the axis
            set_link(last, builder->pose.p);
            set_any_twist(last, builder->pose.q);
        } else {
            left = join_axes(last, builder->pose);
        }
    }
    builder->pose = left;
    chain->joint_count++;
    chain->nv += kind == CHAIN_BALL ? 3 : 1;
    chain->posture_size += poise__chain_is_ball(joint) ? 4 : 1;
    chain->ball_count += poise__chain_is_ball(joint);
}

static bool has_room(Builder* builder, int dof) {
    builder->too_long = builder->too_long || builder->chain->nv + dof > CHAIN_MOST_DOF;
    return !builder->too_long;
}

// Returns the rotation that takes the z axis to `axis`.
static PoiseQuat turn_to(PoiseVec3 axis) {
    const PoiseVec3 z = poise_vec3(0.0, 0.0, 1.0);
    const PoiseVec3 across = poise_cross(z, axis);
    const double sine = poise_length(across);
    if (sine < ROUNDED && axis.z > 0.0) {
        return poise_quat_identity();
    }
    if (sine < ROUNDED) {
        return poise_quat(0.0, 1.0, 0.0, 0.0);
    }
    return poise_quat_from_axis_angle(across, poise_atan2(sine, axis.z));
}

// Adds a joint about or along an axis of the frame builder->pose. builder->pose becomes the frame
// after the joint.
static void add_axis(Builder* builder, ChainKind kind, PoiseVec3 axis, double lower, double upper) {
    if (!has_room(builder, 1)) {
        return;
    }
    Chain* chain = builder->chain;
    const PoiseQuat to = turn_to(axis);
    const PoiseVec3 here = poise_vec3(0.0, 0.0, 0.0);
    extend(builder, poise_pose(here, to));
    ChainNumber* number = &chain->numbers[chain->posture_size];
    number->lower = lower;
    number->upper = upper;
    add_joint(builder, kind);
    extend(builder, poise_pose(here, poise_quat_conjugate(to)));
    if (kind == CHAIN_SLIDER) {
        const double low = isfinite(lower) ? fabs(lower) : 0.0;
        chain->reach += fmax(low, isfinite(upper) ? fabs(upper) : 0.0);
    }
}

static void open_rotation(Chain* chain) {
    for (int k = 0; k < 4; k++) {
        ChainNumber* number = &chain->numbers[chain->posture_size + k];
        number->lower = -HUGE_VAL;
        number->upper = HUGE_VAL;
    }
}

static void add_ball(Builder* builder) {
    if (!has_room(builder, 3)) {
        return;
    }
    open_rotation(builder->chain);
    add_joint(builder, CHAIN_BALL);
}

// Adds one of the last two joints of a cone: the axis perpendicular to the swing, or the twist.
static ChainJoint* add_cone_rest(Chain* chain, const ChainJoint* cone) {
    ChainJoint* joint = &chain->joints[chain->joint_count++];
    *joint = *cone;
    joint->kind = CHAIN_CONE_REST;
    joint->dof = chain->nv++;
    joint->lower = -HUGE_VAL;
    joint->upper = HUGE_VAL;
    return joint;
}

// Adds a cone. The z axis of the frame is the axis of the cone, before and after the rotation.
static void add_cone(Builder* builder, const Joint* joint) {
    if (!has_room(builder, 3)) {
        return;
    }
    Chain* chain = builder->chain;
    const PoiseQuat to = turn_to(joint->axes[0]);
    const PoiseVec3 here = poise_vec3(0.0, 0.0, 0.0);
    open_rotation(chain);
    extend(builder, poise_pose(here, to));
    ChainJoint* swing = &chain->joints[chain->joint_count];
    add_joint(builder, CHAIN_CONE);
    swing->before = poise_quat_conjugate(to);
    swing->after = to;
    // the swing has a symmetric range: -3 degrees about an axis are 3 degrees about its opposite
    swing->lower = joint->lower[0];
    swing->upper = joint->upper[0];
    (void)add_cone_rest(chain, swing);
    ChainJoint* twist = add_cone_rest(chain, swing);
    twist->lower = joint->lower[2];
    twist->upper = joint->upper[2];
    chain->cone_count++;
    extend(builder, poise_pose(here, poise_quat_conjugate(to)));
}

// Adds a number to the posture that the chain does not change.
static void add_fixed(Chain* chain, double value) {
    ChainNumber* number = &chain->numbers[chain->posture_size];
    number->lower = value;
    number->upper = value;
    chain->fixed[chain->fixed_count++] = chain->posture_size++;
}

// True if the axis is switched on. The chain does not change the number of an axis that is off.
static bool has_axis(const Joint* joint, int bit) {
    return !poise__joint_has_switches(poise__joint_type(joint)) ||
           (joint->free_axes >> bit & 1) != 0;
}

// Adds the joint's m-th motion, along or about its axis.
static void add_scalar(Builder* builder, const Joint* joint, int m, ChainKind kind) {
    const PoiseVec3 axis = joint->axes[m];
    if (has_axis(joint, m)) {
        add_axis(builder, kind, axis, joint->lower[m], joint->upper[m]);
    } else {
        extend(builder, poise_pose(poise_scale(joint->q[m], axis), poise_quat_identity()));
        add_fixed(builder->chain, joint->q[m]);
    }
}

// Adds a spherical motion: a cone, a ball, or a constant rotation if its axes are off.
static void add_spherical(Builder* builder, const Joint* joint, int m) {
    const double* q = &joint->q[m];
    if (poise__joint_has_cone(joint)) {
        add_cone(builder, joint);
    } else if (has_axis(joint, m)) {
        add_ball(builder);
    } else {
        extend(builder, poise_pose(poise_vec3(0.0, 0.0, 0.0), poise_quat(q[0], q[1], q[2], q[3])));
        for (int k = 0; k < 4; k++) {
            add_fixed(builder->chain, q[k]);
        }
    }
}

static void add_motions(Builder* builder, const Joint* joint) {
    const PoiseJointType* type = poise__joint_type(joint);
    for (int m = 0; m < type->motion_count; m++) {
        if (type->motions[m] == POISE_SPHERICAL) {
            add_spherical(builder, joint, m);
        } else {
            add_scalar(builder, joint, m,
                       type->motions[m] == POISE_PRISMATIC ? CHAIN_SLIDER : CHAIN_HINGE);
        }
    }
}

static const char* node_problem(const Node* node) {
    const PoiseJointType* type = poise__joint_type(&node->joint);
    const unsigned axes = node->joint.free_axes & POISE_AXES_TURN;
    const bool switched = poise__joint_has_switches(type) && type->nq > type->nv;
    if (switched && axes != 0 && axes != POISE_AXES_TURN) {
        return "has some of its rotation axes off, which a compiled body does not have; "
               "poise_reach solves it";
    }
    return NULL;
}

bool poise__chain_is_rigid(const PoiseTree* tree, int slot) {
    return !poise__group_is_enabled(tree, slot) || poise__joint_dof(&tree->nodes[slot].joint) == 0;
}

static bool is_identity(PoiseQuat q) {
    return q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
}

void poise__chain_set_range(Chain* chain, int i) {
    ChainJoint* joint = &chain->joints[i];
    const ChainNumber* number = &chain->numbers[joint->number];
    if (joint->kind == CHAIN_HINGE || joint->kind == CHAIN_SLIDER) {
        const double open = joint->kind == CHAIN_SLIDER ? OPEN_SLIDER : OPEN_HINGE;
        joint->open =
            joint->kind == CHAIN_HINGE && !isfinite(number->lower) && !isfinite(number->upper);
        joint->lower = fmax(joint->scale * number->lower + joint->offset, -open);
        joint->upper = fmin(joint->scale * number->upper + joint->offset, open);
    }
    if (joint->kind != CHAIN_BALL) {
        chain->lowers[i] = joint->lower;
        chain->uppers[i] = joint->upper;
        chain->range_count = chain->range_count > i ? chain->range_count : i + 1;
    }
}

// Converts lengths to units, and sets the ranges of the coordinates.
static void scale_chain(Chain* chain, double unit) {
    chain->unit = unit > 0.0 ? unit : chain->reach > 0.0 ? chain->reach / CHAIN_REACH_UNITS : 1.0;
    chain->to_units = 1.0 / chain->unit;
    chain->plain_base = is_identity(chain->base.q);
    chain->plain_tip = is_identity(chain->tip);
    chain->nq = chain->joint_count + 4 * chain->ball_count;
    for (int i = 0; i < CHAIN_MOST_JOINTS; i++) {
        chain->lowers[i] = -HUGE_VAL;
        chain->uppers[i] = HUGE_VAL;
    }
    for (int i = 0; i < chain->joint_count; i++) {
        ChainJoint* joint = &chain->joints[i];
        for (int k = 0; k < 3; k++) {
            joint->link[k] /= chain->unit;
            joint->link[k] = fabs(joint->link[k]) < ROUNDED ? 0.0 : joint->link[k];
            joint->link_axes |= joint->link[k] != 0.0 ? 1u << k : 0u;
        }
        joint->scale = joint->kind == CHAIN_SLIDER ? 1.0 / chain->unit : 1.0;
        joint->plain = is_identity(joint->before) && is_identity(joint->after);
        joint->q = poise__chain_is_ball(joint) ? chain->joint_count + 4 * joint->ball : i;
        poise__chain_set_range(chain, i);
    }
}

// Adds the joints of a node. Returns why the node cannot be in a chain, or NULL.
static const char* add_node(Builder* builder, const PoiseTree* tree, int slot, bool rigid) {
    const Node* node = &tree->nodes[slot];
    Chain* chain = builder->chain;
    const int begin = chain->posture_size;
    extend(builder, node->joint.joint_in_parent);
    if (rigid) {
        PoisePose moved = poise_pose_identity();
        poise__joint_apply(&node->joint, &moved);
        extend(builder, moved);
    } else {
        const char* problem = node_problem(node);
        if (problem) {
            return problem;
        }
        add_motions(builder, &node->joint);
    }
    extend(builder, node->joint.link_in_joint);
    for (int k = begin; k < chain->posture_size; k++) {
        chain->numbers[k].node = poise__node_id(tree, slot);
    }
    return builder->too_long ? "would be the 65th degree of freedom of a limb" : NULL;
}

const char* poise__chain_build(Chain* chain, const PoiseTree* tree, const ChainDef* def,
                               int* culprit) {
    int slots[MOST_NODES];
    int count = 0;
    const int first = (int)def->first.index1 - 1;
    *culprit = (int)def->tip.index1 - 1;
    for (int slot = *culprit; slot != NO_SLOT; slot = tree->nodes[slot].parent) {
        if (count == MOST_NODES) {
            return "has more than 1024 nodes between it and the base";
        }
        slots[count++] = slot;
        if (slot == first) {
            break;
        }
    }
    Builder builder = {chain, poise_pose_identity(), false};
    if (tree->nodes[slots[count - 1]].parent == NO_SLOT) {
        extend(&builder, tree->nodes[slots[count - 1]].base);
    }
    for (int i = count - 1; i >= 0; i--) {
        *culprit = slots[i];
        const char* problem = add_node(&builder, tree, slots[i], def->is_rigid(tree, slots[i]));
        if (problem) {
            return problem;
        }
    }
    if (chain->joint_count == 0) {
        return "carries the tip, but no node of the chain can move";
    }
    extend(&builder, poise_pose(def->in_link.p, poise_quat_normalize(def->in_link.q)));
    chain->reach += poise_length(builder.pose.p);
    set_link(&chain->joints[chain->joint_count - 1], builder.pose.p);
    chain->tip = builder.pose.q;
    scale_chain(chain, def->unit);
    return NULL;
}
