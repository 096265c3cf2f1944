// SPDX-License-Identifier: MIT
// Keys and gestures of the mouse: their numbers, and their names for a person.
#ifndef POISE_KEYS_H
#define POISE_KEYS_H

#include "input.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A printable key has the number of its upper-case ASCII character in the keyboard's layout. Other
/// keys have the numbers of GLFW (checked by a static assertion in window_glfw.c). Gestures of the
/// mouse have the numbers after these, so that one table can contain both.
typedef enum PoiseKey {
    POISE_KEY_NONE = 0,
    POISE_KEY_SPACE = 32,
    POISE_KEY_ESCAPE = 256,
    POISE_KEY_ENTER = 257,
    POISE_KEY_TAB = 258,
    POISE_KEY_BACKSPACE = 259,
    POISE_KEY_DELETE = 261,
    POISE_KEY_RIGHT = 262,
    POISE_KEY_LEFT = 263,
    POISE_KEY_DOWN = 264,
    POISE_KEY_UP = 265,
    POISE_KEY_HOME = 268,
    POISE_KEY_F1 = 290,
    POISE_KEY_LEFT_SHIFT = 340,
    POISE_KEY_LEFT_CTRL = 341,
    POISE_KEY_RIGHT_SHIFT = 344,
    POISE_KEY_RIGHT_CTRL = 345,
    POISE_MOUSE_LEFT_ON_GOAL = 1001,
    POISE_MOUSE_LEFT = 1002,
    POISE_MOUSE_RIGHT = 1003,
    POISE_MOUSE_MIDDLE = 1004,
    POISE_MOUSE_WHEEL = 1005,
    POISE_MOUSE_LEFT_ON_LINK = 1006,
    POISE_MOUSE_DOUBLE = 1007
} PoiseKey;

/// Writes a label such as "Ctrl+P" or "left drag" into `text`, and returns `text`.
const char* poise__key_label(int key, int mods, char text[64]);

/// Finds the key with a label such as "Ctrl+P". Returns false if no key has it.
bool poise__key_named(const char* label, int* key, int* mods);

/// Returns the modifiers that are held after an event of a key or button; the event of Ctrl or
/// Shift itself has only the modifiers before it.
int poise__mods_after(const PoiseEvent* event);

#ifdef __cplusplus
}
#endif

#endif
