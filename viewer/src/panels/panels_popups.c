// SPDX-License-Identifier: MIT
// Shows the popups: help, scenes, commands, and lists of values to watch or to set.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "panels.h"

/// Returns the position and size of a popup in the middle of the window, reduced to fit the window.
static PoiseUiPlace middle(const PoiseApp* app, double width, double height) {
    // stays clear of the panels if there is space
    double room = app->camera.width - app->camera.inset;
    room = room > 0.6 * width ? room : app->camera.width;
    width = fmin(width, room - 20.0);
    height = fmin(height, app->camera.height - 20.0);
    PoiseUiPlace place = {0.5 * (room - width), 0.38 * (app->camera.height - height), width,
                          height};
    return place;
}

/// True if the text contains every word of the filter, in upper or lower case.
static bool has_all_words(const char* text, const char* filter) {
    char low[256];
    size_t length = 0;
    for (; text[length] != '\0' && length < sizeof low - 1; length++) {
        low[length] = (char)tolower((unsigned char)text[length]);
    }
    low[length] = '\0';
    while (*filter != '\0') {
        char word[64];
        size_t count = 0;
        filter += strspn(filter, " ");
        while (*filter != '\0' && *filter != ' ' && count < sizeof word - 1) {
            word[count++] = (char)tolower((unsigned char)*filter++);
        }
        word[count] = '\0';
        if (count > 0 && !strstr(low, word)) {
            return false;
        }
        filter += strcspn(filter, " ");
    }
    return true;
}

static bool begins(const char* text, const char* filter) {
    return strncasecmp(text, filter, strlen(filter)) == 0;
}

/// Returns how well a row matches the typed text. 0: exact name; 1: beginning of the name; 2:
/// beginning of a word in the name; 3: words in the name; 4: words in the title; -1: no match.
static int rank_of(const char* name, const char* title, const char* filter) {
    if (strcasecmp(name, filter) == 0) {
        return 0;
    }
    if (begins(name, filter)) {
        return 1;
    }
    for (const char* c = name; *c != '\0'; c++) {
        if (strchr("_./ ", *c) && begins(c + 1, filter)) {
            return 2;
        }
    }
    return has_all_words(name, filter) ? 3 : has_all_words(title, filter) ? 4 : -1;
}

enum { MAX_ROWS = 1024 };

/// Indices and ranks of the rows that match the typed text, the best first.
typedef struct Rows {
    int index[MAX_ROWS];
    int rank[MAX_ROWS];
    int count;
    bool enter; ///< true if Enter was pressed
    bool moved; ///< true if the arrow keys selected another row
} Rows;

static void add_row(Rows* rows, int index, int rank) {
    if (rank < 0 || rows->count == MAX_ROWS) {
        return;
    }
    int at = rows->count++;
    for (; at > 0 && rows->rank[at - 1] > rank; at--) {
        rows->index[at] = rows->index[at - 1];
        rows->rank[at] = rows->rank[at - 1];
    }
    rows->index[at] = index;
    rows->rank[at] = rank;
}

/// Shows the text field that filters the rows. Returns true if Enter was pressed in it.
static bool filter_field(PoiseApp* app, const char* name, const char* hint) {
    if (app->panels.popup_opened) {
        poise__ui_focus_next(app->ui);
        app->panels.popup_opened = false;
        app->panels.row = 0;
    }
    if (app->panels.refocus) {
        poise__ui_resume_next(app->ui);
        app->panels.refocus = false;
    }
    int bits =
        poise__ui_field(app->ui, name, hint, app->panels.filter, (int)sizeof app->panels.filter);
    if (bits & POISE_UI_CHANGED) {
        app->panels.row = 0;
    }
    // keeps the keyboard focus in the field if Enter selects nothing
    app->panels.refocus = (bits & POISE_UI_ENDED) != 0;
    return app->panels.refocus;
}

/// Moves the selection by the arrow keys.
static void choose_row(PoiseApp* app, Rows* rows) {
    int before = app->panels.row;
    app->panels.row += poise__ui_pressed(app->ui, POISE_KEY_DOWN);
    app->panels.row -= poise__ui_pressed(app->ui, POISE_KEY_UP);
    int last = rows->count > 0 ? rows->count - 1 : 0;
    app->panels.row = app->panels.row < 0 ? 0 : app->panels.row > last ? last : app->panels.row;
    if (rows->count == 0) {
        poise__ui_text(app->ui, POISE_DIM_INK, "no match");
    }
    rows->moved = app->panels.row != before;
}

/// Shows a row. Returns true if it is pressed, or if it is selected and Enter is pressed.
static bool show_row(PoiseApp* app, const Rows* rows, int row, const char* name, const char* text) {
    bool chosen = row == app->panels.row;
    bool pressed = poise__ui_row(app->ui, name, text, chosen);
    if (chosen && rows->moved) {
        poise__ui_scroll_here(app->ui);
    }
    return pressed || (chosen && rows->enter);
}

static void close(PoiseApp* app) {
    app->panels.popup = POISE_POPUP_NONE;
}

static void show_help(PoiseApp* app) {
    static const char* const titles[] = {"keys, mouse", "what it does"};
    static const double widths[] = {180.0, 0.0};
    if (poise__ui_table_begin(app->ui, "help", titles, widths, 2)) {
        for (int i = 0; i < poise__action_count; i++) {
            char keys[128];
            poise__ui_table_next(app->ui);
            poise__ui_text(app->ui, 0xffe28aff, "%s", poise__action_keys(&poise__actions[i], keys));
            poise__ui_table_next(app->ui);
            poise__ui_paragraph(app->ui, poise__actions[i].help);
        }
        poise__ui_table_end(app->ui);
    }
}

/// A list of files among the rows; the names of its widgets begin with `word`.
typedef struct FileList {
    const PoiseSceneList* files;
    const char* word;
} FileList;

/// Adds the files that match the filter. Files that complete a typed path match without a filter.
static void rank_files(const PoiseApp* app, const FileList* list, int first, Rows* rows) {
    const bool path = strchr(app->panels.filter, '/') != NULL;
    for (int i = 0; i < list->files->count; i++) {
        const PoiseSceneFile* file = &list->files->files[i];
        if (list->files == &app->panels.found) {
            add_row(rows, first + i, i);
        } else if (!path) {
            add_row(rows, first + i, rank_of(file->name, file->title, app->panels.filter));
        }
    }
}

static void open_file(PoiseApp* app, const PoiseSceneFile* file) {
    const size_t length = strlen(file->path);
    if (length > 0 && file->path[length - 1] == '/') { // continues with the contents of a folder
        snprintf(app->panels.filter, sizeof app->panels.filter, "%.255s", file->path);
        app->panels.row = 0;
        app->panels.refocus = true;
        return;
    }
    char path[512];
    snprintf(path, sizeof path, "%s", file->path);
    close(app);
    poise__app_open(app, path);
}

/// Shows a row for a file or folder. Returns true if the person selects it.
static bool show_file(PoiseApp* app, const Rows* rows, int row, const FileList* list, int index) {
    const PoiseSceneFile* file = &list->files->files[index];
    const bool named = list->files == &app->scenes;
    char name[600];
    char text[700];
    snprintf(name, sizeof name, "%s/%s", list->word, named ? file->name : file->path);
    if (named) {
        bool current = strcmp(file->path, app->session.scene->file) == 0;
        snprintf(text, sizeof text, "%-24s %s%s", file->name, file->title,
                 current ? " (this one)" : "");
    } else {
        snprintf(text, sizeof text, "%s", file->path);
    }
    if (show_row(app, rows, row, name, text)) {
        open_file(app, file);
        return true;
    }
    return false;
}

static void show_scenes(PoiseApp* app) {
    Rows rows = {.enter = filter_field(app, "scenes/filter",
                                       "a part of a name, or a path: /home/me/robot.urdf")};
    const FileList lists[] = {
        {&app->recent, "recent"}, {&app->panels.found, "file"}, {&app->scenes, "scenes"}};
    poise__scene_list_find(&app->panels.found, app->panels.filter);
    for (int i = 0; i < 3; i++) {
        rank_files(app, &lists[i], i * POISE_SCENES_CAPACITY, &rows);
    }
    choose_row(app, &rows);
    for (int row = 0; row < rows.count; row++) {
        const int list = rows.index[row] / POISE_SCENES_CAPACITY;
        if (show_file(app, &rows, row, &lists[list], rows.index[row] % POISE_SCENES_CAPACITY)) {
            return;
        }
    }
    poise__ui_paragraph(app->ui, "A file can also be dropped on the window.");
}

static void show_palette(PoiseApp* app) {
    Rows rows = {.enter =
                     filter_field(app, "palette/filter", "what to do: pause, forces, undo ...")};

    for (int i = 0; i < poise__action_count; i++) {
        const PoiseAction* action = &poise__actions[i];
        if (action->gesture == POISE_GESTURE_NONE && strcmp(action->name, "palette") != 0) {
            add_row(&rows, i, rank_of(action->name, action->help, app->panels.filter));
        }
    }
    choose_row(app, &rows);
    for (int row = 0; row < rows.count; row++) {
        const PoiseAction* action = &poise__actions[rows.index[row]];
        char name[64];
        char text[256];
        char keys[128];
        snprintf(text, sizeof text, "%s  (%s)", action->help, poise__action_keys(action, keys));
        snprintf(name, sizeof name, "palette/%s", action->name);
        if (show_row(app, &rows, row, name, text)) {
            close(app);
            poise__app_act(app, action);
            return;
        }
    }
}

static void show_values(PoiseApp* app) {
    const PoiseSimulation* simulation = app->session.simulation;
    Rows rows = {.enter = filter_field(app, "watch/filter", "torque, error, energy, cost ...")};

    char name[POISE_WATCH_NAME];
    for (int i = 0; i < poise__value_count(simulation); i++) {
        poise__value_name(simulation, i, name);
        if (name[0] != '\0') {
            add_row(&rows, i, rank_of(name, "", app->panels.filter));
        }
    }
    choose_row(app, &rows);
    for (int i = 0; i < rows.count; i++) {
        char row[POISE_WATCH_NAME + 8];
        char text[POISE_WATCH_NAME + 40];
        poise__value_name(simulation, rows.index[i], name);
        double now = (double)NAN;
        poise__value_of(simulation, name, &now);
        snprintf(row, sizeof row, "watch/%s", name);
        snprintf(text, sizeof text, "%-34s %.4g%s", name, now,
                 poise__watch_has(&app->watch, name) ? " (watched)" : "");
        if (show_row(app, &rows, i, row, text)) {
            const int before = app->watch.count;
            const bool done = poise__watch_toggle(&app->watch, simulation, name);
            PoiseNote note;
            if (app->watch.count > before &&
                !poise__watch_fill(&app->watch, &app->timeline, &note)) {
                poise__app_stop(app, note.text);
            }
            if (!done) {
                poise__app_say(
                    app, "at most %d values can be watched; click on one of them to remove it",
                    (int)POISE_WATCH_CAPACITY);
            }
            if (rows.enter) {
                close(app);
            }
            return;
        }
    }
}

static void show_value(PoiseApp* app) {
    PoiseNote note = {""};
    if (filter_field(app, "value/set",
                     "world.step=0.002   joints.elbow.limits=[0, 2]   "
                     "bodies.hand.mass=0.5") &&
        app->panels.filter[0] != '\0') {
        if (poise__app_open_with(app, app->panels.filter, &note)) {
            close(app);
            return;
        }
        poise__app_say(app, "%s", note.text);
    }
    poise__ui_paragraph(
        app->ui, "Type KEY=VALUE for any value of the scene's file, as for --set, and Enter. "
                 "The scene starts again with the value.");
    for (int i = 0; i < app->session.override_count; i++) {
        poise__ui_text(app->ui, POISE_DIM_INK, "%s", app->session.overrides[i]);
    }
}

void poise__popups(PoiseApp* app) {
    static const char* const titles[] = {
        "",         "Help: keys and mouse", "Scenes",
        "Commands", "Watch a value",        "Set a value of the scene"};
    PoisePopup popup = app->panels.popup;
    if (popup == POISE_POPUP_NONE) {
        return;
    }
    bool open = true;
    double width = popup == POISE_POPUP_HELP ? 720.0 : 620.0;
    double height = popup == POISE_POPUP_VALUE ? 180.0 : 520.0;
    if (poise__ui_popup_begin(app->ui, titles[popup], middle(app, width, height), &open)) {
        switch (popup) {
        case POISE_POPUP_HELP:
            show_help(app);
            break;
        case POISE_POPUP_SCENES:
            show_scenes(app);
            break;
        case POISE_POPUP_PALETTE:
            show_palette(app);
            break;
        case POISE_POPUP_WATCH:
            show_values(app);
            break;
        case POISE_POPUP_VALUE:
            show_value(app);
            break;
        case POISE_POPUP_NONE:
            break;
        }
    }
    poise__ui_panel_end(app->ui);
    if (!open) {
        close(app);
    }
}
