// SPDX-License-Identifier: MIT
// A compiled chain: what its files share. They are read in this order.
//
//     chain_program.c    the tree's nodes become joints about z axes   } poise_chain_compile
//     chain_tie.c        joints that move as one                       } (chain_compile.c)
//     chain_seeds.c      postures to begin from, and random ones       }
//     chain_posture.c    from a user's posture to coordinates and back
//     chain_cone.c       balls with a cone or twist range
//     lane_vector.h, lane_space.h         a number and a vector in every lane
//     lane_kinematics.h, lane_step.h      frames, error, J; the damped step inside the limits
//     lane_pick.h, lane_search.h          which seeds are best; the search from many starts
//     chain_path.c       the instances of the lane headers (chain_scalar.c, ...) and who uses which
//     chain_nearest.c    what is given back where no start met the target
//     chain_solve.c, chain_batch.c        one target, one tracking step; many targets
//     chain_forward.c    frames and J for the user
//
// Units inside: lengths are in `unit`s, a part of the chain's reach, so that metres and radians
// weigh alike for a chain of any size. The coordinate of a hinge or slider is its posture plus
// `offset`, about or along z of its frame. A ball's is before * posture * after; the axis of a cone
// is z. The array q has one coordinate for every joint, 0 for a ball, whatever for a cone, then the
// rotations of the balls and cones, w x y z each.
#ifndef POISE_CHAIN_INTERNAL_H
#define POISE_CHAIN_INTERNAL_H

#include <string.h>

#include "poise/chain.h"
#include "tree.h"

#define CHAIN_PI 3.14159265358979323846

enum { COOKIE_CHAIN = 0x50430001, COOKIE_CHAIN_SOLVE = 0x50430002 };

/// The most lanes of any path.
enum { CHAIN_MOST_LANES = 8 };
enum { CHAIN_MOST_THREADS = 256 };
/// Seeds in a cell, whose tips are close together; cells near a target whose seeds are listed.
enum { CHAIN_CELL = CHAIN_MOST_LANES, CHAIN_NEAR_CELLS = 8 };
enum { CHAIN_LISTED = CHAIN_CELL * CHAIN_NEAR_CELLS };
/// Numbers of a tip's pose, and of a symmetric 6 x 6 matrix: its rows up to the diagonal.
enum { CHAIN_TIP_SIZE = 7, CHAIN_COST_SIZE = 21 };
enum { CHAIN_MOST_JOINTS = POISE_CHAIN_MOST_DOF, CHAIN_MOST_BALLS = POISE_CHAIN_MOST_DOF / 3 };
enum { CHAIN_MOST_Q = CHAIN_MOST_JOINTS + 4 * CHAIN_MOST_BALLS };

/// A ball with a cone or twist range is three joints in a row: the swing, the axis across it, the
/// twist. The first has the ball's rotation; each is a hinge about an axis that depends on it.
typedef enum ChainKind {
    CHAIN_HINGE,
    CHAIN_SLIDER,
    CHAIN_BALL,
    CHAIN_CONE,     ///< the swing; it has the coordinates
    CHAIN_CONE_REST ///< the axis across, then the twist, which leads to the next joint
} ChainKind;

/// The constant rotation between a joint and the next.
typedef enum ChainTwist {
    CHAIN_TWIST_NONE,
    CHAIN_TWIST_QUARTER,      ///< about x by a quarter turn
    CHAIN_TWIST_QUARTER_BACK, ///< about x by minus a quarter turn
    CHAIN_TWIST_X,            ///< about x by an angle
    CHAIN_TWIST_ANY           ///< any rotation
} ChainTwist;

/// One joint and the link to the next: the motion, then `link` and `twist` in the moved frame.
typedef struct ChainJoint {
    ChainKind kind;
    ChainTwist twist;
    int number; ///< index of its (first) number in a posture
    int q;      ///< index of its coordinate, or of the first of its rotation
    int dof;    ///< its (first) degree of freedom
    int ball;   ///< index among the balls
    double link[3];
    unsigned link_axes; ///< bit k: link[k] is not 0
    double matrix[9];   ///< CHAIN_TWIST_ANY, row-major
    double twist_cos;   ///< CHAIN_TWIST_X
    double twist_sin;
    double fixed_cos; ///< slider: its constant rotation about z
    double fixed_sin;
    double offset; ///< coordinate = scale * posture + offset
    double scale;  ///< slider: 1 / unit
    double lower;  ///< of the coordinate
    double upper;
    bool tied;        ///< it follows another or is followed: whole turns are not free
    bool follows;     ///< its coordinate is that of another (ChainTie)
    bool plain;       ///< ball: before and after are the identity
    bool open;        ///< hinge without a range
    PoiseQuat before; ///< ball, cone
    PoiseQuat after;  ///< ball, cone
} ChainJoint;

/// A hinge or slider that follows another of the chain: coordinate = ratio * the leader's + offset.
typedef struct ChainTie {
    int joint;
    int leader;
    double ratio;
    double offset;
    double number_ratio; ///< the same of the numbers of a posture
    double number_offset;
} ChainTie;

/// What a number of a posture belongs to.
typedef struct ChainNumber {
    PoiseNodeId node;
    double lower;
    double upper; ///< equal to `lower` where its axis is off
} ChainNumber;

struct PoiseChain {
    PoiseHost host;
    size_t size;                ///< of this and the seeds after it
    PoiseChainPath path;        ///< of batches
    PoiseChainPath path_of_one; ///< of single solves
    int joint_count;
    int range_count;  ///< joints up to the last that is no ball
    int posture_size; ///< numbers of a posture
    int nq;           ///< coordinates: joint_count + 4 * ball_count
    int nv;           ///< degrees of freedom
    int ball_count;   ///< with cones
    int cone_count;
    int fixed_count; ///< numbers of a posture whose axis is off, and which
    int fixed[POISE_CHAIN_MOST_POSTURE];
    int tie_count;
    bool led;        ///< some node of it is tied to another, in the chain or not
    double unit;     ///< m
    double to_units; ///< 1 / unit
    bool plain_base; ///< its rotation is the identity
    bool plain_tip;
    double reach;   ///< m
    PoisePose base; ///< the first joint's frame in the targets' frame
    PoiseQuat tip;  ///< the tip's rotation in the last joint's frame
    /// Ranges by joint; a ball's are infinite.
    double lowers[CHAIN_MOST_JOINTS];
    double uppers[CHAIN_MOST_JOINTS];
    ChainNumber numbers[POISE_CHAIN_MOST_POSTURE];
    ChainJoint joints[CHAIN_MOST_JOINTS];
    ChainTie ties[CHAIN_MOST_JOINTS];
    /// Postures to begin from, CHAIN_CELL a cell, a multiple of CHAIN_NEAR_CELLS cells.
    int cell_count;
    double* cell_tips;  ///< the middle of each cell's tips, by number, then cell
    double* seed_tips;  ///< x y z in units, then a quaternion w x y z; by cell, number, seed
    double* seed_costs; ///< what motions of the tip cost the joints; by cell, number, seed
    double* seed_q;     ///< coordinates by seed
};

/// A target as the search sees it: in the first joint's frame, in units, without the tip's own
/// rotation.
typedef struct ChainTarget {
    double position[3];
    PoiseQuat rotation;
    double matrix[9]; ///< of the rotation, row-major; not set where the position alone counts
} ChainTarget;

/// What is asked of a search, the same for all lanes.
typedef struct ChainSearch {
    const PoiseChain* chain;
    const PoiseChainSolveDef* def;
    double position_tolerance2; ///< squares; in units
    double angle_tolerance2;
    bool one_is_enough; ///< the first answer ends it for all lanes
} ChainSearch;

/// One target, its start and the result. Postures are in coordinates.
typedef struct ChainProblem {
    _Alignas(64) double costs[CHAIN_LISTED]; ///< of the seeds listed; infinite once taken
    int cells[CHAIN_NEAR_CELLS];             ///< whose seeds they are
    int index;                               ///< of the target in its batch
    ChainTarget target;
    double start[CHAIN_MOST_Q];
    double best[CHAIN_MOST_Q]; ///< the answer, or the nearest so far
    double least;              ///< error^2 of `best`, or its distance^2 to the start when met
    double squares[2];         ///< of the errors of position (in units) and rotation of `best`
    int answers;
    int iterations;
    int starts;       ///< begun
    uint64_t counter; ///< of random starts
} ChainProblem;

/// Hands out problems to the lanes and takes back the results.
typedef struct ChainQueue {
    /// Fills the next problem; false when there is none left.
    bool (*next)(void* user, ChainProblem* problem);
    void (*done)(void* user, ChainProblem* problem);
    void* user;
} ChainQueue;

// ---------------------------------------------------------------------------- chain_program.c

/// What a chain is compiled from: nodes of a tree, base first, and the tip's frame in the last
/// link.
typedef struct ChainSource {
    const PoiseTree* tree;
    const int* slots;
    int count;
    PoisePose in_link;
} ChainSource;

/// Makes the nodes into joints. NULL, or what is wrong with the node `slots[culprit]`.
const char* poise__chain_build(PoiseChain* chain, const ChainSource* source, int* culprit);
/// The range of joint i in coordinates, from that of its number.
void poise__chain_set_range(PoiseChain* chain, int i);

// ------------------------------------------------------------------------------- chain_tie.c

/// Joints whose nodes move as one get one coordinate: the first's.
void poise__chain_tie(PoiseChain* chain, const PoiseTree* tree);

// ------------------------------------------------------------------------------- chain_cone.c

/// A rotation as a swing of z and a twist about z before it.
typedef struct ChainCone {
    double axes[9]; ///< about which swing, the axis across it, and twist grow, three each
    double swing;   ///< 0 to pi
    double twist;   ///< -pi to pi
} ChainCone;

/// The cone coordinates of a rotation. An angle within rounding of the end of its range is at it.
void poise__chain_cone_read(const ChainJoint* joint, const double q[4], ChainCone* cone);
/// Brings a rotation into the limits of the cone whose first joint is given.
void poise__chain_cone_clamp(const ChainJoint* joint, double q[4]);
/// Turns a rotation by a rotation vector, from the left, and brings it into the limits.
void poise__chain_cone_turn(const ChainJoint* joint, const double vector[3], double q[4]);

// ---------------------------------------------------------------------------- chain_posture.c

/// Whether the joint has the rotation of a ball, with or without a cone.
static inline bool poise__chain_is_ball(const ChainJoint* joint) {
    return joint->kind == CHAIN_BALL || joint->kind == CHAIN_CONE;
}
/// Whether all numbers are finite and no rotation is 0.
bool poise__chain_is_posture(const PoiseChain* chain, const double* posture);
/// From a posture to coordinates inside the ranges. False where the posture is no start: not
/// finite, a rotation of 0, an angle beyond 1e5 rad.
bool poise__chain_load(const PoiseChain* chain, const double* posture, double* q);
/// From a valid posture to coordinates, outside of the ranges too.
void poise__chain_load_as_given(const PoiseChain* chain, const double* posture, double* q);
/// From coordinates to a posture. Hinges without a range stay within half a turn of what is there.
void poise__chain_store(const PoiseChain* chain, const double* q, double* posture);
/// Whole turns of the hinges toward `start`, as far as the ranges allow.
void poise__chain_unwind(const PoiseChain* chain, const double* start, double* q);
/// Whole turns of the hinges into their ranges, and to the nearest end where none leads inside.
/// True when whole turns were enough.
bool poise__chain_into_ranges(const PoiseChain* chain, double* q);
/// The numbers of what follows, from those of its leaders.
void poise__chain_follow(const PoiseChain* chain, double* posture);
/// The sum of squares of the angles (rad) and lengths (m) between two postures.
double poise__chain_distance2(const PoiseChain* chain, const double* a, const double* b);

// ------------------------------------------------------------------------------ chain_seeds.c

/// A number drawn from a counter (splitmix64).
uint64_t poise__chain_mix(uint64_t z);
/// Draws coordinates from the given part of every range.
void poise__chain_draw(const PoiseChain* chain, double part, uint64_t* counter, double* q);
/// Fills the seeds of a chain that has room for them. False without memory for the work.
bool poise__chain_make_seeds(PoiseChain* chain, uint64_t seed);

// ------------------------------------------------------------------------------- chain_path.c

/// An instance of the lane headers.
typedef struct ChainKernel {
    /// All lanes on one problem, from different starts.
    void (*solve_one)(const ChainSearch* search, ChainProblem* problem);
    /// Each lane on a problem of its own.
    void (*solve_many)(const ChainSearch* search, const ChainQueue* queue);
} ChainKernel;
extern const ChainKernel poise__chain_scalar;
extern const ChainKernel poise__chain_avx2;
extern const ChainKernel poise__chain_avx512;
/// One step of a posture toward the problem's target, whose squares it sets. POISE_OK, and no step:
/// the target is met; else POISE_NOT_CONVERGED; POISE_ERROR_INVALID_ARGUMENT: it is no start.
PoiseStatus poise__chain_step_scalar(const ChainSearch* search, ChainProblem* problem,
                                     double* posture);
PoiseStatus poise__chain_step_packed(const ChainSearch* search, ChainProblem* problem,
                                     double* posture);
/// The sines and cosines of `count` angles, a multiple of 4.
void poise__chain_sines_avx2(const double* angles, int count, double* sines, double* cosines);

/// The path that AUTO stands for.
PoiseChainPath poise__chain_path_for(PoiseChainPath asked, bool batch);
const ChainKernel* poise__chain_kernel(PoiseChainPath path);
PoiseStatus poise__chain_step(const ChainSearch* search, ChainProblem* problem, double* posture);

// ---------------------------------------------------------------------------- chain_nearest.c

/// Descends from `problem->best` to the nearest posture there; says why the target is not met, or
/// that it is met after all.
PoiseReachReason poise__chain_nearest(const ChainSearch* search, ChainProblem* problem);

// ------------------------------------------------------------------------------ chain_solve.c

ChainSearch poise__chain_search_of(const PoiseChain* chain, const PoiseChainSolveDef* def);
/// False where the posture is no start.
bool poise__chain_begin(const ChainSearch* search, const PoisePose* target, const double* posture,
                        ChainProblem* problem);
/// Writes the result of a problem into posture and report (NULL: none).
PoiseStatus poise__chain_finish(const ChainSearch* search, ChainProblem* problem, double* posture,
                                PoiseChainReport* report);

static inline double poise__chain_clamp(double x, double lower, double upper) {
    // fmin and fmax would be calls
    const double above = x > lower ? x : lower;
    return above < upper ? above : upper;
}

#endif
