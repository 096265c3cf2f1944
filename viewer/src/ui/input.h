// SPDX-License-Identifier: MIT
// Input as plain data. A window, a script or a test pushes events; the program takes out those of
// one frame at a time. This avoids two errors of event-driven windows:
// - A button event has the position of the preceding pointer event, not the present position.
// - A frame has at most one press or release of a button, so that code that compares states once a
// frame sees both of a fast click. A release comes in the frame after the last motion, so that a
// dragged thing reaches its end.
#ifndef POISE_INPUT_H
#define POISE_INPUT_H

#include "poise/base.h"

typedef enum PoiseEventKind {
    POISE_EVENT_POINTER = 1, ///< the pointer has moved to x, y
    POISE_EVENT_BUTTON = 2,  ///< code: PoiseButton; x, y: position
    POISE_EVENT_WHEEL = 3,   ///< x, y: notches
    POISE_EVENT_KEY = 4,     ///< code: PoiseKey
    POISE_EVENT_RESIZE = 5,  ///< x, y: new size, window units
    POISE_EVENT_CLOSE = 6,
    POISE_EVENT_TEXT = 7, ///< code: a typed character, Unicode
    POISE_EVENT_DROP = 8  ///< path of the dropped file: PoiseInput.dropped
} PoiseEventKind;

typedef enum PoiseButton {
    POISE_BUTTON_LEFT = 0,
    POISE_BUTTON_RIGHT = 1,
    POISE_BUTTON_MIDDLE = 2
} PoiseButton;

/// Bits of the modifier keys.
enum { POISE_MOD_SHIFT = 1, POISE_MOD_CTRL = 2, POISE_MOD_ALT = 4 };

typedef struct PoiseEvent {
    PoiseEventKind kind;
    int code;
    int mods;
    bool pressed;
    /// The event is a repetition while a key is held.
    bool repeated;
    double x;
    double y;
} PoiseEvent;

enum { POISE_INPUT_CAPACITY = 256 };

typedef struct PoiseInput {
    PoiseEvent events[POISE_INPUT_CAPACITY];
    int first;
    int count;
    /// Position of the last pointer event.
    double pointer_x;
    double pointer_y;
    /// Path of the file that was dropped last.
    char dropped[1024];
    /// Number of events that were lost because the queue was full.
    int lost;
} PoiseInput;

/// Appends an event; merges consecutive pointer events. If the queue is full, ignores the event and
/// counts it in `lost`. A queue of zeros is empty.
void poise__input_push(PoiseInput* input, PoiseEvent event);

void poise__input_push_pointer(PoiseInput* input, double x, double y);
/// Pushes a button event at the position of the last pointer event.
void poise__input_push_button(PoiseInput* input, PoiseButton button, bool pressed, int mods);
void poise__input_push_wheel(PoiseInput* input, double x, double y);
void poise__input_push_text(PoiseInput* input, int character);
void poise__input_push_key(PoiseInput* input, int key, bool pressed, bool repeated, int mods);
/// Pushes a drop event; ignores a path that is too long.
void poise__input_push_drop(PoiseInput* input, const char* path);

/// Moves the events of the next frame to `events` and returns their number. A frame ends after its
/// first button event; if the pointer has moved in the frame, before a release. Later events wait
/// for the next frame.
int poise__input_take_frame(PoiseInput* input, PoiseEvent events[POISE_INPUT_CAPACITY]);

#endif
