// SPDX-License-Identifier: MIT
// State of a running simulation, and the functions of its construction and its steps.
#ifndef POISE_RUNNING_H
#define POISE_RUNNING_H

#include "diagnostics.h"
#include "poise/simulation.h"

// Convert between Poise's doubles and ODE's dReal, which may be float.
#define ODE_XYZ(v) (dReal)(v).x, (dReal)(v).y, (dReal)(v).z
#define ODE_TURN(q)                                                                                \
    { (dReal)(q).w, ODE_XYZ(q) }
static inline PoiseVec3 poise__from_ode(const dReal* v) {
    return poise_vec3((double)v[0], (double)v[1], (double)v[2]);
}
static inline PoiseQuat poise__turn_from_ode(const dReal* q) {
    return poise_quat((double)q[0], (double)q[1], (double)q[2], (double)q[3]);
}

/// A control point of a running scene. It uses up to two points of the tree for its goals, and one
/// for its axis goal.
typedef struct RunningPoint {
    /// Definition from the scene, updated by parameters set during the run. Its name is not valid
    /// for an added point: see poise__point_name.
    PoiseScenePoint scene;
    /// Point of the tree with all goals, which exists also while `remaining_goal` is in use; null:
    /// none.
    PoisePointId all_goals;
    /// Point of the tree with the goal that remains once the scene's `until` has ended the other
    /// goal; null: none.
    PoisePointId remaining_goal;
    /// The point in use, `all_goals` or `remaining_goal`; null for a point that only aims.
    PoisePointId current;
    /// Point of the tree for the axis goal; null: none.
    PoisePointId aim;
    bool has_position;
    bool has_orientation;
    /// True if the point has a force but no goal: `current` then yields in every direction.
    bool pushes;
    /// True if the point exerts a force after the scene's `force_after`.
    bool has_force;
    bool has_aim;
    /// Velocity of the scene's goal in the last step, in the tree's goal frame, m/s; held goals: 0.
    PoiseVec3 goal_velocity;
    /// True if the caller holds the goal's place, or its rotation: `all_goals` has the held goal.
    bool held;
    bool turn_held;
    bool moved; ///< True if the caller changed the goal since the last step
    /// `added`: the point is not in the scene. `removed`: the point was removed, its entry is free.
    bool added;
    bool removed;
    char added_name[32];
} RunningPoint;

/// The spring by which a hand pulls a body.
typedef struct Pull {
    bool active;
    int body;
    PoiseVec3 in_body;
    PoiseVec3 to;
    double stiffness;
    double damping;
    PoiseVec3 force; ///< force on the body in the last step, N
} Pull;

/// A hull's data for ODE, which keeps pointers to these arrays.
typedef struct RunningHull {
    dTriMeshDataID data;
    dHeightfieldDataID heights;
    dReal* points; ///< points, three numbers each: x, y, z
    dTriIndex* corners;
} RunningHull;

/// A shape, and its frame in its ODE body (fixed: in the world).
typedef struct RunningShape {
    const PoiseSceneShape* scene;
    int body;
    PoisePose in_body;
    dGeomID geom;     ///< geom of the shape; NULL: the shape does not collide
    RunningHull hull; ///< ODE's data of the hull; all NULL if the shape has no hull
} RunningShape;

/// Limits of a step: rows of constraints that are connected, and contacts. The time of dWorldStep
/// grows with the third power of the connected rows (2,000 take about a second), its memory with
/// the second.
enum { MOST_ROWS_TOGETHER = 2000, MOST_CONTACTS = 10000 };

struct PoiseSimulation {
    const PoiseScene* scene;
    PoiseWorld* world;
    PoiseTree* tree;
    PoiseRig* rig;
    /// Number of requests for memory by world, tree and rig.
    long allocations;
    /// ODE bodies by the scene's index, NULL if fixed; `moving`: only the bodies that are not NULL,
    /// in the same order.
    dBodyID* bodies;
    dBodyID* moving;
    int moving_count;
    /// Memory of the search for connected bodies: bodies to visit, and flags of visited bodies.
    int* to_visit;
    bool* visited;
    int joint_rows; ///< upper bound of the rows of all joints and motors
    /// An ODE space for each group of bodies that do not collide with each other.
    dSpaceID* spaces;
    dJointID* joints;
    PoiseNodeId* nodes;
    /// Array of the joints in `now`. A ball's natural posture in `bind` is in the rig's axes.
    PoiseSceneJoint* running_joints;
    RunningShape* shapes;
    int shape_count;
    RunningPoint* points;
    int point_count;
    int point_capacity;
    int points_added; ///< number of all points ever added, for their names
    Pull pull;
    /// The scene with all parameters that were set during the run; its points are in `points`.
    PoiseScene now;
    PoiseRigReport report;
    uint64_t step_count;
    /// Times: sums over `timed_steps`, us. Allocations: sum over all steps but the first.
    PoiseSimulationCost spent;
    uint64_t timed_steps;
    bool warm; ///< true once costs are measured: those of the first second are discarded
    bool failed;
    char trouble[200];
};

/// Returns the point's name; "" if removed.
static inline const char* poise__point_name(const RunningPoint* point) {
    return point->removed ? "" : point->added ? point->added_name : point->scene.name;
}

/// Returns the time at the start of the next step, s.
static inline double poise__simulation_now(const PoiseSimulation* simulation) {
    return (double)simulation->step_count * simulation->scene->world.step;
}

/// Returns the first error of two, else POISE_OK.
static inline PoiseStatus poise__first_error(PoiseStatus first, PoiseStatus second) {
    return first < 0 ? first : second < 0 ? second : POISE_OK;
}

// Stages of poise_simulation_create, in this order. Each returns false after an error; a stage with
// `diagnostics` reports the error.
bool poise__simulation_make_bodies(PoiseSimulation* simulation);
/// Creates a hull's geom in the space and fills `hull` with its data; NULL if memory is short.
dGeomID poise__simulation_make_hull(dSpaceID space, const PoiseSceneShape* shape,
                                    RunningHull* hull);
/// Returns the pose of the shape's geom. A height field's geom has its heights along y in ODE.
PoisePose poise__simulation_upright(const PoiseSceneShape* shape, PoisePose pose);
/// Releases the data of a hull whose geom was destroyed; all NULL is allowed.
void poise__simulation_drop_hull(RunningHull* hull);
bool poise__simulation_make_joints(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
bool poise__simulation_make_points(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
/// Hands the shapes of `keep_apart:` to the rig, and warns of pairs that overlap; false after an
/// error.
bool poise__simulation_keep_apart(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
/// Returns the name of a geom's body, NULL for others. `user` is the simulation.
const char* poise__simulation_geom_name(void* user, dGeomID geom);

/// Makes each joint that mimics another follow it in the tree; false after an error.
bool poise__simulation_tie(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
/// Gives joints that no control point moves one spring toward their natural posture, if they mimic
/// another joint or are `tuned`. Call it after the points exist.
PoiseStatus poise__simulation_set_posture_springs(PoiseSimulation* simulation);
/// Sets the natural posture of each joint that mimics another one outside IK, from its leader's
/// posture.
PoiseStatus poise__simulation_follow_leaders(PoiseSimulation* simulation);

/// Writes a joint's theta_orig at a time, as poise_node_posture does; returns the count of numbers.
int poise__simulation_natural(const PoiseSimulation* simulation, int index, double time,
                              double posture[POISE_MAX_NQ]);
/// Sets the natural postures of joints that follow a recorded motion. The second function returns
/// true if there are such joints.
PoiseStatus poise__simulation_follow_motion(PoiseSimulation* simulation, double time);
bool poise__simulation_follows_motion(const PoiseSimulation* simulation);
/// Converts a ball's rotation from world axes, in the scene, to the parent's axes, in the rig.
PoiseQuat poise__simulation_seen_by_parent(const PoiseSimulation* simulation,
                                           const PoiseSceneJoint* joint, PoiseQuat turn);

/// Sets the goals and their velocities for the given time.
PoiseStatus poise__simulation_set_goals(PoiseSimulation* simulation, double time);

/// True if the scene's point has a position goal; an orientation goal; an axis goal.
bool poise__point_wants_position(const PoiseScenePoint* point);
bool poise__point_wants_orientation(const PoiseScenePoint* point);
bool poise__point_aims(const PoiseScenePoint* point);
/// A goal and its velocities, m/s and rad/s, in the tree's goal frame.
typedef struct MovingGoal {
    PoisePose pose;
    PoiseVec3 velocity;
    PoiseVec3 turning;
} MovingGoal;
/// Returns the scene's goals of the point at a time.
MovingGoal poise__point_scene_goal(const PoiseSimulation* simulation, const PoiseScenePoint* point,
                                   double time);
/// Returns the transform from the frame in which the scene gives the point's goals to the frame in
/// which the tree has them.
PoisePose poise__point_to_tree(const PoiseSimulation* simulation, const PoiseScenePoint* point);
/// Returns the frame, in the world, in which the tree has the point's goals.
PoisePose poise__point_tree_frame(const PoiseSimulation* simulation, const PoiseScenePoint* point);
/// Returns the pose of the scene's control point in the world; only the place if it is a centre of
/// mass.
PoisePose poise__simulation_point_pose(const PoiseSimulation* simulation,
                                       const PoiseScenePoint* point);
/// Returns the frame, in the world, in which the scene gives the point's goals.
PoisePose poise__simulation_goal_frame(const PoiseSimulation* simulation,
                                       const PoiseScenePoint* point);
/// Returns the direction (world, length 1) in which the axis of a point at `eye` should point; 0 if
/// any direction is allowed. `turning` (NULL: not wanted) gets the direction's angular velocity,
/// rad/s.
PoiseVec3 poise__simulation_sight(const PoiseSimulation* simulation, const RunningPoint* point,
                                  PoiseVec3 eye, PoiseVec3* turning);
/// Sets the target of the axis goal in the tree.
PoiseStatus poise__simulation_set_aim(PoiseSimulation* simulation, RunningPoint* point);
/// Tells the rig that the point supports a floating base or is the balanced centre of mass. The rig
/// then moves the point's goal unless the caller holds it.
PoiseStatus poise__simulation_set_support(PoiseSimulation* simulation, const RunningPoint* point);
/// Save and restore all parameters as numbers: their number with `point_count` points; writing;
/// checking; restoring into the running structs, which leaves rig and tree unchanged.
int poise__parameters_count(const PoiseSimulation* simulation, int point_count);
void poise__parameters_save(const PoiseSimulation* simulation, unsigned char* memory);
bool poise__parameters_may_be(const PoiseSimulation* simulation, int point_count,
                              const unsigned char* memory);
void poise__parameters_restore(PoiseSimulation* simulation, const unsigned char* memory);
/// Returns the definition of an added point, without a name.
PoiseScenePoint poise__added_point(int body, PoisePose in_body);
/// True if the point of a snapshot can replace this point of the scene; NULL: an added point.
bool poise__point_may_be(const RunningPoint* point, const PoiseScenePoint* scene);
/// Applies the force of the hand's spring for the next step.
void poise__simulation_apply_pull(PoiseSimulation* simulation);
/// Applies the scene's pushes that are due in the next step.
void poise__simulation_apply_pushes(PoiseSimulation* simulation);

/// Returns the frame of the scene's body in the world.
PoisePose poise__simulation_body_pose(const PoiseSimulation* simulation, int body);

/// Counts the joints' rows. True if dWorldStep can solve them, else an error is reported.
bool poise__simulation_check_rows(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
/// True if dWorldStep can also solve the contacts of the next step; else writes the reason to
/// `trouble`.
bool poise__simulation_fits_step(PoiseSimulation* simulation);

#endif
