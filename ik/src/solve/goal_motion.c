// SPDX-License-Identifier: MIT
// How fast a goal moves, seen from where it is set. A goal may be set in each step, or less often
// (a mouse, a camera): its velocity is the change by the time since the change before, through a
// critically damped filter of the second order, whose exact solution over a step is used.
#include <math.h>
#include <string.h>

#include "solve.h"

// a goal that did not change for longer stands still, s
#define STILL 0.1
// a change beyond so many times what the velocity foretells may be a jump
#define JUMP 3.0
// how much later than the last one a change may come before the goal counts as stopped
#define LATE 1.5
// delay of the filter, in periods of change
#define DELAY 3.0

// the shortest rotation from one direction to another; lengths 1
static PoiseVec3 between(PoiseVec3 from, PoiseVec3 to) {
    const PoiseVec3 normal = poise_cross(from, to);
    const double sine = poise_length(normal);
    const double angle = poise_atan2(sine, poise_dot(from, to));
    return sine > 0.0 ? poise_scale(angle / sine, normal) : poise_vec3(0.0, 0.0, 0.0);
}

static bool is_same(const void* a, const void* b, size_t size) {
    return memcmp(a, b, size) == 0;
}

static void remember(Point* point) {
    point->motion.last = point->goal;
    point->motion.pointed = point->direction;
    point->motion.age = 0.0;
}

static void stand_still(GoalMotion* motion) {
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        motion->steps[k] = motion->speeds[k] = motion->rates[k] = none;
    }
}

// the goal was changed: by how much a second since the last change
static void take_change(Point* point, double most, double most_angle) {
    GoalMotion* motion = &point->motion;
    const bool points = point->kind == POISE_POINT_DIRECTION;
    const PoiseQuat turned = poise_quat_mul(point->goal.q, poise_quat_conjugate(motion->last.q));
    const PoiseVec3 change[2] = {poise_sub(point->goal.p, motion->last.p),
                                 points ? between(motion->pointed, point->direction)
                                        : poise_quat_log(turned)};
    const double clamp[2] = {most, most_angle};
    const bool stood = motion->age > STILL;
    bool jumped = false;
    for (int k = 0; k < 2; k++) {
        const double far = poise_length(change[k]);
        const double foretold = poise_length(motion->speeds[k]) * motion->age;
        jumped = jumped || (far > clamp[k] && far > JUMP * foretold);
    }
    if (stood || jumped) {
        stand_still(motion);
        motion->period = 0.0;
    } else {
        motion->period = motion->age;
        for (int k = 0; k < 2; k++) {
            motion->steps[k] = poise_scale(1.0 / motion->age, change[k]);
        }
    }
    remember(point);
}

// the filter's own motion toward what stays as it is for a step: critically damped, exact
static void smooth(GoalMotion* motion, double step) {
    const double rate = 2.0 / (DELAY * poise_max(motion->period, step));
    const double decay = poise_exp(-rate * step);
    for (int k = 0; k < 2; k++) {
        const PoiseVec3 off = poise_sub(motion->speeds[k], motion->steps[k]);
        const PoiseVec3 derivative = poise_add_scaled(motion->rates[k], rate, off);
        const PoiseVec3 next = poise_add_scaled(off, step, derivative);
        motion->speeds[k] = poise_add_scaled(motion->steps[k], decay, next);
        motion->rates[k] = poise_scale(decay, poise_add_scaled(derivative, -rate, next));
    }
}

void poise__goal_follow(Point* point, double step, double most, double most_angle) {
    if (!point->follow[0] && !point->follow[1]) {
        return;
    }
    GoalMotion* motion = &point->motion;
    if (!point->is_followed) {
        memset(motion, 0, sizeof *motion);
        remember(point);
        motion->age = 2.0 * STILL;
        point->is_followed = true;
        return;
    }
    const bool same = is_same(&point->goal, &motion->last, sizeof point->goal) &&
                      is_same(&point->direction, &motion->pointed, sizeof point->direction);
    if (same && motion->age > STILL) {
        // the common case: nothing moves
        return;
    }
    motion->age += step;
    if (!same) {
        take_change(point, most, most_angle);
    } else if (motion->age > STILL) {
        stand_still(motion);
        return;
    } else if (motion->age > LATE * motion->period) {
        const PoiseVec3 none = {0.0, 0.0, 0.0};
        motion->steps[0] = motion->steps[1] = none;
    }
    smooth(motion, step);
}
