// SPDX-License-Identifier: MIT
// Arrows and rings around a target. An arrow moves the target along an axis. A ring rotates the
// target about one. The middle moves it parallel to the screen. The axes are those of a given
// frame.
#ifndef POISE_GIZMO_H
#define POISE_GIZMO_H

#include "drag.h"
#include "pick.h"

typedef enum PoiseGizmoPart {
    POISE_GIZMO_NONE = 0,
    POISE_GIZMO_MIDDLE = 1,
    POISE_GIZMO_ARROW_X = 2,
    POISE_GIZMO_ARROW_Y = 3,
    POISE_GIZMO_ARROW_Z = 4,
    POISE_GIZMO_RING_X = 5,
    POISE_GIZMO_RING_Y = 6,
    POISE_GIZMO_RING_Z = 7
} PoiseGizmoPart;

/// Steps of motion and rotation while Ctrl is pressed, m and rad.
extern const double POISE_SNAP_LENGTH;
extern const double POISE_SNAP_ANGLE;

/// Returns the frame of a target's gizmo. Its axes are the world's, or the goal's with `own`. A
/// goal without orientation has the link's axes instead.
PoisePose poise__gizmo_frame(const PoisePointView* point, bool own);
/// Returns the length of the arrows, m, which is the same in the picture at any distance.
double poise__gizmo_size(const PoiseCamera* camera, PoiseVec3 place);
bool poise__gizmo_is_arrow(PoiseGizmoPart part);
bool poise__gizmo_is_ring(PoiseGizmoPart part);
/// Returns the index of the part's axis.
int poise__gizmo_axis(PoiseGizmoPart part);
/// Returns the part with the name "axis:x", "ring:z" and so on; NONE for other names.
PoiseGizmoPart poise__gizmo_named(const char* name);

/// Position of an arrow or a ring in the world.
typedef struct PoiseGizmoLine {
    /// Direction of the arrow or axis of the ring, unit vector.
    PoiseVec3 axis;
    /// Ends of the arrow.
    PoiseVec3 from;
    PoiseVec3 to;
    /// Radius of the ring, m.
    double radius;
    /// Length of the gizmo's arrows, m.
    double size;
} PoiseGizmoLine;
PoiseGizmoLine poise__gizmo_line(const PoiseCamera* camera, PoisePose frame, PoiseGizmoPart part);

/// Returns the part under a position of the window, for a gizmo in `frame`. The gizmo has rings if
/// `turns`.
PoiseGizmoPart poise__gizmo_pick(const PoiseCamera* camera, PoisePose frame, bool turns, double x,
                                 double y);
/// Returns a place on a part, in the world, where the part can be taken without hitting others.
PoiseVec3 poise__gizmo_grip(const PoiseCamera* camera, PoisePose frame, PoiseGizmoPart part);

/// A drag of one part. Each pose is computed from the start, so that errors do not accumulate.
typedef struct PoiseGizmoDrag {
    PoiseGizmoPart part;
    PoisePose start;
    /// Axis of the arrow or ring, world.
    PoiseVec3 axis;
    /// Value at the start: position along an arrow, m, or angle on a ring, rad.
    double taken;
    PoiseDrag plane;
} PoiseGizmoDrag;

/// Begins to drag a part of a pose's gizmo; `axes` is the rotation of its frame. Returns false if
/// the part cannot be taken at this position.
bool poise__gizmo_begin(PoiseGizmoDrag* drag, PoisePointer pointer, PoisePose pose, PoiseQuat axes,
                        PoiseGizmoPart part);
/// Returns the pose for this position of the pointer. An arrow moves it exactly along its axis, a
/// ring rotates it exactly about it. The pose stays at the start if the view leaves the motion
/// undetermined.
PoisePose poise__gizmo_pose(const PoiseGizmoDrag* drag, PoisePointer pointer, bool snap);

#endif
