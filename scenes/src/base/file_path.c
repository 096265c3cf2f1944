// SPDX-License-Identifier: MIT
// Builds the paths of files that other files name.
#define _XOPEN_SOURCE 700
#include "file_path.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

const char* poise__path_beside(Arena* arena, const char* from, const char* name) {
    const char* slash = strrchr(from, '/');
    if (name[0] == '/' || !slash) {
        return name;
    }
    return poise__arena_format(arena, "%.*s/%s", (int)(slash - from), from, name);
}

const char* poise__path_identity(Arena* arena, const char* path) {
    struct stat status;
    return stat(path, &status) != 0
               ? path
               : poise__arena_format(arena, "%ju %ju", (uintmax_t)status.st_dev,
                                     (uintmax_t)status.st_ino);
}

bool poise__path_is_file(const char* path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

const char* poise__path_slashed(Arena* arena, const char* name) {
    const char* rest = (isalpha((unsigned char)name[0]) && name[1] == ':') ? name + 2 : name;
    char* slashed = poise__arena_copy(arena, rest, strlen(rest));
    for (char* at = slashed; at && *at; at++) {
        *at = *at == '\\' ? '/' : *at;
    }
    return slashed;
}
