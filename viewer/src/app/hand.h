// SPDX-License-Identifier: MIT
// The thing that the person drags. A target is held by a part of its gizmo, a link by a control
// point that follows the pointer. Another body is held by a spring, the ellipsoid of a compliance
// by an axis.
#ifndef POISE_HAND_H
#define POISE_HAND_H

#include "change.h"
#include "gizmo.h"
#include "yielding.h"

typedef enum PoiseGrip {
    POISE_GRIP_NONE = 0,
    POISE_GRIP_TARGET,
    /// A link was pressed but has not moved yet, so nothing has changed.
    POISE_GRIP_WAITING,
    POISE_GRIP_LINK,
    POISE_GRIP_PULL,
    /// An axis of the ellipsoid of a point's compliance.
    POISE_GRIP_YIELDING
} PoiseGrip;

typedef struct PoiseHand {
    PoiseGrip grip;
    /// Index of the target's point, or of the control point that the drag added to the link.
    int point;
    /// Index of the dragged link or body, and the grabbed point on it, body frame, m.
    int body;
    PoiseVec3 in_body;
    /// True if the added control point stays after the drag.
    bool pinned;
    /// True if the pointer has moved far enough for a drag. Until then a press changes nothing.
    bool drags;
    /// Position of the press, window units.
    double press_x;
    double press_y;
    PoiseGizmoDrag gizmo;
    PoiseDrag plane;
    /// The end of the ellipsoid that is dragged (PoiseYielding.end); the ellipsoid, and the
    /// distance of the handle from the point, m, when the button was pressed.
    int end;
    PoiseEllipsoid ellipsoid;
    double distance;
} PoiseHand;

#endif
