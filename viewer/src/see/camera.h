// SPDX-License-Identifier: MIT
// A camera that looks at a place, its focus, and orbits it. z is up. Positions in the window are in
// window units (not pixels of the framebuffer), with y downwards.
#ifndef POISE_CAMERA_H
#define POISE_CAMERA_H

#include "geometry.h"
#include "linear.h"

typedef struct PoiseCamera {
    /// The place that the camera looks at and orbits.
    PoiseVec3 focus;
    /// Direction of the camera from the focus, rad: azimuth about z from x, elevation above the
    /// ground.
    double azimuth;
    double elevation;
    /// Distance from the focus, m.
    double distance;
    /// Angle between the upper and the lower edge of the picture, rad.
    double field_of_view;
    /// Size of the picture, width and height, window units.
    double width;
    double height;
    /// Width that panels cover on the right, window units. The focus is in the middle of the free
    /// part.
    double inset;
    /// Height that panels cover at the bottom, window units. Framing keeps the scene clear of them,
    /// but the focus stays in the middle.
    double inset_below;
    /// Height at the bottom that opaque panels cover, window units.
    double covered_below;
    /// Radius of the scene, m. It determines the range of depth.
    double scene_radius;
} PoiseCamera;

/// Returns a camera that looks at the origin from the front, the left and above.
PoiseCamera poise__camera_default(void);
/// Sets the size of the picture, at least 1 (a window can be smaller).
void poise__camera_resize(PoiseCamera* camera, double width, double height);
/// Shows the whole bounds from as near as possible, with a margin, without rotating the camera.
void poise__camera_frame(PoiseCamera* camera, PoiseBounds bounds);
/// Shows all shapes except scenery (poise__shape_is_scenery), and all goals, from nearer than their
/// common box allows. `goal_margin` is the margin around goals for their gizmos, window units.
enum { POISE_ROOM_FOR_HANDS = 90 };
void poise__camera_frame_simulation(PoiseCamera* camera, const PoiseSimulation* simulation,
                                    double goal_margin);

/// Orbits the focus by a pointer motion, window units. The camera stays away from the poles.
void poise__camera_orbit(PoiseCamera* camera, double dx, double dy);
/// Moves the focus so that the scene at the focus's depth follows a pointer motion, window units.
void poise__camera_pan(PoiseCamera* camera, double dx, double dy);
/// Moves the camera nearer by notches of the wheel; negative: farther.
void poise__camera_zoom(PoiseCamera* camera, double notches);
/// Moves the camera back until the place is in the part of the picture that panels leave free.
void poise__camera_show(PoiseCamera* camera, PoiseVec3 place);

PoiseVec3 poise__camera_eye(const PoiseCamera* camera);
/// Unit vectors of the picture, world: to the right, upwards, and into it.
PoiseVec3 poise__camera_right(const PoiseCamera* camera);
PoiseVec3 poise__camera_up(const PoiseCamera* camera);
PoiseVec3 poise__camera_forward(const PoiseCamera* camera);

/// A position of the pointer, window units, and the camera through which it looks.
typedef struct PoisePointer {
    const PoiseCamera* camera;
    double x;
    double y;
} PoisePointer;

/// Returns the ray, world, from the eye through a position of the window.
PoiseRay poise__camera_ray(const PoiseCamera* camera, double x, double y);
/// Computes the position of a place in the window. Returns false if the place is behind the eye.
bool poise__camera_project(const PoiseCamera* camera, PoiseVec3 place, double* x, double* y);
/// Returns the length of a window unit at the depth of `place`, m.
double poise__camera_unit_at(const PoiseCamera* camera, PoiseVec3 place);

typedef struct PoiseDepthRange {
    double nearest;
    double farthest;
} PoiseDepthRange;

/// Returns the range of depths in the picture, m from the eye.
PoiseDepthRange poise__camera_depth_range(const PoiseCamera* camera);

mat4s poise__camera_view(const PoiseCamera* camera);
mat4s poise__camera_projection(const PoiseCamera* camera);

#endif
