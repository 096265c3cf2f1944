// SPDX-License-Identifier: MIT
// Pictures as PNG files.
#ifndef POISE_PNG_FILE_H
#define POISE_PNG_FILE_H

#include "note.h"

/// Writes rows from the top, 3 bytes a pixel. False, and why, when the file cannot be written.
bool poise__png_write(const char* path, const unsigned char* rgb, int width, int height,
                      PoiseNote* note);

#endif
