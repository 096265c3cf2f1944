// SPDX-License-Identifier: MIT
// Changes text that expat refuses although other parsers read it as XML, such as comments that
// contain "--", a blank line or comment before <?xml, or a wrongly declared encoding.
#include <ctype.h>
#include <string.h>

#include "xml_text.h"

static bool begins(const char* text, size_t size, const char* word) {
    const size_t length = strlen(word);
    return size >= length && memcmp(text, word, length) == 0;
}

// Returns the comment's length in bytes, 0 if the comment does not end.
static size_t comment_length(const char* text, size_t size) {
    for (size_t i = strlen("<!--"); i + 3 <= size; i++) {
        if (memcmp(text + i, "-->", 3) == 0) {
            return i + 3;
        }
    }
    return 0;
}

static void skip(XmlText* text, size_t count) {
    for (size_t i = 0; i < count && text->size > 0; i++) {
        bool newline = *text->text == '\n';
        text->skipped_lines += newline ? 1 : 0;
        text->skipped_columns = newline ? 0 : text->skipped_columns + 1;
        text->text++;
        text->size--;
    }
}

static void skip_blank(XmlText* text) {
    while (text->size > 0 && isspace((unsigned char)*text->text)) {
        skip(text, 1);
    }
}

// Skips a byte order mark, blanks and comments before <?xml, which expat refuses though other
// parsers accept them. If there is no <?xml, expat accepts comments, so they stay.
static void skip_leading(XmlText* text) {
    if (begins(text->text, text->size, "\xef\xbb\xbf")) {
        text->text += 3;
        text->size -= 3;
    }
    const XmlText before = *text;
    size_t comment = 1;
    while (comment > 0) {
        skip_blank(text);
        comment =
            begins(text->text, text->size, "<!--") ? comment_length(text->text, text->size) : 0;
        skip(text, comment);
    }
    if (!begins(text->text, text->size, "<?xml")) {
        *text = before;
        skip_blank(text);
    }
}

// -------------------------------------------------------------------------------------- encodings

// Returns the number of bytes of the letter at the start of the text, 0 if it is not UTF-8.
static size_t letter_length(const unsigned char* text, size_t size) {
    const unsigned char first = text[0];
    const size_t length = first < 0x80                    ? 1
                          : first >= 0xc2 && first < 0xe0 ? 2
                          : first >= 0xe0 && first < 0xf0 ? 3
                          : first >= 0xf0 && first < 0xf5 ? 4
                                                          : 0;
    for (size_t i = 1; i < length; i++) {
        if (i >= size || (text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

static bool is_utf8(const char* text, size_t size) {
    size_t at = 0;
    while (at < size) {
        const size_t length = letter_length((const unsigned char*)text + at, size - at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

// --------------------------------------------------------------------------------------- comments

// Returns a copy in which dots replace the dashes that expat refuses inside comments, so that lines
// and columns stay. Returns `text` itself if there is no such dash or memory is short.
static const char* without_dashes(Arena* arena, const char* text, size_t size) {
    char* copy = NULL;
    size_t at = 0;
    while (at < size) {
        const bool comment = begins(text + at, size - at, "<!--");
        const size_t length = comment ? comment_length(text + at, size - at) : 0;
        for (size_t i = at + 4; length > 0 && i + 3 < at + length; i++) {
            const bool last = i + 4 == at + length;
            if (text[i] == '-' && (text[i + 1] == '-' || last)) {
                copy = copy ? copy : poise__arena_copy(arena, text, size);
                if (!copy) {
                    return text;
                }
                copy[i] = '.';
            }
        }
        at += length > 0 ? length : 1;
    }
    return copy ? copy : text;
}

// Returns the length of a declaration '<!...>', other than a comment or CDATA, at the start of the
// text; 0 if there is none.
static size_t odd_length(const char* text, size_t size) {
    if (!begins(text, size, "<!") || begins(text, size, "<!--") ||
        begins(text, size, "<![CDATA[")) {
        return 0;
    }
    const char* end = memchr(text, '>', size);
    return end ? (size_t)(end - text) + 1 : 0;
}

// Blanks declarations inside the document, such as the broken comment '<!-\- ... >'. Does nothing
// if there is a <!DOCTYPE, which may contain declarations.
static void blank_declarations(Arena* arena, XmlText* made) {
    char* copy = NULL;
    int line = 1;
    for (size_t at = 0; at < made->size; at++) {
        const char* here = made->text + at;
        if (begins(here, made->size - at, "<!DOCTYPE")) {
            return;
        }
        const bool comment = begins(here, made->size - at, "<!--");
        const size_t odd = odd_length(here, made->size - at);
        copy = odd > 0 && !copy ? poise__arena_copy(arena, made->text, made->size) : copy;
        if (odd > 0 && !copy) {
            return;
        }
        made->odd_line = odd > 0 && made->odd_line == 0 ? line : made->odd_line;
        const size_t length = comment ? comment_length(here, made->size - at) : odd;
        for (size_t i = 0; i < length; i++) {
            const bool newline = here[i] == '\n';
            line += newline ? 1 : 0;
            if (odd > 0 && !newline) {
                copy[at + i] = ' ';
            }
        }
        line += length == 0 && *here == '\n' ? 1 : 0;
        at += length > 0 ? length - 1 : 0;
    }
    made->text = copy ? copy : made->text;
}

XmlText poise__xml_text(Arena* arena, const char* text, size_t size) {
    XmlText made = {.text = text, .size = size};
    // A text in UTF-16 begins with a byte order mark.
    if (begins(text, size, "\xff\xfe") || begins(text, size, "\xfe\xff")) {
        return made;
    }
    skip_leading(&made);
    // The encoding that the file declares is often wrong, so it is guessed. A wrong guess changes
    // only letters beyond ASCII.
    made.encoding = is_utf8(made.text, made.size) ? "UTF-8" : "ISO-8859-1";
    made.text = without_dashes(arena, made.text, made.size);
    blank_declarations(arena, &made);
    return made;
}
