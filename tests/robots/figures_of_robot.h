// SPDX-License-Identifier: MIT
// Figures of one robot that is a scene alone.
#ifndef POISE_TEST_FIGURES_OF_ROBOT_H
#define POISE_TEST_FIGURES_OF_ROBOT_H

#include "poise/simulation.h"

/// kg, of all bodies but an MJCF's world.
double figures_mass(const PoiseScene* scene);
/// What the masses written in a URDF sum up to, kg; negative for another format.
double figures_written_mass(const char* file);

/// Targets that the scene's points can reach, TARGETS_A_TIP each, by random postures of their
/// joints inside the limits; how many there are, and in `met` how many a solve from the middle of
/// the ranges meets. Places alone, found by solving, where a loop is closed.
int figures_targets(const PoiseSimulation* simulation, int* met);
enum { TARGETS_A_TIP = 20 };

/// A place that the scene's point can reach, by a random posture of its joints inside the limits.
/// False where it has none: a centre of mass, a base that floats, a closed loop.
bool figures_place(const PoiseSimulation* simulation, int point, uint64_t* seed, PoiseVec3* place);

/// A robot that should be at rest.
typedef struct Figures {
    double point; ///< the farthest from its goal, m
    double joint; ///< the farthest from its target, rad or m, of those that springs of IK drive
    double moved; ///< the most that any joint moves in a tenth of a second
    const char* point_name;
    const char* joint_name;
    const char* moved_name;
} Figures;

/// Steps it for a tenth of a second; false: it blew up.
bool figures_rest(PoiseSimulation* simulation, Figures* figures);

#endif
