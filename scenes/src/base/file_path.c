// SPDX-License-Identifier: MIT
// Files that files name.
#define _XOPEN_SOURCE 700
#include "file_path.h"

#include <string.h>
#include <sys/stat.h>

const char* poise__path_beside(Arena* arena, const char* from, const char* name) {
    const char* slash = strrchr(from, '/');
    if (name[0] == '/' || !slash) {
        return name;
    }
    return poise__arena_format(arena, "%.*s/%s", (int)(slash - from), from, name);
}

bool poise__path_is_file(const char* path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}
