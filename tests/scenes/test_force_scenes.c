// SPDX-License-Identifier: MIT
// Tests the figures of the scenes of forces and springs (rows 0.12, 0.14, 1.4 of DOCUMENTS.md),
// beyond the upper bounds in the scenes.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "poise/simulation.h"
#include "program.h"
#include "running.h"

// Row 0.12 of DOCUMENTS.md: the simulated and the predicted miss
PROGRAM_TEST(force_scenes, blend_sweep_has_the_predicted_misses) {
    static const struct {
        const char* point;
        double miss;
    } rows[] = {{"tip0_1", 1.0266943426}, {"tip1", 0.5665869971},  {"tip5", 0.1887959198},
                {"tip9", 0.1132318005},   {"tip99", 0.0113150093}, {"tip999", 0.0011314067}};
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/blend_sweep.yaml --json");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double miss = rows[i].miss;
        EXPECT_NEAR(figure_of(outcome, rows[i].point, "error"), miss, 1e-6 * miss);
        EXPECT_NEAR(figure_of(outcome, rows[i].point, "predicted_miss"), miss, 1e-6 * miss);
    }
    const char* point = strstr(outcome->out, "\"tip0_1\": {");
    const char* held = point ? strstr(point, "\"held_by\": ") : NULL;
    cr_expect(held && strncmp(held, "\"held_by\": \"springs\"", 20) == 0, "%s", outcome->out);
}

// Returns the place of a point of the simulation, in the frames of the last fill.
static PoiseVec3 place_of(const PoiseSimulation* simulation, const char* name) {
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (strcmp(view.name, name) == 0) {
            return poise_point_planned_pose(poise_simulation_tree(simulation), view.point).p;
        }
    }
    cr_assert_fail("no point %s", name);
    return poise_vec3(0.0, 0.0, 0.0);
}

// Moves the mass of each forearm (1 kg) in the tree by `farther` m beyond its middle, seen from the
// elbow. The ODE bodies stay.
static void count_forearms(PoiseSimulation* simulation, const PoiseScene* scene, double farther) {
    static const char* const names[] = {"yogi/right_elbow_yaw", "yogi/left_elbow_yaw"};
    for (int i = 0; i < 2; i++) {
        const int joint = poise_scene_find_joint(scene, names[i]);
        cr_assert(joint >= 0, "%s", names[i]);
        cr_assert_eq(poise_node_set_mass(poise_simulation_tree(simulation),
                                         poise_simulation_joint_node(simulation, joint), 1.0,
                                         poise_vec3(0.0, 0.0, -farther)),
                     POISE_OK);
    }
    cr_assert_eq(poise_forward(poise_simulation_tree(simulation)), POISE_OK);
}

// Row 1.4. The article's hands fit springs under forearms of 0.3 kg m beyond the elbow: 1 kg in
// their middle, 1 kg at the wrist. Its centre of mass fits 0.5 kg m, as if the wrists' kilogram
// were a forearm's length beyond the wrist. The article computes that centre from the joints'
// angles and another table of masses. Springs simulated in ODE with the first table, and a centre
// of mass computed with the second, give all printed numbers.
Test(force_scenes, yoga_sag_has_the_printed_centre_of_mass_by_the_articles_own_table) {
    const PoiseVec3 printed = poise_vec3(0.017037, -0.005541, 1.056449);
    const PoiseVec3 hand = poise_vec3(0.122560, 0.000257, 1.276572);
    const PoiseVec3 foot = poise_vec3(0.0, 0.036232, 0.547969);
    Loaded loaded = load_file(POISE_SOURCE_DIR "/scenes/yoga_sag.yaml");
    PoiseSimulation* simulation = run(loaded).simulation;
    for (int i = 0; i < 2400; i++) {
        cr_assert(poise_simulation_step(simulation) >= 0);
    }
    EXPECT_NEAR3(place_of(simulation, "right_foot"), foot, 1e-6);
    EXPECT_NEAR3(place_of(simulation, "right_hand"), hand, 1e-5);
    const double own = poise_length(poise_sub(place_of(simulation, "balance"), printed));
    cr_expect(own > 2e-5, "the bodies' own centre of mass is %g m off", own);
    count_forearms(simulation, loaded.scene, 0.2);
    EXPECT_NEAR3(place_of(simulation, "balance"), printed, 2e-6);
}

// Only the pressure of the two hands holds the crate. Each hand carries half of its 3 kg.
Test(force_scenes, the_crate_is_where_it_was_carried) {
    Loaded loaded = load_file(POISE_SOURCE_DIR "/scenes/crate.yaml");
    PoiseSimulation* simulation = run(loaded).simulation;
    for (int i = 0; i < 2000; i++) {
        cr_assert(poise_simulation_step(simulation) >= 0);
    }
    bool found = false;
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        if (strcmp(shape.body, "crate") == 0) {
            found = true;
            EXPECT_NEAR3(shape.pose_world.p, poise_vec3(0.3, 0.0, 0.84), 0.02);
        }
    }
    cr_expect(found);
    for (int i = 0; i < 2; i++) {
        PoisePointView palm = poise_simulation_point(simulation, i);
        EXPECT_NEAR(palm.force_measured.z, 0.5 * 3.0 * 9.81, 0.2);
    }
}

// The output has the requested and the measured force.
PROGRAM_TEST(force_scenes, press_wall_prints_what_was_asked_and_measured) {
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/press_wall.yaml --json");
    const char* at = strstr(outcome->out, "\"force\": [20, 0, 0], \"force_measured\": [");
    cr_assert_not_null(at, "%s", outcome->out);
    EXPECT_NEAR(strtod(strstr(at, "measured\": [") + strlen("measured\": ["), NULL), 20.0, 0.2);
    EXPECT_NEAR(figure_of(outcome, "finger", "force_error"), 0.0, 0.2);
}

// A hand as thin as a needle presses as a thick one does, and no step is long.
Test(force_scenes, thin_hands_press_the_wall_too) {
    static const double radii[] = {0.02, 0.009, 0.005, 0.002, 0.001};
    static const char* const references[] = {"own", "measured"};
    for (int i = 0; i < 10; i++) {
        const double radius = radii[i % 5];
        char hand[64], at[64], reference[64];
        snprintf(hand, sizeof hand, "bodies.hand.capsule=%g", radius);
        snprintf(at, sizeof at, "control_points.finger.at=[0, 0, %g]", 0.05 + radius);
        snprintf(reference, sizeof reference, "ik.reference=%s", references[i / 5]);
        const char* const overrides[] = {hand, at, reference};
        const PoiseSceneSource source = {.path = POISE_SOURCE_DIR "/scenes/press_wall.yaml",
                                         .overrides = overrides,
                                         .override_count = 3};
        PoiseSimulation* simulation = run(load_source(&source)).simulation;
        PoisePointView finger = poise_simulation_point(simulation, 0);
        double longest = 0.0;
        for (int step = 0; step < 3000; step++) {
            const PoiseVec3 before = finger.pose_world.p;
            cr_assert(poise_simulation_step(simulation) >= 0);
            finger = poise_simulation_point(simulation, 0);
            longest = fmax(longest, poise_length(poise_sub(finger.pose_world.p, before)));
        }
        EXPECT_NEAR(finger.force_measured.x, 20.0, 0.2);
        cr_expect_lt(finger.reading.miss, 1e-3, "radius %g: %g m off", radius, finger.reading.miss);
        // its first steps, up from where it hangs, are the longest
        cr_expect_lt(longest, 5e-3, "radius %g: %g m in a step", radius, longest);
    }
}

// Returns the third number of the first list after `key`.
static double third_of(const char* text, const char* key) {
    const char* at = strstr(text, key);
    cr_assert_not_null(at, "no %s in %s", key, text);
    at = strchr(strchr(strchr(at, '['), ',') + 1, ',') + 1;
    return strtod(at, NULL);
}

// The feet support the requested force, and the report says that the ground can provide it.
PROGRAM_TEST(force_scenes, stand_and_press_tells_what_the_ground_bears) {
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/stand_and_press.yaml --json");
    const char* left = strstr(outcome->out, "\"left_foot\"");
    const char* right = strstr(outcome->out, "\"right_foot\"");
    const char* support = strstr(outcome->out, "\"support\": {\"verdict\": \"stands\"");
    cr_assert(left && right && support, "%s", outcome->out);
    const double borne =
        third_of(left, "\"ground_force\": ") + third_of(right, "\"ground_force\": ");
    EXPECT_NEAR(borne, third_of(support, "\"force\": "), 0.01);
    EXPECT_NEAR(strtod(strstr(support, "\"force\": [") + strlen("\"force\": ["), NULL), 50.0, 1e-6);
    cr_expect_gt(strtod(strstr(support, "\"part\": ") + strlen("\"part\": "), NULL), 1.0);
    // with soles of ice the verdict is that the figure slides
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/stand_and_press.yaml --json"
                         " --set world.friction=0.04 --seconds 3.2");
    EXPECT_HAS(outcome->out, "\"support\": {\"verdict\": \"slides\"");
}
