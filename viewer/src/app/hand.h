// SPDX-License-Identifier: MIT
// What the person holds: a target by a part of its gizmo, a link by a control point that goes with
// the hand, or a body by a spring.
#ifndef POISE_HAND_H
#define POISE_HAND_H

#include "change.h"
#include "gizmo.h"

typedef enum PoiseGrip {
    POISE_GRIP_NONE = 0,
    POISE_GRIP_TARGET,
    /// A link that was pressed and not moved yet: nothing has changed.
    POISE_GRIP_WAITING,
    POISE_GRIP_LINK,
    POISE_GRIP_PULL
} PoiseGrip;

typedef struct PoiseHand {
    PoiseGrip grip;
    /// Of the target, or of the point that was added to the link.
    int point;
    /// Of the link or body, and where on it, body frame.
    int body;
    PoiseVec3 in_body;
    /// The added point stays.
    bool pinned;
    /// The pointer has gone far enough for a drag; until then a press changes nothing.
    bool drags;
    /// Where the press was, window units.
    double press_x;
    double press_y;
    PoiseGizmoDrag gizmo;
    PoiseDrag plane;
    /// What takes a target back to where it was.
    PoiseEdit edit;
} PoiseHand;

/// Changes for the app to carry out, in order.
typedef struct PoiseHandChanges {
    PoiseChange changes[2];
    int count;
} PoiseHandChanges;

#endif
