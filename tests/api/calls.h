// SPDX-License-Identifier: MIT
// Tables that calls.awk makes from the headers: every public function, every member of every public
// struct, and every member of the stage.
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
    CALL_GIVES_TEXT, ///< text that a `_problem` function returns
    CALL_GIVES_VALUE
} CallGives;

enum { CALL_LARGEST_RESULT = 4096 };

typedef struct CallResult {
    PoiseStatus status;
    const void* pointer;
    uint32_t index1;
    size_t size; ///< bytes of the parameter if it is a handle or a value; 0: neither
    _Alignas(max_align_t) unsigned char bytes[CALL_LARGEST_RESULT];
} CallResult;

typedef struct CallParameter {
    const char* type; ///< type without const; "enum" for every enumeration; a pointer for an array
    const char* name;
} CallParameter;

enum { CALL_MOST_PARAMETERS = 6 };

typedef struct Call {
    const char* function;
    const char* header;
    CallGives gives;
    const char* returns; ///< type that the function returns; "enum" for every enumeration
    int count;
    CallParameter parameters[CALL_MOST_PARAMETERS];
    /// Calls the function; `arguments` point to values of the parameters' types.
    void (*call)(const void* const* arguments, CallResult* result);
} Call;

extern const Call calls[];
extern const int call_count;

/// A scalar member of a struct. An array is represented by two: its first and its last element.
typedef struct Leaf {
    const char* structure;
    size_t size;      ///< size of the whole struct that has the member
    const char* path; ///< how C reaches the member, such as "in_link.p.x"
    const char* type;
    size_t offset;
} Leaf;

extern const Leaf leaves[];
extern const int leaf_count;

/// A member of the stage, or of its wrong values. An array is represented by its first element.
typedef struct Thing {
    const char* name;
    const char* type;
    size_t offset; ///< offset of the member in the stage
    size_t size;   ///< size of the member, or of an element of an array
} Thing;

extern const Thing things[];
extern const int thing_count;

#endif
