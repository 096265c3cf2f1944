// SPDX-License-Identifier: MIT
// Shows control points as a table, and the numbers of the selected point's goal.
#include <math.h>
#include <stdio.h>

#include "drag_words.h"
#include "panels.h"
#include "poise/rotation.h"
#include "units.h"

static const double DEGREE = 57.29577951308232;
/// Width of each of three numbers in a line, and of the text after the last, window units.
static const double NUMBER_WIDTH = 76.0;
static const double TEXT_WIDTH = 62.0;

static double number_width(const PoiseApp* app) {
    return fmax(36.0, fmin(NUMBER_WIDTH, (poise__ui_room(app->ui) - TEXT_WIDTH) / 3.0));
}

/// Shows the switch that holds the point's goal at the point's present place and rotation, or
/// resets the goal to that of the scene.
static void show_pin(PoiseApp* app, int index, const PoisePointView* point) {
    PoiseChange changes[2];
    int count = 0;
    char name[128];
    const bool pinned = point->held || point->turn_held;
    bool on = pinned;
    if (!point->has_position && !point->turns) {
        return;
    }
    snprintf(name, sizeof name, "pin/%.100s", point->name);
    if (poise__ui_check(app->ui, name, "", &on)) {
        if (pinned) {
            changes[count++] = (PoiseChange){.kind = POISE_CHANGE_RELEASE, .index = index};
        } else if (point->has_position) {
            changes[count++] = (PoiseChange){
                .kind = POISE_CHANGE_HOLD, .index = index, .place = point->pose_world.p};
        }
        if (!pinned && point->turns) {
            changes[count++] = (PoiseChange){
                .kind = POISE_CHANGE_TURN, .index = index, .turn = point->pose_world.q};
        }
        poise__panel_track_all(app, changes, count,
                               POISE_UI_BEGAN | POISE_UI_CHANGED | POISE_UI_ENDED);
    }
    poise__ui_tip(app->ui, "holds the point where it is now; off: its goal is the scene's");
}

static void show_point(PoiseApp* app, int index) {
    PoiseUi* ui = app->ui;
    const PoiseSimulation* simulation = app->session.simulation;
    PoisePointView point = poise_simulation_point(simulation, index);
    char key[200];
    char text[80];
    poise__ui_table_next(ui);
    snprintf(key, sizeof key, "choose/%.100s", point.name);
    snprintf(text, sizeof text, "%.22s", point.name);
    poise__ui_align(ui);
    if (poise__ui_row(ui, key, text, app->highlight.selected == index)) {
        app->highlight.selected = index;
    }
    if (poise__ui_hovered(ui)) {
        app->panels.focus.point = index;
    }
    poise__ui_table_next(ui);
    char error[POISE_UNIT_TEXT];
    poise__ui_figure(ui, point.has_position ? poise__length_text(point.reading.miss, error)
                                            : poise__angle_text(point.reading.angle_miss, error));
    poise__ui_table_next(ui);
    poise__panel_value(app, "", 0.0, "control_points.%.100s.enabled", point.name);
    poise__ui_table_next(ui);
    show_pin(app, index, &point);
    poise__ui_table_next(ui);
    poise__panel_value(app, "", 0.0, "control_points.%.100s.weight", point.name);
}

/// Shows the position of the point's goal as three numbers.
static void show_place(PoiseApp* app, int index) {
    static const char* const names[] = {"goal/x", "goal/y", "goal/z"};
    const double width = number_width(app);
    PoisePointView point = poise_simulation_point(app->session.simulation, index);
    double place[3] = {point.goal_world.p.x, point.goal_world.p.y, point.goal_world.p.z};
    double reach = 2.0 * app->camera.scene_radius;
    double middle[3] = {app->camera.focus.x, app->camera.focus.y, app->camera.focus.z};
    for (int i = 0; i < 3 && point.has_position; i++) {
        PoiseUiNumber number = {.name = names[i],
                                .text = i == 2 ? "m" : "",
                                .lower = middle[i] - reach,
                                .upper = middle[i] + reach,
                                .digits = 4,
                                .width = width};
        if (i > 0) {
            poise__ui_same_line(app->ui);
        }
        int bits = poise__ui_number(app->ui, &number, &place[i]);
        PoiseChange change = {.kind = POISE_CHANGE_HOLD,
                              .index = index,
                              .place = poise_vec3(place[0], place[1], place[2])};
        poise__panel_track(app, &change, bits);
    }
}

/// Shows the orientation of the point's goal as roll, pitch and yaw, degrees.
static void show_turn(PoiseApp* app, int index) {
    static const char* const names[] = {"goal/roll", "goal/pitch", "goal/yaw"};
    static const char* const tips[] = {"about the world's x, first", "about the world's y, then",
                                       "about the world's z, last"};
    const PoisePointView point = poise_simulation_point(app->session.simulation, index);
    PoiseVec3* turn = &app->panels.turn;
    if (!point.turns) {
        return;
    }
    // keeps the other two angles while one is dragged, since they would jump where the pitch passes
    // 90 degrees
    if (!app->panels.turning) {
        *turn = poise_scale(DEGREE, poise_quat_to_rpy(point.goal_world.q));
    }
    double angles[3] = {turn->x, turn->y, turn->z};
    const double width = number_width(app);
    for (int i = 0; i < 3; i++) {
        const PoiseUiNumber number = {.name = names[i],
                                      .text = i == 2 ? "deg" : "",
                                      .lower = -180.0,
                                      .upper = 180.0,
                                      .digits = 1,
                                      .width = width};
        if (i > 0) {
            poise__ui_same_line(app->ui);
        }
        const int bits = poise__ui_number(app->ui, &number, &angles[i]);
        poise__ui_tip(app->ui, tips[i]);
        *turn = poise_vec3(angles[0], angles[1], angles[2]);
        app->panels.turning =
            (app->panels.turning || (bits & POISE_UI_BEGAN)) && !(bits & POISE_UI_ENDED);
        const PoiseChange change = {.kind = POISE_CHANGE_TURN,
                                    .index = index,
                                    .turn = poise_quat_from_rpy(poise_scale(1.0 / DEGREE, *turn))};
        poise__panel_track(app, &change, bits);
    }
}

/// Shows the force that the point is asked to press with.
static void show_force(PoiseApp* app, const char* name) {
    static const char* const texts[] = {"", "", "N, press"};
    const double width = number_width(app);
    for (int i = 0; i < 3; i++) {
        char key[200];
        snprintf(key, sizeof key, "control_points.%.100s.force.push.%c", name, "xyz"[i]);
        int index = poise_simulation_find_parameter(app->session.simulation, key);
        if (index >= 0 && i > 0) {
            poise__ui_same_line(app->ui);
        }
        if (index >= 0) {
            poise__panel_parameter(app, index, texts[i], width);
        }
    }
}

/// Shows how far the body and the plan are from the goal, and why.
static void show_reading(PoiseApp* app, const PoisePointView* point) {
    char miss[POISE_UNIT_TEXT], planned[POISE_UNIT_TEXT], why[POISE_WHY_TEXT];
    if (point->has_position) {
        poise__length_text(point->reading.miss, miss);
        poise__length_text(point->reading.planned_miss, planned);
    } else {
        poise__angle_text(point->reading.angle_miss, miss);
        poise__angle_text(point->reading.planned_angle_miss, planned);
    }
    char text[2 * POISE_UNIT_TEXT + 32 + POISE_WHY_TEXT];
    snprintf(text, sizeof text, "%s off, planned %s: %s", miss, planned,
             poise__why_text(app->session.simulation, point, why, sizeof why));
    poise__ui_short(app->ui, POISE_DIM_INK, text);
}

void poise__panel_points(PoiseApp* app) {
    static const char* const titles[] = {"control point", "error", "on", "pin", "weight"};
    static const double widths[] = {0.0, 62.0, 24.0, 24.0, 56.0};
    PoiseUi* ui = app->ui;
    const PoiseSimulation* simulation = app->session.simulation;
    if (!poise__ui_section(ui, "section/points", "Control points", true)) {
        return;
    }
    if (poise__ui_table_begin(ui, "points", titles, widths, 5)) {
        for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
            if (!poise_simulation_point(simulation, i).removed) {
                show_point(app, i);
            }
        }
        poise__ui_table_end(ui);
    }
    if (poise__ui_toggle(ui, "points/add", "Add...", app->adding)) {
        poise__app_do(app, "add");
    }
    poise__ui_tip(ui, "adds a control point by the next press on a link (A)");
    poise__ui_flow_button(ui, "Delete");
    if (poise__ui_button(ui, "points/delete", "Delete")) {
        poise__app_do(app, "delete");
    }
    poise__ui_flow_button(ui, "Give back");
    if (poise__ui_button(ui, "points/release", "Give back")) {
        poise__app_do(app, "release");
    }
    poise__ui_tip(ui, "returns dragged targets to the goals of the scene (R)");
    // if no point is selected, shows the first one, so that the panel keeps its layout
    int chosen = app->highlight.selected >= 0 ? app->highlight.selected : 0;
    PoisePointView point = poise_simulation_point(simulation, chosen);
    if (!point.removed && (point.has_position || point.turns)) {
        poise__ui_text(ui, POISE_DIM_INK, "goal of %.40s", point.name);
        show_place(app, chosen);
        show_turn(app, chosen);
        show_force(app, point.name);
        show_reading(app, &point);
    }
    if (app->highlight.selected >= 0 && !point.removed) {
        poise__panel_value(app, "priority, 0 first", number_width(app),
                           "control_points.%.100s.priority", point.name);
        poise__panel_freedom(app, app->highlight.selected);
    }
}
