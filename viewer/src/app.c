// SPDX-License-Identifier: MIT
// Loop and time of the viewer. What keys and mouse do is in app_input.c.
#include "app.h"

#include <stdlib.h>

/// A frame steps no longer than this, wall clock, s.
static const double STEP_BUDGET = 0.03;

bool poise__app_init(PoiseApp* app, PoiseSession session) {
    *app = (PoiseApp){.session = session,
                      .camera = poise__camera_default(),
                      .pacing = poise__pacing_default(),
                      .highlight = poise__no_highlight()};
    size_t points = (size_t)poise_simulation_point_count(session.simulation);
    app->held = calloc(points + 1, sizeof *app->held);
    if (!app->held || !poise__scene_view_init(&app->view, session.simulation)) {
        poise__app_finish(app);
        return false;
    }
    poise__camera_frame(&app->camera, poise__bounds_of_simulation(session.simulation));
    return true;
}

void poise__app_finish(PoiseApp* app) {
    poise__scene_view_finish(&app->view);
    poise__draw_list_finish(&app->list);
    poise__session_close(&app->session);
    free(app->held);
    app->held = NULL;
}

static bool step(PoiseApp* app) {
    PoiseStatus status = poise_simulation_step(app->session.simulation);
    if (status >= 0) {
        return true;
    }
    app->pacing.paused = true;
    poise__pacing_drop_backlog(&app->pacing);
    return poise__note_fail(&app->trouble, "the simulation stopped at %.3f s: %s",
                            poise_simulation_time(app->session.simulation),
                            poise_status_name(status));
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
        if (clock_now(app) > end) {
            // slower than life: keep the window alive rather than the time
            poise__pacing_drop_backlog(&app->pacing);
        }
    }
}

void poise__app_frame(PoiseApp* app, double wall_seconds) {
    PoiseEvent events[POISE_INPUT_CAPACITY];
    int count = poise__input_take_frame(&app->input, events);
    for (int i = 0; i < count; i++) {
        poise__app_event(app, &events[i]);
    }
    poise__pacing_advance(&app->pacing, wall_seconds);
    step_what_is_due(app);
    if (app->gesture == POISE_ACTION_NONE) {
        app->highlight.hover =
            poise__pick(app->session.simulation, &app->camera, app->pointer_x, app->pointer_y);
    }
}

bool poise__app_run_to(PoiseApp* app, double time) {
    double length = poise_simulation_step_length(app->session.simulation);
    while (poise_simulation_time(app->session.simulation) < time - 0.5 * length) {
        if (!step(app)) {
            return false;
        }
    }
    return true;
}

const PoiseDrawList* poise__app_draw(PoiseApp* app) {
    poise__scene_view_draw(&app->view, app->session.simulation, &app->camera, &app->highlight,
                           &app->list);
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
