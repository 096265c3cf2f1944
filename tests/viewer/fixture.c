// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

static PoiseApp* open_app(const PoiseSceneSource* source) {
    PoiseSession session;
    cr_assert(poise__session_open(&session, source, stderr), "%s", source->path);
    PoiseApp* app = calloc(1, sizeof *app);
    cr_assert_not_null(app);
    cr_assert(poise__app_init(app, session));
    poise__camera_resize(&app->camera, 640, 360);
    poise__app_do(app, "frame");
    return app;
}

PoiseApp* app_of(const char* path) {
    return open_app(&(PoiseSceneSource){.path = path});
}

PoiseApp* app_of_text(const char* text) {
    return open_app(
        &(PoiseSceneSource){.path = "test.yaml", .text = text, .text_size = strlen(text)});
}

PoiseApp* known_app(void) {
    return app_of(POISE_SOURCE_DIR "/tests/viewer/known.yaml");
}

void known_app_close(PoiseApp* app) {
    poise__app_finish(app);
    free(app);
}

int known_shape(const PoiseApp* app, const char* body) {
    const PoiseSimulation* simulation = app->session.simulation;
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        if (strcmp(poise_simulation_shape(simulation, i).body, body) == 0) {
            return i;
        }
    }
    cr_assert_fail("no shape of the body %s", body);
    return -1;
}

int known_point(const PoiseApp* app, const char* name) {
    const PoiseSimulation* simulation = app->session.simulation;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        if (strcmp(poise_simulation_point(simulation, i).name, name) == 0) {
            return i;
        }
    }
    cr_assert_fail("no point %s", name);
    return -1;
}

void seen_at(const PoiseApp* app, PoiseVec3 place, double* x, double* y) {
    cr_assert(poise__camera_project(&app->camera, place, x, y));
}

double next_random(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

PoiseVec3 next_random_vec3(uint64_t* state) {
    const double x = next_random(state), y = next_random(state);
    return poise_vec3(x, y, next_random(state));
}

bool line_at(const PoiseDrawList* list, int instance, PoiseLine* line) {
    const PoiseInstance* i = &list->instances[instance];
    *line = (PoiseLine){.from = i->place,
                        .to = i->core,
                        .colour = i->colour,
                        .width = i->shell,
                        .dash = i->sweep,
                        .id = i->id};
    return i->mesh == POISE_MESH_LINE;
}

unsigned char* read_picture(const char* path, int* width, int* height) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_file(&image, path), "%s: %s", path, image.message);
    image.format = PNG_FORMAT_RGB;
    unsigned char* rgb = malloc(PNG_IMAGE_SIZE(image));
    cr_assert(rgb && png_image_finish_read(&image, NULL, rgb, 0, NULL), "%s: %s", path,
              image.message);
    *width = (int)image.width;
    *height = (int)image.height;
    return rgb;
}
