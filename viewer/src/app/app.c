// SPDX-License-Identifier: MIT
// Loop and time of the viewer. What keys and mouse do is in app_input.c and app_hand.c, what the
// panels do in panels*.c.
#include "app.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/// A frame steps no longer than this, wall clock, s.
static const double STEP_BUDGET = 0.03;
/// A message stays so long, s.
static const double MESSAGE_TIME = 4.0;
/// Labels that keep out of one another's way; more than these may overlap.
enum { POISE_LABELS_MOST = 96 };

/// All that belongs to one scene.
static bool begin_scene(PoiseApp* app) {
    app->hand = (PoiseHand){.grip = POISE_GRIP_NONE};
    app->highlight.hover = poise__no_highlight().hover;
    app->highlight.held = -1;
    app->highlight.selected = -1;
    app->highlight.part = POISE_GIZMO_NONE;
    app->gesture = POISE_ACTION_NONE;
    app->watch = (PoiseWatch){.count = 0};
    poise__edits_clear(&app->edits);
    if (!poise__timeline_init(&app->timeline, &app->session) ||
        !poise__scene_view_init(&app->view, app->session.simulation)) {
        return false;
    }
    PoisePointView first = poise_simulation_point(app->session.simulation, 0);
    char name[POISE_WATCH_NAME];
    snprintf(name, sizeof name, "%.100s.error", first.name);
    poise__watch_toggle(&app->watch, app->session.simulation, name);
    return true;
}

static void end_scene(PoiseApp* app) {
    poise__scene_view_finish(&app->view);
    poise__timeline_finish(&app->timeline);
    poise__session_close(&app->session);
}

bool poise__app_init(PoiseApp* app, PoiseSession session) {
    *app = (PoiseApp){.session = session,
                      .camera = poise__camera_default(),
                      .pacing = poise__pacing_default(),
                      .highlight = poise__no_highlight(),
                      .panels = {.sweeps = 10, .focus = {-1, -1}}};
    app->highlight.parts = POISE_VIEW_CLEAN;
    if (!begin_scene(app)) {
        poise__app_finish(app);
        return false;
    }
    poise__camera_frame(&app->camera, poise__bounds_of_simulation(session.simulation));
    return true;
}

void poise__app_finish(PoiseApp* app) {
    end_scene(app);
    poise__draw_list_finish(&app->list);
}

bool poise__app_open(PoiseApp* app, const char* path) {
    PoiseSceneSource source = {.path = path};
    PoiseSession session;
    if (!poise__session_open(&session, &source, stderr)) {
        poise__app_say(app, "%s cannot be read; the terminal says why", path);
        return false;
    }
    end_scene(app);
    app->session = session;
    app->trouble.text[0] = '\0';
    poise__pacing_drop_backlog(&app->pacing);
    if (!begin_scene(app)) {
        poise__app_say(app, "out of memory");
        return false;
    }
    poise__camera_frame(&app->camera, poise__bounds_of_simulation(session.simulation));
    poise__app_say(app, "%s", session.scene->title ? session.scene->title : path);
    return true;
}

void poise__app_say(PoiseApp* app, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(app->message.text, sizeof app->message.text, format, arguments);
    va_end(arguments);
    app->message_until = app->wall + MESSAGE_TIME;
}

// -------------------------------------------------------------------------------------------- time

static bool stop(PoiseApp* app, const char* reason) {
    app->pacing.paused = true;
    poise__pacing_drop_backlog(&app->pacing);
    return poise__note_fail(&app->trouble, "the simulation stopped: %.200s", reason);
}

static bool step(PoiseApp* app) {
    if (poise__timeline_step(&app->timeline) >= 0) {
        return true;
    }
    return stop(app, poise_simulation_trouble(app->session.simulation));
}

static double clock_now(const PoiseApp* app) {
    return app->clock ? app->clock(app->clock_user) : 0.0;
}

static void step_what_is_due(PoiseApp* app) {
    double length = poise_simulation_step_length(app->session.simulation);
    double end = clock_now(app) + STEP_BUDGET;
    while (poise__pacing_take_step(&app->pacing, length)) {
        if (!step(app)) {
            return;
        }
        if (clock_now(app) > end && !app->unhurried) {
            // slower than life: keep the window alive rather than the time
            poise__pacing_drop_backlog(&app->pacing);
        }
    }
}

bool poise__app_run_to(PoiseApp* app, double time) {
    double length = poise_simulation_step_length(app->session.simulation);
    while (poise_simulation_time(app->session.simulation) < time - 0.5 * length) {
        if (!step(app)) {
            return false;
        }
    }
    poise__watch_sample(&app->watch, app->session.simulation);
    return true;
}

bool poise__app_go(PoiseApp* app, double time) {
    double length = poise_simulation_step_length(app->session.simulation);
    long to = lround(fmax(0.0, time) / length);
    bool back = to < poise_simulation_step_count(app->session.simulation);
    poise__app_drop_hand(app);
    if (back) {
        app->trouble.text[0] = '\0';
        app->pacing.paused = true;
        // what there was to undo belongs to another past
        poise__edits_clear(&app->edits);
    }
    poise__pacing_drop_backlog(&app->pacing);
    PoiseNote note;
    if (!poise__timeline_go(&app->timeline, to, &note)) {
        return stop(app, note.text);
    }
    PoisePointView chosen =
        poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (app->highlight.selected >= 0 && (chosen.removed || chosen.name[0] == '\0')) {
        app->highlight.selected = -1;
    }
    poise__watch_sample(&app->watch, app->session.simulation);
    return true;
}

// ----------------------------------------------------------------------------------------- changes

int poise__app_change(PoiseApp* app, const PoiseChange* change) {
    int result = poise__timeline_change(&app->timeline, change);
    if (result < 0) {
        poise__app_say(app, "that cannot be done: %s", poise_status_name((PoiseStatus)result));
    }
    return result;
}

int poise__app_edit(PoiseApp* app, const PoiseChange* change) {
    PoiseEdit edit = poise__change_edit(change, app->session.simulation);
    int result = poise__app_change(app, change);
    if (result >= 0) {
        if (change->kind == POISE_CHANGE_ADD) {
            edit.undo[0] = (PoiseChange){.kind = POISE_CHANGE_REMOVE, .index = result};
        }
        poise__edits_push(&app->edits, &edit);
    }
    return result;
}

// ------------------------------------------------------------------------------------------ frames

/// Whether what is open has a field that gets what is typed.
static bool filters(PoisePopup popup) {
    return popup != POISE_POPUP_NONE && popup != POISE_POPUP_HELP;
}

/// Whether an event is for the panels and not for the scene.
static bool belongs_to_ui(PoiseApp* app, const PoiseEvent* event) {
    if (!app->ui) {
        return false;
    }
    switch (event->kind) {
    case POISE_EVENT_BUTTON:
        if (event->pressed && app->gesture == POISE_ACTION_NONE) {
            app->ui_has_pointer = poise__ui_covers(app->ui, event->x, event->y);
        }
        return app->ui_has_pointer;
    case POISE_EVENT_WHEEL:
        return poise__ui_covers(app->ui, app->pointer_x, app->pointer_y);
    case POISE_EVENT_KEY:
        // Esc, and what has Ctrl, works while one types
        return (poise__ui_takes_text(app->ui) || filters(app->panels.popup)) &&
               event->code != POISE_KEY_ESCAPE && !(event->mods & POISE_MOD_CTRL);
    default:
        return false;
    }
}

static void serve_events(PoiseApp* app) {
    PoiseEvent events[POISE_INPUT_CAPACITY];
    int count = poise__input_take_frame(&app->input, events);
    for (int i = 0; i < count; i++) {
        if (app->ui) {
            poise__ui_event(app->ui, &events[i]);
        }
        if (!belongs_to_ui(app, &events[i])) {
            poise__app_event(app, &events[i]);
        } else if (events[i].kind == POISE_EVENT_BUTTON) {
            app->pointer_x = events[i].x;
            app->pointer_y = events[i].y;
            app->ui_has_pointer = app->ui_has_pointer && events[i].pressed;
        }
    }
}

static void look_for_hover(PoiseApp* app) {
    if (app->gesture != POISE_ACTION_NONE) {
        return;
    }
    bool covered = app->ui && poise__ui_covers(app->ui, app->pointer_x, app->pointer_y);
    app->highlight.hover = covered ? poise__no_highlight().hover
                                   : poise__pick(app->session.simulation, &app->camera,
                                                 app->pointer_x, app->pointer_y);
    app->highlight.part =
        covered ? POISE_GIZMO_NONE : poise__app_gizmo_part(app, app->pointer_x, app->pointer_y);
}

void poise__app_frame(PoiseApp* app, double wall_seconds) {
    app->wall += wall_seconds;
    serve_events(app);
    if (app->panels.scrubbing) {
        poise__pacing_drop_backlog(&app->pacing);
    } else {
        poise__pacing_advance(&app->pacing, wall_seconds);
        step_what_is_due(app);
    }
    poise__watch_sample(&app->watch, app->session.simulation);
    look_for_hover(app);
}

/// Labels that would lie on one another are pushed down, in the order they come.
typedef struct LabelRoom {
    float left[POISE_LABELS_MOST];
    float right[POISE_LABELS_MOST];
    float y[POISE_LABELS_MOST];
    int count;
} LabelRoom;

static double free_line(LabelRoom* room, double left, double right, double y, double height) {
    for (int tries = 0; tries < 8; tries++) {
        bool taken = false;
        for (int i = 0; i < room->count; i++) {
            taken = taken || (left < (double)room->right[i] && right > (double)room->left[i] &&
                              fabs(y - (double)room->y[i]) < height);
        }
        if (!taken) {
            break;
        }
        y += height;
    }
    if (room->count < POISE_LABELS_MOST) {
        room->left[room->count] = (float)left;
        room->right[room->count] = (float)right;
        room->y[room->count++] = (float)y;
    }
    return y;
}

static void draw_labels(PoiseApp* app) {
    LabelRoom room = {.count = 0};
    double height = poise__ui_line_height(app->ui) - 1.0;
    for (int i = 0; i < app->list.label_count; i++) {
        const PoiseLabel* label = &app->list.labels[i];
        PoiseVec3 place =
            poise_vec3((double)label->place.x, (double)label->place.y, (double)label->place.z);
        double x = 0.0;
        double y = 0.0;
        if (poise__camera_project(&app->camera, place, &x, &y)) {
            double half = 0.5 * poise__ui_text_width(app->ui, label->text) + 6.0;
            x += (double)label->right;
            y = free_line(&room, x - half, x + half, y + (double)label->down, height);
            poise__ui_label(app->ui, x, y, 0.5, label->colour, label->text);
        }
    }
}

const PoiseDrawList* poise__app_draw(PoiseApp* app) {
    app->camera.inset = app->ui ? poise__app_side(app) : 0.0;
    app->highlight.panel = app->panels.focus;
    poise__scene_view_draw(&app->view, app->session.simulation, &app->camera, &app->highlight,
                           &app->timeline, &app->list);
    if (app->ui) {
        poise__ui_begin(app->ui, app->camera.width, app->camera.height, 1.0 / 60.0);
        draw_labels(app);
        poise__app_panels(app);
        poise__ui_end(app->ui);
    }
    return &app->list;
}

void poise__app_title(const PoiseApp* app, char text[256]) {
    const PoiseScene* scene = app->session.scene;
    const char* name = scene->title ? scene->title : scene->file;
    char speed[32] = "";
    if (app->pacing.speed > 1.0) {
        snprintf(speed, sizeof speed, " - %g times as fast", app->pacing.speed);
    } else if (app->pacing.speed < 1.0) {
        snprintf(speed, sizeof speed, " - %g times slower", 1.0 / app->pacing.speed);
    }
    const char* state = app->trouble.text[0] != '\0' ? " - stopped"
                        : app->pacing.paused         ? " - paused"
                                                     : "";
    snprintf(text, 256, "%.120s - %.2f s%s%s - Poise", name ? name : "scene",
             poise_simulation_time(app->session.simulation), speed, state);
}
