// SPDX-License-Identifier: MIT
// Reads whole files as text, which the caller frees.
#ifndef POISE_TEST_TEXT_H
#define POISE_TEST_TEXT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_MOST = 1 << 20 };

/// Reads the rest of a file and closes it.
static inline char* text_of_file(FILE* file) {
    char* text = (char*)malloc(TEXT_MOST);
    cr_assert(file && text);
    text[fread(text, 1, TEXT_MOST - 1, file)] = '\0';
    cr_assert_eq(fclose(file), 0);
    return text;
}

static inline char* text_of(const char* path) {
    FILE* file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    return text_of_file(file);
}

#endif
