// SPDX-License-Identifier: MIT
// Draws robots by their looks (the meshes of their files) instead of their collision shapes.
#include "scene_looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "palette.h"
#include "shape_mesh.h"

/// Largest distance of a simplified mesh from the whole one, as a fraction of the scene's radius:
/// about half a pixel if the scene fills a window of 720 pixels.
static const double TOLERANCE_PART = 1.0 / 600.0;

void poise__scene_view_read_looks(PoiseSceneView* view, const PoiseSimulation* simulation) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const double radius = poise__bounds_radius(poise__bounds_of_simulation(simulation));
    view->looks = poise__looks_begin(scene, TOLERANCE_PART * radius);
    view->look_starts = calloc((size_t)scene->look_count + 1, sizeof *view->look_starts);
}

bool poise__scene_view_waits(const PoiseSceneView* view) {
    return view->looks && (view->looks_taken < poise__looks_scene(view->looks)->look_count);
}

void poise__scene_looks_finish(PoiseSceneView* view) {
    poise__looks_end(view->looks);
    free(view->looks_read.vertices);
    free(view->looks_read.indices);
    free(view->look_starts);
}

/// Appends the triangles of a model to `all`. Returns their first index.
static int append_model(PoiseTriangles* all, const PoiseLookModel* model) {
    const int first = all->index_count;
    memcpy(all->vertices + all->vertex_count, model->vertices,
           (size_t)model->vertex_count * sizeof *model->vertices);
    for (int i = 0; i < model->index_count; i++) {
        all->indices[first + i] = model->indices[i] + (uint32_t)all->vertex_count;
    }
    all->vertex_count += model->vertex_count;
    all->index_count += model->index_count;
    return first;
}

/// Copies all models that are read into one array of triangles.
static void copy_models(PoiseSceneView* view, const PoiseScene* scene) {
    const int read = poise__looks_count_read(view->looks);
    PoiseTriangles* all = &view->looks_read;
    size_t vertices = 1;
    size_t indices = 1;
    if (read == view->looks_taken || !view->look_starts) {
        return;
    }
    for (int i = 0; i < 2 * scene->look_count; i++) {
        const PoiseLookModel* model = poise__looks_model(view->looks, i / 2, i % 2);
        vertices += model ? (size_t)model->vertex_count : 0;
        indices += model ? (size_t)model->index_count : 0;
    }
    PoiseMeshVertex* more_vertices = realloc(all->vertices, vertices * sizeof *more_vertices);
    all->vertices = more_vertices ? more_vertices : all->vertices;
    uint32_t* more_indices = realloc(all->indices, indices * sizeof *more_indices);
    all->indices = more_indices ? more_indices : all->indices;
    if (!more_vertices || !more_indices) {
        return;
    }
    all->vertex_count = all->index_count = 0;
    for (int i = 0; i < 2 * scene->look_count; i++) {
        const PoiseLookModel* model = poise__looks_model(view->looks, i / 2, i % 2);
        // the next frame shows a model that was read after copy_models
        if (model && model->vertices &&
            (size_t)(all->vertex_count + model->vertex_count) < vertices &&
            (size_t)(all->index_count + model->index_count) < indices) {
            view->look_starts[i / 2][i % 2] = append_model(all, model);
        }
    }
    view->looks_taken = read;
    all->revision++;
}

static vec4s from_srgb(const double colour[4]) {
    uint32_t hex = 0;
    for (int i = 0; i < 3; i++) {
        hex = hex << 8 | (uint32_t)(255.0 * fmin(1.0, fmax(0.0, colour[i])) + 0.5);
    }
    vec4s linear = poise__srgb(hex);
    linear.w = (float)colour[3];
    return linear;
}

/// Returns the colour of a part of a link: the link's own colour, if that is switched on; otherwise
/// that of the mesh, then that of the robot's file, then a neutral one.
static vec4s colour_of(const PoiseOverlay* overlay, const PoiseSceneLook* look, uint32_t tint,
                       int body_colour) {
    if (poise__overlay_shows(overlay, POISE_SHOW_BY_LINK) && body_colour >= 0) {
        return poise__palette_body(body_colour);
    }
    if (tint != 0) {
        return poise__srgb(tint >> 8);
    }
    return look->colour[3] > 0.0 ? from_srgb(look->colour) : poise__palette_neutral(look->body);
}

static void draw_mesh(const PoiseSceneView* view, const PoiseOverlay* overlay, int index,
                      PoiseInstance instance) {
    const PoiseScene* scene = poise_simulation_scene(overlay->simulation);
    const PoiseSceneLook* look = &scene->looks[index];
    const PoiseLookModel* model = poise__looks_model(view->looks, index, view->simplified);
    const int body_colour = poise__scene_looks_colour(view, look->body);
    vec4s highlight;
    const bool highlighted = poise__overlay_highlights(overlay, look->body, &highlight);
    instance.mesh = POISE_MESH_LOOK;
    instance.flags |= model && model->closed ? POISE_DRAW_CLOSED : 0u;
    instance.core = (vec3s){{1.0f, 1.0f, 1.0f}};
    for (int i = 0; model && i < model->part_count; i++) {
        const PoiseLookPart* part = &model->parts[i];
        instance.colour = colour_of(overlay, look, part->tint, body_colour);
        instance.first_index = view->look_starts[index][view->simplified] + part->first;
        instance.index_count = part->count;
        instance.reach = model->reach;
        poise__draw_instance(overlay->list, &instance);
        if (highlighted) {
            PoiseInstance veil = instance;
            veil.flags |= POISE_DRAW_NO_SHADOW;
            veil.colour = highlight;
            veil.colour.w = 0.35f;
            veil.glow = 0.8f;
            poise__draw_instance(overlay->list, &veil);
        }
    }
}

void poise__scene_looks_ghost(PoiseSceneView* view, const PoiseOverlay* overlay, int body,
                              PoisePose pose, vec4s colour) {
    const PoiseScene* scene = poise_simulation_scene(overlay->simulation);
    for (int i = 0; i < scene->look_count; i++) {
        const PoiseSceneLook* look = &scene->looks[i];
        const PoiseLookModel* model = poise__looks_model(view->looks, i, view->simplified);
        const PoisePose place = poise_pose_mul(pose, look->in_body);
        if (look->body != body || !model || !poise_is_finite_pose(place)) {
            continue;
        }
        const PoiseInstance instance = {.mesh = POISE_MESH_LOOK,
                                        .flags = POISE_DRAW_NO_SHADOW,
                                        .id = poise__draw_id(POISE_DRAW_GHOST, body),
                                        .place = poise__vec3s(place.p),
                                        .turn = poise__quat4s(place.q),
                                        .core = {{1.0f, 1.0f, 1.0f}},
                                        .colour = colour,
                                        .glow = 0.3f,
                                        .gloss = 0.2f,
                                        .first_index = view->look_starts[i][view->simplified],
                                        .index_count = model->index_count,
                                        .reach = model->reach};
        poise__draw_instance(overlay->list, &instance);
    }
}

void poise__scene_looks_draw(PoiseSceneView* view, const PoiseOverlay* overlay) {
    const PoiseSimulation* simulation = overlay->simulation;
    const PoiseScene* scene = poise_simulation_scene(simulation);
    if (!view->looks || poise__overlay_shows(overlay, POISE_SHOW_SHAPES)) {
        return;
    }
    copy_models(view, scene);
    overlay->list->looks = view->looks_read;
    for (int i = 0; i < scene->look_count; i++) {
        const PoiseSceneLook* look = &scene->looks[i];
        const PoisePose pose =
            poise_pose_mul(poise_simulation_body(simulation, look->body).pose_world, look->in_body);
        if (!poise__scene_looks_cover(view, overlay, look->body) || !poise_is_finite_pose(pose)) {
            continue;
        }
        const PoiseInstance instance = {.id = poise__draw_id(POISE_DRAW_BODY, look->body),
                                        .place = poise__vec3s(pose.p),
                                        .turn = poise__quat4s(pose.q),
                                        .gloss = 0.5f};
        if (look->mesh || look->hull) {
            draw_mesh(view, overlay, i, instance);
        } else {
            PoiseShapeView shape = {.kind = look->kind, .size = look->size};
            PoiseInstance primitive = instance;
            primitive.colour =
                colour_of(overlay, look, 0, poise__scene_looks_colour(view, look->body));
            poise__shape_mesh(&shape, &primitive);
            poise__draw_instance(overlay->list, &primitive);
        }
    }
}

int poise__scene_looks_colour(const PoiseSceneView* view, int body) {
    for (int i = 0; i < view->shape_count; i++) {
        if (view->shape_bodies[i] == body) {
            return view->shape_colours[i];
        }
    }
    return body;
}

bool poise__scene_looks_cover(const PoiseSceneView* view, const PoiseOverlay* overlay, int body) {
    return body >= 0 && !poise__overlay_shows(overlay, POISE_SHOW_SHAPES) &&
           poise__looks_cover(view->looks, body);
}
