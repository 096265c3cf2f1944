// SPDX-License-Identifier: MIT
// Commands of scripts that act on the app itself, or check its state.
#include <string.h>

#include "drag_words.h"
#include "script_lines.h"
#include "units.h"

static bool frames(PoiseRunner* runner, double seconds) {
    int count = (int)lround(seconds / runner->host->frame_seconds);
    for (int i = 0; i < count; i++) {
        if (!poise__script_frame(runner, runner->host->frame_seconds)) {
            return false;
        }
    }
    return true;
}

static const char* action_name(const void* user, int index, char text[POISE_SUGGESTION_LENGTH]) {
    (void)user;
    (void)text;
    return poise__actions[index].name;
}

bool poise__script_do(PoiseRunner* runner) {
    const char* word = runner->words[1];
    const PoiseAction* action = poise__action_named(word);
    if (!action || action->gesture != POISE_GESTURE_NONE) {
        char guess[POISE_SUGGESTION_LENGTH];
        poise__suggest_name(word, action_name, NULL, poise__action_count, guess);
        return poise__note_fail(runner->note, "'%s' is no action%s; --help-keys names the keys",
                                word, guess);
    }
    poise__app_act(runner->app, action);
    return poise__script_frame(runner, 0.0);
}

bool poise__script_wait(PoiseRunner* runner) {
    double seconds = 0.0;
    return poise__script_seconds(runner, 1, &seconds) && frames(runner, seconds);
}

bool poise__script_go(PoiseRunner* runner) {
    double time = 0.0;
    if (!poise__script_seconds(runner, 1, &time)) {
        return false;
    }
    if (!poise__app_go(runner->app, time)) {
        *runner->note = runner->app->trouble;
        return false;
    }
    return poise__script_frame(runner, 0.0);
}

bool poise__script_look(PoiseRunner* runner) {
    PoiseCamera* camera = &runner->app->camera;
    double numbers[6] = {0.0};
    int count = runner->count - 1;
    if (count != 2 && count != 3 && count != 6) {
        return poise__note_fail(runner->note, "look AZ EL [DIST [X Y Z]]");
    }
    for (int i = 0; i < count; i++) {
        if (!poise__script_number(runner, i + 1, "", &numbers[i])) {
            return false;
        }
    }
    camera->azimuth = numbers[0] / 57.29577951308232;
    camera->elevation = numbers[1] / 57.29577951308232;
    if (numbers[2] > 0.0) {
        camera->distance = numbers[2];
    }
    if (count == 6) {
        camera->focus = poise_vec3(numbers[3], numbers[4], numbers[5]);
    }
    return poise__script_frame(runner, 0.0);
}

bool poise__script_show(PoiseRunner* runner) {
    unsigned parts = 0;
    if (!poise__overlay_parse(runner->words[1], &parts)) {
        return poise__note_fail(runner->note, "show takes %s", poise__overlay_names());
    }
    runner->app->highlight.parts = parts;
    return poise__script_frame(runner, 0.0);
}

bool poise__script_picture(PoiseRunner* runner) {
    size_t length = strlen(runner->words[1]);
    if (length <= 4 || strcmp(runner->words[1] + length - 4, ".png") != 0) {
        return poise__note_fail(runner->note, "%s is no picture: its name should end in .png",
                                runner->words[1]);
    }
    return !runner->host->picture ||
           runner->host->picture(runner->host->user, runner->words[1], runner->note);
}

bool poise__script_film(PoiseRunner* runner) {
    const char* path = strcmp(runner->words[1], "end") == 0 ? NULL : runner->words[1];
    return !runner->host->film || runner->host->film(runner->host->user, path, runner->note);
}

static const char* watched_name(const void* user, int index, char text[POISE_SUGGESTION_LENGTH]) {
    poise__value_name(user, index, text);
    return text;
}

/// Finds a value by its name: "time", a watched value, or a parameter.
static bool find_value(PoiseRunner* runner, const char* name, double* value) {
    const PoiseSimulation* simulation = runner->app->session.simulation;
    PoiseParameter parameter;
    if (strcmp(name, "time") == 0) {
        *value = poise_simulation_time(simulation);
        return true;
    }
    if (poise__value_of(simulation, name, value)) {
        return true;
    }
    const int index = poise_simulation_find_parameter(simulation, name);
    if (index >= 0 && poise_simulation_parameter(simulation, index, &parameter)) {
        *value = parameter.value;
        return true;
    }
    char guess[POISE_SUGGESTION_LENGTH];
    poise__suggest_name(name, watched_name, simulation, poise__value_count(simulation), guess);
    if (guess[0] == '\0') {
        poise__suggest_name_of(simulation, POISE_OWNER_PARAMETER, name, guess);
    }
    return poise__note_fail(runner->note, "there is no value '%s'%s", name, guess);
}

/// Writes the words after the command, with single spaces between them.
static void join_words(const PoiseRunner* runner, char text[POISE_SCRIPT_LINE]) {
    text[0] = '\0';
    for (int i = 1; i < runner->count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, POISE_SCRIPT_LINE - used, "%s%s", i > 1 ? " " : "", runner->words[i]);
    }
}

bool poise__script_read(PoiseRunner* runner) {
    const PoiseApp* app = runner->app;
    char wanted[POISE_SCRIPT_LINE];
    char words[POISE_WORDS_CAPACITY];
    join_words(runner, wanted);
    if (!poise__script_frame(runner, 0.0)) {
        return false;
    }
    bool found = (app->wall < app->message_until && strstr(app->message.text, wanted)) ||
                 (poise__words_of_hand(app, words) && strstr(words, wanted));
    for (int i = 0; i < app->list.label_count && !found; i++) {
        found = strstr(app->list.labels[i].text, wanted) != NULL;
    }
    return found || poise__note_fail(runner->note, "nothing in the picture says '%s'", wanted);
}

bool poise__script_expect(PoiseRunner* runner) {
    double value = 0.0, bound = 0.0;
    bool less = strcmp(runner->words[2], "<") == 0;
    if (!find_value(runner, runner->words[1], &value) ||
        !poise__script_number(runner, 3, "", &bound)) {
        return false;
    }
    if (!less && strcmp(runner->words[2], ">") != 0) {
        return poise__note_fail(runner->note, "expect compares by < or >");
    }
    return (less ? value < bound : value > bound) ||
           poise__note_fail(runner->note, "%s is %.6g, expected %s %.6g", runner->words[1], value,
                            runner->words[2], bound);
}

/// Writes the distance from its goal at which the point will rest. Returns false, with a note, if
/// there is no such point, or no rest is known.
static bool foresee(PoiseRunner* runner, const char* name, char text[POISE_UNIT_TEXT]) {
    const int point = poise__find(runner->app->session.simulation, POISE_OWNER_TARGET, name);
    PoiseForecast forecast;
    char why[POISE_FORECAST_WHY];
    if (point < 0) {
        return poise__note_fail(runner->note, "there is no point '%s'", name);
    }
    if (!poise__app_foresee(runner->app, point, &forecast, why)) {
        return poise__note_fail(runner->note, "%s: %s", name, why);
    }
    poise__length_text(forecast.row_miss, text);
    return true;
}

bool poise__script_say(PoiseRunner* runner) {
    static const char foreseen[] = ".foreseen";
    char line[POISE_SCRIPT_LINE];
    char* caption = runner->app->caption;
    join_words(runner, line);
    caption[0] = '\0';
    for (const char* text = line; *text != '\0';) {
        const size_t plain = strcspn(text, "{");
        const size_t name = text[plain] == '{' ? strcspn(text + plain, "}") : 0;
        const size_t used = strlen(caption);
        char value[POISE_SCRIPT_LINE];
        char number[POISE_UNIT_TEXT];
        double unused = 0.0;
        snprintf(value, sizeof value, "%.*s", name > 0 ? (int)name - 1 : 0, text + plain + 1);
        char* dot = strstr(value, foreseen);
        const bool foresees = dot && dot[sizeof foreseen - 1] == '\0';
        if (name > 0 && foresees) { // NAME.foreseen is a forecast, not a present value
            *dot = '\0';
            if (!foresee(runner, value, number)) {
                return false;
            }
        } else if (name > 0 && !find_value(runner, value, &unused)) {
            return false;
        }
        snprintf(caption + used, POISE_CAPTION - used, "%.*s%.*s%s", (int)plain, text,
                 foresees ? 0 : (int)name, text + plain,
                 name == 0  ? ""
                 : foresees ? number
                            : "}");
        text += plain + name + (text[plain + name] != '\0');
    }
    return poise__script_frame(runner, 0.0);
}

bool poise__script_trail(PoiseRunner* runner) {
    double seconds = 0.0;
    if (!poise__script_number(runner, 1, "s", &seconds)) {
        return false;
    }
    if (!(seconds > 0.0)) {
        return poise__note_fail(runner->note, "a trail is longer than 0 s");
    }
    runner->app->highlight.trail = seconds;
    return poise__script_frame(runner, 0.0);
}

bool poise__script_open(PoiseRunner* runner) {
    if (!poise__app_open(runner->app, runner->words[1])) {
        return poise__note_fail(runner->note, "open SCENE: it cannot be read");
    }
    return poise__script_frame(runner, 0.0);
}

bool poise__script_restart(PoiseRunner* runner) {
    char override[POISE_SCRIPT_LINE];
    if (runner->count == 1) {
        poise__app_do(runner->app, "restart");
        return poise__script_frame(runner, 0.0);
    }
    join_words(runner, override); // a list contains spaces, so join the words again
    return poise__app_open_with(runner->app, override, runner->note) &&
           poise__script_frame(runner, 0.0);
}
