// SPDX-License-Identifier: MIT
// The files from which a scene was read. Detects when one of them is saved.
#ifndef POISE_SEEN_FILES_H
#define POISE_SEEN_FILES_H

#include "poise/scene.h"

enum { POISE_SEEN_CAPACITY = 256, POISE_SEEN_PATH = 512 };

/// State of a file: its time of modification, ns, and its size, bytes. Zeros: it does not exist.
typedef struct PoiseFileStamp {
    long long when;
    long long size;
} PoiseFileStamp;

typedef struct PoiseSeenFile {
    char path[POISE_SEEN_PATH];
    PoiseFileStamp read;
    /// State of the file at the last check.
    PoiseFileStamp last;
} PoiseSeenFile;

typedef struct PoiseSeenFiles {
    PoiseSeenFile files[POISE_SEEN_CAPACITY];
    int count;
} PoiseSeenFiles;

/// Stores the list of files that were read, and their present state.
void poise__seen_files_take(PoiseSeenFiles* seen, const PoiseDiagnostics* diagnostics);
/// True if a file differs from its state when it was read, and has not changed since the last
/// check, so that its writer has finished. Later calls compare with the new state.
bool poise__seen_files_changed(PoiseSeenFiles* seen);

#endif
