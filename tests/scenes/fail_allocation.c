// SPDX-License-Identifier: MIT
// Preloaded: the allocation of number FAIL_AT fails, and with FAIL_FOREVER all after it. FAIL_COUNT
// says at the end how many there were. FAIL_EARLY counts those of libraries before main, too.
// HANG_UP: a signal comes as a temporary file is made. Or linked into a test, by fail_allocation.h.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail_allocation.h"

typedef void* Function;

static struct {
    void* (*malloc)(size_t);
    void* (*calloc)(size_t, size_t);
    void* (*realloc)(void*, size_t);
    void (*free)(void*);
    long* count; ///< of the program and of those it makes
    long fail_at;
    int forever;
    int busy;
    int armed; ///< without FAIL_EARLY what libraries do before main does not count
} real;

// dlsym asks for memory itself
static _Alignas(16) unsigned char first[65536];
static size_t first_used;

static void find(void) {
    if (!real.malloc && !real.busy) {
        real.busy = 1;
        *(Function*)&real.malloc = dlsym(RTLD_NEXT, "malloc");
        *(Function*)&real.calloc = dlsym(RTLD_NEXT, "calloc");
        *(Function*)&real.realloc = dlsym(RTLD_NEXT, "realloc");
        *(Function*)&real.free = dlsym(RTLD_NEXT, "free");
        const char* at = getenv("FAIL_AT");
        const char* forever = getenv("FAIL_FOREVER");
        real.fail_at = at ? atol(at) : 0;
        real.count = mmap(NULL, sizeof *real.count, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        real.forever = forever && forever[0];
        real.armed = getenv("FAIL_EARLY") != NULL;
        real.busy = 0;
    }
}

static int fails(void) {
    const long n = real.armed ? __sync_add_and_fetch(real.count, 1) : 0;
    const int fail =
        n > 0 && real.fail_at > 0 && (n == real.fail_at || (real.forever && n > real.fail_at));
    errno = fail ? ENOMEM : errno;
    return fail;
}

__attribute__((visibility("default"))) void* malloc(size_t size) {
    find();
    return !real.malloc || fails() ? NULL : real.malloc(size);
}

__attribute__((visibility("default"))) void* realloc(void* memory, size_t size) {
    find();
    return !real.realloc || fails() ? NULL : real.realloc(memory, size);
}

__attribute__((visibility("default"))) void free(void* memory) {
    const unsigned char* byte = memory;
    if (byte >= first && byte < first + sizeof first) {
        return;
    }
    find();
    if (real.free) {
        real.free(memory);
    }
}

__attribute__((visibility("default"))) void* calloc(size_t count, size_t size) {
    find();
    if (!real.calloc) {
        void* memory = &first[first_used];
        first_used += (count * size + 15) & ~(size_t)15;
        return memory;
    }
    return fails() ? NULL : real.calloc(count, size);
}

__attribute__((visibility("default"))) int mkstemp(char* name) {
    int (*make)(char*) = NULL;
    *(Function*)&make = dlsym(RTLD_NEXT, "mkstemp");
    const int descriptor = make(name);
    if (getenv("HANG_UP")) {
        (void)raise(SIGHUP);
    }
    return descriptor;
}

long fail_allocation_in(long n) {
    const long before = *real.count;
    *real.count = 0;
    real.fail_at = n;
    return before;
}

void* allocate_always(size_t size) {
    find();
    return real.malloc(size);
}

// that of what is preloaded runs last
__attribute__((constructor)) static void arm(void) {
    find();
    real.armed = 1;
}

__attribute__((destructor)) static void say_count(void) {
    if (getenv("FAIL_COUNT")) {
        char text[64];
        const int length = snprintf(text, sizeof text, "ALLOCATIONS %ld\n", *real.count);
        if (write(STDERR_FILENO, text, (size_t)length) < 0) {
            _exit(1);
        }
    }
}
