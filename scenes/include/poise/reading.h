// SPDX-License-Identifier: MIT
// What a program that takes numbers, words and tables from people reads them with, so that it
// refuses what the library refuses.
#ifndef POISE_READING_H
#define POISE_READING_H

#include <stdio.h>

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a text is as a number.
typedef enum PoiseNumberKind {
    POISE_NUMBER_FINE = 0,
    POISE_NUMBER_INFINITE = 1, ///< inf, +inf, -inf, .inf: written as a word
    POISE_NUMBER_NAN = 2,
    POISE_NUMBER_TOO_LARGE = 3, ///< 1e999
    POISE_NUMBER_NONE = 4       ///< anything else, hexadecimal and octal forms included
} PoiseNumberKind;

/// Reads a decimal number that is the whole text, spaces around it allowed. `value` gets the number
/// (FINE) or the infinity (INFINITE), else 0, in the unit of the text. POISE_NUMBER_NONE for NULL.
POISE_API PoiseNumberKind poise_number_read(const char* text, double* value);
/// Reads numbers with spaces or commas between them into `values`, an array of `count`. Returns how
/// many there were; more than `count` are counted, but not kept. Their unit is that of the text.
/// `kind` gets the worst of their kinds. 0, and POISE_NUMBER_NONE, for NULL or a negative count.
POISE_API int poise_numbers_read(const char* text, double* values, int count,
                                 PoiseNumberKind* kind);

/// "; did you mean 'prismatic'?" in `text` where one of the candidates, an array of `count` words
/// of a language, is much like what was written, or "; here it is called 'hinge'" where it is what
/// other programs call it; else "". Returns `text`; "" where there is no room. See
/// poise_scene_guess for names that people give.
POISE_API const char* poise_word_guess(const char* written, const char* const* candidates,
                                       int count, char* text, size_t capacity);

/// The most bytes that a table may have, 1 GB; `why` (NULL: not wanted) gets a text that says so.
POISE_API size_t poise_table_most(const char** why);
/// A table of numbers to read, opened without waiting for anybody: a regular file, or a pipe. To be
/// closed by fclose; NULL, with errno and, in `why`, the reason in words, where it cannot be read
/// or an argument is NULL.
POISE_API FILE* poise_table_open(const char* path, const char** why);

/// Prints the reference of the scene format as Markdown, from the table that reads scenes: what
/// `poise format` prints and README shows. Nothing for NULL.
POISE_API void poise_format_print(FILE* out);
/// The same as a JSON Schema, for editors.
POISE_API void poise_format_print_json(FILE* out);

#ifdef __cplusplus
}
#endif

#endif
