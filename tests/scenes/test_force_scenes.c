// SPDX-License-Identifier: MIT
// The scenes of forces and springs, beyond the upper bounds that they state themselves: what their
// figures are (rows 0.12, 0.14, 1.4).
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loaded.h"
#include "near.h"
#include "poise/simulation.h"
#include "program.h"

// a number of a point in what `poise run --json` printed
static double figure_of(const char* json, const char* point, const char* field) {
    char key[80];
    snprintf(key, sizeof key, "\"%s\": {", point);
    const char* at = strstr(json, key);
    cr_assert_not_null(at, "no point %s", point);
    snprintf(key, sizeof key, "\"%s\": ", field);
    at = strstr(at, key);
    cr_assert_not_null(at, "no %s of %s", field, point);
    return strtod(at + strlen(key), NULL);
}

// row 0.12: simulated, and foreseen
Test(force_scenes, blend_sweep_misses_by_what_the_springs_say) {
    static const struct {
        const char* point;
        double miss;
    } rows[] = {{"tip0_1", 1.0266943426}, {"tip1", 0.5665869971},  {"tip5", 0.1887959198},
                {"tip9", 0.1132318005},   {"tip99", 0.0113150093}, {"tip999", 0.0011314067}};
    Outcome* outcome = outcome_create();
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/blend_sweep.yaml --json");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double miss = rows[i].miss;
        EXPECT_NEAR(figure_of(outcome->out, rows[i].point, "error"), miss, 1e-6 * miss);
        EXPECT_NEAR(figure_of(outcome->out, rows[i].point, "predicted_miss"), miss, 1e-6 * miss);
    }
    outcome_destroy(outcome);
}

// row 1.4: with arms that sag as those of the printed centre of mass do
Test(force_scenes, yoga_sag_has_the_printed_centre_of_mass_once_its_arms_sag_so) {
    static const char command[] = "run " POISE_SOURCE_DIR "/scenes/yoga_sag.yaml --json"
                                  " --set robots.yogi.pose.right_shoulder_pitch=-0.7853943501014008"
                                  " --set robots.yogi.pose.right_shoulder_roll=-0.5249855636385763"
                                  " --set robots.yogi.pose.right_shoulder_yaw=1.571993982725776"
                                  " --set robots.yogi.pose.right_elbow=-2.093000002595809"
                                  " --set robots.yogi.pose.left_shoulder_pitch=-0.7853943501014012"
                                  " --set robots.yogi.pose.left_shoulder_roll=0.5249855636387784"
                                  " --set robots.yogi.pose.left_shoulder_yaw=-1.571993982725775"
                                  " --set robots.yogi.pose.left_elbow=-2.093000002595806";
    Outcome* outcome = outcome_create();
    run_program(outcome, command);
    EXPECT_NEAR(figure_of(outcome->out, "balance", "error"), 0.0, 2e-6);
    EXPECT_NEAR(figure_of(outcome->out, "right_foot", "error"), 0.0, 1e-6);
    EXPECT_NEAR(figure_of(outcome->out, "right_hand", "error"), 0.0, 1e-3);
    EXPECT_NEAR(figure_of(outcome->out, "left_hand", "error"), 0.0, 1e-3);
    outcome_destroy(outcome);
}

// nothing but the squeeze holds it; each hand bears half of its 3 kg
Test(force_scenes, the_crate_is_where_it_was_carried) {
    Loaded loaded = load_file(POISE_SOURCE_DIR "/scenes/crate.yaml");
    REQUIRE_SCENE(loaded);
    PoiseSimulation* simulation = poise_simulation_create(loaded.scene, loaded.diagnostics);
    cr_assert_not_null(simulation);
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
    poise_simulation_destroy(simulation);
    unload(&loaded);
}

// what is printed of a force
Test(force_scenes, press_wall_prints_what_was_asked_and_measured) {
    Outcome* outcome = outcome_create();
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/press_wall.yaml --json");
    const char* at = strstr(outcome->out, "\"force\": [20, 0, 0], \"force_measured\": [");
    cr_assert_not_null(at, "%s", outcome->out);
    EXPECT_NEAR(strtod(strstr(at, "measured\": [") + strlen("measured\": ["), NULL), 20.0, 0.2);
    EXPECT_NEAR(figure_of(outcome->out, "finger", "force_error"), 0.0, 0.2);
    outcome_destroy(outcome);
}
