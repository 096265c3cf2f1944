// SPDX-License-Identifier: MIT
// Reads tables of Denavit and Hartenberg as robots. Compares their frames with the functions of
// poise/dh.h (row 3.1 of DOCUMENTS.md). Tables with a fault: bad/dh.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "poise/dh.h"
#include "program.h"

#define PI 3.14159265358979323846

// The lecture's arm in the classical form: the links are equal, and the table is shifted by a row.
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

// Puts the angles of the answers into the table's frames, which must give the target.
static void expect_solved(Outcome* outcome, const char* table) {
    static const PoiseDhRow rows[6] = {
        {POISE_NODE_HINGE, 0.0, 0.0, 0.0, 0.0},       {POISE_NODE_HINGE, 0.0, -0.5 * PI, 0.0, 0.0},
        {POISE_NODE_HINGE, 0.3, 0.0, 0.0, 0.0},       {POISE_NODE_HINGE, 0.0, 0.5 * PI, 0.25, 0.0},
        {POISE_NODE_HINGE, 0.0, -0.5 * PI, 0.0, 0.0}, {POISE_NODE_HINGE, 0.0, 0.5 * PI, 0.1, 0.0}};
    char command[600];
    snprintf(command, sizeof command, "solve --dh %s --target=-0.1464456,-0.0152615,0.1795752",
             table);
    run_program(outcome, "%s", command);
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

// The table has a slider, ranges and a link after the last joint, in the frames of the program.
PROGRAM_TEST(dh_table, links_stand_where_the_classical_table_has_them) {
    write_scratch("arm.csv", "classical,d,theta,a,alpha,type,lower,upper\n"
                             "turn,0.5,0,0.2,1.5707963267948966,revolute,-1,1\n"
                             "rail,0.1,0,0.3,0,prismatic,0,0.4\n");
    run_program(outcome, "info arm.csv");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    EXPECT_HAS(outcome->out, "turn      hinge      -1 to 1");
    EXPECT_HAS(outcome->out, "rail      slider     0 to 0.4");
    // RotZ(0) TransZ(.5) TransX(.2) RotX(90) TransZ(.1 + .25) TransX(.3): (.5, -.35, .5)
    run_program(outcome, "solve --dh arm.csv --target 0.5,-0.35,0.5");
    cr_expect(outcome->code == 0, "%s", outcome->out);
    cr_expect_leq(fabs(number_after(outcome->out, "rail: ") - 0.25), 1e-6);
    cr_expect_leq(fabs(number_after(outcome->out, "turn: ")), 1e-6);
}
