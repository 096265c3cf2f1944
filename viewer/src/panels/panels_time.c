// SPDX-License-Identifier: MIT
// Shows the time bar, and below it the watched values over the whole run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "panels.h"
#include "units.h"

/// Position of the right end of the pause button, window units.
static const double AFTER_PAUSE = 108.0;
/// Lengths of the time bar, window units. Buttons are omitted if the bar would be shorter than
/// SHORT_BAR. The bar is at least SHORTEST_BAR long.
static const double SHORT_BAR = 150.0;
static const double SHORTEST_BAR = 40.0;
/// Sizes in the plot, window units: height of a lane, of the numbers below, and of a line of the
/// legend; width of the numbers on the left.
static const double LANE = 58.0;
static const double FOOT = 18.0;
static const double LEGEND_LINE = 19.0;
static const double FIGURES = 56.0;
/// Least height of a window that shows the plot, window units; largest fraction of that height for
/// the plot.
static const double LOWEST_WINDOW = 480.0;
static const double PLOT_PART = 0.3;

static const uint32_t CURVES[] = {0x6fb1ffff, 0xffb866ff, 0x7fe0a0ff, 0xff8f87ff,
                                  0xd6a5f5ff, 0xffe28aff, 0x8fe3e0ff, 0xc8d0daff};

/// Returns the time, s, at the end of the bar: the end of the run or of the ghost, at least 1.
static double bar_end(const PoiseApp* app) {
    const double length = poise_simulation_step_length(app->session.simulation);
    const double end = (double)app->timeline.end_step * length;
    return fmax(fmax(end, (double)app->timeline.ghost_end * length), 1.0);
}

/// Goes to the time to which the person drags on the bar or on the plot.
static void scrub(PoiseApp* app, int bits, double at) {
    const double now = poise_simulation_time(app->session.simulation);
    const double end =
        (double)app->timeline.end_step * poise_simulation_step_length(app->session.simulation);
    if (bits & POISE_UI_BEGAN) {
        app->panels.scrubbing = true;
    }
    if (app->panels.scrubbing && (bits & (POISE_UI_CHANGED | POISE_UI_BEGAN))) {
        app->panels.scrub = fmin(at, fmax(end, now));
        poise__app_go(app, app->panels.scrub);
        app->pacing.paused = true;
    }
    if (bits & POISE_UI_ENDED) {
        app->panels.scrubbing = false;
    }
}

static double shown_time(const PoiseApp* app) {
    return app->panels.scrubbing ? app->panels.scrub
                                 : poise_simulation_time(app->session.simulation);
}

static void show_bar(PoiseApp* app, double width) {
    const double length = poise_simulation_step_length(app->session.simulation);
    PoiseUiTimeBar bar = {
        .end = bar_end(app), .ghost_end = (double)app->timeline.ghost_end * length, .width = width};
    double at = shown_time(app);
    const int bits = poise__ui_time_bar(app->ui, "run/time", &bar, &at);
    poise__ui_tip(app->ui,
                  "drag to go back in time; a change there starts a new run, and the old one "
                  "stays as a ghost");
    scrub(app, bits, at);
}

/// Shows the speed of the simulation: the selected one, or the measured one if the machine is too
/// slow.
static void show_speed(PoiseApp* app) {
    double speed = app->pacing.speed;
    if (!app->pacing.paused && app->measured_speed > 0.0 && app->measured_speed < 0.9 * speed) {
        poise__ui_text(app->ui, POISE_WARM_INK, "x%.2g", app->measured_speed);
        poise__ui_note(app->ui, "run/pace");
        poise__ui_tip(app->ui, "slower than selected: the machine is too slow");
        return;
    }
    poise__ui_text(app->ui, POISE_DIM_INK, "%s%g", speed >= 1.0 ? "x" : "x1/",
                   speed >= 1.0 ? speed : 1.0 / speed);
    poise__ui_note(app->ui, "run/pace");
}

/// Buttons that are omitted, the last one first, if the bar would be too short.
static const struct {
    const char* text;
    const char* action;
} EXTRAS[] = {{"<", "step_back"}, {">", "step"}, {"-10 s", "back"}};
enum { EXTRA_COUNT = (int)(sizeof EXTRAS / sizeof *EXTRAS) };

static void show_row(PoiseApp* app) {
    PoiseUi* ui = app->ui;
    const double room = poise__ui_room(ui);
    char time[32];
    snprintf(time, sizeof time, "%.2f s", poise_simulation_time(app->session.simulation));
    // width of the texts for time and speed
    const double figures =
        poise__ui_text_width(ui, time) + poise__ui_text_width(ui, "x1/64") + 14.0;
    double bar = room - AFTER_PAUSE - figures;
    int extras = 0;
    while (extras < EXTRA_COUNT) {
        const double less = bar - poise__ui_button_width(ui, EXTRAS[extras].text);
        if (less < SHORT_BAR) {
            break;
        }
        bar = less;
        extras++;
    }
    poise__panel_act_button(app, "|<", "restart", false);
    poise__ui_same_line(ui);
    poise__panel_act_button(app, app->pacing.paused ? "  Run  " : "Pause", "pause", false);
    // both texts of the pause button end at the same position
    poise__ui_same_line_at(ui, AFTER_PAUSE);
    for (int i = 0; i < extras; i++) {
        poise__panel_act_button(app, EXTRAS[i].text, EXTRAS[i].action, false);
        poise__ui_same_line(ui);
    }
    show_bar(app, fmax(SHORTEST_BAR, bar));
    poise__ui_same_line(ui);
    poise__ui_text(ui, POISE_INK, "%s", time);
    poise__ui_same_line(ui);
    show_speed(app);
}

// -------------------------------------------------------------------------------------------- plot

/// Lists the units of the watched values, each once; `lanes` gets the index of each value's unit.
static int list_units(const PoiseApp* app, const char* units[POISE_WATCH_CAPACITY],
                      int lanes[POISE_WATCH_CAPACITY]) {
    int count = 0;
    for (int i = 0; i < app->watch.count; i++) {
        const char* unit = poise__value_unit(app->session.simulation, app->watch.values[i].name);
        int lane = 0;
        while (lane < count && strcmp(units[lane], unit) != 0) {
            lane++;
        }
        units[lane] = unit;
        lanes[i] = lane;
        count = lane == count ? count + 1 : count;
    }
    return count;
}

double poise__panel_plot_height(const PoiseApp* app) {
    const char* units[POISE_WATCH_CAPACITY];
    int lanes[POISE_WATCH_CAPACITY];
    if (app->watch.count == 0 || app->camera.height < LOWEST_WINDOW) {
        return 0.0;
    }
    const double curves = LANE * list_units(app, units, lanes) + FOOT;
    return fmin(PLOT_PART * app->camera.height, fmax(curves, LEGEND_LINE * app->watch.count));
}

static void show_legend(PoiseApp* app, const char* const units[POISE_WATCH_CAPACITY],
                        const int lanes[POISE_WATCH_CAPACITY], double width) {
    int ended = -1;
    for (int i = 0; i < app->watch.count; i++) {
        const PoiseWatched* value = &app->watch.values[i];
        char name[POISE_WATCH_NAME + 8];
        char text[POISE_UNIT_TEXT];
        double now = (double)NAN;
        poise__value_of(app->session.simulation, value->name, &now);
        const PoiseUiLegend legend = {.colour = CURVES[i],
                                      .text = value->name,
                                      .value = poise__value_text(now, units[lanes[i]], text),
                                      .width = width};
        snprintf(name, sizeof name, "plot/%s", value->name);
        if (poise__ui_legend(app->ui, name, &legend)) {
            ended = i;
        }
        poise__ui_tip(app->ui, "a click removes the curve");
    }
    if (ended >= 0) {
        char name[POISE_WATCH_NAME];
        snprintf(name, sizeof name, "%s", app->watch.values[ended].name);
        poise__watch_toggle(&app->watch, app->session.simulation, name);
    }
}

static void show_plot(PoiseApp* app) {
    const char* units[POISE_WATCH_CAPACITY];
    int lanes[POISE_WATCH_CAPACITY];
    PoiseUiCurve curves[POISE_WATCH_CAPACITY];
    PoiseUiItem bar;
    const int lane_count = list_units(app, units, lanes);
    for (int i = 0; i < app->watch.count; i++) {
        curves[i] = (PoiseUiCurve){app->watch.values[i].samples, CURVES[i], lanes[i]};
    }
    const PoiseUiChart chart = {.under = "run/time",
                                .times = app->watch.times,
                                .sample_count = app->watch.sample_count,
                                .curves = curves,
                                .curve_count = app->watch.count,
                                .units = units,
                                .lane_count = lane_count,
                                .end = bar_end(app),
                                .height = poise__panel_plot_height(app)};
    double at = shown_time(app);
    const int bits = poise__ui_chart(app->ui, "run/plot", &chart, &at);
    scrub(app, bits, at);
    if (poise__ui_find(app->ui, "run/time", &bar)) { // position of the bar in the last frame
        show_legend(app, units, lanes,
                    fmax(60.0, (double)bar.left - poise__ui_left(app->ui) - FIGURES));
    }
}

void poise__panel_time(PoiseApp* app, PoiseUiPlace place) {
    poise__ui_panel_begin(app->ui, "time", place, true);
    show_row(app);
    if (poise__panel_plot_height(app) > 0.0) {
        show_plot(app);
    }
    poise__ui_panel_end(app->ui);
}
