// SPDX-License-Identifier: MIT
// Carries the actions out. app_input.c and actions.c find the action of a key or gesture.
#include <stdlib.h>
#include <string.h>

#include "app.h"

/// Distance that one key press moves the selected target, m.
static const double NUDGE = 0.01;
/// Simulated time that a long step back undoes, s.
static const double LONG_STEP_BACK = 10.0;

static void release_goals(PoiseApp* app) {
    poise__app_drop_hand(app);
    for (int i = 0; i < poise_simulation_point_count(app->session.simulation); i++) {
        PoisePointView point = poise_simulation_point(app->session.simulation, i);
        if ((point.held || point.turn_held) && !point.added) {
            PoiseChange change = {.kind = POISE_CHANGE_RELEASE, .index = i};
            poise__app_edit(app, &change);
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

/// Pauses, continues, or makes one step; does nothing after the simulation has stopped.
static void pause_or_go_on(PoiseApp* app, int step_once) {
    if (app->trouble.text[0] != '\0') {
        return;
    }
    if (step_once) {
        poise__pacing_step(&app->pacing);
    } else {
        poise__pacing_toggle_pause(&app->pacing);
    }
}

static void open_popup(PoiseApp* app, int popup) {
    bool open = (int)app->panels.popup == popup;
    app->panels.popup = open ? POISE_POPUP_NONE : (PoisePopup)popup;
    app->panels.popup_opened = !open;
    app->panels.filter[0] = '\0';
}

/// Moves the selected target. |`side`| - 1 is the index of the axis; a negative `side` moves
/// against it.
static void nudge(PoiseApp* app, int side) {
    const int axis = abs(side) - 1;
    const double length = side > 0 ? NUDGE : -NUDGE;
    const PoiseVec3 direction = poise_vec3(axis == 0, axis == 1, axis == 2);
    PoisePointView point = poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (app->highlight.selected < 0 || !point.has_position) {
        poise__app_say(app, "select a target first: click on it, or press N");
        return;
    }
    PoiseChange change = {.kind = POISE_CHANGE_HOLD,
                          .index = app->highlight.selected,
                          .place = poise_add_scaled(point.goal_world.p, length, direction)};
    poise__app_edit(app, &change);
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
        poise__app_say(app, "select a control point that was added; those of the scene can only be "
                            "switched off in the panel");
        return;
    }
    PoiseChange change = {.kind = POISE_CHANGE_REMOVE, .index = app->highlight.selected};
    if (poise__app_edit(app, &change) >= 0) {
        app->highlight.selected = -1;
    }
}

/// Sets the parameter with this key. Does nothing if the scene has no such parameter.
static void set_parameter(PoiseApp* app, const char* key, double value) {
    PoiseChange change = {.kind = POISE_CHANGE_SET,
                          .index = poise_simulation_find_parameter(app->session.simulation, key),
                          .value = value};
    if (change.index >= 0) {
        poise__app_edit(app, &change);
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
            set_parameter(app, key, any ? 0.0 : 1.0);
        }
    }
    poise__app_say(app, any ? "IK off: the springs hold what they had" : "IK on");
}

static void toggle_gravity(PoiseApp* app) {
    PoiseParameter now;
    int index = poise_simulation_find_parameter(app->session.simulation, "world.gravity.z");
    if (poise_simulation_parameter(app->session.simulation, index, &now)) {
        double scene = app->session.scene->world.def.gravity.z;
        scene = scene != 0.0 ? scene : -9.81;
        set_parameter(app, "world.gravity.z", now.value != 0.0 ? 0.0 : scene);
        poise__app_say(app, now.value != 0.0 ? "gravity off" : "gravity on");
    }
}

static void show_view(PoiseApp* app, int parts) {
    unsigned kept = app->highlight.parts & POISE_SHOW_KEPT;
    app->highlight.parts = (unsigned)parts | kept;
}

static void switch_part(PoiseApp* app, int part) {
    app->highlight.parts ^= (unsigned)part;
}

static void frame_all(PoiseApp* app) {
    poise__camera_frame_simulation(&app->camera, app->session.simulation, POISE_ROOM_FOR_HANDS);
}

/// Makes the camera follow a body, or stops it. The body is that under the pointer, or else that of
/// the selected target.
static void toggle_follow(PoiseApp* app) {
    int body = poise__app_picked_body(app, &app->highlight.hover);
    if (body < 0 && app->highlight.selected >= 0) {
        body = poise_simulation_point(app->session.simulation, app->highlight.selected).body;
    }
    if (app->followed >= 0 || body < 0) {
        app->followed = -1;
        poise__app_say(app, body < 0 ? "point at a link to follow it" : "the camera stays");
        return;
    }
    app->followed = body;
    const PoiseBodyView view = poise_simulation_body(app->session.simulation, body);
    app->followed_at = view.com_world;
    poise__app_say(app, "the camera follows %s", view.name);
}

static void ask_for(PoiseApp* app, int request) {
    app->requests |= (unsigned)request;
}

static void help(PoiseApp* app) {
    if (app->ui) {
        open_popup(app, POISE_POPUP_HELP);
    } else {
        ask_for(app, POISE_REQUEST_HELP);
    }
}

static void next_scene(PoiseApp* app, int step) {
    int current = 0;
    for (int i = 0; i < app->scenes.count; i++) {
        if (poise__scene_files_are_same(app->scenes.files[i].path, app->session.scene->file)) {
            current = i;
        }
    }
    if (app->scenes.count > 0) {
        int next = (current + step + app->scenes.count) % app->scenes.count;
        poise__app_open(app, app->scenes.files[next].path);
    }
}

/// Brings selection and plots up to date after a jump in time. A target that does not exist then is
/// deselected.
static void refresh_after_jump(PoiseApp* app) {
    PoisePointView chosen =
        poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (app->highlight.selected >= 0 && (chosen.removed || chosen.name[0] == '\0')) {
        app->highlight.selected = -1;
    }
    poise__watch_sample(&app->watch, &app->timeline);
}

bool poise__app_go(PoiseApp* app, double time) {
    long to = lround(fmax(0.0, time) / poise_simulation_step_length(app->session.simulation));
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
    refresh_after_jump(app);
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
        refresh_after_jump(app);
        break;
    case POISE_UNDO_WENT_BACK:
        app->trouble.text[0] = '\0';
        poise__pacing_drop_backlog(&app->pacing);
        poise__app_say(app, "undone: back at %.2f s, before the change",
                       poise_simulation_time(app->session.simulation));
        refresh_after_jump(app);
        break;
    case POISE_UNDO_FAILED:
        poise__app_stop(app, note.text);
        break;
    }
}

static void cancel(PoiseApp* app) {
    if (app->hand.grip == POISE_GRIP_YIELDING) {
        // the springs that the drag has set return with the time
        const bool drags = app->hand.drags;
        poise__app_drop_hand(app);
        if (drags) {
            undo(app);
        }
    } else if (app->hand.grip != POISE_GRIP_NONE) {
        poise__app_cancel_hand(app);
    } else if (app->adding) {
        app->adding = false;
    } else if (app->panels.popup != POISE_POPUP_NONE) {
        app->panels.popup = POISE_POPUP_NONE;
    } else if (app->open_error.text[0] != '\0') {
        app->open_error.text[0] = '\0';
    } else if (!app->ui || !poise__ui_takes_text(app->ui)) {
        // in a text field Esc only ends the typing
        char keys[128];
        poise__app_say(app, "%s quits", poise__action_keys(POISE_ACTION_QUIT, keys));
    }
}

static void redo(PoiseApp* app) {
    if (!poise__edits_redo(&app->edits, &app->timeline)) {
        poise__app_say(app, "nothing to redo");
    }
}

static void take_back(PoiseApp* app) {
    if (!poise__edits_take_back(&app->edits, &app->timeline)) {
        poise__app_say(app, "nothing to take back");
    }
}

static void step_back(PoiseApp* app) {
    const PoiseSimulation* simulation = app->session.simulation;
    const double now = poise_simulation_time(simulation);
    poise__app_go(app, now - poise_simulation_step_length(simulation));
}

static void go_back_10_seconds(PoiseApp* app) {
    poise__app_go(app, poise_simulation_time(app->session.simulation) - LONG_STEP_BACK);
}

static void change_speed(PoiseApp* app, int doublings) {
    poise__pacing_change_speed(&app->pacing, doublings);
}

static void toggle_mark(PoiseApp* app) {
    poise__timeline_toggle_mark(&app->timeline);
}

static void go_to_mark(PoiseApp* app, int step) {
    poise__app_go(app, poise__timeline_next_mark(&app->timeline, step));
}

static void branch(PoiseApp* app) {
    poise__timeline_branch(&app->timeline);
}

static void drop_ghost(PoiseApp* app) {
    poise__timeline_drop_ghost(&app->timeline);
}

static void begin_adding(PoiseApp* app) {
    app->adding = !app->adding;
}

static void toggle_own_axes(PoiseApp* app) {
    app->highlight.own_axes = !app->highlight.own_axes;
    poise__app_say(app, app->highlight.own_axes ? "arrows along the target's own axes"
                                                : "arrows along the world's axes");
}

/// The function of each action, and the number it is called with. app_input.c serves gestures.
static const struct {
    void (*act)(PoiseApp* app, int number);
    int number;
    void (*plain)(PoiseApp* app); ///< called in place of `act` if it is set
} ACTS[POISE_ACTION_COUNT] = {
    [POISE_ACTION_PAUSE] = {pause_or_go_on, .number = 0},
    [POISE_ACTION_STEP] = {pause_or_go_on, .number = 1},
    [POISE_ACTION_STEP_BACK] = {.plain = step_back},
    [POISE_ACTION_RESTART] = {.plain = restart},
    [POISE_ACTION_BACK_10] = {.plain = go_back_10_seconds},
    [POISE_ACTION_FASTER] = {change_speed, .number = 1},
    [POISE_ACTION_SLOWER] = {change_speed, .number = -1},
    [POISE_ACTION_MARK] = {.plain = toggle_mark},
    [POISE_ACTION_NEXT_MARK] = {go_to_mark, .number = 1},
    [POISE_ACTION_PREVIOUS_MARK] = {go_to_mark, .number = -1},
    [POISE_ACTION_BRANCH] = {.plain = branch},
    [POISE_ACTION_DROP_GHOST] = {.plain = drop_ghost},
    [POISE_ACTION_ADD_POINT] = {.plain = begin_adding},
    [POISE_ACTION_DELETE_POINT] = {.plain = delete_point},
    [POISE_ACTION_RELEASE] = {.plain = release_goals},
    [POISE_ACTION_NEXT_TARGET] = {.plain = choose_next},
    [POISE_ACTION_OWN_AXES] = {.plain = toggle_own_axes},
    [POISE_ACTION_NUDGE_X_MORE] = {nudge, .number = 1},
    [POISE_ACTION_NUDGE_X_LESS] = {nudge, .number = -1},
    [POISE_ACTION_NUDGE_Y_MORE] = {nudge, .number = 2},
    [POISE_ACTION_NUDGE_Y_LESS] = {nudge, .number = -2},
    [POISE_ACTION_NUDGE_Z_MORE] = {nudge, .number = 3},
    [POISE_ACTION_NUDGE_Z_LESS] = {nudge, .number = -3},
    [POISE_ACTION_IK] = {.plain = toggle_ik},
    [POISE_ACTION_GRAVITY] = {.plain = toggle_gravity},
    [POISE_ACTION_UNDO] = {.plain = undo},
    [POISE_ACTION_REDO] = {.plain = redo},
    [POISE_ACTION_TAKE_BACK] = {.plain = take_back},
    [POISE_ACTION_VIEW_CLEAN] = {show_view, .number = POISE_VIEW_CLEAN},
    [POISE_ACTION_VIEW_IK] = {show_view, .number = POISE_VIEW_IK},
    [POISE_ACTION_VIEW_FORCES] = {show_view, .number = POISE_VIEW_FORCES},
    [POISE_ACTION_VIEW_SOLVER] = {show_view, .number = POISE_VIEW_SOLVER},
    [POISE_ACTION_VIEW_ALL] = {show_view, .number = POISE_VIEW_ALL},
    [POISE_ACTION_LABELS] = {switch_part, .number = POISE_SHOW_LABELS},
    [POISE_ACTION_PANELS] = {switch_part, .number = POISE_SHOW_PANELS},
    [POISE_ACTION_BY_LINK] = {switch_part, .number = POISE_SHOW_BY_LINK},
    [POISE_ACTION_SHAPES] = {switch_part, .number = POISE_SHOW_SHAPES},
    [POISE_ACTION_INERTIA] = {switch_part, .number = POISE_SHOW_INERTIA},
    [POISE_ACTION_FRAMES] = {switch_part, .number = POISE_SHOW_FRAMES},
    [POISE_ACTION_CONTACTS] = {switch_part, .number = POISE_SHOW_CONTACTS},
    [POISE_ACTION_ELLIPSOIDS] = {switch_part, .number = POISE_SHOW_ELLIPSOIDS},
    [POISE_ACTION_YIELDING] = {switch_part, .number = POISE_SHOW_YIELDING},
    [POISE_ACTION_FOLLOW] = {.plain = toggle_follow},
    [POISE_ACTION_FRAME] = {.plain = frame_all},
    [POISE_ACTION_KEEP_VIEW] = {poise__app_keep_view, .number = 0},
    [POISE_ACTION_NEXT_VIEW] = {poise__app_show_view, .number = POISE_NEXT_BOOKMARK},
    [POISE_ACTION_KEEP_POSE] = {poise__app_keep_pose, .number = 0},
    [POISE_ACTION_NEXT_POSE] = {poise__app_put_pose, .number = POISE_NEXT_BOOKMARK},
    [POISE_ACTION_SCENES] = {open_popup, .number = POISE_POPUP_SCENES},
    [POISE_ACTION_NEXT_SCENE] = {next_scene, .number = 1},
    [POISE_ACTION_PREVIOUS_SCENE] = {next_scene, .number = -1},
    [POISE_ACTION_SCREENSHOT] = {ask_for, .number = POISE_REQUEST_SCREENSHOT},
    [POISE_ACTION_RECORD] = {ask_for, .number = POISE_REQUEST_RECORD},
    [POISE_ACTION_SAVE_SCRIPT] = {ask_for, .number = POISE_REQUEST_SCRIPT},
    [POISE_ACTION_SAVE_REPLAY] = {ask_for, .number = POISE_REQUEST_REPLAY},
    [POISE_ACTION_SAVE_CSV] = {ask_for, .number = POISE_REQUEST_CSV},
    [POISE_ACTION_SET_VALUE] = {open_popup, .number = POISE_POPUP_VALUE},
    [POISE_ACTION_PALETTE] = {open_popup, .number = POISE_POPUP_PALETTE},
    [POISE_ACTION_HELP] = {.plain = help},
    [POISE_ACTION_CANCEL] = {.plain = cancel},
    [POISE_ACTION_QUIT] = {ask_for, .number = POISE_REQUEST_QUIT},
};

void poise__app_act(PoiseApp* app, PoiseAction action) {
    if (action < POISE_ACTION_COUNT && ACTS[action].plain) {
        ACTS[action].plain(app);
    } else if (action < POISE_ACTION_COUNT && ACTS[action].act) {
        ACTS[action].act(app, ACTS[action].number);
    }
    PoisePointView chosen =
        poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (chosen.removed) {
        app->highlight.selected = -1;
    }
}
