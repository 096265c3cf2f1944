// SPDX-License-Identifier: MIT
// The one table of what keys and mouse do. Bindings, `--help-keys` and the table in
// viewer/README.md come from it.
#ifndef POISE_ACTIONS_H
#define POISE_ACTIONS_H

#include <stdio.h>

#include "input.h"

/// Printable keys are their upper-case ASCII character, as the keyboard's layout has it; the rest
/// have the numbers of GLFW (a static assertion in window_glfw.c compares). Gestures of the mouse
/// follow, so that they stand in the same table.
typedef enum PoiseKey {
    POISE_KEY_NONE = 0,
    POISE_KEY_SPACE = 32,
    POISE_KEY_ESCAPE = 256,
    POISE_KEY_ENTER = 257,
    POISE_KEY_TAB = 258,
    POISE_KEY_BACKSPACE = 259,
    POISE_KEY_RIGHT = 262,
    POISE_KEY_LEFT = 263,
    POISE_KEY_DOWN = 264,
    POISE_KEY_UP = 265,
    POISE_KEY_HOME = 268,
    POISE_KEY_F1 = 290,
    POISE_MOUSE_LEFT_ON_GOAL = 1001,
    POISE_MOUSE_LEFT = 1002,
    POISE_MOUSE_RIGHT = 1003,
    POISE_MOUSE_MIDDLE = 1004,
    POISE_MOUSE_WHEEL = 1005
} PoiseKey;

typedef enum PoiseAction {
    POISE_ACTION_NONE = 0,
    POISE_ACTION_DRAG_GOAL,
    POISE_ACTION_ORBIT,
    POISE_ACTION_PAN,
    POISE_ACTION_ZOOM,
    POISE_ACTION_PAUSE,
    POISE_ACTION_STEP,
    POISE_ACTION_RESTART,
    POISE_ACTION_FASTER,
    POISE_ACTION_SLOWER,
    POISE_ACTION_RELEASE,
    POISE_ACTION_FRAME,
    POISE_ACTION_SCREENSHOT,
    POISE_ACTION_HELP,
    POISE_ACTION_QUIT,
    POISE_ACTION_COUNT
} PoiseAction;

typedef struct PoiseBinding {
    int key;
    int mods;
    /// What scripts call it; rows of one action share it.
    const char* name;
    /// One line for a person; rows of one action share it.
    const char* help;
    PoiseAction action;
} PoiseBinding;

int poise__binding_count(void);
const PoiseBinding* poise__key_binding(int index);

/// POISE_ACTION_NONE where nothing is bound.
PoiseAction poise__action_for(int key, int mods);
/// "Ctrl+P", "left drag": into `text`, which it returns.
const char* poise__key_label(int key, int mods, char text[64]);

/// A line per action: keys, then help.
void poise__actions_print(FILE* out);
/// The same as a table in Markdown.
void poise__actions_print_markdown(FILE* out);

#endif
