// SPDX-License-Identifier: MIT
// The scenes there are to choose from.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

static bool ends_with(const char* name, const char* ending) {
    size_t length = strlen(name);
    size_t part = strlen(ending);
    return length > part && strcmp(name + length - part, ending) == 0;
}

static bool is_scene(const char* name) {
    return ends_with(name, ".yaml") || ends_with(name, ".urdf") || ends_with(name, ".xml");
}

/// What stands behind `title:` at the beginning of a line.
static void read_title(PoiseSceneFile* scene) {
    char line[256];
    FILE* file = fopen(scene->path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "title:", 6) == 0) {
            const char* text = line + 6 + strspn(line + 6, " \t\"'");
            snprintf(scene->title, sizeof scene->title, "%.*s", (int)strcspn(text, "\"\r\n"), text);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

static bool is_known(const PoiseSceneFiles* files, const char* path) {
    for (int i = 0; i < files->count; i++) {
        if (strcmp(files->files[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

static void add_file(PoiseSceneFiles* files, const char* folder, const char* name) {
    if (files->count == POISE_SCENES_MOST || strlen(folder) + strlen(name) + 2 > 512) {
        return;
    }
    PoiseSceneFile* scene = &files->files[files->count];
    memset(scene, 0, sizeof *scene);
    snprintf(scene->path, sizeof scene->path, "%.300s/%.200s", folder, name);
    snprintf(scene->name, sizeof scene->name, "%.*s", (int)strcspn(name, "."), name);
    if (!is_known(files, scene->path)) {
        files->count++;
        read_title(scene);
    }
}

static int by_name(const void* a, const void* b) {
    return strcmp(((const PoiseSceneFile*)a)->path, ((const PoiseSceneFile*)b)->path);
}

void poise__scene_files_add(PoiseSceneFiles* files, const char* folder) {
    int first = files->count;
    DIR* directory = opendir(folder[0] != '\0' ? folder : ".");
    struct dirent* entry = NULL;
    while (directory && (entry = readdir(directory)) != NULL) {
        if (is_scene(entry->d_name)) {
            add_file(files, folder[0] != '\0' ? folder : ".", entry->d_name);
        }
    }
    if (directory) {
        closedir(directory);
    }
    qsort(files->files + first, (size_t)(files->count - first), sizeof *files->files, by_name);
}

bool poise__scene_files_print(const PoiseSceneFiles* files, FILE* out, FILE* talk) {
    for (int i = 0; i < files->count; i++) {
        fprintf(out, "%-28s %s\n", files->files[i].path, files->files[i].title);
    }
    if (files->count == 0) {
        fputs("poise-view: there are no scenes: neither installed with the program, in "
              "share/poise/scenes, nor where it was built; name a file\n",
              talk);
    }
    return files->count > 0;
}
