// SPDX-License-Identifier: MIT
// Holds the table of keys and gestures. The functions look rows up and print the table as a help
// text or in Markdown for the README.
#include "actions.h"

#include <string.h>

static const PoiseBinding BINDINGS[] = {
    {POISE_MOUSE_LEFT_ON_GOAL, 0, "drag",
     "move a target in the plane of the screen, on its arrows along them, on its rings about them",
     POISE_ACTION_DRAG_GOAL},
    {POISE_MOUSE_LEFT_ON_LINK, 0, "grab",
     "pull a link with a control point that goes with the hand", POISE_ACTION_GRAB},
    {POISE_MOUSE_LEFT_ON_LINK, POISE_MOD_SHIFT, "pin", "the same, and the control point stays",
     POISE_ACTION_PIN},
    {POISE_MOUSE_LEFT_ON_LINK, POISE_MOD_CTRL, "pull",
     "pull a body with a spring that IK knows nothing of", POISE_ACTION_PULL},
    {POISE_MOUSE_LEFT, 0, "orbit", "go round; with Alt from anywhere", POISE_ACTION_ORBIT},
    {POISE_MOUSE_RIGHT, 0, "pan", "move the view", POISE_ACTION_PAN},
    {POISE_MOUSE_MIDDLE, 0, "pan", "move the view", POISE_ACTION_PAN},
    {POISE_MOUSE_WHEEL, 0, "zoom", "nearer, farther", POISE_ACTION_ZOOM},
    {POISE_MOUSE_DOUBLE, 0, "look", "look at what is there", POISE_ACTION_LOOK_AT},
    {POISE_KEY_SPACE, 0, "pause", "pause, go on", POISE_ACTION_PAUSE},
    {POISE_KEY_RIGHT, 0, "step", "one step of physics (pauses first)", POISE_ACTION_STEP},
    {POISE_KEY_LEFT, 0, "step_back", "one step back", POISE_ACTION_STEP_BACK},
    {POISE_KEY_BACKSPACE, 0, "restart", "back to the start of the scene", POISE_ACTION_RESTART},
    {POISE_KEY_LEFT, POISE_MOD_CTRL, "back", "ten seconds back", POISE_ACTION_BACK_10},
    {'+', 0, "faster", "time twice as fast, at most 4 times", POISE_ACTION_FASTER},
    {'=', 0, "faster", "time twice as fast, at most 4 times", POISE_ACTION_FASTER},
    {'-', 0, "slower", "time half as fast, at least 1/64", POISE_ACTION_SLOWER},
    {'M', 0, "mark", "set a mark at this moment, or take it away", POISE_ACTION_MARK},
    {POISE_KEY_DOWN, 0, "next_mark", "to the next mark", POISE_ACTION_NEXT_MARK},
    {POISE_KEY_UP, 0, "previous_mark", "to the mark before", POISE_ACTION_PREVIOUS_MARK},
    {'B', 0, "branch", "forget what lies ahead; it stays as a ghost", POISE_ACTION_BRANCH},
    {'B', POISE_MOD_SHIFT, "drop_ghost", "forget the ghost", POISE_ACTION_DROP_GHOST},
    {'A', 0, "add", "the next press on a link puts a control point there", POISE_ACTION_ADD_POINT},
    {POISE_KEY_DELETE, 0, "delete", "take the chosen added control point away",
     POISE_ACTION_DELETE_POINT},
    {'R', 0, "release", "give dragged targets back to the scene", POISE_ACTION_RELEASE},
    {'N', 0, "next_target", "choose the next target", POISE_ACTION_NEXT_TARGET},
    {'X', 0, "own_axes", "arrows and rings along the world's axes, or the target's own",
     POISE_ACTION_OWN_AXES},
    {'L', 0, "x_more", "the chosen target 1 cm along x", POISE_ACTION_NUDGE_X_MORE},
    {'J', 0, "x_less", "the chosen target 1 cm against x", POISE_ACTION_NUDGE_X_LESS},
    {'I', 0, "y_more", "the chosen target 1 cm along y", POISE_ACTION_NUDGE_Y_MORE},
    {'K', 0, "y_less", "the chosen target 1 cm against y", POISE_ACTION_NUDGE_Y_LESS},
    {'U', 0, "z_more", "the chosen target 1 cm up", POISE_ACTION_NUDGE_Z_MORE},
    {'O', 0, "z_less", "the chosen target 1 cm down", POISE_ACTION_NUDGE_Z_LESS},
    {'F', 0, "ik", "IK off, on: all control points", POISE_ACTION_IK},
    {'G', 0, "gravity", "gravity off, on", POISE_ACTION_GRAVITY},
    {'Z', POISE_MOD_CTRL, "undo", "undo: to the moment before the last change, and without it",
     POISE_ACTION_UNDO},
    {'Y', POISE_MOD_CTRL, "redo", "redo", POISE_ACTION_REDO},
    {'Z', POISE_MOD_CTRL | POISE_MOD_SHIFT, "redo", "redo", POISE_ACTION_REDO},
    {'Z', POISE_MOD_ALT, "take_back", "take the last change back from now on; time goes on",
     POISE_ACTION_TAKE_BACK},
    {'1', 0, "clean", "show bodies and targets", POISE_ACTION_VIEW_CLEAN},
    {'2', 0, "view_ik", "show springs, sets and ghosts", POISE_ACTION_VIEW_IK},
    {'3', 0, "view_forces", "show forces, asked and measured", POISE_ACTION_VIEW_FORCES},
    {'4', 0, "view_solver", "show J, gamma and the sweeps", POISE_ACTION_VIEW_SOLVER},
    {'5', 0, "view_all", "show everything", POISE_ACTION_VIEW_ALL},
    {'T', 0, "labels", "names and numbers off, on", POISE_ACTION_LABELS},
    {'S', 0, "by_link", "each link in a colour of its own, or all alike", POISE_ACTION_BY_LINK},
    {'C', 0, "shapes", "what touches, in place of how the robot looks", POISE_ACTION_SHAPES},
    {'H', 0, "inertia", "boxes that weigh and turn as the links do", POISE_ACTION_INERTIA},
    {'E', 0, "frames", "the axes of each link", POISE_ACTION_FRAMES},
    {'P', 0, "contacts", "where bodies touch, and the force that each is given there",
     POISE_ACTION_CONTACTS},
    {'W', 0, "ellipsoids", "how fast targets' points move each way as their joints turn",
     POISE_ACTION_ELLIPSOIDS},
    {'Y', 0, "follow", "the camera goes with the link under the pointer, or stands again",
     POISE_ACTION_FOLLOW},
    {POISE_KEY_TAB, 0, "panels", "panels off, on", POISE_ACTION_PANELS},
    {POISE_KEY_HOME, 0, "frame", "show the whole scene", POISE_ACTION_FRAME},
    {'D', POISE_MOD_SHIFT, "keep_view", "keep this view of the scene", POISE_ACTION_KEEP_VIEW},
    {'D', 0, "next_view", "the next view that was kept", POISE_ACTION_NEXT_VIEW},
    {'D', POISE_MOD_CTRL | POISE_MOD_SHIFT, "keep_pose", "keep this pose of all joints",
     POISE_ACTION_KEEP_POSE},
    {'D', POISE_MOD_CTRL, "next_pose", "put the next pose that was kept, at rest",
     POISE_ACTION_NEXT_POSE},
    {'O', POISE_MOD_CTRL, "scenes", "choose a scene", POISE_ACTION_SCENES},
    {']', 0, "next_scene", "the next scene", POISE_ACTION_NEXT_SCENE},
    {'[', 0, "previous_scene", "the scene before", POISE_ACTION_PREVIOUS_SCENE},
    {'P', POISE_MOD_CTRL, "screenshot", "save a picture, poise-001.png and so on",
     POISE_ACTION_SCREENSHOT},
    {'R', POISE_MOD_CTRL, "record", "begin a film, poise-001.mp4 and so on, or end it",
     POISE_ACTION_RECORD},
    {'S', POISE_MOD_CTRL, "save_script", "save what was done as a script, poise-001.script",
     POISE_ACTION_SAVE_SCRIPT},
    {'E', POISE_MOD_CTRL, "save_csv", "save the watched values, poise-001.csv",
     POISE_ACTION_SAVE_CSV},
    {'V', 0, "set_value", "set any value of the scene, world.step=0.002 say, and start it again",
     POISE_ACTION_SET_VALUE},
    {'K', POISE_MOD_CTRL, "palette", "find a command by its name", POISE_ACTION_PALETTE},
    {POISE_KEY_F1, 0, "help", "this list", POISE_ACTION_HELP},
    {POISE_KEY_ESCAPE, 0, "cancel", "undo the drag under way, close what is open",
     POISE_ACTION_CANCEL},
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
