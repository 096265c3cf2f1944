// SPDX-License-Identifier: MIT
#include "mujoco_model.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns the whole file with a closing zero, to be freed; NULL if it cannot be read.
static char* read_text(const char* file) {
    FILE* in = fopen(file, "rb");
    char* text = NULL;
    long size = -1;
    if (in && fseek(in, 0, SEEK_END) == 0) {
        size = ftell(in);
        rewind(in);
    }
    if (size >= 0) {
        text = calloc((size_t)size + 1, 1);
    }
    if (text && fread(text, 1, (size_t)size, in) != (size_t)size) {
        free(text);
        text = NULL;
    }
    if (in) {
        fclose(in);
    }
    return text;
}

static void add_file(mjVFS* vfs, const char* name, const void* bytes, size_t size) {
    if (mj_makeEmptyFileVFS(vfs, name, (int)size) == 0) {
        memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], bytes, size);
    }
}

// ------------------------------------------------------------------------------------------- MJCF

// A PNG of one black pixel, for textures whose files are missing.
static const unsigned char pixel[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00,
    0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9c, 0x63, 0x60, 0x60, 0x60, 0x00, 0x00, 0x00, 0x04, 0x00, 0x01, 0xf6, 0x17, 0x38,
    0x55, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

// Gives MuJoCo a pixel for each texture that the file, or a file included from it, names.
static void add_pictures(mjVFS* vfs, const char* file, int depth) {
    char* text = read_text(file);
    for (char* at = text; at && (at = strstr(at, "file=\"")) != NULL;) {
        char name[200];
        char path[600];
        at += strlen("file=\"");
        const char* end = strchr(at, '"');
        const int length = end ? (int)(end - at) : 0;
        snprintf(name, sizeof name, "%.*s", length < 190 ? length : 0, at);
        const char* ending = strrchr(name, '.');
        if (ending && strcmp(ending, ".png") == 0) {
            const char* slash = strrchr(name, '/');
            add_file(vfs, slash ? slash + 1 : name, pixel, sizeof pixel);
        } else if (ending && strcmp(ending, ".xml") == 0 && depth < 4) {
            const char* slash = strrchr(file, '/');
            snprintf(path, sizeof path, "%.*s/%s", slash ? (int)(slash - file) : 1,
                     slash ? file : ".", name);
            add_pictures(vfs, path, depth + 1);
        }
    }
    free(text);
}

// ------------------------------------------------------------------------------------------- URDF

// Removes each part of the text from `begin` to `end`.
static void cut(char* text, const char* begin, const char* end) {
    char* from = text;
    while ((from = strstr(from, begin)) != NULL) {
        const char after = from[strlen(begin)];
        char* to = strstr(from, end);
        const bool word = begin[1] == '!' || strchr(" \t\r\n>/", after) != NULL;
        if (!to || !word) {
            from++;
            continue;
        }
        // <collision/> ends itself
        char* close = strchr(from, '>');
        char* behind = close && begin[1] != '!' && close[-1] == '/' ? close + 1 : to + strlen(end);
        memmove(from, behind, strlen(behind) + 1);
    }
}

// Returns the URDF without visual and collision shapes, with each link as its own body.
static char* make_plain(char* text) {
    static const char settings[] =
        "<mujoco><compiler fusestatic=\"false\" balanceinertia=\"true\" boundmass=\"1e-13\" "
        "boundinertia=\"1e-14\"/></mujoco>";
    cut(text, "<!--", "-->");
    cut(text, "<visual", "</visual>");
    cut(text, "<collision", "</collision>");
    cut(text, "<mujoco", "</mujoco>");
    char* root = strstr(text, "<robot");
    char* open = root ? strchr(root, '>') : NULL;
    char* plain = open ? calloc(strlen(text) + sizeof settings, 1) : NULL;
    if (plain) {
        const size_t head = (size_t)(open + 1 - text);
        memcpy(plain, text, head);
        strcpy(plain + head, settings);
        strcpy(plain + head + sizeof settings - 1, open + 1);
    }
    return plain;
}

mjModel* mujoco_model(const char* file, char* why, int capacity) {
    mjVFS* vfs = malloc(sizeof *vfs);
    char* text = read_text(file);
    mjModel* model = NULL;
    snprintf(why, (size_t)capacity, "it cannot be read");
    if (vfs && text) {
        mj_defaultVFS(vfs);
        if (strstr(text, "<mujoco") && !strstr(text, "<robot")) {
            add_pictures(vfs, file, 0);
            model = mj_loadXML(file, vfs, why, capacity);
        } else {
            char* plain = make_plain(text);
            if (plain) {
                add_file(vfs, "robot.urdf", plain, strlen(plain));
                model = mj_loadXML("robot.urdf", vfs, why, capacity);
            }
            free(plain);
        }
        mj_deleteVFS(vfs);
    }
    free(text);
    free(vfs);
    return model;
}
