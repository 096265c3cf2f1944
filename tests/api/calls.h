// SPDX-License-Identifier: MIT
// Every public function and every member of every public struct, as tables that calls.awk makes of
// the headers; and the values, good and bad, that they are called with.
#ifndef POISE_TEST_CALLS_H
#define POISE_TEST_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "poise/base.h"

typedef enum CallGives {
    CALL_GIVES_STATUS,
    CALL_GIVES_POINTER,
    CALL_GIVES_HANDLE,
    CALL_GIVES_TEXT, ///< of a `_problem`: what is wrong
    CALL_GIVES_VALUE
} CallGives;

typedef struct CallResult {
    PoiseStatus status;
    const void* pointer;
    uint32_t index1;
} CallResult;

typedef struct CallParameter {
    const char* type; ///< "enum" for every enumeration; arrays as pointers
    const char* name;
} CallParameter;

enum { CALL_MOST_PARAMETERS = 6 };

typedef struct Call {
    const char* function;
    const char* header;
    CallGives gives;
    int count;
    CallParameter parameters[CALL_MOST_PARAMETERS];
    /// `arguments` point to values of the parameters' types.
    void (*call)(const void* const* arguments, CallResult* result);
} Call;

extern const Call calls[];
extern const int call_count;

/// A member of a struct that is one value; of an array the first and the last.
typedef struct Leaf {
    const char* structure;
    size_t size;      ///< of the whole struct
    const char* path; ///< "in_link.p.x"
    const char* type;
    size_t offset;
} Leaf;

extern const Leaf leaves[];
extern const int leaf_count;

#endif
