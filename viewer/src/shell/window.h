// SPDX-License-Identifier: MIT
// A window with OpenGL 3.3 in it, whose events go into an input queue.
#ifndef POISE_WINDOW_H
#define POISE_WINDOW_H

#include "input.h"
#include "note.h"

typedef struct PoiseWindow PoiseWindow;

typedef struct PoiseWindowDef {
    const char* title;
    /// As the system counts windows.
    int width;
    int height;
    /// Letters and panels are so many times as large as the screen's own scale has them.
    double ui_scale;
} PoiseWindowDef;

/// Opens the window and makes its context current. Events go to `input`, which must outlive it.
/// NULL, and what to do about it, when there is no display.
PoiseWindow* poise__window_create(const PoiseWindowDef* def, PoiseInput* input, PoiseNote* note);

/// How many of the system's window units one of ours is: the screen's scale by the pixels that a
/// unit of the system's has already, times what the person asks for.
double poise__window_unit(double content, double pixels, double ui_scale);
/// NULL is allowed.
void poise__window_destroy(PoiseWindow* window);

/// Pushes what has happened; waits for up to `wait` s for something to happen, 0: not at all.
void poise__window_poll(PoiseWindow* window, double wait);
/// Shows what has been drawn, at the pace of the screen.
void poise__window_swap(PoiseWindow* window);
void poise__window_set_title(PoiseWindow* window, const char* title);
/// In pixels; 0 x 0 while it is minimised.
void poise__window_framebuffer_size(const PoiseWindow* window, int* width, int* height);
/// Wall-clock seconds since some moment.
double poise__window_time(const PoiseWindow* window);

#endif
