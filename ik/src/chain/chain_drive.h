// SPDX-License-Identifier: MIT
// What the lanes work on: starts of one problem, or problems of their own. Defines, for the file
// that includes it, CHAIN_NAME(poise__chain_search) and CHAIN_NAME(poise__chain_stream).
#ifndef POISE_CHAIN_DRIVE_H
#define POISE_CHAIN_DRIVE_H

#include "chain_newton.h"
#include "chain_pick.h"

// lambda = gain * error^2 + a part of trace(J J^T): Newton's steps where the error is small
#define GAIN_FIRST 0.15
#define GAIN_FALL  0.5
#define GAIN_LEAST 1e-9
// an iteration that leaves the error^2 above this part of the least so far made no progress
#define PROGRESS 0.9

// how far beyond its range a hinge may go in a start that may leave the ranges, rad
#define ROAM 50.0

/// A start is given up after so many iterations without progress.
enum { PATIENCE = 3 };

/// What the lanes have come to, as bits.
typedef struct Outcome {
    unsigned met;
    unsigned stuck; ///< without progress for too long
} Outcome;

/// The tip and the way left, between the two halves of an iteration.
typedef struct Seen {
    Frame tip;
    V v[6];
    V error; ///< squared
    M held;  ///< lanes that have met their target or are stuck
} Seen;

/// The lanes and whose they are.
typedef struct Crew {
    Lanes lanes;
    ChainProblem* problems[CHAIN_LANES];
    unsigned active; ///< lanes at work, as bits
} Crew;

// --------------------------------------------------------------------------------- one iteration

/// The first half of an iteration: frames, error, and who is done.
static Outcome look(const ChainSearch* search, Lanes* lanes, Seen* seen) {
    V squares[2];
    fill_frames(search->chain, lanes, &seen->tip);
    fill_error(search, lanes, &seen->tip, seen->v, squares);
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
    seen->error = error;
    seen->held = m_or(met, stuck);
    const Outcome outcome = {m_bits(met), m_bits(stuck) & ~m_bits(met)};
    return outcome;
}

/// The second half: a step of the lanes that are not done.
static void step(const ChainSearch* search, Lanes* lanes, const Seen* seen) {
    const V gain = v_load(lanes->gain);
    v_store(lanes->gain, v_max(gain * v_set(GAIN_FALL), v_set(GAIN_LEAST)));
    fill_columns(search->chain, lanes, seen->tip.p);
    take_step(search, lanes, seen->v, gain * seen->error, seen->held);
}

// -------------------------------------------------------------------------------- a lane's problem

static void load_numbers(const PoiseChain* chain, const double* numbers, Lanes* lanes, int lane) {
    for (int i = 0; i < chain->slot_count; i++) {
        lanes->numbers[i][lane] = numbers[i];
    }
}

static void store_numbers(const PoiseChain* chain, Lanes* lanes, int lane, double* numbers) {
    for (int i = 0; i < chain->slot_count; i++) {
        numbers[i] = lanes->numbers[i][lane];
    }
}

// what a lane knows of its start, afresh
static void forget(Lanes* lanes, int lane, bool roams) {
    lanes->gain[lane] = GAIN_FIRST;
    lanes->best[lane] = HUGE_VAL;
    lanes->wait[lane] = 0.0;
    lanes->patience[lane] = PATIENCE;
    lanes->slack[lane] = roams ? ROAM : 0.0;
}

static void begin_start(const ChainSearch* search, Crew* crew, int lane) {
    const PoiseChain* chain = search->chain;
    ChainProblem* problem = crew->problems[lane];
    double drawn[CHAIN_MOST_SLOTS];
    const double* numbers = drawn;
    const int start = problem->starts++;
    switch (poise__chain_origin(search->def, start)) {
    case CHAIN_FROM_GIVEN:
        numbers = problem->start;
        break;
    case CHAIN_FROM_SEED:
        numbers = chain->seed_postures + (size_t)take_seed(problem) * (size_t)chain->slot_count;
        break;
    case CHAIN_FROM_CHANCE:
        poise__chain_scatter(chain, 1.0, &problem->counter, drawn);
        break;
    }
    load_numbers(chain, numbers, &crew->lanes, lane);
    forget(&crew->lanes, lane, poise__chain_roams(start));
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
        forget(lanes, lane, false);
    }
}

// keeps what a start came to, if nothing better was kept
static void keep_end(const ChainSearch* search, Lanes* lanes, int lane, bool met,
                     ChainProblem* problem) {
    const PoiseChain* chain = search->chain;
    const double squares[2] = {lanes->squares[0][lane], lanes->squares[1][lane]};
    double numbers[CHAIN_MOST_SLOTS];
    store_numbers(chain, lanes, lane, numbers);
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

// a start that may leave the ranges has met its target or is stuck: into the ranges, and on from
// there inside them. True when it was inside already, by whole turns: then it has ended
static bool come_home(const PoiseChain* chain, Lanes* lanes, int lane) {
    double numbers[CHAIN_MOST_SLOTS];
    store_numbers(chain, lanes, lane, numbers);
    const bool inside = poise__chain_come_home(chain, numbers);
    load_numbers(chain, numbers, lanes, lane);
    if (!inside) {
        forget(lanes, lane, false);
    }
    return inside;
}

static void count_iterations(const ChainSearch* search, Crew* crew) {
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        if ((crew->active >> lane & 1) != 0) {
            ChainProblem* problem = crew->problems[lane];
            problem->iterations++;
            if (problem->iterations >= search->def->iterations) {
                // the budget's last: it ends here, wherever it is
                crew->lanes.patience[lane] = 0.0;
            }
        }
    }
}

// one iteration of all lanes; the lanes that ended their start, as bits
static unsigned work(const ChainSearch* search, Crew* crew) {
    Lanes* lanes = &crew->lanes;
    Seen seen;
    count_iterations(search, crew);
    Outcome outcome = look(search, lanes, &seen);
    const unsigned done = (outcome.met | outcome.stuck) & crew->active;
    unsigned away = 0;
    for (int lane = 0; done >> lane != 0; lane++) {
        if ((done >> lane & 1) != 0 && lanes->slack[lane] > 0.0 &&
            !come_home(search->chain, lanes, lane)) {
            away |= 1u << lane;
        }
    }
    const unsigned ended = done & ~away;
    const unsigned met = ended & outcome.met;
    if (met == 0 || !search->one_is_enough) {
        step(search, lanes, &seen);
    }
    for (int lane = 0; ended >> lane != 0; lane++) {
        if ((ended >> lane & 1) != 0) {
            keep_end(search, lanes, lane, (met >> lane & 1) != 0, crew->problems[lane]);
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
    list_seeds(search, problem);
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
        list_seeds(search, problem);
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
