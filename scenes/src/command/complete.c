// SPDX-License-Identifier: MIT
// `poise --complete [FILE]`: words that a shell offers after Tab. Without a file these are the
// names of installed scenes and robots; with a file its links, points and keys of --set, each
// behind its kind.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "poise/value.h"

// Prints the names, without their endings, of a folder's files that have one of `endings`.
static void print_names(const char* folder, const char* const* endings) {
    struct dirent** entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char* name = entries[i]->d_name;
        for (const char* const* ending = endings; *ending; ending++) {
            const size_t length = strlen(name);
            const size_t size = strlen(*ending);
            if (length > size && strcmp(name + length - size, *ending) == 0) {
                printf("%.*s\n", (int)(strlen(name) - strlen(*ending)), name);
            }
        }
        free(entries[i]);
    }
    free(entries);
}

static void print_scene(const OpenScene* open) {
    const PoiseScene* scene = open->scene;
    for (int i = 0; i < scene->frame_count; i++) {
        printf("point\t%s\n", scene->frames[i].name);
    }
    for (int i = 0; i < scene->point_count; i++) {
        printf("point\t%s\n", scene->points[i].name);
    }
    const int keys = poise_value_count(open->simulation);
    for (int i = 0; i < keys; i++) {
        char key[200];
        if (poise_value_key(open->simulation, i, key, sizeof key)[0]) {
            printf("set\t%s\n", key);
        }
    }
}

int poise__complete(int argc, char** argv) {
    static const char* const scenes[] = {".yaml", NULL};
    static const char* const robots[] = {".urdf", ".xml", NULL};
    char folder[1000];
    if (argc < 2) {
        char below[1100];
        print_names(poise_scene_folder(folder, sizeof folder), scenes);
        snprintf(below, sizeof below, "%s/robots", folder);
        print_names(below, robots);
        return poise__finish_output(EXIT_DONE);
    }
    // If the file cannot be read, nothing is printed: a message would interrupt the command line.
    const Reading reading = {.packages = NULL};
    const PoiseSceneSource source = poise__source(argv[1], &reading);
    OpenScene open;
    if (poise__open_scene(&open, &source)) {
        print_scene(&open);
    }
    poise__close_scene(&open);
    return poise__finish_output(EXIT_DONE);
}
