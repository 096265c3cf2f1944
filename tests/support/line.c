// SPDX-License-Identifier: MIT
#include "line.h"

#include <stdlib.h>
#include <string.h>

enum { LINKS = 5, MOST_STEPS = 20000 };

#define STEP 1e-3
#define PI   3.14159265358979323846

Model line_balls(void) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_ball_def();
    for (int i = 0; i < LINKS; i++) {
        def.joint_in_parent.p = poise_vec3(0.0, 0.0, i > 0 ? 1.0 : 0.0);
        def.parent = model_add_node(&model, &def);
    }
    model_add_tip(&model, def.parent, poise_vec3(0.0, 0.0, 1.0));
    return model;
}

Model line_hinges(void) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    for (int i = 0; i < 3 * LINKS; i++) {
        def.joint_in_parent.p = poise_vec3(0.0, 0.0, i > 0 && i % 3 == 0 ? 1.0 : 0.0);
        def.axis = poise_vec3(i % 3 == 1, i % 3 == 0, i % 3 == 2);
        def.parent = model_add_node(&model, &def);
    }
    model_add_tip(&model, def.parent, poise_vec3(0.0, 0.0, 1.0));
    return model;
}

// Draws yaw, pitch and roll in 0..pi for each link, as the article does.
void line_start(Chain chain, int trial, double* posture) {
    Random random = random_from(1000 + (uint64_t)trial);
    const bool balls = poise_body_posture_size(chain.body) == 4 * LINKS;
    for (int i = 0; i < LINKS; i++) {
        double angle[3];
        for (int k = 0; k < 3; k++) {
            angle[k] = random_between(&random, 0.0, PI);
        }
        if (!balls) {
            memcpy(&posture[3 * i], angle, sizeof angle);
            continue;
        }
        const PoiseQuat y = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), angle[0]);
        const PoiseQuat x = poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), angle[1]);
        const PoiseQuat z = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), angle[2]);
        const PoiseQuat q = poise_quat_mul(y, poise_quat_mul(x, z));
        const double numbers[4] = {q.w, q.x, q.y, q.z};
        memcpy(&posture[4 * i], numbers, sizeof numbers);
    }
}

static void track(Chain chain, PoiseVec3 place, double* posture) {
    ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
    def.goal = POISE_BODY_POSITION;
    def.all.position_tolerance = 1e-12;
    if (chain_track(chain, &def, poise_pose(place, poise_quat_identity()), posture, NULL) <
        POISE_OK) {
        abort();
    }
}

// Moves `start` by twice the motion from `half` to `end`: a whole step with the motion computed at
// its middle (midpoint rule).
static void take_twice(Chain chain, const double* half, const double* end, double* start) {
    if (poise_body_posture_size(chain.body) != 4 * LINKS) {
        for (int i = 0; i < 3 * LINKS; i++) {
            start[i] += 2.0 * (end[i] - half[i]);
        }
        return;
    }
    for (int i = 0; i < 4 * LINKS; i += 4) {
        const PoiseQuat from = poise_quat(half[i], half[i + 1], half[i + 2], half[i + 3]);
        const PoiseQuat to = poise_quat(end[i], end[i + 1], end[i + 2], end[i + 3]);
        const PoiseQuat q = poise_quat(start[i], start[i + 1], start[i + 2], start[i + 3]);
        const PoiseQuat turn = poise_quat_mul(to, poise_quat_conjugate(from));
        const PoiseQuat out = poise_quat_normalize(poise_quat_mul(turn, poise_quat_mul(turn, q)));
        const double numbers[4] = {out.w, out.x, out.y, out.z};
        memcpy(&start[i], numbers, sizeof numbers);
    }
}

static void update(Chain chain, LineOrder order, PoiseVec3 from, PoiseVec3 displacement,
                   double* posture) {
    if (order == LINE_FIRST) {
        track(chain, poise_add(from, displacement), posture);
        return;
    }
    double half[CHAIN_POSTURE];
    double end[CHAIN_POSTURE];
    const size_t size = (size_t)poise_body_posture_size(chain.body) * sizeof half[0];
    memcpy(half, posture, size);
    track(chain, poise_add_scaled(from, 0.5, displacement), half);
    memcpy(end, half, size);
    track(chain, poise_add_scaled(poise_body_forward(chain.body, half, 0).p, 0.5, displacement),
          end);
    take_twice(chain, half, end, posture);
}

// Returns the number of steps to the goal.
static long walk(Chain chain, LineOrder order, double* posture, LineResult* result) {
    PoiseVec3 tip = poise_body_forward(chain.body, posture, 0).p;
    const PoiseVec3 goal = poise_scale(-1.0, tip);
    long steps = 0;
    for (; steps < MOST_STEPS; steps++) {
        const PoiseVec3 left = poise_sub(goal, tip);
        const double length = poise_length(left);
        if (length < STEP) {
            break;
        }
        const PoiseVec3 displacement = poise_scale(STEP / length, left);
        update(chain, order, tip, displacement, posture);
        const PoiseVec3 end = poise_body_forward(chain.body, posture, 0).p;
        const double error = poise_length(poise_sub(end, poise_add(tip, displacement))) / STEP;
        result->worst_error = fmax(result->worst_error, error);
        result->mean_error += error;
        tip = end;
    }
    return steps;
}

LineResult line_walk(Chain chain, LineOrder order, int trials) {
    LineResult result = {0.0, 0.0, 0.0, 0};
    double sum = 0.0;
    for (int t = 0; t < trials; t++) {
        double posture[CHAIN_POSTURE];
        line_start(chain, t, posture);
        const double length = 2.0 * poise_length(poise_body_forward(chain.body, posture, 0).p);
        const long steps = walk(chain, order, posture, &result);
        const double off = (double)steps - floor(length / STEP);
        sum += off * off;
        result.updates += steps;
    }
    result.rms = sqrt(sum / trials);
    result.mean_error /= (double)result.updates;
    return result;
}
