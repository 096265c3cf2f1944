// SPDX-License-Identifier: MIT
#include "recording.h"

#include <stdlib.h>
#include <string.h>

#include "poise/output.h"

bool poise__is_replay(const char* path) {
    static const char ending[] = ".replay";
    const size_t length = strlen(path);
    return length > sizeof ending - 1 && strcmp(path + length - (sizeof ending - 1), ending) == 0;
}

/// Returns the name of the scene for a replay; a scene of Poise is named without its folder.
static const char* scene_name(const PoiseScene* scene) {
    char folder[512];
    const size_t length = strlen(poise_scene_folder(folder, sizeof folder));
    const bool ours = length > 0 && strncmp(scene->file, folder, length) == 0 &&
                      scene->file[length] == '/' && !strchr(scene->file + length + 1, '/');
    return ours ? scene->file + length + 1 : scene->file;
}

bool poise__recording_save(const PoiseTimeline* timeline, const char* path, PoiseNote* note) {
    const PoiseSession* session = timeline->session;
    const char* overrides[POISE_OVERRIDES_CAPACITY];
    PoiseReplayInput* inputs = malloc(((size_t)timeline->log_done + 1) * sizeof *inputs);
    if (!inputs) {
        return poise__note_fail(note, "memory is short");
    }
    for (int i = 0; i < timeline->log_done; i++) {
        inputs[i] = (PoiseReplayInput){timeline->log[i].step, timeline->log[i].change};
    }
    for (int i = 0; i < session->override_count; i++) {
        overrides[i] = session->overrides[i];
    }
    PoiseReplay replay = {.scene = scene_name(session->scene),
                          .overrides = overrides,
                          .override_count = session->override_count,
                          .scene_hash = session->scene_hash,
                          .steps = poise_simulation_step_count(session->simulation),
                          .inputs = inputs,
                          .input_count = timeline->log_done,
                          .marks = timeline->states,
                          .state_hash = poise_simulation_state_hash(session->simulation)};
    const long second = poise_replay_second(poise_simulation_step_length(session->simulation));
    const long passed = replay.steps / second + 1;
    replay.mark_count = passed < timeline->state_count ? (int)passed : timeline->state_count;
    PoiseOutput output = {0};
    const char* trouble = poise_output_open(&output, path);
    if (!trouble && poise_replay_print(&replay, output.file) < 0) {
        trouble = "memory is short";
        poise_output_drop(&output);
    } else if (!trouble) {
        trouble = poise_output_close(&output);
    }
    free(inputs);
    return !trouble || poise__note_fail(note, "cannot write %s: %s", path, trouble);
}

/// Opens the scene of a replay. Returns false with the errors in `findings`.
static bool open_scene(PoiseSession* fresh, const PoiseReplay* replay, const char* path,
                       PoiseTrust trust, PoiseFindings* findings) {
    char scene[1024];
    const PoiseSceneSource source = {.path = poise_replay_scene(replay, path, scene, sizeof scene),
                                     .named_by = path,
                                     .overrides = replay->overrides,
                                     .override_count = replay->override_count,
                                     .trust = trust};
    if (!poise__session_try(fresh, &source, findings)) {
        return false;
    }
    if (fresh->scene_hash != replay->scene_hash) {
        snprintf(findings->text, sizeof findings->text,
                 "%.200s was recorded of other contents of '%.200s' or of its files\n", path,
                 replay->scene);
        poise__session_close(fresh);
        return false;
    }
    return true;
}

PoiseReplay* poise__recording_open(PoiseSession* fresh, const char* path, PoiseTrust trust,
                                   PoiseFindings* findings) {
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseReplay* replay = diagnostics ? poise_replay_load(path, diagnostics) : NULL;
    char* text = NULL;
    size_t size = 0;
    FILE* messages = replay ? NULL : open_memstream(&text, &size);
    if (messages) {
        poise_diagnostics_print(diagnostics, POISE_WARNING, messages);
        fclose(messages);
    }
    snprintf(findings->text, sizeof findings->text, "%s", text && diagnostics ? text : "");
    free(text);
    poise_diagnostics_destroy(diagnostics);
    if (replay && !open_scene(fresh, replay, path, trust, findings)) {
        poise_replay_destroy(replay);
        return NULL;
    }
    return replay;
}

bool poise__recording_play(PoiseTimeline* timeline, const PoiseReplay* replay) {
    const size_t count = (size_t)replay->input_count;
    PoiseLogEntry* log = calloc(count + 1, sizeof *log);
    uint16_t* states = calloc((size_t)replay->mark_count + 1, sizeof *states);
    if (!log || !states) {
        free(log);
        free(states);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        log[i].step = replay->inputs[i].step;
        log[i].change = replay->inputs[i].change;
    }
    for (int i = 0; i < replay->mark_count; i++) {
        states[i] = replay->marks[i];
    }
    free(timeline->log);
    free(timeline->states);
    timeline->log = log;
    timeline->log_count = replay->input_count;
    timeline->log_capacity = replay->input_count + 1;
    timeline->states = states;
    timeline->state_count = replay->mark_count;
    timeline->state_capacity = replay->mark_count + 1;
    timeline->end_step = replay->steps;
    return true;
}
