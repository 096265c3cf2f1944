// SPDX-License-Identifier: MIT
// Preloaded: makes the call of number REFUSE_AT of the function REFUSE fail (fork, pipe, open,
// fdopen or opendir). The call fails as on a system without resources. The calls of child processes
// count too.
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
#include <unistd.h>

static long* count;

__attribute__((constructor)) static void share_count(void) {
    void* memory =
        mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    count = memory == MAP_FAILED ? NULL : memory;
}

// Returns 1 and sets errno if this call has to fail.
static int refuses(const char* function, int error) {
    const char* name = getenv("REFUSE");
    const char* at = getenv("REFUSE_AT");
    if (!count || !name || !at || strcmp(name, function) != 0 ||
        __sync_add_and_fetch(count, 1) != atol(at)) {
        return 0;
    }
    errno = error;
    return 1;
}

// Finds the system's function. The cast turns a pointer to data into a pointer to a function.
#define REAL(type, name) *(void**)&name = dlsym(RTLD_NEXT, #type)

__attribute__((visibility("default"))) pid_t fork(void) {
    pid_t (*real)(void) = NULL;
    REAL(fork, real);
    return refuses("fork", EAGAIN) ? -1 : real();
}

__attribute__((visibility("default"))) int pipe(int ends[2]) {
    int (*real)(int[2]) = NULL;
    REAL(pipe, real);
    return refuses("pipe", EMFILE) ? -1 : real(ends);
}

__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
    int (*real)(const char*, int, ...) = NULL;
    REAL(open, real);
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return refuses("open", ENFILE) ? -1 : real(path, flags, mode);
}

__attribute__((visibility("default"))) FILE* fdopen(int descriptor, const char* mode) {
    FILE* (*real)(int, const char*) = NULL;
    REAL(fdopen, real);
    return refuses("fdopen", ENOMEM) ? NULL : real(descriptor, mode);
}

__attribute__((visibility("default"))) DIR* opendir(const char* path) {
    DIR* (*real)(const char*) = NULL;
    REAL(opendir, real);
    return refuses("opendir", EMFILE) ? NULL : real(path);
}
