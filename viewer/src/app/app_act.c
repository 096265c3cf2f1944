// SPDX-License-Identifier: MIT
// What the actions do. Which key or gesture is which action: app_input.c and actions.c.
#include <string.h>

#include "app.h"

/// Of a nudge, m.
static const double NUDGE = 0.01;

static void release_goals(PoiseApp* app) {
    poise__app_drop_hand(app);
    for (int i = 0; i < poise_simulation_point_count(app->session.simulation); i++) {
        PoisePointView point = poise_simulation_point(app->session.simulation, i);
        if ((point.held || point.turn_held) && !point.added) {
            PoiseChange change = {.kind = POISE_CHANGE_RELEASE, .index = i};
            (void)poise__app_edit(app, &change);
        }
    }
}

static void restart(PoiseApp* app) {
    app->hand.grip = POISE_GRIP_NONE;
    app->highlight.held = -1;
    app->gesture = POISE_ACTION_NONE;
    if (!poise__timeline_restart(&app->timeline, &app->trouble)) {
        app->pacing.paused = true;
        return;
    }
    app->highlight.selected = -1;
    poise__edits_clear(&app->edits);
    poise__pacing_drop_backlog(&app->pacing);
    app->trouble.text[0] = '\0';
}

/// Pauses or goes on, or steps once; not after the simulation has stopped.
static void change_pace(PoiseApp* app, PoiseAction action) {
    if (app->trouble.text[0] != '\0') {
        return;
    }
    if (action == POISE_ACTION_STEP) {
        poise__pacing_step(&app->pacing);
    } else {
        poise__pacing_toggle_pause(&app->pacing);
    }
}

static void cancel(PoiseApp* app) {
    if (app->hand.grip != POISE_GRIP_NONE) {
        poise__app_cancel_hand(app);
    } else if (app->adding) {
        app->adding = false;
    } else if (app->panels.popup != POISE_POPUP_NONE) {
        app->panels.popup = POISE_POPUP_NONE;
    } else if (!app->ui || !poise__ui_takes_text(app->ui)) { // else it ends the typing
        char keys[128];
        poise__app_say(app, "%s quits", poise__action_keys(POISE_ACTION_QUIT, keys));
    }
}

static void open_popup(PoiseApp* app, PoisePopup popup) {
    bool open = app->panels.popup == popup;
    app->panels.popup = open ? POISE_POPUP_NONE : popup;
    app->panels.popup_opened = !open;
    app->panels.filter[0] = '\0';
}

static void nudge(PoiseApp* app, PoiseVec3 way) {
    PoisePointView point = poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (app->highlight.selected < 0 || !point.has_position) {
        poise__app_say(app, "choose a target first: press on it, or N");
        return;
    }
    PoiseChange change = {.kind = POISE_CHANGE_HOLD,
                          .index = app->highlight.selected,
                          .place = poise_add_scaled(point.goal_world.p, NUDGE, way)};
    (void)poise__app_edit(app, &change);
}

static void choose_next(PoiseApp* app) {
    int count = poise_simulation_point_count(app->session.simulation);
    for (int i = 1; i <= count; i++) {
        int next = (app->highlight.selected + i) % count;
        PoisePointView point = poise_simulation_point(app->session.simulation, next);
        if (!point.removed && point.enabled) {
            app->highlight.selected = next;
            poise__app_say(app, "%s", point.name);
            return;
        }
    }
}

static void delete_point(PoiseApp* app) {
    PoisePointView point = poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (app->highlight.selected < 0 || !point.added || point.removed) {
        poise__app_say(app, "choose a control point that was added; those of the scene stay (their "
                            "switch is in the panel)");
        return;
    }
    PoiseChange change = {.kind = POISE_CHANGE_REMOVE, .index = app->highlight.selected};
    if (poise__app_edit(app, &change) >= 0) {
        app->highlight.selected = -1;
    }
}

/// Sets a parameter by its key.
static void set(PoiseApp* app, const char* key, double value) {
    PoiseChange change = {.kind = POISE_CHANGE_SET,
                          .index = poise_simulation_find_parameter(app->session.simulation, key),
                          .value = value};
    if (change.index >= 0) {
        (void)poise__app_edit(app, &change);
    }
}

static void toggle_ik(PoiseApp* app) {
    const PoiseSimulation* simulation = app->session.simulation;
    bool any = false;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        any = any || poise_simulation_point(simulation, i).enabled;
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        char key[160];
        PoisePointView point = poise_simulation_point(simulation, i);
        snprintf(key, sizeof key, "control_points.%.100s.enabled", point.name);
        if (!point.removed) {
            set(app, key, any ? 0.0 : 1.0);
        }
    }
    poise__app_say(app, any ? "IK off: the springs hold what they had" : "IK on");
}

static void toggle_gravity(PoiseApp* app) {
    PoiseParameter now;
    int index = poise_simulation_find_parameter(app->session.simulation, "world.gravity.z");
    if (poise_simulation_parameter(app->session.simulation, index, &now)) {
        double scene = app->session.scene->world.gravity.z;
        scene = scene != 0.0 ? scene : -9.81;
        set(app, "world.gravity.z", now.value != 0.0 ? 0.0 : scene);
        poise__app_say(app, now.value != 0.0 ? "gravity off" : "gravity on");
    }
}

static void show_view(PoiseApp* app, unsigned parts) {
    unsigned panels = app->highlight.parts & POISE_SHOW_PANELS;
    app->highlight.parts = parts | panels;
}

static void next_scene(PoiseApp* app, int step) {
    int current = 0;
    for (int i = 0; i < app->scenes.count; i++) {
        if (strcmp(app->scenes.files[i].path, app->session.scene->file) == 0) {
            current = i;
        }
    }
    if (app->scenes.count > 0) {
        int next = (current + step + app->scenes.count) % app->scenes.count;
        (void)poise__app_open(app, app->scenes.files[next].path);
    }
}

/// After the simulation went somewhere else: what is not there is not chosen.
static void settle(PoiseApp* app) {
    PoisePointView chosen =
        poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (app->highlight.selected >= 0 && (chosen.removed || chosen.name[0] == '\0')) {
        app->highlight.selected = -1;
    }
    poise__watch_sample(&app->watch, app->session.simulation);
}

bool poise__app_go(PoiseApp* app, double time) {
    double length = poise_simulation_step_length(app->session.simulation);
    long to = lround(fmax(0.0, time) / length);
    bool back = to < poise_simulation_step_count(app->session.simulation);
    poise__app_drop_hand(app);
    if (back) {
        app->trouble.text[0] = '\0';
        app->pacing.paused = true;
    }
    poise__pacing_drop_backlog(&app->pacing);
    PoiseNote note;
    if (!poise__timeline_go(&app->timeline, to, &note)) {
        return poise__app_stop(app, note.text);
    }
    if (back) {
        poise__edits_keep_past(&app->edits, &app->timeline);
    }
    settle(app);
    return true;
}

static void undo(PoiseApp* app) {
    PoiseNote note;
    poise__app_drop_hand(app);
    switch (poise__edits_undo(&app->edits, &app->timeline, &note)) {
    case POISE_UNDO_NOTHING:
        poise__app_say(app, "nothing to undo");
        break;
    case POISE_UNDO_DONE:
        settle(app);
        break;
    case POISE_UNDO_WENT_BACK:
        app->trouble.text[0] = '\0';
        poise__pacing_drop_backlog(&app->pacing);
        poise__app_say(app, "undone: back to %.2f s, the moment before it",
                       poise_simulation_time(app->session.simulation));
        settle(app);
        break;
    case POISE_UNDO_FAILED:
        (void)poise__app_stop(app, note.text);
        break;
    }
}

static void act_on_time(PoiseApp* app, PoiseAction action) {
    double now = poise_simulation_time(app->session.simulation);
    double length = poise_simulation_step_length(app->session.simulation);
    switch (action) {
    case POISE_ACTION_STEP_BACK:
        (void)poise__app_go(app, now - length);
        break;
    case POISE_ACTION_BACK_10:
        (void)poise__app_go(app, now - 10.0);
        break;
    case POISE_ACTION_FASTER:
        poise__pacing_change_speed(&app->pacing, 1);
        break;
    case POISE_ACTION_SLOWER:
        poise__pacing_change_speed(&app->pacing, -1);
        break;
    case POISE_ACTION_MARK:
        poise__timeline_toggle_mark(&app->timeline);
        break;
    case POISE_ACTION_NEXT_MARK:
        (void)poise__app_go(app, poise__timeline_next_mark(&app->timeline, 1));
        break;
    case POISE_ACTION_PREVIOUS_MARK:
        (void)poise__app_go(app, poise__timeline_next_mark(&app->timeline, -1));
        break;
    case POISE_ACTION_BRANCH:
        poise__timeline_branch(&app->timeline);
        break;
    case POISE_ACTION_DROP_GHOST:
        poise__timeline_drop_ghost(&app->timeline);
        break;
    default:
        break;
    }
}

static void act_on_targets(PoiseApp* app, PoiseAction action) {
    switch (action) {
    case POISE_ACTION_ADD_POINT:
        app->adding = !app->adding;
        break;
    case POISE_ACTION_DELETE_POINT:
        delete_point(app);
        break;
    case POISE_ACTION_RELEASE:
        release_goals(app);
        break;
    case POISE_ACTION_NEXT_TARGET:
        choose_next(app);
        break;
    case POISE_ACTION_OWN_AXES:
        app->highlight.own_axes = !app->highlight.own_axes;
        poise__app_say(app, app->highlight.own_axes ? "arrows along the target's own axes"
                                                    : "arrows along the world's axes");
        break;
    case POISE_ACTION_NUDGE_X_MORE:
        nudge(app, poise_vec3(1.0, 0.0, 0.0));
        break;
    case POISE_ACTION_NUDGE_X_LESS:
        nudge(app, poise_vec3(-1.0, 0.0, 0.0));
        break;
    case POISE_ACTION_NUDGE_Y_MORE:
        nudge(app, poise_vec3(0.0, 1.0, 0.0));
        break;
    case POISE_ACTION_NUDGE_Y_LESS:
        nudge(app, poise_vec3(0.0, -1.0, 0.0));
        break;
    case POISE_ACTION_NUDGE_Z_MORE:
        nudge(app, poise_vec3(0.0, 0.0, 1.0));
        break;
    case POISE_ACTION_NUDGE_Z_LESS:
        nudge(app, poise_vec3(0.0, 0.0, -1.0));
        break;
    case POISE_ACTION_IK:
        toggle_ik(app);
        break;
    case POISE_ACTION_GRAVITY:
        toggle_gravity(app);
        break;
    case POISE_ACTION_UNDO:
        undo(app);
        break;
    case POISE_ACTION_TAKE_BACK:
        if (!poise__edits_take_back(&app->edits, &app->timeline)) {
            poise__app_say(app, "nothing to take back");
        }
        break;
    case POISE_ACTION_REDO:
        if (!poise__edits_redo(&app->edits, &app->timeline)) {
            poise__app_say(app, "nothing to redo");
        }
        break;
    default:
        break;
    }
    PoisePointView chosen =
        poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (chosen.removed) {
        app->highlight.selected = -1;
    }
}

static void act_on_view(PoiseApp* app, PoiseAction action) {
    switch (action) {
    case POISE_ACTION_VIEW_CLEAN:
        show_view(app, POISE_VIEW_CLEAN);
        break;
    case POISE_ACTION_VIEW_IK:
        show_view(app, POISE_VIEW_IK);
        break;
    case POISE_ACTION_VIEW_FORCES:
        show_view(app, POISE_VIEW_FORCES);
        break;
    case POISE_ACTION_VIEW_SOLVER:
        show_view(app, POISE_VIEW_SOLVER);
        break;
    case POISE_ACTION_VIEW_ALL:
        show_view(app, POISE_VIEW_ALL);
        break;
    case POISE_ACTION_LABELS:
        app->highlight.parts ^= POISE_SHOW_LABELS;
        break;
    case POISE_ACTION_PANELS:
        app->highlight.parts ^= POISE_SHOW_PANELS;
        break;
    case POISE_ACTION_FRAME:
        poise__camera_frame_simulation(&app->camera, app->session.simulation, POISE_ROOM_FOR_HANDS);
        break;
    default:
        break;
    }
}

static void act_on_files(PoiseApp* app, PoiseAction action) {
    switch (action) {
    case POISE_ACTION_SCENES:
        open_popup(app, POISE_POPUP_SCENES);
        break;
    case POISE_ACTION_NEXT_SCENE:
        next_scene(app, 1);
        break;
    case POISE_ACTION_PREVIOUS_SCENE:
        next_scene(app, -1);
        break;
    case POISE_ACTION_SCREENSHOT:
        app->requests |= POISE_REQUEST_SCREENSHOT;
        break;
    case POISE_ACTION_RECORD:
        app->requests |= POISE_REQUEST_RECORD;
        break;
    case POISE_ACTION_SAVE_SCRIPT:
        app->requests |= POISE_REQUEST_SCRIPT;
        break;
    case POISE_ACTION_SAVE_CSV:
        app->requests |= POISE_REQUEST_CSV;
        break;
    case POISE_ACTION_SET_VALUE:
        open_popup(app, POISE_POPUP_VALUE);
        break;
    case POISE_ACTION_PALETTE:
        open_popup(app, POISE_POPUP_PALETTE);
        break;
    case POISE_ACTION_HELP:
        if (app->ui) {
            open_popup(app, POISE_POPUP_HELP);
        } else {
            app->requests |= POISE_REQUEST_HELP;
        }
        break;
    case POISE_ACTION_CANCEL:
        cancel(app);
        break;
    case POISE_ACTION_QUIT:
        app->requests |= POISE_REQUEST_QUIT;
        break;
    default:
        break;
    }
}

void poise__app_act(PoiseApp* app, PoiseAction action) {
    if (poise__action_is_gesture(action)) {
        return; // see on_press, on_pointer and on_wheel
    }
    if (action == POISE_ACTION_PAUSE || action == POISE_ACTION_STEP) {
        change_pace(app, action);
    } else if (action == POISE_ACTION_RESTART) {
        restart(app);
    } else if (action < POISE_ACTION_ADD_POINT) {
        act_on_time(app, action);
    } else if (action < POISE_ACTION_VIEW_CLEAN) {
        act_on_targets(app, action);
    } else if (action < POISE_ACTION_SCENES) {
        act_on_view(app, action);
    } else {
        act_on_files(app, action);
    }
}
