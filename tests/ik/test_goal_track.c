// SPDX-License-Identifier: MIT
// Tests the bounds of speed, acceleration and jerk of a pursued goal: the bounds hold in every step
// for any stream of goals, a jump takes the least time, and a smooth goal is met without lag.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models.h"
#include "near.h"
#include "random.h"

/// The bounds of one motion: speed, acceleration, jerk; m/s or rad/s and so on.
typedef struct Bounds {
    double most[3];
} Bounds;

static void set_bounds(const Model* model, Bounds linear, Bounds angular) {
    PoiseTree* tree = model->tree;
    const PoisePointId point = model->points[0];
    cr_assert(poise_point_set_max_speed(tree, point, linear.most[0], angular.most[0]) == POISE_OK);
    cr_assert(poise_point_set_max_acceleration(tree, point, linear.most[1], angular.most[1]) ==
              POISE_OK);
    cr_assert(poise_point_set_max_jerk(tree, point, linear.most[2], angular.most[2]) == POISE_OK);
}

static PoisePose pursue(Model* model, PoisePose goal, double step) {
    PoiseTree* tree = model->tree;
    PoiseSolveDef def = poise_default_solve_def();
    def.step = step;
    cr_assert(poise_point_set_position(tree, model->points[0], goal.p) == POISE_OK);
    cr_assert(poise_point_set_orientation(tree, model->points[0], goal.q) == POISE_OK);
    cr_assert(model_step(model, &def, NULL) >= 0);
    return poise_point_pursued(tree, model->points[0]);
}

/// Derivatives of one motion, from differences of successive places.
typedef struct Differences {
    PoiseVec3 last[3]; ///< derivatives of order 1 to 3
    int count;
} Differences;

// Adds a displacement; writes the lengths of its differences of order 1 to 3. `start`: at rest.
static void take(Differences* d, PoiseVec3 displacement, double lengths[3]) {
    PoiseVec3 next = displacement;
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 difference = poise_sub(next, d->last[k]);
        lengths[k] = poise_length(next);
        d->last[k] = next;
        next = difference;
    }
    d->count++;
}

// Expects that the k-th difference of places is at most the k-th bound times step^k.
static void expect_within(const double lengths[3], Bounds bounds, double step, const char* what) {
    double unit = step;
    for (int k = 0; k < 3; k++, unit *= step) {
        // places of 1 m are rounded to 1e-16
        cr_assert_leq(lengths[k], bounds.most[k] * unit * (1.0 + 1e-8) + 4e-15,
                      "%s, order %d: %g of %g", what, k + 1, lengths[k] / unit, bounds.most[k]);
    }
}

static Bounds random_bounds(Random* random) {
    Bounds bounds;
    bounds.most[0] = pow(10.0, random_between(random, -1.0, 1.0));
    bounds.most[1] = bounds.most[0] * pow(10.0, random_between(random, -0.3, 1.7));
    bounds.most[2] = bounds.most[1] * pow(10.0, random_between(random, -0.3, 1.7));
    const int without = random_index(random, 6);
    if (without < 3) {
        bounds.most[without] = HUGE_VAL;
    }
    return bounds;
}

// Returns the goal of step i: jumps, waves, noise, or waves that are set every eighth step.
static PoisePose stream(int kind, int i, double t, PoisePose centre, Random* random) {
    PoisePose goal = centre;
    if (kind == 1 || kind == 3) {
        const double at = 3.0 * (kind == 1 ? t : t / (i + 1) * (i / 8 * 8 + 1));
        goal.p = poise_add(goal.p, poise_vec3(0.3 * sin(at), 0.2 * cos(at), 0.1 * sin(2.0 * at)));
        const PoiseVec3 turn = poise_vec3(sin(at), 0.3 * cos(at), 0.0);
        goal.q = poise_quat_mul(poise_quat_exp(turn), goal.q);
    } else if (kind == 2) {
        goal.p = poise_add(goal.p, random_vec3(random, 0.01));
        goal.q = poise_quat_mul(random_turn(random, 0.01), goal.q);
    }
    return goal;
}

static void run_stream(uint64_t seed) {
    Random random = random_from(seed);
    Model model = model_chain(POISE_NODE_FREE, 1, 0.0, POISE_POINT_POSE);
    const Bounds linear = random_bounds(&random);
    const Bounds angular = random_bounds(&random);
    set_bounds(&model, linear, angular);
    const double step = 0.001 * (1 + random_index(&random, 10));
    PoisePose centre = poise_pose_identity();
    PoisePose before = poise_point_planned_pose(model.tree, model.points[0]);
    Differences places = {.count = 0}, turns = {.count = 0};
    char what[32];
    snprintf(what, sizeof what, "seed %d", (int)seed);
    for (int i = 0; i < 600; i++) {
        if (i % 150 == 0) {
            centre.p = random_vec3(&random, 1.0);
            centre.q = random_turn(&random, 3.0);
        }
        const PoisePose goal = stream((int)(seed % 4), i, (i + 1) * step, centre, &random);
        const PoisePose now = pursue(&model, goal, step);
        double lengths[3];
        take(&places, poise_sub(now.p, before.p), lengths);
        expect_within(lengths, linear, step, what);
        take(&turns, poise_quat_log(poise_quat_mul(now.q, poise_quat_conjugate(before.q))),
             lengths);
        expect_within(lengths, angular, step, what);
        before = now;
    }
    model_finish(&model);
}

Test(goal_track, no_stream_of_goals_exceeds_the_bounds) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        run_stream(seed);
    }
}

// Returns the least time from rest to rest, s: the goal speeds up over half of the distance, and
// brakes over the other half.
static double least_time(double distance, Bounds b, double step) {
    const double a = b.most[1], j = fmin(b.most[2], 2.0 * a / step);
    double low = 0.0, high = fmin(b.most[0], 1e3);
    double time = 0.0;
    for (int i = 0; i < 200; i++) {
        const double v = i == 0 ? high : 0.5 * (low + high);
        const double ramp = v * j > a * a ? v / a + a / j : 2.0 * sqrt(v / j);
        time = 2.0 * ramp + (distance - v * ramp) / v;
        *(v * ramp > distance ? &high : &low) = v;
    }
    return time;
}

Test(goal_track, a_jump_takes_the_least_time_on_a_straight_line) {
    static const double speeds[] = {1.0, 0.2, HUGE_VAL};
    static const double accelerations[] = {10.0, 3.0, HUGE_VAL};
    static const double jerks[] = {300.0, 50.0, HUGE_VAL};
    const double step = 0.002;
    for (int c = 0; c < 26; c++) { // the last has neither acceleration nor jerk
        const Bounds b = {{speeds[c % 3], accelerations[c / 9], jerks[c / 3 % 3]}};
        if (isinf(b.most[1]) && isinf(b.most[2])) {
            continue;
        }
        Model model = model_chain(POISE_NODE_FREE, 1, 0.0, POISE_POINT_POSE);
        const PoisePose start = poise_point_planned_pose(model.tree, model.points[0]);
        set_bounds(&model, b, b);
        const PoiseVec3 jump = poise_vec3(0.8, 0.5, -0.332), turn = poise_vec3(0.4, -0.9, 0.1);
        const PoisePose goal = {poise_add(start.p, jump),
                                poise_quat_mul(poise_quat_exp(turn), start.q)};
        const double times[2] = {least_time(poise_length(jump), b, step),
                                 least_time(poise_length(turn), b, step)};
        int arrived[2] = {0, 0};
        const int steps = (int)(fmax(times[0], times[1]) / step) + 20;
        for (int i = 1; i <= steps; i++) {
            const PoisePose now = pursue(&model, goal, step);
            const PoiseVec3 left[2] = {
                poise_sub(goal.p, now.p),
                poise_quat_log(poise_quat_mul(goal.q, poise_quat_conjugate(now.q)))};
            const PoiseVec3 whole[2] = {jump, turn};
            for (int k = 0; k < 2; k++) {
                // the point stays on the line and does not pass the goal
                const PoiseVec3 side =
                    poise_cross(left[k], poise_scale(1.0 / poise_length(whole[k]), whole[k]));
                cr_assert_leq(poise_length(side), 1e-12);
                cr_assert_geq(poise_dot(left[k], whole[k]), -1e-14);
                arrived[k] = poise_length(left[k]) < 1e-9 ? arrived[k] : i;
            }
        }
        for (int k = 0; k < 2; k++) {
            EXPECT_NEAR((arrived[k] + 1) * step, times[k], 1.5 * step);
        }
        model_finish(&model);
    }
}

Test(goal_track, a_smooth_goal_within_the_bounds_is_met_without_lag) {
    const Bounds linear = {{2.0, 10.0, 300.0}}, angular = {{6.0, 30.0, 600.0}};
    const double step = 0.002;
    Model model = model_chain(POISE_NODE_FREE, 1, 0.0, POISE_POINT_POSE);
    set_bounds(&model, linear, angular);
    Random random = random_from(1);
    double most = 0.0, most_turn = 0.0;
    for (int i = 0; i < 3000; i++) {
        const PoisePose goal = stream(1, i, (i + 1) * step, poise_pose_identity(), &random);
        const PoisePose now = pursue(&model, goal, step);
        const PoiseQuat off = poise_quat_mul(goal.q, poise_quat_conjugate(now.q));
        most = i < 1500 ? 0.0 : fmax(most, poise_length(poise_sub(goal.p, now.p)));
        most_turn = i < 1500 ? 0.0 : fmax(most_turn, poise_length(poise_quat_log(off)));
    }
    // the goal's third derivative, 8 m/s^3, is not predicted
    cr_expect_leq(most, 3e-5, "%g m", most);
    cr_expect_leq(most_turn, 1e-4, "%g rad", most_turn);
    model_finish(&model);
}

Test(goal_track, a_direction_turns_half_around_within_its_bounds) {
    const Bounds none = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}}, angular = {{2.0, 10.0, 200.0}};
    Model model = model_chain(POISE_NODE_BALL, 1, 0.0, POISE_POINT_DIRECTION);
    const PoisePointId point = model.points[0];
    const PoiseVec3 start = poise_point_axis(model.tree, point);
    set_bounds(&model, none, angular);
    cr_assert(poise_point_set_direction(model.tree, point, poise_scale(-1.0, start)) == POISE_OK);
    PoiseSolveDef def = poise_default_solve_def();
    def.step = 0.005;
    double before = 0.0, speed = 0.0;
    for (int i = 0; i < 600; i++) {
        cr_assert(model_step(&model, &def, NULL) >= 0);
        const double turned =
            acos(fmax(-1.0, poise_dot(start, poise_point_axis(model.tree, point))));
        speed = fmax(speed, fabs(turned - before) / def.step);
        before = turned;
    }
    cr_expect_leq(speed, 2.0 + 1e-3, "%g rad/s", speed);
    EXPECT_NEAR(before, 3.14159265358979323846, 1e-6);
    model_finish(&model);
}

// A goal that is not finite is refused; the pursued place continues within the bounds.
Test(goal_track, a_refused_goal_changes_nothing) {
    const Bounds linear = {{1.0, 10.0, 300.0}};
    PoisePose ends[2];
    for (int k = 0; k < 2; k++) {
        Model model = model_chain(POISE_NODE_FREE, 1, 0.0, POISE_POINT_POSE);
        set_bounds(&model, linear, linear);
        for (int i = 0; i < 200; i++) {
            const PoiseVec3 none = {(double)NAN, 0.0, 0.0};
            if (k == 1 && i % 3 == 0) {
                cr_assert(poise_point_set_position(model.tree, model.points[0], none) ==
                          POISE_ERROR_INVALID_ARGUMENT);
            }
            ends[k] =
                pursue(&model, poise_pose(poise_vec3(1.0, 0.0, 0.0), poise_quat_identity()), 0.002);
        }
        model_finish(&model);
    }
    cr_expect_eq(memcmp(&ends[0], &ends[1], sizeof ends[0]), 0);
}
