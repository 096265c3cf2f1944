// SPDX-License-Identifier: MIT
// Replays. The first byte selects what the rest is: a replay's file, or changes of a run, which are
// printed as a replay. A printed replay must be read again, equal in number of changes. What is
// read repeats a short run, whose simulation makes the changes or refuses them. Seeds:
// tests/fuzz/seeds/replay.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "demand.h"
#include "input.h"
#include "poise/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { PATH = 64, MOST_INPUTS = 64, MOST_STEPS = 40, FILES = 'f' };

static const char scene_file[] = POISE_SOURCE_DIR "/tests/scenes/good.yaml";

static PoiseQuat input_quat(Input* input) {
    PoiseQuat q = poise_quat_identity();
    q.w = input_number(input);
    q.x = input_number(input);
    q.y = input_number(input);
    q.z = input_number(input);
    return q;
}

static PoiseReplay make_replay(Input* input, PoiseReplayInput* inputs) {
    PoiseReplay replay = {.scene = "good.yaml", .inputs = inputs};
    long step = 0;
    while (input->size > 0 && replay.input_count < MOST_INPUTS) {
        PoiseReplayInput* made = &inputs[replay.input_count++];
        memset(made, 0, sizeof *made);
        step += input_byte(input) % 4;
        made->step = step;
        made->change.kind = (PoiseChangeKind)(1 + input_byte(input) % POISE_CHANGE_PLACE);
        made->change.index = (int)(input_byte(input) % 20);
        made->change.place = input_vec3(input);
        made->change.to = input_vec3(input);
        made->change.turn = input_quat(input);
        made->change.value = input_number(input);
        made->change.q_count = (int)(input_byte(input) % (POISE_MAX_NQ + 1));
        for (int i = 0; i < made->change.q_count; i++) {
            made->change.q[i] = input_number(input);
        }
    }
    replay.steps = step < MOST_STEPS ? step : MOST_STEPS;
    return replay;
}

// Repeats the run, if it is short. Its states differ from those of the replay, which are made up.
static void repeat(const PoiseReplay* replay, const PoiseScene* scene) {
    if (replay->steps > MOST_STEPS || replay->input_count > MOST_INPUTS) {
        return;
    }
    PoiseDiagnostics* findings = poise_diagnostics_create(NULL);
    PoiseSimulation* simulation = poise_simulation_create(scene, findings);
    poise_diagnostics_destroy(findings);
    demand(simulation != NULL, "a simulation");
    PoiseReplayCheck check = {.refused = -1};
    const PoiseStatus status = poise_replay_verify(replay, simulation, &check);
    demand(status < 0 || check.refused < replay->input_count, "a change that was never made");
    // The verification stops at the first mark that differs: the changes are made here too.
    long made = 0;
    for (int i = 0; i < replay->input_count; i++) {
        for (; made < replay->inputs[i].step && made < MOST_STEPS; made++) {
            if (poise_simulation_step(simulation) < 0) {
                i = replay->input_count;
                break;
            }
        }
        if (i < replay->input_count) {
            demand(poise_simulation_change(simulation, &replay->inputs[i].change) >= -1000,
                   "a change has a status");
        }
    }
    poise_simulation_destroy(simulation);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static PoiseScene* scene;
    static PoiseReplayInput inputs[MOST_INPUTS];
    if (!scene) {
        PoiseDiagnostics* findings = poise_diagnostics_create(NULL);
        scene = poise_scene_load(scene_file, findings);
        poise_diagnostics_destroy(findings);
        demand(scene != NULL, "a scene");
    }
    if (size == 0) {
        return 0;
    }
    Input input = {data + 1, size - 1};
    const bool file_given = data[0] == FILES;
    const PoiseReplay made = file_given ? (PoiseReplay){.scene = ""} : make_replay(&input, inputs);
    const int descriptor = memfd_create("replay", 0);
    FILE* file = descriptor >= 0 ? fdopen(descriptor, "w+b") : NULL;
    demand(file != NULL, "a file");
    if (file_given) {
        demand(fwrite(data + 1, 1, size - 1, file) == size - 1, "a file");
    } else {
        demand(poise_replay_print(&made, file) == POISE_OK, "a replay is printed");
    }
    demand(fflush(file) == 0, "a file");
    char path[PATH];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseReplay* replay = poise_replay_load(path, diagnostics);
    const int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    demand((replay != NULL) == (errors == 0), "a replay and errors, or neither");
    demand(file_given || !replay || replay->input_count == made.input_count, "a lost change");
    if (replay) {
        repeat(replay, scene);
    }
    poise_replay_destroy(replay);
    poise_diagnostics_destroy(diagnostics);
    (void)fclose(file);
    return 0;
}
