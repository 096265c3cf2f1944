// SPDX-License-Identifier: MIT
// Commands of scripts that are gestures. They use the event queue of the real mouse.
#include <string.h>

#include "handles.h"
#include "script_lines.h"

/// Time that a scripted drag takes, s, so that bodies can follow it.
static const double DRAG_SECONDS = 0.5;

static bool place_at(PoiseRunner* runner, int index, PoiseVec3* place) {
    return poise__script_number(runner, index, "m", &place->x) &&
           poise__script_number(runner, index + 1, "m", &place->y) &&
           poise__script_number(runner, index + 2, "m", &place->z);
}

static void point_to(PoiseRunner* runner, double x, double y) {
    poise__input_push_pointer(&runner->app->input, x, y);
}

static void button(PoiseRunner* runner, bool pressed, int mods) {
    poise__input_push_button(&runner->app->input, POISE_BUTTON_LEFT, pressed, mods);
}

static bool press_at(PoiseRunner* runner, double x, double y, int mods) {
    point_to(runner, x, y);
    if (!poise__script_frame(runner, 0.0)) {
        return false;
    }
    button(runner, true, mods);
    return poise__script_frame(runner, 0.0);
}

static bool release(PoiseRunner* runner, int mods) {
    if (!runner->holds) {
        button(runner, false, mods);
    }
    return poise__script_frame(runner, 0.0) && poise__script_frame(runner, 0.0);
}

/// Presses at one position of the window, moves straight to another, and releases.
static bool sweep(PoiseRunner* runner, const double from[2], const double to[2], int mods) {
    double seconds = runner->app->pacing.paused ? 0.0 : DRAG_SECONDS;
    int steps = (int)lround(seconds / runner->host->frame_seconds);
    steps = steps < 8 ? 8 : steps;
    if (!press_at(runner, from[0], from[1], mods)) {
        return false;
    }
    for (int i = 1; i <= steps; i++) {
        double part = (double)i / steps;
        point_to(runner, from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1]));
        if (!poise__script_frame(runner, seconds / steps)) {
            return false;
        }
    }
    return release(runner, mods);
}

/// Presses on a ring of a gizmo, moves along it by an angle, and releases.
static bool sweep_ring(PoiseRunner* runner, const PoiseHandle* handle, double degrees, int mods) {
    PoisePointView point = poise_simulation_point(runner->app->session.simulation, handle->point);
    PoisePose frame = poise__gizmo_frame(&point, runner->app->highlight.own_axes);
    PoiseVec3 centre = frame.p;
    PoiseVec3 about = poise__gizmo_line(&runner->app->camera, frame, handle->part).axis;
    PoiseVec3 arm = poise_sub(handle->place, centre);
    int steps = 24;
    if (!press_at(runner, handle->x, handle->y, mods)) {
        return false;
    }
    for (int i = 1; i <= steps; i++) {
        double angle = degrees / 57.29577951308232 * i / steps;
        PoiseVec3 there =
            poise_add(centre, poise_quat_rotate(poise_quat_from_axis_angle(about, angle), arm));
        double x = 0.0, y = 0.0;
        if (!poise__camera_project(&runner->app->camera, there, &x, &y)) {
            return poise__note_fail(runner->note, "the path around the ring leaves the picture");
        }
        point_to(runner, x, y);
        if (!poise__script_frame(runner, runner->app->pacing.paused ? 0.0 : DRAG_SECONDS / steps)) {
            return false;
        }
    }
    return release(runner, mods);
}

/// Removes the words after a gesture: modifiers, whose bits are returned, and "hold".
static int read_modifiers(PoiseRunner* runner) {
    int mods = 0;
    runner->holds = false;
    while (runner->count > 0) {
        const char* last = runner->words[runner->count - 1];
        if (strcmp(last, "hold") == 0) {
            runner->holds = true;
            runner->count--;
            continue;
        }
        int mod = strcmp(last, "shift") == 0  ? POISE_MOD_SHIFT
                  : strcmp(last, "ctrl") == 0 ? POISE_MOD_CTRL
                  : strcmp(last, "alt") == 0  ? POISE_MOD_ALT
                                              : 0;
        if (mod == 0) {
            break;
        }
        mods |= mod;
        runner->count--;
    }
    return mods;
}

// Runs "drag target:N axis:x 0.2", "drag target:N ring:z 30", "drag compliance:N axis:1 2" or "drag
// HANDLE by|to X Y Z". Each may end with "shift" or "ctrl".
bool poise__script_drag(PoiseRunner* runner) {
    int mods = read_modifiers(runner);
    PoiseHandle handle;
    double amount = 0.0;
    PoiseVec3 argument = {0.0, 0.0, 0.0};
    bool by = strcmp(runner->words[2], "by") == 0;
    bool to = strcmp(runner->words[2], "to") == 0;
    if (!poise__handle_find(runner->app, runner->words[1], by || to ? "" : runner->words[2],
                            &handle, runner->note)) {
        return false;
    }
    if (!(by || to ? place_at(runner, 3, &argument)
                   : poise__script_number(runner, 3, "m", &amount))) {
        return false;
    }
    if (!by && !to && poise__gizmo_is_ring(handle.part)) {
        return sweep_ring(runner, &handle, amount, mods);
    }
    if (handle.end >= 0 && (by || to || !(amount > 0.0))) {
        return poise__note_fail(runner->note, "drag compliance:NAME axis:1 FACTOR, above 0");
    }
    if (handle.end >= 0) {
        const PoiseVec3 place = runner->app->highlight.yielding.place;
        argument = poise_scale(amount - 1.0, poise_sub(handle.place, place));
    } else if (!by && !to) {
        PoisePointView point =
            poise_simulation_point(runner->app->session.simulation, handle.point);
        PoisePose frame = poise__gizmo_frame(&point, runner->app->highlight.own_axes);
        argument =
            poise_scale(amount, poise__gizmo_line(&runner->app->camera, frame, handle.part).axis);
    }
    PoiseVec3 end = to ? argument : poise_add(handle.place, argument);
    const double from[2] = {handle.x, handle.y};
    double there[2];
    if (!poise__camera_project(&runner->app->camera, end, &there[0], &there[1])) {
        return poise__note_fail(runner->note, "the drag ends behind the eye");
    }
    return sweep(runner, from, there, mods);
}

bool poise__script_lift(PoiseRunner* runner) {
    runner->holds = false;
    if (!release(runner, 0)) {
        return false;
    }
    point_to(runner, -100.0, -100.0); // the pointer leaves the picture
    return poise__script_frame(runner, 0.0);
}

// Runs "press link:NAME [shift]", which is a click.
bool poise__script_press(PoiseRunner* runner) {
    int mods = read_modifiers(runner);
    PoiseHandle handle;
    return poise__handle_find(runner->app, runner->words[1],
                              runner->count > 2 ? runner->words[2] : "", &handle, runner->note) &&
           press_at(runner, handle.x, handle.y, mods) && release(runner, mods);
}

static const char* widget_name(const void* user, int index, char text[POISE_SUGGESTION_LENGTH]) {
    (void)text;
    return poise__ui_item(user, index)->name;
}

/// Fails with a guess: the most similar visible widget, else the most similar parameter, whose key
/// is the name of its widget.
static bool refuse_widget(PoiseRunner* runner, const char* name) {
    char guess[POISE_SUGGESTION_LENGTH];
    const PoiseUi* ui = runner->app->ui;
    const PoiseSimulation* simulation = runner->app->session.simulation;
    poise__suggest_name(name, widget_name, ui, poise__ui_item_count(ui), guess);
    if (guess[0] == '\0' && poise_simulation_find_parameter(simulation, name) < 0) {
        poise__suggest_name_of(simulation, POISE_OWNER_PARAMETER, name, guess);
    }
    return poise__note_fail(runner->note,
                            "no widget '%s' is visible%s (show the panels, unfold its section, or "
                            "enlarge the window)",
                            name, guess);
}

static bool find_widget(PoiseRunner* runner, const char* name, PoiseUiItem* item) {
    if (!runner->app->ui) {
        return poise__note_fail(runner->note, "there are no panels here");
    }
    // a frame of 0 s lays out the panels in their present state
    return (poise__script_frame(runner, 0.0) && poise__ui_find(runner->app->ui, name, item)) ||
           refuse_widget(runner, name);
}

bool poise__script_click(PoiseRunner* runner) {
    PoiseUiItem item;
    if (!find_widget(runner, runner->words[1], &item)) {
        return false;
    }
    double x = 0.5 * (double)(item.left + item.right);
    return press_at(runner, x, 0.5 * (double)(item.top + item.bottom), 0) && release(runner, 0);
}

/// Types a number into a field, as a person does by Ctrl+click and Enter.
static bool type_number(PoiseRunner* runner, const PoiseUiItem* item, double value) {
    PoiseInput* input = &runner->app->input;
    char text[32];
    double x = 0.5 * (double)(item->left + item->right);
    double y = 0.5 * (double)(item->top + item->bottom);
    if (!press_at(runner, x, y, POISE_MOD_CTRL) || !release(runner, POISE_MOD_CTRL)) {
        return false;
    }
    poise__input_push_key(input, POISE_KEY_LEFT_CTRL, false, false, 0);
    snprintf(text, sizeof text, "%.17g", value);
    for (const char* c = text; *c != '\0'; c++) {
        poise__input_push_text(input, (unsigned char)*c);
    }
    if (!poise__script_frame(runner, 0.0)) {
        return false;
    }
    poise__input_push_key(input, POISE_KEY_ENTER, true, false, 0);
    poise__input_push_key(input, POISE_KEY_ENTER, false, false, 0);
    return poise__script_frame(runner, 0.0) && poise__script_frame(runner, 0.0);
}

/// Drags a slider to the position that is nearest to the value.
static bool drag_slider(PoiseRunner* runner, const PoiseUiItem* item, double value) {
    double y = 0.5 * (double)(item->top + item->bottom);
    const double from[2] = {(double)item->left + 3.0, y};
    const double to[2] = {(double)item->left + poise__ui_slider_place(item, value), y};
    return sweep(runner, from, to, 0);
}

bool poise__script_slide(PoiseRunner* runner) {
    PoiseUiItem item;
    double value = 0.0;
    if (!poise__script_number(runner, 2, "", &value) ||
        !find_widget(runner, runner->words[1], &item)) {
        return false;
    }
    if (!item.slider && !item.number) {
        return poise__note_fail(runner->note, "'%s' is no slider", runner->words[1]);
    }
    runner->app->message.text[0] = '\0';
    if (!(item.slider ? drag_slider(runner, &item, value) : type_number(runner, &item, value)) ||
        !find_widget(runner, runner->words[1], &item)) {
        return false;
    }
    // a typed number is exact; a slider has steps of a window unit
    double unit = (item.upper - item.lower) / fmax(1.0, (double)(item.right - item.left));
    if (fabs(item.value - value) <= (item.slider ? unit : 1e-12 * fabs(value))) {
        return true;
    }
    const char* why = runner->app->message.text;
    return poise__note_fail(runner->note, "%s is %.10g and not %.10g%s%s", runner->words[1],
                            item.value, value, why[0] != '\0' ? ": " : "", why);
}

bool poise__script_drop(PoiseRunner* runner) {
    poise__input_push_drop(&runner->app->input, runner->words[1]);
    return poise__script_frame(runner, 0.0) &&
           (runner->app->open_error.text[0] == '\0' ||
            poise__note_fail(runner->note, "%.900s", runner->app->open_error.text));
}

bool poise__script_key(PoiseRunner* runner) {
    int key = 0, mods = 0;
    if (!poise__key_named(runner->words[1], &key, &mods)) {
        return poise__note_fail(runner->note, "'%s' is no key: Space, Ctrl+Z, F1 ...",
                                runner->words[1]);
    }
    poise__input_push_key(&runner->app->input, key, true, false, mods);
    poise__input_push_key(&runner->app->input, key, false, false, mods);
    if (mods != 0) {
        poise__input_push_key(&runner->app->input, POISE_KEY_LEFT_CTRL, false, false, 0);
    }
    return poise__script_frame(runner, 0.0);
}

bool poise__script_type(PoiseRunner* runner) {
    // a new text field accepts letters from the second frame on
    if (!poise__script_frame(runner, 0.0) || !poise__script_frame(runner, 0.0)) {
        return false;
    }
    for (int i = 1; i < runner->count; i++) {
        for (const char* c = runner->words[i]; *c != '\0'; c++) {
            poise__input_push_text(&runner->app->input, (unsigned char)*c);
        }
        if (i + 1 < runner->count) {
            poise__input_push_text(&runner->app->input, ' ');
        }
    }
    return poise__script_frame(runner, 0.0) && poise__script_frame(runner, 0.0);
}
