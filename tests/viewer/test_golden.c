// SPDX-License-Identifier: MIT
// Compares six pictures of 640 x 360 with recorded ones, which were checked by eye. If renderer,
// processor and state are those of the recording, the picture must have the same bits. Others round
// differently: then at most 2 % of the pixels may differ by more than 8 of 255 after a blur over 3
// x 3.
// POISE_WRITE_GOLDEN=1 records them anew (look at them!). A picture that differs leaves
// golden_NAME.png and golden_NAME_diff.png in the build directory.
#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "panels_fixture.h"
#include "png_file.h"
#include "renderer.h"

enum { WIDTH = 640, HEIGHT = 360, MAX_DIFFERENCE = 8 };
static const double MAX_DIFFERING = 0.02;

typedef struct Golden {
    const char* name;
    const char* script;
    PoiseQuality quality;
} Golden;

static const Golden GOLDEN[] = {
    {"plain", "show clean\n", POISE_QUALITY_NORMAL},
    {"gizmo", "show clean\nkey N\nkey N\nlook -30 35\n", POISE_QUALITY_FAST},
    {"springs", "show ik\nset joints.left_shoulder.original.spring 60\nat 0.12\n",
     POISE_QUALITY_NORMAL},
    {"forces", "show forces\npull link:globe 0 0 0.1 to 0.6 0.9 1\nat 0.02\n", POISE_QUALITY_FAST},
    {"solver", "show solver,sets\nat 0.02\n", POISE_QUALITY_FAST},
    {"panels", "show clean,panels\n", POISE_QUALITY_FAST},
};
enum { GOLDEN_COUNT = (int)(sizeof GOLDEN / sizeof *GOLDEN) };

/// Finds the processor's name, "" if the system gives none. Mesa compiles its shaders for the
/// processor, which determines their rounding.
static void name_processor(char name[128]) {
    char line[256];
    FILE* file = fopen("/proc/cpuinfo", "r");
    name[0] = '\0';
    while (file && name[0] == '\0' && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", strlen("model name")) == 0 && strchr(line, ':')) {
            snprintf(name, 128, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"),
                     strchr(line, ':') + 2);
        }
    }
    if (file) {
        fclose(file);
    }
}

static void path_of(const Golden* golden, const char* ending, char path[512]) {
    snprintf(path, 512, POISE_SOURCE_DIR "/tests/viewer/golden/%s%s", golden->name, ending);
}

static void shoot(const Golden* golden, unsigned char* rgb, char made_by[512]) {
    PoiseNote note = {""};
    PoiseRenderer* renderer = poise__renderer_create(golden->quality, &note);
    cr_assert_not_null(renderer, "%s", note.text);
    PoiseApp* app = known_app();
    // the built-in letters are the same everywhere
    app->ui = poise__ui_create(1.0, NULL);
    cr_assert(poise__renderer_set_ui(renderer, app->ui, &note), "%s", note.text);
    cr_assert(does(app, golden->name, golden->script, &note), "%s", note.text);
    // hide the messages of the script
    app->message_until = 0.0;
    poise__screen_draw(app);
    poise__app_do(app, "frame");
    poise__screen_draw(app);
    const PoisePicture picture = {
        poise__screen_draw(app), &app->camera, WIDTH, HEIGHT, 1.0, NULL, false, false};
    cr_assert(poise__renderer_draw(renderer, &picture, &note), "%s", note.text);
    cr_assert(poise__renderer_read(renderer, rgb, &note), "%s", note.text);
    // the programs that made the picture, and the state that it shows
    char processor[128];
    name_processor(processor);
    snprintf(made_by, 512, "%s, %s, OpenGL %s, state %016llx", poise__renderer_driver(), processor,
             (const char*)glGetString(GL_VERSION),
             (unsigned long long)poise_simulation_state_hash(app->session.simulation));
    poise__renderer_destroy(renderer);
    poise__ui_destroy(app->ui);
    app->ui = NULL;
    known_app_close(app);
}

/// Returns the mean of one channel over 3 x 3 pixels.
static int blurred(const unsigned char* rgb, int x, int y, int channel) {
    int sum = 0, count = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (x + dx >= 0 && x + dx < WIDTH && y + dy >= 0 && y + dy < HEIGHT) {
                sum += rgb[3 * ((y + dy) * WIDTH + x + dx) + channel];
                count++;
            }
        }
    }
    return sum / count;
}

/// Returns the part of the pixels that differ visibly; `diff` gets a picture of them.
static double difference(const unsigned char* a, const unsigned char* b, unsigned char* diff) {
    int differing = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            int largest = 0;
            for (int channel = 0; channel < 3; channel++) {
                int off = abs(blurred(a, x, y, channel) - blurred(b, x, y, channel));
                largest = off > largest ? off : largest;
            }
            differing += largest > MAX_DIFFERENCE;
            unsigned char* pixel = diff + 3 * (y * WIDTH + x);
            pixel[0] = largest > MAX_DIFFERENCE ? 255 : (unsigned char)(8 * largest);
            pixel[1] = pixel[2] = a[3 * (y * WIDTH + x) + 1] / 4;
        }
    }
    return (double)differing / (WIDTH * HEIGHT);
}

static void write_golden(const Golden* golden, const unsigned char* rgb, const char* made_by) {
    char path[512];
    path_of(golden, ".png", path);
    cr_assert(poise__png_write(path, rgb, WIDTH, HEIGHT, NULL), "%s", path);
    path_of(golden, ".txt", path);
    FILE* file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fprintf(file, "%s\n", made_by);
    fclose(file);
}

static void leave_pictures(const Golden* golden, const unsigned char* rgb,
                           const unsigned char* diff) {
    char path[512];
    snprintf(path, sizeof path, POISE_BINARY_DIR "/golden_%s.png", golden->name);
    poise__png_write(path, rgb, WIDTH, HEIGHT, NULL);
    snprintf(path, sizeof path, POISE_BINARY_DIR "/golden_%s_diff.png", golden->name);
    poise__png_write(path, diff, WIDTH, HEIGHT, NULL);
}

static void compare(const Golden* golden, const unsigned char* rgb, const char* made_by) {
    static unsigned char diff[WIDTH * HEIGHT * 3];
    char path[512];
    char recorded[512] = "";
    int width = 0, height = 0;
    path_of(golden, ".txt", path);
    FILE* file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    cr_assert_not_null(fgets(recorded, sizeof recorded, file));
    fclose(file);
    recorded[strcspn(recorded, "\n")] = '\0';
    path_of(golden, ".png", path);
    unsigned char* expected = read_picture(path, &width, &height);
    cr_assert(width == WIDTH && height == HEIGHT, "%s", path);
    double differing = difference(rgb, expected, diff);
    bool same = memcmp(rgb, expected, WIDTH * HEIGHT * 3) == 0;
    bool exact = strcmp(recorded, made_by) == 0;
    if (exact ? !same : differing > MAX_DIFFERING) {
        leave_pictures(golden, rgb, diff);
    }
    if (exact) {
        cr_expect(same, "%s: not the same bits, though '%s' made both; %.3f %% of it is visible",
                  golden->name, made_by, 100.0 * differing);
    } else {
        cr_expect_leq(differing, MAX_DIFFERING, "%s: %.2f %% of the pixels differ (made by '%s')",
                      golden->name, 100.0 * differing, made_by);
    }
    free(expected);
}

Test(golden, six_pictures_equal_the_recorded_ones) {
    static unsigned char rgb[WIDTH * HEIGHT * 3];
    PoiseContext* context = poise__context_create(NULL);
    if (!context) {
        cr_skip("EGL gives no context here");
    }
    for (int i = 0; i < GOLDEN_COUNT; i++) {
        char made_by[512];
        shoot(&GOLDEN[i], rgb, made_by);
        if (getenv("POISE_WRITE_GOLDEN")) {
            write_golden(&GOLDEN[i], rgb, made_by);
        } else {
            compare(&GOLDEN[i], rgb, made_by);
        }
    }
    poise__context_destroy(context);
}

Test(golden, the_comparison_finds_a_missing_ball_and_ignores_a_shade) {
    static unsigned char a[WIDTH * HEIGHT * 3];
    static unsigned char b[WIDTH * HEIGHT * 3];
    static unsigned char diff[WIDTH * HEIGHT * 3];
    uint64_t state = 5;
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        a[i] = (unsigned char)(120 + (int)(60.0 * next_random(&state)));
        b[i] = (unsigned char)(a[i] + 5);
    }
    cr_expect_eq(difference(a, b, diff), 0.0);
    // a ball of 50 pixels is missing
    for (int y = 100; y < 150; y++) {
        memset(b + 3 * (y * WIDTH + 200), 30, 3 * 130);
    }
    cr_expect_gt(difference(a, b, diff), MAX_DIFFERING);
}
