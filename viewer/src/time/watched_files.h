// SPDX-License-Identifier: MIT
// The files from which a scene was read. Detects when one of them is saved.
#ifndef POISE_WATCHED_FILES_H
#define POISE_WATCHED_FILES_H

#include "poise/scene.h"

enum { POISE_WATCHED_FILE_CAPACITY = 256, POISE_WATCHED_FILE_PATH = 512 };

/// State of a file: its time of modification, ns, and its size, bytes. Zeros: it does not exist.
typedef struct PoiseFileStamp {
    long long when;
    long long size;
} PoiseFileStamp;

typedef struct PoiseWatchedFile {
    char path[POISE_WATCHED_FILE_PATH];
    PoiseFileStamp read;
    /// State of the file at the last check.
    PoiseFileStamp last;
} PoiseWatchedFile;

typedef struct PoiseWatchedFiles {
    PoiseWatchedFile files[POISE_WATCHED_FILE_CAPACITY];
    int count;
} PoiseWatchedFiles;

/// Stores the list of files that were read, and their present state.
void poise__watched_files_take(PoiseWatchedFiles* watched, const PoiseDiagnostics* diagnostics);
/// True if a file differs from its state when it was read, and has not changed since the last
/// check, so that its writer has finished. Later calls compare with the new state.
bool poise__watched_files_changed(PoiseWatchedFiles* watched);

#endif
