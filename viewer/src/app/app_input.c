// SPDX-License-Identifier: MIT
// What keys and mouse do: events become actions through the table, actions change the app.
#include <string.h>

#include "app.h"

/// Two presses within this time and distance are a double click, s and window units.
static const double DOUBLE_TIME = 0.4;
static const double DOUBLE_UNITS = 5.0;
/// Of a nudge, m.
static const double NUDGE = 0.01;

// ----------------------------------------------------------------------------------------- actions

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

static void quit_or_cancel(PoiseApp* app) {
    if (app->hand.grip != POISE_GRIP_NONE) {
        poise__app_cancel_hand(app);
    } else if (app->adding) {
        app->adding = false;
    } else if (app->panels.popup != POISE_POPUP_NONE) {
        app->panels.popup = POISE_POPUP_NONE;
    } else {
        app->requests |= POISE_REQUEST_QUIT;
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
        if (!poise__edits_undo(&app->edits, &app->timeline)) {
            poise__app_say(app, "nothing to undo");
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
        poise__camera_frame(&app->camera, poise__bounds_of_simulation(app->session.simulation));
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
    case POISE_ACTION_QUIT:
        quit_or_cancel(app);
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

// ---------------------------------------------------------------------------------------- gestures

/// The action of a gesture with these modifiers, or without where none is bound with them.
static PoiseAction gesture_action(int gesture, int mods) {
    PoiseAction action = poise__action_for(gesture, mods);
    return action != POISE_ACTION_NONE ? action : poise__action_for(gesture, 0);
}

static bool is_double(PoiseApp* app, const PoiseEvent* event) {
    bool near = hypot(event->x - app->last_press_x, event->y - app->last_press_y) < DOUBLE_UNITS;
    bool soon = app->wall - app->last_press < DOUBLE_TIME && app->last_press > 0.0;
    app->last_press = near && soon ? 0.0 : app->wall;
    app->last_press_x = event->x;
    app->last_press_y = event->y;
    return near && soon;
}

static void look_at(PoiseApp* app, PoisePick pick) {
    if (pick.kind != POISE_PICK_NONE) {
        app->camera.focus = pick.place;
    }
}

/// What the left button takes hold of; NONE when it is nothing but the view.
static PoiseAction take_with_left(PoiseApp* app, const PoiseEvent* event) {
    PoisePick pick = poise__pick(app->session.simulation, &app->camera, event->x, event->y);
    PoiseGizmoPart part = POISE_GIZMO_MIDDLE;
    int target = pick.kind == POISE_PICK_GOAL ? pick.index : -1;
    if (is_double(app, event)) {
        look_at(app, pick);
        return POISE_ACTION_LOOK_AT;
    }
    if (app->adding) {
        app->adding = false;
        if (poise__app_picked_body(app, &pick) >= 0) {
            (void)poise__app_add_point(app, pick);
            return POISE_ACTION_LOOK_AT; // the rest of the press does nothing
        }
    }
    if (target < 0) {
        part = poise__app_gizmo_part(app, event->x, event->y);
        target = part != POISE_GIZMO_NONE ? app->highlight.selected : -1;
    }
    if (target >= 0) {
        PoiseAction action = gesture_action(POISE_MOUSE_LEFT_ON_GOAL, event->mods);
        return poise__app_take_target(app, target, part, event->x, event->y) ? action
                                                                             : POISE_ACTION_NONE;
    }
    if (pick.kind != POISE_PICK_NONE && !(event->mods & POISE_MOD_ALT)) {
        PoiseAction action = gesture_action(POISE_MOUSE_LEFT_ON_LINK, event->mods);
        if (poise__app_take(app, action, pick, event->x, event->y)) {
            return action;
        }
    }
    return POISE_ACTION_NONE;
}

static void on_press(PoiseApp* app, const PoiseEvent* event) {
    static const int gestures[] = {[POISE_BUTTON_LEFT] = POISE_MOUSE_LEFT,
                                   [POISE_BUTTON_RIGHT] = POISE_MOUSE_RIGHT,
                                   [POISE_BUTTON_MIDDLE] = POISE_MOUSE_MIDDLE};
    if (app->gesture != POISE_ACTION_NONE || event->code < 0 || event->code > POISE_BUTTON_MIDDLE) {
        return; // one gesture at a time
    }
    app->gesture_button = event->code;
    PoiseAction action = POISE_ACTION_NONE;
    if (event->code == POISE_BUTTON_LEFT) {
        action = take_with_left(app, event);
    }
    app->gesture =
        action != POISE_ACTION_NONE ? action : gesture_action(gestures[event->code], event->mods);
}

static void on_pointer(PoiseApp* app, double x, double y) {
    double dx = x - app->pointer_x;
    double dy = y - app->pointer_y;
    app->pointer_x = x;
    app->pointer_y = y;
    if (dx == 0.0 && dy == 0.0) {
        return;
    }
    if (app->hand.grip != POISE_GRIP_NONE) {
        poise__app_move_hand(app, x, y);
    } else if (app->gesture == POISE_ACTION_ORBIT) {
        poise__camera_orbit(&app->camera, dx, dy);
    } else if (app->gesture == POISE_ACTION_PAN) {
        poise__camera_pan(&app->camera, dx, dy);
    }
}

static void on_button(PoiseApp* app, const PoiseEvent* event) {
    app->mods = event->mods;
    on_pointer(app, event->x, event->y);
    if (event->pressed) {
        on_press(app, event);
    } else if (app->gesture != POISE_ACTION_NONE && app->gesture_button == event->code) {
        poise__app_drop_hand(app);
    }
}

/// A drag that goes on begins to snap, or ends to, at once.
static void follow_mods(PoiseApp* app, const PoiseEvent* event) {
    int before = app->mods;
    app->mods = poise__mods_after(event);
    if (((before ^ app->mods) & POISE_MOD_CTRL) && app->hand.grip == POISE_GRIP_TARGET) {
        poise__app_move_hand(app, app->pointer_x, app->pointer_y);
    }
}

static void on_key(PoiseApp* app, const PoiseEvent* event) {
    follow_mods(app, event);
    PoiseAction action = poise__action_for(event->code, event->mods);
    bool repeats = action == POISE_ACTION_STEP || action == POISE_ACTION_STEP_BACK ||
                   (action >= POISE_ACTION_NUDGE_X_MORE && action <= POISE_ACTION_NUDGE_Z_LESS);
    if (event->pressed && (!event->repeated || repeats)) {
        poise__app_act(app, action);
    }
}

static void on_wheel(PoiseApp* app, double notches) {
    if (poise__action_for(POISE_MOUSE_WHEEL, 0) == POISE_ACTION_ZOOM) {
        poise__camera_zoom(&app->camera, notches);
        poise__app_move_hand(app, app->pointer_x, app->pointer_y);
    }
}

void poise__app_event(PoiseApp* app, const PoiseEvent* event) {
    switch (event->kind) {
    case POISE_EVENT_POINTER:
        on_pointer(app, event->x, event->y);
        break;
    case POISE_EVENT_BUTTON:
        on_button(app, event);
        break;
    case POISE_EVENT_WHEEL:
        on_wheel(app, event->y);
        break;
    case POISE_EVENT_KEY:
        on_key(app, event);
        break;
    case POISE_EVENT_RESIZE:
        poise__camera_resize(&app->camera, event->x, event->y);
        break;
    case POISE_EVENT_CLOSE:
        app->requests |= POISE_REQUEST_QUIT;
        break;
    case POISE_EVENT_TEXT:
        break; // for fields
    }
}
