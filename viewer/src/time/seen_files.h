// SPDX-License-Identifier: MIT
// The files that a scene was read from. Finds out if one was saved since.
#ifndef POISE_SEEN_FILES_H
#define POISE_SEEN_FILES_H

#include "poise/scene.h"

enum { POISE_SEEN_CAPACITY = 256, POISE_SEEN_PATH = 512 };

/// State of a file: its time of modification, ns, and its size, bytes. All zero: it does not exist.
typedef struct PoiseFileStamp {
    long long when;
    long long size;
} PoiseFileStamp;

typedef struct PoiseSeenFile {
    char path[POISE_SEEN_PATH];
    PoiseFileStamp read;
    /// State at the last check.
    PoiseFileStamp last;
} PoiseSeenFile;

typedef struct PoiseSeenFiles {
    PoiseSeenFile files[POISE_SEEN_CAPACITY];
    int count;
} PoiseSeenFiles;

/// Stores the files that were read, in their present state.
void poise__seen_files_take(PoiseSeenFiles* seen, const PoiseDiagnostics* diagnostics);
/// True if a file differs from when it was read, and has not changed since the last check: the
/// writer is then finished. Later calls compare with the file's new state.
bool poise__seen_files_changed(PoiseSeenFiles* seen);

#endif
