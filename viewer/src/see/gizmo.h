// SPDX-License-Identifier: MIT
// Arrows and rings round a target: an arrow moves it along an axis, a ring turns it about one, its
// middle moves it in the plane of the screen. The axes are those of the frame it is given.
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

/// What Ctrl snaps to, m and rad.
extern const double POISE_SNAP_LENGTH;
extern const double POISE_SNAP_ANGLE;

/// Where a target's gizmo stands: with the world's axes, or `own` ones, those of the goal, or of
/// the link where the goal has none.
PoisePose poise__gizmo_frame(const PoisePointView* point, bool own);
/// Length of the arrows and radius of the rings, m: the same in the picture at any distance.
double poise__gizmo_size(const PoiseCamera* camera, PoiseVec3 place);
bool poise__gizmo_is_arrow(PoiseGizmoPart part);
bool poise__gizmo_is_ring(PoiseGizmoPart part);
/// 0, 1, 2 for x, y, z.
int poise__gizmo_axis(PoiseGizmoPart part);
/// From "axis:x", "ring:z"; NONE when it is no name of a part.
PoiseGizmoPart poise__gizmo_named(const char* name);

/// Where an arrow or ring lies in the world.
typedef struct PoiseGizmoLine {
    /// Of the arrow, or of what the ring goes round; of length 1.
    PoiseVec3 axis;
    /// Ends of the arrow.
    PoiseVec3 from;
    PoiseVec3 to;
    /// Of the ring.
    double radius;
    /// Of the whole gizmo.
    double size;
} PoiseGizmoLine;
PoiseGizmoLine poise__gizmo_line(const PoiseCamera* camera, PoisePose frame, PoiseGizmoPart part);

/// The part under a place of the window, of a gizmo in `frame`; rings only where `turns`.
PoiseGizmoPart poise__gizmo_pick(const PoiseCamera* camera, PoisePose frame, bool turns, double x,
                                 double y);
/// Where to take a part: a place of the world on it that is well seen.
PoiseVec3 poise__gizmo_grip(const PoiseCamera* camera, PoisePose frame, PoiseGizmoPart part);

/// A drag of one part; all from where it began, so that nothing adds up.
typedef struct PoiseGizmoDrag {
    PoiseGizmoPart part;
    PoisePose start;
    /// Of the arrow or ring, world.
    PoiseVec3 axis;
    /// Arrow: where on it it was taken, m; ring: at what angle, rad.
    double taken;
    PoiseDrag plane;
} PoiseGizmoDrag;

/// Takes a part of the gizmo of a pose with the pointer; `axes`: which way its arrows lie. False
/// when it cannot be taken there.
bool poise__gizmo_begin(PoiseGizmoDrag* drag, PoisePointer pointer, PoisePose pose, PoiseQuat axes,
                        PoiseGizmoPart part);
/// What the pose is to be with the pointer there. An arrow moves it exactly along its axis, a
/// ring turns it exactly about it; where the view does not tell (along the axis, edge on) it stays.
PoisePose poise__gizmo_pose(const PoiseGizmoDrag* drag, PoisePointer pointer, bool snap);

#endif
