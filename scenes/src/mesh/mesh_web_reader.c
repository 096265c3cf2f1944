// SPDX-License-Identifier: MIT
// The web page's program that reads meshes (viewer/web/meshes.js), in a worker. A broken file can
// exhaust the worker's memory and time, but not the page's.
#include <emscripten.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "mesh_message.h"

// Path of the mesh to read. The program sees only the files that a person dropped on the page.
static const char* mesh_path;

// Opens the mesh (`name` is "") or a file that the mesh names.
static FILE* open_part(int socket, const char* name) {
    char path[2 * MESH_LONGEST_NAME];
    const char* slash = strrchr(mesh_path, '/');
    const int folder = name[0] && slash ? (int)(slash - mesh_path) + 1 : (int)strlen(mesh_path);
    const int length = snprintf(path, sizeof path, "%.*s%s", folder, mesh_path, name);
    (void)socket;
    errno = ENAMETOOLONG;
    return length < (int)sizeof path ? fopen(path, "rb") : NULL;
}

void poise_mesh_read(const char* path, const char* to);

/// Reads the mesh at `path`. Writes the mesh, or the reason of a failure, to the file `to`.
EMSCRIPTEN_KEEPALIVE void poise_mesh_read(const char* path, const char* to) {
    Arena arena;
    Mesh mesh = {0};
    Head head = {0};
    const char* why = "";
    const MeshFile file = {.path = path, .scale = {1.0, 1.0, 1.0}};
    mesh_path = path;
    poise__arena_init(&arena, NULL);
    const bool fine = poise__mesh_import(&arena, &file, &(MeshOpener){0, open_part}, &mesh, &why);
    if (!fine) {
        snprintf(head.why, sizeof head.why, "%s", arena.failed ? mesh_wrong_size : why);
    }
    const int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const bool sent = out >= 0 && poise__send_mesh(out, &head, fine ? &mesh : NULL);
    if (out >= 0 && (close(out) != 0 || !sent)) {
        (void)unlink(to); // without a file the page reports a mesh that is too large
    }
    poise__arena_finish(&arena);
}
