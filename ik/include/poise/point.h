// SPDX-License-Identifier: MIT
// Control points: what should reach a goal; and registration, which says who serves whom.
#ifndef POISE_POINT_H
#define POISE_POINT_H

#include "poise/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a point brings to its goal.
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

/// In which directions a point gives way to the force and torque that are asked of it: there its
/// goal does not count, nor the distance to it, and a step does not move it.
typedef enum PoiseYield {
    /// Along the force, and about the torque, while they are not 0.
    POISE_YIELD_ALONG = 0,
    /// Nowhere: force and torque come on top of what the goal asks for.
    POISE_YIELD_NONE = 1,
    /// Along and about the rows named, asked or not: with no force asked such a point is free to be
    /// pushed there.
    POISE_YIELD_ROWS = 2
} PoiseYield;

/// The priority of a closure: a point that keeps a loop of joints closed. It comes before all
/// others, whatever the solver.
enum { POISE_PRIORITY_CLOSURE = -1 };

/// What poise_point_create makes a point of.
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
    /// Where it gives way to a force, and with POISE_YIELD_ROWS in which rows, bits of PoiseRows
    /// along `row_axes`, whether they count or not. Default POISE_YIELD_ALONG, none.
    PoiseYield yield;
    unsigned yield_rows;
    /// The radius of the ball at whose middle the point is, m, >= 0 and finite: where it presses,
    /// it touches this far before the point, along the force. What the contact's friction adds to
    /// the moment about the point is then told from a force (see rig.h). Default 0: it touches
    /// there.
    double tip_radius;
    /// > 0: a step of a solve with a `step` asks for at most so much of m/s and rad/s. Default
    /// infinity.
    double max_speed;
    double max_turn_speed;
    /// Whether the goal's velocity comes from where the goal is set from solve to solve with a
    /// `step`, until it is given (poise_point_set_velocity). Default true.
    bool follow;
    /// >= 0. Of points that cannot all be met, one of weight 2 counts as two of weight 1. Position
    /// rows are in m, orientation rows in rad. 0: no rows, as if it were not enabled. Default 1.
    double weight;
    /// 0 (first) to 15: points of a higher number move the joints only as far as the points of
    /// lower ones take no notice (AUTO and DUAL; the other solvers go by weights alone).
    /// POISE_PRIORITY_CLOSURE: before all of them, with any solver. Default 0.
    int priority;
    /// Default true.
    bool enabled;
} PoisePointDef;

/// A place, 3 rows, of weight 1 and priority 0, at the origin of a link that is the caller's to
/// set.
POISE_API PoisePointDef poise_default_position_def(void);
/// A rotation, 3 rows, likewise.
POISE_API PoisePointDef poise_default_orientation_def(void);
/// Both, 6 rows, likewise.
POISE_API PoisePointDef poise_default_pose_def(void);
/// The z axis of a link, to lie along z, likewise.
POISE_API PoisePointDef poise_default_direction_def(void);
/// The z axis of a link, to aim at a place, likewise.
POISE_API PoisePointDef poise_default_look_at_def(void);
/// The centre of mass of a link and all that hangs on it, 3 rows, likewise.
POISE_API PoisePointDef poise_default_com_def(void);

/// The new point, or null with the reason in poise_tree_status. It is registered with no node yet.
POISE_API PoisePointId poise_point_create(PoiseTree* tree, const PoisePointDef* def);
/// Unregisters and destroys the point. The null handle is allowed. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_destroy(PoiseTree* tree, PoisePointId point);
/// Whether the handle is of a point of this tree that was not destroyed.
POISE_API bool poise_point_is_valid(const PoiseTree* tree, PoisePointId point);
/// 0 for a handle that is not valid.
POISE_API PoisePointKind poise_point_kind(const PoiseTree* tree, PoisePointId point);
/// The node whose link the point is on; null for a handle that is not valid.
POISE_API PoiseNodeId poise_point_link(const PoiseTree* tree, PoisePointId point);

/// The frame its goal is given in; null: the world.
POISE_API PoiseNodeId poise_point_frame(const PoiseTree* tree, PoisePointId point);

/// The goal's place, m, in the goal's frame (poise_point_frame); for a look-at what it aims at.
/// Wrong kind for a point without either. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_point_set_position(PoiseTree* tree, PoisePointId point,
                                               PoiseVec3 position);
/// The goal's rotation, in the goal's frame (poise_point_frame), normalised here. Wrong kind for a
/// point without orientation rows. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_point_set_orientation(PoiseTree* tree, PoisePointId point,
                                                  PoiseQuat orientation);
/// Where the axis of a direction point should point, in the goal's frame (poise_point_frame), of
/// any unit and length but 0, normalised here. Wrong kind for another. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_point_set_direction(PoiseTree* tree, PoisePointId point,
                                                PoiseVec3 direction);
/// See PoisePointDef.rows and row_axes. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_rows(PoiseTree* tree, PoisePointId point, unsigned rows,
                                           PoiseRowAxes axes);
/// m/s and rad/s, > 0, see PoisePointDef. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_max_speed(PoiseTree* tree, PoisePointId point, double speed,
                                                double turn_speed);
/// How fast the goal itself moves at the end of a step, m/s and rad/s, in its frame; where this
/// changes smoothly, a solve takes the velocity of the step's middle from it. A simulation's
/// reference velocity comes from these, never from the correction. Given here, they hold until they
/// are given anew or poise_point_follow is called; until then they come from the goal's own motion
/// (see PoisePointDef.follow). Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_point_set_velocity(PoiseTree* tree, PoisePointId point,
                                               PoiseVec3 velocity);
/// The same of its turn, rad/s. Errors as poise_point_set_velocity.
POISE_API PoiseStatus poise_point_set_angular_velocity(PoiseTree* tree, PoisePointId point,
                                                       PoiseVec3 velocity);
/// Takes the goal's velocities from its own motion again (true), or as last given (false; 0 where
/// they never were). From its own motion: the change between two settings by the time between them,
/// filtered over about three of them; a goal that was set once more than 0.1 s ago stands still.
/// Where the last three changes are smooth, a step aims at where the goal is foretold to be since
/// it was set, and the velocity is that of this place. A change beyond three times what the
/// velocity foretells, and beyond what a step may ask for (PoiseSolveDef.position_clamp,
/// angle_clamp), is a jump: the velocity begins at 0 again. Errors: POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_follow(PoiseTree* tree, PoisePointId point, bool follow);
/// The velocities that the last solve with a `step` took for the goal's, m/s and rad/s, in the
/// goal's frame; NULL: not wanted. Zero for a handle that is not valid.
POISE_API void poise_point_goal_velocity(const PoiseTree* tree, PoisePointId point,
                                         PoiseVec3* velocity, PoiseVec3* angular_velocity);
/// What the point should press on the world with, N and N m (default 0); see poise_forces. Where it
/// does, its goal gives way (see PoiseYield). Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_force(PoiseTree* tree, PoisePointId point, PoiseVec3 force);
/// See PoisePointDef.tip_radius. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_tip_radius(PoiseTree* tree, PoisePointId point,
                                                 double radius);
/// The radius of the point's tip, m; 0 for a handle that is not valid.
POISE_API double poise_point_tip_radius(const PoiseTree* tree, PoisePointId point);
/// The torque of it, N m, in the world's axes. Errors as poise_point_set_force.
POISE_API PoiseStatus poise_point_set_torque(PoiseTree* tree, PoisePointId point, PoiseVec3 torque);
/// See PoisePointDef.yield and yield_rows. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_yield(PoiseTree* tree, PoisePointId point, PoiseYield yield,
                                            unsigned rows);
/// A point that is not enabled has no rows; its registrations stay. Errors:
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_enabled(PoiseTree* tree, PoisePointId point, bool enabled);
/// Whether the point is enabled; false for a handle that is not valid.
POISE_API bool poise_point_enabled(const PoiseTree* tree, PoisePointId point);
/// weight >= 0, see PoisePointDef. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_weight(PoiseTree* tree, PoisePointId point, double weight);

/// 0 (first) to 15, or POISE_PRIORITY_CLOSURE, see PoisePointDef. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_point_set_priority(PoiseTree* tree, PoisePointId point, int priority);
/// The point's priority, 0 to 15 or POISE_PRIORITY_CLOSURE; 0 for a handle that is not valid.
POISE_API int poise_point_priority(const PoiseTree* tree, PoisePointId point);

/// The planned pose of the point, world, m: that of the frames as last filled (a centre of mass:
/// the place, with the link's rotation); the identity for a handle that is not valid. A tree knows
/// no bodies: a rig reads the measured pose (poise_rig_read_point).
POISE_API PoisePose poise_point_planned_pose(const PoiseTree* tree, PoisePointId point);
/// Where the point should be, m, in the frame that its goal is given in (poise_point_frame); the
/// identity for a handle that is not valid.
POISE_API PoisePose poise_point_goal(const PoiseTree* tree, PoisePointId point);
/// The axis of a direction or look-at point, world, of length 1, without unit, from the frames as
/// last filled; 0 for other points and for a handle that is not valid.
POISE_API PoiseVec3 poise_point_axis(const PoiseTree* tree, PoisePointId point);
/// The force that the point is to press with, N, world; 0 for a handle that is not valid.
POISE_API PoiseVec3 poise_point_force(const PoiseTree* tree, PoisePointId point);
/// The torque that it is to press with, N m, world; 0 for a handle that is not valid.
POISE_API PoiseVec3 poise_point_torque(const PoiseTree* tree, PoisePointId point);
/// Distance of the planned pose from the goal's place, m, but for the directions in which the point
/// yields; 0 without position rows.
POISE_API double poise_point_planned_error(const PoiseTree* tree, PoisePointId point);
/// Angle of the planned pose to the goal's rotation, rad, 0..pi, likewise; 0 without orientation
/// rows.
POISE_API double poise_point_planned_angle_error(const PoiseTree* tree, PoisePointId point);
/// How far a pose of the point, world, is from its goal in the rows that count and do not yield:
/// the distance, m, and the angle, rad, 0..pi. A goal in a link's frame is where the frames as last
/// filled have it. Either may be NULL; 0 without such rows and for a handle that is not valid.
POISE_API void poise_point_miss(const PoiseTree* tree, PoisePointId point, PoisePose pose,
                                double* miss, double* angle_miss);
/// Sum of the anchor-to-anchor distances from the point to its farthest registered node, m; a
/// slider adds its range. What clamps are relative to. Infinite past a slider without range; 0 for
/// a handle that is not valid.
POISE_API double poise_point_reach(PoiseTree* tree, PoisePointId point);

// ---------------------------------------------------------------------- for forces and compliance

/// How the node moves the point, whether registered or not, and whatever rows count: 6 x dof,
/// row-major, the place's three rows (m), then the rotation's (rad), world axes; columns as the
/// numbers of poise_node_omega. From the frames as last filled. Returns dof; 0, and nothing
/// written, for a node that does not move the point and handles that are not valid.
POISE_API int poise_point_jacobian(PoiseTree* tree, PoisePointId point, PoiseNodeId node,
                                   double block[6 * POISE_MAX_DOF]);
/// The directions that the point's goal counts in, world: rows of 6 numbers (x, y, z of the place,
/// then of the turn), of length 1. Returns how many, 0 to 6.
POISE_API int poise_point_goal_rows(const PoiseTree* tree, PoisePointId point, double rows[36]);
/// The directions in which it yields, likewise; 0 where it does not.
POISE_API int poise_point_yield_rows(const PoiseTree* tree, PoisePointId point, double rows[36]);

// -------------------------------------------------------------------------------- registration

/// Lets the node move to serve the point: Cp(node), Nd(point) and with them Nd(node) grow.
/// Registering twice changes nothing. POISE_ERROR_CANNOT_MOVE when the node does not lie between
/// the point's link and the base; for a centre of mass, nor on the links farther out; for a point
/// with a frame, when it lies below both links or neither.
POISE_API PoiseStatus poise_register(PoiseTree* tree, PoisePointId point, PoiseNodeId node);
/// Takes the registration back; one that is not there changes nothing. Errors:
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_unregister(PoiseTree* tree, PoisePointId point, PoiseNodeId node);
/// Whether the node is registered with the point; false for handles that are not valid.
POISE_API bool poise_is_registered(const PoiseTree* tree, PoisePointId point, PoiseNodeId node);
/// Registers every node from the point's link down to `last`, both included; null: to the base.
/// Errors: POISE_ERROR_CANNOT_MOVE, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_register_chain(PoiseTree* tree, PoisePointId point, PoiseNodeId last);
/// Registers every node that can move the point: both branches of one with a frame, and the links
/// farther out for a centre of mass. Errors: POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_register_all(PoiseTree* tree, PoisePointId point);

/// The sets, in the order of creation: Cp(node), the points registered with it; Nd(point), the
/// nodes registered with it; Nd(node), the nodes that share an enabled point with it (itself
/// included, once it has one). Each writes up to `capacity` handles (NULL allowed with 0) and
/// returns how many there are.
POISE_API int poise_node_points(PoiseTree* tree, PoiseNodeId node, PoisePointId* points,
                                int capacity);
/// Nd(point), likewise: the nodes registered with it.
POISE_API int poise_point_nodes(PoiseTree* tree, PoisePointId point, PoiseNodeId* nodes,
                                int capacity);
/// Nd(node), likewise: the nodes that share an enabled point with it.
POISE_API int poise_node_neighbours(PoiseTree* tree, PoiseNodeId node, PoiseNodeId* nodes,
                                    int capacity);

#ifdef __cplusplus
}
#endif

#endif
