// SPDX-License-Identifier: MIT
// What the lanes work on: starts of one problem, or problems of their own. Defines, for the file
// that includes it, CHAIN_NAME(poise__chain_search) and CHAIN_NAME(poise__chain_stream).
#ifndef POISE_CHAIN_DRIVE_H
#define POISE_CHAIN_DRIVE_H

#include "chain_newton.h"

// lambda = gain * error^2 + a part of trace(J J^T): Newton's steps where the error is small
#define GAIN_FIRST 0.15
#define GAIN_FALL  0.3
#define GAIN_LEAST 1e-9
// an iteration that leaves the error^2 above this part of the least so far made no progress
#define PROGRESS 0.9

/// A start is given up after so many iterations without progress.
enum { PATIENCE = 3 };

/// What an iteration found.
typedef struct Outcome {
    unsigned met;   ///< lanes, as bits
    unsigned stuck; ///< without progress for too long
} Outcome;

/// The lanes and whose they are.
typedef struct Crew {
    Lanes lanes;
    ChainProblem* problems[CHAIN_LANES];
    unsigned active; ///< lanes at work, as bits
} Crew;

// -------------------------------------------------------------------------------- nearest postures

static void sort_picks(double* scores, int* picks) {
    for (int i = 1; i < CHAIN_PICKS; i++) {
        const double score = scores[i];
        const int pick = picks[i];
        int j = i;
        for (; j > 0 && score < scores[j - 1]; j--) {
            scores[j] = scores[j - 1];
            picks[j] = picks[j - 1];
        }
        scores[j] = score;
        picks[j] = pick;
    }
}

// of every CHAIN_PICKS-th of the chain's postures, the one whose tip is nearest, the nearest first
static void pick_seeds(const ChainSearch* search, ChainProblem* problem) {
    enum { GROUPS = CHAIN_PICKS / CHAIN_LANES };
    const PoiseChain* chain = search->chain;
    const ChainTarget* target = &problem->target;
    const double tip[7] = {target->place[0],   target->place[1],   target->place[2],
                           target->rotation.w, target->rotation.x, target->rotation.y,
                           target->rotation.z};
    const V place_weight = v_set(search->def->goal != POISE_CHAIN_ORIENTATION);
    // (2 sin(angle / 2))^2 = 4 (1 - (q . q')^2), but for the constant
    const V turn_weight = v_set(search->def->goal != POISE_CHAIN_POSITION ? 4.0 : 0.0);
    V best[GROUPS];
    V where[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        best[g] = v_set(HUGE_VAL);
        where[g] = v_set(0.0);
    }
    for (int i = 0; i < chain->seed_count; i += CHAIN_PICKS) {
        for (int g = 0; g < GROUPS; g++) {
            const double* at = chain->seed_tips + i + g * CHAIN_LANES;
            V way2 = v_set(0.0);
            V turn = v_set(0.0);
            for (int k = 0; k < 3; k++) {
                const V way = v_load(at + k * chain->seed_count) - v_set(tip[k]);
                way2 = v_fma(way, way, way2);
            }
            for (int k = 3; k < 7; k++) {
                turn = v_fma(v_load(at + k * chain->seed_count), v_set(tip[k]), turn);
            }
            const V score = v_fnma(turn_weight * turn, turn, place_weight * way2);
            const M better = v_lt(score, best[g]);
            best[g] = v_select(better, score, best[g]);
            where[g] = v_select(better, v_set(i), where[g]);
        }
    }
    _Alignas(64) double scores[CHAIN_PICKS];
    _Alignas(64) double blocks[CHAIN_PICKS];
    for (int g = 0; g < GROUPS; g++) {
        v_store(&scores[g * CHAIN_LANES], best[g]);
        v_store(&blocks[g * CHAIN_LANES], where[g]);
    }
    for (int i = 0; i < CHAIN_PICKS; i++) {
        problem->picks[i] = (int)blocks[i] + i;
    }
    sort_picks(scores, problem->picks);
}

// --------------------------------------------------------------------------------- one iteration

/// One iteration. Lanes that have met their target or are stuck stay where they are; `squares` are
/// what they were before the step.
static Outcome iterate(const ChainSearch* search, Lanes* lanes) {
    Frame tip;
    V v[6];
    V squares[2];
    fill_frames(search->chain, lanes, &tip);
    fill_error(search, lanes, &tip, v, squares);
    const V error = squares[0] + squares[1];
    const M met = m_and(v_lt(squares[0], v_set(search->place_tolerance2)),
                        v_lt(squares[1], v_set(search->rotation_tolerance2)));
    const V best = v_load(lanes->best);
    const M better = v_lt(error, v_set(PROGRESS) * best);
    const V wait = v_clear(better, v_load(lanes->wait) + v_set(1.0));
    const M stuck = v_ge(wait, v_load(lanes->patience));
    v_store(lanes->best, v_select(better, error, best));
    v_store(lanes->wait, wait);
    v_store(lanes->squares[0], squares[0]);
    v_store(lanes->squares[1], squares[1]);
    const Outcome outcome = {m_bits(met), m_bits(stuck) & ~m_bits(met)};
    if (outcome.met == 0 || !search->one_is_enough) {
        const V gain = v_load(lanes->gain);
        v_store(lanes->gain, v_max(gain * v_set(GAIN_FALL), v_set(GAIN_LEAST)));
        fill_columns(search->chain, lanes, tip.p);
        take_step(search, lanes, v, gain * error, m_or(met, stuck));
    }
    return outcome;
}

// -------------------------------------------------------------------------------- a lane's problem

static void begin_start(const ChainSearch* search, Crew* crew, int lane) {
    Lanes* lanes = &crew->lanes;
    ChainProblem* problem = crew->problems[lane];
    double numbers[CHAIN_MOST_SLOTS];
    poise__chain_begin(search->chain, search->def, problem, numbers);
    for (int i = 0; i < search->chain->slot_count; i++) {
        lanes->numbers[i][lane] = numbers[i];
    }
    lanes->gain[lane] = GAIN_FIRST;
    lanes->best[lane] = HUGE_VAL;
    lanes->wait[lane] = 0.0;
    lanes->patience[lane] = PATIENCE;
}

static void take_problem(const ChainSearch* search, Crew* crew, int lane, ChainProblem* problem) {
    crew->problems[lane] = problem;
    crew->active |= 1u << lane;
    problem->lanes++;
    for (int k = 0; k < 3; k++) {
        crew->lanes.place[k][lane] = problem->target.place[k];
    }
    for (int k = 0; k < 9; k++) {
        crew->lanes.matrix[k][lane] = problem->target.matrix[k];
    }
    begin_start(search, crew, lane);
}

// lanes without work go along with lane 0: numbers that are good for something
static void fill_idle(const ChainSearch* search, Crew* crew) {
    Lanes* lanes = &crew->lanes;
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        if ((crew->active >> lane & 1) != 0) {
            continue;
        }
        for (int i = 0; i < search->chain->slot_count; i++) {
            lanes->numbers[i][lane] = lanes->numbers[i][0];
        }
        for (int k = 0; k < 9; k++) {
            lanes->place[k % 3][lane] = lanes->place[k % 3][0];
            lanes->matrix[k][lane] = lanes->matrix[k][0];
        }
        lanes->gain[lane] = GAIN_FIRST;
        lanes->best[lane] = HUGE_VAL;
        lanes->wait[lane] = 0.0;
        lanes->patience[lane] = PATIENCE;
    }
}

// keeps what a start came to, if nothing better was kept
static void keep_end(const ChainSearch* search, Lanes* lanes, int lane, bool met,
                     ChainProblem* problem) {
    const PoiseChain* chain = search->chain;
    const double squares[2] = {lanes->squares[0][lane], lanes->squares[1][lane]};
    double numbers[CHAIN_MOST_SLOTS];
    for (int i = 0; i < chain->slot_count; i++) {
        numbers[i] = lanes->numbers[i][lane];
    }
    double merit = squares[0] + squares[1];
    bool better = problem->answers == 0 && merit < problem->least;
    if (met) {
        poise__chain_unwind(chain, problem->start, numbers);
        merit = poise__chain_distance2(chain, problem->start, numbers);
        better = problem->answers == 0 || merit < problem->least;
        problem->answers++;
    }
    if (better) {
        problem->least = merit;
        memcpy(problem->best, numbers, (size_t)chain->slot_count * sizeof numbers[0]);
        problem->squares[0] = squares[0];
        problem->squares[1] = squares[1];
    }
}

static bool is_over(const ChainSearch* search, const ChainProblem* problem) {
    const PoiseChainSolveDef* def = search->def;
    return problem->answers >= def->answers || problem->iterations >= def->iterations ||
           problem->starts >= def->starts;
}

// one iteration of all lanes; the lanes that ended their start, as bits
static unsigned work(const ChainSearch* search, Crew* crew) {
    Lanes* lanes = &crew->lanes;
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        if ((crew->active >> lane & 1) != 0) {
            ChainProblem* problem = crew->problems[lane];
            problem->iterations++;
            if (problem->iterations >= search->def->iterations) {
                // the budget's last: it ends here, wherever it is
                lanes->patience[lane] = 0.0;
            }
        }
    }
    const Outcome outcome = iterate(search, lanes);
    const unsigned ended = (outcome.met | outcome.stuck) & crew->active;
    for (int lane = 0; ended >> lane != 0; lane++) {
        if ((ended >> lane & 1) != 0) {
            keep_end(search, lanes, lane, (outcome.met >> lane & 1) != 0, crew->problems[lane]);
        }
    }
    return ended;
}

static void leave_problem(Crew* crew, int lane) {
    crew->problems[lane]->lanes--;
    crew->active &= ~(1u << lane);
}

// ---------------------------------------------------------------------------------------- searches

void CHAIN_NAME(poise__chain_search)(const ChainSearch* search, ChainProblem* problem) {
    Crew crew;
    crew.active = 0;
    pick_seeds(search, problem);
    for (int lane = 0; lane < CHAIN_LANES && problem->starts < search->def->starts; lane++) {
        take_problem(search, &crew, lane, problem);
    }
    fill_idle(search, &crew);
    while (crew.active != 0) {
        const unsigned ended = work(search, &crew);
        if (problem->answers >= search->def->answers) {
            return;
        }
        for (int lane = 0; ended >> lane != 0; lane++) {
            if ((ended >> lane & 1) == 0) {
                continue;
            }
            if (is_over(search, problem)) {
                leave_problem(&crew, lane);
            } else {
                begin_start(search, &crew, lane);
            }
        }
    }
}

// the lane's next problem, if there is one
static void take_next(const ChainSearch* search, Crew* crew, int lane, const ChainQueue* queue,
                      ChainProblem* problem) {
    if (queue->next(queue->user, problem)) {
        pick_seeds(search, problem);
        take_problem(search, crew, lane, problem);
    }
}

void CHAIN_NAME(poise__chain_stream)(const ChainSearch* search, const ChainQueue* queue) {
    Crew crew;
    ChainProblem problems[CHAIN_LANES];
    crew.active = 0;
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        take_next(search, &crew, lane, queue, &problems[lane]);
    }
    fill_idle(search, &crew);
    while (crew.active != 0) {
        const unsigned ended = work(search, &crew);
        for (int lane = 0; ended >> lane != 0; lane++) {
            if ((ended >> lane & 1) == 0) {
                continue;
            }
            if (is_over(search, &problems[lane])) {
                leave_problem(&crew, lane);
                queue->done(queue->user, &problems[lane]);
                take_next(search, &crew, lane, queue, &problems[lane]);
            } else {
                begin_start(search, &crew, lane);
            }
        }
    }
}

#endif
