// SPDX-License-Identifier: MIT
// Compiled chains: joints in series, for fast searches in all lanes of a vector unit. Declares the
// data and functions that the files of this folder share. The files in reading order:
//
//     chain_joints.c        converts a tree's nodes to joints about z axes  } poise__chain_make
//     chain_coupled.c       couples joints                                  } (chain_make.c)
//     chain_reach_bounds.c  bounds what a chain can reach                   }
//     chain_seeds.c         makes seeds and random postures                 }
//     chain_posture.c       converts the caller's postures to coordinates and back
//     chain_cone.c          handles balls with a cone or twist range
//     lane_vector.h, lane_space.h         a number and a vector in every lane
//     lane_kinematics.h, lane_step.h      frames, error, J; the damped step inside the limits
//     lane_pick.h, lane_search.h          the best seeds; the search from many starts
//     lane_rest.h, chain_nearest.c        the nearest posture if no start met the target
//     chain_scalar.c, ...   instances of the lane headers (body/body_dispatch.c selects among them)
//     chain_solve.c         solves one target, makes one tracking step
//     chain_forward.c       computes frames and J for the caller
//
// Lengths are in units: a unit is a fraction of the chain's reach, so that metres and radians have
// similar weight in chains of any size. The coordinate of a hinge or slider is scale * posture +
// offset, about or along the z axis of its frame. The coordinate of a ball is the rotation before *
// posture * after. The axis of a cone is z. The array q has one number per joint (0 for a ball, an
// angle for each joint of a cone), then the quaternions w x y z of balls and cones.
#ifndef POISE_CHAIN_INTERNAL_H
#define POISE_CHAIN_INTERNAL_H

#include <string.h>

#include "poise/body.h"
#include "tree.h"

/// Largest number of degrees of freedom of a chain, and largest count of numbers in its posture.
enum { CHAIN_MOST_DOF = 64, CHAIN_MOST_POSTURE = 88 };

/// Largest number of lanes of any instance.
enum { CHAIN_MOST_LANES = 8 };
/// Largest number of degrees of freedom for ChainKernel.rest, whose arrays have this size.
/// poise__chain_rest_scalar handles longer chains.
enum { CHAIN_REST_MOST_DOF = 24 };
/// Number of seeds in a cell, which has seeds with similar tips; number of cells near a target from
/// which seeds are listed.
enum { CHAIN_CELL = CHAIN_MOST_LANES, CHAIN_NEAR_CELLS = 8 };
enum { CHAIN_LISTED = CHAIN_CELL * CHAIN_NEAR_CELLS };
/// Counts of numbers: a tip's pose; a symmetric 6 x 6 matrix, by rows up to the diagonal.
enum { CHAIN_TIP_SIZE = 7, CHAIN_COST_SIZE = 21 };
enum { CHAIN_MOST_JOINTS = CHAIN_MOST_DOF, CHAIN_MOST_BALLS = CHAIN_MOST_DOF / 3 };
enum { CHAIN_MOST_Q = CHAIN_MOST_JOINTS + 4 * CHAIN_MOST_BALLS };
/// Reach of a chain, or of a body's tip, in units of length. It balances metres and radians.
/// On 4000 poses of four robots, 1 takes 1.5 times the iterations of 4, and 6 as many
/// as 4.
#define CHAIN_REACH_UNITS 4.0
/// Default tolerance of rad and m, with which the answers of two searches agree within 1e-9.
#define CHAIN_TOLERANCE 5e-10
/// Searches multiply the tolerances by this, so that rounding cannot make a met target unmet.
#define CHAIN_TOLERANCE_PART 0.999

/// A ball with a cone or twist range is three consecutive joints: the swing, the axis perpendicular
/// to it, and the twist. Each is a hinge whose axis depends on the rotation. The first of the three
/// has the rotation as its coordinate.
typedef enum ChainKind {
    CHAIN_HINGE,
    CHAIN_SLIDER,
    CHAIN_BALL,
    CHAIN_CONE,     ///< the swing of a ball with a cone; has the ball's coordinates
    CHAIN_CONE_REST ///< second and third joint of a ball with a cone; the third has the link
} ChainKind;

/// Kinds of constant rotations between a joint and the next.
typedef enum ChainTwist {
    CHAIN_TWIST_NONE,
    CHAIN_TWIST_QUARTER,      ///< pi / 2 about x
    CHAIN_TWIST_QUARTER_BACK, ///< -pi / 2 about x
    CHAIN_TWIST_X,            ///< any angle about x
    CHAIN_TWIST_ANY           ///< any rotation
} ChainTwist;

/// A joint, and the link from it to the next joint: after the joint's motion the frame moves by
/// `link`, then rotates by `twist`.
typedef struct ChainJoint {
    ChainKind kind;
    ChainTwist twist;
    int number; ///< index in a posture of its first number
    int q;      ///< index in q of its number, or of its quaternion
    int dof;    ///< index of its first degree of freedom
    int ball;   ///< index among the balls and cones
    double link[3];
    unsigned link_axes; ///< bit k is set if link[k] is not 0
    double matrix[9];   ///< rotation matrix of CHAIN_TWIST_ANY, row-major
    double twist_cos;   ///< cosine of a rotation about x
    double twist_sin;
    double fixed_cos; ///< slider: cosine of a constant rotation about z
    double fixed_sin;
    double offset; ///< coordinate = scale * posture + offset
    double scale;  ///< 1, or 1 / unit for a slider
    double lower;  ///< least value of the coordinate
    double upper;
    bool tied;        ///< the joint is in a coupled group, so a whole turn would move other joints
    bool follows;     ///< another joint determines its coordinate (ChainTie)
    bool plain;       ///< ball: `before` and `after` are the identity
    bool open;        ///< the joint is a hinge without a range
    PoiseQuat before; ///< ball, cone: constant rotation before the motion
    PoiseQuat after;  ///< ball, cone: constant rotation after the motion
} ChainJoint;

/// A hinge or slider coupled to a leader in the chain: coordinate = ratio * coordinate of the
/// leader + offset.
typedef struct ChainTie {
    int joint;
    int leader;
    double ratio;
    double offset;
    double number_ratio; ///< ratio of the numbers of a posture
    double number_offset;
} ChainTie;

/// The node and the range of one number of a posture.
typedef struct ChainNumber {
    PoiseNodeId node;
    double lower;
    double upper; ///< equal to `lower` if the axis is switched off
} ChainNumber;

/// Bounds of the distance of a point of the chain from a centre, units.
typedef struct ChainShell {
    PoiseVec3 centre; ///< in the first joint's frame
    PoiseVec3 back;   ///< vector from the point to the tip, in the frame of the tip
    double least;
    double most; ///< infinite if there is no bound
} ChainShell;

/// Largest number of answers of a closed form.
enum { CHAIN_CLOSED_MOST = 8, CHAIN_CLOSED_JOINTS = 6 };

/// The geometries of six hinges that have a closed form (chain_closed.c). In a spherical wrist the
/// last three axes meet.
typedef enum ChainClosedKind {
    CHAIN_CLOSED_NONE,
    CHAIN_CLOSED_PARALLEL_23, ///< spherical wrist; axes 2 and 3 are parallel
    CHAIN_CLOSED_PARALLEL_12,
    CHAIN_CLOSED_MEETING_12, ///< spherical wrist; axes 1 and 2 meet
    CHAIN_CLOSED_MEETING_23,
    CHAIN_CLOSED_PARALLEL_234 ///< axes 2, 3 and 4 are parallel; axes 5 and 6 meet
} ChainClosedKind;

/// The axes of six hinges at the coordinates 0, in the frame of the first joint, units.
typedef struct ChainClosed {
    ChainClosedKind kind;
    bool is_exact; ///< the axes are parallel, or meet, within rounding
    PoiseVec3 axis[CHAIN_CLOSED_JOINTS];
    PoiseVec3 point[CHAIN_CLOSED_JOINTS]; ///< a point on each axis
    PoiseVec3 frame[3];                   ///< rotation matrix of the tip, by rows
    PoiseVec3 tip;
    PoiseVec3 centre; ///< common point of the last axes (4 to 6, or 5 and 6)
    PoiseVec3 meet;   ///< common point of axes 1 and 2, or of axes 2 and 3
    PoiseVec3 side;   ///< a direction perpendicular to axis 6, or to the parallel axes
} ChainClosed;

/// A compiled series of joints. It does not change after compilation.
typedef struct Chain {
    PoiseHost host;
    size_t size; ///< bytes of the chain and its seeds
    int joint_count;
    int range_count;  ///< number of joints up to the last one that is not a ball
    int posture_size; ///< count of the numbers of a posture
    int nq;           ///< count of the coordinates: joint_count + 4 * ball_count
    int nv;           ///< number of degrees of freedom
    int ball_count;   ///< number of balls, with or without a cone
    int cone_count;
    int fixed_count; ///< number of switched-off numbers; `fixed` has their indices
    int fixed[CHAIN_MOST_POSTURE];
    int tie_count;
    bool coupled;    ///< some node of the chain is in a coupled group
    double unit;     ///< length of a unit, m
    double to_units; ///< 1 / unit
    bool plain_base; ///< the rotation of `base` is the identity
    bool plain_tip;
    double reach;   ///< reach of the chain, m
    PoisePose base; ///< frame of the first joint, in the frame of the targets, m
    PoiseQuat tip;  ///< rotation of the tip, in the frame of the last joint
    ChainShell tip_shell;
    ChainShell last_shell; ///< shell of a point on the axis of the last joint, or at its centre
    ChainClosed closed;
    /// The ranges of the coordinates, by joint; infinite for balls.
    double lowers[CHAIN_MOST_JOINTS];
    double uppers[CHAIN_MOST_JOINTS];
    ChainNumber numbers[CHAIN_MOST_POSTURE];
    ChainJoint joints[CHAIN_MOST_JOINTS];
    ChainTie ties[CHAIN_MOST_JOINTS];
    /// The seeds, CHAIN_CELL in each cell. The number of cells is a multiple of CHAIN_NEAR_CELLS.
    int cell_count;
    double* cell_tips;  ///< mean pose of the tips of a cell, by component, then cell
    double* seed_tips;  ///< position (units) and quaternion, by cell, component, seed
    double* seed_costs; ///< cost matrices (chain_seeds.c), by cell, component, seed
    double* seed_q;     ///< coordinates, by seed
} Chain;

/// A target in the frame of the first joint: the position of the tip, in units, and the rotation of
/// the last joint's frame.
typedef struct ChainTarget {
    double position[3];
    PoiseQuat rotation;
    double matrix[9]; ///< rotation matrix, row-major; not filled for a position goal
} ChainTarget;

/// Return value of ChainProblem.take that ends the search.
enum { TAKEN_ENOUGH = 1 << 24 };

/// The settings of a search, common to all lanes.
typedef struct ChainSearch {
    const Chain* chain;
    PoiseBodyGoal goal;
    /// Largest number of iterations over all starts. If no start meets the target within 600,
    /// descents find the nearest posture. The search then continues only if the error of this
    /// posture is below 0.25, in rad and quarters of the reach; the smaller the error, the longer.
    int iterations;
    int starts;                ///< largest number of starts
    int answers;               ///< number of answers that end the search; the nearest is the result
    uint64_t seed;             ///< seed of the random starts that follow those from the seeds
    double position_tolerance; ///< tolerance of the position, m
    double angle_tolerance;
    double position_tolerance2; ///< square of the tolerance in the iterations, units^2
    double angle_tolerance2;
    const struct ChainKernel* kernel;
} ChainSearch;

/// The seeds in the cells near a target.
typedef struct ChainList {
    _Alignas(
        64) double costs[CHAIN_LISTED]; ///< costs of the listed seeds; infinite for a used seed
    int cells[CHAIN_NEAR_CELLS];        ///< indices of the cells
} ChainList;

/// A target, a start and a result. Postures are arrays of coordinates q.
typedef struct ChainProblem {
    ChainList list;
    int index; ///< index of the problem in its batch
    ChainTarget target;
    double start[CHAIN_MOST_Q];
    double best[CHAIN_MOST_Q]; ///< the answer, or the nearest posture so far
    double least;              ///< squared error of `best`; if met, squared distance from the start
    double squares[2];         ///< squared errors of `best`: position in units, rotation
    int answers;
    int iterations;
    int starts;       ///< number of starts that have begun
    uint64_t counter; ///< state of the random numbers
    bool is_settled;  ///< a closed form proves that no posture meets the target
    bool is_beyond;   ///< the shells prove that no posture meets the target
    double beyond;    ///< proven least distance between tip and target, units; 0: nothing is proven
    int limiting;     ///< joint whose limit keeps the target unmet; -1: none
    /// Called with the coordinates of each answer. Returns the number of answers it counts for;
    /// TAKEN_ENOUGH ends the search. NULL: each answer counts once.
    int (*take)(void* user, const double* q);
    void* take_user;
    int budget; ///< number of iterations at which the search ends
} ChainProblem;

/// Resets the results of a problem, but not its target and start.
static inline void poise__chain_clear(ChainProblem* problem) {
    memcpy(problem->best, problem->start, sizeof problem->best);
    problem->least = HUGE_VAL;
    problem->squares[0] = HUGE_VAL;
    problem->squares[1] = HUGE_VAL;
    problem->answers = 0;
    problem->iterations = 0;
    problem->starts = 0;
    problem->limiting = -1;
}

/// Gives problems to the lanes and collects the results.
typedef struct ChainQueue {
    /// Fills the next problem. False if there are no more.
    bool (*next)(void* user, ChainProblem* problem);
    void (*done)(void* user, ChainProblem* problem);
    void* user;
} ChainQueue;

// ------------------------------------------------------------------------------ chain_joints.c

/// Returns true if the chain treats the node in this slot as rigid.
typedef bool NodeIsRigid(const PoiseTree* tree, int slot);

/// The settings of compilation: the chain has the nodes from `first`, or from the base, to `tip`.
typedef struct ChainDef {
    PoiseNodeId tip;   ///< node whose link carries the tip
    PoisePose in_link; ///< the tip's frame on that link, m
    /// The moving node nearest to the base; targets are then in the frame of its parent's link.
    /// Null: the chain begins at the base, and targets are in the world.
    PoiseNodeId first;
    double unit;           ///< length of a unit, m; 0: a fraction of the chain's own reach
    NodeIsRigid* is_rigid; ///< true for nodes that the chain treats as rigid
    int seeds;             ///< number of seeds, rounded up to a multiple of CHAIN_LISTED
    uint64_t seed;
    PoiseHost host;
} ChainDef;

/// True if the node is disabled, or all its axes are switched off.
bool poise__chain_is_rigid(const PoiseTree* tree, int slot);
/// Fills the joints and lengths of a chain. Returns NULL, or the error in words. `culprit` gets the
/// slot of the node that has the error.
const char* poise__chain_build(Chain* chain, const PoiseTree* tree, const ChainDef* def,
                               int* culprit);
/// Computes the range of joint i's coordinate from the range of its number.
void poise__chain_set_range(Chain* chain, int i);

// --------------------------------------------------------------------------- chain_coupled.c

/// Computes the ratio and offset by which a joint follows the first joint of its coupled group.
void poise__chain_couple(const ChainJoint* joint, const Tie* own, const ChainJoint* first,
                         const Tie* its, ChainTie* tie);
/// Lets coupled joints follow the first of them, which keeps its coordinate.
void poise__chain_tie(Chain* chain, const PoiseTree* tree);

// ------------------------------------------------------------------------------- chain_cone.c

/// A rotation, split into a twist about z and then a swing of z.
typedef struct ChainCone {
    double axes[9]; ///< axes about which swing, perpendicular angle and twist increase
    double swing;   ///< angle of the swing, rad, 0..pi
    double twist;   ///< angle of the twist, rad, -pi..pi
} ChainCone;

/// Computes swing, twist and axes of a rotation. An angle at a limit, within rounding, becomes
/// exactly the limit.
void poise__chain_cone_read(const ChainJoint* joint, const double q[4], ChainCone* cone);
/// Clamps a rotation to the cone. `joint`: the first of its three joints.
void poise__chain_cone_clamp(const ChainJoint* joint, double q[4]);
/// Multiplies q from the left by the rotation `vector`, and clamps it to the cone.
void poise__chain_cone_turn(const ChainJoint* joint, const double vector[3], double q[4]);

// ---------------------------------------------------------------------------- chain_posture.c

/// Scales q to length 1. If it has length 1 within rounding, its bits stay. False if its length is
/// 0 or not finite.
static inline bool poise__chain_make_unit(PoiseQuat* q) {
    const double length2 = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    if (!(length2 > 1e-100 && length2 < 1e100)) {
        const bool valid = poise__is_rotation(*q);
        *q = poise_quat_normalize(*q);
        return valid;
    }
    const double scale = fabs(length2 - 1.0) < 1e-15 ? 1.0 : 1.0 / sqrt(length2);
    *q = poise_quat(scale * q->w, scale * q->x, scale * q->y, scale * q->z);
    return true;
}
/// Writes the rotation matrix of a unit quaternion, row-major.
static inline void poise__chain_rows(PoiseQuat q, double rows[9]) {
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 axis = poise_quat_rotate(q, poise_vec3(k == 0, k == 1, k == 2));
        rows[k] = axis.x;
        rows[3 + k] = axis.y;
        rows[6 + k] = axis.z;
    }
}
/// True if the joint has a quaternion: a ball, or the first joint of a cone.
static inline bool poise__chain_is_ball(const ChainJoint* joint) {
    return joint->kind == CHAIN_BALL || joint->kind == CHAIN_CONE;
}
/// Writes the middle posture of a chain, as poise_body_middle does.
void poise__chain_middle(const Chain* chain, double* posture);
/// True if the tree has all nodes of the chain.
bool poise__chain_has_nodes(const Chain* chain, const PoiseTree* tree);
/// Reads the posture of the chain's nodes, which must exist in the tree.
void poise__chain_read(const Chain* chain, const PoiseTree* tree, double* posture);
/// True if leaders outside the chain would get finite coordinates from this posture.
bool poise__chain_leaders_are_finite(const Chain* chain, const PoiseTree* tree,
                                     const double* posture);
/// Sets the posture of the chain's nodes and of leaders outside it. All numbers must be valid.
void poise__chain_write(const Chain* chain, PoiseTree* tree, const double* posture);
/// True if all numbers are finite and no rotation is 0.
bool poise__chain_is_posture(const Chain* chain, const double* posture);
/// Converts a posture to coordinates, clamped to the ranges. False if a number is not finite, a
/// rotation is 0 or an angle is beyond 1e5 rad.
bool poise__chain_load(const Chain* chain, const double* posture, double* q);
/// Converts a valid posture to coordinates without clamping.
void poise__chain_load_as_given(const Chain* chain, const double* posture, double* q);
/// Converts coordinates to a posture. Hinges without a range stay within half a turn of their value
/// in `posture`.
void poise__chain_store(const Chain* chain, const double* q, double* posture);
/// True if a joint moves by more than POISE_FOLLOW_STEP between two postures.
bool poise__chain_leaps(const Chain* chain, const double* from, const double* to);
/// Adds whole turns to the hinges, toward `start`, but not beyond the ranges.
void poise__chain_unwind(const Chain* chain, const double* start, double* q);
/// Brings hinges into their ranges by whole turns. Clamps those for which no whole turn does. True
/// if no hinge was clamped.
bool poise__chain_into_ranges(const Chain* chain, double* q);
/// Returns the sum of squared differences of two postures: angles in rad, lengths in m.
double poise__chain_distance2(const Chain* chain, const double* a, const double* b);

// ------------------------------------------------------------------------------ chain_seeds.c

/// Returns the next random number in [0, 1).
static inline double poise__chain_random(uint64_t* counter) {
    return (double)(poise__mix_bits((*counter)++) >> 11) * 0x1p-53;
}
/// Writes random coordinates, each in the middle `part` of its range.
void poise__chain_draw(const Chain* chain, double part, uint64_t* counter, double* q);
/// Makes the seeds of a chain whose memory is allocated. False without scratch memory.
bool poise__chain_make_seeds(Chain* chain, uint64_t seed);

// ------------------------------------------------------------------------------ chain_make.c

/// Fills joints, lengths and couplings of a chain. False with the reason in the tree's status.
bool poise__chain_lay_joints(PoiseTree* tree, const ChainDef* def, Chain* chain);
/// Compiles a chain. The nodes of the def must be valid. NULL with the reason in the tree's status.
Chain* poise__chain_make(PoiseTree* tree, const ChainDef* def);
/// Destroys a chain. NULL is allowed.
void poise__chain_destroy(Chain* chain);

// ---------------------------------------------------------- chain_scalar.c, chain_exact.c, ...

/// Bytes of memory that a search in slices needs.
enum { CHAIN_SLICES_SIZE = 65536 };
typedef struct ChainKernel {
    /// Solves one problem; each lane searches from another start.
    void (*solve_one)(const ChainSearch* search, ChainProblem* problem);
    /// Begins a solve of one problem in slices. `memory` has CHAIN_SLICES_SIZE bytes, aligned to a
    /// vector.
    void (*begin_one)(const ChainSearch* search, ChainProblem* problem, void* memory);
    /// Runs one iteration of all lanes. False if the search is over.
    bool (*advance_one)(const ChainSearch* search, ChainProblem* problem, void* memory);
    /// Solves many problems; each lane works on a problem of its own.
    void (*solve_many)(const ChainSearch* search, const ChainQueue* queue);
    /// Moves the posture by one step toward the target, and sets problem->squares. POISE_OK,
    /// without a step: the target is met. POISE_NOT_CONVERGED: it was not.
    /// POISE_ERROR_INVALID_ARGUMENT: the start is invalid.
    PoiseStatus (*step)(const ChainSearch* search, ChainProblem* problem, double* posture);
    /// Descends from problem->best to a minimum of the error, and from the nearest seeds if the
    /// settings allow more starts. The nearest end becomes `best`, `least` its squared error. A
    /// chain may have at most CHAIN_REST_MOST_DOF degrees of freedom; poise__chain_rest_scalar has
    /// no such limit.
    void (*rest)(const ChainSearch* search, ChainProblem* problem);
    /// Computes the angles of `count` points of the unit circle. The AVX2 version reads and writes
    /// up to the next multiple of 4, and needs aligned arrays.
    void (*angles)(const double* sines, const double* cosines, int count, double* angles);
} ChainKernel;
extern const ChainKernel poise__chain_avx2;
extern const ChainKernel poise__chain_avx512;
/// Four lanes without fused operations, in C and in AVX2, give the same bits on every processor.
extern const ChainKernel poise__chain_exact;
extern const ChainKernel poise__chain_exact_avx2;
PoiseStatus poise__chain_step_scalar(const ChainSearch* search, ChainProblem* problem,
                                     double* posture);
PoiseStatus poise__chain_step_packed(const ChainSearch* search, ChainProblem* problem,
                                     double* posture);
void poise__chain_rest_scalar(const ChainSearch* search, ChainProblem* problem);
void poise__chain_rest_avx2(const ChainSearch* search, ChainProblem* problem);
void poise__chain_rest_exact(const ChainSearch* search, ChainProblem* problem);
void poise__chain_rest_exact_avx2(const ChainSearch* search, ChainProblem* problem);
/// Computes sines and cosines of `count` angles; `count` must be a multiple of 4.
void poise__chain_sines_avx2(const double* angles, int count, double* sines, double* cosines);

void poise__chain_angles_scalar(const double* sines, const double* cosines, int count,
                                double* angles);
void poise__chain_angles_avx2(const double* sines, const double* cosines, int count,
                              double* angles);

// ------------------------------------------------------------------------ chain_reach_bounds.c

/// Computes tip_shell and last_shell of a chain that is otherwise complete.
void poise__chain_make_shells(Chain* chain);
/// Computes the axes of at most six hinges at the coordinates 0.
void poise__chain_lay_out(const Chain* chain, ChainClosed* closed);
/// Sets `is_beyond` and `beyond` of a problem.
void poise__chain_measure(const ChainSearch* search, ChainProblem* problem);

// ----------------------------------------------------- chain_closed.c, chain_closed_kind.c

/// Finds out whether a chain has a closed form, and checks that form on random postures.
void poise__chain_find_closed(Chain* chain);
/// Solves a problem in closed form. False if a search is necessary. Sets `answers` to the number of
/// answers, `best` to the nearest of them, and `is_beyond` if no posture meets the target, even
/// outside the ranges.
bool poise__chain_solve_closed(const ChainSearch* search, ChainProblem* problem);
/// Writes up to `most` answers to `all`, CHAIN_CLOSED_JOINTS coordinates each, sorted by distance
/// from the start. Returns their number, or -1 if the chain has no closed form for the goal.
int poise__chain_list_closed(const ChainSearch* search, ChainProblem* problem, int most,
                             double* all);

// ---------------------------------------------------------------------------- chain_nearest.c

/// Finds the nearest posture. Returns why it does not meet the target, or POISE_REACH_MET.
PoiseReachReason poise__chain_nearest(const ChainSearch* search, ChainProblem* problem);

// ------------------------------------------------------------------------------ chain_solve.c

/// Returns the settings of a search, with the kernel poise__chain_exact, from the def of a solve.
ChainSearch poise__chain_search_of(const Chain* chain, PoiseBodyGoal goal,
                                   const PoiseBodySolveDef* def);
/// Fills a problem. False if the start is invalid.
bool poise__chain_begin(const ChainSearch* search, const PoisePose* target, const double* posture,
                        ChainProblem* problem);
/// Returns how many degrees of freedom of a posture are on a limit.
int poise__chain_count_limited(const Chain* chain, const double* posture);
/// Writes the result of a problem to posture and report (NULL: not wanted). The report's `limit` is
/// an index in the chain's posture; `limited_dofs` stays unset.
PoiseStatus poise__chain_finish(const ChainSearch* search, ChainProblem* problem, double* posture,
                                PoiseBodyReport* report);
/// Finds a posture for a target, which must be valid. POISE_ERROR_INVALID_ARGUMENT, with nothing
/// changed, if the start is invalid.
PoiseStatus poise__chain_solve(const ChainSearch* search, const PoisePose* target, double* posture,
                               PoiseBodyReport* report);
/// Makes one step toward a target, which must be valid. The report has the errors before the step.
PoiseStatus poise__chain_track(const ChainSearch* search, const PoisePose* target, double* posture,
                               PoiseBodyReport* report);

// ---------------------------------------------------------------------------- chain_forward.c

/// Returns the tip's pose, m, in the frame of the targets; the identity if the posture is invalid.
PoisePose poise__chain_forward(const Chain* chain, const double* posture);
/// Writes J, row-major, 6 x dof, position rows (m) first. Columns of hinges are about their axes,
/// the three of a ball about the axes of the targets' frame. False if the posture is invalid.
bool poise__chain_jacobian(const Chain* chain, const double* posture, double* jacobian);

static inline double poise__chain_clamp(double x, double lower, double upper) {
    // two comparisons are inlined; fmin and fmax would be calls
    const double above = x > lower ? x : lower;
    return above < upper ? above : upper;
}

#endif
