// SPDX-License-Identifier: MIT
#include "any_call.h"

#include <string.h>

#include "calls.h"
#include "demand.h"
#include "poise/node.h"
#include "poise/spring.h"

enum { NUMBERS = 4096, MOST_FUNCTIONS = 600 };

/// Types of parameters that consist of numbers only.
static const struct {
    const char* type;
    size_t size;
} types[] = {{"double", sizeof(double)},           {"PoiseVec3", sizeof(PoiseVec3)},
             {"PoiseQuat", sizeof(PoiseQuat)},     {"PoisePose", sizeof(PoisePose)},
             {"PoiseSpring", sizeof(PoiseSpring)}, {"PoiseLimits", sizeof(PoiseLimits)}};

typedef union Value {
    double numbers[16];
    const void* pointer;
    int number;
    unsigned bits;
    bool yes;
} Value;

static const Supply* supply_of(const char* type, const Supply* supplies, int count) {
    const char* plain = strncmp(type, "const ", 6) == 0 ? type + 6 : type;
    for (int i = 0; i < count; i++) {
        if (strcmp(supplies[i].type, plain) == 0) {
            return &supplies[i];
        }
    }
    return NULL;
}

// Fills a value of the type from the input (NULL: fills nothing). Returns false if no value of this
// type can be made.
static bool fill(Value* value, const char* type, const Supply* supply, Input* input) {
    static double given[NUMBERS], results[NUMBERS];
    if (supply) {
        if (input) {
            const size_t at = input_byte(input) % (unsigned)supply->count;
            memcpy(value, (const char*)supply->values + at * supply->size, supply->size);
        }
        return true;
    }
    double* numbers = value->numbers;
    size_t count = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        count = strcmp(type, types[i].type) == 0 ? types[i].size / sizeof(double) : count;
    }
    if (strcmp(type, "const double*") == 0) {
        value->pointer = numbers = given;
        count = POISE_MAX_POSTURE;
    } else if (strcmp(type, "double*") == 0) {
        value->pointer = results;
        return true;
    }
    for (size_t i = 0; input && i < count; i++) {
        numbers[i] = input_number(input);
    }
    if (count > 0) {
        return true;
    }
    const unsigned byte = input ? input_byte(input) : 0;
    if (strcmp(type, "bool") == 0) {
        value->yes = byte % 2 == 1;
    } else if (strcmp(type, "unsigned") == 0 || strcmp(type, "enum") == 0) {
        value->bits = byte % 72; // all sets of six rows, and more
    } else if (strcmp(type, "int") == 0) {
        value->number = (int)(byte % 10) - 1;
    } else {
        return false;
    }
    return true;
}

static bool is_callable(const Call* call, const Supply* supplies, int count) {
    Value value;
    bool callable = call->gives == CALL_GIVES_STATUS;
    for (int p = 0; callable && p < call->count; p++) {
        const char* type = call->parameters[p].type;
        callable = fill(&value, type, supply_of(type, supplies, count), NULL);
    }
    return callable;
}

void any_call(Input* input, const Supply* supplies, int count) {
    static const Call* functions[MOST_FUNCTIONS];
    static int function_count = 0;
    for (int i = 0; function_count == 0 && i < call_count; i++) {
        functions[function_count] = &calls[i];
        function_count += is_callable(&calls[i], supplies, count);
        demand(function_count < MOST_FUNCTIONS, "there is room for all functions");
    }
    const Call* call = functions[input_byte(input) % (unsigned)function_count];
    Value values[CALL_MOST_PARAMETERS];
    const void* arguments[CALL_MOST_PARAMETERS];
    CallResult result;
    memset(values, 0, sizeof values);
    for (int p = 0; p < call->count; p++) {
        const char* type = call->parameters[p].type;
        fill(&values[p], type, supply_of(type, supplies, count), input);
        arguments[p] = &values[p];
    }
    call->call(arguments, &result);
}
