// SPDX-License-Identifier: MIT
#include "keys.h"

#include <stdio.h>
#include <string.h>

static const struct {
    int key;
    const char* label;
} KEY_LABELS[] = {
    {POISE_KEY_SPACE, "Space"},
    {POISE_KEY_ESCAPE, "Esc"},
    {POISE_KEY_ENTER, "Enter"},
    {POISE_KEY_TAB, "Tab"},
    {POISE_KEY_BACKSPACE, "Backspace"},
    {POISE_KEY_DELETE, "Delete"},
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
    {POISE_MOUSE_LEFT_ON_LINK, "left drag on a link"},
    {POISE_MOUSE_DOUBLE, "double click"},
};

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

bool poise__key_named(const char* label, int* key, int* mods) {
    static const struct {
        const char* name;
        int bit;
    } prefixes[] = {
        {"Ctrl+", POISE_MOD_CTRL}, {"Alt+", POISE_MOD_ALT}, {"Shift+", POISE_MOD_SHIFT}};
    *mods = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i].name);
        if (strncmp(label, prefixes[i].name, length) == 0 && label[length] != '\0') {
            *mods |= prefixes[i].bit;
            label += length;
        }
    }
    for (size_t i = 0; i < sizeof KEY_LABELS / sizeof *KEY_LABELS; i++) {
        if (strcmp(KEY_LABELS[i].label, label) == 0 &&
            KEY_LABELS[i].key < POISE_MOUSE_LEFT_ON_GOAL) {
            *key = KEY_LABELS[i].key;
            return true;
        }
    }
    *key = label[0] >= 'a' && label[0] <= 'z' ? label[0] - 'a' + 'A' : label[0];
    return label[0] > ' ' && label[1] == '\0';
}

int poise__mods_after(const PoiseEvent* event) {
    int bit = 0;
    if (event->kind == POISE_EVENT_KEY) {
        bool ctrl = event->code == POISE_KEY_LEFT_CTRL || event->code == POISE_KEY_RIGHT_CTRL;
        bool shift = event->code == POISE_KEY_LEFT_SHIFT || event->code == POISE_KEY_RIGHT_SHIFT;
        bit = ctrl ? POISE_MOD_CTRL : shift ? POISE_MOD_SHIFT : 0;
    }
    return event->pressed ? event->mods | bit : event->mods & ~bit;
}
