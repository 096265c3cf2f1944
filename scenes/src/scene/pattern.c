// SPDX-License-Identifier: MIT
// Matches names with patterns: * stands for any letters, ? for one letter.
#include <string.h>

#include "builder.h"

bool poise__pattern_is(const char* name) {
    return strpbrk(name, "*?") != NULL;
}

bool poise__pattern_fits(const char* pattern, const char* name) {
    // After a mismatch the last star matches one more letter, and matching resumes after the star.
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

bool poise__build_fits_any(const Builder* builder, const char* pattern, JointNames names) {
    for (int i = names.first; i < builder->joint_count; i++) {
        if (poise__pattern_fits(pattern, builder->joints[i].name + names.prefix)) {
            return true;
        }
    }
    return false;
}

const char* poise__build_guess_pattern(const Builder* builder, const char* pattern,
                                       JointNames names, char* text, size_t capacity) {
    Suggestion suggestion = poise__suggestion_for(builder->diagnostics, pattern);
    for (int i = names.first; i < builder->joint_count; i++) {
        poise__suggestion_offer_fitting(&suggestion, builder->joints[i].name + names.prefix,
                                        poise__pattern_fits, builder->arena);
    }
    return poise__suggestion_text(&suggestion, text, capacity);
}
