// SPDX-License-Identifier: MIT
// Describes a drag, or the drag that a press would begin, in words and numbers.
#ifndef POISE_DRAG_WORDS_H
#define POISE_DRAG_WORDS_H

#include "app.h"

enum { POISE_WORDS_CAPACITY = 320 };

/// Writes for example "hand 12.0 cm along z, 3.1 cm behind" during a drag; otherwise describes the
/// drag that a press at the pointer would begin. Returns false if there is nothing to describe.
bool poise__words_of_hand(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]);

/// Writes the app's caption with the present values of the names in it.
void poise__words_of_caption(const PoiseApp* app, char text[POISE_WORDS_CAPACITY]);

/// Writes why the point is away from its goal, with the names of joints and of the points that
/// outweigh it, without their robots: "outweighed by LF_FOOT and 3 more". Returns `text`.
const char* poise__why_text(const PoiseSimulation* simulation, const PoisePointView* point,
                            char* text, size_t capacity);

#endif
