// SPDX-License-Identifier: MIT
// Patterns of names: * stands for any letters, ? for one.
#include <string.h>

#include "build.h"

bool poise__pattern_is(const char* name) {
    return strpbrk(name, "*?") != NULL;
}

bool poise__pattern_fits(const char* pattern, const char* name) {
    // where to go on when the letters after the last star do not fit
    const char* star = NULL;
    const char* resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            resume = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}
