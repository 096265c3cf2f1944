// SPDX-License-Identifier: MIT
// Finds the nearest postures to a target out of reach, in all lanes, by Newton's method with exact
// second derivatives inside the limits. Defines the function CHAIN_REST for the file that includes
// this header.
//
// The descents minimise E = (|d|^2 + a^2) / 2. Here d = target - tip is the displacement to the
// target, in units. The rotation vector to the target is phi = a n, with angle a and axis n. Joint
// i has the linear column c_i and the angular column z_i of J. If joint i is nearer to the base
// than joint j:
//
//     dE/dq_i         = -(c_i . d + z_i . phi)
//     d^2E/dq_i dq_j  = c_i . c_j - d . (z_i x c_j) + z_i . M z_j - phi . (z_i x z_j) / 2
//     M               = n n^T + (a / 2) cot(a / 2) (I - n n^T)
//
// For two axes of one ball or cone the mean of both orders is used.
#ifndef POISE_LANE_REST_H
#define POISE_LANE_REST_H

#include "lane_pick.h"
#include "lane_step.h"

// The damping mu is added to the diagonal. A step that raises E is undone, and mu grows by MU_MORE.
// If a step lowers E by at least RATIO_FINE of the expected fall, mu falls by MU_FALL; if by less
// than RATIO_LEAST, mu grows by MU_GROW. Before the first step MU_FIRST has already fallen once, to
// 0.3. If it were 0.01, three of four starts of a Panda would have to undo their first steps.
#define MU_FIRST    1.5
#define MU_LEAST    1e-9
#define MU_RAISE    2e-3
#define MU_MORE     4.0
#define MU_GROW     2.0
#define MU_FALL     0.2
#define RATIO_FINE  0.6
#define RATIO_LEAST 0.2
// A pivot p below PIVOT_LEAST shows a direction along which E does not curve upward. It is replaced
// by PIVOT_OTHER or -p, whichever is larger.
#define PIVOT_LEAST 1e-8
#define PIVOT_OTHER 0.05
// rad; largest norm of the rotations of all joints in one step
#define STEP_MOST 1.5
// the gradient is 0 if |g|^2 of the free joints is below this fraction of E trace(J J^T)
#define GRADIENT2_ZERO 1e-16
// sine of half an angle below which the angle counts as 0
#define SINE_LEAST 1e-100
// relative rounding error of E
#define ROUNDING 4e-15

// ends whose E differs by less than this fraction are the same
#define SAME_END 1e-6

/// Largest number of solves in one step, each of which may stop joints at limits; largest number of
/// iterations of a start.
enum { REST_ROUNDS = 3, REST_ITERATIONS = 100 };
/// Least and largest number of starts. After the least number, starts end when FOUND of them have
/// ended at the least E. Measured on 600 targets just beyond a Panda: 1.5 % of the results are
/// worse than the best of 60 random descents, in 33 us; 16 starts reduce this to 0.7 %, in 45 us.
enum { REST_FEW = 8, REST_STARTS = 48, REST_FOUND = 3 };

/// The error of a posture.
typedef struct RestError {
    V3 linear; ///< displacement d to the target, units
    V3 phi;    ///< rotation vector phi to the target
    V3 axis;   ///< axis n of phi
    V curve;   ///< (a / 2) cot(a / 2), where a is the angle of phi
    V error2;  ///< squared error 2 E
    V squares[2];
} RestError;

/// The state of all lanes.
typedef struct RestState {
    Iterate at;
    double columns[CHAIN_MOST_DOF][2][V3_SIZE]; ///< linear and angular column of J, by dof
    /// Upper triangle: second derivatives. Lower triangle: L D of their factors.
    _Alignas(64) double matrix[CHAIN_REST_MOST][CHAIN_REST_MOST][CHAIN_LANES];
    double inverse[CHAIN_REST_MOST][CHAIN_LANES]; ///< 1 / D of the factors
    double gradient[CHAIN_REST_MOST][CHAIN_LANES];
    double step[CHAIN_REST_MOST][CHAIN_LANES];
    double before[CHAIN_MOST_Q][CHAIN_LANES]; ///< the posture before the step
    double error2[CHAIN_LANES];               ///< 2 E before the step
    double mu[CHAIN_LANES];
    double expected[CHAIN_LANES];                 ///< expected fall of 2 E
    double left[CHAIN_LANES];                     ///< number of iterations left
    double carrier[CHAIN_MOST_BALLS][3][V3_SIZE]; ///< axes of balls, as Iterate.carrier
    double cone_axes[CHAIN_MOST_BALLS][9][CHAIN_LANES];
    RestError now;
    V3 tip;
    unsigned active;
    int next;  ///< index of the next start
    int found; ///< number of starts that ended at the least error
} RestState;

// --------------------------------------------------------------------------------- the error and J

// Computes the rotation vector from the chord, whose length is 2 sin(a / 2).
static inline void find_rotation(V chord2, V3 chord, RestError* out) {
    const V sine2 = v_min(v_set(0.25) * chord2, v_set(1.0));
    const V sine = v_sqrt(sine2);
    const V cosine = v_sqrt(v_set(1.0) - sine2);
    const V half = v_atan2(sine, cosine);
    // at an angle of 0 any axis will do
    const V inverse = v_set(1.0) / v_max(sine, v_set(SINE_LEAST));
    const V angle = half + half;
    out->axis = v3_scale(v_set(0.5) * inverse, chord);
    out->curve = v_select(v_lt(sine, v_set(SINE_LEAST)), v_set(1.0), half * cosine * inverse);
    out->phi = v3_scale(angle, out->axis);
    out->error2 = v_fma(angle, angle, out->error2);
}

// Computes frames and error of all lanes.
static inline RestError find_rest_error(const ChainSearch* search, RestState* rest) {
    const PoiseBodyGoal goal = search->goal;
    RestError out = {.phi = v3_zero(), .axis = v3_zero(), .curve = v_set(0.0)};
    const Frame tip = find_frames(search->chain, &rest->at);
    const Rows error = find_error(goal, &rest->at, &tip, out.squares);
    rest->tip = tip.p;
    out.linear = error.linear;
    out.error2 = out.squares[0];
    if (goal != POISE_BODY_POSITION) {
        find_rotation(out.squares[1], error.angular, &out);
    }
    return out;
}

static inline V3 v3_select(M mask, V3 a, V3 b) {
    return v3(v_select(mask, a.x, b.x), v_select(mask, a.y, b.y), v_select(mask, a.z, b.z));
}

static inline RestError select_error(M mask, RestError a, RestError b) {
    a.linear = v3_select(mask, a.linear, b.linear);
    a.phi = v3_select(mask, a.phi, b.phi);
    a.axis = v3_select(mask, a.axis, b.axis);
    a.curve = v_select(mask, a.curve, b.curve);
    a.error2 = v_select(mask, a.error2, b.error2);
    a.squares[0] = v_select(mask, a.squares[0], b.squares[0]);
    a.squares[1] = v_select(mask, a.squares[1], b.squares[1]);
    return a;
}

// Saves axes of balls or cones before a step; in the lanes of `mask`, restores them.
static inline void keep_axes(M mask, int count, double* now, double* before) {
    for (int i = 0; i < count; i += CHAIN_LANES) {
        const V kept = v_select(mask, v_load(&now[i]), v_load(&before[i]));
        v_store(&now[i], kept);
        v_store(&before[i], kept);
    }
}

static inline void put_rest_column(RestState* rest, int dof, M mask, V3 linear, V3 angular) {
    double(*column)[V3_SIZE] = rest->columns[dof];
    v3_store(column[0], v3_select(mask, linear, v3_load(column[0])));
    v3_store(column[1], v3_select(mask, angular, v3_load(column[1])));
}

// Computes the columns in the lanes of `mask`. Coupled joints keep columns of their own here.
static inline void find_rest_columns(const ChainSearch* search, RestState* rest, M mask) {
    const Chain* chain = search->chain;
    const Iterate* at = &rest->at;
    const V zero = v_set(0.0);
    const V one = v_set(1.0);
    const bool turns_only = search->goal == POISE_BODY_ORIENTATION;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const V3 axis = v3_load(at->axis[i]);
        const V3 arm = turns_only ? v3_zero() : v3_sub(rest->tip, v3_load(at->linear[i]));
        if (joint->kind == CHAIN_BALL) {
            const V3 axes[3] = {v3(one, zero, zero), v3(zero, one, zero), v3(zero, zero, one)};
            for (int k = 0; k < 3; k++) {
                put_rest_column(rest, joint->dof + k, mask, v3_cross(axes[k], arm), axes[k]);
            }
        } else if (joint->kind == CHAIN_SLIDER) {
            put_rest_column(rest, joint->dof, mask, turns_only ? v3_zero() : axis, v3_zero());
        } else {
            put_rest_column(rest, joint->dof, mask, v3_cross(axis, arm), axis);
        }
    }
}

// ----------------------------------------------------------------- gradient and second derivatives

static inline V3 rest_linear(const RestState* rest, int dof) {
    return v3_load(rest->columns[dof][0]);
}

static inline V3 rest_angular(const RestState* rest, int dof) {
    return v3_load(rest->columns[dof][1]);
}

// Returns d x c + M z - z x phi / 2 for the columns c and z of a degree of freedom.
static inline V3 bend_of(const RestError* now, V3 c, V3 z, bool turns) {
    V3 u = v3_cross(now->linear, c);
    if (turns) {
        const V along = v3_dot(now->axis, z);
        u = v3_fma(now->curve, z, u);
        u = v3_fma(v_fnma(now->curve, along, along), now->axis, u);
        u = v3_fnma(v_set(0.5), v3_cross(z, now->phi), u);
    }
    return u;
}

// Fills the gradient of dof j and column j of the upper triangle. `first`: first dof of the same
// ball or cone; later entries are the mean of both orders (see the head).
static inline void fill_column(RestState* rest, int j, int first, bool turns) {
    const V3 c = rest_linear(rest, j);
    const V3 z = rest_angular(rest, j);
    const V3 u = bend_of(&rest->now, c, z, turns);
    v_store(rest->gradient[j], -v3_dot2(c, rest->now.linear, z, rest->now.phi));
    for (int i = 0; i <= j; i++) {
        v_store(rest->matrix[i][j], v3_dot2(rest_linear(rest, i), c, rest_angular(rest, i), u));
    }
    for (int i = first; i < j; i++) {
        // the entry of the other order
        const V3 w = bend_of(&rest->now, rest_linear(rest, i), rest_angular(rest, i), turns);
        const V other = v3_dot2(rest_linear(rest, i), c, z, w);
        v_store(rest->matrix[i][j], v_set(0.5) * (v_load(rest->matrix[i][j]) + other));
    }
}

// Returns the address of entry (i, j) of the symmetric matrix, in the upper triangle.
static inline double* entry_of(RestState* rest, int i, int j) {
    return i < j ? rest->matrix[i][j] : rest->matrix[j][i];
}

// Adds `ratio` times the row and column of a coupled joint to those of its leader, and clears them.
static inline void fold_follower(RestState* rest, int count, int leader, int follower, V ratio) {
    const V twice = ratio + ratio;
    V own = v_fma(twice, v_load(entry_of(rest, leader, follower)),
                  v_load(entry_of(rest, leader, leader)));
    own = v_fma(ratio * ratio, v_load(entry_of(rest, follower, follower)), own);
    for (int k = 0; k < count; k++) {
        if (k != leader && k != follower) {
            v_store(entry_of(rest, leader, k), v_fma(ratio, v_load(entry_of(rest, follower, k)),
                                                     v_load(entry_of(rest, leader, k))));
        }
    }
    for (int k = 0; k < count; k++) {
        v_store(entry_of(rest, follower, k), v_set(k == follower ? 1.0 : 0.0));
    }
    v_store(entry_of(rest, leader, leader), own);
    v_store(rest->gradient[leader],
            v_fma(ratio, v_load(rest->gradient[follower]), v_load(rest->gradient[leader])));
    v_store(rest->gradient[follower], v_set(0.0));
}

static inline void find_derivatives(const ChainSearch* search, RestState* rest) {
    const Chain* chain = search->chain;
    const bool turns = search->goal != POISE_BODY_POSITION;
    int first = 0;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const int end = joint->dof + (joint->kind == CHAIN_BALL ? 3 : 1);
        first = joint->kind == CHAIN_CONE_REST ? first : joint->dof;
        for (int j = joint->dof; j < end; j++) {
            fill_column(rest, j, first, turns);
        }
    }
    for (int t = 0; t < chain->tie_count; t++) {
        const ChainTie* tie = &chain->ties[t];
        fold_follower(rest, chain->nv, chain->joints[tie->leader].dof,
                      chain->joints[tie->joint].dof, v_set(tie->ratio));
    }
}

// ------------------------------------------------------------------------------------------ a step

// Removes a degree of freedom from the system in the lanes of `mask`.
static inline void drop_dof(RestState* rest, int count, int dof, M mask) {
    for (int k = 0; k < count; k++) {
        v_store(entry_of(rest, dof, k), v_clear(mask, v_load(entry_of(rest, dof, k))));
    }
    v_store(rest->matrix[dof][dof], v_select(mask, v_set(1.0), v_load(rest->matrix[dof][dof])));
    v_store(rest->gradient[dof], v_clear(mask, v_load(rest->gradient[dof])));
}

// Removes joints on a limit that the gradient pushes beyond it.
static inline void drop_pressed_dofs(const Chain* chain, RestState* rest) {
    const V zero = v_set(0.0);
    for (int i = 0; i < chain->range_count; i++) {
        const int dof = chain->joints[i].dof;
        if (chain->joints[i].kind == CHAIN_BALL) {
            continue;
        }
        const V q = v_load(rest->at.q[i]);
        const V gradient = v_load(rest->gradient[dof]);
        const M low = m_and(v_ge(v_set(chain->lowers[i]), q), v_lt(zero, gradient));
        const M high = m_and(v_ge(q, v_set(chain->uppers[i])), v_lt(gradient, zero));
        const M pressed = m_or(low, high);
        if (m_bits(pressed) != 0) {
            drop_dof(rest, chain->nv, dof, pressed);
        }
    }
}

// Factors H + mu I = L D L^T, where H has the second derivatives, with positive pivots.
static inline void factor_rest(RestState* rest, int count, V mu) {
    V row[CHAIN_REST_MOST];
    for (int j = 0; j < count; j++) {
        V pivot = v_load(rest->matrix[j][j]) + mu;
        for (int k = 0; k < j; k++) {
            const V entry = v_load(rest->matrix[j][k]);
            row[k] = entry * v_load(rest->inverse[k]);
            pivot = v_fnma(entry, row[k], pivot);
        }
        const M fine = v_lt(v_set(PIVOT_LEAST), pivot);
        pivot = v_select(fine, pivot, v_max(v_set(PIVOT_OTHER), -pivot));
        v_store(rest->inverse[j], v_set(1.0) / pivot);
        for (int i = j + 1; i < count; i++) {
            V entry = v_load(rest->matrix[j][i]);
            for (int k = 0; k < j; k++) {
                entry = v_fnma(v_load(rest->matrix[i][k]), row[k], entry);
            }
            v_store(rest->matrix[i][j], entry);
        }
    }
}

// Solves L D L^T step = -gradient.
static inline void solve_rest(RestState* rest, int count) {
    for (int i = 0; i < count; i++) {
        V y = -v_load(rest->gradient[i]);
        for (int k = 0; k < i; k++) {
            y = v_fnma(v_load(rest->matrix[i][k]), v_load(rest->step[k]), y);
        }
        v_store(rest->step[i], y * v_load(rest->inverse[i]));
    }
    for (int i = count - 1; i >= 0; i--) {
        V sum = v_set(0.0);
        for (int k = i + 1; k < count; k++) {
            sum = v_fma(v_load(rest->matrix[k][i]), v_load(rest->step[k]), sum);
        }
        v_store(rest->step[i], v_fnma(sum, v_load(rest->inverse[i]), v_load(rest->step[i])));
    }
}

// Stops joints that would leave their ranges at the ends, and removes them. True if some did.
static inline bool stop_at_ends(const Chain* chain, RestState* rest,
                                double (*stopped)[CHAIN_LANES]) {
    bool some = false;
    for (int i = 0; i < chain->range_count; i++) {
        const int dof = chain->joints[i].dof;
        if (chain->joints[i].kind == CHAIN_BALL) {
            continue;
        }
        const V q = v_load(rest->at.q[i]);
        const V lower = v_set(chain->lowers[i]);
        const V upper = v_set(chain->uppers[i]);
        const V end = q + v_load(rest->step[dof]);
        const M out = m_or(v_lt(end, lower), v_lt(upper, end));
        if (m_bits(out) == 0) {
            continue;
        }
        const V length = v_min(v_max(end, lower), upper) - q;
        const V own = v_select(out, length, v_set(0.0));
        for (int k = 0; k < chain->nv; k++) {
            v_store(rest->gradient[k],
                    v_fma(own, v_load(entry_of(rest, dof, k)), v_load(rest->gradient[k])));
        }
        drop_dof(rest, chain->nv, dof, out);
        v_store(stopped[dof], v_load(stopped[dof]) + own);
        v_store(rest->step[dof], v_clear(out, v_load(rest->step[dof])));
        some = true;
    }
    return some;
}

// Moves the postures by `scale` times the steps, except in lanes of `hold`.
static inline void move_rest(const Chain* chain, RestState* rest, V scale, M hold) {
    Iterate* at = &rest->at;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_BALL) {
            const V3 turn = v3(v_load(rest->step[joint->dof]), v_load(rest->step[joint->dof + 1]),
                               v_load(rest->step[joint->dof + 2]));
            step_ball(at, joint, v3_scale(scale, turn), hold);
            continue;
        }
        const V q = v_load(at->q[i]);
        const V end = v_fma(scale, v_load(rest->step[joint->dof]), q);
        v_store(at->end[i], v_min(v_max(end, v_set(chain->lowers[i])), v_set(chain->uppers[i])));
        if (joint->kind == CHAIN_HINGE || joint->kind == CHAIN_SLIDER) {
            v_store(at->q[i], v_select(hold, q, v_load(at->end[i])));
        }
    }
    for (int i = 0; chain->cone_count > 0 && i < chain->joint_count; i++) {
        if (chain->joints[i].kind == CHAIN_CONE) {
            step_cone(at, &chain->joints[i], i, m_bits(hold));
        }
    }
}

static inline void step_rest(const Chain* chain, RestState* rest, M hold) {
    _Alignas(64) double stopped[CHAIN_REST_MOST][CHAIN_LANES];
    V length2 = v_set(0.0);
    V slope = v_set(0.0);
    V slopes[CHAIN_REST_MOST];
    for (int i = 0; i < chain->nv; i++) {
        v_store(stopped[i], v_set(0.0));
        slopes[i] = v_load(rest->gradient[i]);
    }
    for (int round = 0; round < REST_ROUNDS; round++) {
        factor_rest(rest, chain->nv, v_load(rest->mu));
        solve_rest(rest, chain->nv);
        if (!stop_at_ends(chain, rest, stopped)) {
            break;
        }
    }
    for (int i = 0; i < chain->nv; i++) {
        const V step = v_load(rest->step[i]) + v_load(stopped[i]);
        const V3 axis = rest_angular(rest, i);
        v_store(rest->step[i], step);
        // the angular column of a slider is 0
        length2 = v_fma(step * step, v3_dot(axis, axis), length2);
        slope = v_fnma(step, slopes[i], slope);
    }
    const V most2 = v_set(STEP_MOST * STEP_MOST);
    const V scale = v_sqrt(most2 / v_max(length2, most2));
    v_store(rest->expected, scale * (v_set(2.0) - scale) * slope);
    move_rest(chain, rest, scale, hold);
}

// ----------------------------------------------------------------------------------------- starts

static void begin_rest(const Chain* chain, RestState* rest, int lane, const double* q) {
    set_q(chain, q, &rest->at, lane);
    rest->error2[lane] = HUGE_VAL;
    rest->mu[lane] = MU_FIRST;
    rest->expected[lane] = 0.0;
    rest->left[lane] = REST_ITERATIONS;
}

// Stores the end of a lane as the best posture if it is the nearest up to now.
static void keep_rest(const Chain* chain, RestState* rest, int lane, ChainProblem* problem) {
    const double error2 = rest->error2[lane];
    if (error2 < (1.0 - SAME_END) * problem->least) {
        rest->found = 0;
    }
    rest->found += error2 <= (1.0 + SAME_END) * problem->least;
    if (rest->error2[lane] < problem->least) {
        problem->least = rest->error2[lane];
        get_q(chain, &rest->at, lane, problem->best);
    }
}

// Computes frames, error and columns after a step. Lanes whose E has risen return to the posture
// before the step, with more damping. Returns the other lanes.
static inline M judge_steps(const ChainSearch* search, RestState* rest) {
    const Chain* chain = search->chain;
    const RestError now = find_rest_error(search, rest);
    const V before = v_load(rest->error2);
    const V mu = v_load(rest->mu);
    const M falls = v_ge(v_fma(before, v_set(ROUNDING), before), now.error2);
    v_store(rest->error2, v_select(falls, now.error2, before));
    // fall of 2 E, which is compared with the expected fall
    const V gain = before - now.error2;
    const V expected = v_load(rest->expected);
    const V factor =
        v_select(v_lt(v_set(RATIO_FINE) * expected, gain), v_set(MU_FALL),
                 v_select(v_lt(v_set(RATIO_LEAST) * expected, gain), v_set(1.0), v_set(MU_GROW)));
    v_store(rest->mu, v_select(falls, v_max(mu * factor, v_set(MU_LEAST)),
                               v_max(mu * v_set(MU_MORE), v_set(MU_RAISE))));
    rest->now = select_error(falls, now, rest->now);
    for (int i = 0; i < chain->nq; i++) {
        const V q = v_select(falls, v_load(rest->at.q[i]), v_load(rest->before[i]));
        v_store(rest->at.q[i], q);
        v_store(rest->before[i], q);
    }
    find_rest_columns(search, rest, falls);
    if (chain->ball_count > 0) {
        keep_axes(falls, chain->ball_count * 3 * V3_SIZE, rest->at.carrier[0][0],
                  rest->carrier[0][0]);
        keep_axes(falls, chain->ball_count * 9 * CHAIN_LANES, rest->at.cone_axes[0][0],
                  rest->cone_axes[0][0]);
    }
    return falls;
}

// Returns the lanes in which the gradient over the free joints is 0.
static inline M is_at_rest(const Chain* chain, const RestState* rest) {
    V slope2 = v_set(0.0);
    V trace = v_set(0.0);
    for (int i = 0; i < chain->nv; i++) {
        const V gradient = v_load(rest->gradient[i]);
        const V3 c = rest_linear(rest, i);
        const V3 z = rest_angular(rest, i);
        slope2 = v_fma(gradient, gradient, slope2);
        trace = trace + v3_dot2(c, c, z, z);
    }
    return v_ge(v_set(GRADIENT2_ZERO) * (trace * v_load(rest->error2)), slope2);
}

// Runs one iteration of all lanes. Returns the lanes at rest, as bits.
static unsigned iterate_rest(const ChainSearch* search, RestState* rest) {
    const Chain* chain = search->chain;
    const M falls = judge_steps(search, rest);
    find_derivatives(search, rest);
    drop_pressed_dofs(chain, rest);
    const V left = v_load(rest->left) - v_set(1.0);
    v_store(rest->left, left);
    const M done = m_or(m_and(falls, is_at_rest(chain, rest)), v_lt(left, v_set(0.5)));
    step_rest(chain, rest, done);
    return m_bits(done) & rest->active;
}

// Begins the next start of a lane: the best posture first, then the nearest seeds.
static void begin_next_rest(const Chain* chain, RestState* rest, int lane, ChainProblem* problem) {
    const double* q = problem->best;
    const int start = rest->next++;
    if (start > 0) {
        q = chain->seed_q + (size_t)take_seed(&problem->list) * (size_t)chain->nq;
    }
    begin_rest(chain, rest, lane, q);
}

void CHAIN_REST(const ChainSearch* search, ChainProblem* problem) {
    const Chain* chain = search->chain;
    const int starts = search->starts < REST_STARTS ? search->starts : REST_STARTS;
    RestState rest;
    rest.active = 0;
    rest.next = 0;
    rest.found = 0;
    if (starts > 1) {
        list_seeds(chain, search->goal, &problem->target, false, &problem->list);
    }
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        set_target(search->goal, &problem->target, &rest.at, lane);
        rest.at.slack[lane] = 0.0;
        if (lane < starts) {
            begin_next_rest(chain, &rest, lane, problem);
            rest.active |= 1u << lane;
        } else {
            begin_rest(chain, &rest, lane, problem->best);
        }
    }
    problem->least = HUGE_VAL;
    while (rest.active != 0) {
        const unsigned done = iterate_rest(search, &rest);
        problem->iterations++;
        for (int lane = 0; done >> lane != 0; lane++) {
            if ((done >> lane & 1) == 0) {
                continue;
            }
            keep_rest(chain, &rest, lane, problem);
            if (rest.next < starts && (rest.next < REST_FEW || rest.found < REST_FOUND)) {
                begin_next_rest(chain, &rest, lane, problem);
            } else {
                rest.active &= ~(1u << lane);
            }
        }
    }
}

#endif
