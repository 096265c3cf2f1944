// SPDX-License-Identifier: MIT
// Lists the scenes from which a person can choose.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session.h"
#include "suggest_name.h"

static bool ends_with(const char* name, const char* ending) {
    size_t length = strlen(name);
    size_t part = strlen(ending);
    return length > part && strcmp(name + length - part, ending) == 0;
}

static bool is_scene(const char* name) {
    return ends_with(name, ".yaml") || ends_with(name, ".urdf") || ends_with(name, ".xml");
}

/// Reads the title from a line that begins with `title:`. Returns false for a study (`sweep:`),
/// which `poise sweep` runs and which is no scene.
static bool read_title(PoiseSceneFile* scene) {
    char line[256];
    FILE* file = fopen(scene->path, "r");
    bool is_study = false;
    while (file && !is_study && scene->title[0] == '\0' && fgets(line, sizeof line, file)) {
        is_study = strncmp(line, "sweep:", 6) == 0;
        if (strncmp(line, "title:", 6) == 0) {
            const char* text = line + 6 + strspn(line + 6, " \t\"'");
            snprintf(scene->title, sizeof scene->title, "%.*s", (int)strcspn(text, "\"\r\n"), text);
        }
    }
    if (file) {
        fclose(file);
    }
    return !is_study;
}

bool poise__scene_list_are_same(const char* a, const char* b) {
    char* whole[2] = {realpath(a, NULL), realpath(b, NULL)};
    const bool same = whole[0] && whole[1] ? strcmp(whole[0], whole[1]) == 0 : strcmp(a, b) == 0;
    free(whole[0]);
    free(whole[1]);
    return same;
}

static bool is_known(const PoiseSceneList* files, const char* path) {
    for (int i = 0; i < files->count; i++) {
        if (poise__scene_list_are_same(files->files[i].path, path)) {
            return true;
        }
    }
    return false;
}

PoiseSceneFile* poise__scene_list_add_one(PoiseSceneList* files, const char* path) {
    PoiseSceneFile* scene = &files->files[files->count];
    if (files->count == POISE_SCENES_CAPACITY || strlen(path) >= sizeof scene->path ||
        is_known(files, path)) {
        return NULL;
    }
    const char* name = poise__bare_name(path);
    memset(scene, 0, sizeof *scene);
    snprintf(scene->path, sizeof scene->path, "%s", path);
    snprintf(scene->name, sizeof scene->name, "%.*s", (int)strcspn(name, "."), name);
    if (!read_title(scene)) {
        return NULL;
    }
    files->count++;
    return scene;
}

static int by_name(const void* a, const void* b) {
    return strcmp(((const PoiseSceneFile*)a)->path, ((const PoiseSceneFile*)b)->path);
}

/// Adds the scenes of a folder, sorted by path. If `begin` is not NULL, adds only names that begin
/// with it, including folders, whose paths then end in /.
static void add_folder(PoiseSceneList* files, const char* folder, const char* begin) {
    const int first = files->count;
    DIR* directory = opendir(folder);
    struct dirent* entry = NULL;
    while (directory && (entry = readdir(directory)) != NULL) {
        const char* name = entry->d_name;
        struct stat status;
        char path[1024];
        const size_t length = strlen(folder);
        snprintf(path, sizeof path, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", name);
        if (begin && (name[0] == '.' || strncmp(name, begin, strlen(begin)) != 0)) {
            continue;
        }
        if (begin && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            snprintf(path + strlen(path), 2, "/");
        } else if (!is_scene(name)) {
            continue;
        }
        poise__scene_list_add_one(files, path);
    }
    if (directory) {
        closedir(directory);
    }
    qsort(files->files + first, (size_t)(files->count - first), sizeof *files->files, by_name);
}

void poise__scene_list_add(PoiseSceneList* files, const char* folder) {
    add_folder(files, folder[0] != '\0' ? folder : ".", NULL);
}

void poise__scene_list_find(PoiseSceneList* files, const char* typed) {
    char folder[512];
    char path[512];
    struct stat status;
    const char* home = getenv("HOME");
    const bool at_home = strncmp(typed, "~/", 2) == 0 && home;
    files->count = 0;
    snprintf(path, sizeof path, "%.200s%.300s", at_home ? home : "", typed + at_home);
    const char* slash = strrchr(path, '/');
    if (!slash) {
        return;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        poise__scene_list_add_one(files, path);
    }
    add_folder(files, folder, slash + 1);
}

bool poise__scene_list_print(const PoiseSceneList* files, FILE* out, FILE* messages) {
    for (int i = 0; i < files->count; i++) {
        fprintf(out, "%-28s %s\n", files->files[i].path, files->files[i].title);
    }
    if (files->count == 0) {
        fputs("poise-view: there are no scenes: neither installed with the program, in "
              "share/poise/scenes, nor where it was built; name a file\n",
              messages);
    }
    return files->count > 0;
}
