// SPDX-License-Identifier: MIT
// A scene that runs: its ODE world, its tree and its rig, stepped together. What the `poise`
// command and the viewer share; neither of them knows the other.
#ifndef POISE_SIMULATION_H
#define POISE_SIMULATION_H

#include "poise/rig.h"
#include "poise/scene.h"
#include "poise/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PoiseSimulation PoiseSimulation;

/// Builds the scene's world. Errors go to `diagnostics` with the place in the file; NULL then.
POISE_NODISCARD PoiseSimulation* poise_simulation_create(const PoiseScene* scene,
                                                         PoiseDiagnostics* diagnostics);
/// The scene must outlive it.
void poise_simulation_destroy(PoiseSimulation* simulation);

/// One step of the scene's length: goals, IK, springs, dWorldStep. A negative status when the
/// simulation blew up: a body is not finite any more, or faster than anything can be. From then on
/// each step is refused; poise_simulation_trouble says what happened.
PoiseStatus poise_simulation_step(PoiseSimulation* simulation);
/// Which joint or body the simulation blew up at, and when; "" while it did not.
const char* poise_simulation_trouble(const PoiseSimulation* simulation);

const PoiseScene* poise_simulation_scene(const PoiseSimulation* simulation);
PoiseWorld* poise_simulation_world(const PoiseSimulation* simulation);

double poise_simulation_time(const PoiseSimulation* simulation);
/// Steps made so far, one that blew up included; the time is so many times the step's length.
long poise_simulation_step_count(const PoiseSimulation* simulation);
/// The step's length, s.
double poise_simulation_step_length(const PoiseSimulation* simulation);
PoiseRig* poise_simulation_rig(const PoiseSimulation* simulation);
PoiseTree* poise_simulation_tree(const PoiseSimulation* simulation);
uint64_t poise_simulation_state_hash(const PoiseSimulation* simulation);

/// One thing to draw.
typedef struct PoiseShapeView {
    PoiseShapeKind kind;
    PoiseVec3 size;
    PoisePose pose_world;
    /// The body's name; valid as long as the simulation.
    const char* body;
    /// Index of the body, or -1 where it is fixed to the world.
    int body_index;
    bool fixed;
} PoiseShapeView;

int poise_simulation_shape_count(const PoiseSimulation* simulation);
PoiseShapeView poise_simulation_shape(const PoiseSimulation* simulation, int index);
/// Whether there is a ground plane (z up), and its height.
bool poise_simulation_ground(const PoiseSimulation* simulation, double* height);

/// A control point of the scene.
typedef struct PoisePointView {
    const char* name;
    /// The tree's; and that of its axis where it points one somewhere, else null. A point that does
    /// nothing else has the same in both.
    PoisePointId point;
    PoisePointId aim;
    PoisePose pose_world;
    /// A point that aims: turned by the shortest way to where its axis should point.
    PoisePose goal_world;
    bool has_position;
    bool has_orientation;
    bool enabled;
    /// Distance and angle to the goal now, m and rad, in the rows that count and do not yield to a
    /// force.
    double error;
    double angle_error;
    /// A force is asked of it now; which, and what it is: what its body's contacts gave the world
    /// in the last step, or, where nothing touches it, what the springs gave. N.
    bool presses;
    PoiseVec3 force;
    PoiseVec3 force_measured;
} PoisePointView;

int poise_simulation_point_count(const PoiseSimulation* simulation);
PoisePointView poise_simulation_point(const PoiseSimulation* simulation, int index);
/// A joint of the scene, as of the last step.
typedef struct PoiseJointView {
    const char* name;
    PoiseNodeKind kind;
    /// Null for a joint that closes a loop: it is measured, but not driven.
    PoiseNodeId node;
    /// Hinge rad, slider m: measured, and where the springs together pull it.
    double angle;
    double target;
    /// A ball's, as rotation vectors in its joint frame, rad.
    PoiseVec3 rotation;
    PoiseVec3 target_rotation;
    /// What the springs gave, N m (slider: N): one number in x, a ball three about the world axes.
    PoiseVec3 torque;
} PoiseJointView;

/// In the order of the scene's joints.
int poise_simulation_joint_count(const PoiseSimulation* simulation);
PoiseJointView poise_simulation_joint(const PoiseSimulation* simulation, int index);

/// What the steps cost so far.
typedef struct PoiseSimulationCost {
    /// Mean time of a step after the first second (of all steps before), us.
    double ik_us;
    double ode_us;
    /// Requests for memory by IK, springs and world after the first step.
    long allocations;
} PoiseSimulationCost;

PoiseSimulationCost poise_simulation_cost(const PoiseSimulation* simulation);

/// Takes the goal's place out of the scene's hands and into the caller's (a drag); it stays there
/// until poise_simulation_release_goal.
PoiseStatus poise_simulation_hold_goal(PoiseSimulation* simulation, int index, PoiseVec3 place);
PoiseStatus poise_simulation_release_goal(PoiseSimulation* simulation, int index);

#ifdef __cplusplus
}
#endif

#endif
