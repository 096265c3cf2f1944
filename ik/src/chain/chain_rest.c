// SPDX-License-Identifier: MIT
// Where no start met the target: from the nearest posture found, downhill to where nothing lowers
// the error any more, one posture at a time with steps that are taken back when they do not help.
// Its end says why.
#include "chain_internal.h"

// lambda = gain * error^2 + a part of the trace; the gain falls by one after a step that helped and
// grows by the other after one that did not
#define GAIN_FALL  0.3
#define GAIN_GROW  4.0
#define GAIN_LEAST 1e-9
#define TRACE_PART 1e-13
// no slope: |J^T v| of the free dofs below this part of |J| |v|
#define SLOPE_ZERO 1e-9
// no progress: error^2 has fallen by less than this part over the history
#define FALL_ZERO 1e-12

// a rotation that is held on its cone is so far off it by rounding, rad
#define CONE_ROUNDING 1e-12

enum { REST_ITERATIONS = 300, HISTORY = 10, ROWS = 6 };

/// J, v and the room of each degree of freedom at a posture.
typedef struct Linear {
    ChainFrames frames;
    double columns[POISE_CHAIN_MOST_DOF][ROWS];
    double lower[POISE_CHAIN_MOST_DOF]; ///< the way left
    double upper[POISE_CHAIN_MOST_DOF];
    double v[ROWS];
    double step[POISE_CHAIN_MOST_DOF];
    bool fixed[POISE_CHAIN_MOST_DOF];
    double trace;
} Linear;

static double dot(const double* a, const double* b) {
    double sum = 0.0;
    for (int k = 0; k < ROWS; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

static void set_column(double* column, PoiseVec3 linear, PoiseVec3 angular, PoiseChainGoal goal) {
    const bool place = goal != POISE_CHAIN_ORIENTATION;
    const bool turn = goal != POISE_CHAIN_POSITION;
    const double all[ROWS] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < ROWS; k++) {
        column[k] = (k < 3 ? place : turn) ? all[k] : 0.0;
    }
}

void poise__chain_columns(const PoiseChain* chain, const ChainFrames* frames, PoiseChainGoal goal,
                          double (*columns)[6]) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const PoiseVec3 arm = poise_sub(frames->place, frames->origins[i]);
        const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
        const PoiseVec3 axis = frames->axes[i];
        if (joint->kind == CHAIN_SLIDER) {
            set_column(columns[joint->dof], axis, none, goal);
        } else if (joint->kind != CHAIN_BALL) {
            set_column(columns[joint->dof], poise_cross(axis, arm), axis, goal);
        } else {
            for (int k = 0; k < 3; k++) {
                const PoiseVec3 e = poise_vec3(k == 0, k == 1, k == 2);
                set_column(columns[joint->dof + k], poise_cross(e, arm), e, goal);
            }
        }
    }
}

static void fill_cone_room(const ChainJoint* joint, const double* q, Linear* linear) {
    ChainCone cone;
    poise__chain_cone_look(q, &cone);
    linear->lower[joint[0].dof] = joint[0].lower - cone.swing;
    linear->upper[joint[0].dof] = fmax(joint[0].upper - cone.swing, 0.0);
    linear->lower[joint[2].dof] = fmin(joint[2].lower - cone.twist, 0.0);
    linear->upper[joint[2].dof] = fmax(joint[2].upper - cone.twist, 0.0);
    // held there by rounding
    if (cone.swing > joint[0].upper - CONE_ROUNDING) {
        linear->upper[joint[0].dof] = 0.0;
    }
    if (cone.twist > joint[2].upper - CONE_ROUNDING) {
        linear->upper[joint[2].dof] = 0.0;
    }
    if (cone.twist < joint[2].lower + CONE_ROUNDING) {
        linear->lower[joint[2].dof] = 0.0;
    }
}

static void fill(const ChainSearch* search, const ChainProblem* problem, const double* numbers,
                 Linear* linear) {
    const PoiseChain* chain = search->chain;
    poise__chain_columns(chain, &linear->frames, search->def->goal, linear->columns);
    (void)poise__chain_error(&problem->target, &linear->frames, search->def->goal, linear->v);
    linear->trace = 0.0;
    for (int d = 0; d < chain->dof_count; d++) {
        linear->lower[d] = -HUGE_VAL;
        linear->upper[d] = HUGE_VAL;
        linear->trace += dot(linear->columns[d], linear->columns[d]);
    }
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_CONE) {
            fill_cone_room(joint, &numbers[joint->slot], linear);
            i += 2;
        } else if (joint->kind != CHAIN_BALL) {
            linear->lower[joint->dof] = joint->lower - numbers[joint->slot];
            linear->upper[joint->dof] = joint->upper - numbers[joint->slot];
        }
    }
}

// (J J^T + lambda I) y = b over the free columns, by Cholesky
static void solve_free(const Linear* linear, int dofs, double lambda, const double* b, double* y) {
    double a[ROWS][ROWS] = {{0.0}};
    for (int d = 0; d < dofs; d++) {
        const double* column = linear->columns[d];
        for (int i = 0; !linear->fixed[d] && i < ROWS; i++) {
            for (int j = 0; j <= i; j++) {
                a[i][j] += column[i] * column[j];
            }
        }
    }
    for (int i = 0; i < ROWS; i++) {
        a[i][i] += lambda;
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) {
                sum -= a[i][k] * a[j][k];
            }
            // lambda > 0 keeps the pivots above 0 but for rounding
            a[i][j] = i == j ? sqrt(fmax(sum, 0.5 * lambda)) : sum / a[j][j];
        }
    }
    for (int i = 0; i < ROWS; i++) {
        double sum = b[i];
        for (int k = 0; k < i; k++) {
            sum -= a[i][k] * y[k];
        }
        y[i] = sum / a[i][i];
    }
    for (int i = ROWS - 1; i >= 0; i--) {
        for (int k = i + 1; k < ROWS; k++) {
            y[i] -= a[k][i] * y[k];
        }
        y[i] /= a[i][i];
    }
}

// the step inside the ranges: what leaves its range is fixed at its end, until nothing does
static void find_step(Linear* linear, int dofs, double lambda) {
    double b[ROWS];
    memcpy(b, linear->v, sizeof b);
    for (int d = 0; d < dofs; d++) {
        const double slope = dot(linear->columns[d], linear->v);
        linear->step[d] = 0.0;
        linear->fixed[d] =
            (slope < 0.0 && linear->lower[d] >= 0.0) || (slope > 0.0 && linear->upper[d] <= 0.0);
    }
    for (bool again = true; again;) {
        double y[ROWS];
        again = false;
        solve_free(linear, dofs, lambda, b, y);
        for (int d = 0; d < dofs; d++) {
            if (linear->fixed[d]) {
                continue;
            }
            const double step = dot(linear->columns[d], y);
            linear->step[d] = fmin(fmax(step, linear->lower[d]), linear->upper[d]);
            if (linear->step[d] != step) {
                linear->fixed[d] = true;
                again = true;
                for (int k = 0; k < ROWS; k++) {
                    b[k] -= linear->columns[d][k] * linear->step[d];
                }
            }
        }
    }
}

static void move_cone(const ChainJoint* joint, const PoiseVec3* axes, PoiseQuat carrier,
                      const double* step, const double* from, double* to) {
    PoiseVec3 turn = poise_vec3(0.0, 0.0, 0.0);
    for (int j = 0; j < 3; j++) {
        turn = poise_add_scaled(turn, step[j], axes[j]);
    }
    turn = poise_quat_unrotate(carrier, turn);
    const double vector[3] = {turn.x, turn.y, turn.z};
    memcpy(to, from, 4 * sizeof *to);
    poise__chain_cone_turn(joint, vector, to);
}

static void move(const PoiseChain* chain, const Linear* linear, const double* from, double* to) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const double* step = &linear->step[joint->dof];
        const double* in = &from[joint->slot];
        double* out = &to[joint->slot];
        if (joint->kind == CHAIN_CONE) {
            move_cone(joint, &linear->frames.axes[i], linear->frames.carriers[i], step, in, out);
            i += 2;
            continue;
        }
        if (joint->kind != CHAIN_BALL) {
            *out = fmin(fmax(*in + *step, joint->lower), joint->upper);
            continue;
        }
        const PoiseVec3 turn =
            poise_quat_unrotate(linear->frames.carriers[i], poise_vec3(step[0], step[1], step[2]));
        const PoiseQuat q = poise_quat_normalize(
            poise_quat_mul(poise_quat_exp(turn), poise_quat(in[0], in[1], in[2], in[3])));
        out[0] = q.w;
        out[1] = q.x;
        out[2] = q.y;
        out[3] = q.z;
    }
}

// whether no dof that is free to move lowers the error to first order; `held` when ranges are part
// of why
static bool is_level(const Linear* linear, int dofs, double error2, bool* held) {
    const double zero = SLOPE_ZERO * sqrt(error2 * linear->trace);
    double free2 = 0.0;
    *held = false;
    for (int d = 0; d < dofs; d++) {
        const double slope = dot(linear->columns[d], linear->v);
        const bool pressed =
            (slope < 0.0 && linear->lower[d] >= 0.0) || (slope > 0.0 && linear->upper[d] <= 0.0);
        *held = *held || (pressed && fabs(slope) > zero);
        free2 += pressed ? 0.0 : slope * slope;
    }
    return free2 <= zero * zero;
}

static double measure(const ChainSearch* search, ChainProblem* problem, const double* numbers,
                      Linear* linear) {
    poise__chain_frames(search->chain, numbers, &linear->frames);
    const double error2 =
        poise__chain_error(&problem->target, &linear->frames, search->def->goal, linear->v);
    return isfinite(error2) ? error2 : HUGE_VAL;
}

// of a posture at `best`: both squares, and whether they are small enough
static bool is_met(const ChainSearch* search, ChainProblem* problem, const double* v) {
    problem->squares[0] = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    // as the lanes have it
    const double angle = sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    const double chord = 2.0 * sin(0.5 * angle);
    problem->squares[1] = chord * chord;
    return problem->squares[0] < search->place_tolerance2 &&
           problem->squares[1] < search->rotation_tolerance2;
}

PoiseReachReason poise__chain_rest(const ChainSearch* search, ChainProblem* problem) {
    const PoiseChain* chain = search->chain;
    const int dofs = chain->dof_count;
    Linear linear;
    double history[HISTORY];
    double trial[CHAIN_MOST_SLOTS];
    double* numbers = problem->best;
    double gain = 1.0;
    double error2 = measure(search, problem, numbers, &linear);
    for (int i = 0;; i++) {
        bool held = false;
        fill(search, problem, numbers, &linear);
        if (is_met(search, problem, linear.v)) {
            problem->answers++;
            return POISE_REACH_MET;
        }
        const bool level = is_level(&linear, dofs, error2, &held);
        const double before = i >= HISTORY ? history[i % HISTORY] : HUGE_VAL;
        if (level || error2 > (1.0 - FALL_ZERO) * before) {
            return held ? POISE_REACH_AT_LIMITS : POISE_REACH_UNREACHABLE;
        }
        if (i >= REST_ITERATIONS) {
            return POISE_REACH_BUDGET;
        }
        history[i % HISTORY] = error2;
        find_step(&linear, dofs, gain * error2 + TRACE_PART * linear.trace);
        move(chain, &linear, numbers, trial);
        const double error2_there = measure(search, problem, trial, &linear);
        if (error2_there < error2) {
            memcpy(numbers, trial, (size_t)chain->slot_count * sizeof trial[0]);
            error2 = error2_there;
            gain = fmax(GAIN_FALL * gain, GAIN_LEAST);
        } else {
            (void)measure(search, problem, numbers, &linear);
            gain *= GAIN_GROW;
        }
        problem->iterations++;
    }
}
