// SPDX-License-Identifier: MIT
// The solves of a compiled chain: one target, one step, many targets. What they are asked is
// checked here, and what came of it written down; the lanes do the rest.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "chain_internal.h"

// answers of two paths are then within 1e-9 of each other
#define DEFAULT_TOLERANCE 5e-10
// a joint this near its range stands on it, rad or m
#define LIMIT_CLOSE 1e-9
// the lanes' rounding may not turn a target that is met into one that is not
#define TOLERANCE_PART 0.999

enum { DEFAULT_ITERATIONS = 4000, DEFAULT_STARTS = 4000, MOST_THREADS = 256 };

PoiseChainSolveDef poise_default_chain_solve_def(void) {
    PoiseChainSolveDef def;
    memset(&def, 0, sizeof def);
    def.cookie = COOKIE_CHAIN_SOLVE;
    def.iterations = DEFAULT_ITERATIONS;
    def.starts = DEFAULT_STARTS;
    def.answers = 1;
    def.position_tolerance = DEFAULT_TOLERANCE;
    def.angle_tolerance = DEFAULT_TOLERANCE;
    def.threads = 1;
    return def;
}

static inline const char* def_problem(const PoiseChainSolveDef* def) {
    if (!def || def->cookie != COOKIE_CHAIN_SOLVE) {
        return "the def was not made by poise_default_chain_solve_def()";
    }
    if (def->goal != POISE_CHAIN_POSE && def->goal != POISE_CHAIN_POSITION &&
        def->goal != POISE_CHAIN_ORIENTATION) {
        return "goal must be POISE_CHAIN_POSE, _POSITION or _ORIENTATION";
    }
    if (def->iterations < 1 || def->starts < 1 || def->answers < 1) {
        return "iterations, starts and answers must be at least 1";
    }
    if (!(def->position_tolerance > 0.0) || !(def->angle_tolerance > 0.0)) {
        return "position_tolerance and angle_tolerance must be above 0";
    }
    if (def->threads < 1 || def->threads > MOST_THREADS) {
        return "threads must be 1 to 256";
    }
    return NULL;
}

const char* poise_chain_solve_def_problem(const PoiseChainSolveDef* def) {
    return def_problem(def);
}

// ---------------------------------------------------------------------------------------- checking

static bool is_target(const PoisePose* target) {
    const PoiseQuat q = target->q;
    return poise_is_finite_pose(*target) && (q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0);
}

static ChainSearch make_search(const PoiseChain* chain, const PoiseChainSolveDef* def) {
    const double place = TOLERANCE_PART * def->position_tolerance * chain->to_units;
    const double turn = TOLERANCE_PART * def->angle_tolerance;
    ChainSearch search;
    search.chain = chain;
    search.def = def;
    search.place_tolerance2 = place * place;
    search.rotation_tolerance2 = turn * turn;
    search.one_is_enough = false;
    return search;
}

// false where the posture is no start
static bool make_problem(const ChainSearch* search, const PoisePose* target, const double* posture,
                         ChainProblem* problem) {
    const PoiseChain* chain = search->chain;
    poise__chain_target(chain, search->def->goal, target, &problem->target);
    const bool fine = poise__chain_load(chain, posture, problem->start);
    memcpy(problem->best, problem->start, sizeof problem->best);
    problem->least = HUGE_VAL;
    problem->squares[0] = HUGE_VAL;
    problem->squares[1] = HUGE_VAL;
    problem->answers = 0;
    problem->iterations = 0;
    problem->starts = 0;
    problem->lanes = 0;
    problem->counter = poise__chain_mix(search->def->seed);
    return fine;
}

// ----------------------------------------------------------------------------------------- results

static int count_limits_of_cone(const ChainJoint* joint, const double* rotation) {
    ChainCone cone;
    const PoiseQuat q = poise_quat(rotation[0], rotation[1], rotation[2], rotation[3]);
    const PoiseQuat inside = poise_quat_mul(poise_quat_mul(joint->before, q), joint->after);
    const double numbers[4] = {inside.w, inside.x, inside.y, inside.z};
    poise__chain_cone_look(numbers, &cone);
    return (cone.swing >= joint[0].upper - LIMIT_CLOSE) +
           (cone.twist <= joint[2].lower + LIMIT_CLOSE ||
            cone.twist >= joint[2].upper - LIMIT_CLOSE);
}

static int count_limited(const PoiseChain* chain, const double* posture) {
    int count = 0;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const int slot = joint->slot;
        const ChainNumber* range = &chain->numbers[slot];
        if (joint->kind == CHAIN_CONE) {
            count += count_limits_of_cone(joint, &posture[slot]);
            i += 2;
        } else if (joint->kind != CHAIN_BALL) {
            count += posture[slot] <= range->lower + LIMIT_CLOSE ||
                     posture[slot] >= range->upper - LIMIT_CLOSE;
        }
    }
    return count;
}

// the squares as lengths; that of the turn is of 2 sin(angle / 2)
static void fill_errors(const ChainSearch* search, const ChainProblem* problem,
                        PoiseChainReport* report) {
    report->error = search->chain->unit * sqrt(problem->squares[0]);
    report->angle_error = 2.0 * asin(fmin(0.5 * sqrt(problem->squares[1]), 1.0));
}

static PoiseStatus finish_problem(const ChainSearch* search, ChainProblem* problem, double* posture,
                                  PoiseChainReport* report) {
    PoiseReachReason reason = POISE_REACH_MET;
    if (problem->answers == 0) {
        reason = poise__chain_rest(search, problem);
        poise__chain_unwind(search->chain, problem->start, problem->best);
    }
    poise__chain_store(search->chain, problem->best, posture);
    const PoiseStatus status = reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    if (report) {
        report->status = status;
        report->reason = reason;
        report->iterations = problem->iterations;
        report->starts = problem->starts;
        report->answers = problem->answers;
        fill_errors(search, problem, report);
        report->limited_dofs = count_limited(search->chain, posture);
    }
    return status;
}

// ------------------------------------------------------------------------------------------ solves

static void run_search(const ChainSearch* search, ChainProblem* problem) {
    switch (search->chain->path_of_one) {
#if defined(POISE_CHAIN_HAS_AVX512)
    case POISE_CHAIN_AVX512:
        poise__chain_search_avx512(search, problem);
        return;
#endif
#if defined(POISE_CHAIN_HAS_AVX2)
    case POISE_CHAIN_AVX2:
        poise__chain_search_avx2(search, problem);
        return;
#endif
    default:
        poise__chain_search_scalar(search, problem);
    }
}

static void run_stream(const ChainSearch* search, const ChainQueue* queue) {
    switch (search->chain->path) {
#if defined(POISE_CHAIN_HAS_AVX512)
    case POISE_CHAIN_AVX512:
        poise__chain_stream_avx512(search, queue);
        return;
#endif
#if defined(POISE_CHAIN_HAS_AVX2)
    case POISE_CHAIN_AVX2:
        poise__chain_stream_avx2(search, queue);
        return;
#endif
    default:
        poise__chain_stream_scalar(search, queue);
    }
}

PoiseStatus poise_chain_solve(const PoiseChain* chain, const PoiseChainSolveDef* def,
                              PoisePose target, double* posture, PoiseChainReport* report) {
    PoiseChainSolveDef defaults;
    if (!def) {
        defaults = poise_default_chain_solve_def();
        def = &defaults;
    }
    if (!chain || !posture || def_problem(def) || !is_target(&target)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    ChainSearch search = make_search(chain, def);
    search.one_is_enough = def->answers == 1;
    ChainProblem problem;
    if (!make_problem(&search, &target, posture, &problem)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    run_search(&search, &problem);
    return finish_problem(&search, &problem, posture, report);
}

// ---------------------------------------------------------------------------------------- tracking

static bool run_track(const ChainSearch* search, ChainProblem* problem) {
#if defined(POISE_CHAIN_HAS_AVX2)
    if (search->chain->path != POISE_CHAIN_SCALAR) {
        return poise__chain_step_avx2(search, problem);
    }
#endif
    return poise__chain_step_scalar(search, problem);
}

PoiseStatus poise_chain_track(const PoiseChain* chain, const PoiseChainSolveDef* def,
                              PoisePose target, double* posture, PoiseChainReport* report) {
    PoiseChainSolveDef defaults;
    if (!def) {
        defaults = poise_default_chain_solve_def();
        def = &defaults;
    }
    if (!chain || !posture || def_problem(def) || !is_target(&target)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const ChainSearch search = make_search(chain, def);
    ChainProblem problem;
    poise__chain_target(chain, def->goal, &target, &problem.target);
    if (!poise__chain_load(chain, posture, problem.best)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const bool met = run_track(&search, &problem);
    if (!met) {
        poise__chain_store(chain, problem.best, posture);
    }
    const PoiseStatus status = met ? POISE_OK : POISE_NOT_CONVERGED;
    if (report) {
        report->status = status;
        report->reason = met ? POISE_REACH_MET : POISE_REACH_BUDGET;
        report->iterations = 1;
        report->starts = 1;
        report->answers = met;
        fill_errors(&search, &problem, report);
        report->limited_dofs = count_limited(chain, posture);
    }
    return status;
}

// ----------------------------------------------------------------------------------------- batches

/// A part of a batch, one thread's.
typedef struct Share {
    const ChainSearch* search;
    const PoiseChainBatch* batch;
    int next;
    int end;
    int missed;
    int targets[CHAIN_MOST_LANES]; ///< which target each problem out there is
    ChainProblem* problems[CHAIN_MOST_LANES];
} Share;

static double* posture_at(const Share* share, int i) {
    return share->batch->postures + (size_t)i * (size_t)share->search->chain->slot_count;
}

static bool next_target(void* user, ChainProblem* problem) {
    Share* share = user;
    if (share->next >= share->end) {
        return false;
    }
    int lane = 0;
    while (share->problems[lane] && share->problems[lane] != problem) {
        lane++;
    }
    share->problems[lane] = problem;
    share->targets[lane] = share->next++;
    const int i = share->targets[lane];
    (void)make_problem(share->search, &share->batch->targets[i], posture_at(share, i), problem);
    return true;
}

static void target_done(void* user, ChainProblem* problem) {
    Share* share = user;
    int lane = 0;
    while (share->problems[lane] != problem) {
        lane++;
    }
    const int i = share->targets[lane];
    PoiseChainReport* report = share->batch->reports ? &share->batch->reports[i] : NULL;
    share->missed +=
        finish_problem(share->search, problem, posture_at(share, i), report) != POISE_OK;
}

static void* run_share(void* user) {
    Share* share = user;
    const ChainQueue queue = {next_target, target_done, share};
    run_stream(share->search, &queue);
    return NULL;
}

static const char* target_problem(const PoisePose* target) {
    if (!poise_is_finite_pose(*target)) {
        return "the target is not finite";
    }
    return is_target(target) ? NULL : "the target's rotation is 0";
}

static const char* start_problem(const PoiseChain* chain, const double* posture) {
    double numbers[CHAIN_MOST_SLOTS];
    if (poise__chain_load(chain, posture, numbers)) {
        return NULL;
    }
    for (int i = 0; i < chain->slot_count; i++) {
        if (!isfinite(posture[i])) {
            return "the start is not finite";
        }
    }
    return poise__chain_is_posture(chain, posture) ? "an angle of the start is beyond 1e5 rad"
                                                   : "a rotation of the start is 0";
}

const char* poise_chain_batch_problem(const PoiseChain* chain, const PoiseChainBatch* batch,
                                      int* index) {
    const char* problem = NULL;
    int at = -1;
    if (!chain || !batch) {
        problem = "there is no chain, or no batch";
    } else if (batch->count < 0) {
        problem = "count must be at least 0";
    } else if (batch->count > 0 && (!batch->targets || !batch->postures)) {
        problem = "targets and postures must not be NULL";
    } else {
        for (int i = 0; i < batch->count && !problem; i++) {
            problem = target_problem(&batch->targets[i]);
            problem =
                problem
                    ? problem
                    : start_problem(chain, batch->postures + (size_t)i * (size_t)chain->slot_count);
            at = problem ? i : -1;
        }
    }
    if (index) {
        *index = at;
    }
    return problem;
}

PoiseStatus poise_chain_solve_batch(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                    const PoiseChainBatch* batch) {
    PoiseChainSolveDef defaults;
    if (!def) {
        defaults = poise_default_chain_solve_def();
        def = &defaults;
    }
    if (def_problem(def) || poise_chain_batch_problem(chain, batch, NULL)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const ChainSearch search = make_search(chain, def);
    Share shares[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    const int count = def->threads;
    for (int t = 0; t < count; t++) {
        memset(&shares[t], 0, sizeof shares[t]);
        shares[t].search = &search;
        shares[t].batch = batch;
        shares[t].next = (int)((int64_t)batch->count * t / count);
        shares[t].end = (int)((int64_t)batch->count * (t + 1) / count);
    }
    for (int t = 1; t < count; t++) {
        started[t] = pthread_create(&threads[t], NULL, run_share, &shares[t]) == 0;
    }
    int missed = 0;
    for (int t = 0; t < count; t++) {
        if (started[t]) {
            (void)pthread_join(threads[t], NULL);
        } else {
            (void)run_share(&shares[t]);
        }
        missed += shares[t].missed;
    }
    return missed == 0 ? POISE_OK : POISE_NOT_CONVERGED;
}
