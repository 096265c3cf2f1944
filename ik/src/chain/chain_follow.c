// SPDX-License-Identifier: MIT
// Paths of targets: each search starts from the answer before.
#include <string.h>

#include "chain.h"

// Largest number of tracking steps per target; number of answers that are compared if these do not
// meet it.
enum { STEPS = 50, ANSWERS = 16 };

/// The state of a path.
typedef struct Path {
    const PoiseChain* chain;
    const PoiseChainSolveDef* def;
    bool stopped;
} Path;

static PoiseQuat rotation_of(const double q[4]) {
    return poise_quat_normalize(poise_quat(q[0], q[1], q[2], q[3]));
}

// Returns how far the joint moves between two postures, rad or m.
static double joint_step(const ChainJoint* joint, const double* a, const double* b) {
    if (poise__chain_is_ball(joint)) {
        const PoiseQuat from = rotation_of(&a[joint->number]);
        const PoiseQuat to = rotation_of(&b[joint->number]);
        return poise_length(poise_quat_log(poise_quat_mul(to, poise_quat_conjugate(from))));
    }
    return joint->kind == CHAIN_CONE_REST ? 0.0 : fabs(b[joint->number] - a[joint->number]);
}

bool poise__chain_leaps(const PoiseChain* chain, const double* from, const double* to) {
    for (int i = 0; i < chain->joint_count; i++) {
        if (joint_step(&chain->joints[i], from, to) > POISE_FOLLOW_STEP) {
            return true;
        }
    }
    return false;
}

// Reports the errors of the posture, which stays.
static PoiseStatus stay(const Path* path, PoisePose target, const double* posture,
                        PoiseChainReport* report) {
    double unused[POISE_CHAIN_MAX_POSTURE];
    memcpy(unused, posture, (size_t)path->chain->posture_size * sizeof *posture);
    const PoiseStatus status = poise_chain_track(path->chain, path->def, target, unused, report);
    if (report && status >= POISE_OK) {
        report->status = POISE_NOT_CONVERGED;
        report->reason = POISE_REACH_LEAP;
        report->answers = 0;
    }
    return status < POISE_OK ? status : POISE_NOT_CONVERGED;
}

static PoiseStatus follow(Path* path, PoisePose target, double* posture, PoiseChainReport* report) {
    if (path->stopped) {
        return stay(path, target, posture, report);
    }
    double last[POISE_CHAIN_MAX_POSTURE];
    const size_t size = (size_t)path->chain->posture_size * sizeof *posture;
    memcpy(last, posture, size);
    PoiseStatus status = POISE_NOT_CONVERGED;
    for (int step = 0; step < STEPS && status == POISE_NOT_CONVERGED; step++) {
        status = poise_chain_track(path->chain, path->def, target, posture, report);
    }
    if (status == POISE_NOT_CONVERGED) {
        PoiseChainSolveDef several = *path->def;
        several.answers = several.answers > ANSWERS ? several.answers : ANSWERS;
        memcpy(posture, last, size);
        status = poise_chain_solve(path->chain, &several, target, posture, report);
    }
    path->stopped =
        status >= POISE_OK && !path->def->leap && poise__chain_leaps(path->chain, last, posture);
    if (path->stopped) {
        memcpy(posture, last, size);
        status = stay(path, target, posture, report);
    }
    return status;
}

PoiseStatus poise_chain_follow_batch(const PoiseChain* chain, const PoiseChainSolveDef* def,
                                     const PoiseChainBatch* batch) {
    const PoiseChainSolveDef usual = poise_default_chain_solve_def();
    def = def ? def : &usual;
    if (poise_chain_solve_def_problem(def) || !chain || !batch || batch->count < 0 ||
        (batch->count > 0 && (!batch->targets || !batch->postures))) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const size_t size = (size_t)poise_chain_posture_size(chain);
    // Check every target before any posture changes; only the first start must be valid.
    double start[POISE_CHAIN_MAX_POSTURE];
    for (int i = 0; i < batch->count; i++) {
        memcpy(start, batch->postures, size * sizeof *start);
        const PoiseChainBatch one = {1, &batch->targets[i], start, NULL};
        if (poise_chain_batch_problem(chain, &one, NULL)) {
            return POISE_ERROR_INVALID_ARGUMENT;
        }
    }
    Path path = {chain, def, def->stopped};
    PoiseStatus all = POISE_OK;
    for (int i = 0; i < batch->count; i++) {
        double* posture = batch->postures + (size_t)i * size;
        if (i > 0) {
            memcpy(posture, posture - size, size * sizeof *posture);
        }
        PoiseChainReport* report = batch->reports ? &batch->reports[i] : NULL;
        const PoiseStatus status = follow(&path, batch->targets[i], posture, report);
        all = status != POISE_OK ? status : all;
    }
    return all;
}
