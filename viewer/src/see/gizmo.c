// SPDX-License-Identifier: MIT
#include "gizmo.h"

#include <string.h>

const double POISE_SNAP_LENGTH = 0.05;
const double POISE_SNAP_ANGLE = 5.0 * 3.14159265358979323846 / 180.0;

static const double SIZE_UNITS = 74.0;
/// Radius of the gizmo's middle, which the arrows leave free, as a fraction of their length.
static const double HOLE_PART = 0.22;
/// Radius of the rings, as a fraction of the arrows' length.
static const double RING_PART = 0.84;
/// Largest distance at which the pointer grabs a part, window units.
static const double PICK_RADIUS = 7.0;
/// An arrow cannot be dragged if the sine of its angle to the view is below this, since it then
/// points at the eye.
static const double END_ON = 0.05;
/// A ring is edge-on if the cosine between its axis and the ray is below this: the ray's
/// intersection with the ring's plane is then too inaccurate.
static const double EDGE_ON = 0.12;
enum { RING_STEPS = 72 };

static const char* const NAMES[] = {"",       "",       "axis:x", "axis:y",
                                    "axis:z", "ring:x", "ring:y", "ring:z"};

PoisePose poise__gizmo_frame(const PoisePointView* point, bool own) {
    PoiseVec3 place = point->has_position ? point->goal_world.p : point->pose_world.p;
    PoiseQuat axes = point->turns ? point->goal_world.q : point->pose_world.q;
    return poise_pose(place, own ? axes : poise_quat_identity());
}

double poise__gizmo_size(const PoiseCamera* camera, PoiseVec3 place) {
    return SIZE_UNITS * poise__camera_unit_at(camera, place);
}

bool poise__gizmo_is_arrow(PoiseGizmoPart part) {
    return part >= POISE_GIZMO_ARROW_X && part <= POISE_GIZMO_ARROW_Z;
}

bool poise__gizmo_is_ring(PoiseGizmoPart part) {
    return part >= POISE_GIZMO_RING_X;
}

int poise__gizmo_axis(PoiseGizmoPart part) {
    return poise__gizmo_is_ring(part) ? (int)part - POISE_GIZMO_RING_X
                                      : (int)part - POISE_GIZMO_ARROW_X;
}

PoiseGizmoPart poise__gizmo_named(const char* name) {
    for (int i = POISE_GIZMO_ARROW_X; i <= POISE_GIZMO_RING_Z; i++) {
        if (strcmp(NAMES[i], name) == 0) {
            return (PoiseGizmoPart)i;
        }
    }
    return POISE_GIZMO_NONE;
}

static PoiseVec3 axis_of(PoisePose frame, PoiseGizmoPart part) {
    return poise_quat_rotate(frame.q, poise__axis(poise__gizmo_axis(part)));
}

PoiseGizmoLine poise__gizmo_line(const PoiseCamera* camera, PoisePose frame, PoiseGizmoPart part) {
    double size = poise__gizmo_size(camera, frame.p);
    PoiseGizmoLine line = {.axis = axis_of(frame, part), .size = size, .radius = RING_PART * size};
    line.from = poise_add_scaled(frame.p, HOLE_PART * size, line.axis);
    line.to = poise_add_scaled(frame.p, size, line.axis);
    return line;
}

/// Returns a position on a ring around `centre`, at `angle` about the ring's axis.
static PoiseVec3 ring_place(PoiseVec3 centre, const PoiseGizmoLine* ring, double angle) {
    return poise_pose_apply(poise_pose(centre, poise__turn_to(ring->axis)),
                            poise_vec3(ring->radius * cos(angle), ring->radius * sin(angle), 0.0));
}

// ----------------------------------------------------------------------------------------- picking

/// Returns the distance of a position in the window from a line segment, window units; HUGE_VAL if
/// an end is behind the eye.
static double seen_distance(const PoiseCamera* camera, PoiseVec3 from, PoiseVec3 to, double x,
                            double y) {
    double ax = 0.0, ay = 0.0, bx = 0.0, by = 0.0;
    if (!poise__camera_project(camera, from, &ax, &ay) ||
        !poise__camera_project(camera, to, &bx, &by)) {
        return HUGE_VAL;
    }
    double length = (bx - ax) * (bx - ax) + (by - ay) * (by - ay);
    double part = length > 0.0 ? ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length : 0.0;
    part = fmax(0.0, fmin(1.0, part));
    return hypot(x - ax - part * (bx - ax), y - ay - part * (by - ay));
}

static double part_distance(const PoiseCamera* camera, PoisePose frame, PoiseGizmoPart part,
                            double x, double y) {
    PoiseGizmoLine line = poise__gizmo_line(camera, frame, part);
    if (poise__gizmo_is_arrow(part)) {
        return seen_distance(camera, line.from, line.to, x, y);
    }
    double best = HUGE_VAL;
    for (int i = 0; i < RING_STEPS; i++) {
        const double step = 6.28318530717958647693 / RING_STEPS;
        best = fmin(best, seen_distance(camera, ring_place(frame.p, &line, i * step),
                                        ring_place(frame.p, &line, (i + 1) * step), x, y));
    }
    return best;
}

PoiseGizmoPart poise__gizmo_pick(const PoiseCamera* camera, PoisePose frame, bool turns, double x,
                                 double y) {
    PoiseGizmoPart best = POISE_GIZMO_NONE;
    double nearest = PICK_RADIUS;
    int last = turns ? POISE_GIZMO_RING_Z : POISE_GIZMO_ARROW_Z;
    for (int i = POISE_GIZMO_ARROW_X; i <= last; i++) {
        double distance = part_distance(camera, frame, (PoiseGizmoPart)i, x, y);
        // prefers arrows, which are thinner than rings
        distance -= poise__gizmo_is_arrow((PoiseGizmoPart)i) ? 1.5 : 0.0;
        if (distance < nearest) {
            nearest = distance;
            best = (PoiseGizmoPart)i;
        }
    }
    return best;
}

PoiseVec3 poise__gizmo_grip(const PoiseCamera* camera, PoisePose frame, PoiseGizmoPart part) {
    if (part == POISE_GIZMO_MIDDLE) {
        return frame.p;
    }
    PoiseGizmoLine line = poise__gizmo_line(camera, frame, part);
    if (poise__gizmo_is_arrow(part)) {
        return poise_add_scaled(frame.p, 0.8 * line.size, line.axis);
    }
    // chooses the place on the ring that is farthest in the picture from all other parts
    PoiseVec3 best = ring_place(frame.p, &line, 0.0);
    double farthest = -1.0;
    for (int i = 0; i < RING_STEPS; i++) {
        PoiseVec3 there = ring_place(frame.p, &line, i * 6.28318530717958647693 / RING_STEPS);
        double x = 0.0, y = 0.0;
        double clear = HUGE_VAL;
        if (!poise__camera_project(camera, there, &x, &y)) {
            continue;
        }
        for (int other = POISE_GIZMO_ARROW_X; other <= POISE_GIZMO_RING_Z; other++) {
            if (other != (int)part) {
                clear = fmin(clear, part_distance(camera, frame, (PoiseGizmoPart)other, x, y));
            }
        }
        if (clear > farthest) {
            farthest = clear;
            best = there;
        }
    }
    return best;
}

// ---------------------------------------------------------------------------------------- dragging

/// Computes the position along the drag's axis that is nearest to the pointer's ray, m from the
/// start.
static bool along_axis(const PoiseGizmoDrag* drag, PoisePointer pointer, double* distance) {
    PoiseRay ray = poise__camera_ray(pointer.camera, pointer.x, pointer.y);
    double cosine = poise_dot(ray.direction, drag->axis);
    double sine_squared = 1.0 - cosine * cosine;
    if (sine_squared < END_ON * END_ON) {
        return false;
    }
    PoiseVec3 off = poise_sub(drag->start.p, ray.origin);
    *distance =
        (poise_dot(off, ray.direction) * cosine - poise_dot(off, drag->axis)) / sine_squared;
    return true;
}

/// Computes the angle of a ring that is edge-on from the pointer motion, as if the ring rolled: a
/// motion by its radius is 1 rad.
static bool roll(const PoiseGizmoDrag* drag, PoisePointer pointer, double* angle) {
    double x = 0.0, y = 0.0;
    PoiseVec3 rolls = poise_cross(drag->axis, poise__camera_forward(pointer.camera));
    if (!poise__camera_project(pointer.camera, drag->start.p, &x, &y)) {
        return false;
    }
    double right = poise_dot(rolls, poise__camera_right(pointer.camera));
    double up = poise_dot(rolls, poise__camera_up(pointer.camera));
    *angle = -((pointer.x - x) * right - (pointer.y - y) * up) / (RING_PART * SIZE_UNITS);
    return true;
}

/// Computes the angle on the drag's ring at which the pointer's ray meets its plane, rad.
static bool about_axis(const PoiseGizmoDrag* drag, PoisePointer pointer, double* angle) {
    PoiseRay ray = poise__camera_ray(pointer.camera, pointer.x, pointer.y);
    double distance = 0.0;
    if (fabs(poise_dot(ray.direction, drag->axis)) < EDGE_ON) {
        return roll(drag, pointer, angle);
    }
    if (!poise__ray_plane(ray, drag->start.p, drag->axis, &distance)) {
        return false;
    }
    PoiseQuat turn = poise__turn_to(drag->axis);
    PoiseVec3 met = poise_sub(poise__ray_at(ray, distance), drag->start.p);
    PoiseVec3 in_ring = poise_quat_unrotate(turn, met);
    *angle = atan2(in_ring.y, in_ring.x);
    return true;
}

static bool measure(const PoiseGizmoDrag* drag, PoisePointer pointer, double* value) {
    return poise__gizmo_is_arrow(drag->part) ? along_axis(drag, pointer, value)
                                             : about_axis(drag, pointer, value);
}

bool poise__gizmo_begin(PoiseGizmoDrag* drag, PoisePointer pointer, PoisePose pose, PoiseQuat axes,
                        PoiseGizmoPart part) {
    *drag = (PoiseGizmoDrag){.part = part, .start = pose};
    if (part == POISE_GIZMO_MIDDLE) {
        return poise__drag_begin(&drag->plane, pointer, pose.p);
    }
    drag->axis = axis_of(poise_pose(pose.p, axes), part);
    return measure(drag, pointer, &drag->taken);
}

static double snapped(double value, double step, bool snap) {
    return snap ? step * round(value / step) : value;
}

static PoiseVec3 middle_place(const PoiseGizmoDrag* drag, PoisePointer pointer, bool snap) {
    PoiseVec3 place = poise__drag_place(&drag->plane, pointer);
    if (!snap) {
        return place;
    }
    // snaps to the world's grid in the two axes that are seen best; the third keeps its coordinate
    const PoiseVec3 forward = poise__camera_forward(pointer.camera);
    const double along[3] = {fabs(forward.x), fabs(forward.y), fabs(forward.z)};
    const int hidden = along[0] >= along[1] && along[0] >= along[2] ? 0
                       : along[1] >= along[2]                       ? 1
                                                                    : 2;
    return poise_vec3(hidden == 0 ? drag->start.p.x : snapped(place.x, POISE_SNAP_LENGTH, true),
                      hidden == 1 ? drag->start.p.y : snapped(place.y, POISE_SNAP_LENGTH, true),
                      hidden == 2 ? drag->start.p.z : snapped(place.z, POISE_SNAP_LENGTH, true));
}

PoisePose poise__gizmo_pose(const PoiseGizmoDrag* drag, PoisePointer pointer, bool snap) {
    PoisePose pose = drag->start;
    double value = 0.0;
    if (drag->part == POISE_GIZMO_MIDDLE) {
        pose.p = middle_place(drag, pointer, snap);
        return pose;
    }
    if (!measure(drag, pointer, &value)) {
        return pose;
    }
    PoiseVec3 axis = drag->axis;
    double moved = value - drag->taken;
    if (poise__gizmo_is_arrow(drag->part)) {
        pose.p = poise_add_scaled(pose.p, snapped(moved, POISE_SNAP_LENGTH, snap), axis);
    } else {
        double turn = snapped(moved, POISE_SNAP_ANGLE, snap);
        pose.q = poise_quat_mul(poise_quat_from_axis_angle(axis, turn), pose.q);
    }
    return pose;
}
