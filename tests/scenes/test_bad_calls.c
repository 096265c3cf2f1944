// SPDX-License-Identifier: MIT
// Invalid calls that tests/api cannot make from the headers alone: functions that print, wrong
// indices of functions that return a value, texts without room, and the words of refusals.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "poise/figures.h"
#include "poise/look.h"
#include "poise/output.h"
#include "poise/reading.h"
#include "poise/replay.h"
#include "poise/report.h"
#include "poise/study.h"
#include "poise/tip.h"
#include "poise/value.h"
#include "running.h"

#define ARM                                                                                        \
    "poise: 1\nworld: {gravity: [0, 0, 0], ground: {height: -1}}\n"                                \
    "bodies: {base: {box: [1, 1, 1], fixed: yes}, arm: {capsule: 0.05, mass: 1, from: [0, 0, 1], " \
    "to: [1, 0, 1]}, loose: {sphere: 0.1, at: [3, 0, 0]}}\n"                                       \
    "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, arm]}}\n"                    \
    "control_points: {tip: {body: arm, at: [0, 0, 0.5], position: [1, 0, 1]}, "                    \
    "all: {body: arm, com: on, position: [0.5, 0, 1]}}\n"

static const double not_finite = (double)INFINITY;

// Returns an index outside of 0..count - 1.
static int wrong_index(int trial, int count) {
    return trial == 0 ? -1 : count;
}

Test(bad_calls, a_missing_replay_is_refused) {
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    const PoiseReplay none = {.scene = NULL};
    cr_expect_null(poise_replay_load("no/such.replay", diagnostics));
    cr_expect_eq(poise_replay_print(NULL, stdout), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_replay_print(&none, stdout), POISE_ERROR_INVALID_ARGUMENT);
    poise_simulation_give_up(NULL);
}

// bodies, joints and points with an index that is out of range
RUNNING_TEST(bad_calls, indices_past_the_end_are_refused, running_start(ARM)) {
    PoiseSimulation* simulation = running->simulation;
    PoiseParameter parameter;
    for (int i = 0; i < 4; i++) {
        PoiseSimulation* of = i < 2 ? simulation : NULL;
        const int joint = wrong_index(i % 2, 1);
        cr_expect_str_eq(poise_simulation_body(of, wrong_index(i % 2, 3)).name, "");
        cr_expect_str_eq(poise_simulation_shape(of, wrong_index(i % 2, 9)).body, "");
        cr_expect_str_eq(poise_simulation_joint(of, joint).name, "");
        cr_expect_str_eq(poise_simulation_point(of, wrong_index(i % 2, 2)).name, "");
        cr_expect_eq(poise_simulation_joint_node(of, joint).index1, 0);
        cr_expect_eq(poise_simulation_joint_springs(of, joint).count, 0);
        cr_expect_eq(poise_simulation_joint_frame(of, joint).q.w, 1.0);
        cr_expect_not(poise_simulation_parameter(of, wrong_index(i % 2, 1000), &parameter));
        char text[40] = "x";
        cr_expect_str_eq(poise_value_key(of, wrong_index(i % 2, 1000), text, sizeof text), "");
    }
    cr_expect_eq(poise_simulation_find_parameter(simulation, NULL), -1);
}

// the body, joint or point exists, but does not have the requested property
RUNNING_TEST(bad_calls, parts_without_the_property_are_refused, running_start(ARM)) {
    PoiseSimulation* simulation = running->simulation;
    const uint64_t before = poise_simulation_state_hash(simulation);
    const PoiseVec3 place = poise_vec3(0.0, 0.0, 1.0);
    cr_expect_eq(poise_simulation_remove_point(simulation, 0), POISE_ERROR_WRONG_KIND);
    cr_expect_eq(poise_simulation_hold_turn(simulation, 0, poise_quat_identity()),
                 POISE_ERROR_WRONG_KIND);
    cr_expect_eq(poise_simulation_pull(simulation, 0, place, place), POISE_ERROR_CANNOT_MOVE);
    for (int body = 0; body < 3; body++) {
        cr_expect_eq(body == 1 ? POISE_ERROR_CANNOT_MOVE
                               : poise_simulation_add_point(simulation, body, place),
                     POISE_ERROR_CANNOT_MOVE);
        cr_expect_eq(body == 2
                         ? POISE_ERROR_CANNOT_MOVE
                         : poise_simulation_place_body(simulation, body, poise_pose_identity()),
                     POISE_ERROR_CANNOT_MOVE);
    }
    cr_expect_eq(poise_simulation_pose_joint(simulation, 0, &place.x, 2),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_simulation_set_natural(simulation, 0, &place.x, 2),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_simulation_state_hash(simulation), before);
}

RUNNING_TEST(bad_calls, tips_and_numbers_without_memory_or_name_are_refused, running_start(ARM)) {
    const PoiseSimulation* simulation = running->simulation;
    PoiseTip tip;
    char text[200];
    double number = 0.0;
    bool settable = false;
    cr_expect_str_eq(poise_tip_find(simulation, "arm", &tip, NULL, 9),
                     "there is no room for a message");
    cr_expect_str_eq(poise_tip_find(simulation, "arm", &tip, text, 0),
                     "there is no room for a message");
    const PoiseSimulation* const simulations[] = {NULL, simulation, simulation};
    const char* const names[] = {"arm", NULL, "arm"};
    PoiseTip* const tips[] = {&tip, &tip, NULL};
    for (int i = 0; i < 3; i++) {
        cr_expect_str_eq(poise_tip_find(simulations[i], names[i], tips[i], text, sizeof text),
                         "the simulation, the name or the tip is NULL");
    }
    cr_expect_str_eq(poise_tip_find(simulation, "all", &tip, text, sizeof text),
                     "'all' is a centre of mass, of no one link");
    cr_expect_str_eq(poise_tip_find(simulation, "loose", &tip, text, sizeof text),
                     "no joint can move 'loose'");
    cr_expect_str_eq(poise_tip_column(simulation, NULL, 0, NULL, 9), "");
    cr_expect_str_eq(poise_tip_column(simulation, NULL, 0, text, 0), "");
    cr_expect_str_eq(poise_tip_column(simulation, NULL, -1, text, sizeof text), "");
    cr_expect_str_eq(poise_value_key(simulation, 0, NULL, 9), "");
    cr_expect_str_eq(poise_value_key(simulation, 0, text, 0), "");
    cr_expect_not(poise_value_about(simulation, NULL, &settable, text, sizeof text));
    cr_expect(poise_value_about(simulation, "ik.sweeps", NULL, NULL, 0));
    cr_expect_eq(poise_value_set(running->simulation, "time", 1.0), POISE_ERROR_WRONG_KIND);
    cr_expect_eq(poise_array_read(simulation, POISE_ARRAY_BODY_PLACE, &number, 1),
                 POISE_ERROR_INVALID_ARGUMENT);
}

// rows, tips, targets or answers are missing, or numbers are not finite
RUNNING_TEST(bad_calls, incomplete_batches_are_refused, running_start(ARM)) {
    PoiseTip tip;
    char text[200];
    cr_assert_null(poise_tip_find(running->simulation, "arm", &tip, text, sizeof text));
    const PoisePose target = poise_pose(poise_vec3(0.5, 0.0, 1.0), poise_quat_identity());
    const PoisePose far = poise_pose(poise_vec3(not_finite, 0.0, 0.0), poise_quat_identity());
    double posture[1] = {7.0};
    const PoiseTipBatch good = {
        .count = 1, .tips = &tip, .tip_count = 1, .targets = &target, .postures = posture};
    PoiseTipBatch bad[6] = {good, good, good, good, good, good};
    bad[0].count = -1;
    bad[1].tip_count = 0;
    bad[2].tips = NULL;
    bad[3].targets = NULL;
    bad[4].postures = NULL;
    bad[5].targets = &far;
    static const char* const words[] = {"count must",  "must be a tip", "must be a tip",
                                        "targets and", "targets and",   "a target is not finite"};
    for (int i = 0; i < 6; i++) {
        int row = 7;
        cr_expect_eq(poise_tips_reach(running->simulation, NULL, &bad[i]),
                     POISE_ERROR_INVALID_ARGUMENT, "row %d", i);
        cr_expect_eq(posture[0], 7.0, "row %d", i);
        const char* problem = poise_tip_batch_problem(running->simulation, &bad[i], &row);
        cr_expect(problem && strstr(problem, words[i]), "row %d: %s", i, problem);
        cr_expect_eq(row, i == 5 ? 0 : -1, "row %d", i);
    }
    cr_expect_null(poise_tip_batch_problem(running->simulation, &good, NULL));
    cr_expect_not_null(poise_tip_batch_problem(NULL, &good, NULL));
    cr_expect_eq(poise_simulation_posture(running->simulation, posture), POISE_OK);
    cr_expect_eq(posture[0], 0.0);
    posture[0] = 7.0;
    bad[3].count = 0;
    cr_expect_eq(poise_tips_reach(running->simulation, NULL, &bad[3]), POISE_OK);
    cr_expect_eq(poise_tips_reach(running->simulation, NULL, &good), POISE_OK);
    cr_expect(cos(posture[0]) > 1.0 - 1e-6, "%g", posture[0]);
}

Test(bad_calls, missing_findings_texts_and_words_are_refused) {
    char text[80] = "x";
    const PoiseMark mark = {NULL, 1, 1};
    const char* const words[] = {"spring", "damper"};
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    cr_assert_not_null(diagnostics);
    poise_diagnostics_add(diagnostics, POISE_ERROR, mark, NULL);
    poise_diagnostics_add(diagnostics, (PoiseSeverity)-1, mark, "none");
    poise_diagnostics_add(diagnostics, (PoiseSeverity)9, mark, "none");
    poise_diagnostics_add_file(diagnostics, "/nowhere/at.yaml");
    cr_expect_null(poise_diagnostics_file(diagnostics, 0));
    cr_expect_null(poise_output_replaced(NULL, diagnostics));
    cr_expect_null(poise_output_replaced("/dev/null", NULL));
    cr_expect_eq(poise_diagnostics_size(diagnostics), 0);
    poise_diagnostics_add(diagnostics, POISE_WARNING, mark, "a bell \a rings");
    cr_expect_eq(poise_diagnostics_size(diagnostics), 1);
    cr_expect_str_eq(poise_diagnostics_at(diagnostics, 0).text, "a bell ? rings");
    cr_expect_str_eq(poise_diagnostics_at(diagnostics, 0).mark.file, "");
    cr_expect(poise_diagnostics_count(diagnostics, (PoiseSeverity)9) == 0 &&
              poise_diagnostics_count(diagnostics, (PoiseSeverity)-1) == 0);
    for (int trial = 0; trial < 2; trial++) {
        const int index = wrong_index(trial, 1);
        cr_expect_str_eq(poise_diagnostics_at(diagnostics, index).text, "");
        cr_expect_null(poise_diagnostics_file(diagnostics, index));
    }
    cr_expect_str_eq(poise_diagnostics_left_out(diagnostics, NULL, 9), "");
    cr_expect_str_eq(poise_diagnostics_left_out(diagnostics, text, 0), "");
    poise_diagnostics_print(NULL, POISE_NOTE, stdout);
    cr_expect_str_eq(poise_scene_guess("sprnig", words, 2, text, sizeof text),
                     "; did you mean 'spring'?");
    cr_expect_str_eq(poise_word_guess("dampr", words, 2, text, sizeof text),
                     "; did you mean 'damper'?");
    cr_expect_str_eq(poise_scene_guess("x", NULL, 2, text, sizeof text), "");
    cr_expect_str_eq(poise_word_guess("x", NULL, 2, text, sizeof text), "");
    cr_expect_str_eq(poise_scene_guess("x", words, 2, NULL, 9), "");
    cr_expect_str_eq(poise_scene_guess("x", words, 2, text, 0), "");
    cr_expect_str_eq(poise_word_guess("x", words, 2, NULL, 9), "");
    cr_expect_str_eq(poise_word_guess("x", words, 2, text, 0), "");
}

Test(bad_calls, missing_scenes_and_files_are_refused) {
    char text[40] = "x";
    PoiseLookMesh mesh = {.seconds = 3.0};
    const PoiseSceneLook look = {.mesh = NULL};
    Loaded loaded = required(load_text("t.yaml", ARM));
    cr_expect(poise_scene_find_frame(loaded.scene, NULL) == -1 &&
              poise_scene_find_joint(loaded.scene, NULL) == -1 &&
              poise_scene_find_point(loaded.scene, NULL) == -1);
    cr_expect_eq(poise_scene_find_point(loaded.scene, "tip"), 0);
    cr_expect_str_eq(poise_scene_folder(NULL, 9), "");
    cr_expect_str_eq(poise_scene_folder(text, 0), "");
    cr_expect_str_eq(poise_scene_find_file(NULL, text, sizeof text), "");
    cr_expect_str_eq(poise_scene_find_file("", text, sizeof text), "");
    cr_expect_str_eq(poise_scene_find_file("nothing/of/it", text, sizeof text), "nothing/of/it");
    cr_expect_str_eq(poise_scene_find_file("reach", NULL, 9), "reach");
    cr_expect_str_eq(poise_scene_find_file("reach", text, 3), "reach");
    cr_expect(!poise_look_read(NULL, &mesh) && mesh.seconds == 3.0);
    cr_expect_not(poise_look_read(&look, NULL));
    cr_expect(!poise_look_read(&look, &mesh) && mesh.seconds == 0.0);
    poise_look_finish(NULL);
}

Test(bad_calls, missing_studies_and_reports_are_refused) {
    poise_format_print(NULL);
    poise_format_print_json(NULL);
    char text[40] = "x";
    PoiseStudyRow row = {.figures = NULL};
    static const char* const settings[] = {
        "scene=springhead_2balls", "vary.defaults.joint.ik.spring=1000,2000", "figures=tip.error"};
    const PoiseStudySource source = {.settings = settings, .setting_count = 3};
    const PoiseStudySource bad[] = {{.settings = settings, .setting_count = -1},
                                    {.settings = NULL, .setting_count = 1}};
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    cr_expect_null(poise_study_load(&bad[0], diagnostics));
    cr_expect_null(poise_study_load(&bad[1], diagnostics));
    PoiseStudy* study = poise_study_load(&source, diagnostics);
    cr_assert_not_null(study);
    cr_expect_str_eq(poise_study_value(study, 1, 0, text, sizeof text), "2000");
    cr_expect_str_eq(poise_study_value(study, 1, 0, NULL, 9), "");
    cr_expect_str_eq(poise_study_value(study, 1, 0, text, 0), "");
    for (int trial = 0; trial < 2; trial++) {
        cr_expect_str_eq(poise_study_key(study, wrong_index(trial, 1)), "");
        cr_expect_str_eq(poise_study_figure(study, wrong_index(trial, 1)), "");
        cr_expect_str_eq(poise_study_value(study, wrong_index(trial, 2), 0, text, sizeof text), "");
        cr_expect_str_eq(poise_study_value(study, 0, wrong_index(trial, 1), text, sizeof text), "");
        cr_expect_eq(poise_study_run(study, wrong_index(trial, 2), &row),
                     POISE_ERROR_INVALID_ARGUMENT);
    }
    poise_study_destroy(study);
    cr_expect_null(poise_figure_at(-1));
    cr_expect_null(poise_figure_at(10000));
}

// a number of steps that no run can have, and columns without rows
RUNNING_TEST(bad_calls, incomplete_runs_are_refused, running_start(ARM)) {
    PoiseColumn column;
    double number = 0.0;
    cr_assert(poise_column_find(running->simulation, POISE_FIGURE_CSV, "tip.error", &column));
    const PoiseRunDef rows[] = {{.steps = -1},
                                {.steps = 1, .total = -1},
                                {.steps = 1, .column_count = -1},
                                {.steps = 1, .column_count = 1, .columns = &column},
                                {.steps = 1, .column_count = 1, .rows = &number}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        long made = -1;
        cr_expect_eq(poise_simulation_run(running->simulation, &rows[i], &made),
                     POISE_ERROR_INVALID_ARGUMENT, "row %zu", i);
    }
    cr_expect_eq(poise_simulation_step_count(running->simulation), 0);
    const PoiseRunDef good = {.steps = 1, .column_count = 1, .columns = &column, .rows = &number};
    cr_expect_eq(poise_simulation_run(running->simulation, &good, NULL), POISE_OK);
    cr_expect_eq(number, poise_simulation_point(running->simulation, 0).reading.miss);
}

// goals without information give the origin, no rotation and zero velocity
Test(bad_calls, goals_without_values_are_refused) {
    const PoisePositionGoal places[] = {{.kind = POISE_GOAL_NONE},
                                        {.kind = POISE_GOAL_FIXED},
                                        {.kind = POISE_GOAL_PATH, .count = 2}};
    const PoiseOrientationGoal turns[] = {{.kind = POISE_GOAL_NONE},
                                          {.kind = POISE_GOAL_FIXED},
                                          {.kind = POISE_GOAL_PATH, .count = 2}};
    for (int i = -1; i < 3; i++) {
        PoiseVec3 velocity = poise_vec3(1.0, 1.0, 1.0);
        PoiseVec3 turning = velocity;
        const PoiseVec3 place = poise_position_goal_at(i < 0 ? NULL : &places[i], 1.0, &velocity);
        const PoiseQuat turn = poise_orientation_goal_at(i < 0 ? NULL : &turns[i], 1.0, &turning);
        cr_expect(poise_length(place) == 0.0 && poise_length(velocity) == 0.0, "%d", i);
        cr_expect(turn.w == 1.0 && poise_length(turning) == 0.0, "%d", i);
        cr_expect_eq(poise_length(poise_position_goal_at(i < 0 ? NULL : &places[i], 1.0, NULL)),
                     0.0);
        cr_expect_eq(poise_orientation_goal_at(i < 0 ? NULL : &turns[i], 1.0, NULL).w, 1.0);
    }
}
