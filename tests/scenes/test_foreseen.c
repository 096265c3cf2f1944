// SPDX-License-Identifier: MIT
// Scenes whose forecast was once wrong. The program runs them, and the settled error is compared
// with the forecast in the report.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static void expect_foreseen(const Outcome* outcome, const char* point, double least) {
    const double settled = figure_of(outcome, point, "settled_error");
    const double foreseen = figure_of(outcome, point, "predicted_miss");
    cr_expect(fabs(settled - foreseen) <= 0.01 * settled + 1e-5, "%s: %g m, foreseen %g m", point,
              settled, foreseen);
    cr_expect(settled >= least, "%s: %g m", point, settled);
}

// A natural posture pulls the arm off its goal. The torque limits of its URDF are far away.
PROGRAM_TEST(foreseen, a_panda_with_its_torque_limits_and_a_natural_posture) {
    static const char* const springs[] = {"{spring: 50, damper: 5}", "{spring: 200, damper: 20}"};
    for (int i = 0; i < 2; i++) {
        run_program(outcome,
                    "run " POISE_SOURCE_DIR "/scenes/panda_square.yaml --seconds 20 --json"
                    " --set 'control_points.pen.position=[0.5, 0.3, 0.3]'"
                    " --set 'robots.panda.joints.*.original=%s'",
                    springs[i]);
        cr_assert_eq(outcome->code, 0, "%s", outcome->err);
        expect_foreseen(outcome, "pen", i == 0 ? 0.006 : 0.02);
        cr_expect_lt(figure_of(outcome, "pen", "settled_error"), 0.03);
    }
}

// At rest the motors exert no torque, and a limit changes nothing. The second arm once settled at
// 0.959 m with a forecast of 0.566 m.
PROGRAM_TEST(foreseen, the_sweep_of_natural_postures_with_a_torque_limit) {
    static const char* const points[] = {"tip0_1", "tip1", "tip5", "tip9", "tip99", "tip999"};
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/blend_sweep.yaml --json"
                         " --set defaults.joint.max_torque=30");
    cr_assert_eq(outcome->code, 0, "%s", outcome->err);
    for (int i = 0; i < 6; i++) {
        expect_foreseen(outcome, points[i], 1e-3);
    }
    cr_expect_leq(fabs(figure_of(outcome, "tip1", "settled_error") - 0.5666), 1e-3);
}

// The paper's own mode has a measured reference, Gauss-Seidel and Springhead's gains. It creeps for
// minutes. The forecast exists once it rests.
PROGRAM_TEST(foreseen, the_end_of_the_papers_mode_is_foreseen) {
    static const struct {
        const char* scene;
        const char* set;
        double late;
    } rows[] = {
        {"springhead_2balls",
         "defaults.joint={original: {spring: 1000, damper: 20}, ik: {spring: 1e5, damper: 2000}}",
         200.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int late = 0; late < 2; late++) {
            run_program(outcome,
                        "run " POISE_SOURCE_DIR "/scenes/%s.yaml --json --set ik.reference=measured"
                        " --set ik.solver=gauss_seidel --set '%s' --seconds %g",
                        rows[i].scene, rows[i].set, late ? rows[i].late : 1.0);
            cr_assert_eq(outcome->code, 0, "%s", outcome->err);
            const double settled = figure_of(outcome, "tip", "settled_error");
            const double foreseen = figure_of(outcome, "tip", "predicted_miss");
            cr_expect(late ? fabs(foreseen - settled) <= 0.01 * settled : isnan(foreseen),
                      "%s: %g m, foreseen %g", rows[i].scene, settled, foreseen);
        }
    }
}

// The other Y in that mode moves for 1,000 s. Its error changes all the time, and the report gives
// no forecast.
PROGRAM_TEST(foreseen, a_tip_that_creeps_in_the_papers_mode_has_no_figure) {
    static const double seconds[] = {8.0, 30.0, 100.0};
    double before = 0.0;
    for (int i = 0; i < 3; i++) {
        run_program(outcome,
                    "run " POISE_SOURCE_DIR "/scenes/springhead_large_y.yaml --json"
                    " --set ik.reference=measured --set ik.solver=gauss_seidel --seconds %g",
                    seconds[i]);
        cr_assert_eq(outcome->code, 0, "%s", outcome->err);
        const double settled = figure_of(outcome, "tip_b", "settled_error");
        cr_expect(isnan(figure_of(outcome, "tip_b", "predicted_miss")), "after %g s", seconds[i]);
        cr_expect_not_null(strstr(outcome->out, "\"forecast\": \"moves\""));
        cr_expect(fabs(settled - before) > 0.03 * settled, "after %g s %g m, before it %g m",
                  seconds[i], settled, before);
        before = settled;
    }
}

// The forecast without friction is 0.3 nm, and a band of 8.8 mm in which friction can hold the
// finger. With the friction of the wall, the forecast is the finger's place, still the same after
// 20 s.
PROGRAM_TEST(foreseen, a_finger_that_friction_holds_on_a_wall) {
    static const double seconds[] = {6.0, 20.0};
    double settled[2], foreseen[2];
    for (int i = 0; i < 2; i++) {
        run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/press_wall.yaml --json --seconds %g",
                    seconds[i]);
        settled[i] = figure_of(outcome, "finger", "settled_error");
        foreseen[i] = figure_of(outcome, "finger", "friction_miss");
        cr_expect_lt(figure_of(outcome, "finger", "predicted_miss"), 1e-6);
        EXPECT_HAS(outcome->out, "\"friction_in_doubt\": \"friction decides where it rests\"");
    }
    cr_expect(settled[1] > 5e-4 && settled[1] < 1e-3, "%g m", settled[1]);
    for (int i = 0; i < 2; i++) {
        cr_expect(fabs(foreseen[i] - settled[1]) <= 0.01 * settled[1],
                  "from %g s on %g m are foreseen, settled %g", seconds[i], foreseen[i],
                  settled[1]);
    }
}

// A figure presses with both hands. Its hands would reach their goals without friction. They are
// balls and roll a little on the wall and the table while the figure settles on its feet.
PROGRAM_TEST(foreseen, hands_that_friction_holds_of_a_figure_on_its_feet) {
    static const char* const hands[] = {"right_hand", "left_hand"};
    double foreseen[2];
    run_program(outcome,
                "run " POISE_SOURCE_DIR "/scenes/stand_and_press.yaml --json --seconds 6.3");
    for (int i = 0; i < 2; i++) {
        foreseen[i] = figure_of(outcome, hands[i], "friction_miss");
    }
    run_program(outcome,
                "run " POISE_SOURCE_DIR "/scenes/stand_and_press.yaml --json --seconds 20");
    for (int i = 0; i < 2; i++) {
        const double settled = figure_of(outcome, hands[i], "settled_error");
        cr_expect(fabs(foreseen[i] - settled) <= 0.01 * settled, "%s: %g m, foreseen %g", hands[i],
                  settled, foreseen[i]);
        cr_expect_lt(figure_of(outcome, hands[i], "predicted_miss"), 1e-4);
    }
}

// The table gives the springs as the reason for an error of a metre, and not only that the solver
// met its goal.
PROGRAM_TEST(foreseen, the_table_names_springs_that_hold_a_tip_a_metre_off) {
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/blend_sweep.yaml --seconds 10");
    const char* row = strstr(outcome->out, "\ntip0_1 ");
    cr_assert_not_null(row, "%s", outcome->out);
    char line[300];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(row + 1, "\n"), row + 1);
    cr_expect(strstr(line, " 1.03 ") && strstr(line, "springs share with original"), "%s", line);
}

// A point without contact has no friction.
PROGRAM_TEST(foreseen, a_finger_off_its_wall_has_no_friction) {
    run_program(outcome, "run " POISE_SOURCE_DIR "/scenes/press_wall.yaml --json --seconds 0.1");
    cr_expect(isnan(figure_of(outcome, "finger", "friction_miss")), "%s", outcome->out);
    EXPECT_HAS(outcome->out, "\"friction_miss\": null");
}
