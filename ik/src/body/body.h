// SPDX-License-Identifier: MIT
// A compiled body: data and functions that the files of this folder share, in reading order:
//
//     body_compile.c     divides the tree into parts and groups: poise_body_compile
//     body_posture.c     postures of the caller
//     body_forward.c     poise_body_forward, poise_body_jacobian
//     body_frames.h      frames of the parts, errors of the tips
//     body_dense.h       rows that join limbs: tips in a link's frame, centres of mass
//     body_step.h        the damped step inside the limits, by elimination from tips to root
//     body_search.h      the search from many starts; the descent to the nearest posture
//     body_exact.c, ..   the instances of these headers, and body_dispatch.c, which selects one
//     body_problem.c     the problem of one group
//     body_levels.c      groups whose targets have several priorities
//     body_limb.c        groups that are chains
//     body_solve.c       poise_body_solve, poise_body_track
//     body_answers.c     poise_body_answers, and the nearest of several answers
//     body_batch.c       batches and paths of targets
//     body_apart.h, ..   parts to keep apart: answers, steps and paths that are free
//
// A part is a series of joints without a branch, compiled as a chain (chain.h). A limb is a part
// that ends in one tip and carries no other part. The other parts are the trunk. A group is a part
// on the base and all parts that it carries. Groups share no joint, so each is solved alone. A tip
// whose rows join limbs makes one group of all parts.
//
// The joints of a group are in one array, part after part, the base first, and so are their
// coordinates: one for each joint, then the rotations of balls and cones. The frame of the targets
// is that of the group's first joint. Lengths are in the body's unit.
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
/// Largest number of degrees of freedom of the trunk of a group.
enum { BODY_MOST_TRUNK = 64 };
/// Numbers of a symmetric matrix of the trunk, by rows up to the diagonal.
enum { BODY_TRUNK_SIZE = BODY_MOST_TRUNK * (BODY_MOST_TRUNK + 1) / 2 };
/// Largest number of rows of a group that join limbs, and of couplings between limbs.
enum { BODY_MOST_DENSE = 24, BODY_MOST_JOINS = 8 };

/// Joints in series.
typedef struct BodyPart {
    Chain* chain; ///< joints, coordinates and seeds
    int parent;   ///< index in the group of the part that carries it; -1: the base
    int begin;    ///< index of its first joint in the group
    int end;
    int ball;    ///< index of its first ball in the group
    int number;  ///< index of its first number in a posture of the body
    int dof;     ///< index of its first degree of freedom in the body
    int tip;     ///< limb: its tip; -1: a part of the trunk
    int last;    ///< last degree of freedom of the trunk up to its end; -1: none
    bool floats; ///< its first joint is free
    // frame of the first joint in the parent's last frame
    bool plain;      ///< without a rotation
    double start[3]; ///< units
    double turn[9];  ///< row-major
} BodyPart;

typedef enum BodyTipKind {
    BODY_TIP_WORLD,  ///< a frame with a target in the world
    BODY_TIP_FRAME,  ///< a frame with a target in the frame of another link
    BODY_TIP_CENTRE, ///< a centre of mass with a target in the world
} BodyTipKind;

/// A frame or a centre of mass that has a target.
typedef struct BodyTip {
    BodyTipKind kind;
    int part;              ///< -1: a centre of mass
    uint64_t part_bits;    ///< parts that carry the tip, as bits
    int other;             ///< part that carries the frame of the target; -1: the world
    uint64_t other_bits;   ///< parts that carry this frame, as bits
    PoisePose other_frame; ///< frame of the target in the last frame of part `other`, m
    int number;            ///< index of the tip in the body
    bool limb;             ///< the tip ends a limb
    PoisePose frame;       ///< in the part's last frame, m
    double arm[3];         ///< position of `frame`, units
    double reach;          ///< largest distance from the group's first joint, units; infinite with
                           ///< an open slider
    double free_reach;     ///< `reach` if sliders without a range do not move
    int trunk_count;
    int trunk[BODY_MOST_TRUNK]; ///< degrees of freedom of the trunk that move it, ascending
    uint64_t trunk_bits;        ///< the degrees of freedom of `trunk`, as bits
} BodyTip;

/// The mass that moves with a joint, and not with the next.
typedef struct BodyMass {
    double mass;      ///< fraction of the body's mass
    double moment[3]; ///< mass times centre, in the frame after the joint, units
} BodyMass;

/// A coupling of two joints of different parts: coordinate = ratio * coordinate of the leader +
/// offset.
typedef struct BodyJoin {
    int joint;
    int leader;
    double ratio;
    double offset;
} BodyJoin;

/// A degree of freedom of the trunk.
typedef struct BodyDof {
    int joint;
    int axis; ///< ball: 0, 1, 2
    int up;   ///< the next degree of freedom toward the base; -1: none
} BodyDof;

typedef struct BodyGroup {
    int part_count;
    int joint_count;
    int ball_count;
    int tip_count;   ///< tips whose rows depend on one limb and the trunk
    int dense_count; ///< tips whose rows join limbs; they come after the others
    int join_count;
    int slot_count; ///< columns of the rows that join limbs
    int tie_count;
    int dof_count; ///< of the trunk
    int centre;    ///< the tip that is a centre of mass; -1: none
    bool single;   ///< a limb on the base: a chain
    double unit;
    PoisePose base;          ///< frame before the first joint, world
    PoisePose free_in_group; ///< floating base: frame in which the numbers of its posture are, m
    BodyPart parts[BODY_MOST_PARTS];
    BodyTip tips[BODY_MOST_TIPS];
    BodyDof dofs[BODY_MOST_TRUNK];
    ChainJoint joints[BODY_MOST_JOINTS];
    ChainTie ties[BODY_MOST_JOINTS];
    BodyJoin joins[BODY_MOST_JOINS];
    int slots[BODY_MOST_JOINTS]; ///< first column of each joint
    // members of a group with a centre of mass
    BodyMass masses[BODY_MOST_JOINTS];
    double carried[BODY_MOST_JOINTS]; ///< mass that each joint moves, as a fraction of the body's
    double still[3];                  ///< moment of the links that no joint moves, units
} BodyGroup;

/// True if rows of the group join limbs.
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
    const BodyPart* parts[BODY_MOST_PARTS]; ///< of all groups, in the order of their numbers
    struct BodyApart* apart;                ///< parts to keep apart; NULL: none
    int tip_group[BODY_MOST_TIPS];          ///< group of each tip of the caller
    int tip_index[BODY_MOST_TIPS];          ///< index of each tip in its group
};

/// A tip's target in the group's frame: the tip's position, in units, and the rotation of the last
/// frame of its part.
typedef struct BodyTarget {
    PoiseBodyGoal goal;
    bool weighted;
    ChainTarget target;
    double axes[9];    ///< weighted: directions of the rows, by rows
    double weights[6]; ///< square roots of the weights; 0: the row is off
} BodyTarget;

/// The problem of one group: its targets, its start and its result.
typedef struct BodyProblem {
    const BodyGroup* group;
    const PoiseBodySolveDef* def;
    BodyTarget targets[BODY_MOST_TIPS];
    double position_tolerance2; ///< squared, in units
    double angle_tolerance2;
    double start[BODY_MOST_Q];
    double best[BODY_MOST_Q]; ///< the answer, or the nearest posture found
    double least;             ///< E of `best`
    uint64_t counter;         ///< counter of the random numbers
    bool too_far;             ///< no posture meets the targets, by the lengths of the links
    double beyond;            ///< proven distance of a tip from its target, m; 0: none
    int wanted;               ///< number of answers that ends the search
    /// Receives the coordinates of every answer. Returns how many of the wanted answers this one
    /// is; TAKEN_ENOUGH ends the search. NULL: the first answer ends the search, in `best`.
    int (*take)(void* user, const double* q);
    void* take_user;
    int iterations;
    int starts;
    int answers;
    int descents; ///< largest number of iterations of a descent
    double fall;  ///< a descent ends when E falls by less than this fraction over some iterations
    PoiseReachReason reason;
    int limiting; ///< joint whose limit keeps a target unmet; -1: none
} BodyProblem;

/// The functions of one instance of the lane headers.
typedef struct BodyKernel {
    /// Computes the frame after each joint, in the group's frame, units.
    void (*trace)(const BodyGroup* group, const double* q, PoisePose* frames);
    /// Computes the centre of mass, in the group's frame, units.
    PoiseVec3 (*centre)(const BodyGroup* group, const double* q);
    /// Searches for answers: `best` is the first, or the best end of a start.
    void (*search)(BodyProblem* problem);
    /// Descends from `best` to the nearest posture, and sets the reason.
    void (*descend)(BodyProblem* problem);
    /// Makes one step from `start` to `best`. True, without a step, if the targets are met.
    bool (*track)(BodyProblem* problem);
    /// Begins a search in slices. `search` has search_size bytes, aligned to BODY_ALIGNMENT.
    void (*begin)(void* search, BodyProblem* problem);
    /// Runs one iteration. True if the targets are met; `best` is then the answer, before that the
    /// best end of a start.
    bool (*advance)(void* search);
    size_t search_size;
    const ChainKernel* chains; ///< kernel of groups that are one limb
} BodyKernel;
enum { BODY_ALIGNMENT = 64 };
extern const BodyKernel poise__body_exact;
extern const BodyKernel poise__body_exact_avx2;
extern const BodyKernel poise__body_fused;
const BodyKernel* poise__body_kernel(PoiseBodyPath path);
/// Returns the instance for batches of a solve by `kernel`: eight lanes if the processor has them,
/// with the same bits.
const ChainKernel* poise__batch_kernel(const ChainKernel* kernel);

// ---------------------------------------------------------------------------- body_compile.c

/// Compiles a body as poise_body_compile, for valid tips. Nodes for which `is_rigid` is true become
/// rigid.
PoiseBody* poise__body_make(PoiseTree* tree, const PoiseBodyDef* def, NodeIsRigid* is_rigid);

// ---------------------------------------------------------------------------- body_problem.c

/// Prepares the problem of a group. `targets` has one target for each tip of the body. False for an
/// invalid start.
bool poise__body_begin(const BodyGroup* group, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, const double* posture, BodyProblem* problem);

/// Solves a problem: `best` is the answer, or the nearest posture.
void poise__group_solve(const BodyKernel* kernel, BodyProblem* problem);
/// Returns the squared distance between two postures of a group.
double poise__group_distance2(const BodyGroup* group, const double* a, const double* b);
/// Returns the bytes of a group's coordinates: the joints, then the balls' rotations.
size_t poise__group_size(const BodyGroup* group);
/// Copies an answer to `own`, its hinges turned by whole turns toward the start. Returns its
/// squared distance from the start.
double poise__group_near(const BodyProblem* problem, const double* q, double* own);

/// Writes the errors of a tip at a pose in the active rows, m and rad; 0 in the other rows.
void poise__tip_rows(const PoiseBodyTarget* target, PoiseBodyGoal goal, PoisePose pose,
                     double rows[6]);

/// Adds the result of a group to the report, whose reason is that of the first unmet group.
void poise__body_add_group(const BodyProblem* problem, PoiseBodyReport* report);
void poise__body_add_report(const PoiseBodyReport* group, PoiseBodyReport* report);
/// The answer of a group that is nearest to the start.
typedef struct NearestAnswer {
    const BodyProblem* problem;
    double least; ///< squared distance; HUGE_VAL before the first answer
    double q[BODY_MOST_Q];
} NearestAnswer;

/// Stores an answer if it is nearer to the start than all earlier answers (BodyProblem.take).
/// `user` is the NearestAnswer.
int poise__nearest_take(void* user, const double* q);

// ------------------------------------------------------------------------------- body_limb.c

/// A group that is a chain, and the search for its target.
typedef struct Limb {
    const BodyPart* part;
    PoisePose target;
    ChainSearch search;
} Limb;
/// Fills the limb and returns true if the group is a chain and the active rows of its target have
/// the weight 1. `targets`: valid, one for each tip of the body.
bool poise__limb_of(const BodyGroup* group, const PoiseBodySolveDef* def,
                    const PoiseBodyTarget* targets, Limb* limb);

// ----------------------------------------------------------------------------- body_levels.c

/// The arguments of poise__group_solve_levels and poise__group_track_levels: a group whose targets
/// have several priorities.
typedef struct LevelsCall {
    const PoiseBody* body;
    const BodyGroup* group;
    const PoiseBodySolveDef* def;
    const PoiseBodyTarget* targets; ///< of all tips of the body
} LevelsCall;

/// Returns the number of priorities among the targets of a group that have a weight above 0.
int poise__group_level_count(const BodyGroup* group, const PoiseBodyTarget* targets);
/// Solves a group by its priorities: writes the posture, and the results for a report into `found`.
/// False, with nothing changed, for an invalid start.
bool poise__group_solve_levels(const LevelsCall* call, double* posture, BodyProblem* found);
/// Makes one step of the group. Arguments and result are those of poise__group_solve_levels.
bool poise__group_track_levels(const LevelsCall* call, double* posture, BodyProblem* found);

// ------------------------------------------------------------------------------ body_solve.c

/// Solves all groups from `posture`, which becomes the answer. The targets are valid. False, with
/// nothing changed, for an invalid start.
bool poise__body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report);
/// Makes one step of all groups. Arguments and result are those of poise__body_solve.
bool poise__body_track(const PoiseBody* body, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report);
/// Sets the errors of a report.
void poise__body_measure(const PoiseBody* body, const PoiseBodySolveDef* def,
                         const PoiseBodyTarget* targets, const double* posture,
                         PoiseBodyReport* report);
/// Returns the number of degrees of freedom of a posture on a limit.
int poise__body_count_limited(const PoiseBody* body, const double* posture);

// ---------------------------------------------------------------------------- body_answers.c

/// Searches a group until `problem->wanted` starts have met its targets. `best` is the answer
/// nearest to the start, or the nearest posture.
void poise__group_solve_nearest(const BodyKernel* kernel, BodyProblem* problem);

// ---------------------------------------------------------------------------- body_posture.c

/// True if the posture is finite and no rotation is 0.
bool poise__body_is_posture(const PoiseBody* body, const double* posture);
/// True if the posture is finite, no rotation is 0, and no angle is beyond 1e5 rad.
bool poise__body_is_start(const PoiseBody* body, const double* posture);

/// Copies a part's coordinates between its chain's order and the group's.
void poise__group_put(const BodyGroup* group, const BodyPart* part, const double* from, double* q);
void poise__group_get(const BodyGroup* group, const BodyPart* part, const double* q, double* to);
/// Converts a posture of the body to a group's coordinates inside the ranges. False for an invalid
/// start.
bool poise__group_load(const BodyGroup* group, const double* posture, double* q);
/// Converts a group's coordinates to numbers of the posture. Whole turns bring hinges near `start`.
void poise__group_store(const BodyGroup* group, const double* start, double* q, double* posture);

#endif
