// SPDX-License-Identifier: MIT
// The one table of the actions of keys, mouse, buttons, the palette and scripts. Key bindings,
// `--help-keys` and the table in viewer/README.md are made from it. action_table.c has the table
// and its functions.
#ifndef POISE_ACTIONS_H
#define POISE_ACTIONS_H

#include <stdio.h>

#include "keys.h"

struct PoiseApp;

/// Actions that last while a mouse button is pressed and the pointer moves, or of the wheel.
typedef enum PoiseGesture {
    POISE_GESTURE_NONE = 0,
    POISE_GESTURE_DRAG_GOAL,
    POISE_GESTURE_GRAB,
    POISE_GESTURE_PIN,
    POISE_GESTURE_PULL,
    POISE_GESTURE_ORBIT,
    POISE_GESTURE_PAN,
    POISE_GESTURE_ZOOM,
    POISE_GESTURE_LOOK_AT
} PoiseGesture;

enum { POISE_ACTION_KEYS = 2 };

typedef struct PoiseAction {
    /// Name of the action in scripts, of its button, and in the palette.
    const char* name;
    /// Description in one line, for a person.
    const char* help;
    /// The keys, or parts of the mouse, to which the action is bound; key 0: none.
    struct {
        int key;
        int mods;
    } keys[POISE_ACTION_KEYS];
    /// The gesture, which only a mouse can make; POISE_GESTURE_NONE for all other actions.
    PoiseGesture gesture;
    /// True if the action is repeated while its key is held.
    bool repeats;
    /// Carries out the action: `plain`, or `act` with the argument `number`.
    void (*act)(struct PoiseApp* app, int number);
    int number;
    void (*plain)(struct PoiseApp* app);
} PoiseAction;

extern const PoiseAction poise__actions[];
extern const int poise__action_count;

/// Returns the action of this name; NULL if no action has it.
const PoiseAction* poise__action_named(const char* name);
/// Writes the keys of an action into `text`, for example "+ or =", and returns `text`.
const char* poise__action_keys(const PoiseAction* action, char text[128]);
/// Returns the action that is bound to the key with these modifiers; NULL: none.
const PoiseAction* poise__action_for(int key, int mods);
/// Prints the keys and the help of each action, as lines, or if `markdown` as a table.
void poise__actions_print(FILE* out, bool markdown);

#endif
