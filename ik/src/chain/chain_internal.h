// SPDX-License-Identifier: MIT
// What the files of a compiled chain share: the program, the postures to begin from, and a search.
//
// Inside, lengths are in `unit`s of a part of the reach, so that metres and radians weigh alike
// whatever the size of the chain; a hinge's or slider's number is its posture plus `offset`, in a
// frame whose z is the axis; a ball's is before * posture * after, where a cone's axis is z.
#ifndef POISE_CHAIN_INTERNAL_H
#define POISE_CHAIN_INTERNAL_H

#include <string.h>

#include "internal.h"
#include "poise/chain.h"

enum { COOKIE_CHAIN = 0x50430001, COOKIE_CHAIN_SOLVE = 0x50430002 };

/// The most lanes of any path.
enum { CHAIN_MOST_LANES = 8 };
/// Seeds lie in cells of so many whose tips are close together; those of so many cells near a
/// target are listed for it.
enum { CHAIN_CELL = CHAIN_MOST_LANES, CHAIN_NEAR_CELLS = 8 };
enum { CHAIN_LISTED = CHAIN_CELL * CHAIN_NEAR_CELLS };
/// Numbers of a tip, and of a symmetric 6 x 6 matrix: its rows up to the diagonal.
enum { CHAIN_TIP_SIZE = 7, CHAIN_COST_SIZE = 21 };
enum { CHAIN_MOST_JOINTS = POISE_CHAIN_MOST_DOF, CHAIN_MOST_SLOTS = POISE_CHAIN_MOST_POSTURE };
enum { CHAIN_MOST_BALLS = POISE_CHAIN_MOST_DOF / 3 };

/// A ball with a cone or twist range is three joints in a row: the swing, the turn across it, the
/// twist. The first has the ball's rotation; each is a hinge about an axis that the posture tells.
typedef enum ChainKind {
    CHAIN_HINGE,
    CHAIN_SLIDER,
    CHAIN_BALL,
    CHAIN_CONE,     ///< the swing; the ball
    CHAIN_CONE_REST ///< across, then the twist; the way to the next joint is the twist's
} ChainKind;

/// How the frame turns on the way to the next joint.
typedef enum ChainTurn {
    CHAIN_TURN_NONE,
    CHAIN_TURN_QUARTER,      ///< about x by a quarter turn
    CHAIN_TURN_QUARTER_BACK, ///< by minus a quarter turn
    CHAIN_TURN_X,            ///< about x by an angle
    CHAIN_TURN_ANY           ///< by a matrix
} ChainTurn;

/// One joint and the way to the next: motion, then `way` and `turn` in the moved frame.
typedef struct ChainJoint {
    ChainKind kind;
    ChainTurn turn;
    int slot;  ///< of its (first) number
    int value; ///< where the lanes have what its range bounds: a number, or an angle of a cone
    int dof;   ///< its (first) degree of freedom
    int ball;  ///< which of the balls it is
    double way[3];
    double matrix[9]; ///< CHAIN_TURN_ANY, row-major
    double turn_cos;  ///< CHAIN_TURN_X
    double turn_sin;
    PoiseQuat turn_rotation; ///< CHAIN_TURN_X and CHAIN_TURN_ANY
    double fixed_cos;        ///< slider: its constant turn about z
    double fixed_sin;
    double offset; ///< number = scale * posture + offset
    double scale;  ///< slider: 1 / unit
    double lower;  ///< of the number
    double upper;
    bool plain;       ///< ball: before and after are the identity
    bool open;        ///< hinge without a range
    PoiseQuat before; ///< ball, cone
    PoiseQuat after;  ///< ball, cone; slider: its constant turn
} ChainJoint;

/// What a number of a posture belongs to.
typedef struct ChainNumber {
    PoiseNodeId node;
    double lower;
    double upper; ///< `lower`, and no joint's, where its axis is off
} ChainNumber;

struct PoiseChain {
    PoiseHost host;
    size_t size;                ///< of this and the seeds after it
    PoiseChainPath path;        ///< of batches
    PoiseChainPath path_of_one; ///< of single solves
    int joint_count;
    int slot_count; ///< numbers of a posture
    int dof_count;
    int ball_count; ///< with cones
    int cone_count;
    int fixed_count; ///< numbers that are no joint's, and which
    int fixed_slots[CHAIN_MOST_SLOTS];
    double unit;     ///< metres
    double to_units; ///< 1 / unit
    bool plain_base; ///< its rotation is the identity
    bool plain_tip;
    double reach;   ///< metres
    PoisePose base; ///< the first joint's frame in the targets' frame
    PoiseQuat tip;  ///< the tip's frame in that of the last joint
    /// Ranges by joint, a ball's infinite, and as many more as make a whole vector.
    double lowers[CHAIN_MOST_JOINTS + CHAIN_MOST_LANES];
    double uppers[CHAIN_MOST_JOINTS + CHAIN_MOST_LANES];
    ChainNumber numbers[CHAIN_MOST_SLOTS];
    ChainJoint joints[CHAIN_MOST_JOINTS];
    /// Postures to begin from, CHAIN_CELL a cell, a multiple of CHAIN_NEAR_CELLS cells.
    int cell_count;
    double* cell_tips;     ///< the middle of each cell's tips, by number, then cell
    double* seed_tips;     ///< x y z in units, then a quaternion w x y z; by cell, number, seed
    double* seed_costs;    ///< the ways to other tips in joint space; by cell, number, seed
    double* seed_postures; ///< numbers as inside, by seed
};

/// A target as the search sees it: in the first joint's frame, units, without the tip's own turn.
typedef struct ChainTarget {
    double place[3];
    double matrix[9];
    PoiseQuat rotation;
} ChainTarget;

/// What is asked of a search, the same for all lanes.
typedef struct ChainSearch {
    const PoiseChain* chain;
    const PoiseChainSolveDef* def;
    double place_tolerance2; ///< squares; in units
    double rotation_tolerance2;
    bool one_is_enough; ///< the first answer ends it for all lanes
} ChainSearch;

/// One target, its start and what came of it. Numbers as inside.
typedef struct ChainProblem {
    _Alignas(64) double costs[CHAIN_LISTED]; ///< of the seeds listed; infinite once taken
    int cells[CHAIN_NEAR_CELLS];             ///< whose seeds they are
    ChainTarget target;
    double start[CHAIN_MOST_SLOTS];
    double best[CHAIN_MOST_SLOTS]; ///< the answer, or the nearest so far
    double least;                  ///< error^2 of `best`, or its distance^2 to the start when met
    double squares[2];             ///< of the errors of place (in units) and turn of `best`
    int answers;
    int iterations;
    int starts;       ///< begun
    int lanes;        ///< at work on it
    uint64_t counter; ///< of random starts
} ChainProblem;

/// Hands out problems to the lanes and takes back what came of them.
typedef struct ChainQueue {
    /// Fills the next problem; false when there is none left.
    bool (*next)(void* user, ChainProblem* problem);
    void (*done)(void* user, ChainProblem* problem);
    void* user;
} ChainQueue;

// chain_program.c: compiling
/// Adds the joints from the chain of slots, base first. When it cannot be: why, said of the node
/// `slots[culprit]`; else NULL.
const char* poise__chain_build(PoiseChain* chain, const PoiseTree* tree, const int* slots,
                               int count, const PoisePose* in_link, int* culprit);

// chain_cone.c: balls with a cone or twist range, about z
/// A rotation seen as a swing and a twist after it: the axes about which swing, the turn across it
/// and twist grow, three after the other; the angles of swing (0 to pi) and twist (-pi to pi).
typedef struct ChainCone {
    double axes[9];
    double swing;
    double twist;
} ChainCone;
void poise__chain_cone_look(const double q[4], ChainCone* cone);
/// Into the limits of the cone whose first joint it is.
void poise__chain_cone_hold(const ChainJoint* joint, double q[4]);
/// Turned by a rotation vector, from the left, and into the limits.
void poise__chain_cone_turn(const ChainJoint* joint, const double turn[3], double q[4]);

// chain.c
/// Finite, and no rotation of 0.
bool poise__chain_is_posture(const PoiseChain* chain, const double* posture);

// chain_forward.c: one posture at a time
typedef struct ChainFrames {
    PoiseVec3 origins[CHAIN_MOST_JOINTS];  ///< in units, first joint's frame
    PoiseVec3 axes[CHAIN_MOST_JOINTS];     ///< z, of a hinge or slider; those of a cone
    PoiseQuat carriers[CHAIN_MOST_JOINTS]; ///< what carries a ball
    PoiseVec3 place;
    PoiseQuat rotation;
} ChainFrames;
void poise__chain_frames(const PoiseChain* chain, const double* numbers, ChainFrames* frames);
/// The target as the search sees it; where only the place counts, without a rotation.
void poise__chain_target(const PoiseChain* chain, PoiseChainGoal goal, const PoisePose* target,
                         ChainTarget* out);
/// Whether the joint has the rotation of a ball, with or without a cone.
static inline bool poise__chain_is_ball(const ChainJoint* joint) {
    return joint->kind == CHAIN_BALL || joint->kind == CHAIN_CONE;
}
/// The numbers that are no joint's, as they stay; to those of a posture alone, not to those inside,
/// where they are 0.
void poise__chain_set_fixed(const PoiseChain* chain, double* posture);
/// From a posture to the numbers inside and back; inside the ranges. Loading is false where the
/// posture is no start: not finite, a rotation of 0, an angle beyond 1e5 rad.
bool poise__chain_load(const PoiseChain* chain, const double* posture, double* numbers);
/// The numbers of a posture as it is given, outside its ranges too.
void poise__chain_load_as_given(const PoiseChain* chain, const double* posture, double* numbers);
void poise__chain_store(const PoiseChain* chain, const double* numbers, double* posture);
/// The place's error in units and the rotation vector to the target, and their weighted squares.
double poise__chain_error(const ChainTarget* target, const ChainFrames* frames, PoiseChainGoal goal,
                          double v[6]);
/// Whole turns of the hinges toward `start`, as far as the ranges allow.
void poise__chain_unwind(const PoiseChain* chain, const double* start, double* numbers);
/// (angles and ways)^2 between two postures.
double poise__chain_distance2(const PoiseChain* chain, const double* a, const double* b);

// chain_seed.c
uint64_t poise__chain_mix(uint64_t z);
void poise__chain_scatter(const PoiseChain* chain, double shrink, uint64_t* counter,
                          double* numbers);
/// Fills the seeds of a chain that has room for them. False without memory for the work.
bool poise__chain_make_seeds(PoiseChain* chain, uint64_t seed);
/// Where a start comes from.
typedef enum ChainOrigin { CHAIN_FROM_GIVEN, CHAIN_FROM_SEED, CHAIN_FROM_CHANCE } ChainOrigin;
ChainOrigin poise__chain_origin(const PoiseChainSolveDef* def, int start);
/// Whether it may leave the ranges on its way.
bool poise__chain_roams(int start);
/// Whole turns of the hinges into their ranges, and to the nearest end where there is none. True
/// when nothing was outside.
bool poise__chain_come_home(const PoiseChain* chain, double* numbers);

// chain_rest.c: where no start led to the target, downhill to the nearest from the best
PoiseReachReason poise__chain_rest(const ChainSearch* search, ChainProblem* problem);
/// J at the frames by column, position rows first; rows that the goal lacks are 0.
void poise__chain_columns(const PoiseChain* chain, const ChainFrames* frames, PoiseChainGoal goal,
                          double (*columns)[6]);

// chain_scalar.c, chain_avx2.c, chain_avx512.c, all from chain_lanes.h
/// Lanes on one problem, from different starts.
void poise__chain_search_scalar(const ChainSearch* search, ChainProblem* problem);
void poise__chain_search_avx2(const ChainSearch* search, ChainProblem* problem);
void poise__chain_search_avx512(const ChainSearch* search, ChainProblem* problem);
/// One step of `problem->best` toward its target; true, and no step, when it was met.
bool poise__chain_step_scalar(const ChainSearch* search, ChainProblem* problem);
/// chain_fma.c: the same with the processor's fused multiply-add.
bool poise__chain_step_fma(const ChainSearch* search, ChainProblem* problem);
/// chain_track_avx2.c: the same with vectors of four.
bool poise__chain_step_avx2(const ChainSearch* search, ChainProblem* problem);
/// Each lane on a problem of its own.
void poise__chain_stream_scalar(const ChainSearch* search, const ChainQueue* queue);
void poise__chain_stream_avx2(const ChainSearch* search, const ChainQueue* queue);
void poise__chain_stream_avx512(const ChainSearch* search, const ChainQueue* queue);

static inline double poise__chain_clamp(double x, double lower, double upper) {
    // fmin and fmax would be calls
    const double above = x > lower ? x : lower;
    return above < upper ? above : upper;
}

#endif
