// SPDX-License-Identifier: MIT
#include "watched_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static PoiseFileStamp stamp_of(const char* path) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return (PoiseFileStamp){0, 0};
    }
    return (PoiseFileStamp){1000000000LL * (long long)status.st_mtim.tv_sec +
                                (long long)status.st_mtim.tv_nsec,
                            (long long)status.st_size};
}

static bool is_same(PoiseFileStamp a, PoiseFileStamp b) {
    return a.when == b.when && a.size == b.size;
}

void poise__watched_files_take(PoiseWatchedFiles* watched, const PoiseDiagnostics* diagnostics) {
    const char* path = NULL;
    watched->count = 0;
    for (int i = 0; (path = poise_diagnostics_file(diagnostics, i)) != NULL; i++) {
        PoiseFileStamp now = stamp_of(path);
        if (watched->count < POISE_WATCHED_FILE_CAPACITY &&
            strlen(path) < POISE_WATCHED_FILE_PATH && now.when != 0) {
            PoiseWatchedFile* file = &watched->files[watched->count++];
            snprintf(file->path, sizeof file->path, "%s", path);
            file->read = file->last = now;
        }
    }
}

bool poise__watched_files_changed(PoiseWatchedFiles* watched) {
    bool changed = false;
    for (int i = 0; i < watched->count; i++) {
        PoiseWatchedFile* file = &watched->files[i];
        PoiseFileStamp now = stamp_of(file->path);
        if (now.when != 0 && !is_same(now, file->read) && is_same(now, file->last)) {
            file->read = now;
            changed = true;
        }
        file->last = now;
    }
    return changed;
}
