// SPDX-License-Identifier: MIT
// Input as plain data: whoever hears of it (a window, a script, a test) pushes events, the program
// takes them a frame at a time. Two traps of event-driven windows end here:
//  - a button event has the place of the last pointer event before it, never "where the pointer is
//    by now";
//  - a frame holds at most one button edge, so that press and release within one slow frame are
//    seen as two frames by code that only looks at the state once a frame; and a release comes in a
//    frame after the pointer's last way, so that what is dragged gets there.
#ifndef POISE_INPUT_H
#define POISE_INPUT_H

#include "poise/base.h"

typedef enum PoiseEventKind {
    POISE_EVENT_POINTER = 1, ///< the pointer came to x, y
    POISE_EVENT_BUTTON = 2,  ///< code: PoiseButton; x, y: where
    POISE_EVENT_WHEEL = 3,   ///< x, y: notches
    POISE_EVENT_KEY = 4,     ///< code: PoiseKey
    POISE_EVENT_RESIZE = 5,  ///< x, y: window units
    POISE_EVENT_CLOSE = 6,
    POISE_EVENT_TEXT = 7, ///< code: a character that was typed, Unicode
    POISE_EVENT_DROP = 8  ///< a file was dropped: PoiseInput.dropped
} PoiseEventKind;

typedef enum PoiseButton {
    POISE_BUTTON_LEFT = 0,
    POISE_BUTTON_RIGHT = 1,
    POISE_BUTTON_MIDDLE = 2
} PoiseButton;

/// Modifier keys held, a bit each.
enum { POISE_MOD_SHIFT = 1, POISE_MOD_CTRL = 2, POISE_MOD_ALT = 4 };

typedef struct PoiseEvent {
    PoiseEventKind kind;
    int code;
    int mods;
    bool pressed;
    /// A key that is held and repeats.
    bool repeated;
    double x;
    double y;
} PoiseEvent;

enum { POISE_INPUT_CAPACITY = 256 };

typedef struct PoiseInput {
    PoiseEvent events[POISE_INPUT_CAPACITY];
    int first;
    int count;
    /// Of the last pointer event pushed.
    double pointer_x;
    double pointer_y;
    /// Path of the last file that was dropped.
    char dropped[1024];
    /// Events there was no room for.
    int lost;
} PoiseInput;

/// All zero is an empty queue. A pointer event that follows another is merged into it. When the
/// queue is full the event is counted in `lost` and dropped.
void poise__input_push(PoiseInput* input, PoiseEvent event);

void poise__input_push_pointer(PoiseInput* input, double x, double y);
/// Takes the place from the last pointer event.
void poise__input_push_button(PoiseInput* input, PoiseButton button, bool pressed, int mods);
void poise__input_push_wheel(PoiseInput* input, double x, double y);
void poise__input_push_text(PoiseInput* input, int character);
void poise__input_push_key(PoiseInput* input, int key, bool pressed, bool repeated, int mods);
/// Nothing where the path is too long.
void poise__input_push_drop(PoiseInput* input, const char* path);

/// Moves the events of the next frame out: all of them, or those up to and with the first button
/// edge, or those before a release that the pointer came to in this frame. Returns how many; the
/// rest waits for the next frame.
int poise__input_take_frame(PoiseInput* input, PoiseEvent events[POISE_INPUT_CAPACITY]);

#endif
