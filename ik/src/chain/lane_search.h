// SPDX-License-Identifier: MIT
// Searches for a posture in all lanes. Each lane iterates from a start until it meets the target or
// makes no progress, then takes the next start. Defines the kernel CHAIN_KERNEL, with the functions
// CHAIN_STEP, CHAIN_REST and CHAIN_ANGLES, for the file that includes this header.
#ifndef POISE_LANE_SEARCH_H
#define POISE_LANE_SEARCH_H

#include "lane_pick.h"
#include "lane_step.h"

// lambda is gain * error^2 plus a fraction of trace(J J^T): small errors get nearly Newton's steps
#define GAIN_FIRST 0.15
#define GAIN_FALL  0.5
#define GAIN_LEAST 1e-9
// an iteration makes progress if error^2 falls below this fraction of its least value
#define PROGRESS 0.9
// rad; a start without limits lets hinges exceed their ranges by this, so that no limit acts
#define IGNORED_LIMITS 50.0
// fraction of each range in which random starts lie
#define RANDOM_PART 1.0

/// A start ends after this number of iterations without progress.
enum { PATIENCE = 3 };
/// Indices of starts: the caller's posture, the last seed, and the first start that ignores limits.
/// Every fourth start after that keeps the limits. Ignoring limits lets a hinge with a range of
/// nearly a whole turn cross the forbidden interval. Such starts mostly end outside narrow ranges.
enum { GIVEN_START = 1, LAST_SEED = 16, FIRST_TO_IGNORE = 6, KEEPS_LIMITS = 4 };

/// The state of all lanes.
typedef struct LaneState {
    Iterate at;
    double gain[CHAIN_LANES];
    double least[CHAIN_LANES];      ///< least error^2 of the present start
    double wait[CHAIN_LANES];       ///< number of iterations without progress
    double patience[CHAIN_LANES];   ///< number of iterations without progress that ends the start
    double squares[2][CHAIN_LANES]; ///< squared errors: position, rotation
    ChainProblem* problems[CHAIN_LANES];
    unsigned active; ///< bit k is set if lane k has a problem
} LaneState;

// -------------------------------------------------------------------------------------- one lane

// Resets the counters of a lane for a new start.
static void reset_lane(LaneState* lanes, int lane, bool ignores_limits) {
    lanes->gain[lane] = GAIN_FIRST;
    lanes->least[lane] = HUGE_VAL;
    lanes->wait[lane] = 0.0;
    lanes->patience[lane] = PATIENCE;
    lanes->at.slack[lane] = ignores_limits ? IGNORED_LIMITS : 0.0;
}

// Begins the next start of a lane. The order is: the best seed for the target, the given posture,
// the next seeds, random postures. Some of the later starts ignore the ranges at first.
static void begin_start(const ChainSearch* search, LaneState* lanes, int lane) {
    const Chain* chain = search->chain;
    ChainProblem* problem = lanes->problems[lane];
    double sample[CHAIN_MOST_Q];
    const double* q = sample;
    const int start = problem->starts++;
    if (start == GIVEN_START) {
        q = problem->start;
    } else if (start <= LAST_SEED) {
        q = chain->seed_q + (size_t)take_seed(&problem->list) * (size_t)chain->nq;
    } else {
        poise__chain_draw(chain, RANDOM_PART, &problem->counter, sample);
    }
    set_q(chain, q, &lanes->at, lane);
    reset_lane(lanes, lane, start >= FIRST_TO_IGNORE && start % KEEPS_LIMITS != 0);
}

static void begin_problem(const ChainSearch* search, LaneState* lanes, int lane,
                          ChainProblem* problem) {
    lanes->problems[lane] = problem;
    lanes->active |= 1u << lane;
    set_target(search->goal, &problem->target, &lanes->at, lane);
    begin_start(search, lanes, lane);
}

// Copies lane 0 to lanes without a problem, so that all lanes have valid numbers.
static void fill_idle_lanes(const ChainSearch* search, LaneState* lanes) {
    double q[CHAIN_MOST_Q];
    get_q(search->chain, &lanes->at, 0, q);
    for (int lane = 1; lane < CHAIN_LANES; lane++) {
        if ((lanes->active >> lane & 1) == 0) {
            set_q(search->chain, q, &lanes->at, lane);
            set_target(search->goal, &lanes->problems[0]->target, &lanes->at, lane);
            reset_lane(lanes, lane, false);
        }
    }
}

// Stores the end of a start if it is the best up to now. Answers are compared by their distance
// from the given posture; before the first answer, ends are compared by their error.
static void keep_end(const ChainSearch* search, const LaneState* lanes, int lane, bool met) {
    const Chain* chain = search->chain;
    ChainProblem* problem = lanes->problems[lane];
    double q[CHAIN_MOST_Q];
    if (problem->answers >= TAKEN_ENOUGH) {
        return;
    }
    get_q(chain, &lanes->at, lane, q);
    double merit = lanes->squares[0][lane] + lanes->squares[1][lane];
    bool better = problem->answers == 0 && merit < problem->least;
    if (met) {
        poise__chain_unwind(chain, problem->start, q);
        merit = poise__chain_distance2(chain, problem->start, q);
        const int counted = problem->take ? problem->take(problem->take_user, q) : 1;
        better = counted > 0 && (problem->answers == 0 || merit < problem->least);
        problem->answers += counted;
    }
    if (better) {
        problem->least = merit;
        memcpy(problem->best, q, (size_t)chain->nq * sizeof q[0]);
        problem->squares[0] = lanes->squares[0][lane];
        problem->squares[1] = lanes->squares[1][lane];
    }
}

static bool is_over(const ChainSearch* search, const ChainProblem* problem) {
    return problem->answers >= search->answers || problem->iterations >= problem->budget ||
           problem->starts >= search->starts;
}

// Checks the end of a start that ignored limits. True if whole turns bring it into the ranges. If
// not, the posture is clamped, and the start continues inside the ranges.
static bool ends_inside(const Chain* chain, LaneState* lanes, int lane) {
    double q[CHAIN_MOST_Q];
    get_q(chain, &lanes->at, lane, q);
    const bool inside = poise__chain_into_ranges(chain, q);
    set_q(chain, q, &lanes->at, lane);
    if (!inside) {
        reset_lane(lanes, lane, false);
    }
    return inside;
}

// --------------------------------------------------------------------------------- one iteration

// Counts an iteration. Starts of a problem whose budget is used up end.
static void count_iteration(LaneState* lanes) {
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        if ((lanes->active >> lane & 1) != 0) {
            ChainProblem* problem = lanes->problems[lane];
            problem->iterations++;
            if (problem->iterations >= problem->budget) {
                lanes->patience[lane] = 0.0;
            }
        }
    }
}

/// Results of the first half of an iteration, which the second half needs.
typedef struct Outcome {
    V3 tip;
    Rows error;
    V error2;
    M done;
    unsigned met;   ///< lanes that met their target, as bits
    unsigned ended; ///< lanes whose start has ended, as bits
} Outcome;

static inline void evaluate(const ChainSearch* search, LaneState* lanes, Outcome* out) {
    V squares[2];
    const Frame tip = find_frames(search->chain, &lanes->at);
    out->tip = tip.p;
    out->error = find_error(search->goal, &lanes->at, &tip, squares);
    out->error2 = squares[0] + squares[1];
    const M met = m_and(v_lt(squares[0], v_set(search->position_tolerance2)),
                        v_lt(squares[1], v_set(search->angle_tolerance2)));
    const V least = v_load(lanes->least);
    const M better = v_lt(out->error2, v_set(PROGRESS) * least);
    const V wait = v_clear(better, v_load(lanes->wait) + v_set(1.0));
    const M stuck = v_ge(wait, v_load(lanes->patience));
    v_store(lanes->least, v_select(better, out->error2, least));
    v_store(lanes->wait, wait);
    v_store(lanes->squares[0], squares[0]);
    v_store(lanes->squares[1], squares[1]);
    out->done = m_or(met, stuck);
    out->met = m_bits(met);
    out->ended = m_bits(out->done);
}

// Returns the lane with the least error among those whose start has not ended.
static inline int leading_lane(const Outcome* outcome) {
    _Alignas(64) double error2[CHAIN_LANES];
    int leader = 0;
    v_store(error2, v_select(outcome->done, v_set(HUGE_VAL), outcome->error2));
    for (int lane = 1; lane < CHAIN_LANES; lane++) {
        leader = error2[lane] < error2[leader] ? lane : leader;
    }
    return leader;
}

// Makes a step in all lanes. A second solve is necessary if joints stop in a lane of at->leading.
// If all lanes work on one problem, this is only the lane with the least error, from which an
// answer is most likely.
static inline void step_lanes(const ChainSearch* search, LaneState* lanes, const Outcome* from,
                              bool one_problem) {
    const V gain = v_load(lanes->gain);
    lanes->at.leading = one_problem ? 1u << leading_lane(from) : lanes->active;
    v_store(lanes->gain, v_max(gain * v_set(GAIN_FALL), v_set(GAIN_LEAST)));
    find_columns(search->chain, &lanes->at, from->tip);
    take_step(search, &lanes->at, from->error, gain * from->error2, from->done);
}

// Runs one iteration of all lanes. Returns the lanes whose start has ended, as bits. `only`: the
// problem that all lanes work on, which needs no step once it has its answers; NULL if several.
static unsigned iterate(const ChainSearch* search, LaneState* lanes, const ChainProblem* only) {
    Outcome outcome;
    count_iteration(lanes);
    evaluate(search, lanes, &outcome);
    unsigned ended = outcome.ended & lanes->active;
    for (int lane = 0; outcome.ended >> lane != 0; lane++) {
        if ((ended >> lane & 1) != 0 && lanes->at.slack[lane] > 0.0 &&
            !ends_inside(search->chain, lanes, lane)) {
            ended &= ~(1u << lane);
        }
    }
    const unsigned met = ended & outcome.met;
    for (int lane = 0; ended >> lane != 0; lane++) {
        if ((ended >> lane & 1) != 0) {
            keep_end(search, lanes, lane, (met >> lane & 1) != 0);
        }
    }
    if (!only || only->answers < search->answers) {
        step_lanes(search, lanes, &outcome, only != NULL);
    }
    return ended;
}

// --------------------------------------------------------------------------------------- searches

static void list_for(const ChainSearch* search, ChainProblem* problem) {
    list_seeds(search->chain, search->goal, &problem->target, true, &problem->list);
}

static void begin_one(const ChainSearch* search, ChainProblem* problem, void* memory) {
    LaneState* lanes = memory;
    lanes->active = 0;
    list_for(search, problem);
    for (int lane = 0; lane < CHAIN_LANES && problem->starts < search->starts; lane++) {
        begin_problem(search, lanes, lane, problem);
    }
    fill_idle_lanes(search, lanes);
}

static bool advance_one(const ChainSearch* search, ChainProblem* problem, void* memory) {
    LaneState* lanes = memory;
    const unsigned ended = iterate(search, lanes, problem);
    if (problem->answers >= search->answers) {
        return false;
    }
    for (int lane = 0; ended >> lane != 0; lane++) {
        if ((ended >> lane & 1) == 0) {
            continue;
        }
        if (is_over(search, problem)) {
            lanes->active &= ~(1u << lane);
        } else {
            begin_start(search, lanes, lane);
        }
    }
    return lanes->active != 0;
}

static void solve_one(const ChainSearch* search, ChainProblem* problem) {
    LaneState lanes;
    begin_one(search, problem, &lanes);
    while (lanes.active != 0 && advance_one(search, problem, &lanes)) {
    }
}

// Gives a lane the next problem of the queue, if there is one.
static void begin_next(const ChainSearch* search, LaneState* lanes, int lane,
                       const ChainQueue* queue, ChainProblem* problem) {
    if (queue->next(queue->user, problem)) {
        list_for(search, problem);
        begin_problem(search, lanes, lane, problem);
    }
}

static void solve_many(const ChainSearch* search, const ChainQueue* queue) {
    LaneState lanes;
    ChainProblem problems[CHAIN_LANES];
    lanes.active = 0;
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        begin_next(search, &lanes, lane, queue, &problems[lane]);
    }
    if (lanes.active != 0) {
        fill_idle_lanes(search, &lanes);
    }
    while (lanes.active != 0) {
        const unsigned ended = iterate(search, &lanes, NULL);
        for (int lane = 0; ended >> lane != 0; lane++) {
            if ((ended >> lane & 1) == 0) {
                continue;
            }
            if (is_over(search, &problems[lane])) {
                lanes.active &= ~(1u << lane);
                queue->done(queue->user, &problems[lane]);
                begin_next(search, &lanes, lane, queue, &problems[lane]);
            } else {
                begin_start(search, &lanes, lane);
            }
        }
    }
}

_Static_assert(CHAIN_LANES > 4 || sizeof(LaneState) <= CHAIN_SLICES_SIZE, "a search in slices");

const ChainKernel CHAIN_KERNEL = {solve_one,  begin_one,  advance_one, solve_many,
                                  CHAIN_STEP, CHAIN_REST, CHAIN_ANGLES};

#endif
