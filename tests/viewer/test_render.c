// SPDX-License-Identifier: MIT
// Tests pictures without a display: the picture of ids shows each thing at its place, and the
// picture of colours shows something.
#include <epoxy/gl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "context.h"
#include "fixture.h"
#include "renderer.h"

enum { WIDTH = 320, HEIGHT = 200 };

typedef struct Darkroom {
    PoiseApp* app;
    PoiseContext* context;
    PoiseRenderer* renderer;
} Darkroom;

static bool open_darkroom(Darkroom* room, PoiseQuality quality) {
    PoiseNote note = {""};
    *room = (Darkroom){.context = poise__context_create(&note)};
    if (!room->context) {
        return false;
    }
    room->renderer = poise__renderer_create(quality, &note);
    cr_assert_not_null(room->renderer, "%s", note.text);
    room->app = known_app();
    poise__camera_resize(&room->app->camera, WIDTH, HEIGHT);
    poise__app_do(room->app, "frame");
    return true;
}

static void close_darkroom(Darkroom* room) {
    known_app_close(room->app);
    poise__renderer_destroy(room->renderer);
    poise__context_destroy(room->context);
}

static uint32_t id_at(const Darkroom* room, const uint32_t* ids, PoiseVec3 place) {
    double x = 0.0, y = 0.0;
    seen_at(room->app, place, &x, &y);
    cr_assert(x >= 0.0 && x < WIDTH && y >= 0.0 && y < HEIGHT);
    return ids[(int)y * WIDTH + (int)x];
}

static void draw_ids(Darkroom* room, uint32_t* ids) {
    PoiseNote note = {""};
    const PoisePicture picture = {
        poise__screen_draw(room->app), &room->app->camera, WIDTH, HEIGHT, 1.0, NULL, false, false};
    cr_assert(poise__renderer_ids(room->renderer, &picture, ids, &note), "%s", note.text);
}

static void shoot(Darkroom* room, unsigned char* rgb) {
    PoiseNote note = {""};
    const PoisePicture picture = {
        poise__screen_draw(room->app), &room->app->camera, WIDTH, HEIGHT, 1.0, NULL, false, false};
    cr_assert(poise__renderer_draw(room->renderer, &picture, &note), "%s", note.text);
    cr_assert(poise__renderer_read(room->renderer, rgb, &note), "%s", note.text);
}

#define OPEN_OR_SKIP(room, quality)                                                                \
    do {                                                                                           \
        if (!open_darkroom(&(room), (quality))) {                                                  \
            cr_skip("EGL gives no context here");                                                  \
        }                                                                                          \
    } while (0)

Test(render, goals_and_bodies_are_where_the_camera_projects_them) {
    Darkroom room;
    OPEN_OR_SKIP(room, POISE_QUALITY_FAST);
    static uint32_t ids[WIDTH * HEIGHT];
    draw_ids(&room, ids);
    const PoiseSimulation* simulation = room.app->session.simulation;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        uint32_t id = id_at(&room, ids, point.goal_world.p);
        cr_expect_eq(id, poise__draw_id(POISE_DRAW_GOAL, i), "%s: %x", point.name, id);
    }
    const char* bodies[] = {"post", "globe", "drum", "left_arm", "right_arm"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        int index = known_shape(room.app, bodies[i]);
        PoiseVec3 place = poise_simulation_shape(simulation, index).pose_world.p;
        uint32_t id = id_at(&room, ids, place);
        cr_expect_eq(id, poise__draw_id(POISE_DRAW_SHAPE, index), "%s: %x", bodies[i], id);
    }
    cr_expect_eq(ids[0], 0u);
    close_darkroom(&room);
}

Test(render, gizmo_joints_and_forces_are_at_their_places) {
    Darkroom room;
    OPEN_OR_SKIP(room, POISE_QUALITY_FAST);
    static uint32_t ids[WIDTH * HEIGHT];
    PoiseSimulation* simulation = room.app->session.simulation;
    int left = known_point(room.app, "left_tip");
    poise__camera_zoom(&room.app->camera, -5.0);
    room.app->highlight.selected = left;
    room.app->highlight.parts = POISE_SHOW_POINTS | POISE_SHOW_SETS | POISE_SHOW_FORCES;
    // a hand pulls the globe upwards
    int globe = poise__find(simulation, POISE_OWNER_LINK, "globe");
    PoiseVec3 middle = poise_simulation_body(simulation, globe).com_world;
    cr_assert_eq(poise_simulation_pull(simulation, globe, poise_vec3(0.0, 0.0, 0.0),
                                       poise_add(middle, poise_vec3(0.0, 0.0, 0.6))),
                 POISE_OK);
    cr_assert(poise__app_run_to(room.app, 0.01));
    draw_ids(&room, ids);
    PoisePointView goal = poise_simulation_point(simulation, left);
    for (int part = POISE_GIZMO_ARROW_X; part <= POISE_GIZMO_ARROW_Z; part++) {
        PoiseVec3 grip = poise__gizmo_grip(&room.app->camera, poise__gizmo_frame(&goal, false),
                                           (PoiseGizmoPart)part);
        uint32_t id = id_at(&room, ids, grip);
        cr_expect_eq(id, poise__draw_id(POISE_DRAW_GIZMO, part), "part %d: %x", part, id);
    }
    int joint = poise_scene_find_joint(room.app->session.scene, "left_shoulder");
    uint32_t id = id_at(&room, ids, poise_simulation_joint_frame(simulation, joint).p);
    cr_expect_eq(id, poise__draw_id(POISE_DRAW_JOINT, joint), "the joint: %x", id);
    // the arrow starts at the globe and lies along the force
    PoiseVec3 from;
    PoiseVec3 to;
    PoiseVec3 force;
    cr_assert(poise_simulation_pulled(simulation, &from, &to, &force));
    cr_expect_gt(force.z, 0.0);
    double scale = poise__force_scale(simulation, &room.app->camera);
    double length = fmin(scale * poise_length(force), 2.0 * room.app->camera.scene_radius);
    PoiseVec3 near_tip = poise_add_scaled(from, 0.9 * length / poise_length(force), force);
    if (length > 0.2) {
        cr_expect_eq(poise__draw_id_kind(id_at(&room, ids, near_tip)), POISE_DRAW_FORCE);
    }
    cr_expect_gt(length, 0.2, "%g m for %g N", length, poise_length(force));
    close_darkroom(&room);
}

Test(render, rendered_shapes_are_the_picked_ones) {
    Darkroom room;
    OPEN_OR_SKIP(room, POISE_QUALITY_NORMAL);
    static uint32_t ids[WIDTH * HEIGHT];
    draw_ids(&room, ids);
    const PoiseSimulation* simulation = room.app->session.simulation;
    int compared = 0, differing = 0;
    for (int y = 2; y < HEIGHT; y += 5) {
        for (int x = 2; x < WIDTH; x += 5) {
            PoisePick pick = poise__pick(simulation, &room.app->camera, x + 0.5, y + 0.5);
            uint32_t id = ids[y * WIDTH + x];
            bool shape_drawn = poise__draw_id_kind(id) == POISE_DRAW_SHAPE;
            bool shape_picked = pick.kind == POISE_PICK_SHAPE;
            if (!shape_drawn && !shape_picked) {
                continue;
            }
            compared++;
            // markers and their margins, rounded edges and facets may differ
            differing += shape_drawn != shape_picked || poise__draw_id_index(id) != pick.index;
        }
    }
    cr_expect_gt(compared, 100);
    cr_expect_lt(differing * 12, compared, "%d of %d places differ", differing, compared);
    close_darkroom(&room);
}

Test(render, pictures_of_every_quality_show_bodies_goals_and_shadows) {
    for (int quality = 0; quality < 3; quality++) {
        Darkroom room;
        OPEN_OR_SKIP(room, (PoiseQuality)quality);
        static unsigned char rgb[WIDTH * HEIGHT * 3];
        shoot(&room, rgb);
        double x = 0.0, y = 0.0;
        int point = known_point(room.app, "left_tip");
        seen_at(room.app, poise_simulation_point(room.app->session.simulation, point).goal_world.p,
                &x, &y);
        const unsigned char* goal = rgb + 3 * ((int)y * WIDTH + (int)x);
        cr_expect(goal[0] > 180 && goal[1] < 120 && goal[2] < 120,
                  "quality %d: the goal is %d %d %d", quality, goal[0], goal[1], goal[2]);
        // the sky is bright; shadows and the sides away from the light are darker than the floor
        int dark = 0;
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            dark += rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2] < 280;
        }
        cr_expect(dark > WIDTH * HEIGHT / 100 && dark < WIDTH * HEIGHT / 2,
                  "quality %d: %d dark pixels", quality, dark);
        cr_expect_gt(rgb[2], 150);
        close_darkroom(&room);
    }
}

Test(render, the_same_scene_gives_the_same_picture) {
    static unsigned char first[WIDTH * HEIGHT * 3];
    static unsigned char second[WIDTH * HEIGHT * 3];
    for (int i = 0; i < 2; i++) {
        Darkroom room;
        OPEN_OR_SKIP(room, POISE_QUALITY_NORMAL);
        shoot(&room, i == 0 ? first : second);
        close_darkroom(&room);
    }
    cr_expect_eq(memcmp(first, second, sizeof first), 0);
}

Test(render, letters_are_loaded_again_when_the_screen_gets_finer) {
    Darkroom room;
    PoiseNote note = {""};
    OPEN_OR_SKIP(room, POISE_QUALITY_FAST);
    static unsigned char pictures[3][3 * WIDTH * HEIGHT];
    PoiseUi* ui = poise__ui_create(1.0, NULL);
    cr_assert(poise__renderer_set_ui(room.renderer, ui, &note), "%s", note.text);
    room.app->ui = ui;
    room.app->highlight.parts |= POISE_SHOW_PANELS;
    const double pixels[3] = {1.0, 1.5, 1.0};
    for (int i = 0; i < 3; i++) {
        poise__ui_set_pixels(ui, pixels[i]);
        for (int frame = 0; frame < 3; frame++) {
            poise__screen_draw(room.app); // each frame uses the sizes of the last for its layout
        }
        shoot(&room, pictures[i]);
    }
    cr_expect_neq(memcmp(pictures[0], pictures[1], sizeof pictures[0]), 0);
    cr_expect_eq(memcmp(pictures[0], pictures[2], sizeof pictures[0]), 0);
    room.app->ui = NULL;
    close_darkroom(&room);
    poise__ui_destroy(ui);
}

/// The panel was black in pictures without a label: it was cut as the labels are.
Test(render, a_panel_without_labels_is_drawn) {
    Darkroom room;
    PoiseNote note = {""};
    OPEN_OR_SKIP(room, POISE_QUALITY_FAST);
    static unsigned char rgb[3 * WIDTH * HEIGHT];
    PoiseUi* ui = poise__ui_create(1.0, NULL);
    cr_assert(poise__renderer_set_ui(room.renderer, ui, &note), "%s", note.text);
    room.app->ui = ui;
    room.app->highlight.parts = POISE_SHOW_SOLVER;
    poise__screen_draw(room.app);
    poise__screen_draw(room.app);
    shoot(&room, rgb);
    const unsigned char* corner = rgb + 3 * (WIDTH * HEIGHT - 4);
    cr_expect_gt(corner[0] + corner[1] + corner[2], 30);
    room.app->ui = NULL;
    close_darkroom(&room);
    poise__ui_destroy(ui);
}

Test(render, a_picture_may_change_its_size) {
    Darkroom room;
    OPEN_OR_SKIP(room, POISE_QUALITY_NORMAL);
    PoiseNote note = {""};
    const int sizes[][2] = {{64, 48}, {1, 1}, {301, 7}, {64, 48}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int width = sizes[i][0];
        int height = sizes[i][1];
        unsigned char* rgb = calloc((size_t)(width * height), 3);
        cr_assert_not_null(rgb);
        poise__camera_resize(&room.app->camera, width, height);
        const PoisePicture picture = {poise__screen_draw(room.app),
                                      &room.app->camera,
                                      width,
                                      height,
                                      1.0,
                                      NULL,
                                      false,
                                      false};
        cr_assert(poise__renderer_draw(room.renderer, &picture, &note), "%s", note.text);
        cr_assert(poise__renderer_read(room.renderer, rgb, &note), "%s", note.text);
        cr_expect_gt(rgb[0] + rgb[1] + rgb[2], 0);
        free(rgb);
    }
    close_darkroom(&room);
}

Test(render, an_empty_list_is_sky) {
    Darkroom room;
    OPEN_OR_SKIP(room, POISE_QUALITY_FAST);
    PoiseDrawList empty = {.instances = NULL};
    PoiseNote note = {""};
    static unsigned char rgb[WIDTH * HEIGHT * 3];
    poise__draw_list_clear(&empty);
    const PoisePicture picture = {&empty, &room.app->camera, WIDTH, HEIGHT, 1.0, NULL, false,
                                  false};
    cr_assert(poise__renderer_draw(room.renderer, &picture, &note));
    cr_assert(poise__renderer_read(room.renderer, rgb, &note), "%s", note.text);
    cr_expect_gt(rgb[3 * (WIDTH * HEIGHT / 2)], 150);
    close_darkroom(&room);
}

enum { COST_FRAMES = 7, COST_WIDTH = 1280, COST_HEIGHT = 720 };

/// What a frame costs: triangles, pixels written in all passes, and processor time of all threads.
typedef struct Cost {
    GLuint triangles;
    GLuint pixels;
    clock_t time;
} Cost;

static int by_time(const void* a, const void* b) {
    const clock_t x = ((const Cost*)a)->time;
    const clock_t y = ((const Cost*)b)->time;
    return (x > y) - (x < y);
}

/// Returns the cost of the second of two pictures.
static Cost cost_of(PoiseRenderer* renderer, const PoisePicture* picture) {
    PoiseNote note = {""};
    GLuint queries[2];
    Cost cost = {0};
    glGenQueries(2, queries);
    for (int i = 0; i < 2; i++) {
        const clock_t start = clock();
        glBeginQuery(GL_PRIMITIVES_GENERATED, queries[0]);
        glBeginQuery(GL_SAMPLES_PASSED, queries[1]);
        cr_assert(poise__renderer_draw(renderer, picture, &note), "%s", note.text);
        poise__renderer_show(renderer);
        glEndQuery(GL_SAMPLES_PASSED);
        glEndQuery(GL_PRIMITIVES_GENERATED);
        glFinish();
        cost.time = clock() - start;
    }
    glGetQueryObjectuiv(queries[0], GL_QUERY_RESULT, &cost.triangles);
    glGetQueryObjectuiv(queries[1], GL_QUERY_RESULT, &cost.pixels);
    glDeleteQueries(2, queries);
    return cost;
}

/// Bounds the triangles and pixels of a moving figure's frames, which a software renderer pays for.
/// The processor time is printed only, since it depends on the machine.
Test(render, a_frame_without_a_graphics_card_is_cheap) {
    PoiseNote note = {""};
    PoiseContext* context = poise__context_create(&note);
    if (!context) {
        cr_skip("EGL gives no context here");
    }
    PoiseApp* app = app_of(POISE_SOURCE_DIR "/scenes/full_body.yaml");
    PoiseDrawList empty = {.instances = NULL};
    Cost costs[3][COST_FRAMES];
    poise__camera_resize(&app->camera, COST_WIDTH, COST_HEIGHT);
    poise__app_do(app, "frame");
    poise__draw_list_clear(&empty);
    PoiseRenderer* renderer = poise__renderer_create(POISE_QUALITY_FAST, &note);
    cr_assert_not_null(renderer, "%s", note.text);
    for (int i = -3; i < COST_FRAMES; i++) {
        cr_assert(poise__app_run_to(app, 0.1 + i / 30.0));
        PoisePicture picture = {&empty, &app->camera, COST_WIDTH, COST_HEIGHT,
                                1.0,    NULL,         false,      false};
        costs[0][i < 0 ? 0 : i] = cost_of(renderer, &picture);
        picture.list = poise__screen_draw(app);
        costs[1][i < 0 ? 0 : i] = cost_of(renderer, &picture);
        picture.scale = 0.5;
        costs[2][i < 0 ? 0 : i] = cost_of(renderer, &picture);
    }
    const char* names[3] = {"sky alone", "whole", "while a hand drags"};
    const GLuint most_triangles[3] = {1, 64000, 52000};
    // a picture of half the size is enlarged by one more pass
    const double most_pixels[3] = {1.0, 2.0, 1.6};
    const double shown = COST_WIDTH * COST_HEIGHT;
    for (int i = 0; i < 3; i++) {
        qsort(costs[i], COST_FRAMES, sizeof *costs[i], by_time);
        fprintf(stderr, "%s: %u triangles, %.2f pixels a shown pixel, %.1f ms\n", names[i],
                costs[i][0].triangles, costs[i][0].pixels / shown,
                1e3 / CLOCKS_PER_SEC * (double)costs[i][COST_FRAMES / 2].time);
        for (int frame = 0; frame < COST_FRAMES; frame++) {
            const Cost cost = costs[i][frame];
            cr_expect_leq(cost.triangles, most_triangles[i], "%s: %u", names[i], cost.triangles);
            cr_expect_leq(cost.pixels / shown, most_pixels[i], "%s: %u", names[i], cost.pixels);
        }
    }
    poise__renderer_destroy(renderer);
    known_app_close(app);
    poise__context_destroy(context);
}

/// True if a region is empty.
static bool is_empty(PoiseRegion region) {
    return !(region.right > region.left && region.bottom > region.top);
}

Test(render, a_kept_picture_is_that_of_a_scene_that_looks_the_same) {
    static unsigned char first[WIDTH * HEIGHT * 3];
    static unsigned char second[WIDTH * HEIGHT * 3];
    Darkroom room;
    PoiseDrawList drawn = {.instances = NULL};
    PoiseNote note = {""};
    OPEN_OR_SKIP(room, POISE_QUALITY_FAST);
    shoot(&room, first);
    PoiseApp* app = room.app;
    const PoiseCamera* camera = &app->camera;
    const double unit = poise__camera_unit_at(camera, camera->focus);
    cr_expect_not(is_empty(poise__draw_list_update(&drawn, &app->list, camera)));
    cr_expect(is_empty(poise__draw_list_update(&drawn, &app->list, camera)));
    // a hundredth of a pixel is not seen, twenty of them are; so are a turn, a colour, a line
    PoiseInstance* moved = &app->list.instances[1];
    moved->place.x += (float)(0.01 * unit);
    cr_expect(is_empty(poise__draw_list_update(&drawn, &app->list, camera)));
    for (int i = 0; i < 19; i++) {
        moved->place.x += (float)(0.01 * unit);
    }
    cr_expect_not(is_empty(poise__draw_list_update(&drawn, &app->list, camera)));
    moved->turn.x += 0.05f;
    cr_expect_not(is_empty(poise__draw_list_update(&drawn, &app->list, camera)));
    moved->colour.y += 0.1f;
    cr_expect_not(is_empty(poise__draw_list_update(&drawn, &app->list, camera)));
    app->list.instance_count--;
    cr_expect_not(is_empty(poise__draw_list_update(&drawn, &app->list, camera)));
    app->list.instance_count++;
    cr_expect_not(is_empty(poise__draw_list_update(&drawn, &app->list, camera)));
    // the renderer uses the pixels again, but not for another size
    const PoiseRegion nothing = {0.0, 0.0, 0.0, 0.0};
    PoisePicture picture = {&app->list, camera, WIDTH, HEIGHT, 1.0, &nothing, false, false};
    app->list.instance_count = 0;
    cr_assert(poise__renderer_draw(room.renderer, &picture, &note));
    cr_assert(poise__renderer_read(room.renderer, second, &note));
    cr_expect_eq(memcmp(first, second, sizeof first), 0);
    picture.width--;
    cr_assert(poise__renderer_draw(room.renderer, &picture, &note));
    picture.width++;
    cr_assert(poise__renderer_draw(room.renderer, &picture, &note));
    cr_assert(poise__renderer_read(room.renderer, second, &note));
    cr_expect_neq(memcmp(first, second, sizeof first), 0);
    poise__draw_list_finish(&drawn);
    close_darkroom(&room);
}

/// Largest difference of a colour between two pictures, and the number of pixels where it is above
/// a step of rounding.
typedef struct Difference {
    int largest;
    int pixels;
} Difference;

static Difference difference(const unsigned char* a, const unsigned char* b) {
    Difference result = {0, 0};
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int most = 0;
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            most = abs(a[k] - b[k]) > most ? abs(a[k] - b[k]) : most;
        }
        result.pixels += most > 2;
        result.largest = most > result.largest ? most : result.largest;
    }
    return result;
}

Test(render, a_picture_drawn_in_parts_is_that_drawn_whole) {
    static const char* const scenes[] = {"full_body", "panda_square", "reach", "walk", "yoga"};
    static unsigned char parts[WIDTH * HEIGHT * 3];
    static unsigned char whole[WIDTH * HEIGHT * 3];
    PoiseNote note = {""};
    PoiseContext* context = poise__context_create(&note);
    if (!context) {
        cr_skip("EGL gives no context here");
    }
    PoiseRenderer* renderers[2];
    for (int i = 0; i < 2; i++) {
        renderers[i] = poise__renderer_create(POISE_QUALITY_FAST, &note);
        cr_assert_not_null(renderers[i], "%s", note.text);
    }
    for (size_t scene = 0; scene < sizeof scenes / sizeof *scenes; scene++) {
        char path[512];
        PoiseDrawList drawn = {.instances = NULL};
        double area = 0.0;
        snprintf(path, sizeof path, "%s/scenes/%s.yaml", POISE_SOURCE_DIR, scenes[scene]);
        PoiseApp* app = app_of(path);
        poise__camera_resize(&app->camera, WIDTH, HEIGHT);
        poise__app_do(app, "frame");
        const int frames = 20;
        for (int frame = 0; frame < frames; frame++) {
            cr_assert(poise__app_run_to(app, 0.2 + frame / 20.0));
            poise__screen_draw(app);
            const PoiseRegion changed = poise__draw_list_update(&drawn, &app->list, &app->camera);
            PoisePicture picture = {&app->list, &app->camera, WIDTH, HEIGHT,
                                    1.0,        &changed,     true,  false};
            cr_assert(poise__renderer_draw(renderers[0], &picture, &note), "%s", note.text);
            cr_assert(poise__renderer_read(renderers[0], parts, &note));
            picture.changed = NULL;
            cr_assert(poise__renderer_draw(renderers[1], &picture, &note), "%s", note.text);
            cr_assert(poise__renderer_read(renderers[1], whole, &note));
            const Difference off = difference(parts, whole);
            // what moved by less than a tenth of a pixel may show at an edge
            cr_expect_leq(off.pixels, WIDTH * HEIGHT / 1000, "%s, frame %d: %d pixels, up to %d",
                          scenes[scene], frame, off.pixels, off.largest);
            if (frame > 0) {
                area += fmax(0.0, fmin(WIDTH, changed.right) - fmax(0.0, changed.left)) *
                        fmax(0.0, fmin(HEIGHT, changed.bottom) - fmax(0.0, changed.top));
            }
        }
        const double part = area / ((frames - 1) * WIDTH * HEIGHT);
        fprintf(stderr, "%s: %.2f of the picture is drawn again\n", scenes[scene], part);
        cr_expect_lt(part, 0.75, "%s: %g", scenes[scene], part);
        poise__draw_list_finish(&drawn);
        known_app_close(app);
    }
    for (int i = 0; i < 2; i++) {
        poise__renderer_destroy(renderers[i]);
    }
    poise__context_destroy(context);
}
