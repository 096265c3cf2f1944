// SPDX-License-Identifier: MIT
// `poise motion`: a scene's goals led through without physics, frame after frame, and what comes of
// them as files for other programs.
#ifndef POISE_PLAY_H
#define POISE_PLAY_H

#include "console.h"

/// `poise motion`: gets the arguments from its own name on; returns what the program ends with.
int poise__command_motion(int argc, char** argv);

/// The postures of all frames.
typedef struct Play {
    PoiseSimulation* simulation;
    const PoiseScene* scene;
    PoiseTree* tree;
    int frame_count;
    double frame_time; ///< s
    PoisePose* bodies; ///< body_count of each frame, world
    double* postures;  ///< posture_size of each frame: the joints' numbers, in their order
    int posture_size;
    PoisePose* points; ///< point_count of each frame: where they are
    PoiseVec3* goals;  ///< and where their places should be
    double* angles;    ///< and how far from their rotations, rad
} Play;

static inline PoiseNodeId poise__play_node(const Play* play, int joint) {
    return poise_simulation_joint_node(play->simulation, joint);
}

/// How the goals were kept.
typedef struct PlayPoint {
    double rms; ///< m
    double most;
    double most_angle; ///< rad
    int stands;        ///< stretches of frames in which the goal stands still
    double slide;      ///< the most that the point moves in one of them, m
} PlayPoint;

/// Leads the scene's goals through; false with a message. Finish it in either case.
bool poise__play_run(Play* play, PoiseSimulation* simulation, double seconds, double frame_time);
void poise__play_finish(Play* play);

PlayPoint poise__play_point(const Play* play, int point);
/// The most by which any joint is beyond its range, rad or m, in any frame, measured anew from the
/// postures; `worst` gets the joint, -1 for none.
double poise__play_beyond(const Play* play, int* worst);

// What is written, whole or not at all by the caller's output. False: memory is short, and what was
// written is not whole. The caller asks the output for errors of writing.

/// A header of names, then time and the joints' numbers for each frame.
bool poise__play_write_csv(const Play* play, FILE* out);
/// A skeleton of the scene's bodies, y up, z ahead, in metres and degrees.
bool poise__play_write_bvh(const Play* play, FILE* out);
/// MuJoCo's keyframes: qpos in the order of an MJCF file of the same bodies, each before the next
/// branch.
bool poise__play_write_keyframes(const Play* play, FILE* out);

#endif
