// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700
#include "poise/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnostics.h"

static const char unique[] = ".XXXXXX";

// Returns the real path of a file that need not exist yet: its folder's real path and its name.
// NULL with errno.
static char* place_of(const char* path) {
    char* whole = realpath(path, NULL);
    if (whole || errno != ENOENT) {
        return whole;
    }
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    char* folder = strndup(slash ? path : ".", slash ? (size_t)(name - path) : 1);
    char* resolved = folder && name[0] ? realpath(folder, NULL) : NULL;
    free(folder);
    size_t capacity = resolved ? strlen(resolved) + strlen(name) + 2 : 0;
    char* place = resolved ? malloc(capacity) : NULL;
    if (place) {
        snprintf(place, capacity, "%s/%s", resolved, name);
    }
    free(resolved);
    return place;
}

static mode_t mode_of(const char* path) {
    struct stat status;
    if (stat(path, &status) == 0) {
        return status.st_mode & 0777;
    }
    const mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

// ----------------------------------------------------------------------------------------- signals

enum { OPEN_CAPACITY = 8 };

// The temporary files now open. A signal handler gets no pointer, so they are global. If more are
// open at once, a signal leaves the rest behind.
static _Atomic(char*) open_files[OPEN_CAPACITY];
// The process that made the files. A forked child does not remove them.
static _Atomic(pid_t) maker;

static void exchange_first(char* found, char* other) {
    for (int i = 0; i < OPEN_CAPACITY; i++) {
        char* expected = found;
        if (atomic_compare_exchange_strong(&open_files[i], &expected, other)) {
            return;
        }
    }
}

void poise_output_remove_open(void) {
    for (int i = 0; i < OPEN_CAPACITY && atomic_load(&maker) == getpid(); i++) {
        char* path = atomic_load(&open_files[i]);
        if (path) {
            (void)unlink(path);
        }
    }
}

static void end_by(int number) {
    poise_output_remove_open();
    // SA_RESETHAND has restored the default action: raising the signal again ends the program.
    (void)raise(number);
}

void poise_output_end_by_signals(void) {
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            action.sa_handler = end_by;
            action.sa_flags = (int)SA_RESETHAND;
            sigemptyset(&action.sa_mask);
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

// ------------------------------------------------------------------------------------------- files

// Calls mkstemp with signals blocked, so that the handler knows every file that exists.
static int make_temporary(char* name) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int descriptor = mkstemp(name);
    if (descriptor >= 0) {
        atomic_store(&maker, getpid());
        exchange_first(NULL, name);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return descriptor;
}

// Opens a temporary file next to the path, which is a regular file or does not exist.
static bool open_temporary(PoiseOutput* output, const char* path) {
    output->path = place_of(path);
    const size_t length = output->path ? strlen(output->path) : 0;
    output->temporary = output->path ? malloc(length + sizeof unique) : NULL;
    if (!output->temporary) {
        return false;
    }
    memcpy(output->temporary, output->path, length);
    memcpy(output->temporary + length, unique, sizeof unique);
    const int descriptor = make_temporary(output->temporary);
    if (descriptor < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return false;
    }
    (void)fchmod(descriptor, mode_of(path));
    output->file = fdopen(descriptor, "w");
    if (!output->file) {
        close(descriptor);
    }
    return output->file != NULL;
}

const char* poise_output_open(PoiseOutput* output, const char* path) {
    struct stat status;
    errno = 0;
    memset(output, 0, sizeof *output);
    const bool there = stat(path, &status) == 0;
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
    } else if (there && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    } else if (there && !S_ISREG(status.st_mode)) {
        output->file = fopen(path, "w");
    } else if (!there || access(path, W_OK) == 0) {
        (void)open_temporary(output, path);
    }
    if (output->file) {
        return NULL;
    }
    const int trouble = errno ? errno : ENOENT;
    poise_output_drop(output);
    return strerror(trouble);
}

bool poise_output_fine(PoiseOutput* output) {
    if (output->trouble == 0 && ferror(output->file)) {
        output->trouble = errno ? errno : EIO;
    }
    return output->trouble == 0;
}

// Syncs the folder, so that the file's new name is on the disk too.
static void sync_folder(const char* path) {
    char* folder = strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
    const int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

static void forget(PoiseOutput* output) {
    if (output->temporary) {
        exchange_first(output->temporary, NULL);
    }
    free(output->path);
    free(output->temporary);
    memset(output, 0, sizeof *output);
}

const char* poise_output_close(PoiseOutput* output) {
    if (!output->file) {
        return NULL;
    }
    errno = 0;
    bool fine = fflush(output->file) == 0;
    fine = poise_output_fine(output) && fine;
    if (output->temporary) {
        fine = fine && fsync(fileno(output->file)) == 0;
        fine = fclose(output->file) == 0 && fine;
        output->file = NULL;
        fine = fine && rename(output->temporary, output->path) == 0;
    } else if (output->file != stdout) {
        fine = fclose(output->file) == 0 && fine;
        output->file = NULL;
    }
    const int trouble = output->trouble ? output->trouble : errno ? errno : EIO;
    if (fine && output->temporary) {
        sync_folder(output->path);
    } else if (output->temporary) {
        (void)unlink(output->temporary);
    }
    forget(output);
    return fine ? NULL : strerror(trouble);
}

void poise_output_drop(PoiseOutput* output) {
    if (output->file && output->file != stdout) {
        fclose(output->file);
    }
    if (output->temporary) {
        (void)unlink(output->temporary);
    }
    forget(output);
}

bool poise_output_replaces(const PoiseOutput* output, const char* path) {
    struct stat own;
    struct stat other;
    if (!output->temporary) {
        return false;
    }
    if (stat(path, &other) == 0 && stat(output->path, &own) == 0) {
        return own.st_dev == other.st_dev && own.st_ino == other.st_ino;
    }
    char* place = place_of(path);
    const bool same = place && strcmp(place, output->path) == 0;
    free(place);
    return same;
}

const char* poise_output_replaced(const char* path, const PoiseDiagnostics* read) {
    struct stat own;
    if (!path || stat(path, &own) != 0 || !S_ISREG(own.st_mode)) {
        return NULL;
    }
    const ReadFile* file = NULL;
    for (int i = 0; (file = poise__diagnostics_read(read, i)) != NULL; i++) {
        struct stat now = {.st_nlink = 0};
        const bool there = stat(file->path, &now) == 0;
        // Compares with the file as it was when the scene was read, and with the file that now has
        // its path.
        if ((file->device == (uint64_t)own.st_dev && file->inode == (uint64_t)own.st_ino) ||
            (there && now.st_dev == own.st_dev && now.st_ino == own.st_ino)) {
            return file->path;
        }
    }
    return NULL;
}
