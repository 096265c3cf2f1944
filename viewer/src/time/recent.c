// SPDX-License-Identifier: MIT
#include "recent.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "poise/output.h"

bool poise__state_file(const char* name, char path[512]) {
    const char* state = getenv("XDG_STATE_HOME");
    const char* home = getenv("HOME");
    if (state && state[0] == '/') {
        snprintf(path, 512, "%.400s", state);
    } else if (home && home[0] == '/') {
        snprintf(path, 512, "%.400s/.local/state", home);
    } else {
        return false;
    }
    for (char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
    strncat(path, "/poise", 511 - strlen(path));
    (void)mkdir(path, 0700);
    const size_t used = strlen(path);
    snprintf(path + used, 512 - used, "/%s", name);
    return true;
}

void poise__recent_read(PoiseSceneList* recent) {
    char path[512];
    char line[520];
    recent->count = 0;
    FILE* file = poise__state_file("recent", path) ? fopen(path, "r") : NULL;
    while (file && recent->count < POISE_RECENT_CAPACITY && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '/' && access(line, R_OK) == 0) {
            poise__scene_list_add_one(recent, line);
        }
    }
    if (file) {
        fclose(file);
    }
}

void poise__recent_add(PoiseSceneList* recent, const char* path) {
    char list[512];
    char* whole = realpath(path, NULL);
    PoiseSceneList* before = malloc(sizeof *before);
    PoiseOutput output = {0};
    if (whole && before && poise__state_file("recent", list)) {
        *before = *recent;
        recent->count = 0;
        poise__scene_list_add_one(recent, whole);
        for (int i = 0; i < before->count && recent->count < POISE_RECENT_CAPACITY; i++) {
            poise__scene_list_add_one(recent, before->files[i].path);
        }
        if (!poise_output_open(&output, list)) {
            for (int i = 0; i < recent->count; i++) {
                fprintf(output.file, "%s\n", recent->files[i].path);
            }
            poise_output_close(&output);
        }
    }
    free(before);
    free(whole);
}
