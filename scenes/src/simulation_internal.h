// SPDX-License-Identifier: MIT
// What the files of the simulation share.
#ifndef POISE_SIMULATION_INTERNAL_H
#define POISE_SIMULATION_INTERNAL_H

#include "diagnostics.h"
#include "poise/simulation.h"

/// A control point that runs. A scene's point whose goals are all not carried out yet is none.
typedef struct RunningPoint {
    const PoiseScenePoint* scene;
    PoiseNodeId node;
    /// Its frame in the node's link.
    PoisePose in_link;
    /// With all its goals, and with the one that outlasts the other's `until`; null: none.
    PoisePointId whole;
    PoisePointId rest;
    /// The one in use.
    PoisePointId current;
    bool has_position;
    bool has_orientation;
    PoisePose goal;
    bool held;
    PoiseVec3 held_place;
} RunningPoint;

/// A shape, and where it is in its ODE body (or, fixed, in the world).
typedef struct RunningShape {
    const PoiseSceneShape* scene;
    int body;
    PoisePose in_body;
} RunningShape;

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
    /// One for each group of bodies that do not touch one another.
    dSpaceID* spaces;
    dJointID* joints;
    PoiseNodeId* nodes;
    RunningShape* shapes;
    int shape_count;
    RunningPoint* points;
    int point_count;
    uint64_t step_count;
    double ik_seconds;
    double ode_seconds;
    uint64_t timed_steps;
    bool warm; ///< the first second has passed, and its cost is forgotten
    bool failed;
    char trouble[200];
};

// Stages of poise_simulation_create, in this order; false with an error reported.
bool poise__simulation_make_bodies(PoiseSimulation* simulation);
bool poise__simulation_make_joints(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);
bool poise__simulation_make_points(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics);

/// Goals and their velocities for the time given.
void poise__simulation_set_goals(PoiseSimulation* simulation, double time);

/// Where the scene's body is: its frame in the world.
PoisePose poise__simulation_body_pose(const PoiseSimulation* simulation, int body);

/// The step that is being made cannot be ended: says which body is to blame, as a step that blew up
/// does.
void poise__simulation_give_up(PoiseSimulation* simulation);

#endif
