// SPDX-License-Identifier: MIT
// Creates geoms of hulls in ODE. A convex hull becomes a mesh of triangles, since ODE's own convex
// shapes miss contacts. A height field becomes ODE's heightfield, which finds the few triangles
// below a body fast.
#include <stdlib.h>

#include "running.h"

void poise__simulation_drop_hull(RunningHull* hull) {
    if (hull->data) {
        dGeomTriMeshDataDestroy(hull->data);
    }
    if (hull->heights) {
        dGeomHeightfieldDataDestroy(hull->heights);
    }
    free(hull->points);
    free(hull->corners);
    *hull = (RunningHull){.data = NULL};
}

// Thickness of a height field below its lowest place, m: a body that has sunk less deep is pushed
// up.
#define FIELD_THICKNESS 1.0

// Creates a height field. In ODE its heights are along y, and the first row has the least z;
// poise__simulation_upright rotates it.
static dGeomID make_heights(dSpaceID space, const PoiseSceneShape* shape, RunningHull* hull) {
    const PoiseSceneHull* field = shape->hull;
    const int columns = field->columns;
    hull->points = calloc((size_t)field->point_count, sizeof *hull->points);
    hull->heights = hull->points ? dGeomHeightfieldDataCreate() : NULL;
    if (!hull->heights) {
        return NULL;
    }
    for (int i = 0; i < field->point_count; i++) {
        const int row = field->rows - 1 - i / columns;
        hull->points[row * columns + i % columns] = (dReal)field->points[i].z;
    }
    const dReal width = (dReal)shape->size.x;
    const dReal depth = (dReal)shape->size.y;
    const dReal thickness = (dReal)FIELD_THICKNESS;
    if (sizeof(dReal) == sizeof(double)) {
        dGeomHeightfieldDataBuildDouble(hull->heights, (const double*)hull->points, 0, width, depth,
                                        columns, field->rows, 1, 0, thickness, 0);
    } else {
        dGeomHeightfieldDataBuildSingle(hull->heights, (const float*)hull->points, 0, width, depth,
                                        columns, field->rows, 1, 0, thickness, 0);
    }
    return dCreateHeightfield(space, hull->heights, 1);
}

PoisePose poise__simulation_upright(const PoiseSceneShape* shape, PoisePose pose) {
    if (shape->kind == POISE_SHAPE_HULL && shape->hull->rows > 0) {
        const PoiseVec3 x = poise_vec3(1.0, 0.0, 0.0);
        pose.q = poise_quat_mul(pose.q, poise_quat_from_axis_angle(x, 0.5 * POISE_PI));
    }
    return pose;
}

dGeomID poise__simulation_make_hull(dSpaceID space, const PoiseSceneShape* shape,
                                    RunningHull* hull) {
    enum { ROW = 3 };
    const PoiseSceneHull* scene = shape->hull;
    if (scene->rows > 0) {
        return make_heights(space, shape, hull);
    }
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
