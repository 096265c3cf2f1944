// SPDX-License-Identifier: MIT
// Tests goals over time: their places, and their velocities against the derivative of the place.
#include <criterion/criterion.h>

#include "near.h"
#include "poise/scene.h"
#include "works.h"

static const PoiseVec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}, {0, 0, 0}};
static const double lengths[] = {0.0, 2.0, 3.0, 5.0, 6.0};
static const double times[] = {0.5, 1.0, 2.5, 3.0, 4.0};

static PoisePositionGoal path(PoiseBetween between, bool repeat) {
    PoisePositionGoal goal = {.kind = POISE_GOAL_PATH,
                              .places = corners,
                              .stations = times,
                              .count = 5,
                              .between = between,
                              .repeat = repeat};
    return goal;
}

static PoisePositionGoal polyline(bool closed) {
    PoisePositionGoal goal = {.kind = POISE_GOAL_POLYLINE,
                              .places = corners,
                              .stations = lengths,
                              .count = 5,
                              .repeat = closed,
                              .speed = 0.5};
    return goal;
}

static PoisePositionGoal circle(void) {
    PoisePositionGoal goal = {.kind = POISE_GOAL_CIRCLE,
                              .centre = {1, 2, 3},
                              .normal = {0, 0, 1},
                              .start = {1, 0, 0},
                              .radius = 0.5,
                              .period = 4.0};
    return goal;
}

// Compares the velocity with the difference quotient. `time` must not be at a corner.
static void expect_derivative(const PoisePositionGoal* goal, double time) {
    const double h = 1e-6;
    PoiseVec3 velocity;
    poise_position_goal_at(goal, time, &velocity);
    PoiseVec3 after = poise_position_goal_at(goal, time + h, NULL);
    PoiseVec3 before = poise_position_goal_at(goal, time - h, NULL);
    EXPECT_NEAR3(velocity, poise_scale(0.5 / h, poise_sub(after, before)), 1e-7);
}

Test(trajectory, velocity_is_the_derivative) {
    PoisePositionGoal goals[] = {path(POISE_BETWEEN_STRAIGHT, false),
                                 path(POISE_BETWEEN_STRAIGHT, true),
                                 path(POISE_BETWEEN_SMOOTH, false),
                                 path(POISE_BETWEEN_SMOOTH, true),
                                 path(POISE_BETWEEN_HOLD, true),
                                 polyline(false),
                                 polyline(true),
                                 circle()};
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
        for (double time = 0.13; time < 20.0; time += 0.2101) {
            expect_derivative(&goals[i], time);
        }
    }
}

Test(trajectory, a_polyline_has_one_speed) {
    PoisePositionGoal goal = polyline(true);
    for (double time = 0.1; time < 30.0; time += 0.377) {
        PoiseVec3 velocity;
        poise_position_goal_at(&goal, time, &velocity);
        EXPECT_NEAR(poise_length(velocity), 0.5, 1e-12);
    }
    EXPECT_NEAR3(poise_position_goal_at(&goal, 5.0, NULL), poise_vec3(2.0, 0.5, 0.0), 1e-12);
    EXPECT_NEAR3(poise_position_goal_at(&goal, 12.0 + 5.0, NULL), poise_vec3(2.0, 0.5, 0.0), 1e-12);
}

Test(trajectory, an_open_course_ends_at_its_last_place) {
    PoisePositionGoal goal = polyline(false);
    PoiseVec3 velocity;
    EXPECT_NEAR3(poise_position_goal_at(&goal, 100.0, &velocity), corners[4], 0.0);
    EXPECT_NEAR3(velocity, poise_vec3(0, 0, 0), 0.0);
    goal = path(POISE_BETWEEN_SMOOTH, false);
    EXPECT_NEAR3(poise_position_goal_at(&goal, 100.0, &velocity), corners[4], 1e-15);
    EXPECT_NEAR3(velocity, poise_vec3(0, 0, 0), 0.0);
    EXPECT_NEAR3(poise_position_goal_at(&goal, 0.0, &velocity), corners[0], 0.0);
    EXPECT_NEAR3(velocity, poise_vec3(0, 0, 0), 0.0);
}

Test(trajectory, a_path_is_at_its_places_at_its_times) {
    static const PoiseBetween kinds[] = {POISE_BETWEEN_STRAIGHT, POISE_BETWEEN_HOLD,
                                         POISE_BETWEEN_SMOOTH};
    for (int k = 0; k < 3; k++) {
        PoisePositionGoal goal = path(kinds[k], true);
        for (int i = 0; i < 4; i++) {
            EXPECT_NEAR3(poise_position_goal_at(&goal, times[i], NULL), corners[i], 1e-12);
            EXPECT_NEAR3(poise_position_goal_at(&goal, times[i] + 2 * 3.5, NULL), corners[i], 1e-9);
        }
    }
}

Test(trajectory, hold_stays_and_then_jumps) {
    PoisePositionGoal goal = path(POISE_BETWEEN_HOLD, false);
    EXPECT_NEAR3(poise_position_goal_at(&goal, 2.4999, NULL), corners[1], 0.0);
    EXPECT_NEAR3(poise_position_goal_at(&goal, 2.5, NULL), corners[2], 0.0);
    EXPECT_NEAR3(poise_position_goal_at(&goal, 9.0, NULL), corners[4], 0.0);
}

Test(trajectory, a_smooth_path_has_no_jump_of_velocity) {
    for (int repeat = 0; repeat < 2; repeat++) {
        PoisePositionGoal goal = path(POISE_BETWEEN_SMOOTH, repeat == 1);
        // a repeated path starts at once, so its first corner is left out
        for (int i = repeat; i < 5; i++) {
            PoiseVec3 before;
            PoiseVec3 after;
            poise_position_goal_at(&goal, times[i] - 1e-9, &before);
            poise_position_goal_at(&goal, times[i] + 1e-9, &after);
            EXPECT_NEAR3(before, after, 1e-6);
        }
    }
}

Test(trajectory, a_circle_turns_right_handed) {
    PoisePositionGoal goal = circle();
    EXPECT_NEAR3(poise_position_goal_at(&goal, 0.0, NULL), poise_vec3(1.5, 2.0, 3.0), 1e-15);
    EXPECT_NEAR3(poise_position_goal_at(&goal, 1.0, NULL), poise_vec3(1.0, 2.5, 3.0), 1e-12);
    EXPECT_NEAR3(poise_position_goal_at(&goal, 4e6 + 1.0, NULL), poise_vec3(1.0, 2.5, 3.0), 1e-8);
}

Test(trajectory, turns_have_their_angular_velocity) {
    PoiseQuat turns[] = {{1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0, 0, 0, 1}, {1, 0, 0, 0}};
    double at[] = {0.0, 1.0, 1.5, 3.0};
    for (int between = 0; between < 3; between++) {
        PoiseOrientationGoal goal = {.kind = POISE_GOAL_PATH,
                                     .rotations = turns,
                                     .stations = at,
                                     .count = 4,
                                     .between = (PoiseBetween)between,
                                     .repeat = true};
        for (double time = 0.05; time < 8.0; time += 0.1303) {
            const double h = 1e-6;
            PoiseVec3 velocity;
            MAY_FAIL(poise_orientation_goal_at(&goal, time, &velocity));
            PoiseQuat after = poise_orientation_goal_at(&goal, time + h, NULL);
            PoiseQuat before = poise_orientation_goal_at(&goal, time - h, NULL);
            PoiseVec3 turned = poise_quat_log(poise_quat_mul(after, poise_quat_conjugate(before)));
            EXPECT_NEAR3(velocity, poise_scale(0.5 / h, turned), 1e-6);
        }
    }
}
