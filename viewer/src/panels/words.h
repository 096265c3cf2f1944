// SPDX-License-Identifier: MIT
// What the hand does, in words and numbers.
#ifndef POISE_WORDS_H
#define POISE_WORDS_H

#include "app.h"

enum { POISE_WORDS_CAPACITY = 320 };

/// "hand: 12.0 cm up, 3.1 cm behind" while something is dragged; what a drag would do where the
/// pointer is. False where there is nothing to say.
bool poise__words_of_hand(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]);

/// The reading's sentence with the joints' bare names, in `text`, which it returns.
const char* poise__why_text(const PoiseSimulation* simulation, const PoisePointReading* reading,
                            char* text, size_t capacity);

#endif
