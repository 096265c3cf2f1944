// SPDX-License-Identifier: MIT
// Describes in words and numbers what the hand does.
#ifndef POISE_WORDS_H
#define POISE_WORDS_H

#include "app.h"

enum { POISE_WORDS_CAPACITY = 160 };

/// During a drag, writes for example "hand 12.0 cm along z, 3.1 cm behind". Otherwise describes the
/// drag that a press at the pointer would begin. Returns false if there is nothing to describe.
bool poise__words_of_hand(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]);

#endif
