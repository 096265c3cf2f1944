// SPDX-License-Identifier: MIT
#include "recorder.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "png_file.h"
#include "works.h"

enum { WIDTH = 33, HEIGHT = 17 };

static void paint(unsigned char* rgb, int frame) {
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        rgb[i] = (unsigned char)(i * 7 + frame * 40);
    }
}

static PoiseRecorderDef def_of(const char* path, const char* encoder) {
    PoiseRecorderDef def = {.path = path,
                            .width = WIDTH,
                            .height = HEIGHT,
                            .frames_per_second = 10,
                            .encoder = encoder};
    return def;
}

/// Makes a new directory. The test removes it and its files.
static void make_directory(char path[64]) {
    snprintf(path, 64, "/tmp/poise-view-XXXXXX");
    cr_assert_not_null(mkdtemp(path));
}

Test(recorder, a_picture_comes_back_as_it_was_written) {
    char directory[64];
    char path[96];
    unsigned char rgb[WIDTH * HEIGHT * 3];
    int width = 0, height = 0;
    PoiseNote note = {""};
    make_directory(directory);
    snprintf(path, sizeof path, "%s/a.png", directory);
    paint(rgb, 1);
    cr_assert(poise__png_write(path, rgb, WIDTH, HEIGHT, &note), "%s", note.text);
    unsigned char* back = read_picture(path, &width, &height);
    cr_expect_eq(width, WIDTH);
    cr_expect_eq(height, HEIGHT);
    cr_expect_eq(memcmp(rgb, back, sizeof rgb), 0);
    free(back);
    unlink(path);
    rmdir(directory);
}

Test(recorder, an_unwritable_picture_is_an_error_with_its_reason) {
    unsigned char rgb[WIDTH * HEIGHT * 3] = {0};
    PoiseNote note = {""};
    cr_expect_not(poise__png_write("/nowhere/at/all.png", rgb, WIDTH, HEIGHT, &note));
    cr_expect_not_null(strstr(note.text, "/nowhere/at/all.png"));
    cr_expect_not_null(strstr(note.text, "No such file"));
}

Test(recorder, without_an_encoder_frames_become_numbered_pictures) {
    char directory[64];
    char path[96];
    unsigned char rgb[WIDTH * HEIGHT * 3];
    PoiseNote note = {""};
    make_directory(directory);
    snprintf(path, sizeof path, "%s/film.mp4", directory);
    PoiseRecorderDef def = def_of(path, "poise-no-such-encoder");
    PoiseRecorder* recorder = poise__recorder_create(&def, &note);
    cr_assert_not_null(recorder);
    cr_expect_not_null(strstr(note.text, "apt install ffmpeg"));
    for (int frame = 0; frame < 3; frame++) {
        paint(rgb, frame);
        cr_assert(poise__recorder_add(recorder, rgb, &note));
    }
    cr_expect(poise__recorder_finish(recorder, &note));
    for (int frame = 1; frame <= 3; frame++) {
        snprintf(path, sizeof path, "%s/film_%04d.png", directory, frame);
        cr_expect_eq(unlink(path), 0, "%s is missing", path);
    }
    rmdir(directory);
}

Test(recorder, an_encoder_that_gives_up_is_an_error_not_a_signal) {
    unsigned char rgb[WIDTH * HEIGHT * 3] = {0};
    PoiseNote note = {""};
    PoiseRecorderDef def = def_of("/tmp/poise-never-made.mp4", "false");
    PoiseRecorder* recorder = poise__recorder_create(&def, &note);
    cr_assert_not_null(recorder);
    for (int frame = 0; frame < 100; frame++) {
        if (!poise__recorder_add(recorder, rgb, &note)) {
            break;
        }
    }
    cr_expect_not(poise__recorder_finish(recorder, &note));
    cr_expect_neq(note.text[0], '\0');
}

static void write_old(const char* path) {
    FILE* file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("old", file);
    fclose(file);
}

static void expect_old(const char* path) {
    char text[8] = "";
    FILE* file = fopen(path, "r");
    cr_assert_not_null(file);
    cr_expect_not_null(fgets(text, sizeof text, file));
    cr_expect_str_eq(text, "old", "%s", path);
    fclose(file);
}

Test(recorder, a_film_that_fails_leaves_the_old_file) {
    char directory[64];
    char path[96];
    unsigned char rgb[WIDTH * HEIGHT * 3] = {0};
    make_directory(directory);
    snprintf(path, sizeof path, "%s/film.mp4", directory);
    write_old(path);
    PoiseNote note = {""};
    PoiseRecorderDef def = def_of(path, "false");
    PoiseRecorder* recorder = poise__recorder_create(&def, &note);
    cr_assert_not_null(recorder);
    // the encoder may have ended before it gets a picture
    const bool added = poise__recorder_add(recorder, rgb, &note);
    const bool finished = poise__recorder_finish(recorder, &note);
    cr_expect_not(added && finished);
    expect_old(path);
    unlink(path);
    cr_expect_eq(rmdir(directory), 0, "nothing else is left");
}

Test(recorder, a_picture_and_a_film_on_a_full_disk_leave_the_old_files) {
    char directory[64];
    char picture[96];
    char film[96];
    static unsigned char rgb[640 * 480 * 3];
    PoiseNote note = {""};
    for (size_t i = 0; i < sizeof rgb; i++) {
        rgb[i] = (unsigned char)(i * i >> 5);
    }
    make_directory(directory);
    snprintf(picture, sizeof picture, "%s/a.png", directory);
    snprintf(film, sizeof film, "%s/film.mp4", directory);
    write_old(picture);
    write_old(film);
    // Limits the size of files, which acts like a full disk.
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 4096;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_expect_not(poise__png_write(picture, rgb, 640, 480, &note));
    cr_expect_not_null(strstr(note.text, "too large"), "%s", note.text);
    expect_old(picture);
    if (system("command -v ffmpeg >/dev/null 2>&1") == 0) {
        PoiseRecorderDef def = def_of(film, NULL);
        def.width = 640;
        def.height = 480;
        PoiseRecorder* recorder = poise__recorder_create(&def, &note);
        cr_assert_not_null(recorder);
        for (int frame = 0; frame < 5; frame++) {
            GETS(poise__recorder_add(recorder, rgb, &note));
        }
        cr_expect_not(poise__recorder_finish(recorder, &note));
        expect_old(film);
    }
    unlink(picture);
    unlink(film);
    cr_expect_eq(rmdir(directory), 0, "nothing else is left");
}

Test(recorder, a_name_that_is_no_film_is_refused) {
    PoiseNote note = {""};
    PoiseRecorderDef def = def_of("film.avi", NULL);
    cr_expect_null(poise__recorder_create(&def, &note));
    cr_expect_not_null(strstr(note.text, ".mp4"));
}

Test(recorder, ffmpeg_makes_films_of_odd_sizes) {
    static const char* const endings[] = {"mp4", "gif"};
    if (system("command -v ffmpeg >/dev/null 2>&1") != 0) {
        cr_skip("ffmpeg is not installed");
    }
    char directory[64];
    unsigned char rgb[WIDTH * HEIGHT * 3];
    make_directory(directory);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char path[96];
        PoiseNote note = {""};
        snprintf(path, sizeof path, "%s/film.%s", directory, endings[i]);
        PoiseRecorderDef def = def_of(path, NULL);
        PoiseRecorder* recorder = poise__recorder_create(&def, &note);
        cr_assert_not_null(recorder, "%s", note.text);
        for (int frame = 0; frame < 5; frame++) {
            paint(rgb, frame);
            cr_assert(poise__recorder_add(recorder, rgb, &note), "%s", note.text);
        }
        cr_expect(poise__recorder_finish(recorder, &note), "%s", note.text);
        cr_expect_eq(unlink(path), 0, "%s is missing", path);
    }
    rmdir(directory);
}

// A viewer that is killed leaves the film up to its last frame, under a name with the ending of a
// film.
Test(recorder, a_killed_film_can_be_played) {
    enum { FRAMES = 25 };
    if (system("command -v ffprobe >/dev/null 2>&1") != 0) {
        cr_skip("ffprobe is not installed");
    }
    char directory[64];
    char command[256];
    make_directory(directory);
    const pid_t viewer = fork();
    if (viewer == 0) {
        unsigned char rgb[WIDTH * HEIGHT * 3];
        char path[96];
        PoiseNote note = {""};
        snprintf(path, sizeof path, "%s/film.mp4", directory);
        const PoiseRecorderDef def = def_of(path, NULL);
        PoiseRecorder* recorder = poise__recorder_create(&def, &note);
        for (int frame = 0; recorder && frame < FRAMES; frame++) {
            paint(rgb, frame);
            GETS(poise__recorder_add(recorder, rgb, &note));
        }
        raise(SIGKILL);
    }
    int status = 0;
    cr_assert_eq(waitpid(viewer, &status, 0), viewer);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    // the encoder ends by itself, within 10 s
    snprintf(
        command, sizeof command,
        "for i in $(seq 100); do test \"$(ffprobe -v error -count_frames -show_entries "
        "stream=nb_read_frames -of csv=p=0 %s/film.??????.mp4 2>/dev/null)\" -ge %d && exit 0; "
        "sleep 0.1; done; exit 1",
        directory, (int)FRAMES);
    cr_expect_eq(system(command), 0, "the film has fewer frames");
    snprintf(command, sizeof command, "rm %s/film.??????.mp4", directory);
    cr_expect_eq(system(command), 0);
    cr_expect_eq(rmdir(directory), 0, "nothing else is left");
}

// A film whose name looks like an address or an option is a file of that name. ffmpeg would open a
// connection otherwise.
Test(recorder, a_film_is_a_file_whatever_its_name) {
    static const char* const names[] = {"tcp:127.0.0.1:9.mp4", "-x.mp4", "pipe:1.mp4"};
    char directory[64];
    char encoder[96];
    make_directory(directory);
    snprintf(encoder, sizeof encoder, "%s/encoder", directory);
    FILE* script = fopen(encoder, "w");
    cr_assert_not_null(script);
    fputs("#!/bin/sh\nfor last; do :; done\nprintf film > \"${last#file:}\"\n", script);
    cr_assert_eq(fclose(script), 0);
    cr_assert_eq(chmod(encoder, 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PoiseNote note = {""};
        PoiseRecorderDef def = def_of(names[i], encoder);
        PoiseRecorder* recorder = poise__recorder_create(&def, &note);
        cr_assert_not_null(recorder, "%s", note.text);
        cr_expect(poise__recorder_finish(recorder, &note), "%s", note.text);
        char text[16] = "";
        FILE* file = fopen(names[i], "r");
        cr_assert_not_null(file, "%s", names[i]);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        cr_expect_str_eq(text, "film", "%s", names[i]);
        cr_expect_eq(unlink(names[i]), 0);
    }
    unlink(encoder);
    rmdir(directory);
}
