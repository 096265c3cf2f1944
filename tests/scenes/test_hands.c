// SPDX-License-Identifier: MIT
// Tests how a user handles a running scene without a window: pulling, placing and adding. Also
// tests the joints that close loops.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "near.h"
#include "running.h"

#define PI 3.14159265358979323846

// an arm of two links on hinges about -z and x, a cart on a slider along z, a free globe, a fixed
// table
#define ARM                                                                                        \
    "poise: 1\nworld: {gravity: [0, 0, 0]}\n"                                                      \
    "defaults: {joint: {ik: {spring: 2000, damper: 200}}}\n"                                       \
    "bodies:\n"                                                                                    \
    "  table: {box: [1, 1, 0.1], at: [0, 0, -1], fixed: yes}\n"                                    \
    "  a: {capsule: 0.05, mass: 2, from: [0, 0, 1], to: [1, 0, 1]}\n"                              \
    "  b: {capsule: 0.05, mass: 1, from: [1, 0, 1], to: [2, 0, 1]}\n"                              \
    "  cart: {box: [0.2, 0.2, 0.2], mass: 1, at: [0, 3, 0]}\n"                                     \
    "  globe: {sphere: 0.1, mass: 3, at: [0, -3, 0], rotation: {rpy: [0.3, 0.2, 0.1]}}\n"          \
    "joints:\n"                                                                                    \
    "  shoulder: {hinge: [0, 0, 1], axis: [0, 0, -1], between: [world, a]}\n"                      \
    "  elbow: {hinge: [1, 0, 1], axis: [1, 0, 0], between: [a, b]}\n"                              \
    "  rail: {slider: [0, 3, 0], axis: [0, 0, 1], between: [world, cart]}\n"                       \
    "control_points: {tip: {body: b, at: [0, 0, 0.5], position: [2, 0, 1]}}\n"

static PoiseVec3 com_of(const Running* running, int body) {
    return poise_simulation_body(running->simulation, body).com_world;
}

enum { TABLE, A, B, CART, GLOBE };
enum { SHOULDER, ELBOW, RAIL };

// The spring of a pull has a frequency of 1.2 Hz with the mass of all connected bodies, and half of
// the critical damping.
RUNNING_TEST(hands, a_pull_is_a_spring_as_stiff_as_the_mass_that_hangs_together,
             running_start(ARM)) {
    PoiseSimulation* simulation = running->simulation;
    const double rate = 2.0 * PI * 1.2;
    const double masses[] = {0.0, 3.0, 3.0, 1.0, 3.0};
    for (int body = A; body <= GLOBE; body++) {
        const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
        const PoiseVec3 to = poise_add(com_of(running, body), poise_vec3(0.0, 0.01, 0.0));
        PoiseVec3 from = none;
        PoiseVec3 end = none;
        PoiseVec3 force = none;
        cr_assert_eq(poise_simulation_pull(simulation, body, none, to), POISE_OK);
        cr_assert_eq(poise_simulation_step(simulation), POISE_OK);
        cr_assert(poise_simulation_pulled(simulation, &from, &end, &force));
        EXPECT_NEAR3(end, to, 0.0);
        // the spring is softened against overshoot within a step
        const double h = poise_simulation_step_length(simulation);
        const double own = poise_simulation_body(simulation, body).mass;
        const double stiffness = masses[body] * rate * rate;
        const double soft = 1.0 + (h * masses[body] * rate + h * h * stiffness) / (0.25 * own);
        EXPECT_NEAR(force.y, stiffness * 0.01 / soft, 0.02 * stiffness * 0.01);
        cr_assert_eq(poise_simulation_let_go(simulation), POISE_OK);
        cr_expect_not(poise_simulation_pulled(simulation, &from, &end, &force));
    }
}

RUNNING_TEST(hands, a_pulled_body_arrives_and_stays_after_release, running_start(ARM)) {
    const PoiseVec3 to = poise_vec3(0.5, -3.0, 0.7);
    cr_assert_eq(poise_simulation_pull(running->simulation, GLOBE, poise_vec3(0.0, 0.0, 0.0), to),
                 POISE_OK);
    running_steps(running, 5.0);
    EXPECT_NEAR3(com_of(running, GLOBE), to, 1e-3);
    cr_assert_eq(poise_simulation_let_go(running->simulation), POISE_OK);
    running_steps(running, 1.0);
    EXPECT_NEAR3(com_of(running, GLOBE), to, 2e-3);
}

// The z axis of a hinge's frame lies along the hinge's axis after its parent moved.
RUNNING_TEST(hands, a_joint_s_frame_goes_with_its_parent, running_start(ARM)) {
    const PoiseVec3 z = poise_vec3(0.0, 0.0, 1.0);
    const double turn = 0.7;
    PoisePose frame = poise_simulation_joint_frame(running->simulation, SHOULDER);
    EXPECT_NEAR3(frame.p, poise_vec3(0.0, 0.0, 1.0), 0.0);
    EXPECT_NEAR3(poise_quat_rotate(frame.q, z), poise_vec3(0.0, 0.0, -1.0), 1e-15);
    frame = poise_simulation_joint_frame(running->simulation, RAIL);
    EXPECT_NEAR3(poise_quat_rotate(frame.q, z), z, 1e-15);
    cr_assert_eq(poise_simulation_pose_joint(running->simulation, SHOULDER, &turn, 1), POISE_OK);
    frame = poise_simulation_joint_frame(running->simulation, ELBOW);
    EXPECT_NEAR3(frame.p, poise_vec3(cos(turn), -sin(turn), 1.0), 1e-12);
    EXPECT_NEAR3(poise_quat_rotate(frame.q, z), poise_vec3(cos(turn), -sin(turn), 0.0), 1e-12);
}

RUNNING_TEST(hands, a_posed_joint_moves_alone_and_at_rest, running_start(ARM)) {
    running_steps(running, 0.1);
    const double turn = -0.4;
    const double slid = 0.25;
    const double other = poise_simulation_joint(running->simulation, ELBOW).q[0];
    cr_assert_eq(poise_simulation_pose_joint(running->simulation, SHOULDER, &turn, 1), POISE_OK);
    cr_assert_eq(poise_simulation_pose_joint(running->simulation, RAIL, &slid, 1), POISE_OK);
    EXPECT_NEAR(poise_simulation_joint(running->simulation, SHOULDER).q[0], turn, 1e-12);
    EXPECT_NEAR(poise_simulation_joint(running->simulation, RAIL).q[0], slid, 1e-12);
    EXPECT_NEAR(poise_simulation_joint(running->simulation, ELBOW).q[0], other, 1e-12);
    EXPECT_NEAR3(com_of(running, B), poise_vec3(1.5 * cos(turn), -1.5 * sin(turn), 1.0), 1e-9);
    double kinetic = -1.0;
    poise_simulation_energy(running->simulation, &kinetic, NULL);
    EXPECT_NEAR(kinetic, 0.0, 1e-20);
}

// The spring to the natural posture turns the ball; a snapshot restores the posture.
Test(hands, a_ball_goes_to_its_new_natural_posture) {
    static const char text[] =
        "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
        "bodies: {arm: {sphere: 0.1, at: [0.5, 0, 0], mass: 1}}\n"
        "joints:\n"
        "  socket: {ball: [0, 0, 0], between: [world, arm], ik: off,"
        "           original: {spring: 50, damper: 10}}\n"
        "control_points: {tip: {body: arm, position: [0.5, 0, 0], enabled: off}}\n";
    Running running = running_start(text);
    PoiseSimulation* simulation = running.simulation;
    const PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(0.0, 0.6, 0.8), 0.7);
    const double q[4] = {turn.w, turn.x, turn.y, turn.z};
    const double twice[4] = {2.0 * q[0], 2.0 * q[1], 2.0 * q[2], 2.0 * q[3]};
    cr_assert_eq(poise_simulation_set_natural(simulation, 0, twice, 4), POISE_OK);
    const size_t size = poise_simulation_snapshot_size(simulation);
    void* memory = malloc(size);
    cr_assert(memory);
    cr_assert_eq(poise_simulation_snapshot_save(simulation, memory, size), POISE_OK);
    running_steps(&running, 4.0);
    const PoiseJointView joint = poise_simulation_joint(simulation, 0);
    for (int i = 0; i < 4; i++) {
        EXPECT_NEAR(joint.q[i], q[i], 1e-4);
    }
    const double none[4] = {1.0, 0.0, 0.0, 0.0};
    cr_assert_eq(poise_simulation_set_natural(simulation, 0, none, 4), POISE_OK);
    cr_assert_eq(poise_simulation_snapshot_restore(simulation, memory, size), POISE_OK);
    const PoiseJointSprings springs = poise_simulation_joint_springs(simulation, 0);
    for (int i = 0; i < 4; i++) {
        EXPECT_NEAR(springs.q_natural[i], q[i], 1e-15);
    }
    free(memory);
}

RUNNING_TEST(hands, a_loose_body_is_put_where_its_frame_is_asked_to_be, running_start(ARM)) {
    const PoisePose there = poise_pose(poise_vec3(1.0, -4.0, 2.0),
                                       poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 0.8));
    cr_assert_eq(poise_simulation_place_body(running->simulation, GLOBE, there), POISE_OK);
    PoisePose now = poise_simulation_body(running->simulation, GLOBE).pose_world;
    EXPECT_NEAR3(now.p, there.p, 1e-12);
    EXPECT_NEAR(fabs(now.q.w * there.q.w + now.q.y * there.q.y), 1.0, 1e-12);
    running_steps(running, 0.5);
    now = poise_simulation_body(running->simulation, GLOBE).pose_world;
    EXPECT_NEAR3(now.p, there.p, 1e-9);
}

// There are more points than the first array holds. A removed point's index is used again.
Test(hands, points_come_and_go) {
    enum { MANY = 40 };
    Running running = running_start(ARM);
    PoiseSimulation* simulation = running.simulation;
    char name[20];
    for (int i = 0; i < MANY; i++) {
        const PoiseVec3 place = poise_vec3(1.0 + 0.02 * i, 0.0, 1.0);
        cr_assert_eq(poise_simulation_add_point(simulation, B, place), 1 + i);
        const PoisePointView view = poise_simulation_point(simulation, 1 + i);
        snprintf(name, sizeof name, "added_%d", 1 + i);
        cr_expect_str_eq(view.name, name);
        cr_expect(view.added && view.held && !view.removed && view.body == B);
        EXPECT_NEAR3(view.pose_world.p, place, 1e-12);
    }
    cr_expect_eq(poise_simulation_point_count(simulation), 1 + MANY);
    cr_expect_eq(poise_simulation_release_goal(simulation, 7), POISE_OK);
    cr_expect(poise_simulation_point(simulation, 7).held);
    cr_assert_eq(poise_simulation_remove_point(simulation, 7), POISE_OK);
    cr_expect_eq(poise_simulation_remove_point(simulation, 7), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_simulation_hold_goal(simulation, 7, poise_vec3(0.0, 0.0, 0.0)),
                 POISE_ERROR_INVALID_ARGUMENT);
    const PoisePointView gone = poise_simulation_point(simulation, 7);
    cr_expect(gone.removed && !gone.enabled && gone.name[0] == '\0');
    cr_assert_eq(poise_simulation_step(simulation), POISE_OK);
    const size_t size = poise_simulation_snapshot_size(simulation);
    void* memory = malloc(size);
    cr_assert_eq(poise_simulation_snapshot_save(simulation, memory, size), POISE_OK);
    cr_assert_eq(poise_simulation_add_point(simulation, A, poise_vec3(0.5, 0.0, 1.0)), 7);
    cr_expect_str_eq(poise_simulation_point(simulation, 7).name, "added_41");
    cr_assert_eq(poise_simulation_snapshot_restore(simulation, memory, size), POISE_OK);
    cr_expect(poise_simulation_point(simulation, 7).removed);
    free(memory);
}

// A goal's rotation is held by hand, in the world and in the frame of a moving body.
Test(hands, a_turn_is_held_and_released) {
    static const char* const frames[] = {"", "frame: a, "};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "poise: 1\nworld: {gravity: [0, 0, 0]}\n"
                 "defaults: {joint: {ik: {spring: 5000, damper: 300}}}\n"
                 "bodies:\n  a: {box: [0.2, 0.2, 0.2], at: [0, 0, 0], rotation: {axis: "
                 "[0, 0, 1], angle: 0.6}}\n"
                 "  b: {capsule: 0.05, from: [0, 0, 1], to: [0, 0, 2]}\n"
                 "joints: {i: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a]}, "
                 "j: {ball: [0, 0, 1], between: [world, b]}}\n"
                 "control_points: {p: {body: b, %sorientation: {quaternion: [1, 0, 0, 0]}}}\n",
                 frames[i]);
        Running running = running_start(text);
        const PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), 0.5);
        const PoisePointView before = poise_simulation_point(running.simulation, 0);
        const PoiseQuat twice = poise_quat(2.0 * turn.w, 2.0 * turn.x, 0.0, 0.0);
        cr_expect(before.turns && !before.turn_held);
        cr_assert_eq(poise_simulation_hold_turn(running.simulation, 0, twice), POISE_OK);
        cr_expect_eq(poise_simulation_hold_goal(running.simulation, 0, poise_vec3(0.0, 0.0, 0.0)),
                     POISE_ERROR_WRONG_KIND);
        running_steps(&running, 3.0);
        const PoisePointView held = poise_simulation_point(running.simulation, 0);
        cr_expect(held.turn_held);
        const PoiseQuat off = poise_quat_mul(held.pose_world.q, poise_quat_conjugate(turn));
        const PoiseQuat wrong = poise_quat_mul(held.goal_world.q, poise_quat_conjugate(turn));
        EXPECT_NEAR3(poise_quat_log(wrong), poise_vec3(0.0, 0.0, 0.0), 1e-12);
        EXPECT_NEAR3(poise_quat_log(off), poise_vec3(0.0, 0.0, 0.0), 1e-3);
        cr_assert_eq(poise_simulation_release_goal(running.simulation, 0), POISE_OK);
        cr_expect_not(poise_simulation_point(running.simulation, 0).turn_held);
        running_steps(&running, 3.0);
        const PoisePointView after = poise_simulation_point(running.simulation, 0);
        const PoiseQuat own = frames[i][0]
                                  ? poise_simulation_body(running.simulation, 0).pose_world.q
                                  : poise_quat_identity();
        const PoiseQuat back = poise_quat_mul(after.goal_world.q, poise_quat_conjugate(own));
        EXPECT_NEAR3(poise_quat_log(back), poise_vec3(0.0, 0.0, 0.0), 1e-12);
    }
}

// Three mechanisms with loops. The first is a crank, a coupler and a rocker. The second is a post
// on a ball, with a universal and a second ball at the same place. The third is an arm and a rod
// with a bead that slides along x. A joint that closes a loop is measured, not driven.
#define LOOPS                                                                                      \
    "poise: 1\nworld: {gravity: [0, 0, 0]}\n"                                                      \
    "defaults: {joint: {ik: {spring: 2000, damper: 200}}}\n"                                       \
    "bodies:\n"                                                                                    \
    "  crank: {capsule: 0.02, mass: 1, from: [0, 0, 0], to: [0, 0, 0.5]}\n"                        \
    "  coupler: {capsule: 0.02, mass: 1, from: [0, 0, 0.5], to: [1, 0, 0.5]}\n"                    \
    "  rocker: {capsule: 0.02, mass: 1, from: [1, 0, 0], to: [1, 0, 0.5]}\n"                       \
    "  post: {capsule: 0.02, mass: 1, from: [0, 5, 0], to: [0, 5, 0.5]}\n"                         \
    "  arm: {capsule: 0.02, mass: 1, from: [0, 8, 0], to: [0.3, 8, 0]}\n"                          \
    "  rod: {capsule: 0.02, mass: 1, from: [0.3, 8, 0], to: [1, 8, 0]}\n"                          \
    "  bead: {sphere: 0.05, mass: 1, at: [1, 8, 0]}\n"                                             \
    "joints:\n"                                                                                    \
    "  c: {hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, crank]}\n"                          \
    "  k: {hinge: [0, 0, 0.5], axis: [0, 1, 0], between: [crank, coupler]}\n"                      \
    "  r: {hinge: [1, 0, 0], axis: [0, 1, 0], between: [world, rocker]}\n"                         \
    "  closes: {hinge: [1, 0, 0.5], axis: [0, 1, 0], between: [coupler, rocker]}\n"                \
    "  p: {ball: [0, 5, 0], between: [world, post]}\n"                                             \
    "  doubles: {universal: [0, 5, 0], axis: [1, 0, 0], axis2: [0, 1, 0], between: [world, "       \
    "post]}\n"                                                                                     \
    "  again: {ball: [0, 5, 0], between: [world, post]}\n"                                         \
    "  s: {hinge: [0, 8, 0], axis: [0, 1, 0], between: [world, arm]}\n"                            \
    "  t: {hinge: [0.3, 8, 0], axis: [0, 1, 0], between: [arm, rod]}\n"                            \
    "  u: {hinge: [1, 8, 0], axis: [0, 1, 0], between: [rod, bead]}\n"                             \
    "  slides: {slider: [1, 8, 0], axis: [1, 0, 0], between: [world, bead]}\n"                     \
    "control_points:\n"                                                                            \
    "  top: {body: crank, at: [0, 0, 0.25], position: [0.3, 0, 0.4]}\n"                            \
    "  mast: {body: post, at: [0, 0, 0.25], position: [0.2, 5.2, 0.4]}\n"                          \
    "  end: {body: arm, at: [0, 0, 0.15], position: [0.18, 8, -0.24]}\n"

RUNNING_TEST(hands, a_joint_that_closes_a_loop_is_measured, running_start(LOOPS)) {
    running_steps(running, 4.0);
    // a parallelogram: the coupler stays level
    const PoiseJointView crank = joint_named(running, "c");
    const PoiseJointView closes = joint_named(running, "closes");
    cr_expect(crank.node.index1 != 0 && closes.node.index1 == 0);
    cr_expect(fabs(crank.q[0]) > 0.5, "%g", crank.q[0]);
    EXPECT_NEAR(closes.q[0], crank.q[0], 2e-3);
    EXPECT_NEAR(closes.q_target[0], closes.q[0], 0.0);
    // the first axis is x, the second is the y that turns with it
    const PoiseJointView doubles = joint_named(running, "doubles");
    const PoiseQuat first = poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), doubles.q[0]);
    const PoiseQuat second = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), doubles.q[1]);
    const PoiseQuat whole = poise_quat_mul(first, second);
    const double* q = joint_named(running, "p").q;
    cr_expect(fabs(doubles.q[0]) > 0.1 && fabs(doubles.q[1]) > 0.1);
    EXPECT_NEAR(fabs(whole.w * q[0] + whole.x * q[1] + whole.y * q[2] + whole.z * q[3]), 1.0, 1e-5);
    // ODE does not report the rotation of a ball
    EXPECT_NEAR(joint_named(running, "again").q[0], 1.0, 0.0);
    const double slid = joint_named(running, "slides").q[0];
    const PoiseBodyView bead = poise_simulation_body(running->simulation, 6);
    cr_expect(fabs(slid) > 0.02, "%g", slid);
    EXPECT_NEAR(slid, bead.com_world.x - 1.0, 1e-6);
}
