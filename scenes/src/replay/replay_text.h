// SPDX-License-Identifier: MIT
// The text of a replay: shared by its writer and its reader.
#ifndef POISE_REPLAY_TEXT_H
#define POISE_REPLAY_TEXT_H

#include "replay_pack.h"

/// The letters of base64 for links, in order of their value.
extern const char POISE_BASE64[65];

/// True if there is a scene, each array with a count above 0, and no negative count. NULL: false.
bool poise__replay_is_complete(const PoiseReplay* replay);

/// Returns the checksum that follows the bytes in the text, to detect cut bytes.
uint32_t poise__replay_sum(const uint8_t* bytes, size_t size);

#endif
