// SPDX-License-Identifier: MIT
// Shows numbers: parameters, springs, and buttons that choose watched values.
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "panels.h"
#include "units.h"

/// An upper limit above this is shown as no limit.
static const double UNBOUNDED = 1e12;

/// Returns true if the value is in the parameter's range; otherwise shows a message with the range.
static bool is_accepted(PoiseApp* app, const PoiseChange* change) {
    PoiseParameter parameter;
    if (!poise_simulation_parameter(app->session.simulation, change->index, &parameter)) {
        return false;
    }
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

void poise__panel_track(PoiseApp* app, const PoiseChange* change, int bits) {
    poise__panel_track_all(app, change, 1, bits);
}

void poise__panel_track_all(PoiseApp* app, const PoiseChange* changes, int count, int bits) {
    if (bits & POISE_UI_BEGAN) {
        poise__timeline_edit_begin(&app->timeline);
    }
    for (int i = 0; (bits & POISE_UI_CHANGED) && i < count; i++) {
        if (changes[i].kind != POISE_CHANGE_SET || is_accepted(app, &changes[i])) {
            poise__app_change(app, &changes[i]);
        }
    }
    if (bits & POISE_UI_ENDED) {
        poise__timeline_edit_end(&app->timeline, true);
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
            poise__app_edit(app, &change);
        }
    } else if (parameter.kind == POISE_PARAMETER_CHOICE) {
        int chosen = (int)parameter.value;
        const PoiseUiChoice choice = {parameter.key, shown, parameter.choices,
                                      parameter.choice_count};
        if (poise__ui_choice(app->ui, &choice, &chosen)) {
            change.value = chosen;
            poise__app_edit(app, &change);
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
             number ? "\nDrag to change it, with Shift more finely. Double-click or Ctrl+click to "
                      "type a number."
                    : "");
    poise__ui_tip(app->ui, tip);
}

void poise__panel_value(PoiseApp* app, const char* text, double width, const char* format, ...) {
    char key[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    poise__panel_parameter(app, poise_simulation_find_parameter(app->session.simulation, key), text,
                           width);
}

// True for the parameter that switches a base, a root that may be free or fixed.
static bool switches_base(const PoiseApp* app, const PoiseParameter* parameter) {
    const char* end = strstr(parameter->key, ".enabled");
    if (strncmp(parameter->key, "joints.", 7) != 0 || !end) {
        return false;
    }
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(end - parameter->key - 7), parameter->key + 7);
    const int joint = poise_scene_find_joint(app->session.scene, name);
    return joint >= 0 && poise_kind_floats(app->session.scene->joints[joint].kind);
}

void poise__panel_solver(PoiseApp* app) {
    if (!poise__ui_section(app->ui, "section/ik", "Solver, motion and world", false)) {
        return;
    }
    PoiseParameter parameter;
    for (int i = 0; poise_simulation_parameter(app->session.simulation, i, &parameter); i++) {
        if (strncmp(parameter.key, "ik.", 3) == 0 || strncmp(parameter.key, "motion.", 7) == 0 ||
            strncmp(parameter.key, "world.", 6) == 0 || switches_base(app, &parameter)) {
            poise__panel_parameter(app, i, NULL, 0.0);
        }
    }
    poise__panel_act_button(app, "Another value...", "set_value",
                            app->panels.popup == POISE_POPUP_VALUE);
}

// ----------------------------------------------------------------------------------------- springs

/// True if the parameter is "joints.NAME.field" with this field.
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
    poise__ui_name(app->ui, POISE_INK, poise__bare_name(name));
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
    const PoiseVec3 now_at = poise_joint_vector(view->kind, view->q);
    const PoiseVec3 pulled_to = poise_joint_vector(view->kind, view->q_target);
    const double at = turns ? poise_length(now_at) : now_at.x;
    const double to = turns ? poise_length(pulled_to) : pulled_to.x;
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
    // The rows of a joint are adjacent in the table of parameters, the original spring's first.
    static const char first[] = "original.spring";
    static const int columns[] = {2, 3, 0, 1};
    if (!poise__ui_section(app->ui, "section/springs", "Springs", true)) {
        return;
    }
    poise__panel_show_softness(app);
    if (!poise__ui_table_begin(app->ui, "springs", titles, widths, 5)) {
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

// ------------------------------------------------------------------------------------------ values

void poise__panel_plots(PoiseApp* app) {
    PoiseUi* ui = app->ui;
    if (!poise__ui_section(ui, "section/plots", "Values", true)) {
        return;
    }
    if (poise__ui_toggle(ui, "watch/open", "Watch...", app->panels.popup == POISE_POPUP_WATCH)) {
        app->panels.popup = POISE_POPUP_WATCH;
        app->panels.popup_opened = true;
        app->panels.filter[0] = '\0';
    }
    poise__ui_tip(ui, "any value: errors, torques, energy, cost; plotted below the time bar");
    poise__ui_flow_button(ui, "Save CSV");
    if (poise__ui_button(ui, "watch/csv", "Save CSV")) {
        poise__app_do(app, "save_csv");
    }
}
