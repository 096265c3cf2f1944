// SPDX-License-Identifier: MIT
// `poise motion`: follows a scene's goals frame by frame without physics, and writes the postures
// as files for other programs.
#ifndef POISE_PLAY_H
#define POISE_PLAY_H

#include "console.h"

/// Runs `poise motion`. `argv` begins with the command's name. Returns the program's exit code.
int poise__command_motion(int argc, char** argv);

/// The result of a play: positions and postures in all frames.
typedef struct Play {
    PoiseSimulation* simulation;
    const PoiseScene* scene;
    PoiseTree* tree;
    int frame_count;
    double frame_time; ///< duration of a frame, s
    PoisePose* bodies; ///< body_count of each frame, in the world
    double* postures;  ///< posture_size of each frame: the joints' coordinates, joint by joint
    int posture_size;
    PoisePose* points; ///< point_count of each frame: the points' poses
    PoiseVec3* goals;  ///< positions of the points' goals, point_count of each frame
    double* angles; ///< angles between the points and their goals, rad, point_count of each frame
} Play;

static inline PoiseNodeId poise__play_node(const Play* play, int joint) {
    return poise_simulation_joint_node(play->simulation, joint);
}

/// True if the joint is driven and moves a body relative to `body`; -1: to the world.
static inline bool poise__play_is_on(const Play* play, const PoiseSceneJoint* joint, int body) {
    const int parent = joint->parent.index;
    const bool on_world = parent < 0 || (play->scene->bodies[parent].fixed && body < 0);
    return joint->driven && (body < 0 ? on_world : parent == body);
}

/// Errors of a point over all frames.
typedef struct PlayPoint {
    double rms;        ///< root mean square of the distance to the goal, m
    double most;       ///< largest distance to the goal, m
    double most_angle; ///< largest angle to the goal, rad
    int stands;        ///< number of stretches of frames in which the goal stands still
    double slide;      ///< largest displacement of the point within a stretch, m
} PlayPoint;

/// Follows the scene's goals. Returns false with a message on failure. The caller calls finish in
/// either case.
bool poise__play_run(Play* play, PoiseSimulation* simulation, double seconds, double frame_time);
void poise__play_finish(Play* play);

/// Computes the errors of a point of the scene.
PlayPoint poise__play_point(const Play* play, int point);
/// Returns the largest distance (rad or m) of any joint from its range, over all frames, computed
/// from the postures. `worst` gets that joint; -1 if all are inside.
double poise__play_beyond(const Play* play, int* worst);

// Writers of files. They return false when memory is short; the file is then incomplete. The caller
// checks the output for write errors.

/// Writes a header of names, then time and the joints' coordinates for each frame.
bool poise__play_write_csv(const Play* play, FILE* out);
/// Writes a skeleton of the scene's bodies: y up, z ahead, metres and degrees.
bool poise__play_write_bvh(const Play* play, FILE* out);
/// Writes MuJoCo's keyframes: qpos in the order of an MJCF file with the same bodies, depth first.
bool poise__play_write_keyframes(const Play* play, FILE* out);

#endif
