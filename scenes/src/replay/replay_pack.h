// SPDX-License-Identifier: MIT
// Packs the changes of a run into few bytes, without loss.
#ifndef POISE_REPLAY_PACK_H
#define POISE_REPLAY_PACK_H

#include "arithmetic_code.h"
#include "poise/replay.h"

/// Upper bound of the count of numbers in a change: coordinates of a joint, or of a pose.
enum { CHANGE_NUMBERS = POISE_MAX_NQ + 7 };

/// Writes `count` inputs to the code or reads them, depending on the code. Returns INVALID_ARGUMENT
/// if an input is invalid: its kind, index or number of coordinates is out of range, or its step is
/// before the last. Returns OUT_OF_MEMORY when memory is short.
PoiseStatus poise__replay_pack(BitCode* code, PoiseReplayInput* inputs, int count,
                               const PoiseHost* host);

#endif
