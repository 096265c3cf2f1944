// SPDX-License-Identifier: MIT
// Tests the program itself, as a person starts it.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "context.h"
#include "fixture.h"

/// Runs poise-view with these options. Returns its exit code and the beginning of its output.
static int run(const char* options, char output[4096]) {
    char command[1024];
    // unset the display, so that no window opens in a test
    snprintf(command, sizeof command, "env -u DISPLAY -u WAYLAND_DISPLAY '" POISE_VIEW "' %s 2>&1",
             options);
    FILE* pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    output[fread(output, 1, 4095, pipe)] = '\0';
    while (fgetc(pipe) != EOF) {
    }
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool has_context(void) {
    PoiseContext* context = poise__context_create(NULL);
    poise__context_destroy(context);
    return context != NULL;
}

static void write_text(const char* name, const char* text) {
    FILE* file = fopen(name, "w");
    cr_assert_not_null(file, "%s", name);
    fputs(text, file);
    fclose(file);
}

static void expect_text(const char* name, const char* expected) {
    char text[200] = "";
    FILE* file = fopen(name, "r");
    cr_assert_not_null(file, "%s", name);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    cr_expect_str_eq(text, expected, "%s is now '%s'", name, text);
}

#define KNOWN "'" POISE_SOURCE_DIR "/tests/viewer/known.yaml'"

Test(program, takes_a_picture_without_a_display) {
    char output[4096];
    char directory[] = "/tmp/poise-view-XXXXXX";
    char options[512];
    char path[64];
    int width = 0, height = 0;
    if (!has_context()) {
        cr_skip("EGL gives no context here");
    }
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/f.png", directory);
    snprintf(options, sizeof options,
             KNOWN " --headless --screenshot %s --at 0.2s --size 320x200 --quality fast "
                   "--camera 30,20,3",
             path);
    cr_assert_eq(run(options, output), 0, "%s", output);
    cr_expect_str_eq(output, "");
    unsigned char* rgb = read_picture(path, &width, &height);
    cr_expect_eq(width, 320);
    cr_expect_eq(height, 200);
    free(rgb);
    unlink(path);
    rmdir(directory);
}

Test(program, the_first_five_minutes_and_their_film) {
    char output[4096];
    char directory[] = "/tmp/poise-view-XXXXXX";
    char here[512];
    if (!has_context()) {
        cr_skip("EGL gives no context here");
    }
    if (system("ffmpeg -version > /dev/null 2>&1") != 0) {
        cr_skip("there is no ffmpeg: no film");
    }
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_not_null(getcwd(here, sizeof here));
    cr_assert_eq(chdir(directory), 0); // the script names its film without a folder
    int code =
        run("'" POISE_SOURCE_DIR "/scenes/press_wall.yaml' --headless --script "
            "'" POISE_SOURCE_DIR "/tests/viewer/five_minutes.script' --quality fast --fps 10",
            output);
    cr_expect_eq(code, 0, "%s", output);
    char begins[6] = "";
    FILE* film = fopen("five_minutes.gif", "rb");
    cr_expect_not_null(film);
    if (film) {
        cr_expect_eq(fread(begins, 1, sizeof begins, film), sizeof begins);
        cr_expect_eq(memcmp(begins, "GIF89a", sizeof begins), 0);
        fclose(film);
    }
    unlink("five_minutes.gif");
    cr_assert_eq(chdir(here), 0);
    rmdir(directory);
}

Test(program, without_a_display_it_prints_advice) {
    char output[4096];
    cr_expect_eq(run(KNOWN, output), 2);
    cr_expect_not_null(strstr(output, "--headless --screenshot"), "%s", output);
}

Test(program, a_bad_scene_is_exit_3_with_a_diagnostic) {
    char output[4096];
    cr_expect_eq(run("/nowhere/bad.yaml --screenshot f.png", output), 3);
    cr_expect_not_null(strstr(output, "bad.yaml"), "%s", output);
    cr_expect_not_null(strstr(output, "error"), "%s", output);
}

Test(program, a_scene_is_found_by_its_name) {
    char output[4096];
    // given a scene, --list shows the scenes of its folder
    cr_expect_eq(run("reach --list", output), 0, "%s", output);
    cr_expect_not_null(strstr(output, "scenes/reach.yaml"), "%s", output);
    cr_expect_eq(run("reech --screenshot /nowhere/f.png", output), 3);
    cr_expect_not_null(strstr(output, "did you mean 'reach'?"), "%s", output);
    // the run reaches the writing of the picture
    cr_expect_eq(run("reach --headless --screenshot /nowhere/f.png", output), 2, "%s", output);
    cr_expect_null(strstr(output, "reach"), "%s", output);
}

// A script that cannot be read is reported before the scene, the encoder or the film is opened. A
// program that leaves a file behind replaces ffmpeg.
Test(program, a_script_that_cannot_be_read_is_reported_first) {
    char output[4096];
    char directory[] = "/tmp/poise-view-XXXXXX";
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
    FILE* encoder = fopen("ffmpeg", "w");
    cr_assert_not_null(encoder);
    fputs("#!/bin/sh\n: >started\ncat >/dev/null\n", encoder);
    fclose(encoder);
    cr_assert_eq(chmod("ffmpeg", 0700), 0);
    char path[4096];
    snprintf(path, sizeof path, "%s:%.4000s", directory, getenv("PATH"));
    cr_assert_eq(setenv("PATH", path, 1), 0);
    cr_expect_eq(run(KNOWN " --headless --record film.mp4 --script none.script", output), 1);
    cr_expect_str_eq(output, "poise-view: cannot read none.script: No such file or directory\n");
    cr_expect_eq(run(KNOWN " --headless --record film.mp4 --script .", output), 1);
    cr_expect_str_eq(output, "poise-view: cannot read .: Is a directory\n");
    cr_expect_eq(run("/nowhere/bad.yaml --headless --script /dev/zero", output), 1);
    cr_expect_not_null(strstr(output, "/dev/zero: a script is at most"), "%s", output);
    cr_expect_neq(access("started", F_OK), 0, "the encoder was started");
    cr_expect_neq(access("film.mp4", F_OK), 0, "there is a film");
    unlink("ffmpeg");
    cr_assert_eq(chdir("/"), 0);
    cr_expect_eq(rmdir(directory), 0, "something was left behind");
}

Test(program, wrong_options_are_exit_2) {
    char output[4096];
    cr_expect_eq(run(KNOWN " --headless", output), 2);
    cr_expect_eq(run(KNOWN " --nonsense", output), 2);
    cr_expect_not_null(strstr(output, "--nonsense"));
    cr_expect_eq(run(KNOWN " --screnshot=f.png", output), 2);
    cr_expect_not_null(strstr(output, "--screnshot; did you mean '--screenshot'?"), "%s", output);
    cr_expect_eq(run("reach --target left_plam=0,0,1 --screenshot /nowhere/f.png", output), 2);
    cr_expect_not_null(strstr(output, "did you mean 'left_palm'?"), "%s", output);
}

Test(program, a_picture_that_cannot_be_written_is_exit_2_with_its_name) {
    char output[4096];
    if (!has_context()) {
        cr_skip("EGL gives no context here");
    }
    cr_expect_eq(run(KNOWN " --screenshot /nowhere/f.png --size 64x64", output), 2);
    cr_expect_not_null(strstr(output, "/nowhere/f.png"), "%s", output);
}

// The files that were read are the scene and the script.
Test(program, an_output_never_replaces_what_was_read) {
    static const char scene[] = "poise: 1\nbodies: {b: {sphere: 0.1, at: [0, 0, 1]}}\n";
    static const char* const rows[][2] = {
        {"--screenshot link.png", "s.yaml"},
        {"--script s.script --save-script s.yaml", "s.yaml"},
        {"--script s.script --save-script s.script", "s.script"},
        {"--script picture.script", "s.yaml"},
        {"--script own.png", "own.png"},
    };
    char output[4096];
    char folder[] = "/tmp/poise-view-XXXXXX";
    if (!has_context()) {
        cr_skip("EGL gives no context here");
    }
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    write_text("s.yaml", scene);
    write_text("s.script", "at 0.01s\n");
    write_text("picture.script", "picture link.png\n");
    write_text("own.png", "picture ./own.png\n");
    cr_assert_eq(symlink("s.yaml", "link.png"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char options[200];
        char refusal[100];
        snprintf(options, sizeof options, "s.yaml --headless --size 64x64 %s", rows[i][0]);
        cr_expect_gt(run(options, output), 0, "%s: %s", rows[i][0], output);
        snprintf(refusal, sizeof refusal, "it would replace '%s'", rows[i][1]);
        cr_expect_not_null(strstr(output, refusal), "%s: %s", rows[i][0], output);
        expect_text("s.yaml", scene);
        expect_text("s.script", "at 0.01s\n");
        expect_text("own.png", "picture ./own.png\n");
    }
    cr_expect_eq(chdir("/"), 0);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    cr_expect_eq(system(command), 0);
}

Test(program, help_lists_options_and_keys) {
    char output[4096];
    cr_expect_eq(run("--help", output), 0);
    cr_expect_not_null(strstr(output, "--screenshot FILE.png"));
    cr_expect_eq(run("--help-keys", output), 0);
    cr_expect_not_null(strstr(output, "Space"));
}
