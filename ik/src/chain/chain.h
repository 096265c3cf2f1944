// SPDX-License-Identifier: MIT
// A compiled chain: data and functions that the files of this folder share, in reading order:
//
//     chain_program.c    converts the tree's nodes to joints about z axes   } poise__chain_make
//     chain_coupled.c    couples joints                                     } (chain_make.c)
//     chain_shell.c      bounds what a chain can reach                      }
//     chain_seeds.c      makes the seeds, and random postures               }
//     chain_posture.c    converts postures of the caller to coordinates and back
//     chain_cone.c       handles balls with a cone or twist range
//     lane_vector.h, lane_space.h         a number and a vector in every lane
//     lane_kinematics.h, lane_step.h      frames, error, J; the damped step inside the limits
//     lane_pick.h, lane_search.h          the best seeds; the search from many starts
//     chain_scalar.c, ...  the instances of the lane headers, of which body/body_dispatch.c selects
//                        one; batches take eight lanes
//     lane_rest.h, chain_nearest.c        the nearest posture if no start met the target
//     chain_solve.c      solves one target, makes one tracking step
//     chain_forward.c    computes frames and J for the caller
//
// Lengths inside are in `unit`s, a part of the chain's reach, so that metres and radians have
// similar weight in a chain of any size. The coordinate of a hinge or slider is scale * posture +
// offset, about or along z of its frame. That of a ball is before * posture * after. The axis of a
// cone is z. The array q has one coordinate per joint (0 for a ball, the angle of a cone's
// joint), then the rotations of the balls and cones, w x y z each.
#ifndef POISE_CHAIN_INTERNAL_H
#define POISE_CHAIN_INTERNAL_H

#include <string.h>

#include "poise/body.h"
#include "tree.h"

/// Largest number of degrees of freedom of a chain, and of numbers in its posture.
enum { CHAIN_MOST_DOF = 64, CHAIN_MOST_POSTURE = 88 };

/// Largest number of lanes of any path.
enum { CHAIN_MOST_LANES = 8 };
/// Most degrees of freedom that ChainKernel.rest takes: its arrays have this size. Longer chains
/// take poise__chain_rest_scalar.
enum { CHAIN_REST_MOST_DOF = 24 };
/// Number of seeds in a cell, whose tips are close together; number of cells near a target whose
/// seeds are listed.
enum { CHAIN_CELL = CHAIN_MOST_LANES, CHAIN_NEAR_CELLS = 8 };
enum { CHAIN_LISTED = CHAIN_CELL * CHAIN_NEAR_CELLS };
/// Numbers of a tip's pose; numbers of a symmetric 6 x 6 matrix, by rows up to the diagonal.
enum { CHAIN_TIP_SIZE = 7, CHAIN_COST_SIZE = 21 };
enum { CHAIN_MOST_JOINTS = CHAIN_MOST_DOF, CHAIN_MOST_BALLS = CHAIN_MOST_DOF / 3 };
enum { CHAIN_MOST_Q = CHAIN_MOST_JOINTS + 4 * CHAIN_MOST_BALLS };
/// Reach of a chain, or of a body's tip, in units of length, which balances metres and radians.
/// Measured on 4000 poses of four robots: 1 needs 1.5 times the iterations of 4, 6 needs the same.
#define CHAIN_REACH_UNITS 4.0
/// Default tolerance: the answers of two searches then agree within 1e-9.
#define CHAIN_TOLERANCE 5e-10
/// Searches use tolerances smaller by this factor, so that rounding cannot make a met target unmet.
#define CHAIN_TOLERANCE_PART 0.999

/// A ball with a cone or twist range is three consecutive joints: the swing, the axis perpendicular
/// to it, and the twist. The first has the ball's rotation. Each is a hinge about an axis that
/// depends on the rotation.
typedef enum ChainKind {
    CHAIN_HINGE,
    CHAIN_SLIDER,
    CHAIN_BALL,
    CHAIN_CONE,     ///< the swing of such a ball; has the ball's coordinates
    CHAIN_CONE_REST ///< the perpendicular axis, then the twist, which has the link
} ChainKind;

/// The constant rotation between a joint and the next.
typedef enum ChainTwist {
    CHAIN_TWIST_NONE,
    CHAIN_TWIST_QUARTER,      ///< about x by pi / 2
    CHAIN_TWIST_QUARTER_BACK, ///< about x by -pi / 2
    CHAIN_TWIST_X,            ///< about x by an angle
    CHAIN_TWIST_ANY           ///< any rotation
} ChainTwist;

/// A joint and the link to the next joint. After the motion, `link` and `twist` apply in the moved
/// frame.
typedef struct ChainJoint {
    ChainKind kind;
    ChainTwist twist;
    int number; ///< index of its (first) number in a posture
    int q;      ///< index of its coordinate, or of its rotation
    int dof;    ///< index of its (first) degree of freedom
    int ball;   ///< index among the balls
    double link[3];
    unsigned link_axes; ///< bit k: link[k] is not 0
    double matrix[9];   ///< CHAIN_TWIST_ANY, row-major
    double twist_cos;   ///< of a rotation about x
    double twist_sin;
    double fixed_cos; ///< slider: its constant rotation about z
    double fixed_sin;
    double offset; ///< coordinate = scale * posture + offset
    double scale;  ///< slider: 1 / unit
    double lower;  ///< lower end of the coordinate's range
    double upper;
    bool tied;        ///< member of a coupled group: whole turns change the others
    bool follows;     ///< another joint determines its coordinate (ChainTie)
    bool plain;       ///< ball: before and after are the identity
    bool open;        ///< hinge without a range
    PoiseQuat before; ///< ball, cone
    PoiseQuat after;  ///< ball, cone
} ChainJoint;

/// A hinge or slider that follows another of the chain: coordinate = ratio * coordinate of the
/// leader + offset.
typedef struct ChainTie {
    int joint;
    int leader;
    double ratio;
    double offset;
    double number_ratio; ///< ratio and offset of the numbers in a posture
    double number_offset;
} ChainTie;

/// The node and the range of one number of a posture.
typedef struct ChainNumber {
    PoiseNodeId node;
    double lower;
    double upper; ///< equal to `lower` if the axis is off
} ChainNumber;

/// Bounds of the distance that a point of the chain can have from a centre, units.
typedef struct ChainShell {
    PoiseVec3 centre; ///< in the first joint's frame
    PoiseVec3 back;   ///< from the point to the tip, in the tip's frame
    double least;
    double most; ///< infinite without a bound
} ChainShell;

/// Largest number of answers of a closed form.
enum { CHAIN_CLOSED_MOST = 8, CHAIN_CLOSED_JOINTS = 6 };

/// The geometry that gives a closed form (chain_closed.c).
typedef enum ChainClosedKind {
    CHAIN_CLOSED_NONE,
    CHAIN_CLOSED_PARALLEL_23, ///< a spherical wrist; axes 2 and 3 are parallel
    CHAIN_CLOSED_PARALLEL_12,
    CHAIN_CLOSED_MEETING_12, ///< a spherical wrist; axes 1 and 2 meet
    CHAIN_CLOSED_MEETING_23,
    CHAIN_CLOSED_PARALLEL_234 ///< axes 2, 3 and 4 are parallel; 5 and 6 meet
} ChainClosedKind;

/// Six hinges at the coordinates 0, in the first joint's frame, units.
typedef struct ChainClosed {
    ChainClosedKind kind;
    bool is_exact; ///< the axes are parallel and meet to rounding
    PoiseVec3 axis[CHAIN_CLOSED_JOINTS];
    PoiseVec3 point[CHAIN_CLOSED_JOINTS]; ///< a point on each axis
    PoiseVec3 frame[3];                   ///< rows of the tip's rotation
    PoiseVec3 tip;
    PoiseVec3 centre; ///< the point in which the axes of the hand meet
    PoiseVec3 meet;   ///< common point of axes 1 and 2, or 2 and 3
    PoiseVec3 side;   ///< a direction across axis 6, or across the parallel axes
} ChainClosed;

/// A series of joints, compiled. It never changes.
typedef struct Chain {
    PoiseHost host;
    size_t size; ///< size of the chain and its seeds, bytes
    int joint_count;
    int range_count;  ///< joints up to the last one that is no ball
    int posture_size; ///< numbers in a posture
    int nq;           ///< coordinates: joint_count + 4 * ball_count
    int nv;           ///< degrees of freedom
    int ball_count;   ///< cones included
    int cone_count;
    int fixed_count; ///< number and indices of the numbers whose axis is off
    int fixed[CHAIN_MOST_POSTURE];
    int tie_count;
    bool coupled;    ///< a node of the chain is in a coupled group
    double unit;     ///< m
    double to_units; ///< 1 / unit
    bool plain_base; ///< the rotation of `base` is the identity
    bool plain_tip;
    double reach;   ///< m
    PoisePose base; ///< first joint's frame in the targets' frame
    PoiseQuat tip;  ///< tip's rotation in the last joint's frame
    ChainShell tip_shell;
    ChainShell last_shell; ///< shell of a point that the last joint does not move
    ChainClosed closed;
    /// Ranges by joint. A ball has infinite ranges.
    double lowers[CHAIN_MOST_JOINTS];
    double uppers[CHAIN_MOST_JOINTS];
    ChainNumber numbers[CHAIN_MOST_POSTURE];
    ChainJoint joints[CHAIN_MOST_JOINTS];
    ChainTie ties[CHAIN_MOST_JOINTS];
    /// The seeds, CHAIN_CELL per cell, in a multiple of CHAIN_NEAR_CELLS cells.
    int cell_count;
    double* cell_tips;  ///< mean pose of each cell's tips; by component, then cell
    double* seed_tips;  ///< x y z in units, then w x y z; by cell, component, seed
    double* seed_costs; ///< cost matrices; by cell, component, seed
    double* seed_q;     ///< coordinates by seed
} Chain;

/// A target in the first joint's frame: the tip's position, in units, and the rotation of the last
/// joint's frame.
typedef struct ChainTarget {
    double position[3];
    PoiseQuat rotation;
    double matrix[9]; ///< rotation, row-major; not set for a position goal
} ChainTarget;

/// Result of ChainProblem.take that ends the search.
enum { TAKEN_ENOUGH = 1 << 24 };

/// The settings of a search, the same for all lanes.
typedef struct ChainSearch {
    const Chain* chain;
    PoiseBodyGoal goal;
    /// Largest number of iterations over all starts. If no start meets the target within 600,
    /// further descents find the nearest posture. The search then continues only if the error of
    /// this posture, in rad and quarters of the reach, is below 0.25; the smaller the error, the
    /// longer.
    int iterations;
    int starts;    ///< largest number of starts
    int answers;   ///< answers that end the search; the result is the one nearest to the given
                   ///< posture
    uint64_t seed; ///< start of the random numbers of the starts after the seeds
    double position_tolerance; ///< m
    double angle_tolerance;
    double position_tolerance2; ///< of the iterations: squared, in units
    double angle_tolerance2;
    const struct ChainKernel* kernel;
} ChainSearch;

/// The seeds of the cells near a target.
typedef struct ChainList {
    _Alignas(
        64) double costs[CHAIN_LISTED]; ///< costs of the listed seeds; infinite for a used seed
    int cells[CHAIN_NEAR_CELLS];        ///< cells of the listed seeds
} ChainList;

/// A target, its start and its result. Postures are in coordinates.
typedef struct ChainProblem {
    ChainList list;
    int index; ///< index of the target in its batch
    ChainTarget target;
    double start[CHAIN_MOST_Q];
    double best[CHAIN_MOST_Q]; ///< the answer, or the nearest posture found
    double least;              ///< error^2 of `best`; distance^2 to the start if met
    double squares[2];         ///< squared errors of `best`: position (in units), rotation
    int answers;
    int iterations;
    int starts;       ///< number of starts begun
    uint64_t counter; ///< counter of the random starts
    bool is_settled;  ///< a closed form proves that no posture meets the target
    bool is_beyond;   ///< the shells prove that no posture meets the target
    double beyond;    ///< proven distance of the target from what the tip reaches, units; 0: none
    int limiting;     ///< joint whose limit decides, if the nearest posture was sought; -1: none
    /// Gets the coordinates of every answer. Returns how many of the wanted answers it counts for;
    /// TAKEN_ENOUGH ends the search. NULL: each answer counts once.
    int (*take)(void* user, const double* q);
    void* take_user;
    int budget; ///< iterations that end the search
} ChainProblem;

/// Resets the results of a problem. Its target and its start stay.
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

/// Distributes problems to the lanes and collects the results.
typedef struct ChainQueue {
    /// Fills the next problem. False at the end of the list.
    bool (*next)(void* user, ChainProblem* problem);
    void (*done)(void* user, ChainProblem* problem);
    void* user;
} ChainQueue;

// ---------------------------------------------------------------------------- chain_program.c

/// True if the chain treats the node in this slot as rigid.
typedef bool NodeIsRigid(const PoiseTree* tree, int slot);

/// The settings of a compiled chain: the nodes from the base, or from `first`, to `tip`.
typedef struct ChainDef {
    PoiseNodeId tip;   ///< node whose link carries the tip
    PoisePose in_link; ///< the tip's frame in that link, m
    /// The moving node nearest the base; targets are in the frame of its parent's link. Null: the
    /// chain begins at the base, and targets are in the world.
    PoiseNodeId first;
    double unit;           ///< of lengths inside, m; 0: a part of the chain's own reach
    NodeIsRigid* is_rigid; ///< true for nodes that the chain treats as rigid
    int seeds;             ///< rounded up to a multiple of CHAIN_LISTED
    uint64_t seed;
    PoiseHost host;
} ChainDef;

/// True if the node is disabled, or all its axes are off.
bool poise__chain_is_rigid(const PoiseTree* tree, int slot);
/// Fills the joints and lengths of a chain. Returns NULL, or the error in words; `culprit` gets the
/// slot of its node.
const char* poise__chain_build(Chain* chain, const PoiseTree* tree, const ChainDef* def,
                               int* culprit);
/// Computes the range of joint i in coordinates from the range of its number.
void poise__chain_set_range(Chain* chain, int i);

// --------------------------------------------------------------------------- chain_coupled.c

/// Sets the ratios and offsets with which a joint follows the first of its coupled group.
void poise__chain_couple(const ChainJoint* joint, const Tie* own, const ChainJoint* first,
                         const Tie* its, ChainTie* tie);
/// Gives coupled joints one coordinate, that of the first.
void poise__chain_tie(Chain* chain, const PoiseTree* tree);

// ------------------------------------------------------------------------------- chain_cone.c

/// A rotation as a swing of z after a twist about z.
typedef struct ChainCone {
    double axes[9]; ///< axes that increase swing, perpendicular angle, and twist
    double swing;   ///< 0 to pi, rad
    double twist;   ///< -pi to pi, rad
} ChainCone;

/// Computes the cone coordinates of a rotation. An angle within rounding of a limit gets the
/// limit's value.
void poise__chain_cone_read(const ChainJoint* joint, const double q[4], ChainCone* cone);
/// Clamps a rotation to the cone. `joint` is the first of the three joints.
void poise__chain_cone_clamp(const ChainJoint* joint, double q[4]);
/// Rotates q by a rotation vector, from the left, and clamps it to the cone.
void poise__chain_cone_turn(const ChainJoint* joint, const double vector[3], double q[4]);

// ---------------------------------------------------------------------------- chain_posture.c

/// Scales a caller's q to length 1, unless its length is 1 to rounding; its bits then stay. False
/// if it is 0 or not finite.
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
/// Writes the rows of the matrix of a unit quaternion.
static inline void poise__chain_rows(PoiseQuat q, double rows[9]) {
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 axis = poise_quat_rotate(q, poise_vec3(k == 0, k == 1, k == 2));
        rows[k] = axis.x;
        rows[3 + k] = axis.y;
        rows[6 + k] = axis.z;
    }
}
/// True if the joint has the rotation of a ball, with or without a cone.
static inline bool poise__chain_is_ball(const ChainJoint* joint) {
    return joint->kind == CHAIN_BALL || joint->kind == CHAIN_CONE;
}
/// Returns for a chain what poise_body_middle returns for a body.
void poise__chain_middle(const Chain* chain, double* posture);
/// True if the tree has all nodes of the chain.
bool poise__chain_has_nodes(const Chain* chain, const PoiseTree* tree);
/// Reads the posture of nodes that the tree has.
void poise__chain_read(const Chain* chain, const PoiseTree* tree, double* posture);
/// True if leaders outside the chain would get finite numbers.
bool poise__chain_leaders_are_finite(const Chain* chain, const PoiseTree* tree,
                                     const double* posture);
/// Sets the posture of the tree's nodes, and of leaders outside the chain, to valid numbers.
void poise__chain_write(const Chain* chain, PoiseTree* tree, const double* posture);
/// True if all numbers are finite and no rotation is 0.
bool poise__chain_is_posture(const Chain* chain, const double* posture);
/// Converts a posture to coordinates inside the ranges. False for an invalid start: a number that
/// is not finite, a rotation of 0, or an angle beyond 1e5 rad.
bool poise__chain_load(const Chain* chain, const double* posture, double* q);
/// Converts a valid posture to coordinates without clamping.
void poise__chain_load_as_given(const Chain* chain, const double* posture, double* q);
/// Converts coordinates to a posture. Hinges without a range stay within half a turn of their value
/// in `posture`.
void poise__chain_store(const Chain* chain, const double* q, double* posture);
/// True if a joint moves by more than POISE_FOLLOW_STEP between two postures.
bool poise__chain_leaps(const Chain* chain, const double* from, const double* to);
/// Adds whole turns to the hinges, toward `start`, inside the ranges.
void poise__chain_unwind(const Chain* chain, const double* start, double* q);
/// Adds whole turns that bring the hinges into their ranges, or clamps a hinge for which none does.
/// True if no hinge was clamped.
bool poise__chain_into_ranges(const Chain* chain, double* q);
/// Returns the sum of squares of the angles (rad) and lengths (m) between two postures.
double poise__chain_distance2(const Chain* chain, const double* a, const double* b);

// ------------------------------------------------------------------------------ chain_seeds.c

/// Returns the next number in [0, 1).
static inline double poise__chain_random(uint64_t* counter) {
    return (double)(poise__mix_bits((*counter)++) >> 11) * 0x1p-53;
}
/// Draws random coordinates from the middle `part` of every range.
void poise__chain_draw(const Chain* chain, double part, uint64_t* counter, double* q);
/// Makes the seeds of an allocated chain. False without memory for the work.
bool poise__chain_make_seeds(Chain* chain, uint64_t seed);

// ------------------------------------------------------------------------------ chain_make.c

/// Fills the joints, lengths and couplings of a chain. False with the reason in the tree's status.
bool poise__chain_lay_joints(PoiseTree* tree, const ChainDef* def, Chain* chain);
/// Compiles a chain of valid nodes. NULL with the reason in the tree's status.
Chain* poise__chain_make(PoiseTree* tree, const ChainDef* def);
/// Destroys a chain. NULL is allowed.
void poise__chain_destroy(Chain* chain);

// ---------------------------------------------------------- chain_scalar.c, chain_exact.c, ...

/// Size of the memory of a search in slices, bytes.
enum { CHAIN_SLICES_SIZE = 65536 };
typedef struct ChainKernel {
    /// Solves one problem: all lanes search from different starts.
    void (*solve_one)(const ChainSearch* search, ChainProblem* problem);
    /// Begins to solve one problem in slices, in CHAIN_SLICES_SIZE bytes aligned to a vector.
    void (*begin_one)(const ChainSearch* search, ChainProblem* problem, void* memory);
    /// Runs one iteration of all lanes. False once the search has ended.
    bool (*advance_one)(const ChainSearch* search, ChainProblem* problem, void* memory);
    /// Solves many problems: each lane has its own.
    void (*solve_many)(const ChainSearch* search, const ChainQueue* queue);
    /// Makes one step of a posture toward the problem's target, and sets its squares. POISE_OK,
    /// without a step: the target is met. POISE_NOT_CONVERGED otherwise.
    /// POISE_ERROR_INVALID_ARGUMENT: not a valid start.
    PoiseStatus (*step)(const ChainSearch* search, ChainProblem* problem, double* posture);
    /// Descends to rest from `problem->best`, and from the nearest seeds if the def allows more
    /// starts. The nearest end becomes `best`, `least` its squared error. At most
    /// CHAIN_REST_MOST_DOF degrees of freedom; poise__chain_rest_scalar takes more.
    void (*rest)(const ChainSearch* search, ChainProblem* problem);
    /// Computes the angles of `count` points of the unit circle. AVX2 reads and writes up to a
    /// multiple of 4, and needs aligned arrays.
    void (*angles)(const double* sines, const double* cosines, int count, double* angles);
} ChainKernel;
extern const ChainKernel poise__chain_avx2;
extern const ChainKernel poise__chain_avx512;
/// Four lanes without fused operations, in C and in AVX2: the same bits on every processor.
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
/// Computes the sines and cosines of `count` angles, a multiple of 4.
void poise__chain_sines_avx2(const double* angles, int count, double* sines, double* cosines);

void poise__chain_angles_scalar(const double* sines, const double* cosines, int count,
                                double* angles);
void poise__chain_angles_avx2(const double* sines, const double* cosines, int count,
                              double* angles);

// ------------------------------------------------------------------------------ chain_shell.c

/// Computes the shells of a built chain.
void poise__chain_make_shells(Chain* chain);
/// Computes the axes of a chain of at most six hinges at the coordinates 0.
void poise__chain_lay_out(const Chain* chain, ChainClosed* closed);
/// Sets `is_beyond` and `beyond` of a problem.
void poise__chain_measure(const ChainSearch* search, ChainProblem* problem);

// ----------------------------------------------------- chain_closed.c, chain_closed_kind.c

/// Recognises a closed form, and checks it on random postures.
void poise__chain_find_closed(Chain* chain);
/// Solves in closed form. False if the search is needed. Sets `answers` to the number of answers
/// and `best` to the nearest one. If no posture meets the target, even outside the ranges, sets
/// `is_beyond`.
bool poise__chain_solve_closed(const ChainSearch* search, ChainProblem* problem);
/// Writes up to `most` answers to `all`, CHAIN_CLOSED_JOINTS coordinates each, the nearest to the
/// start first. Returns their number, or -1 if the chain has no closed form for the goal.
int poise__chain_list_closed(const ChainSearch* search, ChainProblem* problem, int most,
                             double* all);

// ---------------------------------------------------------------------------- chain_nearest.c

/// Finds the nearest posture. Returns the reason why the target is not met, or POISE_REACH_MET.
PoiseReachReason poise__chain_nearest(const ChainSearch* search, ChainProblem* problem);

// ------------------------------------------------------------------------------ chain_solve.c

/// Returns the settings of a solve, with the kernel poise__chain_exact.
ChainSearch poise__chain_search_of(const Chain* chain, PoiseBodyGoal goal,
                                   const PoiseBodySolveDef* def);
/// Initialises a problem. False for an invalid start.
bool poise__chain_begin(const ChainSearch* search, const PoisePose* target, const double* posture,
                        ChainProblem* problem);
/// Returns the number of degrees of freedom of a posture on a limit.
int poise__chain_count_limited(const Chain* chain, const double* posture);
/// Writes the result of a problem into posture and report (NULL: none). The report's `limit` is an
/// index in the chain's posture; it has no `limited_dofs`.
PoiseStatus poise__chain_finish(const ChainSearch* search, ChainProblem* problem, double* posture,
                                PoiseBodyReport* report);
/// Finds a posture for a valid target. POISE_ERROR_INVALID_ARGUMENT, with nothing changed, for an
/// invalid start.
PoiseStatus poise__chain_solve(const ChainSearch* search, const PoisePose* target, double* posture,
                               PoiseBodyReport* report);
/// Makes one step toward a valid target. The report gets the errors before the step.
PoiseStatus poise__chain_track(const ChainSearch* search, const PoisePose* target, double* posture,
                               PoiseBodyReport* report);

// ---------------------------------------------------------------------------- chain_forward.c

/// The pose of the tip, m, in the frame of the targets; the identity for an invalid posture.
PoisePose poise__chain_forward(const Chain* chain, const double* posture);
/// Writes J: row-major, 6 x dof, position rows (m) first. Hinge columns are about their axes, a
/// ball's three about the axes of the targets' frame. False for an invalid posture.
bool poise__chain_jacobian(const Chain* chain, const double* posture, double* jacobian);

static inline double poise__chain_clamp(double x, double lower, double upper) {
    // two comparisons, because fmin and fmax would be calls
    const double above = x > lower ? x : lower;
    return above < upper ? above : upper;
}

#endif
