// SPDX-License-Identifier: MIT
// Computes convex hulls by qhull.
#include <libqhull_r/libqhull_r.h>
#include <stdio.h>
#include <string.h>

#include "mesh.h"

// Copies the hull's triangles, with its corners numbered anew.
static bool copy_facets(qhT* qh, Arena* arena, const Mesh* mesh, Mesh* hull) {
    int* number = poise__arena_allocate(arena, (size_t)mesh->point_count, sizeof *number);
    hull->points = poise__arena_allocate(arena, (size_t)qh->num_vertices, sizeof *hull->points);
    hull->triangles = poise__arena_allocate(arena, (size_t)qh->num_facets, sizeof *hull->triangles);
    if (!number || !hull->points || !hull->triangles) {
        return false;
    }
    facetT* facet = NULL;
    FORALLfacets {
        vertexT* vertex = NULL;
        vertexT** vertexp = NULL;
        int corner = 0;
        int* corners = hull->triangles[hull->triangle_count];
        if (!facet->simplicial || hull->triangle_count >= qh->num_facets) {
            continue;
        }
        FOREACHvertex_(facet->vertices) {
            int point = qh_pointid(qh, vertex->point);
            if (point < 0 || point >= mesh->point_count || corner == 3) {
                return false;
            }
            if (number[point] == 0 && hull->point_count < qh->num_vertices) {
                hull->points[hull->point_count++] = mesh->points[point];
                number[point] = hull->point_count;
            }
            corners[corner++] = number[point] - 1;
        }
        hull->triangle_count += corner == 3 ? 1 : 0;
    }
    return hull->triangle_count >= 4;
}

const char* poise__mesh_hull(Arena* arena, const Mesh* mesh, Mesh* hull) {
    memset(hull, 0, sizeof *hull);
    double(*points)[3] = poise__arena_allocate(arena, (size_t)mesh->point_count, sizeof *points);
    // Discards qhull's messages about flat meshes.
    FILE* silence = fopen("/dev/null", "w");
    arena->failed = arena->failed || !silence;
    bool fine = !arena->failed && mesh->point_count >= 4;
    for (int i = 0; fine && i < mesh->point_count; i++) {
        points[i][0] = mesh->points[i].x;
        points[i][1] = mesh->points[i].y;
        points[i][2] = mesh->points[i].z;
    }
    if (fine) {
        qhT qh;
        char options[] = "qhull Qt Pp";
        qh_zero(&qh, silence);
        const int ended =
            qh_new_qhull(&qh, 3, mesh->point_count, points[0], False, options, NULL, silence);
        fine = ended == 0 && copy_facets(&qh, arena, mesh, hull);
        arena->failed = arena->failed || ended == qh_ERRmem;
        int rest = 0, total = 0;
        qh_freeqhull(&qh, !qh_ALL);
        qh_memfreeshort(&qh, &rest, &total);
    }
    if (silence) {
        fclose(silence);
    }
    return fine ? NULL : "has no volume";
}
