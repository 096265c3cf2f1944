// SPDX-License-Identifier: MIT
// Finds the folder of scenes and the file that a name means; guesses a similar name if there is no
// such file.
#define _GNU_SOURCE // dladdr
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnostics.h"
#include "scene_folder.h"

enum { PATH_CAPACITY = 1024 };

static const char* const endings[] = {".yaml", ".urdf", ".xml"};

enum { ENDING_COUNT = (int)(sizeof endings / sizeof endings[0]) };

// --------------------------------------------------------------------------------- our own folder

// Writes the path of the folder of scenes at `to`, relative to the folder of `file`. Returns false
// if it does not exist.
static bool find_beside(const char* file, const char* to, char* text, size_t capacity) {
    const char* slash = strrchr(file, '/');
    char folder[PATH_CAPACITY];
    char whole[PATH_MAX];
    if (slash &&
        snprintf(folder, sizeof folder, "%.*s/%s", (int)(slash - file), file, to) <
            (int)sizeof folder &&
        realpath(folder, whole) && strlen(whole) < capacity) {
        snprintf(text, capacity, "%s", whole);
        return true;
    }
    text[0] = '\0';
    return false;
}

// Finds the folder that was installed with this library or program. The installed tree may have
// been moved, so the folder is searched relative to the library's file (as in the Python package),
// to the program's file, and to the folder of installed libraries. "" if it is not found.
static void find_installed(char* text, size_t capacity) {
    Dl_info info;
    char program[PATH_CAPACITY / 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    const char* library =
        dladdr(poise__scene_folder, &info) != 0 && info.dli_fname ? info.dli_fname : "";
    if (!find_beside(library, "share/poise/scenes", text, capacity) &&
        !find_beside(program, POISE_SCENES_FROM_PROGRAM, text, capacity)) {
        find_beside(library, POISE_SCENES_FROM_LIBRARY, text, capacity);
    }
}

const char* poise_scene_folder(char* text, size_t capacity) {
    if (!text || capacity == 0) {
        return "";
    }
    find_installed(text, capacity);
    if (text[0] == '\0' && poise__scene_folder[0] != '\0' &&
        access(poise__scene_folder, R_OK) == 0 && strlen(poise__scene_folder) < capacity) {
        snprintf(text, capacity, "%s", poise__scene_folder);
    }
    return text;
}

// ------------------------------------------------------------------------------- what a name means

static bool is_file(const char* path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

// Looks for folder/name, as written and with each ending. `folder` "": the working folder.
static bool find_in(const char* folder, const char* name, char* text, size_t capacity) {
    for (int i = -1; i < ENDING_COUNT; i++) {
        int length = snprintf(text, capacity, "%s%s%s%s", folder, folder[0] ? "/" : "", name,
                              i < 0 ? "" : endings[i]);
        if (length > 0 && (size_t)length < capacity && is_file(text)) {
            return true;
        }
    }
    return false;
}

const char* poise_scene_find_file(const char* name, char* text, size_t capacity) {
    char own[PATH_CAPACITY];
    char robots[PATH_CAPACITY + 8];
    if (!name || !name[0] || !text || is_file(name)) {
        return name ? name : "";
    }
    if (find_in("", name, text, capacity)) {
        return text;
    }
    if (strchr(name, '/') || !poise_scene_folder(own, sizeof own)[0]) {
        return name;
    }
    snprintf(robots, sizeof robots, "%s/robots", own);
    if (!find_in(own, name, text, capacity) && !find_in(robots, name, text, capacity)) {
        return name;
    }
    // Shortens a path below the working folder to a relative path.
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length > 1 && strncmp(text, here, length) == 0 && text[length] == '/') {
        memmove(text, text + length + 1, strlen(text + length + 1) + 1);
    }
    return text;
}

// ---------------------------------------------------------------------------------- suggestions

// Returns the length of the name without the ending of a scene or robot; 0 if it has no such
// ending.
static size_t stem_length(const char* name) {
    size_t length = strlen(name);
    for (int i = 0; i < ENDING_COUNT; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0) {
            return length - ending;
        }
    }
    return 0;
}

// Offers the names of a folder's scenes and robots, each with `before` in front. They are compared
// without their endings; `stems`: they are also suggested without endings.
static void offer_folder(Suggestion* suggestion, Arena* arena, const char* folder,
                         const char* before, bool stems) {
    struct dirent** entries = NULL;
    // The order makes the suggestion the same on all systems if two names are equally similar.
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char* name = entries[i]->d_name;
        size_t stem = stem_length(name);
        int length = (int)(stems ? stem : strlen(name));
        const char* compared = stem > 0 ? poise__arena_copy(arena, name, stem) : NULL;
        const char* candidate =
            compared ? poise__arena_format(arena, "%s%.*s", before, length, name) : NULL;
        if (candidate) {
            poise__suggestion_offer_as(suggestion, compared, candidate);
        }
        free(entries[i]);
    }
    free(entries);
}

static const char* guess_file(Arena* arena, const char* path, const char* own, char* text,
                              size_t capacity) {
    // Only the file's name is compared. The folder before it is taken as written.
    const char* slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    bool stems = stem_length(path) == 0;
    const char* before = poise__arena_copy(arena, path, length);
    const char* written = poise__arena_copy(arena, path + length,
                                            (stems ? strlen(path) : stem_length(path)) - length);
    Suggestion suggestion = poise__suggestion(written ? written : "");
    text[0] = '\0';
    if (!before || !written || !written[0]) {
        return text;
    }
    offer_folder(&suggestion, arena, before[0] ? before : ".", before, stems);
    if (!slash && own[0]) {
        const char* robots = poise__arena_format(arena, "%s/robots", own);
        offer_folder(&suggestion, arena, own, "", stems);
        offer_folder(&suggestion, arena, robots ? robots : own, "", stems);
    }
    // The suggestion may be `path` itself, if the command does not read scenes.
    const bool same = suggestion.best && strcmp(suggestion.best, path) == 0;
    return same ? text : poise__suggestion_text(&suggestion, text, capacity);
}

const char* poise__file_guess(Arena* arena, const char* path, char* text, size_t capacity) {
    return guess_file(arena, path, "", text, capacity);
}

const char* poise__scene_file_guess(Arena* arena, const char* name, char* text, size_t capacity) {
    char own[PATH_CAPACITY];
    return guess_file(arena, name, poise_scene_folder(own, sizeof own), text, capacity);
}
