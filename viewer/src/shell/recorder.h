// SPDX-License-Identifier: MIT
// Records films. Frames are passed to ffmpeg, a child process, or become numbered PNGs if ffmpeg is
// not installed. A film replaces an older file only when it is complete. If this process is killed,
// ffmpeg completes the frames that it has, under the name of poise__recorder_begun.
#ifndef POISE_RECORDER_H
#define POISE_RECORDER_H

#include "note.h"

typedef struct PoiseRecorder PoiseRecorder;

typedef struct PoiseRecorderDef {
    /// Path of the film; it ends in .mp4, .webm or .gif.
    const char* path;
    int width;
    int height;
    int frames_per_second;
    /// Encoder program; NULL: ffmpeg.
    const char* encoder;
} PoiseRecorderDef;

/// Starts a film. If ffmpeg is not installed, the film becomes PNGs and the note says so; otherwise
/// the note stays empty. Returns NULL, with the reason in the note, if the path has another ending
/// or the encoder fails to start.
PoiseRecorder* poise__recorder_create(const PoiseRecorderDef* def, PoiseNote* note);
/// Returns the name of the film's file while it is being recorded; "" if the film becomes pictures.
const char* poise__recorder_begun(const PoiseRecorder* recorder);
/// Adds a frame: rows from the top, 3 bytes per pixel.
bool poise__recorder_add(PoiseRecorder* recorder, const unsigned char* rgb, PoiseNote* note);
/// Waits for the encoder and destroys the recorder. Returns false, with the reason in the note, if
/// the film is incomplete; true for NULL.
bool poise__recorder_finish(PoiseRecorder* recorder, PoiseNote* note);

#endif
