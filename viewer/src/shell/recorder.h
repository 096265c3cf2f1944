// SPDX-License-Identifier: MIT
// Films: frames go to ffmpeg as a child process; where there is none they become numbered PNGs. A
// film is whole or not there: what was there before stays until then.
#ifndef POISE_RECORDER_H
#define POISE_RECORDER_H

#include "note.h"

typedef struct PoiseRecorder PoiseRecorder;

typedef struct PoiseRecorderDef {
    /// .mp4, .webm or .gif.
    const char* path;
    int width;
    int height;
    int frames_per_second;
    /// Program to run, NULL: ffmpeg.
    const char* encoder;
} PoiseRecorderDef;

/// NULL, and why, when the path names no film or the encoder cannot be started for another reason
/// than that it is not installed. The note is then empty, or says that PNGs are written.
PoiseRecorder* poise__recorder_create(const PoiseRecorderDef* def, PoiseNote* note);
/// One frame: rows from the top, 3 bytes a pixel.
bool poise__recorder_add(PoiseRecorder* recorder, const unsigned char* rgb, PoiseNote* note);
/// Waits for the encoder to end. False, and why, when the film is not complete. Destroys the
/// recorder in any case; NULL is allowed, and true.
bool poise__recorder_finish(PoiseRecorder* recorder, PoiseNote* note);

#endif
