// SPDX-License-Identifier: MIT
// Inverse kinematics of a tree of joints.
//
// A node is a joint that the solver may move, together with the link it carries. A control point
// ("point") is a place on a link that should reach a goal. Registering a node with a point lets the
// node move to serve it. One step goes, each line a function one can call alone:
//
//     poise_forward, or poise_node_measure for every node      fill the frames
//     poise_solve                                              J, v -> omega (eqs. 2-23)
//     poise_advance                                            theta <- theta + omega
//
// A tree is used by one thread at a time; different trees in parallel. Functions that take a
// `const PoiseTree*` may run together. World frame, SI units and radians unless a name says
// otherwise; "eq." and "sec." are those of the Springhead2 paper (see ik/README.md).
#ifndef POISE_IK_H
#define POISE_IK_H

#include "poise/base.h"
#include "poise/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most degrees of freedom one node has.
#define POISE_MAX_DOF 6
/// The most rows one point has.
#define POISE_MAX_ROWS 6
/// The most numbers one node's posture has.
#define POISE_MAX_POSTURE 7

typedef struct PoiseTree PoiseTree;

/// A node of a tree. All zero is the null handle.
typedef struct PoiseNodeId {
    uint32_t index1;
    uint16_t generation;
    uint16_t tree;
} PoiseNodeId;

/// A control point of a tree. All zero is the null handle.
typedef struct PoisePointId {
    uint32_t index1;
    uint16_t generation;
    uint16_t tree;
} PoisePointId;

static inline PoiseNodeId poise_null_node(void) {
    PoiseNodeId id = {0, 0, 0};
    return id;
}

static inline PoisePointId poise_null_point(void) {
    PoisePointId id = {0, 0, 0};
    return id;
}

// ---------------------------------------------------------------------------------------- tree

/// How many axes a ball gets in the Jacobian.
typedef enum PoiseBallAxes {
    /// Three, always: right for any number of points.
    POISE_BALL_THREE_AXES = 0,
    /// Two, across the line to the point, while exactly one enabled position point and no
    /// orientation is registered with the ball (eqs. 6-11); three otherwise.
    POISE_BALL_REDUCED = 1
} PoiseBallAxes;

typedef struct PoiseTreeDef {
    /// Set by poise_default_tree_def.
    uint32_t cookie;
    /// Room made at once; the tree grows past it. Default 32 nodes, 8 points.
    int node_capacity;
    int point_capacity;
    /// Default POISE_BALL_THREE_AXES.
    PoiseBallAxes ball_axes;
    PoiseHost host;
} PoiseTreeDef;

POISE_API PoiseTreeDef poise_default_tree_def(void);

/// NULL when the def is not usable or memory is short.
POISE_API PoiseTree* poise_tree_create(const PoiseTreeDef* def);

/// Destroys the tree with its nodes and points. NULL is allowed.
POISE_API void poise_tree_destroy(PoiseTree* tree);

/// A copy to try things on, with the same memory hooks; the handles of the original are good for
/// the copy too. NULL when memory is short.
POISE_API PoiseTree* poise_tree_clone(const PoiseTree* tree);

/// A number that changes whenever the sets do: a node, a point, a registration or a switch.
POISE_API uint64_t poise_tree_revision(const PoiseTree* tree);

/// The first error any call on the tree ended with, POISE_OK if none did: a set-up of many calls is
/// checked once. POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_tree_status(const PoiseTree* tree);

/// Forgets the error that poise_tree_status keeps.
POISE_API void poise_tree_clear_status(PoiseTree* tree);

/// What the first error said, "" if there was none. Valid until the next call on the tree.
POISE_API const char* poise_tree_message(const PoiseTree* tree);

POISE_API int poise_tree_node_count(const PoiseTree* tree);
POISE_API int poise_tree_point_count(const PoiseTree* tree);

/// The node or point that stands at `index` in the order of creation; null past the end.
POISE_API PoiseNodeId poise_tree_node(const PoiseTree* tree, int index);
POISE_API PoisePointId poise_tree_point(const PoiseTree* tree, int index);

// --------------------------------------------------------------------------------------- nodes

typedef enum PoiseNodeKind {
    /// Turns about `axis`: 1 degree of freedom, rad.
    POISE_NODE_HINGE = 1,
    /// Moves along `axis`: 1 degree of freedom, m.
    POISE_NODE_SLIDER = 2,
    /// Turns about any axis: 3 degrees of freedom.
    POISE_NODE_BALL = 3,
    /// Turns about `axis`, then about `axis2`, which the first turn carries along: 2 degrees of
    /// freedom, rad.
    POISE_NODE_UNIVERSAL = 4,
    /// Moves along any direction without turning: 3 degrees of freedom, m.
    POISE_NODE_TRANSLATION = 5,
    /// Moves and turns freely, as a floating base does: 6 degrees of freedom, 3 m, then 3 rad. It
    /// turns about the origin of the moved joint frame.
    POISE_NODE_FREE = 6
} PoiseNodeKind;

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
    /// Hinge, slider, universal; ball: what its limits are about. In the joint frame, not 0,
    /// normalised by the creator. Default z (universal: x).
    PoiseVec3 axis;
    /// Universal: the second axis, in the joint frame at angle 0, not along the first. Default y.
    PoiseVec3 axis2;
    /// The starting posture. Hinge, universal (first angle): rad, slider: m. Default 0.
    double angle;
    /// Universal: the second angle, rad. Default 0.
    double angle2;
    /// The starting posture of a ball or free node: its child in the joint frame. Default the
    /// identity.
    PoiseQuat rotation;
    /// The starting posture of a translation or free node, joint frame, m. Default 0.
    PoiseVec3 translation;
    /// Hinge, slider, universal (first angle): the range, lower <= upper. Default minus and plus
    /// infinity.
    double lower;
    double upper;
    /// Universal: the second angle's range, likewise.
    double lower2;
    double upper2;
    /// Ball: the most `axis` may swing from where the joint frame has it, rad, 0..pi; and the range
    /// of the twist about it, -pi <= lower <= upper <= pi (see poise_quat_twist). Default infinity:
    /// none.
    double swing_limit;
    double twist_lower;
    double twist_upper;
    /// > 0: a solve with a `step` moves the node by at most so much, rad/s or m/s (a free node:
    /// its turn). Default infinity.
    double max_speed;
    /// Translation, free: which axes of the joint frame may move, bits of PoiseAxes; the others
    /// keep their posture. Translation: the turning bits do not count. Default POISE_AXES_ALL.
    unsigned free_axes;
    /// > 0. How readily the node moves, the others being equal: one of bias 2 takes half the part
    /// of one of bias 1 (W = 1 / bias). Default 1.
    double bias;
    /// Mass of the link, kg, >= 0. Default 0.
    double mass;
    /// Its centre, in the link's frame, m. Default 0.
    PoiseVec3 com_link;
} PoiseNodeDef;

POISE_API PoiseNodeDef poise_default_hinge_def(void);
POISE_API PoiseNodeDef poise_default_slider_def(void);
POISE_API PoiseNodeDef poise_default_ball_def(void);
POISE_API PoiseNodeDef poise_default_universal_def(void);
POISE_API PoiseNodeDef poise_default_translation_def(void);
POISE_API PoiseNodeDef poise_default_free_def(void);

/// The new node, or null with the reason in poise_tree_status: a def not made by its default
/// function, a parent that is not a node of the tree, a number that is not finite or out of range.
POISE_API PoiseNodeId poise_node_create(PoiseTree* tree, const PoiseNodeDef* def);

/// Destroys the node and all that hangs on it: the nodes farther out and the points on their links.
/// The null handle is allowed.
POISE_API PoiseStatus poise_node_destroy(PoiseTree* tree, PoiseNodeId node);

POISE_API bool poise_node_is_valid(const PoiseTree* tree, PoiseNodeId node);

/// 0 for a handle that is not valid.
POISE_API PoiseNodeKind poise_node_kind(const PoiseTree* tree, PoiseNodeId node);
/// Null for a node on the base.
POISE_API PoiseNodeId poise_node_parent(const PoiseTree* tree, PoiseNodeId node);

/// Its fixed geometry as in PoiseNodeDef, normalised; the identity and 0 for a handle that is not
/// valid.
POISE_API PoisePose poise_node_joint_in_parent(const PoiseTree* tree, PoiseNodeId node);
POISE_API PoisePose poise_node_link_in_joint(const PoiseTree* tree, PoiseNodeId node);
POISE_API PoiseVec3 poise_node_axis(const PoiseTree* tree, PoiseNodeId node);
POISE_API PoiseVec3 poise_node_axis2(const PoiseTree* tree, PoiseNodeId node);

/// The columns the node has in the Jacobian now: 0 while no enabled point is registered with it or
/// it is not enabled; 2 or 3 for a ball (see PoiseBallAxes); as many as it has free axes for a
/// translation or free node. Their columns are about or along the world axes while all axes of
/// the node are free, and the joint frame's otherwise.
POISE_API int poise_node_dof(PoiseTree* tree, PoiseNodeId node);

/// A node that is not enabled keeps its posture: the solver has no block for it. Default enabled.
POISE_API PoiseStatus poise_node_set_enabled(PoiseTree* tree, PoiseNodeId node, bool enabled);
POISE_API bool poise_node_enabled(const PoiseTree* tree, PoiseNodeId node);

/// bias > 0, see PoiseNodeDef.
POISE_API PoiseStatus poise_node_set_bias(PoiseTree* tree, PoiseNodeId node, double bias);
/// Translation, free: bits of PoiseAxes, see PoiseNodeDef; wrong kind for another.
POISE_API PoiseStatus poise_node_set_free_axes(PoiseTree* tree, PoiseNodeId node, unsigned axes);
/// POISE_AXES_ALL for other kinds; 0 for a handle that is not valid.
POISE_API unsigned poise_node_free_axes(const PoiseTree* tree, PoiseNodeId node);
/// Hinge, slider, universal (first angle): lower <= upper, infinities allowed. The posture is not
/// moved.
POISE_API PoiseStatus poise_node_set_range(PoiseTree* tree, PoiseNodeId node, double lower,
                                           double upper);
/// Universal: the second angle's range.
POISE_API PoiseStatus poise_node_set_range2(PoiseTree* tree, PoiseNodeId node, double lower,
                                            double upper);
POISE_API double poise_node_lower(const PoiseTree* tree, PoiseNodeId node);
POISE_API double poise_node_upper(const PoiseTree* tree, PoiseNodeId node);
POISE_API double poise_node_lower2(const PoiseTree* tree, PoiseNodeId node);
POISE_API double poise_node_upper2(const PoiseTree* tree, PoiseNodeId node);
/// Ball: see PoiseNodeDef; infinities: no limit. The posture is not moved. Wrong kind for another.
POISE_API PoiseStatus poise_node_set_cone(PoiseTree* tree, PoiseNodeId node, double swing_limit,
                                          double twist_lower, double twist_upper);
/// See PoiseNodeDef.max_speed; > 0.
POISE_API PoiseStatus poise_node_set_max_speed(PoiseTree* tree, PoiseNodeId node, double speed);
/// mass >= 0 kg, centre in the link's frame.
POISE_API PoiseStatus poise_node_set_mass(PoiseTree* tree, PoiseNodeId node, double mass,
                                          PoiseVec3 com_link);

// ------------------------------------------------------------------------------------- posture

/// Sets the posture of a hinge (rad) or slider (m); the frames become stale.
POISE_API PoiseStatus poise_node_set_angle(PoiseTree* tree, PoiseNodeId node, double angle);
/// Sets the posture of a ball: the child's rotation in the joint frame, normalised here; the frames
/// become stale.
POISE_API PoiseStatus poise_node_set_rotation(PoiseTree* tree, PoiseNodeId node,
                                              PoiseQuat rotation);
/// Sets both angles of a universal node, rad; the frames become stale.
POISE_API PoiseStatus poise_node_set_angles(PoiseTree* tree, PoiseNodeId node, double angle,
                                            double angle2);
/// Sets where a translation node stands in the joint frame, m; the frames become stale.
POISE_API PoiseStatus poise_node_set_translation(PoiseTree* tree, PoiseNodeId node,
                                                 PoiseVec3 translation);
/// Sets the posture of a free node: the child in the joint frame, its rotation normalised here; the
/// frames become stale.
POISE_API PoiseStatus poise_node_set_pose(PoiseTree* tree, PoiseNodeId node, PoisePose pose);
/// Sets the posture of any kind from its numbers, as poise_node_posture writes them; `count` must
/// be how many the kind has. The frames become stale.
POISE_API PoiseStatus poise_node_set_posture(PoiseTree* tree, PoiseNodeId node,
                                             const double* posture, int count);
/// What the node's posture should be where the points leave it open (see
/// PoiseSolveDef.posture_rate), in numbers as poise_node_posture writes them; NULL with 0: nothing.
POISE_API PoiseStatus poise_node_set_reference(PoiseTree* tree, PoiseNodeId node,
                                               const double* posture, int count);
/// Where the base of a parentless node stands in the world (default: the identity): the pose that
/// its `joint_in_parent` starts from. The frames become stale. Wrong kind for a node with a parent.
POISE_API PoiseStatus poise_node_set_base(PoiseTree* tree, PoiseNodeId node, PoisePose base);

/// The identity for a node with a parent.
POISE_API PoisePose poise_node_base(const PoiseTree* tree, PoiseNodeId node);
/// Hinge: rad, slider: m, universal: its first angle; 0 for other kinds or a handle that is not
/// valid.
POISE_API double poise_node_angle(const PoiseTree* tree, PoiseNodeId node);
/// Ball: the child's rotation in the joint frame; the identity otherwise.
POISE_API PoiseQuat poise_node_rotation(const PoiseTree* tree, PoiseNodeId node);
/// Universal: the second angle; 0 otherwise.
POISE_API double poise_node_angle2(const PoiseTree* tree, PoiseNodeId node);
/// Any kind: where its motion has brought the child, joint frame (before link_in_joint).
POISE_API PoisePose poise_node_pose(const PoiseTree* tree, PoiseNodeId node);
/// The numbers of the posture of any kind; returns how many. Hinge, slider: 1; universal: 2, its
/// angles; translation: 3, m; ball: 4, (w, x, y, z); free: 7, place then rotation. 0 for a handle
/// that is not valid.
POISE_API int poise_node_posture(const PoiseTree* tree, PoiseNodeId node,
                                 double posture[POISE_MAX_POSTURE]);

/// First filler of the frames: forward kinematics from the posture.
POISE_API PoiseStatus poise_forward(PoiseTree* tree);

/// Second filler: the frames of one node as a simulation has them. `joint_world` is the joint frame
/// (fixed to the parent, at the anchor), `link_world` the frame of the link. The posture is not
/// touched. The frames are fresh when every node has been measured since they became stale.
POISE_API PoiseStatus poise_node_measure(PoiseTree* tree, PoiseNodeId node, PoisePose joint_world,
                                         PoisePose link_world);

/// Whether the frames stand for the posture: false after a change until they are filled again.
POISE_API bool poise_tree_is_fresh(const PoiseTree* tree);

/// The frames as last filled.
POISE_API PoisePose poise_node_joint_world(const PoiseTree* tree, PoiseNodeId node);
POISE_API PoisePose poise_node_link_world(const PoiseTree* tree, PoiseNodeId node);

// -------------------------------------------------------------------------------------- points

typedef enum PoisePointKind {
    /// A place should be at a place: 3 rows.
    POISE_POINT_POSITION = 1,
    /// A frame should be turned like a frame: 3 rows, the rotation vector of the shortest turn.
    POISE_POINT_ORIENTATION = 2,
    /// Both: 6 rows, the position's first.
    POISE_POINT_POSE = 3,
    /// An axis of the link should lie along a direction: 3 rows of rank 2, the rotation vector from
    /// the axis to the direction. Works from 180 degrees.
    POISE_POINT_DIRECTION = 4,
    /// An axis of the link, through the point, should aim at a place: 3 rows likewise.
    POISE_POINT_LOOK_AT = 5,
    /// The centre of mass of `link` and all that hangs on it should be at a place: 3 rows.
    POISE_POINT_COM = 6
} PoisePointKind;

/// Which rows a point has, as bits of PoisePointDef.rows: those of its place, then of its rotation.
typedef enum PoiseRows {
    POISE_ROW_X = 1,
    POISE_ROW_Y = 2,
    POISE_ROW_Z = 4,
    POISE_ROW_TURN_X = 8,
    POISE_ROW_TURN_Y = 16,
    POISE_ROW_TURN_Z = 32,
    POISE_ROWS_ALL = 63
} PoiseRows;

/// The axes of a point's rows.
typedef enum PoiseRowAxes {
    POISE_ROW_AXES_WORLD = 0,
    /// Those of the point's own frame, which move with the link.
    POISE_ROW_AXES_POINT = 1,
    /// Those of the goal's frame.
    POISE_ROW_AXES_GOAL = 2
} PoiseRowAxes;

typedef struct PoisePointDef {
    /// Set by poise_default_*_def.
    uint32_t cookie;
    PoisePointKind kind;
    /// The node whose link the point is on.
    PoiseNodeId link;
    /// The point's frame in the link's: its place, and for an orientation its rotation.
    PoisePose in_link;
    /// Where it should be, world frame (see `frame`). Default: where the point is at creation; a
    /// look-at's place: 1 m along its axis.
    bool has_goal;
    PoisePose goal;
    /// Direction, look-at: the axis in the point's frame (in_link), not 0. Default z.
    PoiseVec3 axis;
    /// Direction: where the axis should point when has_goal, not 0. Default z.
    PoiseVec3 direction;
    /// The node in whose link's frame the goal and its velocity are given and pursued; both
    /// branches move the point, with opposite signs, and what carries both links cannot. Not for a
    /// centre of mass. Default null: the world.
    PoiseNodeId frame;
    /// Which rows count, bits of PoiseRows, not none that the kind has, and the axes they are
    /// along and about. Default POISE_ROWS_ALL, POISE_ROW_AXES_WORLD.
    unsigned rows;
    PoiseRowAxes row_axes;
    /// > 0: a step of a solve with a `step` asks for at most so much of m/s and rad/s. Default
    /// infinity.
    double max_speed;
    double max_turn_speed;
    /// > 0. Of points that cannot all be met, one of weight 2 counts as two of weight 1. Position
    /// rows are in m, orientation rows in rad. Default 1.
    double weight;
    /// 0 (first) to 15: points of a higher number move the joints only as far as the points of
    /// lower ones take no notice (AUTO and DUAL; the other solvers go by weights alone). Default 0.
    int priority;
    /// Default true.
    bool enabled;
} PoisePointDef;

POISE_API PoisePointDef poise_default_position_def(void);
POISE_API PoisePointDef poise_default_orientation_def(void);
POISE_API PoisePointDef poise_default_pose_def(void);
POISE_API PoisePointDef poise_default_direction_def(void);
POISE_API PoisePointDef poise_default_look_at_def(void);
POISE_API PoisePointDef poise_default_com_def(void);

/// The new point, or null with the reason in poise_tree_status. It is registered with no node yet.
POISE_API PoisePointId poise_point_create(PoiseTree* tree, const PoisePointDef* def);
/// Unregisters and destroys the point. The null handle is allowed.
POISE_API PoiseStatus poise_point_destroy(PoiseTree* tree, PoisePointId point);
POISE_API bool poise_point_is_valid(const PoiseTree* tree, PoisePointId point);
/// 0 for a handle that is not valid.
POISE_API PoisePointKind poise_point_kind(const PoiseTree* tree, PoisePointId point);
POISE_API PoiseNodeId poise_point_link(const PoiseTree* tree, PoisePointId point);

/// The frame its goal is given in; null: the world.
POISE_API PoiseNodeId poise_point_frame(const PoiseTree* tree, PoisePointId point);

/// The goal's place, m, for a look-at what it aims at. Wrong kind for a point without either.
POISE_API PoiseStatus poise_point_set_position(PoiseTree* tree, PoisePointId point,
                                               PoiseVec3 position);
/// The goal's rotation, normalised here. Wrong kind for a point without orientation rows.
POISE_API PoiseStatus poise_point_set_orientation(PoiseTree* tree, PoisePointId point,
                                                  PoiseQuat orientation);
/// Where the axis of a direction point should point, not 0, normalised here. Wrong kind for
/// another.
POISE_API PoiseStatus poise_point_set_direction(PoiseTree* tree, PoisePointId point,
                                                PoiseVec3 direction);
/// See PoisePointDef.rows and row_axes.
POISE_API PoiseStatus poise_point_set_rows(PoiseTree* tree, PoisePointId point, unsigned rows,
                                           PoiseRowAxes axes);
/// m/s and rad/s, > 0, see PoisePointDef.
POISE_API PoiseStatus poise_point_set_max_speed(PoiseTree* tree, PoisePointId point, double speed,
                                                double turn_speed);
/// How fast the goal itself moves, m/s and rad/s (default 0). A simulation's reference velocity
/// comes from these, never from the correction.
POISE_API PoiseStatus poise_point_set_velocity(PoiseTree* tree, PoisePointId point,
                                               PoiseVec3 velocity);
POISE_API PoiseStatus poise_point_set_angular_velocity(PoiseTree* tree, PoisePointId point,
                                                       PoiseVec3 velocity);
/// What the point should press on the world with, N and N m (default 0); see poise_forces.
POISE_API PoiseStatus poise_point_set_force(PoiseTree* tree, PoisePointId point, PoiseVec3 force);
POISE_API PoiseStatus poise_point_set_torque(PoiseTree* tree, PoisePointId point, PoiseVec3 torque);
/// A point that is not enabled has no rows; its registrations stay.
POISE_API PoiseStatus poise_point_set_enabled(PoiseTree* tree, PoisePointId point, bool enabled);
POISE_API bool poise_point_enabled(const PoiseTree* tree, PoisePointId point);
/// weight > 0, see PoisePointDef.
POISE_API PoiseStatus poise_point_set_weight(PoiseTree* tree, PoisePointId point, double weight);

/// 0 (first) to 15, see PoisePointDef.
POISE_API PoiseStatus poise_point_set_priority(PoiseTree* tree, PoisePointId point, int priority);
POISE_API int poise_point_priority(const PoiseTree* tree, PoisePointId point);

/// Where the point is, world, from the frames as last filled (a centre of mass: the place, with the
/// link's rotation); and where it should be, in the frame it was given in.
POISE_API PoisePose poise_point_pose(const PoiseTree* tree, PoisePointId point);
POISE_API PoisePose poise_point_goal(const PoiseTree* tree, PoisePointId point);
/// The axis of a direction or look-at point, world, from the frames as last filled; 0 otherwise.
POISE_API PoiseVec3 poise_point_axis(const PoiseTree* tree, PoisePointId point);
POISE_API PoiseVec3 poise_point_force(const PoiseTree* tree, PoisePointId point);
/// Distance to the goal's place, m, from the frames as last filled; 0 without position rows.
POISE_API double poise_point_error(const PoiseTree* tree, PoisePointId point);
/// Angle to the goal's rotation, rad, 0..pi; 0 without orientation rows.
POISE_API double poise_point_angle_error(const PoiseTree* tree, PoisePointId point);
/// Sum of the anchor-to-anchor distances from the point to its farthest registered node, m; a
/// slider adds its range. What clamps are relative to. Infinite past a slider without range.
POISE_API double poise_point_reach(PoiseTree* tree, PoisePointId point);

// -------------------------------------------------------------------------------- registration

/// Lets the node move to serve the point: Cp(node), Nd(point) and with them Nd(node) grow.
/// Registering twice changes nothing. POISE_ERROR_CANNOT_MOVE when the node does not lie between
/// the point's link and the base; for a centre of mass, nor on the links farther out; for a point
/// with a frame, when it lies below both links or neither.
POISE_API PoiseStatus poise_register(PoiseTree* tree, PoiseNodeId node, PoisePointId point);
/// Takes the registration back; one that is not there changes nothing.
POISE_API PoiseStatus poise_unregister(PoiseTree* tree, PoiseNodeId node, PoisePointId point);
/// Registers every node from the point's link down to `last`, both included; null: to the base.
POISE_API PoiseStatus poise_register_chain(PoiseTree* tree, PoisePointId point, PoiseNodeId last);
/// Registers every node that can move the point: both branches of one with a frame, and the links
/// farther out for a centre of mass.
POISE_API PoiseStatus poise_register_all(PoiseTree* tree, PoisePointId point);

/// The sets, in the order of creation: Cp(node), the points registered with it; Nd(point), the
/// nodes registered with it; Nd(node), the nodes that share an enabled point with it (itself
/// included, once it has one). Each writes up to `capacity` handles (NULL allowed with 0) and
/// returns how many there are.
POISE_API int poise_node_points(PoiseTree* tree, PoiseNodeId node, PoisePointId* points,
                                int capacity);
POISE_API int poise_point_nodes(PoiseTree* tree, PoisePointId point, PoiseNodeId* nodes,
                                int capacity);
POISE_API int poise_node_neighbours(PoiseTree* tree, PoiseNodeId node, PoiseNodeId* nodes,
                                    int capacity);

// --------------------------------------------------------------------------------------- solve

/// Each minimises |J omega - v|^2 + lambda |omega|^2 over the steps inside the ranges.
typedef enum PoiseSolver {
    /// DUAL, then BOX where DUAL's answer would leave a range; CGLS for more than 60 rows.
    POISE_SOLVER_AUTO = 0,
    /// The paper's block Gauss-Seidel in its residual form, root first, from zero, damped, limits
    /// by projection. As near to the least as its sweeps come.
    POISE_SOLVER_GAUSS_SEIDEL = 1,
    /// (J W J^T + lambda I) y = v, omega = W J^T y by one Cholesky factorisation. Where a range is
    /// met BOX takes over, beyond 60 rows CGLS; the report says which ran.
    POISE_SOLVER_DUAL = 2,
    /// Projected sweeps and exact steps on the joints that stand on no bound, in turn.
    POISE_SOLVER_BOX = 3,
    /// Conjugate gradients on J and its transpose, at most rows + 4 iterations: no matrix, memory
    /// linear in J. Where a range is met BOX takes over, with this as its exact step beyond 60
    /// rows.
    POISE_SOLVER_CGLS = 4
} PoiseSolver;

typedef struct PoiseSolveDef {
    /// Set by poise_default_solve_def.
    uint32_t cookie;
    PoiseSolver solver;
    /// Gauss-Seidel: at most so many sweeps, >= 1. Default 30.
    int sweeps;
    /// eps of lambda = eps T + k |v| sqrt(T), T = trace(J J^T) / rows. >= 0. Negative: the solver's
    /// own, 1e-4 (GAUSS_SEIDEL), 1e-6 (the others). Default -1.
    double damping;
    /// The least the adaptive k may be, 0..2. Default .2.
    double damping_floor;
    /// Whether k adapts (off: k = damping_floor). Default true.
    bool adaptive;
    /// A step's |v| per point is at most position_clamp times its reach, m, and angle_clamp, rad.
    /// > 0, infinity: off. Default .4 and .4.
    double position_clamp;
    double angle_clamp;
    /// The whole omega is scaled so that no joint turns more than this, rad (motion along an axis
    /// is not counted).
    /// > 0, infinity: off. Default .5.
    double joint_cap;
    /// Leaves a straight arm whose target lies on its line by a small fixed kick. Default true.
    bool escape;
    /// Part of the way to its reference posture that a node goes in a step, 0..1, in the null space
    /// of the points (DUAL): omega += rate N (theta_ref - theta). Nodes that serve no point go all
    /// the way, by the joint cap and their speed. 0: references are not looked at. Default 0.
    double posture_rate;
    /// Length of a simulation step, s, > 0; bounds the goal's velocity by the clamps. 0: no
    /// simulation, the goal's velocity is not solved for. Default 0.
    double step;
} PoiseSolveDef;

POISE_API PoiseSolveDef poise_default_solve_def(void);

/// What keeps a def from being used, in words, or NULL when nothing does.
POISE_API const char* poise_solve_def_problem(const PoiseSolveDef* def);

typedef struct PoiseSolveReport {
    PoiseStatus status;
    /// The solver that ran.
    PoiseSolver solver;
    /// What it took, both tries together where a step turned back. GAUSS_SEIDEL: sweeps; DUAL:
    /// factorisations; BOX: cycles of sweeps and an exact step; CGLS: iterations.
    int sweeps;
    /// Rows and columns of J: enabled points', and nodes' that serve them.
    int rows;
    int columns;
    /// Different priorities among the rows; with more than one, lambda and damping_gain are those
    /// of the first.
    int levels;
    /// |J omega - v| after the solve, before the joint cap; v is clamped. m and rad mixed.
    double residual;
    /// |v|, clamped.
    double goal_norm;
    double lambda;
    /// k of the damping, as used.
    double damping_gain;
    /// What omega was multiplied with to keep the joint cap, 0..1.
    double scale;
    /// Largest error of any point before the step, m and rad.
    double largest_error;
    double largest_angle_error;
    /// Points and nodes left out because a number of theirs is not finite.
    int frozen_points;
    int frozen_nodes;
    /// Degrees of freedom that ended the step on a limit.
    int limited_dofs;
    /// Points a straight-arm kick was given for in this step.
    int kicks;
} PoiseSolveReport;

/// One linear solve from the frames: J (eqs. 2-11), v, and omega (eqs. 13-23), which
/// poise_node_omega reads and poise_advance applies. No memory is allocated once the sets rest.
/// POISE_ERROR_STALE when the frames are; POISE_DEGRADED when something was left out. `def` NULL:
/// the default; `report` NULL: none.
POISE_API PoiseStatus poise_solve(PoiseTree* tree, const PoiseSolveDef* def,
                                  PoiseSolveReport* report);

/// The step that the last solve found. Hinge: 1 number, rad; slider: 1, m; ball: 3, the rotation
/// vector about the world axes, rad; universal: 2, rad; translation: 3 along the world axes, m;
/// free: 6, 3 along and 3 about the world axes. Returns how many were written; 0 for a handle that
/// is not valid.
POISE_API int poise_node_omega(const PoiseTree* tree, PoiseNodeId node,
                               double omega[POISE_MAX_DOF]);
/// The velocity that follows the goals' own (J^# of the goal velocities), in rad/s and m/s, as
/// poise_node_omega. 0 unless the solve had a `step`.
POISE_API int poise_node_velocity(const PoiseTree* tree, PoiseNodeId node,
                                  double velocity[POISE_MAX_DOF]);

/// The part of `in` that moves no enabled point: out = in - W J^T (J W J^T)^# J in, so J out = 0.
/// Of J as the last solve or stage left it. `in` and `out` (which may be the same) have the numbers
/// of poise_node_omega for every node that has columns (poise_node_dof > 0), in the order of
/// creation; `count` is how many, or POISE_ERROR_INVALID_ARGUMENT. POISE_ERROR_STALE before the
/// first solve after the sets changed. Memory is taken the first time.
POISE_API PoiseStatus poise_null_space_project(PoiseTree* tree, const double* in, int count,
                                               double* out);

/// theta <- theta + omega, held inside the ranges; the frames become stale. omega is used up: a
/// second call does nothing.
POISE_API PoiseStatus poise_advance(PoiseTree* tree);

// --------------------------------------------------------------------------------------- reach

/// Why poise_reach ended.
typedef enum PoiseReachReason {
    /// Every enabled point is at its goal.
    POISE_REACH_MET = 0,
    /// The nearest answer, held back by joints that stand on their limits (poise_node_at_limit).
    POISE_REACH_AT_LIMITS = 1,
    /// The nearest answer from this start: neither its slope nor a step of 1e-3 rad to one side,
    /// which leaves a straight arm whose target lies on its line, leads to a lower error.
    POISE_REACH_UNREACHABLE = 2,
    /// No joint changes the error: the posture is singular in its direction.
    POISE_REACH_SINGULAR = 3,
    /// The iterations were used up while the error still fell.
    POISE_REACH_BUDGET = 4
} PoiseReachReason;

typedef struct PoiseReachDef {
    /// Set by poise_default_reach_def.
    uint32_t cookie;
    /// At most so many iterations a start, >= 1. Default 200.
    int iterations;
    /// The given posture is the first start; others follow, at random places inside the ranges,
    /// while none met the goals. 1 to 1,000,000. Default 1: the answer follows from the posture.
    int starts;
    /// What the random starts come from: the same seed, the same starts. Default 0.
    uint64_t seed;
    /// A point is at its goal when it is nearer than this, m and rad. > 0. Default 1e-6.
    double position_tolerance;
    double angle_tolerance;
} PoiseReachDef;

POISE_API PoiseReachDef poise_default_reach_def(void);

/// What keeps a def from being used, in words, or NULL when nothing does.
POISE_API const char* poise_reach_def_problem(const PoiseReachDef* def);

typedef struct PoiseReachReport {
    /// What poise_reach returned.
    PoiseStatus status;
    PoiseReachReason reason;
    /// Steps tried, over all starts; starts used; and the start that the posture is of, from 0.
    int iterations;
    int starts;
    int best_start;
    /// E = 1/2 sum of weight (distance^2 + angle^2) over the points: what is made least.
    double error;
    /// Largest distance and angle of any point to its goal, m and rad.
    double largest_error;
    double largest_angle_error;
    /// Nodes that stand on a limit, among those that serve a point.
    int limited_nodes;
    /// Points and nodes left out because a number of theirs is not finite.
    int frozen_points;
    int frozen_nodes;
} PoiseReachReport;

/// Moves the posture to where the points are at their goals, without any physics: Levenberg-
/// Marquardt by the small side of J, its damping in proportion to the error, limits held inside
/// the step. Continues from the given posture, brought inside its ranges; nodes that serve no
/// enabled point stay. POISE_OK: every goal is met
/// (of the points that some enabled node serves: the others are left out, as in poise_solve).
/// POISE_NOT_CONVERGED: the posture is the nearest that was found, `reason` says why.
/// POISE_DEGRADED: something was left out. The frames are those of the posture then
/// (poise_forward), whatever was measured. The same every time; no memory is allocated once the
/// sets rest. `def` NULL: the default; `report` NULL: none.
POISE_API PoiseStatus poise_reach(PoiseTree* tree, const PoiseReachDef* def,
                                  PoiseReachReport* report);

/// Whether a hinge or slider stands on its range: -1 on the lower end, 1 on the upper, 0 between
/// them, for other kinds and for a handle that is not valid. Within 1e-9 rad or m.
POISE_API int poise_node_at_limit(const PoiseTree* tree, PoiseNodeId node);

/// sqrt(det(J J^T)) of a point and the enabled nodes registered with it, without weights and
/// biases, from the frames as last filled: 0 in a singular posture. For the position's part alone
/// ask a position point. 0 with the tree's status set for a bad handle, frames that are stale, or
/// no memory; 0 for a point that is not enabled. Leaves J as poise_stage_jacobians does.
POISE_API double poise_manipulability(PoiseTree* tree, PoisePointId point);

// ----------------------------------------------------------------------------- the paper's stages

/// eqs. 2-11: fills the Jacobian blocks and v from the frames and goals (no clamp: v is the whole
/// error), and sets omega to 0.
POISE_API PoiseStatus poise_stage_jacobians(PoiseTree* tree);
/// eqs. 18-20: alpha, beta and gamma from J and v.
POISE_API PoiseStatus poise_stage_blocks(PoiseTree* tree);
/// eqs. 21-23: one sweep, root first, of
/// omega_i <- (beta_i - delta_i - epsilon_i) / (alpha_i + lambda); alpha_i <= 1e-12 max alpha is
/// left at 0. lambda >= 0. `residual` (NULL allowed) gets |J omega - v| after it.
POISE_API PoiseStatus poise_stage_sweep(PoiseTree* tree, double lambda, double* residual);

/// A block of the Jacobian as the last stage or solve left it, row-major, rows x dof, without
/// weights. Returns rows * dof, 0 when the node is not registered with the point (no block, rather
/// than a block of zeros). Row order: position, orientation. `block` NULL: only the size.
POISE_API int poise_jacobian(const PoiseTree* tree, PoisePointId point, PoiseNodeId node,
                             double block[POISE_MAX_ROWS * POISE_MAX_DOF]);
/// alpha and beta of a node, dof numbers each; returns dof. Valid after poise_stage_blocks.
POISE_API int poise_block_alpha(const PoiseTree* tree, PoiseNodeId node,
                                double alpha[POISE_MAX_DOF]);
POISE_API int poise_block_beta(const PoiseTree* tree, PoiseNodeId node, double beta[POISE_MAX_DOF]);
/// gamma(a, b), row-major, dof(a) x dof(b); returns its size, 0 where a and b share no point.
POISE_API int poise_block_gamma(const PoiseTree* tree, PoiseNodeId a, PoiseNodeId b,
                                double gamma[POISE_MAX_DOF * POISE_MAX_DOF]);

// -------------------------------------------------------------------------------------- forces

/// sec. 5.2: tau = sum over the enabled points of Cp(node) of J^T (force, torque), from the frames
/// as last filled.
POISE_API PoiseStatus poise_forces(PoiseTree* tree);
/// What poise_forces found: as poise_node_omega, N m (slider: N), a ball's about the world axes.
POISE_API int poise_node_force_torque(const PoiseTree* tree, PoiseNodeId node,
                                      double torque[POISE_MAX_DOF]);

/// The torque that holds each node's outer links up against `gravity` (m/s^2), from the frames as
/// last filled and the links' masses: M = sum m, s = sum m com over what hangs on the node; a ball
/// -(s - M a) x g with a its anchor, a hinge the part along its axis, a slider -M axis . g; the
/// other kinds likewise, all axes of a translation or free node whether free or not.
POISE_API PoiseStatus poise_gravity(PoiseTree* tree, PoiseVec3 gravity);
/// What poise_gravity found: as poise_node_force_torque.
POISE_API int poise_node_gravity_torque(const PoiseTree* tree, PoiseNodeId node,
                                        double torque[POISE_MAX_DOF]);

#ifdef __cplusplus
}
#endif

#endif
