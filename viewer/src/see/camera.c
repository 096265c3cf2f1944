// SPDX-License-Identifier: MIT
// The orbiting camera. Everything is computed in double precision from focus, angles and distance;
// the matrices for the graphics card are the last step.
#include "camera.h"

static const double PI = 3.14159265358979323846;
/// Rad per window unit: half a turn across 800 units.
static const double ORBIT_SPEED = 0.0039;
/// What one notch of the wheel multiplies the distance with.
static const double ZOOM_STEP = 0.88;
/// Keeps the up vector defined, rad.
static const double POLE_MARGIN = 0.01;
static const double SMALLEST_DISTANCE = 0.02;
static const double LARGEST_DISTANCE = 1000.0;
/// Room around the framed bounds.
static const double FRAME_MARGIN = 1.0;
/// Bounds smaller than this are framed as if they had this radius, m.
static const double SMALLEST_RADIUS = 0.05;
/// The near plane stands at this part of the distance, at most.
static const double NEAR_PART = 0.02;

PoiseCamera poise__camera_default(void) {
    PoiseCamera camera = {
        .azimuth = -52.0 * PI / 180.0,
        .elevation = 17.0 * PI / 180.0,
        .distance = 3.0,
        .field_of_view = 34.0 * PI / 180.0,
        .width = 1280.0,
        .height = 720.0,
        .scene_radius = 1.0,
    };
    return camera;
}

void poise__camera_resize(PoiseCamera* camera, double width, double height) {
    camera->width = fmax(1.0, width);
    camera->height = fmax(1.0, height);
}

static void keep_in_range(PoiseCamera* camera) {
    double pole = 0.5 * PI - POLE_MARGIN;
    camera->elevation = fmax(-pole, fmin(pole, camera->elevation));
    camera->azimuth = remainder(camera->azimuth, 2.0 * PI);
    camera->distance = fmax(SMALLEST_DISTANCE, fmin(LARGEST_DISTANCE, camera->distance));
}

void poise__camera_frame(PoiseCamera* camera, PoiseBounds bounds) {
    camera->focus = poise__bounds_centre(bounds);
    camera->scene_radius = fmax(SMALLEST_RADIUS, poise__bounds_radius(bounds));
    PoiseVec3 right = poise__camera_right(camera);
    PoiseVec3 up = poise__camera_up(camera);
    PoiseVec3 forward = poise__camera_forward(camera);
    double tall = tan(0.5 * camera->field_of_view);
    double wide = tall * fmax(1.0, camera->width - camera->inset) / camera->height;
    double distance = 0.0;

    // the farthest back that any corner of the box asks for
    for (int corner = 0; corner < 8 && !poise__bounds_is_empty(bounds); corner++) {
        PoiseVec3 place = poise_vec3((corner & 1) ? bounds.upper.x : bounds.lower.x,
                                     (corner & 2) ? bounds.upper.y : bounds.lower.y,
                                     (corner & 4) ? bounds.upper.z : bounds.lower.z);
        PoiseVec3 out = poise_sub(place, camera->focus);
        double depth = poise_dot(out, forward);
        distance = fmax(distance, fabs(poise_dot(out, right)) / wide - depth);
        distance = fmax(distance, fabs(poise_dot(out, up)) / tall - depth);
    }
    camera->distance = FRAME_MARGIN * fmax(distance, 1.5 * camera->scene_radius);
    keep_in_range(camera);
}

void poise__camera_orbit(PoiseCamera* camera, double dx, double dy) {
    camera->azimuth -= ORBIT_SPEED * dx;
    camera->elevation += ORBIT_SPEED * dy;
    keep_in_range(camera);
}

void poise__camera_pan(PoiseCamera* camera, double dx, double dy) {
    double unit = poise__camera_unit_at(camera, camera->focus);
    camera->focus = poise_add_scaled(camera->focus, -dx * unit, poise__camera_right(camera));
    camera->focus = poise_add_scaled(camera->focus, dy * unit, poise__camera_up(camera));
}

void poise__camera_zoom(PoiseCamera* camera, double notches) {
    camera->distance *= pow(ZOOM_STEP, notches);
    keep_in_range(camera);
}

PoiseVec3 poise__camera_forward(const PoiseCamera* camera) {
    double flat = cos(camera->elevation);
    return poise_vec3(-flat * cos(camera->azimuth), -flat * sin(camera->azimuth),
                      -sin(camera->elevation));
}

PoiseVec3 poise__camera_right(const PoiseCamera* camera) {
    return poise_vec3(-sin(camera->azimuth), cos(camera->azimuth), 0.0);
}

PoiseVec3 poise__camera_up(const PoiseCamera* camera) {
    return poise_cross(poise__camera_right(camera), poise__camera_forward(camera));
}

PoiseVec3 poise__camera_eye(const PoiseCamera* camera) {
    return poise_add_scaled(camera->focus, -camera->distance, poise__camera_forward(camera));
}

PoiseRay poise__camera_ray(const PoiseCamera* camera, double x, double y) {
    double unit = 2.0 * tan(0.5 * camera->field_of_view) / camera->height;
    PoiseVec3 way = poise__camera_forward(camera);
    way = poise_add_scaled(way, (x - 0.5 * (camera->width - camera->inset)) * unit,
                           poise__camera_right(camera));
    way = poise_add_scaled(way, (0.5 * camera->height - y) * unit, poise__camera_up(camera));
    PoiseRay ray = {poise__camera_eye(camera), poise__unit(way, poise__camera_forward(camera))};
    return ray;
}

bool poise__camera_project(const PoiseCamera* camera, PoiseVec3 place, double* x, double* y) {
    PoiseVec3 out = poise_sub(place, poise__camera_eye(camera));
    double depth = poise_dot(out, poise__camera_forward(camera));
    if (depth <= 0.0) {
        return false;
    }
    double unit = 2.0 * tan(0.5 * camera->field_of_view) / camera->height * depth;
    *x = 0.5 * (camera->width - camera->inset) + poise_dot(out, poise__camera_right(camera)) / unit;
    *y = 0.5 * camera->height - poise_dot(out, poise__camera_up(camera)) / unit;
    return true;
}

double poise__camera_unit_at(const PoiseCamera* camera, PoiseVec3 place) {
    PoiseVec3 out = poise_sub(place, poise__camera_eye(camera));
    double depth = fmax(0.0, poise_dot(out, poise__camera_forward(camera)));
    return 2.0 * tan(0.5 * camera->field_of_view) / camera->height * depth;
}

mat4s poise__camera_view(const PoiseCamera* camera) {
    return glms_lookat(poise__vec3s(poise__camera_eye(camera)), poise__vec3s(camera->focus),
                       poise__vec3s(poise__camera_up(camera)));
}

PoiseDepthRange poise__camera_depth_range(const PoiseCamera* camera) {
    // the ground fades out at a few dozen radii: nothing is seen beyond
    PoiseDepthRange range = {fmin(NEAR_PART * camera->distance, 0.1 * camera->scene_radius),
                             camera->distance + 60.0 * camera->scene_radius};
    return range;
}

mat4s poise__camera_projection(const PoiseCamera* camera) {
    PoiseDepthRange range = poise__camera_depth_range(camera);
    mat4s projection =
        glms_perspective((float)camera->field_of_view, (float)(camera->width / camera->height),
                         (float)range.nearest, (float)range.farthest);
    projection.m20 = (float)(camera->inset / camera->width); // everything to the left
    return projection;
}
