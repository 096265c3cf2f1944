// SPDX-License-Identifier: MIT
// Solves one target, or makes one step toward it: runs the search in the lanes, descends to the
// nearest posture if no start met the target, and fills the report.
#include <limits.h>

#include "chain.h"

// A search of SHORT_SEARCH iterations comes first. It continues only if the error of the nearest
// posture, in units and rad, is below FAR_FROM_MET; the smaller the error, the longer. The hardest
// chain has six hinges whose axes neither meet nor are at right angles: 8 of its 40,000 measured
// targets need this continuation, and their errors are at most 0.095.
#define FAR_FROM_MET 0.25
#define LEAST_ERROR  1e-9

enum { MOST_STARTS = 4000, SHORT_SEARCH = 600 };

// ---------------------------------------------------------------------------------------- problems

ChainSearch poise__chain_search_of(const Chain* chain, PoiseBodyGoal goal,
                                   const PoiseBodySolveDef* def) {
    const double position = CHAIN_TOLERANCE_PART * def->position_tolerance * chain->to_units;
    const double angle = CHAIN_TOLERANCE_PART * def->angle_tolerance;
    return (ChainSearch){
        .chain = chain,
        .goal = goal,
        // iterations of all lanes, while the def counts those of one
        .iterations = def->iterations < INT_MAX / 4 ? 4 * def->iterations : INT_MAX,
        .starts = MOST_STARTS,
        .answers = def->answers,
        .seed = def->seed,
        .position_tolerance = def->position_tolerance,
        .angle_tolerance = def->angle_tolerance,
        .position_tolerance2 = position * position,
        .angle_tolerance2 = angle * angle,
        .kernel = &poise__chain_exact,
    };
}

static void set_matrix(PoiseQuat q, double m[9]) {
    m[0] = 1.0 - 2.0 * (q.y * q.y + q.z * q.z);
    m[1] = 2.0 * (q.x * q.y - q.w * q.z);
    m[2] = 2.0 * (q.x * q.z + q.w * q.y);
    m[3] = 2.0 * (q.x * q.y + q.w * q.z);
    m[4] = 1.0 - 2.0 * (q.x * q.x + q.z * q.z);
    m[5] = 2.0 * (q.y * q.z - q.w * q.x);
    m[6] = 2.0 * (q.x * q.z - q.w * q.y);
    m[7] = 2.0 * (q.y * q.z + q.w * q.x);
    m[8] = 1.0 - 2.0 * (q.x * q.x + q.y * q.y);
}

// Converts a target to the frame of the first joint and to units. The target must be valid.
static void set_target(const ChainSearch* search, const PoisePose* target, ChainTarget* out) {
    const Chain* chain = search->chain;
    PoiseVec3 p = poise_sub(target->p, chain->base.p);
    PoiseQuat q = poise_quat_identity();
    if (!chain->plain_base) {
        p = poise_quat_unrotate(chain->base.q, p);
    }
    if (search->goal != POISE_BODY_POSITION) {
        q = target->q;
        poise__chain_make_unit(&q);
        q = chain->plain_base ? q : poise_quat_mul(poise_quat_conjugate(chain->base.q), q);
        q = chain->plain_tip ? q : poise_quat_mul(q, poise_quat_conjugate(chain->tip));
        set_matrix(q, out->matrix);
    }
    out->position[0] = chain->to_units * p.x;
    out->position[1] = chain->to_units * p.y;
    out->position[2] = chain->to_units * p.z;
    out->rotation = q;
}

bool poise__chain_begin(const ChainSearch* search, const PoisePose* target, const double* posture,
                        ChainProblem* problem) {
    set_target(search, target, &problem->target);
    const bool valid = poise__chain_load(search->chain, posture, problem->start);
    poise__chain_clear(problem);
    problem->take = NULL;
    problem->budget = SHORT_SEARCH < search->iterations ? SHORT_SEARCH : search->iterations;
    problem->counter = poise__mix_bits(search->seed);
    poise__chain_measure(search, problem);
    return valid;
}

// Returns the number of iterations at which the search ends. The smaller the error of the nearest
// posture, the more likely the search missed an answer, and the longer it continues.
static int budget_for(const ChainSearch* search, double error2) {
    const double budget = SHORT_SEARCH * FAR_FROM_MET / fmax(sqrt(error2), LEAST_ERROR);
    return budget < search->iterations ? (int)budget : search->iterations;
}

// Finds the posture nearest to a target that no start met. Continues the search if that is near.
static PoiseReachReason find_nearest(const ChainSearch* search, ChainProblem* problem) {
    PoiseReachReason reason = poise__chain_nearest(search, problem);
    if (reason == POISE_REACH_MET || problem->is_beyond || problem->is_settled) {
        return reason;
    }
    const int used = problem->iterations;
    const int more = budget_for(search, problem->least) - problem->budget;
    problem->budget = used + more;
    if (more > 0 && problem->starts < search->starts) {
        search->kernel->solve_one(search, problem);
        reason = problem->answers > 0 ? POISE_REACH_MET : poise__chain_nearest(search, problem);
    }
    return reason;
}

// ----------------------------------------------------------------------------------------- reports

int poise__chain_count_limited(const Chain* chain, const double* posture) {
    double q[CHAIN_MOST_Q];
    int count = 0;
    // The return value is ignored: it is an error if an angle is too large for a start, but an
    // answer may have this angle.
    poise__chain_load(chain, posture, q);
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_CONE) {
            ChainCone cone;
            poise__chain_cone_read(joint, &q[joint->q], &cone);
            count += cone.swing >= joint[0].upper - LIMIT_CLOSE;
            count += cone.twist <= joint[2].lower + LIMIT_CLOSE ||
                     cone.twist >= joint[2].upper - LIMIT_CLOSE;
        } else if (joint->kind == CHAIN_HINGE || joint->kind == CHAIN_SLIDER) {
            const double close = LIMIT_CLOSE * joint->scale;
            count += q[joint->q] <= joint->lower + close || q[joint->q] >= joint->upper - close;
        }
    }
    return count;
}

static void fill_report(const ChainSearch* search, const ChainProblem* problem,
                        PoiseReachReason reason, PoiseBodyReport* report) {
    const Chain* chain = search->chain;
    const bool limited = reason == POISE_REACH_AT_LIMITS;
    *report = (PoiseBodyReport){
        .status = reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED,
        .reason = reason,
        .beyond = chain->unit * problem->beyond,
        .iterations = problem->iterations,
        .starts = problem->starts,
        .answers = problem->answers,
        .error = chain->unit * sqrt(problem->squares[0]),
        // squares[1] is (2 sin(angle / 2))^2
        .angle_error = 2.0 * poise_asin(fmin(0.5 * sqrt(problem->squares[1]), 1.0)),
        .limit = limited ? chain->joints[problem->limiting].number : -1,
    };
}

PoiseStatus poise__chain_finish(const ChainSearch* search, ChainProblem* problem, double* posture,
                                PoiseBodyReport* report) {
    PoiseReachReason reason = POISE_REACH_MET;
    if (problem->answers == 0) {
        reason = find_nearest(search, problem);
        poise__chain_unwind(search->chain, problem->start, problem->best);
    }
    poise__chain_store(search->chain, problem->best, posture);
    if (report) {
        fill_report(search, problem, reason, report);
    }
    return reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
}

// ------------------------------------------------------------------------------------- the calls

PoiseStatus poise__chain_solve(const ChainSearch* search, const PoisePose* target, double* posture,
                               PoiseBodyReport* report) {
    ChainProblem problem;
    if (!poise__chain_begin(search, target, posture, &problem)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!problem.is_beyond && !poise__chain_solve_closed(search, &problem)) {
        search->kernel->solve_one(search, &problem);
    }
    return poise__chain_finish(search, &problem, posture, report);
}

PoiseStatus poise__chain_track(const ChainSearch* search, const PoisePose* target, double* posture,
                               PoiseBodyReport* report) {
    ChainProblem problem;
    set_target(search, target, &problem.target);
    problem.beyond = 0.0;
    const PoiseStatus status = search->kernel->step(search, &problem, posture);
    if (report && status >= POISE_OK) {
        problem.iterations = 1;
        problem.starts = 1;
        problem.answers = status == POISE_OK;
        fill_report(search, &problem, status == POISE_OK ? POISE_REACH_MET : POISE_REACH_BUDGET,
                    report);
    }
    return status;
}
