// SPDX-License-Identifier: MIT
// The default settings of a solve, and the check of settings from callers.

#include "solve.h"

#define DUAL_DAMPING  1e-6
#define SWEEP_DAMPING 1e-4

// On chains of 2 to 10 balls this floor of the gain takes the fewest steps to reachable goals.
// Toward goals out of reach the error still falls in each step.
#define DEFAULT_GAIN_FLOOR 0.2
#define DEFAULT_JOINT_CAP  0.5 // rad, largest turn of a joint in a step

#define DEFAULT_TOLERANCE  1e-4
// Joints rest if the points move by fewer tolerances per rad than this. Slower motion would take
// over 10 s for half a turn at 200 steps a second. Among 500 mechanisms with rounded goals, 4 still
// move after 10 s at a limit of 1, none at 3.
#define DEFAULT_LEAST_MOTION 3.0

enum { DEFAULT_SWEEPS = 30 };

double poise__default_damping(PoiseSolver solver) {
    return solver == POISE_SOLVER_GAUSS_SEIDEL ? SWEEP_DAMPING : DUAL_DAMPING;
}

PoiseSolveDef poise_default_solve_def(void) {
    return (PoiseSolveDef){.cookie = COOKIE_SOLVE,
                           .solver = POISE_SOLVER_AUTO,
                           .sweeps = DEFAULT_SWEEPS,
                           .damping = -1.0,
                           .damping_floor = DEFAULT_GAIN_FLOOR,
                           .adaptive = true,
                           .lambda = -1.0,
                           .position_clamp = 0.4,
                           .angle_clamp = 0.4,
                           .joint_cap = DEFAULT_JOINT_CAP,
                           .escape = true,
                           .least_motion = DEFAULT_LEAST_MOTION,
                           .position_tolerance = DEFAULT_TOLERANCE,
                           .angle_tolerance = DEFAULT_TOLERANCE};
}

const char* poise_solve_def_problem(const PoiseSolveDef* def) {
    if (!def || def->cookie != COOKIE_SOLVE) {
        return "the def was not made by poise_default_solve_def()";
    }
    if (def->solver < POISE_SOLVER_AUTO || def->solver > POISE_SOLVER_CGLS) {
        return "solver is none of POISE_SOLVER_*";
    }
    if (def->sweeps < 1 || def->sweeps > POISE_SWEEPS_MOST) {
        return "sweeps must be 1 to 100000";
    }
    if (isnan(def->damping) || isinf(def->damping)) {
        return "damping must be finite (negative: the solver's own)";
    }
    if (isnan(def->lambda) || isinf(def->lambda)) {
        return "lambda must be finite (negative: by the rule of damping)";
    }
    if (!(def->damping_floor >= 0.0 && def->damping_floor <= POISE_GAIN_MOST)) {
        return "damping_floor must be 0 to 2";
    }
    if (!(def->position_clamp > 0.0) || !(def->angle_clamp > 0.0) || !(def->joint_cap > 0.0)) {
        return "position_clamp, angle_clamp and joint_cap must be above 0 (infinity: off)";
    }
    if (!(def->position_tolerance > 0.0) || !(def->angle_tolerance > 0.0)) {
        return "position_tolerance and angle_tolerance must be above 0";
    }
    if (!(def->least_motion >= 0.0) || isinf(def->least_motion)) {
        return "least_motion must be finite and not negative (0: off)";
    }
    if (!(def->posture_rate >= 0.0 && def->posture_rate <= 1.0)) {
        return "posture_rate must be 0 to 1";
    }
    return def->step >= 0.0 && !isinf(def->step) ? NULL : "step must be finite and not negative";
}
