// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE // MSG_NOSIGNAL
#include "mesh_message.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

const char mesh_wrong_size[] =
    "cannot be read: what it says of its size is wrong, or it takes too long";

bool poise__transfer(int socket, bool sends, void* bytes, size_t size) {
    char* rest = bytes;
    while (size > 0) {
#ifdef __EMSCRIPTEN__
        const ssize_t moved = sends ? write(socket, rest, size) : read(socket, rest, size);
#else
        const ssize_t moved =
            sends ? send(socket, rest, size, MSG_NOSIGNAL) : read(socket, rest, size);
#endif
        if (moved < 0 && errno == EINTR) {
            continue;
        }
        if (moved <= 0) {
            return false;
        }
        rest += moved;
        size -= (size_t)moved;
    }
    return true;
}

static bool transfer_mesh(int socket, bool sends, const Mesh* mesh) {
    const size_t triangles = (size_t)mesh->triangle_count;
    return poise__transfer(socket, sends, mesh->points,
                           (size_t)mesh->point_count * sizeof *mesh->points) &&
           poise__transfer(socket, sends, mesh->triangles, triangles * sizeof *mesh->triangles) &&
           poise__transfer(socket, sends, mesh->tints, triangles * sizeof *mesh->tints);
}

bool poise__send_mesh(int socket, Head* head, const Mesh* mesh) {
    if (!mesh) {
        return poise__transfer(socket, true, head, sizeof *head);
    }
    head->point_count = mesh->point_count;
    head->triangle_count = mesh->triangle_count;
    head->y_up = mesh->y_up;
    return poise__transfer(socket, true, head, sizeof *head) && transfer_mesh(socket, true, mesh);
}

bool poise__receive_mesh(Arena* arena, int socket, const Head* head, Mesh* mesh) {
    mesh->y_up = head->y_up;
    if (head->triangle_count < 0 || head->triangle_count > MESH_MOST_TRIANGLES ||
        head->point_count < 0 || head->point_count > 3 * MESH_MOST_TRIANGLES) {
        return false;
    }
    mesh->point_count = head->point_count;
    mesh->triangle_count = head->triangle_count;
    mesh->points = poise__arena_allocate(arena, (size_t)head->point_count, sizeof *mesh->points);
    mesh->triangles =
        poise__arena_allocate(arena, (size_t)head->triangle_count, sizeof *mesh->triangles);
    mesh->tints = poise__arena_allocate(arena, (size_t)head->triangle_count, sizeof *mesh->tints);
    bool fine =
        mesh->points && mesh->triangles && mesh->tints && transfer_mesh(socket, false, mesh);
    // A broken file may control the reader, so each index is checked.
    for (int i = 0; fine && i < 3 * head->triangle_count; i++) {
        const int corner = mesh->triangles[i / 3][i % 3];
        fine = corner >= 0 && corner < head->point_count;
    }
    for (int i = 0; fine && i < head->point_count; i++) {
        fine = poise_length(mesh->points[i]) <= MESH_FARTHEST;
    }
    return fine;
}
