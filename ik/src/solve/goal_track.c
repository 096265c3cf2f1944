// SPDX-License-Identifier: MIT
// Moves a tracked place toward a goal within bounds of speed (V), acceleration (A) and jerk (J).
// goal_motion.c comes before and estimates how the goal moves; goal_error.c comes after and clamps
// the error to the tracked place.
//
// Each axis follows a plan in three stages: reach a cruising speed in the least time, keep it, and
// change to the goal's speed in the least time. The jerk is constant in parts. The cruising speed
// is the one whose plan ends at the goal without overshoot. Each step makes a new plan and follows
// it for the step's length h. The places p_k of successive steps therefore keep the bounds exactly:
//     |p_k+1 - p_k| <= V h,  |second difference| <= A h^2,  |third difference| <= J h^3
// The bounds limit the length of a vector: axis i gets the fraction c_i of each bound, where the
// sum of c_i^2 is 1. A rotation has its angular velocity on the three axes, and exp of a step's
// displacement turns it.
#include <math.h>

#include "solve.h"

enum { PARTS = 3, MOST_TRIES = 60, MOST_DOUBLINGS = 200 };

// largest fraction of the bounds that the goal's own acceleration may use
#define MOST_OF_GOAL 0.9
// least fraction of the bounds that an axis gets, so that no bound is 0
#define NO_PART 1e-9
// The search for a plan's speed ends when the plan misses by at most this fraction of the distance.
#define EXACT 1e-14

/// Displacement, velocity and acceleration on one axis, in m or rad and s.
typedef struct State {
    double p;
    double v;
    double a;
} State;

/// The bounds of one axis, relative to a moving goal.
typedef struct Bounds {
    double lowest; ///< least velocity, <= 0
    double highest;
    double acceleration;
    double jerk; ///< finite, also if the point has no bound
} Bounds;

/// A plan of constant jerks: the first change of speed, constant speed, the last change.
typedef struct Plan {
    double time[2 * PARTS + 1]; ///< s
    double jerk[2 * PARTS + 1];
} Plan;

/// Bounds of the lengths of the three vectors.
typedef struct Limits {
    double speed;
    double acceleration;
    double jerk;
} Limits;

static State moved(State s, double jerk, double t) {
    return (State){s.p + t * (s.v + t * (s.a / 2.0 + t * jerk / 6.0)),
                   s.v + t * (s.a + t * jerk / 2.0), s.a + t * jerk};
}

// Returns the velocity that is left when the jerk has reduced the acceleration to 0.
static double natural_speed(State s, double jerk) {
    return s.v + s.a * fabs(s.a) / (2.0 * jerk);
}

// Plans the fastest change from velocity v and acceleration a to velocity `to` and acceleration 0.
static void plan_speed(State s, double to, const Bounds* most, double* time, double* jerk) {
    const double j = most->jerk;
    const double sign = to < natural_speed(s, j) ? -1.0 : 1.0;
    const double change = sign * (to - s.v);
    const double a = sign * s.a;
    double peak = sqrt(fmax(j * change + a * a / 2.0, 0.0));
    double hold = 0.0;
    if (peak > most->acceleration) {
        peak = most->acceleration;
        hold = fmax((change - (fabs(peak * peak - a * a) + peak * peak) / (2.0 * j)) / peak, 0.0);
    }
    time[0] = fabs(peak - a) / j;
    jerk[0] = peak < a ? -sign * j : sign * j;
    time[1] = hold;
    jerk[1] = 0.0;
    time[2] = peak / j;
    jerk[2] = -sign * j;
}

// Plans a change to `velocity` and from there to rest. Returns the displacement at the end.
static double plan_by(State s, double velocity, const Bounds* most, Plan* plan) {
    plan_speed(s, velocity, most, plan->time, plan->jerk);
    plan_speed((State){0.0, velocity, 0.0}, 0.0, most, &plan->time[PARTS + 1],
               &plan->jerk[PARTS + 1]);
    plan->time[PARTS] = plan->jerk[PARTS] = 0.0;
    for (int i = 0; i < 2 * PARTS + 1; i++) {
        s = moved(s, plan->jerk[i], plan->time[i]);
    }
    return s.p;
}

// Plans from s to rest at displacement 0. The end of a plan grows with its velocity; the velocity
// whose plan ends at 0 is found by regula falsi (Illinois).
static void plan_rest(State s, const Bounds* most, Plan* plan) {
    double low = 0.0;
    double low_end = plan_by(s, low, most, plan);
    const double enough = EXACT * (fabs(s.p) + fabs(low_end - s.p));
    if (fabs(low_end) <= enough) {
        return;
    }
    const double sign = low_end < 0.0 ? 1.0 : -1.0;
    const double limit = sign > 0.0 ? most->highest : most->lowest;
    double high = sign * sqrt(fmin(most->acceleration, most->jerk) * fabs(low_end)) / 2.0;
    const double natural = fmin(fmax(natural_speed(s, most->jerk), most->lowest), most->highest);
    if (sign * natural > 0.0) {
        // The form of plan_speed changes at the natural speed, so the search begins there.
        const double natural_end = plan_by(s, natural, most, plan);
        const bool ends_before = sign * natural_end < 0.0;
        low = ends_before ? natural : low;
        low_end = ends_before ? natural_end : low_end;
        high = ends_before ? high + natural : natural;
    }
    double high_end;
    for (int i = 0;; i++) {
        const bool last = i == MOST_DOUBLINGS || !(sign * high < sign * limit);
        high = last ? limit : high;
        high_end = plan_by(s, high, most, plan);
        if (sign * high_end >= 0.0) {
            break;
        }
        if (last) {
            // Acceleration to the largest speed and deceleration do not reach the goal: the plan
            // moves at the largest speed between them.
            plan->time[PARTS] = limit == 0.0 ? HUGE_VAL : -high_end / limit;
            return;
        }
        low = high;
        low_end = high_end;
        high *= 2.0;
    }
    int side = 0;
    double end = high_end;
    for (int i = 0; i < MOST_TRIES && fabs(end) > enough; i++) {
        const double velocity = (low * high_end - high * low_end) / (high_end - low_end);
        end = plan_by(s, velocity, most, plan);
        if (sign * end < 0.0) {
            low = velocity;
            low_end = end;
            high_end *= side < 0 ? 0.5 : 1.0;
            side = -1;
        } else {
            high = velocity;
            high_end = end;
            low_end *= side > 0 ? 0.5 : 1.0;
            side = 1;
        }
    }
}

// Follows the plan for a step. At the end of the plan it returns rest at 0.
static State follow(State s, const Plan* plan, double step) {
    for (int i = 0; i < 2 * PARTS + 1; i++) {
        if (plan->time[i] >= step) {
            return moved(s, plan->jerk[i], step);
        }
        s = moved(s, plan->jerk[i], plan->time[i]);
        step -= plan->time[i];
    }
    return (State){0.0, 0.0, 0.0};
}

// Returns the least fraction c of the bounds within which velocity v and acceleration a are
// allowed: |a| <= c A, |v| <= c V, and the velocity after the jerk c J has reduced the acceleration
// to 0 is at most c V.
static double least_part(double v, double a, const Limits* most) {
    double part = fmax(fabs(a) / most->acceleration, fabs(v) / most->speed);
    if (isfinite(most->speed)) {
        const double speed = v * a < 0.0 ? -fabs(v) : fabs(v);
        const double root = sqrt(v * v + 2.0 * a * a * most->speed / most->jerk);
        part = fmax(part, (speed + root) / (2.0 * most->speed));
    }
    return part;
}

/// A goal relative to the tracked place: displacement, velocity (end of the step), acceleration.
typedef struct Target {
    double left[3];
    double velocity[3];
    double acceleration[3];
} Target;

/// The tracked motion on three axes.
typedef struct Tracked {
    double velocity[3];
    double acceleration[3];
} Tracked;

static double length3(const double* v) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Raises each fraction to at least `least`. The others keep their ratios; the squares add up to 1.
static void raise_parts(const double least[3], double parts[3]) {
    bool fixed[3] = {false, false, false};
    for (int round = 0; round < 3; round++) {
        double left = 1.0, free = 0.0;
        for (int i = 0; i < 3; i++) {
            left -= fixed[i] ? least[i] * least[i] : 0.0;
            free += fixed[i] ? 0.0 : parts[i] * parts[i];
        }
        const double ratio = free > 0.0 ? sqrt(fmax(left, 0.0) / free) : 0.0;
        for (int i = 0; i < 3; i++) {
            parts[i] = fixed[i] ? least[i] : parts[i] * ratio;
        }
        for (int i = 0; i < 3; i++) {
            fixed[i] = fixed[i] || parts[i] < least[i];
        }
    }
}

// Divides the bounds among the axes. Each axis first gets the fraction that its present motion
// needs, then the one that the goal's motion needs. The rest is divided by distance and speed, so
// that a motion from rest is straight.
static void share_bounds(const Limits* most, const Target* target, const Tracked* now,
                         double parts[3]) {
    const double speed = length3(now->velocity);
    const double braking = fmin(speed / most->acceleration + most->acceleration / most->jerk,
                                2.0 * sqrt(speed / most->jerk));
    double least[3], wanted[3];
    for (int i = 0; i < 3; i++) {
        parts[i] = fabs(target->left[i]) + braking * fabs(now->velocity[i] - target->velocity[i]);
        least[i] = least_part(now->velocity[i], now->acceleration[i], most);
        const double goal = least_part(target->velocity[i], target->acceleration[i], most);
        wanted[i] = fmax(least[i], goal / MOST_OF_GOAL);
    }
    const double length = length3(parts);
    const bool all = length3(wanted) <= 1.0;
    // If a bound was lowered, the present motion may exceed it until it has slowed down.
    const double scale = 1.0 / fmax(1.0, length3(least));
    for (int i = 0; i < 3; i++) {
        parts[i] = !all ? wanted[i] : length > 0.0 ? parts[i] / length : 1.0;
        least[i] = all ? wanted[i] : scale * least[i];
    }
    raise_parts(least, parts);
}

// Moves one axis by a step: changes velocity `v` and acceleration `a`, and returns the
// displacement. `goal`: at the end of the step, relative to the place at its start.
static double track_axis(State goal, const Limits* most, double step, double* v, double* a) {
    const double left = goal.p;
    const double speed = fmin(fmax(goal.v, -most->speed), most->speed);
    Plan plan;
    if (fabs(goal.a) <= MOST_OF_GOAL * most->acceleration) {
        // Plans in a frame that accelerates with the goal. The step follows this plan unless its
        // end violates the bounds.
        const State start = moved((State){0.0, speed, goal.a}, 0.0, -step);
        const Bounds bounds = {-most->speed - start.v, most->speed - start.v,
                               most->acceleration - fabs(goal.a), most->jerk};
        const State s = {-left - start.p, *v - start.v, *a - goal.a};
        if (bounds.lowest <= 0.0 && bounds.highest >= 0.0) {
            plan_rest(s, &bounds, &plan);
            const State end = follow(s, &plan, step);
            if (fabs(end.p + left) <= step * most->speed &&
                least_part(end.v + speed, end.a + goal.a, most) <= 1.0) {
                *v = end.v + speed;
                *a = end.a + goal.a;
                return end.p + left;
            }
        }
    }
    const Bounds bounds = {-most->speed - speed, most->speed - speed, most->acceleration,
                           most->jerk};
    const State s = {step * speed - left, *v - speed, *a};
    plan_rest(s, &bounds, &plan);
    const State end = follow(s, &plan, step);
    *v = end.v + speed;
    *a = end.a;
    return end.p + left;
}

static void put3(double out[3], PoiseVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

// Moves the place (k = 0) or the rotation (k = 1) of a track by a step. Returns the displacement.
static PoiseVec3 track(const Limits* limits, const Target* target, double step, GoalTrack* at,
                       int k) {
    Tracked now;
    put3(now.velocity, at->velocity[k]);
    put3(now.acceleration, at->acceleration[k]);
    Limits most = *limits;
    // within a step the acceleration changes at most from -A to A
    most.jerk = fmin(most.jerk, 2.0 * most.acceleration / step);
    double parts[3], displacement[3];
    share_bounds(&most, target, &now, parts);
    for (int i = 0; i < 3; i++) {
        const double part = fmax(parts[i], NO_PART);
        const Limits axis = {part * most.speed, part * most.acceleration, part * most.jerk};
        const State goal = {target->left[i], target->velocity[i], target->acceleration[i]};
        displacement[i] = track_axis(goal, &axis, step, &now.velocity[i], &now.acceleration[i]);
    }
    at->velocity[k] = poise_vec3(now.velocity[0], now.velocity[1], now.velocity[2]);
    at->acceleration[k] = poise_vec3(now.acceleration[0], now.acceleration[1], now.acceleration[2]);
    return poise_vec3(displacement[0], displacement[1], displacement[2]);
}

// Fills the goal's velocity and acceleration at the end of the step, times its smoothness. Returns
// the predicted displacement since the goal was set, times the smoothness too.
static PoiseVec3 goal_motion(const Point* point, int k, double step, Target* target) {
    const GoalMotion* motion = &point->motion;
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    const double smooth = poise__goal_smoothness(point, step);
    const PoiseVec3 acceleration = poise_scale(smooth, motion->bends[k]);
    put3(target->acceleration, acceleration);
    if (!point->follow[k]) {
        put3(target->velocity, k == 0 ? point->goal_velocity : point->goal_angular_velocity);
        return none;
    }
    const PoiseVec3 velocity = poise_scale(smooth, motion->velocity[k]);
    put3(target->velocity, poise_add_scaled(velocity, 0.5 * step, acceleration));
    return poise_scale(smooth, motion->place[k]);
}

// Sets the track to the present pose of the point, at rest.
static void start(const PoiseTree* tree, const Goal* goal, Point* point) {
    const PoisePose frame = poise__point_frame(tree, point);
    point->track = (GoalTrack){.runs = true};
    point->track.place = poise_pose_mul(poise_pose_inverse(frame), goal->pose);
    point->track.direction =
        poise_quat_unrotate(frame.q, poise_quat_rotate(goal->pose.q, point->axis));
}

// Returns the rotation vector from the tracked rotation to the goal's, in the frame of the goal.
static PoiseVec3 turn_left(const Point* point) {
    const GoalTrack* at = &point->track;
    if (point->kind == POISE_POINT_DIRECTION) {
        return poise__turn_between(at->direction, point->direction,
                                   poise__perpendicular(at->direction));
    }
    return poise_quat_log(poise_quat_mul(point->goal.q, poise_quat_conjugate(at->place.q)));
}

static void move_place(Point* point, double step, PoiseVec3* velocity) {
    const Limits limits = {point->max_speed, point->max_acceleration[0], point->max_jerk[0]};
    Target target;
    const PoiseVec3 ahead = goal_motion(point, 0, step, &target);
    put3(target.left, poise_add(poise_sub(point->goal.p, point->track.place.p), ahead));
    const PoiseVec3 moved = track(&limits, &target, step, &point->track, 0);
    point->track.place.p = poise_add(point->track.place.p, moved);
    *velocity = poise_scale(1.0 / step, moved);
}

static void move_turn(Point* point, double step, PoiseVec3* velocity) {
    const Limits limits = {point->max_turn_speed, point->max_acceleration[1], point->max_jerk[1]};
    Target target;
    const PoiseVec3 ahead = goal_motion(point, 1, step, &target);
    put3(target.left, poise_add(turn_left(point), ahead));
    const PoiseVec3 moved = track(&limits, &target, step, &point->track, 1);
    const PoiseQuat turn = poise_quat_exp(moved);
    point->track.place.q = poise_quat_normalize(poise_quat_mul(turn, point->track.place.q));
    point->track.direction = poise__normalize(poise_quat_rotate(turn, point->track.direction));
    *velocity = poise_scale(1.0 / step, moved);
}

void poise__goal_track(const PoiseTree* tree, const Goal* goal, Point* point, double step,
                       GoalStep* out) {
    if (!point->track.runs) {
        start(tree, goal, point);
    }
    const PoisePose frame = poise__point_frame(tree, point);
    if (poise__tracks_place(point)) {
        move_place(point, step, &out->velocity[0]);
        out->error = poise_sub(poise_pose_apply(frame, point->track.place.p), goal->pose.p);
    }
    if (poise__tracks_turn(point)) {
        move_turn(point, step, &out->velocity[1]);
        const PoiseQuat turned = poise_quat_mul(frame.q, point->track.place.q);
        out->angle =
            point->kind == POISE_POINT_DIRECTION
                ? poise__turn_between(goal->aim.axis,
                                      poise_quat_rotate(frame.q, point->track.direction),
                                      poise__perpendicular(goal->aim.axis))
                : poise_quat_log(poise_quat_mul(turned, poise_quat_conjugate(goal->pose.q)));
    }
    if (point->yields) {
        poise__yield_drop(tree, point, goal->pose.q, &out->error, &out->angle);
    }
    if (!poise_is_finite3(out->error) || !poise_is_finite3(out->angle)) {
        // The numbers overflowed: use the goal itself.
        *out = (GoalStep){.error = goal->error, .angle = goal->angle};
        point->track.runs = false;
    }
}
