// SPDX-License-Identifier: MIT
// Convex hulls of meshes in ODE: meshes of triangles, since ODE's own convex shapes miss contacts.
#include <stdlib.h>

#include "running.h"

void poise__simulation_drop_hull(RunningHull* hull) {
    if (hull->data) {
        dGeomTriMeshDataDestroy(hull->data);
    }
    free(hull->points);
    free(hull->corners);
    *hull = (RunningHull){NULL, NULL, NULL};
}

dGeomID poise__simulation_make_hull(dSpaceID space, const PoiseSceneHull* scene,
                                    RunningHull* hull) {
    enum { ROW = 3 };
    const int points = scene->point_count;
    const int triangles = scene->triangle_count;
    hull->points = calloc((size_t)points * ROW, sizeof *hull->points);
    hull->corners = calloc((size_t)triangles * 3, sizeof *hull->corners);
    hull->data = hull->points && hull->corners ? dGeomTriMeshDataCreate() : NULL;
    if (!hull->data) {
        return NULL;
    }
    for (int i = 0; i < points; i++) {
        hull->points[ROW * i] = (dReal)scene->points[i].x;
        hull->points[ROW * i + 1] = (dReal)scene->points[i].y;
        hull->points[ROW * i + 2] = (dReal)scene->points[i].z;
    }
    for (int i = 0; i < triangles; i++) {
        for (int k = 0; k < 3; k++) {
            hull->corners[3 * i + k] = (dTriIndex)scene->triangles[i][k];
        }
    }
    if (sizeof(dReal) == sizeof(double)) {
        dGeomTriMeshDataBuildDouble(hull->data, hull->points, ROW * (int)sizeof(dReal), points,
                                    hull->corners, 3 * triangles, 3 * (int)sizeof(dTriIndex));
    } else {
        dGeomTriMeshDataBuildSingle(hull->data, hull->points, ROW * (int)sizeof(dReal), points,
                                    hull->corners, 3 * triangles, 3 * (int)sizeof(dTriIndex));
    }
    return dCreateTriMesh(space, hull->data, NULL, NULL, NULL);
}
