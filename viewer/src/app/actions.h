// SPDX-License-Identifier: MIT
// Defines the one table of what keys and mouse do. Bindings, `--help-keys` and the table in
// viewer/README.md come from it.
#ifndef POISE_ACTIONS_H
#define POISE_ACTIONS_H

#include <stdio.h>

#include "keys.h"

typedef enum PoiseAction {
    POISE_ACTION_NONE = 0,
    // gestures
    POISE_ACTION_DRAG_GOAL,
    POISE_ACTION_GRAB,
    POISE_ACTION_PIN,
    POISE_ACTION_PULL,
    POISE_ACTION_ORBIT,
    POISE_ACTION_PAN,
    POISE_ACTION_ZOOM,
    POISE_ACTION_LOOK_AT,
    // time
    POISE_ACTION_PAUSE,
    POISE_ACTION_STEP,
    POISE_ACTION_STEP_BACK,
    POISE_ACTION_RESTART,
    POISE_ACTION_BACK_10,
    POISE_ACTION_FASTER,
    POISE_ACTION_SLOWER,
    POISE_ACTION_MARK,
    POISE_ACTION_NEXT_MARK,
    POISE_ACTION_PREVIOUS_MARK,
    POISE_ACTION_BRANCH,
    POISE_ACTION_DROP_GHOST,
    // targets
    POISE_ACTION_ADD_POINT,
    POISE_ACTION_DELETE_POINT,
    POISE_ACTION_RELEASE,
    POISE_ACTION_NEXT_TARGET,
    POISE_ACTION_OWN_AXES,
    POISE_ACTION_NUDGE_X_MORE,
    POISE_ACTION_NUDGE_X_LESS,
    POISE_ACTION_NUDGE_Y_MORE,
    POISE_ACTION_NUDGE_Y_LESS,
    POISE_ACTION_NUDGE_Z_MORE,
    POISE_ACTION_NUDGE_Z_LESS,
    POISE_ACTION_IK,
    POISE_ACTION_GRAVITY,
    POISE_ACTION_UNDO,
    POISE_ACTION_REDO,
    POISE_ACTION_TAKE_BACK,
    // views
    POISE_ACTION_VIEW_CLEAN,
    POISE_ACTION_VIEW_IK,
    POISE_ACTION_VIEW_FORCES,
    POISE_ACTION_VIEW_SOLVER,
    POISE_ACTION_VIEW_ALL,
    POISE_ACTION_LABELS,
    POISE_ACTION_PANELS,
    POISE_ACTION_BY_LINK,
    POISE_ACTION_SHAPES,
    POISE_ACTION_INERTIA,
    POISE_ACTION_FRAMES,
    POISE_ACTION_CONTACTS,
    POISE_ACTION_ELLIPSOIDS,
    POISE_ACTION_YIELDING,
    POISE_ACTION_FOLLOW,
    POISE_ACTION_FRAME,
    POISE_ACTION_KEEP_VIEW,
    POISE_ACTION_NEXT_VIEW,
    POISE_ACTION_KEEP_POSE,
    POISE_ACTION_NEXT_POSE,
    // scenes and files
    POISE_ACTION_SCENES,
    POISE_ACTION_NEXT_SCENE,
    POISE_ACTION_PREVIOUS_SCENE,
    POISE_ACTION_SCREENSHOT,
    POISE_ACTION_RECORD,
    POISE_ACTION_SAVE_SCRIPT,
    POISE_ACTION_SAVE_REPLAY,
    POISE_ACTION_SAVE_CSV,
    POISE_ACTION_SET_VALUE,
    POISE_ACTION_PALETTE,
    POISE_ACTION_HELP,
    POISE_ACTION_CANCEL,
    POISE_ACTION_QUIT,
    POISE_ACTION_COUNT
} PoiseAction;

typedef struct PoiseBinding {
    int key;
    int mods;
    /// Name in scripts. All rows of an action share the name.
    const char* name;
    /// Description in one line, for a person. All rows of an action share the text.
    const char* help;
    PoiseAction action;
} PoiseBinding;

int poise__binding_count(void);
const PoiseBinding* poise__key_binding(int index);

/// Returns the first row of an action; NULL for POISE_ACTION_NONE.
const PoiseBinding* poise__action_binding(PoiseAction action);
/// Returns the action of this name; POISE_ACTION_NONE if no action has it.
PoiseAction poise__action_named(const char* name);
/// True if only a mouse can do the action. Gestures are not in the palette of commands.
bool poise__action_is_gesture(PoiseAction action);
/// Writes the keys of an action into `text`, "+ or =", and returns `text`.
const char* poise__action_keys(PoiseAction action, char text[128]);

/// Returns the action that is bound to the key with these modifiers, or POISE_ACTION_NONE.
PoiseAction poise__action_for(int key, int mods);
/// Prints the keys and the help of each action, as lines or, with `markdown`, as a table.
void poise__actions_print(FILE* out, bool markdown);

#endif
