// SPDX-License-Identifier: MIT
// The mesh of a robot. The first byte selects what the rest is: the file, which a real reader
// process reads, or all that a reader process sends, as if a broken file controlled it. Each input
// must give a mesh whose corners are points and whose points are near, or a reason.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "demand.h"
#include "mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A process of its own takes 100 times as long as a forged message: of the files each 16th is read,
// the first among them.
enum { PATH = 64, FILES = 'f', EACH_FILE = 16 };

// What the forged reader sends; NULL: a real process is made. Global, since fork() gets no pointer.
static struct {
    const uint8_t* bytes;
    size_t size;
    int socket; ///< the reader's end of the last socketpair
} forged;

// These three replace the C library's, and stand for a reader that sends the bytes and ends.
int socketpair(int domain, int type, int protocol, int ends[2]) {
    int (*real)(int, int, int, int[2]) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "socketpair");
    const int status = real(domain, type, protocol, ends);
    forged.socket = ends[1];
    return status;
}

pid_t fork(void) {
    pid_t (*real)(void) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "fork");
    if (!forged.bytes) {
        return real();
    }
    demand(write(forged.socket, forged.bytes, forged.size) == (ssize_t)forged.size, "a message");
    return getpid();
}

pid_t wait4(pid_t process, int* status, int options, struct rusage* used) {
    pid_t (*real)(pid_t, int*, int, struct rusage*) = NULL;
    *(void**)&real = dlsym(RTLD_NEXT, "wait4");
    if (!forged.bytes) {
        return real(process, status, options, used);
    }
    *status = 0;
    memset(used, 0, sizeof *used);
    return process;
}

static void check(const Mesh* mesh) {
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            const int corner = mesh->triangles[i][k];
            demand(corner >= 0 && corner < mesh->point_count, "a corner that is no point");
        }
    }
    for (int i = 0; i < mesh->point_count; i++) {
        demand(poise_length(mesh->points[i]) <= MESH_FARTHEST, "a point that is too far");
    }
}

// Computes the collision shape as a robot's reader does.
static void use(Arena* arena, const Mesh* mesh) {
    MeshSummary summary;
    MeshSolid solid;
    const char* why = NULL;
    if (!poise__mesh_summarize(arena, mesh, &summary) &&
        poise__mesh_solid(arena, &summary, arena, &solid, &why)) {
        demand(solid.mass.mass > 0.0, "a solid without a volume");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    static unsigned files;
    const bool file_given = data[0] == FILES;
    if (file_given && files++ % EACH_FILE != 0) {
        return 0;
    }
    const int file = memfd_create("mesh", 0);
    demand(file >= 0, "a file");
    if (file_given) {
        demand(write(file, data + 1, size - 1) == (ssize_t)(size - 1), "a file");
    }
    forged.bytes = file_given ? NULL : data + 1;
    forged.size = size - 1;
    char path[PATH];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    Arena arena;
    poise__arena_init(&arena, NULL);
    Mesh mesh;
    const char* why = NULL;
    const MeshFile source = {.path = path, .scale = {1.0, 1.0, 1.0}};
    if (poise__mesh_read(&arena, &source, &mesh, &why)) {
        check(&mesh);
        use(&arena, &mesh);
    } else {
        demand(arena.failed || mesh.shortage || (why && why[0]), "refused without a reason");
    }
    poise__arena_finish(&arena);
    close(file);
    return 0;
}
