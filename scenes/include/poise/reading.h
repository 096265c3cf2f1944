// SPDX-License-Identifier: MIT
// Reads numbers, words and tables for programs with user input, by the same rules as the library.
#ifndef POISE_READING_H
#define POISE_READING_H

#include <stdio.h>

#include "poise/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Result of reading a text as a number.
typedef enum PoiseNumberKind {
    POISE_NUMBER_FINE = 0,
    POISE_NUMBER_INFINITE = 1, ///< inf, +inf, -inf, .inf: written as a word
    POISE_NUMBER_NAN = 2,
    POISE_NUMBER_TOO_LARGE = 3, ///< above the range of a double: 1e999
    POISE_NUMBER_NONE = 4       ///< anything else, hexadecimal and octal forms included
} PoiseNumberKind;

/// Reads a decimal number that is the whole text; spaces around the number are allowed. `value`
/// gets the number (FINE) or the infinity (INFINITE), else 0, in the unit of the text. Returns
/// POISE_NUMBER_NONE for NULL.
POISE_API PoiseNumberKind poise_number_read(const char* text, double* value);
/// Reads numbers, separated by spaces or commas, into `values`, an array of `count`, in the text's
/// unit. Returns how many numbers the text has; numbers beyond `count` are counted but not stored.
/// `kind` gets the worst of their kinds. Returns 0, with POISE_NUMBER_NONE, for NULL or a negative
/// count.
POISE_API int poise_numbers_read(const char* text, double* values, int count,
                                 PoiseNumberKind* kind);

/// Writes "; did you mean 'prismatic'?" into `text` if one of the candidates, an array of `count`
/// keywords, resembles the written word. Writes "; here it is called 'hinge'" if the written word
/// is another program's name for a candidate. Otherwise writes "". Returns `text`; "" if there is
/// no room. See poise_scene_guess for names that users choose.
POISE_API const char* poise_word_guess(const char* written, const char* const* candidates,
                                       int count, char* text, size_t capacity);

/// Returns the maximal size of a table in bytes, 1 GB. `why` (NULL: not wanted) gets a sentence
/// that names this limit.
POISE_API size_t poise_table_most(const char** why);
/// Opens a table of numbers, a regular file or a pipe, without waiting for a writer. The caller
/// closes it by fclose. Returns NULL, with errno set and the reason in `why`, if the file cannot be
/// read or an argument is NULL.
POISE_API FILE* poise_table_open(const char* path, const char** why);

/// Prints the reference of the scene format as Markdown, from the table that reads scenes. `poise
/// format` and the README show it. Does nothing for NULL.
POISE_API void poise_format_print(FILE* out);
/// Prints the scene format as a JSON Schema, for editors. Does nothing for NULL.
POISE_API void poise_format_print_json(FILE* out);

#ifdef __cplusplus
}
#endif

#endif
