// SPDX-License-Identifier: MIT
// Collision avoidance of compiled bodies. Shapes are on joints or fixed in the world. The frames of
// all groups are needed at once, because arms that share no joint can touch each other.
//
//     body_apart.c        copies the parts of a PoiseApart; computes frames, gaps and rows
//     body_apart_solve.c  computes steps that keep parts apart, and searches for free answers
#ifndef POISE_BODY_APART_H
#define POISE_BODY_APART_H

#include "body.h"
#include "convex.h"

/// Largest numbers: joints of all groups, rows of one step, parts on links.
enum { APART_MOST_JOINTS = BODY_MOST_JOINTS, APART_MOST_ROWS = 48, APART_MOST_MOVED = 256 };

/// How a joint moves the parts that it carries.
typedef struct ApartJoint {
    int column;   ///< index in the group of the first column; a follower has its leader's
    double ratio; ///< ratio of a follower to its leader; 1 for other joints
    double lever; ///< bound of the distance from the joint to any point of a part that it moves, m
    int before;   ///< index in the group of the joint that carries this one; -1: none
    double link;  ///< distance to the next joint, m
    /// Bound of the path length from the frame of joint `before` (-1: the base) to this joint's
    /// frame in any posture, without the displacement of a slider; m.
    double way;
} ApartJoint;

/// A frame, world: its axes, and its origin, m.
typedef struct ApartFrame {
    PoiseVec3 x;
    PoiseVec3 y;
    PoiseVec3 z;
    PoiseVec3 p;
} ApartFrame;

/// A shape in the frame of a joint, or in the world.
typedef struct ApartPart {
    int group; ///< index of the group; -1: fixed in the world
    int part;  ///< index of the part in the group
    int joint; ///< index in the group of the joint whose frame, after its motion, carries the shape
    Core core;
    PoiseVec3 centre; ///< centre of a ball around the shape, in the frame of the shape
    double reach;     ///< radius of this ball, m
    double way;       ///< largest distance of a point of the shape from the origin of the frame, m
} ApartPart;

/// Two parts, and the later of their groups.
typedef struct ApartPair {
    int a; ///< index of a part on a joint
    int b;
    int group;
    bool fixed;       ///< part b is in the world
    int common;       ///< of the group: the last joint that carries both; -1: none
    double reach;     ///< m: sum of both radii
    double kept;      ///< m: distance to keep
    PoiseVec3 centre; ///< fixed: centre of the ball around part b
} ApartPair;

/// A pair and its gap.
typedef struct ApartGap {
    int pair;
    PoiseGap gap;
    double room; ///< gap minus the distance to keep, m
} ApartGap;

/// The least gap that each pair needs: the fraction `part` of the distance that the pair keeps, and
/// `more`, m, on top. A pair nearer than that fraction at the start may come as near as the nearest
/// pair there.
typedef struct ApartNeed {
    double part;
    double more;
    double nearest;         ///< m: least gap at the start
    int short_count;        ///< number of `shorts`; if APART_MOST_ROWS, there may be more
    const ApartGap* shorts; ///< pairs nearer than their distance at the start
} ApartNeed;

/// A pair that may come too near during a step.
typedef struct ApartComing {
    int pair;
    double room;   ///< gap minus the required gap at the end of the step, m
    double motion; ///< bound of the relative motion of the two parts in the step, m
} ApartComing;

typedef struct BodyApart {
    size_t size; ///< bytes of the struct and its arrays
    double range;
    double least_kept; ///< m: least distance that a pair keeps
    double most_kept;  ///< m: largest distance that a pair keeps
    int part_count;
    int moved_count; ///< number of parts on joints; these come first
    int pair_count;
    ApartGap still; ///< a pair that is too near and that the body does not move; pair -1: none
    int first_joint[BODY_MOST_TIPS];    ///< by group: index in `joints` of its first joint
    int columns[BODY_MOST_TIPS];        ///< by group: number of its columns
    ApartFrame bases[BODY_MOST_TIPS];   ///< by group: frame before its first joint
    int first_pair[BODY_MOST_TIPS + 1]; ///< by group: its first index in `pairs`; then the end
    ApartJoint joints[APART_MOST_JOINTS];
    ApartPart* parts;
    int* names;       ///< index of each part in the PoiseApart
    ApartPair* pairs; ///< sorted by group
    PoiseVec3* corners;
} BodyApart;

/// The frames of all groups at a posture.
typedef struct ApartFrames {
    const PoiseBody* body;
    ApartFrame before[APART_MOST_JOINTS]; ///< by joint: frame before the motion, of balls only
    ApartFrame after[APART_MOST_JOINTS];  ///< by joint: frame after the motion
    ApartFrame ends[BODY_MOST_TIPS][BODY_MOST_PARTS]; ///< by group and part: last frame
    PoiseVec3 centres[APART_MOST_MOVED];
    Core cores[APART_MOST_MOVED]; ///< by moved part: its core, computed when first needed
    bool has_core[APART_MOST_MOVED];
} ApartFrames;

// ------------------------------------------------------------------------------ body_apart.c

/// Returns how many parts are on nodes that the body moves.
int poise__apart_count_moved(const PoiseBody* body, const PoiseApart* from);
/// Replaces the body's parts by those of a PoiseApart, whose tree has the posture `posture`. NULL
/// without memory; nothing changes then.
BodyApart* poise__body_apart_make(PoiseBody* body, const PoiseApart* apart, const double* posture);
void poise__body_apart_destroy(PoiseBody* body);
/// Returns a frame as a pose.
PoisePose poise__apart_pose(const ApartFrame* frame);
/// Computes the frames of a group at q, and the centres of its parts.
void poise__apart_place(ApartFrames* frames, int group, const double* q);
/// Returns the least gap minus its need, m, of the pairs of a group with the groups before it, or
/// with all; 0 if none is less. `nearest` (NULL: not wanted) gets the pair.
double poise__apart_least(ApartFrames* frames, int group, bool all, const ApartNeed* need,
                          ApartGap* nearest);
/// Writes the pairs of a group within the range, sorted by room, at most APART_MOST_ROWS. Returns
/// how many.
int poise__apart_near(ApartFrames* frames, int group, bool all, ApartGap near[APART_MOST_ROWS]);

/// Returns the gap of a pair minus its need, m.
double poise__apart_room(ApartFrames* frames, int pair, const ApartNeed* need);
/// A step of a group.
typedef struct ApartStep {
    int group;
    const double* q; ///< coordinates at the start of the step
    const double* x; ///< by column: change of the coordinate
} ApartStep;

/// Writes the pairs with a part of the group that can be nearer than `inside` in a step. The group
/// is placed at the end. `coming` has room for all pairs. Returns their number, or -1 if a pair is
/// nearer than `end` there.
int poise__apart_coming(ApartFrames* frames, const ApartStep* step, const ApartNeed* end,
                        const ApartNeed* inside, ApartComing* coming);

/// A force and a torque at a point, world.
typedef struct ApartForce {
    int part;  ///< index in the group of the part that carries the point
    int joint; ///< index in the group of the last joint that moves the point
    PoiseVec3 at;
    PoiseVec3 force;
    PoiseVec3 torque;
} ApartForce;

/// Adds J^T of a force to a row, by column of the group: the work per unit of each coordinate.
void poise__apart_add_row(const ApartFrames* frames, int group, const ApartForce* force,
                          double* row);

// ------------------------------------------------------------------------ body_apart_solve.c

/// poise__body_solve and poise__body_track for a body that keeps parts apart.
bool poise__body_solve_free(const PoiseBody* body, const PoiseBodySolveDef* def,
                            const PoiseBodyTarget* targets, double* posture,
                            PoiseBodyReport* report);
bool poise__body_track_free(const PoiseBody* body, const PoiseBodySolveDef* def,
                            const PoiseBodyTarget* targets, double* posture,
                            PoiseBodyReport* report);
/// True if all pairs keep their distances at a posture.
bool poise__body_is_free(const PoiseBody* body, const double* posture);
/// True if no parts meet on the straight line of coordinates between two free postures. False also
/// if the line is longer than 4096 times the distance. `nearest` (NULL: not wanted) gets a pair
/// that meets.
bool poise__body_path_is_free(const PoiseBody* body, const double* from, const double* to,
                              ApartGap* nearest);
/// Writes to the report the pair that keeps tips from their targets.
void poise__body_report_held(const PoiseBody* body, const ApartGap* held, PoiseBodyReport* report);

#endif
