// SPDX-License-Identifier: MIT
// Reads a height field's file, in the process that mesh_process.c starts: a PNG, or the binary
// format of MuJoCo (rows, columns, then float elevations). Each elevation becomes a point: column,
// row, elevation.
#include <stdint.h>
#include <string.h>

#include "mesh.h"

#if POISE_WITH_PNG
#include <png.h>
#endif

static const char broken[] =
    "cannot be read: it is broken, or neither a PNG nor MuJoCo's format of height fields";

static bool make_room(Arena* arena, uint32_t rows, uint32_t columns, Mesh* mesh, const char** why) {
    *why = "has fewer than 2 rows or columns, or more than 1,000,000 points";
    if (rows < 2 || columns < 2 || columns > MESH_MOST_HEIGHTS ||
        rows > MESH_MOST_HEIGHTS / columns) {
        return false;
    }
    *why = broken;
    mesh->points = poise__arena_allocate(arena, (size_t)rows * columns, sizeof *mesh->points);
    return mesh->points != NULL;
}

static void add_height(uint32_t row, uint32_t column, double elevation, Mesh* mesh) {
    mesh->points[mesh->point_count++] = poise_vec3((double)column, (double)row, elevation);
}

#if POISE_WITH_PNG
static void jump_back(png_structp png, png_const_charp text) {
    (void)text;
    png_longjmp(png, 1);
}

static void say_nothing(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

// Reads the red channel with 8 bits as elevations, as MuJoCo does. The first row has the greatest
// y.
static bool read_png_rows(Arena* arena, png_structp png, png_infop info, Mesh* mesh,
                          const char** why) {
    png_read_info(png, info);
    const uint32_t rows = png_get_image_height(png, info);
    const uint32_t columns = png_get_image_width(png, info);
    if (!make_room(arena, rows, columns, mesh, why)) {
        return false;
    }
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    png_set_gray_to_rgb(png);
    (void)png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const size_t width = png_get_rowbytes(png, info);
    unsigned char* bytes = poise__arena_allocate(arena, rows, width);
    unsigned char** lines = poise__arena_allocate(arena, rows, sizeof *lines);
    if (!bytes || !lines || width < (size_t)3 * columns) {
        return false;
    }
    for (uint32_t i = 0; i < rows; i++) {
        lines[i] = bytes + (size_t)(rows - 1 - i) * width;
    }
    png_read_image(png, lines);
    for (size_t i = 0; i < (size_t)rows * columns; i++) {
        const size_t row = i / columns, column = i % columns;
        add_height((uint32_t)row, (uint32_t)column, bytes[row * width + 3 * column] / 255.0, mesh);
    }
    return true;
}

static bool read_png(Arena* arena, FILE* file, Mesh* mesh, const char** why) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, jump_back, say_nothing);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    volatile bool fine = false;
    arena->failed = arena->failed || !info;
    *why = broken;
    // After a fault of the file, libpng returns here a second time.
    if (info && !setjmp(png_jmpbuf(png))) {
        png_init_io(png, file);
        fine = read_png_rows(arena, png, info, mesh, why);
    }
    png_destroy_read_struct(&png, &info, NULL);
    return fine;
}
#else
static bool read_png(Arena* arena, FILE* file, Mesh* mesh, const char** why) {
    (void)arena;
    (void)file;
    (void)mesh;
    *why = "is a PNG, which this build does not read: it lacks libpng";
    return false;
}
#endif

static bool read_binary(Arena* arena, FILE* file, Mesh* mesh, const char** why) {
    int32_t size[2];
    *why = broken;
    if (fread(size, sizeof size[0], 2, file) != 2 || size[0] < 1 || size[1] < 1 ||
        !make_room(arena, (uint32_t)size[0], (uint32_t)size[1], mesh, why)) {
        return false;
    }
    const int count = size[0] * size[1];
    for (int i = 0; i < count; i++) {
        float elevation;
        if (fread(&elevation, sizeof elevation, 1, file) != 1 ||
            !((double)elevation >= -MESH_HIGHEST && (double)elevation <= MESH_HIGHEST)) {
            return false;
        }
        add_height((uint32_t)(i / size[1]), (uint32_t)(i % size[1]), (double)elevation, mesh);
    }
    *why = broken;
    return fgetc(file) == EOF;
}

bool poise__mesh_read_heights(Arena* arena, FILE* file, Mesh* mesh, const char** why) {
    static const unsigned char picture[] = {0x89, 'P', 'N', 'G'};
    unsigned char head[sizeof picture] = {0};
    const size_t got = fread(head, 1, sizeof head, file);
    rewind(file);
    return got == sizeof head && memcmp(head, picture, sizeof head) == 0
               ? read_png(arena, file, mesh, why)
               : read_binary(arena, file, mesh, why);
}
