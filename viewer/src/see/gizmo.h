// SPDX-License-Identifier: MIT
// The gizmo of a target: arrows and rings around it. Dragging an arrow moves the target along an
// axis, dragging a ring rotates it about an axis, dragging the middle moves it parallel to the
// screen. The axes are those of a given frame.
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

/// Steps of position and rotation while Ctrl is pressed, m and rad.
extern const double POISE_SNAP_LENGTH;
extern const double POISE_SNAP_ANGLE;

/// Returns the frame of a target's gizmo. Its axes are the world's, or if `own` the goal's; a goal
/// without orientation uses the link's axes.
PoisePose poise__gizmo_frame(const PoisePointView* point, bool own);
/// Returns the length of the arrows at `place`, m, which is the same in the picture at any
/// distance.
double poise__gizmo_size(const PoiseCamera* camera, PoiseVec3 place);
bool poise__gizmo_is_arrow(PoiseGizmoPart part);
bool poise__gizmo_is_ring(PoiseGizmoPart part);
/// Returns the index of the part's axis, 0 to 2.
int poise__gizmo_axis(PoiseGizmoPart part);
/// Returns the part of the name, such as "axis:x" or "ring:z"; POISE_GIZMO_NONE for other names.
PoiseGizmoPart poise__gizmo_named(const char* name);

/// An arrow or a ring in the world.
typedef struct PoiseGizmoLine {
    /// Direction of the arrow, or axis of the ring, unit vector.
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

/// Returns the part at a position of the window, for a gizmo in `frame`. `turns`: the gizmo has
/// rings.
PoiseGizmoPart poise__gizmo_pick(const PoiseCamera* camera, PoisePose frame, bool turns, double x,
                                 double y);
/// Returns a position on a part, world, where the pointer grabs this part and no other.
PoiseVec3 poise__gizmo_grip(const PoiseCamera* camera, PoisePose frame, PoiseGizmoPart part);

/// A drag of one part of a gizmo. Each pose is computed from the start, so that errors do not
/// accumulate.
typedef struct PoiseGizmoDrag {
    PoiseGizmoPart part;
    PoisePose start;
    /// Axis of the arrow or ring, world.
    PoiseVec3 axis;
    /// Position along the arrow (m) or angle on the ring (rad) at the start.
    double taken;
    PoiseDrag plane;
} PoiseGizmoDrag;

/// Begins to drag a part of the gizmo of `pose`; `axes` is the rotation of the gizmo's frame.
/// Returns false if the part cannot be grabbed at the pointer.
bool poise__gizmo_begin(PoiseGizmoDrag* drag, PoisePointer pointer, PoisePose pose, PoiseQuat axes,
                        PoiseGizmoPart part);
/// Returns the dragged pose for this position of the pointer. An arrow moves the pose exactly along
/// its axis, a ring rotates it exactly about its axis. The pose stays at the start if the view does
/// not determine the motion. `snap`: rounds to steps.
PoisePose poise__gizmo_pose(const PoiseGizmoDrag* drag, PoisePointer pointer, bool snap);

#endif
