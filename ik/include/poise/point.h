// SPDX-License-Identifier: MIT
// Control points: the parts of the tree that should reach goals. Registration says which nodes move
// for which points.
#ifndef POISE_POINT_H
#define POISE_POINT_H

#include "poise/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The part of the tree that a point brings to its goal.
typedef enum PoisePointKind {
    /// A position: 3 rows.
    POISE_POINT_POSITION = 1,
    /// A rotation: 3 rows, the rotation vector of the shortest turn to the goal.
    POISE_POINT_ORIENTATION = 2,
    /// A position and a rotation: 6 rows, the position's first.
    POISE_POINT_POSE = 3,
    /// An axis of the link, which should have a given direction: 3 rows of rank 2, the rotation
    /// vector from the axis to the direction. Works from 180 degrees too.
    POISE_POINT_DIRECTION = 4,
    /// An axis of the link through the point, which should aim at a given position: 3 rows of rank
    /// 2, as POISE_POINT_DIRECTION.
    POISE_POINT_LOOK_AT = 5,
    /// The centre of mass of `link` and of all links that this link carries: 3 rows.
    POISE_POINT_COM = 6
} PoisePointKind;

/// Rows of a point, as bits of PoisePointDef.rows: those of the position, then of the rotation.
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
    /// The axes of the point's own frame, which move with the link.
    POISE_ROW_AXES_POINT = 1,
    /// The axes of the goal's frame.
    POISE_ROW_AXES_GOAL = 2
} PoiseRowAxes;

/// How a point yields to the force and torque that the caller asks of it. In the directions in
/// which it yields, the goal and the distance to it have no effect, and a step does not move the
/// point.
typedef enum PoiseYield {
    /// The point yields along the force if it is not 0, and about the torque if it is not 0.
    POISE_YIELD_ALONG = 0,
    /// The point does not yield: force and torque add to the motion toward the goal.
    POISE_YIELD_NONE = 1,
    /// The point yields along and about the rows that PoisePointDef.yield_rows names, with or
    /// without a force. If the force is 0, the point can be pushed freely in these rows.
    POISE_YIELD_ROWS = 2
} PoiseYield;

/// The priority of a closure, a point that keeps a loop of joints closed. Closures come before all
/// other points, with every solver.
enum { POISE_PRIORITY_CLOSURE = -1 };

/// The settings of a new point.
typedef struct PoisePointDef {
    /// Set by poise_default_*_def.
    uint32_t cookie;
    PoisePointKind kind;
    /// The node whose link the point is on.
    PoiseNodeId link;
    /// The point's frame in the link's frame: its position and, for an orientation, its rotation.
    PoisePose in_link;
    /// The goal, in the frame of `frame`; used if `has_goal`. Default: the pose of the point at
    /// creation. The default of a look-at is the position 1 m along its axis.
    bool has_goal;
    PoisePose goal;
    /// Direction, look-at: the axis in the point's frame (in_link), not 0. Default z.
    PoiseVec3 axis;
    /// Direction: the direction that the axis should have if `has_goal`, not 0. Default z.
    PoiseVec3 direction;
    /// The node whose link is the frame of the goal and of its velocity. Nodes on both branches
    /// then move the point, with opposite signs; a node that carries both links cannot. Not for a
    /// centre of mass. Default null: the world.
    PoiseNodeId frame;
    /// The rows that the solver uses, bits of PoiseRows, at least one of the point's kind.
    /// `row_axes` are the axes of these rows. Default POISE_ROWS_ALL, POISE_ROW_AXES_WORLD.
    unsigned rows;
    PoiseRowAxes row_axes;
    /// The directions in which the point yields to a force. With POISE_YIELD_ROWS: bits of
    /// PoiseRows along `row_axes`, which need not be among `rows`. Default POISE_YIELD_ALONG, 0.
    PoiseYield yield;
    unsigned yield_rows;
    /// Radius of a ball around the point, m, >= 0 and finite. A point that presses touches with the
    /// ball's surface, at this distance along the force. A rig then separates the moment of the
    /// contact's friction from the force (rig.h). Default 0: the point itself touches.
    double tip_radius;
    /// Largest velocities toward the goal in a solve with a `step`, m/s and rad/s, > 0. Default
    /// infinity.
    double max_speed;
    double max_turn_speed;
    /// Bounds of the goal's motion in solves with a `step`, m/s^2 and rad/s^2, m/s^3 and rad/s^3,
    /// > 0. If a bound of a motion is finite, the solve does not pursue the set goal. It pursues a
    /// place that starts at the point at rest and moves to the goal within max_speed and these
    /// bounds, in the goal's frame, without overshoot. Differences of its places in successive
    /// steps keep the bounds exactly. A goal that moves smoothly within the bounds is followed
    /// without lag. The rotation of a look-at point has no such bounds. Default infinity.
    double max_acceleration;
    double max_turn_acceleration;
    double max_jerk;
    double max_turn_jerk;
    /// True if the solver estimates the goal's velocity from the goal's positions in successive
    /// solves with a `step`, until poise_point_set_velocity sets it. Default true.
    bool follow;
    /// Weight of the squared error in the least squares, >= 0. If points cannot all be met, a point
    /// of weight 2 counts as two of weight 1. Position rows are in m, orientation rows in rad. 0:
    /// no rows, as if the point were disabled. Default 1.
    double weight;
    /// Priority, 0 (first) to 15. Points of a higher number move the joints only in the null space
    /// of points of lower numbers (AUTO and DUAL; other solvers use weights alone).
    /// POISE_PRIORITY_CLOSURE: before all others, with every solver. Default 0.
    int priority;
    /// Default true.
    bool enabled;
} PoisePointDef;

/// A position point, 3 rows, of weight 1 and priority 0, at the origin of its link. The caller must
/// set `link`.
POISE_API PoisePointDef poise_default_position_def(void);
/// An orientation point, 3 rows; otherwise as poise_default_position_def.
POISE_API PoisePointDef poise_default_orientation_def(void);
/// A pose point, 6 rows; otherwise as poise_default_position_def.
POISE_API PoisePointDef poise_default_pose_def(void);
/// A direction point, 3 rows, as poise_default_position_def: the z axis of a link, with the goal z.
POISE_API PoisePointDef poise_default_direction_def(void);
/// A look-at point, 3 rows, as poise_default_position_def: the z axis of a link.
POISE_API PoisePointDef poise_default_look_at_def(void);
/// The centre-of-mass point of a link and of all links that this link carries, 3 rows; otherwise as
/// poise_default_position_def.
POISE_API PoisePointDef poise_default_com_def(void);

/// Creates a point. Null with the reason in poise_tree_status. The point has no registrations yet.
POISE_API PoisePointId poise_point_create(PoiseTree* tree, const PoisePointDef* def);
/// Destroys the point and its registrations. The null handle is allowed. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_destroy(PoiseTree* tree, PoisePointId point);
/// True if the handle is of an existing point of this tree.
POISE_API bool poise_point_is_valid(const PoiseTree* tree, PoisePointId point);
/// The kind of the point; 0 for a handle that is not valid.
POISE_API PoisePointKind poise_point_kind(const PoiseTree* tree, PoisePointId point);
/// The node whose link the point is on; null for a handle that is not valid.
POISE_API PoiseNodeId poise_point_link(const PoiseTree* tree, PoisePointId point);

/// The node whose link is the frame of the goal. Null: the world, or a handle that is not valid.
POISE_API PoiseNodeId poise_point_frame(const PoiseTree* tree, PoisePointId point);

/// Sets the position of the goal, m, in the goal's frame (poise_point_frame). A look-at point aims
/// at this position. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE;
/// POISE_ERROR_WRONG_KIND for a point without position rows that is not a look-at.
POISE_API PoiseStatus poise_point_set_position(PoiseTree* tree, PoisePointId point,
                                               PoiseVec3 position);
/// Sets the goal's rotation, in the goal's frame (poise_point_frame), and normalises it. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE; POISE_ERROR_WRONG_KIND for a point
/// without orientation rows.
POISE_API PoiseStatus poise_point_set_orientation(PoiseTree* tree, PoisePointId point,
                                                  PoiseQuat orientation);
/// Sets the goal of a direction point: the direction of its axis, in the goal's frame
/// (poise_point_frame), of any unit and any length but 0. Normalises it. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE; POISE_ERROR_WRONG_KIND for other
/// points.
POISE_API PoiseStatus poise_point_set_direction(PoiseTree* tree, PoisePointId point,
                                                PoiseVec3 direction);
/// Sets PoisePointDef.rows and row_axes. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_rows(PoiseTree* tree, PoisePointId point, unsigned rows,
                                           PoiseRowAxes axes);
/// Sets PoisePointDef.max_speed and max_turn_speed, m/s and rad/s, > 0. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_max_speed(PoiseTree* tree, PoisePointId point, double speed,
                                                double turn_speed);
/// Sets PoisePointDef.max_acceleration and max_turn_acceleration, m/s^2 and rad/s^2, > 0. A motion
/// that exceeds a lowered bound slows down within the bound of the jerk. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_max_acceleration(PoiseTree* tree, PoisePointId point,
                                                       double acceleration,
                                                       double turn_acceleration);
/// Sets PoisePointDef.max_jerk and max_turn_jerk, m/s^3 and rad/s^3, > 0. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_max_jerk(PoiseTree* tree, PoisePointId point, double jerk,
                                               double turn_jerk);
/// Returns the goal that the last solve with a `step` pursued, m in the goal's frame: the place
/// that moves within max_acceleration and max_jerk, and otherwise the set goal. The identity for an
/// invalid handle.
POISE_API PoisePose poise_point_pursued(const PoiseTree* tree, PoisePointId point);
/// Sets the velocity of the goal at the end of a step, m/s, in the goal's frame. If successive
/// settings change smoothly, the solve computes the mean velocity of the step from them. The
/// joints' velocities in a simulation follow these velocities, not the error that a step corrects.
/// The setting holds until the next one or until poise_point_estimate_velocity. Before the first
/// setting the velocity is estimated (see PoisePointDef.follow). Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_point_set_velocity(PoiseTree* tree, PoisePointId point,
                                               PoiseVec3 velocity);
/// Sets the angular velocity of the goal, rad/s. Frame and errors as poise_point_set_velocity.
POISE_API PoiseStatus poise_point_set_angular_velocity(PoiseTree* tree, PoisePointId point,
                                                       PoiseVec3 velocity);
/// Switches between estimated velocities of the goal (true) and the last set ones (false; 0
/// before the first setting). The estimate is the change between two settings of the goal divided
/// by the time between them, filtered over about six settings. A goal set once more than 0.1 s
/// ago has velocity 0. If the last three changes are smooth, a step aims at the predicted goal, and
/// the velocity is that of the prediction. A jump resets the velocity to 0: a change above three
/// times the predicted one and above the clamp of a step (PoiseSolveDef.position_clamp,
/// angle_clamp). Errors: POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_estimate_velocity(PoiseTree* tree, PoisePointId point,
                                                    bool estimate);
/// Writes the goal velocities that the last solve with a `step` used, m/s and rad/s, in the goal's
/// frame. NULL: not wanted. Zero for a handle that is not valid.
POISE_API void poise_point_goal_velocity(const PoiseTree* tree, PoisePointId point,
                                         PoiseVec3* velocity, PoiseVec3* angular_velocity);
/// Sets the force, N, world, that the point should exert on the environment (see poise_forces).
/// Default 0. Along the force the point no longer follows its goal (see PoiseYield). Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_force(PoiseTree* tree, PoisePointId point, PoiseVec3 force);
/// Sets PoisePointDef.tip_radius, m, >= 0 and finite. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_tip_radius(PoiseTree* tree, PoisePointId point,
                                                 double radius);
/// The radius of the point's tip, m; 0 for a handle that is not valid.
POISE_API double poise_point_tip_radius(const PoiseTree* tree, PoisePointId point);
/// Sets the torque that the point should exert, N m, world, as poise_point_set_force.
POISE_API PoiseStatus poise_point_set_torque(PoiseTree* tree, PoisePointId point, PoiseVec3 torque);
/// Sets PoisePointDef.yield and yield_rows. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_yield(PoiseTree* tree, PoisePointId point, PoiseYield yield,
                                            unsigned rows);
/// Enables or disables the point. A disabled point has no rows and keeps its registrations. Errors:
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_enabled(PoiseTree* tree, PoisePointId point, bool enabled);
/// True if the point is enabled; false for a handle that is not valid.
POISE_API bool poise_point_enabled(const PoiseTree* tree, PoisePointId point);
/// Sets PoisePointDef.weight, >= 0. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_weight(PoiseTree* tree, PoisePointId point, double weight);

/// Sets PoisePointDef.priority, 0 (first) to 15, or POISE_PRIORITY_CLOSURE. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_priority(PoiseTree* tree, PoisePointId point, int priority);
/// The point's priority, 0 to 15 or POISE_PRIORITY_CLOSURE; 0 for a handle that is not valid.
POISE_API int poise_point_priority(const PoiseTree* tree, PoisePointId point);

/// The planned pose of the point, world, m, from the frames as last filled. A centre of mass has
/// the rotation of its link. The identity for a handle that is not valid. Simulated bodies may be
/// elsewhere; poise_rig_read_point measures the point on them.
POISE_API PoisePose poise_point_planned_pose(const PoiseTree* tree, PoisePointId point);
/// The goal of the point, m, in the goal's frame (poise_point_frame). The identity for a handle
/// that is not valid.
POISE_API PoisePose poise_point_goal(const PoiseTree* tree, PoisePointId point);
/// The axis of a direction or look-at point, world, length 1, without unit. Uses the frames as last
/// filled. 0 for other points and for a handle that is not valid.
POISE_API PoiseVec3 poise_point_axis(const PoiseTree* tree, PoisePointId point);
/// The force that the point should exert, N, world; 0 for a handle that is not valid.
POISE_API PoiseVec3 poise_point_force(const PoiseTree* tree, PoisePointId point);
/// The torque that the point should exert, N m, world; 0 for a handle that is not valid.
POISE_API PoiseVec3 poise_point_torque(const PoiseTree* tree, PoisePointId point);
/// Distance of the planned pose to the goal's position, m, from the frames as last filled, without
/// the directions in which the point yields. 0 without position rows.
POISE_API double poise_point_planned_error(const PoiseTree* tree, PoisePointId point);
/// Angle of the planned pose to the goal's rotation, rad, 0..pi, as poise_point_planned_error. 0
/// without orientation rows.
POISE_API double poise_point_planned_angle_error(const PoiseTree* tree, PoisePointId point);
/// Computes how far a pose of the point, world, m, is from the goal in the active rows that do not
/// yield: the distance, m, and the angle, rad, 0..pi. A goal in a link's frame uses the frames as
/// last filled. Either result may be NULL; both are 0 without such rows and for a handle that is
/// not valid.
POISE_API void poise_point_miss(const PoiseTree* tree, PoisePointId point, PoisePose pose,
                                double* miss, double* angle_miss);
/// Reach of the point, m: the sum of the anchor-to-anchor distances from the point to its farthest
/// registered node, plus the ranges of sliders. A step's clamp of the position error is a fraction
/// of the reach. Infinite with a slider without range; 0 for a handle that is not valid.
POISE_API double poise_point_reach(PoiseTree* tree, PoisePointId point);

// ---------------------------------------------------------------------- for forces and compliance

/// Writes the Jacobian of the point by one node, registered or not, for all six rows: 6 x dof,
/// row-major. Three position rows (m) come before three rotation rows (rad), about the world axes.
/// The columns are in the order of poise_node_omega. Uses the frames as last filled. Returns dof.
/// Returns 0 and writes nothing for a node that does not move the point and for handles that are
/// not valid.
POISE_API int poise_point_jacobian(PoiseTree* tree, PoisePointId point, PoiseNodeId node,
                                   double block[6 * POISE_MAX_DOF]);
/// Writes the directions in which the point follows its goal, in world axes. Each is a unit row of
/// 6 numbers: x y z of the position, then of the rotation. Returns the number of rows, 0 to 6.
POISE_API int poise_point_goal_rows(const PoiseTree* tree, PoisePointId point, double rows[36]);
/// Writes the directions in which the point yields, as poise_point_goal_rows. Returns their number;
/// 0 if it does not yield.
POISE_API int poise_point_yield_rows(const PoiseTree* tree, PoisePointId point, double rows[36]);

// -------------------------------------------------------------------------------- registration

/// Registers the node with the point, so that the solver moves the node for the point. Cp(node),
/// Nd(point) and Nd(node) grow. A repeated registration changes nothing. POISE_ERROR_CANNOT_MOVE if
/// the node cannot move the point. The node must lie between the point's link and the base. The
/// node may also lie farther out if the point is a centre of mass. If the point has a frame, the
/// node must carry exactly one of the two links.
POISE_API PoiseStatus poise_register(PoiseTree* tree, PoisePointId point, PoiseNodeId node);
/// Removes the registration, if there is one. Errors: POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_unregister(PoiseTree* tree, PoisePointId point, PoiseNodeId node);
/// True if the node is registered with the point; false for handles that are not valid.
POISE_API bool poise_is_registered(const PoiseTree* tree, PoisePointId point, PoiseNodeId node);
/// Registers every node from the point's link to `last`, both included. Null: to the base. Errors:
/// POISE_ERROR_CANNOT_MOVE, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_register_chain(PoiseTree* tree, PoisePointId point, PoiseNodeId last);
/// Registers every node that can move the point: both branches of a point with a frame, and the
/// nodes farther out for a centre of mass. Errors: POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_register_all(PoiseTree* tree, PoisePointId point);

/// Writes Cp(node), the points registered with the node, in the order of creation: up to `capacity`
/// handles (NULL allowed with 0). Returns their full number; 0 for a handle that is not valid.
POISE_API int poise_node_points(PoiseTree* tree, PoiseNodeId node, PoisePointId* points,
                                int capacity);
/// Writes Nd(point), the nodes registered with the point, as poise_node_points does for a node.
POISE_API int poise_point_nodes(PoiseTree* tree, PoisePointId point, PoiseNodeId* nodes,
                                int capacity);
/// Writes Nd(node), the nodes that share an enabled point with the node, as poise_node_points. The
/// node itself is included if it has an enabled point.
POISE_API int poise_node_neighbours(PoiseTree* tree, PoiseNodeId node, PoiseNodeId* nodes,
                                    int capacity);

#ifdef __cplusplus
}
#endif

#endif
