// SPDX-License-Identifier: MIT
#include "suggest_name.h"

#include <stdlib.h>
#include <string.h>

#include "poise/scene.h"

const char* poise__suggest_name(const char* written, PoiseNameAt name_at, const void* user,
                                int count, char text[POISE_SUGGESTION_LENGTH]) {
    size_t room = count > 0 ? (size_t)count : 1;
    char(*names)[POISE_SUGGESTION_LENGTH] = malloc(room * sizeof *names);
    const char** list = malloc(room * sizeof *list);
    int listed = 0;
    text[0] = '\0';
    for (int i = 0; names && list && i < count; i++) {
        const char* name = name_at(user, i, names[i]);
        if (name[0] != '\0') {
            list[listed++] = name;
        }
    }
    if (listed > 0) {
        poise_scene_guess(written, list, listed, text, POISE_SUGGESTION_LENGTH);
    }
    free(list);
    free(names);
    return text;
}

const char* poise__bare_name(const char* name) {
    const char* slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}
