// SPDX-License-Identifier: MIT
// Tests `poise info --sets`, `--sweeps` and `--manipulability`. The numbers of the document's
// equations are printed for a scene (rows 0.3, 0.8, 0.9 of DOCUMENTS.md).
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

// Reads the numbers after `head` in the line that begins with it. Returns how many were read.
static int numbers_of(const char* text, const char* head, double* numbers, int count) {
    const char* at = strstr(text, head);
    cr_assert_not_null(at, "no '%s' in\n%s", head, text);
    at += strlen(head);
    int found = 0, length = 0;
    while (found < count && sscanf(at, "%lf%n", &numbers[found], &length) == 1) {
        at += length;
        found++;
    }
    return found;
}

static void expect_numbers(const char* text, const char* head, const double* expected, int count,
                           double tolerance) {
    double numbers[8];
    cr_assert_eq(numbers_of(text, head, numbers, count), count, "%s", head);
    for (int i = 0; i < count; i++) {
        cr_expect_leq(fabs(numbers[i] - expected[i]), tolerance, "%s: %.9g, not %.9g", head,
                      numbers[i], expected[i]);
    }
}

PROGRAM_TEST(info, info_prints_the_numbers_of_the_document) {
    run_program(outcome,
                "info " POISE_SOURCE_DIR "/scenes/springhead_planar.yaml --sets --sweeps 2");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    const char* j = strstr(outcome->out, "J(tip)");
    cr_assert_not_null(j);
    // eq. 2: each line has a column of J
    expect_numbers(j, "\n  joint1 ", (double[]){-1.87177698, 2.08253643, 0.0}, 3, 2e-8);
    expect_numbers(j, "\n  joint2 ", (double[]){-1.57625677, 1.12719994, 0.0}, 3, 2e-8);
    expect_numbers(j, "\n  joint3 ", (double[]){-0.93203909, 0.36235775, 0.0}, 3, 2e-8);
    // eqs. 18 and 19
    static const double alpha[3] = {7.84050705, 3.75516512, 1.0};
    static const double beta[3] = {-0.15606494, -0.11262884, -0.05747269};
    for (int i = 0; i < 3; i++) {
        char head[24];
        snprintf(head, sizeof head, "\n  joint%d    alpha", i + 1);
        const char* line = strstr(j, head);
        cr_assert_not_null(line);
        expect_numbers(line, "alpha", &alpha[i], 1, 2e-8);
        expect_numbers(line, "beta", &beta[i], 1, 2e-8);
    }
    // eqs. 21 to 23
    const char* sweeps = strstr(outcome->out, "omega after each sweep");
    cr_assert_not_null(sweeps);
    static const double omega[2][3] = {{-0.019904955, -0.001910874, -0.004138548},
                                       {-0.017294598, -0.003524326, -0.007632944}};
    for (int k = 0; k < 2; k++) {
        double numbers[4];
        cr_assert_eq(numbers_of(sweeps, k == 0 ? "\n  1 " : "\n  2 ", numbers, 4), 4);
        cr_expect_leq(k == 0 ? fabs(numbers[0] - 1.62e-2) : 0.0, 1e-5);
        for (int i = 0; i < 3; i++) {
            cr_expect_leq(fabs(numbers[1 + i] - omega[k][i]), 1e-8, "%.9g", numbers[1 + i]);
        }
    }
    cr_expect_not_null(strstr(outcome->out, "joint2    Cp: tip; Nd: joint1 joint2 joint3"));
}

// A joint that moves no point, such as a finger's, has no column.
PROGRAM_TEST(info, sweeps_have_a_named_column_for_each_number) {
    run_program(outcome, "info " POISE_SOURCE_DIR "/scenes/robots/panda.urdf --sweeps 1");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    EXPECT_HAS(outcome->out, " panda_joint6 panda_joint7\n");
    double numbers[10];
    cr_expect_eq(numbers_of(outcome->out, "\n  1 ", numbers, 10), 1 + 7);
}

// Two hands share only the waist joint. A gaze point shares no joint with them.
PROGRAM_TEST(info, sets_name_who_shares_whom) {
    run_program(outcome, "info " POISE_SOURCE_DIR "/scenes/reach.yaml --sets");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    cr_expect_not_null(
        strstr(outcome->out, "waist           Cp: left_palm right_palm; Nd: waist "));
    cr_expect_not_null(strstr(outcome->out, "neck            Cp: gaze; Nd: neck\n"));
    cr_expect_not_null(strstr(outcome->out, "right_elbow     Cp: right_palm; Nd: waist right_"));
    // joints without a shared point have no block
    cr_expect_null(strstr(outcome->out, "\n  left_shoulder   right_"));
}

// Row 3.4 of DOCUMENTS.md: sqrt(det(J J^T)) is the product of the ellipsoid's half axes
PROGRAM_TEST(info, the_ellipsoid_has_the_manipulability) {
    static const char scene[] =
        "poise: 1\nbodies:\n  a: {box: [0.1, 0.1, 0.1], at: [0, 0, 0.5]}\n"
        "  b: {box: [0.1, 0.1, 0.1], at: [0.3, 0, 1]}\n"
        "joints:\n  j: {ball: [0, 0, 0], between: [world, a]}\n"
        "  k: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [a, b]}\n"
        "control_points:\n  tip: {body: b, at: [0.1, 0.2, 0], position: [0.5, 0.1, 1]}\n";
    write_scratch("arm.yaml", scene);
    run_program(outcome, "info arm.yaml --manipulability --seconds 0.1");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    double w = 0.0, axis = 0.0, product = 1.0;
    const char* at = strstr(outcome->out, "  tip: ");
    cr_assert(at && sscanf(at, "  tip: %lf", &w) == 1);
    for (int i = 0; i < 3; i++) {
        at = strstr(at + 1, "half axis ");
        cr_assert(at && sscanf(at, "half axis %lf", &axis) == 1);
        product *= axis;
    }
    cr_expect(w > 0.01 && fabs(product - w) < 1e-5 * w, "%g, %g", product, w);
    run_program(outcome, "info arm.yaml --sweeps 0");
    cr_expect(outcome->code == 2 && strstr(outcome->err, "--sweeps"), "%s", outcome->err);
}

// Row 1.4 of DOCUMENTS.md: prints the article's block, after 12 s in which the posture sags
PROGRAM_TEST(info, yoga_sag_prints_the_articles_block) {
    run_program(outcome, "info " POISE_SOURCE_DIR "/scenes/yoga_sag.yaml --poses --seconds 12");
    cr_assert(outcome->code == 0, "%s", outcome->err);
    static const struct {
        const char* head;
        double numbers[4];
        int count;
        double tolerance;
    } rows[] = {
        {"right_foot_pos: ", {0.0, 0.036232, 0.547969}, 3, 1.5e-6},
        {"right_foot_ori: ", {0.500898, 0.499100, 0.499100, -0.500898}, 4, 2e-6},
        {"right_hand_pos: ", {0.122560, 0.000257, 1.276572}, 3, 1.1e-5},
        {"left_hand_pos: ", {0.122560, -0.000257, 1.276572}, 3, 1.1e-5},
        {"balance_pos: ", {0.017037, -0.005541, 1.056449}, 3, 2.6e-5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char* at = strstr(outcome->out, rows[i].head);
        cr_assert_not_null(at, "%s in\n%s", rows[i].head, outcome->out);
        at += strlen(rows[i].head);
        for (int k = 0; k < rows[i].count; k++) {
            char* end = NULL;
            const double number = strtod(at, &end);
            cr_expect_leq(fabs(number - rows[i].numbers[k]), rows[i].tolerance, "%s: %f",
                          rows[i].head, number);
            at = end + 1;
        }
    }
}
