// SPDX-License-Identifier: MIT
#include "script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handles.h"

enum { MAX_WORDS = 16, MAX_LINE = 512 };
/// A scripted drag takes this long, s, so that bodies can follow.
static const double DRAG_SECONDS = 0.5;

typedef struct Runner {
    PoiseApp* app;
    const PoiseScriptHost* host;
    char line[MAX_LINE];
    char* words[MAX_WORDS];
    int count;
    PoiseNote* note;
} Runner;

static bool frame(Runner* runner, double seconds) {
    return runner->host->frame(runner->host->user, seconds, runner->note);
}

static bool frames(Runner* runner, double seconds) {
    int count = (int)lround(seconds / runner->host->frame_seconds);
    for (int i = 0; i < count; i++) {
        if (!frame(runner, runner->host->frame_seconds)) {
            return false;
        }
    }
    return true;
}

static bool read_number(const char* text, const char* unit, double* value) {
    char* end = NULL;
    *value = strtod(text, &end);
    return end != text && isfinite(*value) && (*end == '\0' || strcmp(end, unit) == 0);
}

static bool number_at(Runner* runner, int index, const char* unit, double* value) {
    return (index < runner->count && read_number(runner->words[index], unit, value)) ||
           poise__note_fail(runner->note, "word %d should be a number", index + 1);
}

static bool place_at(Runner* runner, int index, PoiseVec3* place) {
    return number_at(runner, index, "m", &place->x) &&
           number_at(runner, index + 1, "m", &place->y) &&
           number_at(runner, index + 2, "m", &place->z);
}

// ---------------------------------------------------------------------------------------- gestures

static void point_to(Runner* runner, double x, double y) {
    poise__input_push_pointer(&runner->app->input, x, y);
}

static void button(Runner* runner, bool pressed, int mods) {
    poise__input_push_button(&runner->app->input, POISE_BUTTON_LEFT, pressed, mods);
}

static bool press_at(Runner* runner, double x, double y, int mods) {
    point_to(runner, x, y);
    if (!frame(runner, 0.0)) {
        return false;
    }
    button(runner, true, mods);
    return frame(runner, 0.0);
}

static bool release(Runner* runner, int mods) {
    button(runner, false, mods);
    return frame(runner, 0.0) && frame(runner, 0.0);
}

/// Presses at one place, goes straight to another, lets go.
static bool sweep(Runner* runner, const double from[2], const double to[2], int mods) {
    double seconds = runner->app->pacing.paused ? 0.0 : DRAG_SECONDS;
    int steps = (int)lround(seconds / runner->host->frame_seconds);
    steps = steps < 8 ? 8 : steps;
    if (!press_at(runner, from[0], from[1], mods)) {
        return false;
    }
    for (int i = 1; i <= steps; i++) {
        double part = (double)i / steps;
        point_to(runner, from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1]));
        if (!frame(runner, seconds / steps)) {
            return false;
        }
    }
    return release(runner, mods);
}

/// How the pointer goes round a ring by an angle.
static bool sweep_ring(Runner* runner, const PoiseHandle* handle, double degrees, int mods) {
    PoisePointView point = poise_simulation_point(runner->app->session.simulation, handle->point);
    PoiseVec3 centre = point.has_position ? point.goal_world.p : point.pose_world.p;
    int axis = poise__gizmo_axis(handle->part);
    PoiseVec3 about = poise_vec3(axis == 0, axis == 1, axis == 2);
    PoiseVec3 arm = poise_sub(handle->place, centre);
    int steps = 24;
    if (!press_at(runner, handle->x, handle->y, mods)) {
        return false;
    }
    for (int i = 1; i <= steps; i++) {
        double angle = degrees / 57.29577951308232 * i / steps;
        PoiseVec3 there =
            poise_add(centre, poise_quat_rotate(poise_quat_from_axis_angle(about, angle), arm));
        double x = 0.0;
        double y = 0.0;
        if (!poise__camera_project(&runner->app->camera, there, &x, &y)) {
            return poise__note_fail(runner->note, "the way round the ring leaves the picture");
        }
        point_to(runner, x, y);
        if (!frame(runner, runner->app->pacing.paused ? 0.0 : DRAG_SECONDS / steps)) {
            return false;
        }
    }
    return release(runner, mods);
}

static int take_mods(Runner* runner) {
    int mods = 0;
    while (runner->count > 0) {
        const char* last = runner->words[runner->count - 1];
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

// drag target:N axis:x 0.2 | drag target:N ring:z 30 | drag HANDLE by|to X Y Z, then shift, ctrl
static bool run_drag(Runner* runner) {
    int mods = take_mods(runner);
    PoiseHandle handle;
    double amount = 0.0;
    PoiseVec3 way = {0.0, 0.0, 0.0};
    if (runner->count < 4) {
        return poise__note_fail(runner->note, "drag HANDLE axis:x M, ring:z DEG, by X Y Z or to "
                                              "X Y Z");
    }
    bool by = strcmp(runner->words[2], "by") == 0;
    bool to = strcmp(runner->words[2], "to") == 0;
    if (!poise__handle_find(runner->app, runner->words[1], by || to ? "" : runner->words[2],
                            &handle, runner->note)) {
        return false;
    }
    if (!(by || to ? place_at(runner, 3, &way) : number_at(runner, 3, "m", &amount))) {
        return false;
    }
    if (!by && !to && poise__gizmo_is_ring(handle.part)) {
        return sweep_ring(runner, &handle, amount, mods);
    }
    if (!by && !to) {
        int axis = poise__gizmo_axis(handle.part);
        way = poise_vec3(axis == 0 ? amount : 0.0, axis == 1 ? amount : 0.0,
                         axis == 2 ? amount : 0.0);
    }
    PoiseVec3 end = to ? way : poise_add(handle.place, way);
    const double from[2] = {handle.x, handle.y};
    double there[2];
    if (!poise__camera_project(&runner->app->camera, end, &there[0], &there[1])) {
        return poise__note_fail(runner->note, "the drag ends behind the eye");
    }
    return sweep(runner, from, there, mods);
}

// press link:NAME [shift]: a click
static bool run_press(Runner* runner) {
    int mods = take_mods(runner);
    PoiseHandle handle;
    if (runner->count < 2) {
        return poise__note_fail(runner->note, "press HANDLE");
    }
    return poise__handle_find(runner->app, runner->words[1],
                              runner->count > 2 ? runner->words[2] : "", &handle, runner->note) &&
           press_at(runner, handle.x, handle.y, mods) && release(runner, mods);
}

static bool find_widget(Runner* runner, const char* name, PoiseUiItem* item) {
    if (!runner->app->ui) {
        return poise__note_fail(runner->note, "there are no panels here");
    }
    // laid out as it is now
    return (frame(runner, 0.0) && poise__ui_find(runner->app->ui, name, item)) ||
           poise__note_fail(runner->note,
                            "no widget '%s' is in sight (show panels; open its part, or make "
                            "room for it)",
                            name);
}

static bool run_click(Runner* runner) {
    PoiseUiItem item;
    if (runner->count < 2) {
        return poise__note_fail(runner->note, "click WIDGET");
    }
    if (!find_widget(runner, runner->words[1], &item)) {
        return false;
    }
    double x = 0.5 * (double)(item.left + item.right);
    double y = 0.5 * (double)(item.top + item.bottom);
    return press_at(runner, x, y, 0) && release(runner, 0);
}

static bool run_slide(Runner* runner) {
    PoiseUiItem item;
    double value = 0.0;
    if (runner->count < 3) {
        return poise__note_fail(runner->note, "slide WIDGET VALUE");
    }
    if (!number_at(runner, 2, "", &value) || !find_widget(runner, runner->words[1], &item)) {
        return false;
    }
    if (!item.slider) {
        return poise__note_fail(runner->note, "'%s' is no slider", runner->words[1]);
    }
    double y = 0.5 * (double)(item.top + item.bottom);
    const double from[2] = {(double)item.left + 3.0, y};
    const double to[2] = {(double)item.left + poise__ui_slider_place(&item, value), y};
    return sweep(runner, from, to, 0);
}

static bool run_key(Runner* runner) {
    int key = 0;
    int mods = 0;
    if (runner->count < 2 || !poise__key_named(runner->words[1], &key, &mods)) {
        return poise__note_fail(runner->note, "'%s' is no key: Space, Ctrl+Z, F1 ...",
                                runner->count > 1 ? runner->words[1] : "");
    }
    poise__input_push_key(&runner->app->input, key, true, false, mods);
    poise__input_push_key(&runner->app->input, key, false, false, mods);
    if (mods != 0) {
        poise__input_push_key(&runner->app->input, POISE_KEY_LEFT_CTRL, false, false, 0);
    }
    return frame(runner, 0.0);
}

static bool run_type(Runner* runner) {
    // a field that has just opened gets letters from the second frame on
    if (!frame(runner, 0.0) || !frame(runner, 0.0)) {
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
    return frame(runner, 0.0) && frame(runner, 0.0);
}

// ---------------------------------------------------------------------------------------- the rest

static bool run_do(Runner* runner) {
    PoiseAction action =
        runner->count > 1 ? poise__action_named(runner->words[1]) : POISE_ACTION_NONE;
    if (action == POISE_ACTION_NONE || poise__action_is_gesture(action)) {
        return poise__note_fail(runner->note, "'%s' is no action; --help-keys names the keys",
                                runner->count > 1 ? runner->words[1] : "");
    }
    poise__app_act(runner->app, action);
    return frame(runner, 0.0);
}

static bool run_wait(Runner* runner) {
    double seconds = 0.0;
    return number_at(runner, 1, "s", &seconds) && frames(runner, seconds);
}

static bool run_go(Runner* runner) {
    double time = 0.0;
    if (!number_at(runner, 1, "s", &time)) {
        return false;
    }
    if (!poise__app_go(runner->app, time)) {
        *runner->note = runner->app->trouble;
        return false;
    }
    return frame(runner, 0.0);
}

static bool run_look(Runner* runner) {
    double numbers[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3 && i + 1 < runner->count; i++) {
        if (!number_at(runner, i + 1, "", &numbers[i])) {
            return false;
        }
    }
    runner->app->camera.azimuth = numbers[0] / 57.29577951308232;
    runner->app->camera.elevation = numbers[1] / 57.29577951308232;
    if (numbers[2] > 0.0) {
        runner->app->camera.distance = numbers[2];
    }
    return frame(runner, 0.0);
}

static bool run_show(Runner* runner) {
    unsigned parts = 0;
    if (runner->count < 2 || !poise__overlay_parse(runner->words[1], &parts)) {
        return poise__note_fail(runner->note, "show takes %s", poise__overlay_names());
    }
    runner->app->highlight.parts = parts;
    return frame(runner, 0.0);
}

static bool run_picture(Runner* runner) {
    if (runner->count < 2) {
        return poise__note_fail(runner->note, "picture FILE.png");
    }
    return !runner->host->picture ||
           runner->host->picture(runner->host->user, runner->words[1], runner->note);
}

/// A value by name: what can be watched, "time", or a parameter.
static bool find_value(Runner* runner, const char* name, double* value) {
    const PoiseSimulation* simulation = runner->app->session.simulation;
    PoiseParameter parameter;
    int index = poise__value_find(simulation, name);
    if (strcmp(name, "time") == 0) {
        *value = poise_simulation_time(simulation);
        return true;
    }
    if (index >= 0) {
        *value = poise__value_now(simulation, index);
        return true;
    }
    index = poise_simulation_find_parameter(simulation, name);
    if (index >= 0 && poise_simulation_parameter(simulation, index, &parameter)) {
        *value = parameter.value;
        return true;
    }
    return poise__note_fail(runner->note, "there is no value '%s'", name);
}

static bool run_expect(Runner* runner) {
    double value = 0.0;
    double bound = 0.0;
    if (runner->count < 4) {
        return poise__note_fail(runner->note, "expect VALUE < NUMBER, or >");
    }
    bool less = strcmp(runner->words[2], "<") == 0;
    if (!find_value(runner, runner->words[1], &value) || !number_at(runner, 3, "", &bound)) {
        return false;
    }
    if (!less && strcmp(runner->words[2], ">") != 0) {
        return poise__note_fail(runner->note, "expect compares by < or >");
    }
    return (less ? value < bound : value > bound) ||
           poise__note_fail(runner->note, "%s is %.6g, expected %s %.6g", runner->words[1], value,
                            runner->words[2], bound);
}

static bool run_open(Runner* runner) {
    if (runner->count < 2 || !poise__app_open(runner->app, runner->words[1])) {
        return poise__note_fail(runner->note, "open SCENE: it cannot be read");
    }
    return frame(runner, 0.0);
}

static const struct {
    const char* word;
    bool (*run)(Runner* runner);
    const char* form;
    const char* help;
} COMMANDS[] = {
    {"drag", run_drag, "drag HANDLE WAY [shift] [ctrl]",
     "target:NAME axis:x M, target:NAME ring:z DEGREES, target:NAME or link:NAME by X Y Z or to X "
     "Y Z"},
    {"press", run_press, "press HANDLE [shift]", "a click on a target or link"},
    {"click", run_click, "click WIDGET", "do/pause, section/springs, points/add ..."},
    {"slide", run_slide, "slide WIDGET VALUE", "a slider; those of parameters are called as --set"},
    {"key", run_key, "key KEY", "Space, Ctrl+Z, 2 ..."},
    {"type", run_type, "type WORDS", "into the field that is open"},
    {"do", run_do, "do ACTION", "as the palette names them: pause, undo, view_ik ..."},
    {"wait", run_wait, "wait SECONDS", "of the clock; the run goes on unless it is paused"},
    {"go", run_go, "go TIME", "back or forth in the run"},
    {"look", run_look, "look AZ EL [DIST]", "as --camera"},
    {"show", run_show, "show PARTS", "as --overlay"},
    {"open", run_open, "open SCENE", "another scene"},
    {"picture", run_picture, "picture FILE.png", "what is to be seen now"},
    {"expect", run_expect, "expect VALUE < NUMBER",
     "or >; time, a parameter, or what can be watched: hand.error, elbow.torque, energy"},
};

void poise__script_print_help(FILE* out) {
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        fprintf(out, "  %-32s %s\n", COMMANDS[i].form, COMMANDS[i].help);
    }
    fprintf(out, "  %-32s %s\n", "at TIME [CHANGE]",
            "runs to that time, then hold, turn, release, set, add, remove, pull, let_go as "
            "--save-script writes them");
}

static void split(Runner* runner, const char* line, size_t length) {
    snprintf(runner->line, sizeof runner->line, "%.*s", (int)length, line);
    runner->count = 0;
    for (char* word = runner->line; runner->count < MAX_WORDS;) {
        word += strspn(word, " \t\r");
        if (*word == '\0' || *word == '#') {
            break;
        }
        runner->words[runner->count++] = word;
        word += strcspn(word, " \t\r");
        if (*word != '\0') {
            *word++ = '\0';
        }
    }
}

static bool change(Runner* runner, const char* text) {
    PoiseChange parsed;
    if (!poise__change_parse(text, runner->app->session.simulation, &parsed, runner->note)) {
        return false;
    }
    int result = poise__app_change(runner->app, &parsed);
    return result >= 0 ||
           poise__note_fail(runner->note, "'%s': %s", text, poise_status_name((PoiseStatus)result));
}

/// Where the word with this index begins in the line as it was written.
static const char* rest_of(const char* line, int word) {
    for (int i = 0; i < word; i++) {
        line += strspn(line, " \t");
        line += strcspn(line, " \t");
    }
    return line + strspn(line, " \t");
}

// at TIME [CHANGE]
static bool run_at(Runner* runner, const char* text) {
    double time = 0.0;
    if (!number_at(runner, 1, "s", &time)) {
        return false;
    }
    double half = 0.5 * poise_simulation_step_length(runner->app->session.simulation);
    if (runner->host->shows_time) {
        while (poise_simulation_time(runner->app->session.simulation) < time - half &&
               runner->app->trouble.text[0] == '\0' && !runner->app->pacing.paused) {
            if (!frame(runner, runner->host->frame_seconds)) {
                return false;
            }
        }
    } else if (!poise__app_run_to(runner->app, time)) {
        *runner->note = runner->app->trouble;
        return false;
    }
    return runner->count < 3 || change(runner, rest_of(text, 2));
}

static bool run_line(Runner* runner, const char* line, size_t length) {
    char text[MAX_LINE];
    split(runner, line, length);
    if (runner->count == 0) {
        return true;
    }
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    text[strcspn(text, "#\r")] = '\0';
    if (strcmp(runner->words[0], "at") == 0) {
        return run_at(runner, text);
    }
    if (poise__change_is_one(rest_of(text, 0))) {
        return change(runner, rest_of(text, 0));
    }
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (strcmp(COMMANDS[i].word, runner->words[0]) == 0) {
            return COMMANDS[i].run(runner);
        }
    }
    return poise__note_fail(runner->note, "'%s' is no command of scripts", runner->words[0]);
}

bool poise__script_run(PoiseApp* app, const PoiseScriptHost* host, const char* name,
                       const char* text, PoiseNote* note) {
    PoiseNote why = {""};
    Runner runner = {.app = app, .host = host, .note = &why};
    int number = 0;
    if (!frame(&runner, 0.0)) {
        return poise__note_fail(note, "%s", why.text);
    }
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        number++;
        if (!run_line(&runner, text, length)) {
            return poise__note_fail(note, "%.200s:%d: %.700s", name, number, why.text);
        }
        text += length;
        text += *text == '\n';
    }
    return true;
}

bool poise__script_run_file(PoiseApp* app, const PoiseScriptHost* host, const char* path,
                            PoiseNote* note) {
    enum { LARGEST = 1 << 22 };
    FILE* file = fopen(path, "rb");
    char* text = file ? malloc(LARGEST) : NULL;
    if (!text) {
        if (file) {
            fclose(file);
        }
        return poise__note_fail(note, "cannot read %s: %s", path, strerror(errno));
    }
    text[fread(text, 1, LARGEST - 1, file)] = '\0';
    fclose(file);
    bool good = poise__script_run(app, host, path, text, note);
    free(text);
    return good;
}

bool poise__script_save(const PoiseApp* app, const char* path, PoiseNote* note) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoiseTimeline* timeline = &app->timeline;
    double length = poise_simulation_step_length(simulation);
    FILE* file = fopen(path, "w");
    if (!file) {
        return poise__note_fail(note, "cannot write %s: %s", path, strerror(errno));
    }
    fprintf(file, "# %s\n", app->session.scene->file);
    for (int i = 0; i < timeline->log_done; i++) {
        fprintf(file, "at %.9gs %s\n", (double)timeline->log[i].step * length,
                timeline->log[i].text);
    }
    fprintf(file, "at %.9gs\n", poise_simulation_time(simulation));
    bool good = ferror(file) == 0;
    return (fclose(file) == 0 && good) ||
           poise__note_fail(note, "cannot write %s: %s", path, strerror(errno));
}

static bool plain_frame(void* user, double seconds, PoiseNote* note) {
    PoiseApp* app = user;
    bool unhurried = app->unhurried;
    app->unhurried = true;
    do {
        poise__app_frame(app, seconds);
        seconds = 0.0;
        poise__app_draw(app);
    } while (app->input.count > 0);
    app->unhurried = unhurried;
    return app->trouble.text[0] == '\0' || poise__note_fail(note, "%s", app->trouble.text);
}

PoiseScriptHost poise__script_plain_host(PoiseApp* app) {
    PoiseScriptHost host = {.frame = plain_frame, .user = app, .frame_seconds = 1.0 / 60.0};
    return host;
}
