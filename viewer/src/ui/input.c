// SPDX-License-Identifier: MIT
// Implements the input queue: a ring buffer that adds positions to button events, and divides the
// events into frames.
#include "input.h"

#include <string.h>

static PoiseEvent* event_at(PoiseInput* input, int index) {
    return &input->events[(input->first + index) % POISE_INPUT_CAPACITY];
}

void poise__input_push(PoiseInput* input, PoiseEvent event) {
    if (event.kind == POISE_EVENT_POINTER) {
        input->pointer_x = event.x;
        input->pointer_y = event.y;
        if (input->count > 0 && event_at(input, input->count - 1)->kind == POISE_EVENT_POINTER) {
            *event_at(input, input->count - 1) = event;
            return;
        }
    }
    if (input->count == POISE_INPUT_CAPACITY) {
        input->lost++;
        return;
    }
    *event_at(input, input->count) = event;
    input->count++;
}

void poise__input_push_pointer(PoiseInput* input, double x, double y) {
    PoiseEvent event = {.kind = POISE_EVENT_POINTER, .x = x, .y = y};
    poise__input_push(input, event);
}

void poise__input_push_button(PoiseInput* input, PoiseButton button, bool pressed, int mods) {
    PoiseEvent event = {.kind = POISE_EVENT_BUTTON,
                        .code = (int)button,
                        .mods = mods,
                        .pressed = pressed,
                        .x = input->pointer_x,
                        .y = input->pointer_y};
    poise__input_push(input, event);
}

void poise__input_push_wheel(PoiseInput* input, double x, double y) {
    PoiseEvent event = {.kind = POISE_EVENT_WHEEL, .x = x, .y = y};
    poise__input_push(input, event);
}

void poise__input_push_key(PoiseInput* input, int key, bool pressed, bool repeated, int mods) {
    PoiseEvent event = {.kind = POISE_EVENT_KEY,
                        .code = key,
                        .mods = mods,
                        .pressed = pressed,
                        .repeated = repeated};
    poise__input_push(input, event);
}

void poise__input_push_text(PoiseInput* input, int character) {
    PoiseEvent event = {.kind = POISE_EVENT_TEXT, .code = character};
    poise__input_push(input, event);
}

void poise__input_push_drop(PoiseInput* input, const char* path) {
    PoiseEvent event = {.kind = POISE_EVENT_DROP};
    if (strlen(path) < sizeof input->dropped) {
        memcpy(input->dropped, path, strlen(path) + 1);
        poise__input_push(input, event);
    }
}

int poise__input_take_frame(PoiseInput* input, PoiseEvent events[POISE_INPUT_CAPACITY]) {
    int taken = 0;
    bool moved = false;
    while (input->count > 0) {
        PoiseEvent event = *event_at(input, 0);
        if (event.kind == POISE_EVENT_BUTTON && !event.pressed && moved) {
            break;
        }
        moved = moved || event.kind == POISE_EVENT_POINTER;
        input->first = (input->first + 1) % POISE_INPUT_CAPACITY;
        input->count--;
        events[taken++] = event;
        if (event.kind == POISE_EVENT_BUTTON) {
            break;
        }
    }
    return taken;
}
