// SPDX-License-Identifier: MIT
#include "png_file.h"

#include <errno.h>
#include <png.h>
#include <string.h>

#include "poise/output.h"

bool poise__png_write(const char* path, const unsigned char* rgb, int width, int height,
                      PoiseNote* note) {
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB,
                       .flags = PNG_IMAGE_FLAG_FAST};
    PoiseOutput output = {0};
    const char* trouble = poise_output_open(&output, path);
    errno = 0;
    if (!trouble && !png_image_write_to_stdio(&image, output.file, 0, rgb, 0, NULL)) {
        trouble = errno != 0 ? strerror(errno) : image.message;
    }
    if (trouble) {
        poise_output_drop(&output);
    } else {
        trouble = poise_output_close(&output);
    }
    return !trouble || poise__note_fail(note, "cannot write %s: %s", path, trouble);
}
