// SPDX-License-Identifier: MIT
// Holds the table of keys and gestures. The functions look rows up and print the table as a help
// text or in Markdown for the README.
#include "actions.h"

#include <string.h>

static const PoiseBinding BINDINGS[] = {
    {POISE_MOUSE_LEFT_ON_GOAL, 0, "drag",
     "move a target parallel to the screen; its arrows move it along an axis, its rings turn it",
     POISE_ACTION_DRAG_GOAL},
    {POISE_MOUSE_LEFT_ON_LINK, 0, "grab",
     "pull a link by IK, with a control point that follows the pointer", POISE_ACTION_GRAB},
    {POISE_MOUSE_LEFT_ON_LINK, POISE_MOD_SHIFT, "pin",
     "pull a link by IK and keep the control point", POISE_ACTION_PIN},
    {POISE_MOUSE_LEFT_ON_LINK, POISE_MOD_CTRL, "pull", "pull a body by a spring, without IK",
     POISE_ACTION_PULL},
    {POISE_MOUSE_LEFT, 0, "orbit",
     "orbit the camera; with Alt or the middle button also over bodies", POISE_ACTION_ORBIT},
    {POISE_MOUSE_RIGHT, 0, "pan", "move the view", POISE_ACTION_PAN},
    {POISE_MOUSE_MIDDLE, 0, "orbit",
     "orbit the camera; with Alt or the middle button also over bodies", POISE_ACTION_ORBIT},
    {POISE_MOUSE_WHEEL, 0, "zoom", "move the camera nearer or farther", POISE_ACTION_ZOOM},
    {POISE_MOUSE_DOUBLE, 0, "look", "make this place the centre of the view", POISE_ACTION_LOOK_AT},
    {POISE_KEY_SPACE, 0, "pause", "pause or continue", POISE_ACTION_PAUSE},
    {POISE_KEY_RIGHT, 0, "step", "make one step of physics (pauses first)", POISE_ACTION_STEP},
    {POISE_KEY_LEFT, 0, "step_back", "go back one step", POISE_ACTION_STEP_BACK},
    {POISE_KEY_BACKSPACE, 0, "restart", "go back to the start of the scene", POISE_ACTION_RESTART},
    {POISE_KEY_LEFT, POISE_MOD_CTRL, "back", "go back ten seconds", POISE_ACTION_BACK_10},
    {'+', 0, "faster", "run twice as fast, at most 4 times real time", POISE_ACTION_FASTER},
    {'=', 0, "faster", "run twice as fast, at most 4 times real time", POISE_ACTION_FASTER},
    {'-', 0, "slower", "run half as fast, at least 1/64 of real time", POISE_ACTION_SLOWER},
    {'M', 0, "mark", "set a mark at this time, or remove it", POISE_ACTION_MARK},
    {POISE_KEY_DOWN, 0, "next_mark", "go to the next mark", POISE_ACTION_NEXT_MARK},
    {POISE_KEY_UP, 0, "previous_mark", "go to the previous mark", POISE_ACTION_PREVIOUS_MARK},
    {'B', 0, "branch", "cut off the future of the run, which stays as a ghost",
     POISE_ACTION_BRANCH},
    {'B', POISE_MOD_SHIFT, "drop_ghost", "remove the ghost", POISE_ACTION_DROP_GHOST},
    {'A', 0, "add", "add a control point by the next press on a link", POISE_ACTION_ADD_POINT},
    {POISE_KEY_DELETE, 0, "delete", "delete the selected control point, if it was added",
     POISE_ACTION_DELETE_POINT},
    {'R', 0, "release", "return dragged targets to the goals of the scene", POISE_ACTION_RELEASE},
    {'N', 0, "next_target", "select the next target", POISE_ACTION_NEXT_TARGET},
    {'X', 0, "own_axes", "switch arrows and rings between the world's axes and the target's own",
     POISE_ACTION_OWN_AXES},
    {'L', 0, "x_more", "move the selected target 1 cm along x", POISE_ACTION_NUDGE_X_MORE},
    {'J', 0, "x_less", "move the selected target 1 cm against x", POISE_ACTION_NUDGE_X_LESS},
    {'I', 0, "y_more", "move the selected target 1 cm along y", POISE_ACTION_NUDGE_Y_MORE},
    {'K', 0, "y_less", "move the selected target 1 cm against y", POISE_ACTION_NUDGE_Y_LESS},
    {'U', 0, "z_more", "move the selected target 1 cm up", POISE_ACTION_NUDGE_Z_MORE},
    {'O', 0, "z_less", "move the selected target 1 cm down", POISE_ACTION_NUDGE_Z_LESS},
    {'F', 0, "ik", "switch IK, all control points, off or on", POISE_ACTION_IK},
    {'G', 0, "gravity", "switch gravity off or on", POISE_ACTION_GRAVITY},
    {'Z', POISE_MOD_CTRL, "undo", "undo: go back to the moment before the last change",
     POISE_ACTION_UNDO},
    {'Y', POISE_MOD_CTRL, "redo", "redo: make the undone change again, now", POISE_ACTION_REDO},
    {'Z', POISE_MOD_CTRL | POISE_MOD_SHIFT, "redo", "redo: make the undone change again, now",
     POISE_ACTION_REDO},
    {'Z', POISE_MOD_ALT, "take_back", "reverse the last change from now on, without going back",
     POISE_ACTION_TAKE_BACK},
    {'1', 0, "clean", "show bodies and targets", POISE_ACTION_VIEW_CLEAN},
    {'2', 0, "view_ik", "show springs, sets and ghosts", POISE_ACTION_VIEW_IK},
    {'3', 0, "view_forces", "show forces, asked and measured", POISE_ACTION_VIEW_FORCES},
    {'4', 0, "view_solver", "show J, gamma and the sweeps", POISE_ACTION_VIEW_SOLVER},
    {'5', 0, "view_all", "show everything", POISE_ACTION_VIEW_ALL},
    {'T', 0, "labels", "switch names and numbers off or on", POISE_ACTION_LABELS},
    {'S', 0, "by_link", "show each link in its own colour, or all in neutral colours",
     POISE_ACTION_BY_LINK},
    {'C', 0, "shapes", "show collision shapes in place of the robot's looks", POISE_ACTION_SHAPES},
    {'H', 0, "inertia", "show boxes of the same mass and inertia as the links",
     POISE_ACTION_INERTIA},
    {'E', 0, "frames", "show the axes of each link", POISE_ACTION_FRAMES},
    {'P', 0, "contacts", "show contact points and contact forces", POISE_ACTION_CONTACTS},
    {'W', 0, "ellipsoids",
     "show velocity ellipsoids: how fast joints can move a target's point in each direction",
     POISE_ACTION_ELLIPSOIDS},
    {'Q', 0, "compliance",
     "show how far a force moves the selected target's point; drag an axis, and the springs follow",
     POISE_ACTION_YIELDING},
    {'Y', 0, "follow", "make the camera follow the link under the pointer, or stop it",
     POISE_ACTION_FOLLOW},
    {POISE_KEY_TAB, 0, "panels", "switch the panels off or on", POISE_ACTION_PANELS},
    {POISE_KEY_HOME, 0, "frame", "show the whole scene", POISE_ACTION_FRAME},
    {'D', POISE_MOD_SHIFT, "keep_view", "keep this view of the scene", POISE_ACTION_KEEP_VIEW},
    {'D', 0, "next_view", "show the next kept view", POISE_ACTION_NEXT_VIEW},
    {'D', POISE_MOD_CTRL | POISE_MOD_SHIFT, "keep_pose", "keep this pose of all joints",
     POISE_ACTION_KEEP_POSE},
    {'D', POISE_MOD_CTRL, "next_pose", "set the next kept pose, at rest", POISE_ACTION_NEXT_POSE},
    {'O', POISE_MOD_CTRL, "scenes", "choose another scene", POISE_ACTION_SCENES},
    {']', 0, "next_scene", "open the next scene", POISE_ACTION_NEXT_SCENE},
    {'[', 0, "previous_scene", "open the previous scene", POISE_ACTION_PREVIOUS_SCENE},
    {'P', POISE_MOD_CTRL, "screenshot", "save a picture, poise-001.png and so on",
     POISE_ACTION_SCREENSHOT},
    {'R', POISE_MOD_CTRL, "record", "begin or end a film, poise-001.mp4 and so on",
     POISE_ACTION_RECORD},
    {'S', POISE_MOD_CTRL, "save_script",
     "save the changes of the run as a script, poise-001.script", POISE_ACTION_SAVE_SCRIPT},
    {'S', POISE_MOD_CTRL | POISE_MOD_SHIFT, "save_replay",
     "save the run as a replay, poise-001.replay, which gives the same run on any machine",
     POISE_ACTION_SAVE_REPLAY},
    {'E', POISE_MOD_CTRL, "save_csv", "save the watched values, poise-001.csv",
     POISE_ACTION_SAVE_CSV},
    {'V', 0, "set_value", "start the scene again with another value, such as world.step=0.002",
     POISE_ACTION_SET_VALUE},
    {'K', POISE_MOD_CTRL, "palette", "find a command by its name", POISE_ACTION_PALETTE},
    {POISE_KEY_F1, 0, "help", "show this list", POISE_ACTION_HELP},
    {POISE_KEY_ESCAPE, 0, "cancel", "cancel the drag, or close the popup", POISE_ACTION_CANCEL},
    {'Q', POISE_MOD_CTRL, "quit", "quit", POISE_ACTION_QUIT},
};

int poise__binding_count(void) {
    return (int)(sizeof BINDINGS / sizeof *BINDINGS);
}

const PoiseBinding* poise__key_binding(int index) {
    return &BINDINGS[index];
}

PoiseAction poise__action_for(int key, int mods) {
    for (int i = 0; i < poise__binding_count(); i++) {
        if (BINDINGS[i].key == key && BINDINGS[i].mods == mods) {
            return BINDINGS[i].action;
        }
    }
    return POISE_ACTION_NONE;
}

const PoiseBinding* poise__action_binding(PoiseAction action) {
    for (int i = 0; i < poise__binding_count(); i++) {
        if (BINDINGS[i].action == action) {
            return &BINDINGS[i];
        }
    }
    return NULL;
}

PoiseAction poise__action_named(const char* name) {
    for (int i = 0; i < poise__binding_count(); i++) {
        if (strcmp(BINDINGS[i].name, name) == 0) {
            return BINDINGS[i].action;
        }
    }
    return POISE_ACTION_NONE;
}

bool poise__action_is_gesture(PoiseAction action) {
    return action <= POISE_ACTION_LOOK_AT;
}

const char* poise__action_keys(PoiseAction action, char text[128]) {
    text[0] = '\0';
    for (int i = 0; i < poise__binding_count(); i++) {
        if (BINDINGS[i].action == action) {
            char label[64];
            size_t used = strlen(text);
            snprintf(text + used, 128 - used, "%s%s", used > 0 ? " or " : "",
                     poise__key_label(BINDINGS[i].key, BINDINGS[i].mods, label));
        }
    }
    return text;
}

static bool is_first_of_its_action(int index) {
    for (int i = 0; i < index; i++) {
        if (BINDINGS[i].action == BINDINGS[index].action) {
            return false;
        }
    }
    return true;
}

void poise__actions_print(FILE* out, bool markdown) {
    if (markdown) {
        fputs("| keys, mouse | what it does |\n| --- | --- |\n", out);
    }
    for (int i = 0; i < poise__binding_count(); i++) {
        if (is_first_of_its_action(i)) {
            char keys[128];
            poise__action_keys(BINDINGS[i].action, keys);
            fprintf(out, markdown ? "| %s | %s |\n" : "  %-32s %s\n", keys, BINDINGS[i].help);
        }
    }
}
