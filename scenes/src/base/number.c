// SPDX-License-Identifier: MIT
// Reads strict decimal numbers. Other texts that strtod accepts (nan, 0x10, trailing letters) are
// refused.
#include "number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Largest number of letters of a number. Longer texts are refused.
#define LONGEST 63

static size_t count_digits(const char* text) {
    size_t count = 0;
    while (isdigit((unsigned char)text[count])) {
        count++;
    }
    return count;
}

static bool is_decimal(const char* text) {
    if (*text == '+' || *text == '-') {
        text++;
    }
    size_t whole = count_digits(text);
    text += whole;
    size_t fraction = 0;
    if (*text == '.') {
        fraction = count_digits(text + 1);
        text += 1 + fraction;
    }
    if (whole + fraction == 0) {
        return false;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        if (*text == '+' || *text == '-') {
            text++;
        }
        size_t digits = count_digits(text);
        if (digits == 0) {
            return false;
        }
        text += digits;
    }
    return *text == '\0';
}

static bool is_word(const char* text, const char* word) {
    for (; *text && *word; text++, word++) {
        if (tolower((unsigned char)*text) != *word) {
            return false;
        }
    }
    return *text == *word;
}

static PoiseNumberKind parse_word(const char* text, double* value) {
    double sign = *text == '-' ? -1.0 : 1.0;
    if (*text == '+' || *text == '-') {
        text++;
    }
    if (*text == '.') {
        text++;
    }
    if (is_word(text, "inf") || is_word(text, "infinity")) {
        *value = sign * (double)INFINITY;
        return POISE_NUMBER_INFINITE;
    }
    return is_word(text, "nan") ? POISE_NUMBER_NAN : POISE_NUMBER_NONE;
}

PoiseNumberKind poise_number_read(const char* text, double* value) {
    if (!text || !value) {
        return POISE_NUMBER_NONE;
    }
    *value = 0.0;
    while (isspace((unsigned char)*text)) {
        text++;
    }
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    char word[LONGEST + 1];
    if (length == 0 || length > LONGEST) {
        return POISE_NUMBER_NONE;
    }
    memcpy(word, text, length);
    word[length] = '\0';

    if (!is_decimal(word)) {
        return parse_word(word, value);
    }
    double parsed = strtod(word, NULL);
    if (!isfinite(parsed)) {
        return POISE_NUMBER_TOO_LARGE;
    }
    *value = parsed;
    return POISE_NUMBER_FINE;
}

static bool separates(char letter) {
    return letter == ',' || isspace((unsigned char)letter);
}

int poise_numbers_read(const char* text, double* values, int count, PoiseNumberKind* kind) {
    int found = 0;
    if (!kind) {
        return 0;
    }
    *kind = text && values && count >= 0 ? POISE_NUMBER_FINE : POISE_NUMBER_NONE;
    if (*kind == POISE_NUMBER_NONE) {
        return 0;
    }
    for (;;) {
        while (separates(*text)) {
            text++;
        }
        if (!*text) {
            return found;
        }
        size_t length = 0;
        while (text[length] && !separates(text[length])) {
            length++;
        }
        char word[LONGEST + 1];
        size_t kept = length < LONGEST ? length : LONGEST;
        memcpy(word, text, kept);
        word[kept] = '\0';
        double value = 0.0;
        PoiseNumberKind read =
            length > LONGEST ? POISE_NUMBER_NONE : poise_number_read(word, &value);
        *kind = read > *kind ? read : *kind;
        if (found < count) {
            values[found] = value;
        }
        found++;
        text += length;
    }
}
