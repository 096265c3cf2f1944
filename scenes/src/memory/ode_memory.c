// SPDX-License-Identifier: MIT
// Gives ODE memory from a reserve when memory is short, because ODE does not check its small
// requests. The program asks afterwards if memory was short, and ends in order.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ode/ode.h>

#include "poise/ode_memory.h"
#include "poise/output.h"

enum {
    // Size in bytes from which ODE checks a request: only that for the matrix of a step is larger.
    LEAST_CHECKED = 1 << 19,
    RESERVE_SIZE = 1 << 22
};

// Global, since ODE's handlers get no pointer.
static struct {
    _Alignas(max_align_t) unsigned char bytes[RESERVE_SIZE];
    size_t used;
} reserve;

// Name and exit code of the program's message. Libraries allocate before main calls
// poise_ode_memory_guard, hence the initial values. They are not in `reserve`, because a struct
// that is all zeros needs no space in the program's file.
static struct {
    const char* program;
    int exit_code;
} end = {"poise", 3};

static _Noreturn void end_in_order(void) {
    fprintf(stderr, "%s: memory is short\n", end.program);
    poise_output_remove_open();
    _Exit(end.exit_code);
}

static void* allocate_from_reserve(size_t size) {
    const size_t alignment = _Alignof(max_align_t);
    const size_t whole = (size + alignment - 1) / alignment * alignment;
    if (whole > RESERVE_SIZE - reserve.used) {
        end_in_order();
    }
    void* memory = &reserve.bytes[reserve.used];
    reserve.used += whole > 0 ? whole : alignment;
    return memory;
}

static void* allocate(dsizeint size) {
    void* memory = malloc(size);
    return memory || size >= LEAST_CHECKED ? memory : allocate_from_reserve(size);
}

static void release(void* memory, dsizeint size) {
    (void)size;
    const unsigned char* byte = memory;
    const bool reserved = byte >= reserve.bytes && byte < reserve.bytes + RESERVE_SIZE;
    if (!reserved) {
        free(memory);
    }
}

static void* reallocate(void* memory, dsizeint old_size, dsizeint size) {
    void* moved = allocate(size);
    if (moved && memory) {
        memcpy(moved, memory, old_size < size ? old_size : size);
        release(memory, old_size);
    }
    return moved;
}

void poise_ode_memory_guard(const char* program, int exit_code) {
    end.program = program;
    end.exit_code = exit_code;
    dSetAllocHandler(allocate);
    dSetReallocHandler(reallocate);
    dSetFreeHandler(release);
}

// ODE creates some objects (geoms) by C++'s `new`, whose exception would end the program. These
// functions replace `new`, by its name in the C++ ABI where size_t is unsigned long.
#if defined(__LP64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* poise__cpp_new(size_t size) __asm__("_Znwm") __attribute__((visibility("default")));
void* poise__cpp_new_array(size_t size) __asm__("_Znam") __attribute__((visibility("default")));

void* poise__cpp_new(size_t size) {
    void* memory = malloc(size > 0 ? size : 1);
    if (!memory) {
        end_in_order();
    }
    return memory;
}

void* poise__cpp_new_array(size_t size) {
    return poise__cpp_new(size);
}
#endif

bool poise_ode_memory_was_short(void) {
    return reserve.used > 0;
}
