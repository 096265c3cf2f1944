// SPDX-License-Identifier: MIT
// Solves many sets of targets: batches on several threads, and paths on which each search starts
// from the last answer.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "body_apart.h"

// A path makes at most STEPS tracking steps for each set. If they do not meet the set, it takes the
// nearest of ANSWERS answers.
enum { STEPS = 50, ANSWERS = 16 };

/// The sets begin..end - 1 of a batch, which one thread solves.
typedef struct Part {
    const PoiseBody* body;
    const PoiseBodySolveDef* def;
    const PoiseBodyBatch* batch;
    const ChainSearch* limb; ///< settings if the body is one limb; else NULL
    int begin;               ///< index of the next set
    int end;
    int missed;
} Part;

static const PoiseBodyTarget* targets_at(const PoiseBody* body, const PoiseBodyBatch* batch,
                                         int index) {
    return batch->targets + (size_t)index * (size_t)body->tip_count;
}

static double* posture_at(const PoiseBody* body, const PoiseBodyBatch* batch, int index) {
    return batch->postures + (size_t)index * (size_t)body->posture_size;
}

// Returns the problem of the batch, or NULL, and the index of the set that has it. Checks only the
// first `starts` starts.
static const char* find_problem(const PoiseBody* body, const PoiseBodyBatch* batch, int starts,
                                int* index) {
    *index = -1;
    if (!body || !batch) {
        return "there is no body, or no batch";
    }
    if (batch->count < 0) {
        return "count must be at least 0";
    }
    if (batch->count > 0 && (!batch->targets || !batch->postures)) {
        return "targets and postures must not be NULL";
    }
    for (*index = 0; *index < batch->count; ++*index) {
        const char* problem =
            poise_body_targets_problem(body, targets_at(body, batch, *index), NULL);
        if (problem) {
            return problem;
        }
        if (*index < starts && !poise__body_is_start(body, posture_at(body, batch, *index))) {
            const double* start = posture_at(body, batch, *index);
            for (int i = 0; i < body->posture_size; i++) {
                if (!isfinite(start[i])) {
                    return "the start is not finite";
                }
            }
            return poise__body_is_posture(body, start) ? "an angle of the start is beyond 1e5 rad"
                                                       : "a rotation of the start is 0";
        }
    }
    *index = -1;
    return NULL;
}

const char* poise_body_batch_problem(const PoiseBody* body, const PoiseBodyBatch* batch,
                                     int* index) {
    int unused;
    return find_problem(body, batch, batch ? batch->count : 0, index ? index : &unused);
}

static void set_done(void* user, ChainProblem* problem) {
    Part* part = user;
    double* posture = posture_at(part->body, part->batch, problem->index);
    PoiseBodyReport* report = part->batch->reports ? &part->batch->reports[problem->index] : NULL;
    part->missed += poise__chain_finish(part->limb, problem, posture, report) != POISE_OK;
    if (report) {
        report->limited_dofs = poise__body_count_limited(part->body, posture);
    }
}

// Finds the next target that a lane must search for. Solves targets that are out of reach or have a
// closed form at once.
static bool next_set(void* user, ChainProblem* problem) {
    Part* part = user;
    const ChainSearch* limb = part->limb;
    // a search in lanes finds a single answer in less time than a closed form
    const bool closed = limb->answers > 1;
    while (part->begin < part->end) {
        const int i = part->begin++;
        problem->index = i;
        // never fails, because all starts have been checked
        if (poise__chain_begin(limb, &targets_at(part->body, part->batch, i)->pose,
                               posture_at(part->body, part->batch, i), problem) &&
            !problem->is_beyond && !(closed && poise__chain_solve_closed(limb, problem))) {
            return true;
        }
        set_done(part, problem);
    }
    return false;
}

static void* solve_part(void* user) {
    Part* part = user;
    if (part->limb) {
        const ChainQueue queue = {next_set, set_done, part};
        poise__batch_kernel(part->limb->kernel)->solve_many(part->limb, &queue);
        return NULL;
    }
    for (int i = part->begin; i < part->end; i++) {
        PoiseBodyReport* report = part->batch->reports ? &part->batch->reports[i] : NULL;
        part->missed +=
            poise_body_solve(part->body, part->def, targets_at(part->body, part->batch, i),
                             posture_at(part->body, part->batch, i), report) != POISE_OK;
    }
    return NULL;
}

// True if the body is one limb and all targets have the same goal, with weight 1 in all rows: then
// each lane works on a target of its own.
static bool is_limb_batch(const PoiseBody* body, const PoiseBodySolveDef* def,
                          const PoiseBodyBatch* batch, Limb* limb) {
    bool same = body->tip_count == 1 && !body->apart && batch->count > 0;
    for (int i = batch->count - 1; i >= 0 && same; i--) {
        same = poise__limb_of(body->groups[0], def, &batch->targets[i], limb) &&
               batch->targets[i].goal == batch->targets[batch->count - 1].goal;
    }
    return same;
}

PoiseStatus poise_body_solve_batch(const PoiseBody* body, const PoiseBodySolveDef* def,
                                   const PoiseBodyBatch* batch) {
    const PoiseBodySolveDef defaults = poise_default_body_solve_def();
    Part parts[BODY_MOST_THREADS];
    pthread_t threads[BODY_MOST_THREADS];
    bool started[BODY_MOST_THREADS] = {false};
    Limb limb;
    int missed = 0;
    def = def ? def : &defaults;
    if (poise_body_solve_def_problem(def) || poise_body_batch_problem(body, batch, NULL)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const ChainSearch* search = is_limb_batch(body, def, batch, &limb) ? &limb.search : NULL;
    for (int t = 0; t < def->threads; t++) {
        const int begin = (int)((int64_t)batch->count * t / def->threads);
        const int end = (int)((int64_t)batch->count * (t + 1) / def->threads);
        parts[t] = (Part){body, def, batch, search, begin, end, 0};
        // the calling thread solves the first part, and parts without a thread
        started[t] = t > 0 && pthread_create(&threads[t], NULL, solve_part, &parts[t]) == 0;
    }
    for (int t = 0; t < def->threads; t++) {
        if (started[t]) {
            (void)pthread_join(threads[t], NULL);
        } else {
            (void)solve_part(&parts[t]);
        }
        missed += parts[t].missed;
    }
    return missed == 0 ? POISE_OK : POISE_NOT_CONVERGED;
}

// ------------------------------------------------------------------------------------------- paths

// True if some joint moves by more than POISE_FOLLOW_STEP between two postures.
static bool leaps(const PoiseBody* body, const double* from, const double* to) {
    bool leap = false;
    for (int p = 0; !leap && p < body->part_count; p++) {
        const int number = body->parts[p]->number;
        leap = poise__chain_leaps(body->parts[p]->chain, &from[number], &to[number]);
    }
    return leap;
}

// True if parts would meet on the path from `last` to `posture`. Then resets the posture to `last`,
// and the report names the pair.
static bool is_held(const PoiseBody* body, const double* last, double* posture,
                    PoiseBodyReport* report) {
    ApartGap nearest = {.pair = -1};
    if (report->reason == POISE_REACH_HELD && report->held) {
        memcpy(posture, last, (size_t)body->posture_size * sizeof posture[0]);
        return true;
    }
    if (poise__body_path_is_free(body, last, posture, &nearest)) {
        return false;
    }
    memcpy(posture, last, (size_t)body->posture_size * sizeof posture[0]);
    report->reason = POISE_REACH_LEAP;
    if (nearest.pair >= 0) {
        poise__body_report_held(body, &nearest, report);
    }
    return true;
}

// Moves the posture from the answer of one set to an answer of the next. True if a joint would leap
// or parts would meet; the posture stays then.
static bool follow(const PoiseBody* body, const PoiseBodySolveDef* def,
                   const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report) {
    double last[POISE_BODY_MOST_POSTURE];
    const size_t size = (size_t)body->posture_size * sizeof last[0];
    bool met = false;
    memcpy(last, posture, size);
    for (int step = 0; step < STEPS && !met; step++) {
        if (!poise__body_track(body, def, targets, posture, report)) {
            break;
        }
        met = report->status == POISE_OK;
    }
    const PoiseBodyReport tracked = *report;
    if (!met) {
        PoiseBodySolveDef several = *def;
        several.answers = several.answers > ANSWERS ? several.answers : ANSWERS;
        memcpy(posture, last, size);
        met = poise__body_solve(body, &several, targets, posture, report) &&
              report->status == POISE_OK;
    }
    const bool leap = !def->leap && leaps(body, last, posture);
    if (leap) {
        memcpy(posture, last, size);
        *report = tracked.held ? tracked : *report;
    }
    return leap || (body->apart && is_held(body, last, posture, report));
}

PoiseStatus poise_body_follow_batch(const PoiseBody* body, const PoiseBodySolveDef* def,
                                    const PoiseBodyBatch* batch) {
    const PoiseBodySolveDef defaults = poise_default_body_solve_def();
    PoiseStatus all = POISE_OK;
    int index;
    def = def ? def : &defaults;
    if (poise_body_solve_def_problem(def) || find_problem(body, batch, 1, &index)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    bool stopped = def->stopped;
    PoiseBodyReport stop = {.status = POISE_NOT_CONVERGED, .reason = POISE_REACH_LEAP, .limit = -1};
    for (int i = 0; i < batch->count; i++) {
        double* posture = posture_at(body, batch, i);
        PoiseBodyReport report = {.status = POISE_NOT_CONVERGED, .limit = -1};
        if (i > 0) {
            memcpy(posture, posture - body->posture_size,
                   (size_t)body->posture_size * sizeof posture[0]);
        }
        if (!stopped && follow(body, def, targets_at(body, batch, i), posture, &report)) {
            stopped = true;
            stop.reason = report.held ? POISE_REACH_HELD : POISE_REACH_LEAP;
            stop.held = report.held;
            stop.held_by = report.held_by;
            stop.held_gap = report.held_gap;
        }
        report = stopped ? stop : report;
        if (batch->reports) {
            poise__body_measure(body, def, targets_at(body, batch, i), posture, &report);
            report.limited_dofs = poise__body_count_limited(body, posture);
            batch->reports[i] = report;
        }
        all = report.status != POISE_OK ? report.status : all;
    }
    return all;
}
