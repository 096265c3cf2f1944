// SPDX-License-Identifier: MIT
// Preloaded: makes the call of number REFUSE_AT of the function REFUSE fail as on a system that has
// no room for it; `faults` has the functions and their errno. The calls of child processes count
// too. `clock_gettime` fails from that call on.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long* count;

__attribute__((constructor)) static void share_count(void) {
    void* memory =
        mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    count = memory == MAP_FAILED ? NULL : memory;
}

// The functions that may fail, with the errno that each then sets.
static const struct {
    const char* function;
    int error;
} faults[] = {{"fork", EAGAIN},   {"pipe", EMFILE},    {"socketpair", EMFILE},   {"open", ENFILE},
              {"fdopen", ENOMEM}, {"opendir", EMFILE}, {"mkstemp", ENOSPC},      {"mkdir", ENOSPC},
              {"fsync", EIO},     {"rename", ENOSPC},  {"clock_gettime", EINVAL}};

// Returns 1 and sets errno if this call has to fail.
static int refuses(const char* function) {
    const char* name = getenv("REFUSE");
    const char* at = getenv("REFUSE_AT");
    if (!count || !name || !at || strcmp(name, function) != 0) {
        return 0;
    }
    const long number = __sync_add_and_fetch(count, 1), due = atol(at);
    if (number < due || (number > due && strcmp(name, "clock_gettime") != 0)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        errno = strcmp(faults[i].function, name) == 0 ? faults[i].error : errno;
    }
    return 1;
}

// Finds the system's function. The cast turns a pointer to data into a pointer to a function.
#define REAL(type, name) *(void**)&name = dlsym(RTLD_NEXT, #type)

__attribute__((visibility("default"))) pid_t fork(void) {
    pid_t (*real)(void) = NULL;
    REAL(fork, real);
    return refuses("fork") ? -1 : real();
}

__attribute__((visibility("default"))) int pipe(int ends[2]) {
    int (*real)(int[2]) = NULL;
    REAL(pipe, real);
    return refuses("pipe") ? -1 : real(ends);
}

__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
    int (*real)(const char*, int, ...) = NULL;
    REAL(open, real);
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return refuses("open") ? -1 : real(path, flags, mode);
}

__attribute__((visibility("default"))) FILE* fdopen(int descriptor, const char* mode) {
    FILE* (*real)(int, const char*) = NULL;
    REAL(fdopen, real);
    return refuses("fdopen") ? NULL : real(descriptor, mode);
}

__attribute__((visibility("default"))) DIR* opendir(const char* path) {
    DIR* (*real)(const char*) = NULL;
    REAL(opendir, real);
    return refuses("opendir") ? NULL : real(path);
}

__attribute__((visibility("default"))) int socketpair(int domain, int type, int protocol,
                                                      int ends[2]) {
    int (*real)(int, int, int, int[2]) = NULL;
    REAL(socketpair, real);
    return refuses("socketpair") ? -1 : real(domain, type, protocol, ends);
}

__attribute__((visibility("default"))) int mkstemp(char* name) {
    int (*real)(char*) = NULL;
    REAL(mkstemp, real);
    return refuses("mkstemp") ? -1 : real(name);
}

__attribute__((visibility("default"))) int mkdir(const char* path, mode_t mode) {
    int (*real)(const char*, mode_t) = NULL;
    REAL(mkdir, real);
    return refuses("mkdir") ? -1 : real(path, mode);
}

__attribute__((visibility("default"))) int fsync(int descriptor) {
    int (*real)(int) = NULL;
    REAL(fsync, real);
    return refuses("fsync") ? -1 : real(descriptor);
}

__attribute__((visibility("default"))) int rename(const char* from, const char* to) {
    int (*real)(const char*, const char*) = NULL;
    REAL(rename, real);
    return refuses("rename") ? -1 : real(from, to);
}

// A clock that fails stands still.
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec* time) {
    int (*real)(clockid_t, struct timespec*) = NULL;
    REAL(clock_gettime, real);
    return refuses("clock_gettime") ? -1 : real(clock, time);
}
