// SPDX-License-Identifier: MIT
// Searches for postures of a group in all lanes, each from its own start. Defines the kernel
// BODY_KERNEL for the file that includes this header.
#ifndef POISE_BODY_SEARCH_H
#define POISE_BODY_SEARCH_H

#include "body_step.h"
#include "lane_pick.h"

// lambda is gain * E; the gain of a start begins with GAIN_FIRST
#define GAIN_FIRST 0.05
#define GAIN_FALL  0.3
#define GAIN_LEAST 1e-9
// an iteration makes progress if E falls below this fraction of the least E of the start
#define PROGRESS 0.9
// a limb keeps its posture at a new start if its error is below this fraction of the largest error
#define KEEPS_POSTURE 0.1
// fraction of the limbs' new postures that are random; the others are seeds
#define RANDOM_SHARE 0.2
// a new start changes a floating base by at most this: position in units, numbers of the quaternion
#define BASE_SHIFT 0.5
#define BASE_TURN  0.2
// lambda is TRACK_GAIN * E in a tracking step, as in lane_track.h
#define TRACK_GAIN 1.0
// damping of the least squares in fit_bases
#define FIT_DAMPING 0.02

/// A start ends after PATIENCE iterations without progress. After LIMB_STARTS starts with new limbs
/// only, the trunk changes too. Fitting a floating base takes FIT_ITERATIONS iterations. A search
/// with a target that no posture reaches has TOO_FAR_ITERATIONS.
enum { PATIENCE = 3, LIMB_STARTS = 2, FIT_ITERATIONS = 6, TOO_FAR_ITERATIONS = 40 };
/// Largest number of iterations of a chain's search, over all lanes.
enum { CHAIN_ITERATIONS = 4000 };
/// Count of a floating base's numbers in a posture.
enum { BASE_NUMBERS = 7 };

/// A search with the state of its lanes.
typedef struct BodySearch {
    BodyProblem* problem;
    Lanes lanes; ///< a chain that is searched in slices uses this memory for its own lanes
    ChainProblem chain;
    double gain[BODY_LANES];
    double least[BODY_LANES]; ///< least E of the present start
    double wait[BODY_LANES];  ///< number of iterations without progress
    int limb_starts[BODY_LANES];
    uint64_t pending[BODY_LANES]; ///< bit p is set while limb p needs a new posture
    bool same_trunk;              ///< true: all lanes have the same trunk
    double base[BASE_NUMBERS];    ///< coordinates of the floating base at which starts begin
} BodySearch;

_Static_assert(sizeof(Lanes) >= CHAIN_SLICES_SIZE, "the lanes of a chain have room");

static void set_lane(const BodyGroup* group, const double* q, int lane, Lanes* lanes) {
    for (int i = 0; i < group->joint_count + 4 * group->ball_count; i++) {
        lanes->at.q[i][lane] = q[i];
    }
}

static void get_lane(const BodyGroup* group, const Lanes* lanes, int lane, double* q) {
    for (int i = 0; i < group->joint_count + 4 * group->ball_count; i++) {
        q[i] = lanes->at.q[i][lane];
    }
}

// Sets the coordinates of one part in one lane from its chain's coordinates `own`.
static void set_part(const BodyGroup* group, const BodyPart* part, const double* own, int lane,
                     Lanes* lanes) {
    const Chain* chain = part->chain;
    for (int i = 0; i < chain->joint_count; i++) {
        lanes->at.q[part->begin + i][lane] = own[i];
    }
    for (int i = 0; i < 4 * chain->ball_count; i++) {
        lanes->at.q[group->joint_count + 4 * part->ball + i][lane] = own[chain->joint_count + i];
    }
}

// --------------------------------------------------------------------------------- starts of limbs

// Converts the target of a limb to the frame of its first joint, for one lane.
static void target_of_limb(const BodySearch* search, const BodyPart* part, int lane,
                           ChainTarget* out) {
    const ChainTarget* target = &search->problem->targets[part->tip].target;
    const Frame f = part_start(part, &search->lanes);
    _Alignas(64) double axes[4][V3_SIZE];
    double rows[9];
    v3_store(axes[0], f.x);
    v3_store(axes[1], f.y);
    v3_store(axes[2], f.z);
    v3_store(axes[3], f.p);
    for (int k = 0; k < 3; k++) {
        out->position[k] = 0.0;
        for (int i = 0; i < 3; i++) {
            const double component = axes[k][i * V3_STRIDE + lane];
            out->position[k] += component * (target->position[i] - axes[3][i * V3_STRIDE + lane]);
            rows[3 * i + k] = component;
        }
    }
    out->rotation =
        poise_quat_mul(poise_quat_conjugate(poise_quat_from_rows(rows)), target->rotation);
}

// Gives a limb the next seed of `list`, or a random posture if `random`.
static void place_limb(BodySearch* search, const BodyPart* part, int lane, ChainList* list,
                       bool random) {
    const Chain* chain = part->chain;
    double own[CHAIN_MOST_Q];
    const double* q = own;
    if (random) {
        poise__chain_draw(chain, 1.0, &search->problem->counter, own);
    } else {
        q = chain->seed_q + (size_t)take_seed(list) * (size_t)chain->nq;
    }
    set_part(search->problem->group, part, q, lane, &search->lanes);
}

// Gives new postures to the limbs that need one. Needs the frames of the trunk.
static void place_limbs(BodySearch* search) {
    const BodyProblem* problem = search->problem;
    const BodyGroup* group = problem->group;
    const bool first = problem->starts == BODY_LANES;
    uint64_t waiting = 0;
    for (int lane = 0; lane < BODY_LANES; lane++) {
        waiting |= search->pending[lane];
    }
    for (int p = 0; waiting != 0 && p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        bool listed = false;
        ChainList list;
        for (int lane = 0; part->tip >= 0 && lane < BODY_LANES; lane++) {
            if ((search->pending[lane] >> p & 1) == 0) {
                continue;
            }
            if (!listed || !search->same_trunk) {
                ChainTarget target;
                target_of_limb(search, part, lane, &target);
                list_seeds(part->chain, problem->targets[part->tip].goal, &target, true, &list);
                listed = true;
            }
            // later starts skip the seeds that earlier starts had
            for (int skip = first ? 0 : search->limb_starts[lane] - 1; skip > 0; skip--) {
                take_seed(&list);
            }
            const bool random =
                !first && poise__chain_random(&search->problem->counter) < RANDOM_SHARE;
            place_limb(search, part, lane, &list, random);
        }
    }
    for (int lane = 0; lane < BODY_LANES; lane++) {
        search->pending[lane] = 0;
    }
}

// -------------------------------------------------------------------------------- starts of trunks

// Sets the coordinates of the floating base in one lane.
static void set_base(BodySearch* search, int lane, const double numbers[BASE_NUMBERS]) {
    const BodyGroup* group = search->problem->group;
    const BodyPart* part = &group->parts[0];
    const Chain* chain = part->chain;
    double posture[CHAIN_MOST_POSTURE];
    double own[CHAIN_MOST_Q];
    poise__chain_middle(chain, posture);
    memcpy(posture, numbers, BASE_NUMBERS * sizeof numbers[0]);
    if (!poise__chain_load(chain, posture, own)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        search->lanes.at.q[i][lane] = own[i];
    }
    for (int i = 0; i < 4; i++) {
        search->lanes.at.q[group->joint_count + i][lane] = own[chain->joint_count + i];
    }
}

// Gives a lane a random trunk; a floating base changes only a little.
static void draw_trunk(BodySearch* search, int lane) {
    BodyProblem* problem = search->problem;
    const BodyGroup* group = problem->group;
    search->same_trunk = false;
    for (int p = 0; p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        double own[CHAIN_MOST_Q];
        if (part->tip < 0) {
            poise__chain_draw(part->chain, 1.0, &problem->counter, own);
            set_part(group, part, own, lane, &search->lanes);
        }
    }
    if (group->parts[0].floats) {
        double numbers[BASE_NUMBERS];
        for (int k = 0; k < BASE_NUMBERS; k++) {
            const double most = k < 3 ? BASE_SHIFT * group->unit : BASE_TURN;
            numbers[k] =
                search->base[k] + most * (2.0 * poise__chain_random(&problem->counter) - 1.0);
        }
        set_base(search, lane, numbers);
    }
}

// -------------------------------------------------------------------------- fit of a floating base

// Adds the rows of one tip to the normal equations of the base's motion: [I, -[r] x] step = off.
static void add_fit_rows(const double r[3], const double off[3], double a[6][7]) {
    const double rows[3][6] = {{1.0, 0.0, 0.0, 0.0, r[2], -r[1]},
                               {0.0, 1.0, 0.0, -r[2], 0.0, r[0]},
                               {0.0, 0.0, 1.0, r[1], -r[0], 0.0}};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                a[i][j] += rows[k][i] * rows[k][j];
            }
            a[i][6] += rows[k][i] * off[k];
        }
    }
}

// Solves six equations by elimination. The matrix is symmetric, with a diagonal of at least
// FIT_DAMPING. The last column becomes the solution.
static void solve_fit(double a[6][7]) {
    for (int k = 0; k < 6; k++) {
        const double inverse = 1.0 / a[k][k];
        for (int j = k; j < 7; j++) {
            a[k][j] *= inverse;
        }
        for (int i = 0; i < 6; i++) {
            const double factor = i == k ? 0.0 : a[i][k];
            for (int j = k; j < 7; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
}

// Returns the base moved so that the tips are nearest to their targets, as positions in units.
static PoisePose fit_pose(const BodyProblem* problem, PoisePose base, PoiseVec3 tips[]) {
    const BodyGroup* group = problem->group;
    for (int iteration = 0; iteration < FIT_ITERATIONS; iteration++) {
        double a[6][7] = {{0.0}};
        for (int t = 0; t < group->tip_count; t++) {
            const double* to = problem->targets[t].target.position;
            if (problem->targets[t].goal == POISE_BODY_ORIENTATION) {
                continue;
            }
            const PoiseVec3 r = poise_quat_rotate(base.q, tips[t]);
            const double arm[3] = {r.x, r.y, r.z};
            const double off[3] = {to[0] - base.p.x - r.x, to[1] - base.p.y - r.y,
                                   to[2] - base.p.z - r.z};
            add_fit_rows(arm, off, a);
        }
        for (int k = 0; k < 6; k++) {
            a[k][k] += FIT_DAMPING;
        }
        solve_fit(a);
        const PoiseVec3 turn = poise_vec3(a[3][6], a[4][6], a[5][6]);
        const double angle = poise_length(turn);
        base.p = poise_add(base.p, poise_vec3(a[0][6], a[1][6], a[2][6]));
        // rotates by at most 1 rad per iteration
        const PoiseQuat step = poise_quat_exp(poise_scale(angle > 1.0 ? 1.0 / angle : 1.0, turn));
        base.q = poise_quat_normalize(poise_quat_mul(step, base.q));
    }
    return base;
}

// True if a target is out of reach of the floating base at its given pose.
static bool needs_fit(const BodySearch* search) {
    const BodyProblem* problem = search->problem;
    const BodyGroup* group = problem->group;
    if (!group->parts[0].floats) {
        return false;
    }
    const PoiseVec3 at = poise_scale(
        1.0 / group->unit,
        poise_pose_apply(group->free_in_group,
                         poise_vec3(search->base[0], search->base[1], search->base[2])));
    for (int t = 0; t < group->tip_count; t++) {
        const double* to = problem->targets[t].target.position;
        const PoiseVec3 off = poise_sub(poise_vec3(to[0], to[1], to[2]), at);
        if (problem->targets[t].goal != POISE_BODY_ORIENTATION &&
            poise_length(off) > group->tips[t].free_reach) {
            return true;
        }
    }
    return false;
}

// Fits the base of each lane to the targets, with limbs in middle or random postures.
static void fit_bases(BodySearch* search) {
    BodyProblem* problem = search->problem;
    const BodyGroup* group = problem->group;
    const double none[BASE_NUMBERS] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    const PoisePose joint = {poise_scale(1.0 / group->unit, group->free_in_group.p),
                             group->free_in_group.q};
    const PoiseQuat given =
        poise_quat(search->base[3], search->base[4], search->base[5], search->base[6]);
    for (int lane = 0; lane < BODY_LANES; lane++) {
        for (int p = 0; lane > 0 && p < group->part_count; p++) {
            double own[CHAIN_MOST_Q];
            if (group->parts[p].tip >= 0) {
                poise__chain_draw(group->parts[p].chain, 0.6, &problem->counter, own);
                set_part(group, &group->parts[p], own, lane, &search->lanes);
            }
        }
        set_base(search, lane, none);
    }
    find_parts(group, false, &search->lanes);
    find_parts(group, true, &search->lanes);
    find_errors(problem, &search->lanes);
    for (int lane = 0; lane < BODY_LANES; lane++) {
        PoiseVec3 tips[BODY_MOST_TIPS];
        for (int t = 0; t < group->tip_count; t++) {
            _Alignas(64) double place[V3_SIZE];
            v3_store(place, search->lanes.places[t]);
            const PoiseVec3 at =
                poise_vec3(place[lane], place[V3_STRIDE + lane], place[2 * V3_STRIDE + lane]);
            // positions are relative to the free joint
            tips[t] = poise_pose_apply(poise_pose_inverse(joint), at);
        }
        const PoiseVec3 here = poise_scale(
            1.0 / group->unit, poise_vec3(search->base[0], search->base[1], search->base[2]));
        PoisePose base = poise_pose_mul(joint, poise_pose(here, given));
        base = fit_pose(problem, base, tips);
        base = poise_pose_mul(poise_pose_inverse(joint), base);
        const double numbers[BASE_NUMBERS] = {group->unit * base.p.x,
                                              group->unit * base.p.y,
                                              group->unit * base.p.z,
                                              base.q.w,
                                              base.q.x,
                                              base.q.y,
                                              base.q.z};
        set_base(search, lane, numbers);
        if (lane == 0) {
            memcpy(search->base, numbers, sizeof numbers);
        }
    }
    search->same_trunk = false;
}

// ------------------------------------------------------------------------------------------ search

static void reset_start(BodySearch* search, int lane) {
    search->gain[lane] = GAIN_FIRST;
    search->least[lane] = HUGE_VAL;
    search->wait[lane] = 0.0;
    search->problem->starts++;
}

// Stores the posture of a lane as the best, if its E is the least up to now.
static void keep_posture(BodySearch* search, int lane, double error2) {
    BodyProblem* problem = search->problem;
    if (error2 < problem->least) {
        problem->least = error2;
        get_lane(problem->group, &search->lanes, lane, problem->best);
    }
}

// Begins another start in a lane that met the targets or made no progress. Changes all limbs, the
// limbs whose tips are far off, or the trunk.
static void begin_again(BodySearch* search, int lane, bool met) {
    const BodyProblem* problem = search->problem;
    const BodyGroup* group = problem->group;
    _Alignas(64) double errors[BODY_MOST_TIPS][BODY_LANES];
    double most = 0.0;
    bool limbs_miss = false;
    for (int t = 0; t < group->tip_count + group->dense_count; t++) {
        v_store(errors[t], search->lanes.tip_error2[t]);
        most = fmax(most, errors[t][lane]);
    }
    for (int t = 0; t < group->tip_count; t++) {
        limbs_miss |= group->tips[t].limb && (met || errors[t][lane] > KEEPS_POSTURE * most);
    }
    const bool new_trunk = ++search->limb_starts[lane] > LIMB_STARTS || !limbs_miss;
    if (new_trunk) {
        search->limb_starts[lane] = 0;
        draw_trunk(search, lane);
    }
    for (int p = 0; p < group->part_count; p++) {
        const int tip = group->parts[p].tip;
        if (tip >= 0 && (new_trunk || met || errors[tip][lane] > KEEPS_POSTURE * most)) {
            search->pending[lane] |= (uint64_t)1 << p;
        }
    }
    reset_start(search, lane);
}

static void begin_search(BodySearch* search, BodyProblem* problem) {
    const BodyGroup* group = problem->group;
    search->problem = problem;
    search->same_trunk = true;
    search->lanes.at.slack[0] = 0.0;
    for (int lane = 0; lane < BODY_LANES; lane++) {
        set_lane(group, problem->start, lane, &search->lanes);
        search->limb_starts[lane] = 0;
        // the last lane begins with the given posture of all limbs
        search->pending[lane] = lane == BODY_LANES - 1 ? 0 : ~(uint64_t)0;
        reset_start(search, lane);
    }
    if (group->parts[0].floats) {
        double posture[CHAIN_MOST_POSTURE] = {0.0};
        double own[CHAIN_MOST_Q];
        poise__group_get(group, &group->parts[0], problem->start, own);
        poise__chain_store(group->parts[0].chain, own, posture);
        memcpy(search->base, posture, sizeof search->base);
        if (needs_fit(search)) {
            fit_bases(search);
        }
    }
    // limbs whose rows join others have no seeds: lanes other than the first and last begin at
    // random
    for (int lane = 1; poise__group_is_joined(group) && lane < BODY_LANES - 1; lane++) {
        draw_trunk(search, lane);
    }
}

// Passes a lane's answer to BodyProblem.take, or stores it in `best`. True if the search is over.
static bool take_answer(BodySearch* search, int lane, double error2) {
    BodyProblem* problem = search->problem;
    if (problem->take) {
        double q[BODY_MOST_Q];
        get_lane(problem->group, &search->lanes, lane, q);
        problem->answers += problem->take(problem->take_user, q);
    } else {
        problem->answers++;
        problem->least = HUGE_VAL;
        keep_posture(search, lane, error2);
    }
    return problem->answers >= problem->wanted;
}

// Runs one iteration of all lanes. True if the search is over: it has its answers, or take is NULL
// and the first answer is in `best`.
static bool search_on(BodySearch* search) {
    BodyProblem* problem = search->problem;
    Lanes* lanes = &search->lanes;
    _Alignas(64) double error2[BODY_LANES];
    _Alignas(64) double hold[BODY_LANES];
    _Alignas(64) double lambda[BODY_LANES];
    find_parts(problem->group, false, lanes);
    place_limbs(search);
    find_parts(problem->group, true, lanes);
    find_errors(problem, lanes);
    problem->iterations++;
    v_store(error2, lanes->error2);
    const unsigned met = m_bits(lanes->met);
    for (int lane = 0; lane < BODY_LANES; lane++) {
        if ((met >> lane & 1) != 0 && take_answer(search, lane, error2[lane])) {
            return true;
        }
    }
    unsigned ended = met;
    // the lane with the least error, from which an answer is most likely
    int leader = 0;
    for (int lane = 0; lane < BODY_LANES; lane++) {
        if (error2[lane] < PROGRESS * search->least[lane]) {
            search->least[lane] = error2[lane];
            search->wait[lane] = 0.0;
        } else {
            search->wait[lane] += 1.0;
        }
        ended |= search->wait[lane] >= PATIENCE ? 1u << lane : 0u;
        hold[lane] = (ended >> lane & 1) != 0 ? 1.0 : 0.0;
        leader = hold[leader] == 1.0 || (hold[lane] == 0.0 && error2[lane] < error2[leader])
                     ? lane
                     : leader;
        lambda[lane] = search->gain[lane] * error2[lane];
        search->gain[lane] = fmax(GAIN_FALL * search->gain[lane], GAIN_LEAST);
    }
    lanes->at.leading = 1u << leader;
    find_body_columns(problem, lanes);
    take_body_step(problem, v_load(lambda), v_lt(v_set(0.5), v_load(hold)), lanes);
    for (int lane = 0; lane < BODY_LANES; lane++) {
        if ((ended >> lane & 1) != 0) {
            const bool answered = (met >> lane & 1) != 0;
            if (!answered) {
                keep_posture(search, lane, error2[lane]);
            }
            begin_again(search, lane, answered);
        }
    }
    return false;
}

#include "body_nearest.h"

// Prepares the search of a chain. A chain counts the iterations of each lane, not of all together.
static void open_chain(BodyProblem* problem, int iterations, ChainProblem* chain) {
    problem->limb.search.answers = problem->wanted;
    chain->target = problem->targets[0].target;
    memcpy(chain->start, problem->start, poise__group_size(problem->group));
    poise__chain_clear(chain);
    chain->counter = problem->counter;
    chain->budget = iterations;
    chain->take = problem->take;
    chain->take_user = problem->take_user;
}

static void read_chain(const ChainProblem* chain, BodyProblem* problem) {
    memcpy(problem->best, chain->best, poise__group_size(problem->group));
    problem->answers = chain->answers;
    problem->iterations = (chain->iterations + BODY_LANES - 1) / BODY_LANES;
    problem->starts = chain->starts;
}

static void search_body(BodyProblem* problem) {
    BodySearch search;
    if (problem->is_limb) {
        open_chain(problem, problem->too_far ? TOO_FAR_ITERATIONS : CHAIN_ITERATIONS,
                   &search.chain);
        BODY_CHAINS.solve_one(&problem->limb.search, &search.chain);
        read_chain(&search.chain, problem);
        problem->reason = problem->answers > 0 ? POISE_REACH_MET : POISE_REACH_BUDGET;
        return;
    }
    begin_search(&search, problem);
    const int most = problem->too_far && problem->def->iterations > TOO_FAR_ITERATIONS
                         ? TOO_FAR_ITERATIONS
                         : problem->def->iterations;
    bool ends = false;
    while (!ends && problem->iterations < most) {
        ends = search_on(&search);
    }
    problem->reason = problem->answers > 0 ? POISE_REACH_MET : POISE_REACH_BUDGET;
}

static void descend_body(BodyProblem* problem) {
    BodySearch search;
    search.problem = problem;
    search.lanes.at.slack[0] = 0.0;
    descend_to_rest(&search);
}

// Makes one tracking step, identical in all lanes.
static bool track_body(BodyProblem* problem) {
    Lanes lanes;
    const BodyGroup* group = problem->group;
    lanes.at.slack[0] = 0.0;
    lanes.at.leading = ALL_LANES;
    for (int lane = 0; lane < BODY_LANES; lane++) {
        set_lane(group, problem->start, lane, &lanes);
    }
    find_parts(group, false, &lanes);
    find_parts(group, true, &lanes);
    find_errors(problem, &lanes);
    problem->iterations = 1;
    if ((m_bits(lanes.met) & 1) != 0) {
        return true;
    }
    find_body_columns(problem, &lanes);
    take_body_step(problem, v_set(TRACK_GAIN) * lanes.error2, m_none(), &lanes);
    get_lane(group, &lanes, 0, problem->best);
    return false;
}

static void begin_slices(void* memory, BodyProblem* problem) {
    BodySearch* search = memory;
    if (problem->is_limb) {
        search->problem = problem;
        open_chain(problem, BODY_LANES * problem->def->iterations, &search->chain);
        BODY_CHAINS.begin_one(&problem->limb.search, &search->chain, &search->lanes);
    } else {
        begin_search(search, problem);
    }
}

static bool advance_slice(void* memory) {
    BodySearch* search = memory;
    BodyProblem* problem = search->problem;
    if (!problem->is_limb) {
        return search_on(search);
    }
    const bool more =
        BODY_CHAINS.advance_one(&problem->limb.search, &search->chain, &search->lanes);
    read_chain(&search->chain, problem);
    if (!more && problem->answers == 0) {
        problem->iterations = problem->def->iterations;
    }
    return problem->answers > 0;
}

// Computes the parts' frames at a posture in all lanes. `frames` gets the frame after each joint.
static void trace_parts(const BodyGroup* group, const double* q, Lanes* lanes, PoisePose* frames) {
    for (int lane = 0; lane < BODY_LANES; lane++) {
        set_lane(group, q, lane, lanes);
    }
    find_parts(group, false, lanes);
    find_parts(group, true, lanes);
    for (int p = 0; frames && p < group->part_count; p++) {
        Frame f = part_start(&group->parts[p], lanes);
        for (int i = group->parts[p].begin; i < group->parts[p].end; i++) {
            _Alignas(64) double place[V3_SIZE];
            i = move_joint(group->joints, i, &lanes->at, &f);
            v3_store(place, f.p);
            frames[i].p = poise_vec3(place[0], place[V3_STRIDE], place[2 * V3_STRIDE]);
            frames[i].q = quaternion_of(&f, 0);
        }
    }
}

static void trace_frames(const BodyGroup* group, const double* q, PoisePose* frames) {
    Lanes lanes;
    trace_parts(group, q, &lanes, frames);
}

static PoiseVec3 centre_of(const BodyGroup* group, const double* q) {
    Lanes lanes;
    _Alignas(64) double place[V3_SIZE];
    trace_parts(group, q, &lanes, NULL);
    v3_store(place, find_centre(group, &lanes));
    return poise_vec3(place[0], place[V3_STRIDE], place[2 * V3_STRIDE]);
}

const BodyKernel BODY_KERNEL = {trace_frames,  centre_of,          search_body,
                                descend_body,  track_body,         begin_slices,
                                advance_slice, sizeof(BodySearch), &BODY_CHAINS};

#endif
