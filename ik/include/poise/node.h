// SPDX-License-Identifier: MIT
// Nodes: the joints of a tree, the links they carry, their posture, and their frames.
#ifndef POISE_NODE_H
#define POISE_NODE_H

#include "poise/joint.h"
#include "poise/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Axes of a translation or free node, as bits of PoiseNodeDef.free_axes.
typedef enum PoiseAxes {
    POISE_AXIS_X = 1,
    POISE_AXIS_Y = 2,
    POISE_AXIS_Z = 4,
    POISE_AXIS_TURN_X = 8,
    POISE_AXIS_TURN_Y = 16,
    POISE_AXIS_TURN_Z = 32,
    POISE_AXES_LINEAR = 7,
    POISE_AXES_TURN = 56,
    POISE_AXES_ALL = 63
} PoiseAxes;

/// A joint and the link that it carries. The frames follow each other from the parent's link
/// outward: link = parent link * joint_in_parent * motion * link_in_joint.
typedef struct PoiseNodeDef {
    /// Set by poise_default_*_def.
    uint32_t cookie;
    PoiseNodeKind kind;
    /// The node whose link carries this joint. Null: the base carries it (see poise_node_set_base).
    /// Default null.
    PoiseNodeId parent;
    /// The joint's frame in the link (or base) that carries it, and the frame of its own link in
    /// the moved joint frame, m. The rotations may have any length except 0. Default the identity.
    PoisePose joint_in_parent;
    PoisePose link_in_joint;
    /// The axis of the first motion. Ball: the axis of its cone. In the joint frame, not 0; the
    /// creator normalises it. Default z (universal: x). Translation and free nodes ignore it: their
    /// axes are x, y and z.
    PoiseVec3 axis;
    /// The axis of the second motion, in the joint frame at posture 0. The axes of two consecutive
    /// turns must not be parallel. Default y (PU: x). A piston ignores it and uses `axis`.
    PoiseVec3 axis2;
    /// The axis of the third motion, in the joint frame at posture 0. Default y.
    PoiseVec3 axis3;
    /// The initial posture of a joint whose motions have axes, one number per motion, rad or m.
    /// Default 0.
    double angle;
    double angle2;
    double angle3;
    /// The initial rotation of a ball or free node: the rotation of its child in the joint frame.
    /// Default the identity.
    PoiseQuat rotation;
    /// The initial translation of a translation or free node, joint frame, m. Default 0.
    PoiseVec3 translation;
    /// The ranges of angle, angle2 and angle3, lower <= upper. Default minus and plus infinity.
    double lower;
    double upper;
    double lower2;
    double upper2;
    double lower3;
    double upper3;
    /// Ball: the largest swing of `axis` from its direction in the joint frame, rad, 0..pi. The
    /// twist about `axis` has the range -pi <= lower <= upper <= pi (see poise_quat_twist). Default
    /// infinity: no limit.
    double swing_limit;
    double twist_lower;
    double twist_upper;
    /// The largest speed of the node in a solve with a `step`, > 0, rad/s or m/s (free node:
    /// rad/s). Other nodes compensate for a node at this speed if they can. If there are several
    /// priorities, they do so only for nodes whose motions have axes. Default infinity.
    double max_speed;
    /// Translation, free: the axes of the joint frame that may move, bits of PoiseAxes. The other
    /// axes keep their posture. A translation node ignores the turn bits. Default POISE_AXES_ALL.
    unsigned free_axes;
    /// Resistance to motion, > 0: the nodes divide a motion of the points in proportion to 1 / bias
    /// (W in the equations of poise/solve.h). Default 1.
    double bias;
    /// Mass of the link, kg, >= 0. Default 0.
    double mass;
    /// Centre of mass of the link, in the link's frame, m. Default 0.
    PoiseVec3 com_link;
} PoiseNodeDef;

/// A hinge about z, its angle 0, without a range.
POISE_API PoiseNodeDef poise_default_hinge_def(void);
/// A slider along z, at 0, without a range.
POISE_API PoiseNodeDef poise_default_slider_def(void);
/// A ball at rotation 0, without a cone. The axis of a cone is z.
POISE_API PoiseNodeDef poise_default_ball_def(void);
/// Two hinges at one point, about x, then about the y axis that the first turn moves; both at 0.
POISE_API PoiseNodeDef poise_default_universal_def(void);
/// Three translations along x, y and z, all free, at 0.
POISE_API PoiseNodeDef poise_default_translation_def(void);
/// Three translations and any rotation, like a body without supports; all free, at 0.
POISE_API PoiseNodeDef poise_default_free_def(void);
/// Two turns about z, then y, at any angle between the axes, like ODE's hinge2; both at 0.
POISE_API PoiseNodeDef poise_default_hinge2_def(void);
/// A translation along z and a turn about z, like ODE's piston; both at 0.
POISE_API PoiseNodeDef poise_default_piston_def(void);
/// A translation along z, then a turn about y, like ODE's PR joint; both at 0.
POISE_API PoiseNodeDef poise_default_pr_def(void);
/// A translation along z, then turns about x and y, like ODE's PU joint; all at 0.
POISE_API PoiseNodeDef poise_default_pu_def(void);
/// The default def of a kind. poise_node_create refuses the def of a value that is not a kind.
POISE_API PoiseNodeDef poise_default_node_def(PoiseNodeKind kind);

/// Creates a node. Null with the reason in poise_tree_status: a def that its default function did
/// not make, a parent that is not a node of the tree, a number that is not finite or out of range.
POISE_API PoiseNodeId poise_node_create(PoiseTree* tree, const PoiseNodeDef* def);

/// Destroys the node, all nodes farther out on its branch, and the points on their links. The null
/// handle is allowed. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_destroy(PoiseTree* tree, PoiseNodeId node);

/// True if the handle is of an existing node of this tree.
POISE_API bool poise_node_is_valid(const PoiseTree* tree, PoiseNodeId node);

/// The kind of the node; 0 for a handle that is not valid.
POISE_API PoiseNodeKind poise_node_kind(const PoiseTree* tree, PoiseNodeId node);
/// The kind of the node in a state that poise_tree_save wrote into `size` bytes of memory. 0 for
/// NULL, for incomplete memory, and for a node that is not valid in that state.
POISE_API PoiseNodeKind poise_node_saved_kind(const void* memory, size_t size, PoiseNodeId node);
/// The node whose link carries this joint. Null for a node on the base and for a handle that is not
/// valid.
POISE_API PoiseNodeId poise_node_parent(const PoiseTree* tree, PoiseNodeId node);

/// The joint frame in the parent's link or in the base, m: PoiseNodeDef.joint_in_parent, its
/// rotation normalised. The identity for a handle that is not valid.
POISE_API PoisePose poise_node_joint_in_parent(const PoiseTree* tree, PoiseNodeId node);
/// The link's frame in the moved joint frame, m: PoiseNodeDef.link_in_joint, its rotation
/// normalised. The identity for a handle that is not valid.
POISE_API PoisePose poise_node_link_in_joint(const PoiseTree* tree, PoiseNodeId node);
/// The axis of the first motion, in the joint frame, length 1, without unit. 0 for a handle that is
/// not valid.
POISE_API PoiseVec3 poise_node_axis(const PoiseTree* tree, PoiseNodeId node);
/// The axis of the second motion, in the joint frame at posture 0, as poise_node_axis.
POISE_API PoiseVec3 poise_node_axis2(const PoiseTree* tree, PoiseNodeId node);
/// The axis of the third motion, in the joint frame at posture 0, as poise_node_axis.
POISE_API PoiseVec3 poise_node_axis3(const PoiseTree* tree, PoiseNodeId node);

/// Number of columns of the node in the Jacobian. 0 if the node is not enabled or if no enabled
/// point is registered with it. A ball has 2 or 3 (see PoiseBallAxes). A translation or free node
/// has one per free axis: about or along the world axes if all its axes are free, else those of the
/// joint frame.
POISE_API int poise_node_dof(PoiseTree* tree, PoiseNodeId node);

/// Enables or disables the node. A disabled node keeps its posture and has no columns. Default
/// enabled. Errors: POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_enabled(PoiseTree* tree, PoiseNodeId node, bool enabled);
/// True if the node is enabled; false for a handle that is not valid.
POISE_API bool poise_node_enabled(const PoiseTree* tree, PoiseNodeId node);

/// Sets PoiseNodeDef.bias, > 0. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_bias(PoiseTree* tree, PoiseNodeId node, double bias);
/// Sets PoiseNodeDef.free_axes, bits of PoiseAxes. Only for translation and free nodes. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_node_set_free_axes(PoiseTree* tree, PoiseNodeId node, unsigned axes);
/// The free axes, bits of PoiseAxes. POISE_AXES_ALL for other kinds; 0 for a handle that is not
/// valid.
POISE_API unsigned poise_node_free_axes(const PoiseTree* tree, PoiseNodeId node);
/// Ranges of a node's coordinates, one per velocity (see PoiseJointType), rad or m: lower <= upper,
/// infinities allowed. A ball has its cone here (see PoiseNodeDef.swing_limit): [0] the swing, with
/// lower = -upper and upper >= 0; [1] infinite; [2] the twist.
typedef struct PoiseLimits {
    double lower[3];
    double upper[3];
} PoiseLimits;

/// Returns limits that bound nothing: -infinity to infinity for each velocity.
static inline PoiseLimits poise_no_limits(void) {
    PoiseLimits limits = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    return limits;
}

/// Limits of the first motion of a joint whose motions have axes, rad or m, lower <= upper,
/// infinities allowed. The other motions have infinite ranges.
static inline PoiseLimits poise_range(double lower, double upper) {
    PoiseLimits limits = poise_no_limits();
    limits.lower[0] = lower;
    limits.upper[0] = upper;
    return limits;
}

/// The cone of a ball (see PoiseNodeDef.swing_limit), rad.
static inline PoiseLimits poise_cone(double swing_limit, double twist_lower, double twist_upper) {
    PoiseLimits limits = poise_range(-swing_limit, swing_limit);
    limits.lower[2] = twist_lower;
    limits.upper[2] = twist_upper;
    return limits;
}

/// Sets all limits of a node, without moving the posture. Translation and free nodes have no
/// limits: POISE_ERROR_WRONG_KIND. POISE_ERROR_INVALID_ARGUMENT if lower > upper, or for a finite
/// limit of a velocity that the node does not have. Other errors: POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_limits(PoiseTree* tree, PoiseNodeId node, PoiseLimits limits);
/// The limits of a node; poise_no_limits for a handle that is not valid.
POISE_API PoiseLimits poise_node_limits(const PoiseTree* tree, PoiseNodeId node);
/// Sets the range of motion of a hinge or slider per solve with a `step`, rad or m, lower <= upper,
/// infinities allowed. The node's range and speed take precedence. A simulation uses this range to
/// keep its reference near the simulated joint. Minus and plus infinity remove it. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE; POISE_ERROR_WRONG_KIND for other
/// nodes.
POISE_API PoiseStatus poise_node_set_step_range(PoiseTree* tree, PoiseNodeId node, double lower,
                                                double upper);
/// Sets PoiseNodeDef.max_speed, > 0, rad/s or m/s. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_max_speed(PoiseTree* tree, PoiseNodeId node, double speed);
/// The node's speed limit, rad/s (slider: m/s); infinity if it has none; 0 for a handle that is not
/// valid.
POISE_API double poise_node_max_speed(const PoiseTree* tree, PoiseNodeId node);
/// Sets the mass of the link, kg, >= 0. `com_link` is its centre in the link's frame, m. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_mass(PoiseTree* tree, PoiseNodeId node, double mass,
                                          PoiseVec3 com_link);
/// The mass of the node's link, kg; its centre in the link's frame, m, goes to `com_link` (NULL:
/// not wanted). 0, and nothing written, for a handle that is not valid.
POISE_API double poise_node_mass(const PoiseTree* tree, PoiseNodeId node, PoiseVec3* com_link);

// ------------------------------------------------------------------------------------- posture

/// Sets the coordinates of a node, rad and m, in the order of poise_node_posture; rotations are
/// normalised. `count` must be the number of coordinates of its kind. The frames become stale.
/// Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_posture(PoiseTree* tree, PoiseNodeId node,
                                             const double* posture, int count);
/// Sets the coordinate, any finite number, of a hinge (rad) or slider (m). The frames become stale.
/// Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE; POISE_ERROR_WRONG_KIND for
/// other nodes.
POISE_API PoiseStatus poise_node_set_angle(PoiseTree* tree, PoiseNodeId node, double angle);
/// Moves the posture of a node of any kind by a step, rad and m in the order of poise_node_omega,
/// and clamps it to the ranges. Rotations of balls and free nodes are about the world axes of the
/// frames as last filled. `count` must be the number of velocities of the kind. The frames become
/// stale. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_shift(PoiseTree* tree, PoiseNodeId node, const double* omega,
                                       int count);
/// Sets the reference posture of a node, in the numbers of poise_node_posture: the posture that the
/// node takes where the points leave it free. NULL with 0: no reference. PoiseSolveDef.posture_rate
/// follows it in the null space of the points; a reference weight balances it against the points.
/// If both are 0, the reference has no effect. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_reference(PoiseTree* tree, PoiseNodeId node,
                                               const double* posture, int count);
/// Sets the weight of the node's reference in the least squares, >= 0. Default 0: no rows. It adds
/// rows sqrt(weight) (omega - (reference - posture)), in rad and m like a point's rows. At rest the
/// sum of weight error^2 over points and references is least. Under several priorities these rows
/// belong to the last. A node that serves no point reaches its reference. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_reference_weight(PoiseTree* tree, PoiseNodeId node,
                                                      double weight);
/// The weight of the node's reference, >= 0; 0 for a handle that is not valid.
POISE_API double poise_node_reference_weight(const PoiseTree* tree, PoiseNodeId node);
/// Sets the pose, in the world, m, of the base of a node without parent: the frame in which
/// `joint_in_parent` is given. Default the identity. The frames become stale. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE; POISE_ERROR_WRONG_KIND for a node with
/// a parent.
POISE_API PoiseStatus poise_node_set_base(PoiseTree* tree, PoiseNodeId node, PoisePose base);
/// Sets the velocity of the base of a node without parent, world: m/s of its origin and rad/s.
/// Default 0. Seen from the moving base, the goals of points on its branch move in the opposite
/// direction. This velocity changes poise_node_velocity alone, as a goal's velocity does
/// (poise_point_set_velocity). Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE;
/// POISE_ERROR_WRONG_KIND for a node with a parent.
POISE_API PoiseStatus poise_node_set_base_velocity(PoiseTree* tree, PoiseNodeId node,
                                                   PoiseVec3 velocity, PoiseVec3 angular);

/// The pose of the base of a node without parent, world, m. The identity for a node with a parent
/// and for a handle that is not valid.
POISE_API PoisePose poise_node_base(const PoiseTree* tree, PoiseNodeId node);
/// The first coordinate of a joint whose motions have axes, rad or m. 0 for other kinds and for a
/// handle that is not valid.
POISE_API double poise_node_angle(const PoiseTree* tree, PoiseNodeId node);
/// The pose of the child after the joint's motion, in the joint frame, without link_in_joint, m.
/// The identity for a handle that is not valid.
POISE_API PoisePose poise_node_pose(const PoiseTree* tree, PoiseNodeId node);
/// Writes the coordinates of a node of any kind in the order of its motions. Returns their number
/// (PoiseJointType.nq). Rad or m by axis, a rotation as (w, x, y, z). A free node has 7: position,
/// then rotation. Returns 0 for a handle that is not valid.
POISE_API int poise_node_posture(const PoiseTree* tree, PoiseNodeId node,
                                 double posture[POISE_MAX_POSTURE]);

/// Fills the frames of all nodes from the posture (forward kinematics). Errors:
/// POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_forward(PoiseTree* tree);

/// Sets the frames of one node from a simulation, world, m, instead of poise_forward. `joint_world`
/// is the joint frame (fixed to the parent, at the anchor), `link_world` the frame of the link. The
/// posture stays. The frames are fresh as soon as every node has been measured since they became
/// stale. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_frames(PoiseTree* tree, PoiseNodeId node,
                                            PoisePose joint_world, PoisePose link_world);

/// True if the frames belong to the posture. False after a change until they are filled again.
POISE_API bool poise_tree_is_fresh(const PoiseTree* tree);

/// The node's joint frame before its motion, world, m, from the frames as last filled. The identity
/// for a handle that is not valid.
POISE_API PoisePose poise_node_joint_world(const PoiseTree* tree, PoiseNodeId node);
/// The frame of the node's link, world, m, from the frames as last filled. The identity for a
/// handle that is not valid.
POISE_API PoisePose poise_node_link_world(const PoiseTree* tree, PoiseNodeId node);

#ifdef __cplusplus
}
#endif

#endif
