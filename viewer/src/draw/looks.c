// SPDX-License-Identifier: MIT
#include "looks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/// A mesh with more triangles than this is simplified even in still pictures, invisibly, to save
/// memory.
enum { MAX_WHOLE = 300000 };
/// Tolerance of such a mesh, as a fraction of the tolerance of the simplified meshes.
static const double FINE_PART = 0.125;

// Largest number of triangles that are read, and of processor time for reading them, s. Links
// beyond these limits are shown by their collision shapes.
enum { MAX_TRIANGLES_READ = 10000000 };
#define MAX_SECONDS 60.0

typedef enum LookState { LOOK_WAITS = 0, LOOK_READ = 1, LOOK_BROKEN = 2 } LookState;

struct PoiseLooks {
    const PoiseScene* scene;
    double tolerance;
    /// By look: its models, whole and simplified.
    PoiseLookModel (*models)[2];
    int* first; ///< by look: index of the first look with the same mesh, whose model is used
    atomic_int* states;
    atomic_int read;
    /// Number of triangles that were read, and the processor time that this took, s.
    long triangles;
    double seconds;
    atomic_bool stops;
    pthread_t thread;
    bool runs;
};

static bool is_same_mesh(const PoiseSceneLook* a, const PoiseSceneLook* b) {
    return a->mesh && b->mesh && strcmp(a->mesh, b->mesh) == 0 && a->scale.x == b->scale.x &&
           a->scale.y == b->scale.y && a->scale.z == b->scale.z;
}

static int first_of(const PoiseScene* scene, int look) {
    int first = 0;
    while (first < look && !is_same_mesh(&scene->looks[first], &scene->looks[look])) {
        first++;
    }
    return first;
}

// Reads the next look. Returns false if all have been read.
static bool read_next(PoiseLooks* looks) {
    const int i = atomic_load(&looks->read);
    if (i >= looks->scene->look_count) {
        return false;
    }
    const PoiseSceneLook* look = &looks->scene->looks[i];
    PoiseLookMesh mesh = {.seconds = 0.0};
    if (looks->first[i] < i) {
        atomic_store(&looks->states[i], atomic_load(&looks->states[looks->first[i]]));
        atomic_store(&looks->read, i + 1);
        return true;
    }
    const bool may = looks->triangles < MAX_TRIANGLES_READ && looks->seconds < MAX_SECONDS;
    bool good = !look->mesh && !look->hull;
    if (!good && may && poise_look_read(look, &mesh)) {
        const double fine = mesh.triangle_count > MAX_WHOLE ? FINE_PART * looks->tolerance : 0.0;
        good = poise__look_make(&looks->models[i][0], &mesh, fine) &&
               poise__look_make(&looks->models[i][1], &mesh, looks->tolerance);
        looks->triangles += mesh.triangle_count;
        looks->seconds += mesh.seconds;
        poise_look_finish(&mesh);
    } else {
        looks->seconds += mesh.seconds;
    }
    atomic_store(&looks->states[i], good ? LOOK_READ : LOOK_BROKEN);
    atomic_store(&looks->read, i + 1);
    return true;
}

static void* read_all(void* user) {
    PoiseLooks* looks = user;
    while (!atomic_load(&looks->stops) && read_next(looks)) {
    }
    return NULL;
}

PoiseLooks* poise__looks_begin(const PoiseScene* scene, double tolerance) {
    int meshes = 0;
    for (int i = 0; i < scene->look_count; i++) {
        meshes += scene->looks[i].mesh || scene->looks[i].hull;
    }
    PoiseLooks* looks = meshes > 0 ? calloc(1, sizeof *looks) : NULL;
    if (!looks) {
        return NULL;
    }
    looks->scene = scene;
    looks->tolerance = tolerance;
    looks->models = calloc((size_t)scene->look_count, sizeof *looks->models);
    looks->states = calloc((size_t)scene->look_count, sizeof *looks->states);
    looks->first = calloc((size_t)scene->look_count, sizeof *looks->first);
    for (int i = 0; looks->first && i < scene->look_count; i++) {
        looks->first[i] = first_of(scene, i);
    }
    if (!looks->models || !looks->states || !looks->first) {
        poise__looks_end(looks);
        return NULL;
    }
    looks->runs = pthread_create(&looks->thread, NULL, read_all, looks) == 0;
    return looks;
}

void poise__looks_wait(PoiseLooks* looks) {
    if (looks && looks->runs) {
        (void)pthread_join(looks->thread, NULL);
        looks->runs = false;
    }
    while (looks && !atomic_load(&looks->stops) && read_next(looks)) {
    }
}

void poise__looks_end(PoiseLooks* looks) {
    if (!looks) {
        return;
    }
    atomic_store(&looks->stops, true);
    poise__looks_wait(looks);
    for (int i = 0; looks->models && i < looks->scene->look_count; i++) {
        poise__look_drop(&looks->models[i][0]);
        poise__look_drop(&looks->models[i][1]);
    }
    free(looks->models);
    free(looks->first);
    free(looks->states);
    free(looks);
}

const PoiseLookModel* poise__looks_model(const PoiseLooks* looks, int look, bool simplified) {
    return looks && atomic_load(&looks->states[look]) == LOOK_READ
               ? &looks->models[looks->first[look]][simplified]
               : NULL;
}

bool poise__looks_cover(const PoiseLooks* looks, int body) {
    bool any = false;
    for (int i = 0; looks && i < looks->scene->look_count; i++) {
        if (looks->scene->looks[i].body == body) {
            any = true;
            if (atomic_load(&looks->states[i]) != LOOK_READ) {
                return false;
            }
        }
    }
    return any;
}

int poise__looks_count_read(PoiseLooks* looks) {
    if (looks && !looks->runs) {
        read_next(looks);
    }
    return looks ? atomic_load(&looks->read) : 0;
}

const PoiseScene* poise__looks_scene(const PoiseLooks* looks) {
    return looks->scene;
}
