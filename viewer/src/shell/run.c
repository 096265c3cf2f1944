// SPDX-License-Identifier: MIT
// Runs the app in a window by the wall clock, or frame by frame for pictures and films: passes
// events to the app, runs a frame of the app, and renders a picture. The function `render` serves
// windows, pictures and films.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "png_file.h"
#include "recent.h"
#include "recorder.h"
#include "recording.h"
#include "resolution.h"
#include "shell.h"
#include "window.h"

/// Time for which an idle window waits for events, s. It renders nothing while nothing moves.
static const double IDLE_WAIT = 0.1;
/// Number of frames that are rendered after the last motion, since panels need a few to reach their
/// layout.
enum { SETTLING_FRAMES = 4 };
/// Least time between two changes of the title, s, so that it does not flicker.
static const double TITLE_INTERVAL = 0.1;
enum { MAX_NUMBER = 999 };
/// A scene rests if it has moved at most LEAST_SPEED, window units/s (one unit per frame), for
/// REST_TIME, s.
static const double LEAST_SPEED = 30.0;
static const double REST_TIME = 0.3;
/// Time between two frames for the panels, and between two checks for motion, while there is
/// neither motion nor input, s.
static const double REFRESH_INTERVAL = 0.5;
static const double CHECK_INTERVAL = 1.0 / 60.0;
/// Time after an event for which each frame is rendered, since panels need a few frames to reach
/// their layout, s.
static const double SETTLING_TIME = 0.25;
/// Time between two renderings of the panels while the scene moves, s.
static const double PANELS_INTERVAL = 0.1;
/// The panels are rendered in at most one of this many frames of a moving scene. Rendered by a
/// processor they cost as much as a scene.
enum { PANELS_FRAMES = 4 };
/// Least displacement of the scene that needs a new frame, window units.
static const double LEAST_MOTION = 0.25;

typedef enum FrameKind { FRAME_DRAGGED, FRAME_STILL, FRAME_FILMED } FrameKind;

/// The settings in which the kinds of frames differ. Saved pictures are frames of the kind of
/// films.
static const struct {
    /// True for normal quality, even if a processor renders the window at fast quality.
    bool normal;
    /// True for whole meshes at full resolution.
    bool whole;
    /// True if pixels of the last frame are used again where nothing has changed.
    bool keeps;
    /// True if the panels are rendered at most ten times a second.
    bool slow_panels;
} FRAMES[] = {
    [FRAME_DRAGGED] = {.keeps = true, .slow_panels = true},
    [FRAME_STILL] = {.whole = true, .keeps = true},
    [FRAME_FILMED] = {.normal = true, .whole = true},
};

typedef struct Stage {
    PoiseApp* app;
    /// The window, or the context if there is no window; the other is NULL.
    PoiseWindow* window;
    PoiseContext* context;
    /// The renderer of the window, and one of normal quality if that is fast; NULL until it is
    /// needed.
    PoiseRenderer* renderer;
    PoiseRenderer* normal;
    /// The renderer that rendered the last frame.
    PoiseRenderer* used;
    PoiseUi* ui;
    const PoiseOptions* options;
    /// True while a script runs, whose frames make all their steps.
    bool scripted;
    /// The film that is being recorded; NULL: none.
    PoiseRecorder* recorder;
    char film[64];
    /// Parts that are switched off during the film, POISE_SHOW_* bits.
    unsigned hidden;
    int film_width;
    int film_height;
    double last_frame;
    double last_title;
    char title[256];
    int shown_width;
    int shown_height;
    /// Pixels of the last picture that was read.
    unsigned char* rgb;
    /// True if frames are rendered at fast quality, and while the scene moves at a lower
    /// resolution.
    bool adapts;
    /// True if the CPU renders (software GL). While the scene moves it renders simplified meshes.
    bool software;
    PoiseResolution resolution;
    /// The app's clock at the last rendered frame, and at the last rendered frame with motion, s.
    double last_wall;
    double last_motion;
    /// The app's clock at the last event, s.
    double last_event;
    /// True if the last frame was rendered.
    bool drew;
    /// The scene in the last rendered picture, without labels; its camera, and the hash of the
    /// panels that were shown over it.
    PoiseDrawList rendered;
    PoiseCamera rendered_camera;
    double rendered_scale;
    bool rendered_whole;
    double changed; ///< fraction of the picture that the last frame rendered, 0..1
    uint64_t shown_panels;
    /// The app's clock when the panels were last rendered, s.
    double last_panels;
    int panels_age; ///< number of frames since then
    /// Number of frames that were rendered since the last motion.
    int still_frames;
    bool trouble_reported;
    /// True while rendering succeeds.
    bool good;
    PoiseNote note;
} Stage;

static double window_clock(void* user) {
    return poise__window_time(user);
}

/// True if the CPU renders, which the name of the driver tells.
static bool is_software(const PoiseWindow* window) {
    static const char* const names[] = {"llvmpipe", "softpipe", "swrast", "SWR", "SwiftShader"};
    const char* driver = poise__window_driver(window);
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found = found || strstr(driver, names[i]);
    }
    return found;
}

/// Returns the quality for the window: normal with a graphics card, fast without one. High quality
/// is for pictures only.
static PoiseQuality suitable_quality(const PoiseOptions* options, bool software) {
    if (options->has_quality) {
        return options->quality;
    }
    return software ? POISE_QUALITY_FAST : POISE_QUALITY_NORMAL;
}

/// Finds the first of the names poise-001.png (or .mp4 ...) to poise-999 that no file has.
static void choose_name(const char* ending, char path[32]) {
    for (int i = 1; i <= MAX_NUMBER; i++) {
        snprintf(path, 32, "poise-%03d%s", i, ending);
        if (access(path, F_OK) != 0) {
            return;
        }
    }
}

/// Prints a message on the terminal and shows it in the window for a while.
static void report(Stage* stage, const char* text) {
    fprintf(stderr, "poise-view: %s\n", text);
    poise__app_say(stage->app, "%s", text);
}

/// Reports that a file was saved, or why it was not.
static void report_saved(Stage* stage, bool saved, const char* path) {
    char folder[512];
    char text[640];
    if (!saved) {
        report(stage, stage->note.text);
        return;
    }
    snprintf(text, sizeof text, "saved %s in %s", path,
             getcwd(folder, sizeof folder) ? folder : "this folder");
    report(stage, text);
    poise__window_give(stage->window, path);
}

/// Returns the part of the scene that differs from the last rendered picture, and stores the new
/// scene.
static PoiseRegion changed_part(Stage* stage, double scale, bool whole) {
    const PoiseApp* app = stage->app;
    if (stage->rendered_scale != scale || stage->rendered_whole != whole ||
        memcmp(&stage->rendered_camera, &app->camera, sizeof app->camera) != 0) {
        poise__draw_list_clear(&stage->rendered);
    }
    stage->rendered_camera = app->camera;
    stage->rendered_scale = scale;
    stage->rendered_whole = whole;
    return poise__draw_list_update(&stage->rendered, &app->list, &app->camera);
}

/// Returns the fraction of the picture's free area that a region covers.
static double part_of(const PoiseRegion* region, const PoiseCamera* camera) {
    const double width = fmax(1.0, camera->width - camera->inset);
    const double height = fmax(1.0, camera->height - camera->covered_below);
    return fmax(0.0, fmin(width, region->right) - fmax(0.0, region->left)) / width *
           fmax(0.0, fmin(height, region->bottom) - fmax(0.0, region->top)) / height;
}

/// Selects the renderer for a kind of frames. Returns false, with the reason in the note, on
/// failure.
static bool choose_renderer(Stage* stage, FrameKind kind) {
    const bool other = stage->adapts && FRAMES[kind].normal;
    if (other && !stage->normal) {
        stage->normal = poise__renderer_create(POISE_QUALITY_NORMAL, &stage->note);
        if (!stage->normal || !poise__renderer_set_ui(stage->normal, stage->ui, &stage->note)) {
            poise__renderer_destroy(stage->normal);
            stage->normal = NULL;
            return false;
        }
    }
    stage->used = other ? stage->normal : stage->renderer;
    return true;
}

/// Renders a frame of this kind: the scene, labels and panels.
static bool render(Stage* stage, FrameKind kind) {
    PoiseApp* app = stage->app;
    if (!choose_renderer(stage, kind)) {
        return false;
    }
    app->view.simplified = stage->software && !FRAMES[kind].whole;
    poise__screen_draw(app);
    const double scale = FRAMES[kind].whole ? 1.0 : stage->resolution.scale;
    const PoiseRegion changed = FRAMES[kind].keeps ? changed_part(stage, scale, FRAMES[kind].whole)
                                                   : (PoiseRegion){0.0, 0.0, HUGE_VAL, HUGE_VAL};
    stage->changed = part_of(&changed, &app->camera);
    // while the scene moves, numbers change faster than anyone reads them
    const bool keeps_panels =
        FRAMES[kind].slow_panels && !app->ui_has_pointer &&
        !poise__ui_covers(stage->ui, app->pointer_x, app->pointer_y) &&
        (app->wall - stage->last_panels < PANELS_INTERVAL || stage->panels_age < PANELS_FRAMES - 1);
    stage->panels_age = keeps_panels ? stage->panels_age + 1 : 0;
    stage->last_panels = keeps_panels ? stage->last_panels : app->wall;
    const PoisePicture picture = {.list = &app->list,
                                  .camera = &app->camera,
                                  .width = stage->shown_width,
                                  .height = stage->shown_height,
                                  .scale = scale,
                                  .changed = FRAMES[kind].keeps ? &changed : NULL,
                                  .moves = !FRAMES[kind].whole,
                                  .keeps_panels = keeps_panels};
    return poise__renderer_draw(stage->used, &picture, &stage->note);
}

/// Reads the pixels of the last picture.
static bool read_pixels(Stage* stage) {
    const size_t size = (size_t)stage->shown_width * (size_t)stage->shown_height * 3;
    unsigned char* moved = realloc(stage->rgb, size + 1);
    stage->rgb = moved ? moved : stage->rgb;
    return moved ? poise__renderer_read(stage->used, stage->rgb, &stage->note)
                 : poise__note_fail(&stage->note, "out of memory for a picture");
}

/// Renders a picture that will be saved, and reads its pixels.
static bool shoot(Stage* stage) {
    if (!stage->window) {
        poise__looks_wait(stage->app->view.looks);
    }
    return render(stage, FRAME_FILMED) && read_pixels(stage);
}

/// Saves a picture of the present state.
static bool save_picture(Stage* stage, const char* path) {
    return poise__app_may_write(stage->app, path, &stage->note) && shoot(stage) &&
           poise__png_write(path, stage->rgb, stage->shown_width, stage->shown_height,
                            &stage->note);
}

/// Saves the picture or film that a request asks for, in a file with this ending.
static void save(Stage* stage, unsigned request, const char* ending) {
    PoiseApp* app = stage->app;
    char path[32];
    choose_name(ending, path);
    const bool saved = request == POISE_REQUEST_SCRIPT ? poise__script_save(app, path, &stage->note)
                       : request == POISE_REQUEST_REPLAY
                           ? poise__recording_save(&app->timeline, path, &stage->note)
                       : request == POISE_REQUEST_CSV
                           ? poise__watch_write(&app->watch, path, &stage->note)
                           : save_picture(stage, path);
    report_saved(stage, saved, path);
}

// ------------------------------------------------------------------------------------------- films

/// Begins a film. While it is recorded, each frame advances time by 1 / rate, however long
/// rendering takes. Returns false, with the reason in the note, if the file cannot be written.
static bool begin_film(Stage* stage, const char* path) {
    PoiseApp* app = stage->app;
    const PoiseRecorderDef def = {.path = path,
                                  .width = stage->shown_width,
                                  .height = stage->shown_height,
                                  .frames_per_second = stage->options->frames_per_second};
    stage->note.text[0] = '\0';
    stage->recorder = poise__app_may_write(app, path, &stage->note)
                          ? poise__recorder_create(&def, &stage->note)
                          : NULL;
    if (!stage->recorder) {
        return false;
    }
    // the recorder sets the note if it saves single pictures, since ffmpeg is not installed
    if (stage->note.text[0] != '\0') {
        report(stage, stage->note.text);
    }
    snprintf(stage->film, sizeof stage->film, "%.40s%s", path,
             stage->note.text[0] != '\0' ? ", as pictures," : "");
    stage->film_width = stage->shown_width;
    stage->film_height = stage->shown_height;
    app->recording = stage->window != NULL;
    app->filmed = app->makes_all_steps = true;
    // hides the window's panels, unless --overlay asks for them; Tab shows them again
    const bool asked = stage->options->has_overlay && (stage->options->overlay & POISE_SHOW_PANELS);
    if (stage->window && !asked) {
        stage->hidden = app->highlight.parts & POISE_SHOW_PANELS;
        app->highlight.parts &= ~(unsigned)POISE_SHOW_PANELS;
    }
    return true;
}

/// Ends the film. Returns false, with the reason in `note`, if it is incomplete.
static bool end_film(Stage* stage, PoiseNote* note) {
    const bool whole = poise__recorder_finish(stage->recorder, note);
    stage->recorder = NULL;
    stage->app->recording = stage->app->filmed = false;
    stage->app->highlight.parts |= stage->hidden;
    stage->hidden = 0;
    stage->app->makes_all_steps = stage->scripted;
    // nothing can be reused, since the window shows the film's last frame
    stage->rendered_scale = 0.0;
    return whole;
}

static void end_film_of_window(Stage* stage) {
    report_saved(stage, end_film(stage, &stage->note), stage->film);
}

static void toggle_film(Stage* stage) {
    char path[32];
    if (stage->recorder) {
        end_film_of_window(stage);
        return;
    }
    choose_name(".mp4", path);
    if (begin_film(stage, path)) {
        // prints on the terminal only, since a message in the window would be in the film
        const char* begun = poise__recorder_begun(stage->recorder);
        fprintf(stderr, "poise-view: filming %s; Ctrl+R ends it%s%s\n", path,
                begun[0] != '\0' ? "; until then the film is " : "", begun);
    } else {
        report(stage, stage->note.text);
    }
}

/// Adds the shown frame to the film, if one is being recorded. Ends the film if the window was
/// resized.
static void add_film_frame(Stage* stage) {
    if (!stage->recorder) {
        return;
    }
    if (stage->shown_width != stage->film_width || stage->shown_height != stage->film_height) {
        end_film_of_window(stage);
    } else if (!read_pixels(stage) ||
               !poise__recorder_add(stage->recorder, stage->rgb, &stage->note)) {
        report(stage, stage->note.text);
        end_film_of_window(stage);
    }
}

static void serve_requests(Stage* stage) {
    static const struct {
        unsigned request;
        const char* ending;
    } files[] = {{POISE_REQUEST_SCREENSHOT, ".png"},
                 {POISE_REQUEST_SCRIPT, ".script"},
                 {POISE_REQUEST_REPLAY, ".replay"},
                 {POISE_REQUEST_CSV, ".csv"}};
    PoiseApp* app = stage->app;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (app->requests & files[i].request) {
            save(stage, files[i].request, files[i].ending);
        }
    }
    if (app->requests & POISE_REQUEST_HELP) {
        poise__actions_print(stderr, false);
    }
    if (app->requests & POISE_REQUEST_RECORD) {
        toggle_film(stage);
    }
    app->requests &= POISE_REQUEST_QUIT;
    if (app->trouble.text[0] != '\0' && !stage->trouble_reported) {
        fprintf(stderr, "poise-view: %s; Backspace starts it again\n", app->trouble.text);
    }
    stage->trouble_reported = app->trouble.text[0] != '\0';
}

static bool is_idle(const Stage* stage) {
    const PoiseApp* app = stage->app;
    return app->pacing.paused && app->pacing.single_steps == 0 && app->input.count == 0 &&
           app->gesture == POISE_GESTURE_NONE && !stage->recorder &&
           (app->wall >= app->message_until) == (stage->last_wall >= app->message_until) &&
           !poise__scene_view_waits(&app->view);
}

/// True if the next frame may look so different that it has to be rendered.
static bool wants_frame(const Stage* stage) {
    const PoiseApp* app = stage->app;
    return stage->recorder || app->gesture != POISE_GESTURE_NONE || app->requests != 0 ||
           app->wall - stage->last_event < SETTLING_TIME ||
           app->wall - stage->last_wall > REFRESH_INTERVAL ||
           poise__scene_view_motion(&app->view, app->session.simulation, &app->camera) >
               LEAST_MOTION;
}

/// True if nothing moves, or only slowly; also if a robot stands still while time runs.
static bool rests(Stage* stage) {
    PoiseApp* app = stage->app;
    const double moved =
        poise__scene_view_motion(&app->view, app->session.simulation, &app->camera);
    poise__scene_view_see(&app->view, app->session.simulation, &app->camera);
    const double passed = app->wall - stage->last_wall;
    stage->last_wall = app->wall;
    if (app->gesture != POISE_GESTURE_NONE || moved > LEAST_SPEED * passed) {
        stage->last_motion = app->wall;
    }
    return is_idle(stage) || app->wall - stage->last_motion > REST_TIME;
}

static bool show(Stage* stage) {
    int width = 0, height = 0;
    poise__window_framebuffer_size(stage->window, &width, &height);
    if (width == 0 || height == 0) {
        poise__window_poll(stage->window, IDLE_WAIT); // the window is minimised
        return true;
    }
    const bool resized = width != stage->shown_width || height != stage->shown_height;
    stage->shown_width = width;
    stage->shown_height = height;
    // the window may have moved to another screen; rounds to eighths, since a size may be that of
    // the last frame
    poise__ui_set_pixels(stage->ui, 0.125 * round(8.0 * height / stage->app->camera.height));
    const double start = poise__window_time(stage->window);
    const clock_t work = clock();
    const bool still = rests(stage);
    const FrameKind kind = stage->recorder ? FRAME_FILMED : still ? FRAME_STILL : FRAME_DRAGGED;
    if (!render(stage, kind)) {
        return false;
    }
    const uint64_t panels = poise__ui_hash(stage->ui);
    if (stage->changed > 0.0 || resized || panels != stage->shown_panels) {
        poise__renderer_present(stage->used);
        poise__window_swap(stage->window);
        stage->shown_panels = panels;
    }
    if (stage->adapts && kind != FRAME_FILMED) {
        const double wall = poise__window_time(stage->window) - start;
        const double spent = (double)(clock() - work) / CLOCKS_PER_SEC;
        poise__resolution_next(&stage->resolution, poise__window_cost(stage->window, wall, spent),
                               still, stage->changed);
    }
    return true;
}

static void update_title(Stage* stage, double now) {
    if (now - stage->last_title >= TITLE_INTERVAL) {
        char title[256];
        poise__app_title(stage->app, title);
        if (strcmp(title, stage->title) != 0) {
            memcpy(stage->title, title, sizeof stage->title);
            poise__window_set_title(stage->window, title);
        }
        stage->last_title = now;
    }
}

/// Makes the panels, with letters for the screen's resolution.
static bool make_ui(Stage* stage) {
    int width = 0, height = 0;
    poise__window_framebuffer_size(stage->window, &width, &height);
    double units = stage->app->camera.height;
    for (int i = 0; i < stage->app->input.count; i++) {
        const PoiseEvent* event =
            &stage->app->input.events[(stage->app->input.first + i) % POISE_INPUT_CAPACITY];
        units = event->kind == POISE_EVENT_RESIZE ? event->y : units;
    }
    double pixels = units > 0.0 && height > 0 ? height / units : 1.0;
    stage->ui = poise__ui_create(pixels, poise__ui_system_font());
    stage->app->ui = stage->ui;
    return stage->ui && poise__renderer_set_ui(stage->renderer, stage->ui, &stage->note);
}

static bool run_frame(Stage* stage) {
    PoiseApp* app = stage->app;
    const double wait = is_idle(stage) ? IDLE_WAIT : stage->drew ? 0.0 : CHECK_INTERVAL;
    poise__window_poll(stage->window, wait);
    double now = poise__window_time(stage->window);
    stage->still_frames = is_idle(stage) ? stage->still_frames + 1 : 0;
    if (stage->still_frames > SETTLING_FRAMES) {
        app->wall += now - stage->last_frame;
        stage->last_frame = now;
        stage->still_frames = poise__app_follow_files(app) ? 0 : stage->still_frames;
        // updates the title, since the last frame may have been too early for it
        update_title(stage, now);
        return true;
    }
    double seconds =
        stage->recorder ? 1.0 / stage->options->frames_per_second : now - stage->last_frame;
    if (app->input.count > 0) {
        stage->last_event = app->wall + seconds;
    }
    poise__app_frame(app, seconds);
    stage->last_frame = now;
    update_title(stage, now);
    stage->drew = wants_frame(stage);
    const bool good = !stage->drew || show(stage);
    if (good && stage->drew) {
        add_film_frame(stage);
    }
    serve_requests(stage);
    return good;
}

// ----------------------------------------------------------------------------------------- scripts

/// Runs a frame by the script's time and shows it. If the frame takes time, adds it to the film.
static bool script_frame(void* user, double seconds, PoiseNote* note) {
    Stage* stage = user;
    PoiseApp* app = stage->app;
    bool good = true;
    do {
        const bool films = stage->recorder && seconds > 0.0;
        if (stage->window) {
            poise__window_poll(stage->window, 0.0);
        }
        poise__app_frame(app, seconds);
        if (stage->window) {
            update_title(stage, poise__window_time(stage->window));
            good = show(stage);
        } else if (films) {
            good = shoot(stage) && poise__recorder_add(stage->recorder, stage->rgb, &stage->note);
        } else {
            poise__screen_draw(app);
        }
        if (!good) {
            return poise__note_fail(note, "%s", stage->note.text);
        }
        if (films && stage->window) {
            add_film_frame(stage);
        }
        seconds = 0.0;
    } while (app->input.count > 0);
    if (!stage->window) {
        return app->trouble.text[0] == '\0' || poise__note_fail(note, "%s", app->trouble.text);
    }
    serve_requests(stage);
    stage->last_frame = poise__window_time(stage->window);
    return !(app->requests & POISE_REQUEST_QUIT) || poise__note_fail(note, "the window was closed");
}

static bool script_picture(void* user, const char* path, PoiseNote* note) {
    Stage* stage = user;
    PoiseApp* app = stage->app;
    // a picture of a drag shows the pointer and no hints, like a film
    const bool filmed = app->filmed;
    app->filmed = filmed || app->hand.grip != POISE_GRIP_NONE;
    const bool saved = save_picture(stage, path);
    app->filmed = filmed;
    return saved || poise__note_fail(note, "%s", stage->note.text);
}

static bool script_film(void* user, const char* path, PoiseNote* note) {
    Stage* stage = user;
    if ((path != NULL) == (stage->recorder != NULL)) {
        return poise__note_fail(note, path ? "a film is under way" : "no film is under way");
    }
    return path ? begin_film(stage, path) || poise__note_fail(note, "%s", stage->note.text)
                : end_film(stage, note);
}

/// Runs the script of the options, if there is one. Returns false with the reason in `note`.
static bool run_script(Stage* stage, PoiseNote* note) {
    const PoiseOptions* options = stage->options;
    const PoiseScriptHost host = {.frame = script_frame,
                                  .picture = script_picture,
                                  .film = script_film,
                                  .user = stage,
                                  .frame_seconds = 1.0 / options->frames_per_second,
                                  .shows_time = stage->window || options->record};
    stage->scripted = stage->app->makes_all_steps = options->script != NULL;
    const bool done = !options->script || poise__script_run(stage->app, &host, options->script,
                                                            options->script_text, note);
    stage->scripted = false;
    stage->app->makes_all_steps = stage->recorder != NULL;
    return done;
}

// ------------------------------------------------------------------------------------------ window

/// Runs a frame of the window. Returns false if the window was closed or drawing failed.
static bool run_next(void* user) {
    Stage* stage = user;
    stage->good = run_frame(stage);
    return stage->good && !(stage->app->requests & POISE_REQUEST_QUIT);
}

/// Opens the window. Returns false, with the reason in the stage's note, if it cannot be opened.
static bool open_window(Stage* stage) {
    PoiseApp* app = stage->app;
    const PoiseOptions* options = stage->options;
    const PoiseWindowDef def = {"Poise", options->width, options->height, options->ui_scale};
    stage->window = poise__window_create(&def, &app->input, &stage->note);
    if (!stage->window) {
        return false;
    }
    app->clock = window_clock;
    app->clock_user = stage->window;
    stage->software = is_software(stage->window);
    stage->renderer =
        poise__renderer_create(suitable_quality(options, stage->software), &stage->note);
    stage->last_frame = poise__window_time(stage->window);
    stage->adapts = !options->has_quality && stage->software;
    app->shows_looks = true;
    poise__scene_view_read_looks(&app->view, app->session.simulation);
    return stage->renderer && make_ui(stage);
}

static void close_stage(Stage* stage) {
    if (stage->recorder) {
        end_film_of_window(stage);
    }
    stage->app->clock = NULL;
    stage->app->ui = NULL;
    free(stage->rgb);
    poise__draw_list_finish(&stage->rendered);
    poise__renderer_destroy(stage->normal);
    poise__renderer_destroy(stage->renderer);
    poise__ui_destroy(stage->ui);
    poise__window_destroy(stage->window);
    poise__context_destroy(stage->context);
}

int poise__run_window(PoiseApp* app, const PoiseOptions* options) {
    // in a web page the frames come after this function, so that the stage cannot be on the stack
    Stage* stage = calloc(1, sizeof *stage);
    if (!stage) {
        fputs("poise-view: out of memory\n", stderr);
        return POISE_EXIT_USAGE;
    }
    *stage = (Stage){.app = app,
                     .options = options,
                     .last_title = -1.0,
                     .resolution = {.scale = 1.0, .part = 1.0}};
    stage->good = open_window(stage);
    app->follows_files = app->keeps_recent = stage->good && !options->script;
    if (app->keeps_recent) {
        poise__recent_read(&app->recent);
        poise__bookmarks_read(&app->bookmarks, &app->session);
        if (options->scene) {
            poise__recent_add(&app->recent, app->session.scene->file);
        }
    }
    if (stage->good) {
        PoiseNote note = {""};
        if (!run_script(stage, &note)) {
            report(stage, note.text);
        }
        if (!(app->requests & POISE_REQUEST_QUIT)) {
            poise__page_begin(app);
            poise__window_run(stage->window, run_next, stage);
        }
    }
    const bool good = stage->good;
    if (!good) {
        fprintf(stderr, "poise-view: %s\n", stage->note.text);
    }
    close_stage(stage);
    free(stage);
    return good ? POISE_EXIT_DONE : POISE_EXIT_USAGE;
}

// --------------------------------------------------------------------------- pictures and films

static int fail(const Stage* stage, int code) {
    return poise__note_print(&stage->note) ? POISE_EXIT_SCENE : code;
}

static bool open_studio(Stage* stage) {
    const PoiseOptions* options = stage->options;
    const PoiseQuality suitable = options->record ? POISE_QUALITY_NORMAL : POISE_QUALITY_HIGH;
    // begins to read the meshes now, since threads read them while context and renderer are made
    stage->app->shows_looks = true;
    poise__scene_view_read_looks(&stage->app->view, stage->app->session.simulation);
    stage->context = poise__context_create(&stage->note);
    if (!stage->context) {
        return false;
    }
    stage->renderer =
        poise__renderer_create(options->has_quality ? options->quality : suitable, &stage->note);
    // pixels per window unit
    stage->ui = poise__ui_create(options->ui_scale, poise__ui_system_font());
    stage->app->ui = stage->ui;
    if (!stage->ui) {
        return poise__note_fail(&stage->note, "out of memory");
    }
    return stage->renderer && poise__renderer_set_ui(stage->renderer, stage->ui, &stage->note);
}

/// Lays out the panels in two frames, since each frame uses the sizes of the last frame, and the
/// first has none.
static void lay_out(Stage* stage) {
    poise__screen_draw(stage->app);
    poise__screen_draw(stage->app);
}

static int take_picture(Stage* stage) {
    const PoiseOptions* options = stage->options;
    if (!poise__app_run_to(stage->app, options->at)) {
        stage->note = stage->app->trouble;
        return fail(stage, POISE_EXIT_BLEW_UP);
    }
    lay_out(stage);
    if (!options->has_camera || options->distance <= 0.0) {
        poise__camera_frame_simulation(&stage->app->camera, stage->app->session.simulation, 0.0);
    }
    return save_picture(stage, options->screenshot) ? POISE_EXIT_DONE
                                                    : fail(stage, POISE_EXIT_USAGE);
}

static int film_frames(Stage* stage) {
    const PoiseOptions* options = stage->options;
    int frames = (int)fmax(1.0, round(options->seconds * options->frames_per_second));
    lay_out(stage);
    for (int frame = 0; frame < frames; frame++) {
        double time = options->at + (double)frame / options->frames_per_second;
        if (!poise__app_run_to(stage->app, time)) {
            stage->note = stage->app->trouble;
            return POISE_EXIT_BLEW_UP;
        }
        if (!shoot(stage) || !poise__recorder_add(stage->recorder, stage->rgb, &stage->note)) {
            return POISE_EXIT_USAGE;
        }
        if (isatty(STDERR_FILENO)) {
            fprintf(stderr, "\rframe %d of %d%s", frame + 1, frames,
                    frame + 1 == frames ? "\n" : "");
        }
    }
    return POISE_EXIT_DONE;
}

/// Makes the film that `--record` asks for, of a script or of the run.
static int make_film(Stage* stage) {
    const PoiseOptions* options = stage->options;
    if (options->record && !begin_film(stage, options->record)) {
        return fail(stage, POISE_EXIT_USAGE);
    }
    int code = POISE_EXIT_DONE;
    if (!options->script) {
        code = film_frames(stage);
    } else {
        PoiseNote note = {""};
        code = run_script(stage, &note) ? POISE_EXIT_DONE : POISE_EXIT_SCRIPT;
        stage->note = note;
    }
    // the note keeps the first error
    if (stage->recorder && !end_film(stage, code == POISE_EXIT_DONE ? &stage->note : NULL) &&
        code == POISE_EXIT_DONE) {
        code = POISE_EXIT_USAGE;
    }
    return code == POISE_EXIT_DONE ? code : fail(stage, code);
}

int poise__run_headless(PoiseApp* app, const PoiseOptions* options) {
    Stage stage = {.app = app,
                   .options = options,
                   .resolution = {.scale = 1.0, .part = 1.0},
                   .shown_width = options->width,
                   .shown_height = options->height};
    int code = open_studio(&stage) ? POISE_EXIT_DONE : fail(&stage, POISE_EXIT_USAGE);
    // a script may only have been run to make its film
    if (code == POISE_EXIT_DONE && options->script) {
        code = make_film(&stage);
    }
    if (code == POISE_EXIT_DONE && options->screenshot) {
        code = take_picture(&stage);
    }
    if (code == POISE_EXIT_DONE && options->record && !options->script) {
        code = make_film(&stage);
    }
    close_stage(&stage);
    return code;
}
