// SPDX-License-Identifier: MIT
// The bar of time.
#include <math.h>

#include "panels.h"

/// Of the bar, by buttons and gaps.
static const double TIME_USED = 300.0;
/// Where the button that pauses has ended.
static const double AFTER_PAUSE = 108.0;

static void scrub(PoiseApp* app, double width) {
    const PoiseSimulation* simulation = app->session.simulation;
    double length = poise_simulation_step_length(simulation);
    double now = poise_simulation_time(simulation);
    const PoiseTimeline* timeline = &app->timeline;
    double end = (double)timeline->end_step * length;
    double ghost = (double)timeline->ghost_end * length;
    PoiseUiTimeBar bar = {.end = fmax(fmax(end, ghost), 1.0),
                          .marks = timeline->marks,
                          .mark_count = timeline->mark_count,
                          .ghost_end = ghost,
                          .width = width};
    double at = app->panels.scrubbing ? app->panels.scrub : now;
    int bits = poise__ui_time_bar(app->ui, "run/time", &bar, &at);
    poise__ui_tip(app->ui,
                  "drag to go back; run on, or change something to branch off: the old run "
                  "stays as a ghost");
    if (bits & POISE_UI_BEGAN) {
        app->panels.scrubbing = true;
    }
    if (app->panels.scrubbing && (bits & (POISE_UI_CHANGED | POISE_UI_BEGAN))) {
        app->panels.scrub = fmin(at, fmax(end, now));
        (void)poise__app_go(app, app->panels.scrub);
        app->pacing.paused = true;
    }
    if (bits & POISE_UI_ENDED) {
        app->panels.scrubbing = false;
    }
}

/// As it should be, or as it is where the machine does not keep up.
static void show_speed(PoiseApp* app) {
    double speed = app->pacing.speed;
    if (!app->pacing.paused && app->kept > 0.0 && app->kept < 0.9 * speed) {
        poise__ui_text(app->ui, POISE_WARM_INK, "x%.2g", app->kept);
        poise__ui_note(app->ui, "run/pace");
        poise__ui_tip(app->ui, "slower than it should be: the machine does not keep up");
        return;
    }
    poise__ui_text(app->ui, POISE_DIM_INK, "%s%g", speed >= 1.0 ? "x" : "x1/",
                   speed >= 1.0 ? speed : 1.0 / speed);
    poise__ui_note(app->ui, "run/pace");
}

void poise__panel_time(PoiseApp* app, PoiseUiPlace place) {
    PoiseUi* ui = app->ui;
    poise__ui_panel_begin(ui, "time", place, true);
    poise__panel_act_button(app, "|<", POISE_ACTION_RESTART, false);
    poise__ui_same_line(ui);
    poise__panel_act_button(app, app->pacing.paused ? "  Run  " : "Pause", POISE_ACTION_PAUSE,
                            false);
    poise__ui_same_line_at(ui, AFTER_PAUSE); // whichever of the two it says
    poise__panel_act_button(app, "<", POISE_ACTION_STEP_BACK, false);
    poise__ui_same_line(ui);
    poise__panel_act_button(app, ">", POISE_ACTION_STEP, false);
    poise__ui_same_line(ui);
    poise__panel_act_button(app, "-10 s", POISE_ACTION_BACK_10, false);
    poise__ui_same_line(ui);
    poise__panel_act_button(app, "Mark", POISE_ACTION_MARK, false);
    poise__ui_same_line(ui);
    // as much as these figures take, and the pace
    char time[32];
    snprintf(time, sizeof time, "%.2f s", poise_simulation_time(app->session.simulation));
    const double figures =
        poise__ui_text_width(ui, time) + poise__ui_text_width(ui, "x1/64") + 24.0;
    scrub(app, fmax(40.0, place.width - TIME_USED - figures));
    poise__ui_same_line(ui);
    poise__ui_text(ui, POISE_INK, "%s", time);
    poise__ui_same_line(ui);
    show_speed(app);
    poise__ui_panel_end(ui);
}
