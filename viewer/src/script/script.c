// SPDX-License-Identifier: MIT
// Runs a script line by line: splits lines into words, finds commands in their table, reads and
// writes script files. script_gestures.c and script_commands.c carry out the commands.
#include "script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "poise/output.h"
#include "script_lines.h"

static const struct {
    const char* word;
    bool (*run)(PoiseRunner* runner);
    /// Least and largest number of words of the command; 0: any.
    int least;
    int most;
    const char* form;
    const char* help;
} COMMANDS[] = {
    {"drag", poise__script_drag, 4, 0, "drag HANDLE HOW [shift] [ctrl] [hold]",
     "target:NAME axis:x M, target:NAME ring:z DEGREES; target:NAME or link:NAME, then by X Y Z or "
     "to X Y Z; compliance:NAME axis:1 FACTOR; hold: the button stays pressed"},
    {"lift", poise__script_lift, 1, 0, "lift",
     "releases the button that a drag holds; the pointer leaves"},
    {"press", poise__script_press, 2, 0, "press HANDLE [shift]", "clicks on a target or link"},
    {"click", poise__script_click, 2, 0, "click WIDGET",
     "presses a button: do/pause, section/springs, points/add ..."},
    {"slide", poise__script_slide, 3, 0, "slide WIDGET VALUE",
     "moves a slider; a parameter's is named by its key, as in --set"},
    {"drop", poise__script_drop, 2, 2, "drop FILE", "drops a scene or robot on the window"},
    {"key", poise__script_key, 2, 0, "key KEY", "presses a key: Space, Ctrl+Z, 2 ..."},
    {"type", poise__script_type, 1, 0, "type WORDS", "types into the open text field"},
    {"do", poise__script_do, 2, 0, "do ACTION", "carries an action out: pause, undo, view_ik ..."},
    {"wait", poise__script_wait, 2, 0, "wait SECONDS",
     "waits; the run continues unless it is paused"},
    {"go", poise__script_go, 2, 0, "go TIME", "goes to a time of the run"},
    {"look", poise__script_look, 3, 0, "look AZ EL [DIST [X Y Z]]",
     "sets the camera as --camera does"},
    {"show", poise__script_show, 2, 0, "show PARTS", "shows parts as --overlay does"},
    {"say", poise__script_say, 1, 0, "say [WORDS]",
     "writes a line below the picture; {VALUE} shows a value that can be watched, "
     "{POINT.foreseen} how far the point will rest from its goal"},
    {"trail", poise__script_trail, 2, 0, "trail SECONDS", "sets the length of trails"},
    {"open", poise__script_open, 2, 0, "open SCENE", "opens another scene"},
    {"restart", poise__script_restart, 1, 0, "restart [KEY=VALUE]",
     "starts again, with another value as --set does"},
    {"picture", poise__script_picture, 2, 0, "picture FILE.png",
     "saves a picture of the present view"},
    {"film", poise__script_film, 2, 2, "film FILE | film end", "begins and ends a film"},
    {"read", poise__script_read, 2, 0, "read WORDS",
     "fails unless a label, the text at the pointer or a message has them"},
    {"expect", poise__script_expect, 4, 0, "expect VALUE < NUMBER",
     "fails unless it holds; or >. VALUE: time, a parameter, or a value that can be watched"},
};

void poise__script_print_help(FILE* out) {
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        fprintf(out, "  %-32s %s\n", COMMANDS[i].form, COMMANDS[i].help);
    }
    fprintf(out, "  %-32s %s\n", "at TIME [CHANGE]",
            "runs to that time, then makes the change as --save-script writes it: hold, turn, "
            "release, set, add, remove, pull, let_go, pose, natural, place");
}

static void split(PoiseRunner* runner, const char* line, size_t length) {
    snprintf(runner->line, sizeof runner->line, "%.*s", (int)length, line);
    runner->count = 0;
    for (char* word = runner->line; runner->count < POISE_SCRIPT_WORDS;) {
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

static bool change(PoiseRunner* runner, const char* text) {
    PoiseChange parsed;
    if (!poise__change_parse(text, runner->app->session.simulation, &parsed, runner->note)) {
        return false;
    }
    int result = poise__app_change(runner->app, &parsed);
    return result >= 0 ||
           poise__note_fail(runner->note, "'%s': %s", text, poise_status_name((PoiseStatus)result));
}

/// Returns the part of the original line that begins with the word of this index.
static const char* rest_of(const char* line, int word) {
    for (int i = 0; i < word; i++) {
        line += strspn(line, " \t");
        line += strcspn(line, " \t");
    }
    return line + strspn(line, " \t");
}

// Runs "at TIME [CHANGE]".
static bool run_at(PoiseRunner* runner, const char* text) {
    double time = 0.0;
    if (!poise__script_seconds(runner, 1, &time)) {
        return false;
    }
    double half = 0.5 * poise_simulation_step_length(runner->app->session.simulation);
    if (runner->host->shows_time) {
        while (poise_simulation_time(runner->app->session.simulation) < time - half &&
               runner->app->trouble.text[0] == '\0' && !runner->app->pacing.paused) {
            if (!poise__script_frame(runner, runner->host->frame_seconds)) {
                return false;
            }
        }
    } else if (!poise__app_run_to(runner->app, time)) {
        *runner->note = runner->app->trouble;
        return false;
    }
    return runner->count < 3 || change(runner, rest_of(text, 2));
}

static bool run_line(PoiseRunner* runner, const char* line, size_t length) {
    char text[POISE_SCRIPT_LINE];
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
            const bool complete = runner->count >= COMMANDS[i].least &&
                                  (COMMANDS[i].most == 0 || runner->count <= COMMANDS[i].most);
            return complete ? COMMANDS[i].run(runner)
                            : poise__note_fail(runner->note, "%s: %s", COMMANDS[i].form,
                                               COMMANDS[i].help);
        }
    }
    const char* words[sizeof COMMANDS / sizeof *COMMANDS + 1] = {"at"};
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        words[i + 1] = COMMANDS[i].word;
    }
    char guess[80];
    return poise__note_fail(runner->note, "'%s' is no command of scripts%s", runner->words[0],
                            poise_scene_guess(runner->words[0], words,
                                              (int)(sizeof words / sizeof *words), guess,
                                              sizeof guess));
}

bool poise__script_run(PoiseApp* app, const PoiseScriptHost* host, const char* name,
                       const char* text, PoiseNote* note) {
    PoiseNote why = {""};
    PoiseRunner runner = {.app = app, .host = host, .note = &why};
    int number = 0;
    if (!poise__script_frame(&runner, 0.0)) {
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

char* poise__script_load(const char* path, PoiseNote* note) {
    enum { LARGEST = 1 << 22 };
    FILE* file = fopen(path, "rb");
    char* text = file ? malloc(LARGEST) : NULL;
    const size_t length = text ? fread(text, 1, LARGEST, file) : 0;
    const bool whole = text && !ferror(file);
    if (!whole) {
        poise__note_fail(note, "cannot read %s: %s", path, strerror(errno));
    } else if (length == LARGEST) {
        poise__note_fail(note, "%s: a script is at most %d bytes long", path, LARGEST - 1);
    }
    if (file) {
        fclose(file);
    }
    if (!whole || length == LARGEST) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

bool poise__script_save(const PoiseApp* app, const char* path, PoiseNote* note) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoiseTimeline* timeline = &app->timeline;
    double length = poise_simulation_step_length(simulation);
    PoiseOutput output = {0};
    const char* trouble = poise_output_open(&output, path);
    FILE* file = output.file;
    if (trouble) {
        return poise__note_fail(note, "cannot write %s: %s", path, trouble);
    }
    fprintf(file, "# %s\n", app->session.scene->file);
    for (int i = 0; i < app->session.override_count; i++) {
        fprintf(file, "restart %s\n", app->session.overrides[i]);
    }
    for (int i = 0; i < timeline->log_done; i++) {
        fprintf(file, "at %.9gs %s\n", (double)timeline->log[i].step * length,
                timeline->log[i].text);
    }
    fprintf(file, "at %.9gs\n", poise_simulation_time(simulation));
    trouble = poise_output_close(&output);
    return !trouble || poise__note_fail(note, "cannot write %s: %s", path, trouble);
}
