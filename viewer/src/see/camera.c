// SPDX-License-Identifier: MIT
// Implements the orbiting camera in double precision, from focus, angles and distance. Computes the
// matrices for the graphics card last, in float.
#include "camera.h"

static const double PI = 3.14159265358979323846;
/// Rotation of the camera per window unit of pointer motion, rad: half a turn for 800 units.
static const double ORBIT_SPEED = 0.0039;
/// Factor by which one notch of the wheel multiplies the distance.
static const double ZOOM_STEP = 0.88;
/// Least angle between the view and the vertical, rad, so that the up vector is defined.
static const double POLE_MARGIN = 0.01;
static const double SMALLEST_DISTANCE = 0.02;
static const double LARGEST_DISTANCE = 1000.0;
/// Margin around the framed scene, as a fraction of the picture's shorter side.
static const double FRAME_MARGIN = 0.09;
/// Distance from the focus in an empty scene, m.
static const double EMPTY_DISTANCE = 1.0;
/// Least radius of a scene, m; a smaller scene is framed as if it had this radius.
static const double SMALLEST_RADIUS = 0.05;
/// Greatest distance of the near plane, as a fraction of the camera's distance.
static const double NEAR_PART = 0.02;

/// Least distance of a shown place from the edges of the picture, window units; factor of the
/// camera's distance for a step back, and largest number of such steps.
static const double SHOWN_MARGIN = 24.0;
static const double SHOW_STEP = 1.05;
enum { MAX_SHOW_STEPS = 60 };

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

/// Measures how far places are outside of the four planes that bound the picture.
typedef struct Fit {
    PoiseVec3 right;
    PoiseVec3 up;
    PoiseVec3 forward;
    /// Tangents of the half angles of the picture: sideways, upwards, downwards.
    double wide;
    double above;
    double below;
    /// Distances by which places exceed the planes right, left, above and below of an eye at the
    /// origin, m. Least and largest depth of the places, m.
    double outside[4];
    double nearest;
    double farthest;
} Fit;

static Fit fit_of(const PoiseCamera* camera) {
    double tall = tan(0.5 * camera->field_of_view);
    double unit = 2.0 * tall / camera->height;
    double width = camera->width - camera->inset;
    double height = camera->height - camera->inset_below;
    double margin = FRAME_MARGIN * fmax(1.0, fmin(width, height));
    Fit fit = {.right = poise__camera_right(camera),
               .up = poise__camera_up(camera),
               .forward = poise__camera_forward(camera),
               .wide = unit * fmax(1.0, 0.5 * width - margin),
               .above = unit * fmax(1.0, 0.5 * camera->height - margin),
               .below = unit * fmax(1.0, 0.5 * camera->height - camera->inset_below - margin),
               .outside = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
               .nearest = HUGE_VAL,
               .farthest = -HUGE_VAL};
    return fit;
}

static void fit_place(Fit* fit, PoiseVec3 place) {
    double x = poise_dot(place, fit->right);
    double y = poise_dot(place, fit->up);
    double z = poise_dot(place, fit->forward);
    if (!isfinite(x + y + z)) {
        return;
    }
    fit->outside[0] = fmax(fit->outside[0], x - fit->wide * z);
    fit->outside[1] = fmax(fit->outside[1], -x - fit->wide * z);
    fit->outside[2] = fmax(fit->outside[2], y - fit->above * z);
    fit->outside[3] = fmax(fit->outside[3], -y - fit->below * z);
    fit->nearest = fmin(fit->nearest, z);
    fit->farthest = fmax(fit->farthest, z);
}

/// Moves the eye as far forward as the four planes allow, and centres the places in the picture.
static void apply_fit(PoiseCamera* camera, const Fit* fit) {
    const double* outside = fit->outside;
    double sides = -(outside[0] + outside[1]) / (2.0 * fit->wide);
    double heights = -(outside[2] + outside[3]) / (fit->above + fit->below);
    double z = fmin(fmin(sides, heights), fit->nearest - SMALLEST_RADIUS);
    double x = 0.5 * (outside[0] - outside[1]);
    double y = 0.5 * ((outside[2] + fit->above * z) - (outside[3] + fit->below * z));
    double middle = 0.5 * (fit->nearest + fit->farthest);
    camera->focus = poise_scale(x, fit->right);
    camera->focus = poise_add_scaled(camera->focus, y, fit->up);
    camera->focus = poise_add_scaled(camera->focus, middle, fit->forward);
    camera->distance = middle - z;
    keep_in_range(camera);
}

void poise__camera_frame(PoiseCamera* camera, PoiseBounds bounds) {
    camera->scene_radius = fmax(SMALLEST_RADIUS, poise__bounds_radius(bounds));
    if (poise__bounds_is_empty(bounds)) {
        camera->focus = poise_vec3(0.0, 0.0, 0.0);
        camera->distance = EMPTY_DISTANCE;
        return;
    }
    Fit fit = fit_of(camera);
    for (int corner = 0; corner < 8; corner++) {
        fit_place(&fit, poise__bounds_corner(bounds, corner));
    }
    apply_fit(camera, &fit);
}

/// Fits a goal, and places at a distance of `margin` m around it.
static void fit_goal(Fit* fit, PoiseVec3 place, double margin) {
    for (int side = -1; side <= 1; side += 2) {
        fit_place(fit, poise_add_scaled(place, side * margin, fit->right));
        fit_place(fit, poise_add_scaled(place, side * margin, fit->up));
    }
}

void poise__camera_frame_simulation(PoiseCamera* camera, const PoiseSimulation* simulation,
                                    double goal_margin) {
    const PoiseBounds moving = poise__bounds_of_moving(simulation);
    PoiseBounds bounds = poise__bounds_of_simulation(simulation);
    poise__camera_frame(camera, bounds);
    // Fits the corners of each shape: the camera may then be nearer than for a box around
    // everything. The margin of a goal is given in window units, whose length in metres depends on
    // the camera. The first pass places the camera without these margins; the second adds them.
    for (int turn = 0; turn < 2 && !poise__bounds_is_empty(bounds); turn++) {
        Fit fit = fit_of(camera);
        double margin = FRAME_MARGIN * fmin(camera->width - camera->inset, camera->height);
        double margin_units = fmax(0.0, goal_margin - margin);
        for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
            PoiseShapeView shape = poise_simulation_shape(simulation, i);
            for (int corner = 0; corner < 8 && !poise__shape_is_scenery(&shape, moving); corner++) {
                fit_place(&fit, poise__shape_corner(&shape, corner));
            }
        }
        for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
            PoisePointView point = poise_simulation_point(simulation, i);
            if (point.enabled && point.has_position) {
                double unit = poise__camera_unit_at(camera, point.goal_world.p);
                fit_goal(&fit, point.goal_world.p, turn == 0 ? 0.0 : margin_units * unit);
            }
        }
        apply_fit(camera, &fit);
    }
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
    PoiseVec3 direction = poise__camera_forward(camera);
    direction = poise_add_scaled(direction, (x - 0.5 * (camera->width - camera->inset)) * unit,
                                 poise__camera_right(camera));
    direction =
        poise_add_scaled(direction, (0.5 * camera->height - y) * unit, poise__camera_up(camera));
    PoiseRay ray = {poise__camera_eye(camera),
                    poise__unit(direction, poise__camera_forward(camera))};
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
    // the ground fades out at a few dozen radii, so nothing is visible beyond
    PoiseDepthRange range = {fmin(NEAR_PART * camera->distance, 0.1 * camera->scene_radius),
                             camera->distance + 60.0 * camera->scene_radius};
    return range;
}

mat4s poise__camera_projection(const PoiseCamera* camera) {
    PoiseDepthRange range = poise__camera_depth_range(camera);
    mat4s projection =
        glms_perspective((float)camera->field_of_view, (float)(camera->width / camera->height),
                         (float)range.nearest, (float)range.farthest);
    // shifts the picture to the left, clear of the panels
    projection.m20 = (float)(camera->inset / camera->width);
    return projection;
}

/// True if the place is in the free part of the picture, SHOWN_MARGIN from its edges.
static bool is_shown(const PoiseCamera* camera, PoiseVec3 place) {
    double x = 0.0, y = 0.0;
    return poise__camera_project(camera, place, &x, &y) && x > SHOWN_MARGIN &&
           x < camera->width - camera->inset - SHOWN_MARGIN && y > SHOWN_MARGIN &&
           y < camera->height - camera->inset_below - SHOWN_MARGIN;
}

void poise__camera_show(PoiseCamera* camera, PoiseVec3 place) {
    const double near = camera->distance;
    for (int i = 0; i < MAX_SHOW_STEPS && !is_shown(camera, place); i++) {
        camera->distance = fmin(LARGEST_DISTANCE, SHOW_STEP * camera->distance);
    }
    // if no distance shows the place, the view stays
    camera->distance = is_shown(camera, place) ? camera->distance : near;
}
