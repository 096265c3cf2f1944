// SPDX-License-Identifier: MIT
// Converts any bytes to valid text without control characters.
#include <stdint.h>
#include <string.h>

#include "canvas.h"

// Returns the letter at the start of the text, and its number of bytes; 0 for bytes that are no
// UTF-8.
static uint32_t decode(const unsigned char* text, int* bytes) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int count = text[0] < 0x80             ? 1
                : (text[0] & 0xe0) == 0xc0 ? 2
                : (text[0] & 0xf0) == 0xe0 ? 3
                : (text[0] & 0xf8) == 0xf0 ? 4
                                           : 0;
    *bytes = 1;
    if (count == 0) {
        return 0;
    }
    uint32_t letter = count == 1 ? text[0] : text[0] & (0xffu >> (count + 1));
    for (int i = 1; i < count; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        letter = letter << 6 | (text[i] & 0x3fu);
    }
    if (letter < least[count] || letter > 0x10ffff) {
        return 0;
    }
    *bytes = count;
    return letter;
}

static void append(char clean[CANVAS_TEXT], const char* text, size_t size) {
    const size_t length = strlen(clean);
    if (length + size < CANVAS_TEXT) {
        memcpy(clean + length, text, size);
        clean[length + size] = '\0';
    }
}

void canvas_clean(char clean[CANVAS_TEXT], const char* text, int most) {
    static const char replacement[] = "\xef\xbf\xbd";
    static const char more[] = "...";
    for (int letters = 0; *text; letters++) {
        int bytes = 1;
        const uint32_t letter = decode((const unsigned char*)text, &bytes);
        if (letters == most) {
            append(clean, more, strlen(more));
            return;
        }
        bool control = letter < 0x20 || (letter >= 0x7f && letter < 0xa0);
        if (!control && !((letter >= 0xd800 && letter < 0xe000) || (letter & 0xfffe) == 0xfffe)) {
            append(clean, text, (size_t)bytes);
        } else {
            append(clean, replacement, strlen(replacement));
        }
        text += bytes;
    }
}
