// SPDX-License-Identifier: MIT
// Runs every scene of scenes/ in the program. Each must keep its own bounds.
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "running.h"
#include "text.h"

Test(scenes, each_keeps_its_own_bounds, .timeout = 240) {
    Outcome* outcome = outcome_create();
    DIR* folder = opendir(POISE_SOURCE_DIR "/scenes");
    cr_assert_not_null(folder);
    int count = 0;
    for (struct dirent* entry = readdir(folder); entry; entry = readdir(folder)) {
        const char* dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0) {
            continue;
        }
        run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/%.80s --expect --quiet",
                    entry->d_name);
        cr_expect(outcome->code == 0, "%s: ended with %d\n%s", entry->d_name, outcome->code,
                  outcome->err);
        count++;
    }
    closedir(folder);
    cr_expect(count >= 15, "%d scenes", count);
    outcome_destroy(outcome);
}

// Compares the strict order of priorities.yaml with the same goals by weight alone.
PROGRAM_TEST(scenes, a_first_priority_takes_no_notice_of_the_others) {
    static const char* const orders[] = {
        "",
        " --set control_points.trunk.priority=0 --set control_points.lifted.priority=0",
    };
    double hand[2];
    for (int i = 0; i < 2; i++) {
        run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/priorities.yaml --json%s", orders[i]);
        const char* found_hand = strstr(outcome->out, "\"hand\": {");
        const char* rms = found_hand ? strstr(found_hand, "\"rms_error\": ") : NULL;
        cr_assert_not_null(rms, "%s", outcome->err);
        hand[i] = strtod(rms + strlen("\"rms_error\": "), NULL);
    }
    cr_expect(hand[0] < 0.3 * hand[1], "%g m in order, %g m by weight", hand[0], hand[1]);
}

// A point of low priority with little freedom must not release the springs' velocities.
PROGRAM_TEST(scenes, a_second_priority_does_not_unsettle_a_whole_figure) {
    run_program(outcome, "run " POISE_SOURCE_DIR
                         "/scenes/full_body.yaml --set control_points.trunk.priority=1 --json");
    static const char* const points[] = {"left_hand", "right_hand", "left_foot", "right_foot"};
    for (int i = 0; i < 4; i++) {
        char key[40];
        snprintf(key, sizeof key, "\"%s\": {", points[i]);
        const char* point = strstr(outcome->out, key);
        const char* rms = point ? strstr(point, "\"rms_error\": ") : NULL;
        cr_assert_not_null(rms, "%s", outcome->err);
        double error = strtod(rms + strlen("\"rms_error\": "), NULL);
        cr_expect(error < 0.03, "%s: %g m", points[i], error);
    }
}

// The README's example as printed: next to robots/, without options.
PROGRAM_TEST(scenes, the_example_of_the_readme_follows_its_path) {
    char* text = text_of(POISE_SOURCE_DIR "/README.md");
    char* yaml = strstr(text, "```yaml\n");
    cr_assert_not_null(yaml);
    yaml += strlen("```yaml\n");
    char* end = strstr(yaml, "```");
    cr_assert_not_null(end);
    *end = '\0';
    write_scratch("example.yaml", yaml);
    // column 2 is the error, m: small in all steps of the 10 s, from the first on
    run_shell(outcome, "ln -s '" POISE_SOURCE_DIR "/scenes/robots' robots && "
                       "\"$POISE\" run example.yaml --quiet --csv - | "
                       "awk -F, 'NR > 1 && $2 > largest {largest = $2} END {print NR, largest}'");
    int rows = 0;
    double largest = 1.0;
    cr_assert_eq(sscanf(outcome->out, "%d %lf", &rows, &largest), 2, "%s", outcome->err);
    cr_expect_eq(rows, 1001);
    cr_expect(largest < 0.01, "up to %g m off", largest);
    run_program(outcome, "run example.yaml --quiet --expect --set expect.pen.rms_error=0.0005 "
                         "--set expect.pen.max_error=0.003");
    cr_expect(outcome->code == 0, "%s", outcome->err);
    free(text);
}

// The second finger mimics the first. Springs hold both, so that the gripper opens by the same
// distance to both sides.
PROGRAM_TEST(scenes, the_fingers_of_the_panda_are_equally_open) {
    run_program(outcome, "run panda_square --json");
    for (int i = 1; i <= 2; i++) {
        char name[60];
        snprintf(name, sizeof name, "panda/panda_finger_joint%d", i);
        char key[80];
        snprintf(key, sizeof key, "\"%s\": {\"angle\": ", name);
        const char* found = strstr(outcome->out, key);
        cr_assert_not_null(found, "no %s in %s", key, outcome->out);
        double opening = strtod(found + strlen(key), NULL);
        cr_expect(fabs(opening - 0.015) < 1e-4, "finger %d is %g m open", i, opening);
    }
}

// The right arm is the mirrored left arm. The two points are at mirrored places of the hands.
Test(scenes, the_palms_of_reach_are_at_the_same_place_of_either_hand) {
    Loaded loaded = required(load_file(POISE_SOURCE_DIR "/scenes/reach.yaml"));
    const PoiseScene* scene = loaded.scene;
    const PoiseScenePoint* left = &scene->points[poise_scene_find_point(scene, "left_palm")];
    const PoiseScenePoint* right = &scene->points[poise_scene_find_point(scene, "right_palm")];
    PoiseVec3 a = poise_pose_apply(scene->bodies[left->body.index].pose, left->in_body.p);
    PoiseVec3 b = poise_pose_apply(scene->bodies[right->body.index].pose, right->in_body.p);
    cr_expect(poise_length(poise_sub(a, poise_vec3(b.x, -b.y, b.z))) < 1e-12,
              "(%g %g %g) and (%g %g %g)", a.x, a.y, a.z, b.x, b.y, b.z);
}

// ------------------------------------------------------------------------------ seventeen points

// Row 2.1-2.3: each of the seventeen points is switched off and on while the figure moves. At the
// end the points of the first priority have met their goals.
Test(scenes, seventeen_points_are_switched_while_the_figure_moves) {
    Running figure = running_open(POISE_SOURCE_DIR "/scenes/full_body_points.yaml");
    PoiseSimulation* simulation = figure.simulation;
    const int count = poise_simulation_point_count(simulation);
    cr_assert_eq(count, 17);
    for (int i = 0; i < count; i++) {
        char key[120];
        snprintf(key, sizeof key, "control_points.%s.enabled",
                 poise_simulation_point(simulation, i).name);
        const int parameter = poise_simulation_find_parameter(simulation, key);
        cr_assert_geq(parameter, 0, "%s", key);
        for (int on = 0; on < 2; on++) {
            cr_assert_eq(poise_simulation_set_parameter(simulation, parameter, on), POISE_OK);
            for (int step = 0; step < 10; step++) {
                cr_assert_eq(poise_simulation_step(simulation), POISE_OK, "%s: %s", key,
                             poise_simulation_trouble(simulation));
            }
        }
    }
    for (int step = 0; step < 400; step++) {
        cr_assert_eq(poise_simulation_step(simulation), POISE_OK);
    }
    static const char* const first[] = {"left_foot", "right_foot", "left_hand", "right_hand",
                                        "weight_over_feet"};
    for (int i = 0; i < 5; i++) {
        cr_expect_lt(point_named(&figure, first[i]).reading.miss, 0.005, "%s: %g m", first[i],
                     point_named(&figure, first[i]).reading.miss);
    }
}

// A capsule's axis runs from its first end to its second. The points of the knees once lay at the
// hips, where the goals were 10 mm off and no joint could help.
Test(scenes, knee_points_are_at_the_knees) {
    Running figure = running_open(POISE_SOURCE_DIR "/scenes/full_body_points.yaml");
    static const char* const knees[] = {"left_knee", "right_knee"};
    for (int i = 0; i < 2; i++) {
        const double height = point_named(&figure, knees[i]).pose_world.p.z;
        cr_expect(fabs(height - 0.51) < 1e-9, "%s: %g m", knees[i], height);
    }
}

// Returns E of the planned posture, 1/2 sum of weight (distance^2 + angle^2), of all points.
static double planned_error(const PoiseScene* scene, const PoiseTree* tree) {
    double sum = 0.0;
    for (int i = 0; i < poise_tree_point_count(tree); i++) {
        const PoisePointId point = poise_tree_point(tree, i);
        double away = 0.0, turned = 0.0;
        poise_point_miss(tree, point, poise_point_planned_pose(tree, point), &away, &turned);
        sum += 0.5 * scene->points[i].def.weight * (away * away + turned * turned);
    }
    return sum;
}

// At the end loin and waist bend by 0.7 rad against each other. No posture of ten random starts has
// an E that is 5 % lower, and the best one bends them too.
Test(scenes, the_bent_trunk_of_the_figure_is_the_best_posture) {
    Running figure = running_open(POISE_SOURCE_DIR "/scenes/full_body_points.yaml");
    running_steps(&figure, 8.0);
    const PoiseScene* scene = figure.loaded.scene;
    PoiseTree* trial = poise_tree_clone(poise_simulation_tree(figure.simulation));
    cr_assert_not_null(trial);
    const double reached = planned_error(scene, trial);
    PoiseReachDef def = poise_default_reach_def();
    def.starts = 10;
    cr_assert_geq(poise_reach(trial, &def, NULL), POISE_OK);
    const double best = planned_error(scene, trial);
    cr_expect(reached < 1.05 * best, "%g, best %g", reached, best);
    double bent[2][POISE_MAX_POSTURE];
    static const char* const names[] = {"loin", "waist"};
    for (int i = 0; i < 2; i++) {
        const int joint = poise_scene_find_joint(scene, names[i]);
        poise_node_posture(trial, poise_simulation_joint_node(figure.simulation, joint), bent[i]);
    }
    // the y of a quaternion is sin(0.35) at 0.7 rad
    cr_expect(bent[0][2] > 0.3 && bent[1][2] < -0.3, "%g, %g", bent[0][2], bent[1][2]);
    poise_tree_destroy(trial);
}

// ------------------------------------------------------------------------------- the yoga pose

typedef struct ArmJoint {
    const char* name;
    double angle; ///< angle in the article's pose, rad
} ArmJoint;

// Row 1.11: the arms have the article's pose. Twisted arms, which also hold the palms, are refused.
Test(scenes, the_arms_of_the_yoga_pose_are_not_twisted) {
    static const ArmJoint joints[] = {
        {"shoulder_pitch", -0.7853981633974483}, {"shoulder_roll", -0.5235987755982988},
        {"shoulder_yaw", 1.5707963267948966},    {"elbow", -2.0943951023931953},
        {"elbow_yaw", 0.7853981633974483},       {"wrist_pitch", 0.0},
        {"wrist_roll", -1.5707963267948966},
    };
    // the rolls and yaws of the left arm have the opposite sign
    static const double left_sign[] = {1.0, -1.0, -1.0, 1.0, -1.0, 1.0, -1.0};
    Loaded loaded = load_file(POISE_SOURCE_DIR "/scenes/yoga.yaml");
    PoiseSimulation* simulation = run(loaded).simulation;
    for (int i = 0; i < 2000; i++) {
        cr_assert(poise_simulation_step(simulation) >= 0);
    }
    for (int i = 0; i < 14; i++) {
        char name[80];
        const ArmJoint* joint = &joints[i % 7];
        snprintf(name, sizeof name, "yogi/%s_%s", i < 7 ? "right" : "left", joint->name);
        double angle =
            poise_simulation_joint(simulation, poise_scene_find_joint(loaded.scene, name)).q[0];
        double wanted = (i < 7 ? 1.0 : left_sign[i % 7]) * joint->angle;
        // 0.5 rad: a twisted arm is off by half a turn
        cr_expect(fabs(angle - wanted) < 0.5, "%s is at %g, in the article's pose at %g", name,
                  angle, wanted);
    }
}

// Row 1.3: the robot file is the article's robot. In the article's pose hands, feet and centre of
// mass are at the places of the article's forward kinematics, to the digits of the row. yoga_sag
// starts in it.
Test(scenes, the_yoga_robot_in_the_articles_pose_is_where_the_article_has_it) {
    static const struct {
        const char* point;
        PoiseVec3 place;
    } rows[] = {
        {"right_hand", {0.122474, 0.0, 1.277526}},
        {"left_hand", {0.122474, 0.0, 1.277526}},
        {"right_foot", {0.0, 0.036603, 0.55}},
        {"balance", {0.017089, -0.005539, 1.056666}},
    };
    // half of the last digit
    const double digit = 1e-6;
    Running yogi = running_open(POISE_SOURCE_DIR "/scenes/yoga_sag.yaml");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const PoiseVec3 p = point_named(&yogi, rows[i].point).pose_world.p;
        cr_expect_leq(poise_length(poise_sub(p, rows[i].place)), digit, "%s: (%.7f %.7f %.7f)",
                      rows[i].point, p.x, p.y, p.z);
    }
    const PoiseQuat foot = point_named(&yogi, "right_foot").pose_world.q;
    const PoiseQuat off =
        poise_quat_mul(foot, poise_quat_conjugate(poise_quat(0.5, 0.5, 0.5, -0.5)));
    cr_expect_leq(poise_length(poise_quat_log(off)), digit);
}
