// SPDX-License-Identifier: MIT
// A robot as Poise has it against the same file compiled by MuJoCo: how far apart they are.
#ifndef POISE_TEST_MUJOCO_GAPS_H
#define POISE_TEST_MUJOCO_GAPS_H

#include "poise/simulation.h"

/// The largest difference of one kind, and the link or joint that has it.
typedef struct MujocoGap {
    double worst;
    char name[80];
    double ours;
    double theirs;
} MujocoGap;

typedef struct MujocoGaps {
    MujocoGap place;    ///< of links in 20 random postures, m
    MujocoGap turn;     ///< rad
    MujocoGap mass;     ///< as a part of it
    MujocoGap centre;   ///< of mass, m
    MujocoGap inertia;  ///< its trace, as a part of it
    MujocoGap range;    ///< of joints, rad or m
    MujocoGap strength; ///< torque limits, as a part of it; 1: one has none
    double mass_sum;    ///< of MuJoCo's bodies that are not welded to the world, kg
    int links;          ///< that were compared, in all postures together
    int joints;         ///< that both have
    int limited;        ///< joints with a torque limit
} MujocoGaps;

/// False with MuJoCo's reason, or ours, in `why`: it does not read the file, or is not installed. A
/// URDF is given to MuJoCo without its shapes, which it would refuse (.dae) or merge.
bool mujoco_gaps(const char* file, const PoiseSimulation* simulation, MujocoGaps* gaps, char* why,
                 size_t capacity);

#endif
