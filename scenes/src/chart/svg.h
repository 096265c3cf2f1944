// SPDX-License-Identifier: MIT
// Escapes text for XML.
#ifndef POISE_SVG_H
#define POISE_SVG_H

#include <stddef.h>
#include <stdio.h>

/// Writes at most `most` letters of a text as XML character data, then "..." if the text is longer.
/// The letters & < > " ' become entities. Control characters and bytes that are no UTF-8 become
/// U+FFFD.
void svg_text(FILE* out, const char* text, int most);

#endif
