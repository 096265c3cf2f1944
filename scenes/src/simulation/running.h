// SPDX-License-Identifier: MIT
// A simulation as it runs: its state, and the stages that make and step it.
#ifndef POISE_RUNNING_H
#define POISE_RUNNING_H

#include "diagnostics.h"
#include "poise/simulation.h"

/// A control point that runs: one or two points of the tree.
typedef struct RunningPoint {
    /// As the scene has it, with what was set since; its name is not that of an added one.
    PoiseScenePoint scene;
    PoiseNodeId node;
    /// Its frame in the node's link.
    PoisePose in_link;
    /// With all its goals, and with the one that outlasts the other's `until`; null: none.
    PoisePointId whole;
    PoisePointId rest;
    /// The one in use; null for a point that only aims.
    PoisePointId current;
    /// Of the axis that is pointed somewhere; null: none.
    PoisePointId aim;
    bool has_position;
    bool has_orientation;
    /// It has no goal, only a force: `current` is a point that yields everywhere.
    bool pushes;
    /// It is asked to press, from the scene's `force_after` on.
    bool has_force;
    bool has_aim;
    /// Where it should be, in its scene's frame: the world, or that of another body.
    PoisePose goal;
    PoiseVec3 goal_velocity;
    /// From the scene's frame to the one the tree's goals are given in, where they differ.
    bool framed;
    PoisePose goal_to_tree;
    /// In the scene's frame.
    bool held;
    PoiseVec3 held_place;
    bool turn_held;
    PoiseQuat held_turn;
    /// Not of the scene. A removed one waits to be used again.
    bool added;
    bool removed;
    char added_name[32];
} RunningPoint;

/// What is set for the whole scene.
typedef struct RunningSettings {
    PoiseSceneIk ik;
    PoiseSceneMotion motion;
    PoiseSceneWorld world;
} RunningSettings;

/// A spring that a hand pulls a body with.
typedef struct Pull {
    bool active;
    int body;
    PoiseVec3 in_body;
    PoiseVec3 to;
    double stiffness;
    double damping;
    PoiseVec3 force; ///< of the last step
} Pull;

/// A hull as ODE has it, which keeps no copy of numbers.
typedef struct RunningHull {
    dTriMeshDataID data;
    dReal* points; ///< x, y, z
    dTriIndex* corners;
} RunningHull;

/// A shape, and where it is in its ODE body (or, fixed, in the world).
typedef struct RunningShape {
    const PoiseSceneShape* scene;
    int body;
    PoisePose in_body;
    RunningHull hull; ///< all NULL where it is none
} RunningShape;

/// What a step takes at most. Rows of constraints that hang together: dWorldStep's time grows with
/// their third power (2,000: about a second), memory with their second.
enum { MOST_ROWS_TOGETHER = 2000, MOST_CONTACTS = 10000 };

struct PoiseSimulation {
    const PoiseScene* scene;
    PoiseWorld* world;
    PoiseTree* tree;
    PoiseRig* rig;
    /// What world, tree and rig ever asked for, and what they did in the steps after the first.
    long allocations;
    long step_allocations;
    /// One for each body of the scene, NULL where it is fixed; and the others alone, in order.
    dBodyID* bodies;
    dBodyID* moving;
    int moving_count;
    /// Of the search for what hangs together: bodies to visit, and which were.
    int* to_visit;
    bool* visited;
    int joint_rows; ///< of all joints and motors, at most
    /// One for each group of bodies that do not touch one another.
    dSpaceID* spaces;
    dJointID* joints;
    PoiseNodeId* nodes;
    /// The scene's, with what was set since; a ball's natural posture is in `bind`, as the rig has
    /// it.
    PoiseSceneJoint* running_joints;
    RunningShape* shapes;
    int shape_count;
    RunningPoint* points;
    int point_count;
    int point_capacity;
    int points_added; ///< ever: their names count on
    Pull pull;
    RunningSettings now;
    PoiseRigReport report;
    uint64_t step_count;
    double ik_seconds;
    double ode_seconds;
    uint64_t timed_steps;
    bool warm; ///< the first second has passed, and its cost is forgotten
    bool failed;
    char trouble[200];
};

/// Its name; "" of a removed one.
static inline const char* poise__point_name(const RunningPoint* point) {
    return point->removed ? "" : point->added ? point->added_name : point->scene.name;
}

/// Of the step that is due, s.
static inline double poise__simulation_now(const PoiseSimulation* simulation) {
    return (double)simulation->step_count * simulation->scene->world.step;
}

/// The first of two that is an error, else POISE_OK.
static inline PoiseStatus poise__first_error(PoiseStatus first, PoiseStatus second) {
    return first < 0 ? first : second < 0 ? second : POISE_OK;
}

// Stages of poise_simulation_create, in this order; false with an error reported.
bool poise__simulation_make_bodies(PoiseSimulation* simulation);
/// A hull in the space, with what ODE needs of it in `hull`; NULL when memory is short.
dGeomID poise__simulation_make_hull(dSpaceID space, const PoiseSceneHull* scene, RunningHull* hull);
/// After the geom is gone; all NULL is allowed.
void poise__simulation_drop_hull(RunningHull* hull);
bool poise__simulation_make_joints(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
bool poise__simulation_make_points(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);

/// Ties joints that mimic others to them; false with an error.
bool poise__simulation_tie(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
/// After the points: what no point moves follows its leader, or holds its posture, by its spring.
PoiseStatus poise__simulation_spring_unled(PoiseSimulation* simulation);
/// Leads the springs of these to where their leaders are.
PoiseStatus poise__simulation_follow_leaders(PoiseSimulation* simulation);

/// A joint's theta_orig at a time, as poise_node_posture writes it; returns how many numbers.
int poise__simulation_natural(const PoiseSimulation* simulation, int index, double time,
                              double posture[POISE_MAX_NQ]);
/// Leads the natural postures of joints that follow a recorded motion; and whether there are any.
PoiseStatus poise__simulation_follow_motion(PoiseSimulation* simulation, double time);
bool poise__simulation_follows_motion(const PoiseSimulation* simulation);
/// A ball's turn, which the scene says in world axes and the rig in those of the parent.
PoiseQuat poise__simulation_seen_by_parent(const PoiseSimulation* simulation,
                                           const PoiseSceneJoint* joint, PoiseQuat turn);

/// Goals and their velocities for the time given.
PoiseStatus poise__simulation_set_goals(PoiseSimulation* simulation, double time);

/// What goals the scene's point has: a place, a rotation, an axis to point.
bool poise__point_wants_position(const PoiseScenePoint* point);
bool poise__point_wants_orientation(const PoiseScenePoint* point);
bool poise__point_aims(const PoiseScenePoint* point);
/// Its goals at a time, and how fast they move; one that a hand holds is taken from there.
void poise__point_evaluate(const RunningPoint* point, double time, PoisePose* goal,
                           PoiseVec3* velocity, PoiseVec3* turning);
/// Its goal in the frame that the tree has it in.
PoisePose poise__point_goal_in_tree(const RunningPoint* point);
/// Where the scene's control point is: its frame in the world; a centre of mass: that place.
PoisePose poise__simulation_point_pose(const PoiseSimulation* simulation,
                                       const PoiseScenePoint* point);
/// The frame that the goals are given in, in the world.
PoisePose poise__simulation_goal_frame(const PoiseSimulation* simulation,
                                       const PoiseScenePoint* point);
/// The direction in the world, of length 1, in which the axis of a point that aims should point
/// from `eye`; 0 where every direction will do. `turning` (NULL allowed): how fast it turns by
/// itself, rad/s.
PoiseVec3 poise__simulation_sight(const PoiseSimulation* simulation, const RunningPoint* point,
                                  PoiseVec3 eye, PoiseVec3* turning);
/// Tells the tree where the axis of the point should point.
PoiseStatus poise__simulation_set_aim(PoiseSimulation* simulation, RunningPoint* point);
/// Numbers of the rows that may change: as many as parameters with so many points; what they are
/// now; whether they may be; and puts them where they run, without telling rig, tree and world.
int poise__parameters_count(const PoiseSimulation* simulation, int point_count);
void poise__parameters_save(const PoiseSimulation* simulation, unsigned char* memory);
bool poise__parameters_may_be(const PoiseSimulation* simulation, int point_count,
                              const unsigned char* memory);
void poise__parameters_restore(PoiseSimulation* simulation, const unsigned char* memory);
/// What a point that was added would be in a scene, without a name.
PoiseScenePoint poise__added_point(int body, PoisePose in_body);
/// Whether the flags may be those of a running point of the scene's, or (NULL) of an added one.
bool poise__point_may_be(const RunningPoint* point, const PoiseScenePoint* scene);
/// The force of the hand's spring for the step that follows.
void poise__simulation_apply_pull(PoiseSimulation* simulation);
/// The scene's blows, as far as they fall into the step that follows.
void poise__simulation_apply_pushes(PoiseSimulation* simulation);

/// Where the scene's body is: its frame in the world.
PoisePose poise__simulation_body_pose(const PoiseSimulation* simulation, int body);

// Rows of constraints that hang together.

/// Whether dWorldStep can make the joints' rows; an error where it cannot. Counts them.
bool poise__simulation_check_rows(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
/// The same with the contacts of the step to come; the simulation's trouble says what is too much.
bool poise__simulation_fits_step(PoiseSimulation* simulation);

#endif
