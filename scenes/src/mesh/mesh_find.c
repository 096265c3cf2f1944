// SPDX-License-Identifier: MIT
// Finds the file of a mesh. ROS packages are searched by name, starting from the robot's file.
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "file_path.h"
#include "input.h"
#include "mesh.h"

// Largest number of folders above the robot that are searched.
#define MOST_LEVELS 16
// Largest number of entries of a package folder that are searched.
#define MOST_ENTRIES 4096

// Returns folder/path if the file exists. Else drops the path's first folders one by one, since the
// file's package may have another name here. NULL if no such file exists.
static const char* find_below(const Document* robot, const char* fence, const char* folder,
                              const char* path) {
    const char* rest = path;
    for (int i = 0; i < MOST_LEVELS && rest; i++) {
        const char* whole = poise__arena_format(robot->arena, "%s/%s", folder, rest);
        if (whole && poise__path_is_file(whole) && poise__input_is_inside(fence, rest, whole)) {
            return whole;
        }
        rest = strchr(rest, '/');
        rest = rest ? rest + 1 : NULL;
    }
    return NULL;
}

// Reports an error if errno says that the system lacks descriptors or memory to search `path`,
// which may have the mesh.
static void expect_room(const Document* robot, const char* path) {
    const int error = errno;
    if (poise__input_is_shortage(error)) {
        REFUSE(robot, (PoiseMark){robot->file, 0, 0},
               "'%.200s' cannot be looked into for meshes: %s", path,
               poise__input_shortage(robot->arena, error));
    }
}

// Largest number of letters of a package's name.
#define MOST_NAME 200

// True if the folder's package.xml has this name.
static bool is_package(const Document* robot, const char* folder, const char* name, size_t length) {
    const char* path = poise__arena_format(robot->arena, "%s/package.xml", folder);
    const char* why = NULL;
    FILE* file = path && poise__path_is_file(path)
                     ? poise__input_open(path, INPUT_DOCUMENT, false, NULL, &why)
                     : NULL;
    if (why) {
        expect_room(robot, path);
    }
    char text[4096];
    const size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    text[size] = '\0';
    const char* own = strstr(text, "<name>");
    own = own ? own + strlen("<name>") : "";
    own += strspn(own, " \t\r\n");
    const bool named =
        length < MOST_NAME && strncmp(own, name, length) == 0 && strcspn(own, " \t\r\n<") == length;
    if (named) {
        poise_diagnostics_add_file(robot->diagnostics, path);
    }
    return named;
}

// Returns the file of a package whose folder has another name. The first part of `path` is the
// package's name.
static const char* find_named(const Document* robot, const char* folder, const char* path) {
    const size_t length = strcspn(path, "/");
    if (path[length] == '\0' || !is_package(robot, folder, path, length)) {
        return NULL;
    }
    const char* whole = poise__arena_format(robot->arena, "%s%s", folder, path + length);
    return whole && poise__path_is_file(whole) ? whole : NULL;
}

// Searches a folder of packages: the path below it, or a subfolder whose package.xml names the
// package.
static const char* find_among(const Document* robot, const char* folder, const char* path) {
    const char* found = find_below(robot, NULL, folder, path);
    found = found ? found : find_named(robot, folder, path);
    DIR* entries = found ? NULL : opendir(folder);
    if (!found && !entries) {
        expect_room(robot, folder);
    }
    const struct dirent* entry = entries ? readdir(entries) : NULL;
    for (int i = 0; entry && !found && i < MOST_ENTRIES; i++, entry = readdir(entries)) {
        const char* below = entry->d_name[0] == '.'
                                ? NULL
                                : poise__arena_format(robot->arena, "%s/%s", folder, entry->d_name);
        found = below ? find_named(robot, below, path) : NULL;
    }
    if (entries) {
        (void)closedir(entries);
    }
    return found;
}

// Searches the package folders that a person gave. `fence` gets the folder that holds the file.
static const char* find_in_packages(const Document* robot, const char* path, const char** fence) {
    const char* at = robot->packages ? robot->packages : "";
    while (*at) {
        const size_t length = strcspn(at, ":");
        const char* folder = poise__arena_format(robot->arena, "%.*s", (int)length, at);
        const char* found = folder && length > 0 ? find_among(robot, folder, path) : NULL;
        const char* own = found ? poise__arena_format(robot->arena, "%s/.", folder) : NULL;
        const char* inside = own ? poise__input_folder(robot->arena, own) : NULL;
        // The mesh may name only files inside the package.
        if (inside && poise__input_is_inside(inside, path, found)) {
            *fence = robot->fence ? inside : NULL;
            return found;
        }
        at += length + (at[length] == ':');
    }
    return NULL;
}

// Searches a package in the robot's folder, then in each folder above it.
static const char* find_package(const Document* robot, const char* path) {
    const char* folder = poise__input_folder(robot->arena, robot->file);
    char whole[PATH_MAX];
    if (!folder || !realpath(folder, whole)) {
        return NULL;
    }
    for (int i = 0; i < MOST_LEVELS; i++) {
        const char* found = find_below(robot, robot->fence, whole, path);
        const char* named = found ? found : find_named(robot, whole, path);
        found = named && poise__input_is_inside(robot->fence, path, named) ? named : NULL;
        char* last = strrchr(whole, '/');
        if (found || !last) {
            return found;
        }
        *last = '\0';
    }
    return NULL;
}

static const char* find(const Document* robot, const char* uri, const char** fence) {
    *fence = robot->fence;
    static const char* const packages[] = {"package://", "model://"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(packages[i]);
        if (strncmp(uri, packages[i], length) == 0) {
            const char* found = find_in_packages(robot, uri + length, fence);
            return found ? found : find_package(robot, uri + length);
        }
    }
    const char* name = strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri;
    const char* path = poise__path_beside(robot->arena, robot->file, name);
    const bool there = path && path[0] && poise__path_is_file(path);
    if (there && poise__input_is_inside(robot->fence, name, path)) {
        return path;
    }
    // Searches an absolute path also below the robot's folder: the path may be one of the computer
    // that made the file, or begin at that folder.
    return name[0] == '/' && !there ? find_package(robot, name + strspn(name, "/")) : NULL;
}

const char* poise__mesh_find(const Document* robot, const char* uri, const char** fence) {
    const char* found = find(robot, uri, fence);
    if (found || !strchr(uri, '\\')) {
        return found;
    }
    const char* slashed = poise__path_slashed(robot->arena, uri);
    return slashed ? find(robot, slashed, fence) : NULL;
}
