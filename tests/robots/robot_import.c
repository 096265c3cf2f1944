// SPDX-License-Identifier: MIT
// Prints the cost of reading a robot, as a row of a table:
//     robot-import BARE FILE
// BARE is the same file without its meshes. The three costs are processor times: the least of
// eleven readings of BARE; a reading of FILE with its meshes for mass and collision; and a reading
// of the meshes for display, which the viewer does during its first frames.
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "poise/look.h"
#include "poise/scene.h"

enum { READINGS = 11 };

static double seconds_of(int who) {
    struct rusage used;
    if (getrusage(who, &used) != 0) {
        return 0.0;
    }
    const struct timeval user = used.ru_utime;
    const struct timeval system = used.ru_stime;
    return (double)(user.tv_sec + system.tv_sec) + 1e-6 * (double)(user.tv_usec + system.tv_usec);
}

// Returns the processor time of this process and its child processes, which read the meshes, s.
static double processor_time(void) {
    return seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
}

static PoiseScene* read_timed(const char* file, double* seconds) {
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    const double before = processor_time();
    PoiseScene* scene = poise_scene_load(file, diagnostics);
    *seconds = fmin(*seconds, processor_time() - before);
    poise_diagnostics_print(diagnostics, POISE_ERROR, stderr);
    poise_diagnostics_destroy(diagnostics);
    return scene;
}

// True if no look before this one has the same mesh. The viewer reads each mesh once.
static bool is_first(const PoiseScene* scene, int look) {
    for (int i = 0; i < look; i++) {
        if (scene->looks[i].mesh && strcmp(scene->looks[i].mesh, scene->looks[look].mesh) == 0) {
            return false;
        }
    }
    return true;
}

static void print_looks(const PoiseScene* scene) {
    int meshes = 0;
    long triangles = 0;
    double seconds = 0.0;
    for (int i = 0; i < scene->look_count; i++) {
        PoiseLookMesh mesh = {.seconds = 0.0};
        if (scene->looks[i].mesh && is_first(scene, i) &&
            poise_look_read(&scene->looks[i], &mesh)) {
            triangles += mesh.triangle_count;
            meshes++;
        }
        seconds += mesh.seconds;
        poise_look_finish(&mesh);
    }
    printf(" %d, %ld | %.2f |\n", meshes, triangles, seconds);
}

int main(int argc, char** argv) {
    double bare = (double)INFINITY;
    double whole = (double)INFINITY;
    if (argc != 3) {
        fprintf(stderr, "usage: robot-import BARE FILE\n");
        return 2;
    }
    for (int i = 0; i < READINGS; i++) {
        poise_scene_destroy(read_timed(argv[1], &bare));
    }
    PoiseScene* scene = read_timed(argv[2], &whole);
    if (!scene) {
        printf(" no | | | |\n");
        return 1;
    }
    printf(" %.1f | %.1f |", 1e3 * bare, 1e3 * whole);
    print_looks(scene);
    poise_scene_destroy(scene);
    return 0;
}
