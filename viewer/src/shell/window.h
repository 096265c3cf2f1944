// SPDX-License-Identifier: MIT
// A window with OpenGL 3.3 in it, whose events go into an input queue.
#ifndef POISE_WINDOW_H
#define POISE_WINDOW_H

#include "input.h"
#include "note.h"

typedef struct PoiseWindow PoiseWindow;

/// Opens the window and makes its context current. Events go to `input`, which must outlive it.
/// NULL, and what to do about it, when there is no display.
PoiseWindow* poise__window_create(const char* title, int width, int height, PoiseInput* input,
                                  PoiseNote* note);
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
