// SPDX-License-Identifier: MIT
// `poise motion`: reads the options, prints the table, writes the files.

#include "play.h"

static const char usage[] =
    "usage: poise motion SCENE [options]\n"
    "Follows a scene's goals without physics, by inverse kinematics alone, and prints how well\n"
    "they were kept. A scene has a recorded motion as `motion: {bvh: FILE}`; see poise format.\n"
    "  --seconds T        length (the scene's)\n"
    "  --fps N            frames per second (30)\n"
    "  --bvh FILE         the bodies' motion as BVH, y up\n"
    "  --keyframes FILE   as MuJoCo's keyframes (qpos)\n"
    "  --csv FILE         the joints' coordinates, a row for each frame\n" TRUST_USAGE "Examples:\n"
    "  poise motion wave --bvh wave.bvh          a recorded motion on the scene's own body\n"
    "  poise motion reach --seconds 2 --csv q.csv   joint angles for a robot\n";

enum { FILES = 3 };

typedef struct MotionOptions {
    const char* file;
    const char* outputs[FILES + 1]; ///< BVH, keyframes, CSV; NULL: not written
    double seconds;                 ///< length of the motion, s; 0: the scene's length
    double rate;
    Reading reading;
} MotionOptions;

static bool read_rate(void* request, const char* option, const char* text) {
    MotionOptions* options = request;
    if (!poise__parse_number(option, text, &options->rate)) {
        return false;
    }
    if (!(options->rate > 0.0 && options->rate <= 1e5)) {
        fprintf(stderr, "poise: %s: a number above 0 up to 100000 is due, not '%s'\n", option,
                text);
        return false;
    }
    return true;
}

static void print_table(const Play* play) {
    printf("%d frames of %.4g s\n", play->frame_count, play->frame_time);
    printf("%-20s %10s %10s %12s %8s %10s\n", "point", "rms, mm", "most, mm", "angle, deg",
           "stands", "slide, mm");
    for (int i = 0; i < play->scene->point_count; i++) {
        const PlayPoint point = poise__play_point(play, i);
        printf("%-20s %10.4f %10.4f %12.4f %8d %10.4f\n", play->scene->points[i].name,
               1e3 * point.rms, 1e3 * point.most, point.most_angle * 180.0 / 3.14159265358979323846,
               point.stands, 1e3 * point.slide);
    }
    int worst = -1;
    const double beyond = poise__play_beyond(play, &worst);
    printf("joints beyond their ranges: %.3g%s%s\n", beyond, worst >= 0 ? ", most of " : "",
           worst >= 0 ? play->scene->joints[worst].name : "");
}

static bool write_files(const Play* play, const MotionOptions* options,
                        const PoiseDiagnostics* inputs) {
    static bool (*const writers[FILES])(const Play*, FILE*) = {
        poise__play_write_bvh, poise__play_write_keyframes, poise__play_write_csv};
    const char* written[FILES + 1] = {NULL};
    int count = 0;
    bool fine = true;
    for (int i = 0; i < FILES && fine; i++) {
        const char* path = options->outputs[i];
        PoiseOutput output = {0};
        if (!path) {
            continue;
        }
        fine = poise__open_output(&output, path, inputs, written);
        if (fine) {
            const bool whole = writers[i](play, output.file);
            fine = poise__close_output(&output, path, whole ? NULL : "memory is short");
        }
        written[count++] = path;
    }
    return fine;
}

static int play_file(const MotionOptions* options) {
    const PoiseSceneSource source = poise__source(options->file, &options->reading);
    OpenScene open;
    bool fine = poise__open_scene(&open, &source);
    poise_diagnostics_print(open.diagnostics, POISE_WARNING, stderr);
    Play play = {0};
    if (fine) {
        const double seconds = options->seconds == 0.0 ? open.scene->seconds : options->seconds;
        fine = poise__play_run(&play, open.simulation, seconds, 1.0 / options->rate) &&
               write_files(&play, options, open.diagnostics);
    }
    if (fine) {
        print_table(&play);
    }
    poise__play_finish(&play);
    poise__close_scene(&open);
    return poise__finish_output(fine ? EXIT_DONE : EXIT_INPUT);
}

int poise__command_motion(int argc, char** argv) {
    static const CommandOption rows[] = {
        {"seconds", OPTION_SECONDS, .offset = offsetof(MotionOptions, seconds)},
        {"fps", OPTION_TEXT, .take = read_rate},
        {"bvh", OPTION_TEXT, .offset = offsetof(MotionOptions, outputs[0])},
        {"keyframes", OPTION_TEXT, .offset = offsetof(MotionOptions, outputs[1])},
        {"csv", OPTION_TEXT, .offset = offsetof(MotionOptions, outputs[2])},
        {.name = NULL},
    };
    MotionOptions options = {.rate = 30.0};
    const CommandLine line = {usage, rows, &options, &options.file, &options.reading};
    const int code = poise__read_line(&line, argc, argv);
    return code == GO_ON ? play_file(&options) : code;
}
