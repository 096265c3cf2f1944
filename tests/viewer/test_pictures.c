// SPDX-License-Identifier: MIT
// Tests what can be seen in pictures of robots: their outlines and colours. The robots are those of
// POISE_TEST_DATA.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "fixture.h"
#include "renderer.h"
#include "sample.h"

enum { WIDTH = 1280, HEIGHT = 720 };

/// A scene or robot that is shown without a window.
typedef struct Studio {
    PoiseApp app;
    PoiseContext* context;
    PoiseRenderer* renderer;
} Studio;

/// Opens a file in the folder of robots. Returns false if the file or a context is missing.
static bool open_studio(Studio* studio, const char* robot, PoiseQuality quality) {
    char path[512];
    PoiseNote note = {""};
    PoiseSession session;
    snprintf(path, sizeof path, "%s/robots/real/%s", POISE_TEST_DATA, robot);
    FILE* file = fopen(path, "r");
    studio->context = file ? poise__context_create(&note) : NULL;
    if (file) {
        fclose(file);
    }
    if (!studio->context) {
        return false;
    }
    const PoiseSceneSource source = {.path = path};
    cr_assert(poise__session_open(&session, &source, stderr), "%s", robot);
    cr_assert(poise__app_init(&studio->app, session));
    poise__scene_view_read_looks(&studio->app.view, session.simulation);
    if (!studio->app.view.looks) {
        poise__app_finish(&studio->app);
        poise__context_destroy(studio->context);
        return false; // built without meshes
    }
    studio->renderer = poise__renderer_create(quality, &note);
    cr_assert_not_null(studio->renderer, "%s", note.text);
    poise__camera_resize(&studio->app.camera, WIDTH, HEIGHT);
    poise__app_do(&studio->app, "frame");
    poise__looks_wait(studio->app.view.looks);
    return true;
}

static void close_studio(Studio* studio) {
    poise__renderer_destroy(studio->renderer);
    poise__app_finish(&studio->app);
    poise__context_destroy(studio->context);
}

/// Fills `inside` with 1 at each pixel of a body. Returns the number of triangles drawn.
static int outline(Studio* studio, bool simplified, unsigned char* inside) {
    static uint32_t ids[WIDTH * HEIGHT];
    PoiseNote note = {""};
    int triangles = 0;
    studio->app.view.simplified = simplified;
    const PoiseDrawList* list = poise__screen_draw(&studio->app);
    const PoisePicture picture = {list, &studio->app.camera, WIDTH, HEIGHT, 1.0, NULL, false,
                                  false};
    cr_assert(poise__renderer_ids(studio->renderer, &picture, ids, &note), "%s", note.text);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        inside[i] = poise__draw_id_kind(ids[i]) == POISE_DRAW_BODY;
    }
    for (int i = 0; i < list->instance_count; i++) {
        triangles += list->instances[i].index_count / 3;
    }
    return triangles;
}

Test(pictures, a_simplified_robot_keeps_its_outline) {
    static const char* const robots[] = {"panda_description/urdf/panda.urdf",
                                         "anybotics_anymal_c/anymal_c.xml",
                                         "shadow_hand/right_hand.xml"};
    static unsigned char whole[WIDTH * HEIGHT];
    static unsigned char simplified[WIDTH * HEIGHT];
    int tried = 0;
    for (int i = 0; i < sample_of(1, 3); i++) {
        static Studio studio;
        if (!open_studio(&studio, robots[i], POISE_QUALITY_FAST)) {
            continue;
        }
        tried++;
        const int all = outline(&studio, false, whole);
        const int fewer = outline(&studio, true, simplified);
        int both = 0, either = 0;
        for (int k = 0; k < WIDTH * HEIGHT; k++) {
            both += whole[k] && simplified[k];
            either += whole[k] || simplified[k];
        }
        fprintf(stderr, "%s: %d of %d triangles, outlines share %.4f\n", robots[i], fewer, all,
                (double)both / either);
        cr_expect_geq(both, 0.985 * either, "%s: %d of %d", robots[i], both, either);
        cr_expect_lt(3 * fewer, 2 * all, "%s: %d of %d triangles", robots[i], fewer, all);
        close_studio(&studio);
    }
    if (tried == 0) {
        cr_skip("POISE_TEST_DATA has no robots, or this build reads no meshes");
    }
}

/// Mean saturation of the pixels, as in HSV, and standard deviation of their luminance, 0 to 1.
typedef struct Tone {
    double saturation;
    double luminance;
    double spread;
} Tone;

static Tone tone_of(const unsigned char* rgb, int pixels) {
    double saturation = 0.0, sum = 0.0, squares = 0.0;
    for (int i = 0; i < pixels; i++) {
        const unsigned char* p = rgb + 3 * (size_t)i;
        const double most = fmax(p[0], fmax(p[1], p[2]));
        const double least = fmin(p[0], fmin(p[1], p[2]));
        const double luminance = (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]) / 255.0;
        saturation += most > 0.0 ? (most - least) / most : 0.0;
        sum += luminance;
        squares += luminance * luminance;
    }
    const double mean = sum / pixels;
    return (Tone){saturation / pixels, mean, sqrt(squares / pixels - mean * mean)};
}

Test(pictures, the_six_robots_have_colour_and_contrast) {
    static const char* const robots[] = {
        "panda_description/urdf/panda.urdf", "ur_description/ur5_robot.urdf",
        "agility_cassie/cassie.xml",         "robotiq_2f85/2f85.xml",
        "shadow_hand/right_hand.xml",        "anybotics_anymal_c/anymal_c.xml"};
    static unsigned char rgb[WIDTH * HEIGHT * 3];
    int tried = 0;
    for (int i = 0; i < sample_of(2, 6); i++) {
        static Studio studio;
        PoiseNote note = {""};
        if (!open_studio(&studio, robots[i], POISE_QUALITY_NORMAL)) {
            continue;
        }
        tried++;
        studio.app.view.simplified = false;
        const PoisePicture picture = {poise__screen_draw(&studio.app),
                                      &studio.app.camera,
                                      WIDTH,
                                      HEIGHT,
                                      1.0,
                                      NULL,
                                      false,
                                      false};
        cr_assert(poise__renderer_draw(studio.renderer, &picture, &note), "%s", note.text);
        cr_assert(poise__renderer_read(studio.renderer, rgb, &note), "%s", note.text);
        const Tone tone = tone_of(rgb, WIDTH * HEIGHT);
        fprintf(stderr, "%s: saturation %.3f, luminance %.3f, spread %.3f\n", robots[i],
                tone.saturation, tone.luminance, tone.spread);
        cr_expect_geq(tone.saturation, 0.25, "%s: %g", robots[i], tone.saturation);
        cr_expect_geq(tone.spread, 0.18, "%s: %g", robots[i], tone.spread);
        close_studio(&studio);
    }
    if (tried == 0) {
        cr_skip("POISE_TEST_DATA has no robots, or this build reads no meshes");
    }
}

/// Returns the energy of the finest octave of a picture, per value of a pixel: the squared
/// differences of pixels to the mean of their 2 x 2 block, over all blocks. Blocks begin at
/// every pixel, since in a picture enlarged from half the resolution each block at even pixels has
/// one colour.
static double finest_octave(const unsigned char* rgb) {
    double energy = 0.0;
    for (int y = 0; y + 1 < HEIGHT; y++) {
        for (int x = 0; x < 3 * (WIDTH - 1); x++) {
            const unsigned char* p = rgb + 3 * (size_t)y * WIDTH + (size_t)x;
            const double values[4] = {p[0], p[3], p[3 * WIDTH], p[3 * WIDTH + 3]};
            const double mean = 0.25 * (values[0] + values[1] + values[2] + values[3]);
            for (int i = 0; i < 4; i++) {
                energy += (values[i] - mean) * (values[i] - mean);
            }
        }
    }
    return energy / (12.0 * WIDTH * HEIGHT);
}

/// Returns the sharpness of a picture of the app.
static double sharpness_of(PoiseApp* app, PoiseQuality quality, double scale) {
    static unsigned char rgb[WIDTH * HEIGHT * 3];
    PoiseNote note = {""};
    PoiseRenderer* renderer = poise__renderer_create(quality, &note);
    const PoisePicture picture = {
        poise__screen_draw(app), &app->camera, WIDTH, HEIGHT, scale, NULL, false, false};
    cr_assert(renderer && poise__renderer_draw(renderer, &picture, &note), "%s", note.text);
    cr_assert(poise__renderer_read(renderer, rgb, &note), "%s", note.text);
    poise__renderer_destroy(renderer);
    return finest_octave(rgb);
}

/// A hand drags at half the resolution or more: see resolution.h.
Test(pictures, a_picture_while_a_hand_drags_is_sharp) {
    static const char* const scenes[] = {"panda_square", "full_body"};
    PoiseContext* context = poise__context_create(NULL);
    if (!context) {
        cr_skip("EGL gives no context here");
    }
    for (int i = 0; i < sample_of(1, 2); i++) {
        char path[512];
        snprintf(path, sizeof path, POISE_SOURCE_DIR "/scenes/%s.yaml", scenes[i]);
        PoiseApp* app = app_of(path);
        poise__camera_resize(&app->camera, WIDTH, HEIGHT);
        poise__app_do(app, "frame");
        const double still = sharpness_of(app, POISE_QUALITY_NORMAL, 1.0);
        const double fast = sharpness_of(app, POISE_QUALITY_FAST, 1.0);
        const double dragged = sharpness_of(app, POISE_QUALITY_FAST, 0.5);
        fprintf(stderr, "%s: sharpness %.2f still, %.2f fast, %.2f dragged\n", scenes[i], still,
                fast, dragged);
        cr_expect_geq(dragged, 0.6 * still, "%s: %g of %g", scenes[i], dragged, still);
        cr_expect_geq(dragged, 0.6 * fast, "%s: %g of %g", scenes[i], dragged, fast);
        known_app_close(app);
    }
    poise__context_destroy(context);
}
