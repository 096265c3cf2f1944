// SPDX-License-Identifier: MIT
// A canvas that draws by cairo, as PNG or PDF. A build without cairo has no such canvas.
#include <stdlib.h>

#include "canvas.h"

#if POISE_WITH_CAIRO

#include <cairo-pdf.h>
#include <cairo.h>

// Pixels of a PNG for each CSS pixel, so that the picture is sharp in print.
#define PNG_SCALE 2.0
#define FONT_SIZE 12.0

typedef struct Sheet {
    Canvas canvas; ///< first member: the caller's Canvas* points to the whole struct
    cairo_surface_t* surface;
    cairo_t* cairo;
    FILE* out;
    bool png;
} Sheet;

static cairo_status_t write_out(void* closure, const unsigned char* data, unsigned int length) {
    return fwrite(data, 1, length, closure) == length ? CAIRO_STATUS_SUCCESS
                                                      : CAIRO_STATUS_WRITE_ERROR;
}

static void set_colour(cairo_t* cairo, const char* text) {
    const unsigned long colour = strtoul(text + 1, NULL, 16);
    cairo_set_source_rgb(cairo, (double)(colour >> 16 & 0xff) / 255.0,
                         (double)(colour >> 8 & 0xff) / 255.0, (double)(colour & 0xff) / 255.0);
}

static void path(Canvas* canvas, CanvasStroke stroke) {
    const Sheet* sheet = (const Sheet*)canvas;
    const CanvasStyle style = canvas_style(stroke);
    set_colour(sheet->cairo, style.colour);
    cairo_set_line_width(sheet->cairo, style.width);
    cairo_set_dash(sheet->cairo, style.dashes, style.dash_count, 0.0);
}

static void move(Canvas* canvas, double x, double y) {
    const Sheet* sheet = (const Sheet*)canvas;
    cairo_move_to(sheet->cairo, x, y);
}

static void line(Canvas* canvas, double x, double y) {
    const Sheet* sheet = (const Sheet*)canvas;
    cairo_line_to(sheet->cairo, x, y);
}

static void stroke(Canvas* canvas) {
    const Sheet* sheet = (const Sheet*)canvas;
    cairo_stroke(sheet->cairo);
}

static void text(Canvas* canvas, CanvasText place, const char* text) {
    static const double parts[] = {[ANCHOR_START] = 0.0, [ANCHOR_MIDDLE] = 0.5, [ANCHOR_END] = 1.0};
    const Sheet* sheet = (const Sheet*)canvas;
    cairo_text_extents_t extents;
    set_colour(sheet->cairo, "#000000");
    cairo_set_font_size(sheet->cairo, place.size > 0.0 ? place.size : FONT_SIZE);
    cairo_text_extents(sheet->cairo, text, &extents);
    cairo_save(sheet->cairo);
    cairo_translate(sheet->cairo, place.x, place.y);
    cairo_rotate(sheet->cairo, place.upright ? -1.5707963267948966 : 0.0);
    cairo_move_to(sheet->cairo, -parts[place.anchor] * extents.x_advance, 0.0);
    cairo_show_text(sheet->cairo, text);
    cairo_restore(sheet->cairo);
    cairo_new_path(sheet->cairo);
}

static bool end(Canvas* canvas) {
    Sheet* sheet = (Sheet*)canvas;
    bool fine = cairo_status(sheet->cairo) == CAIRO_STATUS_SUCCESS;
    if (fine && sheet->png) {
        fine = cairo_surface_write_to_png_stream(sheet->surface, write_out, sheet->out) ==
               CAIRO_STATUS_SUCCESS;
    }
    cairo_destroy(sheet->cairo);
    cairo_surface_finish(sheet->surface);
    fine = cairo_surface_status(sheet->surface) == CAIRO_STATUS_SUCCESS && fine;
    cairo_surface_destroy(sheet->surface);
    free(sheet);
    return fine;
}

bool canvas_has_cairo(void) {
    return true;
}

Canvas* canvas_begin_cairo(const CanvasSheet* asked) {
    Sheet* sheet = malloc(sizeof *sheet);
    if (!sheet) {
        return NULL;
    }
    *sheet = (Sheet){.canvas = {path, move, line, stroke, text, end},
                     .out = asked->out,
                     .png = asked->format == CANVAS_PNG};
    // A PDF's unit is 1/72 inch, three quarters of a CSS pixel.
    const double scale = sheet->png ? PNG_SCALE : 0.75;
    const double width = asked->width * scale;
    const double height = asked->height * scale;
    sheet->surface =
        sheet->png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height)
                   : cairo_pdf_surface_create_for_stream(write_out, asked->out, width, height);
    if (!sheet->png) {
        cairo_pdf_surface_set_metadata(sheet->surface, CAIRO_PDF_METADATA_TITLE, asked->title);
    }
    sheet->cairo = cairo_create(sheet->surface);
    cairo_scale(sheet->cairo, scale, scale);
    cairo_set_source_rgb(sheet->cairo, 1.0, 1.0, 1.0);
    cairo_paint(sheet->cairo);
    cairo_set_line_cap(sheet->cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(sheet->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_select_font_face(sheet->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    return &sheet->canvas;
}

#else

bool canvas_has_cairo(void) {
    return false;
}

Canvas* canvas_begin_cairo(const CanvasSheet* asked) {
    (void)asked;
    return NULL;
}

#endif
