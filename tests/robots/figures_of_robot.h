// SPDX-License-Identifier: MIT
// Measures a robot that is simulated alone.
#ifndef POISE_TEST_FIGURES_OF_ROBOT_H
#define POISE_TEST_FIGURES_OF_ROBOT_H

#include "poise/simulation.h"

/// Returns the mass of all bodies, kg, without an MJCF's world.
double figures_mass(const PoiseScene* scene);
/// Returns the sum of the masses written in a URDF, kg; negative for another format.
double figures_written_mass(const char* file);

/// Solves TARGETS_A_TIP targets for each point of the scene. Each target is reached by a random
/// posture inside the limits. Returns the number of targets. `met` gets the number that a solve
/// from the middle of the ranges meets. In a robot with closed loops, targets are positions found
/// by solving.
int figures_targets(PoiseSimulation* simulation, int* met);
enum { TARGETS_A_TIP = 20 };

/// Finds a position that the scene's point reaches in a random posture inside the limits. Returns
/// false if the point is a centre of mass, or the robot has a floating base or closed loops.
bool figures_place(const PoiseSimulation* simulation, int point, uint64_t* seed, PoiseVec3* place);

/// Figures of a robot that should be at rest.
typedef struct Figures {
    double point; ///< largest distance of a point from its goal, m
    double joint; ///< largest distance of a joint that IK drives from its target, rad or m
    double moved; ///< largest movement of a joint in 0.1 s, rad or m
    const char* point_name;
    const char* joint_name;
    const char* moved_name;
} Figures;

/// Measures the figures over 0.1 s. Returns false if the simulation blew up.
bool figures_rest(PoiseSimulation* simulation, Figures* figures);
/// Returns a random number in 0..1; the sequence is the same in every run.
double draw(uint64_t* seed);

#endif
