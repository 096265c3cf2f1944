// SPDX-License-Identifier: MIT
// Reads the command line, opens the scene, and runs it in a window or without one.
#define _POSIX_C_SOURCE 200809L
#include <ode/ode.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "poise/output.h"
#include "recording.h"
#include "shell.h"

static const double DEGREE = 3.14159265358979323846 / 180.0;

static void place_camera(PoiseApp* app, const PoiseOptions* options) {
    poise__camera_resize(&app->camera, options->width / options->ui_scale,
                         options->height / options->ui_scale);
    poise__screen_inset(app);
    if (options->has_camera) {
        app->camera.azimuth = options->azimuth * DEGREE;
        app->camera.elevation = options->elevation * DEGREE;
    }
    poise__camera_frame_simulation(&app->camera, app->session.simulation, POISE_ROOM_FOR_HANDS);
    if (options->has_camera && options->distance > 0.0) {
        app->camera.distance = options->distance;
    }
    if (options->has_focus) {
        app->camera.focus = poise_vec3(options->focus[0], options->focus[1], options->focus[2]);
    }
}

/// Lists the scenes in the folder of `scene`, then those of the project.
static void list_scenes(PoiseSceneList* files, const char* scene) {
    char folder[400];
    const char* slash = scene ? strrchr(scene, '/') : NULL;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - scene) : 0, scene ? scene : "");
    if (scene) {
        poise__scene_list_add(files, slash && slash == scene ? "/" : folder);
    }
    char own[400];
    if (poise_scene_folder(own, sizeof own)[0] != '\0' && strcmp(own, folder) != 0) {
        poise__scene_list_add(files, own);
    }
}

static int print_scenes(const PoiseOptions* options) {
    PoiseSceneList* files = calloc(1, sizeof *files);
    if (!files) {
        fputs("poise-view: out of memory\n", stderr);
        return POISE_EXIT_SCENE;
    }
    char found[512];
    list_scenes(files,
                options->scene ? poise_scene_find_file(options->scene, found, sizeof found) : NULL);
    bool any = poise__scene_list_print(files, stdout, stderr);
    free(files);
    return any ? POISE_EXIT_DONE : POISE_EXIT_SCENE;
}

static bool hold_targets(PoiseApp* app, const PoiseOptions* options) {
    for (int i = 0; i < options->target_count; i++) {
        const PoiseTargetOption* target = &options->targets[i];
        PoiseChange change = {
            .kind = POISE_CHANGE_HOLD,
            .index = poise__find(app->session.simulation, POISE_OWNER_TARGET, target->name),
            .place = poise_vec3(target->place[0], target->place[1], target->place[2])};
        if (change.index < 0 || poise__app_change(app, &change) < 0) {
            char guess[POISE_SUGGESTION_LENGTH];
            fprintf(stderr,
                    "poise-view: --target %s: the scene has no such target with a place%s\n",
                    target->name,
                    poise__suggest_name_of(app->session.simulation, POISE_OWNER_TARGET,
                                           target->name, guess));
            return false;
        }
    }
    return true;
}

/// Saves what the options ask for. Returns `code`, or another exit code if a file cannot be
/// written.
static int save_run(PoiseApp* app, const PoiseOptions* options, int code) {
    PoiseNote note;
    const bool saved =
        (!options->save_script || (poise__app_may_write(app, options->save_script, &note) &&
                                   poise__script_save(app, options->save_script, &note))) &&
        (!options->save_replay ||
         (poise__app_may_write(app, options->save_replay, &note) &&
          poise__recording_save(&app->timeline, options->save_replay, &note)));
    if (!saved) {
        const int failed = poise__note_print(&note) ? POISE_EXIT_SCENE : POISE_EXIT_USAGE;
        return code == POISE_EXIT_DONE ? failed : code;
    }
    return code;
}

static int run_app(PoiseApp* app, const PoiseOptions* options) {
    list_scenes(&app->scenes, app->session.scene->file);
    if (!hold_targets(app, options)) {
        return POISE_EXIT_USAGE;
    }
    app->highlight.parts = options->has_overlay ? options->overlay
                           : options->headless  ? POISE_VIEW_CLEAN
                                                : POISE_VIEW_CLEAN | POISE_SHOW_PANELS;
    place_camera(app, options);
    int code =
        options->headless ? poise__run_headless(app, options) : poise__run_window(app, options);
    // a run that lacked memory is incomplete, and not saved
    return code == POISE_EXIT_SCENE ? code : save_run(app, options, code);
}

/// Opens the scene, or the replay with its scene. Returns false, with the errors on stderr, on
/// failure.
static bool open_session(PoiseSession* session, const PoiseOptions* options, PoiseReplay** replay) {
    PoiseSceneSource source = {.path = options->scene ? options->scene : "panda_square",
                               .overrides = options->overrides,
                               .override_count = options->override_count,
                               .trust = options->trust};
    if (poise__is_replay(source.path)) {
        PoiseFindings findings;
        *replay = poise__recording_open(session, source.path, source.trust, &findings);
        fputs(findings.text, stderr);
        return *replay != NULL;
    }
    const bool good = poise__session_open(session, &source, stderr);
    char found[512];
    if (!good && access(poise_scene_find_file(source.path, found, sizeof found), F_OK) != 0) {
        fputs("poise-view --list lists the scenes.\n", stderr);
    }
    return good;
}

static int run_scene(const PoiseOptions* options) {
    PoiseSession session;
    PoiseReplay* replay = NULL;
    if (!open_session(&session, options, &replay)) {
        return POISE_EXIT_SCENE;
    }
    PoiseApp* app = calloc(1, sizeof *app);
    if (!app || !poise__app_init(app, session)) {
        fputs("poise-view: out of memory\n", stderr);
        if (!app) {
            poise__session_close(&session);
        }
        free(app);
        poise_replay_destroy(replay);
        return POISE_EXIT_SCENE;
    }
    const bool played = !replay || poise__recording_play(&app->timeline, replay);
    poise_replay_destroy(replay);
    if (!options->scene) {
        app->panels.popup = POISE_POPUP_SCENES;
        app->panels.popup_opened = true;
    }
    app->script = options->script;
    const int code = played ? run_app(app, options) : POISE_EXIT_SCENE;
    poise__app_finish(app);
    free(app);
    return code;
}

// Silences ODE's warnings on stderr. Poise reports a blow-up itself and names the joint.
static void ignore_message(int number, const char* text, va_list arguments) {
    (void)number;
    (void)text;
    (void)arguments;
}

int poise__view_main(int argc, char** argv) {
    dSetMessageHandler(ignore_message);
    // a file beyond the size limit must be reported as an error of writing; the signal would end
    // the process
    signal(SIGXFSZ, SIG_IGN);
    poise_output_end_by_signals();
    PoiseOptions options;
    PoiseNote note = {""};
    if (!poise__options_parse(&options, argc, argv, &note)) {
        fprintf(stderr, "poise-view: %s\npoise-view --help lists the options.\n", note.text);
        return POISE_EXIT_USAGE;
    }
    if (options.help) {
        poise__options_print(stdout);
    }
    if (options.help_keys) {
        poise__actions_print(stdout, false);
    }
    if (options.version) {
        const PoiseVersion version = poise_version();
        printf("poise-view %d.%d.%d\n", version.major, version.minor, version.patch);
    }
    if (options.help || options.help_keys || options.version) {
        return POISE_EXIT_DONE;
    }
    if (options.list) {
        return print_scenes(&options);
    }
    // reads the script before anything is opened or written
    char* script = options.script ? poise__script_load(options.script, &note) : NULL;
    if (options.script && !script) {
        return poise__note_print(&note) ? POISE_EXIT_SCENE : POISE_EXIT_SCRIPT;
    }
    options.script_text = script;
    const int code = run_scene(&options);
    free(script);
    return code;
}
