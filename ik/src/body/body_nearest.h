// SPDX-License-Identifier: MIT
// Descends to the nearest posture of a group, if no start met its targets. In each iteration all
// lanes step from one posture, each with another damping, and the step with the least E is kept.
// The end of the descent determines the reason why the targets are not met.
#ifndef POISE_BODY_NEAREST_H
#define POISE_BODY_NEAREST_H

// factor of the damping if no lane lowers E
#define DAMPING_RISE 4096.0
// a gradient of a joint below this fraction of sqrt(E) counts as 0
#define GRADIENT_PART 1e-6

// damping of each lane, as a factor of the present damping
static const double lane_dampings[BODY_LANES] = {1.0 / 16.0, 1.0, 16.0, 256.0};

enum { HISTORY = 10 };

// Replaces the rotation errors by rotation vectors, so that J^T v is exactly minus the gradient of
// E / 2.
static void find_angles(const BodyProblem* problem, Lanes* lanes) {
    lanes->error2 = v_set(0.0);
    const BodyGroup* group = problem->group;
    for (int t = 0; t < group->tip_count + group->dense_count; t++) {
        Rows* error = &lanes->errors[t];
        V rows[6];
        _Alignas(64) double chord2[BODY_LANES];
        v_store(chord2, v3_dot(error->angular, error->angular));
        for (int lane = 0; lane < BODY_LANES; lane++) {
            const double chord = sqrt(chord2[lane]);
            const double angle = 2.0 * poise_asin(fmin(0.5 * chord, 1.0));
            chord2[lane] = chord > 0.0 ? angle / chord : 1.0;
        }
        error->angular = v3_scale(v_load(chord2), error->angular);
        to_rows(&problem->targets[t], *error, rows);
        for (int k = 0; k < row_count(&problem->targets[t]); k++) {
            lanes->error2 = v_fma(rows[k], rows[k], lanes->error2);
        }
    }
    for (int k = 0; k < group->join_count; k++) {
        const V error = join_error(&group->joins[k], &lanes->at);
        lanes->error2 = v_fma(error, error, lanes->error2);
    }
}

static void evaluate_descent(const BodyProblem* problem, Lanes* lanes, double error2[BODY_LANES]) {
    find_parts(problem->group, false, lanes);
    find_parts(problem->group, true, lanes);
    find_errors(problem, lanes);
    find_angles(problem, lanes);
    v_store(error2, lanes->error2);
}

// Returns minus the derivative of E / 2 with respect to joint i, in lane 0. `d`: its degree of
// freedom in the trunk.
static double gradient_of(const BodyProblem* problem, const Lanes* lanes, int i, int d, int tip) {
    _Alignas(64) double out[BODY_LANES];
    if (d >= 0) {
        v_store(out, trunk_gradient(problem, lanes, d));
    } else {
        v_store(out, limb_gradient(problem, lanes, tip, i));
    }
    return out[0];
}

// Returns the joint at a limit whose motion beyond the limit would reduce the squared error
// fastest, or -1.
static int find_limiting(const BodyProblem* problem, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    double most = GRADIENT_PART * sqrt(problem->least);
    int limiting = -1;
    for (int t = 0; t < group->tip_count; t++) {
        to_rows(&problem->targets[t], lanes->errors[t], lanes->rows[t]);
    }
    find_body_columns(problem, lanes);
    for (int p = 0; p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        int d = 0;
        while (part->tip < 0 && group->dofs[d].joint != part->begin) {
            d++;
        }
        for (int i = part->begin; i < part->end; i++) {
            const ChainJoint* joint = &group->joints[i];
            const double q = lanes->at.q[i][0];
            if (joint->kind == CHAIN_BALL) {
                d += 3;
                continue;
            }
            const double pull = gradient_of(problem, lanes, i, part->tip < 0 ? d : -1, part->tip);
            const bool pressed =
                (q <= joint->lower && pull < 0.0) || (q >= joint->upper && pull > 0.0);
            if (pressed && fabs(pull) > most) {
                most = fabs(pull);
                limiting = i;
            }
            d++;
        }
    }
    return limiting;
}

// Copies the posture of the lane with the least E to all lanes, or the last posture if no lane
// reduced E. Returns the factor for the next damping.
static double take_best(BodyProblem* problem, Lanes* lanes, const double error2[BODY_LANES]) {
    double factor = DAMPING_RISE;
    int best = 0;
    for (int lane = 1; lane < BODY_LANES; lane++) {
        best = error2[lane] < error2[best] ? lane : best;
    }
    if (error2[best] < problem->least) {
        problem->least = error2[best];
        get_lane(problem->group, lanes, best, problem->best);
        factor = lane_dampings[best];
    }
    for (int lane = 0; lane < BODY_LANES; lane++) {
        set_lane(problem->group, problem->best, lane, lanes);
    }
    return factor;
}

// Descends from the best posture until it cannot reduce E.
static void descend_to_rest(BodySearch* search) {
    BodyProblem* problem = search->problem;
    Lanes* lanes = &search->lanes;
    _Alignas(64) double error2[BODY_LANES];
    _Alignas(64) double lambda[BODY_LANES];
    double history[HISTORY];
    double gain = 1.0;
    lanes->at.leading = ALL_LANES;
    problem->reason = POISE_REACH_BUDGET;
    for (int lane = 0; lane < BODY_LANES; lane++) {
        set_lane(problem->group, problem->best, lane, lanes);
    }
    evaluate_descent(problem, lanes, error2);
    problem->least = error2[0];
    for (int i = 0; i < problem->descents; i++) {
        if ((m_bits(lanes->met) & 1) != 0) {
            problem->reason = POISE_REACH_MET;
            problem->answers = 1;
            return;
        }
        if (i >= HISTORY && problem->least > (1.0 - problem->fall) * history[i % HISTORY]) {
            problem->limiting = find_limiting(problem, lanes);
            problem->reason =
                problem->limiting >= 0 ? POISE_REACH_AT_LIMITS : POISE_REACH_UNREACHABLE;
            return;
        }
        history[i % HISTORY] = problem->least;
        for (int lane = 0; lane < BODY_LANES; lane++) {
            lambda[lane] = gain * lane_dampings[lane] * problem->least;
        }
        find_body_columns(problem, lanes);
        take_body_step(problem, v_load(lambda), m_none(), lanes);
        evaluate_descent(problem, lanes, error2);
        problem->iterations++;
        gain = fmax(take_best(problem, lanes, error2) * gain, GAIN_LEAST);
        evaluate_descent(problem, lanes, error2);
    }
}

#endif
