// SPDX-License-Identifier: MIT
// Files that files name.
#ifndef POISE_FILE_PATH_H
#define POISE_FILE_PATH_H

#include "arena.h"

/// The path of a file that another one names, seen from that one's folder; NULL when memory is
/// short.
const char* poise__path_beside(Arena* arena, const char* from, const char* name);
/// A name as Windows writes it, with this system's slashes and without its drive; NULL when memory
/// is short.
const char* poise__path_slashed(Arena* arena, const char* name);
/// Whether a regular file is there: no folder, no pipe, no device.
bool poise__path_is_file(const char* path);

#endif
