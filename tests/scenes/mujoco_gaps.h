// SPDX-License-Identifier: MIT
// Compares a robot as Poise reads it with the same file compiled by MuJoCo.
#ifndef POISE_TEST_MUJOCO_GAPS_H
#define POISE_TEST_MUJOCO_GAPS_H

#include "poise/simulation.h"

/// The largest difference of one kind, and the name of its link or joint.
typedef struct MujocoGap {
    double worst;
    char name[80];
    double ours;
    double theirs;
} MujocoGap;

typedef struct MujocoGaps {
    MujocoGap place;    ///< position of links in 20 random postures, m
    MujocoGap turn;     ///< rotation of links in these postures, rad
    MujocoGap mass;     ///< mass of a body, relative
    MujocoGap centre;   ///< centre of mass, m
    MujocoGap inertia;  ///< trace of the inertia, relative
    MujocoGap range;    ///< limits of joints, rad or m
    MujocoGap strength; ///< torque limit, relative; 1: only one program has a limit
    double mass_sum;    ///< mass of MuJoCo's bodies that are not welded to the world, kg
    int links;          ///< number of compared links, summed over the postures
    int joints;         ///< number of joints that both programs have
    int limited;        ///< number of joints with a torque limit
} MujocoGaps;

/// Compares the file in both programs. Returns false if MuJoCo is not installed or cannot read the
/// file, with the reason in `why`. MuJoCo gets a URDF without shapes, because it would refuse .dae
/// files and merge links.
bool mujoco_gaps(const char* file, const PoiseSimulation* simulation, MujocoGaps* gaps, char* why,
                 size_t capacity);

#endif
