// SPDX-License-Identifier: MIT
// A window with OpenGL 3.3, whose events are pushed to an input queue.
#ifndef POISE_WINDOW_H
#define POISE_WINDOW_H

#include "input.h"
#include "note.h"

typedef struct PoiseWindow PoiseWindow;

typedef struct PoiseWindowDef {
    const char* title;
    /// Width and height in the window system's units.
    int width;
    int height;
    /// Factor of the size of text and panels, relative to the screen's own scale.
    double ui_scale;
} PoiseWindowDef;

/// Opens the window and makes its context current. Events go to `input`, which must outlive the
/// window. Returns NULL, with advice in the note, if there is no display.
PoiseWindow* poise__window_create(const PoiseWindowDef* def, PoiseInput* input, PoiseNote* note);

/// Returns the number of the window system's units per window unit of the viewer: content / pixels
/// * ui_scale. `content` is the screen's scale, `pixels` the number of pixels per unit of the
/// system.
double poise__window_unit(double content, double pixels, double ui_scale);
/// Closes the window. NULL is allowed.
void poise__window_destroy(PoiseWindow* window);

/// Pushes the events that have occurred. If no event has, waits for the next for up to `wait` s.
void poise__window_poll(PoiseWindow* window, double wait);
/// Calls `frame` until it returns false. In a web page the browser calls `frame` later, and this
/// returns only if the page cannot render.
void poise__window_run(PoiseWindow* window, bool (*frame)(void* user), void* user);
/// Returns the name of the graphics driver; "" if it has none.
const char* poise__window_driver(const PoiseWindow* window);
/// Returns the cost of a frame, s, from its wall-clock time and its processor time, without other
/// programs and the wait for the screen. In a web page, where another process renders, the cost is
/// the time between two frames.
double poise__window_cost(PoiseWindow* window, double wall, double work);
/// Offers a saved file to the person, if files are not on a disk (in a web page).
void poise__window_give(PoiseWindow* window, const char* path);
/// Shows the rendered frame, at the rate of the screen.
void poise__window_swap(PoiseWindow* window);
void poise__window_set_title(PoiseWindow* window, const char* title);
/// Returns the size in pixels; 0 x 0 while the window is minimised.
void poise__window_framebuffer_size(const PoiseWindow* window, int* width, int* height);
/// Returns the wall-clock time since a fixed moment, s.
double poise__window_time(const PoiseWindow* window);

#endif
