// SPDX-License-Identifier: MIT
// Tests the lecture's arm of six hinges, from its table (modified DH): rotation differences,
// manipulability, and reaches from its singular posture. Rows 3.3 to 3.7.
#include <criterion/criterion.h>

#include "arm.h"
#include "near.h"
#include "works.h"

#define PI 3.14159265358979323846

static const double singular[6] = {0.0, -0.25 * PI, -0.5 * PI, 0.0, 0.25 * PI, 0.0};
static const double general[6] = {20.0 * PI / 180.0, -50.0 * PI / 180.0, -70.0 * PI / 180.0,
                                  35.0 * PI / 180.0, 60.0 * PI / 180.0,  -25.0 * PI / 180.0};

// Makes the arm from its table: T = TransX(a) RotX(alpha) TransZ(d) RotZ(theta).
static Arm lecture_arm(void) {
    static const double a[6] = {0.0, 0.0, 0.3, 0.0, 0.0, 0.0};
    static const double alpha[6] = {0.0, -0.5 * PI, 0.0, 0.5 * PI, -0.5 * PI, 0.5 * PI};
    static const double d[6] = {0.0, 0.0, 0.0, 0.25, 0.0, 0.1};
    Arm arm = {.count = 6};
    for (int i = 0; i < 6; i++) {
        const PoiseVec3 p = poise_vec3(a[i], -sin(alpha[i]) * d[i], cos(alpha[i]) * d[i]);
        arm_origin(arm.joints[i].origin, p, alpha[i], 0.0, 0.0);
        arm.joints[i].axis[2] = 1.0;
        arm.joints[i].lower = -HUGE_VAL;
        arm.joints[i].upper = HUGE_VAL;
    }
    arm_origin(arm.tool, poise_vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0);
    return arm;
}

typedef struct Difference {
    double rows[9];
    double vector[3];
    bool half_turn; ///< half a turn: either sign is right
} Difference;

static const Difference differences[7] = {
    {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}, false},
    {{1, -1e-9, 0, 1e-9, 1, 0, 0, 0, 1}, {0, 0, 1e-9}, false},
    {{0.781639173907025, -0.4829292842142122, 0.3947397981737998, 0.5501172307043584,
      0.8320301337746346, -0.07139249941787587, -0.29395787843858057, 0.27295633888831433,
      0.9160150668873173},
     {0.18708286933869706, 0.3741657386773941, 0.5612486080160912},
     false},
    {{-0.8571428571395883, 0.28571215810867173, 0.42857284697408154, 0.2857164133188939,
      -0.42857142856891395, 0.8571421479396446, 0.4285700101672668, 0.8571435663430521,
      0.2857142857155429},
     {0.8396252449796533, 1.6792504899593066, 2.51887573493896},
     false},
    {{1, 0, 0, 0, -1, -1.2246467991473532e-16, 0, 1.2246467991473532e-16, -1}, {PI, 0, 0}, true},
    {{2.220446049250313e-16, 0.9999999999999998, 8.659560562354932e-17, 0.9999999999999998,
      2.220446049250313e-16, -8.659560562354932e-17, -8.659560562354932e-17, 8.659560562354932e-17,
      -0.9999999999999996},
     {2.221441469079183, 2.221441469079183, 0},
     true},
    {{-0.8571428571428572, 0.28571428571428564, 0.42857142857142866, 0.28571428571428586,
      -0.4285714285714286, 0.8571428571428572, 0.42857142857142855, 0.8571428571428572,
      0.2857142857142856},
     {0.839625954181357, 1.679251908362714, 2.518877862544071},
     true}};

// Row 3.3 of DOCUMENTS.md
Test(lecture, rotation_differences_are_the_printed_ones) {
    for (int i = 0; i < 7; i++) {
        const Difference* row = &differences[i];
        PoiseVec3 log = poise_quat_log(poise_quat_from_rows(row->rows));
        const PoiseVec3 expected = poise_vec3(row->vector[0], row->vector[1], row->vector[2]);
        if (row->half_turn && poise_dot(log, expected) < 0.0) {
            log = poise_scale(-1.0, log);
        }
        EXPECT_NEAR3(log, expected, 1e-9);
    }
}

// Row 3.4 of DOCUMENTS.md: printed to ten and seven digits
Test(lecture, manipulability_is_the_printed_one) {
    const Arm arm = lecture_arm();
    Model model = arm_model(&arm);
    PoisePointDef def = poise_default_position_def();
    def.link = model.nodes[5];
    def.weight = 3.0;
    const PoisePointId place = model_add_point(&model, &def);
    static const double zero[6] = {0.0};
    const double* postures[3] = {singular, zero, general};
    static const double whole[3] = {0.0, 0.0, 5.258272466e-4};
    static const double part[3] = {0.002667146873684359, 0.03276049450176232, 7.068134260432816e-3};
    for (int i = 0; i < 3; i++) {
        arm_set(&model, postures[i]);
        WORKS(poise_forward(model.tree));
        EXPECT_NEAR(poise_manipulability(model.tree, model.points[0]), whole[i], 1e-13);
        EXPECT_NEAR(poise_manipulability(model.tree, place), part[i], 1e-12);
    }
    // Manipulability does not depend on biases and weights, and nodes that do not move do not
    // count.
    WORKS(poise_node_set_bias(model.tree, model.nodes[2], 5.0));
    EXPECT_NEAR(poise_manipulability(model.tree, place), part[2], 1e-12);
    WORKS(poise_point_set_enabled(model.tree, place, false));
    cr_expect(poise_manipulability(model.tree, place) == 0.0);
    cr_expect(poise_tree_status(model.tree) == POISE_OK);
    WORKS(poise_node_set_angle(model.tree, model.nodes[0], 0.1));
    cr_expect(poise_manipulability(model.tree, model.points[0]) == 0.0);
    cr_expect(poise_tree_status(model.tree) == POISE_ERROR_STALE);
    model_finish(&model);
}

// Draws 400 postures within `spread` rad of the singular posture. Returns how many of their poses a
// reach from the singular posture meets.
static int met_from_singular(double spread) {
    const Arm arm = lecture_arm();
    Model model = arm_model(&arm);
    Random random = random_from(33);
    int met = 0;
    for (int i = 0; i < 400; i++) {
        double q[6], distance, angle;
        for (int k = 0; k < 6; k++) {
            q[k] = singular[k] + random_between(&random, -spread, spread);
        }
        const PoisePose goal = arm_pose(&arm, q);
        arm_aim(&model, goal);
        arm_set(&model, singular);
        WORKS(poise_reach(model.tree, NULL, NULL));
        arm_get(&model, q);
        arm_miss(&arm, q, goal, &distance, &angle);
        met += distance < 1e-5 && angle < 1e-5;
    }
    model_finish(&model);
    return met;
}

// Row 3.5 of DOCUMENTS.md: all poses are met, from one start each
Test(lecture, near_poses_are_met_from_the_singular_posture) {
    const int met = met_from_singular(0.3);
    cr_expect(met == 400, "%d", met);
}

Test(lecture, far_poses_are_met_from_the_singular_posture) {
    const int met = met_from_singular(PI);
    cr_expect(met == 400, "%d", met);
}

// Row 3.6 of DOCUMENTS.md
Test(lecture, beyond_reach_the_error_falls_to_the_nearest_answer) {
    const Arm arm = lecture_arm();
    Model model = arm_model(&arm);
    const PoisePose goal = poise_pose(poise_vec3(1.0, 0.0, 0.0), poise_quat_identity());
    arm_aim(&model, goal);
    double q[6], before = arm_error(&arm, singular, goal);
    EXPECT_NEAR(before, 1.8011, 5e-5);
    PoiseReachReport report = {0};
    for (int budget = 1; budget <= 200; budget++) {
        PoiseReachDef def = poise_default_reach_def();
        def.iterations = budget;
        // one descent: another posture may be nearer later, but not after as few iterations
        def.other_postures = false;
        arm_set(&model, singular);
        cr_expect(poise_reach(model.tree, &def, &report) == POISE_NOT_CONVERGED);
        arm_get(&model, q);
        const double error = arm_error(&arm, q, goal);
        cr_expect(error <= before + 1e-15, "%d iterations: %.12g after %.12g", budget, error,
                  before);
        EXPECT_NEAR(report.error, error, 1e-12);
        before = error;
    }
    cr_expect(report.reason == POISE_REACH_UNREACHABLE, "%d", (int)report.reason);
    EXPECT_NEAR(before, 0.102488252, 1e-9);
    EXPECT_NEAR3(arm_pose(&arm, q).p, poise_vec3(0.551748, 0.0, 0.044982), 1e-6);
    model_finish(&model);
}

// Row 3.5 of DOCUMENTS.md: the printed numbers of one step from the general posture
static const double step_rows[9] = {0.3590946062404086, -0.014614046563017902, -0.9331867409110032,
                                    0.3072212742204228, 0.9460033869968819,    0.10340541792772526,
                                    0.8812866460099266, -0.32382714746216357,  0.3441944597623451};
static const PoiseVec3 step_place = {-0.1464456200867807, -0.015261517239002442,
                                     0.17957522254058583};
static const double step_error[6] = {-0.03319271909045296, -0.026901922640138125,
                                     0.038325486283218024, -0.21214413257032783,
                                     0.012874328342461598, 0.18282217082172278};
static const double step_e = 0.04094457019972618;
// (J^T J + (E + 1e-4) I)^-1 J^T v, and J^T (J J^T + 1e-4 I)^-1 v
static const double step_lm[6] = {0.11106329712568386, -0.033040540304189014, 0.12418572572868913,
                                  0.05852429149124112, -0.09285319470659674,  0.14141894023210277};
static const double step_sr[6] = {0.22349374663169574, -0.08903385088912343, 0.20016820004238636,
                                  0.1683401261994495,  -0.05742185422416246, 0.041416496232214384};

static Model model_for_step(void) {
    const Arm arm = lecture_arm();
    Model model = arm_model(&arm);
    arm_set(&model, general);
    arm_aim(&model, poise_pose(step_place, poise_quat_from_rows(step_rows)));
    WORKS(poise_forward(model.tree));
    return model;
}

static void expect_step(const Model* model, PoiseSolver solver, double lambda,
                        const double expected[6]) {
    PoiseSolveDef def = model_plain_def(solver, 0.0);
    def.lambda = lambda;
    def.sweeps = 100000;
    PoiseSolveReport report;
    cr_assert(poise_solve(model->tree, &def, &report) == POISE_OK);
    cr_expect(report.lambda == lambda);
    for (int n = 0; n < 6; n++) {
        double omega[POISE_MAX_DOF];
        cr_assert(poise_node_omega(model->tree, model->nodes[n], omega) == 1);
        EXPECT_NEAR(omega[0], expected[n], 1e-10);
    }
}

Test(lecture, one_step_is_the_printed_one) {
    Model model = model_for_step();
    const PoisePose tool = poise_point_planned_pose(model.tree, model.points[0]);
    const PoiseVec3 way = poise_sub(step_place, tool.p);
    const PoiseVec3 turn = poise_quat_log(
        poise_quat_mul(poise_quat_from_rows(step_rows), poise_quat_conjugate(tool.q)));
    EXPECT_NEAR3(way, poise_vec3(step_error[0], step_error[1], step_error[2]), 1e-9);
    EXPECT_NEAR3(turn, poise_vec3(step_error[3], step_error[4], step_error[5]), 1e-9);
    EXPECT_NEAR(0.5 * (poise_dot(way, way) + poise_dot(turn, turn)), step_e, 1e-9);
    for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
        expect_step(&model, (PoiseSolver)solver, step_e + 1e-4, step_lm);
        expect_step(&model, (PoiseSolver)solver, 1e-4, step_sr);
    }
    model_finish(&model);
}

Test(lecture, a_given_lambda_holds_for_every_level) {
    Model model = model_for_step();
    PoisePointDef second = poise_default_position_def();
    second.link = model.nodes[3];
    second.priority = 1;
    model_add_point(&model, &second);
    PoiseSolveDef def = model_plain_def(POISE_SOLVER_DUAL, 0.0);
    def.adaptive = true;
    def.lambda = 1e-4;
    PoiseSolveReport report;
    cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
    cr_expect(report.levels == 2 && report.lambda == 1e-4);
    // The second level does not affect the first.
    for (int n = 0; n < 6; n++) {
        double omega[POISE_MAX_DOF];
        cr_assert(poise_node_omega(model.tree, model.nodes[n], omega) == 1);
        EXPECT_NEAR(omega[0], step_sr[n], 1e-9);
    }
    model_finish(&model);
}

// Row 3.7 of DOCUMENTS.md: a rotation point of weight 0 does not change the solution of a position
// point
Test(lecture, a_rotation_of_weight_zero_has_no_effect) {
    double reached[2][6], omega[2][6];
    for (int with_it = 0; with_it < 2; with_it++) {
        Model model = model_for_step();
        WORKS(poise_point_set_enabled(model.tree, model.points[0], false));
        PoisePointDef place = poise_default_position_def();
        place.link = model.nodes[5];
        place.has_goal = true;
        place.goal.p = step_place;
        model_add_point(&model, &place);
        PoisePointDef turn = poise_default_orientation_def();
        turn.link = model.nodes[5];
        turn.has_goal = true;
        turn.goal.q = poise_quat_from_rows(step_rows);
        turn.weight = 0.0;
        if (with_it) {
            model_add_point(&model, &turn);
        }
        PoiseSolveReport report;
        cr_assert(poise_solve(model.tree, NULL, &report) == POISE_OK);
        cr_expect(report.rows == 3);
        for (int n = 0; n < 6; n++) {
            cr_assert(poise_node_omega(model.tree, model.nodes[n], &omega[with_it][n]) == 1);
        }
        cr_expect(poise_reach(model.tree, NULL, NULL) == POISE_OK);
        arm_get(&model, reached[with_it]);
        // The rotation has an effect as soon as its weight is above 0.
        if (with_it) {
            cr_expect(poise_point_planned_angle_error(model.tree, model.points[2]) > 0.1);
            cr_expect(poise_point_set_weight(model.tree, model.points[2], 0.5) == POISE_OK);
            cr_expect(poise_reach(model.tree, NULL, NULL) == POISE_OK);
            cr_expect(poise_point_planned_angle_error(model.tree, model.points[2]) < 1e-6);
        }
        model_finish(&model);
    }
    for (int n = 0; n < 6; n++) {
        EXPECT_NEAR(omega[1][n], omega[0][n], 1e-9);
        EXPECT_NEAR(reached[1][n], reached[0][n], 1e-9);
    }
}

// Row 3.7 of DOCUMENTS.md: a place and a rotation as two points, so that each has its own weight
Test(lecture, task_weights_trade_place_for_rotation) {
    const Arm arm = lecture_arm();
    double last_distance = 0.0, last_angle = HUGE_VAL;
    for (int i = 0; i < 6; i++) {
        Model model = arm_model(&arm);
        WORKS(poise_point_set_enabled(model.tree, model.points[0], false));
        PoisePointDef place = poise_default_position_def();
        place.link = model.nodes[5];
        PoisePointDef turn = poise_default_orientation_def();
        turn.link = model.nodes[5];
        turn.weight = i == 0 ? 1.0 : pow(10.0, i - 3);
        turn.enabled = i > 0; // the first case has no rotation goal
        const PoisePointId at = model_add_point(&model, &place);
        const PoisePointId as = model_add_point(&model, &turn);
        arm_set(&model, singular);
        WORKS(poise_forward(model.tree));
        WORKS(poise_point_set_position(model.tree, at, poise_vec3(1.0, 0.0, 0.0)));
        WORKS(poise_point_set_orientation(model.tree, as, poise_quat_identity()));
        WORKS(poise_reach(model.tree, NULL, NULL));
        const double distance = poise_point_planned_error(model.tree, at);
        const double angle = poise_point_planned_angle_error(model.tree, as);
        if (i == 0) {
            EXPECT_NEAR(distance, 1.0 - 0.65, 1e-9); // the arm is stretched
        } else {
            cr_expect(distance > last_distance && angle < last_angle, "weight %g: %g m, %g rad",
                      turn.weight, distance, angle);
        }
        last_distance = distance;
        last_angle = i == 0 ? HUGE_VAL : angle;
        model_finish(&model);
    }
}
