// SPDX-License-Identifier: MIT
// Finds the nearest posture if no start met the target, by the descents of lane_rest.h. Finds the
// reason why that posture does not meet the target.
#define CHAIN_LANES 1
#include "lane_step.h"

// the gradient is 0 if |J^T v| over the free joints is below this fraction of |J| |v|
#define GRADIENT_ZERO 1e-8
// units; a target that is farther away is moved to this distance. The nearest posture then depends
// on its direction alone, and squares stay finite.
#define FARTHEST 1e6

/// Largest number of successive descents.
enum { MOST_ROUNDS = 5 };

/// The posture at the end of a descent, with its error.
typedef struct End {
    Iterate at;
    V3 tip;
    Rows error;
    double squares[2];
    double error2;
} End;

// Computes the error. The rotation error is a rotation vector, so that J^T v is exactly minus the
// gradient of error^2 / 2.
static void evaluate(const ChainSearch* search, End* here) {
    const Frame tip = find_frames(search->chain, &here->at);
    here->tip = tip.p;
    here->error = find_error(search->goal, &here->at, &tip, here->squares);
    const double chord = sqrt(here->squares[1]);
    const double angle = 2.0 * poise_asin(fmin(0.5 * chord, 1.0));
    here->error.angular = v3_scale(chord > 0.0 ? angle / chord : 1.0, here->error.angular);
    const double error2 = here->squares[0] + angle * angle;
    here->error2 = isfinite(error2) ? error2 : HUGE_VAL;
}

// True if no free joint reduces the error to first order. `limiting` gets the joint beyond whose
// limit the error would fall fastest; -1: none.
static bool is_stationary(const ChainSearch* search, const End* here, int* limiting) {
    const Chain* chain = search->chain;
    Normal normal;
    const double trace = find_normal(chain, search->goal, &here->at, &normal);
    const double zero = GRADIENT_ZERO * sqrt(here->error2 * trace);
    double free2 = 0.0;
    double most = zero;
    *limiting = -1;
    for (int i = 0; i < chain->joint_count; i++) {
        if (chain->joints[i].kind == CHAIN_BALL) {
            const V3 gradient = ball_dot(&here->at, i, here->error);
            free2 += v3_dot(gradient, gradient);
            continue;
        }
        const double gradient = column_dot(&here->at, i, here->error);
        if (!is_pressed(chain, &here->at, i, here->error)) {
            free2 += gradient * gradient;
        } else if (fabs(gradient) > most) {
            most = fabs(gradient);
            *limiting = i;
        }
    }
    return free2 <= zero * zero;
}

// Moves a far target to FARTHEST.
static void bring_near(ChainTarget* target) {
    double most = 0.0;
    for (int k = 0; k < 3; k++) {
        most = fmax(most, fabs(target->position[k]));
    }
    for (int k = 0; k < 3 && most > FARTHEST; k++) {
        target->position[k] *= FARTHEST / most;
    }
}

static void evaluate_at(const ChainSearch* search, const ChainTarget* target, End* here) {
    set_target(search->goal, target, &here->at, 0);
    evaluate(search, here);
}

PoiseReachReason poise__chain_nearest(const ChainSearch* search, ChainProblem* problem) {
    const ChainTarget target = problem->target;
    End here;
    bool stationary = false;
    ChainSearch descent = *search;
    void (*rest)(const ChainSearch*, ChainProblem*) =
        search->chain->nv <= CHAIN_REST_MOST_DOF ? search->kernel->rest : poise__chain_rest_scalar;
    here.at.slack[0] = 0.0;
    bring_near(&problem->target);
    for (int round = 0; round < MOST_ROUNDS && !stationary; round++) {
        rest(&descent, problem);
        set_q(search->chain, problem->best, &here.at, 0);
        evaluate_at(search, &problem->target, &here);
        find_columns(search->chain, &here.at, here.tip);
        stationary = is_stationary(search, &here, &problem->limiting);
        // curved valleys take more iterations: descend again from the best end
        descent.starts = 1;
    }
    problem->target = target;
    evaluate_at(search, &target, &here);
    problem->squares[0] = here.squares[0];
    problem->squares[1] = here.squares[1];
    if (here.squares[0] < search->position_tolerance2 &&
        here.squares[1] < search->angle_tolerance2) {
        problem->answers++;
        return POISE_REACH_MET;
    }
    return problem->is_beyond       ? POISE_REACH_OUT_OF_REACH
           : !stationary            ? POISE_REACH_BUDGET
           : problem->limiting >= 0 ? POISE_REACH_AT_LIMITS
                                    : POISE_REACH_UNREACHABLE;
}
