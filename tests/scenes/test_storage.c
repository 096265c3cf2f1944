// SPDX-License-Identifier: MIT
// Lets each request for memory fail. The reader ends in order and returns all memory.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "poise/scene.h"

static const char scene[] =
    "poise: 1\nbodies: {l_a: {box: [1, 1, 1]}, l_b: {sphere: 1}}\n"
    "joints: {l_j: {ball: [0, 0, 0], between: [world, l_a]}, l_k: {hinge: [0, 0, 0], axis: [1, 0, "
    "0], "
    "between: [l_a, l_b]}}\n"
    "mirror: {from: l_, to: r_}\n"
    "control_points: {l_p: {body: l_b, uses: 'l_*', position: {polyline: [[0, 0, 0], [1, 0, 0]], "
    "speed: 1, closed: on}}}\n"
    "expect: {l_p.rms_error: 1}\n";

// Scenes, and robots of several files, so that the readers of tables, meshes and bodies are run
// too.
Test(storage, destroying_a_scene_frees_all_its_memory) {
    static const char* const paths[] = {"t.yaml", "models/tour.xml", "figure.xml", "good.urdf"};
    for (int i = 0; i < 4; i++) {
        TestHost counter = {0};
        char path[300];
        snprintf(path, sizeof path, "%s/tests/scenes/%s", POISE_SOURCE_DIR, paths[i]);
        PoiseSceneSource source = {.path = path, .host = test_host(&counter)};
        if (i == 0) {
            source.text = scene;
            source.text_size = sizeof scene - 1;
        }
        PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
        PoiseScene* read = poise_scene_load_source(&source, diagnostics);
        cr_assert_not_null(read, "%s", paths[i]);
        cr_expect(counter.live_blocks > 0);
        poise_scene_destroy(read);
        cr_expect(counter.live_blocks == 0 && counter.live_bytes == 0, "%s", paths[i]);
        poise_diagnostics_destroy(diagnostics);
    }
}

// A part of the host's requests fails, one in each load: the reader ends in order and returns all.
Test(storage, a_request_may_fail) {
    bool ended = false;
    for (int n = 1; !ended; n += 1 + n / 4) {
        TestHost counter = {.fail_in = n};
        PoiseSceneSource source = {.path = "t.yaml",
                                   .text = scene,
                                   .text_size = sizeof scene - 1,
                                   .host = test_host(&counter)};
        PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
        PoiseScene* read = poise_scene_load_source(&source, diagnostics);
        ended = read != NULL;
        cr_expect(ended || poise_diagnostics_count(diagnostics, POISE_ERROR) > 0, "request %d", n);
        poise_scene_destroy(read);
        poise_diagnostics_destroy(diagnostics);
        cr_expect(counter.live_blocks == 0, "request %d", n);
    }
}

Test(storage, texts_without_a_terminator_are_read_to_their_size) {
    static const char* const texts[] = {" ", "\n\n", "<", "x", "a:", "[", "&", "*", "'", "\"", "|"};
    static const char* const paths[] = {"t.yaml", "t.urdf", "t"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts * 3; i++) {
        const char* text = texts[i / 3];
        const size_t size = strlen(text);
        // allocated to its size, so that a sanitizer detects a read behind it
        char* bare = malloc(size);
        cr_assert_not_null(bare);
        memcpy(bare, text, size);
        PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
        PoiseSceneSource source = {.path = paths[i % 3], .text = bare, .text_size = size};
        cr_expect_null(poise_scene_load_source(&source, diagnostics), "%s as %s", text,
                       source.path);
        cr_expect(poise_diagnostics_count(diagnostics, POISE_ERROR) > 0, "%s", text);
        poise_diagnostics_destroy(diagnostics);
        free(bare);
    }
}
