// SPDX-License-Identifier: MIT
// The thing that the person holds. A target is held by a part of its gizmo, a link by a control
// point that follows the hand, another body by a spring, the ellipsoid of a compliance by an axis.
#ifndef POISE_HAND_H
#define POISE_HAND_H

#include "change.h"
#include "gizmo.h"
#include "yielding.h"

typedef enum PoiseGrip {
    POISE_GRIP_NONE = 0,
    POISE_GRIP_TARGET,
    /// A link is pressed but has not moved yet; nothing has changed.
    POISE_GRIP_WAITING,
    POISE_GRIP_LINK,
    POISE_GRIP_PULL,
    /// An axis of the ellipsoid of a point's compliance.
    POISE_GRIP_YIELDING
} PoiseGrip;

typedef struct PoiseHand {
    PoiseGrip grip;
    /// Index of the target, or of the control point that was added to the link.
    int point;
    /// The held link or body, and the held place on it, body frame, m.
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
    /// The ellipsoid's end in the hand (PoiseYielding). The ellipsoid, and the distance of the
    /// handle from the point, m, when the button was pressed.
    int end;
    PoiseEllipsoid ellipsoid;
    double distance;
} PoiseHand;

#endif
