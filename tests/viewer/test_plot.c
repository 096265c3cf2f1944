// SPDX-License-Identifier: MIT
// Tests the plot under the time bar: it is as wide as the bar, has the same cursor, and starts with
// the run.
#include <math.h>
#include <string.h>

#include "panels.h"
#include "panels_fixture.h"

/// Returns the index of the sample at a time; -1: none.
static int sample_at(const PoiseWatch* watch, double time) {
    for (int i = 0; i < watch->sample_count; i++) {
        if (fabs((double)watch->times[i] - time) < 1e-4) {
            return i;
        }
    }
    return -1;
}

PANELS_TEST(plot, lies_under_the_time_bar_and_shares_its_cursor) {
    run(app, "wait 2\n");
    PoiseUiItem bar;
    PoiseUiItem plot;
    cr_assert(poise__ui_find(app->ui, "run/time", &bar));
    cr_assert(poise__ui_find(app->ui, "run/plot", &plot));
    EXPECT_NEAR((double)plot.left, (double)bar.left, 0.5);
    EXPECT_NEAR((double)plot.right, (double)bar.right, 0.5);
    cr_expect_gt(plot.top, bar.top);
    EXPECT_NEAR(plot.upper, bar.upper, 0.0);
    EXPECT_NEAR(plot.value, bar.value, 0.0);
    // a press in the plot goes to its time, as on the bar
    run(app, "slide run/plot 0.5\nexpect time > 0.45\nexpect time < 0.55\n");
    cr_assert(poise__ui_find(app->ui, "run/time", &bar));
    EXPECT_NEAR(bar.value, poise_simulation_time(app->session.simulation), 1e-9);
}

/// The error begins with about 0.4 m. The lane shows this peak at first; later the peak is cut off.
PANELS_TEST(plot, the_first_peak_leaves_the_scale_of_a_lane) {
    PoiseUiItem lane;
    run(app, "wait 0.05\n");
    cr_assert(poise__ui_find(app->ui, "run/plot/0", &lane));
    const double first = lane.upper;
    run(app, "wait 4\n");
    cr_assert(poise__ui_find(app->ui, "run/plot/0", &lane));
    cr_expect_lt(lane.upper, 0.3 * first, "%g m, %g m at first", lane.upper, first);
    const PoiseWatch* watch = &app->watch;
    double most = 0.0;
    for (int i = 0; i < watch->sample_count; i++) {
        if ((double)watch->times[i] > 0.55 * poise_simulation_time(app->session.simulation)) {
            most = fmax(most, (double)watch->values[0].samples[i]);
        }
    }
    cr_expect_geq(lane.upper, most, "%g m, and later at most %g m", lane.upper, most);
}

PANELS_TEST(plot, reaches_from_the_start_of_the_run_however_long_it_is) {
    cr_assert(poise__app_run_to(app, 40.0));
    const PoiseWatch* watch = &app->watch;
    cr_expect_lt(watch->sample_count, (int)POISE_WATCH_SAMPLES + 1);
    cr_expect_gt(watch->sample_count, (int)POISE_WATCH_SAMPLES / 3);
    EXPECT_NEAR((double)watch->times[0], 0.0, 0.0);
    EXPECT_NEAR((double)watch->times[watch->sample_count - 1], 40.0, 1e-4);
    for (int i = 1; i < watch->sample_count; i++) { // samples are evenly spaced, except the last
        const double gap = (double)(watch->times[i] - watch->times[i - 1]);
        cr_expect(gap > 0.0 && gap < 1.001 * (double)watch->stride * 0.01, "%d: %g", i, gap);
    }
}

PANELS_TEST(plot, samples_ahead_stay_until_a_change_cuts_them_off) {
    run(app, "wait 2\n");
    const int ahead = sample_at(&app->watch, 1.5);
    cr_assert_geq(ahead, 0);
    const float then = app->watch.values[0].samples[ahead];
    run(app, "go 1\n");
    cr_expect_eq(sample_at(&app->watch, 1.5), ahead);
    // repeating the run gives the same curve
    run(app, "do pause\nwait 0.6\n");
    cr_expect_eq(sample_at(&app->watch, 1.5), ahead);
    cr_expect_eq(app->watch.values[0].samples[ahead], then);
    // a change discards the samples ahead, and new ones follow
    run(app, "go 1\nset joints.left_shoulder.ik.spring 1\ndo pause\n");
    cr_expect_lt(sample_at(&app->watch, 1.5), 0);
    run(app, "wait 0.6\n");
    const int again = sample_at(&app->watch, 1.5);
    cr_assert_geq(again, 0);
    cr_expect_neq(app->watch.values[0].samples[again], then);
}

PANELS_TEST(plot, has_a_lane_for_each_unit_and_a_legend_that_ends_a_curve) {
    const double one = poise__panel_plot_height(app);
    cr_expect_str_eq(poise__value_unit(app->session.simulation, "left_tip.error"), "m");
    cr_expect_str_eq(poise__value_unit(app->session.simulation, "left_shoulder.torque"), "N m");
    run(app, "click watch/open\ntype right_tip error\nclick watch/right_tip.error\nkey Esc\n");
    const double two = poise__panel_plot_height(app);
    run(app, "click watch/open\ntype shoulder torque\nclick watch/left_shoulder.torque\nkey Esc\n");
    cr_expect_eq(app->watch.count, 3);
    EXPECT_NEAR(two, one, 0.0); // both values are in metres
    cr_expect_gt(poise__panel_plot_height(app), one + 30.0);
    run(app, "click plot/left_shoulder.torque\n");
    cr_expect_eq(app->watch.count, 2);
    EXPECT_NEAR(poise__panel_plot_height(app), one, 0.0);
    // a low window has no plot
    poise__camera_resize(&app->camera, 640, 360);
    EXPECT_NEAR(poise__panel_plot_height(app), 0.0, 0.0);
}

Test(plot, no_button_is_cut_off_in_a_small_window) {
    static const char* const names[] = {
        "do/scenes",      "do/palette",  "do/help",     "do/undo",      "do/redo",
        "do/screenshot",  "do/record",   "do/clean",    "do/view_ik",   "do/view_forces",
        "do/view_solver", "do/view_all", "show/points", "show/springs", "show/labels",
        "do/restart",     "do/pause",    "run/time"};
    PoiseApp* app = app_with_panels();
    PoiseUiItem large[sizeof names / sizeof *names];
    poise__screen_draw(app);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_assert(poise__ui_find(app->ui, names[i], &large[i]), "%s", names[i]);
    }
    poise__camera_resize(&app->camera, 640, 360);
    for (int i = 0; i < 3; i++) {
        poise__screen_draw(app);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PoiseUiItem small;
        cr_expect(poise__ui_find(app->ui, names[i], &small), "%s", names[i]);
        if (strcmp(names[i], "run/time") == 0) {
            cr_expect_gt(small.right - small.left, 100.0f);
            continue;
        }
        // a widget that the panel's edge cuts would be narrower than in a large window
        EXPECT_NEAR((double)(small.right - small.left), (double)(large[i].right - large[i].left),
                    0.5);
        cr_expect_lt(small.right, 640.0f, "%s", names[i]);
    }
    // the time is readable
    PoiseUiItem pace;
    cr_assert(poise__ui_find(app->ui, "run/pace", &pace));
    cr_expect_gt(pace.right - pace.left, 8.0f);
    close_app(app);
}
