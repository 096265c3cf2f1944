// SPDX-License-Identifier: MIT
// The parts that a body keeps apart: shapes on its joints and in the world, and frames of all
// groups at once, since arms that share no joint can touch each other.
//
//     body_apart.c        copies the parts of a PoiseApart; frames, gaps, rows of a Jacobian
//     body_apart_solve.c  steps that keep apart, and searches for answers that are free
#ifndef POISE_BODY_APART_H
#define POISE_BODY_APART_H

#include "body.h"
#include "convex.h"

/// Largest number of joints of all groups; rows of one step; parts on links.
enum { APART_MOST_JOINTS = BODY_MOST_JOINTS, APART_MOST_ROWS = 48, APART_MOST_MOVED = 256 };

/// A joint: its columns and its lever.
typedef struct ApartJoint {
    int column;   ///< index in the group of its first column; a follower has its leader's
    double ratio; ///< follower: ratio to its leader's coordinate; else 1
    double lever; ///< m: bound of the distance of a moved part's points from the joint
    int before;   ///< index in the group of the joint that carries this joint; -1: none
    double link;  ///< m: distance to the next joint
    double way;   ///< m: bound of the length of the path from the frame of joint `before`
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
    int group; ///< -1: the world
    int part;  ///< of the group
    int joint; ///< of the group; the frame after its motion
    Core core;
    PoiseVec3 centre; ///< centre of a ball around the shape, in the same frame
    double reach;     ///< m: radius of this ball
    double way;       ///< m: largest distance of a point of the shape from the frame's origin
} ApartPart;

/// Two parts, and the larger index of their groups.
typedef struct ApartPair {
    int a; ///< on a joint
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
    double room; ///< m: the gap minus the distance that the pair keeps
} ApartGap;

/// The least gap that each pair needs: the fraction `part` of the distance that the pair keeps, and
/// `more`, m, on top. A pair nearer than that fraction at the start may come as near as the nearest
/// pair there.
typedef struct ApartNeed {
    double part;
    double more;
    double nearest;         ///< m: least gap at the start
    int short_count;        ///< if APART_MOST_ROWS, other pairs may be short too
    const ApartGap* shorts; ///< pairs nearer than their distance at the start
} ApartNeed;

/// A pair that can be too near in a step.
typedef struct ApartComing {
    int pair;
    double room;   ///< m: the gap minus the least within the step, at the end of the step
    double motion; ///< m: bound of the relative motion in the whole step
} ApartComing;

typedef struct BodyApart {
    size_t size; ///< bytes, with the arrays
    double range;
    double least_kept; ///< m: least distance that a pair keeps
    double most_kept;  ///< m: largest distance that a pair keeps
    int part_count;
    int moved_count; ///< parts on joints; they come first
    int pair_count;
    ApartGap still; ///< pair behind the last, too near and not moved by the body; pair -1: none
    int first_joint[BODY_MOST_TIPS];    ///< index in `joints` of each group's first joint
    int columns[BODY_MOST_TIPS];        ///< number of columns of each group
    ApartFrame bases[BODY_MOST_TIPS];   ///< frame in which the first joint of each group is
    int first_pair[BODY_MOST_TIPS + 1]; ///< index in `pairs` of the first of each group; their end
    ApartJoint joints[APART_MOST_JOINTS];
    ApartPart* parts;
    int* names;       ///< index of each part in the PoiseApart
    ApartPair* pairs; ///< sorted by group
    PoiseVec3* corners;
} BodyApart;

/// The frames of all groups at a posture.
typedef struct ApartFrames {
    const PoiseBody* body;
    ApartFrame before[APART_MOST_JOINTS];             ///< the frame of each ball before its motion
    ApartFrame after[APART_MOST_JOINTS];              ///< the frame of each joint after its motion
    ApartFrame ends[BODY_MOST_TIPS][BODY_MOST_PARTS]; ///< last frame of each part
    PoiseVec3 centres[APART_MOST_MOVED];
    Core cores[APART_MOST_MOVED]; ///< cores of parts on joints, computed when a gap needs them
    bool has_core[APART_MOST_MOVED];
} ApartFrames;

// ------------------------------------------------------------------------------ body_apart.c

/// Returns the number of parts on nodes that the body moves.
int poise__apart_count_moved(const PoiseBody* body, const PoiseApart* from);
/// Replaces the parts of a body by those of a PoiseApart; `posture` is the present one of its tree.
/// NULL without memory, with nothing changed.
BodyApart* poise__body_apart_make(PoiseBody* body, const PoiseApart* apart, const double* posture);
void poise__body_apart_destroy(PoiseBody* body);
/// Returns a frame as a pose.
PoisePose poise__apart_pose(const ApartFrame* frame);
/// Fills the frames of a group and the centres of its parts.
void poise__apart_place(ApartFrames* frames, int group, const double* q);
/// Returns the least gap minus its need, m, of the pairs of a group with the groups before it, or
/// with all; 0 if none is less. `nearest` (NULL: not wanted) gets the pair.
double poise__apart_least(ApartFrames* frames, int group, bool all, const ApartNeed* need,
                          ApartGap* nearest);
/// Writes the pairs of a group within the range, the least room first, at most APART_MOST_ROWS.
/// Returns their number.
int poise__apart_near(ApartFrames* frames, int group, bool all, ApartGap near[APART_MOST_ROWS]);

/// Returns the gap of a pair minus its need, m.
double poise__apart_room(ApartFrames* frames, int pair, const ApartNeed* need);
/// A step of a group.
typedef struct ApartStep {
    int group;
    const double* q; ///< coordinates at its start
    const double* x; ///< change, by column
} ApartStep;

/// Writes the pairs with a part of the group that can be nearer than `inside` in a step. The group
/// is placed at the end. `coming` has room for all pairs. Returns their number, or -1 if a pair is
/// nearer than `end` there.
int poise__apart_coming(ApartFrames* frames, const ApartStep* step, const ApartNeed* end,
                        const ApartNeed* inside, ApartComing* coming);

/// A force and a torque at a point of a frame, world.
typedef struct ApartForce {
    int part;  ///< of the group
    int joint; ///< index in the group of the last joint that moves the point
    PoiseVec3 at;
    PoiseVec3 force;
    PoiseVec3 torque;
} ApartForce;

/// Adds J^T of a force to a row of the group's columns: m, or rad, for each unit of a coordinate.
void poise__apart_add_row(const ApartFrames* frames, int group, const ApartForce* force,
                          double* row);

// ------------------------------------------------------------------------ body_apart_solve.c

/// Do the same as poise__body_solve and poise__body_track for a body that keeps parts apart.
bool poise__body_solve_free(const PoiseBody* body, const PoiseBodySolveDef* def,
                            const PoiseBodyTarget* targets, double* posture,
                            PoiseBodyReport* report);
bool poise__body_track_free(const PoiseBody* body, const PoiseBodySolveDef* def,
                            const PoiseBodyTarget* targets, double* posture,
                            PoiseBodyReport* report);
/// True if all pairs are apart at a posture.
bool poise__body_is_free(const PoiseBody* body, const double* posture);
/// True if no pair meets on the straight line of coordinates between two free postures; false too
/// if the line is longer than 4096 distances. `nearest` (NULL: not wanted) gets a pair that meets.
bool poise__body_path_is_free(const PoiseBody* body, const double* from, const double* to,
                              ApartGap* nearest);
/// Reports a pair of parts that keeps the result from its targets.
void poise__body_report_held(const PoiseBody* body, const ApartGap* held, PoiseBodyReport* report);

#endif
