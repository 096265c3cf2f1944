// SPDX-License-Identifier: MIT
// The files that a scene was read from, and whether one of them has been saved since.
#ifndef POISE_SEEN_FILES_H
#define POISE_SEEN_FILES_H

#include "poise/scene.h"

enum { POISE_SEEN_MOST = 256, POISE_SEEN_PATH = 512 };

/// A file as it was: when it was written, ns, and how long it is. All zero: it is not there.
typedef struct PoiseFileStamp {
    long long when;
    long long size;
} PoiseFileStamp;

typedef struct PoiseSeenFile {
    char path[POISE_SEEN_PATH];
    PoiseFileStamp read;
    /// When it was looked at last.
    PoiseFileStamp last;
} PoiseSeenFile;

typedef struct PoiseSeenFiles {
    PoiseSeenFile files[POISE_SEEN_MOST];
    int count;
} PoiseSeenFiles;

/// The files that were read, as they are now.
void poise__seen_files_take(PoiseSeenFiles* seen, const PoiseDiagnostics* diagnostics);
/// Whether one is otherwise than when it was read, and was so at the last look already: who writes
/// it has ended. It counts as read then.
bool poise__seen_files_changed(PoiseSeenFiles* seen);

#endif
