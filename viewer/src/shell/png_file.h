// SPDX-License-Identifier: MIT
// Writes pictures as PNG files.
#ifndef POISE_PNG_FILE_H
#define POISE_PNG_FILE_H

#include "note.h"

/// Writes a picture: 3 bytes per pixel, rows from the top. Returns false, with the reason in the
/// note, if the file cannot be written.
bool poise__png_write(const char* path, const unsigned char* rgb, int width, int height,
                      PoiseNote* note);

#endif
