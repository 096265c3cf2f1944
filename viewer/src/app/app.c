// SPDX-License-Identifier: MIT
// Holds the viewer's state: its scene, its time, and changes to it. action_table.c carries out
// actions, app_drag.c moves grabbed things, app_input.c handles events, app_loop.c runs frames.
#include "app.h"

#include <stdarg.h>

#include "viewpoint.h"

/// Time for which a message is shown, s, wall clock.
static const double MESSAGE_TIME = 4.0;

bool poise__app_begin_scene(PoiseApp* app) {
    app->hand = (PoiseHand){.grip = POISE_GRIP_NONE};
    app->highlight.hover = poise__no_highlight().hover;
    app->highlight.yielding = poise__no_highlight().yielding;
    app->yielding = (PoiseYieldingState){.point = -1, .designed = -1.0};
    app->highlight.held = -1;
    app->highlight.selected = -1;
    app->highlight.part = POISE_GIZMO_NONE;
    app->gesture = POISE_GESTURE_NONE;
    app->followed = -1;
    app->panels.joint = (PoiseJointHand){.joint = -1};
    app->panels.free = (PoiseFreeMotion){.point = -1, .column = -1};
    app->watch = (PoiseWatch){.count = 0};
    if (!poise__timeline_init(&app->timeline, &app->session) ||
        !poise__scene_view_init(&app->view, app->session.simulation)) {
        return false;
    }
    if (app->shows_looks) {
        poise__scene_view_read_looks(&app->view, app->session.simulation);
    }
    PoisePointView first = poise_simulation_point(app->session.simulation, 0);
    char name[POISE_WATCH_NAME];
    snprintf(name, sizeof name, "%.100s.error", first.name);
    poise__watch_toggle(&app->watch, app->session.simulation, name);
    poise__watch_sample(&app->watch, &app->timeline);
    if (app->keeps_recent) {
        poise__bookmarks_read(&app->bookmarks, &app->session);
    }
    return true;
}

void poise__app_end_scene(PoiseApp* app) {
    poise__bookmarks_drop(&app->bookmarks);
    poise__scene_view_finish(&app->view);
    poise__timeline_finish(&app->timeline);
    poise__session_close(&app->session);
}

bool poise__app_init(PoiseApp* app, PoiseSession session) {
    *app = (PoiseApp){.session = session,
                      .camera = poise__camera_default(),
                      .pacing = poise__pacing_default(),
                      .highlight = poise__no_highlight(),
                      .followed = -1,
                      .panels = {.sweeps = 10,
                                 .focus = {-1, -1},
                                 .joint = {.joint = -1},
                                 .free = {.point = -1, .column = -1}}};
    app->highlight.parts = POISE_VIEW_CLEAN;
    if (!poise__app_begin_scene(app)) {
        poise__app_finish(app);
        return false;
    }
    poise__viewpoint_choose(&app->camera, session.simulation, POISE_ROOM_FOR_HANDS);
    return true;
}

void poise__app_finish(PoiseApp* app) {
    poise__app_end_scene(app);
    poise__draw_list_finish(&app->list);
}

void poise__app_say(PoiseApp* app, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(app->message.text, sizeof app->message.text, format, arguments);
    va_end(arguments);
    app->message_until = app->wall + MESSAGE_TIME;
}

// -------------------------------------------------------------------------------------------- time

bool poise__app_stop(PoiseApp* app, const char* reason) {
    app->pacing.paused = true;
    poise__pacing_drop_backlog(&app->pacing);
    return poise__note_fail(&app->trouble, "the simulation stopped: %.200s", reason);
}

bool poise__app_step(PoiseApp* app) {
    if (poise__timeline_step(&app->timeline) >= 0) {
        poise__trails_add(&app->view.trails, app->session.simulation);
        poise__watch_step(&app->watch, &app->timeline);
        // Tells the person once that a replayed run differs from the recording.
        const long step = app->timeline.first_different;
        if (step > 0 && step == poise_simulation_step_count(app->session.simulation)) {
            poise__app_say(app, "the run differs from its recording at %.3f s",
                           poise_simulation_time(app->session.simulation));
        }
        return true;
    }
    return poise__app_stop(app, poise_simulation_trouble(app->session.simulation));
}

bool poise__app_run_to(PoiseApp* app, double time) {
    double length = poise_simulation_step_length(app->session.simulation);
    while (poise_simulation_time(app->session.simulation) < time - 0.5 * length) {
        if (!poise__app_step(app)) {
            return false;
        }
    }
    poise__watch_sample(&app->watch, &app->timeline);
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
    const bool part = app->timeline.edit != 0; // the change becomes part of the edit that has begun
    if (!part) {
        poise__timeline_edit_begin(&app->timeline);
    }
    const int result = poise__app_change(app, change);
    if (!part) {
        poise__timeline_edit_end(&app->timeline, true);
    }
    return result;
}

int poise__app_set(PoiseApp* app, double value, const char* format, ...) {
    char key[200];
    PoiseParameter parameter;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    const PoiseChange change = {.kind = POISE_CHANGE_SET,
                                .index =
                                    poise_simulation_find_parameter(app->session.simulation, key),
                                .value = value};
    if (!poise_simulation_parameter(app->session.simulation, change.index, &parameter)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    return parameter.value == value ? POISE_OK : poise__app_change(app, &change);
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
                        : app->recording             ? " - filming, Ctrl+R ends it"
                        : app->pacing.paused         ? " - paused"
                                                     : "";
    snprintf(text, 256, "%.120s - %.2f s%s%s - Poise", name ? name : "scene",
             poise_simulation_time(app->session.simulation), speed, state);
}
