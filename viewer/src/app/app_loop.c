// SPDX-License-Identifier: MIT
// Runs a frame of the viewer: handles the events, then makes the steps that are due.
#include "app.h"

/// A frame makes steps for at most this wall-clock time, s, or STEP_PART of the last frame's time,
/// whichever is longer. Physics thus takes at most as long as drawing.
static const double STEP_BUDGET = 0.03;
static const double STEP_PART = 0.5;
/// Time over which the measured speed of the simulation is averaged, s.
static const double SPEED_AVERAGE_TIME = 0.5;

/// True if the popup has a text field that receives typed text.
static bool has_text_field(PoisePopup popup) {
    return popup != POISE_POPUP_NONE && popup != POISE_POPUP_HELP;
}

/// True if an event is for the panels and not for the scene.
static bool belongs_to_ui(PoiseApp* app, const PoiseEvent* event) {
    if (!app->ui) {
        return false;
    }
    switch (event->kind) {
    case POISE_EVENT_BUTTON:
        if (event->pressed && app->gesture == POISE_GESTURE_NONE) {
            app->ui_has_pointer = poise__ui_covers(app->ui, event->x, event->y);
        }
        return app->ui_has_pointer;
    case POISE_EVENT_WHEEL:
        return poise__ui_covers(app->ui, app->pointer_x, app->pointer_y);
    case POISE_EVENT_KEY:
        // Esc and keys with Ctrl work during typing
        return (poise__ui_takes_text(app->ui) || has_text_field(app->panels.popup)) &&
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

static void update_hover(PoiseApp* app) {
    if (app->gesture != POISE_GESTURE_NONE) {
        return;
    }
    bool covered = app->ui && poise__ui_covers(app->ui, app->pointer_x, app->pointer_y);
    app->highlight.hover = covered ? poise__no_highlight().hover
                                   : poise__pick(app->session.simulation, &app->camera,
                                                 app->pointer_x, app->pointer_y);
    app->highlight.yielding.end =
        covered ? -1 : poise__app_yielding_end(app, app->pointer_x, app->pointer_y);
    app->highlight.part = covered || app->highlight.yielding.end >= 0
                              ? POISE_GIZMO_NONE
                              : poise__app_gizmo_part(app, app->pointer_x, app->pointer_y);
}

/// Returns the index of the body that a drag moves or would move; -1: none.
static int highlighted_body(const PoiseApp* app) {
    switch (app->hand.grip) {
    case POISE_GRIP_WAITING:
    case POISE_GRIP_LINK:
    case POISE_GRIP_PULL:
        return app->hand.body;
    case POISE_GRIP_TARGET:
        return poise_simulation_point(app->session.simulation, app->hand.point).body;
    case POISE_GRIP_YIELDING:
    case POISE_GRIP_NONE:
        break;
    }
    return app->gesture == POISE_GESTURE_NONE ? poise__app_picked_body(app, &app->highlight.hover)
                                              : -1;
}

static void move_camera(PoiseApp* app) {
    if (app->followed >= 0) {
        const PoiseVec3 now =
            poise_simulation_body(app->session.simulation, app->followed).com_world;
        app->camera.focus = poise_add(app->camera.focus, poise_sub(now, app->followed_at));
        app->followed_at = now;
    }
}

static double clock_now(const PoiseApp* app) {
    return app->clock ? app->clock(app->clock_user) : 0.0;
}

static void make_due_steps(PoiseApp* app, double wall_seconds) {
    double length = poise_simulation_step_length(app->session.simulation);
    double end = clock_now(app) + fmax(STEP_BUDGET, STEP_PART * wall_seconds);
    while (poise__pacing_take_step(&app->pacing, length)) {
        if (!poise__app_step(app)) {
            return;
        }
        if (clock_now(app) > end && !app->makes_all_steps) {
            // the simulation is slower than real time: skip steps, so that the window stays
            // responsive
            poise__pacing_drop_backlog(&app->pacing);
        }
    }
}

/// Updates the measured speed of the simulation from what a frame has done.
static void measure_speed(PoiseApp* app, double simulated, double wall_seconds) {
    if (app->pacing.paused || app->measured_speed <= 0.0) {
        app->measured_speed = app->pacing.speed;
    } else if (wall_seconds > 0.0 && simulated >= 0.0) {
        double part = fmin(1.0, wall_seconds / SPEED_AVERAGE_TIME);
        app->measured_speed += part * (simulated / wall_seconds - app->measured_speed);
    }
}

void poise__app_frame(PoiseApp* app, double wall_seconds) {
    app->wall += wall_seconds;
    serve_events(app);
    poise__app_follow_files(app);
    double before = poise_simulation_time(app->session.simulation);
    if (app->panels.scrubbing) {
        poise__pacing_drop_backlog(&app->pacing);
    } else {
        poise__pacing_advance(&app->pacing, wall_seconds);
        make_due_steps(app, wall_seconds);
    }
    measure_speed(app, poise_simulation_time(app->session.simulation) - before, wall_seconds);
    poise__watch_sample(&app->watch, &app->timeline);
    move_camera(app);
    poise__app_refresh_yielding(app);
    update_hover(app);
    app->highlight.body = highlighted_body(app);
}
