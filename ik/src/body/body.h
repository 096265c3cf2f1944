// SPDX-License-Identifier: MIT
// Compiled bodies (poise/body.h): data and functions that the files of this folder share. The files
// in reading order:
//
//     body_compile.c     divides a tree into parts and groups: poise_body_compile
//     body_posture.c     reads and writes the caller's postures
//     body_forward.c     poise_body_forward, poise_body_jacobian
//     body_frames.h      frames of the parts, errors of the tips
//     body_dense.h       rows that join limbs: tips in a link's frame, centres of mass
//     body_step.h        the damped step inside the limits, by elimination from tips to base
//     body_nearest.h     the descent to the nearest posture
//     body_search.h      the search from many starts
//     body_exact.c, ..   instances of these headers; body_dispatch.c selects one
//     body_problem.c     the problem of one group
//     body_levels.c      groups whose targets have several priorities
//     body_limb.c        groups that are chains
//     body_solve.c       poise_body_solve, poise_body_track
//     body_answers.c     poise_body_answers, and the nearest of several answers
//     body_batch.c       batches and paths of targets
//     body_apart.h, ..   collision avoidance: free answers, steps and paths
//
// A part is a series of joints without a branch, compiled as a chain (chain.h). A limb is a part
// that ends in one tip and carries no other part; all other parts form the trunk. A group is a part
// on the base with all parts that it carries. Groups share no joint, so each group is solved alone.
// If the rows of some tip join limbs, all parts are one group.
//
// The joints of a group are in one array, part after part from the base. Its coordinates follow the
// same order: one for each joint, then the quaternions of balls and cones. Targets are in the frame
// of the group's first joint. Lengths are in the body's unit (poise_body_unit).
#ifndef POISE_BODY_INTERNAL_H
#define POISE_BODY_INTERNAL_H

#include "chain.h"
#include "poise/body.h"

enum { COOKIE_BODY = 0x50420001, COOKIE_BODY_SOLVE = 0x50420002, COOKIE_BODY_TARGET = 0x50420003 };

enum { BODY_MOST_THREADS = 256 };
enum { BODY_LANES = 4, ALL_LANES = (1 << BODY_LANES) - 1 };
enum {
    BODY_MOST_JOINTS = POISE_BODY_MOST_DOF,
    BODY_MOST_BALLS = POISE_BODY_MOST_DOF / 3,
    BODY_MOST_Q = BODY_MOST_JOINTS + 4 * BODY_MOST_BALLS
};
enum { BODY_MOST_TIPS = POISE_BODY_MOST_TIPS, BODY_MOST_PARTS = 2 * BODY_MOST_TIPS };
/// Largest number of degrees of freedom in the trunk of a group.
enum { BODY_MOST_TRUNK = 64 };
/// Count of the numbers of a symmetric matrix of the trunk, stored by rows up to the diagonal.
enum { BODY_TRUNK_SIZE = BODY_MOST_TRUNK * (BODY_MOST_TRUNK + 1) / 2 };
/// Largest number of a group's rows that join limbs, and of its couplings between parts.
enum { BODY_MOST_DENSE = 24, BODY_MOST_JOINS = 8 };

/// Joints in series, without a branch.
typedef struct BodyPart {
    Chain* chain; ///< the part's joints, coordinates and seeds
    int parent;   ///< index in the group of the part that carries this one; -1: the base
    int begin;    ///< index of the part's first joint among the group's joints
    int end;
    int ball;   ///< index of the part's first ball among the group's balls
    int number; ///< index of the part's first number in a posture of the body
    int dof;    ///< index of the part's first degree of freedom in the body
    int tip;    ///< index of a limb's tip; -1: the part is in the trunk
    int last; ///< outermost degree of freedom of the trunk that moves the end of the part; -1: none
    bool floats; ///< the first joint is free
    // frame of the first joint in the last frame of the parent
    bool plain;      ///< the rotation is the identity
    double start[3]; ///< position, units
    double turn[9];  ///< rotation matrix, row-major
} BodyPart;

typedef enum BodyTipKind {
    BODY_TIP_WORLD,  ///< a frame with a target in the world
    BODY_TIP_FRAME,  ///< a frame with a target in the frame of another link
    BODY_TIP_CENTRE, ///< a centre of mass with a target in the world
} BodyTipKind;

/// A frame or a centre of mass that should meet a target.
typedef struct BodyTip {
    BodyTipKind kind;
    int part;              ///< the part that carries the tip; -1: a centre of mass
    uint64_t part_bits;    ///< bit p is set if part p moves the tip
    int other;             ///< the part that carries the frame of the target; -1: the world
    uint64_t other_bits;   ///< bit p is set if part p moves the frame of the target
    PoisePose other_frame; ///< frame of the target, in the last frame of part `other`, m
    int number;            ///< index of the tip among all tips of the body
    bool limb;             ///< the tip is the end of a limb
    PoisePose frame;       ///< frame of the tip, in the last frame of its part, m
    double arm[3];         ///< position of `frame`, units
    double reach;      ///< largest distance from the group's first joint, units; may be infinite
    double free_reach; ///< `reach` if sliders without a range do not move
    int trunk_count;
    int trunk[BODY_MOST_TRUNK]; ///< degrees of freedom of the trunk that move the tip, ascending
    uint64_t trunk_bits;        ///< bit d is set if degree of freedom d is in `trunk`
} BodyTip;

/// The mass that a joint moves but the next joint does not.
typedef struct BodyMass {
    double mass;      ///< fraction of the mass of the body
    double moment[3]; ///< mass times centre of mass, in the frame after the joint, units
} BodyMass;

/// Couples joints of different parts: coordinate = ratio * coordinate of the leader + offset.
typedef struct BodyJoin {
    int joint;
    int leader;
    double ratio;
    double offset;
} BodyJoin;

/// A degree of freedom of the trunk.
typedef struct BodyDof {
    int joint;
    int axis; ///< of a ball: 0, 1 or 2
    int up;   ///< index of the next degree of freedom toward the base; -1: none
} BodyDof;

typedef struct BodyGroup {
    int part_count;
    int joint_count;
    int ball_count;
    int tip_count;   ///< number of tips whose rows depend on one limb and the trunk
    int dense_count; ///< number of tips whose rows join limbs; these come last in `tips`
    int join_count;
    int slot_count; ///< number of columns in rows that join limbs (body_dense.h)
    int tie_count;
    int dof_count; ///< number of degrees of freedom of the trunk
    int centre;    ///< index of the tip that is a centre of mass; -1: none
    bool single;   ///< the group is one limb on the base, so it is a chain
    double unit;
    PoisePose base;          ///< frame before the first joint, world, m
    PoisePose free_in_group; ///< frame of a floating base's coordinates, relative to `base`, m
    BodyPart parts[BODY_MOST_PARTS];
    BodyTip tips[BODY_MOST_TIPS];
    BodyDof dofs[BODY_MOST_TRUNK];
    ChainJoint joints[BODY_MOST_JOINTS];
    ChainTie ties[BODY_MOST_JOINTS];
    BodyJoin joins[BODY_MOST_JOINS];
    int slots[BODY_MOST_JOINTS]; ///< by joint: its first column in rows that join limbs
    // only in a group with a centre of mass
    BodyMass masses[BODY_MOST_JOINTS];
    double carried[BODY_MOST_JOINTS]; ///< mass that each joint moves, over the mass of the body
    double still[3];                  ///< first moment of the links that no joint moves, units
} BodyGroup;

/// True if some rows of the group join limbs.
static inline bool poise__group_is_joined(const BodyGroup* group) {
    return group->dense_count > 0 || group->join_count > 0;
}

struct PoiseBody {
    PoiseHost host;
    int group_count;
    int tip_count;
    int nv;
    int posture_size;
    double unit;
    BodyGroup* groups[BODY_MOST_TIPS];
    int part_count;
    const BodyPart* parts[BODY_MOST_PARTS]; ///< parts of all groups, as ordered in a posture
    struct BodyApart* apart;                ///< parts that are kept apart, or NULL
    int tip_group[BODY_MOST_TIPS];          ///< index of the group of each tip of the body
    int tip_index[BODY_MOST_TIPS];          ///< index of each tip of the body in its group
};

/// The target of a tip in the group's frame, as a position of the tip, in units, and a rotation of
/// the last frame of its part.
typedef struct BodyTarget {
    PoiseBodyGoal goal;
    bool weighted;
    ChainTarget target;
    double axes[9];    ///< only if `weighted`: a unit vector for each row, row-major
    double weights[6]; ///< square roots of the rows' weights; 0: the row is off
} BodyTarget;

/// A group that is a chain, with the chain's search.
typedef struct Limb {
    const BodyPart* part;
    PoisePose target;
    ChainSearch search;
} Limb;

/// The problem of one group: targets, start and result.
typedef struct BodyProblem {
    const BodyGroup* group;
    const PoiseBodySolveDef* def;
    bool is_limb; ///< the chain of `limb` searches
    Limb limb;    ///< only if `is_limb`
    BodyTarget targets[BODY_MOST_TIPS];
    double position_tolerance2; ///< square of the tolerance, units^2
    double angle_tolerance2;
    double start[BODY_MOST_Q];
    double best[BODY_MOST_Q]; ///< the answer, or the nearest posture so far
    double least;             ///< squared error E of `best`
    uint64_t counter;         ///< state of the random numbers
    bool too_far;             ///< the lengths of the links prove that no posture meets the targets
    double beyond; ///< proven least distance of some tip from its target, m; 0: nothing is proven
    int wanted;    ///< the search ends after this number of answers
    /// Called with the coordinates of each answer that the search finds. Returns the number of
    /// answers it counts for; TAKEN_ENOUGH ends the search. NULL: the first answer ends the search
    /// and is stored in `best`.
    int (*take)(void* user, const double* q);
    void* take_user;
    int iterations;
    int starts;
    int answers;
    int descents; ///< largest number of iterations of a descent
    double fall;  ///< a descent ends if E falls by less than this fraction over several iterations
    PoiseReachReason reason;
    int limiting; ///< index of the joint whose limit keeps a target unmet; -1: none
} BodyProblem;

/// The functions that one instance of the lane headers (body_search.h) provides.
typedef struct BodyKernel {
    /// Computes the frame after each joint, in the group's frame, units.
    void (*trace)(const BodyGroup* group, const double* q, PoisePose* frames);
    /// Computes the centre of mass in the group's frame, units.
    PoiseVec3 (*centre)(const BodyGroup* group, const double* q);
    /// Searches for answers. `best` becomes the first one, or the nearest posture of all starts.
    void (*search)(BodyProblem* problem);
    /// Descends from `best` to the nearest posture and sets the reason.
    void (*descend)(BodyProblem* problem);
    /// Makes one step from `start` and stores it in `best`. Returns true, without a step, if the
    /// targets are met.
    bool (*track)(BodyProblem* problem);
    /// Begins a search that runs in slices. `search` has search_size bytes, aligned to
    /// BODY_ALIGNMENT.
    void (*begin)(void* search, BodyProblem* problem);
    /// Runs one iteration of a search in slices. Returns true if the targets are met. `best` is the
    /// answer then, and the nearest posture until then.
    bool (*advance)(void* search);
    size_t search_size;
    const ChainKernel* chains; ///< functions for groups that are one limb
} BodyKernel;
enum { BODY_ALIGNMENT = 64 };
extern const BodyKernel poise__body_exact;
extern const BodyKernel poise__body_exact_avx2;
extern const BodyKernel poise__body_avx2;
const BodyKernel* poise__body_kernel(PoiseBodyPath path);
/// Returns the instance for batches, with the bits of `kernel`: eight lanes if the processor has
/// them.
const ChainKernel* poise__batch_kernel(const ChainKernel* kernel);

// ---------------------------------------------------------------------------- body_compile.c

/// Compiles a body as poise_body_compile does, for tips that have been checked. Nodes for which
/// `is_rigid` returns true become rigid.
PoiseBody* poise__body_make(PoiseTree* tree, const PoiseBodyDef* def, NodeIsRigid* is_rigid);

// ---------------------------------------------------------------------------- body_problem.c

/// Fills the problem of a group from the def, the targets (one for each tip of the body) and the
/// start `posture`. False if the start is invalid.
bool poise__body_begin(const BodyGroup* group, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, const double* posture, BodyProblem* problem);

/// Solves the problem of a group. `best` becomes the answer, or the nearest posture.
void poise__group_solve(const BodyKernel* kernel, BodyProblem* problem);
/// Returns the squared distance between two postures of a group, in rad and units.
double poise__group_distance2(const BodyGroup* group, const double* a, const double* b);
/// Returns the size of a group's coordinates in bytes.
static inline size_t poise__group_size(const BodyGroup* group) {
    return (size_t)(group->joint_count + 4 * group->ball_count) * sizeof(double);
}
/// Copies the answer q to `own` and adds whole turns to its hinges, toward the start. Returns the
/// squared distance from the start.
double poise__group_near(const BodyProblem* problem, const double* q, double* own);

/// Writes the errors of a tip at `pose` in the active rows, m and rad; 0 in other rows.
void poise__tip_rows(const PoiseBodyTarget* target, PoiseBodyGoal goal, PoisePose pose,
                     double rows[6]);

/// Adds a group's result to the report. The reason is that of the first group that is not met.
void poise__body_add_group(const BodyProblem* problem, PoiseBodyReport* report);
void poise__body_add_report(const PoiseBodyReport* group, PoiseBodyReport* report);
/// A record of the answer that is nearest to the start.
typedef struct NearestAnswer {
    const BodyProblem* problem;
    double least; ///< squared distance of `q` from the start; HUGE_VAL before the first answer
    double q[BODY_MOST_Q];
} NearestAnswer;

/// A function for BodyProblem.take, with a NearestAnswer as `user`: keeps the answer if it is
/// nearer to the start than all before.
int poise__nearest_take(void* user, const double* q);

// ------------------------------------------------------------------------------- body_limb.c

/// If the group is a chain and all active rows of its target have weight 1, fills `limb` and
/// returns true. `targets` are valid, one for each tip of the body.
bool poise__limb_of(const BodyGroup* group, const PoiseBodySolveDef* def,
                    const PoiseBodyTarget* targets, Limb* limb);

// ----------------------------------------------------------------------------- body_levels.c

/// The input of a group whose targets have several priorities.
typedef struct LevelsCall {
    const PoiseBody* body;
    const BodyGroup* group;
    const PoiseBodySolveDef* def;
    const PoiseBodyTarget* targets; ///< in the order of the body's tips
} LevelsCall;

/// Returns the number of different priorities among the group's targets that have a weight above 0.
int poise__group_level_count(const BodyGroup* group, const PoiseBodyTarget* targets);
/// Solves a group by its priorities. Writes its numbers of the posture, and its results into
/// `found`. False, with nothing changed, if the start is invalid.
bool poise__group_solve_levels(const LevelsCall* call, double* posture, BodyProblem* found);
/// Makes one tracking step of a group by its priorities; otherwise as poise__group_solve_levels.
bool poise__group_track_levels(const LevelsCall* call, double* posture, BodyProblem* found);

// ------------------------------------------------------------------------------ body_solve.c

/// Solves all groups from `posture`, which becomes the answer. The targets must be valid. False,
/// with nothing changed, if the start is invalid.
bool poise__body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report);
/// Makes one tracking step of all groups; otherwise as poise__body_solve.
bool poise__body_track(const PoiseBody* body, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report);
/// Computes the errors at a posture for the report.
void poise__body_measure(const PoiseBody* body, const PoiseBodySolveDef* def,
                         const PoiseBodyTarget* targets, const double* posture,
                         PoiseBodyReport* report);
/// Returns how many degrees of freedom of a posture are on a limit.
int poise__body_count_limited(const PoiseBody* body, const double* posture);

// ---------------------------------------------------------------------------- body_answers.c

/// Searches a group until problem->wanted starts have met its targets. `best` becomes the answer
/// nearest to the start, or the nearest posture if there is no answer.
void poise__group_solve_nearest(const BodyKernel* kernel, BodyProblem* problem);

// ---------------------------------------------------------------------------- body_posture.c

/// True if the posture is finite and no rotation is 0.
bool poise__body_is_posture(const PoiseBody* body, const double* posture);
/// True if the posture is finite, no rotation is 0, and no angle is beyond 1e5 rad.
bool poise__body_is_start(const PoiseBody* body, const double* posture);

/// Copy the coordinates of a part from its chain's order to the group's order, and back.
void poise__group_put(const BodyGroup* group, const BodyPart* part, const double* from, double* q);
void poise__group_get(const BodyGroup* group, const BodyPart* part, const double* q, double* to);
/// Converts a posture of the body to a group's coordinates, clamped to the ranges. False if the
/// posture is invalid.
bool poise__group_load(const BodyGroup* group, const double* posture, double* q);
/// Writes a group's coordinates to its numbers of the posture. Hinges get the whole turns that
/// bring them nearest to `start`.
void poise__group_store(const BodyGroup* group, const double* start, double* q, double* posture);

#endif
