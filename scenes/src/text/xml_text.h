// SPDX-License-Identifier: MIT
// A file's text in a form that expat can read.
#ifndef POISE_XML_TEXT_H
#define POISE_XML_TEXT_H

#include "arena.h"

typedef struct XmlText {
    const char* text; ///< bytes of the file, or a changed copy of the same length
    size_t size;
    const char* encoding; ///< encoding, overriding the declared one; NULL: as declared
    int skipped_lines;    ///< lines of the file before `text`
    int skipped_columns;
    int odd_line; ///< first line of `text` with a '<!' that was blanked; 0: none
} XmlText;

/// Skips the bytes before the XML and repairs comments. Blanks a '<!' that begins no comment, up to
/// the next '>', as tinyxml2 does. The text stays unchanged if memory is short.
XmlText poise__xml_text(Arena* arena, const char* text, size_t size);

#endif
