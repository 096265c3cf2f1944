// SPDX-License-Identifier: MIT
// Saves pictures and films in a browser: the script of the web page (viewer/web/page.js) downloads
// them.
#include <emscripten.h>
#include <stddef.h>

#include "png_file.h"
#include "recorder.h"

bool poise__png_write(const char* path, const unsigned char* rgb, int width, int height,
                      PoiseNote* note) {
    (void)note;
    EM_ASM({ Module.savePicture(UTF8ToString($0), HEAPU8.subarray($1, $1 + 3 * $2 * $3), $2, $3); },
           path, rgb, width, height);
    return true;
}

// The browser films the canvas itself, so that frames need not be added.
PoiseRecorder* poise__recorder_create(const PoiseRecorderDef* def, PoiseNote* note) {
    static int one;
    if (!EM_ASM_INT({ return Module.film(true, $0); }, def->frames_per_second)) {
        poise__note_fail(note, "this browser cannot record films");
        return NULL;
    }
    return (PoiseRecorder*)&one;
}

const char* poise__recorder_begun(const PoiseRecorder* recorder) {
    (void)recorder;
    return "";
}

bool poise__recorder_add(PoiseRecorder* recorder, const unsigned char* rgb, PoiseNote* note) {
    (void)recorder;
    (void)rgb;
    (void)note;
    return true;
}

bool poise__recorder_finish(PoiseRecorder* recorder, PoiseNote* note) {
    (void)note;
    return !recorder || EM_ASM_INT({ return Module.film(false, 0); });
}
