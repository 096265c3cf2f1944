// SPDX-License-Identifier: MIT
// Looks up actions in their table, carries out an action by its name, and prints the table as help
// text or in Markdown.
#include "app.h"

#include <string.h>

const PoiseAction* poise__action_for(int key, int mods) {
    for (int i = 0; i < POISE_ACTION_KEYS * poise__action_count; i++) {
        const PoiseAction* action = &poise__actions[i / POISE_ACTION_KEYS];
        const int k = i % POISE_ACTION_KEYS;
        if (key != 0 && action->keys[k].key == key && action->keys[k].mods == mods) {
            return action;
        }
    }
    return NULL;
}

const PoiseAction* poise__action_named(const char* name) {
    for (int i = 0; i < poise__action_count; i++) {
        if (strcmp(poise__actions[i].name, name) == 0) {
            return &poise__actions[i];
        }
    }
    return NULL;
}

const char* poise__action_keys(const PoiseAction* action, char text[128]) {
    text[0] = '\0';
    for (int k = 0; k < POISE_ACTION_KEYS && action->keys[k].key != 0; k++) {
        char label[64];
        const size_t used = strlen(text);
        snprintf(text + used, 128 - used, "%s%s", k > 0 ? " or " : "",
                 poise__key_label(action->keys[k].key, action->keys[k].mods, label));
    }
    return text;
}

void poise__actions_print(FILE* out, bool markdown) {
    if (markdown) {
        fputs("| keys, mouse | what it does |\n| --- | --- |\n", out);
    }
    for (int i = 0; i < poise__action_count; i++) {
        char keys[128];
        poise__action_keys(&poise__actions[i], keys);
        fprintf(out, markdown ? "| %s | %s |\n" : "  %-32s %s\n", keys, poise__actions[i].help);
    }
}

void poise__app_do(PoiseApp* app, const char* name) {
    poise__app_act(app, poise__action_named(name));
}
