// SPDX-License-Identifier: MIT
// Tables of Denavit and Hartenberg as robots: where their frames are, against the functions of
// poise/dh.h, and what is wrong with a table (row 3.1).
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "poise/dh.h"
#include "program.h"

#define PI 3.14159265358979323846

// the lecture's arm in the classical form: the same links, the table shifted by one
static const char classical[] = "classical,type,d,theta_deg,a,alpha_deg\n"
                                "q1,revolute,0,0,0,-90\n"
                                "q2,revolute,0,0,0.3,0\n\n"
                                "q3,revolute,0,0,0,90\r\n"
                                "q4,revolute,0.25,0,0,-90\n"
                                "q5, revolute ,0,0,0,90\n"
                                "q6,revolute,0.1,0,0,0";

static double number_after(const char* text, const char* word) {
    const char* at = strstr(text, word);
    double value = (double)NAN;
    cr_assert(at && sscanf(at + strlen(word), "%lf", &value) == 1, "no %s in\n%s", word, text);
    return value;
}

// the answers' angles, put into the table's own frames, give the target
static void expect_solved(Outcome* outcome, const char* table) {
    static const PoiseDhRow rows[6] = {
        {POISE_NODE_HINGE, 0.0, 0.0, 0.0, 0.0},       {POISE_NODE_HINGE, 0.0, -0.5 * PI, 0.0, 0.0},
        {POISE_NODE_HINGE, 0.3, 0.0, 0.0, 0.0},       {POISE_NODE_HINGE, 0.0, 0.5 * PI, 0.25, 0.0},
        {POISE_NODE_HINGE, 0.0, -0.5 * PI, 0.0, 0.0}, {POISE_NODE_HINGE, 0.0, 0.5 * PI, 0.1, 0.0}};
    char command[600];
    snprintf(command, sizeof command, "solve --dh %s --target=-0.1464456,-0.0152615,0.1795752",
             table);
    run_program(outcome, command);
    cr_assert(outcome->code == 0, "%s\n%s", command, outcome->err);
    double q[6];
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "q%d: ", i + 1);
        q[i] = number_after(outcome->out, name);
    }
    PoisePose frames[6];
    cr_assert(poise_dh_forward(rows, 6, q, frames) == POISE_OK);
    const PoiseVec3 target = poise_vec3(-0.1464456, -0.0152615, 0.1795752);
    cr_expect_leq(poise_length(poise_sub(frames[5].p, target)), 1e-6);
}

PROGRAM_TEST(dh_table, both_forms_are_solved_for) {
    write_scratch("classical.csv", classical);
    expect_solved(outcome, POISE_SOURCE_DIR "/scenes/robots/lecture.csv");
    expect_solved(outcome, "classical.csv");
}

// a slider, ranges, and a link after the last joint: by the program's own frames
PROGRAM_TEST(dh_table, links_stand_where_the_classical_table_has_them) {
    write_scratch("arm.csv", "classical,d,theta,a,alpha,type,lower,upper\n"
                             "turn,0.5,0,0.2,1.5707963267948966,revolute,-1,1\n"
                             "rail,0.1,0,0.3,0,prismatic,0,0.4\n");
    run_program(outcome, "info arm.csv");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    cr_expect(strstr(outcome->out, "turn      hinge      -1 to 1") != NULL, "%s", outcome->out);
    cr_expect(strstr(outcome->out, "rail      slider     0 to 0.4") != NULL, "%s", outcome->out);
    // RotZ(0) TransZ(.5) TransX(.2) RotX(90) TransZ(.1 + .25) TransX(.3): (.5, -.35, .5)
    run_program(outcome, "solve --dh arm.csv --target 0.5,-0.35,0.5");
    cr_expect(outcome->code == 0, "%s", outcome->out);
    cr_expect_leq(fabs(number_after(outcome->out, "rail: ") - 0.25), 1e-6);
    cr_expect_leq(fabs(number_after(outcome->out, "turn: ")), 1e-6);
}

Test(dh_table, what_is_wrong_has_its_place) {
    static const struct {
        const char* table;
        const char* said;
    } rows[] = {
        {"modified,a,alpha,d,thta\nq,0,0,0,0\n", "bad.csv:1:20: error: the head of a"},
        {"modified,a,alpha_deg,alpha,d,theta\nq,0,0,0,0,0\n", "bad.csv:1:22: error: the column"},
        {"modified,a,alpha,d\nq,0,0,0\n", "the head names no column 'theta'"},
        {"modified,a,d_deg,alpha,theta\nq,0,0,0,0\n", "has no column 'd_deg'"},
        {"modified,a,alpha,d,theta\n", "has 1 to 1000 rows"},
        {"modified,a,alpha,d,theta\nq,0,x,0,0\n", "bad.csv:2:5: error: a number is due here"},
        {"modified,a,alpha,d,theta\nq,0,inf,0,0\n", "bad.csv:2:5: error: a number is due here"},
        {"modified,a,alpha,d,theta\nq,0,0,0\n", "fewer cells"},
        {"modified,a,alpha,d,theta\nq,0,0,0,0,0\n", "more cells"},
        {"modified,a,alpha,d,theta\n,0,0,0,0\n", "has no name"},
        {"modified,a,alpha,d,theta\nq,0,0,0,0\nq,0,0,0,0\n", "bad.csv:3:1: error: a second"},
        {"modified,a,alpha,d,theta,type\nq,0,0,0,0,ball\n", "revolute or prismatic is due"},
        {"modified,a,alpha,d,theta,lower\nq,0,0,0,0,1\n", "needs both lower and upper"},
        {"modified,a,alpha,d,theta,lower,upper\nq,0,0,0,0,1,0\n", "the lower first"},
        {"modified,a,alpha,d,theta\nq,0,0,0,"
         "1234567890123456789012345678901234567890123456789012345678901234\n",
         "bad.csv:2:9: error: a cell is longer than 63 letters"},
        {"modified,a,alpha,d,theta\nq,,0,0,0\n", "a number is due here, not ''"},
        {"modified,a,alpha,d,theta,effort_deg\nq,0,0,0,0,1\n", "has no column 'effort_deg'"},
        {"modified, a\t,alpha, d,theta ,type\n\tq\t,0 , 0,0,0,cart\r\n", "not 'cart'"},
    };
    Outcome* outcome = outcome_create();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_scratch("bad.csv", rows[i].table);
        run_program(outcome, "check bad.csv");
        cr_expect(outcome->code == 3, "%s", rows[i].table);
        cr_expect(strstr(outcome->err, rows[i].said) || strstr(outcome->out, rows[i].said),
                  "%s:\n%s%s", rows[i].table, outcome->err, outcome->out);
    }
    outcome_destroy(outcome);
}
