// SPDX-License-Identifier: MIT
// Reads meshes in the web page. Its script runs mesh_web_reader.c on each mesh in a worker, and
// writes the output to POISE_MESHES_READ followed by the mesh's path.
#include <fcntl.h>
#include <unistd.h>

#include "mesh_message.h"

#define POISE_MESHES_READ "/meshes"

bool poise__mesh_is_built(void) {
    return true;
}

bool poise__mesh_read(Arena* arena, const MeshFile* file, Mesh* mesh, const char** why) {
    *mesh = (Mesh){0};
    Head head = {0};
    const char* path = poise__arena_format(arena, POISE_MESHES_READ "%s", file->path);
    const int read = path ? open(path, O_RDONLY) : -1;
    *why = file->heights ? "is not read: the page has no height fields from files"
                         : "was not read: drop it together with the robot";
    bool fine = read >= 0 && !file->heights;
    if (fine) {
        fine = poise__transfer(read, false, &head, sizeof head);
        *why = mesh_wrong_size;
        head.why[sizeof head.why - 1] = '\0';
        if (fine && head.why[0]) {
            *why = poise__arena_copy(arena, head.why, strlen(head.why));
        }
        fine = fine && !head.why[0] && poise__receive_mesh(arena, read, &head, mesh);
    }
    if (read >= 0) {
        (void)close(read);
    }
    // The web page's reader has ignored file->scale.
    for (int i = 0; i < mesh->point_count; i++) {
        const PoiseVec3 p = mesh->points[i], scale = file->scale;
        mesh->points[i] = poise_vec3(scale.x * p.x, scale.y * p.y, scale.z * p.z);
    }
    return fine;
}
