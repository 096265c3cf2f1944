// SPDX-License-Identifier: MIT
// Shows the panels for the run itself and for the parts of the view.
#include "panels.h"

/// Width of the names of themes before the check boxes, window units.
static const double THEME_WIDTH = 64.0;

void poise__panel_act_button(PoiseApp* app, const char* text, const char* name, bool on) {
    char button[64];
    char tip[256];
    char keys[128];
    const PoiseAction* action = poise__action_named(name);
    snprintf(button, sizeof button, "do/%s", name);
    if (poise__ui_toggle(app->ui, button, text, on)) {
        poise__app_act(app, action);
    }
    snprintf(tip, sizeof tip, "%s (%s)", action->help, poise__action_keys(action, keys));
    poise__ui_tip(app->ui, tip);
}

void poise__panel_run(PoiseApp* app) {
    PoiseUi* ui = app->ui;
    PoiseSimulationCost cost = poise_simulation_cost(app->session.simulation);
    const PoiseScene* scene = app->session.scene;
    if (!poise__ui_section(ui, "section/run", "Run", true)) {
        return;
    }
    poise__ui_short(ui, POISE_INK, scene->title ? scene->title : scene->file);
    poise__panel_act_button(app, "Scenes...", "scenes", app->panels.popup == POISE_POPUP_SCENES);
    poise__ui_flow_button(ui, "Commands...");
    poise__panel_act_button(app, "Commands...", "palette",
                            app->panels.popup == POISE_POPUP_PALETTE);
    poise__ui_flow_button(ui, "Help");
    poise__panel_act_button(app, "Help", "help", app->panels.popup == POISE_POPUP_HELP);
    poise__panel_act_button(app, "Undo", "undo", false);
    poise__ui_flow_button(ui, "Redo");
    poise__panel_act_button(app, "Redo", "redo", false);
    poise__ui_flow_button(ui, "Picture");
    poise__panel_act_button(app, "Picture", "screenshot", false);
    poise__ui_flow_button(ui, "End film");
    poise__panel_act_button(app, app->recording ? "End film" : "Film", "record", app->recording);
    char text[96];
    snprintf(text, sizeof text, "a step of %.3g ms: IK %.1f us, physics %.1f us",
             1e3 * scene->world.step, cost.ik_us, cost.collision_us + cost.ode_us);
    poise__ui_short(ui, POISE_DIM_INK, text);
}

/// Shows the number after a theme's check boxes: the length of trails, or the exaggeration of
/// springs.
static void show_length(PoiseApp* app, unsigned part) {
    const PoiseUiNumber trail = {
        .name = "show/trail", .text = "s", .lower = 0.5, .upper = 10.0, .width = 36.0};
    const PoiseUiNumber springs = {.name = "show/exaggeration",
                                   .text = "x",
                                   .lower = 1.0,
                                   .upper = 50.0,
                                   .logarithmic = true,
                                   .width = 36.0};
    if (part == POISE_SHOW_TRAILS) {
        poise__ui_same_line(app->ui);
        poise__ui_number(app->ui, &trail, &app->highlight.trail);
        poise__ui_tip(app->ui, "length of the paths, s");
    } else if (part == POISE_SHOW_SPRINGS) {
        poise__ui_same_line(app->ui);
        poise__ui_number(app->ui, &springs, &app->highlight.exaggeration);
        poise__ui_tip(app->ui, "factor by which coils show the extension of springs");
    }
}

/// Shows a button that saves a view or pose, and one button for each saved bookmark.
static void show_kept(PoiseApp* app, PoiseBookmarkKind kind) {
    const bool pose = kind == POISE_BOOKMARK_POSE;
    if (pose) {
        poise__ui_flow_button(app->ui, "Keep pose");
    }
    poise__panel_act_button(app, pose ? "Keep pose" : "Keep view", pose ? "keep_pose" : "keep_view",
                            false);
    for (int i = 0; i < app->bookmarks.of[kind].count; i++) {
        char name[32];
        char text[16];
        snprintf(name, sizeof name, "%s/%d", pose ? "pose" : "view", i + 1);
        snprintf(text, sizeof text, "%d", i + 1);
        poise__ui_flow_button(app->ui, text);
        if (poise__ui_button(app->ui, name, text)) {
            poise__app_show_bookmark(app, kind, i);
        }
    }
}

/// The check boxes of the view's parts, by theme.
static const struct {
    const char* theme; ///< NULL: the theme of the row above
    const char* name;
    const char* text;
    unsigned part;
    const char* tip;
} PARTS[] = {
    {"goals", "show/points", "targets", POISE_SHOW_POINTS, "goals, control points and tethers"},
    {NULL, "show/trails", "trails", POISE_SHOW_TRAILS,
     "recent paths of moving goals (red) and of the points that follow them (blue)"},
    {NULL, "show/labels", "labels", POISE_SHOW_LABELS, "names and numbers"},
    {"springs", "show/springs", "springs", POISE_SHOW_SPRINGS,
     "arcs from theta to theta_new: thickness is stiffness, colour is torque against its "
     "limit; "
     "rings are split in the ratio p_orig (blue) : p_ik (orange)"},
    {NULL, "show/ghosts", "ghosts", POISE_SHOW_GHOSTS,
     "the bodies at theta_orig (blue) and at theta_ik (orange)"},
    {NULL, "show/compliance", "compliance", POISE_SHOW_YIELDING,
     "how far a force moves a target's point; drag an axis, and the springs follow (Q)"},
    {"forces", "show/forces", "forces", POISE_SHOW_FORCES, "asked (hollow), measured (solid), N"},
    {NULL, "show/contacts", "contacts", POISE_SHOW_CONTACTS,
     "contact points and contact forces; bodies that touch others or a wall are green (P)"},
    {"run", "show/sets", "sets", POISE_SHOW_SETS,
     "point at a target: its joints glow; point at a link: the targets and neighbours of its "
     "joint are ringed"},
    {NULL, "show/solver", "solver", POISE_SHOW_SOLVER,
     "J, gamma and the residual after each sweep"},
    {NULL, "show/past", "old run", POISE_SHOW_PAST, "the old run, after a change in the past"},
    {"links", "show/by_link", "colours", POISE_SHOW_BY_LINK, "each link in its own colour (S)"},
    {NULL, "show/inertia", "inertia", POISE_SHOW_INERTIA,
     "boxes of the same mass and inertia as the links (H)"},
    {NULL, "show/frames", "axes", POISE_SHOW_FRAMES, "the axes of each link (E)"},
};

void poise__panel_view(PoiseApp* app) {
    if (!poise__ui_section(app->ui, "section/show", "Show", true)) {
        return;
    }
    static const char* const views[][2] = {{"1 clean", "clean"},
                                           {"2 IK", "view_ik"},
                                           {"3 forces", "view_forces"},
                                           {"4 solver", "view_solver"},
                                           {"5 all", "view_all"}};
    for (int i = 0; i < 5; i++) {
        if (i > 0) {
            poise__ui_flow_button(app->ui, views[i][0]);
        }
        poise__panel_act_button(app, views[i][0], views[i][1], false);
    }
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        bool on = (app->highlight.parts & PARTS[i].part) != 0;
        if (PARTS[i].theme) {
            poise__ui_align(app->ui);
            poise__ui_text(app->ui, POISE_DIM_INK, "%s", PARTS[i].theme);
            poise__ui_same_line_at(app->ui, THEME_WIDTH);
        } else {
            poise__ui_flow_check(app->ui, PARTS[i].text);
        }
        if (poise__ui_check(app->ui, PARTS[i].name, PARTS[i].text, &on)) {
            app->highlight.parts ^= PARTS[i].part;
        }
        poise__ui_tip(app->ui, PARTS[i].tip);
        show_length(app, PARTS[i].part);
    }
    show_kept(app, POISE_BOOKMARK_VIEW);
    show_kept(app, POISE_BOOKMARK_POSE);
}
