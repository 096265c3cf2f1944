// SPDX-License-Identifier: MIT
// Scenes whose bodies are kept apart: no contact force in any step.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "running.h"
#include "works.h"

// True if ODE's body is the named body of the scene.
static bool is_body(const Running* running, dBodyID body, const char* name) {
    bool is = false;
    for (int i = 0; body && i < poise_simulation_body_count(running->simulation); i++) {
        const PoiseBodyView view = poise_simulation_body(running->simulation, i);
        const dReal* at = dBodyGetPosition(body);
        const PoiseVec3 place = poise_vec3((double)at[0], (double)at[1], (double)at[2]);
        is = is || (strcmp(view.name, name) == 0 &&
                    poise_length(poise_sub(view.com_world, place)) < 1e-9);
    }
    return is;
}

// Steps the scene until `seconds`. Returns the largest contact force on a body, N, without contacts
// of the body `passed` (NULL: all contacts).
static double largest_force(const Running* running, double seconds, const char* passed) {
    const PoiseSimulation* simulation = running->simulation;
    const PoiseWorld* world = poise_simulation_world(simulation);
    double largest = 0.0;
    while (poise_simulation_time(simulation) < seconds) {
        running_steps(running, poise_simulation_step_length(simulation));
        for (int i = 0; i < poise_world_contact_count(world); i++) {
            PoiseContact contact;
            WORKS(poise_world_contact(world, i, &contact));
            if (!passed || (!is_body(running, contact.first, passed) &&
                            !is_body(running, contact.second, passed))) {
                largest = fmax(largest, poise_length(contact.force));
            }
        }
    }
    return largest;
}

// The pen keeps off its goal while the post passes, and meets it before and after.
Test(apart, a_hand_avoids_a_passing_post) {
    Running running = running_open(POISE_SOURCE_DIR "/scenes/past_post.yaml");
    cr_expect_eq(largest_force(&running, 3.0, NULL), 0.0);
    cr_expect_lt(point_named(&running, "pen").reading.miss, 1e-4);
    cr_expect_eq(largest_force(&running, 4.6, NULL), 0.0);
    const PoisePointView pen = point_named(&running, "pen");
    char text[POISE_WHY_TEXT];
    const PoiseNodeNames names = poise_simulation_node_names(running.simulation);
    cr_expect_gt(pen.reading.miss, 0.01, "%g m", pen.reading.miss);
    cr_expect_eq(pen.reading.why == POISE_WHY_APART || pen.reading.why == POISE_WHY_MOVING, true);
    cr_expect_not_null(poise_point_why_text(&pen.reading, &names, text, sizeof text));
    cr_expect_eq(largest_force(&running, 8.0, NULL), 0.0);
    cr_expect_lt(point_named(&running, "pen").reading.miss, 1e-4);
}

// Without keep_apart the arm presses on its bars.
Test(apart, an_arm_in_a_cage_presses_on_nothing) {
    Running running = running_open(POISE_SOURCE_DIR "/scenes/cage.yaml");
    cr_expect_eq(largest_force(&running, 9.0, NULL), 0.0);
}

// Moves a goal as a drag in the viewer does: every 1/30 s, half a second from place to place.
// Returns the largest contact force, N.
static double drag(Running* running, int point, PoiseVec3 to) {
    const PoiseVec3 from = poise_simulation_point(running->simulation, point).goal_world.p;
    const double begun = poise_simulation_time(running->simulation);
    double largest = 0.0;
    for (int frame = 1; frame <= 30; frame++) {
        const double part = frame < 15 ? frame / 15.0 : 1.0;
        const PoiseVec3 at = poise_add_scaled(from, part, poise_sub(to, from));
        WORKS(poise_simulation_hold_goal(running->simulation, point, at));
        largest = fmax(largest, largest_force(running, begun + frame / 30.0, NULL));
    }
    return largest;
}

// The goal moves through bars, across the cage and back, at up to 3 m/s.
static const PoiseVec3 places[] = {{0.8, 0.2, 0.8}, {0.6, -0.6, 0.8}, {0.1, 0.8, 1.0},
                                   {0.9, 0.0, 0.6}, {-0.5, 0.5, 0.8}, {0.7, -0.3, 0.3},
                                   {0.45, 0.0, 0.8}};

Test(apart, an_arm_that_is_dragged_about_its_cage_presses_on_nothing) {
    Running running = running_open(POISE_SOURCE_DIR "/scenes/cage.yaml");
    double farthest = 0.0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const double force = drag(&running, 0, places[i]);
        cr_expect_eq(force, 0.0, "place %zu: %g N", i, force);
        farthest = fmax(farthest, poise_simulation_point(running.simulation, 0).reading.miss);
    }
    cr_expect_gt(farthest, 0.1, "no bar held the hand");
    cr_expect_eq(largest_force(&running, 9.0, NULL), 0.0);
    cr_expect_lt(poise_simulation_point(running.simulation, 0).reading.miss, 1e-3);
}

// The dampers hold the arm back 3 and 10 times as long as those of the file: 0.09 and 0.3 s. With a
// plan for 0.03 s the arm presses with up to 8.1 kN. If dampers follow the goal's velocity while
// the plan waits, it presses with 1.4 kN at 0.3 s.
Test(apart, an_arm_with_slow_dampers_that_is_dragged_presses_on_nothing) {
    static const double slower[] = {3.0, 10.0};
    for (size_t k = 0; k < sizeof slower / sizeof slower[0]; k++) {
        Running running = running_open(POISE_SOURCE_DIR "/scenes/cage.yaml");
        PoiseRig* rig = poise_simulation_rig(running.simulation);
        static const struct {
            const char* joint;
            PoiseSpring spring;
        } rows[] = {{"shoulder", {2000, 60}}, {"elbow", {1500, 40}}, {"wrist", {300, 6}}};
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            PoiseSpring spring = rows[i].spring;
            spring.damping *= slower[k];
            WORKS(poise_rig_set_ik(rig, joint_named(&running, rows[i].joint).node, spring));
        }
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            const double force = drag(&running, 0, places[i]);
            cr_expect_eq(force, 0.0, "%g times, place %zu: %g N", slower[k], i, force);
        }
    }
}

static int body_index(const Running* running, const char* name) {
    const int count = poise_simulation_body_count(running->simulation);
    int index = 0;
    while (index < count &&
           strcmp(poise_simulation_body(running->simulation, index).name, name) != 0) {
        index++;
    }
    cr_assert_lt(index, count, "%s", name);
    return index;
}

// Pulls the middle of the forearm toward places, as the mouse does, while the goal is behind a bar.
// The arm touches no bar. (A harder pull, to y = -0.7 m, would press the arm on its bars.)
Test(apart, an_arm_that_is_dragged_by_a_link_presses_on_nothing) {
    static const PoiseVec3 pulls[] = {
        {0.7, 0.3, 0.8}, {0.7, -0.3, 0.8}, {0.2, 0.0, 1.2}, {-0.1, 0.1, 0.9}, {0.24, 0.0, 0.5}};
    Running running = running_open(POISE_SOURCE_DIR "/scenes/cage.yaml");
    const int forearm = body_index(&running, "forearm");
    double moved = 0.0, newtons = 0.0;
    WORKS(poise_simulation_hold_goal(running.simulation, 0, poise_vec3(0.75, 0.18, 0.7)));
    cr_expect_eq(largest_force(&running, 1.0, NULL), 0.0);
    const PoiseVec3 begun = poise_simulation_body(running.simulation, forearm).com_world;
    for (size_t i = 0; i < sizeof pulls / sizeof pulls[0]; i++) {
        PoiseVec3 from, to, force;
        WORKS(poise_simulation_pull(running.simulation, forearm, poise_vec3(0, 0, 0), pulls[i]));
        const double pressed = largest_force(&running, 1.5 + 0.5 * (double)i, NULL);
        cr_expect_eq(pressed, 0.0, "place %zu: %g N", i, pressed);
        cr_expect(poise_simulation_pulled(running.simulation, &from, &to, &force));
        newtons = fmax(newtons, poise_length(force));
        const PoiseVec3 now = poise_simulation_body(running.simulation, forearm).com_world;
        moved = fmax(moved, poise_length(poise_sub(now, begun)));
    }
    cr_expect_gt(newtons, 20.0, "the pull is weak: %g N", newtons);
    cr_expect_gt(moved, 0.002, "the pull moves nothing: %g m", moved);
    WORKS(poise_simulation_let_go(running.simulation));
    cr_expect_eq(largest_force(&running, 4.5, NULL), 0.0);
}

// Returns the number of pairs that the samples leave out, and of those that collide in ODE.
static int count_left_out(const Running* running, int* touching) {
    PoiseRig* rig = poise_simulation_rig(running->simulation);
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int count = poise_apart_pairs(poise_rig_apart(rig), pairs, POISE_APART_PAIRS_MOST);
    int left_out = 0;
    for (int a = 0; poise_rig_apart_geom(rig, a); a++) {
        for (int b = a + 1; poise_rig_apart_geom(rig, b); b++) {
            dGeomID first = poise_rig_apart_geom(rig, a), second = poise_rig_apart_geom(rig, b);
            dBodyID on = dGeomGetBody(first), other = dGeomGetBody(second);
            bool out = on != other && !dAreConnected(on ? on : other, on ? other : on);
            for (int i = 0; i < count && out; i++) {
                out = pairs[i].a + pairs[i].b != a + b || (pairs[i].a != a && pairs[i].a != b);
            }
            dContactGeom contact;
            left_out += out;
            *touching += out && dCollide(first, second, 1, &contact, sizeof contact) > 0;
        }
    }
    return left_out;
}

// No pair that the samples of these scenes leave out ever touches.
Test(apart, pairs_never_near_in_samples_never_touch) {
    static const char* const files[] = {"/scenes/scratch.yaml", "/scenes/hand_over.yaml",
                                        "/scenes/past_post.yaml", "/scenes/cage.yaml"};
    int left_out = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s%s", POISE_SOURCE_DIR, files[i]);
        Running running = running_open(path);
        int touching = 0;
        left_out += count_left_out(&running, &touching);
        while (poise_simulation_time(running.simulation) < 3.0) {
            running_steps(&running, 0.1);
            cr_expect_geq(count_left_out(&running, &touching), 0);
        }
        cr_expect_eq(touching, 0, "%s", files[i]);
    }
    cr_expect_gt(left_out, 0);
}

// Counts the pairs to keep apart whose shapes collide in ODE. Parts of one robot have no contacts.
static int count_touching(const Running* running, bool allow) {
    PoiseRig* rig = poise_simulation_rig(running->simulation);
    PoiseApart* apart = poise_rig_apart(rig);
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int count = poise_apart_pairs(apart, pairs, POISE_APART_PAIRS_MOST);
    int touching = 0;
    for (int i = 0; i < count; i++) {
        dContactGeom contact;
        touching +=
            dCollide(poise_rig_apart_geom(rig, pairs[i].a), poise_rig_apart_geom(rig, pairs[i].b),
                     1, &contact, sizeof contact) > 0;
        WORKS(poise_apart_allow(apart, pairs[i], allow));
    }
    return touching;
}

// If the pairs were allowed to touch, the fingers would go into the arm.
Test(apart, a_hand_at_its_own_shoulder_touches_only_if_allowed) {
    for (int allow = 0; allow < 2; allow++) {
        Running running = running_open(POISE_SOURCE_DIR "/scenes/scratch.yaml");
        int touching = 0;
        while (poise_simulation_time(running.simulation) < 4.5) {
            touching += count_touching(&running, allow != 0);
            running_steps(&running, poise_simulation_step_length(running.simulation));
        }
        cr_expect_eq(touching > 0, allow != 0, "%d pairs touch, allowed %d", touching, allow);
    }
}

// Returns the largest change of a number of the driven joints' planned postures in a step, and
// stores the postures in `last`.
static double largest_planned_change(const PoiseSimulation* simulation, double* last, int joints) {
    double largest = 0.0;
    for (int i = 0; i < joints; i++) {
        const PoiseJointView joint = poise_simulation_joint(simulation, i);
        double q[POISE_MAX_NQ] = {0.0};
        if (poise_node_points(poise_simulation_tree(simulation), joint.node, NULL, 0) > 0) {
            poise_node_posture(poise_simulation_tree(simulation), joint.node, q);
        }
        for (int k = 0; k < POISE_MAX_NQ; k++) {
            largest = fmax(largest, fabs(q[k] - last[i * POISE_MAX_NQ + k]));
            last[i * POISE_MAX_NQ + k] = q[k];
        }
    }
    return largest;
}

// The edge of the hand lies along the other arm: with an inequality at the nearest points alone the
// hand tilted by 2.5e-3 rad in each step, to and fro.
Test(apart, a_hand_held_by_two_pairs_rests) {
    enum { JOINTS = 64 };
    double last[JOINTS * POISE_MAX_NQ] = {0.0}, largest = 0.0;
    Running running = running_open(POISE_SOURCE_DIR "/scenes/scratch.yaml");
    const PoiseSimulation* simulation = running.simulation;
    const double step = poise_simulation_step_length(simulation);
    const int joints = poise_simulation_joint_count(simulation);
    cr_assert_leq(joints, (int)JOINTS);
    running_steps(&running, 18.0);
    largest_planned_change(simulation, last, joints);
    for (int i = 0; i < 200; i++) {
        running_steps(&running, step);
        largest = fmax(largest, largest_planned_change(simulation, last, joints));
    }
    cr_expect_lt(largest / step, 1e-6, "%g rad/s", largest / step);
}

// Each fork carries the box, and nothing else touches.
Test(apart, two_forks_pass_a_box_and_do_not_touch_each_other) {
    Running running = running_open(POISE_SOURCE_DIR "/scenes/hand_over.yaml");
    cr_expect_eq(largest_force(&running, 10.5, "box"), 0.0);
    const PoiseVec3 box = body_pose(&running, "box").p;
    cr_expect_float_eq(box.x, 0.12, 0.005, "%g m", box.x);
    cr_expect_float_eq(box.z, 0.856, 0.003, "%g m", box.z);
}

// A long arm that swings under a ball, with light ball joints on soft springs.
static const char swinging_arm[] =
    "poise: 1\n"
    "world: {gravity: [0, 0, -9.81], step: 0.005}\n"
    "ik: {position_clamp: 0.1}\n"
    "bodies:\n"
    "  base: {capsule: 0.05, from: [0, 0, 0.06], to: [0, 0, 0.2], fixed: true}\n"
    "  l0: {capsule: 0.044, from: [0, 0, 0.354], to: [0, 0, 0.589], density: 800}\n"
    "  l1: {capsule: 0.042, from: [0.008, -0.031, 0.685], to: [0.028, -0.107, 0.786], "
    "density: 800}\n"
    "  l2: {capsule: 0.023, from: [0.016, -0.153, 0.848], to: [-0.031, -0.188, 0.895], "
    "density: 800}\n"
    "  l3: {capsule: 0.036, from: [-0.074, -0.205, 0.955], to: [-0.129, -0.211, 1.049], "
    "density: 800}\n"
    "  l4: {capsule: 0.041, from: [-0.192, -0.221, 1.121], to: [-0.37, -0.254, 1.268], "
    "density: 800}\n"
    "  l5: {box: [0.051, 0.047, 0.042], at: [-0.534, -0.367, 1.32], density: 800}\n"
    "  l6: {capsule: 0.03, from: [-0.695, -0.485, 1.355], to: [-0.838, -0.536, 1.414], "
    "density: 800}\n"
    "  ball: {sphere: 0.127, at: [-0.235, 0.079, 1.593], fixed: true}\n"
    "joints:\n"
    "  j0: {hinge: [0, 0, 0.3], axis: [-0.879, -0.332, -0.341], between: [base, l0], "
    "limits: [-1.6, 1.6], ik: {spring: 3000, damper: 150}}\n"
    "  j1: {hinge: [0, 0, 0.643], axis: [0.184, -0.288, -0.94], between: [l0, l1], "
    "limits: [-1.8, 1.7], ik: {spring: 1500, damper: 15}}\n"
    "  j2: {ball: [0.036, -0.138, 0.827], between: [l1, l2], limits: {swing: 1.5, twist: "
    "1.5}, ik: {spring: 1000, damper: 20}}\n"
    "  j3: {hinge: [-0.051, -0.203, 0.916], axis: [0.584, 0.793, -0.171], between: [l2, "
    "l3], limits: [-2.4, 2.1], ik: {spring: 750, damper: 15}}\n"
    "  j4: {ball: [-0.153, -0.214, 1.089], between: [l3, l4], limits: {swing: 1.5, "
    "twist: 1.5}, ik: {spring: 600, damper: 30}}\n"
    "  j5: {ball: [-0.409, -0.261, 1.3], between: [l4, l5], limits: {swing: 1.5, twist: "
    "1.5}, ik: {spring: 500, damper: 15}}\n"
    "  j6: {hinge: [-0.659, -0.472, 1.34], axis: [0.398, -0.876, -0.272], between: [l5, "
    "l6], limits: [-1.4, 2.3], ik: {spring: 430, damper: 21}}\n"
    "control_points:\n"
    "  tip: {body: l6, at: [-0.107, -0.038, 0.044], uses: '*', position: {path: [{time: "
    "0, to: [-0.874, -0.549, 1.428]}, {time: 0.4, to: [0.372, 0.723, 1.194]}], between: "
    "straight}}\n"
    "keep_apart: {robots: self, distance: 0.01}\n";

// Pairs that hold the arm and let it go change the speeds of its joints within a step. Without a
// feed-forward of these changes the bodies lag behind and hit the ball.
Test(apart, an_arm_that_pairs_stop_and_let_go_follows_its_plan) {
    Running running = running_start(swinging_arm);
    cr_expect_eq(largest_force(&running, 1.0, NULL), 0.0);
}

#define TWO_LINKS(limits, wall)                                                                    \
    "poise: 1\n"                                                                                   \
    "world: {gravity: [0, 0, 0]}\n"                                                                \
    "bodies:\n"                                                                                    \
    "  upper: {capsule: 0.04, from: [0, 0, 1], to: [0.4, 0, 1], mass: 1}\n"                        \
    "  lower: {capsule: 0.04, from: [0.4, 0, 1], to: [0.8, 0, 1], mass: 1}\n"                      \
    "  wall: {box: [" wall ", 2, 1], at: [0.88, 0, 1], fixed: true}\n"                             \
    "joints:\n"                                                                                    \
    "  shoulder: {hinge: [0, 0, 1], between: [world, upper], axis: [0, 0, 1], " limits             \
    "ik: {spring: 500, damper: 50}}\n"                                                             \
    "  elbow: {hinge: [0.4, 0, 1], between: [upper, lower], axis: [0, 0, 1], " limits              \
    "ik: {spring: 500, damper: 50}}\n"                                                             \
    "control_points:\n"                                                                            \
    "  tip: {body: lower, at: [0, 0, 0.2], uses: '*', position: [0.9, 0.2, 1]}\n"                  \
    "keep_apart: {robots: others, from: [wall], distance: 0.02}\n"

static const char two_links[] = TWO_LINKS("", "0.1");

Test(apart, a_pair_that_touches_at_the_start_is_named_and_comes_apart) {
    Running running = running_start(two_links);
    cr_expect(found(&running.loaded, POISE_WARNING, 12, 1,
                    "'lower' and 'wall' are to be kept apart and overlap by 10.0 mm at the start"));
    running_steps(&running, 4.0);
    const PoisePointView tip = point_named(&running, "tip");
    const PoiseNodeNames names = poise_simulation_node_names(running.simulation);
    char text[POISE_WHY_TEXT];
    cr_expect_str_eq(poise_point_why_text(&tip.reading, &names, text, sizeof text),
                     "held by lower - wall, 20 mm");
    PoiseApartNear nearest;
    WORKS(poise_forward(poise_simulation_tree(running.simulation)));
    cr_expect_eq(
        poise_apart_measure(poise_rig_apart(poise_simulation_rig(running.simulation)), &nearest),
        0);
    cr_expect_float_eq(nearest.gap.distance, 0.02, 1e-4, "%g m", nearest.gap.distance);
}

Test(apart, a_pair_that_no_control_point_moves_is_said_to_stay) {
    char text[sizeof two_links];
    memcpy(text, two_links, sizeof text);
    char* points = strstr(text, "control_points:");
    const char* keep = strstr(text, "keep_apart:");
    memmove(points, keep, strlen(keep) + 1);
    Running running = running_start(text);
    cr_expect(found(&running.loaded, POISE_WARNING, 10, 1, "no control point moves them"));
}

// A push presses the lower link on the wall. Without it the link comes off, back to its goal.
Test(apart, an_arm_that_is_pushed_into_a_wall_comes_off_again) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s", two_links,
             "pushes:\n  blow: {body: lower, force: [0, 300, 0], from: 1, seconds: 0.5}\n");
    char* goal = strstr(text, "position: [0.9, 0.2, 1]");
    memcpy(goal, "position: [0.6, -0.1, 1]", 0);
    char* wall = strstr(text, "box: [0.1, 2, 1], at: [0.88, 0, 1]");
    cr_assert_not_null(wall);
    memcpy(wall, "box: [2, 0.1, 1], at: [0.8, .2, 1]", 34);
    memcpy(strstr(text, "[0.9, 0.2, 1]"), "[0.7, 0.0, 1]", 13);
    Running running = running_start(text);
    cr_expect_eq(largest_force(&running, 1.0, NULL), 0.0);
    cr_expect_gt(largest_force(&running, 1.5, NULL), 1.0);
    cr_expect_geq(largest_force(&running, 2.5, NULL), 0.0);
    cr_expect_eq(largest_force(&running, 5.0, NULL), 0.0);
    PoiseApartNear nearest;
    WORKS(poise_forward(poise_simulation_tree(running.simulation)));
    cr_expect_eq(
        poise_apart_measure(poise_rig_apart(poise_simulation_rig(running.simulation)), &nearest),
        0);
    cr_expect_geq(nearest.gap.distance, 0.02 - 1e-6, "%g m", nearest.gap.distance);
}

Test(apart, names_that_are_no_bodies_are_refused) {
    Loaded loaded = load_text("a.yaml", "poise: 1\nbodies: {a: {box: [1, 1, 1], fixed: true}}\n"
                                        "keep_apart: {from: [nobody]}\n");
    cr_expect(found(&loaded, POISE_ERROR, 3, 0, "nobody"));
}

Test(apart, a_wall_around_a_link_is_refused_by_the_names_of_both) {
    Loaded loaded = load_text("a.yaml", TWO_LINKS("limits: [-0.1, 0.1], ", "0.7"));
    cr_expect_null(poise_simulation_create(loaded.scene, loaded.diagnostics));
    cr_expect(found(&loaded, POISE_ERROR, 12, 1,
                    "'keep_apart': lower and wall cannot be kept apart: they overlap in every"));
}

// A crate around the base, or around the first link, is refused. A crate whose surface passes
// through them is what the arm stands on, and so is a base around the first link.
#define CRATED(crate, base, parent, upper, keep)                                                   \
    "poise: 1\n"                                                                                   \
    "world: {gravity: [0, 0, 0]}\n"                                                                \
    "bodies:\n"                                                                                    \
    "  upper: {" upper ", mass: 1}\n"                                                              \
    "  lower: {capsule: 0.02, from: [0.3, 0, 1], to: [0.6, 0, 1], mass: 1}\n"                      \
    "  crate: {box: " crate ", at: [0, 0, 1], fixed: true}\n" base "joints:\n"                     \
    "  shoulder: {hinge: [0, 0, 1], between: [" parent ", upper], axis: [0, 0, 1], "               \
    "ik: {spring: 500, damper: 50}}\n"                                                             \
    "  elbow: {hinge: [0.2, 0, 1], between: [upper, lower], axis: [0, 0, 1], "                     \
    "ik: {spring: 500, damper: 50}}\n"                                                             \
    "control_points:\n"                                                                            \
    "  tip: {body: lower, at: [0, 0, 0.1], uses: '*', position: [0.4, 0.2, 1]}\n" keep
#define KEPT_OFF   "keep_apart: {robots: others, from: [crate], distance: 0.02}\n"
#define BASE       "  base: {box: [0.1, 0.1, 0.1], at: [0, 0, 1], fixed: true}\n"
#define HOUSING    "  base: {box: [0.3, 0.3, 0.3], at: [0, 0, 1], fixed: true}\n"
#define LONG_LINK  "capsule: 0.02, from: [0.12, 0, 1], to: [0.2, 0, 1]"
#define SHORT_LINK "capsule: 0.02, from: [0.02, 0, 1], to: [0.1, 0, 1]"

Test(apart, an_obstacle_that_swallows_the_base_is_refused) {
    static const struct {
        const char* text;
        const char* why;
    } rows[] = {
        {CRATED("[0.12, 0.12, 0.12]", BASE, "base", LONG_LINK, KEPT_OFF),
         "crate and base cannot be kept apart: crate contains all of it; move one, or leave crate "
         "out"},
        {CRATED("[0.12, 0.12, 0.08]", BASE, "base", LONG_LINK, KEPT_OFF), NULL},
        {CRATED("[0.3, 0.3, 0.3]", "", "world", SHORT_LINK, KEPT_OFF),
         "crate and upper cannot be kept apart: crate contains all of it"},
        {CRATED("[0.3, 0.3, 0.03]", "", "world", SHORT_LINK, KEPT_OFF), NULL},
        {CRATED("[0.04, 0.04, 0.04]", HOUSING, "base", SHORT_LINK, KEPT_OFF), NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Loaded loaded = load_text("a.yaml", rows[i].text);
        char text[2000];
        PoiseSimulation* simulation = poise_simulation_create(loaded.scene, loaded.diagnostics);
        cr_expect_eq(simulation == NULL, rows[i].why != NULL, "%zu: %s", i,
                     findings(&loaded, text, sizeof text));
        cr_expect(!rows[i].why || strstr(findings(&loaded, text, sizeof text), rows[i].why),
                  "%zu: %s", i, text);
        poise_simulation_destroy(simulation);
    }
}

PROGRAM_TEST(apart, a_solve_refuses_an_obstacle_that_swallows_the_base_too) {
    for (int around = 0; around < 2; around++) {
        write_scratch("s.yaml", around ? CRATED("[0.12, 0.12, 0.12]", BASE, "base", LONG_LINK, "")
                                       : CRATED("[0.12, 0.12, 0.08]", BASE, "base", LONG_LINK, ""));
        RUN_PROGRAM(outcome, "solve", "s.yaml", "--keep-apart");
        cr_expect_eq(outcome->code, around ? 3 : 0, "%s%s", outcome->out, outcome->err);
        cr_expect_eq(strstr(outcome->err, "crate and base cannot be kept apart") != NULL,
                     around != 0, "%s", outcome->err);
    }
}

// A chain of four links whose hand (welded to the last) can touch the first link.
#define CHAIN_LINK(name)                                                                           \
    "<link name='" name "'><collision><origin xyz='.2 0 0'/><geometry><box size='.3 .1 .1'/>"      \
    "</geometry></collision></link>"
#define CHAIN_JOINT(name, parent, child)                                                           \
    "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child        \
    "'/><origin xyz='.4 0 0'/><axis xyz='0 0 1'/><limit lower='-2.8' upper='2.8'/></joint>"

static const char chain_urdf[] = "<robot name='chain'><link name='base'/>" CHAIN_LINK("a")
    CHAIN_LINK("b") CHAIN_LINK("c") CHAIN_LINK(
        "d") "<link name='hand'><collision><geometry><sphere "
             "radius='.04'/></geometry></collision></link>" CHAIN_JOINT("j0", "base", "a")
                 CHAIN_JOINT("j1", "a", "b") CHAIN_JOINT("j2", "b", "c") CHAIN_JOINT(
                     "j3", "c",
                     "d") "<joint name='w' type='fixed'><parent link='d'/><child link='hand'/>"
                          "<origin xyz='.42 0 0'/></joint></robot>";

#define CHAIN_BODY(name, more)                                                                     \
    "<body name='" name "' pos='.4 0 0'><joint name='j" name "' axis='0 0 1' range='-160 160'/>"   \
    "<geom type='box' pos='.2 0 0' size='.15 .05 .05'/>" more "</body>"

static const char chain_mjcf[] =
    "<mujoco><worldbody><body name='a'><joint name='ja' axis='0 0 1' range='-160 160'/><geom "
    "type='box' pos='.2 0 0' size='.15 .05 "
    ".05'/>" CHAIN_BODY(
        "b",
        CHAIN_BODY("c", CHAIN_BODY("d", "<body name='hand' pos='.42 0 0'><geom type='sphere' "
                                        "size='.04'/></body>"))) "</body></worldbody>\n%s</mujoco>";

// Writes the chain as URDF, with an SRDF if `srdf` is not NULL, and as MJCF with `section`; checks
// scenes of both.
static void check_chains(Outcome* outcome, bool urdf, const char* text) {
    static char model[4000];
    write_scratch("urdf.yaml", "poise: 1\nrobots: {r: {urdf: chain.urdf}}\nkeep_apart: {}\n");
    write_scratch("mjcf.yaml", "poise: 1\nrobots: {r: {mjcf: chain.xml}}\nkeep_apart: {}\n");
    write_scratch("chain.urdf", chain_urdf);
    snprintf(model, sizeof model, chain_mjcf, urdf ? "" : text);
    write_scratch("chain.xml", model);
    if (urdf && text[0]) {
        write_scratch("chain.srdf", text);
    }
    run_program(outcome, "%s", urdf ? "check urdf.yaml" : "check mjcf.yaml");
}

static void expect_pairs(const Outcome* outcome, const char* count, bool body, bool hand) {
    cr_expect_eq(outcome->code, 0, "%s%s", outcome->out, outcome->err);
    cr_expect_not_null(strstr(outcome->out, count), "%s", outcome->out);
    cr_expect_eq(strstr(outcome->out, "r/a - r/d (2)") != NULL, body && hand, "%s", outcome->out);
    cr_expect_eq(strstr(outcome->out, "r/a - r/d\n") != NULL, body != hand, "%s", outcome->out);
}

// The hand and link d are one body; each of them is excluded alone.
PROGRAM_TEST(apart, pairs_that_a_robot_excludes_may_touch) {
    for (int urdf = 0; urdf < 2; urdf++) {
        check_chains(outcome, urdf != 0, "");
        expect_pairs(outcome, "5 pairs of shapes are kept apart", true, true);
        check_chains(outcome, urdf != 0,
                     urdf ? "<robot name='chain'><disable_collisions link1='d' link2='a' "
                            "reason='Never'/></robot>"
                          : "<contact><exclude body1='d' body2='a'/></contact>");
        expect_pairs(outcome, "4 pairs of shapes are kept apart", false, true);
        check_chains(outcome, urdf != 0,
                     urdf ? "<robot name='chain'><disable_collisions link1='a' link2='d'/>"
                            "<disable_collisions link1='hand' link2='a'/></robot>"
                          : "<contact><exclude body1='a' body2='d'/>"
                            "<exclude body1='hand' body2='a'/></contact>");
        expect_pairs(outcome, "3 pairs of shapes are kept apart", false, false);
    }
}

// Link c is at most 0.6 m from link a, and so is d from b.
PROGRAM_TEST(apart, pairs_without_room_for_the_distance_are_named) {
    check_chains(outcome, true, "");
    write_scratch("far.yaml",
                  "poise: 1\nrobots: {r: {urdf: chain.urdf}}\nkeep_apart: {distance: 0.65}\n");
    run_program(outcome, "check far.yaml");
    cr_expect_eq(outcome->code, 0, "%s%s", outcome->out, outcome->err);
    cr_expect_not_null(strstr(outcome->out, "warning: no posture found parts 2 pairs of shapes by "
                                            "650 mm, so they keep 10 mm: r/a - r/c, r/b - r/d\n"),
                       "%s", outcome->out);
    run_program(outcome, "check urdf.yaml");
    cr_expect_null(strstr(outcome->out, "no posture found"), "%s", outcome->out);
}

// A base of two boxes, of which one contains the first joint. Pairs: 5 with the post, 5 of links, 4
// of links with the box at the joint (its neighbour a is left out), and 5 with the other box. Link
// d and its hand have 4 with links, 4 with the base.
PROGRAM_TEST(apart, others_are_kept_off_the_bodies_of_from_alone) {
    static const struct {
        const char *keep, *pairs;
    } rows[] = {{"robots: self", "\n19 pairs of shapes are kept apart"},
                {"robots: others", "\n5 pairs of shapes are kept apart"},
                {"robots: others, from: [post]", "\n5 pairs of shapes are kept apart"},
                {"robots: others, from: [r/base]", "\n9 pairs of shapes are kept apart"},
                {"robots: others, from: [r/base, post]", "\n14 pairs of shapes are kept apart"},
                {"robots: others, from: [r/d]", "\n8 pairs of shapes are kept apart"}};
    static char model[4000];
    const char* rest = strstr(chain_urdf, "<link name='a'>");
    snprintf(model, sizeof model,
             "<robot name='chain'><link name='base'><collision><origin xyz='.4 0 0'/><geometry>"
             "<box size='.06 .06 .06'/></geometry></collision><collision><origin xyz='-.3 0 0'/>"
             "<geometry><box size='.06 .06 .06'/></geometry></collision></link>%s",
             rest);
    write_scratch("two.urdf", model);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char scene[400];
        snprintf(scene, sizeof scene,
                 "poise: 1\nrobots: {r: {urdf: two.urdf}}\n"
                 "bodies: {post: {sphere: 0.05, at: [1, 1, 1], fixed: true}}\n"
                 "keep_apart: {%s}\n",
                 rows[i].keep);
        write_scratch("two.yaml", scene);
        RUN_PROGRAM(outcome, "check", "two.yaml");
        cr_expect_not_null(strstr(outcome->out, rows[i].pairs), "%s: %s%s", rows[i].keep,
                           outcome->out, outcome->err);
    }
}

#define WEDGE_LINK(name)                                                                           \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='.01' ixy='0' ixz='0' "         \
    "iyy='.01' iyz='0' izz='.01'/></inertial><collision><geometry><mesh filename='wedge.obj'/>"    \
    "</geometry></collision></link>"
#define WEDGE_JOINT(name, parent, child)                                                           \
    "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child        \
    "'/><axis xyz='0 1 0'/><limit lower='-.3' upper='.3'/></joint>"

// The box around a prism with the legs 0.2 and 0.3 m stands off its hypotenuse by 0.06 / 0.3606 m.
PROGRAM_TEST(apart, a_fitted_shape_says_its_margin) {
    if (!has_meshes()) {
        return;
    }
    write_scratch("wedge.obj",
                  "v 0 0 0\nv 0.2 0 0\nv 0 0.1 0\nv 0.2 0.1 0\nv 0 0 0.3\nv 0 0.1 0.3\n"
                  "f 1 3 4\nf 1 4 2\nf 1 2 5\nf 3 6 4\nf 1 5 6\nf 1 6 3\nf 2 4 6\n"
                  "f 2 6 5\n");
    write_scratch("w.urdf",
                  "<robot name='w'><link name='base'/>" WEDGE_LINK("a") WEDGE_LINK("b")
                      WEDGE_LINK("c") WEDGE_JOINT("j", "base", "a") WEDGE_JOINT("k", "a", "b")
                          WEDGE_JOINT("l", "b", "c") "</robot>");
    write_scratch("w.yaml", "poise: 1\nrobots: {r: {urdf: w.urdf}}\nkeep_apart: {}\n");
    RUN_PROGRAM(outcome, "info", "w.yaml");
    cr_expect_not_null(strstr(outcome->out, "box +166.4 mm"), "%s", outcome->out);
    RUN_PROGRAM(outcome, "info", "w.yaml", "--json");
    cr_expect_not_null(strstr(outcome->out, "\"shapes\": [{\"kind\": \"box\", \"margin\": 0.1664"),
                       "%s", outcome->out);
    RUN_PROGRAM(outcome, "check", "w.yaml");
    cr_expect_not_null(strstr(outcome->out, "r/a - r/c, overlap now\n"), "%s", outcome->out);
    cr_expect_not_null(strstr(outcome->out, "up to 166.4 mm outside of them"), "%s", outcome->out);
    write_scratch("w.yaml", "poise: 1\nrobots: {r: {urdf: w.urdf, collision: hull}}\n");
    RUN_PROGRAM(outcome, "info", "w.yaml");
    cr_expect_not_null(strstr(outcome->out, "hull\n"), "%s", outcome->out);
}

PROGRAM_TEST(apart, an_exclusion_of_no_link_is_a_warning_with_its_place) {
    static const struct {
        bool urdf;
        const char* text;
        int code;
        const char* says;
    } rows[] = {
        {true, "<robot>\n<disable_collisions link1='a' link2='dd'/></robot>", 0,
         "chain.srdf:2:31: warning: <disable_collisions>: there is no link 'dd'"},
        {true, "<robot>\n <disable_collisions link1='a'/></robot>", 0,
         "chain.srdf:2:2: warning: <disable_collisions> lacks its 'link2'"},
        {true, "<robot>\n<disable_collisions link1='a' link2=''/></robot>", 0, "lacks its 'link2'"},
        {true, "<sdf/>", 3, "the root element of an SRDF must be <robot>, not <sdf>"},
        {true, "<robot>", 3, "chain.srdf:1"},
        {false, "<contact><exclude body1='aa' body2='d'/></contact>", 0,
         "chain.xml:2:19: warning: <exclude>: there is no link 'aa'"},
        {false, "<contact><exclude body2='d'/></contact>", 0, "<exclude> lacks its 'body1'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_chains(outcome, rows[i].urdf, rows[i].text);
        cr_expect_eq(outcome->code, rows[i].code, "%zu: %d\n%s", i, outcome->code, outcome->out);
        cr_expect(strstr(outcome->out, rows[i].says) || strstr(outcome->err, rows[i].says),
                  "%zu: %s%s", i, outcome->out, outcome->err);
        if (rows[i].code == 0) {
            cr_expect_not_null(strstr(outcome->out, "5 pairs of shapes are kept apart"));
        }
    }
}
