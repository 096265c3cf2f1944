// SPDX-License-Identifier: MIT
// One step of one posture with the components of vectors side by side: frames, J and J J^T as
// vectors of four. Where a range is in the way the step is left to chain_fma.c. Compiled with AVX2
// and FMA where the compiler has them, empty elsewhere.
#if defined(__AVX2__) && defined(__FMA__)
#define CHAIN_LANES 4

#include "chain_track.h"

// lambda = gain * error^2, as in chain_step.h
#define TRACK_GAIN 1.0
// below, the series of 1 / sqrt(1 + x) to the fourth power is right to the last bit
#define SERIES_END 7e-4

// ------------------------------------------------------------------------------------ J, J J^T

static inline void make_columns(const PoiseChain* chain, V tip, Track* track) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainKind kind = chain->joints[i].kind;
        const V arm = tip - v_load(track->arms[i]);
        if (kind == CHAIN_HINGE) {
            v_store(track->arms[i], cross(v_load(track->axes[i]), arm));
        } else if (kind == CHAIN_SLIDER) {
            v_store(track->arms[i], v_load(track->axes[i]));
            v_store(track->axes[i], v_set(0.0));
        } else {
            v_store(track->arms[i], arm);
        }
    }
}

/// Rows of the three blocks of J J^T.
typedef struct Rows {
    V linear[3];
    V mixed[3];
    V angular[3];
} Rows;

static inline void add_joint_rows(const Track* track, int i, PoiseChainGoal goal, Rows* rows) {
    const double* arm = track->arms[i];
    const double* axis = track->axes[i];
    const V linear = v_load(arm);
    const V angular = v_load(axis);
    for (int k = 0; goal != POISE_CHAIN_ORIENTATION && k < 3; k++) {
        rows->linear[k] = v_fma(v_set(arm[k]), linear, rows->linear[k]);
    }
    for (int k = 0; goal != POISE_CHAIN_POSITION && k < 3; k++) {
        rows->mixed[k] = v_fma(v_set(arm[k]), angular, rows->mixed[k]);
        rows->angular[k] = v_fma(v_set(axis[k]), angular, rows->angular[k]);
    }
}

// -arm arm^T over e_k x arm over the identity; |arm|^2 goes to `squares`, for all balls together
static inline void add_ball_rows(const Track* track, int i, PoiseChainGoal goal, Rows* rows,
                                 V* squares) {
    const double* a = track->arms[i];
    const V arm = v_load(a);
    if (goal != POISE_CHAIN_ORIENTATION) {
        *squares = v_fma(arm, arm, *squares);
        for (int k = 0; k < 3; k++) {
            rows->linear[k] = v_fnma(v_set(a[k]), arm, rows->linear[k]);
        }
    }
    if (goal != POISE_CHAIN_POSITION) {
        rows->mixed[0] = rows->mixed[0] + vector(0.0, a[2], -a[1]);
        rows->mixed[1] = rows->mixed[1] + vector(-a[2], 0.0, a[0]);
        rows->mixed[2] = rows->mixed[2] + vector(a[1], -a[0], 0.0);
    }
}

// those that the goal does not count stay 0, or mean nothing
static inline void make_rows(const PoiseChain* chain, const Track* track, PoiseChainGoal goal,
                             Rows* rows) {
    const V unit[3] = {vector(1.0, 0.0, 0.0), vector(0.0, 1.0, 0.0), vector(0.0, 0.0, 1.0)};
    V squares = v_set(0.0);
    for (int k = 0; k < 3; k++) {
        rows->linear[k] = rows->mixed[k] = rows->angular[k] = v_set(0.0);
    }
    for (int i = 0; i < chain->joint_count; i++) {
        if (chain->joints[i].kind == CHAIN_BALL) {
            add_ball_rows(track, i, goal, rows, &squares);
        } else {
            add_joint_rows(track, i, goal, rows);
        }
    }
    if (chain->ball_count > 0) {
        const V of_places = v_set(sum(squares));
        const V of_turns = v_set(goal != POISE_CHAIN_POSITION ? chain->ball_count : 0);
        for (int k = 0; k < 3; k++) {
            rows->linear[k] = v_fma(of_places, unit[k], rows->linear[k]);
            rows->angular[k] = v_fma(of_turns, unit[k], rows->angular[k]);
        }
    }
}

// --------------------------------------------------------------------------------- scalar 3 and 6

/// As Factor3 of chain_newton.h, one number each.
typedef struct Pivots {
    double l10;
    double l20;
    double l21;
    double inverse[3];
} Pivots;

static inline Pivots find_pivots(const double a[3][4], double lambda) {
    Pivots f;
    f.inverse[0] = 1.0 / (a[0][0] + lambda);
    f.l10 = a[1][0] * f.inverse[0];
    f.l20 = a[2][0] * f.inverse[0];
    f.inverse[1] = 1.0 / (a[1][1] + lambda - f.l10 * a[1][0]);
    const double below = a[2][1] - f.l20 * a[1][0];
    f.l21 = below * f.inverse[1];
    f.inverse[2] = 1.0 / (a[2][2] + lambda - f.l20 * a[2][0] - f.l21 * below);
    return f;
}

// for the columns of a 3 x 4 matrix at once: rows of the answer
static inline void solve_columns(const Pivots* f, const V b[3], V x[3]) {
    const V y1 = v_fnma(v_set(f->l10), b[0], b[1]);
    const V y2 = v_fnma(v_set(f->l21), y1, v_fnma(v_set(f->l20), b[0], b[2]));
    x[2] = y2 * v_set(f->inverse[2]);
    x[1] = v_fnma(v_set(f->l21), x[2], y1 * v_set(f->inverse[1]));
    x[0] = v_fnma(v_set(f->l10), x[1], v_fnma(v_set(f->l20), x[2], b[0] * v_set(f->inverse[0])));
}

static inline V solve_one(const Pivots* f, const double b[4]) {
    const double y1 = b[1] - f->l10 * b[0];
    const double y2 = b[2] - f->l20 * b[0] - f->l21 * y1;
    const double x2 = y2 * f->inverse[2];
    const double x1 = y1 * f->inverse[1] - f->l21 * x2;
    const double x0 = b[0] * f->inverse[0] - f->l10 * x1 - f->l20 * x2;
    return vector(x0, x1, x2);
}

// (A B; B^T C) y = b: the columns of B and b's upper part together, then C - B^T A^-1 B
static inline void solve_blocks(const Rows* rows, double lambda, V place, V turn, V* linear,
                                V* angular) {
    _Alignas(64) double a[3][4];
    _Alignas(64) double b[4];
    V right[3];
    V w[3];
    v_store(b, place);
    for (int k = 0; k < 3; k++) {
        v_store(a[k], rows->linear[k]);
        // the fourth column is the right side
        right[k] = _mm256_blend_pd(rows->mixed[k], v_set(b[k]), 8);
    }
    const Pivots upper = find_pivots((const double(*)[4])a, lambda);
    solve_columns(&upper, right, w);
    _Alignas(64) double s[3][4];
    V rest[3];
    for (int i = 0; i < 3; i++) {
        rest[i] = rows->angular[i];
    }
    for (int k = 0; k < 3; k++) {
        _Alignas(64) double mixed[4];
        v_store(mixed, rows->mixed[k]);
        for (int i = 0; i < 3; i++) {
            // the fourth: what the upper part takes off the lower right side
            rest[i] = v_fnma(v_set(mixed[i]), w[k], rest[i]);
        }
    }
    _Alignas(64) double lower_side[4];
    v_store(lower_side, turn);
    for (int i = 0; i < 3; i++) {
        v_store(s[i], rest[i]);
        lower_side[i] += s[i][3];
    }
    const Pivots lower = find_pivots((const double(*)[4])s, lambda);
    *angular = solve_one(&lower, lower_side);
    // upper part: w's fourth column less w times the lower part
    const V y = _mm256_blend_pd(*angular, v_set(-1.0), 8);
    *linear = -sums(w[0] * y, w[1] * y, w[2] * y, v_set(0.0));
}

// ------------------------------------------------------------------------------------------- step

// J^T y of the hinges and sliders, four at a time; false where one would leave its range, or stands
// on its end
static inline bool find_steps(const PoiseChain* chain, V linear, V angular, Track* track) {
    M out = m_none();
    const bool only_balls = chain->ball_count == chain->joint_count;
    for (int i = 0; !only_balls && i < chain->joint_count; i += CHAIN_LANES) {
        V part[CHAIN_LANES];
        for (int k = 0; k < CHAIN_LANES; k++) {
            part[k] = v_set(0.0);
            if (i + k < chain->joint_count && chain->joints[i + k].kind != CHAIN_BALL) {
                part[k] =
                    v_fma(v_load(track->arms[i + k]), linear, v_load(track->axes[i + k]) * angular);
            }
        }
        const V value = v_load(&track->values[i]);
        const V end = value + sums(part[0], part[1], part[2], part[3]);
        const V low = _mm256_loadu_pd(&chain->lowers[i]);
        const V high = _mm256_loadu_pd(&chain->uppers[i]);
        out = m_or(out, m_or(v_ge(low, v_min(end, value)), v_ge(v_max(end, value), high)));
        v_store(&track->steps[i], end);
    }
    return m_bits(out) == 0;
}

// 1 / sqrt(1 + x) of x >= 0: a small one by its series, without the wait for root and division
static inline double scale_of(double x) {
    if (x < SERIES_END) {
        return 1.0 + x * (-0.5 + x * (0.375 + x * (-0.3125 + x * 0.2734375)));
    }
    return 1.0 / sqrt(1.0 + x);
}

static inline void move_balls(const PoiseChain* chain, V linear, V angular, const Track* track,
                              double* numbers) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind != CHAIN_BALL) {
            continue;
        }
        const V half = v_set(0.5) * (angular + cross(v_load(track->arms[i]), linear));
        _Alignas(64) double h[4];
        v_store(h, sums(v_load(track->carriers[joint->ball][0]) * half,
                        v_load(track->carriers[joint->ball][1]) * half,
                        v_load(track->carriers[joint->ball][2]) * half, half * half));
        double* q = &numbers[joint->slot];
        const double scale = scale_of(h[3]);
        const double w = v1_fnma(h[0], q[1], v1_fnma(h[1], q[2], v1_fnma(h[2], q[3], q[0])));
        const double x = v1_fma(h[0], q[0], v1_fma(h[1], q[3], v1_fnma(h[2], q[2], q[1])));
        const double y = v1_fma(h[1], q[0], v1_fma(h[2], q[1], v1_fnma(h[0], q[3], q[2])));
        const double z = v1_fma(h[2], q[0], v1_fma(h[0], q[2], v1_fnma(h[1], q[1], q[3])));
        q[0] = scale * w;
        q[1] = scale * x;
        q[2] = scale * y;
        q[3] = scale * z;
    }
}

static inline double square_of(V a) {
    return sum(a * a);
}

bool poise__chain_step_avx2(const ChainSearch* search, ChainProblem* problem) {
    const PoiseChain* chain = search->chain;
    const PoiseChainGoal goal = search->def->goal;
    if (chain->cone_count > 0) {
        return poise__chain_step_fma(search, problem);
    }
    Track track;
    V place = v_set(0.0);
    V turn = v_set(0.0);
    fill_values(chain, problem->best, &track);
    Columns tip;
    pass_joints(chain, problem->best, &track, &tip);
    if (goal != POISE_CHAIN_ORIENTATION) {
        const double* p = problem->target.place;
        place = vector(p[0], p[1], p[2]) - tip.p;
    }
    if (goal != POISE_CHAIN_POSITION && !find_turn(&problem->target, &tip, &turn)) {
        return poise__chain_step_fma(search, problem);
    }
    problem->squares[0] = square_of(place);
    problem->squares[1] = square_of(turn);
    if (problem->squares[0] < search->place_tolerance2 &&
        problem->squares[1] < search->rotation_tolerance2) {
        return true;
    }
    make_columns(chain, tip.p, &track);
    Rows rows;
    make_rows(chain, &track, goal, &rows);
    _Alignas(64) double diagonal[4];
    const V diagonals = _mm256_blend_pd(
        _mm256_blend_pd(rows.linear[0] + rows.angular[0], rows.linear[1] + rows.angular[1], 2),
        rows.linear[2] + rows.angular[2], 4);
    v_store(diagonal, diagonals);
    const double lambda = TRACK_GAIN * (problem->squares[0] + problem->squares[1]) +
                          TRACE_PART * (diagonal[0] + diagonal[1] + diagonal[2]);
    V linear = v_set(0.0);
    V angular = v_set(0.0);
    if (goal == POISE_CHAIN_POSE) {
        solve_blocks(&rows, lambda, place, turn, &linear, &angular);
    } else {
        _Alignas(64) double a[3][4];
        _Alignas(64) double b[4];
        const bool places = goal == POISE_CHAIN_POSITION;
        for (int k = 0; k < 3; k++) {
            v_store(a[k], places ? rows.linear[k] : rows.angular[k]);
        }
        v_store(b, places ? place : turn);
        const Pivots pivots = find_pivots((const double(*)[4])a, lambda);
        *(places ? &linear : &angular) = solve_one(&pivots, b);
    }
    if (!find_steps(chain, linear, angular, &track)) {
        return poise__chain_step_fma(search, problem);
    }
    for (int i = 0; i < chain->joint_count; i++) {
        if (chain->joints[i].kind != CHAIN_BALL) {
            problem->best[chain->joints[i].slot] = track.steps[i];
        }
    }
    move_balls(chain, linear, angular, &track, problem->best);
    return false;
}

#else
typedef int poise__chain_track_avx2_is_empty;
#endif
