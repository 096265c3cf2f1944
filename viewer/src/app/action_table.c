// SPDX-License-Identifier: MIT
// The table of all actions of the viewer, and the functions that carry them out. app_input.c and
// actions.c look up the action of a key, a gesture or a name.
#include <stdlib.h>

#include "app.h"

/// Distance by which one key press moves the selected target, m.
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
    app->gesture = POISE_GESTURE_NONE;
    if (!poise__timeline_restart(&app->timeline, &app->trouble)) {
        app->pacing.paused = true;
        return;
    }
    app->highlight.selected = -1;
    poise__pacing_drop_backlog(&app->pacing);
    app->trouble.text[0] = '\0';
}

/// Pauses or continues the simulation, or makes one step; does nothing after it has stopped for
/// good.
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

/// Moves the selected target along an axis. |`side`| - 1 is the index of the axis; a negative
/// `side` moves the target against it.
static void nudge(PoiseApp* app, int side) {
    const int axis = abs(side) - 1;
    const double length = side > 0 ? NUDGE : -NUDGE;
    PoisePointView point = poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (app->highlight.selected < 0 || !point.has_position) {
        poise__app_say(app, "select a target first: click on it, or press N");
        return;
    }
    PoiseChange change = {.kind = POISE_CHANGE_HOLD,
                          .index = app->highlight.selected,
                          .place = poise_add_scaled(point.goal_world.p, length, poise__axis(axis))};
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

static void toggle_ik(PoiseApp* app) {
    const PoiseSimulation* simulation = app->session.simulation;
    bool any = false;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        any = any || poise_simulation_point(simulation, i).enabled;
    }
    poise__timeline_edit_begin(&app->timeline);
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView point = poise_simulation_point(simulation, i);
        if (!point.removed) {
            poise__app_set(app, any ? 0.0 : 1.0, "control_points.%.100s.enabled", point.name);
        }
    }
    poise__timeline_edit_end(&app->timeline, true);
    poise__app_say(app, any ? "IK off: the springs hold what they had" : "IK on");
}

static void toggle_gravity(PoiseApp* app) {
    PoiseParameter now;
    int index = poise_simulation_find_parameter(app->session.simulation, "world.gravity.z");
    if (poise_simulation_parameter(app->session.simulation, index, &now)) {
        double scene = app->session.scene->world.def.gravity.z;
        scene = scene != 0.0 ? scene : -9.81;
        poise__timeline_edit_begin(&app->timeline);
        poise__app_set(app, now.value != 0.0 ? 0.0 : scene, "world.gravity.z");
        poise__timeline_edit_end(&app->timeline, true);
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

/// Makes the camera follow the body under the pointer, else that of the selected target; or ends
/// this.
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
        if (poise__scene_list_are_same(app->scenes.files[i].path, app->session.scene->file)) {
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
    refresh_after_jump(app);
    return true;
}

static void undo(PoiseApp* app) {
    PoiseNote note;
    poise__app_drop_hand(app);
    switch (poise__timeline_undo(&app->timeline, &note)) {
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
        // the springs that the drag has set are reset by going back in time
        const int edit = app->timeline.edit;
        poise__app_drop_hand(app);
        const int count = app->timeline.log_done;
        if (edit != 0 && count > 0 && app->timeline.log[count - 1].edit == edit) {
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
        // Esc in a text field only ends the typing
        poise__app_say(app, "Ctrl+Q quits");
    }
}

static void redo(PoiseApp* app) {
    if (!poise__timeline_redo(&app->timeline)) {
        poise__app_say(app, "nothing to redo");
    }
}

static void take_back(PoiseApp* app) {
    if (!poise__timeline_take_back(&app->timeline)) {
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

static void begin_adding(PoiseApp* app) {
    app->adding = !app->adding;
}

static void toggle_own_axes(PoiseApp* app) {
    app->highlight.own_axes = !app->highlight.own_axes;
    poise__app_say(app, app->highlight.own_axes ? "arrows along the target's own axes"
                                                : "arrows along the world's axes");
}

/// Initialisers of an action's keys and function.
#define KEY(key)                          .keys = {{key, 0}}
#define KEY_WITH(mods, key)               .keys = {{key, mods}}
#define TWO(key, mods, other, other_mods) .keys = {{key, mods}, {other, other_mods}}
#define GESTURE(kind)                     .gesture = kind
#define PLAIN(function)                   .plain = function
#define PLAIN_AGAIN(function)             .plain = function, .repeats = true
#define ACT(function, n)                  .act = function, .number = n
#define ACT_AGAIN(function, n)            .act = function, .number = n, .repeats = true
#define ROW(word, keys, does, text)                                                                \
    { .name = word, .help = text, keys, does }

const PoiseAction poise__actions[] = {
    // gestures
    ROW("drag", KEY(POISE_MOUSE_LEFT_ON_GOAL), GESTURE(POISE_GESTURE_DRAG_GOAL),
        "move a target parallel to the screen; its arrows move it along an axis, its rings turn "
        "it"),
    ROW("grab", KEY(POISE_MOUSE_LEFT_ON_LINK), GESTURE(POISE_GESTURE_GRAB),
        "pull a link by IK, with a control point that follows the pointer"),
    ROW("pin", KEY_WITH(POISE_MOD_SHIFT, POISE_MOUSE_LEFT_ON_LINK), GESTURE(POISE_GESTURE_PIN),
        "pull a link by IK and keep the control point"),
    ROW("pull", KEY_WITH(POISE_MOD_CTRL, POISE_MOUSE_LEFT_ON_LINK), GESTURE(POISE_GESTURE_PULL),
        "pull a body by a spring, without IK"),
    ROW("orbit", TWO(POISE_MOUSE_LEFT, 0, POISE_MOUSE_MIDDLE, 0), GESTURE(POISE_GESTURE_ORBIT),
        "orbit the camera; with Alt or the middle button also over bodies"),
    ROW("pan", KEY(POISE_MOUSE_RIGHT), GESTURE(POISE_GESTURE_PAN), "move the view"),
    ROW("zoom", KEY(POISE_MOUSE_WHEEL), GESTURE(POISE_GESTURE_ZOOM),
        "move the camera nearer or farther"),
    ROW("look", KEY(POISE_MOUSE_DOUBLE), GESTURE(POISE_GESTURE_LOOK_AT),
        "make this place the centre of the view"),
    // time
    ROW("pause", KEY(POISE_KEY_SPACE), ACT(pause_or_go_on, 0), "pause or continue"),
    ROW("step", KEY(POISE_KEY_RIGHT), ACT_AGAIN(pause_or_go_on, 1),
        "make one step of physics (pauses first)"),
    ROW("step_back", KEY(POISE_KEY_LEFT), PLAIN_AGAIN(step_back), "go back one step"),
    ROW("restart", KEY(POISE_KEY_BACKSPACE), PLAIN(restart), "go back to the start of the scene"),
    ROW("back", KEY_WITH(POISE_MOD_CTRL, POISE_KEY_LEFT), PLAIN(go_back_10_seconds),
        "go back ten seconds"),
    ROW("faster", TWO('+', 0, '=', 0), ACT(change_speed, 1),
        "run twice as fast, at most 4 times real time"),
    ROW("slower", KEY('-'), ACT(change_speed, -1), "run half as fast, at least 1/64 of real time"),
    // targets
    ROW("add", KEY('A'), PLAIN(begin_adding), "add a control point by the next press on a link"),
    ROW("delete", KEY(POISE_KEY_DELETE), PLAIN(delete_point),
        "delete the selected control point, if it was added"),
    ROW("release", KEY('R'), PLAIN(release_goals),
        "return dragged targets to the goals of the scene"),
    ROW("next_target", KEY('N'), PLAIN(choose_next), "select the next target"),
    ROW("own_axes", KEY('X'), PLAIN(toggle_own_axes),
        "switch arrows and rings between the world's axes and the target's own"),
    ROW("x_more", KEY('L'), ACT_AGAIN(nudge, 1), "move the selected target 1 cm along x"),
    ROW("x_less", KEY('J'), ACT_AGAIN(nudge, -1), "move the selected target 1 cm against x"),
    ROW("y_more", KEY('I'), ACT_AGAIN(nudge, 2), "move the selected target 1 cm along y"),
    ROW("y_less", KEY('K'), ACT_AGAIN(nudge, -2), "move the selected target 1 cm against y"),
    ROW("z_more", KEY('U'), ACT_AGAIN(nudge, 3), "move the selected target 1 cm up"),
    ROW("z_less", KEY('O'), ACT_AGAIN(nudge, -3), "move the selected target 1 cm down"),
    ROW("ik", KEY('F'), PLAIN(toggle_ik), "switch IK, all control points, off or on"),
    ROW("gravity", KEY('G'), PLAIN(toggle_gravity), "switch gravity off or on"),
    ROW("undo", KEY_WITH(POISE_MOD_CTRL, 'Z'), PLAIN(undo),
        "undo: go back to the moment before the last change"),
    ROW("redo", TWO('Y', POISE_MOD_CTRL, 'Z', POISE_MOD_CTRL | POISE_MOD_SHIFT), PLAIN(redo),
        "redo: make the undone change again, now"),
    ROW("take_back", KEY_WITH(POISE_MOD_ALT, 'Z'), PLAIN(take_back),
        "reverse the last change from now on, without going back"),
    // views
    ROW("clean", KEY('1'), ACT(show_view, POISE_VIEW_CLEAN), "show bodies and targets"),
    ROW("view_ik", KEY('2'), ACT(show_view, POISE_VIEW_IK), "show springs, sets and ghosts"),
    ROW("view_forces", KEY('3'), ACT(show_view, POISE_VIEW_FORCES),
        "show forces, asked and measured"),
    ROW("view_solver", KEY('4'), ACT(show_view, POISE_VIEW_SOLVER), "show J, gamma and the sweeps"),
    ROW("view_all", KEY('5'), ACT(show_view, POISE_VIEW_ALL), "show everything"),
    ROW("labels", KEY('T'), ACT(switch_part, POISE_SHOW_LABELS),
        "switch names and numbers off or on"),
    ROW("by_link", KEY('S'), ACT(switch_part, POISE_SHOW_BY_LINK),
        "show each link in its own colour, or all in neutral colours"),
    ROW("shapes", KEY('C'), ACT(switch_part, POISE_SHOW_SHAPES),
        "show collision shapes in place of the robot's looks"),
    ROW("inertia", KEY('H'), ACT(switch_part, POISE_SHOW_INERTIA),
        "show boxes of the same mass and inertia as the links"),
    ROW("frames", KEY('E'), ACT(switch_part, POISE_SHOW_FRAMES), "show the axes of each link"),
    ROW("contacts", KEY('P'), ACT(switch_part, POISE_SHOW_CONTACTS),
        "show contact points and contact forces; bodies that touch others or a wall are green"),
    ROW("compliance", KEY('Q'), ACT(switch_part, POISE_SHOW_YIELDING),
        "show how far a force moves the selected target's point; drag an axis, and the springs "
        "follow"),
    ROW("follow", KEY('Y'), PLAIN(toggle_follow),
        "make the camera follow the link under the pointer, or stop it"),
    ROW("panels", KEY(POISE_KEY_TAB), ACT(switch_part, POISE_SHOW_PANELS),
        "switch the panels off or on"),
    ROW("frame", KEY(POISE_KEY_HOME), PLAIN(frame_all), "show the whole scene"),
    ROW("keep_view", KEY_WITH(POISE_MOD_SHIFT, 'D'), ACT(poise__app_keep, POISE_BOOKMARK_VIEW),
        "keep this view of the scene"),
    ROW("next_view", KEY('D'), ACT(poise__app_show_next, POISE_BOOKMARK_VIEW),
        "show the next kept view"),
    ROW("keep_pose", KEY_WITH(POISE_MOD_CTRL | POISE_MOD_SHIFT, 'D'),
        ACT(poise__app_keep, POISE_BOOKMARK_POSE), "keep this pose of all joints"),
    ROW("next_pose", KEY_WITH(POISE_MOD_CTRL, 'D'), ACT(poise__app_show_next, POISE_BOOKMARK_POSE),
        "set the next kept pose, at rest"),
    // scenes and files
    ROW("scenes", KEY_WITH(POISE_MOD_CTRL, 'O'), ACT(open_popup, POISE_POPUP_SCENES),
        "choose another scene"),
    ROW("next_scene", KEY(']'), ACT(next_scene, 1), "open the next scene"),
    ROW("previous_scene", KEY('['), ACT(next_scene, -1), "open the previous scene"),
    ROW("screenshot", KEY_WITH(POISE_MOD_CTRL, 'P'), ACT(ask_for, POISE_REQUEST_SCREENSHOT),
        "save a picture, poise-001.png and so on"),
    ROW("record", KEY_WITH(POISE_MOD_CTRL, 'R'), ACT(ask_for, POISE_REQUEST_RECORD),
        "begin or end a film, poise-001.mp4 and so on"),
    ROW("save_script", KEY_WITH(POISE_MOD_CTRL, 'S'), ACT(ask_for, POISE_REQUEST_SCRIPT),
        "save the changes of the run as a script, poise-001.script"),
    ROW("save_replay", KEY_WITH(POISE_MOD_CTRL | POISE_MOD_SHIFT, 'S'),
        ACT(ask_for, POISE_REQUEST_REPLAY),
        "save the run as a replay, poise-001.replay, which gives the same run on any machine"),
    ROW("save_csv", KEY_WITH(POISE_MOD_CTRL, 'E'), ACT(ask_for, POISE_REQUEST_CSV),
        "save the watched values, poise-001.csv"),
    ROW("set_value", KEY('V'), ACT(open_popup, POISE_POPUP_VALUE),
        "start the scene again with another value, such as world.step=0.002"),
    ROW("palette", KEY_WITH(POISE_MOD_CTRL, 'K'), ACT(open_popup, POISE_POPUP_PALETTE),
        "find a command by its name"),
    ROW("help", KEY(POISE_KEY_F1), PLAIN(help), "show this list"),
    ROW("cancel", KEY(POISE_KEY_ESCAPE), PLAIN(cancel), "cancel the drag, or close the popup"),
    ROW("quit", KEY_WITH(POISE_MOD_CTRL, 'Q'), ACT(ask_for, POISE_REQUEST_QUIT), "quit"),
};
const int poise__action_count = (int)(sizeof poise__actions / sizeof *poise__actions);

void poise__app_act(PoiseApp* app, const PoiseAction* action) {
    if (action && action->plain) {
        action->plain(app);
    } else if (action && action->act) {
        action->act(app, action->number);
    }
    PoisePointView chosen =
        poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (chosen.removed) {
        app->highlight.selected = -1;
    }
}
