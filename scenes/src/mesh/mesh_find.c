// SPDX-License-Identifier: MIT
// Where a mesh is: packages of ROS by name, seen from the robot that names them.
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "file_path.h"
#include "input.h"
#include "mesh.h"

// folders above the robot that are looked through
#define MOST_LEVELS 16

// the path below the folder, or what is left of it without its first folders: a package may lie
// there under another name
static const char* find_below(const Document* robot, const char* folder, const char* path) {
    const char* rest = path;
    for (int i = 0; i < MOST_LEVELS && rest; i++) {
        const char* whole = poise__arena_format(robot->arena, "%s/%s", folder, rest);
        if (whole && poise__path_is_file(whole) &&
            poise__input_is_inside(robot->fence, rest, whole)) {
            return whole;
        }
        rest = strchr(rest, '/');
        rest = rest ? rest + 1 : NULL;
    }
    return NULL;
}

// upward from the folder of the robot
static const char* find_package(const Document* robot, const char* path) {
    const char* folder = poise__input_folder(robot->arena, robot->file);
    char whole[PATH_MAX];
    if (!folder || !realpath(folder, whole)) {
        return NULL;
    }
    for (int i = 0; i < MOST_LEVELS; i++) {
        const char* found = find_below(robot, whole, path);
        char* last = strrchr(whole, '/');
        if (found || !last) {
            return found;
        }
        *last = '\0';
    }
    return NULL;
}

const char* poise__mesh_find(const Document* robot, const char* uri) {
    static const char* const packages[] = {"package://", "model://"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(packages[i]);
        if (strncmp(uri, packages[i], length) == 0) {
            return find_package(robot, uri + length);
        }
    }
    const char* name = strncmp(uri, "file://", 7) == 0 ? uri + 7 : uri;
    const char* path = poise__path_beside(robot->arena, robot->file, name);
    const bool there = path && path[0] && poise__path_is_file(path);
    return there && poise__input_is_inside(robot->fence, name, path) ? path : NULL;
}
