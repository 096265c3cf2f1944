// SPDX-License-Identifier: MIT
// Estimates how a goal moves, in the frame in which it is set. A goal may be set in each step or
// less often (a mouse, a camera). Its velocity is its last change divided by the time between the
// last two changes. A critically damped filter of the second order, solved exactly over a step,
// smooths it. While the goal moves smoothly, a prediction replaces the filter:
//     p(t) = p + s t + b t (t + T) / 2
// Here p is the goal and s its last change divided by the period T. The change of s divided by T
// is b, and t is the time since that change. The prediction error at a change fades, critically
// damped, until the next change is due.
#include <math.h>
#include <string.h>

#include "solve.h"

// s; a goal that did not change for longer is at rest
#define STILL 0.1
// a change that exceeds this many times the predicted change may be a jump
#define JUMP 3.0
// a goal counts as stopped if its next change is later than this many periods
#define LATE 1.5
// Delay of the filter, in periods of change. It acts on rough goals only: smooth ones are
// predicted. The goal of a standing Panda has 2 mm of noise at 72 Hz: its joints accelerate by at
// most 140 to 220 rad/s^2 with 6 periods, 212 to 270 with 3 (four seeds). Both lag 3.3 mm at 0.3
// m/s.
#define DELAY 6.0
// The cosine between two successive bends (changes of velocity) gives the smoothness: 0 below
// SOME_ALIKE, 1 above ALL_ALIKE.
#define SOME_ALIKE 0.5
#define ALL_ALIKE  0.9
// a bend below this fraction of velocity / period counts as 0, because floats are rounded
#define NO_BEND 1e-3
// A rough change lowers the smoothness at once. A smooth change raises it by this fraction of its
// distance from 1.
#define SMOOTH_GAIN 0.125
// fraction by which the mean period approaches each new time between changes
#define PERIOD_GAIN 0.125

// Returns the rotation vector of the shortest turn between two unit directions.
static PoiseVec3 between(PoiseVec3 from, PoiseVec3 to) {
    const PoiseVec3 normal = poise_cross(from, to);
    const double sine = poise_length(normal);
    const double angle = poise_atan2(sine, poise_dot(from, to));
    return sine > 0.0 ? poise_scale(angle / sine, normal) : poise_vec3(0.0, 0.0, 0.0);
}

static bool is_same(const void* a, const void* b, size_t size) {
    return memcmp(a, b, size) == 0;
}

static inline bool is_any(const PoiseVec3* v) {
    return fabs(v->x) + fabs(v->y) + fabs(v->z) > 0.0;
}

static void remember(Point* point) {
    point->motion.last = point->goal;
    point->motion.pointed = point->direction;
    point->motion.age = 0.0;
}

static void stand_still(Point* point) {
    GoalMotion* motion = &point->motion;
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        if (point->follow[k]) {
            motion->steps[k] = motion->speeds[k] = motion->rates[k] = motion->bends[k] = none;
            motion->off[k] = motion->off_rate[k] = none;
            motion->place[k] = motion->pace[k] = motion->velocity[k] = none;
        }
    }
    motion->smooth = 0.0;
    motion->period = 0.0;
}

// Stores the mean velocity `step` of the last period, and its bend (change of velocity per second).
// A bend that `jitter` seconds of the period explain counts as 0. Returns the similarity to the
// bend before: 1 for a smooth motion, at most 0 for noise and at a corner.
static double take_step(GoalMotion* motion, int k, PoiseVec3 step, double period, double jitter) {
    const PoiseVec3 last = motion->bends[k];
    motion->bends[k] = poise_scale(1.0 / period, poise_sub(step, motion->steps[k]));
    motion->steps[k] = step;
    const double most = fmax(poise_dot(motion->bends[k], motion->bends[k]), poise_dot(last, last));
    const double none = (NO_BEND + jitter / period) * poise_length(step) / period;
    return most > none * none ? poise_dot(motion->bends[k], last) / most : 1.0;
}

static void take_smoothness(GoalMotion* motion, double alike) {
    const double part = (alike - SOME_ALIKE) / (ALL_ALIKE - SOME_ALIKE);
    const double good = fmin(fmax(part, 0.0), 1.0);
    motion->smooth = fmin(good, motion->smooth + SMOOTH_GAIN * (good - motion->smooth));
}

// Returns the predicted displacement of the goal, m or rad, t seconds after it was set.
static PoiseVec3 foretold(const GoalMotion* motion, int k, double t) {
    const PoiseVec3 bent = poise_scale(0.5 * t * (t + motion->period), motion->bends[k]);
    return poise_add_scaled(bent, t, motion->steps[k]);
}

// Returns the mean velocity since the last change, over the time or over the mean period,
// whichever is nearer to the velocity before.
static PoiseVec3 mean_velocity(const GoalMotion* motion, int k, PoiseVec3 change, double age) {
    const PoiseVec3 by_age = poise_scale(1.0 / age, change);
    const PoiseVec3 by_period = poise_scale(1.0 / motion->period, change);
    const double off_age = poise_length(poise_sub(by_age, motion->steps[k]));
    return poise_length(poise_sub(by_period, motion->steps[k])) < off_age ? by_period : by_age;
}

// Updates the motion at a change of the goal, by the mean velocity since the last change.
static void take_change(Point* point, double step, double most, double most_angle) {
    GoalMotion* motion = &point->motion;
    const bool points = point->kind == POISE_POINT_DIRECTION;
    const PoiseQuat turned = poise_quat_mul(point->goal.q, poise_quat_conjugate(motion->last.q));
    const PoiseVec3 change[2] = {poise_sub(point->goal.p, motion->last.p),
                                 points ? between(motion->pointed, point->direction)
                                        : poise_quat_log(turned)};
    const double clamp[2] = {most, most_angle};
    const double age = motion->age;
    bool jumped = false;
    for (int k = 0; k < 2; k++) {
        const double far = poise_length(change[k]);
        const double expected = poise_length(motion->speeds[k]) * age;
        jumped = jumped || (far > clamp[k] && far > JUMP * expected);
    }
    remember(point);
    if (age > STILL || jumped) {
        stand_still(point);
        return;
    }
    // the age is a whole number of steps, although the goal may be set at any rate
    const bool regular = motion->period > 0.0 && fabs(age - motion->period) < 1.5 * step;
    const double mean = motion->period + PERIOD_GAIN * (age - motion->period);
    motion->period = regular ? mean : age;
    double alike = 1.0;
    for (int k = 0; k < 2; k++) {
        if (point->follow[k]) {
            const PoiseVec3 velocity = mean_velocity(motion, k, change[k], age);
            alike = fmin(
                alike, take_step(motion, k, velocity, motion->period, fabs(age - motion->period)));
            // Adds the difference between the two predictions to `off`, so that the predicted place
            // does not jump.
            const double middle = 0.5 * motion->period - 1.5 * step;
            const PoiseVec3 speed = poise_add_scaled(motion->steps[k], middle, motion->bends[k]);
            motion->place[k] = poise_sub(motion->place[k], change[k]);
            motion->off[k] = poise_sub(motion->place[k], foretold(motion, k, -step));
            motion->off_rate[k] = poise_sub(motion->pace[k], speed);
        }
    }
    take_smoothness(motion, alike);
}

// Moves the filtered velocity toward the last mean velocity for one step: critically damped, exact.
// The velocity of a stopped goal falls to 0 before the goal counts as at rest.
static void filter(GoalMotion* motion, double step) {
    double rate = 2.0 / (DELAY * poise_max(motion->period, step));
    if (motion->age > LATE * motion->period) {
        rate = poise_max(rate, 2.0 / poise_max(STILL - motion->age, 0.5 * step));
    }
    const double decay = poise_exp(-rate * step);
    for (int k = 0; k < 2; k++) {
        const PoiseVec3 off = poise_sub(motion->speeds[k], motion->steps[k]);
        const PoiseVec3 derivative = poise_add_scaled(motion->rates[k], rate, off);
        const PoiseVec3 next = poise_add_scaled(off, step, derivative);
        motion->speeds[k] = poise_add_scaled(motion->steps[k], decay, next);
        motion->rates[k] = poise_scale(decay, poise_add_scaled(derivative, -rate, next));
    }
}

// Reduces the prediction error `off` for one step: critically damped, exact.
static void fade_off(GoalMotion* motion, int k, double step) {
    const double left = motion->period - step;
    const double rate = left > 1e-3 * step ? 2.0 / left : 0.0;
    const double decay = rate > 0.0 ? poise_exp(-rate * step) : 0.0;
    const PoiseVec3 slope = poise_add_scaled(motion->off_rate[k], rate, motion->off[k]);
    const PoiseVec3 next = poise_add_scaled(motion->off[k], step, slope);
    motion->off_rate[k] = poise_scale(decay, poise_add_scaled(slope, -rate, next));
    motion->off[k] = poise_scale(decay, next);
}

// Computes the predicted place of the goal, and its mean velocity over the step.
static void foretell(GoalMotion* motion, int k, double step) {
    if (motion->smooth == 0.0) {
        motion->place[k] = motion->off[k] = motion->off_rate[k] = poise_vec3(0.0, 0.0, 0.0);
        motion->pace[k] = motion->velocity[k] = motion->speeds[k];
        return;
    }
    const PoiseVec3 before = motion->place[k];
    fade_off(motion, k, step);
    motion->place[k] = poise_add(motion->off[k], foretold(motion, k, motion->age));
    motion->pace[k] = poise_scale(1.0 / step, poise_sub(motion->place[k], before));
    const PoiseVec3 lack = poise_sub(motion->pace[k], motion->speeds[k]);
    motion->velocity[k] = poise_add_scaled(motion->speeds[k], motion->smooth, lack);
}

// True if a change is overdue. Goals set once a frame may change a step earlier or later.
static bool is_late(const GoalMotion* motion, double step) {
    return motion->period > 0.0 &&
           motion->age > fmin(LATE * motion->period, motion->period + 1.5 * step);
}

// Updates, by a step, the motion of a goal whose velocity is estimated.
static void follow_goal(Point* point, double step, double most, double most_angle) {
    GoalMotion* motion = &point->motion;
    const bool same = is_same(&point->goal, &motion->last, sizeof point->goal) &&
                      is_same(&point->direction, &motion->pointed, sizeof point->direction);
    if (same && motion->age > STILL) {
        // The goal rests and nothing is left to filter.
        return;
    }
    motion->age += step;
    if (!same) {
        take_change(point, step, most, most_angle);
    } else if (motion->age > STILL) {
        stand_still(point);
        return;
    } else if (motion->age > LATE * motion->period) {
        for (int k = 0; k < 2; k++) {
            motion->steps[k] = point->follow[k] ? poise_vec3(0.0, 0.0, 0.0) : motion->steps[k];
        }
    }
    filter(motion, step);
    // an overdue goal returns to the place where it was set, within a period
    const bool late = is_late(motion, step);
    motion->smooth *= late ? fmax(0.0, 1.0 - step / motion->period) : 1.0;
    for (int k = 0; k < 2; k++) {
        if (point->follow[k] && late && motion->smooth > 0.0) {
            motion->velocity[k] = motion->speeds[k];
        } else if (point->follow[k]) {
            foretell(motion, k, step);
        }
    }
}

// Updates the motion of a goal whose velocity the caller gives. The given velocity holds at the end
// of the step. `off` becomes its difference to the velocity in the middle of the step, by which the
// place moves.
static void follow_given(Point* point, double step) {
    GoalMotion* motion = &point->motion;
    const PoiseVec3* const given[2] = {&point->goal_velocity, &point->goal_angular_velocity};
    bool moves = false;
    for (int k = 0; k < 2; k++) {
        moves = moves || (!point->follow[k] && (is_any(given[k]) || is_any(&motion->steps[k])));
    }
    if (!moves) {
        return;
    }
    double alike = 1.0;
    for (int k = 0; k < 2; k++) {
        if (!point->follow[k]) {
            alike = fmin(alike, take_step(motion, k, *given[k], step, 0.0));
        }
    }
    take_smoothness(motion, alike);
    for (int k = 0; k < 2; k++) {
        if (!point->follow[k]) {
            motion->off[k] = poise_scale(0.5 * step * motion->smooth, motion->bends[k]);
        }
    }
}

void poise__goal_follow(Point* point, double step, double most, double most_angle) {
    if (!point->is_followed) {
        memset(&point->motion, 0, sizeof point->motion);
        remember(point);
        point->motion.age = 2.0 * STILL;
        point->is_followed = true;
        point->track.runs = false;
        return;
    }
    if (point->follow[0] || point->follow[1]) {
        follow_goal(point, step, most, most_angle);
    }
    if (!point->follow[0] || !point->follow[1]) {
        follow_given(point, step);
    }
}

double poise__goal_smoothness(const Point* point, double step) {
    const bool follows = point->follow[0] || point->follow[1];
    return follows && is_late(&point->motion, step) ? 0.0 : point->motion.smooth;
}
