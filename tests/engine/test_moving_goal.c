// SPDX-License-Identifier: MIT
// Goals that are set in each step, or less often: followed without lag, as if their velocity had
// been given. Jumps and noise do not count as motion.
#include <criterion/criterion.h>
#include <math.h>

#include "mechanism.h"
#include "near.h"
#include "random.h"

#define STEP 0.002
#define PI   3.14159265358979323846

static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

typedef enum Velocity { FOLLOWED, GIVEN, NEITHER } Velocity;

// Opens three hinges of an arm in a plane; springs as in the README.
static void open_arm(Mechanism* m, Velocity velocity) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 3, 2000.0, 60.0);
    def.scale = 0.3;
    chain_open(m, &def);
    mechanism_goal(m, poise_vec3(0.3, 0.6, 0.0));
    mechanism_run(m, STEP, 1500);
    if (velocity == NEITHER) {
        cr_assert_eq(poise_point_estimate_velocity(m->tree, m->point, false), POISE_OK);
    }
}

// Returns the goal at a time, and its velocity.
typedef PoiseVec3 (*Course)(double t, PoiseVec3* velocity);

static PoiseVec3 ramp(double t, PoiseVec3* velocity) {
    *velocity = poise_vec3(0.0, t > 0.0 ? -0.1 : 0.0, 0.0);
    return poise_vec3(0.3, 0.6 - 0.1 * fmax(t, 0.0), 0.0);
}

static PoiseVec3 circle(double t, PoiseVec3* velocity) {
    const double rate = 2.0 * PI / 3.0, angle = rate * fmax(t, 0.0);
    *velocity = poise_vec3(0.1 * rate * cos(angle), -0.1 * rate * sin(angle), 0.0);
    return poise_vec3(0.3 + 0.1 * sin(angle), 0.5 + 0.1 * cos(angle), 0.0);
}

// Returns the root mean square of the distance over the last half of two seconds.
static double follow(Course course, Velocity velocity) {
    Mechanism m;
    open_arm(&m, velocity);
    PoiseVec3 speed;
    double square = 0.0;
    for (int i = 1; i <= 1000; i++) {
        const PoiseVec3 there = course(i * STEP, &speed);
        mechanism_goal(&m, there);
        if (velocity == GIVEN) {
            cr_assert_eq(poise_point_set_velocity(m.tree, m.point, speed), POISE_OK);
        }
        mechanism_step(&m, STEP);
        if (i > 500) {
            const double off = poise_length(poise_sub(mechanism_tip(&m), there));
            square += off * off;
        }
    }
    mechanism_close(&m);
    return sqrt(square / 500.0);
}

Test(moving_goal, a_goal_that_is_only_set_is_followed_as_if_its_velocity_were_given) {
    static const Course courses[] = {ramp, circle};
    for (int c = 0; c < 2; c++) {
        const double followed = follow(courses[c], FOLLOWED);
        const double given = follow(courses[c], GIVEN);
        const double neither = follow(courses[c], NEITHER);
        cr_log_info("course %d: followed %.3g, given %.3g, neither %.3g mm", c, 1e3 * followed,
                    1e3 * given, 1e3 * neither);
        cr_expect_geq(neither, 2e-3, "course %d: without a velocity %g m", c, neither);
        cr_expect_leq(followed, 0.1 * neither, "course %d: %g m, %g without", c, followed, neither);
        cr_expect_leq(followed, given + 1e-4, "course %d: %g m, %g given", c, followed, given);
    }
}

Test(moving_goal, a_ramp_that_stops_is_not_overshot) {
    Mechanism m;
    open_arm(&m, FOLLOWED);
    PoiseVec3 speed;
    double beyond = 0.0;
    for (int i = 1; i <= 1000; i++) {
        mechanism_goal(&m, ramp(fmin(i * STEP, 1.0), &speed));
        mechanism_step(&m, STEP);
        beyond = fmax(beyond, 0.5 - mechanism_tip(&m).y);
    }
    cr_expect_leq(beyond, 1e-3, "%g m beyond", beyond);
    cr_expect_leq(mechanism_error(&m), 1e-5);
    PoiseVec3 velocity;
    poise_point_goal_velocity(m.tree, m.point, &velocity, NULL);
    cr_expect(poise_length(velocity) == 0.0);
    mechanism_close(&m);
}

// A goal at 72 Hz is set every 6 or 7 steps. On a straight path the tip accelerates by at most 3.3
// m/s^2. It would be 9.9 if the period were taken from the number of steps.
Test(moving_goal, a_rate_between_those_of_the_steps_shakes_nothing) {
    Mechanism m;
    open_arm(&m, FOLLOWED);
    PoiseVec3 speed, last = mechanism_tip(&m), velocity = {0.0, 0.0, 0.0};
    double most = 0.0;
    for (int i = 1; i <= 1000; i++) {
        mechanism_goal(&m, ramp(floor(i * STEP * 72.0) / 72.0, &speed));
        mechanism_step(&m, STEP);
        const PoiseVec3 now = poise_scale(1.0 / STEP, poise_sub(mechanism_tip(&m), last));
        const double change = poise_length(poise_sub(now, velocity)) / STEP;
        most = i > 500 ? fmax(most, change) : 0.0;
        velocity = now;
        last = mechanism_tip(&m);
    }
    cr_log_info("%g m/s^2", most);
    cr_expect_leq(most, 5.0, "%g m/s^2", most);
    mechanism_close(&m);
}

// A goal at 72 Hz stops: its estimated velocity falls to 0 without a jump. A velocity that ended
// after 0.1 s would jump by 31 % of the goal's speed.
Test(moving_goal, the_velocity_of_a_goal_that_stops_has_no_jump) {
    Mechanism m;
    open_arm(&m, FOLLOWED);
    PoiseVec3 speed, last = {0.0, 0.0, 0.0}, now = last;
    double before = 0.0, most = 0.0;
    for (int i = 1; i <= 600; i++) {
        const double t = fmin(floor(i * STEP * 72.0) / 72.0, 0.5);
        mechanism_goal(&m, ramp(t, &speed));
        mechanism_step(&m, STEP);
        poise_point_goal_velocity(m.tree, m.point, &now, NULL);
        const bool fades = i * STEP > t + 0.04;
        before = fades ? before : poise_length(now);
        most = fades ? fmax(most, poise_length(poise_sub(now, last))) : most;
        last = now;
    }
    cr_log_info("%g m/s, then changes of %g m/s", before, most);
    cr_expect_geq(before, 0.05, "%g m/s", before);
    cr_expect_leq(most, 0.1 * before, "%g m/s after %g m/s", most, before);
    cr_expect(poise_length(now) == 0.0);
    mechanism_close(&m);
}

// Set once to another place: the velocity is 0, and the motion is that without a velocity.
Test(moving_goal, a_jump_is_not_a_motion) {
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        Mechanism m;
        open_arm(&m, k == 0 ? FOLLOWED : NEITHER);
        for (int i = 0; i < 600; i++) {
            if (i % 200 == 0) {
                mechanism_goal(&m, poise_vec3(0.3, i % 400 == 0 ? 0.45 : 0.6, 0.0));
            }
            mechanism_step(&m, STEP);
        }
        hashes[k] = mechanism_hash(&m);
        mechanism_close(&m);
    }
    cr_expect_eq(hashes[0], hashes[1]);
    // a jump during a motion restarts the velocity at 0
    Mechanism m;
    open_arm(&m, FOLLOWED);
    PoiseVec3 speed, velocity;
    for (int i = 1; i <= 300; i++) {
        mechanism_goal(&m, ramp(i * STEP, &speed));
        mechanism_step(&m, STEP);
    }
    poise_point_goal_velocity(m.tree, m.point, &velocity, NULL);
    EXPECT_NEAR3(velocity, speed, 1e-6);
    mechanism_goal(&m, poise_vec3(-0.3, 0.3, 0.0));
    mechanism_step(&m, STEP);
    poise_point_goal_velocity(m.tree, m.point, &velocity, NULL);
    cr_expect(poise_length(velocity) == 0.0, "%g m/s", poise_length(velocity));
    mechanism_close(&m);
}

// Opens an arm of six hinges in space: 1.2 m, 9.3 kg, tip at (0.8, 0, 0.8).
static void open_reaching_arm(Mechanism* m, PoiseReference reference, double torque_limit) {
    static const double mass[6] = {3.0, 2.5, 2.0, 1.0, 0.5, 0.3};
    static const PoiseVec3 ends[7] = {{0.0, 0.0, 0.2}, {0.0, 0.0, 0.4}, {0.2, 0.0, 0.6},
                                      {0.4, 0.0, 0.8}, {0.6, 0.0, 0.8}, {0.7, 0.0, 0.8},
                                      {0.8, 0.0, 0.8}};
    static const PoiseVec3 axes[6] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0},
                                      {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    mechanism_open(m, poise_vec3(0.0, 0.0, -9.81), reference);
    dBodyID before = NULL;
    for (int i = 0; i < 6; i++) {
        const PoiseVec3 middle = poise_scale(0.5, poise_add(ends[i], ends[i + 1]));
        dBodyID body = mechanism_box(m, middle, poise_vec3(0.1, 0.1, 0.1), mass[i]);
        mechanism_join(m, POISE_NODE_HINGE, body, before, pivot(ends[i], axes[i]));
        before = body;
    }
    PoiseBindDef like = mechanism_springs(2000.0, 60.0);
    like.torque_limit = torque_limit;
    cr_assert_eq(poise_rig_import(m->rig, m->bodies[0], &like), 6, "%s", poise_rig_message(m->rig));
    mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, ends[6]);
}

typedef struct Circle {
    double speed; ///< speed on the circle, m/s
    double step;
    double hertz; ///< rate at which the goal is set; 0: in each step
    PoiseReference reference;
    double torque_limit;
} Circle;

// Returns the place on a circle of radius 0.15 m that starts after half a second of rest.
static PoiseVec3 on_circle(const Circle* c, double t) {
    const double angle = c->speed / 0.15 * fmax(t - 0.5, 0.0);
    return poise_vec3(0.7, 0.15 * sin(angle), 0.65 + 0.15 * cos(angle));
}

// Returns the root mean square of the tip's distance from the circle, m, over laps 2 and 3.
static double circle_error(const Circle* c) {
    Mechanism m;
    open_reaching_arm(&m, c->reference, c->torque_limit);
    const double lap = 2.0 * PI * 0.15 / c->speed;
    const int count = (int)((0.5 + 3.0 * lap) / c->step);
    double square = 0.0, last = -1.0;
    int seen = 0;
    for (int i = 0; i < count; i++) {
        const double t = i * c->step;
        if (c->hertz == 0.0 || floor(t * c->hertz + 1e-9) != last) {
            last = floor(t * c->hertz + 1e-9);
            mechanism_goal(&m, on_circle(c, t));
        }
        mechanism_step(&m, c->step);
        if (t > 0.5 + lap) {
            const PoiseVec3 off = poise_sub(mechanism_tip(&m), on_circle(c, t));
            square += poise_dot(off, off);
            seen++;
        }
    }
    mechanism_close(&m);
    return sqrt(square / seen);
}

// Without the feed-forward of the acceleration the tip would lag by 16 mm at 2 m/s, and by 67 mm if
// the goal is set at 60 Hz.
Test(moving_goal, the_acceleration_of_a_circle_is_fed_forward) {
    static const struct {
        Circle circle;
        double most;
    } rows[] = {
        {{0.1, 0.002, 0.0, POISE_REFERENCE_OWN, HUGE_VAL}, 2e-6},
        {{0.5, 0.002, 0.0, POISE_REFERENCE_OWN, HUGE_VAL}, 3e-5},
        {{2.0, 0.002, 0.0, POISE_REFERENCE_OWN, HUGE_VAL}, 5e-4},
        {{2.0, 0.002, 0.0, POISE_REFERENCE_MEASURED, HUGE_VAL}, 5e-4},
        {{2.0, 0.01, 0.0, POISE_REFERENCE_OWN, HUGE_VAL}, 2e-3},
        {{2.0, 0.01, 0.0, POISE_REFERENCE_MEASURED, HUGE_VAL}, 2e-3},
        {{0.1, 0.002, 62.5, POISE_REFERENCE_OWN, HUGE_VAL}, 2e-6},
        {{1.0, 0.002, 62.5, POISE_REFERENCE_OWN, HUGE_VAL}, 1e-3},
        {{2.0, 0.002, 62.5, POISE_REFERENCE_OWN, HUGE_VAL}, 5e-3},
        {{1.0, 0.002, 60.0, POISE_REFERENCE_OWN, HUGE_VAL}, 2e-3},
        // a limit of the needed torque, and a lower one: no jumping from limit to limit
        {{2.0, 0.002, 0.0, POISE_REFERENCE_OWN, 60.0}, 1e-3},
        {{1.0, 0.01, 0.0, POISE_REFERENCE_OWN, 60.0}, 1e-3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double error = circle_error(&rows[i].circle);
        cr_log_info("row %zu: %.4f mm", i, 1e3 * error);
        cr_expect_leq(error, rows[i].most, "row %zu: %.4f mm, at most %.4f", i, 1e3 * error,
                      1e3 * rows[i].most);
    }
}

// Returns the largest error of an arm with springs a hundred times too soft, so that the fed
// torques move it: ODE then checks the dynamics, for each kind of joint.
static double soft_error(const PoiseNodeKind kinds[3], bool fed) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    static const PoiseVec3 axes[3] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {0.0, 0.6, 0.8}};
    static const PoiseVec3 ends[4] = {
        {0.0, 0.0, 0.0}, {0.3, 0.3, 0.1}, {0.6, 0.0, 0.3}, {0.9, 0.3, 0.1}};
    dBodyID before = NULL;
    for (int i = 0; i < 3; i++) {
        const PoiseVec3 middle = poise_scale(0.5, poise_add(ends[i], ends[i + 1]));
        dBodyID body = mechanism_box(&m, middle, poise_vec3(0.4, 0.06, 0.1), 2.0 - 0.5 * i);
        mechanism_join(&m, kinds[i], body, before, pivot(ends[i], axes[i]));
        before = body;
    }
    // the mass of the box welded to the last link is fed forward too
    dBodyID load = mechanism_box(&m, poise_vec3(0.9, 0.5, 0.2), poise_vec3(0.1, 0.3, 0.1), 1.0);
    mechanism_weld(&m, load, before);
    const PoiseBindDef like = mechanism_springs(20.0, 0.6);
    cr_assert_eq(poise_rig_import(m.rig, m.bodies[0], &like), 3, "%s", poise_rig_message(m.rig));
    const PoiseVec3 start = ends[3];
    mechanism_point(&m, poise_rig_node_of_body(m.rig, before), before, start);
    cr_assert_eq(poise_point_estimate_velocity(m.tree, m.point, fed), POISE_OK);
    double worst = 0.0;
    for (int i = 1; i <= 1000; i++) {
        // an arc of 0.5 m with smooth start and end
        const double u = i * 1e-3;
        const double along = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
        const double angle = 1.2 * along;
        mechanism_goal(&m, poise_vec3(start.x - 0.4 * (1.0 - cos(angle)),
                                      start.y + 0.4 * sin(angle), start.z + 0.2 * along));
        mechanism_step(&m, 1e-3);
        worst = fmax(worst, mechanism_error(&m));
    }
    mechanism_close(&m);
    return worst;
}

Test(moving_goal, soft_springs_follow_by_what_is_fed_forward) {
    static const PoiseNodeKind arms[][3] = {
        {POISE_NODE_HINGE, POISE_NODE_HINGE, POISE_NODE_HINGE},
        {POISE_NODE_BALL, POISE_NODE_BALL, POISE_NODE_BALL},
        {POISE_NODE_BALL, POISE_NODE_SLIDER, POISE_NODE_HINGE},
        {POISE_NODE_HINGE, POISE_NODE_SLIDER, POISE_NODE_BALL},
        {POISE_NODE_SLIDER, POISE_NODE_BALL, POISE_NODE_HINGE},
    };
    for (size_t i = 0; i < sizeof arms / sizeof arms[0]; i++) {
        const double with = soft_error(arms[i], true);
        const double without = soft_error(arms[i], false);
        cr_log_info("arm %zu: %.2f mm, %.2f without", i, 1e3 * with, 1e3 * without);
        cr_expect_leq(with, 0.01 * without, "arm %zu: %.2f mm, %.2f without", i, 1e3 * with,
                      1e3 * without);
    }
}

// 1 mm of noise at 60 Hz in a loop of 500 Hz: the tip moves by at most as much.
Test(moving_goal, noise_is_not_amplified) {
    Mechanism m;
    open_arm(&m, FOLLOWED);
    Random random = random_from(81);
    const PoiseVec3 middle = {0.3, 0.6, 0.0};
    double given = 0.0, had = 0.0;
    PoiseVec3 goal = middle;
    for (int i = 0; i < 4000; i++) {
        if (i % 8 == 0) {
            const double y = random_between(&random, -1e-3, 1e-3);
            const double x = random_between(&random, -1e-3, 1e-3);
            goal = poise_vec3(middle.x + x, middle.y + y, 0.0);
            mechanism_goal(&m, goal);
        }
        mechanism_step(&m, STEP);
        const PoiseVec3 off = poise_sub(mechanism_tip(&m), middle);
        const PoiseVec3 noise = poise_sub(goal, middle);
        given += poise_dot(noise, noise);
        had += poise_dot(off, off);
    }
    cr_log_info("noise %.3g mm, tip %.3g mm", 1e3 * sqrt(given / 4000), 1e3 * sqrt(had / 4000));
    cr_expect_leq(had, given, "%g m of %g m", sqrt(had / 4000.0), sqrt(given / 4000.0));
    mechanism_close(&m);
}

// A goal that rotates: an orientation point's angular velocity.
Test(moving_goal, a_goal_that_turns_is_followed) {
    double off[2];
    for (int k = 0; k < 2; k++) {
        Mechanism m;
        mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
        const PoiseVec3 size = {0.2, 0.2, 0.2};
        dBodyID body = mechanism_box(&m, poise_vec3(0.0, 0.0, 0.0), size, 1.0);
        mechanism_join(&m, POISE_NODE_BALL, body, NULL,
                       pivot(poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.0, 0.0, 1.0)));
        const PoiseBindDef like = mechanism_springs(20.0, 2.0);
        cr_assert_geq(poise_rig_import(m.rig, body, &like), 1);
        PoisePointDef point = poise_default_orientation_def();
        point.link = poise_tree_node(m.tree, 0);
        point.follow = k == 0;
        const PoisePointId id = poise_point_create(m.tree, &point);
        cr_assert_eq(poise_register_chain(m.tree, id, poise_null_node()), POISE_OK);
        for (int i = 1; i <= 1000; i++) {
            const PoiseVec3 turned = poise_vec3(0.0, 0.3 * i * STEP, 0.4 * i * STEP);
            cr_assert_eq(poise_point_set_orientation(m.tree, id, poise_quat_exp(turned)), POISE_OK);
            mechanism_step(&m, STEP);
        }
        const PoiseQuat goal = poise_quat_exp(poise_vec3(0.0, 0.6, 0.8));
        off[k] = poise_length(
            poise_quat_log(poise_quat_mul(goal, poise_quat_conjugate(body_turn(body)))));
        if (k == 0) {
            PoiseVec3 angular;
            poise_point_goal_velocity(m.tree, id, NULL, &angular);
            EXPECT_NEAR3(angular, poise_vec3(0.0, 0.3, 0.4), 1e-6);
        }
        mechanism_close(&m);
    }
    cr_expect_leq(off[0], 0.1 * off[1], "%g rad, %g without", off[0], off[1]);
}

/// Effects of a jump of the goal on the arm.
typedef struct Kick {
    double torque;    ///< largest torque of a joint beyond that at rest, N m
    double change;    ///< largest change of a torque in a step, N m
    double overshoot; ///< distance of the tip beyond the goal, m
    double left;      ///< distance of the tip from the goal at the end, m
    double speed;     ///< largest measured speed of a joint, rad/s
    double step;      ///< largest step of theta_ik by the time, rad/s
} Kick;

static void bound_point(Mechanism* m, double speed, double acceleration, double jerk) {
    cr_assert_eq(poise_point_set_max_speed(m->tree, m->point, speed, HUGE_VAL), POISE_OK);
    cr_assert_eq(poise_point_set_max_acceleration(m->tree, m->point, acceleration, HUGE_VAL),
                 POISE_OK);
    cr_assert_eq(poise_point_set_max_jerk(m->tree, m->point, jerk, HUGE_VAL), POISE_OK);
}

// Reads the joints of the reaching arm after a step. `before`: torque, q and q_ik of the step
// before; `rest`: torques at rest.
static void read_kick(const Mechanism* m, double before[6][3], const double rest[6], Kick* kick) {
    for (int i = 0; i < 6; i++) {
        PoiseJointReading reading;
        cr_assert_eq(poise_rig_read_joint(m->rig, poise_tree_node(m->tree, i), &reading), POISE_OK);
        kick->torque = fmax(kick->torque, fabs(reading.torque[0] - rest[i]));
        kick->change = fmax(kick->change, fabs(reading.torque[0] - before[i][0]));
        kick->speed = fmax(kick->speed, fabs(reading.q[0] - before[i][1]) / STEP);
        kick->step = fmax(kick->step, fabs(reading.q_ik[0] - before[i][2]) / STEP);
        before[i][0] = reading.torque[0];
        before[i][1] = reading.q[0];
        before[i][2] = reading.q_ik[0];
    }
}

// Starts at rest, with the readings there.
static void start_kick(Mechanism* m, double before[6][3], double rest[6]) {
    open_reaching_arm(m, POISE_REFERENCE_OWN, HUGE_VAL);
    mechanism_run(m, STEP, 500);
    Kick unused = {0};
    read_kick(m, before, rest, &unused);
    for (int i = 0; i < 6; i++) {
        rest[i] = before[i][0];
    }
}

static Kick jump(double distance, bool bounded) {
    Mechanism m;
    Kick kick = {0};
    double before[6][3] = {{0}}, rest[6] = {0};
    start_kick(&m, before, rest);
    if (bounded) {
        bound_point(&m, HUGE_VAL, 10.0, 300.0);
    }
    const PoiseVec3 start = mechanism_tip(&m);
    mechanism_goal(&m, poise_vec3(start.x - distance, start.y, start.z));
    for (int i = 0; i < 500; i++) {
        mechanism_step(&m, STEP);
        read_kick(&m, before, rest, &kick);
        kick.overshoot = fmax(kick.overshoot, start.x - distance - mechanism_tip(&m).x);
    }
    kick.left = mechanism_error(&m);
    mechanism_close(&m);
    return kick;
}

Test(moving_goal, a_jump_within_bounds_does_not_kick) {
    const Kick free = jump(0.1, false), bounded = jump(0.1, true);
    cr_log_info("free: %.1f N m, change %.1f, overshoot %.2f mm; bounded: %.1f, %.1f, %.3f",
                free.torque, free.change, 1e3 * free.overshoot, bounded.torque, bounded.change,
                1e3 * bounded.overshoot);
    cr_expect_geq(free.torque, 100.0, "%g N m", free.torque);
    cr_expect_leq(bounded.torque, 30.0, "%g N m", bounded.torque);
    cr_expect_leq(bounded.change, 3.0, "%g N m", bounded.change);
    cr_expect_leq(bounded.overshoot, 1e-4, "%g m", bounded.overshoot);
    cr_expect_leq(bounded.left, 1e-6, "%g m", bounded.left);
}

// Limits the speeds of theta_ik, rad/s.
static void limit_plan(const Mechanism* m, double speed) {
    for (int i = 0; i < 6; i++) {
        cr_assert_eq(poise_node_set_max_speed(m->tree, poise_tree_node(m->tree, i), speed),
                     POISE_OK);
    }
}

// A goal leaves the reach at 1.3 m/s, set at 72 Hz, and jumps back: the joints turn at their speed
// limits and push each other.
Test(moving_goal, joints_that_push_each_other_keep_their_speed_limits) {
    const double limit = 2.0;
    Mechanism m;
    Kick kick = {0};
    double before[6][3] = {{0}}, rest[6] = {0};
    start_kick(&m, before, rest);
    limit_plan(&m, limit);
    for (int i = 0; i < 6; i++) {
        cr_assert_eq(poise_rig_set_speed_limit(m.rig, poise_tree_node(m.tree, i), limit), POISE_OK);
    }
    for (int i = 0; i < 1500; i++) {
        if (i % 7 == 0) {
            const double out = i < 500 ? 1.3 * STEP * i : i < 1000 ? 0.0 : 0.26;
            mechanism_goal(&m, poise_vec3(0.5 + out, i < 1000 ? 0.0 : -0.3, 0.6));
        }
        mechanism_step(&m, STEP);
        read_kick(&m, before, rest, &kick);
    }
    cr_log_info("%.5f of the limit", kick.speed / limit);
    cr_expect_geq(kick.speed, 0.999 * limit, "%g rad/s: the limit does not act", kick.speed);
    cr_expect_leq(kick.speed, 1.001 * limit, "%g rad/s", kick.speed);
    mechanism_close(&m);
}

// A goal with 2 mm of noise, set at 72 Hz, moves at 0.3 m/s. Steps to new goals are often bounded
// by the speeds and torque limits of joints. Their reference velocities remain those of the goal,
// so that they accelerate by at most 123 rad/s^2. With the velocity 0 it would be 1,060.
Test(moving_goal, noise_at_the_limits_of_joints_does_not_shake_them) {
    Mechanism m;
    open_reaching_arm(&m, POISE_REFERENCE_OWN, 30.0);
    limit_plan(&m, 2.0);
    mechanism_run(&m, STEP, 500);
    Random random = random_from(7);
    double last[6][2] = {{0}}, most = 0.0;
    for (int i = 0; i < 1000; i++) {
        if (i % 7 == 0) {
            PoiseVec3 goal = poise_vec3(0.6, 0.3 * (STEP * i - 0.5), 0.6);
            goal.x += random_between(&random, -3.5e-3, 3.5e-3);
            goal.y += random_between(&random, -3.5e-3, 3.5e-3);
            goal.z += random_between(&random, -3.5e-3, 3.5e-3);
            mechanism_goal(&m, goal);
        }
        mechanism_step(&m, STEP);
        for (int k = 0; k < 6; k++) {
            const PoiseJointReading reading = mechanism_read(&m, poise_tree_node(m.tree, k));
            const double speed = (reading.q[0] - last[k][0]) / STEP;
            most = i > 250 ? fmax(most, fabs(speed - last[k][1]) / STEP) : 0.0;
            last[k][0] = reading.q[0];
            last[k][1] = speed;
        }
    }
    cr_log_info("%g rad/s^2", most);
    cr_expect_leq(most, 150.0, "%g rad/s^2", most);
    mechanism_close(&m);
}

// A stream that jumps by 1 m, with goals that are not finite, drives no joint beyond its speed.
Test(moving_goal, no_stream_of_goals_drives_a_joint_beyond_its_speed) {
    for (int bounded = 0; bounded < 2; bounded++) {
        Mechanism m;
        Kick kick = {0};
        double before[6][3] = {{0}}, rest[6] = {0};
        start_kick(&m, before, rest);
        limit_plan(&m, 2.0);
        if (bounded) {
            bound_point(&m, 1.0, 10.0, 300.0);
        }
        for (int i = 0; i < 1500; i++) {
            if (i % 150 == 0) {
                mechanism_goal(&m, poise_vec3(0.3, i % 300 == 0 ? 0.5 : -0.5, 0.6));
            } else if (i % 7 == 0) {
                const PoiseVec3 none = {0.0, (double)NAN, 0.0};
                cr_expect_eq(poise_point_set_position(m.tree, m.point, none),
                             POISE_ERROR_INVALID_ARGUMENT);
            }
            mechanism_step(&m, STEP);
            read_kick(&m, before, rest, &kick);
        }
        cr_log_info("bounded %d: theta_ik %.4f rad/s, joint %.4f rad/s, %.1f N m", bounded,
                    kick.step, kick.speed, kick.torque);
        cr_expect_leq(kick.step, 2.0 * (1.0 + 1e-9), "bounded %d: %g rad/s", bounded, kick.step);
        // a bounded goal does not kick: bodies keep the speed too, to 5 %
        cr_expect_leq(kick.speed, bounded ? 2.1 : 2.3, "bounded %d: %g rad/s", bounded, kick.speed);
        cr_expect_leq(kick.torque, bounded ? 30.0 : 100.0, "bounded %d: %g N m", bounded,
                      kick.torque);
        mechanism_close(&m);
    }
}
