// SPDX-License-Identifier: MIT
// A camera that looks at a place and goes round it. z is up; the screen's y runs down, in the
// window's own units (not the framebuffer's pixels).
#ifndef POISE_CAMERA_H
#define POISE_CAMERA_H

#include "geometry.h"
#include "linear.h"

typedef struct PoiseCamera {
    /// What it looks at and turns about.
    PoiseVec3 focus;
    /// Where it stands as seen from the focus: about z from x, and up from the ground, rad.
    double azimuth;
    double elevation;
    /// From the focus, m.
    double distance;
    /// From the upper to the lower edge of the picture, rad.
    double field_of_view;
    /// Size of the picture, window units.
    double width;
    double height;
    /// Of it, what panels cover on the right, window units: the focus is in the middle of the rest.
    double inset;
    /// And below: what is framed keeps clear of it, the focus stays in the middle.
    double inset_below;
    /// Radius of what there is to see: sets the range of depth, m.
    double scene_radius;
} PoiseCamera;

/// Looks at the origin from in front, to the left and above.
PoiseCamera poise__camera_default(void);
/// Sizes below 1 are taken as 1 (a window can be made that small).
void poise__camera_resize(PoiseCamera* camera, double width, double height);
/// Looks at the bounds from as near as shows them whole, with a little room, from the same side.
void poise__camera_frame(PoiseCamera* camera, PoiseBounds bounds);
/// The same with all shapes and goals, nearer than the box round them would have it. So many window
/// units round a goal are to be seen too: its gizmo stands there.
enum { POISE_ROOM_FOR_HANDS = 90 };
void poise__camera_frame_simulation(PoiseCamera* camera, const PoiseSimulation* simulation,
                                    double round_goals);

/// Goes round the focus with the pointer's way in window units; keeps off the poles.
void poise__camera_orbit(PoiseCamera* camera, double dx, double dy);
/// Moves the focus so that what lies at its depth follows the pointer.
void poise__camera_pan(PoiseCamera* camera, double dx, double dy);
/// Nearer by `notches` of the wheel; negative: farther.
void poise__camera_zoom(PoiseCamera* camera, double notches);

PoiseVec3 poise__camera_eye(const PoiseCamera* camera);
/// Unit vectors of the picture: to the right, up, and into it.
PoiseVec3 poise__camera_right(const PoiseCamera* camera);
PoiseVec3 poise__camera_up(const PoiseCamera* camera);
PoiseVec3 poise__camera_forward(const PoiseCamera* camera);

/// Where the pointer is in what a camera shows, window units.
typedef struct PoisePointer {
    const PoiseCamera* camera;
    double x;
    double y;
} PoisePointer;

/// From the eye through a place of the window.
PoiseRay poise__camera_ray(const PoiseCamera* camera, double x, double y);
/// Where a place of the world is seen. False when it lies behind the eye.
bool poise__camera_project(const PoiseCamera* camera, PoiseVec3 place, double* x, double* y);
/// How long one window unit is at the depth of `place`, m.
double poise__camera_unit_at(const PoiseCamera* camera, PoiseVec3 place);

typedef struct PoiseDepthRange {
    double nearest;
    double farthest;
} PoiseDepthRange;

/// What the projection keeps, m from the eye.
PoiseDepthRange poise__camera_depth_range(const PoiseCamera* camera);

mat4s poise__camera_view(const PoiseCamera* camera);
mat4s poise__camera_projection(const PoiseCamera* camera);

#endif
