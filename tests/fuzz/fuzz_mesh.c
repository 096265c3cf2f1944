// SPDX-License-Identifier: MIT
// The mesh of a robot. The first byte selects what the rest is: the file, which a real reader
// process reads; a height field's file, which is read here; or all that a reader process sends, as
// if a broken file controlled it. Each input must give a mesh whose corners are points and whose
// points are near, or a reason.
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

// A process takes 100 times as long as a forged message, so only each 16th input of this kind is
// read by one.
enum { PATH = 64, FILES = 'f', EACH_FILE = 16, HEIGHTS = 'h' };

// Message of the replaced reader; NULL: a real process reads. Global, since fork() gets no pointer.
static struct {
    const uint8_t* bytes;
    size_t size;
    int socket; ///< the reader's end of the last socketpair
} forged;

// These three functions replace the C library's: the reader process is replaced by one that sends
// these bytes and ends.
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

// Writes correct checksums into the chunks of a PNG, so that its content is read. A chunk is its
// length, its type, its data and the CRC-32 of type and data.
static void mend_checksums(uint8_t* png, size_t size) {
    for (size_t at = 8; at + 12 <= size;) {
        const size_t length = (size_t)png[at] << 24 | (size_t)png[at + 1] << 16 |
                              (size_t)png[at + 2] << 8 | (size_t)png[at + 3];
        if (length > size - at - 12) {
            return;
        }
        uint32_t crc = UINT32_MAX;
        for (size_t i = at + 4; i < at + 8 + length; i++) {
            crc ^= png[i];
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
            }
        }
        for (int i = 0; i < 4; i++) {
            png[at + 8 + length + (size_t)i] = (uint8_t)(~crc >> (24 - 8 * i));
        }
        at += 12 + length;
    }
}

// Reads a height field: its points must be a grid.
static void read_heights(const uint8_t* data, size_t size) {
    uint8_t* copy = malloc(size);
    demand(copy != NULL, "memory");
    memcpy(copy, data, size);
    mend_checksums(copy, size);
    FILE* file = fmemopen(copy, size, "rb");
    demand(file != NULL, "a file");
    Arena arena;
    poise__arena_init(&arena, NULL);
    Mesh mesh = {.points = NULL};
    const char* why = NULL;
    if (poise__mesh_read_heights(&arena, file, &mesh, &why)) {
        const PoiseVec3 last = mesh.points[mesh.point_count - 1];
        demand((last.x + 1.0) * (last.y + 1.0) == (double)mesh.point_count, "no whole grid");
        for (int i = 0; i < mesh.point_count; i++) {
            const PoiseVec3 p = mesh.points[i];
            demand(p.x == i % ((int)last.x + 1) && p.y == i / ((int)last.x + 1), "no grid");
            demand(p.z >= -MESH_HIGHEST && p.z <= MESH_HIGHEST, "an elevation that is too high");
        }
    } else {
        demand(arena.failed || (why && why[0]), "refused without a reason");
    }
    poise__arena_finish(&arena);
    (void)fclose(file);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    if (data[0] == HEIGHTS) {
        if (size > 1) {
            read_heights(data + 1, size - 1);
        }
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
