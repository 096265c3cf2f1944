// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "poise/reading.h"

size_t poise__input_most(InputKind kind, const char** why) {
    static const struct {
        size_t most;
        const char* why;
    } bounds[] = {{(size_t)16 << 20, "it is larger than 16 MB"},
                  {(size_t)64 << 20, "it is larger than 64 MB"},
                  {(size_t)1 << 30, "it is larger than 1 GB"}};
    *why = bounds[kind].why;
    return bounds[kind].most;
}

// Returns the reason why a file of this kind is refused, to follow "cannot be read:"; NULL if it is
// not.
static const char* refuse_kind(const struct stat* status, InputKind kind, bool asked) {
    if (S_ISREG(status->st_mode) || (asked && S_ISFIFO(status->st_mode))) {
        const char* why = NULL;
        return (size_t)status->st_size > poise__input_most(kind, &why) ? why : NULL;
    }
    return S_ISDIR(status->st_mode)    ? "it is a directory"
           : S_ISFIFO(status->st_mode) ? "it is a pipe, not a regular file"
                                       : "it is no regular file";
}

// Returns the hash of the file's bytes and rewinds the file. Carriage returns are skipped, so that
// the hash stays the same if a system has changed the ends of lines.
static uint64_t hash_of(FILE* file) {
    char bytes[8192];
    uint64_t hash = POISE_HASH_BEGIN;
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        size_t kept = 0;
        for (size_t i = 0; i < got; i++) {
            bytes[kept] = bytes[i];
            kept += bytes[i] != '\r';
        }
        hash = poise__hash(hash, bytes, kept);
    }
    rewind(file);
    return hash;
}

static void add_read(PoiseDiagnostics* read, const char* path, const struct stat* status,
                     uint64_t hash) {
    const ReadFile file = {path, (uint64_t)status->st_dev, (uint64_t)status->st_ino, hash};
    poise__diagnostics_add_read(read, &file);
}

void poise_diagnostics_add_file(PoiseDiagnostics* diagnostics, const char* path) {
    struct stat status;
    if (diagnostics && path && stat(path, &status) == 0) {
        add_read(diagnostics, path, &status, 0);
    }
}

FILE* poise__input_open(const char* path, InputKind kind, bool asked, PoiseDiagnostics* read,
                        const char** why) {
    struct stat status;
    errno = 0;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        *why = strerror(errno);
        return NULL;
    }
    *why = refuse_kind(&status, kind, asked);
    FILE* file = NULL;
    if (!*why) {
        // Reading from a pipe may wait for data, since a person asked for the pipe.
        const bool fine = !S_ISFIFO(status.st_mode) || fcntl(descriptor, F_SETFL, 0) == 0;
        file = fine ? fdopen(descriptor, "rb") : NULL;
    }
    if (!file) {
        const int trouble = *why ? 0 : errno;
        *why = *why ? *why : strerror(trouble);
        close(descriptor);
        errno = trouble;
    } else if (read) {
        add_read(read, path, &status, S_ISREG(status.st_mode) ? hash_of(file) : 0);
    }
    return file;
}

bool poise__input_is_shortage(int error) {
    return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM;
}

const char* poise__input_shortage(Arena* arena, int error) {
    const char* remedy = error == EAGAIN   ? "allow more processes (ulimit -u), or end some"
                         : error == EMFILE ? "allow more open files (ulimit -n)"
                                           : "end other programs";
    return poise__arena_format(arena, "%s; %s", strerror(error), remedy);
}

size_t poise_table_most(const char** why) {
    const char* unused = NULL;
    return poise__input_most(INPUT_TABLE, why ? why : &unused);
}

FILE* poise_table_open(const char* path, const char** why) {
    errno = EINVAL;
    return path && why ? poise__input_open(path, INPUT_TABLE, true, NULL, why) : NULL;
}

const char* poise__input_folder(Arena* arena, const char* file) {
    const char* slash = strrchr(file, '/');
    const char* folder = slash ? poise__arena_copy(arena, file, (size_t)(slash - file) + 1) : ".";
    char whole[PATH_MAX];
    if (!folder || !realpath(folder, whole)) {
        return NULL;
    }
    return poise__arena_format(arena, "%s%s", whole, strcmp(whole, "/") == 0 ? "" : "/");
}

static bool goes_up(const char* name) {
    for (const char* part = name; part; part = strchr(part, '/')) {
        part += *part == '/' ? 1 : 0;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return true;
        }
    }
    return false;
}

bool poise__input_is_inside(const char* folder, const char* name, const char* path) {
    if (!folder) {
        return true;
    }
    if (name[0] == '/' || goes_up(name)) {
        return false;
    }
    char whole[PATH_MAX];
    return !realpath(path, whole) ? errno == ENOENT : strncmp(whole, folder, strlen(folder)) == 0;
}
