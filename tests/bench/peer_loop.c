// SPDX-License-Identifier: MIT
// A Levenberg-Marquardt loop over the frames and the Jacobian of another library: damping in
// proportion to error^2, joints at their limits held in the step, J only where a step was accepted.
// A descent that stalls ends, and the next one starts at a random posture.
#include <string.h>

#include "peers_internal.h"

enum { ROWS = PEER_ROWS, STEPS = 40, LOOKBACK = 5 };
// Error^2 of an answer: position and rotation each within PEER_TOLERANCE.
static const double met2 = 1e-11;
// A descent stalls if this part of error^2 is left after LOOKBACK steps.
static const double stalled = 0.5;

// Solves (sum of J_k J_k^T over the joints that are not held + lambda I) y = y0, in place.
static void solve_dual(const double* j, int n, const bool* held, double lambda, double* y) {
    double a[ROWS][ROWS];
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = r == c ? lambda : 0.0;
            for (int k = 0; k < n; k++) {
                sum += held[k] ? 0.0 : j[r * n + k] * j[c * n + k];
            }
            for (int k = 0; k < c; k++) {
                sum -= a[r][k] * a[c][k];
            }
            a[r][c] = r == c ? sqrt(sum) : sum / a[c][c];
        }
    }
    for (int r = 0; r < ROWS; r++) {
        for (int k = 0; k < r; k++) {
            y[r] -= a[r][k] * y[k];
        }
        y[r] /= a[r][r];
    }
    for (int r = ROWS - 1; r >= 0; r--) {
        for (int k = r + 1; k < ROWS; k++) {
            y[r] -= a[k][r] * y[k];
        }
        y[r] /= a[r][r];
    }
}

// Makes a damped step of the joints that are not at a limit.
static void take_step(const PeerLoop* loop, double lambda, const double* from, double* to) {
    const int n = loop->arm.count;
    bool held[ARM_MOST] = {false};
    double v[ROWS];
    memcpy(v, loop->v, sizeof v);
    for (bool again = true; again;) {
        double y[ROWS];
        memcpy(y, v, sizeof y);
        solve_dual(loop->jacobian, n, held, lambda, y);
        again = false;
        for (int k = 0; k < n; k++) {
            if (held[k]) {
                continue;
            }
            double step = 0.0;
            for (int r = 0; r < ROWS; r++) {
                step += loop->jacobian[r * n + k] * y[r];
            }
            to[k] =
                fmin(fmax(from[k] + step, loop->arm.joints[k].lower), loop->arm.joints[k].upper);
            if (to[k] != from[k] + step) {
                held[k] = again = true;
                for (int r = 0; r < ROWS; r++) {
                    v[r] -= loop->jacobian[r * n + k] * (to[k] - from[k]);
                }
            }
        }
    }
}

// Returns error^2 at q. `v` gets the error.
static double look(PeerLoop* loop, PoisePose target, const double* q, double v[PEER_ROWS]) {
    const PoisePose tip = loop->forward(loop, q);
    const PoiseVec3 p = poise_sub(target.p, tip.p);
    const PoiseVec3 turn = poise_quat_log(poise_quat_mul(target.q, poise_quat_conjugate(tip.q)));
    memcpy(v, (double[ROWS]){p.x, p.y, p.z, turn.x, turn.y, turn.z}, ROWS * sizeof *v);
    return poise_dot(p, p) + poise_dot(turn, turn);
}

static bool descend(PeerLoop* loop, PoisePose target, double* q) {
    double errors[STEPS + 1];
    double gain = 1.0;
    errors[0] = look(loop, target, q, loop->v);
    bool moved = true;
    for (int i = 0; i < STEPS && errors[i] > met2; i++) {
        double trial[ARM_MOST];
        double v[ROWS];
        if (moved) {
            loop->differentiate(loop);
        }
        take_step(loop, 0.1 * gain * errors[i] + 1e-12, q, trial);
        errors[i + 1] = look(loop, target, trial, v);
        moved = errors[i + 1] < errors[i];
        if (moved) {
            memcpy(q, trial, sizeof trial);
            memcpy(loop->v, v, sizeof v);
            gain *= 0.3;
        } else {
            errors[i + 1] = errors[i];
            gain *= 4.0;
        }
        if (i + 1 >= LOOKBACK && errors[i + 1] > stalled * errors[i + 1 - LOOKBACK]) {
            break;
        }
    }
    return peer_is_met(&loop->arm, q, target);
}

bool peer_loop_solve(void* user, PoisePose target, double* q) {
    PeerLoop* loop = user;
    const double end = peer_clock() + PEER_BUDGET;
    double posture[ARM_MOST];
    memcpy(posture, q, (size_t)loop->arm.count * sizeof *q);
    while (!descend(loop, target, posture)) {
        if (peer_clock() > end) {
            return false;
        }
        for (int i = 0; i < loop->arm.count; i++) {
            const ArmJoint* joint = &loop->arm.joints[i];
            posture[i] = random_between(&loop->random, joint->lower, joint->upper);
        }
    }
    memcpy(q, posture, (size_t)loop->arm.count * sizeof *q);
    return true;
}

void peer_loop_track(void* user, PoisePose target, double* q) {
    PeerLoop* loop = user;
    double to[ARM_MOST];
    const double lambda = 0.1 * look(loop, target, q, loop->v) + 1e-12;
    loop->differentiate(loop);
    take_step(loop, lambda, q, to);
    memcpy(q, to, (size_t)loop->arm.count * sizeof *q);
}
