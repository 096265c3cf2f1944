// SPDX-License-Identifier: MIT
// Tests the table of figures. Each use that a row claims must hold in the program.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "near.h"
#include "poise/figures.h"
#include "program.h"
#include "running.h"
#include "text.h"

Test(figures, the_readme_s_table_is_the_table) {
    char* readme = text_of(POISE_SOURCE_DIR "/scenes/README.md");
    FILE* file = tmpfile();
    poise_figures_print(file);
    rewind(file);
    char* printed = text_of_file(file);
    static const char begin[] = "<!-- poise format: figures -->\n";
    char* start = strstr(readme, begin);
    char* end = strstr(readme, "<!-- end of figures -->");
    cr_assert(start && end, "the README has no marks round the figures");
    *end = '\0';
    cr_expect(strcmp(start + strlen(begin), printed) == 0,
              "the figures of scenes/README.md are not what `poise format` prints last: replace "
              "what stands between its marks");
    free(readme);
    free(printed);
}

Test(figures, rows_are_whole) {
    const PoiseFigure* figure = NULL;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        const PoiseFigure* next = poise_figure_at(i + 1);
        cr_expect(figure->name && figure->unit && figure->help && figure->read, "row %d", i);
        cr_expect(figure->uses != 0, "%s is met nowhere", figure->name);
        cr_expect(!next || next->owner >= figure->owner, "%s: owners stand together", next->name);
        const unsigned curves = POISE_FIGURE_RECORD | POISE_FIGURE_PLOT;
        cr_expect(!figure->chart || (figure->uses & curves) != 0, "%s is never drawn",
                  figure->name);
        cr_expect(!(figure->uses & POISE_FIGURE_SUMMARY) == !figure->head, "%s", figure->name);
        cr_expect(poise_figure_find(figure->owner, figure->uses, figure->name) == figure,
                  "%s stands there twice", figure->name);
    }
    cr_expect_null(poise_figure_at(-1));
}

// a universal, a slider, a ball and a hinge; a point with both goals, one that presses
#define SCENE                                                                                      \
    "poise: 1\nseconds: 1.5\nworld: {contacts: off}\n"                                             \
    "bodies: {a: {sphere: 0.1, at: [0, 0, 1]}, b: {sphere: 0.1, at: [0, 0, 2]}, "                  \
    "c: {sphere: 0.1, at: [0, 0, 3]}, d: {sphere: 0.1, at: [0, 1, 3]}}\n"                          \
    "defaults: {joint: {ik: {spring: 3000, damper: 900}}}\n"                                       \
    "joints:\n"                                                                                    \
    "  u: {universal: [0, 0, 0.5], axis: [1, 0, 0], axis2: [0, 1, 0], between: [world, a]}\n"      \
    "  s: {slider: [0, 0, 1.5], axis: [0, 0, 1], between: [a, b]}\n"                               \
    "  l: {ball: [0, 0, 2.5], between: [b, c]}\n"                                                  \
    "  h: {hinge: [0, 1, 2.5], axis: [0, 1, 0], between: [b, d]}\n"                                \
    "control_points:\n"                                                                            \
    "  tip: {body: c, position: [0.3, 0.1, 3.1], orientation: {quaternion: [0.9, 0.1, 0, 0.1]}}\n" \
    "  push: {body: d, at: [0, 0, 0.1], position: [0.1, 1, 3.1], force: {push: [0, 0, -5]}}\n"

static const char* const owners[][5] = {{""}, {"tip", "push"}, {"u", "s", "l", "h"}};

// Writes the name of a figure in a scene: OWNER.NAME, or NAME without an owner.
static void name_figure(const PoiseFigure* figure, const char* owner, char text[80]) {
    snprintf(text, 80, "%s%s%s", owner, owner[0] ? "." : "", figure->name);
}

static bool may_name(const PoiseFigure* figure, const char* owner) {
    return !(figure->need == POISE_NEEDS_ORIENTATION && strcmp(owner, "push") == 0) &&
           !(figure->need == POISE_NEEDS_FORCE && strcmp(owner, "tip") == 0);
}

// Lists the figures of one use as YAML, for every owner that can have them.
static void list_figures(PoiseFigureUse use, const char* after, char* text, size_t capacity) {
    const PoiseFigure* figure = NULL;
    size_t used = 0;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        for (int k = 0; (figure->uses & (unsigned)use) && owners[figure->owner][k]; k++) {
            char name[80];
            const char* owner = owners[figure->owner][k];
            name_figure(figure, owner, name);
            if (may_name(figure, owner)) {
                used += (size_t)snprintf(text + used, capacity - used, "%s%s%s",
                                         used > 0 ? ", " : "", name, after);
            }
        }
    }
}

PROGRAM_TEST(figures, what_may_be_expected_and_recorded_is_what_the_table_says) {
    char expected[4000] = "";
    char recorded[4000] = "";
    char scene[12000];
    list_figures(POISE_FIGURE_EXPECT, ": -1e5", expected, sizeof expected);
    list_figures(POISE_FIGURE_RECORD, "", recorded, sizeof recorded);
    snprintf(scene, sizeof scene, SCENE "expect: {%s}\nrecord: [%s]\n", expected, recorded);
    write_scratch("all.yaml", scene);
    run_program(outcome, "run all.yaml --json --expect --plot all.svg");
    cr_expect_eq(outcome->code, 1, "%s", outcome->err);
    char* svg = read_scratch("all.svg");
    const PoiseFigure* figure = NULL;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        for (int k = 0; owners[figure->owner][k]; k++) {
            char name[80];
            char line[120];
            const char* owner = owners[figure->owner][k];
            name_figure(figure, owner, name);
            // an expected figure must have a value
            snprintf(line, sizeof line, "missed: %s is ", name);
            cr_expect((strstr(outcome->err, line) != NULL) ==
                          ((figure->uses & POISE_FIGURE_EXPECT) && may_name(figure, owner)),
                      "%s in %s", name, outcome->err);
            snprintf(line, sizeof line, ">%s%s", name, figure->count == 3 ? ".x<" : "");
            const bool drawn = (figure->uses & POISE_FIGURE_RECORD) && figure->chart;
            cr_expect(!drawn || !may_name(figure, owner) || strstr(svg, line), "%s: no %s", name,
                      line);
        }
    }
}

static bool is_member(const Element* root, const char* section, const char* owner,
                      const char* name) {
    const Element* element = poise__element_find(root, section);
    element = element && owner[0] ? poise__element_find(element, owner) : element;
    return element && poise__element_find(element, name);
}

PROGRAM_TEST(figures, the_json_and_the_csv_are_what_the_table_says) {
    static const char* const sections[] = {"cost", "points", "joints"};
    write_scratch("all.yaml", SCENE);
    run_program(outcome, "run all.yaml --json --csv all.csv");
    cr_assert_eq(outcome->code, 0, "%s", outcome->err);
    const Element* json = json_parse(outcome->out);
    char* csv = read_scratch("all.csv");
    csv[strcspn(csv, "\n")] = '\0';
    const PoiseFigure* figure = NULL;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        const char* dot = strchr(figure->name, '.');
        for (int k = 0; owners[figure->owner][k]; k++) {
            const char* owner = owners[figure->owner][k];
            const bool there = (figure->uses & POISE_FIGURE_JSON) && may_name(figure, owner) &&
                               strcmp(figure->name, "ground_force") != 0;
            cr_expect(is_member(json, sections[figure->owner], owner,
                                dot ? dot + 1 : figure->name) == there,
                      "%s.%s", owner, figure->name);
            char name[90];
            name_figure(figure, owner, name);
            const bool column = (figure->uses & POISE_FIGURE_CSV) && !figure->stem;
            cr_expect(!column || !may_name(figure, owner) || strstr(csv, name), "%s in %s", name,
                      csv);
        }
    }
    // other programs rely on these columns and their order
    cr_expect_str_eq(csv, "time,tip.error,tip.angle_error,tip.x,tip.y,tip.z,tip.goal_x,tip.goal_y,"
                          "tip.goal_z,push.error,push.x,push.y,push.z,push.goal_x,push.goal_y,"
                          "push.goal_z,u.angle,u.angle2,u.torque,u.torque2,s.angle,s.torque,"
                          "l.angle.x,l.angle.y,l.angle.z,l.torque.x,l.torque.y,l.torque.z,h.angle,"
                          "h.torque");
}

// Each column is found by its name and has the number that the simulation gives.
RUNNING_TEST(figures, columns_are_found_by_their_names, running_start(SCENE)) {
    const PoiseSimulation* simulation = running->simulation;
    running_steps(running, 0.5);
    const PoiseFigureSource now = {simulation, NULL};
    int count = 0;
    for (int i = 0; i < poise_column_places(simulation); i++) {
        PoiseColumn column;
        PoiseColumn found;
        char field[48];
        char name[128];
        if (!poise_column_at(simulation, POISE_FIGURE_WATCH, i, &column)) {
            continue;
        }
        count++;
        const char* owner = poise_column_owner(simulation, &column);
        snprintf(name, sizeof name, "%s%s%s", owner, owner[0] ? "." : "",
                 poise_column_field(&column, field));
        cr_assert(poise_column_find(simulation, POISE_FIGURE_WATCH, name, &found), "%s", name);
        cr_expect(found.figure == column.figure && found.owner == column.owner &&
                      found.component == column.component,
                  "%s is found as another", name);
        cr_expect(isfinite(poise_column_value(&column, &now)), "%s", name);
    }
    cr_expect_gt(count, 50);
    PoiseColumn column;
    static const char* const none[] = {
        "",  ".",    "tip",       "tip.",     "tip.errors",      "tipp.error",
        "x", "cost", "h.angle.x", "s.angle2", "push.angle_error"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        cr_expect_not(poise_column_find(simulation, POISE_FIGURE_WATCH, none[i], &column), "%s",
                      none[i]);
    }
    cr_expect_not(poise_column_at(simulation, POISE_FIGURE_WATCH, -1, &column));
    cr_expect_not(
        poise_column_at(simulation, POISE_FIGURE_WATCH, poise_column_places(simulation), &column));
    PoiseVec3 torque = poise_simulation_joint(simulation, 2).torque;
    cr_assert(poise_column_find(simulation, POISE_FIGURE_WATCH, "l.torque", &column));
    EXPECT_NEAR(poise_column_value(&column, &now), poise_length(torque), 1e-12);
    cr_assert(poise_column_find(simulation, POISE_FIGURE_WATCH, "l.torque.y", &column));
    EXPECT_NEAR(poise_column_value(&column, &now), torque.y, 0.0);
}

// The hinge has 300 N m/rad to IK's 0.4 rad and 100 N m/rad to 0. It rests at 0.3 rad. The report
// gives a miss of 0.1 rad. The miss is 0 if the row of the hinge's axis is off.
PROGRAM_TEST(figures, row_angle_miss_is_what_the_springs_miss_in_the_rows_that_count) {
    static const char* const rows[] = {"[turn_x, turn_y, turn_z]", "[turn_x, turn_z]"};
    static const double missed[] = {0.1, 0.0};
    for (int i = 0; i < 2; i++) {
        char scene[700];
        snprintf(
            scene, sizeof scene,
            "poise: 1\nseconds: 2\nworld: {gravity: [0, 0, 0]}\n"
            "bodies: {a: {sphere: 0.1, at: [0, 0, 1]}}\n"
            "joints: {j: {hinge: [0, 0, 1], axis: [0, 1, 0], between: [world, a],\n"
            "             ik: {spring: 300, damper: 30}, original: {spring: 100, damper: 10}}}\n"
            "control_points: {p: {body: a, orientation: {quaternion: [0.980066578, 0, 0.198669331, "
            "0]},\n"
            "   rows: %s}}\n"
            "expect: {p.row_angle_miss: -1}\n",
            rows[i]);
        write_scratch("rows.yaml", scene);
        run_program(outcome, "run rows.yaml --expect");
        const char* said = strstr(outcome->err, "missed: p.row_angle_miss is ");
        cr_assert(said, "%s", outcome->err);
        EXPECT_NEAR(strtod(strstr(said, " is ") + 4, NULL), missed[i], 1e-6);
    }
}
