// SPDX-License-Identifier: MIT
// Builds the paths of files that other files name.
#ifndef POISE_FILE_PATH_H
#define POISE_FILE_PATH_H

#include "arena.h"

/// Returns the path of a file that the file `from` names: `name` relative to the folder of `from`.
/// NULL when memory is short.
const char* poise__path_beside(Arena* arena, const char* from, const char* name);
/// Converts a Windows path: backslashes become slashes, the drive is removed. NULL when memory is
/// short.
const char* poise__path_slashed(Arena* arena, const char* name);
/// Returns a text that is the same for all paths of a file; the path itself if there is no file.
/// NULL when memory is short.
const char* poise__path_identity(Arena* arena, const char* path);
/// True if a regular file is at the path (no folder, pipe or device).
bool poise__path_is_file(const char* path);

#endif
