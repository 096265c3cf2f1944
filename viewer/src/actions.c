// SPDX-License-Identifier: MIT
// The table, and its three ways out: a lookup, a help text, a table for the README.
#include "actions.h"

#include <string.h>

static const PoiseBinding BINDINGS[] = {
    {POISE_MOUSE_LEFT_ON_GOAL, 0, "drag", "drag a target in the plane of the screen",
     POISE_ACTION_DRAG_GOAL},
    {POISE_MOUSE_LEFT, 0, "orbit", "go round", POISE_ACTION_ORBIT},
    {POISE_MOUSE_RIGHT, 0, "pan", "move the view", POISE_ACTION_PAN},
    {POISE_MOUSE_MIDDLE, 0, "pan", "move the view", POISE_ACTION_PAN},
    {POISE_MOUSE_WHEEL, 0, "zoom", "nearer, farther", POISE_ACTION_ZOOM},
    {POISE_KEY_SPACE, 0, "pause", "pause, go on", POISE_ACTION_PAUSE},
    {POISE_KEY_RIGHT, 0, "step", "one step of physics (pauses first)", POISE_ACTION_STEP},
    {POISE_KEY_BACKSPACE, 0, "restart", "back to the start of the scene", POISE_ACTION_RESTART},
    {'+', 0, "faster", "time twice as fast, at most 4 times", POISE_ACTION_FASTER},
    {'=', 0, "faster", "time twice as fast, at most 4 times", POISE_ACTION_FASTER},
    {'-', 0, "slower", "time half as fast, at least 1/64", POISE_ACTION_SLOWER},
    {'R', 0, "release", "give dragged targets back to the scene", POISE_ACTION_RELEASE},
    {POISE_KEY_HOME, 0, "frame", "show the whole scene", POISE_ACTION_FRAME},
    {'P', POISE_MOD_CTRL, "screenshot", "save a picture, poise-001.png and so on",
     POISE_ACTION_SCREENSHOT},
    {POISE_KEY_F1, 0, "help", "print this list", POISE_ACTION_HELP},
    {POISE_KEY_ESCAPE, 0, "quit", "undo the drag under way, else quit", POISE_ACTION_QUIT},
    {'Q', 0, "quit", "undo the drag under way, else quit", POISE_ACTION_QUIT},
};

static const struct {
    int key;
    const char* label;
} KEY_LABELS[] = {
    {POISE_KEY_SPACE, "Space"},
    {POISE_KEY_ESCAPE, "Esc"},
    {POISE_KEY_ENTER, "Enter"},
    {POISE_KEY_TAB, "Tab"},
    {POISE_KEY_BACKSPACE, "Backspace"},
    {POISE_KEY_RIGHT, "Right"},
    {POISE_KEY_LEFT, "Left"},
    {POISE_KEY_DOWN, "Down"},
    {POISE_KEY_UP, "Up"},
    {POISE_KEY_HOME, "Home"},
    {POISE_KEY_F1, "F1"},
    {POISE_MOUSE_LEFT_ON_GOAL, "left drag on a target"},
    {POISE_MOUSE_LEFT, "left drag elsewhere"},
    {POISE_MOUSE_RIGHT, "right drag"},
    {POISE_MOUSE_MIDDLE, "middle drag"},
    {POISE_MOUSE_WHEEL, "wheel"},
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

static const char* named_key(int key) {
    for (size_t i = 0; i < sizeof KEY_LABELS / sizeof *KEY_LABELS; i++) {
        if (KEY_LABELS[i].key == key) {
            return KEY_LABELS[i].label;
        }
    }
    return NULL;
}

const char* poise__key_label(int key, int mods, char text[64]) {
    const char* name = named_key(key);
    char character[2] = {(char)key, '\0'};
    snprintf(text, 64, "%s%s%s%s", (mods & POISE_MOD_CTRL) ? "Ctrl+" : "",
             (mods & POISE_MOD_ALT) ? "Alt+" : "", (mods & POISE_MOD_SHIFT) ? "Shift+" : "",
             name ? name : character);
    return text;
}

/// The keys of one action, "Esc or Q".
static void collect_keys(PoiseAction action, char text[128]) {
    text[0] = '\0';
    for (int i = 0; i < poise__binding_count(); i++) {
        if (BINDINGS[i].action == action) {
            char label[64];
            size_t used = strlen(text);
            snprintf(text + used, 128 - used, "%s%s", used > 0 ? " or " : "",
                     poise__key_label(BINDINGS[i].key, BINDINGS[i].mods, label));
        }
    }
}

static bool is_first_of_its_action(int index) {
    for (int i = 0; i < index; i++) {
        if (BINDINGS[i].action == BINDINGS[index].action) {
            return false;
        }
    }
    return true;
}

static void print_rows(FILE* out, bool markdown) {
    for (int i = 0; i < poise__binding_count(); i++) {
        if (is_first_of_its_action(i)) {
            char keys[128];
            collect_keys(BINDINGS[i].action, keys);
            fprintf(out, markdown ? "| %s | %s |\n" : "  %-28s %s\n", keys, BINDINGS[i].help);
        }
    }
}

void poise__actions_print(FILE* out) {
    print_rows(out, false);
}

void poise__actions_print_markdown(FILE* out) {
    fputs("| keys, mouse | what it does |\n| --- | --- |\n", out);
    print_rows(out, true);
}
