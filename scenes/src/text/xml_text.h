// SPDX-License-Identifier: MIT
// A file's text as expat can read it.
#ifndef POISE_XML_TEXT_H
#define POISE_XML_TEXT_H

#include "arena.h"

typedef struct XmlText {
    const char* text; ///< the file's own bytes, or a copy of the same length
    size_t size;
    const char* encoding; ///< whatever the file declares; NULL: as it declares
    int skipped_lines;    ///< before `text`
    int skipped_columns;
} XmlText;

/// Leaves out what stands before the XML and mends comments. Where memory is short the text stays
/// as it is.
XmlText poise__xml_text(Arena* arena, const char* text, size_t size);

#endif
