// SPDX-License-Identifier: MIT
// Compiled inverse kinematics of a limb or a whole body: finds postures at which hands, feet and
// head meet all their targets at once. A tree becomes a trunk with limbs, nested to any depth. The
// lanes of the processor's vector unit search from different starts at the same time.
//
//     poise_body_compile        once: makes the body from the tips to the base
//     poise_body_solve          finds a posture for all targets, from any posture inside the ranges
//     poise_body_answers        finds several, the nearest first
//     poise_body_track          makes one step toward moving targets
//     poise_body_solve_batch    solves many sets of targets, on several threads if asked
//     poise_body_follow_batch   follows a path of such sets
//     poise_body_keep_apart     keeps shapes apart in all of these
//
// Tips that share no joint are solved independently. If no other tip shares its joints, a tip is
// the end of a chain, for which a faster search exists. That search needs the weight 1 in all rows
// of the goal, and no parts to keep apart. A tip may also be a centre of mass, or have its target
// in the frame of another link. Then, or if joints of two limbs are coupled, all tips are solved
// together.
//
// Only poise_body_keep_apart changes a compiled body. Any number of threads may use a body at once,
// and its tree may change or be destroyed. A solve allocates nothing, reads no clock and keeps no
// state. It needs 512 KiB of stack, or 1.5 MiB with parts to keep apart. Equal calls give equal
// bits in every run, with every compiler and on every processor (PoiseBodySolveDef.path).
//
// A posture is an array of numbers, limb after limb from the base to the tips. poise_body_node
// returns the node of each number. The numbers of one node are in the order of poise_node_posture:
// hinge or slider 1 (rad, m), universal 2, translation 3, ball 4 (w, x, y, z), free 7.
#ifndef POISE_BODY_H
#define POISE_BODY_H

#include "poise/apart.h"
#include "poise/ik.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Largest number of degrees of freedom of a body.
#define POISE_BODY_MOST_DOF 128
/// Largest number of numbers in a posture of a body.
#define POISE_BODY_MOST_POSTURE 176
/// Largest number of tips of a body.
#define POISE_BODY_MOST_TIPS 32

/// A compiled body. Its contents are private.
typedef struct PoiseBody PoiseBody;

/// A frame or a centre of mass that should meet a target. Members that are not needed are 0.
typedef struct PoiseBodyTip {
    /// The node whose link carries the tip.
    PoiseNodeId link;
    /// The tip's frame in that link, m.
    PoisePose in_link;
    /// The node whose link is the frame of the target, as PoisePointDef.frame does. An example is a
    /// target of one hand in the frame of the other. Some joint must move this link, and some joint
    /// the tip relative to it. Null: the world.
    PoiseNodeId frame;
    /// True: the tip is the centre of mass of `link` and of all links that `link` carries. All
    /// nodes that move this mass must belong to the body. The target is a position, world;
    /// `in_link` and `frame` are ignored. At most one tip of a body may be a centre of mass.
    bool centre_of_mass;
} PoiseBodyTip;

/// The settings of a compiled body.
typedef struct PoiseBodyDef {
    /// Set by poise_default_body_def.
    uint32_t cookie;
    /// Number of tips, 1 to POISE_BODY_MOST_TIPS, and the tips. Default 0 and NULL, which are
    /// refused.
    int tip_count;
    const PoiseBodyTip* tips;
    /// Number of seeds of each limb, the stored postures from which searches start: 8 to 65,536,
    /// rounded up to a multiple of 64. More seeds lie nearer to the targets, but take longer to
    /// search; each needs about 280 bytes. Default 1024.
    int seeds;
    /// Start of the random numbers of the seeds: equal numbers give equal seeds. Default 0.
    uint64_t seed;
    /// The memory of the body, which poise_body_destroy frees. Default all zero.
    PoiseHost host;
} PoiseBodyDef;

/// A def with the defaults named above. The caller must set `tips`.
POISE_API PoiseBodyDef poise_default_body_def(void);

/// Compiles all nodes between the tips and the base with their present geometry and ranges. Nodes
/// that are disabled or have all axes off become rigid at their present posture, so a trunk can
/// stay while its arm is solved. The first of several coupled nodes (poise_node_couple) has their
/// coordinate; the numbers of the others follow it in every answer, and their columns are 0. A free
/// node is a floating base. NULL with the reason in poise_tree_status and poise_tree_message, for:
/// - a def that its default function did not make, or a handle that is not valid;
/// - no tips, too many, or one that no node can move;
/// - more than POISE_BODY_MOST_DOF degrees of freedom, or more than 64 between the base and the
///   last branch of a tip;
/// - a tip whose frame moves with it, or that no node moves;
/// - a second centre of mass, or one without mass;
/// - more than 8 nodes coupled with one of another limb (poise_node_couple);
/// - more than 24 rows in all of tips in the frame of a link (6 each), of a centre of mass (3) and
///   of these couplings (1 each);
/// - such a row, if the body has a floating base and another base;
/// - a free node with one or two of its rotations off;
/// - no memory.
POISE_API PoiseBody* poise_body_compile(PoiseTree* tree, const PoiseBodyDef* def);

/// Destroys the body. NULL is allowed.
POISE_API void poise_body_destroy(PoiseBody* body);

/// Number of degrees of freedom; 0 for NULL.
POISE_API int poise_body_dof(const PoiseBody* body);
/// Number of tips; 0 for NULL.
POISE_API int poise_body_tip_count(const PoiseBody* body);
/// Number of groups of tips that share no joint; 0 for NULL.
POISE_API int poise_body_group_count(const PoiseBody* body);
/// Number of numbers in a posture, at most POISE_BODY_MOST_POSTURE; 0 for NULL.
POISE_API int poise_body_posture_size(const PoiseBody* body);
/// Length, m: a position error of this length weighs as much as an angle error of 1 rad. It is a
/// quarter of the mean length of the stretched limbs, trunk included. 0 for NULL.
POISE_API double poise_body_unit(const PoiseBody* body);
/// The node of number `index` of a posture; null past the end.
POISE_API PoiseNodeId poise_body_node(const PoiseBody* body, int index);
/// Lower end of the range of number `index` of a posture, rad or m. Minus infinity without a range,
/// for the rotation of a ball (poise_node_limits has its cone), and past the end. If the axis is
/// off, both ends are the number at compilation, which every answer returns.
POISE_API double poise_body_lower(const PoiseBody* body, int index);
/// Upper end of the range of number `index`, as poise_body_lower, with plus infinity.
POISE_API double poise_body_upper(const PoiseBody* body, int index);
/// True if poses of the tip are solved in closed form. The tip must share no joint with another,
/// and its six hinges must be of one of two kinds. First kind: the last three axes meet, and axes 1
/// and 2 or 2 and 3 are parallel or meet. Second kind: axes 2, 3 and 4 are parallel, and axes 5 and
/// 6 meet. Axes may be off by 2e-5, in rad and poise_body_unit; Newton steps remove the difference.
/// False for NULL and past the end.
POISE_API bool poise_body_closed(const PoiseBody* body, int tip);

/// Writes the middle of the ranges, poise_body_posture_size numbers, rad and m. A number without a
/// finite range gets 0, or the end nearest to 0 if 0 is outside. Balls and floating bases get the
/// identity, clamped to a cone. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_body_middle(const PoiseBody* body, double* posture);
/// Writes the present posture of the tree's nodes, rad and m. POISE_ERROR_INVALID_HANDLE if one of
/// them is destroyed or of another tree.
POISE_API PoiseStatus poise_body_read(const PoiseBody* body, const PoiseTree* tree,
                                      double* posture);
/// Sets the posture of the tree's nodes. The frames of the tree become stale. A follower
/// (poise_node_couple) whose leader is not in the body moves this leader. Errors, with nothing
/// changed: POISE_ERROR_INVALID_ARGUMENT, also for a number that is not finite, and
/// POISE_ERROR_INVALID_HANDLE, as poise_body_read.
POISE_API PoiseStatus poise_body_write(const PoiseBody* body, PoiseTree* tree,
                                       const double* posture);
/// The pose of tip `tip` at a posture, m, where its target is: in the world, or in the frame of
/// PoiseBodyTip.frame. A centre of mass has the rotation 1. The identity for NULL, a tip past the
/// end, or a number that is not finite.
POISE_API PoisePose poise_body_forward(const PoiseBody* body, const double* posture, int tip);
/// Writes J of tip `tip` at a posture: row-major, 6 x poise_body_dof, world, position rows (m)
/// first. The columns are in the order of the numbers of a posture. A ball has three, about the
/// axes of the frame that carries the first joint of its limb. A joint that does not move the tip
/// has a column of 0. A tip in the frame of a link has the columns of its motion relative to this
/// link, along the axes of the frame. Errors: POISE_ERROR_INVALID_ARGUMENT, also for a number that
/// is not finite, and for a centre of mass.
POISE_API PoiseStatus poise_body_jacobian(const PoiseBody* body, const double* posture, int tip,
                                          double* jacobian);

/// The parts of a pose that a target asks for.
typedef enum PoiseBodyGoal {
    POISE_BODY_POSE = 0,
    POISE_BODY_POSITION = 1,
    POISE_BODY_ORIENTATION = 2
} PoiseBodyGoal;

/// The target of a tip.
typedef struct PoiseBodyTarget {
    /// Set by poise_default_body_target.
    uint32_t cookie;
    /// The pose of the tip, m, in the world or in the frame of PoiseBodyTip.frame. Default the
    /// identity.
    PoisePose pose;
    /// The part of the pose that the target asks for. A centre of mass has POISE_BODY_POSITION,
    /// whatever is here. Default POISE_BODY_POSE.
    PoiseBodyGoal goal;
    /// Weights of the squared errors: of the position along x, y and z, then of the rotation about
    /// them, each >= 0. 0: the row is off. Default 1.
    double weights[6];
    /// The axes of these rows: POISE_ROW_AXES_WORLD or POISE_ROW_AXES_GOAL. If the target is in the
    /// frame of a link, the former means the axes of this frame. Default POISE_ROW_AXES_WORLD.
    PoiseRowAxes axes;
    /// Targets of a lower number come first, strictly: 0 to 15, or POISE_PRIORITY_CLOSURE. A
    /// target gets the least error that leaves those of lower numbers as they are. All priorities
    /// must be equal if parts are kept apart. Default 0.
    int priority;
} PoiseBodyTarget;

/// The target of a pose, world, m, with the defaults named above.
POISE_API PoiseBodyTarget poise_default_body_target(PoisePose pose);

/// Keeps parts apart in all later answers, steps and paths of the body. Copies the parts, pairs,
/// distances, range and obstacles of `apart`. Later changes of `apart` and its tree have no effect:
/// call again after an obstacle has moved. Links that the body does not move stay where they are
/// now. NULL: no parts are kept apart.
///
/// In every answer all pairs are then at least `distance` apart (to 1e-9 m). If a posture meets the
/// targets but a pair is too near, least-squares steps move it first. Their inequalities are n^T
/// (J_a - J_b) x >= distance - d (poise/apart.h). If they fail, the search continues. A step of
/// poise_body_track has the same inequalities and ends before a pair is nearer than half its
/// distance; a path stops there. If a pair keeps the tips from their targets, the reason is
/// POISE_REACH_HELD, and PoiseBodyReport.held_by is the pair. No answer exists if a pair that the
/// body does not move is too near at the call.
///
/// Not while another thread uses the body. Errors, with nothing changed:
/// POISE_ERROR_INVALID_ARGUMENT (NULL, or a body with a centre of mass, with a tip in the frame of
/// a link or with coupled limbs, or too many joints and tips for the memory of a step, or more than
/// 256 parts on the body's links), POISE_ERROR_INVALID_HANDLE (another tree, or a node is gone),
/// POISE_ERROR_STALE (frames of the tree), POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_body_keep_apart(PoiseBody* body, const PoiseApart* apart);

/// The processor instructions of a solve. Every choice meets the targets to the tolerances.
typedef enum PoiseBodyPath {
    /// Vector instructions if the processor has them, but no fused operations. The bits are the
    /// same on every processor.
    POISE_BODY_EXACT = 0,
    /// Plain C, with the bits of POISE_BODY_EXACT.
    POISE_BODY_PLAIN = 1,
    /// Fused multiply-adds if the processor has AVX2 and FMA, else as POISE_BODY_EXACT: faster by a
    /// tenth to a third; the last bits differ. Batches of a body of one limb take AVX-512 if it is
    /// there, with the results of AVX2.
    POISE_BODY_FUSED = 2
} PoiseBodyPath;

/// The settings of a solve.
typedef struct PoiseBodySolveDef {
    /// Set by poise_default_body_solve_def.
    uint32_t cookie;
    /// Largest number of iterations of each group, >= 1, which bounds the work instead of a clock.
    /// Each iteration moves four starts by a step. A group that no start brings to its targets then
    /// descends to the nearest posture. A chain descends after 150 iterations. It searches on only
    /// if the error of this posture, in rad and poise_body_unit, is below 0.25; a smaller error
    /// makes it search longer. Default 2000.
    int iterations;
    /// Number of answers of each group that end its search, >= 1. 1: the first answer is the
    /// result. More: the search continues until this number of starts have met the targets, or the
    /// iterations are used up. The result is then the answer closest to the given posture, by the
    /// root of the sum of squares of angles (rad) and lengths (m). Default 1.
    int answers;
    /// Start of the random numbers: equal numbers give equal searches. Default 0.
    uint64_t seed;
    /// Errors of a tip below which its target is met, m and rad, > 0. Default 5e-10: the answers
    /// of two paths are then within 1e-9 of each other.
    double position_tolerance;
    double angle_tolerance;
    /// Default POISE_BODY_EXACT.
    PoiseBodyPath path;
    /// Batches: number of threads, 1 to 256. 1 uses the caller's thread. The answers do not depend
    /// on it. Default 1.
    int threads;
    /// poise_body_follow_batch: true if joints may leap by more than POISE_FOLLOW_STEP between
    /// consecutive answers. Default false.
    bool leap;
    /// poise_body_follow_batch: true if the path stopped in an earlier call, and this batch
    /// continues it. Default false.
    bool stopped;
} PoiseBodySolveDef;

/// A def with the defaults named above.
POISE_API PoiseBodySolveDef poise_default_body_solve_def(void);
/// The reason, in words, why the def cannot be used. NULL if it can.
POISE_API const char* poise_body_solve_def_problem(const PoiseBodySolveDef* def);
/// The reason, in words, why the targets, one of each tip, cannot be used. NULL if they can. `tip`
/// (NULL: not wanted) gets the index of the first target with a problem; -1 if the body or the
/// array is missing, or if there is no problem.
POISE_API const char* poise_body_targets_problem(const PoiseBody* body,
                                                 const PoiseBodyTarget* targets, int* tip);

/// The results of a solve.
typedef struct PoiseBodyReport {
    /// The return value of poise_body_solve.
    PoiseStatus status;
    /// Why the search ended, for the first group whose targets are not met.
    PoiseReachReason reason;
    /// POISE_REACH_OUT_OF_REACH: in every posture some tip of that group is at least this far from
    /// its target, m. 0 for other reasons, and if a chain can meet the position and the rotation of
    /// its target, but not both at once.
    double beyond;
    /// Iterations and starts used, and answers found, over all groups. A chain counts the
    /// iterations of each lane.
    int iterations;
    int starts;
    int answers;
    /// Index of the tip whose error is the largest multiple of the tolerance. Then the largest
    /// distance and angle to the targets over all tips, in the active rows, m and rad.
    int worst_tip;
    double error;
    double angle_error;
    /// Degrees of freedom of the returned posture on a limit; a ball's swing and twist count as one
    /// each.
    int limited_dofs;
    /// POISE_REACH_AT_LIMITS: index in the posture of the number whose limit does most to keep the
    /// tips from their targets. -1 otherwise.
    int limit;
    /// POISE_REACH_HELD: true. `held_by` is the nearest pair, by its parts in the PoiseApart, that
    /// keeps the tips from their targets. `held_gap` is its gap, m, below 0 if the search found no
    /// posture without overlap. Otherwise false and 0.
    bool held;
    PoiseApartPair held_by;
    double held_gap;
} PoiseBodyReport;

/// Finds a posture at which every tip is at its target. `targets` has one target of each tip, in
/// the order of the def. On entry `posture` is the start, which is clamped to ranges and cones. On
/// return it is the answer, inside the ranges (cones to 1e-12 rad). The angle of a hinge is in the
/// whole turn nearest to the start that its range allows. A chain with a closed form
/// (poise_body_closed) takes the nearest of all answers to a pose.
///
/// The search makes damped Newton steps (J J^T + lambda I) y = v inside the limits, with lambda in
/// proportion to the error (Sugihara 2011). It eliminates the rows of each limb first, so that only
/// the joints of the trunk remain. Four starts run at once. A start has the trunk of `posture`, and
/// for each limb the seed that needs the least motion. If it makes no progress, the limbs that miss
/// get other seeds, and after several changes the trunk becomes random. If a target is out of reach
/// of a floating base, the base is first fitted to the tips.
///
/// If there are several priorities (PoiseBodyTarget.priority), each group searches for the targets
/// of all of them in at most 150 iterations, then for those of fewer priorities. It descends from
/// the postures found and from the start, one priority after another. `answers` of the def has no
/// effect then.
///
/// POISE_OK: all targets are met. POISE_NOT_CONVERGED: the posture is the nearest that was found,
/// and `reason` says why. If there are several priorities, `reason` is that of the first one that
/// is not met. The nearest posture has the least sum of (distance / poise_body_unit)^2 + angle^2
/// over the tips. Before the search, lengths of links and ranges of sliders may prove
/// POISE_REACH_OUT_OF_REACH. Errors, with nothing changed: NULL, a def or target that its default
/// function did not make, a number that is not finite, a rotation of 0, an angle beyond 1e5 rad
/// (poise_body_targets_problem). `def` NULL: the default; `report` NULL: not wanted.
POISE_API PoiseStatus poise_body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                                       const PoiseBodyTarget* targets, double* posture,
                                       PoiseBodyReport* report);

/// Largest number of answers of one call of poise_body_answers.
#define POISE_BODY_MOST_ANSWERS 64

/// Several answers of one set of targets.
typedef struct PoiseBodyAnswers {
    /// Number of postures that `postures` has room for, 1 to POISE_BODY_MOST_ANSWERS.
    int capacity;
    /// The answers, one posture after the other, the nearest to the start first.
    double* postures;
    /// On return, their number.
    int count;
    /// On return, true if the targets provably have no other answers inside the ranges, apart from
    /// whole turns of hinges: the answers are those of a closed form, or the reach proves that
    /// there are none.
    bool all;
} PoiseBodyAnswers;

/// The reason, in words, why the answers cannot be written. NULL if they can.
POISE_API const char* poise_body_answers_problem(const PoiseBodyAnswers* answers);

/// Finds up to `answers->capacity` different answers, sorted by their distance from `start`: the
/// root of the sum of squares of angles (rad) and lengths (m). Each group searches until the number
/// of starts that met its targets is four times the capacity, or until its iterations are used up.
/// Answers of different groups are combined. A chain with a closed form returns all its answers, at
/// most 8. There are infinitely many answers if there are more degrees of freedom than rows. An
/// answer meets the targets of all priorities. POISE_OK: at least one answer. POISE_NOT_CONVERGED:
/// no answer. Errors, with nothing changed: as poise_body_solve, and answers that cannot be written
/// (poise_body_answers_problem). `def` NULL: the default.
POISE_API PoiseStatus poise_body_answers(const PoiseBody* body, const PoiseBodySolveDef* def,
                                         const PoiseBodyTarget* targets, const double* start,
                                         PoiseBodyAnswers* answers);

/// Makes one step from `posture` toward the targets, as a control loop needs: a damped step inside
/// the limits, the whole distance if that is small. Several priorities make one such step each. It
/// never jumps to another answer. It uses only the tolerances and the path of the def. `report`
/// (NULL: not wanted) gets the errors before the step. POISE_OK: the targets were met, and the
/// posture has not changed. Otherwise POISE_NOT_CONVERGED with POISE_REACH_BUDGET. Errors as
/// poise_body_solve.
POISE_API PoiseStatus poise_body_track(const PoiseBody* body, const PoiseBodySolveDef* def,
                                       const PoiseBodyTarget* targets, double* posture,
                                       PoiseBodyReport* report);

/// Many sets of targets. The caller owns the arrays.
typedef struct PoiseBodyBatch {
    int count;
    /// `count` sets, each with one target of each tip.
    const PoiseBodyTarget* targets;
    /// `count` postures, one after the other: on entry the starts, on return the answers.
    double* postures;
    /// `count` reports, or NULL.
    PoiseBodyReport* reports;
} PoiseBodyBatch;

/// The reason, in words, why the batch cannot be solved. NULL if it can. `index` (NULL: not wanted)
/// gets the index of the first set with an invalid target or start; -1 if the batch or the body
/// itself is invalid, or if there is no problem.
POISE_API const char* poise_body_batch_problem(const PoiseBody* body, const PoiseBodyBatch* batch,
                                               int* index);

/// Solves each set as poise_body_solve does, with the same bits. The bits differ in one case: all
/// targets have the same goal, and the body is a chain with one tip. Each lane then has a target of
/// its own and runs the starts of this target one after the other. A closed form is used only with
/// `answers` above 1, because the lanes find one answer in less time. POISE_OK: all are met.
/// POISE_NOT_CONVERGED: some are not, see the reports. Errors as poise_body_solve, found before any
/// posture changes (poise_body_batch_problem). If a thread cannot be started, the calling thread
/// does its work.
POISE_API PoiseStatus poise_body_solve_batch(const PoiseBody* body, const PoiseBodySolveDef* def,
                                             const PoiseBodyBatch* batch);

/// Follows a path of sets. The first starts from its posture in the batch, each further one from
/// the answer before it: at most 50 steps of poise_body_track, then the nearest of 16 answers, or
/// of `def->answers` if that is more. The path stops at the first set to which a joint would move
/// by more than POISE_FOLLOW_STEP, unless `def->leap`. From there on the reasons are
/// POISE_REACH_LEAP, and the postures stay. The path runs in one thread. Statuses as
/// poise_body_solve_batch.
POISE_API PoiseStatus poise_body_follow_batch(const PoiseBody* body, const PoiseBodySolveDef* def,
                                              const PoiseBodyBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
