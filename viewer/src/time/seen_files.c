// SPDX-License-Identifier: MIT
#include "seen_files.h"

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

void poise__seen_files_take(PoiseSeenFiles* seen, const PoiseDiagnostics* diagnostics) {
    const char* path = NULL;
    seen->count = 0;
    for (int i = 0; (path = poise_diagnostics_file(diagnostics, i)) != NULL; i++) {
        PoiseFileStamp now = stamp_of(path);
        if (seen->count < POISE_SEEN_CAPACITY && strlen(path) < POISE_SEEN_PATH && now.when != 0) {
            PoiseSeenFile* file = &seen->files[seen->count++];
            snprintf(file->path, sizeof file->path, "%s", path);
            file->read = file->last = now;
        }
    }
}

bool poise__seen_files_changed(PoiseSeenFiles* seen) {
    bool changed = false;
    for (int i = 0; i < seen->count; i++) {
        PoiseSeenFile* file = &seen->files[i];
        PoiseFileStamp now = stamp_of(file->path);
        if (now.when != 0 && !is_same(now, file->read) && is_same(now, file->last)) {
            file->read = now;
            changed = true;
        }
        file->last = now;
    }
    return changed;
}
