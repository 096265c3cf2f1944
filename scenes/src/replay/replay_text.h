// SPDX-License-Identifier: MIT
// The text of a replay: shared by its writer and its reader.
#ifndef POISE_REPLAY_TEXT_H
#define POISE_REPLAY_TEXT_H

#include "replay_pack.h"

/// The letters of base64 for links, in order of their value.
extern const char POISE_BASE64[65];

/// True if no pointer is NULL that a count needs, and no count is negative. NULL is allowed.
bool poise__replay_is_complete(const PoiseReplay* replay);

/// Returns the sum that follows bytes in the text, so that cut bytes are found.
uint32_t poise__replay_sum(const uint8_t* bytes, size_t size);

#endif
