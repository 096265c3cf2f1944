// SPDX-License-Identifier: MIT
// Packs the changes of a run into few bytes, without loss.
#ifndef POISE_REPLAY_PACK_H
#define POISE_REPLAY_PACK_H

#include "bit_code.h"
#include "poise/replay.h"

/// Number of numbers of a change, and of those of a pose.
enum { CHANGE_NUMBERS = POISE_MAX_NQ + 7 };

/// Writes `count` inputs to the code, or reads them, as the code says. Returns false if an input is
/// no change: its kind, index or number of coordinates is out of range, its step is before the
/// last, or memory was short.
bool poise__replay_pack(BitCode* code, PoiseReplayInput* inputs, int count, const PoiseHost* host);

#endif
