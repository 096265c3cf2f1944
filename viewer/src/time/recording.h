// SPDX-License-Identifier: MIT
// Saves the run of a timeline as a replay. Plays replays: their changes become the future of a
// timeline.
#ifndef POISE_RECORDING_H
#define POISE_RECORDING_H

#include "timeline.h"

/// True if the path has the ending of a replay.
bool poise__is_replay(const char* path);
/// Writes the run until now. Returns false, with the reason in `note`, if the file cannot be
/// written.
bool poise__recording_save(const PoiseTimeline* timeline, const char* path, PoiseNote* note);
/// Reads a replay and opens its scene. Returns NULL, with the errors in `findings`, if one of both
/// fails. The caller destroys the replay.
PoiseReplay* poise__recording_open(PoiseSession* fresh, const char* path, PoiseTrust trust,
                                   PoiseFindings* findings);
/// Makes the changes of the replay the future of a timeline that is at its start. Returns false if
/// memory runs out.
bool poise__recording_play(PoiseTimeline* timeline, const PoiseReplay* replay);

#endif
