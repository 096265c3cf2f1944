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

/// A joint and the link it carries. From the parent's link frame one comes to the joint frame by
/// `joint_in_parent`, through the joint's motion, and by `link_in_joint` to the link's frame:
/// link = parent link * joint_in_parent * motion * link_in_joint.
typedef struct PoiseNodeDef {
    /// Set by poise_default_*_def.
    uint32_t cookie;
    PoiseNodeKind kind;
    /// The node whose link carries this joint; null: the joint stands on the base (see
    /// poise_node_set_base). Default null.
    PoiseNodeId parent;
    /// Default the identity. The rotations need not have length 1, but not 0.
    PoisePose joint_in_parent;
    PoisePose link_in_joint;
    /// The axis of the first motion; ball: what its limits are about. In the joint frame, not 0,
    /// normalised by the creator. Default z (universal: x). Translation, free: not looked at, their
    /// axes are x, y and z.
    PoiseVec3 axis;
    /// The axis of the second motion, in the joint frame while the posture is 0; of two turns in a
    /// row the axes must not be parallel. Default y (pu: x). Piston: not looked at, it is `axis`.
    PoiseVec3 axis2;
    /// The axis of the third motion, likewise. Default y.
    PoiseVec3 axis3;
    /// The starting posture of joints with axes of their own, one number a motion, rad or m.
    /// Default 0.
    double angle;
    double angle2;
    double angle3;
    /// The starting posture of a ball or free node: its child in the joint frame. Default the
    /// identity.
    PoiseQuat rotation;
    /// The starting posture of a translation or free node, joint frame, m. Default 0.
    PoiseVec3 translation;
    /// The ranges of these numbers, lower <= upper. Default minus and plus infinity.
    double lower;
    double upper;
    double lower2;
    double upper2;
    double lower3;
    double upper3;
    /// Ball: the most `axis` may swing from where the joint frame has it, rad, 0..pi; and the range
    /// of the twist about it, -pi <= lower <= upper <= pi (see poise_quat_twist). Default infinity:
    /// none.
    double swing_limit;
    double twist_lower;
    double twist_upper;
    /// > 0: a solve with a `step` moves the node by at most so much, rad/s or m/s (a free node:
    /// its turn). The other nodes make up for it where they can (under several priorities only for
    /// angles). Default infinity.
    double max_speed;
    /// Translation, free: which axes of the joint frame may move, bits of PoiseAxes; the others
    /// keep their posture. Translation: the turning bits do not count. Default POISE_AXES_ALL.
    unsigned free_axes;
    /// > 0. How reluctantly the node moves, the others being equal: one of bias 2 takes half the
    /// part of one of bias 1 (W = 1 / bias). Default 1.
    double bias;
    /// Mass of the link, kg, >= 0. Default 0.
    double mass;
    /// Its centre, in the link's frame, m. Default 0.
    PoiseVec3 com_link;
} PoiseNodeDef;

/// A hinge about z, its angle 0, without a range.
POISE_API PoiseNodeDef poise_default_hinge_def(void);
/// A slider along z, at 0, without a range.
POISE_API PoiseNodeDef poise_default_slider_def(void);
/// A ball, not turned, without a cone; z is the axis of one.
POISE_API PoiseNodeDef poise_default_ball_def(void);
/// Two hinges in one place, about x, then about the y that this carries; both at 0.
POISE_API PoiseNodeDef poise_default_universal_def(void);
/// Three ways along x, y and z, all free, at 0.
POISE_API PoiseNodeDef poise_default_translation_def(void);
/// Three ways and every turn, as of a body that nothing holds; all free, at 0.
POISE_API PoiseNodeDef poise_default_free_def(void);
/// Two turns whose axes need not meet at right angles, as ODE's hinge2: about z, then y; both at 0.
POISE_API PoiseNodeDef poise_default_hinge2_def(void);
/// A way along z and a turn about it, as ODE's piston; both at 0.
POISE_API PoiseNodeDef poise_default_piston_def(void);
/// A way along z, then a turn about y, as ODE's PR joint; both at 0.
POISE_API PoiseNodeDef poise_default_pr_def(void);
/// A way along z, then turns about x and y, as ODE's PU joint; all at 0.
POISE_API PoiseNodeDef poise_default_pu_def(void);
/// The one of these for a kind; of a value that is no kind, one that poise_node_create refuses.
POISE_API PoiseNodeDef poise_default_node_def(PoiseNodeKind kind);

/// The new node, or null with the reason in poise_tree_status: a def not made by its default
/// function, a parent that is not a node of the tree, a number that is not finite or out of range.
POISE_API PoiseNodeId poise_node_create(PoiseTree* tree, const PoiseNodeDef* def);

/// Destroys the node and all that hangs on it: the nodes farther out and the points on their links.
/// The null handle is allowed. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_destroy(PoiseTree* tree, PoiseNodeId node);

/// Whether the handle is of a node of this tree that was not destroyed.
POISE_API bool poise_node_is_valid(const PoiseTree* tree, PoiseNodeId node);

/// 0 for a handle that is not valid.
POISE_API PoiseNodeKind poise_node_kind(const PoiseTree* tree, PoiseNodeId node);
/// What it is in a state that poise_tree_save wrote into `size` bytes of memory; 0 for NULL, memory
/// that is cut short, and a node that is not valid in that state.
POISE_API PoiseNodeKind poise_node_saved_kind(const void* memory, size_t size, PoiseNodeId node);
/// Null for a node on the base.
POISE_API PoiseNodeId poise_node_parent(const PoiseTree* tree, PoiseNodeId node);

/// The joint's frame in the parent's link, or in the base, as PoiseNodeDef has it, m, its rotation
/// normalised; the identity for a handle that is not valid.
POISE_API PoisePose poise_node_joint_in_parent(const PoiseTree* tree, PoiseNodeId node);
/// The link's frame after the joint's motion, as PoiseNodeDef has it, m; the identity for a handle
/// that is not valid.
POISE_API PoisePose poise_node_link_in_joint(const PoiseTree* tree, PoiseNodeId node);
/// The axis of the first motion in the joint frame, of length 1, without unit; 0 for a handle that
/// is not valid.
POISE_API PoiseVec3 poise_node_axis(const PoiseTree* tree, PoiseNodeId node);
/// That of the second motion, in the joint frame while the posture is 0; likewise.
POISE_API PoiseVec3 poise_node_axis2(const PoiseTree* tree, PoiseNodeId node);
/// That of the third motion, likewise.
POISE_API PoiseVec3 poise_node_axis3(const PoiseTree* tree, PoiseNodeId node);

/// The columns the node has in the Jacobian now: 0 while no enabled point is registered with it or
/// it is not enabled; 2 or 3 for a ball (see PoiseBallAxes); as many as it has free axes for a
/// translation or free node. Their columns are about or along the world axes while all axes of
/// the node are free, and the joint frame's otherwise.
POISE_API int poise_node_dof(PoiseTree* tree, PoiseNodeId node);

/// A node that is not enabled keeps its posture: the solver has no block for it. Default enabled.
/// Errors: POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_enabled(PoiseTree* tree, PoiseNodeId node, bool enabled);
/// Whether the node may move; false for a handle that is not valid.
POISE_API bool poise_node_enabled(const PoiseTree* tree, PoiseNodeId node);

/// bias > 0, see PoiseNodeDef. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_bias(PoiseTree* tree, PoiseNodeId node, double bias);
/// Translation, free: bits of PoiseAxes, see PoiseNodeDef; wrong kind for another. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_node_set_free_axes(PoiseTree* tree, PoiseNodeId node, unsigned axes);
/// POISE_AXES_ALL for other kinds; 0 for a handle that is not valid.
POISE_API unsigned poise_node_free_axes(const PoiseTree* tree, PoiseNodeId node);
/// How far a node may go, by velocity (see PoiseJointType), rad or m: lower <= upper, infinities
/// allowed. A ball's are its cone: [0] the swing, lower = -upper, upper >= 0; [1] none; [2] the
/// twist (see PoiseNodeDef.swing_limit).
typedef struct PoiseLimits {
    double lower[3];
    double upper[3];
} PoiseLimits;

/// No limits.
static inline PoiseLimits poise_no_limits(void) {
    PoiseLimits limits = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    return limits;
}

/// The range of the first motion of a node with axes of its own, rad or m, lower <= upper,
/// infinities allowed; the others have none.
static inline PoiseLimits poise_range(double lower, double upper) {
    PoiseLimits limits = poise_no_limits();
    limits.lower[0] = lower;
    limits.upper[0] = upper;
    return limits;
}

/// The cone of a ball, see PoiseNodeDef.
static inline PoiseLimits poise_cone(double swing_limit, double twist_lower, double twist_upper) {
    PoiseLimits limits = poise_range(-swing_limit, swing_limit);
    limits.lower[2] = twist_lower;
    limits.upper[2] = twist_upper;
    return limits;
}

/// Sets all limits of a node. The posture is not moved. Wrong kind for a translation or free node,
/// which has none; invalid argument for a range that is none, and for a finite limit of a velocity
/// that the node does not have. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_node_set_limits(PoiseTree* tree, PoiseNodeId node, PoiseLimits limits);
/// poise_no_limits for a handle that is not valid.
POISE_API PoiseLimits poise_node_limits(const PoiseTree* tree, PoiseNodeId node);
/// One degree of freedom (hinge, slider): how far the solves with a `step` that follow may move the
/// node, rad or m, lower <= upper, infinities allowed; beside its range and speed, which come
/// first. A simulation bounds so how far its reference may run ahead. Minus and plus infinity take
/// it off. Wrong kind for another. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_node_set_step_range(PoiseTree* tree, PoiseNodeId node, double lower,
                                                double upper);
/// See PoiseNodeDef.max_speed; > 0. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_max_speed(PoiseTree* tree, PoiseNodeId node, double speed);
/// The node's speed limit, rad/s (slider: m/s), infinity: none; 0 for a handle that is not valid.
POISE_API double poise_node_max_speed(const PoiseTree* tree, PoiseNodeId node);
/// mass >= 0 kg, centre in the link's frame. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_mass(PoiseTree* tree, PoiseNodeId node, double mass,
                                          PoiseVec3 com_link);
/// The mass of the node's link, kg; its centre in the link's frame, m, goes to `com_link` (NULL:
/// not wanted). 0, and nothing written, for a handle that is not valid.
POISE_API double poise_node_mass(const PoiseTree* tree, PoiseNodeId node, PoiseVec3* com_link);

// ------------------------------------------------------------------------------------- posture

/// Sets the coordinates of a node, as poise_node_posture writes them; rotations are normalised.
/// `count` must be how many its kind has. The frames become stale.
POISE_API PoiseStatus poise_node_set_posture(PoiseTree* tree, PoiseNodeId node,
                                             const double* posture, int count);
/// The same for a node of one coordinate: hinge (rad) or slider (m); wrong kind for another.
/// Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_node_set_angle(PoiseTree* tree, PoiseNodeId node, double angle);
/// Moves the posture of any kind by a step, in numbers as poise_node_omega writes them (a ball's
/// and a free node's about the world axes of the frames as last filled), held inside its ranges;
/// `count` must be how many the kind has. The frames become stale.
POISE_API PoiseStatus poise_node_shift(PoiseTree* tree, PoiseNodeId node, const double* omega,
                                       int count);
/// What the node's posture should be where the points leave it open, in numbers as
/// poise_node_posture writes them; NULL with 0: nothing. Pursued with PoiseSolveDef.posture_rate,
/// beside the points, or with a weight, against them; while neither is above 0 it is not looked at.
/// Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_reference(PoiseTree* tree, PoiseNodeId node,
                                               const double* posture, int count);
/// Rows of the node's own in the least squares, sqrt(weight) (omega - (reference - posture)), in
/// rad and m as a point's rows are: at rest the sum of weight error^2 over points and references is
/// least. >= 0; 0, the default: no rows. Under several priorities they count with the last. A node
/// that serves no point goes all the way. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_set_reference_weight(PoiseTree* tree, PoiseNodeId node,
                                                      double weight);
/// The weight of the node's reference, >= 0; 0 for a handle that is not valid.
POISE_API double poise_node_reference_weight(const PoiseTree* tree, PoiseNodeId node);
/// Where the base of a parentless node stands in the world, m (default: the identity): the pose
/// that its `joint_in_parent` starts from. The frames become stale. Wrong kind for a node with a
/// parent. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_node_set_base(PoiseTree* tree, PoiseNodeId node, PoisePose base);
/// How that base moves, m/s of its origin and rad/s, world (default 0): what the goals of points on
/// it, seen from it, move against. As their own velocities (poise_point_set_velocity) it counts in
/// poise_node_velocity alone. Wrong kind for a node with a parent. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_node_set_base_velocity(PoiseTree* tree, PoiseNodeId node,
                                                   PoiseVec3 velocity, PoiseVec3 angular);

/// Where the base of a parentless node stands, world, m; the identity for a node with a parent and
/// for a handle that is not valid.
POISE_API PoisePose poise_node_base(const PoiseTree* tree, PoiseNodeId node);
/// The first number of a node with axes of its own, rad or m; 0 for other kinds or a handle that is
/// not valid.
POISE_API double poise_node_angle(const PoiseTree* tree, PoiseNodeId node);
/// Where the node's motions have brought the child, joint frame (before link_in_joint); the
/// identity for a handle that is not valid.
POISE_API PoisePose poise_node_pose(const PoiseTree* tree, PoiseNodeId node);
/// The numbers of the posture of any kind, in the order of its motions; returns how many
/// (PoiseJointType.nq). Rad or m by axis, a rotation (w, x, y, z): free: 7, place then rotation. 0
/// for a handle that is not valid.
POISE_API int poise_node_posture(const PoiseTree* tree, PoiseNodeId node,
                                 double posture[POISE_MAX_POSTURE]);

/// First filler of the frames: forward kinematics from the posture. Errors:
/// POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_forward(PoiseTree* tree);

/// Second filler: the frames of one node as a simulation has them, world, m. `joint_world` is the
/// joint frame (fixed to the parent, at the anchor), `link_world` the frame of the link. The
/// posture is not touched. The frames are fresh when every node has been measured since they became
/// stale. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_node_measure(PoiseTree* tree, PoiseNodeId node, PoisePose joint_world,
                                         PoisePose link_world);

/// Whether the frames stand for the posture: false after a change until they are filled again.
POISE_API bool poise_tree_is_fresh(const PoiseTree* tree);

/// The node's joint frame before its motion, world, m, as last filled; the identity for a handle
/// that is not valid.
POISE_API PoisePose poise_node_joint_world(const PoiseTree* tree, PoiseNodeId node);
/// The node's link, world frame, m, from the frames as last filled; the identity for a handle that
/// is not valid.
POISE_API PoisePose poise_node_link_world(const PoiseTree* tree, PoiseNodeId node);

#ifdef __cplusplus
}
#endif

#endif
