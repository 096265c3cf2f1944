// SPDX-License-Identifier: MIT
// Where the panels are, and those about the run itself.
#include "panels.h"

#include <string.h>

static const double SIDE_WIDTH = 318.0;
static const double BAR_HEIGHT = 36.0;
static const double MARGIN = 8.0;

static void act_button(PoiseApp* app, const char* text, PoiseAction action, bool on) {
    char name[64];
    char tip[256];
    char keys[128];
    const PoiseBinding* binding = poise__action_binding(action);
    snprintf(name, sizeof name, "do/%s", binding->name);
    if (poise__ui_toggle(app->ui, name, text, on)) {
        poise__app_act(app, action);
    }
    snprintf(tip, sizeof tip, "%s (%s)", binding->help, poise__action_keys(action, keys));
    poise__ui_tip(app->ui, tip);
}

void poise__panel_run(PoiseApp* app) {
    PoiseUi* ui = app->ui;
    PoiseSimulationCost cost = poise_simulation_cost(app->session.simulation);
    const PoiseScene* scene = app->session.scene;
    if (!poise__ui_section(ui, "section/run", "Run", true)) {
        return;
    }
    poise__ui_paragraph(ui, scene->title ? scene->title : scene->file);
    act_button(app, "Scenes...", POISE_ACTION_SCENES, app->panels.popup == POISE_POPUP_SCENES);
    poise__ui_same_line(ui);
    act_button(app, "Commands...", POISE_ACTION_PALETTE, app->panels.popup == POISE_POPUP_PALETTE);
    poise__ui_same_line(ui);
    act_button(app, "Help", POISE_ACTION_HELP, app->panels.popup == POISE_POPUP_HELP);
    act_button(app, "Undo", POISE_ACTION_UNDO, false);
    poise__ui_same_line(ui);
    act_button(app, "Redo", POISE_ACTION_REDO, false);
    poise__ui_same_line(ui);
    act_button(app, "Picture", POISE_ACTION_SCREENSHOT, false);
    poise__ui_same_line(ui);
    act_button(app, app->recording ? "End film" : "Film", POISE_ACTION_RECORD, app->recording);
    poise__ui_text(ui, POISE_DIM_INK, "a step of %.3g ms: IK %.1f us, physics %.1f us",
                   1e3 * scene->world.step, cost.ik_us, cost.ode_us);
}

void poise__panel_view(PoiseApp* app) {
    static const struct {
        const char* name;
        const char* text;
        unsigned part;
        const char* tip;
    } parts[] = {
        {"show/points", "targets", POISE_SHOW_POINTS, "goals, control points and tethers"},
        {"show/springs", "springs", POISE_SHOW_SPRINGS,
         "bows from theta to theta_new: thickness is stiffness, colour torque against its limit; "
         "rings split as p_orig (blue) : p_ik (orange)"},
        {"show/ghosts", "ghosts", POISE_SHOW_GHOSTS,
         "where theta_orig (blue) and theta_ik (orange) would have the bodies"},
        {"show/sets", "sets", POISE_SHOW_SETS,
         "point at a target and the joints that serve it glow; point at a link and its joint's "
         "targets and neighbours are ringed"},
        {"show/forces", "forces", POISE_SHOW_FORCES, "asked (hollow) and measured (solid), N"},
        {"show/solver", "solver", POISE_SHOW_SOLVER, "J, gamma and the residual sweep by sweep"},
        {"show/labels", "labels", POISE_SHOW_LABELS, "names and numbers"},
        {"show/past", "old run", POISE_SHOW_PAST, "the run that was left, after going back"},
    };
    if (!poise__ui_section(app->ui, "section/show", "Show", true)) {
        return;
    }
    act_button(app, "1 clean", POISE_ACTION_VIEW_CLEAN, false);
    poise__ui_same_line(app->ui);
    act_button(app, "2 IK", POISE_ACTION_VIEW_IK, false);
    poise__ui_same_line(app->ui);
    act_button(app, "3 forces", POISE_ACTION_VIEW_FORCES, false);
    poise__ui_same_line(app->ui);
    act_button(app, "4 solver", POISE_ACTION_VIEW_SOLVER, false);
    poise__ui_same_line(app->ui);
    act_button(app, "5 all", POISE_ACTION_VIEW_ALL, false);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool on = (app->highlight.parts & parts[i].part) != 0;
        if (poise__ui_check(app->ui, parts[i].name, parts[i].text, &on)) {
            app->highlight.parts ^= parts[i].part;
        }
        poise__ui_tip(app->ui, parts[i].tip);
        if (i % 4 != 3) {
            poise__ui_same_line(app->ui);
        }
    }
}

// -------------------------------------------------------------------------------------------- time

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

static void draw_bar(PoiseApp* app, double width) {
    const PoiseCamera* camera = &app->camera;
    PoiseUi* ui = app->ui;
    PoiseUiPlace place = {MARGIN, camera->height - BAR_HEIGHT - MARGIN, width, BAR_HEIGHT};
    poise__ui_panel_begin(ui, "time", place, true);
    act_button(app, "|<", POISE_ACTION_RESTART, false);
    poise__ui_same_line(ui);
    act_button(app, app->pacing.paused ? "  Run  " : "Pause", POISE_ACTION_PAUSE, false);
    poise__ui_same_line(ui);
    act_button(app, "<", POISE_ACTION_STEP_BACK, false);
    poise__ui_same_line(ui);
    act_button(app, ">", POISE_ACTION_STEP, false);
    poise__ui_same_line(ui);
    act_button(app, "-10 s", POISE_ACTION_BACK_10, false);
    poise__ui_same_line(ui);
    act_button(app, "Mark", POISE_ACTION_MARK, false);
    poise__ui_same_line(ui);
    double used = 300.0;
    scrub(app, fmax(40.0, width - used - 108.0));
    poise__ui_same_line(ui);
    poise__ui_text(ui, POISE_INK, "%.2f s", poise_simulation_time(app->session.simulation));
    poise__ui_same_line(ui);
    poise__ui_text(ui, POISE_DIM_INK, "%s%g", app->pacing.speed >= 1.0 ? "x" : "x1/",
                   app->pacing.speed >= 1.0 ? app->pacing.speed : 1.0 / app->pacing.speed);
    poise__ui_panel_end(ui);
}

/// One line on what can be done here, or what has just been said.
static void draw_hint(PoiseApp* app, double right, double bottom) {
    const char* text = NULL;
    uint32_t colour = 0xd7dee6ffu;
    char line[POISE_NOTE_CAPACITY];
    char cut[256];
    if (app->trouble.text[0] != '\0') {
        snprintf(line, sizeof line, "%.200s; Backspace starts it again", app->trouble.text);
        text = line;
        colour = POISE_WARM_INK;
    } else if (app->wall < app->message_until) {
        text = app->message.text;
        colour = 0xffe28affu;
    } else if (app->adding) {
        text = "press on a link: a control point will be there (Esc: none)";
        colour = 0xffe28affu;
    } else if (!(app->highlight.parts & POISE_SHOW_PANELS)) {
        return; // a picture is not talked into
    } else if (app->highlight.hover.kind == POISE_PICK_GOAL) {
        snprintf(line, sizeof line, "%.60s: drag it; Ctrl in steps of 5 cm, Esc puts it back",
                 poise_simulation_point(app->session.simulation, app->highlight.hover.index).name);
        text = line;
    } else if (app->highlight.hover.kind == POISE_PICK_SHAPE &&
               poise__app_picked_body(app, &app->highlight.hover) >= 0) {
        snprintf(line, sizeof line,
                 "%.60s: drag it with IK, Shift leaves a control point, Ctrl pulls with a spring",
                 poise_simulation_shape(app->session.simulation, app->highlight.hover.index).body);
        text = line;
    } else {
        text = "drag a red target or a link; F1 help, Ctrl+K commands, Tab hides the panels";
    }
    if (text && poise__ui_text_width(app->ui, text) > right - 24.0) {
        // too long for this window: the beginning is what counts
        snprintf(cut, sizeof cut, "%.*s ...", (int)fmin(240.0, fmax(8.0, (right - 60.0) / 8.5)),
                 text);
        text = cut;
    }
    if (text) {
        poise__ui_label(app->ui, 0.5 * right, bottom - 14.0, 0.5, colour, text);
    }
}

/// What the ghosts' colours mean.
static void draw_legend(PoiseApp* app, double top) {
    unsigned parts = app->highlight.parts;
    double y = top + 14.0;
    if (!(parts & POISE_SHOW_LABELS)) {
        return;
    }
    if (parts & POISE_SHOW_SPRINGS) {
        poise__ui_label(app->ui, 14.0, y, 0.0, 0x7fb0ffff, "original spring");
        poise__ui_label(app->ui, 128.0, y, 0.0, 0xffb866ff, "IK spring");
        y += 20.0;
    }
    if (parts & POISE_SHOW_FORCES) {
        poise__ui_label(app->ui, 14.0, y, 0.0, 0xf3c6faff,
                        "hollow: force asked, solid: force measured");
    }
}

double poise__app_side(const PoiseApp* app) {
    bool shown = (app->highlight.parts & (POISE_SHOW_PANELS | POISE_SHOW_SOLVER)) != 0;
    return shown ? fmin(SIDE_WIDTH, 0.55 * app->camera.width) + MARGIN : 0.0;
}

void poise__app_panels(PoiseApp* app) {
    const PoiseCamera* camera = &app->camera;
    bool shown = (app->highlight.parts & POISE_SHOW_PANELS) != 0;
    bool solver = (app->highlight.parts & POISE_SHOW_SOLVER) != 0;
    double side = poise__app_side(app) - MARGIN;
    double right = camera->width - poise__app_side(app);
    double bottom = camera->height - (shown ? BAR_HEIGHT + MARGIN : 0.0);
    app->panels.focus = (PoiseFocus){-1, -1};
    draw_legend(app, 0.0);
    if (shown || solver) {
        PoiseUiPlace place = {camera->width - side - MARGIN, MARGIN, side,
                              camera->height - 2.0 * MARGIN};
        poise__ui_panel_begin(app->ui, "Poise", place, false);
        if (shown) {
            poise__panel_run(app);
            poise__panel_view(app);
        }
        if (solver) {
            poise__panel_matrices(app);
        }
        if (shown) {
            poise__panel_points(app);
            poise__panel_springs(app);
            poise__panel_solver(app);
            poise__panel_plots(app);
        }
        poise__ui_panel_end(app->ui);
    }
    if (shown) {
        draw_bar(app, right - 2.0 * MARGIN);
    }
    draw_hint(app, right, bottom);
    poise__popups(app);
}
