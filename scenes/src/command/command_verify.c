// SPDX-License-Identifier: MIT
// `poise verify` repeats a recorded run and says where it differs.
#include <inttypes.h>

#include "command.h"
#include "poise/replay.h"

static const char usage[] =
    "usage: poise verify REPLAY [options]\n"
    "Repeats a recorded run (poise-view: Ctrl+Shift+S), and compares its states with those of the\n"
    "recording. Ends with 0 when all are the same to the last bit, and with 1 when one differs.\n"
    "  --scene FILE       the scene, where it is not at the place that the recording "
    "names\n" TRUST_USAGE "Examples:\n"
    "  poise verify poise-001.replay                the recording of a run\n"
    "  poise verify fall.replay --scene mine.yaml   of a scene that was moved\n";

typedef struct VerifyRequest {
    const char* scene;
} VerifyRequest;

static const CommandOption options[] = {
    {"scene", OPTION_TEXT, .offset = offsetof(VerifyRequest, scene)},
    {.name = NULL},
};

static int print_check(const char* path, const PoiseReplay* replay, const PoiseReplayCheck* check,
                       double length) {
    if (check->same) {
        printf("%s: the same to the last bit: %ld steps, %.3f s, %d changes, state %016" PRIx64
               "\n",
               path, replay->steps, (double)replay->steps * length, replay->input_count,
               replay->state_hash);
        return EXIT_DONE;
    }
    if (check->refused >= 0) {
        const long step = replay->inputs[check->refused].step;
        fprintf(stderr,
                "poise: %s: change %d, at step %ld (%.3f s), is none that this scene can make: "
                "%s\n",
                path, check->refused + 1, step, (double)step * length,
                poise_status_name(check->refusal));
        return EXIT_INPUT;
    }
    printf("%s: differs at step %ld (%.3f s)", path, check->first_different,
           (double)check->first_different * length);
    if (check->last_same >= 0) {
        printf("; the same until step %ld (%.3f s)", check->last_same,
               (double)check->last_same * length);
    }
    putchar('\n');
    return EXIT_MISSED;
}

static int verify(const char* path, const PoiseReplay* replay, OpenScene* open) {
    PoiseReplayCheck check;
    dRandSetSeed(0);
    if (poise_diagnostics_hash(open->diagnostics) != replay->scene_hash) {
        fprintf(stderr,
                "poise: %s was recorded of other contents of '%s' or of its files; --scene FILE "
                "names the right one\n",
                path, replay->scene);
        return EXIT_INPUT;
    }
    const PoiseStatus status = poise_replay_verify(replay, open->simulation, &check);
    if (status < 0) {
        fprintf(stderr, "poise: %s: %s\n", path, poise_simulation_trouble(open->simulation));
        return status == POISE_ERROR_OUT_OF_MEMORY ? EXIT_INPUT : EXIT_BLOWN_UP;
    }
    return print_check(path, replay, &check, poise_simulation_step_length(open->simulation));
}

/// Opens the scene of the replay, with the values that the recording replaced.
static int open_and_verify(const char* path, const PoiseReplay* replay, const char* scene,
                           Reading* reading) {
    char found[4096];
    OpenScene open;
    for (int i = 0; i < replay->override_count && reading->override_count < MOST_OVERRIDES; i++) {
        reading->overrides[reading->override_count++] = replay->overrides[i];
    }
    PoiseSceneSource source = poise__source(
        scene ? scene : poise_replay_scene(replay, path, found, sizeof found), reading);
    source.named_by = scene ? NULL : path;
    const bool fine = poise__open_scene(&open, &source);
    if (open.diagnostics && !fine) {
        poise_diagnostics_print(open.diagnostics, POISE_WARNING, stderr);
    }
    const int code = fine ? verify(path, replay, &open) : EXIT_INPUT;
    poise__close_scene(&open);
    return code;
}

int poise__command_verify(int argc, char** argv) {
    const char* path = NULL;
    VerifyRequest request = {NULL};
    Reading reading = {.trust = POISE_TRUST_DEFAULT};
    const CommandLine line = {usage, options, &request, &path, &reading};
    int code = poise__read_line(&line, argc, argv);
    if (code != GO_ON) {
        return code;
    }
    PoiseDiagnostics* diagnostics = poise__open_diagnostics();
    PoiseReplay* replay = diagnostics ? poise_replay_load(path, diagnostics) : NULL;
    if (diagnostics) {
        poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    }
    code = replay ? open_and_verify(path, replay, request.scene, &reading) : EXIT_INPUT;
    poise_replay_destroy(replay);
    poise_diagnostics_destroy(diagnostics);
    return poise__finish_output(code);
}
