// SPDX-License-Identifier: MIT
// The nearest posture, if no start met the target. Descends from the best posture found, by the
// same damped steps in one lane, until no joint lowers the error. A step that does not lower the
// error is undone. The end of the descent gives the reason.
#define CHAIN_LANES 1
#include "lane_step.h"

// lambda = gain * error^2. The gain falls by GAIN_FALL after a step that lowers the error, grows by
// GAIN_GROW after one that does not.
#define GAIN_FALL  0.3
#define GAIN_GROW  4.0
#define GAIN_LEAST 1e-9
// the gradient counts as 0 if |J^T v| of the free joints is below this part of |J| |v|
#define GRADIENT_ZERO 1e-9
// no progress: error^2 fell by less than this part over the history
#define FALL_ZERO 1e-12

// a target far out of reach needs thousands, because each step removes a fixed part of the
// remaining error
enum { MOST_ITERATIONS = 20000, HISTORY = 10 };

/// A posture of the descent, and its error.
typedef struct Descent {
    Iterate at;
    V3 tip;
    Rows error;
    double squares[2];
    double error2;
} Descent;

// Computes the error. The rotation's error is a rotation vector here, so that J^T v is exactly the
// gradient of error^2 / 2.
static void evaluate(const ChainSearch* search, Descent* here) {
    const Frame tip = find_frames(search->chain, &here->at);
    here->tip = tip.p;
    here->error = find_error(search->def->goal, &here->at, &tip, here->squares);
    const double chord = sqrt(here->squares[1]);
    const double angle = 2.0 * poise_asin(fmin(0.5 * chord, 1.0));
    here->error.angular = v3_scale(chord > 0.0 ? angle / chord : 1.0, here->error.angular);
    const double error2 = here->squares[0] + angle * angle;
    here->error2 = isfinite(error2) ? error2 : HUGE_VAL;
}

static bool is_met(const ChainSearch* search, const Descent* here) {
    return here->squares[0] < search->position_tolerance2 &&
           here->squares[1] < search->angle_tolerance2;
}

// True if no free joint lowers the error to first order. `at_limits`: limits are part of the
// reason.
static bool is_stationary(const ChainSearch* search, const Descent* here, bool* at_limits) {
    const PoiseChain* chain = search->chain;
    Normal normal;
    const double trace = find_normal(chain, search->def->goal, &here->at, &normal);
    const double zero = GRADIENT_ZERO * sqrt(here->error2 * trace);
    double free2 = 0.0;
    *at_limits = false;
    for (int i = 0; i < chain->joint_count; i++) {
        if (chain->joints[i].kind == CHAIN_BALL) {
            const V3 gradient = ball_dot(&here->at, i, here->error);
            free2 += v3_dot(gradient, gradient);
            continue;
        }
        const double gradient = column_dot(&here->at, i, here->error);
        if (!is_pressed(chain, &here->at, i, here->error)) {
            free2 += gradient * gradient;
        } else if (fabs(gradient) > zero) {
            *at_limits = true;
        }
    }
    return free2 <= zero * zero;
}

// Tries one step. False if it would raise the error; the posture then stays.
static bool descend(const ChainSearch* search, double gain, Descent* here) {
    double before[CHAIN_MOST_Q];
    const double error2 = here->error2;
    get_q(search->chain, &here->at, 0, before);
    take_step(search, &here->at, here->error, gain * error2, m_none());
    evaluate(search, here);
    if (here->error2 < error2) {
        return true;
    }
    set_q(search->chain, before, &here->at, 0);
    evaluate(search, here);
    return false;
}

PoiseReachReason poise__chain_nearest(const ChainSearch* search, ChainProblem* problem) {
    const PoiseChain* chain = search->chain;
    Descent here;
    double history[HISTORY];
    double gain = 1.0;
    PoiseReachReason reason = POISE_REACH_BUDGET;
    here.at.slack[0] = 0.0;
    set_target(search->def->goal, &problem->target, &here.at, 0);
    set_q(chain, problem->best, &here.at, 0);
    evaluate(search, &here);
    for (int i = 0;; i++) {
        bool at_limits = false;
        find_columns(chain, &here.at, here.tip);
        if (is_met(search, &here)) {
            reason = POISE_REACH_MET;
            problem->answers++;
            break;
        }
        const bool stationary = is_stationary(search, &here, &at_limits);
        const double before = i >= HISTORY ? history[i % HISTORY] : HUGE_VAL;
        if (stationary || here.error2 > (1.0 - FALL_ZERO) * before) {
            reason = at_limits ? POISE_REACH_AT_LIMITS : POISE_REACH_UNREACHABLE;
            break;
        }
        if (i == MOST_ITERATIONS) {
            break;
        }
        history[i % HISTORY] = here.error2;
        gain = descend(search, gain, &here) ? fmax(GAIN_FALL * gain, GAIN_LEAST) : GAIN_GROW * gain;
        problem->iterations++;
    }
    get_q(chain, &here.at, 0, problem->best);
    problem->squares[0] = here.squares[0];
    problem->squares[1] = here.squares[1];
    return reason;
}
