// SPDX-License-Identifier: MIT
// Computes answers, steps and paths of a body whose parts are kept apart. The step x of a group's
// columns minimises
//
//     1/2 |J x - e|^2 + 1/2 lambda |x|^2,   n^T (J_a - J_b) x >= distance - d   for each near pair
//
// inside the ranges, by the QP of shared/qp.h. lambda is proportional to |e|^2 (Sugihara 2011). A
// posture is free if all pairs keep their distance. A solve first searches as if there were no
// parts. If answers are not free, it repairs some of them by such steps, and searches on if no
// repair succeeds.
#include <string.h>

#include "apart.h"
#include "body_apart.h"
#include "shared/qp.h"

// m; a repair aims at the distance plus this, so that it ends at a free posture
#define AIM 1e-4
// m; a gap counts as kept if it is below its distance by at most this
#define ROUNDING 1e-9
// rad, units; a step changes no coordinate by more: REPAIR_STEP in repairs, TRACK_STEP in tracking
#define REPAIR_STEP 0.3
#define TRACK_STEP  0.1
// lambda is GAIN |e|^2, at least MIN_LAMBDA
#define GAIN       0.03
#define MIN_LAMBDA 1e-12
// fraction of the distance to keep that suffices between two postures
#define HALF 0.5
// m; a path is examined at steps of the least distance to keep, but not below this
#define MIN_KEPT 1e-3
// a repair ends if PATIENCE steps do not bring its merit below PROGRESS times the earlier least
#define PROGRESS 0.9

enum {
    REPAIR_STEPS = 40,
    PATIENCE = 3,
    LAST_PATIENCE = 12,
    HALVINGS = 5,
    MAX_PIECES = 32,
    PATH_PIECES = 4096
};
/// A search repairs the best of each REPAIR_EACH rejected answers. A solve of several groups makes
/// at most ATTEMPTS attempts, in which the earlier groups take other answers. The search of a group
/// ends after MAX_REJECTED rejected answers, and after one more in each further attempt.
enum { REPAIR_EACH = 16, MAX_REJECTED = 10, ATTEMPTS = 60 };
/// Count of the numbers in the memory of a step.
enum { STEP_MEMORY = 60000 };

/// A group at a posture, with all that its steps need.
typedef struct Stepper {
    const BodyProblem* problem;
    const PoiseBodyTarget* targets; ///< in the order of the body's tips
    ApartFrames* frames;
    int group;
    bool all_groups; ///< true: pairs with later groups count too
    double aim;      ///< a step aims at the distance to keep plus this, m
    int near_count;
    ApartGap near[APART_MOST_ROWS];
    signed char active[APART_MOST_ROWS];
    double error2; ///< weighted squared error of the tips, units^2 and rad^2
    bool met;
    double memory[STEP_MEMORY];
} Stepper;

static const ApartNeed WHOLE = {.part = 1.0};

static const PoiseBody* body_of(const Stepper* stepper) {
    return stepper->frames->body;
}

static const BodyApart* apart_of(const Stepper* stepper) {
    return body_of(stepper)->apart;
}

static int max_rows(const BodyGroup* group) {
    return 6 * group->tip_count;
}

/// The arrays of a step in its memory.
typedef struct StepArrays {
    double* jacobian; ///< by column: J of the tips
    double* target;
    double* row_damping;
    double* damping;
    double* centre;
    double* lower;
    double* upper;
    double* x;
    double* constraints; ///< by row: n^T (J_a - J_b) of a near pair
    double* constraint_lower;
    double* constraint_upper;
    unsigned char* held;
    PoiseQpWork work;
} StepArrays;

static size_t carve_step(StepArrays* arrays, int rows, int columns, int constraints, char* base) {
    const size_t r = (size_t)rows, n = (size_t)columns, m = (size_t)constraints;
    const PoiseQpSize size = {.rows = rows, .columns = columns, .constraints = constraints};
    Carver carver = {base, 0};
    arrays->jacobian = poise__carve(&carver, r * n, sizeof(double));
    arrays->target = poise__carve(&carver, r, sizeof(double));
    arrays->row_damping = poise__carve(&carver, r, sizeof(double));
    double** const by_column[] = {&arrays->damping, &arrays->centre, &arrays->lower, &arrays->upper,
                                  &arrays->x};
    for (size_t i = 0; i < sizeof by_column / sizeof by_column[0]; i++) {
        *by_column[i] = poise__carve(&carver, n, sizeof(double));
    }
    arrays->constraints = poise__carve(&carver, m * n, sizeof(double));
    arrays->constraint_lower = poise__carve(&carver, m, sizeof(double));
    arrays->constraint_upper = poise__carve(&carver, m, sizeof(double));
    arrays->held = poise__carve(&carver, n, 1);
    const size_t bytes = poise_qp_work_place(&arrays->work, &size, NULL);
    double* work = poise__carve(&carver, bytes / sizeof(double) + 1, sizeof(double));
    if (base) {
        poise_qp_work_place(&arrays->work, &size, work);
    }
    return carver.used;
}

// True if the memory of a step suffices for every group of the body.
static bool fits(const PoiseBody* body) {
    bool enough = true;
    for (int g = 0; g < body->group_count; g++) {
        StepArrays arrays;
        const BodyGroup* group = body->groups[g];
        int columns = 0;
        for (int p = 0; p < group->part_count; p++) {
            columns += group->parts[p].chain->nv;
        }
        enough = enough && carve_step(&arrays, max_rows(group), columns, APART_MOST_ROWS, NULL) <=
                               STEP_MEMORY * sizeof(double);
    }
    return enough;
}

// ---------------------------------------------------------------------------------- coordinates

// Adds `part` times a step to the coordinates of a group, clamped to the ranges.
static void apply(const PoiseBody* body, const ApartStep* whole, double part, double* q) {
    const BodyGroup* group = body->groups[whole->group];
    const ApartJoint* joints = &body->apart->joints[body->apart->first_joint[whole->group]];
    memcpy(q, whole->q, poise__group_size(group));
    for (int p = 0; p < group->part_count; p++) {
        for (int i = group->parts[p].begin; i < group->parts[p].end; i++) {
            const ChainJoint* joint = &group->joints[i];
            const double* step = &whole->x[joints[i].column];
            if (poise__chain_is_ball(joint)) {
                double* own = &q[joint->q];
                const double turn[3] = {part * step[0], part * step[1], part * step[2]};
                if (joint->kind == CHAIN_CONE) {
                    poise__chain_cone_turn(joint, turn, own);
                    continue;
                }
                const PoiseQuat by = poise_quat_exp(poise_vec3(turn[0], turn[1], turn[2]));
                const PoiseQuat at = poise_quat_normalize(
                    poise_quat_mul(by, poise_quat(own[0], own[1], own[2], own[3])));
                own[0] = at.w;
                own[1] = at.x;
                own[2] = at.y;
                own[3] = at.z;
            } else if (joint->kind != CHAIN_CONE_REST && !joint->follows) {
                q[i] = poise__chain_clamp(q[i] + part * step[0], joint->lower, joint->upper);
            }
        }
    }
    for (int t = 0; t < group->tie_count; t++) {
        const ChainTie* tie = &group->ties[t];
        q[tie->joint] = tie->ratio * q[tie->leader] + tie->offset;
    }
}

// Fills x, by column of group g, with the difference of two postures. Returns a bound of the
// relative motion of any pair, m.
static double difference(const PoiseBody* body, int g, const double* from, const double* to,
                         double* x) {
    const BodyGroup* group = body->groups[g];
    const ApartJoint* joints = &body->apart->joints[body->apart->first_joint[g]];
    double motion = 0.0;
    for (int p = 0; p < group->part_count; p++) {
        for (int i = group->parts[p].begin; i < group->parts[p].end; i++) {
            const ChainJoint* joint = &group->joints[i];
            double* step = &x[joints[i].column];
            if (poise__chain_is_ball(joint)) {
                const double* a = &from[joint->q];
                const double* b = &to[joint->q];
                const PoiseQuat turn =
                    poise_quat_mul(poise_quat(b[0], b[1], b[2], b[3]),
                                   poise_quat_conjugate(poise_quat(a[0], a[1], a[2], a[3])));
                const PoiseVec3 v = poise_quat_log(turn);
                step[0] = v.x;
                step[1] = v.y;
                step[2] = v.z;
                motion += joints[i].lever * poise_length(v);
            } else if (joint->kind != CHAIN_CONE_REST) {
                const double change = to[i] - from[i];
                step[0] = joint->follows ? step[0] : change;
                motion += joints[i].lever * fabs(change);
            }
        }
    }
    return motion;
}

// ------------------------------------------------------------------------------------------ rows

// Returns the axis of row k of a target, world; k and k + 3 have the same axis.
static PoiseVec3 axis_of(const PoiseBodyTarget* target, int k) {
    const PoiseVec3 axis = poise_vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    return target->axes == POISE_ROW_AXES_GOAL
               ? poise_quat_rotate(poise_quat_normalize(target->pose.q), axis)
               : axis;
}

// Computes error2 and `met` of the tips and, if `arrays` is not NULL, their rows. Returns the
// number of rows.
static int look_at_tips(Stepper* stepper, StepArrays* arrays, int stride) {
    const BodyGroup* group = stepper->problem->group;
    const int g = stepper->group, columns = apart_of(stepper)->columns[g];
    int rows = 0;
    stepper->error2 = 0.0;
    stepper->met = true;
    for (int t = 0; t < group->tip_count; t++) {
        const BodyTip* tip = &group->tips[t];
        const PoiseBodyTarget* target = &stepper->targets[tip->number];
        const ApartFrame* end = &stepper->frames->ends[g][tip->part];
        const PoisePose pose = poise_pose_mul(poise__apart_pose(end), tip->frame);
        const PoiseVec3 off = poise_scale(1.0 / group->unit, poise_sub(target->pose.p, pose.p));
        const PoiseVec3 turn = poise_quat_log(
            poise_quat_mul(poise_quat_normalize(target->pose.q), poise_quat_conjugate(pose.q)));
        double squares[2] = {0.0, 0.0};
        for (int k = 0; k < 6; k++) {
            const bool counts =
                target->goal == POISE_BODY_POSE || (k < 3) == (target->goal == POISE_BODY_POSITION);
            if (!counts || target->weights[k] == 0.0) {
                continue;
            }
            const double weight = sqrt(target->weights[k]);
            const PoiseVec3 axis = axis_of(target, k);
            const double e = poise_dot(axis, k < 3 ? off : turn);
            squares[k / 3] += e * e;
            stepper->error2 += weight * weight * e * e;
            if (arrays) {
                double row[APART_MOST_JOINTS] = {0.0};
                const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
                const ApartForce force = {tip->part, -1, pose.p,
                                          k < 3 ? poise_scale(weight / group->unit, axis) : none,
                                          k < 3 ? none : poise_scale(weight, axis)};
                poise__apart_add_row(stepper->frames, g, &force, row);
                for (int c = 0; c < columns; c++) {
                    arrays->jacobian[c * stride + rows] = row[c];
                }
                arrays->target[rows] = weight * e;
            }
            rows++;
        }
        stepper->met = stepper->met && squares[0] < stepper->problem->position_tolerance2 &&
                       squares[1] < stepper->problem->angle_tolerance2;
    }
    return rows;
}

// Fills the constraint of near pair k: n^T (J_a - J_b) x >= distance + aim - d.
static void fill_constraint(Stepper* stepper, int k, StepArrays* arrays) {
    const BodyApart* apart = apart_of(stepper);
    const ApartPair* pair = &apart->pairs[stepper->near[k].pair];
    const PoiseGap* gap = &stepper->near[k].gap;
    const int columns = apart->columns[stepper->group];
    double row[APART_MOST_JOINTS] = {0.0};
    for (int side = 0; side < 2; side++) {
        const ApartPart* part = &apart->parts[side == 0 ? pair->a : pair->b];
        if (part->group == stepper->group) {
            const ApartForce force = {part->part, part->joint, side == 0 ? gap->a : gap->b,
                                      poise_scale(side == 0 ? 1.0 : -1.0, gap->normal),
                                      poise_vec3(0.0, 0.0, 0.0)};
            poise__apart_add_row(stepper->frames, stepper->group, &force, row);
        }
    }
    memcpy(&arrays->constraints[k * columns], row, (size_t)columns * sizeof row[0]);
    arrays->constraint_lower[k] = poise_min(stepper->aim - stepper->near[k].room, PUSH_MOST);
    arrays->constraint_upper[k] = HUGE_VAL;
    stepper->active[k] = 0;
}

// Fills the bounds of the step: the distances to the ends of the ranges, at most `most`.
static void fill_bounds(const Stepper* stepper, const double* q, double most, StepArrays* arrays) {
    const BodyGroup* group = stepper->problem->group;
    const BodyApart* apart = apart_of(stepper);
    const ApartJoint* joints = &apart->joints[apart->first_joint[stepper->group]];
    for (int c = 0; c < apart->columns[stepper->group]; c++) {
        arrays->lower[c] = -most;
        arrays->upper[c] = most;
    }
    for (int i = 0; i < group->joint_count; i++) {
        const ChainJoint* joint = &group->joints[i];
        const int c = joints[i].column;
        if ((joint->kind == CHAIN_HINGE || joint->kind == CHAIN_SLIDER) && !joint->follows) {
            arrays->lower[c] = poise_min(poise_max(joint->lower - q[i], -most), 0.0);
            arrays->upper[c] = poise_max(poise_min(joint->upper - q[i], most), 0.0);
        }
    }
}

// Computes the step x of a group at q. Frames and near pairs must be those of q.
static void find_step(Stepper* stepper, const double* q, double most, double* x) {
    const int columns = apart_of(stepper)->columns[stepper->group];
    const int stride = max_rows(stepper->problem->group);
    StepArrays arrays;
    carve_step(&arrays, stride, columns, stepper->near_count, (char*)stepper->memory);
    const int rows = look_at_tips(stepper, &arrays, stride);
    const double lambda = GAIN * poise_min(stepper->error2, 0.25) + MIN_LAMBDA;
    for (int r = 0; r < rows; r++) {
        arrays.row_damping[r] = lambda;
    }
    for (int c = 0; c < columns; c++) {
        arrays.damping[c] = lambda;
        arrays.centre[c] = 0.0;
        arrays.x[c] = 0.0;
        arrays.held[c] = 0;
    }
    fill_bounds(stepper, q, most, &arrays);
    for (int k = 0; k < stepper->near_count; k++) {
        fill_constraint(stepper, k, &arrays);
    }
    const PoiseBlock block = {0, rows, 0, columns, 0, stride};
    const PoiseQp qp = {.j = {rows, columns, 1, &block, arrays.jacobian},
                        .target = arrays.target,
                        .row_damping = arrays.row_damping,
                        .damping = arrays.damping,
                        .centre = arrays.centre,
                        .lower = arrays.lower,
                        .upper = arrays.upper,
                        .constraint_count = stepper->near_count,
                        .constraints = arrays.constraints,
                        .constraint_lower = arrays.constraint_lower,
                        .constraint_upper = arrays.constraint_upper};
    PoiseQpState state = {.x = arrays.x,
                          .held = arrays.held,
                          .active = stepper->active,
                          .guess = stepper->near_count == 0};
    poise_qp_solve(&qp, &arrays.work, &state);
    bool finite = true;
    for (int c = 0; c < columns; c++) {
        finite = finite && isfinite(arrays.x[c]);
    }
    for (int c = 0; c < columns; c++) {
        x[c] = finite ? arrays.x[c] : 0.0;
    }
}

// Returns the nearest pair whose constraint was active in the last step, or NULL.
static const ApartGap* holding(const Stepper* stepper) {
    for (int k = 0; k < stepper->near_count; k++) {
        if (stepper->active[k] != 0) {
            return &stepper->near[k];
        }
    }
    return NULL;
}

static void place(Stepper* stepper, const double* q) {
    poise__apart_place(stepper->frames, stepper->group, q);
}

// Returns the least gap minus its need of two parts of which the group moves one or both, m; 0 if
// none is less. Reads the placed frames.
static double least_room(const Stepper* stepper, const ApartNeed* need) {
    return poise__apart_least(stepper->frames, stepper->group, stepper->all_groups, need, NULL);
}

// Lists the group's pairs within the range, at the placed posture. Returns their least room.
static double list_near(Stepper* stepper) {
    stepper->near_count =
        poise__apart_near(stepper->frames, stepper->group, stepper->all_groups, stepper->near);
    return stepper->near_count > 0 ? stepper->near[0].room : HUGE_VAL;
}

// True if the gaps of all pairs are large enough at the end of a step, and at least half the
// distance to keep within it. Examines places of the step that are at most the distance apart, from
// the end to the start. A gap is computed again only if, by the motion since the last time, it may
// be too small. Leaves the group placed at one of these.
static bool is_free_step(Stepper* stepper, const double* from, const double* to,
                         const ApartNeed* end) {
    double x[APART_MOST_JOINTS], q[BODY_MOST_Q];
    ApartComing coming[POISE_APART_PAIRS_MOST];
    const double kept = poise_max(apart_of(stepper)->least_kept, MIN_KEPT);
    const ApartStep step = {stepper->group, from, x};
    const double motion = difference(body_of(stepper), stepper->group, from, to, x);
    const double pieces = poise_max(ceil(motion / kept), 1.0);
    ApartNeed inside = *end;
    inside.part = HALF;
    if (!(pieces <= MAX_PIECES)) {
        return false;
    }
    place(stepper, to);
    if (pieces == 1.0) {
        return !(least_room(stepper, end) < -ROUNDING);
    }
    const int count = poise__apart_coming(stepper->frames, &step, end, &inside, coming);
    for (double i = pieces - 1.0; i >= 1.0 && count > 0; i--) {
        bool placed = false;
        for (int k = 0; k < count; k++) {
            coming[k].room -= coming[k].motion / pieces;
            if (coming[k].room >= 0.0) {
                continue;
            }
            if (!placed) {
                apply(body_of(stepper), &step, i / pieces, q);
                place(stepper, q);
                placed = true;
            }
            coming[k].room = poise__apart_room(stepper->frames, coming[k].pair, &inside);
            if (coming[k].room < -ROUNDING) {
                return false;
            }
        }
    }
    return count >= 0;
}

// --------------------------------------------------------------------------------------- repairs

// Moves q until it meets the targets and is free, and returns true. If that fails, q becomes the
// posture with the least merit.
static bool repair(Stepper* stepper, int patience, double* q) {
    double best[BODY_MOST_Q], trial[BODY_MOST_Q], x[APART_MOST_JOINTS];
    const BodyGroup* group = stepper->problem->group;
    const size_t size = poise__group_size(group);
    double least = HUGE_VAL;
    int wait = 0;
    stepper->aim = AIM;
    memcpy(trial, q, size);
    memcpy(best, q, size);
    for (int i = 0; i < REPAIR_STEPS && wait < patience; i++) {
        place(stepper, trial);
        const double room = list_near(stepper);
        look_at_tips(stepper, NULL, 0);
        const double lack = poise_max(-room, 0.0) / group->unit;
        if (stepper->met && lack == 0.0) {
            memcpy(q, trial, size);
            return true;
        }
        // The factor makes every posture that is not free worse than any that is.
        const double merit = stepper->error2 + 1e6 * lack;
        wait = merit < PROGRESS * least ? 0 : wait + 1;
        if (merit < least) {
            least = merit;
            memcpy(best, trial, size);
        }
        find_step(stepper, trial, REPAIR_STEP, x);
        apply(body_of(stepper), &(ApartStep){stepper->group, trial, x}, 1.0, trial);
    }
    memcpy(q, best, size);
    place(stepper, q);
    return false;
}

// -------------------------------------------------------------------------------------- searches

/// The search of a group for free answers.
typedef struct FreeSearch {
    Stepper* stepper;
    BodyProblem* problem;
    int skip;         ///< number of free answers to skip
    int max_rejected; ///< the search ends when `rejected` reaches this number
    int rejected;     ///< number of answers that were not free
    bool found;
    bool has_closest;
    double least; ///< least room of `closest`, the rejected answer that is nearest to being free, m
    double q[BODY_MOST_Q];
    double closest[BODY_MOST_Q];
    /// Receives the free answers; NULL: the first one ends the search.
    int (*take)(void* user, const double* q);
    void* take_user;
} FreeSearch;

static int accept(FreeSearch* search, const double* q) {
    if (search->skip > 0) {
        search->skip--;
        return 0;
    }
    search->found = true;
    if (search->take) {
        return search->take(search->take_user, q);
    }
    memcpy(search->q, q, poise__group_size(search->problem->group));
    return TAKEN_ENOUGH;
}

static int take_free(void* user, const double* q) {
    FreeSearch* search = user;
    place(search->stepper, q);
    const double room = least_room(search->stepper, &WHOLE);
    if (!(room < 0.0)) {
        return accept(search, q);
    }
    if (!search->has_closest || room > search->least) {
        search->has_closest = true;
        search->least = room;
        memcpy(search->closest, q, poise__group_size(search->problem->group));
    }
    search->rejected++;
    if (search->rejected % REPAIR_EACH == 0) {
        double repaired[BODY_MOST_Q];
        memcpy(repaired, search->closest, poise__group_size(search->problem->group));
        search->has_closest = false;
        if (repair(search->stepper, PATIENCE, repaired)) {
            const int counted = accept(search, repaired);
            if (counted > 0) {
                return counted;
            }
        }
        memcpy(search->closest, repaired, poise__group_size(search->problem->group));
    }
    return search->rejected >= search->max_rejected ? TAKEN_ENOUGH : 0;
}

void poise__body_report_held(const PoiseBody* body, const ApartGap* held, PoiseBodyReport* report) {
    const ApartPair* pair = &body->apart->pairs[held->pair];
    report->reason = POISE_REACH_HELD;
    report->held = true;
    report->held_by = (PoiseApartPair){body->apart->names[pair->a], body->apart->names[pair->b]};
    report->held_gap = held->gap.distance;
}

// If a pair that the body does not move is too near, reports it as what prevents the answer, unless
// a nearer pair does.
static void report_still_pair(const PoiseBody* body, PoiseBodyReport* report) {
    const ApartGap* still = &body->apart->still;
    const bool nearer = report->held && still->gap.distance < report->held_gap;
    if (still->pair >= 0 && (nearer || report->reason == POISE_REACH_MET)) {
        poise__body_report_held(body, still, report);
    }
}

// Ends a search without a free answer: repairs the best posture found or, if that fails, the start.
// Reports the pair that keeps tips from their targets.
static void end_without_answer(FreeSearch* search, PoiseBodyReport* report) {
    BodyProblem* problem = search->problem;
    Stepper* stepper = search->stepper;
    double* q = search->q;
    memcpy(q, search->has_closest || search->rejected > 0 ? search->closest : problem->best,
           poise__group_size(problem->group));
    search->found = repair(stepper, LAST_PATIENCE, q);
    if (!search->found && least_room(stepper, &WHOLE) < 0.0) {
        // a repair of a free start ends free
        memcpy(q, problem->start, poise__group_size(problem->group));
        search->found = repair(stepper, LAST_PATIENCE, q);
    }
    memcpy(problem->best, q, poise__group_size(problem->group));
    if (search->found) {
        problem->reason = POISE_REACH_MET;
        return;
    }
    problem->reason = problem->reason == POISE_REACH_MET ? POISE_REACH_HELD : problem->reason;
    double x[APART_MOST_JOINTS];
    const bool touches = list_near(stepper) < 0.0;
    find_step(stepper, q, REPAIR_STEP, x);
    const ApartGap* held = holding(stepper);
    held = held || !touches ? held : &stepper->near[0];
    if (held && !report->held) {
        poise__body_report_held(stepper->frames->body, held, report);
        problem->reason = POISE_REACH_HELD;
    }
}

// Searches from the problem's start. `best` becomes the answer or the nearest posture; sets the
// reason.
static void search_group(FreeSearch* search, const PoiseBodySolveDef* def,
                         PoiseBodyReport* report) {
    BodyProblem* problem = search->problem;
    problem->take = take_free;
    problem->take_user = search;
    problem->wanted = search->take ? def->answers : 1;
    poise__group_solve(poise__body_kernel(def->path), problem);
    problem->answers = search->found;
    // A kernel that finds no answer descends to the nearest posture. If this meets the targets, it
    // has not been passed to take_free yet.
    if (!search->found && problem->reason == POISE_REACH_MET && search->rejected == 0 &&
        take_free(search, problem->best) > 0) {
        problem->answers = 1;
    }
    if (search->found) {
        memcpy(problem->best, search->q, poise__group_size(problem->group));
        problem->reason = POISE_REACH_MET;
    } else if (search->rejected >= search->max_rejected) {
        // The next attempt, with other answers of earlier groups, costs less than a repair.
        problem->reason = POISE_REACH_HELD;
    } else {
        end_without_answer(search, report);
    }
}

// Computes the frames of the groups from `first` on at a posture. False if the posture is invalid.
static bool begin_frames(const PoiseBody* body, const double* posture, int first,
                         ApartFrames* frames) {
    frames->body = body;
    for (int g = first; g < body->group_count; g++) {
        double q[BODY_MOST_Q];
        if (!poise__group_load(body->groups[g], posture, q)) {
            return false;
        }
        poise__apart_place(frames, g, q);
    }
    return true;
}

/// A solve of all groups, one after another.
typedef struct FreeSolve {
    ApartFrames frames;
    Stepper stepper;
    BodyProblem problem;
    FreeSearch search;
    NearestAnswer nearest;
} FreeSolve;

// Solves group g, while the earlier groups are at their answers.
static bool solve_group(FreeSolve* s, const PoiseBodySolveDef* def, const PoiseBodyTarget* targets,
                        double* answer, PoiseBodyReport* found) {
    const PoiseBody* body = s->frames.body;
    const int g = s->stepper.group;
    if (!poise__body_begin(body->groups[g], def, targets, answer, &s->problem)) {
        return false;
    }
    s->stepper.problem = &s->problem;
    s->stepper.targets = targets;
    s->stepper.frames = &s->frames;
    s->stepper.all_groups = false;
    s->search.stepper = &s->stepper;
    s->search.problem = &s->problem;
    s->search.rejected = 0;
    s->search.found = false;
    s->search.has_closest = false;
    s->search.take = NULL;
    if (def->answers > 1) {
        s->nearest.problem = &s->problem;
        s->nearest.least = HUGE_VAL;
        s->search.take = poise__nearest_take;
        s->search.take_user = &s->nearest;
    }
    search_group(&s->search, def, found);
    if (s->search.take && s->nearest.least < HUGE_VAL) {
        memcpy(s->problem.best, s->nearest.q, poise__group_size(s->problem.group));
    }
    // The search left the frames of its last answer, but `best` may be an earlier answer.
    if (g + 1 < body->group_count && (s->search.take || !s->search.found)) {
        poise__apart_place(&s->frames, g, s->problem.best);
    }
    poise__group_store(body->groups[g], s->problem.start, s->problem.best, answer);
    poise__body_add_group(&s->problem, found);
    return true;
}

bool poise__body_solve_free(const PoiseBody* body, const PoiseBodySolveDef* def,
                            const PoiseBodyTarget* targets, double* posture,
                            PoiseBodyReport* report) {
    double answer[POISE_BODY_MOST_POSTURE];
    const size_t size = (size_t)body->posture_size * sizeof answer[0];
    FreeSolve s;
    PoiseBodyReport found;
    s.frames.body = body;
    const int attempts = body->group_count > 1 ? ATTEMPTS : 1;
    for (int attempt = 0; attempt < attempts; attempt++) {
        found = (PoiseBodyReport){.reason = POISE_REACH_MET, .limit = -1};
        memcpy(answer, posture, size);
        bool held = false;
        for (int g = 0; g < body->group_count; g++) {
            s.stepper.group = g;
            // in each attempt all groups except the last take their next answer
            s.search.skip = g + 1 < body->group_count ? attempt : 0;
            s.search.max_rejected =
                g > 0 && attempt + 1 < attempts ? MAX_REJECTED + attempt : 1 << 20;
            if (!solve_group(&s, def, targets, answer, &found)) {
                return false;
            }
            held = held || s.problem.reason == POISE_REACH_HELD;
        }
        if (!held) {
            break;
        }
    }
    report_still_pair(body, &found);
    found.status = found.reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    memcpy(posture, answer, size);
    *report = found;
    return true;
}

// ------------------------------------------------------------------------------------- tracking

// Makes one tracking step of a group from `start` to `best`. If the kernel's own step is not free,
// it computes one with the constraints of the near pairs. `held` gets the pair that blocked the
// step, or pair -1.
static void track_group(Stepper* stepper, BodyProblem* problem, const BodyKernel* kernel,
                        ApartGap* held) {
    double x[APART_MOST_JOINTS];
    const ApartStep step = {stepper->group, problem->start, x};
    double part = 1.0;
    held->pair = -1;
    problem->reason = POISE_REACH_BUDGET;
    const bool met = kernel->track(problem);
    if (!met && is_free_step(stepper, problem->start, problem->best, &WHOLE)) {
        return;
    }
    place(stepper, problem->start);
    if (met && !(least_room(stepper, &WHOLE) < -ROUNDING)) {
        problem->reason = POISE_REACH_MET;
        problem->answers = 1;
        return;
    }
    ApartNeed least = {.part = HALF, .nearest = HUGE_VAL, .shorts = stepper->near};
    list_near(stepper);
    for (int k = 0; k < stepper->near_count && stepper->near[k].room < 0.0; k++) {
        least.nearest = poise_min(least.nearest, stepper->near[k].gap.distance);
        least.short_count++;
    }
    stepper->aim = 0.0;
    find_step(stepper, problem->start, TRACK_STEP, x);
    for (int i = 0; i < HALVINGS; i++, part *= 0.5) {
        apply(body_of(stepper), &step, part, problem->best);
        if (is_free_step(stepper, problem->start, problem->best, &least)) {
            break;
        }
        part = i + 1 == HALVINGS ? 0.0 : part;
    }
    apply(body_of(stepper), &step, part, problem->best);
    const ApartGap* active = holding(stepper);
    if (!active && part == 0.0 && stepper->near_count > 0) {
        active = &stepper->near[0];
    }
    if (active) {
        *held = *active;
    }
}

bool poise__body_track_free(const PoiseBody* body, const PoiseBodySolveDef* def,
                            const PoiseBodyTarget* targets, double* posture,
                            PoiseBodyReport* report) {
    double answer[POISE_BODY_MOST_POSTURE];
    PoiseBodyReport found = {.reason = POISE_REACH_MET, .limit = -1};
    ApartFrames frames;
    Stepper stepper;
    BodyProblem problem;
    const BodyKernel* kernel = poise__body_kernel(def->path);
    memcpy(answer, posture, (size_t)body->posture_size * sizeof answer[0]);
    if (!begin_frames(body, answer, 1, &frames)) {
        return false;
    }
    stepper.targets = targets;
    stepper.frames = &frames;
    stepper.problem = &problem;
    stepper.all_groups = true;
    for (int g = 0; g < body->group_count; g++) {
        ApartGap held;
        if (!poise__body_begin(body->groups[g], def, targets, answer, &problem)) {
            return false;
        }
        problem.too_far = false;
        stepper.group = g;
        track_group(&stepper, &problem, kernel, &held);
        if (problem.reason != POISE_REACH_MET) {
            poise__group_store(body->groups[g], problem.start, problem.best, answer);
            if (g + 1 < body->group_count) {
                place(&stepper, problem.best);
            }
        }
        poise__body_add_group(&problem, &found);
        if (held.pair >= 0 && (!found.held || held.gap.distance < found.held_gap)) {
            poise__body_report_held(body, &held, &found);
        }
    }
    report_still_pair(body, &found);
    found.status = found.reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    memcpy(posture, answer, (size_t)body->posture_size * sizeof answer[0]);
    *report = found;
    return true;
}

// ---------------------------------------------------------------------------------------- checks

bool poise__body_is_free(const PoiseBody* body, const double* posture) {
    ApartFrames frames;
    bool is_free = body->apart->still.pair < 0 && begin_frames(body, posture, 0, &frames);
    for (int g = 0; is_free && g < body->group_count; g++) {
        is_free = !(poise__apart_least(&frames, g, false, &WHOLE, NULL) < -ROUNDING);
    }
    return is_free;
}

bool poise__body_path_is_free(const PoiseBody* body, const double* from, const double* to,
                              ApartGap* nearest) {
    double a[BODY_MOST_Q], b[BODY_MOST_Q], q[BODY_MOST_Q], x[APART_MOST_JOINTS];
    ApartFrames frames = {.body = body};
    const double kept = poise_max(body->apart->least_kept, MIN_KEPT);
    const ApartNeed half = {.part = HALF};
    double motion = 0.0;
    for (int i = 0, pieces = 1; i <= pieces; i++) {
        double free = HUGE_VAL;
        for (int g = 0; g < body->group_count; g++) {
            if (!poise__group_load(body->groups[g], from, a) ||
                !poise__group_load(body->groups[g], to, b)) {
                return false;
            }
            const double own = difference(body, g, a, b, x);
            motion += i == 0 ? own : 0.0;
            apply(body, &(ApartStep){g, a, x}, (double)i / pieces, q);
            poise__apart_place(&frames, g, q);
        }
        for (int g = 0; i > 0 && i < pieces && g < body->group_count; g++) {
            free = poise_min(free, poise__apart_least(&frames, g, false, &half, nearest));
        }
        if (free < -ROUNDING || !(motion <= PATH_PIECES * kept)) {
            return false;
        }
        pieces = i == 0 ? (int)ceil(motion / kept) : pieces;
        pieces = pieces > 1 ? pieces : 1;
    }
    return true;
}

PoiseStatus poise_body_keep_apart(PoiseBody* body, const PoiseApart* apart) {
    double posture[POISE_BODY_MOST_POSTURE];
    if (!body) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!apart) {
        poise__body_apart_destroy(body);
        return POISE_OK;
    }
    if (!apart->source.tree) {
        return POISE_ERROR_INVALID_HANDLE;
    }
    if (poise__group_is_joined(body->groups[0])) {
        return poise__fail(apart->source.tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_body_keep_apart: the body has a centre of mass, a tip in the "
                           "frame of a link or coupled limbs; poise_reach and tasks keep these "
                           "apart");
    }
    const PoiseStatus read = poise_body_read(body, apart->source.tree, posture);
    if (read != POISE_OK) {
        return read;
    }
    if (!poise_tree_is_fresh(apart->source.tree)) {
        return POISE_ERROR_STALE;
    }
    if (!fits(body) || poise__apart_count_moved(body, apart) > APART_MOST_MOVED) {
        return poise__fail(apart->source.tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_body_keep_apart: the body has too many joints and tips, or more "
                           "than 256 parts are on its links");
    }
    return poise__body_apart_make(body, apart, posture) ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
}
