// SPDX-License-Identifier: MIT
// Scenes whose bodies are kept apart: no contact force in any step.
#include <math.h>

#include "running.h"
#include "works.h"

// Runs the scene and returns the largest contact force on the bodies of joints and on obstacles, N.
static double largest_force(const Running* running, double seconds) {
    const PoiseSimulation* simulation = running->simulation;
    double largest = 0.0;
    while (poise_simulation_time(simulation) < seconds) {
        running_steps(running, poise_simulation_step_length(simulation));
        for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
            const PoiseVec3 force = poise_simulation_body(simulation, i).contact_force;
            largest = fmax(largest, poise_length(force));
        }
    }
    return largest;
}

// The pen is held off its place while the post is there, and met before and after.
Test(apart, a_hand_gives_room_to_a_post_that_passes) {
    Running running = running_open(POISE_SOURCE_DIR "/scenes/past_post.yaml");
    cr_expect_eq(largest_force(&running, 3.0), 0.0);
    cr_expect_lt(point_named(&running, "pen").reading.miss, 1e-4);
    cr_expect_eq(largest_force(&running, 4.6), 0.0);
    const PoisePointView pen = point_named(&running, "pen");
    char text[POISE_WHY_TEXT];
    const PoiseNodeNames names = poise_simulation_node_names(running.simulation);
    cr_expect_gt(pen.reading.miss, 0.01, "%g m", pen.reading.miss);
    cr_expect_eq(pen.reading.why == POISE_WHY_APART || pen.reading.why == POISE_WHY_MOVING, true);
    cr_expect_not_null(poise_point_why_text(&pen.reading, &names, text, sizeof text));
    cr_expect_eq(largest_force(&running, 8.0), 0.0);
    cr_expect_lt(point_named(&running, "pen").reading.miss, 1e-4);
    running_finish(&running);
}

static const char two_links[] =
    "poise: 1\n"
    "world: {gravity: [0, 0, 0]}\n"
    "bodies:\n"
    "  upper: {capsule: 0.04, from: [0, 0, 1], to: [0.4, 0, 1], mass: 1}\n"
    "  lower: {capsule: 0.04, from: [0.4, 0, 1], to: [0.8, 0, 1], mass: 1}\n"
    "  wall: {box: [0.1, 2, 1], at: [0.88, 0, 1], fixed: true}\n"
    "joints:\n"
    "  shoulder: {hinge: [0, 0, 1], between: [world, upper], axis: [0, 0, 1], "
    "ik: {spring: 500, damper: 50}}\n"
    "  elbow: {hinge: [0.4, 0, 1], between: [upper, lower], axis: [0, 0, 1], "
    "ik: {spring: 500, damper: 50}}\n"
    "control_points:\n"
    "  tip: {body: lower, at: [0, 0, 0.2], uses: '*', position: [0.9, 0.2, 1]}\n"
    "keep_apart: {robots: others, from: [wall], distance: 0.02}\n";

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
    running_finish(&running);
}

Test(apart, names_that_are_no_bodies_are_refused) {
    Loaded loaded = load_text("a.yaml", "poise: 1\nbodies: {a: {box: [1, 1, 1], fixed: true}}\n"
                                        "keep_apart: {from: [nobody]}\n");
    cr_expect(found(&loaded, POISE_ERROR, 3, 0, "nobody"));
    unload(&loaded);
}
