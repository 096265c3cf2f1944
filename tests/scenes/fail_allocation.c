// SPDX-License-Identifier: MIT
// Makes allocations fail. The library is preloaded, or linked into a test (fail_allocation.h). It
// reads the environment. FAIL_AT: number of the allocation that fails. FAIL_FOREVER: all later
// allocations fail too. FAIL_COUNT: the number of allocations is printed at the end. FAIL_EARLY:
// allocations of libraries before main are numbered too. FAIL_OF: only allocations are numbered
// whose caller lies in a program or library with this text in its path. HANG_UP: SIGHUP is raised
// when a temporary file is made.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail_allocation.h"

typedef void* Function;

static struct {
    void* (*malloc)(size_t);
    void* (*calloc)(size_t, size_t);
    void* (*realloc)(void*, size_t);
    void (*free)(void*);
    long* count; ///< allocations of the program and its child processes
    long fail_at;
    const char* of;
    int forever;
    int busy;
    int armed; ///< 0 before main without FAIL_EARLY: allocations of libraries are not numbered
} real;

// Memory for dlsym, which calls calloc before the real calloc is known.
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
        real.of = getenv("FAIL_OF");
        real.count = mmap(NULL, sizeof *real.count, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        real.forever = forever && forever[0];
        real.armed = getenv("FAIL_EARLY") != NULL;
        real.busy = 0;
    }
}

// True if the caller lies in the file that FAIL_OF names, and is not C++'s `new`, which the
// programs export for all libraries.
static int is_of(const void* caller) {
    Dl_info of;
    return dladdr(caller, &of) != 0 && strstr(of.dli_fname, real.of) &&
           !(of.dli_sname && strncmp(of.dli_sname, "_Zn", 3) == 0);
}

// True if allocations of the caller are numbered. Graphics allocates 100,000 times from a few
// places, so the answers are stored: twice the caller's address, plus 1 for true.
static int counts(const void* caller) {
    static uintptr_t known[4096];
    if (!real.armed || !real.of) {
        return real.armed;
    }
    uintptr_t* place = &known[((uintptr_t)caller >> 1) % (sizeof known / sizeof *known)];
    uintptr_t found = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (found >> 1 != (uintptr_t)caller) {
        found = ((uintptr_t)caller << 1) + (is_of(caller) ? 1 : 0);
        __atomic_store_n(place, found, __ATOMIC_RELAXED);
    }
    return (int)(found & 1);
}

static int fails(const void* caller) {
    const long n = counts(caller) ? __sync_add_and_fetch(real.count, 1) : 0;
    const int fail =
        n > 0 && real.fail_at > 0 && (n == real.fail_at || (real.forever && n > real.fail_at));
    errno = fail ? ENOMEM : errno;
    return fail;
}

__attribute__((visibility("default"))) void* malloc(size_t size) {
    find();
    return !real.malloc || fails(__builtin_return_address(0)) ? NULL : real.malloc(size);
}

__attribute__((visibility("default"))) void* realloc(void* memory, size_t size) {
    find();
    return !real.realloc || fails(__builtin_return_address(0)) ? NULL : real.realloc(memory, size);
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
    return fails(__builtin_return_address(0)) ? NULL : real.calloc(count, size);
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

// Runs after the constructors of all other libraries, because this library is preloaded.
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
