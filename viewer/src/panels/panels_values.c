// SPDX-License-Identifier: MIT
// The panels about numbers: parameters, springs, control points, plots.
#include <math.h>
#include <string.h>

#include "panels.h"
#include "units.h"

/// Of three sliders in a line, window units.
static const double THIRD = 76.0;
/// An upper end so large is none.
static const double UNBOUNDED = 1e12;

/// Says what is, where a number that was typed is none of them.
static bool is_accepted(PoiseApp* app, const PoiseChange* change) {
    PoiseParameter parameter;
    (void)poise_simulation_parameter(app->session.simulation, change->index, &parameter);
    const bool high_enough =
        change->value > parameter.lower || (change->value == parameter.lower && !parameter.above);
    if (high_enough && change->value <= parameter.upper && isfinite(change->value)) {
        return true;
    }
    char range[96];
    if (parameter.upper > UNBOUNDED) {
        snprintf(range, sizeof range, parameter.above ? "above %g" : "%g or more", parameter.lower);
    } else {
        snprintf(range, sizeof range, parameter.above ? "above %g, at most %g" : "%g to %g",
                 parameter.lower, parameter.upper);
    }
    poise__app_say(app, "%s cannot be %g: %s", parameter.key, change->value, range);
    return false;
}

/// A slider's whole way is one thing to undo: `bits` say whether it begins, changes, ends.
void poise__panel_track(PoiseApp* app, const PoiseChange* change, int bits) {
    PoiseEdit* edit = &app->panels.edit;
    const bool set = change->kind == POISE_CHANGE_SET;
    if (bits & POISE_UI_BEGAN) {
        *edit = poise__change_edit(change, app->session.simulation);
        poise__edit_begin(edit, &app->timeline);
    }
    if ((bits & POISE_UI_CHANGED) && (!set || is_accepted(app, change)) &&
        poise__app_change(app, change) >= 0) {
        edit->redo[0] = *change;
    }
    const bool differs = !set || edit->redo[0].value != edit->undo[0].value;
    if ((bits & POISE_UI_ENDED) && edit->undo[0].index == change->index && differs) {
        poise__edits_push(&app->edits, edit, &app->timeline);
        *edit = (PoiseEdit){.undo = {{.kind = POISE_CHANGE_NONE}}};
    }
}

void poise__panel_parameter(PoiseApp* app, int index, const char* text, double width) {
    PoiseParameter parameter;
    if (!poise_simulation_parameter(app->session.simulation, index, &parameter) ||
        parameter.key[0] == '\0') {
        return;
    }
    char tip[512];
    const char* shown = text ? text : parameter.key;
    PoiseChange change = {.kind = POISE_CHANGE_SET, .index = index};
    if (parameter.kind == POISE_PARAMETER_SWITCH) {
        bool on = parameter.value != 0.0;
        if (poise__ui_check(app->ui, parameter.key, shown, &on)) {
            change.value = on ? 1.0 : 0.0;
            (void)poise__app_edit(app, &change);
        }
    } else if (parameter.kind == POISE_PARAMETER_CHOICE) {
        int chosen = (int)parameter.value;
        const PoiseUiChoice choice = {parameter.key, shown, parameter.choices,
                                      parameter.choice_count};
        if (poise__ui_choice(app->ui, &choice, &chosen)) {
            change.value = chosen;
            (void)poise__app_edit(app, &change);
        }
    } else {
        PoiseUiNumber number = {.name = parameter.key,
                                .text = shown,
                                .lower = parameter.slider_lower,
                                .upper = parameter.slider_upper,
                                .logarithmic = parameter.logarithmic,
                                .whole = parameter.kind == POISE_PARAMETER_INTEGER,
                                .width = width};
        change.value = parameter.value;
        int bits = poise__ui_number(app->ui, &number, &change.value);
        poise__panel_track(app, &change, bits);
    }
    bool number =
        parameter.kind != POISE_PARAMETER_SWITCH && parameter.kind != POISE_PARAMETER_CHOICE;
    snprintf(tip, sizeof tip, "%s%s%s\n%s%s", parameter.key, parameter.unit[0] != '\0' ? ", " : "",
             parameter.unit, parameter.help,
             number ? "\nDrag it: more or less, Shift finely. Double click or Ctrl+click types a "
                      "number."
                    : "");
    poise__ui_tip(app->ui, tip);
}

void poise__panel_solver(PoiseApp* app) {
    if (!poise__ui_section(app->ui, "section/ik", "Solver and world", false)) {
        return;
    }
    PoiseParameter parameter;
    for (int i = 0; poise_simulation_parameter(app->session.simulation, i, &parameter); i++) {
        if (strncmp(parameter.key, "ik.", 3) == 0 || strncmp(parameter.key, "world.", 6) == 0) {
            poise__panel_parameter(app, i, NULL, 0.0);
        }
    }
    poise__panel_act_button(app, "Another value...", POISE_ACTION_SET_VALUE,
                            app->panels.popup == POISE_POPUP_VALUE);
}

// ----------------------------------------------------------------------------------------- springs

/// The joint of the scene whose parameter this is: "joints.NAME.field".
static bool is_field(const PoiseParameter* parameter, const char* field) {
    size_t length = strlen(parameter->key);
    size_t tail = strlen(field);
    return strncmp(parameter->key, "joints.", 7) == 0 && length > tail + 7 &&
           strcmp(parameter->key + length - tail, field) == 0 &&
           parameter->key[length - tail - 1] == '.';
}

static void show_joint_name(PoiseApp* app, const char* key, const char* field) {
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(strlen(key) - strlen(field) - 8), key + 7);
    int joint = poise_scene_find_joint(app->session.scene, name);
    const char* slash = strrchr(name, '/');
    poise__ui_name(app->ui, POISE_INK, slash ? slash + 1 : name);
    if (poise__ui_hovered(app->ui)) {
        app->panels.focus.joint = joint;
    }
    PoiseJointView view = poise_simulation_joint(app->session.simulation, joint);
    char tip[256];
    poise__panel_joint_words(&view, tip);
    poise__ui_tip(app->ui, tip);
}

void poise__panel_joint_words(const PoiseJointView* view, char text[256]) {
    const bool slides = poise_kind_slides(view->kind);
    const bool turns = poise_kind_turns(view->kind);
    const double at = turns ? poise_length(view->rotation) : view->angle;
    const double to = turns ? poise_length(view->target_rotation) : view->target;
    char now[POISE_UNIT_TEXT];
    char target[POISE_UNIT_TEXT];
    char torque[POISE_UNIT_TEXT];
    snprintf(text, 256, "%.100s\n%s %s, springs pull to %s, %s %s", view->name,
             slides ? "out" : "turned",
             slides ? poise__length_text(at, now) : poise__angle_text(at, now),
             slides ? poise__length_text(to, target) : poise__angle_text(to, target),
             slides ? "force" : "torque",
             poise__value_text(poise_length(view->torque), slides ? "N" : "N m", torque));
}

void poise__panel_springs(PoiseApp* app) {
    static const char* const titles[] = {"joint", "p_ik", "d_ik", "p_orig", "d_orig"};
    static const double widths[] = {0.0, 48.0, 44.0, 48.0, 44.0};
    // a joint's rows stand one after the other in the table of parameters, the original spring's
    // first
    static const char first[] = "original.spring";
    static const int columns[] = {2, 3, 0, 1};
    if (!poise__ui_section(app->ui, "section/springs", "Springs", true) ||
        !poise__ui_table_begin(app->ui, "springs", titles, widths, 5)) {
        return;
    }
    PoiseParameter parameter;
    for (int i = 0; poise_simulation_parameter(app->session.simulation, i, &parameter); i++) {
        if (!is_field(&parameter, first)) {
            continue;
        }
        poise__ui_table_next(app->ui);
        show_joint_name(app, parameter.key, first);
        for (int k = 0; k < 4; k++) {
            poise__ui_table_next(app->ui);
            poise__panel_parameter(app, i + columns[k], "", 0.0);
        }
    }
    poise__ui_table_end(app->ui);
}

// ------------------------------------------------------------------------------------------ points

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
    poise__ui_align(ui);
    if (point.has_position) {
        char error[POISE_UNIT_TEXT];
        poise__ui_text(ui, POISE_DIM_INK, "%s", poise__length_text(point.error, error));
    } else {
        poise__ui_text(ui, POISE_DIM_INK, "%.3g deg", point.angle_error * 57.29577951308232);
    }
    poise__ui_table_next(ui);
    snprintf(key, sizeof key, "control_points.%.100s.enabled", point.name);
    poise__panel_parameter(app, poise_simulation_find_parameter(simulation, key), "", 0.0);
    poise__ui_table_next(ui);
    snprintf(key, sizeof key, "control_points.%.100s.weight", point.name);
    poise__panel_parameter(app, poise_simulation_find_parameter(simulation, key), "", 0.0);
}

/// The place of the chosen target, as numbers.
static void show_place(PoiseApp* app, int index) {
    static const char* const names[] = {"goal/x", "goal/y", "goal/z"};
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
                                .width = THIRD};
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

/// What it is asked to press with.
static void show_force(PoiseApp* app, const char* name) {
    static const char* const texts[] = {"", "", "N, press"};
    for (int i = 0; i < 3; i++) {
        char key[200];
        snprintf(key, sizeof key, "control_points.%.100s.force.push.%c", name, "xyz"[i]);
        int index = poise_simulation_find_parameter(app->session.simulation, key);
        if (index >= 0 && i > 0) {
            poise__ui_same_line(app->ui);
        }
        if (index >= 0) {
            poise__panel_parameter(app, index, texts[i], THIRD);
        }
    }
}

void poise__panel_points(PoiseApp* app) {
    static const char* const titles[] = {"control point", "error", "on", "weight"};
    static const double widths[] = {0.0, 66.0, 24.0, 62.0};
    PoiseUi* ui = app->ui;
    const PoiseSimulation* simulation = app->session.simulation;
    if (!poise__ui_section(ui, "section/points", "Control points", true)) {
        return;
    }
    if (poise__ui_table_begin(ui, "points", titles, widths, 4)) {
        for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
            if (!poise_simulation_point(simulation, i).removed) {
                show_point(app, i);
            }
        }
        poise__ui_table_end(ui);
    }
    if (poise__ui_toggle(ui, "points/add", "Add...", app->adding)) {
        poise__app_act(app, POISE_ACTION_ADD_POINT);
    }
    poise__ui_tip(ui, "then press on a link (A)");
    poise__ui_same_line(ui);
    if (poise__ui_button(ui, "points/delete", "Delete")) {
        poise__app_act(app, POISE_ACTION_DELETE_POINT);
    }
    poise__ui_same_line(ui);
    if (poise__ui_button(ui, "points/release", "Give back")) {
        poise__app_act(app, POISE_ACTION_RELEASE);
    }
    poise__ui_tip(ui, "dragged targets go where the scene has them (R)");
    // of the first while none is chosen, so that nothing moves when one is
    int chosen = app->highlight.selected >= 0 ? app->highlight.selected : 0;
    PoisePointView point = poise_simulation_point(simulation, chosen);
    if (!point.removed && point.has_position) {
        poise__ui_text(ui, POISE_DIM_INK, "goal of %.40s", point.name);
        show_place(app, chosen);
        show_force(app, point.name);
    }
}

// ------------------------------------------------------------------------------------------- plots

static const uint32_t CURVES[] = {0x6fb1ffff, 0xffb866ff, 0x7fe0a0ff, 0xff8f87ff,
                                  0xd6a5f5ff, 0xffe28aff, 0x8fe3e0ff, 0xc8d0daff};

/// Of a value that is watched, by the end of its name.
static const char* unit_of(const char* name) {
    static const struct {
        const char* ending;
        const char* unit;
    } units[] = {
        {".error", "m"}, {".torque", "N m"}, {".pressed", "N"}, {".angle", "rad"}, {"energy", "J"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(name);
        size_t ending = strlen(units[i].ending);
        if (length >= ending && strcmp(name + length - ending, units[i].ending) == 0) {
            return units[i].unit;
        }
    }
    return "";
}

void poise__panel_plots(PoiseApp* app) {
    PoiseUi* ui = app->ui;
    if (!poise__ui_section(ui, "section/plots", "Values", true)) {
        return;
    }
    for (int i = 0; i < app->watch.count; i++) {
        PoiseWatched* value = &app->watch.values[i];
        char name[POISE_WATCH_NAME + 8];
        char title[64];
        int newest = app->watch.sample_count - 1;
        const float* curve = value->samples;
        char now[POISE_UNIT_TEXT];
        const char* unit = unit_of(value->name);
        const double newest_value = newest >= 0 ? (double)value->samples[newest] : 0.0;
        snprintf(title, sizeof title, "%.30s %s", value->name,
                 strcmp(unit, "m") == 0 ? poise__length_text(newest_value, now)
                                        : poise__value_text(newest_value, unit, now));
        snprintf(name, sizeof name, "plot/%s", value->name);
        PoiseUiPlot plot = {.values = &curve,
                            .colours = &CURVES[i],
                            .curve_count = 1,
                            .sample_count = app->watch.sample_count,
                            .height = 52.0,
                            .title = title,
                            .mark = -1};
        poise__ui_plot(ui, name, &plot);
    }
    if (poise__ui_toggle(ui, "watch/open", "Watch...", app->panels.popup == POISE_POPUP_WATCH)) {
        app->panels.popup = POISE_POPUP_WATCH;
        app->panels.popup_opened = true;
        app->panels.filter[0] = '\0';
    }
    poise__ui_tip(ui, "any value: errors, torques, energy, cost");
    poise__ui_same_line(ui);
    if (poise__ui_button(ui, "watch/csv", "Save CSV")) {
        poise__app_act(app, POISE_ACTION_SAVE_CSV);
    }
}
